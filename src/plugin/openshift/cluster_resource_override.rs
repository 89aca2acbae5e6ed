//! Overrides what containers request by percentages of their limits, so that nodes can be overcommitted by the same
//! measure everywhere.
//!
//! # When it rejects
//!
//! - The pod no longer has the values that were set; a webhook cannot revert them.
//!
//! # Configuration
//!
//! ```yaml
//! apiVersion: autoscaling.openshift.io/v1
//! kind: ClusterResourceOverrideConfig
//! limitCPUToMemoryPercent: 200
//! cpuRequestToLimitPercent: 25
//! memoryRequestToLimitPercent: 50
//! ```
//!
//! # Cluster objects it reads
//!
//! The Namespace of the pod, its LimitRanges.
//!
//! # Offline
//!
//! Nothing is assumed.
//!
//! # Since
//!
//! OpenShift 3.2; without a configuration it does nothing. Since 4.5 an operator's webhook replaces it.
//!
//! # Upstream
//!
//! `openshift/kubernetes/openshift-kube-apiserver/admission/autoscaling/clusterresourceoverride`

use std::sync::Arc;

use crate::admission::{
    Attributes, Handler, MutationInterface, Phase, Recorder, Refusal, ValidationInterface,
};
use crate::cluster::Cluster;
use crate::plugin::openshift::configuration;
use crate::plugin::openshift::lookup;
use crate::plugin::{FactoryError, PluginConfiguration, PluginInitializer, find};
use gotext::quantity::{Format, Quantity};
use kube_api::field::{self, Path};
use kube_api::resources::LIMIT_RANGES;
use kube_api::{Object, Value};

const NAME: &str = "autoscaling.openshift.io/ClusterResourceOverride";
const ANNOTATION: &str = "autoscaling.openshift.io/cluster-resource-override-enabled";
const MEBIBYTE: i64 = 1024 * 1024;
const PERCENTS: [&str; 3] =
    ["limitCPUToMemoryPercent", "cpuRequestToLimitPercent", "memoryRequestToLimitPercent"];

pub(super) fn new(
    initializer: &PluginInitializer,
    given: Option<&PluginConfiguration>,
) -> Result<Handler, FactoryError> {
    let kind = ("autoscaling.openshift.io", "ClusterResourceOverrideConfig");
    let given = configuration::read(initializer, given, kind)?;
    let Some(given) = given else { return Ok(Handler::default()) };
    let percent = |field: &str| given.int(field);
    let percents = PERCENTS.map(percent);
    check(percents)?;
    let [cpu_limit, cpu_request, memory_request] = percents.map(|percent| float(percent) / 100.0);
    let limit_ranger = find("LimitRanger").expect("the table has it").build(initializer, None)?;
    Ok(Handler::both(ClusterResourceOverride {
        cluster: initializer.cluster.clone(),
        limit_ranger,
        cpu_limit,
        cpu_request,
        memory_request,
    }))
}

