//! Admission policies and their bindings.
//!
//! Source: `k8s.io/kubernetes/pkg/apis/admissionregistration/validation`.

use crate::api::features::FeatureGates;
use crate::api::names;
use crate::registry::validation::condition::validate_conditions;
use crate::registry::validation::equal::semantically_equal;
use crate::registry::validation::expression::{Compiler, Use, require_expression};
use crate::registry::validation::metadata::name_is_dns_subdomain;
use crate::registry::validation::node::{Errors, Node};
use crate::registry::validation::printed::internal;
use crate::registry::validation::selector::validate_label_selector;
use crate::registry::validation::webhook::{
    validate_failure_policy, validate_match_conditions, validate_match_resources, validate_registration_meta,
    validate_static_suffix,
};

pub(in crate::registry) const MAX_AUDIT_ANNOTATIONS: usize = 20;
pub(in crate::registry) const MAX_VALUE_EXPRESSION: usize = 5 * 1024;
/// What a policy may mutate; it does not see deletions.
pub(in crate::registry) const MUTATING_OPERATIONS: [&str; 4] = ["*", "CONNECT", "CREATE", "UPDATE"];
pub(in crate::registry) const RESERVED: [&str; 21] = [
    "true",
    "false",
    "null",
    "in",
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
];

/// `ValidateValidatingAdmissionPolicy`, and `ValidateValidatingAdmissionPolicyUpdate` where there is an old one.
pub(in crate::registry) fn validate_validating_policy(
    errors: &mut Errors,
    object: &Node,
    old: Option<&Node>,
    features: &FeatureGates,
) {
    validate_registration_meta(errors, object);
    let spec = object.child("spec");
    let compiler = validate_policy_head(errors, &spec, old, false);
    if spec.len("validations") + spec.len("auditAnnotations") == 0 {
        let detail = "validations or auditAnnotations must contain at least one item";
        errors.required(&spec.at("validations"), detail);
        errors.required(&spec.at("auditAnnotations"), detail);
    } else {
        for validation in spec.items("validations") {
            validate_validation(errors, &validation, &compiler);
        }
        validate_audit_annotations(errors, &spec, object.child("metadata").text("name"), &compiler);
    }
    if old.is_none() {
        validate_static_suffix(errors, object, features);
    }
}

/// What both kinds of policies begin with, down to their variables, which the expressions behind them may use.
pub(in crate::registry) fn validate_policy_head(
    errors: &mut Errors,
    spec: &Node,
    old: Option<&Node>,
    mutating: bool,
) -> Compiler {
    let has_params = spec.has("paramKind");
    validate_failure_policy(errors, spec);
    if let Some(kind) = spec.get("paramKind") {
        validate_param_kind(errors, &kind);
    }
    match spec.get("matchConstraints") {
        None => errors.required(&spec.at("matchConstraints"), ""),
        Some(constraints) => {
            validate_match_resources(errors, &constraints);
            if constraints.len("resourceRules") == 0 {
                errors.required(&constraints.at("resourceRules"), "");
            }
            if mutating {
                validate_mutating_operations(errors, &constraints);
            }
        }
    }
    // Conditions that do not change are left alone.
    let changes = |field: &str| {
        old.is_none_or(|old| !semantically_equal(spec.raw(field), old.child("spec").raw(field)))
    };
    if changes("paramKind") || changes("matchConditions") {
        validate_match_conditions(errors, spec, has_params);
    }
    let has_variables = mutating || spec.len("variables") > 0;
    let mut compiler =
        if has_variables { Compiler::with_variables(has_params) } else { Compiler::new(has_params) };
    for variable in spec.items("variables") {
        let name = variable.text("name");
        if name.trim().is_empty() {
            errors.required(&variable.at("name"), "name is not specified");
        } else if !is_cel_identifier(name) {
            errors.invalid(&variable.at("name"), name, "must be a valid CEL identifier");
        }
        let (path, expression) = (variable.at("expression"), variable.text("expression"));
        if expression.trim().is_empty() {
            errors.required(&path, "expression is not specified");
        } else {
            compiler.declare(errors, &path, name, expression);
        }
    }
    compiler
}

/// `isCELIdentifier`
pub(in crate::registry) fn is_cel_identifier(name: &str) -> bool {
    !RESERVED.contains(&name)
        && !name.starts_with(|first: char| first.is_ascii_digit())
        && name.bytes().all(|byte| byte == b'_' || byte.is_ascii_alphanumeric())
}

