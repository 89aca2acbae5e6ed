//! Walks value and field table together.
//!
//! Fields of the result that are absent are zero: what is read as the zero value of a field that is not a pointer is
//! left out.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::field::Path;
use crate::schema::{self, Field, Reference, Scalar, Shape, Struct, Tables, Type};
use crate::{Map, Value};
use gotext::quantity::Quantity;
use gotext::source::{Data, Entry, Node, Span};
use gotext::value::{self, List, Seal, Text};
use gotext::{base64, duration, encoding_json, number, quote, time};

use super::StrictError;
use super::complete::zero;
use super::fault::{Fault, Found, Reason};
use super::spelling;

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
        let mut seen = HashSet::new();
        let target = value.get();
        for Entry { key, key_span, value: node } in entries {
            if self.name_repeated && !seen.insert(key.clone()) {
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

    fn scalar(&mut self, node: Node, scalar: Scalar, target: &Type, slot: &mut Value) -> Result<(), Fault> {
        let Node { span, data } = node;
        match (scalar, data) {
            (Scalar::String, Data::String(text)) => *slot = text.into(),
            (Scalar::Bool, Data::Bool(value)) => *slot = Value::Bool(value),
            (Scalar::String | Scalar::Bool | Scalar::Json, Data::Null) => {}
            (Scalar::Int32 | Scalar::Int64 | Scalar::Uint8 | Scalar::Float64, data) => {
                self.number(data, scalar, target, span, slot);
            }
            (Scalar::Bytes, data) => self.bytes(data, target, span, slot),
            (Scalar::Quantity, data) => match data {
                Data::Null => *slot = Value::Null,
                data => {
                    let written = spelling::of_quantity(data);
                    let written = written.trim();
                    let quantity =
                        Quantity::parse(written).map_err(|error| self.fault(error.to_string(), span))?;
                    let text = quantity.to_string();
                    if text != written
                        && let Some(path) = self.path()
                    {
                        self.spellings.push((path, quantity));
                    }
                    *slot = text.into();
                }
            },
            (Scalar::IntOrString, data) => match data {
                Data::String(text) => *slot = text.into(),
                Data::Null => *slot = Value::Null,
                Data::Number(value) => {
                    let read = number::integer(&value, i64::from(i32::MIN), i64::from(i32::MAX));
                    *slot = read.ok_or_else(|| self.mistake(Found::Number(value), "int32", span))?.into();
                }
                other => return Err(self.mistake(Found::of(&other), "int32", span)),
            },
            (Scalar::Time | Scalar::MicroTime, Data::Null) => *slot = Value::Null,
            (Scalar::Time | Scalar::MicroTime | Scalar::Duration, Data::String(text)) => {
                let read = match scalar {
                    Scalar::Time => time::to_the_second(&text),
                    Scalar::MicroTime => time::to_the_microsecond(&text),
                    _ => duration::canonical(&text).map(Some),
                };
                *slot = read.map_err(|error| self.fault(error, span))?.into();
            }
            (Scalar::Duration, Data::Null) => {
                duration::canonical("").map(drop).map_err(|error| self.fault(error, span))?;
            }
            (Scalar::Time | Scalar::MicroTime | Scalar::Duration, other) => {
                return Err(self.mistake(Found::of(&other), "string", span));
            }
            (Scalar::Json, data) => self.json(Node { span, data }, slot),
            (Scalar::SchemaOrBool | Scalar::SchemaOrArray | Scalar::SchemaOrStrings, data) => {
                return self.schema(Node { span, data }, scalar, slot);
            }
            (_, other) => self.mistyped(Found::of(&other), target, span),
        }
        Ok(())
    }

    fn number(&mut self, data: Data, scalar: Scalar, target: &Type, span: Span, slot: &mut Value) {
        let value = match data {
            Data::Number(value) => value,
            Data::Null => return,
            other => return self.mistyped(Found::of(&other), target, span),
        };
        let (least, most) = match scalar {
            Scalar::Int32 => (i64::from(i32::MIN), i64::from(i32::MAX)),
            Scalar::Uint8 => (0, 255),
            Scalar::Float64 => {
                *slot = Value::Number(value);
                return;
            }
            _ => (i64::MIN, i64::MAX),
        };
        if let Some(written) = self.json.and_then(|text| text.get(span.start..span.end))
            && written.contains(['.', 'e', 'E'])
        {
            return self.mistyped(Found::Fraction(written.to_owned()), target, span);
        }
        match number::integer(&value, least, most) {
            Some(value) => *slot = value.into(),
            None => self.mistyped(Found::Number(value), target, span),
        }
    }

    /// Reads bytes: base64, or a list of numbers, which Go accepts as well.
    fn bytes(&mut self, data: Data, target: &Type, span: Span, slot: &mut Value) {
        match data {
            Data::Null => *slot = Value::Null,
            Data::String(text) => match base64::canonical(&text) {
                Ok(text) => *slot = text.into(),
                Err(error) => self.keep(Fault { reason: Reason::Bytes(error), span, path: self.path() }),
            },
            Data::Array(items) => {
                let mut bytes = Vec::with_capacity(items.len());
                for item in items {
                    match item.data {
                        Data::Null => bytes.push(0),
                        Data::Number(value) => match number::integer(&value, 0, 255) {
                            Some(value) => bytes.push(u8::try_from(value).expect("checked to be a byte")),
                            None => self.keep(self.mistake(Found::Number(value), "uint8", item.span)),
                        },
                        other => self.keep(self.mistake(Found::of(&other), "uint8", item.span)),
                    }
                }
                *slot = base64::encode(&bytes).into();
            }
            other => self.mistyped(Found::of(&other), target, span),
        }
    }

    /// Reads JSON of any type, and keeps its text where the server writes another.
    fn json(&mut self, node: Node, slot: &mut Value) {
        let (text, start) = self.body;
        let range = node.span.start.checked_sub(start).zip(node.span.end.checked_sub(start));
        let as_written = range.and_then(|(start, end)| text.get(start..end));
        let in_order = spelling::unsorted(&node);
        *slot = node.into_value();
        let is_json = |text: &&str| encoding_json::from_slice(text.as_bytes()).as_ref() == Ok(&*slot);
        let text = as_written.filter(is_json).map(str::to_owned).or(in_order);
        if let Some(text) = text.filter(|text| *text != encoding_json::to_string(slot))
            && let Some(path) = self.path()
        {
            self.written.push((path, text));
        }
    }

    /// Reads those parts of a custom resource definition's schema that are a schema or something else. Inside, reading
    /// starts afresh and does not check for unknown fields.
    fn schema(&mut self, node: Node, scalar: Scalar, slot: &mut Value) -> Result<(), Fault> {
        let Node { span, data } = node;
        let name = "apiextensions/v1.JSONSchemaProps";
        let props = self.tables.named(name).or_else(|| schema::named(name)).expect("the tables have it");
        *slot = match (scalar, data) {
            (_, data @ Data::Object(_)) => self.inner(Node { span, data }, |walk, node, value| {
                *value = Value::Object(Map::new());
                walk.value(node, props, false, value)
            })?,
            (Scalar::SchemaOrBool, Data::Bool(value)) => Value::Bool(value),
            (Scalar::SchemaOrBool, _) => {
                return Err(self.fault("boolean or JSON schema expected".to_owned(), span));
            }
            (Scalar::SchemaOrArray, data @ Data::Array(_)) => {
                let any_of = props.field("anyOf").expect("the tables have it").reference.get();
                self.inner(Node { span, data }, |walk, node, value| walk.value(node, any_of, false, value))?
            }
            (Scalar::SchemaOrStrings, data @ Data::Array(_)) => {
                let required = props.field("required").expect("the tables have it").reference.get();
                self.inner(Node { span, data }, |walk, node, value| walk.value(node, required, false, value))?
            }
            _ => Value::Null,
        };
        Ok(())
    }

    fn inner(
        &self,
        node: Node,
        read: impl FnOnce(&mut Walk<'static>, Node, &mut Value) -> Result<(), Fault>,
    ) -> Result<Value, Fault> {
        let mut walk = Walk::new(false, false).by(self.tables);
        let mut value = Value::Null;
        let result = read(&mut walk, node, &mut value);
        match result.err().or(walk.first_fault) {
            None => Ok(value),
            Some(Fault { reason: Reason::Type { found, field, wanted, .. }, span, .. }) => {
                let mut fault = self.mistake(found, &wanted, span);
                if let Reason::Type { field: outer, .. } = &mut fault.reason
                    && !field.is_empty()
                {
                    outer.push('.');
                    outer.push_str(&field);
                }
                Err(fault)
            }
            Some(fault) => Err(Fault { path: self.path(), ..fault }),
        }
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
