//! Fields behind gates that are off by default, and the kinds that have their rules declared.

use super::{set_defaults, strategy, written};
use crate::Context;
use gotext::value::json;
use kube_api::decode::{DecodeContext, FieldValidation};
use kube_api::server_profile::ServerProfile;
use kube_api::{GroupVersionKind, Value};

/// Returns `value` as it is created where `gates` are set, and the errors in it.
fn created_with(gates: &str, value: &Value) -> (Value, Vec<String>) {
    let profile = ServerProfile::parse(gates).expect("known gates");
    let context = Context::new(&profile);
    let mut object = written(value.clone());
    set_defaults(&mut object, &profile);
    let strategy = strategy(&object);
    strategy.prepare_for_create(&mut object, &context);
    let errors = strategy.validate_create(&object, &context).iter().map(ToString::to_string).collect();
    (object.value, errors)
}

fn errors_with(gates: &str, value: &Value) -> Vec<String> {
    created_with(gates, value).1
}

const POD_GATES: &str = "EvictionRequestAPI=true,VolumeBindMountOptions=true,EmptyDirVolumeMode=true,\
                         AtomicWriteVolumeUserFields=true,H2CContainerProbe=true,GRPCContainerProbeTLS=true";

/// Returns a pod with every field, and the values of those fields.
fn pod(option: &str, mode: i64, user: i64, protocol: &str, probe: &str, responder: &str) -> Value {
    let http = json!({"port": 80, "path": "/", "protocol": protocol});
    json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "namespace": "shop"},
        "spec": {
            "evictionResponders": [{"name": responder, "priority": 10_000}],
            "volumes": [
                {"name": "scratch", "emptyDir": {"mode": mode}},
                {"name": "settings", "configMap": {"name": "settings", "defaultUser": user}},
            ],
            "containers": [{
                "name": "web", "image": "web:1",
                "livenessProbe": {"httpGet": http},
                "readinessProbe": {"grpc": {"port": 80, "mode": probe}},
                "volumeMounts": [{"name": "scratch", "mountPath": "/a", "bindMountOptions": [option]}],
            }],
        },
    })
}

#[test]
fn compared_tolerations_and_annotations_of_certificates_have_limits() {
    let pod = |fields: Value| {
        let mut pod = json!({
            "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "namespace": "shop"},
            "spec": {"containers": [{"name": "web", "image": "web:1"}]},
        });
        for (name, value) in fields.as_object().into_iter().flatten() {
            pod["spec"][&**name] = value.clone();
        }
        pod
    };
    let toleration = json!([{"key": "acme.io/level", "operator": "Gt", "value": ""}]);
    let errors =
        errors_with("TaintTolerationComparisonOperators=true", &pod(json!({"tolerations": toleration})));
    assert_eq!(errors[0], "spec.tolerations[0].value: Invalid value: \"\": must be non-empty");
    let certificate = json!({
        "signerName": "acme.io/signer", "keyType": "ED25519", "credentialBundlePath": "a",
        "userAnnotations": {"acme.io/note": "x".repeat(256 * 1024)},
    });
    let volume = json!([{"name": "a", "projected": {"sources": [{"podCertificate": certificate}]}}]);
    assert_eq!(
        errors_with("PodCertificateRequest=true", &pod(json!({"volumes": volume}))),
        ["spec.volumes[0].projected.sources[0].podCertificate.userAnnotations: Too long: \
             may not be more than 262144 bytes"]
    );
}

#[test]
fn pods_have_the_fields_whose_gates_are_on() {
    let pod = pod("noexec", 0o1777, 1000, "HTTP2", "TLS", "acme.io/mover");
    let fields = |pod: &Value| {
        let spec = &pod["spec"];
        let container = &spec["containers"][0];
        [
            &spec["evictionResponders"],
            &spec["volumes"][0]["emptyDir"]["mode"],
            &spec["volumes"][1]["configMap"]["defaultUser"],
            &container["livenessProbe"]["httpGet"]["protocol"],
            &container["readinessProbe"]["grpc"]["mode"],
            &container["volumeMounts"][0]["bindMountOptions"],
        ]
        .map(|value| !value.is_null())
    };
    let (with, errors) = created_with(POD_GATES, &pod);
    assert_eq!((fields(&with), errors), ([true; 6], Vec::new()));
    let (without, errors) = created_with("", &pod);
    assert_eq!((fields(&without), errors), ([false; 6], Vec::new()));
}

