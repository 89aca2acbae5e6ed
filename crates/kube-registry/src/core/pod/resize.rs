//! Validation of the resize of a pod.
//!
//! Source: `ValidatePodResize`.

use crate::core::pod::update::options;
use crate::core::pod::validate_pod_metadata_and_spec;
use crate::validation::equal::{field_equal, is_empty, semantically_equal};
use crate::validation::metadata::validate_object_meta_update;
use crate::validation::node::{Errors, Node, nameless};
use crate::validation::pod::{MIRROR, containers_of};
use crate::validation::resources::quantity;
use kube_api::Value;
use kube_api::features::Feature;
use kube_api::server_profile::ServerProfile;

const ONLY_CPU_AND_MEMORY: &str = "only cpu and memory resources are mutable";

/// Implements `ValidatePodResize`.
pub(crate) fn validate_pod_resize(errors: &mut Errors, object: &Node, old: &Node, profile: &ServerProfile) {
    if old.child("metadata").raw("annotations").get(MIRROR).is_some() {
        errors.forbidden(&nameless(), "static pods cannot be resized");
        return;
    }
    let (spec, old_spec) = (object.child("spec"), old.child("spec"));
    if old_spec.child("os").text("name") == "windows" {
        errors.forbidden(&nameless(), "windows pods cannot be resized");
        return;
    }
    let options = options(old, profile);
    validate_object_meta_update(errors, object, old);
    validate_pod_metadata_and_spec(errors, object, &options);
    let stored = old.child("status").text("qosClass");
    let before = if stored.is_empty() { qos_class(&old_spec) } else { stored };
    if before != qos_class(&spec) {
        let class = object.child("status").text("qosClass");
        errors.invalid(&spec.here(), class, "Pod QOS Class may not change as a result of resizing");
    }
    let running = |status: &Node| status.child("state").has("running");
    let first = old.child("status").items("containerStatuses").find(running);
    if first.is_some_and(|status| !status.has("resources")) {
        errors.forbidden(&spec.here(), "Pod running on node without support for resize");
    }
    let mut munged = spec.value().clone();
    if !validate_pod_level_resize(errors, &spec, &old_spec, &mut munged, profile) {
        return;
    }
    if old.child("status").len("nodeAllocatableResourceClaimStatuses") > 0 {
        errors.forbidden(&spec.here(), "pods with node allocatable resource claims cannot be resized");
    }
    if !validate_resize_container_ordering(errors, &spec, &old_spec) {
        return;
    }
    let any_init = profile.enabled(Feature::InPlacePodVerticalScalingInitContainers);
    for list in ["initContainers", "containers"] {
        for (now, before) in spec.items(list).zip(old_spec.items(list)) {
            if list == "containers" || any_init || before.text("restartPolicy") == "Always" {
                for kind in ["requests", "limits"] {
                    let (now, before) = (now.child("resources"), before.child("resources"));
                    if removed(&now, &before, kind) {
                        let singular = kind.trim_end_matches('s');
                        errors.forbidden(&now.at(kind), format!("resource {singular}s cannot be removed"));
                    }
                }
            }
        }
    }
    validate_resized_containers(errors, &spec, &old_spec, &mut munged, any_init);
    if errors.is_empty() && !semantically_equal("core/v1.PodSpec", &munged, old_spec.value()) {
        errors.forbidden(&spec.here(), ONLY_CPU_AND_MEMORY);
    }
}

/// Implements `validatePodLevelResourcesResize`; returns whether to continue.
fn validate_pod_level_resize(
    errors: &mut Errors,
    spec: &Node,
    old: &Node,
    munged: &mut Value,
    profile: &ServerProfile,
) -> bool {
    let set = |spec: &Node| {
        let resources = spec.child("resources");
        resources.len("requests") + resources.len("limits") > 0
    };
    if !set(spec) && !set(old) {
        return true;
    }
    if !profile.enabled(Feature::InPlacePodLevelResourcesVerticalScaling) {
        let detail = if errors.since(35) {
            "resize of pods with pod-level resources is forbidden when \
                      InPlacePodLevelResourcesVerticalScalingEnabled feature gate is disabled"
        } else {
            "pods with pod-level resources cannot be resized"
        };
        errors.forbidden(&nameless(), detail);
        return false;
    }
    if old.has("resources") && !spec.has("resources") {
        errors.forbidden(&spec.at("resources"), "pod-level resources cannot be removed");
        return true;
    }
    let (now, before) = (spec.child("resources"), old.child("resources"));
    for (kind, singular) in [("requests", "request"), ("limits", "limit")] {
        if old.has("resources") && removed(&now, &before, kind) {
            errors.forbidden(&now.at(kind), format!("pod-level resource {singular}s cannot be removed"));
        }
    }
    drop_cpu_and_memory(&mut munged["resources"], before.value());
    if !field_equal("core/v1.PodSpec", "resources", munged, old.value()) {
        let bare = munged["resources"].as_object().is_none_or(|fields| fields.values().all(is_empty));
        if bare && !old.has("resources") {
            munged["resources"] = Value::Null;
        } else {
            errors.forbidden(&spec.here(), "only cpu and memory resources are mutable at pod-level");
        }
    }
    true
}

