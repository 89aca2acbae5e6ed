//! The setup of the API server: plugin flags, feature gates, the `AdmissionConfiguration` and the chain that follows
//! from them.

mod admission_configuration;
mod check;
mod fault;
mod flags;
mod kube_apiserver;
#[cfg(feature = "openshift")]
mod openshift;
#[cfg(not(feature = "openshift"))]
#[path = "configuration/without_openshift.rs"]
mod openshift;
pub mod structured;
mod variant;
mod view;
mod webhooks;

use std::sync::Arc;

use thiserror::Error;

use crate::admission::{Chain, Handler, Link};
use crate::cluster::Cluster;
use crate::cluster::authorizer::{AuthorizationMode, Authorizer};
use crate::plugin::{FactoryError, Plugin, PluginInitializer};
use gotext::quote;
use gotext::source::{Node, SourceFile, Span};
use kube_api::distribution::Server;
use kube_api::server_profile::ServerProfile;
use kube_api::version::Version;

pub use admission_configuration::AdmissionConfiguration;
pub use check::Check;
pub use fault::Fault;
pub use flags::Flags;
pub use openshift::OpenShiftSettings;
use openshift::ServerFile;
pub use variant::Variant;
pub use view::{PluginView, View};
pub use webhooks::WebhookFlags;

/// The reason that the server would not start, in its words.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{message}")]
pub struct ConfigurationError {
    /// The message of kube-apiserver.
    pub message: String,
    /// The file that it is about, if there is one.
    pub file: Option<String>,
    /// The place in that file, if known.
    pub place: Option<(Arc<SourceFile>, Span)>,
    /// Advice on how to fix it.
    pub help: Option<String>,
    /// What is wrong, if a program may want to know.
    pub fault: Option<Fault>,
}

