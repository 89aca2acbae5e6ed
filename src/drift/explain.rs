//! Why a live object differs from the one that its manifest alone leads to.

use std::collections::HashMap;
use std::sync::Arc;

use crate::cluster::Cluster;
use crate::evaluation::allocated::NETWORK;
use crate::report::drift::Cause;
use crate::workload;
use kube_api::resources::HORIZONTAL_POD_AUTOSCALERS;
use kube_api::secret::LAST_APPLIED;
use kube_api::{GroupVersionKind, Object, Value};
use kube_registry::merge::{Writer, writers};

/// The managers that are parts of Kubernetes.
const CONTROLLERS: [&str; 6] = [
    "cloud-controller-manager",
    "kube-apiserver",
    "kube-controller-manager",
    "kube-proxy",
    "kube-scheduler",
    "kubelet",
];

/// The manager of `kubectl apply` without `--server-side`.
const CLIENT_SIDE: &str = "kubectl-client-side-apply";

/// Fields of a Service that follow from the network of the cluster.
const FAMILIES: [&str; 2] = ["ipFamilies", "ipFamilyPolicy"];

/// The fields that parts of the cluster write, of all kinds and of one, each with its writer: those of dumps without
/// managed fields, and those that the server does not record.
const WRITTEN: [(&str, &[&str], &str); 18] = [
    ("", &["metadata", "deletionGracePeriodSeconds"], "API server"),
    ("", &["metadata", "ownerReferences"], "kube-controller-manager"),
    ("", &["metadata", "finalizers", "foregroundDeletion"], "API server"),
    ("", &["metadata", "finalizers", "orphan"], "API server"),
    ("", &["metadata", "finalizers", "kubernetes.io/pv-protection"], "kube-controller-manager"),
    ("", &["metadata", "finalizers", "kubernetes.io/pvc-protection"], "kube-controller-manager"),
    ("", &["metadata", "finalizers", "batch.kubernetes.io/job-tracking"], "kube-controller-manager"),
    (
        "Service",
        &["metadata", "finalizers", "service.kubernetes.io/load-balancer-cleanup"],
        "cloud-controller-manager",
    ),
    ("Namespace", &["spec", "finalizers"], "API server"),
    ("Node", &["spec", "podCIDR"], "kube-controller-manager"),
    ("Node", &["spec", "podCIDRs"], "kube-controller-manager"),
    ("Node", &["spec", "providerID"], "cloud-controller-manager"),
    ("Node", &["spec", "taints"], "kube-controller-manager"),
    ("PersistentVolume", &["spec", "claimRef"], "kube-controller-manager"),
    ("PersistentVolumeClaim", &["spec", "volumeName"], "kube-controller-manager"),
    ("Pod", &["spec", "nodeName"], "kube-scheduler"),
    ("Pod", &["metadata", "labels", "pod-template-hash"], "kube-controller-manager"),
    ("ServiceAccount", &["secrets"], "kube-controller-manager"),
];

/// The labels and annotations by which tools mark what they apply: the start of the name, the value if only one is a mark,
/// and the tool.
const MARKS: [(&str, &str, &str); 5] = [
    ("argocd.argoproj.io/", "", "Argo CD"),
    ("app.kubernetes.io/managed-by", "Helm", "Helm"),
    ("meta.helm.sh/", "", "Helm"),
    ("helm.toolkit.fluxcd.io/", "", "Flux"),
    ("kustomize.toolkit.fluxcd.io/", "", "Flux"),
];

/// The autoscalers that exist, each with its namespace and name, by namespace, kind and name of the workload.
pub(super) struct Autoscalers(HashMap<(String, String, String), String>);

impl Autoscalers {
    /// Returns those of `cluster`.
    pub(super) fn of(cluster: &Cluster) -> Self {
        let entry = |autoscaler: Arc<Object>| {
            let target = |field| autoscaler.text(["spec", "scaleTargetRef", field]);
            let kind = GroupVersionKind::from_api_version(target("apiVersion"), target("kind"));
            let namespace = autoscaler.namespace();
            let workload = (namespace.to_owned(), kind.group_kind(), target("name").to_owned());
            (workload, format!("{namespace}/{}", autoscaler.name()))
        };
        Self(cluster.list_all(&HORIZONTAL_POD_AUTOSCALERS).into_iter().map(entry).collect())
    }

    fn of_workload(&self, workload: &Object) -> Option<Cause> {
        let name = workload.name().to_owned();
        let found = self.0.get(&(workload.namespace().to_owned(), workload.kind.group_kind(), name));
        found.cloned().map(Cause::Autoscaler)
    }
}

/// A difference of a live object.
pub(super) struct Difference<'a> {
    pub(super) live: &'a Arc<Object>,
    pub(super) names: &'a [String],
    /// Whether the live object has the field.
    pub(super) exists: bool,
    /// Whether the manifest has it.
    pub(super) in_manifest: bool,
}

