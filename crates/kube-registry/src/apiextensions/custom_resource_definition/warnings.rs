//! Custom resource definitions.
//!
//! Source: `k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition`, `pkg/apiserver/validation`.

use crate::warnings::Warnings;
use gotext::quote;
use kube_api::{Map, Value};

/// The formats of strings that are validated, without the dashes that do not count.
const STRING_FORMATS: [&str; 26] = [
    "bsonobjectid",
    "uri",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "cidr",
    "mac",
    "uuid",
    "uuid3",
    "uuid4",
    "uuid5",
    "isbn",
    "isbn10",
    "isbn13",
    "creditcard",
    "ssn",
    "hexcolor",
    "rgbcolor",
    "byte",
    "password",
    "date",
    "duration",
    "datetime",
    "k8sshortname",
    "k8slongname",
];

/// Warns about formats that are not validated, unless `old` has them.
pub(crate) fn unknown_formats(spec: &Map, old: Option<&Map>, warnings: &mut Warnings<'_>) {
    let known = old.map(formats).unwrap_or_default();
    for format in formats(spec) {
        let warning = format!("unrecognized format {}", quote(format));
        // The same text is sent once.
        if !known.contains(&format) && !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }
}

pub(crate) fn formats(spec: &Map) -> Vec<&str> {
    let mut formats = Vec::new();
    for version in spec.items("versions") {
        if let Some(schema) = version.child(["schema", "openAPIV3Schema"]) {
            collect(schema, &mut formats);
        }
    }
    formats
}

/// Collects the formats in a schema. The order is the server's; where the server iterates a map in random order, it is
/// by key.
pub(crate) fn collect<'a>(schema: &'a Map, formats: &mut Vec<&'a str>) {
    let format = schema.text("format");
    let is_known = match schema.text("type") {
        "" | "string" => STRING_FORMATS.contains(&format.replace('-', "").as_str()),
        "integer" => matches!(format, "int32" | "int64"),
        "number" => matches!(format, "float" | "double"),
        _ => false,
    };
    if !format.is_empty() && !is_known {
        formats.push(format);
    }
    // A single schema in a field, several in a list, or several by name.
    let singles = |field: &str| schema.child(field).into_iter();
    let named =
        |field: &str| schema.child(field).into_iter().flat_map(Map::values).filter_map(Value::as_object);
    singles("items").for_each(|schema| collect(schema, formats));
    for field in ["items", "allOf", "anyOf", "oneOf"] {
        schema.items(field).for_each(|schema| collect(schema, formats));
    }
    singles("not").for_each(|schema| collect(schema, formats));
    named("properties").for_each(|schema| collect(schema, formats));
    singles("additionalProperties").for_each(|schema| collect(schema, formats));
    named("patternProperties").for_each(|schema| collect(schema, formats));
    singles("additionalItems").for_each(|schema| collect(schema, formats));
    for field in ["definitions", "dependencies"] {
        named(field).for_each(|schema| collect(schema, formats));
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::on_create;
    use gotext::value::json;

    #[test]
    fn formats_that_are_not_validated_are_named_once() {
        let properties = json!({
            "a": {"type": "string", "format": "date-time"},
            "b": {"type": "integer", "format": "uint8"},
            "c": {"type": "array", "items": {"type": "string", "format": "colour"}},
            "d": {"type": "integer", "format": "uint8"}
        });
        let version = json!({"schema": {"openAPIV3Schema": {"type": "object", "properties": properties}}});
        let spec = json!({"versions": [version, version]});
        let kind = "CustomResourceDefinition";
        assert_eq!(
            on_create(json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": kind, "spec": spec})),
            ["unrecognized format \"uint8\"", "unrecognized format \"colour\""]
        );
    }
}
