//! The rules of a schema and of its parts, compiled.

use std::collections::BTreeMap;

use crate::custom_resource::declared::{Declared, declare};
use crate::custom_resource::rules::field_path;
use crate::custom_resource::rules::typed::typed;
use crate::custom_resource::schema::ListType;
use crate::validation::node::Node;
use kube_api::Value;
use kube_api::field::Path;
use kube_cel::{Checked, Env, Program, Type, ValueSchema};

const RULES: &str = "x-kubernetes-validations";
const SELF: &str = "selfType";

/// The rules of a schema, and those of its parts.
#[derive(Debug)]
pub(in crate::custom_resource) struct Validator {
    pub(super) rules: Vec<Rule>,
    pub(super) typed: ValueSchema,
    pub(super) type_name: String,
    pub(super) list_type: ListType,
    pub(super) items: Option<Box<Validator>>,
    pub(super) properties: BTreeMap<String, Validator>,
    pub(super) additional: Option<Box<Validator>>,
    pub(super) all_of: Vec<Validator>,
}

/// One rule.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) source: String,
    pub(super) fixed_message: String,
    pub(super) reason: String,
    /// Whether it is evaluated without an old value, which it sees as an optional.
    pub(super) is_optional: bool,
    /// The expression, if it is not empty.
    pub(super) program: Result<Option<Compiled>, String>,
    pub(super) message_expression: Option<(String, Program)>,
    field_path: Vec<field_path::Step>,
}

/// An expression that compiles.
#[derive(Debug)]
pub(super) struct Compiled {
    pub(super) checked: Checked,
    pub(super) program: Program,
    pub(super) uses_old_self: bool,
}

impl Validator {
    /// Compiles the rules of the schema of a resource; `None` if there is not one.
    pub(in crate::custom_resource) fn new(schema: &Value) -> Option<Self> {
        Self::of(schema, schema, true)
    }

    /// Compiles the rules of a part of a schema; `is_resource` says whether it is of a resource.
    pub(in crate::custom_resource) fn of_part(schema: &Value, is_resource: bool) -> Option<Self> {
        Self::of(schema, schema, is_resource)
    }

    /// Compiles the rules of `validation`: the schema `node` itself, or a part of its `allOf`.
    fn of(validation: &Value, node: &Value, is_resource: bool) -> Option<Self> {
        if !validation.is_object() || !node.is_object() {
            return None;
        }
        let is_embedded = |schema: &Value| schema["x-kubernetes-embedded-resource"] == true;
        let below = |part: &Value, of: &Value| Self::of(part, of, is_embedded(of)).map(Box::new);
        let properties = validation["properties"].as_object().into_iter().flatten();
        let properties = properties.filter_map(|(name, part)| {
            let of = node["properties"].get(name)?;
            // What rules cannot see they cannot validate.
            declare(&mut Env::new(), &Node::root(of), is_embedded(of), SELF)?;
            Some((name.to_string(), Self::of(part, of, is_embedded(of))?))
        });
        let all_of = validation["allOf"].as_array().into_iter().flatten();
        let keys = node["x-kubernetes-list-map-keys"].as_array().into_iter().flatten();
        let validator = Self {
            rules: rules(&validation[RULES], node, is_resource),
            typed: typed(node, is_resource),
            type_name: node.text("type").to_owned(),
            list_type: match node["x-kubernetes-list-type"].as_str() {
                Some("map") => ListType::Map(keys.filter_map(Value::as_str).map(str::to_owned).collect()),
                _ => ListType::Atomic,
            },
            items: below(&validation["items"], &node["items"]),
            properties: properties.collect(),
            additional: below(&validation["additionalProperties"], &node["additionalProperties"]),
            all_of: all_of.filter_map(|part| Self::of(part, node, is_resource)).collect(),
        };
        let is_empty = validator.rules.is_empty()
            && validator.items.is_none()
            && validator.properties.is_empty()
            && validator.additional.is_none()
            && validator.all_of.is_empty();
        (!is_empty).then_some(validator)
    }
}

fn rules(rules: &Value, node: &Value, is_resource: bool) -> Vec<Rule> {
    let rules = rules.as_array().map_or(&[][..], Vec::as_slice);
    if rules.is_empty() {
        return Vec::new();
    }
    let (env, of) = environment(node, is_resource);
    rules.iter().map(|rule| Rule::new(rule, &env, &of, node)).collect()
}

/// Returns the environment of the rules of a schema, and the type of `self`.
pub(super) fn environment(node: &Value, is_resource: bool) -> (Env, Type) {
    let mut env = Env::new();
    let declared = declare(&mut env, &Node::root(node), is_resource, SELF);
    let of = declared.map_or(Type::Dyn, |Declared { of, .. }| of);
    (env.with_variable("self", of.clone()), of)
}

impl Rule {
    fn new(rule: &Value, env: &Env, of: &Type, node: &Value) -> Self {
        let text = |field: &str| rule[field].as_str().unwrap_or_default().to_owned();
        let is_optional = rule["optionalOldSelf"] == true;
        let old = if is_optional { Type::optional(of.clone()) } else { of.clone() };
        let env = env.clone().with_variable("oldSelf", old);
        let compile = |text: &str| {
            let checked = env.compile(text).map_err(|issues| format!("compilation failed: {issues}"))?;
            let program =
                Program::new(&checked).map_err(|error| format!("program instantiation failed: {error}"))?;
            Ok(Compiled { program, uses_old_self: checked.names("oldSelf"), checked })
        };
        let source = text("rule");
        let program = if source.trim().is_empty() { Ok(None) } else { compile(&source).map(Some) };
        let message = text("messageExpression");
        let compiled = (!message.is_empty()).then(|| compile(&message).ok()).flatten();
        Self {
            program,
            message_expression: compiled.map(|compiled| (message, compiled.program)),
            fixed_message: text("message"),
            reason: text("reason"),
            is_optional,
            field_path: field_path::parse(&text("fieldPath"), node),
            source,
        }
    }

    /// Returns the rule as errors name it.
    pub(super) fn text(&self) -> &str {
        if self.fixed_message.is_empty() { self.source.trim() } else { self.fixed_message.trim() }
    }

    /// Returns the field that the rule is about.
    pub(super) fn path_below(&self, path: Option<&Path>) -> Option<Path> {
        let below = self.field_path.iter().fold(None, |below: Option<Path>, step| {
            let path = below.or_else(|| path.cloned());
            Some(step.below(path))
        });
        below.or_else(|| path.cloned())
    }
}
