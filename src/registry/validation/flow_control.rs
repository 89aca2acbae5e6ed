//! API priority and fairness.
//!
//! Source: `k8s.io/kubernetes/pkg/apis/flowcontrol/validation`.

use crate::value::json;

use super::equal::semantically_equal;
use super::metadata::{Scope, name_is_dns_label, name_is_dns_subdomain, validate_object_meta};
use super::node::{Errors, Node};
use super::printed::internal;
use crate::api::Value;
use crate::api::field::{Error, Path};
use crate::go::quote;

const MAX_PRECEDENCE: i64 = 10_000;
const MAX_QUEUES: i64 = 10_000_000;
const MAX_HASH_BITS: f64 = 60.0;
const VERBS: [&str; 9] =
    ["create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"];
const ROUND_TRIP: &str = "flowcontrol.k8s.io/preserve-zero-concurrency-shares";

/// `ValidateFlowSchema`
pub(super) fn validate_flow_schema(errors: &mut Errors, object: &Node) {
    validate_object_meta(errors, object, Scope::Cluster, name_is_dns_subdomain);
    let (spec, name) = (object.child("spec"), object.child("metadata").text("name"));
    validate_flow_schema_spec(errors, &spec, name);
    if let Some(fixed) = mandatory_flow_schema(name)
        && !semantically_equal(spec.value(), &fixed)
    {
        let detail = format!("spec of '{name}' must equal the fixed value");
        errors.invalid_printed(&spec.here(), internal(spec.value(), "flowcontrol/v1.FlowSchemaSpec"), detail);
    }
    validate_flow_control_status(errors, object);
}

/// `ValidateFlowSchemaSpec`
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
        let printed = internal(method.value(), "flowcontrol/v1.FlowDistinguisherMethod");
        let detail = "supported values: \"ByNamespace\", \"ByUser\"";
        errors.push(Error::not_supported_printed(&method.at("type"), printed, detail));
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

/// `ValidateFlowSchemaPolicyRulesWithSubjects`
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

/// `ValidateFlowSchemaSubject`
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

/// `ValidateServiceAccountSubject`
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
        refuse_beside_wildcard(errors, rule, "verbs", "verbs");
    } else if !verbs.iter().all(|verb| VERBS.contains(verb)) {
        let supported = VERBS.map(quote).join(", ");
        let detail = format!("supported values: {supported}");
        errors.push(Error::not_supported_printed(&rule.at("verbs"), rule.raw("verbs").to_string(), detail));
    }
}

/// What holds a `*` must hold nothing else.
fn refuse_beside_wildcard(errors: &mut Errors, rule: &Node, field: &'static str, things: &str) {
    if rule.len(field) > 1 && rule.texts(field).any(|text| text == "*") {
        let detail = format!("if '*' is present, must not specify other {things}");
        errors.invalid_value(&rule.at(field), rule.raw(field), detail);
    }
}

/// `ValidateFlowSchemaNonResourcePolicyRule`
fn validate_non_resource_policy_rule(errors: &mut Errors, rule: &Node) {
    const URLS: &str = "nonResourceURLs";
    validate_verbs(errors, rule);
    if rule.len(URLS) == 0 {
        errors.required(&rule.at(URLS), "nonResourceURLs must contain at least one value");
    } else if rule.texts(URLS).any(|url| url == "*") {
        refuse_beside_wildcard(errors, rule, URLS, "non-resource URLs");
    } else {
        for (index, url) in rule.texts(URLS).enumerate() {
            if let Some(detail) = refused_url_path(url) {
                errors.invalid(&rule.at(URLS).index(index), url, detail);
            }
        }
    }
}

/// `ValidateNonResourceURLPath`
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

/// `ValidateFlowSchemaResourcePolicyRule`
fn validate_resource_policy_rule(errors: &mut Errors, rule: &Node) {
    validate_verbs(errors, rule);
    for (field, one, others) in
        [("apiGroups", "api group", "api groups"), ("resources", "resource", "resources")]
    {
        if rule.len(field) == 0 {
            errors.required(&rule.at(field), format!("resource rules must supply at least one {one}"));
        }
        refuse_beside_wildcard(errors, rule, field, others);
    }
    if rule.len("namespaces") == 0 && !rule.flag("clusterScope") {
        let detail = "resource rules that are not cluster scoped must supply at least one namespace";
        errors.required(&rule.at("namespaces"), detail);
    } else if rule.texts("namespaces").any(|namespace| namespace == "*") {
        refuse_beside_wildcard(errors, rule, "namespaces", "namespaces");
    } else {
        for (index, namespace) in rule.texts("namespaces").enumerate() {
            for message in name_is_dns_label(namespace, false) {
                let detail = format!("each member of this list must be '*' or a DNS-1123 label; {message}");
                errors.invalid(&rule.at("namespaces").index(index), namespace, detail);
            }
        }
    }
}

/// `ValidateFlowSchemaStatus`, `ValidatePriorityLevelConfigurationStatus`
pub(super) fn validate_flow_control_status(errors: &mut Errors, object: &Node) {
    let mut seen = Vec::new();
    for condition in object.child("status").items("conditions") {
        let kind = condition.text("type");
        if seen.contains(&kind) {
            errors.duplicate(&condition.at("type"), kind);
        }
        seen.push(kind);
        errors.require_text(&condition, "type");
    }
}

