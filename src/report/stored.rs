//! Results that were stored with `-o jsonl` or `-o json`, read again.
//!
//! A report about stored results equals that of the run: they contain the text of the manifest, so code frames and
//! edits are the same.

mod entry;
mod quota;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::admission::{Evidence, Explanation, Phase, PolicyRule, PolicyViolation, Refusal, Step};
use crate::api::field::Path;
use crate::api::{GroupResource, GroupVersionKind, GroupVersionResource, Object, Status, Value, json_patch};
use crate::evaluation::{Acceptance, Accepted, Cause, Outcome, Place, QuotaUse, Skipped};
use crate::plugin;
use crate::report::finding::{API_SERVER, API_VALIDATION};
use crate::report::{Code, Diagnostic, Fixtures, Severity};

use entry::{
    CauseEntry, DiagnosticEntry, DiagnosticLine, LineEntry, ManifestEntry, PhaseEntry, ReasonEntry,
    RequestEntry, RuleEntry, SeverityEntry, SkippedEntry, Source, StepEntry, ViolationEntry,
};
use quota::QuotaLine;

pub use entry::StoredResult;

/// A line of `-o jsonl`.
#[derive(Debug)]
pub enum StoredLine {
    /// The result of a request.
    Result(Box<StoredResult>),
    /// A diagnostic about the input.
    Diagnostic(Diagnostic),
    /// The usage of a quota after the run.
    Quota(QuotaUse),
}

/// A document of `-o json`, converted to the form of `-o jsonl`.
#[derive(Debug)]
pub struct StoredReport {
    /// The release of the server.
    pub kubernetes_version: Option<String>,
    /// A line for each result, for each diagnostic about the input and for each quota.
    pub lines: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    #[serde(rename = "kind")]
    _kind: ReportKind,
    #[serde(default)]
    kubernetes_version: Option<String>,
    #[serde(borrow)]
    results: Vec<&'a RawValue>,
    #[serde(default, borrow)]
    diagnostics: Vec<&'a RawValue>,
    #[serde(default, borrow)]
    quotas: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
enum ReportKind {
    AdmissionReport,
}

/// The identity of a stored result, which also orders results.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StoredKey {
    /// Whether a controller sent the request again after all documents: such results come last, as in a run.
    is_later: bool,
    file: String,
    document: usize,
    line: usize,
    column: usize,
    request: String,
}

/// The beginning of the line of a diagnostic.
const DIAGNOSTIC: &str = "{\"diagnostic\":";

/// The beginning of the line of a quota.
const QUOTA: &str = "{\"quota\":";

impl StoredLine {
    /// Reads a line of `-o jsonl`.
    ///
    /// # Errors
    ///
    /// The line is not a result, a diagnostic or a quota.
    pub fn read(line: &str) -> Result<Self, serde_json::Error> {
        if line.trim_start().starts_with(DIAGNOSTIC) {
            return serde_json::from_str(line)
                .map(|DiagnosticLine { diagnostic }| Self::Diagnostic(diagnostic.into()));
        }
        if line.trim_start().starts_with(QUOTA) {
            return serde_json::from_str(line).map(|QuotaLine { quota }| Self::Quota(quota.into()));
        }
        serde_json::from_str(line).map(|result| Self::Result(Box::new(result)))
    }
}

impl StoredReport {
    /// Reads the text of `-o json`; nothing if it is something else.
    pub fn read(text: &str) -> Option<Self> {
        let document: Document<'_> = serde_json::from_str(text).ok()?;
        // A line may end between the parts of a value, but not within a string.
        let line = |value: &RawValue| value.get().replace('\n', " ");
        let mut lines = String::with_capacity(text.len());
        for result in document.results {
            lines.extend([&line(result), "\n"]);
        }
        for diagnostic in document.diagnostics {
            lines.extend([DIAGNOSTIC, &line(diagnostic), "}\n"]);
        }
        for quota in document.quotas {
            lines.extend([QUOTA, &line(quota), "}\n"]);
        }
        Some(Self { kubernetes_version: document.kubernetes_version, lines })
    }
}

