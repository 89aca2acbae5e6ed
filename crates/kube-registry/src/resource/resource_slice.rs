//! Devices of a driver.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/resource`.

use crate::defaults::device::Requests;
use crate::gated::{Fields, Gated, fields};
use crate::strategy::Strategy;
use crate::validation::devices;
use gotext::quote;
use kube_api::features::Feature;
use kube_api::server_profile::ServerProfile;
use kube_api::tree::{child_mut, child_or_insert, items_mut, set_if_absent};
use kube_api::{Map, Object, Value};

/// The strategy of `ResourceSlice`.
pub(crate) static STRATEGY: Strategy = Strategy {
    versions: &["v1", "v1beta2", "v1beta1"],
    defaults: Some(|object, version, _| set_defaults(object, Requests::of(version))),
    default_times: Some(default_slice_times),
    gated: &[Gated::Below(&["spec"], SLICE_SPEC)],
    as_validated: Some(devices::first_beta::slice),
    validate: Some(|errors, object, old, _| devices::slice::validate_resource_slice(errors, object, old)),
    warnings: Some(warnings),
    ..Strategy::new("resource.k8s.io", "ResourceSlice")
};

/// Fields below the `spec` of a slice; up to `v1beta1` the contents of a device are in `basic`.
const SLICE_SPEC: &[Fields] = &[
    fields(&[Feature::DRADeviceTaints], &["devices/*/taints", "devices/*/basic/taints"]),
    fields(
        &[Feature::DRAPartitionableDevices],
        &[
            "sharedCounters",
            "perDeviceNodeSelection",
            "devices/*/consumesCounters",
            "devices/*/nodeName",
            "devices/*/nodeSelector",
            "devices/*/allNodes",
            "devices/*/basic/consumesCounters",
            "devices/*/basic/nodeName",
            "devices/*/basic/nodeSelector",
            "devices/*/basic/allNodes",
        ],
    ),
    fields(
        &[Feature::DRADeviceBindingConditions, Feature::DRAResourceClaimDeviceStatus],
        &[
            "devices/*/bindingConditions",
            "devices/*/bindingFailureConditions",
            "devices/*/bindsToNode",
            "devices/*/basic/bindingConditions",
            "devices/*/basic/bindingFailureConditions",
            "devices/*/basic/bindsToNode",
        ],
    ),
    fields(
        &[Feature::DRAConsumableCapacity],
        &[
            "devices/*/allowMultipleAllocations",
            "devices/*/capacity/*/requestPolicy",
            "devices/*/basic/allowMultipleAllocations",
            "devices/*/basic/capacity/*/requestPolicy",
        ],
    ),
    fields(
        &[Feature::DRANodeAllocatableResources],
        &["devices/*/nodeAllocatableResourceMappings", "devices/*/basic/nodeAllocatableResourceMappings"],
    ),
    fields(
        &[Feature::DRAListTypeAttributes],
        &[
            "devices/*/attributes/*/bools",
            "devices/*/attributes/*/ints",
            "devices/*/attributes/*/strings",
            "devices/*/attributes/*/versions",
            "devices/*/basic/attributes/*/bools",
            "devices/*/basic/attributes/*/ints",
            "devices/*/basic/attributes/*/strings",
            "devices/*/basic/attributes/*/versions",
        ],
    ),
];

pub(crate) fn warnings(slice: &Object, _: Option<&Object>, _: &ServerProfile) -> Vec<String> {
    let driver = slice.text(["spec", "driver"]);
    if driver == driver.to_lowercase() {
        return Vec::new();
    }
    vec![format!(
        "spec.driver: driver names should be lowercase; {} contains uppercase characters",
        quote(driver)
    )]
}

/// Sets the defaults of `ResourceSlice`.
fn set_defaults(slice: &mut Map, requests: Requests) {
    let Some(spec) = child_mut(slice, "spec") else { return };
    for device in items_mut(spec, "devices") {
        let device = match requests {
            Requests::Exactly => device,
            Requests::Inline => child_or_insert(device, "basic"),
        };
        let mappings = device.get_mut("nodeAllocatableResourceMappings").and_then(Value::as_object_mut);
        for mapping in mappings.into_iter().flatten().filter_map(|(_, mapping)| mapping.as_object_mut()) {
            set_if_absent(mapping, "allocationMultiplier", "1");
        }
    }
}

/// Sets the times at which the taints of the devices in a `ResourceSlice` were added.
fn default_slice_times(slice: &mut Map, now: &str) {
    let Some(spec) = child_mut(slice, "spec") else { return };
    for device in items_mut(spec, "devices") {
        items_mut(device, "taints").for_each(|taint| set_if_absent(taint, "timeAdded", now));
        if let Some(basic) = child_mut(device, "basic") {
            items_mut(basic, "taints").for_each(|taint| set_if_absent(taint, "timeAdded", now));
        }
    }
}
