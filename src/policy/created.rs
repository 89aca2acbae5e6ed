//! The fields that the server fills in when it creates an object, and that validating plugins already see.
//!
//! Source: `rest.FillObjectMetaSystemFields`, the strategies that set `metadata.generation`.

use std::sync::Arc;

use gotext::value::json;

use crate::admission::{Attributes, Operation};
use kube_api::{Object, name_generator};
use kube_registry::NOW;
use kube_registry::merge::managed_fields;

/// The fields of `metadata` that the server fills in.
pub const SYSTEM_FIELDS: [&str; 4] = ["creationTimestamp", "generation", "managedFields", "uid"];

/// Returns the object of a request to create one, with the fields that the server has filled in by the time of
/// validation.
pub fn with_system_fields(attributes: &Attributes) -> Option<Arc<Object>> {
    let object = attributes.object.as_ref()?;
    if attributes.operation != Operation::Create
        || attributes.has_sub_resource()
        || object.at("metadata").is_none()
    {
        return Some(object.clone());
    }
    let entries = managed_fields::of_received(object, attributes.options.as_deref());
    let mut filled = Object::clone(object);
    filled.insert_default(["metadata", "uid"], name_generator::generate_uid(attributes.ordinal));
    filled.insert_default(["metadata", "creationTimestamp"], NOW);
    if let Some(entries) = entries {
        filled.insert_default(["metadata", "managedFields"], entries);
    }
    if kube_registry::has_generation(&object.kind) {
        filled.set(["metadata", "generation"], json!(1));
    }
    Some(Arc::new(filled))
}
