//! Classes of devices.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/resource`.

use crate::registry::gated::{Fields, Gated, fields};
use crate::registry::strategy::{ObjectStatus, Scope, Storage, Strategy};
use crate::registry::validation::devices;

/// What the server does with a `DeviceClass`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "resource.k8s.io",
    kind: "DeviceClass",
    resource: "deviceclasses",
    versions: &["v1", "v1beta2", "v1beta1"],
    scope: Scope::Cluster,
    storage: Storage::Stored,
    allow_create_on_update: false,
    allow_unconditional_update: true,
    defaults: None,
    default_times: None,
    status: ObjectStatus::None,
    prepare_for_create: None,
    prepare_for_update: None,
    gated: &[Gated::Below(&[], DEVICE_CLASS)],
    prepared_times: None,
    as_validated: None,
    validate: Some(|errors, object, old, context| {
        devices::validate_device_class(errors, object, old, context.features);
    }),
    refuse: None,
    warnings: None,
    sub_resources: &[],
};

pub(in crate::registry) const DEVICE_CLASS: &[Fields] =
    &[fields(&["DRAExtendedResource"], &["spec/extendedResourceName"])];
