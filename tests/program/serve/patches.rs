//! What patches do besides changing fields: repeated keys, bodies that are no patches, directives, and owners.

use gotext::value::{Value, json};

use super::{CONFIG_MAPS, DEPLOYMENTS, PODS, config_map, definition, deployment, pod, start};
use crate::client::Answer;

const SHOPS: &str = "/apis/example.com/v1/namespaces/default/shops";

const JSON: &str = "application/json-patch+json";
const MERGE: &str = "application/merge-patch+json";
const STRATEGIC: &str = "application/strategic-merge-patch+json";
const APPLY: &str = "application/apply-patch+yaml";

/// Returns the texts of the warnings of an answer.
fn warnings(answer: &Answer) -> Vec<String> {
    let lines = answer.headers.lines().filter_map(|line| line.strip_prefix("warning: 299 - \""));
    lines.map(|line| line.strip_suffix('"').unwrap_or(line).replace("\\\"", "\"")).collect()
}

#[test]
fn repeated_keys_are_warned_about_or_refused() {
    const TWICE: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  x: '1'\n  x: '2'\n";
    let (_server, client) = start(&[]);
    client.post(CONFIG_MAPS, &config_map("a", &json!({"x": "0"}))).object(201);
    let labels = r#"{"metadata":{"labels":{"a":"1","a":"2"}},"zz":1}"#;
    let operations = r#"[{"op":"add","path":"/data/y","value":{"q":1,"q":2},"zz":1,"op":"test"}]"#;
    let merged = ["duplicate field \"metadata.labels.a\"", "unknown field \"zz\""];
    for (kind, body, found) in [
        (MERGE, labels, merged.to_vec()),
        (STRATEGIC, labels, merged.to_vec()),
        (APPLY, TWICE, vec!["line 7: key \"x\" already set in map"]),
    ] {
        let send = |validation: &str| {
            let query = format!("fieldManager=test&fieldValidation={validation}");
            let force = if kind == APPLY { "&force=true" } else { "" };
            client.send("PATCH", &format!("{CONFIG_MAPS}/a?{query}{force}"), kind, body)
        };
        let warned = send("Warn");
        assert_eq!(
            (warned.code, warnings(&warned)),
            (200, found.clone().into_iter().map(str::to_owned).collect()),
            "{kind}"
        );
        assert!(warnings(&send("Ignore")).is_empty(), "{kind}");
        let (code, _, message) = send("Strict").refusal();
        let expected = match kind {
            APPLY => "error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  "
                .to_owned(),
            _ => "strict decoding error: ".to_owned(),
        };
        assert!(message.ends_with(&(expected + &found.join(", "))), "{kind}: {message}");
        assert_eq!(code, if kind == APPLY { 400 } else { 422 }, "{kind}");
    }
    assert_eq!(client.get(&format!("{CONFIG_MAPS}/a")).object(200)["data"]["x"], "2", "the last one counts");
    // JSON that is applied is YAML.
    let body = r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","name":"a"}}"#;
    let applied = client.send("PATCH", &format!("{CONFIG_MAPS}/a?fieldManager=test"), APPLY, body);
    assert_eq!(warnings(&applied), ["line 1: key \"name\" already set in map"]);
    let body = operations.replace("\"op\":\"test\"", "\"op\":\"add\"").replace("{\"q\":1,\"q\":2}", "\"1\"");
    let changed = client.send(
        "PATCH",
        &format!("{CONFIG_MAPS}/a"),
        JSON,
        &body.replace("/data/y", "/metadata/annotations/y"),
    );
    assert_eq!(changed.code, 422, "{}", changed.body);
    let body = body.replace("/data/y", "/metadata/labels/y");
    let changed = client.send("PATCH", &format!("{CONFIG_MAPS}/a"), JSON, &body);
    assert_eq!(
        (changed.code, warnings(&changed)),
        (
            200,
            vec![
                "json patch unknown field \"[0].zz\"".to_owned(),
                "json patch duplicate field \"[0].op\"".to_owned()
            ]
        ),
        "{}",
        changed.body
    );
}

