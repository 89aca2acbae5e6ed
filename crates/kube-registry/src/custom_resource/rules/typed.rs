//! The types that rules see for the values of a schema.
//!
//! Source: `UnstructuredToVal` of `k8s.io/apiserver/pkg/cel/common`, `WithTypeAndObjectMeta`.

use std::collections::BTreeMap;

use kube_api::Value;
use kube_cel::{ListType, StringFormat, ValueSchema};

/// Returns the types of the values of `schema`. A resource has a version, a kind and a name, even if its schema does
/// not declare them.
pub(super) fn typed(schema: &Value, is_resource: bool) -> ValueSchema {
    let is_embedded = |schema: &Value| schema["x-kubernetes-embedded-resource"] == true;
    if schema["x-kubernetes-int-or-string"] == true {
        return ValueSchema::Plain;
    }
    match schema.text("type") {
        "integer" => ValueSchema::Integer,
        "number" => ValueSchema::Number,
        "string" => ValueSchema::String(match schema["format"].as_str() {
            Some("byte") => StringFormat::Byte,
            Some("date") => StringFormat::Date,
            Some("date-time") => StringFormat::DateTime,
            Some("duration") => StringFormat::Duration,
            _ => StringFormat::Text,
        }),
        "array" => {
            let keys = schema["x-kubernetes-list-map-keys"].as_array().into_iter().flatten();
            let list_type = match schema["x-kubernetes-list-type"].as_str() {
                Some("set") => ListType::Set,
                Some("map") => ListType::Map(keys.filter_map(Value::as_str).map(str::to_owned).collect()),
                _ => ListType::Atomic,
            };
            let items = &schema["items"];
            ValueSchema::Array(Box::new(typed(items, is_embedded(items))), list_type)
        }
        "object" => {
            let values = &schema["additionalProperties"];
            if values.is_object() && !is_resource && !schema["properties"].is_object() {
                return ValueSchema::Map(Box::new(typed(values, is_embedded(values))));
            }
            let properties = schema["properties"].as_object().into_iter().flatten();
            let mut properties: BTreeMap<String, ValueSchema> =
                properties.map(|(name, part)| (name.to_string(), typed(part, is_embedded(part)))).collect();
            if is_resource && !is_complete(schema) {
                let text = || ValueSchema::String(StringFormat::Text);
                let metadata = ["name", "generateName"].map(|name| (name.to_owned(), text()));
                properties.insert("kind".to_owned(), text());
                properties.insert("apiVersion".to_owned(), text());
                properties.insert("metadata".to_owned(), ValueSchema::Object(metadata.into()));
            }
            ValueSchema::Object(properties)
        }
        _ => ValueSchema::Plain,
    }
}

fn is_complete(schema: &Value) -> bool {
    let property = |schema: &Value, name: &str| schema["properties"][name].clone();
    let metadata = property(schema, "metadata");
    property(schema, "kind")["type"] == "string"
        && property(schema, "apiVersion")["type"] == "string"
        && metadata["type"] == "object"
        && property(&metadata, "name")["type"] == "string"
        && property(&metadata, "generateName")["type"] == "string"
}
