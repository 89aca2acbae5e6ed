//! `-o FORMAT[=FILE]`: reports, several of one run, each to standard output or a file.
//!
//! A file is written under a temporary name next to its own and renamed when the report is complete, so that an aborted
//! run leaves the last report in place. A pipe, or anything else that is not a regular file, is written directly.

mod pending;

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::marker::PhantomData;
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anstream::StripStream;
use clap::builder::{EnumValueParser, PossibleValue, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, Command, ValueEnum};
use rayon::prelude::*;

use crate::cli::console::{file_width, width};
use crate::cli::progress::StandardOutput;
use crate::code::Code;
use crate::evaluation::Outcome;
use crate::report::{
    AdmissionRequests, AdmissionReview, BlameReport, Diagnostic, Escapes, Fixtures, GitHub, GitLab, Html,
    JUnit, Json, JsonLines, Markdown, Only, OutcomeFilter, PolicyReport, PolicyReportApi, Printable, Report,
    RepositoryPaths, Sarif, Summary, Tap, Text, TextStyle, Yaml,
};
use kube_api::version::Version;

pub(super) use pending::replace;

use pending::Pending;

/// The form of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// Headlines, diffs and code frames for people
    Text,
    /// One JSON document
    Json,
    /// One JSON document per line for each request
    Jsonl,
    /// The admitted objects as the cluster would store them
    Yaml,
    /// The admitted objects, every line with its origin
    Blame,
    /// Columns for engines that query them, a row for each request and finding (feature `parquet`)
    Parquet,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// XML of JUnit, a test case for each request
    #[value(name = "junit")]
    JUnit,
    /// Workflow commands of GitHub Actions
    #[value(name = "github")]
    GitHub,
    /// Code Quality report of GitLab
    #[value(name = "gitlab")]
    GitLab,
    /// Test Anything Protocol 14, one test point per request
    Tap,
    /// Comment on a pull request
    Markdown,
    /// One page with totals, findings and changes, to be opened in a browser
    Html,
    /// Report and ClusterReport of openreports.io/v1alpha1, one report for each namespace
    #[value(name = "policyreport")]
    PolicyReport,
    /// PolicyReport and ClusterPolicyReport of wgpolicyk8s.io/v1alpha2, likewise
    #[value(name = "policyreport-v1alpha2")]
    PolicyReportV1Alpha2,
    /// AdmissionReview that each webhook gets or would get, one per line; `=DIR/` writes a file for each
    #[value(name = "admissionrequest")]
    AdmissionRequest,
    /// AdmissionReview with the response to each request, one per line
    #[value(name = "admissionreview")]
    AdmissionReview,
}

/// A report that the user requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Output<F = Format> {
    pub(super) format: F,
    /// The file; standard output if unset.
    pub(super) file: Option<PathBuf>,
}

impl Output {
    /// Checks that this program can write the format, and that a terminal gets text.
    ///
    /// # Errors
    ///
    /// Fails for columns on a terminal, and in a program that was built without them.
    pub(super) fn check(&self) -> Result<(), Diagnostic> {
        let message = match self.format {
            Format::Parquet if cfg!(not(feature = "parquet")) => {
                let message = "this program cannot write Parquet: it was built without the feature `parquet`";
                let help = "build it with the feature, `cargo install --path . --features parquet`, or use `-o jsonl`";
                return Err(Diagnostic::input(Code::Output, message).help(help));
            }
            Format::Parquet if self.file.is_none() && io::stdout().is_terminal() => "Parquet is not text",
            _ => return Ok(()),
        };
        Err(Diagnostic::input(Code::Output, message).help("give it a file: `-o parquet=FILE`"))
    }
}

/// Reads `FORMAT[=FILE]`.
#[derive(Clone)]
pub(super) struct OutputParser<F = Format>(PhantomData<F>);

impl<F> OutputParser<F> {
    pub(super) fn new() -> Self {
        Self(PhantomData)
    }
}

impl<F: ValueEnum + Clone + Send + Sync + 'static> TypedValueParser for OutputParser<F> {
    type Value = Output<F>;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<Output<F>, clap::Error> {
        let Some(text) = value.to_str() else {
            return Err(clap::Error::new(ErrorKind::InvalidUtf8).with_cmd(command));
        };
        let (name, file) = match text.split_once('=') {
            Some((name, file)) => (name, Some(file)),
            None => (text, None),
        };
        let format = EnumValueParser::<F>::new().parse_ref(command, arg, OsStr::new(name))?;
        if file == Some("") {
            let message = format!("`{text}` names no file after the `=`\n");
            return Err(clap::Error::raw(ErrorKind::InvalidValue, message).with_cmd(command));
        }
        Ok(Output { format, file: file.map(PathBuf::from) })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(F::value_variants().iter().filter_map(ValueEnum::to_possible_value)))
    }
}

