//! Validation of the defaults in a schema: each has to be valid where it is.
//!
//! Source: `ValidateDefaults` of `k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting`.

use crate::custom_resource::coerce::{META_FIELDS, prune_part, read_part};
use crate::custom_resource::resource::{embedded_below, embedded_resource};
use crate::custom_resource::rules::{Budget, Validator};
use crate::custom_resource::schema::Schema;
use crate::custom_resource::validate::validate;
use crate::validation::node::{Errors, Node};
use gotext::value::json;
use kube_api::field::{self, Error, Path};
use kube_api::{Map, Value, go_syntax};

const UNKNOWN_FIELDS: &str = "must not have unknown fields";

/// Validates the defaults of a structural schema and of all below it; unless `may_have_unknown_fields`, their fields
/// have to be known.
pub(crate) fn validate_defaults(errors: &mut Errors, root: &Node, may_have_unknown_fields: bool) {
    let mut defaults = Defaults { errors, may_have_unknown_fields, budget: Budget::default() };
    defaults.schema(root, true, None);
}

/// Whether a default of a structural schema, or of one below it, has an unknown field.
pub(crate) fn have_unknown_fields(root: &Value) -> bool {
    has_unknown_fields(root, true, false)
}

fn has_unknown_fields(schema: &Value, is_root: bool, in_metadata: bool) -> bool {
    let is_resource = is_root || schema["x-kubernetes-embedded-resource"] == true;
    let in_metadata = in_metadata && !is_resource;
    let Some(map) = schema.as_object() else { return false };
    let has_own = !in_metadata
        && map.get("default").is_some_and(|default| !is_pruned(default, &Schema::new(map), is_resource));
    let of_property = |(name, property): (&gotext::value::Text, &Value)| {
        has_unknown_fields(property, false, in_metadata || is_resource && META_FIELDS.contains(&&**name))
    };
    has_own
        || map.get("items").is_some_and(|items| has_unknown_fields(items, false, in_metadata))
        || map.get("properties").and_then(Value::as_object).into_iter().flatten().any(of_property)
}

fn is_pruned(default: &Value, schema: &Schema, is_resource: bool) -> bool {
    let mut pruned = default.clone();
    prune_part(&mut pruned, schema, is_resource);
    pruned == *default
}

struct Defaults<'a> {
    errors: &'a mut Errors,
    may_have_unknown_fields: bool,
    /// The budget of the rules of all defaults together.
    budget: Budget,
}

/// A step from a resource to a part of it.
#[derive(Clone, Copy)]
enum Step<'a> {
    Field(&'a str),
    Item,
}

/// The way from a resource to a part of its metadata, backwards.
#[derive(Clone, Copy)]
struct Inside<'a> {
    step: Step<'a>,
    before: Option<&'a Inside<'a>>,
}

impl Inside<'_> {
    /// Returns a resource in which the part is `value`.
    fn surround(&self, value: Value) -> Value {
        let value = match self.step {
            Step::Field(name) => {
                let mut map = Map::new();
                if self.before.is_none() {
                    map.insert("apiVersion", "validation/v1".into());
                    map.insert("kind", "Validation".into());
                }
                map.insert(name.to_owned(), value);
                Value::Object(map)
            }
            Step::Item => json!([value]),
        };
        match self.before {
            Some(before) => before.surround(value),
            None => value,
        }
    }
}

impl Defaults<'_> {
    /// `inside` is the way to a part of the type or metadata of a resource.
    fn schema(&mut self, schema: &Node, is_root: bool, inside: Option<&Inside<'_>>) {
        let is_resource = is_root || schema.flag("x-kubernetes-embedded-resource");
        let inside = inside.filter(|_| !is_resource);
        if schema.has("default") {
            self.default(schema, is_resource, inside);
        }
        if self.budget.is_exceeded() {
            return;
        }
        if let Some(items) = schema.get("items") {
            let below = inside.map(|before| Inside { step: Step::Item, before: Some(before) });
            self.schema(&items, false, below.as_ref());
        }
        for (name, property) in schema.entries("properties") {
            let property = Node::new(schema.at("properties").key(name), property);
            let is_meta = is_resource && META_FIELDS.contains(&name);
            let below =
                (is_meta || inside.is_some()).then_some(Inside { step: Step::Field(name), before: inside });
            self.schema(&property, false, below.as_ref());
        }
    }

    fn default(&mut self, schema: &Node, is_resource: bool, inside: Option<&Inside<'_>>) {
        let Some(compiled) = schema.value().as_object().map(Schema::new) else { return };
        let (path, mut default) = (schema.at("default"), schema.raw("default").clone());
        if let Some(inside) = inside {
            if let Some(why) = metadata_error(&inside.surround(default.clone()), self.errors.since(34)) {
                let detail = format!("must result in valid metadata: {why}");
                return self.errors.push(invalid(&path, &default, detail));
            }
        } else {
            let has_unknown_fields = !is_pruned(&default, &compiled, is_resource);
            let read = read_part(&mut default, &compiled, Some(&path));
            if has_unknown_fields && !self.may_have_unknown_fields {
                // Printed as read: metadata has lost its unknown fields by then.
                self.errors.push(invalid(&path, &default, UNKNOWN_FIELDS));
            }
            if let Err(error) = read {
                return self.errors.push(error);
            }
            let before = self.errors.len();
            embedded_below(&default, &compiled, &path, &mut self.errors.0);
            if self.errors.len() > before {
                return;
            }
        }
        let errors = validate(&compiled, &default, Some(&path), None);
        if !errors.is_empty() {
            self.errors.0.extend(errors);
        } else if let Some(rules) = Validator::of_part(schema.value(), is_resource) {
            self.errors.0.extend(rules.validate_default(&default, &path, &mut self.budget));
        }
    }
}