impl StoredResult {
    /// Adds `prefix` to the names of all files.
    pub fn put_below(&mut self, prefix: &str) {
        let put = |file: &mut String| *file = format!("{prefix}{}", file.trim_start_matches("./"));
        self.source.iter_mut().for_each(|source| put(&mut source.file));
        let skips = self.skipped.iter_mut().chain(&mut self.skipped_warnings);
        skips.for_each(|skip| put(&mut skip.source.file));
        let reasons = self.steps.iter_mut().flat_map(|step| &mut step.reasons);
        let reasons = reasons.chain(&mut self.reasons);
        reasons.filter_map(|reason| reason.source.as_mut()).for_each(|source| put(&mut source.file));
    }

    /// Returns the plugins that were called, as `Plugin/phase`.
    pub fn ran(&self) -> impl Iterator<Item = &'static str> {
        self.ran.iter().map(|ran| rule_of(ran.split_once('/').map_or(&**ran, |(plugin, _)| plugin)))
    }

    /// Whether it belongs to the result `root` of the object for which a controller sent the request.
    pub fn is_below(&self, root: &Self) -> bool {
        let Some(CauseEntry { owner, later: false, .. }) = &self.cause else { return false };
        let Some(source) = &self.source else { return false };
        let is_same_place = |other: &Source| (&other.file, other.document) == (&source.file, source.document);
        root.cause.is_none()
            && root.source.as_ref().is_some_and(is_same_place)
            && (&owner.kind, &owner.name) == (&root.request.kind.kind, &root.name())
    }

    fn name(&self) -> String {
        if !self.request.name.is_empty() {
            return self.request.name.clone();
        }
        let object = self.object.as_ref().or(self.received.as_ref());
        let name = object.and_then(|object| object.pointer("/metadata/name")?.as_str());
        name.unwrap_or_default().to_owned()
    }

    /// Returns its identity.
    pub fn key(&self) -> StoredKey {
        let RequestEntry { operation, resource, sub_resource, namespace, .. } = &self.request;
        let (group, resource) = (&resource.group, &resource.resource);
        let request = format!("{} {resource}.{group}/{sub_resource} {namespace}", operation.as_str());
        let is_later = self.cause.as_ref().is_some_and(|cause| cause.later);
        let (file, document, line, column) = match &self.source {
            Some(source) => (source.file.clone(), source.document, source.line, source.column),
            None => (String::new(), 0, 0, 0),
        };
        StoredKey { is_later, file, document, line, column, request }
    }

    /// Returns its verdict in a few words: two results with the same key and different verdicts contradict each other.
    pub fn verdict(&self) -> String {
        let plugins: BTreeSet<&str> = self.steps.iter().map(|step| step.plugin.as_str()).collect();
        let status = self.status.as_ref().map(|status| (status.code, &status.reason));
        format!("{} {status:?} {:?} {plugins:?}", self.allowed, self.warnings)
    }
}

impl StoredKey {
    /// Returns `web.yaml:3`.
    pub fn place(&self) -> String {
        format!("{}:{}", self.file, self.line)
    }
}

impl From<DiagnosticEntry> for Diagnostic {
    fn from(entry: DiagnosticEntry) -> Self {
        let severity = match entry.severity {
            SeverityEntry::Error => Severity::Error,
            SeverityEntry::Warning => Severity::Warning,
            SeverityEntry::Note => Severity::Note,
        };
        let diagnostic = Self::input(code_of(&entry.code), entry.message);
        let DiagnosticEntry { help, file, line: file_line, column, end_column, .. } = entry;
        let file_columns = column.map(|column| (column, end_column.unwrap_or(column + 1)));
        Self { severity, help, file, file_line, file_columns, ..diagnostic }
    }
}

/// Returns the outcome for the results of a request and of those that it caused; the first result is its own. The
/// places of the objects of the cluster are added to `fixtures`.
pub fn stored_outcome(results: Vec<StoredResult>, fixtures: &Fixtures) -> Option<Outcome> {
    let mut results = results.into_iter();
    let mut outcome = results.next()?.into_outcome(None, fixtures);
    let place = outcome.place.clone();
    outcome.caused = results.map(|caused| caused.into_outcome(place.as_ref(), fixtures)).collect();
    Some(outcome)
}

