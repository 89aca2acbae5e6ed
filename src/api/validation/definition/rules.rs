//! The rules of a schema (`x-kubernetes-validations`): each has to compile where it stands.
//!
//! What a rule may cost is left open. The types of an object's parts have names that the server makes up anew each
//! time (`selfType123456789.spec`); here they begin with `selfType` alone.
//!
//! Source: `k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel`, `k8s.io/apiserver/pkg/cel/common`.

use super::super::node::{Errors, Node};
use super::super::printed::internal;
use crate::api::Value;
use crate::api::field::{Error, ErrorType, Path};
use crate::cel::{self, Env, ObjectType, Type};

const RULES: &str = "x-kubernetes-validations";
const SELF: &str = "selfType";

/// Compiles the rules of `root` and of all below it, where nothing else is wrong with the schema.
pub(super) fn validate(errors: &mut Errors, root: &Node) {
    let broken: Vec<String> = errors.0.iter().map(Error::field).collect();
    let mut rules = Rules { broken, found: Vec::new() };
    rules.schema(root, true, None);
    errors.0.extend(rules.found);
}

struct Rules {
    /// The fields that are wrong already.
    broken: Vec<String>,
    found: Vec<Error>,
}

impl Rules {
    /// `uncorrelated` is the first schema on the way whose parts have no counterparts in the old object.
    fn schema(&mut self, schema: &Node, is_resource: bool, uncorrelated: Option<&Path>) {
        if !schema.value().is_object() {
            return;
        }
        let here = schema.here();
        let below = |is_correlated: bool| uncorrelated.or((!is_correlated).then_some(&here));
        let is_embedded = |schema: &Node| schema.flag("x-kubernetes-embedded-resource");
        if let Some(values) = schema.get("additionalProperties") {
            self.schema(&values, is_embedded(&values), uncorrelated);
        }
        let is_granular = schema.given("x-kubernetes-map-type").is_none_or(|kind| kind == "granular");
        for (name, property) in schema.entries("properties") {
            let property = Node::new(schema.at("properties").key(name), property);
            self.schema(&property, is_embedded(&property), below(is_granular));
        }
        if let Some(items) = schema.get("items") {
            let is_map = schema.text("x-kubernetes-list-type") == "map";
            self.schema(&items, is_embedded(&items), below(is_map));
        }
        if schema.len(RULES) > 0 && !self.is_broken(&here) {
            self.rules(schema, is_resource, uncorrelated);
        }
    }

    fn is_broken(&self, path: &Path) -> bool {
        let path = path.to_string();
        let is_below = |field: &String| {
            field.strip_prefix(&path).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        };
        self.broken.iter().any(is_below)
    }

    fn rules(&mut self, schema: &Node, is_resource: bool, uncorrelated: Option<&Path>) {
        let mut env = Env::new();
        let Some(of) = declare(&mut env, schema, is_resource, SELF) else {
            let detail = "internal error: failed to construct type information for x-kubernetes-validations rules: \
                          unable to convert structural schema to CEL declarations";
            return self.found.push(Error {
                error_type: ErrorType::Internal,
                path: Some(schema.at(RULES)),
                bad_value: None,
                detail: detail.to_owned(),
            });
        };
        let env = env.with_variable("self", of.clone());
        for rule in schema.items(RULES) {
            let is_optional = rule.flag("optionalOldSelf");
            let old = if is_optional { Type::optional(of.clone()) } else { of.clone() };
            self.rule(&rule, &env.clone().with_variable("oldSelf", old), uncorrelated);
        }
    }

