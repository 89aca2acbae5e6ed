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
pub(super) struct Insertion {
    /// Where, counted from 1.
    pub(super) line: usize,
    /// Where in the line, counted from 1 in characters.
    pub(super) column: usize,
    /// What.
    pub(super) text: String,
    offset: usize,
    indent: usize,
}

/// The insertions after which the manifest says what made `after` of `before`; none unless they say all of it, and the
/// document with them can be read as just that. `document` is all the [`objects`] of it.
pub(super) fn insertions(
    written: &Written<'_>,
    document: &[Value],
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
    reads_as(written, document, &insertions, (&root.clone().into_value(), expected))
        .then_some(insertions)
        .filter(|list| !list.is_empty())
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

/// Whether with `insertions` the document has what is expected in the place of an object, and else what it had.
fn reads_as(
    written: &Written<'_>,
    document: &[Value],
    insertions: &[Insertion],
    (object, expected): (&Value, Value),
) -> bool {
    let place = written.place();
    let start = place.text().as_ptr() as usize - place.source().text().as_ptr() as usize;
    let mut edited = place.text().to_owned();
    for insertion in insertions.iter().rev() {
        edited.insert_str(insertion.offset - start, &insertion.text);
    }
    let mut wanted = document.to_vec();
    match wanted.iter_mut().find(|other| *other == object) {
        Some(changed) => *changed = expected,
        None => return false,
    }
    wanted == objects(&edited)
}

/// The objects of the documents in `text`; nothing if it cannot be read.
pub(super) fn objects(text: &str) -> Vec<Value> {
    let documents: Result<Vec<_>, _> = manifest::read(&SourceFile::new("", text)).collect();
    let items = documents.unwrap_or_default().into_iter().flat_map(manifest::Document::unwrap_list);
    items.map(|item| item.node.into_value()).collect()
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
        let document = objects(place.text());
        let insertions = insertions(&written, &document, &object(node.into_value()), &object(after))?;
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