impl StoredResult {
    /// Converts it to an outcome. `root` is the place of the object for which the request is sent, if the place is the
    /// same.
    fn into_outcome(self, root: Option<&Place>, fixtures: &Fixtures) -> Outcome {
        let RequestEntry { operation, kind, resource, sub_resource, namespace, name, dry_run, user_info } =
            self.request;
        let kind = GroupVersionKind::new(kind.group, kind.version, kind.kind);
        let resource = GroupVersionResource {
            group: Cow::Owned(resource.group),
            version: Cow::Owned(resource.version),
            resource: Cow::Owned(resource.resource),
        };
        let mut outcome = Outcome::about(operation, kind, resource, Arc::new(user_info));
        outcome.sub_resource = Cow::Owned(sub_resource);
        outcome.is_pending = self.pending;
        (outcome.namespace, outcome.name, outcome.dry_run) = (namespace, name, dry_run);
        outcome.release = self.kubernetes_version.and_then(|release| release.parse().ok());
        let mark = self.manifest.as_ref().and_then(|manifest| Some((manifest.mark?, manifest.text.offset)));
        let file = self.source.as_ref().map(|source| source.file.clone()).unwrap_or_default();
        outcome.place = self.source.map(|source| source.into_place(self.manifest, root));
        if let (Some(((start, end), offset)), Some(place)) = (mark, &outcome.place) {
            outcome.decode_span = place.span_in_text(offset + start, offset + end);
        }
        let object = |value: Value| Arc::new(Object::new(kind_of(&value, &outcome.kind), value));
        outcome.received = self.received.map(object);
        outcome.object = self.object.map(object);
        outcome.cause = self.cause.map(CauseEntry::into_cause);
        let trace = &mut outcome.trace;
        trace.ran = self.ran.iter().map(|ran| ran_of(ran)).collect();
        trace.warnings = self.warnings;
        trace.audit_annotations = self.audit_annotations;
        trace.notes = self.notes;
        let mut last = outcome.received.clone();
        for step in self.steps {
            trace.steps.push(step.into_step(&mut last, self.status.as_ref(), fixtures));
        }
        let violations = self.violations.into_iter();
        trace.violations =
            violations.map(|violation| violation.into_violation(last.as_deref(), fixtures)).collect();
        let by_plugin = trace.steps.iter().rev().find_map(|step| step.refusal.clone());
        if !self.allowed {
            let own = || {
                let status = self.status.clone().unwrap_or_default();
                let received = outcome.received.as_deref();
                let fields = fields_of(&self.fields, received);
                let evidence = evidence_of(&self.reasons, fixtures);
                Refusal { fields, evidence, ..Refusal::from(status) }
            };
            outcome.refusal = Some(by_plugin.unwrap_or_else(own));
        }
        outcome.accepted = Accepted {
            refusal: acceptance(self.skipped.as_ref(), self.known, &file),
            warnings: accepted_warnings(&self.skipped_warnings, self.known_warnings, &file),
        };
        outcome
    }
}

impl Source {
    fn into_place(self, manifest: Option<ManifestEntry>, root: Option<&Place>) -> Place {
        let Self { file, document, line, column, field } = self;
        let own = manifest.and_then(|manifest| Place::stored(&file, manifest.text, document));
        let place = match (own, root) {
            (Some(place), _) => place,
            (None, Some(root)) if root.written().is_some() => root.clone(),
            _ => return Place::unread(&file, line, column, document),
        };
        let path = field.and_then(|field| path_of(&field, None));
        path.map_or(place.clone(), |path| place.within(&path))
    }
}

impl CauseEntry {
    fn into_cause(self) -> Cause {
        Cause {
            controller: interned(&self.controller),
            owner_kind: GroupVersionKind::from_api_version(&self.owner.api_version, &self.owner.kind),
            owner_namespace: self.owner.namespace,
            owner_name: self.owner.name,
            replicas: self.replicas,
            admitted: self.admitted,
        }
    }
}

impl ViolationEntry {
    fn into_violation(self, object: Option<&Object>, fixtures: &Fixtures) -> PolicyViolation {
        PolicyViolation {
            plugin: rule_of(&self.plugin),
            fields: fields_of(&self.fields, object),
            evidence: evidence_of(&self.reasons, fixtures),
            rule: self.rule.read().unwrap_or_default(),
            actions: self.actions,
            message: self.message,
            warning: self.warning,
        }
    }
}

