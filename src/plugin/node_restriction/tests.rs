use std::sync::Arc;

use gotext::value::{Value, json};

use crate::admission::{Attributes, Operation, Refusal, UserInfo};
use crate::plugin::testing::{Bench, create, delete, update};
use kube_api::field::Path;
use kube_api::version::Version;

fn by_node(request: Attributes) -> Attributes {
    let user_info = UserInfo {
        username: "system:node:n1".to_owned(),
        groups: vec!["system:nodes".to_owned(), "system:authenticated".to_owned()],
        ..UserInfo::default()
    };
    Attributes { user_info: Arc::new(user_info), ..request }
}

fn below(sub_resource: &'static str, request: Attributes) -> Attributes {
    Attributes { sub_resource: sub_resource.into(), ..request }
}

fn node(labels: &Value) -> Value {
    json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1", "uid": "u1", "labels": labels}})
}

fn mirror_pod(change: impl FnOnce(&mut Value)) -> Value {
    let owner = json!({"apiVersion": "v1", "kind": "Node", "name": "n1", "uid": "u1", "controller": true});
    let mut pod = json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {
            "name": "web", "namespace": "shop", "uid": "p1", "ownerReferences": [owner],
            "annotations": {"kubernetes.io/config.mirror": "x"},
        },
        "spec": {"nodeName": "n1", "containers": [{"name": "web"}]},
    });
    change(&mut pod);
    pod
}

fn pod_on(node: &str) -> Value {
    mirror_pod(|pod| {
        pod["spec"]["nodeName"] = node.into();
        pod["metadata"]["annotations"] = json!({});
    })
}

fn bench() -> Bench {
    Bench::new("NodeRestriction", [node(&json!({})), pod_on("n1")])
}

fn refusal(request: Attributes) -> Refusal {
    bench().admit(&mut by_node(request)).unwrap_err()
}

fn admits(request: Attributes) -> bool {
    bench().admit(&mut by_node(request)).is_ok()
}

#[test]
fn ignores_users_that_are_no_nodes() {
    let request = || create(pod_on("n2"));
    assert_eq!(bench().admit(&mut request()), Ok(()));
    let mut nameless = by_node(request());
    Arc::make_mut(&mut nameless.user_info).username = "system:node:".to_owned();
    assert_eq!(
        bench().admit(&mut nameless).unwrap_err().status.message,
        "pods \"web\" is forbidden: could not determine node from user \"system:node:\""
    );
    Arc::make_mut(&mut nameless.user_info).groups.clear();
    assert_eq!(bench().admit(&mut nameless), Ok(()));
}

#[test]
fn admits_mirror_pods_of_its_own() {
    assert!(admits(create(mirror_pod(|_| {}))));
    assert_eq!(
        refusal(create(pod_on("n1"))).status.message,
        "pods \"web\" is forbidden: pod does not have \"kubernetes.io/config.mirror\" annotation, node \"n1\" can only \
         create mirror pods"
    );
    let other = mirror_pod(|pod| pod["metadata"]["ownerReferences"][0]["uid"] = "u2".into());
    let refused = refusal(create(other));
    assert_eq!(refused.status.message, "pods \"web\" is forbidden: node n1 UID mismatch: expected u2 got u1");
    assert_eq!(refused.evidence[0].says, "has the uid u1");
}

