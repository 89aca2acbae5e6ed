//! Pods.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/core`.

pub(in crate::registry) mod preparation;
pub(in crate::registry) mod status;
pub(in crate::registry) mod update;

use crate::api::features::FeatureGates;
use crate::api::{Object, Value};
use crate::registry::gated::{Fields, Gated, fields};
use crate::registry::strategy::{ObjectStatus, Scope, Storage, Strategy, SubResource};
use crate::registry::validation::pod;
use crate::registry::{defaults, warnings};

/// What the server does with a `Pod`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "",
    kind: "Pod",
    resource: "pods",
    versions: &["v1"],
    scope: Scope::Namespaced,
    storage: Storage::Stored,
    allow_create_on_update: false,
    allow_unconditional_update: true,
    defaults: Some(|object, _, features| defaults::pod::pod(object, features)),
    default_times: None,
    status: ObjectStatus::Users,
    prepare_for_create: Some(|pod, context, warnings| {
        warnings.extend(preparation::for_create(pod, context.features));
    }),
    prepare_for_update: Some(|pod, old, _| preparation::for_update(pod, old, "")),
    gated: &[Gated::PodSpec(&["spec"]), Gated::Below(&[], POD)],
    prepared_times: Some(crate::registry::preparation::condition_times),
    as_validated: None,
    validate: Some(|errors, object, old, context| match old {
        None => pod::validate_pod_create(errors, object, context.features),
        Some(old) => pod::validate_pod_update(errors, object, old, context.features),
    }),
    refuse: None,
    warnings: Some(warnings),
    sub_resources: &[
        SubResource {
            name: "ephemeralcontainers",
            prepare_for_update: Some(|pod, old, _| {
                preparation::for_update(pod, old, "ephemeralcontainers");
            }),
            prepared_times: None,
            validate_update: Some(|errors, object, old, context| {
                pod::validate_pod_ephemeral_containers_update(errors, object, old, context.features);
            }),
            warnings: None,
        },
        SubResource {
            name: "resize",
            prepare_for_update: Some(|pod, old, _| preparation::for_update(pod, old, "resize")),
            prepared_times: None,
            validate_update: Some(|errors, object, old, context| {
                pod::validate_pod_resize(errors, object, old, context.features);
            }),
            warnings: None,
        },
        SubResource {
            name: "status",
            prepare_for_update: Some(|pod, old, _| preparation::for_update(pod, old, "status")),
            prepared_times: None,
            validate_update: Some(|errors, object, old, context| {
                pod::validate_pod_status_update(errors, object, old, context.features);
            }),
            warnings: Some(warnings::address::of_status),
        },
    ],
};

pub(in crate::registry) const POD: &[Fields] = &[
    fields(&["InPlacePodLevelResourcesVerticalScaling"], &["status/resources", "status/allocatedResources"]),
    fields(&["DRAExtendedResource"], &["status/extendedResourceClaimStatus"]),
    fields(&["DRANodeAllocatableResources"], &["status/nodeAllocatableResourceClaimStatuses"]),
    fields(
        &["ResourceHealthStatus"],
        &[
            "status/containerStatuses/*/allocatedResourcesStatus",
            "status/initContainerStatuses/*/allocatedResourcesStatus",
            "status/ephemeralContainerStatuses/*/allocatedResourcesStatus",
        ],
    ),
    fields(
        &["ResourceHealthStatusMessage"],
        &[
            "status/containerStatuses/*/allocatedResourcesStatus/*/resources/*/message",
            "status/initContainerStatuses/*/allocatedResourcesStatus/*/resources/*/message",
            "status/ephemeralContainerStatuses/*/allocatedResourcesStatus/*/resources/*/message",
        ],
    ),
    fields(
        &["ImageVolumeWithDigest"],
        &[
            "status/containerStatuses/*/volumeMounts/*/volumeStatus",
            "status/initContainerStatuses/*/volumeMounts/*/volumeStatus",
            "status/ephemeralContainerStatuses/*/volumeMounts/*/volumeStatus",
        ],
    ),
];

pub(in crate::registry) fn warnings(pod: &Object, old: Option<&Object>, _: &FeatureGates) -> Vec<String> {
    let mut warnings = Vec::new();
    if old.is_none()
        && let Value::Object(map) = &pod.value
    {
        warnings::dns_label_recommended(pod, "the Pod's hostname", &mut warnings);
        warnings::pod::pod(map, &mut warnings);
    }
    warnings
}
