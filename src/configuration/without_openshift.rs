//! The build without the feature `openshift`: the flags for its servers are refused.

#![expect(
    clippy::unnecessary_wraps,
    clippy::unused_self,
    reason = "the signatures are those of the build with the feature"
)]

use std::path::Path;

use crate::admission::Chain;
use crate::configuration::{AdmissionConfiguration, ConfigurationError, Fault, Flags};
use crate::plugin::{OpenShiftOptions, Plugin, PluginConfiguration, PluginInitializer};
use kube_api::distribution::{Distribution, Server};
use kube_api::version::Version;

/// What the files of OpenShift's servers say about their kinds: nothing.
#[derive(Clone, Debug, Default)]
pub struct OpenShiftSettings(());

/// A file of a server, of which there is none.
pub(super) struct ServerFile;

impl ServerFile {
    pub(super) fn of(flags: &Flags, _: Server) -> Result<Self, ConfigurationError> {
        let files = [&flags.openshift_config, &flags.openshift_apiserver_config, &flags.master_config];
        served(flags.distribution)?;
        if files.into_iter().any(Option::is_some) { Err(missing()) } else { Ok(Self) }
    }

    pub(super) fn is_given(&self) -> bool {
        false
    }

    pub(super) fn admission(&self) -> AdmissionConfiguration {
        AdmissionConfiguration::default()
    }

    pub(super) fn options(&self, _: &Flags) -> OpenShiftOptions {
        OpenShiftOptions
    }

    pub(super) fn settings(&self) -> Result<OpenShiftSettings, ConfigurationError> {
        Ok(OpenShiftSettings::default())
    }
}

fn missing() -> ConfigurationError {
    ConfigurationError::new("this kadmit was built without the servers of OpenShift")
        .help("build it with Cargo's feature `openshift`, which is on by default")
        .with(Fault::MissingFeature("openshift"))
}

/// Refuses a distribution whose servers this build does not have.
pub(super) fn served(distribution: Distribution) -> Result<Distribution, ConfigurationError> {
    if distribution == Distribution::Kubernetes { Ok(distribution) } else { Err(missing()) }
}

pub(super) fn note_of_rights(_: &Flags, _: Server) -> Option<String> {
    None
}

pub(super) fn attach(
    chain: Chain,
    _: &Flags,
    _: &PluginInitializer,
    _: Version,
) -> Result<(Chain, OpenShiftSettings), ConfigurationError> {
    Ok((chain, OpenShiftSettings::default()))
}

pub(super) fn is_called(
    _: &Plugin,
    _: Server,
    _: &mut Option<PluginConfiguration>,
    _: &AdmissionConfiguration,
) -> bool {
    true
}

pub(super) fn is_own_gate(_: Distribution, _: &str) -> bool {
    false
}

impl Flags {
    pub(super) fn take_openshift_config(&mut self, _: &Path) -> Result<(), ConfigurationError> {
        Err(missing())
    }
}
