//! `kadmit drift`

use std::io::{self, Write};

use clap::{ArgMatches, Args, ValueEnum, ValueHint};

use crate::cli::Exit;
use crate::cli::color::Colors;
use crate::cli::console::{file_width, refuse, say};
use crate::cli::input::Named;
use crate::cli::output::{Output, OutputParser, Outputs, still_open};
use crate::cli::overrides::Overrides;
use crate::cli::scenario::Scenario;
use crate::cli::session::Session;
use crate::cli::settings::{self, Complete, SettingsFlags};
use crate::code::Code;
use crate::drift::{self, Comparison, DriftOptions};
use crate::report::acceptance::Acceptor;
use crate::report::drift::{
    Drift as Found, RuleFormat, write_blame, write_github, write_html, write_json, write_junit,
    write_markdown, write_rules, write_sarif, write_text,
};
use crate::report::{Diagnostic, Escapes, RepositoryPaths};
use kube_api::labels::{self, Selector};

/// Compare manifests with live objects: what applying would change, and what others changed
///
/// Every manifest is applied to the object that exists in --live, and created as if none did. Fields that differ from
/// both are listed with their managers, unless a default, a plugin, the server or a controller explains them. The live
/// objects of the same owner that no manifest has are listed too: those of the same application of Argo CD, release of
/// Helm or resource of Flux, or that --prune-selector selects; those that kubectl applied in the same namespace are
/// perhaps of another directory, and are no drift.
///
/// Flags about the cluster, the server and the user are read from kadmit.toml as `kadmit run` reads them.
///
/// Exit status: 0 done, with --expect-clean nothing differs, 1 with --expect-clean something does, 2 the input or
/// configuration is wrong or nothing was compared, 3 kadmit has a bug.
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Drift {
    #[command(flatten)]
    named: Named,

    /// Read the live objects from this file, directory or pattern (may be repeated)
    ///
    /// With `kubectl get -o yaml --show-managed-fields` they have the managers of their fields.
    #[arg(long, value_name = "DUMP", required = true, value_hint = ValueHint::AnyPath)]
    live: Vec<String>,

    /// Fail if something differs, is missing, extra or refused
    #[arg(long)]
    expect_clean: bool,

    /// Count the live objects with these labels among those of the manifests, as `kubectl apply --prune -l` does
    #[arg(short = 'l', long, value_name = "SELECTOR", value_parser = labels::parse)]
    prune_selector: Option<Selector>,

    /// Print the rules with which this tool ignores what the server, plugins and controllers change in fields of the
    /// manifests, instead of a report
    #[arg(long, value_name = "TOOL")]
    ignore_rules: Option<RuleFormat>,

    /// Report in this format, to the file after a = or else to standard output (may be repeated) [default: text]
    #[arg(short, long, value_name = "FORMAT[=FILE]", value_parser = OutputParser::<Format>::new(), conflicts_with = "ignore_rules")]
    output: Vec<Output<Format>>,

    /// Name files from the root of the repository, in which the working directory is DIR; for github and sarif
    #[arg(long, value_name = "DIR")]
    path_prefix: Option<String>,

    /// Print also the objects in sync, and what explains the other differences
    #[arg(short, long)]
    verbose: bool,

    #[command(flatten)]
    settings: SettingsFlags,

    #[command(flatten)]
    scenario: Scenario,
}

const EXAMPLES: &str = "\
Examples:
  kubectl get all,cm,sa,ing -n shop -o yaml --show-managed-fields > live.yaml
  kadmit drift --live live.yaml manifests
  kadmit drift --live live.yaml --expect-clean -o markdown manifests
  kadmit drift --live live.yaml --ignore-rules argocd manifests";

/// The form of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// One JSON document
    Json,
    /// Comment on a pull request
    Markdown,
    /// One page with every object, to be opened in a browser
    Html,
    /// SARIF 2.1.0, for code scanning: fields at their lines in the manifests
    Sarif,
    /// XML of JUnit, a test case for each object
    #[value(name = "junit")]
    JUnit,
    /// Workflow commands of GitHub Actions
    #[value(name = "github")]
    GitHub,
    /// The live objects, every line with its origin
    Blame,
}

impl Format {
    fn escapes(self) -> Escapes {
        match self {
            Self::Text | Self::Blame => Escapes::Colored,
            Self::Json | Self::Sarif => Escapes::Json,
            Self::JUnit => Escapes::Xml,
            Self::Markdown | Self::Html | Self::GitHub => Escapes::Text,
        }
    }
}

impl Drift {
    /// Compares, prints, and returns the result. `given` are the arguments of these flags.
    pub(super) fn execute(&self, given: &ArgMatches, colors: Colors) -> Exit {
        match self.complete(given) {
            Ok(Complete { flags, overrides, .. }) => flags.compare(&overrides, colors),
            Err(errors) => refuse(&errors, colors),
        }
    }

