//! The API server: every verb over HTTPS, as clients send it.

mod client;

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use gotext::value::{Value, json};
use kadmit::{ApiServer, Server, ServerOptions, SourceFile, UserInfo};

use client::Client;

const CONFIG_MAPS: &str = "/api/v1/namespaces/default/configmaps";
const PODS: &str = "/api/v1/namespaces/default/pods";
const DEPLOYMENTS: &str = "/apis/apps/v1/namespaces/default/deployments";

fn start(flags: &[&str]) -> (Server, Client) {
    let cluster = ApiServer::from_flags(flags).expect("flags").cluster(&[]).expect("a cluster");
    let server = Server::start(cluster).expect("a free port");
    let client = Client::new(server.address(), server.certificate_authority(), server.token());
    (server, client)
}

fn config_map(name: &str, data: &Value) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data})
}

fn pod(name: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": {"app": name}},
        "spec": {"containers": [{"name": "a", "image": "nginx"}]},
    })
}

fn deployment(replicas: u32) -> Value {
    json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web"},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": "web"}},
            "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {"containers": [{"name": "a", "image": "nginx"}]},
            },
        },
    })
}

fn definition() -> Value {
    let properties = json!({
        "spec": {"type": "object", "properties": {"size": {"type": "integer", "minimum": 1}, "replicas": {"type": "integer"}}},
        "status": {"type": "object", "properties": {"replicas": {"type": "integer"}}},
    });
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "shops.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": "shops", "singular": "shop", "kind": "Shop", "shortNames": ["sh"]},
            "versions": [{
                "name": "v1",
                "served": true,
                "storage": true,
                "subresources": {"status": {}, "scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}},
                "additionalPrinterColumns": [{"name": "Size", "type": "integer", "jsonPath": ".spec.size"}],
                "schema": {"openAPIV3Schema": {"type": "object", "properties": properties}},
            }],
        },
    })
}

fn names(list: &Value) -> Vec<&str> {
    list.list("items").iter().map(|item| item.text(["metadata", "name"])).collect()
}

#[test]
fn an_object_is_created_changed_and_deleted() {
    let (_server, client) = start(&[]);
    let created = client.post(CONFIG_MAPS, &config_map("a", &json!({"x": "1"}))).object(201);
    assert_eq!(created.text("kind"), "ConfigMap");
    assert_eq!(created.text(["metadata", "namespace"]), "default");
    for field in ["uid", "creationTimestamp", "resourceVersion"] {
        assert!(!created.text(["metadata", field]).is_empty(), "{field}: {created}");
    }
    let path = format!("{CONFIG_MAPS}/a");
    assert_eq!(client.get(&path).object(200), created);
    assert_eq!(
        client.post(CONFIG_MAPS, &config_map("a", &json!({}))).refusal(),
        (409, "AlreadyExists".to_owned(), "configmaps \"a\" already exists".to_owned())
    );
    let mut changed = created.clone();
    changed["data"]["x"] = "2".into();
    let updated = client.put(&path, &changed).object(200);
    assert_ne!(updated.text(["metadata", "resourceVersion"]), created.text(["metadata", "resourceVersion"]));
    // Nothing changes, so neither does the version.
    assert_eq!(client.put(&path, &updated).object(200), updated);
    let conflict = client.put(&path, &changed).refusal();
    assert_eq!((conflict.0, conflict.1.as_str()), (409, "Conflict"), "{}", conflict.2);
    let deleted = client.delete(&path).object(200);
    assert_eq!(deleted.text("status"), "Success");
    assert_eq!(deleted["details"]["uid"], created["metadata"]["uid"]);
    assert_eq!(
        client.get(&path).refusal(),
        (404, "NotFound".to_owned(), "configmaps \"a\" not found".to_owned())
    );
    assert_eq!(client.delete(&path).code, 404);
}

