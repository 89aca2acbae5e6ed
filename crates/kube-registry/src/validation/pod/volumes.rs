//! Volumes of pods; and the sources that they share with persistent volumes.
//!
//! Source: `ValidateVolumes`, `validateVolumeSource`.

mod iscsi;
mod projection;

use std::collections::{BTreeMap, BTreeSet};

use crate::validation::claim::{ClaimOptions, validate_persistent_volume_claim_spec};
use crate::validation::metadata::{name_is_dns_subdomain, validate_template_object_meta};
use crate::validation::node::{Errors, Node};
use crate::validation::pod::environment::{
    validate_container_resource_field_selector, validate_object_field_selector,
};
use crate::validation::pod::path::{
    validate_local_descending_path, validate_local_non_reserved_path, validate_path_no_backsteps,
};
use crate::validation::pod::{Options, Pod};
use crate::validation::resources::quantity;
use gotext::names;
use gotext::quote;
use kube_api::field::Rule;

pub(crate) use iscsi::{ISCSI_TOO_LONG, validate_iscsi};
pub(crate) use projection::{
    has_non_local_projected_token_path, validate_signer_name, validate_user_annotations,
};

use iscsi::validate_iscsi_length;
use projection::validate_projection_sources;

/// `sets.List(supportedPullPolicies)`
pub(crate) const PULL_POLICIES: [&str; 3] = ["Always", "IfNotPresent", "Never"];

/// The volumes of a pod that are valid, by name; the last one with a name counts.
pub(crate) type Volumes<'a> = BTreeMap<&'a str, Node<'a>>;

const DOWNWARD_API_FIELD_PATHS: [&str; 5] =
    ["metadata.name", "metadata.namespace", "metadata.labels", "metadata.annotations", "metadata.uid"];
const MORE_THAN_ONE: &str = "may not specify more than 1 volume type";

/// The sources of a volume in the order in which they are checked: the field, and the field that upstream names when
/// there is more than one source, or when it is invalid.
pub(crate) const SOURCES: [(&str, &str, &str); 30] = [
    ("emptyDir", "emptyDir", "emptyDir"),
    ("hostPath", "hostPath", "hostPath"),
    ("gitRepo", "gitRepo", "gitRepo"),
    ("gcePersistentDisk", "gcePersistentDisk", "persistentDisk"),
    ("awsElasticBlockStore", "awsElasticBlockStore", "awsElasticBlockStore"),
    ("secret", "secret", "secret"),
    ("nfs", "nfs", "nfs"),
    ("iscsi", "iscsi", "iscsi"),
    ("glusterfs", "glusterfs", "glusterfs"),
    ("flocker", "flocker", "flocker"),
    ("persistentVolumeClaim", "persistentVolumeClaim", "persistentVolumeClaim"),
    ("rbd", "rbd", "rbd"),
    ("cinder", "cinder", "cinder"),
    ("cephfs", "cephFS", "cephfs"),
    ("quobyte", "quobyte", "quobyte"),
    ("downwardAPI", "downwarAPI", "downwardAPI"),
    ("fc", "fc", "fc"),
    ("flexVolume", "flexVolume", "flexVolume"),
    ("configMap", "configMap", "configMap"),
    ("azureFile", "azureFile", "azureFile"),
    ("vsphereVolume", "vsphereVolume", "vsphereVolume"),
    ("photonPersistentDisk", "photonPersistentDisk", "photonPersistentDisk"),
    ("portworxVolume", "portworxVolume", "portworxVolume"),
    ("azureDisk", "azureDisk", "azureDisk"),
    ("storageos", "storageos", "storageos"),
    ("projected", "projected", "projected"),
    ("scaleIO", "scaleIO", "scaleIO"),
    ("csi", "csi", "csi"),
    ("ephemeral", "ephemeral", "ephemeral"),
    ("image", "image", "image"),
];

