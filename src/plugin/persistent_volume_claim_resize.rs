//! Lets a claim grow only if its storage class allows that. A driver that cannot resize volumes would otherwise leave a
//! claim that promises more than its volume has. Claims cannot shrink at all, which API validation ensures.
//!
//! # When it rejects
//!
//! An update that requests more storage than before is refused when
//!
//! - the claim is not bound,
//! - the claim has no storage class, the class does not exist, or it does not have `allowVolumeExpansion: true`.
//!
//! # Cluster objects it reads
//!
//! The storage class of the claim: `allowVolumeExpansion`.
//!
//! # Offline
//!
//! The `status.phase` of the claim in the cluster decides whether the claim is bound.
//!
//! # Since
//!
//! Before 1.10, on by default since 1.11.
//!
//! # Upstream
//!
//! `k8s.io/kubernetes/plugin/pkg/admission/storage/persistentvolume/resize`

use std::sync::Arc;

use crate::admission::{Attributes, Evidence, Handler, Recorder, Refusal, ValidationInterface};
use crate::cluster::Cluster;
use crate::plugin::PluginInitializer;
use gotext::quantity::Quantity;
use kube_api::field::Path;
use kube_api::resources::{PERSISTENT_VOLUME_CLAIMS, STORAGE_CLASSES};
use kube_api::{Object, Value};
use kube_registry::persistent_volume_claim::storage_class_name;

pub(super) fn new(initializer: &PluginInitializer) -> Handler {
    Handler::validating(PersistentVolumeClaimResize { cluster: initializer.cluster.clone() })
}

struct PersistentVolumeClaimResize {
    cluster: Arc<Cluster>,
}

impl ValidationInterface for PersistentVolumeClaimResize {
    fn validate(&self, attributes: &Attributes, _recorder: &mut Recorder) -> Result<(), Refusal> {
        if !attributes.is_for("", "persistentvolumeclaims") {
            return Ok(());
        }
        let (Some(new), Some(old)) = (&attributes.object, &attributes.old_object) else { return Ok(()) };
        if requested_storage(new) <= requested_storage(old) {
            return Ok(());
        }
        let size = Path::new("spec.resources.requests").key("storage");
        if old.text(["status", "phase"]) != "Bound" {
            let refusal = attributes.new_forbidden("Only bound persistent volume claims can be expanded");
            return Err(refusal.at(size).because(
                Evidence::named(
                    PERSISTENT_VOLUME_CLAIMS,
                    &attributes.namespace,
                    &attributes.name,
                    "is not bound",
                )
                .at(Path::new("status.phase")),
            ));
        }
        self.expandable(new, old).map_err(|evidence| {
            let mut refusal = attributes.new_forbidden(
                "only dynamically provisioned pvc can be resized and \
                 the storageclass that provisions the pvc must support resize",
            );
            refusal.evidence.extend(evidence);
            refusal.at(size)
        })
    }
}

impl PersistentVolumeClaimResize {
    /// Checks that the class of the claim allows it to grow; on failure returns the class that forbids it, if there is
    /// one.
    fn expandable(&self, new: &Object, old: &Object) -> Result<(), Option<Evidence>> {
        let name = storage_class_name(new).unwrap_or_default();
        if name.is_empty() || storage_class_name(old) != Some(name) {
            return Err(None);
        }
        let class = self.cluster.get(&STORAGE_CLASSES, "", name).ok_or(None)?;
        let allows = class.at("allowVolumeExpansion").and_then(Value::as_bool);
        if allows == Some(true) {
            return Ok(());
        }
        Err(Some(
            Evidence::named(STORAGE_CLASSES, "", name, "does not allow volume expansion")
                .at(allows.map(|_| Path::new("allowVolumeExpansion"))),
        ))
    }
}

fn requested_storage(claim: &Object) -> Quantity {
    claim.text(["spec", "resources", "requests", "storage"]).parse().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plugin::testing::{Bench, update, with_spec};
    use gotext::value::json;

    const REFUSED: &str = "persistentvolumeclaims \"web\" is forbidden: only dynamically provisioned pvc can be \
                           resized and the storageclass that provisions the pvc must support resize";

    fn bench() -> Bench {
        let class = |name: &str, allows: Value| {
            json!({
                "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": name},
                "allowVolumeExpansion": &allows,
            })
        };
        Bench::new(
            "PersistentVolumeClaimResize",
            [class("elastic", json!(true)), class("fixed", json!(false)), class("silent", Value::Null)],
        )
    }

    fn claim(class: &str, size: &str, phase: &str) -> Value {
        let resources = json!({"requests": {"storage": size}});
        let mut claim = with_spec(
            "v1",
            "PersistentVolumeClaim",
            json!({"storageClassName": class, "resources": resources}),
        );
        claim["status"] = json!({"phase": phase});
        claim
    }

    fn grow(class: &str, phase: &str) -> Attributes {
        update(claim(class, "10Gi", phase), claim(class, "10737418241", phase))
    }

    #[test]
    fn admits_growth_where_the_class_allows_it() {
        assert_eq!(bench().validate(&grow("elastic", "Bound")), Ok(()));
    }

    #[test]
    fn admits_sizes_that_do_not_grow() {
        let resize =
            |from, to| bench().validate(&update(claim("fixed", from, "Bound"), claim("fixed", to, "Bound")));
        assert_eq!(resize("10Gi", "10240Mi"), Ok(()));
        assert_eq!(resize("10Gi", "1Gi"), Ok(()));
    }

    #[test]
    fn rejects_growth_where_the_class_does_not_allow_it() {
        for (class, evidence) in [("fixed", 1), ("silent", 1), ("missing", 0), ("", 0)] {
            let refusal = bench().validate(&grow(class, "Bound")).unwrap_err();
            assert_eq!(refusal.status.message, REFUSED);
            assert_eq!(refusal.evidence.len(), evidence, "{class}");
            assert_eq!(refusal.fields[0].json_pointer(), "/spec/resources/requests/storage");
        }
    }

    #[test]
    fn rejects_growth_with_a_change_of_class() {
        let request = update(claim("fixed", "1Gi", "Bound"), claim("elastic", "2Gi", "Bound"));
        assert_eq!(bench().validate(&request).unwrap_err().status.message, REFUSED);
    }

    #[test]
    fn rejects_growth_of_claims_that_are_not_bound() {
        assert_eq!(
            bench().validate(&grow("elastic", "Pending")).unwrap_err().status.message,
            "persistentvolumeclaims \"web\" is forbidden: Only bound persistent volume claims can be expanded"
        );
    }

    #[test]
    fn ignores_subresources() {
        let mut request = grow("fixed", "Bound");
        request.sub_resource = "status".into();
        assert_eq!(bench().validate(&request), Ok(()));
    }
}
