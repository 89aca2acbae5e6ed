//! Values that are compared in part.

use gotext::value::Text;
use kube_api::{Map, Value};

/// Returns the part of `actual` that `expected` covers: the fields of maps that it names, `null` if absent; lists item
/// by item if they have the same length, else as a whole. It equals `expected` if the expectation is met.
pub(super) fn project(expected: &Value, actual: &Value) -> Value {
    match (expected, actual) {
        (Value::Object(expected), Value::Object(actual)) => {
            let part = |(key, expected): (&Text, &Value)| {
                let actual = actual.look_up(key).unwrap_or(&Value::Null);
                (key.clone(), project(expected, actual))
            };
            Value::Object(expected.iter().map(part).collect::<Map>())
        }
        (Value::Array(expected), Value::Array(actual)) if expected.len() == actual.len() => {
            expected.iter().zip(actual).map(|(expected, actual)| project(expected, actual)).collect()
        }
        _ => actual.clone(),
    }
}

#[cfg(test)]
mod tests {
    use gotext::value::json;

    use super::*;

    #[test]
    fn only_what_is_named_counts() {
        let actual = json!({"a": 1, "b": [{"c": 1, "d": 2}, {"c": 3}], "e": {"f": 1}});
        for expected in
            [json!({}), json!({"a": 1, "b": [{"c": 1}, {}]}), json!({"none": null, "e": {"f": 1, "g": null}})]
        {
            assert_eq!(project(&expected, &actual), expected);
        }
        assert_eq!(project(&json!({"b": [{"c": 1}]}), &actual)["b"], actual["b"]);
        assert_eq!(project(&json!({"a": {"b": 1}}), &actual), json!({"a": 1}));
        assert_eq!(project(&json!({"none": 1}), &actual), json!({"none": null}));
    }
}