/// Implements `ValidateVolumes`: returns the volumes that are valid.
pub(crate) fn validate_volumes<'a>(errors: &mut Errors, pod: &Pod<'a>, options: &Options) -> Volumes<'a> {
    let mut valid: Volumes = BTreeMap::new();
    let created: BTreeSet<String> = pod
        .spec
        .list("volumes")
        .iter()
        .map(Node::root)
        .filter(|volume| !pod.name.is_empty() && volume.has("ephemeral"))
        .map(|volume| format!("{}-{}", pod.name, volume.text("name")))
        .collect();
    for volume in pod.spec.items("volumes") {
        let before = errors.len();
        let name = volume.text("name");
        validate_volume_source(errors, &volume, pod, options);
        if errors.require_text(&volume, "name") {
            errors.each_of(&volume, "name", names::is_dns1123_label(name));
        }
        if valid.contains_key(name) {
            errors.duplicate(&volume.at("name"), name);
        }
        if let Some(claim) =
            volume.get("persistentVolumeClaim").filter(|claim| created.contains(claim.text("claimName")))
        {
            let detail = "must not reference a PVC that gets created for an ephemeral volume";
            errors.invalid(&claim.at("claimName"), claim.text("claimName"), detail);
        }
        if errors.len() == before {
            valid.insert(name, volume);
        }
    }
    valid
}

/// Implements `validateVolumeSource`.
fn validate_volume_source(errors: &mut Errors, volume: &Node, pod: &Pod, options: &Options) {
    let given: Vec<&str> = volume.fields().collect();
    let mut found = false;
    for (field, plural, singular) in SOURCES.into_iter().filter(|(field, ..)| given.contains(field)) {
        if found {
            errors.forbidden(&volume.at(plural), MORE_THAN_ONE);
        } else {
            let source = &Node::new(volume.at(singular), volume.raw(field));
            validate_source(errors, field, source, volume, pod, options);
        }
        found = true;
        if field == "iscsi" {
            validate_iscsi_length(errors, volume);
        }
    }
    if !found {
        errors.required(&volume.here(), "must specify a volume type");
    }
}

pub(crate) fn validate_source(
    errors: &mut Errors,
    kind: &str,
    source: &Node,
    volume: &Node,
    pod: &Pod,
    options: &Options,
) {
    match kind {
        "emptyDir" => {
            if let Some(mode) = source.number("mode").filter(|mode| !(0..=0o1777).contains(mode)) {
                let detail = "must be a number between 0 and 01777 (octal), both inclusive";
                errors.invalid_int(&source.at("mode"), mode, detail);
            }
            if quantity(source.raw("sizeLimit")).sign() < 0 {
                errors
                    .forbidden(&source.at("sizeLimit"), "SizeLimit field must be a valid resource quantity");
            }
        }
        "gitRepo" => {
            errors.require_text(source, "repository");
            validate_local_descending_path(errors, source.text("directory"), || source.at("directory"));
        }
        "secret" => validate_items_volume_source(errors, source, "secretName"),
        "configMap" => validate_items_volume_source(errors, source, "name"),
        "persistentVolumeClaim" => {
            errors.require_text(source, "claimName");
        }
        "iscsi" => validate_iscsi(errors, source, "must be valid format starting with iqn, eui, or naa"),
        "cinder" | "storageos" => {
            validate_shared_source(errors, kind, source);
            if let Some(secret) = source.get("secretRef") {
                errors.require_text(&secret, "name");
            }
        }
        "downwardAPI" => {
            validate_mode(errors, source, "defaultMode");
            validate_user(errors, source, "defaultUser");
            for file in source.list("items") {
                // Upstream names the volume source, not the file.
                validate_downward_api_file(errors, &Node::new(source.here(), file));
            }
        }
        "azureFile" => {
            errors.require_text(source, "secretName");
            errors.require_text(source, "shareName");
        }
        "projected" => {
            validate_mode(errors, source, "defaultMode");
            validate_user(errors, source, "defaultUser");
            validate_projection_sources(errors, source, options);
        }
        "csi" => {
            validate_csi_driver_name(errors, source, "driver");
            if let Some(secret) = source.get("nodePublishSecretRef")
                && errors.require_text(&secret, "name")
            {
                let name = secret.text("name");
                errors.each(|| source.at("name"), name, name_is_dns_subdomain(name, false));
            }
        }
        "ephemeral" => validate_ephemeral_volume_source(errors, source, volume, pod),
        "image" => {
            if options.resource_is_pod {
                errors.require_text(source, "reference");
            }
            errors.require_one_of(source, "pullPolicy", &PULL_POLICIES);
        }
        _ => validate_shared_source(errors, kind, source),
    }
}

