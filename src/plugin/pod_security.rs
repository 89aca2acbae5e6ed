//! Enforces the Pod Security Standards. A pod can request things that give it power over its node and over everything
//! that runs there: privileged containers, the host's network, directories of the node. The labels of each Namespace
//! set which of three levels its pods must meet: `privileged` allows everything, `baseline` forbids the known ways out
//! of a container, `restricted` also requires what hardening advice recommends.
//!
//! | Label of the Namespace | Effect of a violation |
//! |---|---|
//! | `pod-security.kubernetes.io/enforce` | the pod is refused |
//! | `pod-security.kubernetes.io/audit` | the audit event records it |
//! | `pod-security.kubernetes.io/warn` | the client is warned; without the label as strict as `enforce` |
//!
//! Each has a companion with `-version` after its name: `latest`, or `v1.24` for the level as that release defined it.
//! Workloads that create pods (Deployments, Jobs, ...) are never refused, but warned about and audited.
//!
//! # When it rejects
//!
//! - A pod that violates the enforced level, when it is created, when one of its images changes, and when an ephemeral
//!   container is added.
//! - A Namespace whose Pod Security labels are new and invalid.
//! - A pod in a namespace that does not exist.
//!
//! A Namespace whose enforced level rises is not refused; warnings name the pods in it that violate the new level.
//!
//! The levels forbid:
//!
//! - baseline `appArmorProfile`: a profile other than the runtime's and those of the node
//! - baseline `capabilities_baseline`: capabilities beyond those that runtimes grant
//! - baseline `hostNamespaces`: `hostNetwork`, `hostPID`, `hostIPC`
//! - baseline `hostPathVolumes`: volumes with `hostPath`
//! - baseline `hostPorts`: ports with a `hostPort`
//! - baseline `hostProbesAndHostLifecycle`: a `host` in probes and lifecycle hooks (since v1.34)
//! - baseline `privileged`: `privileged: true`
//! - baseline `procMount`: a `procMount` other than `Default`, unless `hostUsers: false` (since v1.35)
//! - baseline `seLinuxOptions`: a user, a role, or a type that is not for containers
//! - baseline `seccompProfile_baseline`: `Unconfined`
//! - baseline `sysctls`: kernel parameters that affect more than the pod
//! - baseline `windowsHostProcess`: `hostProcess: true`
//! - restricted `allowPrivilegeEscalation`: anything but `allowPrivilegeEscalation: false`
//! - restricted `capabilities_restricted`: not to drop `ALL`; to add anything but `NET_BIND_SERVICE`
//! - restricted `procMount_restricted`: a `procMount` other than `Default`
//! - restricted `restrictedVolumes`: volumes other than `configMap`, `csi`, `downwardAPI`, `emptyDir`, `ephemeral`, `image`,
//!   `persistentVolumeClaim`, `projected` and `secret`
//! - restricted `runAsNonRoot`: anything but `runAsNonRoot: true`
//! - restricted `runAsUser`: `runAsUser: 0`
//! - restricted `seccompProfile_restricted`: no `seccompProfile`, or one that is neither `RuntimeDefault` nor `Localhost`
//!
//! The restricted level forbids what the baseline level does, too.
//!
//! # Configuration
//!
//! The levels in namespaces without labels, and exemptions from everything above, in the file of
//! `--admission-control-config-file`. `--enforce LEVEL` tries a level in every namespace without a file.
//!
//! ```yaml
//! apiVersion: apiserver.config.k8s.io/v1
//! kind: AdmissionConfiguration
//! plugins:
//! - name: PodSecurity
//!   configuration:
//!     apiVersion: pod-security.admission.config.k8s.io/v1
//!     kind: PodSecurityConfiguration
//!     defaults:
//!       enforce: baseline
//!       enforce-version: latest
//!       warn: restricted
//!     exemptions:
//!       usernames: ["system:serviceaccount:kube-system:node-agent"]
//!       runtimeClasses: [kata]
//!       namespaces: [kube-system]
//! ```
//!
//! # Cluster objects it reads
//!
//! The Namespace of the pod; for a Namespace whose enforced level rises, the Pods in it.
//!
//! # Offline
//!
//! A server stops checking the pods of a Namespace after one second. Offline only its other limit applies, 3000 pods,
//! so that the answer is the same on every machine.
//!
//! # Since
//!
//! v1.22 behind the feature gate `PodSecurity`; on by default since v1.23. Newer releases add checks under their own
//! policy version; the newest with a change is v1.35.
//!
//! # Upstream
//!
//! `k8s.io/kubernetes/plugin/pkg/admission/security/podsecurity`, `k8s.io/pod-security-admission`

