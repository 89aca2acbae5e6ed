//! The owners of fields that wrote an object in another version.

use gotext::value::{Value, json};

use super::{definition, start};

const APPLY: &str = "apply-patch+yaml";

#[test]
fn owners_share_the_claim_of_a_volume() {
    let (_server, client) = start(&[]);
    let volume = |spec: &Value| json!({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "a"}, "spec": spec});
    let path = |manager: &str| format!("/api/v1/persistentvolumes/a?fieldManager={manager}");
    let spec = json!({
        "capacity": {"storage": "1Gi"},
        "accessModes": ["ReadWriteOnce"],
        "hostPath": {"path": "/x"},
        "claimRef": {"name": "a", "namespace": "b"},
    });
    client.patch(&path("one"), APPLY, &volume(&spec)).object(201);
    let claimed = client.patch(&path("two"), APPLY, &volume(&json!({"claimRef": {"uid": "u"}}))).object(200);
    assert_eq!(claimed["spec"]["claimRef"], json!({"name": "a", "namespace": "b", "uid": "u"}));
    let mut owners = claimed.items(["metadata", "managedFields"]);
    let owner = owners.find(|entry| entry["manager"] == "two").expect("an owner");
    assert_eq!(owner["fieldsV1"], json!({"f:spec": {"f:claimRef": {"f:uid": {}}}}));
}

#[test]
fn null_in_a_list_has_any_type() {
    let (_server, client) = start(&[]);
    let path = "/apis/rbac.authorization.k8s.io/v1/clusterroles/a?fieldManager=one";
    let rule = json!({"apiGroups": [null], "resources": ["pods"], "verbs": ["get"]});
    let role = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": "a"},
        "rules": [rule],
    });
    let created = client.patch(path, APPLY, &role).object(201);
    assert_eq!(created["rules"][0]["apiGroups"], json!([""]));
}

#[test]
fn owners_of_other_versions_conflict() {
    let (_server, client) = start(&[]);
    let mut shops = definition();
    let mut second = shops["spec"]["versions"][0].clone();
    (second["name"], second["storage"]) = ("v2".into(), false.into());
    shops["spec"]["versions"].as_array_mut().expect("a list").push(second);
    client.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", &shops).object(201);
    let shop = |version: &str, size: u32| {
        let api_version = format!("example.com/{version}");
        json!({"apiVersion": api_version, "kind": "Shop", "metadata": {"name": "a"}, "spec": {"size": size}})
    };
    let path = |version: &str| format!("/apis/example.com/{version}/namespaces/default/shops/a");
    let one = format!("{}?fieldManager=one", path("v1"));
    let two = format!("{}?fieldManager=two", path("v2"));
    client.patch(&one, APPLY, &shop("v1", 1)).object(201);
    client.patch(&two, APPLY, &shop("v2", 1)).object(200);
    let message = "Apply failed with 1 conflict: conflict with \"one\": .spec.size";
    assert_eq!(client.patch(&two, APPLY, &shop("v2", 2)).refusal().2, message);

    let scalers =
        |version: &str| format!("/apis/autoscaling/{version}/namespaces/default/horizontalpodautoscalers");
    let target = json!({"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"});
    let scaler = |replicas: u32| {
        json!({
            "apiVersion": "autoscaling/v2",
            "kind": "HorizontalPodAutoscaler",
            "metadata": {"name": "a"},
            "spec": {"maxReplicas": replicas, "scaleTargetRef": target},
        })
    };
    let mut first = scaler(3);
    first["apiVersion"] = "autoscaling/v1".into();
    client.post(&format!("{}?fieldManager=one", scalers("v1")), &first).object(201);
    let two = format!("{}/a?fieldManager=two", scalers("v2"));
    let message =
        "Apply failed with 1 conflict: conflict with \"one\" using autoscaling/v1: .spec.maxReplicas";
    assert_eq!(client.patch(&two, APPLY, &scaler(5)).refusal().2, message);
}
