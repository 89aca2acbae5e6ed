//! Volumes at nodes.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/storage`.

use crate::defaults::resources;
use crate::defaults::volume::volume_source;
use crate::preparation::keep_spec_and_metadata;
use crate::strategy::{ObjectStatus, Scope, Storage, Strategy, SubResource};
use crate::validation::equal::semantically_equal;
use crate::validation::metadata::{name_is_dns_subdomain, validate_object_meta};
use crate::validation::node::{Errors, IMMUTABLE, Node};
use crate::validation::pod::validate_csi_driver_name;
use crate::validation::storage::validate_persistent_volume_spec;
use kube_api::Map;
use kube_api::features::FeatureGates;
use kube_api::tree::child_mut;

/// The strategy of `VolumeAttachment`.
pub(crate) static STRATEGY: Strategy = Strategy {
    group: "storage.k8s.io",
    kind: "VolumeAttachment",
    resource: "volumeattachments",
    versions: &["v1"],
    scope: Scope::Cluster,
    storage: Storage::Stored,
    allow_create_on_update: false,
    allow_unconditional_update: false,
    defaults: Some(|object, _, _| set_defaults(object)),
    default_times: None,
    status: ObjectStatus::Controllers,
    prepare_for_create: None,
    prepare_for_update: None,
    gated: &[],
    prepared_times: None,
    as_validated: None,
    validate: Some(|errors, object, old, context| {
        validate_volume_attachment(errors, object, old, context.features);
    }),
    refuse: None,
    warnings: None,
    sub_resources: &[SubResource {
        name: "status",
        prepare_for_update: Some(keep_spec_and_metadata),
        prepared_times: None,
        validate_update: None,
        warnings: None,
    }],
};

/// Sets the defaults of an inline volume.
fn set_defaults(attachment: &mut Map) {
    if let Some(spec) = child_mut(attachment, ["spec", "source", "inlineVolumeSpec"]) {
        resources::round_up(spec, "capacity");
        volume_source(spec);
    }
}

/// Runs `ValidateVolumeAttachment`, and its update if there is an old object; the status was reset earlier.
fn validate_volume_attachment(
    errors: &mut Errors,
    object: &Node,
    old: Option<&Node>,
    features: &FeatureGates,
) {
    validate_object_meta(errors, object, Scope::Cluster, name_is_dns_subdomain);
    let spec = object.child("spec");
    validate_csi_driver_name(errors, &spec, "attacher");
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
        (Some(inline), None) => validate_persistent_volume_spec(errors, inline, "", true, false, features),
    }
    errors.each_of(&spec, "nodeName", name_is_dns_subdomain(spec.text("nodeName"), false));
    if let Some(name) = source.given("persistentVolumeName") {
        errors.each_of(&source, "persistentVolumeName", name_is_dns_subdomain(name, false));
    }
    if old.is_some_and(|old| {
        !semantically_equal("storage/v1.VolumeAttachmentSpec", old.raw("spec"), object.raw("spec"))
    }) {
        errors.invalid_value(&spec.here(), spec.value(), IMMUTABLE);
    }
}
