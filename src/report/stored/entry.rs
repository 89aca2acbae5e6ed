//! The JSON of stored results. Fields that a newer kadmit adds are ignored.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::admission::{Operation, UserInfo};
use crate::evaluation::ManifestText;
use kube_api::{Status, Value};

/// The result of a request.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoredResult {
    /// The release of the server.
    #[serde(default)]
    pub kubernetes_version: Option<String>,
    #[serde(default)]
    pub(super) source: Option<Source>,
    #[serde(default)]
    pub(super) cause: Option<CauseEntry>,
    pub(super) request: RequestEntry,
    pub(super) allowed: bool,
    #[serde(default)]
    pub(super) pending: bool,
    #[serde(default)]
    pub(super) status: Option<Status>,
    #[serde(default)]
    pub(super) fields: Vec<String>,
    #[serde(default)]
    pub(super) reasons: Vec<ReasonEntry>,
    #[serde(default)]
    pub(super) skipped: Option<SkippedEntry>,
    #[serde(default)]
    pub(super) known: bool,
    #[serde(default)]
    pub(super) warnings: Vec<String>,
    #[serde(default)]
    pub(super) skipped_warnings: Vec<SkippedEntry>,
    #[serde(default)]
    pub(super) known_warnings: Vec<String>,
    #[serde(default)]
    pub(super) audit_annotations: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) received: Option<Value>,
    #[serde(default)]
    pub(super) steps: Vec<StepEntry>,
    #[serde(default)]
    pub(super) violations: Vec<ViolationEntry>,
    #[serde(default)]
    pub(super) ran: Vec<String>,
    #[serde(default)]
    pub(super) object: Option<Value>,
    #[serde(default)]
    pub(super) notes: Vec<String>,
    #[serde(default)]
    pub(super) manifest: Option<ManifestEntry>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Source {
    pub(super) file: String,
    #[serde(default)]
    pub(super) document: usize,
    pub(super) line: usize,
    #[serde(default)]
    pub(super) column: usize,
    #[serde(default)]
    pub(super) field: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ManifestEntry {
    #[serde(flatten)]
    pub(super) text: ManifestText,
    #[serde(default)]
    pub(super) mark: Option<(usize, usize)>,
}

#[derive(Debug, Deserialize)]
pub(super) struct CauseEntry {
    pub(super) controller: String,
    pub(super) owner: Owner,
    #[serde(default)]
    pub(super) replicas: u64,
    #[serde(default)]
    pub(super) admitted: u64,
    #[serde(default)]
    pub(super) later: bool,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Owner {
    #[serde(default)]
    pub(super) api_version: String,
    pub(super) kind: String,
    #[serde(default)]
    pub(super) namespace: String,
    #[serde(default)]
    pub(super) name: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RequestEntry {
    pub(super) operation: Operation,
    pub(super) kind: KindEntry,
    pub(super) resource: ResourceEntry,
    #[serde(default)]
    pub(super) sub_resource: String,
    #[serde(default)]
    pub(super) namespace: String,
    #[serde(default)]
    pub(super) name: String,
    #[serde(default)]
    pub(super) dry_run: bool,
    #[serde(default)]
    pub(super) user_info: UserInfo,
}

#[derive(Debug, Deserialize)]
pub(super) struct KindEntry {
    #[serde(default)]
    pub(super) group: String,
    pub(super) kind: String,
    #[serde(default)]
    pub(super) version: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct ResourceEntry {
    #[serde(default)]
    pub(super) group: String,
    pub(super) resource: String,
    #[serde(default)]
    pub(super) version: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct SkippedEntry {
    #[serde(default)]
    pub(super) message: Option<String>,
    pub(super) reason: String,
    pub(super) source: LineEntry,
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct LineEntry {
    pub(super) file: String,
    pub(super) line: usize,
}

#[derive(Debug, Deserialize)]
pub(super) struct ReasonEntry {
    #[serde(default)]
    pub(super) group: String,
    pub(super) resource: String,
    #[serde(default)]
    pub(super) namespace: String,
    pub(super) name: String,
    #[serde(default)]
    pub(super) field: Option<String>,
    pub(super) says: String,
    #[serde(default)]
    pub(super) source: Option<LineEntry>,
}

#[derive(Debug, Deserialize)]
pub(super) struct StepEntry {
    pub(super) plugin: String,
    pub(super) phase: PhaseEntry,
    #[serde(default)]
    pub(super) reinvocation: bool,
    #[serde(default)]
    pub(super) patch: Value,
    #[serde(default)]
    pub(super) edits: Vec<EditEntry>,
    #[serde(default)]
    pub(super) sources: Vec<ReasonEntry>,
    #[serde(default)]
    pub(super) code: Option<u16>,
    #[serde(default)]
    pub(super) reason: Option<String>,
    #[serde(default)]
    pub(super) error: Option<String>,
    #[serde(default)]
    pub(super) warnings: Vec<String>,
    #[serde(default)]
    pub(super) fields: Vec<String>,
    #[serde(default)]
    pub(super) reasons: Vec<ReasonEntry>,
    #[serde(default, rename = "fieldReasons")]
    pub(super) field_reasons: Vec<String>,
    #[serde(flatten)]
    pub(super) rule: RuleEntry,
}

/// A change by one mutation of a policy, or by one webhook.
#[derive(Debug, Deserialize)]
pub(super) struct EditEntry {
    pub(super) kind: String,
    pub(super) name: String,
    #[serde(default)]
    pub(super) webhook: String,
    #[serde(default)]
    pub(super) field: Option<String>,
    #[serde(default)]
    pub(super) source: Option<LineEntry>,
    #[serde(default)]
    pub(super) patch: Value,
}

#[derive(Debug, Deserialize)]
pub(super) struct ViolationEntry {
    pub(super) plugin: String,
    #[serde(default)]
    pub(super) actions: Vec<String>,
    pub(super) message: String,
    #[serde(default)]
    pub(super) warning: Option<String>,
    #[serde(default)]
    pub(super) fields: Vec<String>,
    #[serde(default)]
    pub(super) reasons: Vec<ReasonEntry>,
    #[serde(flatten)]
    pub(super) rule: RuleEntry,
}

/// The rule of a policy.
#[derive(Debug, Deserialize)]
pub(super) struct RuleEntry {
    #[serde(default)]
    pub(super) policy: Option<Named>,
    #[serde(default)]
    pub(super) binding: Option<Named>,
    #[serde(default)]
    pub(super) params: Option<Named>,
    #[serde(default)]
    pub(super) expression: Option<ExpressionEntry>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum PhaseEntry {
    Mutating,
    Validating,
}

#[derive(Debug, Deserialize)]
pub(super) struct Named {
    #[serde(default)]
    pub(super) namespace: String,
    pub(super) name: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct ExpressionEntry {
    pub(super) text: String,
    #[serde(default)]
    pub(super) part: String,
    #[serde(default)]
    pub(super) values: Vec<ValueEntry>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ValueEntry {
    pub(super) name: String,
    pub(super) says: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct DiagnosticLine {
    pub(super) diagnostic: DiagnosticEntry,
}

#[derive(Debug, Deserialize)]
pub(super) struct DiagnosticEntry {
    pub(super) severity: SeverityEntry,
    pub(super) code: String,
    pub(super) message: String,
    #[serde(default)]
    pub(super) help: Option<String>,
    #[serde(default)]
    pub(super) file: Option<String>,
    #[serde(default)]
    pub(super) line: Option<usize>,
    #[serde(default)]
    pub(super) column: Option<usize>,
    #[serde(default, rename = "endColumn")]
    pub(super) end_column: Option<usize>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum SeverityEntry {
    Error,
    Warning,
    Note,
}
