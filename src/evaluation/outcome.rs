//! The outcome of a request.

use std::sync::Arc;
use std::time::Duration;

use serde::de::DeserializeOwned;

use crate::admission::{Attributes, Operation, Refusal, Remedy, Trace, UserInfo};
use crate::evaluation::server::{Answer, Call};
use crate::evaluation::target::Target;
use crate::evaluation::{Accepted, Place, Request};
use gotext::source::Span;
use gotext::value::from_value;
use kube_api::decode::DecodeError;
use kube_api::kinds::POD;
use kube_api::server_profile::ServerProfile;
use kube_api::version::Version;
use kube_api::{GroupVersionKind, GroupVersionResource, Name, Object, Status};

/// Whether `warning` is among those `said` of a workload, which names the fields of its pods with the path to their
/// template.
pub(crate) fn is_said(warning: &str, said: &[String]) -> bool {
    said.iter().any(|known| known == warning || is_of_pod(known, warning))
}

/// Whether `warning` is the one of a pod that the `known` one is about its template. Both may name several fields.
fn is_of_pod(known: &str, warning: &str) -> bool {
    const TEMPLATES: [&str; 2] = ["spec.template.", "spec.jobTemplate.spec.template."];
    let template = TEMPLATES.into_iter().find(|template| known.starts_with(template));
    template.is_some_and(|template| {
        // Most others differ in length already.
        let omitted = known.len().saturating_sub(warning.len());
        omitted > 0
            && omitted.is_multiple_of(template.len())
            && known.split(template).try_fold(warning, str::strip_prefix) == Some("")
    })
}

/// The outcome of one request.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Outcome {
    /// The release of the server, if the results of several were joined.
    pub release: Option<Version>,
    /// Where the request was written, if it was.
    pub place: Option<Place>,
    /// The operation.
    pub operation: Operation,
    /// Kind of the object.
    pub kind: GroupVersionKind,
    /// Resource of the URL.
    pub resource: GroupVersionResource,
    /// Subresource of the URL, or nothing.
    pub sub_resource: Name,
    /// Namespace of the URL, or nothing.
    pub namespace: String,
    /// Name of the object.
    pub name: String,
    /// Whether it was a dry run.
    pub dry_run: bool,
    /// The user.
    pub user_info: Arc<UserInfo>,
    /// The server's refusal; nothing if it admitted the request.
    pub refusal: Option<Refusal>,
    /// The place at which the body could not be decoded, if that is the reason.
    pub decode_span: Option<Span>,
    /// The object after decoding and defaulting, before the first plugin.
    pub received: Option<Arc<Object>>,
    /// The object as the server would return it.
    pub object: Option<Arc<Object>>,
    /// The trace of the chain.
    pub trace: Trace,
    /// The skips and entries of a baseline that accept its refusal or warnings.
    pub accepted: Accepted,
    /// The cause of the request, if a controller sent it.
    pub cause: Option<Cause>,
    /// The outcomes of the requests that controllers sent because of this one, and because of those.
    pub caused: Vec<Outcome>,
    /// Whether the run of another shard reports it.
    pub is_elsewhere: bool,
    /// The sequence of documents that it belongs to, if results are kept for later runs.
    pub sequence: Option<u32>,
    /// Whether controllers will repeat requests because of it: their outcomes come later.
    pub is_pending: bool,
    /// The number of the request in the run, which determines the generated values.
    pub(super) ordinal: u64,
}

/// The cause of a controller's request.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Cause {
    /// The controller.
    pub controller: &'static str,
    /// Kind of the object in the manifest.
    pub owner_kind: GroupVersionKind,
    /// Its namespace, or nothing.
    pub owner_namespace: String,
    /// Its name.
    pub owner_name: String,
    /// The number of objects like this one that the controller wants.
    pub replicas: u64,
    /// The number of them that the server admitted.
    pub admitted: u64,
}

/// The reason that an outcome has no object of a type.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ObjectError {
    /// The request was denied, with this message.
    #[error("the request was denied: {0}")]
    Denied(String),
    /// The request has no object, such as one that deletes it.
    #[error("the answer has no object")]
    Nothing,
    /// The object does not fit the type.
    #[error("the object does not fit the type: {0}")]
    Type(#[source] serde_json::Error),
}

impl Outcome {
    /// Whether the server admitted the request.
    pub fn allowed(&self) -> bool {
        self.refusal.is_none()
    }

