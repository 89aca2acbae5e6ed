//! Volumes of pods; and the sources that they share with persistent volumes.
//!
//! Source: `ValidateVolumes`, `validateVolumeSource`.

use std::collections::{BTreeMap, BTreeSet};

use crate::api::field::Path;
use crate::api::names;
use crate::go::quote;
use crate::registry::validation::claim::{ClaimOptions, validate_persistent_volume_claim_spec};
use crate::registry::validation::metadata::{name_is_dns_subdomain, validate_template_object_meta};
use crate::registry::validation::node::{Errors, Node};
use crate::registry::validation::pod::environment::{
    validate_container_resource_field_selector, validate_object_field_selector,
};
use crate::registry::validation::pod::path::{
    validate_local_descending_path, validate_local_non_reserved_path, validate_path_no_backsteps,
};
use crate::registry::validation::pod::{Options, Pod};
use crate::registry::validation::resources::quantity;
use crate::registry::validation::selector::{LABEL_SELECTOR, validate_label_selector};

/// `sets.List(supportedPullPolicies)`
pub(in crate::registry) const PULL_POLICIES: [&str; 3] = ["Always", "IfNotPresent", "Never"];

/// The volumes of a pod that are valid, by name; the last one with a name counts.
pub(in crate::registry) type Volumes<'a> = BTreeMap<&'a str, Node<'a>>;

const DOWNWARD_API_FIELD_PATHS: [&str; 5] =
    ["metadata.name", "metadata.namespace", "metadata.labels", "metadata.annotations", "metadata.uid"];
const KEY_TYPES: [&str; 6] = ["RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519"];
const MORE_THAN_ONE: &str = "may not specify more than 1 volume type";

/// The sources of a volume in the order in which they are checked: the field, and the field that upstream names when
/// there is more than one source, or when it is invalid.
pub(in crate::registry) const SOURCES: [(&str, &str, &str); 30] = [
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
pub(in crate::registry) fn validate_volumes<'a>(
    errors: &mut Errors,
    pod: &Pod<'a>,
    options: &Options,
) -> Volumes<'a> {
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

fn validate_iscsi_length(errors: &mut Errors, volume: &Node) {
    let (iscsi, name) = (volume.child("iscsi"), volume.text("name"));
    if iscsi.has("initiatorName") && name.len() + 1 + iscsi.text("targetPortal").len() > 64 {
        errors.invalid(&volume.at("name"), name, ISCSI_TOO_LONG);
    }
}

pub(in crate::registry) const ISCSI_TOO_LONG: &str = "Total length of <volume name>:<iscsi.targetPortal> must be under \
                                                   64 characters if iscsi.initiatorName is specified.";

