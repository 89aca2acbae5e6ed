//! Feature gates: which optional behaviour of the API server is on.
//!
//! Source: `k8s.io/component-base/featuregate`, `k8s.io/kubernetes/pkg/features`.

mod feature;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{LazyLock, OnceLock};

use rustc_hash::FxHashMap;

use crate::release::{self, table};
use crate::version::Version;

pub use feature::Feature;

static TABLE: &str = table!("gates.txt");

/// The end of the history of a gate that is gone.
const GONE: &str = ":gone";

/// What the feature gates of a server are set to, where it is not what the tables say of its release.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FeatureGates {
    overrides: BTreeMap<Cow<'static, str>, bool>,
    /// The defaults of gates that the tables do not have, since later releases removed them.
    defaults: BTreeMap<&'static str, bool>,
}

/// One gate as the newest release that has it defines it.
#[derive(Debug)]
pub struct Gate {
    /// Name, such as `SidecarContainers`.
    pub name: &'static str,
    /// Its maturity.
    pub stage: Stage,
    /// Whether it is on by default.
    pub default: bool,
    /// Whether it cannot be changed.
    pub locked: bool,
    /// The gates that must be on for this one to be on.
    pub needs: &'static [&'static str],
    /// Its specifications, oldest first.
    history: Vec<Specification>,
    /// The minor of the first release that no longer has it; what it switched stays as it was by default.
    gone: Option<u32>,
}

/// The specification of a gate from a release on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Specification {
    /// The minor of the release.
    pub since: u32,
    /// Its maturity.
    pub stage: Stage,
    /// Whether it is on by default.
    pub default: bool,
    /// Whether it cannot be changed.
    pub locked: bool,
}

/// The maturity of a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Off by default; may vanish.
    Alpha,
    /// Mostly on.
    Beta,
    /// Generally available.
    Stable,
    /// Will be removed.
    Deprecated,
}

/// The reason that gates cannot be set; the texts are the server's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FeatureGateError {
    /// No `=`.
    #[error("missing bool value for {0}")]
    MissingValue(String),
    /// Not a boolean.
    #[error(
        "invalid value of {gate}={value}, err: strconv.ParseBool: parsing {}: invalid syntax",
        gotext::quote(value)
    )]
    InvalidValue {
        /// The gate.
        gate: String,
        /// The given value.
        value: String,
    },
    /// The release has no such gate.
    #[error("unrecognized feature gate: {0}")]
    Unknown(String),
    /// The gate is locked.
    #[error("cannot set feature gate {gate} to {value}, feature is locked to {}", !value)]
    Locked {
        /// The gate.
        gate: &'static str,
        /// The requested value.
        value: bool,
    },
    /// The gate requires others that are off.
    #[error("{gate} is enabled, but depends on features that are disabled: [{}]", disabled.join(" "))]
    Dependency {
        /// The gate.
        gate: &'static str,
        /// Those that are off, in the order of the release's table.
        disabled: Vec<&'static str>,
    },
}

/// Returns all gates of the releases from [`Version::RECORDED`] on, ordered by name.
pub fn gates() -> &'static [Gate] {
    static GATES: OnceLock<Vec<Gate>> = OnceLock::new();
    GATES.get_or_init(|| release::body(TABLE).lines().filter_map(Gate::read).collect())
}

