//! Two runs of which the outcomes are compared: what `kadmit diff` and `kadmit compare` share.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::{self, BufWriter, Write, stderr, stdout};

use clap::ValueEnum;

use crate::api::version::Version;
use crate::cli::Exit;
use crate::cli::color::Colors;
use crate::cli::console::error_width;
use crate::cli::overrides::Overrides;
use crate::cli::scenario::Scenario;
use crate::cli::session::Session;
use crate::configuration::{ConfigurationError, Flags};
use crate::report::acceptance::{Acceptor, Date};
use crate::report::comparison::{Compared, Comparison, Side, Varied};
use crate::report::{Diagnostic, Printable, Severity, write_diagnostic};

/// The form of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For people
    Text,
    /// One JSON document
    Json,
    /// Comment on a pull request
    Markdown,
}

/// One of the two runs to be.
pub(super) struct Planned {
    pub(super) paths: Vec<String>,
    pub(super) server: Result<Flags, ConfigurationError>,
    /// Objects that exist besides those of `--cluster`.
    pub(super) cluster: Vec<String>,
}

/// The files of a side, as its part of a name that both may have.
struct Root<'a>(&'a [String]);

/// Evaluates both, prints with `write` what is different, and says how it ended.
pub(super) fn execute(
    scenario: &Scenario,
    [before, after]: [Planned; 2],
    varied: Varied,
    show_secrets: bool,
    colors: Colors,
    write: impl FnOnce(&mut dyn Write, &Compared) -> io::Result<()>,
) -> Exit {
    let result = compare(scenario, [before, after], varied, show_secrets, colors).and_then(|compared| {
        let errors = compared.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
        let exit = match (errors, compared.has_newly_denied()) {
            (true, _) => Exit::Input,
            (false, true) => Exit::Denied,
            (false, false) => Exit::Admitted,
        };
        let out = BufWriter::with_capacity(1 << 16, stdout().lock());
        match write(&mut Printable::new(out, true), &compared) {
            // The reader of the pipe has seen enough.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(exit),
            result => result.map(|()| exit),
        }
    });
    result.unwrap_or_else(|error| {
        let message = format!("cannot write the report: {error}");
        say(&Diagnostic::input("kadmit::output", message), colors);
        Exit::Input
    })
}

fn compare(
    scenario: &Scenario,
    [before, after]: [Planned; 2],
    varied: Varied,
    show_secrets: bool,
    colors: Colors,
) -> io::Result<Compared> {
    // What the settings and a baseline of `kadmit run` say does not count; of annotations the date does not matter.
    let acceptor = || Acceptor::new(Vec::new(), Date::of_unix_time(0), None);
    // What is masked cannot be compared: that is done with the differences.
    let session = || {
        let session = Session::new(error_width(), colors, scenario.ignore_unknown_kinds, acceptor());
        session.silent().showing_secrets(true)
    };
    let overrides = Overrides::default();
    let (mut first, mut second) = (session(), session());
    let set_up = |planned: &Planned, session: &mut Session| {
        let flags = planned.server.as_ref().map_err(Clone::clone);
        // What exists was made before.
        let dumped = before.server.as_ref().ok();
        let scenario = scenario.over(&planned.paths).with_cluster(&planned.cluster);
        match flags.and_then(|flags| scenario.set_up_server(flags, dumped.unwrap_or(flags), session)) {
            Ok((evaluator, _)) => Some(evaluator),
            Err(error) => {
                session.say(&Diagnostic::from(&error));
                None
            }
        }
    };
    let mut comparison = Comparison::new(varied, show_secrets);
    let mut plugins = [Vec::new(), Vec::new()];
    // Both servers must start before it is worth the time to ask one of them.
    let servers = (set_up(&before, &mut first), set_up(&after, &mut second));
    let release = |planned: &Planned| planned.server.as_ref().map_or(Version::BINARY, Flags::release);
    let releases = (release(&before), release(&after));
    // What one release knows and the other does not is to be told, and what neither knows is no difference.
    let lenient = (releases.0 != releases.1).then(|| scenario.warning_of_fields());
    let scenario = lenient.as_ref().unwrap_or(scenario);
    let servers = match servers {
        (Some(old), Some(new)) if releases.0 != releases.1 => {
            (Some(old.compared_with(releases.1)), Some(new.compared_with(releases.0)))
        }
        servers => servers,
    };
    let have_started = servers.0.is_some() && servers.1.is_some();
    if let (Some(mut old), Some(mut new)) = servers {
        plugins = [old.plugins(), new.plugins()];
        scenario.evaluate(&before.paths, &overrides, &mut old, &mut first, |outcomes| {
            comparison.take_before(&outcomes);
            Ok(())
        })?;
        drop(old);
        let fixtures = second.fixtures.clone();
        scenario.evaluate(&after.paths, &overrides, &mut new, &mut second, |outcomes| {
            comparison.take_after(&outcomes, &fixtures);
            Ok(())
        })?;
    }
    let mut diagnostics = merged(
        (&first.diagnostics, &Root(&before.paths)),
        (&second.diagnostics, &Root(&after.paths)),
        varied,
    );
    if !have_started {
        // Nobody can tell what else would have been said.
        diagnostics.retain(|diagnostic| diagnostic.severity == Severity::Error);
    }
    if first.summary.requests + second.summary.requests + first.summary.errors + second.summary.errors == 0 {
        let message = "nothing was evaluated: there is no document in the input";
        diagnostics.push(Diagnostic::input("kadmit::input::empty", message));
    }
    for diagnostic in &diagnostics {
        say(diagnostic, colors);
    }
    let [old, new] = plugins;
    let before = Side { plugins: old, summary: first.summary };
    let after = Side { plugins: new, summary: second.summary };
    Ok(comparison.finish(before, after, diagnostics))
}

