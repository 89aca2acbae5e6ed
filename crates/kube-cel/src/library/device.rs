//! The attributes of devices.
//!
//! Source: `k8s.io/dynamic-resource-allocation/cel`.

use std::sync::Arc;

use super::Function;
use crate::equality;
use crate::failure::Fault;
use crate::meter::Meter;
use crate::value::{Entries, Opaque, Outcome, Value};
use gotext::quantity::Quantity;
use gotext::semver::Version;
use gotext::value::Value as Tree;

/// The number of values that the attributes of a device can have together.
pub(crate) const MAX_ATTRIBUTE_VALUES: u64 = 48;

/// Returns `device` for a `device` of a `ResourceSlice` of `driver`.
///
/// # Errors
///
/// Fails for an attribute without a value that expressions can have.
pub(crate) fn value<'a>(driver: &str, device: &'a Tree) -> Result<Value<'a>, String> {
    // Devices of the first version have their fields below `basic`.
    let device = device.get("basic").unwrap_or(device);
    let attributes = by_domain(driver, &device["attributes"], |name, attribute| {
        attribute_value(attribute).map_err(|error| format!("attribute {name}: {error}"))
    })?;
    let capacity = by_domain(driver, &device["capacity"], |name, capacity| {
        let text = capacity["value"].as_str().or(capacity.as_str()).unwrap_or_default();
        let quantity = Quantity::parse(text).map_err(|error| format!("capacity {name}: {error}"))?;
        Ok(Value::Opaque(Opaque::Quantity { quantity: Arc::new(quantity), is_computed: false }))
    })?;
    let mut fields = Entries::default();
    for (name, value) in [
        ("driver", Value::text(driver)),
        ("allowMultipleAllocations", Value::Bool(device["allowMultipleAllocations"] == true)),
        ("attributes", attributes),
        ("capacity", capacity),
    ] {
        fields.set(Value::text(name), value);
    }
    Ok(Value::Map(fields.into()))
}

/// Returns the values of qualified names by their domains, which is `driver` for names without one.
fn by_domain<'a>(
    driver: &str,
    values: &'a Tree,
    value: impl Fn(&str, &'a Tree) -> Result<Value<'a>, String>,
) -> Result<Value<'a>, String> {
    let mut domains: Vec<(&str, Entries<'a>)> = Vec::new();
    for (name, tree) in values.as_object().into_iter().flatten() {
        let (domain, id) = name.as_str().split_once('/').unwrap_or((driver, name.as_str()));
        let value = value(name.as_str(), tree)?;
        let known = domains.iter().position(|(known, _)| *known == domain);
        let position = known.unwrap_or_else(|| {
            domains.push((domain, Entries::default()));
            domains.len() - 1
        });
        domains[position].1.set(Value::text(id), value);
    }
    let mut all = Entries::default();
    for (domain, entries) in domains {
        all.set(Value::text(domain), Value::Map(entries.into()));
    }
    Ok(Value::Map(all.with_default(Value::Map(Entries::default().into())).into()))
}

/// Source: `getAttributeValue`.
fn attribute_value(attribute: &Tree) -> Result<Value<'_>, String> {
    let version = |tree: &Tree| {
        let version = Version::parse(tree.as_str().unwrap_or_default());
        let version = version.map_err(|error| format!("parse semantic version: {error}"))?;
        Ok(Value::Opaque(Opaque::Semver(Arc::new(version))))
    };
    let set = |name: &str| attribute.get(name).filter(|value| !value.is_null());
    for list in ["ints", "bools", "strings"] {
        if let Some(values) = set(list) {
            return Ok(Value::from(values));
        }
    }
    if let Some(versions) = set("versions") {
        let items = versions.as_array().into_iter().flatten().map(version);
        return items.collect::<Result<_, String>>().map(Value::list);
    }
    for single in ["int", "bool", "string"] {
        if let Some(value) = set(single) {
            return Ok(Value::from(value));
        }
    }
    set("version").map_or_else(|| Err("unsupported attribute value".to_owned()), version)
}

pub(super) fn overload(identity: &str) -> Option<Function> {
    match identity {
        "list_includes_dyn_dyn" => Some(includes),
        _ => None,
    }
}

fn includes<'a>(meter: &Meter, arguments: &[Value<'a>]) -> Outcome<'a> {
    let Value::List(list) = &arguments[0] else {
        return equality::is_equal(meter, &arguments[0], &arguments[1]).map(Value::Bool);
    };
    for (item, index) in list.iter().zip(0..) {
        if index >= MAX_ATTRIBUTE_VALUES {
            let message = "'includes' function cannot be applied to lists longer than";
            return Err(Fault::new(format!("{message} {MAX_ATTRIBUTE_VALUES} values")));
        }
        if equality::is_equal(meter, &item, &arguments[1])? {
            return Ok(Value::Bool(true));
        }
    }
    Ok(Value::Bool(false))
}
