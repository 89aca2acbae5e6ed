//! Positions in texts as editors count them, and files as editors name them.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use lsp_types::{Position, Range, Uri};

use crate::report::editor::FileLine;
use gotext::source::{SourceFile, Span};

/// The encoding in which the client counts columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Utf8,
    Utf16,
}

impl Encoding {
    /// Returns the encoding for a client that supports `offered`; every client supports UTF-16.
    pub(super) fn of<'a>(mut offered: impl Iterator<Item = &'a str>) -> Self {
        if offered.any(|encoding| encoding == Self::Utf8.kind()) { Self::Utf8 } else { Self::Utf16 }
    }

    /// Returns its name in the protocol.
    pub(super) fn kind(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Utf16 => "utf-16",
        }
    }

    fn width(self, text: &str) -> u32 {
        let width = match self {
            Self::Utf8 => text.len(),
            Self::Utf16 => text.chars().map(char::len_utf16).sum(),
        };
        u32::try_from(width).unwrap_or(u32::MAX)
    }

    /// Returns the range of `span`.
    pub(super) fn range(self, source: &SourceFile, span: Span) -> Range {
        Range { start: self.position(source, span.start), end: self.position(source, span.end) }
    }

    fn position(self, source: &SourceFile, offset: usize) -> Position {
        let text = source.text();
        let offset = offset.min(text.len());
        let start = text[..offset].rfind('\n').map_or(0, |end| end + 1);
        let (line, _) = source.line_column(offset);
        Position { line: index(line), character: self.width(&text[start..offset]) }
    }

    /// Returns the range of `line`, whose file has `text` if it is known.
    pub(super) fn range_of_line(self, line: &FileLine, text: Option<&str>) -> Range {
        let number = index(line.line.unwrap_or(1));
        let at = |character| Position { line: number, character };
        let Some(text) = text.and_then(|text| text.split('\n').nth(number as usize)) else {
            return Range { start: at(0), end: at(0) };
        };
        let text = text.trim_end_matches('\r');
        let column = |column: usize| {
            let end = text.char_indices().nth(column - 1).map_or(text.len(), |(end, _)| end);
            self.width(&text[..end])
        };
        let (from, to) = line.columns.unwrap_or_else(|| {
            let blanks = text.chars().take_while(|character| *character == ' ').count();
            (blanks + 1, text.chars().count() + 1)
        });
        Range { start: at(column(from.max(1))), end: at(column(to.max(1))) }
    }

    /// Returns the offset of `position` in `text`.
    pub(super) fn offset(self, text: &str, position: Position) -> usize {
        let mut start = 0;
        for _ in 0..position.line {
            match text[start..].find('\n') {
                Some(end) => start += end + 1,
                None => return text.len(),
            }
        }
        let line = text[start..].split('\n').next().unwrap_or_default();
        let mut left = position.character;
        for (offset, character) in line.char_indices() {
            let width = self.width(character.encode_utf8(&mut [0; 4]));
            if left < width {
                return start + offset;
            }
            left -= width;
        }
        start + line.len()
    }
}

/// Returns the number of a line from 0.
fn index(line: usize) -> u32 {
    u32::try_from(line.saturating_sub(1)).unwrap_or(u32::MAX)
}

/// Returns the file of `uri`, if it is on this machine.
pub(super) fn path_of(uri: &Uri) -> Option<PathBuf> {
    let path = uri.as_str().strip_prefix("file://")?;
    // A host name may precede the path.
    let path = &path[path.find('/')?..];
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let escaped = after
            .get(..2)
            .filter(|_| *first == b'%')
            .and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        bytes.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() { &after[2..] } else { after };
    }
    let path = String::from_utf8(bytes).ok()?;
    let is_windows = path.as_bytes().get(2) == Some(&b':');
    Some(PathBuf::from(if is_windows { &path[1..] } else { &path[..] }))
}

/// Returns the URI of the file at `path`.
pub(super) fn uri_of(path: &Path) -> Option<Uri> {
    let path = path.to_str()?.replace('\\', "/");
    let mut uri = String::from(if path.starts_with('/') { "file://" } else { "file:///" });
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    Uri::from_str(&uri).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_counted_as_the_client_does() {
        let source = SourceFile::new("a.yaml", "a: 1\r\nb: ä🦀 c\n");
        let crab = source.text().find('🦀').unwrap();
        let span = Span::new(crab..crab + '🦀'.len_utf8());
        let columns = |encoding: Encoding| {
            let range = encoding.range(&source, span);
            assert_eq!((range.start.line, range.end.line), (1, 1));
            assert_eq!(encoding.offset(source.text(), range.start), span.start);
            assert_eq!(encoding.offset(source.text(), range.end), span.end);
            (range.start.character, range.end.character)
        };
        assert_eq!(columns(Encoding::Utf16), (4, 6));
        assert_eq!(columns(Encoding::Utf8), (5, 9));
        let end = Position { line: 9, character: 0 };
        assert_eq!(Encoding::Utf16.offset(source.text(), end), source.text().len());
    }

    #[test]
    fn a_line_of_a_report_has_a_range() {
        let line = |columns| FileLine { file: String::new(), line: Some(2), columns };
        let range = |columns| {
            let range = Encoding::Utf16.range_of_line(&line(columns), Some("a:\r\n  🦀: b\r\n"));
            (range.start.character, range.end.character)
        };
        assert_eq!(range(Some((5, 7))), (5, 7));
        assert_eq!(range(None), (2, 7));
    }

    #[test]
    fn files_have_names_and_uris() {
        for (path, uri) in [
            ("/srv/a b/ä%.yaml", "file:///srv/a%20b/%C3%A4%25.yaml"),
            ("c:/shop/a.yaml", "file:///c%3A/shop/a.yaml"),
        ] {
            let path = PathBuf::from(path);
            assert_eq!(uri_of(&path).unwrap().as_str(), uri);
            assert_eq!(path_of(&Uri::from_str(uri).unwrap()), Some(path));
        }
        assert_eq!(path_of(&Uri::from_str("untitled:Untitled-1").unwrap()), None);
    }
}
