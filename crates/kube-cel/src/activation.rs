//! The values of an expression's variables.

use std::collections::BTreeMap;

use super::failure::EvalError;
use super::value::Value;

/// A source of values for variables.
pub trait Activation<'a> {
    /// Returns the value of a variable; `None` if it has none.
    fn variable(&self, name: &str) -> Option<Result<Value<'a>, EvalError>>;

    /// Returns the value of `variable.field` if it is computed only when it is requested, as `variables.x` of a policy
    /// is; `None` for all other fields. Values are not cached here: whoever computes them does that.
    fn field(&self, variable: &str, field: &str) -> Option<Result<Value<'a>, EvalError>> {
        let _ = (variable, field);
        None
    }

    /// Whether there is such a field, computed or not; `None` for fields that are not computed on request.
    fn has_field(&self, variable: &str, field: &str) -> Option<bool> {
        let _ = (variable, field);
        None
    }
}

/// Variables whose values are known.
#[derive(Debug, Clone, Default)]
pub struct Variables<'a> {
    values: BTreeMap<String, Value<'a>>,
}

impl<'a> Variables<'a> {
    /// Returns an empty set of variables.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a variable.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value<'a>>) -> Self {
        self.values.insert(name.to_owned(), value.into());
        self
    }
}

impl<'a> Activation<'a> for Variables<'a> {
    fn variable(&self, name: &str) -> Option<Result<Value<'a>, EvalError>> {
        self.values.get(name).cloned().map(Ok)
    }
}
