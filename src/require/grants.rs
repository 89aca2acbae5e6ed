//! The grants found so far, and the cluster that has them.

use std::collections::{BTreeMap, BTreeSet};
use std::mem;
use std::sync::Arc;

use crate::admission::{Action, Change, Need};
use crate::cluster::{Cluster, Fixture};
use crate::evaluation::{Evaluator, Outcome};
use crate::report::{Fixtures, Refused};
use crate::require::manifests::{self, Manifest};
use crate::require::{Key, limits, needs_of, rights};
use crate::workload;
use gotext::quantity::Quantity;
use gotext::source::Node;
use kube_api::field::Path;
use kube_api::pod_security::{Mode, label_path};
use kube_api::resources::{LIMIT_RANGES, NAMESPACES, NODES, RESOURCE_QUOTAS};
use kube_api::{GroupResource, Object, Value};

/// Something that a cluster must have.
#[derive(Clone, Debug)]
pub struct Grant {
    /// What it is.
    pub need: Need,
    /// The requests that are refused without it.
    pub reasons: Vec<Refused>,
    /// The number of the first document that needs it.
    pub(super) first: usize,
    /// Whether something was refused without it.
    is_proved: bool,
    /// Whether it is a quota that was lowered to the usage at the end. More is used in between if it is refused again.
    is_lowered: bool,
}

/// A need that is not granted.
pub(super) struct Unmet {
    pub(super) need: Need,
    /// The number of equal requests that need it.
    count: u64,
    reason: Refused,
}

impl Grant {
    /// Returns the grant, without which something was refused.
    pub(super) fn proved(self) -> Self {
        Self { is_proved: true, ..self }
    }
}

/// The grants, and the objects that existed before.
#[derive(Clone, Debug, Default)]
pub struct Grants {
    /// Those that were taken back are none.
    list: Vec<Option<Grant>>,
    /// The numbers of the grants that an object is about.
    by_key: BTreeMap<Key, Vec<usize>>,
    existing: BTreeMap<Key, Arc<Object>>,
    written: Arc<Fixtures>,
}

/// The most reasons that are kept of a grant.
const MAX_REASONS: usize = 3;

