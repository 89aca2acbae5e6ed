//! The values of the variables of an expression.

use std::cell::{Cell, RefCell};

use crate::policy::{RequestAuthorizer, Variable};
use kube_cel::{Activation, EvalError, PER_CALL_LIMIT, Value};

/// The inputs of the expressions about one request. Nothing is copied.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a> {
    /// `object`
    pub object: Option<&'a kube_api::Value>,
    /// `oldObject`
    pub old_object: Option<&'a kube_api::Value>,
    /// `request`
    pub request: &'a kube_api::Value,
    /// `params`
    pub params: Option<&'a kube_api::Value>,
    /// `namespaceObject`
    pub namespace_object: Option<&'a kube_api::Value>,
    /// `authorizer` and `authorizer.requestResource`
    pub authorizer: Option<&'a RequestAuthorizer<'a>>,
    /// The variables of expressions outside of admission, such as `self`.
    pub others: &'a [(&'a str, Value<'a>)],
}

impl<'a> Inputs<'a> {
    /// Returns the inputs of an expression outside of admission.
    pub fn outside(others: &'a [(&'a str, Value<'a>)]) -> Self {
        Self {
            object: None,
            old_object: None,
            request: &kube_api::Value::Null,
            params: None,
            namespace_object: None,
            authorizer: None,
            others,
        }
    }
}

/// The values of the variables for expressions that are evaluated one after the other: each variable of the policy is
/// computed when it is first used.
#[derive(Debug)]
pub struct Bindings<'a> {
    inputs: Inputs<'a>,
    variables: &'a [Variable],
    /// Whether evaluations of the variables count as coverage.
    is_counted: bool,
    computed: RefCell<Vec<Option<Result<Value<'a>, EvalError>>>>,
    cost: Cell<u64>,
}

impl<'a> Bindings<'a> {
    /// Returns the values `inputs`, and `variables` to be computed from them.
    pub fn new(inputs: Inputs<'a>, variables: &'a [Variable]) -> Self {
        let computed = RefCell::new(vec![None; variables.len()]);
        Self { inputs, variables, is_counted: true, computed, cost: Cell::new(0) }
    }

    /// Returns the same values for an evaluation that only explains another one.
    #[must_use]
    pub(super) fn uncounted(self) -> Self {
        Self { is_counted: false, ..self }
    }

    /// Returns the cost of the variables computed since the last call.
    pub(crate) fn take_cost(&self) -> u64 {
        self.cost.take()
    }

    /// Returns the position of a variable; the last one with a name counts, as in the server's map.
    fn position(&self, field: &str) -> Option<usize> {
        self.variables.iter().rposition(|variable| variable.name == field)
    }

    fn compute(&self, variable: &'a Variable) -> Result<Value<'a>, EvalError> {
        let name = gotext::quote(&variable.name);
        let (_, program) = variable.expression.compiled().map_err(|error| {
            EvalError::new(format!("composited variable {name} fails to compile: {error}"))
        })?;
        let evaluation = if self.is_counted {
            variable.expression.run(program, self)
        } else {
            program.eval(self, Some(PER_CALL_LIMIT))
        };
        self.cost.set(self.cost.get().saturating_add(evaluation.cost));
        evaluation
            .result
            .map_err(|error| EvalError::new(format!("composited variable {name} fails to evaluate: {error}")))
    }
}

impl<'a> Activation<'a> for Bindings<'a> {
    fn variable(&self, name: &str) -> Option<Result<Value<'a>, EvalError>> {
        if let Some((_, value)) = self.inputs.others.iter().find(|(known, _)| *known == name) {
            return Some(Ok(value.clone()));
        }
        let tree = |value: Option<&'a kube_api::Value>| Some(Ok(value.map_or(Value::Null, Value::from)));
        match name {
            "object" => tree(self.inputs.object),
            "oldObject" => tree(self.inputs.old_object),
            "request" => tree(Some(self.inputs.request)),
            "params" => tree(self.inputs.params),
            "namespaceObject" => tree(self.inputs.namespace_object),
            "authorizer" => self.inputs.authorizer.map(|authorizer| Ok(Value::authorizer(authorizer))),
            "authorizer.requestResource" => {
                self.inputs.authorizer.map(|authorizer| Ok(authorizer.request_resource()))
            }
            _ => None,
        }
    }

    fn field(&self, variable: &str, field: &str) -> Option<Result<Value<'a>, EvalError>> {
        if variable != "variables" {
            return None;
        }
        let Some(position) = self.position(field) else {
            return Some(Err(EvalError::new(format!("no such key: {field}"))));
        };
        if let Some(known) = &self.computed.borrow()[position] {
            return Some(known.clone());
        }
        let value = self.compute(&self.variables[position]);
        self.computed.borrow_mut()[position] = Some(value.clone());
        Some(value)
    }

    fn has_field(&self, variable: &str, field: &str) -> Option<bool> {
        (variable == "variables").then(|| self.position(field).is_some())
    }
}
