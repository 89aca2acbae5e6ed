//! The flags of every subcommand that reports outcomes: which ones, in which formats, and which of them are failures.

use std::io;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use crate::cli::Exit;
use crate::cli::console::{file_width, width};
use crate::cli::output::{self, Context, Format, Output, OutputParser, Reports};
use crate::cli::session::Session;
use crate::code::Code;
use crate::report::acceptance::Baseline;
use crate::report::{Diagnostic, Only, OnlyWord, RepositoryPaths, TextStyle, Verbosity};
use kube_api::version::Version;
use kube_yaml::files;

/// Which outcomes are reported, and what counts as a failure.
#[derive(Clone, Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(super) struct Reporting {
    /// Report in this format, to the file after a = or else to standard output (may be repeated) [default: text]
    ///
    /// With files alone, standard output stays empty and only errors in the input are printed. A file replaces the last
    /// report only when it is complete.
    #[arg(short, long, value_name = "FORMAT[=FILE]", value_parser = OutputParser::<Format>::new())]
    pub(super) output: Vec<Output>,

    /// Name files from the root of the repository, in which the working directory is PREFIX; for github, gitlab and sarif
    #[arg(long, value_name = "PREFIX")]
    pub(super) path_prefix: Option<String>,

    /// Head the page of -o html with this, such as the repository, the day and the command
    ///
    /// Without it, a report depends on its input alone.
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,

    /// Report only this: denied, changed, warned, or the name of a plugin, a kind or a namespace (may be repeated)
    ///
    /// Words of one sort are alternatives, and words of different sorts must all match: a plugin's denials and warnings in
    /// the namespace shop are `--only denied,warned,PodSecurity,shop`. A name that is both a plugin and a kind means the
    /// plugin; kind=NAME, plugin=NAME and namespace=NAME are explicit. The summary and the exit status still cover the
    /// whole run.
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    only: Vec<OnlyWord>,

    /// Print only denied requests
    #[arg(short, long, conflicts_with = "verbose")]
    quiet: bool,

    /// Print also plugins that did nothing, or had no effect because the object is denied
    #[arg(short, long)]
    pub(super) verbose: bool,

    /// Do not print changes line by line
    #[arg(long)]
    no_diff: bool,

    /// Print all changes line by line, including routine ones and repetitions
    #[arg(long, conflicts_with = "no_diff")]
    all_diffs: bool,

    /// Print the values of Secrets, which are masked otherwise
    #[arg(long)]
    pub(super) show_secrets: bool,

    /// Skip nothing, whatever manifests and settings request: whoever writes them cannot hide a refusal
    #[arg(long)]
    pub(super) no_skips: bool,

    /// Do not fail for denials and warnings that are in this file
    #[arg(long, value_name = "FILE")]
    pub(super) baseline: Option<PathBuf>,

    /// Write denials and warnings into the file of --baseline, and do not fail for them
    #[arg(long)]
    pub(super) update_baseline: bool,

    /// Succeed when there is nothing to evaluate
    #[arg(long)]
    pub(super) allow_empty: bool,

    /// Fail also on this event; a denied request always fails (may be repeated)
    #[arg(long, value_name = "EVENT", value_delimiter = ',')]
    fail_on: Vec<Event>,

    /// Succeed despite denied requests, if the input is valid
    #[arg(long, conflicts_with = "fail_on")]
    exit_zero: bool,
}

/// An event that makes a run fail.
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

impl Reporting {
    /// Checks what only the command line and the settings together can lack.
    pub(super) fn check(&self) -> Result<(), Diagnostic> {
        if self.update_baseline && self.baseline.is_none() {
            let message = "--update-baseline needs the name of a file";
            return Err(Diagnostic::input(Code::Baseline, message).help("name it: `--baseline FILE`"));
        }
        self.output.iter().try_for_each(Output::check)
    }

