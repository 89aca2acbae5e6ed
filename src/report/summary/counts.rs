//! The counts of a part of a run, to be stored.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::admission::Hook;
use crate::evaluation::HookUse;
use crate::report::Summary;
use crate::report::stored::rule_of;

/// The counts of results of which none is accepted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    requests: usize,
    caused: usize,
    admitted: usize,
    denied: usize,
    mutated: usize,
    warnings: usize,
    mutations_by_plugin: BTreeMap<String, usize>,
    denials_by_plugin: BTreeMap<String, usize>,
    notes: BTreeMap<String, usize>,
    hooks: Vec<(String, String, String, HookUse)>,
    refusing_quotas: BTreeSet<(String, String)>,
}

impl From<Summary> for Counts {
    fn from(summary: Summary) -> Self {
        let names = |counts: BTreeMap<&'static str, usize>| {
            counts.into_iter().map(|(name, count)| (name.to_owned(), count)).collect()
        };
        let hooks = summary.hooks.into_iter();
        Self {
            requests: summary.requests,
            caused: summary.caused,
            admitted: summary.admitted,
            denied: summary.denied,
            mutated: summary.mutated,
            warnings: summary.warnings,
            mutations_by_plugin: names(summary.mutations_by_plugin),
            denials_by_plugin: names(summary.denials_by_plugin),
            notes: summary.notes,
            hooks: hooks.map(|(hook, own)| (hook.kind.into_owned(), hook.name, hook.webhook, own)).collect(),
            refusing_quotas: summary.refusing_quotas,
        }
    }
}

impl From<Counts> for Summary {
    fn from(counts: Counts) -> Self {
        let rules = |counts: BTreeMap<String, usize>| {
            let rule = |name: &str| if name == Self::API_SERVER { Self::API_SERVER } else { rule_of(name) };
            counts.into_iter().map(|(name, count)| (rule(&name), count)).collect()
        };
        let hooks = counts.hooks.into_iter();
        Self {
            requests: counts.requests,
            caused: counts.caused,
            admitted: counts.admitted,
            denied: counts.denied,
            mutated: counts.mutated,
            warnings: counts.warnings,
            mutations_by_plugin: rules(counts.mutations_by_plugin),
            denials_by_plugin: rules(counts.denials_by_plugin),
            notes: counts.notes,
            hooks: hooks
                .map(|(kind, name, webhook, own)| (Hook { kind: kind.into(), name, webhook }, own))
                .collect(),
            refusing_quotas: counts.refusing_quotas,
            ..Self::default()
        }
    }
}

impl Summary {
    /// Adds the counts of another part of the run, in which nothing is accepted.
    pub(crate) fn join(&mut self, other: Self) {
        self.requests += other.requests;
        self.caused += other.caused;
        self.admitted += other.admitted;
        self.denied += other.denied;
        self.mutated += other.mutated;
        self.warnings += other.warnings;
        for (plugin, count) in other.mutations_by_plugin {
            *self.mutations_by_plugin.entry(plugin).or_default() += count;
        }
        for (plugin, count) in other.denials_by_plugin {
            *self.denials_by_plugin.entry(plugin).or_default() += count;
        }
        for (note, count) in other.notes {
            *self.notes.entry(note).or_default() += count;
        }
        self.add_hooks(other.hooks);
        self.refusing_quotas.extend(other.refusing_quotas);
    }
}
