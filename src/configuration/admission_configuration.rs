//! The file of `--admission-control-config-file`.
//!
//! Source: `k8s.io/apiserver/pkg/admission/config.go`.

use std::path::Path;

use crate::configuration::ConfigurationError;
use crate::plugin::{Plugin, PluginConfiguration};

/// What the file says about plugins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AdmissionConfiguration {}

impl AdmissionConfiguration {
    /// Reads the file at `path`.
    pub fn read(_path: &Path, _plugins: &[&'static Plugin]) -> Result<Self, ConfigurationError> {
        Ok(Self {})
    }

    /// The configuration of the plugin `name`, if the file has one.
    pub fn configuration_for(&self, _name: &str) -> Result<Option<PluginConfiguration>, ConfigurationError> {
        Ok(None)
    }

    /// An error of the plugin `name`, with the place of its configuration.
    pub fn error_about(&self, _name: &str, message: String) -> ConfigurationError {
        ConfigurationError::new(message)
    }
}
