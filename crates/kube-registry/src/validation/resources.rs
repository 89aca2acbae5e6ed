//! Names and amounts of resources, in containers, quotas, limit ranges and claims.
//!
//! Source: `k8s.io/kubernetes/pkg/apis/core/helper`, `k8s.io/kubernetes/pkg/apis/core/validation`.

use std::collections::BTreeSet;

use crate::validation::node::{Errors, IS_NEGATIVE, Node};
use gotext::names;
use gotext::quantity::Quantity;
use kube_api::Value;
use kube_api::field::{Error, Path, Rule};

const INTEGER_RESOURCES: [&str; 9] = [
    "pods",
    "resourcequotas",
    "services",
    "replicationcontrollers",
    "secrets",
    "configmaps",
    "persistentvolumeclaims",
    "services.nodeports",
    "services.loadbalancers",
];
/// The resources that a quota may count besides [`INTEGER_RESOURCES`].
const STANDARD_QUOTA_RESOURCES: [&str; 10] = [
    "cpu",
    "memory",
    "ephemeral-storage",
    "requests.cpu",
    "requests.memory",
    "requests.storage",
    "requests.ephemeral-storage",
    "limits.cpu",
    "limits.memory",
    "limits.ephemeral-storage",
];
pub(crate) const HUGE_PAGES: &str = "hugepages-";

/// A rule for the names in a list of resources.
type ResourceNameRule = fn(&mut Errors, &str, &Path);

/// Returns a quantity of a decoded object.
pub(crate) fn quantity(value: &Value) -> Quantity {
    match value {
        Value::String(text) => Quantity::parse(text).unwrap_or_default(),
        Value::Number(number) => Quantity::parse(&number.to_string()).unwrap_or_default(),
        _ => Quantity::ZERO,
    }
}

/// Implements `IsHugePageResourceName`.
pub(crate) fn is_huge_page_resource_name(name: &str) -> bool {
    name.starts_with(HUGE_PAGES)
}

/// Implements `IsStandardQuotaResourceName`.
pub(crate) fn is_standard_quota_resource_name(name: &str) -> bool {
    INTEGER_RESOURCES.contains(&name)
        || STANDARD_QUOTA_RESOURCES.contains(&name)
        || name.starts_with(HUGE_PAGES)
        || name.starts_with("requests.hugepages-")
}

/// Implements `IsStandardResourceName`.
fn is_standard_resource_name(name: &str) -> bool {
    name == "storage" || is_standard_quota_resource_name(name)
}

/// Implements `IsStandardContainerResourceName`.
fn is_standard_container_resource_name(name: &str) -> bool {
    ["cpu", "memory", "ephemeral-storage"].contains(&name) || is_huge_page_resource_name(name)
}

/// Implements `IsNativeResource`.
pub(crate) fn is_native_resource(name: &str) -> bool {
    !name.contains('/') || name.contains("kubernetes.io/")
}

/// Implements `IsExtendedResourceName`.
pub(crate) fn is_extended_resource_name(name: &str) -> bool {
    !is_native_resource(name)
        && !name.starts_with("requests.")
        && names::is_qualified_name(&format!("requests.{name}")).is_empty()
}

/// Implements `IsOvercommitAllowed`.
pub(crate) fn is_overcommit_allowed(name: &str) -> bool {
    is_native_resource(name) && !is_huge_page_resource_name(name)
}

/// Implements `validateResourceName`.
pub(crate) fn validate_resource_name(errors: &mut Errors, name: &str, path: &Path) {
    errors.by(Rule::ResourceName, |errors| {
        let messages = names::is_qualified_name(name);
        if !messages.is_empty() {
            errors.each(|| path.clone(), name, messages);
        } else if !name.contains('/') && !is_standard_resource_name(name) {
            errors.invalid(path, name, "must be a standard resource type or fully qualified");
        }
    });
}

