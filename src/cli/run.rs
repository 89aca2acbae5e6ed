//! `kadmit run`

use std::io::{self, BufWriter, IsTerminal, Write, stderr, stdout};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use rayon::prelude::*;

use crate::admission::UserInfo;
use crate::api::decode::FieldValidation;
use crate::api::features::FeatureGates;
use crate::cli::color::{self, Colors};
use crate::cli::input;
use crate::cli::{Exit, STACK_SIZE};
use crate::cluster::{Cluster, Fixture};
use crate::configuration::{Configuration, ConfigurationError, Flags};
use crate::evaluation::{Evaluator, Place, Prepared, Rate, Request, RequestDefaults};
use crate::manifest::{self, Item};
use crate::report::{
    Diagnostic, Fixtures, Json, JsonLines, Report, Summary, Text, TextStyle, Verbosity, Yaml,
    write_diagnostic,
};
use crate::source::{Node, SourceFile};

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
    /// Evaluate these files, directories (.yaml, .yml and .json below them), patterns, or - for standard input
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<String>,

    /// Let the objects in this file, directory or pattern exist (may be repeated)
    #[arg(long, value_name = "PATH")]
    cluster: Vec<String>,

    /// Take nothing for granted: no namespace is assumed and no controller played
    #[arg(long)]
    strict: bool,

    /// Let this many requests come in a second, for limits on their rate [default: all at once]
    #[arg(long, value_name = "REQUESTS")]
    rate: Option<Rate>,

    /// Choose the format of the report
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    output: Output,

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
    /// Read the AdmissionConfiguration of the plugins from this file
    #[arg(long, value_name = "FILE")]
    admission_control_config_file: Option<String>,

    /// Enable these plugins in addition to the default ones
    #[arg(long, value_name = "PLUGINS")]
    enable_admission_plugins: Vec<String>,

    /// Disable these plugins although they are on by default
    #[arg(long, value_name = "PLUGINS")]
    disable_admission_plugins: Vec<String>,

    /// Enable exactly these plugins
    #[arg(long, value_name = "PLUGINS")]
    admission_control: Vec<String>,

    /// Set feature gates, such as A=true,B=false
    #[arg(long, value_name = "GATES")]
    feature_gates: Vec<String>,

    /// Behave as this release, such as 1.35
    #[arg(long, value_name = "VERSION")]
    emulated_version: Vec<String>,

    /// Serve APIs or not, such as scheduling.k8s.io/v1alpha2=true
    #[arg(long, value_name = "APIS")]
    runtime_config: Vec<String>,

    /// Authorize by these modes: AlwaysAllow, RBAC, Node [default: AlwaysAllow]
    #[arg(long, value_name = "MODES")]
    authorization_mode: Vec<String>,

    /// Tolerate not-ready nodes this long by default [default: 300]
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    default_not_ready_toleration_seconds: Option<String>,

    /// Tolerate unreachable nodes this long by default [default: 300]
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    default_unreachable_toleration_seconds: Option<String>,
}

