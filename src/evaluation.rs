//! The run: documents in order become requests, requests go through the chain, and what is admitted exists for
//! the requests behind it.

mod accepted;
mod applied;
mod binding;
mod follow_up;
mod image_streams;
mod initializers;
mod made_up;
mod order;
mod outcome;
mod place;
mod rate;
mod request;
mod review;
mod server;
mod successor;
mod target;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use crate::admission::{Chain, Operation};
use crate::api::decode::{DecodeContext, DecodeError, FieldValidation};
use crate::api::features::FeatureGates;
use crate::api::resource::{self, RuntimeConfig};
use crate::api::version::Version;
use crate::api::{GroupVersionKind, Map, Object};
use crate::cluster::Cluster;
use crate::cluster::authorizer::{AuthorizationMode, Authorizer};
use crate::registry::{self, Read, merge};
use crate::source::Node;
use crate::workload;

pub use accepted::{Acceptance, Accepted, Skipped};
pub use order::install_rank;
pub use outcome::{Cause, Outcome};
pub use place::{Place, Written};
pub use rate::{Rate, RateError};
pub use request::{Request, RequestDefaults, RequestError};
pub use target::UnknownKind;

use applied::{Admitted, AppliedManifests};
use follow_up::Postponed;
use server::{Call, Server};
use target::{Routing, Target};

/// Evaluates requests one after the other against a cluster that they change.
pub struct Evaluator {
    cluster: Arc<Cluster>,
    chain: Chain,
    features: Arc<FeatureGates>,
    authorizer: Arc<Authorizer>,
    strict: bool,
    follows_workloads: bool,
    runtime_config: RuntimeConfig,
    assumptions: Vec<String>,
    assumed_namespaces: BTreeSet<String>,
    applied: AppliedManifests,
    ordinal: u64,
    caused: u64,
    postponed: Vec<Postponed>,
    rate: Option<Rate>,
    registry: String,
    other_release: Option<Version>,
}

/// A request whose body was decoded as far as that needs no cluster, so that requests can be prepared in parallel.
#[derive(Debug)]
pub struct Prepared {
    request: Request,
    routing: Routing,
    body: Body,
    old_object: Body,
}

#[derive(Debug)]
enum Body {
    Absent,
    /// The kind is one of the cluster's: a custom resource.
    Undecoded(Node),
    Read(Result<Read, DecodeError>),
}

impl Prepared {
    /// Looks up where `request` goes and decodes its body, if a built-in kind says how.
    pub fn new(mut request: Request, features: &FeatureGates) -> Self {
        let routing = Routing::of(&request, features.release());
        let kind = match &routing {
            Routing::BuiltIn(target) => Some(&target.kind),
            Routing::Unknown => None,
        };
        let body = Body::read(request.object.take(), kind, &request, features);
        let old_object = Body::read(request.old_object.take(), kind, &request, features);
        Self { request, routing, body, old_object }
    }
}

impl Body {
    fn read(
        node: Option<Node>,
        kind: Option<&GroupVersionKind>,
        request: &Request,
        features: &FeatureGates,
    ) -> Self {
        match (node, kind) {
            (None, _) => Self::Absent,
            (Some(node), None) => Self::Undecoded(node),
            (Some(node), Some(kind)) => {
                let context = DecodeContext {
                    kind,
                    field_validation: request.field_validation,
                    strict_errors: &request.strict_errors,
                    body: request.place.as_ref().map_or("", Place::text),
                };
                Self::Read(registry::read(node, &context, features, registry::NOW))
            }
        }
    }

    fn finish(
        self,
        target: &Target,
        request: &Request,
        features: &FeatureGates,
    ) -> Result<Option<Read>, DecodeError> {
        match self {
            Self::Absent => Ok(None),
            Self::Read(result) => result.map(Some),
            Self::Undecoded(node) => {
                let context = DecodeContext {
                    kind: &target.kind,
                    field_validation: request.field_validation,
                    strict_errors: &request.strict_errors,
                    body: request.place.as_ref().map_or("", Place::text),
                };
                target.strategy.read(node, &context, features).map(Some)
            }
        }
    }
}

impl Evaluator {
    /// An evaluator of `chain` on `cluster`. Without `strict`, controllers are played and namespaces that nobody
    /// declared are assumed.
    pub fn new(cluster: Arc<Cluster>, chain: Chain, features: Arc<FeatureGates>, strict: bool) -> Self {
        let assumptions = if strict { Vec::new() } else { workload::play_controllers(&cluster, &features) };
        let authorizer = Authorizer::new(cluster.clone(), vec![AuthorizationMode::AlwaysAllow]);
        Self {
            cluster,
            chain,
            features,
            authorizer: Arc::new(authorizer),
            strict,
            follows_workloads: !strict,
            runtime_config: RuntimeConfig::default(),
            assumptions,
            assumed_namespaces: BTreeSet::new(),
            applied: AppliedManifests::default(),
            ordinal: 0,
            caused: 0,
            postponed: Vec::new(),
            rate: None,
            registry: String::new(),
            other_release: None,
        }
    }

