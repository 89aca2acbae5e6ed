use crate::tests::*;
use crate::warnings::{Warnings, warnings_on_custom};

fn on_update(object: &Object, old: &Object, sub_resource: &str) -> Vec<String> {
    match sub_resource {
        "" => strategy(object).warnings(object, Some(old), &ServerProfile::default()),
        name => strategy(object).sub_resource_warnings(object, name, &ServerProfile::default()),
    }
}

#[test]
fn names_of_workloads_should_be_labels() {
    let deployment = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a.b"}});
    let warnings = on_create(deployment);
    assert_eq!(warnings.len(), 1);
    assert!(warnings[0].starts_with(
        "metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label \
         is recommended: [must not contain dots"
    ));
}

#[test]
fn a_workload_is_looked_at_again_when_it_changes() {
    let deployment = |replicas: i32| {
        let spec = json!({"nodeSelector": {"beta.kubernetes.io/os": "linux"}});
        let spec = json!({"replicas": replicas, "template": {"spec": spec}});
        written(json!({"apiVersion": "apps/v1", "kind": "Deployment", "spec": spec}))
    };
    assert_eq!(
        on_update(&deployment(2), &deployment(1), ""),
        [
            "spec.template.spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use \"kubernetes.io/os\" \
          instead"
        ]
    );
    assert!(on_update(&deployment(1), &deployment(1), "").is_empty());
    assert!(on_update(&deployment(2), &deployment(1), "status").is_empty());
}

#[test]
fn requests_of_a_quota_should_not_exceed_its_limits() {
    let hard = json!({"memory": "2Gi", "limits.memory": "1Gi", "requests.cpu": "1", "limits.cpu": "1"});
    let quota = json!({"apiVersion": "v1", "kind": "ResourceQuota", "spec": {"hard": hard}});
    assert_eq!(on_create(quota), ["ResourceQuota memory (2Gi) should be less than limits.memory (1Gi)"]);
}

#[test]
fn finalizers_of_custom_resources_should_name_their_domain() {
    let backup = |finalizers: Value| {
        let metadata = json!({"finalizers": finalizers});
        written(json!({"apiVersion": "example.com/v1", "kind": "Backup", "metadata": metadata}))
    };
    let new = backup(json!(["example.com/a", "orphan", "b", "a.example.com"]));
    let profile = ServerProfile::default();
    let on_custom = |old| Warnings::of(&profile, |warnings| warnings_on_custom(&new, old, warnings));
    assert_eq!(
        on_custom(None),
        [
            "metadata.finalizers: \"a.example.com\": prefer a domain-qualified finalizer name including a path (/) to \
             avoid accidental conflicts with other finalizer writers",
            "metadata.finalizers: \"b\": prefer a domain-qualified finalizer name to avoid accidental conflicts with \
             other finalizer writers"
        ]
    );
    assert!(on_custom(Some(&new)).is_empty());
}

#[test]
fn other_kinds_have_their_own_warnings() {
    let warning = |value: Value| on_create(value).join("\n");
    let annotations = json!({"kubernetes.io/ingress.class": "nginx"});
    let metadata = json!({"annotations": annotations});
    assert_eq!(
        warning(json!({"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": metadata})),
        "annotation \"kubernetes.io/ingress.class\" is deprecated, please use 'spec.ingressClassName' instead"
    );
    let spec = json!({"configSource": {}, "externalID": "a"});
    assert_eq!(
        warning(json!({"apiVersion": "v1", "kind": "Node", "spec": spec})),
        "spec.configSource: the feature is removed\nspec.externalID: this field is deprecated, and is unused by \
         Kubernetes"
    );
    let spec = json!({"revisionHistoryLimit": -1});
    assert_eq!(
        warning(json!({"apiVersion": "apps/v1", "kind": "StatefulSet", "spec": spec})),
        "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended"
    );
    let spec = json!({"driver": "Example.com"});
    assert_eq!(
        warning(json!({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "spec": spec})),
        "spec.driver: driver names should be lowercase; \"Example.com\" contains uppercase characters"
    );
}

#[test]
fn warnings_have_a_history() {
    let warnings = |minor, object: Value| {
        let object = written(object);
        strategy(&object).warnings(&object, None, &ServerProfile::of_release(Version::minor(minor), []))
    };
    let annotation = "seccomp.security.alpha.kubernetes.io/pod";
    let pod = |minor| {
        let metadata = json!({"name": "a", "annotations": {annotation: "unconfined"}});
        warnings(minor, json!({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {}}))
    };
    let fates = [
        (22, "deprecated since v1.19"),
        (23, "deprecated since v1.19, non-functional in v1.25+"),
        (24, "deprecated since v1.19, non-functional in v1.25+"),
        (25, "deprecated since v1.19, non-functional in a future release"),
        (27, "non-functional in v1.27+"),
    ];
    for (minor, fate) in fates {
        let warning =
            format!("metadata.annotations[{annotation}]: {fate}; use the \"seccompProfile\" field instead");
        assert_eq!(pod(minor), [warning]);
    }
    assert_eq!(pod(21), [""; 0]);
    let class = |minor, label: &str| {
        let scheduling = json!({"nodeSelector": {label: "a"}});
        let class = json!({"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "scheduling": scheduling});
        warnings(minor, class).len()
    };
    let (old, older) = ("node-role.kubernetes.io/master", "beta.kubernetes.io/os");
    assert_eq!([30, 31].map(|minor| class(minor, old)), [0, 1]);
    assert_eq!([24, 25].map(|minor| class(minor, older)), [0, 1]);
}
