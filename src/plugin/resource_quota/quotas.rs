//! The quotas of a namespace, and the charges that admission writes to them.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::projects;
use crate::cluster::Cluster;
use crate::quota::scopes::ScopedResourceSelectorRequirement;
use gotext::value::json;
use kube_api::resource_list::ResourceList;
use kube_api::resources::RESOURCE_QUOTAS;
use kube_api::{Object, Value};

/// A `ResourceQuota`, its quantities parsed.
#[derive(Clone, Debug)]
pub(super) struct Quota {
    pub(super) object: Arc<Object>,
    /// `status.hard`: the effective limits until the controller has copied a change of `spec.hard`.
    pub(super) hard: ResourceList<'static>,
    /// `status.used`
    pub(super) used: ResourceList<'static>,
    pub(super) scopes: Vec<ScopedResourceSelectorRequirement>,
    /// Whether it stands for one that selects projects.
    pub(super) is_over_projects: bool,
}

/// The quotas parsed so far, by namespace. One is kept as long as the object that it was read from: a charge to one
/// quota does not affect the others.
#[derive(Debug, Default)]
pub(super) struct Quotas {
    parsed: BTreeMap<String, Vec<Arc<Quota>>>,
    /// Whether the quotas are those that select projects.
    over_projects: bool,
}

impl Quota {
    fn of(object: Arc<Object>) -> Self {
        let list = |field| ResourceList::of(object.at(["status", field])).into_owned();
        let (hard, used) = (list("hard"), list("used"));
        let scopes = ScopedResourceSelectorRequirement::of_quota(&object);
        Self { object, hard, used, scopes, is_over_projects: false }
    }

    pub(super) fn name(&self) -> &str {
        self.object.name()
    }
}

impl Quotas {
    /// Returns the quotas that select projects.
    pub(super) fn over_projects() -> Self {
        Self { over_projects: true, ..Self::default() }
    }

    /// Returns the quotas of `namespace`, ordered by name.
    pub(super) fn of_namespace(&mut self, cluster: &Cluster, namespace: &str) -> Vec<Arc<Quota>> {
        if self.over_projects {
            return projects::selecting(cluster, namespace)
                .into_iter()
                .map(|quota| Arc::new(Quota { is_over_projects: true, ..Quota::of(quota) }))
                .collect();
        }
        let objects = cluster.list(&RESOURCE_QUOTAS, namespace);
        if objects.is_empty() {
            self.parsed.remove(namespace);
            return Vec::new();
        }
        let known = self.parsed.get(namespace).map_or(&[][..], Vec::as_slice);
        let parsed = objects.into_iter().map(|object| {
            let known = known.iter().find(|quota| Arc::ptr_eq(&quota.object, &object));
            known.cloned().unwrap_or_else(|| Arc::new(Quota::of(object)))
        });
        let quotas: Vec<Arc<Quota>> = parsed.collect();
        self.parsed.insert(namespace.to_owned(), quotas.clone());
        quotas
    }

    /// Writes `used` to the quota's status; returns the request that does so, if something changes.
    pub(super) fn charge(
        &mut self,
        cluster: &Cluster,
        quota: &Arc<Quota>,
        used: ResourceList<'static>,
    ) -> Option<Value> {
        if used == quota.used {
            return None;
        }
        if self.over_projects {
            return projects::charge(cluster, &quota.object, &quota.used, &used);
        }
        let (namespace, name) = (quota.object.namespace(), quota.name());
        let write = json!({
            "method": "PUT",
            "path": format!("/api/v1/namespaces/{namespace}/resourcequotas/{name}/status"),
            "used": used.printed(),
        });
        let mut object = Object::clone(&quota.object);
        for (name, amount) in used.iter().filter(|(name, amount)| quota.used.get(name) != Some(amount)) {
            object.set(["status", "used", name], amount.to_string());
        }
        let object = Arc::new(object);
        cluster.put(&RESOURCE_QUOTAS, object.clone());
        let namespace = self.parsed.get_mut(quota.object.namespace());
        let known = namespace.into_iter().flatten().find(|known| Arc::ptr_eq(known, quota));
        if let Some(known) = known {
            *known = Arc::new(Quota { object, used, ..Quota::clone(quota) });
        }
        Some(write)
    }
}
