//! Replication controllers, which Deployments replace.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/core`.

use crate::api::features::FeatureGates;
use crate::api::{Object, Value};
use crate::registry::gated::Gated;
use crate::registry::store::keep_spec;
use crate::registry::strategy::{ObjectStatus, Scope, Storage, Strategy, SubResource};
use crate::registry::validation::workload;
use crate::registry::{defaults, warnings};

/// What the server does with a `ReplicationController`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "",
    kind: "ReplicationController",
    resource: "replicationcontrollers",
    versions: &["v1"],
    scope: Scope::Namespaced,
    storage: Storage::Stored,
    allow_create_on_update: false,
    allow_unconditional_update: true,
    defaults: Some(|object, _, _| defaults::workload::replication_controller(object)),
    default_times: None,
    status: ObjectStatus::Controllers,
    prepare_for_create: None,
    prepare_for_update: None,
    gated: &[Gated::PodSpec(&["spec", "template", "spec"])],
    prepared_times: None,
    as_validated: None,
    validate: Some(|errors, object, old, context| {
        workload::validate_replication_controller(errors, object, old, context.features);
    }),
    refuse: None,
    warnings: Some(warnings),
    sub_resources: &[SubResource {
        name: "status",
        prepare_for_update: Some(keep_spec),
        prepared_times: None,
        validate_update: Some(|errors, object, old, _| {
            workload::validate_replica_status(
                errors,
                object,
                old,
                workload::status_counters("ReplicationController"),
            );
        }),
        warnings: None,
    }],
};

pub(in crate::registry) fn warnings(
    controller: &Object,
    old: Option<&Object>,
    _: &FeatureGates,
) -> Vec<String> {
    let mut warnings = Vec::new();
    if old.is_none() {
        warnings::dns_label_recommended(controller, "Pod names and hostnames", &mut warnings);
    }
    // The server passes the two in the wrong order here.
    let looked_at = old.unwrap_or(controller);
    if let Some(Value::Object(spec)) = looked_at.at(&["spec"])
        && old.is_none_or(|old| old.at(&["spec"]) != controller.at(&["spec"]))
    {
        warnings::template(spec, "spec.template", &mut warnings);
    }
    warnings
}
