//! kube-apiserver's flags about admission.
//!
//! Source: `k8s.io/kubernetes/pkg/kubeapiserver/options/admission.go`,
//! `k8s.io/apiserver/pkg/server/options/admission.go`.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::api::features::FeatureGates;
use crate::api::field;
use crate::configuration::ConfigurationError;
use crate::plugin::{ALL_ORDERED_PLUGINS, Plugin};

/// The values of the flags, as the user gave them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flags {
    /// `--admission-control-config-file`
    pub admission_control_config_file: Option<PathBuf>,
    /// `--enable-admission-plugins`
    pub enable_admission_plugins: Vec<String>,
    /// `--disable-admission-plugins`
    pub disable_admission_plugins: Vec<String>,
    /// `--admission-control`: exactly these plugins.
    pub admission_control: Vec<String>,
    /// `--feature-gates`, each value `A=true,B=false`.
    pub feature_gates: Vec<String>,
    /// `--default-not-ready-toleration-seconds`
    pub default_not_ready_toleration_seconds: i64,
    /// `--default-unreachable-toleration-seconds`
    pub default_unreachable_toleration_seconds: i64,
}

impl Default for Flags {
    fn default() -> Self {
        Self {
            admission_control_config_file: None,
            enable_admission_plugins: Vec::new(),
            disable_admission_plugins: Vec::new(),
            admission_control: Vec::new(),
            feature_gates: Vec::new(),
            default_not_ready_toleration_seconds: 300,
            default_unreachable_toleration_seconds: 300,
        }
    }
}

impl Flags {
    /// The feature gates, with what `--feature-gates` says.
    pub fn features(&self) -> Result<FeatureGates, ConfigurationError> {
        FeatureGates::parse(&self.feature_gates.join(","))
            .map_err(|errors| ConfigurationError::new(field::aggregate(&errors)))
    }

    /// The plugins that are on, in the order of the chain.
    pub fn enabled_plugins(&self) -> Result<Vec<&'static Plugin>, ConfigurationError> {
        let errors = self.errors();
        if !errors.is_empty() {
            let known = self.unknown().find_map(|name| suggestion(name));
            let error = ConfigurationError::new(field::aggregate(&errors));
            return Err(match known {
                Some(known) => error.help(format!("did you mean \"{known}\"?")),
                None => error,
            });
        }
        let named = |names: &[String], plugin: &Plugin| names.iter().any(|name| name == plugin.name);
        let is_on = |plugin: &&Plugin| {
            if self.admission_control.is_empty() {
                let disabled = !plugin.default_on || named(&self.disable_admission_plugins, plugin);
                !disabled || named(&self.enable_admission_plugins, plugin)
            } else {
                named(&self.admission_control, plugin)
            }
        };
        Ok(ALL_ORDERED_PLUGINS.iter().filter(is_on).collect())
    }

    /// Whether a flag switches `plugin` on by name.
    pub fn asks_for(&self, plugin: &Plugin) -> bool {
        self.enable_admission_plugins.iter().chain(&self.admission_control).any(|name| name == plugin.name)
    }

    fn errors(&self) -> Vec<String> {
        let mut errors = Vec::new();
        let uses_old = !self.admission_control.is_empty();
        let uses_new =
            !self.enable_admission_plugins.is_empty() || !self.disable_admission_plugins.is_empty();
        if uses_old && uses_new {
            errors.push(
                "admission-control and enable-admission-plugins/disable-admission-plugins flags are mutually \
                 exclusive"
                    .to_owned(),
            );
        }
        for (flag, names) in self.plugin_flags() {
            let unknown = names.iter().filter(|name| !is_known(name));
            errors.extend(unknown.map(|name| format!("{flag} plugin {} is unknown", field::go_quote(name))));
        }
        let disabled: BTreeSet<&String> = self.disable_admission_plugins.iter().collect();
        let enabled: BTreeSet<&String> = self.enable_admission_plugins.iter().collect();
        let both: Vec<&str> = enabled.intersection(&disabled).map(|name| name.as_str()).collect();
        if !both.is_empty() {
            errors.push(format!(
                "[{}] in enable-admission-plugins and disable-admission-plugins overlapped",
                both.join(" ")
            ));
        }
        errors
    }

    fn unknown(&self) -> impl Iterator<Item = &String> {
        self.plugin_flags().into_iter().flat_map(|(_, names)| names).filter(|name| !is_known(name))
    }

    fn plugin_flags(&self) -> [(&'static str, &[String]); 3] {
        [
            ("admission-control", &self.admission_control),
            ("enable-admission-plugins", &self.enable_admission_plugins),
            ("disable-admission-plugins", &self.disable_admission_plugins),
        ]
    }
}

fn is_known(name: &str) -> bool {
    ALL_ORDERED_PLUGINS.iter().any(|plugin| plugin.name == name)
}

/// The plugin whose name differs from `name` by its case or by a few letters.
fn suggestion(name: &str) -> Option<&'static str> {
    let lower = name.to_lowercase();
    let names = ALL_ORDERED_PLUGINS.iter().map(|plugin| plugin.name);
    names
        .map(|known| (strsim::damerau_levenshtein(&lower, &known.to_lowercase()), known))
        .filter(|(distance, _)| *distance <= 3)
        .min()
        .map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn enables_the_defaults_in_the_order_of_the_chain() {
        let plugins = Flags::default().enabled_plugins().unwrap();
        assert_eq!(plugins.first().unwrap().name, "NamespaceLifecycle");
        assert_eq!(plugins.last().unwrap().name, "ResourceQuota");
        assert_eq!(plugins.len(), 27);
    }

    #[test]
    fn enabling_wins_over_the_default_and_the_order_of_flags_never_matters() {
        let flags = Flags {
            enable_admission_plugins: names(&["AlwaysDeny", "NamespaceExists"]),
            disable_admission_plugins: names(&["PodSecurity"]),
            ..Flags::default()
        };
        let plugins: Vec<_> = flags.enabled_plugins().unwrap().iter().map(|plugin| plugin.name).collect();
        assert_eq!(plugins[..2], ["NamespaceLifecycle", "NamespaceExists"]);
        assert!(!plugins.contains(&"PodSecurity"));
        assert_eq!(plugins.last(), Some(&"AlwaysDeny"));
    }

    #[test]
    fn says_what_the_server_says_of_wrong_flags() {
        let flags = Flags {
            enable_admission_plugins: names(&["PodSecurty", "Priority"]),
            disable_admission_plugins: names(&["Priority"]),
            ..Flags::default()
        };
        let error = flags.enabled_plugins().unwrap_err();
        assert_eq!(
            error.message,
            "[enable-admission-plugins plugin \"PodSecurty\" is unknown, [Priority] in enable-admission-plugins \
             and disable-admission-plugins overlapped]"
        );
        assert_eq!(error.help.unwrap(), "did you mean \"PodSecurity\"?");
    }
}
