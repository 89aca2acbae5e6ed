//! The release that the server emulates, and its feature gates.

use crate::configuration::openshift::is_own_gate;
use crate::configuration::{ConfigurationError, Fault, Flags};
use crate::plugin;
use kube_api::features::{self, FeatureGateError, Gate};
use kube_api::field;
use kube_api::server_profile::ServerProfile;
use kube_api::version::Version;

/// The component that versions and feature gates without a component are for.
const KUBE: &str = "kube";

/// The oldest release that a newer server can emulate by a flag; older servers have no such flag.
const OLDEST_EMULATED: Version = Version::minor(31);

impl Flags {
    /// Returns the server that is meant: the release that it emulates, its distribution, and `--feature-gates`.
    pub fn profile(&self) -> Result<ServerProfile, ConfigurationError> {
        let mut gates = Vec::new();
        let mut prefixed = 0;
        for entry in self.feature_gates.iter().filter(|entry| !entry.is_empty()) {
            let gate = match entry.split_once(':') {
                None => entry,
                Some((component, gate)) if component.trim() == KUBE => {
                    prefixed += 1;
                    gate
                }
                Some((component, _)) => return Err(unregistered(component.trim())),
            };
            if !is_own_gate(self.distribution, gate) {
                gates.push(gate.trim());
            }
        }
        if prefixed > 0 && prefixed < gates.len() {
            let message = "set kube feature gates with default empty prefix or kube: prefix consistently, do not mix use";
            return Err(ConfigurationError::new(message));
        }
        let initializers = "Initializers".to_owned();
        let emulated = self.emulated_version()?;
        if self.enable_admission_plugins.contains(&initializers)
            || self.admission_control.contains(&initializers)
        {
            // The plugin sets its gate.
            gates.extend((emulated.minor < 14).then_some("Initializers=true"));
        }
        let profile = if emulated == Version::BINARY {
            ServerProfile::default()
        } else {
            ServerProfile::of_release(emulated, plugin::gate_defaults(emulated))
        };
        let profile = profile.on(self.distribution).allowing_privileged(self.allow_privileged);
        profile.with(&gates.join(",")).map_err(|errors| {
            let help: Vec<_> = errors.iter().filter_map(gate_help).collect();
            let message = field::aggregate(&errors);
            let error = ConfigurationError::new(message).with(Fault::FeatureGates(errors));
            if help.is_empty() { error } else { error.help(help.join("; ")) }
        })
    }

    /// Returns the release that the server emulates: its own, unless `--emulated-version` is set.
    ///
    /// Source: `k8s.io/component-base/compatibility`.
    pub fn emulated_version(&self) -> Result<Version, ConfigurationError> {
        let mut version = None;
        for entry in &self.emulated_version {
            let (component, text) = match entry.split_once('=') {
                Some((component, text)) => (component.trim(), text.trim()),
                None => (KUBE, entry.as_str()),
            };
            let given: Version = text.parse().map_err(ConfigurationError::new)?;
            if component != KUBE {
                return Err(unregistered(component));
            }
            if let Some(earlier) = version.replace(given) {
                let message = format!("duplicate version flag, kube={earlier} and kube={given}");
                return Err(ConfigurationError::new(message));
            }
        }
        Ok(version.unwrap_or(self.release()))
    }

    /// Returns the note about feature gates that an older release may have had, or not.
    pub(in crate::configuration) fn note_of_gates(&self) -> Option<String> {
        if self.emulated_version().ok()? >= Version::RECORDED {
            return None;
        }
        let names = self.feature_gates.iter().filter_map(|entry| {
            let gate = entry.rsplit(':').next()?.split('=').next()?.trim();
            let is_known = gate.is_empty() || features::gates().iter().any(|known| known.name == gate);
            (!is_known && !plugin::gate_defaults(self.release()).any(|(known, _)| known == gate))
                .then_some(gate)
        });
        let names: Vec<&str> = names.collect();
        let help = names.iter().find_map(|name| gate_help(&FeatureGateError::Unknown((*name).to_owned())));
        let help = help.map(|help| format!(" ({help})")).unwrap_or_default();
        (!names.is_empty()).then(|| {
            let (release, names) = (self.release(), names.join(", "));
            format!("it is unknown whether Kubernetes {release} has the feature gate {names}{help}")
        })
    }

    /// Whether the release can be emulated.
    ///
    /// Source: `kubeEffectiveVersionFloors`.
    pub(super) fn emulation_error(&self) -> Result<Option<String>, ConfigurationError> {
        let (release, version) = (self.release(), self.emulated_version()?);
        if self.emulated_version.is_empty() {
            return Ok(None);
        }
        if release < OLDEST_EMULATED {
            return Ok(Some("unknown flag: --emulated-version".to_owned()));
        }
        let floor = Version::minor(release.minor - 3).max(OLDEST_EMULATED);
        let possible = (floor..=release).contains(&version);
        Ok((!possible).then(|| format!("emulation version {version} is not between [{floor}, {release}.0]")))
    }
}

fn gate_help(error: &FeatureGateError) -> Option<String> {
    match error {
        FeatureGateError::MissingValue(gate) => Some(format!("say {gate}=true or {gate}=false")),
        FeatureGateError::InvalidValue { gate, .. } => Some(format!("{gate} is true or false")),
        FeatureGateError::Unknown(name) => {
            let distance = |gate: &Gate| strsim::damerau_levenshtein(name, gate.name);
            let nearest = features::gates().iter().min_by_key(|gate| distance(gate))?;
            (distance(nearest) <= 3).then(|| format!("did you mean {}?", nearest.name))
        }
        FeatureGateError::Locked { gate, .. } => Some(format!("leave {gate} out")),
        FeatureGateError::Dependency { gate, disabled } => Some(format!(
            "{gate} needs {}",
            disabled.iter().map(|gate| format!("{gate}=true")).collect::<Vec<_>>().join(", ")
        )),
    }
}

fn unregistered(component: &str) -> ConfigurationError {
    ConfigurationError::new(format!("component not registered: {component}"))
}
