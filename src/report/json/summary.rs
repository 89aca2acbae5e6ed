//! The JSON of the totals of a run.

use serde::Serialize;

use crate::report::Summary;

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

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}
