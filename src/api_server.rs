//! The library in three calls: an API server from its flags, a cluster from manifests, and the answers to documents.
//!
//! The returned [`Evaluation`] has everything that the program's reports show: changes and refusals by plugins, the
//! Pods that controllers request, assumptions, and errors in the input.

mod arguments;
mod client;
mod errors;
mod evaluated;
#[cfg(feature = "report")]
mod expression;
mod profile;
mod read;
mod setup;

use std::sync::Arc;

use crate::configuration::{Configuration, ConfigurationError, Flags};
use crate::evaluation::{Evaluator, LiteralOrder, Order, Rate, RequestDefaults, Shard};
use crate::report::{Diagnostic, Severity};
use gotext::source::SourceFile;
use kube_api::version::Version;

pub use client::Client;
pub use errors::Errors;
pub use evaluated::Evaluation;
pub use profile::ServerProfile;
pub use read::read_files;
#[cfg(feature = "report")]
pub(crate) use read::sorted_items;
pub(crate) use read::{STACK_SIZE, put_definitions_first, request};
#[cfg(feature = "cli")]
pub(crate) use read::{fixture, read_request};
pub(crate) use setup::{Setup, Undefined};

/// A kube-apiserver that is set up and has no objects yet.
///
/// ```
/// use kadmit::{ApiServer, SourceFile};
///
/// let server = ApiServer::from_flags(["--enable-admission-plugins=AlwaysPullImages"])?;
/// let mut cluster = server.cluster(&[])?;
/// let pod = "{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {containers: [{name: web, image: nginx}]}}";
/// let evaluation = cluster.evaluate(&[SourceFile::new("web.yaml", pod)]);
///
/// assert!(evaluation.is_admitted());
/// let stored = evaluation.outcomes[0].object.as_ref().expect("an admitted object");
/// assert_eq!(stored.value["spec"]["containers"][0]["imagePullPolicy"], "Always");
/// # Ok::<(), kadmit::Errors>(())
/// ```
#[derive(Clone, Debug)]
pub struct ApiServer {
    flags: Flags,
    choices: Choices,
}

/// Settings of offline evaluation that do not depend on the server's flags.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Choices {
    /// Whether nothing is assumed: no namespace, and no controller runs.
    pub(crate) strict: bool,
    /// Whether the requests of controllers because of workloads are sent; if unset, they are unless `strict`.
    pub(crate) follows_workloads: Option<bool>,
    /// Whether every document is evaluated against the given cluster.
    pub(crate) isolate_documents: bool,
    /// The number of requests per second; if unset, all come at once.
    pub(crate) rate: Option<Rate>,
    /// The namespaces that the run answers for; if unset, all.
    pub(crate) shard: Option<Shard>,
}

/// A server with the objects in its cluster, ready to answer requests.
///
/// Admitted objects exist for later documents, in this and in later evaluations.
pub struct OfflineCluster {
    pub(crate) evaluator: Evaluator,
    pub(crate) setup: Setup,
    choices: Choices,
    pub(crate) order: Order,
    /// Whether objects were given, so that what is not among them does not exist in a literal order.
    has_objects: bool,
    /// The notes before the first evaluation.
    notes: Vec<Diagnostic>,
}

impl ApiServer {
    /// Sets up the server that `flags` describe.
    ///
    /// # Errors
    ///
    /// Fails if the server would not start with these flags or with a file that they name.
    pub(crate) fn new(flags: Flags) -> Result<Self, Errors> {
        let Setup { flags, profile, cluster, .. } = Setup::new(flags)?;
        // A server that does not start is an error here, not at its first cluster.
        Configuration::new(&flags, profile, cluster)?;
        Ok(Self { flags, choices: Choices::default() })
    }

    /// Sets up the server with flags, each `--name=value`: those of kube-apiserver about admission, and those of
    /// `kadmit run` that describe a server, such as `--kubernetes-version` and `--webhooks`. `--kube-apiserver` takes them
    /// from the file that starts the server. [`ServerProfile`] describes one without text.
    ///
    /// # Errors
    ///
    /// Fails if a flag is not about admission, or the server would not start.
    pub fn from_flags<F: AsRef<str>>(flags: impl IntoIterator<Item = F>) -> Result<Self, Errors> {
        Self::new(arguments::flags(flags)?)
    }

    /// Assumes nothing about the cluster: namespaces must exist, and controllers do not run.
    #[must_use]
    pub fn strict(mut self) -> Self {
        self.choices.strict = true;
        self
    }

    /// Sets whether the requests of controllers because of admitted workloads are sent. By default they are unless the
    /// server is [`strict`](Self::strict).
    #[must_use]
    pub fn following_workloads(mut self, follows_workloads: bool) -> Self {
        self.choices.follows_workloads = Some(follows_workloads);
        self
    }

    /// Evaluates every document against the given cluster; admitted objects do not exist for the others.
    #[must_use]
    pub fn isolate_documents(mut self) -> Self {
        self.choices.isolate_documents = true;
        self
    }

