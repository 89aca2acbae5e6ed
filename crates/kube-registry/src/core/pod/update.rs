//! Validation of changes of a pod: by an update, through ephemeral containers.
//!
//! Source: `ValidatePodUpdate`, `ValidatePodEphemeralContainersUpdate`.

use crate::core::pod::validate_pod_metadata_and_spec;
use crate::validation::difference::difference;
use crate::validation::equal::{plainly_equal, semantically_equal};
use crate::validation::metadata::validate_object_meta_update;
use crate::validation::node::{Errors, Node, nameless};
use crate::validation::pod::scheduling::validate_tolerations;
use crate::validation::pod::{APP_ARMOR_PREFIX, MIRROR, Options, validate_pod_specific_annotations};
use gotext::names;
use gotext::quote;
use kube_api::server_profile::ServerProfile;
use kube_api::tree::copy_in;
use kube_api::{Value, internal_json};

/// Returns what the releases from 1.`minor` on say of a change of what may not change.
fn updatable(minor: u32) -> &'static str {
    match minor {
        ..22 => {
            "pod updates may not change fields other than `spec.containers[*].image`, `spec.initContainers[*].image`, \
             `spec.activeDeadlineSeconds` or `spec.tolerations` (only additions to existing tolerations)\n"
        }
        22..27 => {
            "pod updates may not change fields other than `spec.containers[*].image`, `spec.initContainers[*].image`, \
             `spec.activeDeadlineSeconds`, `spec.tolerations` (only additions to existing tolerations) or \
             `spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n"
        }
        _ => {
            "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,\
             `spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),\
             `spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n"
        }
    }
}

const SELECTOR_TERM: &str = "internal.NodeSelectorTerm";

pub(crate) fn options<'a>(old: &Node, profile: &'a ServerProfile) -> Options<'a> {
    Options { resource_is_pod: true, ..Options::new(profile, Some(old)) }
}

/// Implements `ValidatePodUpdate`.
pub(crate) fn validate_pod_update(errors: &mut Errors, object: &Node, old: &Node, profile: &ServerProfile) {
    let options = options(old, profile);
    let (spec, old_spec) = (object.child("spec"), old.child("spec"));
    validate_object_meta_update(errors, object, old);
    validate_pod_metadata_and_spec(errors, object, &options);
    validate_annotation_updates(errors, object, old, &options);
    for list in ["containers", "initContainers"] {
        if !validate_container_updates(errors, &spec, &old_spec, list) {
            return;
        }
    }
    if !validate_active_deadline_update(errors, &spec, &old_spec) {
        return;
    }
    validate_only_added_tolerations(errors, &spec, &old_spec, &options);
    validate_only_deleted_scheduling_gates(errors, &spec, &old_spec);
    if semantically_equal("core/v1.PodSpec", spec.value(), old_spec.value()) {
        return;
    }
    let mut munged = spec.value().clone();
    for list in ["containers", "initContainers"] {
        copy_images(&mut munged, old_spec.value(), list);
    }
    for field in ["activeDeadlineSeconds", "schedulingGates", "tolerations"] {
        copy_in(&mut munged, old_spec.value(), field);
    }
    if old_spec.int("terminationGracePeriodSeconds") < 0
        && spec.number("terminationGracePeriodSeconds") == Some(1)
    {
        copy_in(&mut munged, old_spec.value(), "terminationGracePeriodSeconds");
    }
    if old_spec.len("schedulingGates") > 0 {
        validate_gated_pod_update(errors, &spec, &old_spec, &mut munged);
    }
    if !semantically_equal("core/v1.PodSpec", &munged, old_spec.value()) {
        let changes = difference(profile.release(), "internal.PodSpec", old_spec.value(), &munged);
        errors.forbidden(&spec.here(), updatable(errors.release().minor).to_owned() + &changes);
    }
}

