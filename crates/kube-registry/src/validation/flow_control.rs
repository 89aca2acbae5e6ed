//! API priority and fairness.
//!
//! Source: `k8s.io/kubernetes/pkg/apis/flowcontrol/validation`.

use crate::validation::node::{Errors, Node};

/// Implements `ValidateFlowSchemaStatus`, `ValidatePriorityLevelConfigurationStatus`.
pub(crate) fn validate_flow_control_status(errors: &mut Errors, object: &Node) {
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
