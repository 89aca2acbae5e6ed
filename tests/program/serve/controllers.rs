//! What controllers do between the requests of clients.

use gotext::value::{Value, json};
use kadmit::Pods;

use super::{CONFIG_MAPS, DEPLOYMENTS, PODS, config_map, deployment, names, pod, start, start_with};

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

/// Returns the status and the reason of a condition.
fn condition<'a>(object: &'a Value, kind: &str) -> Option<(&'a str, &'a str)> {
    let mut conditions = object.items(["status", "conditions"]);
    let found = conditions.find(|condition| condition.text("type") == kind)?;
    Some((found.text("status"), found.text("reason")))
}

#[test]
fn pods_stay_pending_unless_they_are_to_be_ready() {
    let flags = ["--disable-admission-plugins=ServiceAccount"];
    let path = format!("{DEPLOYMENTS}/web");
    let (_server, client) = start(&flags);
    client.post(DEPLOYMENTS, &deployment(2)).object(201);
    let waiting = client.get(&path).object(200);
    assert_eq!(condition(&waiting, "Available"), Some(("False", "MinimumReplicasUnavailable")));
    assert_eq!(condition(&waiting, "Progressing"), Some(("True", "ReplicaSetUpdated")));
    assert_eq!(waiting["status"]["unavailableReplicas"], 2);
    assert_eq!(waiting["status"]["observedGeneration"], 1);

    let (_server, client) = start_with(&flags, Pods::Ready);
    client.post(DEPLOYMENTS, &deployment(2)).object(201);
    let pods = client.get(PODS).object(200);
    assert_eq!(names(&pods).len(), 2);
    for pod in pods.list("items") {
        assert_eq!(pod.text(["status", "phase"]), "Running");
        assert_eq!(condition(pod, "Ready"), Some(("True", "")));
        assert_eq!(pod.list(["status", "containerStatuses"])[0].text("name"), "a");
    }
    let ready = client.get(&path).object(200);
    assert_eq!(condition(&ready, "Available"), Some(("True", "MinimumReplicasAvailable")));
    assert_eq!(condition(&ready, "Progressing"), Some(("True", "NewReplicaSetAvailable")));
    for (field, number) in
        [("replicas", 2), ("updatedReplicas", 2), ("readyReplicas", 2), ("availableReplicas", 2)]
    {
        assert_eq!(ready["status"][field], number, "{field}");
    }
    assert!(ready["status"].get("unavailableReplicas").is_none());
    // A new template replaces them all, and the old one comes back with its history.
    for image in ["redis", "nginx"] {
        let container = json!([{"name": "a", "image": image}]);
        let patch = json!({"spec": {"template": {"spec": {"containers": container}}}});
        client.patch(&path, "strategic-merge-patch+json", &patch).object(200);
        let images: Vec<Value> = client
            .get(PODS)
            .object(200)
            .list("items")
            .iter()
            .map(|pod| pod["spec"]["containers"][0]["image"].clone())
            .collect();
        assert_eq!(images, [image, image]);
    }
    let sets = client.get("/apis/apps/v1/namespaces/default/replicasets").object(200);
    let revisions: Vec<(&str, &str)> = sets
        .list("items")
        .iter()
        .map(|set| {
            let annotation = |name: &str| set.text(["metadata", "annotations", name]);
            (
                annotation("deployment.kubernetes.io/revision"),
                annotation("deployment.kubernetes.io/revision-history"),
            )
        })
        .collect();
    assert!(revisions.contains(&("3", "1")) && revisions.contains(&("2", "")), "{revisions:?}");
    let revision = client.get(&path).object(200);
    assert_eq!(revision.text(["metadata", "annotations", "deployment.kubernetes.io/revision"]), "3");
}

#[test]
fn jobs_end_if_their_pods_are_to_be_ready() {
    let (_server, client) = start_with(&["--disable-admission-plugins=ServiceAccount"], Pods::Ready);
    let jobs = "/apis/batch/v1/namespaces/default/jobs";
    let spec = json!({"containers": [{"name": "a", "image": "nginx"}], "restartPolicy": "Never"});
    let job = json!({
        "metadata": {"name": "once"},
        "spec": {"completions": 3, "parallelism": 2, "template": {"spec": spec}},
    });
    client.post(jobs, &job).object(201);
    let ended = client.get(&format!("{jobs}/once")).object(200);
    assert_eq!(condition(&ended, "Complete"), Some(("True", "CompletionsReached")));
    assert_eq!((&ended["status"]["succeeded"], ended["status"].get("active")), (&json!(3), None));
    let pods = client.get(PODS).object(200);
    let phases: Vec<&str> = pods.list("items").iter().map(|pod| pod.text(["status", "phase"])).collect();
    assert_eq!(phases, ["Succeeded"; 3]);
    let tables = client.with("Accept: application/json;as=Table;v=v1;g=meta.k8s.io");
    let pods = tables.get(PODS).object(200);
    assert_eq!(pods.list("rows")[0].list("cells")[1..3], [json!("0/1"), json!("Completed")]);
    let ended = tables.get(jobs).object(200);
    assert_eq!(ended.list("rows")[0].list("cells")[1..3], [json!("Complete"), json!("3/3")]);
}

