//! Certificate signing requests, bundles of trusted roots, requests of Pods for certificates.
//!
//! Of certificates and keys it is seen that they are there, in the form that holds them; requests are parsed, and no
//! signature is checked. The status of a request of a Pod is not looked at.
//!
//! Source: `k8s.io/kubernetes/pkg/apis/certificates/validation`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::core::{decoded_length, validate_meta};
use super::equal::semantically_equal;
use super::metadata::{
    Scope, name_is_dns_subdomain, validate_immutable_field, validate_object_meta, validate_object_meta_update,
};
use super::node::{Errors, IMMUTABLE, Node};
use super::pod::validate_signer_name;
use super::printed::internal;
use crate::api::field::{Error, Path};
use crate::api::{Value, names, pem};
use crate::go::quote;
use crate::registry::certificate_request::Subject;

const LEGACY_SIGNER: &str = "kubernetes.io/legacy-unknown";
const DECISIONS: [&str; 2] = ["Approved", "Denied"];
const FINAL: [&str; 3] = ["Approved", "Denied", "Failed"];
const MAX_TRUST_BUNDLE: usize = 1024 * 1024;
const MAX_UID: usize = 128;
const MAX_KEY: usize = 10 * 1024;
const MAX_ANNOTATIONS: usize = 256 * 1024;
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

/// Through what a signing request is changed, which says what may change.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Way {
    Whole,
    Status,
    Approval,
}

/// `ValidateCertificateSigningRequestCreate`, and the three ways of updating one where there is an old one.
pub(super) fn validate_signing_request(errors: &mut Errors, object: &Node, old: Option<&Node>, way: Way) {
    validate_object_meta(errors, object, Scope::Cluster, |_, _| Vec::new());
    let spec = object.child("spec");
    let before = old.map(|old| old.child("spec"));
    if let Err(error) = Subject::of_request(spec.text("request")) {
        errors.invalid_value(&spec.at("request"), spec.raw("request"), error);
    }
    validate_usages(errors, &spec, before.as_ref());
    let signer = spec.text("signerName");
    let keeps_legacy = before.is_some_and(|before| before.text("signerName") == LEGACY_SIGNER);
    if signer == LEGACY_SIGNER && !keeps_legacy {
        let detail = "the legacy signerName is not allowed via this API version";
        errors.invalid(&spec.at("signerName"), signer, detail);
    } else {
        validate_signer_name(errors, signer, &spec.at("signerName"));
    }
    if let Some(seconds) = spec.number("expirationSeconds").filter(|seconds| *seconds < 600) {
        let detail = "may not specify a duration less than 600 seconds (10 minutes)";
        errors.invalid_int(&spec.at("expirationSeconds"), seconds, detail);
    }
    let (status, old_status) = (object.child("status"), old.map(|old| old.child("status")));
    validate_conditions(errors, &status, old_status.as_ref());
    let certificate = |status: &Node| refused_certificate(status.raw("certificate"));
    let tolerated = old_status
        .as_ref()
        .is_some_and(|old| old.raw("certificate") == status.raw("certificate") || certificate(old).is_some());
    if let Some(detail) = certificate(&status).filter(|_| !tolerated) {
        errors.invalid(&status.at("certificate"), "<certificate data>", detail);
    }
    if let (Some(old), Some(old_status)) = (old, old_status) {
        validate_status_changes(errors, &status, &old_status, way);
        validate_object_meta_update(errors, object, old);
    }
}

/// The types of the PEM blocks in base64 text.
fn pem_types(encoded: &Value) -> Vec<String> {
    let bytes = STANDARD.decode(encoded.as_str().unwrap_or_default()).unwrap_or_default();
    pem::blocks(&String::from_utf8_lossy(&bytes)).into_iter().map(|block| block.kind).collect()
}

