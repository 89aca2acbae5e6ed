//! The addresses of the Pods that Services select, as Endpoints and as EndpointSlices.
//!
//! Deliberately absent: several slices for more than 100 Pods, IPv6, hints, and slices that mirror Endpoints of others.
//!
//! Source: `k8s.io/kubernetes/pkg/controller/endpoint`, `k8s.io/endpointslice`

use std::cell::OnceCell;
use std::sync::Arc;

use gotext::value::json;

use crate::cluster::Cluster;
use crate::workload::owned;
use crate::workload::status::has_condition;
use kube_api::labels::Selector;
use kube_api::resources::{ENDPOINT_SLICES, ENDPOINTS, PODS, SERVICES};
use kube_api::{GroupResource, GroupVersionKind, Map, Object, Value, name_generator};

const LABELS: [&str; 2] = ["metadata", "labels"];

/// The label of what belongs to a Service without an address.
const HEADLESS: &str = "service.kubernetes.io/headless";

/// The label that names the Service of a slice.
const SERVICE_NAME: &str = "kubernetes.io/service-name";

/// What follows from the Services and Pods of a namespace.
#[derive(Default)]
pub struct Changes {
    /// The objects to store.
    pub stored: Vec<(GroupResource, Object)>,
    /// The slices to delete.
    pub deleted: Vec<Arc<Object>>,
}

/// Returns what the controllers of Endpoints and EndpointSlices change in a namespace. Names of new slices end with what
/// follows from `seed`.
pub fn published(cluster: &Cluster, namespace: &str, seed: u64) -> Changes {
    let mut changes = Changes::default();
    let pods = OnceCell::new();
    for service in cluster.list(&SERVICES, namespace) {
        let selector = service
            .at(["spec", "selector"])
            .filter(|selector| selector.as_object().is_some_and(|selector| !selector.is_empty()));
        let Some(selector) = selector.filter(|_| service.text(["spec", "type"]) != "ExternalName") else {
            continue;
        };
        let Ok(selector) = Selector::from_label_selector(&json!({"matchLabels": selector})) else { continue };
        let pods = pods.get_or_init(|| with_address(cluster.list(&PODS, namespace))).iter();
        let pods: Vec<_> = pods.filter(|pod| selector.matches_labels(pod.at(LABELS))).cloned().collect();
        let groups = Group::all(&service, &pods);
        changes.stored.extend(endpoints(cluster, &service, &groups).map(|found| (ENDPOINTS, found)));
        slices(cluster, &service, groups, seed + changes.stored.len() as u64, &mut changes);
    }
    changes
}

/// Returns the Pods that run and have an address.
fn with_address(mut pods: Vec<Arc<Object>>) -> Vec<Arc<Object>> {
    pods.retain(|pod| {
        !address(pod).is_empty() && !["Succeeded", "Failed"].contains(&pod.text(["status", "phase"]))
    });
    pods
}

/// The Pods of a Service that have the same ports.
struct Group {
    ports: Vec<Value>,
    pods: Vec<Arc<Object>>,
}

impl Group {
    fn all(service: &Object, pods: &[Arc<Object>]) -> Vec<Self> {
        let mut groups: Vec<Self> = Vec::new();
        for pod in pods {
            let ports = service.items(["spec", "ports"]).filter_map(|port| endpoint_port(port, pod));
            let ports: Vec<Value> = ports.collect();
            if ports.is_empty() && !service.list(["spec", "ports"]).is_empty() {
                continue;
            }
            match groups.iter_mut().find(|group| group.ports == ports) {
                Some(group) => group.pods.push(pod.clone()),
                None => groups.push(Self { ports, pods: vec![pod.clone()] }),
            }
        }
        for group in &mut groups {
            group.pods.sort_by_cached_key(|pod| address(pod).to_owned());
        }
        groups
    }
}

/// Returns the port of a Service as a Pod has it, if it does.
///
/// Source: `FindPort`
fn endpoint_port(port: &Map, pod: &Object) -> Option<Value> {
    let number = match port.get("targetPort") {
        Some(Value::String(name)) => {
            let mut ports = ["containers", "initContainers"]
                .into_iter()
                .flat_map(|field| pod.items(["spec", field]).flat_map(|container| container.items("ports")));
            let found = ports.find(|found| {
                found.text("name") == name.as_str() && found.text("protocol") == port.text("protocol")
            })?;
            found.int("containerPort")
        }
        Some(number) => number.as_i64()?,
        None => port.int("port"),
    };
    let mut found = json!({"port": number, "protocol": port.text("protocol")});
    for field in ["name", "appProtocol"] {
        if !port.text(field).is_empty() {
            found[field] = port.text(field).into();
        }
    }
    Some(found)
}

fn address(pod: &Object) -> &str {
    pod.text(["status", "podIP"])
}

/// Whether clients of the Service get the Pod.
fn is_ready(service: &Object, pod: &Object) -> bool {
    service.flag(["spec", "publishNotReadyAddresses"]) || has_condition(pod, "Ready")
}

fn target(pod: &Object) -> Value {
    json!({
        "kind": "Pod",
        "namespace": pod.namespace(),
        "name": pod.name(),
        "uid": pod.text(["metadata", "uid"]),
    })
}

/// Returns the labels of what belongs to a Service: its own and others.
fn labels(service: &Object, others: &[(&str, &str)]) -> Map {
    let own = service.child(LABELS).into_iter().flat_map(Map::iter);
    let mut labels: Map = own.map(|(key, value)| (key.to_string(), value.clone())).collect();
    labels.remove(HEADLESS);
    if ["", "None"].contains(&service.text(["spec", "clusterIP"])) {
        labels.insert(HEADLESS, "".into());
    }
    labels.extend(others.iter().map(|(key, value)| ((*key).to_owned(), Value::from(*value))));
    labels
}