#[test]
fn nodes_are_ready_if_pods_are_to_be() {
    let (_server, client) = start_with(&["--enable-admission-plugins=TaintNodesByCondition"], Pods::Ready);
    let node = json!({"metadata": {"name": "n1"}, "status": {"capacity": {"cpu": "4"}}});
    client.post("/api/v1/nodes", &node).object(201);
    let node = client.get("/api/v1/nodes/n1").object(200);
    assert_eq!(condition(&node, "Ready"), Some(("True", "KubeletReady")));
    assert_eq!(condition(&node, "MemoryPressure"), Some(("False", "KubeletHasSufficientMemory")));
    assert_eq!(node["spec"].get("taints"), None);
    let tables = client.with("Accept: application/json;as=Table;v=v1;g=meta.k8s.io");
    let nodes = tables.get("/api/v1/nodes").object(200);
    let cells = nodes.list("rows")[0].list("cells");
    assert_eq!(cells[..3], [json!("n1"), json!("Ready"), json!("<none>")]);
    assert_eq!(cells.len(), 10);
}

#[test]
fn what_the_server_writes_is_as_clients_write_it() {
    let (_server, client) = start_with(&["--disable-admission-plugins=ServiceAccount"], Pods::Ready);
    client.post(PODS, &pod("web")).object(201);
    client.post(DEPLOYMENTS, &deployment(1)).object(201);
    let roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
    let bindings = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings";
    for path in [
        format!("{PODS}/web"),
        format!("{DEPLOYMENTS}/web"),
        format!("{roles}/view"),
        format!("{roles}/system:node"),
        format!("{bindings}/cluster-admin"),
    ] {
        let before = client.get(&path).object(200);
        let patched = client.patch(&path, "merge-patch+json", &json!({})).object(200);
        assert_eq!(patched, before, "{path}");
    }
    let running = client.get(&format!("{PODS}/web")).object(200);
    assert_eq!(running.list(["status", "conditions"])[0].get("lastProbeTime"), Some(&Value::Null));
    let image = json!({"spec": {"containers": [{"name": "a", "image": "redis"}]}});
    client.patch(&format!("{PODS}/web"), "strategic-merge-patch+json", &image).object(200);
    let restarted = client.get(&format!("{PODS}/web")).object(200);
    let status = &restarted.list(["status", "containerStatuses"])[0];
    assert_eq!((status.text("image"), status["restartCount"].as_i64()), ("redis", Some(1)));
    assert_eq!(status.text(["lastState", "terminated", "reason"]), "Completed");
}

#[test]
fn endpoints_end_with_their_service() {
    let (_server, client) = start(&[]);
    let (services, endpoints) =
        ("/api/v1/namespaces/default/services", "/api/v1/namespaces/default/endpoints");
    for name in ["a", "b"] {
        let service = json!({"metadata": {"name": name}, "spec": {"ports": [{"port": 80}]}});
        client.post(services, &service).object(201);
        client.post(endpoints, &json!({"metadata": {"name": name}})).object(201);
    }
    client.delete(&format!("{services}/a?dryRun=All")).object(200);
    assert_eq!(names(&client.get(endpoints).object(200)), ["a", "b"]);
    client.delete(&format!("{services}/a")).object(200);
    assert_eq!(names(&client.get(endpoints).object(200)), ["b"]);
}

#[test]
fn many_watches_get_the_same_events() {
    let (_server, client) = start(&[]);
    let mut watches: Vec<_> = (0..20).map(|_| client.watch(&format!("{CONFIG_MAPS}?watch=1"))).collect();
    let selected = format!("{CONFIG_MAPS}?watch=1&labelSelector=a%3Db");
    let mut selected = client.watch(&selected);
    let metadata = "Accept: application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
    let mut metadata = client.with(metadata).watch(&format!("{CONFIG_MAPS}?watch=1"));
    for watch in watches.iter_mut().chain([&mut metadata]) {
        assert!(watch.next_shown().ends_with(" kube-root-ca.crt"));
    }
    let created = client.post(CONFIG_MAPS, &config_map("a", &json!({"x": "1"}))).object(201);
    let path = format!("{CONFIG_MAPS}/a");
    let label = json!({"metadata": {"labels": {"a": "b"}}});
    let changed = client.patch(&path, "merge-patch+json", &label).object(200);
    client.delete(&path).object(200);
    for watch in &mut watches {
        assert_eq!(watch.next(), json!({"type": "ADDED", "object": created}));
        assert_eq!(watch.next(), json!({"type": "MODIFIED", "object": changed}));
        let deleted = watch.next();
        assert_eq!((deleted.text("type"), &deleted["object"]["data"]), ("DELETED", &changed["data"]));
        assert_ne!(deleted["object"]["metadata"]["resourceVersion"], changed["metadata"]["resourceVersion"]);
    }
    assert_eq!(selected.next(), json!({"type": "ADDED", "object": changed}));
    assert_eq!(selected.next_shown(), "DELETED ConfigMap a");
    assert_eq!(metadata.next_shown(), "ADDED PartialObjectMetadata a");
}
