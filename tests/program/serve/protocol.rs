//! What requests say about what they want, and the answers to those that cannot be had.

use gotext::value::{Value, json};

use super::{CONFIG_MAPS, DEPLOYMENTS, PODS, config_map, definition, names, pod, start, start_with};
use crate::client::Client;

const JSON: &str = "application/json";

/// Returns code, reason and message of the answer to a request without a body.
fn refusal(client: &Client, method: &str, path: &str) -> (u16, String, String) {
    client.send(method, path, "", "").refusal()
}

/// Asserts code and message of refusals of `GET` with these queries.
#[track_caller]
fn assert_refused(client: &Client, path: &str, expected: &[(&str, u16, &str)]) {
    for (query, code, message) in expected {
        let (found, _, text) = client.get(&format!("{path}?{query}")).refusal();
        assert_eq!((found, text.as_str()), (*code, *message), "{query}");
    }
}

/// The router of built-in groups answers with an object; other paths have a page.
#[test]
fn paths_that_lead_nowhere_are_refused_by_who_would_serve_them() {
    let (_server, client) = start(&[]);
    client.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", &definition()).object(201);
    let not_found =
        (404, "NotFound".to_owned(), "the server could not find the requested resource".to_owned());
    for path in [
        "/api/v2",
        "/api/v1/nothing",
        "/apis/apps/v9",
        "/apis/apps/v1/nothing",
        "/api/v1/pods/a",
        "/api/v1/namespaces/default/nodes",
        "/api/v1/namespaces/default/pods/a/nothing",
        "/version/nothing",
    ] {
        assert_eq!(refusal(&client, "GET", path), not_found, "{path}");
    }
    let not_allowed = (
        405,
        "MethodNotAllowed".to_owned(),
        "the server does not allow this method on the requested resource".to_owned(),
    );
    for (method, path) in [
        ("POST", "/api/v1/pods"),
        ("DELETE", "/api/v1/pods"),
        ("PUT", PODS),
        ("POST", "/api/v1/namespaces/default/pods/a"),
        ("OPTIONS", PODS),
        ("POST", "/version"),
        ("POST", "/api//"),
        ("OPTIONS", "/apis/apps//"),
        ("PUT", "/apis/apps/v1"),
    ] {
        assert_eq!(refusal(&client, method, path), not_allowed, "{method} {path}");
    }
    assert_eq!(client.send("HEAD", PODS, "", "").code, 405);
    let details = client.get("/api/v1/nothing");
    assert!(details.body.contains("\"details\":{}"), "{}", details.body);
    let shops = "/apis/example.com/v1/namespaces/default/shops";
    for path in [
        "/nothing",
        "/apis/none",
        "/apis/none/v1/shops",
        "/apis/example.com/v9/shops",
        "/apis/example.com/v1/shops/a",
        "/livez/nothing",
        "/livez/",
        "//",
        "/metrics/",
        "/apis//apps/v1",
    ] {
        let answer = client.get(path);
        assert_eq!((answer.code, answer.body.as_str()), (404, "404 page not found\n"), "{path}");
    }
    let document = client.get("/openapi/v3/nothing");
    assert_eq!((document.code, document.body.as_str()), (404, ""));
    assert_eq!(client.delete("/apis/example.com/v1/shops").body, "404 page not found\n");
    // The lists of groups and versions are no resources, and have no methods.
    for path in ["/apis", "/apis/", "/apis/apps", "/apis/example.com"] {
        assert_eq!(client.send("POST", path, "", "").code, 200, "{path}");
    }
    for path in ["/api//", "/api/v1//", "/apis/apps/v1//", "/version//"] {
        assert_eq!(client.get(path).code, 200, "{path}");
    }
    assert_eq!(client.get(&format!("{shops}/a/nothing")).refusal().2, "shops.example.com \"a\" not found");
    let (code, reason, _) = client.send("OPTIONS", shops, "", "").refusal();
    assert_eq!((code, reason.as_str()), (405, "MethodNotAllowed"));
}

