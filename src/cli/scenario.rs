//! The scenario of an evaluation: the flags of every subcommand that evaluates manifests, and their execution.

mod documents;
mod flag_values;
mod per_file;
mod reading;
mod set_up;
mod suite;
mod variants;

use std::collections::BTreeSet;
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::mpsc::sync_channel;
use std::{io, thread};

use clap::{Args, ValueHint};

use crate::admission::Operation;
use crate::api_server::{Choices, STACK_SIZE};
use crate::cli::cache::{Base, Cache};
use crate::cli::client_flags::ClientFlags;
use crate::cli::console;
use crate::cli::input::{Input, NonManifests, Selection};
use crate::cli::order::{self, Order};
use crate::cli::overrides::Overrides;
use crate::cli::recreate::Recreation;
use crate::cli::server_flags::ServerFlags;
use crate::cli::session::{Chunk, Session};
use crate::cli::watch::Watched;
use crate::cluster::Cluster;
use crate::code::Code;
use crate::evaluation::{Evaluator, FileOrder, LiteralOrder, Outcome, Rank, Rate, Shard};
use crate::quota;
use crate::report::{Diagnostic, counted};
use kube_api::GroupVersionKind;
use kube_api::distribution::Distribution;
use kube_api::resource::Lifetime;

use flag_values::{DocumentOperation, ShardBy, Workloads};
use per_file::ForFiles;

pub(super) use documents::Documents;
pub(super) use suite::{Setting, Stage};

/// The number of documents that are worth several evaluators.
const MANY: usize = 2000;

/// The cluster, the server and the user of a run.
#[derive(Clone, Debug, PartialEq, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(super) struct Scenario {
    /// Read existing objects from this file, directory or pattern (may be repeated)
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    cluster: Vec<String>,

    /// Try the policies in this file, directory or pattern: one without a binding is bound to everything with Deny (may
    /// be repeated)
    ///
    /// Bindings, parameters and definitions in it exist as well. Unlike with --cluster, a faulty policy is an error.
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    policy: Vec<String>,

    /// Evaluate the documents in this order [default: needs-first]
    #[arg(long, value_name = "ORDER")]
    order: Option<Order>,

    /// Evaluate every document alone: against the objects of --cluster and what documents need of the input, such as
    /// namespaces, accounts and classes
    #[arg(long)]
    pub(super) each_alone: bool,

    /// Evaluate the objects of a dump (kubectl get -o yaml) as if they were created anew
    ///
    /// Fields that servers set are left out, and so are the objects that controllers create for others in the dump.
    #[arg(long)]
    pub(super) recreate: bool,

    /// Send this operation for every document that is not an AdmissionReview; --apply does so as kubectl does
    #[arg(long, value_name = "OPERATION", hide = true, conflicts_with = "apply")]
    operation: Option<DocumentOperation>,

    /// Skip objects of undefined kinds, with a note
    #[arg(long)]
    pub(super) ignore_unknown_kinds: bool,

    /// Skip files and documents that are not manifests, with a note
    ///
    /// These have neither apiVersion nor kind (values of a chart, workflows, compose files), are for kustomize, or
    /// cannot be read and do not contain apiVersion.
    #[arg(long)]
    ignore_non_manifests: bool,

    #[command(flatten)]
    pub(super) selection: Selection,

    /// Assume nothing: neither namespaces nor the work of controllers
    #[arg(long)]
    strict: bool,

    /// Send the requests that controllers send because of an admitted workload, such as its Pods [default: follow, with
    /// --strict ignore]
    #[arg(long, value_name = "WHETHER")]
    workloads: Option<Workloads>,

    /// Evaluate the namespaces of one of several runs over the same files, such as 2/8
    ///
    /// Each namespace belongs to one shard, and objects of the cluster to the first. `kadmit report` joins the results
    /// of all shards to those of one run.
    #[arg(long, value_name = "I/N", conflicts_with_all = ["rate", "each_alone", "order"])]
    pub(super) shard: Option<Shard>,

    /// What the documents of a shard have in common
    #[arg(long, value_name = "WHAT", default_value = "namespace", requires = "shard")]
    shard_by: ShardBy,

    /// Send this many requests per second, for limits on their rate [default: all at once]
    #[arg(long, value_name = "REQUESTS")]
    rate: Option<Rate>,

    /// Whether objects of a dump are recognized by the fields that only a server sets, and evaluated as if created anew.
    #[arg(skip)]
    recreates_dump: bool,

    /// Whether objects whose names are to be generated are created, although `kubectl apply` refuses them.
    #[arg(skip)]
    generates_names: bool,

    /// The inputs whose objects exist until they are created anew.
    #[arg(skip)]
    recreated: Vec<String>,

    /// The files of existing objects that are evaluated as if created anew.
    #[arg(skip)]
    existing: Vec<String>,

    #[command(flatten)]
    pub(super) server: ServerFlags,

    #[command(flatten)]
    client: ClientFlags,
}

