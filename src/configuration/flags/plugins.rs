//! The plugins that the flags enable.

use std::collections::BTreeSet;

use crate::configuration::{ConfigurationError, Fault, Flags};
use crate::plugin::{self, Plugin};
use gotext::quote;
use kube_api::distribution::{Distribution, Server};
use kube_api::field;

impl Flags {
    /// Returns the enabled plugins, in the order of the chain.
    pub fn enabled_plugins(&self) -> Result<Vec<&'static Plugin>, ConfigurationError> {
        let mut errors: Vec<_> = self.emulation_error()?.into_iter().collect();
        errors.extend(self.authorization_errors());
        errors.extend(self.plugin_errors());
        if !errors.is_empty() {
            let unknown: Vec<_> = self.unknown().cloned().collect();
            let error = ConfigurationError::new(field::aggregate(&errors));
            let error = if unknown.is_empty() { error } else { error.with(Fault::UnknownPlugins(unknown)) };
            let help: Vec<_> = self.unknown().filter_map(|name| self.about_unknown(name)).collect();
            return Err(if help.is_empty() { error } else { error.help(help.join("; ")) });
        }
        Ok(self.selected_plugins())
    }

    /// Whether openshift-apiserver is one of the servers. A kube-apiserver for which alone a file is given has no other
    /// next to it, as in MicroShift; neither has one with named plugins that the other does not have.
    pub fn has_openshift_apiserver(&self) -> bool {
        let has_all =
            || self.admission_control.iter().all(|name| plugin::has(Server::OpenShiftApiserver, name));
        self.distribution == Distribution::OpenShift
            && (self.openshift_apiserver_config.is_some() || self.openshift_config.is_none() && has_all())
    }

    /// Returns the enabled plugins of openshift-apiserver, in the order of its chain.
    pub(in crate::configuration) fn aggregated_plugins(&self) -> Vec<&'static Plugin> {
        if self.has_openshift_apiserver() { self.selected(Server::OpenShiftApiserver) } else { Vec::new() }
    }

    /// Returns the enabled plugins of kube-apiserver, even if the flags have other errors.
    pub(in crate::configuration) fn selected_plugins(&self) -> Vec<&'static Plugin> {
        self.selected(self.distribution.kube_apiserver())
    }

    fn selected(&self, server: Server) -> Vec<&'static Plugin> {
        let release = self.release();
        let named = |names: &[String], plugin: &Plugin| names.iter().any(|name| name == plugin.name);
        let is_on = |plugin: &&'static Plugin| {
            if self.admission_control.is_empty() {
                let default_on = plugin.default_on_in(server, release);
                let disabled = !default_on || named(&self.disable_admission_plugins, plugin);
                !disabled || named(&self.enable_admission_plugins, plugin)
            } else {
                named(&self.admission_control, plugin)
            }
        };
        plugin::of(server, release).into_iter().filter(is_on).collect()
    }

    fn plugin_errors(&self) -> Vec<String> {
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
            let unknown = names.iter().filter(|name| !self.is_known(name));
            errors.extend(unknown.map(|name| format!("{flag} plugin {} is unknown", quote(name))));
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
        self.plugin_flags().into_iter().flat_map(|(_, names)| names).filter(|name| !self.is_known(name))
    }

    fn is_known(&self, name: &str) -> bool {
        let servers = [self.distribution.kube_apiserver(), Server::OpenShiftApiserver];
        let count = if self.has_openshift_apiserver() { 2 } else { 1 };
        plugin::find(name).is_some_and(|plugin| plugin.releases.contains(self.release()))
            && servers[..count].iter().any(|server| plugin::has(*server, name))
    }

    fn about_unknown(&self, name: &str) -> Option<String> {
        if let Some(plugin) = plugin::find(name) {
            if !plugin::has(self.distribution.kube_apiserver(), name) {
                return Some(format!("{} has no {name}", self.distribution));
            }
            let (release, lifetime) = (self.release(), plugin.releases.in_words());
            return Some(format!("Kubernetes {release} has no {name}: it exists {lifetime}"));
        }
        plugin::suggest(name).map(|plugin| format!("did you mean \"{}\"?", plugin.name))
    }

    fn plugin_flags(&self) -> [(&'static str, &[String]); 3] {
        [
            ("admission-control", &self.admission_control),
            ("enable-admission-plugins", &self.enable_admission_plugins),
            ("disable-admission-plugins", &self.disable_admission_plugins),
        ]
    }
}
