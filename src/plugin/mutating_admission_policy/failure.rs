//! Failures of policies for a request.

use crate::admission::{Attributes, Evidence, PolicyRule, Refusal};
use crate::plugin::mutating_admission_policy::mutation::Evaluator;
use crate::policy::{Binding, FailurePolicy, Policy};
use kube_api::StatusCause;
use kube_api::resources::MUTATING_ADMISSION_POLICIES;

/// The errors of policies that do not ignore them. Configuration errors come first.
#[derive(Debug, Default)]
pub(super) struct Failures {
    failures: Vec<Failure>,
}

#[derive(Debug)]
struct Failure {
    message: String,
    reason: &'static str,
    rule: PolicyRule,
}

impl Failures {
    /// Records that a policy or binding cannot be applied.
    pub(super) fn misconfigured(
        &mut self,
        policy: &Policy<Evaluator>,
        binding: Option<&Binding>,
        error: &str,
    ) {
        let what = if binding.is_some() { "binding" } else { "policy" };
        self.add(policy, binding, &format!("failed to configure {what}: {error}"), "Forbidden");
    }

    /// Records that a condition or a mutation failed.
    pub(super) fn failed(&mut self, policy: &Policy<Evaluator>, binding: &Binding, error: &str) {
        self.add(policy, Some(binding), error, "Invalid");
    }

    fn add(
        &mut self,
        policy: &Policy<Evaluator>,
        binding: Option<&Binding>,
        error: &str,
        reason: &'static str,
    ) {
        if policy.failure_policy == FailurePolicy::Ignore {
            return;
        }
        let name = &policy.name;
        let message = match binding {
            Some(binding) => {
                format!("policy '{name}' with binding '{}' denied request: {error}", binding.name)
            }
            None => format!("policy \"{name}\" denied request: {error}"),
        };
        let binding = binding.map(|binding| binding.name.clone()).unwrap_or_default();
        let rule = PolicyRule { policy: name.clone(), binding, ..PolicyRule::default() };
        self.failures.push(Failure { message, reason, rule });
    }

    /// Returns the answer: the first failure decides, all are causes.
    pub(super) fn finish(self, attributes: &Attributes) -> Result<(), Refusal> {
        let Some(first) = self.failures.first() else { return Ok(()) };
        let mut refusal = attributes.new_forbidden("admission request denied by policy");
        refusal.status.message.clone_from(&first.message);
        first.reason.clone_into(&mut refusal.status.reason);
        let evidence =
            Evidence::named(MUTATING_ADMISSION_POLICIES, "", &first.rule.policy, "could not be applied");
        let rule = first.rule.clone();
        if let Some(details) = &mut refusal.status.details {
            let causes = self.failures.into_iter().map(|failure| failure.message);
            details.causes.extend(causes.map(|message| StatusCause { message, ..StatusCause::default() }));
        }
        Err(refusal.because(evidence).by(rule))
    }
}
