//! Refuses to resize a running pod beyond the capacity of its node. Such a resize could never happen: without the
//! plugin the pod would be changed nevertheless and be marked `Infeasible` later, where few look.
//!
//! # When it rejects
//!
//! An update through `pods/resize` changes a pod that is placed on a node, and
//!
//! - the node does not exist,
//! - the node runs another operating system than Linux, or
//! - the pod requests more CPU or memory than the node has for all pods together. Requests of other pods on the node do
//!   not matter.
//!
//! # Cluster objects it reads
//!
//! The Node of the pod: its label `kubernetes.io/os` and `status.allocatable`.
//!
//! # Offline
//!
//! Nothing is assumed: the Node must be among the cluster objects, with its status.
//!
//! # Since
//!
//! 1.36, on by default. Before, every resize was admitted.
//!
//! # Upstream
//!
//! `k8s.io/kubernetes/plugin/pkg/admission/podresize`

use std::sync::Arc;

use crate::admission::{Attributes, Evidence, Handler, Recorder, Refusal, ValidationInterface};
use crate::cluster::Cluster;
use crate::plugin::PluginInitializer;
use gotext::quantity::{Format, Quantity};
use gotext::quote;
use kube_api::field::Path;
use kube_api::resource_list::ResourceList;
use kube_api::resources::NODES;
use kube_api::{Object, StatusCause};
use kube_registry::pod::PodTemplate;
use kube_registry::pod_resources::{PodLevelResources, PodResources, PodResourcesOptions, Side};

const OS_LABEL: &str = "kubernetes.io/os";
const OPTIONS: PodResourcesOptions =
    PodResourcesOptions { use_status_resources: false, pod_level: PodLevelResources::All, overhead: true };

pub(super) fn new(initializer: &PluginInitializer) -> Handler {
    // The gate `InPlacePodVerticalScaling` that upstream checks is locked to true since 1.35.
    Handler::validating(PodResizeValidator { cluster: initializer.cluster.clone() })
}

struct PodResizeValidator {
    cluster: Arc<Cluster>,
}

impl ValidationInterface for PodResizeValidator {
    fn validate(&self, attributes: &Attributes, _recorder: &mut Recorder) -> Result<(), Refusal> {
        if !attributes.is_for_sub_resource("", "pods", "resize") || !attributes.changes_spec() {
            return Ok(());
        }
        let Some(pod) = attributes.object.as_deref() else { return Ok(()) };
        let name = pod.text(["spec", "nodeName"]);
        if name.is_empty() {
            return Ok(());
        }
        let Some(node) = self.cluster.get(&NODES, "", name) else {
            let refusal = attributes.new_forbidden(format!("node {} not found", quote(name)));
            return Err(refusal.at(Path::new("spec.nodeName")));
        };
        check_system(attributes, &node)?;
        check_allocatable(attributes, pod, &node)
    }
}

fn check_system(attributes: &Attributes, node: &Object) -> Result<(), Refusal> {
    let Some(system) = node.label(OS_LABEL).filter(|system| *system != "linux") else { return Ok(()) };
    let error = format!(
        "pod resize is only supported on linux nodes, node {} is {}",
        quote(node.name()),
        quote(system)
    );
    let path = Path::new("metadata.labels").key(OS_LABEL);
    Err(refuse(attributes, &error, "UnsupportedPlatform").at(Path::new("spec.nodeName")).because(evidence(
        node,
        path,
        format!("runs {system}"),
    )))
}

fn check_allocatable(attributes: &Attributes, pod: &Object, node: &Object) -> Result<(), Refusal> {
    let Some(pod) = PodTemplate::of(pod) else { return Ok(()) };
    let resources = PodResources::of(pod);
    let requests = resources.total(Side::Requests, &OPTIONS);
    let allocatable = ResourceList::of(node.at(["status", "allocatable"]));
    let nothing = Quantity::from_value(0, Format::DecimalSi);
    let mut errors = Vec::new();
    let (mut fields, mut evidences) = (Vec::new(), Vec::new());
    for name in ["cpu", "memory"] {
        let requested = requests.get(name).unwrap_or(&nothing);
        let available = allocatable.get(name).unwrap_or(&nothing);
        if requested <= available {
            continue;
        }
        let amount =
            |quantity: &Quantity| if name == "cpu" { quantity.milli_value() } else { quantity.value() };
        errors.push(format!("{name}, requested: {}, allocatable: {}", amount(requested), amount(available)));
        fields.extend(resources.paths(Side::Requests, name, &OPTIONS));
        let path = Path::new("status.allocatable").key(name);
        evidences.push(evidence(node, path, format!("has {} {name} for all pods", available.canonical())));
    }
    if errors.is_empty() {
        return Ok(());
    }
    let error = format!("node didn't have enough allocatable resources: {}", errors.join("; "));
    let refusal = refuse(attributes, &error, "NodeCapacity").at_all(fields);
    Err(evidences.into_iter().fold(refusal, Refusal::because))
}

