//! Key pairs in Secrets.
//!
//! Source: `crypto/tls`, `encoding/pem`. Deliberately absent: whether the certificate can be parsed, and whether the
//! key belongs to it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::api::tree::{child, text};
use crate::api::{Map, pem};

/// Warns where `tls.crt` holds no certificate or `tls.key` no private key.
pub(super) fn key_pair(secret: &Map, warnings: &mut Vec<String>) {
    let block_types = |key: &str| {
        let data = child(secret, "data").map_or("", |data| text(data, key));
        let text = STANDARD.decode(data).unwrap_or_default();
        let blocks = pem::blocks(&String::from_utf8_lossy(&text)).into_iter();
        blocks.map(|block| block.kind).collect::<Vec<_>>()
    };
    let certificate = block_types("tls.crt");
    if !certificate.iter().any(|kind| kind == "CERTIFICATE") {
        warnings.push(match certificate.as_slice() {
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
    }
    let key = block_types("tls.key");
    if !key.iter().any(|kind| kind == "PRIVATE KEY" || kind.ends_with(" PRIVATE KEY")) {
        warnings.push(match key.as_slice() {
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
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::on_create;
    use super::*;
    use crate::value::json;

    fn secret(certificate: &str, key: &str) -> Vec<String> {
        let data = json!({"tls.crt": STANDARD.encode(certificate), "tls.key": STANDARD.encode(key)});
        on_create(json!({"apiVersion": "v1", "kind": "Secret", "type": "kubernetes.io/tls", "data": data}))
    }

    fn pem(kind: &str) -> String {
        format!("-----BEGIN {kind}-----\neA==\n-----END {kind}-----\n")
    }

    #[test]
    fn a_secret_should_hold_a_certificate_and_its_key() {
        assert!(secret(&pem("CERTIFICATE"), &pem("EC PRIVATE KEY")).is_empty());
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
