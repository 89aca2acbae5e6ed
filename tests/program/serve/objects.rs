//! Objects: the verbs, patches, options and forms in which clients read and write them.

use std::io::Read as _;

use gotext::value::{Value, json};

use super::{CONFIG_MAPS, DEPLOYMENTS, PODS, config_map, definition, deployment, names, pod, start};

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
    let mut any = changed.clone();
    any["metadata"]["resourceVersion"] = "0".into();
    any["data"]["x"] = "3".into();
    assert_eq!(client.put(&path, &any).object(200)["data"]["x"], "3");
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
    let list = client.get(&format!("{shops}?limit=1&resourceVersion=0")).object(200);
    assert_eq!((names(&list), &list["metadata"]["continue"]), (vec!["a"], &json!("")));
    // The answer shows that objects are to be deleted first.
    let mut watch = client.watch(&format!("{definitions}?watch=1"));
    assert_eq!(watch.next().text("type"), "ADDED");
    let ended = client.delete(&format!("{definitions}/shops.example.com")).object(200);
    assert_eq!(ended["metadata"]["finalizers"], json!(["customresourcecleanup.apiextensions.k8s.io"]));
    assert_eq!(ended["status"]["conditions"][2]["reason"], "InstanceDeletionPending");
    let seen = watch.next();
    assert_eq!((seen.text("type"), &seen["object"]), ("MODIFIED", &ended));
    assert_eq!(watch.next_shown(), "DELETED CustomResourceDefinition shops.example.com");
    assert_eq!(client.get(root).code, 404);
}

#[test]
fn long_answers_are_compressed_for_those_who_read_that() {
    let (_server, client) = start(&[]);
    let long = config_map("long", &json!({"x": "a".repeat(200 << 10)}));
    client.post(CONFIG_MAPS, &long).object(201);
    let plain = client.get(CONFIG_MAPS);
    assert!(!plain.headers.contains("content-encoding"), "{}", plain.headers);
    let path = format!("{CONFIG_MAPS}?labelSelector=none");
    let gzip = client.with("Accept-Encoding: deflate, gzip");
    assert!(!gzip.get(&path).headers.contains("content-encoding"), "a short answer stays as it is");
    let (headers, body) = gzip.get_bytes(CONFIG_MAPS);
    assert!(
        headers.contains("content-encoding: gzip") && headers.contains("vary: Accept-Encoding"),
        "{headers}"
    );
    assert!(body.len() < plain.body.len() / 10);
    let mut text = String::new();
    flate2::read::GzDecoder::new(body.as_slice()).read_to_string(&mut text).expect("gzip");
    assert_eq!(text, plain.body);
}

#[test]
fn services_get_addresses_and_ports() {
    let (_server, client) = start(&["--service-cluster-ip-range=10.0.0.0/29"]);
    let services = "/api/v1/namespaces/default/services";
    let service = |name: &str, kind: &str| json!({"metadata": {"name": name}, "spec": {"type": kind, "ports": [{"port": 80}]}});
    let spec = |created: &Value| {
        let spec = &created["spec"];
        (spec.text("clusterIP").to_owned(), spec.list("ports")[0].int("nodePort"))
    };
    let own = client.get(&format!("{services}/kubernetes")).object(200);
    assert_eq!((spec(&own).0.as_str(), own["spec"].text("ipFamilyPolicy")), ("10.0.0.1", "SingleStack"));
    assert_eq!(own["metadata"].text("uid").len(), 36);
    let first = client.post(services, &service("a", "ClusterIP")).object(201);
    assert_eq!(spec(&first), ("10.0.0.2".to_owned(), 0));
    assert_eq!(first["spec"]["clusterIPs"], json!(["10.0.0.2"]));
    let second = client.post(services, &service("b", "NodePort")).object(201);
    assert_eq!(spec(&second), ("10.0.0.3".to_owned(), 30000));
    // What a deleted one had is free again; a change of type keeps the address.
    client.delete(&format!("{services}/a")).object(200);
    let merge = json!({"spec": {"type": "NodePort"}});
    assert_eq!(spec(&client.post(services, &service("c", "ClusterIP")).object(201)).0, "10.0.0.2");
    let changed = client.patch(&format!("{services}/c"), "merge-patch+json", &merge).object(200);
    assert_eq!(spec(&changed), ("10.0.0.2".to_owned(), 30001));
    for name in ["d", "e", "f"] {
        client.post(services, &service(name, "ClusterIP")).object(201);
    }
    assert_eq!(
        client.post(services, &service("g", "ClusterIP")).refusal(),
        (
            500,
            "InternalError".to_owned(),
            "Internal error occurred: failed to allocate a serviceIP: range is full".to_owned()
        )
    );
}

