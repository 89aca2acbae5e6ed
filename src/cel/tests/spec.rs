//! The vectors of the specification of CEL: whatever has a value compiles, to the type of that value.

use super::source::Source;
use super::*;
use crate::api::Value;

/// Not in Kubernetes, or not in this form.
const ABSENT: [&str; 5] = ["block_ext", "encoders_ext", "math_ext", "network_ext", "proto2"];

fn env(vector: &Value) -> Env {
    let mut env =
        Env::new().with_bind().lenient().in_container(vector["container"].as_str().unwrap_or_default());
    for (name, value) in vector["bind"].as_object().into_iter().flatten() {
        let value = value.as_str().expect("a binding is an expression");
        let of =
            Env::new().lenient().compile(value).map_or(Type::Dyn, |checked| checked.output_type().clone());
        env = env.with_variable(name, of);
    }
    env
}

/// The type that the letter of a wanted value stands for.
fn wanted_type(want: &str) -> Option<&'static str> {
    Some(match want.split(':').next()? {
        "i" => "int",
        "u" => "uint",
        "d" => "double",
        "s" => "string",
        "b" => "bytes",
        "t" => "bool",
        _ => return None,
    })
}

/// Sections and names of vectors that the specification evaluates without checking them: they only have to be read.
const UNCHECKED: [(&str, &str); 10] = [
    ("basic", "unbound_is_runtime_error"),
    ("comparisons", "not_eq_list_length"),
    ("comparisons", "eq_mixed_types"),
    ("comparisons", "eq_list_elem_mixed_types"),
    ("comparisons", "ne_mixed_types"),
    ("dynamic", "literal"),
    ("logic", "mixed_type"),
    ("logic", "short_circuit_type_left"),
    ("logic", "short_circuit_type_right"),
    ("parse", "receiver_function_names"),
];

/// What Kubernetes does not switch on: escaped identifiers, and the reversal of strings.
fn is_switched_off(expression: &str, file: &str) -> bool {
    expression.contains('`') && file == "fields" || expression.contains(".reverse()") && file == "string_ext"
}

#[test]
fn what_has_a_value_compiles() {
    let text = include_str!("../../../testdata/cel-spec/simple.json");
    let vectors: Vec<Value> = serde_json::from_str(text).expect("the vectors are JSON");
    let (mut compiled, mut read, mut off) = (0, 0, 0);
    let mut failed = Vec::new();
    for vector in &vectors {
        let text = |field: &str| vector[field].as_str().unwrap_or_default();
        let (file, expression, want) = (text("file"), text("expr"), text("want"));
        if ABSENT.contains(&file) || matches!(want, "" | "ERR") {
            continue;
        }
        let found = match env(vector).compile(expression) {
            Ok(checked) => Ok(checked.output_type().to_string()),
            Err(issues) => Err(issues.to_string()),
        };
        let is = |name: &str| text("sec") == name || text("name") == name;
        let agrees = if is_switched_off(expression, file) {
            off += 1;
            found.is_err()
        } else if UNCHECKED.iter().any(|(unchecked, name)| *unchecked == file && is(name)) {
            read += 1;
            env(vector).parse(&Source::new(expression)).is_ok()
        } else {
            compiled += 1;
            match (wanted_type(want), &found) {
                (Some(wanted), Ok(found)) => found == wanted || found == "dyn",
                (None, Ok(_)) => true,
                (_, Err(_)) => false,
            }
        };
        if !agrees {
            failed.push(format!("{file}/{} {expression}\n{found:?}\nwanted {want}", text("name")));
        }
    }
    assert!(failed.is_empty(), "{} fail\n{}", failed.len(), failed.join("\n"));
    assert_eq!((compiled, read, off), (1228, 29, 9));
}

#[test]
fn types_are_inferred_as_the_specification_deduces_them() {
    for (expression, deduced) in [
        ("([].map(x,x))[0].foo", "dyn"),
        ("[optional.none(), optional.of(1)]", "list(optional_type(int))"),
        ("[optional.of(1), optional.none()]", "list(optional_type(int))"),
        ("[optional.of(1), optional.of(dyn(1))]", "list(optional_type(dyn))"),
        ("[optional.of(dyn(1)), optional.of(1)]", "list(optional_type(dyn))"),
        ("true ? optional.of(dyn(1)) : optional.of(1)", "optional_type(dyn)"),
        // The specification deduces an optional here, cel-go does not.
        ("[optional.of(1), null][0]", "null_type"),
        ("[[], [[]], [[[]]], [[[[]]]]]", "list(list(list(list(list(dyn)))))"),
        ("[[[[[]]]], [], [[[]]]]", "list(list(list(list(list(dyn)))))"),
    ] {
        let checked = Env::new().lenient().compile(expression).expect("an expression that compiles");
        assert_eq!(checked.output_type().to_string(), deduced, "{expression}");
    }
}
