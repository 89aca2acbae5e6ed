//! The cost of the expressions of policies in a run, against the limits of the server and against an earlier run.

use std::collections::BTreeMap;
use std::io::{self, Write};

use colored::Colorize;
use serde::{Deserialize, Serialize};

use crate::policy::COST_BUDGET;
use crate::report::coverage::{CoverageReport, CoveredPolicy};
use crate::report::printable;
use kube_cel::PER_CALL_LIMIT;

/// The costs of all policies of a run.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CostReport {
    api_version: String,
    kind: String,
    /// The limit of the server for one expression.
    limit: u64,
    /// Its limit for all expressions of a policy together.
    budget: u64,
    policies: Vec<PolicyCost>,
}

/// The costs of a policy.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct PolicyCost {
    kind: String,
    name: String,
    /// The sum of the highest costs.
    cost: u64,
    expressions: Vec<ExpressionCost>,
}

/// The cost of an expression.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ExpressionCost {
    field: String,
    expression: String,
    evaluated: usize,
    /// The highest cost of an evaluation.
    cost: u64,
    /// The cost that the server estimates for objects of any size; nothing if it is unbounded.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    worst_case: Option<u64>,
}

/// An expression that costs more than before.
#[derive(Debug, PartialEq, Eq)]
pub struct Increase {
    policy: String,
    field: String,
    before: u64,
    now: u64,
}

impl CostReport {
    /// Returns the costs of a run.
    pub fn of(coverage: &CoverageReport) -> Self {
        Self {
            api_version: "kadmit.dev/v1alpha1".to_owned(),
            kind: "Costs".to_owned(),
            limit: PER_CALL_LIMIT,
            budget: COST_BUDGET,
            policies: coverage.policies.iter().map(PolicyCost::of).collect(),
        }
    }

    /// Returns the expressions that cost more than in `before`, an earlier run, by policy and field.
    pub fn increases(&self, before: &Self) -> Vec<Increase> {
        let mut known = BTreeMap::new();
        for (policy, expression) in before.expressions() {
            known.insert((&policy.kind, &policy.name, &expression.field), expression.cost);
        }
        let increase = |(policy, expression): (&PolicyCost, &ExpressionCost)| {
            let before = *known.get(&(&policy.kind, &policy.name, &expression.field))?;
            (expression.cost > before).then(|| Increase {
                policy: policy.name.clone(),
                field: expression.field.clone(),
                before,
                now: expression.cost,
            })
        };
        self.expressions().filter_map(increase).collect()
    }

    fn expressions(&self) -> impl Iterator<Item = (&PolicyCost, &ExpressionCost)> {
        self.policies
            .iter()
            .flat_map(|policy| policy.expressions.iter().map(move |expression| (policy, expression)))
    }

    /// Writes the costs as one JSON document.
    ///
    /// # Errors
    ///
    /// Fails if `out` does.
    pub fn write_json(&self, out: &mut impl Write) -> io::Result<()> {
        serde_json::to_writer_pretty(&mut *out, self)?;
        writeln!(out)
    }

    /// Writes the costs for people, the highest first.
    ///
    /// # Errors
    ///
    /// Fails if `out` does.
    pub fn write_text(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(
            out,
            "cost of policies: at most {} for an expression, {} for a policy",
            self.limit, self.budget
        )?;
        let mut policies: Vec<&PolicyCost> = self.policies.iter().collect();
        policies.sort_by(|left, right| right.cost.cmp(&left.cost).then(left.name.cmp(&right.name)));
        for policy in policies {
            writeln!(out, "\n{}: {}", printable(&policy.name).bold(), policy.cost)?;
            let mut expressions: Vec<&ExpressionCost> = policy.expressions.iter().collect();
            expressions.sort_by_key(|expression| std::cmp::Reverse(expression.cost));
            for ExpressionCost { field, evaluated, cost, worst_case, .. } in expressions {
                // The server's estimate leaves out what it knows no type of.
                let worst = match worst_case {
                    None => " (unbounded for objects of any size)".to_owned(),
                    Some(worst) if worst > cost => format!(" ({worst} for objects of any size)"),
                    Some(_) => String::new(),
                };
                let idle = if *evaluated == 0 { ", not evaluated" } else { "" };
                writeln!(out, "  {cost:>7}  {field}{idle}{worst}")?;
            }
        }
        Ok(())
    }
}

impl PolicyCost {
    fn of(policy: &CoveredPolicy) -> Self {
        let expressions: Vec<ExpressionCost> = policy
            .expressions
            .iter()
            .map(|expression| ExpressionCost {
                field: expression.field.clone(),
                expression: expression.text.clone(),
                evaluated: expression.evaluated,
                cost: expression.cost,
                worst_case: Some(expression.worst_case).filter(|worst| *worst != u64::MAX),
            })
            .collect();
        Self {
            kind: policy.hook.kind.to_string(),
            name: policy.hook.name.clone(),
            cost: expressions.iter().map(|expression| expression.cost).sum(),
            expressions,
        }
    }
}

impl std::fmt::Display for Increase {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { policy, field, before, now } = self;
        write!(formatter, "{policy}: {field} costs {now}, it was {before}")
    }
}
