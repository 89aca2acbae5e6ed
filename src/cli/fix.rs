//! `kadmit fix`

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use clap::{ArgMatches, Args, ValueEnum};

use crate::cli::Exit;
use crate::cli::color::Colors;
use crate::cli::console::{Console, refuse};
use crate::cli::input::{Input, Named};
use crate::cli::output::replace;
use crate::cli::scenario::Scenario;
use crate::cli::settings::{Complete, SettingsFlags};
use crate::cli::trials::Trials;
use crate::code::Code;
use crate::evaluation::Outcome;
use crate::fix::{self, Consent, FixedFile, Fixes};
use crate::report::acceptance::Acceptor;
use crate::report::{Diagnostic, Escapes};
use gotext::source::SourceFile;

/// Print or make the smallest edits after which manifests are admitted
///
/// Comments and order are kept, and each edit is proved: the edited text is evaluated again. A document that is refused
/// nevertheless keeps its text, and it is printed why. What kustomize or Helm renders is not edited: what is printed is
/// what to change in the rendered text.
///
/// Exit status: 0 everything is admitted with the edits, 1 something is left, 2 the input or configuration is wrong or
/// nothing was evaluated, 3 kadmit has a bug.
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(super) struct Fix {
    #[command(flatten)]
    named: Named,

    /// Write the edits to the files
    #[arg(long, conflicts_with = "diff")]
    write: bool,

    /// Print the edits as a diff, which is the default
    #[arg(long)]
    diff: bool,

    /// Make edits that remove what was written, such as a host port or a privilege
    #[arg(long)]
    allow_removals: bool,

    /// Make edits whose value is one of many, such as a limit or a name
    #[arg(long)]
    allow_values: bool,

    /// Succeed even if nothing is evaluated
    #[arg(long)]
    allow_empty: bool,

    /// Print in this format
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    output: Format,

    #[command(flatten)]
    settings: SettingsFlags,

    #[command(flatten)]
    scenario: Scenario,
}

const EXAMPLES: &str = "\
Examples:
  kadmit fix manifests --cluster namespaces.yaml
  kadmit fix manifests --cluster namespaces.yaml --write --allow-removals
  kustomize build . | kadmit fix -";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// The diff on standard output, the rest on standard error
    Text,
    /// One JSON document
    Json,
}

impl Fix {
    /// Finds the edits, prints or makes them, and returns the result. `given` are the arguments of these flags.
    pub(super) fn execute(&self, given: &ArgMatches, colors: Colors) -> Exit {
        let complete = self.settings.complete::<Self>("fix", given);
        let exit = complete.and_then(|complete| complete.flags.fix(&complete, colors));
        exit.unwrap_or_else(|errors| refuse(&errors, colors))
    }

    fn fix(&self, complete: &Complete<Self>, colors: Colors) -> Result<Exit, Vec<Diagnostic>> {
        let consent = Consent { removals: self.allow_removals, values: self.allow_values };
        let repeated = Mutex::new(Vec::new());
        let rewrite = |source: Arc<SourceFile>| {
            let Some((edited, keys)) = kube_yaml::without_repeated_keys(&source, consent.values) else {
                return source;
            };
            let kept = (source, edited.clone(), keys);
            repeated.lock().unwrap_or_else(PoisonError::into_inner).push(kept);
            edited
        };
        let (mut trials, documents) =
            Trials::read("fix", &self.named, self.scenario.clone(), &complete.overrides, &rewrite, colors)?;
        let (scenario, profile) = (trials.scenario.clone(), trials.profile.clone());
        let read = |source: Arc<SourceFile>| {
            let read = scenario.read_file(Ok(Input::Text(source)), &complete.overrides, &profile);
            read.into_iter().map(|(_, request)| request).collect()
        };
        let mut acceptor = Acceptor::new(complete.skips.clone(), trials.today, None);
        // What is wrong with skips is what `kadmit run` reports.
        let mut accept = |outcome: &mut Outcome| drop(acceptor.judge(outcome));
        let start = || Ok::<_, Vec<Diagnostic>>(trials.start(&documents, &[])?.0);
        let mut fixes = fix::find(&documents.list, consent, &read, &mut accept, start)?;
        for (source, edited, keys) in repeated.into_inner().unwrap_or_else(PoisonError::into_inner) {
            fixes.add_repeated(source, &edited, keys);
        }
        trials.end(fixes.documents, &fixes.unevaluated, self.allow_empty);
        if self.write {
            fixes.files.iter().filter_map(|file| write(file).err()).for_each(|error| trials.said.say(&error));
        }
        let mut console = Console::new(colors);
        self.print(&fixes, &mut console);
        Ok(trials.exit(&console, fixes.left.is_empty()))
    }

    fn print(&self, fixes: &Fixes, console: &mut Console) {
        let mut text = String::new();
        if self.output == Format::Json {
            fix::write_json(&mut text, fixes);
            console.write(&text, Escapes::Json);
            return;
        }
        if !self.write {
            fix::write_diff(&mut text, fixes);
            console.write(&text, Escapes::Patch);
        }
        let mut summary = String::new();
        fix::write_summary(&mut summary, fixes);
        console.write_error(&summary);
    }
}

/// Writes the edits of a file, unless it has changed since it was read.
fn write(FixedFile { source, text }: &FixedFile) -> Result<(), Diagnostic> {
    let name = source.name();
    let refuse = |message: String, help: &str| Diagnostic::input(Code::FixWrite, message).help(help);
    let Some(origin) = source.origin() else {
        let message = format!("{name} is not a file, so that its edits cannot be written");
        return Err(refuse(message, "leave --write out, and change what renders it"));
    };
    let path: &Path = origin.path();
    if path.is_symlink() {
        let message = format!("{name} is a link, and its target is not among the named files");
        return Err(refuse(message, "name the target of the link"));
    }
    let now = kube_yaml::files::read_file(path).map_err(|error| Diagnostic::from(&error))?;
    if now.text() != source.text() {
        let message = format!("{name} has changed since it was read");
        return Err(refuse(message, "fix it again"));
    }
    replace(path, text)
        .map_err(|error| refuse(format!("cannot write {name}: {error}"), "check its permissions"))
}
