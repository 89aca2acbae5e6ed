//! Refuses changes of a running pod that its node is too old for. Nodes declare the features of their kubelet; a resize
//! that the kubelet does not support would be accepted and never happen.
//!
//! # When it rejects
//!
//! An update of a pod that is placed on a node needs a feature that is not in the node's `status.declaredFeatures`, or
//! the node does not exist:
//!
//! - `InPlacePodLevelResourcesVerticalScaling`: `spec.resources` changes.
//! - `InPlacePodVerticalScalingInitContainers`: the resources of an init container that is not a sidecar change.
//!
//! # Cluster objects it reads
//!
//! The Node of the pod.
//!
//! # Offline
//!
//! Nothing is assumed: the Node has to be among the cluster objects, with its status. As on a server, a quantity of an
//! init container that is only written in another way (`0.1` instead of `100m`) counts as a change if something else in
//! the pod's spec really changes.
//!
//! # Since
//!
//! 1.35 with the gate `NodeDeclaredFeatures`, on since 1.36; on by default.
//!
//! # Upstream
//!
//! `k8s.io/kubernetes/plugin/pkg/admission/nodedeclaredfeatures`

use std::sync::Arc;

use crate::admission::{Attributes, Evidence, Handler, Need, Recorder, Refusal, ValidationInterface};
use crate::cluster::Cluster;
use crate::plugin::PluginInitializer;
use gotext::quantity::Quantity;
use gotext::quote;
use kube_api::features::Feature;
use kube_api::field::Path;
use kube_api::resources::NODES;
use kube_api::{Object, Value};
use kube_registry::pod::{ContainerType, PodTemplate};

/// A feature and the fields whose change needs it on the node.
struct DeclaredFeature {
    feature: Feature,
    changes: fn(old: PodTemplate<'_>, new: PodTemplate<'_>, pod: &Object) -> Vec<Path>,
}

/// The features that an update can need, ordered by name. Features that only scheduling checks are absent.
///
/// Source: `k8s.io/component-helpers/nodedeclaredfeatures/features`.
const FEATURES: [DeclaredFeature; 2] = [
    DeclaredFeature { feature: Feature::InPlacePodLevelResourcesVerticalScaling, changes: pod_level_changes },
    DeclaredFeature {
        feature: Feature::InPlacePodVerticalScalingInitContainers,
        changes: init_container_changes,
    },
];

pub(super) fn new(initializer: &PluginInitializer) -> Handler {
    Handler::validating(NodeDeclaredFeatureValidator {
        cluster: initializer.cluster.clone(),
        enabled: initializer.profile.enabled(Feature::NodeDeclaredFeatures),
    })
}

struct NodeDeclaredFeatureValidator {
    cluster: Arc<Cluster>,
    enabled: bool,
}

impl ValidationInterface for NodeDeclaredFeatureValidator {
    fn validate(&self, attributes: &Attributes, _recorder: &mut Recorder) -> Result<(), Refusal> {
        let is_concerned =
            attributes.is_for("", "pods") || attributes.is_for_sub_resource("", "pods", "resize");
        if !self.enabled || !is_concerned || !attributes.changes_spec() {
            return Ok(());
        }
        let Some(object) = attributes.object.as_deref().map(Object::in_memory) else { return Ok(()) };
        let (Some(pod), Some(old_pod)) =
            (PodTemplate::of(&object), attributes.old_object.as_deref().and_then(PodTemplate::of))
        else {
            return Ok(());
        };
        let name = pod.text("nodeName");
        if name.is_empty() {
            return Ok(());
        }
        let changes = FEATURES
            .iter()
            .map(|declared| (declared.feature.name(), (declared.changes)(old_pod, pod, &object)));
        let mut needed: Vec<_> = changes.filter(|(_, paths)| !paths.is_empty()).collect();
        if needed.is_empty() {
            return Ok(());
        }
        let Some(node) = self.cluster.get(&NODES, "", name) else {
            let refusal = attributes.new_forbidden(format!("node {} not found", quote(name)));
            return Err(refusal.at(Path::new("spec.nodeName")));
        };
        let declared = node.list(["status", "declaredFeatures"]);
        needed.retain(|(feature, _)| !declared.iter().any(|name| name == feature));
        if needed.is_empty() {
            return Ok(());
        }
        let (missing, fields): (Vec<&str>, Vec<Vec<Path>>) = needed.into_iter().unzip();
        let error = format!(
            "pod update requires features {} which are not available on node {}",
            missing.join(", "),
            quote(name)
        );
        let need = |feature: &str| Need::Feature { node: name.to_owned(), feature: feature.to_owned() };
        Err(attributes
            .new_forbidden(error)
            .at_all(fields.into_iter().flatten())
            .needing(missing.into_iter().map(need))
            .because(evidence(&node, declared)))
    }
}

