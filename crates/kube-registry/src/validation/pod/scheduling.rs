//! Placement of pods: selectors, affinity, tolerations, topology spread, gates.
//!
//! Source: `validateAffinity`, `ValidateTolerations`, `validateTopologySpreadConstraints`.

use std::collections::{BTreeMap, BTreeSet};

use crate::validation::metadata::{name_is_dns_subdomain, validate_label_name};
use crate::validation::node::{Errors, Node};
use crate::validation::pod::{Options, Pod};
use crate::validation::selector::{has_invalid_label_selector, validate_label_selector};
use gotext::{names, number};
use kube_api::field::{Error, Rule};

const TAINT_EFFECTS: [&str; 3] = ["NoSchedule", "PreferNoSchedule", "NoExecute"];
const BAD_OPERATOR: &str = "not a valid selector operator";

/// Implements `validateAffinity`.
pub(crate) fn validate_affinity(errors: &mut Errors, pod: &Pod, options: &Options) {
    let Some(affinity) = pod.spec.get("affinity") else { return };
    if let Some(node) = affinity.get("nodeAffinity") {
        if let Some(selector) = node.get("requiredDuringSchedulingIgnoredDuringExecution") {
            validate_node_selector(errors, &selector, options.invalid_node_affinity_values);
        }
        for term in node.items("preferredDuringSchedulingIgnoredDuringExecution") {
            validate_weight(errors, &term);
            validate_node_selector_term(errors, &term.child("preference"), true);
        }
    }
    for kind in ["podAffinity", "podAntiAffinity"] {
        let Some(affinity) = affinity.get(kind) else { continue };
        for term in affinity.items("requiredDuringSchedulingIgnoredDuringExecution") {
            validate_pod_affinity_term(errors, &term, options);
        }
        for term in affinity.items("preferredDuringSchedulingIgnoredDuringExecution") {
            validate_weight(errors, &term);
            validate_pod_affinity_term(errors, &term.child("podAffinityTerm"), options);
        }
    }
}

fn validate_weight(errors: &mut Errors, term: &Node) {
    if !(1..=100).contains(&term.int("weight")) {
        errors.invalid_int(&term.at("weight"), term.int("weight"), "must be in the range 1-100");
    }
}

/// Implements `ValidateNodeSelector`.
pub(crate) fn validate_node_selector(errors: &mut Errors, selector: &Node, invalid_values: bool) {
    if selector.len("nodeSelectorTerms") == 0 {
        errors.required(&selector.at("nodeSelectorTerms"), "must have at least one node selector term");
    }
    for term in selector.items("nodeSelectorTerms") {
        validate_node_selector_term(errors, &term, invalid_values);
    }
}

/// Implements `ValidateNodeSelectorTerm`.
fn validate_node_selector_term(errors: &mut Errors, term: &Node, invalid_values: bool) {
    for requirement in term.items("matchExpressions") {
        validate_node_selector_requirement(errors, &requirement, invalid_values);
    }
    for requirement in term.items("matchFields") {
        validate_node_field_selector_requirement(errors, &requirement);
    }
}

