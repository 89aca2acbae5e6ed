//! The tokens of users and service accounts, and what the server answers about them.

use std::fmt::Write as _;
use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};

use crate::serve::access::Gate;
use crate::serve::claims::{self, ISSUER};
use crate::serve::jwt::Signer;
use crate::serve::path::ResourcePath;
use crate::serve::shelf::Shelf;
use gotext::time;
use gotext::value::json;
use kube_api::resources::SERVICE_ACCOUNTS;
use kube_api::version::Version;
use kube_api::{Object, Value};

/// The first release whose tokens have an identifier.
const IDENTIFIERS: Version = Version::minor(30);

/// The type of the Secrets that get a token.
const OF_ACCOUNT: &str = "kubernetes.io/service-account-token";

/// The annotations of such a Secret.
const ACCOUNT_NAME: [&str; 3] = ["metadata", "annotations", "kubernetes.io/service-account.name"];
const ACCOUNT_UID: [&str; 3] = ["metadata", "annotations", "kubernetes.io/service-account.uid"];

/// What becomes of a Secret for the token of a service account.
pub(super) enum TokenSecret {
    /// It has what it lacked.
    Completed(Box<Object>),
    /// It ends with its account.
    Orphaned,
}

/// Makes tokens.
#[derive(Clone)]
pub(super) struct Tokens {
    pub(super) signer: Arc<Signer>,
    pub(super) release: Version,
    pub(super) clock: fn() -> String,
    /// The certificate that clients must trust, as PEM.
    pub(super) authority: String,
}

impl Tokens {
    /// Completes the answer to a request for a token, or about one.
    pub(super) fn complete(&self, object: &mut Object, path: &ResourcePath, gate: &Gate, shelf: &Shelf) {
        match &*object.kind.kind {
            "TokenRequest" => self.grant(object, path, shelf),
            "TokenReview" => {
                let audiences = object.list(["spec", "audiences"]).iter().filter_map(Value::as_str);
                let wanted: Vec<String> = audiences.map(str::to_owned).collect();
                let Some(token) = gate.token(object.text(["spec", "token"])) else { return };
                let accepting = token.accepted_by(&wanted);
                if !accepting.is_empty() {
                    let user = &*token.user;
                    object
                        .set("status", json!({"authenticated": true, "user": user, "audiences": accepting}));
                }
            }
            _ => {}
        }
    }

    fn grant(&self, request: &mut Object, path: &ResourcePath, shelf: &Shelf) {
        let Some(account) = shelf.get(&SERVICE_ACCOUNTS, &path.namespace, &path.name) else { return };
        if request.list(["spec", "audiences"]).is_empty() {
            request.set(["spec", "audiences"], vec![ISSUER]);
        }
        let clock = (self.clock)();
        let now = time::parse_rfc3339(&clock).map_or(0, |(seconds, _)| seconds);
        let id = (self.release >= IDENTIFIERS).then(|| self.signer.random().map(uuid)).flatten();
        let claims = claims::of_request(request, &account, shelf, now, id);
        let Some(text) = self.signer.sign(&claims) else { return };
        request.set(["status", "token"], text.as_str());
        let lifetime = request.int(["spec", "expirationSeconds"]);
        request.set(["status", "expirationTimestamp"], time::after(&clock, lifetime));
    }

    /// Returns what becomes of a Secret for the token of a service account, if that is another one.
    ///
    /// Source: `k8s.io/kubernetes/pkg/controller/serviceaccount/tokens_controller.go`
    pub(super) fn completed(&self, secret: &Object, shelf: &Shelf) -> Option<TokenSecret> {
        if secret.text("type") != OF_ACCOUNT || secret.has(["metadata", "deletionTimestamp"]) {
            return None;
        }
        let account = shelf.get(&SERVICE_ACCOUNTS, secret.namespace(), secret.text(ACCOUNT_NAME));
        let is_same = |account: &Arc<Object>| {
            let uid = secret.text(ACCOUNT_UID);
            uid.is_empty() || uid == account.text(["metadata", "uid"])
        };
        let Some(account) = account.filter(is_same) else { return Some(TokenSecret::Orphaned) };
        let mut completed = secret.clone();
        completed.set(ACCOUNT_UID, account.text(["metadata", "uid"]));
        completed.set(["data", "ca.crt"], BASE64_STANDARD.encode(&self.authority));
        completed.set(["data", "namespace"], BASE64_STANDARD.encode(secret.namespace()));
        if secret.text(["data", "token"]).is_empty() {
            let token = self.signer.sign(&claims::of_secret(secret, &account))?;
            completed.set(["data", "token"], BASE64_STANDARD.encode(token));
        }
        (completed != *secret).then(|| TokenSecret::Completed(Box::new(completed)))
    }
}

/// Returns a new token of a user; nothing if the system has no random numbers.
pub(super) fn opaque(signer: &Signer) -> Option<String> {
    signer.random::<32>().map(|bytes| BASE64_URL_SAFE_NO_PAD.encode(bytes))
}

/// Returns random bytes as a UUID of version 4.
fn uuid(mut bytes: [u8; 16]) -> String {
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let mut text = String::with_capacity(36);
    for (position, byte) in bytes.into_iter().enumerate() {
        if [4, 6, 8, 10].contains(&position) {
            text.push('-');
        }
        let _ = write!(text, "{byte:02x}");
    }
    text
}
