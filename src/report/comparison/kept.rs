//! The parts of an outcome that are kept for a comparison.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::admission::{Operation, Refusal, Step};
use crate::cluster::PackedObject;
use crate::evaluation::{Acceptance, Outcome, Place};
use crate::report::Quoted;
use crate::report::comparison::ComparedBy;
use crate::report::finding::{API_SERVER, refusing, warning_of};
use crate::report::subject::Subject;
use crate::report::unknown_field::unknown_fields;
use kube_api::diff;
use kube_api::{Object, Value, schema};

/// The identity of a request, independent of its outcome.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct ComparisonKey {
    operation: Operation,
    group: String,
    kind: String,
    sub_resource: String,
    namespace: String,
    name: String,
    origin: Option<Origin>,
}

/// The origin of a controller's request.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Origin {
    controller: &'static str,
    owner: Owner,
    /// The field of the owner that defines the object.
    template: String,
}

/// An object that controllers work on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Owner {
    group: String,
    kind: String,
    namespace: String,
    name: String,
}

/// As much of an outcome as is compared.
#[derive(Debug)]
pub(super) struct ComparedOutcome {
    pub(super) key: ComparisonKey,
    /// `Pod payments/worker (update)`
    pub(super) subject: String,
    pub(super) kind: String,
    pub(super) operation: Operation,
    pub(super) namespace: String,
    pub(super) name: String,
    pub(super) place: Option<(String, usize)>,
    pub(super) is_caused: bool,
    pub(super) denial: Option<Denial>,
    /// What decides whether `denial` is the same in the other run: its message without generated parts. Between
    /// releases, whose words for a value differ, the fields that are not valid.
    pub(super) stable_message: String,
    pub(super) warnings: Vec<KeptWarning>,
    pub(super) changes: Vec<Changed>,
    pub(super) object: Option<PackedObject>,
    /// The object as the server decoded it and set its defaults.
    pub(super) received: Option<PackedObject>,
}

/// The refusal of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Denial {
    /// The rule: a plugin or a part of the server.
    pub(super) rule: &'static str,
    pub(super) code: u16,
    pub(super) reason: String,
    pub(super) message: String,
    /// The user's reason to accept it, if there is one.
    pub(super) accepted: Option<Acceptance>,
}

impl Denial {
    /// Whether the server refuses the request before the chain sees it.
    pub(super) fn is_by_server(&self) -> bool {
        self.rule == API_SERVER && matches!(self.code, 400 | 404 | 405 | 409 | 500)
    }
}

/// A warning and its rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct KeptWarning {
    pub(super) rule: &'static str,
    pub(super) message: String,
    /// The user's reason to accept it, if there is one.
    pub(super) accepted: Option<Acceptance>,
}

/// A change of an object by a plugin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Changed {
    pub(super) plugin: &'static str,
    /// A hash of the change, which differs if the change does.
    fingerprint: u64,
}

impl ComparedOutcome {
    pub(super) fn of(outcome: &Outcome, compared_by: ComparedBy, shows_secrets: bool) -> Self {
        let subject = Subject::of(outcome);
        let is_caused = outcome.cause.is_some();
        let quoted = if shows_secrets { Quoted::default() } else { Quoted::about(outcome) };
        let denial = outcome.refusal.as_ref().map(|refusal| Denial {
            rule: refusing(outcome, refusal),
            code: refusal.status.code,
            reason: refusal.status.reason.clone(),
            message: quoted.masked(refusing(outcome, refusal), &refusal.status.message).into_owned(),
            accepted: outcome.accepted.refusal.clone(),
        });
        let invalid =
            outcome.refusal.as_ref().filter(|_| compared_by == ComparedBy::Release).and_then(invalid_fields);
        let stable_message =
            invalid.or_else(|| denial.as_ref().map(|denial| outcome.stable_message(&denial.message)));
        // An object that a controller creates from a changed manifest has no further information.
        let object = outcome.object.as_ref().filter(|_| compared_by == ComparedBy::Manifests && !is_caused);
        let received = outcome.received.as_ref().filter(|_| compared_by == ComparedBy::Release && !is_caused);
        Self {
            key: ComparisonKey::of(outcome, &subject),
            subject: subject.to_string(),
            kind: subject.kind.to_owned(),
            operation: outcome.operation,
            namespace: subject.namespace.to_owned(),
            name: subject.name.clone().unwrap_or_default(),
            place: outcome.place.as_ref().map(place),
            is_caused,
            stable_message: stable_message.unwrap_or_default(),
            warnings: warnings(outcome, &quoted),
            // What plugins did to an object that is refused in the end comes to nothing.
            changes: if denial.is_none() { changes(outcome, compared_by) } else { Vec::new() },
            object: object.map(|object| packed(outcome, object)),
            received: received.map(|object| packed(outcome, object)),
            denial,
        }
    }
}

