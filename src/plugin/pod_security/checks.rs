//! The checks of the Pod Security Standards: one per file, each with the releases that changed it.
//!
//! Source: `k8s.io/pod-security-admission/policy`.

mod allow_privilege_escalation;
mod app_armor_profile;
mod capabilities_baseline;
mod capabilities_restricted;
mod findings;
mod host_namespaces;
mod host_path_volumes;
mod host_ports;
mod host_probes_and_host_lifecycle;
mod privileged;
mod proc_mount;
mod proc_mount_restricted;
mod restricted_volumes;
mod run_as_non_root;
mod run_as_user;
mod se_linux_options;
mod seccomp_profile_baseline;
mod seccomp_profile_restricted;
mod sysctls;
mod windows_host_process;

use std::sync::OnceLock;

use crate::admission::{Change, Remedy};
use gotext::value::Value;
use kube_api::field::{Path, Segment};
use kube_api::pod_security::{Level, LevelVersion, Version};
use kube_registry::pod::PodTemplate;

/// Checks a pod and returns the violation.
type CheckPod = fn(PodTemplate<'_>) -> Option<Violation>;

/// A rule about pods.
struct Check {
    /// Unique name; messages list violations in the order of these names.
    id: &'static str,
    /// The least strict level that has the rule: baseline or restricted.
    level: Level,
    /// The revisions of the rule, oldest first.
    revisions: &'static [Revision],
    /// The baseline check that a restricted one replaces while it is in force.
    overrides: Option<&'static str>,
}

/// A rule as it is from a certain policy version on.
struct Revision {
    since_minor: i64,
    check_pod: CheckPod,
}

/// Every check: those of the baseline level ordered by their bytes, then those of the restricted level likewise.
static CHECKS: &[Check] = &[
    app_armor_profile::CHECK,
    capabilities_baseline::CHECK,
    host_namespaces::CHECK,
    host_path_volumes::CHECK,
    host_ports::CHECK,
    host_probes_and_host_lifecycle::CHECK,
    privileged::CHECK,
    proc_mount::CHECK,
    se_linux_options::CHECK,
    seccomp_profile_baseline::CHECK,
    sysctls::CHECK,
    windows_host_process::CHECK,
    allow_privilege_escalation::CHECK,
    capabilities_restricted::CHECK,
    proc_mount_restricted::CHECK,
    restricted_volumes::CHECK,
    run_as_non_root::CHECK,
    run_as_user::CHECK,
    seccomp_profile_restricted::CHECK,
];

/// The violation that a check found.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Violation {
    /// What is forbidden, in a few words.
    reason: &'static str,
    /// The violating containers, and how they violate it.
    detail: String,
    /// The fields that violate it, or that would have to be set.
    fields: Vec<Path>,
    /// The changes of the pod after which it does not violate it.
    remedies: Vec<Remedy>,
}

impl Violation {
    /// Gives every field this value instead of removing it.
    fn setting(self, value: impl Into<Value>) -> Self {
        let value = value.into();
        self.changing(|field| Some(Change::set(field.clone(), value.clone())))
    }

    /// Changes what of the fields `change` returns, which is not to remove them.
    fn changing(mut self, change: impl Fn(&Path) -> Option<Change>) -> Self {
        self.remedies = self.fields.iter().filter_map(change).map(Remedy::of).collect();
        self
    }

    /// Removes the items of lists that the fields are in, instead of the fields.
    fn removing_items(mut self) -> Self {
        let items = self.fields.iter().filter_map(|field| {
            let is_item = matches!(field.segments().last(), Some(Segment::Index(_)));
            if is_item { Some(field) } else { field.parent() }
        });
        self.remedies = items.cloned().map(Remedy::removing).collect();
        self
    }
}

/// The violations that all checks of a policy found in one pod; empty for a compliant pod.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Violations(Vec<Violation>);

/// The checks in force, by policy version.
pub(super) struct Evaluator {
    /// The checks of `v1.<index>`, found when they are needed.
    baseline: Vec<OnceLock<Vec<CheckPod>>>,
    restricted: Vec<OnceLock<Vec<CheckPod>>>,
}

impl Revision {
    const fn since(since_minor: i64, check_pod: CheckPod) -> Self {
        Self { since_minor, check_pod }
    }
}

impl Check {
    /// Returns the rule as it was in policy version `v1.<minor>`; nothing before its first revision.
    fn at(&self, minor: i64) -> Option<CheckPod> {
        let revision = self.revisions.iter().rfind(|revision| revision.since_minor <= minor);
        revision.map(|revision| revision.check_pod)
    }
}

