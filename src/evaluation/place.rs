//! Where a request was written.

mod reading;
mod remembered;
mod stored;

use std::iter;
use std::sync::Arc;

use gotext::source::{Data, Entry, Node, SourceFile, Span};
use kube_api::field::{Path, Segment};
use kube_api::{Value, kinds, secret};
use kube_yaml::{Format, Item, Location, Part};
use memchr::memchr;

use reading::Reading;

pub(crate) use remembered::RememberedPlace;

pub use stored::ManifestText;

/// The number of bytes beyond which lines around a place are not shown. Every refusal in a file that is one long line
/// would repeat all of it.
pub const MAX_EXCERPT_BYTES: usize = 10_000;

/// A document, or an item of a list, in a file. It stores the position, not the content: the few whose fields are
/// needed are read again.
#[derive(Clone, Debug)]
pub struct Place {
    source: Arc<SourceFile>,
    format: Format,
    piece: Span,
    position: Option<usize>,
    is_review: bool,
    /// Returns the field of the object that defines the object of the request, if that is not the object itself.
    field: Option<Path>,
    /// The document's number in the file, from 0.
    pub document: usize,
    /// The place of the object.
    pub span: Span,
}

/// The object at a [`Place`], as it was written.
#[derive(Debug)]
pub struct Written<'a> {
    place: &'a Place,
    document: Arc<Reading>,
    position: usize,
}

/// The length of a manifest whose record in an annotation always fits.
const ALWAYS_FITS: usize = 32 << 10;

impl Place {
    /// Whether the manifest may be too large to be recorded in an annotation. An alias makes one larger than its text.
    pub(super) fn may_outgrow(&self) -> bool {
        self.piece.end - self.piece.start > ALWAYS_FITS || memchr(b'*', self.text().as_bytes()).is_some()
    }

    /// Returns the place of `item`, where its fields are found again, and its value.
    pub fn of(item: Item) -> (Self, Node) {
        let Item { source, document, piece, position, span, format, node, .. } = item;
        let is_review = is_review(&node);
        (Self { source, format, piece, position, is_review, field: None, document, span }, node)
    }

    /// Whether the object is an `AdmissionReview` about another one.
    pub fn is_review(&self) -> bool {
        self.is_review
    }

    /// Returns the place of the field `path` of this object, which defines another object.
    #[must_use]
    pub fn within(&self, path: &Path) -> Self {
        let field = self.field.as_ref().map_or_else(|| path.clone(), |field| field.join(path));
        Self { field: Some(field), ..self.clone() }
    }

    /// Returns the field of the object that defines the object of the request, if that is not the object itself.
    pub fn field(&self) -> Option<&Path> {
        self.field.as_ref()
    }

    /// Returns the place of the written object, which may contain this one as a field.
    #[must_use]
    pub fn whole(&self) -> Self {
        Self { field: None, ..self.clone() }
    }

    /// Returns the number of the object in its list, from 0; nothing if the document is not a list.
    pub fn position(&self) -> Option<usize> {
        self.position
    }

    /// Returns the file.
    pub fn source(&self) -> &Arc<SourceFile> {
        &self.source
    }

    /// Returns the name of the file.
    pub fn file(&self) -> &str {
        self.source.name()
    }

    /// Returns the offset of the object in its file.
    pub fn offset(&self) -> usize {
        self.source.begin().offset + self.span.start
    }

    /// Returns the text of the document.
    pub fn text(&self) -> &str {
        &self.source.text()[self.piece.start..self.piece.end]
    }

    /// Returns the place of the document.
    pub fn document_span(&self) -> Span {
        self.piece
    }

    /// Returns line and column of the start of the object, or of the field that defines it; counted from 1.
    pub fn line_column(&self) -> (usize, usize) {
        let template = self.field.as_ref().and_then(|field| Some(self.whole().written()?.nearest(field)));
        template.unwrap_or_else(|| self.source.line_column(self.span.start))
    }

