//! The configuration of a cluster: `config.openshift.io`.
//!
//! Source: `customresourcevalidation/{apiserver,authentication,console,features,image,network,node,project,scheduler}`.

use crate::openshift::claims;
use crate::openshift::facts::ClusterFacts;
use crate::openshift::kubelet_version;
use crate::openshift::validator::{Validator, name_is_cluster, none, reference};
use crate::validation::metadata::{name_is_dns_subdomain, name_is_path_segment};
use crate::validation::node::{Errors, Node};
use gotext::number::atoi;
use gotext::regexp;
use kube_api::{Object, Value};

const fn singleton(kind: &'static str, table: &'static str, validate: super::validator::Rules) -> Validator {
    Validator { name: name_is_cluster, validate, ..Validator::new("config.openshift.io", kind, table) }
}

/// Validates `APIRequestCount`.
pub static API_REQUEST_COUNT: Validator = Validator {
    group: "apiserver.openshift.io",
    name: name_of_request_count,
    ..singleton("APIRequestCount", "openshift/apiserver/v1.APIRequestCount", none)
};
/// Validates `APIServer`.
pub static API_SERVER: Validator =
    singleton("APIServer", "openshift/config/v1.APIServer", validate_api_server);
/// Validates `Authentication`.
pub static AUTHENTICATION: Validator = Validator {
    validate_status: |errors, object, _, _| {
        reference(errors, &object.child("status").child("integratedOAuthMetadata"), false);
    },
    ..singleton("Authentication", "openshift/config/v1.Authentication", validate_authentication)
};
/// Validates `Console`.
pub static CONSOLE: Validator = singleton("Console", "openshift/config/v1.Console", none);
/// Validates `FeatureGate`.
pub static FEATURE_GATE: Validator =
    singleton("FeatureGate", "openshift/config/v1.FeatureGate", validate_feature_gate);
/// Validates `Image`.
pub static IMAGE: Validator = singleton("Image", "openshift/config/v1.Image", none);
/// Validates `Network`.
pub static NETWORK: Validator = singleton("Network", "openshift/config/v1.Network", validate_network);
/// Validates `Node`.
pub static NODE: Validator = singleton("Node", "openshift/config/v1.Node", validate_node);
/// Validates `Project`.
pub static PROJECT: Validator = singleton("Project", "openshift/config/v1.Project", validate_project);
/// Validates `Scheduler`.
pub static SCHEDULER: Validator = singleton("Scheduler", "openshift/config/v1.Scheduler", validate_scheduler);

/// Checks a name of the form `resource.version` or `resource.version.group`.
fn name_of_request_count(name: &str, prefix: bool) -> Vec<String> {
    let messages = name_is_path_segment(name, prefix);
    if !messages.is_empty() || name.contains('.') {
        return messages;
    }
    vec![format!("apirequestcount {name}: name must be of the form 'resource.version.group'")]
}

fn validate_api_server(errors: &mut Errors, object: &Node, _: Option<&Node>, facts: &ClusterFacts) {
    let spec = object.child("spec");
    for (index, pattern) in spec.texts("additionalCORSAllowedOrigins").enumerate() {
        if let Err(error) = regexp::compile(pattern) {
            let path = spec.at("additionalCORSAllowedOrigins").index(index);
            errors.invalid(&path, pattern, format!("not a valid regular expression: {error}"));
        }
    }
    if let Some(profile) = spec.get("tlsSecurityProfile") {
        validate_tls_profile(errors, &profile);
    }
    validate_named_certificates(errors, &spec, facts);
}

fn validate_tls_profile(errors: &mut Errors, profile: &Node) {
    let kind = profile.text("type");
    let field = match kind {
        "" => {
            if ["old", "intermediate", "modern", "custom"].iter().any(|field| profile.has(field)) {
                let detail = "one of the profiles is set but 'type' field is empty";
                errors.required(&profile.at("type"), detail);
            }
            return;
        }
        "Old" => "old",
        "Intermediate" => "intermediate",
        "Modern" => "modern",
        "Custom" => "custom",
        _ => {
            let detail = "unknown type, valid values are: [Old Intermediate Modern Custom]";
            return errors.invalid(&profile.at("type"), kind, detail);
        }
    };
    let Some(chosen) = profile.get(field) else {
        let detail = format!("type set to {kind}, but the corresponding field is unset");
        return errors.required(&profile.at(field), detail);
    };
    if kind == "Custom" {
        validate_ciphers(errors, &chosen);
        let version = chosen.text("minTLSVersion");
        let known = ["", "VersionTLS10", "VersionTLS11", "VersionTLS12", "VersionTLS13"];
        if !known.contains(&version) {
            let detail = format!("unknown tls version {}", gotext::quote(version));
            errors.invalid(&chosen.at("minTLSVersion"), version, detail);
        }
    }
}

