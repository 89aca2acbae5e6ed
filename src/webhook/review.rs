//! One call of an admission webhook: the review that is sent, and the answer to it.
//!
//! Source: `callHook` of `k8s.io/apiserver/pkg/admission/plugin/webhook/{mutating,validating}/dispatcher.go`,
//! `…/webhook/request/admissionreview.go`, `…/webhook/errors/statuserror.go`.

use std::thread;
use std::time::{Duration, Instant};

use crate::admission::{Attributes, Recorder, Refusal};
use crate::policy::admission_request;
use crate::webhook::reply::{REVIEW, decode};
use crate::webhook::{Client, Credentials, Exchange, Reply, Selected, Users, Webhook};
use gotext::quote;
use gotext::value::json;
use kube_api::{GroupVersionKind, Object, Status, StatusDetails, Value};

/// The effects of an answer that allows the request.
#[derive(Debug, Default)]
pub struct Answer {
    /// The JSON patch as it was sent, and its type.
    pub patch: Option<(Vec<u8>, String)>,
}

/// The reason that a call does not allow the request.
#[derive(Debug)]
pub enum CallError {
    /// The webhook could not be called, or its answer is invalid: the failure policy decides.
    Calling(String),
    /// The request is refused, under every failure policy.
    Refused(Refusal),
}

/// A review to be sent to a webhook.
pub struct Review<'a> {
    webhook: &'a Webhook,
    kind: GroupVersionKind,
    uid: String,
    url: String,
    body: Value,
    timeout: Duration,
    credentials: Option<&'a Credentials>,
}

impl<'a> Review<'a> {
    /// Returns the review that `webhook` gets about a request, sent with the credentials in `users`.
    ///
    /// # Errors
    ///
    /// Fails if the webhook cannot be called for such a request.
    pub fn new(
        webhook: &'a Webhook,
        attributes: &Attributes,
        selected: &Selected,
        users: &'a Users,
    ) -> Result<Self, CallError> {
        if attributes.dry_run && !webhook.allows_dry_run {
            let name = quote(&webhook.name);
            let message = format!("admission webhook {name} does not support dry run");
            return Err(CallError::Refused(Status::new_bad_request(message).into()));
        }
        let known = |version: &&String| ["v1", "v1beta1"].contains(&version.as_str());
        let Some(version) = webhook.review_versions.iter().find(known) else {
            return Err(CallError::Calling(
                "could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)"
                    .to_owned(),
            ));
        };
        let kind = GroupVersionKind::new("admission.k8s.io", version.clone(), "AdmissionReview");
        let uid = uid(attributes, webhook);
        let body = json!({
            "kind": "AdmissionReview",
            "apiVersion": kind.api_version(),
            "request": request(attributes, selected, &uid),
        });
        let timeout = Duration::from_secs(webhook.timeout);
        let timeout = attributes.time_left().map_or(timeout, |left| left.min(timeout));
        let seconds = timeout.as_secs() + u64::from(timeout.subsec_nanos() > 0);
        let url = format!("{}?timeout={seconds}s", webhook.url);
        let credentials = webhook.host().and_then(|(host, port)| users.of(&host, port));
        Ok(Self { webhook, kind, uid, url, body, timeout, credentials })
    }

    /// Records what is sent, or would be.
    pub fn record(&self, recorder: &mut Recorder) {
        recorder.add_asked(&self.webhook.hook, &self.body);
    }

    /// Sends the review.
    ///
    /// # Errors
    ///
    /// Fails if there is no answer.
    pub fn send(&self, client: &dyn Client) -> Result<Reply, String> {
        // Where no connection is made, a bundle that is injected into a cluster later may be missing.
        if client.is_remote()
            && let Some(refused) = kube_registry::refused_authorities(&self.webhook.ca_bundle)
        {
            return Err(format!("could not get REST client: {refused}"));
        }
        self.post(client).map_err(|reason| failed_to_call(&reason))
    }

    fn post(&self, client: &dyn Client) -> Result<Reply, String> {
        if client.is_remote() && self.url.starts_with("http://") {
            let url = quote(&self.url);
            return Err(format!("Post {url}: only https:// is called, as the server requires it"));
        }
        let service = self.webhook.service.as_ref();
        client.post(&Exchange {
            webhook: &self.webhook.name,
            url: &self.url,
            service: service.map(|(namespace, name, port)| (namespace.as_str(), name.as_str(), *port)),
            has_service: self.webhook.has_service,
            ca_bundle: &self.webhook.ca_bundle,
            credentials: self.credentials,
            timeout: Some(self.timeout),
            body: &self.body,
        })
    }

