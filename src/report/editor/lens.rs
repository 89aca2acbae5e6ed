//! The verdict about an object, above its first line.

use std::collections::{BTreeMap, BTreeSet};

use crate::evaluation::Outcome;
use crate::report::Summary;
use crate::report::text::denied_of;

/// A text above a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lens {
    /// The start of the object.
    pub offset: usize,
    /// `2 of 2 Pods denied by PodSecurity`.
    pub title: String,
}

/// Returns the verdict about the object of `outcome` and those that controllers create for it.
pub fn lens(outcome: &Outcome) -> Option<Lens> {
    let place = outcome.place.as_ref().filter(|_| outcome.cause.is_none())?;
    Some(Lens { offset: place.span.start, title: title(outcome) })
}

fn title(outcome: &Outcome) -> String {
    if outcome.refusal.is_some() {
        return format!("denied by {}", denied_by(outcome));
    }
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for caused in &outcome.caused {
        let (denied, all) = denied_of(caused);
        let counts = counts.entry(&*caused.kind.kind).or_default();
        *counts = (counts.0.saturating_add(denied), counts.1.saturating_add(all));
    }
    let objects = |kind: &str, count: usize| if count == 1 { kind.to_owned() } else { format!("{kind}s") };
    let denied = counts.iter().filter(|(_, (denied, _))| *denied > 0);
    let denied: Vec<String> =
        denied.map(|(kind, (denied, all))| format!("{denied} of {all} {}", objects(kind, *all))).collect();
    if !denied.is_empty() {
        let refused = outcome.caused.iter().filter(|caused| caused.fails());
        let who: BTreeSet<&str> = refused.map(denied_by).collect();
        let who: Vec<&str> = who.into_iter().collect();
        return format!("{} denied by {}", denied.join(", "), who.join(", "));
    }
    match counts.get("Pod") {
        Some((_, all)) => format!("admitted with {all} {}", objects("Pod", *all)),
        None => "admitted".to_owned(),
    }
}

fn denied_by(outcome: &Outcome) -> &str {
    outcome.denied_by().unwrap_or(Summary::API_SERVER)
}
