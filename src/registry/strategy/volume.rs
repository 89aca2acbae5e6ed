//! Where a claim takes its data from.
//!
//! Source: `k8s.io/kubernetes/pkg/api/persistentvolumeclaim`.

use crate::api::features::FeatureGates;
use crate::api::tree::{child, child_mut, has, is_zero, set, text};
use crate::api::{Map, Object, Value};

/// `dataSource` is the old spelling of `dataSourceRef`: each is copied to the other, where the old one can say it.
pub(super) fn claim(claim: &mut Map, old: Option<&Map>, features: &FeatureGates) {
    let old = old.and_then(|old| child(old, "spec"));
    let Some(spec) = child_mut(claim, "spec") else { return };
    let in_use = |field: &str| old.is_some_and(|old| has(old, field));
    let other_namespace =
        child(spec, "dataSourceRef").is_some_and(|reference| !is_zero(reference, "namespace"));
    if other_namespace && !features.enabled("CrossNamespaceVolumeDataSource") && !in_use("dataSourceRef") {
        spec.remove("dataSourceRef");
    }
    if !in_use("dataSource") && !has(spec, "dataSourceRef") {
        let known = child(spec, "dataSource").is_some_and(|source| {
            matches!(
                (text(source, "apiGroup"), text(source, "kind")),
                ("", "PersistentVolumeClaim") | ("snapshot.storage.k8s.io", "VolumeSnapshot")
            )
        });
        if !known {
            spec.remove("dataSource");
        }
    }
    match (child(spec, "dataSource"), child(spec, "dataSourceRef")) {
        (Some(source), None) => {
            let source = Value::Object(source.clone());
            set(spec, "dataSourceRef", source);
        }
        (None, Some(reference)) if is_zero(reference, "namespace") => {
            let mut source = reference.clone();
            source.remove("namespace");
            set(spec, "dataSource", source);
        }
        _ => {}
    }
}

/// When a volume came to its phase: now, if it is new or was in another.
pub(super) fn fill_phase_time(volume: &mut Map, old: Option<&Object>, sub_resource: &str, now: &str) {
    const FIELD: &str = "lastPhaseTransitionTime";
    let Some(status) = child_mut(volume, "status") else { return };
    let Some(old) = old else {
        set(status, FIELD, now);
        return;
    };
    if sub_resource != "status" {
        return;
    }
    let known = old.at(&["status", FIELD]);
    let is_same_phase = old.text(&["status", "phase"]) == text(status, "phase");
    match known {
        Some(time) if is_same_phase && !has(status, FIELD) => set(status, FIELD, time.clone()),
        _ if !is_same_phase && (!has(status, FIELD) || status.get(FIELD) == known) => set(status, FIELD, now),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::created;
    use crate::value::{Value, json};

    fn claim(spec: &Value) -> Value {
        created(&json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "spec": spec}))["spec"].take()
    }

    #[test]
    fn both_spellings_of_the_source_are_given() {
        let source = json!({"apiGroup": null, "kind": "PersistentVolumeClaim", "name": "a"});
        assert_eq!(claim(&json!({"dataSource": source}))["dataSourceRef"], source);
        let populator = json!({"apiGroup": "example.com", "kind": "Populator", "name": "a"});
        assert_eq!(claim(&json!({"dataSourceRef": populator}))["dataSource"], populator);
    }

    #[test]
    fn the_old_spelling_knows_two_kinds() {
        let populator = json!({"apiGroup": "example.com", "kind": "Populator", "name": "a"});
        let spec = claim(&json!({"dataSource": populator}));
        assert_eq!((spec.get("dataSource"), spec.get("dataSourceRef")), (None, None));
        let elsewhere = json!({"kind": "PersistentVolumeClaim", "name": "a", "namespace": "b"});
        assert_eq!(claim(&json!({"dataSourceRef": elsewhere})).get("dataSourceRef"), None);
    }
}