#[test]
fn the_chain_decides() {
    let (_server, client) = start(&["--enable-admission-plugins=AlwaysPullImages"]);
    let created = client.post(PODS, &pod("web")).object(201);
    assert_eq!(created["spec"]["containers"][0]["imagePullPolicy"], "Always");
    let label = json!({"metadata": {"labels": {"pod-security.kubernetes.io/enforce": "restricted"}}});
    client.patch("/api/v1/namespaces/default", "merge-patch+json", &label).object(200);
    let (code, reason, message) = client.post(PODS, &pod("db")).refusal();
    assert_eq!((code, reason.as_str()), (403, "Forbidden"));
    assert!(
        message.starts_with("pods \"db\" is forbidden: violates PodSecurity \"restricted:latest\""),
        "{message}"
    );
    let missing = client.post("/api/v1/namespaces/shop/pods", &pod("a")).refusal();
    assert_eq!(missing, (404, "NotFound".to_owned(), "namespaces \"shop\" not found".to_owned()));
}

#[test]
fn all_patches_change_an_object() {
    let (_server, client) = start(&["--disable-admission-plugins=ServiceAccount"]);
    client.post(DEPLOYMENTS, &deployment(1)).object(201);
    let path = format!("{DEPLOYMENTS}/web");
    let json_patch = json!([{"op": "replace", "path": "/spec/replicas", "value": 2}]);
    assert_eq!(client.patch(&path, "json-patch+json", &json_patch).object(200)["spec"]["replicas"], 2);
    let merge = json!({"spec": {"paused": true}});
    assert_eq!(client.patch(&path, "merge-patch+json", &merge).object(200)["spec"]["paused"], true);
    let container = json!([{"name": "b", "image": "redis"}]);
    let strategic = json!({"spec": {"template": {"spec": {"containers": container}}}});
    let patched = client.patch(&path, "strategic-merge-patch+json", &strategic).object(200);
    assert_eq!(patched["spec"]["template"]["spec"]["containers"].as_array().map(Vec::len), Some(2));
    assert_eq!(patched["metadata"]["generation"], 4);
    let (code, reason, _) = client.patch(&path, "patch", &merge).refusal();
    assert_eq!((code, reason.as_str()), (415, "UnsupportedMediaType"));
    let bad = json!([{"op": "remove", "path": "/spec/nothing"}]);
    assert_eq!(client.patch(&path, "json-patch+json", &bad).code, 422);
}

#[test]
fn managers_own_the_fields_that_they_apply() {
    let (_server, client) = start(&[]);
    let path = format!("{CONFIG_MAPS}/a");
    let apply = |manager: &str, more: &str, data: Value| {
        let url = format!("{path}?fieldManager={manager}{more}");
        client.patch(&url, "apply-patch+yaml", &config_map("a", &data))
    };
    assert_eq!(
        apply("", "", json!({})).refusal().2,
        "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value: is required for apply patch"
    );
    let created = apply("one", "", json!({"x": "1", "y": "1"})).object(201);
    let entry = &created["metadata"]["managedFields"][0];
    assert_eq!((entry.text("manager"), entry.text("operation")), ("one", "Apply"));
    assert_eq!(entry["fieldsV1"], json!({"f:data": {"f:x": {}, "f:y": {}}}));
    let (code, reason, message) = apply("two", "", json!({"x": "2"})).refusal();
    assert_eq!((code, reason.as_str()), (409, "Conflict"));
    assert_eq!(message, "Apply failed with 1 conflict: conflict with \"one\": .data.x");
    let forced = apply("two", "&force=true", json!({"x": "2"})).object(200);
    assert_eq!(forced["data"], json!({"x": "2", "y": "1"}));
    // What its only owner no longer applies goes; what another one owns stays.
    assert_eq!(apply("one", "", json!({"z": "1"})).object(200)["data"], json!({"x": "2", "z": "1"}));
    let merge = json!({"data": {"w": "1"}});
    let patched = client.patch(&path, "merge-patch+json", &merge).object(200);
    let managers: Vec<_> = patched
        .items(["metadata", "managedFields"])
        .map(|entry| (entry.text("manager"), entry.text("operation")))
        .collect();
    assert_eq!(managers, [("one", "Apply"), ("two", "Apply"), ("test", "Update")]);
}