    /// Returns how files are named for services that relate findings to the files of a repository.
    fn repository_paths(&self) -> RepositoryPaths {
        self.path_prefix.as_deref().map(RepositoryPaths::below).unwrap_or_default()
    }

    fn only(&self) -> Only {
        self.only.iter().cloned().collect()
    }

    fn style(&self) -> TextStyle {
        TextStyle {
            verbosity: match (self.quiet, self.verbose) {
                (true, _) => Verbosity::Quiet,
                (_, true) => Verbosity::Verbose,
                _ => Verbosity::Normal,
            },
            diff: !self.no_diff,
            all_diffs: self.all_diffs,
            warnings_fail: self.fail_on.contains(&Event::Warning),
            width: width(),
        }
    }

    /// Returns what the renderings of reports depend on.
    pub(super) fn kept_by(&self) -> impl std::fmt::Debug {
        let to_file = |output: &Output| output.file.is_some();
        let outputs: Vec<_> = self.output.iter().map(|output| (output.format, to_file(output))).collect();
        (outputs, self.style(), file_width(), self.path_prefix.clone(), self.no_skips)
    }

    /// Returns the flags that make reports depend on more than the results that they render, and whether they are given.
    pub(super) fn uncached(&self) -> [(&'static str, bool); 4] {
        let has_page = self.output.iter().any(|output| output.format == Format::Html);
        [
            ("-o html", has_page),
            ("--only", !self.only.is_empty()),
            ("--show-secrets", self.show_secrets),
            ("--update-baseline", self.update_baseline),
        ]
    }

    /// Reads the baseline, if there is one.
    pub(super) fn read_baseline(&self) -> Result<Option<Baseline>, Vec<Diagnostic>> {
        read_baseline(self.baseline.as_deref(), self.update_baseline)
    }

    /// Writes the baseline, or reports which of its entries are gone. With errors in the input, or with files left out,
    /// the missing ones are unknown.
    pub(super) fn end_baseline(&self, is_partial: bool, session: &mut Session) {
        let (Some(file), Some(baseline)) = (&self.baseline, session.acceptor.baseline()) else { return };
        let (found, added, gone) = (baseline.found(), baseline.added(), baseline.resolved());
        let name = file.display();
        let findings = |count| if count == 1 { "1 finding".to_owned() } else { format!("{count} findings") };
        let has_errors = session.summary.errors > 0;
        let diagnostic = match (self.update_baseline, has_errors) {
            (true, true) => {
                let message = format!("{name} is not written, since the input has errors");
                Diagnostic::warning(Code::Baseline, message)
            }
            (true, false) => match baseline
                .to_text()
                .map_err(io::Error::from)
                .and_then(|text| output::replace(file, &text))
            {
                Ok(()) => {
                    let message = format!("wrote {name}: {}, {added} new, {gone} gone", findings(found));
                    Diagnostic::note(Code::BaselineWritten, message)
                }
                Err(error) => Diagnostic::input(Code::Baseline, format!("cannot write {name}: {error}")),
            },
            (false, false) if gone > 0 && !is_partial => {
                let are = if gone == 1 { "is" } else { "are" };
                let message = format!(
                    "{} of the baseline {are} gone; run --update-baseline to record that in {name}",
                    findings(gone)
                );
                Diagnostic::note(Code::BaselineGone, message)
            }
            (false, _) => return,
        };
        session.say(&diagnostic);
    }

    /// Notes that objects which are made to be used by other tools are masked.
    pub(super) fn note_masked(&self, session: &mut Session) {
        let are_used = |output: &Output| {
            matches!(output.format, Format::Yaml | Format::AdmissionReview | Format::AdmissionRequest)
        };
        if session.has_masked() && self.output.iter().any(are_used) {
            let message = "values of Secrets are masked; --show-secrets prints them";
            session.say(&Diagnostic::note(Code::SecretMasked, message));
        }
    }

    /// Returns what the reports of `session` are about; `release` is the server's.
    pub(super) fn context(&self, release: Option<Version>, session: &Session) -> Context {
        Context {
            release,
            fixtures: session.fixtures.clone(),
            style: self.style(),
            colored: session.colors.everywhere,
            show_secrets: self.show_secrets,
            only: self.only(),
            paths: self.repository_paths(),
            title: self.title.clone(),
        }
    }

    /// Ends the reports with all that was said and counted.
    pub(super) fn end(&self, reports: Reports, session: &mut Session) -> io::Result<()> {
        self.note_failure(session);
        session.end_errors();
        session.summary.shown = reports.filter().shown();
        session.summary.exit_status = self.exit(session).status();
        reports.end(&session.diagnostics, &session.summary)
    }

    /// Notes why the run fails, if that is only what --fail-on names.
    fn note_failure(&self, session: &mut Session) {
        let summary = &session.summary;
        if self.exit_zero || summary.fails() || summary.errors > 0 {
            return;
        }
        let counted = |count: usize, one: &str, more: &str| match count {
            1 => format!("1 {one}"),
            count => format!("{count} {more}"),
        };
        let failures = self.fail_on.iter().filter_map(|event| match event {
            Event::Warning if summary.warns() => {
                let count = summary.warnings - summary.accepted_warnings;
                Some(format!("--fail-on warning: {}", counted(count, "warning", "warnings")))
            }
            Event::Mutated if summary.mutated > 0 => {
                let count = counted(summary.mutated, "object is changed", "objects are changed");
                Some(format!("--fail-on mutated: {count}"))
            }
            Event::Assumed if !summary.notes.is_empty() || session.has_assumed => {
                Some("--fail-on assumed: see the notes".to_owned())
            }
            _ => None,
        });
        let failures: Vec<String> = failures.collect();
        if !failures.is_empty() {
            let message = format!("the run fails by {}", failures.join(", "));
            session.say(&Diagnostic::note(Code::FailOn, message));
        }
    }

    /// Returns how the run of `session` ended.
    pub(super) fn exit(&self, session: &Session) -> Exit {
        let summary = &session.summary;
        let happened = |event: &Event| match event {
            Event::Denied => summary.fails(),
            Event::Warning => summary.warns(),
            Event::Mutated => summary.mutated > 0,
            Event::Assumed => !summary.notes.is_empty() || session.has_assumed,
        };
        let failed = !self.exit_zero && (summary.fails() || self.fail_on.iter().any(happened));
        match (summary.errors, failed) {
            (0, false) => Exit::Admitted,
            (0, true) => Exit::Denied,
            _ => Exit::Input,
        }
    }
}

/// Reads the baseline in `file`, which may be missing if it `is_updated`.
pub(super) fn read_baseline(
    file: Option<&Path>,
    is_updated: bool,
) -> Result<Option<Baseline>, Vec<Diagnostic>> {
    let Some(file) = file else { return Ok(None) };
    if is_updated && !file.exists() {
        return Ok(Some(Baseline::default().updated()));
    }
    let source = files::read_file(file).map_err(|error| {
        let diagnostic = Diagnostic::from(&error);
        let help = "write it with `kadmit run --update-baseline`";
        vec![if file.exists() { diagnostic } else { diagnostic.help(help) }]
    })?;
    let baseline = Baseline::read(source.text()).map_err(|error| {
        let name = source.name().to_owned();
        let text = error.to_string();
        let (what, _) = text.rsplit_once(" at line ").unwrap_or((&text, ""));
        let message = format!("{name}:{}: this is not a baseline: {what}", error.line());
        let diagnostic = Diagnostic::input(Code::Baseline, message);
        let diagnostic = diagnostic.help("remove the file, and write it anew with --update-baseline");
        vec![Diagnostic { file: Some(name), file_line: Some(error.line()), ..diagnostic }]
    })?;
    Ok(Some(if is_updated { baseline.updated() } else { baseline }))
}
