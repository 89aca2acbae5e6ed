//! Validation of the schema of a custom resource.

use crate::custom_resource::rules::field_path;
use crate::validation::node::{Errors, Node};
use gotext::value::Text;
use kube_api::field::{Error, Rule};
use kube_api::{Map, Value, internal_json};

const TYPES: [&str; 6] = ["array", "boolean", "integer", "number", "object", "string"];
/// The fields that the root may have besides those of a status, and their names in messages.
const AT_ROOT: [(&str, &str); 22] = [
    ("description", "Description"),
    ("type", "Type"),
    ("format", "Format"),
    ("title", "Title"),
    ("maximum", "Maximum"),
    ("exclusiveMaximum", "ExclusiveMaximum"),
    ("minimum", "Minimum"),
    ("exclusiveMinimum", "ExclusiveMinimum"),
    ("maxLength", "MaxLength"),
    ("minLength", "MinLength"),
    ("pattern", "Pattern"),
    ("maxItems", "MaxItems"),
    ("minItems", "MinItems"),
    ("uniqueItems", "UniqueItems"),
    ("multipleOf", "MultipleOf"),
    ("required", "Required"),
    ("items", "Items"),
    ("properties", "Properties"),
    ("externalDocs", "ExternalDocs"),
    ("example", "Example"),
    ("x-kubernetes-preserve-unknown-fields", "XPreserveUnknownFields"),
    ("x-kubernetes-validations", "XValidations"),
];

/// The checks that the old definition does not disable.
#[derive(Clone, Copy)]
pub(crate) struct Checks {
    pub(crate) valid_types: bool,
    pub(crate) atomic_sets: bool,
    pub(crate) map_list_keys: bool,
}

/// The place in the object where a schema applies.
#[derive(Clone, Copy, Default)]
pub(crate) struct Place<'a> {
    /// The reason that defaults are forbidden, if they are.
    no_defaults: Option<&'a str>,
    /// In the metadata, kind or version of a resource.
    in_metadata: bool,
}

/// Whether `holds` is true for a schema or one in it (`SchemaHas`).
pub(crate) fn has(schema: &Value, holds: &impl Fn(&Map) -> bool) -> bool {
    let Some(fields) = schema.as_object() else { return false };
    let below = |field: &str| fields.get(field).is_some_and(|value| has(value, holds));
    let list = |field: &str| {
        fields.get(field).and_then(Value::as_array).into_iter().flatten().any(|value| has(value, holds))
    };
    let map = |field: &str| {
        fields
            .get(field)
            .and_then(Value::as_object)
            .is_some_and(|map| map.values().any(|value| has(value, holds)))
    };
    holds(fields)
        || ["items", "not", "additionalProperties", "additionalItems"].into_iter().any(below)
        || ["items", "allOf", "anyOf", "oneOf"].into_iter().any(list)
        || ["properties", "patternProperties", "definitions", "dependencies"].into_iter().any(map)
}

/// Whether a schema, or one in it, has what a structural one cannot have.
pub(crate) fn has_unsupported_fields(schema: &Value) -> bool {
    has(schema, &is_unsupported)
}

/// Implements `validateUnsupportedFields`, and the other refusals of `NewStructural`.
fn is_unsupported(schema: &Map) -> bool {
    let given = |field: &str| schema.get(field).is_some_and(|value| !value.is_null() && value != "");
    let holds = |field: &str| match schema.get(field) {
        Some(Value::Object(entries)) => !entries.is_empty(),
        Some(Value::Array(items)) => !items.is_empty(),
        _ => false,
    };
    ["id", "$schema", "$ref", "additionalItems"].into_iter().any(given)
        || ["patternProperties", "dependencies", "definitions"].into_iter().any(holds)
        || schema.get("items").is_some_and(Value::is_array)
        || schema.get("x-kubernetes-preserve-unknown-fields") == Some(&Value::Bool(false))
}

