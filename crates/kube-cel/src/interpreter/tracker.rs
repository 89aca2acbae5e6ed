//! The cost of an evaluation.
//!
//! cel-go keeps the values that it observes on a stack, and finds the arguments of a call there by their node ids; a
//! call whose arguments it does not find is free. This does the same.
//!
//! Source: cel-go `interpreter/runtimecost.go`.

use crate::ast::ExprId;
use crate::failure::Fault;
use crate::value::Value;

/// More observations than an evaluation makes within its budget; cel-go would continue until the request ends.
const MAX_STACK: usize = 1 << 21;
const NOWHERE: u32 = u32::MAX;

struct Observed<'a> {
    id: ExprId,
    /// `None` for an error.
    value: Option<Value<'a>>,
    /// The previous observation of the same node.
    previous: u32,
}

pub(crate) struct Tracker<'a> {
    cost: u64,
    limit: Option<u64>,
    stack: Vec<Observed<'a>>,
    /// The last observation of each node.
    last: Vec<u32>,
}

impl<'a> Tracker<'a> {
    pub(super) fn new(nodes: usize, limit: Option<u64>) -> Self {
        Self { cost: 0, limit, stack: Vec::new(), last: vec![NOWHERE; nodes] }
    }

    pub(super) fn cost(&self) -> u64 {
        self.cost
    }

    pub(super) fn add_cost(&mut self, cost: u64) {
        self.cost = self.cost.saturating_add(cost);
    }

    /// Whether so much more is within the budget.
    pub(super) fn check(&self, cost: u64) -> Result<(), Fault> {
        match self.limit {
            Some(limit) if self.cost.saturating_add(cost) > limit => Err(Fault::Cancelled),
            _ => Ok(()),
        }
    }

    pub(super) fn push(&mut self, id: ExprId, value: Option<Value<'a>>) -> Result<(), Fault> {
        let position = u32::try_from(self.stack.len()).unwrap_or(NOWHERE);
        let previous = std::mem::replace(&mut self.last[id.index()], position);
        self.stack.push(Observed { id, value, previous });
        if self.stack.len() > MAX_STACK { Err(Fault::Cancelled) } else { self.check(0) }
    }

    /// Pops the node and everything observed after it.
    pub(super) fn drop(&mut self, id: ExprId) {
        let position = self.last[id.index()];
        if position != NOWHERE {
            self.truncate(position as usize);
        }
    }

    pub(super) fn drop_each(&mut self, ids: impl IntoIterator<Item = ExprId>) {
        ids.into_iter().for_each(|id| self.drop(id));
    }

    fn truncate(&mut self, length: usize) {
        for observed in self.stack.drain(length..).rev() {
            self.last[observed.id.index()] = observed.previous;
        }
    }

    /// Pops the parts of a constructor, the last one first, until one is missing.
    pub(super) fn drop_all(&mut self, ids: impl DoubleEndedIterator<Item = ExprId>) {
        self.take_all(ids);
    }

    /// Pops the arguments of a call; `None` if one is missing.
    pub(super) fn take_all(
        &mut self,
        ids: impl DoubleEndedIterator<Item = ExprId>,
    ) -> Option<Vec<Option<Value<'a>>>> {
        let mut taken = Vec::new();
        for id in ids.rev() {
            let position = self.last[id.index()];
            if position == NOWHERE {
                return None;
            }
            taken.push(self.stack[position as usize].value.take());
            self.truncate(position as usize);
        }
        taken.reverse();
        Some(taken)
    }
}
