//! Values of the API server's internal types in Go's syntax, as servers before 1.34 print them in errors: `%#v`.
//!
//! What a pointer points to is not printed, only its address, which is another one each time; here it is the same for
//! all. The fields are those of the release, in the order of the internal type.
//!
//! Source: `fmt`, and `Error.ErrorBody` of `k8s.io/apimachinery/pkg/util/validation/field`.

use crate::Value;
use crate::internal_json::{self, go_name};
use crate::schema::{self, Field, Reference, Scalar, Shape, Struct, Type};
use gotext::quantity::Quantity;
use gotext::{base64, encoding_json, quote};

/// The address that all pointers have.
const ADDRESS: &str = "0xc000000000";

/// Returns `value` of type `kind`, which is behind a pointer if `is_pointer`; nothing if the value is of another type.
pub fn of_error(kind: &Type, is_pointer: bool, value: &Value) -> Option<String> {
    if value.is_null() && (is_pointer || is_interface(kind)) {
        return Some(quote("null"));
    }
    if matches!(kind.shape, Shape::Scalar(Scalar::Time | Scalar::MicroTime)) {
        return Some(time_text(value.as_str()));
    }
    typed(kind, value)
}

/// Whether Go has values of the type as an interface.
fn is_interface(kind: &Type) -> bool {
    matches!(kind.shape, Shape::Scalar(Scalar::Json))
}

fn typed(kind: &Type, value: &Value) -> Option<String> {
    match &kind.shape {
        Shape::Scalar(scalar) => self::scalar(*scalar, value),
        Shape::List(item) => {
            let name = list_name(kind, item);
            let Value::Array(values) = value else {
                return value.is_null().then(|| format!("{name}(nil)"));
            };
            let values = values.iter().map(|value| referred(item, value)).collect::<Option<Vec<_>>>()?;
            Some(format!("{name}{{{}}}", values.join(", ")))
        }
        Shape::Map { value: item, .. } => {
            let name = type_name(kind);
            let Value::Object(values) = value else {
                return value.is_null().then(|| format!("{name}(nil)"));
            };
            let values = values.iter().map(|(key, value)| {
                let value = referred(item, value)?;
                Some(format!("{}:{value}", quote(key)))
            });
            Some(format!("{name}{{{}}}", values.collect::<Option<Vec<_>>>()?.join(", ")))
        }
        Shape::Struct(structure) => {
            if !(value.is_null() || value.is_object()) {
                return None;
            }
            Some(format!("{}{{{}}}", type_name(kind), fields(kind, structure, value)?.join(", ")))
        }
    }
}

/// Returns the name of the type of a list, which the internal one has too if it has one.
fn list_name(kind: &Type, item: &Reference) -> String {
    let is_named = !kind.package.is_empty() && kind.package != "internal" && !is_shared(kind);
    if is_named { type_name(kind) } else { format!("[]{}", name_of(item)) }
}

/// Returns the fields of a struct in the order of the internal type, if the tables have that.
fn fields(kind: &Type, structure: &Struct, value: &Value) -> Option<Vec<String>> {
    let named = |name: &str| value.get(name).unwrap_or(&Value::Null);
    let internal = schema::named(&format!("internal.{}", kind.short_name()));
    let Some(internal) = internal.filter(|_| !is_shared(kind)) else {
        let fields =
            internal_json::in_internal_order(kind.short_name(), structure).into_iter().map(|field| {
                Some(format!("{}:{}", go_name(&field.name), referred(&field.reference, named(&field.name))?))
            });
        return fields.collect();
    };
    internal_fields(internal.fields(), 0, structure, value)
}

/// Returns the `fields` of an internal type; those of one that it embeds, `depth` such types down, are a struct in it.
fn internal_fields(fields: &[Field], depth: usize, structure: &Struct, value: &Value) -> Option<Vec<String>> {
    let named = |name: &str| value.get(name).unwrap_or(&Value::Null);
    let mut printed = Vec::new();
    for group in fields.chunk_by(|left, right| {
        left.embedded.get(depth).is_some_and(|embedded| right.embedded.get(depth) == Some(embedded))
    }) {
        match group[0].embedded.get(depth) {
            Some(&"ObjectMeta") => {
                let metadata = structure.field("metadata")?.reference.get();
                printed.push(format!("ObjectMeta:{}", typed(metadata, named("metadata"))?));
            }
            Some(embedded) => {
                let fields = internal_fields(group, depth + 1, structure, value)?;
                printed.push(format!("{embedded}:core.{embedded}{{{}}}", fields.join(", ")));
            }
            None => {
                let (name, source) = internal_json::source_of(&group[0]);
                let Some(field) = structure.field(&source) else { continue };
                let (reference, value) = (&field.reference, named(&field.name));
                let is_pointer = group[0].reference.pointer;
                let text =
                    if is_pointer { referred(reference, value) } else { typed(reference.get(), value) };
                printed.push(format!("{name}:{}", text?));
            }
        }
    }
    Some(printed)
}

