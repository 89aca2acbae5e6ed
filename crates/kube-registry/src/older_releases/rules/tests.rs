mod boundaries;
mod network;

use crate::strategy::Context;
use crate::table;
use gotext::value::json;
use kube_api::server_profile::ServerProfile;
use kube_api::version::Version;
use kube_api::{GroupVersionKind, Object, Value, field};

fn errors(api_version: &str, kind: &str, minor: u32, object: &Value, old: Option<&Value>) -> Vec<String> {
    texts(&errors_through("", api_version, kind, minor, object, old))
}

fn texts(errors: &[field::Error]) -> Vec<String> {
    errors.iter().map(ToString::to_string).collect()
}

fn errors_through(
    sub_resource: &str,
    api_version: &str,
    kind: &str,
    minor: u32,
    object: &Value,
    old: Option<&Value>,
) -> Vec<field::Error> {
    let profile = ServerProfile::of_release(Version::minor(minor), []);
    let kind = GroupVersionKind::from_api_version(api_version, kind);
    let strategy = table::of(&kind).unwrap();
    let context = Context::new(&profile);
    let defaulted = |value: &Value| {
        let mut object = Object::new(kind.clone(), value.clone());
        crate::store::set_defaults(&mut object, &profile);
        object
    };
    let object = defaulted(object);
    match old {
        None => strategy.validate_create(&object, &context),
        Some(old) => strategy.validate_update(&object, &defaulted(old), sub_resource, &context),
    }
}

fn pod(change: impl FnOnce(&mut Value)) -> Value {
    let mut pod = json!({
        "metadata": {"name": "web", "namespace": "shop", "resourceVersion": "1"},
        "spec": {"containers": [{"name": "web", "image": "web:1"}]},
    });
    change(&mut pod);
    pod
}

fn of_pod(minor: u32, change: impl FnOnce(&mut Value)) -> Vec<String> {
    errors("v1", "Pod", minor, &pod(change), None)
}

#[test]
fn names_of_variables_were_stricter() {
    let named = |minor| of_pod(minor, |pod| pod["spec"]["containers"][0]["env"] = json!([{"name": "1 a"}]));
    assert_eq!(
        named(31),
        [
            "spec.containers[0].env[0].name: Invalid value: \"1 a\": a valid environment variable name must consist of \
          alphabetic characters, digits, '_', '-', or '.', and must not start with a digit (e.g. 'my.env-name',  or \
          'MY_ENV.NAME',  or 'MyEnvName1', regex used for validation is '[-._a-zA-Z][-._a-zA-Z0-9]*')"
        ]
    );
    assert_eq!(named(32), [""; 0]);
}

#[test]
fn lists_of_search_paths_were_shorter() {
    let searches: Vec<String> = (0..7).map(|number| format!("shop{number}.example")).collect();
    let long = |minor| of_pod(minor, |pod| pod["spec"]["dnsConfig"] = json!({"searches": &searches}));
    assert!(long(25)[0].ends_with("}: must not have more than 6 search paths"), "{:?}", long(25));
    assert_eq!(long(26), [""; 0]);
    let lines = |minor| of_pod(minor, |pod| pod["spec"]["dnsConfig"] = json!({"searches": ["_sip.example"]}));
    assert_eq!(lines(33), [""; 0]);
    assert!(lines(32)[0].starts_with(
        "spec.dnsConfig.searches[0]: Invalid value: \"_sip.example\": a lowercase RFC 1123 subdomain must consist of \
         lower case alphanumeric characters, '-' or '.', and must"
    ));
    assert!(lines(19)[0].contains(": a DNS-1123 subdomain must consist of"), "{:?}", lines(19));
}

#[test]
fn limits_were_not_quoted() {
    let resources = json!({"requests": {"cpu": "2"}, "limits": {"cpu": "1"}});
    let exceeded = |minor| of_pod(minor, |pod| pod["spec"]["containers"][0]["resources"] = resources.clone());
    let error = "spec.containers[0].resources.requests: Invalid value: \"2\": must be less than or equal to cpu limit";
    assert_eq!(exceeded(26), [error]);
    assert_eq!(exceeded(27), [format!("{error} of 1")]);
}

