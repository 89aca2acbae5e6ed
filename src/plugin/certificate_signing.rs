//! Lets only users with the right to sign for a signer write a certificate into the status of its certificate signing
//! requests, or change conditions there. Otherwise a forged certificate could be passed off as the signer's.
//!
//! # When it rejects
//!
//! The status of a certificate signing request is updated so that its certificate or conditions change, by a user who
//! may neither `sign` for the signer of the request (resource `signers` of `certificates.k8s.io`, by its name) nor for
//! all signers of its domain (by the name `example.com/*`).
//!
//! # Cluster objects it reads
//!
//! Roles, cluster roles and their bindings, with `--authorization-mode=RBAC`. In other modes every user may.
//!
//! # Offline
//!
//! Whether the user may update the status at all is checked before admission, so not here.
//!
//! # Since
//!
//! 1.18, on by default. The conditions count since 1.19.
//!
//! # Upstream
//!
//! `k8s.io/kubernetes/plugin/pkg/admission/certificates/signing`

use std::sync::Arc;

use crate::admission::{Attributes, Handler, Need, Recorder, Refusal, ValidationInterface};
use crate::cluster::authorizer::{Authorizer, ResourceAttributes};
use crate::plugin::PluginInitializer;
use gotext::quote;
use kube_api::Object;
use kube_api::field::Path;
use kube_api::version::Version;

pub(super) fn new(initializer: &PluginInitializer) -> Handler {
    Handler::validating(CertificateSigning {
        authorizer: initializer.authorizer.clone(),
        protects_conditions: initializer.profile.release() >= Version::minor(19),
    })
}

const CONDITIONS: &str = "conditions";

struct CertificateSigning {
    authorizer: Arc<Authorizer>,
    protects_conditions: bool,
}

impl ValidationInterface for CertificateSigning {
    fn validate(&self, attributes: &Attributes, _recorder: &mut Recorder) -> Result<(), Refusal> {
        if !attributes.is_for_sub_resource("certificates.k8s.io", "certificatesigningrequests", "status") {
            return Ok(());
        }
        let (Some(old), Some(new)) = (attributes.old_object.as_deref(), attributes.object.as_deref()) else {
            return Ok(());
        };
        let changed =
            changed_field(old, new).filter(|field| *field != CONDITIONS || self.protects_conditions);
        let Some(changed) = changed else { return Ok(()) };
        let signer = old.text(["spec", "signerName"]);
        let user = &attributes.user_info;
        if self.authorizer.authorizes_for_signer(&user.username, &user.groups, "sign", signer) {
            return Ok(());
        }
        let error = format!("user not permitted to sign requests with signerName {}", quote(signer));
        let need = user.access("sign", ResourceAttributes::signer(signer)).right().map(Need::Right);
        Err(attributes.new_forbidden(error).at(Path::new("status").child(changed)).needing(need))
    }
}

/// Returns the part of the status that only a signer may change, if it changes.
fn changed_field(old: &Object, new: &Object) -> Option<&'static str> {
    // An empty certificate is another one than none.
    if old.at(["status", "certificate"]) != new.at(["status", "certificate"]) {
        return Some("certificate");
    }
    let conditions = ["status", CONDITIONS];
    (old.list(conditions) != new.list(conditions)).then_some(CONDITIONS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::authorizer::AuthorizationMode;
    use crate::plugin::testing::{Bench, initializer, profile_of, update};
    use gotext::value::json;
    use kube_api::Value;

    fn signing(old: &Value, new: &Value) -> Attributes {
        let request = |signer, status| {
            json!({
                "apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest",
                "metadata": {"name": "jane"}, "spec": {"signerName": signer}, "status": status,
            })
        };
        let request = update(request("example.com/mesh", old), request("other.com/mesh", new));
        Attributes { sub_resource: "status".into(), ..request }
    }

    #[test]
    fn rejects_who_may_not_sign() {
        let bench = Bench::with_roles("CertificateSigning", []);
        let failed = json!({"conditions": [{"type": "Failed"}]});
        for (status, field) in [
            (json!({"certificate": "Zm9v"}), "status.certificate"),
            (json!({"certificate": ""}), "status.certificate"),
            (failed, "status.conditions"),
        ] {
            let refusal = bench.validate(&signing(&json!({}), &status)).unwrap_err();
            assert_eq!(
                refusal.status.message,
                "certificatesigningrequests.certificates.k8s.io \"jane\" is forbidden: user not permitted to sign \
                 requests with signerName \"example.com/mesh\""
            );
            assert_eq!(refusal.fields, [Path::new(field)]);
        }
    }

    #[test]
    fn admits_what_changes_nothing_and_who_may() {
        let bench = Bench::with_roles("CertificateSigning", []);
        assert_eq!(bench.validate(&signing(&json!({}), &json!({"conditions": []}))), Ok(()));
        let certificate = json!({"certificate": "Zm9v"});
        assert_eq!(bench.validate(&signing(&certificate, &certificate)), Ok(()));
        let everybody = Bench::new("CertificateSigning", []);
        assert_eq!(everybody.validate(&signing(&json!({}), &certificate)), Ok(()));
    }

    #[test]
    fn admits_other_conditions_until_1_18() {
        let mut initializer =
            PluginInitializer { profile: profile_of(Version::minor(18)), ..initializer([]) };
        let modes = vec![AuthorizationMode::Rbac];
        initializer.authorizer = Arc::new(Authorizer::new(initializer.cluster.clone(), modes));
        let handler = new(&initializer);
        let bench = Bench::of("CertificateSigning", handler, initializer.cluster);
        let change = |status: Value| bench.validate(&signing(&json!({}), &status));
        assert_eq!(change(json!({"conditions": [{"type": "Failed"}]})), Ok(()));
        assert!(change(json!({"certificate": "Zm9v"})).is_err());
    }

    #[test]
    fn ignores_everything_but_the_status() {
        let bench = Bench::with_roles("CertificateSigning", []);
        let request = signing(&json!({}), &json!({"certificate": "Zm9v"}));
        for sub_resource in ["", "approval"] {
            let request = Attributes { sub_resource: sub_resource.into(), ..request.clone() };
            assert_eq!(bench.validate(&request), Ok(()));
        }
    }
}
