use gotext::value::json;

use super::*;
use crate::admission::{Chain, Link, Trace};
use crate::plugin::testing::initializer;
use kube_api::{GroupVersionKind, GroupVersionResource};

/// Returns a chain of the plugin alone, over a cluster whose namespace `shop` has a `LimitRange` with `limits`.
fn chain(limits: &Value) -> Chain {
    let cluster = Arc::new(Cluster::new());
    let value = json!({"metadata": {"name": "bounds", "namespace": "shop"}, "spec": {"limits": limits}});
    let kind = GroupVersionKind::new("", "v1", "LimitRange");
    cluster.put(&LIMIT_RANGES, Arc::new(Object::new(kind, value)));
    let initializer = PluginInitializer { cluster, ..initializer([]) };
    let handler = new(&initializer);
    Chain::new(vec![Link { name: "LimitRanger", operations: Operation::ALL, handler }])
}

fn request(operation: Operation, kind: &'static str, resource: &'static str, spec: &Value) -> Attributes {
    let value = json!({"metadata": {"name": "web", "namespace": "shop"}, "spec": spec});
    let object = Arc::new(Object::new(GroupVersionKind::new("", "v1", kind), value));
    Attributes {
        operation,
        kind: object.kind.clone(),
        resource: GroupVersionResource::new("", "v1", resource),
        sub_resource: "".into(),
        namespace: "shop".to_owned(),
        name: "web".to_owned(),
        old_object: (operation == Operation::Update).then(|| object.clone()),
        object: Some(object),
        options: None,
        dry_run: true,
        user_info: Arc::default(),
        reinvocation: false,
        reinvocation_context: crate::admission::ReinvocationContext::default(),
        ordinal: 0,
        time: std::time::Duration::ZERO,
        deadline: None,
    }
}

fn pod(spec: &Value) -> Attributes {
    request(Operation::Create, "Pod", "pods", spec)
}

fn claim(operation: Operation, storage: &str) -> Attributes {
    let spec = json!({"resources": {"requests": {"storage": storage}}});
    request(operation, "PersistentVolumeClaim", "persistentvolumeclaims", &spec)
}

fn validate(chain: &Chain, attributes: &Attributes) -> Result<(), Refusal> {
    chain.validate(attributes, &mut Trace::default())
}

fn message(chain: &Chain, attributes: &Attributes) -> String {
    validate(chain, attributes).expect_err("the request is refused").status.message
}

fn fields(refusal: &Refusal) -> Vec<String> {
    refusal.fields.iter().map(Path::to_string).collect()
}

#[test]
fn admits_with_defaults_and_says_which() {
    let chain = chain(&json!([{
        "type": "Container",
        "max": {"cpu": "0.5"},
        "min": {"memory": "64Mi"},
        "default": {"memory": "1Gi"},
        "defaultRequest": {"ephemeral-storage": "1Gi"},
    }]));
    let mut attributes = pod(&json!({
        "containers": [{"name": "web", "resources": {"requests": {"cpu": "2"}}}, {"name": "log"}],
        "initContainers": [{"name": "setup", "resources": {"limits": {"cpu": "1", "memory": "1Gi"}}}],
        "ephemeralContainers": [{"name": "debug"}],
    }));
    chain.admit(&mut attributes, &mut Trace::default(), &|_| Ok(())).unwrap();
    let admitted = attributes.object.clone().unwrap();
    let limits = json!({"cpu": "500m", "memory": "1Gi"});
    let requests = json!({"cpu": "500m", "ephemeral-storage": "1Gi", "memory": "1Gi"});
    assert_eq!(
        admitted.at("spec").unwrap(),
        &json!({
            "containers": [
                {"name": "web", "resources": {
                    "limits": limits,
                    "requests": {"cpu": "2", "ephemeral-storage": "1Gi", "memory": "1Gi"},
                }},
                {"name": "log", "resources": {"limits": limits, "requests": requests}},
            ],
            "initContainers": [
                {"name": "setup", "resources": {"limits": {"cpu": "1", "memory": "1Gi"}, "requests": requests}},
            ],
            "ephemeralContainers": [{"name": "debug"}],
        })
    );
    assert_eq!(
        admitted.annotation(ANNOTATION).unwrap(),
        "LimitRanger plugin set: ephemeral-storage, memory request for container web; \
         cpu, memory limit for container web; \
         cpu, ephemeral-storage, memory request for container log; \
         cpu, memory limit for container log; \
         cpu, ephemeral-storage, memory request for init container setup"
    );

    chain.admit(&mut attributes, &mut Trace::default(), &|_| Ok(())).unwrap();
    assert!(Arc::ptr_eq(&admitted, attributes.object.as_ref().unwrap()));
}

#[test]
fn rejects_a_container_below_the_minimum() {
    let chain = chain(&json!([{"type": "Pod"}, {"type": "Container", "min": {"cpu": "100m"}}]));
    let attributes =
        pod(&json!({"containers": [{"name": "web", "resources": {"requests": {"cpu": "50m"}}}]}));
    let refusal = validate(&chain, &attributes).unwrap_err();
    assert_eq!(
        refusal.status.message,
        "pods \"web\" is forbidden: minimum cpu usage per Container is 100m, but request is 50m"
    );
    assert_eq!(refusal.status.code, 403);
    assert_eq!(fields(&refusal), ["spec.containers[0].resources.requests[cpu]"]);
    let evidence = Evidence::named(LIMIT_RANGES, "shop", "bounds", "demands at least 100m cpu per Container")
        .at(Path::new("spec.limits").index(1).child("min").key("cpu"));
    assert_eq!(refusal.evidence, [evidence]);
}

