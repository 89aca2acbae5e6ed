//! Namespaces, which Kubernetes itself finalizes.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/core`.

use crate::api::tree::{copy, set};
use crate::registry::store::keep_spec;
use crate::registry::strategy::{ObjectStatus, Scope, Storage, Strategy, SubResource};
use crate::registry::validation::{core, metadata};
use crate::registry::{defaults, preparation};
use serde_json::json;

/// What the server does with a `Namespace`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "",
    kind: "Namespace",
    resource: "namespaces",
    versions: &["v1"],
    scope: Scope::Cluster,
    storage: Storage::Stored,
    allow_create_on_update: false,
    allow_unconditional_update: true,
    defaults: Some(|object, _, _| defaults::core::namespace(object)),
    default_times: None,
    status: ObjectStatus::Begun(|namespace| set(namespace, "status", json!({"phase": "Active"}))),
    prepare_for_create: Some(|namespace, _, _| preparation::namespace_for_create(namespace)),
    prepare_for_update: Some(|namespace, old, _| {
        copy(namespace, old, "spec");
        defaults::core::label_namespace(namespace);
    }),
    gated: &[],
    prepared_times: None,
    as_validated: None,
    validate: Some(|errors, object, old, _| {
        core::validate_namespace(errors, object);
        if let Some(old) = old {
            metadata::validate_object_meta_update(errors, object, old);
        }
    }),
    refuse: None,
    warnings: None,
    sub_resources: &[
        SubResource {
            name: "finalize",
            prepare_for_update: Some(|namespace, old, _| copy(namespace, old, "status")),
            prepared_times: None,
            validate_update: Some(|errors, object, old, _| {
                core::validate_namespace_finalize_update(errors, object, old);
            }),
            warnings: None,
        },
        SubResource {
            name: "status",
            prepare_for_update: Some(keep_spec),
            prepared_times: None,
            validate_update: Some(|errors, object, old, _| {
                core::validate_namespace_status_update(errors, object, old);
            }),
            warnings: None,
        },
    ],
};