#[test]
fn watches_see_what_controllers_do() {
    let (_server, client) = start(&["--disable-admission-plugins=ServiceAccount"]);
    let list = client.get(PODS).object(200);
    let version = list.text(["metadata", "resourceVersion"]);
    let mut pods = client.watch(&format!("{PODS}?watch=1&resourceVersion={version}"));
    let mut selected = client.watch(&format!("{CONFIG_MAPS}?watch=1&labelSelector=a%3Db"));
    client.post(DEPLOYMENTS, &deployment(2)).object(201);
    let seen: Vec<String> = (0..2).map(|_| pods.next().text("type").to_owned()).collect();
    assert_eq!(seen, ["ADDED", "ADDED"]);
    assert_eq!(names(&client.get(PODS).object(200)).len(), 2);
    client.delete(&format!("{DEPLOYMENTS}/web")).object(200);
    assert!(pods.next_shown().starts_with("DELETED Pod web-"));
    // An object that is no longer selected is deleted for the watch.
    client.post(CONFIG_MAPS, &config_map("a", &json!({}))).object(201);
    let path = format!("{CONFIG_MAPS}/a");
    for label in ["b", "c"] {
        let patch = json!({"metadata": {"labels": {"a": label}}});
        client.patch(&path, "merge-patch+json", &patch).object(200);
    }
    assert_eq!(selected.next_shown(), "ADDED ConfigMap a");
    assert_eq!(selected.next_shown(), "DELETED ConfigMap a");
}

#[test]
fn watches_begin_with_what_exists() {
    let (_server, client) = start(&[]);
    client.post(CONFIG_MAPS, &config_map("a", &json!({}))).object(201);
    let mut events = client.watch(&format!("{CONFIG_MAPS}?watch=1"));
    assert_eq!(events.next_shown(), "ADDED ConfigMap a");
    let query = "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    let mut events = client.watch(&format!("{CONFIG_MAPS}?{query}&fieldSelector=metadata.name%3Da"));
    assert_eq!(events.next_shown(), "ADDED ConfigMap a");
    let bookmark = events.next();
    assert_eq!(bookmark.text("type"), "BOOKMARK");
    assert_eq!(bookmark["object"]["metadata"]["annotations"], json!({"k8s.io/initial-events-end": "true"}));
}

#[test]
fn lists_have_pages_and_forms() {
    let (_server, client) = start(&[]);
    for name in ["a", "b", "c", "d"] {
        client.post(PODS, &pod(name)).object(201);
    }
    let first = client.get(&format!("{PODS}?limit=2")).object(200);
    assert_eq!((names(&first), &first["metadata"]["remainingItemCount"]), (vec!["a", "b"], &json!(2)));
    // The next page is of the same state, whatever happened since.
    client.delete(&format!("{PODS}/c")).object(200);
    let next =
        client.get(&format!("{PODS}?limit=2&continue={}", first.text(["metadata", "continue"]))).object(200);
    assert_eq!(names(&next), ["c", "d"]);
    assert_eq!(names(&client.get(&format!("{PODS}?labelSelector=app+in+(a,d)")).object(200)), ["a", "d"]);
    assert_eq!(names(&client.get("/api/v1/pods?fieldSelector=metadata.name%3Db").object(200)), ["b"]);
    assert_eq!(
        client.get(&format!("{PODS}?fieldSelector=spec.x%3Db")).refusal().2,
        "field label not supported: spec.x"
    );
    let table = client.with("Accept: application/json;as=Table;v=v1;g=meta.k8s.io").get(PODS).object(200);
    assert_eq!(table["columnDefinitions"][0]["name"], "Name");
    let cells = table.list("rows")[0].list("cells");
    assert_eq!(cells[..3], [json!("a"), json!("0/1"), json!("Pending")]);
    let metadata = "Accept: application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";
    let metadata = client.with(metadata).get(PODS).object(200);
    assert_eq!(metadata.text("kind"), "PartialObjectMetadataList");
    assert!(metadata["items"][0].get("spec").is_none());
    let deleted = client.delete(&format!("{PODS}?labelSelector=app%3Da")).object(200);
    assert_eq!(names(&deleted), ["a"]);
    assert_eq!(names(&client.get(PODS).object(200)), ["b", "d"]);
}

