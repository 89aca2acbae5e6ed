//! Values as Go's `%v` prints them in errors.

use std::fmt::{self, Write as _};

use super::number;
use super::value::{Opaque, Value};
use gotext::quote_bytes;

/// Long lists are cut off here: errors are for people.
const MAX_LENGTH: usize = 1 << 14;

/// Returns a value as Go's `%v` prints it.
pub(super) fn print(value: &Value) -> String {
    let mut text = String::new();
    push(value, &mut text);
    text
}

fn push(value: &Value, text: &mut String) {
    if text.len() > MAX_LENGTH {
        return;
    }
    match value {
        Value::Null => text.push('0'),
        Value::Bool(value) => *text += if *value { "true" } else { "false" },
        Value::Int(value) => *text += &value.to_string(),
        Value::Uint(value) => *text += &value.to_string(),
        Value::Double(value) => *text += &number::general(*value),
        Value::String(value) => *text += value,
        Value::Bytes(bytes) => {
            let bytes: Vec<String> = bytes.iter().map(ToString::to_string).collect();
            write!(text, "[{}]", bytes.join(" ")).expect("a String takes everything");
        }
        Value::List(list) => {
            text.push('[');
            for (index, item) in list.iter().enumerate().take(MAX_LENGTH) {
                *text += if index == 0 { "" } else { ", " };
                push(&item, text);
            }
            text.push(']');
        }
        Value::Map(map) => {
            text.push('{');
            for (index, (key, value)) in map.entries().enumerate().take(MAX_LENGTH) {
                *text += if index == 0 { "" } else { ", " };
                push(&key, text);
                *text += ": ";
                push(&value, text);
            }
            text.push('}');
        }
        Value::Type(name) => *text += name,
        Value::Duration(duration) => *text += &duration.to_go(),
        Value::Timestamp(time) => *text += &time.to_go(),
        Value::Optional(None) => *text += "optional.none()",
        Value::Optional(Some(value)) => {
            *text += "optional(";
            push(value, text);
            text.push(')');
        }
        Value::Opaque(opaque) => *text += &print_opaque(opaque),
        Value::Object(object) => {
            write!(text, "&{{{} map[", object.type_name).expect("a String takes everything");
            for (index, (name, value)) in object.fields.iter().enumerate() {
                *text += if index == 0 { "" } else { " " };
                *text += name;
                text.push(':');
                push(value, text);
            }
            *text += "]}";
        }
    }
}

impl Value<'_> {
    /// Returns the value as it is written in an expression: texts in quotes, also within lists and maps.
    pub fn written(&self) -> String {
        let mut text = String::new();
        push_written(self, &mut text);
        text
    }
}

fn push_written(value: &Value, text: &mut String) {
    if text.len() > MAX_LENGTH {
        return;
    }
    match value {
        Value::String(value) => {
            text.push('\'');
            text.extend(value.escape_debug());
            text.push('\'');
        }
        Value::List(list) => {
            text.push('[');
            for (index, item) in list.iter().enumerate().take(MAX_LENGTH) {
                *text += if index == 0 { "" } else { ", " };
                push_written(&item, text);
            }
            text.push(']');
        }
        Value::Map(map) => {
            text.push('{');
            for (index, (key, value)) in map.entries().enumerate().take(MAX_LENGTH) {
                *text += if index == 0 { "" } else { ", " };
                push_written(&key, text);
                *text += ": ";
                push_written(&value, text);
            }
            text.push('}');
        }
        Value::Optional(Some(value)) => {
            *text += "optional.of(";
            push_written(value, text);
            text.push(')');
        }
        other => *text += &other.to_string(),
    }
}

/// Formats a value as Go's `%v` does, with `b` and quotes around bytes and durations in seconds.
impl fmt::Display for Value<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => formatter.write_str("null"),
            Self::Bytes(bytes) => write!(formatter, "b{}", quote_bytes(bytes)),
            Self::Duration(duration) => formatter.write_str(&duration.to_text()),
            Self::Timestamp(time) => formatter.write_str(&time.to_text()),
            other => formatter.write_str(&print(other)),
        }
    }
}

fn print_opaque(opaque: &Opaque) -> String {
    match opaque {
        Opaque::Quantity { quantity, .. } => quantity.to_string(),
        Opaque::Ip(address) => address.to_string(),
        Opaque::Cidr(prefix) => prefix.to_string(),
        Opaque::Url(url) => url.to_string(),
        Opaque::Semver(version) => version.to_string(),
        Opaque::Format(format) => format!("{{{} {}}}", format.name, format.regex_size),
        other => format!("{{{}}}", other.go_type()),
    }
}