/// Returns a value of a field, a list or a map.
fn referred(reference: &Reference, value: &Value) -> Option<String> {
    let kind = reference.get();
    if !reference.pointer {
        return typed(kind, value);
    }
    // Times print themselves, also behind pointers.
    if matches!(kind.shape, Shape::Scalar(Scalar::Time | Scalar::MicroTime)) {
        return if value.is_null() { Some("<nil>".to_owned()) } else { typed(kind, value) };
    }
    let address = if value.is_null() { "nil" } else { ADDRESS };
    Some(format!("(*{})({address})", type_name(kind)))
}

fn scalar(scalar: Scalar, value: &Value) -> Option<String> {
    Some(match scalar {
        Scalar::String => quote(value.as_str().unwrap_or_default()),
        Scalar::Bool => value.as_bool().unwrap_or_default().to_string(),
        Scalar::Int32 | Scalar::Int64 => value.as_i64().unwrap_or_default().to_string(),
        Scalar::Uint8 => format!("{:#x}", value.as_i64().unwrap_or_default()),
        Scalar::Float64 => encoding_json::to_string(value),
        Scalar::Bytes => match value.as_str() {
            None => "[]byte(nil)".to_owned(),
            Some(text) => {
                let bytes = base64::decoded(text);
                let bytes: Vec<_> = bytes.iter().map(|byte| format!("{byte:#x}")).collect();
                format!("[]byte{{{}}}", bytes.join(", "))
            }
        },
        Scalar::Quantity => match value.as_str() {
            None => "resource.Quantity{i:resource.int64Amount{value:0, scale:0}, \
                     d:resource.infDecAmount{Dec:(*inf.Dec)(nil)}, s:\"\", Format:\"\"}"
                .to_owned(),
            Some(text) => Quantity::parse(text).ok()?.go_syntax(),
        },
        Scalar::IntOrString => {
            let (kind, text) = value.as_str().map_or((0, ""), |text| (1, text));
            let number = value.as_i64().unwrap_or_default();
            format!("intstr.IntOrString{{Type:{kind}, IntVal:{number}, StrVal:{}}}", quote(text))
        }
        Scalar::Time | Scalar::MicroTime => time(value.as_str())?,
        Scalar::Json => of_json(value),
        Scalar::SchemaOrArray => schema_or_array(value)?,
        Scalar::Duration | Scalar::SchemaOrBool | Scalar::SchemaOrStrings => {
            return None;
        }
    })
}

/// Returns the `items` of a schema: one schema, or a list of them.
fn schema_or_array(value: &Value) -> Option<String> {
    let props = schema::named("apiextensions/v1.JSONSchemaProps").expect("the tables have it");
    let name = type_name(props);
    let schema = if value.is_object() { ADDRESS } else { "nil" };
    let list = match value.as_array() {
        None => format!("[]{name}(nil)"),
        Some(items) => {
            let items = items.iter().map(|item| typed(props, item)).collect::<Option<Vec<_>>>()?;
            format!("[]{name}{{{}}}", items.join(", "))
        }
    };
    Some(format!("{name}OrArray{{Schema:(*{name})({schema}), JSONSchemas:{list}}}"))
}

/// Returns a time as `time.Time.String` does, which errors print where it is not in a struct.
fn time_text(text: Option<&str>) -> String {
    let Some(text) = text else { return "0001-01-01 00:00:00 +0000 UTC".to_owned() };
    let text = text.trim_end_matches('Z').replacen('T', " ", 1);
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text} +0000 UTC")
}

