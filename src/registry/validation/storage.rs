//! Persistent volumes, and the storage group.
//!
//! Source: `ValidatePersistentVolume`, `k8s.io/kubernetes/pkg/apis/storage/validation`.

use std::collections::{BTreeMap, BTreeSet};

use super::claim::validate_access_modes;
use super::core::validate_meta;
use super::difference::difference;
use super::equal::semantically_equal;
use super::metadata::{
    Scope, name_is_dns_subdomain, validate_label_name, validate_object_meta, validate_object_meta_update,
};
use super::node::{Errors, IMMUTABLE, Node};
use super::pod::{
    ISCSI_TOO_LONG, has_invalid_label_value, validate_csi_driver_name, validate_iscsi,
    validate_node_selector, validate_path_no_backsteps, validate_shared_source,
};
use super::resources::{
    quantity, validate_basic_resource, validate_non_negative_quantity, validate_positive_quantity_value,
};
use super::selector::validate_label_selector;
use crate::api::features::FeatureGates;
use crate::api::field::{Error, Path};
use crate::api::{Value, names};

/// The sources of a persistent volume in the order in which they are looked at: the field, and the field that
/// upstream names when there is more than one source, or when something in it is wrong.
const SOURCES: [(&str, &str, &str); 22] = [
    ("hostPath", "hostPath", "hostPath"),
    ("gcePersistentDisk", "gcePersistentDisk", "persistentDisk"),
    ("awsElasticBlockStore", "awsElasticBlockStore", "awsElasticBlockStore"),
    ("glusterfs", "glusterfs", "glusterfs"),
    ("flocker", "flocker", "flocker"),
    ("nfs", "nfs", "nfs"),
    ("rbd", "rbd", "rbd"),
    ("quobyte", "quobyte", "quobyte"),
    ("cephfs", "cephFS", "cephfs"),
    ("iscsi", "iscsi", "iscsi"),
    ("cinder", "cinder", "cinder"),
    ("fc", "fc", "fc"),
    ("flexVolume", "flexVolume", "flexVolume"),
    ("azureFile", "azureFile", "azureFile"),
    ("vsphereVolume", "vsphereVolume", "vsphereVolume"),
    ("photonPersistentDisk", "photonPersistentDisk", "photonPersistentDisk"),
    ("portworxVolume", "portworxVolume", "portworxVolume"),
    ("azureDisk", "azureDisk", "azureDisk"),
    ("scaleIO", "scaleIO", "scaleIO"),
    ("local", "local", "local"),
    ("storageos", "storageos", "storageos"),
    ("csi", "csi", "csi"),
];

const CSI_SECRETS: [&str; 4] = [
    "controllerPublishSecretRef",
    "controllerExpandSecretRef",
    "nodePublishSecretRef",
    "nodeExpandSecretRef",
];

/// `ValidatePersistentVolume`, and `ValidatePersistentVolumeUpdate` where there is an old one, which asks the same again.
pub(super) fn validate_persistent_volume(
    errors: &mut Errors,
    object: &Node,
    old: Option<&Node>,
    features: &FeatureGates,
) {
    let spec = object.child("spec");
    let before = old.map(|old| old.child("spec"));
    let lenient = before
        .as_ref()
        .is_some_and(|before| has_invalid_label_value(&before.child("nodeAffinity").child("required")));
    let whole = |errors: &mut Errors| {
        validate_object_meta(errors, object, Scope::Cluster, name_is_dns_subdomain);
        validate_persistent_volume_spec(errors, &spec, object.child("metadata").text("name"), false, lenient);
    };
    whole(errors);
    validate_mount_options(errors, object);
    let Some(before) = before else { return };
    whole(errors);
    let source = |spec: &Node| -> Value {
        let given = SOURCES.iter().filter(|(field, ..)| spec.has(field));
        given
            .map(|(field, ..)| ((*field).to_owned(), spec.raw(field).clone()))
            .collect::<crate::value::Map>()
            .into()
    };
    let (mut now, then) = (source(&spec), source(&before));
    if then["csi"].is_object()
        && then["csi"]["controllerExpandSecretRef"].is_null()
        && let Some(csi) = now.get_mut("csi").and_then(Value::as_object_mut)
    {
        csi.remove("controllerExpandSecretRef");
    }
    if !semantically_equal(&now, &then) {
        let changes = difference("internal.PersistentVolumeSource", &then, &now);
        let detail = format!("spec.persistentvolumesource is immutable after creation\n{changes}");
        errors.forbidden(&spec.at("persistentvolumesource"), detail);
    }
    if spec.raw("volumeMode") != before.raw("volumeMode") {
        errors.invalid_value(&Path::new("volumeMode"), spec.raw("volumeMode"), IMMUTABLE);
    }
    let affinity = before.get("nodeAffinity").filter(|_| !features.enabled("MutablePVNodeAffinity"));
    if let Some(affinity) = affinity {
        validate_node_affinity_update(errors, &spec, &affinity);
    }
    if before.has("volumeAttributesClassName") && !spec.has("volumeAttributesClassName") {
        let detail = "update from non-nil value to nil is forbidden";
        errors.forbidden(&spec.at("volumeAttributesClassName"), detail);
    }
}

