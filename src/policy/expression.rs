//! Expressions, compiled once and evaluated with a budget.
//!
//! Source: `CompileCELExpression`, `evaluationActivation.Evaluate` of `k8s.io/apiserver/pkg/admission/plugin/cel`.

use std::sync::Arc;

use crate::policy::coverage::{Counting, ExpressionCoverage, PolicyCoverage};
use crate::policy::{Bindings, COST_BUDGET};
use kube_api::field::Path;
use kube_cel::{Checked, Evaluation, PER_CALL_LIMIT, Program, Type, Value};
use kube_registry::validation::expression::Compiler;
pub use kube_registry::validation::expression::Use;

/// The error that ends the evaluation of all expressions that share a budget.
pub const OUT_OF_BUDGET: &str =
    "validation failed due to running out of cost budget, no further validation rules will be run";

/// An expression of a policy or webhook.
#[derive(Debug)]
pub struct Expression {
    /// The text.
    pub text: String,
    compiled: Result<(Checked, Program), String>,
    /// The counters of its evaluations, if they are counted.
    coverage: Option<Arc<ExpressionCoverage>>,
}

/// A variable of a policy, which the expressions after it may use.
#[derive(Debug)]
pub struct Variable {
    /// The name, after `variables.`.
    pub name: String,
    /// The expression that computes it.
    pub expression: Expression,
}

/// The reason that an expression has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The server's message.
    pub message: String,
    /// Whether the budget is exhausted, so that evaluation must stop.
    pub is_out_of_budget: bool,
}

/// The result of an expression.
pub type Evaluated<'a> = Result<Value<'a>, Fault>;

/// Compiles the expressions of one policy or webhook, each with the variables before it.
#[derive(Debug)]
pub struct ExpressionCompiler {
    compiler: Compiler,
    coverage: Option<Arc<PolicyCoverage>>,
}

impl ExpressionCompiler {
    /// Returns a compiler for a webhook, whose expressions have neither parameters nor variables.
    pub fn of_webhook() -> Self {
        Self { compiler: Compiler::new(false), coverage: None }
    }

    /// Returns a compiler for a policy, with or without parameters.
    pub fn of_policy(has_params: bool) -> Self {
        Self { compiler: Compiler::with_variables(has_params), coverage: None }
    }

    /// Counts the evaluations of the expressions in `coverage`.
    #[must_use]
    pub fn counted(self, coverage: Option<Arc<PolicyCoverage>>) -> Self {
        Self { coverage, ..self }
    }

    /// Compiles a variable and declares it for the expressions that follow.
    pub fn variable(&mut self, name: &str, text: &str) -> Variable {
        let expression = self.expression(text, Use::Variable);
        self.declare(name, expression)
    }

    /// Compiles the variable in `field` of a policy, and declares it for the expressions that follow.
    pub fn variable_at(&mut self, field: Path, name: &str, text: &str) -> Variable {
        let expression = self.expression_at(field, text, Use::Variable);
        self.declare(name, expression)
    }

    fn declare(&mut self, name: &str, expression: Expression) -> Variable {
        let of = expression
            .compiled
            .as_ref()
            .map_or(Type::Dyn, |(checked, _)| checked.output_type().of_variable());
        self.compiler.declare_typed(name, of);
        Variable { name: name.to_owned(), expression }
    }

    /// Compiles an expression.
    pub fn expression(&self, text: &str, of: Use) -> Expression {
        Expression::outside(text, self.compiler.compile(text, of))
    }

    /// Compiles the expression in `field` of a policy.
    pub fn expression_at(&self, field: Path, text: &str, of: Use) -> Expression {
        let mut expression = self.expression(text, of);
        if let (Some(coverage), Ok((checked, _))) = (&self.coverage, &expression.compiled) {
            expression.coverage = Some(coverage.expression(field, text, checked));
        }
        expression
    }
}

impl Expression {
    /// Returns an expression outside of admission.
    pub fn outside(text: &str, checked: Result<Checked, String>) -> Self {
        let compiled = checked.and_then(|checked| {
            let program =
                Program::new(&checked).map_err(|error| format!("program instantiation failed: {error}"))?;
            Ok((checked, program))
        });
        Self { text: text.to_owned(), compiled, coverage: None }
    }

    /// Returns the program and the checked expression, or why it does not compile.
    pub fn compiled(&self) -> Result<(&Checked, &Program), &str> {
        match &self.compiled {
            Ok((checked, program)) => Ok((checked, program)),
            Err(error) => Err(error),
        }
    }

    /// Evaluates `program`, which is that of the expression, within the limit for one evaluation.
    pub(super) fn run<'a>(&self, program: &Program, bindings: &Bindings<'a>) -> Evaluation<'a> {
        let Some(coverage) = &self.coverage else { return program.eval(bindings, Some(PER_CALL_LIMIT)) };
        let evaluation = program.eval_observed(bindings, Some(PER_CALL_LIMIT), &mut Counting::new(coverage));
        coverage.count(&evaluation);
        evaluation
    }

    /// Evaluates the expression and deducts its cost and that of the variables from `budget`.
    pub fn evaluate<'a>(&self, bindings: &Bindings<'a>, budget: &mut u64) -> Evaluated<'a> {
        let program = match &self.compiled {
            Ok((_, program)) => program,
            Err(error) => return Err(Fault::of(format!("compilation error: {error}"))),
        };
        let evaluation = self.run(program, bindings);
        let cost = bindings.take_cost().saturating_add(evaluation.cost);
        debug_assert!(*budget <= COST_BUDGET, "a budget only gets smaller");
        match budget.checked_sub(cost) {
            Some(rest) => *budget = rest,
            None => return Err(Fault { message: OUT_OF_BUDGET.to_owned(), is_out_of_budget: true }),
        }
        evaluation
            .result
            .map_err(|error| Fault::of(format!("expression '{}' resulted in error: {error}", self.text)))
    }
}

impl Fault {
    fn of(message: String) -> Self {
        Self { message, is_out_of_budget: false }
    }
}
