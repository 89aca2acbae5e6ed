//! Policies that change objects.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/admissionregistration`.

use crate::defaults;
use crate::strategy::Strategy;
use crate::validation::admission_policy::validate_policy_head;
use crate::validation::expression::{Compiler, Use, require_expression};
use crate::validation::node::{Errors, Node};
use crate::validation::webhook::{validate_registration_meta, validate_static_suffix};
use crate::warnings::static_suffix;
use kube_api::server_profile::ServerProfile;

/// The strategy of `MutatingAdmissionPolicy`.
pub(crate) static STRATEGY: Strategy = Strategy {
    versions: &["v1", "v1beta1", "v1alpha1"],
    allow_unconditional_update: false,
    defaults: Some(|object, _, _| defaults::admission_registration::policy(object)),
    validate: Some(|errors, object, old, context| {
        validate_mutating_policy(errors, object, old, context.profile);
    }),
    warnings: Some(static_suffix),
    ..Strategy::new("admissionregistration.k8s.io", "MutatingAdmissionPolicy")
};

/// Runs `ValidateMutatingAdmissionPolicy`, and `ValidateMutatingAdmissionPolicyUpdate` if there is an old object.
fn validate_mutating_policy(errors: &mut Errors, object: &Node, old: Option<&Node>, profile: &ServerProfile) {
    validate_registration_meta(errors, object);
    let spec = object.child("spec");
    let compiler = validate_policy_head(errors, &spec, old, true);
    if spec.len("mutations") == 0 {
        errors.required(&spec.at("mutations"), "mutations must contain at least one item");
    }
    for mutation in spec.items("mutations") {
        validate_mutation(errors, &mutation, &compiler);
    }
    errors.require_one_of(&spec, "reinvocationPolicy", &["IfNeeded", "Never"]);
    if old.is_none() {
        validate_static_suffix(errors, object, profile);
    }
}

/// Implements `validateMutation`.
fn validate_mutation(errors: &mut Errors, mutation: &Node, compiler: &Compiler) {
    let kind = mutation.text("patchType");
    let (own, other, of) = match kind {
        "JSONPatch" => ("jsonPatch", "applyConfiguration", Use::JsonPatch),
        "ApplyConfiguration" => ("applyConfiguration", "jsonPatch", Use::ApplyConfiguration),
        _ => {
            return errors.require_one_of(mutation, "patchType", &["ApplyConfiguration", "JSONPatch"]);
        }
    };
    match mutation.get(own) {
        None => errors.required(&mutation.at(own), format!("must be specified when patchType is {kind}")),
        Some(patch) => require_expression(errors, &patch, "", compiler, of),
    }
    if mutation.has(other) {
        let detail = format!("must not be specified when patchType is {kind}");
        errors.invalid(&mutation.at(other), &format!("{{{other}}}"), detail);
    }
}
