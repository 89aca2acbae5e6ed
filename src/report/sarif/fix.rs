//! What a plugin sets, as an edit by which the manifest says it itself.

use std::cmp::Reverse;

use crate::value::json;

use crate::api::kinds;
use crate::api::{Object, Value};
use crate::diff::{self, PatchOperation};
use crate::evaluation::Written;
use crate::manifest;
use crate::source::{Data, Node, SourceFile};

/// Text that comes into a file.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::report) struct Insertion {
    /// Where, counted from 1.
    pub(in crate::report) line: usize,
    /// Where in the line, counted from 1 in characters.
    pub(in crate::report) column: usize,
    /// What.
    pub(in crate::report) text: String,
    /// Where in the file, in bytes.
    pub(in crate::report) offset: usize,
    indent: usize,
}

/// The insertions after which the manifest says what made `after` of `before`; none unless they say all of it, and the
/// object with them can be read as just that.
pub(in crate::report) fn insertions(
    written: &Written<'_>,
    before: &Object,
    after: &Object,
) -> Option<Vec<Insertion>> {
    let root = written.node().filter(|_| !after.kind.is(kinds::SECRET))?;
    let mut expected = root.clone().into_value();
    let mut insertions: Vec<Insertion> = Vec::new();
    let mut said: Vec<String> = Vec::new();
    for operation in diff::json_patch(&before.value, &after.value) {
        if matches!(operation, PatchOperation::Remove { .. }) {
            return None;
        }
        let missing = Missing::of(root, operation.path(), &after.value)?;
        if said.contains(&missing.pointer) {
            continue;
        }
        let parent = missing.pointer.rsplit_once('/')?.0;
        expected.pointer_mut(parent)?.as_object_mut()?.insert(missing.key.clone(), missing.value.clone());
        insertions.push(missing.insertion(written.place().source())?);
        said.push(missing.pointer);
    }
    // Of two that come to the same place the one further in belongs to what stands before it.
    insertions.sort_by_key(|insertion| (insertion.offset, Reverse(insertion.indent)));
    insertions.dedup_by(|next, insertion| {
        let is_same = next.offset == insertion.offset;
        if is_same {
            insertion.text.push_str(&next.text);
        }
        is_same
    });
    let is_said = !insertions.is_empty() && reads_as(root, written.place().source(), &insertions, &expected);
    is_said.then_some(insertions)
}

/// A key that a map of the manifest does not have.
struct Missing<'a> {
    map: &'a Node,
    pointer: String,
    key: String,
    value: &'a Value,
}

impl<'a> Missing<'a> {
    /// The first key on the way `path` that is not written.
    fn of(root: &'a Node, path: &str, after: &'a Value) -> Option<Self> {
        let (mut node, mut value, mut pointer) = (root, after, String::new());
        for step in path.split('/').skip(1) {
            pointer.extend(["/", step]);
            let key = step.replace("~1", "/").replace("~0", "~");
            match (&node.data, value) {
                (Data::Object(_), Value::Object(fields)) => {
                    value = fields.get(&key)?;
                    match node.get(&key) {
                        Some(next) => node = next,
                        None => return Some(Self { map: node, pointer, key, value }),
                    }
                }
                (Data::Array(nodes), Value::Array(items)) if nodes.len() == items.len() => {
                    let index: usize = key.parse().ok()?;
                    (node, value) = (nodes.get(index)?, items.get(index)?);
                }
                _ => return None,
            }
        }
        None
    }

    /// Puts the key behind the last one of its map, which is written in lines.
    fn insertion(&self, source: &SourceFile) -> Option<Insertion> {
        let text = source.text();
        let Data::Object(entries) = &self.map.data else { return None };
        let first = entries.iter().map(|entry| entry.key_span.start).min()?;
        let last = entries.iter().map(|entry| entry.value.span.end.max(entry.key_span.end)).max()?;
        if text[self.map.span.start..].starts_with('{') {
            return None;
        }
        let end = text[..last].trim_end().len();
        let offset = text[end..].find(['\r', '\n']).map_or(text.len(), |rest| end + rest);
        let indent = source.line_column(first).1 - 1;
        let mut lines = String::new();
        manifest::write_yaml(&json!({(&self.key): self.value}), &mut lines).ok()?;
        let mut inserted = String::new();
        for line in lines.lines() {
            inserted.extend(["\n", &" ".repeat(indent), line]);
        }
        let (line, column) = source.line_column(offset);
        Some(Insertion { line, column, text: inserted, offset, indent })
    }
}

