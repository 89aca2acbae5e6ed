//! Claims of persistent volumes.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/core`.

use std::ops::Range;

use crate::defaults;
use crate::gated::{Fields, Gated, fields};
use crate::preparation::keep_spec;
use crate::strategy::{ObjectStatus, Scope, Strategy, SubResource};
use crate::validation::claim;
use crate::validation::claim::{ClaimOptions, validate_persistent_volume_claim_spec};
use crate::validation::difference::difference;
use crate::validation::equal::semantically_equal;
use crate::validation::metadata::{
    name_is_dns_subdomain, validate_immutable_field, validate_object_meta, validate_object_meta_update,
};
use crate::validation::node::{Errors, IMMUTABLE, Node};
use crate::validation::resources::{
    is_native_resource, quantity, validate_basic_resource, validate_resource_quantity_value,
};
use crate::validation::selector::has_invalid_label_selector;
use crate::warnings::Warnings;
use crate::warnings::volume::{STORAGE_CLASS_ANNOTATION, claim_spec};
use gotext::names;
use kube_api::features::Feature;
use kube_api::field::{Error, Path};
use kube_api::server_profile::ServerProfile;
use kube_api::tree::{child_mut, set};
use kube_api::version::Version;
use kube_api::{Map, Object, Value};

/// The strategy of `PersistentVolumeClaim`.
pub(crate) static STRATEGY: Strategy = Strategy {
    defaults: Some(|object, _, _| defaults::volume::claim(object)),
    status: ObjectStatus::Controllers,
    prepare_for_create: Some(|claim, context, _| prepare(claim, None, context.profile)),
    prepare_for_update: Some(|claim, old, context| prepare(claim, Some(old), context.profile)),
    gated: &[Gated::Below(&[], CLAIM)],
    validate: Some(|errors, object, old, context| match old {
        None => validate_persistent_volume_claim(errors, object, claim::ClaimOptions::default()),
        Some(old) => validate_persistent_volume_claim_update(errors, object, old, context.profile),
    }),
    warnings: Some(warnings),
    sub_resources: &[SubResource {
        prepare_for_update: Some(keep_spec),
        validate_update: Some(|errors, object, old, context| {
            validate_persistent_volume_claim_status_update(errors, object, old, context.profile);
        }),
        ..SubResource::new("status")
    }],
    ..Strategy::new("", "PersistentVolumeClaim")
};

const CLAIM: &[Fields] = &[
    fields(
        &[Feature::VolumeAttributesClass],
        &[
            "spec/volumeAttributesClassName",
            "status/currentVolumeAttributesClassName",
            "status/modifyVolumeStatus",
        ],
    ),
    fields(&[Feature::CSIVolumeHealth], &["status/healthStatus"]),
    fields(&[Feature::RecoverVolumeExpansionFailure], &["status/allocatedResources"]),
    fields(&[Feature::RecoverVolumeExpansionFailure], &["status/allocatedResourceStatuses"]),
];

fn warnings(object: &Object, _: Option<&Object>, warnings: &mut Warnings<'_>) {
    let Value::Object(map) = &object.value else { return };
    let empty = Map::new();
    let spec = map.child("spec").unwrap_or(&empty);
    warning_claim(object, spec, warnings);
}

/// The releases whose claims have the claims of containers among their resources, which mean nothing there.
const CLAIMS_IN_RESOURCES: Range<Version> = Version::minor(26)..Version::minor(29);

fn prepare(claim: &mut Map, old: Option<&Map>, profile: &ServerProfile) {
    if CLAIMS_IN_RESOURCES.contains(&profile.release())
        && let Some(resources) = child_mut(claim, "spec").and_then(|spec| child_mut(spec, "resources"))
    {
        resources.remove("claims");
    }
    complete_data_source(claim, old, profile);
}

/// Copies `dataSource`, the old spelling, to `dataSourceRef` and back, where the old one can express it.
fn complete_data_source(claim: &mut Map, old: Option<&Map>, profile: &ServerProfile) {
    let old = old.and_then(|old| old.child("spec"));
    let Some(spec) = child_mut(claim, "spec") else { return };
    let in_use = |field: &str| old.is_some_and(|old| old.has(field));
    let other_namespace =
        spec.child("dataSourceRef").is_some_and(|reference| !reference.is_zero("namespace"));
    if other_namespace
        && !profile.enabled(Feature::CrossNamespaceVolumeDataSource)
        && !in_use("dataSourceRef")
    {
        spec.remove("dataSourceRef");
    }
    if !in_use("dataSource") && !spec.has("dataSourceRef") {
        let known = spec.child("dataSource").is_some_and(|source| {
            matches!(
                (source.text("apiGroup"), source.text("kind")),
                ("", "PersistentVolumeClaim") | ("snapshot.storage.k8s.io", "VolumeSnapshot")
            )
        });
        if !known {
            spec.remove("dataSource");
        }
    }
    match (spec.child("dataSource"), spec.child("dataSourceRef")) {
        (Some(source), None) => {
            let source = Value::Object(source.clone());
            set(spec, "dataSourceRef", source);
        }
        (None, Some(reference)) if reference.is_zero("namespace") => {
            let mut source = reference.clone();
            source.remove("namespace");
            set(spec, "dataSource", source);
        }
        _ => {}
    }
}

