//! Migrations of what is stored to another version.
//!
//! Source: `k8s.io/kubernetes/pkg/apis/storagemigration/validation`.

use super::equal::semantically_equal;
use super::metadata::{Scope, name_is_dns_subdomain, validate_object_meta, validate_object_meta_update};
use super::node::{Errors, IMMUTABLE, Node};
use super::printed::internal;
use crate::api::names;

/// `ValidateStorageVersionMigration`, and `ValidateStorageVersionMigrationUpdate` where there is an old one.
pub(super) fn validate_storage_version_migration(errors: &mut Errors, object: &Node, old: Option<&Node>) {
    validate_object_meta(errors, object, Scope::Cluster, name_is_dns_subdomain);
    let spec = object.child("spec");
    let resource = spec.child("resource");
    let (name, group) = (resource.text("resource"), resource.text("group"));
    let messages = names::is_dns1035_label(name);
    if name.is_empty() {
        errors.required(&resource.at("resource"), "resource is required to be set");
    } else if !messages.is_empty() {
        errors.invalid(&resource.at("resource"), name, messages.join(","));
    }
    let messages = names::is_dns1123_subdomain(group);
    if !group.is_empty() && !messages.is_empty() {
        errors.invalid(&resource.at("group"), group, messages.join(","));
    }
    let Some(old) = old else { return };
    validate_object_meta_update(errors, object, old);
    if !semantically_equal(spec.value(), old.raw("spec")) {
        let printed = internal(spec.value(), "storagemigration/v1beta1.StorageVersionMigrationSpec");
        errors.invalid_printed(&spec.here(), printed, IMMUTABLE);
    }
}
