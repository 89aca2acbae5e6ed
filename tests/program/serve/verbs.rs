//! What is left of the verbs: requests that change nothing, objects that other paths show as well, and answers that no
//! client should take for what it asked for.

use gotext::value::{Value, json};
use kadmit::{ApiServer, Server};

use super::{CONFIG_MAPS, DEPLOYMENTS, PODS, config_map, definition, deployment, names, pod, start};
use crate::client::Client;

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const SHOPS: &str = "/apis/example.com/v1/namespaces/default/shops";

fn shop(name: &str) -> Value {
    json!({"apiVersion": "example.com/v1", "kind": "Shop", "metadata": {"name": name}, "spec": {"size": 1, "replicas": 2}})
}

#[test]
fn metadata_is_that_of_an_object_or_that_of_a_list() {
    let (_server, client) = start(&[]);
    client.post(DEFINITIONS, &definition()).object(201);
    client.post(SHOPS, &shop("a")).object(201);
    client.post(PODS, &pod("a")).object(201);
    let form = |kind: &str| client.with(&format!("Accept: application/json;as={kind};v=v1;g=meta.k8s.io"));
    let (one, list) = (form("PartialObjectMetadata"), form("PartialObjectMetadataList"));
    let of = |paths: &str| {
        format!("you requested PartialObjectMetadata, but the requested object is a list ({paths})")
    };
    for (path, expected) in [(PODS, "*core.PodList"), (SHOPS, "*unstructured.UnstructuredList")] {
        let refused = one.get(path).refusal();
        assert_eq!(refused, (406, "NotAcceptable".to_owned(), of(expected)));
        let found = list.get(path).object(200);
        assert_eq!((found.text("kind"), names(&found)), ("PartialObjectMetadataList", vec!["a"]));
        assert_eq!(one.get(&format!("{path}/a")).object(200).text("kind"), "PartialObjectMetadata");
    }
    let pod = format!("{PODS}/a");
    assert_eq!(
        list.get(&pod).refusal().2,
        "you requested PartialObjectMetadataList, but the requested object is not a list (*core.Pod)"
    );
    assert_eq!(list.get(&format!("{PODS}?watch=1")).code, 406);
    assert_eq!(
        list.get(&format!("{SHOPS}/a")).refusal(),
        (500, String::new(), "content is not a list".to_owned())
    );
    // What is deleted together is a list as well.
    let table = form("Table").delete(PODS).object(200);
    assert_eq!((table.text("kind"), &table["rows"][0]["cells"][0]), ("Table", &json!("a")));
    assert_eq!(one.delete(PODS).refusal().2, of("*core.PodList"));
}

/// One handler answers all paths of custom resources, and looks at the name when it needs one.
#[test]
fn custom_objects_need_their_names_when_they_change() {
    let (_server, client) = start(&[]);
    client.post(DEFINITIONS, &definition()).object(201);
    let created = client.post(&format!("{SHOPS}/other"), &shop("a")).object(201);
    assert_eq!(created.text(["metadata", "name"]), "a");
    assert_eq!(client.get(&format!("{SHOPS}/other")).code, 404);
    let unnamed = (400, "BadRequest".to_owned(), "name must be provided".to_owned());
    assert_eq!(client.put(SHOPS, &shop("a")).refusal(), unnamed);
    assert_eq!(client.patch(SHOPS, "merge-patch+json", &json!({})).refusal(), unnamed);
    assert_eq!(client.patch(SHOPS, "strategic-merge-patch+json", &json!({})).code, 415);
    assert_eq!(client.post(&format!("{SHOPS}/a/status"), &shop("a")).code, 405);
    let scale = client.get(&format!("{SHOPS}/a/scale")).object(200);
    assert_eq!(scale["spec"]["replicas"], 2);
    let mut scale = scale;
    scale["spec"]["replicas"] = 3.into();
    assert_eq!(client.put(&format!("{SHOPS}/a/scale"), &scale).object(200)["spec"]["replicas"], 3);
    // Those who own the number of replicas by a Scale have no time, and come first.
    let owners = client.get(&format!("{SHOPS}/a")).object(200)["metadata"]["managedFields"].clone();
    assert_eq!((owners[0].text("subresource"), owners[0].get("time")), ("scale", None));
    assert_eq!(client.get(&format!("{SHOPS}/a")).object(200)["spec"]["replicas"], 3);
    let document = client.get("/openapi/v2").object(200);
    let schema = &document["definitions"]["com.example.v1.Shop"];
    assert_eq!(schema["properties"]["spec"]["properties"]["size"]["type"], "integer");
    client
        .patch(
            &format!("{DEFINITIONS}/shops.example.com"),
            "merge-patch+json",
            &json!({"spec": {"names": {"categories": ["all"]}}}),
        )
        .object(200);
    let found = client.get("/apis/example.com/v1").object(200);
    assert_eq!(found["resources"][0]["categories"], json!(["all"]), "a definition counts at once");
}

