//! The library in three calls: an API server from its flags, a cluster from manifests, and the answers to documents.
//!
//! Everything that the program's reports show is in the [`Evaluation`] that comes back: what each plugin changed, why
//! one refused, the Pods that controllers ask for, what was assumed, and what is wrong with the input.

mod arguments;
mod errors;
mod evaluated;
mod read;

use std::sync::Arc;

use crate::api::distribution::Distribution;
use crate::api::features::FeatureGates;
use crate::api::version::Version;
use crate::cluster::Cluster;
use crate::configuration::{Configuration, ConfigurationError, Flags};
use crate::evaluation::{Evaluator, LiteralOrder, Order, Rate, RequestDefaults};
use crate::report::{Diagnostic, Fixtures, Severity};
use crate::source::SourceFile;

pub use errors::Errors;
pub use evaluated::Evaluation;
pub use read::read_files;
pub(crate) use read::{STACK_SIZE, put_definitions_first, put_fixtures, request};

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
    features: Arc<FeatureGates>,
    choices: Choices,
}

/// How a server is evaluated offline, whatever its flags are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Choices {
    /// Whether nothing is assumed: no namespace, and no controller runs.
    pub(crate) strict: bool,
    /// Whether the requests that controllers make because of workloads are made; unset, they are unless `strict`.
    pub(crate) follows_workloads: Option<bool>,
    /// Whether every document is evaluated against the cluster as it was given.
    pub(crate) each_alone: bool,
    /// How many requests come in a second; unset, all at once.
    pub(crate) rate: Option<Rate>,
}

/// A server with the objects that exist in its cluster, ready to answer requests.
///
/// What is admitted exists for the documents after it, in this and in later evaluations.
pub struct OfflineCluster {
    evaluator: Evaluator,
    fixtures: Arc<Fixtures>,
    release: Version,
    order: Option<Order>,
    /// What is to be said before the first evaluation.
    notes: Vec<Diagnostic>,
}

impl ApiServer {
    /// Sets up the server that `flags` describe.
    ///
    /// # Errors
    ///
    /// The server would not start with these flags or with a file that they name.
    pub(crate) fn new(flags: Flags) -> Result<Self, Errors> {
        let features = Arc::new(flags.features()?);
        // A server that does not start is an error here, not at its first cluster.
        let cluster = Arc::new(Cluster::of(flags.distribution));
        Configuration::new(&flags, features.clone(), cluster)?;
        Ok(Self { flags, features, choices: Choices::default() })
    }

    /// Sets up the server with flags, each `--name=value`: those of kube-apiserver about admission, and those of
    /// `kadmit run` that describe a server, such as `--kubernetes-version` and `--webhooks`. `--kube-apiserver` takes them
    /// from the file that starts the server.
    ///
    /// # Errors
    ///
    /// A flag is not about admission, or the server would not start.
    pub fn from_flags<F: AsRef<str>>(flags: impl IntoIterator<Item = F>) -> Result<Self, Errors> {
        Self::new(arguments::flags(flags)?)
    }

    /// Assumes nothing about the cluster: namespaces have to exist, and controllers do not run.
    #[must_use]
    pub fn strict(mut self) -> Self {
        self.choices.strict = true;
        self
    }

    /// Makes the requests that controllers make because of admitted workloads, or not. They are made unless the
    /// server is [`strict`](Self::strict).
    #[must_use]
    pub fn following_workloads(mut self, follows_workloads: bool) -> Self {
        self.choices.follows_workloads = Some(follows_workloads);
        self
    }

    /// Evaluates every document against the cluster as it was given; what is admitted does not exist for the others.
    #[must_use]
    pub fn each_alone(mut self) -> Self {
        self.choices.each_alone = true;
        self
    }

    /// Lets this many requests come in a second, for limits on their rate, instead of all at once.
    #[must_use]
    pub fn at_rate(mut self, rate: Rate) -> Self {
        self.choices.rate = Some(rate);
        self
    }

    /// The release of Kubernetes that the server is.
    pub fn release(&self) -> Version {
        self.flags.release()
    }

    /// The cluster of this server in which the objects of `manifests` exist, next to those that every server creates.
    /// A server can have any number of clusters; they do not know each other.
    ///
    /// # Errors
    ///
    /// A manifest cannot be read, or is not an object of a kind that the server has. All errors are returned, not the
    /// first.
    pub fn cluster(&self, manifests: &[Arc<SourceFile>]) -> Result<OfflineCluster, Errors> {
        let cluster = Arc::new(Cluster::of(self.flags.distribution));
        let fixtures = Arc::<Fixtures>::default();
        let mut said = Vec::new();
        let mut items = read::items(manifests, &mut said);
        put_definitions_first(&mut items);
        let namespace = RequestDefaults::of_release(self.release()).namespace;
        put_fixtures(items, &namespace, &cluster, &self.features, &fixtures, |diagnostic, _| {
            said.push(diagnostic);
        });
        if said.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
            return Err(said.into());
        }
        let configuration = Configuration::new(&self.flags, self.features.clone(), cluster.clone())?;
        let notes = configuration.notes.iter().map(String::as_str);
        said.extend(notes.map(|note| Diagnostic::note("kadmit::configuration::note", note)));
        said.extend(not_built(&configuration.missing));
        let release = configuration.release;
        let evaluator = evaluator(&self.flags, configuration, cluster, self.choices);
        said.extend(assumptions(&evaluator));
        Ok(OfflineCluster { evaluator, fixtures, release, order: None, notes: said })
    }
}