    fn rule(&mut self, rule: &Node, env: &Env, uncorrelated: Option<&Path>) {
        let text = rule.text("rule");
        let printed = || internal(rule.value(), "apiextensions/v1.ValidationRule");
        let (detail, uses_old_self) = match env.compile(text) {
            Err(issues) => (Some(format!("compilation failed: {issues}")), false),
            Ok(checked) if *checked.output_type() != Type::Bool => {
                (Some("cel expression must evaluate to a bool".to_owned()), false)
            }
            Ok(checked) => (None, checked.names("oldSelf")),
        };
        let compiles = detail.is_none();
        if let Some(detail) = detail {
            self.found.push(Error::invalid_printed(&rule.at("rule"), printed(), detail));
        }
        let message = rule.text("messageExpression");
        if compiles && !message.is_empty() {
            let detail = match env.compile(message) {
                Err(issues) => Some(format!("messageExpression compilation failed: {issues}")),
                Ok(checked) if *checked.output_type() != Type::String => {
                    Some("messageExpression must evaluate to a string".to_owned())
                }
                Ok(_) => None,
            };
            if let Some(detail) = detail {
                self.found.push(Error::invalid_printed(&rule.at("messageExpression"), printed(), detail));
            }
        }
        if uses_old_self {
            if let Some(path) = uncorrelated {
                let detail = format!(
                    "oldSelf cannot be used on the uncorrelatable portion of the schema within {path}"
                );
                self.found.push(Error::invalid_text(&rule.at("rule"), text, detail));
            }
        } else if let Some(optional) = rule.truth("optionalOldSelf") {
            let detail = "may not be set if oldSelf is not used in rule";
            self.found.push(Error::invalid(&rule.at("optionalOldSelf"), &Value::Bool(optional), detail));
        }
    }
}

/// The type that a schema is to its rules; the types of objects in it are declared under `name`. There is none for
/// what rules cannot see.
fn declare(env: &mut Env, schema: &Node, is_resource: bool, name: &str) -> Option<Type> {
    if schema.flag("x-kubernetes-int-or-string") {
        return Some(Type::Dyn);
    }
    let is_embedded = |schema: &Node| schema.flag("x-kubernetes-embedded-resource");
    Some(match schema.text("type") {
        "array" => {
            let items = schema.get("items")?;
            Type::list(declare(env, &items, is_embedded(&items), &format!("{name}.@idx"))?)
        }
        "object" => {
            let values = schema.get("additionalProperties").filter(|values| values.value().is_object());
            if let Some(values) = values {
                let of = declare(env, &values, is_embedded(&values), &format!("{name}.@elem"))?;
                return Some(Type::map(Type::String, of));
            }
            let fields = declare_fields(env, schema, is_resource, name);
            env.declare_object(name, fields);
            Type::object(name)
        }
        "string" => match schema.text("format") {
            "byte" => Type::Bytes,
            "duration" => Type::Duration,
            "date" | "date-time" => Type::Timestamp,
            _ => Type::String,
        },
        "boolean" => Type::Bool,
        "number" => Type::Double,
        "integer" => Type::Int,
        _ => return None,
    })
}

