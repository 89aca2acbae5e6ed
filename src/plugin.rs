//! The plugins, in the order of kube-apiserver's `AllOrderedPlugins`.
//!
//! One entry per plugin: all other information about plugins is derived from [`ALL_ORDERED_PLUGINS`].

mod additions;
mod admission_controllers;
mod always_admit;
mod always_deny;
mod always_pull_images;
mod certificate_approval;
mod certificate_signing;
mod certificate_subject_restriction;
mod cluster_trust_bundle_attest;
mod default_ingress_class;
mod default_storage_class;
mod default_toleration_seconds;
mod deny_service_external_ips;
mod event_rate_limit;
mod extended_resource_toleration;
mod image_policy_webhook;
mod job_validation;
mod limit_pod_hard_anti_affinity_topology;
mod limit_ranger;
mod mutating_admission_policy;
mod mutating_admission_webhook;
mod namespace_auto_provision;
mod namespace_exists;
mod namespace_lifecycle;
mod node_declared_feature_validator;
mod node_restriction;
#[cfg(feature = "openshift")]
pub(crate) mod openshift;
#[cfg(not(feature = "openshift"))]
#[path = "plugin/without_openshift.rs"]
pub(crate) mod openshift;
mod owner_references_permission_enforcement;
mod persistent_volume_claim_resize;
mod pod_group_protection;
mod pod_node_selector;
mod pod_resize_validator;
mod pod_security;
mod pod_toleration_restriction;
mod pod_topology_labels;
mod priority;
mod release;
mod removed;
pub(crate) mod resource_quota;
mod runtime_class;
mod security_context;
mod service_account;
mod storage_object_in_use_protection;
mod table;
mod taint_nodes_by_condition;
#[cfg(test)]
mod testing;
mod validating_admission_policy;
mod validating_admission_webhook;

use std::sync::{Arc, LazyLock};

use rustc_hash::FxHashSet;

use crate::admission::{Handler, Operation, Phase};
use crate::cluster::Cluster;
use crate::cluster::authorizer::Authorizer;
use crate::policy::configuration::static_manifests_dir;
use crate::policy::coverage::Coverage;
use crate::policy::{Equivalents, ExpressionCompiler, Matcher, Policies, PolicySource};
use crate::versioned::{self, ServerFiles};
use crate::webhook::Webhooks;
use gotext::source::{Node, SourceFile};
use kube_api::distribution::Server;
use kube_api::pod_security::Level;
use kube_api::resource::RuntimeConfig;
use kube_api::server_profile::ServerProfile;
use kube_api::version::Version;
use kube_api::{GroupResource, Value};

pub use admission_controllers::AdmissionControllerAddresses;
pub(crate) use image_policy_webhook::IMAGE_POLICY_FIELDS;
pub use openshift::OpenShiftOptions;
pub(crate) use pod_node_selector::invalid_node_selectors;
#[cfg(feature = "report")]
pub(crate) use pod_security::levels as pod_security_levels;
pub use release::{ConfigurationKind, Gate, Releases};
#[cfg(feature = "openshift")]
pub(crate) use resource_quota::{OtherQuotas, over as over_other_quotas};
pub use table::ALL_ORDERED_PLUGINS;

/// The parts of the server that a factory may use to build a plugin.
#[derive(Clone, Debug)]
pub struct PluginInitializer {
    /// The existing objects.
    pub cluster: Arc<Cluster>,
    /// Decides on users' rights.
    pub authorizer: Arc<Authorizer>,
    /// The release that the server emulates, its distribution and its feature gates.
    pub profile: Arc<ServerProfile>,
    /// The APIs that the server serves.
    pub runtime_config: RuntimeConfig,
    /// The source of webhooks' answers.
    pub webhooks: Webhooks,
    /// `--default-not-ready-toleration-seconds`
    pub default_not_ready_toleration_seconds: i64,
    /// `--default-unreachable-toleration-seconds`
    pub default_unreachable_toleration_seconds: i64,
    /// `--enforce`: the Pod Security level that every namespace enforces, whatever its labels are.
    pub enforce: Option<Level>,
    /// `--explain-migration`: notes name the closest replacement of what is gone.
    pub explain_migration: bool,
    /// `--admission-controllers`, `--admission-controller-service`
    pub admission_controllers: AdmissionControllerAddresses,
    /// `--ir-namespace-only`
    pub ir_namespace_only: bool,
    /// Where the files are that configurations name.
    pub files: ServerFiles,
    /// The counters of what is evaluated of policies, if it is counted.
    pub coverage: Option<Arc<Coverage>>,
    /// The server that the plugins are part of.
    pub server: Server,
    /// The other settings in the files of OpenShift's servers.
    pub openshift: Arc<OpenShiftOptions>,
}

