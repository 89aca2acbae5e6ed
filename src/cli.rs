//! The command line: arguments, exit status, and the only place that prints or reads the environment.

mod cache;
mod clap_error;
mod client_flags;
mod color;
mod compare;
mod comparison;
mod completions;
mod config;
mod console;
mod coverage;
mod definition;
mod diff;
mod drift;
mod eval;
mod explain;
mod fix;
mod fixtures;
mod help;
mod incremental;
mod input;
mod krm;
mod levels;
mod lsp;
#[cfg(feature = "mcp")]
mod mcp;
mod order;
mod output;
mod overrides;
mod parallel;
mod plugins;
mod progress;
mod recreate;
mod repeated;
mod replay;
mod report;
mod reporting;
mod require;
mod run;
mod scenario;
#[cfg(feature = "serve")]
mod serve;
mod server_flags;
mod session;
mod settings;
mod test;
mod trials;
mod usage;
mod watch;

use std::any::Any;
use std::env;
use std::ffi::OsStr;
use std::io::{IsTerminal, Write, stderr, stdin};
use std::panic::{self, PanicHookInfo};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Once;
use std::thread;

use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::api_server::STACK_SIZE;
use crate::code::Code;
use crate::report::Diagnostic;

pub use completions::script as completion_script;
pub use definition::{definition, exit_statuses};
pub use settings::HELP as SETTINGS_HELP;

use color::{ColorChoice, Colors};

/// Run Kubernetes' admission chain offline
///
/// kadmit sends manifests through the same admission plugins as kube-apiserver, without a cluster, and prints what each
/// plugin changes and why it refuses.
///
/// Exit status: 0 every request is admitted, 1 some are denied, or there is what the command looks for, 2 the input or
/// configuration is wrong, 3 kadmit has a bug.
#[derive(Debug, Parser)]
#[command(name = "kadmit", version, propagate_version = true, disable_help_subcommand = true)]
#[command(max_term_width = 80, before_help = EXAMPLES)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,

    /// Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    color: ColorChoice,
}

const EXAMPLES: &str = "\
Examples:
  kadmit run web.yaml                       what a new cluster answers
  kadmit run --cluster dump.yaml manifests  with the objects that exist
  kadmit explain PodSecurity                what a plugin does";

#[derive(Debug, Subcommand)]
enum Command {
    Run(Box<run::Run>),
    Diff(Box<diff::Diff>),
    Compare(Box<compare::Compare>),
    Replay(Box<replay::Replay>),
    Drift(Box<drift::Drift>),
    Report(Box<report::Report>),
    Test(Box<test::Test>),
    Plugins(plugins::Plugins),
    Eval(Box<eval::Eval>),
    Explain(explain::Explain),
    Config(Box<config::Config>),
    Fixtures(Box<fixtures::Fixtures>),
    Levels(Box<levels::Levels>),
    Require(Box<require::Require>),
    Fix(Box<fix::Fix>),
    #[cfg(feature = "serve")]
    Serve(Box<serve::Serve>),
    Krm(krm::Krm),
    Lsp(lsp::Lsp),
    #[cfg(feature = "mcp")]
    Mcp(mcp::Mcp),
    Completions(completions::Completions),
    Help(help::Help),
}

/// The result of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Exit {
    /// Every request was admitted.
    #[default]
    Admitted,
    /// At least one was denied, or an event of --fail-on happened.
    Denied,
    /// The input or configuration is invalid, or nothing was evaluated.
    Input,
    /// kadmit has a bug.
    Internal,
}

impl Exit {
    fn status(self) -> u8 {
        match self {
            Self::Admitted => 0,
            Self::Denied => 1,
            Self::Input => 2,
            Self::Internal => 3,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.status())
    }
}

