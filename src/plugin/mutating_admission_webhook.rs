//! Calls the mutating webhooks of the cluster, one after the other: each sees the changes of the earlier ones. If the
//! object changes after a webhook was called, the webhook can be called again (`reinvocationPolicy: IfNeeded`).
//! Webhooks fill in what programs of the cluster's owner know: sidecars, labels, images.
//!
//! # When it rejects
//!
//! When a webhook denies the request, with its own code, reason and message. When a webhook cannot be called or its
//! answer is invalid, and its `failurePolicy` is `Fail`. When a patch cannot be applied, or results in an object that
//! its kind does not allow. When a match condition fails.
//!
//! # Configuration
//!
//! The server's credentials for webhooks:
//!
//! ```yaml
//! apiVersion: apiserver.config.k8s.io/v1
//! kind: WebhookAdmissionConfiguration
//! kubeConfigFile: /etc/kubernetes/webhook.kubeconfig
//! ```
//!
//! `staticManifestsDir` names a directory of configurations that cannot be changed through the API, and that also see
//! requests about the configuration of admission; it needs the feature gate `ManifestBasedAdmissionControlConfig`.
//!
//! # Cluster objects it reads
//!
//! `MutatingWebhookConfiguration`; namespaces, by their labels.
//!
//! # Offline
//!
//! No webhook is called unless `--webhooks` allows it: a note names the webhook that would be called.
//!
//! # Since
//!
//! Before 1.10, on by default. Reinvocation since 1.15, match conditions since 1.27.
//!
//! # Upstream
//!
//! `k8s.io/apiserver/pkg/admission/plugin/webhook/mutating`

use std::sync::Arc;

use crate::admission::{Attributes, Edit, Effect, Handler, MutationInterface, Operation, Recorder, Refusal};
use crate::cluster::Cluster;
use crate::cluster::authorizer::Authorizer;
use crate::plugin::{FactoryError, PluginConfiguration, PluginInitializer};
use crate::policy::{FailurePolicy, Matcher, convert, read_patched};
use crate::webhook::{
    self, Answer, CallError, Client, Review, Selected, SentPatch, Stranded, Users, Webhook, WebhookSource,
    Webhooks,
};
use kube_api::decode::{DecodeError, FieldValidation};
use kube_api::resources::MUTATING_WEBHOOK_CONFIGURATIONS;
use kube_api::server_profile::ServerProfile;
use kube_api::version::Version;
use kube_api::{Object, Status, Value};
use kube_registry::merge::managed_fields;

const NAME: &str = "MutatingAdmissionWebhook";
/// The first release whose encoder leaves out the time of creation of an object that is not created yet.
const OMITS_UNSET_TIMES: Version = Version::minor(34);

pub(super) fn new(
    initializer: &PluginInitializer,
    configuration: Option<&PluginConfiguration>,
) -> Result<Handler, FactoryError> {
    let settings = webhook::read_configuration(
        configuration.map(|given| given.text.as_str()),
        &initializer.profile,
        &initializer.files,
    )?;
    let hooks = settings.source(
        "MutatingWebhookConfiguration",
        const { &MUTATING_WEBHOOK_CONFIGURATIONS },
        &initializer.profile,
    );
    Ok(Handler::mutating(MutatingAdmissionWebhook {
        cluster: initializer.cluster.clone(),
        profile: initializer.profile.clone(),
        authorizer: initializer.authorizer.clone(),
        matcher: initializer.matcher(),
        webhooks: initializer.webhooks.clone(),
        users: settings.users,
        hooks: hooks.map_err(FactoryError::Initialization)?,
    }))
}

struct MutatingAdmissionWebhook {
    cluster: Arc<Cluster>,
    profile: Arc<ServerProfile>,
    authorizer: Arc<Authorizer>,
    matcher: Matcher,
    webhooks: Webhooks,
    users: Users,
    hooks: WebhookSource,
}

/// One pass over the webhooks for one request.
struct Round {
    number: u8,
    has_patched: bool,
    /// The object that a patch turned into another kind.
    stranded: Option<Stranded>,
}

