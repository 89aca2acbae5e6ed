//! Pods.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/core`.

pub(crate) mod ephemeral_containers;
pub(crate) mod preparation;
mod resize;
mod seccomp;
pub(crate) mod status;
pub(crate) mod update;

use crate::gated::{Fields, Gated, fields, fields_since};
use crate::strategy::{ObjectStatus, Scope, Strategy, SubResource};
use crate::validation::declared;
use crate::validation::metadata::{name_is_dns_subdomain, validate_object_meta};
use crate::validation::node::{Errors, Node};
use crate::validation::pod;
use crate::validation::pod::annotations::validate_pod_specific_annotations;
use crate::validation::pod::{Options, Pod, validate_pod_spec};
use crate::warnings::Warnings;
use crate::{defaults, warnings};
use kube_api::features::Feature;
use kube_api::server_profile::ServerProfile;
use kube_api::tree::{child_mut, items_mut, set_if_zero};
use kube_api::{Map, Object, Value};

/// The strategy of `Pod`.
pub(crate) static STRATEGY: Strategy = Strategy {
    defaults: Some(|object, _, profile| defaults::pod::pod(object, profile)),
    status: ObjectStatus::Users,
    prepare_for_create: Some(|pod, context, warnings| {
        warnings.extend(preparation::for_create(pod, context.profile));
    }),
    prepare_for_update: Some(|pod, old, context| {
        preparation::for_update(pod, old, "", context.profile.release());
    }),
    gated: &[Gated::PodSpec(&["spec"]), Gated::Below(&[], POD)],
    prepared_times: Some(condition_times),
    validate: Some(|errors, object, old, context| {
        match old {
            None => validate_pod_create(errors, object, context.profile),
            Some(old) => update::validate_pod_update(errors, object, old, context.profile),
        }
        let (spec, old) = (object.child("spec"), old.map(|old| old.child("spec")));
        if spec.has("evictionResponders") {
            declared::validate(errors, "core/v1.PodSpec", &spec, old.as_ref(), context.profile);
        }
    }),
    warnings: Some(warnings),
    sub_resources: &[
        SubResource {
            prepare_for_update: Some(|pod, old, context| {
                preparation::for_update(pod, old, "ephemeralcontainers", context.profile.release());
            }),
            validate_update: Some(|errors, object, old, context| {
                update::validate_pod_ephemeral_containers_update(errors, object, old, context.profile);
            }),
            ..SubResource::new("ephemeralcontainers")
        },
        SubResource {
            prepare_for_update: Some(|pod, old, context| {
                preparation::for_update(pod, old, "resize", context.profile.release());
            }),
            validate_update: Some(|errors, object, old, context| {
                resize::validate_pod_resize(errors, object, old, context.profile);
            }),
            ..SubResource::new("resize")
        },
        SubResource {
            prepare_for_update: Some(|pod, old, context| {
                preparation::for_update(pod, old, "status", context.profile.release());
            }),
            validate_update: Some(|errors, object, old, context| {
                status::validate_pod_status_update(errors, object, old, context.profile);
            }),
            warnings: Some(warnings::address::of_status),
            ..SubResource::new("status")
        },
    ],
    ..Strategy::new("", "Pod")
};

/// The minor of the first release that drops fields of disabled gates from a status that is written.
const DROPS_FROM_STATUS: u32 = 33;

pub(crate) const POD: &[Fields] = &[
    fields_since(DROPS_FROM_STATUS, &[Feature::PodHostIPs], &["status/hostIPs"]),
    fields(
        &[Feature::InPlacePodLevelResourcesVerticalScaling],
        &["status/resources", "status/allocatedResources"],
    ),
    fields(&[Feature::DRAExtendedResource], &["status/extendedResourceClaimStatus"]),
    fields(&[Feature::CSIVolumeHealth], &["status/volumeHealth"]),
    fields(&[Feature::DRANodeAllocatableResources], &["status/nodeAllocatableResourceClaimStatuses"]),
    fields_since(
        DROPS_FROM_STATUS,
        &[Feature::ResourceHealthStatus],
        &[
            "status/containerStatuses/*/allocatedResourcesStatus",
            "status/initContainerStatuses/*/allocatedResourcesStatus",
            "status/ephemeralContainerStatuses/*/allocatedResourcesStatus",
        ],
    ),
    fields(
        &[Feature::ResourceHealthStatusMessage],
        &[
            "status/containerStatuses/*/allocatedResourcesStatus/*/resources/*/message",
            "status/initContainerStatuses/*/allocatedResourcesStatus/*/resources/*/message",
            "status/ephemeralContainerStatuses/*/allocatedResourcesStatus/*/resources/*/message",
        ],
    ),
    fields(
        &[Feature::ImageVolumeWithDigest],
        &[
            "status/containerStatuses/*/volumeMounts/*/volumeStatus",
            "status/initContainerStatuses/*/volumeMounts/*/volumeStatus",
            "status/ephemeralContainerStatuses/*/volumeMounts/*/volumeStatus",
        ],
    ),
];

fn warnings(pod: &Object, old: Option<&Object>, warnings: &mut Warnings<'_>) {
    if old.is_none()
        && let Value::Object(map) = &pod.value
    {
        warnings::dns_label_recommended(pod, "the Pod's hostname", warnings);
        warnings::pod::pod(map, warnings);
    }
}

/// The minor of the first release that sets the times of conditions.
const SETS_CONDITION_TIMES: u32 = 31;

/// Sets the times of a new Pod's conditions to its creation.
fn condition_times(pod: &mut Map, old: Option<&Object>, now: &str, profile: &ServerProfile) {
    if old.is_some() || profile.release().minor < SETS_CONDITION_TIMES {
        return;
    }
    for condition in child_mut(pod, "status").into_iter().flat_map(|status| items_mut(status, "conditions")) {
        set_if_zero(condition, "lastTransitionTime", now);
    }
}

/// Implements `ValidatePodCreate`.
fn validate_pod_create(errors: &mut Errors, object: &Node, profile: &ServerProfile) {
    let options = Options { resource_is_pod: true, ..Options::new(profile, None) };
    validate_pod_metadata_and_spec(errors, object, &options);
    let spec = object.child("spec");
    if spec.len("ephemeralContainers") > 0 {
        errors.forbidden(&spec.at("ephemeralContainers"), "cannot be set on create");
    }
    if !spec.text("nodeName").is_empty() && spec.len("schedulingGates") > 0 {
        errors.forbidden(&spec.at("nodeName"), "cannot be set until all schedulingGates have been cleared");
    }
    pod::security::validate_annotations_match_fields(errors, &object.child("metadata"), &spec);
}

/// Implements `validatePodMetadataAndSpec`.
fn validate_pod_metadata_and_spec(errors: &mut Errors, object: &Node, options: &Options) {
    let (metadata, spec) = (object.child("metadata"), object.child("spec"));
    validate_object_meta(errors, object, Scope::Namespaced, name_is_dns_subdomain);
    validate_pod_specific_annotations(errors, &metadata, &spec, options);
    validate_pod_spec(errors, &Pod::new(spec.clone(), Some(&metadata)), options);
    if spec.text("serviceAccountName").is_empty() && errors.since(12) {
        for volume in spec.items("volumes") {
            for source in volume.child("projected").items("sources") {
                if source.has("serviceAccountToken") {
                    let detail = "must not be specified when serviceAccountName is not set";
                    errors.forbidden(&source.at("serviceAccountToken"), detail);
                }
            }
        }
    }
    for list in ["containers", "initContainers"] {
        for container in spec.items(list) {
            pod::containers::validate_container_only_for_pod(errors, &container);
        }
    }
}
