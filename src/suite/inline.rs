//! Objects written in a suite, as separate documents.

use std::sync::Arc;

use gotext::source::{Node, SourceFile, Span};
use kube_yaml::{Format, Item, Part};

/// Returns the object `node` of `source` as the only document of a file with the same name, at the same line and
/// column. If its text depends on the rest of the suite, because it is an alias, it is written as JSON.
pub(super) fn item(source: &Arc<SourceFile>, node: &Node) -> Item {
    let (line, column) = source.line_column(node.span.start);
    let lead = format!("{}{}", "\n".repeat(line - 1), " ".repeat(column - 1));
    // A block scalar keeps its last line break only if that is included.
    let rest = &source.text()[node.span.end..];
    let line_end = rest.find('\n').map_or(rest.len(), |end| end + 1);
    let end = if rest[..line_end].trim().is_empty() { node.span.end + line_end } else { node.span.end };
    let as_written = document(source.name(), format!("{lead}{}", &source.text()[node.span.start..end]));
    let value = node.clone().into_value();
    match as_written.filter(|item| item.node.clone().into_value() == value) {
        Some(item) => item,
        None => document(source.name(), format!("{lead}{value}")).expect("what is a value can be read"),
    }
}

fn document(name: &str, text: String) -> Option<Item> {
    let piece = Span::new(0..text.len());
    let source = SourceFile::new(name, text);
    let part = Part { source: source.clone(), index: 0, span: piece, format: Format::Yaml };
    let document = part.read().ok()??;
    let (node, strict_errors) = (document.node, document.strict_errors);
    let span = node.span;
    Some(Item { source, document: 0, piece, position: None, span, format: Format::Yaml, node, strict_errors })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inline(text: &str) -> Item {
        let source = SourceFile::new("a.yaml", text);
        let document = kube_yaml::read(&source).next().unwrap().unwrap();
        let Some(gotext::source::Data::Array(items)) = document.node.get("a").map(|node| &node.data) else {
            panic!("a list")
        };
        item(&source, items.last().unwrap())
    }

    #[test]
    fn an_object_stands_where_it_stood() {
        for text in [
            "a:\n- 1\n  # é\n- kind: Pod\n  spec:\n    note: |\n      b\n",
            "a: [1,\n\n {kind: Pod, spec: {note: \"b\\n\"}}]\n",
        ] {
            let item = inline(text);
            let written = item.source.line_column(item.span.start);
            assert!([(4, 3), (3, 2)].contains(&written), "{written:?}");
            let value = item.node.into_value();
            assert_eq!(value, gotext::value::json!({"kind": "Pod", "spec": {"note": "b\n"}}));
        }
    }

    #[test]
    fn an_alias_means_what_it_means_in_the_suite() {
        let item = inline("b: &b {hostPID: true}\na:\n- kind: Pod\n  spec: *b\n");
        assert_eq!(item.source.line_column(item.span.start), (3, 3));
        let value = item.node.into_value();
        assert_eq!(value, gotext::value::json!({"kind": "Pod", "spec": {"hostPID": true}}));
    }
}
