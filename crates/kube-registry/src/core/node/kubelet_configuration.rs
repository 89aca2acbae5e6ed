//! The source of a kubelet's configuration. Nodes that have one keep it, though kubelets no longer read it.
//!
//! Source: `validateNodeConfigSourceSpec`, `validateNodeConfigStatus`.

use gotext::names;

use crate::validation::metadata::{name_is_dns_label, name_is_dns_subdomain};
use crate::validation::node::{Errors, Node};

/// Validates the source in the specification, and those in the status.
pub(super) fn validate_sources(errors: &mut Errors, object: &Node) {
    if let Some(source) = object.child("spec").get("configSource") {
        validate_source(errors, &source, |errors, map| {
            for field in ["uid", "resourceVersion"] {
                if !map.text(field).is_empty() {
                    errors.forbidden(&map.at(field), format!("{field} must not be set in spec"));
                }
            }
        });
    }
    let config = object.child("status").child("config");
    for source in ["assigned", "active", "lastKnownGood"].into_iter().filter_map(|field| config.get(field)) {
        validate_source(errors, &source, |errors, map| {
            for field in ["uid", "resourceVersion"] {
                errors.require_text(map, field);
            }
        });
    }
}

fn validate_source(errors: &mut Errors, source: &Node, validate_version: fn(&mut Errors, &Node)) {
    let Some(map) = source.get("configMap") else {
        let detail = "exactly one reference subfield must be non-nil";
        return errors.invalid_printed(&source.here(), "{\"ConfigMap\":null}", detail);
    };
    validate_version(errors, &map);
    if errors.require_text(&map, "namespace") {
        errors.each_of(&map, "namespace", name_is_dns_label(map.text("namespace"), false));
    }
    if errors.require_text(&map, "name") {
        errors.each_of(&map, "name", name_is_dns_subdomain(map.text("name"), false));
    }
    if errors.require_text(&map, "kubeletConfigKey") {
        errors.each_of(&map, "kubeletConfigKey", names::is_config_map_key(map.text("kubeletConfigKey")));
    }
}