#[test]
fn both_groups_show_the_same_events() {
    const CORE: &str = "/api/v1/namespaces/default/events";
    const OWN: &str = "/apis/events.k8s.io/v1/namespaces/default/events";
    let (_server, client) = start(&[]);
    let mut watch = client.watch(&format!("{OWN}?watch=1&fieldSelector=regarding.name%3Dweb"));
    let object = json!({"kind": "Pod", "name": "web", "namespace": "default"});
    let event = json!({
        "metadata": {"name": "a"}, "involvedObject": object, "reason": "Killing", "message": "stopped", "type": "Normal",
        "source": {"component": "kubelet"}, "count": 2,
    });
    let created = client.post(CORE, &event).object(201);
    assert_eq!(created.text("apiVersion"), "v1");
    let found = client.get(&format!("{OWN}/a")).object(200);
    assert_eq!((found.text("apiVersion"), found.text("kind")), ("events.k8s.io/v1", "Event"));
    assert_eq!((&found["regarding"], found.text("note")), (&object, "stopped"));
    assert_eq!(
        (&found["deprecatedCount"], found.text(["deprecatedSource", "component"])),
        (&json!(2), "kubelet")
    );
    assert_eq!(found["metadata"]["uid"], created["metadata"]["uid"]);
    let seen = watch.next();
    assert_eq!((seen.text("type"), &seen["object"]), ("ADDED", &found));

    let event = json!({
        "metadata": {"name": "b"}, "regarding": object, "reason": "Killing", "note": "stopped", "type": "Normal",
        "action": "Stop", "reportingController": "example.com/kubelet", "reportingInstance": "node-a",
        "eventTime": "2026-01-01T00:00:00.000000Z",
    });
    client.post(OWN, &event).object(201);
    let (code, reason, message) = client.post(OWN, &event).refusal();
    assert_eq!(
        (code, reason.as_str(), message.as_str()),
        (409, "AlreadyExists", "events.events.k8s.io \"b\" already exists")
    );
    let selected =
        client.get(&format!("{CORE}?fieldSelector=involvedObject.name%3Dweb,type%3DNormal")).object(200);
    assert_eq!(names(&selected), ["a", "b"]);
    assert_eq!(selected["items"][1].text("reportingComponent"), "example.com/kubelet");
    let merge = json!({"metadata": {"labels": {"x": "1"}}});
    // What is owned in the version of another group is lost.
    let patched = client.patch(&format!("{OWN}/a?fieldManager=m"), "merge-patch+json", &merge).object(200);
    let owners = patched["metadata"].list("managedFields");
    assert_eq!((owners.len(), owners[0].text("apiVersion")), (1, "events.k8s.io/v1"));
    assert_eq!(client.get(&format!("{CORE}/a")).object(200)["metadata"]["labels"], json!({"x": "1"}));
    client.delete(&format!("{CORE}/a")).object(200);
    assert_eq!(client.get(&format!("{OWN}/a")).code, 404);
    client.delete(OWN).object(200);
    assert_eq!(names(&client.get(CORE).object(200)), Vec::<&str>::new());
}

