//! How the API server is set up: plugin flags, feature gates, the `AdmissionConfiguration` and the chain that
//! follows from them.

mod admission_configuration;
mod flags;

use std::sync::Arc;

use thiserror::Error;

use crate::admission::{Chain, Link};
use crate::api::features::FeatureGates;
use crate::cluster::Cluster;
use crate::cluster::authorizer::Authorizer;
use crate::plugin::{FactoryError, Plugin, PluginInitializer};
use crate::source::{SourceFile, Span};

pub use admission_configuration::AdmissionConfiguration;
pub use flags::Flags;

/// Why the server would not start, in its own words.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{message}")]
pub struct ConfigurationError {
    /// What kube-apiserver prints.
    pub message: String,
    /// The file that it is about, where there is one.
    pub file: Option<String>,
    /// The place in that file, where it can be told.
    pub place: Option<(Arc<SourceFile>, Span)>,
    /// What to do about it.
    pub help: Option<String>,
}

impl ConfigurationError {
    fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), file: None, place: None, help: None }
    }

    /// The line of the file, counted from 1.
    pub fn line(&self) -> Option<usize> {
        self.place.as_ref().map(|(source, span)| source.line_column(span.start).0)
    }

    fn at(mut self, source: &Arc<SourceFile>, span: Option<Span>) -> Self {
        self.file = Some(source.name().to_owned());
        self.place = span.map(|span| (source.clone(), span));
        self
    }

    fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// What the flags and files of a server come to.
pub struct Configuration {
    /// The enabled plugins, ready to be called.
    pub chain: Chain,
    /// The feature gates.
    pub features: Arc<FeatureGates>,
    /// Whom plugins ask what a user may do.
    pub authorizer: Arc<Authorizer>,
    /// Plugins that a server would run and kadmit does not have.
    pub missing: Vec<&'static str>,
}

impl Configuration {
    /// Builds the chain that `flags` ask for, over the objects of `cluster`.
    pub fn new(
        flags: &Flags,
        features: Arc<FeatureGates>,
        cluster: Arc<Cluster>,
    ) -> Result<Self, ConfigurationError> {
        let plugins = flags.enabled_plugins()?;
        let authorizer = Arc::new(Authorizer::new(cluster.clone(), flags.authorization_modes()?));
        let file = match &flags.admission_control_config_file {
            Some(path) => AdmissionConfiguration::read(path, &plugins)?,
            None => AdmissionConfiguration::default(),
        };
        let initializer = PluginInitializer {
            cluster,
            authorizer: authorizer.clone(),
            features: features.clone(),
            emulated_version: flags.emulated_version()?,
            runtime_config: flags.runtime_config(),
            default_not_ready_toleration_seconds: flags.default_not_ready_toleration_seconds,
            default_unreachable_toleration_seconds: flags.default_unreachable_toleration_seconds,
        };
        let mut links = Vec::new();
        let mut missing = Vec::new();
        for plugin in plugins {
            match link(plugin, &initializer, &file)? {
                Some(link) => links.push(link),
                None if flags.asks_for(plugin) => {
                    let message =
                        format!("admission plugin \"{}\" is not built into kadmit yet", plugin.name);
                    let help = "leave it out of the flag to evaluate without it";
                    return Err(ConfigurationError::new(message).help(help));
                }
                None => missing.push(plugin.name),
            }
        }
        Ok(Self { chain: Chain::new(links), features, authorizer, missing })
    }
}

fn link(
    plugin: &'static Plugin,
    initializer: &PluginInitializer,
    file: &AdmissionConfiguration,
) -> Result<Option<Link>, ConfigurationError> {
    let configuration = file.configuration_for(plugin.name)?;
    let Some(factory) = plugin.factory else { return Ok(None) };
    let handler = factory(initializer, configuration.as_ref()).map_err(|error| {
        let failed = match error {
            FactoryError::Configuration(_) => "couldn't init",
            FactoryError::Initialization(_) => "failed to initialize",
        };
        let message =
            format!("failed to apply admission: {failed} admission plugin \"{}\": {error}", plugin.name);
        file.error_about(plugin.name, message)
    })?;
    Ok(Some(Link { name: plugin.name, operations: plugin.operations, handler }))
}
