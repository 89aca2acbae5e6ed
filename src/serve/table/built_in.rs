//! The columns of built-in kinds between the name and the age.
//!
//! Source: `k8s.io/kubernetes/pkg/printers/internalversion/printers.go`

use super::human_duration;
use gotext::time::parse_rfc3339;
use kube_api::labels::Selector;
use kube_api::{GroupVersionKind, Object, Value, pairs};

/// Name, type, priority and cell of a column.
pub(super) type Column = (&'static str, &'static str, i64, fn(&Object, i64) -> Value);

const NONE: &str = "<none>";

/// Returns the columns of `kind`, if it has some of its own.
pub(super) fn columns(kind: &GroupVersionKind) -> Option<&'static [Column]> {
    let found = TABLE.iter().find(|(group, name, _)| kind.group == *group && kind.kind == *name);
    found.map(|(.., columns)| *columns)
}

const TABLE: &[(&str, &str, &[Column])] = &[
    (
        "",
        "Pod",
        &[
            ("Ready", "string", 0, |pod, _| {
                let containers = pod.list(["spec", "containers"]).len();
                let statuses = pod.list(["status", "containerStatuses"]).iter();
                format!("{}/{containers}", statuses.filter(|status| status.flag("ready")).count()).into()
            }),
            ("Status", "string", 0, |pod, _| pod_status(pod).into()),
            ("Restarts", "string", 0, |pod, _| {
                let statuses = pod.list(["status", "containerStatuses"]).iter();
                statuses.map(|status| status.int("restartCount")).sum::<i64>().to_string().into()
            }),
            ("IP", "string", 1, |pod, _| or_none(pod.text(["status", "podIP"]))),
            ("Node", "string", 1, |pod, _| or_none(pod.text(["spec", "nodeName"]))),
            ("Nominated Node", "string", 1, |pod, _| or_none(pod.text(["status", "nominatedNodeName"]))),
            ("Readiness Gates", "string", 1, |_, _| NONE.into()),
        ],
    ),
    (
        "",
        "Service",
        &[
            ("Type", "string", 0, |service, _| service.text(["spec", "type"]).into()),
            ("Cluster-IP", "string", 0, |service, _| or_none(service.text(["spec", "clusterIP"]))),
            ("External-IP", "string", 0, |service, _| external_ip(service).into()),
            ("Port(s)", "string", 0, |service, _| ports(service).into()),
            ("Selector", "string", 1, |service, _| selector_of(service.at(["spec", "selector"]))),
        ],
    ),
    ("", "Namespace", &[("Status", "string", 0, |namespace, _| namespace.text(["status", "phase"]).into())]),
    (
        "",
        "Node",
        &[
            ("Status", "string", 0, |node, _| node_status(node).into()),
            ("Roles", "string", 0, |node, _| roles(node)),
        ],
    ),
    (
        "",
        "ConfigMap",
        &[("Data", "string", 0, |map, _| {
            (map.child("data").map_or(0, kube_api::Map::len)
                + map.child("binaryData").map_or(0, kube_api::Map::len))
            .to_string()
            .into()
        })],
    ),
    (
        "",
        "Secret",
        &[
            ("Type", "string", 0, |secret, _| secret.text("type").into()),
            ("Data", "string", 0, |secret, _| {
                secret.child("data").map_or(0, kube_api::Map::len).to_string().into()
            }),
        ],
    ),
    (
        "",
        "ServiceAccount",
        &[("Secrets", "string", 0, |account, _| account.list("secrets").len().to_string().into())],
    ),
    (
        "",
        "PersistentVolumeClaim",
        &[
            ("Status", "string", 0, |claim, _| claim.text(["status", "phase"]).into()),
            ("Volume", "string", 0, |claim, _| claim.text(["spec", "volumeName"]).into()),
            ("Capacity", "string", 0, |claim, _| claim.text(["status", "capacity", "storage"]).into()),
            ("Access Modes", "string", 0, |claim, _| {
                access_modes(claim.list(["status", "accessModes"])).into()
            }),
            ("StorageClass", "string", 0, |claim, _| claim.text(["spec", "storageClassName"]).into()),
        ],
    ),
    (
        "",
        "PersistentVolume",
        &[
            ("Capacity", "string", 0, |volume, _| volume.text(["spec", "capacity", "storage"]).into()),
            ("Access Modes", "string", 0, |volume, _| {
                access_modes(volume.list(["spec", "accessModes"])).into()
            }),
            ("Reclaim Policy", "string", 0, |volume, _| {
                volume.text(["spec", "persistentVolumeReclaimPolicy"]).into()
            }),
            ("Status", "string", 0, |volume, _| volume.text(["status", "phase"]).into()),
            ("StorageClass", "string", 0, |volume, _| volume.text(["spec", "storageClassName"]).into()),
        ],
    ),
    (
        "",
        "ReplicationController",
        &[
            ("Desired", "integer", 0, |set, _| set.int(["spec", "replicas"]).into()),
            ("Current", "integer", 0, |set, _| set.int(["status", "replicas"]).into()),
            ("Ready", "integer", 0, |set, _| set.int(["status", "readyReplicas"]).into()),
        ],
    ),
    (
        "",
        "Event",
        &[
            ("Last Seen", "string", 0, |event, now| super::since(event.text("lastTimestamp"), now).into()),
            ("Type", "string", 0, |event, _| event.text("type").into()),
            ("Reason", "string", 0, |event, _| event.text("reason").into()),
            ("Object", "string", 0, |event, _| {
                let text = |field| event.text(["involvedObject", field]);
                format!("{}/{}", text("kind").to_lowercase(), text("name")).into()
            }),
            ("Message", "string", 0, |event, _| event.text("message").trim().into()),
        ],
    ),
    (
        "apps",
        "Deployment",
        &[
            ("Ready", "string", 0, |deployment, _| {
                let ready = deployment.int(["status", "readyReplicas"]);
                format!("{ready}/{}", deployment.int(["spec", "replicas"])).into()
            }),
            ("Up-to-date", "string", 0, |deployment, _| {
                deployment.int(["status", "updatedReplicas"]).to_string().into()
            }),
            ("Available", "string", 0, |deployment, _| {
                deployment.int(["status", "availableReplicas"]).to_string().into()
            }),
            ("Containers", "string", 1, |deployment, _| of_template(deployment, "name")),
            ("Images", "string", 1, |deployment, _| of_template(deployment, "image")),
            ("Selector", "string", 1, |deployment, _| label_selector(deployment)),
        ],
    ),
    (
        "apps",
        "ReplicaSet",
        &[
            ("Desired", "integer", 0, |set, _| set.int(["spec", "replicas"]).into()),
            ("Current", "integer", 0, |set, _| set.int(["status", "replicas"]).into()),
            ("Ready", "integer", 0, |set, _| set.int(["status", "readyReplicas"]).into()),
            ("Containers", "string", 1, |set, _| of_template(set, "name")),
            ("Images", "string", 1, |set, _| of_template(set, "image")),
            ("Selector", "string", 1, |set, _| label_selector(set)),
        ],
    ),
    (
        "apps",
        "StatefulSet",
        &[
            ("Ready", "string", 0, |set, _| {
                format!("{}/{}", set.int(["status", "readyReplicas"]), set.int(["spec", "replicas"])).into()
            }),
            ("Containers", "string", 1, |set, _| of_template(set, "name")),
            ("Images", "string", 1, |set, _| of_template(set, "image")),
        ],
    ),
    (
        "apps",
        "DaemonSet",
        &[
            ("Desired", "integer", 0, |set, _| set.int(["status", "desiredNumberScheduled"]).into()),
            ("Current", "integer", 0, |set, _| set.int(["status", "currentNumberScheduled"]).into()),
            ("Ready", "integer", 0, |set, _| set.int(["status", "numberReady"]).into()),
            ("Up-to-date", "integer", 0, |set, _| set.int(["status", "updatedNumberScheduled"]).into()),
            ("Available", "integer", 0, |set, _| set.int(["status", "numberAvailable"]).into()),
            ("Node Selector", "string", 0, |set, _| {
                selector_of(set.at(["spec", "template", "spec", "nodeSelector"]))
            }),
        ],
    ),
    (
        "batch",
        "Job",
        &[
            ("Status", "string", 0, |job, _| job_status(job).into()),
            ("Completions", "string", 0, |job, _| {
                let done = job.int(["status", "succeeded"]);
                match job.at(["spec", "completions"]).and_then(Value::as_i64) {
                    Some(wanted) => format!("{done}/{wanted}").into(),
                    None => format!("{done}/1 of {}", job.int(["spec", "parallelism"])).into(),
                }
            }),
            ("Duration", "string", 0, |job, now| job_duration(job, now).into()),
        ],
    ),
    (
        "batch",
        "CronJob",
        &[
            ("Schedule", "string", 0, |job, _| job.text(["spec", "schedule"]).into()),
            ("Timezone", "string", 0, |job, _| or_none(job.text(["spec", "timeZone"]))),
            ("Suspend", "string", 0, |job, _| {
                if job.flag(["spec", "suspend"]) { "True" } else { "False" }.into()
            }),
            ("Active", "integer", 0, |job, _| count(job.list(["status", "active"]))),
            ("Last Schedule", "string", 0, |job, now| match job.text(["status", "lastScheduleTime"]) {
                "" => NONE.into(),
                then => super::since(then, now).into(),
            }),
        ],
    ),
    (
        "networking.k8s.io",
        "Ingress",
        &[
            ("Class", "string", 0, |ingress, _| or_none(ingress.text(["spec", "ingressClassName"]))),
            ("Hosts", "string", 0, |ingress, _| {
                let hosts = ingress.items(["spec", "rules"]).map(|rule| rule.text("host"));
                let hosts: Vec<&str> = hosts.filter(|host| !host.is_empty()).collect();
                if hosts.is_empty() { "*".into() } else { hosts.join(",").into() }
            }),
            ("Address", "string", 0, |_, _| "".into()),
            ("Ports", "string", 0, |ingress, _| {
                if ingress.list(["spec", "tls"]).is_empty() { "80" } else { "80, 443" }.into()
            }),
        ],
    ),
    (
        "networking.k8s.io",
        "NetworkPolicy",
        &[("Pod-Selector", "string", 0, |policy, _| {
            let selector = policy.at(["spec", "podSelector"]).unwrap_or(&Value::Null);
            or_none(
                &Selector::from_label_selector(selector).map(|found| found.to_string()).unwrap_or_default(),
            )
        })],
    ),
    (
        "policy",
        "PodDisruptionBudget",
        &[
            ("Min Available", "string", 0, |budget, _| or_not_available(budget.at(["spec", "minAvailable"]))),
            ("Max Unavailable", "string", 0, |budget, _| {
                or_not_available(budget.at(["spec", "maxUnavailable"]))
            }),
            ("Allowed Disruptions", "integer", 0, |budget, _| {
                budget.int(["status", "disruptionsAllowed"]).into()
            }),
        ],
    ),
    (
        "storage.k8s.io",
        "StorageClass",
        &[
            ("Provisioner", "string", 0, |class, _| class.text("provisioner").into()),
            ("ReclaimPolicy", "string", 0, |class, _| class.text("reclaimPolicy").into()),
            ("VolumeBindingMode", "string", 0, |class, _| class.text("volumeBindingMode").into()),
            ("AllowVolumeExpansion", "string", 0, |class, _| class.flag("allowVolumeExpansion").into()),
        ],
    ),
    (
        "scheduling.k8s.io",
        "PriorityClass",
        &[
            ("Value", "integer", 0, |class, _| class.int("value").into()),
            ("Global-Default", "boolean", 0, |class, _| class.flag("globalDefault").into()),
            ("PreemptionPolicy", "string", 0, |class, _| class.text("preemptionPolicy").into()),
        ],
    ),
    ("rbac.authorization.k8s.io", "RoleBinding", &[("Role", "string", 0, |binding, _| role(binding))]),
    ("rbac.authorization.k8s.io", "ClusterRoleBinding", &[("Role", "string", 0, |binding, _| role(binding))]),
    (
        "coordination.k8s.io",
        "Lease",
        &[("Holder", "string", 0, |lease, _| lease.text(["spec", "holderIdentity"]).into())],
    ),
    (
        "admissionregistration.k8s.io",
        "ValidatingWebhookConfiguration",
        &[("Webhooks", "integer", 0, |hooks, _| count(hooks.list("webhooks")))],
    ),
    (
        "admissionregistration.k8s.io",
        "MutatingWebhookConfiguration",
        &[("Webhooks", "integer", 0, |hooks, _| count(hooks.list("webhooks")))],
    ),
    (
        "admissionregistration.k8s.io",
        "ValidatingAdmissionPolicy",
        &[
            ("Validations", "integer", 0, |policy, _| count(policy.list(["spec", "validations"]))),
            ("ParamKind", "string", 0, |policy, _| {
                let text = |field| policy.text(["spec", "paramKind", field]);
                match text("kind") {
                    "" => "<unset>".into(),
                    kind => format!("{}/{kind}", text("apiVersion")).into(),
                }
            }),
        ],
    ),
    (
        "admissionregistration.k8s.io",
        "ValidatingAdmissionPolicyBinding",
        &[("PolicyName", "string", 0, |binding, _| binding.text(["spec", "policyName"]).into())],
    ),
];

