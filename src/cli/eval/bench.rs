//! The time and the cost of an expression.

use std::io::{self, Write};
use std::time::Instant;

use serde::Serialize;

use crate::policy::{Bindings, COST_BUDGET, Inputs, Variable};
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
    /// The cost that the server estimates for objects of any size.
    worst_case: u64,
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
            worst_case: checked.max_cost(&Bounds::default(), None),
            limit: PER_CALL_LIMIT,
            budget: COST_BUDGET,
        }
    }

    pub(super) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let Self { evaluations, nanoseconds, cost, worst_case, limit, budget } = self;
        writeln!(out, "    {nanoseconds} ns on average of {evaluations} evaluations")?;
        let worst = match *worst_case {
            u64::MAX => "unbounded".to_owned(),
            worst => worst.to_string(),
        };
        writeln!(
            out,
            "    cost {cost} of {limit} for an expression and {budget} for a policy; {worst} for objects of any size"
        )
    }
}
