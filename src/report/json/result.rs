//! The JSON of a result.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use crate::admission::{Evidence, Operation, Phase, PolicyRule, PolicyViolation, Step, UserInfo};
use crate::api::field::Path;
use crate::api::version::Version;
use crate::api::{Status, Value};
use crate::diff;
use crate::evaluation::{Acceptance, Outcome, Place, Skipped, Written};
use crate::report::{Code, Diagnostic, Fixtures, Severity, Summary};

#[derive(Serialize)]
pub(super) struct SummaryEntry {
    requests: usize,
    admitted: usize,
    denied: usize,
    mutated: usize,
    warnings: usize,
    errors: usize,
    #[serde(skip_serializing_if = "is_zero")]
    skipped: usize,
    #[serde(skip_serializing_if = "is_zero")]
    known: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    shown: Option<usize>,
}

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

/// The object of a refusal or of warnings.
#[derive(Default, Serialize)]
struct About<'a> {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fields: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    locations: Vec<Location<'a>>,
    /// The objects in the cluster that cause it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reasons: Vec<ReasonEntry<'a>>,
}

/// An object in the cluster that causes a refusal.
#[derive(Serialize)]
struct ReasonEntry<'a> {
    group: &'a str,
    resource: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    namespace: &'a str,
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<String>,
    /// The text that follows the kind and the name of the object.
    says: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<ReasonSource>,
}

#[derive(Serialize)]
struct ReasonSource {
    file: String,
    line: usize,
}

impl<'a> About<'a> {
    fn of(
        paths: impl Iterator<Item = &'a Path> + Clone,
        evidence: impl Iterator<Item = &'a Evidence>,
        outcome: &'a Outcome,
        written: Option<&Written<'_>>,
        fixtures: &Fixtures,
    ) -> Self {
        let location = |path| {
            let (line, column) = written?.line_column(path)?;
            Some(Location { file: outcome.place.as_ref()?.file(), line, column })
        };
        Self {
            fields: paths.clone().map(Path::json_pointer).collect(),
            locations: paths.filter_map(location).collect(),
            reasons: evidence.map(|evidence| ReasonEntry::of(evidence, fixtures)).collect(),
        }
    }
}

impl<'a> ReasonEntry<'a> {
    fn of(evidence: &'a Evidence, fixtures: &Fixtures) -> Self {
        Self {
            group: &evidence.resource.group,
            resource: &evidence.resource.resource,
            namespace: &evidence.namespace,
            name: &evidence.name,
            field: evidence.path.as_ref().map(Path::json_pointer),
            says: &evidence.says,
            source: fixtures.locate(evidence).map(|(file, line)| ReasonSource { file, line }),
        }
    }
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

#[derive(Serialize)]
struct StepEntry<'a> {
    plugin: &'static str,
    phase: Phase,
    reinvocation: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    patch: Vec<diff::PatchOperation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    /// The warnings.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    warnings: &'a [String],
    #[serde(flatten)]
    about: About<'a>,
    /// The reason of a refusal at each of `fields`, where it differs between them.
    #[serde(rename = "fieldReasons", skip_serializing_if = "Vec::is_empty")]
    field_reasons: Vec<&'a str>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    rule: Option<RuleEntry<'a>>,
}

/// A rule of a policy that is broken and does not deny.
#[derive(Serialize)]
struct ViolationEntry<'a> {
    plugin: &'static str,
    actions: &'a [String],
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<&'a str>,
    #[serde(flatten)]
    about: About<'a>,
    #[serde(flatten)]
    rule: RuleEntry<'a>,
}

impl<'a> ViolationEntry<'a> {
    fn of(
        violation: &'a PolicyViolation,
        written: Option<&Written<'_>>,
        outcome: &'a Outcome,
        fixtures: &Fixtures,
    ) -> Self {
        Self {
            plugin: violation.plugin,
            actions: &violation.actions,
            message: &violation.message,
            warning: violation.warning.as_deref(),
            about: About::of(violation.fields.iter(), violation.evidence.iter(), outcome, written, fixtures),
            rule: RuleEntry::of(&violation.rule),
        }
    }
}

/// The rule of a policy that denied.
#[derive(Serialize)]
struct RuleEntry<'a> {
    policy: Named<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    binding: Option<Named<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    params: Option<Named<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expression: Option<ExpressionEntry<'a>>,
}

#[derive(Serialize)]
struct Named<'a> {
    #[serde(skip_serializing_if = "str::is_empty")]
    namespace: &'a str,
    name: &'a str,
}

/// An expression and the values in it.
#[derive(Serialize)]
struct ExpressionEntry<'a> {
    text: &'a str,
    /// The decisive part.
    part: &'a str,
    values: Vec<ValueEntry<'a>>,
}

