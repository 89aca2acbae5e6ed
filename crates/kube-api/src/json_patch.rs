//! JSON patches (RFC 6902) and merge patches (RFC 7386) as the API server applies them.
//!
//! The server's library is laxer than the RFC: negative indices count from the end, `replace` adds a key that is not
//! there, and text before a path's first slash is ignored.
//!
//! Source: `gopkg.in/evanphx/json-patch.v4`. Not copied from there: a `null` that an earlier operation of the same
//! patch wrote is any other `null` to `test`, and what makes the library panic is an error here.

use std::borrow::Cow;

use gotext::value::json;
use thiserror::Error;

use crate::{Map, Value};
use gotext::number::atoi;
use gotext::pointer::unescape;

/// The number of bytes that the `copy` operations of a patch may add to a document; set by kube-apiserver.
const MAX_COPIED_BYTES: usize = 3 * 1024 * 1024;

/// A list of operations.
#[derive(Clone, Debug, PartialEq)]
pub struct Patch(Vec<Map>);

/// The reason that a patch cannot be read or applied, with Go's text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Error {
    /// A `test` operation failed; policies then skip the patch.
    #[error("testing value {path} failed: test failed")]
    TestFailed {
        /// The path that it tested.
        path: String,
    },
    /// Any other failure.
    #[error("{0}")]
    Failed(String),
}

/// Reads a patch; `null` is one without operations.
pub fn decode(patch: &Value) -> Result<Patch, Error> {
    let operations = match patch {
        Value::Null => return Ok(Patch(Vec::new())),
        Value::Array(operations) => operations,
        other => return failed(cannot_unmarshal(other, "jsonpatch.Patch")),
    };
    let operation = |operation: &Value| match operation {
        Value::Null => Ok(Map::new()),
        Value::Object(operation) => Ok(operation.clone()),
        other => failed(cannot_unmarshal(other, "jsonpatch.Operation")),
    };
    operations.iter().map(operation).collect::<Result<_, _>>().map(Patch)
}

/// Merges `patch` into `target`: `null` removes a key, objects are merged, the rest is replaced.
pub fn merge(target: Value, patch: Value) -> Result<Value, Error> {
    if target.is_null() {
        return failed("Invalid JSON Document");
    }
    match (target, patch) {
        (mut target @ Value::Object(_), patch @ Value::Object(_)) => {
            merge_into(&mut target, patch);
            Ok(target)
        }
        (_, mut patch @ (Value::Object(_) | Value::Array(_))) => {
            prune_nulls(&mut patch);
            Ok(patch)
        }
        _ => failed("Invalid JSON Patch"),
    }
}

fn merge_into(target: &mut Value, patch: Value) {
    match (target, patch) {
        (Value::Object(target), Value::Object(patch)) => {
            for (key, value) in patch {
                if value.is_null() {
                    target.remove(&key);
                } else {
                    merge_into(target.entry(key).or_insert(Value::Null), value);
                }
            }
        }
        // Where a list replaces an object the library keeps the nulls in the list's objects.
        (target @ Value::Object(_), replacement) => *target = replacement,
        (target, mut replacement) => {
            prune_nulls(&mut replacement);
            *target = replacement;
        }
    }
}

/// Removes the keys that are null, in lists as well.
fn prune_nulls(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.retain(|_, value| !value.is_null());
            map.values_mut().for_each(prune_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(prune_nulls),
        _ => {}
    }
}

impl Patch {
    /// Returns the operations, as they were given.
    pub fn operations(&self) -> &[Map] {
        &self.0
    }

    /// Returns the document after all operations.
    pub fn apply(&self, document: Value) -> Result<Value, Error> {
        let mut document = match document {
            Value::Null => json!({}),
            Value::Object(_) | Value::Array(_) => document.untyped(),
            other => return failed(cannot_unmarshal(&other, "jsonpatch.partialDoc")),
        };
        let mut copied = 0;
        for operation in &self.0 {
            let operation = Operation(operation);
            match operation.kind() {
                "add" => operation.add(&mut document)?,
                "remove" => operation.remove(&mut document)?,
                "replace" => operation.replace(&mut document)?,
                "move" => operation.move_value(&mut document)?,
                "test" => operation.test(&mut document)?,
                "copy" => operation.copy(&mut document, &mut copied)?,
                other => return failed(format!("Unexpected kind: {other}")),
            }
        }
        Ok(document)
    }
}

struct Operation<'a>(&'a Map);

