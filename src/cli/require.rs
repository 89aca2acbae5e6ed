//! `kadmit require`

use std::sync::Arc;

use clap::{ArgMatches, Args, ValueEnum};

use crate::cli::Exit;
use crate::cli::color::Colors;
use crate::cli::console::Console;
use crate::cli::input::Named;
use crate::cli::scenario::Scenario;
use crate::cli::session::Session;
use crate::cli::settings::{self, Complete, SettingsFlags};
use crate::code::Code;
use crate::configuration::ConfigurationError;
use crate::evaluation::Evaluator;
use crate::report::acceptance::Acceptor;
use crate::report::{Diagnostic, Escapes, Fixtures};
use crate::require::{self, Manifest, Requirements};
use gotext::source::SourceFile;

/// Print what a cluster must have so that it admits manifests
///
/// The output is manifests to apply first: roles and bindings for the rights that the user of --as lacks, namespaces and
/// the strictest Pod Security level that each can keep, quotas and LimitRanges that give way, service accounts and
/// classes. Comments name the requests that are refused without them. Nothing can be left out: each is tried.
///
/// Exit status: 0 with it everything is admitted, 1 something is refused whatever the cluster has, 2 the input or
/// configuration is wrong or nothing was evaluated, 3 kadmit has a bug.
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
        match complete.and_then(|complete| complete.flags.find(&complete, colors)) {
            Ok(exit) => exit,
            Err(errors) => {
                let mut console = Console::new(colors);
                for error in &errors {
                    console.say(error);
                }
                Exit::Input
            }
        }
    }

    fn find(&self, complete: &Complete<Self>, colors: Colors) -> Result<Exit, Vec<Diagnostic>> {
        let (mut named, mut scenario) = (self.named.clone(), self.scenario.requiring());
        named.combine(&mut scenario).map_err(|error| vec![error])?;
        let today = settings::today()?;
        let session = || {
            let acceptor = Acceptor::new(Vec::new(), today, None);
            Session::new(colors, scenario.ignore_unknown_kinds, acceptor)
        };
        let mut said = session();
        let refused = |error: ConfigurationError| vec![Diagnostic::from(&error)];
        let profile = scenario.profile().map_err(refused)?;
        let documents = scenario.documents(&named.paths, &complete.overrides, &profile, &mut said);
        let mut is_first = true;
        let start = |granted: &[Manifest]| {
            let mut silent = session().silent();
            let told = if is_first { &mut said } else { &mut silent };
            is_first = false;
            let evaluator = scenario.set_up_repeatable(&granted_file(granted), told)?;
            let mut evaluator = evaluator.assuming_namespaces(false);
            documents.order(&scenario, &mut evaluator);
            let fixtures = told.fixtures.clone();
            Ok::<(Evaluator, Arc<Fixtures>), Vec<Diagnostic>>((evaluator, fixtures))
        };
        let required = require::find(&documents.list, start)?;
        for unevaluated in &required.unevaluated {
            said.say_unevaluated(unevaluated);
        }
        if !required.is_least {
            let message =
                "what each document needs depends on others: the output may be too little or too much";
            said.say(&Diagnostic::warning(Code::RequireUnproved, message));
        }
        said.summary.requests = required.requests;
        said.refuse_nothing(|| scenario.selection.help_for_nothing(&named.paths));
        said.end_errors();
        let mut console = Console::new(colors);
        self.print(&required, &mut console);
        let failed = if said.summary.errors > 0 { Exit::Input } else { console.exit() };
        let found = if required.refused.is_empty() { Exit::Admitted } else { Exit::Denied };
        Ok(failed.max(found))
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
