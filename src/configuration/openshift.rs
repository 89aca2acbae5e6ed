//! The configuration files of OpenShift's servers: `KubeAPIServerConfig`, `OpenShiftAPIServerConfig` and Origin's
//! `MasterConfig`.
//!
//! Source: `github.com/openshift/api/{kubecontrolplane,openshiftcontrolplane,legacyconfig}/v1`.

use std::path::Path;
use std::sync::Arc;

use crate::admission::{Chain, Link};
use crate::configuration::{AdmissionConfiguration, ConfigurationError, Flags, link};
use crate::plugin::openshift::switch_of;
use crate::plugin::{OpenShiftOptions, Plugin, PluginConfiguration, PluginInitializer};
use gotext::source::{Data, Node, SourceFile};
use kube_api::Value;
use kube_api::distribution::{Distribution, Server};
use kube_api::version::Version;
use kube_registry::openshift::allowed_registries::AllowedRegistries;
use kube_registry::openshift::route_host;

/// What the files of OpenShift's servers say about their kinds.
#[derive(Clone, Debug, Default)]
pub struct OpenShiftSettings {
    /// The address of the integrated registry; empty if none is configured.
    pub registry: String,
    /// The domain of routes without a host; empty if none is configured.
    pub route_domain: String,
    /// The registries that image streams may refer to.
    pub allowed_registries: AllowedRegistries,
}

/// Adds the plugins of openshift-apiserver to `chain`, if that is one of the servers, and returns the settings for its
/// kinds.
pub(super) fn attach(
    chain: Chain,
    flags: &Flags,
    initializer: &PluginInitializer,
    release: Version,
) -> Result<(Chain, OpenShiftSettings), ConfigurationError> {
    let server = Server::OpenShiftApiserver;
    if !flags.has_openshift_apiserver() {
        let registry = initializer.openshift.internal_registry_hostname.clone();
        return Ok((chain, OpenShiftSettings { registry, ..OpenShiftSettings::default() }));
    }
    let own = ServerFile::of(flags, server)?;
    let settings = own.settings()?;
    let (file, disabled) = (own.admission(), own.list("disabledPlugins"));
    let openshift = Arc::new(own.options(flags));
    let initializer = PluginInitializer { server, openshift, ..initializer.clone() };
    let plugins = flags.aggregated_plugins().into_iter();
    let plugins = plugins.filter(|plugin| !disabled.iter().any(|name| name == plugin.name));
    let links: Result<Vec<Link>, _> =
        plugins.map(|plugin| link(plugin, &initializer, &file, release)).collect();
    let apis = flags.runtime_config();
    let chain = chain.with_aggregated(links?, move |resource| {
        apis.server_of(&resource.group, &resource.resource) == server
    });
    Ok((chain, settings))
}

/// Whether `server` calls a plugin. A master of Origin does not if the configuration of the plugin switches it off, or is
/// missing; one that only switches it on is removed.
pub(super) fn is_called(
    plugin: &Plugin,
    server: Server,
    configuration: &mut Option<PluginConfiguration>,
    file: &AdmissionConfiguration,
) -> bool {
    if !server.is_origin() {
        return true;
    }
    let switch = switch_of(configuration.as_ref());
    let is_absent = configuration.is_none() && plugin.only_configured && !file.has(plugin.name);
    if switch.is_some() && !plugin.only_configured {
        *configuration = None;
    }
    !is_absent && switch != Some(true)
}

/// Returns a distribution whose servers this build has: any.
#[expect(clippy::unnecessary_wraps, reason = "without the feature, servers are refused")]
pub(super) fn served(distribution: Distribution) -> Result<Distribution, ConfigurationError> {
    Ok(distribution)
}

/// Returns what follows for `SecurityContextConstraints` if no authorizer is asked.
pub(super) fn note_of_rights(flags: &Flags, server: Server) -> Option<String> {
    let is_open = server == Server::OpenShift && flags.authorization_mode.is_empty();
    let note = "every user may use every SecurityContextConstraint; --authorization-mode RBAC asks the roles";
    is_open.then(|| note.to_owned())
}

