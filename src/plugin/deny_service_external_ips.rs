//! Forbids services to claim external IP addresses. Otherwise users who may create services could divert the cluster's
//! traffic for any address to their own pods (CVE-2020-8554).
//!
//! # When it rejects
//!
//! - A new service has `spec.externalIPs`.
//! - An update adds an address to them, or writes one differently. Existing addresses may stay, be removed or be
//!   reordered.
//!
//! # Cluster objects it reads
//!
//! None.
//!
//! # Offline
//!
//! Nothing is assumed.
//!
//! # Since
//!
//! 1.21, off by default.
//!
//! # Upstream
//!
//! `k8s.io/kubernetes/plugin/pkg/admission/network/denyserviceexternalips`

use crate::admission::{Attributes, Handler, Recorder, Refusal, ValidationInterface};
use crate::plugin::PluginInitializer;
use kube_api::field::Path;
use kube_api::{Object, Value};

pub(super) fn new(_: &PluginInitializer) -> Handler {
    Handler::validating(DenyServiceExternalIPs)
}

struct DenyServiceExternalIPs;

impl ValidationInterface for DenyServiceExternalIPs {
    fn validate(&self, attributes: &Attributes, _recorder: &mut Recorder) -> Result<(), Refusal> {
        if !attributes.is_for("", "services") {
            return Ok(());
        }
        let allowed = external_ips(attributes.old_object.as_deref());
        let addresses = external_ips(attributes.object.as_deref());
        match addresses.iter().position(|address| !allowed.contains(address)) {
            Some(index) => Err(attributes
                .new_forbidden("Use of external IPs is denied by admission control")
                .at(Path::new("spec.externalIPs").index(index))),
            None => Ok(()),
        }
    }
}

fn external_ips(service: Option<&Object>) -> &[Value] {
    service.map_or(&[], |service| service.list(["spec", "externalIPs"]))
}

#[cfg(test)]
mod tests {
    use crate::plugin::testing::{Bench, create, update, with_spec};
    use gotext::value::json;
    use kube_api::Value;

    fn service(addresses: &[&str]) -> Value {
        with_spec("v1", "Service", json!({"externalIPs": addresses}))
    }

    #[test]
    fn admits_services_without_new_addresses() {
        let bench = Bench::new("DenyServiceExternalIPs", []);
        bench.validate(&create(service(&[]))).unwrap();
        bench
            .validate(&update(service(&["10.0.0.1", "10.0.0.2"]), service(&["10.0.0.2", "10.0.0.2"])))
            .unwrap();
        bench.validate(&update(service(&["10.0.0.1"]), service(&[]))).unwrap();
    }

    #[test]
    fn rejects_new_addresses() {
        let bench = Bench::new("DenyServiceExternalIPs", []);
        let refusal = bench.validate(&create(service(&["10.0.0.1"]))).unwrap_err();
        assert_eq!(
            refusal.status.message,
            "services \"web\" is forbidden: Use of external IPs is denied by admission control"
        );
        let added = update(service(&["2001:db8::1"]), service(&["2001:db8::1", "2001:db8::0:1"]));
        assert_eq!(bench.validate(&added).unwrap_err().fields[0].to_string(), "spec.externalIPs[1]");
    }

    #[test]
    fn ignores_status_updates() {
        let bench = Bench::new("DenyServiceExternalIPs", []);
        let mut request = update(service(&[]), service(&["10.0.0.1"]));
        request.sub_resource = "status".into();
        bench.validate(&request).unwrap();
    }
}
