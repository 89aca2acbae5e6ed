//! Objects to be stored in another version.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/storagemigration`.

use crate::preparation::keep_spec_and_metadata;
use crate::strategy::{ObjectStatus, Scope, Strategy, SubResource};
use crate::validation::condition::{is_true, validate_conditions};
use crate::validation::equal::plainly_equal;
use crate::validation::metadata::{name_is_dns_subdomain, validate_object_meta, validate_object_meta_update};
use crate::validation::node::{Errors, IMMUTABLE, Node};
use gotext::names;
use kube_api::internal_json;

/// The strategy of `StorageVersionMigration`.
pub(crate) static STRATEGY: Strategy = Strategy {
    versions: &["v1beta1"],
    allow_unconditional_update: false,
    status: ObjectStatus::Controllers,
    validate: Some(|errors, object, old, _| {
        validate_storage_version_migration(errors, object, old);
    }),
    sub_resources: &[SubResource {
        prepare_for_update: Some(keep_spec_and_metadata),
        validate_update: Some(|errors, object, old, _| {
            validate_migration_status(errors, object, old);
        }),
        ..SubResource::new("status")
    }],
    ..Strategy::new("storagemigration.k8s.io", "StorageVersionMigration")
};

/// Runs `ValidateStorageVersionMigration`, and `ValidateStorageVersionMigrationUpdate` if there is an old object.
fn validate_storage_version_migration(errors: &mut Errors, object: &Node, old: Option<&Node>) {
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
    if !plainly_equal(spec.value(), old.raw("spec")) {
        // The resource is of a type that the internal version shares with the API.
        let resource = internal_json::compact("meta/v1.GroupResource", resource.value());
        let printed = format!("{{\"Resource\":{resource}}}");
        errors.invalid_printed(&spec.here(), printed, IMMUTABLE);
    }
}

/// Implements `ValidateStorageVersionMigrationStatusUpdate`.
fn validate_migration_status(errors: &mut Errors, object: &Node, old: &Node) {
    validate_object_meta_update(errors, object, old);
    let status = object.child("status");
    let (now, then) = (status.text("resourceVersion"), old.child("status").text("resourceVersion"));
    let is_well_formed = !now.starts_with('0') && now.bytes().all(|byte| byte.is_ascii_digit());
    if !now.is_empty() && !is_well_formed {
        let detail = format!("resource version is not well formed: {now}");
        errors.invalid(&status.at("resourceVersion"), now, detail);
    }
    validate_conditions(errors, object);
    if !then.is_empty() && now != then {
        errors.invalid(&status.at("resourceVersion"), now, IMMUTABLE);
    }
    let printed = || {
        let conditions = status.list("conditions").iter();
        let texts: Vec<String> =
            conditions.map(|condition| internal_json::compact("meta/v1.Condition", condition)).collect();
        if status.has("conditions") { format!("[{}]", texts.join(",")) } else { "null".to_owned() }
    };
    let mut refuse = |is_wrong: bool, detail: &str| {
        if is_wrong {
            errors.invalid_printed(&status.at("conditions"), printed(), detail);
        }
    };
    let [succeeded, failed] = ["Succeeded", "Failed"].map(|kind| (is_true(object, kind), is_true(old, kind)));
    refuse(succeeded.0 && failed.0, "Both success and failed conditions cannot be true at the same time");
    refuse(succeeded.1 && !succeeded.0, "Success condition cannot be set to false once it is true");
    refuse(failed.1 && !failed.0, "Failed condition cannot be set to false once it is true");
}
