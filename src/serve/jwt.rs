//! Signed tokens: JSON Web Tokens by a key that is made when the server starts.
//!
//! Source: RFC 7515, RFC 7517; `k8s.io/kubernetes/pkg/serviceaccount/{jwt,openidmetadata}.go`

use std::io;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use ring::rand::{SecureRandom, SystemRandom};
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair, UnparsedPublicKey,
};
use sha2::{Digest, Sha256};

use gotext::encoding_json;
use gotext::value::json;
use kube_api::Value;

/// The name of the algorithm.
pub(super) const ALGORITHM: &str = "ES256";

/// What the identifier of a key is the hash of, before the key itself: the DER of an elliptic key on P-256.
const KEY_INFO: [u8; 26] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86,
    0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
];

/// A key that signs tokens and recognizes its own.
pub(super) struct Signer {
    key: EcdsaKeyPair,
    random: SystemRandom,
}

impl Signer {
    /// Makes a key.
    ///
    /// # Errors
    ///
    /// Fails if the system has no random numbers.
    pub(super) fn new() -> io::Result<Self> {
        let random = SystemRandom::new();
        let failed = |_| io::Error::other("the system has no random numbers");
        let algorithm = &ECDSA_P256_SHA256_FIXED_SIGNING;
        let document = EcdsaKeyPair::generate_pkcs8(algorithm, &random).map_err(failed)?;
        let key = EcdsaKeyPair::from_pkcs8(algorithm, document.as_ref(), &random)
            .map_err(|error| io::Error::other(error.to_string()))?;
        Ok(Self { key, random })
    }

    /// Returns `N` random bytes; nothing if the system has none.
    pub(super) fn random<const N: usize>(&self) -> Option<[u8; N]> {
        let mut bytes = [0; N];
        self.random.fill(&mut bytes).ok()?;
        Some(bytes)
    }

    /// Returns the token of `claims`; nothing if the system has no random numbers.
    pub(super) fn sign(&self, claims: &Value) -> Option<String> {
        let header = json!({"alg": ALGORITHM, "kid": self.key_id()});
        let part = |value: &Value| BASE64_URL_SAFE_NO_PAD.encode(encoding_json::to_string(value));
        let signed = format!("{}.{}", part(&header), part(claims));
        let signature = self.key.sign(&self.random, signed.as_bytes()).ok()?;
        Some(format!("{signed}.{}", BASE64_URL_SAFE_NO_PAD.encode(signature)))
    }

    /// Returns the claims of a token that this key has signed.
    pub(super) fn claims(&self, token: &str) -> Option<Value> {
        let (signed, signature) = token.rsplit_once('.')?;
        let (_, claims) = signed.split_once('.')?;
        let signature = BASE64_URL_SAFE_NO_PAD.decode(signature).ok()?;
        let key = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, self.key.public_key());
        key.verify(signed.as_bytes(), &signature).ok()?;
        encoding_json::from_slice(&BASE64_URL_SAFE_NO_PAD.decode(claims).ok()?).ok()
    }

    /// Returns the key as others verify tokens by it.
    pub(super) fn public_keys(&self) -> Value {
        // The key begins with 4: its point is not compressed.
        let point = &self.key.public_key().as_ref()[1..];
        let (x, y) = point.split_at(point.len() / 2);
        json!({"keys": [{
            "use": "sig",
            "kty": "EC",
            "kid": self.key_id(),
            "crv": "P-256",
            "alg": ALGORITHM,
            "x": BASE64_URL_SAFE_NO_PAD.encode(x),
            "y": BASE64_URL_SAFE_NO_PAD.encode(y),
        }]})
    }

    /// Source: `keyIDFromPublicKey`
    fn key_id(&self) -> String {
        let hash = Sha256::new().chain_update(KEY_INFO).chain_update(self.key.public_key()).finalize();
        BASE64_URL_SAFE_NO_PAD.encode(hash)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_recognizes_what_it_signed() {
        let (signer, other) = (Signer::new().expect("a key"), Signer::new().expect("a key"));
        let claims = json!({"sub": "jane"});
        let token = signer.sign(&claims).expect("a token");
        assert_eq!(signer.claims(&token), Some(claims));
        assert_eq!(other.claims(&token), None);
        let (signed, signature) = token.rsplit_once('.').expect("a signature");
        assert_eq!(signer.claims(&format!("{signed}A.{signature}")), None);
        for broken in ["", ".", "a.b.c", signed] {
            assert_eq!(signer.claims(broken), None, "{broken}");
        }
    }
}