/// The places of all reports of a run, open and not yet written.
pub(super) struct Outputs<F = Format> {
    opened: Vec<Opened<F>>,
    /// The directories for a file of each request to a webhook.
    directories: Vec<(PathBuf, AdmissionRequests<io::Sink>)>,
}

struct Opened<F> {
    format: F,
    target: Target,
}

/// The destination of a report.
enum Target {
    StandardOutput,
    File { file: File, name: PathBuf, pending: Option<Pending> },
}

/// Settings for all reports of a run.
pub(super) struct Context {
    /// The release of the server, if there is but one.
    pub(super) release: Option<Version>,
    pub(super) fixtures: Arc<Fixtures>,
    pub(super) style: TextStyle,
    /// Whether colours were requested for every output.
    pub(super) colored: bool,
    /// Whether values of Secrets are shown.
    pub(super) show_secrets: bool,
    /// The outcomes that are shown.
    pub(super) only: Only,
    /// How services that relate findings to files name these.
    pub(super) paths: RepositoryPaths,
    /// What heads a page, if not the default.
    pub(super) title: Option<String>,
}

impl<F: Copy> Outputs<F> {
    /// Opens the destinations of `outputs`; `text` on standard output if there are none.
    pub(super) fn open(outputs: &[Output<F>], text: F) -> Result<Self, Diagnostic> {
        let text = [Output { format: text, file: None }];
        let outputs = if outputs.is_empty() { &text[..] } else { outputs };
        if outputs.iter().filter(|output| output.file.is_none()).count() > 1 {
            let error = Diagnostic::input(Code::Output, "two reports cannot share standard output");
            return Err(error.help("give one of them a file: `-o FORMAT=FILE`"));
        }
        let mut places: Vec<PathBuf> = Vec::new();
        for file in outputs.iter().filter_map(|output| output.file.as_deref()) {
            let place = place_of(file);
            if places.contains(&place) {
                let message = format!("two reports cannot share the file {}", file.display());
                return Err(Diagnostic::input(Code::Output, message));
            }
            places.push(place);
        }
        let open = |output: &Output<F>| {
            Target::open(output.file.as_deref()).map(|target| Opened { format: output.format, target })
        };
        Ok(Self { opened: outputs.iter().map(open).collect::<Result<_, _>>()?, directories: Vec::new() })
    }

    /// Writes every report with `write` as a whole. `write` gets the number of columns if the destination is a
    /// terminal; in files only text is coloured, and only on request. `escapes` are those of a format.
    pub(super) fn write_whole(
        self,
        colored: bool,
        escapes: impl Fn(F) -> Escapes,
        write: impl Fn(F, &mut dyn Write, Option<usize>) -> io::Result<()>,
    ) -> io::Result<()> {
        for Opened { format, target } in self.opened {
            let columns = matches!(target, Target::StandardOutput).then(width);
            let (mut out, name, pending) = target.writer(!colored);
            let mut out = Printable::new(&mut out, escapes(format));
            write(format, &mut out, columns).map_err(|error| named(error, name.as_deref()))?;
            out.flush().map_err(|error| named(error, name.as_deref()))?;
            drop(out);
            pending.map_or(Ok(()), Pending::keep).map_err(|error| named(error, name.as_deref()))?;
        }
        Ok(())
    }
}

impl Outputs {
    /// Adds directories for a file of each request to a webhook, with the values of Secrets or without.
    ///
    /// # Errors
    ///
    /// Fails if a directory cannot be created.
    pub(super) fn with_directories(
        mut self,
        directories: Vec<PathBuf>,
        shows_secrets: bool,
    ) -> Result<Self, Diagnostic> {
        for directory in directories {
            let report =
                AdmissionRequests::in_directory(directory.clone(), shows_secrets).map_err(|error| {
                    Diagnostic::input(Code::Output, format!("cannot create {}: {error}", directory.display()))
                })?;
            self.directories.push((directory, report));
        }
        Ok(self)
    }

    /// Returns the reports, with the settings in `context`.
    pub(super) fn reports(self, context: &Context) -> Reports {
        let mut reports: Vec<Written> =
            self.opened.into_iter().map(|opened| Written::new(opened, context)).collect();
        for (directory, report) in self.directories {
            reports.push(Written { report: Some(Box::new(report)), name: Some(directory), pending: None });
        }
        Reports { reports, filter: OutcomeFilter::new(context.only.clone()) }
    }
}

