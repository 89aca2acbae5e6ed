//! Where a request goes: a resource that the server has built in, or one that a custom resource definition makes.

use thiserror::Error;

use crate::admission::Operation;
use crate::api::decode::{DecodeError, Decoded, FieldValidation};
use crate::api::resource::{self, ApiResource};
use crate::api::{GroupResource, GroupVersionKind, GroupVersionResource, Object, Status, Value};
use crate::cluster::Cluster;
use crate::evaluation::{Place, Request};
use crate::source::Node;

const CUSTOM_RESOURCE_DEFINITIONS: GroupResource =
    GroupResource::new("apiextensions.k8s.io", "customresourcedefinitions");

/// A document of a kind that nobody defines.
#[derive(Clone, Debug, Error)]
#[error("no matches for kind \"{}\" in version \"{}\"", kind.kind, kind.api_version())]
pub struct UnknownKind {
    /// The kind.
    pub kind: GroupVersionKind,
    /// Where the document was written.
    pub place: Option<Place>,
}

impl UnknownKind {
    /// What to do about it.
    pub fn help(&self) -> String {
        if self.kind.group.contains('.') {
            format!(
                "add the CustomResourceDefinition of {} to --cluster, or put it before its objects",
                self.kind.group_kind()
            )
        } else {
            "Kubernetes 1.36 serves no such kind in this version; check apiVersion and kind".to_owned()
        }
    }
}

/// A resource and the kind of the objects that a request to it carries.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub(super) resource: GroupVersionResource,
    pub(super) kind: GroupVersionKind,
    pub(super) namespaced: bool,
    /// Whether its objects are stored; reviews and the like are only answered.
    pub(super) stored: bool,
    verbs: &'static [&'static str],
}

/// What is known of the target before the cluster is looked at.
#[derive(Debug)]
pub(super) enum Routing {
    BuiltIn(Target),
    Unknown,
}

impl Routing {
    pub(super) fn of(request: &Request) -> Self {
        let found = match (&request.resource, &request.kind) {
            (Some(resource), _) => resource::by_resource(resource),
            (None, Some(kind)) => resource::by_kind(kind),
            (None, None) => None,
        };
        let target = found.and_then(|found| Target::built_in(found, &request.sub_resource));
        target.map_or(Self::Unknown, Self::BuiltIn)
    }

    /// The target, looked for among the custom resources of `cluster` too; or how the server answers a request to
    /// a resource that it does not serve.
    pub(super) fn finish(
        self,
        request: &Request,
        cluster: &Cluster,
    ) -> Result<Result<Target, Status>, UnknownKind> {
        if let Self::BuiltIn(target) = self {
            return Ok(Ok(target));
        }
        if let Some(target) = Target::custom(request, cluster) {
            return Ok(Ok(target));
        }
        match (&request.resource, &request.kind) {
            (Some(resource), _) => Ok(Err(not_served(resource))),
            (None, Some(kind)) => Err(UnknownKind { kind: kind.clone(), place: request.place.clone() }),
            (None, None) => Ok(Err(not_served(&GroupVersionResource::default()))),
        }
    }
}

impl Target {
    /// The resource of a built-in kind.
    pub(super) fn of_kind(kind: &GroupVersionKind) -> Option<Self> {
        Self::built_in(resource::by_kind(kind)?, "")
    }

    fn built_in(found: &'static ApiResource, sub_resource: &str) -> Option<Self> {
        let (kind, verbs) = match sub_resource {
            "" => (found.group_version_kind(), found.verbs),
            name => {
                let found = found.subresource(name)?;
                (found.group_version_kind(), found.verbs)
            }
        };
        Some(Self {
            resource: found.group_version_resource(),
            kind,
            namespaced: found.namespaced,
            stored: found.verbs.contains(&"get") && verbs.contains(&"get"),
            verbs,
        })
    }

    fn custom(request: &Request, cluster: &Cluster) -> Option<Self> {
        cluster.list_all(&CUSTOM_RESOURCE_DEFINITIONS).iter().find_map(|definition| {
            let group = definition.text(&["spec", "group"]);
            let plural = definition.text(&["spec", "names", "plural"]);
            let kind = definition.text(&["spec", "names", "kind"]);
            let version = match (&request.resource, &request.kind) {
                (Some(resource), _) if resource.is(group, plural) => &resource.version,
                (None, Some(wanted)) if wanted.is(group, kind) => &wanted.version,
                _ => return None,
            };
            let served = definition
                .list(&["spec", "versions"])
                .iter()
                .any(|entry| entry["name"] == version.as_ref() && entry["served"].as_bool().unwrap_or(false));
            served.then(|| Self {
                resource: GroupVersionResource::new(group.to_owned(), version.clone(), plural.to_owned()),
                kind: GroupVersionKind::new(group.to_owned(), version.clone(), kind.to_owned()),
                namespaced: definition.text(&["spec", "scope"]) == "Namespaced",
                stored: true,
                verbs: &["create", "delete", "get", "update"],
            })
        })
    }

    /// Reads the body of a custom resource.
    pub(super) fn decode_custom(&self, node: Node, request: &Request) -> Result<Decoded, DecodeError> {
        let mut value = node.into_value();
        if let Value::Object(map) = &mut value {
            map.entry("apiVersion").or_insert_with(|| self.kind.api_version().into());
            map.entry("kind").or_insert_with(|| self.kind.kind.as_ref().into());
        }
        let warnings = match request.field_validation {
            FieldValidation::Warn => request.strict_errors.clone(),
            _ => Vec::new(),
        };
        Ok(Decoded { object: Object::new(self.kind.clone(), value), warnings, shares_labels: false })
    }

    pub(super) fn group_resource(&self) -> GroupResource {
        self.resource.group_resource()
    }

    /// Whether the server does this to the resource at all. A CONNECT has no verb of its own.
    pub(super) fn serves(&self, operation: Operation) -> bool {
        match operation {
            Operation::Create => self.verbs.contains(&"create"),
            Operation::Update => self.verbs.contains(&"update"),
            Operation::Delete => self.verbs.contains(&"delete"),
            Operation::Connect => true,
        }
    }

    /// Whether the server answers a CREATE with the object; else it is a Status that says that all went well.
    pub(super) fn answers_object(&self) -> bool {
        !(self.kind.is("policy", "Eviction") || self.kind.is("", "Binding"))
    }

    pub(super) fn is_namespaces(&self) -> bool {
        self.resource.is("", "namespaces")
    }
}

fn not_served(resource: &GroupVersionResource) -> Status {
    let group_is_served = resource::all().iter().any(|entry| entry.group == resource.group);
    if group_is_served {
        Status {
            code: 404,
            reason: "NotFound".to_owned(),
            message: "the server could not find the requested resource".to_owned(),
            details: None,
        }
    } else {
        Status { code: 404, message: "404 page not found".to_owned(), ..Status::default() }
    }
}