/// Returns the first error of `NewStructural` on a schema and those below it.
pub(crate) fn refused_by_structural(schema: &Value) -> Option<String> {
    const UNSUPPORTED: [(&str, &str); 7] = [
        ("id", "id"),
        ("$schema", "schema"),
        ("$ref", "$ref"),
        ("patternProperties", "patternProperties"),
        ("dependencies", "dependencies"),
        ("additionalItems", "additionalItems"),
        ("definitions", "definitions"),
    ];
    let map = schema.as_object()?;
    let is_refused = |field: &str| match field {
        "additionalItems" => map.get(field).is_some_and(|value| !value.is_null()),
        _ => map.get(field).is_some_and(|value| !value.is_zero_value()),
    };
    if let Some((_, name)) = UNSUPPORTED.iter().find(|(field, _)| is_refused(field)) {
        return Some(format!("OpenAPIV3Schema '{name}' is not supported"));
    }
    let nested =
        ["allOf", "anyOf", "oneOf"].into_iter().filter_map(|field| map.get(field)?.as_array()).flatten();
    if let Some(error) = map.get("not").into_iter().chain(nested).find_map(refused_by_structural) {
        return Some(error);
    }
    if map.get("x-kubernetes-preserve-unknown-fields") == Some(&Value::Bool(false)) {
        return Some(
            "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined".to_owned(),
        );
    }
    if map.get("items").is_some_and(|items| items.as_array().is_some_and(|items| !items.is_empty())) {
        return Some("OpenAPIV3Schema 'items' must be a schema, but is an array".to_owned());
    }
    let properties = map.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::values);
    let below = map.get("items").into_iter().chain(properties).chain(map.get("additionalProperties"));
    below.into_iter().find_map(refused_by_structural)
}

/// Whether a schema has a default of its own.
pub(crate) fn has_default(schema: &Map) -> bool {
    schema.get("default").is_some_and(|default| !default.is_null())
}

/// Whether a schema has a field that only Kubernetes understands.
pub(crate) fn has_extension(schema: &Map) -> bool {
    let is = |field: &str| schema.get(field).and_then(Value::as_bool) == Some(true);
    let given = |field: &str| schema.get(field).is_some_and(|value| !value.is_null());
    let lists =
        |field: &str| schema.get(field).and_then(Value::as_array).is_some_and(|list| !list.is_empty());
    is("x-kubernetes-embedded-resource")
        || is("x-kubernetes-int-or-string")
        || given("x-kubernetes-preserve-unknown-fields")
        || given("x-kubernetes-list-type")
        || lists("x-kubernetes-list-map-keys")
        || lists("x-kubernetes-validations")
}

/// Whether a schema has an unknown type.
pub(crate) fn has_unknown_type(schema: &Map) -> bool {
    let kind = schema.text("type");
    !kind.is_empty() && !TYPES.contains(&kind)
}

/// Whether a schema is of a set whose items are not compared as a whole.
pub(crate) fn has_non_atomic_set(schema: &Map) -> bool {
    let value = Value::Object(schema.clone());
    non_atomic_items(&Node::root(&value)).is_some()
}

/// Whether a schema is of a list whose keys may be missing.
pub(crate) fn has_wrong_list_keys(schema: &Map) -> bool {
    let value = Value::Object(schema.clone());
    let mut errors = Errors::default();
    validate_map_list_keys(&mut errors, &Node::root(&value));
    !errors.is_empty()
}

/// Validates what only concerns the schema of the whole resource.
pub(crate) fn validate_root(errors: &mut Errors, root: &Node, has_status: bool) {
    if has_status {
        validate_root_with_status(errors, root);
    }
    if root.flag("nullable") {
        errors.forbidden(&root.at("nullable"), "nullable cannot be true at the root");
    }
}

/// Checks the root next to a status: a status is validated on its own, so the root must not have more than fields.
fn validate_root_with_status(errors: &mut Errors, root: &Node) {
    let is_set = |field: &str| match root.raw(field) {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.is_empty(),
        _ => true,
    };
    let forbidden = |field: &&Text| is_set(field) && !AT_ROOT.iter().any(|(known, _)| known == field);
    let fields: Vec<&Text> = root.value().as_object().into_iter().flat_map(Map::keys).collect();
    // The identity of a schema comes before its type, everything else after it.
    let comes_first = |field: &&Text| ["id", "$schema", "$ref"].contains(&field.as_str());
    let found: Vec<&Text> = fields.into_iter().filter(forbidden).collect();
    let early = found.iter().any(comes_first);
    if !early && is_set("type") && root.text("type") != "object" {
        let detail = "only \"object\" is allowed as the type at the root of the schema if the status subresource is enabled";
        errors.invalid(&root.at("type"), root.text("type"), detail);
    } else if !found.is_empty() {
        let allowed = AT_ROOT.map(|(_, name)| name).join(" ");
        let detail = format!(
            "only [{allowed}] fields are allowed at the root of the schema if the status subresource is enabled"
        );
        errors.invalid_internal(&root.here(), "apiextensions/v1.JSONSchemaProps", root.value(), detail);
    }
}

