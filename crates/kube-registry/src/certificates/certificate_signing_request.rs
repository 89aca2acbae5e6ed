//! Requests to sign certificates.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/certificates`.

use crate::certificate_request;
use crate::strategy::{ObjectStatus, Requester, Scope, Strategy, SubResource};
use crate::validation::core::decoded_length;
use crate::validation::difference::difference;
use crate::validation::metadata::{validate_object_meta, validate_object_meta_update};
use crate::validation::node::{Errors, Node};
use crate::validation::pod::validate_signer_name;
use crate::x509::parse_certificates;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gotext::quote;
use gotext::value::json;
use kube_api::field::Rule;
use kube_api::tree::{child_mut, child_or_insert, copy, items_mut, set, set_if_zero};
use kube_api::version::Version;
use kube_api::{Map, Value, pem};

/// The strategy of `CertificateSigningRequest`.
pub(crate) static STRATEGY: Strategy = Strategy {
    status: ObjectStatus::Controllers,
    prepare_for_create: Some(|request, context, _| {
        set_requester(request, context.request().requester);
    }),
    prepare_for_update: Some(|request, old, _| for_update(request, old, "")),
    validate: Some(|errors, object, old, _| {
        validate_signing_request(errors, object, old, Way::Whole, true);
    }),
    sub_resources: &[
        SubResource {
            prepare_for_update: Some(|request, old, _| {
                for_update(request, old, "approval");
            }),
            prepared_times: Some(|request, _, now, _| csr_times(request, now)),
            validate_update: Some(|errors, object, old, _| {
                validate_signing_request(errors, object, Some(old), Way::Approval, true);
            }),
            ..SubResource::new("approval")
        },
        SubResource {
            prepare_for_update: Some(|request, old, _| {
                for_update(request, old, "status");
            }),
            prepared_times: Some(|request, _, now, _| csr_times(request, now)),
            validate_update: Some(|errors, object, old, _| {
                validate_signing_request(errors, object, Some(old), Way::Status, true);
            }),
            ..SubResource::new("status")
        },
    ],
    ..Strategy::new("certificates.k8s.io", "CertificateSigningRequest")
};

/// Sets the time of the update on conditions without one.
fn csr_times(request: &mut Map, now: &str) {
    for condition in
        child_mut(request, "status").into_iter().flat_map(|status| items_mut(status, "conditions"))
    {
        set_if_zero(condition, "lastUpdateTime", now);
        set_if_zero(condition, "lastTransitionTime", now);
    }
}

/// Records the requester in the object, overriding what the object has.
fn set_requester(request: &mut Map, requester: Option<&Requester>) {
    let spec = child_or_insert(request, "spec");
    for field in ["username", "uid", "groups", "extra"] {
        spec.remove(field);
    }
    let Some(requester) = requester else { return };
    if !requester.name.is_empty() {
        set(spec, "username", requester.name.as_str());
    }
    if !requester.uid.is_empty() {
        set(spec, "uid", requester.uid.as_str());
    }
    if !requester.groups.is_empty() {
        set(spec, "groups", json!(requester.groups));
    }
    if !requester.extra.is_empty() {
        set(spec, "extra", json!(requester.extra));
    }
}

/// Keeps the spec; conditions change through `approval`, the rest of the status through `status`, where approval and
/// denial stay as they were unless their number changes.
fn for_update(request: &mut Map, old: &Map, sub_resource: &str) {
    copy(request, old, "spec");
    match sub_resource {
        "approval" => {
            let conditions = request.child("status").and_then(|status| status.get("conditions")).cloned();
            copy(request, old, "status");
            let status = child_or_insert(request, "status");
            status.remove("conditions");
            if let Some(conditions) = conditions {
                set(status, "conditions", conditions);
            }
        }
        "status" => {
            for condition in ["Approved", "Denied"] {
                preserve_conditions(request, old, condition);
            }
        }
        _ => copy(request, old, "status"),
    }
    let kept = |condition: &Map| {
        let old = old.child("status")?;
        let same = |other: &&Map| {
            other.text("type") == condition.text("type") && other.text("status") == condition.text("status")
        };
        old.items("conditions").find(same)?.get("lastTransitionTime").cloned()
    };
    let conditions = child_or_insert(request, "status").get_mut("conditions").and_then(Value::as_array_mut);
    for condition in conditions.into_iter().flatten().filter_map(Value::as_object_mut) {
        if condition.is_zero("lastTransitionTime")
            && let Some(time) = kept(condition)
        {
            set(condition, "lastTransitionTime", time);
        }
    }
}