impl Target {
    fn open(file: Option<&Path>) -> Result<Self, Diagnostic> {
        let Some(name) = file else { return Ok(Self::StandardOutput) };
        let error = |error: io::Error| {
            let message = format!("cannot write {}: {error}", name.display());
            Diagnostic { file: Some(name.display().to_string()), ..Diagnostic::input(Code::Output, message) }
        };
        let name = name.to_owned();
        // `/dev/stderr` may lead to a file, that other programs write to as well.
        let is_file = fs::metadata(&name).map_or(true, |metadata| metadata.is_file());
        if !is_file || name.starts_with("/dev") || name.starts_with("/proc") {
            let file = File::options().append(true).open(&name).map_err(error)?;
            return Ok(Self::File { file, name, pending: None });
        }
        let (file, pending) = Pending::create(&name).map_err(error)?;
        Ok(Self::File { file, name, pending: Some(pending) })
    }

    /// Returns a writer to the destination, and the name of a file. `is_plain` removes colours from files.
    fn writer(self, is_plain: bool) -> (impl Write + Send + Sync + use<>, Option<PathBuf>, Option<Pending>) {
        let (out, name, pending): (Box<dyn Write + Send + Sync>, _, _) = match self {
            Self::StandardOutput => (Box::new(StandardOutput), None, None),
            Self::File { file, name, pending } if is_plain => {
                (Box::new(StripStream::new(file)), Some(name), pending)
            }
            Self::File { file, name, pending } => (Box::new(file), Some(name), pending),
        };
        (BufWriter::with_capacity(1 << 16, out), name, pending)
    }
}

/// Returns the place of a file, which is the same for different names of it, as far as that can be decided before it
/// exists.
fn place_of(file: &Path) -> PathBuf {
    if let Ok(place) = fs::canonicalize(file) {
        return place;
    }
    let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match (fs::canonicalize(parent), file.file_name()) {
        (Ok(parent), Some(name)) => parent.join(name),
        _ => file.to_owned(),
    }
}

/// The reports of a run.
pub(super) struct Reports {
    reports: Vec<Written>,
    filter: OutcomeFilter,
}

/// A report and where it is written.
struct Written {
    /// Nothing if the reader of standard output has closed it and other reports continue.
    report: Option<Box<dyn Report>>,
    name: Option<PathBuf>,
    pending: Option<Pending>,
}

/// The number of outcomes that are rendered into one text.
const RENDERED: usize = 8;

/// The rendering of consecutive outcomes by every report.
pub(super) type Rendered = Vec<io::Result<Vec<u8>>>;

impl Reports {
    pub(super) fn begin(&mut self, plugins: &[&'static str]) -> io::Result<()> {
        self.each(|report, _| report.begin(plugins))
    }

    /// Writes the outcomes of consecutive requests; parts of them are rendered in parallel.
    pub(super) fn take(&mut self, outcomes: Vec<Outcome>) -> io::Result<()> {
        let outcomes = self.filter.choose(outcomes);
        let rendered: Vec<_> = outcomes.par_chunks(RENDERED).map(|part| self.render(part)).collect();
        rendered.into_iter().try_for_each(|rendered| self.write(rendered))
    }

    pub(super) fn render(&self, outcomes: &[Outcome]) -> Rendered {
        let render = |written: &Written| match &written.report {
            Some(report) => report.render(outcomes),
            None => Ok(Vec::new()),
        };
        self.reports.iter().map(render).collect()
    }

    /// Writes the results of [`render`](Self::render), in the order of evaluation.
    pub(super) fn write(&mut self, mut rendered: Rendered) -> io::Result<()> {
        self.each(|report, position| report.write(&mem::replace(&mut rendered[position], Ok(Vec::new()))?))
    }

    /// Returns the filter of the outcomes.
    pub(super) fn filter(&self) -> &OutcomeFilter {
        &self.filter
    }

    /// Adds the diagnostics about the input, ends the reports and renames their files.
    pub(super) fn end(mut self, diagnostics: &[Diagnostic], summary: &Summary) -> io::Result<()> {
        self.each(|report, _| {
            diagnostics.iter().try_for_each(|diagnostic| report.diagnostic(diagnostic))?;
            report.end(summary)
        })?;
        for Written { report, name, pending } in self.reports {
            // An open file cannot be renamed on every system.
            drop(report);
            pending.map_or(Ok(()), Pending::keep).map_err(|error| named(error, name.as_deref()))?;
        }
        Ok(())
    }

    fn each(&mut self, mut work: impl FnMut(&mut dyn Report, usize) -> io::Result<()>) -> io::Result<()> {
        let is_alone = self.reports.len() == 1;
        for (position, written) in self.reports.iter_mut().enumerate() {
            let Some(report) = &mut written.report else { continue };
            match work(report.as_mut(), position) {
                Err(error)
                    if error.kind() == io::ErrorKind::BrokenPipe && written.name.is_none() && !is_alone =>
                {
                    written.report = None;
                }
                result => result.map_err(|error| named(error, written.name.as_deref()))?,
            }
        }
        Ok(())
    }
}

/// Returns whether the output is still open after the reports were `written`: a reader may close a pipe early.
///
/// # Errors
///
/// Returns the error about a report that cannot be written.
pub(super) fn still_open(written: io::Result<()>) -> Result<bool, Diagnostic> {
    match written {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Diagnostic::input(Code::Output, format!("cannot write the report: {error}"))),
    }
}

