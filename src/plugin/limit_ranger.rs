//! Fills in the default requests and limits of the namespace's `LimitRanges`, and keeps containers, pods and
//! claims within their bounds. Without it one container without limits can starve a whole node, and one claim
//! can take all storage.
//!
//! # When it rejects
//!
//! - A container's, pod's or claim's request or limit is below `min` or above `max`, or missing.
//! - A limit is more than `maxLimitRequestRatio` times its request.
//!
//! Pods are checked when they are created or resized, claims when they are created or updated. Pod templates of
//! Deployments and the like are not checked, only their pods.
//!
//! # Cluster objects it reads
//!
//! `LimitRanges` of the request's namespace.
//!
//! # Offline
//!
//! Several `LimitRanges` apply in the order of their names; a cluster applies them in no particular order.
//!
//! # Since
//!
//! On by default in every release. Sidecars count since 1.28, `pods/resize` since 1.32, `spec.resources` of pods
//! with the gate `PodLevelResources`, on since 1.34.
//!
//! # Upstream
//!
//! `k8s.io/kubernetes/plugin/pkg/admission/limitranger`

mod bounds;

use std::cell::LazyCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::admission::{
    Attributes, Evidence, Handler, MutationInterface, Need, Operation, Recorder, Refusal, Remedy,
    ValidationInterface,
};
use crate::cluster::{Cluster, Derived};
use crate::plugin::PluginInitializer;
use gotext::quantity::Quantity;
use kube_api::features::Feature;
use kube_api::field::{Path, aggregate};
use kube_api::kinds;
use kube_api::resource_list::ResourceList;
use kube_api::resources::LIMIT_RANGES;
use kube_api::{Map, Object, Value};
use kube_registry::pod::{ContainerType, PodTemplate};
use kube_registry::pod_resources::{
    PodLevelResources, PodResources, PodResourcesOptions, ResourceRequirements, Side,
};

use bounds::{Bound, MAX, MAX_LIMIT_REQUEST_RATIO, MAX_REQUEST, MIN, Observed};

const ANNOTATION: &str = "kubernetes.io/limit-ranger";

pub(super) fn new(initializer: &PluginInitializer) -> Handler {
    let pod_level = if initializer.profile.enabled(Feature::PodLevelResources) {
        PodLevelResources::CpuAndMemory
    } else {
        PodLevelResources::Ignored
    };
    Handler::both(LimitRanger {
        cluster: initializer.cluster.clone(),
        limit_ranges: Derived::of(const { &[LIMIT_RANGES] }),
        options: PodResourcesOptions { use_status_resources: false, pod_level, overhead: false },
    })
}

struct LimitRanger {
    cluster: Arc<Cluster>,
    limit_ranges: Derived<BTreeMap<String, Vec<LimitRange>>>,
    options: PodResourcesOptions,
}

impl MutationInterface for LimitRanger {
    fn admit(&self, attributes: &mut Attributes, recorder: &mut Recorder) -> Result<(), Refusal> {
        if subject(attributes) != Some(Subject::Pod) {
            return Ok(());
        }
        let all = self.limit_ranges();
        for limit_range in all.get(&attributes.namespace).into_iter().flatten() {
            limit_range.set_defaults(attributes, recorder);
        }
        Ok(())
    }
}

impl ValidationInterface for LimitRanger {
    fn validate(&self, attributes: &Attributes, _: &mut Recorder) -> Result<(), Refusal> {
        let Some((subject, object)) = subject(attributes).zip(attributes.object.as_deref()) else {
            return Ok(());
        };
        let all = self.limit_ranges();
        let Some(limit_ranges) = all.get(&attributes.namespace) else { return Ok(()) };
        match subject {
            Subject::Pod => self.validate_pod(attributes, object, limit_ranges),
            Subject::PersistentVolumeClaim => validate_claim(attributes, object, limit_ranges),
        }
    }
}

/// The part of a request that a `LimitRange` can limit.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Subject {
    Pod,
    PersistentVolumeClaim,
}

