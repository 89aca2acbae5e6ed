use crate::generate_name;
use crate::tests::*;
use gotext::source::Node;
use kube_api::decode::{DecodeContext, FieldValidation};

#[test]
fn users_do_not_set_the_status_of_new_objects() {
    let budget =
        json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "status": {"expectedPods": 3}});
    let zero = json!({"currentHealthy": 0, "desiredHealthy": 0, "disruptionsAllowed": 0, "expectedPods": 0});
    assert_eq!(created(&budget)["status"], zero);
    let node = json!({"apiVersion": "v1", "kind": "Node", "status": {"capacity": {"cpu": "4"}}});
    assert_eq!(created(&node)["status"]["capacity"]["cpu"], "4");
}

#[test]
fn a_name_is_generated_where_there_is_none() {
    let name = |metadata| {
        let mut object = object(&json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}));
        generate_name(&mut object, |base| format!("{base}12345"));
        object.name().to_owned()
    };
    assert_eq!(name(json!({"generateName": "a-"})), "a-12345");
    assert_eq!(name(json!({"generateName": "a-", "name": "b"})), "b");
    assert_eq!(name(json!({})), "");
}

#[test]
fn a_namespace_is_finalized_by_kubernetes() {
    let metadata = json!({"generateName": "a-", "name": "a-1"});
    let spec = json!({"finalizers": ["example.com/a"]});
    let namespace =
        created(&json!({"apiVersion": "v1", "kind": "Namespace", "metadata": metadata, "spec": spec}));
    assert_eq!(namespace["spec"]["finalizers"], json!(["example.com/a", "kubernetes"]));
    assert_eq!(namespace["metadata"]["labels"], json!({"kubernetes.io/metadata.name": "a-1"}));
    assert_eq!(namespace["status"], json!({"phase": "Active"}));
}

#[test]
fn an_update_changes_the_specification_or_the_status() {
    let deployment = |replicas: i32, available: i32, label: &str| {
        json!({
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"uid": "u", "labels": {"a": label}, "creationTimestamp": "2025-01-01T00:00:00Z"},
            "spec": {"replicas": replicas},
            "status": {"availableReplicas": available}
        })
    };
    let summary = |value: &Value| {
        let label = value["metadata"]["labels"]["a"].as_str().map(str::to_owned);
        (value["spec"]["replicas"].as_i64(), value["status"]["availableReplicas"].as_i64(), label)
    };
    let (new, old) = (deployment(2, 2, "new"), deployment(1, 1, "old"));
    assert_eq!(summary(&updated(&new, &old, "")), (Some(2), Some(1), Some("new".to_owned())));
    assert_eq!(summary(&updated(&new, &old, "status")), (Some(1), Some(2), Some("old".to_owned())));
    let mut bare = new;
    bare["metadata"] = json!({});
    assert_eq!(updated(&bare, &old, "")["metadata"]["uid"], "u");
    assert_eq!(updated(&bare, &old, "")["metadata"]["creationTimestamp"], "2025-01-01T00:00:00Z");
}

#[test]
fn a_status_update_leaves_the_metadata_alone() {
    let group = |label: &str| {
        let metadata = json!({"labels": {"a": label}, "finalizers": [label]});
        json!({"apiVersion": "scheduling.k8s.io/v1alpha2", "kind": "PodGroup", "metadata": metadata})
    };
    assert_eq!(updated(&group("new"), &group("old"), "status")["metadata"], group("old")["metadata"]);
}

#[test]
fn a_daemon_set_counts_its_templates() {
    const ANNOTATION: &str = "deprecated.daemonset.template.generation";
    let set = |image: &str, generation: &str| {
        json!({
            "apiVersion": "apps/v1",
            "kind": "DaemonSet",
            "metadata": {"annotations": {ANNOTATION: generation}},
            "spec": {"template": {"spec": {"containers": [{"name": "a", "image": image}]}}}
        })
    };
    let count = |set: Value| set["metadata"]["annotations"][ANNOTATION].as_str().map(str::to_owned);
    assert_eq!(count(created(&set("a", "0"))).as_deref(), Some("1"));
    assert_eq!(count(updated(&set("a", "9"), &set("a", "3"), "")).as_deref(), Some("3"));
    assert_eq!(count(updated(&set("b", "9"), &set("a", "3"), "")).as_deref(), Some("4"));
}

#[test]
fn annotations_of_numbers_are_numbers() {
    let read = |api_version: &str, kind: &str, annotation: &str, value: &str| {
        let kind = GroupVersionKind::from_api_version(api_version, kind);
        let object = json!({
            "apiVersion": api_version,
            "kind": &*kind.kind,
            "metadata": {"name": "web", "annotations": {annotation: value}},
        });
        let context = DecodeContext {
            kind: &kind,
            field_validation: FieldValidation::Warn,
            strict_errors: &[],
            body: "",
        };
        crate::read(Node::from(object), &context, &ServerProfile::default(), "")
            .map(drop)
            .map_err(|error| (error.status.code, error.to_string()))
    };
    let deployment = |value| read("apps/v1", "Deployment", "deprecated.deployment.rollback.to", value);
    assert_eq!([deployment(""), deployment("-3")], [Ok(()), Ok(())]);
    let message = "Deployment in version \"v1\" cannot be handled as a Deployment: failed to parse \
                   annotation[deprecated.deployment.rollback.to]=one as int64: strconv.ParseInt: parsing \"one\": invalid \
                   syntax";
    assert_eq!(deployment("one"), Err((400, message.to_owned())));
    let set = |value| read("apps/v1", "DaemonSet", "deprecated.daemonset.template.generation", value);
    assert_eq!(set("7"), Ok(()));
    let message = "DaemonSet in version \"v1\" cannot be handled as a DaemonSet: strconv.ParseInt: parsing \"\": invalid \
                   syntax";
    assert_eq!(set(""), Err((400, message.to_owned())));
}

#[test]
fn the_storage_knows_no_empty_lists() {
    let mut role =
        object(&json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "rules": []}));
    strategy(&role).store(&mut role, &ServerProfile::default());
    assert_eq!(role.value["rules"], Value::Null);
    let data = json!({"list": []});
    let mut revision = object(&json!({"apiVersion": "apps/v1", "kind": "ControllerRevision", "data": data}));
    strategy(&revision).store(&mut revision, &ServerProfile::default());
    assert_eq!(revision.value["data"], data);
}

#[test]
fn times_come_from_the_callers_clock() {
    let now = "2026-01-01T00:00:00Z";
    let mut volume = object(&created(&json!({"apiVersion": "v1", "kind": "PersistentVolume"})));
    strategy(&volume).fill_times(&mut volume, None, "", &ServerProfile::default(), now);
    assert_eq!(volume.text(["status", "lastPhaseTransitionTime"]), now);
    let mut bound = volume.clone();
    bound.set(["status", "phase"], "Bound");
    strategy(&bound).fill_times(
        &mut bound,
        Some(&volume),
        "status",
        &ServerProfile::default(),
        "2027-01-01T00:00:00Z",
    );
    assert_eq!(bound.text(["status", "lastPhaseTransitionTime"]), "2027-01-01T00:00:00Z");
}