impl MutationInterface for MutatingAdmissionWebhook {
    fn admit(&self, attributes: &mut Attributes, recorder: &mut Recorder) -> Result<(), Refusal> {
        if webhook::is_exempt(attributes, &self.profile) {
            return Ok(());
        }
        let object = attributes.object.clone();
        let invocations = attributes.reinvocation_context.of(NAME);
        if attributes.reinvocation && invocations.is_output_changed(object.as_ref()) {
            invocations.require_reinvoking_previously_invoked();
        }
        let result = self.call_all(attributes, recorder);
        let result = webhook::in_time(attributes, result);
        webhook::note_secrets(&self.cluster, &attributes.namespace, &result, recorder);
        let object = attributes.object.clone();
        attributes.reinvocation_context.of(NAME).set_last_output(object.as_ref());
        result
    }
}

impl MutatingAdmissionWebhook {
    fn call_all(&self, attributes: &mut Attributes, recorder: &mut Recorder) -> Result<(), Refusal> {
        let hooks = self.hooks.of(attributes, &self.cluster);
        let mut round =
            Round { number: u8::from(attributes.reinvocation), has_patched: false, stranded: None };
        for (index, hook) in hooks.iter().enumerate() {
            let stranded = round.stranded.as_ref();
            let found = hook.select(attributes, stranded, &self.matcher, &self.cluster, &self.authorizer)?;
            let mut selected = match found {
                Ok(selected) => selected,
                Err(mismatch) => {
                    recorder.add_applied(&hook.hook, Effect::NotMatched(mismatch));
                    continue;
                }
            };
            self.write_unset_time(attributes.operation, &mut selected);
            let key = format!("{}/{index}", hook.configuration);
            let is_again = attributes.reinvocation;
            if is_again && !attributes.reinvocation_context.of(NAME).should_reinvoke(&key) {
                continue;
            }
            stranded.map_or(Ok(()), |stranded| stranded.stays(&selected.versioned.kind))?;
            match &self.webhooks {
                Webhooks::Skip => {
                    if let Ok(review) = Review::new(hook, attributes, &selected, &self.users) {
                        review.record(recorder);
                    }
                    recorder.add_note(hook.skipped());
                    recorder.add_applied(&hook.hook, Effect::Skipped);
                }
                Webhooks::Ask(client) => {
                    self.call(&**client, (index, hook, &key), &selected, attributes, &mut round, recorder)?;
                }
            }
        }
        round.stranded.map_or(Ok(()), |stranded| Err(Status::from_error(stranded.reason).into()))
    }

    /// Writes the time of creation of an object that is not created yet as encoders before 1.34 do: they have no
    /// `omitzero`.
    fn write_unset_time(&self, operation: Operation, selected: &mut Selected) {
        if self.profile.release() >= OMITS_UNSET_TIMES || operation != Operation::Create {
            return;
        }
        let Some(object) = &mut selected.versioned.object else { return };
        if kube_registry::of(&object.kind).is_some()
            && object.at("metadata").is_some()
            && object.at(["metadata", "creationTimestamp"]).is_none()
        {
            Arc::make_mut(object).set(["metadata", "creationTimestamp"], Value::Null);
        }
    }

