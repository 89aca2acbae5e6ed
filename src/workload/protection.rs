//! Claims and volumes that are deleted and not in use lose the finalizer that protects them.
//!
//! Source: `k8s.io/kubernetes/pkg/controller/volume/{pvcprotection,pvprotection}`

use crate::cluster::Cluster;
use crate::workload::owned::is_leaving;
use kube_api::resources::PODS;
use kube_api::{Object, Value};

const FINALIZERS: [&str; 2] = ["metadata", "finalizers"];

/// Returns `object` without the protection that it no longer needs, if it is to be deleted.
pub fn unprotected(cluster: &Cluster, object: &Object) -> Option<Object> {
    let (protection, is_used) = match &*object.kind.kind {
        "PersistentVolumeClaim" => ("kubernetes.io/pvc-protection", is_claimed(cluster, object)),
        "PersistentVolume" => ("kubernetes.io/pv-protection", object.text(["status", "phase"]) == "Bound"),
        _ => return None,
    };
    let finalizers = object.list(FINALIZERS);
    if is_used || !object.has(["metadata", "deletionTimestamp"]) || !finalizers.contains(&protection.into()) {
        return None;
    }
    let rest: Vec<Value> =
        finalizers.iter().filter(|finalizer| **finalizer != *protection).cloned().collect();
    let mut released = object.clone();
    if rest.is_empty() {
        released.remove(FINALIZERS);
    } else {
        released.set(FINALIZERS, rest);
    }
    Some(released)
}

/// Whether a Pod that has not ended uses the claim.
fn is_claimed(cluster: &Cluster, claim: &Object) -> bool {
    let uses = |pod: &Object| {
        let mut volumes = pod.items(["spec", "volumes"]);
        !is_leaving(pod)
            && volumes.any(|volume| volume.text(["persistentVolumeClaim", "claimName"]) == claim.name())
    };
    cluster.list(&PODS, claim.namespace()).iter().any(|pod| uses(pod))
}