mod checks;
pub(super) mod configuration;
#[cfg(feature = "report")]
pub(crate) mod levels;
mod policy_in_force;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use self::checks::{Evaluator, Violations};
use self::configuration::Configuration;
use self::policy_in_force::PolicyInForce;
use crate::admission::{
    Attributes, Evidence, Handler, Need, Operation, Recorder, Refusal, ValidationInterface,
};
use crate::cluster::Cluster;
use crate::plugin::additions::PodAsChecked;
use crate::plugin::{FactoryError, PluginConfiguration, PluginInitializer};
use gotext::quote;
use kube_api::pod_security::{Level, LevelVersion, Mode, Policy, label_path};
use kube_api::resources::{NAMESPACES, PODS};
use kube_api::{Object, Status, Value};
use kube_registry::pod::{Container, ContainerType, PodTemplate};

/// The number of pods in a Namespace that are checked when its enforced level rises.
const MAX_PODS_TO_CHECK: usize = 3000;

/// Subresources of a pod that do not carry a pod. All others count as carrying one, so that a new one is not
/// overlooked.
const IGNORED_POD_SUB_RESOURCES: &[&str] =
    &["exec", "attach", "binding", "eviction", "log", "portforward", "proxy", "status"];

pub(super) fn new(
    initializer: &PluginInitializer,
    configuration: Option<&PluginConfiguration>,
) -> Result<Handler, FactoryError> {
    let text = configuration.map(|configuration| configuration.text.as_str());
    Ok(Handler::validating(PodSecurity {
        cluster: initializer.cluster.clone(),
        configuration: Configuration::load(text)?,
        enforce: initializer.enforce,
        evaluator: Evaluator::new(initializer.profile.release().minor.into()),
        pod_as_checked: initializer.additions().pod_as_checked.map(|make| make(initializer)),
    }))
}

pub(super) fn effective(
    _initializer: &PluginInitializer,
    configuration: Option<&PluginConfiguration>,
) -> Result<Value, FactoryError> {
    let text = configuration.map(|configuration| configuration.text.as_str());
    Ok(Configuration::load(text)?.to_value())
}

struct PodSecurity {
    cluster: Arc<Cluster>,
    configuration: Configuration,
    /// The level that every namespace enforces, whatever its labels are.
    enforce: Option<Level>,
    evaluator: Evaluator,
    /// What the distribution does to pods before they are checked.
    pod_as_checked: Option<PodAsChecked>,
}