impl StepEntry {
    /// Converts it to a step. `last` is the object before the step, and then the one after it.
    fn into_step(self, last: &mut Option<Arc<Object>>, status: Option<&Status>, fixtures: &Fixtures) -> Step {
        let fields = fields_of(&self.fields, last.as_deref());
        let evidence = evidence_of(&self.reasons, fixtures);
        let rule = self.rule.read().map(Box::new);
        let refusal = self.error.map(|message| {
            let own = Status {
                code: self.code.unwrap_or_default(),
                reason: self.reason.unwrap_or_default(),
                message,
                details: None,
            };
            // The status that was sent has more details, if it is the same.
            let status = status.filter(|status| status.message == own.message).cloned().unwrap_or(own);
            let (fields, evidence) = (fields.clone(), evidence.clone());
            let reasons = fields.iter().cloned().zip(self.field_reasons).collect();
            Refusal { fields, reasons, evidence, rule, ..Refusal::from(status) }
        });
        let is_of_refusal = refusal.is_some();
        Step {
            plugin: rule_of(&self.plugin),
            phase: match self.phase {
                PhaseEntry::Mutating => Phase::Mutating,
                PhaseEntry::Validating => Phase::Validating,
            },
            reinvocation: self.reinvocation,
            change: changed(last, &self.patch),
            warnings: self.warnings,
            fields: if is_of_refusal { Vec::new() } else { fields },
            evidence: if is_of_refusal { Vec::new() } else { evidence },
            refusal,
        }
    }
}

impl RuleEntry {
    fn read(&self) -> Option<PolicyRule> {
        let policy = self.policy.as_ref()?;
        let explanation = self.expression.as_ref().map(|expression| {
            let start = expression.text.find(&expression.part).unwrap_or_default();
            let values = expression.values.iter();
            Explanation {
                expression: expression.text.clone(),
                part: start..start + expression.part.len(),
                values: values.map(|value| (value.name.clone(), value.says.clone())).collect(),
            }
        });
        Some(PolicyRule {
            policy: policy.name.clone(),
            binding: self.binding.as_ref().map(|binding| binding.name.clone()).unwrap_or_default(),
            params: self.params.as_ref().map(|params| (params.namespace.clone(), params.name.clone())),
            explanation,
            reads_secret: false,
        })
    }
}

/// Returns the object before and after `patch`, which is assigned to `last`; nothing if the patch changes nothing or
/// does not fit.
fn changed(last: &mut Option<Arc<Object>>, patch: &Value) -> Option<(Arc<Object>, Arc<Object>)> {
    let patch = json_patch::decode(patch).ok().filter(|patch| !patch.operations().is_empty())?;
    let before = last.clone()?;
    let value = patch.apply(before.value.clone()).ok()?;
    let after = Arc::new(Object::new(before.kind.clone(), value));
    *last = Some(Arc::clone(&after));
    Some((before, after))
}

fn fields_of(pointers: &[String], object: Option<&Object>) -> Vec<Path> {
    let root = object.map(|object| &object.value);
    pointers.iter().filter_map(|pointer| path_of(pointer, root)).collect()
}

fn evidence_of(reasons: &[ReasonEntry], fixtures: &Fixtures) -> Vec<Evidence> {
    let evidence = reasons.iter().map(|reason| {
        let evidence = Evidence {
            resource: GroupResource {
                group: Cow::Owned(reason.group.clone()),
                resource: Cow::Owned(reason.resource.clone()),
            },
            namespace: reason.namespace.clone(),
            name: reason.name.clone(),
            path: reason.field.as_deref().and_then(|field| path_of(field, None)),
            says: reason.says.clone(),
        };
        if let Some(LineEntry { file, line }) = &reason.source {
            fixtures.learn(&evidence, file, *line);
        }
        evidence
    });
    evidence.collect()
}

fn accepted_warnings(
    skipped: &[SkippedEntry],
    known: Vec<String>,
    file: &str,
) -> BTreeMap<String, Acceptance> {
    let known = known.into_iter().map(|warning| (warning, Acceptance::Known));
    let skipped =
        skipped.iter().filter_map(|skip| Some((skip.message.clone()?, acceptance(Some(skip), false, file)?)));
    known.chain(skipped).collect()
}

