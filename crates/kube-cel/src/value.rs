//! The values that an expression computes with.
//!
//! A value borrows from the object that it is part of, or shares a computed one; cloning is cheap.
//!
//! Source: cel-go `common/types`.

mod key;
mod list;
mod map;
mod opaque;
mod tree;

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

pub use list::{Items, List};
pub use map::Map;
pub use opaque::{ObjectValue, Opaque};

pub(super) use key::{Key, double_to_int};
pub(super) use map::Entries;
pub(super) use tree::{TreeList, TreeMap};

use super::failure::Fault;
use super::time::{Duration, Timestamp};

/// The result of a step of an evaluation.
pub(super) type Outcome<'a> = Result<Value<'a>, Fault>;

/// A text, of an object or computed.
#[derive(Clone)]
pub enum Text<'a> {
    /// Part of an object.
    Borrowed(&'a str),
    /// Computed, or part of the expression.
    Shared(Arc<str>),
}

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Self::Borrowed(text) => text,
            Self::Shared(text) => text,
        }
    }
}

impl fmt::Debug for Text<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, formatter)
    }
}

impl PartialEq for Text<'_> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Text<'_> {}

impl Hash for Text<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl From<String> for Text<'_> {
    fn from(text: String) -> Self {
        Self::Shared(text.into())
    }
}