/// Validates what only a gated pod may change: its node selector and its node affinity, which may become stricter.
fn validate_gated_pod_update(errors: &mut Errors, spec: &Node, old: &Node, munged: &mut Value) {
    let kept =
        old.entries("nodeSelector").all(|(key, value)| spec.raw("nodeSelector").get(key) == Some(value));
    if !kept {
        let detail = "only additions to spec.nodeSelector are allowed (no mutations or deletions)";
        errors.invalid_value(&spec.at("nodeSelector"), spec.raw("nodeSelector"), detail);
    }
    copy_in(munged, old.value(), "nodeSelector");
    let affinity = |spec: &Node| spec.raw("affinity").get("nodeAffinity").cloned().unwrap_or(Value::Null);
    let (now, before) = (affinity(spec), affinity(old));
    if semantically_equal("core/v1.NodeAffinity", &now, &before) {
        return;
    }
    validate_node_affinity_mutation(errors, spec, &now, &before);
    if munged["affinity"].is_null() {
        munged["affinity"] = gotext::value::json!({});
    }
    munged["affinity"]["nodeAffinity"] = before;
    let empty = munged["affinity"].as_object().is_none_or(|affinity| affinity.values().all(Value::is_null));
    if empty && !old.has("affinity") {
        munged["affinity"] = Value::Null;
    }
}

/// Implements `validateNodeAffinityMutation`.
fn validate_node_affinity_mutation(errors: &mut Errors, spec: &Node, now: &Value, before: &Value) {
    let terms = |affinity: &Value| -> Vec<Value> {
        let required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution");
        let terms = required.and_then(|required| required.get("nodeSelectorTerms"));
        terms.and_then(Value::as_array).cloned().unwrap_or_default()
    };
    let path = || {
        let affinity =
            spec.below(&["affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"]);
        affinity.child("nodeSelectorTerms")
    };
    let (now, before) = (terms(now), terms(before));
    if !before.is_empty() && before.len() != now.len() {
        let detail = "no additions/deletions to non-empty NodeSelectorTerms list are allowed";
        let printed: Vec<_> = now.iter().map(|term| internal_json::compact(SELECTOR_TERM, term)).collect();
        let printed = if now.is_empty() { "null".to_owned() } else { format!("[{}]", printed.join(",")) };
        errors.invalid_printed(&path(), printed, detail);
        return;
    }
    for (index, (now, before)) in now.iter().zip(&before).enumerate() {
        if !only_adds(&Node::root(now), &Node::root(before)) {
            let detail = "only additions are allowed (no mutations or deletions)";
            errors.invalid_typed(&path().index(index), SELECTOR_TERM, now, detail);
        }
    }
}

/// Implements `validateNodeSelectorTermHasOnlyAdditions`.
fn only_adds(now: &Node, before: &Node) -> bool {
    let lists = ["matchExpressions", "matchFields"];
    if lists.iter().all(|list| before.len(list) == 0) {
        return lists.iter().all(|list| now.len(list) == 0);
    }
    lists.iter().all(|list| {
        let (now, before) = (now.list(list), before.list(list));
        now.len() >= before.len() && before.iter().zip(now).all(|(before, now)| plainly_equal(before, now))
    })
}

fn copy_images(target: &mut Value, source: &Value, list: &str) {
    let containers = target.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten();
    let before = source.get(list).and_then(Value::as_array).into_iter().flatten();
    for (container, before) in containers.zip(before) {
        copy_in(container, before, "image");
    }
}

/// Implements `ValidatePodSpecificAnnotationUpdates`.
pub(crate) fn validate_annotation_updates(errors: &mut Errors, object: &Node, old: &Node, options: &Options) {
    let (metadata, before) = (object.child("metadata"), old.child("metadata"));
    let path = |key: &str| metadata.at("annotations").key(key);
    for (key, value) in before.entries("annotations") {
        if metadata.raw("annotations").get(key) == Some(value) {
            continue;
        }
        if key.starts_with(APP_ARMOR_PREFIX) {
            errors.forbidden(&path(key), "may not remove or update AppArmor annotations");
        }
        if key == MIRROR {
            errors.forbidden(&path(key), "may not remove or update mirror pod annotation");
        }
    }
    for (key, _) in metadata.entries("annotations") {
        if before.raw("annotations").get(key).is_some() {
            continue;
        }
        if key.starts_with(APP_ARMOR_PREFIX) {
            errors.forbidden(&path(key), "may not add AppArmor annotations");
        }
        if key == MIRROR {
            errors.forbidden(&path(key), "may not add mirror pod annotation");
        }
    }
    validate_pod_specific_annotations(errors, &metadata, &object.child("spec"), options);
}

