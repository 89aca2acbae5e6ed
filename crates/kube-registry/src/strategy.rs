//! The server's handling of one kind: the functions that its registry calls between the two phases of admission, and
//! the ways that the kind may be written.
//!
//! A strategy states only what its kind does otherwise than `Strategy::new`. Resources, scopes and verbs are in the data
//! of the releases; a test compares the two, and a kind that a new release adds fails it until it has a strategy.
//!
//! Source: `k8s.io/kubernetes/pkg/registry`, the `strategy.go` of each resource; `rest.RESTCreateStrategy`,
//! `rest.RESTUpdateStrategy` of `k8s.io/apiserver/pkg/registry/rest`.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::BTreeMap;

use crate::gated::Gated;
use crate::openshift::facts::RequestContext;
use crate::validation::node::{Errors, Node};
use crate::warnings::Warnings;
use kube_api::field;
use kube_api::server_profile::ServerProfile;
use kube_api::{Map, Object, Status, Value};

/// The strategy of a built-in kind.
pub struct Strategy {
    /// API group; empty for the core group.
    pub group: &'static str,
    /// Kind, such as `Pod`.
    pub kind: &'static str,
    /// The API versions that the functions support.
    pub versions: &'static [&'static str],
    /// What happens to an object that is created.
    pub storage: Storage,
    /// Whether a PUT of an object that does not exist creates it: `AllowCreateOnUpdate`.
    pub allow_create_on_update: bool,
    /// Whether an object without a name gets a uid for one when it is created.
    pub names_nameless: bool,
    /// Whether an update need not name the version that it is based on: `AllowUnconditionalUpdate`.
    pub allow_unconditional_update: bool,
    /// Fails if an object of a version cannot be converted to the internal type, with the reason.
    pub(super) convert: Option<Convert>,
    /// API defaulting of the object in a version, and the traces of conversion.
    pub(super) defaults: Option<fn(&mut Map, &str, &ServerProfile)>,
    /// The defaults that come from the server's clock, as RFC 3339.
    pub(super) default_times: Option<fn(&mut Map, &str)>,
    /// The writer of the status.
    pub(super) status: ObjectStatus,
    /// `PrepareForCreate`, after the fields of disabled gates are dropped. Adds to the warnings of the request.
    pub(super) prepare_for_create: Option<fn(&mut Map, &Context<'_>, &mut Vec<String>)>,
    /// `PrepareForUpdate` of a whole object, which replaces another.
    pub(super) prepare_for_update: Option<fn(&mut Map, &Map, &Context<'_>)>,
    /// The fields that feature gates guard.
    pub(super) gated: &'static [Gated],
    /// Fills in the times that the server takes from its clock when it prepares a whole object; the arguments are the
    /// replaced object, if there is one, and the time in RFC 3339.
    pub(super) prepared_times: Option<FillTimes>,
    /// The object as validation sees it, if that is not the object itself.
    pub(super) as_validated: Option<AsValidated>,
    /// `Validate`, and `ValidateUpdate` where there is an old object.
    pub(super) validate: Option<Validate>,
    /// Phrases a refusal, if it is not the usual one.
    pub(super) refuse: Option<fn(&str, &[field::Error]) -> Status>,
    /// `WarningsOnCreate`, and `WarningsOnUpdate` where there is an old object.
    pub(super) warnings: Option<Warn>,
    /// The subresources through which the object itself is written.
    pub(super) sub_resources: &'static [SubResource],
}

/// A function that fails, with the reason, if an object of a version cannot be converted.
pub(super) type Convert = fn(&Map, &str) -> Result<(), String>;

/// A function that fills in times: in an object, which replaces another or nothing, at a time in RFC 3339.
pub(super) type FillTimes = fn(&mut Map, Option<&Object>, &str, &ServerProfile);

/// A function that changes what validation sees.
pub(super) type AsValidated = for<'a> fn(&'a Object, &Context<'_>) -> Cow<'a, Object>;

/// A function that collects the errors in an object.
pub(super) type Validate = fn(&mut Errors, &Node<'_>, Option<&Node<'_>>, &Context<'_>);

/// A function that adds the server's warnings when an object is created, or replaces another.
pub(super) type Warn = fn(&Object, Option<&Object>, &mut Warnings<'_>);

/// A part of an object that is written on its own, such as `status`.
pub struct SubResource {
    /// Name, such as `status`.
    pub name: &'static str,
    /// `PrepareForUpdate`
    pub(super) prepare_for_update: Option<fn(&mut Map, &Map, &Context<'_>)>,
    /// Fills in times as that of [`Strategy`] does.
    pub(super) prepared_times: Option<FillTimes>,
    /// `ValidateUpdate`
    pub(super) validate_update: Option<fn(&mut Errors, &Node<'_>, &Node<'_>, &Context<'_>)>,
    /// `WarningsOnUpdate`
    pub(super) warnings: Option<fn(&Object, &mut Warnings<'_>)>,
}

/// What happens to an object that is created.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// It is stored.
    Stored,
    /// It is only answered.
    Answered(Answer),
}

/// The server's answer to an object that it does not store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Binds a Pod to a node, and reports success.
    Binding,
    /// Evicts a Pod, and reports success.
    Eviction,
    /// Changes the number of replicas of another object.
    Scale,
    /// Issues a token.
    TokenRequest,
    /// Says who the requester is.
    SelfSubjectReview,
    /// Says whose token it is.
    TokenReview,
    /// Says whether the requester may do something.
    SelfSubjectAccessReview,
    /// Says whether a user may do something.
    SubjectAccessReview,
    /// Lists what the requester may do.
    SelfSubjectRulesReview,
}

/// The writer of an object's status.
#[derive(Clone, Copy)]
pub(super) enum ObjectStatus {
    /// The kind has none.
    None,
    /// Anyone who writes the object.
    Users,
    /// Controllers, through the subresource: other writes to it are dropped.
    Controllers,
    /// Controllers, after the server has initialized it like this.
    Initialized(fn(&mut Map)),
}

/// The arguments of a strategy's functions besides the object.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The gates of the server.
    pub profile: &'a ServerProfile,
    request: RequestInfo<'a>,
    /// Set when a function asks for `request`.
    is_asked: Option<&'a Cell<bool>>,
}

/// What a strategy's functions may know of the request.
#[derive(Clone, Copy, Debug)]
pub struct RequestInfo<'a> {
    /// The uid that a new object gets.
    pub uid: &'a str,
    /// The sender of the request, if known.
    pub requester: Option<&'a Requester>,
    /// Whether the object had labels before it was defaulted.
    pub had_labels: bool,
    /// The namespace of the object, if it is known.
    pub namespace: Option<&'a Object>,
    /// The manager of fields that the object got when it was received, as `metadata.managedFields`.
    pub managed_fields: Option<&'a Value>,
    /// What the rules of OpenShift's kinds need to know.
    pub openshift: RequestContext<'a>,
}

/// Whether the objects of a kind are in namespaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// They are.
    Namespaced,
    /// The cluster scope.
    Cluster,
}

/// The sender of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Requester {
    /// User name.
    pub name: String,
    /// What distinguishes users of the same name.
    pub uid: String,
    /// The groups that the user is in.
    pub groups: Vec<String>,
    /// Further information from the authenticator.
    pub extra: BTreeMap<String, Vec<String>>,
}