impl ValidationInterface for PodSecurity {
    fn validate(&self, attributes: &Attributes, recorder: &mut Recorder) -> Result<(), Refusal> {
        let resource = &attributes.resource;
        match (resource.group.as_ref(), resource.resource.as_ref()) {
            ("", "namespaces") => self.validate_namespace(attributes, recorder),
            ("", "pods") => self.validate_pod(attributes, recorder),
            ("", "replicationcontrollers" | "podtemplates")
            | ("apps", "replicasets" | "deployments" | "statefulsets" | "daemonsets")
            | ("batch", "jobs" | "cronjobs") => {
                self.validate_pod_controller(attributes, recorder);
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

impl PodSecurity {
    /// Source: `Admission.ValidateNamespace`.
    fn validate_namespace(&self, attributes: &Attributes, recorder: &mut Recorder) -> Result<(), Refusal> {
        if attributes.has_sub_resource() {
            return Ok(());
        }
        let Some(namespace) = attributes.object.as_deref() else { return Ok(()) };
        let (policy, errors) = Policy::of(namespace, &self.configuration.defaults);
        let old_namespace = attributes.old_object.as_deref();
        let old = old_namespace.map(|old| Policy::of(old, &self.configuration.defaults));

        // Old errors may stay, or nothing else in the Namespace could be changed.
        let are_new = old.as_ref().is_none_or(|(_, old_errors)| *old_errors != errors);
        if !errors.is_empty() && are_new {
            let status = Status::new_invalid(&attributes.kind, attributes.name_in_messages(), &errors);
            let paths = errors.into_iter().filter_map(|error| error.path);
            return Err(Refusal::from(status).at_all(paths));
        }
        let comes_to_enforce = match (attributes.operation, &old) {
            (Operation::Update, Some((old, _))) => is_stricter(policy.enforce, old.enforce),
            _ => false,
        };
        let is_exempt = self.configuration.exemptions.has_namespace(&attributes.namespace);
        if is_exempt && (comes_to_enforce || attributes.operation == Operation::Create) {
            self.warn_about_exemption(namespace, &policy, recorder);
        } else if comes_to_enforce {
            self.evaluate_pods_in_namespace(namespace, policy.enforce, recorder);
        }
        Ok(())
    }

    /// Source: `Admission.ValidatePod`.
    fn validate_pod(&self, attributes: &Attributes, recorder: &mut Recorder) -> Result<(), Refusal> {
        if IGNORED_POD_SUB_RESOURCES.contains(&attributes.sub_resource.as_ref())
            || self.is_exempt(attributes, recorder)
        {
            return Ok(());
        }
        let Some(namespace) = self.cluster.namespace(&attributes.namespace) else {
            let error = lookup_error(&attributes.namespace);
            let status = Status::new_internal_error(&error);
            let message = &status.message;
            annotate(recorder, "error", format!("{message}: {}", not_found(&attributes.namespace)));
            return Err(status.into());
        };
        let in_force = PolicyInForce::of(&namespace, &self.configuration.defaults, self.enforce);
        if in_force.label_errors.is_none() && in_force.policy.is_fully_privileged() {
            annotate(recorder, "enforce-policy", LevelVersion::PRIVILEGED.to_string());
            return Ok(());
        }
        let Some(pod) = attributes.object.as_deref().and_then(PodTemplate::of) else {
            annotate(recorder, "error", "failed to decode pod".to_owned());
            return Err(Status::new_bad_request("failed to decode pod").into());
        };
        let old_pod = attributes.old_object.as_deref().and_then(PodTemplate::of);
        if attributes.operation == Operation::Update
            && old_pod.is_some_and(|old_pod| !is_significant_pod_update(pod, old_pod))
        {
            return Ok(());
        }
        if self.has_exempt_runtime_class(pod) {
            annotate(recorder, "exempt", "runtimeClass".to_owned());
            return Ok(());
        }
        self.enforce(&in_force, pod, attributes, recorder)
    }

    /// Source: `Admission.ValidatePodController`.
    fn validate_pod_controller(&self, attributes: &Attributes, recorder: &mut Recorder) {
        if attributes.has_sub_resource() || self.is_exempt(attributes, recorder) {
            return;
        }
        let Some(namespace) = self.cluster.namespace(&attributes.namespace) else {
            let error = lookup_error(&attributes.namespace);
            annotate(recorder, "error", format!("{error}: {}", not_found(&attributes.namespace)));
            return;
        };
        let in_force = PolicyInForce::of(&namespace, &self.configuration.defaults, self.enforce);
        let Policy { audit, warn, .. } = in_force.policy;
        if in_force.label_errors.is_none()
            && audit.level == Level::Privileged
            && warn.level == Level::Privileged
        {
            return;
        }
        // A ReplicationController may have no template.
        let Some(pod) = attributes.object.as_deref().and_then(PodTemplate::of) else { return };
        if self.has_exempt_runtime_class(pod) {
            annotate(recorder, "exempt", "runtimeClass".to_owned());
            return;
        }
        in_force.annotate_label_errors(recorder);
        let constrained = self.pod_as_checked.as_ref().and_then(|change| change(attributes, pod));
        let pod = constrained.as_ref().and_then(PodTemplate::of).unwrap_or(pod);
        let mut evaluation = Evaluation::new(&self.evaluator, pod);
        audit_violations(evaluation.of(audit), audit, recorder);
        in_force.warn(evaluation.of(warn), recorder);
    }

    /// Source: `Admission.EvaluatePod`.
    fn enforce(
        &self,
        in_force: &PolicyInForce<'_>,
        pod: PodTemplate<'_>,
        attributes: &Attributes,
        recorder: &mut Recorder,
    ) -> Result<(), Refusal> {
        let Policy { enforce, audit, warn } = in_force.policy;
        in_force.annotate_label_errors(recorder);
        annotate(recorder, "enforce-policy", enforce.to_string());

        let mut evaluation = Evaluation::new(&self.evaluator, pod);
        audit_violations(evaluation.of(audit), audit, recorder);
        let violations = evaluation.of(enforce);
        if !violations.is_empty() {
            let error = format!("violates PodSecurity \"{enforce}\": {}", violations.detail());
            let mut refusal = attributes.new_forbidden(error).at_each(violations.reasons_by_field());
            refusal.evidence.extend(in_force.evidence(Mode::Enforce));
            let namespace = in_force.namespace.name().to_owned();
            let is_admitted = |level: &Level| {
                self.evaluator.evaluate_pod(LevelVersion { level: *level, ..enforce }, pod).is_empty()
            };
            let level = [Level::Restricted, Level::Baseline].into_iter().find(is_admitted);
            let need = Need::Level { namespace, level: level.unwrap_or(Level::Privileged) };
            // Labels do not change a level that a flag sets.
            let needs = (!in_force.is_imposed).then_some(need);
            refusal = refusal.needing(needs).cured_by(violations.remedies());
            return Err(refusal);
        }
        in_force.warn(evaluation.of(warn), recorder);
        Ok(())
    }

    /// Whether the namespace or the user of the request is exempt; the audit event records which.
    fn is_exempt(&self, attributes: &Attributes, recorder: &mut Recorder) -> bool {
        let exemptions = &self.configuration.exemptions;
        let reason = if exemptions.has_namespace(&attributes.namespace) {
            "namespace"
        } else if exemptions.has_user(&attributes.user_info.username) {
            "user"
        } else {
            return false;
        };
        annotate(recorder, "exempt", reason.to_owned());
        true
    }

    fn has_exempt_runtime_class(&self, pod: PodTemplate<'_>) -> bool {
        self.configuration.exemptions.has_runtime_class(pod.text("runtimeClassName"))
    }

    /// Warns that the labels of an exempt Namespace have no effect, if they require anything.
    ///
    /// Source: `Admission.exemptNamespaceWarning`.
    fn warn_about_exemption(&self, namespace: &Object, policy: &Policy, recorder: &mut Recorder) {
        if policy.is_fully_privileged() || policy.is_equivalent(&self.configuration.defaults) {
            return;
        }
        let mut modes = Vec::new();
        for mode in Mode::ALL {
            let labels = [mode.level_label(), mode.version_label()];
            let set = labels.into_iter().filter(|label| namespace.label(label).is_some());
            let paths: Vec<_> = set.map(label_path).collect();
            if policy.mode(mode).level != Level::Privileged && !paths.is_empty() {
                modes.push(format!("{}={}", mode.name(), policy.mode(mode)));
                recorder.add_fields(paths);
            }
        }
        recorder.add_warning(format!(
            "namespace {} is exempt from Pod Security, and the policy ({}) will be ignored",
            quote(namespace.name()),
            modes.join(", ")
        ));
    }

    /// Warns about the pods of `namespace` that violate the new enforced level.
    ///
    /// Source: `Admission.EvaluatePodsInNamespace`.
    fn evaluate_pods_in_namespace(&self, namespace: &Object, enforce: LevelVersion, recorder: &mut Recorder) {
        let existing = self.cluster.list(&PODS, namespace.name());
        let pods = self.prioritize_pods(&existing);
        let checked = pods.len().min(MAX_PODS_TO_CHECK);
        if checked < pods.len() {
            recorder.add_warning(format!(
                "new PodSecurity enforce level only checked against the first {checked} of {} existing pods",
                pods.len()
            ));
        }

        let mut names_by_reasons: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
        for (object, pod) in &pods[..checked] {
            let violations = self.evaluator.evaluate_pod(enforce, *pod);
            if !violations.is_empty() {
                names_by_reasons.entry(violations.reasons()).or_default().insert(object.name());
            }
        }
        if names_by_reasons.is_empty() {
            return;
        }
        recorder.add_warning(format!(
            "existing pods in namespace {} violate the new PodSecurity enforce level \"{enforce}\"",
            quote(namespace.name())
        ));
        let labels = [Mode::Enforce.level_label(), Mode::Enforce.version_label()];
        recorder
            .add_fields(labels.into_iter().filter(|label| namespace.label(label).is_some()).map(label_path));
        let mut warnings = Vec::new();
        for (reasons, names) in &names_by_reasons {
            let first = names.first().expect("a name for each reason");
            warnings.push(match names.len() - 1 {
                0 => format!("{first}: {reasons}"),
                1 => format!("{first} (and 1 other pod): {reasons}"),
                others => format!("{first} (and {others} other pods): {reasons}"),
            });
            recorder.add_evidence(Evidence::named(
                PODS,
                namespace.name(),
                *first,
                format!("violates {enforce}: {reasons}"),
            ));
        }
        warnings.sort();
        for warning in warnings {
            recorder.add_warning(warning);
        }
    }

    /// Returns the pods that are not exempt; of the pods of one controller, all but the first come last.
    ///
    /// Source: `Admission.prioritizePods`.
    fn prioritize_pods<'a>(&self, existing: &'a [Arc<Object>]) -> Vec<(&'a Object, PodTemplate<'a>)> {
        let mut prioritized = Vec::new();
        let mut duplicates = Vec::new();
        let mut controllers = BTreeSet::new();
        for object in existing {
            let Some(pod) = PodTemplate::of(object) else { continue };
            if self.has_exempt_runtime_class(pod) {
                continue;
            }
            match controller_uid(object) {
                Some(uid) if !controllers.insert(uid) => duplicates.push((object.as_ref(), pod)),
                _ => prioritized.push((object.as_ref(), pod)),
            }
        }
        prioritized.append(&mut duplicates);
        prioritized
    }
}

/// The evaluation of one pod under several policies; a repeated policy is not evaluated again.
struct Evaluation<'a> {
    evaluator: &'a Evaluator,
    pod: PodTemplate<'a>,
    /// One for each mode with a different policy.
    results: [Option<(LevelVersion, Violations)>; 3],
}

impl<'a> Evaluation<'a> {
    fn new(evaluator: &'a Evaluator, pod: PodTemplate<'a>) -> Self {
        Self { evaluator, pod, results: [None, None, None] }
    }

    fn of(&mut self, policy: LevelVersion) -> &Violations {
        let mut results = self.results.iter_mut();
        let result = results
            .find(|result| result.as_ref().is_none_or(|(of, _)| *of == policy))
            .expect("there are as many policies as modes");
        let (_, violations) =
            result.get_or_insert_with(|| (policy, self.evaluator.evaluate_pod(policy, self.pod)));
        violations
    }
}

fn audit_violations(violations: &Violations, audit: LevelVersion, recorder: &mut Recorder) {
    if !violations.is_empty() {
        annotate(recorder, "audit-violations", would_violate(audit, violations));
    }
}

fn would_violate(policy: LevelVersion, violations: &Violations) -> String {
    format!("would violate PodSecurity \"{policy}\": {}", violations.detail())
}

fn annotate(recorder: &mut Recorder, key: &str, value: String) {
    recorder.add_audit_annotation(format!("pod-security.kubernetes.io/{key}"), value);
}

fn lookup_error(namespace: &str) -> String {
    format!("failed to lookup namespace {}", quote(namespace))
}

fn not_found(namespace: &str) -> String {
    Status::new_not_found(&NAMESPACES, namespace).message
}

/// Whether pods that meet `old` may violate `new`. A policy of another version counts as stricter, as that is unknown.
fn is_stricter(new: LevelVersion, old: LevelVersion) -> bool {
    new != old && new.level != Level::Privileged && (new.version != old.version || new.level > old.level)
}

/// Whether an update can make a pod violate its policy: of the fields that these checks read, only images and ephemeral
/// containers can change.
///
/// Source: `isSignificantPodUpdate`.
fn is_significant_pod_update(pod: PodTemplate<'_>, old_pod: PodTemplate<'_>) -> bool {
    let images_differ = |container_type| !images(pod, container_type).eq(images(old_pod, container_type));
    let is_new = |container: Container<'_>| {
        let mut old = old_pod.containers_of(ContainerType::Ephemeral);
        old.find(|old| old.name() == container.name()).is_none_or(|old| old.image() != container.image())
    };
    images_differ(ContainerType::Main)
        || images_differ(ContainerType::Init)
        || pod.containers_of(ContainerType::Ephemeral).any(is_new)
}

fn images(pod: PodTemplate<'_>, container_type: ContainerType) -> impl Iterator<Item = &str> {
    pod.containers_of(container_type).map(|container| container.image())
}

/// Returns the UID of the controller that created the object.
///
/// Source: `metav1.GetControllerOf`.
fn controller_uid(object: &Object) -> Option<&str> {
    let owners = object.list(["metadata", "ownerReferences"]);
    let controller = owners.iter().find(|owner| owner.get("controller") == Some(&Value::Bool(true)))?;
    Some(controller.text("uid"))
}

#[cfg(test)]
mod tests;
