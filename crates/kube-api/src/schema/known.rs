//! Values that know their types, so that debug builds refuse a misspelt name of a field.

use crate::Value;

use super::Type;
#[cfg(debug_assertions)]
use super::past;

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

/// Whether a type called `name` of some package and release has `field`. Tables are searched, so what was found is
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
    if !has_now(name, field) && !past::had(name, field, has_now) {
        return false;
    }
    let mut found = FOUND.write().unwrap_or_else(PoisonError::into_inner);
    found.entry(name.to_owned()).or_default().insert(field.to_owned());
    true
}

/// Whether a type called `name` of some package has `field`.
#[cfg(debug_assertions)]
fn has_now(name: &str, field: &str) -> bool {
    let mut packages = super::table::FILES.iter().filter_map(|file| file.find(name));
    packages.any(|version| version.field(field).is_some())
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

#[cfg(all(test, debug_assertions))]
mod tests {
    use std::collections::BTreeSet;

    use super::is_elsewhere;
    use crate::schema::of_release;
    use crate::version::Version;

    #[test]
    fn every_field_of_every_release_is_found() {
        let mut fields = BTreeSet::new();
        for minor in Version::OLDEST.minor..=Version::BINARY.minor {
            for file in of_release(Version::minor(minor)).files() {
                let types = file.names().filter_map(|name| Some((name, file.find(name)?)));
                fields.extend(
                    types.flat_map(|(name, found)| {
                        found.fields().iter().map(move |field| (name, &*field.name))
                    }),
                );
            }
        }
        for (name, field) in fields {
            assert!(is_elsewhere(name, field), "{name}.{field}");
        }
        assert!(!is_elsewhere("PodSpec", "container"));
    }
}