impl Scenario {
    /// Returns the errors about addresses of Services that no webhook uses, as the cluster is now.
    pub(super) fn idle_services(&self, evaluator: &Evaluator) -> Vec<Diagnostic> {
        let used = evaluator.webhook_services();
        let idle = self.server.idle_services(&used).into_iter().map(|service| {
            let message = format!("--webhook-service {service}: no webhook uses this Service");
            let mut names: Vec<String> =
                used.iter().map(|(namespace, name, port)| format!("{namespace}/{name}:{port}")).collect();
            names.sort();
            names.dedup();
            let help = match names.as_slice() {
                [] => "no webhook among the cluster objects uses one".to_owned(),
                names => format!("webhooks use {}", names.join(", ")),
            };
            Diagnostic::input(Code::Configuration, message).help(help)
        });
        idle.collect()
    }

    fn choices(&self) -> Choices {
        Choices {
            strict: self.strict,
            follows_workloads: self.workloads.map(|workloads| workloads == Workloads::Follow),
            isolate_documents: self.each_alone,
            rate: self.rate,
            shard: match self.shard_by {
                ShardBy::Namespace => self.shard,
            },
        }
    }

    /// Evaluates the documents of `paths` and passes the outcomes to `take` in order, in chunks, on a separate thread.
    ///
    /// # Errors
    ///
    /// Returns the error of `take`.
    pub(super) fn evaluate(
        &self,
        paths: &[String],
        overrides: &Overrides,
        evaluator: &mut Evaluator,
        session: &mut Session,
        mut take: impl FnMut(Vec<Outcome>) -> io::Result<()> + Send,
    ) -> io::Result<()> {
        self.evaluate_cached(paths, overrides, (evaluator, None), session, |chunk| take(chunk.outcomes))
    }

    /// Does the same, except for what is known from `cache`.
    ///
    /// # Errors
    ///
    /// Returns the error of `take`.
    pub(super) fn evaluate_cached(
        &self,
        paths: &[String],
        overrides: &Overrides,
        (evaluator, cache): (&mut Evaluator, Option<&Cache>),
        session: &mut Session,
        mut take: impl FnMut(Chunk) -> io::Result<()> + Send,
    ) -> io::Result<()> {
        let defaults = &ForFiles {
            client: &self.client,
            operation: self.operation.map(Operation::from),
            recreation: self.recreation(),
            generates_names: self.generates_names,
            existing: self.existing_files(paths),
            overrides,
            release: evaluator.profile().reading_release(),
        };
        let profile = &evaluator.profile().clone();
        if let Some(order) = self.literal_order(paths, overrides) {
            evaluator.keep_file_order(order);
        }
        if let Some(files) = self.file_order(paths) {
            evaluator.note_order(files);
        }
        let exists = evaluator.cluster().clone();
        let known = &move |api_version: &str, kind: &str| is_known(&exists, api_version, kind);
        let total = session.total();
        let found = total.clone();
        let (work_sender, work) = sync_channel(rayon::current_num_threads());
        let (outcome_sender, outcomes) = sync_channel(2);
        let cluster = evaluator.cluster().clone();
        let mut take = |chunk| {
            cluster.pack();
            take(chunk)
        };
        thread::scope(|scope| {
            let named = |name: &str| thread::Builder::new().name(name.to_owned()).stack_size(STACK_SIZE);
            named("reader").spawn_scoped(scope, move || {
                self.read_documents(paths, &work_sender, defaults, (profile, known, cache), &total);
            })?;
            let taker =
                named("writer").spawn_scoped(scope, move || outcomes.into_iter().try_for_each(&mut take))?;
            // Their number is known with the first of them.
            let first = work.recv();
            let is_alone = cache.is_some() || found.load(Ordering::Relaxed) < MANY;
            let mut others = if is_alone { Vec::new() } else { self.split(paths, evaluator, session) };
            let batches = first.into_iter().chain(work);
            // If the report can no longer be written, the reader waits for room, and nothing takes its work.
            session.evaluate(batches, (evaluator, &mut others), cache, &outcome_sender);
            if !others.is_empty() {
                evaluator.join(others);
            }
            drop(outcome_sender);
            taker.join().unwrap_or_else(|panic| resume_unwind(panic))
        })
    }

