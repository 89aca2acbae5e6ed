//! Pods and Pod templates.
//!
//! Source: `k8s.io/kubernetes/pkg/apis/core/v1`, `SetDefaults_Pod` and what it calls, and the conversion of `PodSpec`.

use gotext::value::{Walk, json};

use crate::defaults::image::pull_policy;
use crate::defaults::resources;
use crate::defaults::volume;
use kube_api::features::Feature;
use kube_api::server_profile::ServerProfile;
use kube_api::tree::{child_mut, child_or_insert, items_mut, remove_key, set, set_if_absent, set_if_zero};
use kube_api::version::Version;
use kube_api::{Map, Value};

const CONTAINER_LISTS: [&str; 3] = ["containers", "initContainers", "ephemeralContainers"];

/// Annotations that carried init containers before Kubernetes 1.8; the conversion drops them.
const INIT_CONTAINER_ANNOTATIONS: [&str; 4] = [
    "pod.beta.kubernetes.io/init-containers",
    "pod.alpha.kubernetes.io/init-containers",
    "pod.beta.kubernetes.io/init-container-statuses",
    "pod.alpha.kubernetes.io/init-container-statuses",
];

/// Sets the defaults of a Pod, which has more of them than a template.
pub(crate) fn pod(pod: &mut Map, profile: &ServerProfile) {
    drop_init_container_annotations(pod);
    let spec = child_or_insert(pod, "spec");
    for list in ["containers", "initContainers"] {
        items_mut(spec, list).for_each(requests_from_limits);
    }
    if profile.enabled(Feature::PodLevelResources) {
        resources::pod_level(spec);
    }
    set_if_absent(spec, "enableServiceLinks", true);
    if spec.flag("hostNetwork") {
        for list in ["containers", "initContainers"] {
            items_mut(spec, list).for_each(host_ports);
        }
    }
    pod_spec(spec);
    // Forced by the conversion of Pods, not of templates.
    if spec.int("terminationGracePeriodSeconds") < 0 {
        set(spec, "terminationGracePeriodSeconds", 1);
    }
    if let Some(status) = child_mut(pod, "status") {
        pod_status(status);
    }
}

/// Sets the defaults of the Pod template in `owner`.
pub(crate) fn template(owner: &mut Map) {
    let template = child_or_insert(owner, "template");
    drop_init_container_annotations(template);
    pod_spec(child_or_insert(template, "spec"));
}

pub(crate) fn pod_spec(spec: &mut Map) {
    set_once(spec, set_defaults);
}

/// Sets defaults in `map` by `set`, unless they were set before: the encoder writes only objects that have theirs.
fn set_once(map: &mut Map, set: impl Fn(&mut Map)) {
    if map.is_sealed_by(Walk::Encoding) {
        debug_assert!(
            {
                let mut again = map.clone();
                set(&mut again);
                again == *map
            },
            "{map:?} has its defaults"
        );
    } else {
        set(map);
    }
}

/// Sets defaults in the items of a list. Writing to a list shared with an earlier version copies it, so it is left
/// alone if all items have theirs.
fn set_once_in_items(owner: &mut Map, list: &str, set: impl Fn(&mut Map)) {
    if owner.items(list).any(|item| !item.is_sealed_by(Walk::Encoding)) {
        items_mut(owner, list).for_each(|item| set_once(item, &set));
    }
}

fn set_defaults(spec: &mut Map) {
    set_if_zero(spec, "dnsPolicy", "ClusterFirst");
    set_if_zero(spec, "restartPolicy", "Always");
    set_if_absent(spec, "securityContext", Map::new());
    set_if_absent(spec, "terminationGracePeriodSeconds", 30);
    set_if_zero(spec, "schedulerName", "default-scheduler");
    same_service_account(spec);
    set_once_in_items(spec, "volumes", volume::volume);
    for list in CONTAINER_LISTS {
        set_once_in_items(spec, list, container);
    }
    resources::round_up(spec, "overhead");
    resources::requirements(spec);
}

/// Sets `serviceAccount`, the old name of `serviceAccountName`, to the same value.
fn same_service_account(spec: &mut Map) {
    let name = if spec.is_zero("serviceAccountName") { "serviceAccount" } else { "serviceAccountName" };
    let name = spec.text(name);
    if name.is_empty() {
        spec.remove("serviceAccount");
    } else if spec.text("serviceAccountName") != spec.text("serviceAccount") {
        let name = name.to_owned();
        set(spec, "serviceAccount", name.clone());
        set(spec, "serviceAccountName", name);
    }
}

