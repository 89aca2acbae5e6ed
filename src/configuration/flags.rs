//! kube-apiserver's flags about admission.
//!
//! Source: `k8s.io/kubernetes/pkg/kubeapiserver/options/admission.go`,
//! `k8s.io/apiserver/pkg/server/options/admission.go`.

mod authorization;
mod gates;
pub(super) mod known;
mod plugins;
mod runtime_config;
mod value;

use std::mem;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::configuration::{AdmissionConfiguration, ConfigurationError, Fault, openshift};
use crate::plugin::{AdmissionControllerAddresses, Plugin, Releases};
use crate::policy::coverage::Coverage;
use crate::versioned::ServerFiles;
use crate::webhook::Webhooks;
use gotext::quote;
use kube_api::distribution::Distribution;
use kube_api::pod_security::Level;
use kube_api::version::Version;
use kube_registry::{PortRange, ServiceNetwork};
use runtime_config::runtime_config_errors;

/// The values of the flags, as the user gave them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flags {
    /// `--kubernetes-version`, a flag of kadmit alone: the release of the server.
    pub kubernetes_version: Option<Version>,
    /// Where the server's files are.
    pub files: ServerFiles,
    /// `--coverage`, a flag of kadmit alone: the counters of what is evaluated of policies.
    pub coverage: Option<Arc<Coverage>>,
    /// Flags of the file that starts the server, and that it does not have.
    pub unknown: Vec<String>,
    /// A description of the source of the flags, if not all come from the user.
    pub origin: Option<String>,
    /// `--admission-control-config-file`
    pub admission_control_config_file: Option<PathBuf>,
    /// `--distribution`, a flag of kadmit alone: the distribution of the servers.
    pub distribution: Distribution,
    /// `--openshift-config`: a `KubeAPIServerConfig`.
    pub openshift_config: Option<PathBuf>,
    /// `--openshift-apiserver-config`: an `OpenShiftAPIServerConfig`.
    pub openshift_apiserver_config: Option<PathBuf>,
    /// `--master-config`: a `MasterConfig` of Origin.
    pub master_config: Option<PathBuf>,
    /// `--enable-admission-plugins`
    pub enable_admission_plugins: Vec<String>,
    /// `--disable-admission-plugins`
    pub disable_admission_plugins: Vec<String>,
    /// `--admission-control`: exactly these plugins.
    pub admission_control: Vec<String>,
    /// `--feature-gates`, each value `A=true` or `kube:A=true`.
    pub feature_gates: Vec<String>,
    /// `--emulated-version`, each value `1.35` or `kube=1.35`.
    pub emulated_version: Vec<String>,
    /// `--runtime-config`, each value `group/version=true`.
    pub runtime_config: Vec<String>,
    /// `--authorization-mode`
    pub authorization_mode: Vec<String>,
    /// `--authorization-config`: an `AuthorizationConfiguration`.
    pub authorization_config: Option<PathBuf>,
    /// `--authentication-config`: an `AuthenticationConfiguration`.
    pub authentication_config: Option<PathBuf>,
    /// `--authorization-policy-file` of the mode ABAC, which is not read.
    pub authorization_policy_file: Option<PathBuf>,
    /// `--authorization-webhook-config-file` of the mode Webhook, which is not read.
    pub authorization_webhook_config_file: Option<PathBuf>,
    /// `--allow-privileged`; here the default is true, since installers set it.
    pub allow_privileged: bool,
    /// `--default-not-ready-toleration-seconds`
    pub default_not_ready_toleration_seconds: i64,
    /// `--default-unreachable-toleration-seconds`
    pub default_unreachable_toleration_seconds: i64,
    /// `--service-cluster-ip-range` and `--service-node-port-range`
    pub service_network: ServiceNetwork,
    /// `--enforce`, a flag of kadmit alone: the Pod Security level that every namespace enforces.
    pub enforce: Option<Level>,
    /// `--explain-migration`, a flag of kadmit alone: notes name the closest replacement of what is gone.
    pub explain_migration: bool,
    /// `--ir-namespace-only`, a flag until 1.10
    pub ir_namespace_only: bool,
    /// The source of webhooks' answers.
    pub webhooks: Webhooks,
    /// `--admission-controllers` and `--admission-controller-service`, flags of kadmit alone.
    pub admission_controllers: AdmissionControllerAddresses,
}

