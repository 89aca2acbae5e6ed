//! Refuses requests that would exceed a `ResourceQuota` of the namespace, and charges those that it admits. It keeps
//! one team from using up the CPU, storage, load balancers or etcd space of all others.
//!
//! # When it rejects
//!
//! - The request, together with the existing usage, exceeds `status.hard` of a quota.
//! - A quota counts CPU or memory, and a container has none.
//! - A quota has no `status.used` yet for something that it limits.
//! - The configuration limits a resource or a scope, and no quota covers it.
//!
//! Deletion and shrinking are never refused, and release nothing here: a controller recounts.
//!
//! # Configuration
//!
//! ```yaml
//! apiVersion: apiserver.config.k8s.io/v1
//! kind: ResourceQuotaConfiguration
//! limitedResources:
//! - resource: persistentvolumeclaims
//!   matchContains: [.storageclass.storage.k8s.io/requests.storage]
//! - resource: pods
//!   matchScopes:
//!   - {scopeName: PriorityClass, operator: In, values: [cluster-services]}
//! ```
//!
//! # Cluster objects it reads
//!
//! `ResourceQuotas` of the request's namespace. For resource claims also the `DeviceClasses`, and the Pods and
//! `ResourceClaims` of the namespace. It writes `status.used` of the quotas, unless the request is a dry run.
//!
//! # Offline
//!
//! The status of a quota without one is calculated from the objects that exist, as the quota controller does, with a
//! note; with `--strict`, such a quota limits nothing, as in a cluster whose controller has not seen it yet. Quotas are
//! checked in the order of their names; a cluster checks them in no particular order. The grace period of a pod that a
//! request of the run deleted is assumed to last, and that of a pod that was being deleted before to be over.
//!
//! # Since
//!
//! On by default in every release. Scopes: `PriorityClass` since 1.12, `CrossNamespacePodAffinity` since 1.22,
//! `VolumeAttributesClass` since 1.34. `count/…` since 1.9, `pods/resize` since 1.32, pod-level resources and device
//! classes since 1.34, devices as extended resources since 1.36.
//!
//! # Upstream
//!
//! `k8s.io/apiserver/pkg/admission/plugin/resourcequota`, `k8s.io/kubernetes/pkg/quota`

pub(super) mod configuration;
mod quotas;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use crate::admission::{
    Attributes, Evidence, Handler, Need, Operation, Recorder, Refusal, ValidationInterface,
};
use crate::cluster::Cluster;
use crate::plugin::{FactoryError, PluginConfiguration, PluginInitializer};
use kube_api::field::Path;
use kube_api::resource_list::ResourceList;
use kube_api::{GroupVersionResource, Object, Status, Value};

use crate::quota::scopes::ScopedResourceSelectorRequirement;
use crate::quota::{self, Counter, Evaluator};
use configuration::Configuration;
use kube_api::resources::RESOURCE_QUOTAS;
#[cfg(feature = "openshift")]
pub(crate) use quotas::OtherQuotas;
use quotas::{Quota, Quotas};

pub(super) fn new(
    initializer: &PluginInitializer,
    configuration: Option<&PluginConfiguration>,
) -> Result<Handler, FactoryError> {
    let configuration = configuration
        .map(|configuration| Configuration::load(&configuration.text, initializer.profile.release()));
    Ok(Handler::validating(ResourceQuota {
        cluster: initializer.cluster.clone(),
        configuration: configuration.transpose()?.unwrap_or_default(),
        quotas: Mutex::default(),
        over_others: false,
        counter: Counter::new(initializer.cluster.clone(), initializer.profile.clone()),
    }))
}

pub(super) fn effective(
    initializer: &PluginInitializer,
    configuration: Option<&PluginConfiguration>,
) -> Result<Value, FactoryError> {
    let configuration = configuration
        .map(|configuration| Configuration::load(&configuration.text, initializer.profile.release()));
    Ok(configuration.transpose()?.unwrap_or_default().to_value())
}