/// Source: `clusterresourceoverride/validation`.
fn check([cpu_limit, cpu_request, memory_request]: [i64; 3]) -> Result<(), FactoryError> {
    let mut errors = Vec::new();
    let root = Path::named(NAME);
    if [cpu_limit, cpu_request, memory_request] == [0; 3] {
        errors.push(field::Error::forbidden(&root, "plugin enabled but no percentages were specified"));
    }
    if cpu_limit < 0 {
        let path = root.child("LimitCPUToMemoryPercent");
        errors.push(field::Error::invalid(&path, &Value::from(cpu_limit), "must be positive"));
    }
    for (name, percent) in
        [("CPURequestToLimitPercent", cpu_request), ("MemoryRequestToLimitPercent", memory_request)]
    {
        if !(0..=100).contains(&percent) {
            let detail = "must be between 0 and 100";
            errors.push(field::Error::invalid(&root.child(name), &Value::from(percent), detail));
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(FactoryError::Configuration(field::aggregate(&errors))) }
}

struct ClusterResourceOverride {
    cluster: Arc<Cluster>,
    limit_ranger: Handler,
    cpu_limit: f64,
    cpu_request: f64,
    memory_request: f64,
}

impl MutationInterface for ClusterResourceOverride {
    fn admit(&self, attributes: &mut Attributes, _: &mut Recorder) -> Result<(), Refusal> {
        self.override_resources(attributes, Phase::Mutating)
    }
}

impl ValidationInterface for ClusterResourceOverride {
    fn validate(&self, attributes: &Attributes, _: &mut Recorder) -> Result<(), Refusal> {
        self.override_resources(&mut attributes.clone(), Phase::Validating)
    }
}

impl ClusterResourceOverride {
    fn override_resources(&self, attributes: &mut Attributes, phase: Phase) -> Result<(), Refusal> {
        if !attributes.is_for("", "pods") || attributes.object.is_none() {
            return Ok(());
        }
        let namespace = lookup::namespace(&self.cluster, attributes)?;
        let is_off = namespace.annotation(ANNOTATION).is_some_and(|value| value != "true");
        if is_off || is_exempt(namespace.name()) {
            return Ok(());
        }
        let floor = |name| self.floor(&attributes.namespace, name);
        let floors = [floor("cpu"), floor("memory")];
        // LimitRanger judges the pod later: its errors here do not matter.
        let _ = self.limit_ranger.admit(attributes, &mut Recorder::silent());
        let Some(mut pod) = attributes.object.as_deref().cloned() else { return Ok(()) };
        for list in ["initContainers", "containers"] {
            for index in 0..pod.list(["spec", list]).len() {
                self.container(&mut pod, list, index, &floors, phase).map_err(|error| {
                    let path = Path::new("spec").child(list).index(index).child("resources");
                    attributes.new_forbidden(format!("spec.{list}[{index}].{error}")).at(path)
                })?;
            }
        }
        if attributes.object.as_deref() != Some(&pod) {
            attributes.object = Some(Arc::new(pod));
        }
        Ok(())
    }

    fn container(
        &self,
        pod: &mut Object,
        list: &str,
        index: usize,
        [cpu_floor, memory_floor]: &[Option<Quantity>; 2],
        phase: Phase,
    ) -> Result<(), String> {
        let limit =
            |pod: &Object, name: &str| lookup::amount(pod.list(["spec", list]).get(index)?, "limits", name);
        let memory = limit(pod, "memory");
        if let Some(memory) = memory.as_ref().filter(|_| self.memory_request != 0.0) {
            let percent = truncated(self.memory_request * 100.0);
            let amount = memory.value().wrapping_mul(percent) / 100;
            let unit = if memory.format() == Format::BinarySi { MEBIBYTE } else { 1_000_000 };
            let amount = Quantity::from_value(amount - amount % unit, memory.format());
            let amount = at_least(amount, &Quantity::from_value(MEBIBYTE, Format::BinarySi));
            let amount = memory_floor.as_ref().map_or(amount.clone(), |floor| at_least(amount, floor));
            apply(pod, (list, index), "requests", ("memory", &amount), phase)?;
        }
        let at_least_one = |amount: Quantity| {
            let amount = at_least(amount, &Quantity::from_milli(1, Format::DecimalSi));
            cpu_floor.as_ref().map_or(amount.clone(), |floor| at_least(amount, floor))
        };
        if let Some(memory) = memory.as_ref().filter(|_| self.cpu_limit != 0.0) {
            let scale = 1000.0 / (1024.0 * 1024.0 * 1024.0);
            let milli = truncated(float(memory.value()) * self.cpu_limit * scale);
            let amount = at_least_one(Quantity::from_milli(milli, Format::DecimalSi));
            apply(pod, (list, index), "limits", ("cpu", &amount), phase)?;
        }
        if let Some(cpu) = limit(pod, "cpu").filter(|_| self.cpu_request != 0.0) {
            let milli = truncated(float(cpu.milli_value()) * self.cpu_request);
            let amount = at_least_one(Quantity::from_milli(milli, cpu.format()));
            apply(pod, (list, index), "requests", ("cpu", &amount), phase)?;
        }
        Ok(())
    }

    /// Returns the smallest minimum of `name` that a LimitRange demands of containers.
    fn floor(&self, namespace: &str, name: &str) -> Option<Quantity> {
        let ranges = self.cluster.list(&LIMIT_RANGES, namespace);
        let minimum = |limit: &Value| {
            let is_container = limit.at("type").and_then(Value::as_str) == Some("Container");
            if is_container { lookup::parse(limit.at(["min", name])?) } else { None }
        };
        let found = ranges.iter().flat_map(|range| range.list(["spec", "limits"]).iter().filter_map(minimum));
        found.reduce(|least, other| if other < least { other } else { least })
    }
}

#[expect(clippy::cast_precision_loss, reason = "Go computes with floats here, and so do its results show")]
fn float(number: i64) -> f64 {
    number as f64
}

#[expect(clippy::cast_possible_truncation, reason = "Go cuts the fraction off")]
fn truncated(number: f64) -> i64 {
    // What does not fit becomes the least number on the processors that OpenShift runs on.
    if (-9.3e18..9.223_372_036_854_775e18).contains(&number) { number as i64 } else { i64::MIN }
}

fn is_exempt(namespace: &str) -> bool {
    ["openshift", "kubernetes", "kube"]
        .iter()
        .any(|name| namespace.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('-')))
}

fn at_least(amount: Quantity, floor: &Quantity) -> Quantity {
    if *floor > amount { floor.clone() } else { amount }
}

fn apply(
    pod: &mut Object,
    (list, index): (&str, usize),
    side: &str,
    (name, amount): (&str, &Quantity),
    phase: Phase,
) -> Result<(), String> {
    if phase == Phase::Validating {
        let stated = pod.list(["spec", list]).get(index);
        let stated = stated.and_then(|container| lookup::amount(container, side, name));
        let wanted = amount.canonical();
        return match stated {
            Some(stated) if stated == *amount => Ok(()),
            Some(stated) => Err(format!(
                "resources.{side}.{name} mutated, expected: {wanted}, got {}",
                stated.canonical()
            )),
            None => Err(format!("resources.{side}.{name} mutated, expected: {wanted}, now absent")),
        };
    }
    let containers = pod.at_mut(["spec", list]).and_then(Value::as_array_mut);
    if let Some(Value::Object(container)) = containers.and_then(|containers| containers.get_mut(index)) {
        let resources = kube_api::tree::child_or_insert(container, "resources");
        let side = if side == "limits" { "limits" } else { "requests" };
        let name = name.to_owned();
        kube_api::tree::child_or_insert(resources, side).insert(name, amount.canonical().into_owned().into());
    }
    Ok(())
}
