//! The target of a request: a resource that the server has built in, or one of a custom resource definition.

use std::sync::Arc;

use thiserror::Error;

use crate::admission::Operation;
use crate::cluster::Cluster;
use crate::evaluation::{Place, Request, Successor};
use kube_api::distribution::OPENSHIFT_APISERVER_GROUPS;
use kube_api::resource::{self, ApiResource};
use kube_api::version::Version;
use kube_api::{GroupResource, GroupVersionKind, GroupVersionResource, Name, Object, Status};
use kube_registry::strategy::{Answer, Storage};
use kube_registry::{Kind, conversion};

/// The group of files that are for kustomize, not for a server.
const KUSTOMIZE: &str = "kustomize.config.k8s.io";

/// A document of an undefined kind.
#[derive(Clone, Debug, Error)]
#[error("no matches for kind \"{}\" in version \"{}\"", kind.kind, kind.api_version())]
pub struct UnknownKind {
    /// The kind.
    pub kind: GroupVersionKind,
    /// Where the document was written.
    pub place: Option<Place>,
    /// The release of the server.
    pub release: Version,
    /// The version with which the server accepts the document, if no other change is needed.
    pub successor: Option<Box<Successor>>,
    /// The value of `--runtime-config` that makes the server serve it, if there is one.
    pub served_by: Option<String>,
    /// Where its definition was written, if the server refused that.
    pub definition: Option<Box<Place>>,
}

impl UnknownKind {
    /// Returns the server's refusal, with advice on how to fix it.
    pub fn status(&self) -> Status {
        let message = format!("{self}: {}", self.help());
        Status { code: 404, reason: "NotFound".to_owned(), message, ..Status::default() }
    }

    /// Whether its objects are measurements, which `kubectl get` prints and which cannot be created.
    pub fn is_measured(&self) -> bool {
        matches!(&*self.kind.group, "metrics.k8s.io" | "custom.metrics.k8s.io" | "external.metrics.k8s.io")
    }

    /// Returns what would make the server know the kind, if that may be: a definition, or a setting.
    pub fn lacking(&self) -> Option<String> {
        if let Some(value) = &self.served_by {
            return Some(format!("kube-apiserver --runtime-config={value}"));
        }
        let group = &self.kind.group;
        let is_custom = group.contains('.') && !resource::has_group(group) && self.kind.group != KUSTOMIZE;
        (is_custom && !self.is_measured())
            .then(|| format!("CustomResourceDefinition of {} in {}", self.kind.kind, self.kind.api_version()))
    }

    /// Returns advice on how to fix it.
    pub fn help(&self) -> String {
        let and_edit = |help: String| match &self.successor {
            Some(successor) => format!("{help}; {successor}"),
            None => help,
        };
        if let Some(value) = &self.served_by {
            let help = format!("the server serves it only with --runtime-config={value}");
            match resource::replaced_by(&self.kind, self.release) {
                Some(replacement) => and_edit(format!("{help}; {replacement}")),
                None => help,
            }
        } else if let Some(help) = resource::help(&self.kind, self.release) {
            and_edit(help)
        } else if self.kind.group == KUSTOMIZE {
            "build it (kubectl kustomize) and evaluate what comes out; --ignore-non-manifests leaves it out"
                .to_owned()
        } else if let Some(place) = &self.definition {
            let (line, _) = place.line_column();
            format!("its definition is denied: {}:{line}", place.file())
        } else if let Some((api_version, kind)) = resource::suggest(&self.kind, self.release) {
            format!("did you mean {kind} in {api_version}?")
        } else if self.kind.group.contains('.') && !resource::has_group(&self.kind.group) {
            let kind = self.kind.group_kind();
            let help = format!(
                "add the CustomResourceDefinition of {kind} to --cluster, or put it before its objects"
            );
            if OPENSHIFT_APISERVER_GROUPS.contains(&&*self.kind.group) {
                format!("it is of OpenShift: use --distribution openshift; for another server {help}")
            } else {
                help
            }
        } else {
            let release = self.release;
            format!("Kubernetes {release} serves no such kind in this version; check apiVersion and kind")
        }
    }
}

/// A resource and the kind of the objects that a request to it carries.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub(super) resource: GroupVersionResource,
    pub(super) kind: GroupVersionKind,
    /// The resource that the objects are stored as, if that differs.
    stored: Option<GroupResource>,
    pub(super) namespaced: bool,
    verbs: &'static [&'static str],
    /// The discovery entry of a built-in resource.
    pub(super) api: Option<&'static ApiResource>,
    is_aggregated: bool,
    /// The handling of its objects.
    pub(super) strategy: Kind,
}

impl Target {
    /// Whether an API server of its own serves it.
    pub(super) fn is_aggregated(&self) -> bool {
        self.is_aggregated
    }

    /// Returns the resource of a built-in kind.
    pub(super) fn of_kind(kind: &GroupVersionKind) -> Option<Self> {
        Self::built_in(resource::by_kind(kind)?, "")
    }

    /// Returns a built-in resource that an API server of its own serves.
    #[cfg(feature = "openshift")]
    pub(super) fn aggregated(found: &'static ApiResource, sub_resource: &str) -> Option<Self> {
        Self::built_in(found, sub_resource).map(|target| Self { is_aggregated: true, ..target })
    }

    /// Returns the same resource without rules for its objects.
    #[cfg(feature = "openshift")]
    pub(super) fn unchecked(self) -> Self {
        Self { strategy: Kind::Unchecked, ..self }
    }