/// `validateParamKind`
pub(in crate::registry) fn validate_param_kind(errors: &mut Errors, kind: &Node) {
    let path = kind.at("apiVersion");
    let api_version = kind.text("apiVersion");
    let parts = match api_version.matches('/').count() {
        _ if api_version == "/" => Some(("", "")),
        0 => Some(("", api_version)),
        1 => api_version.split_once('/'),
        _ => None,
    };
    match parts {
        _ if api_version.is_empty() => errors.required(&path, ""),
        None => {
            let detail = format!("unexpected GroupVersion string: {api_version}");
            errors.invalid(&path, api_version, detail);
        }
        Some((group, version)) => {
            let messages = names::is_dns1123_subdomain(group);
            if !group.is_empty() && !messages.is_empty() {
                errors.invalid(&path, group, messages.join(","));
            }
            let messages = names::is_dns1035_label(version);
            if version.is_empty() {
                errors.invalid(&path, api_version, "version must be specified");
            } else if !messages.is_empty() {
                errors.invalid(&path, version, messages.join(","));
            }
        }
    }
    if errors.require_text(kind, "kind") {
        let messages = names::is_dns1035_label(&kind.text("kind").to_lowercase());
        if !messages.is_empty() {
            let detail = format!("may have mixed case, but should otherwise match: {}", messages.join(","));
            errors.invalid(&kind.at("kind"), kind.text("kind"), detail);
        }
    }
}

/// `validateValidation`
pub(in crate::registry) fn validate_validation(errors: &mut Errors, validation: &Node, compiler: &Compiler) {
    let (path, expression) = (validation.at("expression"), validation.text("expression"));
    if expression.trim().is_empty() {
        errors.required(&path, "expression is not specified");
    } else {
        compiler.require(errors, &path, (expression, expression), Use::Condition);
    }
    let is_blank =
        |field: &str| !validation.text(field).is_empty() && validation.text(field).trim().is_empty();
    let (path, text) = (validation.at("messageExpression"), validation.text("messageExpression"));
    if is_blank("messageExpression") {
        errors.invalid(&path, text, "must be non-empty if specified");
    } else if !text.is_empty() {
        compiler.require(errors, &path, (text, text), Use::Message);
    }
    let message = validation.text("message");
    if is_blank("message") {
        errors.invalid(&validation.at("message"), message, "must be non-empty if specified");
    } else if message.trim().contains(['\n', '\r']) {
        errors.invalid(&validation.at("message"), message, "must not contain line breaks");
    }
    errors.optional_one_of(validation, "reason", &["Forbidden", "Invalid", "RequestEntityTooLarge"]);
}

pub(in crate::registry) fn validate_audit_annotations(
    errors: &mut Errors,
    spec: &Node,
    policy: &str,
    compiler: &Compiler,
) {
    if spec.len("auditAnnotations") > MAX_AUDIT_ANNOTATIONS {
        let annotations = spec.list("auditAnnotations").iter();
        let printed: Vec<String> = annotations
            .map(|annotation| internal(annotation, "admissionregistration/v1.AuditAnnotation"))
            .collect();
        let detail = format!("must not have more than {MAX_AUDIT_ANNOTATIONS} auditAnnotations");
        errors.invalid_printed(&spec.at("auditAnnotations"), format!("[{}]", printed.join(",")), detail);
    }
    let mut seen = Vec::new();
    for annotation in spec.items("auditAnnotations") {
        let key = annotation.text("key");
        if policy.is_empty() {
            errors.invalid(&annotation.at("key"), key, "requires metadata.name be non-empty");
        } else {
            let name = format!("{policy}/{key}");
            errors.each(|| annotation.at("key"), &name, names::is_qualified_name(&name));
        }
        let path = || annotation.at("valueExpression");
        let (shown, expression) =
            (annotation.text("valueExpression"), annotation.text("valueExpression").trim());
        match expression.len() {
            0 => errors.required(&path(), "valueExpression is not specified"),
            length if length > MAX_VALUE_EXPRESSION => {
                errors.required(&path(), format!("must not exceed {MAX_VALUE_EXPRESSION} bytes in length"));
            }
            _ => compiler.require(errors, &path(), (expression, shown), Use::AuditAnnotation),
        }
        if seen.contains(&key) {
            errors.duplicate(&annotation.at("key"), key);
        }
        seen.push(key);
    }
}

/// It is only possible to mutate what is created, updated or connected to; upstream does not say which rule is wrong.
pub(in crate::registry) fn validate_mutating_operations(errors: &mut Errors, resources: &Node) {
    for rule in resources.items("resourceRules") {
        for operation in rule.texts("operations").filter(|operation| !MUTATING_OPERATIONS.contains(operation))
        {
            let path = resources.below(&["resourceRules", "operations"]);
            errors.not_supported(&path, operation, &MUTATING_OPERATIONS);
        }
    }
}

/// `ValidateMutatingAdmissionPolicy`, and `ValidateMutatingAdmissionPolicyUpdate` where there is an old one.
pub(in crate::registry) fn validate_mutating_policy(
    errors: &mut Errors,
    object: &Node,
    old: Option<&Node>,
    features: &FeatureGates,
) {
    validate_registration_meta(errors, object);
    let spec = object.child("spec");
    let compiler = validate_policy_head(errors, &spec, old, true);
    if spec.len("mutations") == 0 {
        errors.required(&spec.at("mutations"), "mutations must contain at least one item");
    }
    for mutation in spec.items("mutations") {
        validate_mutation(errors, &mutation, &compiler);
    }
    errors.require_one_of(&spec, "reinvocationPolicy", &["IfNeeded", "Never"]);
    if old.is_none() {
        validate_static_suffix(errors, object, features);
    }
}

