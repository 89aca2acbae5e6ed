//! Moves the CPU requests of the cluster's own pods to the cores that are reserved for them (workload partitioning), so
//! that they do not compete with users' pods.
//!
//! # When it rejects
//!
//! - The pod has several target annotations, or one that is malformed.
//! - The namespace does not allow the workload type.
//! - A pod without the annotation requests the reserved cores, or describes resources in annotations.
//! - The cluster has no nodes or no Infrastructure.
//!
//! # Cluster objects it reads
//!
//! The Namespace of the pod, Nodes, the Infrastructure `cluster`.
//!
//! # Offline
//!
//! Nothing is assumed.
//!
//! # Since
//!
//! OpenShift 4.8, on by default.
//!
//! # Upstream
//!
//! `openshift/kubernetes/openshift-kube-apiserver/admission/autoscaling/managementcpusoverride`

use std::sync::Arc;

use crate::admission::{Attributes, Handler, MutationInterface, Recorder, Refusal, ValidationInterface};
use crate::cluster::Cluster;
use crate::plugin::PluginInitializer;
use crate::plugin::openshift::lookup;
use gotext::quantity::Quantity;
use gotext::{encoding_json, quote};
use kube_api::field::{self, Path};
use kube_api::resources::NODES;
use kube_api::tree::child_or_insert;
use kube_api::{Map, Object, Status, Value, pairs};

const NAME: &str = "autoscaling.openshift.io/ManagementCPUsOverride";
/// Annotations of pods: the workload that they belong to, and the resources of each container.
const TARGET: &str = "target.workload.openshift.io/";
const RESOURCES: &str = "resources.workload.openshift.io/";
const WARNING: &str = "workload.openshift.io/warning";
/// The annotation of namespaces that lists the workload types allowed in them.
const ALLOWED: &str = "workload.openshift.io/allowed";
/// The resource that replaces CPU, after the workload type.
const CORES: &str = "workload.openshift.io/cores";
const EFFECT: &str = "PreferredDuringScheduling";

pub(super) fn new(initializer: &PluginInitializer) -> Handler {
    Handler::both(ManagementCPUsOverride { cluster: initializer.cluster.clone() })
}

struct ManagementCPUsOverride {
    cluster: Arc<Cluster>,
}

impl MutationInterface for ManagementCPUsOverride {
    fn admit(&self, attributes: &mut Attributes, _: &mut Recorder) -> Result<(), Refusal> {
        let Some(pod) = pod_of(attributes).cloned() else { return Ok(()) };
        let mut stripped = pod.clone();
        if let Some(Value::Object(annotations)) = stripped.at_mut(["metadata", "annotations"]) {
            annotations.retain(|key, _| !key.starts_with(TARGET) && !key.starts_with(RESOURCES));
        }
        let changed = self.partition(attributes, &pod, &mut stripped);
        let is_empty = |found: &Value| found.as_object().is_some_and(Map::is_empty);
        if stripped.at(["metadata", "annotations"]).is_some_and(is_empty) {
            stripped.remove(["metadata", "annotations"]);
        }
        if stripped != pod {
            attributes.object = Some(Arc::new(stripped));
        }
        changed
    }
}

impl ManagementCPUsOverride {
    fn namespace(&self, attributes: &Attributes) -> Result<Arc<Object>, Refusal> {
        let missing = || Status::new_not_found(&kube_api::resources::NAMESPACES, &attributes.namespace);
        Ok(self.cluster.namespace(&attributes.namespace).ok_or_else(missing)?)
    }

