//! Walks value and field table together.
//!
//! Fields of the result that are absent are zero: what is read as the zero value of a field that is not a pointer is
//! left out.

mod scalars;

use std::borrow::Cow;
use std::collections::HashSet;

use crate::field::Path;
use crate::schema::{Field, Reference, Scalar, Shape, Struct, Tables, Type};
use crate::{Map, Value};
use gotext::quantity::Quantity;
use gotext::quote;
use gotext::source::{Data, Entry, Node, Span};
use gotext::value::{self, List, Seal, Text};

use super::StrictError;
use super::complete::zero;
use super::fault::{Fault, Found, Reason};

/// The number of strict errors that the server keeps.
const STRICT_ERROR_LIMIT: usize = 100;

/// One step from the root.
enum Step {
    Field { owner: &'static Type, field: &'static Field },
    Key(Text),
    Index(usize),
}

/// A walk through one object.
pub(super) struct Walk<'t> {
    /// The prefix of field names in the messages of strict decoding.
    place: String,
    name_unknown: bool,
    name_repeated: bool,
    /// Whether messages about wrong types name the inlined structs that a field is in.
    names_embedded: bool,
    /// The tables of types that read themselves.
    tables: Tables,
    steps: Vec<Step>,
    first_fault: Option<Fault>,
    strict_errors: Vec<StrictError>,
    /// The quantities whose text differs from the stored form.
    spellings: Vec<(Path, Quantity)>,
    /// JSON of any type that is not written as the server would write it.
    written: Vec<(Path, String)>,
    /// The text that is read, if that is JSON, and where it starts in its file.
    body: (&'t str, usize),
    /// The text that is read, if that is JSON and was never YAML: in it `5.0` is not an integer.
    json: Option<&'t str>,
}

impl<'t> Walk<'t> {
    /// Returns a walk that records unknown fields and repeated fields, if wanted.
    pub(super) fn new(name_unknown: bool, name_repeated: bool) -> Self {
        Self {
            place: String::new(),
            name_unknown,
            name_repeated,
            names_embedded: true,
            tables: Tables::PRESENT,
            steps: Vec::new(),
            first_fault: None,
            strict_errors: Vec::new(),
            spellings: Vec::new(),
            written: Vec::new(),
            body: ("", 0),
            json: None,
        }
    }

    /// Returns a walk through a part of an object, which is at `place`.
    pub(super) fn below(place: &str, name_unknown: bool) -> Self {
        Self { place: place.to_owned(), ..Self::new(name_unknown, false) }
    }

    /// Returns the same walk, whose messages do not name inlined structs unless `names_embedded`.
    pub(super) fn naming_embedded(self, names_embedded: bool) -> Self {
        Self { names_embedded, ..self }
    }

    /// Returns the same walk through the JSON `text`, which starts at `start` in its file.
    pub(super) fn of_text(self, text: &'t str, start: usize) -> Self {
        Self { body: (text, start), ..self }
    }

    /// Returns the same walk through the JSON `text`, in which an integer is written as one.
    pub(super) fn of_json(self, text: &'t str) -> Self {
        Self { json: Some(text), ..self }
    }

    /// Returns the same walk, which finds the types that it needs by itself in `tables`.
    pub(super) fn by(self, tables: Tables) -> Self {
        Self { tables, ..self }
    }

    /// Reads `node` into `slot`. A value of the wrong type is skipped and reported in the end; a type that reads itself
    /// ends the walk at once, and its error wins.
    pub(super) fn read(&mut self, node: Node, target: &'static Type, slot: &mut Value) -> Result<(), Fault> {
        self.value(node, target, false, slot)?;
        self.first_fault.take().map_or(Ok(()), Err)
    }

    /// Returns the faults that strict decoding refuses.
    pub(super) fn into_strict_errors(self) -> Vec<StrictError> {
        self.strict_errors
    }

    /// Takes the quantities whose text differs from the stored form.
    pub(super) fn take_spellings(&mut self) -> Vec<(Path, Quantity)> {
        std::mem::take(&mut self.spellings)
    }

