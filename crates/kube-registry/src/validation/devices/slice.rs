//! Slices of devices.

use crate::validation::devices::counters;
use crate::validation::devices::{
    MAX_ID, capacity, taint, validate_list, validate_named_list, validate_pool_name, validate_qualified_name,
};
use crate::validation::equal::plainly_equal;
use crate::validation::metadata::{
    Scope, name_is_dns_subdomain, validate_immutable_field, validate_immutable_text, validate_object_meta,
    validate_object_meta_update,
};
use crate::validation::node::{Errors, Node};
use crate::validation::pod::{validate_csi_driver_name, validate_node_selector};
use crate::validation::resources::{is_native_resource, quantity};
use gotext::names;
use kube_api::field::Path;
use kube_api::{Value, internal_json};

const MAX_DEVICES: usize = 128;
const MAX_ADVANCED_DEVICES: usize = 64;
const MAX_COUNTER_SETS: usize = 8;
const MAX_COUNTERS: usize = 32;
const MAX_CONSUMPTIONS: usize = 2;
const MAX_ATTRIBUTES_AND_CAPACITIES: usize = 32;
pub(crate) const MAX_ATTRIBUTE_VALUES: usize = 48;
const MAX_ATTRIBUTE_LENGTH: usize = 64;
const MAX_TAINTS: usize = 16;
const MAX_BINDING_CONDITIONS: usize = 4;
/// The lists that an attribute may have.
const LISTS: [&str; 4] = ["bools", "ints", "strings", "versions"];

/// Runs `ValidateResourceSlice`, and `ValidateResourceSliceUpdate` if there is an old object.
pub(crate) fn validate_resource_slice(errors: &mut Errors, object: &Node, old: Option<&Node>) {
    match old {
        None => validate_object_meta(errors, object, Scope::Cluster, name_is_dns_subdomain),
        Some(old) => validate_object_meta_update(errors, object, old),
    }
    let spec = object.child("spec");
    let before = old.map(|old| old.child("spec"));
    let pool = spec.child("pool");
    validate_csi_driver_name(errors, &spec, "driver");
    validate_pool_name(errors, &pool, "name");
    errors.positive(&pool, "resourceSliceCount");
    if pool.int("generation") < 0 {
        let detail = "must be greater than or equal to zero";
        errors.invalid_int(&pool.at("generation"), pool.int("generation"), detail);
    }
    if let Some(before) = &before {
        validate_immutable_text(errors, &pool, &before.child("pool"), "name");
        validate_immutable_text(errors, &spec, before, "driver");
        validate_immutable_field(errors, &spec, before, "nodeName");
    }
    validate_nodes(errors, &spec);
    if spec.has("sharedCounters") && spec.has("devices") && errors.since(35) {
        errors.invalid(&spec.here(), "", "only one of `sharedCounters` or `devices` is allowed");
    }
    let most = if errors.since(35) && spec.items("devices").any(|device| is_advanced(&device)) {
        MAX_ADVANCED_DEVICES
    } else {
        MAX_DEVICES
    };
    let per_device = spec.flag("perDeviceNodeSelection");
    validate_named_list(errors, &spec, "devices", most, "name", |errors, device| {
        let old = before
            .as_ref()
            .and_then(|before| before.items("devices").find(|old| old.text("name") == device.text("name")));
        validate_device(errors, device, old.as_ref(), per_device);
        if !errors.since(35) {
            counters::validate_of_device(errors, &spec, device);
        }
    });
    if !errors.since(35) {
        counters::validate_totals(errors, &spec);
    }
    let most = if errors.since(35) { MAX_COUNTER_SETS } else { usize::MAX };
    validate_named_list(errors, &spec, "sharedCounters", most, "name", |errors, set| {
        validate_counters(errors, set, "name");
    });
}