/// `ValidatePriorityLevelConfiguration`
pub(super) fn validate_priority_level_configuration(errors: &mut Errors, object: &Node) {
    validate_object_meta(errors, object, Scope::Cluster, name_is_dns_subdomain);
    let metadata = object.child("metadata");
    if metadata.raw("annotations").get(ROUND_TRIP).is_some() {
        errors.forbidden(&metadata.at("annotations"), format!("annotation '{ROUND_TRIP}' is forbidden"));
    }
    let (spec, name) = (object.child("spec"), metadata.text("name"));
    validate_priority_level_spec(errors, &spec, name);
    if let Some((fixed, exception)) = mandatory_priority_level(name) {
        let mut compared = spec.value().clone();
        if let Some(fields) = compared.as_object_mut().filter(|_| name == "exempt") {
            fields.remove("exempt");
        }
        if !semantically_equal(&compared, &fixed) {
            let printed = internal(spec.value(), "flowcontrol/v1.PriorityLevelConfigurationSpec");
            let detail = format!("spec of '{name}'{exception} must equal the fixed value");
            errors.invalid_printed(&spec.here(), printed, detail);
        }
    }
    validate_flow_control_status(errors, object);
}

/// `ValidatePriorityLevelConfigurationSpec`
fn validate_priority_level_spec(errors: &mut Errors, spec: &Node, name: &str) {
    let kind = spec.text("type");
    if (name == "exempt") != (kind == "Exempt") {
        errors.invalid(&spec.at("type"), kind, "must be 'Exempt' if and only if `name` is 'exempt'");
    }
    match kind {
        "Exempt" => {
            if spec.has("limited") {
                errors.forbidden(&spec.at("limited"), "must be nil if the type is not Limited");
            }
            if let Some(exempt) = spec.get("exempt") {
                validate_shares(errors, &exempt);
                validate_lendable_percent(errors, &exempt);
            }
        }
        "Limited" => {
            if spec.has("exempt") {
                errors.forbidden(&spec.at("exempt"), "must be nil if the type is Limited");
            }
            match spec.get("limited") {
                None => errors.required(&spec.at("limited"), "must not be empty when type is Limited"),
                Some(limited) => validate_limited(errors, &limited),
            }
        }
        _ => errors.one_of(spec, "type", &["Exempt", "Limited"]),
    }
}

fn validate_shares(errors: &mut Errors, level: &Node) {
    let shares = level.int("nominalConcurrencyShares");
    if shares < 0 {
        errors.invalid_int(&level.at("nominalConcurrencyShares"), shares, "must be a non-negative integer");
    }
}

fn validate_lendable_percent(errors: &mut Errors, level: &Node) {
    let percent = level.int("lendablePercent");
    if !(0..=100).contains(&percent) {
        errors.invalid_int(&level.at("lendablePercent"), percent, "must be between 0 and 100, inclusive");
    }
}

/// `ValidateLimitedPriorityLevelConfiguration`
fn validate_limited(errors: &mut Errors, limited: &Node) {
    validate_shares(errors, limited);
    let response = limited.child("limitResponse");
    match response.text("type") {
        "Reject" => {
            if response.has("queuing") {
                let detail = "must be nil if limited.limitResponse.type is not Limited";
                errors.forbidden(&response.at("queuing"), detail);
            }
        }
        "Queue" => match response.get("queuing") {
            None => {
                let detail = "must not be empty if limited.limitResponse.type is Limited";
                errors.required(&response.at("queuing"), detail);
            }
            Some(queuing) => validate_queuing(errors, &queuing),
        },
        _ => errors.one_of(&response, "type", &["Queue", "Reject"]),
    }
    validate_lendable_percent(errors, limited);
    let borrowing = limited.int("borrowingLimitPercent");
    if borrowing < 0 {
        let detail = "if specified, must be a non-negative integer";
        errors.invalid_int(&limited.at("borrowingLimitPercent"), borrowing, detail);
    }
}

/// `ValidatePriorityLevelQueuingConfiguration`
fn validate_queuing(errors: &mut Errors, queuing: &Node) {
    let [limit, queues, hand] =
        ["queueLengthLimit", "queues", "handSize"].map(|field| (queuing.int(field), queuing.at(field)));
    let mut refuse = |(value, path): &(i64, Path), detail: &str| errors.invalid_int(path, *value, detail);
    if limit.0 <= 0 {
        refuse(&limit, "must be positive");
    }
    if queues.0 <= 0 {
        refuse(&queues, "must be positive");
    } else if queues.0 > MAX_QUEUES {
        refuse(&queues, &format!("must not be greater than {MAX_QUEUES}"));
    }
    if hand.0 <= 0 {
        refuse(&hand, "must be positive");
    } else if hand.0 > queues.0 {
        refuse(&hand, &format!("should not be greater than queues ({})", queues.0));
    } else if required_entropy_bits(queues.0, hand.0) > MAX_HASH_BITS {
        let detail = format!(
            "required entropy bits of deckSize {} and handSize {} should not be greater than {MAX_HASH_BITS}",
            queues.0, hand.0
        );
        refuse(&hand, &detail);
    }
}

/// `shufflesharding.RequiredEntropyBits`
#[expect(clippy::cast_precision_loss, reason = "both come from 32 bits")]
fn required_entropy_bits(deck: i64, hand: i64) -> f64 {
    ((deck as f64).log2() * hand as f64).ceil()
}

/// `bootstrap.MandatoryFlowSchemas`
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

/// `bootstrap.MandatoryPriorityLevelConfigurations`, and the part that may differ.
fn mandatory_priority_level(name: &str) -> Option<(Value, &'static str)> {
    match name {
        "exempt" => Some((json!({"type": "Exempt"}), " except the 'spec.exempt' field")),
        "catch-all" => {
            let limited = json!({
                "nominalConcurrencyShares": 5,
                "lendablePercent": 0,
                "limitResponse": {"type": "Reject"},
            });
            Some((json!({"type": "Limited", "limited": limited}), ""))
        }
        _ => None,
    }
}
