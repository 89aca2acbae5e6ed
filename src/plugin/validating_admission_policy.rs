//! Evaluates the expressions of `ValidatingAdmissionPolicy` objects: rules of a cluster's owner, in the Common
//! Expression Language, without a webhook. A policy does nothing until a `ValidatingAdmissionPolicyBinding` names it;
//! the binding selects the requests, the parameters, and whether a violation denies, warns or is audited. Nothing is
//! changed.
//!
//! # When it rejects
//!
//! - A validation of a policy is false, and the binding has the action `Deny`.
//! - An expression fails, does not compile or costs too much, and the policy has `failurePolicy: Fail`.
//! - The parameters that a binding needs do not exist, or their kind does not.
//! - An audit annotation fails with `failurePolicy: Fail`, with any actions of the binding.
//! - The namespace of the request does not exist, although a policy matches (404).
//!
//! Access reviews are never matched; policies and their bindings only by static policies.
//!
//! # Configuration
//!
//! `staticManifestsDir` names a directory of policies and bindings that cannot be changed through the API; it needs
//! the feature gate `ManifestBasedAdmissionControlConfig`.
//!
//! ```yaml
//! apiVersion: apiserver.config.k8s.io/v1
//! kind: ValidatingAdmissionPolicyConfiguration
//! staticManifestsDir: /etc/kubernetes/policies
//! ```
//!
//! # Cluster objects it reads
//!
//! Policies, bindings, the parameters that they name, custom resource definitions, and Namespaces.
//!
//! # Offline
//!
//! The server evaluates policies, bindings and parameters in no particular order, and the first denial is the answer;
//! kadmit evaluates them by name. `authorizer` answers by `--authorization-mode`.
//!
//! # Since
//!
//! 1.26 (`v1alpha1`), with the feature gate `ValidatingAdmissionPolicy`; on by default since 1.30.
//!
//! # Upstream
//!
//! `k8s.io/apiserver/pkg/admission/plugin/policy/validating`

mod evaluator;
mod outcome;

use std::cell::OnceCell;
use std::sync::Arc;

use crate::admission::{
    Attributes, Effect, Handler, Mismatch, Operation, Recorder, Refusal, ValidationInterface,
};
use crate::cluster::Cluster;
use crate::cluster::authorizer::Authorizer;
use crate::plugin::{FactoryError, PluginConfiguration, PluginInitializer};
use crate::policy::configuration;
use crate::policy::{
    Binding, ConversionError, FailurePolicy, Matched, Matcher, Params, Policies, Policy, Unmatched,
    VersionedAttributes, admission_request, is_access_review, namespace_object, with_system_fields,
};
use kube_api::resources::{
    CUSTOM_RESOURCE_DEFINITIONS, VALIDATING_ADMISSION_POLICIES, VALIDATING_ADMISSION_POLICY_BINDINGS,
};
use kube_api::version::Version;
use kube_api::{GroupResource, GroupVersionKind, Value};

use evaluator::{Evaluator, Request};
use outcome::Outcome;

const NAME: &str = "ValidatingAdmissionPolicy";

static READS: [GroupResource; 3] =
    [VALIDATING_ADMISSION_POLICIES, VALIDATING_ADMISSION_POLICY_BINDINGS, CUSTOM_RESOURCE_DEFINITIONS];

pub(super) fn new(
    initializer: &PluginInitializer,
    configuration: Option<&PluginConfiguration>,
) -> Result<Handler, FactoryError> {
    let kind = &configuration::VALIDATING;
    Ok(Handler::validating(ValidatingAdmissionPolicy {
        cluster: initializer.cluster.clone(),
        authorizer: initializer.authorizer.clone(),
        matcher: initializer.matcher(),
        policies: initializer.policies(configuration, kind, NAME, &READS, Evaluator::new)?,
        release: initializer.profile.release(),
    }))
}

struct ValidatingAdmissionPolicy {
    cluster: Arc<Cluster>,
    authorizer: Arc<Authorizer>,
    matcher: Matcher,
    policies: Policies<Evaluator>,
    release: Version,
}

/// The values shared by all policies that match a request as it is, computed at their first use.
#[derive(Default)]
struct Shared {
    request: OnceCell<Value>,
    namespace: OnceCell<Option<Value>>,
}

impl ValidationInterface for ValidatingAdmissionPolicy {
    fn validate(&self, attributes: &Attributes, recorder: &mut Recorder) -> Result<(), Refusal> {
        if is_access_review(&attributes.resource) {
            return Ok(());
        }
        let policies = self.policies.of(attributes);
        let mut outcome = Outcome::of_release(self.release);
        let shared = Shared::default();
        for policy in policies.iter() {
            let effect = self.validate_by(policy, attributes, &shared, &mut outcome)?;
            recorder.add_applied(&policy.hook, effect);
            outcome.publish_annotations(policy);
        }
        outcome.finish(attributes, recorder)
    }
}

