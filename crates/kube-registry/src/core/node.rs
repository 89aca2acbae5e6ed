//! Nodes.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/core`.

mod annotations;
mod kubelet_configuration;

use crate::defaults::resources;
use crate::gated::{Fields, Gated, fields};
use crate::strategy::{ObjectStatus, Scope, Strategy, SubResource};
use crate::validation::address::is_valid_cidr_for_legacy_field;
use crate::validation::metadata::{
    name_is_dns_subdomain, validate_label_name, validate_object_meta, validate_object_meta_update,
};
use crate::validation::node::{Errors, Node};
use crate::validation::pod::validate_taint_effect;
use crate::validation::resources::{quantity, validate_resource_quantity_value};
use crate::warnings;
use gotext::names;
use gotext::net::parse_cidr_sloppy;
use gotext::quote;
use gotext::value::json;
use kube_api::features::Feature;
use kube_api::field::{Path, Rule};
use kube_api::server_profile::ServerProfile;
use kube_api::tree::{child_mut, copy, set};
use kube_api::{Map, Object, Value};
use std::collections::BTreeSet;

/// The strategy of `Node`.
pub(crate) static STRATEGY: Strategy = Strategy {
    defaults: Some(|object, _, _| set_defaults(object)),
    status: ObjectStatus::Users,
    prepare_for_create: Some(|node, _, _| node_for_create(node)),
    prepare_for_update: Some(|node, old, _| node_for_update(node, old)),
    gated: &[Gated::Below(&[], NODE)],
    validate: Some(|errors, object, old, context| {
        validate_node(errors, object, context.profile);
        if let Some(old) = old {
            validate_node_update(errors, object, old);
        }
    }),
    warnings: Some(warnings),
    sub_resources: &[SubResource {
        prepare_for_update: Some(|node, old, _| status_for_update(node, old)),
        validate_update: Some(|errors, object, old, _| validate_node_update(errors, object, old)),
        ..SubResource::new("status")
    }],
    ..Strategy::new("", "Node")
};

const NODE: &[Fields] = &[
    fields(&[Feature::NodeDeclaredFeatures], &["status/declaredFeatures"]),
    fields(&[Feature::SupplementalGroupsPolicy], &["status/features"]),
    fields(&[Feature::RecursiveReadOnlyMounts], &["status/runtimeHandlers"]),
];

pub(crate) fn warnings(object: &Object, _: Option<&Object>, _: &ServerProfile) -> Vec<String> {
    let mut warnings = Vec::new();
    let Value::Object(map) = &object.value else { return warnings };
    let empty = Map::new();
    let spec = map.child("spec").unwrap_or(&empty);
    node(spec, &mut warnings);
    warnings
}

/// Sets the defaults of `Node`.
fn set_defaults(node: &mut Map) {
    if let Some(spec) = child_mut(node, "spec") {
        pod_networks(spec);
    }
    if let Some(status) = child_mut(node, "status") {
        if !status.has("allocatable") && !status.is_zero("capacity") {
            let capacity = status["capacity"].clone();
            set(status, "allocatable", capacity);
        }
        resources::round_up(status, "capacity");
        resources::round_up(status, "allocatable");
    }
}

/// Aligns `podCIDR` with the first of `podCIDRs`; it takes precedence for the sake of older clients.
fn pod_networks(spec: &mut Map) {
    let only = spec.text("podCIDR");
    let first = spec.list("podCIDRs").first().and_then(Value::as_str).unwrap_or_default();
    if !only.is_empty() && only != first {
        let networks = json!([only]);
        set(spec, "podCIDRs", networks);
    } else if only.is_empty() && !first.is_empty() {
        let first = first.to_owned();
        set(spec, "podCIDR", first);
    }
}

fn node_for_create(node: &mut Map) {
    for (part, field) in [("spec", "configSource"), ("status", "config")] {
        if let Some(part) = child_mut(node, part) {
            part.remove(field);
        }
    }
}

/// Drops a configuration source unless the node has had one.
fn node_for_update(node: &mut Map, old: &Map) {
    copy(node, old, "status");
    if old.child("spec").is_none_or(|spec| !spec.has("configSource"))
        && let Some(spec) = child_mut(node, "spec")
    {
        spec.remove("configSource");
    }
}

/// Drops the status of a configuration source unless the node has had one.
fn status_for_update(node: &mut Map, old: &Map) {
    copy(node, old, "spec");
    if old.child("status").is_none_or(|status| !status.has("config"))
        && let Some(status) = child_mut(node, "status")
    {
        status.remove("config");
    }
}

/// Implements `ValidateNode`.
fn validate_node(errors: &mut Errors, object: &Node, profile: &ServerProfile) {
    validate_object_meta(errors, object, Scope::Cluster, name_is_dns_subdomain);
    annotations::validate_node_annotations(errors, object);
    validate_node_taints(errors, object);
    validate_node_resources(errors, object);
    if let Some(swap) =
        object.child("status").child("nodeInfo").get("swap").filter(|swap| swap.has("capacity"))
    {
        let swap = Node::new(Path::new("metadata").child("nodeSwapStatus"), swap.value());
        errors.positive(&swap, "capacity");
    }
    validate_node_declared_features(errors, object);
    let spec = object.child("spec");
    for (index, range) in spec.texts("podCIDRs").enumerate() {
        let path = || spec.at("podCIDRs").index(index);
        errors.by(Rule::PodRange, |errors| {
            is_valid_cidr_for_legacy_field(errors, path, range, profile, std::iter::empty());
        });
    }
    let families: Vec<bool> =
        spec.texts("podCIDRs").filter_map(parse_cidr_sloppy).map(|range| range.is_v6()).collect();
    let count = spec.len("podCIDRs");
    if count > 1 && families.len() == count && (count > 2 || families[0] == families[1]) {
        let detail = "may specify no more than one CIDR for each IP family";
        errors.invalid_value(&spec.at("podCIDRs"), spec.raw("podCIDRs"), detail);
    }
}

