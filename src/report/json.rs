//! `-o json` and `-o jsonl`: the machine-readable report.
//!
//! The shape is public API, so fields are only ever added. `quotas` has one entry per quota of the cluster: how much of
//! each resource was used `before` the run and is used `after` it, and the objects `by` which that changed, with those
//! that controllers created because of them.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::{Serialize, Serializer};

use crate::admission::{Operation, Phase, PolicyRule, Step, UserInfo};
use crate::api::field::Path;
use crate::api::version::Version;
use crate::api::{Status, Value};
use crate::diff;
use crate::evaluation::{Acceptance, Amounts, Outcome, Place, QuotaUse, Skipped, Written};
use crate::report::{Diagnostic, Report, Severity, Summary};

/// One JSON document for the whole run, written as outcomes come.
pub struct Json<W> {
    out: W,
    release: Version,
    is_empty: bool,
    diagnostics: Vec<Value>,
}

/// One result a line.
pub struct JsonLines<W> {
    out: W,
}

impl<W: Write> Json<W> {
    /// A report to `out` about a server of `release`.
    pub fn new(out: W, release: Version) -> Self {
        Self { out, release, is_empty: true, diagnostics: Vec::new() }
    }
}

impl<W: Write> JsonLines<W> {
    /// A report to `out`.
    pub fn new(out: W) -> Self {
        Self { out }
    }
}

impl<W: Write + Send + Sync> Report for Json<W> {
    fn begin(&mut self, plugins: &[&'static str]) -> io::Result<()> {
        let (plugins, release) = (serde_json::to_string(plugins)?, self.release);
        write!(
            self.out,
            "{{\"apiVersion\":\"kadmit.dev/v1alpha1\",\"kind\":\"AdmissionReport\",\
             \"kubernetesVersion\":\"{release}\",\"plugins\":{plugins},\"results\":["
        )
    }

    fn render(&self, outcomes: &[Outcome]) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        for outcome in outcomes.iter().flat_map(Outcome::with_caused) {
            if !text.is_empty() {
                text.extend(b",\n");
            }
            serde_json::to_writer(&mut text, &AdmissionResult::of(outcome))?;
        }
        Ok(text)
    }

    fn write(&mut self, rendered: &[u8]) -> io::Result<()> {
        if rendered.is_empty() {
            return Ok(());
        }
        self.out.write_all(if self.is_empty { b"\n" } else { b",\n" })?;
        self.is_empty = false;
        self.out.write_all(rendered)
    }

    fn diagnostic(&mut self, diagnostic: &Diagnostic) -> io::Result<()> {
        self.diagnostics.push(crate::value::to_value(DiagnosticEntry::of(diagnostic))?);
        Ok(())
    }

    fn end(&mut self, summary: &Summary) -> io::Result<()> {
        let quotas: Vec<_> = summary.quotas.iter().map(QuotaEntry::of).collect();
        let summary = serde_json::to_string(&SummaryEntry::of(summary))?;
        let diagnostics = serde_json::to_string(&self.diagnostics)?;
        write!(self.out, "\n],\"diagnostics\":{diagnostics}")?;
        if !quotas.is_empty() {
            write!(self.out, ",\"quotas\":{}", serde_json::to_string(&quotas)?)?;
        }
        writeln!(self.out, ",\"summary\":{summary}}}")?;
        self.out.flush()
    }
}

impl<W: Write + Send + Sync> Report for JsonLines<W> {
    fn begin(&mut self, _: &[&'static str]) -> io::Result<()> {
        Ok(())
    }

    fn render(&self, outcomes: &[Outcome]) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        for outcome in outcomes.iter().flat_map(Outcome::with_caused) {
            serde_json::to_writer(&mut text, &AdmissionResult::of(outcome))?;
            text.push(b'\n');
        }
        Ok(text)
    }

    fn write(&mut self, rendered: &[u8]) -> io::Result<()> {
        self.out.write_all(rendered)
    }

    fn diagnostic(&mut self, diagnostic: &Diagnostic) -> io::Result<()> {
        let line = crate::value::json!({"diagnostic": DiagnosticEntry::of(diagnostic)});
        writeln!(self.out, "{line}")
    }

    fn end(&mut self, _: &Summary) -> io::Result<()> {
        self.out.flush()
    }
}

#[derive(Serialize)]
struct SummaryEntry {
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
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AdmissionResult<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<Source<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<CauseEntry<'a>>,
    request: RequestEntry<'a>,
    allowed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'a Status>,
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
    ran: Ran<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    object: Option<&'a Value>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    notes: &'a [String],
}

