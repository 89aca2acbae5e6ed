//! The edit that adds `kadmit.dev/skip` to a manifest.

use crate::evaluation::Place;

use crate::report::acceptance::{PLACEHOLDER, SKIP_ANNOTATION, title};
use crate::report::editor::Edit;
use crate::report::finding::quoted;
use gotext::source::{Data, Node, SourceFile, Span};

/// Returns the edit that makes the object at `place` skip `rule`; none if its text has no room for it.
pub fn skip(place: &Place, rule: &'static str) -> Option<Edit> {
    let place = place.whole();
    let written = place.written()?;
    let (offset, text) = insertion(written.node()?, place.source().text(), title(rule))?;
    let edit = Edit {
        title: format!("Skip {} with a reason", title(rule)),
        replacements: vec![(Span::new(offset..offset), text)],
    };
    is_read(&place, &edit, rule).then_some(edit)
}

fn insertion(root: &Node, text: &str, rule: &str) -> Option<(usize, String)> {
    let metadata = root.get("metadata")?;
    let skip = format!("{rule} {PLACEHOLDER}");
    let (key, quoted_skip) = (SKIP_ANNOTATION, quoted(&skip));
    let Some(annotations) = metadata.get("annotations") else {
        let (at, is_flow, is_empty) = first_key(metadata, text)?;
        return Some(if is_flow {
            let comma = if is_empty { "" } else { ", " };
            (at, format!("\"annotations\": {{\"{key}\": {quoted_skip}}}{comma}"))
        } else {
            let indent = indent_of(text, at)?;
            (at, format!("annotations:\n{indent}  {key}: {quoted_skip}\n{indent}"))
        });
    };
    if let Some(existing) = annotations.get(key) {
        let written = &text[existing.span.start..existing.span.end];
        let is_one_line = !written.contains('\n') && !written.is_empty();
        let is_quoted = written.starts_with(['"', '\'']);
        let end = existing.span.end - usize::from(is_quoted);
        // A reason as plain text must not contain a colon.
        return is_one_line
            .then(|| (end, format!("; {rule} {}", if is_quoted { PLACEHOLDER } else { "TODO" })));
    }
    let (at, is_flow, is_empty) = first_key(annotations, text)?;
    Some(if is_flow {
        let comma = if is_empty { "" } else { ", " };
        (at, format!("\"{key}\": {quoted_skip}{comma}"))
    } else {
        let indent = indent_of(text, at)?;
        (at, format!("{key}: {quoted_skip}\n{indent}"))
    })
}

/// Returns the offset of the first key of a map, whether the map is in braces, and whether it is empty.
fn first_key(map: &Node, text: &str) -> Option<(usize, bool, bool)> {
    let Data::Object(entries) = &map.data else { return None };
    if text[map.span.start..].starts_with('{') {
        return Some((map.span.start + 1, true, entries.is_empty()));
    }
    Some((entries.iter().map(|entry| entry.key_span.start).min()?, false, false))
}

/// Returns the blanks before `offset` on its line, if there is nothing else.
fn indent_of(text: &str, offset: usize) -> Option<&str> {
    let line = text[..offset].rfind('\n').map_or(0, |end| end + 1);
    let indent = &text[line..offset];
    indent.bytes().all(|byte| byte == b' ').then_some(indent)
}

/// Whether the file with `edit` skips `rule` for the object at `place`.
fn is_read(place: &Place, edit: &Edit, rule: &'static str) -> bool {
    let mut text = place.source().text().to_owned();
    for (span, inserted) in edit.replacements.iter().rev() {
        text.replace_range(span.start..span.end, inserted);
    }
    let source = SourceFile::new(place.file(), text);
    let document = kube_yaml::read(&source).nth(place.document);
    let Some(Ok(document)) = document else { return false };
    let annotation = |node: &Node| {
        let text = node.get("metadata")?.get("annotations")?.get(SKIP_ANNOTATION)?.as_str()?.to_owned();
        Some(text.contains(title(rule)))
    };
    let start = place.span.start;
    let mut items = document.unwrap_list().into_iter().map(|item| item.node);
    items.any(|node| node.span.start == start && annotation(&node) == Some(true))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns `text` with the edit that skips `PodSecurity` in its last object.
    fn skipped(text: &str) -> Option<String> {
        let source = SourceFile::new("a.yaml", text);
        let documents: Vec<_> = kube_yaml::read(&source).map(|document| document.expect("YAML")).collect();
        let item =
            documents.into_iter().flat_map(kube_yaml::Document::unwrap_list).last().expect("an object");
        let (place, _) = Place::of(item);
        let edit = skip(&place, "PodSecurity")?;
        let mut edited = text.to_owned();
        for (span, inserted) in edit.replacements.iter().rev() {
            edited.replace_range(span.start..span.end, inserted);
        }
        Some(edited)
    }

    #[test]
    fn adds_the_annotation_where_there_is_none() {
        let text = "kind: A\n---\nkind: Pod\nmetadata:\n  # of the shop\n  name: web\n";
        let expected = "kind: A\n---\nkind: Pod\nmetadata:\n  # of the shop\n  annotations:\n    kadmit.dev/skip: \
                        \"PodSecurity TODO: why\"\n  name: web\n";
        assert_eq!(skipped(text).as_deref(), Some(expected));
    }

    #[test]
    fn adds_it_to_other_annotations() {
        let text = "kind: List\nitems:\n- kind: Pod\n  metadata:\n    annotations:\n      a: b\n";
        let expected = "kind: List\nitems:\n- kind: Pod\n  metadata:\n    annotations:\n      kadmit.dev/skip: \
                        \"PodSecurity TODO: why\"\n      a: b\n";
        assert_eq!(skipped(text).as_deref(), Some(expected));
    }

    #[test]
    fn adds_it_in_braces() {
        for (text, expected) in [
            (
                r#"{"kind": "Pod", "metadata": {"name": "web"}}"#,
                r#"{"kind": "Pod", "metadata": {"annotations": {"kadmit.dev/skip": "PodSecurity TODO: why"}, "name": "web"}}"#,
            ),
            (
                "metadata: {annotations: {}}\n",
                "metadata: {annotations: {\"kadmit.dev/skip\": \"PodSecurity TODO: why\"}}\n",
            ),
        ] {
            assert_eq!(skipped(text).as_deref(), Some(expected));
        }
    }

    #[test]
    fn continues_a_skip() {
        for (text, expected) in [
            (
                "metadata:\n  annotations:\n    kadmit.dev/skip: LimitRanger it is old\n",
                "metadata:\n  annotations:\n    kadmit.dev/skip: LimitRanger it is old; PodSecurity TODO\n",
            ),
            (
                "metadata:\n  annotations:\n    kadmit.dev/skip: 'LimitRanger it is old'\n",
                "metadata:\n  annotations:\n    kadmit.dev/skip: 'LimitRanger it is old; PodSecurity TODO: why'\n",
            ),
        ] {
            assert_eq!(skipped(text).as_deref(), Some(expected));
        }
    }

    #[test]
    fn offers_nothing_where_it_cannot_be_written() {
        assert_eq!(skipped("kind: Pod\n"), None);
        assert_eq!(skipped("metadata:\n  annotations:\n    kadmit.dev/skip: |\n      PodSecurity a\n"), None);
        assert_eq!(skipped("metadata:\n  annotations:\n"), None);
    }
}
