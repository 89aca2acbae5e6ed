use super::*;
use crate::plugin::testing::{Bench, create, pod, update, with_spec};

fn account(name: &str, fields: &Value) -> Value {
    let mut account = json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name}});
    for (field, value) in fields.as_object().unwrap() {
        account[field] = value.clone();
    }
    account["metadata"]["namespace"] = "shop".into();
    account
}

fn bench() -> Bench {
    let annotations = json!({ENFORCE_MOUNTABLE_SECRETS: "t"});
    Bench::new(
        "ServiceAccount",
        [
            account("default", &json!({})),
            account(
                "quiet",
                &json!({"automountServiceAccountToken": false, "imagePullSecrets": [{"name": "hub"}]}),
            ),
            account(
                "strict",
                &json!({
                    "metadata": {"name": "strict", "annotations": annotations},
                    "automountServiceAccountToken": false,
                    "secrets": [{"name": "listed"}],
                    "imagePullSecrets": [{"name": "hub"}],
                }),
            ),
        ],
    )
}

/// Returns a pod of an account that restricts its pods, without a token.
fn strict(fields: &Value) -> Value {
    let mut pod = pod(json!({"serviceAccountName": "strict", "serviceAccount": "strict"}));
    for (field, value) in fields.as_object().unwrap() {
        pod["spec"][field] = value.clone();
    }
    pod
}

fn mirror(spec: Value) -> Value {
    let mut pod = pod(spec);
    pod["metadata"]["annotations"] = json!({MIRROR_POD: ""});
    pod
}

fn refused(pod: Value) -> Refusal {
    bench().admit(&mut create(pod)).unwrap_err()
}

fn environment(secret: &str) -> Value {
    json!({"name": "a", "env": [{"name": "PLAIN", "value": "1"}, {"name": "KEY", "valueFrom": {"secretKeyRef": {"name": secret}}}]})
}

