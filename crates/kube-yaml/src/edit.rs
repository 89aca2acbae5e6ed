//! Changes of a document as edits of its text, which keep everything else: comments, order, style.

mod all;
mod moved;
mod repeated;
mod style;

use gotext::change::{Action, Change, key_of};
use gotext::path::Segment;
use gotext::source::{Data, Entry, Node, SourceFile, Span};
use gotext::value::{Map, Value, json};

use crate::Document;
pub use all::edit_all;
use moved::keep_lines;
pub use repeated::{RepeatedKey, without_repeated_keys};
use style::{Style, block};

/// A replacement of a part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The replaced part, which is empty where text is inserted.
    pub span: Span,
    /// The text that replaces it.
    pub text: String,
}

impl Edit {
    /// Returns `text` with the replacement.
    pub fn apply(&self, text: &str) -> String {
        [&text[..self.span.start], &self.text, &text[self.span.end..]].concat()
    }
}

/// Returns the edit of the file of `document` that makes `change`; nothing if no edit does: what it changes is not
/// written, is shared by an alias, or the document would not read back as exactly the changed value.
pub fn edit(document: &Document, change: &Change) -> Option<Edit> {
    let text = document.source.text();
    let mut expected = document.node.clone().into_value();
    if !change.apply(&mut expected) {
        return None;
    }
    let editor = Editor { text, is_json: text[document.node.span.start..].starts_with('{') };
    let mut edit = editor.edit(&document.node, change)?;
    if text[document.span.start..document.span.end].contains("\r\n") {
        edit.text = edit.text.replace('\n', "\r\n");
    }
    reads_as(document, &edit, &expected).then_some(edit)
}

/// Whether `document` with `edit` is one document with the value `expected`, and has no more faults than before.
fn reads_as(document: &Document, edit: &Edit, expected: &Value) -> bool {
    let piece = document.span;
    let end = piece.end.max(edit.span.end);
    let shifted = Span::new(edit.span.start - piece.start..edit.span.end - piece.start);
    let edited =
        Edit { span: shifted, text: edit.text.clone() }.apply(&document.source.text()[piece.start..end]);
    let source = SourceFile::new("", edited);
    let mut documents = crate::read(&source);
    let is_expected = documents.next().is_some_and(|read| {
        read.is_ok_and(|read| {
            read.strict_errors.len() <= document.strict_errors.len() && read.node.into_value() == *expected
        })
    });
    is_expected && documents.next().is_none()
}

/// The text of a document.
struct Editor<'a> {
    text: &'a str,
    is_json: bool,
}

/// A value with what is around it.
#[derive(Clone, Copy)]
struct Place<'a> {
    node: &'a Node,
    /// The entry whose value it is; items of lists and the root have none.
    entry: Option<&'a Entry>,
    is_in_flow: bool,
}