/// Returns the plugin over quotas of another kind.
#[cfg(feature = "openshift")]
pub(crate) fn over(initializer: &PluginInitializer, others: &'static OtherQuotas) -> Handler {
    Handler::validating(ResourceQuota {
        cluster: initializer.cluster.clone(),
        configuration: Configuration::default(),
        quotas: Mutex::new(Quotas::of_others(others)),
        over_others: true,
        counter: Counter::new(initializer.cluster.clone(), initializer.profile.clone()),
    })
}

struct ResourceQuota {
    cluster: Arc<Cluster>,
    configuration: Configuration,
    quotas: Mutex<Quotas>,
    /// Whether the quotas are of another kind, which ignores subresources.
    over_others: bool,
    counter: Counter,
}

/// The usage of a quota after the request.
type Charge = (Arc<Quota>, ResourceList<'static>);

impl ValidationInterface for ResourceQuota {
    fn validate(&self, attributes: &Attributes, recorder: &mut Recorder) -> Result<(), Refusal> {
        self.spend(attributes, 1, recorder).map_err(|(_, refusal)| refusal)
    }

    fn repeat(
        &self,
        attributes: &Attributes,
        count: u64,
        recorder: &mut Recorder,
    ) -> Result<(), (u64, Refusal)> {
        self.spend(attributes, count, recorder)
    }
}

impl ResourceQuota {
    /// Charges as many of `count` objects like the one of the request as the quotas allow; unless these are all,
    /// returns how many, and why not one more.
    fn spend(
        &self,
        attributes: &Attributes,
        count: u64,
        recorder: &mut Recorder,
    ) -> Result<(), (u64, Refusal)> {
        if !self.counter.handles(attributes) || self.over_others && attributes.has_sub_resource() {
            return Ok(());
        }
        let Some(object) = attributes.object.as_deref() else { return Ok(()) };
        // The lock is held until the charge is written, so that two requests never use the same remainder.
        let mut ledger = self.quotas.lock().unwrap_or_else(PoisonError::into_inner);
        let quotas = ledger.of_namespace(&self.cluster, &attributes.namespace);
        if quotas.is_empty() && self.configuration.limited_resources.is_empty() {
            return Ok(());
        }
        if attributes.resource.is("", "pods")
            && let Some(assumption) = quota::pods::assumption(object)
        {
            recorder.add_note(assumption);
        }
        let check = |count| self.check(attributes, object, count, &quotas);
        let mut charge = |charges: Vec<Charge>| {
            for (quota, used) in charges.into_iter().filter(|_| !attributes.dry_run) {
                let write = ledger.charge(&self.cluster, &quota, used);
                if let Some(write) = write {
                    recorder.add_write(write);
                }
            }
        };
        let (mut fit, mut too_many) = match check(count) {
            Ok(charges) => {
                charge(charges);
                return Ok(());
            }
            Err(refusal) if count == 1 => return Err((0, refusal)),
            Err(_) => (0, count),
        };
        while fit + 1 < too_many {
            let middle = fit + (too_many - fit) / 2;
            if check(middle).is_ok() { fit = middle } else { too_many = middle }
        }
        if fit > 0 {
            charge(check(fit).map_err(|refusal| (0, refusal))?);
        }
        drop(ledger);
        self.spend(attributes, 1, recorder).map_err(|(_, refusal)| (fit, refusal))
    }

    /// Returns the charges of `count` requests like this one, if every quota allows it.
    ///
    /// Source: `CheckRequest`.
    fn check(
        &self,
        attributes: &Attributes,
        object: &Object,
        count: u64,
        quotas: &[Arc<Quota>],
    ) -> Result<Vec<Charge>, Refusal> {
        let evaluator = self.counter.evaluator(&attributes.resource, object);
        let evaluator = evaluator.as_ref();
        let mut usage = evaluator.usage();
        if count != 1 {
            usage.change(|_, amount| amount.times(count));
        }
        let Some(limited) = self.limited(&attributes.resource, evaluator, &usage) else {
            return Ok(Vec::new());
        };
        let covering = Covering::of(quotas, attributes, evaluator)?;
        let negative: Vec<&str> =
            usage.iter().filter(|(_, amount)| amount.sign() < 0).map(|(name, _)| name).collect();
        if !negative.is_empty() {
            let text = format!("quota usage is negative for resource(s): {}", negative.join(","));
            let fields = negative.iter().flat_map(|name| evaluator.fields(name));
            return Err(at_each(attributes.new_forbidden(text), fields));
        }
        let deltas = self.deltas(attributes, &covering.quotas, usage)?;
        if deltas.are_zero() {
            return Ok(Vec::new());
        }
        limited.refuse_uncovered(attributes, evaluator, &covering)?;
        let charges = covering.quotas.iter().zip(&deltas.of_quotas).filter(|(_, delta)| !delta.is_empty());
        charges.map(|(quota, delta)| charge(quota, delta, attributes, evaluator)).collect()
    }

    /// Returns the resources of this object that the configuration requires quotas for. `None` if one of its
    /// expressions is malformed: the server then admits everything.
    fn limited<'s>(
        &'s self,
        resource: &GroupVersionResource,
        evaluator: &dyn Evaluator,
        usage: &ResourceList,
    ) -> Option<Limited<'s>> {
        let mut limited = Limited { scopes: Vec::new(), names: BTreeSet::new() };
        for entry in &self.configuration.limited_resources {
            // Scopes are checked for every entry, independent of its resource.
            for requirement in &entry.match_scopes {
                if evaluator.matches_scope(requirement).ok()? {
                    limited.scopes.push(requirement);
                }
            }
            if resource.is(&entry.resource.group, &entry.resource.resource) {
                let names = usage.iter().filter(|(name, amount)| {
                    amount.sign() > 0 && entry.match_contains.iter().any(|text| name.contains(text.as_str()))
                });
                limited.names.extend(names.map(|(name, _)| name.to_owned()));
            }
        }
        Some(limited)
    }

    /// Returns the change for each of `quotas`. An update costs the difference, except for a quota that did not cover
    /// the object before.
    fn deltas<'u>(
        &self,
        attributes: &Attributes,
        quotas: &[&Arc<Quota>],
        usage: ResourceList<'u>,
    ) -> Result<Deltas<'u>, Refusal> {
        if attributes.operation != Operation::Update {
            return Ok(Deltas::new(vec![usage.clone(); quotas.len()], usage));
        }
        let Some(old_object) = attributes.old_object.as_deref() else {
            let text = "unable to get previous usage since prior version of object was not found";
            return Err(attributes.new_forbidden(text));
        };
        let old = self.counter.evaluator(&attributes.resource, old_object);
        let difference = increase(&usage, &old.usage());
        let mut of_quotas = Vec::with_capacity(quotas.len());
        for quota in quotas {
            let covered = matched_scopes(quota, old.as_ref()).map_err(Status::from_error)?;
            let covered = covered.len() == quota.scopes.len();
            of_quotas.push(if covered { difference.clone() } else { usage.clone() });
        }
        Ok(Deltas::new(of_quotas, difference))
    }
}