fn preserve_conditions(request: &mut Map, old: &Map, condition: &str) {
    let is_meant = |item: &&Map| item.text("type") == condition;
    let Some(old) = old.child("status") else { return };
    let old: Vec<&Map> = old.items("conditions").filter(is_meant).collect();
    let Some(Value::Object(status)) = request.get_mut("status") else { return };
    if status.items("conditions").filter(is_meant).count() != old.len() {
        return;
    }
    let new = kube_api::tree::items_mut(status, "conditions").filter(|item| item.text("type") == condition);
    for (new, old) in new.zip(old) {
        new.clone_from(old);
    }
}

const LEGACY_SIGNER: &str = "kubernetes.io/legacy-unknown";

const DECISIONS: [&str; 2] = ["Approved", "Denied"];

const FINAL: [&str; 3] = ["Approved", "Denied", "Failed"];

const USAGES: [&str; 23] = [
    "any",
    "cert sign",
    "client auth",
    "code signing",
    "content commitment",
    "crl sign",
    "data encipherment",
    "decipher only",
    "digital signature",
    "email protection",
    "encipher only",
    "ipsec end system",
    "ipsec tunnel",
    "ipsec user",
    "key agreement",
    "key encipherment",
    "microsoft sgc",
    "netscape sgc",
    "ocsp signing",
    "s/mime",
    "server auth",
    "signing",
    "timestamping",
];

/// The endpoint that changes a signing request, on which the allowed changes depend.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    Whole,
    Status,
    Approval,
}

/// Validates a request of `v1beta1`, created or updated as a whole.
pub(crate) fn validate_first_beta(errors: &mut Errors, object: &Node, old: Option<&Node>) {
    validate_signing_request(errors, object, old, Way::Whole, false);
}

/// Runs `ValidateCertificateSigningRequestCreate`, or one of the three update validations if there is an old object.
/// Without `is_v1`, values that only `v1` refuses are allowed.
fn validate_signing_request(errors: &mut Errors, object: &Node, old: Option<&Node>, way: Way, is_v1: bool) {
    validate_object_meta(errors, object, Scope::Cluster, |_, _| Vec::new());
    let spec = object.child("spec");
    let before = old.map(|old| old.child("spec"));
    if let Err(error) = certificate_request::verify(spec.text("request")) {
        errors.invalid_value(&spec.at("request"), spec.raw("request"), error);
    }
    validate_usages(errors, &spec, before.as_ref(), is_v1);
    let signer = spec.text("signerName");
    let keeps_legacy = before.is_some_and(|before| before.text("signerName") == LEGACY_SIGNER);
    if signer == LEGACY_SIGNER && is_v1 && !keeps_legacy {
        let detail = "the legacy signerName is not allowed via this API version";
        errors.invalid(&spec.at("signerName"), signer, detail);
    } else {
        errors.by(Rule::SignerName, |errors| {
            validate_signer_name(errors, signer, &spec.at("signerName"));
        });
    }
    if let Some(seconds) = spec.number("expirationSeconds").filter(|seconds| *seconds < 600) {
        let detail = "may not specify a duration less than 600 seconds (10 minutes)";
        errors.invalid_int(&spec.at("expirationSeconds"), seconds, detail);
    }
    let (status, old_status) = (object.child("status"), old.map(|old| old.child("status")));
    validate_conditions(errors, &status, old_status.as_ref(), is_v1);
    let certificate = |status: &Node| refused_certificate(status.raw("certificate"));
    let tolerated = old_status
        .as_ref()
        .is_some_and(|old| old.raw("certificate") == status.raw("certificate") || certificate(old).is_some());
    if let Some(detail) = certificate(&status).filter(|_| is_v1 && !tolerated) {
        errors.invalid(&status.at("certificate"), "<certificate data>", detail);
    }
    if let (Some(old), Some(old_status)) = (old, old_status) {
        validate_status_changes(errors, &status, &old_status, way);
        validate_object_meta_update(errors, object, old);
    }
}

/// Returns the PEM blocks in base64 text.
fn pem_blocks(encoded: &Value) -> Vec<pem::Block> {
    let bytes = STANDARD.decode(encoded.as_str().unwrap_or_default()).unwrap_or_default();
    pem::blocks(&String::from_utf8_lossy(&bytes))
}

