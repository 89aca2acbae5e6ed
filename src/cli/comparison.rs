//! Comparison of the outcomes of two runs, which `kadmit diff` and `kadmit compare` share.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::{self, Write};
use std::mem;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::cli::Exit;
use crate::cli::color::Colors;
use crate::cli::console::{file_width, say, write_error};
use crate::cli::output::{Output, OutputParser, Outputs, still_open};
use crate::cli::overrides::Overrides;
use crate::cli::repeated::Repeated;
use crate::cli::reporting;
use crate::cli::scenario::Scenario;
use crate::cli::session::Session;
use crate::cli::settings::{self, Complete, SettingsFlags};
use crate::cli::watch::Watched;
use crate::code::Code;
use crate::configuration::{ConfigurationError, Flags};
use crate::evaluation::Evaluator;
use crate::report::acceptance::{Acceptor, Baseline, Date, Skip};
use crate::report::comparison::{
    Compared, ComparedBy, Comparison, Event, Incomparable, Side, write_github, write_junit, write_sarif,
};
use crate::report::{Diagnostic, Escapes, OnlyWord, RepositoryPaths, Severity};
use kube_api::version::Version;

/// The form of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For people
    Text,
    /// One JSON document
    Json,
    /// Comment on a pull request
    Markdown,
    /// One page with totals and differences, to be opened in a browser
    Html,
    /// SARIF 2.1.0, for code scanning: what is newly denied or warned of
    Sarif,
    /// XML of JUnit, a test case for each difference
    #[value(name = "junit")]
    JUnit,
    /// Workflow commands of GitHub Actions: what is newly denied or warned of
    #[value(name = "github")]
    GitHub,
}

impl Format {
    fn escapes(self) -> Escapes {
        match self {
            Self::Text => Escapes::Colored,
            Self::Json | Self::Sarif => Escapes::Json,
            Self::JUnit => Escapes::Xml,
            Self::Markdown | Self::Html | Self::GitHub => Escapes::Text,
        }
    }
}

/// Which differences are reported, and what counts as a failure.
#[derive(Clone, Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(super) struct Comparing {
    /// Report in this format, to the file after a = or else to standard output (may be repeated) [default: text]
    ///
    /// A file replaces the last report only when it is complete.
    #[arg(short, long, value_name = "FORMAT[=FILE]", value_parser = OutputParser::<Format>::new())]
    output: Vec<Output<Format>>,

    /// Name files from the root of the repository, in which the working directory is PREFIX; for github and sarif
    #[arg(long, value_name = "PREFIX")]
    path_prefix: Option<String>,

    /// Report only this: denied, changed, warned, or the name of a plugin, a kind or a namespace (may be repeated)
    ///
    /// Words of one sort are alternatives, and words of different sorts must all match. A name that is both a plugin
    /// and a kind means the plugin; kind=NAME, plugin=NAME and namespace=NAME are explicit. The exit status still
    /// covers all differences.
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    only: Vec<OnlyWord>,

    /// Print only newly denied requests
    #[arg(short, long)]
    quiet: bool,

    /// Print the values of Secrets, which are masked otherwise
    #[arg(long)]
    show_secrets: bool,

    #[command(flatten)]
    pub(super) settings: SettingsFlags,

    /// Skip nothing, whatever manifests and settings request: whoever writes them cannot hide a refusal
    #[arg(long)]
    no_skips: bool,

    /// Do not fail for denials and warnings that are in this file
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,

    /// Fail also on this event; a newly denied request always fails (may be repeated)
    #[arg(long, value_name = "EVENT", value_delimiter = ',')]
    fail_on: Vec<FailOn>,

    /// Succeed despite newly denied requests, if the input is valid
    #[arg(long, conflicts_with = "fail_on")]
    exit_zero: bool,

    /// Compare again whenever one of the files changes, until interrupted
    #[arg(short, long)]
    pub(super) watch: bool,
}

/// An event that makes a comparison fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FailOn {
    /// A request is newly denied
    Denied,
    /// A warning is new
    Warning,
    /// A plugin changes an object that it did not change before, or changes it in another way
    Mutated,
    /// Anything is different
    Difference,
}

/// The context of both runs, besides the flags.
pub(super) struct Around {
    no_skips: bool,
    overrides: Overrides,
    skips: Vec<Skip>,
    baseline: Option<Baseline>,
    today: Date,
}

/// One of the two planned runs.
pub(super) struct Planned {
    pub(super) paths: Vec<String>,
    pub(super) server: Result<Flags, ConfigurationError>,
    /// Objects that exist besides those of `--cluster`.
    pub(super) cluster: Vec<String>,
}

/// Two runs to compare.
pub(super) struct Plan<'a> {
    pub(super) scenario: &'a Scenario,
    pub(super) before: Planned,
    pub(super) after: Planned,
    /// What differs between them.
    pub(super) compared_by: ComparedBy,
}