/// Checks that the nodes of the devices are given in exactly one way.
fn validate_nodes(errors: &mut Errors, spec: &Node) {
    let detail = if errors.since(33) {
        "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required"
    } else {
        "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required"
    };
    let mut set = Vec::new();
    match spec.given("nodeName") {
        None => {}
        Some("") => {
            errors.invalid(&spec.at("nodeName"), "", "must be either unset or set to a non-empty string");
        }
        Some(name) => {
            set.push("`nodeName`");
            errors.each_of(spec, "nodeName", name_is_dns_subdomain(name, false));
        }
    }
    if let Some(selector) = spec.get("nodeSelector") {
        set.push("`nodeSelector`");
        validate_node_selector(errors, &selector, false);
        if selector.len("nodeSelectorTerms") != 1 {
            let terms: Vec<String> = selector
                .list("nodeSelectorTerms")
                .iter()
                .map(|term| internal_json::internal("core/v1.NodeSelectorTerm", term))
                .collect();
            let printed = if selector.has("nodeSelectorTerms") {
                format!("[{}]", terms.join(","))
            } else {
                "null".to_owned()
            };
            let detail = "must have exactly one node selector term";
            errors.invalid_printed(&selector.at("nodeSelectorTerms"), printed, detail);
        }
    }
    for (field, quoted) in
        [("allNodes", "`allNodes`"), ("perDeviceNodeSelection", "`perDeviceNodeSelection`")]
    {
        collect_flag(errors, spec, field, quoted, &mut set);
    }
    match set.as_slice() {
        [] => errors.required(&spec.here(), detail),
        [_] => {}
        _ if !errors.since(33) => errors.invalid_value(&spec.here(), &Value::Null, detail),
        _ => {
            let detail = format!("{detail}, but multiple fields are set");
            errors.invalid(&spec.here(), &format!("{{{}}}", set.join(", ")), detail);
        }
    }
}

/// Validates a boolean that must be true or absent, and counts it if true.
fn collect_flag<'a>(
    errors: &mut Errors,
    node: &Node,
    field: &'static str,
    quoted: &'a str,
    set: &mut Vec<&'a str>,
) {
    match node.truth(field) {
        Some(true) => set.push(quoted),
        Some(false) => {
            let detail = "must be either unset or set to true";
            errors.invalid_value(&node.at(field), &Value::Bool(false), detail);
        }
        None => {}
    }
}

/// Whether a device uses features for which a slice may have only half as many devices.
fn is_advanced(device: &Node) -> bool {
    let has_list = |(_, attribute): (&str, &Value)| LISTS.iter().any(|list| attribute[list].is_array());
    device.len("taints") > 0
        || device.len("consumesCounters") > 0
        || device.entries("attributes").any(has_list)
}

/// Implements `validateCounterSet`, `validateDeviceCounterConsumption`: both name a set and its counters.
fn validate_counters(errors: &mut Errors, set: &Node, name: &'static str) {
    // The name in a consumption only had to be that of a set.
    if errors.require_text(set, name) && (name == "name" || errors.since(35)) {
        errors.each_of(set, name, names::is_dns1123_label(set.text(name)));
    }
    match set.len("counters") {
        0 => errors.required(&set.at("counters"), ""),
        count if count > MAX_COUNTERS && errors.since(35) => {
            errors.too_many(&set.at("counters"), count, MAX_COUNTERS);
        }
        _ => {
            for (key, _) in set.entries("counters") {
                let path = path_of_key(errors, set, "counters", key, MAX_LABEL);
                errors.each(|| path, key, names::is_dns1123_label(key));
            }
        }
    }
}

/// The longest key of a counter in a path.
const MAX_LABEL: usize = 63;

/// The longest key of an attribute or a capacity in a path: a domain, a slash and a name.
const MAX_QUALIFIED_NAME: usize = 63 + 1 + MAX_ID;

/// Returns the path of an error about the `key` of an entry of the map `field`.
fn path_of_key(errors: &Errors, node: &Node, field: &'static str, key: &str, most: usize) -> Path {
    if errors.since(36) { node.at(field) } else { path_of_entry(node, field, key, most) }
}

/// Returns the path of an entry of the map `field`; the middle of a key of more than `most` bytes is left out.
///
/// Source: `truncateIfTooLong`
fn path_of_entry(node: &Node, field: &'static str, key: &str, most: usize) -> Path {
    const ELLIPSIS: &str = "...";
    if key.len() <= most {
        return node.at(field).key(key);
    }
    let rest = most - ELLIPSIS.len();
    let (start, end) = (&key.as_bytes()[..rest.div_ceil(2)], &key.as_bytes()[key.len() - rest / 2..]);
    let [start, end] = [start, end].map(String::from_utf8_lossy);
    node.at(field).key(format!("{start}{ELLIPSIS}{end}"))
}

