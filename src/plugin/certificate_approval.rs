//! Lets only users with a right to the signer approve or deny its certificate signing requests. Approval turns a
//! request into a certificate, so without this check the right to update `certificatesigningrequests/approval` would be
//! the right to become any user.
//!
//! # When it rejects
//!
//! The approval of a certificate signing request is updated, in any way, by a user who may neither `approve` the signer
//! of the request (resource `signers` of `certificates.k8s.io`, by its name) nor all signers of its domain (by the name
//! `example.com/*`).
//!
//! # Cluster objects it reads
//!
//! Roles, cluster roles and their bindings, with `--authorization-mode=RBAC`. In other modes every user may.
//!
//! # Offline
//!
//! Whether the user may update the approval at all is checked before admission, so not here.
//!
//! # Since
//!
//! 1.18, on by default.
//!
//! # Upstream
//!
//! `k8s.io/kubernetes/plugin/pkg/admission/certificates/approval`

use std::sync::Arc;

use crate::admission::{Attributes, Handler, Need, Recorder, Refusal, ValidationInterface};
use crate::cluster::authorizer::{Authorizer, ResourceAttributes};
use crate::plugin::PluginInitializer;
use gotext::quote;
use kube_api::field::Path;

pub(super) fn new(initializer: &PluginInitializer) -> Handler {
    Handler::validating(CertificateApproval { authorizer: initializer.authorizer.clone() })
}

struct CertificateApproval {
    authorizer: Arc<Authorizer>,
}

impl ValidationInterface for CertificateApproval {
    fn validate(&self, attributes: &Attributes, _recorder: &mut Recorder) -> Result<(), Refusal> {
        const GROUP: &str = "certificates.k8s.io";
        let stored = attributes.old_object.as_deref();
        let approves = attributes.is_for_sub_resource(GROUP, "certificatesigningrequests", "approval");
        let Some(stored) = stored.filter(|_| approves) else { return Ok(()) };
        let signer = stored.text(["spec", "signerName"]);
        let user = &attributes.user_info;
        if self.authorizer.authorizes_for_signer(&user.username, &user.groups, "approve", signer) {
            return Ok(());
        }
        let error = format!("user not permitted to approve requests with signerName {}", quote(signer));
        let need = user.access("approve", ResourceAttributes::signer(signer)).right().map(Need::Right);
        Err(attributes.new_forbidden(error).at(Path::new("spec.signerName")).needing(need))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::admission::UserInfo;
    use crate::plugin::testing::{Bench, update};
    use gotext::value::json;
    use kube_api::Value;

    fn bench(verb: &str, resource_names: &Value) -> Bench {
        let signers = json!({
            "apiGroups": ["certificates.k8s.io"], "resources": ["signers"],
            "verbs": [verb], "resourceNames": resource_names,
        });
        let role = json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
            "metadata": {"name": "approver"}, "rules": [signers],
        });
        let binding = json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
            "metadata": {"name": "approver"},
            "roleRef": {"kind": "ClusterRole", "name": "approver"},
            "subjects": [{"kind": "User", "name": "bob"}],
        });
        Bench::with_roles("CertificateApproval", [role, binding])
    }

    fn approval(sub_resource: &'static str, groups: &[&str]) -> Attributes {
        let request = |signer| {
            json!({
                "apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest",
                "metadata": {"name": "jane"}, "spec": {"signerName": signer},
            })
        };
        let user_info = UserInfo {
            username: "bob".to_owned(),
            groups: groups.iter().map(|group| (*group).to_owned()).collect(),
            ..UserInfo::default()
        };
        Attributes {
            sub_resource: sub_resource.into(),
            user_info: Arc::new(user_info),
            ..update(request("example.com/mesh"), request("other.com/mesh"))
        }
    }

    #[test]
    fn admits_who_may_approve_the_signer_or_its_domain() {
        for names in [json!(["example.com/mesh"]), json!(["example.com/*"]), json!([])] {
            assert_eq!(bench("approve", &names).validate(&approval("approval", &[])), Ok(()));
        }
        let bench = bench("sign", &json!([]));
        assert_eq!(bench.validate(&approval("approval", &["system:masters"])), Ok(()));
    }

    #[test]
    fn rejects_who_may_do_something_else() {
        for (verb, names) in
            [("sign", json!([])), ("approve", json!(["example.com/vpn", "other.com/mesh", "example.com/m*"]))]
        {
            let refusal = bench(verb, &names).validate(&approval("approval", &[])).unwrap_err();
            assert_eq!(
                refusal.status.message,
                "certificatesigningrequests.certificates.k8s.io \"jane\" is forbidden: user not permitted to approve \
                 requests with signerName \"example.com/mesh\""
            );
            assert_eq!(refusal.fields, [Path::new("spec.signerName")]);
        }
    }

    #[test]
    fn ignores_everything_but_the_approval() {
        let bench = bench("sign", &json!([]));
        assert_eq!(bench.validate(&approval("", &[])), Ok(()));
        assert_eq!(bench.validate(&approval("status", &[])), Ok(()));
    }
}