/// The root of a side's files, to relate file names of both sides.
struct Root<'a>(&'a [String]);

impl Comparing {
    /// Moves the settings other than flags out of `complete`, and reads the baseline that `comparing` names.
    pub(super) fn around<A>(
        complete: &mut Complete<A>,
        comparing: impl Fn(&A) -> &Self,
    ) -> Result<Around, Vec<Diagnostic>> {
        let baseline = reporting::read_baseline(comparing(&complete.flags).baseline.as_deref(), false)?;
        let (overrides, skips) = (mem::take(&mut complete.overrides), mem::take(&mut complete.skips));
        let no_skips = comparing(&complete.flags).no_skips;
        Ok(Around { no_skips, overrides, skips, baseline, today: settings::today()? })
    }

    /// Adds the files of these flags to `watched`.
    pub(super) fn watch_also(&self, watched: &mut Watched) {
        watched.reports.extend(self.output.iter().filter_map(|output| output.file.clone()));
        watched.paths.extend(self.baseline.iter().map(|file| file.display().to_string()));
    }

    fn exit(&self, compared: &Compared) -> Exit {
        let happened = |event: &FailOn| match event {
            FailOn::Denied => compared.has_newly_denied(),
            FailOn::Warning => compared.has(Event::NewlyWarned),
            FailOn::Mutated => compared.has(Event::NewlyMutated) || compared.has(Event::MutatedOtherwise),
            FailOn::Difference => !compared.differences.is_empty(),
        };
        let fails = compared.has_newly_denied() || self.fail_on.iter().any(happened);
        // What both sides refuse without looking at it hides nothing of the rest.
        let is_error = |diagnostic: &&Diagnostic| diagnostic.severity == Severity::Error;
        let (unknown, errors): (Vec<_>, Vec<_>) =
            compared.diagnostics.iter().filter(is_error).partition(|error| {
                matches!(error.code, Code::ComparisonIncomparable | Code::RequestUnknownKind)
            });
        let (errors, has_unknown) = (!errors.is_empty(), !unknown.is_empty());
        match (errors, fails && !self.exit_zero) {
            (true, _) => Exit::Input,
            (false, true) => Exit::Denied,
            (false, false) if has_unknown => Exit::Input,
            (false, false) => Exit::Admitted,
        }
    }
}

/// Evaluates both sides and reports the differences in all forms, the one for people with `write`. Returns the result,
/// and whether the output is still open.
pub(super) fn execute(
    plan: &Plan<'_>,
    comparing: &Comparing,
    around: &Around,
    colors: Colors,
    write: impl Fn(Format, &mut dyn Write, &Compared, usize) -> io::Result<()>,
) -> (Exit, bool) {
    let files = comparing.output.iter().filter_map(|output| output.file.as_ref());
    let paths: Vec<String> = plan.before.paths.iter().chain(&plan.after.paths).cloned().collect();
    let outputs = plan
        .scenario
        .check_outputs(&paths, files)
        .and_then(|()| Outputs::open(&comparing.output, Format::Text));
    let outputs = match outputs {
        Ok(outputs) => outputs,
        Err(error) => {
            say(&error, colors);
            return (Exit::Input, true);
        }
    };
    let mut exit = Exit::Input;
    let written = plan.compare(around, comparing.show_secrets, colors).and_then(|mut compared| {
        exit = comparing.exit(&compared);
        compared.after.summary.exit_status = exit.status();
        for diagnostic in compared.choose(&comparing.only.iter().cloned().collect(), comparing.quiet) {
            say(&diagnostic, colors);
        }
        let paths = comparing.path_prefix.as_deref().map(RepositoryPaths::below).unwrap_or_default();
        let write = |format, mut out: &mut dyn Write, columns: Option<usize>| match format {
            Format::Sarif => write_sarif(&mut out, &compared, &paths),
            Format::JUnit => write_junit(&mut out, &compared),
            Format::GitHub => write_github(&mut out, &compared, &paths),
            _ => write(format, out, &compared, columns.unwrap_or_else(file_width)),
        };
        outputs.write_whole(colors.everywhere, Format::escapes, write)
    });
    match still_open(written) {
        Ok(is_open) => (exit, is_open),
        Err(error) => {
            say(&error, colors);
            (Exit::Input, true)
        }
    }
}

