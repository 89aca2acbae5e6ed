//! Requests for certificates of Pods.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/certificates`.

mod status;

use crate::preparation::keep_spec_and_metadata;
use crate::strategy::{ObjectStatus, Scope, Strategy, SubResource};
use crate::validation::core::{decoded_length, validate_meta};
use crate::validation::equal::plainly_equal;
use crate::validation::metadata::name_is_dns_subdomain;
use crate::validation::node::{Errors, IMMUTABLE, Node};
use crate::validation::pod::{validate_signer_name, validate_user_annotations};
use crate::x509::public_key::PublicKey;
use crate::x509::request::{KeyInfo, Request};
use crate::x509::signature::{Hash, Key, Padding, is_made_by};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kube_api::Map;
use kube_api::field::Error;
use kube_api::tree::{child_or_insert, set_if_absent};

/// The strategy of `PodCertificateRequest`.
pub(crate) static STRATEGY: Strategy = Strategy {
    versions: &["v1", "v1beta1"],
    allow_unconditional_update: false,
    defaults: Some(|object, _, _| set_defaults(object)),
    status: ObjectStatus::Controllers,
    validate: Some(|errors, object, old, _| {
        validate_pod_certificate_request(errors, object, old);
    }),
    sub_resources: &[SubResource {
        prepare_for_update: Some(keep_spec_and_metadata),
        validate_update: Some(|errors, object, old, _| status::validate_status(errors, object, old)),
        ..SubResource::new("status")
    }],
    ..Strategy::new("certificates.k8s.io", "PodCertificateRequest")
};

/// Sets the defaults of `PodCertificateRequest`.
fn set_defaults(request: &mut Map) {
    set_if_absent(child_or_insert(request, "spec"), "maxExpirationSeconds", 86400);
}

const MAX_UID: usize = 128;

const MAX_KEY: usize = 10 * 1024;

/// Runs `ValidatePodCertificateRequestCreate`, and `ValidatePodCertificateRequestUpdate` if there is an old object.
fn validate_pod_certificate_request(errors: &mut Errors, object: &Node, old: Option<&Node>) {
    validate_meta(errors, object, old, Scope::Namespaced, name_is_dns_subdomain);
    let spec = object.child("spec");
    if let Some(old) = old {
        if !plainly_equal(spec.value(), old.raw("spec")) {
            errors.invalid_internal(
                &spec.here(),
                "certificates/v1beta1.PodCertificateRequestSpec",
                spec.value(),
                IMMUTABLE,
            );
        }
        return;
    }
    let signer = spec.text("signerName");
    validate_signer_name(errors, signer, &spec.at("signerName"));
    validate_user_annotations(errors, &spec, "unverifiedUserAnnotations");
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
        return;
    }
    if key.1 > 0 {
        validate_public_key(errors, &spec);
    } else {
        validate_stub(errors, &spec);
    }
}

fn bytes(spec: &Node, field: &'static str) -> Vec<u8> {
    STANDARD.decode(spec.text(field)).unwrap_or_default()
}

