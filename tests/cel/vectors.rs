//! What Kubernetes' own CEL environment answers, held by equality.

use std::fs;

use kadmit::api;
use kadmit::cel::{self, Env, Opaque, PER_CALL_LIMIT, Program, Type, Value, Variables};

use super::testdata;

/// A value as the vectors write it.
fn written(value: &Value) -> api::Value {
    match value {
        Value::Null | Value::Optional(None) => api::Value::Null,
        Value::Bool(value) => (*value).into(),
        Value::Int(value) => value.to_string().into(),
        Value::Uint(value) => format!("{value}u").into(),
        Value::Double(_) | Value::Type(_) | Value::Duration(_) | Value::Timestamp(_) | Value::Bytes(_) => {
            value.to_string().into()
        }
        Value::String(text) => (**text).into(),
        Value::List(list) => list.iter().map(|item| written(&item)).collect::<Vec<_>>().into(),
        Value::Map(map) => {
            let entries = map.entries().map(|(key, value)| (key.to_string(), written(&value)));
            api::Value::Object(entries.collect())
        }
        Value::Optional(Some(value)) => written(value),
        // Its address in the memory of the server is left out.
        Value::Opaque(Opaque::Format(format)) => format.name.into(),
        Value::Opaque(_) | Value::Object(_) => value.to_string().into(),
    }
}

/// What comes out, in the form of the vectors.
fn answer(env: &Env, variables: &Variables, expression: &str) -> api::Value {
    let checked = match env.compile(expression) {
        Ok(checked) => checked,
        Err(issues) => return serde_json::json!({"compileError": issues.to_string()}),
    };
    let mut answer = serde_json::json!({"type": checked.output_type().to_string()});
    let program = match Program::new(&checked) {
        Ok(program) => program,
        Err(error) => {
            answer["programError"] = error.message.into();
            return answer;
        }
    };
    let evaluation = program.eval(variables, Some(PER_CALL_LIMIT));
    let again = program.eval(variables, Some(PER_CALL_LIMIT));
    assert_eq!(format!("{evaluation:?}"), format!("{again:?}"), "{expression} is evaluated twice");
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

/// What the vectors say, without what differs from one run of the server to the next.
fn expected(recorded: &api::Value) -> api::Value {
    let mut recorded = recorded.clone();
    if recorded["valueType"] == "kubernetes.NamedFormat" {
        let printed = recorded["value"].as_str().unwrap_or_default();
        let name = printed.trim_start_matches('{').split(' ').next().unwrap_or_default();
        recorded["value"] = name.into();
    }
    recorded
}

/// The recording program decoded its object with all numbers as `double`.
fn with_doubles(value: &mut api::Value) {
    match value {
        api::Value::Number(number) => *value = number.as_f64().expect("a number").into(),
        api::Value::Array(items) => items.iter_mut().for_each(with_doubles),
        api::Value::Object(fields) => fields.values_mut().for_each(with_doubles),
        _ => {}
    }
}

fn read(file: &str) -> api::Value {
    let text = fs::read_to_string(testdata("cel-vectors").join(file)).expect("vectors");
    serde_json::from_str(&text).expect("the vectors are JSON")
}

#[test]
fn the_server_answers_the_same() {
    let mut object = read("object.json");
    with_doubles(&mut object);
    let empty = serde_json::json!({});
    let variables = Variables::new()
        .with("object", &object)
        .with("oldObject", &empty)
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
        let (answer, expected) = (answer(&env, &variables, expression), expected(&vector["go"]));
        if answer != expected {
            wrong.push(format!("{expression}\n  wanted {expected}\n  got    {answer}"));
        }
    }
    println!("{} of {} expressions are answered as the server answers them", vectors.len() - wrong.len(), vectors.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let _ = cel::PER_CALL_LIMIT;
}
