use gotext::value::json;

use super::*;
use crate::admission::{Chain, Link, Trace, UserInfo};
use crate::plugin::testing::initializer;
use kube_api::{GroupVersionKind, GroupVersionResource};

/// Returns a request about `object`, by alice, in the namespace `shop`.
fn request(operation: Operation, resource: &str, object: Value) -> Attributes {
    let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
    let kind = GroupVersionKind::from_api_version(&text("/apiVersion"), &text("/kind"));
    let (group, version) = (kind.group.clone(), kind.version.clone());
    Attributes {
        operation,
        resource: GroupVersionResource::new(group, version, resource.to_owned()),
        sub_resource: "".into(),
        namespace: "shop".to_owned(),
        name: text("/metadata/name"),
        object: Some(Arc::new(Object::new(kind.clone(), object))),
        kind,
        old_object: None,
        options: None,
        dry_run: false,
        user_info: Arc::new(UserInfo { username: "alice".to_owned(), ..UserInfo::default() }),
        reinvocation: false,
        reinvocation_context: crate::admission::ReinvocationContext::default(),
        ordinal: 0,
        time: std::time::Duration::ZERO,
        deadline: None,
    }
}

fn namespace(labels: &[(&str, &str)]) -> Value {
    let labels: gotext::value::Map = labels
        .iter()
        .map(|(key, value)| (format!("pod-security.kubernetes.io/{key}"), json!(value)))
        .collect();
    json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop", "labels": labels}})
}

fn pod(name: &str, container: Value) -> Value {
    let mut container = container;
    container["name"] = json!("app");
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "namespace": "shop"},
        "spec": {"containers": [container]},
    })
}

fn privileged(name: &str) -> Value {
    pod(name, json!({"securityContext": {"privileged": true}}))
}

fn update(resource: &str, old: Value, new: Value) -> Attributes {
    let old = request(Operation::Update, resource, old).object;
    Attributes { old_object: old, ..request(Operation::Update, resource, new) }
}

/// Returns the plugin's messages about a request if `existing` exists: the refusal, then each warning, then each
/// audit annotation, one per line.
fn validate(existing: &[Value], configuration: Option<&Value>, request: &Attributes) -> (Vec<String>, Trace) {
    validate_enforcing(None, existing, configuration, request)
}

fn validate_enforcing(
    enforce: Option<Level>,
    existing: &[Value],
    configuration: Option<&Value>,
    request: &Attributes,
) -> (Vec<String>, Trace) {
    let cluster = Cluster::new();
    for value in existing {
        let (resource, kind) =
            if value["kind"] == "Namespace" { (NAMESPACES, "Namespace") } else { (PODS, "Pod") };
        let kind = GroupVersionKind::new("", "v1", kind);
        cluster.put(&resource, Arc::new(Object::new(kind, value.clone())));
    }
    let initializer = PluginInitializer { cluster: Arc::new(cluster), enforce, ..initializer([]) };
    let configuration =
        configuration.map(|configuration| PluginConfiguration::from(configuration.to_string()));
    let handler = new(&initializer, configuration.as_ref()).unwrap();
    let chain = Chain::new(vec![Link { name: "PodSecurity", operations: Operation::ALL, handler }]);
    let mut trace = Trace::default();
    let refusal = chain.validate(request, &mut trace).err().map(|refusal| refusal.status.message);
    let annotations = trace.audit_annotations.iter().map(|(key, value)| format!("{key}={value}"));
    let lines = refusal.into_iter().chain(trace.warnings.iter().cloned()).chain(annotations);
    (lines.map(|line| line.replace("pod-security.kubernetes.io/", "")).collect(), trace)
}

fn said(existing: &[Value], request: &Attributes) -> Vec<String> {
    validate(existing, None, request).0
}

fn create_pod(pod: Value) -> Attributes {
    request(Operation::Create, "pods", pod)
}

const VIOLATION: &str = "privileged (container \"app\" must not set securityContext.privileged=true)";

#[test]
fn a_level_can_be_tried_in_every_namespace() {
    let shop = namespace(&[("enforce", "privileged"), ("enforce-version", "v1.24")]);
    let (said, trace) =
        validate_enforcing(Some(Level::Baseline), &[shop], None, &create_pod(privileged("web")));
    assert_eq!(
        said,
        [
            format!("pods \"web\" is forbidden: violates PodSecurity \"baseline:latest\": {VIOLATION}"),
            "enforce-policy=baseline:latest".to_owned(),
        ]
    );
    // No label is the reason.
    assert!(trace.steps[0].refusal.as_ref().unwrap().evidence.is_empty());
    let shop = namespace(&[("enforce", "baseline")]);
    let (said, _) =
        validate_enforcing(Some(Level::Privileged), &[shop], None, &create_pod(privileged("web")));
    assert_eq!(said, ["enforce-policy=privileged:latest"]);
}

