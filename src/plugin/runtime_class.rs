//! Adds to a pod the requirements of its runtime class: the overhead of the runtime (`spec.overhead`), a node selector
//! and tolerations. A pod without the overhead of, say, its virtual machine would use memory on the node that is not
//! accounted for.
//!
//! # When it rejects
//!
//! A new pod is refused when
//!
//! - its runtime class does not exist,
//! - it sets a `spec.overhead` that differs from its runtime class, or one although the class has none,
//! - its node selector contradicts the one of its runtime class.
//!
//! # Cluster objects it reads
//!
//! The runtime class of the pod: `overhead`, `scheduling`.
//!
//! # Offline
//!
//! Nothing is assumed.
//!
//! # Since
//!
//! 1.16; on by default since 1.18, when the gate `PodOverhead` was on. Generally available since 1.24.
//!
//! # Upstream
//!
//! `k8s.io/kubernetes/plugin/pkg/admission/runtimeclass`

use std::sync::Arc;

use crate::admission::{
    Attributes, Evidence, Handler, MutationInterface, Need, Recorder, Refusal, ValidationInterface,
};
use crate::cluster::Cluster;
use crate::plugin::PluginInitializer;
use gotext::quantity::Quantity;
use gotext::quote;
use kube_api::field::Path;
use kube_api::resources::RUNTIME_CLASSES;
use kube_api::{Object, Status, Value, pairs};
use kube_registry::toleration;

const OVERHEAD: [&str; 2] = ["spec", "overhead"];
const NODE_SELECTOR: [&str; 2] = ["spec", "nodeSelector"];
const TOLERATIONS: [&str; 2] = ["spec", "tolerations"];

pub(super) fn new(initializer: &PluginInitializer) -> Handler {
    Handler::both(RuntimeClass { cluster: initializer.cluster.clone() })
}

struct RuntimeClass {
    cluster: Arc<Cluster>,
}

impl MutationInterface for RuntimeClass {
    fn admit(&self, attributes: &mut Attributes, recorder: &mut Recorder) -> Result<(), Refusal> {
        if !attributes.is_for("", "pods") {
            return Ok(());
        }
        let Some(class) = self.class(attributes)? else { return Ok(()) };
        recorder.add_source(&RUNTIME_CLASSES, "", class.name());
        set_overhead(attributes, &class)?;
        if class.has("scheduling") {
            set_node_selector(attributes, &class)?;
            set_tolerations(attributes, &class);
        }
        Ok(())
    }
}

impl ValidationInterface for RuntimeClass {
    fn validate(&self, attributes: &Attributes, _recorder: &mut Recorder) -> Result<(), Refusal> {
        if !attributes.is_for("", "pods") {
            return Ok(());
        }
        let class = self.class(attributes)?;
        let pod = attributes.object.as_deref();
        let overhead = pod.and_then(|pod| pod.at(OVERHEAD));
        let has_overhead = overhead.is_some() || pod.is_some_and(|pod| pod.was_given_empty(&OVERHEAD));
        match class.filter(|class| class.has("overhead")) {
            Some(class) if !equal_resources(pod_fixed(&class), overhead) => {
                Err(overhead_mismatch(attributes, &class))
            }
            None if has_overhead => Err(attributes
                .new_forbidden(
                    "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead",
                )
                .at(Path::new("spec.overhead"))),
            _ => Ok(()),
        }
    }
}

impl RuntimeClass {
    /// Returns the class that the pod names, if it names one.
    fn class(&self, attributes: &Attributes) -> Result<Option<Arc<Object>>, Refusal> {
        let path = ["spec", "runtimeClassName"];
        let name = attributes.object.as_deref().and_then(|pod| pod.at(path)?.as_str());
        let Some(name) = name else { return Ok(None) };
        let place = Path::new("spec.runtimeClassName");
        if name.is_empty() {
            // The error of the API server's client library for a look-up without a name.
            return Err(Refusal::from(Status::from_error("resource name may not be empty")).at(place));
        }
        if let Some(class) = self.cluster.get(&RUNTIME_CLASSES, "", name) {
            return Ok(Some(class));
        }
        let error = format!("pod rejected: RuntimeClass {} not found", quote(name));
        Err(attributes.new_forbidden(error).at(place).needing([Need::object(&RUNTIME_CLASSES, "", name)]))
    }
}