/// The resources that the configuration requires a quota for.
struct Limited<'a> {
    scopes: Vec<&'a ScopedResourceSelectorRequirement>,
    names: BTreeSet<String>,
}

/// The quotas that a request is charged to, and the resources that they restrict.
#[derive(Default)]
struct Covering<'a> {
    quotas: Vec<&'a Arc<Quota>>,
    names: BTreeSet<&'a str>,
    /// The scopes that match the object, of all quotas: even of those that do not match as a whole.
    scopes: BTreeSet<&'a str>,
}

/// The amounts that a request adds to the usage; zero amounts are left out.
struct Deltas<'a> {
    of_quotas: Vec<ResourceList<'a>>,
    without_quotas: ResourceList<'a>,
}

impl Limited<'_> {
    fn refuse_uncovered(
        &self,
        attributes: &Attributes,
        evaluator: &dyn Evaluator,
        covering: &Covering,
    ) -> Result<(), Refusal> {
        let names = self.names.iter().map(String::as_str);
        let names: Vec<&str> = names.filter(|name| !covering.names.contains(name)).collect();
        if !names.is_empty() {
            let text = format!("insufficient quota to consume: {}", names.join(","));
            let fields = names.iter().flat_map(|name| evaluator.fields(name));
            return Err(at_each(attributes.new_forbidden(text), fields));
        }
        let scopes = self.scopes.iter().filter(|scope| !covering.scopes.contains(scope.scope_name.as_str()));
        let scopes: Vec<_> = scopes.collect();
        if !scopes.is_empty() {
            let printed: Vec<String> = scopes.iter().map(ToString::to_string).collect();
            let text = format!("insufficient quota to match these scopes: [{}]", printed.join(" "));
            let fields = scopes.iter().flat_map(|scope| evaluator.scope_fields(&scope.scope_name));
            return Err(at_each(Status::from_error(text).into(), fields));
        }
        Ok(())
    }
}