fn or_none(text: &str) -> Value {
    if text.is_empty() { NONE.into() } else { text.into() }
}

fn or_not_available(value: Option<&Value>) -> Value {
    match value {
        Some(Value::String(text)) => text.to_string().into(),
        Some(Value::Number(number)) => number.to_string().into(),
        _ => "N/A".into(),
    }
}

fn count(items: &[Value]) -> Value {
    items.len().into()
}

fn selector_of(labels: Option<&Value>) -> Value {
    or_none(&pairs(labels).map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(","))
}

fn label_selector(object: &Object) -> Value {
    let selector = object.at(["spec", "selector"]).unwrap_or(&Value::Null);
    or_none(&Selector::from_label_selector(selector).map(|found| found.to_string()).unwrap_or_default())
}

fn of_template(object: &Object, field: &str) -> Value {
    let containers = object.items(["spec", "template", "spec", "containers"]);
    containers.map(|container| container.text(field)).collect::<Vec<_>>().join(",").into()
}

fn role(binding: &Object) -> Value {
    let text = |field| binding.text(["roleRef", field]);
    format!("{}/{}", text("kind"), text("name")).into()
}

fn roles(node: &Object) -> Value {
    const PREFIX: &str = "node-role.kubernetes.io/";
    let roles: Vec<&str> = node.labels().filter_map(|(key, _)| key.strip_prefix(PREFIX)).collect();
    or_none(&roles.join(","))
}