    /// Leaves only some namespaces to `evaluator`, and returns others for the rest, as many as there are threads. Returns
    /// none if requests in one namespace may depend on others, as for [`Shard`]s.
    fn split(&self, paths: &[String], evaluator: &mut Evaluator, session: &Session) -> Vec<Evaluator> {
        let is_whole = self.shard.is_some()
            || self.rate.is_some()
            || self.order() != Order::NeedsFirst
            || self.recreation() != Recreation::Nothing
            || !self.existing.is_empty()
            || self.operation.is_some()
            || self.deletes()
            || session.coverage.is_some()
            || evaluator.asks_webhooks()
            || !evaluator.can_be_split()
            || Self::crosses_namespaces(evaluator);
        if is_whole {
            return Vec::new();
        }
        let count = rayon::current_num_threads().try_into().unwrap_or(1);
        let mut shards = Shard::all(count);
        let own = shards.next().filter(|_| count > 1);
        let others: Result<Vec<_>, _> =
            shards.map(|shard| self.start_again(shard, paths, evaluator, session)).collect();
        // A file that the flags name may have changed.
        let Some((own, others)) = own.zip(others.ok()) else { return Vec::new() };
        evaluator.answer_for(own);
        others
    }

    /// Reports what a run for one shard leaves open.
    pub(super) fn note_shard(&self, evaluator: &Evaluator, session: &mut Session) {
        let Some(shard) = self.shard else { return };
        if session.summary.requests == 0 && evaluator.elsewhere() > 0 {
            let elsewhere = counted(evaluator.elsewhere(), "document");
            let message = format!("no document belongs to shard {shard}: others evaluate {elsewhere}");
            // It says nothing about the documents, so it is in no report.
            console::say(&Diagnostic::note(Code::InputShard, message), session.colors);
        }
        if quota::openshift::spans_namespaces(evaluator.cluster()) {
            let message = format!("a ClusterResourceQuota counts the namespaces of shard {shard} alone");
            let note = Diagnostic::note(Code::InputShard, message);
            session.say(&note.help("evaluate projects that share a quota without --shard"));
        }
    }

    /// Adds what results depend on to `base`: the flags, and the files that they name.
    pub(super) fn add_to(&self, base: &mut Base) {
        base.add(self);
        for input in self.selection.expand(&self.fixture_paths()).into_iter().flatten() {
            match &input {
                Input::File(file) => base.add_file(file),
                input => base.add(&input.read().map(|source| source.text().to_owned()).map_err(|_| ())),
            }
        }
        self.server.files().iter().for_each(|file| base.add_file(file));
    }

    /// Whether requests in one namespace can depend on any others: quotas of OpenShift count several, and images are
    /// looked up in all.
    pub(super) fn crosses_namespaces(evaluator: &Evaluator) -> bool {
        evaluator.profile().distribution() != Distribution::Kubernetes
            || quota::openshift::spans_namespaces(evaluator.cluster())
    }

