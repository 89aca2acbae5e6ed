//! Persistent volumes.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/core`.

use crate::core::persistent_volume_claim::validate_first_class_update;
use crate::defaults::resources;
use crate::defaults::volume::volume_source;
use crate::gated::{Fields, Gated, fields};
use crate::preparation::keep_spec;
use crate::strategy::{ObjectStatus, Scope, Strategy, SubResource};
use crate::validation::difference::difference;
use crate::validation::equal::{plainly_equal, semantically_equal};
use crate::validation::metadata;
use crate::validation::metadata::{name_is_dns_subdomain, validate_object_meta};
use crate::validation::node::{Errors, IMMUTABLE, Node};
use crate::validation::pod::has_invalid_label_value;
use crate::validation::storage::{SOURCES, validate_persistent_volume_spec};
use crate::warnings::Warnings;
use crate::warnings::node_label;
use crate::warnings::volume::{STORAGE_CLASS_ANNOTATION, fate_of_plugin, printed};
use gotext::value::json;
use kube_api::features::Feature;
use kube_api::field::Path;
use kube_api::server_profile::ServerProfile;
use kube_api::tree::{child_mut, child_or_insert, set, set_if_absent, set_if_zero};
use kube_api::{Map, Object, Value};

/// The strategy of `PersistentVolume`.
pub(crate) static STRATEGY: Strategy = Strategy {
    defaults: Some(|object, _, _| set_defaults(object)),
    status: ObjectStatus::Initialized(|volume| set(volume, "status", json!({"phase": "Pending"}))),
    prepare_for_create: Some(|volume, context, _| drop_attributes_class(volume, None, context.profile)),
    prepare_for_update: Some(|volume, old, context| {
        drop_attributes_class(volume, Some(old), context.profile);
    }),
    gated: &[Gated::Below(&[], PERSISTENT_VOLUME)],
    prepared_times: Some(|volume, old, now, profile| fill_phase_time(volume, old, "", now, profile)),
    validate: Some(|errors, object, old, context| {
        validate_persistent_volume(errors, object, old, context.profile);
    }),
    warnings: Some(warnings),
    sub_resources: &[SubResource {
        prepare_for_update: Some(keep_spec),
        prepared_times: Some(|volume, old, now, profile| {
            fill_phase_time(volume, old, "status", now, profile);
        }),
        validate_update: Some(|errors, object, old, _| {
            metadata::validate_object_meta_update(errors, object, old);
        }),
        ..SubResource::new("status")
    }],
    ..Strategy::new("", "PersistentVolume")
};

/// The minor of the first release that drops the class of attributes if its gate is off.
const DROPS_ATTRIBUTES_CLASS: u32 = 31;

/// Drops the class of attributes, unless the gate is on or the `old` volume had one.
fn drop_attributes_class(volume: &mut Map, old: Option<&Map>, profile: &ServerProfile) {
    const FIELD: &str = "volumeAttributesClassName";
    let had = old.and_then(|old| old.child("spec")).is_some_and(|spec| spec.has(FIELD));
    let is_off = !profile.enabled(Feature::VolumeAttributesClass);
    if is_off && !had && profile.release().minor >= DROPS_ATTRIBUTES_CLASS {
        child_or_insert(volume, "spec").remove(FIELD);
    }
}

const PERSISTENT_VOLUME: &[Fields] =
    &[fields(&[Feature::CSINodeExpandSecret], &["spec/csi/nodeExpandSecretRef"])];

fn warnings(object: &Object, _: Option<&Object>, warnings: &mut Warnings<'_>) {
    let Value::Object(map) = &object.value else { return };
    let empty = Map::new();
    let spec = map.child("spec").unwrap_or(&empty);
    persistent_volume(object, spec, warnings);
}

/// Sets the defaults of `PersistentVolume`.
fn set_defaults(volume: &mut Map) {
    set_if_zero(child_or_insert(volume, "status"), "phase", "Pending");
    let spec = child_or_insert(volume, "spec");
    set_if_zero(spec, "persistentVolumeReclaimPolicy", "Retain");
    set_if_absent(spec, "volumeMode", "Filesystem");
    resources::round_up(spec, "capacity");
    volume_source(spec);
}

