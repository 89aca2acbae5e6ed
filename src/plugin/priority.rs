//! Converts the priority class that a pod names to the values that the scheduler uses: `spec.priority` and
//! `spec.preemptionPolicy`. Users may not set these themselves to evict other users' pods from the nodes; a resource
//! quota can restrict who may use which class. A pod without a class gets the global default, or priority 0.
//!
//! # When it rejects
//!
//! - A new pod names a priority class that does not exist.
//! - A new pod sets a `spec.priority` or `spec.preemptionPolicy` that differs from its class.
//! - A priority class sets `globalDefault` while another class is the global default.
//!
//! # Cluster objects it reads
//!
//! Priority classes: `value`, `preemptionPolicy`, `globalDefault`. Of several global defaults the one with the lowest
//! value counts.
//!
//! # Offline
//!
//! `system-node-critical` and `system-cluster-critical` always exist.
//!
//! # Since
//!
//! Before 1.10; on by default since 1.11, generally available since 1.14. `spec.preemptionPolicy` since 1.15, on by
//! default since 1.19. Before 1.17, pods with the classes of the system are refused outside `kube-system`. Pod groups
//! in 1.36 with the gate `WorkloadAwarePreemption`, since 1.37 with `GenericWorkload`, composite ones with
//! `CompositePodGroup`, and their `spec.preemptionPolicy` with `PodGroupPreemptionPolicy`; all are off by default.
//!
//! # Upstream
//!
//! `k8s.io/kubernetes/plugin/pkg/admission/priority`

use std::sync::Arc;

use crate::admission::{
    Attributes, Evidence, Handler, MutationInterface, Need, Operation, Recorder, Refusal, ValidationInterface,
};
use crate::cluster::{Cluster, Derived};
use crate::plugin::PluginInitializer;
use kube_api::features::Feature;
use kube_api::field::Path;
use kube_api::resources::{PRIORITY_CLASSES, SYSTEM_PRIORITY_CLASSES};
use kube_api::server_profile::ServerProfile;
use kube_api::version::Version;
use kube_api::{GroupResource, Object, Value};

const GROUP: &str = "scheduling.k8s.io";
static RESOURCES: [GroupResource; 1] = [PRIORITY_CLASSES];

pub(super) fn new(initializer: &PluginInitializer) -> Handler {
    Handler::both(Priority {
        cluster: initializer.cluster.clone(),
        global_default: Derived::of(&RESOURCES),
        groups: Groups::of(&initializer.profile),
        release: initializer.profile.release(),
    })
}

struct Priority {
    cluster: Arc<Cluster>,
    global_default: Derived<Option<Arc<Object>>>,
    groups: Groups,
    release: Version,
}

/// The groups of pods that get a priority.
#[derive(Clone, Copy)]
#[expect(clippy::struct_field_names, reason = "`podgroups` is what they are called")]
struct Groups {
    pod_groups: bool,
    composites: bool,
    /// Whether they get a preemption policy too.
    with_policy: bool,
}

impl Groups {
    fn of(profile: &ServerProfile) -> Self {
        let gate = if profile.release() < GENERIC_WORKLOAD {
            Feature::WorkloadAwarePreemption
        } else {
            Feature::GenericWorkload
        };
        Self {
            pod_groups: profile.enabled(gate),
            composites: profile.enabled(Feature::CompositePodGroup),
            with_policy: profile.enabled(Feature::PodGroupPreemptionPolicy),
        }
    }

    fn include(self, attributes: &Attributes) -> bool {
        self.pod_groups && attributes.is_for(GROUP, "podgroups")
            || self.composites && attributes.is_for(GROUP, "compositepodgroups")
    }
}

/// The first release in which the gate of workloads as a whole stands for that of their preemption.
const GENERIC_WORKLOAD: Version = Version::minor(37);

/// The first release in which the gate of `spec.preemptionPolicy` is on.
const PREEMPTION_POLICY: Version = Version::minor(19);
/// The first release that admits pods with the classes of the system outside its namespace.
const SYSTEM_CLASSES_EVERYWHERE: Version = Version::minor(17);

