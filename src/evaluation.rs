//! The run: documents in order become requests, requests go through the chain, and admitted objects exist for later
//! requests.

mod accepted;
pub mod allocated;
mod applied;
mod apply;
pub(crate) mod assumed;
mod binding;
mod checkpoint;
mod connection;
mod deletion;
mod eviction;
mod follow_up;
mod generated;
mod hook_use;
mod initializers;
mod issued;
mod live;
#[cfg(feature = "openshift")]
mod openshift;
#[cfg(not(feature = "openshift"))]
#[path = "evaluation/without_openshift.rs"]
mod openshift;
mod options;
mod order;
mod outcome;
mod owner_references;
mod parent;
mod place;
mod prepared;
mod quota_use;
mod rate;
mod recorded;
mod remedies;
mod request;
mod review;
mod routing;
mod served;
mod server;
mod service_network;
mod setup;
mod shard;
mod successor;
mod target;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use crate::admission::{Chain, Hook, Operation};
use crate::cluster::Cluster;
use crate::cluster::authorizer::Authorizer;
use crate::webhook::Webhook;
use gotext::source::Node;
use kube_api::features::Feature;
use kube_api::resource::{self, RuntimeConfig};
use kube_api::resources::{MUTATING_WEBHOOK_CONFIGURATIONS, VALIDATING_WEBHOOK_CONFIGURATIONS};
use kube_api::server_profile::ServerProfile;
use kube_api::version::Version;
use kube_api::{GroupResource, GroupVersionKind, Object};
use kube_registry::{Read, ServiceNetwork};

pub use accepted::{Acceptance, Accepted, Skipped};
pub(crate) use apply::GENERATED;
pub use apply::{Apply, ApplyOptions, Unevaluated};
pub use checkpoint::Checkpoint;
pub use connection::connection_options;
pub use hook_use::HookUse;
#[cfg(feature = "serve")]
pub(crate) use issued::{issue_change, issue_identity};
pub use live::{AgainstLive, Live};
#[cfg(feature = "serve")]
pub(crate) use options::{validate_delete_options, validate_write_options};
pub use order::{FileOrder, Order, Parameters, Rank, is_needed, is_policy_kind};
pub(crate) use outcome::is_said;
pub use outcome::{Cause, ObjectError, Outcome};
pub(crate) use place::RememberedPlace;
pub use place::{MAX_EXCERPT_BYTES, ManifestText, Place, Written};
pub use prepared::Prepared;
pub use quota_use::{Amounts, QuotaUse, QuotaUser, QuotaUsers};
pub use rate::{Rate, RateError};
pub use recorded::{Answered, Patch, PreparedRecord, Recorded, Unrecorded};
pub use request::{Request, RequestDefaults, RequestError};
pub use served::{Routes, Served};
pub use shard::{Shard, ShardError, crosses_namespaces};
pub use successor::Successor;
pub use target::UnknownKind;

use applied::{Admitted, AppliedManifests};
use apply::{Patched, Unsent};
use follow_up::{Postponed, UnmetWork};
use issued::Writer;
use prepared::{Body, Foreseen};
use quota_use::QuotaLedger;
use server::handlers::Handlers;
use server::{Call, Server};
use target::Target;

/// Advice on a conflict.
const FORCE: &str =
    "--force-conflicts takes over the fields that others own, as kubectl apply does with this flag";

