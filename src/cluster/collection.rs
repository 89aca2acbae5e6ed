//! The objects of one resource.

use std::collections::{BTreeMap, BTreeSet};

use super::stored::{Controller, Label, Stored};

/// Names of objects, by the key and value of a label.
type NamesByLabel = BTreeMap<Label, BTreeSet<String>>;

/// The objects of a resource, and the indexes by which controllers find them.
#[derive(Debug, Default)]
pub(super) struct Collection {
    /// Whether its objects are looked up for requests about others.
    pub(super) is_looked_up: bool,
    /// Rises with every change.
    pub(super) revision: u64,
    /// By namespace (empty for objects without one), then by name.
    pub(super) objects: BTreeMap<String, BTreeMap<String, Stored>>,
    /// The names of objects by their namespace and their controller.
    pub(super) controlled: BTreeMap<String, BTreeMap<Controller, BTreeSet<String>>>,
    /// The names of objects that controllers may adopt, by their namespace and each of their labels.
    pub(super) uncontrolled: BTreeMap<String, NamesByLabel>,
    /// The names of objects that may adopt others, by their namespace and a label that they require.
    pub(super) selecting: BTreeMap<String, NamesByLabel>,
}

impl Collection {
    /// Stores an object; returns the one before.
    pub(super) fn put(&mut self, namespace: String, name: String, stored: Stored) -> Option<Stored> {
        self.revision += 1;
        let (controller, labels, selected) =
            (stored.controller.clone(), stored.labels.clone(), stored.selected.clone());
        let replaced = self.objects.entry(namespace.clone()).or_default().insert(name.clone(), stored);
        self.release(&namespace, &name, replaced.as_ref());
        if let Some(label) = selected {
            let by_label = self.selecting.entry(namespace.clone()).or_default();
            by_label.entry(label).or_default().insert(name.clone());
        }
        if let Some(controller) = controller {
            let controllers = self.controlled.entry(namespace).or_default();
            controllers.entry(controller).or_default().insert(name);
        } else if !labels.is_empty() {
            let by_label = self.uncontrolled.entry(namespace).or_default();
            for label in labels {
                by_label.entry(label).or_default().insert(name.clone());
            }
        }
        replaced
    }

    /// Removes an object and returns it.
    pub(super) fn remove(&mut self, namespace: &str, name: &str) -> Option<Stored> {
        self.revision += 1;
        let removed = self.objects.get_mut(namespace).and_then(|objects| objects.remove(name));
        self.release(namespace, name, removed.as_ref());
        removed
    }

    /// Removes `stored` from the indexes of controllers and of selectors.
    fn release(&mut self, namespace: &str, name: &str, stored: Option<&Stored>) {
        let Some(stored) = stored else { return };
        forget(&mut self.selecting, namespace, stored.selected.as_ref(), name);
        let Some(controller) = stored.controller.as_ref() else {
            return forget(&mut self.uncontrolled, namespace, &stored.labels, name);
        };
        let Some(controllers) = self.controlled.get_mut(namespace) else { return };
        if let Some(names) = controllers.get_mut(controller) {
            names.remove(name);
            if names.is_empty() {
                controllers.remove(controller);
            }
        }
    }
}

/// Removes `name` from the names by each of `labels`.
fn forget<'a>(
    index: &mut BTreeMap<String, NamesByLabel>,
    namespace: &str,
    labels: impl IntoIterator<Item = &'a Label>,
    name: &str,
) {
    for label in labels {
        if let Some(names) = index.get_mut(namespace).and_then(|by_label| by_label.get_mut(label)) {
            names.remove(name);
        }
    }
}
