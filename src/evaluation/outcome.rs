//! What became of a request.

use std::sync::Arc;
use std::time::Duration;

use crate::admission::{Attributes, Operation, Refusal, Trace, UserInfo};
use crate::api::decode::DecodeError;
use crate::api::features::FeatureGates;
use crate::api::{GroupVersionKind, GroupVersionResource, Name, Object, Status};
use crate::evaluation::server::{Answer, Call};
use crate::evaluation::target::Target;
use crate::evaluation::{Accepted, Place, Request};
use crate::source::Span;

/// What became of one request.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Outcome {
    /// Where the request was written, if it was.
    pub place: Option<Place>,
    /// What was done, or would have been.
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
    /// Whether nothing was to be persisted.
    pub dry_run: bool,
    /// Who asked.
    pub user_info: Arc<UserInfo>,
    /// Why the server refused; nothing if it did what was asked.
    pub refusal: Option<Refusal>,
    /// Where the body could not be decoded, if that is why.
    pub decode_span: Option<Span>,
    /// The object after decoding and defaulting, before the first plugin.
    pub received: Option<Arc<Object>>,
    /// The object as the server would answer it.
    pub object: Option<Arc<Object>>,
    /// What happened in the chain.
    pub trace: Trace,
    /// What of it the user accepts; nothing before somebody looked.
    pub accepted: Accepted,
    /// Why there was a request at all, if a controller made it.
    pub cause: Option<Cause>,
    /// What became of the requests that controllers made because of this one, and because of those.
    pub caused: Vec<Outcome>,
    /// The number of the request in the run, from which follows what the server makes up for it.
    pub(super) ordinal: u64,
}

/// Why a controller made a request.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Cause {
    /// The controller.
    pub controller: &'static str,
    /// Kind of the object that was written down.
    pub owner_kind: GroupVersionKind,
    /// Its namespace, or nothing.
    pub owner_namespace: String,
    /// Its name.
    pub owner_name: String,
    /// How many objects like this one the controller wants.
    pub replicas: u64,
    /// How many of them the server let pass.
    pub admitted: u64,
}

impl Outcome {
    /// Whether the server did what was asked.
    pub fn allowed(&self) -> bool {
        self.refusal.is_none()
    }

    /// Why the server refused, as it would say it.
    pub fn status(&self) -> Option<&Status> {
        self.refusal.as_ref().map(|refusal| &*refusal.status)
    }

    /// The plugin that refused; nothing if the server did so itself, or nobody did.
    pub fn denied_by(&self) -> Option<&'static str> {
        self.trace.steps.iter().rev().find(|step| step.refusal.is_some()).map(|step| step.plugin)
    }

    /// Whether the server refused and nobody accepts that.
    pub fn fails(&self) -> bool {
        self.refusal.is_some() && self.accepted.refusal.is_none()
    }

    /// Whether a plugin changed the object.
    pub fn mutated(&self) -> bool {
        self.trace.steps.iter().any(|step| step.change.is_some())
    }

    /// This outcome and those of the requests that it caused.
    pub fn with_caused(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(&self.caused)
    }

    /// Returns the outcome of an admitted request of which nothing else is known.
    pub fn about(
        operation: Operation,
        kind: GroupVersionKind,
        resource: GroupVersionResource,
        user_info: Arc<UserInfo>,
    ) -> Self {
        Self {
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
            ordinal: 0,
        }
    }

    /// A request to a resource that the server does not serve.
    pub(super) fn unrouted(request: Request, status: Status) -> Self {
        let kind = request.kind.clone().unwrap_or_default();
        let resource = request.resource.clone().unwrap_or_default();
        Self::of(request, kind, resource).refused(status.into())
    }

    /// A request whose body the server cannot read.
    pub(super) fn undecoded(
        request: Request,
        target: Target,
        error: DecodeError,
        features: &FeatureGates,
    ) -> Self {
        let refusal = Refusal::from(*error.status).at_all(error.path);
        let mut outcome = Self::unread(request, target, refusal, features);
        outcome.decode_span = error.span;
        outcome
    }

    /// A request that the server refuses before it looks at the object. The version of its API is warned of all the same.
    pub(super) fn unread(
        request: Request,
        target: Target,
        refusal: Refusal,
        features: &FeatureGates,
    ) -> Self {
        let warning = target.deprecation_warning(features.release());
        let warning = warning.filter(|_| features.origin().is_none());
        let mut outcome = Self::of(request, target.kind, target.resource);
        if let Some(warning) = warning {
            outcome.trace.warn([warning]);
            outcome.trace.audit_annotations.insert("k8s.io/deprecated".to_owned(), "true".to_owned());
        }
        outcome.refused(refusal)
    }

    /// A request that the server answered.
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

    /// A request that `kubectl` would have made, or did make before, and that the server's authorizer does not allow.
    pub(super) fn unsent(request: Request, target: Target, call: &Call, status: Status) -> Self {
        let mut outcome = Self::of(request, target.kind, target.resource);
        outcome.operation = call.operation;
        outcome.namespace.clone_from(&call.namespace);
        outcome.name.clone_from(&call.name);
        outcome.refused(status.into())
    }

    /// A manifest that changes nothing of `object`: there is no request.
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

    /// A request of a controller that the server answered.
    pub(super) fn caused(
        place: Option<Place>,
        user_info: Arc<UserInfo>,
        target: Target,
        answer: Answer,
    ) -> Self {
        Self {
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
            ordinal: answer.ordinal,
        }
    }

    /// A request that a controller cannot make.
    pub(super) fn unmade(
        place: Option<Place>,
        user_info: Arc<UserInfo>,
        target: Target,
        namespace: &str,
        status: Status,
    ) -> Self {
        let answer = Answer::refused(Operation::Create, namespace, status);
        Self::caused(place, user_info, target, answer)
    }

    /// The request as the chain sees another one that is equal to it.
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
