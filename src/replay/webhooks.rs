//! The answers of webhooks that a log records. They are played back to the chain, and nothing is called.
//!
//! Source: `k8s.io/apiserver/pkg/admission/plugin/webhook/{mutating,validating}/dispatcher.go`

use std::sync::{Mutex, PoisonError};

use crate::webhook::{Client, Exchange, Reply};
use gotext::encoding_json;
use gotext::value::json;
use kube_api::Value;

const MUTATION: &str = "mutation.webhook.admission.k8s.io/";
const PATCH: &str = "patch.webhook.admission.k8s.io/";
const FAILED_OPEN: &str = "failed-open.";
const VALIDATION: &str = "validating.webhook.admission.k8s.io/";

/// The answers of webhooks to one request.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Answers {
    /// The answers of those that may change the object, in the order of their calls.
    mutations: Vec<Mutation>,
    /// The validating webhooks that failed, and let the request pass.
    failed_open: Vec<String>,
    /// Why the request was refused, if a webhook did so.
    refusal: Option<Refusal>,
}

#[derive(Clone, Debug, PartialEq)]
struct Mutation {
    webhook: String,
    /// Whether it changed the object.
    is_change: bool,
    patch: Option<Value>,
    failed_open: bool,
}

#[derive(Clone, Debug, PartialEq)]
enum Refusal {
    /// The webhook denies the request with this status.
    Denied { webhook: String, status: Value },
    /// The webhook could not be called, for this reason.
    Uncalled { webhook: String, reason: String },
    /// The backend of `ImagePolicyWebhook` denies the images for this reason.
    Images { reason: String },
}

impl Answers {
    /// Returns the answers that an event with these `annotations` and this answer records.
    pub(super) fn of(annotations: Option<&Value>, status: Option<&Value>) -> Self {
        let refusal = status.and_then(Refusal::of);
        let Some(annotations) = annotations.and_then(Value::as_object) else {
            return Self { refusal, ..Self::default() };
        };
        let text = |key: &str| annotations.get(key).and_then(Value::as_str).unwrap_or_default();
        let document = |key: &str| encoding_json::from_slice(text(key).as_bytes()).unwrap_or_default();
        let mut mutations: Vec<((u32, u32), Mutation)> = Vec::new();
        let mut failed_open = Vec::new();
        for key in annotations.keys() {
            let key = key.as_str();
            if let Some(place) = key.strip_prefix(MUTATION) {
                let call = document(key);
                let patch = document(&format!("{PATCH}{place}")).at("patch").cloned();
                let mutation = Mutation {
                    webhook: call.text("webhook").to_owned(),
                    is_change: call.flag("mutated"),
                    patch,
                    failed_open: annotations.contains_key(&format!("{FAILED_OPEN}{key}")),
                };
                mutations.push((order(place), mutation));
            } else if key.strip_prefix(FAILED_OPEN).is_some_and(|rest| rest.starts_with(VALIDATION)) {
                failed_open.push(text(key).to_owned());
            }
        }
        mutations.sort_by_key(|(order, _)| *order);
        let mutations = mutations.into_iter().map(|(_, mutation)| mutation).collect();
        Self { mutations, failed_open, refusal }
    }

    /// Returns a webhook that changed the object in a way that was not recorded.
    pub(super) fn unrecorded(&self) -> Option<&str> {
        let unrecorded = |call: &&Mutation| call.is_change && call.patch.is_none();
        self.mutations.iter().find(unrecorded).map(|call| call.webhook.as_str())
    }

    /// Takes the answer of the webhook that `exchange` is sent to.
    fn take(&mut self, exchange: &Exchange<'_>) -> Result<Reply, String> {
        let own = exchange.webhook;
        let replied = |response| Ok(Reply::with(response, exchange));
        if exchange.body.text("kind") == "ImageReview" {
            return match &self.refusal {
                Some(Refusal::Images { reason }) => replied(json!({"allowed": false, "reason": reason})),
                _ => replied(json!({"allowed": true})),
            };
        }
        let position = self.mutations.iter().position(|mutation| mutation.webhook == own);
        let mutation = position.map(|position| self.mutations.remove(position));
        // A refusal ends the calls of those that may change the object.
        let may_refuse = mutation.is_none() || self.mutations.is_empty();
        let refusal = self.refusal.take_if(|refusal| may_refuse && refusal.webhook() == own);
        match refusal {
            Some(Refusal::Denied { status, .. }) => {
                return replied(json!({"allowed": false, "status": status}));
            }
            Some(Refusal::Uncalled { reason, .. }) => return Err(reason),
            _ => {}
        }
        let Some(mutation) = mutation else {
            let has_failed = self.failed_open.iter().any(|webhook| webhook == own);
            return if has_failed { Err(failed(own)) } else { replied(json!({"allowed": true})) };
        };
        match mutation.patch {
            _ if mutation.failed_open => Err(failed(own)),
            Some(patch) => replied(json!({"allowed": true, "patch": patch})),
            None => replied(json!({"allowed": true})),
        }
    }

    /// Returns a webhook whose answer mattered, and that was not asked.
    fn left(&self) -> Option<&str> {
        let change = self.mutations.iter().find(|mutation| mutation.is_change);
        let refusal = self.refusal.as_ref().map(Refusal::webhook).filter(|webhook| !webhook.is_empty());
        change.map(|change| change.webhook.as_str()).or(refusal)
    }
}

