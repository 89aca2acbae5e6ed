//! The run: documents in order become requests, requests go through the chain, and what is admitted exists for
//! the requests behind it.

mod outcome;
mod request;
mod server;

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::admission::{Chain, Operation, Refusal};
use crate::api::decode::{self, DecodeContext, DecodeError, Decoded};
use crate::api::features::FeatureGates;
use crate::api::resource::{self, ApiResource};
use crate::api::{GroupVersionKind, Object, Status, deprecation};
use crate::cluster::Cluster;
use crate::source::Node;
use crate::workload;

pub use outcome::{Outcome, Place};
pub use request::{FieldValidation, Request, RequestDefaults, RequestError};

use server::{Answer, Call, Server};

/// Evaluates requests one after the other against a cluster that they change.
pub struct Evaluator {
    cluster: Arc<Cluster>,
    chain: Chain,
    features: Arc<FeatureGates>,
    strict: bool,
    assumed_namespaces: BTreeSet<String>,
    ordinal: u64,
}

/// A request whose body was decoded. Preparing needs no cluster, so requests are prepared in parallel.
#[derive(Debug)]
pub struct Prepared {
    request: Request,
    target: Result<Target, Status>,
    body: Option<Result<Decoded, DecodeError>>,
    old_object: Option<Result<Decoded, DecodeError>>,
}

/// Where a request goes.
#[derive(Debug)]
struct Target {
    resource: &'static ApiResource,
    kind: GroupVersionKind,
}

impl Evaluator {
    /// An evaluator of `chain` on `cluster`. Without `strict`, controllers are played and namespaces that nobody
    /// declared are assumed.
    pub fn new(cluster: Arc<Cluster>, chain: Chain, features: Arc<FeatureGates>, strict: bool) -> Self {
        if !strict {
            workload::play_controllers(&cluster);
        }
        Self { cluster, chain, features, strict, assumed_namespaces: BTreeSet::new(), ordinal: 0 }
    }

    /// Names of the plugins in the chain, in order.
    pub fn plugins(&self) -> Vec<&'static str> {
        self.chain.names().collect()
    }

    /// The objects that exist by now.
    pub fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// Evaluates `prepared`; if it is admitted and no dry run, what it does holds for the next one.
    pub fn evaluate(&mut self, prepared: Prepared) -> Outcome {
        self.ordinal += 1;
        let Prepared { request, target, body, old_object } = prepared;
        let target = match target {
            Ok(target) => target,
            Err(status) => return Outcome::unrouted(request, status),
        };
        let (body, old_object) = match (body.transpose(), old_object.transpose()) {
            (Ok(body), Ok(old_object)) => (body, old_object.map(|old| Arc::new(old.object))),
            (Err(error), _) | (_, Err(error)) => return Outcome::undecoded(request, &target.kind, error),
        };
        let call = self.call(&request, &target, body, old_object);
        let mut notes = Vec::new();
        let namespace = call.namespace.clone();
        if !self.strict {
            self.assume_namespace(target.resource, &namespace, &mut notes);
        }
        let server = Server { chain: &self.chain, cluster: &self.cluster, features: &self.features };
        let dry_run = call.dry_run;
        let mut answer = server.answer(call);
        if !self.strict && !dry_run && answer.refusal.is_none() && target.resource.is_namespaces() {
            workload::play_controllers(&self.cluster);
        }
        notes.append(&mut answer.trace.notes);
        answer.trace.notes = notes;
        if let Some(warning) = deprecation::warning(&target.kind) {
            answer.trace.warnings.insert(0, warning);
            answer.trace.audit_annotations.insert("k8s.io/deprecated".to_owned(), "true".to_owned());
        }
        Outcome::answered(request, target.kind, target.resource, answer)
    }

    fn call(
        &self,
        request: &Request,
        target: &Target,
        body: Option<Decoded>,
        old_object: Option<Arc<Object>>,
    ) -> Call {
        let resource = target.resource;
        let object = body.as_ref().map(|body| &body.object);
        let name = request.name.clone().unwrap_or_else(|| object.map_or("", Object::name).to_owned());
        let namespace = match &request.namespace {
            _ if !resource.namespaced => String::new(),
            Some(namespace) => namespace.clone(),
            None => object.map_or("", Object::namespace).to_owned(),
        };
        let operation = request.operation.unwrap_or_else(|| {
            let exists = self.cluster.get(&resource.group_resource(), &namespace, &name).is_some();
            let assumed = resource.is_namespaces() && self.assumed_namespaces.contains(&name);
            if exists && !assumed { Operation::Update } else { Operation::Create }
        });
        let name = match operation {
            // The URL of a CREATE has no name, but for subresources.
            Operation::Create if request.sub_resource.is_empty() => String::new(),
            _ => name,
        };
        Call {
            operation,
            resource,
            kind: target.kind.clone(),
            sub_resource: request.sub_resource.clone(),
            namespace,
            name,
            body,
            old_object,
            options: request.options.clone().map(Arc::new),
            dry_run: request.dry_run,
            user_info: request.user_info.clone(),
            ordinal: self.ordinal,
        }
    }
}
