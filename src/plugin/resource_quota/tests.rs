use gotext::value::{Value, json};

use super::*;
use crate::admission::{Chain, Link, Trace};
use crate::plugin::testing::initializer;
use kube_api::{GroupResource, GroupVersionKind};

/// The plugin alone, and the cluster that it reads and writes.
struct Fixture {
    cluster: Arc<Cluster>,
    chain: Chain,
}

impl Fixture {
    fn new(quotas: &[Value]) -> Self {
        Self::with(quotas, None)
    }

    fn with(quotas: &[Value], limited_resources: Option<&Value>) -> Self {
        let cluster = Arc::new(Cluster::new());
        let kind = GroupVersionKind::new("", "v1", "ResourceQuota");
        for quota in quotas {
            cluster.put(&RESOURCE_QUOTAS, Arc::new(Object::new(kind.clone(), quota.clone())));
        }
        let initializer = PluginInitializer { cluster: cluster.clone(), ..initializer([]) };
        let configuration = limited_resources.map(|limited_resources| {
            PluginConfiguration::from(
                json!({
                    "apiVersion": "apiserver.config.k8s.io/v1",
                    "kind": "ResourceQuotaConfiguration",
                    "limitedResources": limited_resources,
                })
                .to_string(),
            )
        });
        let handler = new(&initializer, configuration.as_ref()).unwrap();
        let link = Link { name: "ResourceQuota", operations: Operation::ALL, handler };
        Self { cluster, chain: Chain::new(vec![link]) }
    }

    fn validate(&self, attributes: &Attributes) -> Result<(), Refusal> {
        self.chain.validate(attributes, &mut Trace::default())
    }

    fn message(&self, attributes: &Attributes) -> String {
        self.validate(attributes).expect_err("the request is refused").status.message
    }

    fn quota(&self, name: &str) -> Arc<Object> {
        self.cluster.get(&RESOURCE_QUOTAS, "shop", name).unwrap()
    }

    fn used(&self, name: &str) -> Value {
        self.quota(name).at(["status", "used"]).unwrap().clone()
    }
}

fn quota(name: &str, hard: &Value, used: &Value) -> Value {
    scoped(name, hard, used, &json!({}))
}

/// Returns a quota with `hard` and the fields of `spec`.
fn scoped(name: &str, hard: &Value, used: &Value, spec: &Value) -> Value {
    let mut spec = spec.clone();
    spec["hard"] = hard.clone();
    json!({
        "metadata": {"name": name, "namespace": "shop"},
        "spec": spec,
        "status": {"hard": hard, "used": used},
    })
}

fn create(group: &'static str, kind: &'static str, resource: &'static str, spec: &Value) -> Attributes {
    let value = json!({"metadata": {"name": "web", "namespace": "shop"}, "spec": spec});
    let object = Arc::new(Object::new(GroupVersionKind::new(group, "v1", kind), value));
    Attributes {
        operation: Operation::Create,
        kind: object.kind.clone(),
        resource: GroupVersionResource::new(group, "v1", resource),
        sub_resource: "".into(),
        namespace: "shop".to_owned(),
        name: "web".to_owned(),
        object: Some(object),
        old_object: None,
        options: None,
        dry_run: false,
        user_info: Arc::default(),
        reinvocation: false,
        reinvocation_context: crate::admission::ReinvocationContext::default(),
        ordinal: 0,
        time: std::time::Duration::ZERO,
        deadline: None,
    }
}

fn update(old: Attributes, spec: &Value) -> Attributes {
    let mut attributes = Attributes { operation: Operation::Update, old_object: old.object.clone(), ..old };
    attributes.object_mut().unwrap().set(["spec"], spec.clone());
    attributes
}

fn pod(spec: &Value) -> Attributes {
    create("", "Pod", "pods", spec)
}

fn pod_of(requests: &Value) -> Attributes {
    pod(&json!({"containers": [{"name": "web", "resources": {"requests": requests}}]}))
}

