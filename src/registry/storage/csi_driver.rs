//! Drivers of volumes.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/storage`.

use crate::api::features::FeatureGates;
use crate::api::tree::is_zero;
use crate::api::{Object, Value};
use crate::registry::gated::{Fields, Gated, fields};
use crate::registry::strategy::{ObjectStatus, Scope, Storage, Strategy};
use crate::registry::validation::storage;
use crate::registry::{defaults, warnings};

/// What the server does with a `CSIDriver`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "storage.k8s.io",
    kind: "CSIDriver",
    resource: "csidrivers",
    versions: &["v1"],
    scope: Scope::Cluster,
    storage: Storage::Stored,
    allow_create_on_update: false,
    allow_unconditional_update: false,
    defaults: Some(|object, _, features| defaults::cluster::csi_driver(object, features)),
    default_times: None,
    status: ObjectStatus::None,
    prepare_for_create: None,
    prepare_for_update: None,
    gated: &[Gated::Below(&[], CSI_DRIVER)],
    prepared_times: None,
    as_validated: None,
    validate: Some(|errors, object, old, context| {
        storage::validate_csi_driver(errors, object, old, context.features);
    }),
    refuse: None,
    warnings: Some(warnings),
    sub_resources: &[],
};

pub(in crate::registry) const CSI_DRIVER: &[Fields] =
    &[fields(&["VolumeLimitScaling"], &["spec/preventPodSchedulingIfMissing"])];

pub(in crate::registry) fn warnings(driver: &Object, old: Option<&Object>, _: &FeatureGates) -> Vec<String> {
    const REQUESTS: &[&str] = &["spec", "tokenRequests"];
    let mut warnings = Vec::new();
    if let Some(Value::Object(spec)) = driver.at(&["spec"])
        && !is_zero(spec, "tokenRequests")
        && old.is_none_or(|old| driver.at(REQUESTS) != old.at(REQUESTS))
    {
        warnings::csi_driver(spec, &mut warnings);
    }
    warnings
}
