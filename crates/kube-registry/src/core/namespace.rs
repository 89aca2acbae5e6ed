//! Namespaces, which Kubernetes itself finalizes.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/core`.

use crate::preparation::keep_spec;
use crate::strategy::{ObjectStatus, Scope, Strategy, SubResource};
use crate::validation::metadata;
use crate::validation::metadata::{
    validate_kube_finalizer_name, validate_object_meta, validate_object_meta_update,
};
use crate::validation::node::{Errors, Node};
use gotext::names;
use gotext::value::json;
use kube_api::field::Path;
use kube_api::server_profile::ServerProfile;
use kube_api::tree::{child_mut, child_or_insert, copy, set, set_if_zero};
use kube_api::version::Version;
use kube_api::{Map, Value};

/// The strategy of `Namespace`.
pub(crate) static STRATEGY: Strategy = Strategy {
    defaults: Some(|object, _, profile| set_defaults(object, profile)),
    status: ObjectStatus::Initialized(|namespace| set(namespace, "status", json!({"phase": "Active"}))),
    prepare_for_create: Some(|namespace, context, _| namespace_for_create(namespace, context.profile)),
    prepare_for_update: Some(|namespace, old, context| {
        copy(namespace, old, "spec");
        label(namespace, context.profile);
    }),
    validate: Some(|errors, object, old, _| {
        validate_namespace(errors, object);
        if let Some(old) = old {
            metadata::validate_object_meta_update(errors, object, old);
        }
    }),
    sub_resources: &[
        SubResource {
            prepare_for_update: Some(|namespace, old, _| copy(namespace, old, "status")),
            validate_update: Some(|errors, object, old, _| {
                validate_namespace_finalize_update(errors, object, old);
            }),
            ..SubResource::new("finalize")
        },
        SubResource {
            prepare_for_update: Some(keep_spec),
            validate_update: Some(|errors, object, old, _| {
                validate_namespace_status_update(errors, object, old);
            }),
            ..SubResource::new("status")
        },
    ],
    ..Strategy::new("", "Namespace")
};

/// Sets the label with the name, once there is a name.
fn set_defaults(namespace: &mut Map, profile: &ServerProfile) {
    label(namespace, profile);
    set_if_zero(child_or_insert(namespace, "status"), "phase", "Active");
}

/// The first release that labels namespaces.
const LABELLED: Version = Version::minor(21);

fn label(namespace: &mut Map, profile: &ServerProfile) {
    if profile.release() >= LABELLED {
        default_label_namespace(namespace);
    }
}

/// Labels a namespace with its name, which may have been generated.
pub(crate) fn default_label_namespace(namespace: &mut Map) {
    const NAME_LABEL: &str = "kubernetes.io/metadata.name";
    let Some(metadata) = child_mut(namespace, "metadata") else { return };
    let name = metadata.text("name");
    if !name.is_empty() && metadata.child("labels").is_none_or(|labels| labels.text(NAME_LABEL) != name) {
        let name = name.to_owned();
        set(child_or_insert(metadata, "labels"), NAME_LABEL, name);
    }
}

fn namespace_for_create(namespace: &mut Map, profile: &ServerProfile) {
    const FINALIZER: &str = "kubernetes";
    let spec = child_or_insert(namespace, "spec");
    if !spec.list("finalizers").iter().any(|finalizer| finalizer == FINALIZER) {
        match spec.get_mut("finalizers") {
            Some(Value::Array(finalizers)) => finalizers.push(FINALIZER.into()),
            _ => set(spec, "finalizers", json!([FINALIZER])),
        }
    }
    label(namespace, profile);
}

/// Implements `ValidateNamespace`.
fn validate_namespace(errors: &mut Errors, object: &Node) {
    validate_object_meta(errors, object, Scope::Cluster, crate::validation::metadata::name_is_dns_label);
    let spec = object.child("spec");
    for finalizer in spec.texts("finalizers") {
        validate_finalizer_name(errors, finalizer, &spec.at("finalizers"));
    }
}

/// Implements `validateFinalizerName`.
fn validate_finalizer_name(errors: &mut Errors, finalizer: &str, path: &Path) {
    errors.each(|| path.clone(), finalizer, names::is_qualified_name(finalizer));
    validate_kube_finalizer_name(errors, finalizer, || path.clone());
}

/// Implements `ValidateNamespaceFinalizeUpdate`.
fn validate_namespace_finalize_update(errors: &mut Errors, object: &Node, old: &Node) {
    validate_object_meta_update(errors, object, old);
    let spec = object.child("spec");
    for (index, finalizer) in spec.texts("finalizers").enumerate() {
        validate_finalizer_name(errors, finalizer, &spec.at("finalizers").index(index));
    }
}

/// Implements `ValidateNamespaceStatusUpdate`.
fn validate_namespace_status_update(errors: &mut Errors, object: &Node, old: &Node) {
    validate_object_meta_update(errors, object, old);
    let deleted = object.child("metadata").has("deletionTimestamp");
    let (expected, detail) = if deleted {
        ("Terminating", "may only be 'Terminating' if `deletionTimestamp` is not empty")
    } else {
        ("Active", "may only be 'Active' if `deletionTimestamp` is empty")
    };
    let status = object.child("status");
    if status.text("phase") != expected {
        errors.invalid(&status.at("Phase"), status.text("phase"), detail);
    }
}
