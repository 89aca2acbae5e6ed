//! The manifests that the user names for a command.

use std::path::Path;

use clap::{Args, ValueHint};

use crate::cli::scenario::Scenario;
use crate::code::Code;
use crate::report::Diagnostic;

/// The manifests that a command evaluates.
#[derive(Clone, Debug, Args)]
pub(in crate::cli) struct Named {
    /// Evaluate these files, directories (.yaml, .yml and .json below them), patterns, or - for standard input
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(in crate::cli) paths: Vec<String>,

    /// Evaluate also this file, or the files directly in this directory, as kubectl does (may be repeated)
    #[arg(short = 'f', long, value_name = "FILE", value_delimiter = ',', value_hint = ValueHint::AnyPath)]
    filename: Vec<String>,

    /// Read the directories of -f recursively
    #[arg(short = 'R', long)]
    recursive: bool,
}

impl Named {
    /// Whether nothing is named.
    pub(in crate::cli) fn is_empty(&self) -> bool {
        self.paths.is_empty() && self.filename.is_empty() && !self.recursive
    }

    /// Adds the files of -f to the others, and records in `scenario` which directories are not read recursively.
    ///
    /// # Errors
    ///
    /// Nothing is named, or -R is given without -f.
    pub(in crate::cli) fn combine(&mut self, scenario: &mut Scenario) -> Result<(), Diagnostic> {
        if self.recursive && self.filename.is_empty() {
            let message = "-R applies to the directories of -f, and there is no -f";
            let help = "directories that are named without -f are always read recursively";
            return Err(Diagnostic::input(Code::InputRecursive, message).help(help));
        }
        if !self.recursive {
            let directories: Vec<String> =
                self.filename.iter().filter(|path| Path::new(path).is_dir()).cloned().collect();
            scenario.selection = std::mem::take(&mut scenario.selection).shallow_in(&directories);
        }
        self.paths.append(&mut self.filename);
        self.recursive = false;
        if self.paths.is_empty() {
            let message = "there is nothing to evaluate: no PATH is given";
            let help = "name files or directories, here or as `paths` in kadmit.toml";
            return Err(Diagnostic::input(Code::InputNoPath, message).help(help));
        }
        Ok(())
    }
}
