//! Levels and versions of the Pod Security Standards, and the policy in a Namespace's labels.
//!
//! Source: `k8s.io/pod-security-admission/api`.

use std::fmt;
use std::str::FromStr;

use crate::Object;
use crate::field::{self, Path};

/// The capabilities that the level `baseline` lets containers add.
pub const BASELINE_CAPABILITIES: [&str; 13] = [
    "AUDIT_WRITE",
    "CHOWN",
    "DAC_OVERRIDE",
    "FOWNER",
    "FSETID",
    "KILL",
    "MKNOD",
    "NET_BIND_SERVICE",
    "SETFCAP",
    "SETGID",
    "SETPCAP",
    "SETUID",
    "SYS_CHROOT",
];

/// The kernel parameters that the level `baseline` of every version lets pods set.
pub const SAFE_SYSCTLS: [&str; 5] = [
    "kernel.shm_rmid_forced",
    "net.ipv4.ip_local_port_range",
    "net.ipv4.tcp_syncookies",
    "net.ipv4.ping_group_range",
    "net.ipv4.ip_unprivileged_port_start",
];

/// The level of a policy; later levels allow less.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Allows everything.
    Privileged,
    /// Forbids what is known to give a container power over its node.
    Baseline,
    /// Allows only what follows the hardening advice.
    Restricted,
}

/// The release whose definition of a level applies. `Latest` is newer than every number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Version {
    /// `v1.<minor>`
    Minor(i64),
    /// `latest`
    Latest,
}

/// A level as a certain release defines it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LevelVersion {
    /// The level.
    pub level: Level,
    /// The release whose checks count.
    pub version: Version,
}

/// The action on a pod that violates a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The pod is refused.
    Enforce,
    /// The audit event records it.
    Audit,
    /// The client is warned.
    Warn,
}

/// The policy of a namespace: a level and version for each mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// What is refused.
    pub enforce: LevelVersion,
    /// What is recorded in the audit log.
    pub audit: LevelVersion,
    /// What the client is warned about.
    pub warn: LevelVersion,
}

impl FromStr for Level {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "privileged" => Ok(Self::Privileged),
            "baseline" => Ok(Self::Baseline),
            "restricted" => Ok(Self::Restricted),
            _ => Err("must be one of privileged, baseline, restricted"),
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Privileged => "privileged",
            Self::Baseline => "baseline",
            Self::Restricted => "restricted",
        })
    }
}

impl FromStr for Version {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "latest" {
            return Ok(Self::Latest);
        }
        // Only canonical numbers are valid: no sign, no leading zero.
        let minor = text.strip_prefix("v1.").and_then(|digits| {
            let minor = digits.parse().ok().filter(|minor| *minor >= 0)?;
            (Self::Minor(minor).to_string() == text).then_some(minor)
        });
        minor.map(Self::Minor).ok_or("must be \"latest\" or \"v1.x\"")
    }
}

impl fmt::Display for Version {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Minor(minor) => write!(formatter, "v1.{minor}"),
            Self::Latest => formatter.write_str("latest"),
        }
    }
}

impl LevelVersion {
    /// The default if no policy is set.
    pub const PRIVILEGED: Self = Self { level: Level::Privileged, version: Version::Latest };

    /// Whether both allow the same pods.
    fn is_equivalent(self, other: Self) -> bool {
        self == other || (self.level == Level::Privileged && other.level == Level::Privileged)
    }
}

impl fmt::Display for LevelVersion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.level, self.version)
    }
}

impl Mode {
    /// Every mode, in the order in which errors are listed.
    pub const ALL: [Self; 3] = [Self::Enforce, Self::Audit, Self::Warn];