fn say(diagnostic: &Diagnostic, colors: Colors) {
    // Standard error may be closed; there is nowhere left to say so.
    let _ = colors.for_standard_error(|| {
        write_diagnostic(&mut Printable::new(stderr().lock(), true), diagnostic, error_width())
    });
}

/// What is said of both sides, once, and then what is said of one alone.
fn merged(
    (before, old): (&[Diagnostic], &Root<'_>),
    (after, new): (&[Diagnostic], &Root<'_>),
    varied: Varied,
) -> Vec<Diagnostic> {
    let mut left: BTreeMap<Told, VecDeque<usize>> = BTreeMap::new();
    for (position, diagnostic) in after.iter().enumerate() {
        left.entry(new.told(diagnostic, varied)).or_default().push_back(position);
    }
    let mut merged = Vec::new();
    let mut of_both = BTreeSet::new();
    for diagnostic in before {
        match left.get_mut(&old.told(diagnostic, varied)).and_then(VecDeque::pop_front) {
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

/// What makes two diagnostics the same: code, message, file and line.
type Told = (&'static str, String, String, Option<usize>);

impl Root<'_> {
    fn told(&self, diagnostic: &Diagnostic, varied: Varied) -> Told {
        let file = diagnostic.file.as_deref().unwrap_or_default();
        let name = match varied {
            Varied::Manifests => self.inner(file),
            Varied::Server => file,
        };
        let message =
            if file.is_empty() { diagnostic.message.clone() } else { diagnostic.message.replace(file, name) };
        (diagnostic.code, message, name.to_owned(), diagnostic.line())
    }

    /// `shop/pod.yaml` of `old/shop/pod.yaml`, if `old` is what the user named.
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
        Diagnostic { file, ..Diagnostic::input("kadmit::settings", message) }
    }

    fn messages(before: &[Diagnostic], after: &[Diagnostic], varied: Varied) -> Vec<String> {
        let [old, new] = [["old/".to_owned()], ["new".to_owned()]];
        let merged = merged((before, &Root(&old)), (after, &Root(&new)), varied);
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
            messages(&before, &after, Varied::Manifests),
            ["old/a.yaml: gone", "note", "note (only before)", "bad (only after)"]
        );
    }

    #[test]
    fn the_same_file_is_meant_where_the_server_differs() {
        let before = [diagnostic("a.yaml", "bad")];
        assert_eq!(messages(&before, &[diagnostic("a.yaml", "bad")], Varied::Server), ["bad"]);
        assert_eq!(
            messages(&before, &[diagnostic("b.yaml", "bad")], Varied::Server),
            ["bad (only before)", "bad (only after)"]
        );
    }
}
