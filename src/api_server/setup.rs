//! What a server starts from.

use std::borrow::Cow;
use std::sync::Arc;

use rayon::prelude::*;

use crate::api_server::read::is_definition;
use crate::api_server::{Choices, STACK_SIZE, put_definitions_first, read};
use crate::cluster::{Cluster, Fixture, FixtureError, is_policy};
use crate::code::Code;
use crate::configuration::{Check, Configuration, ConfigurationError, Flags};
use crate::evaluation::{Evaluator, Place};
use crate::plugin;
use crate::report::{Diagnostic, Fixtures, Severity};
use crate::webhook::Webhooks;
use gotext::source::Node;
use kube_api::resource;
use kube_api::server_profile::ServerProfile;
use kube_api::{GroupResource, GroupVersionKind, Object};
use kube_yaml::Item;

/// A server before it starts, to which objects are added: the library and all commands begin with one.
#[derive(Clone)]
pub(crate) struct Setup {
    pub(crate) flags: Flags,
    pub(crate) profile: Arc<ServerProfile>,
    pub(crate) cluster: Arc<Cluster>,
    /// The places of the objects in their files.
    pub(crate) fixtures: Arc<Fixtures>,
}

/// What an object of an undefined kind is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Undefined {
    /// An error: the object was given to be tried.
    Error,
    /// A note, since the chain does not look up kinds that it does not know.
    Note,
}

/// The number of items that several threads read at once; they are not worth their start for fewer.
const MANY: usize = 512;

impl Setup {
    /// Prepares the server that `flags` describe.
    ///
    /// # Errors
    ///
    /// Fails if the flags describe no server.
    pub(crate) fn new(flags: Flags) -> Result<Self, ConfigurationError> {
        let profile = Arc::new(flags.profile()?);
        let cluster = Arc::new(Cluster::of(flags.distribution, plugin::looks_up));
        Ok(Self { flags, profile, cluster, fixtures: Arc::default() })
    }

    /// Replaces the cluster, which is empty yet, by one that is kept in another way.
    #[cfg(feature = "cli")]
    pub(crate) fn with_cluster(mut self, keep: impl FnOnce(Cluster) -> Cluster) -> Self {
        self.cluster = Arc::new(keep(Cluster::of(self.flags.distribution, plugin::looks_up)));
        self
    }

    /// Adds the objects of `items` to the cluster, and returns them. Objects without a namespace are in `namespace`.
    /// Errors are passed to `say`. Definitions of custom resources come first, so that the order of the files does not
    /// matter.
    pub(crate) fn put(
        &self,
        mut items: Vec<Item>,
        undefined: Undefined,
        namespace: &str,
        mut say: impl FnMut(Diagnostic),
    ) -> Vec<(GroupResource, Arc<Object>)> {
        put_definitions_first(&mut items);
        let others = items.split_off(items.partition_point(is_definition));
        let mut objects = Vec::new();
        let mut put = |(place, fixture): (Place, Result<Fixture, (Code, FixtureError)>)| {
            let source = place.source().clone();
            match fixture {
                Ok(fixture) => {
                    for warning in fixture.warnings {
                        let ignored = Diagnostic::note(Code::ClusterIgnored, warning);
                        say(ignored.at(source.clone(), place.span));
                    }
                    self.fixtures.insert(&fixture.resource, &fixture.object, place);
                    self.cluster.put(&fixture.resource, fixture.object.clone());
                    objects.push((fixture.resource, fixture.object));
                }
                Err((code, error)) => {
                    let diagnostic = Diagnostic::input(code, error.to_string());
                    let help = error.help().map(Cow::into_owned);
                    let span = error.span().unwrap_or(place.span);
                    let is_unknown =
                        code == Code::ClusterObject && matches!(error, FixtureError::UnknownKind(..));
                    let is_note = undefined == Undefined::Note && is_unknown;
                    let severity = if is_note { Severity::Note } else { diagnostic.severity };
                    say(Diagnostic { severity, help, ..diagnostic }.at(source, span));
                }
            }
        };
        let read = |item| self.read(item, namespace);
        items.into_iter().map(read).for_each(&mut put);
        // Nested documents need a deep stack.
        let threads =
            (others.len() >= MANY).then(|| rayon::ThreadPoolBuilder::new().stack_size(STACK_SIZE).build());
        match threads {
            Some(Ok(threads)) => {
                let mut others = others.into_iter();
                loop {
                    let some: Vec<_> = others.by_ref().take(MANY).collect();
                    if some.is_empty() {
                        break;
                    }
                    let found: Vec<_> = threads.install(|| some.into_par_iter().map(read).collect());
                    found.into_iter().for_each(&mut put);
                }
            }
            _ => others.into_iter().map(read).for_each(put),
        }
        objects
    }

