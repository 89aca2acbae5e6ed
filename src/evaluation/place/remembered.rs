//! Places that outlive the text around them.

use crate::evaluation::Place;
use crate::evaluation::place::{is_review, reading};
use kube_yaml::{Part, UnreadPart};

/// The place of an object. Its text is read again if its file can be read again, so that a run over many files does not
/// keep their text. There is one for every object that a run applies.
#[derive(Clone, Debug)]
pub(crate) enum RememberedPlace {
    Unread(UnreadPart),
    Whole(Box<Place>),
}

impl RememberedPlace {
    /// Remembers `place`, which is not a field of another object.
    pub(crate) fn of(place: &Place) -> Self {
        let Place { source, format, piece, position, document, .. } = place;
        let part = Part { source: source.clone(), index: *document, span: *piece, format: *format };
        UnreadPart::of(&part, *position).map_or_else(|| Self::Whole(Box::new(place.whole())), Self::Unread)
    }

    /// Returns the name of the file, and the number of the document in it.
    pub(in crate::evaluation) fn position(&self) -> (String, usize) {
        match self {
            Self::Unread(unread) => (unread.origin().path().display().to_string(), unread.document()),
            Self::Whole(place) => (place.file().to_owned(), place.document),
        }
    }

    /// Returns the place with the text around it; nothing if the file has another text now.
    pub(crate) fn place(&self) -> Option<Place> {
        let unread = match self {
            Self::Whole(place) => return Some(Place::clone(place)),
            Self::Unread(unread) => unread,
        };
        let (part, position) = (unread.part().ok()?, unread.position());
        let Part { source, index: document, span: piece, format } = part.clone();
        let reading = reading::read(part)?;
        let node = reading.items.get(position.unwrap_or(0))?;
        let (is_review, span) = (is_review(node), node.span);
        Some(Place { source, format, piece, position, is_review, field: None, document, span })
    }
}
