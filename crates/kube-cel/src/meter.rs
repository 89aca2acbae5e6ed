//! A bound on work that costs nothing: cel-go would walk a list of 2^40 items for as long as the request may take.

use std::cell::Cell;

use super::failure::Fault;

/// The number of small steps allowed for each unit of the cost limit.
const STEPS: u64 = 16;
/// The number of small steps allowed to an evaluation without a limit.
const UNLIMITED: u64 = 1 << 40;
/// The limit on the length of a text: exceeding it would cost more than any limit, or run out of memory.
const MAX_TEXT: usize = 1 << 27;

/// Counts small steps.
#[derive(Debug)]
pub(super) struct Meter {
    left: Cell<u64>,
}

impl Meter {
    pub(super) fn new(cost_limit: Option<u64>) -> Self {
        let left =
            cost_limit.map_or(UNLIMITED, |limit| limit.saturating_mul(STEPS).clamp(1 << 16, UNLIMITED));
        Self { left: Cell::new(left) }
    }

    /// Charges `steps`.
    pub(super) fn charge(&self, steps: u64) -> Result<(), Fault> {
        let left = self.left.get().checked_sub(steps).ok_or(Fault::Cancelled)?;
        self.left.set(left);
        Ok(())
    }

    /// Charges the items of a list that is to be copied.
    pub(super) fn charge_items(&self, items: usize) -> Result<(), Fault> {
        self.charge(items as u64)
    }

    /// Charges the bytes of a text that is to be created.
    pub(super) fn charge_text(&self, bytes: usize) -> Result<(), Fault> {
        if bytes > MAX_TEXT { Err(Fault::Cancelled) } else { self.charge(bytes as u64 / 64) }
    }
}
