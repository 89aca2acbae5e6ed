//! The rules of a schema (`x-kubernetes-validations`): each has to compile where it is.
//!
//! The types of an object's parts have names that the server generates anew each time (`selfType123456789.spec`); here
//! they begin with `selfType` alone.
//!
//! Source: `k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel`, `k8s.io/apiserver/pkg/cel/common`.

use crate::custom_resource::declared::{Declared, MAX_REQUEST, declare};
use crate::validation::expression::instantiation_error;
use crate::validation::node::{Errors, Node};
use kube_api::Value;
use kube_api::field::{Error, ErrorType, Path};
use kube_api::version::Version;
use kube_cel::{Bounds, Env, Program, Type};

pub(crate) const RULES: &str = "x-kubernetes-validations";
const SELF: &str = "selfType";
/// `StaticEstimatedCostLimit`, of one rule, and `StaticEstimatedCRDCostLimit`, of all together.
const MAX_COST: u64 = 10_000_000;
const MAX_TOTAL_COST: u64 = 100_000_000;
/// The number of rules that are named when all together cost too much.
const MAX_EXPENSIVE: usize = 4;

/// Compiles the rules of `root` and of all below it, where the schema is valid otherwise. In an unchanged schema, a
/// rule may cost more than in a new one.
pub(crate) fn validate(errors: &mut Errors, root: &Node, is_unchanged: bool) {
    let broken: Vec<String> = errors.0.iter().map(Error::field).collect();
    let release = errors.release();
    let mut rules =
        Rules { broken, release, is_unchanged, found: Vec::new(), total: 0, expensive: Vec::new() };
    rules.schema(root, Context { is_resource: true, uncorrelated: None, cardinality: Some(1) });
    rules.validate_total(root);
    errors.0.extend(rules.found);
}

pub(crate) struct Rules {
    /// The fields that are known to be invalid.
    broken: Vec<String>,
    release: Version,
    is_unchanged: bool,
    found: Vec<Error>,
    total: u64,
    /// The rules that cost a hundredth of the total limit or more.
    expensive: Vec<(u64, Path)>,
}

/// The position of a schema.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    /// It is a whole resource.
    is_resource: bool,
    /// The first schema on the path whose parts have no counterparts in the old object.
    uncorrelated: Option<&'a Path>,
    /// The number of times that it can occur in an object, if that is bounded.
    cardinality: Option<u64>,
}

/// The environment that the rules of a schema are compiled in.
pub(crate) struct Scope<'a> {
    env: Env,
    bounds: &'a Bounds,
    uncorrelated: Option<&'a Path>,
    cardinality: u64,
}

impl Rules {
    fn schema(&mut self, schema: &Node, context: Context) {
        if !schema.value().is_object() {
            return;
        }
        let here = schema.here();
        let cardinality =
            context.cardinality.zip(max_elements(schema)).map(|(own, most)| own.saturating_mul(most));
        let below = |part: &Node, is_correlated: bool| Context {
            is_resource: part.flag("x-kubernetes-embedded-resource"),
            uncorrelated: context.uncorrelated.or((!is_correlated).then_some(&here)),
            cardinality,
        };
        if let Some(values) = schema.get("additionalProperties") {
            self.schema(&values, below(&values, true));
        }
        // Maps are correlated key by key, whether they are merged so or not.
        let is_correlated =
            schema.given("x-kubernetes-map-type").is_none_or(|kind| ["atomic", "granular"].contains(&kind));
        for (name, property) in schema.entries("properties") {
            let property = Node::new(schema.at("properties").key(name), property);
            self.schema(&property, below(&property, is_correlated));
        }
        if let Some(items) = schema.get("items") {
            self.schema(&items, below(&items, schema.text("x-kubernetes-list-type") == "map"));
        }
        if schema.len(RULES) > 0 && !self.is_broken(&here) {
            self.rules(schema, context);
        }
    }

    fn is_broken(&self, path: &Path) -> bool {
        let path = path.to_string();
        let is_below = |field: &String| {
            field.strip_prefix(&path).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        };
        self.broken.iter().any(is_below)
    }

