//! Adds to pods that request extended resources, such as GPUs, a toleration for a taint named after each. Nodes with
//! expensive devices can then be tainted with the name of the resource, so that pods that do not need them stay away,
//! without tolerations written by hand.
//!
//! # When it rejects
//!
//! Never.
//!
//! # Cluster objects it reads
//!
//! None.
//!
//! # Offline
//!
//! Nothing is assumed.
//!
//! # Since
//!
//! 1.9, off by default.
//!
//! # Upstream
//!
//! `k8s.io/kubernetes/plugin/pkg/admission/extendedresourcetoleration`

use std::collections::BTreeSet;

use gotext::value::json;

use crate::admission::{Attributes, Handler, MutationInterface, Recorder, Refusal};
use crate::plugin::PluginInitializer;
use gotext::names;
use kube_api::{Map, Object, Value};
use kube_registry::pod::{Container, ContainerType, PodTemplate};
use kube_registry::toleration::Toleration;

pub(super) fn new(_: &PluginInitializer) -> Handler {
    Handler::mutating(ExtendedResourceToleration)
}

struct ExtendedResourceToleration;

impl MutationInterface for ExtendedResourceToleration {
    fn admit(&self, attributes: &mut Attributes, _recorder: &mut Recorder) -> Result<(), Refusal> {
        if !attributes.is_for("", "pods") {
            return Ok(());
        }
        let Some(pod) = attributes.object.as_deref() else { return Ok(()) };
        let mut tolerations = pod.list(["spec", "tolerations"]).to_vec();
        for resource in extended_resources(pod) {
            add_or_update(&mut tolerations, &resource);
        }
        if tolerations != pod.list(["spec", "tolerations"])
            && let Some(pod) = attributes.object_mut()
        {
            pod.set(["spec", "tolerations"], tolerations);
        }
        Ok(())
    }
}

/// Returns the names of the extended resources that containers and init containers request, in any amount.
fn extended_resources(pod: &Object) -> BTreeSet<String> {
    let Some(pod) = PodTemplate::of(pod) else { return BTreeSet::new() };
    [ContainerType::Main, ContainerType::Init]
        .into_iter()
        .flat_map(|container_type| pod.containers_of(container_type))
        .filter_map(|container: Container<'_>| {
            container.at(["resources", "requests"]).and_then(Value::as_object)
        })
        .flat_map(Map::keys)
        .filter(|name| is_extended(name))
        .map(ToString::to_string)
        .collect()
}

/// Source: `IsExtendedResourceName` of `k8s.io/kubernetes/pkg/apis/core/helper`.
fn is_extended(name: &str) -> bool {
    let is_native = !name.contains('/') || name.contains("kubernetes.io/");
    let name_in_quotas = format!("requests.{name}");
    !is_native && !name.starts_with("requests.") && names::is_qualified_name(&name_in_quotas).is_empty()
}

/// Replaces a toleration that differs only in its seconds; a wider toleration does not count.
///
/// Source: `AddOrUpdateTolerationInPod`.
fn add_or_update(tolerations: &mut Vec<Value>, resource: &str) {
    let wanted = json!({"key": resource, "operator": "Exists", "effect": "NoSchedule"});
    let toleration = Toleration::of(&wanted);
    let without_seconds =
        |value: &Value| Toleration { toleration_seconds: None, ..Toleration::of(value) } == toleration;
    let mut is_new = true;
    for given in tolerations.iter_mut().filter(|given| without_seconds(given)) {
        *given = wanted.clone();
        is_new = false;
    }
    if is_new {
        tolerations.push(wanted);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plugin::testing::{Bench, create, pod, update};

    fn toleration(key: &str) -> Value {
        json!({"key": key, "operator": "Exists", "effect": "NoSchedule"})
    }

    fn requesting(requests: &Value, tolerations: &[Value]) -> Value {
        pod(
            json!({"containers": [{"name": "a", "resources": {"requests": requests}}], "tolerations": tolerations}),
        )
    }

    #[test]
    fn admits_pods_with_a_toleration_for_each_extended_resource() {
        let bench = Bench::new("ExtendedResourceToleration", []);
        let requests = json!({"nvidia.com/gpu": 0, "cpu": "1", "batch.kubernetes.io/slot": 1, "example.com/a": 1, "requests.example.com/b": 1});
        let own = json!({"operator": "Exists"});
        let expected = [own.clone(), toleration("example.com/a"), toleration("nvidia.com/gpu")];
        let given = || requesting(&requests, std::slice::from_ref(&own));
        assert_eq!(bench.admitted(create(given())), requesting(&requests, &expected));
        assert_eq!(bench.admitted(update(given(), given())), requesting(&requests, &expected));
    }

    #[test]
    fn admits_pods_without_the_seconds_of_their_own_toleration() {
        let bench = Bench::new("ExtendedResourceToleration", []);
        let requests = json!({"nvidia.com/gpu": 1});
        let mut own = toleration("nvidia.com/gpu");
        own["tolerationSeconds"] = json!(30);
        let other = json!({"key": "a"});
        assert_eq!(
            bench.admitted(create(requesting(&requests, &[own.clone(), other.clone(), own]))),
            requesting(&requests, &[toleration("nvidia.com/gpu"), other, toleration("nvidia.com/gpu")])
        );
    }

    #[test]
    fn ignores_pods_that_have_it_already_or_request_nothing_extended() {
        let bench = Bench::new("ExtendedResourceToleration", []);
        assert!(bench.leaves_alone(create(requesting(&json!({"a.b/c": 1}), &[toleration("a.b/c")]))));
        assert!(bench.leaves_alone(create(requesting(&json!({"cpu": 1}), &[]))));
        let containers = json!([{"name": "a", "resources": {"requests": {"a.b/c": 1}}}]);
        assert!(bench.leaves_alone(create(pod(json!({"ephemeralContainers": containers})))));
    }
}