    /// Takes the JSON of any type that is not written as the server would write it.
    pub(super) fn take_written(&mut self) -> Vec<(Path, String)> {
        std::mem::take(&mut self.written)
    }

    fn value(
        &mut self,
        node: Node,
        target: &'static Type,
        pointer: bool,
        slot: &mut Value,
    ) -> Result<(), Fault> {
        let span = node.span;
        match (&target.shape, node.data) {
            (_, Data::Null) if pointer => *slot = Value::Null,
            (Shape::Struct(_), Data::Null) => {}
            (Shape::List(_) | Shape::Map { .. }, Data::Null) => *slot = Value::Null,
            (Shape::Struct(structure), Data::Object(entries)) => {
                return self.structure(entries, target, structure, slot);
            }
            (Shape::List(item), Data::Array(items)) => return self.list(items, item, slot),
            (Shape::Map { value, .. }, Data::Object(entries)) => return self.map(entries, value, slot),
            (Shape::Scalar(scalar), data) => return self.scalar(Node { span, data }, *scalar, target, slot),
            (_, data) => self.mistyped(Found::of(&data), target, span),
        }
        Ok(())
    }

    fn structure(
        &mut self,
        entries: Vec<Entry>,
        owner: &'static Type,
        structure: &'static Struct,
        slot: &mut Value,
    ) -> Result<(), Fault> {
        let room = if entries.is_empty() { 0 } else { TYPICAL_DEFAULTS };
        let mut pairs = pairs_in(slot, entries.len() + room);
        let mut seen = Seen(0);
        for Entry { key, key_span, value } in entries {
            let Some(position) = structure.position(&key) else {
                if self.name_unknown {
                    self.strict_error("unknown", &key, key_span);
                }
                continue;
            };
            let field = &structure.fields[position];
            let mut item = Value::Null;
            if seen.has(position) {
                if self.name_repeated {
                    self.strict_error("duplicate", &key, key_span);
                }
                // The second value is merged into the first, as in Go.
                if let Some(first) = pairs.iter().position(|(found, _)| *found == key) {
                    (_, item) = pairs.remove(first);
                }
            }
            seen.add(position);
            self.steps.push(Step::Field { owner, field });
            self.value(value, field.reference.get(), field.reference.pointer, &mut item)?;
            self.steps.pop();
            let target = field.reference.get();
            if field.reference.pointer && !item.is_null()
                || !is_plain_zero(&item)
                || is_empty_not_absent(target, &item)
            {
                pairs.push((key, item));
            }
        }
        let map = Map::from(pairs);
        map.seal(Seal::of(value::Walk::Known, owner));
        *slot = Value::Object(map);
        Ok(())
    }

    fn list(&mut self, nodes: Vec<Node>, item: &'static Reference, slot: &mut Value) -> Result<(), Fault> {
        let mut items = match slot.take() {
            Value::Array(items) => items,
            _ => List::default(),
        };
        items.resize(nodes.len(), Value::Null);
        let target = item.get();
        for (index, (node, slot)) in nodes.into_iter().zip(&mut items).enumerate() {
            self.steps.push(Step::Index(index));
            self.value(node, target, item.pointer, slot)?;
            self.steps.pop();
            if slot.is_null() && !item.pointer {
                *slot = zero(target);
            }
        }
        *slot = Value::Array(items);
        Ok(())
    }

    fn map(&mut self, entries: Vec<Entry>, value: &'static Reference, slot: &mut Value) -> Result<(), Fault> {
        let mut pairs = pairs_in(slot, entries.len());
        let earlier = pairs.len();
        let mut seen = (entries.len() > FEW).then(HashSet::new);
        let target = value.get();
        for Entry { key, key_span, value: node } in entries {
            let mut is_repeated = || match &mut seen {
                Some(seen) => !seen.insert(key.clone()),
                None => pairs[earlier..].iter().any(|(before, _)| *before == key),
            };
            if self.name_repeated && is_repeated() {
                self.strict_error("duplicate", &key, key_span);
            }
            let mut item = Value::Null;
            self.steps.push(Step::Key(key.clone()));
            self.value(node, target, value.pointer, &mut item)?;
            self.steps.pop();
            if item.is_null() && !value.pointer {
                item = zero(target);
            }
            pairs.push((key, item));
        }
        *slot = Value::Object(Map::from(pairs));
        Ok(())
    }