impl ServerFlags {
    /// The flags as the server understands them, or its words about a value that it does not take.
    fn read(&self) -> Result<Flags, ConfigurationError> {
        let given: [(&str, &[String]); 10] = [
            ("--admission-control-config-file", self.admission_control_config_file.as_slice()),
            ("--enable-admission-plugins", &self.enable_admission_plugins),
            ("--disable-admission-plugins", &self.disable_admission_plugins),
            ("--admission-control", &self.admission_control),
            ("--feature-gates", &self.feature_gates),
            ("--emulated-version", &self.emulated_version),
            ("--runtime-config", &self.runtime_config),
            ("--authorization-mode", &self.authorization_mode),
            ("--default-not-ready-toleration-seconds", self.default_not_ready_toleration_seconds.as_slice()),
            (
                "--default-unreachable-toleration-seconds",
                self.default_unreachable_toleration_seconds.as_slice(),
            ),
        ];
        let mut flags = Flags::default();
        for (flag, values) in given {
            for value in values {
                flags.set(flag, value)?;
            }
        }
        Ok(flags)
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
const CHUNK: usize = 256;

/// What comes out of a document before the chain is asked.
type Work = Result<Box<Prepared>, Diagnostic>;

impl Run {
    /// Evaluates, prints, and says how it ended.
    pub(super) fn execute(self, colors: Colors) -> Exit {
        let mut session = Session::new(self.style(), colors);
        match self.evaluate(&mut session) {
            Ok(()) => session.exit(),
            // The reader of the pipe has seen enough.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => session.exit(),
            Err(error) => {
                session
                    .say(&Diagnostic::input("kadmit::output", format!("cannot write the report: {error}")));
                Exit::Input
            }
        }
    }

    fn evaluate(&self, session: &mut Session) -> io::Result<()> {
        let mut fixtures = Fixtures::default();
        let mut report: Box<dyn Report>;
        match self.set_up(&mut fixtures, session) {
            Ok(mut evaluator) => {
                report = self.report(Arc::new(fixtures));
                self.evaluate_documents(&mut evaluator, report.as_mut(), session)?;
                if !self.allow_empty {
                    session.refuse_nothing();
                }
            }
            Err(error) => {
                session.say(&Diagnostic::from(&error));
                report = self.report(Arc::new(fixtures));
                report.begin(&[])?;
            }
        }
        for diagnostic in &session.diagnostics {
            report.diagnostic(diagnostic)?;
        }
        report.end(&session.summary)
    }

    /// Makes the server that the flags describe, with the objects of `--cluster`.
    fn set_up(
        &self,
        fixtures: &mut Fixtures,
        session: &mut Session,
    ) -> Result<Evaluator, ConfigurationError> {
        let flags = self.server.read()?;
        let features = Arc::new(flags.features()?);
        let cluster = Arc::new(Cluster::new());
        *fixtures = self.load_cluster(&cluster, &features, session);
        let configuration = Configuration::new(&flags, features.clone(), cluster.clone())?;
        session.note_missing(&configuration.missing);
        let evaluator = Evaluator::new(cluster, configuration.chain, features, self.strict)
            .authorized_by(configuration.authorizer)
            .serving(flags.runtime_config());
        for assumption in evaluator.assumptions() {
            session.say(&Diagnostic::note("kadmit::cluster::assumed", assumption.as_str()));
        }
        Ok(match self.rate {
            Some(rate) => evaluator.at_rate(rate),
            None => evaluator,
        })
    }

    fn evaluate_documents(
        &self,
        evaluator: &mut Evaluator,
        report: &mut dyn Report,
        session: &mut Session,
    ) -> io::Result<()> {
        report.begin(&evaluator.plugins())?;
        let defaults = &self.defaults();
        let features = &evaluator.features().clone();
        let (sender, receiver) = sync_channel(2);
        thread::scope(|scope| {
            let reader = thread::Builder::new().name("reader".to_owned()).stack_size(STACK_SIZE);
            reader.spawn_scoped(scope, move || self.read_documents(&sender, defaults, features))?;
            session.consume(&receiver, evaluator, report)
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
        for input in input::expand(&self.cluster) {
            match input.and_then(|input| input.read()) {
                Ok(source) => items.extend(items_of(&source).filter_map(|item| session.keep(item))),
                Err(diagnostic) => session.say(&diagnostic),
            }
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
                    fixtures.insert(&fixture.resource, &fixture.object, place);
                    cluster.put(&fixture.resource, fixture.object);
                }
                Err(error) => {
                    let diagnostic = Diagnostic::input("kadmit::cluster::object", error.to_string());
                    let help = error.help().map(str::to_owned);
                    let span = error.span().unwrap_or(place.span);
                    session.say(&Diagnostic { help, ..diagnostic }.at(source, span));
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
        let mut chunk = Vec::with_capacity(CHUNK);
        let send = |chunk: &mut Vec<Result<Item, Diagnostic>>| {
            let work = std::mem::take(chunk)
                .into_par_iter()
                .map(|item| prepare(item?, defaults, features))
                .collect();
            // The other end is gone only when the report cannot be written any more.
            sender.send(work).is_ok()
        };
        for input in input::expand(&self.paths) {
            let items: Box<dyn Iterator<Item = Result<Item, Diagnostic>>> =
                match input.and_then(|input| input.read()) {
                    Ok(source) => Box::new(items_of(&source)),
                    Err(diagnostic) => Box::new(std::iter::once(Err(diagnostic))),
                };
            for item in items {
                chunk.push(item);
                if chunk.len() == CHUNK && !send(&mut chunk) {
                    return;
                }
            }
        }
        if !chunk.is_empty() {
            send(&mut chunk);
        }
    }
}

fn items_of(source: &Arc<SourceFile>) -> impl Iterator<Item = Result<Item, Diagnostic>> + use<> {
    manifest::read(source).flat_map(|document| match document {
        Ok(document) => document.unwrap_list().into_iter().map(Ok).collect(),
        Err(error) => vec![Err(Diagnostic::from(&error))],
    })
}

fn prepare(item: Item, defaults: &RequestDefaults, features: &FeatureGates) -> Work {
    let source = item.source.clone();
    let request = Request::new(item, defaults).map_err(|error| {
        Diagnostic::input(error.code(), error.to_string()).help(error.help()).at(source, error.span())
    })?;
    Ok(Box::new(Prepared::new(request, features)))
}

/// What a run has said and counted so far.
struct Session {
    style: TextStyle,
    colors: Colors,
    summary: Summary,
    diagnostics: Vec<Diagnostic>,
    progress: Progress,
}

impl Session {
    fn new(style: TextStyle, colors: Colors) -> Self {
        Self {
            style,
            colors,
            summary: Summary::default(),
            diagnostics: Vec::new(),
            progress: Progress::new(),
        }
    }

    /// Evaluates the chunks in order and reports every outcome as it comes.
    fn consume(
        &mut self,
        chunks: &Receiver<Vec<Work>>,
        evaluator: &mut Evaluator,
        report: &mut dyn Report,
    ) -> io::Result<()> {
        for work in chunks.iter().flatten() {
            match work.map(|prepared| evaluator.evaluate(*prepared)) {
                Ok(Ok(outcome)) => {
                    self.summary.count(&outcome);
                    report.outcome(&outcome)?;
                }
                Ok(Err(unknown)) => self.say(&Diagnostic::from(&unknown)),
                Err(diagnostic) => self.say(&diagnostic),
            }
            self.progress.show(self.summary.requests);
        }
        self.progress.clear();
        Ok(())
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

    fn note_missing(&mut self, missing: &[&str]) {
        if !missing.is_empty() {
            let message = format!("not built yet, so they did not run: {}", missing.join(", "));
            self.say(&Diagnostic::note("kadmit::plugin::not_built", message));
        }
    }

    fn exit(&self) -> Exit {
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