#[test]
fn rejects_mirror_pods_that_refer_to_others() {
    let volume = |source: Value| mirror_pod(|pod| pod["spec"]["volumes"] = json!([source]));
    let env = json!([{"valueFrom": {"secretKeyRef": {"name": "s"}}}]);
    for (pod, what, path) in [
        (
            mirror_pod(|pod| pod["spec"]["serviceAccountName"] = "ci".into()),
            "serviceaccounts",
            "/spec/serviceAccountName",
        ),
        (
            mirror_pod(|pod| pod["spec"]["containers"][0]["env"] = env),
            "secrets",
            "/spec/containers/0/env/0/valueFrom/secretKeyRef/name",
        ),
        (volume(json!({"configMap": {"name": "c"}})), "configmaps", "/spec/volumes/0/configMap/name"),
        (volume(json!({"configMap": {}})), "configmaps (via configmap volumes)", "/spec/volumes/0/configMap"),
        (volume(json!({"csi": {"driver": "d"}})), "csidrivers (via CSI volumes)", "/spec/volumes/0/csi"),
        (
            volume(json!({"projected": {"sources": [{"downwardAPI": {}}, {"serviceAccountToken": {}}]}})),
            "serviceaccounts (via projected volumes)",
            "/spec/volumes/0/projected/sources/1/serviceAccountToken",
        ),
    ] {
        let refused = refusal(create(pod));
        assert_eq!(
            refused.status.message,
            format!("pods \"web\" is forbidden: node \"n1\" can not create pods that reference {what}")
        );
        assert_eq!(refused.fields[0].json_pointer(), path);
    }
    assert!(admits(create(volume(json!({"hostPath": {"path": "/"}})))));
    assert!(admits(create(volume(json!({"projected": {"sources": [{"downwardAPI": {}}]}})))));
}

#[test]
fn rejects_to_touch_pods_of_other_nodes() {
    assert!(admits(delete(pod_on("n1"))));
    let refused = refusal(delete(pod_on("n2")));
    assert_eq!(
        refused.status.message,
        "pods \"web\" is forbidden: node \"n1\" can only delete pods with spec.nodeName set to itself"
    );
    assert_eq!(refused.evidence[0].says, "runs on node n2");
    assert!(admits(below("status", update(pod_on("n1"), pod_on("n1")))));
    let labelled = mirror_pod(|pod| pod["metadata"]["labels"] = json!({"a": "b"}));
    let refused = refusal(below("status", update(pod_on("n1"), labelled)));
    assert_eq!(refused.fields, [Path::new("metadata.labels")]);
    assert_eq!(
        refusal(update(pod_on("n1"), pod_on("n1"))).status.message,
        "pods \"web\" is forbidden: unexpected operation \"UPDATE\", node \"n1\" can only create and delete mirror pods"
    );
    let mut eviction = below("eviction", create(pod_on("n1")));
    assert!(admits(eviction.clone()));
    eviction.name = "gone".to_owned();
    assert_eq!(refusal(eviction).status.message, "pod \"gone\" not found");
}

#[test]
fn rejects_labels_that_draw_pods() {
    let free = json!({
        "team": "a", "example.com/a": "b", "node.kubernetes.io/x": "", "kubernetes.io/os": "linux", "notkubernetes.io/x": "",
    });
    assert!(admits(create(node(&free))));
    let drawing = json!({"node-role.kubernetes.io/infra": "", "a.node-restriction.kubernetes.io/x": "", "x.k8s.io/y": ""});
    let refused = refusal(create(node(&drawing)));
    assert_eq!(
        refused.status.message,
        "nodes \"n1\" is forbidden: node \"n1\" is not allowed to set the following labels: \
         a.node-restriction.kubernetes.io/x, node-role.kubernetes.io/infra, x.k8s.io/y"
    );
    assert_eq!(refused.fields.len(), 3);
    assert!(admits(update(node(&drawing), node(&drawing))));
    assert_eq!(
        refusal(update(node(&drawing), node(&json!({})))).status.message,
        "nodes \"n1\" is forbidden: is not allowed to modify labels: a.node-restriction.kubernetes.io/x, \
         node-role.kubernetes.io/infra, x.k8s.io/y"
    );
}

#[test]
fn rejects_taints_and_other_nodes() {
    let mut tainted = node(&json!({}));
    tainted["spec"] = json!({"taints": [{"key": "a", "effect": "NoSchedule"}]});
    assert!(admits(create(tainted.clone())));
    let refused = refusal(update(tainted, node(&json!({}))));
    assert_eq!(
        refused.status.message,
        "nodes \"n1\" is forbidden: node \"n1\" is not allowed to modify taints"
    );
    let mut other = node(&json!({}));
    other["metadata"]["name"] = "n2".into();
    assert_eq!(
        refusal(create(other)).status.message,
        "nodes \"n2\" is forbidden: node \"n1\" is not allowed to modify node \"n2\""
    );
}

