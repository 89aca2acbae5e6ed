//! Workloads and their groups of Pods, whose rules upstream declares with the fields.
//!
//! Source: `k8s.io/kubernetes/pkg/apis/scheduling/v1alpha2`, `k8s.io/kubernetes/pkg/apis/scheduling/validation`.

use crate::validation::equal::field_equal;
use crate::validation::node::{Errors, IMMUTABLE, Node};
use gotext::names;
use kube_api::features::Feature;
use kube_api::field::Error;
use kube_api::server_profile::ServerProfile;
use kube_api::{Value, internal_json};

pub(crate) const MAX_CLAIMS: usize = 4;

pub(crate) const MAX_TEMPLATES: usize = 8;

const MAX_PRIORITY: i64 = 1_000_000_000;

/// Validates fields of the type `name` that must not change, or must not be set while their gate is off. One that changed is
/// also checked for its presence and its length.
pub(crate) fn validate_unchanged(
    errors: &mut Errors,
    name: &str,
    (spec, old): (&Node, &Node),
    fields: &[(&'static str, Option<Feature>)],
    profile: &ServerProfile,
) {
    for (field, gate) in fields {
        if field_equal(name, field, spec.value(), old.value()) {
            continue;
        }
        let is_open = gate.is_none_or(|gate| profile.enabled(gate));
        if *field == "disruptionMode" && is_open && !spec.has(field) {
            errors.required(&spec.at(field), "");
        }
        if gate.is_none_or(|gate| profile.enabled(gate)) {
            errors.invalid_value(&spec.at(field), &Value::Null, IMMUTABLE);
        } else if is_set(spec, field) {
            errors.forbidden(&spec.at(field), "");
        }
        match *field {
            "podGroupTemplates" if spec.len(field) == 0 => errors.required(&spec.at(field), ""),
            "podGroupTemplates" if spec.len(field) > MAX_TEMPLATES => {
                errors.too_many(&spec.at(field), spec.len(field), MAX_TEMPLATES);
            }
            "resourceClaims" if spec.len(field) > MAX_CLAIMS => {
                errors.too_many(&spec.at(field), spec.len(field), MAX_CLAIMS);
            }
            _ => {}
        }
    }
}

pub(crate) fn is_set(spec: &Node, field: &str) -> bool {
    spec.has(field) && spec.given(field) != Some("")
}

/// Validates what groups and the templates of groups share.
pub(crate) fn validate_group(errors: &mut Errors, spec: &Node, profile: &ServerProfile, needs_mode: bool) {
    validate_union(errors, &spec.child("schedulingPolicy"), ["basic", "gang"]);
    if let Some(gang) = spec.child("schedulingPolicy").get("gang") {
        match gang.int("minCount") {
            0 => errors.required(&gang.at("minCount"), ""),
            count if count < 1 => {
                errors.invalid_int(&gang.at("minCount"), count, "must be greater than or equal to 1");
            }
            _ => {}
        }
    }
    let closed = |field: &str, gate| is_set(spec, field) && !profile.enabled(gate);
    if closed("schedulingConstraints", Feature::TopologyAwareWorkloadScheduling) {
        errors.forbidden(&spec.at("schedulingConstraints"), "");
    } else if let Some(constraints) = spec.get("schedulingConstraints") {
        validate_topology(errors, &constraints);
    }
    validate_resource_claims(errors, spec);
    if !profile.enabled(Feature::WorkloadAwarePreemption) {
        for field in ["disruptionMode", "priorityClassName", "priority"] {
            if closed(field, Feature::WorkloadAwarePreemption) {
                errors.forbidden(&spec.at(field), "");
            }
        }
        return;
    }
    if spec.has("disruptionMode") {
        errors.one_of(spec, "disruptionMode", &["Pod", "PodGroup"]);
    } else if needs_mode {
        errors.required(&spec.at("disruptionMode"), "");
    }
    errors.each_of(spec, "priorityClassName", optional_long_name(spec.text("priorityClassName")));
    let priority = spec.int("priority");
    if priority > MAX_PRIORITY {
        let detail = format!("must be less than or equal to {MAX_PRIORITY}");
        errors.invalid_int(&spec.at("priority"), priority, detail);
    }
}

fn validate_topology(errors: &mut Errors, constraints: &Node) {
    if constraints.len("topology") > 1 {
        errors.too_many(&constraints.at("topology"), constraints.len("topology"), 1);
        return;
    }
    for constraint in constraints.items("topology") {
        if errors.require_text(&constraint, "key") {
            errors.each_of(&constraint, "key", names::is_qualified_name(constraint.text("key")));
        }
    }
}

fn validate_resource_claims(errors: &mut Errors, spec: &Node) {
    const FIELD: &str = "resourceClaims";
    if spec.len(FIELD) > MAX_CLAIMS {
        errors.too_many(&spec.at(FIELD), spec.len(FIELD), MAX_CLAIMS);
        return;
    }
    refuse_duplicates(errors, spec, FIELD, "scheduling/v1alpha2.PodGroupResourceClaim");
    let sources = ["resourceClaimName", "resourceClaimTemplateName"];
    for claim in spec.items(FIELD) {
        validate_union(errors, &claim, sources);
        require_short_name(errors, &claim, "name");
        for source in sources {
            if let Some(name) = claim.given(source) {
                errors.each_of(&claim, source, names::is_long_name(name));
            }
        }
    }
}

/// Implements `validate.Union` of two members.
fn validate_union(errors: &mut Errors, node: &Node, members: [&'static str; 2]) {
    let quoted = members.map(|member| format!("`{member}`")).join(", ");
    match members.map(|member| node.has(member)) {
        [false, false] => errors.invalid(&node.here(), "", format!("must specify one of: {quoted}")),
        [true, true] => {
            let given = format!("{{{}}}", members.join(", "));
            errors.invalid(&node.here(), &given, format!("must specify exactly one of: {quoted}"));
        }
        _ => {}
    }
}

/// Implements `validate.Unique` for items that their names distinguish.
pub(crate) fn refuse_duplicates(errors: &mut Errors, node: &Node, field: &'static str, type_name: &str) {
    let mut seen = Vec::new();
    for item in node.items(field) {
        if seen.contains(&item.text("name")) {
            errors.push(Error::duplicate_printed(
                &item.here(),
                internal_json::compact(type_name, item.value()),
            ));
        }
        seen.push(item.text("name"));
    }
}

pub(crate) fn require_short_name(errors: &mut Errors, node: &Node, field: &'static str) {
    if errors.require_text(node, field) {
        errors.each_of(node, field, names::is_short_name(node.text(field)));
    }
}

pub(crate) fn optional_long_name(name: &str) -> Vec<String> {
    if name.is_empty() { Vec::new() } else { names::is_long_name(name) }
}