impl Plan<'_> {
    fn compare(&self, around: &Around, shows_secrets: bool, colors: Colors) -> io::Result<Compared> {
        let Self { scenario, before, after, .. } = self;
        let acceptor = || {
            let acceptor = Acceptor::new(around.skips.clone(), around.today, around.baseline.clone());
            if around.no_skips { acceptor.without_skips() } else { acceptor }
        };
        // What is masked cannot be compared: the differences are masked.
        let session = || {
            let session = Session::new(colors, scenario.ignore_unknown_kinds, acceptor());
            session.silent().showing_secrets(true)
        };
        let (mut first, mut second) = (session(), session());
        // Both servers must start before evaluating on one of them is worth the time.
        let servers = (self.set_up(before, &mut first), self.set_up(after, &mut second));
        let release = |planned: &Planned| planned.server.as_ref().map_or(Version::DEFAULT, Flags::release);
        let (old_release, new_release) = (release(before), release(after));
        let is_upgrade = old_release != new_release;
        let compared_by = if is_upgrade { ComparedBy::Release } else { self.compared_by };
        let mut comparison = Comparison::new(compared_by, shows_secrets);
        let mut plugins = [Vec::new(), Vec::new()];
        let have_started = servers.0.is_some() && servers.1.is_some();
        if let (Some(mut old), Some(mut new)) = servers {
            if is_upgrade {
                old = old.compared_with(new_release);
                new = new.compared_with(old_release);
            }
            plugins = [old.plugins(), new.plugins()];
            let (side, overrides) = (self.of_side(before, is_upgrade), &around.overrides);
            side.evaluate(&before.paths, overrides, &mut old, &mut first, |outcomes| {
                comparison.take_before(&outcomes);
                Ok(())
            })?;
            first.end_run(&old);
            drop(old);
            let (side, fixtures) = (self.of_side(after, is_upgrade), second.fixtures.clone());
            side.evaluate(&after.paths, overrides, &mut new, &mut second, |outcomes| {
                comparison.take_after(&outcomes, &fixtures);
                Ok(())
            })?;
            second.end_run(&new);
        }
        let mut diagnostics = merged(
            (&first.diagnostics, &Root(&before.paths)),
            (&second.diagnostics, &Root(&after.paths)),
            compared_by,
        );
        if !have_started {
            // The other diagnostics are unknown.
            diagnostics.retain(|diagnostic| diagnostic.severity == Severity::Error);
        }
        let [old, new] = [&first.summary, &second.summary];
        if old.requests + new.requests + old.errors + new.errors == 0 {
            let message = "nothing was evaluated: there is no document in the input";
            diagnostics.push(Diagnostic::input(Code::InputEmpty, message));
        }
        diagnostics.extend(about_incomparable(comparison.incomparable()));
        let mut repeated = Repeated::default();
        for diagnostic in diagnostics.iter().filter(|diagnostic| !repeated.take(diagnostic)) {
            say(diagnostic, colors);
        }
        if !repeated.is_empty() {
            write_error(colors, |out, width| repeated.write(out, width));
        }
        let [old, new] = plugins;
        let before = Side { plugins: old, summary: first.summary };
        let after = Side { plugins: new, summary: second.summary };
        Ok(comparison.finish(before, after, diagnostics))
    }

    /// Starts the server of a side; errors are said in `session`.
    fn set_up(&self, planned: &Planned, session: &mut Session) -> Option<Evaluator> {
        let flags = planned.server.as_ref().map_err(Clone::clone);
        // The existing objects were created before.
        let dumped = self.before.server.as_ref().ok();
        let scenario = self.scenario.over(&planned.paths).with_cluster(&planned.cluster);
        let started = flags.and_then(|flags| scenario.set_up_server(flags, dumped.unwrap_or(flags), session));
        session.keep(started.map_err(|error| Diagnostic::from(&error)))
    }

    /// Returns what is evaluated on a side.
    fn of_side(&self, planned: &Planned, is_upgrade: bool) -> Scenario {
        let scenario = self.scenario.comparing();
        // A field that only one release knows is reported; one that neither knows is not a difference.
        let scenario = if is_upgrade { scenario.warning_of_fields() } else { scenario };
        // A change of existing objects affects the others. Without manifests, they are what is evaluated.
        let has_same_cluster = self.before.cluster.is_empty() && self.after.cluster.is_empty();
        let is_of_manifests = self.compared_by == ComparedBy::Manifests;
        if (has_same_cluster || is_of_manifests) && !planned.paths.is_empty() {
            scenario
        } else {
            scenario.with_existing_objects(&planned.cluster)
        }
    }
}

/// The number of requests that an error about them names.
const MAX_NAMED: usize = 10;

