//! `kadmit run`

use std::io::{self, Write, stderr};
use std::path::{Path, PathBuf};

use clap::{ArgMatches, Args, ValueEnum, ValueHint};

use crate::api::version::Version;
use crate::cli::Exit;
use crate::cli::color::Colors;
use crate::cli::console::{self, Console, error_width, width};
use crate::cli::output::{self, Context, Format, Output, OutputParser, Outputs};
use crate::cli::overrides::Overrides;
use crate::cli::scenario::Scenario;
use crate::cli::session::Session;
use crate::cli::settings::{self, Complete};
use crate::cli::watch::Watched;
use crate::manifest::files;
use crate::report::acceptance::{Acceptor, Baseline, Date};
use crate::report::{Diagnostic, TextStyle, Verbosity};

/// Evaluate manifests against the admission chain
///
/// Every document is a request to create its object, or to update it if it exists; an AdmissionReview says itself
/// what it wants. What is admitted exists for the documents behind it.
///
/// Exit status: 0 all admitted or skipped or known, 1 some denied or what --fail-on names, 2 the input or configuration
/// is wrong or nothing was evaluated, 3 an internal error.
#[derive(Debug, Args)]
#[command(after_long_help = settings::HELP)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(super) struct Run {
    /// Evaluate these files, directories (.yaml, .yml and .json below them), patterns, or - for standard input
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    paths: Vec<String>,

    /// Report in this format, to the file behind a = or else to standard output (may be repeated) [default: text]
    ///
    /// With files alone nothing is printed but what is wrong with the input. A file takes the place of the last
    /// report when it is whole.
    #[arg(short, long, value_name = "FORMAT[=FILE]", value_parser = OutputParser::<Format>::new())]
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

    /// Print all changes line by line, also those that are routine or the same as before
    #[arg(long, conflicts_with = "no_diff")]
    all_diffs: bool,

    /// Print what Secrets keep, which is masked otherwise
    #[arg(long)]
    show_secrets: bool,

    /// Take the defaults of flags from this file [default: the nearest kadmit.toml]
    #[arg(long, value_name = "FILE")]
    settings: Option<PathBuf>,

    /// Take no settings from a file
    #[arg(long, conflicts_with = "settings")]
    no_settings: bool,

    /// Let what is denied or warned of be no failure if it is in this file
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,

    /// Write what is denied and warned of into the file of --baseline, and fail for none of it
    #[arg(long)]
    update_baseline: bool,

    /// Succeed when there is nothing to evaluate
    #[arg(long)]
    allow_empty: bool,

    /// Fail also when this happens; what is denied always fails (may be repeated)
    #[arg(long, value_name = "EVENT", value_delimiter = ',')]
    fail_on: Vec<Event>,

    /// Succeed whatever is denied, if nothing is wrong with the input
    #[arg(long, conflicts_with = "fail_on")]
    exit_zero: bool,

    /// Do it again whenever one of the files changes that are read, until it is interrupted
    #[arg(short, long)]
    watch: bool,

    #[command(flatten)]
    scenario: Scenario,
}

/// The baseline, the day of the run, and the flags that are complete.
type Settled = (Option<Baseline>, Date, Complete<Run>);

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

impl Run {
    /// Evaluates, prints, and says how it ended. `given` is what these flags were read from.
    pub(super) fn execute(&self, given: &ArgMatches, colors: Colors) -> Exit {
        loop {
            let complete = self.complete(given);
            let Some(watched) = self.watched(&complete) else { return carry_out(complete, colors).0 };
            // What changes behind this look is seen by the next one, and what changed before it is read now.
            let last = watched.look();
            let complete = self.complete(given);
            let watched = self.watched(&complete).unwrap_or(watched);
            let (exit, is_read) = carry_out(complete, colors);
            if !is_read || last.files() == 0 {
                return exit;
            }
            let files = match last.files() {
                1 => "1 file".to_owned(),
                files => format!("{files} files"),
            };
            // Standard error may be closed; there is nowhere left to say so.
            let _ = writeln!(stderr(), "watching {files}; Ctrl-C ends it");
            watched.wait(&last);
            console::clear();
        }
    }

    fn complete(&self, given: &ArgMatches) -> Result<Settled, Vec<Diagnostic>> {
        settings::complete::<Run>(given, self.settings.as_deref(), self.no_settings)
            .and_then(|complete| complete.run.check().map(|()| complete))
            .and_then(|complete| Ok((complete.run.read_baseline()?, settings::today()?, complete)))
    }

    /// What is watched, if it is to be: of flags that cannot be completed, the files that are wrong.
    fn watched(&self, complete: &Result<Settled, Vec<Diagnostic>>) -> Option<Watched> {
        if !self.watch {
            return None;
        }
        let Complete { run, file, .. } = match complete {
            Ok((.., complete)) => complete,
            Err(errors) => {
                let paths = errors.iter().filter_map(|error| error.file.clone()).collect();
                return Some(Watched { paths, ..Watched::default() });
            }
        };
        let mut watched = run.scenario.watched(&run.paths);
        watched.paths.extend(file.clone());
        watched.reports = run.output.iter().filter_map(|output| output.file.clone()).collect();
        match (&run.baseline, run.update_baseline) {
            (Some(file), true) => watched.reports.push(file.clone()),
            (Some(file), false) => watched.paths.push(file.display().to_string()),
            (None, _) => {}
        }
        Some(watched)
    }

