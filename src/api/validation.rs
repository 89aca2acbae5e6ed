//! API validation: what the server checks between the two phases of admission, and answers with 422.
//!
//! An object comes here decoded, defaulted and prepared, so its types can be trusted. Errors are the server's, in its
//! order; where Go walks a map in no order, the keys are in theirs. CEL expressions are not compiled here.
//!
//! Source: `k8s.io/kubernetes/pkg/apis/*/validation`, `k8s.io/kubernetes/pkg/registry/*/*/strategy.go`.

mod address;
mod claim;
mod custom;
mod equal;
mod metadata;
mod node;
mod pod;
mod resources;
mod selector;
mod workload;

pub(super) use custom::{
    parse_cidr_sloppy, parse_ip_sloppy, validate_custom_metadata, validate_custom_metadata_update,
    validate_embedded_metadata,
};

use node::{Errors, Node};

use crate::api::features::FeatureGates;
use crate::api::{Object, field};

/// What is wrong with an object that is to be created.
pub fn validate_create(object: &Object, features: &FeatureGates) -> Vec<field::Error> {
    let mut errors = Errors::default();
    let node = &Node::root(&object.value);
    let errors_of = &mut errors;
    match (&*object.kind.group, &*object.kind.kind) {
        ("", "Pod") => pod::validate_pod_create(errors_of, node, features),
        ("", "PersistentVolumeClaim") => {
            claim::validate_persistent_volume_claim(errors_of, node, &claim::ClaimOptions::default());
        }
        ("", "ReplicationController") => {
            workload::validate_replication_controller(errors_of, node, None, features)
        }
        ("apps", "Deployment") => workload::validate_deployment(errors_of, node, None, features),
        ("apps", "ReplicaSet") => workload::validate_replica_set(errors_of, node, None, features),
        ("apps", "StatefulSet") => workload::validate_stateful_set(errors_of, node, None, features),
        ("apps", "DaemonSet") => workload::validate_daemon_set(errors_of, node, None, features),
        ("apps", "ControllerRevision") => workload::validate_controller_revision(errors_of, node, None),
        _ => {}
    }
    errors.0
}

/// What is wrong with `object` as a replacement of `_old`.
pub fn validate_update(_: &Object, _: &Object, _: &str, _: &FeatureGates) -> Vec<field::Error> {
    Vec::new()
}