#[test]
fn the_error_was_about_the_other_port() {
    let ports = |minor| {
        of_pod(minor, |pod| {
            pod["spec"]["hostNetwork"] = json!(true);
            pod["spec"]["containers"][0]["ports"] = json!([{"containerPort": 80, "hostPort": 81}]);
        })
    };
    let port = "spec.containers[0].ports[0]";
    assert_eq!(
        ports(27),
        [format!(
            "{port}.containerPort: Invalid value: 80: must match `hostPort` when `hostNetwork` is true"
        )]
    );
    assert_eq!(
        ports(28),
        [format!(
            "{port}.hostPort: Invalid value: 81: must match `containerPort` when `hostNetwork` is true"
        )]
    );
}

#[test]
fn names_of_sysctls_had_no_slashes() {
    let sysctl = |minor| {
        of_pod(minor, |pod| {
            pod["spec"]["securityContext"] = json!({"sysctls": [{"name": "net/ipv4/a", "value": "1"}]});
        })
    };
    assert_eq!(
        sysctl(24),
        [
            "spec.securityContext.sysctls[0].name: Invalid value: \"net/ipv4/a\": must have at most 253 characters and \
          match regex ([a-z0-9]([-_a-z0-9]*[a-z0-9])?\\.)*[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
        ]
    );
    assert_eq!(sysctl(25), [""; 0]);
}

#[test]
fn updates_of_pods_are_refused_in_the_words_of_the_release() {
    let (new, old) = (pod(|pod| pod["spec"]["hostname"] = json!("web")), pod(|_| {}));
    let update = |minor| errors("v1", "Pod", minor, &new, Some(&old)).remove(0);
    let list = |minor| update(minor).lines().next().unwrap_or_default().to_owned();
    let start = "spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`";
    assert_eq!(
        list(21),
        format!(
            "{start}, `spec.initContainers[*].image`, `spec.activeDeadlineSeconds` or `spec.tolerations` (only \
             additions to existing tolerations)"
        )
    );
    assert!(list(26).starts_with(&format!("{start}, ")), "{}", list(26));
    assert!(list(27).starts_with(&format!("{start},`")), "{}", list(27));
}

#[test]
fn a_load_balancer_had_one_protocol_and_not_the_port_of_the_kubelet() {
    let service = json!({
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": {"type": "LoadBalancer", "ports": [
            {"name": "a", "port": 53, "protocol": "TCP"}, {"name": "b", "port": 53, "protocol": "UDP"},
        ]},
    });
    let mixed = |minor| errors("v1", "Service", minor, &service, None);
    assert!(mixed(19)[0].ends_with(": cannot create an external load balancer with mix protocols"));
    assert!(mixed(23)[0].ends_with(": may not contain more than 1 protocol when type is 'LoadBalancer'"));
    assert_eq!(mixed(24), [""; 0]);
    let service = json!({
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": {"type": "LoadBalancer", "ports": [{"port": 10250}]},
    });
    let kubelet = |minor| errors("v1", "Service", minor, &service, None);
    assert_eq!(
        kubelet(32),
        [
            "spec.ports[0]: Invalid value: 10250: may not expose port 10250 externally since it is used by kubelet"
        ]
    );
    assert_eq!(kubelet(33), [""; 0]);
}

#[test]
fn budgets_and_histories_were_immutable() {
    let budget = |most: i64| {
        json!({
            "metadata": {"name": "web", "namespace": "shop", "resourceVersion": "1"},
            "spec": {"maxUnavailable": most, "selector": {"matchLabels": {"app": "web"}}},
        })
    };
    let update = |minor| errors("policy/v1beta1", "PodDisruptionBudget", minor, &budget(1), Some(&budget(2)));
    assert_eq!(update(14), ["spec: Forbidden: updates to poddisruptionbudget spec are forbidden."]);
    assert_eq!(update(15), [""; 0]);
    let set = |history: i64| {
        json!({
            "metadata": {"name": "web", "namespace": "shop", "resourceVersion": "1"},
            "spec": {
                "serviceName": "web", "revisionHistoryLimit": history,
                "selector": {"matchLabels": {"app": "web"}},
                "template": {
                    "metadata": {"labels": {"app": "web"}},
                    "spec": {"containers": [{"name": "web", "image": "web:1"}]},
                },
            },
        })
    };
    let update = |minor| errors("apps/v1", "StatefulSet", minor, &set(1), Some(&set(2)));
    let start = "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', ";
    assert_eq!(update(33), [""; 0]);
    assert_eq!(
        update(32),
        [format!(
            "{start}'ordinals', 'template', 'updateStrategy', 'persistentVolumeClaimRetentionPolicy' and \
             'minReadySeconds' are forbidden"
        )]
    );
    assert_eq!(
        update(25),
        [format!(
            "{start}'template', 'updateStrategy', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are \
             forbidden"
        )]
    );
    assert_eq!(update(22), [format!("{start}'template', and 'updateStrategy' are forbidden")]);
    assert_eq!(update(11), [format!("{start}'template', and 'updateStrategy' are forbidden.")]);
}

