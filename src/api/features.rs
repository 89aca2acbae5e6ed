//! Feature gates: which optional behaviour of the API server is on.
//!
//! Source: `k8s.io/component-base/featuregate`.

use std::collections::BTreeMap;

/// The feature gates of the emulated release, with what `--feature-gates` changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FeatureGates {
    overrides: BTreeMap<String, bool>,
}

impl FeatureGates {
    /// Whether `gate` is on; a gate that nobody knows is off.
    pub fn enabled(&self, gate: &str) -> bool {
        self.overrides.get(gate).copied().unwrap_or(false)
    }
}
