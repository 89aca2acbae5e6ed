//! Resources and resource claims of a pod as a whole.
//!
//! Source: `validatePodResources`, `validatePodResourceClaims`, `k8s.io/component-helpers/resource`.

use std::collections::{BTreeMap, BTreeSet};

use crate::validation::metadata::name_is_dns_subdomain;
use crate::validation::node::{Errors, Node, nameless};
use crate::validation::pod::{Options, Pod};
use crate::validation::resources::{
    is_huge_page_resource_name, quantity, validate_pod_resource_name, validate_resource_requirements,
};
use gotext::names;
use gotext::quantity::Quantity;

pub(crate) type Amounts<'a> = BTreeMap<&'a str, Quantity>;

/// Implements `validatePodResources`.
pub(crate) fn validate_pod_resources(errors: &mut Errors, pod: &Pod, options: &Options) {
    let Some(resources) = pod.spec.get("resources") else { return };
    if pod.spec.child("os").text("name") == "windows" {
        errors.forbidden(&resources.here(), "may not be set for a windows pod");
        return;
    }
    if resources.has("claims") {
        errors.forbidden(&resources.at("claims"), "claims may not be set for Resources at pod-level");
    }
    validate_resource_requirements(
        errors,
        &resources,
        validate_pod_resource_name,
        &pod.claims,
        options.indivisible_huge_pages,
    );
    validate_pod_resource_consistency(errors, pod, &resources);
}

/// Implements `validatePodResourceConsistency`.
fn validate_pod_resource_consistency(errors: &mut Errors, pod: &Pod, resources: &Node) {
    for (name, sum) in aggregate(&pod.spec, "requests") {
        let Some(of_pod) = resources.raw("requests").get(name).map(quantity) else { continue };
        if sum > of_pod {
            let detail = format!(
                "must be greater than or equal to aggregate container requests of {}",
                sum.canonical()
            );
            errors.invalid(&resources.at("requests").key(name), &of_pod.canonical(), detail);
        }
    }
    for (name, sum) in aggregate(&pod.spec, "limits") {
        let Some(of_pod) = resources.raw("limits").get(name).map(quantity) else { continue };
        if is_huge_page_resource_name(name) && sum > of_pod {
            let detail =
                format!("must be greater than or equal to aggregate container limits of {}", sum.canonical());
            errors.invalid(&resources.at("limits").key(name), &of_pod.canonical(), detail);
        }
    }
    for (index, container) in pod.spec.list("containers").iter().map(Node::root).enumerate() {
        for (name, limit) in container.child("resources").entries("limits") {
            let Some(of_pod) = resources.raw("limits").get(name).map(quantity) else { continue };
            let limit = quantity(limit);
            if limit > of_pod {
                let path = resources.at("containers").index(index).key(name).child("limits");
                let detail = format!("must be less than or equal to pod limits of {}", of_pod.canonical());
                errors.invalid(&path, &limit.canonical(), detail);
            }
        }
    }
}

/// Implements `AggregateContainerRequests`, `AggregateContainerLimits`: the sum of what runs at once, or an init
/// container if that is more.
pub(crate) fn aggregate<'a>(spec: &Node<'a>, kind: &str) -> Amounts<'a> {
    let mut total = Amounts::new();
    let of = |container: &Node<'a>| -> Vec<(&'a str, Quantity)> {
        container.child("resources").entries(kind).map(|(name, value)| (name, quantity(value))).collect()
    };
    for container in spec.list("containers").iter().map(Node::root) {
        add(&mut total, of(&container));
    }
    let (mut sidecars, mut peak) = (Amounts::new(), Amounts::new());
    for container in spec.list("initContainers").iter().map(Node::root) {
        let amounts = of(&container);
        let mut now = if container.text("restartPolicy") == "Always" {
            add(&mut total, amounts.clone());
            add(&mut sidecars, amounts);
            sidecars.clone()
        } else {
            let mut now: Amounts = amounts.into_iter().collect();
            add(&mut now, sidecars.clone().into_iter().collect());
            now
        };
        raise(&mut peak, &mut now);
    }
    raise(&mut total, &mut peak);
    total
}

pub(crate) fn add<'a>(total: &mut Amounts<'a>, amounts: Vec<(&'a str, Quantity)>) {
    for (name, amount) in amounts {
        let sum = total.get(name).map_or_else(|| amount.clone(), |before| before.add(&amount));
        total.insert(name, sum);
    }
}

pub(crate) fn raise<'a>(total: &mut Amounts<'a>, amounts: &mut Amounts<'a>) {
    for (name, amount) in std::mem::take(amounts) {
        if total.get(name).is_none_or(|before| amount > *before) {
            total.insert(name, amount);
        }
    }
}

/// Implements `validatePodResourceClaims`.
pub(crate) fn validate_pod_resource_claims(errors: &mut Errors, pod: &Pod) {
    let mut seen = BTreeSet::new();
    for claim in pod.spec.items("resourceClaims") {
        if pod.mirror {
            errors.forbidden(&nameless(), "static pods do not support resource claims");
            continue;
        }
        let name = claim.text("name");
        if errors.require_text(&claim, "name") {
            if seen.insert(name) {
                errors.each_of(&claim, "name", names::is_dns1123_label(name));
            } else {
                errors.duplicate(&claim.at("name"), name);
            }
        }
        let detail = match (claim.has("resourceClaimName"), claim.has("resourceClaimTemplateName")) {
            (true, true) => {
                Some("at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified")
            }
            (false, false) => Some("must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"),
            _ => None,
        };
        if let Some(detail) = detail {
            errors.invalid_typed(&claim.here(), "internal.PodResourceClaim", claim.value(), detail);
        }
        for field in ["resourceClaimName", "resourceClaimTemplateName"] {
            if let Some(name) = claim.given(field) {
                errors.each_of(&claim, field, name_is_dns_subdomain(name, false));
            }
        }
    }
}
