//! Values that are neither structs nor lists nor maps, and those whose types read themselves.

use super::super::fault::{Fault, Found, Reason};
use super::super::spelling;
use super::Walk;
use crate::schema::{self, Scalar, Type};
use crate::{Map, Value};
use gotext::quantity::Quantity;
use gotext::source::{Data, Node, Span};
use gotext::{base64, duration, encoding_json, number, time};

impl Walk<'_> {
    pub(super) fn scalar(
        &mut self,
        node: Node,
        scalar: Scalar,
        target: &Type,
        slot: &mut Value,
    ) -> Result<(), Fault> {
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
}