/// `sets.List(resizeStatusSet)`
const RESIZE_STATES: [&str; 5] = [
    "ControllerResizeInProgress",
    "ControllerResizeInfeasible",
    "NodeResizeInProgress",
    "NodeResizeInfeasible",
    "NodeResizePending",
];

/// The states of 1.28 to 1.30.
const FIRST_RESIZE_STATES: [&str; 5] = [
    "ControllerResizeFailed",
    "ControllerResizeInProgress",
    "NodeResizeFailed",
    "NodeResizeInProgress",
    "NodeResizePending",
];

const BETA_CLASS: &str = "volume.beta.kubernetes.io/storage-class";

/// Implements `ValidatePersistentVolumeClaim`.
fn validate_persistent_volume_claim(errors: &mut Errors, object: &Node, options: ClaimOptions) {
    validate_object_meta(errors, object, Scope::Namespaced, name_is_dns_subdomain);
    validate_persistent_volume_claim_spec(errors, &object.child("spec"), options);
}

/// Implements `ValidatePersistentVolumeClaimUpdate`.
fn validate_persistent_volume_claim_update(
    errors: &mut Errors,
    object: &Node,
    old: &Node,
    profile: &ServerProfile,
) {
    let (spec, before) = (object.child("spec"), old.child("spec"));
    let has_group = |field: &str| before.raw(field).get("apiGroup").is_some_and(|group| !group.is_null());
    let options = ClaimOptions {
        invalid_selector_values: has_invalid_label_selector(&before, "selector"),
        invalid_api_group: has_group("dataSource") || has_group("dataSourceRef"),
    };
    validate_object_meta_update(errors, object, old);
    validate_persistent_volume_claim(errors, object, options);
    let (mut now, mut then) = (spec.value().clone(), before.value().clone());
    if before.text("volumeName").is_empty() {
        then["volumeName"] = now["volumeName"].clone();
    }
    let annotation = |claim: &Node| claim.child("metadata").raw("annotations").get(BETA_CLASS).cloned();
    let (new_annotation, old_annotation) = (annotation(object), annotation(old));
    let class = spec.raw("storageClassName");
    let unset = !before.has("storageClassName");
    let moved = unset
        && !class.is_null()
        && old_annotation.as_ref() == Some(class)
        && (new_annotation.is_none() || new_annotation == old_annotation);
    if moved {
        now["storageClassName"] = Value::Null;
    } else {
        let text = |annotation: &Option<Value>| {
            annotation.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        // An empty annotation is like none.
        if text(&new_annotation) != text(&old_annotation) {
            let path = Path::new("metadata").child("annotations").child(BETA_CLASS);
            errors.invalid(&path, text(&new_annotation).as_str(), IMMUTABLE);
        }
        if unset && !class.is_null() && old_annotation.is_none_or(|annotation| annotation == *class) {
            now["storageClassName"] = Value::Null;
        }
    }
    if object.child("status").text("phase") == "Bound" {
        if now["resources"]["requests"].is_object() {
            now["resources"]["requests"]["storage"] = then["resources"]["requests"]["storage"].clone();
        }
        now["volumeAttributesClassName"] = then["volumeAttributesClassName"].clone();
    }
    if !semantically_equal("core/v1.PersistentVolumeClaimSpec", &now, &then) {
        let (whole, class) = match errors.release().minor {
            ..19 => ("", ""),
            19..29 => ("spec ", ""),
            _ => ("spec ", " and volumeAttributesClassName"),
        };
        let mut detail =
            format!("{whole}is immutable after creation except resources.requests{class} for bound claims");
        if errors.since(19) {
            detail += "\n";
            detail += &difference(profile.release(), "internal.PersistentVolumeClaimSpec", &then, &now);
        }
        errors.forbidden(&spec.here(), detail);
    }
    validate_size_update(errors, &spec, &before, old, profile);
    validate_immutable_field(errors, &Node::root(spec.value()), &Node::root(before.value()), "volumeMode");
    if !errors.since(34) {
        return validate_first_class_update(errors, &spec, &before, profile);
    }
    let current = old.child("status").has("currentVolumeAttributesClassName");
    if current && spec.raw("volumeAttributesClassName") != before.raw("volumeAttributesClassName") {
        let what = match spec.given("volumeAttributesClassName") {
            None => "nil",
            Some("") => "empty string",
            Some(_) => return,
        };
        let detail =
            format!("update to {what} is forbidden when status.currentVolumeAttributesClassName is not nil");
        errors.forbidden(&spec.at("volumeAttributesClassName"), detail);
    }
}

/// Checks the change of a class as releases before 1.34 do.
pub(crate) fn validate_first_class_update(
    errors: &mut Errors,
    spec: &Node,
    before: &Node,
    profile: &ServerProfile,
) {
    const FIELD: &str = "volumeAttributesClassName";
    if spec.raw(FIELD) == before.raw(FIELD) {
        return;
    }
    if !profile.enabled(Feature::VolumeAttributesClass) {
        let detail = "update is forbidden when the VolumeAttributesClass feature gate is disabled";
        errors.forbidden(&spec.at(FIELD), detail);
    }
    if before.has(FIELD) && !spec.has(FIELD) {
        errors.forbidden(&spec.at(FIELD), "update from non-nil value to nil is forbidden");
    }
}

fn validate_size_update(
    errors: &mut Errors,
    spec: &Node,
    before: &Node,
    old: &Node,
    profile: &ServerProfile,
) {
    let size = |spec: &Node| quantity(&spec.child("resources").raw("requests")["storage"]);
    let capacity = quantity(&old.child("status").raw("capacity")["storage"]);
    if size(spec) >= size(before) {
        return;
    }
    let path = || spec.below(&["resources", "requests", "storage"]);
    if !profile.enabled(Feature::RecoverVolumeExpansionFailure) {
        errors.forbidden(&path(), "field can not be less than previous value");
    } else if size(spec) <= capacity {
        errors.forbidden(&path(), "field can not be less than status.capacity");
    }
}

/// Implements `ValidatePersistentVolumeClaimStatusUpdate`; the resource version that it requires is filled in by the
/// server.
fn validate_persistent_volume_claim_status_update(
    errors: &mut Errors,
    object: &Node,
    old: &Node,
    profile: &ServerProfile,
) {
    validate_object_meta_update(errors, object, old);
    if object.child("spec").len("accessModes") == 0 {
        errors.required(&Path::new("Spec").child("accessModes"), "");
    }
    let status = object.child("status");
    for (name, amount) in status.entries("capacity") {
        validate_basic_resource(errors, &quantity(amount), &status.at("capacity").key(name));
    }
    let before = old.child("status");
    let recovers = profile.enabled(Feature::RecoverVolumeExpansionFailure)
        || before.has("allocatedResources")
        || before.has("allocatedResourceStatuses");
    if !recovers {
        return;
    }
    let states = if errors.since(31) { &RESIZE_STATES } else { &FIRST_RESIZE_STATES };
    let is_renamed = errors.since(34);
    for (name, state) in status.pairs("allocatedResourceStatuses") {
        let path =
            status.at(if is_renamed { "allocatedResourceStatuses" } else { "allocatedResourceStatus" });
        validate_resource_key(errors, name, &path);
        if !states.contains(&state) {
            let mut error = Error::not_supported(&path, &Value::from(name), states);
            if !is_renamed {
                error.bad_value = Some(name.to_owned());
            }
            errors.push(error);
        }
    }
    for (name, amount) in status.entries("allocatedResources") {
        let path = status.at("allocatedResources");
        if !validate_resource_key(errors, name, &path) {
            continue;
        }
        let (amount, path, before) = (quantity(amount), path.key(name), errors.len());
        validate_basic_resource(errors, &amount, &path);
        if errors.len() == before {
            validate_resource_quantity_value(errors, "storage", &amount, &path);
        }
    }
}

/// Implements `validatePersistentVolumeClaimResourceKey`; returns whether the key is valid.
fn validate_resource_key(errors: &mut Errors, name: &str, path: &Path) -> bool {
    let before = errors.len();
    errors.each(|| path.clone(), name, names::is_qualified_name(name));
    if errors.len() == before && is_native_resource(name) && name != "storage" {
        errors.not_supported(path, name, &["storage"]);
    }
    errors.len() == before
}

fn warning_claim(claim: &Object, spec: &Map, warnings: &mut Warnings<'_>) {
    if claim.annotation(STORAGE_CLASS_ANNOTATION).is_some() && warnings.since(28) {
        warnings.push(format!(
            "metadata.annotations[{STORAGE_CLASS_ANNOTATION}]: deprecated since v1.8; use \"storageClassName\" \
             attribute instead"
        ));
    }
    claim_spec(spec, &Path::new("spec"), warnings);
}

#[cfg(test)]
mod tests {
    use crate::tests::created;
    use gotext::value::{Value, json};

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
