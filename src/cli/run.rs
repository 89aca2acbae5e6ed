//! `kadmit run`

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{io, mem};

use clap::{ArgMatches, Args};

use crate::cli::Exit;
use crate::cli::cache::{Base, Cache, CacheFlags, Keeper, ServerFacts};
use crate::cli::color::Colors;
use crate::cli::coverage::CoverageFlags;
use crate::cli::input::Named;
use crate::cli::output::{Format, Output, Outputs, Reports, still_open};
use crate::cli::overrides::Overrides;
use crate::cli::reporting::Reporting;
use crate::cli::scenario::Scenario;
use crate::cli::session::{Refused, Session};
use crate::cli::settings::{self, Complete, SettingsFlags};
use crate::cli::watch::{self, Watched};
use crate::code::Code;
use crate::evaluation::Evaluator;
use crate::report::Diagnostic;
use crate::report::acceptance::{Acceptor, Baseline, Date};
use crate::report::coverage::CoverageReport;
use kube_api::version::Version;

/// Evaluate manifests against the admission chain
///
/// Every document is a request to create its object, or to update it if it exists; an AdmissionReview contains the
/// whole request. Admitted objects exist for later documents.
///
/// Exit status: 0 all admitted or skipped or known, 1 some denied or an event of --fail-on, 2 the input or
/// configuration is wrong or nothing was evaluated, 3 kadmit has a bug.
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Run {
    #[command(flatten)]
    named: Named,

    #[command(flatten)]
    reporting: Reporting,

    #[command(flatten)]
    coverage: CoverageFlags,

    #[command(flatten)]
    cache: CacheFlags,

    #[command(flatten)]
    settings: SettingsFlags,

    /// Evaluate again whenever one of the files changes, until interrupted
    #[arg(short, long)]
    watch: bool,

    #[command(flatten)]
    scenario: Scenario,
}

const EXAMPLES: &str = "\
Examples:
  kadmit run web.yaml                           what a new cluster answers
  kadmit run --cluster dump.yaml manifests      with the objects that exist
  kadmit run --enforce restricted manifests     as if namespaces demanded it
  kadmit run --kubernetes-version 1.30 web.yaml
  kadmit run -o blame web.yaml                  the stored object, by origin
  kadmit run -o html=report.html manifests
  helm template . | kadmit run -";

/// A run with its settings, its baseline and its day.
pub(super) struct Completed {
    pub(super) complete: Complete<Run>,
    baseline: Option<Baseline>,
    today: Date,
}

impl Completed {
    /// Completes `given` with the file of `settings`; if `needs_paths`, it is an error that nothing is to be evaluated.
    ///
    /// # Errors
    ///
    /// Returns all errors in them.
    pub(super) fn new(
        settings: &SettingsFlags,
        given: &ArgMatches,
        needs_paths: bool,
    ) -> Result<Self, Vec<Diagnostic>> {
        let mut complete = settings.complete::<Run>("run", given)?;
        let mut errors = complete.flags.combine();
        errors.retain(|error| needs_paths || error.code != Code::InputNoPath);
        if !errors.is_empty() {
            return Err(errors);
        }
        let baseline = complete.flags.reporting.read_baseline()?;
        Ok(Self { complete, baseline, today: settings::today()? })
    }

    /// Returns what accepts findings of the run.
    pub(super) fn acceptor(&self) -> Acceptor {
        let acceptor = Acceptor::new(self.complete.skips.clone(), self.today, self.baseline.clone());
        if self.complete.flags.reporting.no_skips { acceptor.without_skips() } else { acceptor }
    }
}

impl Run {
    /// Evaluates, prints, and returns the result. `given` are the arguments of these flags.
    pub(super) fn execute(&self, given: &ArgMatches, colors: Colors) -> Exit {
        let complete = || Completed::new(&self.settings, given, true);
        let watched =
            |Completed { complete, .. }: &Completed| complete.flags.watched(complete.file.as_deref());
        watch::repeat(self.watch, colors, complete, watched, |completed| carry_out(&completed, colors))
    }

    /// Returns the files to watch, of a run with settings from `file`.
    fn watched(&self, file: Option<&str>) -> Watched {
        let mut watched = self.scenario.watched(&self.named.paths);
        watched.paths.extend(file.map(str::to_owned));
        watched.reports = self.reporting.output.iter().filter_map(|output| output.file.clone()).collect();
        match (&self.reporting.baseline, self.reporting.update_baseline) {
            (Some(file), true) => watched.reports.push(file.clone()),
            (Some(file), false) => watched.paths.push(file.display().to_string()),
            (None, _) => {}
        }
        watched
    }

