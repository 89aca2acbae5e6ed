//! Certificates that a cluster trusts.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/certificates`.

use crate::registry::strategy::{ObjectStatus, Scope, Storage, Strategy};
use crate::registry::validation::certificate;

/// What the server does with a `ClusterTrustBundle`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "certificates.k8s.io",
    kind: "ClusterTrustBundle",
    resource: "clustertrustbundles",
    versions: &["v1beta1", "v1alpha1"],
    scope: Scope::Cluster,
    storage: Storage::Stored,
    allow_create_on_update: false,
    allow_unconditional_update: false,
    defaults: None,
    default_times: None,
    status: ObjectStatus::None,
    prepare_for_create: None,
    prepare_for_update: None,
    gated: &[],
    prepared_times: None,
    as_validated: None,
    validate: Some(|errors, object, old, _| certificate::validate_cluster_trust_bundle(errors, object, old)),
    refuse: None,
    warnings: None,
    sub_resources: &[],
};
