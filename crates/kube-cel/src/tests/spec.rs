//! The vectors of the specification of CEL: every expression with a value compiles, to the type of that value.

use super::source::Source;
use super::*;
use gotext::value::Value;

/// Files of functions that Kubernetes does not have, or not in this form.
const ABSENT: [&str; 5] = ["block_ext", "encoders_ext", "math_ext", "network_ext", "proto2"];

fn env(vector: &Value) -> Env {
    let mut env = Env::new().with_bind().lenient().in_container(vector.text("container"));
    for (name, value) in vector["bind"].as_object().into_iter().flatten() {
        let value = value.as_str().expect("a binding is an expression");
        let of =
            Env::new().lenient().compile(value).map_or(Type::Dyn, |checked| checked.output_type().clone());
        env = env.with_variable(name, of);
    }
    env
}

/// Returns the type that the letter of a wanted value denotes.
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

/// Sections and names of vectors that the specification evaluates without checking them: they only have to parse.
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

/// Returns Whether an expression uses what Kubernetes does not enable: escaped identifiers, and the reversal of
/// strings.
fn is_switched_off(expression: &str, file: &str) -> bool {
    expression.contains('`') && file == "fields" || expression.contains(".reverse()") && file == "string_ext"
}

#[test]
fn what_has_a_value_compiles() {
    let text = include_str!("../../testdata/cel-spec/simple.json");
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

/// Returns a value in the notation of the vectors.
fn noted(value: &super::Value) -> String {
    use super::Value;
    let joined = |items: Vec<String>| items.join(",");
    match value {
        Value::Null => "n".to_owned(),
        Value::Bool(value) => format!("t:{value}"),
        Value::Int(value) => format!("i:{value}"),
        Value::Uint(value) => format!("u:{value}"),
        Value::Double(value) => format!("d:{value:?}"),
        Value::String(text) => format!("s:{}", gotext::value::Value::from(&**text)),
        Value::Bytes(bytes) => {
            let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("b:{}", digits.concat())
        }
        Value::Type(name) => format!("y:{name}"),
        Value::List(list) => format!("[{}]", joined(list.iter().map(|item| noted(&item)).collect())),
        Value::Map(map) => {
            let entries = map.entries().map(|(key, value)| format!("{}={}", noted(&key), noted(&value)));
            let mut entries: Vec<String> = entries.collect();
            entries.sort();
            format!("{{{}}}", joined(entries))
        }
        Value::Optional(Some(value)) => noted(value),
        other => other.to_string(),
    }
}

/// Vectors of specifications newer than cel-go 0.26, and of what Kubernetes configures differently, by file and name.
const OTHERWISE: [(&str, &[&str]); 7] = [
    // A name of the container takes precedence over one that is bound within the expression.
    ("bindings_ext", &["shadowing_namespace_resolution", "shadowing_namespace_resolution_selector"]),
    // Likewise.
    (
        "namespace",
        &[
            "comprehension_shadowing",
            "comprehension_shadowing_disambiguation",
            "comprehension_shadowing_parse_only",
            "comprehension_shadowing_selector",
            "comprehension_shadowing_selector_parse_only",
            "comprehension_shadowing_namespaced_selector",
            "comprehension_shadowing_namespaced_selector_parse_only",
            "comprehension_shadowing_nesting",
        ],
    ),
    // A constant that cannot be a key is refused when the program is built.
    ("fields", &["map_bad_key_type_or_true", "map_bad_key_type_and_false"]),
    // Keys may be doubles, and may repeat: the last one counts.
    ("fields", &["map_key_float", "map_value_repeat_key", "map_value_repeat_key_heterogeneous"]),
    // A value without fields has none of them.
    ("optionals", &["map_null_entry_no_such_key", "map_present_key_invalid_field"]),
    // Version 2 of the library formats otherwise.
    (
        "string_ext",
        &[
            "scientific notation formatting clause",
            "default precision for fixed-point clause with int",
            "default precision for fixed-point clause with uint",
            "default precision for scientific notation",
            "default precision for scientific notation with int",
            "default precision for scientific notation with uint",
            "NaN support for scientific notation",
            "positive infinity support for scientific notation",
            "negative infinity support for scientific notation",
            "NaN support for decimal",
            "positive infinity support for decimal",
            "negative infinity support for decimal",
            "positive infinity support for fixed-point",
            "negative infinity support for fixed-point",
            "list support for string",
            "map support for string",
            "map support (all key types)",
            "dyntype support for scientific notation",
            "dyntype NaN/infinity support",
            "dyntype support for lists",
            "dyntype support for maps",
            "scientific notation formatting clause in a string variable",
        ],
    ),
    // Version 2 of the library finds nothing beyond the end.
    ("string_ext", &["indexof_out_of_range", "lastindexof_out_of_range"]),
];

/// Whether the value is the wanted one; doubles are compared as numbers.
fn is_wanted(value: &super::Value, want: &str) -> bool {
    match (value, want.strip_prefix("d:").map(str::parse::<f64>)) {
        (super::Value::Double(value), Some(Ok(wanted))) => {
            value.to_bits() == wanted.to_bits() || value.is_nan() && wanted.is_nan()
        }
        _ => noted(value) == want,
    }
}

/// Returns the value of an expression of a vector, its variables bound.
fn value_of(vector: &Value, expression: &str) -> Result<super::Value<'static>, String> {
    let mut variables = Variables::new();
    for (name, value) in vector["bind"].as_object().into_iter().flatten() {
        let checked = Env::new().lenient().compile(value.as_str().unwrap_or_default());
        let program = Program::new(&checked.map_err(|issues| issues.to_string())?);
        let program = program.map_err(|error| error.to_string())?;
        let value = program.eval(&Variables::new(), None).result.map_err(|error| error.to_string())?;
        variables = variables.with(name, value);
    }
    let checked = env(vector).compile(expression).map_err(|issues| issues.to_string())?;
    let program = Program::new(&checked).map_err(|error| error.to_string())?;
    program.eval(&variables, None).result.map_err(|error| error.to_string())
}