fn service(spec: &Value) -> Attributes {
    create("", "Service", "services", spec)
}

fn claim(spec: &Value) -> Attributes {
    create("", "PersistentVolumeClaim", "persistentvolumeclaims", spec)
}

fn fields(refusal: &Refusal) -> Vec<String> {
    refusal.fields.iter().map(Path::to_string).collect()
}

/// Returns place and text of each piece of evidence.
fn evidence_of(refusal: &Refusal) -> Vec<String> {
    let say = |evidence: &Evidence| {
        let path = evidence.path.as_ref().map(Path::to_string).unwrap_or_default();
        format!("{} {} {path} {}", evidence.resource, evidence.name, evidence.says)
    };
    refusal.evidence.iter().map(say).collect()
}

#[test]
fn rejects_what_exceeds_a_quota() {
    let fixture = Fixture::new(&[quota(
        "compute",
        &json!({"requests.cpu": "4", "cpu": "4", "requests.memory": "2G", "pods": "10"}),
        &json!({"requests.cpu": "3900m", "cpu": "3900m", "requests.memory": "1e9", "pods": "10000m"}),
    )]);
    let refusal = fixture.validate(&pod_of(&json!({"cpu": "200m", "memory": "1Gi"}))).unwrap_err();
    assert_eq!(
        refusal.status.message,
        "pods \"web\" is forbidden: exceeded quota: compute, \
         requested: cpu=200m,pods=1,requests.cpu=200m,requests.memory=1Gi, \
         used: cpu=3900m,pods=10,requests.cpu=3900m,requests.memory=1e9, \
         limited: cpu=4,pods=10,requests.cpu=4,requests.memory=2G"
    );
    assert_eq!(refusal.status.code, 403);
    assert_eq!(
        fields(&refusal),
        ["spec.containers[0].resources.requests[cpu]", "spec.containers[0].resources.requests[memory]"]
    );
    assert_eq!(
        evidence_of(&refusal),
        [
            "resourcequotas compute spec.hard[cpu] allows 4, 3900m used",
            "resourcequotas compute spec.hard[pods] allows 10, 10 used",
            "resourcequotas compute spec.hard[requests.cpu] allows 4, 3900m used",
            "resourcequotas compute spec.hard[requests.memory] allows 2G, 1e9 used",
        ]
    );
}

#[test]
fn admits_and_charges_what_fits() {
    let hard = json!({"pods": "2", "requests.cpu": "1"});
    let fixture = Fixture::new(&[
        quota("compute", &hard, &json!({"pods": "0", "requests.cpu": "0"})),
        quota("objects", &json!({"count/configmaps": "5"}), &json!({"count/configmaps": "1"})),
    ]);
    let untouched = fixture.quota("objects");
    let mut attributes = pod_of(&json!({"cpu": "400m"}));
    attributes.dry_run = true;
    assert_eq!(fixture.validate(&attributes), Ok(()));
    assert_eq!(fixture.used("compute"), json!({"pods": "0", "requests.cpu": "0"}));

    attributes.dry_run = false;
    assert_eq!(fixture.validate(&attributes), Ok(()));
    assert_eq!(fixture.used("compute"), json!({"pods": "1", "requests.cpu": "400m"}));
    assert_eq!(fixture.validate(&attributes), Ok(()));
    assert_eq!(fixture.used("compute"), json!({"pods": "2", "requests.cpu": "800m"}));
    assert_eq!(
        fixture.message(&attributes),
        "pods \"web\" is forbidden: exceeded quota: compute, requested: pods=1,requests.cpu=400m, \
         used: pods=2,requests.cpu=800m, limited: pods=2,requests.cpu=1"
    );
    assert_eq!(fixture.used("compute"), json!({"pods": "2", "requests.cpu": "800m"}));
    assert!(Arc::ptr_eq(&untouched, &fixture.quota("objects")));
}