#[test]
fn pods_are_refused_for_fields_that_their_gates_let_in() {
    let pod = pod("ro", 0o2000, -1, "HTTP3", "SSL", "mover");
    assert_eq!(
        errors_with(POD_GATES, &pod),
        [
            "spec.volumes[0].emptyDir.mode: Invalid value: 1024: must be a number between 0 and 01777 (octal), both \
             inclusive",
            "spec.volumes[1].configMap.defaultUser: Invalid value: -1: must be between 0 and 2147483647, inclusive",
            "spec.containers[0].volumeMounts[0].name: Not found: \"scratch\"",
            "spec.containers[0].volumeMounts[0].bindMountOptions[0]: Unsupported value: \"ro\": supported values: \
             \"nodev\", \"noexec\", \"nosuid\"",
            "spec.containers[0].livenessProbe.httpGet.protocol: Unsupported value: \"HTTP3\": supported values: \
             \"HTTP1\", \"HTTP2\"",
            "spec.containers[0].readinessProbe.grpc.mode: Unsupported value: \"SSL\": supported values: \"Plaintext\", \
             \"TLS\"",
            "spec.evictionResponders[0].name: Invalid value: \"mover\": must include a prefix (e.g. 'example.com/key')",
        ]
    );
}

#[test]
fn other_kinds_have_the_fields_whose_gates_are_on() {
    let cases = [
        (
            "InPlacePodVerticalScalingSchedulerPreemption",
            json!({"apiVersion": "v1", "kind": "Node", "spec": {"podPreemptionPolicy": {}}}),
            ["spec", "podPreemptionPolicy"],
        ),
        (
            "APIServerWebhookAuthenticationToken",
            json!({
                "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
                "spec": {"attestations": {"a": ["b"]}},
            }),
            ["spec", "attestations"],
        ),
        (
            "DRAOptionalNodeOperations",
            json!({
                "apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "spec": {"skipNodeOperations": ["*"]},
            }),
            ["spec", "skipNodeOperations"],
        ),
        (
            "DRAResourcePoolStatus=true,DRAPartitionableDevicesType",
            json!({
                "apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice",
                "spec": {"partitionTypeAttribute": "acme.io/type"},
            }),
            ["spec", "partitionTypeAttribute"],
        ),
    ];
    for (gate, value, [part, field]) in cases {
        let has_field = |gates: &str| created_with(gates, &value).0[part][field] != Value::Null;
        assert!(has_field(&format!("{gate}=true")), "{gate}");
        assert!(!has_field(""), "{gate}");
    }
}

#[test]
fn stateful_sets_are_recreated_with_a_gate() {
    let labels = json!({"app": "web"});
    let template = json!({
        "metadata": {"labels": labels}, "spec": {"containers": [{"name": "web", "image": "web:1"}]},
    });
    let set = json!({
        "apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "web", "namespace": "shop"},
        "spec": {
            "serviceName": "web", "selector": {"matchLabels": labels}, "template": template,
            "updateStrategy": {"type": "Recreate"},
        },
    });
    assert_eq!(errors_with("StatefulSetRecreateStrategy=true", &set), [""; 0]);
    let errors = errors_with("", &set);
    assert!(errors[0].ends_with("must be 'RollingUpdate' or 'OnDelete'"), "{errors:?}");
}

fn group(kind: &str, spec: &Value) -> Value {
    let metadata = json!({"name": "train", "namespace": "shop"});
    json!({"apiVersion": "scheduling.k8s.io/v1alpha3", "kind": kind, "metadata": metadata, "spec": spec})
}

