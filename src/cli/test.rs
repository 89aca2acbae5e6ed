//! `kadmit test`

mod init;
mod mutate;
pub(super) mod play;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use clap::{ArgMatches, Args, ValueEnum, ValueHint};
use rayon::prelude::*;

use crate::cli::Exit;
use crate::cli::color::Colors;
use crate::cli::console::{Console, file_width};
use crate::cli::coverage::CoverageFlags;
use crate::cli::input::files_below;
use crate::cli::output::{Output, OutputParser, Outputs, still_open};
use crate::cli::scenario::Scenario;
use crate::cli::settings::{Complete, SettingsFlags};
use crate::cli::watch::{self, Watched};
use crate::code::Code;
use crate::report::coverage::CoverageReport;
use crate::report::{Diagnostic, Escapes};
use crate::suite::{self, SuiteResult, Tally};

pub(super) use init::relative;
use mutate::MutationFlags;

/// Run suites of requests with expected answers
///
/// A suite in YAML has the existing objects, the server and the user, and for every case the requests and the expected
/// answers. In directories the files kadmit-test.yaml and *.kadmit-test.yaml are suites.
///
/// Exit status: 0 everything is as expected, 1 something is not, 2 a suite or a request is invalid or there is no case,
/// 3 kadmit has a bug.
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(super) struct Test {
    /// Run the suites in these directories and files [default: the current directory]
    ///
    /// With --init, the manifests to create the suite from.
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    paths: Vec<PathBuf>,

    /// Run only the cases whose names contain this
    #[arg(long, value_name = "NAME", conflicts_with = "init")]
    filter: Option<String>,

    /// Update the expectations of the suites to the answers, instead of comparing them
    ///
    /// Only values that differ are replaced; comments and everything else are kept. A case without `expect` gets one.
    #[arg(long, conflicts_with = "init")]
    update: bool,

    /// Report in this format, to the file after a = or else to standard output (may be repeated) [default: text]
    #[arg(short, long, value_name = "FORMAT[=FILE]", value_parser = OutputParser::<Format>::new())]
    output: Vec<Output<Format>>,

    #[command(flatten)]
    coverage: CoverageFlags,

    #[command(flatten)]
    mutation: MutationFlags,

    /// Print the values of Secrets, which are masked otherwise
    #[arg(long, conflicts_with = "init")]
    show_secrets: bool,

    /// Print only suites in which something is not as expected
    #[arg(short, long, conflicts_with = "init")]
    quiet: bool,

    #[command(flatten)]
    settings: SettingsFlags,

    /// Test again whenever a suite or a file next to it changes, until interrupted
    #[arg(short, long, conflicts_with_all = ["init", "update"])]
    watch: bool,

    /// Create a suite in this directory that expects the current answers
    #[arg(long, value_name = "DIR", requires = "paths")]
    init: Option<PathBuf>,

    #[command(flatten)]
    scenario: Scenario,
}

const EXAMPLES: &str = "\
Examples:
  kadmit test                         the suites below this directory
  kadmit test --init suite manifests  a suite that records today's answers
  kadmit test --update suite          accept today's answers
  kadmit test -o junit=report.xml suite";

/// The form of a report about suites.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Differences for people
    Text,
    /// XML of JUnit, a test suite for each file
    #[value(name = "junit")]
    JUnit,
    /// One JSON document
    Json,
    /// SARIF 2.1.0, for code scanning: what is not as expected
    Sarif,
    /// Workflow commands of GitHub Actions: what is not as expected
    #[value(name = "github")]
    GitHub,
    /// Comment on a pull request
    Markdown,
}

impl Format {
    fn escapes(self) -> Escapes {
        match self {
            Self::Text => Escapes::Colored,
            Self::Json | Self::Sarif => Escapes::Json,
            Self::JUnit => Escapes::Xml,
            Self::GitHub | Self::Markdown => Escapes::Text,
        }
    }
}

impl Test {
    /// Runs, prints, and returns the result. `given` are the arguments of these flags.
    pub(super) fn execute(&self, given: &ArgMatches, colors: Colors) -> Exit {
        let complete = || self.settings.complete::<Self>("test", given);
        let watched = |complete: &Complete<Self>| complete.flags.watched(complete.file.as_deref());
        let carry_out = |complete: Complete<Self>| (complete.flags.carry_out(colors), true);
        watch::repeat(self.watch, colors, complete, watched, carry_out)
    }

    /// Returns the suites, and the files next to them.
    fn watched(&self, file: Option<&str>) -> Watched {
        let suites = self.find(&mut Vec::new());
        Watched {
            paths: file.map(str::to_owned).into_iter().collect(),
            configurations: suites,
            reports: self.output.iter().filter_map(|output| output.file.clone()).collect(),
            ..Watched::default()
        }
    }