    /// Evaluates and prints once; how it ended, and whether somebody still reads it. `is_partial` is a run for which
    /// the settings name more to evaluate.
    fn run(&self, overrides: &Overrides, is_partial: bool, session: &mut Session) -> (Exit, bool) {
        let outputs = match Outputs::open(&self.output, Format::Text) {
            Ok(outputs) => outputs,
            Err(error) => {
                session.say(&error);
                return (Exit::Input, true);
            }
        };
        match self.evaluate(overrides, is_partial, outputs, session) {
            Ok(()) => (self.exit(session), true),
            // The reader of the pipe has seen enough.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => (self.exit(session), false),
            Err(error) => {
                session
                    .say(&Diagnostic::input("kadmit::output", format!("cannot write the report: {error}")));
                (Exit::Input, true)
            }
        }
    }

    /// What only the command line and the settings together can lack.
    fn check(&self) -> Result<(), Vec<Diagnostic>> {
        let mut errors = Vec::new();
        if self.paths.is_empty() {
            let message = "there is nothing to evaluate: no PATH is given";
            let help = "name files or directories, here or as `paths` in kadmit.toml";
            errors.push(Diagnostic::input("kadmit::input::no_path", message).help(help));
        }
        if self.update_baseline && self.baseline.is_none() {
            let message = "--update-baseline does not know which file to write";
            errors.push(Diagnostic::input("kadmit::baseline", message).help("name it: `--baseline FILE`"));
        }
        if self.watch && self.scenario.reads_standard_input(&self.paths) {
            let error = Diagnostic::input("kadmit::input::watch", "standard input cannot be watched");
            errors.push(error.help("name files or directories, or leave --watch out"));
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }

    fn evaluate(
        &self,
        overrides: &Overrides,
        is_partial: bool,
        outputs: Outputs,
        session: &mut Session,
    ) -> io::Result<()> {
        let set_up = self.scenario.over(&self.paths).set_up(session);
        let release = set_up.as_ref().map_or(Version::BINARY, |(_, release)| *release);
        let (style, colored) = (self.style(), session.colors.everywhere);
        let fixtures = session.fixtures.clone();
        let mut reports =
            outputs.reports(&Context { release, fixtures, style, colored, show_secrets: self.show_secrets });
        match set_up {
            Ok((mut evaluator, _)) => {
                reports.begin(&evaluator.plugins())?;
                let take = |outcomes: Vec<_>| reports.take(&outcomes);
                self.scenario.evaluate(&self.paths, overrides, &mut evaluator, session, take)?;
                if !self.allow_empty {
                    session.refuse_nothing();
                }
                for skip in session.acceptor.idle_skips(is_partial) {
                    session.say(&skip);
                }
                if let Some(file) = &self.baseline {
                    self.end_baseline(file, is_partial, session);
                }
                self.note_masked(session);
            }
            Err(error) => {
                session.say(&Diagnostic::from(&error));
                reports.begin(&[])?;
            }
        }
        self.note_failure(session);
        session.end_errors();
        session.summary.exit_status = self.exit(session).status();
        reports.end(&session.diagnostics, &session.summary)
    }

    fn read_baseline(&self) -> Result<Option<Baseline>, Vec<Diagnostic>> {
        let Some(file) = &self.baseline else { return Ok(None) };
        if self.update_baseline && !file.exists() {
            return Ok(Some(Baseline::default().updated()));
        }
        let source = files::read_file(file).map_err(|error| {
            let diagnostic = Diagnostic::from(&error);
            vec![if file.exists() { diagnostic } else { diagnostic.help("write it with --update-baseline") }]
        })?;
        let baseline = Baseline::read(source.text()).map_err(|error| {
            let name = source.name().to_owned();
            let text = error.to_string();
            let (what, _) = text.rsplit_once(" at line ").unwrap_or((&text, ""));
            let message = format!("{name}:{}: this is no baseline: {what}", error.line());
            let diagnostic = Diagnostic::input("kadmit::baseline", message);
            let diagnostic = diagnostic.help("remove the file, and write it anew with --update-baseline");
            vec![Diagnostic { file: Some(name), file_line: Some(error.line()), ..diagnostic }]
        })?;
        Ok(Some(if self.update_baseline { baseline.updated() } else { baseline }))
    }

    /// Says what the run fails for, if that is only what --fail-on names.
    fn note_failure(&self, session: &mut Session) {
        let summary = &session.summary;
        if self.exit_zero || summary.fails() || summary.errors > 0 {
            return;
        }
        let counted = |count: usize, one: &str, more: &str| match count {
            1 => format!("1 {one}"),
            count => format!("{count} {more}"),
        };
        let failures = self.fail_on.iter().filter_map(|event| match event {
            Event::Warning if summary.warns() => {
                let count = summary.warnings - summary.accepted_warnings;
                Some(format!("--fail-on warning: {}", counted(count, "warning", "warnings")))
            }
            Event::Mutated if summary.mutated > 0 => {
                let count = counted(summary.mutated, "object is changed", "objects are changed");
                Some(format!("--fail-on mutated: {count}"))
            }
            Event::Assumed if !summary.notes.is_empty() || session.has_assumed => {
                Some("--fail-on assumed: see the notes".to_owned())
            }
            _ => None,
        });
        let failures: Vec<String> = failures.collect();
        if !failures.is_empty() {
            let message = format!("the run fails by {}", failures.join(", "));
            session.say(&Diagnostic::note("kadmit::fail_on", message));
        }
    }

    /// Says that objects that are to be piped on are not what they were.
    fn note_masked(&self, session: &mut Session) {
        let are_piped = |output: &Output| matches!(output.format, Format::Yaml | Format::AdmissionReview);
        if session.has_masked() && self.output.iter().any(are_piped) {
            let message = "what Secrets keep is masked; --show-secrets prints it";
            session.say(&Diagnostic::note("kadmit::secret::masked", message));
        }
    }

    /// Writes the baseline, or says what of it is gone. When something is wrong with the input or left out, nobody knows
    /// what there would have been.
    fn end_baseline(&self, file: &Path, is_partial: bool, session: &mut Session) {
        let Some(baseline) = session.acceptor.baseline() else { return };
        let (found, added, gone) = (baseline.found(), baseline.added(), baseline.gone());
        let name = file.display();
        let findings = |count| if count == 1 { "1 finding".to_owned() } else { format!("{count} findings") };
        let has_errors = session.summary.errors > 0;
        let diagnostic = match (self.update_baseline, has_errors) {
            (true, true) => {
                let message = format!("{name} is not written, since something is wrong with the input");
                Diagnostic::warning("kadmit::baseline", message)
            }
            (true, false) => match baseline
                .to_text()
                .map_err(io::Error::from)
                .and_then(|text| output::replace(file, &text))
            {
                Ok(()) => {
                    let message = format!("wrote {name}: {}, {added} new, {gone} gone", findings(found));
                    Diagnostic::note("kadmit::baseline::written", message)
                }
                Err(error) => Diagnostic::input("kadmit::baseline", format!("cannot write {name}: {error}")),
            },
            (false, false) if gone > 0 && !is_partial => {
                let are = if gone == 1 { "is" } else { "are" };
                let message = format!(
                    "{} of the baseline {are} gone; run --update-baseline to take that into {name}",
                    findings(gone)
                );
                Diagnostic::note("kadmit::baseline::gone", message)
            }
            (false, _) => return,
        };
        session.say(&diagnostic);
    }

    fn exit(&self, session: &Session) -> Exit {
        let summary = &session.summary;
        let happened = |event: &Event| match event {
            Event::Denied => summary.fails(),
            Event::Warning => summary.warns(),
            Event::Mutated => summary.mutated > 0,
            Event::Assumed => !summary.notes.is_empty() || session.has_assumed,
        };
        let failed = !self.exit_zero && (summary.fails() || self.fail_on.iter().any(happened));
        match (summary.errors, failed) {
            (0, false) => Exit::Admitted,
            (0, true) => Exit::Denied,
            _ => Exit::Input,
        }
    }

    fn style(&self) -> TextStyle {
        TextStyle {
            verbosity: match (self.quiet, self.verbose) {
                (true, _) => Verbosity::Quiet,
                (_, true) => Verbosity::Verbose,
                _ => Verbosity::Normal,
            },
            diff: !self.no_diff,
            all_diffs: self.all_diffs,
            warnings_fail: self.fail_on.contains(&Event::Warning),
            width: width(),
        }
    }
}

/// Evaluates with the flags that are complete, or says why they are not.
fn carry_out(complete: Result<Settled, Vec<Diagnostic>>, colors: Colors) -> (Exit, bool) {
    let (baseline, today, complete) = match complete {
        Ok(complete) => complete,
        Err(errors) => {
            let mut console = Console::new(colors);
            for error in &errors {
                console.say(error);
            }
            return (Exit::Input, true);
        }
    };
    let Complete { run, overrides, skips, file, is_partial } = complete;
    let acceptor = Acceptor::new(skips, today, baseline);
    let unknown = run.scenario.ignore_unknown_kinds;
    let mut session =
        Session::new(error_width(), colors, unknown, acceptor).showing_secrets(run.show_secrets);
    if let Some(file) = file.filter(|_| run.verbose) {
        let message = format!("the settings are those of {file}");
        session.say(&Diagnostic::note("kadmit::settings::file", message));
    }
    let ended = run.run(&overrides, is_partial, &mut session);
    // A run that ends early has not printed them.
    session.end_errors();
    ended
}
