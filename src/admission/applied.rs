//! What became of a request at each policy and webhook.

use std::fmt;
use std::sync::Arc;

use crate::admission::{Evidence, Refusal, Step, Trace};
use kube_api::field::Path;
use kube_api::{Name, Object, Value};

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

impl Hook {
    /// Whether it may change objects.
    pub fn mutates(&self) -> bool {
        self.kind.starts_with("Mutating")
    }

    /// Returns it with what it is, such as `MutatingAdmissionPolicy images` or `webhook hook.example.com of platform`.
    pub fn with_kind(&self) -> String {
        if self.webhook.is_empty() { format!("{} {self}", self.kind) } else { format!("webhook {self}") }
    }
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

/// What a webhook is sent, or would be.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The webhook.
    pub hook: Arc<Hook>,
    /// The `AdmissionReview`.
    pub body: Value,
}

/// A change of the object by one mutation of a policy, or by one webhook.
#[derive(Clone, Debug)]
pub struct Edit {
    /// The policy or webhook.
    pub hook: Arc<Hook>,
    /// The place of the mutation or webhook.
    pub by: Evidence,
    /// The object before it.
    pub before: Arc<Object>,
    /// The object after it.
    pub after: Arc<Object>,
}

impl Edit {
    /// Whether it wrote what is at `path`, or removed what is missing there.
    fn wrote(&self, path: &Path) -> bool {
        let pointer = path.json_pointer();
        let (before, after) = (&self.before.value, &self.after.value);
        let Some(value) = after.pointer(&pointer) else {
            // What is missing was removed, or is missing in something that is new.
            let nearest = parents(&pointer).find(|parent| after.pointer(parent).is_some());
            return before.pointer(&pointer).is_some() || nearest.is_some_and(|parent| self.is_new(parent));
        };
        before.pointer(&pointer) != Some(value)
            && parents(&pointer)
                .all(|parent| !is_item(after, parent) || self.is_new(parent) || !self.is_moved(parent))
            && !self.is_moved(&pointer)
    }

    /// Whether there was nothing at `pointer`, and the value comes from nowhere else in its list.
    fn is_new(&self, pointer: &str) -> bool {
        self.before.value.pointer(pointer).is_none() && !self.is_moved(pointer)
    }

    /// Whether the item at `pointer` is one that its list had before, at any position.
    fn is_moved(&self, pointer: &str) -> bool {
        let Some((list, _)) = pointer.rsplit_once('/') else { return false };
        let items = self.before.value.pointer(list).and_then(Value::as_array);
        let item = self.after.value.pointer(pointer);
        items.is_some_and(|items| items.iter().any(|known| Some(known) == item))
    }
}

/// Returns the pointers of the parents of `pointer`, the nearest first.
fn parents(pointer: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(pointer), |pointer| Some(pointer.rsplit_once('/')?.0)).skip(1)
}

/// Whether what is at `pointer` is an item of a list.
fn is_item(value: &Value, pointer: &str) -> bool {
    let list = pointer.rsplit_once('/').and_then(|(list, _)| value.pointer(list));
    list.is_some_and(Value::is_array)
}

impl Step {
    /// Returns the names of the policies or webhooks that changed the object in this step, in parentheses; nothing if it is
    /// the step of another plugin.
    pub fn authors(&self) -> String {
        let mut names: Vec<&str> = Vec::new();
        for Edit { hook, .. } in &self.edits {
            let name = if hook.webhook.is_empty() { &hook.name } else { &hook.webhook };
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        if names.is_empty() { String::new() } else { format!(" ({})", names.join(", ")) }
    }

    /// Whether `refusal`, of a later step, is for something that this one wrote.
    pub fn is_blamed(&self, refusal: &Refusal) -> bool {
        let is_by = |evidence: &Evidence, by: &Evidence| {
            (&evidence.resource, &evidence.name, &evidence.path) == (&by.resource, &by.name, &by.path)
        };
        let is_own = |by: &Evidence| refusal.evidence.iter().any(|evidence| is_by(evidence, by));
        self.refusal.is_none() && self.edits.iter().any(|edit| is_own(&edit.by))
    }
}

impl Trace {
    /// Returns `refusal` with the mutations and webhooks that wrote the fields that it is about.
    #[must_use]
    pub fn blamed(&self, mut refusal: Refusal) -> Refusal {
        for path in &refusal.fields {
            let mut edits = self.steps.iter().rev().flat_map(|step| step.edits.iter().rev());
            if let Some(edit) = edits.find(|edit| edit.wrote(path)) {
                let with = edit.by.path.as_ref().map(|part| format!(" with {part}")).unwrap_or_default();
                let evidence = Evidence { says: format!("wrote {path}{with}"), ..edit.by.clone() };
                if !refusal.evidence.contains(&evidence) {
                    refusal.evidence.push(evidence);
                }
            }
        }
        refusal
    }

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

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::json;
    use kube_api::{GroupResource, GroupVersionKind};

    fn edit(before: &Value, after: &Value) -> Edit {
        let pod = |spec: &Value| {
            let kind = GroupVersionKind::from_api_version("v1", "Pod");
            Arc::new(Object::new(kind, json!({"spec": spec})))
        };
        let by = Evidence::named(GroupResource::new("", "pods"), "", "p", "changed it");
        Edit { hook: Arc::default(), by, before: pod(before), after: pod(after) }
    }

    #[test]
    fn what_is_moved_or_was_missing_before_was_not_written() {
        let (a, b) = (json!({"name": "a"}), json!({"image": "b"}));
        let container = |index: usize| Path::new("spec").child("containers").index(index);
        let added = edit(&json!({"containers": [a]}), &json!({"containers": [a, b]}));
        assert!(added.wrote(&container(1)) && added.wrote(&container(1).child("name")));
        assert!(!added.wrote(&container(0)) && !added.wrote(&container(0).child("image")));
        let inserted = edit(&json!({"containers": [b]}), &json!({"containers": [a, b]}));
        assert!(inserted.wrote(&container(0).child("name")));
        assert!(!inserted.wrote(&container(1)) && !inserted.wrote(&container(1).child("image")));
        assert!(!inserted.wrote(&container(1).child("name")));
        let removed = edit(&json!({"containers": [a]}), &json!({"containers": [{}]}));
        assert!(removed.wrote(&container(0).child("name")));
        assert!(!removed.wrote(&container(0).child("image")));
        let set = edit(&json!({"replicas": 1}), &json!({"replicas": 2}));
        assert!(set.wrote(&Path::new("spec").child("replicas")));
    }
}
