use std::sync::Arc;

use crate::admission::{Operation, UserInfo};
use crate::api_server::{ApiServer, Evaluation, OfflineCluster, ServerProfile};
use crate::code::Code;
use crate::configuration::Fault;
use crate::evaluation::{Order, RequestDefaults};
use gotext::source::SourceFile;
use gotext::value::json;
use kube_api::features::FeatureGateError;
use kube_api::version::Version;

const NAMESPACE: &str = "
apiVersion: v1
kind: Namespace
metadata: {name: shop}
";

/// One Pod fits; the second one of a Deployment does not.
const QUOTA: &str = "
apiVersion: v1
kind: ResourceQuota
metadata: {name: pods, namespace: shop}
spec: {hard: {pods: 1}}
";

const DEPLOYMENT: &str = "
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: nginx}]}
";

fn cluster(flags: &[&str], manifests: &[&str]) -> OfflineCluster {
    let files: Vec<_> = manifests.iter().map(|text| SourceFile::new("cluster.yaml", *text)).collect();
    ApiServer::from_flags(flags).unwrap().cluster(&files).unwrap()
}

#[test]
fn outcomes_that_controllers_postpone_are_not_lost() {
    let mut cluster = cluster(&[], &[NAMESPACE, QUOTA]);
    let evaluation = cluster.evaluate(&[SourceFile::new("web.yaml", DEPLOYMENT)]);
    assert!(!evaluation.is_admitted());
    let denied: Vec<_> = evaluation.denied().map(|outcome| outcome.kind.kind.to_string()).collect();
    assert_eq!(denied, ["Pod"]);
    let late = evaluation.outcomes.last().unwrap();
    let cause = late.cause.as_ref().unwrap();
    assert_eq!((cause.owner_name.as_str(), cause.replicas, cause.admitted), ("web", 2, 1));
}

#[test]
fn what_is_admitted_exists_for_later_evaluations() {
    let mut cluster = cluster(&[], &[]);
    let quota = [SourceFile::new("quota.yaml", format!("{NAMESPACE}---{QUOTA}"))];
    assert!(cluster.evaluate(&quota).is_admitted());
    assert!(!cluster.evaluate(&[SourceFile::new("web.yaml", DEPLOYMENT)]).is_admitted());
}

#[test]
fn documents_come_in_the_order_that_is_requested() {
    let text = format!("{DEPLOYMENT}---{QUOTA}---{NAMESPACE}");
    let files = [SourceFile::new("all.yaml", text)];
    let first = |order| {
        let evaluation = cluster(&[], &[]).in_order(order).evaluate(&files);
        (evaluation.outcomes[0].kind.kind.to_string(), evaluation.outcomes[0].allowed())
    };
    assert_eq!(first(Order::NeedsFirst), ("Namespace".to_owned(), true));
    assert_eq!(first(Order::File), ("Deployment".to_owned(), false));
}

#[test]
fn all_errors_are_returned_with_their_places() {
    let server = ApiServer::from_flags(["--kubernetes-version=1.30"]).unwrap();
    let files = [
        SourceFile::new("a.yaml", "kind: Pod\n"),
        SourceFile::new("b.yaml", "apiVersion: v1\nkind: Pods\nmetadata: {name: a}\n"),
    ];
    let errors = server.cluster(&files).err().unwrap();
    assert_eq!(
        errors.to_string(),
        "a.yaml:1: a cluster object needs `apiVersion` and `kind` (leave out files that are not manifests)\n\
         b.yaml:1: no matches for kind \"Pods\" in version \"v1\" (did you mean Pod in v1?)"
    );
    let errors = ApiServer::from_flags(["--enable-admission-plugins=PodSecurty"]).unwrap_err();
    assert!(errors.to_string().ends_with("(did you mean \"PodSecurity\"?)"), "{errors}");
    let errors = ApiServer::from_flags(["--secure-port=6443"]).unwrap_err();
    assert_eq!(errors.to_string(), "--secure-port is not a flag about admission");
    let errors = ApiServer::from_flags(["--kubernetes-version", "1.30"]).unwrap_err();
    assert!(errors.to_string().ends_with("(write it as --kubernetes-version=VALUE)"), "{errors}");
    let errors = ApiServer::from_flags(["enable-admission-plugins=PodSecurity"]).unwrap_err();
    assert!(
        errors.to_string().ends_with("(a flag and its value are one argument: --name=value)"),
        "{errors}"
    );
}

#[test]
fn policies_in_versions_that_are_not_served_are_errors() {
    let policy = "
apiVersion: admissionregistration.k8s.io/v1alpha1
kind: MutatingAdmissionPolicy
metadata: {name: label}
spec: {reinvocationPolicy: Never}
";
    let server = ApiServer::from_flags(["--kubernetes-version=1.32"]).unwrap();
    let errors = server.cluster(&[SourceFile::new("policy.yaml", policy)]).err().unwrap();
    let expected = "no matches for kind \"MutatingAdmissionPolicy\" in version \"admissionregistration.k8s.io/v1alpha1\"";
    assert!(errors.to_string().contains(expected), "{errors}");
}

