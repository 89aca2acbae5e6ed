//! Webhook configurations, and the rules and match conditions that policies share with them.
//!
//! Source: `k8s.io/kubernetes/pkg/apis/admissionregistration/validation`, `k8s.io/apiserver/pkg/util/webhook`.

use crate::validation::expression::{Compiler, Use, require_expression};
use crate::validation::metadata::{
    Scope, is_fully_qualified_name, name_is_dns_subdomain, validate_object_meta_accessor,
};
use crate::validation::node::{Errors, Node};
use crate::validation::selector::{has_invalid_label_selector, validate_label_selector};
use gotext::names;
use gotext::url::Url;
use gotext::value::json;
use kube_api::features::Feature;
use kube_api::field::{Error, Path, Rule};
use kube_api::server_profile::ServerProfile;

const FAILURE_POLICIES: [&str; 2] = ["Fail", "Ignore"];
const MATCH_POLICIES: [&str; 2] = ["Equivalent", "Exact"];
const OPERATIONS: [&str; 5] = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
const REVIEW_VERSIONS: [&str; 2] = ["v1", "v1beta1"];
const REVIEW_FIELD: &str = "admissionReviewVersions";
const SIDE_EFFECTS: [&str; 4] = ["None", "NoneOnDryRun", "Some", "Unknown"];
const STATIC_SUFFIX: &str = ".static.k8s.io";
const MAX_MATCH_CONDITIONS: usize = 64;

/// The faults of an old configuration that may stay.
#[expect(clippy::struct_excessive_bools, reason = "each is a check of its own")]
pub(crate) struct Options {
    match_conditions: bool,
    no_side_effects: bool,
    known_review_version: bool,
    unique_names: bool,
    invalid_selector_values: bool,
}

impl Options {
    fn new(object: &Node, old: Option<&Node>) -> Self {
        let Some(old) = old else {
            return Self {
                match_conditions: true,
                no_side_effects: true,
                known_review_version: true,
                unique_names: true,
                invalid_selector_values: false,
            };
        };
        let hooks = || old.items("webhooks");
        let conditions = |object: &Node| {
            let hooks = object.list("webhooks").iter();
            hooks.map(|hook| hook.get("matchConditions").cloned().unwrap_or_default()).collect::<Vec<_>>()
        };
        let mut names = Vec::new();
        Self {
            match_conditions: conditions(object) != conditions(old),
            no_side_effects: hooks().all(|hook| SIDE_EFFECTS[..2].contains(&hook.text("sideEffects"))),
            known_review_version: hooks()
                .all(|hook| hook.len(REVIEW_FIELD) == 0 || knows_review_version(&hook, REVIEW_FIELD)),
            unique_names: hooks().all(|hook| {
                let is_new = !names.contains(&hook.text("name"));
                names.push(hook.text("name"));
                is_new
            }),
            invalid_selector_values: hooks().any(|hook| {
                ["namespaceSelector", "objectSelector"]
                    .iter()
                    .any(|selector| has_invalid_label_selector(&hook, selector))
            }),
        }
    }
}

/// Whether the versions in `field` include one that servers can send.
pub(crate) fn knows_review_version(node: &Node, field: &str) -> bool {
    node.texts(field).any(|version| REVIEW_VERSIONS.contains(&version))
}

/// Runs `ValidateValidatingWebhookConfiguration` or `ValidateMutatingWebhookConfiguration`, and their updates if there
/// is an old object.
pub(crate) fn validate_webhook_configuration(
    errors: &mut Errors,
    object: &Node,
    old: Option<&Node>,
    profile: &ServerProfile,
) {
    validate_with(errors, object, &Options::new(object, old));
    if old.is_none() {
        validate_static_suffix(errors, object, profile);
    }
}

/// Runs the same for `v1beta1`, which allows unknown side effects and webhooks with the same name.
pub(crate) fn validate_first_beta(errors: &mut Errors, object: &Node, old: Option<&Node>) {
    let options = Options { no_side_effects: false, unique_names: false, ..Options::new(object, old) };
    validate_with(errors, object, &options);
}

fn validate_with(errors: &mut Errors, object: &Node, options: &Options) {
    validate_registration_meta(errors, object);
    let mut seen = Vec::new();
    for hook in object.items("webhooks") {
        validate_webhook(errors, &hook, options);
        validate_review_versions(errors, &hook, options);
        let name = hook.text("name");
        if options.unique_names && !name.is_empty() {
            if seen.contains(&name) {
                errors.duplicate(&hook.at("name"), name);
            }
            seen.push(name);
        }
    }
}