impl Operation<'_> {
    fn kind(&self) -> &str {
        self.0.get("op").and_then(Value::as_str).unwrap_or("unknown")
    }

    fn path(&self) -> Result<&str, String> {
        self.text("path", "operation missing path field: missing value")
    }

    fn from(&self) -> Result<&str, String> {
        self.text("from", "operation, missing from field: missing value")
    }

    fn text(&self, field: &str, missing: &str) -> Result<&str, String> {
        match self.0.get(field) {
            None | Some(Value::Null) => Err(missing.to_owned()),
            Some(Value::String(text)) => Ok(text),
            Some(other) => Err(cannot_unmarshal(other, "string")),
        }
    }

    fn value(&self) -> &Value {
        self.0.get("value").unwrap_or(&Value::Null)
    }

    fn add(&self, document: &mut Value) -> Result<(), Error> {
        let path = self.path().or_else(|_| failed("add operation failed to decode path: missing value"))?;
        let Some((container, key)) = container(document, path) else {
            return failed(format!(
                "add operation does not apply: doc is missing path: \"{path}\": missing value"
            ));
        };
        add(container, &key, self.value().clone())
            .or_else(|error| failed(format!("error in add for path: '{path}': {error}")))
    }

    fn remove(&self, document: &mut Value) -> Result<(), Error> {
        let path =
            self.path().or_else(|_| failed("remove operation failed to decode path: missing value"))?;
        let Some((container, key)) = container(document, path) else {
            return failed(format!(
                "remove operation does not apply: doc is missing path: \"{path}\": missing value"
            ));
        };
        match remove(container, &key) {
            Ok(_) => Ok(()),
            Err(error) => failed(format!("error in remove for path: '{path}': {error}")),
        }
    }

    fn replace(&self, document: &mut Value) -> Result<(), Error> {
        let path = self
            .path()
            .or_else(|error| failed(format!("replace operation failed to decode path: {error}")))?;
        if path.is_empty() {
            if !self.value().is_object() && !self.value().is_array() {
                return failed("replace operation value must be object or array: %!w(<nil>)");
            }
            *document = self.value().clone();
            return Ok(());
        }
        let Some((container, key)) = container(document, path) else {
            return failed(format!(
                "replace operation does not apply: doc is missing path: {path}: missing value"
            ));
        };
        match container {
            Container::Map(map) => {
                map.insert(key.into_owned(), self.value().clone());
            }
            Container::List(items) => match index(&key, items.len()) {
                Ok(index) => items[index] = self.value().clone(),
                Err(_) => {
                    return failed(format!(
                        "replace operation does not apply: doc is missing key: {path}: missing value"
                    ));
                }
            },
        }
        Ok(())
    }

    fn move_value(&self, document: &mut Value) -> Result<(), Error> {
        let from =
            self.from().or_else(|error| failed(format!("move operation failed to decode from: {error}")))?;
        let Some((source, key)) = container(document, from) else {
            return failed(format!(
                "move operation does not apply: doc is missing from path: {from}: missing value"
            ));
        };
        let value = remove(source, &key)
            .or_else(|error| failed(format!("error in move for path: '{key}': {error}")))?;
        let path =
            self.path().or_else(|error| failed(format!("move operation failed to decode path: {error}")))?;
        let Some((destination, key)) = container(document, path) else {
            return failed(format!(
                "move operation does not apply: doc is missing destination path: {path}: missing value"
            ));
        };
        add(destination, &key, value)
            .or_else(|error| failed(format!("error in move for path: '{path}': {error}")))
    }

    fn test(&self, document: &mut Value) -> Result<(), Error> {
        let path =
            self.path().or_else(|error| failed(format!("test operation failed to decode path: {error}")))?;
        let equal = if path.is_empty() {
            document == self.value()
        } else {
            let Some((container, key)) = container(document, path) else {
                return failed(format!(
                    "test operation does not apply: is missing path: {path}: missing value"
                ));
            };
            let value = get(&container, &key)
                .or_else(|error| failed(format!("error in test for path: '{path}': {error}")))?;
            value == self.value()
        };
        if equal { Ok(()) } else { Err(Error::TestFailed { path: path.to_owned() }) }
    }

    fn copy(&self, document: &mut Value, copied: &mut usize) -> Result<(), Error> {
        let from =
            self.from().or_else(|error| failed(format!("copy operation failed to decode from: {error}")))?;
        let Some((source, key)) = container(document, from) else {
            return failed(format!(
                "copy operation does not apply: doc is missing from path: {from}: missing value"
            ));
        };
        let value = get(&source, &key)
            .or_else(|error| failed(format!("error in copy for from: '{from}': {error}")))?
            .clone();
        let path = self.path().or_else(|_| failed("copy operation failed to decode path: missing value"))?;
        let Some((destination, key)) = container(document, path) else {
            return failed(format!(
                "copy operation does not apply: doc is missing destination path: {path}: missing value"
            ));
        };
        *copied += if value.is_null() { 0 } else { value.to_string().len() };
        if *copied > MAX_COPIED_BYTES {
            return failed(format!(
                "Unable to complete the copy, the accumulated size increase of copy is {copied}, exceeding the \
                 limit {MAX_COPIED_BYTES}"
            ));
        }
        add(destination, &key, value)
            .or_else(|error| failed(format!("error while adding value during copy: {error}")))
    }
}

