//! How users log in: the identity providers of `config.openshift.io` `OAuth`.
//!
//! Source: `customresourcevalidation/oauth`.

use std::collections::BTreeSet;

use crate::openshift::facts::ClusterFacts;
use crate::openshift::ldap;
use crate::openshift::validator::{Validator, name_is_cluster, reference};
use crate::validation::node::{Errors, Node};
use gotext::names;
use gotext::net::parse_ip_sloppy;
use gotext::url::Url;
use gotext::{duration, quote};
use kube_api::Value;
use kube_api::field::Path;

/// Validates `OAuth`.
pub static OAUTH: Validator = Validator {
    name: name_is_cluster,
    validate,
    ..Validator::new("config.openshift.io", "OAuth", "openshift/config/v1.OAuth")
};

/// The types of providers and the field that each has its settings in.
const TYPES: [(&str, &str); 9] = [
    ("RequestHeader", "requestHeader"),
    ("BasicAuth", "basicAuth"),
    ("HTPasswd", "htpasswd"),
    ("LDAP", "ldap"),
    ("Keystone", "keystone"),
    ("GitHub", "github"),
    ("GitLab", "gitlab"),
    ("Google", "google"),
    ("OpenID", "openID"),
];
/// Those that prompt for a name and a password.
const ISSUERS: [&str; 6] = ["BasicAuth", "GitLab", "HTPasswd", "Keystone", "LDAP", "OpenID"];
const MINIMUM_TIMEOUT_NANOSECONDS: i64 = 300 * 1_000_000_000;

fn validate(errors: &mut Errors, object: &Node, _: Option<&Node>, _: &ClusterFacts) {
    let spec = object.child("spec");
    let mut seen = BTreeSet::new();
    let (mut issuing, mut redirecting) = (Vec::new(), Vec::new());
    for provider in spec.items("identityProviders") {
        let name = provider.text("name");
        let kind = provider.text("type");
        if kind == "RequestHeader" && !provider.child("requestHeader").text("challengeURL").is_empty() {
            redirecting.push(name);
        } else if ISSUERS.contains(&kind) {
            issuing.push(name);
        }
        validate_provider(errors, &provider);
        if !name.is_empty() && !seen.insert(name) {
            errors.invalid(&provider.at("name"), name, "must have a unique name");
        }
    }
    let path = spec.at("identityProviders");
    let counts = (redirecting.len(), issuing.len());
    let (redirecting, issuing) = (redirecting.join(", "), issuing.join(", "));
    if counts.0 > 1 {
        let detail = format!(
            "only one identity provider can redirect clients requesting an authentication challenge, found: {redirecting}"
        );
        errors.invalid(&path, "<omitted>", detail);
    }
    if counts.0 > 0 && counts.1 > 0 {
        let detail = format!(
            "cannot mix providers that redirect clients requesting auth challenges ({redirecting}) with providers issuing \
             challenges to those clients ({issuing})"
        );
        errors.invalid(&path, "<omitted>", detail);
    }
    let token = spec.child("tokenConfig");
    let timeout = token.given("accessTokenInactivityTimeout");
    if let Some(nanoseconds) = timeout.and_then(|timeout| duration::parse(timeout).ok())
        && nanoseconds < MINIMUM_TIMEOUT_NANOSECONDS
    {
        let detail = "the minimum acceptable token timeout value is 300 seconds";
        errors.invalid(&token.at("accessTokenInactivityTimeout"), &duration::print(nanoseconds), detail);
    }
    let age = token.int("accessTokenMaxAgeSeconds");
    if age < 0 {
        errors.invalid_int(&token.at("accessTokenMaxAgeSeconds"), age, "must be a positive integer or 0");
    }
    for template in ["login", "providerSelection", "error"] {
        reference(errors, &spec.child("templates").child(template), false);
    }
}