impl Refusal {
    /// Returns the refusal of a webhook that `status` is.
    fn of(status: &Value) -> Option<Self> {
        let message = status.text("message");
        if let Some(rest) = message.strip_prefix("admission webhook \"") {
            let (webhook, explanation) = rest.split_once("\" denied the request")?;
            let mut answer = status.clone();
            // Without an explanation the reason is one.
            answer["message"] = explanation.strip_prefix(": ").unwrap_or_default().into();
            if explanation.starts_with(" without") {
                answer["reason"] = "".into();
            }
            return Some(Self::Denied { webhook: webhook.to_owned(), status: answer });
        }
        if let Some((_, reason)) =
            message.split_once("image policy webhook backend denied one or more images: ")
        {
            return Some(Self::Images { reason: reason.to_owned() });
        }
        if message.ends_with("one or more images rejected by webhook backend") {
            return Some(Self::Images { reason: String::new() });
        }
        let (_, rest) = message.split_once("failed calling webhook \"")?;
        let (webhook, reason) = rest.split_once("\": failed to call webhook: ")?;
        Some(Self::Uncalled { webhook: webhook.to_owned(), reason: reason.to_owned() })
    }

    fn webhook(&self) -> &str {
        match self {
            Self::Denied { webhook, .. } | Self::Uncalled { webhook, .. } => webhook,
            Self::Images { .. } => "",
        }
    }
}

/// Returns the place of a call, such as `round_0_index_2`, for sorting.
fn order(place: &str) -> (u32, u32) {
    let numbers = place.strip_prefix("round_").and_then(|rest| rest.split_once("_index_"));
    let (round, index) = numbers.unwrap_or_default();
    (round.parse().unwrap_or_default(), index.parse().unwrap_or_default())
}

fn failed(webhook: &str) -> String {
    format!("{webhook} failed when the log was written")
}

/// Answers in the place of webhooks as they did when the log was written.
#[derive(Debug, Default)]
pub struct Playback(Mutex<Answers>);

impl Playback {
    /// Sets the answers to the next request.
    pub(super) fn begin(&self, answers: &Answers) {
        self.lock().clone_from(answers);
    }

    /// Returns a webhook whose answer to the request mattered, and that the chain did not ask.
    pub(super) fn left(&self) -> Option<String> {
        self.lock().left().map(str::to_owned)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Answers> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Client for Playback {
    fn post(&self, exchange: &Exchange<'_>) -> Result<Reply, String> {
        self.lock().take(exchange)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(playback: &Playback, webhook: &str) -> Result<Value, String> {
        let body =
            json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {"uid": "u"}});
        let exchange = Exchange {
            webhook,
            url: "https://a.example.com",
            service: None,
            has_service: false,
            ca_bundle: &[],
            credentials: None,
            timeout: None,
            body: &body,
        };
        let reply = playback.post(&exchange)?;
        Ok(encoding_json::from_slice(&reply.body).unwrap()["response"].clone())
    }

    #[test]
    fn webhooks_answer_as_they_did() {
        let annotations = json!({
            "mutation.webhook.admission.k8s.io/round_0_index_10": r#"{"configuration":"c","webhook":"b","mutated":false}"#,
            "failed-open.mutation.webhook.admission.k8s.io/round_0_index_10": "b",
            "mutation.webhook.admission.k8s.io/round_0_index_2": r#"{"configuration":"c","webhook":"a","mutated":true}"#,
            "patch.webhook.admission.k8s.io/round_0_index_2":
                r#"{"configuration":"c","webhook":"a","patch":[{"op":"remove","path":"/x"}],"patchType":"JSONPatch"}"#,
            "failed-open.validating.webhook.admission.k8s.io/round_0_index_0": "c",
        });
        let status = json!({"message": "admission webhook \"d\" denied the request: no", "code": 403});
        let answers = Answers::of(Some(&annotations), Some(&status));
        assert_eq!(answers.unrecorded(), None);
        let playback = Playback::default();
        playback.begin(&answers);
        assert_eq!(playback.left().as_deref(), Some("a"));
        let first = asked(&playback, "a").unwrap();
        assert_eq!((first.flag("allowed"), first.text("patchType")), (true, "JSONPatch"));
        assert!(asked(&playback, "b").is_err() && asked(&playback, "c").is_err());
        assert_eq!(playback.left().as_deref(), Some("d"));
        let denied = asked(&playback, "d").unwrap();
        assert_eq!((denied.flag("allowed"), denied.text(["status", "message"])), (false, "no"));
        assert_eq!(playback.left(), None);
        assert!(asked(&playback, "e").unwrap().flag("allowed"));
    }

    #[test]
    fn refusals_name_the_webhook() {
        let of = |message: &str| Refusal::of(&json!({"message": message, "reason": "Forbidden"}));
        let Some(Refusal::Denied { webhook, status }) =
            of("admission webhook \"a\" denied the request without explanation")
        else {
            panic!("it is a denial");
        };
        assert_eq!((webhook.as_str(), status.text("message"), status.text("reason")), ("a", "", ""));
        let failed = "Internal error occurred: failed calling webhook \"a\": failed to call webhook: EOF";
        let expected = Refusal::Uncalled { webhook: "a".to_owned(), reason: "EOF".to_owned() };
        assert_eq!(of(failed), Some(expected));
        assert_eq!(of("pods \"a\" is forbidden"), None);
    }
}