impl Evaluator {
    /// Returns the checks that a server of release `v1.<emulated_minor>` knows.
    pub(super) fn new(emulated_minor: i64) -> Self {
        let newest_revision = CHECKS
            .iter()
            .flat_map(|check| check.revisions)
            .map(|revision| revision.since_minor)
            .max()
            .expect("the table is not empty");
        let versions = || (0..=newest_revision.min(emulated_minor).max(0)).map(|_| OnceLock::new()).collect();
        Self { baseline: versions(), restricted: versions() }
    }

    /// Returns the violations of `policy` in `pod`. Versions newer than the newest known one are treated as that one.
    pub(super) fn evaluate_pod(&self, policy: LevelVersion, pod: PodTemplate<'_>) -> Violations {
        let versions = match policy.level {
            Level::Privileged => return Violations::default(),
            Level::Baseline => &self.baseline,
            Level::Restricted => &self.restricted,
        };
        let newest = versions.len() - 1;
        let index = match policy.version {
            Version::Minor(minor) => usize::try_from(minor).map_or(newest, |minor| minor.min(newest)),
            Version::Latest => newest,
        };
        let minor = i64::try_from(index).unwrap_or(i64::MAX);
        let checks = versions[index].get_or_init(|| checks_of(policy.level, minor));
        Violations(checks.iter().filter_map(|check_pod| check_pod(pod)).collect())
    }
}

/// Returns the checks of `level` in policy version `v1.<minor>`, in the order of [`CHECKS`].
fn checks_of(level: Level, minor: i64) -> Vec<CheckPod> {
    let in_force = |check: &&Check| check.level <= level && check.at(minor).is_some();
    let overridden = |id| CHECKS.iter().filter(in_force).any(|check| check.overrides == Some(id));
    CHECKS
        .iter()
        .filter(in_force)
        .filter(|check| !overridden(check.id))
        .filter_map(|check| check.at(minor))
        .collect()
}

/// Whether the pod declares that it is for Windows nodes.
fn is_windows(pod: PodTemplate<'_>) -> bool {
    pod.text(["os", "name"]) == "windows"
}

/// Whether the pod is in a separate user namespace.
///
/// Source: `relaxPolicyForUserNamespacePod`.
fn has_own_users(pod: PodTemplate<'_>) -> bool {
    pod.at("hostUsers").is_some_and(|value| *value == false)
}

impl Violations {
    /// Whether the pod is compliant.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns what is forbidden, without the violating containers.
    pub(super) fn reasons(&self) -> String {
        let reasons: Vec<&str> = self.0.iter().map(|violation| violation.reason).collect();
        reasons.join(", ")
    }

    /// Returns what is forbidden and the violating containers.
    pub(super) fn detail(&self) -> String {
        let details: Vec<String> = self
            .0
            .iter()
            .map(
                |Violation { reason, detail, .. }| {
                    if detail.is_empty() { (*reason).to_owned() } else { format!("{reason} ({detail})") }
                },
            )
            .collect();
        details.join(", ")
    }

    /// Returns the fields that violate it, or that would have to be set, each with the reason.
    pub(super) fn reasons_by_field(&self) -> impl Iterator<Item = (Path, String)> {
        self.0.iter().flat_map(|Violation { reason, fields, .. }| {
            fields.iter().map(|field| (field.clone(), (*reason).to_owned()))
        })
    }

    /// Each violation: what is forbidden, who does it, and the fields.
    #[cfg(feature = "report")]
    pub(super) fn into_parts(self) -> impl Iterator<Item = (&'static str, String, Vec<Path>)> {
        self.0.into_iter().map(|Violation { reason, detail, fields, .. }| (reason, detail, fields))
    }

    /// Returns the changes of the pod after which it is compliant.
    pub(super) fn remedies(&self) -> impl Iterator<Item = Remedy> {
        self.0.iter().flat_map(|violation| &violation.remedies).cloned()
    }

    /// Whether each violation has a remedy.
    #[cfg(feature = "report")]
    pub(super) fn has_remedies(&self) -> bool {
        self.0.iter().all(|violation| !violation.remedies.is_empty())
    }

    /// Returns the fields that violate it, or that would have to be set.
    pub(super) fn fields(&self) -> impl Iterator<Item = Path> {
        self.0.iter().flat_map(|violation| &violation.fields).cloned()
    }
}

#[cfg(test)]
mod tests {
    use gotext::value::json;

    use super::*;
    use kube_api::{GroupVersionKind, Object, Value};

