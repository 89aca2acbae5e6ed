//! The usage of every quota after a run, and the objects that changed it.

mod users;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::cluster::Cluster;
use gotext::quantity::Quantity;
use kube_api::resource_list::ResourceList;
use kube_api::resources::RESOURCE_QUOTAS;
use kube_api::{GroupVersionKind, Object};

pub use users::QuotaUsers;

/// A quota before and after a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuotaUse {
    /// The namespace of the quota.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Its resources, by name.
    pub resources: BTreeMap<String, Amounts>,
    /// The objects that changed the usage, including those that controllers created for them, in the order of the run.
    pub by: QuotaUsers,
    /// The run that this is the usage after, where several are reported together and their usages cannot be added.
    pub run: Option<String>,
}

impl QuotaUse {
    /// Adds what another run on the same cluster changed. A user that both runs have is counted once. Returns whether
    /// it is the same quota as before the runs; if it is not, nothing changes.
    pub fn join(&mut self, other: &Self) -> bool {
        let start = |quota: &Self| -> Vec<(String, String, String)> {
            let resources = quota.resources.iter();
            resources.map(|(name, own)| (name.clone(), own.hard.clone(), own.before.clone())).collect()
        };
        if (&self.namespace, &self.name) != (&other.namespace, &other.name) || start(self) != start(other) {
            return false;
        }
        let known: Vec<QuotaUser> = self.by.iter().collect();
        let new: Vec<QuotaUser> = other.by.iter().filter(|user| !known.contains(user)).collect();
        for (resource, amounts) in &mut self.resources {
            for change in new.iter().filter_map(|user| user.used.get(resource)) {
                if let Some(after) = sum(&amounts.after, change) {
                    amounts.after = after;
                }
            }
        }
        self.by.extend(new);
        true
    }
}

/// The limit and the usage of a resource.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Amounts {
    /// The limit.
    pub hard: String,
    /// The usage before the run.
    pub before: String,
    /// The usage after it.
    pub after: String,
}

/// An object of the input, and its change of a quota's usage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuotaUser {
    /// The kind of the object.
    pub kind: GroupVersionKind,
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// The change, by name; negative if usage decreased.
    pub used: BTreeMap<String, String>,
}

/// The quotas of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct QuotaLedger {
    quotas: BTreeMap<(String, String), Entry>,
}

#[derive(Clone, Debug)]
struct Entry {
    /// The quota as first and as last seen.
    first: Arc<Object>,
    last: Arc<Object>,
    /// An object is there as often as it changed the usage.
    by: QuotaUsers,
}

impl QuotaLedger {
    /// Records the quotas of `cluster` before a run.
    pub(super) fn of(cluster: &Cluster) -> Self {
        let mut ledger = Self::default();
        for quota in cluster.list_all(&RESOURCE_QUOTAS) {
            ledger.add(quota);
        }
        ledger
    }

    fn add(&mut self, quota: Arc<Object>) {
        let key = (quota.namespace().to_owned(), quota.name().to_owned());
        let entry = Entry { first: quota.clone(), last: quota, by: QuotaUsers::default() };
        self.quotas.entry(key).or_insert(entry);
    }

    /// Reads the quotas of `namespace`, and attributes the changes since the last reading to the named object.
    pub(super) fn refresh(
        &mut self,
        cluster: &Cluster,
        kind: &GroupVersionKind,
        namespace: &str,
        name: &str,
    ) {
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
            let used: Vec<_> = change.iter().map(|(name, amount)| (name, amount.to_string())).collect();
            entry.by.add(kind, (namespace, name), used.into_iter());
        }
    }

    /// Replaces what is known of some namespaces by what `other` knows.
    #[cfg(feature = "cli")]
    pub(super) fn take(&mut self, other: Self, is_of_other: impl Fn(&str) -> bool) {
        self.quotas.extend(other.quotas.into_iter().filter(|((namespace, _), _)| is_of_other(namespace)));
    }

    /// Returns the usage of every quota, ordered by namespace and name.
    pub(super) fn uses(&self) -> Vec<QuotaUse> {
        self.quotas.iter().map(|((namespace, name), entry)| entry.as_use(namespace, name)).collect()
    }
}