impl ConfigurationError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), file: None, place: None, help: None, fault: None }
    }

    /// Returns the line of the file, counted from 1.
    pub fn line(&self) -> Option<usize> {
        self.place.as_ref().map(|(source, span)| source.line_column(span.start).0)
    }

    fn at(mut self, source: &Arc<SourceFile>, span: Option<Span>) -> Self {
        self.file = Some(source.name().to_owned());
        self.place = span.map(|span| (source.clone(), span));
        self
    }

    pub(crate) fn with(mut self, fault: Fault) -> Self {
        self.fault = Some(fault);
        self
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// The result of a server's flags and files.
pub struct Configuration {
    /// The enabled plugins, ready to use.
    pub chain: Chain,
    /// The release that the server emulates, its distribution and its feature gates.
    pub profile: Arc<ServerProfile>,
    /// The authorizer that plugins ask about users' rights.
    pub authorizer: Arc<Authorizer>,
    /// The release of the server.
    pub release: Version,
    /// The differences between the release and kadmit, as sentences.
    pub notes: Vec<String>,
    /// What the files of OpenShift's servers say about their kinds.
    pub openshift: OpenShiftSettings,
}

impl Configuration {
    /// Builds the chain that `flags` configure, over the objects of `cluster`.
    pub fn new(
        flags: &Flags,
        profile: Arc<ServerProfile>,
        cluster: Arc<Cluster>,
    ) -> Result<Self, ConfigurationError> {
        if let Some(error) = flags.flag_errors().into_iter().next() {
            return Err(error);
        }
        let plugins = flags.enabled_plugins()?;
        let modes = flags.authorization_modes()?;
        let release = flags.release();
        let emulated_version = profile.release();
        let file = flags.admission_configuration(&plugins).transpose()?.unwrap_or_default();
        let server = flags.distribution.kube_apiserver();
        let own = ServerFile::of(flags, server)?;
        let file = file.and(own.admission());
        let mut initializer = initializer(flags, profile.clone(), cluster, modes);
        initializer.openshift = Arc::new(own.options(flags));
        let authorizer = initializer.authorizer.clone();
        let mut links = Vec::new();
        let mut notes: Vec<_> = flags.origin.iter().cloned().collect();
        notes.extend(openshift::note_of_rights(flags, server));
        for plugin in plugins {
            let active = plugin.is_active(emulated_version, |gate| profile.enabled(gate.feature));
            if emulated_version < Version::RECORDED && !active && !plugin.needs_gate && !plugin.checks_gate {
                // A server builds the plugins whose gate is off, and then does not ask them.
                if !plugin.configurations.is_empty() {
                    link(plugin, &initializer, &file, release)?;
                }
                continue;
            }
            notes.extend(difference(plugin, release));
            let link = link(plugin, &initializer, &file, release)?;
            links.push(if server.is_origin() {
                Link { handler: link.handler.in_one_phase(), ..link }
            } else {
                link
            });
        }
        if flags.enforce.is_some() && !links.iter().any(|link| link.name == "PodSecurity") {
            let error = "--enforce needs the plugin PodSecurity, which this server does not call";
            return Err(ConfigurationError::new(error).help("enable it, or leave --enforce out"));
        }
        if release < Version::RECORDED {
            notes.push(format!("{release} is emulated except for the parts that docs/emulation.md lists"));
        }
        if !flags.admission_controllers.is_empty() {
            links.push(link(crate::plugin::admission_controllers(), &initializer, &file, release)?);
        }
        let (chain, openshift) = openshift::attach(Chain::new(links), flags, &initializer, release)?;
        Ok(Self { chain, profile, authorizer, release, notes, openshift })
    }
}

fn initializer(
    flags: &Flags,
    profile: Arc<ServerProfile>,
    cluster: Arc<Cluster>,
    modes: Vec<AuthorizationMode>,
) -> PluginInitializer {
    PluginInitializer {
        authorizer: Arc::new(
            Authorizer::new(cluster.clone(), modes)
                .with_webhooks(flags.authorization_webhooks())
                .with_gates(profile.clone()),
        ),
        cluster,
        profile,
        runtime_config: flags.runtime_config(),
        webhooks: flags.webhooks.clone(),
        default_not_ready_toleration_seconds: flags.default_not_ready_toleration_seconds,
        default_unreachable_toleration_seconds: flags.default_unreachable_toleration_seconds,
        enforce: flags.enforce,
        explain_migration: flags.explain_migration,
        admission_controllers: flags.admission_controllers.clone(),
        ir_namespace_only: flags.ir_namespace_only,
        files: flags.files.clone(),
        coverage: flags.coverage.clone(),
        server: flags.distribution.kube_apiserver(),
        openshift: Arc::default(),
    }
}

/// Returns the behaviour of kadmit's plugin that the one of `release` did not have.
fn difference(plugin: &Plugin, release: Version) -> Option<String> {
    let changes: Vec<_> =
        plugin.changes_after(release).map(|(since, change)| format!("{change} (since {since})")).collect();
    let name = plugin.name;
    (!changes.is_empty()).then(|| format!("{name} differs from that of {release}: {}", changes.join("; ")))
}

/// Returns the server's error about a configuration in a version that came later, or is gone.
fn unread_form(plugin: &Plugin, release: Version, text: &str) -> Option<ConfigurationError> {
    let document = kube_yaml::read_first(&SourceFile::new("", text)).ok()?;
    let header = |key| document.node.get(key).and_then(Node::as_str);
    let (api_version, kind) = (header("apiVersion")?, header("kind")?);
    let form =
        plugin.configurations.iter().find(|form| form.api_version == api_version && form.kind == kind)?;
    if form.releases.contains(release) {
        return None;
    }
    let message = format!(
        "no kind {} is registered for version {} in Kubernetes {release}",
        quote(kind),
        quote(api_version)
    );
    let read: Vec<_> = plugin.configurations_in(release).map(|form| form.api_version).collect();
    let help = format!("it exists {}; {release} reads {}", form.releases.in_words(), read.join(", "));
    Some(ConfigurationError::new(message).help(help))
}

fn link(
    plugin: &'static Plugin,
    initializer: &PluginInitializer,
    file: &AdmissionConfiguration,
    release: Version,
) -> Result<Link, ConfigurationError> {
    // A plugin whose configurations came later ignores whatever it is given.
    let reads_any = plugin.configurations.is_empty() || plugin.configurations_in(release).next().is_some();
    let mut configuration = file.configuration_for(plugin.name)?.filter(|_| reads_any);
    let refuse = |failed: &str, error: &str| {
        let failed = match initializer.server {
            Server::Kubernetes | Server::OpenShift => format!("failed to apply admission: {failed}"),
            Server::OpenShiftApiserver => failed.to_owned(),
            Server::Origin(_) => failed.replacen('c', "C", 1),
        };
        let message = format!("{failed} admission plugin \"{}\": {error}", plugin.name);
        let help = initializer.files.help_if_missing(error);
        ConfigurationError { help: help.map(str::to_owned), ..file.error_about(plugin.name, message) }
    };
    let unread = configuration.as_ref().and_then(|given| unread_form(plugin, release, &given.text));
    if let Some(unread) = unread {
        let refused = refuse("couldn't init", &unread.message);
        return Err(ConfigurationError { help: unread.help, ..refused });
    }
    if !openshift::is_called(plugin, initializer.server, &mut configuration, file) {
        let handler = Handler::default();
        return Ok(Link { name: plugin.name, operations: plugin.operations, handler });
    }
    let handler = plugin.build(initializer, configuration.as_ref()).map_err(|error| {
        let failed = match error {
            FactoryError::Configuration(_) => "couldn't init",
            FactoryError::Initialization(_) => "failed to initialize",
        };
        refuse(failed, &error.to_string())
    })?;
    // One that its configuration switches off has no halves.
    let is_as_listed =
        handler.phases().next().is_none() || handler.phases().eq(plugin.phases.iter().copied());
    debug_assert!(is_as_listed, "{} is called in other phases than its table says", plugin.name);
    Ok(Link { name: plugin.name, operations: plugin.operations, handler })
}