/// Implements `validateNodeTaints`; upstream names them as if they were metadata.
fn validate_node_taints(errors: &mut Errors, object: &Node) {
    validate_taints(errors, Node::new(object.at("metadata"), object.raw("spec")).items("taints"));
}

/// Implements `validateNodeTaints` on the items of a list.
fn validate_taints<'a>(errors: &mut Errors, taints: impl Iterator<Item = Node<'a>>) {
    let mut seen = BTreeSet::new();
    for taint in taints {
        validate_label_name(errors, &taint, "key");
        let messages = names::is_valid_label_value(taint.text("value"));
        if !messages.is_empty() {
            errors.invalid(&taint.at("value"), taint.text("value"), messages.join(";"));
        }
        validate_taint_effect(errors, &taint);
        if !seen.insert((taint.text("effect"), taint.text("key"))) {
            let detail = "taints must be unique by key and effect pair";
            errors.duplicate_typed(&taint.here(), "internal.Taint", taint.value(), detail);
        }
    }
}

/// Implements `ValidateNodeResources`.
fn validate_node_resources(errors: &mut Errors, object: &Node) {
    let status = object.child("status");
    for field in ["capacity", "allocatable"] {
        for (name, value) in status.entries(field) {
            let path = status.at(field).child(name.to_owned());
            validate_resource_quantity_value(errors, name, &quantity(value), &path);
        }
    }
}

/// Implements `validateNodeDeclaredFeatures`.
fn validate_node_declared_features(errors: &mut Errors, object: &Node) {
    let status = object.child("status");
    let path = |index: usize| status.at("declaredFeatures").index(index);
    let features: Vec<&str> = status.texts("declaredFeatures").collect();
    for (index, feature) in features.iter().enumerate() {
        let quoted = quote(feature);
        if feature.len() > 253 {
            let detail = format!("invalid feature name {quoted}: must be no more than 253 characters");
            errors.invalid(&path(index), feature, detail);
        } else if !is_feature_name(feature) {
            let detail = format!(
                "invalid feature name {quoted}: must start with an UpperCamelCase segment, with subsequent segments \
                 separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric \
                 characters and slashes"
            );
            errors.invalid(&path(index), feature, detail);
        }
        let Some(next) = features.get(index + 1) else { continue };
        if next == feature {
            errors.duplicate(&path(index + 1), next);
        } else if feature > next {
            errors.invalid(&path(index + 1), next, "list must be sorted alphabetically");
        }
    }
}

fn is_feature_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_uppercase())
        && name.split('/').all(|segment| {
            segment.starts_with(|first: char| first.is_ascii_alphabetic())
                && segment.bytes().all(|byte| byte.is_ascii_alphanumeric())
        })
}

/// Implements `ValidateNodeUpdate`.
fn validate_node_update(errors: &mut Errors, object: &Node, old: &Node) {
    validate_object_meta_update(errors, object, old);
    annotations::validate_node_annotations(errors, object);
    validate_node_resources(errors, object);
    validate_node_declared_features(errors, object);
    let status = object.child("status");
    let mut seen = BTreeSet::new();
    for address in status.items("addresses") {
        let (kind, text) = (address.text("type"), address.text("address"));
        if !seen.insert((kind, text)) {
            errors.duplicate_typed(&address.here(), "internal.NodeAddress", address.value(), "");
        }
    }
    let (spec, before) = (object.child("spec"), old.child("spec"));
    let (now, then) = (spec.list("podCIDRs"), before.list("podCIDRs"));
    let detail = "node updates may not change podCIDR except from \"\" to valid";
    if !then.is_empty() {
        let changes = if now.len() == then.len() {
            now.iter().zip(then).filter(|(now, then)| now != then).count()
        } else {
            1
        };
        for _ in 0..changes {
            errors.forbidden(&spec.at("podCIDRs"), detail);
        }
    }
    if !before.text("providerID").is_empty() && before.text("providerID") != spec.text("providerID") {
        let detail = "node updates may not change providerID except from \"\" to valid";
        errors.forbidden(&spec.at("providerID"), detail);
    }
    kubelet_configuration::validate_sources(errors, object);
    validate_node_taints(errors, object);
    if spec.text("externalID") != before.text("externalID") {
        errors.forbidden(&spec.at("externalID"), "may not be updated");
    }
}

fn node(spec: &Map, warnings: &mut Vec<String>) {
    if spec.has("configSource") {
        warnings.push("spec.configSource: the feature is removed".to_owned());
    }
    if !spec.is_zero("externalID") {
        warnings.push("spec.externalID: this field is deprecated, and is unused by Kubernetes".to_owned());
    }
    for (index, network) in spec.list("podCIDRs").iter().filter_map(Value::as_str).enumerate() {
        warnings::address::cidr(&Path::new("spec.podCIDRs").index(index), network, warnings);
    }
}
