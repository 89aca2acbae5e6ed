//! Custom resource definitions.
//!
//! Source: `k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition`, `pkg/apiserver/validation`.

use std::collections::BTreeSet;

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

/// Warns about sets whose items are not scalars, unless `old` has them.
pub(crate) fn sets_of_structures(spec: &Map, old: Option<&Map>, warnings: &mut Warnings<'_>) {
    let known = old.map(types_in_sets).unwrap_or_default();
    for of in types_in_sets(spec).difference(&known) {
        warnings.push(format!(
            "x-kubernetes-list-type: set for items of type {} is not supported by server-side apply or CEL validation \
             rules",
            quote(of)
        ));
    }
}

/// Returns the types of the items of sets that are objects or arrays.
fn types_in_sets(spec: &Map) -> BTreeSet<&str> {
    let mut types = BTreeSet::new();
    for schema in schemas(spec) {
        walk(schema, &mut |schema| {
            let of = schema.child("items").map_or("", |items| items.text("type"));
            if schema.text("x-kubernetes-list-type") == "set" && ["array", "object"].contains(&of) {
                types.insert(of);
            }
        });
    }
    types
}

fn formats(spec: &Map) -> Vec<&str> {
    let mut formats = Vec::new();
    for schema in schemas(spec) {
        walk(schema, &mut |schema| formats.extend(unknown_format(schema)));
    }
    formats
}

fn schemas(spec: &Map) -> impl Iterator<Item = &Map> {
    spec.items("versions").filter_map(|version| version.child(["schema", "openAPIV3Schema"]))
}

/// Returns the format of a schema if it is not validated.
fn unknown_format(schema: &Map) -> Option<&str> {
    let format = schema.text("format");
    let is_known = match schema.text("type") {
        "" | "string" => STRING_FORMATS.contains(&format.replace('-', "").as_str()),
        "integer" => matches!(format, "int32" | "int64"),
        "number" => matches!(format, "float" | "double"),
        _ => false,
    };
    (!format.is_empty() && !is_known).then_some(format)
}

/// Visits a schema and those in it. The order is the server's; where the server iterates a map in random order, it is by
/// key.
fn walk<'a>(schema: &'a Map, visit: &mut impl FnMut(&'a Map)) {
    visit(schema);
    // A single schema in a field, several in a list, or several by name.
    let singles = |field: &str| schema.child(field).into_iter();
    let named =
        |field: &str| schema.child(field).into_iter().flat_map(Map::values).filter_map(Value::as_object);
    singles("items").for_each(|schema| walk(schema, visit));
    for field in ["items", "allOf", "anyOf", "oneOf"] {
        schema.items(field).for_each(|schema| walk(schema, visit));
    }
    singles("not").for_each(|schema| walk(schema, visit));
    named("properties").for_each(|schema| walk(schema, visit));
    singles("additionalProperties").for_each(|schema| walk(schema, visit));
    named("patternProperties").for_each(|schema| walk(schema, visit));
    singles("additionalItems").for_each(|schema| walk(schema, visit));
    for field in ["definitions", "dependencies"] {
        named(field).for_each(|schema| walk(schema, visit));
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::on_create;
    use gotext::value::json;

    #[test]
    fn sets_of_structures_are_named_once_per_type() {
        let set = |of: &str| json!({"type": "array", "x-kubernetes-list-type": "set", "items": {"type": of}});
        let properties =
            json!({"a": set("object"), "b": set("array"), "c": set("object"), "d": set("string")});
        let version = json!({"schema": {"openAPIV3Schema": {"type": "object", "properties": properties}}});
        let kind = "CustomResourceDefinition";
        let spec = json!({"versions": [version]});
        let text = |of| {
            format!(
                "x-kubernetes-list-type: set for items of type \"{of}\" is not supported by server-side apply or CEL \
                 validation rules"
            )
        };
        assert_eq!(
            on_create(json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": kind, "spec": spec})),
            [text("array"), text("object")]
        );
    }

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
