//! The kinds of the group apps.

pub(super) mod controller_revision;
pub(super) mod daemon_set;
pub(super) mod deployment;
pub(super) mod replica_set;
pub(super) mod stateful_set;

use crate::gated::{Fields, fields};
use kube_api::features::Feature;

const TERMINATING_REPLICAS: &[Fields] =
    &[fields(&[Feature::DeploymentReplicaSetTerminatingReplicas], &["status/terminatingReplicas"])];