/// Returns the error that a default is not allowed.
fn invalid(path: &Path, default: &Value, detail: impl Into<String>) -> Error {
    Error::invalid(path, default, detail).about(Some("apiextensions/v1.JSONSchemaProps#default"), default)
}

/// Returns why the type or metadata of `object` is not valid. Values are JSON, or in the syntax of Go.
fn metadata_error(object: &Value, in_json: bool) -> Option<String> {
    let mut resource = Map::new();
    resource.insert("x-kubernetes-embedded-resource", true.into());
    let mut errors = Vec::new();
    match read_part(&mut object.clone(), &Schema::new(&resource), None) {
        Err(mut error) => {
            if let Some(value) = error.value.as_ref().filter(|_| !in_json) {
                error.bad_value = Some(go_syntax::of_json(&value.value));
            }
            return Some(error.to_string());
        }
        Ok(()) => embedded_resource(object.as_object()?, None, &mut errors),
    }
    (!errors.is_empty()).then(|| field::aggregate(&errors))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::json;

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
    fn the_metadata_of_a_default_is_printed_as_read() {
        let default =
            json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "other": 1}, "other": 1});
        let pod = json!({"type": "object", "x-kubernetes-embedded-resource": true, "default": default, "properties": {
            "apiVersion": {"type": "string"}, "kind": {"type": "string"}, "metadata": {"type": "object"},
        }});
        assert_eq!(
            errors(&json!({"type": "object", "properties": {"pod": pod}})),
            ["properties[pod].default: Invalid value: \
                 {\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\"},\"other\":1}: must not have unknown fields"]
        );
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

    #[test]
    fn a_default_obeys_the_rules_of_its_schema() {
        let rules = json!([{"rule": "self.max >= self.min", "message": "max is at least min"}]);
        let range = json!({
            "type": "object", "default": {"min": 2, "max": 1}, "x-kubernetes-validations": rules,
            "properties": {"min": {"type": "integer"}, "max": {"type": "integer"}},
        });
        let once = json!({
            "type": "string", "default": "a",
            "x-kubernetes-validations": [{"rule": "oldSelf.hasValue() || self == 'b'", "optionalOldSelf": true}],
        });
        let kept = json!({"type": "string", "default": "a", "x-kubernetes-validations": [{"rule": "self == oldSelf"}]});
        let properties = json!({"range": range, "once": once, "kept": kept});
        let schema =
            json!({"type": "object", "properties": {"spec": {"type": "object", "properties": properties}}});
        assert_eq!(
            errors(&schema),
            [
                "properties[spec].properties[once].default: Invalid value: \"a\": failed rule: oldSelf.hasValue() || \
                 self == 'b'",
                "properties[spec].properties[range].default: Invalid value: max is at least min",
            ]
        );
    }

    #[test]
    fn a_default_in_metadata_makes_it_valid() {
        let metadata = |name: &str| json!({"type": "object", "properties": {"name": {"type": "string", "default": name}}});
        let template = |name: &str| {
            json!({"type": "object", "x-kubernetes-embedded-resource": true, "properties": {
                "kind": {"type": "string", "default": "Pod"}, "metadata": metadata(name)}})
        };
        let schema = |name: &str| json!({"type": "object", "properties": {"template": template(name)}});
        assert_eq!(errors(&schema("web")), [""; 0]);
        assert_eq!(
            errors(&schema("a/b")),
            [
                "properties[template].properties[metadata].properties[name].default: Invalid value: \"a/b\": must \
                 result in valid metadata: metadata.name: Invalid value: \"a/b\": may not contain '/'"
            ]
        );
    }
}
