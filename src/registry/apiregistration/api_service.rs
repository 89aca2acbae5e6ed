//! Servers of other APIs.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/apiregistration`.

use crate::api::tree::copy;
use crate::registry::defaults;
use crate::registry::store::copy_metadata;
use crate::registry::strategy::{ObjectStatus, Scope, Storage, Strategy, SubResource};
use crate::registry::validation::{metadata, registration};

/// What the server does with a `APIService`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "apiregistration.k8s.io",
    kind: "APIService",
    resource: "apiservices",
    versions: &["v1"],
    scope: Scope::Cluster,
    storage: Storage::Stored,
    allow_create_on_update: false,
    allow_unconditional_update: false,
    defaults: Some(|object, _, _| defaults::cluster::api_service(object)),
    default_times: None,
    status: ObjectStatus::Controllers,
    prepare_for_create: None,
    prepare_for_update: None,
    gated: &[],
    prepared_times: None,
    as_validated: None,
    validate: Some(|errors, object, _, _| registration::validate_api_service(errors, object)),
    refuse: None,
    warnings: None,
    sub_resources: &[SubResource {
        name: "status",
        prepare_for_update: Some(|service, old, _| {
            copy(service, old, "spec");
            copy_metadata(service, old, &["labels", "annotations", "finalizers", "ownerReferences"]);
        }),
        prepared_times: None,
        validate_update: Some(|errors, object, old, _| {
            metadata::validate_object_meta_update(errors, object, old);
            registration::validate_api_service_status(errors, object);
        }),
        warnings: None,
    }],
};
