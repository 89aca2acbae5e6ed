//! The status of a request: issued, denied or failed, once. There is no clock: that a certificate begins at about the
//! present time is checked only for those that begin before the first server that has requests.
//!
//! Source: `ValidatePodCertificateRequestStatusUpdate`

use crate::certificates::pod_certificate_request::bytes;
use crate::validation::condition::validate_conditions;
use crate::validation::equal::{is_empty, semantically_equal};
use crate::validation::metadata::validate_object_meta_update;
use crate::validation::node::{Errors, Node};
use crate::x509::parse_certificate;
use crate::x509::public_key::PublicKey;
use crate::x509::request::{KeyInfo, Request};
use crate::{NOW, PeerCertificate};
use gotext::time;
use kube_api::field::Error;
use kube_api::{Value, pem};

const MAX_CHAIN: usize = 100 * 1024;

/// The conditions that end a request.
const ENDS: [&str; 3] = ["Issued", "Denied", "Failed"];

const HOUR: i64 = 60 * 60;

/// The time between a certificate's ends and its renewal.
const MARGIN: i64 = 10 * 60;

/// Implements `ValidatePodCertificateRequestStatusUpdate`.
pub(super) fn validate_status(errors: &mut Errors, object: &Node, old: &Node) {
    let before = errors.len();
    validate_object_meta_update(errors, object, old);
    if errors.len() > before {
        return;
    }
    validate_ends(errors, object);
    validate_conditions(errors, object);
    if errors.len() > before {
        return;
    }
    let (status, old_status) = (object.child("status"), old.child("status"));
    let refuse =
        |errors: &mut Errors, detail: &str| errors.push(Error::invalid_omitted(&status.here(), detail));
    let is_same = || {
        semantically_equal(
            "certificates/v1beta1.PodCertificateRequestStatus",
            status.value(),
            old_status.value(),
        )
    };
    if ENDS.iter().any(|end| has(old, end)) {
        if !is_same() {
            refuse(errors, "immutable after PodCertificateRequest is issued, denied, or failed");
        }
    } else if has(object, "Denied") || has(object, "Failed") {
        let has_more = status.fields().any(|field| field != "conditions" && !is_empty(status.raw(field)));
        if has_more {
            let detail =
                "non-condition status fields must be empty when denying or failing the PodCertificateRequest";
            refuse(errors, detail);
        }
    } else if has(object, "Issued") {
        validate_issued(errors, object, old);
    } else if !is_same() {
        refuse(errors, "status is immutable unless transitioning to \"Issued\", \"Denied\", or \"Failed\"");
    }
}

fn has(object: &Node, kind: &str) -> bool {
    let conditions = object.child("status").list("conditions");
    conditions.iter().any(|condition| condition["type"] == kind && condition["status"] == "True")
}

/// Checks that there is at most one of the known conditions, and that it is true. Upstream writes the index as a field
/// of its own.
fn validate_ends(errors: &mut Errors, object: &Node) {
    let conditions = object.child("status");
    let mut known = 0;
    for (index, condition) in conditions.items("conditions").enumerate() {
        let path = conditions.at("conditions").child(format!("[{index}]"));
        let kind = condition.text("type");
        if !ENDS.contains(&kind) {
            errors.not_supported(&path.child("type"), kind, &ENDS);
            continue;
        }
        known += 1;
        if known > 1 {
            let detail = "There may be at most one condition with type \"Issued\", \"Denied\", or \"Failed\"";
            errors.invalid(&path.child("type"), kind, detail);
        }
        if condition.text("status") != "True" {
            errors.not_supported(&path.child("status"), condition.text("status"), &["True"]);
        }
    }
}

