//! The documents that are evaluated together: those of one `kadmit.toml`.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{ArgMatches, Args, Command};
use rayon::prelude::*;

use crate::cli::color::Colors;
use crate::cli::incremental::{Answer, Document, Incremental};
use crate::cli::input::Input;
use crate::cli::lsp::early::Early;
use crate::cli::lsp::texts::Texts;
use crate::cli::run::{Completed, Run};
use crate::cli::scenario::Scenario;
use crate::cli::session::Session;
use crate::cli::settings::{self, SettingsFlags};
use crate::cli::watch::{Look, Watched};
use crate::code::Code;
use crate::evaluation::{Evaluator, Outcome, Prepared, Rank};
use crate::report::acceptance::Acceptor;
use crate::report::editor::{self, Mark};
use crate::report::{Diagnostic, Fixtures, Severity};
use gotext::source::SourceFile;

/// The marks of every file that has any.
pub(super) type Marks = BTreeMap<String, Vec<Mark>>;

/// The documents of one `kadmit.toml`, or of the editor without one.
pub(super) struct Project {
    colors: Colors,
    /// The settings, if there are any.
    file: Option<PathBuf>,
    /// The directory of documents without settings.
    directory: PathBuf,
    loaded: Option<Loaded>,
    running: Option<Running>,
    files: BTreeMap<String, File>,
    found: Option<Found>,
    /// Whether files that the editor does not watch may have changed.
    is_stale: bool,
    /// Errors without a place.
    pub(super) messages: Vec<String>,
}

/// The files that paths stand for.
struct Found {
    paths: Vec<String>,
    inputs: Vec<Result<Input, Diagnostic>>,
}

/// The settings as read.
struct Loaded {
    source: Option<Arc<SourceFile>>,
    settings: Result<Completed, Vec<Diagnostic>>,
}

/// A server with the documents that were sent to it.
struct Running {
    run: Incremental,
    fixtures: Fixtures,
    diagnostics: Vec<Diagnostic>,
    scenario: Scenario,
    sources: Vec<Arc<SourceFile>>,
    configurations: Look,
}

/// The documents of a file.
struct File {
    source: Option<Arc<SourceFile>>,
    documents: Vec<Arc<Document>>,
}

/// The callbacks of an update.
pub(super) struct Progress<'a> {
    /// The file that the user edits.
    pub(super) focus: Option<&'a str>,
    /// Whether there are newer changes.
    pub(super) is_outdated: &'a dyn Fn() -> bool,
    /// Takes the marks of files before all others are known.
    pub(super) early: &'a mut dyn FnMut(&str, &[Mark], &Texts),
}

impl Project {
    /// Returns the project of the settings in `file`, or of the open documents in `directory`.
    pub(super) fn new(file: Option<PathBuf>, directory: PathBuf, colors: Colors) -> Self {
        Self {
            colors,
            file,
            directory,
            loaded: None,
            running: None,
            files: BTreeMap::new(),
            found: None,
            is_stale: true,
            messages: Vec::new(),
        }
    }

    /// Checks all files again with the next update.
    pub(super) fn invalidate(&mut self) {
        self.is_stale = true;
    }

    /// Whether the file at `path` belongs to this project.
    pub(super) fn holds(&self, path: &Path) -> bool {
        match &self.file {
            Some(file) => settings::find_above(path).as_ref() == Some(file),
            None => settings::find_above(path).is_none() && root_of(path) == self.directory,
        }
    }