/// A name in an expression, and its value as text: `is 5`, `is not set`.
#[derive(Serialize)]
struct ValueEntry<'a> {
    name: &'a str,
    says: &'a str,
}

impl<'a> RuleEntry<'a> {
    fn of(rule: &'a PolicyRule) -> Self {
        let named = |name: &'a String| Named { namespace: "", name };
        Self {
            policy: named(&rule.policy),
            binding: Some(&rule.binding).filter(|name| !name.is_empty()).map(named),
            params: rule.params.as_ref().map(|(namespace, name)| Named { namespace, name }),
            expression: rule.explanation.as_ref().map(|explanation| ExpressionEntry {
                text: &explanation.expression,
                part: &explanation.expression[explanation.part.clone()],
                values: explanation.values.iter().map(|(name, says)| ValueEntry { name, says }).collect(),
            }),
        }
    }
}

#[derive(Serialize)]
struct Location<'a> {
    file: &'a str,
    line: usize,
    column: usize,
}

#[derive(Serialize)]
pub(in crate::report) struct DiagnosticEntry<'a> {
    severity: Severity,
    code: Code,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
    #[serde(rename = "endColumn", skip_serializing_if = "Option::is_none")]
    end_column: Option<usize>,
}

impl SummaryEntry {
    pub(super) fn of(summary: &Summary) -> Self {
        Self {
            requests: summary.requests,
            admitted: summary.admitted,
            denied: summary.denied,
            mutated: summary.mutated,
            warnings: summary.warnings,
            errors: summary.errors,
            skipped: summary.skipped,
            known: summary.known,
            shown: summary.shown,
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
        let (kind, resource) = (&outcome.kind, &outcome.resource);
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
            source: outcome.place.as_ref().map(|place| {
                let (line, column) = place.line_column();
                let field = place.field().map(Path::json_pointer);
                Source { file: place.file(), document: place.document, line, column, field }
            }),
            cause: outcome.cause.as_ref().map(|cause| CauseEntry {
                controller: cause.controller,
                owner: Owner {
                    api_version: cause.owner_kind.api_version(),
                    kind: &cause.owner_kind.kind,
                    namespace: &cause.owner_namespace,
                    name: &cause.owner_name,
                },
                replicas: cause.replicas,
                admitted: cause.admitted,
                later: is_own,
            }),
            request: RequestEntry {
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
            },
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
fn is_zero(count: &usize) -> bool {
    *count == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}

impl<'a> StepEntry<'a> {
    fn of(step: &'a Step, written: Option<&Written<'_>>, outcome: &'a Outcome, fixtures: &Fixtures) -> Self {
        let status = step.refusal.as_ref().map(|refusal| &refusal.status);
        let refusal = step.refusal.as_ref();
        let refused: &[Path] = refusal.map_or(&[], |refusal| &refusal.fields);
        let evidence: &[Evidence] = refusal.map_or(&[], |refusal| &refusal.evidence);
        let about = About::of(
            refused.iter().chain(&step.fields),
            evidence.iter().chain(&step.evidence),
            outcome,
            written,
            fixtures,
        );
        Self {
            plugin: step.plugin,
            phase: step.phase,
            reinvocation: step.reinvocation,
            patch: step
                .change
                .as_ref()
                .map(|(before, after)| diff::json_patch(&before.value, &after.value))
                .unwrap_or_default(),
            code: status.map(|status| status.code),
            reason: status.map(|status| status.reason.as_str()).filter(|reason| !reason.is_empty()),
            error: status.map(|status| status.message.as_str()),
            rule: step.refusal.as_ref().and_then(|refusal| refusal.rule.as_deref()).map(RuleEntry::of),
            warnings: &step.warnings,
            about,
            field_reasons: refusal
                .filter(|refusal| refusal.reasons.len() == refusal.fields.len())
                .map(|refusal| refusal.reasons.iter().map(|(_, reason)| reason.as_str()).collect())
                .unwrap_or_default(),
        }
    }
}

impl<'a> DiagnosticEntry<'a> {
    pub(in crate::report) fn of(diagnostic: &'a Diagnostic) -> Self {
        let of_source = diagnostic.source.as_ref().map(|(source, span)| source.columns(*span).1);
        let columns = of_source.or(diagnostic.file_columns);
        Self {
            severity: diagnostic.severity,
            code: diagnostic.code,
            message: &diagnostic.message,
            help: diagnostic.help.as_deref(),
            file: diagnostic.file.as_deref(),
            line: diagnostic.line(),
            column: columns.map(|(column, _)| column),
            end_column: columns.map(|(_, end)| end),
        }
    }
}
