//! Deletions: of what a server keeps, of parts of collections, and by evictions.

use gotext::value::{Value, json};

use super::{PODS, names, pod, start};

const CLASSES: &str = "/apis/scheduling.k8s.io/v1/priorityclasses";
const SECRETS: &str = "/api/v1/namespaces/default/secrets";
const BUDGETS: &str = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";

#[test]
fn classes_of_the_system_are_only_deleted_together() {
    let (_server, client) = start(&[]);
    let path = format!("{CLASSES}/system-node-critical");
    let options = json!({"preconditions": {"uid": "x"}}).to_string();
    for body in ["", &options] {
        let refused = client.send("DELETE", &path, "application/json", body).object(403);
        assert_eq!(
            refused["message"],
            "priorityclasses.scheduling.k8s.io \"system-node-critical\" is forbidden: this is a system priority class and \
             cannot be deleted"
        );
        let details =
            json!({"name": "system-node-critical", "group": "scheduling.k8s.io", "kind": "priorityclasses"});
        assert_eq!((&refused["reason"], &refused["details"]), (&json!("Forbidden"), &details));
    }
    let deleted = client.delete(&format!("{CLASSES}?fieldSelector=metadata.name%3Dsystem-node-critical"));
    assert_eq!(names(&deleted.object(200)), ["system-node-critical"]);
    assert_eq!(client.get(&path).code, 404);
}

#[test]
fn a_collection_is_deleted_by_the_options_of_lists() {
    let (_server, client) = start(&[]);
    for name in ["a", "b", "c", "d"] {
        client.post(SECRETS, &json!({"metadata": {"name": name}})).object(201);
    }
    let first = client.delete(&format!("{SECRETS}?limit=1")).object(200);
    assert_eq!(names(&first), ["a"]);
    assert_eq!(first["metadata"]["remainingItemCount"], 3);
    let token = first["metadata"].text("continue").to_owned();
    let second = client.delete(&format!("{SECRETS}?limit=1&continue={token}")).object(200);
    assert_eq!(names(&second), ["b"]);
    for (query, code, message) in [
        ("limit=x", 400, "strconv.ParseInt: parsing \"x\": invalid syntax"),
        (
            "limit=99999999999999999999",
            400,
            "strconv.ParseInt: parsing \"99999999999999999999\": value out of range",
        ),
        (
            "sendInitialEvents=true",
            422,
            "ListOptions.meta.k8s.io \"\" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list",
        ),
        ("fieldSelector=a%3D%5Co", 400, "invalid field selector: invalid escape sequence: \\o"),
    ] {
        // The options of the list count before those of the deletion.
        let (found, _, text) =
            client.send("DELETE", &format!("{SECRETS}?{query}"), "application/json", "{").refusal();
        assert_eq!((found, text.as_str()), (code, message), "{query}");
    }
    let message = "invalid resource version: resourceVersion: Invalid value: \"x\": strconv.ParseUint: parsing \"x\": \
                   invalid syntax";
    assert_eq!(client.delete(&format!("{SECRETS}?resourceVersion=x")).refusal().2, message);
    let (code, reason, _) = client.delete(&format!("{SECRETS}?resourceVersion=99999")).refusal();
    assert_eq!((code, reason.as_str()), (504, "Timeout"));
    assert_eq!(names(&client.delete(&format!("{SECRETS}?limit=-1")).object(200)), ["c", "d"]);
    assert_eq!(names(&client.get(SECRETS).object(200)), [""; 0]);
}

#[test]
fn evictions_of_both_versions_count_against_the_budget() {
    let (_server, client) = start(&[]);
    let running =
        json!({"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}});
    for name in ["a", "b", "c"] {
        let mut pod = pod(name);
        pod["metadata"]["labels"]["app"] = "a".into();
        client.post(PODS, &pod).object(201);
        client.patch(&format!("{PODS}/{name}/status"), "merge-patch+json", &running).object(200);
    }
    let spec = json!({"minAvailable": 1, "selector": {"matchLabels": {"app": "a"}}});
    client.post(BUDGETS, &json!({"metadata": {"name": "b"}, "spec": spec})).object(201);
    let evict = |name: &str, version: &str| {
        let eviction = json!({"apiVersion": version, "kind": "Eviction", "metadata": {"name": name}});
        client.post(&format!("{PODS}/{name}/eviction"), &eviction)
    };
    assert_eq!(evict("a", "policy/v2").code, 400);
    evict("a", "policy/v1").object(201);
    evict("b", "policy/v1beta1").object(201);
    for version in ["policy/v1", "policy/v1beta1"] {
        let refused = evict("c", version).object(429);
        let message = "The disruption budget b needs 1 healthy pods and has 1 currently";
        let details = json!({"causes": [{"reason": "DisruptionBudget", "message": message}]});
        assert_eq!(refused["details"], details, "{version}");
    }
    let budget: Value = client.get(&format!("{BUDGETS}/b")).object(200);
    let status = &budget["status"];
    assert_eq!(status["disruptionsAllowed"], 0);
    assert_eq!(status["conditions"][0]["reason"], "InsufficientPods");
    // Those that were evicted are gone.
    assert_eq!(status.get("disruptedPods"), None);
}
