//! Additions to selected Pods. Gone since 1.20.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/settings`, `k8s.io/kubernetes/pkg/apis/settings`.

use crate::defaults::volume;
use crate::strategy::Strategy;
use crate::validation::metadata::{name_is_dns_subdomain, validate_object_meta, validate_object_meta_update};
use crate::validation::node::{Errors, Node};
use crate::validation::pod::containers::validate_volume_mounts;
use crate::validation::pod::environment::{validate_env, validate_env_from};
use crate::validation::pod::volumes::validate_volumes;
use crate::validation::pod::{Options, Pod};
use crate::validation::selector::validate_label_selector;
use kube_api::Map;
use kube_api::server_profile::ServerProfile;
use kube_api::tree::{child_mut, child_or_insert, items_mut, set_if_zero};

/// The strategy of `PodPreset`.
pub(crate) static STRATEGY: Strategy = Strategy {
    versions: &["v1alpha1"],
    defaults: Some(|object, _, _| set_defaults(object)),
    validate: Some(|errors, object, old, context| {
        validate_pod_preset(errors, object, old, context.profile);
    }),
    ..Strategy::new("settings.k8s.io", "PodPreset")
};

/// Sets the defaults of the parts shared with Pods.
fn set_defaults(preset: &mut Map) {
    let spec = child_or_insert(preset, "spec");
    for variable in items_mut(spec, "env") {
        if let Some(reference) =
            child_mut(variable, "valueFrom").and_then(|source| child_mut(source, "fieldRef"))
        {
            set_if_zero(reference, "apiVersion", "v1");
        }
    }
    items_mut(spec, "volumes").for_each(volume::volume);
}

/// Runs `ValidatePodPreset`, and `ValidatePodPresetUpdate` if there is an old object.
fn validate_pod_preset(errors: &mut Errors, object: &Node, old: Option<&Node>, profile: &ServerProfile) {
    if let Some(old) = old {
        validate_object_meta_update(errors, object, old);
    } else {
        let scope = crate::validation::metadata::Scope::Namespaced;
        validate_object_meta(errors, object, scope, name_is_dns_subdomain);
    }
    let spec = object.child("spec");
    validate_label_selector(errors, &spec, "selector", false);
    let adds = ["volumes", "env", "envFrom", "volumeMounts"];
    if adds.iter().all(|list| spec.len(list) == 0) {
        let detail = "must specify at least one";
        errors.required(&spec.below(&adds), detail);
    }
    // The names at the top of the specification are those of a container, so it is read as one.
    let options = Options::new(profile, None);
    let volumes = validate_volumes(errors, &Pod::new(spec.clone(), None), &options);
    validate_env(errors, &spec, &options);
    validate_env_from(errors, &spec, &options);
    let mut mounts = Errors::default();
    validate_volume_mounts(&mut mounts, &spec, &volumes);
    // Whether the containers are privileged is unknown here.
    mounts.0.retain(|error| !error.detail.contains("only to privileged containers"));
    errors.0.append(&mut mounts.0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::json;

    #[test]
    fn rejects_faults_that_a_pod_would_have() {
        let preset = json!({
            "metadata": {"name": "database", "namespace": "shop"},
            "spec": {
                "selector": {},
                "env": [{"name": ""}],
                "envFrom": [{"secretRef": {"name": "a b"}}],
                "volumes": [{"name": "data"}],
                "volumeMounts": [{"name": "other", "mountPath": "/data", "mountPropagation": "Bidirectional"}],
            },
        });
        let fields = |preset: &kube_api::Value| {
            let mut errors = Errors::default();
            validate_pod_preset(&mut errors, &Node::root(preset), None, &ServerProfile::default());
            errors.0.iter().map(kube_api::field::Error::field).collect::<Vec<_>>()
        };
        assert_eq!(
            fields(&preset),
            [
                "spec.volumes[0]",
                "spec.env[0].name",
                "spec.envFrom[0].secretRef.name",
                "spec.volumeMounts[0].name",
            ]
        );
        let empty = json!({"metadata": {"name": "none", "namespace": "shop"}, "spec": {"selector": {}}});
        assert_eq!(fields(&empty), ["spec.volumes.env.envFrom.volumeMounts"]);
    }
}
