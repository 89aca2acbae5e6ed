//! What a run leaves of every quota, and whose objects used it.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::api::resource_list::ResourceList;
use crate::api::resources::RESOURCE_QUOTAS;
use crate::api::{GroupVersionKind, Object};
use crate::cluster::Cluster;

/// A quota before and after a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuotaUse {
    /// The namespace of the quota.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// What it limits, by name.
    pub resources: BTreeMap<String, Amounts>,
    /// The objects that changed what is used, with those that controllers made of them, in the order of the run.
    pub by: Vec<QuotaUser>,
}

/// How much of a resource there is, and how much of it is used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Amounts {
    /// The limit.
    pub hard: String,
    /// What was used before the run.
    pub before: String,
    /// What is used after it.
    pub after: String,
}

/// An object of the input, and by how much it changed what is used of a quota.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuotaUser {
    /// The kind of the object.
    pub kind: GroupVersionKind,
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// The change, by name; less than zero where something was given back.
    pub used: BTreeMap<String, String>,
}

/// The quotas of a run.
#[derive(Debug, Default)]
pub(super) struct QuotaLedger {
    quotas: BTreeMap<(String, String), Entry>,
}

#[derive(Debug)]
struct Entry {
    /// The quota as it was first seen, and as it was seen last.
    first: Arc<Object>,
    last: Arc<Object>,
    by: Vec<(GroupVersionKind, String, String, ResourceList<'static>)>,
}

impl QuotaLedger {
    /// Takes the quotas of `cluster` as they are before a run.
    pub(super) fn of(cluster: &Cluster) -> Self {
        let mut ledger = Self::default();
        for quota in cluster.list_all(&RESOURCE_QUOTAS) {
            ledger.add(quota);
        }
        ledger
    }

    fn add(&mut self, quota: Arc<Object>) {
        let key = (quota.namespace().to_owned(), quota.name().to_owned());
        let entry = Entry { first: quota.clone(), last: quota, by: Vec::new() };
        self.quotas.entry(key).or_insert(entry);
    }

    /// Looks at the quotas of `namespace`, and takes what changed since the last look for the work of the named object.
    pub(super) fn look(&mut self, cluster: &Cluster, kind: &GroupVersionKind, namespace: &str, name: &str) {
        if namespace.is_empty() {
            return;
        }
        for quota in cluster.list(&RESOURCE_QUOTAS, namespace) {
            let key = (quota.namespace().to_owned(), quota.name().to_owned());
            let Some(entry) = self.quotas.get_mut(&key) else {
                self.add(quota);
                continue;
            };
            if Arc::ptr_eq(&entry.last, &quota) {
                continue;
            }
            let change = difference(&used(&quota), &used(&entry.last));
            entry.last = quota;
            if change.names().next().is_none() {
                continue;
            }
            let known = entry.by.iter_mut().find(|(own_kind, own_namespace, own_name, _)| {
                own_kind == kind && own_namespace == namespace && own_name == name
            });
            match known {
                Some((.., used)) => {
                    for (name, amount) in change.iter() {
                        used.add(name.to_owned(), amount);
                    }
                }
                None => entry.by.push((kind.clone(), namespace.to_owned(), name.to_owned(), change)),
            }
        }
    }

    /// What became of every quota, in the order of their namespaces and names.
    pub(super) fn uses(&self) -> Vec<QuotaUse> {
        self.quotas.iter().map(|((namespace, name), entry)| entry.as_use(namespace, name)).collect()
    }
}

impl Entry {
    fn as_use(&self, namespace: &str, name: &str) -> QuotaUse {
        let hard = ResourceList::of(self.last.at(&["status", "hard"]));
        let (before, after) = (used(&self.first), used(&self.last));
        let print = |list: &ResourceList<'_>, name: &str| {
            list.get(name).map_or_else(|| "0".to_owned(), ToString::to_string)
        };
        let amounts = |name: &str| Amounts {
            hard: print(&hard, name),
            before: print(&before, name),
            after: print(&after, name),
        };
        let by = self.by.iter().filter_map(|(kind, namespace, name, used)| {
            let used: BTreeMap<_, _> = used
                .iter()
                .filter(|(_, amount)| !amount.is_zero())
                .map(|(name, amount)| (name.to_owned(), amount.to_string()))
                .collect();
            (!used.is_empty()).then(|| QuotaUser {
                kind: kind.clone(),
                namespace: namespace.clone(),
                name: name.clone(),
                used,
            })
        });
        QuotaUse {
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            resources: hard.names().map(|name| (name.to_owned(), amounts(name))).collect(),
            by: by.collect(),
        }
    }
}

fn used(quota: &Object) -> ResourceList<'static> {
    ResourceList::of(quota.at(&["status", "used"])).into_owned()
}

/// What is more, or less, in `after` than in `before`.
fn difference(after: &ResourceList<'static>, before: &ResourceList<'static>) -> ResourceList<'static> {
    let mut change = after.clone();
    change.change(|name, amount| match before.get(name) {
        Some(before) => amount.sub(before),
        None => amount.clone(),
    });
    change.retain(|_, amount| !amount.is_zero());
    change
}
