//! Persistent volume claims, and the templates of them.
//!
//! Source: `ValidatePersistentVolumeClaimSpec`, `ValidatePersistentVolumeClaimUpdate`.

use crate::api::field::Path;
use crate::api::{Value, names};
use crate::registry::validation::difference::difference;
use crate::registry::validation::equal::semantically_equal;
use crate::registry::validation::metadata::{
    Scope, name_is_dns_subdomain, validate_immutable_field, validate_object_meta, validate_object_meta_update,
};
use crate::registry::validation::node::{Errors, IMMUTABLE, Node};
use crate::registry::validation::resources::{
    is_native_resource, quantity, validate_basic_resource, validate_positive_quantity_value,
    validate_resource_quantity_value,
};
use crate::registry::validation::selector::{has_invalid_label_selector, validate_label_selector};

/// `sets.List(supportedAccessModes)`
pub(in crate::registry) const ACCESS_MODES: [&str; 4] =
    ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
/// `sets.List(resizeStatusSet)`
pub(in crate::registry) const RESIZE_STATES: [&str; 5] = [
    "ControllerResizeInProgress",
    "ControllerResizeInfeasible",
    "NodeResizeInProgress",
    "NodeResizeInfeasible",
    "NodeResizePending",
];
pub(in crate::registry) const BETA_CLASS: &str = "volume.beta.kubernetes.io/storage-class";

/// What an old claim has got wrong already.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::registry) struct ClaimOptions {
    invalid_selector_values: bool,
    invalid_api_group: bool,
}

/// `ValidatePersistentVolumeClaim`
pub(in crate::registry) fn validate_persistent_volume_claim(
    errors: &mut Errors,
    object: &Node,
    options: ClaimOptions,
) {
    validate_object_meta(errors, object, Scope::Namespaced, name_is_dns_subdomain);
    validate_persistent_volume_claim_spec(errors, &object.child("spec"), options);
}

/// The access modes of a claim or a volume: known, and `ReadWriteOncePod` alone.
pub(in crate::registry) fn validate_access_modes(errors: &mut Errors, spec: &Node) {
    let (mut single, mut other) = (false, false);
    for mode in spec.texts("accessModes") {
        if !ACCESS_MODES.contains(&mode) {
            errors.not_supported(&spec.at("accessModes"), mode, &ACCESS_MODES);
        } else if mode == "ReadWriteOncePod" {
            single = true;
        } else {
            other = true;
        }
    }
    if single && other {
        errors.forbidden(&spec.at("accessModes"), "may not use ReadWriteOncePod with other access modes");
    }
}

/// `ValidatePersistentVolumeClaimSpec`
pub(in crate::registry) fn validate_persistent_volume_claim_spec(
    errors: &mut Errors,
    spec: &Node,
    options: ClaimOptions,
) {
    if spec.len("accessModes") == 0 {
        errors.required(&spec.at("accessModes"), "at least 1 access mode is required");
    }
    validate_label_selector(errors, spec, "selector", options.invalid_selector_values);
    validate_access_modes(errors, spec);
    let path = spec.at("resources").key("storage");
    match spec.child("resources").raw("requests").get("storage").map(quantity) {
        None => errors.required(&path, ""),
        Some(size) => {
            if validate_positive_quantity_value(errors, &size, &path) {
                validate_resource_quantity_value(errors, "storage", &size, &path);
            }
        }
    }
    validate_class_name(errors, spec, "storageClassName");
    errors.optional_one_of(spec, "volumeMode", &["Block", "Filesystem"]);
    for field in ["dataSource", "dataSourceRef"] {
        if let Some(source) = spec.get(field) {
            validate_data_source(errors, &source, options);
        }
    }
    let (source, reference) = (spec.get("dataSource"), spec.get("dataSourceRef"));
    if let (Some(source), Some(reference)) = (source, reference) {
        let same = ["apiGroup", "kind", "name"].iter().all(|field| source.raw(field) == reference.raw(field));
        let detail = if !reference.text("namespace").is_empty() {
            "may not be specified when dataSourceRef.namespace is specified"
        } else if !same {
            "must match dataSourceRef"
        } else {
            ""
        };
        if !detail.is_empty() {
            // The bad value is a path there, a struct without public fields.
            errors.invalid_printed(&spec.here(), "{}", detail);
        }
    }
    validate_class_name(errors, spec, "volumeAttributesClassName");
}

