//! Volumes of Kubernetes 1.10 to 1.13 without the gate `VolumeScheduling`, which was on by default and could be switched
//! off: classes lose their binding mode and topologies, and volumes may not have a node affinity.
//!
//! Source: `pkg/apis/storage/util.DropDisabledAlphaFields`, `validateVolumeNodeAffinity` of these releases.

use crate::validation::node::{Errors, Node};
use kube_api::Map;
use kube_api::features::Feature;
use kube_api::server_profile::ServerProfile;

/// The minor of the first release that cannot switch the gate off.
const LOCKED: u32 = 14;

/// Whether the server does without it.
pub(crate) fn is_off(profile: &ServerProfile) -> bool {
    profile.is_switched_off(Feature::VolumeScheduling, LOCKED)
}

/// Drops the fields of a class that the gate guards.
pub(crate) fn drop_disabled(class: &mut Map, profile: &ServerProfile) {
    if is_off(profile) {
        class.remove("volumeBindingMode");
        class.remove("allowedTopologies");
    }
}

/// Refuses the node affinity of a volume with this specification.
pub(crate) fn validate(errors: &mut Errors, spec: &Node, profile: &ServerProfile) {
    if spec.has("nodeAffinity") && is_off(profile) {
        errors.forbidden(&spec.at("nodeAffinity"), "Volume node affinity is disabled by feature-gate");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::json;
    use kube_api::version::Version;
    use kube_api::{Value, field};

    fn gates(minor: u32, text: &str) -> ServerProfile {
        ServerProfile::of_release(Version::minor(minor), []).with(text).expect("gates")
    }

    fn errors(spec: &Value, gates: &ServerProfile) -> Vec<String> {
        let mut errors = Errors::default();
        validate(&mut errors, &Node::new(field::Path::new("spec"), spec), gates);
        errors.0.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn classes_lose_their_fields_with_the_gate_alone() {
        let class = || {
            let class =
                json!({"volumeBindingMode": "Immediate", "allowedTopologies": [], "provisioner": "p"});
            class.as_object().expect("a map").clone()
        };
        let kept = |gates: &ServerProfile| {
            let mut class = class();
            drop_disabled(&mut class, gates);
            class.len()
        };
        assert_eq!(kept(&gates(13, "VolumeScheduling=false")), 1);
        assert_eq!(kept(&gates(13, "")), 3);
        assert_eq!(kept(&gates(14, "VolumeScheduling=false")), 3);
        assert_eq!(kept(&ServerProfile::default()), 3);
    }

    #[test]
    fn rejects_the_node_affinity_of_volumes() {
        let spec = json!({"nodeAffinity": {"required": {"nodeSelectorTerms": []}}});
        assert_eq!(
            errors(&spec, &gates(10, "VolumeScheduling=false")),
            ["spec.nodeAffinity: Forbidden: Volume node affinity is disabled by feature-gate"]
        );
        assert!(errors(&spec, &gates(10, "")).is_empty());
        assert!(errors(&json!({}), &gates(10, "VolumeScheduling=false")).is_empty());
    }
}
