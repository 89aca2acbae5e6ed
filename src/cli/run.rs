//! `kadmit run`

use std::io::{self, BufWriter, IsTerminal, Write, stderr, stdout};
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use rayon::prelude::*;

use crate::admission::UserInfo;
use crate::api::decode::FieldValidation;
use crate::api::features::FeatureGates;
use crate::cli::input::{self, Input};
use crate::cli::{Exit, STACK_SIZE, color};
use crate::cluster::{Cluster, Fixture};
use crate::configuration::{Configuration, ConfigurationError, Flags};
use crate::evaluation::{Evaluator, Outcome, Place, Prepared, Request, RequestDefaults};
use crate::manifest::{self, Document, Item, Part};
use crate::report::{
    Diagnostic, Fixtures, Json, JsonLines, Report, Summary, Text, TextStyle, Verbosity, Yaml,
    write_diagnostic,
};
use crate::source::Node;

/// Evaluate manifests against the admission chain
///
/// Every document is a request to create its object, or to update it if it exists; an AdmissionReview says itself
/// what it wants. What is admitted exists for the documents behind it.
///
/// Exit status: 0 all admitted, 1 some denied, 2 the input or configuration is wrong or nothing was evaluated,
/// 3 an internal error.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(super) struct Run {
    /// Files, directories (.yaml, .yml and .json below them), patterns, or - for standard input
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<String>,

    /// Manifests of the objects that exist (file, directory or pattern; may be repeated)
    #[arg(long, value_name = "PATH")]
    cluster: Vec<String>,

    /// Take nothing for granted: no namespace is assumed and no controller played
    #[arg(long)]
    strict: bool,

    /// Print the outcomes as
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    output: Output,

    /// Print only what is refused
    #[arg(short, long, conflicts_with = "verbose")]
    quiet: bool,

    /// Print the plugins that did nothing, too
    #[arg(short, long)]
    verbose: bool,

    /// Do not print changes line by line
    #[arg(long)]
    no_diff: bool,

    /// Succeed when there is nothing to evaluate
    #[arg(long)]
    allow_empty: bool,

    #[command(flatten)]
    server: ServerFlags,

    #[command(flatten)]
    client: ClientFlags,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Output {
    /// Headlines, diffs and code frames for people
    Text,
    /// One JSON document
    Json,
    /// One JSON document a line for each request
    Jsonl,
    /// The admitted objects as the cluster would store them
    Yaml,
}

/// Flags that kube-apiserver has by the same name.
#[derive(Debug, Args)]
#[command(next_help_heading = "Flags of kube-apiserver")]
struct ServerFlags {
    /// File with the configuration of admission plugins
    #[arg(long, value_name = "FILE")]
    admission_control_config_file: Option<PathBuf>,

    /// Plugins to enable in addition to the default ones
    #[arg(long, value_name = "PLUGINS", value_delimiter = ',')]
    enable_admission_plugins: Vec<String>,

    /// Plugins to disable although they are on by default
    #[arg(long, value_name = "PLUGINS", value_delimiter = ',')]
    disable_admission_plugins: Vec<String>,

    /// Exactly these plugins
    #[arg(long, value_name = "PLUGINS", value_delimiter = ',')]
    admission_control: Vec<String>,

    /// Feature gates, such as A=true,B=false
    #[arg(long, value_name = "GATES")]
    feature_gates: Vec<String>,

    /// APIs to serve or not, such as scheduling.k8s.io/v1alpha2=true
    #[arg(long, value_name = "APIS", value_delimiter = ',')]
    runtime_config: Vec<String>,

    /// How the server authorizes
    #[arg(long, value_name = "MODE", value_delimiter = ',', default_value = "AlwaysAllow")]
    authorization_mode: Vec<AuthorizationMode>,

    /// tolerationSeconds of the toleration for not-ready nodes
    #[arg(long, value_name = "SECONDS", default_value_t = 300, allow_negative_numbers = true)]
    default_not_ready_toleration_seconds: i64,