#[test]
fn expressions_have_the_values_of_the_specification() {
    let text = include_str!("../../testdata/cel-spec/simple.json");
    let vectors: Vec<Value> = serde_json::from_str(text).expect("the vectors are JSON");
    let mut sections = std::collections::BTreeMap::<&str, (usize, usize)>::new();
    let (mut wrong, mut otherwise) = (Vec::new(), 0);
    for vector in &vectors {
        let text = |field: &str| vector[field].as_str().unwrap_or_default();
        let (file, expression, want) = (text("file"), text("expr"), text("want"));
        let is = |name: &str| text("sec") == name || text("name") == name;
        let is_unchecked = UNCHECKED.iter().any(|(unchecked, name)| *unchecked == file && is(name));
        if ABSENT.contains(&file) || want.is_empty() || is_unchecked || is_switched_off(expression, file) {
            continue;
        }
        let found = value_of(vector, expression);
        let agrees = match &found {
            Ok(value) => want != "ERR" && is_wanted(value, want),
            Err(_) => want == "ERR",
        };
        let is_otherwise =
            OTHERWISE.iter().any(|(other, names)| *other == file && names.contains(&text("name")));
        if is_otherwise {
            otherwise += 1;
            assert!(!agrees, "{file}/{} agrees", text("name"));
            continue;
        }
        let section = sections.entry(file).or_default();
        section.0 += usize::from(agrees);
        section.1 += 1;
        if !agrees {
            let found = found.map(|value| noted(&value));
            wrong.push(format!("{file}/{} {expression}\n  wanted {want}\n  got {found:?}", text("name")));
        }
    }
    let tally: Vec<String> =
        sections.iter().map(|(file, (agree, of))| format!("{file} {agree} of {of}")).collect();
    assert!(wrong.is_empty(), "{}\n{}", tally.join(", "), wrong.join("\n"));
    let agree: usize = sections.values().map(|(agree, _)| agree).sum();
    assert_eq!((agree, otherwise), (1354, 41), "{}", tally.join(", "));
}
