//! Secrets.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/core`.

use crate::strategy::{Scope, Strategy};
use crate::validation::core::{MAX_SECRET_SIZE, decoded_length, validate_immutable_data};
use crate::validation::metadata::{name_is_dns_subdomain, validate_object_meta, validate_object_meta_update};
use crate::validation::node::{Errors, IMMUTABLE, Node};
use crate::warnings::Warnings;
use crate::x509::parse_certificate;
use crate::x509::private_key::PrivateKey;
use crate::x509::public_key::PublicKey;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gotext::encoding_json;
use gotext::names;
use kube_api::tree::{child_or_insert, copy, set_if_zero};
use kube_api::{Map, Object, Value, pem};

/// The strategy of `Secret`.
pub(crate) static STRATEGY: Strategy = Strategy {
    defaults: Some(|object, _, _| set_defaults(object)),
    prepare_for_update: Some(|secret, old, _| {
        if secret.text("type").is_empty() {
            copy(secret, old, "type");
        }
    }),
    validate: Some(|errors, object, old, _| validate_secret(errors, object, old)),
    warnings: Some(warnings),
    ..Strategy::new("", "Secret")
};

fn warnings(secret: &Object, _: Option<&Object>, warnings: &mut Warnings<'_>) {
    if let Value::Object(map) = &secret.value
        && map.text("type") == "kubernetes.io/tls"
        && warnings.since(27)
    {
        check_key_pair(map, warnings);
    }
}

/// Writes `stringData` over `data` and drops it.
fn set_defaults(secret: &mut Map) {
    set_if_zero(secret, "type", "Opaque");
    if let Some(Value::Object(texts)) = secret.remove("stringData")
        && !texts.is_empty()
    {
        let encoded = |text: Value| Value::from(STANDARD.encode(text.as_str().unwrap_or_default()));
        child_or_insert(secret, "data").extend(texts.into_iter().map(|(key, text)| (key, encoded(text))));
    }
}

/// Runs `ValidateSecret`, and `ValidateSecretUpdate` if there is an old object.
fn validate_secret(errors: &mut Errors, object: &Node, old: Option<&Node>) {
    if let Some(old) = old {
        validate_object_meta_update(errors, object, old);
        if object.text("type") != old.text("type") {
            errors.invalid(&object.at("type"), object.text("type"), IMMUTABLE);
        }
        validate_immutable_data(errors, object, old, &["data"]);
    }
    validate_object_meta(errors, object, Scope::Namespaced, name_is_dns_subdomain);
    let path = |key: &str| object.at("data").key(key);
    let mut size = 0;
    for (key, value) in object.entries("data") {
        errors.each(|| path(key), key, names::is_config_map_key(key));
        size += decoded_length(value);
    }
    if size > MAX_SECRET_SIZE {
        errors.too_long(&object.at("data"), MAX_SECRET_SIZE);
    }
    let data = object.raw("data");
    let require = |errors: &mut Errors, key: &str| {
        if data.get(key).is_none() {
            errors.required(&path(key), "");
        }
    };
    match object.text("type") {
        "kubernetes.io/service-account-token" => {
            const NAME: &str = "kubernetes.io/service-account.name";
            let metadata = object.child("metadata");
            let name = metadata.raw("annotations").text(NAME);
            if name.is_empty() {
                errors.required(&metadata.at("annotations").key(NAME), "");
            }
        }
        "kubernetes.io/dockercfg" => validate_docker_config(errors, object, ".dockercfg"),
        "kubernetes.io/dockerconfigjson" => validate_docker_config(errors, object, ".dockerconfigjson"),
        "kubernetes.io/basic-auth" if data.get("username").is_none() && data.get("password").is_none() => {
            require(errors, "username");
            require(errors, "password");
        }
        "kubernetes.io/ssh-auth" if data.get("ssh-privatekey").map_or(0, decoded_length) == 0 => {
            errors.required(&path("ssh-privatekey"), "");
        }
        "kubernetes.io/tls" => {
            require(errors, "tls.crt");
            require(errors, "tls.key");
        }
        _ => {}
    }
}

/// Checks that a registry's credentials are a JSON object.
fn validate_docker_config(errors: &mut Errors, object: &Node, key: &'static str) {
    use base64::Engine;

    let path = object.at("data").key(key);
    let Some(text) = object.raw("data").get(key).and_then(Value::as_str) else {
        return errors.required(&path, "");
    };
    let bytes = base64::engine::general_purpose::STANDARD.decode(text).unwrap_or_default();
    let detail = match encoding_json::from_slice(&bytes) {
        Ok(Value::Object(_) | Value::Null) => return,
        Ok(other) => format!(
            "json: cannot unmarshal {} into Go value of type map[string]interface {{}}",
            encoding_json::kind(&other)
        ),
        Err(error) => error,
    };
    errors.invalid(&path, "<secret contents redacted>", detail);
}

