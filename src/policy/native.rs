//! The results of mutations, as JSON.
//!
//! Source: `k8s.io/apiserver/pkg/cel/mutation`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use kube_api::Map;
use kube_cel::{List, Value};

/// The largest whole number that JSON numbers carry without loss.
const MAX_SAFE: i64 = (1 << 53) - 1;

/// Returns the value of an `ApplyConfiguration`: numbers keep their type.
///
/// # Errors
///
/// Fails if a map has keys that are not text, or a value is bytes, which no field of a schema is.
pub fn merged_value(value: &Value<'_>) -> Result<kube_api::Value, String> {
    if let Some((path, bytes)) = bytes_in(value) {
        let bytes: Vec<String> = bytes.iter().map(|byte| format!("{byte:#x}")).collect();
        return Err(format!(
            "error applying patch: failed to convert patch object to typed object: {path}: expected string, got \
             &value.valueUnstructured{{Value:[]uint8{{{}}}}}",
            bytes.join(", ")
        ));
    }
    convert(value, false)
}

/// Returns the first bytes in a value, with their path.
fn bytes_in(value: &Value<'_>) -> Option<(String, Vec<u8>)> {
    let below = |step: String, value: &Value<'_>| {
        bytes_in(value).map(|(path, bytes)| (format!("{step}{path}"), bytes))
    };
    match value {
        Value::Bytes(bytes) => Some((String::new(), bytes.to_vec())),
        Value::Optional(Some(value)) => bytes_in(value),
        Value::List(list) => {
            list.iter().enumerate().find_map(|(index, item)| below(format!("[{index}]"), &item))
        }
        Value::Map(map) => map.entries().find_map(|(key, value)| match key {
            Value::String(key) => below(format!(".{}", &*key), &value),
            _ => None,
        }),
        Value::Object(object) => {
            object.fields.iter().find_map(|(name, value)| below(format!(".{name}"), value))
        }
        _ => None,
    }
}

/// Returns the value of an operation of a JSON patch: numbers become JSON's.
///
/// # Errors
///
/// Fails for values that JSON does not have.
pub fn patch_value(value: &Value<'_>) -> Result<kube_api::Value, String> {
    convert(value, true)
}

fn convert(value: &Value<'_>, is_json: bool) -> Result<kube_api::Value, String> {
    Ok(match value {
        Value::Null | Value::Optional(None) => kube_api::Value::Null,
        Value::Bool(value) => (*value).into(),
        Value::Int(value) if is_json && !(-MAX_SAFE..=MAX_SAFE).contains(value) => value.to_string().into(),
        Value::Int(value) => (*value).into(),
        Value::Uint(value) => (*value).into(),
        Value::Double(value) => number(*value),
        Value::String(text) => (&**text).into(),
        Value::Bytes(bytes) => STANDARD.encode(bytes).into(),
        Value::Type(name) => (&**name).into(),
        Value::Duration(_) | Value::Timestamp(_) => value.to_string().into(),
        Value::Optional(Some(value)) => return convert(value, is_json),
        Value::List(list) => return items(list, is_json),
        Value::Map(map) => {
            let mut converted = Map::new();
            for (key, value) in map.entries() {
                let key = match &key {
                    Value::String(text) => text.to_string(),
                    other if is_json => other.to_string(),
                    other => {
                        return Err(format!(
                            "map key \"{other}\" is of type {}, not string",
                            other.type_name()
                        ));
                    }
                };
                converted.insert(key, convert(&value, is_json)?);
            }
            kube_api::Value::Object(converted)
        }
        Value::Object(object) => {
            let fields = object.fields.iter();
            let fields = fields.map(|(name, value)| Ok((name.to_string(), convert(value, is_json)?)));
            kube_api::Value::Object(fields.collect::<Result<_, String>>()?)
        }
        Value::Opaque(_) => return Err(format!("unsupported value of type {}", value.type_name())),
    })
}

fn items(list: &List<'_>, is_json: bool) -> Result<kube_api::Value, String> {
    list.iter().map(|item| convert(&item, is_json)).collect::<Result<Vec<_>, _>>().map(kube_api::Value::from)
}

/// Returns a number as Go writes it, without a fraction if it is whole.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "it is a whole number within bounds"
)]
#[expect(clippy::float_cmp, reason = "equality is what CEL asks")]
fn number(value: f64) -> kube_api::Value {
    let whole = value as i64;
    if value.abs() <= MAX_SAFE as f64 && whole as f64 == value {
        return whole.into();
    }
    value.into()
}

/// Returns the errors in the names of the types in an object that an expression created: they must match their place.
pub fn type_name_errors(value: &Value<'_>) -> Vec<String> {
    let mut errors = Vec::new();
    if let Value::Object(object) = value {
        check_type_names(value, &object.type_name, &mut errors);
    }
    errors
}

fn check_type_names(value: &Value<'_>, expected: &str, errors: &mut Vec<String>) {
    match value {
        Value::Object(object) => {
            if *object.type_name != *expected {
                errors.push(format!(
                    "unexpected type name \"{}\", expected \"{expected}\", which matches field name path from root \
                     Object type",
                    object.type_name
                ));
            }
            for (name, value) in &object.fields {
                check_type_names(value, &format!("{expected}.{name}"), errors);
            }
        }
        Value::List(List::Tree(_)) => {}
        Value::List(list) => list.iter().for_each(|item| check_type_names(&item, expected, errors)),
        Value::Map(map) => map.entries().for_each(|(_, value)| check_type_names(&value, expected, errors)),
        _ => {}
    }
}