    /// Returns the object as written; it is read again unless its document was read last.
    pub fn written(&self) -> Option<Written<'_>> {
        let source = Arc::clone(&self.source);
        let part = Part { source, index: self.document, span: self.piece, format: self.format };
        let document = reading::read(part)?;
        let position = self.position.unwrap_or(0);
        (position < document.items.len()).then_some(Written { place: self, document, position })
    }
}

fn is_review(node: &Node) -> bool {
    node.get("kind").and_then(Node::as_str) == Some("AdmissionReview")
}

impl Written<'_> {
    /// Returns where it was written.
    pub fn place(&self) -> &Place {
        self.place
    }

    /// Returns the file that it was written in, or the part of it.
    pub fn source(&self) -> &Arc<SourceFile> {
        &self.place.source
    }

    /// Returns the object as written, if it is not an `AdmissionReview`.
    pub(super) fn manifest(&self) -> Option<Value> {
        (!self.place.is_review).then(|| self.whole().clone().into_value())
    }

    /// Returns the uid of the request, if it is an `AdmissionReview` that has one.
    pub fn review_uid(&self) -> Option<&str> {
        let request = self.place.is_review.then(|| self.whole().get("request"))??;
        request.get("uid")?.as_str().filter(|uid| !uid.is_empty())
    }

    /// Returns the object as an `AdmissionReview` has it.
    pub fn reviewed(&self) -> Option<Value> {
        self.place.is_review.then(|| self.object().cloned().map(Node::into_value))?
    }

    /// Returns the place of `path` in the object. The object of an `AdmissionReview` is the one in its request.
    pub fn find(&self, path: &Path) -> Location {
        let Some(object) = self.object() else {
            return Location::Nearest { depth: 0, key: None, value: self.whole().span };
        };
        let Some(field) = &self.place.field else { return locate(object, path) };
        match kube_yaml::locate(object, &field.join(path)) {
            Location::Nearest { depth, key, value } => {
                Location::Nearest { depth: depth.saturating_sub(field.segments().len()), key, value }
            }
            exact @ Location::Exact { .. } => exact,
        }
    }

    /// Returns the node as written: the object, or the field that defines it.
    pub fn node(&self) -> Option<&Node> {
        let object = self.object()?;
        match &self.place.field {
            Some(field) => kube_yaml::node_at(object, field),
            None => Some(object),
        }
    }

    /// Returns the values of the annotation `name` with their places: of the object, and of the templates in it on the
    /// path to the defining one.
    pub fn annotations(&self, name: &str) -> Vec<(&str, Span)> {
        let Some(object) = self.object() else { return Vec::new() };
        let field = self.place.field.as_ref();
        let templates = field.map(|field| kube_yaml::ancestors_of(object, field)).unwrap_or_default();
        let nodes = iter::once(object).chain(templates);
        let values = nodes.filter_map(|node| node.get("metadata")?.get("annotations")?.get(name));
        values.filter_map(|value| Some((value.as_str()?, value.span))).collect()
    }

    /// Returns the name of the object, if it has one.
    pub fn name(&self) -> Option<&str> {
        self.object()?.get("metadata")?.get("name")?.as_str()
    }

    /// Returns line and column of `path`, counted from 1, if it was written.
    pub fn line_column(&self, path: &Path) -> Option<(usize, usize)> {
        match self.find(path) {
            Location::Exact { value, .. } => Some(self.place.source.line_column(value.start)),
            Location::Nearest { .. } => None,
        }
    }

    /// Returns line and column of `path` or of the innermost field around it, counted from 1.
    pub fn nearest(&self, path: &Path) -> (usize, usize) {
        let location = self.find(path);
        let span = location.key().unwrap_or(location.span());
        self.place.source.line_column(span.start)
    }

    /// Returns the marked part of a field, on one line: the value, or the key of a multi-line value and of a field around
    /// one that was not written.
    pub fn mark(&self, location: &Location) -> Span {
        let value = location.span();
        match (location, location.key()) {
            (Location::Nearest { .. }, Some(key)) => key,
            (_, Some(key)) if self.whole_line(value) != value => key,
            _ => self.first_line(value),
        }
    }

    /// Returns the marked part of the object: its first line, or the field that defines it.
    pub fn mark_whole(&self) -> Span {
        match (&self.place.field, self.object()) {
            (Some(field), Some(object)) => self.mark(&kube_yaml::locate(object, field)),
            _ => self.first_line(self.place.span),
        }
    }

    /// Returns `span`, or its first line if it has several; of a masked value only its stars.
    pub fn first_line(&self, span: Span) -> Span {
        let end = self.whole_line(span).end;
        let cut =
            self.document.secrets.iter().filter(|secret| secret.span.start < end && end <= secret.span.end);
        let starts = cut.map(|secret| secret.span.start.max(span.start));
        let end = starts.map(|start| end.min(start + MASK)).min().unwrap_or(end);
        Span::new(span.start..end)
    }

    fn whole_line(&self, span: Span) -> Span {
        let text = &self.place.source.text()[span.start..span.end];
        let line = text.lines().next().unwrap_or_default().trim_end();
        Span::new(span.start..span.start + line.len())
    }

    /// Returns the text of the file, with the contents of the document's Secrets masked.
    pub fn shown_text(&self) -> String {
        self.shown(Span::new(0..self.place.source.text().len()))
    }

    /// Returns the text of the file in `shown`, with the contents of the document's Secrets masked.
    pub fn shown(&self, shown: Span) -> String {
        let mut text = self.place.source.text()[shown.start..shown.end].to_owned();
        for Secret { span, stars } in &self.document.secrets {
            let (from, to) = (span.start.max(shown.start), span.end.min(shown.end));
            if from < to {
                strike_out(&mut text, Span::new(from - shown.start..to - shown.start), *stars);
            }
        }
        text
    }

    /// Returns the lines of the document around `span`, with the number of the first; the contents of its Secrets are
    /// masked. Nothing if they are longer than [`MAX_EXCERPT_BYTES`].
    pub fn excerpt(&self, span: Span) -> Option<(usize, String)> {
        let (source, piece) = (&self.place.source, self.place.piece);
        let lines = source.lines_around(span, 1);
        let shown =
            Span::new(lines.start.clamp(piece.start, piece.end)..lines.end.clamp(piece.start, piece.end));
        (shown.end - shown.start <= MAX_EXCERPT_BYTES)
            .then(|| (source.line_column(shown.start).0, self.shown(shown)))
    }

    /// Returns the object with the review around it, if there is one.
    fn whole(&self) -> &Node {
        &self.document.items[self.position]
    }

    fn object(&self) -> Option<&Node> {
        if self.place.is_review { self.whole().get("request")?.get("object") } else { Some(self.whole()) }
    }
}

