//! Names that other documents use: an object with another name is no longer what they refer to.

use crate::admission::Change;
use crate::evaluation::{Place, Prepared};
use crate::fix::Session;
use gotext::change::Action;
use gotext::source::{Data, Node};

/// The maps whose texts are no names of objects.
const LABELS: [&str; 4] = ["labels", "annotations", "matchLabels", "selector"];

impl Session<'_> {
    /// Checks that no other document uses the name of the document number `index`, if `changes` give it another.
    ///
    /// # Errors
    ///
    /// Returns who uses it.
    pub(super) fn check_name(&self, changes: &[Change], index: usize) -> Result<(), String> {
        let is_name = |change: &Change| {
            matches!(change.action, Action::Set(_)) && change.path.to_string() == "metadata.name"
        };
        if !changes.iter().any(is_name) {
            return Ok(());
        }
        let place = |document: &Option<Prepared>| document.as_ref()?.place().cloned();
        let Some(own) = place(&self.documents[index]) else { return Ok(()) };
        let Some(written) = own.written() else { return Ok(()) };
        let Some(name) = written.name() else { return Ok(()) };
        let others = self.documents.iter().enumerate().filter(|(other, _)| *other != index);
        let mut places = others.filter_map(|(_, document)| place(document));
        let is_user = |place: &Place| {
            place.written().is_some_and(|written| written.node().is_some_and(|node| uses(node, name)))
        };
        match places.find(is_user) {
            None => Ok(()),
            Some(user) => {
                let (line, _) = user.line_column();
                Err(format!("its name is used at {}:{line}: change both", user.file()))
            }
        }
    }
}

/// Whether a text in `object` is `name`, apart from its own name and its labels.
fn uses(object: &Node, name: &str) -> bool {
    let Data::Object(entries) = &object.data else { return false };
    entries.iter().any(|entry| {
        if entry.key != "metadata" {
            return contains(&entry.value, name);
        }
        entry.value.get("ownerReferences").is_some_and(|owners| contains(owners, name))
    })
}

fn contains(node: &Node, name: &str) -> bool {
    match &node.data {
        Data::String(text) => text == name,
        Data::Array(items) => items.iter().any(|item| contains(item, name)),
        Data::Object(entries) => {
            entries.iter().any(|entry| !LABELS.contains(&&*entry.key) && contains(&entry.value, name))
        }
        _ => false,
    }
}
