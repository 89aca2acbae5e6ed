//! Ways into a cluster: `route.openshift.io`.
//!
//! Source: `github.com/openshift/library-go/pkg/route/validation`.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use crate::openshift::facts::ClusterFacts;
use crate::openshift::validator::Validator;
use crate::strategy::Scope;
use crate::validation::metadata::validate_kube_finalizers;
use crate::validation::node::{Errors, IMMUTABLE, Node};
use gotext::names;
use kube_api::{Value, field, internal_json};

/// Validates `Route`.
pub static ROUTE: Validator = Validator {
    scope: Scope::Namespaced,
    qualified_finalizers: true,
    validate,
    ..Validator::new("route.openshift.io", "Route", "openshift/route/v1.Route")
};

pub(super) fn validate(errors: &mut Errors, object: &Node, old: Option<&Node>, facts: &ClusterFacts) {
    let spec = object.child("spec");
    let old_spec = old.map(|old| old.child("spec"));
    // Paths and host names that existed before may stay.
    let (path, host) = (spec.text("path"), spec.text("host"));
    let checks_labels = match &old_spec {
        None => true,
        Some(old) => {
            let before = old.text("host");
            let was_fine =
                before.is_empty() || before.split('.').all(|label| names::is_dns1123_label(label).is_empty());
            if spec.text("wildcardPolicy") != old.text("wildcardPolicy") {
                errors.invalid(&spec.at("wildcardPolicy"), spec.text("wildcardPolicy"), IMMUTABLE);
            }
            host != before && was_fine
        }
    };
    let checks_path = |errors: &mut Errors| {
        if path.contains(['#', ' ']) {
            errors.invalid(&spec.at("path"), path, "cannot contain # or spaces");
        }
    };
    match old {
        None => checks_path(errors),
        // Upstream checks the metadata once as that of an update, and then as that of a new object.
        Some(_) => validate_kube_finalizers(errors, &object.child("metadata")),
    }
    validate_names(errors, object, &spec, checks_labels);
    validate_headers_of(errors, &spec);
    let is_passthrough = spec.child("tls").text("termination") == "passthrough";
    if !path.is_empty() && !path.starts_with('/') {
        errors.invalid(&spec.at("path"), path, "path must begin with /");
    }
    if !path.is_empty() && is_passthrough {
        errors.invalid(&spec.at("path"), path, "passthrough termination does not support paths");
    }
    validate_target(errors, &spec.child("to"));
    if spec.len("alternateBackends") > 3 {
        errors.required(&spec.at("alternateBackends"), "cannot specify more than 3 alternate backends");
    }
    for backend in spec.items("alternateBackends") {
        validate_target(errors, &backend);
    }
    if let Some(port) = spec.get("port")
        && (port.raw("targetPort").is_null()
            || port.raw("targetPort").as_i64() == Some(0)
            || port.given("targetPort") == Some(""))
    {
        errors.required(&port.at("targetPort"), "");
    }
    if let Some(tls) = spec.get("tls") {
        validate_tls(errors, object, &tls, facts);
    }
    if old_spec.is_some_and(|old| old.text("path") != path) {
        checks_path(errors);
    }
}

fn validate_names(errors: &mut Errors, object: &Node, spec: &Node, checks_labels: bool) {
    let host = spec.text("host");
    if !host.is_empty() {
        if !names::is_dns1123_subdomain(host).is_empty() {
            errors.invalid(&spec.at("host"), host, "host must conform to DNS 952 subdomain conventions");
        }
        let annotations = object.child("metadata").child("annotations");
        let is_lenient = annotations.text("route.openshift.io/allow-non-dns-compliant-host") == "true";
        for label in host.split('.').filter(|_| checks_labels && !is_lenient) {
            for message in names::is_dns1123_label(label) {
                errors.invalid(&spec.at("host"), host, message);
            }
        }
    }
    let subdomain = spec.text("subdomain");
    if !subdomain.is_empty() {
        if subdomain.len() > 253 {
            errors.invalid(&spec.at("subdomain"), subdomain, "must be no more than 253 characters");
        }
        for label in subdomain.split('.') {
            let messages = names::is_dns1123_label(label);
            if !messages.is_empty() {
                errors.invalid(&spec.at("subdomain"), label, messages.join(", "));
            }
        }
    }
    let policy = spec.text("wildcardPolicy");
    if !["", "None", "Subdomain"].contains(&policy) {
        errors.not_supported(&spec.at("wildcardPolicy"), policy, &["None", "Subdomain"]);
    } else if policy == "Subdomain" && host.is_empty() {
        let detail = "host name not specified for wildcard policy";
        errors.invalid(&spec.at("wildcardPolicy"), policy, detail);
    }
}

