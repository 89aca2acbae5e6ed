//! The JSON of a result.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use crate::admission::{Operation, Phase, Step, UserInfo};
use crate::evaluation::{Acceptance, Cause, Outcome, Place, Skipped};
use crate::report::Fixtures;
use crate::report::json::step::{About, StepEntry, ViolationEntry};
use kube_api::field::Path;
use kube_api::version::Version;
use kube_api::{Status, Value};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AdmissionResult<'a> {
    /// The release of the server, where the document does not have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    kubernetes_version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<Source<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<CauseEntry<'a>>,
    request: RequestEntry<'a>,
    allowed: bool,
    #[serde(skip_serializing_if = "is_false")]
    pending: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'a Status>,
    /// The object of a refusal by the server itself; a plugin's is in its step.
    #[serde(flatten)]
    about: About<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    skipped: Option<SkippedEntry<'a>>,
    #[serde(skip_serializing_if = "is_false")]
    known: bool,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    warnings: &'a [String],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    skipped_warnings: Vec<SkippedEntry<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    known_warnings: Vec<&'a str>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    audit_annotations: &'a BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    received: Option<&'a Value>,
    steps: Vec<StepEntry<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    violations: Vec<ViolationEntry<'a>>,
    ran: Ran<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    object: Option<&'a Value>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    notes: &'a [String],
}

/// An acceptance by the user, with a reason.
#[derive(Serialize)]
struct SkippedEntry<'a> {
    /// The text of a warning.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'a str>,
    reason: &'a str,
    source: SkipSource<'a>,
}

#[derive(Serialize)]
struct SkipSource<'a> {
    file: &'a str,
    line: usize,
}

#[derive(Serialize)]
struct Source<'a> {
    file: &'a str,
    document: usize,
    line: usize,
    column: usize,
    /// The field of the object that the request is about, as a JSON pointer.
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<String>,
}

#[derive(Serialize)]
struct CauseEntry<'a> {
    controller: &'static str,
    owner: Owner<'a>,
    replicas: u64,
    admitted: u64,
    /// Whether the request was sent after other documents had been evaluated.
    #[serde(skip_serializing_if = "is_false")]
    later: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Owner<'a> {
    api_version: String,
    kind: &'a str,
    namespace: &'a str,
    name: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RequestEntry<'a> {
    operation: Operation,
    kind: KindEntry<'a>,
    resource: ResourceEntry<'a>,
    sub_resource: &'a str,
    namespace: &'a str,
    name: &'a str,
    dry_run: bool,
    user_info: &'a UserInfo,
}

#[derive(Serialize)]
struct KindEntry<'a> {
    group: &'a str,
    kind: &'a str,
    version: &'a str,
}

#[derive(Serialize)]
struct ResourceEntry<'a> {
    group: &'a str,
    resource: &'a str,
    version: &'a str,
}

/// `Plugin/phase` of every call.
struct Ran<'a>(&'a [(&'static str, Phase)]);

impl<'a> Source<'a> {
    fn of(place: &'a Place) -> Self {
        let (line, column) = place.line_column();
        let field = place.field().map(Path::json_pointer);
        Self { file: place.file(), document: place.document, line, column, field }
    }
}

impl<'a> CauseEntry<'a> {
    fn of(cause: &'a Cause, later: bool) -> Self {
        let owner = Owner {
            api_version: cause.owner_kind.api_version(),
            kind: &cause.owner_kind.kind,
            namespace: &cause.owner_namespace,
            name: &cause.owner_name,
        };
        let Cause { controller, replicas, admitted, .. } = *cause;
        Self { controller, owner, replicas, admitted, later }
    }
}

impl<'a> RequestEntry<'a> {
    fn of(outcome: &'a Outcome) -> Self {
        let (kind, resource) = (&outcome.kind, &outcome.resource);
        Self {
            operation: outcome.operation,
            kind: KindEntry { group: &kind.group, kind: &kind.kind, version: &kind.version },
            resource: ResourceEntry {
                group: &resource.group,
                resource: &resource.resource,
                version: &resource.version,
            },
            sub_resource: &outcome.sub_resource,
            namespace: &outcome.namespace,
            name: &outcome.name,
            dry_run: outcome.dry_run,
            user_info: &outcome.user_info,
        }
    }
}

impl Serialize for Ran<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|(plugin, phase)| format!("{plugin}/{}", phase.as_str())))
    }
}

impl<'a> AdmissionResult<'a> {
    /// Returns the entry of an outcome. `is_own` is the result of a request that is not below another one; `release` is
    /// that of the server, if the entry is to have it.
    pub(super) fn of(
        outcome: &'a Outcome,
        is_own: bool,
        fixtures: &Fixtures,
        release: Option<Version>,
    ) -> Self {
        let accepted_warnings = || outcome.accepted.warnings.iter();
        let speaks = |step: &Step| !step.fields.is_empty() || step.refusal.is_some();
        let own_refusal = outcome.refusal.as_ref().filter(|_| outcome.denied_by().is_none());
        let has_fields = own_refusal.is_some_and(|refusal| !refusal.fields.is_empty());
        let place = outcome.place.as_ref();
        let trace = &outcome.trace;
        let place =
            place.filter(|_| has_fields || trace.steps.iter().any(speaks) || !trace.violations.is_empty());
        let written = place.and_then(Place::written);
        let about = own_refusal.map(|refusal| {
            let (fields, evidence) = (refusal.fields.iter(), refusal.evidence.iter());
            About::of(fields, evidence, outcome, written.as_ref(), fixtures)
        });
        Self {
            kubernetes_version: release.map(|release| release.to_string()),
            source: outcome.place.as_ref().map(Source::of),
            cause: outcome.cause.as_ref().map(|cause| CauseEntry::of(cause, is_own)),
            request: RequestEntry::of(outcome),
            allowed: outcome.allowed(),
            pending: outcome.is_pending,
            status: outcome.status(),
            about: about.unwrap_or_default(),
            skipped: SkippedEntry::of(None, outcome.accepted.refusal.as_ref()),
            known: outcome.accepted.refusal == Some(Acceptance::Known),
            warnings: &outcome.trace.warnings,
            skipped_warnings: accepted_warnings()
                .filter_map(|(warning, accepted)| SkippedEntry::of(Some(warning.as_str()), Some(accepted)))
                .collect(),
            known_warnings: accepted_warnings()
                .filter(|(_, accepted)| **accepted == Acceptance::Known)
                .map(|(warning, _)| warning.as_str())
                .collect(),
            audit_annotations: &outcome.trace.audit_annotations,
            received: outcome.received.as_deref().map(|object| &object.value),
            steps: outcome
                .trace
                .steps
                .iter()
                .map(|step| StepEntry::of(step, written.as_ref(), outcome, fixtures))
                .collect(),
            violations: outcome
                .trace
                .violations
                .iter()
                .map(|violation| ViolationEntry::of(violation, written.as_ref(), outcome, fixtures))
                .collect(),
            ran: Ran(&outcome.trace.ran),
            object: outcome.object.as_deref().map(|object| &object.value),
            notes: &outcome.trace.notes,
        }
    }
}

impl<'a> SkippedEntry<'a> {
    fn of(message: Option<&'a str>, accepted: Option<&'a Acceptance>) -> Option<Self> {
        let Acceptance::Skipped(Skipped { reason, file, line, .. }) = accepted? else { return None };
        Some(Self { message, reason, source: SkipSource { file, line: *line } })
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}
