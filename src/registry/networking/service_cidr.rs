//! Ranges of the addresses of Services.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/networking`.

use crate::go::net::parse_cidr_sloppy;
use crate::registry::store::keep_spec_and_metadata;
use crate::registry::strategy::{ObjectStatus, Scope, Storage, Strategy, SubResource};
use crate::registry::validation::address::is_valid_cidr;
use crate::registry::validation::metadata::{
    name_is_dns_subdomain, validate_object_meta, validate_object_meta_update,
};
use crate::registry::validation::node::{Errors, IMMUTABLE, Node};

/// The strategy of `ServiceCIDR`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "networking.k8s.io",
    kind: "ServiceCIDR",
    resource: "servicecidrs",
    versions: &["v1", "v1beta1"],
    scope: Scope::Cluster,
    storage: Storage::Stored,
    allow_create_on_update: false,
    allow_unconditional_update: true,
    defaults: None,
    default_times: None,
    status: ObjectStatus::Controllers,
    prepare_for_create: None,
    prepare_for_update: None,
    gated: &[],
    prepared_times: None,
    as_validated: None,
    validate: Some(|errors, object, old, _| validate_service_cidr(errors, object, old)),
    refuse: None,
    warnings: None,
    sub_resources: &[SubResource {
        name: "status",
        prepare_for_update: Some(keep_spec_and_metadata),
        prepared_times: None,
        validate_update: Some(|errors, object, old, _| validate_object_meta_update(errors, object, old)),
        warnings: None,
    }],
};

/// Runs `ValidateServiceCIDR`, and `ValidateServiceCIDRUpdate` if there is an old object.
fn validate_service_cidr(errors: &mut Errors, object: &Node, old: Option<&Node>) {
    let spec = object.child("spec");
    let Some(old) = old else {
        validate_object_meta(errors, object, Scope::Cluster, name_is_dns_subdomain);
        return validate_service_cidr_spec(errors, &spec);
    };
    validate_object_meta_update(errors, object, old);
    let before = old.child("spec");
    let (now, then) = (spec.list("cidrs"), before.list("cidrs"));
    let grows = then.len() == 1 && now.len() == 2;
    if now.len() == then.len() || grows {
        for (index, (now, then)) in now.iter().zip(then).enumerate() {
            if now != then {
                errors.invalid_value(&spec.at("cidrs").index(index), now, IMMUTABLE);
            }
        }
        if grows {
            validate_service_cidr_spec(errors, &spec);
        }
    } else {
        errors.invalid_value(&spec.at("cidrs"), spec.raw("cidrs"), IMMUTABLE);
    }
}

/// Implements `validateServiceCIDRSpec`.
fn validate_service_cidr_spec(errors: &mut Errors, spec: &Node) {
    let ranges: Vec<&str> = spec.texts("cidrs").collect();
    if ranges.is_empty() {
        return errors.required(&spec.at("cidrs"), "at least one CIDR required");
    }
    if ranges.len() > 2 {
        let detail = "may only hold up to 2 values";
        return errors.invalid_typed(&spec.at("cidrs"), "internal.ServiceCIDRSpec", spec.value(), detail);
    }
    for (index, range) in ranges.iter().enumerate() {
        errors.each(|| spec.at("cidrs").index(index), range, is_valid_cidr(range));
    }
    if let [first, second] = ranges.as_slice() {
        let family = |range: &str| parse_cidr_sloppy(range).map(|range| range.is_v6());
        if family(first).is_some() && family(first) == family(second) {
            let detail =
                "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64";
            errors.invalid_value(&spec.at("cidrs"), spec.raw("cidrs"), detail);
        }
    }
}
