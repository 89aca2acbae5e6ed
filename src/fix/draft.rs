//! The texts of documents while they are edited.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::admission::{Action, Change};
use crate::evaluation::{Place, Prepared};
use crate::fix::{FixedFile, Read};
use gotext::source::{Begin, Data, SourceFile};
use kube_api::Value;
use kube_api::field::{Path, Segment};
use kube_yaml::Document;

/// A document, or an item of a list in one.
#[derive(Clone, Debug)]
pub struct Draft {
    key: Key,
    /// The number of the object in its list.
    position: Option<usize>,
    pub(super) subject: String,
    pub(super) file: String,
    pub(super) line: usize,
    pub(super) is_secret: bool,
}

/// The file, and where the document begins in it.
type Key = (String, usize);

/// The documents, with their texts as they are now.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    pieces: BTreeMap<Key, Piece>,
    fixed: BTreeSet<usize>,
}

#[derive(Debug)]
struct Piece {
    source: Arc<SourceFile>,
    begin: Begin,
    original: String,
    text: String,
}

impl Pieces {
    /// Adds the document of `request`.
    pub(super) fn draft(&mut self, request: &Prepared) -> Draft {
        let Some(place) = request.place() else {
            return Draft {
                key: Key::default(),
                position: None,
                subject: String::new(),
                file: String::new(),
                line: 0,
                is_secret: false,
            };
        };
        let span = place.document_span();
        let key = (place.file().to_owned(), span.start);
        self.pieces.entry(key.clone()).or_insert_with(|| {
            let (line, column) = place.source().line_column(span.start);
            let text = place.text().to_owned();
            let begin = Begin { line, column, offset: span.start };
            Piece { source: place.source().clone(), begin, original: text.clone(), text }
        });
        Draft {
            key,
            position: place.position(),
            is_secret: place.written().is_some_and(|written| {
                let kind = written.node().and_then(|node| node.get("kind")?.as_str());
                kind.is_some_and(kube_api::secret::is_meant_by)
            }),
            subject: subject(place),
            file: place.file().to_owned(),
            line: place.line_column().0,
        }
    }

    /// Forgets all edits.
    pub(super) fn reset(&mut self) {
        self.fixed.clear();
        for piece in self.pieces.values_mut() {
            piece.text.clone_from(&piece.original);
        }
    }

    /// Returns the text of the document.
    pub(super) fn text(&self, draft: &Draft) -> &str {
        self.pieces.get(&draft.key).map_or("", |piece| &piece.text)
    }

    /// Gives the document a former text.
    pub(super) fn restore(&mut self, draft: &Draft, text: String) {
        if let Some(piece) = self.pieces.get_mut(&draft.key) {
            piece.text = text;
        }
    }

    /// Records that the document number `index` has edits.
    pub(super) fn remember(&mut self, _: &Draft, index: usize) {
        self.fixed.insert(index);
    }

    /// Returns the numbers of the documents with edits.
    pub(super) fn fixed(&self) -> impl Iterator<Item = usize> {
        self.fixed.iter().copied()
    }

    /// Whether the document has no edits.
    pub(super) fn is_original(&self, draft: &Draft) -> bool {
        self.pieces.get(&draft.key).is_none_or(|piece| piece.text == piece.original)
    }

    /// Returns the request of the edited document.
    pub(super) fn prepared(&self, draft: &Draft, read: Read<'_>) -> Option<Prepared> {
        read(self.pieces.get(&draft.key)?.source()).into_iter().nth(draft.position.unwrap_or(0))?.ok()
    }

    /// Makes `changes` of the object, and returns them; nothing if one of them is not possible, or all change nothing.
    pub(super) fn change(&mut self, draft: &Draft, changes: &[Change]) -> Option<Vec<Change>> {
        let piece = self.pieces.get_mut(&draft.key)?;
        let document = piece.document()?;
        let length = |list: &Path| {
            let list =
                draft.position.map_or_else(|| list.clone(), |at| Path::new("items").index(at).join(list));
            match &kube_yaml::node_at(&document.node, &list)?.data {
                Data::Array(items) => Some(items.len()),
                _ => None,
            }
        };
        let of_lists = without_empty_lists(changes, length);
        let attempts = [of_lists.as_slice(), changes];
        attempts.into_iter().find_map(|changes| piece.change(draft, changes).then(|| changes.to_vec()))
    }

