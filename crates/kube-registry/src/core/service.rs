//! Services.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/core`.

pub(crate) mod allocation;
mod choice;
pub(crate) mod network;
pub(crate) mod preparation;
pub(crate) mod validation;
pub(crate) mod warnings;

use crate::gated::{Fields, Gated, fields};
use crate::preparation::keep_spec;
use crate::strategy::{ObjectStatus, Strategy, SubResource};
use crate::validation::metadata;
use crate::validation::network::validate_load_balancer_status;
use crate::validation::node::{Errors, Node};
use crate::warnings::Warnings;
use gotext::value::json;
use kube_api::features::Feature;
use kube_api::server_profile::ServerProfile;
use kube_api::tree::{child_mut, child_or_insert, items_mut, set, set_if_absent, set_if_zero};
use kube_api::version::Version;
use kube_api::{Map, Object, Value};

/// The strategy of `Service`.
pub(crate) static STRATEGY: Strategy = Strategy {
    allow_create_on_update: true,
    defaults: Some(|object, _, profile| set_defaults(object, profile)),
    status: ObjectStatus::Controllers,
    prepare_for_create: Some(|service, _, _| preparation::for_create(service)),
    prepare_for_update: Some(|service, old, _| preparation::for_update(service, old)),
    gated: &[Gated::Below(&[], SERVICE)],
    validate: Some(|errors, object, old, context| match old {
        None => validation::validate_service_create(errors, object, context.profile),
        Some(old) => validation::validate_service_update(errors, object, old, context.profile),
    }),
    warnings: Some(warnings),
    sub_resources: &[SubResource {
        prepare_for_update: Some(keep_spec),
        validate_update: Some(|errors, object, old, context| {
            validate_service_status(errors, object, old, context.profile);
        }),
        warnings: Some(crate::warnings::address::of_status),
        ..SubResource::new("status")
    }],
    ..Strategy::new("", "Service")
};

/// The first release in which external addresses make a Service accessible from outside.
pub(crate) const ADDRESSES_ARE_ACCESS: Version = Version::minor(29);

const SERVICE: &[Fields] = &[
    fields(&[Feature::ServiceTrafficDistribution], &["spec/trafficDistribution"]),
    fields(&[Feature::LoadBalancerIPMode], &["status/loadBalancer/ingress/*/ipMode"]),
];

fn warnings(object: &Object, _: Option<&Object>, warnings: &mut Warnings<'_>) {
    let Value::Object(map) = &object.value else { return };
    let empty = Map::new();
    let spec = map.child("spec").unwrap_or(&empty);
    if warnings.since(27) {
        warnings::service(object, spec, warnings);
    }
}

/// Implements `ValidateServiceStatusUpdate`.
fn validate_service_status(errors: &mut Errors, object: &Node, old: &Node, profile: &ServerProfile) {
    metadata::validate_object_meta_update(errors, object, old);
    let balancer = object.child("status").child("loadBalancer");
    let has_balancer = object.child("spec").text("type") == "LoadBalancer";
    if !has_balancer && balancer.len("ingress") > 0 && errors.since(29) {
        let detail = "may only be used when `spec.type` is 'LoadBalancer'";
        errors.forbidden(&balancer.at("ingress"), detail);
    } else {
        validate_load_balancer_status(errors, object, old, true, profile);
    }
}

/// Sets the defaults of `Service`.
fn set_defaults(service: &mut Map, profile: &ServerProfile) {
    let spec = child_or_insert(service, "spec");
    set_if_zero(spec, "sessionAffinity", "None");
    match spec.text("sessionAffinity") {
        "None" => {
            spec.remove("sessionAffinityConfig");
        }
        "ClientIP" => {
            let client = spec.child(["sessionAffinityConfig", "clientIP"]);
            if !client.is_some_and(|client| client.has("timeoutSeconds")) {
                set(spec, "sessionAffinityConfig", json!({"clientIP": {"timeoutSeconds": 10800}}));
            }
        }
        _ => {}
    }
    set_if_zero(spec, "type", "ClusterIP");
    for port in items_mut(spec, "ports") {
        set_if_zero(port, "protocol", "TCP");
        if port.is_zero("targetPort") {
            let number = port.int("port");
            set(port, "targetPort", number);
        }
    }
    let (cluster_ip, node_port, load_balancer) = match spec.text("type") {
        "ClusterIP" => (true, false, false),
        "NodePort" => (false, true, false),
        "LoadBalancer" => (false, false, true),
        _ => (false, false, false),
    };
    let has_addresses = cluster_ip && !spec.is_zero("externalIPs");
    if load_balancer || node_port || has_addresses && profile.release() >= ADDRESSES_ARE_ACCESS {
        set_if_zero(spec, "externalTrafficPolicy", "Cluster");
    }
    if load_balancer || node_port || cluster_ip {
        set_if_absent(spec, "internalTrafficPolicy", "Cluster");
    }
    if load_balancer {
        set_if_absent(spec, "allocateLoadBalancerNodePorts", true);
        let balancer = child_mut(service, "status").and_then(|status| child_mut(status, "loadBalancer"));
        for ingress in balancer.into_iter().flat_map(|balancer| items_mut(balancer, "ingress")) {
            if !ingress.is_zero("ip") {
                set_if_absent(ingress, "ipMode", "VIP");
            }
        }
    }
}

/// Drops what the registry drops from every Service that it reads.
///
/// Source: `defaultOnReadInternalTrafficPolicy`
pub(crate) fn default_on_read(service: &mut Map) {
    if let Some(spec) = child_mut(service, "spec").filter(|spec| spec.text("type") == "ExternalName") {
        spec.remove("internalTrafficPolicy");
    }
}
