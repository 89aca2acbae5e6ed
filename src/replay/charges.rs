//! What requests use of quotas. The server writes the usage before it stores the object, so the log shows it first; it
//! must not count until the request that caused it is judged.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use crate::cluster::Cluster;
use crate::replay::event::Event;
use kube_api::Object;
use kube_api::resource_list::ResourceList;
use kube_api::resources::RESOURCE_QUOTAS;

/// The user that the server is for itself.
const SERVER: &str = "system:apiserver";

/// The quotas of the log, by namespace and name.
#[derive(Debug, Default)]
pub(super) struct Charges(BTreeMap<(String, String), Charge>);

/// The name of a quota, and what a request added to its usage.
pub(super) type Charged = (String, ResourceList<'static>);

#[derive(Debug)]
struct Charge {
    /// The quota as the log shows it.
    logged: Arc<Object>,
    /// The usage that the server wrote for requests that come later in the log.
    ahead: ResourceList<'static>,
    /// The quota without that usage.
    shown: Arc<Object>,
    /// Its latest states, the newest first.
    states: VecDeque<Arc<Object>>,
}

/// The number of states of a quota that a refused request may have met. Requests at the same time end in any order.
const STATES: usize = 8;

impl Charges {
    /// Shows the quota of `event` as the log does, for a request about the quota itself.
    pub(super) fn show_logged(&self, event: &Event, cluster: &Cluster) {
        if let Some(charge) = self.0.get(&(event.namespace.clone(), event.stored_name().to_owned())) {
            cluster.put(&RESOURCE_QUOTAS, charge.logged.clone());
        }
    }

    /// Returns the number of states of the quotas that a refused request may have met.
    pub(super) fn states(&mut self, event: &Event) -> usize {
        if event.code != 403 || event.is_of(&RESOURCE_QUOTAS) {
            return 0;
        }
        self.of(&event.namespace).map(|(_, charge)| charge.states.len()).max().unwrap_or_default()
    }

    /// Shows the quotas of `namespace` as they were `age` changes ago, with the usage of all requests.
    pub(super) fn show_state(&mut self, namespace: &str, age: usize, cluster: &Cluster) {
        for (_, charge) in self.of(namespace) {
            if let Some(state) = charge.states.get(age).or(charge.states.back()) {
                cluster.put(&RESOURCE_QUOTAS, state.clone());
            }
        }
    }

    /// Returns the usage that the answer to `event` added in the cluster, if it is not about a quota.
    pub(super) fn charged(&mut self, event: &Event, cluster: &Cluster) -> Vec<Charged> {
        if event.is_of(&RESOURCE_QUOTAS) {
            return Vec::new();
        }
        let change = |(name, charge): (&str, &mut Charge)| {
            let after = cluster.get(&RESOURCE_QUOTAS, &event.namespace, name)?;
            if Arc::ptr_eq(&after, &charge.shown) {
                return None;
            }
            let change = difference(&used(&after), &used(&charge.shown));
            (!change.is_empty()).then(|| (name.to_owned(), change))
        };
        self.of(&event.namespace).filter_map(change).collect()
    }

    /// Counts what a request added in `namespace`.
    pub(super) fn settle(&mut self, namespace: &str, charged: &[Charged]) {
        for (name, change) in charged {
            if let Some(charge) = self.0.get_mut(&(namespace.to_owned(), name.clone())) {
                charge.ahead = difference(&charge.ahead, change);
                charge.shown = charge.without_ahead();
            }
        }
    }

    /// Takes over the quota of `event` from the cluster, which shows the server's answer.
    pub(super) fn take(&mut self, event: &Event, cluster: &Cluster) {
        let key = (event.namespace.clone(), event.stored_name().to_owned());
        let Some(new) = cluster.get(&RESOURCE_QUOTAS, &key.0, &key.1) else {
            self.0.remove(&key);
            return;
        };
        let Some(charge) = self.0.get_mut(&key) else {
            let states = VecDeque::from([new.clone()]);
            let (logged, shown) = (new.clone(), new);
            self.0.insert(key, Charge { logged, ahead: ResourceList::default(), shown, states });
            return;
        };
        if event.user.username == SERVER {
            let added = difference(&used(&new), &used(&charge.logged));
            charge.ahead.add_all(&added);
        } else {
            // The controller counts what exists.
            charge.ahead.retain(|_, amount| amount.sign() > 0);
        }
        charge.states.push_front(new.clone());
        charge.states.truncate(STATES);
        charge.logged = new;
        charge.shown = charge.without_ahead();
        cluster.put(&RESOURCE_QUOTAS, charge.shown.clone());
    }

    /// Shows the quotas of `namespace` without the usage of requests that come later.
    pub(super) fn show(&mut self, namespace: &str, cluster: &Cluster) {
        for (name, charge) in self.of(namespace) {
            let stored = cluster.get(&RESOURCE_QUOTAS, namespace, name);
            if !stored.is_some_and(|stored| Arc::ptr_eq(&stored, &charge.shown)) {
                cluster.put(&RESOURCE_QUOTAS, charge.shown.clone());
            }
        }
    }

    fn of(&mut self, namespace: &str) -> impl Iterator<Item = (&str, &mut Charge)> {
        let start = (namespace.to_owned(), String::new());
        let later = self.0.range_mut(start..);
        later
            .take_while(move |((own, _), _)| own == namespace)
            .map(|((_, name), charge)| (name.as_str(), charge))
    }
}

impl Charge {
    /// Returns the quota without the usage of requests that come later.
    fn without_ahead(&self) -> Arc<Object> {
        if self.ahead.is_empty() {
            return self.logged.clone();
        }
        let mut object = Object::clone(&self.logged);
        let logged = used(&self.logged);
        for (name, amount) in self.ahead.iter() {
            if let Some(logged) = logged.get(name) {
                object.set(["status", "used", name], logged.sub(amount).to_string());
            }
        }
        Arc::new(object)
    }
}

fn used(quota: &Object) -> ResourceList<'static> {
    ResourceList::of(quota.at(["status", "used"])).into_owned()
}

/// Returns `after` without `before`.
fn difference(after: &ResourceList<'static>, before: &ResourceList<'static>) -> ResourceList<'static> {
    let mut change = after.clone();
    change
        .change(|name, amount| before.get(name).map_or_else(|| amount.clone(), |before| amount.sub(before)));
    for (name, amount) in before.iter().filter(|(name, _)| !after.contains(name)) {
        let zero = amount.sub(amount);
        change.insert(name.to_owned(), zero.sub(amount));
    }
    change.retain(|_, amount| !amount.is_zero());
    change
}
