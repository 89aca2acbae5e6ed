//! The status of persistent volume claims, in which a kubelet reports the growth of a volume.

use super::NodeRestriction;
use crate::admission::{Attributes, Operation, Refusal};
use gotext::quote;
use kube_api::field::Path;
use kube_api::{Object, Value};
use kube_registry::validation::{difference, semantically_equal};

impl NodeRestriction {
    pub(super) fn admit_claim(&self, node: &str, attributes: &Attributes) -> Result<(), Refusal> {
        if attributes.sub_resource != "status" {
            return Err(attributes.new_forbidden("may only update PVC status"));
        }
        if attributes.operation != Operation::Update {
            let error = format!("unexpected operation \"{}\"", attributes.operation);
            return Err(attributes.new_forbidden(error));
        }
        let (Some(old), Some(new)) = (attributes.old_object.as_deref(), attributes.object.as_deref()) else {
            return Ok(());
        };
        let (old, new) = (self.without_growth(old), self.without_growth(new));
        if semantically_equal("core/v1.PersistentVolumeClaim", &old, &new) {
            return Ok(());
        }
        let error = format!(
            "node {} is not allowed to update fields other than status.quantity and status.conditions: {}",
            quote(node),
            difference(self.release, "internal.PersistentVolumeClaim", &old, &new),
        );
        let changed = ["metadata", "spec", "status"].into_iter().filter(|part| old[part] != new[part]);
        Err(attributes.new_forbidden(error).at_all(changed.map(Path::new)))
    }

    /// Returns the claim without the fields that the kubelet may change.
    fn without_growth(&self, claim: &Object) -> Value {
        let mut claim = claim.clone();
        claim.remove(["metadata", "managedFields"]);
        claim.remove(["metadata", "resourceVersion"]);
        claim.remove(["status", "capacity"]);
        claim.remove(["status", "conditions"]);
        if self.gates.recover_volume_expansion_failure {
            claim.remove(["status", "allocatedResources"]);
            claim.remove(["status", "allocatedResourceStatuses"]);
        }
        claim.value
    }
}
