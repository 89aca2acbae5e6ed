//! The actual costs of calls.
//!
//! Source: cel-go `interpreter/runtimecost.go`, `ext/lists.go`, `ext/sets.go`,
//! `k8s.io/apiserver/pkg/cel/library/cost.go`.

use crate::declarations::{Cost, Overload};
use crate::plan::CallStep;
use crate::value::{Opaque, Value};

const LIST: u64 = 10;
const OBJECT: u64 = 40;

/// An argument; `None` if it is an error.
type Argument<'a> = Option<Value<'a>>;

/// Returns the cost of the call, without its arguments.
pub(super) fn of(call: &CallStep, arguments: &[Argument], result: Option<&Value>) -> u64 {
    let size = |index: usize| size(arguments.get(index));
    let size_within = |index: usize| size_within(arguments.get(index));
    let size_of_result = || result.and_then(Value::size).unwrap_or(1);
    let list = |items: u64| items.saturating_add(1 + LIST);
    let product = || size(0).saturating_mul(size(1));
    let compared = || text(size_within(0).min(size_within(1)));
    match call.cost {
        Cost::Equality => match arguments.first() {
            Some(Some(Value::Opaque(_))) => 1,
            _ => compared(),
        },
        Cost::Comparison => compared(),
        Cost::Concatenation => text(size_within(0).saturating_add(size_within(1))),
        Cost::Search => size_within(1),
        Cost::Affix | Cost::Format | Cost::ToBytes | Cost::ToText | Cost::Quote => text(size_within(0)),
        Cost::Containment => text(size_within(0)).saturating_mul(text(size_within(1))),
        Cost::Matching => pattern(size_within(0), size_within(1)),
        Cost::ResultItems => list(size_of_result()),
        Cost::Flattened => list(size(0)),
        Cost::FlattenedToDepth => match arguments.get(1) {
            Some(Some(Value::Int(depth))) => list(times(size(0), *depth)),
            _ => list(0),
        },
        Cost::Pairs => pairs(arguments.first()),
        Cost::PairsOfKeys => pairs(arguments.get(1)),
        Cost::Product => product().saturating_add(1),
        Cost::ProductTwice => product().saturating_mul(2).saturating_add(1),
        Cost::Check => Cost::OF_CHECK,
        Cost::Selector => {
            // A requirement for every two characters.
            let requirements = part(size(1), 0.5);
            LIST + text(size(1)) + requirements.saturating_mul(LIST + OBJECT)
        }
        Cost::Items => traversal(arguments.first().and_then(Option::as_ref)),
        Cost::Traversal | Cost::Parsing => text(size(0)),
        Cost::Canonical | Cost::Replace | Cost::Split => part(size(0), 0.2),
        Cost::Join => part(size_of_result(), 0.2),
        Cost::Find => pattern(size(0), size(1)),
        Cost::ContainsIp | Cost::ContainsCidr => {
            let takes_text = call.overload.is_some_and(Overload::takes_text);
            let other = if takes_text { text(size(1)) } else { 0 };
            let network = if call.cost == Cost::ContainsCidr { text(size(0)) + 1 } else { 0 };
            text(size(0).saturating_mul(2)) + network + other
        }
        Cost::Validate => match arguments.first() {
            Some(Some(Value::Opaque(Opaque::Format(format)))) => pattern(size(1), format.regex_size),
            _ => 1,
        },
        // Logic has steps of its own, and upstream counts the others as any call.
        Cost::One | Cost::Logic | Cost::Condition | Cost::Append | Cost::Includes => 1,
    }
}

fn size(argument: Option<&Argument>) -> u64 {
    argument.and_then(Option::as_ref).and_then(Value::size).unwrap_or(1)
}

/// Returns the size as CEL itself counts it: for an optional that of its value.
fn size_within(argument: Option<&Argument>) -> u64 {
    let mut value = argument.and_then(Option::as_ref);
    while let Some(Value::Optional(Some(inner))) = value {
        value = Some(inner);
    }
    value.and_then(Value::size).unwrap_or(1)
}

/// Returns a part of a size, rounded up.
fn part(size: u64, factor: f64) -> u64 {
    whole(scaled(size, factor).ceil())
}

#[expect(clippy::cast_precision_loss, reason = "Go computes so")]
fn scaled(size: u64, factor: f64) -> f64 {
    size as f64 * factor
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "Go computes so")]
fn whole(cost: f64) -> u64 {
    cost as u64
}

fn text(size: u64) -> u64 {
    part(size, 0.1)
}

fn pattern(text_size: u64, pattern_size: u64) -> u64 {
    text(text_size.saturating_add(1)).saturating_mul(part(pattern_size, 0.25))
}

#[expect(clippy::cast_precision_loss, reason = "Go computes so")]
fn times(size: u64, factor: i64) -> u64 {
    whole(scaled(size, factor as f64))
}

/// Returns the cost of comparing each item with each other.
fn pairs(list: Option<&Argument>) -> u64 {
    let first = match list {
        Some(Some(Value::List(list))) => list.get(0),
        _ => None,
    };
    let Some(first) = first else { return 1 + LIST };
    let factor = if matches!(first, Value::String(_) | Value::Bytes(_)) { 2.1 } else { 2.0 };
    let size = size(list);
    whole(scaled(size.saturating_mul(size), factor)).saturating_add(1 + LIST)
}

/// Returns the cost of traversing a whole value.
fn traversal(value: Option<&Value>) -> u64 {
    match value {
        Some(Value::String(text)) => whole(scaled(text.len() as u64, 0.1)),
        Some(Value::Bytes(bytes)) => whole(scaled(bytes.len() as u64, 0.1)),
        Some(Value::List(list)) => {
            list.iter().fold(0, |cost: u64, item| cost.saturating_add(traversal(Some(&item))))
        }
        Some(Value::Map(map)) => map.entries().fold(0, |cost: u64, (key, value)| {
            cost.saturating_add(traversal(Some(&key))).saturating_add(traversal(Some(&value)))
        }),
        _ => 1,
    }
}