/// A route has some media types, whatever clients say about them; what it answers has some forms. Other paths have neither.
#[test]
fn clients_accept_what_a_path_has() {
    let (_server, client) = start(&[]);
    let routed = |types: &str| format!("406: Not Acceptable\n\nAvailable representations: {types}");
    let negotiated = "only the following media types are accepted: \
                      application/json, application/yaml, application/vnd.kubernetes.protobuf";
    let (html, table) = ("text/html", "application/json;as=Table;v=v1;g=meta.k8s.io");
    let all = "application/json, application/yaml, application/vnd.kubernetes.protobuf";
    for (accept, path, expected) in [
        (html, "/version", routed("application/json")),
        ("application/*", "/api", routed(all)),
        (html, "/apis", negotiated.to_owned()),
        (html, "/apis/apps", negotiated.to_owned()),
        (html, "/apis/apps/v1", routed(all)),
        (html, "/api/v1/namespaces/default", routed(all)),
        (
            html,
            PODS,
            routed(&format!(
                "{all}, application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch"
            )),
        ),
        (html, "/api/v1/namespaces/default/pods/a/log", routed(&format!("text/plain, {all}"))),
        (table, "/api", negotiated.to_owned()),
        (table, "/apis", negotiated.to_owned()),
        (table, "/apis/apps/v1", negotiated.to_owned()),
        (table, "/api/v1/namespaces/default/pods/a/log", negotiated.to_owned()),
    ] {
        let refused = client.with(&format!("Accept: {accept}")).get(path).refusal();
        assert_eq!((refused.0, refused.2), (406, expected), "{accept} {path}");
    }
    for (accept, path, code) in [
        ("application/yaml", "/version", 406),
        (html, "/nothing", 404),
        (html, "/api/v9", 404),
        (html, "/api/v1/namespaces/default/pods/a/exec", 404),
        (html, "/metrics", 200),
        (html, "/", 200),
        (html, "/healthz", 200),
        (table, "/version", 200),
        (html, "/openapi/v2", 406),
        (html, "/openapi/v3/api/v1", 406),
        (html, "/openapi/v3/nothing", 404),
        (html, "/openapi/v3", 200),
        ("application/*;q=0.5, text/html", "/openapi/v2", 200),
        ("application/com.github.proto-openapi.spec.v3@v1.0+protobuf", "/openapi/v3/api/v1", 406),
    ] {
        assert_eq!(client.with(&format!("Accept: {accept}")).get(path).code, code, "{accept} {path}");
    }
}