/// Sets the time of a volume's phase: now, if it is new or its phase changed.
fn fill_phase_time(
    volume: &mut Map,
    old: Option<&Object>,
    sub_resource: &str,
    now: &str,
    profile: &ServerProfile,
) {
    const FIELD: &str = "lastPhaseTransitionTime";
    if !profile.enabled(Feature::PersistentVolumeLastPhaseTransitionTime) {
        return;
    }
    let Some(status) = child_mut(volume, "status") else { return };
    let Some(old) = old else {
        set(status, FIELD, now);
        return;
    };
    if sub_resource != "status" {
        return;
    }
    let known = old.at(["status", FIELD]);
    let is_same_phase = old.text(["status", "phase"]) == status.text("phase");
    match known {
        Some(time) if is_same_phase && !status.has(FIELD) => set(status, FIELD, time.clone()),
        _ if !is_same_phase && (!status.has(FIELD) || status.get(FIELD) == known) => set(status, FIELD, now),
        _ => {}
    }
}

/// Runs `ValidatePersistentVolume`, and `ValidatePersistentVolumeUpdate` if there is an old object; the latter repeats
/// the former's checks.
fn validate_persistent_volume(
    errors: &mut Errors,
    object: &Node,
    old: Option<&Node>,
    profile: &ServerProfile,
) {
    let spec = object.child("spec");
    let before = old.map(|old| old.child("spec"));
    let lenient = before
        .as_ref()
        .is_some_and(|before| has_invalid_label_value(&before.child("nodeAffinity").child("required")));
    let whole = |errors: &mut Errors| {
        validate_object_meta(errors, object, Scope::Cluster, name_is_dns_subdomain);
        let name = object.child("metadata").text("name");
        validate_persistent_volume_spec(errors, &spec, name, false, lenient, profile);
    };
    whole(errors);
    validate_mount_options(errors, object);
    let Some(before) = before else { return };
    whole(errors);
    let source = |spec: &Node| -> Value {
        let given = SOURCES.iter().filter(|(field, ..)| spec.has(field));
        given
            .map(|(field, ..)| ((*field).to_owned(), spec.raw(field).clone()))
            .collect::<gotext::value::Map>()
            .into()
    };
    let (mut now, then) = (source(&spec), source(&before));
    if then["csi"].is_object()
        && then["csi"]["controllerExpandSecretRef"].is_null()
        && let Some(csi) = now.get_mut("csi").and_then(Value::as_object_mut)
    {
        csi.remove("controllerExpandSecretRef");
    }
    if !semantically_equal("core/v1.PersistentVolumeSpec", &now, &then) {
        let detail = if errors.since(19) {
            let changes = difference(profile.release(), "internal.PersistentVolumeSource", &then, &now);
            format!("spec.persistentvolumesource is immutable after creation\n{changes}")
        } else {
            "is immutable after creation".to_owned()
        };
        errors.forbidden(&spec.at("persistentvolumesource"), detail);
    }
    if spec.raw("volumeMode") != before.raw("volumeMode") {
        errors.invalid_value(&Path::new("volumeMode"), spec.raw("volumeMode"), IMMUTABLE);
    }
    let affinity = before.get("nodeAffinity").filter(|_| !profile.enabled(Feature::MutablePVNodeAffinity));
    if let Some(affinity) = affinity {
        validate_node_affinity_update(errors, &spec, &affinity);
    }
    if !errors.since(34) {
        validate_first_class_update(errors, &spec, &before, profile);
    } else if before.has("volumeAttributesClassName") && !spec.has("volumeAttributesClassName") {
        let detail = "update from non-nil value to nil is forbidden";
        errors.forbidden(&spec.at("volumeAttributesClassName"), detail);
    }
}

