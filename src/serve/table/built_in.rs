//! The columns of built-in kinds.
//!
//! Source: `k8s.io/kubernetes/pkg/printers/internalversion/printers.go`

mod autoscaling;
mod certificates;
mod discovery;
mod events;
mod flow;
mod jobs;
mod nodes;
mod pods;
mod policies;
mod services;
mod storage;
mod workloads;

use crate::serve::table::{age, since};
use gotext::value::json;
use kube_api::labels::Selector;
use kube_api::{GroupVersionKind, Object, Value, pairs};

/// A column of a built-in kind.
pub(super) struct Column {
    pub(super) name: &'static str,
    pub(super) kind: &'static str,
    /// 0 if it is always printed.
    pub(super) priority: i64,
    cell: Cell,
}

/// How the cell of a column follows from an object. Paths have dots.
enum Cell {
    Name,
    Age,
    /// The time of creation.
    Created,
    /// The text at a path, or another one if it is empty.
    Text(&'static str, &'static str),
    Number(&'static str),
    Flag(&'static str),
    /// The length of the list at a path.
    Count(&'static str),
    /// The labels at a path.
    Labels(&'static str),
    /// The selector of labels at a path.
    Selector(&'static str),
    /// What a field of the containers at a path says.
    Containers(&'static str, &'static str),
    /// By this function, which also gets the time.
    By(fn(&Object, i64) -> Value),
}

const NONE: &str = "<none>";
const UNSET: &str = "<unset>";

/// Returns the columns of `kind`.
pub(super) fn columns(kind: &GroupVersionKind) -> &'static [Column] {
    let is_builtin = !kind.group.contains('.') || kind.group.ends_with(".k8s.io");
    let found = TABLE.iter().find(|(name, _)| is_builtin && *kind.kind == **name);
    found.map_or(OTHERS, |(_, columns)| columns)
}

impl Column {
    const fn new(name: &'static str, cell: Cell) -> Self {
        let kind = match cell {
            Cell::Number(_) | Cell::Count(_) => "integer",
            Cell::Flag(_) => "boolean",
            Cell::Created => "date",
            _ => "string",
        };
        Self { name, kind, priority: 0, cell }
    }

    /// A column of text.
    const fn text(name: &'static str, path: &'static str) -> Self {
        Self::new(name, Cell::Text(path, ""))
    }

    /// A column of text, or of `other` where there is none.
    const fn text_or(name: &'static str, path: &'static str, other: &'static str) -> Self {
        Self::new(name, Cell::Text(path, other))
    }

    const fn number(name: &'static str, path: &'static str) -> Self {
        Self::new(name, Cell::Number(path))
    }

    const fn by(name: &'static str, cell: fn(&Object, i64) -> Value) -> Self {
        Self::new(name, Cell::By(cell))
    }

    /// A column that is printed only with `-o wide`.
    const fn wide(self) -> Self {
        Self { priority: 1, ..self }
    }

    const fn of_kind(self, kind: &'static str) -> Self {
        Self { kind, ..self }
    }

    pub(super) fn format(&self) -> &'static str {
        if matches!(self.cell, Cell::Name) { "name" } else { "" }
    }

    pub(super) fn cell(&self, object: &Object, now: i64) -> Value {
        let steps = |path: &'static str| path.split('.').collect::<Vec<_>>();
        match self.cell {
            Cell::Name => object.name().into(),
            Cell::Age => age(object, now).into(),
            Cell::Created => object.text(["metadata", "creationTimestamp"]).into(),
            Cell::Text(path, other) => or(object.text(&steps(path)[..]), other),
            Cell::Number(path) => object.int(&steps(path)[..]).into(),
            Cell::Flag(path) => object.flag(&steps(path)[..]).into(),
            Cell::Count(path) => object.list(&steps(path)[..]).len().into(),
            Cell::Labels(path) => {
                let pairs = pairs(object.at(&steps(path)[..])).map(|(key, value)| format!("{key}={value}"));
                or(&pairs.collect::<Vec<_>>().join(","), NONE)
            }
            Cell::Selector(path) => match object.at(&steps(path)[..]).map(Selector::from_label_selector) {
                Some(Ok(selector)) => or(&selector.to_string(), NONE),
                Some(Err(_)) => "<error>".into(),
                None => NONE.into(),
            },
            Cell::Containers(path, field) => {
                let containers = object.items(&steps(path)[..]).map(|container| container.text(field));
                containers.collect::<Vec<_>>().join(",").into()
            }
            Cell::By(cell) => cell(object, now),
        }
    }
}

/// The first and the last column of custom resources.
pub(super) static NAME_AND_AGE: [Column; 2] = [NAME, AGE];

const NAME: Column = Column::new("Name", Cell::Name);
const AGE: Column = Column::new("Age", Cell::Age);
const CONTAINERS: Column = Column::new("Containers", Cell::Containers(TEMPLATE, "name")).wide();
const IMAGES: Column = Column::new("Images", Cell::Containers(TEMPLATE, "image")).wide();
const SELECTOR: Column = Column::new("Selector", Cell::Selector("spec.selector")).wide();
const TEMPLATE: &str = "spec.template.spec.containers";
const CRON_TEMPLATE: &str = "spec.jobTemplate.spec.template.spec.containers";

/// The columns of kinds that have none of their own.
///
/// Source: `rest.NewDefaultTableConvertor`
const OTHERS: &[Column] = &[NAME, Column::new("Created At", Cell::Created)];

const DESIRED: Column = Column::number("Desired", "spec.replicas");
const CURRENT: Column = Column::number("Current", "status.replicas");
const READY: Column = Column::number("Ready", "status.readyReplicas");

const PARAM_KIND: Column = Column::by("ParamKind", |policy, _| policies::param_kind(policy));
const PARAM_REF: Column = Column::by("ParamRef", |binding, _| policies::param_ref(binding));
const POLICY_NAME: Column = Column::text("PolicyName", "spec.policyName");
const WEBHOOKS: Column = Column::new("Webhooks", Cell::Count("webhooks"));
const BINDING: &[Column] = &[
    NAME,
    Column::by("Role", |binding, _| policies::role(binding)),
    AGE,
    Column::by("Users", |binding, _| policies::subjects(binding, "User")).wide(),
    Column::by("Groups", |binding, _| policies::subjects(binding, "Group")).wide(),
    Column::by("ServiceAccounts", |binding, _| policies::subjects(binding, "ServiceAccount")).wide(),
];

const TABLE: &[(&str, &[Column])] = &[
    (
        "APIService",
        &[
            NAME,
            Column::by("Service", |service, _| policies::backend(service)),
            Column::by("Available", |service, _| policies::availability(service)),
            AGE,
        ],
    ),
    (
        "CSIDriver",
        &[
            NAME,
            Column::by("AttachRequired", |driver, _| {
                driver.at(["spec", "attachRequired"]).and_then(Value::as_bool).unwrap_or(true).into()
            })
            .of_kind("boolean"),
            Column::new("PodInfoOnMount", Cell::Flag("spec.podInfoOnMount")),
            Column::new("StorageCapacity", Cell::Flag("spec.storageCapacity")),
            Column::by("TokenRequests", |driver, _| storage::audiences(driver)),
            Column::new("RequiresRepublish", Cell::Flag("spec.requiresRepublish")),
            Column::by("Modes", |driver, _| storage::modes(driver)),
            AGE,
        ],
    ),
    ("CSINode", &[NAME, Column::new("Drivers", Cell::Count("spec.drivers")), AGE]),
    (
        "CSIStorageCapacity",
        &[
            NAME,
            Column::text("StorageClassName", "storageClassName"),
            Column::text_or("Capacity", "capacity", UNSET),
        ],
    ),
    (
        "CertificateSigningRequest",
        &[
            NAME,
            AGE,
            Column::text_or("SignerName", "spec.signerName", NONE),
            Column::text("Requestor", "spec.username"),
            Column::by("RequestedDuration", |request, _| certificates::duration(request)),
            Column::by("Condition", |request, _| certificates::condition(request)),
        ],
    ),
    ("ClusterRoleBinding", BINDING),
    ("ClusterTrustBundle", &[NAME, Column::text_or("SignerName", "spec.signerName", NONE)]),
    ("ConfigMap", &[NAME, Column::by("Data", |map, _| storage::keys(map)), AGE]),
    (
        "ControllerRevision",
        &[
            NAME,
            Column::by("Controller", |revision, _| workloads::controller(revision)),
            Column::number("Revision", "revision").of_kind("string"),
            AGE,
        ],
    ),
    (
        "CronJob",
        &[
            NAME,
            Column::text("Schedule", "spec.schedule"),
            Column::text_or("Timezone", "spec.timeZone", NONE),
            Column::by("Suspend", |job, _| jobs::suspended(job)).of_kind("boolean"),
            Column::new("Active", Cell::Count("status.active")),
            Column::by("Last Schedule", jobs::last_schedule),
            AGE,
            Column::new("Containers", Cell::Containers(CRON_TEMPLATE, "name")).wide(),
            Column::new("Images", Cell::Containers(CRON_TEMPLATE, "image")).wide(),
            Column::new("Selector", Cell::Selector("spec.jobTemplate.spec.selector")).wide(),
        ],
    ),
    (
        "DaemonSet",
        &[
            NAME,
            Column::number("Desired", "status.desiredNumberScheduled"),
            Column::number("Current", "status.currentNumberScheduled"),
            Column::number("Ready", "status.numberReady"),
            Column::number("Up-to-date", "status.updatedNumberScheduled"),
            Column::number("Available", "status.numberAvailable"),
            Column::new("Node Selector", Cell::Labels("spec.template.spec.nodeSelector")),
            AGE,
            CONTAINERS,
            IMAGES,
            SELECTOR,
        ],
    ),
    (
        "Deployment",
        &[
            NAME,
            Column::by("Ready", |deployment, _| workloads::ready(deployment)),
            Column::number("Up-to-date", "status.updatedReplicas").of_kind("string"),
            Column::number("Available", "status.availableReplicas").of_kind("string"),
            AGE,
            CONTAINERS,
            IMAGES,
            SELECTOR,
        ],
    ),
    ("DeviceClass", &[NAME, AGE]),
    (
        "DeviceTaintRule",
        &[
            NAME,
            Column::text("Key", "spec.taint.key"),
            Column::text("Value", "spec.taint.value"),
            Column::text("Effect", "spec.taint.effect"),
            Column::by("TimeAdded", |rule, now| match rule.text(["spec", "taint", "timeAdded"]) {
                "" => "".into(),
                added => since(added, now).into(),
            }),
            AGE,
        ],
    ),
    (
        "EndpointSlice",
        &[
            NAME,
            Column::text("AddressType", "addressType"),
            Column::by("Ports", |slice, _| discovery::slice_ports(slice)),
            Column::by("Endpoints", |slice, _| discovery::slice_addresses(slice)),
            AGE,
        ],
    ),
    ("Endpoints", &[NAME, Column::by("Endpoints", |endpoints, _| discovery::endpoints(endpoints)), AGE]),
    (
        "Event",
        &[
            Column::by("Last Seen", events::last_seen),
            Column::text("Type", "type"),
            Column::text("Reason", "reason"),
            Column::by("Object", |event, _| events::object(event)),
            Column::by("Subobject", |event, _| events::target(event, "fieldPath")).wide(),
            Column::by("Source", |event, _| events::source(event)).wide(),
            Column::by("Message", |event, _| events::message(event)),
            Column::by("First Seen", events::first_seen).wide(),
            Column::by("Count", |event, _| events::count(event)).wide(),
            NAME.wide(),
        ],
    ),
    (
        "FlowSchema",
        &[
            NAME,
            Column::text("PriorityLevel", "spec.priorityLevelConfiguration.name"),
            Column::number("MatchingPrecedence", "spec.matchingPrecedence").of_kind("string"),
            Column::text_or("DistinguisherMethod", "spec.distinguisherMethod.type", NONE),
            AGE,
            Column::by("MissingPL", |schema, _| flow::dangling(schema)),
        ],
    ),
    (
        "HorizontalPodAutoscaler",
        &[
            NAME,
            Column::by("Reference", |scaler, _| autoscaling::reference(scaler)),
            Column::by("Targets", |scaler, _| autoscaling::targets(scaler)),
            Column::by("MinPods", |scaler, _| autoscaling::least(scaler)),
            Column::number("MaxPods", "spec.maxReplicas").of_kind("string"),
            Column::number("Replicas", "status.currentReplicas").of_kind("string"),
            AGE,
        ],
    ),
    ("IPAddress", &[NAME, Column::by("ParentRef", |address, _| discovery::parent(address))]),
    (
        "Ingress",
        &[
            NAME,
            Column::text_or("Class", "spec.ingressClassName", NONE),
            Column::by("Hosts", |ingress, _| services::hosts(ingress)),
            Column::by("Address", |ingress, _| services::balancers(ingress).join(",").into()),
            Column::by("Ports", |ingress, _| {
                if ingress.list(["spec", "tls"]).is_empty() { "80" } else { "80, 443" }.into()
            }),
            AGE,
        ],
    ),
    (
        "IngressClass",
        &[
            Column::by("Name", |class, _| storage::class_name(class)),
            Column::text("Controller", "spec.controller"),
            Column::by("Parameters", |class, _| services::parameters(class)),
            AGE,
        ],
    ),
    (
        "Job",
        &[
            NAME,
            Column::by("Status", |job, _| jobs::status(job).into()),
            Column::by("Completions", |job, _| jobs::completions(job)),
            Column::by("Duration", jobs::duration),
            AGE,
            CONTAINERS,
            IMAGES,
            SELECTOR,
        ],
    ),
    ("Lease", &[NAME, Column::text("Holder", "spec.holderIdentity"), AGE]),
    (
        "LeaseCandidate",
        &[
            NAME,
            Column::text("LeaseName", "spec.leaseName"),
            Column::text("BinaryVersion", "spec.binaryVersion"),
            Column::text("EmulationVersion", "spec.emulationVersion"),
            AGE,
        ],
    ),
    (
        "MutatingAdmissionPolicy",
        &[NAME, Column::new("Mutations", Cell::Count("spec.mutations")), PARAM_KIND, AGE],
    ),
    ("MutatingAdmissionPolicyBinding", &[NAME, POLICY_NAME, PARAM_REF, AGE]),
    ("MutatingWebhookConfiguration", &[NAME, WEBHOOKS, AGE]),
    ("Namespace", &[NAME, Column::text("Status", "status.phase"), AGE]),
    ("NetworkPolicy", &[NAME, Column::new("Pod-Selector", Cell::Selector("spec.podSelector")), AGE]),
    (
        "Node",
        &[
            NAME,
            Column::by("Status", |node, _| nodes::status(node).into()),
            Column::by("Roles", |node, _| nodes::roles(node)),
            AGE,
            Column::text("Version", "status.nodeInfo.kubeletVersion"),
            Column::by("Internal-IP", |node, _| nodes::address(node, "InternalIP")).wide(),
            Column::by("External-IP", |node, _| nodes::address(node, "ExternalIP")).wide(),
            Column::text_or("OS-Image", "status.nodeInfo.osImage", "<unknown>").wide(),
            Column::by("Kernel-Version", |node, _| nodes::kernel(node)).wide(),
            Column::text_or("Container-Runtime", "status.nodeInfo.containerRuntimeVersion", "<unknown>")
                .wide(),
        ],
    ),
    (
        "PersistentVolume",
        &[
            NAME,
            Column::text("Capacity", "spec.capacity.storage"),
            Column::by("Access Modes", |volume, _| storage::access_modes(volume, "spec")),
            Column::text("Reclaim Policy", "spec.persistentVolumeReclaimPolicy"),
            Column::by("Status", |volume, _| storage::phase(volume)),
            Column::by("Claim", |volume, _| storage::claim(volume)),
            Column::by("StorageClass", |volume, _| storage::class(volume)),
            Column::text_or("VolumeAttributesClass", "spec.volumeAttributesClassName", UNSET),
            Column::text("Reason", "status.reason"),
            AGE,
            Column::text_or("VolumeMode", "spec.volumeMode", UNSET).wide(),
        ],
    ),
    (
        "PersistentVolumeClaim",
        &[
            NAME,
            Column::by("Status", |claim, _| storage::phase(claim)),
            Column::text("Volume", "spec.volumeName"),
            Column::by("Capacity", |claim, _| storage::capacity(claim)),
            Column::by("Access Modes", |claim, _| storage::bound_modes(claim)),
            Column::by("StorageClass", |claim, _| storage::class(claim)),
            Column::text_or("VolumeAttributesClass", "spec.volumeAttributesClassName", UNSET),
            AGE,
            Column::text_or("VolumeMode", "spec.volumeMode", UNSET).wide(),
        ],
    ),
    (
        "Pod",
        &[
            NAME,
            Column::by("Ready", pods::ready),
            Column::by("Status", pods::status),
            Column::by("Restarts", pods::restarts),
            AGE,
            Column::by("IP", |pod, _| pods::address(pod)).wide(),
            Column::text_or("Node", "spec.nodeName", NONE).wide(),
            Column::text_or("Nominated Node", "status.nominatedNodeName", NONE).wide(),
            Column::by("Readiness Gates", |pod, _| pods::gates(pod)).wide(),
        ],
    ),
    (
        "PodCertificateRequest",
        &[
            NAME,
            Column::text("PodName", "spec.podName"),
            Column::text("ServiceAccountName", "spec.serviceAccountName"),
            Column::text("NodeName", "spec.nodeName"),
            Column::text("SignerName", "spec.signerName"),
            Column::by("State", |request, _| certificates::state(request).into()),
            Column::new("UnverifiedUserAnnotations", Cell::Labels("spec.unverifiedUserAnnotations")),
        ],
    ),
    (
        "PodDisruptionBudget",
        &[
            NAME,
            Column::by("Min Available", |budget, _| policies::limit(budget, "minAvailable")),
            Column::by("Max Unavailable", |budget, _| policies::limit(budget, "maxUnavailable")),
            Column::number("Allowed Disruptions", "status.disruptionsAllowed"),
            AGE,
        ],
    ),
    (
        "PodTemplate",
        &[
            NAME,
            Column::new("Containers", Cell::Containers("template.spec.containers", "name")),
            Column::new("Images", Cell::Containers("template.spec.containers", "image")),
            Column::new("Pod Labels", Cell::Labels("template.metadata.labels")),
        ],
    ),
    (
        "PriorityClass",
        &[
            NAME,
            Column::number("Value", "value"),
            Column::new("Global-Default", Cell::Flag("globalDefault")),
            AGE,
            Column::text("PreemptionPolicy", "preemptionPolicy"),
        ],
    ),
    (
        "PriorityLevelConfiguration",
        &[
            NAME,
            Column::text("Type", "spec.type"),
            Column::by("NominalConcurrencyShares", |level, _| flow::shares(level)),
            Column::by("Queues", |level, _| flow::queuing(level, "queues")),
            Column::by("HandSize", |level, _| flow::queuing(level, "handSize")),
            Column::by("QueueLengthLimit", |level, _| flow::queuing(level, "queueLengthLimit")),
            AGE,
        ],
    ),
    ("ReplicaSet", &[NAME, DESIRED, CURRENT, READY, AGE, CONTAINERS, IMAGES, SELECTOR]),
    (
        "ReplicationController",
        &[
            NAME,
            DESIRED,
            CURRENT,
            READY,
            AGE,
            CONTAINERS,
            IMAGES,
            Column::new("Selector", Cell::Labels("spec.selector")).wide(),
        ],
    ),
    ("ResourceClaim", &[NAME, Column::by("State", |claim, _| storage::claim_state(claim)), AGE]),
    ("ResourceClaimTemplate", &[NAME, AGE]),
    (
        "ResourceQuota",
        &[
            NAME,
            Column::by("Request", |quota, _| policies::quota(quota, false)),
            Column::by("Limit", |quota, _| policies::quota(quota, true)),
            AGE,
        ],
    ),
    (
        "ResourceSlice",
        &[
            NAME,
            Column::text("Node", "spec.nodeName"),
            Column::text("Driver", "spec.driver"),
            Column::text("Pool", "spec.pool.name"),
            AGE,
        ],
    ),
    ("RoleBinding", BINDING),
    ("RuntimeClass", &[NAME, Column::text("Handler", "handler"), AGE]),
    (
        "Scale",
        &[
            Column::text("Name", "metadata.name"),
            Column::number("Desired", "spec.replicas"),
            Column::number("Available", "status.replicas"),
            AGE,
        ],
    ),
    (
        "Secret",
        &[NAME, Column::text("Type", "type"), Column::by("Data", |secret, _| storage::keys(secret)), AGE],
    ),
    (
        "Service",
        &[
            NAME,
            Column::text("Type", "spec.type"),
            Column::by("Cluster-IP", |service, _| services::cluster_ip(service)),
            Column::by("External-IP", |service, _| services::external_ip(service).into()),
            Column::by("Port(s)", |service, _| services::ports(service)),
            AGE,
            Column::new("Selector", Cell::Labels("spec.selector")).wide(),
        ],
    ),
    ("ServiceAccount", &[NAME, AGE]),
    ("ServiceCIDR", &[NAME, Column::by("CIDRs", |range, _| discovery::ranges(range)), AGE]),
    ("StatefulSet", &[NAME, Column::by("Ready", |set, _| workloads::ready(set)), AGE, CONTAINERS, IMAGES]),
    (
        "StorageClass",
        &[
            Column::by("Name", |class, _| storage::class_name(class)),
            Column::text("Provisioner", "provisioner"),
            Column::text_or("ReclaimPolicy", "reclaimPolicy", "Delete"),
            Column::text_or("VolumeBindingMode", "volumeBindingMode", "Immediate"),
            Column::new("AllowVolumeExpansion", Cell::Flag("allowVolumeExpansion")).of_kind("string"),
            AGE,
        ],
    ),
    (
        "ValidatingAdmissionPolicy",
        &[NAME, Column::new("Validations", Cell::Count("spec.validations")), PARAM_KIND, AGE],
    ),
    ("ValidatingAdmissionPolicyBinding", &[NAME, POLICY_NAME, PARAM_REF, AGE]),
    ("ValidatingWebhookConfiguration", &[NAME, WEBHOOKS, AGE]),
    (
        "VolumeAttachment",
        &[
            NAME,
            Column::text("Attacher", "spec.attacher"),
            Column::text("PV", "spec.source.persistentVolumeName"),
            Column::text("Node", "spec.nodeName"),
            Column::new("Attached", Cell::Flag("status.attached")),
            AGE,
        ],
    ),
    ("VolumeAttributesClass", &[NAME, Column::text("DriverName", "driverName"), AGE]),
    ("Workload", &[NAME, AGE]),
];

/// Returns `text`, or `other` if it is empty.
fn or(text: &str, other: &str) -> Value {
    if text.is_empty() { other.into() } else { text.into() }
}

/// Returns the first items, and how many follow them.
fn some(all: &[String], most: usize, separator: &str) -> String {
    let shown = all[..all.len().min(most)].join(separator);
    if all.len() > most { format!("{shown} + {} more...", all.len() - most) } else { shown }
}

/// Returns the condition of this type.
fn condition<'a>(object: &'a Object, kind: &str) -> Option<&'a kube_api::Map> {
    object.items(["status", "conditions"]).find(|condition| condition.text("type") == kind)
}

/// Returns what a row says about a Pod that has ended.
pub(super) fn row_conditions(object: &Object) -> Vec<Value> {
    if &*object.kind.kind != "Pod" || !object.kind.group.is_empty() {
        return Vec::new();
    }
    let (reason, message) = match object.text(["status", "phase"]) {
        "Succeeded" => ("Succeeded", "The pod has completed successfully."),
        "Failed" => ("Failed", "The pod failed."),
        _ => return Vec::new(),
    };
    vec![json!({"type": "Completed", "status": "True", "reason": reason, "message": message})]
}

#[cfg(test)]
mod tests;
