//! Requests for certificates of Pods.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/certificates`.

use crate::registry::defaults;
use crate::registry::store::keep_spec_and_metadata;
use crate::registry::strategy::{ObjectStatus, Scope, Storage, Strategy, SubResource};
use crate::registry::validation::certificate;

/// What the server does with a `PodCertificateRequest`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "certificates.k8s.io",
    kind: "PodCertificateRequest",
    resource: "podcertificaterequests",
    versions: &["v1beta1"],
    scope: Scope::Namespaced,
    storage: Storage::Stored,
    allow_create_on_update: false,
    allow_unconditional_update: false,
    defaults: Some(|object, _, _| defaults::cluster::pod_certificate_request(object)),
    default_times: None,
    status: ObjectStatus::Controllers,
    prepare_for_create: None,
    prepare_for_update: None,
    gated: &[],
    prepared_times: None,
    as_validated: None,
    validate: Some(|errors, object, old, _| {
        certificate::validate_pod_certificate_request(errors, object, old);
    }),
    refuse: None,
    warnings: None,
    sub_resources: &[SubResource {
        name: "status",
        prepare_for_update: Some(keep_spec_and_metadata),
        prepared_times: None,
        validate_update: None,
        warnings: None,
    }],
};
