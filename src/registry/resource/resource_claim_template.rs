//! Templates of claims of devices.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/resource`.

use crate::registry::defaults;
use crate::registry::defaults::device::Requests;
use crate::registry::gated::Gated;
use crate::registry::resource::CLAIM_SPEC;
use crate::registry::strategy::{ObjectStatus, Scope, Storage, Strategy};
use crate::registry::validation::devices;

/// What the server does with a `ResourceClaimTemplate`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "resource.k8s.io",
    kind: "ResourceClaimTemplate",
    resource: "resourceclaimtemplates",
    versions: &["v1", "v1beta2", "v1beta1"],
    scope: Scope::Namespaced,
    storage: Storage::Stored,
    allow_create_on_update: false,
    allow_unconditional_update: true,
    defaults: Some(|object, version, _| defaults::device::claim_template(object, Requests::of(version))),
    default_times: None,
    status: ObjectStatus::None,
    prepare_for_create: None,
    prepare_for_update: None,
    gated: &[Gated::Below(&["spec", "spec"], CLAIM_SPEC)],
    prepared_times: None,
    as_validated: Some(devices::first_beta::claim_template),
    validate: Some(|errors, object, old, context| {
        if old.is_none() {
            devices::validate_admin_access(errors, &object.child("spec").child("spec"), context);
        }
        devices::validate_resource_claim_template(errors, object, old, context.features);
    }),
    refuse: None,
    warnings: None,
    sub_resources: &[],
};