    /// Returns the files with edits.
    pub(super) fn files(&self) -> Vec<FixedFile> {
        let mut files: BTreeMap<&str, FixedFile> = BTreeMap::new();
        // From the end, so that the places of earlier edits stay.
        for ((name, offset), piece) in
            self.pieces.iter().rev().filter(|(_, piece)| piece.text != piece.original)
        {
            let file = files.entry(name).or_insert_with(|| FixedFile {
                source: piece.source.clone(),
                text: piece.source.text().to_owned(),
            });
            file.text.replace_range(*offset..*offset + piece.original.len(), &piece.text);
        }
        files.into_values().collect()
    }
}

/// Returns `changes` with the removal of a whole list instead of all its items, which would leave an empty one; `length`
/// is that of a list.
fn without_empty_lists(changes: &[Change], length: impl Fn(&Path) -> Option<usize>) -> Vec<Change> {
    let list_of = |change: &Change| match (change.path.segments().last()?, &change.action) {
        (Segment::Index(_), Action::Remove) => change.path.parent().cloned(),
        _ => None,
    };
    let mut found: Vec<Change> = Vec::new();
    for change in changes {
        let list = list_of(change).filter(|list| {
            let removed: BTreeSet<String> = changes
                .iter()
                .filter(|other| list_of(other).as_ref() == Some(list))
                .map(|other| other.path.to_string())
                .collect();
            length(list) == Some(removed.len())
        });
        let change = list.map_or_else(|| change.clone(), Change::remove);
        if !found.contains(&change) {
            found.push(change);
        }
    }
    found
}

impl Piece {
    /// Makes `changes` of the object of `draft`. Returns whether all of them are possible, and one changes something.
    fn change(&mut self, draft: &Draft, changes: &[Change]) -> bool {
        let (before, document) = (self.text.clone(), self.document());
        for change in gotext::change::in_order(changes) {
            let Some(text) = self.edited(&draft.whole(change)) else {
                self.text = before;
                return false;
            };
            self.text = text;
        }
        if let Some(document) = document {
            let whole: Vec<Change> = changes.iter().map(|change| draft.whole(change)).collect();
            self.keep_lines(&document, &whole);
        }
        self.text != before
    }

    /// Writes what `changes` moved with the lines that it had in `before`: they may have comments.
    fn keep_lines(&mut self, before: &Document, changes: &[Change]) {
        for from in changes.iter().filter(|change| change.action == Action::Remove) {
            let Some(moved) = kube_yaml::node_at(&before.node, &from.path) else { continue };
            let mut places = Vec::new();
            for change in changes {
                if let Action::Set(value) = &change.action {
                    find(value, &moved.clone().into_value(), &change.path, &mut places);
                }
            }
            for to in places {
                let Some(after) = self.document() else { return };
                if let Some(edit) = kube_yaml::keep_lines((before, &from.path), (&after, &to)) {
                    self.text = edit.apply(&self.text);
                }
            }
        }
    }

    fn source(&self) -> Arc<SourceFile> {
        SourceFile::part(self.source.name(), self.text.clone(), self.begin)
    }

    fn document(&self) -> Option<Document> {
        kube_yaml::read(&self.source()).next()?.ok()
    }

    fn edited(&self, change: &Change) -> Option<String> {
        let edit = kube_yaml::edit(&self.document()?, change)?;
        Some(edit.apply(&self.text))
    }
}

impl Draft {
    /// Returns a change of the object as one of the whole document.
    fn whole(&self, change: &Change) -> Change {
        match self.position {
            Some(position) => change.within(&Path::new("items").index(position)),
            None => change.clone(),
        }
    }
}

/// Adds the paths to `moved`, a collection in `value`, which is at `path`.
fn find(value: &Value, moved: &Value, path: &Path, found: &mut Vec<Path>) {
    match value {
        Value::Object(_) | Value::Array(_) if value == moved => found.push(path.clone()),
        Value::Object(map) => {
            map.iter().for_each(|(name, value)| find(value, moved, &path.child(name.to_string()), found));
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, item)| find(item, moved, &path.index(index), found));
        }
        _ => {}
    }
}

/// Returns kind and name of the object at `place`, as written.
fn subject(place: &Place) -> String {
    let Some(written) = place.written() else { return String::new() };
    let kind = written.node().and_then(|node| Some(node.get("kind")?.as_str()?.to_owned()));
    let kind = kind.unwrap_or_else(|| "document".to_owned());
    written.name().map_or_else(|| kind.clone(), |name| format!("{kind} {name}"))
}