/// The names that OpenSSL has for the suites that Go's library knows.
const CIPHERS: [&str; 22] = [
    "TLS_AES_128_GCM_SHA256",
    "TLS_AES_256_GCM_SHA384",
    "TLS_CHACHA20_POLY1305_SHA256",
    "ECDHE-ECDSA-AES128-GCM-SHA256",
    "ECDHE-RSA-AES128-GCM-SHA256",
    "ECDHE-ECDSA-AES256-GCM-SHA384",
    "ECDHE-RSA-AES256-GCM-SHA384",
    "ECDHE-ECDSA-CHACHA20-POLY1305",
    "ECDHE-RSA-CHACHA20-POLY1305",
    "ECDHE-ECDSA-AES128-SHA256",
    "ECDHE-RSA-AES128-SHA256",
    "AES128-GCM-SHA256",
    "AES256-GCM-SHA384",
    "AES128-SHA256",
    "ECDHE-ECDSA-AES128-SHA",
    "ECDHE-RSA-AES128-SHA",
    "ECDHE-ECDSA-AES256-SHA",
    "ECDHE-RSA-AES256-SHA",
    "AES128-SHA",
    "AES256-SHA",
    "DES-CBC3-SHA",
    "ECDHE-RSA-DES-CBC3-SHA",
];

fn validate_ciphers(errors: &mut Errors, custom: &Node) {
    let path = custom.at("ciphers");
    let mut invalid = |detail: &str| errors.invalid_value(&path, custom.raw("ciphers"), detail);
    if custom.text("minTLSVersion") == "VersionTLS13" {
        if custom.len("ciphers") > 0 {
            invalid("TLS 1.3 cipher suites are not configurable");
        }
        return;
    }
    if !custom.texts("ciphers").any(|name| CIPHERS.contains(&name)) {
        invalid("no supported cipher suite found");
    }
    let required = ["ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES128-GCM-SHA256"];
    if !custom.texts("ciphers").any(|name| required.contains(&name)) {
        invalid(
            "http2: TLSConfig.CipherSuites is missing an HTTP/2-required AES_128_GCM_SHA256 cipher (need at least one of \
             ECDHE-RSA-AES128-GCM-SHA256 or ECDHE-ECDSA-AES128-GCM-SHA256)",
        );
    }
}

/// Checks that the user's certificates do not replace that of the cluster's internal address.
fn validate_named_certificates(errors: &mut Errors, spec: &Node, facts: &ClusterFacts) {
    let certificates = spec.child("servingCerts");
    if certificates.len("namedCertificates") == 0 {
        return;
    }
    if facts.internal_uri.is_none() {
        let detail = "infrastructure.config.openshift.io \"cluster\" not found";
        let path = kube_api::field::Path::new("metadata");
        errors.push(kube_api::field::Error::internal(&path, detail));
    }
    // Upstream goes on with the empty object.
    let uri = facts.internal_uri.unwrap_or_default();
    for (index, certificate) in certificates.items("namedCertificates").enumerate() {
        for (position, name) in certificate.texts("names").enumerate() {
            let matches = name == uri || name.strip_suffix(".*").is_some_and(|rest| uri.starts_with(rest));
            if matches {
                let path = certificates.here().index(index).child("names").index(position);
                let detail = format!("may not match internal loadbalancer: {}", gotext::quote(uri));
                errors.invalid(&path, name, detail);
            }
        }
    }
}

fn validate_authentication(errors: &mut Errors, object: &Node, _: Option<&Node>, _: &ClusterFacts) {
    let spec = object.child("spec");
    let kind = spec.text("type");
    if let Some(webhook) = spec.get("webhookTokenAuthenticator") {
        if ["None", "IntegratedOAuth", ""].contains(&kind) {
            reference(errors, &webhook.child("kubeConfig"), false);
        } else {
            let detail = format!("this field cannot be set with the {} .spec.type", gotext::quote(kind));
            let table = "openshift/config/v1.WebhookTokenAuthenticator";
            errors.invalid_typed(&webhook.here(), table, webhook.value(), detail);
        }
    }
    reference(errors, &spec.child("oauthMetadata"), false);
    for provider in spec.items("oidcProviders") {
        claims::validate_provider(errors, &provider);
    }
}

fn validate_feature_gate(errors: &mut Errors, object: &Node, old: Option<&Node>, _: &ClusterFacts) {
    let spec = object.child("spec");
    let before = old.map(|old| old.child("spec").text("featureSet"));
    if spec.text("featureSet") == "OKD" && before != Some("OKD") {
        errors.forbidden(&spec.at("featureSet"), "OKD featureset is not supported on OpenShift clusters");
    }
}