/// Fields of integers do not accept `5.0` in JSON that is decoded, or patched as text. A merge of values converts it, and so
/// does a definition's schema.
#[test]
fn numbers_in_json_are_decoded_as_sent() {
    let (_server, client) = start(&[]);
    client.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", &definition()).object(201);
    client.post(DEPLOYMENTS, &super::deployment(0)).object(201);
    let web = format!("{DEPLOYMENTS}/web");
    let mistake = "json: cannot unmarshal number 5.0 into Go struct field DeploymentSpec.spec.minReadySeconds of type int32";
    let spec = r#"{"spec": {"minReadySeconds": 5.0}}"#;
    let operation = r#"[{"op": "add", "path": "/spec/minReadySeconds", "value": 5.0}]"#;
    for (kind, patch) in [("merge-patch", spec), ("json-patch", operation)] {
        let (code, _, message) =
            client.send("PATCH", &web, &format!("application/{kind}+json"), patch).refusal();
        assert_eq!(code, 422);
        assert!(message.ends_with(mistake), "{message}");
    }
    let merged = client.send("PATCH", &web, "application/strategic-merge-patch+json", spec).object(200);
    assert_eq!(merged["spec"]["minReadySeconds"], 5);
    let created = client.send("POST", DEPLOYMENTS, JSON, spec).refusal();
    let expected = format!("Deployment in version \"v1\" cannot be handled as a Deployment: {mistake}");
    assert_eq!((created.0, created.2), (400, expected));
    let yaml = "{metadata: {name: a}, spec: {ports: [{port: 80.0}]}}";
    let services = "/api/v1/namespaces/default/services";
    client.send("POST", services, "application/yaml", yaml).object(201);
    let options = client.send("DELETE", &web, JSON, r#"{"gracePeriodSeconds": 5.0}"#).refusal();
    let expected = "json: cannot unmarshal number 5.0 into Go struct field DeleteOptions.gracePeriodSeconds of type int64";
    assert_eq!((options.0, options.2.as_str()), (400, expected));
    let shop = r#"{"apiVersion": "example.com/v1", "kind": "Shop", "metadata": {"name": "a"}, "spec": {"size": 1.0}}"#;
    let shops = "/apis/example.com/v1/namespaces/default/shops";
    assert_eq!(client.send("POST", shops, JSON, shop).object(201)["spec"]["size"], 1);
}

#[test]
fn health_has_checks() {
    let (_server, client) = start(&[]);
    for path in ["/healthz", "/livez/ping", "/readyz/etcd"] {
        assert_eq!(client.get(path).body, "ok", "{path}");
    }
    assert_eq!(
        client.get("/readyz?verbose").body,
        "[+]ping ok\n[+]log ok\n[+]etcd ok\nreadyz check passed\n"
    );
}

#[test]
fn options_of_lists_are_checked() {
    let (_server, client) = start(&[]);
    client.post(CONFIG_MAPS, &config_map("a", &json!({}))).object(201);
    let invalid = |text: &str| format!("ListOptions.meta.k8s.io \"\" is invalid: {text}");
    let syntax = "resourceVersion: Invalid value: \"x\": strconv.ParseUint: parsing \"x\": invalid syntax";
    let of_list = format!("invalid resource version: {syntax}");
    assert_refused(
        &client,
        CONFIG_MAPS,
        &[
            ("limit=x", 400, "strconv.ParseInt: parsing \"x\": invalid syntax"),
            ("timeoutSeconds=x", 400, "strconv.ParseInt: parsing \"x\": invalid syntax"),
            ("resourceVersion=x", 400, &of_list),
            ("watch=1&resourceVersion=x", 500, syntax),
            (
                "resourceVersionMatch=Exact",
                422,
                &invalid(
                    "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided",
                ),
            ),
            (
                "resourceVersion=0&resourceVersionMatch=Exact",
                422,
                &invalid(
                    "resourceVersionMatch: Forbidden: resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"",
                ),
            ),
            (
                "resourceVersion=1&resourceVersionMatch=Newest",
                422,
                &invalid(
                    "resourceVersionMatch: Unsupported value: \"Newest\": supported values: \"Exact\", \"NotOlderThan\", \"\"",
                ),
            ),
            (
                "sendInitialEvents=true",
                422,
                &invalid("sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list"),
            ),
            (
                "watch=1&sendInitialEvents=true",
                422,
                &invalid(
                    "resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
                ),
            ),
            (
                "watch=1&resourceVersion=1&resourceVersionMatch=NotOlderThan",
                422,
                &invalid(
                    "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
                ),
            ),
            (
                "continue=*",
                400,
                "invalid continue token: continue key is not valid: illegal base64 data at input byte 0",
            ),
            (
                "continue=e30",
                400,
                "invalid continue token: continue key is not valid: server does not recognize this encoded version ",
            ),
            ("labelSelector=%3D", 400, "found '=', expected: !, identifier, or 'end of string'"),
            ("fieldSelector=x", 400, "invalid selector: 'x'; can't understand 'x'"),
        ],
    );
    let (code, reason, message) = client.get(&format!("{CONFIG_MAPS}?resourceVersion=99999")).refusal();
    assert_eq!((code, reason.as_str()), (504, "Timeout"));
    assert!(message.starts_with("Timeout: Too large resource version: 99999, current: "), "{message}");
    assert_eq!(client.get(&format!("{CONFIG_MAPS}/a?resourceVersion=99999")).code, 504);
}

#[test]
fn a_manifest_takes_what_it_applies() {
    let (_server, client) = start(&[]);
    let limits = "/api/v1/namespaces/default/limitranges";
    let range = |labels: Value| {
        let spec = json!({"limits": [{"type": "Container", "default": {"cpu": "1"}}]});
        let metadata = json!({"name": "a", "labels": labels});
        json!({"apiVersion": "v1", "kind": "LimitRange", "metadata": metadata, "spec": spec})
    };
    let owners = |object: &Value| {
        let owners = object["metadata"].list("managedFields").iter();
        owners.map(|owner| (owner.text("manager").to_owned(), owner["fieldsV1"].clone())).collect::<Vec<_>>()
    };
    client.post(&format!("{limits}?fieldManager=one"), &range(json!({"app": "x"}))).object(201);
    let apply = format!("{limits}/a?fieldManager=two&force=true");
    let forced = client.patch(&apply, "apply-patch+yaml", &range(json!({"app": "y"}))).object(200);
    // Defaults of what was applied are no reason to leave it to its former owner, and no map of labels is.
    let (app, list) = (json!({"f:labels": {"f:app": {}}}), json!({"f:limits": {}}));
    let of_two = ("two".to_owned(), json!({"f:metadata": app, "f:spec": list}));
    let of_one = ("one".to_owned(), json!({"f:metadata": {"f:labels": {}}}));
    assert_eq!(owners(&forced), [of_two, of_one.clone()]);
    let nothing = json!({"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "a"}});
    let left = client.patch(&apply, "apply-patch+yaml", &nothing).object(200);
    assert_eq!((owners(&left), &left["spec"]["limits"]), (vec![of_one], &Value::Null));
    // A number that is zero has an owner.
    let created = client.post(&format!("{DEPLOYMENTS}?fieldManager=one"), &super::deployment(0)).object(201);
    assert_eq!(owners(&created)[0].1["f:spec"]["f:replicas"], json!({}));
    // The annotations of a Deployment count, unless a controller writes them.
    let generation = |change: &Value| {
        let changed = client.patch(&format!("{DEPLOYMENTS}/web"), "merge-patch+json", change).object(200);
        changed["metadata"]["generation"].clone()
    };
    assert_eq!(generation(&json!({"metadata": {"labels": {"a": "1"}}})), 1);
    assert_eq!(generation(&json!({"metadata": {"annotations": {"a": "1"}}})), 2);
}

#[test]
fn lists_show_former_states_until_those_are_forgotten() {
    let (_server, client) = start(&[]);
    let create = |name: &str| client.post(CONFIG_MAPS, &config_map(name, &json!({}))).object(201);
    let version = |object: &Value| object.text(["metadata", "resourceVersion"]).to_owned();
    let first = version(&create("a"));
    create("b");
    let exact = |version: &str| {
        client.get(&format!("{CONFIG_MAPS}?resourceVersion={version}&resourceVersionMatch=Exact"))
    };
    let found = exact(&first).object(200);
    assert_eq!((names(&found), version(&found)), (vec!["a", "kube-root-ca.crt"], first.clone()));
    let newer = format!("{CONFIG_MAPS}?resourceVersion={first}&resourceVersionMatch=NotOlderThan");
    assert_eq!(names(&client.get(&newer).object(200)), ["a", "b", "kube-root-ca.crt"]);
    let page = client.get(&format!("{CONFIG_MAPS}?limit=1")).object(200);
    let next = page.text(["metadata", "continue"]);
    // What may be of any state is not divided into pages.
    let any = client.get(&format!("{CONFIG_MAPS}?limit=1&resourceVersion=0")).object(200);
    assert_eq!(names(&any), ["a", "b", "kube-root-ca.crt"]);
    assert_eq!(
        client.get(&format!("{CONFIG_MAPS}?continue={next}&resourceVersion={first}")).refusal().2,
        "specifying resource version is not allowed when using continue"
    );
}

#[test]
fn a_list_goes_on_after_its_state_is_forgotten() {
    let seeded =
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: default, resourceVersion: '4711'}}";
    let (_server, client) = super::start_from(seeded);
    client.post(CONFIG_MAPS, &config_map("b", &json!({}))).object(201);
    let old = format!("{CONFIG_MAPS}?resourceVersion=4000&resourceVersionMatch=Exact");
    let (code, reason, message) = client.get(&old).refusal();
    assert_eq!((code, reason.as_str()), (410, "Expired"));
    assert_eq!(message, "The resourceVersion for the provided list is too old.");
    // {"v":"meta.k8s.io/v1","rv":4000,"start":"default/a"}
    let token = "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6NDAwMCwic3RhcnQiOiJkZWZhdWx0L2EifQ";
    let gone = client.get(&format!("{CONFIG_MAPS}?limit=9&continue={token}")).object(410);
    assert!(gone.text("message").starts_with("The provided continue parameter is too old"), "{gone}");
    let next = gone.text(["metadata", "continue"]);
    let rest = client.get(&format!("{CONFIG_MAPS}?limit=9&continue={next}")).object(200);
    assert_eq!(names(&rest), ["b", "kube-root-ca.crt"]);
}

/// A watch that cannot begin has begun: clients learn why from its first event.
#[test]
fn watches_say_why_they_end() {
    let seeded =
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: default, resourceVersion: '4711'}}";
    let (_server, client) = super::start_from(seeded);
    let event = client.watch(&format!("{CONFIG_MAPS}?watch=1&resourceVersion=4710")).next();
    assert_eq!((event.text("type"), event["object"]["code"].as_i64()), ("ERROR", Some(410)));
    assert_eq!(event["object"]["message"], "too old resource version: 4710 (4712)");
    let yaml = client.with("Accept: application/yaml");
    assert_eq!(yaml.get(&format!("{CONFIG_MAPS}?watch=1")).code, 406, "YAML has no form for a stream");
}

