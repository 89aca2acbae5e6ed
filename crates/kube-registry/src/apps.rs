//! The kinds of the group apps.

pub(super) mod controller_revision;
pub(super) mod daemon_set;
pub(super) mod deployment;
pub(super) mod replica_set;
pub(super) mod stateful_set;

use crate::gated::{Fields, fields};
use kube_api::features::Feature;
use kube_api::{Map, Value};

const TERMINATING_REPLICAS: &[Fields] =
    &[fields(&[Feature::DeploymentReplicaSetTerminatingReplicas], &["status/terminatingReplicas"])];

/// Returns the annotation that has a number for which only the first versions, `v1beta1`, have a field.
fn number_in_annotation<'a>(object: &'a Map, version: &str, name: &str) -> Option<&'a str> {
    let annotations = object.child(["metadata", "annotations"]).filter(|_| version != "v1beta1")?;
    annotations.get(name).and_then(Value::as_str)
}