fn pod_status(pod: &Object) -> String {
    if pod.has(["metadata", "deletionTimestamp"]) {
        return "Terminating".to_owned();
    }
    if let Some(reason) = container_reason(pod) {
        return reason;
    }
    let is_gated = !pod.list(["spec", "schedulingGates"]).is_empty();
    match (pod.text(["status", "reason"]), pod.text(["status", "phase"])) {
        ("", _) if is_gated => "SchedulingGated".to_owned(),
        ("", phase) => phase.to_owned(),
        (reason, _) => reason.to_owned(),
    }
}

/// Returns why containers of a Pod wait or have ended, if some have.
///
/// Source: `printPod`
fn container_reason(pod: &Object) -> Option<String> {
    let mut found = None;
    let mut has_running = false;
    for status in pod.list(["status", "containerStatuses"]).iter().rev() {
        let waiting = status.text(["state", "waiting", "reason"]);
        if !waiting.is_empty() {
            found = Some(waiting.to_owned());
        } else if status.has(["state", "terminated"]) {
            found = Some(match status.text(["state", "terminated", "reason"]) {
                "" => match status.int(["state", "terminated", "signal"]) {
                    0 => format!("ExitCode:{}", status.int(["state", "terminated", "exitCode"])),
                    signal => format!("Signal:{signal}"),
                },
                reason => reason.to_owned(),
            });
        } else if status.flag("ready") && status.has(["state", "running"]) {
            has_running = true;
        }
    }
    if has_running && found.as_deref() == Some("Completed") {
        let mut conditions = pod.items(["status", "conditions"]);
        let is_ready = conditions.any(|it| it.text("type") == "Ready" && it.text("status") == "True");
        return Some(if is_ready { "Running" } else { "NotReady" }.to_owned());
    }
    found
}

