//! `kadmit run`

use std::io::{self, IsTerminal, Write, stderr, stdout};
use std::iter;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use rayon::prelude::*;

use crate::admission::{Operation, UserInfo};
use crate::api::decode::FieldValidation;
use crate::api::features::FeatureGates;
use crate::api::version::Version;
use crate::cli::color::{self, Colors};
use crate::cli::input::{self, Input};
use crate::cli::output::{Context, Output, OutputParser, Outputs, Reports};
use crate::cli::server_flags::ServerFlags;
use crate::cli::{Exit, STACK_SIZE};
use crate::cluster::{Cluster, Fixture, FixtureError};
use crate::configuration::{Configuration, ConfigurationError};
use crate::evaluation::{Evaluator, Outcome, Place, Prepared, Rate, Request, RequestDefaults, install_rank};
use crate::manifest::{self, Document, Item, Part};
use crate::report::{Diagnostic, Fixtures, Severity, Summary, TextStyle, Verbosity, write_diagnostic};
use crate::source::Node;

/// Evaluate manifests against the admission chain
///
/// Every document is a request to create its object, or to update it if it exists; an AdmissionReview says itself
/// what it wants. What is admitted exists for the documents behind it.
///
/// Exit status: 0 all admitted, 1 some denied or what --fail-on names, 2 the input or configuration is wrong or
/// nothing was evaluated, 3 an internal error.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(super) struct Run {
    /// Evaluate these files, directories (.yaml, .yml and .json below them), patterns, or - for standard input
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<String>,

    /// Let the objects in this file, directory or pattern exist (may be repeated)
    #[arg(long, value_name = "PATH")]
    cluster: Vec<String>,

    /// Evaluate the documents in this order
    #[arg(long, value_name = "ORDER", default_value = "file")]
    order: Order,

    /// What to do with every document that is no AdmissionReview [default: create, or update what exists]
    #[arg(long, value_name = "OPERATION")]
    operation: Option<DocumentOperation>,

    /// Leave out objects of kinds that nobody defines, with a note
    #[arg(long)]
    ignore_unknown_kinds: bool,

    /// Take nothing for granted: no namespace is assumed and no controller played
    #[arg(long)]
    strict: bool,

    /// Make the requests that controllers make because of an admitted workload, such as its Pods [default: follow,
    /// with --strict ignore]
    #[arg(long, value_name = "WHETHER")]
    workloads: Option<Workloads>,

    /// Let this many requests come in a second, for limits on their rate [default: all at once]
    #[arg(long, value_name = "REQUESTS")]
    rate: Option<Rate>,

    /// Report in this format, to the file behind a = or else to standard output (may be repeated) [default: text]
    ///
    /// With files alone nothing is printed but what is wrong with the input. A file takes the place of the last
    /// report when it is whole.
    #[arg(short, long, value_name = "FORMAT[=FILE]", value_parser = OutputParser)]
    output: Vec<Output>,

    /// Print only what is refused
    #[arg(short, long, conflicts_with = "verbose")]
    quiet: bool,

    /// Print also what did nothing, or comes to nothing because the object is refused
    #[arg(short, long)]
    verbose: bool,

    /// Do not print changes line by line
    #[arg(long)]
    no_diff: bool,

    /// Succeed when there is nothing to evaluate
    #[arg(long)]
    allow_empty: bool,

    /// Fail also when this happens; what is denied always fails (may be repeated)
    #[arg(long, value_name = "EVENT", value_delimiter = ',')]
    fail_on: Vec<Event>,

    /// Succeed whatever is denied, if nothing is wrong with the input
    #[arg(long, conflicts_with = "fail_on")]
    exit_zero: bool,

    #[command(flatten)]
    server: ServerFlags,

    #[command(flatten)]
    client: ClientFlags,
}