fn declare_fields(env: &mut Env, schema: &Node, is_resource: bool, name: &str) -> ObjectType {
    let mut fields = ObjectType::default();
    let type_of = |path: &[&str]| {
        let found = path.iter().fold(schema.value(), |value, step| &value["properties"][*step]);
        found["type"].as_str().unwrap_or_default()
    };
    let is_complete = type_of(&["kind"]) == "string"
        && type_of(&["apiVersion"]) == "string"
        && type_of(&["metadata"]) == "object"
        && type_of(&["metadata", "name"]) == "string"
        && type_of(&["metadata", "generateName"]) == "string";
    let is_fixed = is_resource && !is_complete;
    for (property, of) in schema.entries("properties") {
        if is_fixed && ["kind", "apiVersion", "metadata"].contains(&property) {
            continue;
        }
        let Some(field) = cel::escape(property) else { continue };
        let node = Node::new(schema.at("properties").key(property), of);
        let is_resource = node.flag("x-kubernetes-embedded-resource");
        if let Some(of) = declare(env, &node, is_resource, &format!("{name}.{field}")) {
            fields.set(&field, of);
        }
    }
    if is_fixed {
        let metadata = format!("{name}.metadata");
        let names = [("name", Type::String), ("generateName", Type::String)];
        env.declare_object(&metadata, ObjectType::new(names));
        fields.set("kind", Type::String);
        fields.set("apiVersion", Type::String);
        fields.set("metadata", Type::object(&metadata));
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn errors(schema: &Value) -> Vec<String> {
        let mut errors = Errors::default();
        validate(&mut errors, &Node::root(schema));
        errors.0.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn rules_see_the_fields_of_their_schema() {
        let part = json!({
            "type": "object",
            "properties": {
                "replicas": {"type": "integer"},
                "max-surge": {"x-kubernetes-int-or-string": true},
                "namespace": {"type": "string"},
                "anything": {"x-kubernetes-preserve-unknown-fields": true},
                "ports": {"type": "array", "items": {"type": "object", "properties": {"port": {"type": "integer"}}}},
                "labels": {"type": "object", "additionalProperties": {"type": "string"}},
                "since": {"type": "string", "format": "date-time"},
            },
            "x-kubernetes-validations": [
                {"rule": "self.replicas < 5 && self.max__dash__surge == '10%'", "messageExpression": "self.namespace"},
                {"rule": "self.__namespace__ == oldSelf.namespace && self.ports.all(p, p.port > 1)"},
                {"rule": "self.labels['a'] == 'b' && self.since < timestamp('2024-01-01T00:00:00Z')"},
            ],
        });
        let schema = json!({
            "type": "object",
            "properties": {"spec": part},
            "x-kubernetes-validations": [{"rule": "self.metadata.name != '' && self.spec.replicas > 1"}],
        });
        assert_eq!(errors(&schema), [""; 0]);
    }

    #[test]
    fn rules_that_do_not_compile_are_refused() {
        let schema = json!({
            "type": "object",
            "properties": {"a": {"type": "integer"}, "b": {"x-kubernetes-preserve-unknown-fields": true}},
            "x-kubernetes-validations": [
                {"rule": "self.c == 1"},
                {"rule": "self.a", "optionalOldSelf": true},
                {"rule": "self.a > 1", "messageExpression": "self.a"},
                {"rule": "has(self.b)"},
            ],
        });
        let rule = |rule: &str, message: &str, optional: &str| {
            format!(
                "{{\"Rule\":\"{rule}\",\"Message\":\"\",\"MessageExpression\":\"{message}\",\"Reason\":null,\
                 \"FieldPath\":\"\",\"OptionalOldSelf\":{optional}}}"
            )
        };
        let at =
            |index: usize, field: &str| format!("x-kubernetes-validations[{index}].{field}: Invalid value: ");
        assert_eq!(
            errors(&schema),
            [
                at(0, "rule")
                    + &rule("self.c == 1", "", "null")
                    + ": compilation failed: ERROR: <input>:1:5: undefined field 'c'\n | self.c == 1\n | ....^",
                at(1, "rule") + &rule("self.a", "", "true") + ": cel expression must evaluate to a bool",
                at(1, "optionalOldSelf") + "true: may not be set if oldSelf is not used in rule",
                at(2, "messageExpression")
                    + &rule("self.a \\u003e 1", "self.a", "null")
                    + ": messageExpression must evaluate to a string",
                at(3, "rule")
                    + &rule("has(self.b)", "", "null")
                    + ": compilation failed: ERROR: <input>:1:4: undefined field 'b'\n | has(self.b)\n | ...^",
            ]
        );
    }

    #[test]
    fn what_has_no_counterpart_knows_no_old_self() {
        let rules = json!([{"rule": "self == oldSelf"}]);
        let item = json!({"type": "string", "x-kubernetes-validations": rules});
        let schema = json!({"type": "object", "properties": {"a": {"type": "array", "items": item}}});
        assert_eq!(
            errors(&schema),
            [
                "properties[a].items.x-kubernetes-validations[0].rule: Invalid value: \"self == oldSelf\": oldSelf cannot \
              be used on the uncorrelatable portion of the schema within properties[a]"
            ]
        );
    }

    #[test]
    fn what_rules_cannot_see_has_none() {
        let rules = json!([{"rule": "true"}]);
        let schema = json!({"x-kubernetes-preserve-unknown-fields": true, "x-kubernetes-validations": rules});
        assert_eq!(
            errors(&schema),
            [
                "x-kubernetes-validations: Internal error: internal error: failed to construct type information for \
              x-kubernetes-validations rules: unable to convert structural schema to CEL declarations"
            ]
        );
    }
}