/// Checks the chain of certificates, and the times that go with it.
fn validate_issued(errors: &mut Errors, object: &Node, old: &Node) {
    let status = object.child("status");
    let chain = status.text("certificateChain");
    let path = status.at("certificateChain");
    if chain.len() > MAX_CHAIN {
        return errors.too_long(&path, MAX_CHAIN);
    }
    let blocks = pem::blocks(chain);
    let Some(leaf) = blocks.first() else {
        let detail = "issued certificate chain must contain at least one certificate";
        return errors.invalid(&path, chain, detail);
    };
    if leaf.kind != "CERTIFICATE" {
        let detail = "issued certificate chain must consist entirely of CERTIFICATE PEM blocks";
        return errors.invalid(&path, chain, detail);
    }
    let Some(leaf) = PeerCertificate::parse(&leaf.bytes) else {
        return errors.invalid(&path, chain, "leaf certificate does not parse as valid X.509");
    };
    let before = errors.len();
    validate_names(errors, &status, &leaf);
    let spec = old.child("spec");
    let (stub, key) = (bytes(&spec, "stubPKCS10Request"), bytes(&spec, "pkixPublicKey"));
    let (wanted, field, detail) = if stub.is_empty() {
        let key = KeyInfo::parse(&key).ok();
        (key, "pkixPublicKey", "must be a valid PKIX-serialized public key")
    } else {
        let key = Request::parse(&stub).ok().map(|request| request.key);
        (key, "stubPKCS10Request", "must be a valid PKCS#10 CSR")
    };
    let Some(wanted) = wanted else {
        return errors.push(Error::invalid_omitted(&spec.at(field), detail));
    };
    if let wanted @ PublicKey::Signing(_) = wanted.key()
        && leaf.key() != wanted
    {
        return errors.invalid(&path, chain, "leaf certificate was not issued to the requested public key");
    }
    for (field, detail) in [
        ("notBefore", "must be present and consistent with the issued certificate"),
        ("notAfter", "must be present and consistent with the issued certificate"),
        ("beginRefreshAt", "must be present and in the range [notbefore+10min, notafter-10min]"),
    ] {
        if !status.has(field) {
            errors.required(&status.at(field), detail);
        }
    }
    if errors.len() > before || !validate_times(errors, object, &leaf) {
        return;
    }
    for block in &blocks[1..] {
        if block.kind != "CERTIFICATE" {
            let detail = "issued certificate chain must consist entirely of CERTFICATE PEM blocks";
            return errors.invalid(&path, chain, detail);
        }
        if parse_certificate(&block.bytes).is_err() {
            return errors.invalid(&path, chain, "intermediate certificate does not parse as valid X.509");
        }
    }
}

/// Checks the names that the certificate is for.
fn validate_names(errors: &mut Errors, status: &Node, leaf: &PeerCertificate<'_>) {
    let Some(names) = leaf.alternatives() else { return };
    let path = status.at("certificateChain");
    for name in &names.hosts {
        if name.is_empty() {
            errors.invalid(&path, name, "leaf certificate should not contain empty DNSName");
        }
        if name.contains("..") {
            errors.invalid(&path, name, "leaf certificate's DNSName should not contain '..'");
        }
        if name.starts_with('.') || name.ends_with('.') {
            errors.invalid(&path, name, "leaf certificate's DNSName should not start or end with '.'");
        }
    }
    for mail in names.mails.iter().filter(|mail| !is_address(mail)) {
        errors.invalid(&path, mail, "leaf certificate should not contain invalid EmailAddress");
    }
}

/// Whether `text` is a plain mail address; names before addresses and comments, which certificates do not have, are
/// not.
fn is_address(text: &str) -> bool {
    let is_word = |text: &str| {
        let is_letter = |character: char| {
            character.is_alphanumeric() || "!#$%&'*+-/=?^_`{|}~".contains(character) || !character.is_ascii()
        };
        !text.is_empty() && text.chars().all(is_letter)
    };
    let Some((local, domain)) = text.rsplit_once('@') else { return false };
    local.split('.').all(is_word) && domain.split('.').all(is_word)
}

