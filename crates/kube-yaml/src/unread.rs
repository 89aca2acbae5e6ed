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

    /// Returns the document's number in the file.
    pub fn document(&self) -> usize {
        self.index as usize / 2
    }

    /// Returns the file.
    pub fn origin(&self) -> &Arc<Origin> {
        &self.origin
    }

    /// Reads the file again, unless it was one of the last ones.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read, or has another text than before.
    pub fn part(&self) -> Result<Part, Error> {
        let source = files::read_again(&self.origin)?;
        let format = if self.index.is_multiple_of(2) { Format::Yaml } else { Format::Json };
        Ok(Part { source, index: self.document(), span: self.span.span(), format })
    }
}

/// Parts in the order in which they were added, as a few bytes each: what differs from the one before.
#[derive(Clone, Debug, Default)]
pub struct UnreadParts {
    origins: Vec<Run>,
    bytes: Vec<u8>,
    last: Numbers,
}

/// A file, and the number of consecutive parts of it.
type Run = (Arc<Origin>, u32);

/// The end, the number of the document and that of the item.
type Numbers = (u32, u32, u32);

/// The files of parts whose bytes are elsewhere.
#[derive(Clone, Debug, Default)]
pub struct Origins(Box<[Run]>);

impl UnreadParts {
    /// Adds a part.
    pub fn push(&mut self, part: &UnreadPart) {
        let last = self.origins.last_mut().filter(|(origin, _)| Arc::ptr_eq(origin, &part.origin));
        if let Some((_, count)) = last {
            *count += 1;
        } else {
            self.origins.push((part.origin.clone(), 1));
            self.last = Numbers::default();
        }
        let Span { start, end } = part.span.span();
        let (start, end) = (short(start), short(end));
        let (before, index, item) = self.last;
        self.last = (end, part.index, part.item);
        push_change(&mut self.bytes, before, start);
        varint::push(&mut self.bytes, (end - start).into());
        push_change(&mut self.bytes, index, part.index);
        push_change(&mut self.bytes, item, part.item);
    }

    /// Adds all of `others`.
    pub fn append(&mut self, others: Self) {
        self.bytes.extend_from_slice(&others.bytes);
        self.origins.extend(others.origins);
        self.last = others.last;
    }

    /// Returns the files of the parts, and the bytes of what differs.
    pub fn split(self) -> (Origins, Vec<u8>) {
        (Origins(self.origins.into()), self.bytes)
    }
}

impl Origins {
    /// Returns the parts with these `bytes`.
    pub fn parts(&self, mut bytes: &[u8]) -> impl Iterator<Item = UnreadPart> {
        self.0.iter().flat_map(move |(origin, count)| {
            let mut last = Numbers::default();
            let parts = (0..*count).map(|_| {
                let mut part = || {
                    let start = take_change(&mut bytes, last.0)?;
                    let end = start + u32::try_from(varint::take(&mut bytes)?).ok()?;
                    last = (end, take_change(&mut bytes, last.1)?, take_change(&mut bytes, last.2)?);
                    let span = ShortSpan::of(Span::new(start as usize..end as usize))?;
                    Some(UnreadPart { origin: origin.clone(), span, index: last.1, item: last.2 })
                };
                part().expect("bytes as they were written")
            });
            parts.collect::<Vec<_>>()
        })
    }
}

fn short(offset: usize) -> u32 {
    offset.try_into().expect("the span of an unread part is short")
}

/// Appends the difference of two numbers; the last bit is its sign.
fn push_change(bytes: &mut Vec<u8>, before: u32, after: u32) {
    let sign = u64::from(after < before);
    varint::push(bytes, u64::from(after.abs_diff(before)) << 1 | sign);
}

fn take_change(bytes: &mut &[u8], before: u32) -> Option<u32> {
    let change = varint::take(bytes)?;
    let size = u32::try_from(change >> 1).ok()?;
    if change & 1 == 0 { before.checked_add(size) } else { before.checked_sub(size) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::source::SourceFile;

    #[test]
    fn parts_come_back_in_little_memory() {
        let sources = ["a.yaml", "b.yaml"].map(|name| SourceFile::at(name.as_ref(), String::new()));
        let part = |number: usize, of: usize| {
            let (source, span) = (sources[of].clone(), Span::new(number * 2000..number * 2000 + 1990));
            let format = if number.is_multiple_of(7) { Format::Json } else { Format::Yaml };
            let part = Part { source, index: number, span, format };
            UnreadPart::of(&part, number.is_multiple_of(3).then_some(number)).expect("a file")
        };
        let numbers = [5, 6, 7, 3, 900, 901, 902].map(|number| (number, 0)).into_iter();
        let all: Vec<_> =
            numbers.chain([(12, 1), (11, 1), (4, 0)]).map(|(number, of)| part(number, of)).collect();
        let (mut parts, mut rest) = (UnreadParts::default(), UnreadParts::default());
        all[..8].iter().for_each(|part| parts.push(part));
        all[8..].iter().for_each(|part| rest.push(part));
        parts.append(rest);
        let shown = |parts: Vec<UnreadPart>| format!("{parts:?}");
        let (origins, bytes) = parts.split();
        assert_eq!(shown(origins.parts(&bytes).collect()), shown(all));
        let mut parts = UnreadParts::default();
        (1..1000_usize)
            .filter(|number| !number.is_multiple_of(7) && !number.is_multiple_of(3))
            .for_each(|number| parts.push(&part(number, 0)));
        assert!(parts.bytes.len() < 6 * 1000, "{}", parts.bytes.len());
    }
}