#[test]
fn charges_no_quota_if_one_refuses() {
    let fixture = Fixture::new(&[
        quota("a", &json!({"pods": "9"}), &json!({"pods": "0"})),
        quota("b", &json!({"count/pods": "0"}), &json!({"count/pods": "0"})),
    ]);
    let refused = fixture.message(&pod_of(&json!({})));
    assert_eq!(
        refused,
        "pods \"web\" is forbidden: exceeded quota: b, requested: count/pods=1, used: count/pods=0, limited: count/pods=0"
    );
    assert_eq!(fixture.used("a"), json!({"pods": "0"}));
}

#[test]
fn parses_a_quota_once_however_often_others_are_charged() {
    let fixture = Fixture::new(&[
        quota("a", &json!({"pods": "9"}), &json!({"pods": "0"})),
        quota("b", &json!({"services": "9"}), &json!({"services": "0"})),
    ]);
    let mut quotas = Quotas::default();
    let before = quotas.of_namespace(&fixture.cluster, "shop");
    let used = [("pods", crate::quota::evaluator::count(1))].into_iter().collect();
    quotas.charge(&fixture.cluster, &before[0], used);
    let charged = quotas.of_namespace(&fixture.cluster, "shop");
    assert_eq!(charged[0].used.get("pods").unwrap().to_string(), "1");
    assert!(Arc::ptr_eq(&before[1], &charged[1]));
    let again = quotas.of_namespace(&fixture.cluster, "shop");
    assert!(charged.iter().zip(&again).all(|(before, after)| Arc::ptr_eq(before, after)));
}

#[test]
fn rejects_containers_that_do_not_state_what_a_quota_counts() {
    let hard = json!({"limits.cpu": "9", "memory": "9Gi", "requests.ephemeral-storage": "9Gi"});
    let fixture = Fixture::new(&[quota("compute", &hard, &json!({}))]);
    let attributes = pod(&json!({
        "containers": [
            {"name": "web", "resources": {"requests": {"memory": "0"}}},
            {"name": "log"},
        ],
        "initContainers": [{"name": "setup", "resources": {"limits": {"cpu": "1"}, "requests": {"memory": "1"}}}],
    }));
    let refusal = fixture.validate(&attributes).unwrap_err();
    assert_eq!(
        refusal.status.message,
        "pods \"web\" is forbidden: failed quota: compute: must specify limits.cpu for: log,web; memory for: log"
    );
    assert_eq!(
        fields(&refusal),
        [
            "spec.containers[0].resources.limits[cpu]",
            "spec.containers[1].resources.limits[cpu]",
            "spec.containers[1].resources.requests[memory]",
        ]
    );
    assert_eq!(
        evidence_of(&refusal),
        [
            "resourcequotas compute spec.hard[limits.cpu] counts limits.cpu, so that every container has to state it",
            "resourcequotas compute spec.hard[memory] counts memory, so that every container has to state it",
        ]
    );
}

#[test]
fn rejects_while_the_usage_is_unknown() {
    let fixture =
        Fixture::new(&[quota("compute", &json!({"pods": "5", "count/pods": "5"}), &json!({"pods": "1"}))]);
    let refusal = fixture.validate(&pod_of(&json!({}))).unwrap_err();
    assert_eq!(
        refusal.status.message,
        "pods \"web\" is forbidden: status unknown for quota: compute, resources: count/pods,pods"
    );
    assert_eq!(
        evidence_of(&refusal),
        ["resourcequotas compute status.used has not been counted yet for count/pods"]
    );
}

