//! Keys that a mapping has twice.

use std::sync::Arc;

use gotext::source::{Data, Entry, Node, SourceFile, Span};

use crate::Document;
use crate::edit::{Editor, Place, reads_as};

/// A key that was removed, since its mapping has it twice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepeatedKey {
    /// The key.
    pub key: String,
    /// Its line before all edits, counted from 1.
    pub line: usize,
    /// The number of lines that were removed.
    pub lines: usize,
}

/// Returns `source` without keys that repeat an earlier one with an equal value, and these keys in the order of their
/// lines; nothing if there is none, or some would be left. If it `chooses`, those that a later one with another value
/// overrides are removed too: it is the last one that counts where repeated keys are no error.
pub fn without_repeated_keys(
    source: &Arc<SourceFile>,
    chooses: bool,
) -> Option<(Arc<SourceFile>, Vec<RepeatedKey>)> {
    let (mut edited, mut found) = (source.clone(), Vec::new());
    // From the end, so that the lines of those before it stay.
    while let Some((document, span)) = last_repeated(&edited) {
        let (text, own) = removed(&document, span, chooses)?;
        found.push(own);
        edited = SourceFile::new(source.name(), text);
    }
    found.sort_by_key(|key: &RepeatedKey| key.line);
    (!found.is_empty()).then_some((edited, found))
}

/// Returns the last repeated key, with its document.
fn last_repeated(source: &Arc<SourceFile>) -> Option<(Document, Span)> {
    let documents = crate::read(source).flatten().filter(|document| !document.strict_errors.is_empty());
    let document = documents.last()?;
    let span = document.strict_errors.iter().map(|error| error.span).max_by_key(|span| span.start)?;
    Some((document, span))
}

/// Returns the text of the file without the key at `span`, or without the one that it overrides.
fn removed(document: &Document, span: Span, chooses: bool) -> Option<(String, RepeatedKey)> {
    let text = document.source.text();
    let editor = Editor { text, is_json: text[document.node.span.start..].starts_with('{') };
    let (place, entries) = mapping_with(&document.node, span, &editor, false)?;
    let last = entries.iter().position(|entry| entry.key_span == span)?;
    let first = entries[..last].iter().position(|entry| entry.key == entries[last].key)?;
    let value = |entry: &Entry| entry.value.clone().into_value();
    let is_equal = value(&entries[first]) == value(&entries[last]);
    if !is_equal && !chooses {
        return None;
    }
    let index = if is_equal { last } else { first };
    let edit = editor.remove_part(place, &editor.parts(place.node)?, index)?;
    if !reads_as(document, &edit, &document.node.clone().into_value()) {
        return None;
    }
    let own = &entries[index];
    let key = RepeatedKey {
        key: own.key.to_string(),
        line: document.source.line_column(own.key_span.start).0,
        lines: text[edit.span.start..edit.span.end].matches('\n').count(),
    };
    Some((edit.apply(text), key))
}

/// Returns the mapping below `node` that has the key at `span`.
fn mapping_with<'n>(
    node: &'n Node,
    span: Span,
    editor: &Editor<'_>,
    is_in_flow: bool,
) -> Option<(Place<'n>, &'n [Entry])> {
    let is_in_flow = is_in_flow || editor.is_flow(node);
    match &node.data {
        Data::Object(entries) if entries.iter().any(|entry| entry.key_span == span) => {
            Some((Place { node, entry: None, is_in_flow }, entries))
        }
        Data::Object(entries) => {
            entries.iter().find_map(|entry| mapping_with(&entry.value, span, editor, is_in_flow))
        }
        Data::Array(items) => items.iter().find_map(|item| mapping_with(item, span, editor, is_in_flow)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn without(text: &str, chooses: bool) -> Option<(String, Vec<(String, usize)>)> {
        let (source, keys) = without_repeated_keys(&SourceFile::new("a.yaml", text), chooses)?;
        let keys = keys.into_iter().map(|key| (key.key, key.line)).collect();
        Some((source.text().to_owned(), keys))
    }

    #[test]
    fn equal_values_need_no_choice() {
        let text = "a: 1\nb:\n  c: [x]\n  d: 2 # two\n  c:\n  - x\na: 1\n---\ne: {f: 1, f: 1}\n";
        let (found, keys) = without(text, false).expect("repeated keys");
        assert_eq!(found, "a: 1\nb:\n  c: [x]\n  d: 2 # two\n---\ne: {f: 1}\n");
        assert_eq!(keys, [("c".to_owned(), 5), ("a".to_owned(), 7), ("f".to_owned(), 9)]);
    }

    #[test]
    fn of_different_values_the_last_one_counts() {
        let text = "a: 1 # one\nb: 2\na: 3\n";
        assert_eq!(without(text, false), None);
        assert_eq!(without(&format!("{text}---\nc: 1\nc: 1\n"), false), None, "one would be left");
        let (found, keys) = without(text, true).expect("repeated keys");
        assert_eq!((found.as_str(), &*keys), ("b: 2\na: 3\n", &[("a".to_owned(), 1)][..]));
    }

    #[test]
    fn what_repeats_nothing_stays() {
        assert_eq!(without("a: 1\nb: {a: 1}\n", true), None);
        assert_eq!(without("a: [\n", true), None);
    }
}
