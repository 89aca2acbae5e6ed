//! Controllers of Ingresses.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/networking`.

use crate::strategy::{Scope, Strategy};
use crate::validation::metadata::{name_is_dns_subdomain, validate_object_meta, validate_object_meta_update};
use crate::validation::network::{is_domain_prefixed_path, validate_typed_reference};
use crate::validation::node::{Errors, IMMUTABLE, Node};
use gotext::names;
use kube_api::Map;
use kube_api::tree::{child_mut, set_if_absent};

/// The strategy of `IngressClass`.
pub(crate) static STRATEGY: Strategy = Strategy {
    defaults: Some(|object, _, _| set_defaults(object)),
    validate: Some(|errors, object, old, _| validate_ingress_class(errors, object, old)),
    ..Strategy::new("networking.k8s.io", "IngressClass")
};

/// Sets the defaults of `IngressClass`.
fn set_defaults(class: &mut Map) {
    if let Some(parameters) = child_mut(class, ["spec", "parameters"]) {
        set_if_absent(parameters, "scope", "Cluster");
    }
}

/// Runs `ValidateIngressClass`, and `ValidateIngressClassUpdate` if there is an old object.
fn validate_ingress_class(errors: &mut Errors, object: &Node, old: Option<&Node>) {
    let spec = object.child("spec");
    if let Some(old) = old {
        validate_object_meta_update(errors, object, old);
        if spec.text("controller") != old.child("spec").text("controller") {
            errors.invalid(&spec.at("controller"), spec.text("controller"), IMMUTABLE);
        }
    }
    validate_object_meta(errors, object, Scope::Cluster, name_is_dns_subdomain);
    if spec.text("controller").len() > 250 {
        errors.too_long(&spec.at("controller"), 250);
    }
    is_domain_prefixed_path(errors, &spec, "controller");
    let Some(parameters) = spec.get("parameters") else { return };
    validate_typed_reference(errors, &parameters);
    match parameters.given("scope") {
        None => errors.required(&parameters.at("scope"), ""),
        Some("Namespace") => match parameters.given("namespace") {
            None => {
                let detail = "`parameters.scope` is set to 'Namespace'";
                errors.required(&parameters.at("namespace"), detail);
            }
            Some(namespace) => errors.each_of(&parameters, "namespace", names::is_dns1123_label(namespace)),
        },
        Some("Cluster") => {
            if parameters.has("namespace") {
                errors.forbidden(&parameters.at("namespace"), "`parameters.scope` is set to 'Cluster'");
            }
        }
        Some(other) => errors.not_supported(&parameters.at("scope"), other, &["Cluster", "Namespace"]),
    }
}