/// Returns the subject of a request. Resources of a pod change only through `resize` (KEP-1287), so other updates are
/// not checked.
///
/// Source: `SupportsAttributes`, `runLimitFunc`.
fn subject(attributes: &Attributes) -> Option<Subject> {
    let deleted = |old: &Arc<Object>| old.has(["metadata", "deletionTimestamp"]);
    if attributes.old_object.as_ref().is_some_and(deleted) {
        return None;
    }
    if attributes.kind.is(kinds::POD) {
        let looked_at = match attributes.operation {
            Operation::Update => attributes.sub_resource == "resize",
            _ => !attributes.has_sub_resource(),
        };
        return looked_at.then_some(Subject::Pod);
    }
    let is_claim = attributes.kind.is(kinds::PERSISTENT_VOLUME_CLAIM) && !attributes.has_sub_resource();
    is_claim.then_some(Subject::PersistentVolumeClaim)
}

impl LimitRanger {
    fn limit_ranges(&self) -> Arc<BTreeMap<String, Vec<LimitRange>>> {
        self.limit_ranges.get(&self.cluster, || {
            let mut by_namespace: BTreeMap<String, Vec<LimitRange>> = BTreeMap::new();
            for object in self.cluster.list_all(&LIMIT_RANGES) {
                let namespace = object.namespace().to_owned();
                by_namespace.entry(namespace).or_default().push(LimitRange::of(&object));
            }
            by_namespace
        })
    }

    /// Source: `PodValidateLimitFunc`.
    fn validate_pod(
        &self,
        attributes: &Attributes,
        pod: &Object,
        limit_ranges: &[LimitRange],
    ) -> Result<(), Refusal> {
        let Some(template) = PodTemplate::of(pod) else { return Ok(()) };
        let pod = PodResources::of(template);
        let total = LazyCell::new(|| ResourceRequirements {
            requests: pod.total(Side::Requests, &self.options),
            limits: pod.total(Side::Limits, &self.options),
        });
        for limit_range in limit_ranges {
            let mut violations = Vec::new();
            for item in &limit_range.items {
                match item.limit_type {
                    LimitType::Container => {
                        for container in &pod.containers {
                            let place = |side, name: &str| vec![container.path(side, name)];
                            violations.extend(item.violations(&container.resources, place));
                        }
                    }
                    LimitType::Pod => {
                        let place = |side, name: &str| pod.paths(side, name, &self.options);
                        violations.extend(item.violations(&total, place));
                    }
                    LimitType::PersistentVolumeClaim => {}
                }
            }
            limit_range.refuse(attributes, violations)?;
        }
        Ok(())
    }
}

/// Checks a claim: only its requests count, as it has no limits.
///
/// Source: `PersistentVolumeClaimValidateLimitFunc`.
fn validate_claim(
    attributes: &Attributes,
    claim: &Object,
    limit_ranges: &[LimitRange],
) -> Result<(), Refusal> {
    let requests = ResourceList::of(claim.at(["spec", "resources", "requests"]));
    let resources = ResourceRequirements { requests, limits: ResourceList::default() };
    let place = |_, name: &str| vec![Path::new("spec.resources.requests").key(name)];
    for limit_range in limit_ranges {
        let items = limit_range.items.iter();
        let items = items.filter(|item| item.limit_type == LimitType::PersistentVolumeClaim);
        let violations = items.flat_map(|item| item.violations(&resources, place)).collect();
        limit_range.refuse(attributes, violations)?;
    }
    Ok(())
}

/// A `LimitRange`, its quantities parsed.
#[derive(Debug)]
struct LimitRange {
    namespace: String,
    name: String,
    default_requests: ResourceList<'static>,
    default_limits: ResourceList<'static>,
    items: Vec<LimitRangeItem>,
}

/// An item of `spec.limits`.
#[derive(Debug)]
struct LimitRangeItem {
    limit_type: LimitType,
    path: Path,
    bounds: Vec<(&'static Bound, ResourceList<'static>)>,
}

/// The type of an item, which its bounds apply to; items of other types are ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LimitType {
    Container,
    Pod,
    PersistentVolumeClaim,
}