/// Evaluates requests one after the other against a cluster that they change.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a choice of the user, and independent of the others"
)]
pub struct Evaluator {
    cluster: Arc<Cluster>,
    chain: Chain,
    profile: Arc<ServerProfile>,
    authorizer: Arc<Authorizer>,
    strict: bool,
    /// Whether namespaces that nothing declares are assumed.
    assumes_namespaces: bool,
    follows_workloads: bool,
    runtime_config: RuntimeConfig,
    assumptions: Vec<String>,
    assumed_namespaces: BTreeSet<String>,
    applied: AppliedManifests,
    ordinal: u64,
    postponed: Vec<Postponed>,
    unmet: Vec<UnmetWork>,
    rate: Option<Rate>,
    /// What the distribution does otherwise than Kubernetes.
    handlers: Arc<dyn Handlers>,
    services: ServiceNetwork,
    quotas: QuotaLedger,
    /// The server's clock, if objects get what a server issues.
    clock: Option<fn() -> String>,
    other_release: Option<Version>,
    literal_order: Option<LiteralOrder>,
    isolates_documents: bool,
    authorizes_requests: bool,
    asks_webhooks: bool,
    /// Where the files were named, if documents are evaluated in another order.
    file_order: Option<FileOrder>,
    /// Whether what the current document does stays, although every document is evaluated alone.
    stays: bool,
    /// The namespaces that the run answers for, if not all.
    shard: Option<Shard>,
    /// The number of requests that other runs answer for.
    elsewhere: usize,
    /// The objects created in the run that others need, and their places.
    created: BTreeMap<(GroupResource, String), RememberedPlace>,
    /// The definitions that were refused in the run: group and kind of each.
    denied_definitions: BTreeMap<(String, String), Place>,
    /// The request of a controller because of the current one.
    predicted: Option<Box<Foreseen>>,
}

/// The settings of a run whose documents are sent in the order of writing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LiteralOrder {
    /// The namespaces that documents of the run declare.
    pub namespaces: BTreeSet<String>,
    /// Whether the cluster objects are all that exists.
    pub is_whole_cluster: bool,
}

impl Evaluator {
    /// Evaluates `requests` one after the other and passes each outcome to `take`, followed by those of requests that
    /// controllers repeat because of later changes. Stops when `take` returns a break.
    ///
    /// Documents that are not requests are passed on unchanged; `E` also has the reasons that requests were not
    /// evaluated. Of the requests that another [`Shard`] answers for, only those are passed on that matter here as well.
    pub fn evaluate_all<E: From<Unevaluated>>(
        &mut self,
        requests: impl IntoIterator<Item = Result<Prepared, E>>,
        mut take: impl FnMut(Result<Outcome, E>) -> ControlFlow<()>,
    ) {
        for request in requests {
            if self.evaluate_next(request, &mut take).is_break() {
                return;
            }
        }
        self.evaluate_later(take);
    }

