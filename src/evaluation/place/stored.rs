//! Places that outlive their files, with the part of the text that a report needs.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::evaluation::Place;
use kube_api::secret;

use gotext::source::{Begin, SourceFile, Span};

/// The text of an object as it was written, and where it begins in its file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestText {
    /// The document, or the item of a list.
    pub text: String,
    /// The line, counted from 1.
    pub line: usize,
    /// The column, counted from 1 in characters.
    pub column: usize,
    /// The offset in bytes.
    pub offset: usize,
}

impl ManifestText {
    /// Returns the offset in the text of this line and column of the file.
    pub fn offset_of(&self, line: usize, column: usize) -> Option<usize> {
        let row = line.checked_sub(self.line)?;
        let column = if row == 0 { column.checked_sub(self.column - 1)? } else { column };
        let start: usize = self.text.split_inclusive('\n').take(row).map(str::len).sum();
        let line = self.text.get(start..)?.lines().next().unwrap_or_default();
        let offset = line.char_indices().nth(column.checked_sub(1)?).map_or(line.len(), |(offset, _)| offset);
        Some(start + offset)
    }
}

impl Place {
    /// Returns the text of the object; the contents of Secrets are masked unless `shows_secrets`.
    pub fn manifest_text(&self, shows_secrets: bool) -> ManifestText {
        let span = if self.position.is_some() { self.span } else { self.piece };
        let text = &self.source.text()[span.start..span.end];
        // A document is read again only if there may be something to mask. An alias may name what is elsewhere in it.
        let may_be_in = || secret::may_be_in(text) || text.contains('*') && secret::may_be_in(self.text());
        let may_be_secret = !shows_secrets && may_be_in();
        let shown = if may_be_secret { self.written().map(|written| written.shown(span)) } else { None };
        let (line, column) = self.source.line_column(span.start);
        let offset = self.source.begin().offset + span.start;
        let mut text = shown.map_or_else(|| text.to_owned(), |shown| without_secrets(text, &shown));
        if text.trim_start().starts_with(['{', '[']) {
            return ManifestText { text, line, column, offset };
        }
        // Indentation counts: the first line has that of the others.
        let indent = column - 1;
        text.insert_str(0, &" ".repeat(indent));
        ManifestText { text, line, column: 1, offset: offset.saturating_sub(indent) }
    }

    /// Returns the place of the object with the text `manifest` in `document` of `file`; nothing if the text is not a
    /// manifest.
    pub fn stored(file: &str, manifest: ManifestText, document: usize) -> Option<Self> {
        let ManifestText { text, line, column, offset } = manifest;
        let begin = Begin { line: line.max(1), column: column.max(1), offset };
        let source = SourceFile::part(file, text, begin);
        let part = kube_yaml::split(&source).next()?.ok()?;
        let item = part.read().ok()??.unwrap_list().pop()?;
        let (place, _) = Self::of(item);
        Some(Self { document, ..place })
    }

    /// Returns the span in the known text for the bytes of the file from `start` to `end`.
    pub fn span_in_text(&self, start: usize, end: usize) -> Option<Span> {
        let begin = self.source.begin().offset;
        let (start, end) = (start.checked_sub(begin)?, end.checked_sub(begin)?);
        let is_there = |offset| self.source.text().is_char_boundary(offset);
        (start <= end && is_there(start) && is_there(end)).then(|| Span::new(start..end))
    }

    /// Returns the place of an object whose text is unknown.
    #[doc(hidden)]
    pub fn unread(file: &str, line: usize, column: usize, document: usize) -> Self {
        let begin = Begin { line: line.max(1), column: column.max(1), offset: 0 };
        let source: Arc<SourceFile> = SourceFile::part(file, "", begin);
        Self {
            source,
            format: kube_yaml::Format::Yaml,
            piece: Span::default(),
            position: None,
            is_review: false,
            field: None,
            document,
            span: Span::default(),
        }
    }
}