impl Default for Flags {
    fn default() -> Self {
        Self {
            kubernetes_version: None,
            files: ServerFiles::default(),
            unknown: Vec::new(),
            authorization_config: None,
            authentication_config: None,
            authorization_policy_file: None,
            authorization_webhook_config_file: None,
            origin: None,
            coverage: None,
            webhooks: Webhooks::Skip,
            admission_controllers: AdmissionControllerAddresses::default(),
            admission_control_config_file: None,
            distribution: Distribution::Kubernetes,
            openshift_config: None,
            openshift_apiserver_config: None,
            master_config: None,
            enable_admission_plugins: Vec::new(),
            disable_admission_plugins: Vec::new(),
            admission_control: Vec::new(),
            feature_gates: Vec::new(),
            emulated_version: Vec::new(),
            runtime_config: Vec::new(),
            authorization_mode: Vec::new(),
            allow_privileged: true,
            default_not_ready_toleration_seconds: 300,
            default_unreachable_toleration_seconds: 300,
            service_network: ServiceNetwork::default(),
            enforce: None,
            explain_migration: false,
            ir_namespace_only: false,
        }
    }
}

impl Flags {
    /// Sets the `value` of a `flag` such as `--feature-gates`; returns false if it is not one about admission. A list
    /// that is given again is extended.
    pub fn set(&mut self, flag: &str, value: &str) -> Result<bool, ConfigurationError> {
        if let Some(file) = self.file(flag) {
            *file = Some(PathBuf::from(value)).filter(|_| !value.is_empty());
            return Ok(true);
        }
        if let Some(list) = self.list(flag) {
            list.extend(value::list(value));
            return Ok(true);
        }
        match flag {
            "--admission-controller-service" => {
                self.admission_controllers.set_service(value).map_err(|error| {
                    ConfigurationError::new(format!("{flag} cannot be \"{value}\": {error}"))
                })?;
            }
            "--kubernetes-version" => self.kubernetes_version = Some(kubernetes_version(value)?),
            "--distribution" => self.distribution = openshift::served(distribution(value)?)?,
            "--openshift-config" => self.take_openshift_config(Path::new(value))?,
            "--enforce" => {
                self.enforce = Some(value.parse().map_err(|error| {
                    ConfigurationError::new(format!("{flag} cannot be \"{value}\": {error}"))
                })?);
            }
            "--explain-migration" => self.explain_migration = boolean(flag, value)?,
            "--ir-namespace-only" => self.ir_namespace_only = boolean(flag, value)?,
            "--allow-privileged" => self.allow_privileged = boolean(flag, value)?,
            "--default-not-ready-toleration-seconds" => {
                self.default_not_ready_toleration_seconds = integer(flag, value)?;
            }
            "--default-unreachable-toleration-seconds" => {
                self.default_unreachable_toleration_seconds = integer(flag, value)?;
            }
            "--service-cluster-ip-range" => {
                let network = ServiceNetwork::parse(value).map_err(ConfigurationError::new)?;
                self.service_network = network.with_node_ports(self.service_network.node_ports());
            }
            "--service-node-port-range" => {
                let ports = PortRange::parse(value).map_err(|error| {
                    let (value, flag) = (quote(value), quote(flag));
                    ConfigurationError::new(format!("invalid argument {value} for {flag} flag: {error}"))
                })?;
                self.service_network = mem::take(&mut self.service_network).with_node_ports(ports);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Returns the list that the values of `flag` extend.
    fn list(&mut self, flag: &str) -> Option<&mut Vec<String>> {
        Some(match flag {
            "--enable-admission-plugins" => &mut self.enable_admission_plugins,
            "--disable-admission-plugins" => &mut self.disable_admission_plugins,
            "--admission-control" => &mut self.admission_control,
            "--feature-gates" => &mut self.feature_gates,
            "--emulated-version" => &mut self.emulated_version,
            "--runtime-config" => &mut self.runtime_config,
            "--authorization-mode" => &mut self.authorization_mode,
            "--admission-controllers" => &mut self.admission_controllers.addresses,
            _ => return None,
        })
    }

    /// Returns what holds the path that `flag` has as its value.
    fn file(&mut self, flag: &str) -> Option<&mut Option<PathBuf>> {
        Some(match flag {
            "--admission-control-config-file" => &mut self.admission_control_config_file,
            "--authorization-config" => &mut self.authorization_config,
            "--authentication-config" => &mut self.authentication_config,
            "--authorization-policy-file" => &mut self.authorization_policy_file,
            "--authorization-webhook-config-file" => &mut self.authorization_webhook_config_file,
            "--openshift-apiserver-config" => &mut self.openshift_apiserver_config,
            "--master-config" => &mut self.master_config,
            _ => return None,
        })
    }

    /// Returns the release of the server.
    pub fn release(&self) -> Version {
        let default = if self.distribution.is_openshift() { Version::OPENSHIFT } else { Version::DEFAULT };
        self.kubernetes_version.unwrap_or(default)
    }

    /// Returns the errors of the server about its flags before it looks at any plugin.
    pub(super) fn flag_errors(&self) -> Vec<ConfigurationError> {
        let unknown = self.unknown.iter().map(|flag| {
            let error = ConfigurationError::new(format!("unknown flag: {flag}"));
            if let Some(minor) = known::gone_since(flag) {
                return error.help(format!("it is gone since 1.{minor}: leave it out"));
            }
            match known::nearest(flag) {
                Some(near) => error.help(format!("did you mean {near}?")),
                None => error.help(format!("kube-apiserver of {} has no such flag", self.release())),
            }
        });
        let mut errors: Vec<_> = unknown.collect();
        if self.release() >= Version::RECORDED && self.distribution == Distribution::Kubernetes {
            errors
                .extend(runtime_config_errors(&self.runtime_config).into_iter().map(ConfigurationError::new));
        }
        errors
    }

    /// Reads the `AdmissionConfiguration` for a server with `plugins`.
    pub(super) fn admission_configuration(
        &self,
        plugins: &[&'static Plugin],
    ) -> Option<Result<AdmissionConfiguration, ConfigurationError>> {
        let path = self.admission_control_config_file.as_ref()?;
        if let Some(inside) = &self.files.unmounted {
            return Some(Err(AdmissionConfiguration::unmounted(inside)));
        }
        Some(AdmissionConfiguration::read(path, plugins, self.release(), &self.files))
    }
}

fn integer(flag: &str, value: &str) -> Result<i64, ConfigurationError> {
    value::integer(value).map_err(|error| {
        let (value, flag) = (quote(value), quote(flag));
        ConfigurationError::new(format!("invalid argument {value} for {flag} flag: {error}"))
    })
}

fn boolean(flag: &str, value: &str) -> Result<bool, ConfigurationError> {
    match value {
        "1" | "t" | "T" | "TRUE" | "true" | "True" => Ok(true),
        "0" | "f" | "F" | "FALSE" | "false" | "False" => Ok(false),
        _ => {
            let (value, flag) = (quote(value), quote(flag));
            let error = format!("strconv.ParseBool: parsing {value}: invalid syntax");
            Err(ConfigurationError::new(format!("invalid argument {value} for {flag} flag: {error}")))
        }
    }
}

fn distribution(value: &str) -> Result<Distribution, ConfigurationError> {
    value.parse().map_err(|error: String| {
        let help = "name one of kubernetes, openshift, origin=1.4 and origin=3.11";
        ConfigurationError::new(error).help(help).with(Fault::UnknownDistribution(value.to_owned()))
    })
}

/// Parses a release that kadmit knows; the patch does not matter.
fn kubernetes_version(value: &str) -> Result<Version, ConfigurationError> {
    const KNOWN: RangeInclusive<Version> = Version::minor(Releases::OLDEST)..=Version::BINARY;
    let minor: Vec<_> = value.splitn(3, '.').take(2).collect();
    let version: Version = minor.join(".").parse().map_err(|_| {
        let message = format!("--kubernetes-version {} is not a release", quote(value));
        let fault = Fault::UnknownRelease(value.to_owned());
        ConfigurationError::new(message).help("name it like this: 1.30").with(fault)
    })?;
    if KNOWN.contains(&version) {
        Ok(version)
    } else {
        let (oldest, newest) = (KNOWN.start(), KNOWN.end());
        let message = format!("kadmit does not know Kubernetes {version}");
        let error = ConfigurationError::new(message).with(Fault::UnknownRelease(value.to_owned()));
        Err(error.help(format!("it knows the releases from {oldest} to {newest}")))
    }
}

#[cfg(test)]
mod tests;