    /// Evaluates the next of several requests as [`evaluate_all`](Self::evaluate_all) does.
    pub(crate) fn evaluate_next<E: From<Unevaluated>>(
        &mut self,
        request: Result<Prepared, E>,
        take: &mut impl FnMut(Result<Outcome, E>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let evaluated = match request {
            Ok(prepared) => self.evaluate_own(prepared).map(|evaluated| evaluated.map_err(E::from)),
            Err(error) => Some(Err(error)),
        };
        let mut flow = evaluated.map_or(ControlFlow::Continue(()), &mut *take);
        self.end_document(|outcome| {
            if flow.is_continue() {
                flow = take(Ok(outcome));
            }
        });
        flow
    }

    /// Passes the outcomes of the requests that controllers repeat because of later changes to `take`.
    pub(crate) fn evaluate_later<E>(&mut self, mut take: impl FnMut(Result<Outcome, E>) -> ControlFlow<()>) {
        let mut flow = ControlFlow::Continue(());
        self.finish(|outcome| {
            if flow.is_continue() {
                flow = take(Ok(outcome));
            }
        });
    }

    /// Evaluates `prepared` alone; [`evaluate_all`](Self::evaluate_all) evaluates many, including the later actions of
    /// controllers. If it is admitted and not a dry run, its effects apply to the next one.
    ///
    /// # Errors
    ///
    /// Fails if the kind of the request is not defined, or `kubectl` would not send it.
    pub fn evaluate(&mut self, prepared: Prepared) -> Result<Outcome, Unevaluated> {
        let waiting = self.waiting();
        let mut outcome = self.evaluate_request(prepared)?;
        outcome.is_pending = self.waiting() > waiting;
        remedies::complete(&mut outcome, &self.cluster, self.profile.release());
        if !self.isolates_documents {
            self.quotas.refresh(&self.cluster, &outcome.kind, &outcome.namespace, &outcome.name);
        }
        Ok(outcome)
    }

    /// Returns the number of actions that controllers will repeat.
    fn waiting(&self) -> usize {
        self.unmet.len() + self.postponed.len()
    }

    /// Returns the usage of every quota before the run and now. If every document is evaluated alone, there is none.
    pub fn quotas(&self) -> Vec<QuotaUse> {
        if self.isolates_documents {
            return Vec::new();
        }
        let mut uses = self.quotas.uses();
        uses.retain(|quota| self.shard.is_none_or(|shard| shard.has(&quota.namespace)));
        uses
    }

    /// Returns what the answers of the authorizer so far leave open, a sentence each.
    pub fn remarks_of_authorizer(&self) -> Vec<String> {
        self.authorizer.remarks()
    }

    /// Returns namespace, name and port of the Services of the webhooks in the cluster as it is now.
    pub fn webhook_services(&self) -> Vec<(String, String, u16)> {
        let configurations = [MUTATING_WEBHOOK_CONFIGURATIONS, VALIDATING_WEBHOOK_CONFIGURATIONS];
        let configurations = configurations.iter().flat_map(|resource| {
            let objects = self.cluster.list_all(resource);
            Webhook::of(&objects, &self.cluster, resource)
        });
        configurations.filter_map(|webhook| webhook.service).collect()
    }

    /// Returns the policies and webhooks of the cluster as it is now, each with what is wrong with it.
    pub fn hooks(&self) -> BTreeMap<Hook, HookUse> {
        let is_active = |plugin: &str| self.chain.names().any(|name| name == plugin);
        let known = crate::policy::census(&self.cluster, self.profile.release()).into_iter().map(
            |(hook, mut remarks)| {
                let plugin = match &*hook.kind {
                    kind if kind.starts_with("ValidatingAdmission") => "ValidatingAdmissionPolicy",
                    kind if kind.starts_with("MutatingAdmission") => "MutatingAdmissionPolicy",
                    kind if kind.starts_with("Validating") => "ValidatingAdmissionWebhook",
                    _ => "MutatingAdmissionWebhook",
                };
                let is_off = plugin == "MutatingAdmissionPolicy"
                    && !self.profile.enabled(Feature::MutatingAdmissionPolicy);
                if !is_active(plugin) || is_off {
                    remarks.insert(0, format!("the plugin {plugin} is not active, so it does nothing"));
                }
                (hook, HookUse { remarks, ..HookUse::default() })
            },
        );
        known.collect()
    }

    fn evaluate_request(&mut self, prepared: Prepared) -> Result<Outcome, Unevaluated> {
        let is_needed = |kind: &GroupVersionKind| order::is_needed(&kind.kind);
        self.stays = self.file_order.is_some() && prepared.request.kind.as_ref().is_some_and(is_needed);
        if self.isolates_documents && !self.stays {
            self.cluster.record();
        }
        self.ordinal += 1;
        let Prepared { request, routing, body, old_object, rehearsal, predicted, .. } = prepared;
        self.predicted = predicted;
        let release = self.profile.release();
        let target =
            match routing.finish(&request, &self.cluster, &self.runtime_config, &*self.handlers, release) {
                Ok(Ok(target)) => target,
                Ok(Err(status)) => return Ok(Outcome::unrouted(request, status)),
                Err(unknown) => return Ok(self.vanished(request, &body, unknown)?),
            };
        if let Some(status) = request.invalid_options(&self.profile) {
            return Ok(Outcome::unread(request, target, status.into(), &self.profile));
        }
        let decoded = body
            .finish(&target, &request, &self.profile)
            .and_then(|body| Ok((body, old_object.finish(&target, &request, &self.profile)?)));
        let (body, old_object) = match decoded {
            Ok(decoded) => decoded,
            Err(error) => {
                let error = Self::typed_patch_error(&request, &target).unwrap_or(error);
                return Ok(Outcome::undecoded(request, target, error, &self.profile));
            }
        };
        let old_object = old_object.map(|old| Arc::new(old.object));
        let mut call = Call { rehearsal, ..self.call(&request, target.clone(), body, old_object) };
        if let Some(message) = self.unmapped(&request, &call) {
            return Err(Unevaluated::Unsent { message, place: request.place });
        }
        match self.unsent(&request, &call) {
            Some(Unsent::Kubectl(message)) => {
                return Err(Unevaluated::Unsent { message, place: request.place });
            }
            Some(Unsent::Forbidden(refusal)) => return Ok(Outcome::unsent(request, target, &call, *refusal)),
            None => {}
        }
        if let Some(error) = Self::typed_patch_error(&request, &target) {
            return Ok(Outcome::undecoded(request, target, error, &self.profile));
        }
        self.find_made_with_namespace(&request, &mut call);
        let hook = self.replace_hook(&request, &mut call);
        let Patched { note, others, unchanged } = match self.apply_manifest(&request, &mut call) {
            Ok(patched) => patched,
            Err(error) => {
                let is_conflict = error.status.code == 409;
                let mut outcome = Outcome::undecoded(request, target, error, &self.profile);
                outcome.trace.notes.extend(is_conflict.then(|| FORCE.to_owned()));
                return Ok(outcome);
            }
        };
        if request.apply.is_some() && call.operation == Operation::Create {
            call.forget_version();
        }
        let is_applied = || self.applied.knows(&call.target.group_resource(), &call.namespace, &call.name);
        if request.apply.as_ref().is_some_and(|apply| apply.recreates) && !is_applied() {
            self.remove_existing(&call);
        }
        Self::outgrow(&request, &mut call);
        let early = self.is_early(&request, &call);
        let repeated = self.is_repeated(&request, &call);
        let assumptions =
            [self.assume_namespace(&call), self.assume_deleted(&mut call), early, repeated, hook, note];
        let before = self.before(&call);
        if let Some(object) = unchanged {
            let mut outcome = Outcome::unchanged(request, target, &call, object);
            self.run_controllers(&mut outcome, before);
            return Ok(outcome);
        }
        let known = self.known(&call);
        let defined = call.defines();
        let mut answer = self.server().answer(call);
        if let (Some(defined), Some(place), Some(_)) = (defined, &request.place, &answer.refusal) {
            self.denied_definitions.insert(defined, place.clone());
        }
        answer.trace.notes.extend(assumptions.into_iter().flatten());
        if answer.refusal.is_none() && !request.dry_run && target.strategy.is_stored() {
            let resource = target.group_resource();
            self.remember_created(&request, &resource, &answer);
            let after =
                known.as_ref().and_then(|_| self.cluster.get(&resource, &answer.namespace, &answer.name));
            self.applied.take(Admitted {
                operation: answer.operation,
                target: &target,
                namespace: &answer.namespace,
                name: &answer.name,
                manifest: request.place.as_ref().filter(|place| !place.is_review()),
                others,
                change: (known, after),
            });
        }
        let mut outcome = Outcome::answered(request, target, answer);
        if outcome.allowed() && !outcome.dry_run {
            self.run_controllers(&mut outcome, before);
        }
        Ok(outcome)
    }

    /// Refuses a document of a kind that only the other release serves.
    fn vanished(
        &self,
        request: Request,
        body: &Body,
        mut unknown: UnknownKind,
    ) -> Result<Outcome, UnknownKind> {
        if let Body::Undecoded(node) = body {
            unknown.successor = successor::of(node, &unknown.kind, &self.profile).map(Box::new);
        }
        let kind = (unknown.kind.group.to_string(), unknown.kind.kind.to_string());
        unknown.definition = self.denied_definitions.get(&kind).cloned().map(Box::new);
        let served = self.other_release.and_then(|release| resource::by_kind_in(release, &unknown.kind));
        let (Some(served), Body::Undecoded(node)) = (served, body) else { return Err(unknown) };
        let name = node.get("metadata").and_then(|metadata| metadata.get("name")).and_then(Node::as_str);
        let mut outcome = Outcome::unrouted(request, unknown.status());
        name.unwrap_or_default().clone_into(&mut outcome.name);
        if !served.namespaced {
            outcome.namespace.clear();
        }
        let stored = kube_registry::stored::stored_as(&unknown.kind).map(|(_, resource)| resource);
        let exists =
            stored.is_some_and(|stored| self.cluster.contains(&stored, &outcome.namespace, &outcome.name));
        if exists {
            outcome.operation = Operation::Update;
        }
        Ok(outcome)
    }

    /// Ends a document that is evaluated alone: `take` gets the repeated requests of controllers because of it, and
    /// then the former state is restored.
    pub(crate) fn end_document(&mut self, take: impl FnMut(Outcome)) {
        if self.isolates_documents && !self.stays {
            self.finish(take);
            self.cluster.undo();
            self.applied = AppliedManifests::new(self.cluster.clone());
            self.assumed_namespaces.clear();
            self.created.clear();
        }
    }

    /// Returns the object of `call` as it is stored, if a manifest was applied to it.
    fn known(&self, call: &Call) -> Option<Arc<Object>> {
        let is_known = self.applied.knows(&call.target.group_resource(), &call.namespace, &call.name);
        let stored = || self.cluster.get(&call.target.group_resource(), &call.namespace, &call.name);
        is_known.then(stored).flatten()
    }

    fn server(&self) -> Server<'_> {
        Server {
            chain: &self.chain,
            cluster: &self.cluster,
            profile: &self.profile,
            authorizer: &self.authorizer,
            handlers: &*self.handlers,
            services: &self.services,
            has_kubelets: !self.strict,
            clock: self.clock,
        }
    }