fn validate_provider(errors: &mut Errors, provider: &Node) {
    let name = provider.text("name");
    if name.is_empty() {
        errors.required(&provider.at("name"), "");
    } else {
        let mut messages = names::is_path_segment_name(name);
        if messages.is_empty() && name.contains(':') {
            messages.push("may not contain \":\"".to_owned());
        }
        if !messages.is_empty() {
            errors.invalid(&provider.at("name"), name, messages.join(", "));
        }
    }
    let method = provider.text("mappingMethod");
    let methods = ["add", "claim", "lookup"];
    if !method.is_empty() && !methods.contains(&method) {
        errors.not_supported(&provider.at("mappingMethod"), method, &methods);
    }
    let kind = provider.text("type");
    let own = TYPES.iter().find(|(name, _)| *name == kind).map(|(_, field)| *field);
    match own {
        None if kind.is_empty() => errors.required(&provider.at("type"), ""),
        None => errors.invalid(&provider.at("type"), kind, "not a valid provider type"),
        Some("requestHeader") => match provider.get("requestHeader") {
            // The settings are reported as if they were the provider's own.
            Some(settings) => {
                validate_request_header(errors, &Node::new(provider.here(), settings.value()));
            }
            None => errors.required(&provider.here(), ""),
        },
        Some(field) => match provider.get(field) {
            None => errors.required(&provider.at(field), ""),
            Some(settings) => validate_settings(errors, field, &settings, method),
        },
    }
    if TYPES.iter().any(|(_, field)| Some(*field) != own && provider.has(field)) {
        let detail = "only one identity provider can be configured in single object";
        let table = "openshift/config/v1.IdentityProviderConfig";
        errors.invalid_typed(&provider.here(), table, provider.value(), detail);
    }
}

fn validate_settings(errors: &mut Errors, field: &str, settings: &Node, method: &str) {
    match field {
        "basicAuth" => validate_connection(errors, settings),
        "htpasswd" => reference(errors, &settings.child("fileData"), true),
        "ldap" => validate_ldap(errors, settings),
        "keystone" => {
            validate_connection(errors, settings);
            if settings.text("domainName").is_empty() {
                errors.required(&Path::new("domainName"), "");
            }
        }
        "github" => validate_github(errors, settings, method),
        "gitlab" => {
            validate_client(errors, settings, &settings.here());
            secure_url(errors, settings, "url");
            reference(errors, &settings.child("ca"), false);
        }
        "google" => {
            validate_client(errors, settings, &settings.here());
            if settings.text("hostedDomain").is_empty() && method != "lookup" {
                let detail = "hostedDomain must be specified unless lookup is used";
                errors.invalid_value(&settings.at("hostedDomain"), &Value::Null, detail);
            }
        }
        _ => validate_open_id(errors, settings),
    }
}

/// Implements `ValidateOAuthIdentityProvider`.
fn validate_client(errors: &mut Errors, settings: &Node, path: &Path) {
    let settings = Node::new(path.clone(), settings.value());
    if settings.text("clientID").is_empty() {
        errors.required(&settings.at("clientID"), "");
    }
    reference(errors, &settings.child("clientSecret"), true);
}

/// Implements `ValidateRemoteConnectionInfo`.
fn validate_connection(errors: &mut Errors, settings: &Node) {
    if settings.text("url").is_empty() {
        errors.required(&settings.at("url"), "");
    } else {
        secure_url(errors, settings, "url");
    }
    for field in ["ca", "tlsClientCert", "tlsClientKey"] {
        reference(errors, &settings.child(field), false);
    }
}

/// Implements `ValidateURL`; returns the parts of a valid address.
fn valid_url(errors: &mut Errors, settings: &Node, field: &'static str) -> Option<Url> {
    let (text, path) = (settings.text(field), settings.at(field));
    match Url::parse(text) {
        Err(_) => {
            errors.invalid(&path, text, "must be a valid URL");
            None
        }
        Ok(found) => {
            if found.scheme.is_empty() {
                errors.invalid(&path, text, "must contain a scheme (e.g. https://)");
            }
            if found.host.is_empty() {
                errors.invalid(&path, text, "must contain a host");
            }
            Some(found).filter(|found| !found.scheme.is_empty() && !found.host.is_empty())
        }
    }
}

