//! One policy, evaluated for one request with one parameter.
//!
//! Source: `k8s.io/apiserver/pkg/admission/plugin/policy/validating/validator.go`.

use std::sync::Arc;

use crate::admission::Attributes;
use kube_api::field::Path;
use kube_api::{Object, Value};

use crate::cluster::authorizer::Authorizer;
use crate::plugin::validating_admission_policy::denies;
use crate::policy::{
    Bindings, COST_BUDGET, Explained, Expression, ExpressionCompiler, Fault, Inputs, MatchResult, Policy,
    RequestAuthorizer, SYSTEM_FIELDS, Use, VersionedAttributes,
};

const MAX_MESSAGE: usize = 5 * 1024;

/// The validations and audit annotations of a policy, compiled.
#[derive(Debug)]
pub(super) struct Evaluator {
    validations: Vec<Validation>,
    annotations: Vec<(String, Expression)>,
    /// Whether an expression may read the fields that the server fills in on creation; they are not generated
    /// otherwise.
    pub(super) reads_system_fields: bool,
}

#[derive(Debug)]
struct Validation {
    expression: Expression,
    message: String,
    message_expression: Option<Expression>,
    reason: String,
}

/// The request as the expressions of all policies see it.
pub(super) struct Request<'a> {
    pub(super) attributes: &'a Attributes,
    pub(super) versioned: &'a VersionedAttributes,
    pub(super) described: &'a Value,
    /// The same for match conditions.
    pub(super) described_to_conditions: &'a Value,
    pub(super) namespace: Option<&'a Value>,
    pub(super) authorizer: &'a Authorizer,
}

/// The result of one evaluation.
#[derive(Debug, Default)]
pub(super) struct ValidateResult {
    pub(super) decisions: Vec<Decision>,
    pub(super) annotations: Vec<(String, Annotation)>,
    /// The match condition that is false, if one is: nothing was evaluated.
    pub(super) skipped_by: Option<Arc<str>>,
    /// The first error that the failure policy ignores.
    pub(super) ignored: Option<String>,
    /// What the server only logs.
    pub(super) remarks: Vec<String>,
}

/// The result of one validation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Decision {
    Admit,
    Deny {
        message: String,
        reason: String,
        /// The values that the expression read, if it decided.
        explained: Option<Box<Explained>>,
    },
}

/// The result of one audit annotation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Annotation {
    Publish(String),
    Error(String),
    Exclude,
}

impl Evaluator {
    pub(super) fn new(spec: &Value, compiler: &ExpressionCompiler) -> Self {
        let items = |field: &str| spec[field].as_array().into_iter().flatten();
        let text = |item: &Value, field: &str| item[field].as_str().unwrap_or_default().to_owned();
        let at = |list: &str, index: usize, field: &str| {
            Path::new("spec").child(list.to_owned()).index(index).child(field.to_owned())
        };
        let validations = items("validations").enumerate().map(|(index, validation)| {
            let message_expression = text(validation, "messageExpression");
            Validation {
                expression: compiler.expression_at(
                    at("validations", index, "expression"),
                    &text(validation, "expression"),
                    Use::Condition,
                ),
                message: text(validation, "message"),
                message_expression: (!message_expression.is_empty()).then(|| {
                    compiler.expression_at(
                        at("validations", index, "messageExpression"),
                        &message_expression,
                        Use::Message,
                    )
                }),
                reason: text(validation, "reason"),
            }
        });
        let annotations = items("auditAnnotations").enumerate().map(|(index, annotation)| {
            let expression = text(annotation, "valueExpression");
            (
                text(annotation, "key"),
                compiler.expression_at(
                    at("auditAnnotations", index, "valueExpression"),
                    &expression,
                    Use::AuditAnnotation,
                ),
            )
        });
        Self {
            validations: validations.collect(),
            annotations: annotations.collect(),
            reads_system_fields: reads_system_fields(spec),
        }
    }
}

/// Whether a text in `spec` contains the name of such a field.
fn reads_system_fields(spec: &Value) -> bool {
    match spec {
        Value::String(text) => SYSTEM_FIELDS.iter().any(|field| text.contains(field)),
        Value::Array(items) => items.iter().any(reads_system_fields),
        Value::Object(map) => map.values().any(reads_system_fields),
        _ => false,
    }
}

impl ValidateResult {
    /// Returns the result of an evaluation that fails as a whole.
    fn failed(policy: &Policy<Evaluator>, message: String) -> Self {
        if denies(policy.failure_policy) {
            let decision = Decision::Deny { message, reason: String::new(), explained: None };
            return Self { decisions: vec![decision], ..Self::default() };
        }
        Self { ignored: Some(message), ..Self::default() }
    }

    /// Returns the decision of a validation that fails.
    fn failure(
        &mut self,
        policy: &Policy<Evaluator>,
        message: String,
        explained: impl FnOnce() -> Option<Box<Explained>>,
    ) -> Decision {
        if denies(policy.failure_policy) {
            return Decision::Deny { message, reason: String::new(), explained: explained() };
        }
        self.ignored.get_or_insert(message);
        Decision::Admit
    }
}

