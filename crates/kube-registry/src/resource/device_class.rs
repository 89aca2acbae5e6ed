//! Classes of devices.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/resource`.

use crate::gated::{Fields, Gated, fields};
use crate::strategy::{Scope, Strategy};
use crate::validation::devices::{
    MAX_CONFIGURATIONS, validate_device_configuration, validate_list, validate_selectors,
};
use crate::validation::equal::plainly_equal;
use crate::validation::metadata::{
    generated_name_is_dns_subdomain, validate_object_meta, validate_object_meta_update,
};
use crate::validation::node::{Errors, Node};
use crate::validation::resources::is_extended_resource_name;
use kube_api::features::Feature;
use kube_api::server_profile::ServerProfile;

/// The strategy of `DeviceClass`.
pub(crate) static STRATEGY: Strategy = Strategy {
    versions: &["v1", "v1beta2", "v1beta1"],
    gated: &[Gated::Below(&[], DEVICE_CLASS)],
    validate: Some(|errors, object, old, context| {
        validate_device_class(errors, object, old, context.profile);
    }),
    ..Strategy::new("resource.k8s.io", "DeviceClass")
};

const DEVICE_CLASS: &[Fields] = &[fields(&[Feature::DRAExtendedResource], &["spec/extendedResourceName"])];

/// Runs `ValidateDeviceClass`, and `ValidateDeviceClassUpdate` if there is an old object.
fn validate_device_class(errors: &mut Errors, object: &Node, old: Option<&Node>, profile: &ServerProfile) {
    validate_object_meta(errors, object, Scope::Cluster, generated_name_is_dns_subdomain);
    if let Some(old) = old {
        validate_object_meta_update(errors, object, old);
    }
    let spec = object.child("spec");
    let is_stored =
        |field: &str| old.is_some_and(|old| plainly_equal(old.child("spec").raw(field), spec.raw(field)));
    validate_selectors(errors, &spec, profile);
    let stored = is_stored("config");
    validate_list(errors, &spec, "config", MAX_CONFIGURATIONS, |errors, config| {
        validate_device_configuration(errors, config, stored);
    });
    if let Some(name) = spec.given("extendedResourceName")
        && !is_extended_resource_name(name)
    {
        errors.invalid(&spec.at("extendedResourceName"), name, "must be a valid extended resource name");
    }
}
