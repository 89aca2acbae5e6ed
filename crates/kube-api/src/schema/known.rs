//! Values that know their types, so that debug builds refuse a misspelt name of a field.

use crate::Value;

use super::Type;

/// Lets the maps of `value`, which is of type `target`, know their types. Release builds have none.
#[cfg(not(debug_assertions))]
pub fn know(_: &'static Type, _: &mut Value) {}

/// Lets the maps of `value`, which is of type `target`, know their types.
#[cfg(debug_assertions)]
pub fn know(target: &'static Type, value: &mut Value) {
    use super::Shape;

    match (&target.shape, value) {
        (Shape::Struct(structure), Value::Object(map)) if !map.knows_fields() => {
            map.know_fields(Some(target));
            for (name, value) in map {
                if let Some(field) = structure.field(name) {
                    know(field.reference.get(), value);
                }
            }
        }
        (Shape::List(item), Value::Array(items)) => {
            items.iter_mut().for_each(|value| know(item.get(), value));
        }
        (Shape::Map { value: item, .. }, Value::Object(map)) => {
            map.values_mut().for_each(|value| know(item.get(), value));
        }
        _ => {}
    }
}

/// Lets the maps of `value` forget their types. Release builds have none.
#[cfg(not(debug_assertions))]
pub fn forget(_: &mut Value) {}

/// Lets the maps of `value` forget their types, where fields of several versions come together.
#[cfg(debug_assertions)]
pub fn forget(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.know_fields(None);
            map.values_mut().for_each(forget);
        }
        Value::Array(items) => items.iter_mut().for_each(forget),
        _ => {}
    }
}

/// Fields that a type lacks and that are looked up nevertheless.
#[cfg(debug_assertions)]
const SHARED: &[(&str, &str)] = &[
    // The internal version has a field that only a version no longer served had.
    ("CustomResourceConversion", "conversionReviewVersions"),
    ("CustomResourceConversion", "webhookClientConfig"),
    ("CustomResourceDefinitionSpec", "additionalPrinterColumns"),
    ("CustomResourceDefinitionSpec", "selectableFields"),
    ("CustomResourceDefinitionSpec", "subresources"),
    ("CustomResourceDefinitionSpec", "validation"),
    // Options of requests have no metadata, but are read as objects.
    ("PodExecOptions", "metadata"),
    ("PodAttachOptions", "metadata"),
    ("PodPortForwardOptions", "metadata"),
    ("PodProxyOptions", "metadata"),
    ("NodeProxyOptions", "metadata"),
    ("ServiceProxyOptions", "metadata"),
    // A revision is a strategic merge patch.
    ("PodTemplateSpec", "$patch"),
    // One function handles two types.
    ("MutatingAdmissionPolicyBindingSpec", "validationActions"),
    ("Role", "aggregationRule"),
    ("ServiceStatus", "replicas"),
    ("Taint", "operator"),
    ("Taint", "tolerationSeconds"),
    ("TopologySpreadConstraint", "mismatchLabelKeys"),
    ("TypedLocalObjectReference", "namespace"),
    ("ValidatingWebhook", "reinvocationPolicy"),
];

/// Whether a type called `name` of some package and release has `field`. All tables are searched, so what was found is
/// remembered.
#[cfg(debug_assertions)]
fn is_elsewhere(name: &str, field: &str) -> bool {
    use std::collections::{BTreeMap, BTreeSet};
    use std::sync::{PoisonError, RwLock};

    static FOUND: RwLock<BTreeMap<String, BTreeSet<String>>> = RwLock::new(BTreeMap::new());
    let found = FOUND.read().unwrap_or_else(PoisonError::into_inner);
    if found.get(name).is_some_and(|fields| fields.contains(field)) {
        return true;
    }
    drop(found);
    let mut packages = super::table::FILES.iter().filter_map(|file| file.find(name));
    if !packages.any(|version| version.field(field).is_some()) && !had(name, field) {
        return false;
    }
    let mut found = FOUND.write().unwrap_or_else(PoisonError::into_inner);
    found.entry(name.to_owned()).or_default().insert(field.to_owned());
    true
}

/// Whether a type called `name` had `field` in some release.
#[cfg(debug_assertions)]
fn had(name: &str, field: &str) -> bool {
    use crate::version::Version;

    (Version::OLDEST.minor..Version::BINARY.minor).rev().any(|minor| {
        let tables = super::of_release(Version::minor(minor));
        let files = tables.files().iter().filter_map(|file| file.find(name));
        files.into_iter().any(|version| version.field(field).is_some())
    })
}

#[cfg(debug_assertions)]
impl gotext::value::Fields for Type {
    fn type_name(&self) -> &str {
        &self.name
    }

    /// Whether there is such a field. Code that serves several versions or types looks in each for fields that only one
    /// of them has: kinds for their parts, a version for the fields of the others, and those of `SHARED`.
    fn has(&self, name: &str) -> bool {
        self.field(name).is_some()
            || self.is_kind() && ["metadata", "spec", "status"].contains(&name)
            || SHARED.contains(&(self.short_name(), name))
            || is_elsewhere(self.short_name(), name)
    }

    fn adopt(&'static self, name: &str, value: &mut Value) {
        if let Some(field) = self.field(name) {
            know(field.reference.get(), value);
        }
    }
}