#[test]
fn values_of_selectors_were_not_checked() {
    let budget = json!({
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": {"minAvailable": 1, "selector": {"matchExpressions": [
            {"key": "app", "operator": "In", "values": ["a b"]},
        ]}},
    });
    let create = |minor| errors("policy/v1", "PodDisruptionBudget", minor, &budget, None);
    assert_eq!(create(25), [""; 0]);
    assert!(
        create(26)[0]
            .starts_with("spec.selector.matchExpressions[0].values[0]: Invalid value: \"a b\": a valid")
    );
}

#[test]
fn a_schedule_had_a_zone() {
    let job = |zone: Value| {
        json!({
            "metadata": {"name": "report", "namespace": "shop"},
            "spec": {"schedule": "TZ=UTC 1 * * * *", "timeZone": zone, "jobTemplate": {"spec": {"template": {"spec": {
                "restartPolicy": "Never", "containers": [{"name": "web", "image": "web:1"}],
            }}}}},
        })
    };
    let create = |minor, zone| errors("batch/v1", "CronJob", minor, &job(zone), None);
    assert_eq!(create(28, json!(null)), [""; 0]);
    let error = "spec.schedule: Invalid value: \"TZ=UTC 1 * * * *\": cannot use ";
    assert_eq!(
        create(28, json!("UTC")),
        [format!("{error}both timeZone field and TZ or CRON_TZ in schedule")]
    );
    assert_eq!(
        create(29, json!(null)),
        [format!("{error}TZ or CRON_TZ in schedule, use timeZone field instead")]
    );
}

#[test]
fn the_first_ingresses_have_other_fields() {
    let ingress = json!({
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": {
            "backend": {"serviceName": "a b", "servicePort": 80},
            "rules": [{"http": {"paths": [{"path": "/", "backend": {"serviceName": "web", "servicePort": 99999}}]}}],
        },
    });
    for api_version in ["extensions/v1beta1", "networking.k8s.io/v1beta1"] {
        let fields: Vec<_> = errors(api_version, "Ingress", 20, &ingress, None)
            .iter()
            .filter_map(|error| Some(error.split_once(": ")?.0.to_owned()))
            .collect();
        assert_eq!(
            fields,
            ["spec.backend.serviceName", "spec.rules[0].http.paths[0].backend.servicePort"],
            "{api_version}"
        );
    }
    let empty = json!({"metadata": {"name": "web", "namespace": "shop"}, "spec": {}});
    assert_eq!(
        errors("extensions/v1beta1", "Ingress", 16, &empty, None),
        ["spec: Invalid value: []networking.IngressRule(nil): either `backend` or `rules` must be specified"]
    );
}

#[test]
fn secrets_of_drivers_were_labels_and_reported_elsewhere() {
    let volume = |secret: Value| {
        json!({
            "metadata": {"name": "data"},
            "spec": {
                "capacity": {"storage": "1Gi"},
                "accessModes": ["ReadWriteOnce"],
                "csi": {"driver": "a", "volumeHandle": "b", "nodePublishSecretRef": secret},
            },
        })
    };
    let fields = |minor, secret| {
        let errors = errors("v1", "PersistentVolume", minor, &volume(secret), None);
        errors.iter().filter_map(|error| Some(error.split_once(": ")?.0.to_owned())).collect::<Vec<_>>()
    };
    let dotted = || json!({"name": "a.b", "namespace": "shop"});
    assert_eq!(fields(24, dotted()), ["spec.csi.name"]);
    assert_eq!(fields(26, dotted()), ["spec.csi.nodePublishSecretRef.name"]);
    assert_eq!(fields(27, dotted()), [""; 0]);
    let wrong = || json!({"name": "a b", "namespace": "a b"});
    assert_eq!(fields(24, wrong()), ["spec.csi.namespace", "spec.csi.name"]);
    let of_secret = ["spec.csi.nodePublishSecretRef.name", "spec.csi.nodePublishSecretRef.namespace"];
    assert_eq!(fields(27, wrong()), of_secret);
    assert_eq!(fields(24, json!({})), of_secret);
    let with_blank = of_secret.map(|field| field.replace("Ref.", "Ref ."));
    assert_eq!(fields(23, json!({})), with_blank);
}

