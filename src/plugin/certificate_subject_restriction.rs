//! Refuses certificate signing requests that would make a user a cluster administrator for good. The signer
//! `kubernetes.io/kube-apiserver-client` issues client certificates whose organizations are the groups of the user, and
//! members of `system:masters` may do everything, independent of the cluster's roles.
//!
//! # When it rejects
//!
//! A new certificate signing request for the signer `kubernetes.io/kube-apiserver-client` has the organization
//! `system:masters` in its subject. The requester does not matter.
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
//! 1.18, on by default.
//!
//! # Upstream
//!
//! `k8s.io/kubernetes/plugin/pkg/admission/certificates/subjectrestriction`

use crate::admission::{Attributes, Handler, Recorder, Refusal, ValidationInterface};
use crate::plugin::PluginInitializer;
use kube_api::field::Path;
use kube_registry::certificate_request::Subject;

const SIGNER: &str = "kubernetes.io/kube-apiserver-client";

pub(super) fn new(_: &PluginInitializer) -> Handler {
    Handler::validating(CertificateSubjectRestriction)
}

struct CertificateSubjectRestriction;

impl ValidationInterface for CertificateSubjectRestriction {
    fn validate(&self, attributes: &Attributes, _recorder: &mut Recorder) -> Result<(), Refusal> {
        if !attributes.is_for("certificates.k8s.io", "certificatesigningrequests") {
            return Ok(());
        }
        let request = attributes.object.as_deref();
        let Some(request) = request.filter(|request| request.text(["spec", "signerName"]) == SIGNER) else {
            return Ok(());
        };
        let path = Path::new("spec.request");
        let subject = Subject::of_request(request.text(["spec", "request"])).map_err(|error| {
            attributes.new_forbidden(format!("failed to parse CSR: {error}")).at(path.clone())
        })?;
        if subject.organizations.iter().any(|group| group == "system:masters") {
            let error = format!("use of {SIGNER} signer with system:masters group is not allowed");
            return Err(attributes.new_forbidden(error).at(path));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use gotext::value::json;

    use super::*;
    use crate::plugin::testing::{Bench, create};

    const MASTERS: &str = include_str!("../../crates/kube-registry/testdata/certificates/system-masters.csr");
    const DEVELOPERS: &str = include_str!("../../crates/kube-registry/testdata/certificates/developers.csr");

    fn request(pem: &str, signer: &str) -> Attributes {
        create(json!({
            "apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest",
            "metadata": {"name": "jane"},
            "spec": {"request": STANDARD.encode(pem), "signerName": signer},
        }))
    }

    fn bench() -> Bench {
        Bench::new("CertificateSubjectRestriction", [])
    }

    #[test]
    fn rejects_administrators() {
        let refusal = bench().validate(&request(MASTERS, SIGNER)).unwrap_err();
        assert_eq!(
            refusal.status.message,
            "certificatesigningrequests.certificates.k8s.io \"jane\" is forbidden: use of \
             kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed"
        );
        assert_eq!(refusal.fields, [Path::new("spec.request")]);
    }

    #[test]
    fn rejects_what_it_cannot_read() {
        assert_eq!(
            bench().validate(&request("hello", SIGNER)).unwrap_err().status.message,
            "certificatesigningrequests.certificates.k8s.io \"jane\" is forbidden: failed to parse CSR: PEM block type \
             must be CERTIFICATE REQUEST"
        );
    }

    #[test]
    fn admits_other_organizations_and_ignores_other_signers() {
        assert_eq!(bench().validate(&request(DEVELOPERS, SIGNER)), Ok(()));
        assert_eq!(bench().validate(&request(MASTERS, "kubernetes.io/kubelet-serving")), Ok(()));
        let approval = Attributes { sub_resource: "approval".into(), ..request(MASTERS, SIGNER) };
        assert_eq!(bench().validate(&approval), Ok(()));
    }
}
