//! Results that were stored with `-o jsonl` or `-o json`, read again.
//!
//! A report about stored results equals that of the run: they contain the text of the manifest, so code frames and
//! edits are the same.

mod entry;
mod hook;
mod outcome;
mod quota;

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::admission::Hook;
use crate::evaluation::{HookUse, QuotaUse};
use crate::plugin;
use crate::report::finding::{API_SERVER, API_VALIDATION};
use crate::report::{Code, Diagnostic, Severity};

use entry::{CauseEntry, DiagnosticEntry, DiagnosticLine, RequestEntry, SeverityEntry, Source};
use hook::HookLine;
use quota::QuotaLine;

pub use entry::StoredResult;
pub use outcome::stored_outcome;

/// A line of `-o jsonl`.
#[derive(Debug)]
pub enum StoredLine {
    /// The result of a request.
    Result(Box<StoredResult>),
    /// A diagnostic about the input.
    Diagnostic(Diagnostic),
    /// The usage of a quota after the run.
    Quota(QuotaUse),
    /// What a policy or webhook did in the run.
    Hook(Hook, HookUse),
}

/// A document of `-o json`, converted to the form of `-o jsonl`.
#[derive(Debug)]
pub struct StoredReport {
    /// The release of the server.
    pub kubernetes_version: Option<String>,
    /// The plugins of its chain.
    pub plugins: Vec<&'static str>,
    /// A line for each result, for each diagnostic about the input, and for each quota, policy and webhook.
    pub lines: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    #[serde(rename = "kind")]
    _kind: ReportKind,
    #[serde(default)]
    kubernetes_version: Option<String>,
    #[serde(default)]
    plugins: Vec<String>,
    #[serde(borrow)]
    results: Vec<&'a RawValue>,
    #[serde(default, borrow)]
    diagnostics: Vec<&'a RawValue>,
    #[serde(default, borrow)]
    quotas: Vec<&'a RawValue>,
    #[serde(default, borrow)]
    policies: Vec<&'a RawValue>,
    #[serde(default, borrow)]
    webhooks: Vec<&'a RawValue>,
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

/// The beginnings of the lines of policies and webhooks.
const HOOKS: [&str; 2] = ["{\"policy\":", "{\"webhook\":"];

impl StoredLine {
    /// Reads a line of `-o jsonl`.
    ///
    /// # Errors
    ///
    /// The line is none of those above.
    pub fn read(line: &str) -> Result<Self, serde_json::Error> {
        if line.trim_start().starts_with(DIAGNOSTIC) {
            return serde_json::from_str(line)
                .map(|DiagnosticLine { diagnostic }| Self::Diagnostic(diagnostic.into()));
        }
        if line.trim_start().starts_with(QUOTA) {
            return serde_json::from_str(line).map(|QuotaLine { quota }| Self::Quota(quota.into()));
        }
        if HOOKS.iter().any(|beginning| line.trim_start().starts_with(beginning)) {
            return serde_json::from_str::<HookLine>(line).map(|line| {
                let (hook, own) = line.into();
                Self::Hook(hook, own)
            });
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
        for (beginning, hooks) in HOOKS.into_iter().zip([document.policies, document.webhooks]) {
            for hook in hooks {
                lines.extend([beginning, &line(hook), "}\n"]);
            }
        }
        let plugins = document.plugins.iter().map(|name| rule_of(name)).collect();
        Some(Self { kubernetes_version: document.kubernetes_version, plugins, lines })
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

/// Returns the plugin or part of the server with this name; a newer kadmit may have others.
pub(in crate::report) fn rule_of(name: &str) -> &'static str {
    match name {
        API_SERVER => API_SERVER,
        API_VALIDATION => API_VALIDATION,
        _ => plugin::find(name).map_or_else(|| interned(name), |plugin| plugin.name),
    }
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

/// Returns the code with this name; a newer kadmit may have others.
fn code_of(name: &str) -> Code {
    Code::find(name).unwrap_or_else(|| Code::Other(interned(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_names_the_whole_chain() {
        let text = r#"{"kind": "AdmissionReport", "kubernetesVersion": "1.37", "plugins": ["Priority", "Other"], "results": []}"#;
        let report = StoredReport::read(text).unwrap();
        assert_eq!((report.plugins, report.lines), (vec!["Priority", "Other"], String::new()));
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
