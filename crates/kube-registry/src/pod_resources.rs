//! The requests and limits of a pod as a whole.
//!
//! Source: `k8s.io/component-helpers/resource`.

use std::borrow::Cow;

use crate::pod::{Container, ContainerType, PodTemplate};
use kube_api::Value;
use kube_api::field::Path;
use kube_api::resource_list::ResourceList;

const HUGE_PAGES_PREFIX: &str = "hugepages-";

/// The two halves of `ResourceRequirements`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The reserved amounts.
    Requests,
    /// The amounts that must not be exceeded.
    Limits,
}

/// `resources` of a container or pod, its quantities parsed.
#[derive(Clone, Debug, Default)]
pub struct ResourceRequirements<'a> {
    /// The reserved amounts.
    pub requests: ResourceList<'a>,
    /// The amounts that must not be exceeded.
    pub limits: ResourceList<'a>,
}

/// A container and its resources.
#[derive(Clone, Debug)]
pub struct ContainerResources<'a> {
    /// The container itself.
    pub container: Container<'a>,
    /// Its `resources`.
    pub resources: ResourceRequirements<'a>,
}

/// The resources of a pod, every quantity parsed once.
#[derive(Clone, Debug)]
pub struct PodResources<'a> {
    /// The containers, then the init containers; ephemeral ones have no resources.
    pub containers: Vec<ContainerResources<'a>>,
    /// `spec.resources`
    pub pod_level: Option<ResourceRequirements<'a>>,
    overhead: ResourceList<'a>,
    pod: PodTemplate<'a>,
}

/// The resources of `spec.resources` that take the place of the sum over the containers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PodLevelResources {
    /// None.
    Ignored,
    /// `cpu` and `memory`, as `LimitRanger` has it.
    CpuAndMemory,
    /// `cpu`, `memory` and huge pages.
    All,
}

/// What counts towards the resources of the pod as a whole.
#[derive(Clone, Copy, Debug)]
pub struct PodResourcesOptions {
    /// Whether amounts that the node still reserves for a container being resized count too.
    pub use_status_resources: bool,
    /// The resources of `spec.resources` that count instead of the containers'.
    pub pod_level: PodLevelResources,
    /// Whether `spec.overhead` is added.
    pub overhead: bool,
}

impl Side {
    /// Requests and limits.
    pub const BOTH: [Self; 2] = [Self::Requests, Self::Limits];

    /// Returns the field of `resources`.
    pub fn field(self) -> &'static str {
        match self {
            Self::Requests => "requests",
            Self::Limits => "limits",
        }
    }
}

impl<'a> ResourceRequirements<'a> {
    /// Reads the value of a field `resources`.
    pub fn of(value: Option<&'a Value>) -> Self {
        let list = |side: Side| ResourceList::of(value.and_then(|resources| resources.at([side.field()])));
        Self { requests: list(Side::Requests), limits: list(Side::Limits) }
    }

    /// Returns one of the two lists.
    pub fn side(&self, side: Side) -> &ResourceList<'a> {
        match side {
            Side::Requests => &self.requests,
            Side::Limits => &self.limits,
        }
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.requests.names().chain(self.limits.names())
    }
}

impl ContainerResources<'_> {
    /// Returns the place of `name` in the requests or limits.
    pub fn path(&self, side: Side, name: &str) -> Path {
        self.container.path().child("resources").child(side.field()).key(name)
    }
}

impl PodLevelResources {
    fn covers(self, name: &str) -> bool {
        match self {
            Self::Ignored => false,
            Self::CpuAndMemory => matches!(name, "cpu" | "memory"),
            Self::All => matches!(name, "cpu" | "memory") || name.starts_with(HUGE_PAGES_PREFIX),
        }
    }
}

impl<'a> PodResources<'a> {
    /// Reads the resources of `pod`.
    pub fn of(pod: PodTemplate<'a>) -> Self {
        let containers = [ContainerType::Main, ContainerType::Init]
            .into_iter()
            .flat_map(|container_type| pod.containers_of(container_type))
            .map(|container| ContainerResources {
                container,
                resources: ResourceRequirements::of(container.at("resources")),
            })
            .collect();
        Self {
            containers,
            pod_level: pod.at("resources").map(|resources| ResourceRequirements::of(Some(resources))),
            overhead: ResourceList::of(pod.at("overhead")),
            pod,
        }
    }