/// Implements `validateDevice`.
fn validate_device(errors: &mut Errors, device: &Node, old: Option<&Node>, per_device: bool) {
    errors.each_of(device, "name", names::is_dns1123_label(device.text("name")));
    let mut limit = |count: usize, most: usize, things: &str| {
        if count > most {
            let detail = format!("the total number of {things} must not exceed {most}");
            errors.invalid_value(&device.here(), &Value::from(count), detail);
        }
    };
    let count = device.len("attributes") + device.len("capacity");
    limit(count, MAX_ATTRIBUTES_AND_CAPACITIES, "attributes and capacities");
    let values = |(_, attribute): (&str, &Value)| {
        let attribute = Node::root(attribute);
        LISTS.iter().map(|list| attribute.len(list)).sum::<usize>().max(1)
    };
    limit(device.entries("attributes").map(values).sum(), MAX_ATTRIBUTE_VALUES, "attribute values");
    let path = |field: &'static str, key: &str| path_of_entry(device, field, key, MAX_QUALIFIED_NAME);
    for (key, attribute) in device.entries("attributes") {
        let of_key = path_of_key(errors, device, "attributes", key, MAX_QUALIFIED_NAME);
        validate_qualified_name(errors, key, || of_key.clone());
        validate_attribute(errors, &Node::new(path("attributes", key), attribute));
    }
    for (key, capacity) in device.entries("capacity") {
        let of_key = path_of_key(errors, device, "capacity", key, MAX_QUALIFIED_NAME);
        validate_qualified_name(errors, key, || of_key.clone());
        let capacity = Node::new(path("capacity", key), capacity);
        let Some(policy) = capacity.get("requestPolicy") else { continue };
        if device.flag("allowMultipleAllocations") {
            capacity::validate_request_policy(errors, &policy, &quantity(capacity.raw("value")));
        } else {
            errors.forbidden(&policy.here(), "allowMultipleAllocations must be true");
        }
    }
    let keeps_taints = old.is_some_and(|old| plainly_equal(old.raw("taints"), device.raw("taints")));
    if !keeps_taints || !errors.since(35) {
        validate_list(errors, device, "taints", MAX_TAINTS, |errors, taint| {
            taint::validate_device_taint(errors, taint, None);
        });
    }
    let most = if errors.since(35) { MAX_CONSUMPTIONS } else { usize::MAX };
    validate_named_list(errors, device, "consumesCounters", most, "counterSet", |errors, set| {
        validate_counters(errors, set, "counterSet");
    });
    validate_nodes_of_device(errors, device, per_device);
    validate_binding_conditions(errors, device);
    validate_resource_mappings(errors, device);
}

fn validate_nodes_of_device(errors: &mut Errors, device: &Node, per_device: bool) {
    if !per_device {
        if ["nodeName", "nodeSelector", "allNodes"].iter().any(|field| device.has(field)) {
            let detail = "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to \
                          true in the ResourceSlice spec";
            errors.invalid_value(&device.here(), &Value::Null, detail);
        }
        return;
    }
    let mut set = Vec::new();
    match device.given("nodeName") {
        None => {}
        Some("") => errors.invalid(&device.at("nodeName"), "", "must not be empty"),
        Some(name) => {
            set.push("`nodeName`");
            errors.each_of(device, "nodeName", name_is_dns_subdomain(name, false));
        }
    }
    if let Some(selector) = device.get("nodeSelector") {
        set.push("`nodeSelector`");
        validate_node_selector(errors, &selector, false);
    }
    collect_flag(errors, device, "allNodes", "`allNodes`", &mut set);
    let detail = "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is \
                  set to true in the ResourceSlice spec";
    match set.as_slice() {
        [] => errors.required(&device.here(), detail),
        [_] => {}
        _ => errors.invalid(&device.here(), &format!("{{{}}}", set.join(", ")), detail),
    }
}

/// Implements `validateDeviceAttribute`.
fn validate_attribute(errors: &mut Errors, attribute: &Node) {
    const DETAIL: &str = "exactly one value must be specified";
    let text = |errors: &mut Errors, value: &str, path: Path, is_version: bool| {
        if is_version && !is_semantic_version(value) {
            errors.invalid(&path, value, "must be a string compatible with semver.org spec 2.0.0");
        }
        if value.len() > MAX_ATTRIBUTE_LENGTH {
            errors.too_long(&path, MAX_ATTRIBUTE_LENGTH);
        }
    };
    for (field, is_version) in [("string", false), ("version", true)] {
        if let Some(value) = attribute.given(field) {
            text(errors, value, attribute.at(field), is_version);
        }
    }
    for field in LISTS {
        if attribute.raw(field).is_array() && attribute.len(field) == 0 {
            errors.invalid_value(
                &attribute.at(field),
                attribute.raw(field),
                "must not be empty if specified",
            );
        }
        if ["strings", "versions"].contains(&field) {
            for (index, value) in attribute.texts(field).enumerate() {
                text(errors, value, attribute.at(field).index(index), field == "versions");
            }
        }
    }
    let parts = [
        ("IntValue", "int"),
        ("BoolValue", "bool"),
        ("StringValue", "string"),
        ("VersionValue", "version"),
        ("IntValues", "ints"),
        ("BoolValues", "bools"),
        ("StringValues", "strings"),
        ("VersionValues", "versions"),
    ];
    // Lists came later.
    let parts = if errors.since(36) { &parts[..] } else { &parts[..4] };
    match parts.iter().filter(|(_, field)| attribute.has(field)).count() {
        0 if errors.since(35) => errors.invalid(&attribute.here(), "", DETAIL),
        0 => errors.required(&attribute.here(), DETAIL),
        1 => {}
        _ => {
            let printed: Vec<String> =
                parts.iter().map(|(name, field)| format!("\"{name}\":{}", attribute.raw(field))).collect();
            let printed = printed.join(",");
            errors.invalid_printed(&attribute.here(), format!("{{{printed}}}"), DETAIL);
        }
    }
}

