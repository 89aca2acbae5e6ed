//! The status of new objects.

use serde_json::json;

use crate::api::tree::{is_true, items, list, made, set, text};
use crate::api::{Map, Value};

/// Adds the version that is stored to those that have been.
pub(in crate::registry) fn store_version(definition: &mut Map) {
    let stored = match definition.get("spec") {
        Some(Value::Object(spec)) => items(spec, "versions").find(|version| is_true(version, "storage")),
        _ => None,
    };
    let Some(name) = stored.map(|version| text(version, "name").to_owned()) else { return };
    let status = made(definition, "status");
    if list(status, "storedVersions").iter().any(|version| *version == *name) {
        return;
    }
    match status.get_mut("storedVersions") {
        Some(Value::Array(versions)) => versions.push(name.into()),
        _ => set(status, "storedVersions", json!([name])),
    }
}
