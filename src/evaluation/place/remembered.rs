//! Places that outlive the text around them.

use std::sync::Arc;

use crate::evaluation::Place;
use crate::manifest::{Format, files};
use crate::source::{Origin, ShortSpan};

/// The place of an object that is not a field of another one. Its text is read again if its file can be read again, so
/// that a run over many files does not keep their text. There is one for every object that a run applies.
#[derive(Clone, Debug)]
pub(in crate::evaluation) enum RememberedPlace {
    Short(ShortPlace),
    Whole(Box<Place>),
}

/// A place in a file that can be read again and has less than 4 GiB.
#[derive(Clone, Debug)]
pub(in crate::evaluation) struct ShortPlace {
    origin: Arc<Origin>,
    piece: ShortSpan,
    span: ShortSpan,
    document: u32,
    position: Option<u32>,
    format: Format,
    is_review: bool,
}

impl ShortPlace {
    fn of(place: &Place) -> Option<Self> {
        Some(Self {
            origin: place.source.origin()?.clone(),
            piece: ShortSpan::of(place.piece)?,
            span: ShortSpan::of(place.span)?,
            document: place.document.try_into().ok()?,
            position: place.position.map(u32::try_from).transpose().ok()?,
            format: place.format,
            is_review: place.is_review,
        })
    }
}

impl RememberedPlace {
    pub(in crate::evaluation) fn of(place: &Place) -> Self {
        ShortPlace::of(place).map_or_else(|| Self::Whole(Box::new(place.whole())), Self::Short)
    }

    /// Returns the place with the text around it; nothing if the file has another text now.
    pub(in crate::evaluation) fn place(&self) -> Option<Place> {
        match self {
            Self::Whole(place) => Some(Place::clone(place)),
            Self::Short(place) => Some(Place {
                source: files::read_again(&place.origin).ok()?,
                format: place.format,
                piece: place.piece.span(),
                position: place.position.map(|position| position as usize),
                is_review: place.is_review,
                field: None,
                document: place.document as usize,
                span: place.span.span(),
            }),
        }
    }
}