pub(in crate::registry) fn validate_class_name(errors: &mut Errors, spec: &Node, field: &'static str) {
    if !spec.text(field).is_empty() {
        errors.each_of(spec, field, name_is_dns_subdomain(spec.text(field), false));
    }
}

/// `validateDataSource`, `validateDataSourceRef`
pub(in crate::registry) fn validate_data_source(errors: &mut Errors, source: &Node, options: ClaimOptions) {
    errors.require_text(source, "name");
    errors.require_text(source, "kind");
    let group = source.text("apiGroup");
    if group.is_empty() && source.text("kind") != "PersistentVolumeClaim" {
        let detail = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
        errors.invalid(&source.here(), source.text("kind"), detail);
    }
    if !group.is_empty() && !options.invalid_api_group {
        errors.each_of(source, "apiGroup", names::is_dns1123_subdomain(group));
    }
    if !source.text("namespace").is_empty() {
        errors.each_of(source, "namespace", names::is_dns1123_label(source.text("namespace")));
    }
}

/// `ValidatePersistentVolumeClaimUpdate`
pub(in crate::registry) fn validate_persistent_volume_claim_update(
    errors: &mut Errors,
    object: &Node,
    old: &Node,
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
        if new_annotation != old_annotation {
            let path = Path::new("metadata").child("annotations").child(BETA_CLASS);
            let value = new_annotation.as_ref().and_then(Value::as_str).unwrap_or_default();
            errors.invalid(&path, value, IMMUTABLE);
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
    if !semantically_equal(&now, &then) {
        let changes = difference("internal.PersistentVolumeClaimSpec", &then, &now);
        let detail = format!(
            "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound \
             claims\n{changes}"
        );
        errors.forbidden(&spec.here(), detail);
    }
    validate_size_update(errors, &spec, &before, old);
    validate_immutable_field(errors, &Node::root(spec.value()), &Node::root(before.value()), "volumeMode");
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

pub(in crate::registry) fn validate_size_update(errors: &mut Errors, spec: &Node, before: &Node, old: &Node) {
    let size = |spec: &Node| quantity(&spec.child("resources").raw("requests")["storage"]);
    let capacity = quantity(&old.child("status").raw("capacity")["storage"]);
    if size(spec) < size(before) && size(spec) <= capacity {
        let path = spec.below(&["resources", "requests", "storage"]);
        errors.forbidden(&path, "field can not be less than status.capacity");
    }
}

/// `ValidatePersistentVolumeClaimStatusUpdate`; the resource version that it asks for is the server's own to fill in.
pub(in crate::registry) fn validate_persistent_volume_claim_status_update(
    errors: &mut Errors,
    object: &Node,
    old: &Node,
) {
    validate_object_meta_update(errors, object, old);
    if object.child("spec").len("accessModes") == 0 {
        errors.required(&Path::new("Spec").child("accessModes"), "");
    }
    let status = object.child("status");
    for (name, amount) in status.entries("capacity") {
        validate_basic_resource(errors, &quantity(amount), &status.at("capacity").key(name));
    }
    for (name, state) in status.pairs("allocatedResourceStatuses") {
        let path = status.at("allocatedResourceStatuses");
        validate_resource_key(errors, name, &path);
        if !RESIZE_STATES.contains(&state) {
            errors.not_supported(&path, name, &RESIZE_STATES);
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

/// `validatePersistentVolumeClaimResourceKey`; says whether nothing is wrong.
pub(in crate::registry) fn validate_resource_key(errors: &mut Errors, name: &str, path: &Path) -> bool {
    let before = errors.len();
    errors.each(|| path.clone(), name, names::is_qualified_name(name));
    if errors.len() == before && is_native_resource(name) && name != "storage" {
        errors.not_supported(path, name, &["storage"]);
    }
    errors.len() == before
}