    /// Adds to `target`, which is `pod` without its annotations, what belongs to the pod's workload.
    fn partition(&self, attributes: &Attributes, pod: &Object, target: &mut Object) -> Result<(), Refusal> {
        let invalid = |error: String| refuse(attributes, pod, &[about_annotations(pod, error)]);
        let Some(workload) = workload_type(pod).map_err(&invalid)? else { return Ok(()) };
        let nodes = self.cluster.list_all(&NODES);
        if nodes.is_empty() {
            return Err(attributes.new_forbidden(format!("{NAME} the cluster does not have any nodes")));
        }
        let infrastructure = lookup::infrastructure(&self.cluster, attributes)?;
        let status = infrastructure.child("status");
        if status.is_none_or(Map::is_empty) {
            let error = format!("{NAME} infrastructure resource has empty status");
            return Err(attributes.new_forbidden(error));
        }
        let says = |field: &str| infrastructure.text(["status", field]);
        if says("controlPlaneTopology").is_empty() && says("infrastructureTopology").is_empty() {
            return Ok(());
        }
        let cores = format!("{workload}.{CORES}");
        let has_cores = |node: &Arc<Object>| node.has(["status", "allocatable", &cores]);
        let is_single = says("controlPlaneTopology") == "SingleReplica";
        let is_partitioned =
            says("cpuPartitioning") == "AllNodes" || is_single && nodes.iter().any(has_cores);
        if !is_partitioned {
            return Ok(());
        }
        let namespace = self.namespace(attributes)?;
        if namespace.annotation(ALLOWED).is_none() {
            let name = namespace.name();
            warn(
                target,
                format!(
                    "skipping pod CPUs requests modifications because the {name} namespace is not annotated with {ALLOWED} to \
                 allow workload partitioning"
                ),
            );
            return Ok(());
        }
        if !allows(&namespace, &workload) {
            let name = quote(namespace.name());
            return Err(attributes.new_forbidden(format!(
                "{NAME} the pod namespace {name} does not allow the workload type {workload}"
            )));
        }
        let value = pod.annotation(&format!("{TARGET}{workload}")).unwrap_or_default();
        let effect = effect(value)
            .map_err(|error| invalid(format!("failed to get workload annotation effect: {error}")))?;
        if effect != EFFECT {
            return Err(invalid(format!("only {} effect is supported", quote(EFFECT))));
        }
        let quality = lookup::quality_of(&containers(target));
        if quality == "Guaranteed" {
            warn(
                target,
                "skip pod CPUs requests modifications because it has guaranteed QoS class".to_owned(),
            );
            return Ok(());
        }
        let mut changed = target.clone();
        update(&mut changed, &workload, quality);
        let after = lookup::quality_of(&containers(&changed));
        if after != quality {
            warn(
                target,
                format!(
                    "skip pod CPUs requests modifications because it will change the pod QoS class from {quality} to {after}"
                ),
            );
            return Ok(());
        }
        *target = changed;
        Ok(())
    }
}

impl ValidationInterface for ManagementCPUsOverride {
    fn validate(&self, attributes: &Attributes, recorder: &mut Recorder) -> Result<(), Refusal> {
        let Some(pod) = pod_of(attributes) else { return Ok(()) };
        let namespace = self.namespace(attributes)?;
        let mut errors = Vec::new();
        let workload = workload_type(pod).unwrap_or_else(|error| {
            errors.push(about_annotations(pod, error));
            None
        });
        let annotations = pairs(pod.at(["metadata", "annotations"]));
        let resources: Vec<&str> =
            annotations.filter(|(key, _)| key.starts_with(RESOURCES)).map(|(_, value)| value).collect();
        for value in &resources {
            if let Err(error) = resource_annotation(value) {
                errors.push(about_annotations(pod, error));
            }
        }
        match workload {
            None => {
                if !resources.is_empty() {
                    let error = "the pod without workload annotation can not have resource annotation";
                    errors.push(about_annotations(pod, error.to_owned()));
                }
                requested_cores(pod, recorder, &mut errors);
            }
            Some(workload) if !allows(&namespace, &workload) && namespace.annotation(ALLOWED).is_some() => {
                let name = quote(namespace.name());
                let error = format!("the namespace {name} does not allow the workload type {workload}");
                errors.push(about_annotations(pod, error));
            }
            Some(_) => {}
        }
        if errors.is_empty() { Ok(()) } else { Err(refuse(attributes, pod, &errors)) }
    }
}

