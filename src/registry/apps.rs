//! The kinds of the group apps.

pub(super) mod controller_revision;
pub(super) mod daemon_set;
pub(super) mod deployment;
pub(super) mod replica_set;
pub(super) mod stateful_set;

use crate::api::features::Feature;
use crate::registry::gated::{Fields, fields};

const TERMINATING_REPLICAS: &[Fields] =
    &[fields(&[Feature::DeploymentReplicaSetTerminatingReplicas], &["status/terminatingReplicas"])];
