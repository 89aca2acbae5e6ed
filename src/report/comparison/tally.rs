//! Differences, counted by event, plugin and namespace.

use std::cmp::Reverse;
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
    fields: &'a [String],
}

/// Events of a group with the same effect, on different objects.
#[derive(Debug)]
pub(super) struct Alike<'a> {
    /// The message, or the field with its value.
    pub(super) what: Option<String>,
    pub(super) examples: Vec<Example<'a>>,
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
                counts.entry(group.event).or_default().add(*group, examples.len());
            }
        }
        counts
    }
}

/// Returns the effects of a group, the most frequent first. What differs by the names of the objects alone is alike.
pub(super) fn alike<'a>(namespaces: &BTreeMap<&str, Vec<Example<'a>>>) -> Vec<Alike<'a>> {
    let mut found: BTreeMap<String, Alike<'a>> = BTreeMap::new();
    for example in namespaces.values().flatten() {
        let name = format!("\"{}\"", example.difference.name);
        let message = example.message.filter(|_| example.fields.is_empty());
        let one = message.is_some() || example.fields.is_empty();
        let messages =
            one.then(|| (message.map(str::to_owned), message.unwrap_or_default().replace(&name, "\"…\"")));
        let fields = example.fields.iter().map(|field| (Some(field.clone()), without_indexes(field)));
        for (said, key) in messages.into_iter().chain(fields) {
            let alike =
                found.entry(key.clone()).or_insert(Alike { what: said.clone(), examples: Vec::new() });
            if alike.what != said {
                alike.what = Some(key);
            }
            alike.examples.push(*example);
        }
    }
    let mut found: Vec<_> = found.into_values().collect();
    found.sort_by_key(|alike| Reverse(alike.examples.len()));
    found
}

/// Returns `spec.containers[].image: "a"` for `spec.containers[3].image: "a"`.
fn without_indexes(field: &str) -> String {
    let (path, value) = field.split_once(": ").unwrap_or((field, ""));
    let path: String =
        path.split_inclusive('[').map(|part| part.trim_start_matches(|c: char| c.is_ascii_digit())).collect();
    format!("{path}: {value}")
}

/// Returns the number of examples in all namespaces.
pub(super) fn count(namespaces: &BTreeMap<&str, Vec<Example<'_>>>) -> usize {
    namespaces.values().map(Vec::len).sum()
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