impl FeatureGates {
    /// Returns gates that nothing sets, with the defaults of those that the tables do not have.
    pub(crate) fn with_defaults(gone: impl IntoIterator<Item = (&'static str, bool)>) -> Self {
        Self { overrides: BTreeMap::new(), defaults: gone.into_iter().collect() }
    }

    /// Returns the same gates with the value of `--feature-gates` of a server of `release` applied; what was set before
    /// stays as far as the value does not name it.
    pub(crate) fn with(self, text: &str, release: Version) -> Result<Self, Vec<FeatureGateError>> {
        let is_older = release < Version::RECORDED;
        let wanted = entries(text).map_err(|error| vec![error])?;
        let mut errors = Vec::new();
        let mut overrides = self.overrides.clone();
        let named: BTreeSet<_> = wanted.keys().copied().collect();
        for (name, value) in wanted {
            if let Some((gate, _)) = self.defaults.get_key_value(name) {
                overrides.insert(Cow::Borrowed(*gate), value);
                continue;
            }
            match find(name).filter(|gate| !gate.is_gone_in(release)) {
                // The table does not know the gates removed since then.
                None if is_older => drop(overrides.insert(name.to_owned().into(), value)),
                None => errors.push(FeatureGateError::Unknown(name.to_owned())),
                Some(gate) if gate.locked_in(release).is_some_and(|locked| locked != value) => {
                    errors.push(FeatureGateError::Locked { gate: gate.name, value });
                }
                Some(gate) => drop(overrides.insert(gate.name.into(), value)),
            }
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        set_stage(&mut overrides, "AllAlpha", Stage::Alpha, release);
        set_stage(&mut overrides, "AllBeta", Stage::Beta, release);
        let gates = Self { overrides, ..self };
        let mut errors = gates.broken_dependencies(release);
        if is_older {
            // What the gates of an older release depend on is unknown, so explicit settings are not checked for it.
            errors.retain(
                |error| matches!(error, FeatureGateError::Dependency { gate, .. } if named.contains(gate)),
            );
        }
        if errors.is_empty() { Ok(gates) } else { Err(errors) }
    }

    /// Whether `gate` is on in `release`; none if the tables do not have it and nothing sets it.
    pub(crate) fn is_on(&self, gate: &str, release: Version) -> Option<bool> {
        let known = self.overrides.get(gate).or_else(|| self.defaults.get(gate)).copied();
        known.or_else(|| find(gate).map(|gate| gate.default_in(release)))
    }

    fn broken_dependencies(&self, release: Version) -> Vec<FeatureGateError> {
        let is_on = |gate: &str| self.is_on(gate, release) == Some(true);
        let on = gates().iter().filter(|gate| !gate.needs.is_empty() && is_on(gate.name));
        on.filter_map(|gate| {
            let is_off = |needed: &&str| {
                let exists = find(needed).is_some_and(|gate| gate.in_release(release).is_some());
                exists && !is_on(needed)
            };
            let disabled: Vec<_> = gate.needs.iter().copied().filter(is_off).collect();
            (!disabled.is_empty()).then_some(FeatureGateError::Dependency { gate: gate.name, disabled })
        })
        .collect()
    }
}

impl Gate {
    /// Returns its specification in `release`; none if the release does not know it yet, or no longer.
    pub fn in_release(&self, release: Version) -> Option<Specification> {
        if self.is_gone_in(release) {
            return None;
        }
        self.history().take_while(|specification| specification.since <= release.minor).last()
    }

    /// Whether `release` no longer has it.
    fn is_gone_in(&self, release: Version) -> bool {
        self.gone.is_some_and(|gone| release.minor >= gone)
    }

    /// Whether it is on by default in `release`, or was in the last one that had it.
    fn default_in(&self, release: Version) -> bool {
        if release == Version::BINARY || self.is_gone_in(release) {
            return self.default;
        }
        self.in_release(release).is_some_and(|specification| specification.default)
    }

    /// Returns the value that it is locked to in `release`, if it is.
    pub fn locked_in(&self, release: Version) -> Option<bool> {
        let specification = self.in_release(release)?;
        specification.locked.then_some(specification.default)
    }

    /// Returns its specifications, oldest first; the last one is that of the newest release that has it.
    pub fn history(&self) -> impl Iterator<Item = Specification> {
        self.history.iter().copied()
    }

    /// Reads `Name 1.35:alpha 1.36:beta,on 1.37:gone needs:Other`.
    fn read(line: &'static str) -> Option<Self> {
        let (name, rest) = line.split_once(' ')?;
        // The gates that it requires come last, if any.
        let last = rest.rsplit(' ').next()?;
        let (history, needs) = match last.strip_prefix("needs:") {
            Some(needs) => {
                (rest.strip_suffix(last)?.trim_end(), &*needs.split(',').collect::<Vec<_>>().leak())
            }
            None => (rest, &[][..]),
        };
        let (history, gone) = match history.strip_suffix(GONE).and_then(|rest| rest.rsplit_once(" 1.")) {
            Some((history, minor)) => (history, Some(minor.parse().ok()?)),
            None => (history, None),
        };
        let history: Vec<_> = history.split(' ').map(Specification::read).collect::<Option<_>>()?;
        let Specification { stage, default, locked, .. } = *history.last()?;
        Some(Self { name, stage, default, locked, needs, history, gone })
    }
}

impl Specification {
    /// Reads `1.36:beta,on`.
    fn read(text: &str) -> Option<Self> {
        let (since, change) = text.split_once(':')?;
        let mut marks = change.split(',');
        let stage = match marks.next()? {
            "alpha" => Stage::Alpha,
            "beta" => Stage::Beta,
            "stable" => Stage::Stable,
            "deprecated" => Stage::Deprecated,
            _ => return None,
        };
        let since = since.strip_prefix("1.")?.parse().ok()?;
        let mut read = Self { since, stage, default: false, locked: false };
        for mark in marks {
            match mark {
                "on" => read.default = true,
                "locked" => read.locked = true,
                _ => return None,
            }
        }
        Some(read)
    }
}

fn entries(text: &str) -> Result<BTreeMap<&str, bool>, FeatureGateError> {
    let mut wanted = BTreeMap::new();
    for entry in text.split(',').filter(|entry| !entry.is_empty()) {
        let Some((name, value)) = entry.split_once('=') else {
            return Err(FeatureGateError::MissingValue(entry.trim().to_owned()));
        };
        let (name, value) = (name.trim(), value.trim());
        let value = match value {
            "1" | "t" | "T" | "TRUE" | "true" | "True" => true,
            "0" | "f" | "F" | "FALSE" | "false" | "False" => false,
            _ => {
                return Err(FeatureGateError::InvalidValue {
                    gate: name.to_owned(),
                    value: value.to_owned(),
                });
            }
        };
        wanted.insert(name, value);
    }
    Ok(wanted)
}

/// Sets the gates of a stage that were not named, for `AllAlpha` and `AllBeta`.
fn set_stage(overrides: &mut BTreeMap<Cow<'static, str>, bool>, all: &str, stage: Stage, release: Version) {
    let Some(value) = overrides.get(all).copied() else { return };
    let named: BTreeSet<_> = overrides.keys().cloned().collect();
    let is_of_stage = |gate: &&Gate| {
        gate.in_release(release).is_some_and(|specification| specification.stage == stage)
            && !gate.name.starts_with("All")
            && !named.contains(gate.name)
    };
    let gates = gates().iter().filter(is_of_stage);
    overrides.extend(gates.map(|gate| (Cow::Borrowed(gate.name), value)));
}

fn find(name: &str) -> Option<&'static Gate> {
    static BY_NAME: LazyLock<FxHashMap<&str, &Gate>> =
        LazyLock::new(|| gates().iter().map(|gate| (gate.name, gate)).collect());
    BY_NAME.get(name).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server_profile::ServerProfile;

    fn errors(text: &str) -> Vec<String> {
        ServerProfile::parse(text).expect_err("an error").iter().map(ToString::to_string).collect()
    }

    #[test]
    fn starts_with_the_defaults_of_the_release() {
        let profile = ServerProfile::default();
        assert!(profile.enabled(Feature::NodeDeclaredFeatures));
        assert!(!profile.enabled(Feature::GenericWorkload));
        assert!(!profile.enabled(Feature::PodSecurity));
        assert!(gates().is_sorted_by(|left, right| left.name < right.name));
        assert!(FeatureGates::default().broken_dependencies(Version::BINARY).is_empty());
    }

    #[test]
    fn every_line_of_the_table_is_read() {
        assert_eq!(gates().len(), release::body(TABLE).lines().count());
        for gate in gates() {
            assert!(gate.history().is_sorted_by(|left, right| left.since < right.since), "{}", gate.name);
            let newest = gate.gone.map_or(Version::BINARY, |gone| Version::minor(gone - 1));
            assert_eq!(gate.in_release(newest), gate.history().last());
            assert!(gate.needs.iter().all(|needed| find(needed).is_some()), "{}", gate.name);
        }
    }

    #[test]
    fn knows_what_a_gate_was() {
        let gate = find("AnyVolumeDataSource").expect("a gate");
        let stage = |minor| gate.in_release(Version::minor(minor)).map(|found| (found.stage, found.default));
        assert_eq!(stage(17), None);
        assert_eq!(stage(23), Some((Stage::Alpha, false)));
        assert_eq!(stage(32), Some((Stage::Beta, true)));
        assert_eq!(stage(33), Some((Stage::Stable, true)));
    }

    #[test]
    fn a_gate_that_is_gone_cannot_be_set_and_its_behaviour_stays() {
        let recorded = ServerProfile::of_release(Version::minor(36), []);
        assert!(recorded.clone().with("GenericWorkload=true,GangScheduling=true").is_ok());
        assert_eq!(errors("GangScheduling=true"), ["unrecognized feature gate: GangScheduling"]);
        let newest = ServerProfile::default();
        for gates in [&recorded, &newest] {
            assert!(
                gates.enabled(Feature::SidecarContainers) && !gates.enabled(Feature::WorkloadAwarePreemption)
            );
        }
        assert_eq!(
            recorded.with("PodCertificateRequest=true,NoSuchGate=true").unwrap_err(),
            [FeatureGateError::Unknown("NoSuchGate".to_owned())]
        );
    }

    #[test]
    fn the_last_word_on_a_gate_counts() {
        let profile = ServerProfile::parse("GenericWorkload=false, GenericWorkload = true,").expect("valid");
        assert!(profile.enabled(Feature::GenericWorkload));
    }

    #[test]
    fn all_alpha_leaves_named_gates_alone() {
        let profile =
            ServerProfile::parse("AllAlpha=true,GenericWorkload=true,CSIVolumeHealth=false").expect("valid");
        assert!(profile.is_on_or("CBORServingAndStorage", false));
        assert!(!profile.is_on_or("CSIVolumeHealth", true));
    }

    #[test]
    fn words_errors_as_the_server_does() {
        assert_eq!(
            errors("InPlacePodVerticalScaling=false"),
            ["cannot set feature gate InPlacePodVerticalScaling to false, feature is locked to true"]
        );
        assert_eq!(
            errors("ClusterTrustBundle=false"),
            ["ClusterTrustBundleProjection is enabled, but depends on features that are disabled: \
                 [ClusterTrustBundle]"]
        );
        assert_eq!(errors("NoSuchGate=true"), ["unrecognized feature gate: NoSuchGate"]);
        assert_eq!(errors("A"), ["missing bool value for A"]);
        assert_eq!(
            errors("A=maybe"),
            ["invalid value of A=maybe, err: strconv.ParseBool: parsing \"maybe\": invalid syntax"]
        );
    }
}
