//! Requests for certificates of Pods.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/certificates`.

mod status;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use x509_cert::der::asn1::{Any, ObjectIdentifier, Uint};
use x509_cert::der::{Decode, SliceReader};
use x509_cert::request::CertReq;
use x509_cert::spki::SubjectPublicKeyInfoRef;

use crate::api::field::Error;
use crate::api::tree::{child_or_insert, set_if_absent};
use crate::api::{Map, internal_json, names};
use crate::registry::store::keep_spec_and_metadata;
use crate::registry::strategy::{ObjectStatus, Scope, Storage, Strategy, SubResource};
use crate::registry::validation::core::{decoded_length, validate_meta};
use crate::registry::validation::equal::plainly_equal;
use crate::registry::validation::metadata::name_is_dns_subdomain;
use crate::registry::validation::node::{Errors, IMMUTABLE, Node};
use crate::registry::validation::pod::validate_signer_name;

/// The strategy of `PodCertificateRequest`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "certificates.k8s.io",
    kind: "PodCertificateRequest",
    resource: "podcertificaterequests",
    versions: &["v1beta1"],
    scope: Scope::Namespaced,
    storage: Storage::Stored,
    allow_create_on_update: false,
    allow_unconditional_update: false,
    defaults: Some(|object, _, _| set_defaults(object)),
    default_times: None,
    status: ObjectStatus::Controllers,
    prepare_for_create: None,
    prepare_for_update: None,
    gated: &[],
    prepared_times: None,
    as_validated: None,
    validate: Some(|errors, object, old, _| {
        validate_pod_certificate_request(errors, object, old);
    }),
    refuse: None,
    warnings: None,
    sub_resources: &[SubResource {
        name: "status",
        prepare_for_update: Some(keep_spec_and_metadata),
        prepared_times: None,
        validate_update: Some(|errors, object, old, _| status::validate_status(errors, object, old)),
        warnings: None,
    }],
};

/// Sets the defaults of `PodCertificateRequest`.
fn set_defaults(request: &mut Map) {
    set_if_absent(child_or_insert(request, "spec"), "maxExpirationSeconds", 86400);
}

const MAX_UID: usize = 128;

const MAX_KEY: usize = 10 * 1024;

const MAX_ANNOTATIONS: usize = 256 * 1024;

/// Runs `ValidatePodCertificateRequestCreate`, and `ValidatePodCertificateRequestUpdate` if there is an old object.
fn validate_pod_certificate_request(errors: &mut Errors, object: &Node, old: Option<&Node>) {
    validate_meta(errors, object, old, Scope::Namespaced, name_is_dns_subdomain);
    let spec = object.child("spec");
    if let Some(old) = old {
        if !plainly_equal(spec.value(), old.raw("spec")) {
            let printed =
                internal_json::internal("certificates/v1beta1.PodCertificateRequestSpec", spec.value());
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
        return;
    }
    if key.1 > 0 {
        validate_public_key(errors, &spec);
    } else if CertReq::from_der(&bytes(&spec, stub.0)).is_err() {
        errors.push(Error::invalid_omitted(&spec.at(stub.0), "must be a valid PKCS#10 CSR"));
    }
}

fn bytes(spec: &Node, field: &'static str) -> Vec<u8> {
    STANDARD.decode(spec.text(field)).unwrap_or_default()
}

/// Checks that the key is valid and of a supported type and size. Deliberately absent: whether the key made the
/// signature.
///
/// Source: `validateDeprecatedPKIXPublicKey`
fn validate_public_key(errors: &mut Errors, spec: &Node) {
    const FIELD: &str = "pkixPublicKey";
    const RSA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.1");
    const EC: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.2.1");
    const P224: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.132.0.33");
    let der = bytes(spec, FIELD);
    let Ok(info) = SubjectPublicKeyInfoRef::from_der(&der) else {
        let detail = "must be a valid PKIX-serialized public key";
        return errors.invalid(&spec.at(FIELD), spec.text(FIELD), detail);
    };
    if info.algorithm.oid == EC && info.algorithm.parameters_oid() == Ok(P224) {
        let detail = "elliptic public keys must use curve P256 or P384";
        errors.invalid(&spec.at(FIELD), "curve P-224", detail);
    } else if info.algorithm.oid == RSA {
        let size = rsa_size(info.subject_public_key.raw_bytes());
        if !matches!(size, 3072 | 4096) {
            let detail = "RSA keys must have modulus size 3072 or 4096";
            errors.invalid(&spec.at(FIELD), &format!("{size}-bit modulus"), detail);
        }
    }
}

/// Returns the bits of an RSA modulus, rounded up to bytes.
fn rsa_size(key: &[u8]) -> usize {
    let modulus = Any::from_der(key).ok().and_then(|sequence| {
        let content = sequence.value().to_vec();
        let mut reader = SliceReader::new(&content).ok()?;
        let modulus = Uint::decode(&mut reader).ok()?;
        Some(modulus.as_bytes().len())
    });
    modulus.unwrap_or_default() * 8
}

/// Implements `ValidateUserAnnotations`.
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