/// What makes a run fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Event {
    /// A request is denied
    Denied,
    /// The server warns
    Warning,
    /// A plugin changes an object
    Mutated,
    /// Something about the cluster is assumed or cannot be known
    Assumed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Order {
    /// As they are written, file by file
    File,
    /// As Helm installs them: namespaces, quotas, accounts and definitions before what needs them
    Install,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Workloads {
    /// Send them through the chain as well
    Follow,
    /// Evaluate only what is written
    Ignore,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DocumentOperation {
    /// Create the object
    Create,
    /// Apply the document to the object that exists, as kubectl apply --server-side does
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

/// Flags that kubectl has by the same name.
#[derive(Debug, Args)]
#[command(next_help_heading = "Flags of kubectl")]
struct ClientFlags {
    /// Put documents that name no namespace into this one
    #[arg(short, long, default_value = "default")]
    namespace: String,

    /// Make the requests as this user
    #[arg(long = "as", value_name = "USER", default_value = "kubernetes-admin")]
    as_user: String,

    /// Make the requests as a member of this group (may be repeated) [default: system:masters
    /// for kubernetes-admin]
    #[arg(long, value_name = "GROUP")]
    as_group: Vec<String>,

    /// Make the requests as the user with this UID
    #[arg(long, value_name = "UID")]
    as_uid: Option<String>,

    /// Treat unknown and repeated fields like this
    #[arg(long, value_name = "MODE", default_value = "Strict")]
    field_validation: Validation,

    /// Evaluate every request alone: nothing that is admitted exists for the others
    #[arg(long)]
    dry_run: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "PascalCase")]
enum Validation {
    /// Refuse the object
    Strict,
    /// Warn
    Warn,
    /// Say nothing
    Ignore,
}

/// Documents that are read and decoded together.
const CHUNK: usize = 64;

/// Outcomes that are rendered into one text.
const RENDERED: usize = 8;

/// What comes out of a document before the chain is asked.
type Work = Result<Box<Prepared>, Diagnostic>;

impl Run {
    /// Evaluates, prints, and says how it ended.
    pub(super) fn execute(self, colors: Colors) -> Exit {
        let mut session = Session::new(self.style(), colors, self.ignore_unknown_kinds);
        let outputs = match Outputs::open(&self.output) {
            Ok(outputs) => outputs,
            Err(error) => {
                session.say(&error);
                return Exit::Input;
            }
        };
        match self.evaluate(outputs, &mut session) {
            Ok(()) => self.exit(&session),
            // The reader of the pipe has seen enough.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => self.exit(&session),
            Err(error) => {
                session
                    .say(&Diagnostic::input("kadmit::output", format!("cannot write the report: {error}")));
                Exit::Input
            }
        }
    }

    fn evaluate(&self, outputs: Outputs, session: &mut Session) -> io::Result<()> {
        let set_up = self.set_up(session);
        let release = set_up.as_ref().map_or(Version::BINARY, |(_, release)| *release);
        let (style, colored) = (self.style(), session.colors.everywhere);
        let fixtures = session.fixtures.clone();
        let mut reports = outputs.reports(&Context { release, fixtures, style, colored });
        match set_up {
            Ok((mut evaluator, _)) => {
                self.evaluate_documents(&mut evaluator, &mut reports, session)?;
                if !self.allow_empty {
                    session.refuse_nothing();
                }
            }
            Err(error) => {
                session.say(&Diagnostic::from(&error));
                reports.begin(&[])?;
            }
        }
        session.summary.exit_status = self.exit(session).status();
        reports.end(&session.diagnostics, &session.summary)
    }

    fn exit(&self, session: &Session) -> Exit {
        let summary = &session.summary;
        let happened = |event: &Event| match event {
            Event::Denied => summary.denied > 0,
            Event::Warning => summary.warnings > 0,
            Event::Mutated => summary.mutated > 0,
            Event::Assumed => !summary.notes.is_empty() || session.has_assumed,
        };
        let failed = !self.exit_zero && (summary.denied > 0 || self.fail_on.iter().any(happened));
        match (summary.errors, failed) {
            (0, false) => Exit::Admitted,
            (0, true) => Exit::Denied,
            _ => Exit::Input,
        }
    }

    /// Makes the server that the flags describe, with the objects of `--cluster`.
    fn set_up(&self, session: &mut Session) -> Result<(Evaluator, Version), ConfigurationError> {
        let flags = self.server.read()?;
        let features = Arc::new(flags.features()?);
        let cluster = Arc::new(Cluster::new());
        self.load_cluster(&cluster, &features, session);
        let configuration = Configuration::new(&flags, features.clone(), cluster.clone())?;
        session.note_missing(&configuration.missing);
        for note in configuration.notes {
            session.say(&Diagnostic::note("kadmit::configuration::note", note));
        }
        let evaluator = Evaluator::new(cluster, configuration.chain, features, self.strict)
            .authorized_by(configuration.authorizer)
            .serving(flags.runtime_config());
        session.has_assumed = !evaluator.assumptions().is_empty();
        for assumption in evaluator.assumptions() {
            session.say(&Diagnostic::note("kadmit::cluster::assumed", assumption.as_str()));
        }
        let evaluator = match self.workloads {
            Some(workloads) => evaluator.following_workloads(workloads == Workloads::Follow),
            None => evaluator,
        };
        let evaluator = match self.rate {
            Some(rate) => evaluator.at_rate(rate),
            None => evaluator,
        };
        Ok((evaluator, configuration.release))
    }

    fn evaluate_documents(
        &self,
        evaluator: &mut Evaluator,
        reports: &mut Reports,
        session: &mut Session,
    ) -> io::Result<()> {
        reports.begin(&evaluator.plugins())?;
        let defaults = &self.defaults();
        let features = &evaluator.features().clone();
        let (work_sender, work) = sync_channel(2);
        let (outcome_sender, outcomes) = sync_channel(2);
        thread::scope(|scope| {
            let named = |name: &str| thread::Builder::new().name(name.to_owned()).stack_size(STACK_SIZE);
            named("reader")
                .spawn_scoped(scope, move || self.read_documents(&work_sender, defaults, features))?;
            let writer = named("writer").spawn_scoped(scope, move || write_outcomes(&outcomes, reports))?;
            session.evaluate(&work, evaluator, &outcome_sender);
            drop(outcome_sender);
            writer.join().unwrap_or_else(|panic| resume_unwind(panic))
        })
    }

    fn defaults(&self) -> RequestDefaults {
        let client = &self.client;
        let is_admin = client.as_user == "kubernetes-admin" && client.as_group.is_empty();
        let mut groups = client.as_group.clone();
        if is_admin {
            groups.push("system:masters".to_owned());
        }
        if !groups.iter().any(|group| group == "system:authenticated") {
            groups.push("system:authenticated".to_owned());
        }
        let user_info = UserInfo {
            username: client.as_user.clone(),
            uid: client.as_uid.clone().unwrap_or_default(),
            groups,
            ..UserInfo::default()
        };
        RequestDefaults {
            namespace: client.namespace.clone(),
            operation: self.operation.map(Operation::from),
            user_info: Arc::new(user_info),
            dry_run: client.dry_run,
            field_validation: match client.field_validation {
                Validation::Strict => FieldValidation::Strict,
                Validation::Warn => FieldValidation::Warn,
                Validation::Ignore => FieldValidation::Ignore,
            },
        }
    }

    fn style(&self) -> TextStyle {
        let width = if stdout().is_terminal() { terminal_size::terminal_size() } else { None };
        TextStyle {
            verbosity: match (self.quiet, self.verbose) {
                (true, _) => Verbosity::Quiet,
                (_, true) => Verbosity::Verbose,
                _ => Verbosity::Normal,
            },
            diff: !self.no_diff,
            width: width.map_or(80, |(width, _)| usize::from(width.0).clamp(60, 120)),
        }
    }

    /// Makes the objects of `--cluster` exist. Definitions of custom resources come first, so that the order of
    /// the files does not matter.
    fn load_cluster(&self, cluster: &Cluster, features: &FeatureGates, session: &mut Session) {
        let mut items = Vec::new();
        for part in input::expand(&self.cluster).into_iter().flat_map(parts_of) {
            items.extend(session.keep(part.and_then(|part| items_of(&part))).into_iter().flatten());
        }
        items.sort_by_key(|item| {
            item.node.get("kind").and_then(Node::as_str) != Some("CustomResourceDefinition")
        });
        for mut item in items {
            item.sort_keys();
            let (place, node) = Place::of(item);
            let source = place.source().clone();
            match Fixture::read(node, &self.client.namespace, cluster, features) {
                Ok(fixture) => {
                    for warning in fixture.warnings {
                        let ignored = Diagnostic::note("kadmit::cluster::ignored", warning);
                        session.say(&ignored.at(source.clone(), place.span));
                    }
                    session.fixtures.insert(&fixture.resource, &fixture.object, place);
                    cluster.put(&fixture.resource, fixture.object);
                }
                Err(error) => {
                    let diagnostic = Diagnostic::input("kadmit::cluster::object", error.to_string());
                    let help = error.help().map(str::to_owned);
                    let span = error.span().unwrap_or(place.span);
                    let diagnostic = Diagnostic { help, ..diagnostic }.at(source, span);
                    match error {
                        FixtureError::UnknownKind(..) => session.say_unknown_kind(diagnostic),
                        _ => session.say(&diagnostic),
                    }
                }
            }
        }
    }

    /// Reads and decodes all documents, in order, in chunks whose parts are worked on in parallel.
    fn read_documents(
        &self,
        sender: &SyncSender<Vec<Work>>,
        defaults: &RequestDefaults,
        features: &FeatureGates,
    ) {
        for chunk in self.items() {
            let work = chunk.into_par_iter().map(|item| prepare(item?, defaults, features)).collect();
            // The other end is gone only when the report cannot be written any more.
            if sender.send(work).is_err() {
                return;
            }
        }
    }

    /// The objects of all documents, in the order of their evaluation, in chunks.
    fn items(&self) -> Box<dyn Iterator<Item = Vec<Result<Item, Diagnostic>>>> {
        let mut parts = input::expand(&self.paths).into_iter().flat_map(parts_of);
        let written = iter::from_fn(move || {
            let chunk: Vec<_> = parts.by_ref().take(CHUNK).collect();
            let items = chunk.par_iter().flat_map_iter(|part| {
                match part.as_ref().map_err(Clone::clone).and_then(items_of) {
                    Ok(items) => items.into_iter().map(Ok).collect(),
                    Err(diagnostic) => vec![Err(diagnostic)],
                }
            });
            (!chunk.is_empty()).then(|| items.collect())
        });
        if self.order == Order::File {
            return Box::new(written);
        }
        let mut all: Vec<_> = written.flatten().collect();
        all.sort_by_cached_key(|item| item.as_ref().ok().map(|item| install_rank(&item.node)));
        let mut all = all.into_iter();
        Box::new(iter::from_fn(move || {
            Some(all.by_ref().take(CHUNK).collect()).filter(|chunk: &Vec<_>| !chunk.is_empty())
        }))
    }
}

/// The documents of a file, found and not yet read.
pub(super) fn parts_of(
    input: Result<Input, Diagnostic>,
) -> Box<dyn Iterator<Item = Result<Part, Diagnostic>>> {
    match input.and_then(|input| input.read()) {
        Ok(source) => Box::new(manifest::split(&source).map(|part| part.map_err(|error| (&error).into()))),
        Err(diagnostic) => Box::new(std::iter::once(Err(diagnostic))),
    }
}

/// The objects of a document.
pub(super) fn items_of(part: &Part) -> Result<Vec<Item>, Diagnostic> {
    let document = part.read().map_err(|error| Diagnostic::from(&error))?;
    Ok(document.map(Document::unwrap_list).unwrap_or_default())
}

fn prepare(item: Item, defaults: &RequestDefaults, features: &FeatureGates) -> Work {
    let source = item.source.clone();
    let request = Request::new(item, defaults).map_err(|error| {
        Diagnostic::input(error.code(), error.to_string()).help(error.help()).at(source, error.span())
    })?;
    Ok(Box::new(Prepared::new(request, features)))
}

/// Writes the outcomes in order; those of a chunk are rendered in parallel.
fn write_outcomes(outcomes: &Receiver<Vec<Outcome>>, reports: &mut Reports) -> io::Result<()> {
    for chunk in outcomes {
        let shared = &*reports;
        let rendered: Vec<_> =
            chunk.into_par_iter().chunks(RENDERED).map(|outcomes| shared.render(&outcomes)).collect();
        for texts in rendered {
            reports.write(texts)?;
        }
    }
    Ok(())
}

/// What a run has said and counted so far.
struct Session {
    style: TextStyle,
    colors: Colors,
    ignore_unknown_kinds: bool,
    fixtures: Arc<Fixtures>,
    summary: Summary,
    diagnostics: Vec<Diagnostic>,
    /// Whether something about the cluster was taken for granted before any request.
    has_assumed: bool,
    progress: Progress,
}

impl Session {
    fn new(style: TextStyle, colors: Colors, ignore_unknown_kinds: bool) -> Self {
        Self {
            style,
            colors,
            ignore_unknown_kinds,
            fixtures: Arc::default(),
            summary: Summary::default(),
            diagnostics: Vec::new(),
            has_assumed: false,
            progress: Progress::new(),
        }
    }

    /// Evaluates the chunks in order and hands every outcome on.
    fn evaluate(
        &mut self,
        chunks: &Receiver<Vec<Work>>,
        evaluator: &mut Evaluator,
        outcomes: &SyncSender<Vec<Outcome>>,
    ) {
        for chunk in chunks {
            let evaluated: Vec<_> =
                chunk.into_iter().filter_map(|work| self.evaluate_one(work, evaluator)).collect();
            // The other end is gone only when the report cannot be written any more.
            if outcomes.send(evaluated).is_err() {
                break;
            }
        }
        self.progress.clear();
    }

    fn evaluate_one(&mut self, work: Work, evaluator: &mut Evaluator) -> Option<Outcome> {
        let prepared = self.keep(work)?;
        let outcome = match evaluator.evaluate(*prepared) {
            Ok(outcome) => outcome,
            Err(unknown) => {
                self.say_unknown_kind(Diagnostic::from(&unknown));
                return None;
            }
        };
        self.summary.count(&outcome);
        self.fixtures.remember(&outcome);
        self.progress.show(self.summary.requests);
        Some(outcome)
    }

    fn keep<T>(&mut self, result: Result<T, Diagnostic>) -> Option<T> {
        result.map_err(|diagnostic| self.say(&diagnostic)).ok()
    }

    /// Says on standard error what is wrong with the input, and keeps it for the report.
    fn say(&mut self, diagnostic: &Diagnostic) {
        self.progress.clear();
        self.summary.count_diagnostic(diagnostic);
        let write = || write_diagnostic(&mut stderr().lock(), diagnostic, self.style.width);
        // Standard error may be closed; there is nowhere left to say so.
        let _ = self.colors.for_standard_error(write);
        self.diagnostics.push(diagnostic.clone());
    }

    fn refuse_nothing(&mut self) {
        if self.summary.requests == 0 && self.summary.errors == 0 {
            let message = "nothing was evaluated: there is no document in the input";
            let diagnostic = Diagnostic::input("kadmit::input::empty", message);
            self.say(&diagnostic.help("say --allow-empty if that is fine"));
        }
    }

    /// Says that nobody defines the kind of an object, which the user may not mind.
    fn say_unknown_kind(&mut self, mut diagnostic: Diagnostic) {
        if self.ignore_unknown_kinds {
            diagnostic.severity = Severity::Note;
            diagnostic.help = None;
        }
        self.say(&diagnostic);
    }

    fn note_missing(&mut self, missing: &[&str]) {
        if !missing.is_empty() {
            let message = format!("not built yet, so they did not run: {}", missing.join(", "));
            self.say(&Diagnostic::note("kadmit::plugin::not_built", message));
        }
    }
}

/// A line on standard error that says how far the work is, on a terminal, when it takes long.
struct Progress {
    started: Instant,
    shown: Option<Instant>,
    enabled: bool,
}

impl Progress {
    const PATIENCE: Duration = Duration::from_millis(500);
    const INTERVAL: Duration = Duration::from_millis(100);

    fn new() -> Self {
        Self { started: Instant::now(), shown: None, enabled: color::shows_progress() }
    }

    fn show(&mut self, evaluated: usize) {
        if !self.enabled || self.started.elapsed() < Self::PATIENCE {
            return;
        }
        if self.shown.is_none_or(|shown| shown.elapsed() >= Self::INTERVAL) {
            self.shown = Some(Instant::now());
            let _ = write!(stderr(), "\r{evaluated} objects evaluated ");
        }
    }

    fn clear(&mut self) {
        if self.shown.take().is_some() {
            let _ = write!(stderr(), "\r\x1b[K");
        }
    }
}
