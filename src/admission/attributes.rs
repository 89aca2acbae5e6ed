//! The attributes of a request that plugins see.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::admission::{Refusal, ReinvocationContext};
use crate::cluster::authorizer::{Access, ResourceAttributes, Subject};
use kube_api::{
    GroupVersionKind, GroupVersionResource, Name, Object, Status, Value, name_generator, service_account,
};

/// The operation of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Operation {
    /// Create an object, or POST to a subresource such as `pods/eviction`.
    Create,
    /// Change an object.
    Update,
    /// Remove an object.
    Delete,
    /// Open a stream to an object: exec, attach, portforward, proxy.
    Connect,
}

impl Operation {
    /// Every operation.
    pub const ALL: &'static [Self] = &[Self::Create, Self::Update, Self::Delete, Self::Connect];

    /// Returns the name in an `AdmissionReview`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Create => "CREATE",
            Self::Update => "UPDATE",
            Self::Delete => "DELETE",
            Self::Connect => "CONNECT",
        }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// The user who sends a request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserInfo {
    /// Name that identifies the user.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub username: String,
    /// Identifier that outlives a reuse of the name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub uid: String,
    /// Groups that the user is in.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<String>,
    /// Additional fields from the authenticator.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub extra: BTreeMap<String, Vec<String>>,
}

/// The group of every user that is not anonymous.
const ALL_AUTHENTICATED: &str = "system:authenticated";

impl UserInfo {
    /// Returns the user `username` in `groups`, and in the one of all authenticated users.
    pub fn new<G: Into<String>>(username: impl Into<String>, groups: impl IntoIterator<Item = G>) -> Self {
        let groups = groups.into_iter().map(Into::into).chain([ALL_AUTHENTICATED.to_owned()]);
        Self { username: username.into(), groups: groups.collect(), ..Self::default() }
    }

    /// Returns the user that the service account `name` is, without the group of all authenticated users.
    pub fn of_service_account(namespace: &str, name: &str) -> Self {
        Self {
            username: service_account::make_username(namespace, name),
            groups: service_account::make_group_names(namespace),
            ..Self::default()
        }
    }

    /// Returns the question to the authorizer whether this user may `verb` an object or a resource.
    pub fn access<'a>(&'a self, verb: &'a str, resource: ResourceAttributes<'a>) -> Access<'a> {
        Access { user: &self.username, groups: &self.groups, verb, subject: Subject::Resource(resource) }
    }
}

/// A request in the chain. The object is shared until it is written.
#[derive(Clone, Debug)]
pub struct Attributes {
    /// The operation.
    pub operation: Operation,
    /// Kind of the object; for a subresource the kind that it accepts.
    pub kind: GroupVersionKind,
    /// Resource of the URL.
    pub resource: GroupVersionResource,
    /// Subresource of the URL, or nothing.
    pub sub_resource: Name,
    /// Namespace of the URL, or nothing; for a Namespace its own name.
    pub namespace: String,
    /// Name of the object; empty on a CREATE whose name is still to be generated.
    pub name: String,
    /// The object after decoding and defaulting, and after the plugins so far; absent on DELETE.
    pub object: Option<Arc<Object>>,
    /// The object as it is stored; absent on CREATE and CONNECT.
    pub old_object: Option<Arc<Object>>,
    /// `CreateOptions`, `UpdateOptions` or `DeleteOptions` of the request.
    pub options: Option<Arc<Value>>,
    /// Whether this is a dry run: nothing may be persisted, nor may anything outside the object change.
    pub dry_run: bool,
    /// The user.
    pub user_info: Arc<UserInfo>,
    /// Whether the mutating plugins run again because a webhook or policy changed the object.
    pub reinvocation: bool,
    /// The state that plugins keep between the two runs.
    pub reinvocation_context: ReinvocationContext,
    /// The number of the request in the run: the seed of generated names.
    pub ordinal: u64,
    /// The time of the request since the beginning of the run.
    pub time: Duration,
    /// When the server stops waiting for webhooks, if it does.
    pub deadline: Option<Instant>,
}

impl Attributes {
    /// Returns the time that is left to the request, if that is limited.
    pub fn time_left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// Whether the request is for `resource` of `group` itself, not for a subresource.
    pub fn is_for(&self, group: &str, resource: &str) -> bool {
        self.resource.is(group, resource) && !self.has_sub_resource()
    }

    /// Whether the request is for `sub_resource` of `resource` of `group`.
    pub fn is_for_sub_resource(&self, group: &str, resource: &str, sub_resource: &str) -> bool {
        self.resource.is(group, resource) && self.sub_resource == sub_resource
    }

    /// Whether the request is for a subresource.
    pub fn has_sub_resource(&self) -> bool {
        !self.sub_resource.is_empty()
    }

    /// Whether an update changes the spec: the server then raises `metadata.generation`.
    pub fn changes_spec(&self) -> bool {
        fn spec(object: Option<&Object>) -> Option<&Value> {
            object?.at("spec")
        }
        spec(self.object.as_deref()) != spec(self.old_object.as_deref())
    }

    /// Returns the object to change. The first write copies it, so that the trace keeps the former state.
    pub fn object_mut(&mut self) -> Option<&mut Object> {
        self.object.as_mut().map(Arc::make_mut)
    }

    /// Returns 403 about the object of this request.
    ///
    /// Source: `admission.NewForbidden`.
    pub fn new_forbidden(&self, error: impl fmt::Display) -> Refusal {
        let resource = self.resource.group_resource();
        Status::new_forbidden(&resource, self.name_in_messages(), &error.to_string()).into()
    }

    /// Returns 404 about the object of this request.
    ///
    /// Source: `admission.NewNotFound`.
    pub fn new_not_found(&self) -> Refusal {
        Status::new_not_found(&self.resource.group_resource(), self.name_in_messages()).into()
    }

    /// Returns the name of the request; before a name is generated its prefix; `Unknown` if there is neither.
    pub fn name_in_messages(&self) -> &str {
        let object = self.object.as_deref();
        [self.name.as_str(), object.map_or("", Object::name), object.map_or("", Object::generate_name)]
            .into_iter()
            .find(|name| !name.is_empty())
            .unwrap_or("Unknown")
    }

    /// Returns `base` with five characters that look random and are the same in every run.
    pub fn generate_name(&self, base: &str) -> String {
        name_generator::generate_name(base, self.ordinal)
    }
}
