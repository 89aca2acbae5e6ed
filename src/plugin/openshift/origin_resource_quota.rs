//! Enforces quotas as Origin counted them itself: Kubernetes' objects as of 1.4, and image streams.
//!
//! # When it rejects
//!
//! - The request, together with the existing usage, exceeds `status.hard` of a quota of the namespace.
//! - A quota counts CPU or memory, and a container of a pod has none.
//! - A quota has no `status.used` yet for any resource that it limits.
//!
//! # Cluster objects it reads
//!
//! `ResourceQuotas` and image streams of the namespace. It writes `status.used` of the quotas.
//!
//! # Offline
//!
//! A quota without a status limits nothing. Quotas are checked in the order of their names.
//!
//! # Since
//!
//! Origin 1.3, on by default instead of Kubernetes' `ResourceQuota`; gone in 3.6.
//!
//! # Upstream
//!
//! `openshift/origin/pkg/quota/admission/resourcequota`

use std::sync::{Arc, Mutex, PoisonError};

use crate::admission::{Attributes, Evidence, Handler, MutationInterface, Operation, Recorder, Refusal};
use crate::cluster::Cluster;
use crate::plugin::PluginInitializer;
use crate::quota::scopes::ScopedResourceSelectorRequirement;
use crate::quota::{Counter, Evaluator};
use gotext::value::json;
use kube_api::Object;
use kube_api::field::Path;
use kube_api::resource_list::ResourceList;
use kube_api::resources::RESOURCE_QUOTAS;

/// The resources that have an evaluator, and whether updates are counted.
const COUNTED: [(&str, bool); 10] = [
    ("configmaps", false),
    ("imagestreamimports", false),
    ("imagestreams", false),
    ("imagestreamtags", true),
    ("persistentvolumeclaims", false),
    ("pods", false),
    ("replicationcontrollers", false),
    ("resourcequotas", false),
    ("secrets", false),
    ("services", true),
];

pub(super) fn new(initializer: &PluginInitializer) -> Handler {
    Handler::mutating(OriginResourceQuota {
        cluster: initializer.cluster.clone(),
        counter: Counter::new(initializer.cluster.clone(), initializer.profile.clone()),
        turn: Mutex::new(()),
    })
}

struct OriginResourceQuota {
    cluster: Arc<Cluster>,
    counter: Counter,
    /// A lock held from reading a quota until its charge is written.
    turn: Mutex<()>,
}

/// A quota that applies to the object.
struct Quota {
    object: Arc<Object>,
    hard: ResourceList<'static>,
    used: ResourceList<'static>,
}

impl MutationInterface for OriginResourceQuota {
    fn admit(&self, attributes: &mut Attributes, recorder: &mut Recorder) -> Result<(), Refusal> {
        let resource = (&*attributes.resource.group, &*attributes.resource.resource);
        let counted = COUNTED.iter().find(|(name, _)| resource == ("", name));
        let is_counted = counted.is_some_and(|(_, updates)| match attributes.operation {
            Operation::Create => true,
            Operation::Update => *updates,
            Operation::Delete | Operation::Connect => false,
        });
        if !is_counted || attributes.has_sub_resource() {
            return Ok(());
        }
        let Some(object) = attributes.object.clone() else { return Ok(()) };
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let placed = placed(&object, &attributes.namespace);
        let evaluator = self.counter.evaluator(&attributes.resource, &placed);
        let quotas = self.holding(attributes, evaluator.as_ref())?;
        if quotas.is_empty() {
            return Ok(());
        }
        if object.namespace().is_empty() {
            attributes.object = Some(Arc::new(placed.clone()));
        }
        let mut usage = evaluator.usage();
        usage.retain(|name, _| !name.starts_with("count/"));
        let old = attributes.old_object.clone().filter(|_| attributes.operation == Operation::Update);
        // The registry of tags creates an old object, without a version, for a stream that does not exist.
        let is_made = |old: &Object| {
            resource.1 == "imagestreamtags" && old.text(["metadata", "resourceVersion"]).is_empty()
        };
        if let Some(old) = old.filter(|old| !is_made(old)) {
            let before = self.counter.evaluator(&attributes.resource, &old).usage().into_owned();
            usage.change(|name, amount| {
                before.get(name).map_or_else(|| amount.clone(), |old| amount.sub(old))
            });
        }
        if usage.iter().all(|(_, amount)| amount.is_zero()) {
            return Ok(());
        }
        let charges = quotas.iter().map(|quota| charge(attributes, evaluator.as_ref(), quota, &usage));
        let charges = charges.collect::<Result<Vec<_>, _>>()?;
        for (quota, used) in quotas.iter().zip(charges) {
            self.write(quota, &used, attributes.dry_run, recorder);
        }
        Ok(())
    }
}