/// Implements `validatePodResizeContainerOrdering`; returns whether containers are the same.
fn validate_resize_container_ordering(errors: &mut Errors, spec: &Node, old: &Node) -> bool {
    let before = errors.len();
    for list in ["containers", "initContainers"] {
        if spec.len(list) != old.len(list) {
            errors.forbidden(&spec.at(list), format!("{list} may not be added or removed on resize"));
            continue;
        }
        for (now, before) in spec.items(list).zip(old.items(list)) {
            if now.text("name") != before.text("name") {
                errors
                    .forbidden(&now.at("name"), format!("{list} may not be renamed or reordered on resize"));
            }
        }
    }
    errors.len() == before
}

/// Checks that containers differ in cpu and memory alone; writes the old amounts into `munged`.
fn validate_resized_containers(
    errors: &mut Errors,
    spec: &Node,
    old: &Node,
    munged: &mut Value,
    any_init: bool,
) {
    for (index, before) in old.list("containers").iter().enumerate() {
        let container = &mut munged["containers"][index];
        drop_cpu_and_memory(&mut container["resources"], &before["resources"]);
        if !semantically_equal("core/v1.Container", container, before) {
            errors.forbidden(&spec.here(), ONLY_CPU_AND_MEMORY);
        }
    }
    for (index, before) in old.list("initContainers").iter().enumerate() {
        let container = &mut munged["initContainers"][index];
        let sidecar = container["restartPolicy"] == "Always";
        let modified = !semantically_equal("core/v1.Container", container, before);
        if !sidecar && !any_init {
            if modified {
                let detail = "resources for non-sidecar init containers are immutable";
                errors.forbidden(&spec.here(), detail);
            }
            continue;
        }
        drop_cpu_and_memory(&mut container["resources"], &before["resources"]);
        let path = || spec.at("initContainers").index(index);
        if !semantically_equal("core/v1.Container", container, before) {
            let detail = "only cpu and memory resources for init or sidecar containers are mutable";
            errors.forbidden(&path(), detail);
        }
        if modified && !sidecar {
            for policy in Node::root(container).list("resizePolicy") {
                if policy["restartPolicy"] == "RestartContainer" {
                    let detail = "non-sidecar init containers with a resize policy of RestartContainer cannot be \
                                  resized";
                    errors.forbidden(&path(), detail);
                }
            }
        }
    }
}

/// Implements `resourcesRemoved`.
fn removed(now: &Node, before: &Node, kind: &str) -> bool {
    before.len(kind) > now.len(kind)
        || before.entries(kind).any(|(name, _)| now.raw(kind).get(name).is_none())
}

/// Implements `dropCPUMemoryUpdates`: sets `resources` to the old amounts of cpu and memory; claims are not compared.
fn drop_cpu_and_memory(resources: &mut Value, before: &Value) {
    if !resources.is_object() {
        *resources = gotext::value::json!({});
    }
    for kind in ["limits", "requests"] {
        for name in ["cpu", "memory"] {
            match before.get(kind).and_then(|amounts| amounts.get(name)) {
                Some(amount) => resources[kind][name] = amount.clone(),
                None => {
                    if let Some(amounts) = resources.get_mut(kind).and_then(Value::as_object_mut) {
                        amounts.remove(name);
                    }
                }
            }
        }
    }
}

/// Implements `ComputePodQOS`.
fn qos_class(spec: &Node) -> &'static str {
    let of_pod = spec.child("resources");
    let sources: Vec<Node> = if of_pod.len("requests") + of_pod.len("limits") > 0 {
        vec![of_pod]
    } else {
        // Ephemeral containers come last and do not count.
        let counted = spec.len("initContainers") + spec.len("containers");
        containers_of(spec).take(counted).map(|container| container.child("resources")).collect()
    };
    let positive = |resources: &Node, kind: &str, name: &str| {
        resources.raw(kind).get(name).map(quantity).filter(|amount| amount.sign() > 0)
    };
    let any = sources.iter().any(|resources| {
        ["requests", "limits"]
            .iter()
            .any(|kind| ["cpu", "memory"].iter().any(|name| positive(resources, kind, name).is_some()))
    });
    if !any {
        return "BestEffort";
    }
    let guaranteed = sources.iter().all(|resources| {
        ["cpu", "memory"].iter().all(|name| {
            let limit = positive(resources, "limits", name);
            limit.is_some()
                && positive(resources, "requests", name).is_none_or(|request| Some(request) == limit)
        })
    });
    if guaranteed { "Guaranteed" } else { "Burstable" }
}