/// Implements `ValidateSecureURL`.
fn secure_url(errors: &mut Errors, settings: &Node, field: &'static str) {
    if let Some(found) = valid_url(errors, settings, field)
        && found.scheme != "https"
    {
        errors.invalid(&settings.at(field), settings.text(field), "must use https scheme");
    }
}

fn validate_ldap(errors: &mut Errors, settings: &Node) {
    let (name, password) = (settings.text("bindDN"), settings.child("bindPassword"));
    if name.is_empty() != password.text("name").is_empty() {
        let detail = "bindDN and bindPassword must both be specified, or both be empty";
        errors.invalid(&settings.at("bindDN"), name, detail);
        errors.invalid(&password.at("name"), password.text("name"), detail);
    }
    let (text, path) = (settings.text("url"), settings.at("url"));
    match ldap::scheme_of(text) {
        _ if text.is_empty() => errors.required(&path, ""),
        Err(error) => errors.invalid(&path, text, error),
        Ok(scheme) if settings.flag("insecure") => {
            if scheme == "ldaps" {
                errors.invalid(&path, text, "Cannot use ldaps scheme with insecure=true");
            }
            let certificate = settings.child("ca").text("name");
            if !certificate.is_empty() {
                errors.invalid(&settings.at("ca"), certificate, "Cannot specify a ca with insecure=true");
            }
        }
        Ok(_) => {}
    }
    reference(errors, &password, false);
    reference(errors, &settings.child("ca"), false);
    let attributes = settings.child("attributes");
    if attributes.len("id") == 0 {
        let detail = "at least one id attribute is required (LDAP standard identity attribute is 'dn')";
        errors.invalid(&attributes.at("id"), "[]", detail);
    }
}

fn validate_github(errors: &mut Errors, settings: &Node, method: &str) {
    validate_client(errors, settings, &settings.at("provider"));
    let [organizations, teams] = ["organizations", "teams"];
    if settings.len(organizations) > 0 && settings.len(teams) > 0 {
        for field in [organizations, teams] {
            let detail = "specify organizations or teams, not both";
            errors.invalid_value(&settings.at(field), settings.raw(field), detail);
        }
    }
    let host = settings.text("hostname");
    if host.is_empty() && settings.len(teams) == 0 && settings.len(organizations) == 0 && method != "lookup" {
        let detail =
            "one of organizations or teams must be specified unless hostname is set or lookup is used";
        errors.invalid_value(&settings.here(), &Value::Null, detail);
    }
    for (index, name) in settings.texts(organizations).enumerate() {
        let path = settings.at(organizations).index(index);
        if name.contains('/') {
            errors.invalid(&path, name, "cannot contain /");
        }
        if name.is_empty() {
            errors.required(&path, "cannot be empty");
        }
    }
    for (index, team) in settings.texts(teams).enumerate() {
        let parts: Vec<&str> = team.split('/').collect();
        if parts.len() != 2 || parts.iter().any(|part| part.is_empty()) {
            let detail = "must be in the format <org>/<team>";
            errors.invalid(&settings.at(teams).index(index), team, detail);
        }
    }
    if !host.is_empty() {
        let path = settings.at("hostname");
        if host == "github.com" || host.ends_with(".github.com") {
            errors.invalid(&path, host, "cannot equal [*.]github.com");
        }
        if !names::is_dns1123_subdomain(host).is_empty() && parse_ip_sloppy(host).is_none() {
            errors.invalid(&path, host, "must be a valid DNS subdomain or IP address");
        }
    }
    let certificate = settings.child("ca");
    if !certificate.text("name").is_empty() {
        reference(errors, &certificate, true);
        if host.is_empty() {
            let detail = "cannot be specified when hostname is empty";
            let table = "openshift/config/v1.ConfigMapNameReference";
            errors.invalid_typed(&certificate.here(), table, certificate.value(), detail);
        }
    }
}