    /// Returns the server's refusal, as it would send it.
    pub fn status(&self) -> Option<&Status> {
        self.refusal.as_ref().map(|refusal| &*refusal.status)
    }

    /// Returns the changes of the written object that together rule the refusal out, if they are known.
    pub fn remedies(&self) -> Vec<Remedy> {
        let remedies = self.refusal.iter().flat_map(|refusal| refusal.remedies.iter().cloned());
        let Some(field) = self.place.as_ref().and_then(Place::field) else { return remedies.collect() };
        remedies.map(|remedy| Remedy { change: remedy.change.within(field), ..remedy }).collect()
    }

    /// Returns the plugin that refused; nothing if the server did so itself, or if the request was admitted.
    pub fn denied_by(&self) -> Option<&'static str> {
        self.trace.steps.iter().rev().find(|step| step.refusal.is_some()).map(|step| step.plugin)
    }

    /// Whether the server refused and that is not accepted.
    pub fn fails(&self) -> bool {
        self.refusal.is_some() && self.accepted.refusal.is_none()
    }

    /// Whether a plugin changed the object.
    pub fn mutated(&self) -> bool {
        self.trace.steps.iter().any(|step| step.change.is_some())
    }

    /// Returns this outcome and those of the requests that it caused.
    pub fn with_caused(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(&self.caused)
    }

    /// Returns the outcomes of Pods among this and the requests that it caused, each with the number of equal Pods that it
    /// stands for: two replicas of a Deployment are one outcome.
    pub fn pods(&self) -> impl Iterator<Item = (&Self, u64)> {
        let pods =
            self.with_caused().filter(|outcome| outcome.kind.is(POD) && outcome.sub_resource.is_empty());
        pods.map(|outcome| (outcome, outcome.cause.as_ref().map_or(1, |cause| cause.replicas)))
    }

    /// Reads the object, as the server would return it, as a Rust type such as those of `k8s-openapi`.
    ///
    /// # Errors
    ///
    /// Fails if there is no object, since the request was denied or deleted it, or if it does not fit the type.
    pub fn object_as<T: DeserializeOwned>(&self) -> Result<T, ObjectError> {
        match (&self.object, self.status()) {
            (Some(object), _) => from_value(&object.value).map_err(ObjectError::Type),
            (None, Some(status)) => Err(ObjectError::Denied(status.message.clone())),
            (None, None) => Err(ObjectError::Nothing),
        }
    }

    /// Returns the outcome of an admitted request of which nothing else is known.
    #[doc(hidden)]
    pub fn about(
        operation: Operation,
        kind: GroupVersionKind,
        resource: GroupVersionResource,
        user_info: Arc<UserInfo>,
    ) -> Self {
        Self {
            release: None,
            place: None,
            operation,
            kind,
            resource,
            sub_resource: Name::Borrowed(""),
            namespace: String::new(),
            name: String::new(),
            dry_run: false,
            user_info,
            refusal: None,
            decode_span: None,
            received: None,
            object: None,
            trace: Trace::default(),
            accepted: Accepted::default(),
            cause: None,
            caused: Vec::new(),
            is_elsewhere: false,
            sequence: None,
            is_pending: false,
            ordinal: 0,
        }
    }

    /// Returns the outcome of a request to a resource that the server does not serve.
    pub(super) fn unrouted(request: Request, status: Status) -> Self {
        let kind = request.kind.clone().unwrap_or_default();
        let resource = request.resource.clone().unwrap_or_default();
        Self::of(request, kind, resource).refused(status.into())
    }

    /// Returns the outcome of a request whose body the server cannot read.
    pub(super) fn undecoded(
        request: Request,
        target: Target,
        error: DecodeError,
        profile: &ServerProfile,
    ) -> Self {
        let refusal = Refusal::from(*error.status).at_all(error.path);
        let mut outcome = Self::unread(request, target, refusal, profile);
        outcome.decode_span = error.span;
        outcome
    }

    /// Returns the outcome of a request that the server refuses before reading the object. It still warns about the
    /// version of its API.
    pub(super) fn unread(
        request: Request,
        target: Target,
        refusal: Refusal,
        profile: &ServerProfile,
    ) -> Self {
        let warning = target.deprecation_warning(profile.release());
        let is_namespaced = target.namespaced;
        let mut outcome = Self::of(request, target.kind, target.resource);
        if !is_namespaced {
            outcome.namespace.clear();
        }
        if let Some(warning) = warning {
            outcome.trace.warn([warning]);
            outcome.trace.audit_annotations.insert("k8s.io/deprecated".to_owned(), "true".to_owned());
        }
        outcome.refused(refusal)
    }

    /// Returns the outcome of a request that the server answered.
    pub(super) fn answered(request: Request, target: Target, answer: Answer) -> Self {
        let mut outcome = Self::of(request, target.kind, target.resource);
        outcome.operation = answer.operation;
        outcome.namespace = answer.namespace;
        outcome.name = answer.name;
        outcome.refusal = answer.refusal;
        outcome.received = answer.received;
        outcome.object = answer.object;
        outcome.trace = answer.trace;
        outcome.ordinal = answer.ordinal;
        outcome
    }

    /// Returns the outcome of a request that `kubectl` would have sent, or did send before, and that the server's
    /// authorizer does not allow.
    pub(super) fn unsent(request: Request, target: Target, call: &Call, refusal: Refusal) -> Self {
        let mut outcome = Self::of(request, target.kind, target.resource);
        outcome.operation = call.operation;
        outcome.namespace.clone_from(&call.namespace);
        outcome.name.clone_from(&call.name);
        outcome.refused(refusal)
    }

    /// Returns the outcome of a manifest that does not change `object`, so that there is no request.
    pub(super) fn unchanged(request: Request, target: Target, call: &Call, object: Arc<Object>) -> Self {
        let mut outcome = Self::of(request, target.kind, target.resource);
        outcome.operation = call.operation;
        outcome.namespace.clone_from(&call.namespace);
        outcome.name.clone_from(&call.name);
        outcome.received = Some(object.clone());
        outcome.object = Some(object);
        outcome.trace.notes.push("unchanged: kubectl apply sends nothing".to_owned());
        outcome.ordinal = call.ordinal;
        outcome
    }

    /// Returns the outcome of a controller's request that the server answered.
    pub(super) fn caused(
        place: Option<Place>,
        user_info: Arc<UserInfo>,
        target: Target,
        answer: Answer,
    ) -> Self {
        Self {
            release: None,
            place,
            operation: answer.operation,
            kind: target.kind,
            resource: target.resource,
            sub_resource: Name::Borrowed(""),
            namespace: answer.namespace,
            name: answer.name,
            dry_run: false,
            user_info,
            refusal: answer.refusal,
            decode_span: None,
            received: answer.received,
            object: answer.object,
            trace: answer.trace,
            accepted: Accepted::default(),
            cause: None,
            caused: Vec::new(),
            is_elsewhere: false,
            sequence: None,
            is_pending: false,
            ordinal: answer.ordinal,
        }
    }

    /// Returns the outcome of a request that a controller cannot send.
    pub(super) fn unsendable(
        place: Option<Place>,
        user_info: Arc<UserInfo>,
        target: Target,
        namespace: &str,
        status: Status,
    ) -> Self {
        let answer = Answer::refused(Operation::Create, namespace, status);
        Self::caused(place, user_info, target, answer)
    }

    /// Returns the attributes of another request that is equal to it.
    pub(super) fn attributes(&self, object: Arc<Object>) -> Attributes {
        Attributes {
            operation: self.operation,
            kind: self.kind.clone(),
            resource: self.resource.clone(),
            sub_resource: self.sub_resource.clone(),
            namespace: self.namespace.clone(),
            name: self.name.clone(),
            object: Some(object),
            old_object: None,
            options: None,
            dry_run: self.dry_run,
            user_info: self.user_info.clone(),
            reinvocation: false,
            reinvocation_context: crate::admission::ReinvocationContext::default(),
            ordinal: 0,
            time: Duration::ZERO,
            deadline: None,
        }
    }

    fn of(request: Request, kind: GroupVersionKind, resource: GroupVersionResource) -> Self {
        let operation = request.operation.unwrap_or(Operation::Create);
        Self {
            place: request.place,
            sub_resource: request.sub_resource,
            namespace: request.namespace.unwrap_or_default(),
            name: request.name.unwrap_or_default(),
            dry_run: request.dry_run,
            ..Self::about(operation, kind, resource, request.user_info)
        }
    }

    fn refused(mut self, refusal: Refusal) -> Self {
        self.refusal = Some(refusal);
        self
    }
}