    /// The same evaluator of a server that knows where the integrated registry of OpenShift is.
    #[must_use]
    pub fn with_registry(self, registry: String) -> Self {
        Self { registry, ..self }
    }

    /// Answers what `release` serves and this server does not as the server refuses it, instead of taking it for an
    /// error of the input.
    #[must_use]
    pub fn compared_with(self, release: Version) -> Self {
        Self { other_release: Some(release), ..self }
    }

    /// Lets the requests come one after the other, so many in a second, instead of all at once.
    #[must_use]
    pub fn at_rate(self, rate: Rate) -> Self {
        Self { rate: Some(rate), ..self }
    }

    /// Makes the requests that controllers make because of an admitted workload, or not. Without a word about it, they
    /// are made unless the evaluator is strict.
    #[must_use]
    pub fn following_workloads(self, follows_workloads: bool) -> Self {
        Self { follows_workloads, ..self }
    }

    /// Names of the plugins in the chain, in order.
    pub fn plugins(&self) -> Vec<&'static str> {
        self.chain.names().collect()
    }

    /// Lets `authorizer` answer who may do what.
    #[must_use]
    pub fn authorized_by(mut self, authorizer: Arc<Authorizer>) -> Self {
        self.assumptions.extend(authorizer.note());
        self.authorizer = authorizer;
        self
    }

    /// The same evaluator of a server that serves the APIs that `runtime_config` asks for.
    #[must_use]
    pub fn serving(mut self, runtime_config: RuntimeConfig) -> Self {
        self.runtime_config = runtime_config;
        self
    }

    /// What was taken for granted about the cluster, before any request.
    pub fn assumptions(&self) -> &[String] {
        &self.assumptions
    }

    /// The feature gates that requests are decoded with.
    pub fn features(&self) -> &FeatureGates {
        &self.features
    }

    /// Evaluates `prepared`; if it is admitted and no dry run, what it does holds for the next one.
    ///
    /// # Errors
    ///
    /// The request is for a kind that nobody defines.
    pub fn evaluate(&mut self, prepared: Prepared) -> Result<Outcome, UnknownKind> {
        self.ordinal += 1;
        let Prepared { request, routing, body, old_object } = prepared;
        let release = self.features.release();
        let target = match routing.finish(&request, &self.cluster, &self.runtime_config, release) {
            Ok(Ok(target)) => target,
            Ok(Err(status)) => return Ok(Outcome::unrouted(request, status)),
            Err(unknown) => return self.vanished(request, &body, unknown),
        };
        if let Some(status) = request.invalid_options() {
            return Ok(Outcome::unrouted(request, status));
        }
        let decoded = body
            .finish(&target, &request, &self.features)
            .and_then(|body| Ok((body, old_object.finish(&target, &request, &self.features)?)));
        let (body, old_object) = match decoded {
            Ok(decoded) => decoded,
            Err(error) => return Ok(Outcome::undecoded(request, target, error)),
        };
        let mut call = self.call(&request, target.clone(), body, old_object.map(|old| Arc::new(old.object)));
        let (replacement, others) = match self.apply_manifest(&request, &mut call) {
            Ok(applied) => applied,
            Err(error) => return Ok(Outcome::undecoded(request, target, error)),
        };
        let assumptions = [self.assume_namespace(&call), self.assume_deleted(&mut call), replacement];
        let before = self.before(&call);
        let known = self.known(&call);
        let mut answer = self.server().answer(call);
        answer.trace.notes.extend(assumptions.into_iter().flatten());
        if answer.refusal.is_none() && !request.dry_run && target.strategy.is_stored() {
            let resource = target.group_resource();
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
            self.play_controllers(&mut outcome, before);
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
            unknown.successor = successor::api_version(node, &unknown.kind, &self.features);
        }
        let served = self.other_release.and_then(|release| resource::by_kind_in(release, &unknown.kind));
        let (Some(served), Body::Undecoded(node)) = (served, body) else { return Err(unknown) };
        let name = node.get("metadata").and_then(|metadata| metadata.get("name")).and_then(Node::as_str);
        let mut outcome = Outcome::unrouted(request, unknown.status());
        name.unwrap_or_default().clone_into(&mut outcome.name);
        if !served.namespaced {
            outcome.namespace.clear();
        }
        let stored = registry::stored::stored_as(&unknown.kind).map(|(_, resource)| resource);
        let exists =
            stored.is_some_and(|stored| self.cluster.contains(&stored, &outcome.namespace, &outcome.name));
        if exists {
            outcome.operation = Operation::Update;
        }
        Ok(outcome)
    }

    /// The object of `call` as it is stored, if a manifest was applied to it.
    fn known(&self, call: &Call) -> Option<Arc<Object>> {
        let is_known = self.applied.knows(&call.target, &call.namespace, &call.name);
        let stored = || self.cluster.get(&call.target.group_resource(), &call.namespace, &call.name);
        is_known.then(stored).flatten()
    }

    fn server(&self) -> Server<'_> {
        Server {
            chain: &self.chain,
            cluster: &self.cluster,
            features: &self.features,
            authorizer: &self.authorizer,
            registry: &self.registry,
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
        let operation = request.operation.unwrap_or_else(|| {
            let exists = self.cluster.contains(&target.group_resource(), &namespace, &name);
            let assumed = target.is_namespaces() && self.assumed_namespaces.contains(&name);
            if exists && !assumed { Operation::Update } else { Operation::Create }
        });
        Call {
            operation,
            sub_resource: request.sub_resource.clone(),
            namespace,
            name,
            body,
            old_object,
            options: request.options_as_sent(operation, self.features.release()).map(Arc::new),
            dry_run: request.dry_run,
            user_info: request.user_info.clone(),
            ordinal: self.ordinal,
            time: self.time(),
            target,
        }
    }

    /// When the request at hand comes.
    fn time(&self) -> Duration {
        self.rate.map_or(Duration::ZERO, |rate| rate.time_of(self.ordinal))
    }

    /// A manifest that is to be deleted says which object is meant; without `strict`, one that is not among the cluster
    /// objects is taken to exist as the manifest says.
    fn assume_deleted(&self, call: &mut Call) -> Option<String> {
        if call.operation != Operation::Delete {
            return None;
        }
        let mut object = call.body.take()?.object;
        let target = &call.target;
        if self.strict || self.cluster.get(&target.group_resource(), &call.namespace, &call.name).is_some() {
            return None;
        }
        if !call.namespace.is_empty() {
            object.set(&["metadata", "namespace"], call.namespace.as_str());
        }
        let note = format!("assumed {} \"{}\" (not among the cluster objects)", target.kind.kind, call.name);
        call.old_object = Some(Arc::new(object));
        Some(note)
    }

    /// Makes the update that `call` is the one that applying its manifest is: what the manifest does not say stays.
    /// An `AdmissionReview` says itself what the object becomes. An object that is stored in another version of a
    /// built-in kind is replaced, since it cannot be converted; then there is a note.
    fn apply_manifest(
        &self,
        request: &Request,
        call: &mut Call,
    ) -> Result<(Option<String>, Map), DecodeError> {
        if call.operation != Operation::Update || !call.sub_resource.is_empty() {
            return Ok((None, Map::new()));
        }
        let target = &call.target;
        let stored = self.cluster.get(&target.group_resource(), &call.namespace, &call.name);
        let stored = stored.map(|stored| target.read_stored(stored));
        let manifest = || request.place.as_ref()?.written()?.manifest();
        let (Some(stored), Some(body)) = (stored, &mut call.body) else { return Ok((None, Map::new())) };
        let Some(manifest) = manifest() else { return Ok((None, Map::new())) };
        if stored.kind.version != body.object.kind.version {
            let (old, new) = (stored.kind.api_version(), body.object.kind.api_version());
            let note = format!("replaced the object, because {new} cannot be applied to {old}");
            return Ok((Some(note), Map::new()));
        }
        let version = target.strategy.definition().map(|(_, version)| version);
        let before = self.applied.of(target, &call.namespace, &call.name);
        let merged = merge::apply(&stored, &manifest, before.as_ref(), version).map_err(|status| {
            DecodeError { cause: status.message.clone(), status, span: None, path: None }
        })?;
        // What the manifest says that nobody reads was told when it was decoded.
        let context = DecodeContext {
            kind: &target.kind,
            field_validation: FieldValidation::Ignore,
            strict_errors: &[],
            body: "",
        };
        body.object = target.strategy.read(Node::from(merged.value), &context, &self.features)?.object;
        let versions = merge::other_versions(&stored);
        let note = (!versions.is_empty())
            .then(|| format!("did not ask who owns fields of the object in {}", versions.join(", ")));
        Ok((note, merged.others))
    }

    /// Without `strict`, a namespace that nobody declared is taken to exist; its Namespace may still come.
    fn assume_namespace(&mut self, call: &Call) -> Option<String> {
        if self.strict {
            return None;
        }
        if call.target.is_namespaces() {
            if call.operation == Operation::Create && self.assumed_namespaces.remove(&call.name) {
                self.cluster.remove(&call.target.group_resource(), "", &call.name);
            }
            return None;
        }
        let namespace = &call.namespace;
        if namespace.is_empty() {
            return None;
        }
        if self.cluster.namespace(namespace).is_none() {
            workload::make_namespace(&self.cluster, namespace);
            self.assumed_namespaces.insert(namespace.clone());
        }
        let assumed = self.assumed_namespaces.contains(namespace);
        assumed.then(|| format!("assumed namespace \"{namespace}\" (not among the cluster objects)"))
    }
}

#[cfg(test)]
mod tests;