/// Implements `ValidateCustomResourceDefinitionOpenAPISchema`.
pub(crate) fn validate(errors: &mut Errors, root: &Node, checks: Checks) {
    validate_schema(errors, root, Place::default(), true, checks);
}

fn validate_schema(errors: &mut Errors, schema: &Node, place: Place, is_root: bool, checks: Checks) {
    if !schema.value().is_object() {
        return;
    }
    validate_fields(errors, schema, place, checks);
    if schema.flag("uniqueItems") {
        let detail = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
        errors.forbidden(&schema.at("uniqueItems"), detail);
    }
    validate_additional_properties(errors, schema, place, checks);
    let holds_resource = is_root || schema.flag("x-kubernetes-embedded-resource");
    for (name, property) in schema.entries("properties") {
        let node = Node::new(schema.at("properties").key(name), property);
        if holds_resource && ["metadata", "kind", "apiVersion"].contains(&name) {
            let reason = format!("in top-level {name}");
            let no_defaults = if is_root { Some(&*reason) } else { place.no_defaults };
            validate_schema(errors, &node, Place { no_defaults, in_metadata: true }, false, checks);
        } else {
            validate_schema(errors, &node, place, false, checks);
        }
    }
    validate_schema(errors, &schema.child("not"), place, false, checks);
    for field in ["allOf", "oneOf", "anyOf"] {
        for part in schema.items(field) {
            validate_schema(errors, &part, place, false, checks);
        }
    }
    validate_map_of(errors, schema, "definitions", place, checks);
    validate_schema(errors, &schema.child("items"), place, false, checks);
    for item in schema.items("items") {
        validate_schema(errors, &item, place, false, checks);
    }
    validate_map_of(errors, schema, "dependencies", place, checks);
    validate_extensions(errors, schema, checks);
    if checks.map_list_keys {
        validate_map_list_keys(errors, schema);
    }
    for rule in schema.items("x-kubernetes-validations") {
        validate_rule(errors, schema, &rule);
    }
}

fn validate_map_of(errors: &mut Errors, schema: &Node, field: &'static str, place: Place, checks: Checks) {
    for (name, value) in schema.entries(field) {
        let node = Node::new(schema.at(field).key(name), value);
        validate_schema(errors, &node, place, false, checks);
    }
}

