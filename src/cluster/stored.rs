//! The storage of an object.

use std::sync::Arc;

use crate::api::resources::{DEPLOYMENTS, PODS, REPLICA_SETS, REPLICATION_CONTROLLERS, STATEFUL_SETS};
use crate::api::{GroupResource, Object, name_generator, pairs};
use crate::cluster::packed::PackedObject;

/// The limit of listed equals: more pods of one template than any node group runs.
const MOST_LISTED: u64 = 10_000;

/// The key and value of a label.
pub(super) type Label = (Box<str>, Box<str>);

/// An object that exists, or several that are equal except for generated names.
#[derive(Debug)]
pub(super) struct Stored {
    form: Form,
    pub(super) controller: Option<Controller>,
    /// The labels of an object that controllers may adopt.
    pub(super) labels: Vec<Label>,
    /// A label of every object that this one selects, if it adopts objects; one without text if it requires none.
    pub(super) selected: Option<Label>,
    /// The number of equal objects.
    pub(super) count: u64,
}

/// The object that controls another one of its namespace.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Controller {
    pub(super) kind: Box<str>,
    pub(super) name: Box<str>,
}

/// The form of storage. A run may admit many objects and read few of them again, so they are packed, and every reader
/// unpacks its own copy. Objects written last stay a tree for a while, and those that plugins look up with every
/// request forever, shared by all readers: a plugin may recognize by address one that it has seen.
#[derive(Debug)]
enum Form {
    Tree(Arc<Object>),
    Packed(PackedObject),
}

impl Stored {
    /// Keeps `object` of `resource`.
    pub(super) fn new(resource: &GroupResource, object: Arc<Object>) -> Self {
        let controller = controller(&object);
        let may_be_adopted = controller.is_none() && (*resource == PODS || *resource == REPLICA_SETS);
        let labels = object.labels().filter(|_| may_be_adopted);
        let labels = labels.map(|(key, value)| (key.into(), value.into())).collect();
        let selected = selected(resource, &object);
        Self { form: Form::Tree(object), controller, labels, selected, count: 1 }
    }

    /// Packs the object.
    pub(super) fn pack(&mut self) {
        if let Some(object) = self.tree() {
            self.form = Form::Packed(PackedObject::new(object));
        }
    }

    /// Returns the object, unless it is packed.
    pub(super) fn tree(&self) -> Option<&Arc<Object>> {
        match &self.form {
            Form::Tree(object) => Some(object),
            Form::Packed(_) => None,
        }
    }

    /// Replaces `object` by `packed`, unless it has been replaced by another one.
    pub(super) fn replace(&mut self, object: &Arc<Object>, packed: PackedObject) {
        if self.tree().is_some_and(|own| Arc::ptr_eq(own, object)) {
            self.form = Form::Packed(packed);
        }
    }

    /// Returns the object.
    pub(super) fn object(&self) -> Arc<Object> {
        match &self.form {
            Form::Tree(object) => object.clone(),
            Form::Packed(packed) => Arc::new(packed.object()),
        }
    }

    /// Returns its objects, limited so that a list of them fits into memory; those after the first have different
    /// names.
    pub(super) fn replicas(&self) -> impl Iterator<Item = Arc<Object>> + use<> {
        let first = self.object();
        (0..self.count.min(MOST_LISTED)).map(move |position| {
            if position == 0 {
                return first.clone();
            }
            let mut replica = Object::clone(&first);
            let name = name_generator::generate_name(first.generate_name(), position);
            replica.set(["metadata", "name"], name);
            Arc::new(replica)
        })
    }
}

/// Source: `metav1.GetControllerOf`.
fn controller(object: &Object) -> Option<Controller> {
    let references = object.list(["metadata", "ownerReferences"]);
    let reference = references.iter().find(|reference| reference["controller"] == true)?;
    Some(Controller { kind: reference["kind"].as_str()?.into(), name: reference["name"].as_str()?.into() })
}

/// Returns a label of every object that `object` selects, if it is of a `resource` that adopts and selects anything.
fn selected(resource: &GroupResource, object: &Object) -> Option<Label> {
    let is_plain = *resource == REPLICATION_CONTROLLERS;
    if !is_plain && ![DEPLOYMENTS, REPLICA_SETS, STATEFUL_SETS].contains(resource) {
        return None;
    }
    let selector = object.child(["spec", "selector"]).filter(|selector| !selector.is_empty())?;
    let labels = if is_plain { object.at(["spec", "selector"]) } else { selector.get("matchLabels") };
    let (key, value) = pairs(labels).next().unwrap_or_default();
    Some((key.into(), value.into()))
}

#[cfg(test)]
mod tests {
    use crate::value::json;

    use super::*;
    use crate::api::{GroupVersionKind, Value};

    #[test]
    fn what_was_packed_comes_out_as_it_was() {
        let deep = (0..100).fold(Value::Null, |value, _| json!({"a": [value]}));
        let value = json!({
            "metadata": {"name": "web", "labels": {"ü\n\"": "\u{0}"}},
            "numbers": [0, -1, u64::MAX, i64::MIN, 1.0, -0.0, 0.1, 5e-324, 1.797_693_134_862_315_7e308],
            "spec": {"empty": {}, "none": null, "list": [], "yes": true, "deep": deep},
        });
        let object = Arc::new(Object::new(GroupVersionKind::new("example.com", "v1", "Shop"), value));
        let mut stored = Stored::new(&GroupResource::new("example.com", "shops"), object.clone());
        stored.pack();
        assert!(matches!(stored.form, Form::Packed(_)));
        assert_eq!(stored.object(), object);
    }
}
