//! Templates of claims of devices.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/resource`.

use crate::defaults::device::{Requests, claim_spec};
use crate::gated::Gated;
use crate::resource::CLAIM_SPEC;
use crate::strategy::{Scope, Strategy};
use crate::validation::devices;
use crate::validation::devices::validate_device_claim;
use crate::validation::equal::semantically_equal;
use crate::validation::metadata::{
    name_is_dns_subdomain, validate_object_meta, validate_object_meta_update, validate_template_object_meta,
};
use crate::validation::node::{Errors, IMMUTABLE, Node};
use kube_api::server_profile::ServerProfile;
use kube_api::tree::child_mut;
use kube_api::{Map, internal_json};

/// The strategy of `ResourceClaimTemplate`.
pub(crate) static STRATEGY: Strategy = Strategy {
    versions: &["v1", "v1beta2", "v1beta1"],
    defaults: Some(|object, version, _| set_defaults(object, Requests::of(version))),
    gated: &[Gated::Below(&["spec", "spec"], CLAIM_SPEC)],
    as_validated: Some(devices::first_beta::claim_template),
    validate: Some(|errors, object, old, context| {
        if old.is_none() {
            devices::validate_admin_access(errors, &object.child("spec").child("spec"), context);
        }
        validate_resource_claim_template(errors, object, old, context.profile);
    }),
    ..Strategy::new("resource.k8s.io", "ResourceClaimTemplate")
};

/// Sets the defaults of `ResourceClaimTemplate`.
fn set_defaults(template: &mut Map, requests: Requests) {
    if let Some(spec) = child_mut(template, ["spec", "spec"]) {
        claim_spec(spec, requests);
    }
}

/// Runs `ValidateResourceClaimTemplate`, and `ValidateResourceClaimTemplateUpdate` if there is an old object.
fn validate_resource_claim_template(
    errors: &mut Errors,
    object: &Node,
    old: Option<&Node>,
    profile: &ServerProfile,
) {
    let spec = object.child("spec");
    validate_object_meta(errors, object, Scope::Namespaced, name_is_dns_subdomain);
    validate_template_object_meta(errors, &spec.child("metadata"));
    validate_device_claim(errors, &spec.child("spec").child("devices"), profile);
    let Some(old) = old else { return };
    validate_object_meta_update(errors, object, old);
    if !semantically_equal("resource/v1.ResourceClaimTemplateSpec", spec.value(), old.raw("spec")) {
        // Inside, the metadata has no name of its own.
        let metadata = internal_json::internal("meta/v1.ObjectMeta", spec.raw("metadata"));
        let metadata = &metadata[1..metadata.len() - 1];
        let separator = if metadata.is_empty() { "" } else { "," };
        let claim =
            internal_json::internal_in(profile.release(), "resource/v1.ResourceClaimSpec", spec.raw("spec"));
        let printed = format!("{{{metadata}{separator}\"Spec\":{claim}}}");
        errors.invalid_printed(&spec.here(), printed, IMMUTABLE);
    }
}
