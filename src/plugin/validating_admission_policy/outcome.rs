//! The combined result of all policies for a request.

use std::sync::Arc;

use crate::admission::{
    Attributes, Effect, Evidence, Mismatch, PolicyRule, PolicyViolation, Recorder, Refusal,
};
use crate::plugin::validating_admission_policy::denies;
use crate::plugin::validating_admission_policy::evaluator::{
    Annotation, Decision, Evaluator, ValidateResult,
};
use crate::policy::{Binding, Explained, Policy};
use gotext::encoding_json;
use kube_api::field::Path;
use kube_api::resources::VALIDATING_ADMISSION_POLICIES;
use kube_api::{Object, StatusCause, kinds, secret};

const MAX_ANNOTATION: usize = 10 * 1024;
const VALIDATION_FAILURE: &str = "validation.policy.admission.k8s.io/validation_failure";

/// The results so far.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    denials: Vec<Denial>,
    warnings: Vec<String>,
    annotations: Vec<(String, String)>,
    /// The audit annotations of the policy at hand: for each key its different values.
    of_policy: Vec<(String, Vec<String>)>,
    evidence: Vec<Evidence>,
    /// The fields of the object that warnings are about.
    fields: Vec<Path>,
    violations: Vec<PolicyViolation>,
    /// The parameters, which messages may quote.
    params: Vec<Arc<Object>>,
    /// What the server only logs.
    remarks: Vec<String>,
}

#[derive(Debug)]
struct Denial {
    text: String,
    reason: String,
    because: Because,
}

/// The object that causes it, its rule, and the fields that the rule is about.
type Because = (Evidence, PolicyRule, Vec<Path>);

impl Outcome {
    /// Records that a policy or binding cannot be applied.
    pub(super) fn misconfigured(
        &mut self,
        policy: &Policy<Evaluator>,
        binding: Option<&Binding>,
        error: &str,
    ) -> Effect {
        let what = if binding.is_some() { "binding" } else { "policy" };
        let message = format!("failed to configure {what}: {error}");
        if denies(policy.failure_policy) {
            let evidence = evidence(policy, None, "cannot be applied".to_owned());
            self.deny(policy, binding, &message, "", (evidence, rule(policy, binding, None), Vec::new()));
            return Effect::Denied;
        }
        Effect::FailedOpen(message)
    }

    /// Records the result of one evaluation.
    pub(super) fn take(
        &mut self,
        policy: &Policy<Evaluator>,
        binding: &Binding,
        param: Option<&Arc<Object>>,
        result: ValidateResult,
    ) -> Effect {
        let mut effect = match (result.skipped_by, result.ignored) {
            (Some(condition), _) => Effect::NotMatched(Mismatch::Condition(condition)),
            (None, Some(error)) => Effect::FailedOpen(error),
            (None, None) => Effect::Evaluated,
        };
        self.remarks.extend(result.remarks);
        self.params.extend(param.cloned());
        let param = param.map(|param| &**param);
        for (index, decision) in result.decisions.into_iter().enumerate() {
            let Decision::Deny { message, reason, explained } = decision else { continue };
            let mut warning = None;
            let is_denied = binding.validation_actions.iter().any(|action| action == "Deny");
            effect = effect.max(if is_denied { Effect::Denied } else { Effect::Reported });
            for action in &binding.validation_actions {
                let says = says(binding, param);
                match action.as_str() {
                    "Deny" => {
                        let evidence = evidence(policy, Some(index), says);
                        let (explanation, fields) = explained
                            .clone()
                            .map(|explained| {
                                let Explained { explanation, fields } = *explained;
                                (Some(explanation), fields)
                            })
                            .unwrap_or_default();
                        let rule = PolicyRule { explanation, ..rule(policy, Some(binding), param) };
                        self.deny(policy, Some(binding), &message, &reason, (evidence, rule, fields));
                    }
                    "Audit" => self.audit(policy, binding, index, &message),
                    "Warn" => {
                        let text = format!(
                            "Validation failed for ValidatingAdmissionPolicy '{}' with binding '{}': {message}",
                            policy.name, binding.name
                        );
                        self.warnings.push(text.clone());
                        warning = Some(text);
                        self.evidence.push(evidence(policy, Some(index), says));
                        self.fields.extend(explained.iter().flat_map(|explained| explained.fields.clone()));
                    }
                    _ => {}
                }
            }
            let actions = binding.validation_actions.iter().filter(|action| *action != "Deny");
            let actions: Vec<String> = actions.cloned().collect();
            if !actions.is_empty() {
                let (explanation, fields) = explained.map_or_else(Default::default, |explained| {
                    (Some(explained.explanation), explained.fields)
                });
                self.violations.push(PolicyViolation {
                    actions,
                    message,
                    warning,
                    rule: PolicyRule { explanation, ..rule(policy, Some(binding), param) },
                    fields,
                    evidence: vec![evidence(policy, Some(index), says(binding, param))],
                    ..PolicyViolation::default()
                });
            }
        }
        for (key, annotation) in result.annotations {
            match annotation {
                Annotation::Publish(value) => self.annotate(&key, value),
                Annotation::Error(message) => {
                    let evidence = evidence(policy, None, says(binding, param));
                    let rule = rule(policy, Some(binding), param);
                    self.deny(policy, Some(binding), &message, "", (evidence, rule, Vec::new()));
                    effect = Effect::Denied;
                }
                Annotation::Exclude => {}
            }
        }
        effect
    }

