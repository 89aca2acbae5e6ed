//! Feature gates without which a server drops what a manifest says, or refuses it.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use crate::evaluation::Outcome;
use gotext::source::Node;
use kube_api::decode::{DecodeContext, FieldValidation};
use kube_api::features::{self, Gate};
use kube_api::field;
use kube_api::server_profile::ServerProfile;
use kube_api::{GroupVersionKind, Object};
use kube_registry::{Context, Strategy};

/// The beginning of gates that stand for others, such as `AllAlpha`.
const ALL: &str = "All";

/// A server, and the gates that could be switched on there.
#[derive(Clone, Debug, Default)]
pub(super) struct Switches {
    profile: ServerProfile,
    off: Vec<&'static Gate>,
    all_on: OnceLock<ServerProfile>,
    /// The gates for documents, by their numbers and whether they are refused as invalid.
    known: BTreeMap<(usize, bool), Vec<&'static str>>,
}

impl Switches {
    /// Returns the gates that are off in `profile`.
    pub(super) fn of(profile: &ServerProfile) -> Self {
        let release = profile.release();
        let can_be_on = |gate: &&Gate| {
            !gate.name.starts_with(ALL)
                && gate.in_release(release).is_some()
                && gate.locked_in(release).is_none()
                && !profile.is_on_or(gate.name, false)
        };
        let off = features::gates().iter().filter(can_be_on).collect();
        Self { profile: profile.clone(), off, ..Self::default() }
    }

    /// Returns the gates that let the server keep all that is written in the document at `index`, whose request is
    /// admitted, or one that lets it accept the object that it refused as invalid.
    pub(super) fn for_request(&mut self, outcome: &Outcome, index: usize) -> Vec<&'static str> {
        let is_invalid = outcome.refusal.as_ref().is_some_and(|refusal| !refusal.errors.is_empty());
        if outcome.refusal.is_some() && !is_invalid {
            return Vec::new();
        }
        if let Some(known) = self.known.get(&(index, is_invalid)) {
            return known.clone();
        }
        let found = self.find(outcome, is_invalid);
        self.known.insert((index, is_invalid), found.clone());
        found
    }

    fn find(&self, outcome: &Outcome, is_invalid: bool) -> Vec<&'static str> {
        let Some(place) = outcome.place.as_ref().filter(|place| !place.is_review()) else {
            return Vec::new();
        };
        let (Some(written), Some(strategy)) = (place.written(), kube_registry::of(&outcome.kind)) else {
            return Vec::new();
        };
        let Some(document) =
            written.node().and_then(|node| Document::read(node, outcome, strategy, &self.profile))
        else {
            return Vec::new();
        };
        if is_invalid { self.accepting(&document) } else { self.keeping(&document) }
    }

    /// Returns the gate, with those that it needs, with which `document` is valid.
    fn accepting(&self, document: &Document) -> Vec<&'static str> {
        let errors = document.errors(&self.profile);
        // What is wrong with all of them is wrong with each.
        let with_all = document.errors(self.all_on());
        if errors.is_empty() || errors.iter().any(|error| with_all.contains(error)) {
            return Vec::new();
        }
        let mut sets = self.off.iter().map(|gate| self.with_needed(gate));
        let accepts = |gates: &Vec<&str>| {
            self.switched(gates).is_some_and(|profile| document.errors(&profile).is_empty())
        };
        sets.find(accepts).unwrap_or_default()
    }

    /// Returns the gates without which a field of `document` is dropped.
    fn keeping(&self, document: &Document) -> Vec<&'static str> {
        let whole = document.kept(self.all_on());
        if whole == document.kept(&self.profile) {
            return Vec::new();
        }
        let is_needed = |name: &&str| {
            let rest: Vec<&str> =
                self.off.iter().filter(|gate| !self.needs(gate, name)).map(|gate| gate.name).collect();
            self.switched(&rest).is_some_and(|profile| document.kept(&profile) != whole)
        };
        self.off.iter().map(|gate| gate.name).filter(is_needed).collect()
    }

    /// Returns the server with all gates on.
    fn all_on(&self) -> &ServerProfile {
        self.all_on.get_or_init(|| {
            let names: Vec<&str> = self.off.iter().map(|gate| gate.name).collect();
            self.switched(&names).unwrap_or_else(|| self.profile.clone())
        })
    }

    /// Whether `gate` is the one called `name`, or cannot be on without it.
    fn needs(&self, gate: &Gate, name: &str) -> bool {
        self.with_needed(gate).contains(&name)
    }

    /// Returns the gates that have to be switched on so that `gate` can be.
    fn with_needed(&self, gate: &Gate) -> Vec<&'static str> {
        let mut needed = vec![gate.name];
        let mut next = 0;
        while let Some(name) = needed.get(next).copied() {
            let gate = self.off.iter().find(|gate| gate.name == name);
            for name in gate.into_iter().flat_map(|gate| gate.needs) {
                if self.off.iter().any(|gate| gate.name == *name) && !needed.contains(name) {
                    needed.push(name);
                }
            }
            next += 1;
        }
        needed
    }

    fn switched(&self, gates: &[&str]) -> Option<ServerProfile> {
        let value: Vec<String> = gates.iter().map(|gate| format!("{gate}=true")).collect();
        self.profile.clone().with(&value.join(",")).ok()
    }
}

/// A written object as a server reads it.
struct Document {
    object: Object,
    strategy: &'static Strategy,
}

impl Document {
    fn read(
        node: &Node,
        outcome: &Outcome,
        strategy: &'static Strategy,
        profile: &ServerProfile,
    ) -> Option<Self> {
        let kind: &GroupVersionKind = &outcome.kind;
        let context =
            DecodeContext { kind, field_validation: FieldValidation::Ignore, strict_errors: &[], body: "" };
        let mut object =
            kube_registry::read(node.clone(), &context, profile, kube_registry::NOW).ok()?.object;
        if object.namespace().is_empty() && !outcome.namespace.is_empty() {
            object.set(["metadata", "namespace"], outcome.namespace.as_str());
        }
        kube_registry::generate_name(&mut object, |prefix| format!("{prefix}aaaaa"));
        Some(Self { object, strategy })
    }

    /// Returns the object without the fields that a server drops.
    fn kept(&self, profile: &ServerProfile) -> Object {
        let mut object = self.object.clone();
        self.strategy.prepare_for_create(&mut object, &Context::new(profile));
        object
    }

    fn errors(&self, profile: &ServerProfile) -> Vec<field::Error> {
        self.strategy.validate_create(&self.kept(profile), &Context::new(profile))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kube_api::version::Version;

    #[test]
    fn all_gates_can_be_on_at_once() {
        for minor in 20..=Version::BINARY.minor {
            let profile = ServerProfile::of_release(Version::minor(minor), []);
            let switches = Switches::of(&profile);
            let names: Vec<&str> = switches.off.iter().map(|gate| gate.name).collect();
            assert!(switches.switched(&names).is_some(), "1.{minor}");
            for gate in &switches.off {
                assert!(switches.switched(&switches.with_needed(gate)).is_some(), "1.{minor}: {}", gate.name);
            }
        }
    }
}
