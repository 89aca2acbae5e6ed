//! Attributes of volumes that can change.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/storage`.

use crate::strategy::{Scope, Strategy};
use crate::validation::equal::plainly_equal;
use crate::validation::metadata::{name_is_dns_subdomain, validate_object_meta, validate_object_meta_update};
use crate::validation::node::{Errors, Node};
use crate::validation::storage::{validate_parameters, validate_provisioner};

/// The strategy of `VolumeAttributesClass`.
pub(crate) static STRATEGY: Strategy = Strategy {
    versions: &["v1", "v1beta1"],
    validate: Some(|errors, object, old, _| validate_volume_attributes_class(errors, object, old)),
    ..Strategy::new("storage.k8s.io", "VolumeAttributesClass")
};

/// Runs `ValidateVolumeAttributesClass`, and its update if there is an old object.
fn validate_volume_attributes_class(errors: &mut Errors, object: &Node, old: Option<&Node>) {
    if let Some(old) = old {
        validate_object_meta_update(errors, object, old);
        for field in ["driverName", "parameters"] {
            if !plainly_equal(object.raw(field), old.raw(field)) {
                errors.forbidden(&object.at(field), format!("updates to {field} are forbidden."));
            }
        }
    }
    validate_object_meta(errors, object, Scope::Cluster, name_is_dns_subdomain);
    validate_provisioner(errors, object, "driverName");
    validate_parameters(errors, object);
    if object.len("parameters") == 0 {
        errors.required(&object.at("parameters"), "must contain at least one key/value pair");
    }
}
