//! Classes of volumes.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/storage`.

use crate::older_releases::volume_scheduling;
use crate::strategy::{Scope, Strategy};
use crate::validation::core::validate_meta;
use crate::validation::equal::plainly_equal;
use crate::validation::metadata::{name_is_dns_subdomain, validate_immutable_field, validate_label_name};
use crate::validation::node::{Errors, Node};
use crate::validation::storage::{validate_parameters, validate_provisioner};
use crate::warnings::Warnings;
use crate::warnings::node_label::{self, deprecated};
use kube_api::field::Path;
use kube_api::server_profile::ServerProfile;
use kube_api::tree::set_if_absent;
use kube_api::{Map, Object, Value};
use std::collections::{BTreeMap, BTreeSet};

/// The strategy of `StorageClass`.
pub(crate) static STRATEGY: Strategy = Strategy {
    defaults: Some(|object, _, profile| set_defaults(object, profile)),
    prepare_for_create: Some(|object, context, _| volume_scheduling::drop_disabled(object, context.profile)),
    prepare_for_update: Some(|object, _, context| volume_scheduling::drop_disabled(object, context.profile)),
    validate: Some(|errors, object, old, context| {
        validate_storage_class(errors, object, None, context.profile);
        if old.is_some() {
            validate_storage_class(errors, object, old, context.profile);
        }
    }),
    warnings: Some(warnings),
    ..Strategy::new("storage.k8s.io", "StorageClass")
};

fn warnings(object: &Object, _: Option<&Object>, warnings: &mut Warnings<'_>) {
    let Value::Object(map) = &object.value else { return };
    storage_class(map, warnings);
}

/// Sets the defaults of `StorageClass`.
fn set_defaults(class: &mut Map, profile: &ServerProfile) {
    set_if_absent(class, "reclaimPolicy", "Delete");
    if volume_scheduling::is_off(profile) {
        return;
    }
    set_if_absent(class, "volumeBindingMode", "Immediate");
}

/// Runs `ValidateStorageClass`, and `ValidateStorageClassUpdate` if there is an old object.
fn validate_storage_class(errors: &mut Errors, object: &Node, old: Option<&Node>, profile: &ServerProfile) {
    validate_meta(errors, object, old, Scope::Cluster, name_is_dns_subdomain);
    if let Some(old) = old {
        for field in ["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"] {
            if errors.since(36) || field == "volumeBindingMode" {
                validate_immutable_field(errors, object, old, field);
            } else if !plainly_equal(object.raw(field), old.raw(field)) {
                errors.forbidden(&object.at(field), format!("updates to {field} are forbidden."));
            }
        }
        return;
    }
    validate_provisioner(errors, object, "provisioner");
    validate_parameters(errors, object);
    if !object.text("reclaimPolicy").is_empty() {
        errors.one_of(object, "reclaimPolicy", &["Delete", "Retain"]);
    }
    if object.has("volumeBindingMode") {
        errors.one_of(object, "volumeBindingMode", &["Immediate", "WaitForFirstConsumer"]);
    } else if !volume_scheduling::is_off(profile) {
        errors.required(&object.at("volumeBindingMode"), "");
    }
    // Upstream's list of seen terms starts with as many empty terms as there are terms.
    let mut seen = vec![BTreeMap::new(); object.len("allowedTopologies")];
    for term in object.items("allowedTopologies") {
        let mut keys = BTreeMap::new();
        for requirement in term.items("matchLabelExpressions") {
            if requirement.len("values") == 0 {
                errors.required(&requirement.at("values"), "");
            }
            let mut values = BTreeSet::new();
            for (index, value) in requirement.texts("values").enumerate() {
                if !values.insert(value) {
                    errors.duplicate(&requirement.at("values").index(index), value);
                }
            }
            validate_label_name(errors, &requirement, "key");
            if keys.insert(requirement.text("key"), values).is_some() {
                errors.duplicate(&requirement.at("key"), requirement.text("key"));
            }
        }
        for _ in seen.iter().filter(|earlier| **earlier == keys) {
            errors.duplicate(&term.at("matchLabelExpressions"), "");
        }
        seen.push(keys);
    }
}

fn storage_class(class: &Map, warnings: &mut Warnings<'_>) {
    if !warnings.since(node_label::EVERYWHERE) {
        return;
    }
    for (index, topology) in class.items("allowedTopologies").enumerate() {
        let path = Path::new("allowedTopologies").index(index).child("matchLabelExpressions");
        for (index, expression) in topology.items("matchLabelExpressions").enumerate() {
            if let Some(message) = deprecated(expression.text("key"), warnings) {
                warnings.push(format!("{}: {message}", path.index(index).child("key")));
            }
        }
    }
}