impl Default for RequestInfo<'_> {
    fn default() -> Self {
        Self {
            uid: "",
            requester: None,
            had_labels: true,
            namespace: None,
            managed_fields: None,
            openshift: RequestContext::default(),
        }
    }
}

impl<'a> Context<'a> {
    /// Returns a context that has only the gates.
    pub fn new(profile: &'a ServerProfile) -> Self {
        Self::of_request(profile, RequestInfo::default())
    }

    /// Returns the context of a request.
    pub fn of_request(profile: &'a ServerProfile, request: RequestInfo<'a>) -> Self {
        Self { profile, request, is_asked: None }
    }

    /// Returns a context without a request. Sets `is_asked` when a function asks for it, so that its result may differ
    /// from that in a request.
    pub(super) fn without_request(profile: &'a ServerProfile, is_asked: &'a Cell<bool>) -> Self {
        Self { is_asked: Some(is_asked), ..Self::new(profile) }
    }

    /// Returns what is known of the request.
    pub(super) fn request(&self) -> &RequestInfo<'a> {
        if let Some(is_asked) = self.is_asked {
            is_asked.set(true);
        }
        &self.request
    }
}

impl Strategy {
    /// Returns the strategy of a kind of version `v1` that is stored as it is received.
    pub(super) const fn new(group: &'static str, kind: &'static str) -> Self {
        Self {
            group,
            kind,
            versions: &["v1"],
            storage: Storage::Stored,
            allow_create_on_update: false,
            names_nameless: false,
            allow_unconditional_update: true,
            convert: None,
            defaults: None,
            default_times: None,
            status: ObjectStatus::None,
            prepare_for_create: None,
            prepare_for_update: None,
            gated: &[],
            prepared_times: None,
            as_validated: None,
            validate: None,
            refuse: None,
            warnings: None,
            sub_resources: &[],
        }
    }

    /// Whether creating an object stores it.
    pub fn is_stored(&self) -> bool {
        self.storage == Storage::Stored
    }

    /// Whether there are rules for an object besides its field types.
    pub fn is_validated(&self) -> bool {
        self.validate.is_some() || self.storage != Storage::Stored
    }

    /// Returns the part of the object that is called `name`.
    pub(super) fn sub_resource(&self, name: &str) -> Option<&'static SubResource> {
        self.sub_resources.iter().find(|sub_resource| sub_resource.name == name)
    }
}

impl SubResource {
    /// Returns a part that is written as it is received.
    pub(super) const fn new(name: &'static str) -> Self {
        Self { name, prepare_for_update: None, prepared_times: None, validate_update: None, warnings: None }
    }
}

impl std::fmt::Debug for Strategy {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Strategy({}/{})", self.group, self.kind)
    }
}