#[test]
fn options_of_requests_count() {
    let (_server, client) = start(&[]);
    let dry = client.post(&format!("{CONFIG_MAPS}?dryRun=All"), &config_map("a", &json!({}))).object(201);
    assert_eq!(dry.text(["metadata", "resourceVersion"]), "");
    assert_eq!(client.get(&format!("{CONFIG_MAPS}/a")).code, 404);
    let generated = json!({"metadata": {"generateName": "x-"}});
    let generated = client.post(CONFIG_MAPS, &generated).object(201);
    let name = generated.text(["metadata", "name"]);
    assert!(name.starts_with("x-") && name.len() == 7, "{name}");
    let mut unknown = config_map("b", &json!({}));
    unknown["extra"] = "1".into();
    let warned = client.post(CONFIG_MAPS, &unknown);
    assert!(warned.headers.contains("warning: 299 - \"unknown field \\\"extra\\\"\""), "{}", warned.headers);
    let (code, _, message) =
        client.post(&format!("{CONFIG_MAPS}?fieldValidation=Strict"), &unknown).refusal();
    assert_eq!(code, 400);
    assert!(message.contains("strict decoding error: unknown field \"extra\""), "{message}");
    let options = json!({"preconditions": {"uid": "other"}}).to_string();
    let refused = client.send("DELETE", &format!("{CONFIG_MAPS}/b"), "application/json", &options);
    assert_eq!(refused.code, 409, "{}", refused.body);
}

#[test]
fn definitions_are_served_at_once() {
    let (_server, client) = start(&[]);
    let root = "/apis/example.com/v1";
    assert_eq!(client.get(root).code, 404);
    let definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    client.post(definitions, &definition()).object(201);
    let established = client.get(&format!("{definitions}/shops.example.com")).object(200);
    assert_eq!(established["status"]["conditions"][1]["type"], "Established");
    let resources = client.get(root).object(200);
    let found: Vec<_> = resources.list("resources").iter().map(|found| found.text("name")).collect();
    assert_eq!(found, ["shops", "shops/status", "shops/scale"]);
    let shops = format!("{root}/namespaces/default/shops");
    let shop = json!({"apiVersion": "example.com/v1", "kind": "Shop", "metadata": {"name": "a"}, "spec": {"size": 0}});
    assert_eq!(client.post(&shops, &shop).code, 422);
    let mut shop = shop;
    shop["spec"]["size"] = 1.into();
    let created = client.post(&shops, &shop).object(201);
    assert_eq!(created["metadata"]["generation"], 1);
    let status = json!({"status": {"replicas": 3}, "spec": {"size": 5}});
    let patched = client.patch(&format!("{shops}/a/status"), "merge-patch+json", &status).object(200);
    assert_eq!((&patched["spec"]["size"], &patched["metadata"]["generation"]), (&json!(1), &json!(1)));
    let scale = client.get(&format!("{shops}/a/scale")).object(200);
    assert_eq!((scale.text("kind"), &scale["status"]["replicas"]), ("Scale", &json!(3)));
    let table = client.with("Accept: application/json;as=Table;v=v1;g=meta.k8s.io").get(&shops).object(200);
    assert_eq!(table["rows"][0]["cells"], json!(["a", 1]));
    let schemas = client.get("/openapi/v3/apis/example.com/v1").object(200);
    let schema = &schemas["components"]["schemas"]["com.example.v1.Shop"];
    assert_eq!(schema["x-kubernetes-group-version-kind"][0]["kind"], "Shop");
    client.delete(&format!("{definitions}/shops.example.com")).object(200);
    assert_eq!(client.get(root).code, 404);
}