fn set_overhead(attributes: &mut Attributes, class: &Object) -> Result<(), Refusal> {
    if class.at("overhead").is_none() {
        return Ok(());
    }
    let Some(given) = attributes.object.as_deref().map(|pod| pod.at(OVERHEAD)) else { return Ok(()) };
    let fixed = pod_fixed(class);
    let is_given = given.and_then(Value::as_object).is_some_and(|map| !map.is_empty());
    if is_given && !equal_resources(fixed, given) {
        return Err(overhead_mismatch(attributes, class));
    }
    let was_empty = attributes.object.as_deref().is_some_and(|pod| pod.was_given_empty(&OVERHEAD));
    if given == fixed && !was_empty {
        return Ok(());
    }
    if let Some(pod) = attributes.object_mut() {
        pod.forget_empty(&OVERHEAD);
        match fixed {
            Some(fixed) => pod.set(OVERHEAD, fixed.clone()),
            None => drop(pod.remove(OVERHEAD)),
        }
    }
    Ok(())
}

fn set_node_selector(attributes: &mut Attributes, class: &Object) -> Result<(), Refusal> {
    for (key, wanted) in pairs(class.at(["scheduling", "nodeSelector"])) {
        let path = [NODE_SELECTOR[0], NODE_SELECTOR[1], key];
        let given = attributes.object.as_deref().and_then(|pod| pod.at(path)).and_then(Value::as_str);
        match given {
            Some(given) if given == wanted => {}
            Some(given) => {
                let refusal = attributes.new_forbidden(format!(
                    "conflict: runtimeClass.scheduling.nodeSelector[{key}] = {wanted}; \
                     pod.spec.nodeSelector[{key}] = {given}"
                ));
                return Err(refusal.at(Path::new("spec.nodeSelector").key(key)).because(evidence(
                    class,
                    Path::new("scheduling.nodeSelector").key(key),
                    format!("runs on nodes with {key}={wanted}"),
                )));
            }
            None => {
                if let Some(pod) = attributes.object_mut() {
                    pod.set(path, wanted);
                }
            }
        }
    }
    Ok(())
}

/// Sets the tolerations. This also removes duplicates among the pod's own, as upstream does.
fn set_tolerations(attributes: &mut Attributes, class: &Object) {
    let Some(pod) = attributes.object.as_deref() else { return };
    let merged = toleration::merge(pod.list(TOLERATIONS), class.list(["scheduling", "tolerations"]));
    if merged != pod.list(TOLERATIONS)
        && let Some(pod) = attributes.object_mut()
    {
        pod.set(TOLERATIONS, merged);
    }
}

fn overhead_mismatch(attributes: &Attributes, class: &Object) -> Refusal {
    attributes
        .new_forbidden("pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead")
        .at(Path::new("spec.overhead"))
        .because(evidence(class, Path::new("overhead"), "defines another overhead".to_owned()))
}

fn evidence(class: &Object, path: Path, says: String) -> Evidence {
    Evidence::of(RUNTIME_CLASSES, class, says).at(path)
}

fn pod_fixed(class: &Object) -> Option<&Value> {
    class.at(["overhead", "podFixed"])
}

