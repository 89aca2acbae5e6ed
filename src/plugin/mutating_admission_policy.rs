//! Changes objects by the expressions of `MutatingAdmissionPolicy` objects: the owner of a cluster adds labels,
//! containers or settings in the Common Expression Language, without a webhook. A policy does nothing until a
//! `MutatingAdmissionPolicyBinding` names it; the binding selects the requests and the parameters.
//!
//! # When it rejects
//!
//! - An expression fails, does not compile, costs too much or results in a patch that cannot be applied, and the policy
//!   has `failurePolicy: Fail`. Later mutations still run; the first error is the answer.
//! - The parameters that a binding needs do not exist, or their kind does not.
//! - A JSON patch results in something that is not an object of its kind (500, under every failure policy).
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
//! kind: MutatingAdmissionPolicyConfiguration
//! staticManifestsDir: /etc/kubernetes/policies
//! ```
//!
//! # Cluster objects it reads
//!
//! Policies, bindings, the parameters that they name, custom resource definitions, and Namespaces.
//!
//! # Offline
//!
//! The server applies policies, bindings and parameters in no particular order; kadmit applies them by name.
//! `authorizer` answers by `--authorization-mode`.
//!
//! # Since
//!
//! 1.32 (`v1alpha1`), with the feature gate `MutatingAdmissionPolicy`; on by default since 1.36.
//!
//! # Upstream
//!
//! `k8s.io/apiserver/pkg/admission/plugin/policy/mutating`

mod failure;
mod mutation;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::admission::{Attributes, Edit, Effect, Handler, Mismatch, MutationInterface, Recorder, Refusal};
use crate::cluster::Cluster;
use crate::cluster::authorizer::Authorizer;
use crate::plugin::{FactoryError, PluginConfiguration, PluginInitializer};
use crate::policy::configuration;
use crate::policy::{
    Binding, Bindings, Inputs, MatchResult, Matched, Matcher, Policies, Policy, RequestAuthorizer, Unmatched,
    VersionedAttributes, admission_request, is_access_review, namespace_object,
};
use kube_api::features::Feature;
use kube_api::resources::{
    CUSTOM_RESOURCE_DEFINITIONS, MUTATING_ADMISSION_POLICIES, MUTATING_ADMISSION_POLICY_BINDINGS,
};
use kube_api::server_profile::ServerProfile;
use kube_api::{GroupResource, GroupVersionKind, Object, Value, secret};

use failure::Failures;
use mutation::{Error, Evaluator, Target};

const NAME: &str = "MutatingAdmissionPolicy";

static READS: [GroupResource; 3] =
    [MUTATING_ADMISSION_POLICIES, MUTATING_ADMISSION_POLICY_BINDINGS, CUSTOM_RESOURCE_DEFINITIONS];

pub(super) fn new(
    initializer: &PluginInitializer,
    configuration: Option<&PluginConfiguration>,
) -> Result<Handler, FactoryError> {
    let kind = &configuration::MUTATING;
    Ok(Handler::mutating(MutatingAdmissionPolicy {
        cluster: initializer.cluster.clone(),
        authorizer: initializer.authorizer.clone(),
        profile: initializer.profile.clone(),
        matcher: initializer.matcher(),
        policies: initializer.policies(configuration, kind, NAME, &READS, Evaluator::new)?,
    }))
}

struct MutatingAdmissionPolicy {
    cluster: Arc<Cluster>,
    authorizer: Arc<Authorizer>,
    profile: Arc<ServerProfile>,
    matcher: Matcher,
    policies: Policies<Evaluator>,
}

/// A policy that matches, with a binding and a parameter.
struct Invocation<'a> {
    policy: &'a Policy<Evaluator>,
    binding: &'a Binding,
    param: Option<Arc<Object>>,
    matched: Matched,
}

impl MutationInterface for MutatingAdmissionPolicy {
    fn admit(&self, attributes: &mut Attributes, recorder: &mut Recorder) -> Result<(), Refusal> {
        if is_access_review(&attributes.resource) || !self.profile.enabled(Feature::MutatingAdmissionPolicy) {
            return Ok(());
        }
        let policies = self.policies.of(attributes);
        let mut failures = Failures::default();
        let (invocations, mut versions) = self.invocations(&policies, attributes, &mut failures, recorder);
        let result = match invocations.as_slice() {
            [] => Ok(()),
            invocations => self.mutate(invocations, &mut versions, attributes, &mut failures, recorder),
        };
        let result = result.and_then(|()| failures.finish(attributes));
        if result.is_err() || recorder.has_messages() {
            let params = invocations.into_iter().filter_map(|invocation| invocation.param);
            recorder.add_secrets(params.filter(|param| secret::is_kept_in(param)));
        }
        result
    }
}

/// The objects of the request in the versions that rules name.
type Versions = BTreeMap<GroupVersionKind, VersionedAttributes>;