/// `checkMountOption`
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

/// `validatePvNodeAffinity`: labels may go from their beta names to those of today, nothing else changes.
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
    if !semantically_equal(now, &before) {
        let detail = "field is immutable, except for updating from beta label to GA";
        errors.invalid_typed(&Path::new("nodeAffinity"), "internal.VolumeNodeAffinity", now, detail);
    }
}

/// `ValidatePersistentVolumeSpec`; an inline one stands in a volume attachment.
fn validate_persistent_volume_spec(
    errors: &mut Errors,
    spec: &Node,
    name: &str,
    inline: bool,
    lenient: bool,
) {
    let context = "may not be specified in the context of inline volumes";
    if inline {
        if spec.has("claimRef") {
            errors.forbidden(&spec.at("claimRef"), context);
        }
        if spec.len("capacity") > 0 {
            errors.forbidden(&spec.at("capacity"), context);
        }
        if !spec.has("csi") {
            errors.required(&spec.at("csi"), "has to be specified in the context of inline volumes");
        }
    }
    if spec.len("accessModes") == 0 {
        errors.required(&spec.at("accessModes"), "");
    }
    validate_access_modes(errors, spec);
    if !inline {
        validate_capacity(errors, spec);
    }
    match (spec.text("persistentVolumeReclaimPolicy"), inline) {
        ("", _) | ("Retain", true) => {}
        (_, true) => {
            let detail = "may only be Retain in the context of inline volumes";
            errors.forbidden(&spec.at("persistentVolumeReclaimPolicy"), detail);
        }
        _ => errors.one_of(spec, "persistentVolumeReclaimPolicy", &["Delete", "Recycle", "Retain"]),
    }
    if let Some(affinity) = spec.get("nodeAffinity") {
        if inline {
            errors.forbidden(&affinity.here(), context);
        } else if let Some(selector) = affinity.get("required") {
            validate_node_selector(errors, &selector, lenient);
        } else {
            errors.required(&affinity.at("required"), "must specify required node constraints");
        }
    }
    validate_sources(errors, spec, name, inline);
    let recycles = spec.text("persistentVolumeReclaimPolicy") == "Recycle";
    let path = spec.child("hostPath").text("path");
    if recycles
        && !path.is_empty()
        && path.split('/').all(|step| ["", "."].contains(&step))
        && path.starts_with('/')
    {
        let detail = "may not be 'recycle' for a hostPath mount of '/'";
        errors.forbidden(&spec.at("persistentVolumeReclaimPolicy"), detail);
    }
    validate_classes(errors, spec, inline, context);
}

fn validate_capacity(errors: &mut Errors, spec: &Node) {
    let path = spec.at("capacity");
    if spec.len("capacity") == 0 {
        errors.required(&path, "");
    }
    if spec.raw("capacity").get("storage").is_none() || spec.len("capacity") > 1 {
        errors.push(Error::not_supported(&path, spec.raw("capacity"), &["storage"]));
    }
    for (name, amount) in spec.entries("capacity") {
        let (amount, path) = (quantity(amount), path.key(name));
        validate_basic_resource(errors, &amount, &path);
        validate_positive_quantity_value(errors, &amount, &path);
    }
}

