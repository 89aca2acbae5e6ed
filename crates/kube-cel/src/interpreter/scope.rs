//! The variables of folds.
//!
//! Source: cel-go `interpreter/interpretable.go`, `folder`.

use std::cell::{Cell, RefCell};

use super::{Interpreter, Scope};
use crate::plan::FoldStep;
use crate::value::Outcome;
use crate::value::Value;

/// The part of a fold that is evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    Condition,
    Step,
    /// The variables of the fold are out of scope.
    Result,
}

/// A fold that is being evaluated.
pub(super) struct Frame<'s, 'a> {
    pub(super) fold: &'s FoldStep,
    pub(super) parent: Scope<'s, 'a>,
    pub(super) phase: Cell<Phase>,
    accumulated: RefCell<Option<Outcome<'a>>>,
    first: RefCell<Option<Value<'a>>>,
    second: RefCell<Option<Value<'a>>>,
}

impl<'s, 'a> Frame<'s, 'a> {
    pub(super) fn new(fold: &'s FoldStep, parent: Scope<'s, 'a>) -> Self {
        Self {
            fold,
            parent,
            phase: Cell::new(Phase::Condition),
            accumulated: RefCell::new(None),
            first: RefCell::new(None),
            second: RefCell::new(None),
        }
    }

    /// Whether this fold or one around it has a variable with this name.
    pub(super) fn has(&self, name: &str) -> bool {
        let fold = self.fold;
        *fold.accumulator == *name
            || self.phase.get() != Phase::Result
                && (*fold.variable == *name || fold.second_variable.as_deref() == Some(name))
            || self.parent.is_some_and(|parent| parent.has(name))
    }

    pub(super) fn bind(&self, first: Value<'a>, second: Option<Value<'a>>) {
        self.first.replace(Some(first));
        self.second.replace(second);
    }

    pub(super) fn accumulate(&self, outcome: Outcome<'a>) {
        self.accumulated.replace(Some(outcome));
    }

    /// Returns what is collected so far. It is moved out where the next step adds to it, so that it is not shared.
    fn accumulated(&self, is_collecting: bool) -> Option<Outcome<'a>> {
        if is_collecting && self.phase.get() == Phase::Step {
            let mut accumulated = self.accumulated.borrow_mut();
            if let Some(Ok(Value::List(_) | Value::Map(_))) = &*accumulated {
                return accumulated.replace(Ok(Value::Null));
            }
        }
        self.accumulated.borrow().clone()
    }
}

impl<'a> Interpreter<'_, 'a> {
    /// Returns the value of a variable, of the innermost fold that has it or of the activation.
    pub(super) fn look_up(
        &mut self,
        name: &str,
        is_collecting: bool,
        scope: Scope<'_, 'a>,
    ) -> Option<Outcome<'a>> {
        let mut current = scope;
        while let Some(frame) = current {
            if *frame.fold.accumulator == *name {
                return Some(self.accumulator(frame, is_collecting));
            }
            if frame.phase.get() != Phase::Result {
                if *frame.fold.variable == *name {
                    return frame.first.borrow().clone().map(Ok);
                }
                if frame.fold.second_variable.as_deref() == Some(name) {
                    return frame.second.borrow().clone().map(Ok);
                }
            }
            current = frame.parent;
        }
        self.activation.variable(name).map(|found| found.map_err(Into::into))
    }

    /// Returns the accumulator, which gets its initial value at its first use.
    fn accumulator(&mut self, frame: &Frame<'_, 'a>, is_collecting: bool) -> Outcome<'a> {
        if let Some(known) = frame.accumulated(is_collecting) {
            return known;
        }
        let initial = match self.eval(&frame.fold.initial, frame.parent).map(super::fresh) {
            Err(fault) if !fault.is_error() => return Err(fault),
            other => other,
        };
        frame.accumulate(initial);
        frame.accumulated(is_collecting).unwrap_or(Ok(Value::Null))
    }
}