#[test]
fn charges_updates_with_the_difference() {
    let hard = json!({"services.nodeports": "2", "services": "1"});
    let fixture = Fixture::new(&[quota("net", &hard, &json!({"services.nodeports": "0", "services": "1"}))]);
    let ports = json!([{"port": 80}, {"port": 443}]);
    let internal = service(&json!({"type": "ClusterIP", "ports": ports}));
    let open = update(internal, &json!({"type": "NodePort", "ports": ports}));
    assert_eq!(fixture.validate(&open), Ok(()));
    assert_eq!(fixture.used("net"), json!({"services.nodeports": "2", "services": "1"}));
    let refusal = fixture.validate(&open).unwrap_err();
    assert_eq!(
        refusal.status.message,
        "services \"web\" is forbidden: exceeded quota: net, requested: services.nodeports=2, \
         used: services.nodeports=2, limited: services.nodeports=2"
    );
    assert_eq!(fields(&refusal), ["spec.ports", "spec.type"]);
    let closed = update(open, &json!({"type": "ClusterIP", "ports": ports}));
    assert_eq!(fixture.validate(&closed), Ok(()));
    assert_eq!(fixture.used("net"), json!({"services.nodeports": "2", "services": "1"}));
}

#[test]
fn charges_a_pod_in_full_that_moves_into_a_scope() {
    let spec = json!({"scopes": ["Terminating"]});
    let fixture = Fixture::new(&[scoped("jobs", &json!({"pods": "0"}), &json!({"pods": "0"}), &spec)]);
    let running = pod(&json!({"containers": [{"name": "web"}]}));
    assert_eq!(fixture.validate(&running), Ok(()));
    let ending = update(running, &json!({"containers": [{"name": "web"}], "activeDeadlineSeconds": 60}));
    let refusal = fixture.validate(&ending).unwrap_err();
    assert_eq!(
        refusal.status.message,
        "pods \"web\" is forbidden: exceeded quota: jobs, requested: pods=1, used: pods=0, limited: pods=0"
    );
    assert_eq!(fields(&refusal), ["spec.activeDeadlineSeconds"]);
}

#[test]
fn counts_claims_by_storage_class() {
    let class_storage = "gold.storageclass.storage.k8s.io/requests.storage";
    let fixture = Fixture::new(&[quota(
        "storage",
        &json!({class_storage: "10Gi", "persistentvolumeclaims": "9"}),
        &json!({class_storage: "5Gi", "persistentvolumeclaims": "0"}),
    )]);
    let spec = |class: &str| json!({"storageClassName": class, "resources": {"requests": {"storage": "6442450943500m"}}});
    assert_eq!(fixture.validate(&claim(&spec("silver"))), Ok(()));
    let refusal = fixture.validate(&claim(&spec("gold"))).unwrap_err();
    assert_eq!(
        refusal.status.message,
        format!(
            "persistentvolumeclaims \"web\" is forbidden: exceeded quota: storage, \
             requested: {class_storage}=6442450944, used: {class_storage}=5Gi, limited: {class_storage}=10Gi"
        )
    );
    assert_eq!(fields(&refusal), ["spec.resources.requests[storage]", "spec.storageClassName"]);
}

#[test]
fn counts_load_balancers_and_the_node_ports_that_they_name() {
    let usage = |spec: &Value| {
        let attributes = service(spec);
        let service = crate::quota::services::Services(attributes.object.as_deref().unwrap());
        let usage = service.usage();
        ["services.loadbalancers", "services.nodeports"].map(|name| usage.get(name).unwrap().value())
    };
    let ports = json!([{"port": 80, "nodePort": 30080}, {"port": 443}]);
    assert_eq!(usage(&json!({"type": "ClusterIP", "ports": ports})), [0, 0]);
    assert_eq!(usage(&json!({"type": "LoadBalancer", "ports": ports})), [1, 2]);
    let spec = json!({"type": "LoadBalancer", "ports": ports, "allocateLoadBalancerNodePorts": false});
    assert_eq!(usage(&spec), [1, 1]);
}

