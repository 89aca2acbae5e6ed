//! Collections that move to another place: their lines move with them, comments and order included.

use gotext::path::Path;
use gotext::source::{Data, Node, Span};

use super::{Edit, Editor, Place, reads_as};
use crate::Document;

/// Returns the edit of `after` that writes the collection at `to` with the lines of the same one at `from` in `before`;
/// nothing if there are none, or no comment is among them.
pub(super) fn keep_lines(before: (&Document, &Path), after: (&Document, &Path)) -> Option<Edit> {
    let (written, _) = lines(before)?;
    let (generated, edited) = lines(after)?;
    if !written.text.contains('#') {
        return None;
    }
    let edit = Edit { span: generated.span, text: written.at_column(generated.column) };
    reads_as(edited, &edit, &edited.node.clone().into_value()).then_some(edit)
}

/// The lines of a collection, with the comments that belong to it.
struct Lines<'a> {
    span: Span,
    text: &'a str,
    column: usize,
}

impl Lines<'_> {
    fn at_column(&self, column: usize) -> String {
        let shifted = |line: &str| {
            let written = line.trim_start_matches(' ');
            let indent = (line.len() - written.len() + column).saturating_sub(self.column);
            if written.trim().is_empty() { written.to_owned() } else { " ".repeat(indent) + written }
        };
        let Some((first, rest)) = self.text.split_once('\n') else { return self.text.to_owned() };
        // A comment may follow the key.
        format!("{first}\n{}", rest.split('\n').map(shifted).collect::<Vec<_>>().join("\n"))
    }
}

/// Returns the lines of the collection at a path of a document: from the end of its key to its own.
fn lines<'d>((document, path): (&'d Document, &Path)) -> Option<(Lines<'d>, &'d Document)> {
    let text = document.source.text();
    let editor = Editor { text, is_json: text[document.node.span.start..].starts_with('{') };
    let mut place = Place { node: &document.node, entry: None, is_in_flow: editor.is_flow(&document.node) };
    for segment in path.segments() {
        place = editor.step(place, segment)?;
    }
    let is_block = !place.is_in_flow && first(place.node).is_some();
    let entry = place.entry.filter(|_| is_block)?;
    let column = editor.column(first(place.node)?);
    let start = editor.after_colon(entry)?;
    let end = editor.comments_end(editor.line_end(editor.end_of(entry)), column);
    let span = Span::new(start..end);
    Some((Lines { span, text: text.get(start..end)?, column }, document))
}

/// Returns where the first entry or item of a collection begins.
fn first(collection: &Node) -> Option<usize> {
    match &collection.data {
        Data::Object(entries) => Some(entries.first()?.key_span.start),
        // The lines of a list begin with a dash at its start.
        Data::Array(items) if !items.is_empty() => Some(collection.span.start),
        _ => None,
    }
}