/// Compares amounts; an empty value equals an absent one.
///
/// Source: `apiequality.Semantic`
fn pod_level_changes(old: PodTemplate<'_>, new: PodTemplate<'_>, _: &Object) -> Vec<Path> {
    let field = "resources";
    let (before, after) = (old.at(field), new.at(field));
    let is_same = match (before, after) {
        (Some(before), Some(after)) => without_empty(before) == without_empty(after),
        (before, after) => before.is_none() && after.is_none(),
    };
    if is_same { Vec::new() } else { vec![new.spec_path().child(field)] }
}

/// Returns the entries of `resources` that are not empty.
fn without_empty(resources: &Value) -> Vec<(&str, &Value)> {
    let is_empty = |value: &Value| match value {
        Value::Array(items) => items.is_empty(),
        Value::Object(entries) => entries.is_empty(),
        value => value.is_null(),
    };
    let entries = resources.as_object().into_iter().flatten();
    entries.filter(|(_, value)| !is_empty(value)).map(|(name, value)| (name.as_ref(), value)).collect()
}

/// Sidecars are resized like containers. An explicitly empty value differs from an absent one, and so does an amount
/// with another representation.
///
/// Source: `reflect.DeepEqual`
fn init_container_changes(old: PodTemplate<'_>, new: PodTemplate<'_>, pod: &Object) -> Vec<Path> {
    let both = old.containers_of(ContainerType::Init).zip(new.containers_of(ContainerType::Init));
    let changed = both.filter(|(old, new)| {
        let resources = new.at("resources");
        !old.is_restartable_init()
            && (old.at("resources") != resources
                || resources.is_some_and(|resources| {
                    is_spelled_otherwise(resources, &new.path().child("resources"), pod)
                }))
    });
    changed.map(|(_, new)| new.path().child("resources")).collect()
}

/// Whether an amount in `resources`, at `path`, was written differently than it is stored.
fn is_spelled_otherwise(resources: &Value, path: &Path, pod: &Object) -> bool {
    ["limits", "requests"].into_iter().any(|side| {
        let amounts = resources.child(side);
        amounts.into_iter().flatten().any(|(name, amount)| {
            let Some(read) = pod.quantity_as_read(&path.child(side).key(name.to_string())) else {
                return false;
            };
            let stored = amount.as_str().and_then(|text| Quantity::parse(text).ok());
            // A plugin may have changed the amount.
            stored.is_some_and(|stored| stored == *read && !stored.same_representation(read))
        })
    })
}