/// Returns the refusal. Upstream reports the kind of obstacle in a cause without message and field.
fn refuse(attributes: &Attributes, error: &str, reason: &str) -> Refusal {
    let mut refusal = attributes.new_forbidden(error);
    if let Some(details) = &mut refusal.status.details {
        details.causes.push(StatusCause { reason: reason.to_owned(), ..StatusCause::default() });
    }
    refusal
}

fn evidence(node: &Object, path: Path, says: String) -> Evidence {
    Evidence::of(NODES, node, says).at(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plugin::testing::{Bench, pod, update};
    use gotext::value::json;
    use kube_api::Value;

    fn node(system: &str) -> Value {
        json!({
            "apiVersion": "v1", "kind": "Node",
            "metadata": {"name": "n1", "labels": {OS_LABEL: system}},
            "status": {"allocatable": {"cpu": "4", "memory": "8Gi"}},
        })
    }

    fn requesting(cpu: &str, memory: &str) -> Value {
        let resources = json!({"requests": {"cpu": cpu, "memory": memory}});
        pod(json!({"nodeName": "n1", "containers": [{"name": "a", "resources": resources}]}))
    }

    fn resized(node: impl IntoIterator<Item = Value>, from: Value, to: Value) -> Result<(), Refusal> {
        let mut request = update(from, to);
        request.sub_resource = "resize".into();
        Bench::new("PodResizeValidator", node).validate(&request)
    }

    #[test]
    fn admits_what_fits_and_what_does_not_change() {
        resized([node("linux")], requesting("1", "1Gi"), requesting("4", "8Gi")).unwrap();
        resized([node("linux")], requesting("9", "1Gi"), requesting("9", "1Gi")).unwrap();
        resized([], pod(json!({})), pod(json!({"containers": []}))).unwrap();
    }

    #[test]
    fn rejects_more_than_the_node_has() {
        let refusal =
            resized([node("linux")], requesting("1", "1Gi"), requesting("4001m", "0.01Ti")).unwrap_err();
        assert_eq!(
            refusal.status.message,
            "pods \"web\" is forbidden: node didn't have enough allocatable resources: cpu, requested: 4001, allocatable: \
             4000; memory, requested: 10995116278, allocatable: 8589934592"
        );
        assert_eq!(refusal.status.details.unwrap().causes[0].reason, "NodeCapacity");
        assert_eq!(refusal.fields[1].to_string(), "spec.containers[0].resources.requests[memory]");
        assert_eq!(refusal.evidence[0].says, "has 4 cpu for all pods");
    }

    #[test]
    fn rejects_other_systems_and_nodes_that_do_not_exist() {
        let refusal = resized([node("windows")], requesting("1", "1Gi"), requesting("2", "1Gi")).unwrap_err();
        assert_eq!(
            refusal.status.message,
            "pods \"web\" is forbidden: pod resize is only supported on linux nodes, node \"n1\" is \"windows\""
        );
        assert_eq!(refusal.status.details.unwrap().causes[0].reason, "UnsupportedPlatform");
        let refusal = resized([], requesting("1", "1Gi"), requesting("2", "1Gi")).unwrap_err();
        assert_eq!(refusal.status.message, "pods \"web\" is forbidden: node \"n1\" not found");
        assert!(refusal.status.details.unwrap().causes.is_empty());
    }

    #[test]
    fn ignores_other_updates() {
        let bench = Bench::new("PodResizeValidator", []);
        bench.validate(&update(requesting("1", "1Gi"), requesting("2", "1Gi"))).unwrap();
    }
}
