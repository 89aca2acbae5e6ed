use crate::registry::tests::*;

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
    let features = FeatureGates::default();
    let errors = strategy(new).validate_update(new, old, sub_resource, &Context::new(&features));
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
    let errors = update(&debugged("shell:2"), &debugged("shell:1"), "ephemeralcontainers");
    assert_eq!(
        errors,
        ["spec.ephemeralContainers: Forbidden: existing ephemeral containers \"debug\" may not be changed\n\
          @@ -1,6 +1,6 @@\n {\n  \"Name\": \"debug\",\n- \"Image\": \"shell:1\",\n+ \"Image\": \"shell:2\",\n  \
          \"Command\": null,\n  \"Args\": null,\n  \"WorkingDir\": \"\",\n"]
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
        let features = FeatureGates::default();
        let errors = strategy(&pod).validate_create(&pod, &Context::new(&features));
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
    let parse = crate::registry::batch::cron_job::schedule::parse_standard_schedule;
    assert_eq!(parse("every night"), Err("expected exactly 5 fields, found 2: [every night]".to_owned()));
    assert_eq!(parse("61 * * * *"), Err("end of range (61) above maximum (59): 61".to_owned()));
    assert_eq!(parse("*/5 0-6 1,15 jan mon"), Ok(()));
    assert_eq!(parse("@every 1h30m"), Ok(()));
}