/// Validates the metadata of everything in the group, created or updated.
pub(crate) fn validate_registration_meta(errors: &mut Errors, object: &Node) {
    let metadata = object.child("metadata");
    validate_object_meta_accessor(errors, &metadata, Scope::Cluster, name_is_dns_subdomain);
}

/// Runs `ValidateStaticSuffix` on new objects.
pub(crate) fn validate_static_suffix(errors: &mut Errors, object: &Node, profile: &ServerProfile) {
    let metadata = object.child("metadata");
    let name = metadata.text("name");
    if profile.enabled(Feature::ManifestBasedAdmissionControlConfig) && name.ends_with(STATIC_SUFFIX) {
        let detail = format!(
            "names ending with \"{STATIC_SUFFIX}\" are reserved for static manifest-based configurations and cannot be \
             managed via the API"
        );
        errors.invalid(&metadata.at("name"), name, detail);
    }
}

/// Implements `validateValidatingWebhook`, `validateMutatingWebhook`.
fn validate_webhook(errors: &mut Errors, hook: &Node, options: &Options) {
    is_fully_qualified_name(errors, hook, "name");
    for rule in hook.items("rules") {
        validate_rule_with_operations(errors, &rule);
    }
    errors.optional_one_of(hook, "failurePolicy", &FAILURE_POLICIES);
    errors.optional_one_of(hook, "matchPolicy", &MATCH_POLICIES);
    let allowed = if options.no_side_effects { &SIDE_EFFECTS[..2] } else { &SIDE_EFFECTS[..] };
    if hook.has("sideEffects") {
        errors.one_of(hook, "sideEffects", allowed);
    } else {
        let detail = format!("must specify one of {}", allowed.join(", "));
        errors.required(&hook.at("sideEffects"), detail);
    }
    if let Some(seconds) = hook.number("timeoutSeconds").filter(|seconds| !(1..=30).contains(seconds)) {
        let detail = "the timeout value must be between 1 and 30 seconds";
        errors.invalid_int(&hook.at("timeoutSeconds"), seconds, detail);
    }
    for selector in ["namespaceSelector", "objectSelector"] {
        validate_label_selector(errors, hook, selector, options.invalid_selector_values);
    }
    // Only mutating webhooks have the field.
    errors.optional_one_of(hook, "reinvocationPolicy", &["IfNeeded", "Never"]);
    validate_client_config(errors, &hook.child("clientConfig"));
    if options.match_conditions {
        validate_match_conditions(errors, hook, false);
    }
}

/// Validates the client configuration of a webhook; the names of service and namespace are swapped in the checks, as
/// upstream does.
pub(crate) fn validate_client_config(errors: &mut Errors, config: &Node) {
    match (config.given("url"), config.get("service")) {
        (Some(_), None) => validate_webhook_url(errors, config, "url", true),
        (None, Some(service)) => {
            let [namespace, name] = ["name", "namespace"].map(|field| service.text(field));
            validate_webhook_service(errors, &service, namespace, name);
        }
        _ => errors.required(&config.here(), "exactly one of url or service is required"),
    }
}

/// Implements `ValidateWebhookURL`.
fn validate_webhook_url(errors: &mut Errors, node: &Node, field: &'static str, force_https: bool) {
    const FORM: &str = "; desired format: https://host[/path]";
    let path = node.at(field);
    let url = match Url::parse(node.text(field)) {
        Ok(url) => url,
        Err(error) => return errors.required(&path, format!("url must be a valid URL: {error}{FORM}")),
    };
    if force_https && url.scheme != "https" {
        errors.invalid(&path, &url.scheme, format!("'https' is the only allowed URL scheme{FORM}"));
    }
    if url.host.is_empty() {
        errors
            .by(Rule::HostOfUrl, |errors| errors.invalid(&path, "", format!("host must be specified{FORM}")));
    }
    if let Some(user) = url.user() {
        errors.invalid(&path, &user, "user information is not permitted in the URL");
    }
    if !url.fragment().is_empty() {
        errors.invalid(&path, &url.fragment(), "fragments are not permitted in the URL");
    }
    if !url.query.is_empty() {
        errors.invalid(&path, &url.query, "query parameters are not permitted in the URL");
    }
}

