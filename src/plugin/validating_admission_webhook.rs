//! Asks the validating webhooks of the cluster whether to admit a request. All matching webhooks are called,
//! independent of the others' answers; one that refuses ends the request. It enforces rules that only a program of the
//! cluster's owner can check.
//!
//! # When it rejects
//!
//! When a webhook denies the request, with its own code, reason and message. When a webhook cannot be called or its
//! answer is invalid, and its `failurePolicy` is `Fail`. When a match condition fails.
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
//! `ValidatingWebhookConfiguration`; namespaces, by their labels.
//!
//! # Offline
//!
//! No webhook is called unless `--webhooks` allows it: a note names the webhook that would be called.
//!
//! # Since
//!
//! Before 1.10, on by default. Match conditions since 1.27.
//!
//! # Upstream
//!
//! `k8s.io/apiserver/pkg/admission/plugin/webhook/validating`

use std::sync::Arc;

use crate::admission::{Attributes, Effect, Handler, Recorder, Refusal, ValidationInterface};
use crate::cluster::Cluster;
use crate::cluster::authorizer::Authorizer;
use crate::plugin::{FactoryError, PluginConfiguration, PluginInitializer};
use crate::policy::{FailurePolicy, Matcher, with_system_fields};
use crate::webhook::{self, CallError, Review, Users, WebhookSource, Webhooks};
use kube_api::resources::VALIDATING_WEBHOOK_CONFIGURATIONS;
use kube_api::server_profile::ServerProfile;

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
        "ValidatingWebhookConfiguration",
        const { &VALIDATING_WEBHOOK_CONFIGURATIONS },
        &initializer.profile,
    );
    Ok(Handler::validating(ValidatingAdmissionWebhook {
        cluster: initializer.cluster.clone(),
        profile: initializer.profile.clone(),
        authorizer: initializer.authorizer.clone(),
        matcher: initializer.matcher(),
        webhooks: initializer.webhooks.clone(),
        users: settings.users,
        hooks: hooks.map_err(FactoryError::Initialization)?,
    }))
}

struct ValidatingAdmissionWebhook {
    cluster: Arc<Cluster>,
    profile: Arc<ServerProfile>,
    authorizer: Arc<Authorizer>,
    matcher: Matcher,
    webhooks: Webhooks,
    users: Users,
    hooks: WebhookSource,
}

impl ValidationInterface for ValidatingAdmissionWebhook {
    fn validate(&self, attributes: &Attributes, recorder: &mut Recorder) -> Result<(), Refusal> {
        if webhook::is_exempt(attributes, &self.profile) {
            return Ok(());
        }
        let result = self.call_all(attributes, recorder);
        let result = webhook::in_time(attributes, result);
        webhook::note_secrets(&self.cluster, &attributes.namespace, &result, recorder);
        result
    }
}

impl ValidatingAdmissionWebhook {
    fn call_all(&self, attributes: &Attributes, recorder: &mut Recorder) -> Result<(), Refusal> {
        let hooks = self.hooks.of(attributes, &self.cluster);
        if hooks.is_empty() {
            return Ok(());
        }
        let attributes = &Attributes { object: with_system_fields(attributes), ..attributes.clone() };
        let mut selected = Vec::new();
        for hook in hooks.iter() {
            match hook.select(attributes, None, &self.matcher, &self.cluster, &self.authorizer)? {
                Ok(found) => selected.push((hook, found)),
                Err(mismatch) => recorder.add_applied(&hook.hook, Effect::NotMatched(mismatch)),
            }
        }
        let client = match &self.webhooks {
            Webhooks::Ask(client) => client,
            Webhooks::Skip => {
                for (hook, selected) in &selected {
                    if let Ok(review) = Review::new(hook, attributes, selected, &self.users) {
                        review.record(recorder);
                    }
                    recorder.add_note(hook.skipped());
                    recorder.add_applied(&hook.hook, Effect::Skipped);
                }
                return Ok(());
            }
        };
        let reviews: Vec<Result<Review<'_>, CallError>> = selected
            .iter()
            .map(|(hook, selected)| Review::new(hook, attributes, selected, &self.users))
            .collect();
        let sent: Vec<&Review<'_>> = reviews.iter().filter_map(|review| review.as_ref().ok()).collect();
        for review in &sent {
            review.record(recorder);
        }
        let mut replies = webhook::send_all(&sent, &**client).into_iter();
        // The server answers with the refusal that arrives first; of those in the same second it is here always that of
        // the first webhook.
        let mut first_refusal: Option<(u64, Refusal)> = None;
        for (index, ((hook, _), review)) in selected.iter().zip(reviews).enumerate() {
            let mut seconds = 0;
            let answer = review.and_then(|review| {
                let reply;
                (reply, seconds) = replies.next().expect("every review that was sent has a reply");
                review.take(reply, false, recorder)
            });
            let (refusal, effect) = match answer {
                Ok(_) => (None, Effect::Evaluated),
                Err(CallError::Refused(refusal)) => {
                    (Some(refusal.because(hook.evidence("denied it"))), Effect::Denied)
                }
                Err(CallError::Calling(reason)) if hook.failure_policy == FailurePolicy::Ignore => {
                    let key =
                        format!("failed-open.validating.webhook.admission.k8s.io/round_0_index_{index}");
                    recorder.add_audit_annotation(key, hook.name.as_str());
                    (None, Effect::FailedOpen(reason))
                }
                Err(CallError::Calling(reason)) => (Some(hook.failed(&reason)), Effect::Denied),
            };
            recorder.add_applied(&hook.hook, effect);
            if let Some(refusal) = refusal
                && first_refusal.as_ref().is_none_or(|(first, _)| seconds < *first)
            {
                first_refusal = Some((seconds, refusal));
            }
        }
        first_refusal.map_or(Ok(()), |(_, refusal)| Err(refusal))
    }
}