    /// Reads an object of the cluster; an error has its code.
    fn read(&self, item: Item, namespace: &str) -> (Place, Result<Fixture, (Code, FixtureError)>) {
        let unserved = self.unserved_policy(&item.node);
        let (place, fixture) = read::fixture(item, namespace, &self.cluster, &self.profile);
        let fixture = match (unserved, fixture) {
            (_, Err(error @ FixtureError::Joined(_))) => Err((error.code(), error)),
            (Some(kind), _) => {
                Err((Code::Policy, FixtureError::UnknownKind(kind, place.span, self.profile.release())))
            }
            (None, fixture) => fixture.map_err(|error| (error.code(), error)),
        };
        (place, fixture)
    }

    /// Returns the kind of a policy in a version that the server has and does not serve.
    fn unserved_policy(&self, node: &Node) -> Option<GroupVersionKind> {
        let text = |field| node.get(field).and_then(Node::as_str).unwrap_or_default();
        let kind = GroupVersionKind::from_api_version(text("apiVersion"), text("kind"));
        let found = resource::by_kind_in(self.profile.release(), &kind).filter(|_| is_policy(&kind))?;
        (!self.flags.runtime_config().serves(found)).then_some(kind)
    }

    /// Starts the server over the objects. Notes about the configuration, and about what is assumed, are passed to `say`.
    ///
    /// # Errors
    ///
    /// Fails if the server would not start with its flags or with a file that they name.
    pub(crate) fn start(
        &self,
        choices: Choices,
        say: impl FnMut(Diagnostic),
    ) -> Result<Evaluator, ConfigurationError> {
        let configuration = Configuration::new(&self.flags, self.profile.clone(), self.cluster.clone())?;
        let notes: Vec<_> =
            configuration.notes.iter().map(|note| Diagnostic::note(Code::ConfigurationNote, note)).collect();
        let evaluator = self.evaluator(configuration, choices);
        let remarks: Vec<_> = Check::of(&self.flags).remarks.iter().map(Diagnostic::remark).collect();
        let assumptions = evaluator.assumptions().iter();
        let assumptions = assumptions.map(|assumption| Diagnostic::note(Code::ClusterAssumed, assumption));
        notes.into_iter().chain(remarks).chain(assumptions).for_each(say);
        Ok(evaluator)
    }

    /// Starts the server over a copy of what exists for `started`, and says nothing again.
    ///
    /// # Errors
    ///
    /// Fails if a file that the flags name can no longer be read.
    pub(super) fn start_again(
        &self,
        choices: Choices,
        started: &Evaluator,
    ) -> Result<Evaluator, ConfigurationError> {
        let configuration = Configuration::new(&self.flags, self.profile.clone(), self.cluster.clone())?;
        let mut evaluator = self.evaluator(configuration, choices);
        evaluator.continue_from(started);
        Ok(evaluator)
    }

    fn evaluator(&self, configuration: Configuration, choices: Choices) -> Evaluator {
        let flags = &self.flags;
        let mut evaluator =
            Evaluator::new(self.cluster.clone(), configuration.chain, configuration.profile, choices.strict)
                .authorized_by(configuration.authorizer)
                .serving(flags.runtime_config())
                .with_openshift(configuration.openshift)
                .with_service_network(flags.service_network.clone())
                .authorizing_requests(flags.sets_authorization())
                .asking_webhooks(flags.webhooks != Webhooks::Skip)
                .isolate_documents(choices.isolate_documents);
        if let Some(follows) = choices.follows_workloads {
            evaluator = evaluator.following_workloads(follows);
        }
        if let Some(rate) = choices.rate {
            evaluator = evaluator.at_rate(rate);
        }
        if let Some(shard) = choices.shard {
            evaluator = evaluator.for_shard(shard);
        }
        evaluator
    }
}
