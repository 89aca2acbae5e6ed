//! JSON values as Go names and prints them.
//!
//! Source: Go's `fmt`

use crate::custom_resource::number::GoNumber;
use kube_api::Value;

/// Returns the name of a value's type.
pub(crate) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "<nil>",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.as_i64().is_some() => "int64",
        Value::Number(_) => "float64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    }
}

/// Returns a value as `%v` prints it.
pub fn printed(value: &Value) -> String {
    printed_by(value, &|_, text| text)
}

/// Returns a value as `%s` prints it, which is for texts.
pub(crate) fn printed_as_text(value: &Value) -> String {
    printed_by(value, &|scalar, text| match scalar {
        Value::Null => format!("%!s({text})"),
        Value::String(_) => text,
        _ => format!("%!s({}={text})", type_name(scalar)),
    })
}

/// Prints maps and lists, and scalars by `finish`.
fn printed_by(value: &Value, finish: &impl Fn(&Value, String) -> String) -> String {
    let join = |parts: Vec<String>| parts.join(" ");
    match value {
        Value::Null => finish(value, "<nil>".to_owned()),
        Value::Bool(flag) => finish(value, flag.to_string()),
        Value::Number(number) => finish(value, GoNumber::of(number).printed()),
        Value::String(text) => finish(value, text.to_string()),
        Value::Array(items) => {
            format!("[{}]", join(items.iter().map(|item| printed_by(item, finish)).collect()))
        }
        Value::Object(map) => {
            let entries = map.iter().map(|(key, value)| format!("{key}:{}", printed_by(value, finish)));
            format!("map[{}]", join(entries.collect()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::json;

    #[test]
    fn values_are_printed_as_by_go() {
        let value = json!({"b": [1, "x", null], "a": {"c": 1.5, "d": true}});
        assert_eq!(printed(&value), "map[a:map[c:1.5 d:true] b:[1 x <nil>]]");
        assert_eq!(
            printed_as_text(&value),
            "map[a:map[c:%!s(float64=1.5) d:%!s(bool=true)] b:[%!s(int64=1) x %!s(<nil>)]]"
        );
    }
}