    fn call(
        &self,
        client: &dyn Client,
        (index, hook, key): (usize, &Webhook, &str),
        selected: &Selected,
        attributes: &mut Attributes,
        round: &mut Round,
        recorder: &mut Recorder,
    ) -> Result<(), Refusal> {
        let before = attributes.object.clone();
        let review = Review::new(hook, attributes, selected, &self.users);
        let answer = review.and_then(|review| {
            review.record(recorder);
            review.take(review.send(client), true, recorder)
        });
        let changed = answer.and_then(|answer| self.change(hook, answer, selected, attributes, round));
        let is_changed = matches!(changed, Ok(true));
        if let (Some(before), Some(after)) = (before, &attributes.object)
            && before.value != after.value
        {
            let by = hook.evidence("changed it");
            recorder.add_edit(Edit { hook: hook.hook.clone(), by, before, after: after.clone() });
        }
        let place = format!("webhook.admission.k8s.io/round_{}_index_{index}", round.number);
        let (configuration, name) =
            (Value::from(hook.configuration.as_str()), Value::from(hook.name.as_str()));
        recorder.add_audit_annotation(
            format!("mutation.{place}"),
            format!(r#"{{"configuration":{configuration},"webhook":{name},"mutated":{is_changed}}}"#),
        );
        if is_changed {
            attributes.reinvocation_context.of(NAME).require_reinvoking_previously_invoked();
            attributes.reinvocation_context.set_should_reinvoke();
        }
        if hook.is_reinvoked {
            attributes.reinvocation_context.of(NAME).add_previously_invoked(key);
        }
        let (effect, result) = match changed {
            Ok(true) => (Effect::Changed, Ok(())),
            Ok(false) => (Effect::Evaluated, Ok(())),
            Err(CallError::Refused(refusal)) => {
                (Effect::Denied, Err(refusal.because(hook.evidence("denied it"))))
            }
            Err(CallError::Calling(reason)) if hook.failure_policy == FailurePolicy::Ignore => {
                recorder.add_audit_annotation(format!("failed-open.mutation.{place}"), hook.name.as_str());
                (Effect::FailedOpen(reason), Ok(()))
            }
            Err(CallError::Calling(reason)) => (Effect::Denied, Err(hook.failed(&reason))),
        };
        recorder.add_applied(&hook.hook, effect);
        result
    }

    /// Applies the patch of an answer, and returns whether that changes the object.
    fn change(
        &self,
        hook: &Webhook,
        answer: Answer,
        selected: &Selected,
        attributes: &mut Attributes,
        round: &mut Round,
    ) -> Result<bool, CallError> {
        let Some((patch, patch_type)) = answer.patch else { return Ok(false) };
        let undecodable = |error: String| {
            CallError::Calling(format!("received undecodable patch in webhook response: {error}"))
        };
        let sent = SentPatch::read(&patch).map_err(undecodable)?;
        let patch = sent.patch();
        if patch.operations().is_empty() {
            return Ok(false);
        }
        let refused = |error: String| CallError::Refused(webhook::internal_error(&error));
        let (Some(object), true) = (&selected.versioned.object, attributes.operation != Operation::Delete)
        else {
            return Err(refused(format!(
                "admission webhook {} attempted to modify the object, which is not supported for this operation",
                gotext::quote(&hook.name)
            )));
        };
        if patch_type != "JSONPatch" {
            let quoted = gotext::quote(&patch_type);
            return Err(CallError::Calling(format!("unsupported patch type {quoted}")));
        }
        let patched = patch.apply(object.value.clone()).map_err(|error| refused(error.to_string()))?;
        let patched = match self.read(patched.clone(), object) {
            Ok(patched) => patched,
            Err(error) if error.is_of_other_kind => {
                let object = Arc::new(Object::new(object.kind.clone(), patched));
                let kind = selected.versioned.kind.clone();
                round.stranded = Some(Stranded { kind, object, reason: error.cause });
                return Ok(true);
            }
            Err(error) => return Err(refused(sent.quote_in(&error))),
        };
        round.stranded = None;
        // Reading cuts the times of managed fields to whole seconds, which the server has not done yet with those of this
        // request. A new object has none if nothing is set in it, and a custom resource has them as text.
        let is_first = !round.has_patched && round.number == 0;
        round.has_patched = true;
        let is_cut = || {
            let is_custom =
                self.cluster.custom_resource_of_kind(&object.kind.group, &object.kind.kind).is_some();
            let is_new = attributes.operation == Operation::Create;
            !is_custom && (!is_new || managed_fields::of_received(object, None).is_some())
        };
        let is_changed = (is_first && is_cut()) || patched.value != object.value;
        let kind = attributes.kind.clone();
        let own = convert(&Arc::new(patched), &kind, &self.cluster)
            .map_err(|error| CallError::Refused(Status::from_error(error.to_string()).into()))?;
        attributes.object = Some(own);
        Ok(is_changed)
    }

    /// Reads the result of a patch of `object`, which must be of its kind.
    fn read(&self, value: Value, object: &Object) -> Result<Object, DecodeError> {
        read_patched(value, &object.kind, FieldValidation::Ignore, &self.cluster, &self.profile)
    }
}
