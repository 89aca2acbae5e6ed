//! The tokens of users and service accounts, and what the server answers about them.

use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use rustls::crypto::CryptoProvider;

use crate::admission::UserInfo;
use crate::serve::access::{Gate, Token};
use crate::serve::path::ResourcePath;
use crate::serve::shelf::Shelf;
use gotext::time;
use gotext::value::json;
use kube_api::resources::SERVICE_ACCOUNTS;
use kube_api::{Object, Value};

/// The lifetime of a token that does not name one, in seconds.
const LIFETIME: i64 = 3600;

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
pub(super) fn complete(
    object: &mut Object,
    path: &ResourcePath,
    gate: &Gate,
    tokens: &Tokens,
    shelf: &Shelf,
) {
    let audiences = || object.list(["spec", "audiences"]).iter().filter_map(Value::as_str).map(str::to_owned);
    match &*object.kind.kind {
        "TokenRequest" => {
            let Some(text) = tokens.make() else { return };
            let audiences = audiences().collect();
            let seconds = object.int(["spec", "expirationSeconds"]);
            let lifetime = if seconds > 0 { seconds } else { LIFETIME };
            object.set(["status", "token"], text.as_str());
            object.set(["status", "expirationTimestamp"], time::after(&(tokens.clock)(), lifetime));
            let mut user = UserInfo::of_service_account(&path.namespace, &path.name);
            if let Some(account) = shelf.get(&SERVICE_ACCOUNTS, &path.namespace, &path.name) {
                account.text(["metadata", "uid"]).clone_into(&mut user.uid);
            }
            let account = Some((path.namespace.clone(), path.name.clone()));
            gate.add(text, Token { user: Arc::new(user), audiences, account });
        }
        "TokenReview" => {
            let wanted: Vec<String> = audiences().collect();
            let Some(token) = gate.token(object.text(["spec", "token"])) else { return };
            let accepting = token.accepted_by(&wanted);
            if !accepting.is_empty() {
                let user = &*token.user;
                object.set("status", json!({"authenticated": true, "user": user, "audiences": accepting}));
            }
        }
        _ => {}
    }
}
