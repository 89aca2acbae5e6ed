//! Differences, counted by event, plugin and namespace.

use std::collections::BTreeMap;

use crate::evaluation::Acceptance;
use crate::report::comparison::difference::{Difference, Event};

/// Events of a sort with the same cause. What the user accepts comes last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Group {
    pub(super) is_accepted: bool,
    pub(super) event: Event,
    /// A plugin or a part of the server.
    pub(super) rule: &'static str,
}

/// The number of events of a sort.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Count {
    pub(super) all: usize,
    /// Those of them that the user accepts.
    pub(super) accepted: usize,
}

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
    pub(super) accepted: Option<&'a Acceptance>,
    pub(super) fields: &'a [String],
}

impl Group {
    /// Returns `newly denied`, or `newly denied, accepted`.
    pub(super) fn event(&self) -> String {
        let accepted = if self.is_accepted { ", accepted" } else { "" };
        format!("{}{accepted}", self.event.as_str())
    }
}

impl Count {
    fn add(&mut self, group: Group, count: usize) {
        self.all += count;
        self.accepted += if group.is_accepted { count } else { 0 };
    }
}

impl<'a> Tally<'a> {
    pub(super) fn of(differences: &'a [Difference]) -> Self {
        let mut tally = Self::default();
        for difference in differences {
            for happened in &difference.happened {
                let accepted = happened.accepted.as_ref();
                let (event, rule) = (happened.event, happened.rule);
                let group = Group { is_accepted: accepted.is_some(), event, rule };
                let (message, fields) = (happened.message.as_deref(), &*happened.fields);
                let example = Example { difference, message, accepted, fields };
                let namespaces = tally.groups.entry(group).or_default();
                namespaces.entry(&difference.namespace).or_default().push(example);
            }
        }
        tally
    }

    /// Returns the number of each event; those that did not happen are left out.
    pub(super) fn by_event(&self) -> BTreeMap<Event, Count> {
        let mut counts: BTreeMap<Event, Count> = BTreeMap::new();
        for (group, namespaces) in &self.groups {
            counts.entry(group.event).or_default().add(*group, count(namespaces));
        }
        counts
    }

    /// Returns the same per plugin.
    pub(super) fn by_plugin(&self) -> BTreeMap<&str, BTreeMap<Event, Count>> {
        let mut counts: BTreeMap<&str, BTreeMap<Event, Count>> = BTreeMap::new();
        for (group, namespaces) in &self.groups {
            let counts = counts.entry(group.rule).or_default();
            counts.entry(group.event).or_default().add(*group, count(namespaces));
        }
        counts
    }

    /// Returns the same per namespace.
    pub(super) fn by_namespace(&self) -> BTreeMap<&str, BTreeMap<Event, Count>> {
        let mut counts: BTreeMap<&str, BTreeMap<Event, Count>> = BTreeMap::new();
        for (group, namespaces) in &self.groups {
            for (namespace, examples) in namespaces {
                let counts = counts.entry(namespace).or_default();
                counts.entry(group.event).or_default().add(*group, requests(examples));
            }
        }
        counts
    }
}

/// Returns the number of examples in all namespaces.
pub(super) fn count(namespaces: &BTreeMap<&str, Vec<Example<'_>>>) -> usize {
    namespaces.values().map(|examples| requests(examples)).sum()
}

/// Returns the number of requests that `examples` stand for.
pub(super) fn requests(examples: &[Example<'_>]) -> usize {
    examples.iter().map(|example| example.difference.count).sum()
}

/// Returns `2 newly denied (1 accepted), 1 newly warned`, or that there are no differences.
pub(super) fn in_words(counts: &BTreeMap<Event, Count>) -> String {
    let words = each_in_words(counts);
    if words.is_empty() { "no verdict, warning or mutation differs".to_owned() } else { words.join(", ") }
}

/// Returns `2 newly denied (1 accepted)` and the like.
pub(super) fn each_in_words(counts: &BTreeMap<Event, Count>) -> Vec<String> {
    let words = counts.iter().map(|(event, Count { all, accepted })| {
        let accepted = if *accepted > 0 { format!(" ({accepted} accepted)") } else { String::new() };
        format!("{all} {}{accepted}", event.as_str())
    });
    words.collect()
}

/// Returns the name of a namespace for readers.
pub(super) fn named(namespace: &str) -> &str {
    if namespace.is_empty() { "(cluster)" } else { namespace }
}