    fn rules(&mut self, schema: &Node, context: Context) {
        let mut env = Env::new();
        let Some(declared) = declare(&mut env, schema, context.is_resource, SELF) else {
            let detail = "internal error: failed to construct type information for x-kubernetes-validations rules: \
                          unable to convert structural schema to CEL declarations";
            return self.found.push(Error::printed(
                ErrorType::Internal,
                Some(schema.at(RULES)),
                None,
                detail.to_owned(),
            ));
        };
        let Declared { of, bounds, least_bytes } = declared;
        let mut env = env.with_variable("self", of.clone());
        if !self.is_unchanged {
            env = env.as_of(self.release.previous_minor());
        }
        let cardinality = context.cardinality.unwrap_or(MAX_REQUEST / (least_bytes + 1));
        for rule in schema.items(RULES) {
            let is_optional = rule.flag("optionalOldSelf");
            let old = if is_optional { Type::optional(of.clone()) } else { of.clone() };
            let env = env.clone().with_variable("oldSelf", old);
            let scope = Scope { env, bounds: &bounds, uncorrelated: context.uncorrelated, cardinality };
            self.rule(&rule, &scope);
        }
    }

    fn rule(&mut self, rule: &Node, scope: &Scope) {
        let text = rule.text("rule");
        let invalid = |path: &Path, detail: String| {
            Error::invalid_internal(path, "apiextensions/v1.ValidationRule", rule.value(), detail)
        };
        let mut uses_old_self = false;
        let detail = match scope.env.compile(text) {
            Err(issues) => Some(format!("compilation failed: {issues}")),
            Ok(checked) if *checked.output_type() != Type::Bool => {
                Some("cel expression must evaluate to a bool".to_owned())
            }
            Ok(checked) => {
                uses_old_self = checked.names("oldSelf");
                let error = instantiation_error(&checked);
                if error.is_none() {
                    let cost = checked.max_cost(scope.bounds, None).saturating_mul(scope.cardinality);
                    self.observe(rule.at("rule"), cost, "estimated rule cost");
                }
                error
            }
        };
        let message = rule.text("messageExpression");
        match detail {
            Some(detail) => self.found.push(invalid(&rule.at("rule"), detail)),
            None if message.is_empty() => {}
            None => {
                let path = rule.at("messageExpression");
                let detail = match scope.env.compile(message) {
                    Err(issues) => Some(format!("messageExpression compilation failed: {issues}")),
                    Ok(checked) if *checked.output_type() != Type::String => {
                        Some("messageExpression must evaluate to a string".to_owned())
                    }
                    Ok(checked) => {
                        let error = Program::new(&checked).err();
                        if error.is_none() {
                            let cost = checked.max_cost(scope.bounds, None);
                            self.observe(path.clone(), cost, "estimated messageExpression cost");
                        }
                        error.map(|error| format!("messageExpression instantiation failed: {error}"))
                    }
                };
                self.found.extend(detail.map(|detail| invalid(&path, detail)));
            }
        }
        if uses_old_self {
            if let Some(path) = scope.uncorrelated {
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

    /// Counts the cost of an expression, and reports one that is too high by itself.
    fn observe(&mut self, path: Path, cost: u64, what: &str) {
        if cost > MAX_COST && !self.is_unchanged {
            self.found.push(Error::forbidden(&path, too_expensive(what, cost, MAX_COST)));
        }
        self.total = self.total.saturating_add(cost);
        if cost >= MAX_TOTAL_COST / 100 {
            self.expensive.push((cost, path));
        }
    }

    fn validate_total(&mut self, root: &Node) {
        if self.total <= MAX_TOTAL_COST {
            return;
        }
        self.expensive.sort_by_key(|(cost, _)| std::cmp::Reverse(*cost));
        for (_, path) in self.expensive.iter().take(MAX_EXPENSIVE) {
            let detail =
                "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
            self.found.push(Error::forbidden(path, detail));
        }
        let what = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
        self.found.push(Error::forbidden(&root.here(), too_expensive(what, self.total, MAX_TOTAL_COST)));
    }
}

/// Returns the number of parts that a value of the schema can have at most; an object has each once.
fn max_elements(schema: &Node) -> Option<u64> {
    let most = |field: &str| schema.number(field).map(|most| u64::try_from(most).unwrap_or_default());
    match schema.text("type") {
        "object" if schema.has("additionalProperties") => most("maxProperties"),
        "array" => most("maxItems"),
        _ => Some(1),
    }
}

/// Implements `getCostErrorMessage`.
#[expect(clippy::cast_precision_loss, reason = "upstream tells the factor as a double")]
fn too_expensive(what: &str, cost: u64, limit: u64) -> String {
    let factor = cost as f64 / limit as f64;
    let factor = match factor {
        _ if factor > 100.0 => "more than 100x".to_owned(),
        _ if factor < 1.5 => format!("{factor:.6}x"),
        _ => format!("{factor:.1}x"),
    };
    format!(
        "{what} exceeds budget by factor of {factor} (try simplifying the rule, or adding maxItems, maxProperties, and \
         maxLength where arrays, maps, and strings are declared)"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::json;

    fn errors(schema: &Value) -> Vec<String> {
        let mut errors = Errors::default();
        validate(&mut errors, &Node::root(schema), false);
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

    /// Returns the estimated cost of a rule for a list of such items.
    fn cost(schema: &Value, rule: &str) -> u64 {
        let mut env = Env::new();
        let declared =
            declare(&mut env, &Node::root(schema), false, SELF).expect("a schema that rules can see");
        let env = env.with_variable("self", declared.of);
        env.compile(rule).expect("a rule that compiles").max_cost(&declared.bounds, None)
    }

    #[test]
    fn costs_grow_with_what_fits_into_a_request() {
        let list = |items: Value| json!({"type": "array", "items": items});
        let map = |values: Value| json!({"type": "object", "additionalProperties": values});
        let (boolean, number) = (json!({"type": "boolean"}), json!({"type": "number"}));
        assert_eq!(cost(&list(boolean.clone()), "self.all(x, true)"), 1_887_437);
        assert_eq!(cost(&list(number), "self.all(x, true)"), 4_718_591);
        assert_eq!(cost(&list(json!({"type": "string"})), "self.all(x, true)"), 3_145_727);
        assert_eq!(cost(&map(boolean.clone()), "self.all(x, true)"), 943_718);
        let bounded = json!({"type": "array", "maxItems": 10, "items": boolean});
        assert_eq!(cost(&bounded, "self.all(x, true)"), 32);
        assert_eq!(cost(&json!({"type": "string", "maxLength": 10}), "self == 'abcdefghijk'"), 3);
        assert_eq!(cost(&json!({"type": "string", "maxLength": 25}), "self.contains('abcdefghijk')"), 21);
        assert_eq!(cost(&json!({"type": "string", "maxLength": 25}), "self.matches('[0-9]')"), 23);
    }

    #[test]
    fn rules_may_not_cost_too_much() {
        let unbounded = json!({"type": "array", "items": {"type": "string"}});
        let rules = json!([{"rule": "self.a.all(x, self.a.exists(y, y == x))"}]);
        let schema = json!({"type": "object", "properties": {"a": unbounded}, "x-kubernetes-validations": rules.clone()});
        let advice = "(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, \
                      and strings are declared)";
        let each = format!(
            "x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x \
             {advice}"
        );
        let total = format!(
            "Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by \
             factor of more than 100x {advice}"
        );
        let contributed = "x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total exceeding \
                           cost limit for entire OpenAPIv3 schema";
        let found = errors(&schema);
        assert_eq!(found[..2], [each, contributed.to_owned()]);
        assert!(found[2].ends_with(&total), "{}", found[2]);
        let item = json!({"type": "string", "maxLength": 20});
        let bounded = json!({"type": "array", "maxItems": 20, "items": item});
        let schema =
            json!({"type": "object", "properties": {"a": bounded}, "x-kubernetes-validations": rules});
        assert_eq!(errors(&schema), [""; 0]);
    }

    #[test]
    fn what_has_no_counterpart_knows_no_old_self() {
        let rules = json!([{"rule": "self == oldSelf"}]);
        let item = json!({"type": "string", "maxLength": 9, "x-kubernetes-validations": rules});
        let list = json!({"type": "array", "maxItems": 9, "items": item});
        let schema = json!({"type": "object", "properties": {"a": list}});
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