/// What is wrong with a key that Go can read.
#[derive(Clone, Debug, PartialEq, Eq)]
enum KeyFault {
    /// The server does not support keys of this type.
    Type,
    /// The name of a curve that is too small.
    Curve(&'static str),
    /// The bits of a modulus of another size.
    Size(usize),
}

const TYPE: &str = "unknown public key type; supported types are Ed25519, ECDSA, and RSA";

const SIZE: &str = "RSA keys must have modulus size 3072 or 4096";

/// Returns what is wrong with a key.
fn key_fault(key: PublicKey<'_>) -> Option<KeyFault> {
    match key {
        PublicKey::Other | PublicKey::Unknown => Some(KeyFault::Type),
        PublicKey::Signing(Key::P224(_)) => Some(KeyFault::Curve("curve P-224")),
        PublicKey::Signing(Key::Rsa { modulus, .. }) => {
            let size = modulus.strip_prefix(&[0]).unwrap_or(modulus).len() * 8;
            (!matches!(size, 3072 | 4096)).then_some(KeyFault::Size(size))
        }
        PublicKey::Signing(_) => None,
    }
}

/// Checks that the key is valid and of a supported type and size, and that it made the signature.
///
/// Source: `validateDeprecatedPKIXPublicKey`
fn validate_public_key(errors: &mut Errors, spec: &Node) {
    const FIELD: &str = "pkixPublicKey";
    const PROOF: &str = "proofOfPossession";
    let der = bytes(spec, FIELD);
    let path = || spec.at(FIELD);
    let Ok(info) = KeyInfo::parse(&der) else {
        return errors.invalid(&path(), spec.text(FIELD), "must be a valid PKIX-serialized public key");
    };
    match key_fault(info.key()) {
        None => {
            let (message, proof) = (spec.text("podUID").as_bytes(), bytes(spec, PROOF));
            let is_made = |key| is_made_by(key, (Hash::Sha256, Padding::Pss), message, &proof);
            if !matches!(info.key(), PublicKey::Signing(key) if is_made(key)) {
                let detail = "could not verify proof-of-possession signature";
                errors.push(Error::invalid_omitted(&spec.at(PROOF), detail));
            }
        }
        Some(KeyFault::Type) => errors.invalid(&path(), spec.text(FIELD), TYPE),
        Some(KeyFault::Curve(curve)) => {
            errors.invalid(&path(), curve, "elliptic public keys must use curve P256 or P384");
        }
        Some(KeyFault::Size(size)) => errors.invalid(&path(), &format!("{size}-bit modulus"), SIZE),
    }
}

/// Checks that the request is one, that its key is of a supported type and size, and that the key made its signature.
///
/// Source: `validateStubPKCS10Request`
fn validate_stub(errors: &mut Errors, spec: &Node) {
    const FIELD: &str = "stubPKCS10Request";
    let path = || spec.at(FIELD);
    let der = bytes(spec, FIELD);
    let Ok(request) = Request::parse(&der) else {
        return errors.push(Error::invalid_omitted(&path(), "must be a valid PKCS#10 CSR"));
    };
    match key_fault(request.key.key()) {
        None if request.check_signature().is_ok() => {}
        None => errors.push(Error::invalid_omitted(&path(), "invalid signature")),
        // A request with a key of an unknown type is one without a key.
        Some(KeyFault::Type) => errors.push(Error::invalid_omitted(&path(), TYPE)),
        Some(KeyFault::Curve(curve)) => {
            errors.invalid(&path(), curve, "elliptic public keys must use curve P256, P384, or P521");
        }
        Some(KeyFault::Size(size)) => errors.invalid(&path(), &format!("{size}-bit modulus"), SIZE),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validation::node::Errors;
    use gotext::value::json;

    /// Returns the errors about a key of the algorithm `oid` with the parameters `parameters`, both in DER.
    fn errors(algorithm: &[u8], key: &[u8]) -> Vec<String> {
        let sequence = |tag: u8, content: &[u8]| {
            let mut der = vec![tag, u8::try_from(content.len()).unwrap()];
            der.extend(content);
            der
        };
        let bits = sequence(3, &[&[0], key].concat());
        let der = sequence(0x30, &[sequence(0x30, algorithm), bits].concat());
        let spec = json!({"pkixPublicKey": STANDARD.encode(der)});
        let mut errors = Errors::default();
        validate_public_key(&mut errors, &Node::root(&spec));
        errors.0.iter().map(ToString::to_string).collect()
    }

    const ED25519: [u8; 5] = [6, 3, 0x2b, 0x65, 0x70];
    const X25519: [u8; 5] = [6, 3, 0x2b, 0x65, 0x6e];
    const OTHER: [u8; 5] = [6, 3, 0x2b, 0x65, 0x7f];
    const EC_P224: [u8; 16] = [6, 7, 0x2a, 0x86, 0x48, 0xce, 0x3d, 2, 1, 6, 5, 0x2b, 0x81, 4, 0, 0x21];
    const POINT_OF_P224: &str =
        "BL9Am4ClM/ITbEcHDVw4MDSDUKkRCAmXkN+iNcH56bTNQvD6v93UTu+TZmHeBml5NeyFV6tkmy4s";

    #[test]
    fn admits_and_rejects_keys_by_type() {
        let unproven = "proofOfPossession: Invalid value: could not verify proof-of-possession signature";
        assert_eq!(errors(&ED25519, &[1; 32]), [unproven]);
        assert_eq!(
            errors(&EC_P224, &STANDARD.decode(POINT_OF_P224).unwrap()),
            [
                "pkixPublicKey: Invalid value: \"curve P-224\": elliptic public keys must use curve P256 or P384"
            ]
        );
        assert_eq!(
            errors(&X25519, &[1; 32]),
            [
                "pkixPublicKey: Invalid value: \"MCowBQYDK2VuAyEAAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=\": unknown public key type; supported types are \
                 Ed25519, ECDSA, and RSA"
            ]
        );
        assert_eq!(
            errors(&OTHER, &[1]),
            [
                "pkixPublicKey: Invalid value: \"MAswBQYDK2V/AwIAAQ==\": must be a valid PKIX-serialized public key"
            ]
        );
    }
}
