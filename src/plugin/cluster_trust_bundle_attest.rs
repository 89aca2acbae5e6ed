//! Lets only users with the right to attest for a signer publish its trust anchors. Pods trust the certificates in a
//! cluster trust bundle; whoever adds their own can impersonate any service.
//!
//! # When it rejects
//!
//! A cluster trust bundle with a signer is created, or changed in more than its owners and finalizers, by a user who
//! may neither `attest` for the signer (resource `signers` of `certificates.k8s.io`, by its name) nor for all signers
//! of its domain (by the name `example.com/*`).
//!
//! # Cluster objects it reads
//!
//! Roles, cluster roles and their bindings, with `--authorization-mode=RBAC`. In other modes every user may.
//!
//! # Offline
//!
//! Whether the user may write cluster trust bundles at all is checked before admission, so not here.
//!
//! # Since
//!
//! 1.27, on by default; it does nothing without the gate `ClusterTrustBundle`, which is on since 1.37.
//!
//! # Upstream
//!
//! `k8s.io/kubernetes/plugin/pkg/admission/certificates/ctbattest`

use std::sync::Arc;

use crate::admission::{Attributes, Handler, Need, Operation, Recorder, Refusal, ValidationInterface};
use crate::cluster::authorizer::{Authorizer, ResourceAttributes};
use crate::plugin::PluginInitializer;
use gotext::quote;
use kube_api::features::Feature;
use kube_api::field::Path;
use kube_api::{Object, pairs};

pub(super) fn new(initializer: &PluginInitializer) -> Handler {
    Handler::validating(ClusterTrustBundleAttest {
        authorizer: initializer.authorizer.clone(),
        enabled: initializer.profile.enabled(Feature::ClusterTrustBundle),
    })
}

struct ClusterTrustBundleAttest {
    authorizer: Arc<Authorizer>,
    enabled: bool,
}

impl ValidationInterface for ClusterTrustBundleAttest {
    fn validate(&self, attributes: &Attributes, _recorder: &mut Recorder) -> Result<(), Refusal> {
        if !self.enabled || !attributes.resource.is("certificates.k8s.io", "clustertrustbundles") {
            return Ok(());
        }
        let Some(bundle) = attributes.object.as_deref() else { return Ok(()) };
        let signer = bundle.text(["spec", "signerName"]);
        if signer.is_empty() || changes_bookkeeping_only(attributes, bundle) {
            return Ok(());
        }
        let user = &attributes.user_info;
        if self.authorizer.authorizes_for_signer(&user.username, &user.groups, "attest", signer) {
            return Ok(());
        }
        let error = format!("user not permitted to attest for signerName {}", quote(signer));
        let need = user.access("attest", ResourceAttributes::signer(signer)).right().map(Need::Right);
        Err(attributes.new_forbidden(error).at(Path::new("spec.signerName")).needing(need))
    }
}

/// Whether the user is the garbage collector or the storage migrator, whose updates need no right to the signer.
///
/// Source: `rest.IsOnlyMutatingGCFields`.
fn changes_bookkeeping_only(attributes: &Attributes, bundle: &Object) -> bool {
    let Some(old) = attributes.old_object.as_deref().filter(|_| attributes.operation == Operation::Update)
    else {
        return false;
    };
    let without_bookkeeping = |object: &Object| {
        let mut object = object.clone();
        // The last ones are set by the server, which keeps the stored values whatever the body has.
        for field in [
            "finalizers",
            "managedFields",
            "ownerReferences",
            "selfLink",
            "creationTimestamp",
            "generation",
            "resourceVersion",
            "uid",
        ] {
            object.remove(["metadata", field]);
        }
        for field in ["annotations", "labels"] {
            if pairs(object.at(["metadata", field])).next().is_none() {
                object.remove(["metadata", field]);
            }
        }
        object.value
    };
    without_bookkeeping(old) == without_bookkeeping(bundle)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plugin::testing::{Bench, create, initializer, update};
    use gotext::value::json;
    use kube_api::Value;

    fn bench(enabled: bool) -> Bench {
        let cluster = initializer([]).cluster;
        let authorizer = Arc::new(Authorizer::new(cluster.clone(), Vec::new()));
        let handler = Handler::validating(ClusterTrustBundleAttest { authorizer, enabled });
        Bench::of("ClusterTrustBundleAttest", handler, cluster)
    }

    fn bundle(metadata: &Value, signer: &str) -> Value {
        json!({
            "apiVersion": "certificates.k8s.io/v1beta1", "kind": "ClusterTrustBundle",
            "metadata": metadata, "spec": {"signerName": signer},
        })
    }

    #[test]
    fn rejects_who_may_not_attest() {
        let request = create(bundle(&json!({"name": "example.com:mesh:a"}), "example.com/mesh"));
        let refusal = bench(true).validate(&request).unwrap_err();
        assert_eq!(
            refusal.status.message,
            "clustertrustbundles.certificates.k8s.io \"example.com:mesh:a\" is forbidden: user not permitted to attest \
             for signerName \"example.com/mesh\""
        );
        assert_eq!(refusal.fields, [Path::new("spec.signerName")]);
        assert_eq!(bench(false).validate(&request), Ok(()));
    }

    #[test]
    fn admits_bundles_without_signer_and_changes_of_bookkeeping() {
        let plain = create(bundle(&json!({"name": "a"}), ""));
        assert_eq!(bench(true).validate(&plain), Ok(()));
        let old = bundle(&json!({"name": "a"}), "example.com/mesh");
        let owned =
            json!({"name": "a", "ownerReferences": [{"name": "b"}], "finalizers": ["x/y"], "labels": {}});
        let changed = update(old.clone(), bundle(&owned, "example.com/mesh"));
        assert_eq!(bench(true).validate(&changed), Ok(()));
        let labelled = bundle(&json!({"name": "a", "labels": {"a": "b"}}), "example.com/mesh");
        assert!(bench(true).validate(&update(old, labelled)).is_err());
    }
}
