//! `--recreate`: the objects of a dump as their authors would create them anew.

use std::collections::{BTreeMap, BTreeSet};

use crate::cli::input::Input;
use crate::report::Diagnostic;
use gotext::source::{Data, Node};
use kube_yaml::Item;

/// Fields of the metadata that the server sets.
const METADATA: [&str; 10] = [
    "uid",
    "resourceVersion",
    "managedFields",
    "creationTimestamp",
    "generation",
    "selfLink",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "ownerReferences",
    "finalizers",
];

/// Annotations that controllers set.
const ANNOTATIONS: [&str; 7] = [
    "deployment.kubernetes.io/revision",
    "deprecated.daemonset.template.generation",
    "pv.kubernetes.io/bind-completed",
    "pv.kubernetes.io/bound-by-controller",
    "volume.beta.kubernetes.io/storage-provisioner",
    "volume.kubernetes.io/storage-provisioner",
    "volume.kubernetes.io/selected-node",
];

/// Labels by which a Job finds its Pods.
const JOB_LABELS: [&str; 4] =
    ["batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name", "controller-uid", "job-name"];

/// The kinds that run Pods.
const WORKLOADS: [(&str, &str); 8] = [
    ("v1", "Pod"),
    ("v1", "ReplicationController"),
    ("apps/v1", "DaemonSet"),
    ("apps/v1", "Deployment"),
    ("apps/v1", "ReplicaSet"),
    ("apps/v1", "StatefulSet"),
    ("batch/v1", "CronJob"),
    ("batch/v1", "Job"),
];

/// Kind, namespace and name of an object.
type Key = (String, String, String);

/// Whether the files are the output of `kubectl get -o yaml` or `-o json`: objects with fields that only a server sets.
pub(super) fn is_dump(inputs: impl Iterator<Item = Result<Input, Diagnostic>>) -> bool {
    let sources = inputs.flatten().filter_map(|input| input.read().ok());
    sources.into_iter().any(|source| {
        let text = source.text();
        ["resourceVersion", "creationTimestamp", "uid"].iter().all(|field| text.contains(field))
    })
}

/// Removes from `chunks` the objects that controllers create for other objects there, and from the rest the fields that
/// servers set. Returns the number of removed objects.
pub(super) fn recreated(chunks: &mut [Vec<Result<Item, Diagnostic>>]) -> usize {
    let known: BTreeSet<Key> = chunks.iter().flatten().flatten().map(|item| key(&item.node)).collect();
    let mut left_out = 0;
    for chunk in chunks {
        chunk.retain(|item| {
            let is_kept = item.as_ref().map_or(true, |item| !is_controlled(&item.node, &known));
            left_out += usize::from(!is_kept);
            is_kept
        });
        for item in chunk.iter_mut().flatten() {
            forget(&mut item.node);
        }
    }
    left_out
}

/// Returns the workloads among `existing` that are not in `chunks` and that no other object controls, as their authors
/// would create them. Of several with the same name the last is used.
pub(super) fn workloads_besides(chunks: &[Vec<Result<Item, Diagnostic>>], existing: Vec<Item>) -> Vec<Item> {
    let given: BTreeSet<Key> = chunks.iter().flatten().flatten().map(|item| key(&item.node)).collect();
    let known: BTreeSet<Key> =
        existing.iter().map(|item| key(&item.node)).chain(given.iter().cloned()).collect();
    let mut found: BTreeMap<Key, Item> = BTreeMap::new();
    for mut item in existing {
        let own = key(&item.node);
        let is_workload = WORKLOADS.contains(&(text(&item.node, &["apiVersion"]), own.0.as_str()));
        if is_workload && !given.contains(&own) && !is_controlled(&item.node, &known) {
            forget(&mut item.node);
            found.insert(own, item);
        }
    }
    found.into_values().collect()
}

fn text<'a>(node: &'a Node, path: &[&str]) -> &'a str {
    let found = path.iter().try_fold(node, |node, field| node.get(field));
    found.and_then(Node::as_str).unwrap_or_default()
}

fn key(node: &Node) -> Key {
    let own = |path: &[&str]| text(node, path).to_owned();
    (own(&["kind"]), own(&["metadata", "namespace"]), own(&["metadata", "name"]))
}

/// Whether a known object controls this one.
fn is_controlled(node: &Node, known: &BTreeSet<Key>) -> bool {
    let references = node.get("metadata").and_then(|metadata| metadata.get("ownerReferences"));
    let Some(Data::Array(references)) = references.map(|references| &references.data) else { return false };
    let namespace = text(node, &["metadata", "namespace"]);
    references.iter().any(|reference| {
        let is_controller =
            reference.get("controller").is_some_and(|controller| controller.data == Data::Bool(true));
        let owner = |namespace: &str| {
            (
                text(reference, &["kind"]).to_owned(),
                namespace.to_owned(),
                text(reference, &["name"]).to_owned(),
            )
        };
        is_controller && (known.contains(&owner(namespace)) || known.contains(&owner("")))
    })
}

/// Removes the fields that servers and controllers set.
fn forget(node: &mut Node) {
    let kind = text(node, &["kind"]).to_owned();
    remove(node, &[], &["status"]);
    remove(node, &["metadata"], &METADATA);
    remove(node, &["metadata", "annotations"], &ANNOTATIONS);
    match kind.as_str() {
        "Pod" => remove(node, &["spec"], &["nodeName"]),
        "PersistentVolumeClaim" => remove(node, &["spec"], &["volumeName"]),
        "PersistentVolume" => remove(node, &["spec"], &["claimRef"]),
        "Service" if text(node, &["spec", "clusterIP"]) != "None" => {
            remove(node, &["spec"], &["clusterIP", "clusterIPs", "healthCheckNodePort"]);
        }
        "Job" => {
            let path = ["spec", "manualSelector"];
            let found = path.iter().try_fold(&*node, |node, field| node.get(field));
            if found.is_none_or(|manual| manual.data != Data::Bool(true)) {
                remove(node, &["spec"], &["selector"]);
                remove(node, &["metadata", "labels"], &JOB_LABELS);
                remove(node, &["spec", "template", "metadata", "labels"], &JOB_LABELS);
            }
        }
        _ => {}
    }
}

/// Removes `fields` of the map at `path`.
fn remove(node: &mut Node, path: &[&str], fields: &[&str]) {
    let Data::Object(entries) = &mut node.data else { return };
    match path {
        [] => entries.retain(|entry| !fields.contains(&entry.key.as_str())),
        [first, rest @ ..] => {
            for entry in entries.iter_mut().filter(|entry| entry.key == *first) {
                remove(&mut entry.value, rest, fields);
            }
        }
    }
}