pub(crate) fn container(container: &mut Map) {
    if container.is_zero("imagePullPolicy") {
        set(container, "imagePullPolicy", pull_policy(container.text("image")));
    }
    set_if_zero(container, "terminationMessagePath", "/dev/termination-log");
    set_if_zero(container, "terminationMessagePolicy", "File");
    items_mut(container, "ports").for_each(|port| set_if_zero(port, "protocol", "TCP"));
    items_mut(container, "env").filter_map(|variable| child_mut(variable, "valueFrom")).for_each(env_source);
    resources::requirements(container);
    for field in ["livenessProbe", "readinessProbe", "startupProbe"] {
        if let Some(probe) = child_mut(container, field) {
            self::probe(probe);
        }
    }
    for field in ["postStart", "preStop"] {
        if let Some(get) = child_mut(container, ["lifecycle", field, "httpGet"]) {
            http_get(get);
        }
    }
}

fn env_source(source: &mut Map) {
    if let Some(reference) = child_mut(source, "fieldRef") {
        set_if_zero(reference, "apiVersion", "v1");
    }
    if let Some(reference) = child_mut(source, "fileKeyRef") {
        set_if_absent(reference, "optional", false);
    }
}

pub(crate) fn probe(probe: &mut Map) {
    set_if_zero(probe, "timeoutSeconds", 1);
    set_if_zero(probe, "periodSeconds", 10);
    set_if_zero(probe, "successThreshold", 1);
    set_if_zero(probe, "failureThreshold", 3);
    if let Some(get) = child_mut(probe, "httpGet") {
        http_get(get);
    }
    if let Some(grpc) = child_mut(probe, "grpc") {
        set_if_absent(grpc, "service", "");
    }
}

fn http_get(get: &mut Map) {
    set_if_zero(get, "path", "/");
    set_if_zero(get, "scheme", "HTTP");
}

fn requests_from_limits(container: &mut Map) {
    let Some(requirements) = child_mut(container, "resources") else { return };
    let Some(Value::Object(limits)) = requirements.get("limits") else { return };
    let mut missing = Vec::new();
    for (name, quantity) in limits {
        if requirements.get("requests").and_then(|requests| requests.get(name)).is_none() {
            missing.push((name.clone(), quantity.clone()));
        }
    }
    if !missing.is_empty() {
        child_or_insert(requirements, "requests").extend(missing);
    }
}

/// The first release that sets the host's ports of Pods alone.
pub(crate) const LEAVES_PORTS_OF_TEMPLATES: Version = Version::minor(28);

/// Sets the host's ports of the templates in an object, as those of Pods.
pub(crate) fn host_ports_of_templates(object: &mut Map) {
    const TEMPLATES: [&[&str]; 3] = [
        &["spec", "template", "spec"],
        &["spec", "jobTemplate", "spec", "template", "spec"],
        &["template", "spec"],
    ];
    for path in TEMPLATES {
        if object.child(path).is_some_and(|spec| spec.flag("hostNetwork"))
            && let Some(spec) = path.iter().try_fold(&mut *object, |map, field| child_mut(map, field))
        {
            for list in ["containers", "initContainers"] {
                items_mut(spec, list).for_each(host_ports);
            }
        }
    }
}

/// Sets the host's ports to the container's, as with host networking.
pub(crate) fn host_ports(container: &mut Map) {
    for port in items_mut(container, "ports") {
        if port.is_zero("hostPort") && !port.is_zero("containerPort") {
            let number = port.int("containerPort");
            set(port, "hostPort", number);
        }
    }
}

fn pod_status(status: &mut Map) {
    for list in ["initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses"] {
        for container in items_mut(status, list) {
            resources::round_up(container, "allocatedResources");
            resources::requirements(container);
        }
    }
    resources::round_up(status, "allocatedResources");
    resources::requirements(status);
    // `podIP` is the first of `podIPs`, and takes precedence over it for the sake of older kubelets.
    let ip = status.text("podIP");
    let first = status.get("podIPs").and_then(|ips| ips.get(0)).and_then(|first| first.get("ip"));
    let first = first.and_then(Value::as_str).unwrap_or_default();
    if !ip.is_empty() && ip != first {
        let ips = json!([{"ip": ip}]);
        set(status, "podIPs", ips);
    } else if ip.is_empty() && status.has("podIPs") && !first.is_empty() {
        let first = first.to_owned();
        set(status, "podIP", first);
    }
}

