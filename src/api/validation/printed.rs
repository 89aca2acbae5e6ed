//! Internal types as Go prints them in messages: they have no JSON names, so their fields are called as in Go.

use super::node::Node;
use crate::api::Value;

/// The fields of `core.ObjectReference`.
pub(super) const OBJECT_REFERENCE: [(&str, &str); 7] = [
    ("Kind", "kind"),
    ("Namespace", "namespace"),
    ("Name", "name"),
    ("UID", "uid"),
    ("APIVersion", "apiVersion"),
    ("ResourceVersion", "resourceVersion"),
    ("FieldPath", "fieldPath"),
];

/// A struct of texts: pairs of what Go and JSON call a field.
pub(super) fn texts_of(node: &Node, fields: &[(&str, &str)]) -> String {
    let parts = fields.iter().map(|(name, field)| format!("\"{name}\":{}", Value::from(node.text(field))));
    format!("{{{}}}", parts.collect::<Vec<_>>().join(","))
}
