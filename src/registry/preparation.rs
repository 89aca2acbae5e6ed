//! What the server fills in before an object is stored.

pub(in crate::registry) mod certificate;
pub(in crate::registry) mod status;
pub(in crate::registry) mod volume;

use serde_json::json;

use crate::api::tree::{
    child, child_mut, copy, descend, has, items_mut, list, made, remove_key, set, set_if_zero, text,
};
use crate::api::{Map, Object, Value};
use crate::registry::defaults;

pub(in crate::registry) fn namespace_for_create(namespace: &mut Map) {
    const FINALIZER: &str = "kubernetes";
    let spec = made(namespace, "spec");
    if !list(spec, "finalizers").iter().any(|finalizer| finalizer == FINALIZER) {
        match spec.get_mut("finalizers") {
            Some(Value::Array(finalizers)) => finalizers.push(FINALIZER.into()),
            _ => set(spec, "finalizers", json!([FINALIZER])),
        }
    }
    defaults::core::label_namespace(namespace);
}

pub(in crate::registry) fn node_for_create(node: &mut Map) {
    for (part, field) in [("spec", "configSource"), ("status", "config")] {
        if let Some(part) = child_mut(node, part) {
            part.remove(field);
        }
    }
}

/// Of a reference to a secret, a service account keeps the name.
pub(in crate::registry) fn clean_secret_references(account: &mut Map) {
    for secret in items_mut(account, "secrets") {
        secret.retain(|field, _| field == "name");
    }
}

/// Counts the templates that a `DaemonSet` has had, in an annotation.
pub(in crate::registry) fn template_generation(daemon_set: &mut Map, old: Option<&Map>) {
    const ANNOTATION: &str = "deprecated.daemonset.template.generation";
    fn generation(daemon_set: &Map) -> i64 {
        let annotations = descend(daemon_set, &["metadata", "annotations"]);
        annotations.and_then(|annotations| text(annotations, ANNOTATION).parse().ok()).unwrap_or_default()
    }
    let template = |daemon_set| child(daemon_set, "spec").and_then(|spec| spec.get("template"));
    let generation = match old {
        None => generation(daemon_set).max(1),
        Some(old) if template(old) == template(daemon_set) => generation(old),
        Some(old) => generation(old).saturating_add(1),
    };
    set(made(made(daemon_set, "metadata"), "annotations"), ANNOTATION, generation.to_string());
}

/// `autoscaling/v1` keeps part of the status in annotations.
pub(in crate::registry) fn drop_status_annotations(autoscaler: &mut Map) {
    if let Some(metadata) = child_mut(autoscaler, "metadata") {
        for annotation in
            crate::registry::autoscaling::horizontal_pod_autoscaler::defaults::STATUS_ANNOTATIONS
        {
            remove_key(metadata, "annotations", annotation);
        }
    }
}

/// A token is for the server itself unless it says for whom; the server's name is the one that kubeadm gives it.
///
/// Source: `TokenREST.Create`.
pub(in crate::registry) fn token_audiences(request: &mut Map) {
    let spec = made(request, "spec");
    if list(spec, "audiences").is_empty() {
        set(spec, "audiences", json!(["https://kubernetes.default.svc.cluster.local"]));
    }
}

/// A configuration source goes, unless the node has had one.
pub(in crate::registry) fn node_for_update(node: &mut Map, old: &Map) {
    copy(node, old, "status");
    if descend(old, &["spec"]).is_none_or(|spec| !has(spec, "configSource"))
        && let Some(spec) = child_mut(node, "spec")
    {
        spec.remove("configSource");
    }
}

/// Drops a field of endpoints that the version does not have.
pub(in crate::registry) fn drop_topology(slice: &mut Map) {
    items_mut(slice, "endpoints").for_each(|endpoint| drop(endpoint.remove("deprecatedTopology")));
}

/// Conditions of a new Pod begin when it is created.
pub(in crate::registry) fn condition_times(pod: &mut Map, old: Option<&Object>, now: &str) {
    if old.is_some() {
        return;
    }
    for condition in child_mut(pod, "status").into_iter().flat_map(|status| items_mut(status, "conditions")) {
        set_if_zero(condition, "lastTransitionTime", now);
    }
}

/// Conditions without times get that of the update.
pub(in crate::registry) fn csr_times(request: &mut Map, now: &str) {
    for condition in
        child_mut(request, "status").into_iter().flat_map(|status| items_mut(status, "conditions"))
    {
        set_if_zero(condition, "lastUpdateTime", now);
        set_if_zero(condition, "lastTransitionTime", now);
    }
}
