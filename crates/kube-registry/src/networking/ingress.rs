//! Ways into the cluster by HTTP.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/networking`.

use crate::preparation::keep_spec;
use crate::strategy::{ObjectStatus, Scope, Strategy, SubResource};
use crate::validation::metadata::{
    name_is_dns_label, name_is_dns_subdomain, name_is_dns1035_label, validate_object_meta,
    validate_object_meta_update,
};
use crate::validation::network::{validate_load_balancer_status, validate_typed_reference};
use crate::validation::node::{Errors, Node};
use crate::validation::pod::validate_port_number;
use crate::warnings::{self, Warnings};
use gotext::names;
use gotext::net::parse_ip_sloppy;
use kube_api::features::Feature;
use kube_api::field::{Error, Path};
use kube_api::server_profile::ServerProfile;
use kube_api::{Map, Object, Value};

/// The strategy of `Ingress`.
pub(crate) static STRATEGY: Strategy = Strategy {
    status: ObjectStatus::Controllers,
    validate: Some(|errors, object, old, context| {
        validate_ingress(errors, object, old, context.profile);
    }),
    warnings: Some(warnings),
    sub_resources: &[SubResource {
        prepare_for_update: Some(keep_spec),
        validate_update: Some(|errors, object, old, context| {
            validate_object_meta_update(errors, object, old);
            validate_load_balancer_status(errors, object, old, false, context.profile);
        }),
        warnings: Some(warnings::address::of_status),
        ..SubResource::new("status")
    }],
    ..Strategy::new("networking.k8s.io", "Ingress")
};

fn warnings(ingress: &Object, old: Option<&Object>, warnings: &mut Warnings<'_>) {
    if old.is_none() && warnings.since(27) {
        let empty = Map::new();
        let spec = ingress.child("spec").unwrap_or(&empty);
        deprecated_class(ingress, spec, warnings);
    }
}

const INGRESS_CLASS: &str = "kubernetes.io/ingress.class";

/// The faults that an old Ingress has already.
#[derive(Clone, Copy)]
struct IngressOptions {
    invalid_secret_name: bool,
    invalid_wildcard_host: bool,
    relaxed_service_name: bool,
}

/// Validates an Ingress of a version before `v1`, which may have what that no longer allows.
pub(crate) fn validate_first_beta(
    errors: &mut Errors,
    object: &Node,
    old: Option<&Node>,
    profile: &ServerProfile,
) {
    validate_with(errors, object, old, profile, true);
}

/// Runs `ValidateIngressCreate`, and `ValidateIngressUpdate` if there is an old object.
fn validate_ingress(errors: &mut Errors, object: &Node, old: Option<&Node>, profile: &ServerProfile) {
    validate_with(errors, object, old, profile, false);
}

fn validate_with(
    errors: &mut Errors,
    object: &Node,
    old: Option<&Node>,
    profile: &ServerProfile,
    is_lenient: bool,
) {
    let mut options = IngressOptions {
        invalid_secret_name: is_lenient,
        invalid_wildcard_host: is_lenient,
        relaxed_service_name: profile.enabled(Feature::RelaxedServiceNameValidation),
    };
    if let Some(old) = old {
        validate_object_meta_update(errors, object, old);
        let before = old.child("spec");
        options.invalid_wildcard_host |= before.items("rules").any(|rule| {
            let mut errors = Errors::default();
            validate_ingress_rule_value(&mut errors, &rule, options);
            rule.text("host").contains('*') && !errors.is_empty()
        });
        options.relaxed_service_name |= errors.since(34)
            && before.items("rules").any(|rule| {
                let http = rule.child("http");
                let mut names = http.items("paths").map(|path| path.child("backend").child("service"));
                names.any(|service| {
                    let name = service.text("name");
                    name_is_dns_label(name, false).is_empty()
                        && !name_is_dns1035_label(name, false).is_empty()
                })
            });
        options.invalid_secret_name |= before.items("tls").any(|tls| {
            let name = tls.text("secretName");
            !name.is_empty() && !name_is_dns_subdomain(name, false).is_empty()
        });
    }
    validate_object_meta(errors, object, Scope::Namespaced, name_is_dns_subdomain);
    let spec = object.child("spec");
    validate_ingress_spec(errors, &spec, options);
    let annotation = object.child("metadata").raw("annotations").get(INGRESS_CLASS).and_then(Value::as_str);
    if let (None, Some(annotation), Some(class)) = (old, annotation, spec.given("ingressClassName"))
        && annotation != class
        && errors.since(27)
    {
        let path = Path::new("annotations").child(INGRESS_CLASS);
        errors.invalid(&path, annotation, "must match `ingressClassName` when both are specified");
    }
}