impl Request<'_> {
    /// Evaluates `policy` with `param`.
    pub(super) fn evaluate(&self, policy: &Policy<Evaluator>, param: Option<&Object>) -> ValidateResult {
        let object = self.versioned.object.as_deref().map(|object| &object.value);
        let old_object = self.versioned.old_object.as_deref().map(|object| &object.value);
        let authorizer = RequestAuthorizer::new(self.authorizer, self.attributes);
        let inputs = Inputs {
            object,
            old_object,
            request: self.described,
            params: param.map(|param| &param.value),
            namespace_object: self.namespace,
            authorizer: Some(&authorizer),
            others: &[],
        };
        if !policy.match_conditions.is_empty() {
            let inputs = Inputs { request: self.described_to_conditions, namespace_object: None, ..inputs };
            match policy.match_conditions.evaluate(&Bindings::new(inputs, &policy.variables)) {
                MatchResult::Matches => {}
                MatchResult::Skips(condition) => {
                    return ValidateResult { skipped_by: Some(condition), ..ValidateResult::default() };
                }
                MatchResult::Fails(message) | MatchResult::Ignored(message) => {
                    return ValidateResult::failed(policy, message);
                }
            }
        }
        let mut budget = COST_BUDGET;
        let bindings = Bindings::new(inputs, &policy.variables);
        let mut values = Vec::with_capacity(policy.evaluator.validations.len());
        for validation in &policy.evaluator.validations {
            match validation.expression.evaluate(&bindings, &mut budget) {
                Err(fault) if fault.is_out_of_budget => return ValidateResult::failed(policy, fault.message),
                value => values.push(value),
            }
        }
        let without_authorizer = Inputs { authorizer: None, ..inputs };
        let messages =
            policy.messages(&Bindings::new(without_authorizer, &policy.variables), budget, &values);
        let mut result = ValidateResult::default();
        for (position, (validation, value)) in policy.evaluator.validations.iter().zip(values).enumerate() {
            let explained = || explain(&validation.expression, inputs, policy);
            let decision = match (value, &messages) {
                (Err(fault), _) => result.failure(policy, fault.message, explained),
                (Ok(_), Err(fault)) => {
                    let message = format!("failed messageExpression: {}", fault.message);
                    result.failure(policy, message, || None)
                }
                (Ok(kube_cel::Value::Bool(true)), _) => Decision::Admit,
                (Ok(_), Ok(messages)) => {
                    let message = messages.get(position).cloned().flatten();
                    if let Some(Err(error)) = &message {
                        result.remarks.push(format!(
                            "messageExpression of spec.validations[{position}] of {} failed, so that the server uses \
                             the message without it: {error}",
                            policy.name
                        ));
                    }
                    Decision::Deny {
                        message: validation.message(message.and_then(Result::ok)),
                        reason: match validation.reason.as_str() {
                            "" => "Invalid".to_owned(),
                            reason => reason.to_owned(),
                        },
                        explained: explained(),
                    }
                }
            };
            result.decisions.push(decision);
        }
        match policy.annotations(&Bindings::new(without_authorizer, &policy.variables)) {
            Ok(annotations) => ValidateResult { annotations, ..result },
            Err(fault) => ValidateResult::failed(policy, fault.message),
        }
    }
}

/// Returns the values that `expression` read.
fn explain(
    expression: &Expression,
    inputs: Inputs<'_>,
    policy: &Policy<Evaluator>,
) -> Option<Box<Explained>> {
    expression.compiled().ok()?;
    Some(Box::new(expression.explain(inputs, &policy.variables)))
}

impl Policy<Evaluator> {
    /// Returns the results of the message expressions. The server evaluates all of them, which only affects the budget;
    /// here those of validations that are true are skipped while the budget is not at risk.
    fn messages(
        &self,
        bindings: &Bindings<'_>,
        mut budget: u64,
        values: &[Result<kube_cel::Value<'_>, Fault>],
    ) -> Result<Vec<Option<Result<String, String>>>, Fault> {
        let validations = &self.evaluator.validations;
        let is_true = |value: &Result<_, _>| matches!(value, Ok(kube_cel::Value::Bool(true)));
        // No expression costs more than this, nor does a variable.
        let most = kube_cel::PER_CALL_LIMIT * (validations.len() + self.variables.len()) as u64 * 2;
        if values.iter().all(is_true) && most <= budget {
            return Ok(Vec::new());
        }
        let messages = validations.iter().map(|validation| {
            let Some(expression) = &validation.message_expression else { return Ok(None) };
            match expression.evaluate(bindings, &mut budget) {
                Ok(kube_cel::Value::String(text)) => Ok(Some(Ok(text.to_string()))),
                Err(fault) if fault.is_out_of_budget => Err(fault),
                Err(fault) => Ok(Some(Err(fault.message))),
                Ok(_) => Ok(None),
            }
        });
        messages.collect()
    }

    fn annotations(&self, bindings: &Bindings<'_>) -> Result<Vec<(String, Annotation)>, Fault> {
        let mut budget = COST_BUDGET;
        let annotations = self.evaluator.annotations.iter().map(|(key, expression)| {
            let annotation = match expression.evaluate(bindings, &mut budget) {
                Err(fault) if fault.is_out_of_budget => return Err(fault),
                Err(fault) if denies(self.failure_policy) => Annotation::Error(fault.message),
                Ok(kube_cel::Value::String(text)) if !text.trim().is_empty() => {
                    Annotation::Publish(text.trim().to_owned())
                }
                _ => Annotation::Exclude,
            };
            Ok((key.clone(), annotation))
        });
        annotations.collect()
    }
}

impl Validation {
    /// Returns the message of a violation: the result of its expression, or the fixed one, or the validation itself.
    fn message(&self, evaluated: Option<String>) -> String {
        let evaluated = evaluated.unwrap_or_default();
        let evaluated = evaluated.trim();
        if !evaluated.is_empty() && evaluated.len() <= MAX_MESSAGE && !evaluated.contains('\n') {
            return evaluated.to_owned();
        }
        match self.message.trim() {
            "" => format!("failed expression: {}", self.expression.text.trim()),
            message => message.to_owned(),
        }
    }
}