#[test]
fn watches_have_the_forms_of_lists() {
    let (_server, client) = start(&[]);
    client.post(PODS, &pod("a")).object(201);
    let table = client.with("Accept: application/json;as=Table;v=v1;g=meta.k8s.io");
    let event = table.watch(&format!("{PODS}?watch=1")).next();
    assert_eq!((event.text("type"), event["object"].text("kind")), ("ADDED", "Table"));
    assert_eq!(event["object"]["rows"][0]["cells"][0], "a");
    let metadata = client.with("Accept: application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io");
    let event = metadata.watch(&format!("{PODS}?watch=1")).next();
    assert_eq!(event["object"].text("kind"), "PartialObjectMetadata");
    // Who selects by a label sees an object come and go with it.
    let mut selected = client.watch(&format!("{PODS}?watch=1&labelSelector=tier%3Dweb"));
    let label = |value: Value| {
        let patch = json!({"metadata": {"labels": {"tier": value}}});
        client.patch(&format!("{PODS}/a"), "merge-patch+json", &patch).object(200);
    };
    label("web".into());
    assert_eq!(selected.next_shown(), "ADDED Pod a");
    label(Value::Null);
    assert_eq!(selected.next_shown(), "DELETED Pod a");
}

#[test]
fn fields_select_where_a_kind_has_them() {
    let (_server, client) = start(&[]);
    let plain = "\"x\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\"";
    for (path, field, message) in [
        (CONFIG_MAPS, "x", plain),
        (DEPLOYMENTS, "x", plain),
        (
            "/apis/apps/v1/replicasets",
            "status.replicas",
            "\"status.replicas\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\"",
        ),
        (PODS, "spec.x", "field label not supported: spec.x"),
        ("/api/v1/nodes", "metadata.namespace", "field label not supported: metadata.namespace"),
        ("/api/v1/namespaces", "name", "field label not supported: name"),
        ("/apis/batch/v1/jobs", "x", "field label \"x\" not supported for Job"),
        (
            "/apis/resource.k8s.io/v1/resourceslices",
            "x",
            "field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: x",
        ),
    ] {
        assert_refused(&client, path, &[(&format!("fieldSelector={field}%3Da"), 400, message)]);
    }
    for (path, selector, expected) in [
        ("/api/v1/namespaces", "status.phase%3DActive,metadata.name%3Ddefault", vec!["default"]),
        ("/api/v1/services", "spec.type%3DClusterIP", vec!["kubernetes"]),
        ("/api/v1/services", "spec.clusterIP%3D10.96.0.9", vec![]),
        ("/apis/events.k8s.io/v1/events", "regarding.name%3Da,reportingController%3Db", vec![]),
    ] {
        let list = client.get(&format!("{path}?fieldSelector={selector}")).object(200);
        assert_eq!(names(&list), expected, "{path} {selector}");
    }
}

