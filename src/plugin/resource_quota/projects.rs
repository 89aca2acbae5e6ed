//! Quotas that select projects: `ClusterResourceQuota` of OpenShift, seen as the quotas of each of them.
//!
//! Source: `github.com/openshift/apiserver-library-go/pkg/admission/quota/clusterresourcequota`.

use std::sync::Arc;

use crate::api::labels::Selector;
use crate::api::{GroupResource, GroupVersionKind, Map, Object, Value, pairs};
use crate::cluster::Cluster;

const QUOTAS: GroupResource = GroupResource::new("quota.openshift.io", "clusterresourcequotas");

/// The quotas that select `namespace`, ordered by name, each as a `ResourceQuota` of it.
pub(super) fn selecting(cluster: &Cluster, namespace: &str) -> Vec<Arc<Object>> {
    let Some(project) = cluster.namespace(namespace) else { return Vec::new() };
    let quotas = cluster.list_all(&QUOTAS);
    let selecting = quotas.iter().filter(|quota| selects(quota, &project));
    selecting.map(|quota| Arc::new(as_quota(quota, namespace))).collect()
}

fn selects(quota: &Object, project: &Object) -> bool {
    let part = |field: &str| quota.at(&["spec", "selector", field]).filter(|part| !part.is_null());
    let (labels, annotations) = (part("labels"), part("annotations"));
    let by_labels = labels.is_none_or(|labels| {
        let selector = Selector::from_label_selector(labels);
        selector.is_ok_and(|selector| selector.matches_labels(project.at(&["metadata", "labels"])))
    });
    let mut wanted = pairs(annotations);
    by_labels && wanted.all(|(key, value)| project.annotation(key) == Some(value))
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

/// Writes what is used now to the quota called `name`.
pub(super) fn charge(cluster: &Cluster, name: &str, used: &[(String, String)]) {
    let Some(quota) = cluster.get(&QUOTAS, "", name) else { return };
    let mut quota = Object::clone(&quota);
    for (resource, amount) in used {
        quota.set(&["status", "total", "used", resource], amount.as_str());
    }
    cluster.put(&QUOTAS, Arc::new(quota));
}
