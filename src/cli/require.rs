//! `kadmit require`

use std::sync::Arc;

use clap::{ArgMatches, Args, ValueEnum};

use crate::cli::Exit;
use crate::cli::color::Colors;
use crate::cli::console::{Console, refuse};
use crate::cli::input::Named;
use crate::cli::scenario::Scenario;
use crate::cli::settings::{Complete, SettingsFlags};
use crate::cli::trials::Trials;
use crate::code::Code;
use crate::report::{Diagnostic, Escapes};
use crate::require::{self, Manifest, Requirements};
use gotext::source::SourceFile;

/// Print what a cluster must have so that it admits manifests
///
/// The output is manifests to apply first: roles and bindings for the rights that the user of --as lacks, namespaces and
/// the strictest Pod Security level that each can keep, quotas and LimitRanges that give way, service accounts and
/// classes. Comments name the requests that are refused without them. Nothing can be left out: each is tried.
///
/// Exit status: 0 with it everything is admitted, 1 something is refused whatever the cluster has, or needs a definition
/// that is unknown, 2 the input or configuration is wrong or nothing was evaluated, 3 kadmit has a bug.
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Require {
    #[command(flatten)]
    named: Named,

    /// Print in this format
    #[arg(short, long, value_name = "FORMAT", default_value = "yaml")]
    output: Format,

    #[command(flatten)]
    settings: SettingsFlags,

    #[command(flatten)]
    scenario: Scenario,
}

const EXAMPLES: &str = "\
Examples:
  kadmit require manifests --as jane | kubectl apply -f -
  kadmit require manifests --cluster dump.yaml --as jane --apply server-side";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Manifests with comments, to be applied first
    Yaml,
    /// For people
    Text,
    /// One JSON document
    Json,
    /// Lists and a block of manifests for a ticket
    Markdown,
}

impl Require {
    /// Finds what is required, prints it, and returns the result. `given` are the arguments of these flags.
    pub(super) fn execute(&self, given: &ArgMatches, colors: Colors) -> Exit {
        let complete = self.settings.complete::<Self>("require", given);
        let exit = complete.and_then(|complete| complete.flags.find(&complete, colors));
        exit.unwrap_or_else(|errors| refuse(&errors, colors))
    }

    fn find(&self, complete: &Complete<Self>, colors: Colors) -> Result<Exit, Vec<Diagnostic>> {
        let (mut trials, documents) = Trials::read(
            "require",
            &self.named,
            self.scenario.requiring(),
            &complete.overrides,
            &|source| source,
            colors,
        )?;
        let mut required = require::find(&documents.list, |granted: &[Manifest]| {
            let (evaluator, fixtures) = trials.start(&documents, &granted_file(granted))?;
            Ok::<_, Vec<Diagnostic>>((evaluator.assuming_namespaces(false), fixtures))
        })?;
        if !trials.scenario.ignore_unknown_kinds {
            required.explain_unevaluated();
        }
        if !required.is_least {
            let message =
                "what each document needs depends on others: the output may be too little or too much";
            trials.said.say(&Diagnostic::warning(Code::RequireUnproved, message));
        }
        trials.end(required.requests, &required.unevaluated, !required.lacking.is_empty());
        let mut console = Console::new(colors);
        self.print(&required, &mut console);
        Ok(trials.exit(&console, required.refused.is_empty() && required.lacking.is_empty()))
    }

    fn print(&self, required: &Requirements, console: &mut Console) {
        let mut text = String::new();
        let (write, escapes): (fn(&mut String, &Requirements), _) = match self.output {
            Format::Yaml => (require::write_yaml, Escapes::Text),
            Format::Text => (require::write_text, Escapes::Text),
            Format::Json => (require::write_json, Escapes::Json),
            Format::Markdown => (require::write_markdown, Escapes::Text),
        };
        write(&mut text, required);
        console.write(&text, escapes);
    }
}

/// Returns the file that a user would make of `manifests`: they are read as they are printed.
fn granted_file(manifests: &[Manifest]) -> Vec<Arc<SourceFile>> {
    let mut text = String::new();
    for manifest in manifests {
        text.push_str("---\n");
        // What Go refuses to write is valid YAML nevertheless.
        let _ = kube_yaml::write_yaml(&manifest.value, &mut text);
    }
    if manifests.is_empty() { Vec::new() } else { vec![SourceFile::new("required.yaml", text)] }
}