/// Runs the program with the arguments of the process.
pub fn main() -> ExitCode {
    let (cli, matches) = match parsed() {
        Ok(parsed) => parsed,
        Err(error) => return usage::report(&error, &usage::words(), ColorChoice::Auto.apply()).into(),
    };
    let colors = cli.color.apply();
    // It fails only if there is such a pool already.
    let _ = rayon::ThreadPoolBuilder::new().stack_size(STACK_SIZE).build_global();
    let first = Once::new();
    panic::set_hook(Box::new(move |info| {
        // A panic in one thread makes the threads that wait for it panic as well. If standard error is closed, the
        // report is lost.
        first.call_once(|| drop(writeln!(stderr(), "{}", bug_report(info))));
    }));
    let exit = guarded(move || match cli.command {
        Command::Run(run) => run.execute(given(&matches), colors),
        Command::Diff(diff) => diff.execute(given(&matches), colors),
        Command::Compare(compare) => compare.execute(given(&matches), colors),
        Command::Replay(replay) => replay.execute(colors),
        Command::Drift(drift) => drift.execute(given(&matches), colors),
        Command::Report(report) => report.execute(given(&matches), colors),
        Command::Test(test) => test.execute(given(&matches), colors),
        Command::Plugins(plugins) => plugins.execute(given(&matches), colors),
        Command::Eval(eval) => eval.execute(colors),
        Command::Explain(explain) => explain.execute(colors),
        Command::Config(config) => config.execute(given(&matches), colors),
        Command::Fixtures(fixtures) => fixtures.execute(given(&matches), colors),
        #[cfg(feature = "serve")]
        Command::Serve(serve) => serve.execute(colors),
        Command::Levels(levels) => levels.execute(given(&matches), colors),
        Command::Require(require) => require.execute(given(&matches), colors),
        Command::Fix(fix) => fix.execute(given(&matches), colors),
        Command::Krm(krm) => {
            note_terminal("kustomize or kpt starts this and writes a ResourceList", colors);
            krm.execute(colors)
        }
        Command::Lsp(lsp) => {
            note_terminal("an editor starts this, and talks to it on standard input", colors);
            lsp.execute(colors)
        }
        #[cfg(feature = "mcp")]
        Command::Mcp(mcp) => {
            note_terminal("an assistant starts this, and talks to it on standard input", colors);
            mcp.execute(colors)
        }
        Command::Completions(completions) => completions.execute(colors),
        Command::Help(help) => help.execute(colors),
    });
    exit.into()
}

/// Reports who usually starts a command, if a person has started it and it waits for input.
fn note_terminal(starter: &str, colors: Colors) {
    if stdin().is_terminal() {
        let note = Diagnostic::note(Code::InputTerminal, format!("{starter}; press Ctrl-C to end it"));
        console::say(&note, colors);
    }
}

/// Returns what the flags of the subcommand were read from.
fn given(matches: &ArgMatches) -> &ArgMatches {
    matches.subcommand().expect("the command that was parsed").1
}

/// Returns the arguments of the process. To arrange help takes longer than to read a command line, so that only one that
/// asks for help, or is wrong, is read by the arranged definition.
fn parsed() -> clap::error::Result<(Cli, ArgMatches)> {
    let command = || command(env::args_os().next().as_deref());
    let matches = Cli::command().try_get_matches().or_else(|_| command().try_get_matches())?;
    let cli = Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut command()))?;
    Ok((cli, matches))
}

/// Returns the definition of the arguments; help and errors name `program` as its user does. kubectl runs the file
/// `kubectl-kadmit` for `kubectl kadmit`.
fn command(program: Option<&OsStr>) -> clap::Command {
    let name = program.map(Path::new).and_then(Path::file_stem);
    let command = definition();
    if name == Some(OsStr::new("kubectl-kadmit")) { command.bin_name("kubectl kadmit") } else { command }
}

/// Runs `work` on a separate stack; a panic in it is a bug in kadmit.
fn guarded(work: impl FnOnce() -> Exit + Send + 'static) -> Exit {
    let thread = thread::Builder::new().name("kadmit".to_owned()).stack_size(STACK_SIZE).spawn(work);
    match thread.map(thread::JoinHandle::join) {
        Ok(Ok(exit)) => exit,
        // The panic has been reported on standard error.
        Ok(Err(_)) | Err(_) => Exit::Internal,
    }
}

fn bug_report(info: &PanicHookInfo<'_>) -> String {
    let message = message(info.payload()).unwrap_or("no message");
    let place = info.location().map(|place| format!(" ({place})")).unwrap_or_default();
    format!(
        "kadmit has a bug: {message}{place}\nplease report it with the input that shows it; this is kadmit {}",
        env!("CARGO_PKG_VERSION")
    )
}

/// Returns the message of a panic, if it is text.
fn message(payload: &dyn Any) -> Option<&str> {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_are_consistent() {
        definition().debug_assert();
    }

    #[test]
    fn a_panic_is_an_internal_error() {
        assert_eq!(guarded(|| panic!("a broken invariant, for this test")), Exit::Internal);
        assert_eq!(guarded(|| Exit::Denied), Exit::Denied);
    }
}
