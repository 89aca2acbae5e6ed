use crate::tests::*;

fn object(group: &'static str, kind: &'static str, value: Value) -> Object {
    Object::new(GroupVersionKind::new(group, "v1", kind), value)
}

fn pod(change: impl FnOnce(&mut Value)) -> Object {
    let mut value = json!({
        "metadata": {"name": "web", "namespace": "shop", "resourceVersion": "1"},
        "spec": {
            "containers": [{
                "name": "web", "image": "web:1", "imagePullPolicy": "IfNotPresent",
                "terminationMessagePolicy": "File", "resources": {"requests": {"cpu": "100m"}},
            }],
            "restartPolicy": "Always", "dnsPolicy": "ClusterFirst", "terminationGracePeriodSeconds": 30,
        },
    });
    change(&mut value);
    object("", "Pod", value)
}

fn update(new: &Object, old: &Object, sub_resource: &str) -> Vec<String> {
    let profile = ServerProfile::default();
    let errors = strategy(new).validate_update(new, old, sub_resource, &Context::new(&profile));
    errors.iter().map(ToString::to_string).collect()
}

#[test]
fn lets_an_update_change_the_image_of_a_pod_and_little_else() {
    let old = pod(|_| {});
    assert_eq!(update(&pod(|pod| pod["spec"]["containers"][0]["image"] = json!("web:2")), &old, ""), [""; 0]);
    let errors = update(&pod(|pod| pod["spec"]["hostname"] = json!("web")), &old, "");
    assert_eq!(errors.len(), 1);
    assert!(errors[0].starts_with("spec: Forbidden: pod updates may not change fields other than `spec."));
    let errors = update(&pod(|pod| pod["metadata"]["name"] = json!("other")), &old, "");
    assert_eq!(errors, ["metadata.name: Invalid value: \"other\": field is immutable"; 2]);
}

#[test]
fn shows_what_a_refused_update_would_change() {
    let claim = |size: &str| {
        let value = json!({
            "metadata": {"name": "data", "namespace": "shop", "resourceVersion": "1"},
            "spec": {
                "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size}},
                "volumeMode": "Filesystem",
            },
        });
        object("", "PersistentVolumeClaim", value)
    };
    assert_eq!(
        update(&claim("2Gi"), &claim("1Gi"), ""),
        ["spec: Forbidden: spec is immutable after creation except resources.requests and \
          volumeAttributesClassName for bound claims\n@@ -6,7 +6,7 @@\n  \"Resources\": {\n   \"Limits\": null,\n   \
          \"Requests\": {\n-   \"storage\": \"1Gi\"\n+   \"storage\": \"2Gi\"\n   }\n  },\n  \"VolumeName\": \"\",\n"]
    );
    let debugged = |image: &str| {
        let container = json!({
            "name": "debug", "image": image, "imagePullPolicy": "IfNotPresent",
            "terminationMessagePolicy": "File",
        });
        pod(move |pod| pod["spec"]["ephemeralContainers"] = json!([container]))
    };
    let with_policy = pod(|pod| {
        let container = json!({
            "name": "debug", "image": "shell:1", "imagePullPolicy": "IfNotPresent", "restartPolicy": "",
            "terminationMessagePolicy": "File",
        });
        pod["spec"]["ephemeralContainers"] = json!([container]);
    });
    assert_eq!(
        update(&with_policy, &pod(|_| {}), "ephemeralcontainers"),
        ["spec.ephemeralContainers[0].restartPolicy: Forbidden: cannot be set for an Ephemeral Container"]
    );
    let errors = update(&debugged("shell:2"), &debugged("shell:1"), "ephemeralcontainers");
    assert_eq!(
        errors,
        ["spec.ephemeralContainers: Forbidden: existing ephemeral containers \"debug\" may not be changed\n\
          @@ -1,6 +1,6 @@\n {\n  \"Name\": \"debug\",\n- \"Image\": \"shell:1\",\n+ \"Image\": \"shell:2\",\n  \
          \"Command\": null,\n  \"Args\": null,\n  \"WorkingDir\": \"\",\n"]
    );
}