/// Whether with `insertions` the lines of `root` say what is `expected`. They are read on their own, so that an item of
/// a long list costs no more than any other object.
fn reads_as(root: &Node, source: &SourceFile, insertions: &[Insertion], expected: &Value) -> bool {
    let start = root.span.start;
    let end = insertions.iter().map(|insertion| insertion.offset).fold(root.span.end, usize::max);
    let mut edited = source.text()[start..end].to_owned();
    for insertion in insertions.iter().rev() {
        edited.insert_str(insertion.offset - start, &insertion.text);
    }
    let (_, column) = source.line_column(start);
    edited.insert_str(0, &" ".repeat(column - 1));
    let documents: Result<Vec<_>, _> = manifest::read(&SourceFile::new("", edited)).collect();
    let mut documents = documents.unwrap_or_default().into_iter();
    let is_expected = documents.next().is_some_and(|document| document.node.into_value() == *expected);
    is_expected && documents.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::GroupVersionKind;
    use crate::evaluation::Place;

    /// `text` with what makes `after` of its second document; nothing if it cannot be said there.
    fn edited(text: &str, after: Value) -> Option<String> {
        let source = SourceFile::new("a.yaml", text);
        let document = manifest::read(&source).nth(1).expect("a document").expect("YAML");
        let (place, node) = Place::of(document.unwrap_list().pop().expect("an object"));
        let object = |value| Object::new(GroupVersionKind::new("", "v1", "Pod"), value);
        let written = place.written().expect("readable text");
        let insertions = insertions(&written, &object(node.into_value()), &object(after))?;
        let mut edited = text.to_owned();
        for insertion in insertions.iter().rev() {
            assert_eq!(source.line_column(insertion.offset), (insertion.line, insertion.column));
            edited.insert_str(insertion.offset, &insertion.text);
        }
        Some(edited)
    }

    const FIRST: &str = "kind: Other\n---\n";

    #[test]
    fn what_is_set_comes_behind_what_is_written() {
        let text = format!("{FIRST}kind: Pod\nspec:\n  list:\n  - name: ü # first\n\n# end\n");
        let after = json!({
            "kind": "Pod",
            "metadata": {"labels": {"a": "b"}},
            "spec": {"account": "x", "list": [{"limits": {"cpu": 1}, "name": "ü"}]},
        });
        assert_eq!(
            edited(&text, after),
            Some(format!(
                "{FIRST}kind: Pod\nspec:\n  list:\n  - name: ü # first\n    limits:\n      cpu: 1\n  account: x\n\
                 metadata:\n  labels:\n    a: b\n\n# end\n"
            ))
        );
    }

    #[test]
    fn what_no_insertion_says_is_left_out() {
        let block = format!("{FIRST}kind: Pod\nspec:\n  a: 1\n  list:\n  - 1\n");
        for after in [
            json!({"kind": "Pod", "spec": {"a": 2, "list": [1]}}),
            json!({"kind": "Pod", "spec": {"list": [1]}}),
            json!({"kind": "Pod", "spec": {"a": 1, "list": [1, 2]}}),
            json!({"kind": "Pod", "spec": {"a": 1, "list": [1]}}),
        ] {
            assert_eq!(edited(&block, after), None);
        }
        let flow = format!("{FIRST}{{kind: Pod, spec: {{a: 1}}}}\n");
        assert_eq!(edited(&flow, json!({"kind": "Pod", "spec": {"a": 1, "b": 2}})), None);
    }
}