/// Refuses a file of a server that the distribution does not have.
fn refuse_others(flags: &Flags) -> Result<(), ConfigurationError> {
    let server = flags.distribution.kube_apiserver();
    let is_openshift = server == Server::OpenShift;
    let files = [
        ("--openshift-config", &flags.openshift_config, is_openshift, "openshift"),
        ("--openshift-apiserver-config", &flags.openshift_apiserver_config, is_openshift, "openshift"),
        (
            "--master-config",
            &flags.master_config,
            server.is_origin(),
            "origin=1.4` or `--distribution origin=3.11",
        ),
    ];
    match files.into_iter().find(|(_, file, is_own, _)| file.is_some() && !is_own) {
        Some((flag, .., distribution)) => {
            let message = format!("{flag} is not for --distribution {}", flags.distribution);
            let help = format!("add `--distribution {distribution}`");
            Err(ConfigurationError::new(message).help(help))
        }
        None => Ok(()),
    }
}

/// A file of a server, or nothing if none is given.
#[derive(Debug, Default)]
pub(super) struct ServerFile {
    document: Option<(Arc<SourceFile>, Node)>,
    value: Value,
}

impl ServerFile {
    /// Reads the file of `server` that `flags` name, if they name one.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read, or if one for another server is given.
    pub(super) fn of(flags: &Flags, server: Server) -> Result<Self, ConfigurationError> {
        refuse_others(flags)?;
        let path = match server {
            Server::Kubernetes => None,
            Server::OpenShift => flags.openshift_config.as_deref(),
            Server::OpenShiftApiserver => flags.openshift_apiserver_config.as_deref(),
            Server::Origin(_) => flags.master_config.as_deref(),
        };
        path.map_or_else(|| Ok(Self::default()), Self::read)
    }

    fn read(path: &Path) -> Result<Self, ConfigurationError> {
        let name = path.display().to_string();
        let refuse = |message: String| ConfigurationError {
            file: Some(name.clone()),
            ..ConfigurationError::new(message)
        };
        let source = kube_yaml::files::read_file(path).map_err(|error| refuse(error.to_string()))?;
        let document = kube_yaml::read_first(&source).map_err(|error| refuse(error.to_string()))?;
        let value = document.node.clone().into_value();
        let is_list = |list: &Value| list.as_array().is_some_and(|list| !list.is_empty());
        if let Some(order) = PLUGIN_ORDERS.iter().find(|order| value.at(order).is_some_and(is_list)) {
            let refused = refuse(format!(
                "{} is not supported: plugins run in the order of the release",
                order.join(".")
            ));
            return Err(
                refused.help("leave it out, and switch single plugins off by a DefaultAdmissionConfig")
            );
        }
        Ok(Self { document: Some((source, document.node)), value })
    }

    /// Whether a file is given.
    pub(super) fn is_given(&self) -> bool {
        self.document.is_some()
    }

    /// Returns the configuration of plugins in the file.
    pub(super) fn admission(&self) -> AdmissionConfiguration {
        let mut admission = AdmissionConfiguration::default();
        let Some((source, node)) = &self.document else { return admission };
        for location in PLUGIN_CONFIGURATIONS {
            let found = location.iter().try_fold(node, |node, field| node.get(field));
            let Some(Data::Object(entries)) = found.map(|node| &node.data) else { continue };
            for entry in entries {
                admission.add_openshift(&entry.key, &entry.value, source);
            }
        }
        admission
    }

    /// Returns the names of the plugins that the file enables or disables.
    pub(super) fn list(&self, field: &str) -> Vec<String> {
        let list = self.value.at(["admission", field]).and_then(Value::as_array);
        list.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    }

