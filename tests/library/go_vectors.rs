//! Compares answers with those of Kubernetes' own Go libraries.

use gotext::quantity::Quantity;
use kube_api::{Value, json_patch, labels};

/// Reads `file` and compares every vector's answer with that of `answer`.
#[expect(clippy::print_stdout, reason = "the tally is for whoever runs the tests")]
fn agree(file: &str, answer: impl Fn(&Value) -> Value) {
    let path = format!("{}/testdata/go-vectors/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("the vectors are there");
    let vectors: Vec<Value> = serde_json::from_str(&text).expect("the vectors are a JSON list");
    assert!(!vectors.is_empty(), "{file} has vectors");
    let mut disagreements = Vec::new();
    for vector in &vectors {
        let ours = answer(vector);
        if ours != vector["go"] {
            disagreements.push(format!("{vector}\n    ours: {ours}"));
        }
    }
    println!("{file}: {} of {} agree", vectors.len() - disagreements.len(), vectors.len());
    assert!(disagreements.is_empty(), "{file}:\n{}", disagreements.join("\n"));
}

fn text<'a>(vector: &'a Value, field: &str) -> &'a str {
    vector[field].as_str().unwrap_or_else(|| panic!("{field} of {vector} is text"))
}

fn failed(error: &impl ToString) -> Value {
    gotext::value::json!({"error": error.to_string()})
}

#[test]
fn quantities() {
    agree("quantity.json", |vector| {
        let quantity = match Quantity::parse(text(vector, "quantity")) {
            Ok(quantity) => quantity,
            Err(error) => return failed(&error),
        };
        let mut answer = gotext::value::json!({
            "canonical": quantity.canonical(),
            "format": quantity.format().name(),
            "value": quantity.value(),
            "milli": quantity.milli_value(),
        });
        if let Ok(other) = text(vector, "other").parse::<Quantity>() {
            answer["cmp"] = Value::from(quantity.cmp(&other) as i8);
            answer["sum"] = Value::from(quantity.add(&other).to_string());
            answer["difference"] = Value::from(quantity.sub(&other).to_string());
        }
        answer
    });
}

#[test]
fn label_selectors() {
    agree("label-selector.json", |vector| match labels::parse(text(vector, "selector")) {
        Ok(selector) => gotext::value::json!({
            "canonical": selector.to_string(),
            "matches": selector.matches_labels(vector.get("labels")),
        }),
        Err(error) => failed(&error),
    });
}

#[test]
fn json_patches() {
    agree("json-patch.json", |vector| match json_patch::decode(&vector["patch"]) {
        Ok(patch) => match patch.apply(vector["document"].clone()) {
            Ok(result) => gotext::value::json!({"result": result}),
            Err(error) => failed(&error),
        },
        Err(error) => gotext::value::json!({"decodeError": error.to_string()}),
    });
}
