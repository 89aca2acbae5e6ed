//! Fixes: a value that a plugin sets and that a person would write, as an edit that adds it to the manifest.
//!
//! These are limits and requests, classes and images. No manifest contains what a cluster adds to every object, such as
//! the volume of a token or a toleration, and so no edit adds it.

use std::cmp::Reverse;

use gotext::pointer::unescape;
use gotext::value::json;

use crate::evaluation::Written;
use kube_api::diff::{self, PatchOperation};
use kube_api::kinds;
use kube_api::{Object, Value};

use gotext::source::{Data, Node, SourceFile};

/// An edit: text to insert, replacing other text if the edit has a length.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::report) struct Edit {
    /// The line, counted from 1.
    pub(in crate::report) line: usize,
    /// The column, counted from 1 in characters.
    pub(in crate::report) column: usize,
    /// The column after the text to delete.
    pub(in crate::report) end_column: usize,
    /// The text.
    pub(in crate::report) text: String,
    /// The offset in the file, in bytes.
    pub(in crate::report) offset: usize,
    /// The number of bytes to delete.
    pub(in crate::report) length: usize,
    indent: usize,
}

/// The fields whose value is the name of a class that a person writes.
const CLASSES: [&str; 4] = ["ingressClassName", "priorityClassName", "runtimeClassName", "storageClassName"];

/// Whether a person would write the field at a JSON pointer.
fn is_written_by_people(pointer: &str) -> bool {
    let steps: Vec<&str> = pointer.split('/').collect();
    let (last, rest) = steps.split_last().unwrap_or((&"", &[]));
    let is_resources = steps
        .iter()
        .zip(steps.iter().skip(1))
        .any(|(step, next)| *step == "resources" && matches!(*next, "limits" | "requests"));
    let is_class = CLASSES.contains(last) && rest.last() == Some(&"spec");
    let is_image = *last == "image" && rest.len() > 2;
    is_resources || *last == "resources" || is_class || is_image
}

/// Returns the edits that add to the manifest those values of `after` that a person would write and that `before`
/// lacks; none unless they add all of them, and the edited object reads back as exactly that.
pub(in crate::report) fn edits(written: &Written<'_>, before: &Object, after: &Object) -> Option<Vec<Edit>> {
    let root = written.node().filter(|_| !after.kind.is(kinds::SECRET))?;
    let source = written.place().source();
    let mut expected = root.clone().into_value();
    let mut edits: Vec<Edit> = Vec::new();
    let mut said: Vec<String> = Vec::new();
    let operations = diff::json_patch(&before.value, &after.value);
    for operation in operations.iter().filter(|operation| is_written_by_people(operation.path())) {
        match operation {
            PatchOperation::Remove { .. } => return None,
            PatchOperation::Replace { path, value } if node_at(root, path).is_some() => {
                edits.push(replacement(node_at(root, path)?, value, source)?);
                *expected.pointer_mut(path)? = value.clone();
                continue;
            }
            PatchOperation::Replace { .. } | PatchOperation::Add { .. } => {}
        }
        let missing = Missing::of(root, operation.path(), &after.value)?;
        if said.contains(&missing.pointer) {
            continue;
        }
        let parent = missing.pointer.rsplit_once('/')?.0;
        expected.pointer_mut(parent)?.as_object_mut()?.insert(missing.key.clone(), missing.value.clone());
        edits.push(missing.insertion(source)?);
        said.push(missing.pointer);
    }
    // Of two insertions at the same place, the more indented one belongs to the preceding text.
    edits.sort_by_key(|edit| (edit.offset, Reverse(edit.indent)));
    edits.dedup_by(|next, edit| {
        let is_same = next.offset == edit.offset;
        if is_same {
            edit.text.push_str(&next.text);
        }
        is_same
    });
    let is_said = !edits.is_empty() && reads_as(root, source, &edits, &expected);
    is_said.then_some(edits)
}

/// Returns the value at a JSON pointer, if it is written.
fn node_at<'a>(root: &'a Node, pointer: &str) -> Option<&'a Node> {
    pointer.split('/').skip(1).try_fold(root, |node, step| match &node.data {
        Data::Array(items) => items.get(step.parse::<usize>().ok()?),
        _ => node.get(&unescape(step)),
    })
}

/// Returns the edit that replaces `node`, which is on one line, with the text `value`.
fn replacement(node: &Node, value: &Value, source: &SourceFile) -> Option<Edit> {
    let (start, end) = (node.span.start, node.span.end);
    let old = &source.text()[start..end];
    let new = value.as_str().filter(|_| node.as_str().is_some() && !old.contains('\n'))?;
    let mut text = String::new();
    kube_yaml::write_yaml(&json!(new), &mut text).ok()?;
    let is_json = source.text().trim_start().starts_with('{');
    let text = if is_json { serde_json::to_string(new).ok()? } else { text.trim_end().to_owned() };
    let (line, column) = source.line_column(start);
    let (_, end_column) = source.line_column(end);
    Some(Edit { line, column, end_column, text, offset: start, length: end - start, indent: 0 })
}

/// A key that a map of the manifest does not have.
struct Missing<'a> {
    map: &'a Node,
    pointer: String,
    key: String,
    value: &'a Value,
}