impl Difference<'_> {
    /// Returns the managers of the field.
    pub(super) fn writers(&self) -> Vec<Writer> {
        if self.exists { writers(self.live, self.names) } else { Vec::new() }
    }

    /// Returns the autoscaler that sets the field, if one of `autoscalers` does.
    pub(super) fn autoscaler(&self, autoscalers: &Autoscalers) -> Option<Cause> {
        let is_scaled = self.names == ["f:spec", "f:replicas"];
        is_scaled.then(|| autoscalers.of_workload(self.live)).flatten()
    }

    /// Returns what changes the field again after applying the manifest, if something in the cluster does.
    pub(super) fn cause_of_next(&self, autoscalers: &Autoscalers) -> Option<Cause> {
        let is_part =
            |cause: &Cause| matches!(cause, Cause::Controller(name) if CONTROLLERS.contains(&&**name));
        let rewritten = || if self.in_manifest { None } else { self.controller().filter(is_part) };
        self.autoscaler(autoscalers).or_else(rewritten)
    }

    /// Returns the controller, or other part of the cluster, that writes the field, if one does.
    fn controller(&self) -> Option<Cause> {
        let writers = self.writers();
        let controller = writers
            .iter()
            .find(|writer| CONTROLLERS.contains(&&*writer.manager) || writer.sub_resource == "status");
        let known = || self.known_writer().map(str::to_owned);
        controller.map(|writer| writer.manager.clone()).or_else(known).map(Cause::Controller)
    }

    /// Returns the reason of a difference that applying the manifest leaves, if it is known.
    pub(super) fn cause(&self, autoscalers: &Autoscalers) -> Option<Cause> {
        if !self.exists {
            return Some(Cause::Earlier);
        }
        let last = self.names.last().map_or("", |name| name.trim_start_matches("f:"));
        if !self.in_manifest && (NETWORK.contains(&last) || self.is_of_network()) {
            return Some(Cause::Server);
        }
        if let Some(cause) = self.autoscaler(autoscalers) {
            return Some(cause);
        }
        if let Some(controller) = self.controller() {
            return Some(controller);
        }
        let writers = self.writers();
        let is_earlier = if writers.is_empty() {
            // The server records a manager for what clients write, and none for what plugins add to it.
            self.in_manifest || self.has_managers()
        } else {
            // The record says that no manifest had it.
            let is_of_applier = || writers.iter().all(|writer| writer.manager == CLIENT_SIDE);
            self.in_manifest || self.has_record() && is_of_applier()
        };
        is_earlier.then_some(Cause::Earlier)
    }

    fn has_managers(&self) -> bool {
        let mut entries = self.live.list(["metadata", "managedFields"]).iter();
        entries.any(|entry| entry.text("subresource").is_empty())
    }

    fn is_of_network(&self) -> bool {
        let names: Vec<&str> = self.names.iter().map(|name| name.trim_start_matches("f:")).collect();
        self.live.kind.kind == "Service"
            && (FAMILIES.iter().any(|family| names.starts_with(&["spec", family]))
                || NETWORK.iter().any(|field| names.starts_with(&["spec", field])))
    }

    fn known_writer(&self) -> Option<&'static str> {
        let text = |name: &str| match name.split_once(':') {
            Some(("v", value)) => value.trim_matches('"').to_owned(),
            Some((_, name)) => name.to_owned(),
            None => name.to_owned(),
        };
        let names: Vec<String> = self.names.iter().map(|name| text(name)).collect();
        let is_below =
            |path: &[&str]| names.len() >= path.len() && names.iter().zip(path).all(|(a, b)| a == b);
        let annotation = match names.as_slice() {
            [metadata, annotations, name] if metadata == "metadata" && annotations == "annotations" => name,
            _ => "",
        };
        if workload::ANNOTATIONS.contains(&annotation) {
            return Some("kube-controller-manager");
        }
        if let [metadata, marks, name] = names.as_slice()
            && metadata == "metadata"
            && ["annotations", "labels"].contains(&&**marks)
            && let Some((.., tool)) = MARKS.iter().find(|(start, value, _)| {
                let path = ["metadata", marks, name];
                name.starts_with(start) && (value.is_empty() || self.live.text(path) == *value)
            })
        {
            return Some(tool);
        }
        let kind = &*self.live.kind.kind;
        let written = WRITTEN.iter().find(|(of, path, _)| (of.is_empty() || *of == kind) && is_below(path));
        written.map(|(.., writer)| *writer)
    }

    fn has_record(&self) -> bool {
        self.live.at(["metadata", "annotations", LAST_APPLIED]).and_then(Value::as_str).is_some()
    }
}
