//! A `HorizontalPodAutoscaler` keeps a workload between its bounds. The effect of metrics is unknown.
//!
//! Source: `k8s.io/kubernetes/pkg/controller/podautoscaler`.

use std::sync::Arc;

use crate::cluster::Cluster;
use crate::workload::rollout::replicas;
use kube_api::kinds::{self, GroupKind};
use kube_api::resource;
use kube_api::resources::HORIZONTAL_POD_AUTOSCALERS;
use kube_api::{GroupResource, GroupVersionKind, Object, Value};

/// The kinds that are scaled.
const SCALED: [GroupKind<'static>; 4] =
    [kinds::DEPLOYMENT, kinds::REPLICA_SET, kinds::REPLICATION_CONTROLLER, kinds::STATEFUL_SET];

/// A workload as an autoscaler scales it.
#[derive(Debug)]
pub struct Scaled {
    /// The resource.
    pub resource: GroupResource,
    /// The workload as it was.
    pub old: Arc<Object>,
    /// The workload as it is now.
    pub object: Arc<Object>,
    /// The note about it.
    pub note: String,
}

/// Returns the workload that `autoscaler` scales, as it changes it, if that exists and is out of bounds.
pub fn scale_target(cluster: &Cluster, autoscaler: &Object) -> Option<Scaled> {
    let target = |field| autoscaler.text(["spec", "scaleTargetRef", field]);
    let kind = GroupVersionKind::from_api_version(target("apiVersion"), target("kind"));
    if !SCALED.iter().any(|scaled| kind.is(*scaled)) {
        return None;
    }
    let resource = resource::by_kind(&kind)?.group_version_resource().group_resource();
    let old = cluster.get(&resource, autoscaler.namespace(), target("name"))?;
    scaled(resource, &old, autoscaler)
}

/// Returns `workload`, an object of `resource`, as its autoscaler changes it, if it has one and is out of bounds.
pub fn scale(cluster: &Cluster, resource: &GroupResource, workload: &Arc<Object>) -> Option<Scaled> {
    if !SCALED.iter().any(|kind| workload.kind.is(*kind)) {
        return None;
    }
    scaled(resource.clone(), workload, &*autoscaler_of(cluster, workload)?)
}

/// Returns the autoscaler of `workload`, if it has one.
pub fn autoscaler_of(cluster: &Cluster, workload: &Object) -> Option<Arc<Object>> {
    let autoscalers = cluster.list(&HORIZONTAL_POD_AUTOSCALERS, workload.namespace());
    autoscalers.into_iter().find(|autoscaler| {
        let target = |field| autoscaler.text(["spec", "scaleTargetRef", field]);
        let kind = GroupVersionKind::from_api_version(target("apiVersion"), target("kind"));
        target("name") == workload.name() && kind.group_kind() == workload.kind.group_kind()
    })
}

/// Source: `reconcileAutoscaler`; a workload of no replicas is not scaled.
fn scaled(resource: GroupResource, workload: &Arc<Object>, autoscaler: &Object) -> Option<Scaled> {
    let bound = |field| autoscaler.at(["spec", field]).and_then(Value::as_u64);
    let (least, most) = (bound("minReplicas").unwrap_or(1), bound("maxReplicas")?);
    let current = replicas(workload);
    let wanted = current.min(most).max(least);
    if current == 0 || wanted == current {
        return None;
    }
    let mut object = Object::clone(workload);
    object.set(["spec", "replicas"], wanted);
    let note = format!(
        "HorizontalPodAutoscaler {}/{} scales {} {} from {current} to {wanted}",
        autoscaler.namespace(),
        autoscaler.name(),
        workload.kind.kind,
        workload.name()
    );
    Some(Scaled { resource, old: workload.clone(), object: Arc::new(object), note })
}
