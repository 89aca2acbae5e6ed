//! Quotas that select projects: `ClusterResourceQuota` of OpenShift.
//!
//! Source: `github.com/openshift/cluster-policy-controller/pkg/quota/clusterquotareconciliation`.

use std::sync::Arc;

use crate::cluster::Cluster;
use crate::quota::{self, Counter};
use gotext::value::json;
use kube_api::labels::Selector;
use kube_api::resource_list::ResourceList;
use kube_api::resources::NAMESPACES;
use kube_api::server_profile::ServerProfile;
use kube_api::{GroupResource, GroupVersionKind, Object, Value, pairs};

/// The resource.
pub(crate) const CLUSTER_QUOTAS: GroupResource =
    GroupResource::new("quota.openshift.io", "clusterresourcequotas");

/// Whether `quota` selects the namespace `project`, by its labels and annotations.
pub(crate) fn selects(quota: &Object, project: &Object) -> bool {
    let part = |field: &str| quota.at(["spec", "selector", field]).filter(|part| !part.is_null());
    let (labels, annotations) = (part("labels"), part("annotations"));
    let by_labels = labels.is_none_or(|labels| {
        let selector = Selector::from_label_selector(labels);
        selector.is_ok_and(|selector| selector.matches_labels(project.at(["metadata", "labels"])))
    });
    let mut wanted = pairs(annotations);
    by_labels && wanted.all(|(key, value)| project.annotation(key) == Some(value))
}

/// Returns the status of `quota` for the existing objects in the namespaces that it selects: of each, and in total.
pub(crate) fn calculate_status(
    quota: &Object,
    cluster: &Arc<Cluster>,
    profile: &Arc<ServerProfile>,
) -> Value {
    let hard = quota.at(["spec", "quota", "hard"]).cloned().unwrap_or_else(|| json!({}));
    let mut total = ResourceList::default();
    let limits = ResourceList::of(Some(&hard)).into_owned();
    for name in limits.names() {
        total.insert(name.to_owned(), quota::evaluator::count(0));
    }
    let mut namespaces = Vec::new();
    for project in cluster.list_all(&NAMESPACES).iter().filter(|project| selects(quota, project)) {
        let seen = as_quota(quota, project.name());
        let status = quota::calculate_status(&seen, cluster, profile);
        total.add_all(&ResourceList::of(status.get("used")).into_owned());
        namespaces.push(json!({"namespace": project.name(), "status": status}));
    }
    json!({"total": {"hard": hard, "used": total.printed()}, "namespaces": namespaces})
}

/// Releases the usage of `count` objects like `object` in every quota that selects their namespace: of the namespace, and
/// in total.
pub(crate) fn release(
    resource: &GroupResource,
    object: &Object,
    count: u64,
    cluster: &Arc<Cluster>,
    profile: &Arc<ServerProfile>,
) {
    let Some(project) = cluster.namespace(object.namespace()) else { return };
    let counter = Counter::new(cluster.clone(), profile.clone());
    for quota in cluster.list_all(&CLUSTER_QUOTAS).iter().filter(|quota| selects(quota, &project)) {
        let hard = ResourceList::of(quota.at(["status", "total", "hard"])).into_owned();
        let seen = as_quota(quota, project.name());
        let released = counter.usage_of(&seen, &hard, resource, object, count);
        let less = |used: Option<&Value>| {
            let mut used = ResourceList::of(used).into_owned();
            used.change(|name, amount| match released.get(name) {
                Some(released) if released < amount => amount.sub(released),
                Some(_) => quota::evaluator::count(0),
                None => amount.clone(),
            });
            used.printed()
        };
        let mut quota = Object::clone(quota);
        let total = less(quota.at(["status", "total", "used"]));
        let mut namespaces = quota.list(["status", "namespaces"]).to_vec();
        for entry in namespaces.iter_mut().filter(|entry| entry.text("namespace") == project.name()) {
            let used = less(entry.at(["status", "used"]));
            if let Some(status) = entry.get_mut("status").and_then(Value::as_object_mut) {
                status.insert("used", Value::Object(used));
            }
        }
        quota.set(["status", "total", "used"], total);
        quota.set(["status", "namespaces"], namespaces);
        cluster.put(&CLUSTER_QUOTAS, Arc::new(quota));
    }
}

/// Returns `quota` as that of one namespace.
fn as_quota(quota: &Object, namespace: &str) -> Object {
    let spec = quota.at(["spec", "quota"]).cloned().unwrap_or_default();
    let metadata = json!({"name": quota.name(), "namespace": namespace});
    let kind = GroupVersionKind::new("", "v1", "ResourceQuota");
    Object::new(kind, json!({"metadata": metadata, "spec": spec}))
}
