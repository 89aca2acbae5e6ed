//! Requests to sign certificates.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/certificates`.

use crate::registry::preparation;
use crate::registry::strategy::{ObjectStatus, Scope, Storage, Strategy, SubResource};
use crate::registry::validation::certificate;

/// What the server does with a `CertificateSigningRequest`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "certificates.k8s.io",
    kind: "CertificateSigningRequest",
    resource: "certificatesigningrequests",
    versions: &["v1"],
    scope: Scope::Cluster,
    storage: Storage::Stored,
    allow_create_on_update: false,
    allow_unconditional_update: true,
    defaults: None,
    default_times: None,
    status: ObjectStatus::Controllers,
    prepare_for_create: Some(|request, context, _| {
        preparation::certificate::set_requester(request, context.requester);
    }),
    prepare_for_update: Some(|request, old, _| preparation::certificate::for_update(request, old, "")),
    gated: &[],
    prepared_times: None,
    as_validated: None,
    validate: Some(|errors, object, old, _| {
        certificate::validate_signing_request(errors, object, old, certificate::Way::Whole);
    }),
    refuse: None,
    warnings: None,
    sub_resources: &[
        SubResource {
            name: "approval",
            prepare_for_update: Some(|request, old, _| {
                preparation::certificate::for_update(request, old, "approval");
            }),
            prepared_times: Some(|request, _, now| preparation::csr_times(request, now)),
            validate_update: Some(|errors, object, old, _| {
                certificate::validate_signing_request(errors, object, Some(old), certificate::Way::Approval);
            }),
            warnings: None,
        },
        SubResource {
            name: "status",
            prepare_for_update: Some(|request, old, _| {
                preparation::certificate::for_update(request, old, "status");
            }),
            prepared_times: Some(|request, _, now| preparation::csr_times(request, now)),
            validate_update: Some(|errors, object, old, _| {
                certificate::validate_signing_request(errors, object, Some(old), certificate::Way::Status);
            }),
            warnings: None,
        },
    ],
};
