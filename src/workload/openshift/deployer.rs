//! A deployer pod carries out a deployment of a `DeploymentConfig`: when it runs, its `ReplicationController` gets the
//! replicas. It ends with the deployment.
//!
//! Source: `github.com/openshift/openshift-controller-manager/pkg/apps/deployer`, `DeployerPodNameForDeployment` of
//! `github.com/openshift/library-go/pkg/apps/appsutil`.

use std::sync::Arc;

use gotext::value::json;

use crate::cluster::Cluster;
use crate::workload::{Event, Existing, Reaction, Template, owned, pod, rollout};
use kube_api::resources::{PODS, REPLICATION_CONTROLLERS};
use kube_api::{GroupResource, GroupVersionKind, Object, Value};

/// The name of the controller that creates the pods.
pub(super) const NAME: &str = "deployer-controller";

/// The annotations with the name of the configuration, and of the deployment.
pub(super) const CONFIG: &str = "openshift.io/deployment-config.name";
pub(super) const DEPLOYMENT: &str = "openshift.io/deployment.name";

/// The label of the pods: the name of the deployment.
const POD_FOR: &str = "openshift.io/deployer-pod-for.name";
const PHASE: &str = "openshift.io/deployment.phase";
const WANTED: &str = "kubectl.kubernetes.io/desired-replicas";

const CONFIGS: GroupResource = GroupResource::new("apps.openshift.io", "deploymentconfigs");

/// The seconds that a deployment may take unless its strategy says otherwise.
const LONGEST: i64 = 21_600;

/// Marks a controller as one that a deployer pod will scale.
pub(super) fn await_deployer(controller: &mut Object, replicas: u64) {
    controller.set(["metadata", "annotations", PHASE], "New");
    controller.set(["metadata", "annotations", WANTED], replicas.to_string());
    controller.set(["spec", "replicas"], 0);
}

/// Whether no deployer pod has scaled `controller` yet.
pub(super) fn is_awaited(controller: &Object) -> bool {
    controller.annotation(PHASE) == Some("New")
}

/// Creates the deployer pod of a controller.
pub(super) fn react_to_controller(event: &Event<'_>) -> Vec<Reaction> {
    let controller = event.object;
    if !is_awaited(controller) {
        return end_deployment(event.cluster, controller);
    }
    let config = controller.annotation(CONFIG);
    let config = config.and_then(|config| event.cluster.get(&CONFIGS, controller.namespace(), config));
    let Some(config) = config.filter(|_| pod_of(event.cluster, controller).is_none()) else {
        return Vec::new();
    };
    vec![Reaction::of_one(Template { object: deployer(controller, &config), path: None })]
}

/// Gives the controller its replicas, as a deployer pod that runs does, and ends with the last of them.
pub(super) fn react_to_pod(event: &Event<'_>) -> Vec<Reaction> {
    let pod = event.object;
    let named = |name| event.cluster.get(&REPLICATION_CONTROLLERS, pod.namespace(), name);
    let Some(controller) = pod.label(POD_FOR).and_then(named).filter(|controller| is_awaited(controller))
    else {
        let controller = pod.annotation(DEPLOYMENT).and_then(named);
        return controller.map(|controller| end_deployment(event.cluster, &controller)).unwrap_or_default();
    };
    let wanted = controller.annotation(WANTED).and_then(|text| text.parse::<u64>().ok()).unwrap_or(0);
    let mut scaled = Object::clone(&controller);
    scaled.set(["metadata", "annotations", PHASE], "Complete");
    scaled.set(["spec", "replicas"], wanted);
    vec![Reaction::of_one(Template { object: scaled, path: None })]
}

/// Removes the deployer pod of a controller that has its replicas.
fn end_deployment(cluster: &Cluster, controller: &Object) -> Vec<Reaction> {
    let is_complete = !is_awaited(controller)
        && owned::count(&owned::pods(cluster, controller)) >= rollout::replicas(controller);
    let Some(object) = pod_of(cluster, controller).filter(|_| is_complete) else { return Vec::new() };
    let over = Existing { resource: PODS, object, count: 1, surplus: 1 };
    vec![Reaction { deleted: vec![over], ..Reaction::default() }]
}

/// Returns the deployer pod of `controller`, if it exists.
fn pod_of(cluster: &Cluster, controller: &Object) -> Option<Arc<Object>> {
    let pod = cluster.get(&PODS, controller.namespace(), &name_of_pod(controller))?;
    (pod.label(POD_FOR) == Some(controller.name())).then_some(pod)
}

fn name_of_pod(controller: &Object) -> String {
    format!("{}-deploy", controller.name())
}

/// Returns the pod that carries out the deployment of `controller`.
fn deployer(controller: &Object, config: &Object) -> Object {
    let strategy = |field: &str| config.at(["spec", "strategy", field]);
    let longest = strategy("activeDeadlineSeconds").and_then(Value::as_i64).unwrap_or(LONGEST);
    let value = json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name_of_pod(controller),
            "namespace": controller.namespace(),
            "labels": {POD_FOR: controller.name()},
            "annotations": {DEPLOYMENT: controller.name(), CONFIG: config.name()},
            "ownerReferences": [{
                "apiVersion": "v1",
                "kind": "ReplicationController",
                "name": controller.name(),
                "uid": "00000000-0000-4000-8000-000000000000",
            }],
        },
        "spec": {
            "activeDeadlineSeconds": longest,
            "containers": [{
                "name": "deployment",
                "image": "quay.io/openshift/origin-deployer",
                "imagePullPolicy": "IfNotPresent",
                "env": [
                    {"name": "OPENSHIFT_DEPLOYMENT_NAME", "value": controller.name()},
                    {"name": "OPENSHIFT_DEPLOYMENT_NAMESPACE", "value": controller.namespace()},
                ],
            }],
            "restartPolicy": "Never",
            "serviceAccountName": "deployer",
            "terminationGracePeriodSeconds": 10,
        },
    });
    let mut made = Object::new(GroupVersionKind::new("", "v1", "Pod"), value);
    if let Some(resources) = strategy("resources") {
        made.value["spec"]["containers"][0]["resources"] = resources.clone();
    }
    for field in ["dnsPolicy", "imagePullSecrets", "nodeSelector", "tolerations"] {
        if let Some(value) = pod::template(controller).at(["spec", field]) {
            made.set(["spec", field], value.clone());
        }
    }
    for field in ["labels", "annotations"] {
        for (key, value) in kube_api::pairs(strategy(field)) {
            made.insert_default(["metadata", field, key], value);
        }
    }
    made
}
