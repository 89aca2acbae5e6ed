//! Compares answers with those of Kubernetes' Go libraries. Every vector must agree.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test says how many vectors agree, and which do not"
)]

use std::sync::Arc;

use gotext::source::SourceFile;
use gotext::value::{Value, json};
use kube_yaml::{Document, Error, read, read_yaml, write_yaml};

const READ: &str = include_str!("../../testdata/go-vectors/yaml-read.json");
const WRITE: &str = include_str!("../../testdata/go-vectors/yaml-write.json");

/// Returns the vectors of a file. One of them is nested deeper than `serde_json` can read.
fn list(vectors: &str) -> Vec<Value> {
    let source = SourceFile::new("vectors.json", format!("{{\"vectors\": {vectors}}}"));
    let document = read(&source).next().expect("a document").expect("the vectors are JSON");
    match document.node.into_value()["vectors"].take() {
        Value::Array(vectors) => vectors.into(),
        other => panic!("no list: {other}"),
    }
}

fn compare(
    name: &str,
    vectors: &str,
    input: &str,
    answer: impl Fn(&Value) -> Value,
    go: impl Fn(&Value) -> Value,
) {
    let vectors = list(vectors);
    assert!(!vectors.is_empty());
    let mut agreeing = 0;
    for vector in &vectors {
        let (ours, theirs) = (answer(&vector[input]), go(&vector["go"]));
        if ours == theirs {
            agreeing += 1;
        } else {
            eprintln!("{name}: {}\n  ours: {ours}\n  go:   {theirs}", vector[input]);
        }
    }
    println!("{name}: {agreeing} of {} agree", vectors.len());
    assert_eq!(agreeing, vectors.len());
}

fn documents(text: &Value) -> Value {
    let source = SourceFile::new("vector.yaml", text.as_str().expect("a text"));
    let mut documents = Vec::new();
    for result in read_yaml(&source) {
        match result {
            Ok(document) => documents.push(document_answer(document)),
            Err(error @ Error::Separator { .. }) => {
                return json!({"documents": documents, "error": error.to_string()});
            }
            Err(error) => documents.push(json!({"error": error.to_string()})),
        }
    }
    json!({"documents": documents})
}

fn document_answer(document: Document) -> Value {
    let strict = document.strict_message();
    let mut answer = json!({"json": document.node.into_value()});
    if let Some(strict) = strict {
        answer["strictError"] = strict.into();
    }
    answer
}

/// Returns Go's answer without the documents that are `null`, which kubectl drops and [`read_yaml`] too.
fn without_nulls(go: &Value) -> Value {
    let mut go = go.clone();
    if let Some(documents) = go["documents"].as_array_mut() {
        documents.retain(|document| document.get("json") != Some(&Value::Null));
    }
    go
}

/// Returns the value that Go wrote: it was recorded with every number as a float.
fn as_floats(value: &Value) -> Value {
    match value {
        Value::Number(number) => number.as_f64().into(),
        Value::Array(items) => items.iter().map(as_floats).collect(),
        Value::Object(map) => map.iter().map(|(key, value)| (key.clone(), as_floats(value))).collect(),
        other => other.clone(),
    }
}

#[test]
fn reads_what_go_reads() {
    compare("yaml-read", READ, "text", documents, without_nulls);
}

#[test]
fn writes_what_go_writes() {
    let answer = |value: &Value| {
        let mut yaml = String::new();
        match write_yaml(&as_floats(value), &mut yaml) {
            Ok(()) => json!({"yaml": yaml}),
            Err(error) => json!({"error": error.to_string()}),
        }
    };
    compare("yaml-write", WRITE, "value", answer, Value::clone);
}

/// In every vector that is read, places are byte ranges of the file: a key's place precedes its value's, and unquoted
/// text is at its place.
#[test]
fn places_are_in_the_text() {
    for vector in list(READ) {
        let source: Arc<SourceFile> =
            SourceFile::new("vector.yaml", vector["text"].as_str().expect("a text"));
        for document in read_yaml(&source).flatten() {
            assert!(source.text().get(document.span.start..document.span.end).is_some());
            assert_in(&document.node, source.text());
        }
    }
}

fn assert_in(node: &gotext::source::Node, text: &str) {
    use gotext::source::Data;
    assert!(text.get(node.span.start..node.span.end).is_some(), "{:?} in {text:?}", node.span);
    match &node.data {
        Data::Array(items) => items.iter().for_each(|item| assert_in(item, text)),
        Data::Object(entries) => {
            for entry in entries {
                assert!(text.get(entry.key_span.start..entry.key_span.end).is_some());
                assert_in(&entry.value, text);
            }
        }
        _ => {}
    }
}
