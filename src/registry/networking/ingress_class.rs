//! Controllers of Ingresses.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/networking`.

use crate::registry::defaults;
use crate::registry::strategy::{ObjectStatus, Scope, Storage, Strategy};
use crate::registry::validation::network;

/// What the server does with a `IngressClass`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "networking.k8s.io",
    kind: "IngressClass",
    resource: "ingressclasses",
    versions: &["v1"],
    scope: Scope::Cluster,
    storage: Storage::Stored,
    allow_create_on_update: false,
    allow_unconditional_update: true,
    defaults: Some(|object, _, _| defaults::cluster::ingress_class(object)),
    default_times: None,
    status: ObjectStatus::None,
    prepare_for_create: None,
    prepare_for_update: None,
    gated: &[],
    prepared_times: None,
    as_validated: None,
    validate: Some(|errors, object, old, _| network::validate_ingress_class(errors, object, old)),
    refuse: None,
    warnings: None,
    sub_resources: &[],
};
