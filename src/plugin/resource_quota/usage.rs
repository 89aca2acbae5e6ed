//! What the quota controller writes into the status of a quota: what the objects that exist use of it.
//!
//! Source: `k8s.io/kubernetes/pkg/controller/resourcequota`, `CalculateUsage` of `k8s.io/apiserver/pkg/quota/v1`.

use std::sync::{Arc, Mutex};

use serde_json::json;

use super::configuration::Configuration;
use super::evaluator::count;
use super::scopes::ScopedResourceSelectorRequirement;
use super::{DEVICE_CLASSES, ResourceQuota};
use crate::api::features::FeatureGates;
use crate::api::resource_list::ResourceList;
use crate::api::{GroupVersionResource, Map, Object, Value};
use crate::cluster::{Cluster, Derived};

/// The status of `quota` for the objects that exist in its namespace: all of `spec.hard`, and how much of it they
/// use.
pub(crate) fn calculate_status(
    quota: &Object,
    cluster: &Arc<Cluster>,
    features: &Arc<FeatureGates>,
) -> Value {
    let plugin = ResourceQuota {
        cluster: cluster.clone(),
        features: features.clone(),
        configuration: Configuration::default(),
        quotas: Mutex::default(),
        device_classes: Derived::of(const { &[DEVICE_CLASSES] }),
    };
    let hard = ResourceList::of(quota.at(&["spec", "hard"]));
    let scopes = ScopedResourceSelectorRequirement::of_quota(quota);
    let mut used = ResourceList::default();
    for name in hard.names() {
        used.insert(name, count(0));
    }
    for (resource, object) in cluster.list_namespace(quota.namespace()) {
        let resource = GroupVersionResource::new(resource.group, "", resource.resource);
        let evaluator = plugin.evaluator(&resource, &object);
        if scopes.iter().all(|scope| evaluator.matches_scope(scope).unwrap_or(false)) {
            let mut usage = evaluator.usage().into_owned();
            usage.retain(|name, _| hard.contains(name));
            used.add_all(&usage);
        }
    }
    let printed: Map =
        used.iter().map(|(name, amount)| (name.to_owned(), Value::from(amount.to_string()))).collect();
    json!({"hard": quota.at(&["spec", "hard"]), "used": printed})
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
