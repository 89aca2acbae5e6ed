//! Internal types as Go prints them in messages: they have no JSON names, so their fields have the names of Go, and
//! none is omitted.

use std::fmt::Write as _;

use crate::api::Value;
use crate::api::schema::{self, Field, Scalar, Shape, Type};
use crate::go::json;

/// Types that internal ones share with the API, which do have JSON names.
const WITH_JSON_NAMES: [&str; 4] = ["Condition", "LabelSelector", "LabelSelectorRequirement", "ObjectMeta"];

/// Initialisms that a Go name spells in capitals at its end, and at its start.
const INITIALISMS: [(&str, &str); 9] = [
    ("Id", "ID"),
    ("Ip", "IP"),
    ("Uid", "UID"),
    ("Uri", "URI"),
    ("Url", "URL"),
    ("Api", "API"),
    ("Cel", "CEL"),
    ("Csi", "CSI"),
    ("Json", "JSON"),
];

/// Returns a value of a type of the field tables, such as `flowcontrol/v1.FlowSchemaSpec`, that is not behind a
/// pointer.
pub(in crate::registry) fn internal(value: &Value, type_name: &str) -> String {
    let mut text = String::new();
    match schema::named(type_name) {
        Some(found) => print(&mut text, value, found, false),
        None => text.push_str(&json::to_string(value)),
    }
    text
}

/// Returns a value of a type of the field tables as the API has it.
pub(in crate::registry) fn versioned(value: &Value, type_name: &str) -> String {
    let mut text = String::new();
    if let Some(found) = schema::named(type_name) {
        print(&mut text, value, found, true);
    }
    text
}

pub(in crate::registry) fn print(text: &mut String, value: &Value, of: &Type, with_json_names: bool) {
    match &of.shape {
        Shape::Struct(structure) => {
            let json = with_json_names || WITH_JSON_NAMES.contains(&of.short_name());
            text.push('{');
            let shown = structure.fields.iter().filter(|field| !json || is_shown(value, field));
            for (position, field) in shown.enumerate() {
                if position > 0 {
                    text.push(',');
                }
                let name = if json { field.name.clone().into_owned() } else { go_name(&field.name) };
                _ = write!(text, "\"{name}\":");
                print_field(text, &value[&*field.name], field, json);
            }
            text.push('}');
        }
        Shape::List(item) if value.is_array() => {
            let items = value.as_array().into_iter().flatten();
            let print_item = |text: &mut String, value| print(text, value, item.get(), with_json_names);
            print_parts(text, ['[', ']'], items, print_item);
        }
        Shape::Map { value: item, .. } if value.is_object() => {
            let entries = value.as_object().into_iter().flatten();
            print_parts(text, ['{', '}'], entries, |text, (key, value)| {
                _ = write!(text, "{}:", Value::from(key.as_str()));
                print(text, value, item.get(), with_json_names);
            });
        }
        Shape::Scalar(scalar) if value.is_null() => text.push_str(zero(*scalar)),
        _ => text.push_str(&json::to_string(value)),
    }
}

fn print_parts<T>(
    text: &mut String,
    [open, close]: [char; 2],
    parts: impl Iterator<Item = T>,
    mut print_part: impl FnMut(&mut String, T),
) {
    text.push(open);
    for (position, part) in parts.enumerate() {
        if position > 0 {
            text.push(',');
        }
        print_part(text, part);
    }
    text.push(close);
}

fn print_field(text: &mut String, value: &Value, field: &Field, with_json_names: bool) {
    if value.is_null() && field.reference.pointer && !field.always {
        text.push_str("null");
    } else {
        print(text, value, field.reference.get(), with_json_names);
    }
}

pub(in crate::registry) fn is_shown(value: &Value, field: &Field) -> bool {
    let value = &value[&*field.name];
    let is_zero = match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(entries) => entries.is_empty() && !field.reference.pointer,
        _ => false,
    };
    !is_zero || !(field.omit_empty || field.omit_zero)
}

pub(in crate::registry) fn zero(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::String => "\"\"",
        Scalar::Bool => "false",
        Scalar::Int32 | Scalar::Int64 | Scalar::Uint8 | Scalar::Float64 | Scalar::IntOrString => "0",
        Scalar::Quantity => "\"0\"",
        Scalar::Duration => "\"0s\"",
        _ => "null",
    }
}

/// Returns the Go name of the field that JSON calls `name`.
pub(in crate::registry) fn go_name(name: &str) -> String {
    let name = name.trim_start_matches('$');
    if let Some(extension) = name.strip_prefix("x-kubernetes-") {
        return format!("X{}", extension.split('-').map(go_name).collect::<String>());
    }
    let mut name = format!("{}{}", name[..1].to_uppercase(), &name[1..]);
    for (word, initialism) in INITIALISMS {
        if let Some(rest) = name.strip_prefix(word)
            && rest.chars().next().is_none_or(char::is_uppercase)
        {
            name = format!("{initialism}{rest}");
        }
        if let Some(rest) = name.strip_suffix(word) {
            name = format!("{rest}{initialism}");
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json;

    #[test]
    fn prints_all_fields_under_their_go_names() {
        let subject = json!({"kind": "Group", "group": {"name": "a"}});
        assert_eq!(
            internal(&subject, "flowcontrol/v1.Subject"),
            r#"{"Kind":"Group","User":null,"Group":{"Name":"a"},"ServiceAccount":null}"#
        );
        let rule = json!({"verbs": ["*"], "apiGroups": ["*"]});
        assert_eq!(
            internal(&rule, "flowcontrol/v1.ResourcePolicyRule"),
            r#"{"Verbs":["*"],"APIGroups":["*"],"Resources":null,"ClusterScope":false,"Namespaces":null}"#
        );
        let reference = json!({"apiVersion": "v1", "uid": "u"});
        assert_eq!(
            internal(&reference, "core/v1.ObjectReference"),
            "{\"Kind\":\"\",\"Namespace\":\"\",\"Name\":\"\",\"UID\":\"u\",\"APIVersion\":\"v1\",\
             \"ResourceVersion\":\"\",\"FieldPath\":\"\"}"
        );
    }
}
