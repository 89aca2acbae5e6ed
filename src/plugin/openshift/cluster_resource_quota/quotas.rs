//! Quotas that select projects: `ClusterResourceQuota` of OpenShift, seen as the quotas of each project.
//!
//! Source: `github.com/openshift/apiserver-library-go/pkg/admission/quota/clusterresourcequota`.

use std::sync::Arc;

use crate::cluster::Cluster;
use crate::quota::openshift::{CLUSTER_QUOTAS, selects};
use gotext::value::json;
use kube_api::resource_list::ResourceList;
use kube_api::{GroupVersionKind, Map, Object, Value};

/// Returns the quotas that select `namespace`, ordered by name, each as a `ResourceQuota` of it.
pub(super) fn selecting(cluster: &Cluster, namespace: &str) -> Vec<Arc<Object>> {
    let Some(project) = cluster.namespace(namespace) else { return Vec::new() };
    let quotas = cluster.list_all(&CLUSTER_QUOTAS);
    let selecting = quotas.iter().filter(|quota| selects(quota, &project));
    selecting.map(|quota| Arc::new(as_quota(quota, namespace))).collect()
}

fn as_quota(quota: &Object, namespace: &str) -> Object {
    let mut metadata = Map::new();
    metadata.insert("name".to_owned(), quota.name().into());
    metadata.insert("namespace".to_owned(), namespace.into());
    let mut value = Map::new();
    value.insert("metadata".to_owned(), Value::Object(metadata));
    let part = |fields: &[&str]| quota.at(fields).cloned().unwrap_or_default();
    value.insert("spec".to_owned(), part(&["spec", "quota"]));
    value.insert("status".to_owned(), part(&["status", "total"]));
    Object::new(GroupVersionKind::new("", "v1", "ResourceQuota"), Value::Object(value))
}

/// Writes the new usage to the quota that `seen`, of a namespace, represents: the total, and the usage of the
/// namespace. Returns the request that does so.
///
/// Source: `clusterQuotaAccessor.UpdateQuotaStatus`.
pub(super) fn charge(
    cluster: &Cluster,
    seen: &Object,
    before: &ResourceList<'_>,
    used: &ResourceList<'_>,
) -> Option<Value> {
    let (namespace, name) = (seen.namespace(), seen.name());
    let mut quota = Object::clone(&*cluster.get(&CLUSTER_QUOTAS, "", name)?);
    let mut namespaces = quota.list(["status", "namespaces"]).to_vec();
    let own = |entry: &&mut Value| entry.get("namespace").and_then(Value::as_str) == Some(namespace);
    if !namespaces.iter_mut().any(|entry| own(&entry)) {
        namespaces.push(json!({"namespace": namespace, "status": {}}));
    }
    for entry in namespaces.iter_mut().filter(own) {
        let mut of_namespace = ResourceList::of(entry.at(["status", "used"])).into_owned();
        for (name, amount) in used.iter() {
            let difference = before.get(name).map_or_else(|| amount.clone(), |before| amount.sub(before));
            of_namespace.add(name.to_owned(), &difference);
        }
        if let Some(status) = entry.get_mut("status").and_then(Value::as_object_mut) {
            status.insert("used", Value::Object(of_namespace.printed()));
        }
    }
    let written = namespaces.iter().map(|entry| {
        json!({
            "namespace": entry.get("namespace").cloned().unwrap_or_default(),
            "used": entry.at(["status", "used"]).cloned().unwrap_or_default(),
        })
    });
    let write = json!({
        "method": "PUT",
        "path": format!("/apis/quota.openshift.io/v1/clusterresourcequotas/{name}/status"),
        "used": used.printed(),
        "namespaces": written.collect::<Vec<_>>(),
    });
    quota.set(["status", "total", "used"], used.printed());
    quota.set(["status", "namespaces"], namespaces);
    cluster.put(&CLUSTER_QUOTAS, Arc::new(quota));
    Some(write)
}