#[test]
fn only_some_groups_want_qualified_finalizers() {
    let profile = ServerProfile::default();
    let errors = |group: &'static str, kind: &'static str, mut value: Value| {
        value["metadata"] = json!({"name": "a", "namespace": "shop", "finalizers": ["mine"]});
        let object = object(group, kind, value);
        let errors = strategy(&object).validate_create(&object, &Context::new(&profile));
        errors.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(errors("coordination.k8s.io", "Lease", json!({})), [""; 0]);
    assert_eq!(errors("", "ConfigMap", json!({})).len(), 1);
}

#[test]
fn prints_an_absent_text_that_cannot_be_changed_as_empty() {
    let bundle = |spec: Value| {
        let value = json!({"metadata": {"name": "acme.io:a:b", "resourceVersion": "1"}, "spec": spec});
        object("certificates.k8s.io", "ClusterTrustBundle", value)
    };
    let old = bundle(json!({"signerName": "acme.io/a", "trustBundle": "x"}));
    let errors = update(&bundle(json!({"trustBundle": "x"})), &old, "");
    assert!(
        errors.contains(&"spec.signerName: Invalid value: \"\": field is immutable".to_owned()),
        "{errors:?}"
    );
}

#[test]
fn lets_a_resize_change_cpu_and_memory_alone() {
    let old = pod(|_| {});
    let resources = |pod: &mut Value, cpu: &str| {
        pod["spec"]["containers"][0]["resources"]["requests"]["cpu"] = json!(cpu);
    };
    assert_eq!(update(&pod(|pod| resources(pod, "200m")), &old, "resize"), [""; 0]);
    let errors = update(&pod(|pod| pod["spec"]["containers"][0]["image"] = json!("web:2")), &old, "resize");
    assert_eq!(errors, ["spec: Forbidden: only cpu and memory resources are mutable"]);
    let of_pod = pod(|pod| pod["spec"]["resources"] = json!({"requests": {"cpu": "1"}}));
    assert_eq!(update(&of_pod, &old, "resize"), [""; 0]);
}

#[test]
fn keeps_immutable_data_and_selectors() {
    let old = json!({"metadata": {"name": "a", "namespace": "b", "resourceVersion": "1"}, "immutable": true, "data": {"k": "1"}});
    let mut new = old.clone();
    new["data"]["k"] = json!("2");
    let errors = update(&object("", "ConfigMap", new), &object("", "ConfigMap", old), "");
    assert_eq!(errors, ["data: Forbidden: field is immutable when `immutable` is set"]);
}

#[test]
fn lets_a_suspended_job_change_what_its_pods_ask_for() {
    let job = |change: fn(&mut Value)| {
        let template = json!({"metadata": {"labels": {"app": "a"}}, "spec": {
            "containers": [{
                "name": "web", "image": "web:1", "imagePullPolicy": "IfNotPresent",
                "terminationMessagePolicy": "File", "resources": {},
            }],
            "restartPolicy": "Never", "dnsPolicy": "ClusterFirst", "terminationGracePeriodSeconds": 30,
        }});
        let mut value = json!({
            "metadata": {"name": "a", "namespace": "b", "resourceVersion": "1"},
            "spec": {
                "manualSelector": true, "selector": {"matchLabels": {"app": "a"}}, "template": template,
                "suspend": true, "completionMode": "NonIndexed", "parallelism": 1, "completions": 1,
            },
        });
        change(&mut value);
        object("batch", "Job", value)
    };
    let resources = |job: &mut Value| {
        job["spec"]["template"]["spec"]["containers"][0]["resources"] = json!({"limits": {"cpu": "1"}});
    };
    assert_eq!(update(&job(resources), &job(|_| {}), ""), [""; 0]);
    let errors = update(&job(resources), &job(|job| job["spec"]["suspend"] = json!(false)), "");
    assert!(errors[0].starts_with(
        "spec.template: Invalid value: {\"labels\":{\"app\":\"a\"},\"Spec\":{\"Volumes\":null,"
    ));
    assert!(errors[0].ends_with(": field is immutable"));
    let ended = |job: &mut Value| {
        job["status"] = json!({"conditions": [{"type": "Complete", "status": "True"}], "active": 1});
    };
    assert_eq!(
        update(&job(ended), &job(|_| {}), "status"),
        [
            "status.completionTime: Required value: completionTime is required for Complete jobs",
            "status.conditions: Invalid value: cannot set Complete=True condition without the \
             SuccessCriteriaMet=true condition",
            "status.active: Invalid value: 1: active>0 is invalid for finished job",
            "status.startTime: Required value: startTime is required for finished job",
        ]
    );
}

#[test]
fn reads_tolerations_in_an_annotation_as_go_does() {
    let refused = |text: &str| {
        let pod = pod(|pod| {
            pod["metadata"]["annotations"] = json!({"scheduler.alpha.kubernetes.io/tolerations": text});
        });
        let profile = ServerProfile::default();
        let errors = strategy(&pod).validate_create(&pod, &Context::new(&profile));
        errors.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let bad = "metadata.annotations: Invalid value: \"scheduler.alpha.kubernetes.io/tolerations\": ";
    assert_eq!(refused("[{\"Key\": \"a\", \"operator\": \"Exists\"}]"), [""; 0]);
    assert_eq!(
        refused("[{\"operator\": \"Sometimes\", \"key\": \"a\"}]"),
        ["metadata.annotations.scheduler.alpha.kubernetes.io/tolerations[0].operator: Unsupported value: \
          \"Sometimes\": supported values: \"Equal\", \"Exists\""]
    );
    assert_eq!(refused("[{}"), [format!("{bad}unexpected end of JSON input")]);
    assert_eq!(
        refused("[{\"key\": 1}]"),
        [format!("{bad}json: cannot unmarshal number into Go struct field Toleration.Key of type string")]
    );
}

#[test]
fn lets_a_container_that_ended_run_again_where_its_policy_says_so() {
    let state = |policy: &'static str, state: &str| {
        let state = json!({state: {"exitCode": 1}});
        pod(move |pod| {
            pod["spec"]["restartPolicy"] = json!(policy);
            pod["status"] = json!({"containerStatuses": [{"name": "web", "state": state}]});
        })
    };
    let change = |policy| update(&state(policy, "running"), &state(policy, "terminated"), "status");
    assert_eq!(change("OnFailure"), [""; 0]);
    assert_eq!(
        change("Never"),
        ["status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state"]
    );
}

#[test]
fn words_broken_schedules_as_the_parser_does() {
    let parse = crate::batch::cron_job::schedule::parse_standard_schedule;
    assert_eq!(parse("every night"), Err("expected exactly 5 fields, found 2: [every night]".to_owned()));
    assert_eq!(parse("61 * * * *"), Err("end of range (61) above maximum (59): 61".to_owned()));
    assert_eq!(parse("*/5 0-6 1,15 jan mon"), Ok(()));
    assert_eq!(parse("@every 1h30m"), Ok(()));
    assert_eq!(parse("TZ=UTC 0 0 * * *"), Ok(()));
    let before_zones = crate::batch::cron_job::schedule::parse_first_standard_schedule;
    for (schedule, error) in [
        ("TZ=UTC 0 0 * * *", "Expected exactly 5 fields, found 6: TZ=UTC 0 0 * * *"),
        ("61 * * * *", "End of range (61) above maximum (59): 61"),
        ("@never", "Unrecognized descriptor: @never"),
    ] {
        assert_eq!(before_zones(schedule), Err(error.to_owned()));
    }
    assert_eq!(before_zones("@every 1h30m"), Ok(()));
}

#[test]
fn validates_an_updated_storage_class_as_a_new_one() {
    let class = |provisioner: &str, values: Value| {
        let value = json!({
            "metadata": {"name": "fast", "resourceVersion": "1"},
            "provisioner": provisioner, "reclaimPolicy": "Delete", "volumeBindingMode": "Immediate",
            "allowedTopologies": [{"matchLabelExpressions": [{"key": "zone", "values": values}]}],
        });
        object("storage.k8s.io", "StorageClass", value)
    };
    assert_eq!(
        update(&class("b", json!([])), &class("a", json!(["x"])), ""),
        [
            "allowedTopologies[0].matchLabelExpressions[0].values: Required value",
            "provisioner: Invalid value: \"b\": field is immutable",
        ]
    );
}

#[test]
fn refuses_other_attributes_of_an_existing_class() {
    let class = |size: &str| {
        let value = json!({
            "metadata": {"name": "fast", "resourceVersion": "1"}, "driverName": "disk", "parameters": {"iops": size},
        });
        object("storage.k8s.io", "VolumeAttributesClass", value)
    };
    assert_eq!(
        update(&class("2"), &class("1"), ""),
        ["parameters: Forbidden: updates to parameters are forbidden."]
    );
}

#[test]
fn validates_the_addresses_of_load_balancers() {
    let balanced = |group: &'static str, kind: &'static str, spec: Value, ingress: Value| {
        let value = json!({
            "metadata": {"name": "web", "namespace": "shop", "resourceVersion": "1"},
            "spec": spec, "status": {"loadBalancer": {"ingress": ingress}},
        });
        object(group, kind, value)
    };
    let service = |kind: &str, ingress: Value| balanced("", "Service", json!({"type": kind}), ingress);
    let old = service("LoadBalancer", json!([{"ip": "01.2.3.4", "ipMode": "VIP"}]));
    let new = json!([
        {"ip": "01.2.3.4", "ipMode": "VIP"}, {"ip": "x"}, {"ipMode": "VIP"}, {"ip": "10.0.0.1", "ipMode": "NAT"},
        {"hostname": "10.0.0.1"},
    ]);
    assert_eq!(
        update(&service("LoadBalancer", new), &old, "status"),
        [
            "status.loadBalancer.ingress[1].ip: Invalid value: \"x\": must be a valid IP address, (e.g. 10.9.8.7 or \
             2001:db8::ffff)",
            "status.loadBalancer.ingress[1].ipMode: Required value: must be specified when `ip` is set",
            "status.loadBalancer.ingress[2].ipMode: Forbidden: may not be specified when `ip` is not set",
            "status.loadBalancer.ingress[3].ipMode: Unsupported value: \"NAT\": supported values: \"Proxy\", \"VIP\"",
            "status.loadBalancer.ingress[4].hostname: Invalid value: \"10.0.0.1\": must be a DNS name, not an IP \
             address",
        ]
    );
    let internal = service("ClusterIP", json!([{"ip": "10.0.0.1", "ipMode": "VIP"}]));
    assert_eq!(
        update(&internal, &old, "status"),
        ["status.loadBalancer.ingress: Forbidden: may only be used when `spec.type` is 'LoadBalancer'"]
    );
    let ingress =
        |host: &str| balanced("networking.k8s.io", "Ingress", json!({}), json!([{"hostname": host}]));
    assert_eq!(
        update(&ingress("10.0.0.1"), &ingress("a.example"), "status"),
        [
            "status.loadBalancer.ingress[0].hostname: Invalid value: \"10.0.0.1\": must be a DNS name, not an IP address"
        ]
    );
}

#[test]
fn counts_no_more_than_the_replicas_of_a_workload() {
    let workload = |kind: &'static str, status: Value| {
        let value = json!({"metadata": {"name": "db", "namespace": "shop", "resourceVersion": "1"}, "status": status});
        object("apps", kind, value)
    };
    let status = json!({"replicas": 1, "availableReplicas": 2, "collisionCount": 1});
    for (kind, ready) in [("StatefulSet", "status.readyReplicas"), ("Deployment", "readyReplicas")] {
        let old = workload(kind, json!({"collisionCount": 2}));
        assert_eq!(
            update(&workload(kind, status.clone()), &old, "status"),
            [
                "status.availableReplicas: Invalid value: 2: cannot be greater than status.replicas",
                &format!("status.availableReplicas: Invalid value: 2: cannot be greater than {ready}"),
                "status.collisionCount: Invalid value: 1: cannot be decremented",
            ]
        );
    }
}

