//! kube-apiserver's flags about admission.
//!
//! Source: `k8s.io/kubernetes/pkg/kubeapiserver/options/admission.go`,
//! `k8s.io/apiserver/pkg/server/options/admission.go`.

pub(super) mod known;
mod value;

use std::collections::{BTreeMap, BTreeSet};
use std::mem;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::cluster::authorizer::AuthorizationMode;
use crate::configuration::openshift::PERFORMANT_SECURITY_POLICY;
use crate::configuration::{AdmissionConfiguration, ConfigurationError};
use crate::plugin::{self, AdmissionControllerAddresses, Plugin, Releases};
use crate::policy::coverage::Coverage;
use crate::versioned::ServerFiles;
use crate::webhook::Webhooks;
use gotext::quote;
use kube_api::distribution::{Distribution, Server};
use kube_api::features::{self, FeatureGateError, Gate};
use kube_api::field;
use kube_api::resource::{self, RuntimeConfig};
use kube_api::server_profile::ServerProfile;
use kube_api::version::Version;
use kube_registry::{PortRange, ServiceNetwork};

/// The component that versions and feature gates without a component are for.
const KUBE: &str = "kube";

/// The oldest release that a newer server can emulate by a flag; older servers have no such flag.
const OLDEST_EMULATED: Version = Version::minor(31);

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
    /// `--authorization-policy-file` of the mode ABAC, which is not read.
    pub authorization_policy_file: Option<PathBuf>,
    /// `--authorization-webhook-config-file` of the mode Webhook, which is not read.
    pub authorization_webhook_config_file: Option<PathBuf>,
    /// `--default-not-ready-toleration-seconds`
    pub default_not_ready_toleration_seconds: i64,
    /// `--default-unreachable-toleration-seconds`
    pub default_unreachable_toleration_seconds: i64,
    /// `--service-cluster-ip-range` and `--service-node-port-range`
    pub service_network: ServiceNetwork,
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
            default_not_ready_toleration_seconds: 300,
            default_unreachable_toleration_seconds: 300,
            service_network: ServiceNetwork::default(),
            explain_migration: false,
            ir_namespace_only: false,
        }
    }
}

impl Flags {
    /// Sets the `value` of a `flag` such as `--feature-gates`; returns false if it is not one about admission. A list
    /// that is given again is extended.
    pub fn set(&mut self, flag: &str, value: &str) -> Result<bool, ConfigurationError> {
        let list = match flag {
            "--enable-admission-plugins" => &mut self.enable_admission_plugins,
            "--disable-admission-plugins" => &mut self.disable_admission_plugins,
            "--admission-control" => &mut self.admission_control,
            "--feature-gates" => &mut self.feature_gates,
            "--emulated-version" => &mut self.emulated_version,
            "--runtime-config" => &mut self.runtime_config,
            "--authorization-mode" => &mut self.authorization_mode,
            "--admission-controllers" => &mut self.admission_controllers.addresses,
            "--admission-controller-service" => {
                self.admission_controllers.set_service(value).map_err(|error| {
                    ConfigurationError::new(format!("{flag} cannot be \"{value}\": {error}"))
                })?;
                return Ok(true);
            }
            "--kubernetes-version" => {
                self.kubernetes_version = Some(kubernetes_version(value)?);
                return Ok(true);
            }
            "--distribution" => {
                self.distribution = value.parse().map_err(|error: String| {
                    let help = "name one of kubernetes, openshift, origin=1.4 and origin=3.11";
                    ConfigurationError::new(error).help(help)
                })?;
                return Ok(true);
            }
            "--openshift-config" => {
                self.take_openshift_config(Path::new(value))?;
                return Ok(true);
            }
            "--openshift-apiserver-config" => {
                self.openshift_apiserver_config = Some(PathBuf::from(value));
                return Ok(true);
            }
            "--master-config" => {
                self.master_config = Some(PathBuf::from(value));
                return Ok(true);
            }
            "--admission-control-config-file" => {
                self.admission_control_config_file = Some(PathBuf::from(value)).filter(|_| !value.is_empty());
                return Ok(true);
            }
            "--authorization-config" => {
                self.authorization_config = Some(PathBuf::from(value)).filter(|_| !value.is_empty());
                return Ok(true);
            }
            "--authorization-policy-file" => {
                self.authorization_policy_file = Some(PathBuf::from(value)).filter(|_| !value.is_empty());
                return Ok(true);
            }
            "--authorization-webhook-config-file" => {
                self.authorization_webhook_config_file =
                    Some(PathBuf::from(value)).filter(|_| !value.is_empty());
                return Ok(true);
            }
            "--explain-migration" => {
                self.explain_migration = boolean(flag, value)?;
                return Ok(true);
            }
            "--ir-namespace-only" => {
                self.ir_namespace_only = boolean(flag, value)?;
                return Ok(true);
            }
            "--default-not-ready-toleration-seconds" => {
                self.default_not_ready_toleration_seconds = integer(flag, value)?;
                return Ok(true);
            }
            "--default-unreachable-toleration-seconds" => {
                self.default_unreachable_toleration_seconds = integer(flag, value)?;
                return Ok(true);
            }
            "--service-cluster-ip-range" => {
                let network = ServiceNetwork::parse(value).map_err(ConfigurationError::new)?;
                self.service_network = network.with_node_ports(self.service_network.node_ports());
                return Ok(true);
            }
            "--service-node-port-range" => {
                let ports = PortRange::parse(value).map_err(|error| {
                    let (value, flag) = (quote(value), quote(flag));
                    ConfigurationError::new(format!("invalid argument {value} for {flag} flag: {error}"))
                })?;
                self.service_network = mem::take(&mut self.service_network).with_node_ports(ports);
                return Ok(true);
            }
            _ => return Ok(false),
        };
        list.extend(value::list(value));
        Ok(true)
    }

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
            let is_openshift = self.distribution.is_openshift()
                && gate.split('=').next().map(str::trim) == Some(PERFORMANT_SECURITY_POLICY);
            if !is_openshift {
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
        profile.on(self.distribution).with(&gates.join(",")).map_err(|errors| {
            let help: Vec<_> = errors.iter().filter_map(gate_help).collect();
            let error = ConfigurationError::new(field::aggregate(&errors));
            if help.is_empty() { error } else { error.help(help.join("; ")) }
        })
    }