#[test]
fn options_of_writes_are_checked() {
    let (_server, client) = start(&[]);
    client.post(CONFIG_MAPS, &config_map("a", &json!({"x": "1"}))).object(201);
    let path = format!("{CONFIG_MAPS}/a");
    let invalid = |kind: &str, text: &str| format!("{kind}.meta.k8s.io \"\" is invalid: {text}");
    for (query, kind, message) in [
        ("dryRun=", "CreateOptions", "dryRun: Unsupported value: [\"\"]: supported values: \"All\""),
        ("dryRun=x", "CreateOptions", "dryRun: Unsupported value: [\"x\"]: supported values: \"All\""),
        (
            "fieldValidation=x",
            "CreateOptions",
            "fieldValidation: Unsupported value: \"x\": supported values: \"\", \"Ignore\", \"Strict\", \"Warn\"",
        ),
        (
            "fieldManager=%07",
            "CreateOptions",
            "fieldManager: Invalid value: \"\\a\": invalid character U+0007 (at position 0)",
        ),
    ] {
        let answer = client.post(&format!("{CONFIG_MAPS}?{query}"), &config_map("b", &json!({})));
        assert_eq!(answer.refusal().2, invalid(kind, message), "{query}");
    }
    for (query, code, message) in [
        ("gracePeriodSeconds=x", 400, "strconv.ParseInt: parsing \"x\": invalid syntax".to_owned()),
        (
            "propagationPolicy=x",
            422,
            invalid(
                "DeleteOptions",
                "propagationPolicy: Unsupported value: \"x\": supported values: \"Foreground\", \"Background\", \"Orphan\", \"nil\"",
            ),
        ),
        (
            "propagationPolicy=Orphan&orphanDependents=true",
            422,
            invalid(
                "DeleteOptions",
                "propagationPolicy: Invalid value: \"Orphan\": orphanDependents and deletionPropagation cannot be both set",
            ),
        ),
    ] {
        let answer = refusal(&client, "DELETE", &format!("{path}?{query}"));
        assert_eq!((answer.0, answer.2), (code, message), "{query}");
    }
    let of_another_name = client.put(&path, &config_map("b", &json!({}))).refusal();
    let message = "the name of the object (b) does not match the name on the URL (a)";
    assert_eq!((of_another_name.0, of_another_name.2.as_str()), (400, message));
    let forced = client.patch(&format!("{path}?force=true"), "merge-patch+json", &json!({})).refusal();
    let message = invalid("PatchOptions", "force: Forbidden: may not be specified for non-apply patch");
    assert_eq!((forced.0, forced.2), (422, message));
    assert_eq!(
        client.patch(&path, "json-patch+json", &json!({})).refusal().2,
        "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp"
    );
    let stale = json!({"metadata": {"resourceVersion": "1"}, "data": {"x": "2"}});
    assert_eq!(client.patch(&path, "merge-patch+json", &stale).refusal().0, 409);
    assert_eq!(client.get(&path).object(200)["data"]["x"], "1");
}

