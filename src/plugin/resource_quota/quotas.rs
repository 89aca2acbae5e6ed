//! The quotas of a namespace, and the charges that admission writes to them.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::cluster::Cluster;
use crate::quota::scopes::ScopedResourceSelectorRequirement;
use gotext::value::json;
use kube_api::resource_list::ResourceList;
use kube_api::resources::RESOURCE_QUOTAS;
use kube_api::{GroupResource, Object, Value};

/// A `ResourceQuota`, its quantities parsed.
#[derive(Clone, Debug)]
pub(super) struct Quota {
    pub(super) object: Arc<Object>,
    /// `status.hard`: the effective limits until the controller has copied a change of `spec.hard`.
    pub(super) hard: ResourceList<'static>,
    /// `status.used`
    pub(super) used: ResourceList<'static>,
    pub(super) scopes: Vec<ScopedResourceSelectorRequirement>,
    /// The kind of the quota that it stands for, if that is another one.
    pub(super) other: Option<&'static OtherQuotas>,
}

/// The quotas parsed so far, by namespace. One is kept as long as the object that it was read from: a charge to one
/// quota does not affect the others.
#[derive(Debug, Default)]
pub(super) struct Quotas {
    parsed: BTreeMap<String, Vec<Arc<Quota>>>,
    /// The quotas of another kind that count instead.
    others: Option<&'static OtherQuotas>,
}

/// Quotas that are counted like `ResourceQuotas` and are of another kind.
#[derive(Debug)]
pub(crate) struct OtherQuotas {
    /// The resource, which has no namespace.
    pub(crate) resource: GroupResource,
    /// The field of their spec that is the spec of a `ResourceQuota`.
    pub(crate) field: &'static str,
    /// Returns those that select a namespace, ordered by name, each as a `ResourceQuota` of it.
    pub(crate) selecting: fn(&Cluster, &str) -> Vec<Arc<Object>>,
    /// Writes the new usage to the quota that one seen by a namespace stands for; returns the request that does so.
    pub(crate) charge: fn(&Cluster, &Object, &ResourceList<'_>, &ResourceList<'_>) -> Option<Value>,
}

impl Quota {
    fn of(object: Arc<Object>) -> Self {
        let list = |field| ResourceList::of(object.at(["status", field])).into_owned();
        let (hard, used) = (list("hard"), list("used"));
        let scopes = ScopedResourceSelectorRequirement::of_quota(&object);
        Self { object, hard, used, scopes, other: None }
    }

    pub(super) fn name(&self) -> &str {
        self.object.name()
    }
}

impl Quotas {
    /// Returns quotas of another kind.
    #[cfg(feature = "openshift")]
    pub(super) fn of_others(others: &'static OtherQuotas) -> Self {
        Self { others: Some(others), ..Self::default() }
    }

    /// Returns the quotas of `namespace`, ordered by name.
    pub(super) fn of_namespace(&mut self, cluster: &Cluster, namespace: &str) -> Vec<Arc<Quota>> {
        if let Some(others) = self.others {
            let selecting = (others.selecting)(cluster, namespace).into_iter();
            return selecting
                .map(|quota| Arc::new(Quota { other: self.others, ..Quota::of(quota) }))
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
        if let Some(others) = self.others {
            return (others.charge)(cluster, &quota.object, &quota.used, &used);
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
