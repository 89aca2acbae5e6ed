//! Dynamic resource allocation.
//!
//! Source: `k8s.io/kubernetes/pkg/apis/resource/{v1,v1beta2,v1beta1,v1alpha3}`. The time
//! of a taint is the caller's.

use kube_api::Map;
use kube_api::tree::{child_mut, items_mut, set_if_zero};

/// The place of the fields of a request for one device.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Requests {
    /// In `exactly`.
    Exactly,
    /// In the request itself, as up to `v1beta1`.
    Inline,
}

impl Requests {
    /// Returns the place in `version`.
    pub(crate) fn of(version: &str) -> Self {
        if version == "v1beta1" { Self::Inline } else { Self::Exactly }
    }
}

pub(crate) fn claim_spec(spec: &mut Map, requests: Requests) {
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
                if !request.is_zero("deviceClassName") {
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

pub(crate) fn count(request: &mut Map) {
    set_if_zero(request, "allocationMode", "ExactCount");
    if request.text("allocationMode") == "ExactCount" {
        set_if_zero(request, "count", 1);
    }
}

pub(crate) fn tolerations(owner: &mut Map) {
    items_mut(owner, "tolerations").for_each(|toleration| set_if_zero(toleration, "operator", "Equal"));
}

#[cfg(test)]
mod tests {
    use crate::tests::defaulted;
    use gotext::value::json;

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
