//! The settings of an evaluator, before the first request.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::admission::Chain;
use crate::cluster::Cluster;
use crate::cluster::authorizer::{AuthorizationMode, Authorizer};
use crate::configuration::OpenShiftSettings;
use crate::evaluation::applied::AppliedManifests;
use crate::evaluation::quota_use::QuotaLedger;
use crate::evaluation::{Evaluator, FileOrder, LiteralOrder, Rate, openshift, service_network};
use crate::workload;
use kube_api::resource::RuntimeConfig;
use kube_api::server_profile::ServerProfile;
use kube_api::version::Version;
use kube_registry::ServiceNetwork;

impl Evaluator {
    /// Returns an evaluator of `chain` on `cluster`. Without `strict`, controllers are emulated and undeclared
    /// namespaces are assumed.
    pub fn new(cluster: Arc<Cluster>, chain: Chain, profile: Arc<ServerProfile>, strict: bool) -> Self {
        let assumptions = if strict { Vec::new() } else { workload::run_controllers(&cluster, &profile) };
        let authorizer = Authorizer::new(cluster.clone(), vec![AuthorizationMode::AlwaysAllow]);
        let services = service_network::of_cluster(ServiceNetwork::default(), &cluster);
        let quotas = QuotaLedger::of(&cluster);
        let applied = AppliedManifests::new(cluster.clone());
        let handlers = openshift::handlers(profile.distribution(), OpenShiftSettings::default());
        Self {
            cluster,
            chain,
            profile,
            authorizer: Arc::new(authorizer),
            strict,
            assumes_namespaces: !strict,
            follows_workloads: !strict,
            runtime_config: RuntimeConfig::default(),
            assumptions,
            assumed_namespaces: BTreeSet::new(),
            applied,
            ordinal: 0,
            postponed: Vec::new(),
            unmet: Vec::new(),
            rate: None,
            handlers,
            services,
            quotas,
            clock: None,
            other_release: None,
            literal_order: None,
            isolates_documents: false,
            authorizes_requests: false,
            asks_webhooks: false,
            file_order: None,
            stays: false,
            shard: None,
            elsewhere: 0,
            created: BTreeMap::new(),
            denied_definitions: BTreeMap::new(),
            predicted: None,
        }
    }

    /// Sets what the configuration files of OpenShift's servers say about their kinds.
    #[must_use]
    pub fn with_openshift(self, settings: OpenShiftSettings) -> Self {
        let handlers = openshift::handlers(self.profile.distribution(), settings);
        Self { handlers, ..self }
    }

    /// Allocates addresses and ports of Services from `network`; its unknown parts follow from the existing Services.
    #[must_use]
    pub fn with_service_network(self, network: ServiceNetwork) -> Self {
        let services = service_network::of_cluster(network, &self.cluster);
        Self { services, ..self }
    }

    /// Issues uids, generations, owners of fields and times of `clock` to the objects that are stored.
    #[must_use]
    pub fn issuing(self, clock: fn() -> String) -> Self {
        service_network::settle_own(&self.services, &self.cluster, self.profile.release());
        Self { clock: Some(clock), ..self }
    }

    /// Answers requests for kinds that `release` serves and this server does not with the server's refusal, instead of
    /// an error about the input.
    #[must_use]
    pub fn compared_with(self, release: Version) -> Self {
        Self { other_release: Some(release), ..self }
    }

    /// Sets whether requests for manifests are authorized. By default only those are that are sent in an explicit way.
    #[must_use]
    pub fn authorizing_requests(self, authorizes_requests: bool) -> Self {
        Self { authorizes_requests, ..self }
    }

    /// Sets whether evaluations wait for the answers of webhooks.
    #[must_use]
    pub fn asking_webhooks(self, asks_webhooks: bool) -> Self {
        Self { asks_webhooks, ..self }
    }

    /// Whether requests for manifests are authorized.
    #[cfg(feature = "cli")]
    pub(crate) fn authorizes_requests(&self) -> bool {
        self.authorizes_requests
    }

    /// Whether evaluations wait for the answers of webhooks.
    pub fn asks_webhooks(&self) -> bool {
        self.asks_webhooks
    }

    /// Adds notes where documents are evaluated in another order than as they are written, and that matters.
    pub fn note_order(&mut self, files: FileOrder) {
        self.file_order = Some(files);
    }

    /// Evaluates every document against the given cluster; the effects of one do not apply to others. If documents are
    /// sorted, what others need stays: namespaces, accounts, classes.
    #[must_use]
    pub fn isolate_documents(self, isolates_documents: bool) -> Self {
        Self { isolates_documents, ..self }
    }

    /// Answers like a server that gets the documents in the order of writing: objects that do not exist yet are
    /// missing.
    pub fn keep_file_order(&mut self, order: LiteralOrder) {
        self.literal_order = Some(order);
    }

    /// Spreads the requests at `rate` instead of sending all at once.
    #[must_use]
    pub fn at_rate(self, rate: Rate) -> Self {
        Self { rate: Some(rate), ..self }
    }

    /// Sets whether the requests of controllers because of an admitted workload are sent. By default they are unless
    /// the evaluator is strict.
    #[must_use]
    pub fn following_workloads(self, follows_workloads: bool) -> Self {
        Self { follows_workloads, ..self }
    }

    /// Sets whether namespaces that nothing declares are assumed. By default they are unless the evaluator is strict.
    #[must_use]
    pub fn assuming_namespaces(self, assumes_namespaces: bool) -> Self {
        Self { assumes_namespaces, ..self }
    }

    /// Returns the objects that exist.
    pub(crate) fn cluster(&self) -> &Arc<Cluster> {
        &self.cluster
    }

    /// Whether controllers act on admitted workloads.
    #[cfg(feature = "serve")]
    pub(crate) fn plays_controllers(&self) -> bool {
        self.follows_workloads
    }

    /// Returns the authorizer.
    #[cfg(feature = "serve")]
    pub(crate) fn authorizer(&self) -> &Arc<Authorizer> {
        &self.authorizer
    }

    /// Names of the plugins in the chain, in order.
    pub fn plugins(&self) -> Vec<&'static str> {
        self.chain.names().collect()
    }

    /// Sets the `authorizer`.
    #[must_use]
    pub fn authorized_by(mut self, authorizer: Arc<Authorizer>) -> Self {
        self.assumptions.extend(authorizer.note());
        self.authorizer = authorizer;
        self
    }

    /// Sets the APIs that the server serves.
    #[must_use]
    pub fn serving(mut self, runtime_config: RuntimeConfig) -> Self {
        self.runtime_config = runtime_config;
        self
    }

    /// Returns the assumptions about the cluster, before any request.
    pub fn assumptions(&self) -> &[String] {
        &self.assumptions
    }

    /// Returns the feature gates that requests are decoded with.
    pub fn profile(&self) -> &ServerProfile {
        &self.profile
    }
}