#[test]
fn metrics_of_containers_had_a_gate() {
    let metric = json!({"type": "ContainerResource"});
    let autoscaler = json!({
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": {
            "maxReplicas": 2,
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
            "metrics": [metric],
        },
    });
    let create =
        |minor, version| errors(version, "HorizontalPodAutoscaler", minor, &autoscaler, None).join("");
    let message = "spec.metrics[0].containerResource: Required value: must populate information for the given metric \
                   source";
    let named = format!("{message} (only allowed when HPAContainerMetrics feature is enabled)");
    assert_eq!(create(24, "autoscaling/v2"), named);
    assert_eq!(create(22, "autoscaling/v2beta2"), named);
    assert_eq!(create(27, "autoscaling/v2"), message);
    assert_eq!(create(29, "autoscaling/v2"), message);
}

#[test]
fn values_were_printed_in_the_syntax_of_go() {
    let workload = |selector: Value, label: &str| {
        json!({
            "metadata": {"name": "web", "namespace": "shop", "resourceVersion": "1"},
            "spec": {
                "selector": selector,
                "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "110%", "maxUnavailable": "200%"}},
                "template": {
                    "metadata": {"labels": {"app": label}},
                    "spec": {"containers": [{"name": "web", "image": "web:1"}]},
                },
            },
        })
    };
    let (old, new) = (
        workload(json!({"matchLabels": {"app": "web"}}), "web"),
        workload(
            json!({
                "matchLabels": {"tier": "x", "app": "web"},
                "matchExpressions": [{"key": "k", "operator": "In", "values": ["v"]}],
            }),
            "till",
        ),
    );
    let update = |minor| errors("apps/v1", "Deployment", minor, &new, Some(&old)).join("\n");
    let text = update(33);
    let expected = [
        "spec.strategy.rollingUpdate.maxUnavailable: Invalid value: intstr.IntOrString{Type:1, IntVal:0, \
         StrVal:\"200%\"}: must not be greater than 100%",
        "spec.template.metadata.labels: Invalid value: map[string]string{\"app\":\"till\"}: `selector` does not match \
         template `labels`",
        "spec.selector: Invalid value: v1.LabelSelector{MatchLabels:map[string]string{\"app\":\"web\", \
         \"tier\":\"x\"}, MatchExpressions:[]v1.LabelSelectorRequirement{v1.LabelSelectorRequirement{Key:\"k\", \
         Operator:\"In\", Values:[]string{\"v\"}}}}: field is immutable",
    ];
    for expected in expected {
        assert!(text.contains(expected), "{text}");
    }
    assert!(update(34).contains("labels: Invalid value: {\"app\":\"till\"}: "));
    let binding = |name: &str| {
        json!({
            "metadata": {"name": "a", "namespace": "shop", "resourceVersion": "1"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": name},
        })
    };
    let version = "rbac.authorization.k8s.io/v1";
    assert_eq!(
        errors(version, "RoleBinding", 20, &binding("b"), Some(&binding("a"))),
        [
            "roleRef: Invalid value: rbac.RoleRef{APIGroup:\"rbac.authorization.k8s.io\", Kind:\"Role\", Name:\"b\"}: \
             cannot change roleRef"
        ]
    );
}

#[test]
fn no_template_of_a_workload_had_a_deadline() {
    let workload = json!({
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": {
            "selector": {"matchLabels": {"app": "web"}},
            "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {"activeDeadlineSeconds": 5, "containers": [{"name": "web", "image": "web:1"}]},
            },
        },
    });
    let create = |minor| errors("apps/v1", "DaemonSet", minor, &workload, None);
    let field = "spec.template.spec.activeDeadlineSeconds";
    assert_eq!(create(13), [format!("{field}: Invalid value: 5: must not be specified")]);
    assert_eq!(
        create(14),
        [format!("{field}: Forbidden: activeDeadlineSeconds in DaemonSet is not Supported")]
    );
}

