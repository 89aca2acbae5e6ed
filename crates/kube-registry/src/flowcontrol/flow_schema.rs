//! Assignment of priorities to requests.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/flowcontrol`.

use crate::preparation::copy_all_metadata;
use crate::strategy::{ObjectStatus, Scope, Strategy, SubResource};
use crate::validation::equal::plainly_equal;
use crate::validation::flow_control;
use crate::validation::flow_control::validate_flow_control_status;
use crate::validation::metadata::{name_is_dns_label, name_is_dns_subdomain, validate_object_meta};
use crate::validation::node::{Errors, Node};
use gotext::value::json;
use gotext::{encoding_json, quote};
use kube_api::field::Error;
use kube_api::tree::{child_or_insert, copy, set_if_zero};
use kube_api::{Map, Value, internal_json};

/// The strategy of `FlowSchema`.
pub(crate) static STRATEGY: Strategy = Strategy {
    defaults: Some(|object, _, _| set_defaults(object)),
    status: ObjectStatus::Controllers,
    validate: Some(|errors, object, _, _| validate_flow_schema(errors, object)),
    sub_resources: &[SubResource {
        prepare_for_update: Some(|object, old, _| {
            copy(object, old, "spec");
            copy_all_metadata(object, old);
        }),
        validate_update: Some(|errors, object, _, _| {
            flow_control::validate_flow_control_status(errors, object);
        }),
        ..SubResource::new("status")
    }],
    ..Strategy::new("flowcontrol.apiserver.k8s.io", "FlowSchema")
};

/// Sets the defaults of `FlowSchema`.
fn set_defaults(schema: &mut Map) {
    set_if_zero(child_or_insert(schema, "spec"), "matchingPrecedence", 1000);
}

const MAX_PRECEDENCE: i64 = 10_000;

const VERBS: [&str; 9] =
    ["create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"];

/// Implements `ValidateFlowSchema`.
fn validate_flow_schema(errors: &mut Errors, object: &Node) {
    validate_object_meta(errors, object, Scope::Cluster, name_is_dns_subdomain);
    let (spec, name) = (object.child("spec"), object.child("metadata").text("name"));
    validate_flow_schema_spec(errors, &spec, name);
    if let Some(fixed) = mandatory_flow_schema(name)
        && !plainly_equal(spec.value(), &fixed)
    {
        let detail = format!("spec of '{name}' must equal the fixed value");
        errors.invalid_internal(&spec.here(), "flowcontrol/v1.FlowSchemaSpec", spec.value(), detail);
    }
    validate_flow_control_status(errors, object);
}

/// Implements `ValidateFlowSchemaSpec`.
fn validate_flow_schema_spec(errors: &mut Errors, spec: &Node, name: &str) {
    let precedence = spec.int("matchingPrecedence");
    let mut refuse = |detail: String| errors.invalid_int(&spec.at("matchingPrecedence"), precedence, detail);
    if precedence <= 0 {
        refuse("must be a positive value".to_owned());
    }
    if precedence > MAX_PRECEDENCE {
        refuse(format!("must not be greater than {MAX_PRECEDENCE}"));
    }
    if precedence == 1 && name != "exempt" {
        refuse("only the schema named 'exempt' may have matchingPrecedence 1".to_owned());
    }
    if let Some(method) = spec.get("distinguisherMethod")
        && !["ByNamespace", "ByUser"].contains(&method.text("type"))
    {
        let printed = internal_json::internal("flowcontrol/v1.FlowDistinguisherMethod", method.value());
        let detail = "supported values: \"ByNamespace\", \"ByUser\"";
        errors.push(
            Error::not_supported_printed(&method.at("type"), printed, detail)
                .about(Some("flowcontrol/v1.FlowDistinguisherMethod"), method.value()),
        );
    }
    let level = spec.child("priorityLevelConfiguration");
    match level.text("name") {
        "" => errors.required(&level.at("name"), "must reference a priority level"),
        name => errors.each_of(&level, "name", name_is_dns_subdomain(name, false)),
    }
    for rule in spec.items("rules") {
        validate_policy_rules_with_subjects(errors, &rule);
    }
}

/// Implements `ValidateFlowSchemaPolicyRulesWithSubjects`.
fn validate_policy_rules_with_subjects(errors: &mut Errors, rule: &Node) {
    if rule.len("subjects") == 0 {
        errors.required(&rule.at("subjects"), "subjects must contain at least one value");
    }
    for subject in rule.items("subjects") {
        validate_subject(errors, &subject);
    }
    if rule.len("resourceRules") + rule.len("nonResourceRules") == 0 {
        let detail = "at least one of resourceRules and nonResourceRules has to be non-empty";
        errors.required(&rule.here(), detail);
    }
    for rule in rule.items("resourceRules") {
        validate_resource_policy_rule(errors, &rule);
    }
    for rule in rule.items("nonResourceRules") {
        validate_non_resource_policy_rule(errors, &rule);
    }
}

/// Implements `ValidateFlowSchemaSubject`.
fn validate_subject(errors: &mut Errors, subject: &Node) {
    let kind = subject.text("kind");
    let own = match kind {
        "ServiceAccount" => "serviceAccount",
        "User" => "user",
        "Group" => "group",
        _ => return errors.one_of(subject, "kind", &["Group", "ServiceAccount", "User"]),
    };
    match subject.get(own) {
        None => {
            errors.required(&subject.at(own), format!("{own} is required when subject kind is '{kind}'"));
        }
        Some(account) if own == "serviceAccount" => validate_service_account_subject(errors, &account),
        Some(named) => drop(errors.require_text(&named, "name")),
    }
    let all = [("serviceAccount", "ServiceAccount"), ("user", "User"), ("group", "Group")];
    for (field, kind) in all.into_iter().filter(|(field, _)| *field != own && subject.has(field)) {
        let detail = format!("{field} is forbidden when subject kind is not '{kind}'");
        errors.forbidden(&subject.at(field), detail);
    }
}

