//! What the quota controller writes into the status of a quota: what the objects that exist use of it.
//!
//! Source: `k8s.io/kubernetes/pkg/controller/resourcequota`, `CalculateUsage` of `k8s.io/apiserver/pkg/quota/v1`.

use std::sync::{Arc, Mutex};

use crate::value::json;

use super::ResourceQuota;
use super::configuration::Configuration;
use super::evaluator::count;
use super::scopes::ScopedResourceSelectorRequirement;
use crate::api::features::FeatureGates;
use crate::api::resource_list::ResourceList;
use crate::api::resources::{DEVICE_CLASSES, RESOURCE_QUOTAS};
use crate::api::{GroupResource, GroupVersionResource, Map, Object, Value};
use crate::cluster::{Cluster, Derived};

/// The status of `quota` for the objects that exist in its namespace: all of `spec.hard`, and how much of it they
/// use.
pub(crate) fn calculate_status(
    quota: &Object,
    cluster: &Arc<Cluster>,
    features: &Arc<FeatureGates>,
) -> Value {
    let hard = ResourceList::of(quota.at(&["spec", "hard"]));
    let mut used = ResourceList::default();
    for name in hard.names() {
        used.insert(name, count(0));
    }
    let counter = counter(cluster, features);
    for (resource, object, count) in cluster.list_namespace(quota.namespace()) {
        used.add_all(&counter.usage_of(quota, &hard, &resource, &object, count));
    }
    json!({"hard": quota.at(&["spec", "hard"]), "used": printed(&used)})
}

/// Gives back what `count` objects like `object` used, to every quota of their namespace: the controller does not
/// find them any more when it counts again.
pub(crate) fn release(
    resource: &GroupResource,
    object: &Object,
    count: u64,
    cluster: &Arc<Cluster>,
    features: &Arc<FeatureGates>,
) {
    let counter = counter(cluster, features);
    for quota in cluster.list(&RESOURCE_QUOTAS, object.namespace()) {
        let hard = ResourceList::of(quota.at(&["status", "hard"]));
        let released = counter.usage_of(&quota, &hard, resource, object, count);
        let mut used = ResourceList::of(quota.at(&["status", "used"])).into_owned();
        used.change(|name, amount| match released.get(name) {
            Some(released) if released < amount => amount.sub(released),
            Some(_) => super::evaluator::count(0),
            None => amount.clone(),
        });
        let mut quota = Object::clone(&quota);
        if quota.at(&["status", "used"]).is_some() {
            quota.set(&["status", "used"], printed(&used));
            cluster.put(&RESOURCE_QUOTAS, Arc::new(quota));
        }
    }
}

/// The plugin without its configuration: what measures objects.
fn counter(cluster: &Arc<Cluster>, features: &Arc<FeatureGates>) -> ResourceQuota {
    ResourceQuota {
        cluster: cluster.clone(),
        features: features.clone(),
        configuration: Configuration::default(),
        quotas: Mutex::default(),
        device_classes: Derived::of(const { &[DEVICE_CLASSES] }),
    }
}

impl ResourceQuota {
    /// What `count` objects like `object` use of the resources `hard` of `quota`; nothing if it does not cover them.
    fn usage_of(
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

fn printed(list: &ResourceList) -> Map {
    list.iter().map(|(name, amount)| (name.to_owned(), Value::from(amount.to_string()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plugin::testing::{initializer, object};

    #[test]
    fn sums_what_exists_in_the_namespace() {
        let pod = |name: &str, namespace: &str| {
            json!({
                "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": namespace},
                "spec": {"containers": [{"name": "a", "resources": {"requests": {"cpu": "300m"}}}]},
            })
        };
        let initializer = initializer([pod("a", "shop"), pod("b", "shop"), pod("c", "other")]);
        let quota = object(json!({
            "apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "team", "namespace": "shop"},
            "spec": {"hard": {"pods": "4", "requests.cpu": "1", "services": "2"}},
        }));
        let status = calculate_status(&quota, &initializer.cluster, &initializer.features);
        assert_eq!(status["used"], json!({"pods": "2", "requests.cpu": "600m", "services": "0"}));
        assert_eq!(status["hard"]["pods"], "4");
    }
}