impl<'a> Missing<'a> {
    /// Returns the first key of `path` that is not written.
    fn of(root: &'a Node, path: &str, after: &'a Value) -> Option<Self> {
        let (mut node, mut value, mut pointer) = (root, after, String::new());
        for step in path.split('/').skip(1) {
            pointer.extend(["/", step]);
            let key = unescape(step).into_owned();
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

    /// Inserts the key after the last one of its map, which is in block style.
    fn insertion(&self, source: &SourceFile) -> Option<Edit> {
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
        kube_yaml::write_yaml(&json!({(&self.key): self.value}), &mut lines).ok()?;
        let mut inserted = String::new();
        for line in lines.lines() {
            inserted.extend(["\n", &" ".repeat(indent), line]);
        }
        let (line, column) = source.line_column(offset);
        Some(Edit { line, column, end_column: column, text: inserted, offset, length: 0, indent })
    }
}

/// Whether the lines of `root`, with `edits`, read as `expected`. They are read separately, so that an item of a long
/// list costs no more than any other object.
fn reads_as(root: &Node, source: &SourceFile, edits: &[Edit], expected: &Value) -> bool {
    let start = root.span.start;
    let end = edits.iter().map(|edit| edit.offset + edit.length).fold(root.span.end, usize::max);
    let mut edited = source.text()[start..end].to_owned();
    for edit in edits.iter().rev() {
        let at = edit.offset - start;
        edited.replace_range(at..at + edit.length, &edit.text);
    }
    let (_, column) = source.line_column(start);
    edited.insert_str(0, &" ".repeat(column - 1));
    let documents: Result<Vec<_>, _> = kube_yaml::read(&SourceFile::new("", edited)).collect();
    let mut documents = documents.unwrap_or_default().into_iter();
    let is_expected = documents.next().is_some_and(|document| document.node.into_value() == *expected);
    is_expected && documents.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::Place;
    use kube_api::GroupVersionKind;

    /// Returns `text` with its second document changed to `after`; nothing if that is not possible.
    fn edited(text: &str, after: Value) -> Option<String> {
        let source = SourceFile::new("a.yaml", text);
        let document = kube_yaml::read(&source).nth(1).expect("a document").expect("YAML");
        let (place, node) = Place::of(document.unwrap_list().pop().expect("an object"));
        let object = |value| Object::new(GroupVersionKind::new("", "v1", "Pod"), value);
        let written = place.written().expect("readable text");
        let edits = edits(&written, &object(node.into_value()), &object(after))?;
        let mut edited = text.to_owned();
        for edit in edits.iter().rev() {
            assert_eq!(source.line_column(edit.offset), (edit.line, edit.column));
            edited.replace_range(edit.offset..edit.offset + edit.length, &edit.text);
        }
        Some(edited)
    }

    const FIRST: &str = "kind: Other\n---\n";

    #[test]
    fn what_is_set_comes_after_what_is_written() {
        let text = format!("{FIRST}kind: Pod\nspec:\n  containers:\n  - name: ü # first\n\n# end\n");
        let after = json!({
            "kind": "Pod",
            "metadata": {"annotations": {"kubernetes.io/limit-ranger": "set"}},
            "spec": {
                "containers": [{"resources": {"limits": {"cpu": 1}}, "name": "ü"}],
                "priorityClassName": "high",
                "priority": 7,
                "tolerations": [{"key": "a"}],
            },
        });
        assert_eq!(
            edited(&text, after),
            Some(format!(
                "{FIRST}kind: Pod\nspec:\n  containers:\n  - name: ü # first\n    resources:\n      limits:\n        \
                 cpu: 1\n  priorityClassName: high\n\n# end\n"
            ))
        );
    }

    #[test]
    fn an_image_is_replaced() {
        let text =
            format!("{FIRST}kind: Pod\nspec:\n  containers:\n  - image: 'a:latest' # ours\n    name: a\n");
        let after = json!({"kind": "Pod", "spec": {"containers": [{"image": "a:1.2", "name": "a"}]}});
        assert_eq!(edited(&text, after), Some(text.replace("'a:latest'", "a:1.2")));
    }

    #[test]
    fn what_no_edit_says_is_left_out() {
        let block = format!("{FIRST}kind: Pod\nspec:\n  a: 1\n  containers:\n  - name: a\n");
        for after in [
            json!({"kind": "Pod", "spec": {"a": 2, "containers": [{"name": "a"}]}}),
            json!({"kind": "Pod", "spec": {"a": 1, "tolerations": [], "containers": [{"name": "a"}]}}),
            json!({"kind": "Pod", "spec": {"a": 1, "containers": [{"name": "a"}, {"resources": {}}]}}),
            json!({"kind": "Pod", "spec": {"a": 1, "containers": [{"name": "a"}]}}),
        ] {
            assert_eq!(edited(&block, after), None);
        }
        let flow = format!("{FIRST}{{kind: Pod, spec: {{a: 1}}}}\n");
        let after = json!({"kind": "Pod", "spec": {"a": 1, "priorityClassName": "b"}});
        assert_eq!(edited(&flow, after), None);
    }
}