    /// Returns the name in the plugin's configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::Enforce => "enforce",
            Self::Audit => "audit",
            Self::Warn => "warn",
        }
    }

    /// Returns the label that sets the level.
    pub fn level_label(self) -> &'static str {
        match self {
            Self::Enforce => "pod-security.kubernetes.io/enforce",
            Self::Audit => "pod-security.kubernetes.io/audit",
            Self::Warn => "pod-security.kubernetes.io/warn",
        }
    }

    /// Returns the label that sets the version.
    pub fn version_label(self) -> &'static str {
        match self {
            Self::Enforce => "pod-security.kubernetes.io/enforce-version",
            Self::Audit => "pod-security.kubernetes.io/audit-version",
            Self::Warn => "pod-security.kubernetes.io/warn-version",
        }
    }

    /// Returns the level that an invalid label counts as: a typing error must neither lift restrictions nor cause a
    /// flood of warnings.
    fn level_if_invalid(self) -> Level {
        match self {
            Self::Enforce => Level::Restricted,
            Self::Audit | Self::Warn => Level::Privileged,
        }
    }
}

impl Policy {
    /// The policy if neither labels nor a configuration set one.
    pub const PRIVILEGED: Self = Self::everywhere(Level::Privileged);

    /// Returns the newest definition of `level` for every mode.
    pub const fn everywhere(level: Level) -> Self {
        let level = LevelVersion { level, version: Version::Latest };
        Self { enforce: level, audit: level, warn: level }
    }

    /// Returns the policy in the labels of `namespace`, and the errors in them. Modes without labels are as in
    /// `defaults`.
    ///
    /// Source: `PolicyToEvaluate`.
    pub fn of(namespace: &Object, defaults: &Self) -> (Self, Vec<field::Error>) {
        let mut policy = *defaults;
        let mut errors = Vec::new();
        for mode in Mode::ALL {
            let asked = policy.mode_mut(mode);
            if let Some(text) = namespace.label(mode.level_label()) {
                asked.level = text.parse().unwrap_or_else(|detail| {
                    errors.push(field::Error::invalid_text(&label_path(mode.level_label()), text, detail));
                    mode.level_if_invalid()
                });
            }
            if let Some(text) = namespace.label(mode.version_label()) {
                asked.version = text.parse().unwrap_or_else(|detail| {
                    errors.push(field::Error::invalid_text(&label_path(mode.version_label()), text, detail));
                    Version::Latest
                });
            }
        }
        if let Some(level) = level_to_warn_about_as_enforced(namespace, defaults) {
            policy.warn.level = level;
            if namespace.label(Mode::Warn.version_label()).is_none() {
                policy.warn.version = policy.enforce.version;
            }
        }
        (policy, errors)
    }

    /// Returns the level and version of one mode.
    pub fn mode(&self, mode: Mode) -> LevelVersion {
        match mode {
            Mode::Enforce => self.enforce,
            Mode::Audit => self.audit,
            Mode::Warn => self.warn,
        }
    }

    /// Returns the level and version of one mode, to change them.
    pub fn mode_mut(&mut self, mode: Mode) -> &mut LevelVersion {
        match mode {
            Mode::Enforce => &mut self.enforce,
            Mode::Audit => &mut self.audit,
            Mode::Warn => &mut self.warn,
        }
    }

    /// Whether nothing is requested in any mode.
    pub fn is_fully_privileged(&self) -> bool {
        Mode::ALL.into_iter().all(|mode| self.mode(mode).level == Level::Privileged)
    }

    /// Whether both are equivalent for every pod in every mode.
    pub fn is_equivalent(&self, other: &Self) -> bool {
        Mode::ALL.into_iter().all(|mode| self.mode(mode).is_equivalent(other.mode(mode)))
    }
}

/// Returns the label of `namespace` that sets the level of `mode`; nothing if `defaults` do.
pub fn deciding_label(namespace: &Object, mode: Mode, defaults: &Policy) -> Option<&'static str> {
    if namespace.label(mode.level_label()).is_some() {
        return Some(mode.level_label());
    }
    let follows_enforcement =
        mode == Mode::Warn && level_to_warn_about_as_enforced(namespace, defaults).is_some();
    follows_enforcement.then_some(Mode::Enforce.level_label())
}

/// Returns the place of a label in a Namespace.
pub fn label_path(label: &str) -> Path {
    Path::new("metadata.labels").key(label)
}

/// Returns the level that `namespace` enforces, if it sets no level for warnings and that of `defaults` is lower.
fn level_to_warn_about_as_enforced(namespace: &Object, defaults: &Policy) -> Option<Level> {
    if namespace.label(Mode::Warn.level_label()).is_some() {
        return None;
    }
    let enforced: Level = namespace.label(Mode::Enforce.level_label())?.parse().ok()?;
    (enforced > defaults.warn.level).then_some(enforced)
}