impl PluginInitializer {
    /// Returns the policies called `policy` in the cluster, whose `resources` are theirs, and in the directory that a
    /// configuration of `kind` names.
    fn policies<E>(
        &self,
        configuration: Option<&PluginConfiguration>,
        kind: &versioned::Kind,
        policy: &str,
        resources: &'static [GroupResource; 3],
        compile: fn(&Value, &ExpressionCompiler) -> E,
    ) -> Result<Policies<E>, FactoryError> {
        let text = configuration.map(|given| given.text.as_str());
        let fixed = match static_manifests_dir(text, kind, &self.profile, &self.files)? {
            Some(directory) => PolicySource::of_directory(&directory, policy, &self.profile)
                .map_err(FactoryError::Initialization)?,
            None => PolicySource::default(),
        };
        Ok(Policies::new(self.cluster.clone(), resources, fixed, self.coverage.clone(), compile))
    }

    /// Returns what matches requests with the rules of policies and webhooks.
    fn matcher(&self) -> Matcher {
        let equivalents = Equivalents::new(self.profile.release(), self.runtime_config.clone());
        Matcher::new(self.cluster.clone(), equivalents)
    }

    /// Returns what the distribution adds to Kubernetes' own plugins.
    fn additions(&self) -> &'static additions::Additions {
        openshift::additions(self.server)
    }
}

/// The configuration of one plugin, as the `AdmissionConfiguration` contains or names it.
#[derive(Clone, Debug, PartialEq)]
pub struct PluginConfiguration {
    /// The text of the plugin's file; for an inline configuration its JSON with sorted keys.
    pub text: String,
    /// The same as it was written, if it is from a file.
    pub(crate) written: Option<(Arc<SourceFile>, Node)>,
}

impl PluginConfiguration {
    /// Returns the file and the line in which the field after `steps` was written.
    fn place(&self, steps: &[&str]) -> Option<String> {
        let (source, node) = self.written.as_ref()?;
        let field = steps.iter().try_fold(node, |node, step| node.get(step))?;
        Some(format!("{}:{}", source.name(), source.line_column(field.span.start).0))
    }
}

impl From<String> for PluginConfiguration {
    fn from(text: String) -> Self {
        Self { text, written: None }
    }
}

/// How a plugin is built.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Factory {
    /// Without a configuration, and without errors.
    Plain(fn(&PluginInitializer) -> Handler),
    /// From its configuration, or with the reason why it cannot be built.
    Fallible(fn(&PluginInitializer, Option<&PluginConfiguration>) -> Result<Handler, FactoryError>),
    /// As the validator of one resource of OpenShift.
    #[cfg_attr(not(feature = "openshift"), expect(dead_code, reason = "only OpenShift has them"))]
    Validator(openshift::Validated),
}

impl Factory {
    /// Builds the plugin.
    fn build(
        self,
        initializer: &PluginInitializer,
        configuration: Option<&PluginConfiguration>,
    ) -> Result<Handler, FactoryError> {
        match self {
            Self::Plain(factory) => Ok(factory(initializer)),
            Self::Fallible(factory) => factory(initializer, configuration),
            Self::Validator(validated) => Ok(validated.build(initializer)),
        }
    }
}

/// Returns the effective configuration of a plugin: with all defaults, in its newest version.
pub type Effective = fn(&PluginInitializer, Option<&PluginConfiguration>) -> Result<Value, FactoryError>;

/// Why a plugin cannot be built, in the words of kube-apiserver.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FactoryError {
    /// It cannot be built from its configuration.
    #[error("{0}")]
    Configuration(String),
    /// It was built, but is not operational: upstream's `ValidateInitialization`.
    #[error("{0}")]
    Initialization(String),
}

impl From<String> for FactoryError {
    fn from(message: String) -> Self {
        Self::Configuration(message)
    }
}

impl From<versioned::Error> for FactoryError {
    fn from(error: versioned::Error) -> Self {
        Self::Configuration(error.to_string())
    }
}

