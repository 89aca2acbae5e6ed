//! Pods: number, requests and limits.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::evaluator::{Evaluator, Missing, count};
use super::scopes::ScopedResourceSelectorRequirement;
use crate::admission::{Attributes, Operation};
use gotext::names;
use gotext::time;
use kube_api::features::Feature;
use kube_api::field::Path;
use kube_api::resource_list::ResourceList;
use kube_api::server_profile::ServerProfile;
use kube_api::{Object, Value};
use kube_registry::NOW;
use kube_registry::pod::{PodTemplate, READS_QUALITY};
use kube_registry::pod_resources::{
    ContainerResources, PodLevelResources, PodResources, PodResourcesOptions, Side,
};

const OBJECT_COUNT: &str = "count/pods";
const PODS: &str = "pods";
/// Resources under the names that quotas have for them; bare names mean requests.
const COMPUTE: &[(&str, Side, &str)] = &[
    ("cpu", Side::Requests, "cpu"),
    ("ephemeral-storage", Side::Requests, "ephemeral-storage"),
    ("limits.cpu", Side::Limits, "cpu"),
    ("limits.ephemeral-storage", Side::Limits, "ephemeral-storage"),
    ("limits.memory", Side::Limits, "memory"),
    ("memory", Side::Requests, "memory"),
    ("requests.cpu", Side::Requests, "cpu"),
    ("requests.ephemeral-storage", Side::Requests, "ephemeral-storage"),
    ("requests.memory", Side::Requests, "memory"),
];
/// The resources that every container must set if a quota counts them. Upstream calls this a mistake and adds no more.
const MANDATORY: &[&str] =
    &["cpu", "limits.cpu", "limits.memory", "memory", "requests.cpu", "requests.memory"];
const REQUESTS_PREFIX: &str = "requests.";
const HUGE_PAGES_PREFIX: &str = "hugepages-";
const REQUESTS_HUGE_PAGES_PREFIX: &str = "requests.hugepages-";
const DEVICE_CLASS_PREFIX: &str = "deviceclass.resource.kubernetes.io/";

/// A Pod as quotas see it.
pub(crate) struct Pods<'a> {
    pod: &'a Object,
    resources: Option<PodResources<'a>>,
    options: PodResourcesOptions,
    pod_level: bool,
    reads_quality: bool,
}

/// Updates count if they move the pod between the scopes `Terminating` and `NotTerminating`, or resize it.
///
/// Source: `podEvaluator.Handles`.
pub(crate) fn handles(attributes: &Attributes) -> bool {
    let is_update = attributes.operation == Operation::Update;
    match &*attributes.sub_resource {
        "" if is_update => {
            let (pod, old_pod) = (attributes.object.as_deref(), attributes.old_object.as_deref());
            pod.zip(old_pod).is_some_and(|(pod, old_pod)| is_terminating(pod) != is_terminating(old_pod))
        }
        "" => attributes.operation == Operation::Create,
        "resize" => is_update,
        _ => false,
    }
}

/// Whether `name` is that of a quota for an extended resource, or for one that represents a device class.
///
/// Source: `isExtendedResourceNameForQuota`.
pub(crate) fn is_extended_resource_name_for_quota(name: &str) -> bool {
    name.strip_prefix(REQUESTS_PREFIX)
        .is_some_and(|resource| !is_native(name) || resource.starts_with(DEVICE_CLASS_PREFIX))
}

/// Returns what is assumed about the time since a pod was deleted, if that decides whether it is still charged.
pub(crate) fn assumption(pod: &Object) -> Option<&'static str> {
    let Deletion { began, grace } = Deletion::of(pod)?;
    let now = now()?;
    if began == now && grace > 0 {
        Some("the grace period of the pod's deletion is assumed to last")
    } else if began.saturating_add(grace.saturating_mul(2)) > now && grace > 0 {
        Some("the grace period of the pod's deletion is assumed to be over")
    } else {
        None
    }
}

/// Whether the grace period of a pod's deletion is over: such a pod is not charged. That of a deletion in this run has
/// only begun; that of one that the cluster knew before is taken to be over.
///
/// Source: `QuotaV1Pod`
fn is_overdue(pod: &Object) -> bool {
    Deletion::of(pod).is_some_and(|deletion| deletion.grace <= 0 || now() != Some(deletion.began))
}

