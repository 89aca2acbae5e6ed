//! Annotations of nodes, which predate fields.
//!
//! Source: `ValidateNodeSpecificAnnotations`.

use gotext::encoding_json;
use gotext::source::Node as Document;
use kube_api::{Value, decode};

use crate::validation::node::{Errors, Node};
use crate::validation::pod::annotations::{InternalField, unmarshal_internal};

const TAINTS: &str = "scheduler.alpha.kubernetes.io/taints";
const AVOID_PODS: &str = "scheduler.alpha.kubernetes.io/preferAvoidPods";

/// Implements `ValidateNodeSpecificAnnotations`.
pub(super) fn validate_node_annotations(errors: &mut Errors, object: &Node) {
    let metadata = object.child("metadata");
    let annotation = |key: &str| metadata.raw("annotations").get(key).and_then(Value::as_str);
    if let Some(text) = annotation(TAINTS).filter(|text| !text.is_empty()) {
        validate_taints_annotation(errors, &metadata, text);
    }
    if let Some(text) = annotation(AVOID_PODS).filter(|text| !text.is_empty()) {
        validate_avoided_pods(errors, &metadata, text);
    }
}

/// Implements `ValidateTaintsInNodeAnnotations`.
fn validate_taints_annotation(errors: &mut Errors, metadata: &Node, text: &str) {
    const FIELDS: [InternalField; 4] = [
        ("key", "Key", "string"),
        ("value", "Value", "string"),
        ("effect", "Effect", "core.TaintEffect"),
        ("timeAdded", "TimeAdded", "string"),
    ];
    let read = encoding_json::from_slice(text.as_bytes());
    match read.and_then(|value| unmarshal_internal(&value, "Taint", &FIELDS)) {
        Err(error) => errors.invalid(&metadata.at("annotations"), TAINTS, error),
        Ok(taints) => {
            let path = metadata.at("annotations").child(TAINTS);
            let taints = taints.iter().enumerate();
            super::validate_taints(errors, taints.map(|(index, taint)| Node::new(path.index(index), taint)));
        }
    }
}

/// Implements `ValidateAvoidPodsInNodeAnnotations`.
fn validate_avoided_pods(errors: &mut Errors, metadata: &Node, text: &str) {
    let path = metadata.at("annotations");
    let read = encoding_json::from_slice(text.as_bytes());
    let avoided = match read.and_then(|value| decode::typed(Document::from(value), "core/v1.AvoidPods")) {
        Ok(avoided) => avoided,
        Err(error) => return errors.invalid(&path.child("AvoidPods"), AVOID_PODS, error),
    };
    for (index, entry) in Node::root(&avoided).items("preferAvoidPods").enumerate() {
        let path = path.child(AVOID_PODS).index(index).child("PodSignature");
        match entry.child("podSignature").get("podController") {
            None => errors.required(&path, ""),
            Some(controller) if !controller.flag("controller") => {
                let path = path.child("PodController").child("Controller");
                errors.invalid_value(&path, &Value::from(false), "must point to a controller");
            }
            Some(_) => {}
        }
    }
}
