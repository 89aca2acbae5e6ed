//! The status that the quota controller writes: the usage of a quota by existing objects.
//!
//! Source: `k8s.io/kubernetes/pkg/controller/resourcequota`, `CalculateUsage` of `k8s.io/apiserver/pkg/quota/v1`.

use std::sync::Arc;

use gotext::value::json;

use super::Counter;
use super::evaluator::count;
use super::scopes::ScopedResourceSelectorRequirement;
use crate::cluster::Cluster;
use kube_api::resource_list::ResourceList;
use kube_api::resources::RESOURCE_QUOTAS;
use kube_api::server_profile::ServerProfile;
use kube_api::{GroupResource, GroupVersionResource, Object, Value};

/// Returns the status of `quota` for the existing objects in its namespace: `spec.hard`, and the usage of it.
pub(crate) fn calculate_status(
    quota: &Object,
    cluster: &Arc<Cluster>,
    profile: &Arc<ServerProfile>,
) -> Value {
    let hard = ResourceList::of(quota.at(["spec", "hard"]));
    let mut used = ResourceList::default();
    for name in hard.names() {
        used.insert(name, count(0));
    }
    let counter = Counter::new(cluster.clone(), profile.clone());
    for (resource, object, count) in cluster.list_namespace(quota.namespace()) {
        used.add_all(&counter.usage_of(quota, &hard, &resource, &object, count));
    }
    json!({"hard": quota.at(["spec", "hard"]), "used": used.printed()})
}

/// Releases the usage of `count` objects like `object` in every quota of their namespace, as the controller no longer
/// finds them when it recounts.
pub(crate) fn release(
    resource: &GroupResource,
    object: &Object,
    count: u64,
    cluster: &Arc<Cluster>,
    profile: &Arc<ServerProfile>,
) {
    let counter = Counter::new(cluster.clone(), profile.clone());
    for quota in cluster.list(&RESOURCE_QUOTAS, object.namespace()) {
        let hard = ResourceList::of(quota.at(["status", "hard"]));
        let released = counter.usage_of(&quota, &hard, resource, object, count);
        let mut used = ResourceList::of(quota.at(["status", "used"])).into_owned();
        used.change(|name, amount| match released.get(name) {
            Some(released) if released < amount => amount.sub(released),
            Some(_) => super::evaluator::count(0),
            None => amount.clone(),
        });
        let mut quota = Object::clone(&quota);
        if quota.has(["status", "used"]) {
            quota.set(["status", "used"], used.printed());
            cluster.put(&RESOURCE_QUOTAS, Arc::new(quota));
        }
    }
}

impl Counter {
    /// Returns the usage by `count` objects like `object` of the resources `hard` of `quota`; nothing if it does not
    /// cover them.
    pub(super) fn usage_of(
        &self,
        quota: &Object,
        hard: &ResourceList,
        resource: &GroupResource,
        object: &Object,
        count: u64,
    ) -> ResourceList<'static> {
        let resource = GroupVersionResource::new(resource.group.clone(), "", resource.resource.clone());
        let evaluator = self.evaluator(&resource, object);
        let scopes = ScopedResourceSelectorRequirement::of_quota(quota);
        if !scopes.iter().all(|scope| evaluator.matches_scope(scope).unwrap_or(false)) {
            return ResourceList::default();
        }
        let mut usage = evaluator.usage().into_owned();
        usage.retain(|name, _| hard.contains(name));
        usage.change(|_, amount| amount.times(count));
        usage
    }
}