    /// Evaluates and prints once; returns the result, and whether the output is still open. `is_partial` is set if the
    /// settings name more to evaluate.
    fn run(
        &self,
        (overrides, settings): (&Overrides, Option<&str>),
        is_partial: bool,
        session: &mut Session,
    ) -> (Exit, bool) {
        let files = self.reporting.output.iter().filter_map(|output| output.file.as_ref());
        let (directories, outputs) = in_directories(&self.reporting.output);
        let outputs = self
            .scenario
            .check_outputs(&self.named.paths, files)
            .and_then(|()| Outputs::open(&outputs, Format::Text))
            .and_then(|outputs| outputs.with_directories(directories, self.reporting.show_secrets));
        let outputs = match outputs {
            Ok(outputs) => outputs,
            Err(error) => {
                session.say(&error);
                return (Exit::Input, true);
            }
        };
        match still_open(self.evaluate((overrides, settings), is_partial, outputs, session)) {
            Ok(is_open) => (self.report_coverage(session).max(self.reporting.exit(session)), is_open),
            Err(error) => {
                session.say(&error);
                (Exit::Input, true)
            }
        }
    }

    /// Reports the coverage of policies, if that is requested.
    fn report_coverage(&self, session: &mut Session) -> Exit {
        let Some(coverage) = session.coverage.take() else { return Exit::Admitted };
        let report = CoverageReport::of(&coverage, &session.fixtures);
        let wrong = self.coverage.report(&report, session.colors);
        for wrong in &wrong {
            session.say(wrong);
        }
        if wrong.is_empty() { Exit::Admitted } else { Exit::Denied }
    }

    /// Returns what these flags evaluate.
    pub(super) fn paths(&self) -> &[String] {
        &self.named.paths
    }

    /// Returns the cluster, the server and the user of these flags.
    pub(super) fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// Returns what counts as a failure.
    pub(super) fn reporting(&self) -> &Reporting {
        &self.reporting
    }

    /// Combines the command line and the settings; returns what they lack.
    fn combine(&mut self) -> Vec<Diagnostic> {
        let named = self.named.combine(&mut self.scenario);
        let mut errors: Vec<_> =
            [named, self.reporting.check(), self.check_cache()].into_iter().filter_map(Result::err).collect();
        if self.watch && self.scenario.reads_standard_input(&self.named.paths) {
            let error = Diagnostic::input(Code::InputWatch, "standard input cannot be watched");
            errors.push(error.help("name files or directories, or leave --watch out"));
        }
        errors
    }

    fn evaluate(
        &self,
        (overrides, settings): (&Overrides, Option<&str>),
        is_partial: bool,
        outputs: Outputs,
        session: &mut Session,
    ) -> io::Result<()> {
        let paths = &self.named.paths;
        let set_up = self.scenario.over(paths).set_up(session);
        let release = Some(set_up.as_ref().map_or(Version::DEFAULT, |(_, release)| *release));
        let mut reports = outputs.reports(&self.reporting.context(release, session));
        match set_up {
            Ok((mut evaluator, _)) => {
                reports.begin(&evaluator.plugins())?;
                let cache = session.keep(self.open_cache(settings, &evaluator)).flatten();
                let kept =
                    self.evaluate_all(overrides, (&mut evaluator, cache.as_ref()), &mut reports, session)?;
                let is_partial = is_partial || self.scenario.shard.is_some();
                self.scenario.note_shard(&evaluator, session);
                if !self.reporting.allow_empty && evaluator.elsewhere() == 0 {
                    session.refuse_nothing(|| self.scenario.selection.help_for_nothing(paths));
                }
                session.end_run(&evaluator);
                if let (Some(cache), Some(kept)) = (&cache, kept) {
                    cache.replace_quotas(&mut session.summary.quotas);
                    if let Some(warning) = cache.end(kept, &session.summary.quotas) {
                        session.say(&warning);
                    }
                }
                session.warn_of_failures();
                for remark in evaluator.remarks_of_authorizer() {
                    session.say(&Diagnostic::note(Code::ConfigurationNote, remark));
                }
                for idle in self.scenario.idle_services(&evaluator) {
                    session.say(&idle);
                }
                self.note_left_out(session);
                for skip in session.acceptor.idle_skips(is_partial) {
                    session.say(&skip);
                }
                if !is_partial {
                    for idle in self.scenario.idle_overrides(paths, overrides) {
                        session.say(&idle);
                    }
                }
                for idle in reports.filter().idle_words() {
                    session.say(&idle);
                }
                self.reporting.note_masked(session);
                self.reporting.end_baseline(is_partial, session);
            }
            Err(error) => {
                session.say(&Diagnostic::from(&error));
                reports.begin(&[])?;
            }
        }
        self.reporting.end(reports, session)
    }