    /// Returns a built-in resource, or its subresource.
    pub(super) fn built_in(found: &'static ApiResource, sub_resource: &str) -> Option<Self> {
        let (kind, verbs) = match sub_resource {
            "" => (found.group_version_kind(), found.verbs),
            name => {
                let found = found.subresource(name)?;
                (found.group_version_kind(), found.verbs)
            }
        };
        let strategy = Kind::of(&kind);
        let stored = kube_registry::stored::stored_as(&found.group_version_kind());
        Some(Self {
            stored: stored.map(|(_, resource)| resource),
            resource: found.group_version_resource(),
            kind,
            namespaced: found.namespaced,
            verbs,
            api: Some(found),
            is_aggregated: false,
            strategy,
        })
    }

    /// Returns a custom resource, or its subresource; or the answer to a subresource that it does not have.
    pub(super) fn custom(request: &Request, cluster: &Cluster) -> Option<Result<Self, Status>> {
        let (found, version) = match (&request.resource, &request.kind) {
            (Some(resource), _) => {
                (cluster.custom_resource(&resource.group, &resource.resource)?, &resource.version)
            }
            (None, Some(kind)) => (cluster.custom_resource_of_kind(&kind.group, &kind.kind)?, &kind.version),
            (None, None) => return None,
        };
        let served = found.version(version).filter(|version| version.is_served)?;
        let name = |text: &str| Name::Owned(text.to_owned());
        let resource = GroupVersionResource::new(name(&found.group), version.clone(), name(&found.plural));
        let own_kind = GroupVersionKind::new(name(&found.group), version.clone(), name(&found.kind));
        let (kind, verbs): (_, &[&str]) = match &*request.sub_resource {
            "" => (own_kind, &["create", "delete", "get", "update"]),
            "status" if served.has_status => (own_kind, &["get", "update"]),
            "scale" if served.scale.is_some() => {
                (GroupVersionKind::new("autoscaling", "v1", "Scale"), &["get", "update"])
            }
            _ => {
                let name = request.name.as_deref().unwrap_or_default();
                return Some(Err(Status::new_not_found(&resource.group_resource(), name)));
            }
        };
        let (namespaced, version) = (found.is_namespaced, resource.version.clone());
        let strategy = match &*request.sub_resource {
            "scale" => Kind::CustomScale(found, version),
            _ => Kind::Custom(found, version),
        };
        Some(Ok(Self {
            resource,
            kind,
            stored: None,
            namespaced,
            verbs,
            api: None,
            is_aggregated: false,
            strategy,
        }))
    }

    /// Returns the server's refusal of an operation that the resource does not support.
    pub(super) fn not_allowed(&self, operation: Operation) -> Status {
        if self.strategy.definition().is_some() {
            let verb = operation.as_str().to_lowercase();
            return Status::new_method_not_supported(&self.group_resource(), &verb);
        }
        Status {
            code: 405,
            reason: "MethodNotAllowed".to_owned(),
            message: "the server does not allow this method on the requested resource".to_owned(),
            ..Status::default()
        }
    }

    /// Returns the resource that the objects are stored as.
    pub(super) fn group_resource(&self) -> GroupResource {
        self.stored.clone().unwrap_or_else(|| self.resource.group_resource())
    }

    /// Whether the resource supports the verb of discovery.
    pub(super) fn serves_verb(&self, verb: &str) -> bool {
        match (verb, self.strategy.definition()) {
            ("patch", Some(_)) => self.verbs.contains(&"update"),
            ("deletecollection" | "list" | "watch", Some(_)) => self.verbs.contains(&"delete"),
            _ => self.verbs.contains(&verb),
        }
    }

    /// Whether the resource supports the operation. A CONNECT has no separate verb.
    pub(super) fn serves(&self, operation: Operation) -> bool {
        match operation {
            Operation::Create => self.verbs.contains(&"create"),
            Operation::Update => self.verbs.contains(&"update"),
            Operation::Delete => self.verbs.contains(&"delete"),
            Operation::Connect => true,
        }
    }

    /// Whether the server answers a CREATE with the object; else it is a Status that reports success.
    pub(super) fn answers_object(&self) -> bool {
        !matches!(self.answer(), Some(Answer::Binding | Answer::Eviction))
    }

    /// Returns the server's answer to an object that it does not store.
    pub(super) fn answer(&self) -> Option<Answer> {
        match self.strategy.strategy()?.storage {
            Storage::Stored => None,
            Storage::Answered(answer) => Some(answer),
        }
    }

    /// Returns a stored object in the version of the request.
    pub(super) fn read_stored(&self, object: Arc<Object>) -> Arc<Object> {
        let is_other_version = self.kind.kind == object.kind.kind
            && self.kind != object.kind
            && self.strategy.definition().is_none();
        let converted = || conversion::convert(&object, &self.kind).filter(|_| is_other_version);
        match kube_registry::stored::from_storage(&object, &self.kind).or_else(converted) {
            Some(older) => Arc::new(older),
            None => self.strategy.read_stored(object),
        }
    }

    /// Returns the warning about every request in `release`.
    pub(super) fn deprecation_warning(&self, release: Version) -> Option<String> {
        self.strategy.deprecation_warning(&self.kind, release)
    }

    /// Whether requests carry the ephemeral containers of a Pod instead of the Pod, as until 1.21.
    pub(super) fn shows_ephemeral_containers(&self) -> bool {
        self.kind.kind == "EphemeralContainers" && self.kind.group.is_empty()
    }

    pub(super) fn is_namespaces(&self) -> bool {
        self.resource.is("", "namespaces")
    }
}