/// The values that a pod gets; without a class the priority 0.
struct Resolved {
    class: Option<Arc<Object>>,
    is_global_default: bool,
}

impl MutationInterface for Priority {
    fn admit(&self, attributes: &mut Attributes, recorder: &mut Recorder) -> Result<(), Refusal> {
        match attributes.operation {
            Operation::Create if attributes.is_for("", "pods") => self.admit_pod(attributes, recorder),
            Operation::Update if attributes.is_for("", "pods") => {
                keep_priority(attributes);
                Ok(())
            }
            Operation::Create if self.groups.include(attributes) => self.admit_group(attributes, recorder),
            _ => Ok(()),
        }
    }
}

impl ValidationInterface for Priority {
    fn validate(&self, attributes: &Attributes, _recorder: &mut Recorder) -> Result<(), Refusal> {
        if !attributes.is_for(GROUP, "priorityclasses") {
            return Ok(());
        }
        let Some(class) = attributes.object.as_deref().filter(|class| is_global_default(class)) else {
            return Ok(());
        };
        let Some(default) = self.global_default() else { return Ok(()) };
        if attributes.operation == Operation::Update && default.name() == class.name() {
            return Ok(());
        }
        let name = default.name();
        let refusal = attributes.new_forbidden(format!(
            "PriorityClass {name} is already marked as default. Only one default can exist"
        ));
        Err(refusal
            .at(Path::new("globalDefault"))
            .because(evidence(name, "is the default already").at(Path::new("globalDefault"))))
    }
}

impl Priority {
    fn admit_pod(&self, attributes: &mut Attributes, recorder: &mut Recorder) -> Result<(), Refusal> {
        let resolved = self.resolve(attributes)?;
        resolved.record(recorder);
        set(attributes, "priorityClassName", resolved.class_name());
        let (priority, policy) = (resolved.value(), resolved.preemption_policy());
        if let Some(given) =
            spec_field(attributes, "priority").filter(|given| given.as_i64() != Some(priority))
        {
            let refusal = attributes.new_forbidden(format!(
                "the integer value of priority ({given}) must not be provided in pod spec; priority admission \
                 controller computed {priority} from the given PriorityClass name"
            ));
            return Err(resolved.blamed_for(
                refusal,
                "priority",
                "value",
                &format!("the priority {priority}"),
            ));
        }
        set(attributes, "priority", priority);
        if self.release < PREEMPTION_POLICY {
            return Ok(());
        }
        if let Some(given) = spec_field(attributes, "preemptionPolicy").and_then(Value::as_str)
            && given != policy
        {
            let refusal = attributes.new_forbidden(format!(
                "the string value of PreemptionPolicy ({given}) must not be provided in pod spec; priority \
                 admission controller computed {policy} from the given PriorityClass name"
            ));
            let what = format!("the preemption policy {policy}");
            return Err(resolved.blamed_for(refusal, "preemptionPolicy", "preemptionPolicy", &what));
        }
        set(attributes, "preemptionPolicy", policy);
        Ok(())
    }

    fn admit_group(&self, attributes: &mut Attributes, recorder: &mut Recorder) -> Result<(), Refusal> {
        let resolved = self.resolve(attributes)?;
        resolved.record(recorder);
        let priority = resolved.value();
        if let Some(given) =
            spec_field(attributes, "priority").filter(|given| given.as_i64() != Some(priority))
        {
            let refusal = attributes.new_forbidden(format!(
                "priority set in the pod group ({given}) must match the priority computed ({priority}) based on the \
                 priority class set in the spec"
            ));
            return Err(resolved.blamed_for(
                refusal,
                "priority",
                "value",
                &format!("the priority {priority}"),
            ));
        }
        set(attributes, "priority", priority);
        set(attributes, "priorityClassName", resolved.class_name());
        if self.groups.with_policy && spec_field(attributes, "preemptionPolicy").is_none() {
            set(attributes, "preemptionPolicy", resolved.preemption_policy());
        }
        Ok(())
    }

