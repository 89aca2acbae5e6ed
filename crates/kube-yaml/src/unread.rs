//! Documents whose text is not kept.

use std::sync::Arc;

use super::{Error, Format, Part, files};
use gotext::source::{Origin, ShortSpan, Span};
use gotext::varint;

/// A [`Part`] of a file that can be read again, or an item of a list in it, without the text. There may be one for every
/// document of a run, so it is kept small.
#[derive(Clone, Debug)]
pub struct UnreadPart {
    origin: Arc<Origin>,
    span: ShortSpan,
    /// The document's number in the file, twice, plus one if it is JSON.
    index: u32,
    /// The number of the item in its list, from 1; 0 for the document.
    item: u32,
}

impl UnreadPart {
    /// Returns the same part, or the item at `position` in it, unless its file cannot be read again or has more than
    /// 4 GiB.
    pub fn of(part: &Part, position: Option<usize>) -> Option<Self> {
        Some(Self {
            origin: part.source.origin()?.clone(),
            span: ShortSpan::of(part.span)?,
            index: u32::try_from(part.index).ok()?.checked_mul(2)? + u32::from(part.format == Format::Json),
            item: position.map_or(Ok(0), |position| u32::try_from(position + 1)).ok()?,
        })
    }

    /// Returns the number of the item in its list, from 0; nothing for the document.
    pub fn position(&self) -> Option<usize> {
        self.item.checked_sub(1).map(|position| position as usize)
    }

    /// Returns the file.
    pub fn origin(&self) -> &Arc<Origin> {
        &self.origin
    }

    /// Appends what is known of the part, except its file, to `bytes`.
    pub fn pack(&self, bytes: &mut Vec<u8>) {
        let Span { start, end } = self.span.span();
        for number in [start as u64, (end - start) as u64, self.index.into(), self.item.into()] {
            varint::push(bytes, number);
        }
    }

    /// Returns the part of the file `origin` that `bytes` begin with, and removes it from them.
    pub fn unpack(origin: &Arc<Origin>, bytes: &mut &[u8]) -> Option<Self> {
        let mut next = || u32::try_from(varint::take(bytes)?).ok();
        let (start, length) = (next()? as usize, next()? as usize);
        let span = ShortSpan::of(Span::new(start..start + length))?;
        Some(Self { origin: origin.clone(), span, index: next()?, item: next()? })
    }

    /// Reads the file again, unless it was one of the last ones.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read, or has another text than before.
    pub fn part(&self) -> Result<Part, Error> {
        let source = files::read_again(&self.origin)?;
        let format = if self.index.is_multiple_of(2) { Format::Yaml } else { Format::Json };
        Ok(Part { source, index: self.index as usize / 2, span: self.span.span(), format })
    }
}
