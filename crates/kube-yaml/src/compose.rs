//! Converts a tree of YAML nodes to the JSON value that sigs.k8s.io/yaml produces, with places.
//!
//! Source: the decoder half of `go.yaml.in/yaml/v2` `decode.go`, then `convertToJSONableObject` of
//! `sigs.k8s.io/yaml` and `encoding/json`.

use std::collections::HashSet;

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{GeneralPurpose, GeneralPurposeConfig};
use gotext::value::Number;

use crate::go_text::{float_general, float_key, go_syntax, through_json};
use crate::resolve::{Scalar, resolve_plain, resolve_tagged, short_tag};
use crate::tree::{ROOT, RawData, Tree};
use gotext::source::{Data, Entry, Node, Span};
use gotext::value::Text;

/// The depth to which values may be nested. Go stops at 10,000; everything after the reader walks values by recursion,
/// and no object comes near this.
pub(super) const MAX_DEPTH: usize = 500;

/// A mapping with more keys than this looks them up instead of comparing them all.
const FEW_KEYS: usize = 24;

const BASE64: GeneralPurpose =
    GeneralPurpose::new(&STANDARD, GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true));

/// A value with places in bytes of the text it was read from.
#[derive(Debug)]
pub(super) struct Composed {
    pub(super) node: Node,
    pub(super) duplicates: Vec<Duplicate>,
}

/// A key that strict decoding refuses.
#[derive(Debug)]
pub(super) struct Duplicate {
    /// Go's text, with its line within the document.
    pub(super) text: String,
    pub(super) key_span: Span,
}

/// The reason that a tree has no value.
#[derive(Debug)]
pub(super) struct Refusal {
    /// Go's text.
    pub(super) text: String,
    pub(super) span: Span,
    /// Whether the limit is kadmit's and not Go's.
    pub(super) too_deep: bool,
}

/// Returns the value of a document; `null` if there is no document.
pub(super) fn compose(tree: Option<Tree>) -> Result<Composed, Refusal> {
    let Some(tree) = tree.filter(|tree| !tree.nodes.is_empty()) else {
        return Ok(Composed {
            node: Node { span: Span::default(), data: Data::Null },
            duplicates: Vec::new(),
        });
    };
    let mut composer = Composer {
        tree,
        decoded: 1,
        by_alias: 0,
        aliases: Vec::new(),
        depth: 0,
        duplicates: Vec::new(),
        unfit: Vec::new(),
    };
    let node = composer.node(ROOT)?.into_node();
    if !composer.unfit.is_empty() {
        for keys in [true, false] {
            if let Some(refusal) = composer.first_unfit(&node, keys) {
                return Err(refusal);
            }
        }
    }
    Ok(Composed { node, duplicates: composer.duplicates })
}

struct Composer {
    tree: Tree,
    /// The number of decoded nodes, with aliases counted at each use.
    decoded: usize,
    by_alias: usize,
    /// The alias nodes being followed.
    aliases: Vec<usize>,
    depth: usize,
    duplicates: Vec<Duplicate>,
    /// Values that YAML has and JSON does not. They only matter if no later key replaces them.
    unfit: Vec<Unfit>,
}

