//! `matchConditions`
//!
//! Source: `k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions`.

use std::sync::Arc;

use kube_api::Value;
use kube_api::field::Path;

use crate::policy::expression::Use;
use crate::policy::{Bindings, Expression, ExpressionCompiler, FailurePolicy, MATCH_CONDITIONS_COST_BUDGET};

/// The conditions of a policy or webhook, compiled.
#[derive(Debug)]
pub struct MatchConditions {
    conditions: Vec<(Arc<str>, Expression)>,
    failure_policy: FailurePolicy,
}

/// The result of the match conditions for a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MatchResult {
    /// All are true.
    Matches,
    /// The named one is false.
    Skips(Arc<str>),
    /// None is false, and some failed with this error, which is ignored.
    Ignored(String),
    /// None is false, and some failed, with this error.
    Fails(String),
}

impl MatchConditions {
    /// Compiles a list of `MatchCondition`.
    pub fn new(conditions: &Value, compiler: &ExpressionCompiler, failure_policy: FailurePolicy) -> Self {
        let fields =
            |index: usize| Path::new("spec").child("matchConditions").index(index).child("expression");
        let conditions = conditions.as_array().into_iter().flatten().enumerate().map(|(index, condition)| {
            let text = |field: &str| condition[field].as_str().unwrap_or_default();
            (text("name").into(), compiler.expression_at(fields(index), text("expression"), Use::Condition))
        });
        Self { conditions: conditions.collect(), failure_policy }
    }

    /// Whether there are none: everything matches.
    pub fn is_empty(&self) -> bool {
        self.conditions.is_empty()
    }

    /// Evaluates the conditions: one that is false decides, even if others fail.
    pub fn evaluate(&self, bindings: &Bindings<'_>) -> MatchResult {
        let mut budget = MATCH_CONDITIONS_COST_BUDGET;
        let mut values = Vec::with_capacity(self.conditions.len());
        for (name, expression) in &self.conditions {
            match expression.evaluate(bindings, &mut budget) {
                Err(fault) if fault.is_out_of_budget => return self.failed(fault.message),
                value => values.push((name, value)),
            }
        }
        let is_false = |value: &Result<kube_cel::Value, _>| matches!(value, Ok(kube_cel::Value::Bool(false)));
        if let Some((name, _)) = values.iter().find(|(_, value)| is_false(value)) {
            return MatchResult::Skips(Arc::clone(name));
        }
        let mut messages: Vec<String> = Vec::new();
        for (_, value) in values {
            if let Err(fault) = value
                && !messages.contains(&fault.message)
            {
                messages.push(fault.message);
            }
        }
        match messages.as_slice() {
            [] => MatchResult::Matches,
            [one] => self.failed(one.clone()),
            several => self.failed(format!("[{}]", several.join(", "))),
        }
    }

    fn failed(&self, message: String) -> MatchResult {
        match self.failure_policy {
            FailurePolicy::Fail => MatchResult::Fails(message),
            FailurePolicy::Ignore => MatchResult::Ignored(message),
        }
    }
}

#[cfg(test)]
mod tests {
    use gotext::value::json;

    use super::*;
    use crate::policy::Inputs;

    fn evaluate(expressions: &[&str], failure_policy: FailurePolicy) -> String {
        let list: Vec<_> = expressions
            .iter()
            .enumerate()
            .map(|(position, text)| json!({"name": format!("c{position}"), "expression": text}))
            .collect();
        let conditions =
            MatchConditions::new(&json!(list), &ExpressionCompiler::of_webhook(), failure_policy);
        let (object, request) = (json!({"metadata": {"name": "web"}}), json!({"operation": "CREATE"}));
        let inputs = Inputs {
            object: Some(&object),
            old_object: None,
            request: &request,
            params: None,
            namespace_object: None,
            authorizer: None,
            others: &[],
        };
        match conditions.evaluate(&Bindings::new(inputs, &[])) {
            MatchResult::Matches => "matches".to_owned(),
            MatchResult::Skips(name) => format!("skips {name}"),
            MatchResult::Ignored(_) => "skips -".to_owned(),
            MatchResult::Fails(message) => message,
        }
    }

    #[test]
    fn a_false_condition_wins_over_errors() {
        let fail = FailurePolicy::Fail;
        assert_eq!(evaluate(&["true", "object.metadata.name == 'web'"], fail), "matches");
        assert_eq!(evaluate(&["object.spec.a == 1", "false"], fail), "skips c1");
        let error = "expression 'object.spec.a == 1' resulted in error: no such key: spec";
        assert_eq!(evaluate(&["object.spec.a == 1", "true"], fail), error);
        let other = "expression 'oldObject.a' resulted in error: no such key: a";
        assert_eq!(
            evaluate(&["object.spec.a == 1", "oldObject.a"], fail),
            format!("[{error}, compilation error: must evaluate to bool but got dyn]"),
            "{other}"
        );
        assert_eq!(evaluate(&["object.spec.a == 1"], FailurePolicy::Ignore), "skips -");
        assert_eq!(evaluate(&[], fail), "matches");
    }
}
