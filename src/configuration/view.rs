//! The effective configuration of a server: its chain, and the configuration of every plugin with all defaults.

use std::sync::Arc;

use serde::Serialize;

use crate::admission::Phase;
use crate::cluster::authorizer::AuthorizationMode;
use crate::configuration::openshift::ServerFile;
use crate::configuration::{ConfigurationError, Flags, initializer, link};
use kube_api::Value;

/// A server's configuration in force.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct View {
    /// The release of the server.
    pub kubernetes_version: String,
    /// The release that it emulates.
    pub emulated_version: String,
    /// Its authorization modes.
    pub authorization_modes: Vec<&'static str>,
    /// The plugins that are on, in the order of the chain.
    pub plugins: Vec<PluginView>,
}

/// A plugin of the chain.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PluginView {
    /// Its name.
    pub name: &'static str,
    /// The phases in which it is called.
    pub phases: &'static [Phase],
    /// Whether its feature gates let it have an effect.
    pub active: bool,
    /// The file that configures it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub configured_by: Option<String>,
    /// Its effective configuration, if it can be configured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub configuration: Option<Value>,
}

impl View {
    /// Returns the effective configuration of `flags`, or why the server would not start.
    pub fn of(flags: &Flags) -> Result<Self, ConfigurationError> {
        let profile = Arc::new(flags.profile()?);
        let plugins = flags.enabled_plugins()?;
        let modes = flags.authorization_modes()?;
        let authorization_modes = modes.iter().copied().map(AuthorizationMode::name).collect();
        let (release, emulated_version) = (flags.release(), profile.release());
        let file = flags.admission_configuration(&plugins).transpose()?.unwrap_or_default();
        let server = flags.distribution.kube_apiserver();
        let own = ServerFile::of(flags, server)?;
        let file = file.and(own.admission());
        let mut initializer = initializer(flags, profile.clone(), Arc::default(), modes);
        initializer.openshift = Arc::new(own.options(flags));
        let view = |plugin| {
            link(plugin, &initializer, &file, release)?;
            let given = file.configuration_for(plugin.name)?;
            let effective = plugin.effective.map(|effective| effective(&initializer, given.as_ref()));
            Ok(PluginView {
                name: plugin.name,
                phases: plugin.phases,
                active: plugin.is_active(emulated_version, |gate| profile.enabled(gate.feature)),
                configured_by: file.origin(plugin.name),
                configuration: effective
                    .transpose()
                    .map_err(|error| file.error_about(plugin.name, error.to_string()))?,
            })
        };
        Ok(Self {
            kubernetes_version: release.to_string(),
            emulated_version: emulated_version.to_string(),
            authorization_modes,
            plugins: plugins.into_iter().map(view).collect::<Result<_, ConfigurationError>>()?,
        })
    }
}
