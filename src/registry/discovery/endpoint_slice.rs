//! Addresses of a Service.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/discovery`.

use crate::api::features::FeatureGates;
use crate::api::tree::text;
use crate::api::{Object, Value};
use crate::registry::strategy::{ObjectStatus, Scope, Storage, Strategy};
use crate::registry::validation::discovery;
use crate::registry::{defaults, preparation, warnings};

/// What the server does with a `EndpointSlice`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "discovery.k8s.io",
    kind: "EndpointSlice",
    resource: "endpointslices",
    versions: &["v1"],
    scope: Scope::Namespaced,
    storage: Storage::Stored,
    allow_create_on_update: false,
    allow_unconditional_update: true,
    defaults: Some(|object, _, _| defaults::cluster::endpoint_slice(object)),
    default_times: None,
    status: ObjectStatus::None,
    prepare_for_create: Some(|slice, _, _| preparation::drop_topology(slice)),
    prepare_for_update: Some(|slice, old, _| {
        if slice.get("endpoints") != old.get("endpoints") {
            preparation::drop_topology(slice);
        }
    }),
    gated: &[],
    prepared_times: None,
    as_validated: None,
    validate: Some(|errors, object, old, context| {
        discovery::validate_endpoint_slice(errors, object, old, context.features);
    }),
    refuse: None,
    warnings: Some(warnings),
    sub_resources: &[],
};

pub(in crate::registry) fn warnings(slice: &Object, old: Option<&Object>, _: &FeatureGates) -> Vec<String> {
    let mut warnings = Vec::new();
    let Value::Object(map) = &slice.value else { return warnings };
    if old.is_none() && text(map, "addressType") == "FQDN" {
        warnings.push("spec.addressType: FQDN endpoints are deprecated".to_owned());
    }
    warnings::address::endpoint_slice(slice, map, &mut warnings);
    warnings
}
