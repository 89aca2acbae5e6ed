//! Reports of outcomes: one file per format.

#[cfg(feature = "report")]
pub mod acceptance;
#[cfg(feature = "report")]
mod admission_request;
#[cfg(feature = "report")]
mod admission_review;
#[cfg(feature = "report")]
mod advice;
#[cfg(feature = "report")]
mod blame;
#[cfg(feature = "report")]
mod change;
#[cfg(feature = "report")]
pub mod comparison;
#[cfg(feature = "report")]
pub mod cost;
#[cfg(feature = "report")]
pub mod coverage;
#[cfg(feature = "report")]
pub mod drift;
#[cfg(feature = "report")]
pub mod editor;
#[cfg(feature = "report")]
mod edits;
#[cfg(feature = "report")]
mod finding;
mod fixtures;
#[cfg(feature = "report")]
mod fold;
#[cfg(feature = "report")]
mod github;
#[cfg(feature = "report")]
mod gitlab;
#[cfg(feature = "report")]
mod html;
mod items;
mod json;
#[cfg(feature = "report")]
mod junit;
#[cfg(feature = "cli")]
pub(crate) mod krm;
#[cfg(feature = "report")]
pub mod levels;
#[cfg(feature = "report")]
mod markdown;
#[cfg(feature = "report")]
mod only;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(feature = "report")]
mod policy_report;
#[cfg(feature = "report")]
mod printable;
#[cfg(feature = "report")]
mod records;
#[cfg(feature = "report")]
mod refused;
#[cfg(feature = "report")]
mod repository;
#[cfg(feature = "report")]
mod routine;
#[cfg(feature = "report")]
mod sarif;
mod secret;
#[cfg(feature = "report")]
mod stored;
#[cfg(feature = "report")]
mod subject;
#[cfg(feature = "report")]
mod suites;
mod summary;
#[cfg(feature = "report")]
mod tap;
#[cfg(feature = "report")]
mod text;
#[cfg(feature = "report")]
mod unknown_field;
mod yaml;

use std::io;
use std::sync::Arc;

use crate::configuration::ConfigurationError;
use crate::evaluation::{GENERATED, Outcome, Unevaluated, UnknownKind};
use gotext::source::{SourceFile, Span};

pub use crate::code::{Code, Severity};
#[cfg(feature = "cli")]
pub(crate) use acceptance::SKIP_ANNOTATION;
#[cfg(feature = "report")]
pub use admission_request::AdmissionRequests;
#[cfg(feature = "report")]
pub use admission_review::AdmissionReview;
#[cfg(feature = "report")]
pub(crate) use blame::origin::{Because, Blame, Origin};
#[cfg(feature = "report")]
pub use blame::{BlameReport, BlamedLine, BlamedOn};
#[cfg(feature = "report")]
pub(crate) use blame::{blame_of, blamed_lines, label, last_object};
pub use fixtures::Fixtures;
#[cfg(feature = "report")]
pub use github::GitHub;
#[cfg(feature = "report")]
pub use gitlab::GitLab;
#[cfg(feature = "report")]
pub use html::Html;
#[cfg(feature = "cli")]
pub(crate) use json::quota_line;
pub use json::{Json, JsonLines};
#[cfg(feature = "report")]
pub use junit::JUnit;
#[cfg(feature = "report")]
pub(crate) use junit::{attribute, escape};
#[cfg(feature = "report")]
pub use markdown::Markdown;
#[cfg(feature = "report")]
pub use only::{Only, OnlyWord, OutcomeFilter};
#[cfg(feature = "parquet")]
pub use parquet::Parquet;
#[cfg(feature = "report")]
pub use policy_report::{PolicyReport, PolicyReportApi};
#[cfg(feature = "report")]
pub(crate) use printable::printable;
#[cfg(feature = "report")]
pub use printable::{Escapes, Printable};
#[cfg(feature = "report")]
pub use refused::Refused;
#[cfg(feature = "report")]
pub use repository::RepositoryPaths;
#[cfg(feature = "report")]
pub use sarif::Sarif;
pub use secret::mask_secrets;
#[cfg(feature = "report")]
pub(crate) use secret::{Quoted, masked, without_secrets};
#[cfg(feature = "report")]
pub(crate) use secret::{shown, shown_text};
#[cfg(feature = "report")]
pub use stored::{StoredKey, StoredLine, StoredReport, StoredResult, stored_outcome};
#[cfg(feature = "report")]
pub(crate) use subject::Subject;
#[cfg(feature = "report")]
pub(crate) use suites::{
    NOT_AS_EXPECTED, write_github_of_suites, write_markdown_of_suites, write_sarif_of_suites,
};
#[cfg(feature = "cli")]
pub(crate) use summary::Counts;
pub use summary::Summary;
#[cfg(feature = "report")]
pub use tap::Tap;
#[cfg(any(all(test, feature = "report"), feature = "miette"))]
pub use text::{Frames, ReportedError};
#[cfg(feature = "report")]
pub use text::{Text, TextStyle, UNLIMITED, Verbosity, write_diagnostic, write_explanation};
pub use yaml::Yaml;