/// Returns a time as `time.Time.GoString` does.
fn time(text: Option<&str>) -> Option<String> {
    const MONTHS: [&str; 12] = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    let Some(text) = text else {
        return Some("time.Date(1, time.January, 1, 0, 0, 0, 0, time.UTC)".to_owned());
    };
    let mut numbers = text.split(|letter: char| !letter.is_ascii_digit());
    let mut next = || numbers.next()?.parse::<usize>().ok();
    let (year, month, day) = (next()?, next()?, next()?);
    let (hour, minute, second) = (next()?, next()?, next()?);
    let month = MONTHS.get(month.checked_sub(1)?)?;
    Some(format!("time.Date({year}, time.{month}, {day}, {hour}, {minute}, {second}, 0, time.UTC)"))
}

/// Returns any JSON value.
pub fn of_json(value: &Value) -> String {
    match value {
        Value::Null => "interface {}(nil)".to_owned(),
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(of_json).collect();
            format!("[]interface {{}}{{{}}}", items.join(", "))
        }
        Value::Object(entries) => {
            let entries: Vec<_> =
                entries.iter().map(|(key, value)| format!("{}:{}", quote(key), of_json(value))).collect();
            format!("map[string]interface {{}}{{{}}}", entries.join(", "))
        }
        Value::String(text) => quote(text),
        other => encoding_json::to_string(other),
    }
}

/// Whether the internal types use the type of the API itself.
fn is_shared(kind: &Type) -> bool {
    kind.package.starts_with("meta/")
}

fn name_of(reference: &Reference) -> String {
    let name = type_name(reference.get());
    if reference.pointer { format!("*{name}") } else { name }
}

/// Returns the name that Go prints for the internal type.
fn type_name(kind: &Type) -> String {
    if !kind.package.is_empty() && !is_shared(kind) {
        let package = kind.package.split('/').next().unwrap_or_default();
        return format!("{package}.{}", kind.short_name());
    }
    if !kind.name.is_empty() {
        return kind.name.to_string();
    }
    match &kind.shape {
        Shape::List(item) => format!("[]{}", name_of(item)),
        Shape::Map { value, .. } => format!("map[string]{}", name_of(value)),
        Shape::Scalar(Scalar::Bytes) => "[]byte".to_owned(),
        Shape::Scalar(scalar) => scalar.go_name().to_owned(),
        Shape::Struct(_) => "struct".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::json;

    fn printed(name: &str, value: &Value) -> String {
        of_error(schema::named(name).expect("a type"), true, value).expect("a value of the type")
    }

    #[test]
    fn prints_every_field_of_a_struct() {
        let port = json!({"protocol": "TCP", "port": 80, "targetPort": "http"});
        assert_eq!(
            printed("core/v1.ServicePort", &port),
            "core.ServicePort{Name:\"\", Protocol:\"TCP\", AppProtocol:(*string)(nil), Port:80, \
             TargetPort:intstr.IntOrString{Type:1, IntVal:0, StrVal:\"http\"}, NodePort:0}"
        );
        let profile = json!({"type": "Unconfined", "localhostProfile": "a"});
        assert_eq!(
            printed("core/v1.SeccompProfile", &profile),
            "core.SeccompProfile{Type:\"Unconfined\", LocalhostProfile:(*string)(0xc000000000)}"
        );
    }

    #[test]
    fn prints_lists_maps_and_quantities() {
        assert_eq!(printed("core/v1.ResourceList", &Value::Null), "\"null\"");
        assert_eq!(
            printed("core/v1.ResourceList", &json!({"cpu": "800m"})),
            "core.ResourceList{\"cpu\":resource.Quantity{i:resource.int64Amount{value:800, scale:-3}, \
             d:resource.infDecAmount{Dec:(*inf.Dec)(nil)}, s:\"800m\", Format:\"DecimalSI\"}}"
        );
        let selector = json!({"matchLabels": {"app": "web"}});
        assert_eq!(
            printed("meta/v1.LabelSelector", &selector),
            "v1.LabelSelector{MatchLabels:map[string]string{\"app\":\"web\"}, \
             MatchExpressions:[]v1.LabelSelectorRequirement(nil)}"
        );
    }

    #[test]
    fn prints_values_of_any_type() {
        assert_eq!(
            of_json(&json!({"a": [1, "b", null, true]})),
            "map[string]interface {}{\"a\":[]interface {}{1, \"b\", interface {}(nil), true}}"
        );
    }
}