fn validate_sources(errors: &mut Errors, spec: &Node, name: &str, inline: bool) {
    let mut found = false;
    for (field, plural, singular) in SOURCES {
        if !spec.has(field) {
            continue;
        }
        if found && field != "flexVolume" {
            errors.forbidden(&spec.at(plural), "may not specify more than 1 volume type");
            continue;
        }
        found = true;
        let source = &Node::new(spec.at(singular), spec.raw(field));
        validate_source(errors, field, source, name);
        if field == "local" && (inline || !spec.has("nodeAffinity")) {
            errors.required(&spec.at("nodeAffinity"), "Local volume requires node affinity");
        }
    }
    if !found {
        errors.required(&spec.here(), "must specify a volume type");
    }
}

fn validate_source(errors: &mut Errors, kind: &str, source: &Node, name: &str) {
    match kind {
        "iscsi" => {
            let portal = source.text("targetPortal");
            if source.has("initiatorName") && name.len() + 1 + portal.len() > 64 {
                errors.invalid(&source.at("targetportal"), portal, ISCSI_TOO_LONG);
            }
            validate_iscsi(errors, source, "must be valid format");
            if let Some(secret) = source.get("secretRef") {
                errors.require_text(&secret, "name");
            }
        }
        "glusterfs" => {
            validate_shared_source(errors, kind, source);
            match source.given("endpointsNamespace") {
                None => {}
                Some("") => {
                    let detail = "if the endpointnamespace is set, it must be a valid namespace name";
                    errors.invalid(&source.at("endpointsNamespace"), "", detail);
                }
                Some(namespace) => {
                    errors.each_of(source, "endpointsNamespace", names::is_dns1123_label(namespace));
                }
            }
        }
        "cinder" | "storageos" => {
            validate_shared_source(errors, kind, source);
            if let Some(secret) = source.get("secretRef") {
                errors.require_text(&secret, "name");
                errors.require_text(&secret, "namespace");
            }
        }
        "azureFile" => {
            errors.require_text(source, "secretName");
            errors.require_text(source, "shareName");
            if source.given("secretNamespace") == Some("") {
                errors.required(&source.at("secretNamespace"), "");
            }
        }
        "local" => {
            if errors.require_text(source, "path") {
                validate_path_no_backsteps(errors, source.text("path"), || source.at("path"));
            }
        }
        "csi" => {
            validate_csi_driver_name(errors, source, "driver");
            errors.require_text(source, "volumeHandle");
            for field in CSI_SECRETS {
                let Some(secret) = source.get(field) else { continue };
                if errors.require_text(&secret, "name") {
                    errors.each_of(&secret, "name", names::is_dns1123_subdomain(secret.text("name")));
                }
                if errors.require_text(&secret, "namespace") {
                    errors.each_of(&secret, "namespace", names::is_dns1123_label(secret.text("namespace")));
                }
            }
        }
        _ => validate_shared_source(errors, kind, source),
    }
}

fn validate_classes(errors: &mut Errors, spec: &Node, inline: bool, context: &str) {
    let class = spec.text("storageClassName");
    if !class.is_empty() {
        if inline {
            errors.forbidden(&spec.at("storageClassName"), context);
        } else {
            errors.each_of(spec, "storageClassName", name_is_dns_subdomain(class, false));
        }
    }
    match spec.given("volumeMode") {
        Some(mode) if inline && mode != "Filesystem" => {
            let detail = "may not specify volumeMode other than Filesystem in the context of inline volumes";
            errors.forbidden(&spec.at("volumeMode"), detail);
        }
        Some(_) if !inline => errors.one_of(spec, "volumeMode", &["Block", "Filesystem"]),
        _ => {}
    }
    let Some(class) = spec.given("volumeAttributesClassName").filter(|_| !inline) else { return };
    if class.is_empty() {
        errors.required(&spec.at("volumeAttributesClassName"), "an empty string is disallowed");
    } else {
        errors.each_of(spec, "volumeAttributesClassName", name_is_dns_subdomain(class, false));
    }
    if !spec.has("csi") {
        errors.required(&spec.at("csi"), "has to be specified when using volumeAttributesClassName");
    }
}

