//! Configuration that Pods read.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/core`.

use crate::strategy::{Scope, Strategy};
use crate::validation::core::{MAX_SECRET_SIZE, decoded_length, validate_immutable_data};
use crate::validation::metadata::{name_is_dns_subdomain, validate_object_meta, validate_object_meta_update};
use crate::validation::node::{Errors, Node, nameless};
use gotext::names;

/// The strategy of `ConfigMap`.
pub(crate) static STRATEGY: Strategy = Strategy {
    validate: Some(|errors, object, old, _| validate_config_map(errors, object, old)),
    ..Strategy::new("", "ConfigMap")
};

/// Runs `ValidateConfigMap`, and `ValidateConfigMapUpdate` if there is an old object.
fn validate_config_map(errors: &mut Errors, object: &Node, old: Option<&Node>) {
    if let Some(old) = old {
        validate_object_meta_update(errors, object, old);
        validate_immutable_data(errors, object, old, &["data", "binaryData"]);
    }
    validate_object_meta(errors, object, Scope::Namespaced, name_is_dns_subdomain);
    let mut size = 0;
    for (key, value) in object.pairs("data") {
        let path = || object.at("data").key(key);
        errors.each(path, key, names::is_config_map_key(key));
        if object.raw("binaryData").get(key).is_some() {
            errors.invalid(&path(), key, "duplicate of key present in binaryData");
        }
        size += value.len();
    }
    for (key, value) in object.entries("binaryData") {
        errors.each(|| object.at("binaryData").key(key), key, names::is_config_map_key(key));
        size += decoded_length(value);
    }
    if size > MAX_SECRET_SIZE {
        errors.too_long(&nameless(), MAX_SECRET_SIZE);
    }
}
