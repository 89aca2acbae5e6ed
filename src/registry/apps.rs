//! The kinds of the group apps.

pub(super) mod controller_revision;
pub(super) mod daemon_set;
pub(super) mod deployment;
pub(super) mod replica_set;
pub(super) mod stateful_set;

use crate::registry::gated::{Fields, fields};

const TERMINATING_REPLICAS: &[Fields] =
    &[fields(&["DeploymentReplicaSetTerminatingReplicas"], &["status/terminatingReplicas"])];
