//! The grants found so far, and the cluster that has them.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::admission::{Action, Change, Need};
use crate::cluster::{Cluster, Fixture};
use crate::evaluation::{Evaluator, Outcome};
use crate::report::Fixtures;
use crate::require::manifests::{self, Manifest};
use crate::require::{Reason, limits, needs_of, rights};
use crate::workload;
use gotext::source::Node;
use kube_api::field::Path;
use kube_api::pod_security::{Mode, label_path};
use kube_api::resources::{LIMIT_RANGES, NAMESPACES, RESOURCE_QUOTAS};
use kube_api::{GroupResource, Object, Value};

/// Something that a cluster must have.
#[derive(Clone, Debug)]
pub struct Grant {
    /// What it is.
    pub need: Need,
    /// The requests that are refused without it.
    pub reasons: Vec<Reason>,
    /// The number of the first document that needs it.
    pub(super) first: usize,
}

/// The grants, and the objects that existed before.
#[derive(Clone, Debug, Default)]
pub struct Grants {
    /// Those that were taken back are none.
    list: Vec<Option<Grant>>,
    existing: BTreeMap<Key, Arc<Object>>,
    written: Arc<Fixtures>,
    /// The objects that the cluster has because of the grants, as they were put.
    put: BTreeMap<Key, Value>,
}

/// Resource, namespace and name.
pub(super) type Key = (GroupResource, String, String);

/// What a cluster has because of the grants.
#[derive(Clone, Debug, Default)]
pub(super) struct State(BTreeMap<Key, Value>);

/// The most reasons that are kept of a grant.
const MOST_REASONS: usize = 3;

impl Grants {
    /// Returns no grants for the cluster of `evaluator`. `written` returns its objects as the user wrote them.
    pub(super) fn new(evaluator: &Evaluator, written: Arc<Fixtures>) -> Self {
        let mut existing = BTreeMap::new();
        for resource in [NAMESPACES, LIMIT_RANGES, RESOURCE_QUOTAS] {
            for object in evaluator.cluster().list_all(&resource) {
                let key = (resource.clone(), object.namespace().to_owned(), object.name().to_owned());
                existing.insert(key, object);
            }
        }
        Self { existing, written, ..Self::default() }
    }

    /// Returns the grants in the order in which they were found.
    pub fn iter(&self) -> impl Iterator<Item = &Grant> {
        self.list.iter().flatten()
    }