/// Returns the fields that `refusal` calls invalid, and in which way, if it is one of validation.
fn invalid_fields(refusal: &Refusal) -> Option<String> {
    let details = refusal.status.details.as_ref().filter(|_| refusal.status.code == 422)?;
    let causes = details.causes.iter().map(|cause| format!("{} {}", cause.field, cause.reason));
    let causes: Vec<String> = causes.collect();
    (!causes.is_empty()).then(|| causes.join("\n"))
}

impl ComparisonKey {
    /// Returns the object as an owner that controllers work for.
    pub(super) fn as_owner(&self) -> Owner {
        let (group, kind) = (self.group.clone(), self.kind.clone());
        Owner { group, kind, namespace: self.namespace.clone(), name: self.name.clone() }
    }

    /// Returns the owner for which a controller sends the request, if one does.
    pub(super) fn owner(&self) -> Option<&Owner> {
        self.origin.as_ref().map(|origin| &origin.owner)
    }

    fn of(outcome: &Outcome, subject: &Subject<'_>) -> Self {
        let name = outcome.stable_object_name();
        let template = outcome.place.as_ref().and_then(Place::field).map(ToString::to_string);
        Self {
            operation: outcome.operation,
            group: outcome.resource.group.to_string(),
            kind: subject.kind.to_owned(),
            sub_resource: outcome.sub_resource.to_string(),
            namespace: subject.namespace.to_owned(),
            name: if name.is_empty() { subject.name.clone().unwrap_or_default() } else { name },
            origin: outcome.cause.as_ref().map(|cause| Origin {
                controller: cause.controller,
                owner: Owner {
                    group: cause.owner_kind.group.to_string(),
                    kind: cause.owner_kind.kind.to_string(),
                    namespace: cause.owner_namespace.clone(),
                    name: cause.owner_name.clone(),
                },
                template: template.unwrap_or_default(),
            }),
        }
    }
}

/// Returns the object with the names that were generated for it replaced.
fn packed(outcome: &Outcome, object: &Object) -> PackedObject {
    let mut object = object.clone();
    outcome.replace_generated(&mut object.value);
    PackedObject::new(&object)
}

/// Returns the start of the whole object: finding the field of a template would require reading the document again.
fn place(place: &Place) -> (String, usize) {
    (place.file().to_owned(), place.source().line_column(place.span.start).0)
}

fn warnings(outcome: &Outcome, quoted: &Quoted) -> Vec<KeptWarning> {
    let said = |warning: &String| {
        let rule = warning_of(outcome, warning);
        let message = quoted.masked(rule, warning);
        let known = unknown_fields(warning).find_map(|path| schema::lifetime(&outcome.kind, path));
        KeptWarning {
            rule,
            message: known.map_or_else(|| message.to_string(), |known| format!("{message} ({known})")),
            accepted: outcome.accepted.warnings.get(warning).cloned(),
        }
    };
    outcome.trace.warnings.iter().map(said).collect()
}

fn changes(outcome: &Outcome, compared_by: ComparedBy) -> Vec<Changed> {
    let mut changes: Vec<Changed> = Vec::new();
    for step in &outcome.trace.steps {
        let Some(fingerprint) = fingerprint(step, outcome, compared_by) else { continue };
        match changes.iter_mut().find(|change| change.plugin == step.plugin) {
            Some(change) => change.fingerprint = change.fingerprint.rotate_left(1) ^ fingerprint,
            None => changes.push(Changed { plugin: step.plugin, fingerprint }),
        }
    }
    changes
}

/// Returns a hash of the change. If the manifests vary, the changes by plugins do as well.
fn fingerprint(step: &Step, outcome: &Outcome, compared_by: ComparedBy) -> Option<u64> {
    let (before, after) = step.change.as_ref()?;
    if compared_by == ComparedBy::Manifests {
        return Some(0);
    }
    let mut hasher = DefaultHasher::new();
    for operation in diff::json_patch(&before.value, &after.value) {
        operation.path().hash(&mut hasher);
        let mut value = operation.value().cloned().unwrap_or(Value::Null);
        outcome.replace_generated(&mut value);
        value.to_string().hash(&mut hasher);
    }
    Some(hasher.finish())
}
