//! Templates of Pods that belong to no workload.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/core`.

use crate::api::features::FeatureGates;
use crate::api::{Object, Value};
use crate::registry::gated::Gated;
use crate::registry::strategy::{ObjectStatus, Scope, Storage, Strategy};
use crate::registry::validation::core;
use crate::registry::{defaults, warnings};

/// What the server does with a `PodTemplate`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "",
    kind: "PodTemplate",
    resource: "podtemplates",
    versions: &["v1"],
    scope: Scope::Namespaced,
    storage: Storage::Stored,
    allow_create_on_update: false,
    allow_unconditional_update: true,
    defaults: Some(|object, _, _| defaults::workload::pod_template(object)),
    default_times: None,
    status: ObjectStatus::None,
    prepare_for_create: None,
    prepare_for_update: None,
    gated: &[Gated::PodSpec(&["template", "spec"])],
    prepared_times: None,
    as_validated: None,
    validate: Some(|errors, object, old, context| {
        core::validate_pod_template(errors, object, old, context.features);
    }),
    refuse: None,
    warnings: Some(warnings),
    sub_resources: &[],
};

pub(in crate::registry) fn warnings(object: &Object, old: Option<&Object>, _: &FeatureGates) -> Vec<String> {
    let mut warnings = Vec::new();
    if let Value::Object(map) = &object.value
        && old.is_none_or(|old| map.get("template") != old.at(&["template"]))
    {
        warnings::template(map, "template", &mut warnings);
    }
    warnings
}
