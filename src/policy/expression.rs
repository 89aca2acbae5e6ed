//! Expressions, compiled once and evaluated with a budget.
//!
//! Source: `CompileCELExpression`, `evaluationActivation.Evaluate` of `k8s.io/apiserver/pkg/admission/plugin/cel`.

use crate::policy::{Bindings, COST_BUDGET};
use kube_cel::{Checked, Program, Type, Value};
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
pub struct ExpressionCompiler(Compiler);

impl ExpressionCompiler {
    /// Returns a compiler for a webhook, whose expressions have neither parameters nor variables.
    pub fn of_webhook() -> Self {
        Self(Compiler::new(false))
    }

    /// Returns a compiler for a policy, with or without parameters.
    pub fn of_policy(has_params: bool) -> Self {
        Self(Compiler::with_variables(has_params))
    }

    /// Compiles a variable and declares it for the expressions that follow.
    pub fn variable(&mut self, name: &str, text: &str) -> Variable {
        let expression = self.expression(text, Use::Variable);
        let of = expression
            .compiled
            .as_ref()
            .map_or(Type::Dyn, |(checked, _)| checked.output_type().of_variable());
        self.0.declare_typed(name, of);
        Variable { name: name.to_owned(), expression }
    }

    /// Compiles an expression.
    pub fn expression(&self, text: &str, of: Use) -> Expression {
        let compiled = self.0.compile(text, of).and_then(|checked| {
            let program =
                Program::new(&checked).map_err(|error| format!("program instantiation failed: {error}"))?;
            Ok((checked, program))
        });
        Expression { text: text.to_owned(), compiled }
    }
}

impl Expression {
    /// Returns the program and the checked expression, or why it does not compile.
    pub fn compiled(&self) -> Result<(&Checked, &Program), &str> {
        match &self.compiled {
            Ok((checked, program)) => Ok((checked, program)),
            Err(error) => Err(error),
        }
    }

    /// Evaluates the expression and deducts its cost and that of the variables from `budget`.
    pub fn evaluate<'a>(&self, bindings: &Bindings<'a>, budget: &mut u64) -> Evaluated<'a> {
        let program = match &self.compiled {
            Ok((_, program)) => program,
            Err(error) => return Err(Fault::of(format!("compilation error: {error}"))),
        };
        let evaluation = program.eval(bindings, Some(kube_cel::PER_CALL_LIMIT));
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