/// A line of [`ALL_ORDERED_PLUGINS`].
#[derive(Clone, Copy, Debug)]
pub struct Plugin {
    /// The name in flags and in the `AdmissionConfiguration`.
    pub name: &'static str,
    /// The phases in which it is called.
    pub phases: &'static [Phase],
    /// The operations it is called for.
    pub operations: &'static [Operation],
    /// The releases that have it.
    pub releases: Releases,
    /// The releases that enable it by default.
    pub default_in: Option<Releases>,
    /// Its feature gates; it does nothing if all that a release knows are off.
    pub gates: &'static [Gate],
    /// The kinds that its configuration may have.
    pub configurations: &'static [ConfigurationKind],
    /// The resources in the cluster that it looks up for requests about others, such as `storageclasses.storage.k8s.io`:
    /// the cluster keeps their objects ready, and what was refused is tried again when they change.
    pub looks_up: &'static [&'static str],
    /// The further resources in the cluster that it reads: those of a request itself, or that it counts. A run may
    /// admit any number of them.
    pub reads: &'static [&'static str],
    /// The behaviour that kadmit's has in every release, and Kubernetes' since the release with this minor.
    pub changes: &'static [(u32, &'static str)],
    /// Whether a server with it enabled fails to start if its gates are off.
    pub needs_gate: bool,
    /// Whether servers ask it also while its gates are off, as it looks at them itself.
    pub checks_gate: bool,
    /// The name that it had on the masters of Origin, if that is another one.
    pub former_name: Option<&'static str>,
    /// The kind of its configuration in the API of OpenShift, if it has one.
    pub openshift_configuration: Option<&'static str>,
    /// Whether a master of Origin has it only if it is configured.
    pub only_configured: bool,
    factory: Factory,
    /// Its effective configuration, if it can be configured.
    pub effective: Option<Effective>,
    /// The text of its file, of which the `//!` lines are the documentation.
    source: &'static str,
}

impl Plugin {
    /// Builds it from its configuration.
    ///
    /// # Errors
    ///
    /// Returns the server's error, with which it does not start.
    pub fn build(
        &self,
        initializer: &PluginInitializer,
        configuration: Option<&PluginConfiguration>,
    ) -> Result<Handler, FactoryError> {
        self.factory.build(initializer, configuration)
    }

    /// Whether `release` calls it by default. Its feature gates may let it have no effect.
    pub fn default_on(&self, release: Version) -> bool {
        self.releases.contains(release) && self.default_in.is_some_and(|releases| releases.contains(release))
    }

    /// Whether `server` of `release` calls it by default.
    pub fn default_on_in(&self, server: Server, release: Version) -> bool {
        let by_openshift = self.releases.contains(release) && openshift::switches_on(server, self.name);
        self.default_on(release) || by_openshift
    }

    /// Whether its feature gates let it have an effect, where `is_on` returns whether a gate is on.
    pub fn is_active(&self, release: Version, is_on: impl FnMut(&Gate) -> bool) -> bool {
        let mut gates = self.gates_in(release).peekable();
        gates.peek().is_none() || gates.any(is_on)
    }

    /// Returns its feature gates that `release` knows.
    pub fn gates_in(&self, release: Version) -> impl Iterator<Item = &'static Gate> + use<> {
        self.gates.iter().filter(move |gate| gate.releases.contains(release))
    }

    /// Returns the kinds of its configuration that `release` reads.
    pub fn configurations_in(
        &self,
        release: Version,
    ) -> impl Iterator<Item = &'static ConfigurationKind> + use<> {
        self.configurations.iter().filter(move |kind| kind.releases.contains(release))
    }

    /// Returns the resources that it reads in the cluster.
    pub fn resources(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.looks_up.iter().chain(self.reads).copied()
    }

    /// Returns the resources that it reads in the cluster in `release`, which serves them.
    pub fn reads_in(&self, release: Version) -> impl Iterator<Item = &'static str> + use<> {
        let name = self.name;
        self.resources().filter(move |resource| {
            let since = SERVED_SINCE.iter().find(|(late, _)| late == resource);
            let before = READ_BEFORE.iter().find(|(plugin, early, _)| *plugin == name && early == resource);
            since.is_none_or(|(_, since)| release >= *since)
                && before.is_none_or(|(.., before)| release < *before)
        })
    }

    /// Returns the behaviour of kadmit's that it did not have yet in `release`.
    pub fn changes_after(&self, release: Version) -> impl Iterator<Item = (Version, &'static str)> + use<> {
        let changes =
            self.changes.iter().map(|(minor, change)| (Version { major: 1, minor: *minor }, *change));
        changes.filter(move |(since, _)| release < *since)
    }

    /// Whether it only validates the objects of one resource of OpenShift.
    pub fn is_validator(&self) -> bool {
        matches!(self.factory, Factory::Validator(_))
    }

    /// Returns its documentation in Markdown.
    pub fn documentation(&self) -> String {
        if let Factory::Validator(validated) = &self.factory {
            return validated.documentation();
        }
        let lines = self.source.lines().map_while(|line| line.strip_prefix("//!"));
        let lines: Vec<_> = lines.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect();
        lines.join("\n") + "\n"
    }
}

/// Returns the plugins of `release`, in the order in which it calls them.
pub fn of_release(release: Version) -> Vec<&'static Plugin> {
    let mut plugins: Vec<_> =
        ALL_ORDERED_PLUGINS.iter().filter(|plugin| plugin.releases.contains(release)).collect();
    if RUNTIME_CLASS_LATE.contains(release) {
        let position = |name| move |plugin: &&Plugin| plugin.name == name;
        let from = plugins.iter().position(position("RuntimeClass")).expect("these releases have it");
        let plugin = plugins.remove(from);
        let to = plugins.iter().position(position("ResourceQuota")).expect("every release has it");
        plugins.insert(to, plugin);
    }
    plugins
}