/// The deletion of a pod, in seconds.
struct Deletion {
    began: i64,
    grace: i64,
}

impl Deletion {
    fn of(pod: &Object) -> Option<Self> {
        let (end, _) = time::parse_rfc3339(pod.text(["metadata", "deletionTimestamp"]))?;
        let grace = pod.at(["metadata", "deletionGracePeriodSeconds"]).and_then(Value::as_i64)?;
        Some(Self { began: end.saturating_sub(grace), grace })
    }
}

fn now() -> Option<i64> {
    time::parse_rfc3339(NOW).map(|(seconds, _)| seconds)
}

impl<'a> Pods<'a> {
    pub(crate) fn of(pod: &'a Object, profile: &ServerProfile) -> Self {
        let pod_level = profile.enabled(Feature::PodLevelResources);
        let options = PodResourcesOptions {
            use_status_resources: profile.enabled(Feature::InPlacePodVerticalScaling),
            pod_level: if pod_level { PodLevelResources::All } else { PodLevelResources::Ignored },
            overhead: true,
        };
        let reads_quality = profile.release() >= READS_QUALITY;
        Self { pod, resources: PodTemplate::of(pod).map(PodResources::of), options, pod_level, reads_quality }
    }

    fn is_best_effort(&self) -> bool {
        match self.pod.text(["status", "qosClass"]) {
            class if class.is_empty() || !self.reads_quality => {
                self.resources.as_ref().is_some_and(|resources| resources.is_best_effort(self.pod_level))
            }
            class => class == "BestEffort",
        }
    }

    fn containers(&self) -> impl Iterator<Item = &ContainerResources<'a>> {
        self.resources.iter().flat_map(|resources| &resources.containers)
    }
}