impl LimitRange {
    fn of(object: &Object) -> Self {
        let mut limit_range = Self {
            namespace: object.namespace().to_owned(),
            name: object.name().to_owned(),
            default_requests: ResourceList::default(),
            default_limits: ResourceList::default(),
            items: Vec::new(),
        };
        for (index, item) in object.list(["spec", "limits"]).iter().enumerate() {
            let limit_type = match item.at("type").and_then(Value::as_str) {
                Some("Container") => LimitType::Container,
                Some("Pod") => LimitType::Pod,
                Some("PersistentVolumeClaim") => LimitType::PersistentVolumeClaim,
                _ => continue,
            };
            if limit_type == LimitType::Container {
                limit_range.take_defaults(item);
            }
            let bounds = limit_type.bounds().iter();
            limit_range.items.push(LimitRangeItem {
                limit_type,
                path: Path::new("spec.limits").index(index),
                bounds: bounds.map(|bound| (bound, list(item, bound.field))).collect(),
            });
        }
        limit_range
    }

    /// Adds the defaults of an item, and those that follow from its bounds: the server adds them to a `LimitRange` when
    /// it stores it, which is not yet done for one from a file.
    ///
    /// Source: `SetDefaults_LimitRangeItem`.
    fn take_defaults(&mut self, item: &Value) {
        let mut limits = list(item, "max");
        limits.replace_with(list(item, "default"));
        let mut requests = list(item, "min");
        requests.replace_with(limits.clone());
        requests.replace_with(list(item, "defaultRequest"));
        self.default_limits.replace_with(limits);
        self.default_requests.replace_with(requests);
    }

    /// Fills in requests and limits independently, even if a limit ends up below its request.
    ///
    /// Source: `PodMutateLimitFunc`.
    fn set_defaults(&self, attributes: &mut Attributes, recorder: &mut Recorder) {
        if !attributes.object.as_deref().and_then(PodTemplate::of).is_some_and(|pod| self.is_incomplete(pod))
        {
            return;
        }
        let Some(pod) = attributes.object_mut() else { return };
        let mut notes = Vec::new();
        for container_type in [ContainerType::Main, ContainerType::Init] {
            let containers = pod.at_mut(["spec", container_type.field()]).and_then(Value::as_array_mut);
            for container in containers.into_iter().flatten() {
                self.set_container_defaults(container, container_type, &mut notes);
            }
        }
        let note = format!("LimitRanger plugin set: {}", notes.join("; "));
        pod.set(["metadata", "annotations", ANNOTATION], note);
        recorder.add_source(&LIMIT_RANGES, &self.namespace, &self.name);
    }

    /// Whether any container lacks a value that has a default. Ephemeral containers have no resources.
    fn is_incomplete(&self, pod: PodTemplate) -> bool {
        let containers =
            [ContainerType::Main, ContainerType::Init].into_iter().flat_map(|list| pod.containers_of(list));
        containers.into_iter().any(|container| {
            Side::BOTH.into_iter().any(|side| self.missing(container.value, side).next().is_some())
        })
    }

    /// Source: `mergeContainerResources`.
    fn set_container_defaults(
        &self,
        container: &mut Value,
        container_type: ContainerType,
        notes: &mut Vec<String>,
    ) {
        let what = if container_type == ContainerType::Init { "init container" } else { "container" };
        for (side, side_name) in [(Side::Requests, "request"), (Side::Limits, "limit")] {
            let missing: Vec<(&str, &Quantity)> = self.missing(container, side).collect();
            if missing.is_empty() {
                continue;
            }
            let names: Vec<&str> = missing.iter().map(|(name, _)| *name).collect();
            let container_name = container.text("name");
            notes.push(format!("{} {side_name} for {what} {container_name}", names.join(", ")));
            let Some(stated) = resources_mut(container, side) else { continue };
            stated.extend(missing.into_iter().map(|(name, amount)| (name, amount.to_string())));
        }
    }