fn validate_target(errors: &mut Errors, target: &Node) {
    if target.text("name").is_empty() {
        errors.required(&target.at("name"), "");
    }
    if target.text("kind") != "Service" {
        errors.invalid(&target.at("kind"), target.text("kind"), "must reference a Service");
    }
    if let Some(weight) = target.number("weight").filter(|weight| !(0..=256).contains(weight)) {
        errors.invalid_int(&target.at("weight"), weight, "weight must be an integer between 0 and 256");
    }
}

const FIXED_HEADERS: [&str; 4] = ["strict-transport-security", "proxy", "cookie", "set-cookie"];
const HEADER_NAME: &str = "^[-!#$%&'*+.0-9A-Z^_`a-z|~]+$";

fn validate_headers_of(errors: &mut Errors, spec: &Node) {
    let Some(headers) = spec.get("httpHeaders") else { return };
    let actions = headers.child("actions");
    if actions.len("response") + actions.len("request") > 0
        && spec.child("tls").text("termination") == "passthrough"
    {
        let tls = spec.child("tls");
        let detail = "only edge and re-encrypt routes are supported for providing customized headers.";
        errors.invalid(&tls.at("termination"), "passthrough", detail);
    }
    for (list, kind) in [("response", "res"), ("request", "req")] {
        if actions.len(list) > 20 {
            let detail = format!("{list} headers list can't exceed 20 items");
            let table = "openshift/route/v1.RouteHTTPHeader";
            let printed: Vec<String> =
                actions.list(list).iter().map(|header| internal_json::compact(table, header)).collect();
            let printed = format!("[{}]", printed.join(","));
            errors.push(field::Error::invalid_printed(&actions.at(list), printed, detail));
        } else {
            validate_headers(errors, &actions, list, kind);
        }
    }
}

fn validate_headers(errors: &mut Errors, actions: &Node, list: &'static str, kind: &str) {
    static NAME: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(HEADER_NAME).ok());
    let mut seen = BTreeSet::new();
    for header in actions.items(list) {
        let (name, path) = (header.text("name"), header.at("name"));
        if !seen.insert(name) {
            errors.duplicate(&path, name);
        }
        if name.is_empty() {
            errors.required(&path, "");
        } else if name.len() > 255 {
            errors.invalid(&path, name, "name exceeds the maximum length, which is 255");
        } else if FIXED_HEADERS.contains(&name.to_lowercase().as_str()) {
            let fixed = FIXED_HEADERS.join(", ");
            errors.forbidden(
                &path,
                format!("the following headers may not be modified using this API: {fixed}"),
            );
        } else if !NAME.as_ref().is_some_and(|pattern| pattern.is_match(name)) {
            let detail = "name must be a valid HTTP header name as defined in RFC 2616 section 4.2";
            errors.invalid(&path, name, detail);
        }
        let action = header.child("action");
        let (kind_of_action, set) = (action.text("type"), action.get("set"));
        if !["Set", "Delete"].contains(&kind_of_action) {
            errors.invalid(&action.at("type"), kind_of_action, "type must be \"Set\" or \"Delete\"");
        }
        if (kind_of_action == "Set") != set.is_some() {
            let detail = "set is required when type is Set, and forbidden otherwise";
            errors.required(&action.at("set"), detail);
        }
        if let Some(set) = set {
            validate_header_value(errors, &set, kind);
        }
    }
}