/// What a run leaves of a quota.
#[derive(Serialize)]
struct QuotaEntry<'a> {
    namespace: &'a str,
    name: &'a str,
    resources: BTreeMap<&'a str, AmountsEntry<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    by: Vec<QuotaUserEntry<'a>>,
}

#[derive(Serialize)]
struct AmountsEntry<'a> {
    hard: &'a str,
    before: &'a str,
    after: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct QuotaUserEntry<'a> {
    api_version: String,
    kind: &'a str,
    namespace: &'a str,
    name: &'a str,
    used: &'a BTreeMap<String, String>,
}

impl<'a> QuotaEntry<'a> {
    fn of(quota: &'a QuotaUse) -> Self {
        let amounts = |amounts: &'a Amounts| AmountsEntry {
            hard: &amounts.hard,
            before: &amounts.before,
            after: &amounts.after,
        };
        let by = quota.by.iter().map(|user| QuotaUserEntry {
            api_version: user.kind.api_version(),
            kind: &user.kind.kind,
            namespace: &user.namespace,
            name: &user.name,
            used: &user.used,
        });
        Self {
            namespace: &quota.namespace,
            name: &quota.name,
            resources: quota.resources.iter().map(|(name, own)| (name.as_str(), amounts(own))).collect(),
            by: by.collect(),
        }
    }
}

/// What the user accepts, with a reason.
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
}

#[derive(Serialize)]
struct CauseEntry<'a> {
    controller: &'static str,
    owner: Owner<'a>,
    replicas: u64,
    admitted: u64,
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
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fields: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    locations: Vec<Location<'a>>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    rule: Option<RuleEntry<'a>>,
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

/// What an expression read.
#[derive(Serialize)]
struct ExpressionEntry<'a> {
    text: &'a str,
    /// The part that decides.
    part: &'a str,
    values: Vec<ValueEntry<'a>>,
}

/// A name in an expression, and what is known of it: `is 5`, `is not set`.
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
pub(super) struct DiagnosticEntry<'a> {
    severity: Severity,
    code: &'static str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
}

impl SummaryEntry {
    fn of(summary: &Summary) -> Self {
        Self {
            requests: summary.requests,
            admitted: summary.admitted,
            denied: summary.denied,
            mutated: summary.mutated,
            warnings: summary.warnings,
            errors: summary.errors,
            skipped: summary.skipped,
            known: summary.known,
        }
    }
}

impl Serialize for Ran<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|(plugin, phase)| format!("{plugin}/{}", phase.as_str())))
    }
}

impl<'a> AdmissionResult<'a> {
    fn of(outcome: &'a Outcome) -> Self {
        let (kind, resource) = (&outcome.kind, &outcome.resource);
        let accepted_warnings = || outcome.accepted.warnings.iter();
        Self {
            source: outcome.place.as_ref().map(|place| {
                let (line, column) = place.line_column();
                Source { file: place.file(), document: place.document, line, column }
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
            status: outcome.status(),
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
            steps: {
                let speaks = |step: &Step| !step.fields.is_empty() || step.refusal.is_some();
                let place = outcome.place.as_ref().filter(|_| outcome.trace.steps.iter().any(speaks));
                let written = place.and_then(Place::written);
                outcome
                    .trace
                    .steps
                    .iter()
                    .map(|step| StepEntry::of(step, written.as_ref(), outcome))
                    .collect()
            },
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
    fn of(step: &'a Step, written: Option<&Written<'_>>, outcome: &'a Outcome) -> Self {
        let status = step.refusal.as_ref().map(|refusal| &refusal.status);
        let refused: &[Path] = step.refusal.as_ref().map_or(&[], |refusal| &refusal.fields);
        let fields = || refused.iter().chain(&step.fields);
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
            fields: fields().map(Path::json_pointer).collect(),
            locations: fields()
                .filter_map(|path| {
                    let (line, column) = written?.line_column(path)?;
                    Some(Location { file: outcome.place.as_ref()?.file(), line, column })
                })
                .collect(),
        }
    }
}

impl<'a> DiagnosticEntry<'a> {
    pub(super) fn of(diagnostic: &'a Diagnostic) -> Self {
        let place = diagnostic.source.as_ref().map(|(source, span)| source.line_column(span.start));
        Self {
            severity: diagnostic.severity,
            code: diagnostic.code,
            message: &diagnostic.message,
            help: diagnostic.help.as_deref(),
            file: diagnostic.file.as_deref(),
            line: diagnostic.line(),
            column: place.map(|(_, column)| column),
        }
    }
}