/// Validates the sources that pods and persistent volumes share.
pub(crate) fn validate_shared_source(errors: &mut Errors, kind: &str, source: &Node) {
    let required: &[&'static str] = match kind {
        "hostPath" => return validate_host_path(errors, source),
        "gcePersistentDisk" => return validate_disk(errors, source, "pdName"),
        "awsElasticBlockStore" => return validate_disk(errors, source, "volumeID"),
        "nfs" => return validate_nfs(errors, source),
        "flocker" => return validate_flocker(errors, source),
        "quobyte" => return validate_quobyte(errors, source),
        "fc" => return validate_fc(errors, source),
        "flexVolume" => return validate_flex_volume(errors, source),
        "azureDisk" => return validate_azure_disk(errors, source),
        "storageos" => return validate_storage_os(errors, source),
        "rbd" | "cephfs" => {
            if source.len("monitors") == 0 {
                errors.required(&source.at("monitors"), "");
            }
            if kind == "rbd" { &["image"] } else { &[] }
        }
        "glusterfs" => &["endpoints", "path"],
        "cinder" | "portworxVolume" => &["volumeID"],
        "vsphereVolume" => &["volumePath"],
        "photonPersistentDisk" => &["pdID"],
        "scaleIO" => &["gateway", "system", "volumeName"],
        _ => &[],
    };
    for field in required {
        errors.require_text(source, field);
    }
}

/// Implements `validateHostPathVolumeSource`.
fn validate_host_path(errors: &mut Errors, source: &Node) {
    if errors.require_text(source, "path") {
        validate_path_no_backsteps(errors, source.text("path"), || source.at("path"));
        let types = [
            "",
            "BlockDevice",
            "CharDevice",
            "Directory",
            "DirectoryOrCreate",
            "File",
            "FileOrCreate",
            "Socket",
        ];
        errors.optional_one_of(source, "type", &types);
    }
}

/// Implements `validateGCEPersistentDiskVolumeSource`, `validateAWSElasticBlockStoreVolumeSource`.
fn validate_disk(errors: &mut Errors, source: &Node, id: &'static str) {
    errors.require_text(source, id);
    if !(0..=255).contains(&source.int("partition")) {
        let detail = "must be between 1 and 255, inclusive";
        errors.invalid_int(&source.at("partition"), source.int("partition"), detail);
    }
}

/// Implements `validateNFSVolumeSource`.
fn validate_nfs(errors: &mut Errors, source: &Node) {
    errors.require_text(source, "server");
    errors.require_text(source, "path");
    if !source.text("path").starts_with('/') {
        errors.invalid(&source.at("path"), source.text("path"), "must be an absolute path");
    }
}

/// Implements `validateFlockerVolumeSource`.
fn validate_flocker(errors: &mut Errors, source: &Node) {
    let (name, uuid) = (source.text("datasetName"), source.text("datasetUUID"));
    if name.is_empty() && uuid.is_empty() {
        errors.required(&source.here(), "one of datasetName and datasetUUID is required");
    }
    if !name.is_empty() && !uuid.is_empty() {
        let detail = "datasetName and datasetUUID can not be specified simultaneously";
        errors.invalid(&source.here(), "resource", detail);
    }
    if name.contains('/') {
        errors.invalid(&source.at("datasetName"), name, "must not contain '/'");
    }
}

