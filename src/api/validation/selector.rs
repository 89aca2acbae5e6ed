//! Label selectors, and whether they match the labels of a template.
//!
//! Source: `k8s.io/apimachinery/pkg/apis/meta/v1/validation`.

use super::metadata::{validate_label_name, validate_labels};
use super::node::{Errors, Node};
use crate::api::{Value, names};

/// `ValidateLabelSelector`: `name` is a label selector behind a pointer.
pub(super) fn validate_label_selector(
    errors: &mut Errors,
    node: &Node,
    name: &'static str,
    invalid_values: bool,
) {
    let Some(selector) = node.get(name) else { return };
    validate_labels(errors, &selector, "matchLabels");
    for requirement in selector.items("matchExpressions") {
        validate_label_selector_requirement(errors, &requirement, invalid_values);
    }
}

/// `ValidateLabelSelectorRequirement`
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
    if !invalid_values {
        for (index, value) in requirement.texts("values").enumerate() {
            errors.each(|| requirement.at("values").index(index), value, names::is_valid_label_value(value));
        }
    }
}

/// Whether a stored selector breaks the rules, so that an update may keep doing so.
pub(super) fn has_invalid_label_selector(node: &Node, name: &'static str) -> bool {
    let mut errors = Errors::default();
    validate_label_selector(&mut errors, node, name, false);
    !errors.is_empty()
}

/// A label selector as Go prints it: its fields in their order, empty ones left out.
pub(super) fn printed_label_selector(selector: &Value) -> String {
    if selector.is_null() {
        return "null".to_owned();
    }
    let selector = Node::root(selector);
    let mut parts = Vec::new();
    if selector.len("matchLabels") > 0 {
        parts.push(format!("\"matchLabels\":{}", selector.raw("matchLabels")));
    }
    if selector.len("matchExpressions") > 0 {
        let expressions: Vec<String> =
            selector.list("matchExpressions").iter().map(printed_requirement).collect();
        parts.push(format!("\"matchExpressions\":[{}]", expressions.join(",")));
    }
    format!("{{{}}}", parts.join(","))
}

fn printed_requirement(requirement: &Value) -> String {
    let requirement = Node::root(requirement);
    let key = Value::from(requirement.text("key"));
    let operator = Value::from(requirement.text("operator"));
    if requirement.len("values") > 0 {
        format!("{{\"key\":{key},\"operator\":{operator},\"values\":{}}}", requirement.raw("values"))
    } else {
        format!("{{\"key\":{key},\"operator\":{operator}}}")
    }
}
