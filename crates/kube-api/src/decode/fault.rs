//! What is wrong with a value, in Go's words.

use std::fmt;

use crate::field::Path;
use crate::schema::{Scalar, Shape, Type};
use gotext::number;
use gotext::source::{Data, Span};
use gotext::value::Number;

/// Why a value cannot be read.
pub struct Fault {
    pub(super) reason: Reason,
    /// The value.
    pub span: Span,
    /// The field.
    pub(super) path: Option<Path>,
}

pub(super) enum Reason {
    /// A value of the wrong type. `field` is the path of Go names to it, `owner` the struct that has the last of them.
    /// `tree` is the message of a reader of trees.
    Type { found: Found, owner: String, field: String, wanted: String, tree: Option<String> },
    /// The message of a type that reads itself.
    Text(String),
    /// The message about bytes.
    Bytes(String),
}

/// What is there instead of a value of the wanted type.
pub(super) enum Found {
    /// A value of another type, by its name in JSON, and in Go.
    Kind(&'static str, &'static str),
    /// A number that the type cannot have.
    Number(Number),
    /// A number that is not written as an integer, as it is written.
    Fraction(String),
}

impl Found {
    pub(super) fn of(data: &Data) -> Self {
        let in_go = match data {
            Data::Null => "invalid",
            Data::Bool(_) => "bool",
            Data::Number(number) => Self::kind_of(number),
            Data::String(_) => "string",
            Data::Array(_) => "slice",
            Data::Object(_) => "map",
        };
        Self::Kind(go_kind(data), in_go)
    }

    fn kind_of(number: &Number) -> &'static str {
        if number.as_i64().is_some() { "int64" } else { "float64" }
    }

    /// Returns the message of Go's `FromUnstructured` about this instead of a value of type `wanted`, if it is another
    /// one than that of a reader of text.
    pub(super) fn in_tree(&self, wanted: &Type) -> Option<String> {
        let kind = match self {
            Self::Kind(_, kind) => kind,
            Self::Number(number) => Self::kind_of(number),
            Self::Fraction(_) => "float64",
        };
        let scalar = match &wanted.shape {
            Shape::Struct(_) => return Some(format!("cannot restore struct from: {kind}")),
            Shape::Map { .. } => return Some(format!("cannot restore map from {kind}")),
            Shape::List(_) | Shape::Scalar(Scalar::Bytes) => {
                return Some(format!("cannot restore slice from {kind}"));
            }
            Shape::Scalar(scalar) => scalar,
        };
        let own = match scalar {
            Scalar::String => "string",
            Scalar::Bool => "bool",
            Scalar::Int32 => "int32",
            Scalar::Int64 => "int64",
            Scalar::Float64 => "float64",
            _ => return None,
        };
        match (kind, own) {
            ("int64", "string") => Some(format!("cannot convert int64 to {wanted}")),
            ("float64", "int32" | "int64") => Some(format!("cannot convert float64 to {wanted}")),
            // Go turns every integer into any other type of integers.
            ("int64", "int32" | "int64" | "float64") => None,
            _ => Some(format!("unrecognized type: {own}")),
        }
    }
}

impl fmt::Display for Found {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kind(kind, _) => formatter.write_str(kind),
            // A whole number with a fraction is as it was sent: from YAML none has one.
            Self::Number(number)
                if number.as_f64().is_some_and(|read| read.fract() == 0.0 && read.abs() < 1e21) =>
            {
                write!(formatter, "number {number}")
            }
            Self::Number(number) => write!(formatter, "number {}", number::text(number)),
            Self::Fraction(written) => write!(formatter, "number {written}"),
        }
    }
}

impl Fault {
    /// Returns Go's message.
    pub fn message(&self) -> String {
        match &self.reason {
            Reason::Text(text) | Reason::Bytes(text) => text.clone(),
            Reason::Type { found, wanted, field, .. } if field.is_empty() => {
                format!("json: cannot unmarshal {found} into Go value of type {wanted}")
            }
            Reason::Type { found, owner, field, wanted, .. } => {
                format!(
                    "json: cannot unmarshal {found} into Go struct field {owner}.{field} of type {wanted}"
                )
            }
        }
    }

    /// Returns the message of Go's `FromUnstructured`, which reads a tree and not text, where it is another one.
    pub(super) fn unstructured(&self) -> Option<String> {
        match &self.reason {
            Reason::Type { tree, .. } => tree.clone(),
            Reason::Bytes(error) => Some(format!("error decoding from json: {error}")),
            Reason::Text(_) => None,
        }
    }

    /// Moves the fault into `field` of a struct that Go reads whole.
    pub(super) fn within(mut self, name: &str) -> Self {
        if let Reason::Type { field, .. } = &mut self.reason
            && !field.is_empty()
        {
            *field = format!("{name}.{field}");
        }
        self
    }
}

/// Returns Go's name for the type of a JSON value.
pub(super) fn go_kind(data: &Data) -> &'static str {
    match data {
        Data::Null => "null",
        Data::Bool(_) => "bool",
        Data::Number(_) => "number",
        Data::String(_) => "string",
        Data::Array(_) => "array",
        Data::Object(_) => "object",
    }
}
