//! The time and the cost of an expression, and its cost against an earlier run.

use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::cli::coverage::read_costs;
use crate::cli::eval::Evaluated;
use crate::code::Code;
use crate::policy::{Bindings, COST_BUDGET, Inputs, Variable};
use crate::report::Diagnostic;
use kube_cel::{Bounds, Checked, PER_CALL_LIMIT, Program};

/// Measurements of an expression.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Bench {
    /// The number of evaluations.
    evaluations: u32,
    /// The mean time of one.
    nanoseconds: u128,
    /// The cost of one.
    cost: u64,
    /// The cost that the server estimates for objects of any size; nothing if it is unbounded.
    #[serde(skip_serializing_if = "Option::is_none")]
    worst_case: Option<u64>,
    /// The limit of the server for one evaluation.
    limit: u64,
    /// The limit for all expressions of a policy together.
    budget: u64,
}

impl Bench {
    /// Measures a program.
    pub(super) fn of(
        (checked, program): (&Checked, &Program),
        inputs: Inputs<'_>,
        variables: &[Variable],
        evaluations: u32,
    ) -> Self {
        let started = Instant::now();
        let mut cost = 0;
        for _ in 0..evaluations {
            let bindings = Bindings::new(inputs, variables);
            cost = program.eval(&bindings, Some(PER_CALL_LIMIT)).cost.saturating_add(bindings.take_cost());
        }
        Self {
            evaluations,
            nanoseconds: started.elapsed().as_nanos() / u128::from(evaluations.max(1)),
            cost,
            worst_case: Some(checked.max_cost(&Bounds::default(), None)).filter(|worst| *worst != u64::MAX),
            limit: PER_CALL_LIMIT,
            budget: COST_BUDGET,
        }
    }

    pub(super) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let Self { evaluations, nanoseconds, cost, worst_case, limit, budget } = self;
        writeln!(out, "    {nanoseconds} ns on average of {evaluations} evaluations")?;
        let worst = worst_case.map_or_else(|| "unbounded".to_owned(), |worst| worst.to_string());
        writeln!(
            out,
            "    cost {cost} of {limit} for an expression and {budget} for a policy; {worst} for objects of any size"
        )
    }
}

/// An expression in the report of an earlier run.
#[derive(Deserialize)]
struct Earlier {
    object: Option<String>,
    field: Option<String>,
    expression: String,
    cost: Option<u64>,
}

/// Returns the expressions that cost more than in `file`. Times are not compared: they differ from run to run.
///
/// # Errors
///
/// Fails if the file is not a report of an earlier run.
pub(super) fn increases(results: &[Evaluated], file: &Path) -> Result<Vec<Diagnostic>, Diagnostic> {
    let help = "write the file with kadmit eval --bench -o json > FILE";
    let earlier: Vec<Earlier> = read_costs(file, help)?;
    let increase = |result: &Evaluated| {
        let is_same = |earlier: &&Earlier| {
            earlier.expression == result.expression
                && earlier.field == result.field
                && earlier.object == result.object
        };
        let before = earlier.iter().find(is_same)?.cost?;
        let now = result.cost.filter(|now| *now > before)?;
        let about = [&result.object, &result.field].into_iter().flatten();
        let about: String = about.flat_map(|about| [about, ": "]).collect();
        let message = format!("{about}{} costs {now}, it was {before}", result.expression.trim());
        Some(Diagnostic::note(Code::PolicyCost, message))
    };
    Ok(results.iter().filter_map(increase).collect())
}