enum Unfit {
    Key { key_span: Span, go_type: &'static str, go_key: String },
    Float { span: Span, text: &'static str },
}

/// A decoded node; keys are compared by their values before conversion to text.
struct Value {
    span: Span,
    data: Decoded,
}

enum Decoded {
    Scalar(Scalar),
    Text(String),
    Collection(Data),
}

impl Value {
    fn into_node(self) -> Node {
        let data = match self.data {
            Decoded::Text(text) => Data::String(text.into()),
            Decoded::Collection(data) => data,
            Decoded::Scalar(scalar) => data_of(scalar),
        };
        Node { span: self.span, data }
    }
}

/// Returns the value of a scalar that is not text.
fn data_of(scalar: Scalar) -> Data {
    match scalar {
        Scalar::Bool(value) => Data::Bool(value),
        Scalar::Int(value) => Data::Number(Number::from(value)),
        Scalar::Uint(value) => Data::Number(Number::from(value)),
        Scalar::Float(value) => through_json(value).map_or(Data::Null, Data::Number),
        Scalar::Null | Scalar::Text | Scalar::Timestamp => Data::Null,
    }
}

/// Returns the value of a plain scalar without a tag; none for a number that JSON does not have.
pub(super) fn plain(text: &str) -> Option<Data> {
    match resolve_plain(text) {
        Scalar::Text | Scalar::Timestamp => Some(Data::String(text.into())),
        Scalar::Float(value) if !value.is_finite() => None,
        scalar => Some(data_of(scalar)),
    }
}

/// A mapping while it is read, merge keys included.
#[derive(Default)]
struct Mapping {
    entries: Vec<Entry>,
    /// The keys that were not text, by their position in `entries`.
    others: Vec<(usize, Scalar)>,
    /// The text keys, once there are many.
    texts: Option<HashSet<Text>>,
}

impl Mapping {
    fn has(&self, key: &str, scalar: Option<Scalar>) -> bool {
        if let Some(scalar) = scalar {
            return self.others.iter().any(|(_, other)| *other == scalar);
        }
        if let Some(texts) = &self.texts {
            return texts.contains(key);
        }
        self.entries.iter().enumerate().any(|(position, entry)| {
            entry.key == key && !self.others.iter().any(|(other, _)| *other == position)
        })
    }

    fn push(&mut self, entry: Entry, scalar: Option<Scalar>) {
        if let Some(scalar) = scalar {
            self.others.push((self.entries.len(), scalar));
        } else if let Some(texts) = &mut self.texts {
            texts.insert(entry.key.clone());
        }
        self.entries.push(entry);
        if self.texts.is_none() && self.entries.len() > FEW_KEYS {
            let is_text = |position: &usize| !self.others.iter().any(|(other, _)| other == position);
            let texts =
                (0..self.entries.len()).filter(is_text).map(|position| self.entries[position].key.clone());
            self.texts = Some(texts.collect());
        }
    }
}

impl Composer {
    fn node(&mut self, id: usize) -> Result<Value, Refusal> {
        self.count(id)?;
        let raw = &mut self.tree.nodes[id];
        let span = Span::new(raw.start..raw.end);
        let data = match &mut raw.data {
            RawData::Scalar { tag, value, implicit } => {
                if tag.is_some() {
                    self.tagged(id, span)?
                } else if *implicit {
                    match resolve_plain(value) {
                        Scalar::Text | Scalar::Timestamp => Decoded::Text(take(value, self.tree.has_aliases)),
                        scalar => self.scalar(scalar, span),
                    }
                } else {
                    Decoded::Text(take(value, self.tree.has_aliases))
                }
            }
            RawData::Alias { .. } => return self.alias(id, span),
            RawData::Sequence(children) => {
                let children =
                    if self.tree.has_aliases { children.clone() } else { std::mem::take(children) };
                self.enter(span)?;
                let mut items = Vec::with_capacity(children.len());
                for child in children {
                    items.push(self.node(child)?.into_node());
                }
                self.depth -= 1;
                Decoded::Collection(Data::Array(items))
            }
            RawData::Mapping(_) => {
                self.enter(span)?;
                let mut mapping = Mapping::default();
                self.mapping(id, &mut mapping)?;
                self.depth -= 1;
                Decoded::Collection(Data::Object(mapping.entries))
            }
        };
        Ok(Value { span, data })
    }

    /// Follows an alias. The place of the value is that of the alias, its parts keep their own.
    fn alias(&mut self, id: usize, span: Span) -> Result<Value, Refusal> {
        let target = self.follow(id)?;
        let unfit_before = self.unfit.len();
        let mut value = self.node(target)?;
        self.aliases.pop();
        let target_span = value.span;
        value.span = span;
        for unfit in &mut self.unfit[unfit_before..] {
            if let Unfit::Float { span: place, .. } = unfit
                && *place == target_span
            {
                *place = span;
            }
        }
        Ok(value)
    }

    fn follow(&mut self, id: usize) -> Result<usize, Refusal> {
        let RawData::Alias { name, target } = &self.tree.nodes[id].data else { return Ok(id) };
        if self.aliases.contains(&id) {
            let text = format!("yaml: anchor '{name}' value contains itself");
            return Err(self.refusal(text, id));
        }
        let target = *target;
        self.aliases.push(id);
        Ok(target)
    }

    /// Limits the expansion of aliases as go-yaml does: nearly all of a small document may come from aliases, a tenth
    /// of a large one.
    fn count(&mut self, id: usize) -> Result<(), Refusal> {
        const LOW: usize = 400_000;
        const HIGH: usize = 4_000_000;
        self.decoded += 1;
        if self.aliases.is_empty() {
            return Ok(());
        }
        self.by_alias += 1;
        if self.by_alias <= 100 || self.decoded <= 1000 {
            return Ok(());
        }
        #[expect(clippy::cast_precision_loss, reason = "a ratio needs no more")]
        let (decoded, by_alias) = (self.decoded as f64, self.by_alias as f64);
        #[expect(clippy::cast_precision_loss, reason = "both numbers are small")]
        let allowed = match self.decoded {
            ..=LOW => 0.99,
            HIGH.. => 0.10,
            _ => 0.99 - 0.89 * ((self.decoded - LOW) as f64 / (HIGH - LOW) as f64),
        };
        if by_alias / decoded > allowed {
            return Err(self.refusal("yaml: document contains excessive aliasing".to_owned(), id));
        }
        Ok(())
    }

    fn enter(&mut self, span: Span) -> Result<(), Refusal> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let text = format!("exceeded max depth of {MAX_DEPTH}");
            return Err(Refusal { text, span, too_deep: true });
        }
        Ok(())
    }