/// Implements `ValidateServiceAccountSubject`.
fn validate_service_account_subject(errors: &mut Errors, account: &Node) {
    match account.text("name") {
        "" => errors.required(&account.at("name"), ""),
        "*" => {}
        name => errors.each_of(account, "name", name_is_dns_subdomain(name, false)),
    }
    match account.text("namespace") {
        "" => errors.required(&account.at("namespace"), "must specify namespace for service account"),
        namespace => errors.each_of(account, "namespace", name_is_dns_label(namespace, false)),
    }
}

fn validate_verbs(errors: &mut Errors, rule: &Node) {
    let verbs: Vec<&str> = rule.texts("verbs").collect();
    if verbs.is_empty() {
        errors.required(&rule.at("verbs"), "verbs must contain at least one value");
    } else if verbs.contains(&"*") {
        refuse_with_wildcard(errors, rule, "verbs", "verbs");
    } else if !verbs.iter().all(|verb| VERBS.contains(verb)) {
        let supported = VERBS.map(quote).join(", ");
        let detail = format!("supported values: {supported}");
        errors.push(
            Error::not_supported_printed(
                &rule.at("verbs"),
                encoding_json::to_string(rule.raw("verbs")),
                detail,
            )
            .about(None, rule.raw("verbs")),
        );
    }
}

/// Refuses other items next to a `*`.
fn refuse_with_wildcard(errors: &mut Errors, rule: &Node, field: &'static str, things: &str) {
    if rule.len(field) > 1 && rule.texts(field).any(|text| text == "*") {
        let detail = format!("if '*' is present, must not specify other {things}");
        errors.invalid_value(&rule.at(field), rule.raw(field), detail);
    }
}

/// Implements `ValidateFlowSchemaNonResourcePolicyRule`.
fn validate_non_resource_policy_rule(errors: &mut Errors, rule: &Node) {
    const URLS: &str = "nonResourceURLs";
    validate_verbs(errors, rule);
    if rule.len(URLS) == 0 {
        errors.required(&rule.at(URLS), "nonResourceURLs must contain at least one value");
    } else if rule.texts(URLS).any(|url| url == "*") {
        refuse_with_wildcard(errors, rule, URLS, "non-resource URLs");
    } else {
        for (index, url) in rule.texts(URLS).enumerate() {
            if let Some(detail) = refused_url_path(url) {
                errors.invalid(&rule.at(URLS).index(index), url, detail);
            }
        }
    }
}

/// Implements `ValidateNonResourceURLPath`.
fn refused_url_path(path: &str) -> Option<&'static str> {
    let wildcards = path.matches('*').count();
    match path {
        "" => Some("must not be empty"),
        "/" => None,
        _ if !path.starts_with('/') => Some("must start with slash"),
        _ if path.contains(' ') => Some("must not contain white-space"),
        _ if path.contains("//") => Some("must not contain double slash"),
        _ if wildcards > 1 || wildcards == 1 && !path.ends_with("/*") => {
            Some("wildcard can only do suffix matching")
        }
        _ => None,
    }
}

/// Implements `ValidateFlowSchemaResourcePolicyRule`.
fn validate_resource_policy_rule(errors: &mut Errors, rule: &Node) {
    validate_verbs(errors, rule);
    for (field, one, others) in
        [("apiGroups", "api group", "api groups"), ("resources", "resource", "resources")]
    {
        if rule.len(field) == 0 {
            errors.required(&rule.at(field), format!("resource rules must supply at least one {one}"));
        }
        refuse_with_wildcard(errors, rule, field, others);
    }
    if rule.len("namespaces") == 0 && !rule.flag("clusterScope") {
        let detail = "resource rules that are not cluster scoped must supply at least one namespace";
        errors.required(&rule.at("namespaces"), detail);
    } else if rule.texts("namespaces").any(|namespace| namespace == "*") {
        refuse_with_wildcard(errors, rule, "namespaces", "namespaces");
    } else {
        for (index, namespace) in rule.texts("namespaces").enumerate() {
            for message in name_is_dns_label(namespace, false) {
                let detail = format!("each member of this list must be '*' or a DNS-1123 label; {message}");
                errors.invalid(&rule.at("namespaces").index(index), namespace, detail);
            }
        }
    }
}

/// Implements `bootstrap.MandatoryFlowSchemas`.
fn mandatory_flow_schema(name: &str) -> Option<Value> {
    let (precedence, method, groups): (_, _, &[&str]) = match name {
        "exempt" => (1, Value::Null, &["system:masters"]),
        "catch-all" => {
            (MAX_PRECEDENCE, json!({"type": "ByUser"}), &["system:unauthenticated", "system:authenticated"])
        }
        _ => return None,
    };
    let subjects: Vec<Value> =
        groups.iter().map(|group| json!({"kind": "Group", "group": {"name": group}})).collect();
    let all = ["*"];
    Some(json!({
        "priorityLevelConfiguration": {"name": name},
        "matchingPrecedence": precedence,
        "distinguisherMethod": method,
        "rules": [{
            "subjects": subjects,
            "resourceRules": [
                {"verbs": all, "apiGroups": all, "resources": all, "namespaces": all, "clusterScope": true},
            ],
            "nonResourceRules": [{"verbs": all, "nonResourceURLs": all}],
        }],
    }))
}