/// Implements `ValidateWebhookService`.
fn validate_webhook_service(errors: &mut Errors, service: &Node, namespace: &str, name: &str) {
    for (field, value, rule) in
        [("name", name, Rule::NameOfService), ("namespace", namespace, Rule::NamespaceOfService)]
    {
        if value.is_empty() {
            errors.by(rule, |errors| errors.required(&service.at(field), ""));
        }
    }
    let messages = names::is_valid_port_num(service.int("port"));
    if !messages.is_empty() {
        let detail = format!("port is not valid: {}", messages.join(", "));
        errors.invalid_int(&service.at("port"), service.int("port"), detail);
    }
    let text = service.text("path");
    let mut refuse = |detail: String| errors.invalid(&service.at("path"), text, detail);
    match text {
        "" | "/" => return,
        "//" => return refuse("segment[0] may not be empty".to_owned()),
        _ => {}
    }
    if !text.starts_with('/') {
        refuse("must start with a '/'".to_owned());
    }
    // The first character is assumed to be the slash.
    let steps = text.char_indices().nth(1).map_or("", |(second, _)| &text[second..]);
    let steps = steps.strip_suffix('/').unwrap_or(steps);
    for (index, step) in steps.split('/').enumerate() {
        if step.is_empty() {
            refuse(format!("segment[{index}] may not be empty"));
            continue;
        }
        for message in names::is_dns1123_subdomain(step) {
            refuse(format!("segment[{index}]: {message}"));
        }
    }
}

/// Implements `validateAdmissionReviewVersions`.
fn validate_review_versions(errors: &mut Errors, hook: &Node, options: &Options) {
    if hook.len(REVIEW_FIELD) == 0 {
        errors
            .required(&hook.at(REVIEW_FIELD), format!("must specify one of {}", REVIEW_VERSIONS.join(", ")));
    } else {
        validate_given_review_versions(errors, hook, REVIEW_FIELD, options.known_review_version);
    }
}

/// Validates the versions in `field`. At least one must be known if `is_known` is set.
pub(crate) fn validate_given_review_versions(
    errors: &mut Errors,
    node: &Node,
    field: &'static str,
    is_known: bool,
) {
    let versions: Vec<&str> = node.texts(field).collect();
    let path = || node.at(field);
    for (index, version) in versions.iter().enumerate() {
        if versions[..index].contains(version) {
            errors.invalid(&path().index(index), version, "duplicate version");
        } else {
            errors.each(|| path().index(index), version, names::is_dns1035_label(version));
        }
    }
    if is_known && !knows_review_version(node, field) {
        let detail = format!("must include at least one of {}", REVIEW_VERSIONS.join(", "));
        let error = Error::invalid(&path(), node.raw(field), detail);
        errors.push(
            error.about(Some("apiextensions/v1.WebhookConversion#conversionReviewVersions"), node.raw(field)),
        );
    }
}

/// Implements `validateRuleWithOperations`.
fn validate_rule_with_operations(errors: &mut Errors, rule: &Node) {
    require_items(errors, rule, "operations");
    refuse_with_wildcard(errors, rule, "operations", "operations");
    for (index, operation) in rule.texts("operations").enumerate() {
        if !OPERATIONS.contains(&operation) {
            errors.not_supported(&rule.at("operations").index(index), operation, &OPERATIONS);
        }
    }
    require_items(errors, rule, "apiGroups");
    refuse_with_wildcard(errors, rule, "apiGroups", "API groups");
    require_items(errors, rule, "apiVersions");
    refuse_with_wildcard(errors, rule, "apiVersions", "API versions");
    for (index, _) in rule.texts("apiVersions").enumerate().filter(|(_, version)| version.is_empty()) {
        errors.required(&rule.at("apiVersions").index(index), "");
    }
    validate_resources(errors, rule);
    errors.optional_one_of(rule, "scope", &["*", "Cluster", "Namespaced"]);
}

fn require_items(errors: &mut Errors, rule: &Node, field: &'static str) {
    if rule.len(field) == 0 {
        errors.required(&rule.at(field), "");
    }
}

/// Refuses other items next to a `*`.
pub(crate) fn refuse_with_wildcard(errors: &mut Errors, rule: &Node, field: &'static str, things: &str) {
    if rule.len(field) > 1 && rule.texts(field).any(|text| text == "*") {
        let detail = format!("if '*' is present, must not specify other {things}");
        errors.invalid_value(&rule.at(field), rule.raw(field), detail);
    }
}