/// Returns `text` with different secrets of different lengths where `shown`, which has the same length, has stars and
/// blanks: stored results can still be decoded, and do not reveal the length of a secret.
fn without_secrets(text: &str, shown: &str) -> String {
    let mut stored = String::with_capacity(text.len());
    // A secret of several lines is one.
    let mut is_within = false;
    for (line, shown) in text.split_inclusive('\n').zip(shown.split_inclusive('\n')) {
        let mut at = 0;
        let mut ends_within = false;
        while let Some((start, end)) = next_secret(&line[at..], &shown[at..]) {
            let continues = is_within && at == 0 && line[..start].trim().is_empty();
            if !continues {
                stored.push_str(&line[at..at + start]);
            }
            if !continues && shown[at + start..at + end].contains('*') {
                stored.push_str(match line.as_bytes()[at + start] {
                    b'"' => "\"x\"",
                    b'\'' => "'x'",
                    _ => "xxx",
                });
            }
            at += end;
            ends_within = line[at..].trim().is_empty();
        }
        stored.push_str(&line[at..]);
        is_within = ends_within || (is_within && line.trim().is_empty());
    }
    stored
}

/// Returns the first place in `line` that is masked in `shown`.
fn next_secret(line: &str, shown: &str) -> Option<(usize, usize)> {
    let (line, shown) = (line.as_bytes(), shown.as_bytes());
    let start = line.iter().zip(shown).position(|(byte, shown)| byte != shown)?;
    let is_struck = |at: &usize| matches!(shown[*at], b'*' | b' ');
    let struck = (start..line.len().min(shown.len())).take_while(is_struck);
    let end = struck.filter(|at| line[*at] != shown[*at] || shown[*at] == b'*').last()?;
    Some((start, end + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use kube_api::field::Path;

    fn places(text: &str) -> Vec<Place> {
        let source = SourceFile::new("a.yaml", text);
        let documents = kube_yaml::read(&source).map(Result::unwrap);
        documents.flat_map(kube_yaml::Document::unwrap_list).map(|item| Place::of(item).0).collect()
    }

    #[test]
    fn a_stored_place_finds_what_the_file_has() {
        let text = "# ü\n---\nkind: List\nitems:\n- kind: Pod\n  spec:\n    hostPID: true\n- {kind: Pod, spec: \
                    {hostPID: false}}\n---\nkind: Pod\nspec:\n  hostPID: true\n";
        let path = Path::new("spec.hostPID");
        let found: Vec<_> = places(text)
            .iter()
            .map(|place| {
                let stored = Place::stored("a.yaml", place.manifest_text(false), place.document).unwrap();
                let find = |place: &Place| place.written().unwrap().line_column(&path).unwrap();
                assert_eq!(find(place), find(&stored));
                assert_eq!((place.line_column(), place.offset()), (stored.line_column(), stored.offset()));
                find(&stored)
            })
            .collect();
        assert_eq!(found, [(7, 14), (8, 31), (12, 12)]);
    }

    #[test]
    fn what_a_secret_keeps_is_not_stored() {
        let text = "kind: Secret\nstringData:\n  a: hunter2\n  b: |\n    hunter3\n    ünter4\n  c: \"hunter5\"\nmetadata:\n  \
                    name: d\n";
        let places = places(text);
        let stored = places[0].manifest_text(false);
        assert_eq!(
            stored.text,
            "kind: Secret\nstringData:\n  a: xxx\n  b: xxx\n\n\n  c: \"x\"\nmetadata:\n  name: d\n"
        );
        assert_eq!(places[0].manifest_text(true).text, text);
        let place = Place::stored("a.yaml", stored, 0).unwrap();
        let shown = place.written().unwrap().shown_text();
        assert!(shown.contains("  a: ***\n") && !shown.contains('x'), "{shown}");
        let name = |place: &Place| place.written().unwrap().line_column(&Path::new("metadata.name"));
        assert_eq!(name(&place), name(&places[0]));
    }

    #[test]
    fn a_secret_in_one_line_is_not_stored() {
        let text = "{\"kind\": \"Secret\", \"data\": {\"a\": \"aHVudGVy\", \"b\": \"aA==\"}}\n";
        let stored = places(text)[0].manifest_text(false);
        assert_eq!(stored.text, "{\"kind\": \"Secret\", \"data\": {\"a\": \"x\", \"b\": \"x\"}}");
    }

    #[test]
    fn a_place_without_text_has_a_line() {
        let place = Place::unread("a.yaml", 7, 3, 1);
        assert_eq!((place.file(), place.line_column()), ("a.yaml", (7, 3)));
        assert!(place.written().is_none());
    }
}