#[test]
fn the_class_was_in_one_place() {
    let ingress = json!({
        "metadata": {
            "name": "web", "namespace": "shop", "annotations": {"kubernetes.io/ingress.class": "nginx"},
        },
        "spec": {
            "ingressClassName": "nginx", "defaultBackend": {"service": {"name": "web", "port": {"number": 80}}},
        },
    });
    let create = |minor| errors("networking.k8s.io/v1", "Ingress", minor, &ingress, None);
    assert_eq!(
        create(26),
        [
            "annotations.kubernetes.io/ingress.class: Invalid value: \"nginx\": can not be set when the class field is \
          also set"
        ]
    );
    assert_eq!(create(27), [""; 0]);
}

#[test]
fn priority_classes_were_the_plugins_concern() {
    let class = json!({"metadata": {"name": "system-x"}, "value": 2_000_000_001});
    let create = |minor, version| errors(version, "PriorityClass", minor, &class, None);
    assert_eq!(create(10, "scheduling.k8s.io/v1alpha1"), [""; 0]);
    assert_eq!(create(11, "scheduling.k8s.io/v1beta1").len(), 1);
}

#[test]
fn owners_had_no_index() {
    let errors_of = |minor, owner: Value| {
        of_pod(minor, |pod| pod["metadata"]["ownerReferences"] = json!([{"controller": true}, owner]))
    };
    let owner = json!({"apiVersion": "a/b/c", "kind": "Job", "name": "web", "uid": "1"});
    let path = "metadata.ownerReferences";
    assert_eq!(
        errors_of(37, owner.clone()),
        [
            format!("{path}[0].apiVersion: Required value: must not be empty"),
            format!("{path}[0].kind: Required value: must not be empty"),
            format!("{path}[0].name: Required value: must not be empty"),
            format!("{path}[0].uid: Required value: must not be empty"),
            format!("{path}[1].apiVersion: Invalid value: \"a/b/c\": must be <group>/<version> or <version>"),
        ]
    );
    assert_eq!(
        errors_of(36, owner),
        [
            format!("{path}.apiVersion: Invalid value: \"\": version must not be empty"),
            format!("{path}.kind: Invalid value: \"\": must not be empty"),
            format!("{path}.name: Invalid value: \"\": must not be empty"),
            format!("{path}.uid: Invalid value: \"\": must not be empty"),
            format!("{path}.apiVersion: Invalid value: \"a/b/c\": version must not be empty"),
        ]
    );
    let event = json!({"apiVersion": "v1", "kind": "Event", "name": "web", "uid": "1"});
    let banned = |minor| errors_of(minor, event.clone()).pop().unwrap();
    assert!(banned(36).starts_with("metadata.ownerReferences: Invalid value: {"), "{}", banned(36));
    assert!(banned(37).starts_with("metadata.ownerReferences[1]: Invalid value: {"), "{}", banned(37));
}

#[test]
fn operations_of_managed_fields_were_invalid() {
    let managed = |minor, operation: &str| {
        of_pod(minor, |pod| pod["metadata"]["managedFields"] = json!([{"operation": operation}])).remove(0)
    };
    let path = "metadata.managedFields[0].operation";
    assert_eq!(managed(36, ""), format!("{path}: Invalid value: \"\": must be `Apply` or `Update`"));
    assert_eq!(managed(37, ""), format!("{path}: Required value: must not be empty"));
    assert_eq!(managed(36, "Put"), format!("{path}: Invalid value: \"Put\": must be `Apply` or `Update`"));
    assert_eq!(
        managed(37, "Put"),
        format!("{path}: Unsupported value: \"Put\": supported values: \"Apply\", \"Update\"")
    );
}