/// Implements `ValidateIngressSpec`.
fn validate_ingress_spec(errors: &mut Errors, spec: &Node, options: IngressOptions) {
    let backend = spec.get("defaultBackend");
    if spec.len("rules") == 0 && backend.is_none() {
        let detail = "either `defaultBackend` or `rules` must be specified";
        let error = Error::invalid(&spec.here(), spec.raw("rules"), detail);
        errors.push(error.about(Some("networking/v1.IngressSpec#rules"), spec.raw("rules")));
    }
    if let Some(backend) = backend {
        validate_ingress_backend(errors, &backend, options);
    }
    for rule in spec.items("rules") {
        validate_ingress_rule(errors, &rule, options);
    }
    for tls in spec.items("tls") {
        for (index, host) in tls.texts("hosts").enumerate() {
            errors.each(|| tls.at("hosts").index(index), host, host_messages(host));
        }
        let secret = tls.text("secretName");
        if !options.invalid_secret_name && !secret.is_empty() {
            errors.each_of(&tls, "secretName", name_is_dns_subdomain(secret, false));
        }
    }
    if let Some(class) = spec.given("ingressClassName") {
        errors.each_of(spec, "ingressClassName", name_is_dns_subdomain(class, false));
    }
}

/// Returns what is wrong with a host, which may begin with a wildcard.
pub(crate) fn host_messages(host: &str) -> Vec<String> {
    if host.contains('*') {
        names::is_wildcard_dns1123_subdomain(host)
    } else {
        names::is_dns1123_subdomain(host)
    }
}

/// Implements `validateIngressRules` for one rule.
fn validate_ingress_rule(errors: &mut Errors, rule: &Node, options: IngressOptions) {
    validate_rule_host(errors, rule);
    if !rule.text("host").contains('*') || !options.invalid_wildcard_host {
        validate_ingress_rule_value(errors, rule, options);
    }
}

/// Validates the host of a rule, if it has one.
pub(crate) fn validate_rule_host(errors: &mut Errors, rule: &Node) {
    let host = rule.text("host");
    if !host.is_empty() {
        if parse_ip_sloppy(host).is_some() {
            errors.invalid(&rule.at("host"), host, "must be a DNS name, not an IP address");
        }
        errors.each_of(rule, "host", host_messages(host));
    }
}

/// Implements `validateIngressRuleValue`.
fn validate_ingress_rule_value(errors: &mut Errors, rule: &Node, options: IngressOptions) {
    let Some(http) = rule.get("http") else { return };
    if http.len("paths") == 0 {
        errors.required(&http.at("paths"), "");
    }
    for path in http.items("paths") {
        validate_http_ingress_path(errors, &path, options);
    }
}

/// Implements `validateHTTPIngressPath`.
fn validate_http_ingress_path(errors: &mut Errors, path: &Node, options: IngressOptions) {
    if path.given("pathType").is_none() {
        let types = ["Exact", "ImplementationSpecific", "Prefix"];
        return errors.required_one_of(&path.at("pathType"), "pathType must be specified", &types);
    }
    validate_path_of_type(errors, path);
    validate_ingress_backend(errors, &path.child("backend"), options);
}

/// Validates a path by its type.
pub(crate) fn validate_path_of_type(errors: &mut Errors, path: &Node) {
    let text = path.text("path");
    let not_absolute = !text.starts_with('/');
    match path.text("pathType") {
        "Exact" | "Prefix" => {
            if not_absolute {
                errors.invalid(&path.at("path"), text, "must be an absolute path");
            }
            for sequence in ["//", "/./", "/../", "%2f", "%2F"] {
                if text.contains(sequence) {
                    errors.invalid(&path.at("path"), text, format!("must not contain '{sequence}'"));
                }
            }
            for suffix in ["/..", "/."] {
                if text.ends_with(suffix) {
                    errors.invalid(&path.at("path"), text, format!("cannot end with '{suffix}'"));
                }
            }
        }
        "ImplementationSpecific" => {
            if !text.is_empty() && not_absolute {
                errors.invalid(&path.at("path"), text, "must be an absolute path");
            }
        }
        other => {
            errors.not_supported(&path.at("pathType"), other, &["Exact", "ImplementationSpecific", "Prefix"]);
        }
    }
}

/// Implements `validateIngressBackend`.
fn validate_ingress_backend(errors: &mut Errors, backend: &Node, options: IngressOptions) {
    match (backend.get("resource"), backend.get("service")) {
        (Some(_), Some(_)) => {
            errors.invalid(&backend.here(), "", "cannot set both resource and service backends");
        }
        (Some(resource), None) => validate_typed_reference(errors, &resource),
        (None, Some(service)) => {
            if errors.require_text(&service, "name") {
                let rule =
                    if options.relaxed_service_name { name_is_dns_label } else { name_is_dns1035_label };
                errors.each_of(&service, "name", rule(service.text("name"), false));
            }
            let port = service.child("port");
            match (port.text("name"), port.int("number")) {
                ("", 0) => errors.required(&backend.here(), "port name or number is required"),
                ("", _) => validate_port_number(errors, &port, "number"),
                (name, 0) => errors.each_of(&port, "name", names::is_valid_port_name(name)),
                _ => errors.invalid(&backend.here(), "", "cannot set both port name & port number"),
            }
        }
        (None, None) => errors.invalid(&backend.here(), "", "resource or service backend is required"),
    }
}

fn deprecated_class(ingress: &Object, spec: &Map, warnings: &mut Warnings<'_>) {
    const ANNOTATION: &str = "kubernetes.io/ingress.class";
    if ingress.annotation(ANNOTATION).is_some() && !spec.has("ingressClassName") {
        warnings.push(format!(
            "annotation \"{ANNOTATION}\" is deprecated, please use 'spec.ingressClassName' instead"
        ));
    }
}