/// Returns the pod of the request, unless it is the mirror of a static one.
fn pod_of(attributes: &Attributes) -> Option<&Object> {
    let pod = attributes.object.as_deref().filter(|_| attributes.is_for("", "pods"))?;
    let source = pod.annotation("kubernetes.io/config.source");
    source.is_none_or(|source| source == "api").then_some(pod)
}

fn refuse(attributes: &Attributes, pod: &Object, errors: &[field::Error]) -> Refusal {
    let status = Status::new_invalid(&attributes.kind, pod.name(), errors);
    Refusal::from(status).at(Path::new("metadata.annotations"))
}

/// Returns an error about all of the pod's annotations.
fn about_annotations(pod: &Object, error: String) -> field::Error {
    let annotations = pod.at(["metadata", "annotations"]).cloned().unwrap_or_default();
    let path = Path::new("metadata").child("Annotations");
    field::Error::invalid_printed(&path, encoding_json::to_string(&annotations), error)
}

/// Returns the workload that the pod names.
fn workload_type(pod: &Object) -> Result<Option<String>, String> {
    let targets: Vec<&str> =
        pairs(pod.at(["metadata", "annotations"])).filter_map(|(key, _)| key.strip_prefix(TARGET)).collect();
    match targets.as_slice() {
        [] => Ok(None),
        [""] => Err(format!(
            "the workload annotation key should have format {TARGET}<workload_type>, when <workload_type> is non empty \
             string"
        )),
        [one] => Ok(Some((*one).to_owned())),
        _ => Err("the pod can not have more than one workload annotations".to_owned()),
    }
}

fn allows(namespace: &Object, workload: &str) -> bool {
    namespace.annotation(ALLOWED).is_none_or(|list| list.split(',').any(|listed| listed == workload))
}

/// Returns the effect that the value of a target annotation names.
fn effect(value: &str) -> Result<String, String> {
    let failed = |error: String| format!("failed to parse {} annotation value: {error}", quote(value));
    let parsed = encoding_json::from_slice(value.as_bytes()).map_err(failed)?;
    let map = match &parsed {
        Value::Object(map) => map.clone(),
        Value::Null => Map::new(),
        other => {
            let kind = encoding_json::kind(other);
            let error = format!("json: cannot unmarshal {kind} into Go value of type map[string]string");
            return Err(failed(error));
        }
    };
    if let Some(other) = map.values().find(|value| !value.is_string() && !value.is_null()) {
        let kind = encoding_json::kind(other);
        return Err(failed(format!("json: cannot unmarshal {kind} into Go value of type string")));
    }
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let printed: Vec<String> =
        map.iter().map(|(key, value)| format!("{}:{}", quote(key), quote(&text(value)))).collect();
    let printed = format!("map[{}]", printed.join(" "));
    if map.len() > 1 {
        return Err(format!("the workload annotation value {printed} has more than one key"));
    }
    let missing = || format!("the workload annotation value {printed} does not have \"effect\" key");
    map.get("effect").map(text).ok_or_else(missing)
}

fn warn(pod: &mut Object, text: String) {
    pod.set(["metadata", "annotations", WARNING], text);
}

