//! The flags of kube-apiserver, of every subcommand that sets a server up.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};

use crate::configuration::{ConfigurationError, Flags, Variant, WebhookFlags};
use crate::webhook::Services;
use kube_api::version::default_minor;

/// Flags that kube-apiserver has with the same name.
#[derive(Clone, Debug, PartialEq, Eq, Args)]
#[command(next_help_heading = "Flags of kube-apiserver")]
pub(super) struct ServerFlags {
    /// Read the server's flags from this static Pod, systemd unit or list of flags
    #[arg(long, value_name = "FILE")]
    kube_apiserver: Option<PathBuf>,

    /// Look for the files that --kube-apiserver names below this directory
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,

    #[arg(long, value_name = "VERSION", help = concat!(
        "Emulate this release of Kubernetes, from 1.10 on [default: 1.", default_minor!(), "]"
    ))]
    kubernetes_version: Option<String>,

    /// Emulate the servers of this distribution: openshift, origin=1.4 or origin=3.11 [default: kubernetes]
    #[arg(long, value_name = "NAME")]
    distribution: Option<String>,

    /// Read the KubeAPIServerConfig of OpenShift's kube-apiserver from this file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    openshift_config: Option<String>,

    /// Read the OpenShiftAPIServerConfig of openshift-apiserver from this file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    openshift_apiserver_config: Option<String>,

    /// Read the MasterConfig of an Origin master from this file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    master_config: Option<String>,

    /// Enforce this Pod Security level in every namespace, whatever its labels are
    #[arg(long, value_name = "LEVEL", value_parser = ["privileged", "baseline", "restricted"])]
    enforce: Option<String>,

    /// Read the AdmissionConfiguration of the plugins from this file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    admission_control_config_file: Option<String>,

    /// Enable these plugins in addition to the default ones
    #[arg(long, value_name = "PLUGINS")]
    enable_admission_plugins: Vec<String>,

    /// Disable these plugins although they are on by default
    #[arg(long, value_name = "PLUGINS")]
    disable_admission_plugins: Vec<String>,

    /// Enable exactly these plugins
    #[arg(long, value_name = "PLUGINS")]
    admission_control: Vec<String>,

    /// Handle webhooks in this way: skip notes them, fail treats them as unreachable, recorded reads answers from
    /// --webhook-recordings, call calls them over HTTPS [default: skip]
    #[arg(long, value_name = "MODE", value_parser = ["skip", "fail", "recorded", "call"], help_heading = "Webhooks")]
    webhooks: Option<String>,

    /// Call the webhooks of a Service at this address, such as shop/hook:443=https://localhost:8443 (may be repeated)
    #[arg(long, value_name = "NAMESPACE/NAME[:PORT]=URL", help_heading = "Webhooks")]
    webhook_service: Vec<String>,

    /// Call the servers at these addresses for each create and update: host:port, or a URL for HTTPS
    #[arg(long, value_name = "ADDRESSES", help_heading = "Webhooks")]
    admission_controllers: Vec<String>,

    /// Call the servers of the Services in this namespace with this label for each create and update
    #[arg(long, value_name = "NAMESPACE/LABEL=VALUE", help_heading = "Webhooks")]
    admission_controller_service: Option<String>,

    /// Record the answers of called webhooks in this directory
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Webhooks")]
    record: Option<PathBuf>,

    /// Read the answers of webhooks from the files in this directory
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Webhooks")]
    webhook_recordings: Option<PathBuf>,

    /// Set feature gates, such as A=true,B=false
    #[arg(long, value_name = "GATES")]
    feature_gates: Vec<String>,

    /// Emulate this release, as kube-apiserver's flag does, such as 1.35
    #[arg(long, value_name = "VERSION")]
    emulated_version: Vec<String>,

    /// Enable or disable APIs, such as scheduling.k8s.io/v1alpha2=true
    #[arg(long, value_name = "APIS")]
    runtime_config: Vec<String>,

    /// Authorize by these modes: AlwaysAllow, RBAC, Node [default: AlwaysAllow]
    #[arg(long, value_name = "MODES")]
    authorization_mode: Vec<String>,

    /// Authorize by the authorizers of the AuthorizationConfiguration in this file; webhooks have no opinion
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    authorization_config: Option<String>,

    /// Check the AuthenticationConfiguration in this file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    authentication_config: Option<String>,

    /// Allow privileged containers [default: true]
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    allow_privileged: Option<String>,

    /// Tolerate not-ready nodes this long by default [default: 300]
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    default_not_ready_toleration_seconds: Option<String>,

    /// Tolerate unreachable nodes this long by default [default: 300]
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    default_unreachable_toleration_seconds: Option<String>,

    /// Allocate cluster IPs of Services from this range, or from these two of different families
    #[arg(long, value_name = "CIDRS")]
    service_cluster_ip_range: Option<String>,

    /// Allocate node ports of Services from this range [default: 30000-32767]
    #[arg(long, value_name = "PORTS")]
    service_node_port_range: Option<String>,

    /// Use only samples of the same namespace, with the plugin InitialResources (until 1.10)
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true", hide_short_help = true)]
    ir_namespace_only: Option<String>,

    /// Note which Pod Security level is closest to the PodSecurityPolicy (until 1.24) that accepts a pod
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true", hide_short_help = true)]
    explain_migration: Option<String>,
}