#[test]
fn deletions_have_preconditions_and_say_what_is_left() {
    let (_server, client) = start(&[]);
    let created = client.post(CONFIG_MAPS, &config_map("a", &json!({}))).object(201);
    let path = format!("{CONFIG_MAPS}/a");
    let delete = |options: Value| client.send("DELETE", &path, JSON, &options.to_string());
    let version = created.text(["metadata", "resourceVersion"]);
    let (code, reason, message) = delete(json!({"preconditions": {"resourceVersion": "1"}})).refusal();
    assert_eq!((code, reason.as_str()), (409, "Conflict"));
    assert!(
        message.contains(&format!("(1) does not match the ResourceVersion in record ({version})")),
        "{message}"
    );
    // A dry run answers as the deletion would, and leaves the object.
    let dry = delete(json!({"dryRun": ["All"]})).object(200);
    assert_eq!((dry.text("kind"), dry.text("status")), ("Status", "Success"));
    client.get(&path).object(200);
    let finalizers = json!({"metadata": {"finalizers": ["example.com/wait"]}});
    client.patch(&path, "merge-patch+json", &finalizers).object(200);
    let waiting = delete(json!({})).object(200);
    assert_eq!(waiting.text("kind"), "ConfigMap");
    assert_ne!(waiting.text(["metadata", "deletionTimestamp"]), "");
    let none = json!({"metadata": {"finalizers": null}});
    client.patch(&path, "merge-patch+json", &none).object(200);
    assert_eq!(client.get(&path).code, 404);
}