/// Resources that are newer than the plugins that read them.
const SERVED_SINCE: &[(&str, Version)] = &[
    ("deviceclasses.resource.k8s.io", Version::minor(34)),
    ("resourceclaims.resource.k8s.io", Version::minor(34)),
];

/// Plugins, resources that they read no longer, and the first releases without.
const READ_BEFORE: &[(&str, &str, Version)] = &[("ServiceAccount", "secrets", Version::minor(21))];

/// The releases in which `RuntimeClass` came after the webhooks, so that they did not see what it fills in.
const RUNTIME_CLASS_LATE: Releases = Releases { first: 16, last: Some(17) };

/// Returns the plugins of `server` in `release`, in the order in which it calls them.
pub fn of(server: Server, release: Version) -> Vec<&'static Plugin> {
    match server {
        Server::Kubernetes => of_release(release),
        server => openshift::plugins(server, of_release(release)),
    }
}

/// Whether `server` has a plugin called `name`, in any release.
pub fn has(server: Server, name: &str) -> bool {
    match server {
        Server::Kubernetes => ALL_ORDERED_PLUGINS.iter().any(|plugin| plugin.name == name),
        server => openshift::plugins(server, ALL_ORDERED_PLUGINS.iter().collect())
            .iter()
            .any(|plugin| plugin.name == name),
    }
}

/// Returns every plugin that kadmit knows, of any release and server.
pub fn all() -> impl Iterator<Item = &'static Plugin> {
    ALL_ORDERED_PLUGINS.iter().chain(openshift::own())
}

/// Returns the plugin called `name`, in any release of any server.
pub fn find(name: &str) -> Option<&'static Plugin> {
    with_those_of_origin().find(|plugin| plugin.name == name)
}

/// Returns the plugin that is called after all others if one of its flags is set.
pub fn admission_controllers() -> &'static Plugin {
    &admission_controllers::PLUGIN
}

fn with_those_of_origin() -> impl Iterator<Item = &'static Plugin> {
    all().chain(openshift::of_origin()).chain([admission_controllers()])
}

/// Whether any plugin looks up objects of `resource` for requests about others.
pub fn looks_up(resource: &GroupResource) -> bool {
    static LOOKED_UP: LazyLock<FxHashSet<GroupResource>> = LazyLock::new(|| {
        let names = all().flat_map(|plugin| plugin.looks_up);
        names.copied().map(resource_named).collect()
    });
    LOOKED_UP.contains(resource)
}

/// Returns the resources that plugins read in the cluster.
#[cfg(feature = "cli")]
pub(crate) fn all_read() -> impl Iterator<Item = GroupResource> {
    all().flat_map(Plugin::resources).map(resource_named)
}

/// Returns the resource that a row calls `name`, such as `storageclasses.storage.k8s.io`.
fn resource_named(name: &'static str) -> GroupResource {
    let (resource, group) = name.split_once('.').unwrap_or((name, ""));
    GroupResource::new(group, resource)
}

/// Returns the plugin whose name differs from `name` by its case or by a few letters.
pub fn suggest(name: &str) -> Option<&'static Plugin> {
    let lower = name.to_lowercase();
    let distance = |plugin: &Plugin| strsim::damerau_levenshtein(&lower, &plugin.name.to_lowercase());
    let near = ALL_ORDERED_PLUGINS.iter().map(|plugin| (distance(plugin), plugin));
    near.filter(|(distance, _)| *distance <= 3)
        .min_by_key(|(distance, plugin)| (*distance, plugin.name))
        .map(|(_, plugin)| plugin)
}

/// Returns the feature gates of plugins with their defaults in `release`.
pub fn gate_defaults(release: Version) -> impl Iterator<Item = (&'static str, bool)> {
    let gates = ALL_ORDERED_PLUGINS.iter().flat_map(|plugin| plugin.gates);
    gates.filter_map(move |gate| Some((gate.feature.name(), gate.default_in(release)?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use kube_api::resources::{NAMESPACES, PODS, RESOURCE_QUOTAS};

    #[test]
    fn requests_about_others_do_not_look_up_what_a_run_admits_in_masses() {
        assert!(looks_up(&NAMESPACES) && looks_up(&RESOURCE_QUOTAS));
        assert!(looks_up(&GroupResource::new("policy", "podsecuritypolicies")));
        let constraints = GroupResource::new("security.openshift.io", "securitycontextconstraints");
        assert_eq!(looks_up(&constraints), cfg!(feature = "openshift"));
        for plugin in all() {
            assert!(plugin.reads.iter().all(|name| !plugin.looks_up.contains(name)), "{}", plugin.name);
        }
        assert!(!looks_up(&PODS));
    }
}
