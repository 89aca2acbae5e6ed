//! Addresses that are in use.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/networking`.

use crate::strategy::{Scope, Strategy};
use crate::validation::address::is_valid_ip;
use crate::validation::metadata::{validate_object_meta, validate_object_meta_update};
use crate::validation::node::{Errors, IMMUTABLE, Node};
use gotext::names;

/// The strategy of `IPAddress`.
pub(crate) static STRATEGY: Strategy = Strategy {
    versions: &["v1", "v1beta1"],
    validate: Some(|errors, object, old, _| {
        validate_ip_address(errors, object, None);
        if old.is_some() {
            validate_ip_address(errors, object, old);
        }
    }),
    ..Strategy::new("networking.k8s.io", "IPAddress")
};

/// Runs `ValidateIPAddress`, and `ValidateIPAddressUpdate` if there is an old object.
fn validate_ip_address(errors: &mut Errors, object: &Node, old: Option<&Node>) {
    let spec = object.child("spec");
    if let Some(old) = old {
        validate_object_meta_update(errors, object, old);
        if spec.raw("parentRef") != old.child("spec").raw("parentRef") {
            errors.invalid_typed(
                &spec.at("parentRef"),
                "internal.ParentReference",
                spec.raw("parentRef"),
                IMMUTABLE,
            );
        }
        return;
    }
    validate_object_meta(errors, object, Scope::Cluster, |name, _| is_valid_ip(name));
    let Some(parent) = spec.get("parentRef") else {
        return errors.required(&spec.at("parentRef"), "");
    };
    if !parent.text("group").is_empty() {
        errors.each_of(&parent, "group", names::is_dns1123_subdomain(parent.text("group")));
    }
    for field in ["resource", "name"] {
        if parent.text(field).is_empty() {
            errors.required(&parent.at(field), "");
        } else {
            errors.each_of(&parent, field, names::is_path_segment_name(parent.text(field)));
        }
    }
    if !parent.text("namespace").is_empty() {
        errors.each_of(&parent, "namespace", names::is_path_segment_name(parent.text("namespace")));
    }
}