fn drop_init_container_annotations(owner: &mut Map) {
    let Some(metadata) = child_mut(owner, "metadata") else { return };
    if metadata.has("annotations") {
        for annotation in INIT_CONTAINER_ANNOTATIONS {
            remove_key(metadata, "annotations", annotation);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::defaulted;
    use gotext::value::{Value, json};

    fn pod(spec: &Value) -> Value {
        defaulted(json!({"apiVersion": "v1", "kind": "Pod", "spec": spec}))
    }

    #[test]
    fn fills_in_a_small_pod() {
        let container = json!({
            "name": "web",
            "image": "nginx",
            "imagePullPolicy": "Always",
            "terminationMessagePath": "/dev/termination-log",
            "terminationMessagePolicy": "File"
        });
        let spec = json!({
            "containers": [container],
            "dnsPolicy": "ClusterFirst",
            "enableServiceLinks": true,
            "restartPolicy": "Always",
            "schedulerName": "default-scheduler",
            "securityContext": {},
            "terminationGracePeriodSeconds": 30
        });
        assert_eq!(pod(&json!({"containers": [{"name": "web", "image": "nginx"}]}))["spec"], spec);
    }

    #[test]
    fn probes_sources_and_ports_are_completed() {
        let pod = pod(&json!({
            "hostNetwork": true,
            "containers": [{
                "ports": [{"containerPort": 80}],
                "env": [
                    {"valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
                    {"valueFrom": {"fileKeyRef": {"key": "a"}}}
                ],
                "livenessProbe": {"httpGet": {"port": 80}},
                "readinessProbe": {"grpc": {"port": 80}, "periodSeconds": 5},
                "lifecycle": {"preStop": {"httpGet": {"port": 80}}}
            }]
        }));
        let container = &pod["spec"]["containers"][0];
        assert_eq!(container["ports"], json!([{"containerPort": 80, "hostPort": 80, "protocol": "TCP"}]));
        assert_eq!(container["env"][0]["valueFrom"]["fieldRef"]["apiVersion"], "v1");
        assert_eq!(container["env"][1]["valueFrom"]["fileKeyRef"]["optional"], false);
        assert_eq!(container["livenessProbe"]["httpGet"], json!({"port": 80, "path": "/", "scheme": "HTTP"}));
        assert_eq!(container["readinessProbe"]["grpc"]["service"], "");
        assert_eq!(container["readinessProbe"]["periodSeconds"], 5);
        assert_eq!(container["readinessProbe"]["failureThreshold"], 3);
        assert_eq!(container["lifecycle"]["preStop"]["httpGet"]["scheme"], "HTTP");
    }

    #[test]
    fn what_is_limited_is_requested() {
        let limits = json!({"cpu": "1", "memory": "1Gi"});
        let resources = json!({"limits": limits, "requests": {"cpu": "500m"}});
        let pod = pod(
            &json!({"containers": [{"resources": resources}], "initContainers": [{"resources": {"limits": {}}}]}),
        );
        let resources = &pod["spec"]["containers"][0]["resources"];
        assert_eq!(resources["requests"], json!({"cpu": "500m", "memory": "1Gi"}));
        assert_eq!(pod["spec"]["initContainers"][0]["resources"], json!({"limits": {}}));
    }

    #[test]
    fn a_template_requests_nothing_of_itself() {
        let container = json!({"resources": {"limits": {"cpu": "1"}}});
        let template = json!({"spec": {"hostNetwork": true, "containers": [container]}});
        let template = defaulted(json!({"apiVersion": "v1", "kind": "PodTemplate", "template": template}));
        let spec = &template["template"]["spec"];
        assert_eq!(spec["containers"][0]["resources"], container["resources"]);
        assert_eq!(spec["enableServiceLinks"], Value::Null);
    }

    #[test]
    fn both_names_of_the_service_account_are_the_same() {
        let names = |pod: Value| {
            let name = |field: &str| pod["spec"][field].as_str().map(str::to_owned);
            (name("serviceAccountName"), name("serviceAccount"))
        };
        let both = (Some("a".to_owned()), Some("a".to_owned()));
        assert_eq!(names(pod(&json!({"serviceAccount": "a"}))), both);
        assert_eq!(names(pod(&json!({"serviceAccountName": "a", "serviceAccount": "b"}))), both);
        assert_eq!(names(pod(&json!({}))), (None, None));
    }

    #[test]
    fn conversion_leaves_its_marks() {
        let pod = defaulted(json!({
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"annotations": {"pod.beta.kubernetes.io/init-containers": "[]"}},
            "spec": {"terminationGracePeriodSeconds": -5},
            "status": {"podIP": "10.0.0.1"}
        }));
        assert_eq!(pod["metadata"], json!({}));
        assert_eq!(pod["spec"]["terminationGracePeriodSeconds"], 1);
        assert_eq!(pod["status"]["podIPs"], json!([{"ip": "10.0.0.1"}]));
    }
}
