//! Which API server is meant: its release, its distribution and its feature gates. Whatever an answer depends on besides
//! the cluster is read from here.

use crate::distribution::{Distribution, OriginRelease};
use crate::features::{Feature, FeatureGateError, FeatureGates};
use crate::version::Version;

/// An API server, as far as its answers depend on it alone. The default is Kubernetes of the newest known release with
/// the default of each gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerProfile {
    release: Version,
    distribution: Distribution,
    gates: FeatureGates,
    /// Whether each feature is on, in the order of [`Feature::ALL`]: a request asks for dozens.
    enabled: Vec<bool>,
    /// Negated, so that a server of which nothing is said allows them, as those do that installers set up.
    forbids_privileged: bool,
}

impl Default for ServerProfile {
    fn default() -> Self {
        Self::of_release(Version::BINARY, [])
    }
}

impl ServerProfile {
    /// Returns the profile of Kubernetes `release`; `gone` are the defaults of gates that later releases removed.
    pub fn of_release(release: Version, gone: impl IntoIterator<Item = (&'static str, bool)>) -> Self {
        // The tables have the gates of these releases whole.
        let gone = gone.into_iter().filter(|_| release < Version::RECORDED);
        let gates = FeatureGates::with_defaults(gone);
        let enabled = enabled_by(&gates, release);
        Self { release, distribution: Distribution::Kubernetes, gates, enabled, forbids_privileged: false }
    }

    /// Returns the default profile with the value of `--feature-gates` applied.
    pub fn parse(gates: &str) -> Result<Self, Vec<FeatureGateError>> {
        Self::default().with(gates)
    }

    /// Returns the same release of `distribution`.
    #[must_use]
    pub fn on(self, distribution: Distribution) -> Self {
        Self { distribution, ..self }
    }

    /// Returns the same server with the value of `--allow-privileged`.
    #[must_use]
    pub fn allowing_privileged(self, allowed: bool) -> Self {
        Self { forbids_privileged: !allowed, ..self }
    }

    /// Returns the same server with the value of `--feature-gates`, such as `A=true,B=false`, applied to its gates. The
    /// last entry for a gate counts. The first malformed entry ends the parsing, as on the server; after that all errors are
    /// collected, ordered by gate.
    pub fn with(self, gates: &str) -> Result<Self, Vec<FeatureGateError>> {
        let gates = self.gates.with(gates, self.release)?;
        Ok(Self { enabled: enabled_by(&gates, self.release), gates, ..self })
    }

    /// Returns the release that the server is of, or emulates.
    pub fn release(&self) -> Version {
        self.release
    }

    /// Returns the distribution.
    pub fn distribution(&self) -> Distribution {
        self.distribution
    }

    /// Whether containers may be privileged.
    pub fn allows_privileged(&self) -> bool {
        !self.forbids_privileged
    }

    /// Returns the release of Origin that decides types and defaults, if the server is a master of Origin.
    pub fn origin(&self) -> Option<OriginRelease> {
        self.distribution.origin()
    }

    /// Returns the release of Kubernetes that reads objects: of a master of Origin, the one that it contains.
    pub fn reading_release(&self) -> Version {
        self.origin().map_or(self.release, OriginRelease::kubernetes)
    }

    /// Whether `feature` is on; one that the release does not have yet is off.
    pub fn enabled(&self, feature: Feature) -> bool {
        self.enabled[feature as usize]
    }

    /// Whether a gate that is gone, and was on by default, is switched off; since the release 1.`locked` it cannot be.
    pub fn is_switched_off(&self, feature: Feature, locked: u32) -> bool {
        self.release.minor < locked && !self.is_on_or(feature.name(), true)
    }

    /// Whether `gate` is on; `unknown` for one that the tables do not have and that nothing sets.
    pub fn is_on_or(&self, gate: &str, unknown: bool) -> bool {
        self.gates.is_on(gate, self.release).unwrap_or(unknown)
    }
}

fn enabled_by(gates: &FeatureGates, release: Version) -> Vec<bool> {
    let unknown = |feature: Feature| feature.on_since().is_some_and(|minor| release.minor >= minor);
    let is_on = |feature: &Feature| gates.is_on(feature.name(), release).unwrap_or_else(|| unknown(*feature));
    Feature::ALL.iter().map(is_on).collect()
}
