//! One call of an admission webhook: the review that is sent, and what its answer says.
//!
//! Source: `callHook` of `k8s.io/apiserver/pkg/admission/plugin/webhook/{mutating,validating}/dispatcher.go`,
//! `…/webhook/request/admissionreview.go`, `…/webhook/errors/statuserror.go`.

use crate::admission::{Attributes, Recorder, Refusal};
use crate::api::{GroupVersionKind, Object, Status, StatusDetails, Value};
use crate::go::quote;
use crate::policy::admission_request;
use crate::value::json;
use crate::webhook::{Client, Exchange, Selected, Webhook, decode};

/// What an answer comes to when the request is allowed.
#[derive(Debug, Default)]
pub struct Answer {
    /// The JSON patch as it was sent, and its type.
    pub patch: Option<(Vec<u8>, String)>,
}

/// Why a call does not end in a yes.
#[derive(Debug)]
pub enum CallError {
    /// The webhook could not be asked, or answered something else than it should: the failure policy decides.
    Calling(String),
    /// The request is refused, whatever the failure policy.
    Refused(Refusal),
}

/// Asks `webhook` about a request. `mutates` says whether it may change the object.
///
/// # Errors
///
/// The webhook refuses, or cannot be asked.
pub fn call(
    client: &dyn Client,
    webhook: &Webhook,
    attributes: &Attributes,
    selected: &Selected,
    mutates: bool,
    recorder: &mut Recorder,
) -> Result<Answer, CallError> {
    let name = &webhook.name;
    if attributes.dry_run && !webhook.allows_dry_run {
        let message = format!("admission webhook {} does not support dry run", quote(name));
        return Err(CallError::Refused(Status::new_bad_request(message).into()));
    }
    let Some(version) =
        webhook.review_versions.iter().find(|version| ["v1", "v1beta1"].contains(&version.as_str()))
    else {
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
    let separator = if webhook.url.contains('?') { '&' } else { '?' };
    let url = format!("{}{separator}timeout={}s", webhook.url, webhook.timeout);
    let exchange = Exchange {
        webhook: name,
        url: &url,
        service: webhook
            .service
            .as_ref()
            .map(|(namespace, name, port)| (namespace.as_str(), name.as_str(), *port)),
        ca_bundle: &webhook.ca_bundle,
        timeout: webhook.timeout,
        body: &body,
    };
    let failed = |reason: String| CallError::Calling(format!("failed to call webhook: {reason}"));
    let reply = client.post(&exchange).map_err(failed)?;
    let review = decode(&reply, &kind, Some("admission/v1.AdmissionReview")).map_err(failed)?;
    let invalid = |reason: String| CallError::Calling(format!("received invalid webhook response: {reason}"));
    let response = verify(&review, &kind, &uid, mutates).map_err(invalid)?;

    for (key, value) in response["auditAnnotations"].as_object().into_iter().flatten() {
        recorder.add_audit_annotation(format!("{name}/{key}"), value.as_str().unwrap_or_default());
    }
    for warning in response["warnings"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        recorder.add_warning(warning);
    }
    if response["allowed"] != true {
        return Err(CallError::Refused(denial(name, &response["status"])));
    }
    let bytes = response["patch"].as_str().map(crate::go::base64::decoded).filter(|patch| !patch.is_empty());
    let kind = response["patchType"].as_str().unwrap_or(if version == "v1" { "" } else { "JSONPatch" });
    Ok(Answer { patch: bytes.map(|patch| (patch, kind.to_owned())) })
}

/// Stands for the uid that the server generates for a review.
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
        let shown = |kind: &GroupVersionKind| format!("{}, Kind={}", full(kind), kind.kind);
        return Err(format!("expected webhook response of {}, got {}", shown(kind), shown(&found)));
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

fn full(kind: &GroupVersionKind) -> String {
    format!("{}/{}", kind.group, kind.version)
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
    let code = status["code"].as_u64().and_then(|code| u16::try_from(code).ok()).unwrap_or_default();
    let details = status.get("details").filter(|details| !details.is_null());
    let details = details.and_then(|details| crate::value::from_value::<StatusDetails>(details).ok());
    Refusal::from(Status { code: code.max(400), reason: reason.to_owned(), message, details })
}