#[test]
fn what_is_no_patch_is_refused_as_by_go() {
    let (_server, client) = start(&[]);
    client.post(CONFIG_MAPS, &config_map("a", &json!({"x": "1"}))).object(201);
    let path = format!("{CONFIG_MAPS}/a?fieldManager=test");
    let array = "json: cannot unmarshal array into Go value of type map[string]interface {}";
    for (kind, validation, body, message) in [
        (JSON, "Warn", "", "error decoding patch: unexpected end of JSON input"),
        (JSON, "Ignore", "", "unexpected end of JSON input"),
        (
            JSON,
            "Warn",
            "[1]",
            "error decoding patch: json: cannot unmarshal number into Go value of type handlers.jsonPatchOp",
        ),
        (JSON, "Ignore", "{}", "json: cannot unmarshal object into Go value of type jsonpatch.Patch"),
        (
            JSON,
            "Warn",
            r#"[{"op":1}]"#,
            "error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string",
        ),
        (MERGE, "Warn", "null", "Invalid JSON Patch"),
        (MERGE, "Ignore", "{", "Invalid JSON Patch"),
        (MERGE, "Warn", "[]", &format!("error decoding patch: {array}")),
        (STRATEGIC, "Warn", "[]", array),
        (STRATEGIC, "Ignore", "", "unexpected end of JSON input"),
        (APPLY, "Warn", "", "invalid object type: /, Kind="),
        (APPLY, "Warn", "null", "invalid object type: /, Kind="),
        (
            APPLY,
            "Warn",
            "[]",
            &format!("error decoding YAML: error unmarshaling JSON: while decoding JSON: {array}"),
        ),
    ] {
        let (code, _, found) =
            client.send("PATCH", &format!("{path}&fieldValidation={validation}"), kind, body).refusal();
        assert_eq!((code, found.as_str()), (400, message), "{kind} {validation} {body}");
    }
    for (kind, body) in [(JSON, "null"), (JSON, "[]"), (STRATEGIC, "null"), (MERGE, "{}")] {
        assert_eq!(client.send("PATCH", &path, kind, body).code, 200, "{kind} {body}");
    }
    // The patch of what does not exist is not read; a manifest is.
    let missing = format!("{CONFIG_MAPS}/nothing?fieldManager=test");
    assert_eq!(client.send("PATCH", &missing, MERGE, "{").code, 404);
    assert_eq!(client.send("PATCH", &missing, APPLY, "{").code, 400);
    let (_, _, message) =
        client.send("PATCH", &format!("{CONFIG_MAPS}/a?fieldValidation=bad"), APPLY, "").refusal();
    assert_eq!(
        message,
        "PatchOptions.meta.k8s.io \"\" is invalid: [fieldManager: Required value: is required for apply patch, \
         fieldValidation: Unsupported value: \"bad\": supported values: \"\", \"Ignore\", \"Strict\", \"Warn\"]"
    );
}

#[test]
fn wrong_strategic_merges_are_errors_of_the_server() {
    let (_server, client) = start(&[]);
    client.post(PODS, &pod("a")).object(201);
    let send =
        |patch: Value| client.patch(&format!("{PODS}/a"), "strategic-merge-patch+json", &patch).refusal();
    for (patch, code, message) in [
        (json!({"$patch": "bad"}), 500, "unknown patch type: bad in map: map[$patch:bad]"),
        (json!({"$retainKeys": "x"}), 400, "invalid patch format of retainKeys"),
        (
            json!({"spec": {"containers": [{"image": "x"}]}}),
            500,
            "map: map[image:x] does not contain declared merge key: name",
        ),
        (
            json!({"spec": {"$setElementOrder/containers": [{"name": "b"}], "containers": [{"name": "a"}]}}),
            500,
            "The order in patch list:\n[map[name:a]]\n doesn't match $setElementOrder list:\n[map[name:b]]\n",
        ),
        (
            json!({"metadata": {"labels": 1, "annotations": {"x": null}}}),
            422,
            " \"\" is invalid: patch: Invalid value: \"map[metadata:map[annotations:map[] labels:1]]\": cannot restore map \
             from int64",
        ),
    ] {
        let (found, reason, text) = send(patch.clone());
        assert_eq!((found, text.as_str()), (code, message), "{patch}");
        assert_eq!(reason.is_empty(), code == 500, "{patch}: {reason}");
    }
}

