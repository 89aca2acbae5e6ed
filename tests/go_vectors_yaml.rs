//! What Kubernetes' Go libraries answered, against what kadmit answers. Every vector has to agree.

use std::sync::Arc;

use kadmit::manifest::{Document, Error, read_yaml, write_yaml};
use kadmit::source::SourceFile;
use serde_json::{Value, json};

const READ: &str = include_str!("../testdata/go-vectors/yaml-read.json");
const WRITE: &str = include_str!("../testdata/go-vectors/yaml-write.json");

fn compare(name: &str, vectors: &str, input: &str, answer: impl Fn(&Value) -> Value, go: impl Fn(&Value) -> Value) {
    let vectors: Vec<Value> = serde_json::from_str(vectors).expect("the vectors are JSON");
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

/// Go's answer without the documents that are `null`, which kubectl drops and [`read_yaml`] too.
fn without_nulls(go: &Value) -> Value {
    let mut go = go.clone();
    if let Some(documents) = go["documents"].as_array_mut() {
        documents.retain(|document| document.get("json") != Some(&Value::Null));
        for document in documents {
            integral(document);
        }
    }
    go
}

/// In Go's JSON `-0` is an integer, and so 0.
fn integral(value: &mut Value) {
    match value {
        Value::Number(number) if number.as_f64() == Some(0.0) => *value = 0.into(),
        Value::Array(items) => items.iter_mut().for_each(integral),
        Value::Object(map) => map.values_mut().for_each(integral),
        _ => {}
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
        match write_yaml(value, &mut yaml) {
            Ok(()) => json!({"yaml": yaml}),
            Err(error) => json!({"error": error.to_string()}),
        }
    };
    compare("yaml-write", WRITE, "value", answer, Value::clone);
}

/// Places are bytes of the file in every vector that is read: a key's place is in front of its value's, and text
/// without quotes stands where it is said to stand.
#[test]
fn places_are_in_the_text() {
    let vectors: Vec<Value> = serde_json::from_str(READ).expect("the vectors are JSON");
    for vector in vectors {
        let source: Arc<SourceFile> = SourceFile::new("vector.yaml", vector["text"].as_str().expect("a text"));
        for document in read_yaml(&source).flatten() {
            assert!(source.text().get(document.span.start..document.span.end).is_some());
            assert_in(&document.node, source.text());
        }
    }
}

fn assert_in(node: &kadmit::source::Node, text: &str) {
    use kadmit::source::Data;
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