/// Warns if `tls.crt` has no certificate, or `tls.key` no private key or that of another certificate.
fn check_key_pair(secret: &Map, warnings: &mut Warnings<'_>) {
    let blocks = |key: &str| {
        let data = secret.child("data").map_or("", |data| data.text(key));
        let text = STANDARD.decode(data).unwrap_or_default();
        pem::blocks(&String::from_utf8_lossy(&text))
    };
    let kinds = |blocks: &[pem::Block]| blocks.iter().map(|block| block.kind.clone()).collect::<Vec<_>>();
    let certificates = blocks("tls.crt");
    let Some(certificate) = certificates.iter().find(|block| block.kind == "CERTIFICATE") else {
        warnings.push(match kinds(&certificates).as_slice() {
            [] => "tls: failed to find any PEM data in certificate input".to_owned(),
            [only] if only.ends_with("PRIVATE KEY") => {
                "tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs \
                 may have been switched"
                    .to_owned()
            }
            skipped => format!(
                "tls: failed to find \"CERTIFICATE\" PEM block in certificate input after skipping PEM blocks of the \
                 following types: [{}]",
                skipped.join(" ")
            ),
        });
        return;
    };
    let keys = blocks("tls.key");
    let is_key = |block: &&pem::Block| block.kind == "PRIVATE KEY" || block.kind.ends_with(" PRIVATE KEY");
    let Some(key) = keys.iter().find(is_key) else {
        warnings.push(match kinds(&keys).as_slice() {
            [] => "tls: failed to find any PEM data in key input".to_owned(),
            [only] if only == "CERTIFICATE" => {
                "tls: found a certificate rather than a key in the PEM for the private key".to_owned()
            }
            skipped => format!(
                "tls: failed to find PEM block with type ending in \"PRIVATE KEY\" in key input after skipping PEM \
                 blocks of the following types: [{}]",
                skipped.join(" ")
            ),
        });
        return;
    };
    if let Err(warning) = check_that_key_is_of(&certificate.bytes, &key.bytes) {
        warnings.push(warning);
    }
}

/// Checks that a private key is that of a certificate, both in DER.
///
/// # Errors
///
/// Returns Go's error.
///
/// Source: `X509KeyPair` of `crypto/tls`
fn check_that_key_is_of(certificate: &[u8], key: &[u8]) -> Result<(), String> {
    let public = parse_certificate(certificate)?.key;
    let private = PrivateKey::parse(key)?;
    let PublicKey::Signing(public) = public else {
        return Err("tls: unknown public key algorithm".to_owned());
    };
    match private.is_of(public) {
        Some(true) => Ok(()),
        Some(false) => Err("tls: private key does not match public key".to_owned()),
        None => Err("tls: private key type does not match public key type".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::on_create;
    use gotext::value::json;

    fn secret(certificate: &str, key: &str) -> Vec<String> {
        let data = json!({"tls.crt": STANDARD.encode(certificate), "tls.key": STANDARD.encode(key)});
        on_create(json!({"apiVersion": "v1", "kind": "Secret", "type": "kubernetes.io/tls", "data": data}))
    }

    fn pem(kind: &str) -> String {
        format!("-----BEGIN {kind}-----\neA==\n-----END {kind}-----\n")
    }

    #[test]
    fn a_key_is_that_of_its_certificate_or_not() {
        let pair = || rcgen::KeyPair::generate().expect("keys are made");
        let (own, other) = (pair(), pair());
        let certificate = rcgen::CertificateParams::new(vec!["shop".to_owned()])
            .and_then(|params| params.self_signed(&own))
            .expect("it is signed");
        let warnings = |key: &rcgen::KeyPair| secret(&certificate.pem(), &key.serialize_pem());
        assert_eq!(warnings(&own), [""; 0]);
        assert_eq!(warnings(&other), ["tls: private key does not match public key"]);
        let ed25519 = rcgen::KeyPair::generate_for(&rcgen::PKCS_ED25519).expect("keys are made");
        assert_eq!(warnings(&ed25519), ["tls: private key type does not match public key type"]);
        assert_eq!(secret(&certificate.pem(), &pem("PRIVATE KEY")), ["tls: failed to parse private key"]);
    }

    #[test]
    fn a_secret_should_hold_a_certificate_and_its_key() {
        assert_eq!(secret(&pem("CERTIFICATE"), &pem("EC PRIVATE KEY")), ["x509: malformed certificate"]);
        assert_eq!(secret("nonsense", ""), ["tls: failed to find any PEM data in certificate input"]);
        assert_eq!(
            secret(&pem("PRIVATE KEY"), &pem("CERTIFICATE")),
            [
                "tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may \
              have been switched"
            ]
        );
        assert_eq!(
            secret(&pem("CERTIFICATE"), &pem("CERTIFICATE")),
            ["tls: found a certificate rather than a key in the PEM for the private key"]
        );
        assert_eq!(
            secret(&pem("CERTIFICATE"), &format!("{}{}", pem("A"), pem("B"))),
            [
                "tls: failed to find PEM block with type ending in \"PRIVATE KEY\" in key input after skipping PEM blocks of \
              the following types: [A B]"
            ]
        );
    }
}