/// Returns how long a Job has run.
fn job_duration(job: &Object, now: i64) -> String {
    let time = |field: &str| parse_rfc3339(job.text(["status", field])).map(|(seconds, _)| seconds);
    let Some(start) = time("startTime") else { return String::new() };
    human_duration(time("completionTime").unwrap_or(now) - start)
}

fn node_status(node: &Object) -> String {
    let conditions = node.list(["status", "conditions"]);
    let ready = conditions.iter().find(|condition| condition["type"] == "Ready");
    let status = match ready.map(|condition| condition.text("status")) {
        Some("True") => "Ready",
        Some(_) => "NotReady",
        None => "Unknown",
    };
    if node.flag(["spec", "unschedulable"]) {
        format!("{status},SchedulingDisabled")
    } else {
        status.to_owned()
    }
}

fn job_status(job: &Object) -> &'static str {
    let has = |kind: &str| {
        let conditions = job.list(["status", "conditions"]);
        conditions.iter().any(|condition| condition["type"] == kind && condition["status"] == "True")
    };
    if has("Complete") {
        "Complete"
    } else if has("Failed") {
        "Failed"
    } else if job.has(["metadata", "deletionTimestamp"]) {
        "Terminating"
    } else if has("Suspended") {
        "Suspended"
    } else {
        "Running"
    }
}

