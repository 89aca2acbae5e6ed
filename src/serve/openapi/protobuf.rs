//! The document of version 2 in protocol buffers, the only form in which `kubectl` reads it. What that does not use is
//! left out: bodies, answers and shared parameters.
//!
//! Source: `github.com/google/gnostic-models/openapiv2/OpenAPIv2.proto`

use gotext::encoding_json;
use kube_api::{Map, Value};
use kube_yaml::write_yaml;

/// The media type.
pub(super) const MEDIA_TYPE: &str = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

/// The names of the media type in requests.
pub(super) const ACCEPTED: [&str; 2] =
    [MEDIA_TYPE, "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"];

/// The operations of a path, with their numbers.
const OPERATIONS: [(&str, u32); 5] = [("get", 2), ("put", 3), ("post", 4), ("delete", 5), ("patch", 8)];

/// Writes `document`.
pub(super) fn written(document: &Value) -> Vec<u8> {
    let mut out = Message::default();
    out.text(1, document.text("swagger"));
    out.message(2, |info| {
        info.text(1, document.text(["info", "title"]));
        info.text(2, document.text(["info", "version"]));
    });
    out.message(8, |paths| {
        for (path, item) in fields(document.child("paths")) {
            paths.message(2, |named| {
                named.text(1, path);
                named.message(2, |out| path_item(out, item));
            });
        }
    });
    out.message(9, |definitions| schemas(definitions, document.child("definitions")));
    out.0
}

fn path_item(out: &mut Message, item: &Value) {
    for (name, number) in OPERATIONS {
        let Some(operation) = item.get(name) else { continue };
        out.message(number, |out| {
            // `kubectl` looks for parameters in the query that are not shared.
            let is_read = |found: &&Value| found.text("in") == "query";
            for parameter in operation.list("parameters").iter().filter(is_read) {
                out.message(8, |out| {
                    out.message(1, |out| {
                        out.message(2, |out| {
                            out.message(3, |out| {
                                out.text(2, parameter.text("in"));
                                out.text(4, parameter.text("name"));
                                out.text(6, parameter.text("type"));
                            });
                        });
                    });
                });
            }
            extensions(out, 13, operation.as_object());
        });
    }
}

fn schemas(out: &mut Message, found: Option<&Map>) {
    for (name, schema) in fields(found) {
        out.message(1, |named| {
            named.text(1, name);
            named.message(2, |out| self::schema(out, schema));
        });
    }
}

fn schema(out: &mut Message, found: &Value) {
    out.text(1, found.text("$ref"));
    out.text(2, found.text("format"));
    out.text(4, found.text("description"));
    for name in found.list("required").iter().filter_map(Value::as_str) {
        out.text(19, name);
    }
    for value in found.list("enum") {
        out.message(20, |out| out.text(2, &yaml(value)));
    }
    if let Some(additional) = found.get("additionalProperties") {
        out.message(21, |out| match additional.as_bool() {
            Some(flag) => out.number(2, flag.into()),
            None => out.message(1, |out| schema(out, additional)),
        });
    }
    if !found.text("type").is_empty() {
        out.message(22, |out| out.text(1, found.text("type")));
    }
    if let Some(items) = found.get("items") {
        out.message(23, |out| out.message(1, |out| schema(out, items)));
    }
    if found.child("properties").is_some() {
        out.message(25, |out| schemas(out, found.child("properties")));
    }
    extensions(out, 31, found.as_object());
}

/// Writes the fields whose names begin with `x-`, with values in YAML.
fn extensions(out: &mut Message, number: u32, found: Option<&Map>) {
    for (name, value) in fields(found).filter(|(name, _)| name.starts_with("x-")) {
        out.message(number, |out| {
            out.text(1, name);
            out.message(2, |out| out.text(2, &yaml(value)));
        });
    }
}

fn yaml(value: &Value) -> String {
    let mut text = String::new();
    if write_yaml(value, &mut text).is_err() {
        text = encoding_json::to_string(value);
    }
    text
}

fn fields(found: Option<&Map>) -> impl Iterator<Item = (&str, &Value)> {
    found.into_iter().flat_map(Map::iter).map(|(name, value)| (name.as_str(), value))
}

/// A message that is written field by field.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut number: u64) {
        while number > 0x7f {
            self.0.push(number.to_le_bytes()[0] | 0x80);
            number >>= 7;
        }
        self.0.push(number.to_le_bytes()[0]);
    }

    fn number(&mut self, field: u32, number: u64) {
        self.varint(u64::from(field) << 3);
        self.varint(number);
    }

    fn bytes(&mut self, field: u32, bytes: &[u8]) {
        self.varint(u64::from(field) << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    /// Writes a text that is not empty.
    fn text(&mut self, field: u32, text: &str) {
        if !text.is_empty() {
            self.bytes(field, text.as_bytes());
        }
    }

    fn message(&mut self, field: u32, write: impl FnOnce(&mut Self)) {
        let mut below = Self::default();
        write(&mut below);
        self.bytes(field, &below.0);
    }
}

#[cfg(test)]
mod tests {
    use gotext::value::json;

    use super::*;

    #[test]
    fn texts_and_messages_have_their_lengths() {
        let document = json!({"swagger": "2.0", "info": {"title": "a", "version": ""}});
        assert_eq!(written(&document), b"\x0a\x032.0\x12\x03\x0a\x01a\x42\x00\x4a\x00");
    }

    #[test]
    fn extensions_are_yaml() {
        let mut out = Message::default();
        schema(&mut out, &json!({"type": "array", "x-kubernetes-list-type": "set"}));
        assert_eq!(
            out.0,
            b"\xb2\x01\x07\x0a\x05array\xfa\x01\x20\x0a\x16x-kubernetes-list-type\x12\x06\x12\x04set\n"
        );
    }
}
