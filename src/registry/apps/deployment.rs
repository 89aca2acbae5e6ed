//! Workloads that are rolled out.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/apps`.

use crate::api::features::FeatureGates;
use crate::api::tree::copy;
use crate::api::{Object, Value};
use crate::registry::apps::TERMINATING_REPLICAS;
use crate::registry::gated::Gated;
use crate::registry::store::copy_metadata;
use crate::registry::strategy::{ObjectStatus, Scope, Storage, Strategy, SubResource};
use crate::registry::validation::workload;
use crate::registry::{defaults, warnings};

/// What the server does with a `Deployment`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "apps",
    kind: "Deployment",
    resource: "deployments",
    versions: &["v1"],
    scope: Scope::Namespaced,
    storage: Storage::Stored,
    allow_create_on_update: false,
    allow_unconditional_update: true,
    defaults: Some(|object, _, _| defaults::workload::deployment(object)),
    default_times: None,
    status: ObjectStatus::Controllers,
    prepare_for_create: None,
    prepare_for_update: None,
    gated: &[Gated::PodSpec(&["spec", "template", "spec"]), Gated::Below(&[], TERMINATING_REPLICAS)],
    prepared_times: None,
    as_validated: None,
    validate: Some(|errors, object, old, context| {
        workload::validate_deployment(errors, object, old, context.features);
    }),
    refuse: None,
    warnings: Some(warnings),
    sub_resources: &[SubResource {
        name: "status",
        prepare_for_update: Some(|deployment, old, _| {
            copy(deployment, old, "spec");
            copy_metadata(deployment, old, &["labels"]);
        }),
        prepared_times: None,
        validate_update: Some(|errors, object, old, _| {
            workload::validate_replica_status(errors, object, old, workload::status_counters("Deployment"));
        }),
        warnings: None,
    }],
};

pub(in crate::registry) fn warnings(
    deployment: &Object,
    old: Option<&Object>,
    _: &FeatureGates,
) -> Vec<String> {
    const ANNOTATIONS: &[&str] = &["metadata", "annotations"];
    let mut warnings = Vec::new();
    if old.is_none() {
        warnings::dns_label_recommended(deployment, "Pod names and hostnames", &mut warnings);
    }
    let has_changed = |path: &[&str]| old.is_none_or(|old| deployment.at(path) != old.at(path));
    if let Some(Value::Object(spec)) = deployment.at(&["spec"])
        && (has_changed(&["spec"]) || has_changed(ANNOTATIONS))
    {
        warnings::template(spec, "spec.template", &mut warnings);
    }
    warnings
}
