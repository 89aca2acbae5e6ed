//! The policy by which requests take a part of a device's capacity.

use crate::validation::node::{Errors, Node};
use crate::validation::resources::quantity;
use gotext::quantity::Quantity;

const MAX_VALID_VALUES: usize = 10;

/// Implements `validateRequestPolicy`.
pub(super) fn validate_request_policy(errors: &mut Errors, policy: &Node, capacity: &Quantity) {
    let (has_values, range) = (policy.len("validValues") > 0, policy.get("validRange"));
    if has_values && range.is_some() {
        let detail = "exactly one policy can be specified, cannot specify \"validValues\" and \"validRange\" at the same time";
        errors.forbidden(&policy.here(), detail);
        return;
    }
    let field = if has_values { "validValues" } else { "validRange" };
    if !has_values && range.is_none() {
        return;
    }
    if !policy.has("default") {
        errors.required(&policy.at("default"), format!("required when {field} is defined"));
        return;
    }
    let default = quantity(policy.raw("default"));
    match range {
        Some(range) => validate_valid_range(errors, &range, &default, capacity),
        None => validate_valid_values(errors, policy, &default, capacity),
    }
}

/// Implements `validateRequestPolicyValidValues`.
fn validate_valid_values(errors: &mut Errors, policy: &Node, default: &Quantity, capacity: &Quantity) {
    let values: Vec<Quantity> = policy.list("validValues").iter().map(quantity).collect();
    let path = |index: usize| policy.at("validValues").index(index);
    for (index, pair) in values.windows(2).enumerate() {
        if pair[0] > pair[1] {
            let detail = "values must be sorted in ascending order";
            errors.invalid(&path(index + 1), &pair[1].canonical(), detail);
        }
    }
    let mut found = false;
    if values.len() > MAX_VALID_VALUES {
        errors.too_many(&policy.at("validValues"), values.len(), MAX_VALID_VALUES);
    } else {
        for (index, value) in values.iter().enumerate() {
            if value > capacity {
                let detail = format!("option is larger than capacity value: {}", capacity.canonical());
                errors.invalid(&path(index), &value.canonical(), detail);
            }
            found |= value == default;
        }
        for (index, value) in values.iter().enumerate() {
            if values[..index].iter().any(|earlier| earlier.value() == value.value()) {
                errors.duplicate(&path(index), &value.value().to_string());
            }
        }
    }
    if !found {
        let detail = "default value is not valid according to the requestPolicy";
        errors.invalid(&policy.at("validValues"), &default.canonical(), detail);
    }
}

/// Implements `validateRequestPolicyRange`.
fn validate_valid_range(errors: &mut Errors, range: &Node, default: &Quantity, capacity: &Quantity) {
    if !range.has("min") {
        errors.required(&range.at("min"), "required when validRange is defined");
        return;
    }
    let min = quantity(range.raw("min"));
    let max = range.has("max").then(|| quantity(range.raw("max")));
    let mut refuse = |is_wrong: bool, field: &'static str, value: &Quantity, what: &str, limit: &Quantity| {
        if is_wrong {
            errors.invalid(&range.at(field), &value.canonical(), format!("{what}: {}", limit.canonical()));
        }
    };
    refuse(min > *capacity, "min", &min, "min is larger than capacity value", capacity);
    refuse(*default < min, "min", default, "default is less than min", &min);
    if let Some(max) = &max {
        refuse(min > *max, "max", &min, "min is larger than max", max);
        refuse(max > capacity, "max", max, "max is larger than capacity value", capacity);
        refuse(default > max, "max", default, "default is more than max", max);
    }
    if !range.has("step") {
        return;
    }
    let step = quantity(range.raw("step"));
    let added = min.add(&step);
    if added > *capacity {
        let detail =
            format!("one step {} is larger than capacity value: {}", added.canonical(), capacity.canonical());
        errors.invalid(&range.at("step"), &step.canonical(), detail);
    }
    for value in [Some(default), max.as_ref()].into_iter().flatten() {
        // A step of zero makes upstream panic; here it is no divisor.
        let rest = value.value().wrapping_sub(min.value()).checked_rem(step.value());
        if rest.is_some_and(|rest| rest != 0) {
            let detail = format!(
                "value is not a multiple of a given step ({}) from ({})",
                step.canonical(),
                min.canonical()
            );
            errors.invalid(&range.at("step"), &value.canonical(), detail);
        }
    }
}