impl ValidatingAdmissionPolicy {
    /// Evaluates `policy`, and returns the most that it did.
    fn validate_by(
        &self,
        policy: &Policy<Evaluator>,
        attributes: &Attributes,
        shared: &Shared,
        outcome: &mut Outcome,
    ) -> Result<Effect, Refusal> {
        let matched = match self.matcher.matches(&policy.constraints, attributes) {
            Ok(matched) => matched,
            Err(Unmatched::Not(mismatch)) => return Ok(Effect::NotMatched(mismatch)),
            Err(Unmatched::Failed(error)) => {
                return Ok(outcome.misconfigured(policy, None, &error.to_string()));
            }
        };
        policy.coverage.iter().for_each(|coverage| coverage.matched.increase());
        if let Some(Err(error)) = &policy.param_kind {
            return Ok(outcome.misconfigured(policy, None, error));
        }
        let mut versioned = None;
        let mut effect = Effect::NotMatched(Mismatch::Bindings);
        for binding in &policy.bindings {
            let params = match self.params(policy, binding, attributes, outcome) {
                Ok(params) => params,
                Err(other) => {
                    effect = effect.max(other);
                    continue;
                }
            };
            if params.is_empty() {
                effect = effect.max(Effect::NotMatched(Mismatch::Parameters));
            }
            if versioned.is_none() && !params.is_empty() {
                match self.versioned(policy, attributes, &matched.kind) {
                    Ok(attributes) => versioned = Some(attributes),
                    Err(error) => {
                        let error = format!("failed to convert object version: {error}");
                        effect = effect.max(outcome.misconfigured(policy, Some(binding), &error));
                        continue;
                    }
                }
            }
            let namespace = if let Some(known) = shared.namespace.get() {
                known
            } else {
                let found = namespace_object(attributes, &self.cluster)?;
                shared.namespace.get_or_init(|| found)
            };
            let Some(versioned) = &versioned else { continue };
            let is_exact = matched.kind == attributes.kind && matched.resource == attributes.resource;
            let exact =
                shared.request.get_or_init(|| admission_request(attributes, &Matched::exactly(attributes)));
            // Conditions do not see the resource that was matched.
            let converted = (!is_exact).then(|| {
                let (resource, kind) = (attributes.resource.clone(), matched.kind.clone());
                let to_conditions = admission_request(attributes, &Matched { resource, kind });
                (admission_request(attributes, &matched), to_conditions)
            });
            let (described, described_to_conditions) =
                converted.as_ref().map_or((exact, exact), |(described, other)| (described, other));
            let request = Request {
                attributes,
                versioned,
                described,
                described_to_conditions,
                namespace: namespace.as_ref(),
                authorizer: &self.authorizer,
            };
            for param in &params {
                let result = request.evaluate(policy, param.as_deref());
                effect = effect.max(outcome.take(policy, binding, param.as_ref(), result));
            }
        }
        Ok(effect)
    }

    /// Returns the objects of the request as `policy` sees them.
    fn versioned(
        &self,
        policy: &Policy<Evaluator>,
        attributes: &Attributes,
        kind: &GroupVersionKind,
    ) -> Result<VersionedAttributes, ConversionError> {
        if attributes.operation == Operation::Create && policy.evaluator.reads_system_fields {
            let object = with_system_fields(attributes);
            let attributes = Attributes { object, ..attributes.clone() };
            return VersionedAttributes::new(&attributes, kind, &self.cluster);
        }
        VersionedAttributes::new(attributes, kind, &self.cluster)
    }

    /// Returns the parameters that a policy is evaluated with.
    ///
    /// # Errors
    ///
    /// Fails with what became of the request if the binding is not for it, or cannot be applied.
    fn params(
        &self,
        policy: &Policy<Evaluator>,
        binding: &Binding,
        attributes: &Attributes,
        outcome: &mut Outcome,
    ) -> Result<Params, Effect> {
        if let Some(resources) = &binding.resources {
            match self.matcher.matches(resources, attributes) {
                Ok(_) => {}
                Err(Unmatched::Not(_)) => return Err(Effect::NotMatched(Mismatch::Bindings)),
                Err(Unmatched::Failed(error)) => {
                    return Err(outcome.misconfigured(policy, Some(binding), &error.to_string()));
                }
            }
        }
        binding.matched.iter().for_each(|matched| matched.increase());
        policy
            .params(binding, attributes, &self.cluster)
            .map_err(|error| outcome.misconfigured(policy, Some(binding), &error))
    }
}

/// Whether a failing policy denies the request.
fn denies(failure_policy: FailurePolicy) -> bool {
    failure_policy == FailurePolicy::Fail
}