/// Returns the Endpoints of a Service, if they are other ones now.
fn endpoints(cluster: &Cluster, service: &Object, groups: &[Group]) -> Option<Object> {
    let subsets = groups.iter().filter_map(|group| {
        let mut subset = json!({});
        for (field, wanted) in [("addresses", true), ("notReadyAddresses", false)] {
            let pods = group.pods.iter().filter(|pod| !pod.has(["metadata", "deletionTimestamp"]));
            let pods = pods.filter(|pod| is_ready(service, pod) == wanted);
            let addresses = pods.map(|pod| {
                let mut found = json!({"ip": address(pod), "targetRef": target(pod)});
                if !pod.text(["spec", "nodeName"]).is_empty() {
                    found["nodeName"] = pod.text(["spec", "nodeName"]).into();
                }
                found
            });
            let addresses: Vec<Value> = addresses.collect();
            if !addresses.is_empty() {
                subset[field] = addresses.into();
            }
        }
        let has_addresses = subset.as_object().is_some_and(|subset| !subset.is_empty());
        if !group.ports.is_empty() {
            subset["ports"] = group.ports.clone().into();
        }
        has_addresses.then_some(subset)
    });
    let subsets: Vec<Value> = subsets.collect();
    let labels = labels(service, &[("endpoints.kubernetes.io/managed-by", "endpoint-controller")]);
    let known = cluster.get(&ENDPOINTS, service.namespace(), service.name());
    if let Some(known) = &known
        && known.list("subsets") == subsets.as_slice()
        && known.child(LABELS) == Some(&labels)
    {
        return None;
    }
    let mut found = known.map_or_else(
        || {
            let value = json!({
                "apiVersion": "v1",
                "kind": "Endpoints",
                "metadata": {"name": service.name(), "namespace": service.namespace()},
            });
            Object::new(GroupVersionKind::new("", "v1", "Endpoints"), value)
        },
        |known| Object::clone(&known),
    );
    found.set(LABELS, Value::Object(labels));
    if subsets.is_empty() {
        found.remove("subsets");
    } else {
        found.set("subsets", subsets);
    }
    Some(found)
}

/// Adds what changes in the slices of a Service.
fn slices(cluster: &Cluster, service: &Object, mut groups: Vec<Group>, seed: u64, changes: &mut Changes) {
    let families = service.list(["spec", "ipFamilies"]);
    if !families.is_empty() && !families.contains(&"IPv4".into()) {
        return;
    }
    let labels = labels(
        service,
        &[
            ("endpointslice.kubernetes.io/managed-by", "endpointslice-controller.k8s.io"),
            (SERVICE_NAME, service.name()),
        ],
    );
    if groups.is_empty() {
        groups.push(Group { ports: Vec::new(), pods: Vec::new() });
    }
    let mut known = cluster.list(&ENDPOINT_SLICES, service.namespace());
    known.retain(|slice| {
        let managed = slice.text(["metadata", "labels", "endpointslice.kubernetes.io/managed-by"]);
        slice.text(["metadata", "labels", SERVICE_NAME]) == service.name()
            && managed == "endpointslice-controller.k8s.io"
    });
    let mut known = known.into_iter();
    for (number, group) in (0..).zip(groups) {
        let endpoints: Vec<Value> = group.pods.iter().map(|pod| endpoint(service, pod)).collect();
        let ports = group.ports.into_iter().map(|mut port| {
            if port.get("name").is_none() {
                port["name"] = "".into();
            }
            port
        });
        let ports: Vec<Value> = ports.collect();
        let before = known.next();
        if let Some(before) = &before
            && before.list("endpoints") == endpoints.as_slice()
            && before.list("ports") == ports.as_slice()
            && before.child(LABELS) == Some(&labels)
        {
            continue;
        }
        let mut slice = before.map_or_else(
            || {
                let prefix = format!("{}-", service.name());
                let name = name_generator::generate_name(&prefix, seed + number);
                let kind = GroupVersionKind::new("discovery.k8s.io", "v1", "EndpointSlice");
                let metadata = json!({"name": name, "generateName": prefix});
                let mut slice = owned::make(service, kind, &metadata);
                slice.set("addressType", "IPv4");
                slice
            },
            |before| Object::clone(&before),
        );
        slice.set(LABELS, Value::Object(labels.clone()));
        for (field, found) in [("endpoints", endpoints), ("ports", ports)] {
            if found.is_empty() {
                slice.remove(field);
            } else {
                slice.set(field, found);
            }
        }
        changes.stored.push((ENDPOINT_SLICES, slice));
    }
    changes.deleted.extend(known);
}

fn endpoint(service: &Object, pod: &Object) -> Value {
    let is_terminating = pod.has(["metadata", "deletionTimestamp"]);
    let is_serving = has_condition(pod, "Ready");
    let is_published = service.flag(["spec", "publishNotReadyAddresses"]);
    let mut found = json!({
        "addresses": [address(pod)],
        "conditions": {
            "ready": is_published || is_serving && !is_terminating,
            "serving": is_serving,
            "terminating": is_terminating,
        },
        "targetRef": target(pod),
    });
    if !pod.text(["spec", "nodeName"]).is_empty() {
        found["nodeName"] = pod.text(["spec", "nodeName"]).into();
    }
    found
}