fn external_ip(service: &Object) -> String {
    let given = service.list(["spec", "externalIPs"]).iter().filter_map(Value::as_str);
    let given: Vec<&str> = given.collect();
    match service.text(["spec", "type"]) {
        "ExternalName" => service.text(["spec", "externalName"]).to_owned(),
        "LoadBalancer" if given.is_empty() => "<pending>".to_owned(),
        _ if given.is_empty() => NONE.to_owned(),
        _ => given.join(","),
    }
}

fn ports(service: &Object) -> String {
    let ports = service.items(["spec", "ports"]).map(|port| {
        let (number, node, protocol) = (port.int("port"), port.int("nodePort"), port.text("protocol"));
        if node > 0 { format!("{number}:{node}/{protocol}") } else { format!("{number}/{protocol}") }
    });
    let ports: Vec<String> = ports.collect();
    if ports.is_empty() { NONE.to_owned() } else { ports.join(",") }
}

fn access_modes(modes: &[Value]) -> String {
    const SHORT: [(&str, &str); 4] = [
        ("ReadWriteOnce", "RWO"),
        ("ReadOnlyMany", "ROX"),
        ("ReadWriteMany", "RWX"),
        ("ReadWriteOncePod", "RWOP"),
    ];
    let has = |mode: &str| modes.iter().any(|own| own.as_str() == Some(mode));
    SHORT.iter().filter(|(mode, _)| has(mode)).map(|(_, short)| *short).collect::<Vec<_>>().join(",")
}