    /// Evaluates the answer. `mutates` is whether the webhook may change the object.
    ///
    /// # Errors
    ///
    /// Fails if the webhook refuses, or its answer is invalid.
    pub fn take(
        &self,
        reply: Result<Reply, String>,
        mutates: bool,
        recorder: &mut Recorder,
    ) -> Result<Answer, CallError> {
        let reply = reply.map_err(|reason| {
            if let (Some((fault, says)), Some((host, _))) = (bad_certificate(&reason), self.webhook.host()) {
                recorder.add_audit_annotation(format!("{fault}.invalid-cert.kubernetes.io/{host}"), says);
            }
            CallError::Calling(reason)
        })?;
        let review = decode(&reply, &self.kind, Some(REVIEW))
            .map_err(|reason| CallError::Calling(failed_to_call(&reason)))?;
        let invalid =
            |reason: String| CallError::Calling(format!("received invalid webhook response: {reason}"));
        let response = verify(&review, &self.kind, &self.uid, mutates).map_err(invalid)?;
        let name = &self.webhook.name;
        for (key, value) in response["auditAnnotations"].as_object().into_iter().flatten() {
            recorder.add_audit_annotation(format!("{name}/{key}"), value.as_str().unwrap_or_default());
        }
        for warning in response["warnings"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            recorder.add_warning(warning);
        }
        if response["allowed"] != true {
            return Err(CallError::Refused(denial(name, &response["status"])));
        }
        let patch = response["patch"].as_str().map(gotext::base64::decoded);
        let default = if self.kind.version == "v1" { "" } else { "JSONPatch" };
        let patch_type = response["patchType"].as_str().unwrap_or(default);
        Ok(Answer {
            patch: patch.filter(|patch| !patch.is_empty()).map(|patch| (patch, patch_type.to_owned())),
        })
    }
}

/// Returns what the audit event names of a certificate that is refused with `reason`, if it is of a kind that servers once
/// accepted.
///
/// Source: `k8s.io/apiserver/pkg/util/x509metrics`.
fn bad_certificate(reason: &str) -> Option<(&'static str, &'static str)> {
    const INSECURE: &str = "x509: cannot verify signature: insecure algorithm";
    if reason.contains("x509: certificate relies on legacy Common Name field") {
        let says = "relies on a legacy Common Name field instead of the SAN extension for subject validation";
        return Some(("missing-san", says));
    }
    let (_, algorithm) = reason.split_once(INSECURE)?;
    algorithm.contains("SHA1").then_some(("insecure-sha1", "uses an insecure SHA-1 signature"))
}

fn failed_to_call(reason: &str) -> String {
    format!("failed to call webhook: {reason}")
}

/// Sends all `reviews` and waits for their answers: those of a remote client concurrently, up to a limit. Returns with
/// each the seconds that it took.
pub fn send_all(reviews: &[&Review<'_>], client: &dyn Client) -> Vec<(Result<Reply, String>, u64)> {
    if reviews.len() < 2 || !client.is_remote() {
        return reviews.iter().map(|review| (review.send(client), 0)).collect();
    }
    let send = |review: &Review<'_>| {
        let start = Instant::now();
        (review.send(client), start.elapsed().as_secs())
    };
    let mut replies = Vec::with_capacity(reviews.len());
    for some in reviews.chunks(MAX_AT_ONCE) {
        thread::scope(|scope| {
            let threads: Vec<_> = some.iter().map(|review| scope.spawn(move || send(review))).collect();
            let panicked = || (Err(failed_to_call("the call ended with a panic")), 0);
            replies.extend(threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| panicked())));
        });
    }
    replies
}

/// The number of concurrent calls.
const MAX_AT_ONCE: usize = 16;

/// Returns a uid like the one that the server generates for a review.
fn uid(attributes: &Attributes, webhook: &Webhook) -> String {
    let mixed = webhook
        .name
        .bytes()
        .fold(attributes.ordinal, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte)));
    format!("00000000-0000-4000-8000-{:012x}", mixed & 0xffff_ffff_ffff)
}

fn request(attributes: &Attributes, selected: &Selected, uid: &str) -> Value {
    let mut request = admission_request(attributes, &selected.matched);
    let tree = |object: Option<&Object>| object.map_or(Value::Null, |object| object.value.clone());
    request["uid"] = uid.into();
    request["object"] = tree(selected.versioned.object.as_deref());
    request["oldObject"] = tree(selected.versioned.old_object.as_deref());
    if request.get("options").is_none() {
        request["options"] = Value::Null;
    }
    request
}

