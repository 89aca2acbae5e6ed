//! Ingresses of the versions before `v1`. Until 1.18 they have a validation of their own; from 1.19 on they are validated
//! as those of `v1`, with fewer rules.
//!
//! Source: `pkg/apis/extensions/validation` until 1.13, `pkg/apis/networking/validation` since 1.14.

use std::borrow::Cow;

use crate::networking::ingress;
use crate::older_releases::conversion;
use crate::strategy::Context;
use crate::validation::metadata::{
    Scope, name_is_dns_subdomain, name_is_dns1035_label, validate_object_meta, validate_object_meta_update,
};
use crate::validation::network::validate_typed_reference;
use crate::validation::node::{Errors, Node};
use crate::validation::pod::validate_port_number;
use gotext::names;
use gotext::regexp::is_posix;
use kube_api::Object;
use kube_api::field::Path;
use kube_api::server_profile::ServerProfile;
use kube_api::{GroupVersionKind, Value};

/// The minor of the first release with `networking.k8s.io/v1`, which all versions are validated as.
const HAS_V1: u32 = 19;
/// The minor of the first release with types of paths, classes and backends that are no services.
const HAS_PATH_TYPES: u32 = 18;

/// Returns an Ingress as validation sees it.
pub(super) fn as_validated<'a>(object: &'a Object, context: &Context<'_>) -> Cow<'a, Object> {
    if context.profile.release().minor < HAS_V1 {
        return Cow::Borrowed(object);
    }
    Cow::Owned(conversion::convert(object, &GroupVersionKind::new("networking.k8s.io", "v1", "Ingress")))
}

/// Runs `ValidateIngressCreate`, and `ValidateIngressUpdate` if there is an old object.
pub(super) fn validate(errors: &mut Errors, object: &Node, old: Option<&Node>, profile: &ServerProfile) {
    let minor = profile.release().minor;
    if minor >= HAS_V1 {
        return ingress::validate_first_beta(errors, object, old, profile);
    }
    if let Some(old) = old {
        validate_object_meta_update(errors, object, old);
    }
    if old.is_none() || minor >= HAS_PATH_TYPES {
        validate_object_meta(errors, object, Scope::Namespaced, name_is_dns_subdomain);
    }
    // Paths that were no expressions before may stay so.
    let requires_expressions = minor < HAS_PATH_TYPES || !old.is_some_and(has_other_paths);
    validate_spec(errors, &object.child("spec"), &Rules { minor, requires_expressions });
}

/// The rules that releases differ in.
struct Rules {
    minor: u32,
    requires_expressions: bool,
}

fn validate_spec(errors: &mut Errors, spec: &Node, rules: &Rules) {
    let backend = spec.get("backend");
    if backend.is_none() && spec.len("rules") == 0 {
        let detail = "either `backend` or `rules` must be specified";
        errors.invalid_printed(&spec.here(), "[]networking.IngressRule(nil)", detail);
    }
    if let Some(backend) = backend {
        validate_backend(errors, &backend, &backend.here());
    }
    // The server reports errors in any rule as if they were in the first one.
    let first = spec.at("rules").index(0);
    for rule in spec.items("rules") {
        ingress::validate_rule_host(errors, &rule);
        if !rule.text("host").contains('*')
            && let Some(http) = rule.get("http")
        {
            validate_http(errors, &Node::new(first.child("http"), http.value()), rules);
        }
    }
    for tls in spec.items("tls") {
        for (index, host) in tls.texts("hosts").enumerate() {
            // The index is that of the host, not that of the list with it.
            errors.each(|| spec.at("tls").index(index).child("hosts"), host, ingress::host_messages(host));
        }
    }
    if let Some(class) = spec.given("ingressClassName").filter(|_| rules.minor >= HAS_PATH_TYPES) {
        errors.each_of(spec, "ingressClassName", name_is_dns_subdomain(class, false));
    }
}

fn validate_http(errors: &mut Errors, http: &Node, rules: &Rules) {
    if http.len("paths") == 0 {
        errors.required(&http.at("paths"), "");
    }
    for path in http.items("paths") {
        if rules.minor >= HAS_PATH_TYPES && !is_free(&path) {
            ingress::validate_path_of_type(errors, &path);
        } else if !path.text("path").is_empty() {
            validate_free_path(errors, &path, rules);
        }
        let backend = path.child("backend");
        let reported = if rules.minor < HAS_PATH_TYPES { http.at("backend") } else { backend.here() };
        validate_backend(errors, &backend, &reported);
    }
}

/// Whether a path has no type that restricts it.
fn is_free(path: &Node) -> bool {
    ["", "ImplementationSpecific"].contains(&path.text("pathType"))
}

fn validate_free_path(errors: &mut Errors, path: &Node, rules: &Rules) {
    let text = path.text("path");
    if !text.starts_with('/') {
        errors.invalid(&path.at("path"), text, "must be an absolute path");
    }
    if rules.requires_expressions && !is_posix(text) {
        errors.invalid(&path.at("path"), text, "must be a valid regex");
    }
}

/// Whether a path of the object is no POSIX expression.
fn has_other_paths(ingress: &Node) -> bool {
    let is_other = |path: &Node| is_free(path) && !is_posix(path.text("path"));
    let spec = ingress.child("spec");
    spec.items("rules").any(|rule| rule.child("http").items("paths").any(|path| is_other(&path)))
}

/// Validates a backend, whose errors are `reported` elsewhere.
fn validate_backend(errors: &mut Errors, backend: &Node, reported: &Path) {
    let port = backend.raw("servicePort");
    let has_port = port.is_string() || port.as_i64().is_some_and(|port| port != 0);
    let has_service = has_port || !backend.text("serviceName").is_empty();
    let backend = Node::new(reported.clone(), backend.value());
    if let Some(resource) = backend.get("resource") {
        if has_service {
            errors.invalid(&backend.here(), "", "cannot set both resource and service backends");
        } else {
            validate_typed_reference(errors, &resource);
        }
        return;
    }
    if !errors.require_text(&backend, "serviceName") {
        return;
    }
    errors.each_of(&backend, "serviceName", name_is_dns1035_label(backend.text("serviceName"), false));
    match port {
        Value::String(name) => errors.each_of(&backend, "servicePort", names::is_valid_port_name(name)),
        Value::Null => {
            errors.invalid_int(&backend.at("servicePort"), 0, "must be between 1 and 65535, inclusive");
        }
        _ => validate_port_number(errors, &backend, "servicePort"),
    }
}
