//! Volumes at nodes.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/storage`.

use crate::defaults::resources;
use crate::defaults::volume::volume_source;
use crate::gated::{Fields, Gated, fields};
use crate::preparation::keep_spec_and_metadata;
use crate::strategy::{ObjectStatus, Scope, Strategy, SubResource};
use crate::validation::equal::semantically_equal;
use crate::validation::metadata::{name_is_dns_subdomain, validate_object_meta};
use crate::validation::node::{Errors, IMMUTABLE, Node};
use crate::validation::pod::validate_csi_driver_name;
use crate::validation::storage::validate_persistent_volume_spec;
use kube_api::Map;
use kube_api::features::Feature;
use kube_api::server_profile::ServerProfile;
use kube_api::tree::child_mut;

/// The strategy of `VolumeAttachment`.
pub(crate) static STRATEGY: Strategy = Strategy {
    allow_unconditional_update: false,
    defaults: Some(|object, _, _| set_defaults(object)),
    status: ObjectStatus::Controllers,
    gated: &[Gated::Below(&["status"], STATUS)],
    validate: Some(|errors, object, old, context| {
        validate_volume_attachment(errors, object, old, context.profile);
    }),
    sub_resources: &[SubResource {
        prepare_for_update: Some(keep_spec_and_metadata),
        validate_update: Some(|errors, object, old, context| {
            validate_volume_attachment(errors, object, Some(old), context.profile);
        }),
        ..SubResource::new("status")
    }],
    ..Strategy::new("storage.k8s.io", "VolumeAttachment")
};

const STATUS: &[Fields] = &[
    fields(&[Feature::MutableCSINodeAllocatableCount], &["attachError/errorCode"]),
    fields(&[Feature::MutableCSINodeAllocatableCount], &["detachError/errorCode"]),
];

const MAX_METADATA: usize = 256 * 1024;
const MAX_MESSAGE: usize = 1024;

/// Sets the defaults of an inline volume.
fn set_defaults(attachment: &mut Map) {
    if let Some(spec) = child_mut(attachment, ["spec", "source", "inlineVolumeSpec"]) {
        resources::round_up(spec, "capacity");
        volume_source(spec);
    }
}

/// Runs `ValidateVolumeAttachment`, and its update if there is an old object.
fn validate_volume_attachment(
    errors: &mut Errors,
    object: &Node,
    old: Option<&Node>,
    profile: &ServerProfile,
) {
    validate_object_meta(errors, object, Scope::Cluster, name_is_dns_subdomain);
    let spec = object.child("spec");
    if old.is_none() || errors.since(36) {
        validate_csi_driver_name(errors, &spec, "attacher");
    } else if spec.text("attacher").is_empty() {
        errors.required(&spec.at("attacher"), "");
    }
    let source = spec.child("source");
    let inline = source.get("inlineVolumeSpec");
    let detail = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
    match (&inline, source.given("persistentVolumeName")) {
        (None, None) => errors.required(&source.here(), detail),
        (Some(_), Some(_)) => errors.forbidden(&source.here(), detail),
        (None, Some("")) => {
            let detail = "must specify non empty persistentVolumeName";
            errors.required(&source.at("persistentVolumeName"), detail);
        }
        (None, Some(_)) => {}
        (Some(inline), None) => validate_persistent_volume_spec(errors, inline, "", true, false, profile),
    }
    errors.each_of(&spec, "nodeName", name_is_dns_subdomain(spec.text("nodeName"), false));
    validate_status(errors, &object.child("status"));
    if let Some(name) = source.given("persistentVolumeName") {
        errors.each_of(&source, "persistentVolumeName", name_is_dns_subdomain(name, false));
    }
    if old.is_some_and(|old| {
        !semantically_equal("storage/v1.VolumeAttachmentSpec", old.raw("spec"), object.raw("spec"))
    }) {
        errors.invalid_typed(&spec.here(), "internal.VolumeAttachmentSpec", spec.value(), IMMUTABLE);
    }
}

/// Implements `validateVolumeAttachmentStatus`.
fn validate_status(errors: &mut Errors, status: &Node) {
    let size: usize = status.pairs("attachmentMetadata").map(|(key, value)| key.len() + value.len()).sum();
    if size > MAX_METADATA {
        errors.too_long(&status.at("attachmentMetadata"), MAX_METADATA);
    }
    for error in ["attachError", "detachError"].into_iter().filter_map(|field| status.get(field)) {
        if error.text("message").len() > MAX_MESSAGE {
            // Upstream names the limit of the metadata here.
            errors.too_long(&error.at("message"), MAX_METADATA);
        }
        if error.int("errorCode") < 0 {
            let detail = format!("must be between 0 and {}, inclusive", i32::MAX);
            errors.invalid_int(&error.at("errorCode"), error.int("errorCode"), detail);
        }
    }
}
