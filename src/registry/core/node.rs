//! Nodes.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/core`.

use crate::api::features::FeatureGates;
use crate::api::tree::child;
use crate::api::{Map, Object, Value};
use crate::registry::gated::{Fields, Gated, fields};
use crate::registry::store::keep_spec;
use crate::registry::strategy::{ObjectStatus, Scope, Storage, Strategy, SubResource};
use crate::registry::validation::core;
use crate::registry::{defaults, preparation, warnings};

/// What the server does with a `Node`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "",
    kind: "Node",
    resource: "nodes",
    versions: &["v1"],
    scope: Scope::Cluster,
    storage: Storage::Stored,
    allow_create_on_update: false,
    allow_unconditional_update: true,
    defaults: Some(|object, _, _| defaults::core::node(object)),
    default_times: None,
    status: ObjectStatus::Users,
    prepare_for_create: Some(|node, _, _| preparation::node_for_create(node)),
    prepare_for_update: Some(|node, old, _| preparation::node_for_update(node, old)),
    gated: &[Gated::Below(&[], NODE)],
    prepared_times: None,
    as_validated: None,
    validate: Some(|errors, object, old, context| {
        core::validate_node(errors, object, context.features);
        if let Some(old) = old {
            core::validate_node_update(errors, object, old);
        }
    }),
    refuse: None,
    warnings: Some(warnings),
    sub_resources: &[SubResource {
        name: "status",
        prepare_for_update: Some(keep_spec),
        prepared_times: None,
        validate_update: Some(|errors, object, old, _| core::validate_node_update(errors, object, old)),
        warnings: None,
    }],
};

pub(in crate::registry) const NODE: &[Fields] =
    &[fields(&["NodeDeclaredFeatures"], &["status/declaredFeatures"])];

pub(in crate::registry) fn warnings(object: &Object, _: Option<&Object>, _: &FeatureGates) -> Vec<String> {
    let mut warnings = Vec::new();
    let Value::Object(map) = &object.value else { return warnings };
    let empty = Map::new();
    let spec = child(map, "spec").unwrap_or(&empty);
    warnings::node(spec, &mut warnings);
    warnings
}