    fn call(
        &self,
        request: &Request,
        target: Target,
        body: Option<Read>,
        old_object: Option<Arc<Object>>,
    ) -> Call {
        let object = body.as_ref().map(|body| &body.object).or(old_object.as_deref());
        let named = object.map_or("", Object::name);
        let name = request.name.clone().unwrap_or_else(|| named.to_owned());
        let namespace = match &request.namespace {
            Some(namespace) if target.namespaced => namespace.clone(),
            _ => String::new(),
        };
        let operation = request.operation_where(|| {
            let exists = self.cluster.contains(&target.group_resource(), &namespace, &name);
            let assumed = target.is_namespaces() && self.assumed_namespaces.contains(&name);
            exists && !assumed
        });
        // Reviews of custom resources are often written by hand.
        let knows_version = request.place.is_some() && target.strategy.definition().is_some();
        Call {
            operation,
            sub_resource: request.sub_resource.clone(),
            namespace,
            name,
            body,
            old_object,
            options: request.options_as_sent(operation, self.profile.release()).map(Arc::new),
            dry_run: request.dry_run,
            user_info: request.user_info.clone(),
            ordinal: self.ordinal,
            time: self.time(),
            deadline: None,
            is_of_collection: false,
            is_patch: false,
            knows_version,
            rehearsal: None,
            writer: Writer::default(),
            target,
        }
    }

    /// Returns the time of the current request.
    fn time(&self) -> Duration {
        self.rate.map_or(Duration::ZERO, |rate| rate.time_of(self.ordinal))
    }
}

#[cfg(test)]
mod tests;