impl OfflineCluster {
    /// Evaluates documents in this order instead of the one in which they are written.
    ///
    /// [`Order::File`] is the order in which they are written too, with the server's answer to it: 404 where the
    /// Namespace comes later.
    #[must_use]
    pub fn in_order(mut self, order: Order) -> Self {
        self.order = Some(order);
        if order != Order::File {
            self.evaluator.note_order();
        }
        self
    }

    /// Names of the admission plugins of the server, in the order in which they are called.
    pub fn plugins(&self) -> Vec<&'static str> {
        self.evaluator.plugins()
    }

    /// What a document does not say about its request: an administrator applies it in the namespace `default`.
    pub fn defaults(&self) -> RequestDefaults {
        RequestDefaults::of_release(self.release)
    }

    /// Evaluates every document: a manifest is applied, an `AdmissionReview` is the request that it describes.
    pub fn evaluate(&mut self, documents: &[Arc<SourceFile>]) -> Evaluation {
        self.evaluate_with(documents, &self.defaults())
    }

    /// Evaluates every document; what it does not say about its request is in `defaults`.
    pub fn evaluate_with(&mut self, documents: &[Arc<SourceFile>], defaults: &RequestDefaults) -> Evaluation {
        read::on_a_deep_stack(|| self.run(documents, defaults))
    }

    fn run(&mut self, documents: &[Arc<SourceFile>], defaults: &RequestDefaults) -> Evaluation {
        let mut evaluation = Evaluation::new(self.release, self.evaluator.plugins(), self.fixtures.clone());
        evaluation.diagnostics.append(&mut self.notes);
        let mut items = read::items(documents, &mut evaluation.diagnostics);
        match self.order {
            Some(Order::File) => {
                let namespaces = read::namespaces(&items);
                self.evaluator.take_order_literally(LiteralOrder { namespaces, is_whole_cluster: false });
            }
            Some(order) => items.sort_by_cached_key(|item| order.rank(read::kind_of(item))),
            None => {}
        }
        let features = &self.evaluator.features().clone();
        let requests = items.into_iter().map(|item| request(item, defaults, features));
        self.evaluator.evaluate_all(requests, |result| evaluation.take(result));
        evaluation.end();
        evaluation
    }
}

/// An evaluator of `configuration` over the objects of `cluster`.
pub(crate) fn evaluator(
    flags: &Flags,
    configuration: Configuration,
    cluster: Arc<Cluster>,
    choices: Choices,
) -> Evaluator {
    // Who may do what in OpenShift is seldom known, and only some plugins ask for it.
    let is_authorizing =
        !flags.authorization_mode.is_empty() && flags.distribution == Distribution::Kubernetes;
    let evaluator = Evaluator::new(cluster, configuration.chain, configuration.features, choices.strict)
        .authorized_by(configuration.authorizer)
        .serving(flags.runtime_config())
        .with_registry(configuration.registry)
        .authorizing_requests(is_authorizing)
        .each_alone(choices.each_alone);
    let evaluator = match choices.follows_workloads {
        Some(follows) => evaluator.following_workloads(follows),
        None => evaluator,
    };
    match choices.rate {
        Some(rate) => evaluator.at_rate(rate),
        None => evaluator,
    }
}

/// Notes for what `evaluator` assumes about its cluster.
pub(crate) fn assumptions(evaluator: &Evaluator) -> impl Iterator<Item = Diagnostic> {
    let assumptions = evaluator.assumptions().iter();
    assumptions.map(|assumption| Diagnostic::note("kadmit::cluster::assumed", assumption.as_str()))
}

/// A note about plugins that a server would run and kadmit does not have.
pub(crate) fn not_built(missing: &[&str]) -> Option<Diagnostic> {
    let message = || format!("not built yet, so they did not run: {}", missing.join(", "));
    (!missing.is_empty()).then(|| Diagnostic::note("kadmit::plugin::not_built", message()))
}

impl From<ConfigurationError> for Errors {
    fn from(error: ConfigurationError) -> Self {
        Diagnostic::from(&error).into()
    }
}

#[cfg(test)]
mod tests;