    /// Whether nothing is required.
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }

    /// Returns the needs of `outcome` that are not granted and that a cluster can grant.
    pub(super) fn unmet(&self, outcome: &Outcome, cluster: &Cluster) -> Vec<(Need, Reason)> {
        let needs = needs_of(outcome, cluster).into_iter();
        needs.filter(|(need, _)| self.can_grant(need) && !self.grants(need)).collect()
    }

    /// Whether the object that would have to change existed before the documents, which may change it again.
    fn can_grant(&self, need: &Need) -> bool {
        let exists = |resource: &GroupResource, namespace: &str, name: &str| {
            self.existing.contains_key(&(resource.clone(), namespace.to_owned(), name.to_owned()))
        };
        match need {
            Need::Right(_) => true,
            Need::Object { resource, .. } => manifests::can_write(resource),
            Need::Level { namespace, .. } => {
                exists(&NAMESPACES, "", namespace) || self.grants(&Need::object(&NAMESPACES, "", namespace))
            }
            Need::Quota { resource, namespace, name, .. } => exists(resource, namespace, name),
            Need::Bound { namespace, name, .. } => exists(&LIMIT_RANGES, namespace, name),
        }
    }

    /// Whether a grant is at least `need`.
    fn grants(&self, need: &Need) -> bool {
        self.iter()
            .filter(|grant| grant.need.is_about_the_same(need))
            .any(|grant| !exceeds(need, &grant.need))
    }

    /// Grants `need` because of the document at `index`.
    pub(super) fn add(&mut self, need: Need, reason: Reason, index: usize) {
        let known = self.list.iter_mut().flatten().find(|grant| grant.need.is_about_the_same(&need));
        let Some(known) = known else {
            self.list.push(Some(Grant { need, reasons: vec![reason], first: index }));
            return;
        };
        if exceeds(&need, &known.need) {
            known.need = need;
            known.first = index;
        }
        if known.reasons.len() < MOST_REASONS && !known.reasons.contains(&reason) {
            known.reasons.push(reason);
        }
    }

    /// Returns the numbers of the grants that the document at `index` needs first.
    pub(super) fn first_needed_by(&self, index: usize) -> Vec<usize> {
        let first = |(number, grant): (usize, &Option<Grant>)| {
            grant.as_ref().filter(|grant| grant.first == index).map(|_| number)
        };
        self.list.iter().enumerate().filter_map(first).collect()
    }

    /// Takes the grant `number` back.
    pub(super) fn take(&mut self, number: usize) -> Option<Grant> {
        self.list[number].take()
    }

    /// Grants again what was taken.
    pub(super) fn put_back(&mut self, number: usize, grant: Option<Grant>) {
        self.list[number] = grant;
    }

    /// Forgets what was taken back.
    pub(super) fn compact(&mut self) {
        self.list.retain(Option::is_some);
    }

    /// Returns the manifests that a cluster must have, in the order in which they can be applied.
    pub fn manifests(&self) -> Vec<Manifest> {
        let mut manifests = self.objects();
        manifests.extend(rights::manifests(self.iter()));
        manifests
    }

    /// Returns the objects that are not roles: new ones, and existing ones with their changes.
    fn objects(&self) -> Vec<Manifest> {
        let mut manifests: Vec<Manifest> = Vec::new();
        let mut changed: BTreeMap<Key, Vec<(&Grant, Vec<Change>)>> = BTreeMap::new();
        for grant in self.iter() {
            match &grant.need {
                Need::Object { resource, namespace, name } => {
                    let key = (resource.clone(), namespace.clone(), name.clone());
                    changed.entry(key).or_default().push((grant, Vec::new()));
                }
                need => {
                    if let Some((key, changes)) = changes_of(need) {
                        changed.entry(key).or_default().push((grant, changes));
                    }
                }
            }
        }
        for (key, grants) in changed {
            let existing = self.existing.get(&key);
            let Some(mut value) = self.written_or_new(&key, existing) else { continue };
            let mut reasons: Vec<Reason> = Vec::new();
            let mut changes = Vec::new();
            for (grant, own) in grants {
                for change in &own {
                    apply(change, &mut value);
                }
                changes.extend(own);
                for reason in &grant.reasons {
                    if !reasons.contains(reason) {
                        reasons.push(reason.clone());
                    }
                }
            }
            manifests.push(Manifest { key, value, reasons, changes, is_new: existing.is_none() });
        }
        manifests.sort_by_key(|manifest| manifests::position(&manifest.key.0));
        manifests
    }

    fn written_or_new(&self, key: &Key, existing: Option<&Arc<Object>>) -> Option<Value> {
        let (resource, namespace, name) = key;
        let Some(existing) = existing else { return manifests::new_object(resource, namespace, name) };
        let written = self.written.written(resource, namespace, name);
        let mut value = written.or_else(|| manifests::identity(existing))?;
        if !namespace.is_empty() {
            Change::set(Path::new("metadata.namespace"), namespace.as_str()).apply(&mut value);
        }
        Some(value)
    }

    /// Returns what the cluster has because of the grants.
    pub(super) fn state(&self) -> State {
        State(self.put.clone())
    }

    /// Records that the cluster has what it had because of the grants.
    pub(super) fn resume(&mut self, state: &State) {
        self.put.clone_from(&state.0);
    }

    /// Records that the cluster has the manifests of all grants.
    pub(super) fn are_put(&mut self) {
        self.put = self.manifests().into_iter().map(|manifest| (manifest.key, manifest.value)).collect();
    }

    /// Changes the cluster of `evaluator`, which has the grants as they were put last, to have those of now.
    pub(super) fn put(&mut self, evaluator: &Evaluator) {
        let cluster = evaluator.cluster();
        let manifests: BTreeMap<Key, Manifest> =
            self.manifests().into_iter().map(|manifest| (manifest.key.clone(), manifest)).collect();
        for key in self.put.keys().filter(|key| !manifests.contains_key(key)) {
            self.restore(key, cluster);
        }
        for (key, manifest) in &manifests {
            if self.put.get(key) == Some(&manifest.value) {
                continue;
            }
            let current = cluster.get(&key.0, &key.1, &key.2);
            match current.filter(|_| !manifest.is_new) {
                Some(current) => change(cluster, key, &current, self.existing.get(key), &manifest.changes),
                None => create(evaluator, manifest),
            }
        }
        self.put = manifests.into_iter().map(|(key, manifest)| (key, manifest.value)).collect();
    }

    /// Takes back what a grant changed.
    fn restore(&self, key: &Key, cluster: &Cluster) {
        let (resource, namespace, name) = key;
        match (self.existing.get(key), cluster.get(resource, namespace, name)) {
            (Some(existing), Some(current)) => change(cluster, key, &current, Some(existing), &[]),
            (Some(_), None) => {}
            (None, _) => cluster.remove(resource, namespace, name),
        }
    }
}

