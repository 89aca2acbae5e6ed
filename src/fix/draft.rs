//! The texts of documents while they are edited.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::admission::Change;
use crate::evaluation::{Place, Prepared};
use crate::fix::{FixedFile, Read};
use gotext::source::{Begin, SourceFile};

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
    /// The numbers of the documents with edits, with their texts after these.
    fixed: Vec<(usize, Key, String)>,
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
        self.edit_first(0);
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

    /// Records that the document number `index` has its edits.
    pub(super) fn remember(&mut self, draft: &Draft, index: usize) {
        self.fixed.push((index, draft.key.clone(), self.text(draft).to_owned()));
    }

    /// Returns the numbers of the documents with edits, in their order.
    pub(super) fn fixed(&self) -> impl ExactSizeIterator<Item = usize> {
        self.fixed.iter().map(|(index, ..)| *index)
    }

    /// Gives the first `count` documents with edits these, and all others the text that was read.
    pub(super) fn edit_first(&mut self, count: usize) {
        for piece in self.pieces.values_mut() {
            piece.text.clone_from(&piece.original);
        }
        for (_, key, text) in self.fixed.iter().take(count) {
            if let Some(piece) = self.pieces.get_mut(key) {
                piece.text.clone_from(text);
            }
        }
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
        let (text, made) = kube_yaml::edit_all(&piece.text, draft.position, changes)?;
        (piece.text != text).then(|| {
            piece.text = text;
            made
        })
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

impl Piece {
    fn source(&self) -> Arc<SourceFile> {
        SourceFile::part(self.source.name(), self.text.clone(), self.begin)
    }
}

/// Returns kind and name of the object at `place`, as written.
fn subject(place: &Place) -> String {
    let Some(written) = place.written() else { return String::new() };
    let kind = written.node().and_then(|node| Some(node.get("kind")?.as_str()?.to_owned()));
    let kind = kind.unwrap_or_else(|| "document".to_owned());
    written.name().map_or_else(|| kind.clone(), |name| format!("{kind} {name}"))
}