/// Checks a review as it came back, and returns its response.
///
/// Source: `VerifyAdmissionResponse`.
fn verify<'a>(
    review: &'a Value,
    kind: &GroupVersionKind,
    uid: &str,
    mutates: bool,
) -> Result<&'a Value, String> {
    let response = &review["response"];
    if response.is_null() {
        return Err("webhook response was absent".to_owned());
    }
    if kind.version != "v1" {
        return Ok(response);
    }
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let answered = text(&response["uid"]);
    if answered != uid {
        return Err(format!("expected response.uid={}, got {}", quote(uid), quote(&answered)));
    }
    let found = GroupVersionKind::from_api_version(&text(&review["apiVersion"]), &text(&review["kind"]));
    if found != *kind {
        return Err(format!("expected webhook response of {kind}, got {found}"));
    }
    let has_patch = !text(&response["patch"]).is_empty();
    let patch_type = response.get("patchType").filter(|value| !value.is_null()).map(text);
    if !mutates {
        return match (has_patch, patch_type) {
            (true, _) => Err("validating webhook may not return response.patch".to_owned()),
            (false, Some(_)) => Err("validating webhook may not return response.patchType".to_owned()),
            (false, None) => Ok(response),
        };
    }
    match (has_patch, patch_type) {
        (true, None) => Err("webhook returned response.patch but not response.patchType".to_owned()),
        (false, Some(_)) => Err("webhook returned response.patchType but not response.patch".to_owned()),
        (true, Some(found)) if found.is_empty() => {
            Err(format!("webhook returned invalid response.patchType of {}", quote(&found)))
        }
        _ => Ok(response),
    }
}

/// Source: `ToStatusErr`.
fn denial(name: &str, status: &Value) -> Refusal {
    let text = |field: &str| status[field].as_str().unwrap_or_default();
    let (message, reason) = (text("message"), text("reason"));
    let denied = format!("admission webhook {} denied the request", quote(name));
    let message = match (message, reason) {
        ("", "") => format!("{denied} without explanation"),
        ("", reason) => format!("{denied}: {reason}"),
        (message, _) => format!("{denied}: {message}"),
    };
    let code = status["code"].as_i64().unwrap_or_default().max(400);
    let details = status.get("details").filter(|details| !details.is_null());
    let details = details.and_then(|details| gotext::value::from_value::<StatusDetails>(details).ok());
    let mut metadata = status["metadata"].clone();
    if let Value::Object(fields) = &mut metadata {
        fields.retain(|_, value| *value != "");
    }
    let refusal = Refusal::from(Status {
        code: u16::try_from(code).unwrap_or(u16::MAX),
        reason: reason.to_owned(),
        message,
        details,
        metadata,
        status: Some(text("status")).filter(|status| *status != "Success").unwrap_or_default().to_owned(),
    });
    if code <= MAX_CODE {
        return refusal;
    }
    refusal.advise(format!("{code} is not an HTTP status: the server ends the connection without an answer"))
}

/// The highest code of an answer.
///
/// Source: `checkWriteHeaderCode` of `net/http`.
const MAX_CODE: i64 = 999;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_denial_keeps_what_the_webhook_gives_it() {
        let metadata = json!({"continue": "abc", "remainingItemCount": 5, "resourceVersion": ""});
        let status = json!({"code": 409, "status": "Weird", "message": "no", "metadata": metadata});
        let denied = denial("a.example.com", &status).status;
        assert_eq!(denied.metadata, json!({"continue": "abc", "remainingItemCount": 5}));
        assert_eq!((denied.code, denied.status.as_str()), (409, "Weird"));
        let denied = denial("a.example.com", &json!({"code": -5, "status": "Success"})).status;
        assert_eq!((denied.code, denied.status.as_str()), (400, ""));
    }

    #[test]
    fn a_code_that_is_not_one_of_http_has_no_answer() {
        let help = |code: i64| denial("a.example.com", &json!({"code": code})).help;
        assert_eq!(help(999), [""; 0]);
        for code in [1000, 70_000] {
            let wanted =
                format!("{code} is not an HTTP status: the server ends the connection without an answer");
            assert_eq!(help(code), [wanted]);
        }
    }

    /// Expected names are those of a server of 1.36.
    #[test]
    fn certificates_of_former_kinds_are_named() {
        let named = |fault: &str| {
            let reason = format!("Post \"https://a/\": tls: failed to verify certificate: x509: {fault}");
            bad_certificate(&reason).map(|(name, _)| name)
        };
        let old = "certificate relies on legacy Common Name field, use SANs instead";
        assert_eq!(named(old), Some("missing-san"));
        let weak = "certificate signed by unknown authority (possibly because of \"x509: cannot verify signature: \
                    insecure algorithm SHA1-RSA\" while trying to verify candidate authority certificate \"old\")";
        assert_eq!(named(weak), Some("insecure-sha1"));
        assert_eq!(named(&weak.replace("SHA1", "MD5")), None);
        assert_eq!(named("certificate signed by unknown authority"), None);
    }
}