/// A value.
#[derive(Debug, Clone)]
pub enum Value<'a> {
    /// `null`
    Null,
    /// `bool`
    Bool(bool),
    /// `int`
    Int(i64),
    /// `uint`
    Uint(u64),
    /// `double`
    Double(f64),
    /// `string`
    String(Text<'a>),
    /// `bytes`
    Bytes(Arc<[u8]>),
    /// `list`
    List(List<'a>),
    /// `map`
    Map(Map<'a>),
    /// A type, by its name.
    Type(Arc<str>),
    /// `google.protobuf.Duration`
    Duration(Duration),
    /// `google.protobuf.Timestamp`
    Timestamp(Timestamp),
    /// `optional_type`
    Optional(Option<Arc<Value<'a>>>),
    /// A value of one of Kubernetes' libraries.
    Opaque(Opaque<'a>),
    /// The result of `Object{…}` and `JSONPatch{…}`.
    Object(Arc<ObjectValue<'a>>),
}

/// A capability of a type, which cel-go checks before it calls an operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trait {
    Adder,
    Comparer,
    Divider,
    Modder,
    Multiplier,
    Negator,
    Subtractor,
    Sizer,
    Matcher,
    Receiver,
    /// Needs an operation that only lists have.
    Lister,
}

impl Value<'_> {
    pub(super) fn text(text: impl Into<String>) -> Self {
        Self::String(Text::Shared(text.into().into()))
    }

    pub(super) fn optional(value: Self) -> Self {
        Self::Optional(Some(Arc::new(value)))
    }

    pub(super) fn list(items: Vec<Self>) -> Self {
        Self::List(List::from(items))
    }

    /// Returns a list of texts.
    pub(super) fn texts(items: impl IntoIterator<Item = String>) -> Self {
        Self::list(items.into_iter().map(Self::text).collect())
    }

    /// Returns the name of the value's type.
    pub fn type_name(&self) -> &str {
        match self {
            Self::Null => "null_type",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Uint(_) => "uint",
            Self::Double(_) => "double",
            Self::String(_) => "string",
            Self::Bytes(_) => "bytes",
            Self::List(_) => "list",
            Self::Map(_) => "map",
            Self::Type(_) => "type",
            Self::Duration(_) => "google.protobuf.Duration",
            Self::Timestamp(_) => "google.protobuf.Timestamp",
            Self::Optional(_) => "optional_type",
            Self::Opaque(opaque) => opaque.type_name(),
            Self::Object(object) => &object.type_name,
        }
    }

    /// Returns the name of the Go type that cel-go uses for the value, as printed in its errors.
    pub(super) fn go_type(&self) -> &'static str {
        match self {
            Self::Null => "types.Null",
            Self::Bool(_) => "types.Bool",
            Self::Int(_) => "types.Int",
            Self::Uint(_) => "types.Uint",
            Self::Double(_) => "types.Double",
            Self::String(_) => "types.String",
            Self::Bytes(_) => "types.Bytes",
            Self::List(List::Concat(_)) => "*types.concatList",
            Self::List(List::Keyed(_)) => "*common.unstructuredList",
            Self::List(_) => "*types.baseList",
            Self::Map(_) => "*types.baseMap",
            Self::Type(_) => "*types.Type",
            Self::Duration(_) => "types.Duration",
            Self::Timestamp(_) => "types.Timestamp",
            Self::Optional(_) => "*types.Optional",
            Self::Opaque(opaque) => opaque.go_type(),
            Self::Object(object) if &*object.type_name == "JSONPatch" => "*mutation.JSONPatchVal",
            Self::Object(_) => "*dynamic.ObjectVal",
        }
    }

    /// Returns the value as the field of an object literal, with object literals in it turned into maps.
    pub(super) fn without_object_types(&self) -> Self {
        match self {
            Self::Object(object) if &*object.type_name != "JSONPatch" => {
                let mut entries = Entries::default();
                for (name, value) in &object.fields {
                    entries.set(Self::String(Text::Shared(Arc::clone(name))), value.without_object_types());
                }
                Self::Map(entries.into())
            }
            Self::List(List::Items(items)) => {
                Self::list(items.iter().map(Self::without_object_types).collect())
            }
            other => other.clone(),
        }
    }

    /// Returns the name of the Go type of the value itself.
    pub(super) fn go_value_type(&self) -> &'static str {
        match self {
            Self::Null => "structpb.NullValue",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int64",
            Self::Uint(_) => "uint64",
            Self::Double(_) => "float64",
            Self::String(_) | Self::Type(_) => "string",
            Self::Bytes(_) => "[]uint8",
            Self::List(List::Tree(_)) => "[]interface {}",
            Self::List(_) => "[]ref.Val",
            Self::Map(Map::Tree(_)) | Self::Object(_) => "map[string]interface {}",
            Self::Map(_) => "map[ref.Val]ref.Val",
            Self::Duration(_) => "time.Duration",
            Self::Timestamp(_) => "time.Time",
            Self::Optional(_) => "<nil>",
            Self::Opaque(opaque) => opaque.go_type(),
        }
    }

    pub(super) fn has(&self, wanted: Trait) -> bool {
        match self {
            Self::Bool(_) => matches!(wanted, Trait::Comparer | Trait::Negator),
            Self::Int(_) => matches!(
                wanted,
                Trait::Adder
                    | Trait::Comparer
                    | Trait::Divider
                    | Trait::Modder
                    | Trait::Multiplier
                    | Trait::Negator
                    | Trait::Subtractor
            ),
            Self::Uint(_) => matches!(
                wanted,
                Trait::Adder
                    | Trait::Comparer
                    | Trait::Divider
                    | Trait::Modder
                    | Trait::Multiplier
                    | Trait::Subtractor
            ),
            Self::Double(_) => matches!(
                wanted,
                Trait::Adder
                    | Trait::Comparer
                    | Trait::Divider
                    | Trait::Multiplier
                    | Trait::Negator
                    | Trait::Subtractor
            ),
            Self::String(_) => matches!(
                wanted,
                Trait::Adder | Trait::Comparer | Trait::Matcher | Trait::Receiver | Trait::Sizer
            ),
            Self::Bytes(_) => matches!(wanted, Trait::Adder | Trait::Comparer | Trait::Sizer),
            Self::List(_) => matches!(wanted, Trait::Adder | Trait::Sizer | Trait::Lister),
            Self::Map(_) => wanted == Trait::Sizer,
            Self::Duration(_) => matches!(
                wanted,
                Trait::Adder | Trait::Comparer | Trait::Negator | Trait::Receiver | Trait::Subtractor
            ),
            Self::Timestamp(_) => {
                matches!(wanted, Trait::Adder | Trait::Comparer | Trait::Receiver | Trait::Subtractor)
            }
            Self::Null | Self::Type(_) | Self::Optional(_) | Self::Opaque(_) | Self::Object(_) => false,
        }
    }

    /// Returns the size of the value: characters, bytes, items or entries.
    pub(super) fn size(&self) -> Option<u64> {
        Some(match self {
            Self::String(text) => text.chars().count() as u64,
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::List(list) => list.len() as u64,
            Self::Map(map) => map.len() as u64,
            Self::Opaque(opaque) => return opaque.size(),
            _ => return None,
        })
    }

    /// Whether `optional.ofNonZeroValue` turns the value into none.
    pub(super) fn is_zero(&self) -> bool {
        match self {
            Self::Null => true,
            Self::Bool(value) => !value,
            Self::Int(value) => *value == 0,
            Self::Uint(value) => *value == 0,
            Self::Double(value) => *value == 0.0,
            Self::String(text) => text.is_empty(),
            Self::Bytes(bytes) => bytes.is_empty(),
            Self::List(list) => list.is_empty(),
            Self::Map(map) => map.is_empty(),
            Self::Duration(duration) => duration.0 == 0,
            Self::Timestamp(timestamp) => timestamp.is_zero(),
            Self::Object(object) => &*object.type_name != "JSONPatch" && object.fields.is_empty(),
            Self::Type(_) | Self::Optional(_) | Self::Opaque(_) => false,
        }
    }

    pub(super) fn as_text(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }
}