#[test]
fn rejects_pods_that_violate_what_is_enforced() {
    let shop = namespace(&[("enforce", "baseline"), ("audit", "baseline")]);
    let (said, trace) = validate(&[shop], None, &create_pod(privileged("web")));
    assert_eq!(
        said,
        [
            format!("pods \"web\" is forbidden: violates PodSecurity \"baseline:latest\": {VIOLATION}"),
            format!("audit-violations=would violate PodSecurity \"baseline:latest\": {VIOLATION}"),
            "enforce-policy=baseline:latest".to_owned(),
        ]
    );
    let refusal = trace.steps[0].refusal.as_ref().unwrap();
    assert_eq!(refusal.status.code, 403);
    assert_eq!(refusal.fields[0].to_string(), "spec.containers[0].securityContext.privileged");
    let evidence = &refusal.evidence[0];
    assert_eq!((evidence.name.as_str(), evidence.says.as_str()), ("shop", "enforces baseline"));
    assert_eq!(
        evidence.path.as_ref().unwrap().to_string(),
        "metadata.labels[pod-security.kubernetes.io/enforce]"
    );
}

#[test]
fn admits_pods_that_keep_it() {
    let shop = namespace(&[("enforce", "baseline"), ("enforce-version", "v1.99")]);
    assert_eq!(said(&[shop], &create_pod(pod("web", json!({})))), ["enforce-policy=baseline:v1.99"]);
    let open = said(&[namespace(&[("enforce-version", "v1.24")])], &create_pod(privileged("web")));
    assert_eq!(open, ["enforce-policy=privileged:latest"]);
}

#[test]
fn warns_about_workloads_and_never_rejects_them() {
    let template = privileged("");
    let deployment = json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": {"template": template},
    });
    let create = request(Operation::Create, "deployments", deployment);
    let (said, trace) = validate(&[namespace(&[("enforce", "baseline")])], None, &create);
    assert_eq!(said, [format!("would violate PodSecurity \"baseline:latest\": {VIOLATION}")]);
    assert_eq!(
        trace.steps[0].fields[0].to_string(),
        "spec.template.spec.containers[0].securityContext.privileged"
    );
    assert_eq!(trace.steps[0].evidence[0].says, "enforces baseline");

    let (said, _) = validate(&[], None, &create);
    assert_eq!(said, ["error=failed to lookup namespace \"shop\": namespaces \"shop\" not found"]);
}

#[test]
fn rejects_pods_of_namespaces_that_do_not_exist() {
    assert_eq!(
        said(&[], &create_pod(pod("web", json!({})))),
        [
            "Internal error occurred: failed to lookup namespace \"shop\"",
            "error=Internal error occurred: failed to lookup namespace \"shop\": namespaces \"shop\" not found",
        ]
    );
}

#[test]
fn takes_a_wrong_level_for_restricted_and_says_so() {
    let says = said(&[namespace(&[("enforce", "high")])], &create_pod(pod("web", json!({}))));
    assert!(says[0].starts_with("pods \"web\" is forbidden: violates PodSecurity \"restricted:latest\": "));
    assert_eq!(
        says[1..],
        [
            "enforce-policy=restricted:latest",
            "error=Failed to parse policy: metadata.labels[enforce]: Invalid value: \"high\": must be one of privileged, baseline, restricted",
        ]
    );
}

#[test]
fn ignores_updates_that_change_no_image() {
    let shop = [namespace(&[("enforce", "baseline")])];
    let old = pod("web", json!({"image": "a:1", "securityContext": {"privileged": true}}));
    let mut labelled = old.clone();
    labelled["metadata"]["labels"] = json!({"app": "web"});
    assert_eq!(said(&shop, &update("pods", old.clone(), labelled)), [""; 0]);

    let mut renewed = old.clone();
    renewed["spec"]["containers"][0]["image"] = json!("a:2");
    assert_eq!(said(&shop, &update("pods", old.clone(), renewed)).len(), 2);

    let mut debugged = old.clone();
    debugged["spec"]["ephemeralContainers"] = json!([{"name": "debug", "image": "b"}]);
    let mut joined = update("pods", old.clone(), debugged.clone());
    joined.sub_resource = "ephemeralcontainers".into();
    assert_eq!(said(&shop, &joined).len(), 2);
    assert_eq!(said(&shop, &update("pods", debugged, old)), [""; 0]);
}

#[test]
fn ignores_sub_resources_without_a_pod() {
    let mut binding = create_pod(privileged("web"));
    binding.sub_resource = "binding".into();
    assert_eq!(said(&[namespace(&[("enforce", "baseline")])], &binding), [""; 0]);
}