/// What a server refuses is not answered as if it were something else.
#[test]
fn nothing_is_answered_that_was_not_asked_for() {
    let (_server, client) = start(&[]);
    client.post(CONFIG_MAPS, &config_map("a", &json!({"x": "1"}))).object(201);
    let a = format!("{CONFIG_MAPS}/a");
    for (method, path, code, message) in [
        (
            "GET",
            format!("{a}?export=true"),
            400,
            "the export parameter, deprecated since v1.14, is no longer supported",
        ),
        ("GET", format!("{CONFIG_MAPS}/%2e%2e"), 400, "Name parameter invalid: \"..\": may not be '..'"),
        ("DELETE", format!("{CONFIG_MAPS}?limit=x"), 400, "strconv.ParseInt: parsing \"x\": invalid syntax"),
    ] {
        let answer = client.send(method, &path, "", "").refusal();
        assert_eq!((answer.0, answer.2.as_str()), (code, message), "{method} {path}");
    }
    assert_eq!(client.get("//api/v1").body, "404 page not found\n");
    let applied = |manifest: &Value| {
        client.patch(&format!("{a}?fieldManager=one"), "apply-patch+yaml", manifest).refusal()
    };
    let secret = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}});
    assert_eq!(
        applied(&secret),
        (400, "BadRequest".to_owned(), "invalid object type: /v1, Kind=Secret".to_owned())
    );
    assert_eq!(applied(&json!({"metadata": {"name": "a"}})).2, "invalid object type: /, Kind=");
    assert_eq!(
        applied(&json!([])).2,
        "error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go value of \
         type map[string]interface {}"
    );
    let unknown = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "extra": 1});
    assert_eq!(
        applied(&unknown).2,
        "failed to create typed patch object (/a; /v1, Kind=ConfigMap): .extra: field not declared in schema"
    );
    for (kind, patch, message) in [
        (
            "merge-patch+json",
            json!([]),
            "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}",
        ),
        ("json", json!({}), "415: Unsupported Media Type"),
    ] {
        assert_eq!(client.patch(&a, kind, &patch).refusal().2, message, "{kind}");
    }
    let huge =
        client.send("PATCH", &a, "application/merge-patch+json", r#"{"data": {"x": 1e400}}"#).refusal();
    let message = "error decoding patch: json: cannot unmarshal number 1e400 into Go value of type float64";
    assert_eq!((huge.0, huge.2.as_str()), (400, message));
    let body = |text: &str| client.send("POST", CONFIG_MAPS, "application/json", text).refusal();
    assert!(
        body("[]").2.contains("json parse error: json: cannot unmarshal array into Go value of type struct")
    );
    assert_eq!(body("null").0, 422, "an object without a name");
    assert_eq!(
        client.send("DELETE", &a, "application/json", "{").refusal().2,
        "couldn't get version/kind; json parse error: unexpected end of JSON input"
    );
    assert_eq!(
        client.send("DELETE", &a, "application/json", &secret.to_string()).refusal().2,
        "no kind \"Secret\" is registered for version \"v1\" in scheme \
         \"k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27\""
    );
    let review = json!({"spec": {"resourceAttributes": {"verb": "get", "resource": "pods"}}});
    let reviews = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    let table = client.with("Accept: application/json;as=Table;v=v1;g=meta.k8s.io");
    assert_eq!(table.post(reviews, &review).refusal().0, 406);
    let reviewed = client.post(reviews, &review).object(201);
    let fields = json!({"f:spec": {"f:resourceAttributes": {".": {}, "f:resource": {}, "f:verb": {}}}});
    assert_eq!(reviewed["metadata"]["managedFields"][0]["fieldsV1"], fields);
    client.get(&a).object(200);
}