    /// Returns the class that the object names, or the global default.
    fn resolve(&self, attributes: &Attributes) -> Result<Resolved, Refusal> {
        let name = spec_field(attributes, "priorityClassName").and_then(Value::as_str).unwrap_or_default();
        if name.is_empty() {
            return Ok(Resolved { class: self.global_default(), is_global_default: true });
        }
        let is_reserved = self.release < SYSTEM_CLASSES_EVERYWHERE
            && attributes.is_for("", "pods")
            && SYSTEM_PRIORITY_CLASSES.contains(&name);
        if is_reserved && attributes.namespace != "kube-system" {
            let error = format!(
                "pods with {name} priorityClass is not permitted in {} namespace",
                attributes.namespace
            );
            return Err(attributes.new_forbidden(error).at(Path::new("spec.priorityClassName")));
        }
        match self.cluster.get(&RESOURCES[0], "", name) {
            Some(class) => Ok(Resolved { class: Some(class), is_global_default: false }),
            None => Err(attributes
                .new_forbidden(format!("no PriorityClass with name {name} was found"))
                .at(Path::new("spec.priorityClassName"))
                .needing([Need::object(&RESOURCES[0], "", name)])),
        }
    }

    fn global_default(&self) -> Option<Arc<Object>> {
        let compute = || {
            let classes = self.cluster.list_all(&RESOURCES[0]);
            classes.into_iter().filter(|class| is_global_default(class)).min_by_key(|class| value(class))
        };
        self.global_default.get(&self.cluster, compute).as_ref().clone()
    }
}

impl Resolved {
    fn record(&self, recorder: &mut Recorder) {
        if let Some(class) = &self.class {
            recorder.add_source(&RESOURCES[0], "", class.name());
        }
    }

    fn class_name(&self) -> &str {
        self.class.as_deref().map_or("", Object::name)
    }

    fn value(&self) -> i64 {
        self.class.as_deref().map_or(0, value)
    }

    fn preemption_policy(&self) -> &str {
        let policy = self.class.as_deref().map_or("", |class| class.text("preemptionPolicy"));
        if policy.is_empty() { "PreemptLowerPriority" } else { policy }
    }

    /// Adds to `refusal` the field of the pod that contradicts the class, and the class.
    fn blamed_for(
        &self,
        refusal: Refusal,
        field: &'static str,
        class_field: &'static str,
        what: &str,
    ) -> Refusal {
        let refusal = refusal.at(Path::new("spec").child(field));
        let Some(class) = self.class.as_deref() else { return refusal };
        let path = Path::new(class_field);
        let says = if self.is_global_default {
            format!("is the global default and has {what}")
        } else {
            format!("has {what}")
        };
        refusal.because(evidence(class.name(), says).at(class.get(&path).map(|_| path)))
    }
}

/// Restores unset values: clients that omit unknown fields must not clear what was computed when the pod was created.
fn keep_priority(attributes: &mut Attributes) {
    for field in ["priority", "preemptionPolicy"] {
        let old = attributes.old_object.as_deref().and_then(|old| old.at(["spec", field])).cloned();
        if let Some(old) = old
            && spec_field(attributes, field).is_none()
        {
            set(attributes, field, old);
        }
    }
}

fn spec_field<'a>(attributes: &'a Attributes, field: &str) -> Option<&'a Value> {
    attributes.object.as_deref()?.at(["spec", field])
}

/// Writes a field of the spec unless it has the value; an empty class name counts as absent.
fn set(attributes: &mut Attributes, field: &str, value: impl Into<Value>) {
    let value = value.into();
    if value != ""
        && spec_field(attributes, field) != Some(&value)
        && let Some(object) = attributes.object_mut()
    {
        object.set(["spec", field], value);
    }
}

fn is_global_default(class: &Object) -> bool {
    class.flag("globalDefault")
}

fn value(class: &Object) -> i64 {
    class.int("value")
}

