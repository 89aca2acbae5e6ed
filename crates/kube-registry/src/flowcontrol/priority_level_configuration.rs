//! Limits on concurrent requests by priority.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/flowcontrol`.

use crate::preparation::copy_all_metadata;
use crate::strategy::{ObjectStatus, Scope, Strategy, SubResource};
use crate::validation::equal::plainly_equal;
use crate::validation::flow_control;
use crate::validation::flow_control::validate_flow_control_status;
use crate::validation::metadata::{name_is_dns_subdomain, validate_object_meta};
use crate::validation::node::{Errors, Node};
use gotext::value::json;
use kube_api::field::Path;
use kube_api::tree::{child_mut, child_or_insert, copy, set_if_absent, set_if_zero};
use kube_api::{Map, Value};

/// The strategy of `PriorityLevelConfiguration`.
pub(crate) static STRATEGY: Strategy = Strategy {
    defaults: Some(|object, _, _| set_defaults(object)),
    status: ObjectStatus::Controllers,
    validate: Some(|errors, object, _, _| {
        validate_priority_level_configuration(errors, object);
    }),
    sub_resources: &[SubResource {
        prepare_for_update: Some(|object, old, _| {
            copy(object, old, "spec");
            copy_all_metadata(object, old);
        }),
        validate_update: Some(|errors, object, _, _| {
            flow_control::validate_flow_control_status(errors, object);
        }),
        ..SubResource::new("status")
    }],
    ..Strategy::new("flowcontrol.apiserver.k8s.io", "PriorityLevelConfiguration")
};

/// Sets the defaults of `PriorityLevelConfiguration`.
fn set_defaults(level: &mut Map) {
    let spec = child_or_insert(level, "spec");
    if let Some(limited) = child_mut(spec, "limited") {
        set_if_absent(limited, "nominalConcurrencyShares", 30);
        set_if_absent(limited, "lendablePercent", 0);
        if let Some(queuing) = child_mut(limited, ["limitResponse", "queuing"]) {
            set_if_zero(queuing, "handSize", 8);
            set_if_zero(queuing, "queues", 64);
            set_if_zero(queuing, "queueLengthLimit", 50);
        }
    }
    if let Some(exempt) = child_mut(spec, "exempt") {
        set_if_absent(exempt, "nominalConcurrencyShares", 0);
        set_if_absent(exempt, "lendablePercent", 0);
    }
}

const MAX_QUEUES: i64 = 10_000_000;

const MAX_HASH_BITS: f64 = 60.0;

const ROUND_TRIP: &str = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares";

/// Implements `ValidatePriorityLevelConfiguration`.
fn validate_priority_level_configuration(errors: &mut Errors, object: &Node) {
    validate_object_meta(errors, object, Scope::Cluster, name_is_dns_subdomain);
    let metadata = object.child("metadata");
    if metadata.raw("annotations").get(ROUND_TRIP).is_some() {
        errors.forbidden(&metadata.at("annotations"), format!("annotation '{ROUND_TRIP}' is forbidden"));
    }
    let (spec, name) = (object.child("spec"), metadata.text("name"));
    validate_priority_level_spec(errors, &spec, name);
    if let Some((fixed, exception)) = mandatory_priority_level(name) {
        let mut compared = spec.value().clone();
        if let Some(fields) = compared.as_object_mut().filter(|_| name == "exempt") {
            fields.remove("exempt");
        }
        if !plainly_equal(&compared, &fixed) {
            let detail = format!("spec of '{name}'{exception} must equal the fixed value");
            let table = "flowcontrol/v1.PriorityLevelConfigurationSpec";
            errors.invalid_internal(&spec.here(), table, spec.value(), detail);
        }
    }
    validate_flow_control_status(errors, object);
}

