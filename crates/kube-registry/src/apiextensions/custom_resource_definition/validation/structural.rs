//! Whether a schema is structural: that every field has a type, and that conditions (`allOf` and the like) introduce no
//! new fields.
//!
//! Source: `k8s.io/apiextensions-apiserver/pkg/apiserver/schema`.

use gotext::value::json;

use crate::apiextensions::custom_resource_definition::validation::schema::has_unsupported_fields;
use crate::validation::node::{Errors, Node};
use gotext::regexp;
use kube_api::Value;
use kube_api::field::{Error, Path};

/// The kind of schema at a place.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Level {
    Root,
    Item,
    Field,
}

/// Implements `NewStructural` and `ValidateStructural`; errors are sorted by their texts. A schema that contains what a
/// structural one cannot is not checked further: that is an error of its own.
pub(crate) fn validate(root: &Node) -> Vec<Error> {
    if has_unsupported_fields(root.value()) {
        return Vec::new();
    }
    let mut errors = Errors::default();
    validate_invariants(&mut errors, root, Level::Root);
    validate_completeness(&mut errors, root, root, &root.here());
    let mut errors = errors.0;
    errors.sort_by_cached_key(ToString::to_string);
    errors
}

/// Whether an old schema is structural.
pub(crate) fn is_structural(schema: &Value) -> bool {
    !has_unsupported_fields(schema) && validate(&Node::root(schema)).is_empty()
}

/// Implements `validateStructuralInvariants`.
fn validate_invariants(errors: &mut Errors, schema: &Node, level: Level) {
    let kind = schema.text("type");
    if kind == "array" && !schema.has("items") {
        errors.required(&schema.at("items"), "must be specified");
    }
    if let Some(items) = schema.get("items") {
        validate_invariants(errors, &items, Level::Item);
    }
    for property in properties(schema) {
        validate_invariants(errors, &property, Level::Field);
    }
    let additional = schema.get("additionalProperties");
    if let Some(additional) = &additional {
        if level == Level::Root {
            errors.forbidden(&additional.here(), "must not be used at the root");
        }
        if additional.value().is_object() {
            validate_invariants(errors, additional, Level::Field);
        }
    }
    let [int_or_string, preserves, embeds] =
        ["int-or-string", "preserve-unknown-fields", "embedded-resource"]
            .map(|extension| schema.flag(&format!("x-kubernetes-{extension}")));
    let detail = "must be false if x-kubernetes-int-or-string is true";
    if int_or_string && preserves {
        let path = schema.at("x-kubernetes-preserve-unknown-fields");
        errors.invalid_value(&path, &Value::Bool(true), detail);
    }
    if int_or_string && embeds {
        errors.invalid_value(&schema.at("x-kubernetes-embedded-resource"), &Value::Bool(true), detail);
    }
    validate_conditions(errors, schema, is_int_or_string(schema.raw("anyOf")), true);
    if embeds && kind != "object" {
        let detail = "must be object if x-kubernetes-embedded-resource is true";
        if kind.is_empty() {
            errors.required(&schema.at("type"), detail);
        } else {
            errors.invalid(&schema.at("type"), kind, detail);
        }
    } else if kind.is_empty() && !int_or_string && !preserves {
        let detail = match level {
            Level::Root => "must not be empty at the root",
            Level::Item => "must not be empty for specified array items",
            Level::Field => "must not be empty for specified object fields",
        };
        errors.required(&schema.at("type"), detail);
    }
    if let Some(additional) = additional.filter(|_| embeds) {
        let detail = "must not be used if x-kubernetes-embedded-resource is set";
        errors.forbidden(&additional.here(), detail);
    }
    if level == Level::Root && !["", "object"].contains(&kind) {
        errors.invalid(&schema.at("type"), kind, "must be object at the root");
    }
    validate_resource_fields(errors, schema, level == Level::Root, embeds);
    if embeds && !preserves && schema.len("properties") == 0 {
        let detail = "must not be empty if x-kubernetes-embedded-resource is true without \
                      x-kubernetes-preserve-unknown-fields";
        errors.required(&schema.at("properties"), detail);
    }
}

/// Validates what a schema may specify for the kind, the version and the metadata of a resource.
fn validate_resource_fields(errors: &mut Errors, schema: &Node, is_root: bool, embeds: bool) {
    let holds_resource = is_root || embeds;
    for (name, property) in schema.entries("properties") {
        let property = Node::new(schema.at("properties").key(name), property);
        let expected = match name {
            "kind" | "apiVersion" => "string",
            "metadata" => "object",
            _ => continue,
        };
        let kind = property.text("type");
        if holds_resource && kind != expected {
            errors.invalid(&property.at("type"), kind, format!("must be {expected}"));
        }
        if name == "metadata" && is_root && says_more_than_names(property.value()) {
            let detail = "must not specify anything other than name and generateName, but metadata is implicitly \
                          specified";
            errors.forbidden(&property.here(), detail);
        }
    }
}

