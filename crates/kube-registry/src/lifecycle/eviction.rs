//! The graceful evictions of Pods, with the progress of those who respond to them.
//!
//! Source: `k8s.io/api/lifecycle/v1alpha1`.

use crate::preparation::keep_spec_and_metadata;
use crate::strategy::{ObjectStatus, Scope, Storage, Strategy, SubResource};
use crate::validation::condition::validate_conditions;
use crate::validation::core::validate_meta;
use crate::validation::declared;
use crate::validation::metadata::{name_is_dns_subdomain, validate_object_meta_update};

/// The strategy of `Eviction`.
pub(crate) static STRATEGY: Strategy = Strategy {
    group: "lifecycle.k8s.io",
    kind: "Eviction",
    resource: "evictions",
    versions: &["v1alpha1"],
    scope: Scope::Namespaced,
    storage: Storage::Stored,
    allow_create_on_update: false,
    allow_unconditional_update: true,
    defaults: None,
    default_times: None,
    status: ObjectStatus::Controllers,
    prepare_for_create: None,
    prepare_for_update: None,
    gated: &[],
    prepared_times: None,
    as_validated: None,
    validate: Some(|errors, object, old, context| {
        validate_meta(errors, object, old, Scope::Namespaced, name_is_dns_subdomain);
        let (spec, old) = (object.child("spec"), old.map(|old| old.child("spec")));
        declared::validate(errors, "lifecycle/v1alpha1.EvictionSpec", &spec, old.as_ref(), context.features);
    }),
    refuse: None,
    warnings: None,
    sub_resources: &[SubResource {
        name: "status",
        prepare_for_update: Some(keep_spec_and_metadata),
        prepared_times: None,
        validate_update: Some(|errors, object, old, context| {
            validate_object_meta_update(errors, object, old);
            validate_conditions(errors, object);
            let (status, old) = (object.child("status"), old.child("status"));
            declared::validate(
                errors,
                "lifecycle/v1alpha1.EvictionStatus",
                &status,
                Some(&old),
                context.features,
            );
        }),
        warnings: None,
    }],
};