#[test]
fn pods_are_bound_and_evicted() {
    let (_server, client) = start(&[]);
    client.post("/api/v1/nodes", &json!({"metadata": {"name": "n"}})).object(201);
    client.post(PODS, &pod("a")).object(201);
    let path = format!("{PODS}/a");
    // A Pod without a node is gone at once, as if its time of grace were over.
    let gone = client.delete(&path).object(200);
    assert_eq!(
        (&gone["metadata"]["deletionGracePeriodSeconds"], &gone["metadata"]["generation"]),
        (&json!(0), &json!(2))
    );
    assert_eq!(gone["metadata"].text("deletionTimestamp").len(), 20);
    client.post(PODS, &pod("a")).object(201);
    let binding = json!({"metadata": {"name": "a"}, "target": {"kind": "Node", "name": "n"}});
    assert_eq!(client.post(&format!("{path}/binding"), &binding).object(201).text("status"), "Success");
    let bound = client.get(&path).object(200);
    assert_eq!(bound.text(["spec", "nodeName"]), "n");
    assert_eq!(client.post(&format!("{path}/binding"), &binding).refusal().0, 409);
    assert_eq!(names(&client.get("/api/v1/pods?fieldSelector=spec.nodeName%3Dn").object(200)), ["a"]);
    let status = json!({"status": {"phase": "Running", "podIP": "10.1.0.1"}, "spec": {"nodeName": "m"}});
    let patched = client.patch(&format!("{path}/status"), "merge-patch+json", &status).object(200);
    assert_eq!((&patched["status"]["phase"], &patched["spec"]["nodeName"]), (&json!("Running"), &json!("n")));
    let table = client.with("Accept: application/json;as=Table;v=v1;g=meta.k8s.io").get(PODS).object(200);
    assert_eq!(table.list("rows")[0].list("cells")[2], "Running");
    let eviction = json!({"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "a"}});
    assert_eq!(client.post(&format!("{path}/eviction"), &eviction).object(201).text("status"), "Success");
    assert_eq!(client.get(&path).code, 404);
    assert_eq!(client.post(&format!("{path}/eviction"), &eviction).refusal().0, 404);
}

#[test]
fn data_of_any_type_is_compared_as_it_was_written() {
    let (_server, client) = start(&[]);
    let revisions = "/apis/apps/v1/namespaces/default/controllerrevisions";
    let send = |method: &str, path: &str, data: &str| {
        let head =
            r#""apiVersion":"apps/v1","kind":"ControllerRevision","metadata":{"name":"web-1"},"revision":1"#;
        client.send(method, path, "application/json", &format!("{{{head},\"data\":{data}}}"))
    };
    assert_eq!(send("POST", revisions, r#"{"b":1,"a":2}"#).code, 201);
    let path = format!("{revisions}/web-1");
    assert_eq!(send("PUT", &path, r#"{"b":1,"a":2}"#).code, 200);
    for other in [r#"{"a":2,"b":1}"#, r#"{"b": 1,"a":2}"#] {
        let refusal = send("PUT", &path, other).refusal();
        let printed = other.replace(' ', "");
        let message = format!(
            "ControllerRevision.apps \"web-1\" is invalid: data: Invalid value: {printed}: field is immutable"
        );
        assert_eq!((refusal.0, refusal.2), (422, message));
    }
    // The server writes a patched object anew.
    let labels = json!({"metadata": {"labels": {"a": "b"}}});
    assert_eq!(client.patch(&path, "merge-patch+json", &labels).code, 422);
}

#[test]
fn a_token_of_another_account_is_refused_or_warned_about() {
    let token = json!({
        "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "metadata": {"uid": "1"}, "spec": {},
    });
    let answer = |flags: &[&str]| {
        let (_server, client) = start(flags);
        let accounts = "/api/v1/namespaces/default/serviceaccounts";
        let account = json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "web"}});
        client.post(accounts, &account).object(201);
        client.post(&format!("{accounts}/web/token"), &token)
    };
    assert_eq!(answer(&[]).refusal().0, 409);
    let warned = answer(&["--feature-gates=TokenRequestServiceAccountUIDValidation=false"]);
    assert_eq!(warned.code, 201, "{}", warned.body);
    assert!(warned.headers.contains("UIDValidation is not enabled"), "{}", warned.headers);
}

#[test]
fn plugins_know_no_name_of_the_objects_of_a_collection() {
    let (_server, client) = start(&[]);
    let policies = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";
    let policy = json!({
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": "named"},
        "spec": {
            "matchConstraints": {"resourceRules": [{
                "apiGroups": [""], "apiVersions": ["v1"], "operations": ["DELETE"], "resources": ["configmaps"],
            }]},
            "validations": [{"expression": "request.name != ''"}],
        },
    });
    client.post(policies, &policy).object(201);
    let binding = json!({
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": {"name": "named"},
        "spec": {"policyName": "named", "validationActions": ["Deny"]},
    });
    client.post(&policies.replace("policies", "policybindings"), &binding).object(201);
    client.post(CONFIG_MAPS, &config_map("a", &json!({}))).object(201);
    let (_, _, message) = client.delete(CONFIG_MAPS).refusal();
    assert!(message.starts_with("configmaps \"Unknown\" is forbidden: "), "{message}");
    assert_eq!(client.delete(&format!("{CONFIG_MAPS}/a")).code, 200);
}

#[test]
fn an_empty_class_of_a_claim_is_like_none() {
    const CLAIMS: &str = "/api/v1/namespaces/default/persistentvolumeclaims";
    let (_server, client) = start(&[]);
    let claim = |size: &str, annotations: &Value| {
        json!({
            "metadata": {"name": "a", "annotations": annotations},
            "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size}}},
        })
    };
    client.post(CLAIMS, &claim("1Gi", &json!({}))).object(201);
    let annotations = json!({"volume.beta.kubernetes.io/storage-class": ""});
    client.put(&format!("{CLAIMS}/a"), &claim("1Gi", &annotations)).object(200);
    let annotations = json!({"volume.beta.kubernetes.io/storage-class": "b"});
    let refused = client.put(&format!("{CLAIMS}/a"), &claim("1Gi", &annotations)).object(422);
    let causes = refused["details"].list("causes");
    assert_eq!(causes.len(), 1, "{refused}");
}
