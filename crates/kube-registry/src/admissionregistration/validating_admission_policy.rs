//! Policies that refuse objects.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/admissionregistration`.

use crate::admissionregistration::json_path;
use crate::defaults;
use crate::preparation::keep_spec_and_metadata;
use crate::strategy::{ObjectStatus, Strategy, SubResource};
use crate::validation::admission_policy::validate_policy_head;
use crate::validation::condition::validate_conditions;
use crate::validation::expression::{Compiler, Use};
use crate::validation::node::{Errors, Node};
use crate::validation::webhook::{validate_registration_meta, validate_static_suffix};
use crate::warnings::static_suffix;
use gotext::names;
use kube_api::internal_json;
use kube_api::server_profile::ServerProfile;

/// The strategy of `ValidatingAdmissionPolicy`.
pub(crate) static STRATEGY: Strategy = Strategy {
    allow_unconditional_update: false,
    defaults: Some(|object, _, _| defaults::admission_registration::policy(object)),
    status: ObjectStatus::Controllers,
    validate: Some(|errors, object, old, context| {
        validate_validating_policy(errors, object, old, context.profile);
    }),
    warnings: Some(static_suffix),
    sub_resources: &[SubResource {
        prepare_for_update: Some(keep_spec_and_metadata),
        validate_update: Some(|errors, object, _, _| {
            validate_policy_status(errors, object);
        }),
        warnings: Some(|object, warnings| static_suffix(object, Some(object), warnings)),
        ..SubResource::new("status")
    }],
    ..Strategy::new("admissionregistration.k8s.io", "ValidatingAdmissionPolicy")
};

const MAX_AUDIT_ANNOTATIONS: usize = 20;

const MAX_VALUE_EXPRESSION: usize = 5 * 1024;

/// Runs `ValidateValidatingAdmissionPolicy`, and `ValidateValidatingAdmissionPolicyUpdate` if there is an old object.
fn validate_validating_policy(
    errors: &mut Errors,
    object: &Node,
    old: Option<&Node>,
    profile: &ServerProfile,
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
        validate_static_suffix(errors, object, profile);
    }
}

/// Implements `validateValidation`.
fn validate_validation(errors: &mut Errors, validation: &Node, compiler: &Compiler) {
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

fn validate_audit_annotations(errors: &mut Errors, spec: &Node, policy: &str, compiler: &Compiler) {
    if spec.len("auditAnnotations") > MAX_AUDIT_ANNOTATIONS {
        let annotations = spec.list("auditAnnotations").iter();
        let printed: Vec<String> = annotations
            .map(|annotation| internal_json::internal("admissionregistration/v1.AuditAnnotation", annotation))
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

/// Implements `ValidateValidatingAdmissionPolicyStatusUpdate`.
fn validate_policy_status(errors: &mut Errors, object: &Node) {
    for warning in object.child("status").child("typeChecking").items("expressionWarnings") {
        errors.require_text(&warning, "warning");
        let path = warning.text("fieldRef").trim();
        if path.is_empty() {
            errors.required(&warning.at("fieldRef"), "");
        } else if let Err(error) = json_path::check(path) {
            errors.invalid(&warning.at("fieldRef"), path, format!("invalid JSONPath: {error}"));
        }
    }
    validate_conditions(errors, object);
}