/// Keeps a password, in plain text.
const SECRET: &str = "
apiVersion: v1
kind: Secret
metadata: {name: a}
stringData: {password: hunter2}
";

#[test]
fn no_value_of_a_secret_is_written_unless_requested() {
    let files = [SourceFile::new("secret.yaml", SECRET)];
    let written = |evaluation: &Evaluation| {
        let mut out = Vec::new();
        evaluation.write_json(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    };
    let has_value = |text: &str| text.contains("hunter2") || text.contains("aHVudGVyMg==");
    let evaluation = cluster(&[], &[]).evaluate(&files);
    assert!(!has_value(&written(&evaluation)) && !has_value(&format!("{evaluation:?}")));
    assert!(!has_value(&format!("{:?}", evaluation.outcomes)));
    assert!(has_value(&written(&evaluation.showing_secrets(true))));
}

#[test]
fn an_explicit_operation_is_authorized() {
    let mut cluster = cluster(&["--authorization-mode=RBAC"], &[]);
    let user = UserInfo { username: "alice".to_owned(), ..UserInfo::default() };
    let settings = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";
    let mut codes = Vec::new();
    for operation in [None, Some(Operation::Create), Some(Operation::Update), Some(Operation::Delete)] {
        let defaults = RequestDefaults {
            operation,
            user_info: Arc::new(user.clone()),
            ..RequestDefaults::of_release(Version::BINARY)
        };
        let evaluation = cluster.evaluate_with(&[SourceFile::new("a.yaml", settings)], &defaults);
        let denied: Vec<_> = evaluation.denied().filter_map(|outcome| outcome.refusal.clone()).collect();
        codes.extend(denied.iter().map(|refusal| refusal.status.code));
    }
    assert_eq!(codes, [403; 4]);
}

/// Has fields that are not described.
const BACKUPS: &str = "
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: backups.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: backups, kind: Backup}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
";

#[test]
fn deep_documents_need_no_deep_stack() {
    let backup = |depth: usize| {
        let (open, close) = ("[".repeat(depth), "]".repeat(depth));
        let metadata = r#"{"name": "a"}"#;
        let text = format!(
            r#"{{"apiVersion": "example.com/v1", "kind": "Backup", "metadata": {metadata}, "any": {open}1{close}}}"#
        );
        cluster(&[], &[BACKUPS]).evaluate(&[SourceFile::new("deep.json", text)])
    };
    assert!(backup(400).is_admitted());
    let evaluation = backup(9_000);
    let errors: Vec<_> = evaluation.errors().map(|error| (error.code, &*error.message)).collect();
    assert_eq!(errors, [(Code::ManifestDepth, "exceeded max depth of 500")]);
}

#[test]
fn typed_objects_come_and_go() {
    let mut cluster = cluster(&[], &[NAMESPACE, QUOTA]);
    let settings = |value: &str| {
        json!({
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings", "namespace": "shop"},
            "data": {"a": value},
        })
    };
    let created = cluster.create(&settings("1")).unwrap();
    assert!(created.is_admitted());
    let stored: serde_json::Value = created.outcomes[0].object_as().unwrap();
    assert_eq!(stored["data"]["a"], "1");
    let again = cluster.create(&settings("1")).unwrap();
    assert_eq!(again.denied().next().unwrap().status().unwrap().code, 409);
    let error = again.outcomes[0].object_as::<serde_json::Value>().unwrap_err();
    assert_eq!(error.to_string(), "the request was denied: configmaps \"settings\" already exists");
    assert_eq!(cluster.update(&settings("2")).unwrap().outcomes[0].operation, Operation::Update);
    assert_eq!(cluster.apply(&settings("3")).unwrap().outcomes[0].operation, Operation::Update);
    assert!(cluster.delete(&settings("3")).unwrap().is_admitted());
    assert!(cluster.create(&settings("1")).unwrap().is_admitted());
    let error = cluster.apply(&std::collections::BTreeMap::from([((1, 2), 3)])).err().unwrap();
    assert_eq!(error.diagnostics[0].code, Code::LibraryObject);
    assert_eq!(error.diagnostics[0].message, "key must be a string");
}

#[test]
fn a_user_sends_requests() {
    let mut cluster = cluster(&["--authorization-mode=RBAC"], &[]);
    let settings = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}});
    let mut alice = cluster.as_user(UserInfo::new("alice", ["dev"])).in_namespace("shop");
    let denied = alice.create(&settings).unwrap();
    let outcome = denied.denied().next().unwrap();
    assert_eq!(outcome.status().unwrap().code, 403);
    assert_eq!((outcome.namespace.as_str(), outcome.user_info.username.as_str()), ("shop", "alice"));
    assert_eq!(outcome.user_info.groups, ["dev", "system:authenticated"]);
    let mut admin = cluster.as_user(cluster_admin()).dry_run();
    assert!(admin.create(&settings).unwrap().is_admitted());
    assert!(admin.create(&settings).unwrap().is_admitted(), "a dry run leaves nothing");
}

