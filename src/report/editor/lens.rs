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

/// Returns the verdicts about the objects of `outcomes` and those that controllers create for them. What controllers
/// request again at the end of a run is among `outcomes` on its own.
pub fn lenses(outcomes: &[&Outcome]) -> Vec<Lens> {
    let later: Vec<&Outcome> = outcomes.iter().copied().filter(|outcome| outcome.cause.is_some()).collect();
    let own = outcomes.iter().filter(|outcome| outcome.cause.is_none());
    let lenses = own.filter_map(|outcome| {
        let place = outcome.place.as_ref()?;
        let is_its = |later: &&&Outcome| {
            later.cause.as_ref().is_some_and(|cause| {
                (&cause.owner_kind, &cause.owner_namespace, &cause.owner_name)
                    == (&outcome.kind, &outcome.namespace, &outcome.name)
            })
        };
        let caused: Vec<&Outcome> =
            outcome.caused.iter().chain(later.iter().filter(is_its).copied()).collect();
        Some(Lens { offset: place.span.start, title: title(outcome, &caused) })
    });
    lenses.collect()
}

fn title(outcome: &Outcome, caused: &[&Outcome]) -> String {
    if outcome.refusal.is_some() {
        return format!("denied by {}", denied_by(outcome));
    }
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for caused in caused {
        let (denied, all) = denied_of(caused);
        let counts = counts.entry(&*caused.kind.kind).or_default();
        *counts = (counts.0.saturating_add(denied), counts.1.saturating_add(all));
    }
    let objects = |kind: &str, count: usize| if count == 1 { kind.to_owned() } else { format!("{kind}s") };
    let denied = counts.iter().filter(|(_, (denied, _))| *denied > 0);
    let denied: Vec<String> =
        denied.map(|(kind, (denied, all))| format!("{denied} of {all} {}", objects(kind, *all))).collect();
    if !denied.is_empty() {
        let who: BTreeSet<&str> =
            caused.iter().filter(|caused| caused.fails()).map(|caused| denied_by(caused)).collect();
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
