//! The tokens of users and service accounts, and what the server answers about them.

use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use rustls::crypto::CryptoProvider;

use crate::admission::UserInfo;
use crate::serve::access::Gate;
use crate::serve::path::ResourcePath;
use gotext::time;
use gotext::value::json;
use kube_api::Object;

/// The lifetime of a token that does not name one, in seconds.
const LIFETIME: i64 = 3600;

/// The issuer of tokens, which are meant for its server.
const ISSUER: &str = "https://kubernetes.default.svc.cluster.local";

/// Makes tokens that cannot be guessed.
#[derive(Clone)]
pub(super) struct Tokens {
    provider: Arc<CryptoProvider>,
    clock: fn() -> String,
}

impl Tokens {
    pub(super) fn new(provider: Arc<CryptoProvider>, clock: fn() -> String) -> Self {
        Self { provider, clock }
    }

    /// Returns a new token; nothing if the system has no random numbers.
    pub(super) fn make(&self) -> Option<String> {
        let mut bytes = [0; 32];
        self.provider.secure_random.fill(&mut bytes).ok()?;
        Some(BASE64_URL_SAFE_NO_PAD.encode(bytes))
    }
}

/// Completes the answer to a request for a token, or about one.
pub(super) fn complete(object: &mut Object, path: &ResourcePath, gate: &Gate, tokens: &Tokens) {
    match &*object.kind.kind {
        "TokenRequest" => {
            let Some(token) = tokens.make() else { return };
            let seconds = object.int(["spec", "expirationSeconds"]);
            let lifetime = if seconds > 0 { seconds } else { LIFETIME };
            object.set(["status", "token"], token.as_str());
            object.set(["status", "expirationTimestamp"], time::after(&(tokens.clock)(), lifetime));
            gate.add(token, UserInfo::of_service_account(&path.namespace, &path.name));
        }
        "TokenReview" => {
            let asked = object.list(["spec", "audiences"]);
            let is_audience = asked.is_empty() || asked.contains(&ISSUER.into());
            let user = gate.user_of(object.text(["spec", "token"])).filter(|_| is_audience);
            if let Some(user) = user {
                object.set("status", json!({"authenticated": true, "user": *user, "audiences": [ISSUER]}));
            }
        }
        _ => {}
    }
}