/// Returns the place of `path` in `object`. The `data` of a Secret may be written as `stringData`.
fn locate(object: &Node, path: &Path) -> Location {
    let location = kube_yaml::locate(object, path);
    let segments = path.segments();
    let Some((first, rest)) = segments.split_first() else { return location };
    let is_of_secret = || object.get("kind").and_then(Node::as_str) == Some(kinds::SECRET.kind);
    if matches!(location, Location::Exact { .. })
        || **first != Segment::Field("data".into())
        || !is_of_secret()
    {
        return location;
    }
    let written = Path::new("stringData").extended(rest.iter().copied());
    match kube_yaml::locate(object, &written) {
        exact @ Location::Exact { .. } => exact,
        Location::Nearest { .. } => location,
    }
}

/// Text that is masked.
#[derive(Clone, Copy, Debug)]
struct Secret {
    span: Span,
    /// The most stars that are shown of it, whatever its length; none for text that is not a value.
    stars: usize,
}

/// Returns the places of the secret values in `node`, with the comments around them. `text` is that of the file.
fn secrets_of(node: &Node, text: &str) -> Vec<Secret> {
    secrets_in(node, text, is_nameless_secret(node))
}

fn secrets_in(node: &Node, text: &str, is_nameless: bool) -> Vec<Secret> {
    let mut secrets = Vec::new();
    match &node.data {
        Data::Object(_) if is_nameless || is_secret(node) => strike_fields(node, text, &mut secrets),
        Data::Object(entries) => {
            secrets.extend(entries.iter().flat_map(|entry| secrets_in(&entry.value, text, false)));
            if secrets.is_empty() {
                return secrets;
            }
        }
        Data::Array(items) => return items.iter().flat_map(|item| secrets_in(item, text, false)).collect(),
        _ => return secrets,
    }
    let annotations = node.get("metadata").and_then(|metadata| metadata.get("annotations"));
    let applied = annotations.and_then(|annotations| annotations.get(secret::LAST_APPLIED));
    secrets.extend(applied.map(|applied| Secret { span: applied.span, stars: MASK }));
    secrets
}