impl Editor<'_> {
    fn edit(&self, root: &Node, change: &Change) -> Option<Edit> {
        let segments = change.path.segments();
        let mut place = Place { node: root, entry: None, is_in_flow: self.is_flow(root) };
        let (last, way) = segments.split_last()?;
        let value = match &change.action {
            Action::Set(value) => Some(value.clone()),
            Action::Append(item) => Some(json!([item.clone()])),
            Action::Remove | Action::Rename(_) => None,
        };
        for (depth, segment) in way.iter().enumerate() {
            match self.step(place, segment) {
                Some(next) => place = next,
                None => return self.insert(place, &segments[depth..], &value?),
            }
        }
        let Some(target) = self.step(place, last) else {
            return self.insert(place, &segments[way.len()..], &value?);
        };
        match &change.action {
            Action::Set(value) => self.replace(target, value),
            Action::Append(item) => self.append(target, item),
            Action::Remove => self.remove(place, last, target),
            Action::Rename(name) => {
                let span = target.entry?.key_span;
                Some(Edit {
                    span,
                    text: self.style(place).quoted_like(name, &self.text[span.start..span.end])?,
                })
            }
        }
    }

    fn step<'n>(&self, place: Place<'n>, segment: &Segment) -> Option<Place<'n>> {
        let (entry, node) = match (segment, &place.node.data) {
            (Segment::Index(index), Data::Array(items)) => (None, items.get(*index)?),
            (segment, Data::Object(entries)) => {
                let key = key_of(segment)?;
                let entry = entries.iter().rev().find(|entry| entry.key == key)?;
                (Some(entry), &entry.value)
            }
            _ => return None,
        };
        Some(Place { node, entry, is_in_flow: place.is_in_flow || self.is_flow(node) })
    }

    /// Writes the missing fields `segments` below `place`, with `value` at the end.
    fn insert(&self, place: Place<'_>, segments: &[&Segment], value: &Value) -> Option<Edit> {
        let nested = |value: Value, segment: &&Segment| {
            Some(Value::Object([(key_of(segment)?, value)].into_iter().collect::<Map>()))
        };
        let (first, rest) = segments.split_first()?;
        let value = rest.iter().rev().try_fold(value.clone(), nested)?;
        let key = key_of(first)?;
        match &place.node.data {
            Data::Object(entries) if !entries.is_empty() => self.add_entry(place, entries, key, &value),
            Data::Object(_) | Data::Null => self.replace(place, &nested(value, first)?),
            _ => None,
        }
    }

    /// Writes a field after the last one of the map at `place`.
    fn add_entry(&self, place: Place<'_>, entries: &[Entry], key: &str, value: &Value) -> Option<Edit> {
        let (first, last) = (entries.first()?, entries.last()?);
        let style = self.style(place);
        if self.is_flow(place.node) {
            let entry = style.flow_entry(key, value)?;
            return Some(self.add_to_flow(
                first.key_span.start,
                last.value.span.end.max(last.key_span.end),
                place,
                &entry,
            ));
        }
        let end = entries.iter().map(|entry| self.end_of(entry)).max()?;
        let column = self.column(first.key_span.start);
        let lines = block(&Value::Object([(key, value.clone())].into_iter().collect::<Map>()), column)?;
        Some(insertion(
            self.comments_end(self.line_end(end), column),
            format!("\n{}{lines}", " ".repeat(column)),
        ))
    }

    /// Returns the end of the comments that follow the line ending at `end` and belong to a map at `column`: those that are
    /// indented as much.
    fn comments_end(&self, mut end: usize, column: usize) -> usize {
        let mut from = end;
        while column > 0
            && let Some(next) = self.text[from..].find('\n').map(|newline| from + newline + 1)
        {
            let line = &self.text[next..self.line_end(next)];
            let written = line.trim_start_matches(' ');
            if written.starts_with('#') && line.len() - written.len() >= column {
                end = next + line.len();
            } else if !written.trim().is_empty() {
                break;
            }
            if next == self.text.len() {
                break;
            }
            from = next;
        }
        end
    }

    /// Writes `item` after the last one of a collection in brackets, on a line of its own if the others are.
    fn add_to_flow(&self, first: usize, last: usize, place: Place<'_>, item: &str) -> Edit {
        let between = &self.text[place.node.span.start + 1..first];
        let separator = match between.rsplit_once('\n') {
            Some((_, indent)) if indent.trim().is_empty() => format!(",\n{indent}"),
            _ => ", ".to_owned(),
        };
        insertion(last, format!("{separator}{item}"))
    }

    /// Writes `item` after the last one of the list at `place`.
    fn append(&self, place: Place<'_>, item: &Value) -> Option<Edit> {
        let items = match &place.node.data {
            Data::Array(items) if !items.is_empty() => items,
            Data::Array(_) | Data::Null => return self.replace(place, &json!([item.clone()])),
            _ => return None,
        };
        let (first, last) = (items.first()?, items.last()?);
        let style = self.style(place);
        if self.is_flow(place.node) {
            return Some(self.add_to_flow(first.span.start, last.span.end, place, &style.flow(item)?));
        }
        let column = self.column(place.node.span.start);
        let lines = block(item, column + 2)?;
        let end = self.text[..self.end_of_node(last)].trim_end().len();
        Some(insertion(self.line_end(end), format!("\n{}- {lines}", " ".repeat(column))))
    }

    /// Writes `value` instead of the one at `place`.
    fn replace(&self, place: Place<'_>, value: &Value) -> Option<Edit> {
        let (node, style) = (place.node, self.style(place));
        let is_structure = value.as_object().is_some_and(|map| !map.is_empty())
            || value.as_array().is_some_and(|list| !list.is_empty());
        let is_within_flow = place.is_in_flow && !self.is_outermost_flow(place);
        let span = Span::new(node.span.start..self.end_of_node(node));
        if is_within_flow || !is_structure || self.is_json {
            let separator = if span.start == span.end { " " } else { "" };
            let at = if span.start == span.end { self.after_colon(place.entry?)? } else { span.start };
            let text = match value.as_str() {
                Some(text) => style.quoted_like(text, &self.text[span.start..span.end])?,
                None => style.flow(value)?,
            };
            return Some(Edit { span: Span::new(at..at.max(span.end)), text: format!("{separator}{text}") });
        }
        let Some(entry) = place.entry else {
            // An item of a list begins where it is written.
            let text = block(value, self.column(node.span.start))?;
            return Some(Edit { span, text });
        };
        let column = self.column(entry.key_span.start);
        // Items are written at the indent of their key, as kubectl does.
        let column = if value.is_array() { column } else { column + 2 };
        let lines = format!("\n{}{}", " ".repeat(column), block(value, column)?);
        let colon = self.after_colon(entry)?;
        let is_written = span.start < span.end;
        let from = if is_written { colon } else { self.line_end(colon) };
        let to = if is_written { span.end } else { from };
        let rest = &self.text[to..self.line_end(to)];
        let is_last_on_line = rest.trim_start().is_empty();
        if is_written && !is_last_on_line {
            return Some(Edit { span, text: style.flow(value)? });
        }
        Some(Edit { span: Span::new(from..to), text: lines })
    }

    /// Removes `target`, the step `last` below `parent`.
    fn remove(&self, parent: Place<'_>, last: &Segment, target: Place<'_>) -> Option<Edit> {
        let parts = self.parts(parent.node)?;
        let index = match (last, &parent.node.data) {
            (Segment::Index(index), _) => *index,
            (_, Data::Object(entries)) => entries.iter().position(|entry| {
                entry.key_span == target.entry.map_or(Span::default(), |entry| entry.key_span)
            })?,
            _ => return None,
        };
        self.remove_part(parent, &parts, index)
    }

    /// Returns where the entries or items of a collection are.
    fn parts(&self, collection: &Node) -> Option<Vec<Span>> {
        Some(match &collection.data {
            Data::Object(entries) => {
                let end = |entry: &Entry| {
                    if self.is_flow(collection) {
                        entry.value.span.end.max(entry.key_span.end)
                    } else {
                        self.end_of(entry)
                    }
                };
                entries.iter().map(|entry| Span::new(entry.key_span.start..end(entry))).collect()
            }
            Data::Array(items) => {
                items.iter().map(|item| Span::new(item.span.start..self.end_of_node(item))).collect()
            }
            _ => return None,
        })
    }

    /// Removes the part number `index` of the collection `parent`.
    fn remove_part(&self, parent: Place<'_>, parts: &[Span], index: usize) -> Option<Edit> {
        let own = *parts.get(index)?;
        let next = parts.get(index + 1);
        if parts.len() == 1 {
            let empty = if is_list(parent.node) { json!([]) } else { json!({}) };
            return self.empty(parent, &empty);
        }
        if self.is_flow(parent.node) {
            let span = match next {
                Some(next) => Span::new(own.start..next.start),
                None => Span::new(parts[index - 1].end..own.end),
            };
            return Some(Edit { span, text: String::new() });
        }
        let start = if is_list(parent.node) { self.text[..own.start].rfind('-')? } else { own.start };
        let line = self.line_start(start);
        if self.text[line..start].trim().is_empty() {
            // Comments that are indented further belong to it.
            let end = self.line_end(self.text[..own.end].trim_end().len());
            let end = self.comments_end(end, self.column(start) + 1);
            let span = match self.text[end..].find('\n') {
                Some(newline) => line..end + newline + 1,
                None => self.line_end(self.line_start(line.saturating_sub(1)))..end,
            };
            return Some(Edit { span: Span::new(span), text: String::new() });
        }
        // The first field of an item follows its dash: the next one takes its place.
        let next = next.filter(|next| !self.text[own.end..next.start].contains('#'))?;
        Some(Edit { span: Span::new(own.start..next.start), text: String::new() })
    }

    /// Writes an empty collection instead of the one at `place`.
    fn empty(&self, place: Place<'_>, value: &Value) -> Option<Edit> {
        let end = self.end_of_node(place.node);
        let text = self.style(place).flow(value)?;
        let Some(entry) = place.entry.filter(|_| !self.is_flow(place.node)) else {
            return Some(Edit { span: Span::new(place.node.span.start..end), text });
        };
        Some(Edit { span: Span::new(self.after_colon(entry)?..end), text: format!(" {text}") })
    }

    fn style(&self, place: Place<'_>) -> Style {
        Style { is_json: self.is_json, is_in_flow: place.is_in_flow }
    }

    fn is_flow(&self, node: &Node) -> bool {
        let is_collection = matches!(node.data, Data::Array(_) | Data::Object(_));
        is_collection && self.text[node.span.start..].starts_with(['{', '['])
    }

    /// Whether `place` is a collection in brackets that is not inside of another one; only an empty one is replaced by
    /// lines.
    fn is_outermost_flow(&self, place: Place<'_>) -> bool {
        let is_empty = match &place.node.data {
            Data::Array(items) => items.is_empty(),
            Data::Object(entries) => entries.is_empty(),
            _ => false,
        };
        let Some(entry) = place.entry.filter(|_| is_empty) else { return false };
        let line = &self.text[self.line_start(entry.key_span.start)..entry.key_span.start];
        line.trim_start_matches([' ', '-']).is_empty()
    }

    fn end_of(&self, entry: &Entry) -> usize {
        self.end_of_node(&entry.value).max(entry.key_span.end)
    }

    /// Returns the end of what is written of `node`: lines after a block are not part of it.
    fn end_of_node(&self, node: &Node) -> usize {
        let end = match &node.data {
            Data::Object(entries) if !self.is_flow(node) => {
                entries.iter().map(|entry| self.end_of(entry)).max().unwrap_or(node.span.end)
            }
            Data::Array(items) if !self.is_flow(node) => {
                items.iter().map(|item| self.end_of_node(item)).max().unwrap_or(node.span.end)
            }
            _ => node.span.end,
        };
        let written = &self.text[node.span.start.min(end)..end];
        end - (written.len() - written.trim_end().len())
    }

    /// Returns the offset after the colon of `entry`.
    fn after_colon(&self, entry: &Entry) -> Option<usize> {
        let end = entry.key_span.end;
        Some(end + self.text[end..].find(':')? + 1)
    }

    fn line_start(&self, offset: usize) -> usize {
        self.text[..offset].rfind('\n').map_or(0, |newline| newline + 1)
    }

    fn line_end(&self, offset: usize) -> usize {
        self.text[offset..].find(['\r', '\n']).map_or(self.text.len(), |rest| offset + rest)
    }

    fn column(&self, offset: usize) -> usize {
        self.text[self.line_start(offset)..offset].chars().count()
    }
}

fn is_list(node: &Node) -> bool {
    matches!(node.data, Data::Array(_))
}

fn insertion(offset: usize, text: String) -> Edit {
    Edit { span: Span::new(offset..offset), text }
}

#[cfg(test)]
mod tests;