/// Returns the files in `directory`.
fn recordings_in(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().filter_map(Result::ok);
    entries.map(|entry| entry.path()).filter(|path| path.is_file()).collect()
}

impl ServerFlags {
    /// Returns the flags as the server understands them, or its error about a value that it does not accept.
    pub(super) fn read(&self) -> Result<Flags, ConfigurationError> {
        let (flags, errors) = self.read_all();
        errors.into_iter().next().map_or(Ok(flags), Err)
    }

    /// Returns the same flags for a server that opens no connection and records nothing: the files of an editor are not
    /// trusted yet, and are evaluated with every keystroke.
    pub(super) fn without_calls(&self) -> Self {
        let webhooks = self.webhooks.clone().filter(|mode| mode != "call");
        Self {
            webhooks,
            webhook_service: Vec::new(),
            admission_controllers: Vec::new(),
            admission_controller_service: None,
            record: None,
            ..self.clone()
        }
    }

    /// Whether Pods are admitted by constraints or policies that their service accounts may use.
    pub(super) fn grants_use(&self) -> bool {
        const PLUGIN: &str = "PodSecurityPolicy";
        let enabled = self.enable_admission_plugins.iter().chain(&self.admission_control);
        self.distribution.is_some() || enabled.flat_map(|names| names.split(',')).any(|name| name == PLUGIN)
    }

    /// Lets roles decide on the rights of users, unless it is set what decides.
    pub(super) fn authorize_by_roles(&mut self) {
        let is_set = !self.authorization_mode.is_empty() || self.authorization_config.is_some();
        if !is_set && self.kube_apiserver.is_none() {
            self.authorization_mode.push("RBAC".to_owned());
        }
    }

    /// Returns the flags of a server that differs from these flags by `variants`.
    pub(super) fn read_varied(&self, variants: &[Variant]) -> Result<Flags, ConfigurationError> {
        let start = variants.iter().rev().find_map(|variant| match variant {
            Variant::Start(file) => Some(file.clone()),
            _ => None,
        });
        let mut server = self.clone();
        server.kube_apiserver = start.or(server.kube_apiserver);
        let mut flags = server.read()?;
        for variant in variants {
            match variant {
                Variant::Flags(text) => flags.vary(text)?,
                Variant::Admission(file) => flags.admission_control_config_file = Some(file.clone()),
                Variant::Start(_) => {}
            }
        }
        Ok(flags)
    }

    /// Returns the flags whose values the server accepts, and its errors about the others.
    pub(super) fn read_all(&self) -> (Flags, Vec<ConfigurationError>) {
        let mut errors = Vec::new();
        let mut flags = self.flags_of_static_pod().unwrap_or_else(|error| {
            errors.push(error);
            Flags::default()
        });
        for (flag, value) in self.given() {
            errors.extend(flags.set(flag, value).err());
        }
        match self.webhook_flags().read() {
            Ok(webhooks) => flags.webhooks = webhooks,
            Err(error) => errors.push(error),
        }
        (flags, errors)
    }

    /// Returns the Services for which --webhook-service has an address that none of `used` is.
    pub(super) fn idle_services(&self, used: &[(String, String, u16)]) -> Vec<String> {
        let is_used = |text: &&String| {
            let mut services = Services::default();
            services.add(text).is_err()
                || used.iter().any(|(namespace, name, port)| services.place(namespace, name, *port).is_some())
        };
        self.webhook_service.iter().filter(|text| !is_used(text)).cloned().collect()
    }

    fn webhook_flags(&self) -> WebhookFlags {
        WebhookFlags {
            mode: self.webhooks.clone(),
            recordings: self.webhook_recordings.clone(),
            services: self.webhook_service.clone(),
            record: self.record.clone(),
        }
    }

    /// Returns the flags as on the command line of kube-apiserver, ordered by name.
    pub(super) fn arguments(&self) -> Vec<String> {
        let file =
            |flag, path: &Option<PathBuf>| path.as_ref().map(|path| format!("{flag}={}", path.display()));
        let taken = [
            file("--kube-apiserver", &self.kube_apiserver),
            file("--root", &self.root),
            self.webhooks.as_ref().map(|mode| format!("--webhooks={mode}")),
            file("--webhook-recordings", &self.webhook_recordings),
            file("--record", &self.record),
        ];
        let services = self.webhook_service.iter().map(|service| format!("--webhook-service={service}"));
        let own = self.given().map(|(flag, value)| format!("{flag}={value}"));
        taken.into_iter().flatten().chain(services).chain(own).collect()
    }