fn validate_open_id(errors: &mut Errors, settings: &Node) {
    validate_client(errors, settings, &settings.here());
    let (issuer, path) = (settings.text("issuer"), settings.at("issuer"));
    if issuer.ends_with('/') {
        errors.invalid(&path, issuer, "cannot end with '/'");
    }
    secure_url(errors, settings, "issuer");
    if Url::parse(issuer).is_ok_and(|url| !url.query.is_empty() || !url.fragment().is_empty()) {
        errors.invalid(&path, issuer, "must not specify query or fragment component");
    }
    reference(errors, &settings.child("ca"), false);
    for (index, scope) in settings.texts("extraScopes").enumerate() {
        for character in scope.chars().filter(|character| !matches!(character, '!' | '#'..='[' | ']'..='~')) {
            let detail = format!("cannot contain {}", u32::from(character));
            errors.invalid(&settings.at("extraScopes").index(index), scope, detail);
        }
    }
}

fn validate_request_header(errors: &mut Errors, settings: &Node) {
    reference(errors, &settings.child("ca"), true);
    if settings.len("headers") == 0 {
        errors.required(&settings.at("headers"), "");
    }
    let given = |field: &str| !settings.text(field).is_empty();
    if !given("challengeURL") && !given("loginURL") {
        errors.required(&settings.here(), "at least one of challengeURL or loginURL must be specified");
    }
    for field in ["challengeURL", "loginURL"] {
        if !given(field) {
            continue;
        }
        let Some(found) = valid_url(errors, settings, field) else { continue };
        let text = settings.text(field);
        let path = if field == "challengeURL" { Path::new(field) } else { settings.at(field) };
        if !found.query.contains("${url}") && !found.query.contains("${query}") {
            let detail = format!(
                "query does not include {} or {}, redirect will not preserve original authorize parameters",
                quote("${url}"),
                quote("${query}")
            );
            errors.invalid(&path, text, detail);
        }
        let location = text.split(['?', '#']).next().unwrap_or_default();
        let location = location.split_once("://").map_or(location, |(_, rest)| rest);
        let location = location.find('/').map_or("", |start| &location[start..]);
        if field == "loginURL" && location.ends_with('/') {
            errors.invalid(
                &path,
                text,
                "path ends with \"/\", grant approval flows will not function correctly",
            );
        }
        if field == "loginURL" && location.rsplit('/').next() != Some("authorize") {
            let detail =
                "path does not end with \"/authorize\", grant approval flows will not function correctly";
            errors.invalid(&path, text, detail);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::json;

    #[test]
    fn rejects_a_provider_that_redirects_with_one_that_prompts() {
        let object = json!({"spec": {"identityProviders": [
            {"name": "sso", "type": "RequestHeader", "requestHeader": {
                "ca": {"name": "ca"}, "headers": ["X-Remote-User"],
                "challengeURL": "https://sso.example.com/challenge?${query}",
            }},
            {"name": "", "type": "HTPasswd", "htpasswd": {"fileData": {"name": "users"}}},
        ]}});
        let facts = ClusterFacts {
            internal_uri: None,
            router_may: &|_, _, _| true,
            type_of_secret: &|_, _| None,
            kubelets: None,
        };
        let mut errors = Errors::default();
        validate(&mut errors, &Node::root(&object), None, &facts);
        let texts: Vec<String> = errors.0.iter().map(ToString::to_string).collect();
        assert_eq!(
            texts,
            [
                "spec.identityProviders[1].name: Required value",
                "spec.identityProviders: Invalid value: \"<omitted>\": cannot mix providers that redirect clients \
                 requesting auth challenges (sso) with providers issuing challenges to those clients ()",
            ]
        );
    }
}