/// Without managers an object has none until something is applied to it.
#[test]
fn managers_that_were_reset_come_back_with_an_apply() {
    let (_server, client) = start(&[]);
    let path = format!("{CONFIG_MAPS}/a");
    let managers = |object: &Value| {
        let entries = object.items(["metadata", "managedFields"]);
        entries.map(|entry| (entry.text("manager").to_owned(), entry.has("time"))).collect::<Vec<_>>()
    };
    let named = |names: &[(&str, bool)]| {
        names.iter().map(|(name, has_time)| ((*name).to_owned(), *has_time)).collect::<Vec<_>>()
    };
    client.post(CONFIG_MAPS, &config_map("a", &json!({"x": "1"}))).object(201);
    let unknown = json!([{"manager": "z", "operation": "Update", "apiVersion": "v7", "fieldsType": "FieldsV1", "fieldsV1": {"f:data": {}}}]);
    for reset in [json!([]), json!([{}]), unknown] {
        let patch = json!({"metadata": {"managedFields": reset}});
        assert_eq!(managers(&client.patch(&path, "merge-patch+json", &patch).object(200)), [], "{patch}");
    }
    let changed = client.patch(&path, "merge-patch+json", &json!({"data": {"y": "1"}})).object(200);
    assert_eq!(managers(&changed), []);
    let apply = |manager: &str, x: &str| {
        let manifest = config_map("a", &json!({"x": x}));
        client
            .patch(&format!("{path}?fieldManager={manager}&force=true"), "apply-patch+yaml", &manifest)
            .object(200)
    };
    // An apply that changes nothing has no time, and keeps the one that there is.
    assert_eq!(managers(&apply("one", "1")), named(&[("one", false), ("before-first-apply", true)]));
    assert_eq!(managers(&apply("two", "2")), named(&[("two", true), ("before-first-apply", true)]));
    assert_eq!(managers(&apply("two", "2")), named(&[("two", true), ("before-first-apply", true)]));
}

#[test]
fn owners_of_replicas_change_by_scales() {
    let (_server, client) = start(&[]);
    client.post(DEPLOYMENTS, &deployment(1)).object(201);
    let path = format!("{DEPLOYMENTS}/web");
    let scale = |replicas: u32| json!({"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "web"}, "spec": {"replicas": replicas}});
    let apply = |manager: &str, replicas: u32, force: bool| {
        let url = format!("{path}/scale?fieldManager={manager}&force={force}");
        client.patch(&url, "apply-patch+yaml", &scale(replicas))
    };
    let owners = || {
        let object = client.get(&path).object(200);
        let owner_of = |entry: &Value| entry["fieldsV1"]["f:spec"].get("f:replicas").is_some();
        let owners = object["metadata"].list("managedFields").iter().filter(|entry| owner_of(entry));
        owners
            .map(|entry| format!("{} {}", entry.text("manager"), entry.text("apiVersion")))
            .collect::<Vec<_>>()
    };
    assert_eq!(owners(), ["test apps/v1"]);
    let (code, _, message) = apply("one", 2, false).refusal();
    let conflict =
        "Apply failed with 1 conflict: conflict with \"test\" using autoscaling/v1: .spec.replicas";
    assert_eq!((code, message.as_str()), (409, conflict));
    apply("one", 2, true).object(200);
    assert_eq!(owners(), ["one apps/v1"]);
    let conflict =
        "Apply failed with 1 conflict: conflict with \"one\" with subresource \"scale\": .spec.replicas";
    assert_eq!(apply("two", 3, false).refusal().2, conflict);
    // Its own fields may change.
    apply("one", 3, false).object(200);
    client.patch(&format!("{path}/scale"), "merge-patch+json", &json!({"spec": {"replicas": 4}})).object(200);
    assert_eq!(owners(), ["test apps/v1"]);
}

#[test]
fn a_request_owns_what_it_can_change_in_the_status() {
    let (_server, client) = start(&[]);
    client.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", &definition()).object(201);
    let shop = json!({"apiVersion": "example.com/v1", "kind": "Shop", "metadata": {"name": "a"}, "spec": {"size": 1}});
    client.post(SHOPS, &shop).object(201);
    client.post(DEPLOYMENTS, &deployment(1)).object(201);
    let patch =
        json!({"metadata": {"labels": {"x": "1"}, "annotations": {"y": "1"}}, "status": {"replicas": 7}});
    for (path, owned) in [
        (format!("{SHOPS}/a"), json!({"f:status": {".": {}, "f:replicas": {}}})),
        (
            format!("{DEPLOYMENTS}/web"),
            json!({"f:metadata": {"f:annotations": {"f:y": {}}}, "f:status": {"f:replicas": {}}}),
        ),
    ] {
        let changed =
            client.patch(&format!("{path}/status?fieldManager=one"), "merge-patch+json", &patch).object(200);
        let mut owners = changed.items(["metadata", "managedFields"]);
        let owner = owners.find(|entry| entry["manager"] == "one").expect("an owner");
        assert_eq!(owner["fieldsV1"], owned, "{path}");
    }
    let refused = client.put(&format!("{SHOPS}/a"), &shop).refusal();
    let message = "shops.example.com \"a\" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update";
    assert_eq!((refused.0, refused.2.as_str()), (422, message));
}
