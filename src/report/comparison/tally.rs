//! Differences, counted by event, plugin and namespace.

use std::collections::BTreeMap;

use crate::report::comparison::difference::{Difference, Event};

/// An event, and its cause: a plugin or a part of the server.
type Group = (Event, &'static str);

/// Differences in groups. Within one they are in the order of evaluation.
#[derive(Debug, Default)]
pub(super) struct Tally<'a> {
    pub(super) groups: BTreeMap<Group, BTreeMap<&'a str, Vec<Example<'a>>>>,
}

/// A request with an event.
#[derive(Clone, Copy, Debug)]
pub(super) struct Example<'a> {
    pub(super) difference: &'a Difference,
    pub(super) message: Option<&'a str>,
}

impl<'a> Tally<'a> {
    pub(super) fn of(differences: &'a [Difference]) -> Self {
        let mut tally = Self::default();
        for difference in differences {
            for happened in &difference.happened {
                let group = tally.groups.entry((happened.event, happened.rule)).or_default();
                let example = Example { difference, message: happened.message.as_deref() };
                group.entry(&difference.namespace).or_default().push(example);
            }
        }
        tally
    }

    /// Returns the number of each event; those that did not happen are left out.
    pub(super) fn by_event(&self) -> BTreeMap<Event, usize> {
        let mut counts = BTreeMap::new();
        for ((event, _), namespaces) in &self.groups {
            *counts.entry(*event).or_default() += count(namespaces);
        }
        counts
    }

    /// Returns the same per plugin.
    pub(super) fn by_plugin(&self) -> BTreeMap<&str, BTreeMap<Event, usize>> {
        let mut counts: BTreeMap<&str, BTreeMap<Event, usize>> = BTreeMap::new();
        for ((event, plugin), namespaces) in &self.groups {
            *counts.entry(plugin).or_default().entry(*event).or_default() += count(namespaces);
        }
        counts
    }

    /// Returns the same per namespace.
    pub(super) fn by_namespace(&self) -> BTreeMap<&str, BTreeMap<Event, usize>> {
        let mut counts: BTreeMap<&str, BTreeMap<Event, usize>> = BTreeMap::new();
        for ((event, _), namespaces) in &self.groups {
            for (namespace, examples) in namespaces {
                *counts.entry(namespace).or_default().entry(*event).or_default() += examples.len();
            }
        }
        counts
    }
}

/// Returns the number of examples in all namespaces.
pub(super) fn count(namespaces: &BTreeMap<&str, Vec<Example<'_>>>) -> usize {
    namespaces.values().map(Vec::len).sum()
}

/// Returns `2 newly denied, 1 newly warned`, or that there are no differences.
pub(super) fn in_words(counts: &BTreeMap<Event, usize>) -> String {
    let words: Vec<String> =
        counts.iter().map(|(event, count)| format!("{count} {}", event.as_str())).collect();
    if words.is_empty() { "no verdict, warning or mutation differs".to_owned() } else { words.join(", ") }
}

/// Returns the name of a namespace for readers.
pub(super) fn named(namespace: &str) -> &str {
    if namespace.is_empty() { "(cluster)" } else { namespace }
}
