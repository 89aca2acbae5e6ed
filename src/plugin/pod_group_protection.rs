//! Adds a finalizer to new `PodGroups`, so that a group stays until its last pod is gone: the scheduler and controllers
//! need it to place the pods together.
//!
//! # When it rejects
//!
//! Never.
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
//! 1.36, on by default; it takes effect with the gate `GenericWorkload`, which is off by default.
//!
//! # Upstream
//!
//! `k8s.io/kubernetes/plugin/pkg/admission/scheduling/podgroupprotection`

use crate::admission::{Attributes, Handler, MutationInterface, Recorder, Refusal};
use crate::plugin::PluginInitializer;
use kube_api::features::Feature;

const FINALIZER: &str = "scheduling.k8s.io/podgroup-protection";

pub(super) fn new(initializer: &PluginInitializer) -> Handler {
    let generic_workload = initializer.profile.enabled(Feature::GenericWorkload);
    Handler::mutating(PodGroupProtection { generic_workload })
}

struct PodGroupProtection {
    generic_workload: bool,
}

impl MutationInterface for PodGroupProtection {
    fn admit(&self, attributes: &mut Attributes, _recorder: &mut Recorder) -> Result<(), Refusal> {
        if !self.generic_workload || !attributes.is_for("scheduling.k8s.io", "podgroups") {
            return Ok(());
        }
        let path = ["metadata", "finalizers"];
        let is_protected = attributes
            .object
            .as_deref()
            .is_some_and(|group| group.list(path).iter().any(|it| it == FINALIZER));
        if !is_protected && let Some(group) = attributes.object_mut() {
            group.append(path, FINALIZER);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plugin::testing::{Bench, create, update};
    use gotext::value::json;
    use kube_api::Value;

    fn group(finalizers: &[&str]) -> Value {
        json!({
            "apiVersion": "scheduling.k8s.io/v1alpha2", "kind": "PodGroup",
            "metadata": {"name": "web", "namespace": "shop", "finalizers": finalizers},
        })
    }

    #[test]
    fn admits_groups_with_the_finalizer_at_the_end() {
        let bench = Bench::gated("PodGroupProtection", "GenericWorkload=true", []);
        assert_eq!(bench.admitted(create(group(&["a"]))), group(&["a", FINALIZER]));
    }

    #[test]
    fn ignores_protected_groups_updates_and_everything_without_the_gate() {
        let bench = Bench::gated("PodGroupProtection", "GenericWorkload=true", []);
        assert!(bench.leaves_alone(create(group(&[FINALIZER, "a"]))));
        assert!(bench.leaves_alone(update(group(&[]), group(&[]))));
        assert!(Bench::new("PodGroupProtection", []).leaves_alone(create(group(&[]))));
    }
}
