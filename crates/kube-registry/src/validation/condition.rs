//! Conditions in the status of newer kinds.
//!
//! Source: `k8s.io/apimachinery/pkg/apis/meta/v1/validation`.

use crate::validation::metadata::validate_label_name;
use crate::validation::node::{Errors, Node};
use kube_api::Value;
use kube_api::field::Rule;

/// The values of `status`.
pub(crate) const STATUSES: &[&str] = &["False", "True", "Unknown"];

const MAX_REASON: usize = 1024;
const MAX_MESSAGE: usize = 32 * 1024;

/// Implements `ValidateConditions` of `status.conditions`.
pub(crate) fn validate_conditions(errors: &mut Errors, object: &Node) {
    validate_conditions_of(errors, &object.child("status"));
}

/// Implements `ValidateConditions` of the `conditions` of `status`.
pub(crate) fn validate_conditions_of(errors: &mut Errors, status: &Node) {
    let mut seen = Vec::new();
    for condition in status.items("conditions") {
        let kind = condition.text("type");
        if seen.contains(&kind) {
            errors.by(Rule::RepeatedCondition, |errors| errors.duplicate(&condition.here(), kind));
        }
        seen.push(kind);
        validate_condition(errors, &condition);
    }
}

/// Implements `ValidateCondition`.
fn validate_condition(errors: &mut Errors, condition: &Node) {
    if condition.text("type").is_empty() {
        errors.by(Rule::TypeOfCondition, |errors| errors.required(&condition.at("type"), "is required"));
    } else {
        validate_label_name(errors, condition, "type");
    }
    if condition.text("status").is_empty() {
        errors.by(Rule::StatusOfCondition, |errors| errors.required(&condition.at("status"), ""));
    } else {
        errors.one_of(condition, "status", STATUSES);
    }
    let generation = condition.int("observedGeneration");
    if generation < 0 {
        let detail = "must be greater than or equal to zero";
        errors.invalid_int(&condition.at("observedGeneration"), generation, detail);
    }
    if !condition.has("lastTransitionTime") {
        errors.required(&condition.at("lastTransitionTime"), "");
    }
    let reason = condition.text("reason");
    if errors.require_text(condition, "reason") {
        if !is_reason(reason) {
            let detail = "a condition reason must start with alphabetic character, optionally followed by a string of \
                          alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. \
                          'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex \
                          used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')";
            errors.invalid(&condition.at("reason"), reason, detail);
        }
        if reason.len() > MAX_REASON {
            errors.too_long(&condition.at("reason"), MAX_REASON);
        }
    }
    if condition.text("message").len() > MAX_MESSAGE {
        errors.too_long(&condition.at("message"), MAX_MESSAGE);
    }
}

fn is_reason(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.chars().all(|character| character.is_ascii_alphanumeric() || "_,:".contains(character))
        && !text.ends_with([',', ':'])
}

/// Whether the condition `kind` is true.
pub(crate) fn is_true(object: &Node, kind: &str) -> bool {
    let conditions = object.child("status").list("conditions");
    let found = conditions.iter().find(|condition: &&Value| condition["type"] == kind);
    found.is_some_and(|condition| condition["status"] == "True")
}