#[test]
fn admits_pods_with_the_default_account_and_its_token() {
    let request = create(pod(json!({
        "initContainers": [{"name": "a"}],
        "containers": [
            {"name": "b", "volumeMounts": [{"name": "own", "mountPath": TOKEN_MOUNT_PATH}]},
            {"name": "c", "volumeMounts": [{"name": "own", "mountPath": format!("{TOKEN_MOUNT_PATH}/")}]},
        ],
        "ephemeralContainers": [{"name": "d"}],
        "volumes": [{"name": "own", "emptyDir": {}}],
    })));
    let volume = request.generate_name("kube-api-access-");
    let mount = json!({"name": volume, "readOnly": true, "mountPath": TOKEN_MOUNT_PATH});
    let admitted = bench().admitted(request);
    let spec = &admitted["spec"];
    assert_eq!(spec["serviceAccountName"], "default");
    assert_eq!(spec["serviceAccount"], "default");
    assert_eq!(spec["initContainers"][0]["volumeMounts"], json!([mount]));
    assert_eq!(spec["containers"][0]["volumeMounts"].as_array().unwrap().len(), 1);
    assert_eq!(spec["containers"][1]["volumeMounts"][1], mount);
    assert_eq!(spec["ephemeralContainers"], json!([{"name": "d"}]));
    assert_eq!(
        spec["volumes"][1],
        json!({"name": volume, "projected": {"defaultMode": 420, "sources": [
            {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
            {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
            {"downwardAPI": {"items": [{"path": "namespace", "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"}}]}},
        ]}})
    );
}

#[test]
fn admits_pods_with_the_secret_of_the_account_before_1_21() {
    let secret = json!({
        "apiVersion": "v1", "kind": "Secret", "type": "kubernetes.io/service-account-token",
        "metadata": {
            "name": "default.token", "namespace": "shop",
            "annotations": {"kubernetes.io/service-account.name": "default"},
        },
    });
    let accounts = |secrets: Value| [account("default", &json!({"secrets": secrets})), secret.clone()];
    let bench = |secrets| Bench::of_release("ServiceAccount", Version::minor(20), accounts(secrets));
    let listed = json!([{"name": "other"}, {"name": "default.token"}]);
    let admitted = bench(listed.clone()).admitted(create(pod(json!({"containers": [{"name": "a"}]}))));
    assert_eq!(
        admitted["spec"]["volumes"],
        json!([{"name": "default-token", "secret": {"secretName": "default.token"}}])
    );
    let mount = json!([{"name": "default-token", "readOnly": true, "mountPath": TOKEN_MOUNT_PATH}]);
    assert_eq!(admitted["spec"]["containers"][0]["volumeMounts"], mount);
    // A volume of the pod's own has the secret, or the name.
    let own = json!({"name": "own", "secret": {"secretName": "default.token"}});
    let request = pod(json!({"containers": [{"name": "a"}], "volumes": [own]}));
    let admitted = bench(listed.clone()).admitted(create(request));
    assert_eq!(admitted["spec"]["volumes"], json!([own]));
    assert_eq!(admitted["spec"]["containers"][0]["volumeMounts"][0]["name"], "own");
    let taken =
        json!({"containers": [{"name": "a"}], "volumes": [{"name": "default-token", "emptyDir": {}}]});
    let request = create(pod(taken));
    let name = request.generate_name("default-token-");
    let admitted = bench(listed).admitted(request);
    assert_eq!(admitted["spec"]["volumes"][1]["name"], json!(name));
    let refusal =
        bench(json!([])).admit(&mut create(pod(json!({"containers": [{"name": "a"}]})))).unwrap_err();
    assert_eq!(
        refusal.status.message,
        "No API token found for service account \"default\", retry after the token is automatically created and \
         added to the service account"
    );
    assert_eq!((refusal.status.code, &*refusal.status.reason), (500, "ServerTimeout"));
}

#[test]
fn admits_pods_with_a_token_volume_of_their_own() {
    let admitted = bench().admitted(create(pod(json!({
        "containers": [{"name": "a"}],
        "volumes": [{"name": "kube-api-access-mine", "emptyDir": {}}],
    }))));
    assert_eq!(admitted["spec"]["containers"][0]["volumeMounts"][0]["name"], "kube-api-access-mine");
    assert_eq!(admitted["spec"]["volumes"], json!([{"name": "kube-api-access-mine", "emptyDir": {}}]));
}

#[test]
fn admits_pods_without_a_token_where_pod_or_account_declines() {
    let containers = json!([{"name": "a"}]);
    let quiet = json!({"serviceAccountName": "quiet", "serviceAccount": "quiet", "containers": &containers});
    let admitted = bench().admitted(create(pod(quiet.clone())));
    assert_eq!(admitted["spec"]["containers"], containers);
    assert_eq!(admitted["spec"]["imagePullSecrets"], json!([{"name": "hub"}]));
    let mut loud = quiet;
    loud["automountServiceAccountToken"] = true.into();
    loud["imagePullSecrets"] = json!([{"name": "own"}]);
    let admitted = bench().admitted(create(pod(loud)));
    assert_eq!(admitted["spec"]["volumes"].as_array().unwrap().len(), 1);
    assert_eq!(admitted["spec"]["imagePullSecrets"], json!([{"name": "own"}]));
}

#[test]
fn rejects_accounts_that_do_not_exist() {
    let refusal = refused(pod(json!({"serviceAccountName": "ghost"})));
    assert_eq!(
        refusal.status.message,
        "pods \"web\" is forbidden: error looking up service account shop/ghost: \
         serviceaccount \"ghost\" not found"
    );
    assert_eq!(refusal.fields, [Path::new("spec.serviceAccountName")]);
}

#[test]
fn rejects_secrets_that_the_account_does_not_list() {
    let env_from = json!([{"name": "b", "envFrom": [{"secretRef": {"name": "other"}}]}]);
    for (fields, message, field) in [
        (
            json!({"volumes": [{"name": "v", "secret": {"secretName": "other"}}], "initContainers": [environment("other")]}),
            "volume with secret.secretName=\"other\" is not allowed because service account strict does not \
             reference that secret",
            "spec.volumes[0].secret.secretName",
        ),
        (
            json!({"initContainers": [environment("other")], "containers": &env_from}),
            "init container a with envVar KEY referencing secret.secretName=\"other\" is not allowed because \
             service account strict does not reference that secret",
            "spec.initContainers[0].env[1].valueFrom.secretKeyRef.name",
        ),
        (
            json!({"containers": env_from, "imagePullSecrets": [{"name": "other"}]}),
            "container b with envFrom referencing secret.secretName=\"other\" is not allowed because service \
             account strict does not reference that secret",
            "spec.containers[0].envFrom[0].secretRef.name",
        ),
        (
            json!({"imagePullSecrets": [{"name": "hub"}, {"name": "listed"}]}),
            "imagePullSecrets[1].name=\"listed\" is not allowed because service account strict does not \
             reference that imagePullSecret",
            "spec.imagePullSecrets[1].name",
        ),
    ] {
        let refusal = refused(strict(&fields));
        assert_eq!(refusal.status.message, format!("pods \"web\" is forbidden: {message}"));
        assert_eq!(refusal.fields[0].to_string(), field);
        assert_eq!(refusal.evidence[0].name, "strict");
    }
}

#[test]
fn admits_secrets_that_the_account_lists() {
    let fields = json!({
        "containers": [environment("listed")],
        "volumes": [
            {"name": "v", "secret": {"secretName": "listed"}},
            {"name": "w", "projected": {"sources": [{"secret": {"name": "other"}}]}},
        ],
        "imagePullSecrets": [{"name": "hub"}],
    });
    assert!(bench().leaves_alone(create(strict(&fields))));
}

#[test]
fn rejects_ephemeral_containers_without_calling_it_forbidden() {
    let check = |pod: Value| {
        let mut request = update(pod.clone(), pod);
        request.sub_resource = "ephemeralcontainers".into();
        bench().validate(&request)
    };
    let refusal = check(strict(&json!({"ephemeralContainers": [environment("other")]}))).unwrap_err();
    assert_eq!(
        *refusal.status,
        Status::from_error(
            "ephemeral container a with envVar KEY referencing secret.secretName=\"other\" is not allowed \
             because service account strict does not reference that secret"
        )
    );
    assert_eq!(check(strict(&json!({"ephemeralContainers": [environment("listed")]}))), Ok(()));
    assert_eq!(
        check(pod(json!({}))).unwrap_err().status.message,
        "pods \"web\" is forbidden: no service account specified for pod shop/web"
    );
}

#[test]
fn rejects_mirror_pods_that_need_the_api() {
    let sources = json!([{"configMap": {"name": "a"}}, {"serviceAccountToken": {"path": "token"}}]);
    for (spec, message, field) in [
        (
            json!({"serviceAccountName": "default", "containers": [environment("a")]}),
            "a mirror pod may not reference service accounts",
            "spec.serviceAccountName",
        ),
        (
            json!({"containers": [environment("a")]}),
            "a mirror pod may not reference secrets",
            "spec.containers[0].env[1].valueFrom.secretKeyRef.name",
        ),
        (
            json!({"volumes": [{"name": "v", "csi": {"nodePublishSecretRef": {"name": "a"}}}]}),
            "a mirror pod may not reference secrets",
            "spec.volumes[0].csi.nodePublishSecretRef.name",
        ),
        (
            json!({"volumes": [{"name": "v", "projected": {"sources": sources}}]}),
            "a mirror pod may not use ServiceAccountToken volume projections",
            "spec.volumes[0].projected.sources[1].serviceAccountToken",
        ),
    ] {
        let refusal = refused(mirror(spec));
        assert_eq!(refusal.status.message, format!("pods \"web\" is forbidden: {message}"));
        assert_eq!(refusal.fields[0].to_string(), field);
    }
}

#[test]
fn ignores_other_mirror_pods_updates_and_templates() {
    let config =
        json!([{"name": "v", "configMap": {"name": "a"}}, {"name": "w", "secret": {"secretName": ""}}]);
    assert!(bench().leaves_alone(create(mirror(json!({"containers": [{"name": "a"}], "volumes": config})))));
    let ghost = || pod(json!({"serviceAccountName": "ghost"}));
    assert!(bench().leaves_alone(update(ghost(), ghost())));
    assert_eq!(bench().validate(&update(ghost(), ghost())), Ok(()));
    assert!(bench().leaves_alone(create(with_spec("apps/v1", "Deployment", json!({})))));
}
