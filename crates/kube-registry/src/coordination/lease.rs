//! Leases, by which leaders are elected and nodes report.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/coordination`.

use crate::gated::{Fields, Gated, fields};
use crate::strategy::{Scope, Strategy};
use crate::validation::coordination::validate_strategy;
use crate::validation::core::validate_plain_meta;
use crate::validation::metadata::name_is_dns_subdomain;
use crate::validation::node::{Errors, Node};
use kube_api::features::Feature;

/// The strategy of `Lease`.
pub(crate) static STRATEGY: Strategy = Strategy {
    allow_create_on_update: true,
    allow_unconditional_update: false,
    gated: &[Gated::Below(&[], LEASE)],
    validate: Some(|errors, object, old, _| validate_lease(errors, object, old)),
    ..Strategy::new("coordination.k8s.io", "Lease")
};

const LEASE: &[Fields] = &[
    fields(&[Feature::CoordinatedLeaderElection], &["spec/strategy"]),
    fields(&[Feature::CoordinatedLeaderElection], &["spec/preferredHolder"]),
];

/// Runs `ValidateLease`, and `ValidateLeaseUpdate` if there is an old object.
fn validate_lease(errors: &mut Errors, object: &Node, old: Option<&Node>) {
    validate_plain_meta(errors, object, old, Scope::Namespaced, name_is_dns_subdomain);
    let spec = object.child("spec");
    if let Some(seconds) = spec.number("leaseDurationSeconds").filter(|seconds| *seconds <= 0) {
        errors.invalid_int(&spec.at("leaseDurationSeconds"), seconds, "must be greater than 0");
    }
    if spec.int("leaseTransitions") < 0 {
        let detail = "must be greater than or equal to 0";
        errors.invalid_int(&spec.at("leaseTransitions"), spec.int("leaseTransitions"), detail);
    }
    if spec.has("strategy") {
        validate_strategy(errors, &spec);
    }
    if !spec.text("preferredHolder").is_empty() && spec.text("strategy").is_empty() {
        errors.forbidden(&spec.at("preferredHolder"), "may only be specified if `strategy` is defined");
    }
}