#[test]
fn rejects_namespaces_with_labels_that_are_newly_wrong() {
    let wrong = namespace(&[("enforce", "high"), ("warn-version", "1.24")]);
    let create = request(Operation::Create, "namespaces", wrong.clone());
    let refusal = "Namespace \"shop\" is invalid: \
         [metadata.labels[enforce]: Invalid value: \"high\": must be one of privileged, baseline, restricted, \
         metadata.labels[warn-version]: Invalid value: \"1.24\": must be \"latest\" or \"v1.x\"]";
    let (said_of_it, trace) = validate(&[], None, &create);
    assert_eq!(said_of_it, [refusal]);
    assert_eq!(trace.steps[0].refusal.as_ref().unwrap().fields.len(), 2);

    assert_eq!(said(&[], &update("namespaces", namespace(&[]), wrong.clone())), [refusal]);
    assert_eq!(said(&[], &update("namespaces", wrong.clone(), wrong)), [""; 0]);
}

#[test]
fn warns_about_pods_that_violate_what_is_newly_enforced() {
    let pods = [privileged("b"), privileged("a"), privileged("c"), pod("good", json!({}))];
    let to = |labels: &[(&str, &str)]| {
        update("namespaces", namespace(&[("enforce", "privileged")]), namespace(labels))
    };
    let (warnings, trace) = validate(&pods, None, &to(&[("enforce", "baseline")]));
    assert_eq!(
        warnings,
        [
            "existing pods in namespace \"shop\" violate the new PodSecurity enforce level \"baseline:latest\"",
            "a (and 2 other pods): privileged",
        ]
    );
    assert_eq!(trace.steps[0].evidence[0].name, "a");
    assert_eq!(said(&pods[3..], &to(&[("enforce", "baseline")])), [""; 0]);
    assert_eq!(said(&pods, &to(&[("enforce", "privileged"), ("enforce-version", "v1.24")])), [""; 0]);

    let relaxed =
        update("namespaces", namespace(&[("enforce", "restricted")]), namespace(&[("enforce", "baseline")]));
    assert_eq!(said(&pods, &relaxed), [""; 0]);
}

#[test]
fn looks_at_one_pod_of_each_controller_first_and_at_no_more_than_3000() {
    let of_controller = |index: usize| {
        let mut pod = pod(&format!("a-{index:04}"), json!({}));
        pod["metadata"]["ownerReferences"] = json!([{"controller": true, "uid": "1"}]);
        pod
    };
    let mut pods: Vec<Value> = (0..3000).map(of_controller).collect();
    pods.push(privileged("z"));
    let tightened = update("namespaces", namespace(&[]), namespace(&[("enforce", "baseline")]));
    assert_eq!(
        said(&pods, &tightened),
        [
            "new PodSecurity enforce level only checked against the first 3000 of 3001 existing pods",
            "existing pods in namespace \"shop\" violate the new PodSecurity enforce level \"baseline:latest\"",
            "z: privileged",
        ]
    );
}

#[test]
fn goes_by_defaults_and_exemptions() {
    let configuration = json!({
        "apiVersion": "pod-security.admission.config.k8s.io/v1",
        "kind": "PodSecurityConfiguration",
        "defaults": {"enforce": "baseline"},
        "exemptions": {"usernames": ["operator"], "namespaces": ["infra"], "runtimeClasses": ["kata"]},
    });
    let said = |request: &Attributes| validate(&[namespace(&[])], Some(&configuration), request);

    let mut create = create_pod(privileged("web"));
    let (rejected, trace) = said(&create);
    assert_eq!(rejected.len(), 2);
    assert_eq!(trace.steps[0].refusal.as_ref().unwrap().evidence, []);

    create.user_info = Arc::new(UserInfo { username: "operator".to_owned(), ..UserInfo::default() });
    assert_eq!(said(&create).0, ["exempt=user"]);
    create.namespace = "infra".to_owned();
    assert_eq!(said(&create).0, ["exempt=namespace"]);

    let mut sandboxed = privileged("web");
    sandboxed["spec"]["runtimeClassName"] = json!("kata");
    assert_eq!(said(&create_pod(sandboxed)).0, ["exempt=runtimeClass"]);

    let mut infra = namespace(&[("enforce", "restricted"), ("audit-version", "v1.24")]);
    infra["metadata"]["name"] = json!("infra");
    let mut create = request(Operation::Create, "namespaces", infra);
    create.namespace = "infra".to_owned();
    assert_eq!(
        said(&create).0,
        [
            "namespace \"infra\" is exempt from Pod Security, and the policy (enforce=restricted:latest) will be ignored"
        ]
    );
}