#[test]
fn dependents_go_or_stay_as_the_policy_says() {
    let (_server, client) = start(&[]);
    let owned = |policy: &str| {
        let owner = client.post(CONFIG_MAPS, &config_map("owner", &json!({}))).object(201);
        let mut dependent = config_map("dependent", &json!({}));
        let uid = &owner["metadata"]["uid"];
        dependent["metadata"]["ownerReferences"] =
            json!([{"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": uid}]);
        client.post(CONFIG_MAPS, &dependent).object(201);
        client.delete(&format!("{CONFIG_MAPS}/owner?propagationPolicy={policy}")).object(200);
        client.get(&format!("{CONFIG_MAPS}/dependent"))
    };
    assert_eq!(owned("Background").code, 404);
    assert_eq!(owned("Foreground").code, 404);
    let orphan = owned("Orphan").object(200);
    assert!(orphan["metadata"].get("ownerReferences").is_none(), "{orphan}");
}

#[test]
fn writes_are_answered_in_the_form_that_is_asked_for() {
    let (_server, client) = start(&[]);
    let table = client.with("Accept: application/json;as=Table;v=v1;g=meta.k8s.io");
    let created = table.post(CONFIG_MAPS, &config_map("a", &json!({"x": "1"}))).object(201);
    assert_eq!((created.text("kind"), &created["rows"][0]["cells"][1]), ("Table", &json!(1)));
    let metadata = client.with("Accept: application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io");
    let created = metadata.post(CONFIG_MAPS, &config_map("b", &json!({"x": "1"}))).object(201);
    assert_eq!((created.text("kind"), created.get("data")), ("PartialObjectMetadata", None));
    assert_eq!(
        table.get(&format!("{CONFIG_MAPS}?includeObject=x")).refusal().2,
        "Unable to convert to Table as requested: includeObject: Invalid value: \"x\": must be 'Metadata', 'Object', 'None', or empty"
    );
    let yaml = client.with("Accept: application/yaml").get(&format!("{CONFIG_MAPS}/a"));
    assert!(
        yaml.headers.contains("application/yaml") && yaml.body.contains("kind: ConfigMap\n"),
        "{}",
        yaml.body
    );
    let unknown = client.send("POST", CONFIG_MAPS, "text/plain", "{}").refusal().2;
    assert_eq!(
        unknown,
        "the body of the request was in an unknown format - accepted media types include: application/json, \
         application/yaml, application/vnd.kubernetes.protobuf"
    );
    let form = "Accept: application/json;as=Nothing;v=v1;g=meta.k8s.io";
    assert_eq!(client.with(form).get(CONFIG_MAPS).code, 406);
}

#[test]
fn documents_that_did_not_change_are_not_sent_again() {
    let (_server, client) = start(&[]);
    let tag = |answer: &crate::client::Answer| {
        let line = answer.headers.lines().find_map(|line| line.strip_prefix("etag: "));
        line.unwrap_or_else(|| panic!("no tag: {}", answer.headers)).to_owned()
    };
    let aggregated =
        client.with("Accept: application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList");
    let found = aggregated.get("/apis");
    let again = aggregated.with(&format!("If-None-Match: {}", tag(&found)));
    let same = again.get("/apis");
    assert_eq!((same.code, same.body.as_str()), (304, ""));
    let apps = "/openapi/v3/apis/apps/v1";
    // Any method reads a document.
    assert_eq!(client.post(apps, &json!({})).object(200)["openapi"], "3.0.0");
    let index = client.get("/openapi/v3").object(200);
    let url = index["paths"]["apis/apps/v1"].text("serverRelativeURL").to_owned();
    let document = client.get(&url);
    assert_eq!(url, format!("{apps}?hash={}", tag(&document).trim_matches('"')));
    assert_eq!(client.with(&format!("If-None-Match: {}", tag(&document))).get(apps).code, 304);
    let moved = client.get(&format!("{apps}?hash=other"));
    assert!(moved.code == 301 && moved.headers.contains(&format!("location: {url}")), "{}", moved.headers);
    // An object changes nothing; a definition does.
    client.post(CONFIG_MAPS, &config_map("a", &json!({}))).object(201);
    assert_eq!(again.get("/apis").code, 304);
    client.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", &definition()).object(201);
    assert_eq!(again.get("/apis").code, 200);
    assert_ne!(tag(&client.get(apps)), tag(&document));
}