#[test]
fn counts_devices_and_the_extended_resources_that_they_stand_for() {
    let fixture = Fixture::new(&[]);
    let kind = GroupVersionKind::new("resource.k8s.io", "v1", "DeviceClass");
    let class = json!({"metadata": {"name": "gpu"}, "spec": {"extendedResourceName": "acme.io/gpu"}});
    fixture.cluster.put(&kube_api::resources::DEVICE_CLASSES, Arc::new(Object::new(kind, class)));
    let pod = json!({
        "metadata": {"name": "web", "namespace": "shop", "uid": "1"},
        "spec": {"containers": [{"name": "web", "resources": {"requests": {"acme.io/gpu": "2"}}}]},
    });
    let pod = Object::new(GroupVersionKind::new("", "v1", "Pod"), pod);
    fixture.cluster.put(&GroupResource::new("", "pods"), Arc::new(pod));

    let spec = json!({"devices": {"requests": [
        {"name": "a", "exactly": {"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 1}},
        {"name": "b", "firstAvailable": [
            {"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 2},
            {"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 1},
            {"deviceClassName": "tpu", "allocationMode": "All"},
        ]},
    ]}});
    let mut attributes = create("resource.k8s.io", "ResourceClaim", "resourceclaims", &spec);
    let profile = kube_api::server_profile::ServerProfile::default();
    let usage = |claim: &Object| {
        let claim = crate::quota::resource_claims::ResourceClaims {
            claim,
            cluster: &fixture.cluster,
            profile: &profile,
            device_classes: Some(Arc::new(crate::quota::resource_claims::DeviceClasses::of(
                &fixture.cluster,
            ))),
        };
        assert!(claim.counts("requests.acme.io/gpu"));
        assert!(!claim.counts("requests.acme.io/tpu"));
        claim.usage().iter().map(|(name, amount)| format!("{name}={amount}")).collect::<Vec<_>>()
    };
    assert_eq!(
        usage(attributes.object.as_deref().unwrap()),
        [
            "count/resourceclaims.resource.k8s.io=1",
            "gpu.deviceclass.resource.k8s.io/devices=3",
            "requests.acme.io/gpu=3",
            "requests.deviceclass.resource.kubernetes.io/gpu=3",
            "requests.deviceclass.resource.kubernetes.io/tpu=32",
            "tpu.deviceclass.resource.k8s.io/devices=32",
        ]
    );

    let claim = attributes.object_mut().unwrap();
    claim.set(["metadata", "annotations", "resource.kubernetes.io/extended-resource-claim"], "true");
    let owner = json!([{"apiVersion": "v1", "kind": "Pod", "name": "web", "uid": "1", "controller": true}]);
    claim.set(["metadata", "ownerReferences"], owner);
    assert!(usage(claim).contains(&"requests.acme.io/gpu=1".to_owned()));
}

#[test]
fn rejects_what_the_configuration_limits_and_no_quota_covers() {
    let limited = json!([
        {"resource": "pods", "matchContains": ["nvidia.com"]},
        {"resource": "services", "matchScopes": [
            {"scopeName": "PriorityClass", "operator": "In", "values": ["gold", "silver"]},
        ]},
    ]);
    let fixture = Fixture::with(&[], Some(&limited));
    assert_eq!(fixture.validate(&pod_of(&json!({"cpu": "1"}))), Ok(()));
    let refusal = fixture.validate(&pod_of(&json!({"nvidia.com/gpu": "1"}))).unwrap_err();
    assert_eq!(
        refusal.status.message,
        "pods \"web\" is forbidden: insufficient quota to consume: requests.nvidia.com/gpu"
    );
    assert_eq!(fields(&refusal), ["spec.containers[0].resources.requests[nvidia.com/gpu]"]);

    let refusal = fixture.validate(&pod(&json!({"priorityClassName": "gold"}))).unwrap_err();
    let text = "insufficient quota to match these scopes: [{PriorityClass In [gold silver]}]";
    assert_eq!(*refusal.status, Status::from_error(text));
    assert_eq!(fields(&refusal), ["spec.priorityClassName"]);

    let spec = json!({"scopeSelector": {"matchExpressions": [{"scopeName": "PriorityClass", "operator": "Exists"}]}});
    let covering = scoped("prio", &json!({"pods": "1"}), &json!({"pods": "0"}), &spec);
    let fixture = Fixture::with(&[covering], Some(&limited));
    assert_eq!(fixture.validate(&pod(&json!({"priorityClassName": "gold"}))), Ok(()));
    assert_eq!(fixture.used("prio"), json!({"pods": "1"}));
}

#[test]
fn admits_everything_past_an_expression_that_cannot_be_read() {
    let limited =
        json!([{"resource": "pods", "matchScopes": [{"scopeName": "PriorityClass", "operator": "Equals"}]}]);
    let full = quota("full", &json!({"pods": "0"}), &json!({"pods": "0"}));
    let fixture = Fixture::with(&[full], Some(&limited));
    assert_eq!(fixture.validate(&pod_of(&json!({}))), Ok(()));
}

#[test]
fn rejects_with_an_error_if_a_scope_of_a_quota_cannot_be_read() {
    let spec = json!({"scopeSelector": {"matchExpressions": [
        {"scopeName": "PriorityClass", "operator": "In", "values": ["a b"]},
    ]}});
    let fixture = Fixture::new(&[scoped("prio", &json!({"pods": "1"}), &json!({"pods": "0"}), &spec)]);
    let refusal = fixture.validate(&pod_of(&json!({}))).unwrap_err();
    assert_eq!((refusal.status.code, refusal.status.reason.as_str()), (500, ""));
    assert_eq!(
        refusal.status.message,
        "error matching scopes of quota prio, err: error on matching scope {PriorityClass In [a b]}: \
         failed to parse and convert selector: values[0][PriorityClass]: Invalid value: \"a b\": \
         a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', \
         and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', \
         regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
    );
}

#[test]
fn ignores_what_quotas_do_not_count() {
    let hard = json!({"pods": "0", "count/events": "0", "count/deployments": "0", "configmaps": "0"});
    let fixture = Fixture::new(&[quota("all", &hard, &hard)]);
    assert_eq!(fixture.validate(&create("", "Event", "events", &json!({}))), Ok(()));
    assert_eq!(fixture.validate(&create("apps", "Deployment", "deployments", &json!({}))), Ok(()));
    let update_of_a_pod = update(pod_of(&json!({})), &json!({"containers": []}));
    assert_eq!(fixture.validate(&update_of_a_pod), Ok(()));
    let mut binding = pod_of(&json!({}));
    binding.sub_resource = "binding".into();
    assert_eq!(fixture.validate(&binding), Ok(()));
    let mut elsewhere = pod_of(&json!({}));
    elsewhere.namespace = "other".to_owned();
    assert_eq!(fixture.validate(&elsewhere), Ok(()));
    assert_eq!(
        fixture.message(&create("", "ConfigMap", "configmaps", &json!({}))),
        "configmaps \"web\" is forbidden: exceeded quota: all, requested: configmaps=1, used: configmaps=0, limited: configmaps=0"
    );

    let unseen = json!({"metadata": {"name": "new", "namespace": "shop"}, "spec": {"hard": {"pods": "0"}}});
    assert_eq!(Fixture::new(&[unseen]).validate(&pod_of(&json!({}))), Ok(()));
}

#[test]
fn sums_what_exists_in_the_namespace() {
    let pod = |name: &str, namespace: &str| {
        json!({
            "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": namespace},
            "spec": {"containers": [{"name": "a", "resources": {"requests": {"cpu": "300m"}}}]},
        })
    };
    let initializer =
        crate::plugin::testing::initializer([pod("a", "shop"), pod("b", "shop"), pod("c", "other")]);
    let quota = crate::plugin::testing::object(json!({
        "apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "team", "namespace": "shop"},
        "spec": {"hard": {"pods": "4", "requests.cpu": "1", "services": "2"}},
    }));
    let status = crate::quota::calculate_status(&quota, &initializer.cluster, &initializer.profile);
    assert_eq!(status["used"], json!({"pods": "2", "requests.cpu": "600m", "services": "0"}));
    assert_eq!(status["hard"]["pods"], "4");
}
