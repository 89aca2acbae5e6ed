//! Persistent volume claims, and the templates of them.
//!
//! Source: `ValidatePersistentVolumeClaimSpec`, `ValidatePersistentVolumeClaimUpdate`.

use crate::validation::metadata::name_is_dns_subdomain;
use crate::validation::node::{Errors, Node};
use crate::validation::resources::{
    quantity, validate_positive_quantity_value, validate_resource_quantity_value,
};
use crate::validation::selector::validate_label_selector;
use gotext::names;
use kube_api::field::Rule;

/// `sets.List(supportedAccessModes)`
const ACCESS_MODES: [&str; 4] = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];

/// The faults that an old claim has already.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ClaimOptions {
    pub(crate) invalid_selector_values: bool,
    pub(crate) invalid_api_group: bool,
}

/// Validates the access modes of a claim or a volume: they must be known, and `ReadWriteOncePod` must be alone.
pub(crate) fn validate_access_modes(errors: &mut Errors, spec: &Node) {
    let (mut single, mut other) = (false, false);
    for mode in spec.texts("accessModes") {
        if !ACCESS_MODES.contains(&mode) {
            errors.by(Rule::AccessMode, |errors| {
                errors.not_supported(&spec.at("accessModes"), mode, &ACCESS_MODES);
            });
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

/// Implements `ValidatePersistentVolumeClaimSpec`.
pub(crate) fn validate_persistent_volume_claim_spec(errors: &mut Errors, spec: &Node, options: ClaimOptions) {
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
            let printed = if errors.since(34) {
                "{}"
            } else {
                "field.Path{name:\"dataSource\", index:\"\", parent:(*field.Path)(0xc000000000)}"
            };
            errors.invalid_printed(&spec.here(), printed, detail);
        }
    }
    validate_class_name(errors, spec, "volumeAttributesClassName");
}

fn validate_class_name(errors: &mut Errors, spec: &Node, field: &'static str) {
    if !spec.text(field).is_empty() {
        errors.each_of(spec, field, name_is_dns_subdomain(spec.text(field), false));
    }
}

/// Implements `validateDataSource`, `validateDataSourceRef`.
fn validate_data_source(errors: &mut Errors, source: &Node, options: ClaimOptions) {
    errors.require_text(source, "name");
    errors.require_text(source, "kind");
    let group = source.text("apiGroup");
    if group.is_empty() && source.text("kind") != "PersistentVolumeClaim" {
        let detail = if errors.since(26) {
            "must be 'PersistentVolumeClaim' when referencing the default apiGroup"
        } else {
            ""
        };
        errors.invalid(&source.here(), source.text("kind"), detail);
    }
    if !group.is_empty() && !options.invalid_api_group && errors.since(29) {
        errors.each_of(source, "apiGroup", names::is_dns1123_subdomain(group));
    }
    if !source.text("namespace").is_empty() {
        errors.each_of(source, "namespace", names::is_dns1123_label(source.text("namespace")));
    }
}