/// Implements `ValidatePriorityLevelConfigurationSpec`.
fn validate_priority_level_spec(errors: &mut Errors, spec: &Node, name: &str) {
    let kind = spec.text("type");
    if (name == "exempt") != (kind == "Exempt") {
        let detail = if errors.since(34) {
            "must be 'Exempt' if and only if `name` is 'exempt'"
        } else {
            "type must be 'Exempt' if and only if name is 'exempt'"
        };
        errors.invalid(&spec.at("type"), kind, detail);
    }
    match kind {
        "Exempt" => {
            if spec.has("limited") {
                errors.forbidden(&spec.at("limited"), "must be nil if the type is not Limited");
            }
            if let Some(exempt) = spec.get("exempt") {
                validate_shares(errors, &exempt);
                validate_lendable_percent(errors, &exempt);
            }
        }
        "Limited" => {
            if spec.has("exempt") {
                errors.forbidden(&spec.at("exempt"), "must be nil if the type is Limited");
            }
            match spec.get("limited") {
                None => errors.required(&spec.at("limited"), "must not be empty when type is Limited"),
                Some(limited) => validate_limited(errors, &limited),
            }
        }
        _ => errors.one_of(spec, "type", &["Exempt", "Limited"]),
    }
}

fn validate_shares(errors: &mut Errors, level: &Node) {
    let shares = level.int("nominalConcurrencyShares");
    if shares < 0 {
        errors.invalid_int(&level.at("nominalConcurrencyShares"), shares, "must be a non-negative integer");
    }
}

fn validate_lendable_percent(errors: &mut Errors, level: &Node) {
    let percent = level.int("lendablePercent");
    if !(0..=100).contains(&percent) {
        errors.invalid_int(&level.at("lendablePercent"), percent, "must be between 0 and 100, inclusive");
    }
}

/// Implements `ValidateLimitedPriorityLevelConfiguration`.
fn validate_limited(errors: &mut Errors, limited: &Node) {
    validate_shares(errors, limited);
    let response = limited.child("limitResponse");
    match response.text("type") {
        "Reject" => {
            if response.has("queuing") {
                let detail = "must be nil if limited.limitResponse.type is not Limited";
                errors.forbidden(&response.at("queuing"), detail);
            }
        }
        "Queue" => match response.get("queuing") {
            None => {
                let detail = "must not be empty if limited.limitResponse.type is Limited";
                errors.required(&response.at("queuing"), detail);
            }
            Some(queuing) => validate_queuing(errors, &queuing),
        },
        _ => errors.one_of(&response, "type", &["Queue", "Reject"]),
    }
    validate_lendable_percent(errors, limited);
    let borrowing = limited.int("borrowingLimitPercent");
    if borrowing < 0 {
        let detail = "if specified, must be a non-negative integer";
        errors.invalid_int(&limited.at("borrowingLimitPercent"), borrowing, detail);
    }
}

/// Implements `ValidatePriorityLevelQueuingConfiguration`.
fn validate_queuing(errors: &mut Errors, queuing: &Node) {
    let [limit, queues, hand] =
        ["queueLengthLimit", "queues", "handSize"].map(|field| (queuing.int(field), queuing.at(field)));
    let mut refuse = |(value, path): &(i64, Path), detail: &str| errors.invalid_int(path, *value, detail);
    if limit.0 <= 0 {
        refuse(&limit, "must be positive");
    }
    if queues.0 <= 0 {
        refuse(&queues, "must be positive");
    } else if queues.0 > MAX_QUEUES {
        refuse(&queues, &format!("must not be greater than {MAX_QUEUES}"));
    }
    if hand.0 <= 0 {
        refuse(&hand, "must be positive");
    } else if hand.0 > queues.0 {
        refuse(&hand, &format!("should not be greater than queues ({})", queues.0));
    } else if required_entropy_bits(queues.0, hand.0) > MAX_HASH_BITS {
        let detail = format!(
            "required entropy bits of deckSize {} and handSize {} should not be greater than {MAX_HASH_BITS}",
            queues.0, hand.0
        );
        refuse(&hand, &detail);
    }
}

/// Implements `shufflesharding.RequiredEntropyBits`.
#[expect(clippy::cast_precision_loss, reason = "both come from 32 bits")]
fn required_entropy_bits(deck: i64, hand: i64) -> f64 {
    ((deck as f64).log2() * hand as f64).ceil()
}

/// Implements `bootstrap.MandatoryPriorityLevelConfigurations`, and the part that may differ.
fn mandatory_priority_level(name: &str) -> Option<(Value, &'static str)> {
    match name {
        "exempt" => Some((json!({"type": "Exempt"}), " except the 'spec.exempt' field")),
        "catch-all" => {
            let limited = json!({
                "nominalConcurrencyShares": 5,
                "lendablePercent": 0,
                "limitResponse": {"type": "Reject"},
            });
            Some((json!({"type": "Limited", "limited": limited}), ""))
        }
        _ => None,
    }
}