fn evidence(class: &str, says: impl Into<String>) -> Evidence {
    Evidence::named(RESOURCES[0].clone(), "", class, says)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plugin::testing::{Bench, create, delete, pod, update, with_spec};
    use gotext::value::json;

    fn class(name: &str, value: i64, global_default: bool) -> Value {
        json!({
            "apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name},
            "value": value, "globalDefault": global_default, "preemptionPolicy": "Never",
        })
    }

    fn bench() -> Bench {
        Bench::new("Priority", [class("high", 1000, false)])
    }

    fn bench_with_defaults() -> Bench {
        Bench::new("Priority", [class("a", 20, true), class("b", -10, true)])
    }

    fn message_for(spec: Value) -> String {
        bench().admit(&mut create(pod(spec))).unwrap_err().status.message
    }

    #[test]
    fn admits_pods_with_the_numbers_of_their_class() {
        assert_eq!(
            bench().admitted(create(pod(json!({"priorityClassName": "high"})))),
            pod(json!({"priorityClassName": "high", "priority": 1000, "preemptionPolicy": "Never"}))
        );
    }

    #[test]
    fn admits_pods_without_a_class_with_the_default() {
        assert_eq!(
            bench().admitted(create(pod(json!({})))),
            pod(json!({"priority": 0, "preemptionPolicy": "PreemptLowerPriority"}))
        );
        assert_eq!(
            bench_with_defaults().admitted(create(pod(json!({"priorityClassName": ""})))),
            pod(json!({"priorityClassName": "b", "priority": -10, "preemptionPolicy": "Never"}))
        );
    }

    #[test]
    fn admits_updates_with_the_numbers_that_the_pod_had() {
        let old = json!({"priorityClassName": "gone", "priority": 7, "preemptionPolicy": "Never"});
        assert_eq!(
            bench().admitted(update(pod(old.clone()), pod(json!({"priorityClassName": "gone"})))),
            pod(old)
        );
        assert!(bench().leaves_alone(update(pod(json!({})), pod(json!({"priorityClassName": "gone"})))));
    }

    #[test]
    fn rejects_classes_of_the_system_outside_its_namespace_before_1_17() {
        let critical = || create(pod(json!({"priorityClassName": "system-node-critical"})));
        let bench = |minor| {
            let class = class("system-node-critical", 2_000_001_000, false);
            Bench::of_release("Priority", Version::minor(minor), [class])
        };
        assert_eq!(
            bench(16).admit(&mut critical()).unwrap_err().status.message,
            "pods \"web\" is forbidden: pods with system-node-critical priorityClass is not permitted in shop namespace"
        );
        assert_eq!(bench(17).admit(&mut critical()), Ok(()));
    }

    #[test]
    fn rejects_classes_that_do_not_exist() {
        let refusal = bench().admit(&mut create(pod(json!({"priorityClassName": "huge"})))).unwrap_err();
        assert_eq!(
            refusal.status.message,
            "pods \"web\" is forbidden: no PriorityClass with name huge was found"
        );
        assert_eq!(refusal.fields, [Path::new("spec.priorityClassName")]);
    }

    #[test]
    fn rejects_numbers_that_differ_from_the_class() {
        assert_eq!(
            message_for(json!({"priorityClassName": "high", "priority": 5, "preemptionPolicy": "x"})),
            "pods \"web\" is forbidden: the integer value of priority (5) must not be provided in pod spec; \
             priority admission controller computed 1000 from the given PriorityClass name"
        );
        assert_eq!(
            message_for(json!({"priority": 5})),
            "pods \"web\" is forbidden: the integer value of priority (5) must not be provided in pod spec; \
             priority admission controller computed 0 from the given PriorityClass name"
        );
        let spec = json!({"priorityClassName": "high", "preemptionPolicy": "PreemptLowerPriority"});
        let mut request = create(pod(spec));
        let refusal = bench().admit(&mut request).unwrap_err();
        assert_eq!(
            refusal.status.message,
            "pods \"web\" is forbidden: the string value of PreemptionPolicy (PreemptLowerPriority) must not be \
             provided in pod spec; priority admission controller computed Never from the given PriorityClass name"
        );
        assert_eq!(refusal.evidence[0].says, "has the preemption policy Never");
        assert_eq!(request.object.unwrap().at(["spec", "priority"]), Some(&json!(1000)));
    }

    #[test]
    fn rejects_a_second_default() {
        let message = "priorityclasses.scheduling.k8s.io \"a\" is forbidden: \
                       PriorityClass b is already marked as default. Only one default can exist";
        let bench = bench_with_defaults();
        let again = update(class("a", 20, true), class("a", 20, true));
        assert_eq!(bench.validate(&again).unwrap_err().status.message, message);
        let refusal = bench.validate(&create(class("a", 20, true))).unwrap_err();
        assert_eq!(refusal.status.message, message);
        assert_eq!(refusal.evidence[0].says, "is the default already");
        assert!(bench.validate(&create(class("b", -10, true))).is_err());
    }

    #[test]
    fn admits_classes_that_are_no_second_default() {
        let bench = bench_with_defaults();
        assert_eq!(bench.validate(&update(class("b", -10, true), class("b", -10, true))), Ok(()));
        assert_eq!(bench.validate(&create(class("c", 1, false))), Ok(()));
        assert_eq!(super::tests::bench().validate(&create(class("c", 1, true))), Ok(()));
    }

    #[test]
    fn ignores_templates_subresources_and_deletes() {
        let template = json!({"template": {"spec": {"priorityClassName": "huge"}}});
        assert!(bench().leaves_alone(create(with_spec("apps/v1", "Deployment", template))));
        let mut status = create(pod(json!({})));
        status.sub_resource = "status".into();
        assert!(bench().leaves_alone(status));
        assert_eq!(bench_with_defaults().validate(&delete(class("b", -10, true))), Ok(()));
        let group = json!({"priorityClassName": "huge"});
        assert!(bench().leaves_alone(create(with_spec("scheduling.k8s.io/v1beta1", "PodGroup", group))));
    }

    #[test]
    fn admits_and_rejects_pod_groups_where_the_gate_is_on() {
        let bench = Bench::gated("Priority", "GenericWorkload=true", [class("high", 1000, false)]);
        let group = |spec| with_spec("scheduling.k8s.io/v1beta1", "PodGroup", spec);
        assert_eq!(
            bench.admitted(create(group(json!({"priorityClassName": "high"})))),
            group(json!({"priorityClassName": "high", "priority": 1000}))
        );
        assert_eq!(
            bench.admit(&mut create(group(json!({"priority": 1})))).unwrap_err().status.message,
            "podgroups.scheduling.k8s.io \"web\" is forbidden: priority set in the pod group (1) must match the \
             priority computed (0) based on the priority class set in the spec"
        );
        assert_eq!(
            bench.admit(&mut create(group(json!({"priorityClassName": "huge"})))).unwrap_err().status.message,
            "podgroups.scheduling.k8s.io \"web\" is forbidden: no PriorityClass with name huge was found"
        );
    }

    #[test]
    fn admits_composite_groups_with_the_policy_of_their_class() {
        let gates = "GenericWorkload=true,TopologyAwareWorkloadScheduling=true,CompositePodGroup=true,\
                     PodGroupPreemptionPolicy=true";
        let bench = Bench::gated("Priority", gates, [class("high", 1000, false)]);
        let group = |spec| with_spec("scheduling.k8s.io/v1alpha3", "CompositePodGroup", spec);
        assert_eq!(
            bench.admitted(create(group(json!({"priorityClassName": "high"})))),
            group(json!({"priorityClassName": "high", "priority": 1000, "preemptionPolicy": "Never"}))
        );
    }

    #[test]
    fn another_gate_decided_on_groups_in_1_36() {
        let groups = |release, gates: &str| {
            let profile = ServerProfile::of_release(Version::minor(release), []).with(gates).unwrap();
            Groups::of(&profile).pod_groups
        };
        assert!(!groups(36, "GenericWorkload=true") && groups(37, "GenericWorkload=true"));
        assert!(groups(36, "GenericWorkload=true,GangScheduling=true,WorkloadAwarePreemption=true"));
    }
}