    /// Returns the requests or the limits of the pod as a whole.
    ///
    /// Source: `PodRequests`, `PodLimits`.
    pub fn total(&self, side: Side, options: &PodResourcesOptions) -> ResourceList<'a> {
        let mut total = self.sum_of_containers(side, options.use_status_resources);
        if let Some(pod_level) = &self.pod_level {
            let mut replacing = pod_level.side(side).clone();
            replacing.retain(|name, _| options.pod_level.covers(name));
            total.replace_with(replacing);
        }
        if options.overhead {
            let mut overhead = self.overhead.clone();
            if side == Side::Limits {
                overhead.retain(|name, _| total.get(name).is_some_and(|limit| !limit.is_zero()));
            }
            total.add_all(&overhead);
        }
        total
    }

    /// Returns the fields that the total of `name` comes from; if it is unset, those where it belongs.
    pub fn paths(&self, side: Side, name: &str, options: &PodResourcesOptions) -> Vec<Path> {
        let spec = self.pod.spec_path();
        let mut paths = Vec::new();
        let pod_level = self.pod_level.as_ref().filter(|_| options.pod_level.covers(name));
        if pod_level.is_some_and(|resources| resources.side(side).contains(name)) {
            paths.push(spec.child("resources").child(side.field()).key(name));
        } else {
            let states = |container: &&ContainerResources| container.resources.side(side).contains(name);
            paths.extend(self.containers.iter().filter(states).map(|container| container.path(side, name)));
        }
        if paths.is_empty() {
            let is_main =
                |container: &&ContainerResources| container.container.container_type == ContainerType::Main;
            paths.extend(self.containers.iter().filter(is_main).map(|container| container.path(side, name)));
        }
        if options.overhead && self.overhead.contains(name) {
            paths.push(spec.child("overhead").key(name));
        }
        paths
    }

    /// Whether `spec.resources` sets anything that a pod as a whole can set.
    ///
    /// Source: `IsPodLevelResourcesSet`.
    pub fn is_pod_level_set(&self) -> bool {
        let mut names = self.pod_level.iter().flat_map(ResourceRequirements::names);
        names.any(|name| PodLevelResources::All.covers(name))
    }

    /// Whether no CPU or memory is set. With `pod_level`, `spec.resources` alone decides if present.
    ///
    /// Source: `ComputePodQOS` of `k8s.io/kubernetes/pkg/apis/core/v1/helper/qos`.
    pub fn is_best_effort(&self, pod_level: bool) -> bool {
        let states = |resources: &ResourceRequirements| {
            Side::BOTH.into_iter().any(|side| {
                let amounts = resources.side(side);
                ["cpu", "memory"].iter().filter_map(|name| amounts.get(name)).any(|amount| amount.sign() > 0)
            })
        };
        match self.pod_level.as_ref().filter(|_| pod_level) {
            Some(resources) => !states(resources),
            None => !self.containers.iter().any(|container| states(&container.resources)),
        }
    }

    /// Returns the larger of what the containers need together, and what each init container needs in its turn. Init
    /// containers that keep running (sidecars) count in addition to the containers and to those that start after them.
    ///
    /// Source: `AggregateContainerRequests`, KEP-753.
    fn sum_of_containers(&self, side: Side, use_status: bool) -> ResourceList<'a> {
        let mut total = ResourceList::default();
        let mut sidecars = ResourceList::default();
        let mut initialization = ResourceList::default();
        for container in &self.containers {
            let is_init = container.container.container_type == ContainerType::Init;
            let is_sidecar = container.container.is_restartable_init();
            let own = if use_status && (is_sidecar || !is_init) {
                self.effective(container, side)
            } else {
                Cow::Borrowed(container.resources.side(side))
            };
            if !is_init {
                total.add_all(&own);
            } else if is_sidecar {
                total.add_all(&own);
                sidecars.add_all(&own);
                initialization.raise_to(&sidecars);
            } else {
                let mut beside_sidecars = own.into_owned();
                beside_sidecars.add_all(&sidecars);
                initialization.raise_to(&beside_sidecars);
            }
        }
        total.raise_to(&initialization);
        total
    }

    /// Returns the maximum of a container's requests and of what the node reports for it: a resize down counts only
    /// when it has been done.
    ///
    /// Source: `determineEffectiveRequests`, `determineEffectiveLimits`, KEP-1287.
    fn effective<'s>(&self, container: &'s ContainerResources<'a>, side: Side) -> Cow<'s, ResourceList<'a>> {
        let specified = container.resources.side(side);
        let status = ["initContainerStatuses", "containerStatuses"]
            .into_iter()
            .filter_map(|field| self.pod.value.at(["status", field])?.as_array())
            .flatten()
            .find(|status| status.at("name").and_then(Value::as_str) == Some(container.container.name()));
        let Some((status, actual)) = status.and_then(|status| Some((status, status.at("resources")?))) else {
            return Cow::Borrowed(specified);
        };
        let mut effective = ResourceList::of(actual.at([side.field()]));
        if side == Side::Requests {
            effective.raise_to(&ResourceList::of(status.at("allocatedResources")));
        }
        if !self.is_resize_infeasible() {
            let mut largest = specified.clone();
            largest.raise_to(&effective);
            effective = largest;
        }
        Cow::Owned(effective)
    }

    fn is_resize_infeasible(&self) -> bool {
        let conditions = self.pod.value.at(["status", "conditions"]).and_then(Value::as_array);
        let pending = conditions
            .into_iter()
            .flatten()
            .find(|condition| condition.at("type").is_some_and(|value| value == "PodResizePending"));
        pending.is_some_and(|condition| condition.at("reason").is_some_and(|value| value == "Infeasible"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::json;
    use kube_api::{GroupVersionKind, Object};

    const SPEC_ONLY: PodResourcesOptions = PodResourcesOptions {
        use_status_resources: false,
        pod_level: PodLevelResources::Ignored,
        overhead: false,
    };
    const EVERYTHING: PodResourcesOptions =
        PodResourcesOptions { use_status_resources: true, pod_level: PodLevelResources::All, overhead: true };

    fn pod(spec: &Value, status: &Value) -> Object {
        Object::new(GroupVersionKind::new("", "v1", "Pod"), json!({"spec": spec, "status": status}))
    }

    fn total(pod: &Object, side: Side, options: PodResourcesOptions) -> Vec<String> {
        let resources = PodResources::of(PodTemplate::of(pod).unwrap());
        let total = resources.total(side, &options);
        total.iter().map(|(name, quantity)| format!("{name}={quantity}")).collect()
    }

    #[test]
    fn sidecars_count_beside_the_containers_and_the_init_containers_after_them() {
        let cpu = |amount: &str| json!({"requests": {"cpu": amount}});
        let pod = pod(
            &json!({
                "initContainers": [
                    {"name": "first", "resources": cpu("3")},
                    {"name": "proxy", "resources": cpu("500m"), "restartPolicy": "Always"},
                    {"name": "second", "resources": cpu("3")},
                ],
                "containers": [{"name": "a", "resources": cpu("1")}, {"name": "b", "resources": cpu("1")}],
            }),
            &json!({}),
        );
        assert_eq!(total(&pod, Side::Requests, SPEC_ONLY), ["cpu=3500m"]);
        assert!(total(&pod, Side::Limits, SPEC_ONLY).is_empty());
    }

    #[test]
    fn pod_level_resources_replace_the_sum_and_overhead_comes_on_top() {
        let pod = pod(
            &json!({
                "containers": [{"name": "a", "resources": {"requests": {"cpu": "1", "acme.io/gpu": "1"}}}],
                "resources": {"requests": {"cpu": "2", "hugepages-2Mi": "4Mi", "acme.io/gpu": "7"}, "limits": {"cpu": "3"}},
                "overhead": {"cpu": "250m", "memory": "64Mi"},
            }),
            &json!({}),
        );
        assert_eq!(
            total(&pod, Side::Requests, EVERYTHING),
            ["acme.io/gpu=1", "cpu=2250m", "hugepages-2Mi=4Mi", "memory=64Mi"]
        );
        assert_eq!(total(&pod, Side::Limits, EVERYTHING), ["cpu=3250m"]);
        let limit_ranger = PodResourcesOptions { pod_level: PodLevelResources::CpuAndMemory, ..SPEC_ONLY };
        assert_eq!(total(&pod, Side::Requests, limit_ranger), ["acme.io/gpu=1", "cpu=2"]);
        let resources = PodResources::of(PodTemplate::of(&pod).unwrap());
        let paths = |name| {
            let paths = resources.paths(Side::Requests, name, &EVERYTHING);
            paths.iter().map(Path::to_string).collect::<Vec<_>>()
        };
        assert_eq!(paths("cpu"), ["spec.resources.requests[cpu]", "spec.overhead[cpu]"]);
        assert_eq!(paths("storage"), ["spec.containers[0].resources.requests[storage]"]);
    }

    #[test]
    fn a_resize_down_counts_when_it_has_happened() {
        let spec = json!({"containers": [{"name": "a", "resources": {"requests": {"cpu": "1"}, "limits": {"cpu": "1"}}}]});
        let mut status = json!({"containerStatuses": [{
            "name": "a",
            "allocatedResources": {"cpu": "3"},
            "resources": {"requests": {"cpu": "2"}, "limits": {"cpu": "2"}},
        }]});
        let resized = pod(&spec, &status);
        assert_eq!(total(&resized, Side::Requests, EVERYTHING), ["cpu=3"]);
        assert_eq!(total(&resized, Side::Limits, EVERYTHING), ["cpu=2"]);
        assert_eq!(total(&resized, Side::Requests, SPEC_ONLY), ["cpu=1"]);

        status["conditions"] = json!([{"type": "PodResizePending", "reason": "Infeasible"}]);
        let mut larger = spec;
        larger["containers"][0]["resources"]["requests"]["cpu"] = json!("9");
        assert_eq!(total(&pod(&larger, &status), Side::Requests, EVERYTHING), ["cpu=3"]);
    }

    #[test]
    fn only_cpu_and_memory_make_more_than_best_effort() {
        let spec = json!({
            "containers": [{"name": "a", "resources": {"requests": {"cpu": "0", "acme.io/gpu": "1"}}}],
            "resources": {"limits": {"memory": "1Gi"}},
        });
        let pod = pod(&spec, &json!({}));
        let resources = PodResources::of(PodTemplate::of(&pod).unwrap());
        assert!(resources.is_best_effort(false));
        assert!(!resources.is_best_effort(true));
    }
}