/// Returns the reason for an acceptance of an object in `file`.
fn acceptance(skipped: Option<&SkippedEntry>, is_known: bool, file: &str) -> Option<Acceptance> {
    match skipped {
        Some(SkippedEntry { reason, source, .. }) => Some(Acceptance::Skipped(Skipped {
            reason: reason.clone(),
            file: source.file.clone(),
            line: source.line,
            in_manifest: source.file == file,
        })),
        None => is_known.then_some(Acceptance::Known),
    }
}

/// Returns the kind in `value`; a request for a subresource has another kind.
fn kind_of(value: &Value, otherwise: &GroupVersionKind) -> GroupVersionKind {
    let text = |field| value.get(field).and_then(Value::as_str);
    match (text("apiVersion"), text("kind")) {
        (Some(api_version), Some(kind)) => GroupVersionKind::from_api_version(api_version, kind),
        _ => otherwise.clone(),
    }
}

/// Returns the plugin and phase of `PodSecurity/validating`.
fn ran_of(text: &str) -> (&'static str, Phase) {
    let (plugin, phase) = text.split_once('/').unwrap_or((text, ""));
    (rule_of(plugin), if phase == "mutating" { Phase::Mutating } else { Phase::Validating })
}

/// Returns the plugin or part of the server with this name; a newer kadmit may have others.
fn rule_of(name: &str) -> &'static str {
    match name {
        API_SERVER => API_SERVER,
        API_VALIDATION => API_VALIDATION,
        _ => plugin::find(name).map_or_else(|| interned(name), |plugin| plugin.name),
    }
}

/// Returns the path of a JSON pointer. `root`, the object, determines which steps are indices.
fn path_of(pointer: &str, root: Option<&Value>) -> Option<Path> {
    let mut value = root;
    let mut path: Option<Path> = None;
    for step in pointer.strip_prefix('/')?.split('/') {
        let name = step.replace("~1", "/").replace("~0", "~");
        let index: Option<usize> = name.parse().ok();
        let is_index = match value {
            Some(Value::Array(_)) => true,
            Some(Value::Object(_)) => false,
            _ => index.is_some() && path.is_some(),
        };
        value = value.and_then(|value| match (value, index) {
            (Value::Array(items), Some(index)) => items.get(index),
            _ => value.get(name.as_str()),
        });
        path = Some(match (path, index) {
            (None, _) => Path::named(name),
            (Some(path), Some(index)) if is_index => path.index(index),
            (Some(path), _) if name.contains(['.', '/']) => path.key(name),
            (Some(path), _) => path.child(name),
        });
    }
    path
}

/// Returns the code with this name; a newer kadmit may have others.
fn code_of(name: &str) -> Code {
    Code::find(name).unwrap_or_else(|| Code::Other(interned(name)))
}

/// Returns `text` with a static lifetime: names of plugins and controllers, and codes, which are few.
fn interned(text: &str) -> &'static str {
    static TEXTS: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut texts = TEXTS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = texts.get(text) {
        return known;
    }
    let kept: &'static str = Box::leak(text.to_owned().into_boxed_str());
    texts.insert(kept);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json;

    #[test]
    fn pointers_are_fields_of_the_object() {
        let object = json!({"data": {"80": "x"}, "spec": {"containers": [{"name": "a"}]}});
        let shown = |pointer: &str| path_of(pointer, Some(&object)).map(|path| path.to_string());
        assert_eq!(shown("/data/80").as_deref(), Some("data.80"));
        assert_eq!(shown("/spec/containers/0/image").as_deref(), Some("spec.containers[0].image"));
        assert_eq!(shown("/metadata/labels/a~1b").as_deref(), Some("metadata.labels[a/b]"));
        assert_eq!(shown(""), None);
    }

    #[test]
    fn what_is_no_result_is_refused() {
        let error = StoredLine::read("{\"allowed\": true}").unwrap_err();
        assert!(error.to_string().starts_with("missing field `request`"), "{error}");
        assert!(
            StoredLine::read("{\"diagnostic\":{\"severity\":\"note\",\"code\":\"a\",\"message\":\"b\"}}")
                .is_ok()
        );
    }
}
