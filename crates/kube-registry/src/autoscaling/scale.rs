//! The number of replicas of a workload.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/autoscaling`.

use crate::strategy::{Answer, Storage, Strategy, SubResource};

/// The strategy of `Scale`.
pub(crate) static STRATEGY: Strategy = Strategy {
    storage: Storage::Answered(Answer::Scale),
    sub_resources: &[SubResource {
        // `ValidateScale`; the metadata is that of the workload.
        validate_update: Some(|errors, scale, _, _| errors.non_negative(&scale.child("spec"), "replicas")),
        ..SubResource::new("scale")
    }],
    ..Strategy::new("autoscaling", "Scale")
};

#[cfg(test)]
mod tests {
    use crate::of;
    use crate::strategy::Context;
    use gotext::value::json;
    use kube_api::server_profile::ServerProfile;
    use kube_api::{GroupVersionKind, Object};

    #[test]
    fn rejects_a_negative_number_of_replicas() {
        let scale = |replicas: i64| {
            let value = json!({"metadata": {"name": "web", "namespace": "shop", "resourceVersion": "1"}, "spec": {"replicas": replicas}});
            Object::new(GroupVersionKind::new("autoscaling", "v1", "Scale"), value)
        };
        let profile = ServerProfile::default();
        let errors = |replicas| {
            let (scale, old) = (scale(replicas), scale(1));
            let strategy = of(&scale.kind).unwrap();
            let errors = strategy.validate_update(&scale, &old, "scale", &Context::new(&profile));
            errors.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(errors(0), [""; 0]);
        assert_eq!(errors(-1), ["spec.replicas: Invalid value: -1: must be greater than or equal to 0"]);
    }
}