fn cluster_admin() -> UserInfo {
    UserInfo::new("root", ["system:masters"])
}

/// Later changes of a cluster and of its copy are apart, and what was known before the copy is known in both.
#[test]
fn a_copy_is_a_checkpoint() {
    let mut cluster = cluster(&[], &[NAMESPACE, QUOTA]);
    let pod = |name: &str| {
        json!({
            "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "shop"},
            "spec": {"containers": [{"name": "web", "image": "nginx"}]},
        })
    };
    let mut before = cluster.try_clone().unwrap();
    assert!(cluster.apply(&pod("a")).unwrap().is_admitted());
    let mut after = cluster.try_clone().unwrap();
    for (cluster, fits) in [(&mut before, true), (&mut cluster, false), (&mut after, false)] {
        let evaluation = cluster.apply(&pod("b")).unwrap();
        assert_eq!(evaluation.is_admitted(), fits);
    }
    // An unchanged manifest is an update that sends nothing, in the copy as well.
    assert_eq!(after.apply(&pod("a")).unwrap().outcomes[0].operation, Operation::Update);
}

#[test]
fn pods_have_their_number_and_changes_a_patch() {
    let mut cluster = cluster(&["--enable-admission-plugins=AlwaysPullImages"], &[NAMESPACE]);
    // Images without a tag are always pulled by default.
    let tagged = DEPLOYMENT.replace("image: nginx", "image: 'nginx:1'");
    let evaluation = cluster.evaluate(&[SourceFile::new("web.yaml", tagged)]);
    let pods: Vec<_> = evaluation.outcomes[0].pods().collect();
    assert_eq!(pods.len(), 1);
    let (pod, count) = pods[0];
    assert_eq!((&*pod.kind.kind, count), ("Pod", 2));
    let pulls = pod.trace.steps.iter().find(|step| step.plugin == "AlwaysPullImages").unwrap();
    let patch = serde_json::to_value(pulls.patch()).unwrap();
    let expected =
        json!([{"op": "replace", "path": "/spec/containers/0/imagePullPolicy", "value": "Always"}]);
    assert_eq!(patch.to_string(), serde_json::to_value(expected).unwrap().to_string());
}

#[test]
fn a_profile_says_what_flags_say() {
    let profile = ServerProfile::kubernetes("1.34")
        .enable("AlwaysPullImages")
        .disable("LimitRanger")
        .feature_gate("MutatingAdmissionPolicy", true);
    let flags = [
        "--kubernetes-version=1.34",
        "--enable-admission-plugins=AlwaysPullImages",
        "--disable-admission-plugins=LimitRanger",
        "--feature-gates=MutatingAdmissionPolicy=true",
    ];
    let (one, other) = (profile.start().unwrap(), ApiServer::from_flags(flags).unwrap());
    assert_eq!(one.flags, other.flags);
}

#[test]
fn a_fault_is_a_value() {
    let fault = |profile: ServerProfile| profile.start().unwrap_err().fault().cloned();
    let release = |text: &str| Some(Fault::UnknownRelease(text.to_owned()));
    assert_eq!(fault(ServerProfile::kubernetes("1.99")), release("1.99"));
    assert_eq!(fault(ServerProfile::kubernetes("new")), release("new"));
    let gate = FeatureGateError::Unknown("Nothing".to_owned());
    let unknown_gate = ServerProfile::kubernetes("1.36").feature_gate("Nothing", true);
    assert_eq!(fault(unknown_gate), Some(Fault::FeatureGates(vec![gate])));
    let errors = ApiServer::from_flags(["--distribution=okd"]).unwrap_err();
    assert_eq!(errors.fault(), Some(&Fault::UnknownDistribution("okd".to_owned())));
    let errors = ApiServer::from_flags(["--authorization-mode=Nothing"]).unwrap_err();
    assert_eq!(errors.fault(), None);
}

#[cfg(feature = "openshift")]
#[test]
fn a_release_of_openshift_has_one_of_kubernetes() {
    let server = ServerProfile::openshift("4.19").start().unwrap();
    assert_eq!(server.release(), Version::minor(32));
    let errors = ServerProfile::openshift("3.11").start().unwrap_err();
    assert_eq!(errors.fault(), Some(&Fault::UnknownRelease("3.11".to_owned())));
}

#[cfg(not(feature = "openshift"))]
#[test]
fn a_build_without_openshift_names_the_feature() {
    for errors in [
        ServerProfile::openshift("4.19").start().unwrap_err(),
        ApiServer::from_flags(["--distribution=origin=3.11"]).unwrap_err(),
    ] {
        assert_eq!(errors.fault(), Some(&Fault::MissingFeature("openshift")), "{errors}");
    }
}
