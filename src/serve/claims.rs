//! What the tokens of service accounts claim, and as long as that holds, their users.
//!
//! Source: `k8s.io/kubernetes/pkg/serviceaccount/{claims,legacy}.go`

use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use crate::admission::UserInfo;
use crate::serve::shelf::Shelf;
use gotext::value::json;
use kube_api::resources::{NODES, PODS, SECRETS, SERVICE_ACCOUNTS};
use kube_api::{GroupResource, Object, Value};

/// The issuer of tokens, which are meant for its server.
pub(super) const ISSUER: &str = "https://kubernetes.default.svc.cluster.local";

/// The issuer of the tokens in Secrets, which do not end.
const LEGACY_ISSUER: &str = "kubernetes/serviceaccount";

/// The seconds for which a token is accepted after its end.
const LEEWAY: i64 = 60;

const UID: [&str; 2] = ["metadata", "uid"];

/// What a bearer token is good for.
pub(super) struct Token {
    pub(super) user: Arc<UserInfo>,
    /// Those who may accept it; without any, this server.
    audiences: Vec<String>,
}

impl Token {
    /// Returns a token that this server accepts as `user`.
    pub(super) fn of_user(user: UserInfo) -> Self {
        Self { user: Arc::new(user), audiences: Vec::new() }
    }

    /// Returns those of `wanted` who accept the token, in their order; this server if none are wanted.
    ///
    /// Source: `authenticator.Audiences`
    pub(super) fn accepted_by(&self, wanted: &[String]) -> Vec<String> {
        let server = [ISSUER.to_owned()];
        let or_server =
            |audiences: &[String]| if audiences.is_empty() { server.to_vec() } else { audiences.to_vec() };
        let own = or_server(&self.audiences);
        or_server(wanted).into_iter().filter(|audience| own.contains(audience)).collect()
    }
}

/// Returns the claims of a token that `request` asks for at the time `now`, with the identifier `id` if the release has
/// them.
pub(super) fn of_request(
    request: &Object,
    account: &Object,
    shelf: &Shelf,
    now: i64,
    id: Option<String>,
) -> Value {
    let (namespace, name) = (account.namespace(), account.name());
    let mut claims = json!({
        "aud": request.list(["spec", "audiences"]).to_vec(),
        "exp": now + request.int(["spec", "expirationSeconds"]),
        "iat": now,
        "nbf": now,
        "iss": ISSUER,
        "sub": UserInfo::of_service_account(namespace, name).username,
        "kubernetes.io": {"namespace": namespace, "serviceaccount": reference(account)},
    });
    // The first release with identifiers is also that whose tokens name the node of a Pod.
    let names_nodes = id.is_some();
    if let Some(id) = id {
        claims["jti"] = id.into();
    }
    let private = &mut claims["kubernetes.io"];
    let bound = |field: &str| request.text(["spec", "boundObjectRef", field]);
    match bound("kind") {
        "Pod" => {
            let Some(pod) = shelf.get(&PODS, namespace, bound("name")) else { return claims };
            private["pod"] = reference(&pod);
            let node = pod.text(["spec", "nodeName"]);
            if names_nodes && !node.is_empty() {
                let found = shelf.get(&NODES, "", node);
                private["node"] = found.map_or_else(|| json!({"name": node}), |node| reference(&node));
            }
        }
        "Secret" => {
            if let Some(secret) = shelf.get(&SECRETS, namespace, bound("name")) {
                private["secret"] = reference(&secret);
            }
        }
        "Node" => {
            if let Some(node) = shelf.get(&NODES, "", bound("name")) {
                private["node"] = reference(&node);
            }
        }
        _ => {}
    }
    claims
}

/// Returns the claims of the token in `secret`, which is that of `account`.
pub(super) fn of_secret(secret: &Object, account: &Object) -> Value {
    let (namespace, name) = (account.namespace(), account.name());
    json!({
        "iss": LEGACY_ISSUER,
        "sub": UserInfo::of_service_account(namespace, name).username,
        "kubernetes.io/serviceaccount/namespace": namespace,
        "kubernetes.io/serviceaccount/secret.name": secret.name(),
        "kubernetes.io/serviceaccount/service-account.name": name,
        "kubernetes.io/serviceaccount/service-account.uid": account.text(UID),
    })
}

fn reference(object: &Object) -> Value {
    json!({"name": object.name(), "uid": object.text(UID)})
}

/// Returns what the token `text` with these claims is good for at the time `now`, unless what it depends on is gone.
pub(super) fn accepted(text: &str, claims: &Value, shelf: &Shelf, now: i64) -> Option<Token> {
    match claims.text("iss") {
        ISSUER => accepted_until(claims, shelf, now),
        LEGACY_ISSUER => accepted_from_secret(text, claims, shelf),
        _ => None,
    }
}

fn accepted_until(claims: &Value, shelf: &Shelf, now: i64) -> Option<Token> {
    if now > claims.int("exp") + LEEWAY {
        return None;
    }
    let private = claims.get("kubernetes.io")?;
    let namespace = private.text("namespace");
    let exists = |field: &str, resource: &GroupResource, namespace: &str| {
        private.get(field).is_none_or(|reference| {
            let found = shelf.get(resource, namespace, reference.text("name"));
            found.is_some_and(|found| found.text(UID) == reference.text("uid"))
        })
    };
    let is_of_pod = private.get("pod").is_some();
    let holds = exists("serviceaccount", &SERVICE_ACCOUNTS, namespace)
        && exists("secret", &SECRETS, namespace)
        && exists("pod", &PODS, namespace)
        && (is_of_pod || exists("node", &NODES, ""));
    if !holds {
        return None;
    }
    let mut user = UserInfo::of_service_account(namespace, private.text(["serviceaccount", "name"]));
    private.text(["serviceaccount", "uid"]).clone_into(&mut user.uid);
    let mut add = |key: &str, value: String| {
        user.extra.insert(format!("authentication.kubernetes.io/{key}"), vec![value]);
    };
    if !claims.text("jti").is_empty() {
        add("credential-id", format!("JTI={}", claims.text("jti")));
    }
    for field in ["pod", "node"] {
        for part in ["name", "uid"] {
            let value = private.text([field, part]);
            if !value.is_empty() {
                add(&format!("{field}-{part}"), value.to_owned());
            }
        }
    }
    let audiences = claims.list("aud").iter().filter_map(Value::as_str).map(str::to_owned).collect();
    Some(Token { user: Arc::new(user), audiences })
}

fn accepted_from_secret(text: &str, claims: &Value, shelf: &Shelf) -> Option<Token> {
    let claim = |name: &str| claims.text(format!("kubernetes.io/serviceaccount/{name}").as_str());
    let namespace = claim("namespace");
    let secret = shelf.get(&SECRETS, namespace, claim("secret.name"))?;
    if secret.text(["data", "token"]) != BASE64_STANDARD.encode(text) {
        return None;
    }
    let account = shelf.get(&SERVICE_ACCOUNTS, namespace, claim("service-account.name"))?;
    if account.text(UID) != claim("service-account.uid") {
        return None;
    }
    let mut user = UserInfo::of_service_account(namespace, account.name());
    account.text(UID).clone_into(&mut user.uid);
    Some(Token::of_user(user))
}
