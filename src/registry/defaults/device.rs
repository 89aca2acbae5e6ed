//! Dynamic resource allocation.
//!
//! Source: `k8s.io/kubernetes/pkg/apis/resource/{v1,v1beta2,v1beta1,v1alpha3}`. The time
//! of a taint is the caller's.

use crate::api::tree::{child_mut, descend_mut, is_zero, items_mut, made, set_if_absent, set_if_zero, text};
use crate::api::{Map, Value};

/// Where the fields of a request for one device stand.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Requests {
    /// In `exactly`.
    Exactly,
    /// In the request itself, as up to `v1beta1`.
    Inline,
}

/// `ResourceClaim`
pub(super) fn claim(claim: &mut Map, requests: Requests) {
    if let Some(spec) = child_mut(claim, "spec") {
        claim_spec(spec, requests);
    }
    if let Some(devices) = descend_mut(claim, &["status", "allocation", "devices"]) {
        items_mut(devices, "results").for_each(tolerations);
    }
}

/// `ResourceClaimTemplate`
pub(super) fn claim_template(template: &mut Map, requests: Requests) {
    if let Some(spec) = descend_mut(template, &["spec", "spec"]) {
        claim_spec(spec, requests);
    }
}

/// `ResourceSlice`
pub(super) fn slice(slice: &mut Map, requests: Requests) {
    let Some(spec) = child_mut(slice, "spec") else { return };
    for device in items_mut(spec, "devices") {
        let device = match requests {
            Requests::Exactly => device,
            Requests::Inline => made(device, "basic"),
        };
        let mappings = device.get_mut("nodeAllocatableResourceMappings").and_then(Value::as_object_mut);
        for mapping in mappings.into_iter().flatten().filter_map(|(_, mapping)| mapping.as_object_mut()) {
            set_if_absent(mapping, "allocationMultiplier", "1");
        }
    }
}

/// When the taint of a `DeviceTaintRule` was added.
pub(super) fn rule_time(rule: &mut Map, now: &str) {
    set_if_absent(made(made(rule, "spec"), "taint"), "timeAdded", now);
}

/// When the taints of the devices in a `ResourceSlice` were added.
pub(super) fn slice_times(slice: &mut Map, now: &str) {
    let Some(spec) = child_mut(slice, "spec") else { return };
    for device in items_mut(spec, "devices") {
        items_mut(device, "taints").for_each(|taint| set_if_absent(taint, "timeAdded", now));
        if let Some(basic) = child_mut(device, "basic") {
            items_mut(basic, "taints").for_each(|taint| set_if_absent(taint, "timeAdded", now));
        }
    }
}

/// `ResourcePoolStatusRequest`
pub(super) fn pool_status_request(request: &mut Map) {
    set_if_absent(made(request, "spec"), "limit", 100);
}

fn claim_spec(spec: &mut Map, requests: Requests) {
    let Some(devices) = child_mut(spec, "devices") else { return };
    for request in items_mut(devices, "requests") {
        match requests {
            Requests::Exactly => {
                if let Some(exactly) = child_mut(request, "exactly") {
                    count(exactly);
                    tolerations(exactly);
                }
            }
            Requests::Inline => {
                if !is_zero(request, "deviceClassName") {
                    count(request);
                }
                tolerations(request);
            }
        }
        for alternative in items_mut(request, "firstAvailable") {
            count(alternative);
            tolerations(alternative);
        }
    }
}

fn count(request: &mut Map) {
    set_if_zero(request, "allocationMode", "ExactCount");
    if text(request, "allocationMode") == "ExactCount" {
        set_if_zero(request, "count", 1);
    }
}

fn tolerations(owner: &mut Map) {
    items_mut(owner, "tolerations").for_each(|toleration| set_if_zero(toleration, "operator", "Equal"));
}

#[cfg(test)]
mod tests {
    use super::super::tests::defaulted;
    use crate::value::json;

    #[test]
    fn one_device_is_asked_for() {
        let complete = json!({"deviceClassName": "a", "allocationMode": "ExactCount", "count": 1});
        let request = json!({"exactly": {"deviceClassName": "a"}, "firstAvailable": [{"tolerations": [{}]}]});
        let spec = json!({"devices": {"requests": [request]}});
        let claim =
            defaulted(json!({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "spec": spec}));
        let request = &claim["spec"]["devices"]["requests"][0];
        assert_eq!(request["exactly"], complete);
        assert_eq!(request["firstAvailable"][0]["tolerations"], json!([{"operator": "Equal"}]));

        let requests = json!([{"deviceClassName": "a"}, {"name": "b"}, {"deviceClassName": "c", "allocationMode": "All"}]);
        let spec = json!({"spec": {"devices": {"requests": requests}}});
        let api_version = "resource.k8s.io/v1beta1";
        let template =
            defaulted(json!({"apiVersion": api_version, "kind": "ResourceClaimTemplate", "spec": spec}));
        let defaulted = &template["spec"]["spec"]["devices"]["requests"];
        assert_eq!(defaulted[0], complete);
        assert_eq!((&defaulted[1], &defaulted[2]), (&requests[1], &requests[2]));
    }

    #[test]
    fn mapped_resources_count_once() {
        let device = json!({"nodeAllocatableResourceMappings": {"cpu": {}}});
        let spec = json!({"devices": [device]});
        let slice =
            defaulted(json!({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "spec": spec}));
        let mapping = &slice["spec"]["devices"][0]["nodeAllocatableResourceMappings"]["cpu"];
        assert_eq!(*mapping, json!({"allocationMultiplier": "1"}));
    }
}