#[cfg(feature = "report")]
pub(crate) use change::difference;
#[cfg(feature = "report")]
pub(crate) use fold::fold;
#[cfg(feature = "report")]
pub(crate) use printable::counted;
#[cfg(feature = "report")]
pub(crate) use text::write_labelled;

/// An error, warning or note about the input itself.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Diagnostic {
    /// Its severity.
    pub severity: Severity,
    /// The code, which is stable across releases.
    pub code: Code,
    /// The message.
    pub message: String,
    /// Advice on how to fix it.
    pub help: Option<String>,
    /// The file, if there is one.
    pub file: Option<String>,
    /// The place in the file, if its text could be read.
    pub source: Option<(Arc<SourceFile>, Span)>,
    /// The line of the file, if only that is known; counted from 1.
    pub file_line: Option<usize>,
    /// The first column and the one after the last in that line, counted from 1 in characters, if there is no source.
    pub file_columns: Option<(usize, usize)>,
    /// The parts of the source that fix it, each with the text that replaces it.
    pub edits: Vec<(Span, String)>,
}

/// Writes the outcomes of a run as they come, so that memory does not grow with them. Nothing is masked: whoever calls
/// it does so before, as `Evaluation::write_to` does.
pub trait Report: Send + Sync {
    /// Begins the report, before the first outcome. `plugins` is the enabled chain, in order.
    fn begin(&mut self, _plugins: &[&'static str]) -> io::Result<()> {
        Ok(())
    }
    /// Renders consecutive outcomes for the report. Nothing is written yet: other outcomes may be rendered at the same
    /// time.
    fn render(&self, outcomes: &[Outcome]) -> io::Result<Vec<u8>>;
    /// Writes the results of [`render`](Self::render), in the order of evaluation.
    fn write(&mut self, rendered: &[u8]) -> io::Result<()>;
    /// Returns an error in the input.
    fn diagnostic(&mut self, _diagnostic: &Diagnostic) -> io::Result<()> {
        Ok(())
    }
    /// Ends the report, after the last outcome.
    fn end(&mut self, summary: &Summary) -> io::Result<()>;
}

impl Diagnostic {
    /// Returns an error in the input.
    pub fn input(code: Code, message: impl Into<String>) -> Self {
        let message = message.into();
        Self {
            severity: Severity::Error,
            code,
            message,
            help: None,
            file: None,
            source: None,
            file_line: None,
            file_columns: None,
            edits: Vec::new(),
        }
    }

    /// Returns a warning about something without the effect that the user expects.
    pub fn warning(code: Code, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::input(code, message) }
    }

