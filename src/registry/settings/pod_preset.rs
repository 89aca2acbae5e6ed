//! Additions to selected Pods. Gone since 1.20.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/settings`, `k8s.io/kubernetes/pkg/apis/settings`.

use crate::api::Map;
use crate::api::tree::{child_mut, child_or_insert, items_mut, set_if_zero};
use crate::registry::defaults::volume;
use crate::registry::strategy::{ObjectStatus, Scope, Storage, Strategy};
use crate::registry::validation::metadata::{
    name_is_dns_subdomain, validate_object_meta, validate_object_meta_update,
};
use crate::registry::validation::node::{Errors, Node};
use crate::registry::validation::selector::validate_label_selector;

/// The strategy of `PodPreset`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "settings.k8s.io",
    kind: "PodPreset",
    resource: "podpresets",
    versions: &["v1alpha1"],
    scope: Scope::Namespaced,
    storage: Storage::Stored,
    allow_create_on_update: false,
    allow_unconditional_update: true,
    defaults: Some(|object, _, _| set_defaults(object)),
    default_times: None,
    status: ObjectStatus::None,
    prepare_for_create: None,
    prepare_for_update: None,
    gated: &[],
    prepared_times: None,
    as_validated: None,
    validate: Some(|errors, object, old, _| validate_pod_preset(errors, object, old)),
    refuse: None,
    warnings: None,
    sub_resources: &[],
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

/// Runs `ValidatePodPreset`, without the parts shared with Pods.
fn validate_pod_preset(errors: &mut Errors, object: &Node, old: Option<&Node>) {
    validate_object_meta(
        errors,
        object,
        crate::registry::validation::metadata::Scope::Namespaced,
        name_is_dns_subdomain,
    );
    if let Some(old) = old {
        validate_object_meta_update(errors, object, old);
    }
    let spec = object.child("spec");
    validate_label_selector(errors, &spec, "selector", false);
    let adds = ["volumes", "env", "envFrom", "volumeMounts"];
    if adds.iter().all(|list| spec.len(list) == 0) {
        let detail = "must specify at least one";
        errors.required(&spec.at("volumes"), detail);
    }
}