impl MutatingAdmissionPolicy {
    /// Finds the policies to call, before anything is changed.
    fn invocations<'a>(
        &self,
        policies: &'a [Policy<Evaluator>],
        attributes: &Attributes,
        failures: &mut Failures,
        recorder: &mut Recorder,
    ) -> (Vec<Invocation<'a>>, Versions) {
        let (mut invocations, mut versions) = (Vec::new(), Versions::new());
        for policy in policies {
            let matched = match self.matcher.matches(&policy.constraints, attributes) {
                Ok(matched) => matched,
                Err(Unmatched::Not(mismatch)) => {
                    recorder.add_applied(&policy.hook, Effect::NotMatched(mismatch));
                    continue;
                }
                Err(Unmatched::Failed(error)) => {
                    recorder
                        .add_applied(&policy.hook, failures.misconfigured(policy, None, &error.to_string()));
                    continue;
                }
            };
            policy.coverage.iter().for_each(|coverage| coverage.matched.increase());
            if let Some(Err(error)) = &policy.param_kind {
                recorder.add_applied(&policy.hook, failures.misconfigured(policy, None, error));
                continue;
            }
            for binding in &policy.bindings {
                let own = binding.resources.as_ref().map(|own| self.matcher.matches(own, attributes));
                match own {
                    None | Some(Ok(_)) => {}
                    Some(Err(Unmatched::Not(_))) => {
                        recorder.add_applied(&policy.hook, Effect::NotMatched(Mismatch::Bindings));
                        continue;
                    }
                    Some(Err(Unmatched::Failed(error))) => {
                        let effect = failures.misconfigured(policy, Some(binding), &error.to_string());
                        recorder.add_applied(&policy.hook, effect);
                        continue;
                    }
                }
                binding.matched.iter().for_each(|matched| matched.increase());
                if !versions.contains_key(&matched.kind) {
                    match VersionedAttributes::new(attributes, &matched.kind, &self.cluster) {
                        Ok(versioned) => drop(versions.insert(matched.kind.clone(), versioned)),
                        Err(error) => {
                            let effect = failures.misconfigured(policy, None, &error.to_string());
                            recorder.add_applied(&policy.hook, effect);
                            continue;
                        }
                    }
                }
                match policy.params(binding, attributes, &self.cluster) {
                    Ok(params) if params.is_empty() => {
                        recorder.add_applied(&policy.hook, Effect::NotMatched(Mismatch::Parameters));
                    }
                    Ok(params) => invocations.extend(params.into_iter().map(|param| Invocation {
                        policy,
                        binding,
                        param,
                        matched: matched.clone(),
                    })),
                    Err(error) => {
                        let effect = failures.misconfigured(policy, Some(binding), &error);
                        recorder.add_applied(&policy.hook, effect);
                    }
                }
            }
        }
        (invocations, versions)
    }

    /// Calls the policies one after the other; each sees the changes of those before it.
    fn mutate(
        &self,
        invocations: &[Invocation<'_>],
        versions: &mut Versions,
        attributes: &mut Attributes,
        failures: &mut Failures,
        recorder: &mut Recorder,
    ) -> Result<(), Refusal> {
        let is_reinvoked = attributes.reinvocation;
        let object = attributes.object.clone();
        let context = attributes.reinvocation_context.of(NAME);
        if is_reinvoked && context.is_output_changed(object.as_ref()) {
            context.require_reinvoking_previously_invoked();
        }
        let namespace = namespace_object(attributes, &self.cluster)?;
        let mut last = None;
        for invocation in invocations {
            let versioned = versions.get_mut(&invocation.matched.kind).expect("converted when it matched");
            match self.skips(invocation, versioned, attributes) {
                MatchResult::Matches => {}
                MatchResult::Skips(condition) => {
                    let effect = Effect::NotMatched(Mismatch::Condition(condition));
                    recorder.add_applied(&invocation.policy.hook, effect);
                    continue;
                }
                MatchResult::Fails(message) | MatchResult::Ignored(message) => {
                    let effect = failures.failed(invocation.policy, invocation.binding, None, &message);
                    recorder.add_applied(&invocation.policy.hook, effect);
                    continue;
                }
            }
            let key = invocation.key();
            if is_reinvoked && !attributes.reinvocation_context.of(NAME).should_reinvoke(&key) {
                continue;
            }
            let before = versioned.object.clone();
            let mut is_dirty = false;
            let mut effect = Effect::Evaluated;
            for (index, mutation) in invocation.policy.evaluator.mutations.iter().enumerate() {
                let Some(object) = versioned.object.clone() else { continue };
                match self.apply(invocation, mutation, &object, versioned, attributes, namespace.as_ref()) {
                    Ok(changed) => {
                        if changed.value != object.value {
                            recorder.add_edit(Edit {
                                hook: invocation.policy.hook.clone(),
                                by: failure::mutation_of(&invocation.policy.name, index),
                                before: object,
                                after: changed.clone(),
                            });
                        }
                        versioned.object = Some(changed);
                        is_dirty = true;
                    }
                    Err(Error::Test(path)) => {
                        recorder.add_note(format!(
                            "spec.mutations[{index}] of {} changed nothing: the test of {path} in its patch failed",
                            invocation.policy.name
                        ));
                        is_dirty = true;
                    }
                    Err(Error::Status(status)) => {
                        recorder.add_applied(&invocation.policy.hook, Effect::Denied);
                        return Err(failure::refusal_by(*status, invocation, index));
                    }
                    Err(Error::Policy(message)) => {
                        let failed =
                            failures.failed(invocation.policy, invocation.binding, Some(index), &message);
                        effect = effect.max(failed);
                    }
                }
            }
            let is_changed = match (&before, &versioned.object) {
                (Some(before), Some(after)) => before.value != after.value,
                _ => false,
            };
            let changed = if is_changed { Effect::Changed } else { Effect::Evaluated };
            recorder.add_applied(&invocation.policy.hook, effect.max(changed));
            if is_dirty {
                last.clone_from(&versioned.object);
            }
            if is_changed {
                attributes.reinvocation_context.of(NAME).require_reinvoking_previously_invoked();
                attributes.reinvocation_context.set_should_reinvoke();
            }
            if invocation.policy.evaluator.is_reinvoked_if_needed {
                attributes.reinvocation_context.of(NAME).add_previously_invoked(key);
            }
        }
        if let Some(last) = last {
            attributes.reinvocation_context.of(NAME).require_reinvoking_previously_invoked();
            attributes.reinvocation_context.set_should_reinvoke();
            self.write_back(&last, attributes);
        }
        let object = attributes.object.clone();
        attributes.reinvocation_context.of(NAME).set_last_output(object.as_ref());
        Ok(())
    }

    /// Sets the object of the request to `object`, in the version of the request.
    fn write_back(&self, object: &Arc<Object>, attributes: &mut Attributes) {
        let is_changed = attributes.object.as_ref().is_some_and(|current| current.value != object.value);
        if !is_changed {
            return;
        }
        let kind = attributes.object.as_ref().map(|object| object.kind.clone()).unwrap_or_default();
        if object.kind == kind {
            attributes.object = Some(object.clone());
        } else if let Some(definition) = self.cluster.custom_resource_of_kind(&kind.group, &kind.kind) {
            attributes.object = Some(Arc::new(definition.in_version(object, &kind.version)));
        }
    }

    fn skips(
        &self,
        invocation: &Invocation<'_>,
        versioned: &VersionedAttributes,
        attributes: &Attributes,
    ) -> MatchResult {
        let conditions = &invocation.policy.match_conditions;
        if conditions.is_empty() {
            return MatchResult::Matches;
        }
        let matched =
            Matched { resource: attributes.resource.clone(), kind: invocation.matched.kind.clone() };
        let request = admission_request(attributes, &matched);
        let object = versioned.object.as_deref().map(|object| &object.value);
        self.with_inputs(invocation, versioned, attributes, (object, &request), None, |inputs| {
            conditions.evaluate(&Bindings::new(inputs, &invocation.policy.variables))
        })
    }

    fn apply(
        &self,
        invocation: &Invocation<'_>,
        mutation: &mutation::Mutation,
        object: &Object,
        versioned: &VersionedAttributes,
        attributes: &Attributes,
        namespace: Option<&Value>,
    ) -> Result<Arc<Object>, Error> {
        let request = admission_request(attributes, &invocation.matched);
        let target =
            Target { object, request_kind: &attributes.kind, cluster: &self.cluster, profile: &self.profile };
        let about = (Some(&object.value), &request);
        self.with_inputs(invocation, versioned, attributes, about, namespace, |inputs| {
            mutation.apply(&target, &Bindings::new(inputs, &invocation.policy.variables))
        })
        .map(Arc::new)
    }

    fn with_inputs<T>(
        &self,
        invocation: &Invocation<'_>,
        versioned: &VersionedAttributes,
        attributes: &Attributes,
        (object, request): (Option<&Value>, &Value),
        namespace: Option<&Value>,
        evaluate: impl FnOnce(Inputs<'_>) -> T,
    ) -> T {
        let authorizer = RequestAuthorizer::new(&self.authorizer, attributes);
        evaluate(Inputs {
            object,
            old_object: versioned.old_object.as_deref().map(|object| &object.value),
            request,
            params: invocation.param.as_deref().map(|param| &param.value),
            namespace_object: namespace,
            authorizer: Some(&authorizer),
            others: &[],
        })
    }
}

impl Invocation<'_> {
    /// Returns the key that distinguishes it from the others of the request.
    fn key(&self) -> String {
        let param = self
            .param
            .as_deref()
            .map_or((String::new(), ""), |param| (param.namespace().to_owned(), param.name()));
        format!("{}\n{}\n{}\n{}", self.policy.name, self.binding.name, param.0, param.1)
    }
}
