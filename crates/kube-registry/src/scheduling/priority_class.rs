//! Priorities of Pods.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/scheduling`.

use crate::strategy::{Scope, Strategy};
use crate::validation::metadata::{name_is_dns_subdomain, validate_object_meta, validate_object_meta_update};
use crate::validation::node::{Errors, IMMUTABLE, Node};
use kube_api::Map;
use kube_api::tree::set_if_absent;

/// The strategy of `PriorityClass`.
pub(crate) static STRATEGY: Strategy = Strategy {
    defaults: Some(|object, _, _| set_defaults(object)),
    validate: Some(|errors, object, old, _| validate_priority_class(errors, object, old)),
    ..Strategy::new("scheduling.k8s.io", "PriorityClass")
};

/// Sets the defaults of `PriorityClass`.
fn set_defaults(class: &mut Map) {
    set_if_absent(class, "preemptionPolicy", "PreemptLowerPriority");
}

/// Runs `ValidatePriorityClass`, and `ValidatePriorityClassUpdate` if there is an old object.
fn validate_priority_class(errors: &mut Errors, object: &Node, old: Option<&Node>) {
    const HIGHEST_USER_PRIORITY: i64 = 1_000_000_000;
    const SYSTEM: [(&str, i64); 2] =
        [("system-node-critical", 2_000_001_000), ("system-cluster-critical", 2_000_000_000)];
    if let Some(old) = old {
        validate_object_meta_update(errors, object, old);
        if object.int("value") != old.int("value") {
            errors.forbidden(&object.at("value"), "may not be changed in an update.");
        }
        if object.raw("preemptionPolicy") != old.raw("preemptionPolicy") {
            let path = object.at("preemptionPolicy");
            errors.invalid_value(&path, object.raw("preemptionPolicy"), IMMUTABLE);
        }
        return;
    }
    validate_object_meta(errors, object, Scope::Cluster, name_is_dns_subdomain);
    let metadata = object.child("metadata");
    let (name, value) = (metadata.text("name"), object.int("value"));
    if name.starts_with("system-") {
        let known = SYSTEM.iter().find(|(known, _)| *known == name);
        let error = match known {
            None => Some(format!("{name} is not a known system priority class")),
            Some((_, expected)) if *expected != value => {
                Some(format!("value of {name} PriorityClass must be {expected}"))
            }
            Some(_) if object.flag("globalDefault") => {
                Some(format!("globalDefault of {name} PriorityClass must be false"))
            }
            Some(_) => None,
        };
        if let Some(error) = error {
            let detail = format!(
                "priority class names with 'system-' prefix are reserved for system use only. error: {error}"
            );
            errors.forbidden(&metadata.at("name"), detail);
        }
    } else if value > HIGHEST_USER_PRIORITY {
        let detail = format!("maximum allowed value of a user defined priority is {HIGHEST_USER_PRIORITY}");
        errors.forbidden(&object.at("value"), detail);
    }
    if object.has("preemptionPolicy") {
        errors.require_one_of(object, "preemptionPolicy", &["PreemptLowerPriority", "Never"]);
    }
}
