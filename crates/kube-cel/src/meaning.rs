//! The macros that folds are expansions of.

use super::ast::{Ast, Comprehension, Expr, ExprId, Literal};

/// What a fold computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    /// `all`: whether this is true of every item.
    All(ExprId),
    /// `exists`: whether this is true of an item.
    Exists(ExprId),
    /// `exists_one`: whether this is true of exactly one item.
    ExistsOne(ExprId),
    /// `filter`, `map`, `transformList`: a list of what is computed of each item for which the predicate is true.
    Collect {
        /// The condition of an item, if there is one.
        predicate: Option<ExprId>,
        /// The value for the item.
        transform: ExprId,
    },
    /// `cel.bind`, `optMap`: the result, in which the accumulator names the initial value.
    Let,
    /// A map.
    Other,
}

impl Ast {
    /// Returns what `fold` computes.
    pub fn meaning(&self, fold: &Comprehension) -> Meaning {
        if matches!(self.expr(fold.condition), Expr::Literal(Literal::Bool(false))) {
            return Meaning::Let;
        }
        let Expr::Call { function, arguments, .. } = self.expr(fold.step) else { return Meaning::Other };
        match (self.expr(fold.initial), &**function, arguments.as_slice()) {
            (Expr::Literal(Literal::Bool(true)), "_&&_", [_, predicate]) => Meaning::All(*predicate),
            (Expr::Literal(Literal::Bool(false)), "_||_", [_, predicate]) => Meaning::Exists(*predicate),
            (Expr::Literal(Literal::Int(0)), "_?_:_", [predicate, ..]) => Meaning::ExistsOne(*predicate),
            (Expr::List { .. }, "_+_", [_, element]) => self.collected(None, *element),
            (Expr::List { .. }, "_?_:_", [predicate, more, _]) => match self.expr(*more) {
                Expr::Call { arguments, .. } if arguments.len() == 2 => {
                    self.collected(Some(*predicate), arguments[1])
                }
                _ => Meaning::Other,
            },
            _ => Meaning::Other,
        }
    }

    fn collected(&self, predicate: Option<ExprId>, element: ExprId) -> Meaning {
        match self.expr(element) {
            Expr::List { elements, .. } if elements.len() == 1 => {
                Meaning::Collect { predicate, transform: elements[0] }
            }
            _ => Meaning::Other,
        }
    }
}
