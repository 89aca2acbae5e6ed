//! The rows of `kubectl get`.

use super::*;
use kube_api::version::Version;

/// Returns the cells of an object, separated by `|`.
fn row(kind: &str, value: Value) -> String {
    let (api_version, kind) = kind.rsplit_once('/').expect("a version");
    let object = Object::new(GroupVersionKind::from_api_version(api_version, kind), value);
    let now = gotext::time::parse_rfc3339("2026-01-01T01:00:00Z").expect("a time").0;
    let cells = columns(&object.kind).iter().map(|column| match column.cell(&object, now) {
        Value::String(text) => text.to_string(),
        other => other.to_string(),
    });
    cells.collect::<Vec<_>>().join("|")
}

fn metadata() -> Value {
    json!({"name": "a", "namespace": "shop", "creationTimestamp": "2026-01-01T00:00:00Z"})
}

/// Reading a field that a kind does not have panics here.
#[test]
fn every_kind_has_the_fields_of_its_columns() {
    for minor in [30, 36] {
        for found in kube_api::resource::of_release(Version { major: 1, minor }) {
            let kind = GroupVersionKind::new(found.group, found.version, found.kind);
            let object = Object::new(kind, json!({"metadata": metadata()}));
            let cells: Vec<Value> =
                columns(&object.kind).iter().map(|column| column.cell(&object, 0)).collect();
            assert!(cells.contains(&"a".into()), "{}", object.kind.kind);
        }
    }
    let kinds = || kinds::TABLE.iter().map(|(kind, _)| kind);
    assert!(kinds().is_sorted() && kinds().zip(kinds().skip(1)).all(|(one, next)| one != next));
}

#[test]
fn rows_are_those_of_the_server() {
    for (kind, value, expected) in [
        (
            "v1/Service",
            json!({"spec": {"type": "LoadBalancer", "clusterIP": "10.0.0.9", "clusterIPs": ["10.0.0.9"],
                            "ports": [{"port": 80, "nodePort": 30080, "protocol": "TCP"}]},
                   "status": {"loadBalancer": {"ingress": [{"hostname": "b"}, {"ip": "1.2.3.4"}]}}}),
            "a|LoadBalancer|10.0.0.9|1.2.3.4,b|80:30080/TCP|60m|<none>",
        ),
        (
            "v1/Node",
            json!({"metadata": {"labels": {"node-role.kubernetes.io/worker": "", "kubernetes.io/role": "edge"}},
                   "status": {"addresses": [{"type": "InternalIP", "address": "10.1.0.1"}],
                              "nodeInfo": {"kubeletVersion": "v1.36.0", "kernelVersion": "6.1", "architecture": "arm64"}}}),
            "a|Unknown|edge,worker|60m|v1.36.0|10.1.0.1|<none>|<unknown>|6.1 (arm64)|<unknown>",
        ),
        (
            "v1/Event",
            json!({"type": "Normal", "reason": "Started", "message": " it runs\n", "count": 3,
                   "involvedObject": {"kind": "Pod", "name": "web"}, "source": {"component": "kubelet", "host": "n1"},
                   "firstTimestamp": "2026-01-01T00:00:00Z", "lastTimestamp": "2026-01-01T00:59:00Z"}),
            "60s|Normal|Started|pod/web||kubelet, n1|it runs|60m|3|a",
        ),
        (
            "autoscaling/v2/HorizontalPodAutoscaler",
            json!({"spec": {"scaleTargetRef": {"kind": "Deployment", "name": "web"}, "maxReplicas": 9,
                            "metrics": [{"type": "Resource", "resource": {"name": "cpu", "target": {"averageUtilization": 80}}},
                                        {"type": "Pods", "pods": {"target": {"averageValue": "1k"}}},
                                        {"type": "External", "external": {"target": {"value": "5"}}}]}}),
            "a|Deployment/web|cpu: <unknown>/80%, <unknown>/1k + 1 more...|<unset>|9|0|60m",
        ),
        (
            "v1/ResourceQuota",
            json!({"status": {"hard": {"limits.cpu": "4", "pods": "5", "requests.cpu": "2"}, "used": {"pods": "1"}}}),
            "a|pods: 1/5, requests.cpu: 0/2|limits.cpu: 0/4|60m",
        ),
        ("rbac.authorization.k8s.io/v1/Role", json!({}), "a|2026-01-01T00:00:00Z"),
        (
            "rbac.authorization.k8s.io/v1/RoleBinding",
            json!({"roleRef": {"kind": "Role", "name": "r"},
                   "subjects": [{"kind": "User", "name": "u"}, {"kind": "ServiceAccount", "namespace": "n", "name": "s"}]}),
            "a|Role/r|60m|u||n/s",
        ),
        (
            "storage.k8s.io/v1/StorageClass",
            json!({"metadata": {"annotations": {"storageclass.kubernetes.io/is-default-class": "true"}}, "provisioner": "p"}),
            "a (default)|p|Delete|Immediate|false|60m",
        ),
    ] {
        let mut object = json!({"metadata": metadata()});
        for (name, value) in value.as_object().expect("a map") {
            match value.as_object().filter(|_| &**name == "metadata") {
                Some(more) => {
                    for (name, value) in more {
                        object["metadata"][&**name] = value.clone();
                    }
                }
                None => object[&**name] = value.clone(),
            }
        }
        assert_eq!(row(kind, object), expected, "{kind}");
    }
}

#[test]
fn pods_show_what_their_containers_do() {
    let running = json!({"name": "a", "ready": true, "state": {"running": {}}});
    let ended = |code: i64| json!({"name": "b", "state": {"terminated": {"exitCode": code, "reason": if code == 0 { "Completed" } else { "Error" }}}});
    let restarted = json!({"name": "a", "restartCount": 2, "state": {"waiting": {"reason": "CrashLoopBackOff"}},
                           "lastState": {"terminated": {"finishedAt": "2026-01-01T00:55:00Z"}}});
    for (status, expected) in [
        (json!({"phase": "Pending"}), "0/2|Pending|0"),
        (json!({"phase": "Running", "containerStatuses": [running, ended(0)]}), "1/2|NotReady|0"),
        (json!({"phase": "Running", "containerStatuses": [ended(1), ended(1)]}), "0/2|Error|0"),
        (json!({"phase": "Running", "containerStatuses": [restarted]}), "0/2|CrashLoopBackOff|2 (5m ago)"),
        (
            json!({"phase": "Pending", "initContainerStatuses": [{"name": "i", "state": {"waiting": {"reason": "PodInitializing"}}}]}),
            "0/2|Init:0/1|0",
        ),
        (json!({"phase": "Failed", "reason": "Evicted"}), "0/2|Evicted|0"),
    ] {
        let spec = json!({"containers": [{"name": "a"}, {"name": "b"}], "initContainers": [{"name": "i"}]});
        let pod = json!({"metadata": metadata(), "spec": spec, "status": status});
        assert_eq!(row("v1/Pod", pod), format!("a|{expected}|60m|<none>|<none>|<none>|<none>"));
    }
}