impl<'a> Covering<'a> {
    /// Finds the quotas that restrict the object; the first one that cannot be charged refuses it.
    fn of(
        quotas: &'a [Arc<Quota>],
        attributes: &Attributes,
        evaluator: &dyn Evaluator,
    ) -> Result<Self, Refusal> {
        let mut covering = Self::default();
        for quota in quotas {
            let scopes = matched_scopes(quota, evaluator).map_err(|error| {
                let text = format!("error matching scopes of quota {}, err: {error}", quota.name());
                let evidence =
                    evidence(quota, Path::new("spec.scopeSelector"), "has a scope that cannot be read");
                Refusal::from(Status::from_error(text)).because(evidence)
            })?;
            let all_match = scopes.len() == quota.scopes.len();
            covering.scopes.extend(scopes);
            let restricted: Vec<&str> = quota.hard.names().filter(|name| evaluator.counts(name)).collect();
            if restricted.is_empty() || !all_match {
                continue;
            }
            if let Some(missing) = evaluator.missing(&restricted) {
                let text = format!("failed quota: {}: {}", quota.name(), missing.text);
                let mut refusal = attributes.new_forbidden(text).at_all(missing.fields);
                for name in missing.names {
                    let says = format!("counts {name}, so that every container has to state it");
                    refusal = refusal.because(evidence(quota, hard_path(quota, &name), says));
                }
                return Err(refusal);
            }
            if restricted.iter().any(|name| !quota.used.contains(name)) {
                let (name, names) = (quota.name(), restricted.join(","));
                let unknown: Vec<&str> =
                    restricted.iter().copied().filter(|name| !quota.used.contains(name)).collect();
                let says = format!("has not been counted yet for {}", unknown.join(", "));
                let refusal = attributes
                    .new_forbidden(format!("status unknown for quota: {name}, resources: {names}"))
                    .because(evidence(quota, Path::new("status.used"), says));
                return Err(refusal);
            }
            covering.quotas.push(quota);
            covering.names.extend(restricted);
        }
        Ok(covering)
    }
}

impl<'a> Deltas<'a> {
    fn new(mut of_quotas: Vec<ResourceList<'a>>, mut without_quotas: ResourceList<'a>) -> Self {
        for delta in of_quotas.iter_mut().chain([&mut without_quotas]) {
            delta.retain(|_, amount| !amount.is_zero());
        }
        Self { of_quotas, without_quotas }
    }

    fn are_zero(&self) -> bool {
        if self.of_quotas.is_empty() {
            self.without_quotas.is_empty()
        } else {
            self.of_quotas.iter().all(ResourceList::is_empty)
        }
    }
}

/// Returns the scopes of `quota` that the object is in.
fn matched_scopes<'a>(quota: &'a Quota, evaluator: &dyn Evaluator) -> Result<Vec<&'a str>, String> {
    let mut matched = Vec::new();
    for requirement in &quota.scopes {
        let result = evaluator.matches_scope(requirement);
        if result.map_err(|error| format!("error on matching scope {requirement}: {error}"))? {
            matched.push(requirement.scope_name.as_str());
        }
    }
    Ok(matched)
}

