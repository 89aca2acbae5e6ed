//! Failures of policies for a request.

use crate::admission::{Attributes, Effect, Evidence, PolicyRule, Refusal};
use crate::plugin::mutating_admission_policy::Invocation;
use crate::plugin::mutating_admission_policy::mutation::Evaluator;
use crate::policy::{Binding, FailurePolicy, Policy};
use kube_api::field::Path;
use kube_api::resources::MUTATING_ADMISSION_POLICIES;
use kube_api::{Status, StatusCause};

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
    /// The mutation that failed.
    mutation: Option<usize>,
}

impl Failures {
    /// Records that a policy or binding cannot be applied.
    pub(super) fn misconfigured(
        &mut self,
        policy: &Policy<Evaluator>,
        binding: Option<&Binding>,
        error: &str,
    ) -> Effect {
        let what = if binding.is_some() { "binding" } else { "policy" };
        self.add(policy, binding, None, (&format!("failed to configure {what}: {error}"), "Forbidden"))
    }

    /// Records that a condition or the mutation at a position failed.
    pub(super) fn failed(
        &mut self,
        policy: &Policy<Evaluator>,
        binding: &Binding,
        mutation: Option<usize>,
        error: &str,
    ) -> Effect {
        self.add(policy, Some(binding), mutation, (error, "Invalid"))
    }

    fn add(
        &mut self,
        policy: &Policy<Evaluator>,
        binding: Option<&Binding>,
        mutation: Option<usize>,
        (error, reason): (&str, &'static str),
    ) -> Effect {
        if policy.failure_policy == FailurePolicy::Ignore {
            return Effect::FailedOpen(error.to_owned());
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
        self.failures.push(Failure { message, reason, rule, mutation });
        Effect::Denied
    }

    /// Returns the answer: the first failure decides, all are causes.
    pub(super) fn finish(self, attributes: &Attributes) -> Result<(), Refusal> {
        let Some(first) = self.failures.first() else { return Ok(()) };
        let mut refusal = attributes.new_forbidden("admission request denied by policy");
        refusal.status.message.clone_from(&first.message);
        first.reason.clone_into(&mut refusal.status.reason);
        let evidence = evidence(&first.rule.policy, first.mutation);
        let rule = first.rule.clone();
        if let Some(details) = &mut refusal.status.details {
            let causes = self.failures.into_iter().map(|failure| failure.message);
            details.causes.extend(causes.map(|message| StatusCause { message, ..StatusCause::default() }));
        }
        Err(refusal.because(evidence).by(rule))
    }
}

/// Returns the refusal of an object that the mutation at `index` leaves behind, which names the mutation.
pub(super) fn refusal_by(status: Status, invocation: &Invocation<'_>, index: usize) -> Refusal {
    let (policy, binding) = (invocation.policy.name.clone(), invocation.binding.name.clone());
    let evidence = evidence(&policy, Some(index));
    Refusal::from(status).because(evidence).by(PolicyRule { policy, binding, ..PolicyRule::default() })
}

fn evidence(policy: &str, mutation: Option<usize>) -> Evidence {
    let path = mutation.map(|index| Path::new("spec").child("mutations").index(index));
    let says = match mutation {
        Some(index) => format!("could not apply spec.mutations[{index}]"),
        None => "could not be applied".to_owned(),
    };
    Evidence::named(MUTATING_ADMISSION_POLICIES, "", policy, says).at(path)
}

/// Returns the mutation at `index` of `policy`, as what changed the object.
pub(super) fn mutation_of(policy: &str, index: usize) -> Evidence {
    let path = Path::new("spec").child("mutations").index(index);
    Evidence::named(MUTATING_ADMISSION_POLICIES, "", policy, "changed it").at(path)
}