    fn scalar(&mut self, scalar: Scalar, span: Span) -> Decoded {
        if let Scalar::Float(value) = scalar
            && !value.is_finite()
        {
            let text = match value {
                f64::INFINITY => "+Inf",
                f64::NEG_INFINITY => "-Inf",
                _ => "NaN",
            };
            self.unfit.push(Unfit::Float { span, text });
        }
        Decoded::Scalar(scalar)
    }

    fn tagged(&mut self, id: usize, span: Span) -> Result<Decoded, Refusal> {
        let RawData::Scalar { tag: Some(tag), value, .. } = &self.tree.nodes[id].data else {
            unreachable!("only scalars with a tag are asked for it");
        };
        if short_tag(tag) == "!!binary" {
            let encoded: String =
                value.chars().filter(|character| !matches!(character, '\r' | '\n')).collect();
            return match BASE64.decode(encoded) {
                Ok(bytes) => Ok(Decoded::Text(replace_invalid(&bytes))),
                Err(_) => {
                    Err(self.refusal("yaml: !!binary value contains invalid base64 data".to_owned(), id))
                }
            };
        }
        match resolve_tagged(tag, value) {
            Ok(Scalar::Text | Scalar::Timestamp) => Ok(Decoded::Text(value.clone())),
            Ok(scalar) => Ok(self.scalar(scalar, span)),
            Err(text) => Err(self.refusal(format!("yaml: {text}"), id)),
        }
    }

    /// Adds the pairs of the mapping `id` to `mapping`, which has others already if this is a merge.
    fn mapping(&mut self, id: usize, mapping: &mut Mapping) -> Result<(), Refusal> {
        let RawData::Mapping(children) = &mut self.tree.nodes[id].data else {
            unreachable!("only mappings are merged");
        };
        let children = if self.tree.has_aliases { children.clone() } else { std::mem::take(children) };
        if mapping.entries.is_empty() {
            mapping.entries.reserve_exact(children.len() / 2);
        }
        for pair in children.chunks_exact(2) {
            let (key_id, value_id) = (pair[0], pair[1]);
            if self.is_merge(key_id) {
                self.merge(value_id, mapping)?;
                continue;
            }
            let key = self.node(key_id)?;
            let key_span = key.span;
            let (text, scalar) = match key.data {
                Decoded::Text(text) => (text, None),
                Decoded::Scalar(scalar) => (key_text(scalar), Some(scalar)),
                Decoded::Collection(data) => {
                    let key = go_syntax(&Node { span: key_span, data });
                    return Err(self.refusal(format!("yaml: invalid map key: {key}"), key_id));
                }
            };
            match scalar {
                Some(Scalar::Null) => self.unfit.push(Unfit::Key {
                    key_span,
                    go_type: "%!s(<nil>)",
                    go_key: "<nil>".to_owned(),
                }),
                Some(Scalar::Uint(value)) => {
                    self.unfit.push(Unfit::Key {
                        key_span,
                        go_type: "uint64",
                        go_key: format!("{value:#x}"),
                    });
                }
                _ => {}
            }
            let value = self.node(value_id)?.into_node();
            if mapping.has(&text, scalar) {
                let line = self.tree.nodes[value_id].line + 1;
                let key = match scalar {
                    None => gotext::quote(&text),
                    Some(Scalar::Null) => "<nil>".to_owned(),
                    Some(Scalar::Uint(value)) => format!("{value:#x}"),
                    Some(Scalar::Float(value)) if value.is_finite() => float_general(value),
                    Some(_) => text.clone(),
                };
                let text = format!("line {line}: key {key} already set in map");
                self.duplicates.push(Duplicate { text, key_span });
            }
            mapping.push(Entry { key: text.into(), key_span, value }, scalar);
        }
        Ok(())
    }