    fn carry_out(&self, colors: Colors) -> Exit {
        let mut console = Console::new(colors);
        if let Some(directory) = &self.init {
            return init::init(directory, &self.paths, &self.scenario, &mut console, colors);
        }
        if !self.scenario.is_bare() {
            let message = "flags about the cluster, the server and the user are for --init";
            let help = "a suite has its own settings: `flags`, `cluster`, `user` and so on";
            console.say(&Diagnostic::input(Code::SuiteScenario, message).help(help));
            return Exit::Input;
        }
        let outputs = match Outputs::open(&self.output, Format::Text) {
            Ok(outputs) => outputs,
            Err(error) => {
                console.say(&error);
                return Exit::Input;
            }
        };
        let mut wrong = Vec::new();
        let files = self.find(&mut wrong);
        for error in &wrong {
            console.say(error);
        }
        let covered = Mutex::new(CoverageReport::default());
        let how = play::Play {
            filter: self.filter.as_deref(),
            update: self.update,
            show_secrets: self.show_secrets,
            colors,
            coverage: self.coverage.is_wanted().then_some(&covered),
        };
        let run = |file: &PathBuf| play::run(file, how);
        let mut results: Vec<SuiteResult> = files.par_iter().map(run).collect();
        results.retain(|result| !result.cases.is_empty() || !result.errors.is_empty());
        results.iter().flat_map(SuiteResult::diagnostics).for_each(|diagnostic| console.say(diagnostic));
        let tally = Tally::of(&results);
        if tally == Tally::default() && console.exit() == Exit::Admitted {
            console.say(&self.nothing(files.len()));
        }
        let is_quiet = self.quiet;
        let write =
            |format, out: &mut dyn Write, width: Option<usize>| write(format, &results, is_quiet, out, width);
        if let Err(error) = still_open(outputs.write_whole(colors.everywhere, Format::escapes, write)) {
            console.say(&error);
        }
        let mut verdict = if tally.failed > 0 { Exit::Denied } else { Exit::Admitted };
        if self.coverage.is_wanted() {
            let report = covered.into_inner().unwrap_or_else(PoisonError::into_inner);
            for wrong in self.coverage.report(&report, colors) {
                console.say(&wrong);
                verdict = verdict.max(Exit::Denied);
            }
        }
        if self.mutation.is_wanted() && verdict == Exit::Admitted && console.exit() == Exit::Admitted {
            let tried = self.mutation.mutate(&files, colors, console.width());
            console.write(&tried.text(), Escapes::Colored);
            verdict = if tried.has_survivors() { Exit::Denied } else { Exit::Admitted };
        }
        verdict.max(console.exit())
    }

    /// Returns the suites below the paths, each once.
    fn find(&self, wrong: &mut Vec<Diagnostic>) -> Vec<PathBuf> {
        let here = [PathBuf::from(".")];
        let paths = if self.paths.is_empty() { &here[..] } else { &self.paths[..] };
        let excluded = self.scenario.selection.excluded();
        let mut found: Vec<PathBuf> = Vec::new();
        for path in paths {
            let files = if path.is_dir() {
                files_below(path, &self.scenario.selection)
            } else {
                vec![Ok(path.clone())]
            };
            for file in files {
                match file {
                    Ok(file) if file != *path && !suite::is_suite_file(&file) => {}
                    Ok(file) => {
                        let file = file.strip_prefix(".").map(Path::to_owned).unwrap_or(file);
                        let name = file.to_string_lossy();
                        let is_excluded = excluded.iter().any(|patterns| patterns.fit(&name));
                        if !is_excluded && !found.contains(&file) {
                            found.push(file);
                        }
                    }
                    Err(error) => wrong.push(error),
                }
            }
        }
        found
    }

    fn nothing(&self, suites: usize) -> Diagnostic {
        match &self.filter {
            Some(filter) if suites > 0 => {
                let message = format!("no case has a name with \"{filter}\" in it");
                Diagnostic::input(Code::SuiteNoCase, message)
            }
            _ => Diagnostic::input(Code::SuiteNoCase, "there is no suite").help(
                "in directories the files kadmit-test.yaml and *.kadmit-test.yaml are suites; \
                 `kadmit test --init DIR PATH` makes one",
            ),
        }
    }
}

fn write(
    format: Format,
    results: &[SuiteResult],
    is_quiet: bool,
    mut out: &mut dyn Write,
    width: Option<usize>,
) -> io::Result<()> {
    match format {
        Format::Text => suite::write_text(results, is_quiet, &mut out, width.unwrap_or_else(file_width)),
        Format::JUnit => suite::write_junit(results, &mut out),
        Format::Json => suite::write_json(results, &mut out),
        Format::Sarif => suite::write_sarif(results, &mut out),
        Format::GitHub => suite::write_github(results, &mut out),
        Format::Markdown => suite::write_markdown(results, &mut out),
    }
}
