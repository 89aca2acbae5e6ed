//! Definitions of custom resources.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/apiextensions`.

pub(in crate::registry) mod validation;
pub(in crate::registry) mod warnings;

use crate::api::features::FeatureGates;
use crate::api::{Map, Object, Value};
use crate::registry::gated::{Fields, Gated, fields};
use crate::registry::store::keep_spec;
use crate::registry::strategy::{ObjectStatus, Scope, Storage, Strategy, SubResource};
use crate::registry::{defaults, preparation};

/// What the server does with a `CustomResourceDefinition`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "apiextensions.k8s.io",
    kind: "CustomResourceDefinition",
    resource: "customresourcedefinitions",
    versions: &["v1"],
    scope: Scope::Cluster,
    storage: Storage::Stored,
    allow_create_on_update: false,
    allow_unconditional_update: false,
    defaults: Some(|object, _, _| defaults::cluster::custom_resource_definition(object)),
    default_times: None,
    status: ObjectStatus::Begun(preparation::status::store_version),
    prepare_for_create: None,
    prepare_for_update: Some(|definition, _, _| preparation::status::store_version(definition)),
    gated: &[Gated::Below(&[], CUSTOM_RESOURCE_DEFINITION)],
    prepared_times: None,
    as_validated: None,
    validate: Some(|errors, object, old, _| validation::validate_definition(errors, object, old)),
    refuse: None,
    warnings: Some(warnings),
    sub_resources: &[SubResource {
        name: "status",
        prepare_for_update: Some(keep_spec),
        prepared_times: None,
        validate_update: Some(|errors, object, _, _| validation::validate_definition_status(errors, object)),
        warnings: None,
    }],
};

pub(in crate::registry) const CUSTOM_RESOURCE_DEFINITION: &[Fields] = &[fields(
    &["CRDObservedGenerationTracking"],
    &["status/observedGeneration", "status/conditions/*/observedGeneration"],
)];

pub(in crate::registry) fn warnings(
    definition: &Object,
    old: Option<&Object>,
    _: &FeatureGates,
) -> Vec<String> {
    let mut warnings = Vec::new();
    let empty = Map::new();
    let spec =
        |object: &'_ Object| object.at(&["spec"]).and_then(Value::as_object).cloned().unwrap_or_default();
    let _ = &empty;
    let old = old.map(spec);
    warnings::unknown_formats(&spec(definition), old.as_ref(), &mut warnings);
    warnings
}
