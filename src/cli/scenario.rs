//! The scenario of an evaluation: the flags of every subcommand that evaluates manifests, and their execution.

mod set_up;
mod suite;

use std::collections::BTreeSet;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::{io, thread};

use clap::{Args, ValueEnum, ValueHint};
use rayon::prelude::*;

use crate::admission::Operation;
use crate::api_server::{Choices, STACK_SIZE, request};
use crate::cli::client_flags::{ClientFlags, Validation};
use crate::cli::input::{Input, NonManifests, Selection};
use crate::cli::order::{self, Batch, Batches, Order, Rank};
use crate::cli::overrides::Overrides;
use crate::cli::recreate;
use crate::cli::server_flags::ServerFlags;
use crate::cli::session::{Session, Unworkable, Work};
use crate::cli::watch::Watched;
use crate::code::Code;
use crate::evaluation::{
    Apply, ApplyOptions, Evaluator, LiteralOrder, Outcome, Prepared, Rate, RequestDefaults,
};
use crate::report::{Diagnostic, Severity};
use kube_api::features::FeatureGates;
use kube_api::version::Version;
use kube_yaml::{Item, Part};

pub(super) use suite::{Setting, Stage};

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

    /// Evaluate the documents in this order [default: needs-first for directories, else file]
    #[arg(long, value_name = "ORDER")]
    order: Option<Order>,

    /// Evaluate every document against the objects of --cluster alone, with the objects that controllers create for it
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

    /// Send this many requests per second, for limits on their rate [default: all at once]
    #[arg(long, value_name = "REQUESTS")]
    rate: Option<Rate>,

    /// The files of existing objects whose workloads are evaluated as if created anew.
    #[arg(skip)]
    existing: Vec<String>,

    #[command(flatten)]
    pub(super) server: ServerFlags,

    #[command(flatten)]
    client: ClientFlags,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Workloads {
    /// Send them through the chain as well
    Follow,
    /// Evaluate only the given documents
    Ignore,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DocumentOperation {
    /// Create the object
    Create,
    /// Apply the document to the existing object, as kubectl apply --server-side does
    Update,
    /// Delete the object
    Delete,
}

impl From<DocumentOperation> for Operation {
    fn from(operation: DocumentOperation) -> Self {
        match operation {
            DocumentOperation::Create => Self::Create,
            DocumentOperation::Update => Self::Update,
            DocumentOperation::Delete => Self::Delete,
        }
    }
}

impl Scenario {
    fn choices(&self) -> Choices {
        Choices {
            strict: self.strict,
            follows_workloads: self.workloads.map(|workloads| workloads == Workloads::Follow),
            each_alone: self.each_alone,
            rate: self.rate,
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
        let defaults = &ForFiles {
            client: &self.client,
            operation: self.operation.map(Operation::from),
            recreates: self.recreate,
            existing: self.existing_files(paths),
            overrides,
            release: evaluator.features().release(),
        };
        let features = &evaluator.features().clone();
        if let Some(order) = self.literal_order(paths, overrides) {
            evaluator.take_order_literally(order);
        }
        if self.order_of(paths) != Order::File {
            evaluator.note_order();
        }
        let (work_sender, work) = sync_channel(rayon::current_num_threads());
        let (outcome_sender, outcomes) = sync_channel(2);
        let cluster = evaluator.cluster().clone();
        let mut take = |outcomes| {
            cluster.pack();
            take(outcomes)
        };
        thread::scope(|scope| {
            let named = |name: &str| thread::Builder::new().name(name.to_owned()).stack_size(STACK_SIZE);
            named("reader")
                .spawn_scoped(scope, move || self.read_documents(paths, &work_sender, defaults, features))?;
            let taker =
                named("writer").spawn_scoped(scope, move || outcomes.into_iter().try_for_each(&mut take))?;
            session.evaluate(&work, evaluator, &outcome_sender);
            // If the report can no longer be written, the reader waits for room, and nothing takes its work.
            drop(work);
            drop(outcome_sender);
            taker.join().unwrap_or_else(|panic| resume_unwind(panic))
        })
    }

    fn non_manifests(&self) -> NonManifests {
        if self.ignore_non_manifests { NonManifests::LeftOut } else { NonManifests::Refused }
    }

    /// Returns the same scenario, with warnings about unknown fields unless another mode is given.
    pub(super) fn warning_of_fields(&self) -> Self {
        let mut scenario = self.clone();
        scenario.client.field_validation.get_or_insert(Validation::Warn);
        scenario
    }

    /// Returns the same scenario, with documents in `order` unless the flags set another one.
    pub(super) fn in_order(&self, order: Order) -> Self {
        Self { order: self.order.or(Some(order)), ..self.clone() }
    }

    /// Returns the files of the cluster and of policies, as the user named them.
    pub(super) fn fixture_paths(&self) -> Vec<String> {
        self.cluster.iter().chain(&self.policy).cloned().collect()
    }

    /// Reads and decodes the documents of one file, each with its rank in an evaluation of `paths`.
    pub(super) fn read_file(
        &self,
        input: Result<Input, Diagnostic>,
        (paths, overrides): (&[String], &Overrides),
        features: &FeatureGates,
    ) -> Vec<(Rank, Result<Prepared, Diagnostic>)> {
        let files = ForFiles {
            client: &self.client,
            operation: self.operation.map(Operation::from),
            recreates: false,
            existing: BTreeSet::new(),
            overrides,
            release: features.release(),
        };
        let (order, non_manifests) = (self.order_of(paths), self.non_manifests());
        let mut documents = Vec::new();
        for part in non_manifests.parts_of(input) {
            for item in order::items_of(part, non_manifests) {
                let rank = order::rank_of(order, &item);
                let prepared = item.and_then(|item| {
                    let own = files.own_defaults(item.source.name());
                    request(item, &own.unwrap_or_else(|| files.defaults()), features)
                });
                documents.push((rank, prepared));
            }
        }
        documents
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

    /// Whether the documents of `paths` are reordered.
    pub(super) fn sorts(&self, paths: &[String]) -> bool {
        self.order_of(paths) != Order::File
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

    /// Reads and decodes all documents, in order, in batches that are processed in parallel. Each batch is sent before it
    /// is ready.
    fn read_documents(
        &self,
        paths: &[String],
        sender: &SyncSender<Receiver<Vec<Work>>>,
        files: &ForFiles<'_>,
        features: &FeatureGates,
    ) {
        let everywhere = &files.defaults();
        let is_followed = self.choices().follows_workloads.unwrap_or(!self.strict);
        let non_manifests = self.non_manifests();
        let prepare = |item: Result<Item, Diagnostic>| {
            let item = item.map_err(Unworkable::Input)?;
            let own = files.own_defaults(item.source.name());
            let defaults = own.as_ref().unwrap_or(everywhere);
            let prepared = request(item, defaults, features).map_err(Unworkable::Input)?;
            Ok(if is_followed { prepared.followed(features) } else { prepared })
        };
        rayon::in_place_scope(|scope| {
            for batch in self.batches(paths, files.overrides) {
                let (ready, work) = sync_channel(1);
                scope.spawn(move |_| {
                    let mut prepared = Vec::new();
                    for items in batch.documents(non_manifests) {
                        // A list is one document with any number of objects.
                        let items = items.into_par_iter().with_min_len(Batch::SIZE);
                        prepared.par_extend(items.map(prepare));
                    }
                    let _ = ready.send(prepared);
                });
                // The other end is closed only if the report can no longer be written.
                if sender.send(work).is_err() {
                    return;
                }
            }
        });
    }

    /// Returns all documents, in the order of their evaluation.
    fn batches(&self, paths: &[String], overrides: &Overrides) -> Batches {
        let non_manifests = self.non_manifests();
        let batches = match self.order_of(paths) {
            Order::File => order::as_written(self.parts(paths, overrides)),
            order => order::sorted(&self.inputs(paths, overrides), order, non_manifests),
        };
        if !self.recreate && self.existing.is_empty() {
            return batches;
        }
        let batches: Vec<_> = batches.collect();
        let mut chunks: Vec<_> =
            batches.into_par_iter().flat_map_iter(|batch| batch.documents(non_manifests)).collect();
        let existing = non_manifests.items(&self.existing, &self.selection).flatten().flatten().collect();
        let existing = recreate::workloads_besides(&chunks, existing);
        let left_out = if self.recreate { recreate::recreated(&mut chunks) } else { 0 };
        if !existing.is_empty() {
            chunks.push(existing.into_iter().map(Ok).collect());
        }
        if left_out > 0 {
            let objects = if left_out == 1 { "1 object".to_owned() } else { format!("{left_out} objects") };
            let message = format!("left out {objects} of the dump that controllers create for others in it");
            chunks.push(vec![Err(Diagnostic::note(Code::InputControlled, message))]);
        }
        Box::new(chunks.into_iter().map(Batch::from))
    }

    /// Whether `paths` are a dump of a cluster, rather than manifests of its users.
    pub(super) fn is_dump(&self, paths: &[String]) -> bool {
        let inputs = self.selection.expand(paths).into_iter();
        recreate::is_dump(inputs.filter(|input| !matches!(input, Ok(Input::Standard))))
    }

    /// Returns this scenario for an evaluation of `paths`: objects that are created anew exist until then, so that
    /// quotas do not count them twice.
    pub(super) fn over(&self, paths: &[String]) -> Self {
        let exist: Vec<String> = paths.iter().filter(|path| self.recreate && *path != "-").cloned().collect();
        self.with_cluster(&exist)
    }

    /// Returns this scenario with an evaluation of the workloads that only exist among the objects of `--cluster` and
    /// `more`.
    pub(super) fn with_existing_workloads(&self, more: &[String]) -> Self {
        let is_file = |path: &&String| *path != "-";
        let existing = self.cluster.iter().chain(more).filter(is_file).cloned().collect();
        Self { existing, ..self.clone() }
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

    /// Returns this scenario with more objects in the cluster, which replace those with the same name.
    pub(super) fn with_cluster(&self, more: &[String]) -> Self {
        let cluster = self.cluster.iter().chain(more).cloned().collect();
        Self { cluster, ..self.clone() }
    }

    fn order_of(&self, paths: &[String]) -> Order {
        self.order.unwrap_or_else(|| order::of_paths(paths))
    }

    /// Returns the settings of the evaluator if the order of the files is taken literally.
    fn literal_order(&self, paths: &[String], overrides: &Overrides) -> Option<LiteralOrder> {
        if self.order != Some(Order::File) {
            return None;
        }
        let namespaces = order::namespaces(self.parts(paths, overrides), self.non_manifests());
        Some(LiteralOrder { namespaces, is_whole_cluster: !self.cluster.is_empty() })
    }

    /// Returns the documents of `paths`, found and not yet read.
    fn parts(
        &self,
        paths: &[String],
        overrides: &Overrides,
    ) -> impl Iterator<Item = Result<Part, Diagnostic>> + use<> {
        let non_manifests = self.non_manifests();
        self.inputs(paths, overrides).into_iter().flat_map(move |input| non_manifests.parts_of(input))
    }

    /// Returns the files of `paths`, except those that the settings exclude.
    fn inputs(&self, paths: &[String], overrides: &Overrides) -> Vec<Result<Input, Diagnostic>> {
        let excluded = self.selection.excluded();
        let is_excluded =
            |name: &str| overrides.exclude(name) || excluded.iter().any(|patterns| patterns.fit(name));
        let is_wanted = |input: &Result<Input, Diagnostic>| match input {
            Ok(input) => !is_excluded(&input.name()),
            Err(said) => said.severity != Severity::Note || !said.file.as_deref().is_some_and(is_excluded),
        };
        self.selection.expand(paths).into_iter().filter(is_wanted).collect()
    }
}

/// The settings of requests that documents do not contain, per file.
struct ForFiles<'a> {
    client: &'a ClientFlags,
    operation: Option<Operation>,
    recreates: bool,
    /// Files of existing objects, which are created anew.
    existing: BTreeSet<String>,
    overrides: &'a Overrides,
    release: Version,
}

impl ForFiles<'_> {
    fn defaults(&self) -> RequestDefaults {
        self.of(self.client, self.recreates)
    }

    fn of(&self, client: &ClientFlags, recreates: bool) -> RequestDefaults {
        let defaults = client.defaults(self.operation, self.release);
        if !recreates {
            return defaults;
        }
        let apply = ApplyOptions { apply: Apply::Create, recreates: true, ..(*defaults.apply).clone() };
        RequestDefaults { apply: Arc::new(apply), ..defaults }
    }

    /// Returns the settings for `file` alone, if there are any.
    fn own_defaults(&self, file: &str) -> Option<RequestDefaults> {
        let mut client = None;
        for overriding in self.overrides.of_client(file) {
            client.get_or_insert_with(|| self.client.clone()).take(overriding);
        }
        let recreates = self.recreates || self.existing.contains(file);
        if client.is_none() && recreates == self.recreates {
            return None;
        }
        let client = client.unwrap_or_else(|| self.client.clone());
        Some(self.of(&client, recreates))
    }
}