/// Implements `validateContainerResourceName`.
pub(crate) fn validate_container_resource_name(errors: &mut Errors, name: &str, path: &Path) {
    errors.by(Rule::ResourceName, |errors| {
        validate_resource_name(errors, name, path);
        if !name.contains('/') {
            if !is_standard_container_resource_name(name) {
                errors.invalid(path, name, "must be a standard resource for containers");
            }
        } else if !is_native_resource(name) && !is_extended_resource_name(name) {
            errors.invalid(path, name, "doesn't follow extended resource name standard");
        }
    });
}

/// Implements `validatePodResourceName`.
pub(crate) fn validate_pod_resource_name(errors: &mut Errors, name: &str, path: &Path) {
    let before = errors.len();
    validate_resource_name(errors, name, path);
    if errors.len() == before && !["cpu", "memory"].contains(&name) && !is_huge_page_resource_name(name) {
        errors.not_supported(path, name, &["cpu", "hugepages-", "memory"]);
    }
}

/// Implements `ValidateResourceQuotaResourceName`.
pub(crate) fn validate_resource_quota_resource_name(errors: &mut Errors, name: &str, path: &Path) {
    errors.by(Rule::ResourceName, |errors| {
        validate_resource_name(errors, name, path);
        if !name.contains('/') && !is_standard_quota_resource_name(name) {
            errors.invalid(path, name, "must be a standard resource for quota");
        }
    });
}

/// Implements `ValidateResourceQuantityValue`.
pub(crate) fn validate_resource_quantity_value(
    errors: &mut Errors,
    name: &str,
    value: &Quantity,
    path: &Path,
) {
    validate_non_negative_quantity(errors, value, path);
    let integer = INTEGER_RESOURCES.contains(&name) || is_extended_resource_name(name);
    if integer && value.milli_value() % 1000 != 0 {
        let text = value.canonical();
        let error = Error::invalid_text(path, &text, "must be an integer");
        errors.push(error.about(Some("core/v1.ResourceFieldSelector#divisor"), &Value::from(&*text)));
    }
}

/// Implements `ValidateNonnegativeQuantity`.
pub(crate) fn validate_non_negative_quantity(errors: &mut Errors, value: &Quantity, path: &Path) {
    if value.sign() < 0 {
        errors.invalid(path, &value.canonical(), IS_NEGATIVE);
    }
}

/// Implements `ValidatePositiveQuantityValue`.
pub(crate) fn validate_positive_quantity_value(errors: &mut Errors, value: &Quantity, path: &Path) -> bool {
    let positive = value.sign() > 0;
    if !positive {
        errors.invalid(path, &value.canonical(), "must be greater than zero");
    }
    positive
}

/// Implements `validateBasicResource`.
pub(crate) fn validate_basic_resource(errors: &mut Errors, value: &Quantity, path: &Path) {
    if value.value() < 0 {
        errors.invalid_int(path, value.value(), "must be a valid resource quantity");
    }
}

/// Implements `validateResourceRequirements`.
pub(crate) fn validate_resource_requirements(
    errors: &mut Errors,
    requirements: &Node,
    rule: ResourceNameRule,
    claims: &BTreeSet<&str>,
    indivisible_huge_pages: bool,
) {
    let (mut compute, mut huge_pages) = (false, false);
    for (name, value) in requirements.entries("limits") {
        let path = &requirements.at("limits").key(name);
        let amount = quantity(value);
        rule(errors, name, path);
        validate_resource_quantity_value(errors, name, &amount, path);
        if is_huge_page_resource_name(name) {
            huge_pages = true;
            validate_huge_page_value(errors, name, &amount, path, indivisible_huge_pages);
        }
        compute |= ["cpu", "memory"].contains(&name);
    }
    for (name, value) in requirements.entries("requests") {
        let path = &requirements.at("requests").key(name);
        let amount = quantity(value);
        rule(errors, name, path);
        validate_resource_quantity_value(errors, name, &amount, path);
        validate_request_against_limit(errors, requirements, name, &amount);
        if is_huge_page_resource_name(name) {
            huge_pages = true;
            validate_huge_page_value(errors, name, &amount, path, indivisible_huge_pages);
        }
        compute |= ["cpu", "memory"].contains(&name);
    }
    if huge_pages && !compute {
        errors.forbidden(&requirements.here(), "HugePages require cpu or memory");
    }
    validate_resource_claim_names(errors, requirements, claims);
}

