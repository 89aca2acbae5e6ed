//! Requests to evict a Pod gracefully.
//!
//! Source: `k8s.io/api/lifecycle/v1alpha1`.

use crate::preparation::keep_spec_and_metadata;
use crate::strategy::{ObjectStatus, Scope, Strategy, SubResource};
use crate::validation::condition::validate_conditions;
use crate::validation::core::validate_meta;
use crate::validation::declared;
use crate::validation::metadata::{name_is_dns_subdomain, validate_object_meta_update};

/// The strategy of `EvictionRequest`.
pub(crate) static STRATEGY: Strategy = Strategy {
    versions: &["v1alpha1"],
    status: ObjectStatus::Controllers,
    validate: Some(|errors, object, old, context| {
        validate_meta(errors, object, old, Scope::Namespaced, name_is_dns_subdomain);
        declared::validate_child(
            errors,
            "lifecycle/v1alpha1.EvictionRequestSpec",
            (object, "spec"),
            old,
            context.profile,
        );
    }),
    sub_resources: &[SubResource {
        prepare_for_update: Some(keep_spec_and_metadata),
        validate_update: Some(|errors, object, old, context| {
            validate_object_meta_update(errors, object, old);
            validate_conditions(errors, object);
            declared::validate_child(
                errors,
                "lifecycle/v1alpha1.EvictionRequestStatus",
                (object, "status"),
                Some(old),
                context.profile,
            );
        }),
        ..SubResource::new("status")
    }],
    ..Strategy::new("lifecycle.k8s.io", "EvictionRequest")
};