/// `ValidateStorageClass`, and `ValidateStorageClassUpdate` where there is an old one.
pub(super) fn validate_storage_class(errors: &mut Errors, object: &Node, old: Option<&Node>) {
    validate_meta(errors, object, old, Scope::Cluster, name_is_dns_subdomain);
    if let Some(old) = old {
        for field in ["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"] {
            super::metadata::validate_immutable_field(errors, object, old, field);
        }
        return;
    }
    validate_provisioner(errors, object, "provisioner");
    validate_parameters(errors, object);
    if !object.text("reclaimPolicy").is_empty() {
        errors.one_of(object, "reclaimPolicy", &["Delete", "Retain"]);
    }
    if object.has("volumeBindingMode") {
        errors.one_of(object, "volumeBindingMode", &["Immediate", "WaitForFirstConsumer"]);
    } else {
        errors.required(&object.at("volumeBindingMode"), "");
    }
    // Upstream compares with as many empty terms as there are terms, too, before the ones it has seen.
    let mut seen = vec![BTreeMap::new(); object.len("allowedTopologies")];
    for term in object.items("allowedTopologies") {
        let mut keys = BTreeMap::new();
        for requirement in term.items("matchLabelExpressions") {
            if requirement.len("values") == 0 {
                errors.required(&requirement.at("values"), "");
            }
            let mut values = BTreeSet::new();
            for (index, value) in requirement.texts("values").enumerate() {
                if !values.insert(value) {
                    errors.duplicate(&requirement.at("values").index(index), value);
                }
            }
            validate_label_name(errors, &requirement, "key");
            if keys.insert(requirement.text("key"), values).is_some() {
                errors.duplicate(&requirement.at("key"), requirement.text("key"));
            }
        }
        for _ in seen.iter().filter(|earlier| **earlier == keys) {
            errors.duplicate(&term.at("matchLabelExpressions"), "");
        }
        seen.push(keys);
    }
}

/// `validateProvisioner`
fn validate_provisioner(errors: &mut Errors, object: &Node, field: &'static str) {
    if errors.require_text(object, field) {
        let lower = object.text(field).to_lowercase();
        errors.each(|| object.at(field), &lower, names::is_qualified_name(&lower));
    }
}

/// `validateParameters`
fn validate_parameters(errors: &mut Errors, object: &Node) {
    if object.len("parameters") > 512 {
        errors.too_long(&object.at("parameters"), 512);
        return;
    }
    let mut size = 0;
    for (key, value) in object.pairs("parameters") {
        if key.is_empty() {
            errors.invalid(&object.at("parameters"), key, "field can not be empty.");
        }
        size += key.len() + value.len();
    }
    if size > 256 * 1024 {
        errors.too_long(&object.at("parameters"), 256 * 1024);
    }
}

/// `ValidateVolumeAttributesClass`, and its update where there is an old one.
pub(super) fn validate_volume_attributes_class(errors: &mut Errors, object: &Node, old: Option<&Node>) {
    validate_meta(errors, object, old, Scope::Cluster, name_is_dns_subdomain);
    if let Some(old) = old {
        for field in ["driverName", "parameters"] {
            super::metadata::validate_immutable_field(errors, object, old, field);
        }
        return;
    }
    validate_provisioner(errors, object, "driverName");
    validate_parameters(errors, object);
    if object.len("parameters") == 0 {
        errors.required(&object.at("parameters"), "must contain at least one key/value pair");
    }
}

/// `ValidateVolumeAttachment`, and its update where there is an old one; the status is reset before.
pub(super) fn validate_volume_attachment(errors: &mut Errors, object: &Node, old: Option<&Node>) {
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
        (Some(inline), None) => validate_persistent_volume_spec(errors, inline, "", true, false),
    }
    errors.each_of(&spec, "nodeName", name_is_dns_subdomain(spec.text("nodeName"), false));
    if let Some(name) = source.given("persistentVolumeName") {
        errors.each_of(&source, "persistentVolumeName", name_is_dns_subdomain(name, false));
    }
    if old.is_some_and(|old| !semantically_equal(old.raw("spec"), object.raw("spec"))) {
        errors.invalid_value(&spec.here(), spec.value(), IMMUTABLE);
    }
}