/// Implements `validateResources`.
fn validate_resources(errors: &mut Errors, rule: &Node) {
    require_items(errors, rule, "resources");
    let path = |index: usize| rule.at("resources").index(index);
    let (mut resources, mut sub_resources) = (Vec::new(), Vec::new());
    // Upstream only remembers whether the last resource without a subresource is `*`.
    let mut last_is_whole = false;
    for (index, text) in rule.texts("resources").enumerate() {
        if text.is_empty() {
            errors.required(&path(index), "");
            continue;
        }
        let Some((resource, sub_resource)) = text.split_once('/') else {
            last_is_whole = text != "*";
            continue;
        };
        if resources.contains(&resource) {
            let detail = format!("if '{resource}/*' is present, must not specify {text}");
            errors.invalid(&path(index), text, detail);
        }
        if sub_resources.contains(&sub_resource) {
            let detail = format!("if '*/{sub_resource}' is present, must not specify {text}");
            errors.invalid(&path(index), text, detail);
        }
        if sub_resource == "*" {
            resources.push(resource);
        }
        if resource == "*" {
            sub_resources.push(sub_resource);
        }
    }
    let has = |wanted: &str| rule.texts("resources").any(|text| text == wanted);
    let mut refuse =
        |detail: &str| errors.invalid_value(&rule.at("resources"), rule.raw("resources"), detail);
    if rule.len("resources") > 1 && has("*/*") {
        refuse("if '*/*' is present, must not specify other resources");
    }
    if has("*") && last_is_whole {
        refuse("if '*' is present, must not specify other resources without subresources");
    }
}

/// Implements `validateMatchConditions`.
pub(crate) fn validate_match_conditions(errors: &mut Errors, node: &Node, has_params: bool) {
    let compiler = Compiler::new(has_params).of_release(errors.release());
    let count = node.len("matchConditions");
    if count > MAX_MATCH_CONDITIONS {
        errors.too_many(&node.at("matchConditions"), count, MAX_MATCH_CONDITIONS);
    }
    let mut seen = Vec::new();
    for condition in node.items("matchConditions") {
        require_expression(errors, &condition, "", &compiler, Use::Condition);
        let name = condition.text("name");
        if errors.require_text(&condition, "name") {
            errors.each_of(&condition, "name", names::is_qualified_name(name));
            if seen.contains(&name) {
                errors.duplicate(&condition.at("name"), name);
            }
            seen.push(name);
        }
    }
}

/// Validates the `failurePolicy` of a policy, which is required.
pub(crate) fn validate_failure_policy(errors: &mut Errors, spec: &Node) {
    if spec.has("failurePolicy") {
        errors.one_of(spec, "failurePolicy", &FAILURE_POLICIES);
    } else {
        errors.required(&spec.at("failurePolicy"), "");
    }
}

/// Implements `validateMatchResources`.
pub(crate) fn validate_match_resources(errors: &mut Errors, resources: &Node) {
    if resources.has("matchPolicy") {
        errors.one_of(resources, "matchPolicy", &MATCH_POLICIES);
    } else {
        errors.required(&resources.at("matchPolicy"), "");
    }
    for selector in ["namespaceSelector", "objectSelector"] {
        // The first releases with policies report the selector of objects under another name.
        let name = if selector == "objectSelector" && !errors.since(29) { "labelSelector" } else { selector };
        let named = json!({name: resources.raw(selector)});
        if resources.has(selector) {
            validate_label_selector(errors, &Node::new(resources.here(), &named), name, false);
        } else {
            errors.required(&resources.at(name), "");
        }
    }
    for rules in ["resourceRules", "excludeResourceRules"] {
        for rule in resources.items(rules) {
            validate_resource_names(errors, &rule);
            validate_rule_with_operations(errors, &rule);
        }
    }
}

/// Validates the names of a `NamedRuleWithOperations`.
fn validate_resource_names(errors: &mut Errors, rule: &Node) {
    let names: Vec<&str> = rule.texts("resourceNames").collect();
    for (index, name) in names.iter().enumerate() {
        let path = || -> Path { rule.at("resourceNames").index(index) };
        errors.each(path, name, names::is_path_segment_name(name));
        if names[..index].contains(name) {
            errors.duplicate(&path(), name);
        }
    }
}