/// Validates a header value: text, `%%`, and expressions of the router that read headers or the certificate of a
/// client.
fn validate_header_value(errors: &mut Errors, set: &Node, kind: &str) {
    let (value, path) = (set.text("value"), set.at("value"));
    if value.is_empty() {
        return errors.required(&path, "");
    }
    if value.len() > 16384 {
        return errors.invalid(&path, value, "value exceeds the maximum length, which is 16384");
    }
    let pattern = format!(
        "^(?:%(?:%|(?:\\{{[-+]?[QXE](?:,[-+]?[QXE])*\\}})?\\[(?:{kind}\\.hdr\\([0-9A-Za-z-]+\\)|ssl_c_der)(?:,(?:lower|base64))*\\])|[^%[:cntrl:]])+$"
    );
    if !Regex::new(&pattern).is_ok_and(|pattern| pattern.is_match(value)) {
        let detail = format!(
            "Either header value provided is not in correct format or the converter specified is not allowed. The dynamic header value  may use HAProxy's %[] syntax and otherwise must be a valid HTTP header value as defined in https://datatracker.ietf.org/doc/html/rfc7230#section-3.2 Sample fetchers allowed are {kind}.hdr, ssl_c_der. Converters allowed are lower, base64."
        );
        errors.invalid(&path, value, detail);
    }
}

fn validate_tls(errors: &mut Errors, object: &Node, tls: &Node, facts: &ClusterFacts) {
    let termination = tls.text("termination");
    let external = tls.child("externalCertificate");
    let mut redacted = |field: &'static str, what: &str, detail: &str| {
        if !tls.text(field).is_empty() {
            errors.invalid(&tls.at(field), &format!("redacted {what} data"), detail);
        }
    };
    match termination {
        "passthrough" => {
            let detail = "passthrough termination does not support certificates";
            redacted("certificate", "certificate", detail);
            redacted("key", "key", detail);
            if !external.text("name").is_empty() {
                errors.invalid(&external.here(), external.text("name"), detail);
            }
            let mut redacted = |field: &'static str, what: &str| {
                if !tls.text(field).is_empty() {
                    errors.invalid(&tls.at(field), &format!("redacted {what} data"), detail);
                }
            };
            redacted("caCertificate", "ca certificate");
            redacted("destinationCACertificate", "destination ca certificate");
        }
        "edge" | "reencrypt" => {
            if termination == "edge" {
                let detail = "edge termination does not support destination certificates";
                redacted("destinationCACertificate", "destination ca certificate", detail);
            }
            validate_external(errors, object, tls, &external, facts);
        }
        other => {
            let supported = ["edge", "passthrough", "reencrypt"];
            errors.not_supported(&tls.at("termination"), other, &supported);
        }
    }
    let policy = tls.text("insecureEdgeTerminationPolicy");
    let accepted: &[&str] = match termination {
        "edge" | "reencrypt" => &["None", "Allow", "Redirect"],
        "passthrough" => &["None", "Redirect"],
        _ => return,
    };
    if !policy.is_empty() && !accepted.contains(&policy) {
        let detail = format!(
            "invalid value for InsecureEdgeTerminationPolicy option, acceptable values are {}, or empty",
            accepted.join(", ")
        );
        errors.invalid(&tls.at("insecureEdgeTerminationPolicy"), policy, detail);
    }
}

/// Implements `validateTLSExternalCertificate`.
fn validate_external(errors: &mut Errors, object: &Node, tls: &Node, external: &Node, facts: &ClusterFacts) {
    let name = external.text("name");
    if name.is_empty() {
        return;
    }
    let path = external.here();
    if !tls.text("certificate").is_empty() {
        let detail = "cannot specify both tls.certificate and tls.externalCertificate";
        return errors.invalid(&path, name, detail);
    }
    let namespace = object.child("metadata").text("namespace");
    for verb in ["get", "watch", "list"] {
        if !(facts.router_may)(verb, namespace, name) {
            let detail = format!("router serviceaccount does not have permission to {verb} this secret");
            errors.forbidden(&path, detail);
        }
    }
    match (facts.type_of_secret)(namespace, name) {
        None => {
            let text = Value::from(format!("secrets {} not found", gotext::quote(name)));
            errors.push(field::Error::not_found(&path, &text));
        }
        Some(kind) if kind != "kubernetes.io/tls" => {
            errors.invalid(&path, name, "secret of type \"kubernetes.io/tls\" required");
        }
        Some(_) => {}
    }
}
