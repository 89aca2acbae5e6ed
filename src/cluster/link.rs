//! By what controllers find objects.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use kube_api::resources::{DEPLOYMENTS, PODS, REPLICA_SETS, REPLICATION_CONTROLLERS, STATEFUL_SETS};
use kube_api::{GroupResource, Object, pairs};

/// A relation of an object by which controllers look it up in its namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Link<'a> {
    /// The kind and the name of the object that controls it.
    Controller(&'a str, &'a str),
    /// A label of an object that nothing controls and that controllers may adopt.
    Label(&'a str, &'a str),
    /// A label of every object that this one selects, if it adopts objects; without text if it requires none by name.
    Selected(&'a str, &'a str),
}

impl<'a> Link<'a> {
    /// Returns the links of `object`.
    pub(super) fn all(resource: &GroupResource, object: &'a Object) -> Vec<Self> {
        let mut links: Vec<_> = selected(resource, object).into_iter().collect();
        if let Some(controller) = controller(object) {
            links.push(controller);
        } else if *resource == PODS || *resource == REPLICA_SETS {
            links.extend(object.labels().map(|(key, value)| Self::Label(key, value)));
        }
        links
    }

    /// Returns its hash, shortened. Different links may have the same.
    pub(super) fn fingerprint(&self) -> u32 {
        let mut hasher = FxHasher::default();
        self.hash(&mut hasher);
        let [.., a, b, c, d] = hasher.finish().to_be_bytes();
        u32::from_be_bytes([a, b, c, d])
    }
}

/// Source: `metav1.GetControllerOf`.
fn controller(object: &Object) -> Option<Link<'_>> {
    let references = object.list(["metadata", "ownerReferences"]);
    let reference = references.iter().find(|reference| reference["controller"] == true)?;
    Some(Link::Controller(reference["kind"].as_str()?, reference["name"].as_str()?))
}

/// Returns a label of every object that `object` selects, if it is of a `resource` that adopts and selects anything.
fn selected<'a>(resource: &GroupResource, object: &'a Object) -> Option<Link<'a>> {
    let is_plain = *resource == REPLICATION_CONTROLLERS;
    if !is_plain && ![DEPLOYMENTS, REPLICA_SETS, STATEFUL_SETS].contains(resource) {
        return None;
    }
    let selector = object.at(["spec", "selector"])?.as_object().filter(|selector| !selector.is_empty())?;
    let labels = if is_plain { object.at(["spec", "selector"]) } else { selector.get("matchLabels") };
    let (key, value) = pairs(labels).next().unwrap_or_default();
    Some(Link::Selected(key, value))
}