/// Implements `ValidateNodeSelectorRequirement`.
fn validate_node_selector_requirement(errors: &mut Errors, requirement: &Node, invalid_values: bool) {
    let values = requirement.len("values");
    let path = || requirement.at("values");
    match requirement.text("operator") {
        "In" | "NotIn" if values == 0 => {
            errors.required(&path(), "must be specified when `operator` is 'In' or 'NotIn'");
        }
        "Exists" | "DoesNotExist" if values > 0 => {
            errors.forbidden(&path(), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
        }
        "Gt" | "Lt" if values != 1 => {
            errors.required(&path(), "must be specified single value when `operator` is 'Lt' or 'Gt'");
        }
        "In" | "NotIn" | "Exists" | "DoesNotExist" | "Gt" | "Lt" => {}
        other => errors.invalid(&requirement.at("operator"), other, BAD_OPERATOR),
    }
    validate_label_name(errors, requirement, "key");
    if !invalid_values && errors.since(33) {
        for (index, value) in requirement.texts("values").enumerate() {
            errors.each(|| path().index(index), value, names::is_valid_label_value(value));
        }
    }
}

/// Implements `ValidateNodeFieldSelectorRequirement`.
fn validate_node_field_selector_requirement(errors: &mut Errors, requirement: &Node) {
    match requirement.text("operator") {
        "In" | "NotIn" => {
            if requirement.len("values") != 1 {
                let detail =
                    "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
                errors.required(&requirement.at("values"), detail);
            }
        }
        other => errors.invalid(&requirement.at("operator"), other, BAD_OPERATOR),
    }
    if requirement.text("key") == "metadata.name" {
        for (index, value) in requirement.texts("values").enumerate() {
            errors.each(|| requirement.at("values").index(index), value, name_is_dns_subdomain(value, false));
        }
    } else {
        errors.invalid(&requirement.at("key"), requirement.text("key"), "not a valid field selector key");
    }
}

/// Implements `validatePodAffinityTerm`.
fn validate_pod_affinity_term(errors: &mut Errors, term: &Node, options: &Options) {
    validate_label_selector(errors, term, "labelSelector", options.invalid_selector_values);
    validate_label_selector(errors, term, "namespaceSelector", options.invalid_selector_values);
    for namespace in term.texts("namespaces") {
        // Upstream's path has `namespace` without an index.
        errors.each(|| term.at("namespace"), namespace, names::is_dns1123_label(namespace));
    }
    validate_match_label_keys(errors, term);
    if term.text("topologyKey").is_empty() {
        errors.required(&term.at("topologyKey"), "can not be empty");
    }
    validate_label_name(errors, term, "topologyKey");
}

/// Implements `ValidateMatchLabelKeysAndMismatchLabelKeys`.
fn validate_match_label_keys(errors: &mut Errors, term: &Node) {
    for field in ["matchLabelKeys", "mismatchLabelKeys"] {
        if term.len(field) > 0 && !term.has("labelSelector") {
            errors.forbidden(&term.at(field), "must not be specified when labelSelector is not set");
            continue;
        }
        for (index, key) in term.texts(field).enumerate() {
            errors.each(|| term.at(field).index(index), key, names::is_qualified_name(key));
        }
    }
    if term.len("matchLabelKeys") == 0 {
        return;
    }
    let positions: BTreeMap<&str, usize> =
        term.texts("matchLabelKeys").enumerate().map(|(index, key)| (key, index)).collect();
    let selector = term.child("labelSelector");
    let mut keys: BTreeSet<&str> = selector.entries("matchLabels").map(|(key, _)| key).collect();
    for expression in selector.list("matchExpressions").iter().map(Node::root) {
        let key = expression.text("key");
        if let (Some(index), true) = (positions.get(key), keys.contains(key)) {
            let detail = "exists in both matchLabelKeys and labelSelector";
            errors.invalid(&term.here().index(*index), key, detail);
        }
        keys.insert(key);
    }
    let mismatched: BTreeSet<&str> = term.texts("mismatchLabelKeys").collect();
    for (index, key) in term.texts("matchLabelKeys").enumerate() {
        if mismatched.contains(key) {
            let detail = "exists in both matchLabelKeys and mismatchLabelKeys";
            errors.invalid(&term.at("matchLabelKeys").index(index), key, detail);
        }
    }
}

/// Implements `ValidateMatchLabelKeysInTopologySpread`.
fn validate_match_label_keys_in_topology_spread(errors: &mut Errors, constraint: &Node) {
    if constraint.len("matchLabelKeys") == 0 {
        return;
    }
    let path = constraint.at("matchLabelKeys");
    if !constraint.has("labelSelector") {
        errors.forbidden(&path, "must not be specified when labelSelector is not set");
    }
    let selector = constraint.child("labelSelector");
    let mut keys: BTreeSet<&str> = selector.entries("matchLabels").map(|(key, _)| key).collect();
    keys.extend(
        selector.list("matchExpressions").iter().map(|expression| Node::root(expression).text("key")),
    );
    for (index, key) in constraint.texts("matchLabelKeys").enumerate() {
        errors.each(|| path.index(index), key, names::is_qualified_name(key));
        if keys.contains(key) {
            errors.invalid(&path.index(index), key, "exists in both matchLabelKeys and labelSelector");
        }
    }
}

/// Implements `ValidateTolerations`.
pub(crate) fn validate_tolerations<'a>(
    errors: &mut Errors,
    tolerations: impl Iterator<Item = Node<'a>>,
    comparison_operators: bool,
) {
    for toleration in tolerations {
        validate_toleration(errors, &toleration, comparison_operators);
    }
}