/// Implements `checkMountOption`.
fn validate_mount_options(errors: &mut Errors, object: &Node) {
    const MOUNT_OPTIONS: &str = "volume.beta.kubernetes.io/mount-options";
    const MOUNTED: [&str; 13] = [
        "gcePersistentDisk",
        "awsElasticBlockStore",
        "glusterfs",
        "nfs",
        "rbd",
        "quobyte",
        "iscsi",
        "cinder",
        "cephfs",
        "azureFile",
        "vsphereVolume",
        "azureDisk",
        "photonPersistentDisk",
    ];
    let spec = object.child("spec");
    let metadata = object.child("metadata");
    let given = metadata.raw("annotations").get(MOUNT_OPTIONS).is_some();
    if given && !MOUNTED.iter().any(|field| spec.has(field)) {
        let path = metadata.at("annotations").child(MOUNT_OPTIONS);
        errors.forbidden(&path, "may not specify mount options for this volume type");
    }
}

/// Implements `validatePvNodeAffinity`: labels may change from their beta names to the current ones, nothing else.
fn validate_node_affinity_update(errors: &mut Errors, spec: &Node, old: &Node) {
    const RENAMED: [(&str, &str); 5] = [
        ("failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"),
        ("failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"),
        ("beta.kubernetes.io/os", "kubernetes.io/os"),
        ("beta.kubernetes.io/arch", "kubernetes.io/arch"),
        ("beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type"),
    ];
    let now = spec.raw("nodeAffinity");
    let mut before = old.value().clone();
    for term in 0..old.child("required").len("nodeSelectorTerms") {
        for list in ["matchExpressions", "matchFields"] {
            let place = format!("/required/nodeSelectorTerms/{term}/{list}");
            let requirements = before.pointer_mut(&place).and_then(Value::as_array_mut);
            for (index, requirement) in requirements.into_iter().flatten().enumerate() {
                let key = now.pointer(&format!("{place}/{index}/key")).and_then(Value::as_str);
                let renamed = RENAMED.iter().find(|(beta, _)| requirement["key"] == *beta);
                if let Some((_, stable)) = renamed.filter(|(_, stable)| key == Some(stable)) {
                    requirement["key"] = Value::from(*stable);
                }
            }
        }
    }
    if !plainly_equal(now, &before) {
        let detail = "field is immutable, except for updating from beta label to GA";
        errors.invalid_typed(&Path::new("nodeAffinity"), "internal.VolumeNodeAffinity", now, detail);
    }
}

fn persistent_volume(volume: &Object, spec: &Map, warnings: &mut Warnings<'_>) {
    let annotations = [
        (28, STORAGE_CLASS_ANNOTATION, "deprecated since v1.8; use \"storageClassName\" attribute instead"),
        (
            31,
            "volume.beta.kubernetes.io/mount-options",
            "deprecated since v1.31; use \"mountOptions\" attribute instead",
        ),
    ];
    for (since, annotation, message) in annotations {
        if volume.annotation(annotation).is_some() && warnings.since(since) {
            warnings.push(format!("metadata.annotations[{annotation}]: {message}"));
        }
    }
    if spec.text("persistentVolumeReclaimPolicy") == "Recycle" && warnings.since(30) {
        warnings.push(
            "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended \
             approach is to use dynamic provisioning."
                .to_owned(),
        );
    }
    let required = spec.child(["nodeAffinity", "required"]);
    if let Some(required) = required.filter(|_| warnings.since(node_label::EVERYWHERE)) {
        let path = Path::new("spec.nodeAffinity.required.nodeSelectorTerms");
        for (index, term) in required.items("nodeSelectorTerms").enumerate() {
            node_label::selector_term(term, false, &path.index(index), warnings);
        }
    }
    for plugin in ["cephfs", "photonPersistentDisk", "scaleIO", "storageos", "glusterfs", "rbd"] {
        if spec.has(plugin)
            && warnings.since(28)
            && let Some(fate) = fate_of_plugin(plugin, warnings)
        {
            warnings.push(format!("spec.{}: {fate}", printed(plugin)));
        }
    }
}