#[cfg(test)]
mod tests {
    use gotext::value::json;

    use super::*;
    use crate::{GroupVersionKind, Value};

    fn policy(labels: &Value, defaults: &Policy) -> (String, Vec<String>) {
        let kind = GroupVersionKind::new("", "v1", "Namespace");
        let labels: gotext::value::Map = labels
            .as_object()
            .unwrap()
            .iter()
            .map(|(key, value)| (format!("pod-security.kubernetes.io/{key}"), value.clone()))
            .collect();
        let namespace = Object::new(kind, json!({"metadata": {"name": "shop", "labels": labels}}));
        let (policy, errors) = Policy::of(&namespace, defaults);
        let modes = Mode::ALL.map(|mode| format!("{}={}", mode.name(), policy.mode(mode)));
        (modes.join(" "), errors.iter().map(ToString::to_string).collect())
    }

    fn valid(labels: &Value) -> String {
        let (policy, errors) = policy(labels, &Policy::PRIVILEGED);
        assert_eq!(errors, [""; 0]);
        policy
    }

    #[test]
    fn reads_only_versions_as_they_are_printed() {
        for text in ["latest", "v1.0", "v1.9", "v1.36", "v1.9223372036854775807"] {
            assert_eq!(text.parse::<Version>().map(|version| version.to_string()), Ok(text.to_owned()));
        }
        for text in [
            "",
            "Latest",
            "1.24",
            "v1",
            "v1.",
            "v1.01",
            "v1.+5",
            "v1.-5",
            "v1.5 ",
            "v2.0",
            "v1.9223372036854775808",
        ] {
            assert_eq!(text.parse::<Version>(), Err("must be \"latest\" or \"v1.x\""), "{text}");
        }
    }

    #[test]
    fn warns_about_what_is_enforced_unless_told_otherwise() {
        assert_eq!(
            valid(&json!({})),
            "enforce=privileged:latest audit=privileged:latest warn=privileged:latest"
        );
        assert_eq!(
            valid(&json!({"enforce": "baseline", "enforce-version": "v1.24"})),
            "enforce=baseline:v1.24 audit=privileged:latest warn=baseline:v1.24"
        );
        assert_eq!(
            valid(&json!({"enforce": "baseline", "enforce-version": "v1.24", "warn-version": "v1.30"})),
            "enforce=baseline:v1.24 audit=privileged:latest warn=baseline:v1.30"
        );
        assert_eq!(
            valid(&json!({"enforce": "restricted", "warn": "privileged"})),
            "enforce=restricted:latest audit=privileged:latest warn=privileged:latest"
        );
    }

    #[test]
    fn closes_the_door_and_stays_silent_on_wrong_labels() {
        let labels = json!({"enforce": "high", "enforce-version": "1.24", "audit": "", "warn": "Baseline"});
        let (policy, errors) = policy(&labels, &Policy::PRIVILEGED);
        assert_eq!(policy, "enforce=restricted:latest audit=privileged:latest warn=privileged:latest");
        assert_eq!(
            errors,
            [
                "metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: \"high\": must be one of privileged, baseline, restricted",
                "metadata.labels[pod-security.kubernetes.io/enforce-version]: Invalid value: \"1.24\": must be \"latest\" or \"v1.x\"",
                "metadata.labels[pod-security.kubernetes.io/audit]: Invalid value: \"\": must be one of privileged, baseline, restricted",
                "metadata.labels[pod-security.kubernetes.io/warn]: Invalid value: \"Baseline\": must be one of privileged, baseline, restricted",
            ]
        );
    }

    #[test]
    fn labels_override_the_defaults_one_by_one() {
        let restricted = LevelVersion { level: Level::Restricted, version: Version::Minor(24) };
        let defaults = Policy { audit: restricted, warn: restricted, ..Policy::PRIVILEGED };
        let (policy, _) = policy(&json!({"enforce": "baseline", "audit-version": "latest"}), &defaults);
        assert_eq!(policy, "enforce=baseline:latest audit=restricted:latest warn=restricted:v1.24");
    }
}