#[test]
fn admits_growth_of_claims_alone() {
    let claim = |status: Value| {
        json!({
            "apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data", "namespace": "shop"},
            "spec": {"volumeName": "v"}, "status": status,
        })
    };
    let grown = json!({"capacity": {"storage": "2Gi"}, "conditions": [{"type": "Resizing"}], "allocatedResources": {}});
    assert!(admits(below("status", update(claim(json!({})), claim(grown)))));
    let refused = refusal(below("status", update(claim(json!({})), claim(json!({"phase": "Lost"})))));
    assert!(
        refused.status.message.contains("-  \"Phase\": \"\",\n+  \"Phase\": \"Lost\","),
        "{}",
        refused.status.message
    );
    assert_eq!(refused.fields, [Path::new("status")]);
    assert_eq!(
        refusal(create(claim(json!({})))).status.message,
        "persistentvolumeclaims \"data\" is forbidden: may only update PVC status"
    );
}

fn token(bound: &Value, audiences: &Value) -> Attributes {
    let mut request = create(json!({
        "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
        "metadata": {"name": "ci", "namespace": "shop"},
        "spec": {"boundObjectRef": bound, "audiences": audiences},
    }));
    request.resource = kube_api::GroupVersionResource::new("", "v1", "serviceaccounts");
    request.namespace = "shop".to_owned();
    by_node(below("token", request))
}

#[test]
fn tokens_are_bound_to_its_pods() {
    let bound = |uid: &str| json!({"apiVersion": "v1", "kind": "Pod", "name": "web", "uid": uid});
    let bench = bench();
    assert_eq!(bench.admit(&mut token(&bound("p1"), &json!(["vault"]))), Ok(()));
    for (bound, error) in [
        (json!({}), "node requested token not bound to a pod"),
        (bound(""), "node requested token with a pod binding without a uid"),
        (
            bound("p2"),
            "the UID in the bound object reference (p2) does not match the UID in record. The object might have been \
             deleted and then recreated",
        ),
    ] {
        let refused = bench.admit(&mut token(&bound, &json!([]))).unwrap_err();
        assert_eq!(refused.status.message, format!("serviceaccounts \"ci\" is forbidden: {error}"));
    }
}

#[test]
fn tokens_are_for_audiences_that_a_volume_wants() {
    let bound = json!({"apiVersion": "v1", "kind": "Pod", "name": "web", "uid": "p1"});
    let mut pod = pod_on("n1");
    let source = json!({"serviceAccountToken": {"audience": "vault"}});
    pod["spec"]["volumes"] = json!([
        {"name": "a", "csi": {"driver": "secrets.example.com"}},
        {"name": "b", "azureDisk": {}},
        {"name": "c", "projected": {"sources": [source]}},
    ]);
    let driver = json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": {"name": "secrets.example.com"},
        "spec": {"tokenRequests": [{"audience": "store"}]},
    });
    let bench = Bench::with_roles("NodeRestriction", [pod, driver]);
    let message = |audiences: Value| {
        let refused = bench.admit(&mut token(&bound, &audiences)).unwrap_err();
        assert_eq!(refused.fields, [Path::new("spec.audiences")]);
        refused.status.message
    };
    assert_eq!(bench.admit(&mut token(&bound, &json!(["vault"]))), Ok(()));
    assert_eq!(bench.admit(&mut token(&bound, &json!(["store"]))), Ok(()));
    assert_eq!(
        message(json!(["other"])),
        "serviceaccounts \"ci\" is forbidden: error validating audience \"other\": csidriver.storage.k8s.io \
         \"disk.csi.azure.com\" not found"
    );
    assert_eq!(
        message(json!(["a", "b"])),
        "serviceaccounts \"ci\" is forbidden: node may only request 0 or 1 audiences"
    );
}

