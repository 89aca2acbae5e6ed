//! The available capacity of storage classes.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/storage`.

use crate::strategy::{Scope, Strategy};
use crate::validation::equal::semantically_equal;
use crate::validation::metadata::{
    name_is_dns_subdomain, validate_immutable_text, validate_object_meta, validate_object_meta_update,
};
use crate::validation::node::{Errors, IMMUTABLE, Node};
use crate::validation::resources::{quantity, validate_non_negative_quantity};
use crate::validation::selector::{LABEL_SELECTOR, validate_label_selector};
use crate::warnings::Warnings;
use crate::warnings::node_label::{self, deprecated, selector_term};
use kube_api::field::Path;
use kube_api::{Map, Object, Value};

/// The strategy of `CSIStorageCapacity`.
pub(crate) static STRATEGY: Strategy = Strategy {
    allow_unconditional_update: false,
    validate: Some(|errors, object, old, _| {
        validate_csi_storage_capacity(errors, object, None);
        if old.is_some() {
            validate_csi_storage_capacity(errors, object, old);
        }
    }),
    warnings: Some(warnings),
    ..Strategy::new("storage.k8s.io", "CSIStorageCapacity")
};

fn warnings(object: &Object, _: Option<&Object>, warnings: &mut Warnings<'_>) {
    let Value::Object(map) = &object.value else { return };
    storage_capacity(map, warnings);
}

/// Runs `ValidateCSIStorageCapacity`, and its update if there is an old object.
fn validate_csi_storage_capacity(errors: &mut Errors, object: &Node, old: Option<&Node>) {
    if let Some(old) = old {
        validate_object_meta_update(errors, object, old);
        let topology = object.raw("nodeTopology");
        let is_same = semantically_equal(LABEL_SELECTOR, topology, old.raw("nodeTopology"));
        if object.has("nodeTopology") != old.has("nodeTopology") || !is_same {
            errors.invalid_typed(&object.at("nodeTopology"), LABEL_SELECTOR, topology, IMMUTABLE);
        }
        validate_immutable_text(errors, object, old, "storageClassName");
        return;
    }
    validate_object_meta(errors, object, Scope::Namespaced, name_is_dns_subdomain);
    validate_label_selector(errors, object, "nodeTopology", false);
    errors.each_of(object, "storageClassName", name_is_dns_subdomain(object.text("storageClassName"), false));
    if object.has("capacity") {
        let amount = quantity(object.raw("capacity"));
        validate_non_negative_quantity(errors, &amount, &object.at("capacity"));
    }
}

fn storage_capacity(capacity: &Map, warnings: &mut Warnings<'_>) {
    let topology = capacity.child("nodeTopology").filter(|_| warnings.since(node_label::EVERYWHERE));
    let Some(topology) = topology else { return };
    let path = Path::new("nodeTopology");
    selector_term(topology, false, &path, warnings);
    for (label, _) in topology.child("matchLabels").into_iter().flatten() {
        if let Some(message) = deprecated(label, warnings) {
            warnings.push(format!("{}: {message}", path.child("matchLabels").child(label.to_string())));
        }
    }
}
