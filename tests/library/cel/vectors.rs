//! Compares results with those of Kubernetes' own CEL environment, by equality.

use std::fs;

use kube_cel::{Env, Opaque, Program, Type, Value, Variables};

use super::testdata;

/// Returns a value as the vectors write it: numbers as text, unless they are part of another value.
fn written(value: &Value) -> kube_api::Value {
    match value {
        Value::Int(_) | Value::Double(_) => value.to_string().into(),
        Value::Uint(value) => format!("{value}u").into(),
        Value::Optional(None) => "<nil>".into(),
        other => part(other),
    }
}

/// Returns a value within another, as Go encodes it to JSON.
fn part(value: &Value) -> kube_api::Value {
    match value {
        Value::Null => kube_api::Value::Null,
        Value::Bool(value) => (*value).into(),
        Value::Int(value) => (*value).into(),
        Value::Uint(value) => (*value).into(),
        #[expect(clippy::cast_possible_truncation, reason = "only what has no fraction is written without")]
        Value::Double(value) if value.fract() == 0.0 && value.abs() < 1e15 => (*value as i64).into(),
        Value::Double(value) => (*value).into(),
        Value::String(text) => (**text).into(),
        // A list of optionals has no JSON, and is printed.
        Value::List(list) if list.iter().any(|item| matches!(item, Value::Optional(_))) => {
            let items: Vec<String> = list.iter().map(|item| item.to_string()).collect();
            format!("[{}]", items.join(" ")).into()
        }
        Value::List(list) => list.iter().map(|item| part(&item)).collect::<Vec<_>>().into(),
        // A map has JSON if its keys are texts.
        Value::Map(map) if map.entries().any(|(key, _)| !matches!(key, Value::String(_))) => {
            let entries: Vec<String> = map.entries().map(|(key, value)| format!("{key}:{value}")).collect();
            format!("map[{}]", entries.join(" ")).into()
        }
        Value::Map(map) => {
            let entries = map.entries().map(|(key, value)| (key.to_string(), part(&value)));
            kube_api::Value::Object(entries.collect())
        }
        Value::Optional(Some(value)) => part(value),
        // Its memory address in the server is left out.
        Value::Opaque(Opaque::Format(format)) => format.name.into(),
        other => other.to_string().into(),
    }
}

/// Returns the result, in the format of the vectors.
fn answer(env: &Env, variables: &Variables, expression: &str) -> kube_api::Value {
    let checked = match env.compile(expression) {
        Ok(checked) => checked,
        Err(issues) => return gotext::value::json!({"compileError": issues.to_string()}),
    };
    let mut answer = gotext::value::json!({"type": checked.output_type().to_string()});
    let program = match Program::new(&checked) {
        Ok(program) => program,
        Err(error) => {
            answer["programError"] = error.message.into();
            return answer;
        }
    };
    let evaluation = program.eval(variables, None);
    if evaluation.cost < 100_000 {
        let again = program.eval(variables, None);
        assert_eq!(format!("{evaluation:?}"), format!("{again:?}"), "{expression} is evaluated twice");
    }
    answer["cost"] = evaluation.cost.into();
    match evaluation.result {
        Ok(value) => {
            answer["value"] = written(&value);
            answer["valueType"] = value.type_name().into();
        }
        Err(error) => answer["error"] = error.message.into(),
    }
    answer
}

/// Returns the expected result, without what differs between runs of the server.
fn expected(recorded: &kube_api::Value) -> kube_api::Value {
    let mut recorded = recorded.clone();
    if recorded["valueType"] == "kubernetes.NamedFormat" {
        let printed = recorded["value"].as_str().unwrap_or_default();
        let name = printed.trim_start_matches('{').split(' ').next().unwrap_or_default();
        recorded["value"] = name.into();
    }
    recorded
}

/// Converts all numbers to `double`, as the recording program decoded its object; it had no cost limit either.
fn with_doubles(value: &mut kube_api::Value) {
    match value {
        kube_api::Value::Number(number) => *value = number.as_f64().expect("a number").into(),
        kube_api::Value::Array(items) => items.iter_mut().for_each(with_doubles),
        kube_api::Value::Object(fields) => fields.values_mut().for_each(with_doubles),
        _ => {}
    }
}

/// Expressions over maps, which Go iterates in random order and kadmit by key. The items of the result are compared
/// sorted.
const IN_ANY_ORDER: [&str; 1] = ["object.metadata.labels.transformList(k, v, k + '=' + v)"];

fn sort_items(answer: &mut kube_api::Value) {
    if let Some(items) = answer["value"].as_array_mut() {
        items.sort_by_key(ToString::to_string);
    }
}

fn read(file: &str) -> kube_api::Value {
    let text = fs::read_to_string(testdata("cel-vectors").join(file)).expect("vectors");
    serde_json::from_str(&text).expect("the vectors are JSON")
}

#[test]
fn the_server_answers_the_same() {
    let mut object = read("object.json");
    with_doubles(&mut object);
    let empty = gotext::value::json!({});
    let variables = Variables::new()
        .with("object", &object)
        .with("oldObject", Value::Null)
        .with("params", &empty)
        .with("x", Value::Null);
    let env = ["object", "oldObject", "params", "x"]
        .into_iter()
        .fold(Env::new(), |env, name| env.with_variable(name, Type::Dyn));
    let vectors = read("expressions.json");
    let vectors = vectors.as_array().expect("a list");
    let mut wrong = Vec::new();
    for vector in vectors {
        let expression = vector["expr"].as_str().expect("an expression");
        let (mut answer, mut expected) = (answer(&env, &variables, expression), expected(&vector["go"]));
        if IN_ANY_ORDER.contains(&expression) {
            sort_items(&mut answer);
            sort_items(&mut expected);
        }
        if answer != expected {
            wrong.push(format!("{expression}\n  wanted {expected}\n  got    {answer}"));
        }
    }
    println!(
        "{} of {} expressions are answered as the server answers them",
        vectors.len() - wrong.len(),
        vectors.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
