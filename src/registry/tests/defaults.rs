use crate::registry::store::set_default_times;
use crate::registry::tests::*;

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
    assert_eq!(rule.text(&["spec", "taint", "timeAdded"]), "2026-01-01T00:00:00Z");
}