    /// Whether a feature gate that only OpenShift has is enabled.
    pub(super) fn has_openshift_gate(&self, name: &str) -> bool {
        let last = self
            .feature_gates
            .iter()
            .rev()
            .find_map(|entry| entry.split_once('=').filter(|(gate, _)| *gate == name));
        self.distribution.is_openshift() && last.is_some_and(|(_, value)| value == "true")
    }

    /// Returns the release of the server.
    pub fn release(&self) -> Version {
        self.kubernetes_version.unwrap_or(Version::BINARY)
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

    /// Returns the server's authorization modes, in order. Those that ask elsewhere have no opinion and are left out;
    /// if there is no other, everything is allowed.
    pub fn authorization_modes(&self) -> Result<Vec<AuthorizationMode>, ConfigurationError> {
        let errors = self.authorization_errors();
        if !errors.is_empty() {
            return Err(ConfigurationError::new(field::aggregate(&errors)));
        }
        let mode = |name: &String| match name.as_str() {
            "AlwaysAllow" => Ok(AuthorizationMode::AlwaysAllow),
            "AlwaysDeny" => Ok(AuthorizationMode::AlwaysDeny),
            "RBAC" => Ok(AuthorizationMode::Rbac),
            "Node" => Ok(AuthorizationMode::Node),
            _ => {
                let message = format!("authorization-mode {} is not built into kadmit", quote(name));
                Err(ConfigurationError::new(message)
                    .help("kadmit has AlwaysAllow, AlwaysDeny, RBAC and Node"))
            }
        };
        // Members of system:masters may do everything without a mode for it; scopes and kubelets do not concern users.
        let openshift = ["Scope", "SystemMasters", "MinimumKubeletVersion"];
        let named = self.authorizers()?;
        let modes = named
            .iter()
            .filter(|mode| !openshift.contains(&mode.as_str()) && !ASKING_ELSEWHERE.contains(&mode.as_str()));
        let modes: Vec<AuthorizationMode> = modes.map(mode).collect::<Result<_, _>>()?;
        Ok(if modes.is_empty() { vec![AuthorizationMode::AlwaysAllow] } else { modes })
    }

    /// Whether the flags set how users are authorized.
    pub fn sets_authorization(&self) -> bool {
        !self.authorization_mode.is_empty() || self.authorization_config.is_some()
    }

    /// Returns the names of the authorizers, those of `--authorization-config` by their types.
    fn authorizers(&self) -> Result<Vec<String>, ConfigurationError> {
        let Some(file) = &self.authorization_config else { return Ok(self.authorization_mode.clone()) };
        let source = kube_yaml::files::read_file(file).map_err(|error| ConfigurationError {
            file: Some(file.display().to_string()),
            ..ConfigurationError::new(error.to_string())
        })?;
        let document = kube_yaml::read_first(&source)
            .map_err(|error| ConfigurationError::new(error.to_string()).at(&source, error.span()))?;
        let value = document.node.into_value();
        if value.text("kind") != "AuthorizationConfiguration" {
            let message = "this is not an AuthorizationConfiguration";
            return Err(ConfigurationError::new(message).at(&source, None));
        }
        Ok(value.list("authorizers").iter().map(|authorizer| authorizer.text("type").to_owned()).collect())
    }

    /// Returns the note about authorizers that are not asked.
    pub(super) fn note_of_authorizers(&self) -> Option<String> {
        let named = self.authorizers().ok()?;
        let others: Vec<&str> =
            named.iter().map(String::as_str).filter(|mode| ASKING_ELSEWHERE.contains(mode)).collect();
        let effect = if others.len() == named.len() {
            "everything is allowed"
        } else {
            "whom it alone allows is refused"
        };
        (!others.is_empty()).then(|| {
            format!("the authorizer {} is not asked and has no opinion: {effect}", others.join(", "))
        })
    }

    /// Returns the note about feature gates that an older release may have had, or not.
    pub(super) fn note_of_gates(&self) -> Option<String> {
        if self.emulated_version().ok()? == Version::BINARY {
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
        if self.release() == Version::BINARY && self.distribution == Distribution::Kubernetes {
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

    /// Returns the APIs that `--runtime-config` enables and disables.
    pub fn runtime_config(&self) -> RuntimeConfig {
        let served = RuntimeConfig::new(self.runtime_config.iter().map(String::as_str));
        served.on(self.distribution, self.has_openshift_apiserver())
    }

    /// Returns the enabled plugins, in the order of the chain.
    pub fn enabled_plugins(&self) -> Result<Vec<&'static Plugin>, ConfigurationError> {
        let mut errors: Vec<_> = self.emulation_error()?.into_iter().collect();
        errors.extend(self.authorization_errors());
        errors.extend(self.plugin_errors());
        if !errors.is_empty() {
            let error = ConfigurationError::new(field::aggregate(&errors));
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
    pub(super) fn aggregated_plugins(&self) -> Vec<&'static Plugin> {
        if self.has_openshift_apiserver() { self.selected(Server::OpenShiftApiserver) } else { Vec::new() }
    }

    /// Returns the enabled plugins of kube-apiserver, even if the flags have other errors.
    pub(super) fn selected_plugins(&self) -> Vec<&'static Plugin> {
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

    /// Whether the release can be emulated.
    ///
    /// Source: `kubeEffectiveVersionFloors`.
    fn emulation_error(&self) -> Result<Option<String>, ConfigurationError> {
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

    /// Source: `BuiltInAuthorizationOptions.Validate`.
    fn authorization_errors(&self) -> Vec<String> {
        let modes = &self.authorization_mode;
        let error = |mode: &String| match mode.as_str() {
            "AlwaysAllow" | "AlwaysDeny" | "RBAC" | "Node" => None,
            "Scope" | "SystemMasters" | "MinimumKubeletVersion" if self.distribution.is_openshift() => None,
            "ABAC" if self.authorization_policy_file.is_some() => None,
            "ABAC" => Some("authorization-mode ABAC's authorization policy file not passed".to_owned()),
            "Webhook" if self.authorization_webhook_config_file.is_some() => None,
            "Webhook" => Some("authorization-mode Webhook's authorization config file not passed".to_owned()),
            _ => Some(format!("authorization-mode {} is not a valid mode", quote(mode))),
        };
        if self.authorization_config.is_some() {
            let has_others = !modes.is_empty() || self.authorization_webhook_config_file.is_some();
            let error = "--authorization-config can not be specified when --authorization-mode or \
                         --authorization-webhook-* flags are defined";
            return if has_others { vec![error.to_owned()] } else { Vec::new() };
        }
        let mut errors: Vec<_> = modes.iter().filter_map(error).collect();
        for (file, flag, mode) in [
            (&self.authorization_policy_file, "authorization-policy-file", "ABAC"),
            (&self.authorization_webhook_config_file, "authorization-webhook-config-file", "Webhook"),
        ] {
            if file.is_some() && !modes.iter().any(|other| other == mode) {
                errors.push(format!("cannot specify --{flag} without mode {mode}"));
            }
        }
        if modes.iter().collect::<BTreeSet<_>>().len() < modes.len() {
            let quoted: Vec<_> = modes.iter().map(|mode| quote(mode)).collect();
            let quoted = quoted.join(" ");
            errors.push(format!("authorization-mode [{quoted}] has mode specified more than once"));
        }
        errors
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

/// The modes that ask a file or another server, which kadmit does not.
const ASKING_ELSEWHERE: [&str; 2] = ["ABAC", "Webhook"];

/// Returns the server's errors about `--runtime-config`.
///
/// Source: `APIEnablementOptions.Validate`, `resourceconfig.MergeAPIResourceConfigs`.
fn runtime_config_errors(values: &[String]) -> Vec<String> {
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

/// Parses a release that kadmit knows; the patch does not matter.
fn kubernetes_version(value: &str) -> Result<Version, ConfigurationError> {
    const KNOWN: RangeInclusive<Version> = Version::minor(Releases::OLDEST)..=Version::BINARY;
    let minor: Vec<_> = value.splitn(3, '.').take(2).collect();
    let version: Version = minor.join(".").parse().map_err(|_| {
        let message = format!("--kubernetes-version {} is not a release", quote(value));
        ConfigurationError::new(message).help("name it like this: 1.30")
    })?;
    if KNOWN.contains(&version) {
        Ok(version)
    } else {
        let (oldest, newest) = (KNOWN.start(), KNOWN.end());
        let message = format!("kadmit does not know Kubernetes {version}");
        Err(ConfigurationError::new(message).help(format!("it knows the releases from {oldest} to {newest}")))
    }
}

#[cfg(test)]
mod tests;