/// Implements `validateQuobyteVolumeSource`.
fn validate_quobyte(errors: &mut Errors, source: &Node) {
    let registry = source.text("registry");
    let pairs = "must be a host:port pair or multiple pairs separated by commas";
    if registry.is_empty() {
        errors.required(&source.at("registry"), pairs);
    } else if source.text("tenant").len() >= 65 {
        errors.required(&source.at("tenant"), "must be a UUID and may not exceed a length of 64 characters");
    } else {
        for pair in registry.split(',') {
            if !is_host_port(pair) {
                errors.invalid(&source.at("registry"), registry, pairs);
            }
        }
    }
    errors.require_text(source, "volume");
}

/// Whether Go's `net.SplitHostPort` accepts `text`.
fn is_host_port(text: &str) -> bool {
    let Some((host, port)) = text.rsplit_once(':') else { return false };
    if port.contains(['[', ']']) {
        return false;
    }
    match host.strip_prefix('[') {
        Some(rest) => rest.strip_suffix(']').is_some_and(|inner| !inner.contains(['[', ']'])),
        None => !host.contains([':', '[', ']']),
    }
}

/// Implements `validateFCVolumeSource`.
fn validate_fc(errors: &mut Errors, source: &Node) {
    let (names, ids) = (source.len("targetWWNs"), source.len("wwids"));
    if names == 0 && ids == 0 {
        let detail = "must specify either targetWWNs or wwids, but not both";
        errors.required(&source.at("targetWWNs"), detail);
    }
    if names > 0 && ids > 0 {
        let detail = "targetWWNs and wwids can not be specified simultaneously";
        errors.invalid_value(&source.at("targetWWNs"), source.raw("targetWWNs"), detail);
    }
    if names > 0 {
        match source.number("lun") {
            None => errors.required(&source.at("lun"), "lun is required if targetWWNs is specified"),
            Some(_) => validate_lun(errors, source),
        }
    }
}

fn validate_lun(errors: &mut Errors, source: &Node) {
    if !(0..=255).contains(&source.int("lun")) {
        errors.invalid_int(&source.at("lun"), source.int("lun"), "must be between 0 and 255, inclusive");
    }
}

/// Implements `validateFlexVolumeSource`.
fn validate_flex_volume(errors: &mut Errors, source: &Node) {
    errors.require_text(source, "driver");
    for (key, _) in source.pairs("options") {
        let namespace = key.split_once('/').map_or(key, |(namespace, _)| namespace);
        let normalized = format!(".{}", namespace.to_lowercase());
        if normalized.ends_with(".kubernetes.io") || normalized.ends_with(".k8s.io") {
            let detail = "kubernetes.io and k8s.io namespaces are reserved";
            errors.invalid(&source.at("options").key(key), key, detail);
        }
    }
}

/// Implements `validateAzureDisk`.
fn validate_azure_disk(errors: &mut Errors, source: &Node) {
    const MANAGED: &str =
        "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}";
    const BLOB: &str = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd";
    errors.require_text(source, "diskName");
    errors.require_text(source, "diskURI");
    errors.optional_one_of(source, "cachingMode", &["None", "ReadOnly", "ReadWrite"]);
    errors.optional_one_of(source, "kind", &["Dedicated", "Managed", "Shared"]);
    let uri = source.text("diskURI");
    let expected = match source.given("kind") {
        Some("Managed") if !uri.starts_with("/subscriptions/") => MANAGED,
        Some(kind) if kind != "Managed" && !uri.starts_with("https://") => BLOB,
        _ => return,
    };
    errors.not_supported(&source.at("diskURI"), uri, &[expected]);
}