    /// Returns the flags that the file passes to the server, as pairs.
    pub(super) fn arguments(&self) -> Vec<(String, String)> {
        let arguments = self.value.child("apiServerArguments");
        let mut pairs = Vec::new();
        for (flag, values) in arguments.into_iter().flatten() {
            let values = values.as_array().map(Vec::as_slice).unwrap_or_default();
            let values = values.iter().filter_map(Value::as_str);
            pairs.extend(values.map(|value| (format!("--{flag}"), value.to_owned())));
        }
        pairs
    }

    /// Returns the settings for the server's kinds.
    pub(super) fn settings(&self) -> Result<OpenShiftSettings, ConfigurationError> {
        let list = self.value.at(["imagePolicyConfig", "allowedRegistriesForImport"]);
        let read = list.map_or_else(|| Ok(AllowedRegistries::default()), AllowedRegistries::read);
        let route_domain = match self.value.text(["routingConfig", "subdomain"]) {
            "" => Ok(String::new()),
            domain => route_host::domain(domain).map_err(ConfigurationError::new),
        };
        Ok(OpenShiftSettings {
            allowed_registries: read.map_err(|error| ConfigurationError::new(error.to_string()))?,
            route_domain: route_domain?,
            registry: self.value.text(["imagePolicyConfig", "internalRegistryHostname"]).to_owned(),
        })
    }

    /// Returns the other options in the file.
    pub(super) fn options(&self, flags: &Flags) -> OpenShiftOptions {
        let text = |fields: &[&str]| self.value.text(fields).to_owned();
        OpenShiftOptions {
            performant_security_policy: flags.has_openshift_gate(PERFORMANT_SECURITY_POLICY),
            minimum_kubelet_version: flags.has_openshift_gate("MinimumKubeletVersion"),
            default_node_selector: text(&["projectConfig", "defaultNodeSelector"]),
            internal_registry_hostname: text(&["imagePolicyConfig", "internalRegistryHostname"]),
            jenkins_pipeline: self.value.at("jenkinsPipelineConfig").cloned().unwrap_or_default(),
        }
    }
}

/// The gate of OpenShift that decides on a plugin.
const PERFORMANT_SECURITY_POLICY: &str = "StoragePerformantSecurityPolicy";

/// Whether an entry of `--feature-gates` is for a gate that Kubernetes does not have.
pub(super) fn is_own_gate(distribution: Distribution, entry: &str) -> bool {
    let gate = entry.split('=').next().map(str::trim);
    distribution.is_openshift() && gate == Some(PERFORMANT_SECURITY_POLICY)
}

/// The fields of the files with the configurations of plugins.
const PLUGIN_CONFIGURATIONS: [&[&str]; 3] = [
    &["admission", "pluginConfig"],
    &["admissionConfig", "pluginConfig"],
    &["kubernetesMasterConfig", "admissionConfig", "pluginConfig"],
];

/// The paths of the orders of plugins in a master's file.
const PLUGIN_ORDERS: [&[&str]; 2] = [
    &["admissionConfig", "pluginOrderOverride"],
    &["kubernetesMasterConfig", "admissionConfig", "pluginOrderOverride"],
];

impl Flags {
    /// Whether a feature gate that only OpenShift has is enabled.
    fn has_openshift_gate(&self, name: &str) -> bool {
        let last = self
            .feature_gates
            .iter()
            .rev()
            .find_map(|entry| entry.split_once('=').filter(|(gate, _)| *gate == name));
        self.distribution.is_openshift() && last.is_some_and(|(_, value)| value == "true")
    }

    /// Applies the flags that a `KubeAPIServerConfig` passes to its server.
    pub(super) fn take_openshift_config(&mut self, path: &Path) -> Result<(), ConfigurationError> {
        self.openshift_config = Some(path.to_owned());
        for (flag, value) in ServerFile::read(path)?.arguments() {
            self.set(&flag, &value)?;
        }
        Ok(())
    }
}