impl Evaluator for Pods<'_> {
    fn counts(&self, name: &str) -> bool {
        [OBJECT_COUNT, PODS].contains(&name)
            || COMPUTE.iter().any(|(own, ..)| *own == name)
            || name.starts_with(HUGE_PAGES_PREFIX)
            || name.starts_with(REQUESTS_HUGE_PAGES_PREFIX)
            || is_extended_resource_name_for_quota(name)
    }

    fn matches_scope(&self, requirement: &ScopedResourceSelectorRequirement) -> Result<bool, String> {
        Ok(match requirement.scope_name.as_str() {
            "Terminating" => is_terminating(self.pod),
            "NotTerminating" => !is_terminating(self.pod),
            "BestEffort" => self.is_best_effort(),
            "NotBestEffort" => !self.is_best_effort(),
            "CrossNamespacePodAffinity" => uses_cross_namespace_pod_affinity(self.pod),
            "PriorityClass" => {
                let class = self.pod.text(["spec", "priorityClassName"]);
                return requirement.matches(if class.is_empty() {
                    &[]
                } else {
                    std::slice::from_ref(&class)
                });
            }
            _ => false,
        })
    }

    /// Returns the usage; a pod that has terminated counts as an object only.
    ///
    /// Source: `PodUsageFunc`, `podComputeUsageHelper`.
    fn usage(&self) -> ResourceList<'_> {
        let mut usage: ResourceList = [(OBJECT_COUNT, count(1))].into_iter().collect();
        let Some(resources) = &self.resources else { return usage };
        if matches!(self.pod.text(["status", "phase"]), "Failed" | "Succeeded") || is_overdue(self.pod) {
            return usage;
        }
        usage.insert(PODS, count(1));
        let requests = resources.total(Side::Requests, &self.options);
        let limits = resources.total(Side::Limits, &self.options);
        for (name, side, resource) in COMPUTE {
            let amounts = if *side == Side::Requests { &requests } else { &limits };
            if let Some(amount) = amounts.get(resource) {
                usage.insert(*name, amount.clone());
            }
        }
        for (resource, amount) in requests.iter() {
            let is_huge_page = resource.starts_with(HUGE_PAGES_PREFIX);
            if is_huge_page {
                usage.insert(resource.to_owned(), amount.clone());
            }
            if is_huge_page || is_dra_extended_resource_name(resource) {
                usage.insert(format!("{REQUESTS_PREFIX}{resource}"), amount.clone());
            }
        }
        usage
    }

    /// Returns the missing fields; resources for the pod as a whole (KEP-2837) make those of its containers optional.
    ///
    /// Source: `podEvaluator.Constraints`.
    fn missing(&self, restricted: &[&str]) -> Option<Missing> {
        if self.pod_level && self.resources.as_ref().is_some_and(PodResources::is_pod_level_set) {
            return None;
        }
        let mut containers_by_name: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        let mut fields = Vec::new();
        let mandatory =
            COMPUTE.iter().filter(|(name, ..)| MANDATORY.contains(name) && restricted.contains(name));
        for &(name, side, resource) in mandatory {
            for container in self.containers() {
                if !container.resources.side(side).contains(resource) {
                    containers_by_name.entry(name).or_default().insert(container.container.name());
                    let field = container.path(side, resource);
                    if !fields.contains(&field) {
                        fields.push(field);
                    }
                }
            }
        }
        let said = containers_by_name.iter().map(|(name, containers)| {
            let containers: Vec<&str> = containers.iter().copied().collect();
            format!("{name} for: {}", containers.join(","))
        });
        let said: Vec<String> = said.collect();
        (!said.is_empty()).then(|| Missing {
            text: format!("must specify {}", said.join("; ")),
            names: containers_by_name.keys().copied().map(str::to_owned).collect(),
            fields,
        })
    }

    fn fields(&self, name: &str) -> Vec<Path> {
        let compute = COMPUTE.iter().find(|(own, ..)| *own == name);
        let (side, resource) = match compute {
            Some((_, side, resource)) => (*side, Cow::Borrowed(*resource)),
            None if [OBJECT_COUNT, PODS].contains(&name) => return Vec::new(),
            None => (Side::Requests, Cow::Borrowed(name.strip_prefix(REQUESTS_PREFIX).unwrap_or(name))),
        };
        let resources = self.resources.as_ref();
        resources.map(|resources| resources.paths(side, &resource, &self.options)).unwrap_or_default()
    }

    fn scope_fields(&self, scope_name: &str) -> Vec<Path> {
        let field = match scope_name {
            "Terminating" | "NotTerminating" => "spec.activeDeadlineSeconds",
            "PriorityClass" => "spec.priorityClassName",
            "CrossNamespacePodAffinity" => "spec.affinity",
            _ => return Vec::new(),
        };
        vec![Path::new(field)]
    }
}

fn is_terminating(pod: &Object) -> bool {
    let deadline = pod.at(["spec", "activeDeadlineSeconds"]).and_then(Value::as_i64);
    deadline.is_some_and(|seconds| seconds >= 0)
}

/// Whether any term covers namespaces other than the pod's own; an empty selector covers all.
///
/// Source: `usesCrossNamespacePodAffinity`, KEP-2249.
fn uses_cross_namespace_pod_affinity(pod: &Object) -> bool {
    let crosses = |term: &Value| {
        let namespaces = term.at("namespaces").and_then(Value::as_array);
        namespaces.is_some_and(|namespaces| !namespaces.is_empty()) || term.has("namespaceSelector")
    };
    ["podAffinity", "podAntiAffinity"].into_iter().any(|kind| {
        let terms = |field| pod.list(["spec", "affinity", kind, field]).iter();
        terms("requiredDuringSchedulingIgnoredDuringExecution").any(crosses)
            || terms("preferredDuringSchedulingIgnoredDuringExecution")
                .filter_map(|weighted| weighted.at("podAffinityTerm"))
                .any(crosses)
    })
}

/// Source: `IsDRAExtendedResourceName`, `IsExtendedResourceName`.
fn is_dra_extended_resource_name(name: &str) -> bool {
    name.starts_with(DEVICE_CLASS_PREFIX)
        || !is_native(name)
            && !name.starts_with(REQUESTS_PREFIX)
            && names::is_qualified_name(&format!("{REQUESTS_PREFIX}{name}")).is_empty()
}

/// Source: `IsNativeResource`.
fn is_native(name: &str) -> bool {
    !name.contains('/') || name.contains("kubernetes.io/")
}