/// Returns errors about the requests that both servers refuse before reading the object, one for each of the server's
/// messages.
fn about_incomparable(requests: &[Incomparable]) -> Vec<Diagnostic> {
    let mut by_message: Vec<((&str, bool), Vec<&str>)> = Vec::new();
    for Incomparable { subject, message, exists } in requests {
        match by_message.iter_mut().find(|(known, _)| *known == (message, *exists)) {
            Some((_, subjects)) => subjects.push(subject),
            None => by_message.push(((message, *exists), vec![subject])),
        }
    }
    let error = |((message, exists), subjects): ((&str, bool), Vec<&str>)| {
        let more = subjects.len().saturating_sub(MAX_NAMED);
        let named = subjects[..subjects.len() - more].join(", ");
        let (more, it, them) = match (subjects.len(), more) {
            (1, _) => (String::new(), "it", "for it"),
            (_, 0) => (String::new(), "them", "for them"),
            (_, more) => (format!(" and {more} more"), "them", "for them"),
        };
        let message = format!(
            "both sides refuse {named}{more} before the chain sees {it}, so nothing is known of what changes {them}: \
             {message}"
        );
        let error = Diagnostic::input(Code::ComparisonIncomparable, message);
        if exists {
            error.help("--recreate evaluates objects that exist as if they were created anew")
        } else {
            error
        }
    };
    by_message.into_iter().map(error).collect()
}

/// Returns the diagnostics of both sides, once, and then those of one alone.
fn merged(
    (before, old): (&[Diagnostic], &Root<'_>),
    (after, new): (&[Diagnostic], &Root<'_>),
    compared_by: ComparedBy,
) -> Vec<Diagnostic> {
    let mut left: BTreeMap<Identity, VecDeque<usize>> = BTreeMap::new();
    for (position, diagnostic) in after.iter().enumerate() {
        left.entry(new.identity(diagnostic, compared_by)).or_default().push_back(position);
    }
    let mut merged = Vec::new();
    let mut of_both = BTreeSet::new();
    for diagnostic in before {
        match left.get_mut(&old.identity(diagnostic, compared_by)).and_then(VecDeque::pop_front) {
            Some(position) => {
                of_both.insert(position);
                merged.push(diagnostic.clone());
            }
            None => merged.push(of_one_side(diagnostic, "before")),
        }
    }
    let rest = after.iter().enumerate().filter(|(position, _)| !of_both.contains(position));
    merged.extend(rest.map(|(_, diagnostic)| of_one_side(diagnostic, "after")));
    merged
}

fn of_one_side(diagnostic: &Diagnostic, side: &str) -> Diagnostic {
    Diagnostic { message: format!("{} (only {side})", diagnostic.message), ..diagnostic.clone() }
}

/// The identity of a diagnostic: code, message, file and line.
type Identity = (Code, String, String, Option<usize>);

impl Root<'_> {
    fn identity(&self, diagnostic: &Diagnostic, compared_by: ComparedBy) -> Identity {
        let file = diagnostic.file.as_deref().unwrap_or_default();
        let name = match compared_by {
            ComparedBy::Manifests => self.inner(file),
            ComparedBy::Server | ComparedBy::Release => file,
        };
        let message =
            if file.is_empty() { diagnostic.message.clone() } else { diagnostic.message.replace(file, name) };
        (diagnostic.code, message, name.to_owned(), diagnostic.line())
    }

    /// Returns `shop/pod.yaml` for `old/shop/pod.yaml`, if the user named `old`.
    fn inner<'f>(&self, file: &'f str) -> &'f str {
        let inner = self.0.iter().find_map(|root| file.strip_prefix(root.trim_end_matches('/')));
        inner.unwrap_or(file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diagnostic(file: &str, message: &str) -> Diagnostic {
        let file = (!file.is_empty()).then(|| file.to_owned());
        Diagnostic { file, ..Diagnostic::input(Code::Settings, message) }
    }

    fn messages(before: &[Diagnostic], after: &[Diagnostic], compared_by: ComparedBy) -> Vec<String> {
        let [old, new] = [["old/".to_owned()], ["new".to_owned()]];
        let merged = merged((before, &Root(&old)), (after, &Root(&new)), compared_by);
        merged.into_iter().map(|diagnostic| diagnostic.message).collect()
    }

    #[test]
    fn what_both_sides_say_is_said_once() {
        let before =
            [diagnostic("old/a.yaml", "old/a.yaml: gone"), diagnostic("", "note"), diagnostic("", "note")];
        let after = [
            diagnostic("new/a.yaml", "new/a.yaml: gone"),
            diagnostic("", "note"),
            diagnostic("new/b", "bad"),
        ];
        assert_eq!(
            messages(&before, &after, ComparedBy::Manifests),
            ["old/a.yaml: gone", "note", "note (only before)", "bad (only after)"]
        );
    }

    #[test]
    fn the_same_file_is_meant_where_the_server_differs() {
        let before = [diagnostic("a.yaml", "bad")];
        assert_eq!(messages(&before, &[diagnostic("a.yaml", "bad")], ComparedBy::Server), ["bad"]);
        assert_eq!(
            messages(&before, &[diagnostic("b.yaml", "bad")], ComparedBy::Server),
            ["bad (only before)", "bad (only after)"]
        );
    }
}
