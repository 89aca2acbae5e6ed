//! `--recreate`: the objects of a dump as their authors would create them anew.

use std::collections::{BTreeMap, BTreeSet};

use crate::evaluation;
use crate::report::Diagnostic;
use crate::workload::ANNOTATIONS;
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

/// Labels by which a Job finds its Pods.
const JOB_LABELS: [&str; 4] =
    ["batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name", "controller-uid", "job-name"];

/// The kinds whose controllers are played, or whose controllers only record what follows from other objects.
const CONTROLLERS: [(&str, &str); 9] = [
    ("v1", "ReplicationController"),
    ("v1", "Service"),
    ("apps/v1", "DaemonSet"),
    ("apps/v1", "Deployment"),
    ("apps/v1", "ReplicaSet"),
    ("apps/v1", "StatefulSet"),
    ("apps.openshift.io/v1", "DeploymentConfig"),
    ("batch/v1", "CronJob"),
    ("batch/v1", "Job"),
];

/// Kinds whose objects are not applied: servers, nodes and controllers record with them what happens.
const RECORDED: [&str; 14] = [
    "APIService",
    "CSINode",
    "CSIStorageCapacity",
    "CertificateSigningRequest",
    "ComponentStatus",
    "ControllerRevision",
    "Endpoints",
    "EndpointSlice",
    "Event",
    "FlowSchema",
    "Lease",
    "Node",
    "PriorityLevelConfiguration",
    "VolumeAttachment",
];

/// Kind, namespace and name of an object.
type ObjectName = (String, String, String);

/// Which documents are evaluated as if their objects were created anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Recreation {
    Nothing,
    /// Those with the fields that only a server sets: the output of `kubectl get -o yaml` or `-o json`.
    OfDump,
    Everything,
}

impl Recreation {
    /// Whether `node` is one of them. A Node is not: without its status it would be one that is not ready.
    pub(super) fn is_of(self, node: &Node) -> bool {
        match self {
            Self::Nothing => false,
            Self::OfDump => is_of_dump(node) && !is_node(node),
            Self::Everything => !is_node(node),
        }
    }

    /// Whether the object of `node` exists before it is evaluated.
    pub(super) fn exists(self, node: &Node) -> bool {
        match self {
            Self::Nothing => false,
            Self::OfDump => is_of_dump(node),
            Self::Everything => true,
        }
    }
}

/// Whether `node` has the fields of its metadata that only a server sets.
fn is_of_dump(node: &Node) -> bool {
    let is_set = |field| !text(node, &["metadata", field]).is_empty();
    is_set("uid") && is_set("resourceVersion")
}

fn is_node(node: &Node) -> bool {
    text(node, &["kind"]) == "Node" && text(node, &["apiVersion"]) == "v1"
}

/// Removes from `chunks` the objects that the played controllers create for other objects there, and the Nodes, which
/// stay as they are. Returns notes about that.
pub(super) fn leave_out(chunks: &mut [Vec<Result<Item, Diagnostic>>], recreation: Recreation) -> Vec<String> {
    if recreation == Recreation::Nothing {
        return Vec::new();
    }
    let known: BTreeSet<ObjectName> = chunks.iter().flatten().flatten().map(|item| key(&item.node)).collect();
    let (mut recreated, mut controlled, mut nodes) = (0, 0, 0);
    for chunk in chunks {
        chunk.retain(|item| {
            let Ok(Item { node, .. }) = item else { return true };
            if !recreation.exists(node) {
                return true;
            }
            let (is_node, is_controlled) = (is_node(node), is_controlled(node, &known));
            nodes += usize::from(is_node);
            controlled += usize::from(is_controlled);
            recreated += usize::from(!is_node && !is_controlled);
            !is_node && !is_controlled
        });
    }
    let objects = |count: usize| if count == 1 { "1 object".to_owned() } else { format!("{count} objects") };
    let mut remarks = Vec::new();
    if recreation == Recreation::OfDump && recreated > 0 {
        let are = if recreated == 1 { "is" } else { "are" };
        remarks.push(format!(
            "{} with the uid and resourceVersion of a cluster {are} evaluated as if created anew",
            objects(recreated)
        ));
    }
    if controlled > 0 {
        remarks.push(format!(
            "left out {} of the dump that controllers create for others in it",
            objects(controlled)
        ));
    }
    if nodes > 0 {
        let nodes = if nodes == 1 { "1 Node".to_owned() } else { format!("{nodes} Nodes") };
        remarks.push(format!("left {nodes} of the dump as they are"));
    }
    remarks
}

/// Returns the objects among `existing` that are not in `chunks`, that are of a kind that users apply and is known, and
/// that no played controller creates. Of several with the same name the last is used. Objects that the server looks up
/// for others are not among them: they are what the others are evaluated against.
pub(super) fn objects_besides(
    chunks: &[Vec<Result<Item, Diagnostic>>],
    existing: Vec<Item>,
    is_known: &KnownKind<'_>,
) -> Vec<Item> {
    let given: BTreeSet<ObjectName> = chunks.iter().flatten().flatten().map(|item| key(&item.node)).collect();
    let known: BTreeSet<ObjectName> =
        existing.iter().map(|item| key(&item.node)).chain(given.iter().cloned()).collect();
    let mut found: BTreeMap<ObjectName, Item> = BTreeMap::new();
    for item in existing {
        let own = key(&item.node);
        let is_applied = !RECORDED.contains(&own.0.as_str()) && !evaluation::is_needed(&own.0);
        let is_token = text(&item.node, &["type"]) == "kubernetes.io/service-account-token";
        if is_applied
            && !is_token
            && is_known(text(&item.node, &["apiVersion"]), &own.0)
            && !given.contains(&own)
            && !is_controlled(&item.node, &known)
        {
            found.insert(own, item);
        }
    }
    found.into_values().collect()
}

/// Whether the server of an evaluation has a kind.
pub(super) type KnownKind<'a> = dyn Fn(&str, &str) -> bool + Sync + 'a;

fn text<'a>(node: &'a Node, path: &[&str]) -> &'a str {
    let found = path.iter().try_fold(node, |node, field| node.get(field));
    found.and_then(Node::as_str).unwrap_or_default()
}

fn key(node: &Node) -> ObjectName {
    let own = |path: &[&str]| text(node, path).to_owned();
    (own(&["kind"]), own(&["metadata", "namespace"]), own(&["metadata", "name"]))
}

/// Whether a known object of a played controller controls this one.
fn is_controlled(node: &Node, known: &BTreeSet<ObjectName>) -> bool {
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
        let kind = (text(reference, &["apiVersion"]), text(reference, &["kind"]));
        is_controller
            && CONTROLLERS.contains(&kind)
            && (known.contains(&owner(namespace)) || known.contains(&owner("")))
    })
}

/// Removes the fields that servers and controllers set.
pub(super) fn forget(node: &mut Node) {
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