/// Runs `ValidateTolerations` on one toleration.
pub(crate) fn validate_toleration(errors: &mut Errors, toleration: &Node, comparison_operators: bool) {
    let (key, value) = (toleration.text("key"), toleration.text("value"));
    let (operator, effect) = (toleration.text("operator"), toleration.text("effect"));
    if !key.is_empty() {
        validate_label_name(errors, toleration, "key");
    } else if operator != "Exists" {
        let detail =
            "operator must be Exists when `key` is empty, which means \"match all values and all keys\"";
        errors.invalid(&toleration.at("operator"), operator, detail);
    }
    if toleration.has("tolerationSeconds") && effect != "NoExecute" {
        let detail = "effect must be 'NoExecute' when `tolerationSeconds` is set";
        errors.invalid(&toleration.at("effect"), effect, detail);
    }
    match operator {
        "Equal" | "" => {
            let messages = names::is_valid_label_value(value);
            if !messages.is_empty() {
                errors.invalid(&toleration.at("operator"), value, messages.join(";"));
            }
        }
        "Exists" if value.is_empty() => {}
        "Exists" => {
            let detail = "value must be empty when `operator` is 'Exists'";
            let error = Error::invalid_text(&toleration.at("operator"), value, detail);
            errors.push(error.of(Rule::ValueOfToleration));
        }
        "Lt" | "Gt" if comparison_operators => validate_decimal_integer(errors, toleration),
        "Lt" | "Gt" => {
            errors.by(Rule::OperatorOfToleration, |errors| {
                errors.not_supported(&toleration.at("operator"), operator, &["Equal", "Exists", "Lt", "Gt"]);
            });
        }
        other => errors.not_supported(&toleration.at("operator"), other, &["Equal", "Exists"]),
    }
    if !effect.is_empty() {
        errors.one_of(toleration, "effect", &TAINT_EFFECTS);
    }
}

/// Validates a comparison's value: `content.IsDecimalInteger`, and that it fits 64 bits.
fn validate_decimal_integer(errors: &mut Errors, toleration: &Node) {
    let value = toleration.text("value");
    if value.is_empty() {
        errors.invalid(&toleration.at("value"), value, "must be non-empty");
    }
    let digits = value.strip_prefix('-').unwrap_or(value);
    let decimal = !digits.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && (digits == "0" && digits == value || !digits.starts_with('0'));
    if !decimal && !value.is_empty() {
        let detail = "must be a valid decimal integer in canonical form";
        errors.invalid(&toleration.at("value"), value, detail);
    }
    if let Err(detail) = number::parse_int(value) {
        errors.invalid(&toleration.at("value"), value, detail);
    }
}

/// Implements `validateTaintEffect` for a taint, which must have one.
pub(crate) fn validate_taint_effect(errors: &mut Errors, taint: &Node) {
    errors.require_one_of(taint, "effect", &TAINT_EFFECTS);
}