    /// Returns the result of `check` in policy version `v1.<minor>` for a pod with these `metadata` and `spec`: the
    /// violation on the first line, then one line per field; nothing when it admits the pod.
    pub(super) fn check(check: &Check, minor: i64, pod: Value) -> String {
        let object = Object::new(GroupVersionKind::new("", "v1", "Pod"), pod);
        let pod = PodTemplate::of(&object).unwrap();
        let violations =
            Violations(check.at(minor).and_then(|check_pod| check_pod(pod)).into_iter().collect());
        let lines = [violations.detail()].into_iter().chain(violations.fields().map(|path| path.to_string()));
        lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
    }

    /// Does the same as [`check`] for a pod of which only the spec matters.
    pub(super) fn check_spec(of: &Check, minor: i64, spec: Value) -> String {
        check(of, minor, Value::from_iter([("spec", spec)]))
    }

    fn ids(level: Level, minor: i64) -> Vec<&'static str> {
        let checks = checks_of(level, minor);
        let id = |check_pod: &CheckPod| {
            let check = CHECKS.iter().find(|check| {
                check.level <= level
                    && check.at(minor).is_some_and(|own| std::ptr::fn_addr_eq(own, *check_pod))
            });
            check.unwrap().id
        };
        checks.iter().map(id).collect()
    }

    #[test]
    fn checks_are_ordered_by_level_and_name() {
        assert!(CHECKS.is_sorted_by(|a, b| (a.level, a.id) < (b.level, b.id)));
        for check in CHECKS {
            assert!(check.revisions.is_sorted_by(|a, b| a.since_minor < b.since_minor), "{}", check.id);
            assert!(!check.revisions.is_empty(), "{}", check.id);
            if let Some(overridden) = check.overrides {
                assert_eq!(check.level, Level::Restricted, "{}", check.id);
                let overridden = CHECKS.iter().find(|check| check.id == overridden).unwrap();
                assert_eq!(overridden.level, Level::Baseline, "{}", check.id);
            }
        }
    }

    #[test]
    fn restricted_checks_replace_those_of_the_baseline() {
        assert_eq!(
            ids(Level::Baseline, 0),
            [
                "appArmorProfile",
                "capabilities_baseline",
                "hostNamespaces",
                "hostPathVolumes",
                "hostPorts",
                "privileged",
                "procMount",
                "seLinuxOptions",
                "seccompProfile_baseline",
                "sysctls",
                "windowsHostProcess",
            ]
        );
        assert_eq!(
            ids(Level::Restricted, 35),
            [
                "appArmorProfile",
                "hostNamespaces",
                "hostPorts",
                "hostProbesAndHostLifecycle",
                "privileged",
                "seLinuxOptions",
                "sysctls",
                "windowsHostProcess",
                "allowPrivilegeEscalation",
                "capabilities_restricted",
                "procMount_restricted",
                "restrictedVolumes",
                "runAsNonRoot",
                "runAsUser",
                "seccompProfile_restricted",
            ]
        );
        assert!(ids(Level::Restricted, 21).contains(&"capabilities_baseline"));
        assert!(ids(Level::Restricted, 18).contains(&"seccompProfile_baseline"));
        assert!(ids(Level::Restricted, 34).contains(&"procMount"));
    }

    #[test]
    fn reads_unknown_versions_as_the_newest_known() {
        let probe = json!({"httpGet": {"host": "localhost"}});
        let spec = json!({"containers": [{"name": "web", "livenessProbe": probe}]});
        let object = Object::new(GroupVersionKind::new("", "v1", "Pod"), json!({"spec": spec}));
        let violated = |emulated_minor, version| {
            let policy = LevelVersion { level: Level::Baseline, version };
            Evaluator::new(emulated_minor).evaluate_pod(policy, PodTemplate::of(&object).unwrap()).reasons()
        };
        assert_eq!(violated(36, Version::Latest), "probe or lifecycle host");
        assert_eq!(violated(36, Version::Minor(99)), "probe or lifecycle host");
        assert_eq!(violated(36, Version::Minor(33)), "");
        assert_eq!(violated(33, Version::Latest), "");
        assert_eq!(violated(33, Version::Minor(34)), "");
    }

    /// `kadmit explain PodSecurity` lists what each level forbids.
    #[test]
    fn every_check_is_explained() {
        let text = crate::plugin::find("PodSecurity").unwrap().documentation();
        let mut listed: Vec<_> = text
            .lines()
            .filter_map(|line| line.strip_prefix("- baseline `").or(line.strip_prefix("- restricted `")))
            .map(|line| line.split('`').next().unwrap())
            .collect();
        for check in CHECKS {
            assert!(text.contains(&format!("- {} `{}`: ", check.level, check.id)), "{}", check.id);
        }
        listed.dedup();
        assert_eq!(listed.len(), CHECKS.len());
    }
}