#[test]
fn owners_take_their_objects_along() {
    let (_server, client) = start(&[]);
    let owned = |owner: &Value, name: &str| {
        let mut object = config_map(name, &json!({}));
        object["metadata"]["ownerReferences"] = json!([{
            "apiVersion": "v1", "kind": "ConfigMap", "name": owner.text(["metadata", "name"]),
            "uid": owner["metadata"]["uid"],
        }]);
        object
    };
    for (policy, rest) in
        [("Background", vec!["kube-root-ca.crt"]), ("Orphan", vec!["below", "child", "kube-root-ca.crt"])]
    {
        let owner = client.post(CONFIG_MAPS, &config_map("owner", &json!({}))).object(201);
        let child = client.post(CONFIG_MAPS, &owned(&owner, "child")).object(201);
        client.post(CONFIG_MAPS, &owned(&child, "below")).object(201);
        client.delete(&format!("{CONFIG_MAPS}/owner?propagationPolicy={policy}")).object(200);
        assert_eq!(names(&client.get(CONFIG_MAPS).object(200)), rest, "{policy}");
    }
}

#[test]
fn finalizers_and_namespaces_end_in_order() {
    let (_server, client) = start(&[]);
    client.post("/api/v1/namespaces", &json!({"metadata": {"name": "shop"}})).object(201);
    let mut kept = config_map("a", &json!({}));
    kept["metadata"]["finalizers"] = json!(["example.com/wait"]);
    client.post("/api/v1/namespaces/shop/configmaps", &kept).object(201);
    let ending = client.delete("/api/v1/namespaces/shop").object(200);
    assert_eq!(ending["status"]["phase"], "Terminating");
    let path = "/api/v1/namespaces/shop/configmaps/a";
    assert!(!client.get(path).object(200).text(["metadata", "deletionTimestamp"]).is_empty());
    let (code, _, message) =
        client.post("/api/v1/namespaces/shop/configmaps", &config_map("b", &json!({}))).refusal();
    assert_eq!(code, 403);
    assert!(message.contains("because it is being terminated"), "{message}");
    client.patch(path, "merge-patch+json", &json!({"metadata": {"finalizers": null}})).object(200);
    assert_eq!(client.get("/api/v1/namespaces/shop").code, 404);
}

#[test]
fn controllers_replace_what_is_deleted() {
    let (_server, client) = start(&["--disable-admission-plugins=ServiceAccount"]);
    client.post(DEPLOYMENTS, &deployment(3)).object(201);
    let before = client.get(PODS).object(200);
    client.delete(&format!("{PODS}/{}", names(&before)[0])).object(200);
    let after = client.get(PODS).object(200);
    assert_eq!(names(&after).len(), 3);
    assert_ne!(names(&after), names(&before));
    let scale = json!({"spec": {"replicas": 1}});
    let scaled = client.patch(&format!("{DEPLOYMENTS}/web/scale"), "merge-patch+json", &scale).object(200);
    assert_eq!(scaled.text("kind"), "Scale");
    assert_eq!(names(&client.get(PODS).object(200)).len(), 1);
}

#[test]
fn users_do_what_their_roles_allow() {
    let role = "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: a}, \
                roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}, \
                subjects: [{kind: User, apiGroup: rbac.authorization.k8s.io, name: alice}]}";
    let cluster = ApiServer::from_flags(["--authorization-mode=RBAC"]).expect("flags");
    let cluster = cluster.cluster(&[SourceFile::new("role.yaml", role)]).expect("a cluster");
    let mut options = ServerOptions::default();
    let alice = UserInfo { username: "alice".to_owned(), ..UserInfo::default() };
    options.users.push(("secret".to_owned(), alice));
    let server = Server::start_with(cluster, &options).expect("a free port");
    let of = |token: &str| Client::new(server.address(), server.certificate_authority(), token);
    let (admin, alice, anonymous) = (of(server.token()), of("secret"), of(""));
    alice.get(PODS).object(200);
    assert_eq!(
        alice.post(PODS, &pod("a")).refusal().2,
        "pods is forbidden: User \"alice\" cannot create resource \"pods\" in API group \"\" in the namespace \"default\""
    );
    assert_eq!(of("other").get(PODS).refusal(), (401, "Unauthorized".to_owned(), "Unauthorized".to_owned()));
    assert_eq!(anonymous.get("/healthz").code, 200);
    assert_eq!(anonymous.get(PODS).refusal().0, 403);
    let impersonating = admin.with("Impersonate-User: alice");
    assert_eq!(impersonating.post(PODS, &pod("a")).code, 403);
    assert_eq!(alice.with("Impersonate-User: bob").get(PODS).refusal().0, 403);
    let review = json!({"spec": {"resourceAttributes": {"verb": "list", "resource": "pods"}}});
    let path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    assert_eq!(alice.post(path, &review).object(201)["status"]["allowed"], true);
    let token = admin
        .post("/api/v1/namespaces/default/serviceaccounts/default/token", &json!({"spec": {}}))
        .object(201);
    let token = token.text(["status", "token"]);
    let who = of(token).post("/apis/authentication.k8s.io/v1/selfsubjectreviews", &json!({})).object(201);
    assert_eq!(who["status"]["userInfo"]["username"], "system:serviceaccount:default:default");
}