/// Whether `node` is meant to be a Secret: its kind may be misspelt, and its fields misplaced.
fn is_secret(node: &Node) -> bool {
    node.get("kind").and_then(Node::as_str).is_some_and(secret::is_meant_by)
}

/// Whether a document without a kind has the fields of a Secret.
fn is_nameless_secret(node: &Node) -> bool {
    let Data::Object(fields) = &node.data else { return false };
    let is_of_secret = |key: &str| secret::FIELDS.iter().any(|known| key.eq_ignore_ascii_case(known));
    node.get("kind").is_none() && fields.iter().any(|field| is_of_secret(&field.key))
}

/// Adds the places of the values of a Secret and of the comments among them: of all its fields except those that are
/// known to keep nothing secret.
fn strike_fields(secret: &Node, text: &str, secrets: &mut Vec<Secret>) {
    let Data::Object(fields) = &secret.data else { return };
    for field in fields {
        match (field.key.as_str(), &field.value.data) {
            ("apiVersion" | "kind" | "type", Data::String(_)) | ("immutable", Data::Bool(_)) => {}
            ("metadata", Data::Object(fields)) => {
                let unknown = fields.iter().filter(|field| !METADATA.contains(&field.key.as_str()));
                unknown.for_each(|field| strike_values(field, text, secrets));
            }
            _ => strike_values(field, text, secrets),
        }
    }
}

/// The fields of the metadata of an object.
const METADATA: [&str; 15] = [
    "annotations",
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "finalizers",
    "generateName",
    "generation",
    "labels",
    "managedFields",
    "name",
    "namespace",
    "ownerReferences",
    "resourceVersion",
    "selfLink",
    "uid",
];

fn strike_values(field: &Entry, text: &str, secrets: &mut Vec<Secret>) {
    let line_end = |offset: usize| text[offset..].find('\n').map_or(text.len(), |newline| offset + newline);
    let mut comment = line_end(field.key_span.end);
    let entries = match &field.value.data {
        Data::Object(entries) => entries.as_slice(),
        _ => return secrets.push(Secret { span: field.value.span, stars: MASK }),
    };
    for entry in entries {
        if comment < entry.key_span.start && text[comment..entry.key_span.start].contains('#') {
            secrets.push(Secret { span: Span::new(comment..entry.key_span.start), stars: 0 });
        }
        secrets.push(Secret { span: entry.value.span, stars: MASK });
        comment = entry.value.span.end.max(entry.key_span.end);
    }
    if let Some(last) = entries.last() {
        let rest = &text[comment..line_end(comment)];
        if last.value.span.end <= comment && rest.trim_start().starts_with('#') {
            secrets.push(Secret { span: Span::new(comment..line_end(comment)), stars: 0 });
        }
    }
}

/// Replaces the bytes of `span` except line ends by at most `most` stars and then blanks, so that all other places in
/// the text stay valid.
fn strike_out(text: &mut String, span: Span, most: usize) {
    let mut stars = 0;
    let struck: String = text[span.start..span.end]
        .chars()
        .flat_map(|character| {
            let shown = match character {
                '\n' | '\r' => character,
                _ if stars < most => '*',
                _ => ' ',
            };
            stars += usize::from(shown == '*');
            iter::repeat_n(shown, character.len_utf8())
        })
        .collect();
    text.replace_range(span.start..span.end, &struck);
}

/// The number of stars of a masked value, if there is room.
const MASK: usize = 3;

#[cfg(test)]
mod tests;
