//! The kinds that have columns of their own, and these columns.

use crate::serve::table::built_in::{
    AGE, Cell, Column, NAME, NONE, UNSET, autoscaling, certificates, discovery, events, flow, jobs, nodes,
    pods, policies, services, storage, workloads,
};
use crate::serve::table::since;
use kube_api::Value;

const CONTAINERS: Column = Column::new("Containers", Cell::Containers(TEMPLATE, "name")).wide();
const IMAGES: Column = Column::new("Images", Cell::Containers(TEMPLATE, "image")).wide();
const SELECTOR: Column = Column::new("Selector", Cell::Selector("spec.selector")).wide();
const TEMPLATE: &str = "spec.template.spec.containers";
const CRON_TEMPLATE: &str = "spec.jobTemplate.spec.template.spec.containers";

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

/// The columns of each kind, by its name.
pub(super) const TABLE: &[(&str, &[Column])] = &[
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
