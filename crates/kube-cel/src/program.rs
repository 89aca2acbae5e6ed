//! An expression that can be evaluated.

use super::Checked;
use super::activation::Activation;
use super::failure::EvalError;
use super::interpreter::Interpreter;
use super::observer::Observer;
use super::plan::Plan;
use super::value::Value;

/// The limit on the cost of one expression in the API server.
pub const PER_CALL_LIMIT: u64 = 1_000_000;

/// An expression that can be evaluated, any number of times and by several threads.
#[derive(Debug)]
pub struct Program {
    plan: Plan,
}

/// The outcome of an evaluation.
#[derive(Debug, Clone)]
pub struct Evaluation<'a> {
    /// The value, or the error.
    pub result: Result<Value<'a>, EvalError>,
    /// The cost, as the API server counts.
    pub cost: u64,
}

impl Program {
    /// Prepares an expression; constant parts are evaluated now.
    ///
    /// # Errors
    ///
    /// Fails for a constant part that cannot be evaluated: `int('a')`.
    pub fn new(checked: &Checked) -> Result<Self, EvalError> {
        Plan::new(checked).map(|plan| Self { plan })
    }

    /// Evaluates the expression. Evaluation stops at `cost_limit`.
    pub fn eval<'a>(&self, activation: &dyn Activation<'a>, cost_limit: Option<u64>) -> Evaluation<'a> {
        let (outcome, cost) = Interpreter::new(&self.plan, activation, cost_limit, None).run();
        Evaluation { result: outcome.map_err(super::failure::Fault::into_error), cost }
    }

    /// Evaluates the expression and reports to `observer` what is computed.
    pub fn eval_observed<'a>(
        &self,
        activation: &dyn Activation<'a>,
        cost_limit: Option<u64>,
        observer: &mut dyn Observer<'a>,
    ) -> Evaluation<'a> {
        let (outcome, cost) = Interpreter::new(&self.plan, activation, cost_limit, Some(observer)).run();
        Evaluation { result: outcome.map_err(super::failure::Fault::into_error), cost }
    }
}