fn evidence(node: &Object, declared: &[Value]) -> Evidence {
    let names: Vec<&str> = declared.iter().filter_map(Value::as_str).collect();
    let says = match &*names {
        [] => "declares no features".to_owned(),
        names => format!("declares {}", names.join(", ")),
    };
    Evidence::of(NODES, node, says).at(Path::new("status.declaredFeatures"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plugin::testing::{Bench, pod, update};
    use kube_api::decode::{DecodeContext, FieldValidation};
    use kube_api::server_profile::ServerProfile;
    use kube_api::version::Version;

    use gotext::value::json;

    fn node(features: &[&str]) -> Value {
        json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}, "status": {"declaredFeatures": features}})
    }

    fn requesting(container: &str, init: &str, pod_level: &str) -> Value {
        let resources = |cpu| json!({"requests": {"cpu": cpu}});
        pod(json!({
            "nodeName": "n1",
            "resources": resources(pod_level),
            "initContainers": [
                {"name": "sidecar", "restartPolicy": "Always", "resources": resources(container)},
                {"name": "init", "resources": resources(init)},
            ],
            "containers": [{"name": "web", "resources": resources(container)}],
        }))
    }

    fn resize(old: Value, new: Value) -> Attributes {
        Attributes { sub_resource: "resize".into(), ..update(old, new) }
    }

    fn from(new: Value) -> Attributes {
        resize(requesting("1", "1", "1"), new)
    }

    #[test]
    fn admits_what_needs_nothing_or_is_declared() {
        let bench = Bench::new("NodeDeclaredFeatureValidator", []);
        bench.validate(&from(requesting("2", "1", "1"))).unwrap();
        bench.validate(&from(requesting("1", "1", "1"))).unwrap();
        let all = ["Other", FEATURES[1].feature.name(), FEATURES[0].feature.name()];
        let bench = Bench::new("NodeDeclaredFeatureValidator", [node(&all)]);
        bench.validate(&from(requesting("2", "2", "2"))).unwrap();
    }

    #[test]
    fn rejects_what_the_node_does_not_declare() {
        let bench = Bench::new("NodeDeclaredFeatureValidator", [node(&[])]);
        let refusal = bench.validate(&from(requesting("1", "2", "2"))).unwrap_err();
        assert_eq!(
            refusal.status.message,
            "pods \"web\" is forbidden: pod update requires features InPlacePodLevelResourcesVerticalScaling, \
             InPlacePodVerticalScalingInitContainers which are not available on node \"n1\""
        );
        let fields: Vec<_> = refusal.fields.iter().map(ToString::to_string).collect();
        assert_eq!(fields, ["spec.resources", "spec.initContainers[1].resources"]);
        assert_eq!(refusal.evidence[0].says, "declares no features");
        let bench = Bench::new("NodeDeclaredFeatureValidator", [node(&[FEATURES[1].feature.name()])]);
        let refusal = bench.validate(&from(requesting("1", "2", "2"))).unwrap_err();
        assert!(refusal.status.message.contains("features InPlacePodLevelResourcesVerticalScaling which"));
    }

    #[test]
    fn an_amount_in_another_notation_is_a_change_of_init_containers() {
        let read = |image: &str, cpu: &str| {
            let mut value = requesting("1", cpu, "1");
            value["spec"]["containers"][0]["image"] = json!(image);
            let source = gotext::source::SourceFile::new("pod.json", value.to_string());
            let node = kube_yaml::read(&source).next().unwrap().unwrap().node;
            let kind = kube_api::GroupVersionKind::new("", "v1", "Pod");
            let context = DecodeContext {
                kind: &kind,
                field_validation: FieldValidation::Strict,
                strict_errors: &[],
                body: "",
            };
            kube_registry::read(node, &context, &ServerProfile::default(), kube_registry::NOW).unwrap().object
        };
        let bench = Bench::new("NodeDeclaredFeatureValidator", [node(&[])]);
        let changes = |image: &str, cpu: &str| {
            let mut attributes = resize(pod(json!({})), pod(json!({})));
            attributes.old_object = Some(Arc::new(read("a", "100m")));
            attributes.object = Some(Arc::new(read(image, cpu)));
            bench.validate(&attributes).is_err()
        };
        assert!(changes("b", "0.1"));
        assert!(!changes("b", "100m"));
        assert!(!changes("a", "0.1"), "nothing else changes");
    }

    #[test]
    fn rejects_nodes_that_do_not_exist() {
        let bench = Bench::new("NodeDeclaredFeatureValidator", []);
        let refusal = bench.validate(&from(requesting("1", "2", "1"))).unwrap_err();
        assert_eq!(refusal.status.message, "pods \"web\" is forbidden: node \"n1\" not found");
    }

    #[test]
    fn ignores_unplaced_pods_and_everything_without_the_gate() {
        let bench = Bench::new("NodeDeclaredFeatureValidator", []);
        bench.validate(&resize(pod(json!({})), pod(json!({"resources": {"limits": {"cpu": 1}}})))).unwrap();
        let off = "NodeDeclaredFeatures=false,InPlacePodLevelResourcesVerticalScaling=false,\
                   RestartAllContainersOnContainerExits=false,ExtendWebSocketsToKubelet=false,\
                   InPlacePodVerticalScalingInitContainers=false";
        let bench = Bench::gated_in("NodeDeclaredFeatureValidator", Version::RECORDED, off, []);
        bench.validate(&from(requesting("1", "2", "2"))).unwrap();
    }
}