/// `ValidateCSIDriver`, and `ValidateCSIDriverUpdate` where there is an old one.
pub(super) fn validate_csi_driver(
    errors: &mut Errors,
    object: &Node,
    old: Option<&Node>,
    features: &FeatureGates,
) {
    validate_meta(errors, object, old, Scope::Cluster, name_is_dns_subdomain);
    let spec = object.child("spec");
    for (field, printed) in [
        ("attachRequired", "attachedRequired"),
        ("podInfoOnMount", "podInfoOnMount"),
        ("storageCapacity", "storageCapacity"),
    ] {
        if !spec.has(field) {
            errors.required(&spec.at(printed), "");
        }
    }
    errors.optional_one_of(&spec, "fsGroupPolicy", &["File", "None", "ReadWriteOnceWithFSType"]);
    let mut audiences = BTreeSet::new();
    for request in spec.items("tokenRequests") {
        if !audiences.insert(request.text("audience")) {
            errors.duplicate(&request.at("audience"), request.text("audience"));
            continue;
        }
        let Some(seconds) = request.number("expirationSeconds") else { continue };
        let path = || request.at("expirationSeconds");
        if seconds < 600 {
            errors.invalid_int(&path(), seconds, "may not specify a duration less than 10 minutes");
        }
        if seconds > 1 << 32 {
            errors.invalid_int(&path(), seconds, "may not specify a duration larger than 2^32 seconds");
        }
    }
    for mode in spec.texts("volumeLifecycleModes") {
        if !["Persistent", "Ephemeral"].contains(&mode) {
            errors.not_supported(&spec.at("volumeLifecycleModes"), mode, &["Persistent", "Ephemeral"]);
        }
    }
    if !spec.has("seLinuxMount") {
        errors.required(&spec.at("seLinuxMount"), "");
    }
    if let Some(period) = spec.number("nodeAllocatableUpdatePeriodSeconds").filter(|period| *period < 10) {
        let detail = "must be greater than or equal to 10 seconds";
        errors.invalid_int(&spec.at("nodeAllocatableUpdatePeriodSeconds"), period, detail);
    }
    if spec.has("serviceAccountTokenInSecrets") && spec.len("tokenRequests") == 0 {
        let path = spec.at("serviceAccountTokenInSecrets");
        let detail = "serviceAccountTokenInSecrets is set but no tokenRequests are specified";
        errors.invalid_value(&path, spec.raw("serviceAccountTokenInSecrets"), detail);
    }
    if !spec.has("preventPodSchedulingIfMissing") && features.enabled("VolumeLimitScaling") {
        errors.required(&spec.at("preventPodSchedulingIfMissing"), "");
    }
    let Some(before) = old.map(|old| old.child("spec")) else { return };
    for (field, printed) in
        [("attachRequired", "attachedRequired"), ("volumeLifecycleModes", "volumeLifecycleModes")]
    {
        if !semantically_equal(spec.raw(field), before.raw(field)) {
            errors.invalid_value(&spec.at(printed), spec.raw(field), IMMUTABLE);
        }
    }
}

/// `ValidateCSIStorageCapacity`, and its update where there is an old one.
pub(super) fn validate_csi_storage_capacity(errors: &mut Errors, object: &Node, old: Option<&Node>) {
    if let Some(old) = old {
        validate_object_meta_update(errors, object, old);
        for field in ["nodeTopology", "storageClassName"] {
            super::metadata::validate_immutable_field(errors, object, old, field);
        }
        return;
    }
    validate_object_meta(errors, object, Scope::Namespaced, name_is_dns_subdomain);
    validate_label_selector(errors, object, "nodeTopology", false);
    errors.each_of(object, "storageClassName", name_is_dns_subdomain(object.text("storageClassName"), false));
    if object.has("capacity") {
        let amount = quantity(object.raw("capacity"));
        validate_non_negative_quantity(errors, &amount, &object.at("capacity"));
    }
}