fn validate_usages(errors: &mut Errors, spec: &Node, before: Option<&Node>, is_v1: bool) {
    fn is_unknown(usage: &str) -> bool {
        !USAGES.contains(&usage)
    }
    let usages: Vec<&str> = spec.texts("usages").collect();
    let old: Vec<&str> = before.map(|before| before.texts("usages").collect()).unwrap_or_default();
    let path = |index: usize| spec.at("usages").index(index);
    if usages.is_empty() {
        errors.by(Rule::Usages, |errors| errors.required(&spec.at("usages"), ""));
    }
    if !is_v1 {
        return;
    }
    if !old.iter().any(|usage| is_unknown(usage)) {
        for (index, usage) in usages.iter().enumerate().filter(|(_, usage)| is_unknown(usage)) {
            errors.not_supported(&path(index), usage, &USAGES);
        }
    }
    if !has_duplicates(&old) {
        for (index, usage) in usages.iter().enumerate() {
            if usages[..index].contains(usage) {
                errors.duplicate(&path(index), usage);
            }
        }
    }
}

fn has_duplicates(texts: &[&str]) -> bool {
    texts.iter().enumerate().any(|(index, text)| texts[..index].contains(text))
}

fn condition_types<'a>(status: &Node<'a>) -> Vec<&'a str> {
    status.list("conditions").iter().map(|condition| Node::root(condition).text("type")).collect()
}

/// Implements `validateConditions`.
fn validate_conditions(errors: &mut Errors, status: &Node, old: Option<&Node>, is_v1: bool) {
    let old = old.map(condition_types).unwrap_or_default();
    let both_allowed = DECISIONS.iter().all(|decision| old.contains(decision));
    let types = condition_types(status);
    for (index, condition) in status.items("conditions").enumerate() {
        let kind = types[index];
        if is_v1 && !old.contains(&"") {
            errors.require_text(&condition, "type");
        }
        let allowed: &[&str] = if FINAL.contains(&kind) { &["True"] } else { &["False", "True", "Unknown"] };
        errors.require_one_of(&condition, "status", allowed);
        let other = if kind == DECISIONS[0] { DECISIONS[1] } else { DECISIONS[0] };
        if !both_allowed && DECISIONS.contains(&kind) && types[..index].contains(&other) {
            let detail = "Approved and Denied conditions are mutually exclusive";
            let path = if errors.since(34) { status.at("conditions") } else { condition.at("type") };
            errors.invalid(&path, kind, detail);
        }
        if is_v1 && !has_duplicates(&old) && types[..index].contains(&kind) {
            errors.duplicate(&condition.at("type"), kind);
        }
    }
}

/// Implements `validateCertificate`.
fn refused_certificate(certificate: &Value) -> Option<String> {
    if decoded_length(certificate) == 0 {
        return None;
    }
    let blocks = pem_blocks(certificate);
    if blocks.is_empty() {
        return Some("must contain at least one CERTIFICATE PEM block".to_owned());
    }
    blocks.iter().find_map(|block| {
        if block.kind != "CERTIFICATE" {
            return Some(format!("only CERTIFICATE PEM blocks are allowed, found {}", quote(&block.kind)));
        }
        if block.has_headers {
            return Some("no PEM block headers are permitted".to_owned());
        }
        match parse_certificates(&block.bytes) {
            Err(error) => Some(error),
            Ok(certificates) if certificates.is_empty() => {
                Some("found CERTIFICATE PEM block containing 0 certificates".to_owned())
            }
            Ok(_) => None,
        }
    })
}