    fn is_merge(&self, id: usize) -> bool {
        match &self.tree.nodes[id].data {
            RawData::Scalar { tag, value, implicit } => {
                value == "<<" && (*implicit || tag.as_deref().is_some_and(|tag| short_tag(tag) == "!!merge"))
            }
            _ => false,
        }
    }

    /// Merges in the order of writing, so that a merge key overrides the keys before it.
    fn merge(&mut self, id: usize, mapping: &mut Mapping) -> Result<(), Refusal> {
        match &self.tree.nodes[id].data {
            RawData::Mapping(_) | RawData::Alias { .. } => self.merge_one(id, mapping),
            // Earlier mappings have precedence.
            RawData::Sequence(children) => {
                for child in children.clone().into_iter().rev() {
                    self.merge_one(child, mapping)?;
                }
                Ok(())
            }
            RawData::Scalar { .. } => Err(self.merge_refusal(id)),
        }
    }

    fn merge_one(&mut self, id: usize, mapping: &mut Mapping) -> Result<(), Refusal> {
        let target = match self.tree.nodes[id].data {
            RawData::Alias { target, .. } => target,
            _ => id,
        };
        if !matches!(self.tree.nodes[target].data, RawData::Mapping(_)) {
            return Err(self.merge_refusal(id));
        }
        self.count(id)?;
        self.enter(Span::new(self.tree.nodes[id].start..self.tree.nodes[id].end))?;
        if target == id {
            self.mapping(id, mapping)?;
        } else {
            self.follow(id)?;
            self.count(target)?;
            self.mapping(target, mapping)?;
            self.aliases.pop();
        }
        self.depth -= 1;
        Ok(())
    }

    fn merge_refusal(&self, id: usize) -> Refusal {
        self.refusal("yaml: map merge requires map or sequence of maps as the value".to_owned(), id)
    }

    fn refusal(&self, text: String, id: usize) -> Refusal {
        let node = &self.tree.nodes[id];
        Refusal { text, span: Span::new(node.start..node.end), too_deep: false }
    }

    /// Returns the first key (or number) that JSON cannot represent, among the values that no later key replaces.
    fn first_unfit(&self, node: &Node, keys: bool) -> Option<Refusal> {
        match &node.data {
            Data::Array(items) => items.iter().find_map(|item| self.first_unfit(item, keys)),
            Data::Object(entries) => entries.iter().enumerate().find_map(|(position, entry)| {
                if entries[position + 1..].iter().any(|later| later.key == entry.key) {
                    return None;
                }
                let refusal = if keys { self.unfit_key(entry) } else { None };
                refusal.or_else(|| self.first_unfit(&entry.value, keys))
            }),
            Data::Null if !keys => self.unfit.iter().find_map(|unfit| match unfit {
                Unfit::Float { span, text } if *span == node.span => {
                    let text = format!("json: unsupported value: {text}");
                    Some(Refusal { text, span: *span, too_deep: false })
                }
                _ => None,
            }),
            _ => None,
        }
    }

    fn unfit_key(&self, entry: &Entry) -> Option<Refusal> {
        self.unfit.iter().find_map(|unfit| match unfit {
            Unfit::Key { key_span, go_type, go_key } if *key_span == entry.key_span => {
                let value = go_syntax(&entry.value);
                let text = format!("unsupported map key of type: {go_type}, key: {go_key}, value: {value}");
                Some(Refusal { text, span: *key_span, too_deep: false })
            }
            _ => None,
        })
    }
}

/// Returns the text of a scalar, moved out unless an alias may need it again.
fn take(value: &mut String, keep: bool) -> String {
    if keep { value.clone() } else { std::mem::take(value) }
}

/// Returns the text of a key that is not text.
fn key_text(scalar: Scalar) -> String {
    match scalar {
        Scalar::Bool(value) => value.to_string(),
        Scalar::Int(value) => value.to_string(),
        Scalar::Uint(value) => value.to_string(),
        Scalar::Float(value) => float_key(value),
        Scalar::Null | Scalar::Text | Scalar::Timestamp => "null".to_owned(),
    }
}

/// Returns the text of bytes, with the replacement character for every byte that is not UTF-8, as `encoding/json` has
/// it.
fn replace_invalid(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    text
}