/// Returns the amount by which `usage` exceeds `old_usage`; nothing is released.
///
/// Source: `SubtractWithNonNegativeResult`.
fn increase<'a>(usage: &ResourceList<'a>, old_usage: &ResourceList) -> ResourceList<'a> {
    let mut increase = usage.clone();
    increase.change(|name, amount| match old_usage.get(name) {
        Some(old) => amount.sub(old),
        None => amount.clone(),
    });
    increase.retain(|_, amount| amount.sign() > 0);
    increase
}

/// Adds `delta` to the usage of `quota`. A status is charged, but never refused.
fn charge(
    quota: &Arc<Quota>,
    delta: &ResourceList,
    attributes: &Attributes,
    evaluator: &dyn Evaluator,
) -> Result<Charge, Refusal> {
    let mut requested = delta.clone();
    requested.retain(|name, _| quota.hard.contains(name));
    let mut used = quota.used.clone();
    for (name, amount) in requested.iter() {
        used.add(name.to_owned(), amount);
    }
    requested.retain(|name, _| used.get(name) > quota.hard.get(name));
    if requested.is_empty() || attributes.sub_resource == "status" {
        return Ok((quota.clone(), used));
    }
    let print = |list: &ResourceList| {
        let entries = list.iter().filter(|(name, _)| requested.contains(name));
        entries.map(|(name, amount)| format!("{name}={amount}")).collect::<Vec<_>>().join(",")
    };
    let mut refusal = attributes.new_forbidden(format!(
        "exceeded quota: {}, requested: {}, used: {}, limited: {}",
        quota.name(),
        print(&requested),
        print(&quota.used),
        print(&quota.hard)
    ));
    for name in requested.names() {
        let amount = |list: &ResourceList| list.get(name).map_or_else(|| "0".to_owned(), ToString::to_string);
        let says = format!("allows {}, {} used", amount(&quota.hard), amount(&quota.used));
        refusal = refusal
            .because(evidence(quota, hard_path(quota, name), says))
            .needing(need(quota, &used, delta, name));
    }
    let fields = requested.names().flat_map(|name| evaluator.fields(name));
    let scopes = quota.scopes.iter().flat_map(|scope| evaluator.scope_fields(&scope.scope_name));
    Err(at_each(refusal, fields.chain(scopes)))
}

/// Adds each field once to the refusal: a quota may have two names for the same amount.
fn at_each(refusal: Refusal, fields: impl Iterator<Item = Path>) -> Refusal {
    fields.fold(
        refusal,
        |refusal, field| {
            if refusal.fields.contains(&field) { refusal } else { refusal.at(field) }
        },
    )
}

fn evidence(quota: &Quota, path: Path, says: impl Into<String>) -> Evidence {
    let Some(other) = quota.other else {
        return Evidence::of(RESOURCE_QUOTAS, &quota.object, says).at(path);
    };
    let path = Path::new("spec").child(other.field).extended(path.segments().iter().skip(1).copied());
    Evidence {
        resource: other.resource.clone(),
        namespace: String::new(),
        name: quota.name().to_owned(),
        path: Some(path),
        says: says.into(),
    }
}

/// Returns the need of a quota that allows what `used` has of `name` after a request for `delta`.
fn need(quota: &Quota, used: &ResourceList, delta: &ResourceList, name: &str) -> Option<Need> {
    let (amount, requested) = (used.get(name)?.clone(), delta.get(name)?.clone());
    let (resource, namespace) = match quota.other {
        Some(other) => (other.resource.clone(), String::new()),
        None => (RESOURCE_QUOTAS, quota.object.namespace().to_owned()),
    };
    let (name, counted) = (quota.name().to_owned(), name.to_owned());
    Some(Need::Quota { resource, namespace, name, counted, amount, requested })
}

/// Returns the path of the quota's limit of `name`: in its spec, unless only the status has it.
fn hard_path(quota: &Quota, name: &str) -> Path {
    let is_specified = quota.object.has(["spec", "hard", name]);
    Path::new(if is_specified { "spec.hard" } else { "status.hard" }).key(name)
}

#[cfg(test)]
mod tests;