/// Whether two lists of resources have the same names and equal quantities; an absent list is an empty one.
fn equal_resources(one: Option<&Value>, other: Option<&Value>) -> bool {
    let parsed = |list| -> Vec<(&str, Quantity)> {
        pairs(list).map(|(name, text)| (name, text.parse().unwrap_or_default())).collect()
    };
    parsed(one) == parsed(other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plugin::testing::{Bench, create, pod, update};
    use gotext::value::json;

    fn class(name: &str, fields: &Value) -> Value {
        let mut class =
            json!({"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": name}});
        for (field, value) in fields.as_object().unwrap() {
            class[field] = value.clone();
        }
        class
    }

    fn bench() -> Bench {
        let toleration = json!({"key": "kata", "operator": "Exists"});
        let scheduling =
            json!({"nodeSelector": {"arch": "arm64", "kata": "yes"}, "tolerations": [toleration]});
        Bench::new(
            "RuntimeClass",
            [
                class("kata", &json!({"overhead": {"podFixed": {"cpu": "250m"}}, "scheduling": scheduling})),
                class("free", &json!({"overhead": {}, "scheduling": {}})),
                class("plain", &json!({})),
            ],
        )
    }

    fn refused(spec: Value) -> Refusal {
        bench().admit(&mut create(pod(spec))).unwrap_err()
    }

    #[test]
    fn admits_pods_with_what_their_class_says() {
        let own = json!({"key": "kata", "operator": "Equal", "value": "1"});
        let given = json!({"runtimeClassName": "kata", "overhead": {"cpu": "0.25"}, "tolerations": [own]});
        let admitted = bench().admitted(create(pod(given)));
        assert_eq!(
            admitted,
            pod(json!({
                "runtimeClassName": "kata",
                "overhead": {"cpu": "250m"},
                "nodeSelector": {"arch": "arm64", "kata": "yes"},
                "tolerations": [{"key": "kata", "operator": "Exists"}],
            }))
        );
        assert_eq!(bench().validate(&create(admitted)), Ok(()));
    }

    #[test]
    fn admits_pods_without_overhead_where_the_class_has_an_empty_one() {
        let admitted = bench().admitted(create(pod(json!({"runtimeClassName": "free", "overhead": {}}))));
        assert_eq!(admitted, pod(json!({"runtimeClassName": "free"})));
        assert_eq!(bench().validate(&create(admitted)), Ok(()));
    }

    #[test]
    fn admits_pods_without_their_redundant_tolerations_where_the_class_has_scheduling() {
        let twice = json!({"key": "a", "operator": "Exists"});
        let admitted = bench()
            .admitted(create(pod(json!({"runtimeClassName": "free", "tolerations": [&twice, &twice]}))));
        assert_eq!(admitted["spec"]["tolerations"], json!([twice]));
    }

    #[test]
    fn rejects_classes_that_do_not_exist() {
        let refusal = refused(json!({"runtimeClassName": "gvisor"}));
        assert_eq!(
            refusal.status.message,
            "pods \"web\" is forbidden: pod rejected: RuntimeClass \"gvisor\" not found"
        );
        assert_eq!(refusal.fields, [Path::new("spec.runtimeClassName")]);
        let refusal = refused(json!({"runtimeClassName": ""}));
        assert_eq!(*refusal.status, Status::from_error("resource name may not be empty"));
    }

    #[test]
    fn rejects_another_overhead_in_both_phases() {
        let message = "pods \"web\" is forbidden: pod rejected: Pod's Overhead doesn't match RuntimeClass's defined \
                       Overhead";
        for overhead in
            [json!({"cpu": "251m"}), json!({"cpu": "250m", "memory": "1Mi"}), json!({"memory": "0"})]
        {
            let spec = json!({"runtimeClassName": "kata", "overhead": &overhead});
            assert_eq!(refused(spec.clone()).status.message, message);
            assert_eq!(bench().validate(&create(pod(spec))).unwrap_err().status.message, message);
        }
        let cleared = json!({"runtimeClassName": "kata"});
        assert_eq!(bench().validate(&create(pod(cleared))).unwrap_err().status.message, message);
    }

    #[test]
    fn rejects_overhead_without_a_class_that_has_one() {
        for spec in [json!({"overhead": {}}), json!({"overhead": {"cpu": "1"}, "runtimeClassName": "plain"})]
        {
            assert_eq!(
                bench().validate(&create(pod(spec))).unwrap_err().status.message,
                "pods \"web\" is forbidden: pod rejected: \
                 Pod Overhead set without corresponding RuntimeClass defined Overhead"
            );
        }
    }

    #[test]
    fn rejects_a_node_selector_that_contradicts_the_class() {
        let mut request =
            create(pod(json!({"runtimeClassName": "kata", "nodeSelector": {"arch": "amd64", "zone": "a"}})));
        let refusal = bench().admit(&mut request).unwrap_err();
        assert_eq!(
            refusal.status.message,
            "pods \"web\" is forbidden: conflict: runtimeClass.scheduling.nodeSelector[arch] = arm64; \
             pod.spec.nodeSelector[arch] = amd64"
        );
        assert_eq!(refusal.evidence[0].says, "runs on nodes with arch=arm64");
        assert_eq!(request.object.unwrap().at(OVERHEAD), Some(&json!({"cpu": "250m"})));
    }

    #[test]
    fn ignores_pods_without_a_class_updates_and_subresources() {
        assert!(bench().leaves_alone(create(pod(json!({})))));
        assert_eq!(bench().validate(&create(pod(json!({})))), Ok(()));
        assert!(bench().leaves_alone(create(pod(json!({"runtimeClassName": "plain"})))));
        let unknown = || pod(json!({"runtimeClassName": "gvisor"}));
        assert!(bench().leaves_alone(update(unknown(), unknown())));
        let mut status = create(unknown());
        status.sub_resource = "status".into();
        assert!(bench().leaves_alone(status));
    }
}
