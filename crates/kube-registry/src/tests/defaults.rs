use crate::store::set_default_times;
use crate::tests::*;

#[test]
fn what_is_given_stays() {
    let class = json!({
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "reclaimPolicy": "Retain",
        "volumeBindingMode": "WaitForFirstConsumer"
    });
    assert_eq!(defaulted(class.clone()), class);
}

#[test]
fn kinds_without_defaults_stay_as_they_are() {
    for value in [
        json!({"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": "b"}}),
        json!({"apiVersion": "example.com/v1", "kind": "Pod", "spec": {}}),
        json!([]),
    ] {
        assert_eq!(defaulted(value.clone()), value);
    }
}

#[test]
fn other_types_than_the_apis_are_passed_over() {
    for (api_version, kind) in
        [("v1", "Pod"), ("v1", "Service"), ("apps/v1", "StatefulSet"), ("batch/v1", "Job")]
    {
        let wrong = json!({"containers": {"a": 1}, "volumes": [1, "x", null], "ports": "x", "template": 5});
        defaulted(
            json!({"apiVersion": api_version, "kind": kind, "metadata": [], "spec": wrong, "status": 3}),
        );
    }
}

#[test]
fn taints_are_as_old_as_the_clock_says() {
    let rule = json!({"spec": {"taint": {"key": "a"}}});
    let mut rule = Object::new(GroupVersionKind::new("resource.k8s.io", "v1beta2", "DeviceTaintRule"), rule);
    set_default_times(&mut rule, "2026-01-01T00:00:00Z");
    set_default_times(&mut rule, "2027-01-01T00:00:00Z");
    assert_eq!(rule.text(["spec", "taint", "timeAdded"]), "2026-01-01T00:00:00Z");
}

fn service(spec: &Value) -> Value {
    defaulted(json!({"apiVersion": "v1", "kind": "Service", "spec": spec}))["spec"].clone()
}

#[test]
fn texts_of_a_secret_become_data() {
    let secret = json!({"data": {"a": "eA==", "b": "eA=="}, "stringData": {"b": "y"}});
    let mut secret = defaulted({
        let mut value = secret;
        value["apiVersion"] = json!("v1");
        value["kind"] = json!("Secret");
        value
    });
    assert_eq!(secret["data"].take(), json!({"a": "eA==", "b": "eQ=="}));
    assert_eq!(secret["type"], "Opaque");
    assert_eq!(secret.get("stringData"), None);
}

#[test]
fn a_namespace_carries_its_name_once_it_has_one() {
    let namespace = |metadata: Value| {
        defaulted(json!({"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}))["metadata"].clone()
    };
    let labels = json!({"kubernetes.io/metadata.name": "a"});
    assert_eq!(namespace(json!({"name": "a"})), json!({"name": "a", "labels": labels}));
    assert_eq!(namespace(json!({"generateName": "a"})), json!({"generateName": "a"}));
}

#[test]
fn services_are_completed_by_type() {
    let ports = json!([{"port": 80}, {"port": 443, "targetPort": "https", "protocol": "UDP"}]);
    let cluster_ip = service(&json!({"ports": ports}));
    assert_eq!(cluster_ip["ports"][0], json!({"port": 80, "targetPort": 80, "protocol": "TCP"}));
    assert_eq!(cluster_ip["ports"][1], ports[1]);
    assert_eq!(cluster_ip["internalTrafficPolicy"], "Cluster");
    assert_eq!(cluster_ip.get("externalTrafficPolicy"), None);
    let balancer = service(&json!({"type": "LoadBalancer"}));
    assert_eq!(balancer["externalTrafficPolicy"], "Cluster");
    assert_eq!(balancer["allocateLoadBalancerNodePorts"], true);
    let external = service(&json!({"type": "ExternalName"}));
    assert_eq!(external, json!({"type": "ExternalName", "sessionAffinity": "None"}));
    assert_eq!(service(&json!({"externalIPs": ["10.0.0.1"]}))["externalTrafficPolicy"], "Cluster");
    let affine = service(&json!({"sessionAffinity": "ClientIP"}));
    assert_eq!(affine["sessionAffinityConfig"], json!({"clientIP": {"timeoutSeconds": 10800}}));
}

#[test]
fn a_container_gets_by_default_what_it_may_have_at_most() {
    let item = json!({"type": "Container", "max": {"cpu": "2"}, "min": {"cpu": "1", "memory": "1Gi"}});
    let pod = json!({"type": "Pod", "max": {"cpu": "2"}});
    let spec = json!({"limits": [item, pod]});
    let range = defaulted(json!({"apiVersion": "v1", "kind": "LimitRange", "spec": spec}));
    assert_eq!(range["spec"]["limits"][0]["default"], json!({"cpu": "2"}));
    assert_eq!(range["spec"]["limits"][0]["defaultRequest"], json!({"cpu": "2", "memory": "1Gi"}));
    assert_eq!(range["spec"]["limits"][1], pod);
}

#[test]
fn a_node_can_allocate_its_capacity() {
    let node = json!({"spec": {"podCIDR": "10.0.0.0/24"}, "status": {"capacity": {"cpu": "4"}}});
    let mut value = json!({"apiVersion": "v1", "kind": "Node"});
    value["spec"] = node["spec"].clone();
    value["status"] = node["status"].clone();
    let node = defaulted(value);
    assert_eq!(node["status"]["allocatable"], json!({"cpu": "4"}));
    assert_eq!(node["spec"]["podCIDRs"], json!(["10.0.0.0/24"]));
}