    fn complete(&self, given: &ArgMatches) -> Result<Complete<Self>, Vec<Diagnostic>> {
        let mut complete: Complete<Self> = self.settings.complete("drift", given)?;
        let Self { named, scenario, .. } = &mut complete.flags;
        named.combine(scenario).map_err(|error| vec![error])?;
        if scenario.deletes() {
            let message = "--apply delete leaves nothing that could be compared with live objects";
            return Err(vec![Diagnostic::input(Code::Settings, message).help("leave it out")]);
        }
        Ok(complete)
    }

    fn compare(&self, overrides: &Overrides, colors: Colors) -> Exit {
        let files = self.output.iter().filter_map(|output| output.file.as_ref());
        let checked = self.scenario.check_outputs(&self.named.paths, files);
        let outputs = checked.and_then(|()| Outputs::open(&self.output, Format::Text));
        let found = outputs.and_then(|outputs| Ok((outputs, self.find(overrides, colors)?)));
        let (outputs, found) = match found {
            Ok(found) => found,
            Err(error) => {
                say(&error, colors);
                return Exit::Input;
            }
        };
        let exit = self.exit(&found);
        match still_open(self.write(&found, outputs, colors)) {
            Ok(_) => exit,
            Err(error) => {
                say(&error, colors);
                Exit::Input
            }
        }
    }

    fn find(&self, overrides: &Overrides, colors: Colors) -> Result<Found, Diagnostic> {
        let scenario = self.scenario.over_live(&self.live);
        let today = settings::today().map_err(|mut errors| errors.remove(0))?;
        let acceptor = Acceptor::new(Vec::new(), today, None);
        let mut session = Session::new(colors, scenario.ignore_unknown_kinds, acceptor);
        let profile = scenario.profile().map_err(|error| Diagnostic::from(&error))?;
        let sources = scenario.sources(&self.named.paths, overrides);
        let is_encrypted = sources.iter().flatten().any(drift::is_encrypted);
        let read = |sources| scenario.prepared(sources, overrides, &profile);
        // Manifests are read while the live objects are, unless they are compared by what those have.
        let (early, late) = if is_encrypted { (Vec::new(), sources) } else { (sources, Vec::new()) };
        let mut documents = Vec::new();
        let set_up = rayon::in_place_scope(|scope| {
            scope.spawn(|_| documents = read(early));
            scenario.set_up(&mut session)
        });
        let (evaluator, _) = set_up.map_err(|error| Diagnostic::from(&error))?;
        let writes = |format| self.output.iter().any(|output| output.format == format);
        let options = DriftOptions {
            prune_selector: self.prune_selector.clone(),
            blames: writes(Format::Blame),
            is_brief: !self.verbose && !writes(Format::Json) && !writes(Format::Html),
        };
        let mut comparison = Comparison::new(evaluator, &session.fixtures, options);
        let decrypted = |source| comparison.decrypted(&source, scenario.namespace());
        documents.extend(read(late.into_iter().map(|source| source.map(decrypted)).collect()));
        let has_documents = !documents.is_empty();
        comparison.take_all(documents, |diagnostic, unknown| match unknown {
            Some(kind) => session.say_unknown_kind(diagnostic, kind),
            None => session.say(&diagnostic),
        });
        let found = comparison.finish();
        session.summary.requests = found.objects.len();
        if has_documents && found.objects.is_empty() && session.summary.errors == 0 {
            let message = "nothing was compared: all documents of the manifests were left out";
            session.say(&Diagnostic::input(Code::InputEmpty, message).help("the notes say why"));
        } else {
            session.refuse_nothing(|| scenario.selection.help_for_nothing(&self.named.paths));
        }
        session.end_errors();
        Ok(Found { diagnostics: session.diagnostics, fails: self.expect_clean, ..found })
    }

    fn exit(&self, found: &Found) -> Exit {
        if found.has_errors() {
            return Exit::Input;
        }
        if self.expect_clean && found.has_drift() { Exit::Denied } else { Exit::Admitted }
    }

    fn write(&self, found: &Found, outputs: Outputs<Format>, colors: Colors) -> io::Result<()> {
        let verbose = self.verbose;
        let rules = self.ignore_rules;
        let paths = self.path_prefix.as_deref().map(RepositoryPaths::below).unwrap_or_default();
        outputs.write_whole(colors.everywhere, Format::escapes, |format, mut out, columns| {
            let width = columns.unwrap_or_else(file_width);
            write(found, (format, rules), &mut out, (verbose, width), &paths)
        })
    }
}

fn write(
    found: &Found,
    (format, rules): (Format, Option<RuleFormat>),
    out: &mut impl Write,
    (verbose, width): (bool, usize),
    paths: &RepositoryPaths,
) -> io::Result<()> {
    if let Some(rules) = rules {
        return write_rules(out, found, rules);
    }
    match format {
        Format::Text => write_text(out, found, verbose, width),
        Format::Json => write_json(out, found),
        Format::Markdown => write_markdown(out, found),
        Format::Html => write_html(out, found),
        Format::Sarif => write_sarif(out, found, paths),
        Format::JUnit => write_junit(out, found),
        Format::GitHub => write_github(out, found, paths),
        Format::Blame => write_blame(out, found, width),
    }
}