fn validate_usages(errors: &mut Errors, spec: &Node, before: Option<&Node>) {
    fn is_unknown(usage: &str) -> bool {
        !USAGES.contains(&usage)
    }
    let usages: Vec<&str> = spec.texts("usages").collect();
    let old: Vec<&str> = before.map(|before| before.texts("usages").collect()).unwrap_or_default();
    let path = |index: usize| spec.at("usages").index(index);
    if usages.is_empty() {
        errors.required(&spec.at("usages"), "");
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

/// `validateConditions`
fn validate_conditions(errors: &mut Errors, status: &Node, old: Option<&Node>) {
    let old = old.map(condition_types).unwrap_or_default();
    let both_allowed = DECISIONS.iter().all(|decision| old.contains(decision));
    let types = condition_types(status);
    for (index, condition) in status.items("conditions").enumerate() {
        let kind = types[index];
        if !old.contains(&"") {
            errors.require_text(&condition, "type");
        }
        let allowed: &[&str] = if FINAL.contains(&kind) { &["True"] } else { &["False", "True", "Unknown"] };
        errors.require_one_of(&condition, "status", allowed);
        let other = if kind == DECISIONS[0] { DECISIONS[1] } else { DECISIONS[0] };
        if !both_allowed && DECISIONS.contains(&kind) && types[..index].contains(&other) {
            let detail = "Approved and Denied conditions are mutually exclusive";
            errors.invalid(&status.at("conditions"), kind, detail);
        }
        if !has_duplicates(&old) && types[..index].contains(&kind) {
            errors.duplicate(&condition.at("type"), kind);
        }
    }
}

/// What `validateCertificate` says as far as nothing has to be parsed.
fn refused_certificate(certificate: &Value) -> Option<String> {
    if decoded_length(certificate) == 0 {
        return None;
    }
    let types = pem_types(certificate);
    match types.iter().find(|kind| *kind != "CERTIFICATE") {
        Some(other) => Some(format!("only CERTIFICATE PEM blocks are allowed, found {}", quote(other))),
        None if types.is_empty() => Some("must contain at least one CERTIFICATE PEM block".to_owned()),
        None => None,
    }
}

/// What is left of `validateCertificateSigningRequestUpdate`. The difference that the server appends to a condition
/// that changes is left out.
fn validate_status_changes(errors: &mut Errors, status: &Node, old: &Node, way: Way) {
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
            errors.forbidden(&path(), format!("updates may not modify a condition of type \"{kind}\"\n"));
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

/// `ValidateClusterTrustBundle`, and `ValidateClusterTrustBundleUpdate` where there is an old one.
pub(super) fn validate_cluster_trust_bundle(errors: &mut Errors, object: &Node, old: Option<&Node>) {
    let (metadata, spec) = (object.child("metadata"), object.child("spec"));
    let signer = spec.text("signerName");
    let rule = |name: &str, prefix: bool| {
        if signer.is_empty() {
            if name.contains(':') {
                let message = "ClusterTrustBundle without signer name must not have \":\" in its name";
                return vec![message.to_owned()];
            }
            return name_is_dns_subdomain(name, prefix);
        }
        let start = format!("{}:", signer.replace('/', ":"));
        match name.strip_prefix(&start) {
            Some(rest) => name_is_dns_subdomain(rest, prefix),
            None => {
                vec![format!("ClusterTrustBundle for signerName {signer} must be named with prefix {start}")]
            }
        }
    };
    super::metadata::validate_names_by(errors, &metadata, rule);
    super::metadata::validate_object_meta_common(errors, &metadata, Scope::Cluster);
    super::metadata::validate_kube_finalizers(errors, &metadata);
    if !signer.is_empty() {
        validate_signer_name(errors, signer, &spec.at("signerName"));
    }
    let before = old.map(|old| old.child("spec"));
    if before.as_ref().is_none_or(|before| before.text("trustBundle") != spec.text("trustBundle")) {
        validate_trust_bundle(errors, spec.text("trustBundle"), &spec.at("trustBundle"));
    }
    if let (Some(old), Some(before)) = (old, before) {
        validate_object_meta_update(errors, object, old);
        validate_immutable_field(errors, &spec, &before, "signerName");
    }
}

/// `validateTrustBundle`, as far as nothing has to be parsed.
fn validate_trust_bundle(errors: &mut Errors, bundle: &str, path: &Path) {
    if bundle.len() > MAX_TRUST_BUNDLE {
        errors.too_long(path, MAX_TRUST_BUNDLE);
        return;
    }
    let types: Vec<String> = pem::blocks(bundle).into_iter().map(|block| block.kind).collect();
    let before = errors.len();
    for (index, kind) in types.iter().enumerate().filter(|(_, kind)| *kind != "CERTIFICATE") {
        errors.invalid(path, "<value omitted>", format!("entry {index} has bad block type: {kind}"));
    }
    if errors.len() == before && types.is_empty() {
        errors.invalid(path, "<value omitted>", "at least one trust anchor must be provided");
    }
}

/// `ValidatePodCertificateRequestCreate`, and `ValidatePodCertificateRequestUpdate` where there is an old one.
pub(super) fn validate_pod_certificate_request(errors: &mut Errors, object: &Node, old: Option<&Node>) {
    validate_meta(errors, object, old, Scope::Namespaced, name_is_dns_subdomain);
    let spec = object.child("spec");
    if let Some(old) = old {
        if !semantically_equal(spec.value(), old.raw("spec")) {
            let printed = internal(spec.value(), "certificates/v1beta1.PodCertificateRequestSpec");
            errors.invalid_printed(&spec.here(), printed, IMMUTABLE);
        }
        return;
    }
    let signer = spec.text("signerName");
    validate_signer_name(errors, signer, &spec.at("signerName"));
    validate_user_annotations(errors, &spec);
    for (name, uid) in
        [("podName", "podUID"), ("serviceAccountName", "serviceAccountUID"), ("nodeName", "nodeUID")]
    {
        errors.each_of(&spec, name, name_is_dns_subdomain(spec.text(name), false));
        match spec.text(uid).len() {
            0 => errors.invalid(&spec.at(uid), "", "must not be empty"),
            length if length > MAX_UID => errors.too_long(&spec.at(uid), MAX_UID),
            _ => {}
        }
    }
    let Some(seconds) = spec.number("maxExpirationSeconds") else {
        errors.required(&spec.at("maxExpirationSeconds"), "must be set");
        return;
    };
    let host = signer.split('/').next().unwrap_or_default();
    let days = if host == "kubernetes.io" || host.ends_with(".kubernetes.io") { 1 } else { 91 };
    let (least, most) = (60 * 60, days * 24 * 60 * 60);
    if !(least..=most).contains(&seconds) {
        let detail = format!("must be in the range [{least}, {most}]");
        errors.invalid_int(&spec.at("maxExpirationSeconds"), seconds, detail);
    }
    let [stub, key, proof] = ["stubPKCS10Request", "pkixPublicKey", "proofOfPossession"]
        .map(|field| (field, decoded_length(spec.raw(field))));
    let used: &[(&'static str, usize)] = match (stub.1 > 0, key.1 > 0, proof.1 > 0) {
        (true, false, false) => &[stub],
        (false, true, true) => &[key, proof],
        _ => {
            let detail =
                "exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set";
            errors.push(Error::invalid_omitted(&spec.here(), detail));
            return;
        }
    };
    if let Some((field, _)) = used.iter().find(|(_, length)| *length > MAX_KEY) {
        errors.too_long(&spec.at(field), MAX_KEY);
    }
}

/// `ValidateUserAnnotations`
fn validate_user_annotations(errors: &mut Errors, spec: &Node) {
    const FIELD: &str = "unverifiedUserAnnotations";
    let mut size = 0;
    for (key, value) in spec.pairs(FIELD) {
        size += key.len() + value.len();
        let key = key.to_lowercase();
        let messages = names::is_qualified_name(&key);
        if key.is_empty() {
            errors.required(&spec.at(FIELD), "");
        } else if messages.is_empty() && !key.contains('/') {
            let detail = "must be a domain-prefixed key (such as \"acme.io/foo\")";
            errors.invalid(&spec.at(FIELD), &key, detail);
        } else {
            errors.each(|| spec.at(FIELD), &key, messages);
        }
    }
    if size > MAX_ANNOTATIONS {
        errors.too_long(&spec.at(FIELD), MAX_ANNOTATIONS);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json;

    fn request(conditions: &Value) -> Value {
        let pem = include_str!("../../../testdata/certificates/developers.csr");
        json!({
            "metadata": {"name": "jane", "resourceVersion": "1"},
            "spec": {"request": STANDARD.encode(pem), "usages": ["client auth"], "signerName": "example.com/users"},
            "status": {"conditions": conditions},
        })
    }

    fn errors(new: &Value, old: &Value, way: Way) -> Vec<String> {
        let mut errors = Errors::default();
        validate_signing_request(&mut errors, &Node::root(new), Some(&Node::root(old)), way);
        errors.0.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn is_approved_by_the_subresource_alone() {
        let (open, approved) =
            (request(&json!([])), request(&json!([{"type": "Approved", "status": "True"}])));
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
}