impl Grants {
    /// Returns no grants for the cluster of `evaluator`. `written` has its objects as the user wrote them.
    pub(super) fn new(evaluator: &Evaluator, written: Arc<Fixtures>) -> Self {
        let mut existing = BTreeMap::new();
        let resources = [NAMESPACES, LIMIT_RANGES, NODES, RESOURCE_QUOTAS].into_iter();
        for resource in resources.chain(rights::resources()) {
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
    pub(super) fn unmet(&self, outcome: &Outcome, cluster: &Cluster) -> Vec<Unmet> {
        let mut unmet = Vec::new();
        for request in outcome.with_caused().filter(|request| request.refusal.is_some()) {
            let needs = needs_of(request, cluster).into_iter();
            let needs = needs.filter(|need| self.can_grant(need) && !self.grants(need));
            let count =
                request.cause.as_ref().map_or(1, |cause| cause.replicas.saturating_sub(cause.admitted));
            unmet.extend(needs.map(|need| Unmet { need, count, reason: Refused::of(request) }));
        }
        unmet
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
            Need::Feature { node, .. } => exists(&NODES, "", node),
        }
    }

    /// Whether a grant is at least `need`.
    fn grants(&self, need: &Need) -> bool {
        self.number_of(need)
            .and_then(|number| self.list[number].as_ref())
            .is_some_and(|grant| !exceeds(need, &grant.need))
    }

    fn number_of(&self, need: &Need) -> Option<usize> {
        let is_same = |number: &usize| {
            self.list[*number].as_ref().is_some_and(|grant| grant.need.is_about_the_same(need))
        };
        self.by_key.get(&key_of(need))?.iter().copied().find(is_same)
    }

    /// Grants `need` because of the document at `index`.
    fn add(&mut self, need: Need, reason: Refused, index: usize) {
        let Some(known) = self.number_of(&need).and_then(|number| self.list[number].as_mut()) else {
            self.by_key.entry(key_of(&need)).or_default().push(self.list.len());
            self.list.push(Some(Grant {
                need,
                reasons: vec![reason],
                first: index,
                is_proved: false,
                is_lowered: false,
            }));
            return;
        };
        if exceeds(&need, &known.need) {
            known.need = need;
            known.first = index;
            known.is_proved = false;
        }
        if known.reasons.len() < MAX_REASONS && !known.reasons.contains(&reason) {
            known.reasons.push(reason);
        }
    }

    /// Returns the numbers of the grants that the document at `index` needs first, of which it is not known that
    /// something is refused without them.
    pub(super) fn unproved(&self, index: usize) -> Vec<usize> {
        let first = |(number, grant): (usize, &Option<Grant>)| {
            grant.as_ref().filter(|grant| grant.first == index && !grant.is_proved).map(|_| number)
        };
        self.list.iter().enumerate().filter_map(first).collect()
    }

    /// Lowers quotas to what `cluster` uses of them at the end of a run. Returns whether one was higher.
    pub(super) fn lower_quotas(&mut self, cluster: &Cluster) -> bool {
        let mut is_lowered = false;
        for grant in self.list.iter_mut().flatten().filter(|grant| !grant.is_lowered) {
            let Need::Quota { resource, namespace, name, counted, amount, .. } = &mut grant.need else {
                continue;
            };
            let quota = cluster.get(resource, namespace, name);
            let used = quota.as_ref().and_then(|quota| quota.at(["status", "used", counted.as_str()]));
            let used = used.and_then(|used| Quantity::parse(used.as_str()?).ok());
            if let Some(used) = used.filter(|used| used < amount) {
                *amount = used;
                grant.is_lowered = true;
                is_lowered = true;
            }
        }
        is_lowered
    }

    /// Takes the grant `number` back.
    pub(super) fn take(&mut self, number: usize) -> Option<Grant> {
        self.list[number].take()
    }

    /// Grants again what was taken.
    pub(super) fn put_back(&mut self, number: usize, grant: Option<Grant>) {
        self.list[number] = grant;
    }

    /// Returns the grants by their numbers.
    pub(super) fn list(&self) -> &[Option<Grant>] {
        &self.list
    }

    /// Takes back everything that was granted since the grants were `before`, and returns it.
    pub(super) fn return_to(&mut self, before: Vec<Option<Grant>>) -> Vec<Need> {
        let now = mem::replace(&mut self.list, before);
        self.list.resize(now.len(), None);
        let is_same = |grant: &Grant, before: &Option<Grant>| {
            before.as_ref().is_some_and(|before| before.need == grant.need)
        };
        let pairs = now.into_iter().zip(&self.list);
        pairs.filter_map(|(now, before)| Some(now.filter(|now| !is_same(now, before))?.need)).collect()
    }

    /// Returns the manifests that a cluster must have, in the order in which they can be applied: with the Namespaces of the
    /// others, which the documents may create only later.
    pub fn manifests(&self) -> Vec<Manifest> {
        let mut manifests: Vec<Manifest> =
            self.by_key.keys().flat_map(|key| self.manifests_of(key)).collect();
        let namespaces: BTreeSet<&str> = manifests.iter().map(|manifest| &*manifest.key.1).collect();
        let keys = namespaces.into_iter().filter(|namespace| !namespace.is_empty());
        let keys = keys.map(|namespace| (NAMESPACES, String::new(), namespace.to_owned()));
        let missing: Vec<Key> = keys
            .filter(|key| !self.existing.contains_key(key) && manifests.iter().all(|other| other.key != *key))
            .collect();
        manifests.extend(missing.into_iter().filter_map(Manifest::new));
        manifests.sort_by_key(|manifest| manifests::position(&manifest.key.0));
        manifests
    }

    /// Returns the manifests of the object `key`: a role has a binding.
    fn manifests_of(&self, key: &Key) -> Vec<Manifest> {
        let numbers = self.by_key.get(key).into_iter().flatten();
        let grants: Vec<&Grant> = numbers.filter_map(|number| self.list[*number].as_ref()).collect();
        if grants.is_empty() {
            return Vec::new();
        }
        if rights::is_role(&key.0) {
            return rights::role_and_binding(key, &grants, &self.existing);
        }
        let existing = self.existing.get(key);
        let Some(mut value) = self.written_or_new(key, existing) else { return Vec::new() };
        let mut reasons: Vec<Refused> = Vec::new();
        let mut changes = Vec::new();
        for grant in grants {
            let own = changes_of(&grant.need);
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
        vec![Manifest { key: key.clone(), value, reasons, changes, is_new: existing.is_none() }]
    }

    /// Returns the object as the user wrote it, or else as it is written first.
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

    /// Grants `unmet`, each with the number of its document, in the cluster of `evaluator`.
    pub(super) fn put_all(&mut self, unmet: impl IntoIterator<Item = (usize, Unmet)>, evaluator: &Evaluator) {
        let mut needs: Vec<Need> = Vec::new();
        for (index, Unmet { mut need, count, reason }) in unmet {
            // Each request was refused as if it were the only one that the quota does not allow, and stands for all like it.
            let is_exact = self
                .number_of(&need)
                .is_some_and(|number| self.list[number].as_ref().is_some_and(|grant| grant.is_lowered));
            let others = needs.iter().rev().find(|known| known.is_about_the_same(&need));
            let others = match others {
                Some(Need::Quota { amount, .. }) => Some(amount.clone()),
                _ => None,
            };
            if let (Need::Quota { amount, requested, .. }, false) = (&mut need, is_exact) {
                *amount = match others {
                    Some(others) => others.add(&requested.times(count)),
                    None => amount.add(&requested.times(count.saturating_sub(1))),
                };
            }
            self.add(need.clone(), reason, index);
            needs.push(need);
        }
        self.put(&needs, evaluator);
    }

    /// Changes the objects of `needs` in the cluster of `evaluator` to what the grants of now make of them.
    pub(super) fn put<'n>(&self, needs: impl IntoIterator<Item = &'n Need>, evaluator: &Evaluator) {
        let needs = needs.into_iter().map(|need| (key_of(need), need));
        for (key, need) in &needs.collect::<BTreeMap<Key, &Need>>() {
            let manifests = self.manifests_of(key);
            if manifests.is_empty() && !is_overwritten(need, evaluator.cluster()) {
                self.restore(key, evaluator.cluster());
            }
            for manifest in manifests {
                let key = &manifest.key;
                let current = evaluator.cluster().get(&key.0, &key.1, &key.2);
                match current.filter(|_| {
                    !manifest.is_new && !rights::resources().any(|resource| resource == manifest.key.0)
                }) {
                    Some(current) => {
                        let existing = self.existing.get(key);
                        change(evaluator.cluster(), key, &current, existing, &manifest.changes);
                    }
                    None => create(evaluator, &manifest),
                }
            }
        }
    }

    /// Takes back what a grant changed.
    fn restore(&self, key: &Key, cluster: &Cluster) {
        let (resource, namespace, name) = key;
        if let (Some(bindings), Some(role)) = (rights::bindings_of(resource), self.existing.get(key)) {
            cluster.put(resource, role.clone());
            match self.existing.get(&(bindings.clone(), namespace.clone(), name.clone())) {
                Some(binding) => cluster.put(&bindings, binding.clone()),
                None => cluster.remove(&bindings, namespace, name),
            }
            return;
        }
        match (self.existing.get(key), cluster.get(resource, namespace, name)) {
            (Some(existing), Some(current)) => change(cluster, key, &current, Some(existing), &[]),
            (Some(_), None) => {}
            (None, _) => {
                cluster.remove(resource, namespace, name);
                if let Some(bindings) = rights::bindings_of(resource) {
                    cluster.remove(&bindings, namespace, name);
                }
            }
        }
    }
}

/// Whether a document gave the object another value than was granted.
fn is_overwritten(granted: &Need, cluster: &Cluster) -> bool {
    let Need::Level { namespace, level } = granted else { return false };
    let current = cluster.namespace(namespace);
    current.is_some_and(|current| {
        current.text(["metadata", "labels", Mode::Enforce.level_label()]) != level.to_string()
    })
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
        "nodes" => &[&["status", "declaredFeatures"]],
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
    let (cluster, profile) = (evaluator.cluster(), evaluator.profile());
    if *resource == NAMESPACES && manifest.changes.is_empty() {
        if cluster.namespace(name).is_none() {
            workload::make_namespace(cluster, name, profile);
        }
        return;
    }
    let node = Node::from(manifest.value.clone());
    if let Ok(fixture) = Fixture::read(node, namespace, cluster, profile) {
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

/// Returns the object that grants a need: of a right, the role.
fn key_of(need: &Need) -> Key {
    match need {
        Need::Right(right) => rights::role_of(right),
        Need::Object { resource, namespace, name } | Need::Quota { resource, namespace, name, .. } => {
            (resource.clone(), namespace.clone(), name.clone())
        }
        Need::Level { namespace, .. } => (NAMESPACES, String::new(), namespace.clone()),
        Need::Bound { namespace, name, .. } => (LIMIT_RANGES, namespace.clone(), name.clone()),
        Need::Feature { node, .. } => (NODES, String::new(), node.clone()),
    }
}

/// Returns how a need changes the object that grants it.
fn changes_of(need: &Need) -> Vec<Change> {
    match need {
        Need::Level { level, .. } => {
            vec![Change::set(label_path(Mode::Enforce.level_label()), level.to_string())]
        }
        Need::Quota { resource, counted, amount, .. } => {
            let hard = if *resource == RESOURCE_QUOTAS { "spec.hard" } else { "spec.quota.hard" };
            let set = |path: Path| Change::set(path.key(counted.clone()), amount.to_string());
            vec![set(Path::new(hard)), set(Path::new("status.hard"))]
        }
        Need::Bound { path, amount, .. } => {
            let action = match amount {
                Some(amount) => Action::Set(amount.to_string().into()),
                None => Action::Remove,
            };
            vec![Change { path: path.clone(), action }]
        }
        Need::Feature { feature, .. } => {
            let action = Action::Append(feature.as_str().into());
            vec![Change { path: Path::new("status.declaredFeatures"), action }]
        }
        Need::Right(_) | Need::Object { .. } => Vec::new(),
    }
}

/// Changes `value`; a status only if it is known, since a controller writes it otherwise.
fn apply(change: &Change, value: &mut Value) {
    let is_of_status = change.path.to_string().starts_with("status.hard");
    if !is_of_status || value.has(["status", "hard"]) {
        change.apply(value);
    }
}
