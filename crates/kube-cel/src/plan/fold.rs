//! Folds over lists and maps.

use std::sync::Arc;

use super::{FoldStep, Planner, Step};
use crate::ast::{Comprehension, Expr, ExprId};
use crate::failure::EvalError;

impl Planner<'_> {
    pub(super) fn fold(&mut self, id: ExprId, fold: &Comprehension) -> Result<Step, EvalError> {
        let initial = self.plan(fold.initial)?;
        let range = self.plan(fold.range)?;
        let condition = self.plan(fold.condition)?;
        let step = self.plan(fold.step)?;
        let result = self.plan(fold.result)?;
        self.mark_collecting(fold);
        Ok(Step::Fold(Box::new(FoldStep {
            id,
            range,
            variable: Arc::clone(&fold.variable),
            second_variable: fold.second_variable.clone(),
            accumulator: Arc::clone(&fold.accumulator),
            initial,
            condition,
            step,
            result,
        })))
    }

    /// Marks the nodes of `@result + [x]` and `predicate ? @result + [x] : @result`.
    fn mark_collecting(&mut self, fold: &Comprehension) {
        let added = match self.expr(fold.step) {
            Expr::Call { function, arguments, .. } if &**function == "_?_:_" => arguments.get(1).copied(),
            _ => Some(fold.step),
        };
        let Some(added) = added else { return };
        let Expr::Call { function, arguments, .. } = self.expr(added) else { return };
        let is_accumulator =
            |id: ExprId| matches!(self.expr(id), Expr::Ident(name) if *name == fold.accumulator);
        let Some(first) = arguments.first().copied() else { return };
        if !matches!(&**function, "_+_" | "cel.@mapInsert") || !is_accumulator(first) {
            return;
        }
        for id in [fold.step, added, first] {
            self.collecting[id.index()] = true;
        }
    }
}