#[test]
fn leases_csi_nodes_and_slices_are_its_own() {
    let named = |api_version: &str, kind: &str, namespace: &str, name: &str| {
        create(json!({
            "apiVersion": api_version, "kind": kind, "metadata": {"name": name, "namespace": namespace},
        }))
    };
    let lease = |namespace, name| named("coordination.k8s.io/v1", "Lease", namespace, name);
    assert!(admits(lease("kube-node-lease", "n1")));
    assert_eq!(refusal(lease("shop", "n1")).fields, [Path::new("metadata.namespace")]);
    assert_eq!(refusal(lease("kube-node-lease", "n2")).fields, [Path::new("metadata.name")]);
    assert!(admits(named("storage.k8s.io/v1", "CSINode", "", "n1")));
    assert!(!admits(named("storage.k8s.io/v1", "CSINode", "", "n2")));
    let slice = |node: &str| {
        create(json!({
            "apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "s"},
            "spec": {"nodeName": node},
        }))
    };
    assert!(admits(slice("n1")));
    assert!(!admits(slice("n2")));
    assert!(admits(Attributes { operation: Operation::Update, ..slice("n2") }));
}

#[test]
fn signing_requests_of_nodes_are_its_own() {
    use base64::Engine as _;
    let pem = include_str!("../../../crates/kube-registry/testdata/certificates/developers.csr");
    let request = |signer: &str| {
        create(json!({
            "apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest", "metadata": {"name": "c"},
            "spec": {"signerName": signer, "request": base64::engine::general_purpose::STANDARD.encode(pem)},
        }))
    };
    assert!(admits(request("kubernetes.io/kube-apiserver-client")));
    assert_eq!(
        refusal(request("kubernetes.io/kubelet-serving")).status.message,
        "certificatesigningrequests.certificates.k8s.io \"c\" is forbidden: can only create a node CSR with \
         CN=system:node:n1"
    );
}

#[test]
fn certificates_are_for_its_pods() {
    let account = json!({
        "apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "ci", "namespace": "shop", "uid": "a1"},
    });
    let mut pod = pod_on("n1");
    pod["spec"]["serviceAccountName"] = "ci".into();
    let objects = [node(&json!({})), pod, account];
    let bench = Bench::gated("NodeRestriction", "PodCertificateRequest=true", objects);
    let request = |change: Option<(&'static str, &str)>| {
        let mut spec = json!({
            "nodeName": "n1", "nodeUID": "u1", "podName": "web", "podUID": "p1", "serviceAccountName": "ci",
            "serviceAccountUID": "a1",
        });
        if let Some((field, value)) = change {
            spec[field] = value.into();
        }
        let metadata = json!({"name": "c", "namespace": "shop"});
        let kind = "PodCertificateRequest";
        by_node(create(json!({
            "apiVersion": "certificates.k8s.io/v1beta1", "kind": kind, "metadata": metadata, "spec": spec,
        })))
    };
    assert_eq!(bench.admit(&mut request(None)), Ok(()));
    for (field, code) in [
        ("nodeName", 403),
        ("nodeUID", 500),
        ("podName", 500),
        ("podUID", 500),
        ("serviceAccountName", 403),
        ("serviceAccountUID", 500),
    ] {
        let refused = bench.admit(&mut request(Some((field, "other")))).unwrap_err();
        assert_eq!((refused.status.code, &refused.fields[0]), (code, &Path::new("spec").child(field)));
    }
    let without = Bench::of_release("NodeRestriction", Version::RECORDED, [node(&json!({}))]);
    assert_eq!(
        without.admit(&mut request(None)).unwrap_err().status.message,
        "podcertificaterequests.certificates.k8s.io \"c\" is forbidden: PodCertificateRequest feature gate is disabled"
    );
}