fn is_semantic_version(text: &str) -> bool {
    let (text, build) = text.split_once('+').map_or((text, None), |(text, build)| (text, Some(build)));
    let (numbers, before) = text.split_once('-').map_or((text, None), |(text, before)| (text, Some(before)));
    let is_number = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|byte| byte.is_ascii_digit())
            && (part == "0" || !part.starts_with('0'))
    };
    let is_identifier = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte == b'-' || byte.is_ascii_alphanumeric())
    };
    let is_release_identifier = |part: &str| {
        is_identifier(part) && (is_number(part) || !part.bytes().all(|byte| byte.is_ascii_digit()))
    };
    numbers.split('.').count() == 3
        && numbers.split('.').all(is_number)
        && before.is_none_or(|before| before.split('.').all(is_release_identifier))
        && build.is_none_or(|build| build.split('.').all(is_identifier))
}

/// Implements `validateDeviceBindingParameters`.
pub(super) fn validate_binding_conditions(errors: &mut Errors, device: &Node) {
    let fields = ["bindingConditions", "bindingFailureConditions"];
    for field in fields {
        if device.len(field) > MAX_BINDING_CONDITIONS {
            errors.too_many(&device.at(field), device.len(field), MAX_BINDING_CONDITIONS);
            continue;
        }
        for (index, condition) in device.texts(field).enumerate() {
            let path = || device.at(field).index(index);
            errors.each(path, condition, names::is_qualified_name(condition));
        }
    }
    let [conditions, failures] = fields.map(|field| device.texts(field).collect::<Vec<_>>());
    for (field, texts) in [(fields[0], &conditions), (fields[1], &failures)] {
        for (index, text) in texts.iter().enumerate() {
            if texts[..index].contains(text) {
                errors.duplicate(&device.at(field).index(index), text);
            }
            if field == fields[1] && conditions.contains(text) {
                let detail = "bindingFailureConditions must not overlap with bindingConditions";
                errors.invalid(&device.at(field).index(index), text, detail);
            }
        }
    }
    for (missing, given) in [(0, 1), (1, 0)] {
        let (missing, given) = (fields[missing], fields[given]);
        if device.len(missing) == 0 && device.len(given) > 0 {
            let detail = format!("{missing} are required to use {given}");
            errors.invalid_value(&device.at(missing), device.raw(missing), detail);
        }
    }
}

/// Implements `validateNodeAllocatableResourceMappings`.
fn validate_resource_mappings(errors: &mut Errors, device: &Node) {
    const FIELD: &str = "nodeAllocatableResourceMappings";
    for (name, mapping) in device.entries(FIELD) {
        let mapping = Node::new(device.at(FIELD).key(name), mapping);
        if !is_native_resource(name) {
            errors.invalid(&mapping.here(), name, "must be a node allocatable resource name");
        }
        let (multiplier, key) = (mapping.get("allocationMultiplier"), mapping.given("capacityKey"));
        if multiplier.is_none() && key.is_none() {
            let detail = "at least one of allocationMultiplier or capacityKey must be set";
            errors.invalid(&mapping.here(), "", detail);
        }
        if let Some(multiplier) = multiplier {
            let amount = quantity(multiplier.value());
            if amount.sign() <= 0 {
                errors.invalid(&multiplier.here(), &amount.canonical(), "must be positive");
            }
        }
        match key {
            Some("") => {
                let detail = "capacityKey must not be an empty string";
                errors.invalid(&mapping.at("capacityKey"), "", detail);
            }
            Some(key) if device.raw("capacity").get(key).is_none() => {
                errors.not_found(&mapping.at("capacityKey"), key);
            }
            _ => {}
        }
    }
}
