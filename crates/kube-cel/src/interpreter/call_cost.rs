//! The actual costs of calls.
//!
//! Source: cel-go `interpreter/runtimecost.go`, `ext/lists.go`, `ext/sets.go`,
//! `k8s.io/apiserver/pkg/cel/library/cost.go`.

use crate::plan::CallStep;
use crate::value::{Opaque, Value};

const CHECK: u64 = 350_000;
const LIST: u64 = 10;
const OBJECT: u64 = 40;

/// An argument; `None` if it is an error.
type Argument<'a> = Option<Value<'a>>;

/// Returns the cost of the call, without its arguments.
pub(super) fn of(call: &CallStep, arguments: &[Argument], result: Option<&Value>) -> u64 {
    if let Some(cost) = extension(call.overload.unwrap_or_default(), arguments, result) {
        return cost;
    }
    if let Some(cost) = kubernetes(&call.function, call.overload, arguments, result) {
        return cost;
    }
    let overload = match &*call.function {
        "_==_" => "equals",
        "_!=_" => "not_equals",
        _ => call.overload.unwrap_or_default(),
    };
    standard(overload, arguments)
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
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "Go computes so"
)]
fn part(size: u64, factor: f64) -> u64 {
    (size as f64 * factor).ceil() as u64
}

fn text(size: u64) -> u64 {
    part(size, 0.1)
}

fn pattern(text_size: u64, pattern_size: u64) -> u64 {
    text(text_size.saturating_add(1)).saturating_mul(part(pattern_size, 0.25))
}

fn standard(overload: &str, arguments: &[Argument]) -> u64 {
    let size = |index: usize| size_within(arguments.get(index));
    match overload {
        "starts_with_string" | "ends_with_string" | "string_to_bytes" | "bytes_to_string"
        | "strings_quote" | "string_format" => text(size(0)),
        "in_list" => size(1),
        "less_string"
        | "greater_string"
        | "less_equals_string"
        | "greater_equals_string"
        | "less_bytes"
        | "greater_bytes"
        | "less_equals_bytes"
        | "greater_equals_bytes"
        | "equals"
        | "not_equals" => text(size(0).min(size(1))),
        "add_string" | "add_bytes" => text(size(0).saturating_add(size(1))),
        "matches_string" => pattern(size(0), size(1)),
        "contains_string" => text(size(0)).saturating_mul(text(size(1))),
        _ => 1,
    }
}

/// Returns the libraries of lists and sets.
fn extension(overload: &str, arguments: &[Argument], result: Option<&Value>) -> Option<u64> {
    let size_of = |index: usize| size(arguments.get(index));
    let list_cost = |items: u64| items.saturating_add(1 + LIST);
    Some(match overload {
        "list_slice" | "lists_range" | "list_reverse" => list_cost(result.and_then(Value::size).unwrap_or(1)),
        "list_flatten" => list_cost(size_of(0)),
        "list_flatten_int" => {
            let Some(Some(Value::Int(depth))) = arguments.get(1) else { return Some(list_cost(0)) };
            list_cost(times(size_of(0), *depth))
        }
        "list_distinct" => compared(arguments.first()),
        _ if overload.starts_with("list_") && overload.ends_with("_sort") => compared(arguments.first()),
        _ if overload.ends_with("_sortByAssociatedKeys") => compared(arguments.get(1)),
        "list_sets_contains_list" | "list_sets_intersects_list" => {
            size_of(0).saturating_mul(size_of(1)).saturating_add(1)
        }
        "list_sets_equivalent_list" => {
            size_of(0).saturating_mul(size_of(1)).saturating_mul(2).saturating_add(1)
        }
        _ => return None,
    })
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "Go computes so"
)]
fn times(size: u64, factor: i64) -> u64 {
    (size as f64 * factor as f64) as u64
}