/// The container that a path's last step is looked up in.
enum Container<'a> {
    Map(&'a mut Map),
    List(&'a mut Vec<Value>),
}

impl<'a> Container<'a> {
    fn of(value: &'a mut Value) -> Option<Self> {
        match value {
            Value::Object(map) => Some(Self::Map(map)),
            Value::Array(items) => Some(Self::List(items)),
            _ => None,
        }
    }
}

/// Returns the container that `path` ends in, and its key there.
///
/// Source: `findObject`.
fn container<'a, 'p>(document: &'a mut Value, path: &'p str) -> Option<(Container<'a>, Cow<'p, str>)> {
    let (_, steps) = path.split_once('/')?;
    let (parents, key) = match steps.rsplit_once('/') {
        Some((parents, key)) => (Some(parents), key),
        None => (None, steps),
    };
    let mut current = document;
    for step in parents.into_iter().flat_map(|parents| parents.split('/')) {
        let step = unescape(step);
        current = match current {
            Value::Object(map) => map.get_mut(step.as_ref())?,
            Value::Array(items) => {
                let index = index(&step, items.len()).ok()?;
                &mut items[index]
            }
            _ => return None,
        };
    }
    Some((Container::of(current)?, unescape(key)))
}

/// Returns the value of `key`; a key that is missing in a map is null.
fn get<'a>(container: &'a Container, key: &str) -> Result<&'a Value, String> {
    match container {
        Container::Map(map) => Ok(map.look_up(key).unwrap_or(&Value::Null)),
        Container::List(items) => Ok(&items[index(key, items.len())?]),
    }
}

fn add(container: Container, key: &str, value: Value) -> Result<(), String> {
    match container {
        Container::Map(map) => {
            map.insert(key.to_owned(), value);
        }
        Container::List(items) if key == "-" => items.push(value),
        Container::List(items) => {
            atoi(key).map_err(|error| format!("value was not a proper array index: '{key}': {error}"))?;
            // An item may be added one past the end, so that -1 is the end.
            items.insert(index(key, items.len() + 1)?, value);
        }
    }
    Ok(())
}

fn remove(container: Container, key: &str) -> Result<Value, String> {
    match container {
        Container::Map(map) => {
            map.remove(key).ok_or_else(|| format!("Unable to remove nonexistent key: {key}: missing value"))
        }
        Container::List(items) => Ok(items.remove(index(key, items.len())?)),
    }
}

/// Returns the place that `key` names among `length` items; a negative number counts from the end.
fn index(key: &str, length: usize) -> Result<usize, String> {
    let index = atoi(key)?;
    let position = usize::try_from(index).ok().or_else(|| {
        let from_end = usize::try_from(index.unsigned_abs()).ok()?;
        length.checked_sub(from_end)
    });
    position
        .filter(|position| *position < length)
        .ok_or_else(|| format!("Unable to access invalid index: {index}: invalid index referenced"))
}

/// Returns how Go's `encoding/json` refuses a value of another type.
fn cannot_unmarshal(value: &Value, go_type: &str) -> String {
    let kind = gotext::encoding_json::kind(value);
    format!("json: cannot unmarshal {kind} into Go value of type {go_type}")
}

