//! Templates of Pods that do not belong to a workload.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/core`.

use crate::defaults::pod;
use crate::gated::Gated;
use crate::strategy::{Scope, Strategy};
use crate::validation::core::validate_meta;
use crate::validation::metadata::name_is_dns_subdomain;
use crate::validation::node::{Errors, Node};
use crate::validation::pod::{Options, validate_pod_template_spec};
use crate::warnings;
use kube_api::server_profile::ServerProfile;
use kube_api::{Map, Object, Value};

/// The strategy of `PodTemplate`.
pub(crate) static STRATEGY: Strategy = Strategy {
    defaults: Some(|object, _, _| set_defaults(object)),
    gated: &[Gated::PodSpec(&["template", "spec"])],
    validate: Some(|errors, object, old, context| {
        validate_pod_template(errors, object, old, context.profile);
    }),
    warnings: Some(warnings),
    ..Strategy::new("", "PodTemplate")
};

pub(crate) fn warnings(object: &Object, old: Option<&Object>, _: &ServerProfile) -> Vec<String> {
    let mut warnings = Vec::new();
    if let Value::Object(map) = &object.value
        && old.is_none_or(|old| map.get("template") != old.at("template"))
    {
        warnings::template(map, "template", &mut warnings);
    }
    warnings
}

/// Sets the defaults of `PodTemplate`.
fn set_defaults(template: &mut Map) {
    pod::template(template);
}

/// Runs `ValidatePodTemplate`, and `ValidatePodTemplateUpdate` if there is an old object.
fn validate_pod_template(errors: &mut Errors, object: &Node, old: Option<&Node>, profile: &ServerProfile) {
    validate_meta(errors, object, old, Scope::Namespaced, name_is_dns_subdomain);
    let before = old.map(|old| old.child("template"));
    let options = Options::new(profile, before.as_ref());
    validate_pod_template_spec(errors, &object.child("template"), &options);
}