    fn mistyped(&mut self, found: Found, wanted: &Type, span: Span) {
        let message = found.in_tree(wanted);
        let mut fault = self.mistake(found, &wanted.to_string(), span);
        if let Reason::Type { tree, .. } = &mut fault.reason {
            *tree = message;
        }
        self.keep(fault);
    }

    /// Keeps a fault for the end; the first one counts.
    fn keep(&mut self, fault: Fault) {
        self.first_fault.get_or_insert(fault);
    }

    fn mistake(&self, found: Found, wanted: &str, span: Span) -> Fault {
        let mut names = Vec::new();
        let mut last = "";
        for step in &self.steps {
            if let Step::Field { owner, field } = step {
                last = owner.short_name();
                names.extend(field.embedded.iter().copied().filter(|_| self.names_embedded));
                names.push(&field.name);
            }
        }
        let (owner, wanted) = (last.to_owned(), wanted.to_owned());
        let reason = Reason::Type { found, owner, field: names.join("."), wanted, tree: None };
        Fault { reason, span, path: self.path() }
    }

    fn fault(&self, text: String, span: Span) -> Fault {
        Fault { reason: Reason::Text(text), span, path: self.path() }
    }

    fn path(&self) -> Option<Path> {
        let (first, rest) = self.steps.split_first()?;
        let Step::Field { field: Field { name: Cow::Borrowed(name), .. }, .. } = first else { return None };
        let path = rest.iter().fold(Path::new(name), |path, step| match step {
            Step::Field { field, .. } => path.child(field.name.clone()),
            Step::Key(key) => path.key(key.to_string()),
            Step::Index(index) => path.index(*index),
        });
        Some(path)
    }

    fn strict_error(&mut self, what: &str, key: &str, span: Span) {
        if self.strict_errors.len() >= STRICT_ERROR_LIMIT {
            return;
        }
        let mut path = self.place.clone();
        for step in &self.steps {
            match step {
                Step::Field { field, .. } => push_name(&mut path, &field.name),
                Step::Key(key) => push_name(&mut path, key),
                Step::Index(index) => path.extend(["[", &index.to_string(), "]"]),
            }
        }
        push_name(&mut path, key);
        let text = format!("{what} field {}", quote(&path));
        if self.strict_errors.iter().all(|error| error.text != text) {
            self.strict_errors.push(StrictError { text, span: Some(span) });
        }
    }
}

fn push_name(path: &mut String, name: &str) {
    if !path.is_empty() {
        path.push('.');
    }
    path.push_str(name);
}

/// The number of entries that are compared with each other faster than hashed.
const FEW: usize = 16;

/// The number of fields that get a default in most structs, so that the vector need not grow.
const TYPICAL_DEFAULTS: usize = 4;

/// Takes the entries out of `slot`, to add as many as `more`.
fn pairs_in(slot: &mut Value, more: usize) -> Vec<(Text, Value)> {
    let mut pairs = Vec::with_capacity(more);
    if let Value::Object(map) = slot.take() {
        pairs.extend(map);
    }
    pairs
}

/// The positions of the fields that were read.
struct Seen(u128);

impl Seen {
    fn has(&self, position: usize) -> bool {
        self.0 >> position & 1 != 0
    }

    fn add(&mut self, position: usize) {
        self.0 |= 1 << position;
    }
}

/// Whether a value is the zero value of an absent field, where that can be decided without its type.
fn is_plain_zero(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(value) => !value,
        Value::Number(value) => value.as_i64() == Some(0),
        Value::String(text) => text.is_empty(),
        Value::Array(_) | Value::Object(_) => false,
    }
}

/// Whether a zero value is one that Go distinguishes from an absent field: the name of a port, bytes, any JSON.
fn is_empty_not_absent(target: &Type, value: &Value) -> bool {
    match target.shape {
        Shape::Scalar(Scalar::IntOrString | Scalar::Bytes) => value.is_string(),
        Shape::Scalar(Scalar::Json) => !value.is_null(),
        _ => false,
    }
}