    fn deny(
        &mut self,
        policy: &Policy<Evaluator>,
        binding: Option<&Binding>,
        message: &str,
        reason: &str,
        because: Because,
    ) {
        let with = binding.map_or_else(String::new, |binding| format!(" with binding '{}'", binding.name));
        let text = format!("ValidatingAdmissionPolicy '{}'{with} denied request: {message}", policy.name);
        self.denials.push(Denial { text, reason: reason.to_owned(), because });
    }

    fn audit(&mut self, policy: &Policy<Evaluator>, binding: &Binding, index: usize, message: &str) {
        // The fields are in the order of the server's type.
        let text = |text: &str| encoding_json::to_string(&text.into());
        let actions: Vec<_> = binding.validation_actions.iter().map(|action| text(action)).collect();
        let value = format!(
            "[{{\"message\":{},\"policy\":{},\"binding\":{},\"expressionIndex\":{index},\"validationActions\":[{}]}}]",
            text(message),
            text(&policy.name),
            text(&binding.name),
            actions.join(",")
        );
        self.annotations.push((VALIDATION_FAILURE.to_owned(), value));
    }

    fn annotate(&mut self, key: &str, mut value: String) {
        if value.len() > MAX_ANNOTATION {
            let end = (0..=MAX_ANNOTATION).rev().find(|end| value.is_char_boundary(*end)).unwrap_or_default();
            value.truncate(end);
        }
        match self.of_policy.iter_mut().find(|(known, _)| known == key) {
            Some((_, values)) if values.contains(&value) => {}
            Some((_, values)) => values.push(value),
            None => self.of_policy.push((key.to_owned(), vec![value])),
        }
    }

    /// Ends the bindings of `policy`.
    pub(super) fn publish_annotations(&mut self, policy: &Policy<Evaluator>) {
        for (key, values) in std::mem::take(&mut self.of_policy) {
            self.annotations.push((format!("{}/{key}", policy.name), values.join(", ")));
        }
    }

    /// Reports the results; the first denial is the answer.
    pub(super) fn finish(self, attributes: &Attributes, recorder: &mut Recorder) -> Result<(), Refusal> {
        for warning in self.warnings {
            recorder.add_warning(warning);
        }
        for evidence in self.evidence {
            recorder.add_evidence(evidence);
        }
        let has_remarks = !self.remarks.is_empty();
        self.remarks.into_iter().for_each(|remark| recorder.add_note(remark));
        recorder.add_fields(self.fields);
        self.violations.into_iter().for_each(|violation| recorder.add_violation(violation));
        for (key, value) in self.annotations {
            recorder.add_audit_annotation(key, value);
        }
        if recorder.has_messages() || has_remarks || !self.denials.is_empty() {
            recorder.add_secrets(self.params.into_iter().filter(|param| secret::is_kept_in(param)));
        }
        let Some(denial) = self.denials.into_iter().next() else { return Ok(()) };
        let mut refusal = attributes.new_forbidden(&denial.text);
        let reason = if denial.reason.is_empty() { "Invalid" } else { &denial.reason };
        reason.clone_into(&mut refusal.status.reason);
        refusal.status.code = code_of(reason);
        if let Some(details) = &mut refusal.status.details {
            details.causes.push(StatusCause { message: denial.text, ..StatusCause::default() });
        }
        let (evidence, rule, fields) = denial.because;
        Err(refusal.because(evidence).by(rule).at_all(fields))
    }
}

/// Implements `reasonToCode`.
fn code_of(reason: &str) -> u16 {
    match reason {
        "Forbidden" => 403,
        "Unauthorized" => 401,
        "RequestEntityTooLarge" => 413,
        _ => 422,
    }
}

fn says(binding: &Binding, param: Option<&Object>) -> String {
    let param = param.map_or_else(String::new, |param| {
        let namespace = match param.namespace() {
            "" => String::new(),
            namespace => format!("{namespace}/"),
        };
        format!(" and {} {namespace}{}", param.kind.kind, param.name())
    });
    format!("is bound by {}{param}", binding.name)
}

fn rule(policy: &Policy<Evaluator>, binding: Option<&Binding>, params: Option<&Object>) -> PolicyRule {
    PolicyRule {
        policy: policy.name.clone(),
        binding: binding.map(|binding| binding.name.clone()).unwrap_or_default(),
        params: params.map(|params| (params.namespace().to_owned(), params.name().to_owned())),
        explanation: None,
        reads_secret: params.is_some_and(|params| params.kind.is(kinds::SECRET)),
    }
}

fn evidence(policy: &Policy<Evaluator>, validation: Option<usize>, says: String) -> Evidence {
    let path =
        validation.map(|index| Path::new("spec").child("validations").index(index).child("expression"));
    Evidence::named(VALIDATING_ADMISSION_POLICIES, "", &policy.name, says).at(path)
}