#[test]
fn conditions_were_named_by_their_fields() {
    let kind = GroupVersionKind::new("resource.k8s.io", "v1beta2", "DeviceTaintRule");
    let status = |minor, conditions: Value| {
        let profile = ServerProfile::of_release(Version::minor(minor), []);
        let object = |conditions: Value| {
            let metadata = json!({"name": "web", "resourceVersion": "1"});
            let spec = json!({"taint": {"key": "a", "effect": "NoExecute"}});
            let value = json!({"metadata": metadata, "spec": spec, "status": {"conditions": conditions}});
            Object::new(kind.clone(), value)
        };
        let strategy = table::of(&kind).unwrap();
        let errors = strategy.validate_update(
            &object(conditions),
            &object(json!([])),
            "status",
            &Context::new(&profile),
        );
        errors.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let condition = |of: &str, status: &str| json!({"type": of, "status": status, "reason": "A", "lastTransitionTime": "2026-01-01T00:00:00Z"});
    let path = "status.conditions";
    let empty = json!([condition("", "")]);
    assert_eq!(
        status(37, empty.clone()),
        [format!("{path}[0].type: Required value: is required"), format!("{path}[0].status: Required value"),]
    );
    let before = status(36, empty);
    assert_eq!(before.len(), 3, "{before:?}");
    assert!(
        before[0].starts_with(&format!("{path}[0].type: Invalid value: \"\": name part must be non-empty"))
    );
    assert!(
        before[1].starts_with(&format!("{path}[0].type: Invalid value: \"\": name part must consist of"))
    );
    assert_eq!(
        before[2],
        format!(
            "{path}[0].status: Unsupported value: \"\": supported values: \"False\", \"True\", \"Unknown\""
        )
    );
    let twice = json!([condition("Ready", "True"), condition("Ready", "True")]);
    assert_eq!(status(36, twice.clone()), [format!("{path}[1].type: Duplicate value: \"Ready\"")]);
    assert_eq!(status(37, twice), [format!("{path}[1]: Duplicate value: \"Ready\"")]);
}

#[test]
fn the_newest_release_has_its_own_rules() {
    assert_eq!(super::gone_since(Version::BINARY), 0);
    assert!(super::gone_since(Version::OLDEST) > 5);
}

#[test]
fn metrics_of_unknown_types_needed_the_field_of_their_name() {
    let scaler = |minor, metrics: Value| {
        let target = json!({"kind": "Deployment", "name": "web", "apiVersion": "apps/v1"});
        let spec = json!({"maxReplicas": 3, "scaleTargetRef": target, "metrics": metrics});
        let object = json!({"metadata": {"name": "web", "namespace": "shop"}, "spec": spec});
        errors("autoscaling/v2beta2", "HorizontalPodAutoscaler", minor, &object, None)
    };
    let absent = "Required value: must populate information for the given metric source";
    assert_eq!(
        scaler(19, json!([{"type": "Foo"}]))[1..],
        [
            "spec.metrics[0].type: Unsupported value: \"Foo\": supported values: \"External\", \"Object\", \"Pods\", \
             \"Resource\""
                .to_owned(),
            format!("spec.metrics[0].foo: {absent}")
        ]
    );
    assert_eq!(scaler(19, json!([{"type": "Pods"}])), [format!("spec.metrics[0].pods: {absent}")]);
    assert_eq!(scaler(20, json!([{"type": "Pods"}])), [format!("spec.metrics[0].pods: {absent}")]);
    assert_eq!(
        scaler(20, json!([{"type": "ContainerResource"}])),
        [format!(
            "spec.metrics[0].containerResource: {absent} (only allowed when HPAContainerMetrics feature is enabled)"
        )]
    );
}

#[test]
fn errors_of_levels_classes_and_sources_have_the_words_of_their_release() {
    let level = json!({"metadata": {"name": "web"}, "spec": {"type": "Exempt"}});
    let of_level = |minor| {
        errors("flowcontrol.apiserver.k8s.io/v1", "PriorityLevelConfiguration", minor, &level, None)[0]
            .clone()
    };
    assert!(of_level(33).ends_with(": type must be 'Exempt' if and only if name is 'exempt'"));
    assert!(of_level(34).ends_with(": must be 'Exempt' if and only if `name` is 'exempt'"));
    let class = json!({
        "metadata": {"name": "a"}, "handler": "a",
        "scheduling": {"tolerations": [{"key": "a b", "operator": "Exists"}]},
    });
    let of_class = |minor| errors("node.k8s.io/v1", "RuntimeClass", minor, &class, None)[0].clone();
    assert!(of_class(34).starts_with("scheduling.tolerations.tolerations[0].key: "));
    assert!(of_class(35).starts_with("scheduling.tolerations[0].key: "));
    let source = |name: &str| json!({"kind": "PersistentVolumeClaim", "name": name});
    let claim = json!({"metadata": {"name": "a", "namespace": "shop"}, "spec": {
        "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}},
        "dataSource": source("a"), "dataSourceRef": source("b"),
    }});
    let of_claim = |minor| errors("v1", "PersistentVolumeClaim", minor, &claim, None);
    assert_eq!(of_claim(34), ["spec: Invalid value: {}: must match dataSourceRef"]);
    assert_eq!(
        of_claim(33),
        [
            "spec: Invalid value: field.Path{name:\"dataSource\", index:\"\", parent:(*field.Path)(0xc000000000)}: \
          must match dataSourceRef"
        ]
    );
}