#[test]
fn rejects_with_every_error_once() {
    let chain = chain(&json!([
        {"type": "Pod", "max": {"cpu": "1"}},
        {"type": "Container", "max": {"cpu": "800m"}, "maxLimitRequestRatio": {"cpu": "3"}},
    ]));
    let resources = json!({"requests": {"cpu": "200m"}, "limits": {"cpu": "900m"}});
    let attributes = pod(&json!({"containers": [
        {"name": "web", "resources": resources},
        {"name": "log", "resources": resources},
    ]}));
    let refusal = validate(&chain, &attributes).unwrap_err();
    assert_eq!(
        refusal.status.message,
        "pods \"web\" is forbidden: [maximum cpu usage per Pod is 1, but limit is 1800m, \
         maximum cpu usage per Container is 800m, but limit is 900m, \
         cpu max limit to request ratio per Container is 3, but provided ratio is 4.500000]"
    );
    assert_eq!(
        fields(&refusal),
        [
            "spec.containers[0].resources.limits[cpu]",
            "spec.containers[1].resources.limits[cpu]",
            "spec.containers[0].resources.requests[cpu]",
            "spec.containers[1].resources.requests[cpu]",
        ]
    );
    assert_eq!(refusal.evidence.len(), 3);
}

#[test]
fn rejects_a_pod_that_states_nothing() {
    let chain = chain(
        &json!([{"type": "Pod", "min": {"cpu": "1"}, "max": {"memory": "1Gi"}, "maxLimitRequestRatio": {"cpu": "2"}}]),
    );
    let refusal = validate(&chain, &pod(&json!({"containers": [{"name": "web"}]}))).unwrap_err();
    assert_eq!(
        refusal.status.message,
        "pods \"web\" is forbidden: [minimum cpu usage per Pod is 1.  No request is specified, \
         maximum memory usage per Pod is 1Gi.  No limit is specified, \
         cpu max limit to request ratio per Pod is 2, but no request is specified or request is 0]"
    );
    assert_eq!(
        fields(&refusal),
        ["spec.containers[0].resources.requests[cpu]", "spec.containers[0].resources.limits[memory]",]
    );
}

#[test]
fn rejects_claims_by_what_they_request() {
    let chain = chain(&json!([
        {"type": "PersistentVolumeClaim", "min": {"storage": "1Gi"}, "max": {"storage": "10Gi"}},
    ]));
    assert_eq!(validate(&chain, &claim(Operation::Create, "10Gi")), Ok(()));
    assert_eq!(
        message(&chain, &claim(Operation::Create, "20Gi")),
        "persistentvolumeclaims \"web\" is forbidden: \
         maximum storage usage per PersistentVolumeClaim is 10Gi, but request is 20Gi"
    );
    assert_eq!(
        message(&chain, &claim(Operation::Update, "512Mi")),
        "persistentvolumeclaims \"web\" is forbidden: \
         minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 512Mi"
    );
}

#[test]
fn rejects_values_whose_thousandths_overflow() {
    let chain = chain(&json!([{"type": "Container", "max": {"memory": "10Pi"}}]));
    let attributes =
        pod(&json!({"containers": [{"name": "web", "resources": {"limits": {"memory": "12Pi"}}}]}));
    assert_eq!(
        message(&chain, &attributes),
        "pods \"web\" is forbidden: maximum memory usage per Container is 10Pi, but limit is 12Pi"
    );
}

#[test]
fn ignores_what_limit_ranges_do_not_speak_about() {
    let limits = json!([
        {"type": "Container", "max": {"cpu": "1"}},
        {"type": "PersistentVolumeClaim", "max": {"storage": "1Gi"}},
        {"type": "openshift.io/Image", "max": {"storage": "1"}},
    ]);
    let chain = chain(&limits);
    let spec = json!({"containers": [{"name": "web", "resources": {"limits": {"cpu": "2"}}}]});
    let mut update = request(Operation::Update, "Pod", "pods", &spec);
    assert_eq!(validate(&chain, &update), Ok(()));
    update.sub_resource = "status".into();
    assert_eq!(validate(&chain, &update), Ok(()));
    update.sub_resource = "resize".into();
    assert_eq!(
        message(&chain, &update),
        "pods \"web\" is forbidden: maximum cpu usage per Container is 1, but limit is 2"
    );

    let mut elsewhere = pod(&spec);
    elsewhere.namespace = "other".to_owned();
    assert_eq!(validate(&chain, &elsewhere), Ok(()));

    let mut deleted = claim(Operation::Update, "5Gi");
    let old_object = Arc::make_mut(deleted.old_object.as_mut().unwrap());
    old_object.set(["metadata", "deletionTimestamp"], "2026-01-01T00:00:00Z");
    assert_eq!(validate(&chain, &deleted), Ok(()));
}