    /// tolerationSeconds of the toleration for unreachable nodes
    #[arg(long, value_name = "SECONDS", default_value_t = 300, allow_negative_numbers = true)]
    default_unreachable_toleration_seconds: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum AuthorizationMode {
    /// Everybody may do everything
    #[value(name = "AlwaysAllow")]
    AlwaysAllow,
    /// By the roles and bindings of the cluster
    #[value(name = "RBAC")]
    Rbac,
}

/// Flags that kubectl has by the same name.
#[derive(Debug, Args)]
#[command(next_help_heading = "Flags of kubectl")]
struct ClientFlags {
    /// Namespace of documents that name none
    #[arg(short, long, default_value = "default")]
    namespace: String,

    /// User who makes the requests
    #[arg(long = "as", value_name = "USER", default_value = "kubernetes-admin")]
    as_user: String,

    /// Group of that user (may be repeated) [default: system:masters for kubernetes-admin]
    #[arg(long, value_name = "GROUP")]
    as_group: Vec<String>,

    /// UID of that user
    #[arg(long, value_name = "UID")]
    as_uid: Option<String>,

    /// What to do about unknown and repeated fields
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
    pub(super) fn execute(self) -> Exit {
        let mut session = Session::new(self.style());
        match self.evaluate(&mut session) {
            Ok(()) => session.exit(self.allow_empty),
            // The reader of the pipe has seen enough.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => session.exit(true),
            Err(error) => {
                session
                    .say(&Diagnostic::input("kadmit::output", format!("cannot write the report: {error}")));
                Exit::Input
            }
        }
    }

    fn evaluate(&self, session: &mut Session) -> io::Result<()> {
        let flags = self.flags();
        let features = match flags.features() {
            Ok(features) => Arc::new(features),
            Err(error) => return session.refuse(&error),
        };
        let cluster = Arc::new(Cluster::new());
        let fixtures = Arc::new(self.load_cluster(&cluster, &features, session));
        let configuration = match Configuration::new(&flags, features.clone(), cluster.clone()) {
            Ok(configuration) => configuration,
            Err(error) => return session.refuse(&error),
        };
        session.note_missing(&configuration.missing);
        let mut evaluator = Evaluator::new(cluster, configuration.chain, features.clone(), self.strict);
        let mut report = self.report(fixtures);
        report.begin(&evaluator.plugins())?;

        let defaults = &self.defaults();
        let features = &*features;
        let (work_sender, work) = sync_channel(2);
        let (outcome_sender, outcomes) = sync_channel(2);
        let report_ref = report.as_mut();
        thread::scope(|scope| {
            let named = |name: &str| thread::Builder::new().name(name.to_owned()).stack_size(STACK_SIZE);
            named("reader")
                .spawn_scoped(scope, move || self.read_documents(&work_sender, defaults, features))?;
            let writer =
                named("writer").spawn_scoped(scope, move || write_outcomes(&outcomes, report_ref))?;
            session.evaluate(&work, &mut evaluator, &outcome_sender);
            drop(outcome_sender);
            writer.join().unwrap_or_else(|panic| resume_unwind(panic))
        })?;

        for diagnostic in &session.diagnostics {
            report.diagnostic(diagnostic)?;
        }
        report.end(&session.summary)
    }