#[test]
fn validates_the_status_of_a_disruption_budget() {
    let budget = |count: i64| {
        let value = json!({
            "metadata": {"name": "web", "namespace": "shop", "resourceVersion": "1"}, "status": {"currentHealthy": count},
        });
        object("policy", "PodDisruptionBudget", value)
    };
    assert_eq!(
        update(&budget(-1), &budget(0), "status"),
        ["status.currentHealthy: Invalid value: -1: must be greater than or equal to 0"]
    );
}

#[test]
fn refuses_a_namespace_that_the_status_of_a_cluster_scoped_object_keeps() {
    let schema = |namespace: &str| {
        let value = json!({
            "metadata": {"name": "a", "namespace": namespace, "resourceVersion": "1"},
            "spec": {"matchingPrecedence": 5, "priorityLevelConfiguration": {"name": "b"}},
        });
        object("flowcontrol.apiserver.k8s.io", "FlowSchema", value)
    };
    assert_eq!(
        update(&schema("shop"), &schema("shop"), "status"),
        ["metadata.namespace: Forbidden: not allowed on this type"]
    );
    assert_eq!(update(&schema(""), &schema(""), "status"), [""; 0]);
}

#[test]
fn validates_a_changed_service_with_wrong_metadata_whole() {
    let value = json!({
        "metadata": {"name": "a", "namespace": "shop", "resourceVersion": "1", "labels": {"a": "!"}},
        "spec": {"type": "ExternalName", "externalName": "a.b", "sessionAffinity": "Always"},
    });
    let service = object("", "Service", value);
    let errors = update(&service, &service, "");
    assert!(errors.iter().any(|error| error.starts_with("metadata.labels: ")), "{errors:?}");
    assert!(errors.iter().any(|error| error.starts_with("spec.sessionAffinity: ")), "{errors:?}");
}