    /// Returns the defaults of one side that `container` does not set itself.
    fn missing<'s>(&'s self, container: &Value, side: Side) -> impl Iterator<Item = (&'s str, &'s Quantity)> {
        let defaults = match side {
            Side::Requests => &self.default_requests,
            Side::Limits => &self.default_limits,
        };
        let stated = container.at(["resources", side.field()]);
        defaults.iter().filter(move |(name, _)| stated.is_none_or(|stated| stated.get(*name).is_none()))
    }

    fn refuse(&self, attributes: &Attributes, violations: Vec<Violation>) -> Result<(), Refusal> {
        if violations.is_empty() {
            return Ok(());
        }
        let texts: Vec<&str> = violations.iter().map(|violation| violation.text.as_str()).collect();
        let mut refusal = attributes.new_forbidden(aggregate(&texts));
        for violation in violations {
            for field in violation.fields {
                if !refusal.fields.contains(&field) {
                    refusal = refusal.at(field);
                }
            }
            let need = Need::Bound {
                namespace: self.namespace.clone(),
                name: self.name.clone(),
                path: violation.bound.clone(),
                amount: violation.amount,
            };
            refusal = refusal.needing([need]).cured_by(violation.remedy);
            let evidence = Evidence::named(LIMIT_RANGES, &self.namespace, &self.name, violation.says)
                .at(violation.bound);
            if !refusal.evidence.contains(&evidence) {
                refusal = refusal.because(evidence);
            }
        }
        Err(refusal)
    }
}

impl LimitRangeItem {
    /// Returns the errors in `resources`; `place` returns the path of a resource in the object, even if absent.
    fn violations(
        &self,
        resources: &ResourceRequirements,
        place: impl Fn(Side, &str) -> Vec<Path>,
    ) -> Vec<Violation> {
        let mut violations = Vec::new();
        for (bound, amounts) in &self.bounds {
            for (name, enforced) in amounts.iter() {
                let observed = Observed {
                    limit_type: self.limit_type.name(),
                    name,
                    enforced,
                    request: resources.requests.get(name),
                    limit: resources.limits.get(name),
                };
                if let Err((text, sides)) = (bound.check)(&observed) {
                    let fields: Vec<Path> = sides.iter().flat_map(|side| place(*side, name)).collect();
                    violations.push(Violation {
                        text,
                        remedy: bound.remedy(&fields, enforced),
                        fields,
                        bound: self.path.child(bound.field).key(name),
                        amount: (bound.gives_way)(&observed),
                        says: (bound.says)(&observed),
                    });
                }
            }
        }
        violations
    }
}

impl LimitType {
    fn name(self) -> &'static str {
        match self {
            Self::Container => "Container",
            Self::Pod => "Pod",
            Self::PersistentVolumeClaim => "PersistentVolumeClaim",
        }
    }

    /// Returns the bounds that apply to the type, in the order in which they are checked.
    fn bounds(self) -> &'static [Bound] {
        match self {
            Self::Container | Self::Pod => const { &[MIN, MAX, MAX_LIMIT_REQUEST_RATIO] },
            Self::PersistentVolumeClaim => const { &[MIN, MAX_REQUEST] },
        }
    }
}

/// A violated bound.
struct Violation {
    text: String,
    fields: Vec<Path>,
    bound: Path,
    /// The nearest amount of the bound that admits the object, if there is one.
    amount: Option<Quantity>,
    /// The change of the object that keeps to the bound, if it is about one field.
    remedy: Option<Remedy>,
    says: String,
}

/// Returns a map of quantities in an item of `spec.limits`.
fn list(item: &Value, field: &str) -> ResourceList<'static> {
    ResourceList::of(item.at(field)).into_owned()
}

/// Returns the requests or limits of `container`, created if absent.
fn resources_mut(container: &mut Value, side: Side) -> Option<&mut Map> {
    let resources = ["resources", side.field()].into_iter().try_fold(container, |value, field| {
        let entry = value.as_object_mut()?.entry(field).or_insert(Value::Null);
        if entry.is_null() {
            *entry = Value::Object(Map::new());
        }
        Some(entry)
    });
    resources?.as_object_mut()
}

#[cfg(test)]
mod tests;