impl Entry {
    fn as_use(&self, namespace: &str, name: &str) -> QuotaUse {
        let hard = ResourceList::of(self.last.at(["status", "hard"]));
        let (before, after) = (used(&self.first), used(&self.last));
        let print = |list: &ResourceList<'_>, name: &str| {
            list.get(name).map_or_else(|| "0".to_owned(), ToString::to_string)
        };
        let amounts = |name: &str| Amounts {
            hard: print(&hard, name),
            before: print(&before, name),
            after: print(&after, name),
        };
        QuotaUse {
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            resources: hard.names().map(|name| (name.to_owned(), amounts(name))).collect(),
            by: self.users(),
            run: None,
        }
    }
}

impl Entry {
    /// Returns every object once, with all that it changed.
    fn users(&self) -> QuotaUsers {
        let mut users: Vec<QuotaUser> = Vec::new();
        let mut known: HashMap<(GroupVersionKind, String), usize> = HashMap::new();
        for user in self.by.iter() {
            let position = *known.entry((user.kind.clone(), user.name.clone())).or_insert(users.len());
            match users.get_mut(position) {
                Some(own) => own.add(&user),
                None => users.push(user),
            }
        }
        users.into_iter().filter(|user| !user.used.is_empty()).collect()
    }
}

impl QuotaUser {
    /// Adds what the same object changed later.
    fn add(&mut self, later: &Self) {
        for (resource, amount) in &later.used {
            let sum = self.used.get(resource).and_then(|own| sum(own, amount));
            self.used.insert(resource.clone(), sum.unwrap_or_else(|| amount.clone()));
        }
        let is_zero = |amount: &str| Quantity::parse(amount).is_ok_and(|amount| amount.is_zero());
        self.used.retain(|_, amount| !is_zero(amount));
    }
}

/// Returns the sum of two quantities, as it is printed.
fn sum(one: &str, other: &str) -> Option<String> {
    let (one, other) = (Quantity::parse(one).ok()?, Quantity::parse(other).ok()?);
    Some(one.add(&other).to_string())
}

fn used(quota: &Object) -> ResourceList<'static> {
    ResourceList::of(quota.at(["status", "used"])).into_owned()
}

/// Returns the differences from `before` to `after`.
fn difference(after: &ResourceList<'static>, before: &ResourceList<'static>) -> ResourceList<'static> {
    let mut change = after.clone();
    change.change(|name, amount| match before.get(name) {
        Some(before) => amount.sub(before),
        None => amount.clone(),
    });
    change.retain(|_, amount| !amount.is_zero());
    change
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quota(after: &str, users: &[(&str, &str)]) -> QuotaUse {
        let amounts = Amounts { hard: "4".to_owned(), before: "1".to_owned(), after: after.to_owned() };
        let user = |(name, pods): &(&str, &str)| QuotaUser {
            kind: GroupVersionKind::from_api_version("apps/v1", "Deployment"),
            namespace: "shop".to_owned(),
            name: (*name).to_owned(),
            used: BTreeMap::from([("pods".to_owned(), (*pods).to_owned())]),
        };
        QuotaUse {
            namespace: "shop".to_owned(),
            name: "team".to_owned(),
            resources: BTreeMap::from([("pods".to_owned(), amounts)]),
            by: users.iter().map(user).collect(),
            run: None,
        }
    }

    #[test]
    fn what_two_runs_use_is_added_and_nothing_counts_twice() {
        let mut all = quota("4", &[("web", "2"), ("api", "1")]);
        assert!(all.join(&quota("3", &[("api", "1"), ("batch", "1")])));
        assert_eq!(all, quota("5", &[("web", "2"), ("api", "1"), ("batch", "1")]));
    }

    #[test]
    fn quotas_of_other_clusters_are_not_joined() {
        let mut one = quota("2", &[("web", "1")]);
        let mut other = one.clone();
        other.resources.insert(
            "pods".to_owned(),
            Amounts { hard: "9".to_owned(), before: "1".to_owned(), after: "2".to_owned() },
        );
        assert!(!one.join(&other));
        assert_eq!(one, quota("2", &[("web", "1")]));
    }
}