/// Every request that could change something answers what it would do, and leaves everything.
#[test]
fn dry_runs_change_nothing() {
    let (_server, client) = start(&["--disable-admission-plugins=ServiceAccount"]);
    let created = client.post(DEPLOYMENTS, &deployment(2)).object(201);
    client.post(CONFIG_MAPS, &config_map("a", &json!({"x": "1"}))).object(201);
    client.post("/api/v1/nodes", &json!({"metadata": {"name": "n"}})).object(201);
    let free = pod("free");
    client.post(PODS, &free).object(201);
    let everything = || [PODS, DEPLOYMENTS, CONFIG_MAPS].map(|path| client.get(path).body);
    let before = everything();
    let web = format!("{DEPLOYMENTS}/web");
    let mut changed = created;
    changed["spec"]["replicas"] = 5.into();
    changed["metadata"]["resourceVersion"] = "".into();
    let dry = client.put(&format!("{web}?dryRun=All"), &changed).object(200);
    assert_eq!(dry["spec"]["replicas"], 5);
    assert!(
        !dry.text(["metadata", "resourceVersion"]).is_empty(),
        "that of the object which it would change"
    );
    let merge = json!({"spec": {"replicas": 5}});
    for kind in ["merge-patch+json", "strategic-merge-patch+json"] {
        let patched = client.patch(&format!("{web}?dryRun=All"), kind, &merge).object(200);
        assert_eq!(patched["spec"]["replicas"], 5, "{kind}");
    }
    let operations = json!([{"op": "replace", "path": "/spec/replicas", "value": 5}]);
    client.patch(&format!("{web}?dryRun=All"), "json-patch+json", &operations).object(200);
    let scaled = client.patch(&format!("{web}/scale?dryRun=All"), "merge-patch+json", &merge).object(200);
    assert_eq!((scaled.text("kind"), &scaled["spec"]["replicas"]), ("Scale", &json!(5)));
    for (name, code) in [("a", 200), ("new", 201)] {
        let url = format!("{CONFIG_MAPS}/{name}?dryRun=All&fieldManager=one&force=true");
        let applied =
            client.patch(&url, "apply-patch+yaml", &config_map(name, &json!({"x": "2"}))).object(code);
        assert_eq!(applied["data"], json!({"x": "2"}));
    }
    let options = json!({"dryRun": ["All"]});
    let eviction = json!({"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "free"}, "deleteOptions": options});
    client.post(&format!("{PODS}/free/eviction"), &eviction).object(201);
    let binding = json!({"metadata": {"name": "free"}, "target": {"kind": "Node", "name": "n"}});
    client.post(&format!("{PODS}/free/binding?dryRun=All"), &binding).object(201);
    client.send("DELETE", &web, "application/json", &options.to_string()).object(200);
    client.delete(&format!("{PODS}?dryRun=All")).object(200);
    client
        .post(
            &format!("{DEPLOYMENTS}?dryRun=All"),
            &json!({
                "metadata": {"generateName": "web-"}, "spec": deployment(1)["spec"],
            }),
        )
        .object(201);
    let after = everything();
    assert_eq!(after, before);
}

#[test]
fn pods_on_nodes_have_a_time_of_grace() {
    let cluster = ApiServer::from_flags(["--disable-admission-plugins=ServiceAccount"]).expect("flags");
    let cluster = cluster.strict().cluster(&[]).expect("a cluster");
    let server = Server::start(cluster).expect("a free port");
    let client = Client::new(server.address(), server.certificate_authority(), server.token());
    let mut bound = pod("a");
    bound["spec"]["nodeName"] = "n".into();
    bound["metadata"]["namespace"] = "default".into();
    client.post("/api/v1/nodes", &json!({"metadata": {"name": "n"}})).object(201);
    client.post(PODS, &bound).object(201);
    let path = format!("{PODS}/a");
    let period = |answer: Value| answer["metadata"]["deletionGracePeriodSeconds"].clone();
    assert_eq!(period(client.delete(&path).object(200)), 30);
    assert_eq!(period(client.delete(&format!("{path}?gracePeriodSeconds=5")).object(200)), 5);
    assert_eq!(period(client.delete(&path).object(200)), 5, "a later request cannot give more time");
    assert!(!client.get(&path).object(200).text(["metadata", "deletionTimestamp"]).is_empty());
    client.delete(&format!("{path}?gracePeriodSeconds=0")).object(200);
    assert_eq!(client.get(&path).code, 404);
}

#[test]
fn budgets_refuse_evictions() {
    let (_server, client) = start(&["--disable-admission-plugins=ServiceAccount"]);
    let budget = json!({
        "metadata": {"name": "web"}, "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "a"}}},
    });
    client.post("/apis/policy/v1/namespaces/default/poddisruptionbudgets", &budget).object(201);
    client.post("/api/v1/nodes", &json!({"metadata": {"name": "n"}})).object(201);
    let mut bound = pod("a");
    bound["spec"]["nodeName"] = "n".into();
    client.post(PODS, &bound).object(201);
    // Nothing counts the Pods of a budget but the client.
    let counted = json!({"status": {
        "observedGeneration": 1, "desiredHealthy": 1, "currentHealthy": 1, "expectedPods": 1, "disruptionsAllowed": 0,
    }});
    let budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
    client.patch(&format!("{budgets}/web/status"), "merge-patch+json", &counted).object(200);
    let ready = json!({"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}});
    client.patch(&format!("{PODS}/a/status"), "merge-patch+json", &ready).object(200);
    let eviction = json!({"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "a"}});
    let (code, reason, message) = client.post(&format!("{PODS}/a/eviction"), &eviction).refusal();
    assert_eq!((code, reason.as_str()), (429, "TooManyRequests"), "{message}");
    assert!(
        message.starts_with("Cannot evict pod as it would violate the pod's disruption budget."),
        "{message}"
    );
    client.get(&format!("{PODS}/a")).object(200);
}

/// The answer to a request is the object as the request stored it; what controllers change then is a later version.
#[test]
fn controllers_act_on_what_was_answered() {
    let (_server, client) = start(&["--disable-admission-plugins=ServiceAccount"]);
    let scaler = json!({
        "metadata": {"name": "web"},
        "spec": {"minReplicas": 3, "maxReplicas": 5, "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}},
    });
    client.post("/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers", &scaler).object(201);
    let mut watch = client.watch(&format!("{DEPLOYMENTS}?watch=1"));
    let created = client.post(DEPLOYMENTS, &deployment(1)).object(201);
    assert_eq!(created["spec"]["replicas"], 1);
    let seen = watch.next();
    assert_eq!((seen.text("type"), &seen["object"]), ("ADDED", &created));
    let scaled = watch.next();
    assert_eq!((scaled.text("type"), &scaled["object"]["spec"]["replicas"]), ("MODIFIED", &json!(3)));
    assert_eq!(client.get(&format!("{DEPLOYMENTS}/web")).object(200)["spec"]["replicas"], 3);
    assert_eq!(names(&client.get(PODS).object(200)).len(), 3);
}

#[test]
fn controllers_complain_about_schedules_that_never_come() {
    let (_server, client) = start(&[]);
    let spec = json!({"containers": [{"name": "a", "image": "perl"}], "restartPolicy": "Never"});
    let cron_job = json!({
        "metadata": {"name": "pi"},
        "spec": {"schedule": "59 23 31 2 *", "jobTemplate": {"spec": {"template": {"spec": spec}}}},
    });
    let path = "/apis/batch/v1/namespaces/default/cronjobs";
    let created = client.post(path, &cron_job).object(201);
    let labels = json!({"metadata": {"labels": {"a": "b"}}});
    client.patch(&format!("{path}/pi"), "merge-patch+json", &labels).object(200);
    let events = client.get("/api/v1/namespaces/default/events").object(200);
    let [event] = events.list("items") else { panic!("not one event: {events}") };
    assert!(event.text(["metadata", "name"]).starts_with("pi."), "{event}");
    assert_eq!(event.text("reason"), "InvalidSchedule");
    assert_eq!(
        event.text("message"),
        "invalid schedule: 59 23 31 2 * : time difference between two schedules is less than 1 second"
    );
    assert_eq!(event["involvedObject"]["uid"], created["metadata"]["uid"]);
    assert_eq!(names(&client.get("/apis/batch/v1/jobs").object(200)), Vec::<&str>::new());
    let table = client.with("Accept: application/json;as=Table;v=v1;g=meta.k8s.io");
    let table = table.get("/apis/events.k8s.io/v1/events").object(200);
    assert_eq!(
        table["rows"][0].list("cells")[1..4],
        [json!("Warning"), json!("InvalidSchedule"), json!("cronjob/pi")]
    );
}

/// YAML may look like JSON without being it.
#[test]
fn bodies_may_be_flow_mappings() {
    let (_server, client) = start(&[]);
    let body = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {x: z}}";
    let created = client.send("POST", CONFIG_MAPS, "application/yaml", body).object(201);
    assert_eq!(created.text(["data", "x"]), "z");
    let url = format!("{CONFIG_MAPS}/b?fieldManager=one");
    let body = body.replace("name: a", "name: b");
    client.send("PATCH", &url, "application/apply-patch+yaml", &body).object(201);
    let deep = format!("{{a: {}1{}", "{a: ".repeat(20_000), "}".repeat(20_001));
    assert_eq!(client.send("POST", CONFIG_MAPS, "application/yaml", &deep).refusal().0, 400);
    assert_eq!(client.send("POST", CONFIG_MAPS, "application/json", &body).refusal().0, 400);
}
