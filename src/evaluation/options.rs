//! Validation of the options of a request.
//!
//! Source: `k8s.io/apimachinery/pkg/apis/meta/v1/validation`.

use kube_api::Value;
use kube_api::decode::FieldValidation;
use kube_api::field::{Error, Path};

const MAX_FIELD_MANAGER: usize = 128;

/// Implements `ValidateCreateOptions` and `ValidateUpdateOptions`.
pub(crate) fn validate_write_options(options: &Value) -> Vec<Error> {
    let mut errors = Vec::new();
    if let Some(manager) = options.get("fieldManager").and_then(Value::as_str) {
        validate_field_manager(&mut errors, manager);
    }
    validate_dry_run(&mut errors, options);
    if let Some(directive) = options.get("fieldValidation")
        && directive.as_str().is_none_or(|name| FieldValidation::parse(name).is_none())
    {
        let supported = ["", "Ignore", "Strict", "Warn"];
        errors.push(Error::not_supported(&Path::new("fieldValidation"), directive, &supported));
    }
    errors
}

/// Implements `ValidateDeleteOptions`. A server that does not delete unreadable objects ignores the option for them.
pub(crate) fn validate_delete_options(options: &Value, deletes_unreadable: bool) -> Vec<Error> {
    let mut errors = Vec::new();
    let path = Path::new("propagationPolicy");
    if let Some(policy) = options.get("propagationPolicy").and_then(Value::as_str) {
        if options.get("orphanDependents").is_some_and(|orphan| !orphan.is_null()) {
            let detail = "orphanDependents and deletionPropagation cannot be both set";
            errors.push(Error::invalid_text(&path, policy, detail));
        }
        if !["Foreground", "Background", "Orphan"].contains(&policy) {
            let supported = ["Foreground", "Background", "Orphan", "nil"];
            errors.push(Error::not_supported(&path, &Value::from(policy), &supported));
        }
    }
    validate_dry_run(&mut errors, options);
    if deletes_unreadable && options.flag(IGNORE_READ_ERROR) {
        let others =
            ["dryRun", "propagationPolicy", "orphanDependents", "gracePeriodSeconds", "preconditions"];
        let is_given = |name: &str| {
            options.at(name).is_some_and(|value| value.as_array().is_none_or(|items| !items.is_empty()))
        };
        for other in others.into_iter().filter(|name| is_given(name)) {
            errors.push(ignoring_read_error(&format!("cannot be set together with .{other}")));
        }
    }
    errors
}

/// The option that deletes an object which cannot be read.
pub(super) const IGNORE_READ_ERROR: &str = "ignoreStoreReadErrorWithClusterBreakingPotential";

/// Returns an error about that option.
pub(super) fn ignoring_read_error(detail: &str) -> Error {
    Error::invalid(&Path::new(IGNORE_READ_ERROR), &Value::Bool(true), detail)
}

/// Implements `ValidateFieldManager`.
fn validate_field_manager(errors: &mut Vec<Error>, manager: &str) {
    let path = Path::new("fieldManager");
    if manager.len() > MAX_FIELD_MANAGER {
        errors.push(Error::too_long(&path, MAX_FIELD_MANAGER));
    }
    for (position, character) in manager.char_indices() {
        if character.is_control() || character != ' ' && character.is_whitespace() {
            let detail = format!("invalid character U+{:04X} (at position {position})", u32::from(character));
            errors.push(Error::invalid_text(&path, manager, detail));
        }
    }
}

/// Implements `ValidateDryRun`.
fn validate_dry_run(errors: &mut Vec<Error>, options: &Value) {
    let Some(dry_run) = options.get("dryRun") else { return };
    if dry_run.as_array().is_some_and(|values| values.iter().any(|value| *value != "All")) {
        errors.push(Error::not_supported(&Path::new("dryRun"), dry_run, &["All"]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::json;

    fn texts(errors: &[Error]) -> Vec<String> {
        errors.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn rejects_options_that_no_client_sends() {
        let options =
            json!({"fieldManager": "a\u{1}", "dryRun": ["All", "Some"], "fieldValidation": "Maybe"});
        assert_eq!(
            texts(&validate_write_options(&options)),
            [
                "fieldManager: Invalid value: \"a\\x01\": invalid character U+0001 (at position 1)",
                "dryRun: Unsupported value: [\"All\",\"Some\"]: supported values: \"All\"",
                "fieldValidation: Unsupported value: \"Maybe\": supported values: \"\", \"Ignore\", \"Strict\", \"Warn\"",
            ]
        );
        assert_eq!(
            texts(&validate_write_options(&json!({"fieldManager": "x".repeat(129)}))),
            ["fieldManager: Too long: may not be more than 128 bytes"]
        );
        let options = json!({"fieldManager": "kubectl", "dryRun": ["All"], "fieldValidation": "Strict"});
        assert!(validate_write_options(&options).is_empty());
    }

    #[test]
    fn rejects_deletions_that_say_two_things() {
        assert_eq!(
            texts(&validate_delete_options(
                &json!({"propagationPolicy": "Maybe", "orphanDependents": true}),
                true
            )),
            [
                "propagationPolicy: Invalid value: \"Maybe\": orphanDependents and deletionPropagation cannot be both set",
                "propagationPolicy: Unsupported value: \"Maybe\": supported values: \"Foreground\", \"Background\", \
                 \"Orphan\", \"nil\"",
            ]
        );
        assert!(validate_delete_options(&json!({"propagationPolicy": "Orphan"}), true).is_empty());
        let ignoring = json!({"dryRun": ["All"], "gracePeriodSeconds": 0, IGNORE_READ_ERROR: true});
        assert_eq!(
            texts(&validate_delete_options(&ignoring, true)),
            ["dryRun", "gracePeriodSeconds"].map(|other| format!(
                "{IGNORE_READ_ERROR}: Invalid value: true: cannot be set together with .{other}"
            ))
        );
        assert!(validate_delete_options(&ignoring, false).is_empty());
    }
}
