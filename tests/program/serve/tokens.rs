//! Tokens of service accounts: who accepts them, and when they end.

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
