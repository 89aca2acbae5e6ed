//! Ways to run containers.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/node`.

use crate::strategy::{Scope, Strategy};
use crate::validation::core::validate_plain_meta;
use crate::validation::metadata::{name_is_dns_label, name_is_dns_subdomain, validate_labels};
use crate::validation::node::{Errors, IMMUTABLE, Node};
use crate::validation::pod::{Options, validate_tolerations};
use crate::validation::resources::validate_overhead;
use crate::warnings::Warnings;
use crate::warnings::node_label::{self, deprecated};
use kube_api::server_profile::ServerProfile;
use kube_api::{Map, Object, Value};
use std::collections::BTreeSet;

/// The strategy of `RuntimeClass`.
pub(crate) static STRATEGY: Strategy = Strategy {
    allow_create_on_update: true,
    allow_unconditional_update: false,
    validate: Some(|errors, object, old, context| {
        validate_runtime_class(errors, object, None, context.profile);
        if old.is_some() {
            validate_runtime_class(errors, object, old, context.profile);
        }
    }),
    warnings: Some(warnings),
    ..Strategy::new("node.k8s.io", "RuntimeClass")
};

fn warnings(object: &Object, _: Option<&Object>, warnings: &mut Warnings<'_>) {
    let Value::Object(map) = &object.value else { return };
    runtime_class(map, warnings);
}

/// Runs `ValidateRuntimeClass`, and `ValidateRuntimeClassUpdate` if there is an old object.
fn validate_runtime_class(errors: &mut Errors, object: &Node, old: Option<&Node>, profile: &ServerProfile) {
    validate_plain_meta(errors, object, old, Scope::Cluster, name_is_dns_subdomain);
    if let Some(old) = old {
        if object.text("handler") != old.text("handler") {
            errors.invalid(&object.at("handler"), object.text("handler"), IMMUTABLE);
        }
        return;
    }
    if !errors.since(36) || errors.require_text(object, "handler") {
        errors.each_of(object, "handler", name_is_dns_label(object.text("handler"), false));
    }
    let options = Options { comparison_operators: false, ..Options::new(profile, None) };
    if let Some(overhead) = object.get("overhead") {
        validate_overhead(errors, overhead.here(), overhead.raw("podFixed"), options.indivisible_huge_pages);
    }
    let Some(scheduling) = object.get("scheduling") else { return };
    validate_labels(errors, &scheduling, "nodeSelector");
    if errors.since(35) {
        validate_tolerations(errors, scheduling.items("tolerations"), options.comparison_operators);
    } else {
        // Older releases name the field twice.
        let path = scheduling.at("tolerations").child("tolerations");
        let tolerations = scheduling.list("tolerations").iter().enumerate();
        let tolerations = tolerations.map(|(index, toleration)| Node::new(path.index(index), toleration));
        validate_tolerations(errors, tolerations, options.comparison_operators);
    }
    let mut seen = BTreeSet::new();
    for toleration in scheduling.items("tolerations") {
        let text = |field: &str| toleration.text(field);
        if !seen.insert([text("key"), text("operator"), text("value"), text("effect")]) {
            errors.duplicate_typed(&toleration.here(), "internal.Toleration", toleration.value(), "");
        }
    }
}

fn runtime_class(class: &Map, warnings: &mut Warnings<'_>) {
    if !warnings.since(node_label::EVERYWHERE) {
        return;
    }
    for (label, _) in class.child(["scheduling", "nodeSelector"]).into_iter().flatten() {
        if let Some(message) = deprecated(label, warnings) {
            warnings.push(format!("scheduling.nodeSelector: {message}"));
        }
    }
}