    /// Returns the flags that make results depend on more than the documents before, and whether they are given.
    pub(super) fn uncached(&self) -> [(&'static str, bool); 8] {
        [
            ("--order", self.order.is_some_and(|order| order != Order::NeedsFirst)),
            ("--each-alone", self.each_alone),
            ("--recreate", self.recreate),
            ("--operation", self.operation.is_some()),
            ("--apply delete", self.client.deletes()),
            ("--shard", self.shard.is_some()),
            ("--rate", self.rate.is_some()),
            ("webhooks that are called", self.server.calls()),
        ]
    }

    fn non_manifests(&self) -> NonManifests {
        if self.ignore_non_manifests { NonManifests::LeftOut } else { NonManifests::Refused }
    }

    /// Returns the files of the cluster and of policies, as the user named them.
    pub(super) fn fixture_paths(&self) -> Vec<String> {
        self.cluster.iter().chain(&self.policy).cloned().collect()
    }

    /// Whether the objects of manifests are deleted.
    pub(super) fn deletes(&self) -> bool {
        self.operation == Some(DocumentOperation::Delete) || self.client.deletes()
    }

    /// Returns the namespace of documents without one.
    pub(super) fn namespace(&self) -> &str {
        self.client.namespace()
    }

    /// Returns the evaluator's settings if the order of `inputs` is kept.
    pub(super) fn literal_order_of(&self, inputs: &[Input]) -> Option<LiteralOrder> {
        if self.order != Some(Order::File) {
            return None;
        }
        let non_manifests = self.non_manifests();
        let parts = inputs.iter().flat_map(|input| non_manifests.parts_of(Ok(input.clone())));
        let namespaces = order::namespaces(parts, non_manifests);
        Some(LiteralOrder { namespaces, is_whole_cluster: !self.cluster.is_empty() })
    }

    /// Returns where the files of `paths` are named, if documents are sorted.
    pub(super) fn file_order(&self, paths: &[String]) -> Option<FileOrder> {
        (self.order() != Order::File).then(|| order::file_order(paths))
    }

    /// Sorts `documents` in the order of their evaluation.
    pub(super) fn sort<T>(&self, documents: &mut [T], rank: impl Fn(&T) -> &Rank) {
        order::sort(self.order(), documents, rank);
    }

    /// Returns the files that an evaluation of `paths` reads.
    pub(super) fn watched(&self, paths: &[String]) -> Watched {
        let paths = paths.iter().chain(&self.cluster).chain(&self.policy).cloned().collect();
        let selection = self.selection.clone();
        Watched { paths, selection, configurations: self.server.configurations(), reports: Vec::new() }
    }

    /// Whether something is to be read from standard input.
    pub(super) fn reads_standard_input(&self, paths: &[String]) -> bool {
        paths.iter().chain(&self.cluster).chain(&self.policy).any(|path| path == "-")
    }

    /// Checks that no report overwrites a manifest that an evaluation of `paths` reads.
    ///
    /// # Errors
    ///
    /// One of `files` is such a manifest.
    pub(super) fn check_outputs<'f>(
        &self,
        paths: &[String],
        files: impl IntoIterator<Item = &'f PathBuf>,
    ) -> Result<(), Diagnostic> {
        let existing: Vec<PathBuf> = files.into_iter().filter_map(|file| file.canonicalize().ok()).collect();
        if existing.is_empty() {
            return Ok(());
        }
        let all = paths.iter().chain(&self.cluster).chain(&self.policy).filter(|path| *path != "-");
        let all: Vec<String> = all.cloned().collect();
        for input in self.selection.expand(&all).into_iter().flatten() {
            let Input::File(path) = &input else { continue };
            let is_output = path.canonicalize().is_ok_and(|path| existing.contains(&path));
            let mut read = NonManifests::LeftOut.items_of_inputs(vec![Ok(input.clone())]);
            if is_output && read.any(|items| items.is_ok_and(|items| !items.is_empty())) {
                let message = format!("a report cannot overwrite {}, which is read", path.display());
                return Err(Diagnostic::input(Code::Output, message).help("name another file after the ="));
            }
        }
        Ok(())
    }

    /// Returns which documents are evaluated as if created anew.
    fn recreation(&self) -> Recreation {
        match (self.recreate, self.recreates_dump) {
            (true, _) => Recreation::Everything,
            (false, true) => Recreation::OfDump,
            (false, false) => Recreation::Nothing,
        }
    }

    /// Whether objects exist in the cluster by a flag.
    pub(super) fn has_cluster(&self) -> bool {
        !self.cluster.is_empty()
    }

    /// Returns the names of the files of existing objects, except those of `paths`.
    fn existing_files(&self, paths: &[String]) -> BTreeSet<String> {
        let names = |paths: &[String]| -> BTreeSet<String> {
            let inputs = self.selection.expand(paths).into_iter().flatten();
            inputs.map(|input| input.name().into_owned()).collect()
        };
        if self.existing.is_empty() {
            return BTreeSet::new();
        }
        let own = names(paths);
        names(&self.existing).into_iter().filter(|name| !own.contains(name)).collect()
    }

    fn order(&self) -> Order {
        self.order.unwrap_or(Order::NeedsFirst)
    }

    /// Returns the settings of the evaluator if the order of the files is taken literally.
    fn literal_order(&self, paths: &[String], overrides: &Overrides) -> Option<LiteralOrder> {
        if self.order != Some(Order::File) {
            return None;
        }
        let namespaces = order::namespaces(self.parts(paths, overrides), self.non_manifests());
        Some(LiteralOrder { namespaces, is_whole_cluster: !self.cluster.is_empty() })
    }
}

/// Whether a release of Kubernetes or `cluster` has objects of `kind`.
fn is_known(cluster: &Cluster, api_version: &str, kind: &str) -> bool {
    let kind = GroupVersionKind::from_api_version(api_version, kind);
    kube_registry::of(&kind).is_some()
        || Lifetime::of(&kind).is_some()
        || cluster.custom_resource_of_kind(&kind.group, &kind.kind).is_some()
}