/// Implements the rest of `validateCertificateSigningRequestUpdate`.
fn validate_status_changes(errors: &mut Errors, status: &Node, old: &Node, way: Way) {
    const CONDITIONS: &str = "internal.CertificateSigningRequestConditions";
    let of_type = |status: &Node, kind: &str| -> Vec<Value> {
        status.list("conditions").iter().filter(|condition| condition["type"] == kind).cloned().collect()
    };
    let path = || status.at("conditions");
    for kind in FINAL {
        if of_type(status, kind).len() < of_type(old, kind).len() {
            errors.forbidden(&path(), format!("updates may not remove a condition of type \"{kind}\""));
        }
    }
    for kind in DECISIONS.into_iter().filter(|_| way != Way::Approval) {
        let (now, before) = (of_type(status, kind), of_type(old, kind));
        if now.len() > before.len() {
            errors.forbidden(&path(), format!("updates may not add a condition of type \"{kind}\""));
        } else if now.len() == before.len() && now != before {
            let difference = difference(Version::BINARY, CONDITIONS, &Value::from(before), &Value::from(now));
            let detail = format!("updates may not modify a condition of type \"{kind}\"\n{difference}");
            errors.forbidden(&path(), detail);
        }
    }
    if status.raw("certificate") != old.raw("certificate") {
        if way != Way::Status {
            errors.forbidden(&status.at("certificate"), "updates may not set certificate content");
        } else if decoded_length(old.raw("certificate")) > 0 {
            let detail = "updates may not modify existing certificate content";
            errors.forbidden(&status.at("certificate"), detail);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{object, updated};
    use crate::{Context, RequestInfo, of};
    use kube_api::server_profile::ServerProfile;

    fn request(user: &str, conditions: &Value) -> Value {
        json!({
            "apiVersion": "certificates.k8s.io/v1",
            "kind": "CertificateSigningRequest",
            "spec": {"request": "eA==", "signerName": "example.com/a", "username": user},
            "status": {"certificate": user, "conditions": conditions}
        })
    }

    #[test]
    fn a_request_names_its_creator() {
        let requester =
            Requester { name: "alice".to_owned(), groups: vec!["a".to_owned()], ..Requester::default() };
        let mut request = object(&request("mallory", &json!([])));
        let profile = ServerProfile::default();
        let info = RequestInfo { requester: Some(&requester), ..RequestInfo::default() };
        let context = Context::of_request(&profile, info);
        of(&request.kind).unwrap().prepare_for_create(&mut request, &context);
        assert_eq!(request.text(["spec", "username"]), "alice");
        assert_eq!(request.list(["spec", "groups"]), ["a"]);
        assert_eq!(request.value["status"], json!({}));
    }

    #[test]
    fn approval_changes_conditions_alone() {
        let approved = json!([{"type": "Approved", "status": "True", "lastTransitionTime": null}]);
        let (new, old) = (request("new", &approved), request("old", &json!([])));
        let approval = updated(&new, &old, "approval");
        assert_eq!(
            (&approval["spec"]["username"], &approval["status"]["certificate"]),
            (&json!("old"), &json!("old"))
        );
        assert_eq!(approval["status"]["conditions"][0]["type"], "Approved");
        let status = updated(&old, &new, "status");
        assert_eq!(status["status"]["certificate"], "old");
        assert_eq!(updated(&new, &old, "")["status"]["certificate"], "old");
    }

    fn signing_request(conditions: &Value) -> Value {
        let pem = include_str!("../../testdata/certificates/developers.csr");
        json!({
            "metadata": {"name": "jane", "resourceVersion": "1"},
            "spec": {"request": STANDARD.encode(pem), "usages": ["client auth"], "signerName": "example.com/users"},
            "status": {"conditions": conditions},
        })
    }

    fn errors(new: &Value, old: &Value, way: Way) -> Vec<String> {
        let mut errors = Errors::default();
        validate_signing_request(&mut errors, &Node::root(new), Some(&Node::root(old)), way, true);
        errors.0.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn is_approved_by_the_subresource_alone() {
        let (open, approved) =
            (signing_request(&json!([])), signing_request(&json!([{"type": "Approved", "status": "True"}])));
        assert_eq!(errors(&approved, &open, Way::Approval), [""; 0]);
        assert_eq!(
            errors(&approved, &open, Way::Status),
            ["status.conditions: Forbidden: updates may not add a condition of type \"Approved\""]
        );
        assert_eq!(
            errors(&open, &approved, Way::Approval),
            ["status.conditions: Forbidden: updates may not remove a condition of type \"Approved\""]
        );
    }

    #[test]
    fn rejects_headers_and_other_blocks_in_a_chain() {
        let refused = |text: &str| refused_certificate(&STANDARD.encode(text).into());
        let block = |kind: &str, headers: &str| {
            format!("-----BEGIN {kind}-----\n{headers}Zm9v\n-----END {kind}-----\n")
        };
        assert_eq!(refused(""), None);
        assert_eq!(refused(&block("CERTIFICATE", "")), Some("x509: malformed certificate".to_owned()));
        let authority = include_str!("../../testdata/certificates/authority.crt");
        assert_eq!(refused(authority), None);
        assert_eq!(
            refused(&block("CERTIFICATE", "Proc-Type: 4\n\n")),
            Some("no PEM block headers are permitted".to_owned())
        );
        assert_eq!(
            refused(&(authority.to_owned() + &block("PRIVATE KEY", ""))),
            Some("only CERTIFICATE PEM blocks are allowed, found \"PRIVATE KEY\"".to_owned())
        );
        assert_eq!(refused("x"), Some("must contain at least one CERTIFICATE PEM block".to_owned()));
    }
}