/// `validateMutation`
pub(in crate::registry) fn validate_mutation(errors: &mut Errors, mutation: &Node, compiler: &Compiler) {
    let kind = mutation.text("patchType");
    let (own, other, of) = match kind {
        "JSONPatch" => ("jsonPatch", "applyConfiguration", Use::JsonPatch),
        "ApplyConfiguration" => ("applyConfiguration", "jsonPatch", Use::ApplyConfiguration),
        _ => {
            return errors.require_one_of(mutation, "patchType", &["ApplyConfiguration", "JSONPatch"]);
        }
    };
    match mutation.get(own) {
        None => errors.required(&mutation.at(own), format!("must be specified when patchType is {kind}")),
        Some(patch) => require_expression(errors, &patch, "", compiler, of),
    }
    if mutation.has(other) {
        let detail = format!("must not be specified when patchType is {kind}");
        errors.invalid(&mutation.at(other), &format!("{{{other}}}"), detail);
    }
}

/// `ValidateValidatingAdmissionPolicyBinding`, of creations and updates.
pub(in crate::registry) fn validate_validating_binding(
    errors: &mut Errors,
    object: &Node,
    old: Option<&Node>,
    features: &FeatureGates,
) {
    const ACTIONS: [&str; 3] = ["Audit", "Deny", "Warn"];
    let spec = validate_binding_head(errors, object);
    let actions: Vec<&str> = spec.texts("validationActions").collect();
    let path = || spec.at("validationActions");
    for (index, action) in actions.iter().enumerate() {
        if !ACTIONS.contains(action) {
            errors.not_supported(&path().index(index), action, &ACTIONS);
        }
        if actions[..index].contains(action) {
            errors.duplicate(&path().index(index), action);
        }
    }
    if actions.contains(&"Deny") && actions.contains(&"Warn") {
        let detail = "must not contain both Deny and Warn (repeating the same validation failure information in the API \
                      response and headers serves no purpose)";
        errors.invalid_value(&path(), spec.raw("validationActions"), detail);
    }
    if actions.is_empty() {
        errors.required(&path(), "at least one validation action is required");
    }
    if old.is_none() {
        validate_static_suffix(errors, object, features);
    }
}

/// `ValidateMutatingAdmissionPolicyBinding`, of creations and updates.
pub(in crate::registry) fn validate_mutating_binding(
    errors: &mut Errors,
    object: &Node,
    old: Option<&Node>,
    features: &FeatureGates,
) {
    let spec = validate_binding_head(errors, object);
    if let Some(resources) = spec.get("matchResources") {
        validate_mutating_operations(errors, &resources);
    }
    if old.is_none() {
        validate_static_suffix(errors, object, features);
    }
}

/// What both kinds of bindings have.
pub(in crate::registry) fn validate_binding_head<'a>(errors: &mut Errors, object: &Node<'a>) -> Node<'a> {
    validate_registration_meta(errors, object);
    let spec = object.child("spec");
    if errors.require_text(&spec, "policyName") {
        errors.each_of(&spec, "policyName", name_is_dns_subdomain(spec.text("policyName"), false));
    }
    if let Some(reference) = spec.get("paramRef") {
        validate_param_ref(errors, &reference);
    }
    if let Some(resources) = spec.get("matchResources") {
        validate_match_resources(errors, &resources);
    }
    spec
}

/// `validateParamRef`
pub(in crate::registry) fn validate_param_ref(errors: &mut Errors, reference: &Node) {
    const EXCLUSIVE: &str = "name and selector are mutually exclusive";
    let (name, selects) = (reference.text("name"), reference.has("selector"));
    if !name.is_empty() {
        errors.each_of(reference, "name", names::is_path_segment_name(name));
        if selects {
            errors.forbidden(&reference.at("name"), EXCLUSIVE);
        }
    }
    validate_label_selector(errors, reference, "selector", false);
    if selects && !name.is_empty() {
        errors.forbidden(&reference.at("selector"), EXCLUSIVE);
    }
    if !selects && name.is_empty() {
        errors.required(&reference.here(), "one of name or selector must be specified");
    }
    errors.require_one_of(reference, "parameterNotFoundAction", &["Deny", "Allow"]);
}

/// `ValidateValidatingAdmissionPolicyStatusUpdate`, without reading paths of fields.
pub(in crate::registry) fn validate_policy_status(errors: &mut Errors, object: &Node) {
    for warning in object.child("status").child("typeChecking").items("expressionWarnings") {
        errors.require_text(&warning, "warning");
        if warning.text("fieldRef").trim().is_empty() {
            errors.required(&warning.at("fieldRef"), "");
        }
    }
    validate_conditions(errors, object);
}