impl OriginResourceQuota {
    /// Returns the quotas of the namespace that apply to the object, ordered by name.
    fn holding(&self, attributes: &Attributes, evaluator: &dyn Evaluator) -> Result<Vec<Quota>, Refusal> {
        let mut quotas = Vec::new();
        for object in self.cluster.list(&RESOURCE_QUOTAS, &attributes.namespace) {
            let list = |field| ResourceList::of(object.at(["status", field])).into_owned();
            let (hard, used) = (list("hard"), list("used"));
            let restricted: Vec<&str> =
                hard.names().filter(|name| !name.starts_with("count/") && evaluator.counts(name)).collect();
            let scopes = ScopedResourceSelectorRequirement::of_quota(&object);
            let in_scope = scopes.iter().all(|scope| evaluator.matches_scope(scope).unwrap_or(false));
            if restricted.is_empty() || !in_scope {
                continue;
            }
            let name = object.name();
            if let Some(missing) = evaluator.missing(&restricted) {
                let error = format!("failed quota: {name}: must specify {}", missing.names.join(","));
                let refusal = attributes.new_forbidden(error).at_all(missing.fields);
                return Err(refusal.because(evidence(&object, Path::new("status.hard"), "counts them")));
            }
            if hard.names().any(|name| !used.contains(name)) {
                let refusal = attributes.new_forbidden(format!("status unknown for quota: {name}"));
                let says = "has not been counted yet";
                return Err(refusal.because(evidence(&object, Path::new("status.used"), says)));
            }
            quotas.push(Quota { object, hard, used });
        }
        Ok(quotas)
    }

    fn write(&self, quota: &Quota, used: &ResourceList<'_>, dry_run: bool, recorder: &mut Recorder) {
        if *used == quota.used {
            return;
        }
        let (namespace, name) = (quota.object.namespace(), quota.object.name());
        let printed = used.printed();
        recorder.add_write(json!({
            "method": "PUT",
            "path": format!("/api/v1/namespaces/{namespace}/resourcequotas/{name}/status"),
            "used": printed.clone(),
        }));
        if !dry_run {
            let mut object = Object::clone(&quota.object);
            object.set(["status", "used"], printed);
            self.cluster.put(&RESOURCE_QUOTAS, Arc::new(object));
        }
    }
}

/// Returns the object in the namespace of the request, which it need not name.
fn placed(object: &Object, namespace: &str) -> Object {
    let mut placed = object.clone();
    if object.namespace().is_empty() {
        placed.set(["metadata", "namespace"], namespace);
    }
    placed
}

/// Returns the usage of `quota` including `usage`, if that does not exceed it.
fn charge(
    attributes: &Attributes,
    evaluator: &dyn Evaluator,
    quota: &Quota,
    usage: &ResourceList<'_>,
) -> Result<ResourceList<'static>, Refusal> {
    let mut requested = usage.clone();
    requested.retain(|name, _| quota.hard.contains(name));
    let mut used = quota.used.clone();
    for (name, amount) in requested.iter() {
        used.add(name.to_owned(), amount);
    }
    requested.retain(|name, _| used.get(name) > quota.hard.get(name));
    if requested.is_empty() {
        return Ok(used);
    }
    let print = |list: &ResourceList<'_>| {
        let entries = list.iter().filter(|(name, _)| requested.contains(name));
        entries.map(|(name, amount)| format!("{name}={amount}")).collect::<Vec<_>>().join(",")
    };
    let name = quota.object.name();
    let (asks, has, limit) = (print(&requested), print(&quota.used), print(&quota.hard));
    let error = format!("exceeded quota: {name}, requested: {asks}, used: {has}, limited: {limit}");
    let fields: Vec<Path> = requested.names().flat_map(|name| evaluator.fields(name)).collect();
    let refusal = attributes.new_forbidden(error).at_all(fields);
    Err(refusal.because(evidence(
        &quota.object,
        Path::new("status.hard"),
        &format!("allows {limit}, {has} used"),
    )))
}

fn evidence(quota: &Object, path: Path, says: &str) -> Evidence {
    Evidence::of(RESOURCE_QUOTAS, quota, says).at(path)
}
