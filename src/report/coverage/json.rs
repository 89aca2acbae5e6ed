//! The coverage as JSON. Fields are only ever added.

use std::io::{self, Write};

use serde::Serialize;

use super::{CoverageReport, CoveredExpression, CoveredPolicy};
use crate::policy::coverage::Branch;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    api_version: &'static str,
    kind: &'static str,
    percent: f64,
    covered: usize,
    total: usize,
    policies: Vec<PolicyEntry<'a>>,
}

#[derive(Serialize)]
struct PolicyEntry<'a> {
    kind: &'a str,
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    percent: f64,
    covered: usize,
    total: usize,
    matched: usize,
    bindings: Vec<BindingEntry<'a>>,
    expressions: Vec<ExpressionEntry<'a>>,
}

#[derive(Serialize)]
struct BindingEntry<'a> {
    name: &'a str,
    matched: usize,
}

#[derive(Serialize)]
struct ExpressionEntry<'a> {
    field: &'a str,
    line: usize,
    expression: &'a str,
    evaluated: usize,
    errors: usize,
    cost: u64,
    #[serde(rename = "true", skip_serializing_if = "Option::is_none")]
    truths: Option<usize>,
    #[serde(rename = "false", skip_serializing_if = "Option::is_none")]
    falsehoods: Option<usize>,
    branches: Vec<BranchEntry<'a>>,
}

#[derive(Serialize)]
struct BranchEntry<'a> {
    expression: &'a str,
    line: usize,
    start: usize,
    end: usize,
    #[serde(rename = "true")]
    truths: usize,
    #[serde(rename = "false")]
    falsehoods: usize,
}

impl CoverageReport {
    /// Writes one JSON document.
    ///
    /// # Errors
    ///
    /// Returns the error of `out`.
    pub fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let tally = self.tally();
        let document = Document {
            api_version: "kadmit.dev/v1alpha1",
            kind: "CoverageReport",
            percent: rounded(tally.percent()),
            covered: tally.covered,
            total: tally.total,
            policies: self.policies.iter().map(PolicyEntry::of).collect(),
        };
        serde_json::to_writer_pretty(&mut *out, &document)?;
        writeln!(out)
    }
}

impl<'a> PolicyEntry<'a> {
    fn of(policy: &'a CoveredPolicy) -> Self {
        let tally = policy.tally();
        Self {
            kind: &policy.hook.kind,
            name: &policy.hook.name,
            file: policy.place.as_ref().map(|(file, _)| file.as_str()),
            line: policy.place.as_ref().map(|(_, line)| *line),
            percent: rounded(tally.percent()),
            covered: tally.covered,
            total: tally.total,
            matched: policy.matched,
            bindings: policy
                .bindings
                .iter()
                .map(|(name, matched)| BindingEntry { name, matched: *matched })
                .collect(),
            expressions: policy.expressions.iter().map(ExpressionEntry::of).collect(),
        }
    }
}

impl<'a> ExpressionEntry<'a> {
    fn of(own: &'a CoveredExpression) -> Self {
        let branch = |branch: &Branch| BranchEntry {
            expression: &own.text[branch.part.clone()],
            line: own.line_of(branch),
            start: branch.part.start,
            end: branch.part.end,
            truths: branch.truths,
            falsehoods: branch.falsehoods,
        };
        Self {
            field: &own.field,
            line: own.line,
            expression: &own.text,
            evaluated: own.evaluated,
            errors: own.errors,
            cost: own.cost,
            truths: own.is_condition.then_some(own.whole.truths),
            falsehoods: own.is_condition.then_some(own.whole.falsehoods),
            branches: own.branches.iter().map(branch).collect(),
        }
    }
}

fn rounded(percent: f64) -> f64 {
    (percent * 100.0).round() / 100.0
}