/// Whether `value` is `{"cpushares": …, "cpulimit": …}`.
fn resource_annotation(value: &str) -> Result<(), String> {
    let parsed = encoding_json::from_slice(value.as_bytes())?;
    if parsed.is_null() {
        return Ok(());
    }
    let Value::Object(map) = &parsed else {
        let kind = encoding_json::kind(&parsed);
        return Err(format!(
            "json: cannot unmarshal {kind} into Go value of type managementcpusoverride.resourceAnnotation"
        ));
    };
    for (key, value) in map {
        let (field, wanted, fits) = match key.to_ascii_lowercase().as_str() {
            "cpushares" => ("cpushares", "uint64", value.as_u64().is_some()),
            "cpulimit" => ("cpulimit", "int64", value.as_i64().is_some()),
            _ => return Err(format!("json: unknown field {}", quote(key))),
        };
        if !fits && !value.is_null() {
            let kind = match value {
                Value::Number(number) => format!("number {number}"),
                other => encoding_json::kind(other).to_owned(),
            };
            return Err(format!(
                "json: cannot unmarshal {kind} into Go struct field resourceAnnotation.{field} of type {wanted}"
            ));
        }
    }
    Ok(())
}

fn containers(pod: &Object) -> Vec<Value> {
    let lists = ["initContainers", "containers"];
    lists.iter().flat_map(|list| pod.list(["spec", list])).cloned().collect()
}

/// Checks the reserved cores. A pod outside of every workload must not request the reserved cores.
fn requested_cores(pod: &Object, recorder: &mut Recorder, errors: &mut Vec<field::Error>) {
    let mut found: std::collections::BTreeMap<String, Value> = std::collections::BTreeMap::new();
    for container in containers(pod) {
        let requests = container.at(["resources", "requests"]).cloned().unwrap_or_default();
        let names: Vec<String> =
            requests.as_object().into_iter().flatten().map(|(name, _)| name.to_string()).collect();
        for name in names.into_iter().filter(|name| name.ends_with(CORES)) {
            found.insert(name, requests.clone());
        }
    }
    for (name, requests) in found {
        if pod.annotation("debug.openshift.io/source-resource").is_some() {
            recorder.add_warning(
                "You must pass --keep-annotations parameter to the debug command or upgrade the oc tool to the latest \
                 version when trying to debug a pod with workload partitioning resources.",
            );
        }
        let detail = format!(
            "the pod without workload annotations can not have containers with workload resources {}",
            quote(&name)
        );
        errors.push(field::Error::invalid(
            &Path::new("spec.containers.resources.requests"),
            &requests,
            detail,
        ));
    }
}

/// Source: `updatePodResources`.
fn update(pod: &mut Object, workload: &str, quality: &str) {
    for list in ["initContainers", "containers"] {
        let mut annotations: Vec<(String, String)> = Vec::new();
        let items = pod.at_mut(["spec", list]).and_then(Value::as_array_mut);
        for container in items.into_iter().flatten().filter_map(Value::as_object_mut) {
            let name = container.text("name");
            let key = format!("{RESOURCES}{name}");
            if quality == "BestEffort" {
                annotations.push((key, "{\"cpushares\": 2}".to_owned()));
                continue;
            }
            let stated = Value::Object(container.clone());
            let Some(request) = lookup::amount(&stated, "requests", "cpu") else { continue };
            let milli = request.milli_value();
            let shares = (milli.wrapping_mul(1024) / 1000).clamp(2, 262_144);
            let limit = lookup::amount(&stated, "limits", "cpu").map_or(0, |limit| limit.milli_value());
            let limit = if limit == 0 { String::new() } else { format!(",\"cpulimit\":{limit}") };
            annotations.push((key, format!("{{\"cpushares\":{shares}{limit}}}")));
            let amount =
                Quantity::from_milli(milli.wrapping_mul(1000), request.format()).canonical().into_owned();
            let resources = child_or_insert(container, "resources");
            for side in ["requests", "limits"] {
                let side = child_or_insert(resources, side);
                side.remove("cpu");
                side.insert(format!("{workload}.{CORES}"), amount.as_str().into());
            }
        }
        for (key, value) in annotations {
            pod.set(["metadata", "annotations", &key], value);
        }
    }
    let target = format!("{TARGET}{workload}");
    pod.set(["metadata", "annotations", &target], format!("{{\"effect\":\"{EFFECT}\"}}"));
}
