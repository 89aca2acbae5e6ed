//! Diagnostics and refusals as errors of `miette`, so that a Rust program prints them with the handler that it has; and the
//! frames of this program as such a handler.

use std::fmt;

use miette::{
    LabeledSpan, MietteError, MietteSpanContents, ReportHandler, SourceCode, SourceSpan, SpanContents,
};

use super::frame::{self, AROUND};
use super::headline::UNLIMITED;
use super::snippet::{Mark, Snippet};
use crate::evaluation::Outcome;
use crate::report::advice::advice;
use crate::report::printable::{printable, printable_in_place};
use crate::report::{Diagnostic, Fixtures, Severity};

/// An error about the input, or a refusal, with the lines of the file that it is about. Secrets are masked.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct ReportedError {
    message: String,
    code: String,
    severity: Severity,
    help: Option<String>,
    snippet: Option<Snippet>,
}

impl From<&Diagnostic> for ReportedError {
    fn from(diagnostic: &Diagnostic) -> Self {
        let snippet = frame::of_diagnostic(diagnostic);
        let message = if snippet.is_some() {
            printable(&diagnostic.message).into_owned()
        } else {
            printable(&frame::with_place(diagnostic)).into_owned()
        };
        let code = diagnostic.code.name().to_owned();
        Self { message, code, severity: diagnostic.severity, help: diagnostic.help.clone(), snippet }
    }
}

impl ReportedError {
    /// Returns the refusal of `outcome`, if it was refused. The code is the plugin, or the server's reason.
    pub fn of_refusal(outcome: &Outcome) -> Option<Self> {
        let refusal = outcome.refusal.as_ref()?;
        let plugin = outcome.denied_by();
        let help = advice(outcome, refusal, &Fixtures::default()).join("\n");
        Some(Self {
            message: printable(&refusal.status.message).into_owned(),
            code: plugin.unwrap_or(&refusal.status.reason).to_owned(),
            severity: Severity::Error,
            help: Some(help).filter(|help| !help.is_empty()),
            snippet: frame::of_refusal(outcome, refusal, plugin, UNLIMITED),
        })
    }
}

impl miette::Diagnostic for ReportedError {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(&self.code))
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.severity {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
            Severity::Note => miette::Severity::Advice,
        })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.snippet.as_ref().map(|snippet| snippet as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let marks = &self.snippet.as_ref()?.marks;
        Some(Box::new(marks.iter().map(|mark| {
            let label = Some(mark.labels.join("\n")).filter(|label| !label.is_empty());
            LabeledSpan::new(label, mark.start, mark.end - mark.start)
        })))
    }
}

impl SourceCode for Snippet {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        lines_before: usize,
        lines_after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let contents = self.text.read_span(span, lines_before, lines_after)?;
        let line = contents.line() + self.first_line - 1;
        Ok(Box::new(MietteSpanContents::new_named(
            self.file.clone(),
            contents.data(),
            *contents.span(),
            line,
            contents.column(),
            contents.line_count(),
        )))
    }
}

/// Prints errors as kadmit does.
#[derive(Clone, Copy, Debug)]
pub struct Frames {
    width: usize,
}

impl Frames {
    /// Returns a handler that keeps to `width` columns.
    pub fn new(width: usize) -> Self {
        Self { width }
    }
}

impl ReportHandler for Frames {
    fn debug(&self, error: &dyn miette::Diagnostic, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (message, help) = (error.to_string(), error.help().map(|help| help.to_string()));
        let mut out = Vec::new();
        let drawn = frame::draw(&mut out, &message, help.as_deref(), snippet(error).as_ref(), self.width);
        drawn.map_err(|_| fmt::Error)?;
        formatter.write_str(&String::from_utf8_lossy(&out))
    }
}

/// Returns the lines that the labels of `error` are in.
fn snippet(error: &dyn miette::Diagnostic) -> Option<Snippet> {
    let labels: Vec<LabeledSpan> = error.labels()?.collect();
    let start = labels.iter().map(LabeledSpan::offset).min()?;
    let end = labels.iter().map(|label| label.offset() + label.len()).max()?;
    let contents = error.source_code()?.read_span(&(start..end).into(), AROUND, AROUND).ok()?;
    let text = std::str::from_utf8(contents.data()).ok()?;
    let first = contents.span().offset();
    let mark = |label: &LabeledSpan| {
        let start = label.offset() - first;
        let lines = label.label().map(|text| printable(text).split('\n').map(str::to_owned).collect());
        Mark { start, end: start + label.len(), labels: lines.unwrap_or_default() }
    };
    Some(Snippet {
        file: printable(contents.name().unwrap_or_default()).into_owned(),
        text: printable_in_place(text.to_owned()),
        first_line: contents.line() + 1,
        marks: labels.iter().map(mark).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Code;
    use gotext::source::{SourceFile, Span};
    use miette::Diagnostic as _;

    struct Shown<'a>(&'a ReportedError);

    impl fmt::Debug for Shown<'_> {
        fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            Frames::new(80).debug(self.0, formatter)
        }
    }

    #[test]
    fn the_handler_draws_what_the_program_prints() {
        let text = "kind: Pod\nmetadata:\n  name: wéb\n\tspec: {}\nstatus: {}\n";
        let source = SourceFile::new("pod.yaml", text);
        let start = text.find("\tspec").unwrap();
        let diagnostic = Diagnostic::input(Code::ManifestYaml, "found a tab")
            .help("indent with spaces")
            .at(source, Span::new(start..start + 5));
        let mut printed = Vec::new();
        frame::write_diagnostic(&mut printed, &diagnostic, 80).unwrap();
        let printed = String::from_utf8(printed).unwrap();
        assert!(printed.contains("pod.yaml:4:1"), "{printed}");
        let error = ReportedError::from(&diagnostic);
        assert_eq!(format!("{:?}", Shown(&error)), printed);
        assert_eq!(error.code().unwrap().to_string(), Code::ManifestYaml.name());
    }

    #[test]
    fn a_diagnostic_without_a_text_names_its_file() {
        let diagnostic = Diagnostic::input(Code::ManifestUnreadable, "is a directory");
        let diagnostic = Diagnostic { file: Some("pods".to_owned()), ..diagnostic };
        let error = ReportedError::from(&diagnostic);
        assert_eq!(error.to_string(), "pods: is a directory");
        assert!(error.source_code().is_none());
    }
}
