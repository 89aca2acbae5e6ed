//! Sets of equal Pods.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/apps`.

use crate::api::features::FeatureGates;
use crate::api::{Object, Value};
use crate::registry::apps::TERMINATING_REPLICAS;
use crate::registry::gated::Gated;
use crate::registry::store::keep_spec;
use crate::registry::strategy::{ObjectStatus, Scope, Storage, Strategy, SubResource};
use crate::registry::validation::workload;
use crate::registry::{defaults, warnings};

/// What the server does with a `ReplicaSet`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "apps",
    kind: "ReplicaSet",
    resource: "replicasets",
    versions: &["v1"],
    scope: Scope::Namespaced,
    storage: Storage::Stored,
    allow_create_on_update: false,
    allow_unconditional_update: true,
    defaults: Some(|object, _, _| defaults::workload::replica_set(object)),
    default_times: None,
    status: ObjectStatus::Controllers,
    prepare_for_create: None,
    prepare_for_update: None,
    gated: &[Gated::PodSpec(&["spec", "template", "spec"]), Gated::Below(&[], TERMINATING_REPLICAS)],
    prepared_times: None,
    as_validated: None,
    validate: Some(|errors, object, old, context| {
        workload::validate_replica_set(errors, object, old, context.features);
    }),
    refuse: None,
    warnings: Some(warnings),
    sub_resources: &[SubResource {
        name: "status",
        prepare_for_update: Some(keep_spec),
        prepared_times: None,
        validate_update: Some(|errors, object, old, _| {
            workload::validate_replica_status(errors, object, old, workload::status_counters("ReplicaSet"));
        }),
        warnings: None,
    }],
};

pub(in crate::registry) fn warnings(set: &Object, old: Option<&Object>, _: &FeatureGates) -> Vec<String> {
    let mut warnings = Vec::new();
    if old.is_none() {
        warnings::dns_label_recommended(set, "Pod names and hostnames", &mut warnings);
    }
    if let Some(Value::Object(spec)) = set.at(&["spec"])
        && old.is_none_or(|old| set.at(&["spec"]) != old.at(&["spec"]))
    {
        warnings::template(spec, "spec.template", &mut warnings);
    }
    warnings
}