/// Gives the granted fields of `current` the values that `changes` or else the object before has.
fn change(
    cluster: &Cluster,
    key: &Key,
    current: &Arc<Object>,
    existing: Option<&Arc<Object>>,
    changes: &[Change],
) {
    let mut object = Object::clone(current);
    let resource = &key.0;
    let fields: &[&[&str]] = match resource.resource.as_ref() {
        "namespaces" => &[&["metadata", "labels"]],
        "limitranges" => &[&["spec"]],
        _ => &[&["spec"], &["status", "hard"]],
    };
    for field in fields {
        match existing.and_then(|existing| existing.at(*field)) {
            Some(value) => object.set(*field, value.clone()),
            None => drop(object.remove(*field)),
        }
    }
    let mut value = std::mem::take(&mut object.value).untyped();
    for change in changes {
        apply(change, &mut value);
    }
    object.value = value;
    if object.value != current.value {
        cluster.put(resource, Arc::new(object));
    }
}

/// Creates the object of a manifest, with what controllers create for it.
fn create(evaluator: &Evaluator, manifest: &Manifest) {
    let (resource, namespace, name) = &manifest.key;
    let (cluster, features) = (evaluator.cluster(), evaluator.features());
    if *resource == NAMESPACES && manifest.changes.is_empty() {
        if cluster.namespace(name).is_none() {
            workload::make_namespace(cluster, name, features);
        }
        return;
    }
    let node = Node::from(manifest.value.clone());
    if let Ok(fixture) = Fixture::read(node, namespace, cluster, features) {
        let is_same =
            cluster.get(resource, namespace, name).is_some_and(|known| known.value == fixture.object.value);
        if !is_same {
            cluster.put(resource, fixture.object);
        }
    }
}

/// Whether `need` is more than `granted`, which is about the same.
fn exceeds(need: &Need, granted: &Need) -> bool {
    match (need, granted) {
        (Need::Level { level, .. }, Need::Level { level: granted, .. }) => level < granted,
        (Need::Quota { amount, .. }, Need::Quota { amount: granted, .. }) => amount > granted,
        (Need::Bound { path, amount, .. }, Need::Bound { amount: granted, .. }) => match (amount, granted) {
            (None, granted) => granted.is_some(),
            (Some(_), None) => false,
            (Some(amount), Some(granted)) if limits::is_lower_bound(path) => amount < granted,
            (Some(amount), Some(granted)) => amount > granted,
        },
        _ => false,
    }
}

/// Returns the existing object that a need changes, and how.
fn changes_of(need: &Need) -> Option<(Key, Vec<Change>)> {
    match need {
        Need::Level { namespace, level } => {
            let key = (NAMESPACES, String::new(), namespace.clone());
            Some((key, vec![Change::set(label_path(Mode::Enforce.level_label()), level.to_string())]))
        }
        Need::Quota { resource, namespace, name, counted, amount } => {
            let key = (resource.clone(), namespace.clone(), name.clone());
            let hard = if *resource == RESOURCE_QUOTAS { "spec.hard" } else { "spec.quota.hard" };
            let set = |path: Path| Change::set(path.key(counted.clone()), amount.to_string());
            Some((key, vec![set(Path::new(hard)), set(Path::new("status.hard"))]))
        }
        Need::Bound { namespace, name, path, amount } => {
            let action = match amount {
                Some(amount) => Action::Set(amount.to_string().into()),
                None => Action::Remove,
            };
            let key = (LIMIT_RANGES, namespace.clone(), name.clone());
            Some((key, vec![Change { path: path.clone(), action }]))
        }
        Need::Right(_) | Need::Object { .. } => None,
    }
}

/// Changes `value`; a status only if it is known, since a controller writes it otherwise.
fn apply(change: &Change, value: &mut Value) {
    let is_of_status = change.path.to_string().starts_with("status.hard");
    if !is_of_status || value.has(["status", "hard"]) {
        change.apply(value);
    }
}