#[test]
fn what_is_not_there_is_refused() {
    let (server, client) = start(&[]);
    let anonymous = Client::new(server.address(), server.certificate_authority(), "");
    assert_eq!(anonymous.get("/healthz").code, 401);
    for (method, path, code) in [
        ("GET", "/nothing", 404),
        ("GET", "/apis/example.com/v1/shops", 404),
        ("GET", "/api/v1/nothing", 404),
        ("GET", "/api/v1/namespaces/default/nodes", 404),
        ("GET", "/api/v1/namespaces/default/pods/a/nothing", 404),
        ("PUT", PODS, 405),
        ("POST", "/api/v1/namespaces/default/pods/a", 405),
        ("GET", "/api/v1/namespaces/default/pods/a/binding", 405),
        ("GET", "/api/v1/namespaces/default/pods/a/log", 404),
        ("BREW", PODS, 405),
    ] {
        let answer = client.send(method, path, "", "");
        assert_eq!(answer.code, code, "{method} {path}: {}", answer.body);
    }
    client.post(PODS, &pod("a")).object(201);
    let log = client.get("/api/v1/namespaces/default/pods/a/log").refusal();
    assert_eq!((log.0, log.2.as_str()), (400, "pod a does not have a host assigned"));
    assert_eq!(client.send("POST", "/api/v1/namespaces/default/pods/a/exec", "", "").code, 501);
    assert_eq!(client.send("POST", PODS, "text/plain", "{}").refusal().0, 415);
    assert_eq!(client.with("Accept: application/vnd.kubernetes.protobuf").get(PODS).refusal().0, 406);
    let (code, _, message) = client.send("POST", PODS, "application/json", "{").refusal();
    assert_eq!(code, 400);
    assert!(message.starts_with("the object provided is unrecognized (must be of type Pod): "), "{message}");
    let huge = format!("{{\"data\": \"{}\"}}", "x".repeat(3 << 20));
    assert_eq!(client.send("POST", CONFIG_MAPS, "application/json", &huge).refusal().0, 413);
}

#[test]
fn every_page_of_discovery_is_there() {
    let (_server, client) = start(&[]);
    assert_eq!(client.get("/version").object(200).text("major"), "1");
    assert_eq!(client.get("/api").object(200)["versions"], json!(["v1"]));
    let groups = client.get("/apis").object(200);
    for group in groups.list("groups") {
        let preferred = group.text(["preferredVersion", "groupVersion"]);
        let list = client.get(&format!("/apis/{preferred}")).object(200);
        assert_eq!(list.text("groupVersion"), preferred);
        assert!(!list.list("resources").is_empty(), "{preferred}");
        client.get(&format!("/openapi/v3/apis/{preferred}")).object(200);
    }
    let aggregated = "Accept: application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    let list = client.with(aggregated).get("/apis").object(200);
    assert_eq!(list.list("items").len(), groups.list("groups").len());
    let document = client.get("/openapi/v2").object(200);
    let containers = &document["definitions"]["io.k8s.api.core.v1.PodSpec"]["properties"]["containers"];
    assert_eq!(containers["x-kubernetes-patch-merge-key"], "name");
}