    /// Returns the same flags with relative paths resolved against `directory`.
    pub(super) fn resolved_against(mut self, directory: &Path) -> Self {
        let join = |path: &mut PathBuf| *path = directory.join(&path);
        self.kube_apiserver.as_mut().map(join);
        self.root.as_mut().map(join);
        self.webhook_recordings.as_mut().map(join);
        self.record.as_mut().map(join);
        if let Some(file) = self.admission_control_config_file.as_mut().filter(|file| !file.is_empty()) {
            *file = directory.join(&file).display().to_string();
        }
        let files =
            [&mut self.openshift_config, &mut self.openshift_apiserver_config, &mut self.master_config];
        let structured = [&mut self.authorization_config, &mut self.authentication_config];
        for file in files.into_iter().chain(structured).flatten() {
            *file = directory.join(&file).display().to_string();
        }
        self
    }

    /// Whether other servers decide about requests.
    pub(super) fn calls(&self) -> bool {
        self.webhooks.as_deref() == Some("call")
            || !self.admission_controllers.is_empty()
            || self.admission_controller_service.is_some()
    }

    /// Returns all files that the flags name, and those next to them, which configurations name in turn.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        let named = [&self.openshift_config, &self.openshift_apiserver_config, &self.master_config];
        let named = named.into_iter().flatten().map(PathBuf::from);
        let mut files: Vec<PathBuf> = self
            .configurations()
            .into_iter()
            .chain(named)
            .flat_map(|file| crate::cli::watch::around(&file))
            .chain(self.webhook_recordings.iter().flat_map(|directory| recordings_in(directory)))
            .collect();
        files.sort();
        files.dedup();
        files
    }

    /// Returns the configuration files of the server that the flags name.
    pub(super) fn configurations(&self) -> Vec<PathBuf> {
        let (flags, _) = self.read_all();
        let files =
            [flags.admission_control_config_file, flags.authorization_config, flags.authentication_config];
        self.kube_apiserver.iter().cloned().chain(files.into_iter().flatten()).collect()
    }

    fn given(&self) -> impl Iterator<Item = (&'static str, &String)> {
        let given: Vec<(&'static str, &[String])> = vec![
            ("--admission-controllers", &self.admission_controllers),
            ("--admission-controller-service", self.admission_controller_service.as_slice()),
            ("--distribution", self.distribution.as_slice()),
            ("--openshift-config", self.openshift_config.as_slice()),
            ("--openshift-apiserver-config", self.openshift_apiserver_config.as_slice()),
            ("--master-config", self.master_config.as_slice()),
            ("--kubernetes-version", self.kubernetes_version.as_slice()),
            ("--admission-control-config-file", self.admission_control_config_file.as_slice()),
            ("--enable-admission-plugins", &self.enable_admission_plugins),
            ("--disable-admission-plugins", &self.disable_admission_plugins),
            ("--admission-control", &self.admission_control),
            ("--feature-gates", &self.feature_gates),
            ("--emulated-version", &self.emulated_version),
            ("--runtime-config", &self.runtime_config),
            ("--authorization-mode", &self.authorization_mode),
            ("--authorization-config", self.authorization_config.as_slice()),
            ("--authentication-config", self.authentication_config.as_slice()),
            ("--allow-privileged", self.allow_privileged.as_slice()),
            ("--default-not-ready-toleration-seconds", self.default_not_ready_toleration_seconds.as_slice()),
            (
                "--default-unreachable-toleration-seconds",
                self.default_unreachable_toleration_seconds.as_slice(),
            ),
            ("--service-cluster-ip-range", self.service_cluster_ip_range.as_slice()),
            ("--service-node-port-range", self.service_node_port_range.as_slice()),
            ("--enforce", self.enforce.as_slice()),
            ("--explain-migration", self.explain_migration.as_slice()),
            ("--ir-namespace-only", self.ir_namespace_only.as_slice()),
        ];
        given.into_iter().flat_map(|(flag, values)| values.iter().map(move |value| (flag, value)))
    }

    fn flags_of_static_pod(&self) -> Result<Flags, ConfigurationError> {
        match (&self.kube_apiserver, &self.root) {
            (Some(file), root) => Flags::of_kube_apiserver(file, root.as_deref()),
            (None, None) => Ok(Flags::default()),
            (None, Some(_)) => {
                let error = ConfigurationError::new("--root has no effect without --kube-apiserver");
                Err(error.help("name the file that starts the server with --kube-apiserver"))
            }
        }
    }
}