#[test]
fn groups_of_pods_are_disrupted_one_by_one() {
    let spec = json!({"schedulingPolicy": {"gang": {"minCount": 2}}, "parentCompositePodGroupName": "all"});
    let (created, errors) = created_with("", &group("PodGroup", &spec));
    assert_eq!(errors, [""; 0]);
    assert_eq!(created["spec"]["disruptionMode"], json!({"single": {}}));
    assert_eq!(created["spec"].get("parentCompositePodGroupName"), None);
    let spec = json!({"schedulingPolicy": {}});
    let (created, errors) = created_with("", &group("CompositePodGroup", &spec));
    assert_eq!(created["spec"]["disruptionMode"], json!({"single": {}}));
    assert_eq!(
        errors,
        [
            "spec.workloadRef: Required value",
            "spec.schedulingPolicy: Invalid value: \"\": must specify one of: `basic`, `gang`",
        ]
    );
}

#[test]
fn workloads_have_templates_of_one_kind() {
    let template = json!({"name": "workers", "schedulingPolicy": {"basic": {}}});
    let spec = json!({"podGroupTemplates": [template], "compositePodGroupTemplates": [template]});
    assert_eq!(errors_with("", &group("Workload", &spec)), [""; 0]);
    let gates = "GenericWorkload=true,TopologyAwareWorkloadScheduling=true,CompositePodGroup=true";
    assert_eq!(
        errors_with(gates, &group("Workload", &spec)),
        [
            "spec: Invalid value: \"{podGroupTemplates, compositePodGroupTemplates}\": must specify exactly one of: \
             `podGroupTemplates`, `compositePodGroupTemplates`"
        ]
    );
}

#[test]
fn requests_for_evictions_name_a_pod_and_who_asks() {
    let request = |spec: Value| {
        let metadata = json!({"name": "drain", "namespace": "shop"});
        let value = json!({
            "apiVersion": "lifecycle.k8s.io/v1alpha1", "kind": "EvictionRequest", "metadata": metadata, "spec": spec,
        });
        errors_with("", &value)
    };
    let pod = json!({"name": "web", "uid": "6a8b5b9c-0000-4000-8000-00000000000a"});
    let target = json!({"pod": pod});
    assert_eq!(
        request(json!({"target": target, "requester": "acme.io/drainer", "intent": "Eviction"})),
        [""; 0]
    );
    assert_eq!(
        request(json!({"target": {}, "requester": "drainer", "intent": "Kill"})),
        [
            "spec.target: Invalid value: \"\": must specify one of: `pod`",
            "spec.requester: Invalid value: \"drainer\": must include a prefix (e.g. 'example.com/key')",
            "spec.intent: Unsupported value: \"Kill\": supported values: \"Eviction\", \"Withdrawn\"",
        ]
    );
}

#[test]
fn drops_lists_that_were_given_empty() {
    let device = json!({"name": "a", "attributes": {"b": {"bools": []}}});
    let value = json!({
        "apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "a"},
        "spec": {
            "driver": "a", "pool": {"name": "a", "generation": 0, "resourceSliceCount": 1}, "nodeName": "a",
            "devices": [device],
        },
    });
    let errors = |gates: &str| {
        let profile = ServerProfile::parse(gates).expect("known gates");
        let kind = GroupVersionKind::new("resource.k8s.io", "v1", "ResourceSlice");
        let decoding = DecodeContext {
            kind: &kind,
            field_validation: FieldValidation::Warn,
            strict_errors: &[],
            body: "",
        };
        let mut object =
            crate::read(value.clone().into(), &decoding, &profile, crate::NOW).expect("valid").object;
        let context = Context::new(&profile);
        strategy(&object).prepare_for_create(&mut object, &context);
        let errors = strategy(&object).validate_create(&object, &context);
        errors.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let attribute = "spec.devices[0].attributes[b]";
    assert_eq!(
        errors("DRAListTypeAttributes=true"),
        [format!("{attribute}.bools: Invalid value: []: must not be empty if specified")]
    );
    assert_eq!(
        errors("DRAListTypeAttributes=false"),
        [format!("{attribute}: Invalid value: \"\": exactly one value must be specified")]
    );
}