/// Implements `validateTopologySpreadConstraints`.
pub(crate) fn validate_topology_spread_constraints(errors: &mut Errors, pod: &Pod, options: &Options) {
    let constraints = pod.spec.list("topologySpreadConstraints");
    for (index, constraint) in pod.spec.items("topologySpreadConstraints").enumerate() {
        errors.positive(&constraint, "maxSkew");
        let (key, action) = (constraint.text("topologyKey"), constraint.text("whenUnsatisfiable"));
        if key.is_empty() {
            errors.required(&constraint.at("topologyKey"), "can not be empty");
        }
        errors.one_of(&constraint, "whenUnsatisfiable", &["DoNotSchedule", "ScheduleAnyway"]);
        let repeated = constraints[index + 1..]
            .iter()
            .map(Node::root)
            .any(|other| other.text("topologyKey") == key && other.text("whenUnsatisfiable") == action);
        if repeated {
            let path = constraint.at("{topologyKey, whenUnsatisfiable}");
            errors.duplicate(&path, &format!("{{{key}, {action}}}"));
        }
        if constraint.has("minDomains") {
            errors.positive(&constraint, "minDomains");
            if action != "DoNotSchedule" {
                let detail =
                    format!("can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {action}");
                errors.invalid_int(&constraint.at("minDomains"), constraint.int("minDomains"), detail);
            }
        }
        errors.optional_one_of(&constraint, "nodeAffinityPolicy", &["Honor", "Ignore"]);
        errors.optional_one_of(&constraint, "nodeTaintsPolicy", &["Honor", "Ignore"]);
        if options.merged_match_label_keys {
            validate_match_label_keys(errors, &constraint);
        } else {
            validate_match_label_keys_in_topology_spread(errors, &constraint);
        }
        if !options.invalid_topology_selector && errors.since(27) {
            validate_label_selector(errors, &constraint, "labelSelector", false);
        }
    }
}

/// Implements `hasInvalidTopologySpreadConstrainMatchLabelKeys`, or the same by the older rules.
pub(crate) fn has_invalid_match_label_keys(spec: &Node, merged: bool) -> bool {
    let mut errors = Errors::default();
    for constraint in spec.items("topologySpreadConstraints") {
        if merged {
            validate_match_label_keys(&mut errors, &constraint);
        } else {
            validate_match_label_keys_in_topology_spread(&mut errors, &constraint);
        }
    }
    !errors.is_empty()
}

/// Implements `hasInvalidLabelValueInAffinitySelector`.
pub(crate) fn has_invalid_pod_affinity_selector(spec: &Node) -> bool {
    ["podAffinity", "podAntiAffinity"].into_iter().any(|kind| {
        let affinity = spec.child("affinity").child(kind);
        let required = affinity.items("requiredDuringSchedulingIgnoredDuringExecution");
        let preferred = affinity.items("preferredDuringSchedulingIgnoredDuringExecution");
        required.chain(preferred.map(|term| term.child("podAffinityTerm"))).any(|term| {
            has_invalid_label_selector(&term, "labelSelector")
                || has_invalid_label_selector(&term, "namespaceSelector")
        })
    })
}

/// Implements `hasInvalidLabelValueInRequiredNodeAffinity`.
pub(crate) fn has_invalid_node_affinity_value(spec: &Node) -> bool {
    let affinity = spec.child("affinity").child("nodeAffinity");
    has_invalid_label_value(&affinity.child("requiredDuringSchedulingIgnoredDuringExecution"))
}

/// Implements `HasInvalidLabelValueInNodeSelectorTerms`.
pub(crate) fn has_invalid_label_value(node_selector: &Node) -> bool {
    node_selector
        .items("nodeSelectorTerms")
        .flat_map(|term| term.items("matchExpressions"))
        .flat_map(|requirement| requirement.texts("values"))
        .any(|value| !names::is_valid_label_value(value).is_empty())
}

/// Implements `validateReadinessGates`, `validateSchedulingGates`.
pub(crate) fn validate_gates(errors: &mut Errors, pod: &Pod) {
    for gate in pod.spec.items("readinessGates") {
        errors.each_of(&gate, "conditionType", names::is_qualified_name(gate.text("conditionType")));
    }
    let mut seen = BTreeSet::new();
    for gate in pod.spec.items("schedulingGates") {
        let name = gate.text("name");
        errors.each(|| gate.here(), name, names::is_qualified_name(name));
        if !seen.insert(name) {
            errors.duplicate(&gate.here(), name);
        }
    }
}
