//! Definitions of custom resources.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/apiextensions`.

pub(crate) mod validation;
pub(crate) mod warnings;

use crate::gated::{Fields, Gated, fields};
use crate::preparation::keep_spec;
use crate::strategy::{ObjectStatus, Strategy, SubResource};
use gotext::value::json;
use kube_api::features::Feature;
use kube_api::server_profile::ServerProfile;
use kube_api::tree::{child_mut, child_or_insert, set, set_if_absent, set_if_zero};
use kube_api::{Map, Object, Value};

/// The strategy of `CustomResourceDefinition`.
pub(crate) static STRATEGY: Strategy = Strategy {
    allow_unconditional_update: false,
    defaults: Some(|object, _, _| set_defaults(object)),
    status: ObjectStatus::Initialized(store_version),
    prepare_for_update: Some(|definition, _, _| store_version(definition)),
    gated: &[Gated::Below(&[], CUSTOM_RESOURCE_DEFINITION)],
    validate: Some(|errors, object, old, _| validation::validate_definition(errors, object, old)),
    warnings: Some(warnings),
    sub_resources: &[SubResource {
        prepare_for_update: Some(keep_spec),
        validate_update: Some(|errors, object, _, _| validation::validate_definition_status(errors, object)),
        ..SubResource::new("status")
    }],
    ..Strategy::new("apiextensions.k8s.io", "CustomResourceDefinition")
};

const CUSTOM_RESOURCE_DEFINITION: &[Fields] = &[
    fields(
        &[Feature::CRDObservedGenerationTracking],
        &["status/observedGeneration", "status/conditions/*/observedGeneration"],
    ),
    fields(&[Feature::CustomResourceFieldSelectors], &["spec/versions/*/selectableFields"]),
];

pub(crate) fn warnings(definition: &Object, old: Option<&Object>, _: &ServerProfile) -> Vec<String> {
    let mut warnings = Vec::new();
    let empty = Map::new();
    let spec = |object: &'_ Object| object.child("spec").cloned().unwrap_or_default();
    let _ = &empty;
    let old = old.map(spec);
    warnings::unknown_formats(&spec(definition), old.as_ref(), &mut warnings);
    warnings
}

/// Sets the defaults of `CustomResourceDefinition`.
fn set_defaults(definition: &mut Map) {
    let spec = child_or_insert(definition, "spec");
    let names = child_or_insert(spec, "names");
    let kind = names.text("kind");
    let (singular, list_kind) = (kind.to_lowercase(), format!("{kind}List"));
    if !kind.is_empty() {
        set_if_zero(names, "singular", singular);
        set_if_zero(names, "listKind", list_kind);
    }
    if let Some(service) = child_mut(spec, ["conversion", "webhook", "clientConfig", "service"]) {
        set_if_absent(service, "port", 443);
    }
    set_if_absent(spec, "conversion", json!({"strategy": "None"}));
    let stored = spec.items("versions").find(|version| version.flag("storage"));
    if let Some(name) = stored.map(|version| version.text("name").to_owned()) {
        set_if_zero(child_or_insert(definition, "status"), "storedVersions", json!([name]));
    }
}

/// Adds the storage version to the stored versions.
fn store_version(definition: &mut Map) {
    let stored = match definition.get("spec") {
        Some(Value::Object(spec)) => spec.items("versions").find(|version| version.flag("storage")),
        _ => None,
    };
    let Some(name) = stored.map(|version| version.text("name").to_owned()) else { return };
    let status = child_or_insert(definition, "status");
    if status.list("storedVersions").iter().any(|version| *version == *name) {
        return;
    }
    match status.get_mut("storedVersions") {
        Some(Value::Array(versions)) => versions.push(name.into()),
        _ => set(status, "storedVersions", json!([name])),
    }
}
