//! Persistent volumes, and the storage group.
//!
//! Source: `ValidatePersistentVolume`, `k8s.io/kubernetes/pkg/apis/storage/validation`.

use crate::older_releases::volume_scheduling;
use crate::validation::claim::validate_access_modes;
use crate::validation::metadata::name_is_dns_subdomain;
use crate::validation::node::{Errors, Node};
use crate::validation::pod::{
    ISCSI_TOO_LONG, validate_csi_driver_name, validate_iscsi, validate_node_selector,
    validate_path_no_backsteps, validate_shared_source,
};
use crate::validation::resources::{quantity, validate_basic_resource, validate_positive_quantity_value};
use gotext::names;
use kube_api::field::Error;
use kube_api::server_profile::ServerProfile;

/// The sources of a persistent volume in the order in which they are checked: the field, and the field that upstream
/// names when there is more than one source, or when it is invalid.
pub(crate) const SOURCES: [(&str, &str, &str); 22] = [
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

/// Implements `ValidatePersistentVolumeSpec`; an inline one is part of a volume attachment.
pub(crate) fn validate_persistent_volume_spec(
    errors: &mut Errors,
    spec: &Node,
    name: &str,
    inline: bool,
    lenient: bool,
    profile: &ServerProfile,
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
        } else {
            volume_scheduling::validate(errors, spec, profile);
            if let Some(selector) = affinity.get("required") {
                validate_node_selector(errors, &selector, lenient);
            } else {
                errors.required(&affinity.at("required"), "must specify required node constraints");
            }
        }
    }
    validate_sources(errors, spec, name, inline);
    let recycles = spec.text("persistentVolumeReclaimPolicy") == "Recycle";
    let path = spec.child("hostPath").text("path");
    if recycles && is_root(path) {
        let detail = "may not be 'recycle' for a hostPath mount of '/'";
        errors.forbidden(&spec.at("persistentVolumeReclaimPolicy"), detail);
    }
    validate_classes(errors, spec, inline, context);
}

/// Whether `path.Clean` returns `/` for `path`.
fn is_root(path: &str) -> bool {
    let mut steps: usize = 0;
    for step in path.split('/') {
        match step {
            "" | "." => {}
            ".." => steps = steps.saturating_sub(1),
            _ => steps += 1,
        }
    }
    path.starts_with('/') && steps == 0
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

pub(crate) fn validate_source(errors: &mut Errors, kind: &str, source: &Node, name: &str) {
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

/// Implements `validateProvisioner`.
pub(crate) fn validate_provisioner(errors: &mut Errors, object: &Node, field: &'static str) {
    if errors.require_text(object, field) {
        let lower = object.text(field).to_lowercase();
        errors.each(|| object.at(field), &lower, names::is_qualified_name(&lower));
    }
}

/// Implements `validateParameters`.
pub(crate) fn validate_parameters(errors: &mut Errors, object: &Node) {
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