#[test]
fn reviews_answer_who_may_do_what() {
    let (_server, client) = start_with(&["--authorization-mode=RBAC"], kadmit::Pods::default());
    let group = "/apis/authorization.k8s.io/v1";
    let attributes = json!({"namespace": "default", "verb": "get", "resource": "pods"});
    let spec = json!({"user": "bob", "resourceAttributes": attributes});
    let review = json!({"spec": spec});
    let all = client.post(&format!("{group}/subjectaccessreviews"), &review).object(201);
    assert_eq!(all["status"]["allowed"], false);
    let local = format!("{group}/namespaces/default/localsubjectaccessreviews");
    let of_namespace = json!({"metadata": {"namespace": "default"}, "spec": spec});
    assert_eq!(client.post(&local, &of_namespace).object(201)["status"]["allowed"], false);
    let mut other = of_namespace;
    other["spec"]["resourceAttributes"]["namespace"] = "other".into();
    let message = client.post(&local, &other).refusal().2;
    assert!(
        message.contains(
            "spec.resourceAttributes.namespace: Invalid value: \"other\": must match metadata.namespace"
        ),
        "{message}"
    );
    let rules = format!("{group}/selfsubjectrulesreviews");
    let found = client.post(&rules, &json!({"spec": {"namespace": "default"}})).object(201);
    let everything = json!({"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]});
    assert!(found["status"].list("resourceRules").contains(&everything), "{found}");
    assert_eq!(client.post(&rules, &json!({"spec": {}})).refusal().2, "no namespace on request");
    let tokens = "/apis/authentication.k8s.io/v1/tokenreviews";
    let reviewed = client.post(tokens, &json!({"spec": {"token": "unknown"}})).object(201);
    assert!(reviewed["status"].get("authenticated").is_none(), "{reviewed}");
    assert_eq!(reviewed["status"]["error"], "invalid bearer token");
}

#[test]
fn collections_are_deleted_as_selected() {
    let (_server, client) = start(&[]);
    for name in ["a", "b", "c"] {
        client.post(PODS, &pod(name)).object(201);
    }
    let dry = client.delete(&format!("{PODS}?dryRun=All&fieldSelector=metadata.name%3Da")).object(200);
    assert_eq!((dry.text("kind"), names(&dry)), ("PodList", vec!["a"]));
    client.delete(&format!("{PODS}?labelSelector=app+in+(a,b)")).object(200);
    assert_eq!(names(&client.get(PODS).object(200)), ["c"]);
    assert_eq!(client.delete(&format!("{PODS}?labelSelector=%3D")).refusal().0, 400);
    client.delete(PODS).object(200);
    assert_eq!(names(&client.get(PODS).object(200)), Vec::<&str>::new());
}

#[test]
fn queries_of_reads_are_checked() {
    let (_server, client) = start(&[]);
    client.post(PODS, &pod("p")).object(201);
    let log = format!("{PODS}/p/log");
    for (path, code, message) in [
        (format!("{PODS}?limit="), 400, "strconv.ParseInt: parsing \"\": invalid syntax"),
        (
            format!("{log}?sinceTime=x"),
            400,
            "parsing time \"x\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"x\" as \"2006\"",
        ),
        (
            format!("{log}?stream=All"),
            422,
            "PodLogOptions \"p\" is invalid: stream: Forbidden: may not be specified",
        ),
        (
            format!("{log}?sinceTime=2020-01-01T00:00:00Z&sinceSeconds=1"),
            422,
            "PodLogOptions \"p\" is invalid: []: Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified",
        ),
        ("/api/v1/componentstatuses/nope".to_owned(), 404, "componentstatus \"nope\" not found"),
    ] {
        let answer = client.get(&path);
        let (found, _, text) = answer.refusal();
        assert_eq!((found, text.as_str()), (code, message), "{path}");
    }
    assert_eq!(client.get(&format!("{log}?sinceTime=2020-01-01T00:00:00Z")).code, 204);
    let missing = client.get("/api/v1/namespaces/default/endpoints/nope");
    assert!(missing.headers.contains("v1 Endpoints is deprecated"), "{}", missing.headers);
}
