//! A policy with valid rules.
//!
//! Source: `podsecuritypolicy/factory.go`.

use std::sync::Arc;

use crate::plugin::security_context::{self, Range, Rules, RunAsUser};
use kube_api::features::Feature;
use kube_api::server_profile::ServerProfile;
use kube_api::version::Version;
use kube_api::{Object, Value};

/// The lists of containers, all of which are filled in.
pub(super) const LISTS: [&str; 3] = ["initContainers", "containers", EPHEMERAL];
const EPHEMERAL: &str = "ephemeralContainers";

/// The policy's rule about groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Groups {
    Any,
    /// They may be absent, or must be in these ranges.
    May(Vec<Range>),
    /// One must be set, and all must be in these ranges.
    Must(Vec<Range>),
}

/// A policy with its rules read.
pub(super) struct Provider {
    pub(super) policy: Arc<Object>,
    pub(super) release: Version,
    pub(super) users: RunAsUser,
    pub(super) run_as_groups: Groups,
    pub(super) fs_groups: Groups,
    pub(super) supplemental_groups: Groups,
    /// The SELinux options that are required, if any.
    pub(super) se_linux: Option<Value>,
    /// Whether ephemeral containers are checked.
    checks_ephemeral: bool,
    /// Whether the drivers of inline CSI volumes are checked.
    pub(super) checks_csi: bool,
    /// Whether the server keeps the allowed mounts of `/proc`, whose gate is off by default.
    keeps_proc_mounts: bool,
}

impl Provider {
    /// Returns the policy with its rules; nothing if one of them is incomplete.
    pub(super) fn new(policy: &Arc<Object>, release: Version, profile: &ServerProfile) -> Option<Self> {
        let rule = |field: &str| policy.text(["spec", field, "rule"]);
        let users = match rule("runAsUser") {
            "RunAsAny" => RunAsUser::Any,
            "MustRunAsNonRoot" => RunAsUser::NonRoot,
            "MustRunAs" => RunAsUser::Ranges(ranges(policy, "runAsUser")?),
            _ => return None,
        };
        let groups = |field: &str| match rule(field) {
            "RunAsAny" => Some(Groups::Any),
            "MayRunAs" => ranges(policy, field).map(Groups::May),
            "MustRunAs" => ranges(policy, field).map(Groups::Must),
            _ => None,
        };
        // Whether a gate is on that is on by default since one release, and cannot be switched off since another.
        let is_on = |feature: Feature, on: u32, locked: u32| {
            release.minor >= locked || profile.is_on_or(feature.name(), release.minor >= on)
        };
        let has_run_as_group = is_on(Feature::RunAsGroup, 14, 21) && policy.has(["spec", "runAsGroup"]);
        let se_linux = match rule("seLinux") {
            "RunAsAny" => None,
            "MustRunAs" => Some(policy.at(["spec", "seLinux", "seLinuxOptions"])?.clone()),
            _ => return None,
        };
        Some(Self {
            policy: policy.clone(),
            release,
            users,
            run_as_groups: if has_run_as_group { groups("runAsGroup")? } else { Groups::Any },
            fs_groups: groups("fsGroup")?,
            supplemental_groups: groups("supplementalGroups")?,
            se_linux,
            checks_ephemeral: is_on(Feature::EphemeralContainers, 23, 25),
            checks_csi: is_on(Feature::CSIInlineVolume, 16, 25),
            keeps_proc_mounts: profile.enabled(Feature::ProcMountType),
        })
    }

    /// Returns the lists of containers that are checked.
    ///
    /// Source: `VisitContainersWithPath`.
    pub(super) fn checked_lists(&self) -> impl Iterator<Item = &'static str> {
        LISTS.into_iter().filter(|list| self.checks_ephemeral || *list != EPHEMERAL)
    }

    /// Returns the allowed kinds of mounts of `/proc`.
    pub(super) fn proc_mounts(&self) -> Vec<&str> {
        let allowed = self.rules().texts("allowedProcMountTypes").filter(|_| self.keeps_proc_mounts);
        let allowed: Vec<&str> = allowed.collect();
        if allowed.is_empty() { vec!["Default"] } else { allowed }
    }

    /// Returns the rules of the policy.
    pub(super) fn rules(&self) -> Rules<'_> {
        Rules(self.policy.at("spec").unwrap_or(&Value::Null))
    }
}

impl Groups {
    /// Returns the group for a pod without one.
    pub(super) fn generated(&self) -> Option<i64> {
        match self {
            Self::Must(ranges) => ranges.first().map(|(min, _)| *min),
            Self::Any | Self::May(_) => None,
        }
    }
}

/// Returns the ranges of a rule, if there are any.
fn ranges(policy: &Object, field: &str) -> Option<Vec<Range>> {
    Some(security_context::ranges(policy.at(["spec", field])?)).filter(|ranges| !ranges.is_empty())
}

/// Returns the ranges as Go prints them.
pub(super) fn printed(ranges: &[Range]) -> String {
    let ranges: Vec<String> = ranges.iter().map(|(min, max)| format!("{{{min} {max}}}")).collect();
    format!("[{}]", ranges.join(" "))
}