/// Implements `ValidateContainerUpdates`; returns whether to continue.
fn validate_container_updates(errors: &mut Errors, spec: &Node, old: &Node, list: &'static str) -> bool {
    if spec.len(list) != old.len(list) {
        errors.forbidden(&spec.at(list), "pod updates may not add or remove containers");
        return false;
    }
    for container in spec.items(list) {
        errors.require_text(&container, "image");
        crate::validation::pod::containers::validate_container_only_for_pod(errors, &container);
    }
    true
}

/// Checks that the deadline only comes nearer; returns whether to continue.
fn validate_active_deadline_update(errors: &mut Errors, spec: &Node, old: &Node) -> bool {
    let path = || spec.at("activeDeadlineSeconds");
    match (spec.number("activeDeadlineSeconds"), old.number("activeDeadlineSeconds")) {
        (Some(now), before) => {
            let messages = names::is_in_range(now, 0, i64::from(i32::MAX));
            if let Some(message) = messages.into_iter().next() {
                errors.invalid_int(&path(), now, message);
                return false;
            }
            if before.is_some_and(|before| before < now) {
                errors.invalid_int(&path(), now, "must be less than or equal to previous value");
                return false;
            }
        }
        (None, Some(_)) => {
            errors.invalid_printed(&path(), "null", "must not update from a positive integer to nil value");
        }
        (None, None) => {}
    }
    true
}

/// Implements `validateOnlyAddedTolerations`.
fn validate_only_added_tolerations(errors: &mut Errors, spec: &Node, old: &Node, options: &Options) {
    let without_seconds = |toleration: &Value| {
        let mut toleration = toleration.clone();
        if let Some(fields) = toleration.as_object_mut() {
            fields.remove("tolerationSeconds");
        }
        toleration
    };
    let now: Vec<Value> = spec.list("tolerations").iter().map(without_seconds).collect();
    if !old.list("tolerations").iter().map(without_seconds).all(|before| now.contains(&before)) {
        let detail = "existing toleration can not be modified except its tolerationSeconds";
        errors.forbidden(&spec.at("tolerations"), detail);
        return;
    }
    validate_tolerations(errors, spec.items("tolerations"), options.comparison_operators);
}

/// Implements `validateOnlyDeletedSchedulingGates`.
fn validate_only_deleted_scheduling_gates(errors: &mut Errors, spec: &Node, old: &Node) {
    let before: Vec<&str> =
        old.list("schedulingGates").iter().map(|gate| Node::root(gate).text("name")).collect();
    for gate in spec.items("schedulingGates") {
        let name = gate.text("name");
        if !before.contains(&name) {
            let detail = format!("only deletion is allowed, but found new scheduling gate '{name}'");
            errors.forbidden(&gate.at("name"), detail);
        }
    }
}

/// Implements `ValidatePodEphemeralContainersUpdate`.
pub(crate) fn validate_pod_ephemeral_containers_update(
    errors: &mut Errors,
    object: &Node,
    old: &Node,
    profile: &ServerProfile,
) {
    if old.child("metadata").raw("annotations").get(MIRROR).is_some() && errors.since(27) {
        errors.forbidden(&nameless(), "static pods do not support ephemeral containers");
        return;
    }
    let options = options(old, profile);
    validate_object_meta_update(errors, object, old);
    validate_pod_metadata_and_spec(errors, object, &options);
    validate_annotation_updates(errors, object, old, &options);
    let spec = object.child("spec");
    for before in old.child("spec").list("ephemeralContainers") {
        let name = Node::root(before).text("name");
        let now =
            spec.list("ephemeralContainers").iter().rev().find(|now| Node::root(now).text("name") == name);
        let quoted = quote(name);
        let detail = match now {
            None => format!("existing ephemeral containers {quoted} may not be removed\n"),
            Some(now) if !semantically_equal("core/v1.EphemeralContainer", before, now) => {
                let changes = difference(profile.release(), "internal.EphemeralContainer", before, now);
                format!("existing ephemeral containers {quoted} may not be changed\n{changes}")
            }
            Some(_) => continue,
        };
        errors.forbidden(&spec.at("ephemeralContainers"), detail);
    }
}
