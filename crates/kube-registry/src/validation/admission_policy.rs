//! Admission policies and their bindings.
//!
//! Source: `k8s.io/kubernetes/pkg/apis/admissionregistration/validation`.

use crate::validation::equal::plainly_equal;
use crate::validation::expression::Compiler;
use crate::validation::metadata::name_is_dns_subdomain;
use crate::validation::node::{Errors, Node};
use crate::validation::selector::validate_label_selector;
use crate::validation::webhook::{
    validate_failure_policy, validate_match_conditions, validate_match_resources, validate_registration_meta,
};
use gotext::names;

/// The operations that a policy may mutate; it does not see deletions.
const MUTATING_OPERATIONS: [&str; 4] = ["*", "CONNECT", "CREATE", "UPDATE"];

pub(crate) const RESERVED: [&str; 21] = [
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

/// Validates the parts that both kinds of policies begin with, down to their variables, which later expressions may
/// use.
pub(crate) fn validate_policy_head(
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
    // Unchanged conditions are not checked.
    let changes =
        |field: &str| old.is_none_or(|old| !plainly_equal(spec.raw(field), old.child("spec").raw(field)));
    if changes("paramKind") || changes("matchConditions") {
        validate_match_conditions(errors, spec, has_params);
    }
    let has_variables = mutating || spec.len("variables") > 0;
    let mut compiler =
        if has_variables { Compiler::with_variables(has_params) } else { Compiler::new(has_params) };
    compiler = compiler.of_release(errors.release());
    for variable in spec.items("variables") {
        let name = variable.text("name");
        if name.trim().is_empty() {
            errors.required(&variable.at("name"), "name is not specified");
        } else if !is_cel_identifier(name) {
            let verb = if errors.since(34) { "must be" } else { "name is not" };
            errors.invalid(&variable.at("name"), name, format!("{verb} a valid CEL identifier"));
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

/// Implements `isCELIdentifier`.
fn is_cel_identifier(name: &str) -> bool {
    !RESERVED.contains(&name)
        && !name.starts_with(|first: char| first.is_ascii_digit())
        && name.bytes().all(|byte| byte == b'_' || byte.is_ascii_alphanumeric())
}

/// Implements `validateParamKind`.
fn validate_param_kind(errors: &mut Errors, kind: &Node) {
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

/// Checks that only mutable operations are matched: creations, updates and connections; upstream does not name the
/// faulty rule.
pub(crate) fn validate_mutating_operations(errors: &mut Errors, resources: &Node) {
    for rule in resources.items("resourceRules") {
        for operation in rule.texts("operations").filter(|operation| !MUTATING_OPERATIONS.contains(operation))
        {
            let path = resources.below(&["resourceRules", "operations"]);
            errors.not_supported(&path, operation, &MUTATING_OPERATIONS);
        }
    }
}

/// Validates the parts that both kinds of bindings have.
pub(crate) fn validate_binding_head<'a>(errors: &mut Errors, object: &Node<'a>) -> Node<'a> {
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

/// Implements `validateParamRef`.
fn validate_param_ref(errors: &mut Errors, reference: &Node) {
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