#[test]
fn prints_the_metadata_of_a_template_of_claims_whole() {
    let template = |label: &str| {
        let value = json!({
            "metadata": {"name": "a", "namespace": "shop", "resourceVersion": "1"},
            "spec": {"metadata": {"labels": {"a": label}}, "spec": {}},
        });
        object("resource.k8s.io", "ResourceClaimTemplate", value)
    };
    assert_eq!(
        update(&template("c"), &template("b"), ""),
        ["spec: Invalid value: {\"labels\":{\"a\":\"c\"},\"Spec\":{\"Devices\":{\"Requests\":null,\
          \"Constraints\":null,\"Config\":null}}}: field is immutable"]
    );
}

#[test]
fn refuses_a_stored_template_generation_below_zero() {
    let container = json!({
        "name": "a", "image": "a:1", "imagePullPolicy": "IfNotPresent", "terminationMessagePolicy": "File",
    });
    let spec = json!({
        "containers": [container], "restartPolicy": "Always", "dnsPolicy": "ClusterFirst",
        "terminationGracePeriodSeconds": 30,
    });
    let value = json!({
        "metadata": {
            "name": "a", "namespace": "shop", "resourceVersion": "1",
            "annotations": {"deprecated.daemonset.template.generation": "-1"},
        },
        "spec": {
            "selector": {"matchLabels": {"a": "b"}}, "updateStrategy": {"type": "OnDelete"},
            "template": {"metadata": {"labels": {"a": "b"}}, "spec": spec},
        },
    });
    let set = object("apps", "DaemonSet", value);
    assert_eq!(
        update(&set, &set, ""),
        ["spec.templateGeneration: Invalid value: -1: must be greater than or equal to 0"]
    );
}

#[test]
fn distinguishes_no_related_object_from_an_empty_one() {
    let event = |related: Value| {
        let value = json!({
            "metadata": {"name": "a", "namespace": "default", "resourceVersion": "1"},
            "eventTime": "2017-09-19T13:49:16.000000Z", "reportingController": "k8s.io/a",
            "reportingInstance": "b", "action": "Do", "reason": "Yes", "type": "Normal",
            "regarding": {"kind": "Node", "apiVersion": "v1"}, "related": related,
        });
        object("events.k8s.io", "Event", value)
    };
    let errors = update(&event(json!({})), &event(Value::Null), "");
    assert!(
        errors.iter().any(|error| error.starts_with("related: Invalid value: {\"Kind\":\"\"")),
        "{errors:?}"
    );
    assert_eq!(update(&event(json!({})), &event(json!({})), ""), [""; 0]);
}