    fn flags(&self) -> Flags {
        let server = &self.server;
        Flags {
            admission_control_config_file: server.admission_control_config_file.clone(),
            enable_admission_plugins: server.enable_admission_plugins.clone(),
            disable_admission_plugins: server.disable_admission_plugins.clone(),
            admission_control: server.admission_control.clone(),
            feature_gates: server.feature_gates.clone(),
            default_not_ready_toleration_seconds: server.default_not_ready_toleration_seconds,
            default_unreachable_toleration_seconds: server.default_unreachable_toleration_seconds,
        }
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

    fn report(&self, fixtures: Arc<Fixtures>) -> Box<dyn Report> {
        let out = BufWriter::with_capacity(1 << 16, stdout());
        match self.output {
            Output::Text => Box::new(Text::new(out, self.style(), fixtures)),
            Output::Json => Box::new(Json::new(out)),
            Output::Jsonl => Box::new(JsonLines::new(out)),
            Output::Yaml => Box::new(Yaml::new(out)),
        }
    }

    /// Makes the objects of `--cluster` exist. Definitions of custom resources come first, so that the order of
    /// the files does not matter.
    fn load_cluster(&self, cluster: &Cluster, features: &FeatureGates, session: &mut Session) -> Fixtures {
        let mut fixtures = Fixtures::default();
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
                        let note = Diagnostic::note("kadmit::cluster::ignored", warning);
                        session.say(&note.at(source.clone(), place.span));
                    }
                    fixtures.insert(&fixture.resource, &fixture.object, place);
                    cluster.put(&fixture.resource, fixture.object);
                }
                Err(error) => {
                    let diagnostic = Diagnostic::input("kadmit::cluster::object", error.to_string());
                    session.say(&diagnostic.at(source, error.span().unwrap_or(place.span)));
                }
            }
        }
        fixtures
    }

    /// Reads and decodes all documents, in order, in chunks whose parts are worked on in parallel.
    fn read_documents(
        &self,
        sender: &SyncSender<Vec<Work>>,
        defaults: &RequestDefaults,
        features: &FeatureGates,
    ) {
        let mut parts = input::expand(&self.paths).into_iter().flat_map(parts_of).peekable();
        while parts.peek().is_some() {
            let chunk: Vec<_> = parts.by_ref().take(CHUNK).collect();
            let items =
                chunk.into_par_iter().flat_map_iter(|part| match part.and_then(|part| items_of(&part)) {
                    Ok(items) => items.into_iter().map(Ok).collect(),
                    Err(diagnostic) => vec![Err(diagnostic)],
                });
            let work = items.map(|item| prepare(item?, defaults, features)).collect();
            // The other end is gone only when the report cannot be written any more.
            if sender.send(work).is_err() {
                return;
            }
        }
    }
}

/// The documents of a file, found and not yet read.
fn parts_of(input: Result<Input, Diagnostic>) -> Box<dyn Iterator<Item = Result<Part, Diagnostic>>> {
    match input.and_then(|input| input.read()) {
        Ok(source) => Box::new(manifest::split(&source).map(|part| part.map_err(|error| (&error).into()))),
        Err(diagnostic) => Box::new(std::iter::once(Err(diagnostic))),
    }
}

/// The objects of a document.
fn items_of(part: &Part) -> Result<Vec<Item>, Diagnostic> {
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
fn write_outcomes(outcomes: &Receiver<Vec<Outcome>>, report: &mut dyn Report) -> io::Result<()> {
    for chunk in outcomes {
        let shared = &*report;
        let rendered: Vec<_> =
            chunk.into_par_iter().chunks(RENDERED).map(|outcomes| shared.render(&outcomes)).collect();
        for text in rendered {
            report.write(&text?)?;
        }
    }
    Ok(())
}

/// What a run has said and counted so far.
struct Session {
    style: TextStyle,
    summary: Summary,
    diagnostics: Vec<Diagnostic>,
    progress: Progress,
}

impl Session {
    fn new(style: TextStyle) -> Self {
        Self { style, summary: Summary::default(), diagnostics: Vec::new(), progress: Progress::new() }
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
        let evaluated = work
            .and_then(|prepared| evaluator.evaluate(*prepared).map_err(|unknown| Diagnostic::from(&unknown)));
        let outcome = self.keep(evaluated)?;
        self.summary.count(&outcome);
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
        // Standard error may be closed; there is nowhere left to say so.
        let _ = write_diagnostic(&mut stderr().lock(), diagnostic, self.style.width);
        self.diagnostics.push(diagnostic.clone());
    }

    fn refuse(&mut self, error: &ConfigurationError) -> io::Result<()> {
        self.say(&Diagnostic::from(error));
        Ok(())
    }

    fn note_missing(&mut self, missing: &[&str]) {
        if !missing.is_empty() {
            let message =
                format!("not evaluated, because kadmit does not have them yet: {}", missing.join(", "));
            self.say(&Diagnostic::note("kadmit::plugin::not_built", message));
        }
    }

    fn exit(&mut self, allow_empty: bool) -> Exit {
        if self.summary.requests == 0 && self.summary.errors == 0 && !allow_empty {
            let message = "nothing was evaluated: there is no document in the input";
            self.say(
                &Diagnostic::input("kadmit::input::empty", message).help("say --allow-empty if that is fine"),
            );
        }
        match &self.summary {
            summary if summary.errors > 0 => Exit::Input,
            summary if summary.denied > 0 => Exit::Denied,
            _ => Exit::Admitted,
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
