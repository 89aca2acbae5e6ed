//! `kadmit run`

use std::io;

use clap::{Args, ValueEnum};

use crate::api::version::Version;
use crate::cli::Exit;
use crate::cli::color::Colors;
use crate::cli::console::width;
use crate::cli::output::{Context, Output, OutputParser, Outputs};
use crate::cli::scenario::Scenario;
use crate::cli::session::Session;
use crate::report::{Diagnostic, TextStyle, Verbosity};

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
    scenario: Scenario,
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

impl Run {
    /// Evaluates, prints, and says how it ended.
    pub(super) fn execute(self, colors: Colors) -> Exit {
        let mut session = Session::new(width(), colors, self.scenario.ignore_unknown_kinds);
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
        let set_up = self.scenario.set_up(session);
        let release = set_up.as_ref().map_or(Version::BINARY, |(_, release)| *release);
        let (style, colored) = (self.style(), session.colors.everywhere);
        let fixtures = session.fixtures.clone();
        let mut reports = outputs.reports(&Context { release, fixtures, style, colored });
        match set_up {
            Ok((mut evaluator, _)) => {
                reports.begin(&evaluator.plugins())?;
                let take = |outcomes: Vec<_>| reports.take(&outcomes);
                self.scenario.evaluate(&self.paths, &mut evaluator, session, take)?;
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

    fn style(&self) -> TextStyle {
        TextStyle {
            verbosity: match (self.quiet, self.verbose) {
                (true, _) => Verbosity::Quiet,
                (_, true) => Verbosity::Verbose,
                _ => Verbosity::Normal,
            },
            diff: !self.no_diff,
            width: width(),
        }
    }
}
