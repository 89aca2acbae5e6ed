//! The plugins that validate one resource of OpenShift's configuration: each is a row of the table.
//!
//! Source: `openshift-kube-apiserver/admission/customresourcevalidation/customresourcevalidator.go`.

use std::borrow::Cow;
use std::sync::Arc;

use crate::admission::{Attributes, Handler, Recorder, Refusal, ValidationInterface};
use crate::cluster::Cluster;
use crate::cluster::authorizer::Authorizer;
use crate::plugin::PluginInitializer;
use crate::plugin::openshift::lookup;
use kube_api::resources::NODES;
use kube_api::{GroupResource, Object, Status};
use kube_registry::openshift::{ClusterFacts, Validator};

const INFRASTRUCTURES: GroupResource = GroupResource::new("config.openshift.io", "infrastructures");

/// A resource whose objects a plugin validates.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Validated {
    rules: &'static Validator,
    /// The resource of the kind.
    resource: &'static str,
    /// What its objects are, in words.
    subject: &'static str,
    /// Whether there is one object, called `cluster`.
    is_of_cluster: bool,
    /// The reasons for which it rejects an object, besides its name and the types of its fields.
    rejects: &'static [&'static str],
    /// The objects that it reads, in words.
    reads: &'static str,
    warnings: Option<fn(&Object) -> Vec<String>>,
}

impl Validated {
    /// Describes `subject`: the objects of a resource.
    pub(super) const fn of(
        rules: &'static Validator,
        resource: &'static str,
        subject: &'static str,
        rejects: &'static [&'static str],
    ) -> Self {
        Self { rules, resource, subject, is_of_cluster: false, rejects, reads: "None", warnings: None }
    }

    /// Describes `subject`: the object `cluster` of a resource.
    pub(super) const fn of_cluster(
        rules: &'static Validator,
        resource: &'static str,
        subject: &'static str,
        rejects: &'static [&'static str],
    ) -> Self {
        Self { is_of_cluster: true, ..Self::of(rules, resource, subject, rejects) }
    }

    pub(super) const fn reading(self, reads: &'static str) -> Self {
        Self { reads, ..self }
    }

    pub(super) const fn warning(self, warnings: fn(&Object) -> Vec<String>) -> Self {
        Self { warnings: Some(warnings), ..self }
    }

    /// Builds the plugin.
    pub(in crate::plugin) fn build(self, initializer: &PluginInitializer) -> Handler {
        Handler::validating(ValidatingPlugin {
            cluster: initializer.cluster.clone(),
            authorizer: initializer.authorizer.clone(),
            validated: self,
            compares_kubelets: initializer.openshift.minimum_kubelet_version,
        })
    }

    /// Returns the documentation of the plugin in Markdown.
    pub(in crate::plugin) fn documentation(&self) -> String {
        let Self { resource, subject, reads, .. } = self;
        let group = self.rules.group();
        let name = self.is_of_cluster.then_some("The object is not named `cluster`.");
        let rejects = name.iter().chain(self.rejects).chain(&["A field has another type than it should."]);
        let rejects: Vec<String> = rejects.map(|reason| format!("- {reason}")).collect();
        let rejects = rejects.join("\n");
        format!(
            "Validates {subject} (`{resource}.{group}`), which a custom resource\n\
             definition alone does not check. So a mistake is reported when it is made, not when an operator stumbles over it.\n\n\
             # When it rejects\n\n{rejects}\n\n\
             # Cluster objects it reads\n\n{reads}.\n\n\
             # Offline\n\nNothing is assumed.\n\n\
             # Since\n\nOpenShift 4.0, on by default.\n\n\
             # Upstream\n\n`openshift/kubernetes/openshift-kube-apiserver/admission/customresourcevalidation`\n"
        )
    }
}

/// Validates the objects of one resource.
struct ValidatingPlugin {
    cluster: Arc<Cluster>,
    authorizer: Arc<Authorizer>,
    validated: Validated,
    /// Whether the oldest kubelet that is requested is compared with those of the nodes.
    compares_kubelets: bool,
}

/// Returns the object with the version of the stored one, which the server fills in for an update without one.
fn with_version<'a>(object: &'a Object, old: Option<&Object>) -> Cow<'a, Object> {
    const PATH: &[&str] = &["metadata", "resourceVersion"];
    let Some(old) = old.filter(|_| object.text(PATH).is_empty()) else { return Cow::Borrowed(object) };
    let mut versioned = object.clone();
    let version = Some(old.text(PATH)).filter(|version| !version.is_empty());
    versioned.set(PATH, version.unwrap_or("1"));
    Cow::Owned(versioned)
}

impl ValidationInterface for ValidatingPlugin {
    /// Refuses an object that its kind's rules do not allow; subresources other than `status` are not checked.
    fn validate(&self, attributes: &Attributes, recorder: &mut Recorder) -> Result<(), Refusal> {
        let sub_resource = &*attributes.sub_resource;
        let is_own = attributes.resource.is(self.validated.rules.group(), self.validated.resource);
        if !is_own || !["", "status"].contains(&sub_resource) {
            return Ok(());
        }
        let Some(object) = attributes.object.as_deref() else { return Ok(()) };
        if let Some(warnings) = self.validated.warnings.filter(|_| sub_resource.is_empty()) {
            for warning in warnings(object) {
                recorder.add_warning(warning);
            }
        }
        let nodes = self.compares_kubelets.then(|| self.cluster.list_all(&NODES));
        let kubelets: Option<Vec<String>> = nodes.map(|nodes| {
            let version = |node: &Arc<Object>| node.text(["status", "nodeInfo", "kubeletVersion"]).to_owned();
            nodes.iter().map(version).collect()
        });
        let infrastructure = self.cluster.get(&INFRASTRUCTURES, "", "cluster");
        let facts = ClusterFacts {
            internal_uri: infrastructure.as_ref().map(|found| found.text(["status", "apiServerInternalURI"])),
            router_may: &|verb, namespace, name| lookup::router_may(&self.authorizer, verb, namespace, name),
            type_of_secret: &|namespace, name| lookup::type_of_secret(&self.cluster, namespace, name),
            kubelets: kubelets.as_deref(),
        };
        let old = attributes.old_object.as_deref();
        let object = with_version(object, old);
        let errors = self.validated.rules.validate(&object, old, sub_resource, &facts);
        if errors.is_empty() {
            return Ok(());
        }
        let name = if attributes.name.is_empty() { object.name() } else { &attributes.name };
        let status = Status::new_invalid(&attributes.kind, name, &errors);
        Err(Refusal::from(status).at_all(errors.iter().filter_map(|error| error.path.clone())))
    }
}

#[cfg(test)]
mod tests {
    use crate::plugin::Factory;
    use crate::plugin::openshift::own;
    use kube_registry::openshift::definition;

    #[test]
    fn every_row_names_the_resource_of_its_rules() {
        let mut count = 0;
        for plugin in own() {
            let Factory::Validator(validated) = plugin.factory else { continue };
            let found = definition(validated.rules.group(), validated.resource);
            assert_eq!(found.unwrap().kind, validated.rules.kind(), "{}", plugin.name);
            count += 1;
        }
        assert!(count > 0);
    }
}