/// Implements `specStandardValidatorV3.validate`.
fn validate_fields(errors: &mut Errors, schema: &Node, place: Place, checks: Checks) {
    let kind = schema.text("type");
    if checks.valid_types && !kind.is_empty() {
        errors.one_of(schema, "type", &TYPES);
    }
    if let (true, Some(reason)) = (schema.has("default"), place.no_defaults) {
        errors.forbidden(&schema.at("default"), format!("must not be set {reason}"));
    }
    let unsupported: [(&'static str, bool); 6] = [
        ("id", !schema.text("id").is_empty()),
        ("additionalItems", schema.has("additionalItems")),
        ("patternProperties", schema.len("patternProperties") > 0),
        ("definitions", schema.len("definitions") > 0),
        ("dependencies", schema.has("dependencies")),
        ("$ref", schema.has("$ref")),
    ];
    for (field, _) in unsupported.into_iter().filter(|(_, is_set)| *is_set) {
        errors.forbidden(&schema.at(field), format!("{field} is not supported"));
    }
    if kind == "null" {
        let detail = "type cannot be set to null, use nullable as an alternative";
        errors.forbidden(&schema.at("type"), detail);
    }
    if !schema.list("items").is_empty() {
        errors.forbidden(&schema.at("items"), "items must be a schema object and not an array");
    }
    if place.in_metadata && schema.flag("x-kubernetes-embedded-resource") {
        let detail = "must not be used inside of resource meta";
        errors.forbidden(&schema.at("x-kubernetes-embedded-resource"), detail);
    }
}

fn validate_additional_properties(errors: &mut Errors, schema: &Node, place: Place, checks: Checks) {
    let Some(additional) = schema.get("additionalProperties") else { return };
    if schema.len("properties") > 0 && additional.value() != &Value::Bool(true) {
        errors.forbidden(&additional.here(), "additionalProperties and properties are mutual exclusive");
    }
    let reason = "inside additionalProperties applying to object metadata";
    let no_defaults = if place.in_metadata { Some(reason) } else { place.no_defaults };
    validate_schema(errors, &additional, Place { no_defaults, ..place }, false, checks);
}

fn validate_extensions(errors: &mut Errors, schema: &Node, checks: Checks) {
    const LIST_TYPE: &str = "x-kubernetes-list-type";
    const MAP_TYPE: &str = "x-kubernetes-map-type";
    const KEYS: &str = "x-kubernetes-list-map-keys";
    const PRESERVES: &str = "x-kubernetes-preserve-unknown-fields";
    if schema.truth(PRESERVES) == Some(false) {
        errors.invalid_value(&schema.at(PRESERVES), &Value::Bool(false), "must be true or undefined");
    }
    if schema.has(MAP_TYPE) {
        require_type(errors, schema, "object", MAP_TYPE);
        errors.one_of(schema, MAP_TYPE, &["atomic", "granular"]);
    }
    let list_type = schema.given(LIST_TYPE);
    if list_type.is_some() && !require_type(errors, schema, "array", LIST_TYPE) {
    } else if checks.atomic_sets
        && let Some(field) = non_atomic_items(schema)
    {
        // Upstream prints the type of the list where that of the map is meant.
        let items = schema.child("items");
        let detail = "must be atomic as item of a list with x-kubernetes-list-type=set";
        errors.invalid_value(&items.at(field), items.raw(LIST_TYPE), detail);
    }
    errors.optional_one_of(schema, LIST_TYPE, &["atomic", "set", "map"]);
    if schema.len(KEYS) > 0 && list_type != Some("map") {
        let detail = "must be map if x-kubernetes-list-map-keys is non-empty";
        match list_type {
            None => errors.required(&schema.at(LIST_TYPE), detail),
            Some(other) => errors.invalid(&schema.at(LIST_TYPE), other, detail),
        }
    }
    if list_type == Some("map") {
        validate_map_list(errors, schema);
    }
}

/// Checks that the type is the one that an extension needs; returns whether it is.
fn require_type(errors: &mut Errors, schema: &Node, kind: &str, extension: &str) -> bool {
    let detail = format!("must be {kind} if {extension} is specified");
    match schema.text("type") {
        text if text == kind => return true,
        "" => errors.required(&schema.at("type"), detail),
        other => errors.invalid(&schema.at("type"), other, detail),
    }
    false
}

/// Returns the field that makes the items of a set non-atomic.
fn non_atomic_items(schema: &Node) -> Option<&'static str> {
    let items = schema.child("items");
    if schema.text("x-kubernetes-list-type") != "set" || !items.value().is_object() {
        return None;
    }
    let is_atomic = |field: &str| items.text(field) == "atomic";
    match items.text("type") {
        "array" if items.has("x-kubernetes-list-type") && !is_atomic("x-kubernetes-list-type") => {
            Some("x-kubernetes-list-type")
        }
        "object" if !is_atomic("x-kubernetes-map-type") => Some("x-kubernetes-map-type"),
        _ => None,
    }
}

