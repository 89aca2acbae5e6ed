//! Failures of an evaluation.

use std::fmt;
use std::sync::Arc;

use super::ast::ExprId;

/// The error that an expression fails with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvalError {
    /// The message, in cel-go's words.
    pub message: String,
    /// The node that failed; `None` for the evaluation as a whole.
    pub node: Option<ExprId>,
    /// Whether the evaluation was stopped because it had cost too much.
    pub is_over_limit: bool,
}

impl fmt::Display for EvalError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for EvalError {}

impl EvalError {
    /// Returns an error without a node.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), node: None, is_over_limit: false }
    }
}

/// Ends a step of an evaluation.
#[derive(Debug, Clone)]
pub(super) enum Fault {
    /// An error, which `&&`, `||` and similar operators may absorb.
    Error(Arc<EvalError>),
    /// The budget is exhausted; nothing absorbs that.
    Cancelled,
    /// A panic of Go's; nothing absorbs that either.
    Panic(Arc<str>),
}

impl Fault {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self::Error(Arc::new(EvalError::new(message)))
    }

    pub(super) fn no_such_overload() -> Self {
        Self::new("no such overload")
    }

    /// Returns the error with the node that failed, unless it has one.
    #[must_use]
    pub(super) fn at(self, node: ExprId) -> Self {
        match self {
            Self::Error(error) if error.node.is_none() => {
                let error = EvalError { node: Some(node), ..Arc::unwrap_or_clone(error) };
                Self::Error(Arc::new(error))
            }
            other => other,
        }
    }

    /// Whether evaluation continues after it, with an error as the value.
    pub(super) fn is_error(&self) -> bool {
        matches!(self, Self::Error(_))
    }

    pub(super) fn into_error(self) -> EvalError {
        match self {
            Self::Error(error) => Arc::unwrap_or_clone(error),
            Self::Cancelled => EvalError {
                is_over_limit: true,
                ..EvalError::new("operation cancelled: actual cost limit exceeded")
            },
            Self::Panic(message) => EvalError::new(format!("internal error: {message}")),
        }
    }
}

impl From<EvalError> for Fault {
    fn from(error: EvalError) -> Self {
        Self::Error(Arc::new(error))
    }
}
