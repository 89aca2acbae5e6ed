//! Claims get the volumes that fit them.
//!
//! Deliberately absent: provisioning, whose result only a driver knows, and the volumes of claims that wait for a Pod.
//!
//! Source: `k8s.io/kubernetes/pkg/controller/volume/persistentvolume`

use std::sync::Arc;

use gotext::quantity::Quantity;
use gotext::value::json;

use crate::cluster::Cluster;
use kube_api::labels::Selector;
use kube_api::resources::{PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, STORAGE_CLASSES};
use kube_api::{GroupResource, Object, Value};

const PHASE: [&str; 2] = ["status", "phase"];
const CLAIM: [&str; 2] = ["spec", "claimRef"];
const BOUND_BY_CONTROLLER: [&str; 3] = ["metadata", "annotations", "pv.kubernetes.io/bound-by-controller"];
const BIND_COMPLETED: [&str; 3] = ["metadata", "annotations", "pv.kubernetes.io/bind-completed"];

/// Returns the volumes and claims that become others. `since` is the time of a change of the phase, which later releases
/// record.
pub fn bound(cluster: &Cluster, since: Option<&str>) -> Vec<(GroupResource, Object)> {
    let volumes = cluster.list_all(&PERSISTENT_VOLUMES);
    if volumes.is_empty() {
        return Vec::new();
    }
    let claims = cluster.list_all(&PERSISTENT_VOLUME_CLAIMS);
    let mut volumes: Vec<Object> = volumes.iter().map(|volume| settled(volume, &claims)).collect();
    let mut changed = Vec::new();
    for claim in claims.iter().filter(|claim| !claim.has(["metadata", "deletionTimestamp"])) {
        if claim.text(PHASE) == "Bound" {
            continue;
        }
        let Some(volume) = find(cluster, claim, &mut volumes) else { continue };
        changed.push((PERSISTENT_VOLUME_CLAIMS, bind(volume, claim)));
    }
    for mut volume in volumes {
        let before = cluster.get(&PERSISTENT_VOLUMES, "", volume.name());
        let Some(before) = before.filter(|before| **before != volume) else { continue };
        if let Some(since) = since.filter(|_| before.text(PHASE) != volume.text(PHASE)) {
            volume.set(["status", "lastPhaseTransitionTime"], since);
        }
        changed.push((PERSISTENT_VOLUMES, volume));
    }
    changed
}

/// Returns a volume in the phase that follows from the claim it names.
///
/// Source: `syncVolume`
fn settled(volume: &Object, claims: &[Arc<Object>]) -> Object {
    let mut settled = volume.clone();
    let uid = volume.text(["spec", "claimRef", "uid"]);
    let phase = if uid.is_empty() {
        "Available"
    } else if claims.iter().any(|claim| claim.text(["metadata", "uid"]) == uid) {
        return settled;
    } else {
        "Released"
    };
    if volume.text(PHASE) != phase {
        settled.set(PHASE, phase);
    }
    settled
}

/// Returns the volume for a claim: the one that it names, one that names it, or the smallest that fits.
///
/// Source: `syncUnboundClaim`, `FindMatchingVolume`
fn find<'a>(cluster: &Cluster, claim: &Object, volumes: &'a mut [Object]) -> Option<&'a mut Object> {
    let named = claim.text(["spec", "volumeName"]);
    if !named.is_empty() {
        let volume = volumes.iter_mut().find(|volume| volume.name() == named)?;
        return (!volume.has(CLAIM) || is_of(volume, claim)).then_some(volume);
    }
    let wanted = size(claim.text(["spec", "resources", "requests", "storage"]))?;
    let fits = |volume: &Object| {
        !volume.has(["metadata", "deletionTimestamp"])
            && size(volume.text(["spec", "capacity", "storage"])).is_some_and(|size| size >= wanted)
            && mode(volume) == mode(claim)
    };
    if let Some(position) = volumes.iter().position(|volume| is_of(volume, claim) && fits(volume)) {
        return volumes.get_mut(position);
    }
    let class = claim.text(["spec", "storageClassName"]);
    let waits = cluster.get(&STORAGE_CLASSES, "", class);
    if waits.is_some_and(|class| class.text("volumeBindingMode") == "WaitForFirstConsumer") {
        return None;
    }
    let selector = claim.at(["spec", "selector"]).map(Selector::from_label_selector).transpose().ok()?;
    let modes = claim.list(["spec", "accessModes"]);
    let is_free = |volume: &Object| {
        volume.text(PHASE) == "Available"
            && !volume.has(CLAIM)
            && volume.text(["spec", "storageClassName"]) == class
            && modes.iter().all(|mode| volume.list(["spec", "accessModes"]).contains(mode))
            && selector
                .as_ref()
                .is_none_or(|selector| selector.matches_labels(volume.at(["metadata", "labels"])))
    };
    let free = volumes.iter_mut().filter(|volume| fits(volume) && is_free(volume));
    free.min_by_key(|volume| size(volume.text(["spec", "capacity", "storage"])))
}

/// Whether a volume is meant for a claim.
fn is_of(volume: &Object, claim: &Object) -> bool {
    let reference = |field: &str| volume.text(["spec", "claimRef", field]);
    reference("namespace") == claim.namespace()
        && reference("name") == claim.name()
        && ["", claim.text(["metadata", "uid"])].contains(&reference("uid"))
}

fn mode(object: &Object) -> &str {
    let mode = object.text(["spec", "volumeMode"]);
    if mode.is_empty() { "Filesystem" } else { mode }
}

fn size(text: &str) -> Option<Quantity> {
    Quantity::parse(text).ok()
}

/// Binds a volume to a claim, and returns the claim.
fn bind(volume: &mut Object, claim: &Object) -> Object {
    if !volume.has(CLAIM) {
        volume.set(BOUND_BY_CONTROLLER, "yes");
    }
    volume.set(
        CLAIM,
        json!({
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "namespace": claim.namespace(),
            "name": claim.name(),
            "uid": claim.text(["metadata", "uid"]),
            "resourceVersion": claim.text(["metadata", "resourceVersion"]),
        }),
    );
    volume.set(PHASE, "Bound");
    let mut bound = claim.clone();
    if claim.text(["spec", "volumeName"]).is_empty() {
        bound.set(BOUND_BY_CONTROLLER, "yes");
        bound.set(["spec", "volumeName"], volume.name());
    }
    bound.set(BIND_COMPLETED, "yes");
    bound.set(PHASE, "Bound");
    for (field, of) in [("accessModes", "accessModes"), ("capacity", "capacity")] {
        bound.set(["status", field], volume.at(["spec", of]).cloned().unwrap_or(Value::Null));
    }
    bound
}
