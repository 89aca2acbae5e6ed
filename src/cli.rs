//! The command line: arguments, exit status, and the only place that prints or reads the environment.

mod color;
mod input;
mod run;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use color::ColorChoice;

/// Run Kubernetes' admission chain offline
///
/// kadmit sends manifests through the same admission plugins as kube-apiserver, without a cluster, and prints what
/// each plugin changes and why it refuses.
#[derive(Debug, Parser)]
#[command(name = "kadmit", version, propagate_version = true, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,

    /// When to use colours; NO_COLOR and CLICOLOR_FORCE are honoured
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    color: ColorChoice,
}

#[derive(Debug, Subcommand)]
enum Command {
    Run(Box<run::Run>),
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Exit {
    /// Every request was admitted.
    Admitted,
    /// At least one was denied.
    Denied,
    /// The input or configuration is wrong, or nothing was evaluated.
    Input,
    /// kadmit itself is wrong.
    Internal,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Admitted => 0,
            Exit::Denied => 1,
            Exit::Input => 2,
            Exit::Internal => 3,
        })
    }
}

/// Runs the program with the arguments of the process.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    cli.color.apply();
    // It fails only where there is such a pool already.
    let _ = rayon::ThreadPoolBuilder::new().stack_size(STACK_SIZE).build_global();
    let result = std::thread::Builder::new()
        .name("kadmit".to_owned())
        .stack_size(STACK_SIZE)
        .spawn(move || match cli.command {
            Command::Run(run) => run.execute(),
        })
        .map(std::thread::JoinHandle::join);
    match result {
        Ok(Ok(exit)) => exit.into(),
        // The panic has said on standard error what is broken.
        Ok(Err(_)) | Err(_) => Exit::Internal.into(),
    }
}

/// Deeply nested documents recurse; the bound on their depth fits into this many bytes.
const STACK_SIZE: usize = 64 << 20;