/// Returns `error` with the name of the file in which it happened.
fn named(error: io::Error, name: Option<&Path>) -> io::Error {
    match name {
        Some(name) => io::Error::other(format!("{}: {error}", name.display())),
        None => error,
    }
}

impl Written {
    fn new(Opened { format, target }: Opened<Format>, context: &Context) -> Self {
        let style = match target {
            Target::StandardOutput => context.style,
            // The width of a terminal does not apply to a file, nor do colours that were not requested.
            Target::File { .. } => TextStyle { width: file_width(), ..context.style },
        };
        let has_colors = matches!(format, Format::Text | Format::Blame);
        let (out, name, pending) = target.writer(has_colors && !context.colored);
        Self { report: Some(report(format, out, style, context)), name, pending }
    }
}

fn report(
    format: Format,
    out: impl Write + Send + Sync + 'static,
    style: TextStyle,
    context: &Context,
) -> Box<dyn Report> {
    let fixtures = context.fixtures.clone();
    let shown = |out| {
        let is_colored = matches!(format, Format::Text | Format::Blame);
        Printable::new(out, if is_colored { Escapes::Colored } else { Escapes::Text })
    };
    let json = |out| Printable::new(out, Escapes::Json);
    match format {
        Format::Text => Box::new(Text::new(shown(out), style, fixtures)),
        Format::Json => Box::new(Json::about(json(out), context.release, fixtures)),
        Format::Jsonl => Box::new(
            JsonLines::new(json(out), context.release, fixtures).showing_secrets(context.show_secrets),
        ),
        // What writes YAML escapes control characters.
        Format::Yaml => Box::new(Yaml::new(out)),
        Format::Blame => Box::new(BlameReport::new(shown(out), style.width)),
        Format::AdmissionRequest => Box::new(AdmissionRequests::new(json(out), context.show_secrets)),
        Format::AdmissionReview => Box::new(AdmissionReview::new(json(out), context.show_secrets)),
        Format::JUnit => Box::new(JUnit::new(Printable::new(out, Escapes::Xml), fixtures)),
        Format::Markdown => Box::new(Markdown::new(shown(out), fixtures, style.diff)),
        Format::Html => {
            let page = Html::new(shown(out), context.release, fixtures, style.diff);
            Box::new(page.titled(context.title.clone()))
        }
        #[cfg(feature = "parquet")]
        Format::Parquet => Box::new(crate::report::Parquet::new(out, context.release, fixtures)),
        #[cfg(not(feature = "parquet"))]
        Format::Parquet => unreachable!("refused by `Output::check`"),
        Format::PolicyReport => Box::new(PolicyReport::new(out, PolicyReportApi::OpenReports, fixtures)),
        Format::PolicyReportV1Alpha2 => {
            Box::new(PolicyReport::new(out, PolicyReportApi::PolicyWorkingGroup, fixtures))
        }
        Format::Sarif => Box::new(Sarif::new(json(out), fixtures).naming(context.paths.clone())),
        Format::Tap => Box::new(Tap::new(shown(out), fixtures)),
        Format::GitHub => Box::new(GitHub::new(shown(out), fixtures).naming(context.paths.clone())),
        Format::GitLab => Box::new(GitLab::new(json(out), fixtures).naming(context.paths.clone())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_need_the_feature() {
        let output = Output { format: Format::Parquet, file: Some("results.parquet".into()) };
        assert_eq!(output.check().is_ok(), cfg!(feature = "parquet"));
    }
}
