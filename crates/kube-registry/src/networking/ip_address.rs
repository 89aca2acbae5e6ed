//! Addresses that are in use.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/networking`.

use crate::strategy::{Scope, Strategy};
use crate::validation::address::is_valid_ip;
use crate::validation::metadata::{validate_object_meta, validate_object_meta_update};
use crate::validation::node::{Errors, IMMUTABLE, Node};
use gotext::{names, netip};

/// The strategy of `IPAddress`.
pub(crate) static STRATEGY: Strategy = Strategy {
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
    let name_rule = if errors.since(33) {
        |name: &str, _: bool| is_valid_ip(name)
    } else {
        |name: &str, _: bool| is_address_as_parsed(name)
    };
    validate_object_meta(errors, object, Scope::Cluster, name_rule);
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

/// Implements `ValidateIPAddressName` of the releases before 1.33: Go's parser reads the name, and writes it like that.
fn is_address_as_parsed(name: &str) -> Vec<String> {
    match netip::parse_addr(name) {
        Err(error) => vec![error],
        Ok((address, false)) if address.to_string() == name => Vec::new(),
        // A zone is written as it was.
        Ok((address, true)) if name.starts_with(&format!("{address}%")) => Vec::new(),
        Ok(_) => vec!["must be a canonical format IP address".to_owned()],
    }
}