/// Returns the cost of comparing each item with each other.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "Go computes so"
)]
fn compared(list: Option<&Argument>) -> u64 {
    let first = match list {
        Some(Some(Value::List(list))) => list.get(0),
        _ => None,
    };
    let Some(first) = first else { return 1 + LIST };
    let factor = if matches!(first, Value::String(_) | Value::Bytes(_)) { 2.1 } else { 2.0 };
    let size = size(list);
    ((size.saturating_mul(size) as f64 * factor) as u64).saturating_add(1 + LIST)
}

fn kubernetes(
    function: &str,
    overload: Option<&str>,
    arguments: &[Argument],
    result: Option<&Value>,
) -> Option<u64> {
    let size_of = |index: usize| size(arguments.get(index));
    Some(match (function, arguments.len()) {
        ("check", _) => CHECK,
        (
            "serviceAccount"
            | "path"
            | "group"
            | "resource"
            | "subresource"
            | "namespace"
            | "name"
            | "allowed"
            | "reason"
            | "error"
            | "errored"
            | "masked"
            | "prefixLength"
            | "family"
            | "isUnspecified"
            | "isLoopback"
            | "isLinkLocalMulticast"
            | "isLinkLocalUnicast"
            | "isGlobalUnicast"
            | "format.named"
            | "sign"
            | "asInteger"
            | "isInteger"
            | "asApproximateFloat"
            | "isGreaterThan"
            | "isLessThan"
            | "compareTo"
            | "add"
            | "sub"
            | "major"
            | "minor"
            | "patch"
            | "getScheme"
            | "getHostname"
            | "getHost"
            | "getPort"
            | "getEscapedPath"
            | "getQuery",
            _,
        ) => 1,
        ("fieldSelector" | "labelSelector", 2..) => {
            // A requirement for every two characters.
            let requirements = part(size_of(1), 0.5);
            LIST + text(size_of(1)) + requirements.saturating_mul(LIST + OBJECT)
        }
        ("isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf", 1..) => {
            traversal(arguments[0].as_ref())
        }
        ("ip", 1..) if overload == Some("cidr_ip") => 1,
        (
            "url"
            | "lowerAscii"
            | "upperAscii"
            | "substring"
            | "trim"
            | "jsonpatch.escapeKey"
            | "cidr"
            | "isIP"
            | "isCIDR"
            | "ip"
            | "quantity"
            | "isQuantity"
            | "semver"
            | "isSemver",
            1..,
        ) => text(size_of(0)),
        ("replace" | "split" | "ip.isCanonical", 1..) => part(size_of(0), 0.2),
        ("join", 1..) => part(result.and_then(Value::size).unwrap_or(1), 0.2),
        ("find" | "findAll", 2..) => pattern(size_of(0), size_of(1)),
        ("containsIP", 2..) => {
            let other = if overload == Some("cidr_contains_ip_string") { text(size_of(1)) } else { 0 };
            text(size_of(0).saturating_mul(2)) + other
        }
        ("containsCIDR", 2..) => {
            let other = if overload == Some("cidr_contains_cidr_string") { text(size_of(1)) } else { 0 };
            text(size_of(0).saturating_mul(2)) + text(size_of(0)) + 1 + other
        }
        ("validate", 2..) => match &arguments[0] {
            Some(Value::Opaque(Opaque::Format(format))) => pattern(size_of(1), format.regex_size),
            _ => return None,
        },
        ("_==_", 2) => match &arguments[0] {
            Some(Value::Opaque(_)) => 1,
            _ => return None,
        },
        _ => return None,
    })
}

/// Returns the cost of traversing a whole value.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "Go computes so"
)]
fn traversal(value: Option<&Value>) -> u64 {
    match value {
        Some(Value::String(text)) => (text.len() as f64 * 0.1) as u64,
        Some(Value::Bytes(bytes)) => (bytes.len() as f64 * 0.1) as u64,
        Some(Value::List(list)) => {
            list.iter().fold(0, |cost: u64, item| cost.saturating_add(traversal(Some(&item))))
        }
        Some(Value::Map(map)) => map.entries().fold(0, |cost: u64, (key, value)| {
            cost.saturating_add(traversal(Some(&key))).saturating_add(traversal(Some(&value)))
        }),
        _ => 1,
    }
}