    /// Evaluates the changes. Returns nothing if interrupted.
    pub(super) fn update(&mut self, texts: &mut Texts, progress: &mut Progress<'_>) -> Option<Marks> {
        self.load(texts);
        self.messages.clear();
        let mut diagnostics = Vec::new();
        let settings = match self.loaded.as_ref().map(|loaded| &loaded.settings) {
            Some(Ok(settings)) => settings,
            Some(Err(errors)) => {
                let errors = errors.clone();
                self.running = None;
                return Some(self.marks_of(errors, Marks::new()));
            }
            None => return Some(Marks::new()),
        };
        let overrides = &settings.complete.overrides;
        let scenario = settings.complete.flags.scenario().clone();
        let paths = self.paths(settings, texts);
        let wanted = |input: &Result<Input, Diagnostic>| {
            !input.as_ref().is_ok_and(|input| overrides.exclude(&input.name()))
        };
        let is_found = self.found.as_ref().is_some_and(|found| found.paths == paths && !self.is_stale);
        if !is_found {
            let inputs = scenario.selection.expand(&paths).into_iter().filter(wanted).collect();
            self.found = Some(Found { paths: paths.clone(), inputs });
        }
        let found = self.found.iter().flat_map(|found| found.inputs.iter().cloned());
        let mut inputs: Vec<_> = found.map(|input| texts.input(input)).collect();
        let unsaved = self.unsaved(settings, texts).map(|source| Ok(Input::Text(source.clone())));
        inputs.extend(unsaved.filter(wanted));
        diagnostics.extend(inputs.iter().filter_map(|input| input.as_ref().err().cloned()));
        let inputs: Vec<Input> = inputs.into_iter().flatten().collect();
        if let Err(error) = start(&mut self.running, &scenario, texts, (self.is_stale, self.colors)) {
            self.running = None;
            self.files.clear();
            diagnostics.push(error);
            return Some(self.marks_of(diagnostics, Marks::new()));
        }
        let running = self.running.as_mut()?;
        self.is_stale = false;
        let is_missing = |diagnostic: &&Diagnostic| missing_file(diagnostic).is_some();
        let missing: Vec<Diagnostic> = running.diagnostics.iter().filter(is_missing).cloned().collect();
        if !missing.is_empty() {
            // Without its objects, the cluster refuses and admits what it would not.
            diagnostics.extend(missing);
            return Some(self.marks_of(diagnostics, Marks::new()));
        }
        let profile = running.run.evaluator().profile().clone();
        let fresh = running.run.answers().is_empty() && !running.run.is_of(&[]);
        if fresh {
            self.files.clear();
        }
        let mut documents = read_documents(&mut self.files, &inputs, |input| {
            scenario.read_file(Ok(input.clone()), overrides, &profile)
        });
        scenario.sort(&mut documents, |document| &document.rank);
        running.run.order(scenario.literal_order_of(&inputs), scenario.file_order(&paths));
        if !running.run.is_of(&documents) && !running.run.can_update() {
            let restarted = Running::start(&scenario, texts, self.colors);
            match restarted {
                Ok(restarted) => {
                    *running = restarted;
                    running.run.order(scenario.literal_order_of(&inputs), scenario.file_order(&paths));
                }
                Err(error) => {
                    diagnostics.push(error);
                    return Some(self.marks_of(diagnostics, Marks::new()));
                }
            }
        }
        let mut early = Early::new(&documents, progress.focus, settings.acceptor(), running.fixtures.copy());
        let is_done = running.run.update(&documents, |answers| {
            early.send(answers, |file, marks| (progress.early)(file, marks, texts));
            let is_outdated = answers.len().is_multiple_of(STEP) && (progress.is_outdated)();
            if is_outdated { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        if !is_done || (progress.is_outdated)() {
            return None;
        }
        let fixtures = running.fixtures.copy();
        running.run.outcomes().for_each(|outcome| fixtures.remember(outcome));
        let mut acceptor = settings.acceptor();
        diagnostics.extend(running.diagnostics.iter().cloned());
        diagnostics.extend(running.run.judge(&mut acceptor));
        diagnostics.extend(acceptor.idle_skips(settings.complete.is_partial));
        if (progress.is_outdated)() {
            return None;
        }
        let mut marks = Marks::new();
        for mark in running.run.marks(&fixtures) {
            marks.entry(mark.line.file.clone()).or_default().push(mark.clone());
        }
        Some(self.marks_of(diagnostics, marks))
    }

    /// Returns the files to evaluate: those of the settings, or the open ones.
    fn paths(&self, settings: &Completed, texts: &Texts) -> Vec<String> {
        let named = settings.complete.flags.paths();
        if !named.is_empty() {
            return named.to_vec();
        }
        let fixtures = settings.complete.flags.scenario().fixture_paths();
        let fixtures = settings
            .complete
            .flags
            .scenario()
            .selection
            .expand(&fixtures)
            .into_iter()
            .flatten()
            .map(|input| input.name().into_owned());
        let fixtures: Vec<String> = fixtures.collect();
        let open = texts.opened().filter(|path| self.holds(path) && path.exists());
        let open = open.map(|path| path.display().to_string());
        open.filter(|path| is_manifest(path) && !fixtures.contains(path)).collect()
    }

    /// Returns the manifests that were never saved and will be in a directory of the settings.
    fn unsaved<'a>(
        &'a self,
        settings: &'a Completed,
        texts: &'a Texts,
    ) -> impl Iterator<Item = &'a Arc<SourceFile>> {
        let named = settings.complete.flags.paths();
        let is_named = |path: &Path| named.is_empty() || named.iter().any(|named| path.starts_with(named));
        let unsaved = texts.opened().filter(move |path| self.holds(path) && is_named(path) && !path.exists());
        let sources = unsaved.filter_map(|path| texts.of_open(path));
        sources.filter(|source| is_manifest(source.name()))
    }

    /// Reads the settings again if they may have changed.
    fn load(&mut self, texts: &mut Texts) {
        let source = self.file.as_deref().and_then(|file| texts.read(file).ok());
        let is_same = self.loaded.as_ref().is_some_and(|loaded| match (&loaded.source, &source) {
            (Some(known), Some(source)) => Arc::ptr_eq(known, source),
            (None, None) => true,
            _ => false,
        });
        if is_same && !self.is_stale {
            return;
        }
        let settings = settings(self.file.as_deref());
        let is_other = match (&self.loaded, &settings) {
            (Some(Loaded { settings: Ok(known), .. }), Ok(settings)) => {
                !is_same || known.complete.flags.scenario() != settings.complete.flags.scenario()
            }
            _ => true,
        };
        if is_other {
            self.found = None;
            self.running = None;
        }
        self.loaded = Some(Loaded { source, settings });
    }

    /// Returns `marks` with those of `diagnostics`; diagnostics without a place are kept as messages.
    fn marks_of(&mut self, diagnostics: Vec<Diagnostic>, mut marks: Marks) -> Marks {
        let settings = self.loaded.as_ref().and_then(|loaded| loaded.source.clone());
        for diagnostic in diagnostics {
            let diagnostic = at_settings(diagnostic, settings.as_deref());
            match editor::mark_of(&diagnostic) {
                Some(mark) => marks.entry(mark.line.file.clone()).or_default().push(mark),
                None => self.messages.push(diagnostic.message),
            }
        }
        marks
    }

    /// Returns the answers to the documents of the file called `name`.
    pub(super) fn answers<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Answer> {
        let answers = self.running.iter().flat_map(|running| running.run.answers());
        answers.filter(move |answer| &*answer.document.file == name)
    }

    /// Returns the server, if it is running.
    pub(super) fn evaluator(&self) -> Option<&Evaluator> {
        self.running.as_ref().map(|running| running.run.evaluator())
    }

    /// Returns the outcomes of the documents of the file called `name`.
    pub(super) fn outcomes<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Outcome> {
        let outcomes = self.running.iter().flat_map(|running| running.run.outcomes());
        outcomes.filter(move |outcome| outcome.place.as_ref().is_some_and(|place| place.file() == name))
    }
}

/// Returns an error without a place at the setting that it is about, in the file of the settings.
fn at_settings(diagnostic: Diagnostic, settings: Option<&SourceFile>) -> Diagnostic {
    let missing = missing_file(&diagnostic).map(str::to_owned);
    let has_place = missing.is_none() && (diagnostic.file.is_some() || diagnostic.source.is_some());
    let Some(settings) = settings.filter(|_| !has_place && diagnostic.severity == Severity::Error) else {
        return diagnostic;
    };
    let is_named = |line: &str| {
        if let Some(missing) = &missing {
            let mut names = line.split(['"', '\'']).skip(1).step_by(2);
            return names.any(|name| Path::new(missing).ends_with(name.trim_start_matches("./")));
        }
        let key = line.split('=').next().unwrap_or_default().trim();
        !key.is_empty() && diagnostic.message.contains(key)
    };
    let line = settings.text().lines().position(is_named).unwrap_or(0) + 1;
    Diagnostic { file: Some(settings.name().to_owned()), file_line: Some(line), ..diagnostic }
}

/// Returns the file that `diagnostic` is about, if it does not exist: the settings name it.
fn missing_file(diagnostic: &Diagnostic) -> Option<&str> {
    let is_unreadable = matches!(diagnostic.code, Code::ManifestUnreadable | Code::InputUnreadable);
    diagnostic.file.as_deref().filter(|file| is_unreadable && !Path::new(file).exists())
}

/// The documents of `inputs`; `read` reads those of a file that changed.
fn read_documents(
    files: &mut BTreeMap<String, File>,
    inputs: &[Input],
    read: impl Fn(&Input) -> Vec<(Rank, Result<Prepared, Diagnostic>)> + Sync,
) -> Vec<Arc<Document>> {
    let is_known = |input: &&Input| {
        let Input::Text(source) = input else { return false };
        let known = files.get(source.name()).and_then(|file| file.source.as_ref());
        known.is_some_and(|known| Arc::ptr_eq(known, source))
    };
    let changed: Vec<&Input> = inputs.iter().filter(|input| !is_known(input)).collect();
    let changed = changed.into_par_iter().map(|input| {
        let name = input.name().into_owned();
        let shared: Arc<str> = Arc::from(name.as_str());
        let document = |(rank, request)| Arc::new(Document { rank, file: shared.clone(), request });
        let documents = read(input).into_iter().map(document).collect();
        (name, File { source: input.read().ok(), documents })
    });
    let changed: Vec<(String, File)> = changed.collect();
    files.extend(changed);
    let known = inputs.iter().filter_map(|input| files.get(&*input.name()));
    known.flat_map(|file| file.documents.clone()).collect()
}

/// The number of documents between two checks for newer changes.
const STEP: usize = 16;

/// Reads the settings in `file`, or the defaults.
fn settings(file: Option<&Path>) -> Result<Completed, Vec<Diagnostic>> {
    let flags = SettingsFlags::of_file(file.map(Path::to_owned));
    let completed = Completed::new(&flags, &no_flags(file.is_none()), false)?;
    if completed.complete.flags.scenario().recreate {
        let message = "`recreate` is for a dump of a cluster, which no editor writes";
        let diagnostic = Diagnostic::input(Code::LspRecreate, message);
        return Err(vec![Diagnostic { file: completed.complete.file, ..diagnostic }]);
    }
    Ok(completed)
}

/// Returns the flags of an empty command line. Without settings, documents that are not manifests are left out: an
/// editor opens any YAML.
fn no_flags(leaves_out: bool) -> ArgMatches {
    let command = Run::augment_args(Command::new("kadmit run"));
    let flags = leaves_out.then_some("--ignore-non-manifests");
    command.get_matches_from(["kadmit run"].into_iter().chain(flags))
}

/// Starts the server of `scenario` unless it is running.
fn start(
    running: &mut Option<Running>,
    scenario: &Scenario,
    texts: &mut Texts,
    (is_stale, colors): (bool, Colors),
) -> Result<(), Diagnostic> {
    if let Some(running) = running {
        let sources = fixture_sources(scenario, texts);
        let same = running.scenario == *scenario
            && running.sources.len() == sources.len()
            && running.sources.iter().zip(&sources).all(|(one, other)| Arc::ptr_eq(one, other))
            && (!is_stale || running.configurations == configurations(scenario));
        if same {
            return Ok(());
        }
    }
    *running = Some(Running::start(scenario, texts, colors)?);
    Ok(())
}

impl Running {
    fn start(scenario: &Scenario, texts: &mut Texts, colors: Colors) -> Result<Self, Diagnostic> {
        let mut session = Session::new(colors, scenario.ignore_unknown_kinds, Acceptor::default()).silent();
        let sources = fixture_sources(scenario, texts);
        let texts = std::cell::RefCell::new(texts);
        let expand = |paths: &[String]| {
            let inputs = scenario.selection.expand(paths).into_iter();
            inputs.map(|input| texts.borrow_mut().input(input)).collect()
        };
        let evaluator =
            scenario.set_up_for_editor(expand, &mut session).map_err(|error| Diagnostic::from(&error))?;
        Ok(Self {
            run: Incremental::new(evaluator, scenario.ignore_unknown_kinds),
            fixtures: session.fixtures.copy(),
            diagnostics: session.diagnostics,
            scenario: scenario.clone(),
            sources,
            configurations: configurations(scenario),
        })
    }
}

/// Returns the texts of the cluster and of policies.
fn fixture_sources(scenario: &Scenario, texts: &mut Texts) -> Vec<Arc<SourceFile>> {
    let inputs = scenario.selection.expand(&scenario.fixture_paths()).into_iter();
    inputs.filter_map(|input| texts.input(input).ok()?.read().ok()).collect()
}

/// Returns the state of the files that configure the server.
fn configurations(scenario: &Scenario) -> Look {
    let configurations = scenario.server.configurations();
    Watched { configurations, ..Watched::default() }.look()
}

fn is_manifest(path: &str) -> bool {
    let ending = Path::new(path).extension().and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| matches!(ending, "yaml" | "yml" | "json"))
}

/// Returns the directory of documents without settings: their repository, or else their own directory.
pub(super) fn root_of(path: &Path) -> PathBuf {
    let directory = path.parent().unwrap_or(Path::new("/"));
    let root = directory.ancestors().find(|directory| directory.join(".git").exists());
    root.unwrap_or(directory).to_owned()
}
