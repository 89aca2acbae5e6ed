//! The parameters of policies.
//!
//! Source: `CollectParams` of `k8s.io/apiserver/pkg/admission/plugin/policy/generic`.

use std::sync::Arc;

use crate::cluster::Cluster;
use crate::policy::conversion::convert;
use kube_api::labels::Selector;
use kube_api::resource;
use kube_api::{GroupResource, GroupVersionKind, Object, Value};

/// `paramKind`: which objects the parameters are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParamKind {
    /// The kind.
    pub kind: GroupVersionKind,
    /// Its resource.
    pub resource: GroupResource,
    /// Whether the objects live in namespaces.
    pub is_namespaced: bool,
}

/// `paramRef`: the choice of parameters of a binding.
#[derive(Clone, Debug)]
pub struct ParamRef {
    name: String,
    namespace: String,
    selector: Option<Value>,
    denies_without: bool,
}

/// The parameters that a policy is evaluated with, once for each.
pub type Params = Vec<Option<Arc<Object>>>;

impl ParamKind {
    /// Finds the kind that `param_kind` of a policy names.
    ///
    /// # Errors
    ///
    /// Fails if the server does not serve it.
    pub fn resolve(param_kind: &Value, cluster: &Cluster) -> Result<Self, String> {
        let text = |field: &str| param_kind[field].as_str().unwrap_or_default();
        let kind = GroupVersionKind::from_api_version(text("apiVersion"), text("kind"));
        if let Some(found) = resource::by_kind(&kind) {
            let resource = found.group_version_resource().group_resource();
            return Ok(Self { kind, resource, is_namespaced: found.namespaced });
        }
        let definition = cluster.custom_resource_of_kind(&kind.group, &kind.kind);
        match definition.filter(|found| found.served_versions().any(|version| version.name == kind.version)) {
            Some(found) => {
                let (group, resource) = (found.group.clone().into(), found.plural.clone().into());
                Ok(Self {
                    kind,
                    resource: GroupResource { group, resource },
                    is_namespaced: found.is_namespaced,
                })
            }
            None => Err(format!(
                "failed to find resource referenced by paramKind: '{}, Kind={}'",
                kind.api_version(),
                kind.kind
            )),
        }
    }
}

impl ParamRef {
    /// Reads a `paramRef`.
    pub fn new(reference: &Value) -> Self {
        let text = |field: &str| reference[field].as_str().unwrap_or_default().to_owned();
        Self {
            name: text("name"),
            namespace: text("namespace"),
            selector: reference.get("selector").filter(|selector| !selector.is_null()).cloned(),
            denies_without: reference["parameterNotFoundAction"] == "Deny",
        }
    }

    /// Returns the parameters for a request in `namespace`, ordered by name; none if none are needed.
    ///
    /// # Errors
    ///
    /// Fails if they cannot be looked up, or if there are none and some are required.
    pub fn collect(&self, kind: &ParamKind, namespace: &str, cluster: &Cluster) -> Result<Params, String> {
        let namespace = match (kind.is_namespaced, self.namespace.as_str()) {
            (true, "") if namespace.is_empty() => {
                return Err("cannot use namespaced paramRef in policy binding that matches cluster-scoped \
                            resources"
                    .to_owned());
            }
            (true, "") => namespace,
            (true, own) => own,
            (false, "") => "",
            (false, _) => {
                return Err(
                    "paramRef.namespace must not be provided for a cluster-scoped `paramKind`".to_owned()
                );
            }
        };
        let found = match &self.selector {
            _ if !self.name.is_empty() && self.selector.is_some() => {
                return Err("paramRef.name and paramRef.selector are mutually exclusive".to_owned());
            }
            _ if !self.name.is_empty() => {
                cluster.get(&kind.resource, namespace, &self.name).into_iter().collect()
            }
            Some(selector) => {
                let selector = Selector::from_label_selector(selector).map_err(|error| error.to_string())?;
                let selects =
                    |object: &Arc<Object>| selector.matches_labels(object.at(["metadata", "labels"]));
                cluster.list(&kind.resource, namespace).into_iter().filter(selects).collect::<Vec<_>>()
            }
            None => return Err("one of name or selector must be provided".to_owned()),
        };
        if found.is_empty() && self.denies_without {
            return Err("no params found for policy binding with `Deny` parameterNotFoundAction".to_owned());
        }
        let versioned = found.iter().map(|object| convert(object, &kind.kind, cluster).map(Some));
        versioned.collect::<Result<_, _>>().map_err(|error| error.to_string())
    }
}