/// Implements `validateStorageOSVolumeSource`.
fn validate_storage_os(errors: &mut Errors, source: &Node) {
    if errors.require_text(source, "volumeName") {
        errors.each_of(source, "volumeName", names::is_dns1123_label(source.text("volumeName")));
    }
    let namespace = source.text("volumeNamespace");
    if !namespace.is_empty() {
        errors.each_of(source, "volumeNamespace", names::is_dns1123_label(namespace));
    }
}

/// Implements `ValidateCSIDriverName`.
pub(crate) fn validate_csi_driver_name(errors: &mut Errors, source: &Node, field: &'static str) {
    if errors.by(Rule::NameOfDriver, |errors| errors.require_text(source, field)) {
        let name = source.text(field);
        if name.len() > 63 {
            errors.too_long(&source.at(field), 63);
        }
        errors.each_of(source, field, names::is_dns1123_subdomain(&name.to_lowercase()));
    }
}

/// Validates a file mode behind a pointer.
fn validate_mode(errors: &mut Errors, source: &Node, field: &'static str) {
    if let Some(mode) = source.number(field).filter(|mode| !(0..=0o777).contains(mode)) {
        let detail = "must be a number between 0 and 0777 (octal), both inclusive";
        errors.invalid_int(&source.at(field), mode, detail);
    }
}

/// Validates the owner of files.
fn validate_user(errors: &mut Errors, source: &Node, field: &'static str) {
    if let Some(user) = source.number(field) {
        for message in names::is_valid_user_id(user) {
            errors.invalid_int(&source.at(field), user, message);
        }
    }
}

/// Implements `validateSecretVolumeSource`, `validateConfigMapVolumeSource`.
fn validate_items_volume_source(errors: &mut Errors, source: &Node, name: &'static str) {
    errors.require_text(source, name);
    validate_mode(errors, source, "defaultMode");
    validate_user(errors, source, "defaultUser");
    for item in source.items("items") {
        validate_key_to_path(errors, &item);
    }
}

/// Implements `validateKeyToPath`.
fn validate_key_to_path(errors: &mut Errors, item: &Node) {
    errors.require_text(item, "key");
    errors.require_text(item, "path");
    validate_local_non_reserved_path(errors, item.text("path"), || item.at("path"));
    validate_mode(errors, item, "mode");
    validate_user(errors, item, "user");
}

/// Implements `validateDownwardAPIVolumeFile`.
fn validate_downward_api_file(errors: &mut Errors, file: &Node) {
    errors.require_text(file, "path");
    validate_local_non_reserved_path(errors, file.text("path"), || file.at("path"));
    if let Some(reference) = file.get("fieldRef") {
        validate_object_field_selector(errors, &reference, &DOWNWARD_API_FIELD_PATHS);
        if file.has("resourceFieldRef") {
            let detail = "fieldRef and resourceFieldRef can not be specified simultaneously";
            errors.invalid(&file.here(), "resource", detail);
        }
    } else if let Some(reference) = file.get("resourceFieldRef") {
        validate_container_resource_field_selector(errors, &reference, true);
    } else {
        errors.required(&file.here(), "one of fieldRef and resourceFieldRef is required");
    }
    validate_mode(errors, file, "mode");
    validate_user(errors, file, "user");
}

/// Implements `validateEphemeralVolumeSource`.
fn validate_ephemeral_volume_source(errors: &mut Errors, source: &Node, volume: &Node, pod: &Pod) {
    match source.get("volumeClaimTemplate") {
        None => errors.required(&source.at("volumeClaimTemplate"), ""),
        Some(template) => {
            validate_template_object_meta(errors, &template.child("metadata"));
            validate_persistent_volume_claim_spec(errors, &template.child("spec"), ClaimOptions::default());
        }
    }
    let name = volume.text("name");
    if !pod.name.is_empty() && !name.is_empty() {
        let claim = format!("{}-{name}", pod.name);
        for message in name_is_dns_subdomain(&claim, false) {
            errors.invalid(&volume.at("name"), name, format!("PVC name {}: {message}", quote(&claim)));
        }
    }
}
