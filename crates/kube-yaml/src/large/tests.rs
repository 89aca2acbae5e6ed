use std::io::Write;

use gotext::source::Node;

use super::*;

/// Index, line and column, and value of a document or an item.
type Read = (usize, (usize, usize), Node);

/// Returns what is read in pieces of `text`.
fn cut(text: &str) -> Result<Vec<Read>, Uncut> {
    let mut file = files::unnamed("kube-yaml-large").unwrap();
    file.write_all(b"before").unwrap();
    file.write_all(text.as_bytes()).unwrap();
    let large = LargeFile::part_of(SharedFile::new(file), "-", 6, text.len() as u64);
    assert_eq!(large.read().unwrap().text(), text);
    let mut found = Vec::new();
    for parts in large.pieces() {
        for part in parts? {
            let again = files::read_again(part.source.origin().unwrap()).unwrap();
            assert_eq!(again.text(), part.source.text());
            let Some(document) = part.read().unwrap() else { continue };
            let line_column = again.line_column(document.node.span.start);
            found.push((part.index, line_column, without_places(document.node)));
        }
    }
    Ok(found)
}

fn without_places(mut node: Node) -> Node {
    crate::move_spans(&mut node, &|span| *span = Span::default());
    node
}

/// Returns the same of `text` as it is read whole.
fn whole(text: &str) -> Vec<Read> {
    let source = SourceFile::new("-", text);
    let items = crate::read(&source).flat_map(|document| document.unwrap().unwrap_list());
    items
        .map(|item| (item.document, source.line_column(item.span.start), without_places(item.node)))
        .collect()
}

#[test]
fn pieces_are_what_the_whole_is() {
    let item = |number: usize| {
        format!(
            "- apiVersion: v1\n  data:\n    a: |\n      - text ü {number}\n      {}\n    b: [1, 2]\n  kind: ConfigMap\n",
            "x".repeat(4000)
        )
    };
    let items: String = (0..100).map(item).collect();
    let list = format!("apiVersion: v1\nitems:\n{items}kind: List\nmetadata:\n  resourceVersion: \"\"\n");
    let indented: String = items.lines().flat_map(|line| ["  ", line, "\n"]).collect();
    let indented = format!("kind: List\napiVersion: v1\nitems:\n{indented}");
    let document = |number: usize| format!("---\nkind: A\nb: '{}'\n", "y".repeat(number * 50));
    let documents = (0..100).map(document).collect::<Vec<_>>().concat();
    let objects: Vec<String> = (0..100)
        .map(|number| {
            format!("{{\"kind\": \"A\", \"b\": [\"ü]}}\\\"{}\", {{}}]}}", "z".repeat(4000 + number))
        })
        .collect();
    let json = format!("{{\"kind\": \"List\",\n\"items\": [{}], \"a\": {{}}}}\n", objects.join(",\n  "));
    let line = format!("{{\"items\":[{}],\"kind\":\"List\"}}", objects.join(","));
    for text in [&list, &indented, &documents, &json, &line] {
        assert_eq!(cut(text).unwrap(), whole(text), "{text:.60}");
    }
}

#[test]
fn a_file_that_was_replaced_is_not_read_on() {
    let path = std::env::temp_dir().join(format!("kube-yaml-large-{}.yaml", std::process::id()));
    let document = "kind: A\n---\n".repeat(PIECE);
    std::fs::write(&path, &document).unwrap();
    let large = LargeFile::at(&path).unwrap();
    let parts = large.pieces().next().unwrap().unwrap();
    let again =
        || files::read_again(parts[0].source.origin().unwrap()).map(|source| source.text().to_owned());
    let first = std::thread::scope(|scope| scope.spawn(again).join().unwrap());
    std::fs::write(&path, document.replace('A', "B")).unwrap();
    let second = again();
    std::fs::remove_file(&path).unwrap();
    assert_eq!(first.unwrap(), parts[0].source.text());
    assert!(second.unwrap_err().to_string().ends_with("it was changed while it was evaluated"));
    assert!(LargeFile::at(&path).is_none());
}

#[test]
fn what_has_another_form_is_read_whole() {
    for text in [
        "items:\n- kind: A\nkind: Other\n",
        "items:\n- kind: A\nkind: List\n---\nkind: B\n",
        "{\"items\": [{} {}], \"kind\": \"List\"}",
        "{\"items\": [{},], \"kind\": \"List\"}",
        "{\"items\": [1], \"kind\": \"List\"}",
        "{\"items\": [{\"a\": nul}], \"kind\": \"List\"}",
        "{\"kind\": \"A\"}",
        "{\"items\": [{}], \"kind\": \"List\"} {}",
        "a: 1\n--- b\n",
    ] {
        assert!(cut(text).is_err(), "{text}");
    }
}
