//! The APIs that the server serves.

use std::collections::{BTreeMap, BTreeSet};

use crate::configuration::Flags;
use crate::configuration::flags::boolean;
use gotext::quote;
use kube_api::resource::{self, RuntimeConfig};

impl Flags {
    /// Returns the APIs that `--runtime-config` enables and disables.
    pub fn runtime_config(&self) -> RuntimeConfig {
        let served = RuntimeConfig::new(self.runtime_config.iter().map(String::as_str));
        served.on(self.distribution, self.has_openshift_apiserver())
    }
}

/// Returns the server's errors about `--runtime-config`.
///
/// Source: `APIEnablementOptions.Validate`, `resourceconfig.MergeAPIResourceConfigs`.
pub(super) fn runtime_config_errors(values: &[String]) -> Vec<String> {
    const MATCHERS: [&str; 4] = ["api/all", "api/ga", "api/beta", "api/alpha"];
    let choices: BTreeMap<&str, &str> = values
        .iter()
        .filter(|value| !value.is_empty())
        .map(|value| value.split_once('=').unwrap_or((value, "")))
        .map(|(key, choice)| (key.trim(), choice.trim()))
        .collect();
    if choices.len() == 1 && choices.get("api/all") == Some(&"false") {
        return vec!["invalid runtime-config with only api/all=false".to_owned()];
    }
    let versions = || {
        choices.keys().filter(|key| !MATCHERS.contains(key)).filter_map(|key| {
            let parts: Vec<&str> = key.split('/').collect();
            let [group, version] = match parts[..] {
                ["api", version] | ["api", version, _] => ["", version],
                [group, version] | [group, version, _] => [group, version],
                _ => return None,
            };
            Some((*key, group, version))
        })
    };
    let named = |group: &str, version: &str| {
        if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") }
    };
    let unknown: BTreeSet<String> = versions()
        .filter(|(_, group, _)| !resource::has_group(group))
        .map(|(_, group, version)| named(group, version))
        .collect();
    if !unknown.is_empty() {
        let unknown: Vec<String> = unknown.into_iter().collect();
        return vec![format!("unknown api groups {}", unknown.join(","))];
    }
    for matcher in MATCHERS {
        if let Some(choice) = choices.get(matcher).filter(|choice| !["true", "false"].contains(choice)) {
            return vec![format!("invalid value {matcher}={choice}")];
        }
    }
    let invalid = versions().find_map(|(key, group, version)| {
        if !resource::has_version(group, version) {
            let version = named(group, version);
            return Some(format!("group version {version} that has not been registered"));
        }
        let choice = choices[key];
        (!choice.is_empty() && boolean(key, choice).is_err()).then(|| {
            let error = format!("strconv.ParseBool: parsing {}: invalid syntax", quote(choice));
            format!("invalid value of {key}: {choice}, err: {error}")
        })
    });
    invalid.into_iter().collect()
}