/// Checks the times; returns whether they fit.
fn validate_times(errors: &mut Errors, object: &Node, leaf: &PeerCertificate<'_>) -> bool {
    let status = object.child("status");
    let seconds = |field: &str| time::parse_rfc3339(status.text(field)).map_or(0, |(seconds, _)| seconds);
    let [begin, end] = leaf.validity();
    let refuse = |errors: &mut Errors, field: &'static str, detail: &str| {
        errors.invalid(&status.at(field), status.text(field), detail);
        false
    };
    if seconds("notBefore") != begin {
        let detail = "must be set to the NotBefore time encoded in the leaf certificate";
        return refuse(errors, "notBefore", detail);
    }
    let first = time::parse_rfc3339(NOW).map_or(0, |(seconds, _)| seconds);
    if begin < first - 5 * 60 {
        let detail = "must be set to within 5 minutes of kube-apiserver's current time";
        return refuse(errors, "notBefore", detail);
    }
    if seconds("notAfter") != end {
        return refuse(
            errors,
            "notAfter",
            "must be set to the NotAfter time encoded in the leaf certificate",
        );
    }
    let most = object.child("spec").int("maxExpirationSeconds");
    let lifetime = end - begin;
    if lifetime < HOUR || lifetime > most {
        let detail = if lifetime < HOUR {
            "leaf certificate lifetime must be >= 1 hour".to_owned()
        } else {
            format!("leaf certificate lifetime must be <= spec.maxExpirationSeconds ({most})")
        };
        let nanoseconds = Value::from(lifetime.saturating_mul(1_000_000_000));
        errors.invalid_value(&status.at("certificateChain"), &nanoseconds, detail);
        return false;
    }
    let refresh = seconds("beginRefreshAt");
    if refresh < begin + MARGIN {
        return refuse(errors, "beginRefreshAt", "must be at least 10 minutes after status.notBefore");
    }
    if refresh > end - MARGIN {
        return refuse(errors, "beginRefreshAt", "must be at least 10 minutes before status.notAfter");
    }
    true
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use rcgen::{CertificateParams, DnType, KeyPair, PublicKeyData as _, date_time_ymd};

    use super::*;
    use crate::of;
    use crate::strategy::Context;
    use gotext::value::json;
    use kube_api::server_profile::ServerProfile;
    use kube_api::{GroupVersionKind, Object};

    fn request(key: &[u8], status: &Value) -> Object {
        let kind = GroupVersionKind::new("certificates.k8s.io", "v1beta1", "PodCertificateRequest");
        let spec = json!({"pkixPublicKey": STANDARD.encode(key), "maxExpirationSeconds": 2 * 24 * HOUR});
        let metadata = json!({"name": "web", "namespace": "shop", "resourceVersion": "1"});
        Object::new(kind, json!({"metadata": metadata, "spec": spec, "status": status}))
    }

    fn condition(kind: &str, status: &str) -> Value {
        json!({"type": kind, "status": status, "reason": "Signer", "message": "",
               "lastTransitionTime": "2026-01-01T00:00:00Z"})
    }

    fn errors(key: &[u8], old: &Value, new: &Value) -> Vec<String> {
        let (object, old) = (request(key, new), request(key, old));
        let profile = ServerProfile::default();
        let context = Context::new(&profile);
        let errors = of(&object.kind).unwrap().validate_update(&object, &old, "status", &context);
        errors.iter().map(ToString::to_string).collect()
    }

    /// Returns a key and a certificate for it, valid on one day.
    fn certificate() -> (Vec<u8>, String) {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(vec!["web.example.com".to_owned()]).unwrap();
        params.distinguished_name.push(DnType::CommonName, "web");
        params.not_before = date_time_ymd(2026, 1, 1);
        params.not_after = date_time_ymd(2026, 1, 2);
        (key.subject_public_key_info(), params.self_signed(&key).unwrap().pem())
    }

    fn issued(chain: &str) -> Value {
        json!({
            "conditions": [condition("Issued", "True")], "certificateChain": chain,
            "notBefore": "2026-01-01T00:00:00Z", "notAfter": "2026-01-02T00:00:00Z",
            "beginRefreshAt": "2026-01-01T12:00:00Z",
        })
    }

    #[test]
    fn admits_a_certificate_for_the_key() {
        let (key, chain) = certificate();
        assert_eq!(errors(&key, &json!({}), &issued(&chain)), [""; 0]);
        let denied = json!({"conditions": [condition("Denied", "True")]});
        assert_eq!(errors(&key, &json!({}), &denied), [""; 0]);
        assert_eq!(errors(&key, &denied, &denied), [""; 0]);
    }

    #[test]
    fn rejects_a_certificate_for_another_key_or_other_times() {
        let ((key, chain), (other, _)) = (certificate(), certificate());
        let refused = errors(&other, &json!({}), &issued(&chain));
        assert_eq!(refused.len(), 1);
        assert!(refused[0].ends_with(": leaf certificate was not issued to the requested public key"));
        assert_eq!(
            errors(b"key", &json!({}), &issued(&chain)),
            ["spec.pkixPublicKey: Invalid value: must be a valid PKIX-serialized public key"]
        );
        let mut status = issued(&chain);
        status["notAfter"] = "2026-01-03T00:00:00Z".into();
        assert_eq!(
            errors(&key, &json!({}), &status),
            [
                "status.notAfter: Invalid value: \"2026-01-03T00:00:00Z\": must be set to the NotAfter time encoded in \
                 the leaf certificate"
            ]
        );
        let mut status = issued(&chain);
        status["beginRefreshAt"] = "2026-01-01T00:09:59Z".into();
        assert_eq!(
            errors(&key, &json!({}), &status),
            [
                "status.beginRefreshAt: Invalid value: \"2026-01-01T00:09:59Z\": must be at least 10 minutes after \
                 status.notBefore"
            ]
        );
        let empty = json!({"conditions": [condition("Issued", "True")]});
        assert_eq!(
            errors(&key, &json!({}), &empty),
            [
                "status.certificateChain: Invalid value: \"\": issued certificate chain must contain at least one \
                 certificate"
            ]
        );
    }

    #[test]
    fn rejects_changes_that_end_nothing() {
        let status = json!({"notBefore": "2026-01-01T00:00:00Z"});
        assert_eq!(
            errors(b"", &json!({}), &status),
            [
                "status: Invalid value: status is immutable unless transitioning to \"Issued\", \"Denied\", or \
                 \"Failed\""
            ]
        );
        let failed = json!({"conditions": [condition("Failed", "True")]});
        let mut more = failed.clone();
        more["notBefore"] = "2026-01-01T00:00:00Z".into();
        assert_eq!(
            errors(b"", &json!({}), &more),
            ["status: Invalid value: non-condition status fields must be empty when denying or failing the \
                 PodCertificateRequest"]
        );
        assert_eq!(
            errors(b"", &failed, &json!({})),
            ["status: Invalid value: immutable after PodCertificateRequest is issued, denied, or failed"]
        );
    }

    #[test]
    fn rejects_other_conditions() {
        let conditions =
            [condition("Issued", "False"), condition("Denied", "True"), condition("Done", "True")];
        assert_eq!(
            errors(b"", &json!({}), &json!({"conditions": conditions})),
            [
                "status.conditions.[0].status: Unsupported value: \"False\": supported values: \"True\"",
                "status.conditions.[1].type: Invalid value: \"Denied\": There may be at most one condition with type \
                 \"Issued\", \"Denied\", or \"Failed\"",
                "status.conditions.[2].type: Unsupported value: \"Done\": supported values: \"Issued\", \"Denied\", \
                 \"Failed\"",
            ]
        );
    }
}
