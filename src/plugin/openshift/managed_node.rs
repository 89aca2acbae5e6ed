//! Refuses nodes in a cluster with workload partitioning that do not report the cores reserved for the cluster's own
//! pods, as those pods could not run there.
//!
//! # When it rejects
//!
//! - The cluster is partitioned and the node lacks `workload.openshift.io/cores` in its capacity or its allocatable
//!   resources.
//! - There is no Infrastructure `cluster`.
//!
//! # Cluster objects it reads
//!
//! The Infrastructure `cluster`.
//!
//! # Offline
//!
//! Nothing is assumed.
//!
//! # Since
//!
//! OpenShift 4.13, on by default.
//!
//! # Upstream
//!
//! `openshift/kubernetes/openshift-kube-apiserver/admission/autoscaling/managednode`

use std::sync::Arc;

use crate::admission::{Attributes, Handler, Recorder, Refusal, ValidationInterface};
use crate::cluster::Cluster;
use crate::plugin::PluginInitializer;
use crate::plugin::openshift::lookup;
use kube_api::Status;
use kube_api::field::{self, Path};

pub(super) fn new(initializer: &PluginInitializer) -> Handler {
    Handler::validating(ManagedNode { cluster: initializer.cluster.clone() })
}

struct ManagedNode {
    cluster: Arc<Cluster>,
}

impl ValidationInterface for ManagedNode {
    fn validate(&self, attributes: &Attributes, _: &mut Recorder) -> Result<(), Refusal> {
        if !attributes.is_for("", "nodes") {
            return Ok(());
        }
        let Some(node) = attributes.object.as_deref() else { return Ok(()) };
        let infrastructure = lookup::infrastructure(&self.cluster, attributes)?;
        if infrastructure.text(["status", "cpuPartitioning"]) != "AllNodes" {
            return Ok(());
        }
        let mut errors = Vec::new();
        for list in ["capacity", "allocatable"] {
            let resources = node.child(["status", list]);
            let has = resources.is_some_and(|found| found.keys().any(|name| name.contains(CORES)));
            if !has {
                errors.push(field::Error::required(
                    &Path::new("status").child(list).child(CORES),
                    "node does not contain resource information, this is required for clusters with workload partitioning \
                     enabled",
                ));
            }
        }
        if errors.is_empty() {
            return Ok(());
        }
        Err(Status::new_invalid(&attributes.kind, node.name(), &errors).into())
    }
}

const CORES: &str = "workload.openshift.io/cores";
