//! Validation of the defaults in a schema: each has to be valid where it is.
//!
//! Deliberately absent: the rules of a schema are not applied to its default, and defaults in the metadata of embedded
//! resources are not read as metadata.
//!
//! Source: `ValidateDefaults` of `k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting`.

use crate::api::Value;
use crate::registry::custom_resource::coerce::{META_FIELDS, prune_part};
use crate::registry::custom_resource::schema::Schema;
use crate::registry::custom_resource::validate::validate;
use crate::registry::validation::node::{Errors, Node};

/// Validates the defaults of a structural schema and of all below it; unless `may_have_unknown_fields`, their fields
/// have to be known.
pub(in crate::registry) fn validate_defaults(
    errors: &mut Errors,
    root: &Node,
    may_have_unknown_fields: bool,
) {
    Defaults { errors, may_have_unknown_fields }.schema(root, true, false);
}

/// Whether a default of a structural schema, or of one below it, has an unknown field.
pub(in crate::registry) fn have_unknown_fields(root: &Value) -> bool {
    let mut errors = Errors::default();
    validate_defaults(&mut errors, &Node::root(root), false);
    errors.0.iter().any(|error| error.detail == UNKNOWN_FIELDS)
}

const UNKNOWN_FIELDS: &str = "must not have unknown fields";

struct Defaults<'a> {
    errors: &'a mut Errors,
    may_have_unknown_fields: bool,
}

impl Defaults<'_> {
    fn schema(&mut self, schema: &Node, is_root: bool, in_metadata: bool) {
        let is_resource = is_root || schema.flag("x-kubernetes-embedded-resource");
        let in_metadata = in_metadata && !is_resource;
        if schema.has("default") && !in_metadata {
            self.default(schema, is_resource);
        }
        if let Some(items) = schema.get("items") {
            self.schema(&items, false, in_metadata);
        }
        for (name, property) in schema.entries("properties") {
            let property = Node::new(schema.at("properties").key(name), property);
            self.schema(&property, false, in_metadata || is_resource && META_FIELDS.contains(&name));
        }
    }

    fn default(&mut self, schema: &Node, is_resource: bool) {
        let Some(compiled) = schema.value().as_object().map(Schema::new) else { return };
        let (path, default) = (schema.at("default"), schema.raw("default"));
        if !self.may_have_unknown_fields {
            let mut pruned = default.clone();
            prune_part(&mut pruned, &compiled, is_resource);
            if pruned != *default {
                self.errors.invalid_value(&path, default, UNKNOWN_FIELDS);
            }
        }
        self.errors.0.extend(validate(&compiled, default, Some(&path), None));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json;

    fn errors(schema: &Value) -> Vec<String> {
        let mut errors = Errors::default();
        validate_defaults(&mut errors, &Node::root(schema), false);
        errors.0.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_default_is_of_the_type_and_among_the_values_of_its_schema() {
        let schema = json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {
            "count": {"type": "integer", "default": "one"},
            "level": {"type": "string", "enum": ["low", "high"], "default": "medium"},
            "size": {"type": "integer", "minimum": 1, "default": 0},
        }}}});
        let at = |name: &str| format!("properties[spec].properties[{name}].default");
        assert_eq!(
            errors(&schema),
            [
                at("count") + ": Invalid value: \"string\":  in body must be of type integer: \"string\"",
                at("level") + ": Unsupported value: \"medium\": supported values: \"low\", \"high\"",
                at("size") + ": Invalid value: 0:  in body should be greater than or equal to 1",
            ]
        );
    }

    #[test]
    fn a_default_has_known_fields() {
        let spec = json!({"type": "object", "default": {"a": "x", "b": {"c": 1}}, "properties": {"a": {"type": "string"}}});
        let schema = json!({"type": "object", "properties": {"spec": spec}});
        assert_eq!(
            errors(&schema),
            [
                "properties[spec].default: Invalid value: {\"a\":\"x\",\"b\":{\"c\":1}}: must not have unknown fields"
            ]
        );
        assert!(have_unknown_fields(&schema));
        let mut lenient = Errors::default();
        validate_defaults(&mut lenient, &Node::root(&schema), true);
        assert!(lenient.is_empty());
    }

    #[test]
    fn defaults_of_lists_and_of_free_objects_are_valid() {
        let free = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true, "default": {"a": {"b": 1}}});
        let list = json!({
            "type": "array", "default": [{"name": "a"}],
            "items": {"type": "object", "properties": {"name": {"type": "string"}}},
        });
        let schema = json!({"type": "object", "properties": {"spec": {"type": "object", "default": {},
            "properties": {"free": free, "list": list}}}});
        assert_eq!(errors(&schema), [""; 0]);
    }
}
