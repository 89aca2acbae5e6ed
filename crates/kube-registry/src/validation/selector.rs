//! Label selectors, and whether they match the labels of a template.
//!
//! Source: `k8s.io/apimachinery/pkg/apis/meta/v1/validation`.

use crate::validation::metadata::{validate_label_name, validate_labels};
use crate::validation::node::{Errors, Node};
use gotext::names;

/// The type of selectors, for messages that show one.
pub(crate) const LABEL_SELECTOR: &str = "meta/v1.LabelSelector";

/// Implements `ValidateLabelSelector`: `name` is a label selector behind a pointer.
pub(crate) fn validate_label_selector(
    errors: &mut Errors,
    node: &Node,
    name: &'static str,
    invalid_values: bool,
) {
    if let Some(selector) = node.get(name) {
        validate_selector(errors, &selector, invalid_values);
    }
}

/// Validates `selector`, which is a label selector itself.
pub(crate) fn validate_selector(errors: &mut Errors, selector: &Node, invalid_values: bool) {
    validate_labels(errors, selector, "matchLabels");
    for requirement in selector.items("matchExpressions") {
        validate_label_selector_requirement(errors, &requirement, invalid_values);
    }
}

/// Implements `ValidateLabelSelectorRequirement`.
fn validate_label_selector_requirement(errors: &mut Errors, requirement: &Node, invalid_values: bool) {
    let values = requirement.len("values");
    match requirement.text("operator") {
        "In" | "NotIn" if values == 0 => {
            errors
                .required(&requirement.at("values"), "must be specified when `operator` is 'In' or 'NotIn'");
        }
        "Exists" | "DoesNotExist" if values > 0 => {
            let detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
            errors.forbidden(&requirement.at("values"), detail);
        }
        "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
        operator => errors.invalid(&requirement.at("operator"), operator, "not a valid selector operator"),
    }
    validate_label_name(errors, requirement, "key");
    if !invalid_values && errors.since(26) {
        for (index, value) in requirement.texts("values").enumerate() {
            errors.each(|| requirement.at("values").index(index), value, names::is_valid_label_value(value));
        }
    }
}

/// Whether a stored selector breaks the rules, so that an update may keep doing so.
pub(crate) fn has_invalid_label_selector(node: &Node, name: &'static str) -> bool {
    let mut errors = Errors::default();
    validate_label_selector(&mut errors, node, name, false);
    !errors.is_empty()
}
