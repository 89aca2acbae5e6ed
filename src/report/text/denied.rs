//! Counts the objects of controllers that are denied.

use std::collections::BTreeMap;

use crate::evaluation::Outcome;

/// Returns what the headline of an admitted object says of the denied requests of controllers because of it.
pub(super) fn denied_below(outcome: &Outcome) -> Option<String> {
    if !outcome.allowed() {
        return None;
    }
    let mut counts = Denied::default();
    for caused in &outcome.caused {
        let (denied, all) = denied_of(caused);
        counts.add(&caused.kind.kind, denied, all);
    }
    counts.remark()
}

/// Returns the number of objects like that of `outcome` that are denied, and that of all.
pub(in crate::report) fn denied_of(outcome: &Outcome) -> (usize, usize) {
    let cause = outcome.cause.as_ref();
    let (admitted, all) = cause.map_or((0, 1), |cause| (cause.admitted, cause.replicas.max(1)));
    let denied = if outcome.fails() { all.saturating_sub(admitted).max(1) } else { 0 };
    let count = |number| usize::try_from(number).unwrap_or(usize::MAX);
    (count(denied), count(all))
}

/// The objects of controllers that are denied, and all of them, by kind.
#[derive(Debug, Default)]
pub(super) struct Denied(BTreeMap<String, (usize, usize)>);

impl Denied {
    /// Adds `all` objects, of which some are denied.
    pub(super) fn add(&mut self, kind: &str, denied: usize, all: usize) {
        let counts = self.0.entry(kind.to_owned()).or_default();
        *counts = (counts.0.saturating_add(denied), counts.1.saturating_add(all));
    }

    /// Returns what a headline says of them, if any is denied.
    pub(super) fn remark(&self) -> Option<String> {
        let denied = self.0.iter().filter(|(_, (denied, _))| *denied > 0);
        let denied = denied.map(|(kind, (denied, all))| match (denied, all) {
            (1, 1) => format!("its {kind} is denied"),
            (1, all) => format!("1 of {all} {kind}s is denied"),
            (denied, all) => format!("{denied} of {all} {kind}s are denied"),
        });
        let denied: Vec<String> = denied.collect();
        (!denied.is_empty()).then(|| format!(": admitted, but {}", denied.join(", ")))
    }
}
