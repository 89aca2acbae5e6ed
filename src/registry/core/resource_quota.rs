//! Quotas of namespaces.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/core`.

use crate::api::features::FeatureGates;
use crate::api::{Object, Value};
use crate::registry::store::keep_spec;
use crate::registry::strategy::{ObjectStatus, Scope, Storage, Strategy, SubResource};
use crate::registry::validation::core;
use crate::registry::{defaults, warnings};

/// What the server does with a `ResourceQuota`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "",
    kind: "ResourceQuota",
    resource: "resourcequotas",
    versions: &["v1"],
    scope: Scope::Namespaced,
    storage: Storage::Stored,
    allow_create_on_update: false,
    allow_unconditional_update: true,
    defaults: Some(|object, _, _| defaults::core::resource_quota(object)),
    default_times: None,
    status: ObjectStatus::Controllers,
    prepare_for_create: None,
    prepare_for_update: None,
    gated: &[],
    prepared_times: None,
    as_validated: None,
    validate: Some(|errors, object, old, _| core::validate_resource_quota(errors, object, old)),
    refuse: None,
    warnings: Some(warnings),
    sub_resources: &[SubResource {
        name: "status",
        prepare_for_update: Some(keep_spec),
        prepared_times: None,
        validate_update: Some(|errors, object, old, _| {
            core::validate_resource_quota_status_update(errors, object, old);
        }),
        warnings: None,
    }],
};

pub(in crate::registry) fn warnings(quota: &Object, old: Option<&Object>, _: &FeatureGates) -> Vec<String> {
    let mut warnings = Vec::new();
    if old.is_none()
        && let Some(Value::Object(spec)) = quota.at(&["spec"])
    {
        warnings::resource_quota(spec, &mut warnings);
    }
    warnings
}
