//! Places that outlive the text around them.

use std::cell::RefCell;
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

/// The number of files whose text a thread keeps.
const MOST_KEPT: usize = 4;

thread_local! {
    /// The files that this thread read again last, the latest first. Consecutive places are often in one file: a list
    /// whose items are all applied once more.
    static LATEST: RefCell<Vec<Arc<SourceFile>>> = const { RefCell::new(Vec::new()) };
}

/// Reads a file again, unless it was one of the last ones.
fn read(origin: &Arc<Origin>) -> Option<Arc<SourceFile>> {
    LATEST.with_borrow_mut(|latest| {
        let is_of = |source: &Arc<SourceFile>| source.origin().is_some_and(|own| Arc::ptr_eq(own, origin));
        if let Some(known) = latest.iter().position(is_of) {
            latest[..=known].rotate_right(1);
        } else {
            let source = files::read_again(origin).ok()?;
            latest.truncate(MOST_KEPT - 1);
            latest.insert(0, source);
        }
        latest.first().map(Arc::clone)
    })
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
            File::Origin(origin) => read(origin)?,
            File::Source(source) => source.clone(),
        };
        let Self { file: _, format, piece, position, is_review, document, span } = *self;
        Some(Place { source, format, piece, position, is_review, field: None, document, span })
    }
}
