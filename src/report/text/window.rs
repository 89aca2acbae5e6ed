//! The part of a file that a frame shows.

use miette::{MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};

use crate::evaluation::Written;
use crate::report::printable::{printable, printable_in_place};
use crate::source::Span;

/// Lines of a file, treated like the whole file: the cost of a frame does not depend on the length of the file.
#[derive(Debug)]
pub(super) struct Window {
    file: String,
    text: String,
    /// Where in the file the text starts.
    start: usize,
    /// The number of lines before it.
    line: usize,
}

impl Window {
    /// Returns the part of the file of `written` around `span`.
    pub(super) fn of(written: &Written<'_>, span: Span) -> Self {
        let source = written.place().source();
        let shown = source.lines_around(span);
        let (line, _) = source.line_column(shown.start);
        Self {
            file: printable(source.name()).into_owned(),
            text: printable_in_place(written.shown(shown)),
            start: shown.start,
            line: line - 1,
        }
    }

    /// Returns the whole of a file called `file`.
    pub(super) fn whole(file: &str, text: String) -> Self {
        let (file, text) = (printable(file).into_owned(), printable_in_place(text));
        Self { file, text, start: 0, line: 0 }
    }
}

impl SourceCode for Window {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        lines_before: usize,
        lines_after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let offset = span.offset().checked_sub(self.start).ok_or(MietteError::OutOfBounds)?;
        let shown = self.text.read_span(&(offset, span.len()).into(), lines_before, lines_after)?;
        let place = (shown.span().offset() + self.start, shown.span().len()).into();
        Ok(Box::new(MietteSpanContents::new_named(
            self.file.clone(),
            shown.data(),
            place,
            shown.line() + self.line,
            shown.column(),
            shown.line_count(),
        )))
    }
}