fn failed<T>(text: impl Into<String>) -> Result<T, Error> {
    Err(Error::Failed(text.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply(document: Value, patch: &Value) -> Result<Value, String> {
        decode(patch).and_then(|patch| patch.apply(document)).map_err(|error| error.to_string())
    }

    #[test]
    fn is_as_lax_as_the_library() {
        let document = json!({"a": [1, 2, 3]});
        for (operation, result) in [
            (json!({"op": "remove", "path": "/a/-1"}), json!({"a": [1, 2]})),
            (json!({"op": "add", "path": "/a/-1", "value": 9}), json!({"a": [1, 2, 3, 9]})),
            (json!({"op": "add", "path": "/a/-4", "value": 9}), json!({"a": [9, 1, 2, 3]})),
            (json!({"op": "replace", "path": "/b", "value": 1}), json!({"a": [1, 2, 3], "b": 1})),
            (json!({"op": "test", "path": "/b", "value": null}), document.clone()),
            (json!({"op": "test", "path": "/b"}), document.clone()),
            (json!({"op": "add", "path": "/x"}), json!({"a": [1, 2, 3], "x": null})),
            (json!({"op": "replace", "path": "/a/+01", "value": 0}), json!({"a": [1, 0, 3]})),
            (json!({"op": "remove", "path": "whatever/a"}), json!({})),
        ] {
            assert_eq!(apply(document.clone(), &json!([operation])), Ok(result), "{operation}");
        }
    }

    #[test]
    fn says_what_is_wrong_with_a_patch() {
        for (patch, message) in [
            (json!({}), "json: cannot unmarshal object into Go value of type jsonpatch.Patch"),
            (json!([1]), "json: cannot unmarshal number into Go value of type jsonpatch.Operation"),
            (json!([null]), "Unexpected kind: unknown"),
            (json!([{"op": "add", "path": 1}]), "add operation failed to decode path: missing value"),
            (
                json!([{"op": "test", "path": 1}]),
                "test operation failed to decode path: json: cannot unmarshal number into Go value of type string",
            ),
            (
                json!([{"op": "replace"}]),
                "replace operation failed to decode path: operation missing path field: missing value",
            ),
            (
                json!([{"op": "move", "path": "/a"}]),
                "move operation failed to decode from: operation, missing from field: missing value",
            ),
            (
                json!([{"op": "add", "path": "/a/x"}]),
                "error in add for path: '/a/x': value was not a proper array index: 'x': strconv.Atoi: parsing \
                 \"x\": invalid syntax",
            ),
            (
                json!([{"op": "remove", "path": "/a/99999999999999999999"}]),
                "error in remove for path: '/a/99999999999999999999': strconv.Atoi: parsing \
                 \"99999999999999999999\": value out of range",
            ),
        ] {
            assert_eq!(apply(json!({"a": []}), &patch), Err(message.to_owned()), "{patch}");
        }
        let error = decode(&json!([{"op": "test", "path": "/a", "value": 1}])).unwrap().apply(json!({}));
        assert_eq!(error, Err(Error::TestFailed { path: "/a".to_owned() }));
        assert_eq!(apply(json!([]), &Value::Null), Ok(json!([])));
    }

    #[test]
    fn copies_are_limited() {
        let text = "x".repeat(MAX_COPIED_BYTES / 2 - 2);
        let copy = json!({"op": "copy", "from": "/a", "path": "/b"});
        assert!(apply(json!({"a": text}), &json!([copy, copy])).is_ok());
        assert_eq!(
            apply(json!({"a": text}), &json!([copy, copy, copy])),
            Err("Unable to complete the copy, the accumulated size increase of copy is 4718592, exceeding the limit \
                 3145728"
                .to_owned())
        );
    }

    #[test]
    fn merges() {
        // The examples of RFC 7386 whose target is an object or a list.
        for (target, patch, result) in [
            (json!({"a": "b"}), json!({"a": "c"}), json!({"a": "c"})),
            (json!({"a": "b"}), json!({"b": "c"}), json!({"a": "b", "b": "c"})),
            (json!({"a": "b"}), json!({"a": null}), json!({})),
            (json!({"a": "b", "b": "c"}), json!({"a": null}), json!({"b": "c"})),
            (json!({"a": ["b"]}), json!({"a": "c"}), json!({"a": "c"})),
            (json!({"a": "c"}), json!({"a": ["b"]}), json!({"a": ["b"]})),
            (json!({"a": {"b": "c"}}), json!({"a": {"b": "d", "c": null}}), json!({"a": {"b": "d"}})),
            (json!({"a": [{"b": "c"}]}), json!({"a": [1]}), json!({"a": [1]})),
            (json!(["a", "b"]), json!(["c", "d"]), json!(["c", "d"])),
            (json!({"a": "b"}), json!(["c"]), json!(["c"])),
            (json!({"e": null}), json!({"a": 1}), json!({"a": 1, "e": null})),
            (json!([1, 2]), json!({"a": "b", "c": null}), json!({"a": "b"})),
            (json!({}), json!({"a": {"bb": {"ccc": null}}}), json!({"a": {"bb": {}}})),
        ] {
            assert_eq!(merge(target.clone(), patch.clone()), Ok(result), "{target} {patch}");
        }
        assert_eq!(merge(json!({}), json!(1)), failed("Invalid JSON Patch"));
    }
}