fn validate_map_list(errors: &mut Errors, schema: &Node) {
    const KEYS: &str = "x-kubernetes-list-map-keys";
    if schema.len(KEYS) == 0 {
        errors.required(&schema.at(KEYS), "must not be empty if x-kubernetes-list-type is map");
    }
    let Some(items) = schema.get("items") else {
        errors.required(&schema.at("items"), "must have a schema if x-kubernetes-list-type is map");
        return;
    };
    if !items.value().is_object() {
        let detail = "must only have a single schema if x-kubernetes-list-type is map";
        let printed = internal_json::schema_or_list(items.value());
        let error = Error::invalid_printed(&items.here(), printed, detail);
        errors.push(error.about(Some("apiextensions/v1.JSONSchemaProps#items"), items.value()));
        return;
    }
    if items.text("type") != "object" {
        let detail = "must be object if parent array's x-kubernetes-list-type is map";
        errors.invalid(&items.at("type"), items.text("type"), detail);
        return;
    }
    let keys: Vec<&str> = schema.texts(KEYS).collect();
    for (index, key) in keys.iter().enumerate() {
        match items.raw("properties").get(key) {
            None => {
                let detail = "entries must all be names of item properties";
                errors.invalid_value(&schema.at(KEYS), schema.raw(KEYS), detail);
            }
            Some(property) if property["type"] == "array" || property["type"] == "object" => {
                let detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
                let path = items.at("properties").key(*key).child("type");
                errors.invalid(&path, items.text("type"), detail);
            }
            Some(_) => {}
        }
        if keys[..index].contains(key) {
            let detail = "must not contain duplicate entries";
            errors.invalid_value(&schema.at(KEYS), schema.raw(KEYS), detail);
        }
    }
}

/// Implements `validateMapListKeysMapSet`.
fn validate_map_list_keys(errors: &mut Errors, schema: &Node) {
    let list_type = schema.text("x-kubernetes-list-type");
    let items = schema.child("items");
    if !["set", "map"].contains(&list_type) || !items.value().is_object() {
        return;
    }
    if items.flag("nullable") {
        let detail = format!("cannot be nullable when x-kubernetes-list-type is {list_type}");
        errors.forbidden(&items.at("nullable"), detail);
    }
    if list_type == "set" {
        return;
    }
    for key in schema.texts("x-kubernetes-list-map-keys") {
        let Some(property) = items.raw("properties").get(key) else { continue };
        let property = Node::new(items.at("properties").key(key), property);
        let intro = "this property is in x-kubernetes-list-map-keys, so it";
        if !items.texts("required").any(|required| required == key) && !property.has("default") {
            let detail = format!("{intro} must have a default or be a required property");
            errors.required(&property.at("default"), detail);
        }
        if property.flag("nullable") {
            errors.forbidden(&property.at("nullable"), format!("{intro} cannot be nullable"));
        }
    }
}

/// Validates a rule of `x-kubernetes-validations`, without its expressions, which are checked last.
fn validate_rule(errors: &mut Errors, schema: &Node, rule: &Node) {
    const REASONS: [&str; 4] =
        ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];
    let is_blank = |field: &str| !rule.text(field).is_empty() && rule.text(field).trim().is_empty();
    let has_newlines = |text: &str| text.contains(['\n', '\r']);
    let message = rule.text("message");
    if rule.text("rule").trim().is_empty() {
        errors.required(&rule.at("rule"), "rule is not specified");
    } else if is_blank("message") {
        errors.by(Rule::MessageOfRule, |errors| {
            errors.invalid(&rule.at("message"), message, "must be non-empty if specified");
        });
    } else if has_newlines(message.trim()) {
        errors.by(Rule::LineOfMessage, |errors| {
            errors.invalid(&rule.at("message"), message, "must not contain line breaks");
        });
    } else if has_newlines(rule.text("rule").trim()) && message.trim().is_empty() {
        let detail = "message must be specified if rule contains line breaks";
        errors.required(&rule.at("message"), detail);
    }
    if is_blank("messageExpression") {
        let detail = "messageExpression must be non-empty if specified";
        errors.required(&rule.at("messageExpression"), detail);
    }
    errors.optional_one_of(rule, "reason", &REASONS);
    let path = rule.text("fieldPath");
    if is_blank("fieldPath") {
        errors.by(Rule::FieldOfRule, |errors| {
            errors.invalid(&rule.at("fieldPath"), path, "must be non-empty if specified");
        });
    }
    if has_newlines(path) {
        errors.by(Rule::LineOfField, |errors| {
            errors.invalid(&rule.at("fieldPath"), path, "must not contain line breaks");
        });
    }
    if !has_unsupported_fields(schema.value()) && field_path::find(path, schema.value(), true).is_err() {
        errors.by(Rule::PathOfField, |errors| {
            errors.invalid(&rule.at("fieldPath"), path, "must be a valid path");
        });
    }
}
