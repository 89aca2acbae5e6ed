//! The subject of a request, in a few words.

use std::fmt;

use crate::admission::Operation;
use crate::evaluation::{Cause, Outcome};
use kube_api::kinds;
use kube_api::resource;

/// The object of a request and the operation.
#[derive(Clone, Debug)]
pub(crate) struct Subject<'a> {
    /// Kind of the object.
    pub(crate) kind: &'a str,
    /// Namespace of the object, or nothing.
    pub(crate) namespace: &'a str,
    /// Name of the object, if known.
    pub(crate) name: Option<String>,
    /// The prefix of the name, if the server generates its end.
    generate_name: &'a str,
    /// The operation, unless it is a creation.
    action: Option<String>,
    /// The cause, if a controller sends the request.
    cause: Option<&'a Cause>,
    /// Of the objects that the controller wants, the number with this outcome.
    count: u64,
    /// Whether the owner that the controller works for is named.
    names_owner: bool,
}

impl<'a> Subject<'a> {
    pub(crate) fn of(outcome: &'a Outcome) -> Self {
        // The body of a request to a subresource has its own kind.
        let resource = resource::by_resource(&outcome.resource);
        let kind = resource.map_or(&*outcome.kind.kind, |resource| resource.kind);
        let namespace = if outcome.kind.is(kinds::NAMESPACE) { "" } else { &outcome.namespace };
        let cause = outcome.cause.as_ref();
        let generate_name = outcome.received.as_ref().map_or("", |object| object.generate_name());
        let (name, action) = (name(outcome), action(outcome));
        let count = cause.map_or(1, |cause| {
            let refused = cause.replicas.saturating_sub(cause.admitted).max(1);
            if outcome.allowed() { cause.admitted } else { refused }
        });
        Self { kind, namespace, name, generate_name, action, cause, count, names_owner: true }
    }

    /// Returns a subject of which only this is known.
    pub(crate) fn named(kind: &'a str, namespace: &'a str, name: &str, operation: Operation) -> Self {
        let action = (operation != Operation::Create).then(|| operation.as_str().to_lowercase());
        let name = (!name.is_empty()).then(|| name.to_owned());
        Self { kind, namespace, name, generate_name: "", action, cause: None, count: 1, names_owner: true }
    }

    /// Returns `text` without the generated part of the name.
    pub(crate) fn without_generated_name(&self, text: &str) -> String {
        // The name of a controller's object changes with its template.
        let begin = if self.cause.is_some() { "" } else { self.generate_name };
        match &self.name {
            Some(name) if !self.generate_name.is_empty() => text.replace(name.as_str(), &format!("{begin}…")),
            _ => text.to_owned(),
        }
    }

    /// Returns the identity of the object, independent of the outcome: for one that a controller creates, that of its
    /// owner.
    pub(crate) fn identity(&self) -> String {
        match self.cause {
            None => self.to_string(),
            Some(Cause { controller, owner_kind, owner_namespace, owner_name, .. }) => {
                let name = self.name.as_deref().filter(|_| self.generate_name.is_empty());
                let name = name.map(|name| format!(" {name}")).unwrap_or_default();
                let owner = format!("{} {owner_namespace}/{owner_name}", owner_kind.group_kind());
                format!("{}{name} by {controller} for {owner}", self.kind)
            }
        }
    }

    /// Whether a controller sends it.
    pub(crate) fn is_caused(&self) -> bool {
        self.cause.is_some()
    }

    /// Returns the subject for a context that shows the owner.
    pub(crate) fn below_owner(mut self) -> String {
        self.names_owner = false;
        self.to_string()
    }

    /// Returns `payments/worker`.
    pub(crate) fn full_name(&self) -> String {
        // A name is never more than a line, for any input.
        let name = self.name.as_deref().unwrap_or("(no name)").replace('\n', "\\n");
        if self.namespace.is_empty() { name } else { format!("{}/{name}", self.namespace) }
    }
}

impl fmt::Display for Subject<'_> {
    /// Formats it as `Pod payments/worker (update)` or `2 of 3 Pods payments/worker-…, by replicaset-controller for
    /// Deployment worker`
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, name) = (self.kind, self.full_name());
        match self.cause {
            Some(Cause { replicas, .. }) if *replicas > 1 => {
                if self.count != *replicas {
                    write!(formatter, "{} of ", self.count)?;
                }
                write!(formatter, "{replicas} {kind}s {name}")?;
            }
            _ => write!(formatter, "{kind} {name}")?,
        }
        if let Some(cause) = self.cause {
            write!(formatter, ", by {}", cause.controller)?;
            if self.names_owner {
                write!(formatter, " for {} {}", cause.owner_kind.kind, cause.owner_name)?;
            }
        }
        match &self.action {
            Some(action) => write!(formatter, " ({action})"),
            None => Ok(()),
        }
    }
}

/// Returns the name if known: for an unreadable object, the written one.
fn name(outcome: &Outcome) -> Option<String> {
    if !outcome.name.is_empty() {
        return Some(outcome.name.clone());
    }
    match outcome.received.as_deref() {
        Some(received) => {
            let prefix = received.generate_name();
            (!prefix.is_empty()).then(|| format!("{prefix}…"))
        }
        None => outcome.place.as_ref()?.written()?.name().map(str::to_owned),
    }
}

fn action(outcome: &Outcome) -> Option<String> {
    if outcome.operation == Operation::Create && outcome.sub_resource.is_empty() {
        return None;
    }
    let operation = outcome.operation.as_str().to_lowercase();
    Some(format!("{operation} {}", outcome.sub_resource).trim_end().to_owned())
}