pub(in crate::registry) fn validate_source(
    errors: &mut Errors,
    kind: &str,
    source: &Node,
    volume: &Node,
    pod: &Pod,
    options: &Options,
) {
    match kind {
        "emptyDir" => {
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
pub(in crate::registry) fn validate_shared_source(errors: &mut Errors, kind: &str, source: &Node) {
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

/// Implements `validateISCSIVolumeSource`; `bad_start` is the message about names that begin with none of the known
/// schemes.
pub(in crate::registry) fn validate_iscsi(errors: &mut Errors, source: &Node, bad_start: &str) {
    errors.require_text(source, "targetPortal");
    if errors.require_text(source, "iqn") {
        let name = source.text("iqn");
        if !has_iscsi_scheme(name) {
            errors.invalid(&source.at("iqn"), name, bad_start);
        } else if !is_iscsi_name(name) {
            errors.invalid(&source.at("iqn"), name, "must be valid format");
        }
    }
    validate_lun(errors, source);
    let authenticates = source.flag("chapAuthDiscovery") || source.flag("chapAuthSession");
    if authenticates && !source.has("secretRef") {
        errors.required(&source.at("secretRef"), "");
    }
    if let Some(name) = source.given("initiatorName") {
        if !has_iscsi_scheme(name) {
            errors.invalid(&source.at("initiatorname"), name, bad_start);
        } else if !is_iscsi_name(name) {
            errors.invalid(&source.at("initiatorname"), name, "must be valid format");
        }
    }
}

fn has_iscsi_scheme(name: &str) -> bool {
    ["iqn", "eui", "naa"].iter().any(|scheme| name.starts_with(scheme))
}

/// Whether a name matches one of the three patterns for iSCSI names; `.` after `eui` and `naa` matches any character.
fn is_iscsi_name(name: &str) -> bool {
    let hex = |rest: &str, length: usize| {
        let mut rest = rest.chars();
        rest.next().is_some_and(|any| any != '\n')
            && rest.as_str().len() == length
            && rest.all(|character| character.is_ascii_alphanumeric())
    };
    if let Some(rest) = name.strip_prefix("eui") {
        return hex(rest, 16);
    }
    if let Some(rest) = name.strip_prefix("naa") {
        return hex(rest, 32);
    }
    // `iqn\.\d{4}-\d{2}\.([[:alnum:]-.]+)(:[^,;*&$|\s]+)$` matches anywhere, up to the end.
    name.match_indices("iqn.").any(|(start, prefix)| is_qualified_iscsi_name(&name[start + prefix.len()..]))
}

fn is_qualified_iscsi_name(rest: &str) -> bool {
    let bytes = rest.as_bytes();
    let dated = bytes.len() > 8
        && bytes[..4].iter().all(u8::is_ascii_digit)
        && bytes[4] == b'-'
        && bytes[5..7].iter().all(u8::is_ascii_digit)
        && bytes[7] == b'.';
    dated
        && rest.get(8..).and_then(|rest| rest.split_once(':')).is_some_and(|(authority, unique)| {
            let authority_characters =
                |character: char| character.is_ascii_alphanumeric() || "-.".contains(character);
            let forbidden = |character: char| ",;*&$|\t\n\u{c}\r ".contains(character);
            !authority.is_empty()
                && authority.chars().all(authority_characters)
                && !unique.is_empty()
                && !unique.chars().any(forbidden)
        })
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
pub(in crate::registry) fn validate_csi_driver_name(errors: &mut Errors, source: &Node, field: &'static str) {
    if errors.require_text(source, field) {
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

/// Implements `validateSecretVolumeSource`, `validateConfigMapVolumeSource`.
fn validate_items_volume_source(errors: &mut Errors, source: &Node, name: &'static str) {
    errors.require_text(source, name);
    validate_mode(errors, source, "defaultMode");
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
}

/// Implements `validateProjectionSources`.
fn validate_projection_sources(errors: &mut Errors, projection: &Node, options: &Options) {
    let mut paths: BTreeSet<&str> = BTreeSet::new();
    for source in projection.items("sources") {
        let mut kinds = 0;
        for kind in ["secret", "configMap"] {
            let Some(inner) = source.get(kind) else { continue };
            kinds += 1;
            errors.require_text(&inner, "name");
            for item in inner.items("items") {
                validate_key_to_path(errors, &item);
                let path = item.text("path");
                if !path.is_empty() && !paths.insert(path) {
                    errors.invalid(&projection.here(), inner.text("name"), "conflicting duplicate paths");
                }
            }
        }
        if let Some(inner) = source.get("downwardAPI") {
            kinds += 1;
            for file in inner.list("items") {
                let file = Node::new(inner.here(), file);
                validate_downward_api_file(errors, &file);
                if !file.text("path").is_empty() {
                    claim_path(errors, &mut paths, file.text("path"), projection);
                }
            }
        }
        if let Some(inner) = source.get("serviceAccountToken") {
            kinds += 1;
            validate_token_projection(errors, &inner, projection, options);
        }
        if let Some(inner) = source.get("clusterTrustBundle") {
            kinds += 1;
            validate_trust_bundle_projection(errors, &inner);
            claim_path(errors, &mut paths, inner.text("path"), projection);
        }
        if let Some(inner) = source.get("podCertificate") {
            kinds += 1;
            validate_pod_certificate_projection(errors, &inner, projection, &mut paths);
        }
        if kinds > 1 {
            errors.forbidden(&source.here(), "may not specify more than 1 volume type per source");
        }
    }
}

fn claim_path<'a>(errors: &mut Errors, paths: &mut BTreeSet<&'a str>, path: &'a str, projection: &Node) {
    if !paths.insert(path) {
        errors.invalid(&projection.here(), path, "conflicting duplicate paths");
    }
}

/// Implements `hasNonLocalProjectedTokenPath`.
pub(in crate::registry) fn has_non_local_projected_token_path(spec: &Node) -> bool {
    let mut errors = Errors::default();
    for source in spec.items("volumes").flat_map(|volume| volume.child("projected").items("sources")) {
        if let Some(token) = source.get("serviceAccountToken") {
            validate_local_non_reserved_path(&mut errors, token.text("path"), || token.at("path"));
        }
    }
    !errors.is_empty()
}

fn validate_token_projection(errors: &mut Errors, source: &Node, projection: &Node, options: &Options) {
    let seconds = source.int("expirationSeconds");
    let path = || source.at("expirationSeconds");
    if seconds < 10 * 60 {
        errors.invalid_int(&path(), seconds, "may not specify a duration less than 10 minutes");
    }
    if seconds > 1 << 32 {
        errors.invalid_int(&path(), seconds, "may not specify a duration larger than 2^32 seconds");
    }
    // Upstream names the volume's path, not the source's.
    if source.text("path").is_empty() {
        errors.required(&projection.at("path"), "");
    } else if !options.non_local_projected_token_path {
        validate_local_non_reserved_path(errors, source.text("path"), || projection.at("path"));
    }
}

fn validate_trust_bundle_projection(errors: &mut Errors, source: &Node) {
    match (source.given("name"), source.given("signerName")) {
        (Some(_), Some(_)) => {
            let detail = "only one of name and signerName may be used";
            errors.invalid_typed(
                &source.here(),
                "internal.ClusterTrustBundleProjection",
                source.value(),
                detail,
            );
        }
        (Some(name), None) => {
            if name.is_empty() {
                errors.required(&source.at("name"), "must be a valid object name");
            }
            let messages = cluster_trust_bundle_name_messages(name);
            let messages =
                messages.into_iter().map(|message| format!("not a valid clustertrustbundlename: {message}"));
            errors.each_of(source, "name", messages.collect());
            if source.has("labelSelector") {
                let detail = "labelSelector must be unset if name is specified";
                let selector = source.raw("labelSelector");
                errors.invalid_typed(&source.at("labelSelector"), LABEL_SELECTOR, selector, detail);
            }
        }
        (None, Some(signer)) => {
            if signer.is_empty() {
                errors.required(&source.at("signerName"), "must be a valid signer name");
            }
            validate_signer_name(errors, signer, &source.at("signerName"));
            validate_label_selector(errors, source, "labelSelector", false);
        }
        (None, None) => errors.required(&source.here(), "either name or signerName must be specified"),
    }
    errors.require_text(source, "path");
    validate_local_non_reserved_path(errors, source.text("path"), || source.at("path"));
}

/// Runs `ValidateClusterTrustBundleName` for the signer that the name itself contains.
fn cluster_trust_bundle_name_messages(name: &str) -> Vec<String> {
    match name.rsplit_once(':') {
        None => name_is_dns_subdomain(name, false),
        Some((_, last)) => name_is_dns_subdomain(last, false),
    }
}

/// Implements `ValidateSignerName`.
pub(in crate::registry) fn validate_signer_name(errors: &mut Errors, name: &str, path: &Path) {
    if name.is_empty() {
        errors.required(path, "");
        return;
    }
    let segments: Vec<&str> = name.split('/').collect();
    let [domain, tail] = segments.as_slice() else {
        errors.invalid(
            path,
            name,
            "must be a fully qualified domain and path of the form 'example.com/signer-name'",
        );
        return;
    };
    if domain.is_empty() || tail.is_empty() {
        errors.invalid(
            path,
            name,
            "must be a fully qualified domain and path of the form 'example.com/signer-name'",
        );
        return;
    }
    for label in domain.split('.') {
        if !names::is_dns1123_label(label).is_empty() {
            let detail = format!(
                "validating label {}: {}",
                quote(label),
                names::is_dns1123_label(label).first().cloned().unwrap_or_default()
            );
            errors.invalid(path, domain, detail);
        }
    }
    if domain.split('.').count() < 2 {
        errors.invalid(path, domain, "should be a domain with at least two segments separated by dots");
    }
    for message in names::is_dns1123_subdomain(tail) {
        errors.invalid(path, tail, format!("validating label {}: {message}", quote(tail)));
    }
    if name.len() > 571 {
        errors.too_long(path, 571);
    }
}

fn validate_pod_certificate_projection<'a>(
    errors: &mut Errors,
    source: &Node<'a>,
    projection: &Node,
    paths: &mut BTreeSet<&'a str>,
) {
    let signer = source.text("signerName");
    validate_signer_name(errors, signer, &source.at("signerName"));
    for (key, _) in source.pairs("userAnnotations") {
        let key = key.to_lowercase();
        let messages = names::is_qualified_name(&key);
        if messages.is_empty() && !key.contains('/') {
            let detail = "must be a domain-prefixed key (such as \"acme.io/foo\")";
            errors.invalid(&source.at("userAnnotations"), &key, detail);
        }
        errors.each(|| source.at("userAnnotations"), &key, messages);
    }
    errors.one_of(source, "keyType", &KEY_TYPES);
    if let Some(seconds) = source.number("maxExpirationSeconds") {
        let path = || source.at("maxExpirationSeconds");
        if seconds < 3600 {
            errors.invalid_int(&path(), seconds, "if provided, maxExpirationSeconds must be >= 3600");
        }
        let kubernetes = signer
            .split_once('/')
            .is_some_and(|(domain, _)| domain == "kubernetes.io" || domain.ends_with(".kubernetes.io"));
        let max = if kubernetes { 24 * 60 * 60 } else { 91 * 24 * 60 * 60 };
        if seconds > max {
            let detail = format!("if provided, maxExpirationSeconds must be <= {max}");
            errors.invalid_int(&path(), seconds, detail);
        }
    }
    let mut given = false;
    for field in ["credentialBundlePath", "keyPath", "certificateChainPath"] {
        let path = source.text(field);
        if !path.is_empty() {
            given = true;
            validate_local_non_reserved_path(errors, path, || source.at(field));
            claim_path(errors, paths, path, projection);
        }
    }
    if !given {
        let detail = "specify at least one of credentialBundlePath, keyPath, and certificateChainPath";
        errors.required(&source.here(), detail);
    }
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