    /// Lets this many requests come in a second, for limits on their rate, instead of all at once.
    #[must_use]
    pub fn at_rate(mut self, rate: Rate) -> Self {
        self.choices.rate = Some(rate);
        self
    }

    /// Returns the server's release of Kubernetes.
    pub fn release(&self) -> Version {
        self.flags.release()
    }

    /// Returns a cluster of this server with the objects of `manifests`, next to those that every server creates. A
    /// server can have any number of clusters; they do not know each other.
    ///
    /// # Errors
    ///
    /// Fails if a manifest cannot be read, or is not an object of a kind that the server has. All errors are returned,
    /// not the first.
    pub fn cluster(&self, manifests: &[Arc<SourceFile>]) -> Result<OfflineCluster, Errors> {
        let setup = Setup::new(self.flags.clone())?;
        let mut said = Vec::new();
        let items = read::items(manifests, &mut said);
        let namespace = RequestDefaults::of_release(self.release()).namespace;
        setup.put(items, Undefined::Error, &namespace, |diagnostic| said.push(diagnostic));
        if said.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
            return Err(said.into());
        }
        let evaluator = setup.start(self.choices, |diagnostic| said.push(diagnostic))?;
        Ok(OfflineCluster {
            evaluator,
            setup,
            choices: self.choices,
            order: Order::NeedsFirst,
            has_objects: !manifests.is_empty(),
            notes: said,
        })
    }
}

impl OfflineCluster {
    /// Evaluates documents in this order instead of [`Order::NeedsFirst`].
    ///
    /// [`Order::File`] is the order of writing, with the server's answers to it: 404 if the Namespace comes later.
    #[must_use]
    pub fn in_order(mut self, order: Order) -> Self {
        self.order = order;
        self
    }

    /// Returns the names of the admission plugins of the server, in the order in which they are called.
    pub fn plugins(&self) -> Vec<&'static str> {
        self.evaluator.plugins()
    }

    /// Returns the settings of requests that documents do not contain: an administrator applies it in the namespace
    /// `default`.
    pub fn defaults(&self) -> RequestDefaults {
        RequestDefaults::of_release(self.evaluator.profile().reading_release())
    }

    /// Returns a cluster in the state of this one; neither changes the other. Tests read what exists once, and give each
    /// test a copy.
    ///
    /// The limits of `EventRateLimit` start anew in the copy.
    ///
    /// # Errors
    ///
    /// The plugins are set up again: a file that the flags name can no longer be read.
    pub fn try_clone(&self) -> Result<Self, Errors> {
        let setup = Setup {
            cluster: Arc::new(self.evaluator.cluster().copy()),
            fixtures: Arc::new(self.setup.fixtures.copy()),
            ..self.setup.clone()
        };
        Ok(Self {
            evaluator: setup.start_again(self.choices, &self.evaluator)?,
            setup,
            choices: self.choices,
            order: self.order,
            has_objects: self.has_objects,
            notes: self.notes.clone(),
        })
    }

    /// Evaluates every document: a manifest is applied, an `AdmissionReview` is the request in it.
    pub fn evaluate(&mut self, documents: &[Arc<SourceFile>]) -> Evaluation {
        self.evaluate_with(documents, &self.defaults())
    }

    /// Evaluates every document; `defaults` has the settings of requests that documents do not contain.
    pub fn evaluate_with(&mut self, documents: &[Arc<SourceFile>], defaults: &RequestDefaults) -> Evaluation {
        read::on_a_deep_stack(|| self.run(documents, defaults))
    }

    /// Returns the evaluator of the cluster.
    #[cfg(feature = "serve")]
    pub(crate) fn into_evaluator(self) -> Evaluator {
        self.evaluator
    }

    fn run(&mut self, documents: &[Arc<SourceFile>], defaults: &RequestDefaults) -> Evaluation {
        let Setup { flags, fixtures, .. } = &self.setup;
        let mut evaluation = Evaluation::new(flags.release(), self.evaluator.plugins(), fixtures.clone());
        evaluation.diagnostics.append(&mut self.notes);
        let mut items = read::items(documents, &mut evaluation.diagnostics);
        if self.order == Order::File {
            let namespaces = read::namespaces(&items);
            self.evaluator.keep_file_order(LiteralOrder { namespaces, is_whole_cluster: self.has_objects });
        } else {
            read::sort(&mut items, self.order);
            let names: Vec<String> = documents.iter().map(|file| file.name().to_owned()).collect();
            self.evaluator.note_order(Arc::new(move |file| {
                names.iter().position(|name| name == file).unwrap_or(names.len())
            }));
        }
        let profile = &self.evaluator.profile().clone();
        let requests = items.into_iter().map(|item| request(item, defaults, profile));
        self.evaluator.evaluate_all(requests, |result| evaluation.take(result));
        evaluation.summary.quotas = self.evaluator.quotas();
        evaluation.summary.add_hooks(self.evaluator.hooks());
        evaluation.end();
        evaluation
    }
}

impl From<ConfigurationError> for Errors {
    fn from(error: ConfigurationError) -> Self {
        Self { diagnostics: vec![Diagnostic::from(&error)], fault: error.fault }
    }
}

#[cfg(test)]
mod tests;