fn validate_network(errors: &mut Errors, object: &Node, old: Option<&Node>, _: &ClusterFacts) {
    const DEFAULT: &str = "30000-32767";
    let (spec, Some(old)) = (object.child("spec"), old) else { return };
    let path = spec.at("serviceNodePortRange");
    let given = spec.text("serviceNodePortRange");
    let before = old.child("spec").text("serviceNodePortRange");
    let or_default = |range: &'static str| range;
    let filled =
        |range: &str| if range.is_empty() { or_default(DEFAULT).to_owned() } else { range.to_owned() };
    let (new_text, old_text) = (filled(given), filled(before));
    let previous = match port_range(&old_text) {
        Ok(range) => range,
        Err(error) => {
            let detail = format!("failed to parse the old port range: {error}");
            return errors.invalid(&path, &old_text, detail);
        }
    };
    let next = match port_range(&new_text) {
        Ok(range) => range,
        Err(error) => {
            let detail = format!("failed to parse the new port range: {error}");
            return errors.invalid(&path, &new_text, detail);
        }
    };
    let covers = |port: i64| next.0 <= port && port <= next.1;
    if !covers(previous.0) || !covers(previous.1) {
        let detail = format!(
            "new service node port range {}-{} does not completely cover the previous range {}-{}",
            next.0, next.1, previous.0, previous.1
        );
        errors.invalid(&path, given, detail);
    }
}

/// Reads `a-b`, `a+n` or `a`.
///
/// Source: `k8s.io/apimachinery/pkg/util/net.ParsePortRange`.
fn port_range(text: &str) -> Result<(i64, i64), String> {
    let value = text.trim();
    let (low, high) = if value.contains('-') && value.contains('+') {
        return Err(format!("unable to parse port range: {value}"));
    } else if let Some((low, high)) = value.split_once('-') {
        (atoi(low)?, atoi(high)?)
    } else if let Some((low, size)) = value.split_once('+') {
        let low = atoi(low)?;
        (low, low + atoi(size)?)
    } else if value.is_empty() {
        (0, 0)
    } else {
        let port = atoi(value)?;
        (port, port)
    };
    if low > 65535 || high > 65535 {
        return Err(format!("the port range cannot be greater than 65535: {value}"));
    }
    if high < low {
        return Err(format!("end port cannot be less than start port: {value}"));
    }
    Ok((low, high))
}

fn validate_node(errors: &mut Errors, object: &Node, old: Option<&Node>, facts: &ClusterFacts) {
    let spec = object.child("spec");
    if let Some(old) = old {
        validate_latency_profile(errors, &spec, &old.child("spec"));
    }
    if let Some(kubelets) = facts.kubelets {
        kubelet_version::validate(errors, &spec, kubelets);
    }
}

fn validate_latency_profile(errors: &mut Errors, spec: &Node, old: &Node) {
    const LOW: &str = "LowUpdateSlowReaction";
    let (new, before) = (spec.text("workerLatencyProfile"), old.text("workerLatencyProfile"));
    let is_default = |profile: &str| ["", "Default"].contains(&profile);
    if is_default(before) && new == LOW || before == LOW && is_default(new) {
        let detail = format!(
            "cannot update worker latency profile from {} to {} as extreme profile transition is unsupported, please select \
             any other profile with supported transition such as \"MediumUpdateAverageReaction\"",
            gotext::quote(before),
            gotext::quote(new)
        );
        errors.invalid(&spec.at("workerLatencyProfile"), new, detail);
    }
}

fn validate_project(errors: &mut Errors, object: &Node, _: Option<&Node>, _: &ClusterFacts) {
    let spec = object.child("spec");
    if spec.text("projectRequestMessage").len() > 4096 {
        let path = spec.at("projectRequestMessage");
        let table = "openshift/config/v1.ProjectSpec";
        errors.invalid_typed(&path, table, spec.value(), "must be no more than 4096 characters");
    }
    each_name(
        errors,
        &spec.child("projectRequestTemplate"),
        &spec.at("projectRequestTemplate").child("name"),
    );
}

fn validate_scheduler(errors: &mut Errors, object: &Node, _: Option<&Node>, _: &ClusterFacts) {
    let policy = object.child("spec").child("policy");
    each_name(errors, &policy, &kube_api::field::Path::new("spec.Policy.name"));
}

fn each_name(errors: &mut Errors, reference: &Node, path: &kube_api::field::Path) {
    if let name @ Value::String(_) = reference.raw("name")
        && let Some(text) = name.as_str().filter(|text| !text.is_empty())
    {
        for message in name_is_dns_subdomain(text, false) {
            errors.invalid(path, text, message);
        }
    }
}

/// Returns the warnings about an `Authentication` whose expressions cost too much.
pub fn authentication_warnings(object: &Object) -> Vec<String> {
    let Ok(typed) = AUTHENTICATION.typed(object) else { return Vec::new() };
    let root = Node::root(&typed);
    root.child("spec").items("oidcProviders").filter_map(|provider| claims::warning(&provider)).collect()
}