    /// Returns a note that the user should know.
    pub fn note(code: Code, message: impl Into<String>) -> Self {
        Self { severity: Severity::Note, ..Self::input(code, message) }
    }

    /// Returns the parts of a request that a server silently ignores.
    #[doc(hidden)]
    pub fn remark(remark: &ConfigurationError) -> Self {
        let message = match &remark.help {
            Some(help) => format!("{}; {help}", remark.message),
            None => remark.message.clone(),
        };
        Self { severity: Severity::Note, message, help: None, ..Self::from(remark) }
    }

    /// Adds advice on how to fix it.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Returns the line in the file, counted from 1.
    pub fn line(&self) -> Option<usize> {
        let place = self.source.as_ref().map(|(source, span)| source.line_column(span.start).0);
        place.or(self.file_line)
    }

    /// Adds the place.
    #[must_use]
    pub fn at(mut self, source: Arc<SourceFile>, span: Span) -> Self {
        self.file = Some(source.name().to_owned());
        self.source = Some((source, span));
        self
    }
}

impl From<&kube_yaml::Error> for Diagnostic {
    fn from(error: &kube_yaml::Error) -> Self {
        let diagnostic =
            Self { help: error.help(), ..Self::input(code_of_manifest(error), error.to_string()) };
        match error.place() {
            Some(place) => diagnostic.at(place.source.clone(), place.span),
            None => Self { file: Some(error.file().to_owned()), file_line: error.line(), ..diagnostic },
        }
    }
}

/// Returns the code of an error about the text of a file.
fn code_of_manifest(error: &kube_yaml::Error) -> Code {
    match error {
        kube_yaml::Error::Yaml { .. } => Code::ManifestYaml,
        kube_yaml::Error::Json { .. } => Code::ManifestJson,
        kube_yaml::Error::Separator { .. } => Code::ManifestSeparator,
        kube_yaml::Error::TooDeep { .. } => Code::ManifestDepth,
        kube_yaml::Error::Unreadable { .. } => Code::ManifestUnreadable,
        kube_yaml::Error::NotUtf8 { .. } => Code::ManifestUtf8,
    }
}

impl From<&ConfigurationError> for Diagnostic {
    fn from(error: &ConfigurationError) -> Self {
        let diagnostic = Self::input(Code::Configuration, error.to_string());
        let (file, source) = (error.file.clone(), error.place.clone());
        Self { help: error.help.clone(), file, source, ..diagnostic }
    }
}

impl From<Unevaluated> for Diagnostic {
    fn from(error: Unevaluated) -> Self {
        Self::from(&error)
    }
}

impl From<&Unevaluated> for Diagnostic {
    fn from(error: &Unevaluated) -> Self {
        match error {
            Unevaluated::UnknownKind(error) => error.into(),
            Unevaluated::Unsent { message, place } => {
                let mut diagnostic = Self::input(Code::KubectlRefused, message.clone());
                let is_generated = message.ends_with(GENERATED);
                diagnostic.help = is_generated
                    .then(|| "kubectl create generates the name: --apply create evaluates that".to_owned());
                match place {
                    Some(place) => diagnostic.at(place.source().clone(), place.span),
                    None => diagnostic,
                }
            }
        }
    }
}

impl From<&UnknownKind> for Diagnostic {
    fn from(error: &UnknownKind) -> Self {
        let diagnostic = if error.is_measured() {
            Self::note(Code::RequestUnknownKind, format!("{error}: it is measured, and only read"))
        } else {
            Self::input(Code::RequestUnknownKind, error.to_string()).help(error.help())
        };
        let Some(place) = &error.place else { return diagnostic };
        let diagnostic = diagnostic.at(place.source().clone(), place.span);
        // Without reports, nothing shows how a manifest is mended.
        #[cfg(feature = "report")]
        if let Some(edits) = error.successor.as_ref().and_then(|new| edits::to_successor(place, new)) {
            return Self { edits, ..diagnostic };
        }
        diagnostic
    }
}