/// Implements `ValidateOverhead`: what a runtime takes is validated as if it were the limits of a container at `path`.
pub(crate) fn validate_overhead(
    errors: &mut Errors,
    path: Path,
    amounts: &Value,
    indivisible_huge_pages: bool,
) {
    let limits = gotext::value::json!({ "limits": amounts });
    let requirements = Node::new(path, &limits);
    let rule = validate_container_resource_name;
    validate_resource_requirements(errors, &requirements, rule, &BTreeSet::new(), indivisible_huge_pages);
}

fn validate_request_against_limit(errors: &mut Errors, requirements: &Node, name: &str, request: &Quantity) {
    let Some(limit) = requirements.raw("limits").get(name).map(quantity) else {
        if !is_overcommit_allowed(name) {
            errors.required(&requirements.at("limits"), "Limit must be set for non overcommitable resources");
        }
        return;
    };
    let comparison = if *request != limit && !is_overcommit_allowed(name) {
        "equal to"
    } else if *request > limit {
        "less than or equal to"
    } else {
        return;
    };
    let amount = if errors.since(27) { format!(" of {}", limit.canonical()) } else { String::new() };
    let detail = format!("must be {comparison} {name} limit{amount}");
    errors.invalid(&requirements.at("requests"), &request.canonical(), detail);
}

/// Implements `validateResourceQuantityHugePageValue`.
fn validate_huge_page_value(
    errors: &mut Errors,
    name: &str,
    value: &Quantity,
    path: &Path,
    indivisible_huge_pages: bool,
) {
    if !indivisible_huge_pages && !is_huge_page_value_divisible(name, value) {
        let amount = value.canonical();
        errors.invalid(path, &amount, format!("{amount} is not positive integer multiple of {name}"));
    }
}

/// Implements `IsHugePageResourceValueDivisible`.
pub(crate) fn is_huge_page_value_divisible(name: &str, value: &Quantity) -> bool {
    let size = name.strip_prefix(HUGE_PAGES).and_then(|size| Quantity::parse(size).ok());
    size.is_some_and(|size| {
        size.sign() > 0
            && size.milli_value() % 1000 == 0
            && value.value().checked_rem(size.value()) == Some(0)
    })
}

/// Implements `validateResourceClaimNames`.
fn validate_resource_claim_names(errors: &mut Errors, requirements: &Node, pod_claims: &BTreeSet<&str>) {
    let mut seen: BTreeSet<String> = BTreeSet::new();
    for claim in requirements.items("claims") {
        let name = claim.text("name");
        if name.is_empty() {
            errors.required(&claim.here(), "");
            continue;
        }
        if seen.contains(name) {
            errors.duplicate(&claim.here(), name);
        } else {
            let request = claim.text("request");
            let mut key = name.to_owned();
            if !request.is_empty() {
                errors.each_of(&claim, "request", names::is_dns1123_label(request));
                key = format!("{name}/{request}");
            }
            if seen.contains(&key) {
                errors.duplicate(&claim.here(), &key);
            } else if request.is_empty() {
                let requests =
                    seen.iter().filter(|key| key.split_once('/').is_some_and(|(first, _)| first == name));
                for _ in requests {
                    errors.duplicate(&claim.here(), name);
                }
            }
            seen.insert(key);
        }
        if !pod_claims.contains(name) {
            let mut error = Error::not_found(&claim.here(), &Value::from(name));
            "must be one of the names in pod.spec.resourceClaims".clone_into(&mut error.detail);
            if pod_claims.is_empty() {
                error.detail.push_str(" which is empty");
            } else {
                let known: Vec<&str> = pod_claims.iter().copied().collect();
                error.detail = format!("{}: {}", error.detail, known.join(", "));
            }
            errors.push(error);
        }
    }
}
