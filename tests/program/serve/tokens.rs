//! Tokens of service accounts: who accepts them, and when they end.

use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use gotext::encoding_json;
use gotext::value::{Value, json};

use super::start;
use crate::client::Client;

const ACCOUNTS: &str = "/api/v1/namespaces/default/serviceaccounts";
const SERVER: &str = "https://kubernetes.default.svc.cluster.local";

/// Returns the status and the user of a review of `token` for `audiences`.
fn review(client: &Client, token: &str, audiences: &Value) -> (bool, Vec<Value>, String) {
    let review = json!({"spec": {"token": token, "audiences": audiences}});
    let reviewed = client.post("/apis/authentication.k8s.io/v1/tokenreviews", &review).object(201);
    let status = &reviewed["status"];
    let user = status.text(["user", "username"]).to_owned();
    (status.flag("authenticated"), status.list("audiences").to_vec(), user)
}

#[test]
fn a_token_is_for_its_audiences_and_ends_with_its_account() {
    let (server, client) = start(&[]);
    let created = client.post(ACCOUNTS, &json!({"metadata": {"name": "rob"}})).object(201);
    let token = |audiences: &Value| {
        let request = json!({"spec": {"audiences": audiences}});
        let answer = client.post(&format!("{ACCOUNTS}/rob/token"), &request).object(201);
        answer.text(["status", "token"]).to_owned()
    };
    let (own, other) = (token(&json!([])), token(&json!(["other", "third"])));
    let whoami = |token: &str| {
        let user = Client::new(server.address(), server.certificate_authority(), token);
        user.post("/apis/authentication.k8s.io/v1/selfsubjectreviews", &json!({}))
    };
    let known = whoami(&own).object(201);
    assert_eq!(known["status"]["userInfo"]["uid"], created["metadata"]["uid"]);
    assert_eq!(whoami(&other).refusal().0, 401);
    let rob = "system:serviceaccount:default:rob".to_owned();
    let unauthenticated = || (false, Vec::new(), String::new());
    for (token, audiences, found) in [
        (&own, json!([]), (true, vec![json!(SERVER)], rob.clone())),
        (&own, json!(["other"]), unauthenticated()),
        (&own, json!(["other", SERVER]), (true, vec![json!(SERVER)], rob.clone())),
        (&other, json!([]), unauthenticated()),
        (&other, json!(["other"]), (true, vec![json!("other")], rob.clone())),
    ] {
        assert_eq!(review(&client, token, &audiences), found, "{audiences}");
    }
    client.delete(&format!("{ACCOUNTS}/rob")).object(200);
    assert_eq!(whoami(&own).refusal().0, 401);
    assert_eq!(review(&client, &other, &json!(["other"])), unauthenticated());
    // An account of the same name is another one.
    client.post(ACCOUNTS, &json!({"metadata": {"name": "rob"}})).object(201);
    assert_eq!(whoami(&own).refusal().0, 401);
}

/// Returns the claims of a token.
fn claims(token: &str) -> Value {
    let claims = token.split('.').nth(1).expect("three parts");
    let claims = BASE64_URL_SAFE_NO_PAD.decode(claims).expect("base64");
    encoding_json::from_slice(&claims).expect("JSON")
}

#[test]
fn tokens_are_signed_claims() {
    let (server, client) = start(&[]);
    let account = client.post(ACCOUNTS, &json!({"metadata": {"name": "rob"}})).object(201);
    client
        .post(
            "/api/v1/namespaces/default/pods",
            &json!({
                "metadata": {"name": "p"},
                "spec": {"serviceAccountName": "rob", "containers": [{"name": "a", "image": "b"}]},
            }),
        )
        .object(201);
    let pod = json!({"apiVersion": "v1", "kind": "Pod", "name": "p"});
    let request = json!({"spec": {"expirationSeconds": 600, "boundObjectRef": pod}});
    let granted = client.post(&format!("{ACCOUNTS}/rob/token"), &request).object(201);
    assert_eq!(granted["spec"]["audiences"], json!([SERVER]));
    let token = granted.text(["status", "token"]).to_owned();
    let claims = claims(&token);
    assert_eq!(claims["sub"], "system:serviceaccount:default:rob");
    assert_eq!(claims["aud"], json!([SERVER]));
    assert_eq!(claims.int("exp") - claims.int("iat"), 600);
    let named = &claims["kubernetes.io"];
    assert_eq!(named["serviceaccount"]["uid"], account["metadata"]["uid"]);
    assert_eq!(named["pod"]["name"], "p");
    let user = Client::new(server.address(), server.certificate_authority(), &token);
    let known = user.post("/apis/authentication.k8s.io/v1/selfsubjectreviews", &json!({})).object(201);
    let extra = &known["status"]["userInfo"]["extra"];
    let credential = format!("JTI={}", claims.text("jti"));
    assert_eq!(extra["authentication.kubernetes.io/credential-id"], json!([credential]));
    assert_eq!(extra["authentication.kubernetes.io/pod-name"], json!(["p"]));
    // The key that verifies the token is published.
    let keys = client.get("/openid/v1/jwks").object(200);
    let header = BASE64_URL_SAFE_NO_PAD.decode(token.split('.').next().expect("a header")).expect("base64");
    let header: Value = encoding_json::from_slice(&header).expect("JSON");
    assert_eq!((&keys["keys"][0]["kid"], &keys["keys"][0]["alg"]), (&header["kid"], &header["alg"]));
    let issuer = client.get("/.well-known/openid-configuration").object(200);
    assert_eq!(issuer["issuer"], claims["iss"]);
    // A token ends with the Pod that it is bound to.
    client.delete("/api/v1/namespaces/default/pods/p").object(200);
    assert_eq!(user.post("/apis/authentication.k8s.io/v1/selfsubjectreviews", &json!({})).refusal().0, 401);
}

#[test]
fn a_secret_gets_the_token_of_its_account() {
    const SECRETS: &str = "/api/v1/namespaces/default/secrets";
    let (server, client) = start(&[]);
    let account = client.post(ACCOUNTS, &json!({"metadata": {"name": "rob"}})).object(201);
    let secret = |name: &str, account: &str| {
        let annotations = json!({"kubernetes.io/service-account.name": account});
        json!({
            "metadata": {"name": name, "annotations": annotations},
            "type": "kubernetes.io/service-account-token",
        })
    };
    client.post(SECRETS, &secret("own", "rob")).object(201);
    let own = client.get(&format!("{SECRETS}/own")).object(200);
    assert_eq!(
        own["metadata"]["annotations"]["kubernetes.io/service-account.uid"],
        account["metadata"]["uid"]
    );
    let text = |field: &str| {
        let bytes = BASE64_STANDARD.decode(own.text(["data", field])).expect("base64");
        String::from_utf8(bytes).expect("a text")
    };
    assert_eq!(
        (text("namespace").as_str(), text("ca.crt").as_str()),
        ("default", server.certificate_authority())
    );
    let user = Client::new(server.address(), server.certificate_authority(), &text("token"));
    let whoami = || user.post("/apis/authentication.k8s.io/v1/selfsubjectreviews", &json!({}));
    assert_eq!(whoami().object(201)["status"]["userInfo"]["username"], "system:serviceaccount:default:rob");
    client.post(SECRETS, &secret("other", "nobody")).object(201);
    assert_eq!(client.get(&format!("{SECRETS}/other")).refusal().0, 404);
    client.delete(&format!("{ACCOUNTS}/rob")).object(200);
    assert_eq!(client.get(&format!("{SECRETS}/own")).refusal().0, 404);
    assert_eq!(whoami().refusal().0, 401);
}
