//! Which requests have which priority.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/flowcontrol`.

use crate::api::tree::copy;
use crate::registry::defaults;
use crate::registry::store::copy_all_metadata;
use crate::registry::strategy::{ObjectStatus, Scope, Storage, Strategy, SubResource};
use crate::registry::validation::flow_control;

/// What the server does with a `FlowSchema`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "flowcontrol.apiserver.k8s.io",
    kind: "FlowSchema",
    resource: "flowschemas",
    versions: &["v1"],
    scope: Scope::Cluster,
    storage: Storage::Stored,
    allow_create_on_update: false,
    allow_unconditional_update: true,
    defaults: Some(|object, _, _| defaults::cluster::flow_schema(object)),
    default_times: None,
    status: ObjectStatus::Controllers,
    prepare_for_create: None,
    prepare_for_update: None,
    gated: &[],
    prepared_times: None,
    as_validated: None,
    validate: Some(|errors, object, _, _| flow_control::validate_flow_schema(errors, object)),
    refuse: None,
    warnings: None,
    sub_resources: &[SubResource {
        name: "status",
        prepare_for_update: Some(|object, old, _| {
            copy(object, old, "spec");
            copy_all_metadata(object, old);
        }),
        prepared_times: None,
        validate_update: Some(|errors, object, _, _| {
            flow_control::validate_flow_control_status(errors, object);
        }),
        warnings: None,
    }],
};