/// Requests that are almost right neither stop the server nor make it hang.
#[test]
fn hostile_requests_do_no_harm() {
    let (server, client) = start(&[]);
    let mut seed = 1_u64;
    let mut random = move |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).expect("31 bits") % below
    };
    let bodies = [
        pod("a").to_string(),
        deployment(2).to_string(),
        definition().to_string(),
        "[{\"op\":\"add\"}]".to_owned(),
    ];
    let paths = [
        PODS,
        DEPLOYMENTS,
        CONFIG_MAPS,
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
        "/apis",
        "/openapi/v3",
    ];
    let kinds = [
        "application/json",
        "application/yaml",
        "application/json-patch+json",
        "application/apply-patch+yaml",
        "application/vnd.kubernetes.protobuf",
    ];
    let methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"];
    for _ in 0..1000 {
        let mut body = bodies[random(bodies.len())].clone().into_bytes();
        for _ in 0..random(4) {
            let at = random(body.len());
            body[at] = u8::try_from(random(256)).expect("a byte");
        }
        body.truncate(random(body.len()) + 1);
        let path = paths[random(paths.len())];
        let more = [
            "",
            "/a",
            "/a/status",
            "/%2e%2e/x",
            "?watch=0&limit=-1",
            "?fieldSelector=%00",
            "/a/scale?dryRun=All",
        ][random(7)];
        let head = format!(
            "{} {path}{more} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {}\r\nConnection: close\r\nContent-Type: {}\r\nContent-Length: {}\r\n\r\n",
            methods[random(methods.len())],
            server.token(),
            kinds[random(kinds.len())],
            body.len(),
        );
        let answer = client.send_raw(&[head.as_bytes(), &body].concat());
        assert!(answer.starts_with(b"HTTP/1.1 "), "{head}{}", String::from_utf8_lossy(&body));
    }
    for raw in [&b"\0\0\0"[..], b"GET\r\n\r\n", b"GET / HTTP/9\r\n\r\n", b"GET /%ff HTTP/1.1\r\n\r\n"] {
        client.send_raw(raw);
    }
    client.get("/readyz");
    assert!(server.stop(), "no thread panicked");
}

#[test]
fn the_program_serves_until_it_is_told_to_stop() {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("serve");
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory).expect("a directory");
    let program = Command::new(env!("CARGO_BIN_EXE_kadmit"))
        .args([
            "serve",
            "--kubeconfig",
            "config",
            "--ready-file",
            "ready",
            "--dump",
            "dump.yaml",
            "-o",
            "json",
        ])
        .args(["--user", "alice=secret,system:masters"])
        .current_dir(&directory)
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let began = Instant::now();
    let ready = directory.join("ready");
    while !ready.exists() {
        assert!(began.elapsed() < Duration::from_secs(30), "the server is not ready");
        thread::sleep(Duration::from_millis(10));
    }
    let url = fs::read_to_string(ready).expect("a URL");
    let address = url.trim().strip_prefix("https://").expect("a URL").parse().expect("an address");
    let config = SourceFile::new("config", fs::read_to_string(directory.join("config")).expect("a file"));
    let config = kube_yaml::read_first(&config).expect("YAML").node.into_value();
    let authority = config["clusters"][0]["cluster"]["certificate-authority-data"].as_str().expect("base64");
    let authority = String::from_utf8(gotext::base64::decoded(authority)).expect("PEM");
    let client = Client::new(address, &authority, "secret");
    client.post(CONFIG_MAPS, &config_map("a", &json!({"x": "1"}))).object(201);
    assert_eq!(client.post("/api/v1/namespaces/none/configmaps", &config_map("a", &json!({}))).code, 404);
    let killed = Command::new("kill").arg(program.id().to_string()).status().expect("kill");
    assert!(killed.success());
    let output = program.wait_with_output().expect("output");
    assert_eq!(output.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
    assert_eq!(report["summary"]["requests"], 2);
    assert_eq!(report["results"][1]["allowed"], false);
    let dump = fs::read_to_string(directory.join("dump.yaml")).expect("a dump");
    assert!(dump.contains("kind: ConfigMap") && dump.contains("x: \"1\""), "{dump}");
}
