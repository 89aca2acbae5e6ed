//! What became of a request at each policy and webhook.

use std::fmt;
use std::sync::Arc;

use crate::admission::Trace;
use kube_api::Name;

/// A policy, or a webhook of a configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hook {
    /// The kind of the object, such as `ValidatingAdmissionPolicy`.
    pub kind: Name,
    /// The name of the object.
    pub name: String,
    /// The name of the webhook; empty for a policy.
    pub webhook: String,
}

impl fmt::Display for Hook {
    /// Formats it as `images` or `hook.example.com of platform`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.webhook.as_str() {
            "" => formatter.write_str(&self.name),
            webhook => write!(formatter, "{webhook} of {}", self.name),
        }
    }
}

/// The part of a policy or webhook that a request does not match.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mismatch {
    /// None of its rules.
    Rules,
    /// A rule excludes it.
    Excluded,
    /// The selector of namespaces.
    NamespaceSelector,
    /// The selector of objects.
    ObjectSelector,
    /// The resources of every binding.
    Bindings,
    /// There are no parameters, and a binding allows that.
    Parameters,
    /// The named match condition is false.
    Condition(Arc<str>),
    /// A match condition failed, which the failure policy ignores.
    ConditionFailed,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Rules => "rules",
            Self::Excluded => "excludeResourceRules",
            Self::NamespaceSelector => "namespaceSelector",
            Self::ObjectSelector => "objectSelector",
            Self::Bindings => "bindings",
            Self::Parameters => "no parameters",
            Self::ConditionFailed => "failing matchCondition",
            Self::Condition(name) => return write!(formatter, "matchCondition {name}"),
        })
    }
}

/// What became of a request at a policy or webhook; the later, the more it did.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// The request is not one that it is for.
    NotMatched(Mismatch),
    /// A webhook that is not called.
    Skipped,
    /// It was evaluated, and did nothing.
    Evaluated,
    /// It changed the object.
    Changed,
    /// It failed, and its failure policy ignores that.
    FailedOpen(String),
    /// It warned, or marked the audit event.
    Reported,
    /// It refused the request.
    Denied,
}

/// What became of a request at one policy or webhook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    /// The policy or webhook.
    pub hook: Arc<Hook>,
    /// What became of the request.
    pub effect: Effect,
}

impl Trace {
    /// Returns the most that each policy and webhook did with the request.
    pub fn effects(&self) -> Vec<&Applied> {
        let mut effects: Vec<&Applied> = Vec::with_capacity(self.applied.len());
        for applied in &self.applied {
            match effects.iter_mut().find(|known| Arc::ptr_eq(&known.hook, &applied.hook)) {
                Some(known) if known.effect < applied.effect => *known = applied,
                Some(_) => {}
                None => effects.push(applied),
            }
        }
        effects
    }
}
