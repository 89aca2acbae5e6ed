//! Ranges of the addresses of Services.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/networking`.

use crate::preparation::keep_spec_and_metadata;
use crate::strategy::{ObjectStatus, Scope, Strategy, SubResource};
use crate::validation::address::is_valid_cidr;
use crate::validation::metadata::{
    name_is_dns_subdomain, validate_immutable_field, validate_object_meta, validate_object_meta_update,
};
use crate::validation::node::{Errors, IMMUTABLE, Node};
use gotext::net::parse_cidr_sloppy;
use gotext::netip;
use kube_api::features::Feature;
use kube_api::tree::copy;

/// The strategy of `ServiceCIDR`.
pub(crate) static STRATEGY: Strategy = Strategy {
    status: ObjectStatus::Users,
    prepare_for_create: Some(|range, context, _| {
        if context.profile.enabled(Feature::ServiceCIDRStatusFieldWiping) {
            range.remove("status");
        }
    }),
    prepare_for_update: Some(|range, old, context| {
        if context.profile.enabled(Feature::ServiceCIDRStatusFieldWiping) {
            copy(range, old, "status");
        }
    }),
    validate: Some(|errors, object, old, _| validate_service_cidr(errors, object, old)),
    sub_resources: &[SubResource {
        prepare_for_update: Some(keep_spec_and_metadata),
        validate_update: Some(|errors, object, old, _| validate_object_meta_update(errors, object, old)),
        ..SubResource::new("status")
    }],
    ..Strategy::new("networking.k8s.io", "ServiceCIDR")
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
    if !errors.since(33) {
        return validate_immutable_field(errors, &spec, &before, "cidrs");
    }
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
    let detail = "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64";
    let family = |range: &str| parse_cidr_sloppy(range).map(|range| range.is_v6());
    if !errors.since(33) {
        if let [first, second] = ranges.as_slice()
            && (family(first).is_none() || family(second).is_none() || family(first) == family(second))
        {
            return errors.invalid_typed(&spec.at("cidrs"), "internal.ServiceCIDRSpec", spec.value(), detail);
        }
        for (index, range) in ranges.iter().enumerate() {
            errors.each(|| spec.at("cidrs").index(index), range, faults_as_parsed(range));
        }
        return;
    }
    for (index, range) in ranges.iter().enumerate() {
        errors.each(|| spec.at("cidrs").index(index), range, is_valid_cidr(range));
    }
    if let [first, second] = ranges.as_slice()
        && family(first).is_some()
        && family(first) == family(second)
    {
        errors.invalid_value(&spec.at("cidrs"), spec.raw("cidrs"), detail);
    }
}

/// Implements `validateCIDR` of the releases before 1.33.
fn faults_as_parsed(range: &str) -> Vec<String> {
    match netip::parse_prefix(range) {
        Err(error) => vec![error],
        Ok((address, bits)) => {
            let mut faults = Vec::new();
            if parse_cidr_sloppy(range).is_some_and(|range| range.masked) {
                faults.push("wrong CIDR format, IP doesn't match network IP address".to_owned());
            }
            if format!("{address}/{bits}") != range {
                faults.push("CIDR not in RFC 5952 canonical format".to_owned());
            }
            faults
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::of;
    use crate::strategy::Context;
    use gotext::value::json;
    use kube_api::server_profile::ServerProfile;
    use kube_api::{GroupVersionKind, Object, Value};

    fn ranges(cidrs: &[&str]) -> Object {
        let kind = GroupVersionKind::new("networking.k8s.io", "v1", "ServiceCIDR");
        let metadata = json!({"name": "more", "resourceVersion": "1"});
        Object::new(kind, json!({"metadata": metadata, "spec": {"cidrs": Value::from(cidrs.to_vec())}}))
    }

    fn errors(old: Option<&[&str]>, new: &[&str]) -> Vec<String> {
        let (object, profile) = (ranges(new), ServerProfile::default());
        let (strategy, context) = (of(&object.kind).unwrap(), Context::new(&profile));
        let errors = match old {
            Some(old) => strategy.validate_update(&object, &ranges(old), "", &context),
            None => strategy.validate_create(&object, &context),
        };
        errors.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn rejects_none_three_and_two_of_a_family() {
        assert_eq!(errors(None, &["10.96.0.0/16", "fd00::/112"]), [""; 0]);
        assert_eq!(errors(None, &[]), ["spec.cidrs: Required value: at least one CIDR required"]);
        assert_eq!(
            errors(None, &["10.0.0.0/16", "10.1.0.0/16", "fd00::/112"]),
            [
                "spec.cidrs: Invalid value: {\"CIDRs\":[\"10.0.0.0/16\",\"10.1.0.0/16\",\"fd00::/112\"]}: may only hold up \
                 to 2 values"
            ]
        );
        assert_eq!(
            errors(None, &["10.0.0.0/16", "10.1.0.0/16"]),
            [
                "spec.cidrs: Invalid value: [\"10.0.0.0/16\",\"10.1.0.0/16\"]: may specify no more than one IP for each \
                 IP family, i.e 192.168.0.0/24 and 2001:db8::/64"
            ]
        );
        assert_eq!(
            errors(None, &["10.96.0.1/16"]),
            [
                "spec.cidrs[0]: Invalid value: \"10.96.0.1/16\": must not have bits set beyond the prefix length"
            ]
        );
    }

    #[test]
    fn admits_a_second_family_and_no_other_change() {
        assert_eq!(errors(Some(&["10.96.0.0/16"]), &["10.96.0.0/16", "fd00::/112"]), [""; 0]);
        assert_eq!(
            errors(Some(&["10.96.0.0/16"]), &["10.97.0.0/16"]),
            ["spec.cidrs[0]: Invalid value: \"10.97.0.0/16\": field is immutable"]
        );
        assert_eq!(
            errors(Some(&["10.96.0.0/16", "fd00::/112"]), &["10.96.0.0/16"]),
            ["spec.cidrs: Invalid value: [\"10.96.0.0/16\"]: field is immutable"]
        );
    }
}
