//! Places that outlive the text around them.

use std::sync::Arc;

use crate::evaluation::Place;
use crate::manifest::{Format, files};
use crate::source::{Origin, SourceFile, Span};

/// The place of an object that is not a field of another one. Its text is read again if its file can be read again, so
/// that a run over many files does not keep their text.
#[derive(Clone, Debug)]
pub(in crate::evaluation) struct RememberedPlace {
    file: File,
    format: Format,
    piece: Span,
    position: Option<usize>,
    is_review: bool,
    document: usize,
    span: Span,
}

#[derive(Clone, Debug)]
enum File {
    Origin(Arc<Origin>),
    Source(Arc<SourceFile>),
}

impl RememberedPlace {
    pub(in crate::evaluation) fn of(place: &Place) -> Self {
        let Place { source, format, piece, position, is_review, field: _, document, span } = place;
        let file = source.origin().cloned().map_or_else(|| File::Source(source.clone()), File::Origin);
        let (format, piece, position, is_review) = (*format, *piece, *position, *is_review);
        Self { file, format, piece, position, is_review, document: *document, span: *span }
    }

    /// Returns the place with the text around it; nothing if the file has another text now.
    pub(in crate::evaluation) fn place(&self) -> Option<Place> {
        let source = match &self.file {
            File::Origin(origin) => files::read_again(origin).ok()?,
            File::Source(source) => source.clone(),
        };
        let Self { file: _, format, piece, position, is_review, document, span } = *self;
        Some(Place { source, format, piece, position, is_review, field: None, document, span })
    }
}
