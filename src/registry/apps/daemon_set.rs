//! Workloads that run on every node.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/apps`.

use crate::api::features::FeatureGates;
use crate::api::{Object, Value};
use crate::registry::gated::Gated;
use crate::registry::store::keep_spec;
use crate::registry::strategy::{ObjectStatus, Scope, Storage, Strategy, SubResource};
use crate::registry::validation::workload;
use crate::registry::{defaults, preparation, warnings};

/// What the server does with a `DaemonSet`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "apps",
    kind: "DaemonSet",
    resource: "daemonsets",
    versions: &["v1"],
    scope: Scope::Namespaced,
    storage: Storage::Stored,
    allow_create_on_update: false,
    allow_unconditional_update: true,
    defaults: Some(|object, _, _| defaults::workload::daemon_set(object)),
    default_times: None,
    status: ObjectStatus::Controllers,
    prepare_for_create: Some(|set, _, _| preparation::template_generation(set, None)),
    prepare_for_update: Some(|set, old, _| preparation::template_generation(set, Some(old))),
    gated: &[Gated::PodSpec(&["spec", "template", "spec"])],
    prepared_times: None,
    as_validated: None,
    validate: Some(|errors, object, old, context| {
        workload::validate_daemon_set(errors, object, old, context.features);
    }),
    refuse: None,
    warnings: Some(warnings),
    sub_resources: &[SubResource {
        name: "status",
        prepare_for_update: Some(keep_spec),
        prepared_times: None,
        validate_update: Some(|errors, object, old, _| {
            workload::validate_replica_status(errors, object, old, workload::status_counters("DaemonSet"));
        }),
        warnings: None,
    }],
};

pub(in crate::registry) fn warnings(set: &Object, old: Option<&Object>, _: &FeatureGates) -> Vec<String> {
    const TEMPLATE: &[&str] = &["spec", "template"];
    let mut warnings = Vec::new();
    if let Some(Value::Object(spec)) = set.at(&["spec"])
        && old.is_none_or(|old| set.at(TEMPLATE) != old.at(TEMPLATE))
    {
        warnings::template(spec, "spec.template", &mut warnings);
    }
    warnings
}
