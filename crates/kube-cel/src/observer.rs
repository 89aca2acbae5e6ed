//! What an evaluation reports while it runs.

use super::ast::ExprId;
use super::failure::EvalError;
use super::value::Value;

/// A listener to an evaluation.
pub trait Observer<'a> {
    /// A node has a value or an error: more than once in folds, and never if it is not evaluated.
    fn value(&mut self, id: ExprId, value: Result<&Value<'a>, &EvalError>);

    /// A fold continues with its next item: the values of its variables.
    fn item(&mut self, fold: ExprId, first: &Value<'a>, second: Option<&Value<'a>>) {
        let _ = (fold, first, second);
    }

    /// A fold has no further items, or needs none.
    fn end(&mut self, fold: ExprId) {
        let _ = fold;
    }
}

impl<'a, F: FnMut(ExprId, Result<&Value<'a>, &EvalError>)> Observer<'a> for F {
    fn value(&mut self, id: ExprId, value: Result<&Value<'a>, &EvalError>) {
        self(id, value);
    }
}