    /// Evaluates what is not known from `cache`, and writes all results. Returns what is to be kept.
    fn evaluate_all<'c>(
        &self,
        overrides: &Overrides,
        (evaluator, cache): (&mut Evaluator, Option<&'c Cache>),
        reports: &mut Reports,
        session: &mut Session,
    ) -> io::Result<Option<Keeper<'c>>> {
        let paths = &self.named.paths;
        let Some(cache) = cache else {
            let take = |outcomes| reports.take(outcomes);
            self.scenario.evaluate(paths, overrides, evaluator, session, take)?;
            return Ok(None);
        };
        let mut keeper = Keeper::new(cache);
        let take = |chunk| keeper.take(chunk, reports);
        self.scenario.evaluate_cached(paths, overrides, (evaluator, Some(cache)), session, take)?;
        session.take_known(cache);
        Ok(Some(keeper))
    }

    /// Opens the cache, if there is one; `settings` is the file with the settings.
    fn open_cache(&self, settings: Option<&str>, evaluator: &Evaluator) -> Result<Option<Cache>, Diagnostic> {
        if self.cache.cache.is_none() {
            return Ok(None);
        }
        let unreadable = |error: io::Error| {
            let message = format!("the program cannot be read, so that nothing is cached: {error}");
            Diagnostic::warning(Code::Cache, message)
        };
        let mut base = Base::new().map_err(unreadable)?;
        base.add(&(&self.named.paths, self.reporting.kept_by()));
        self.scenario.add_to(&mut base);
        let files = self.reporting.baseline.as_deref().into_iter().chain(settings.map(Path::new));
        files.for_each(|file| base.add_file(file));
        let around = ServerFacts {
            release: evaluator.profile().release(),
            parameters: evaluator.parameter_kinds().collect(),
            is_single: Scenario::crosses_namespaces(evaluator),
        };
        Cache::open(&self.cache, &base, around).map(Some)
    }

    /// Checks that results can be kept for other runs.
    ///
    /// # Errors
    ///
    /// A flag makes them depend on more than the input.
    fn check_cache(&self) -> Result<(), Diagnostic> {
        if self.cache.cache.is_none() {
            return Ok(());
        }
        let own = [("--watch", self.watch), ("--coverage", self.coverage.is_wanted())];
        let given = own.into_iter().chain(self.reporting.uncached()).chain(self.scenario.uncached());
        let names: Vec<&str> = given.filter(|(_, is_given)| *is_given).map(|(name, _)| name).collect();
        if names.is_empty() {
            return Ok(());
        }
        let message = format!("--cache cannot be used with {}", names.join(", "));
        Err(Diagnostic::input(Code::Cache, message).help("leave one of them out"))
    }

    /// Reports which documents are not in a report of admitted objects.
    fn note_left_out(&self, session: &mut Session) {
        let has_objects_alone = |output: &Output| matches!(output.format, Format::Yaml | Format::Blame);
        let Refused { count, first } = mem::take(&mut session.refused);
        if count == 0 || !self.reporting.output.iter().any(has_objects_alone) {
            return;
        }
        let rest = count - first.len();
        let more = if rest == 0 { String::new() } else { format!(" and {rest} more") };
        let message = format!("left out of the report, since they are refused: {}{more}", first.join(", "));
        session.say(&Diagnostic::note(Code::OutputRefused, message));
    }
}

/// Separates the directories for a file of each request from the other outputs.
fn in_directories(outputs: &[Output]) -> (Vec<PathBuf>, Vec<Output>) {
    let (mut directories, mut others) = (Vec::new(), Vec::new());
    for output in outputs {
        let is_directory =
            |file: &&PathBuf| file.is_dir() || file.to_string_lossy().ends_with(std::path::MAIN_SEPARATOR);
        match output.file.as_ref().filter(is_directory) {
            Some(directory) if output.format == Format::AdmissionRequest => {
                directories.push(directory.clone());
            }
            _ => others.push(output.clone()),
        }
    }
    (directories, others)
}

/// Evaluates with the complete flags.
fn carry_out(completed: &Completed, colors: Colors) -> (Exit, bool) {
    let Complete { flags: run, overrides, file, is_partial, .. } = &completed.complete;
    let unknown = run.scenario.ignore_unknown_kinds;
    let show_secrets = run.reporting.show_secrets;
    let mut session = Session::new(colors, unknown, completed.acceptor()).showing_secrets(show_secrets);
    session.is_verbose = run.reporting.verbose;
    session.coverage = run.coverage.is_wanted().then(Arc::default);
    if let Some(file) = file.as_ref().filter(|_| run.reporting.verbose) {
        let message = format!("the settings are those of {file}");
        session.say(&Diagnostic::note(Code::SettingsFile, message));
    }
    let ended = run.run((overrides, file.as_deref()), *is_partial, &mut session);
    // A run that ends early has not printed them.
    session.end_errors();
    ended
}