fn says_more_than_names(metadata: &Value) -> bool {
    let is_names = |properties: &Value| {
        properties
            .as_object()
            .is_some_and(|map| map.keys().all(|name| ["name", "generateName"].contains(&name.as_str())))
    };
    metadata.as_object().into_iter().flatten().any(|(field, value)| match field.as_str() {
        "type" | "default" => false,
        "properties" => !is_names(value),
        _ => {
            !crate::validation::metadata::is_zero(value)
                && value.as_array().is_none_or(|list| !list.is_empty())
        }
    })
}

pub(crate) fn properties<'a>(schema: &Node<'a>) -> impl Iterator<Item = Node<'a>> + use<'a> {
    let path = (schema.len("properties") > 0).then(|| schema.at("properties"));
    schema
        .entries("properties")
        .filter_map(move |(name, value)| Some(Node::new(path.as_ref()?.key(name), value)))
}

/// Whether an `anyOf` is the one for an integer or a text.
pub(crate) fn is_int_or_string(any_of: &Value) -> bool {
    *any_of == json!([{"type": "integer"}, {"type": "string"}])
}

/// Implements `validateValueValidation`.
pub(crate) fn validate_conditions(
    errors: &mut Errors,
    schema: &Node,
    skip_any_of: bool,
    skip_first_all_of: bool,
) {
    if !skip_any_of {
        for part in schema.items("anyOf") {
            validate_nested(errors, &part, false);
        }
    }
    for (index, part) in schema.items("allOf").enumerate() {
        let skip = skip_first_all_of && index == 0 && is_int_or_string(part.raw("anyOf"));
        validate_nested(errors, &part, skip);
    }
    for part in schema.items("oneOf") {
        validate_nested(errors, &part, false);
    }
    if let Some(not) = schema.get("not") {
        validate_nested(errors, &not, false);
    }
    let pattern = schema.text("pattern");
    if !pattern.is_empty()
        && let Err(error) = regexp::compile(pattern)
    {
        let detail = format!("must be a valid regular expression, but isn't: {error}");
        errors.invalid(&schema.at("pattern"), pattern, detail);
    }
}

/// Implements `validateNestedValueValidation`.
fn validate_nested(errors: &mut Errors, part: &Node, skip_any_of: bool) {
    validate_conditions(errors, part, skip_any_of, false);
    if let Some(items) = part.get("items") {
        validate_nested(errors, &items, false);
    }
    for property in properties(part) {
        validate_nested(errors, &property, false);
    }
    let mut forbid = |is_set: bool, field: &'static str, detail: &str| {
        if is_set {
            errors.forbidden(&part.at(field), format!("must be {detail} to be structural"));
        }
    };
    let text = |field: &str| !part.text(field).is_empty();
    forbid(text("type"), "type", "empty");
    let additional = part.raw("additionalProperties");
    forbid(additional.is_object() || *additional == true, "additionalProperties", "undefined");
    forbid(part.has("default"), "default", "undefined");
    forbid(text("title"), "title", "empty");
    forbid(text("description"), "description", "empty");
    for field in [
        "nullable",
        "x-kubernetes-preserve-unknown-fields",
        "x-kubernetes-embedded-resource",
        "x-kubernetes-int-or-string",
    ] {
        forbid(part.flag(field), field, "false");
    }
    forbid(part.len("x-kubernetes-list-map-keys") > 0, "x-kubernetes-list-map-keys", "empty");
    for field in ["x-kubernetes-list-type", "x-kubernetes-map-type"] {
        forbid(part.has(field), field, "undefined");
    }
    forbid(part.len("x-kubernetes-validations") > 0, "x-kubernetes-validations", "empty");
    if part.raw("properties").get("metadata").is_some() {
        let path = part.at("properties").key("metadata");
        errors.forbidden(&path, "must not be specified in a nested context");
    }
}

/// Implements `validateValueValidationCompleteness`: `schema` must have every field that `part` restricts; `path` is
/// where one is missing.
fn validate_completeness(errors: &mut Errors, part: &Node, schema: &Node, path: &Path) {
    if let Some(not) = part.get("not") {
        validate_nested_completeness(errors, &not, schema, path);
    }
    for field in ["allOf", "anyOf", "oneOf"] {
        for part in part.items(field) {
            validate_nested_completeness(errors, &part, schema, path);
        }
    }
}

/// Implements `validateNestedValueValidationCompleteness`.
fn validate_nested_completeness(errors: &mut Errors, part: &Node, schema: &Node, path: &Path) {
    validate_completeness(errors, part, schema, path);
    if let Some(items) = part.get("items") {
        let path = path.child("items");
        match schema.get("items") {
            Some(schema) => validate_nested_completeness(errors, &items, &schema, &path),
            None => errors.required(&path, format!("because it is defined in {}", items.here())),
        }
    }
    for (name, value) in part.entries("properties") {
        let part = Node::new(part.at("properties").key(name), value);
        let path = path.child("properties").key(name);
        match schema.raw("properties").get(name) {
            Some(found) => {
                validate_nested_completeness(errors, &part, &Node::new(path.clone(), found), &path);
            }
            None => errors.required(&path, format!("because it is defined in {}", part.here())),
        }
    }
}
