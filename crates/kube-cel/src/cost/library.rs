//! The estimated costs of the functions of Kubernetes' libraries.
//!
//! Source: `k8s.io/apiserver/pkg/cel/library/cost.go`.

use super::range::Range;
use super::{Call, Estimator, MAX_ATTRIBUTE_VALUES, REGEX_FACTOR, STRING_FACTOR, Term};
use crate::ast::{Expr, Literal};
use crate::types::Type;

/// The length of the longest format name, and of the longest expression that a name denotes.
const MAX_FORMAT: u64 = 64;
const FORMAT_REGEX: f64 = 128.0;

/// Functions that cost no more than a call.
const CONSTANT: [&str; 38] = [
    "serviceAccount",
    "path",
    "group",
    "resource",
    "subresource",
    "namespace",
    "name",
    "allowed",
    "reason",
    "error",
    "errored",
    "masked",
    "prefixLength",
    "family",
    "isUnspecified",
    "isLoopback",
    "isLinkLocalMulticast",
    "isLinkLocalUnicast",
    "isGlobalUnicast",
    "format.named",
    "sign",
    "asInteger",
    "isInteger",
    "asApproximateFloat",
    "isGreaterThan",
    "isLessThan",
    "compareTo",
    "add",
    "sub",
    "major",
    "minor",
    "patch",
    "getScheme",
    "getHostname",
    "getHost",
    "getPort",
    "getEscapedPath",
    "getQuery",
];

/// Returns the cost of a call without that of its arguments, and the size of its result if it is known; `None` for
/// functions that CEL itself estimates.
pub(super) fn call(
    estimator: &Estimator,
    function: &str,
    overload: &str,
    target: Option<&Term>,
    arguments: &[Term],
) -> Option<Call> {
    if CONSTANT.contains(&function) {
        return Some(Call::of(Range::of(1)));
    }
    let first = arguments.first();
    Some(match (function, target, first) {
        ("check", ..) => Call::of(Range::of(350_000)),
        ("includes", Some(_), _) if overload == "list_includes_dyn_dyn" => {
            Call::of(Range { least: 0, most: MAX_ATTRIBUTE_VALUES })
        }
        ("isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf", Some(target), _) => {
            Call::of(match element(estimator, target) {
                Some((of, element)) => {
                    let traversed = if matches!(of, Type::String | Type::Bytes) {
                        element.times_factor(STRING_FACTOR)
                    } else {
                        Range::NOTHING
                    };
                    size(target).times(Range::of(1).plus(traversed))
                }
                None => traversal(target),
            })
        }
        ("url" | "jsonpatch.escapeKey", _, Some(text)) if arguments.len() == 1 => {
            Call { cost: traversal(text), size: Some(size(text)) }
        }
        ("ip", ..) if overload == "cidr_ip" => Call::of(Range::of(1)),
        (
            "cidr" | "isIP" | "isCIDR" | "ip" | "quantity" | "isQuantity" | "semver" | "isSemver",
            _,
            Some(text),
        ) => Call::of(traversal(text)),
        ("ip.isCanonical", _, Some(text)) => Call::of(size(text).times_factor(2.0 * STRING_FACTOR)),
        ("containsIP" | "containsCIDR", _, Some(text)) => {
            let address = Range { least: 4, most: 16 };
            let mut cost = address.plus(address).times_factor(STRING_FACTOR);
            if function == "containsCIDR" {
                cost = cost.plus(address.times_factor(STRING_FACTOR)).plus(Range::of(1));
            }
            if ["cidr_contains_ip_string", "cidr_contains_cidr_string"].contains(&overload) {
                cost = cost.plus(traversal(text));
            }
            Call::of(cost)
        }
        ("validate", _, Some(text)) => Call::of(traversal(text).times_factor(FORMAT_REGEX * REGEX_FACTOR)),
        ("_==_", ..) => return equality(arguments),
        (_, Some(target), _) => return of_text(estimator, function, target, arguments),
        _ => return None,
    })
}

fn size(term: &Term) -> Range {
    term.size.unwrap_or(Range::UNKNOWN)
}

fn traversal(term: &Term) -> Range {
    size(term).times_factor(STRING_FACTOR)
}

/// Returns the cost of a call on a text, or on a list of texts.
fn of_text(estimator: &Estimator, function: &str, target: &Term, arguments: &[Term]) -> Option<Call> {
    Some(match (function, arguments.first()) {
        ("lowerAscii" | "upperAscii" | "substring" | "trim", _) => {
            Call { cost: traversal(target), size: Some(size(target)) }
        }
        ("replace", Some(from)) if arguments.len() >= 2 => {
            let text = size(target);
            Call {
                cost: text.times_factor(2.0 * STRING_FACTOR),
                size: Some(replaced(text, size(from), size(&arguments[1]))),
            }
        }
        ("split", _) => {
            let text = size(target);
            let limit = arguments.get(1).map(|limit| estimator.expr(limit.id));
            let most = match limit {
                Some(Expr::Literal(Literal::Int(limit))) => limit.cast_unsigned(),
                _ => text.most,
            };
            Call { cost: text.times_factor(2.0 * STRING_FACTOR), size: Some(Range { least: 0, most }) }
        }
        ("join", separator) => {
            let list = size(target);
            let elements =
                element(estimator, target).map_or(Range::NOTHING, |(_, element)| list.times(element));
            let separators = separator.map_or(Range::NOTHING, |separator| {
                let count = Range { least: list.least.saturating_sub(1), most: list.most.saturating_sub(1) };
                size(separator).times(count)
            });
            let text = elements.plus(separators);
            Call { cost: text.times_factor(STRING_FACTOR), size: Some(text) }
        }
        ("find" | "findAll", Some(pattern)) => {
            let text = size(target).plus(Range::of(1)).times_factor(STRING_FACTOR);
            let cost = text.times(size(pattern).times_factor(REGEX_FACTOR));
            Call { cost, size: Some(Range { least: 0, most: size(target).most }) }
        }
        _ => return None,
    })
}

/// Returns the length that a text may reach if parts of it are replaced.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "upstream counts in doubles, and the result is not negative"
)]
fn replaced(text: Range, from: Range, to: Range) -> Range {
    let times = |text: u64, from: u64| (text as f64 / from as f64).ceil() as u64;
    let (mut count, mut retained) = (Range::NOTHING, Range::NOTHING);
    if from.least == 0 {
        count.most = text.most.saturating_add(1);
        retained.most = text.most;
    } else if to.most <= from.least {
        retained.most = text.most;
    } else {
        count.most = times(text.most, from.least);
    }
    if from.most == 0 {
        count.least = text.least.saturating_add(1);
        retained.least = text.least;
    } else if from.most <= to.least {
        retained.least = text.least;
    } else {
        count.least = times(text.least, from.most);
    }
    count.times(to).plus(retained)
}

/// Returns the type and the size of a list's elements.
fn element(estimator: &Estimator, list: &Term) -> Option<(Type, Range)> {
    let of = match &list.of {
        Type::List(element) => Type::clone(element),
        Type::Map(entry) => entry.0.clone(),
        Type::Opaque(_, parameters) => parameters.first()?.clone(),
        _ => return None,
    };
    let mut path = list.path.clone();
    let size = if path.is_empty() {
        None
    } else {
        path.push("@items".into());
        estimator.size_at(&path)
    };
    Some((of, size.unwrap_or(Range::UNKNOWN)))
}

fn equality(arguments: &[Term]) -> Option<Call> {
    let [left, right] = arguments else { return None };
    if left.of.name() != right.of.name() {
        return None;
    }
    match left.of.name() {
        "net.IP"
        | "net.CIDR"
        | "kubernetes.Quantity"
        | "kubernetes.Semver"
        | "kubernetes.authorization.Authorizer"
        | "kubernetes.authorization.PathCheck"
        | "kubernetes.authorization.GroupCheck"
        | "kubernetes.authorization.ResourceCheck"
        | "kubernetes.authorization.Decision" => Some(Call::of(Range::of(1))),
        "kubernetes.NamedFormat" => {
            Some(Call::of(Range { least: 1, most: MAX_FORMAT }.times_factor(STRING_FACTOR)))
        }
        "kubernetes.URL" => {
            let most = right.size.map_or(1, |size| size.most);
            Some(Call::of(Range { least: 1, most }.times_factor(STRING_FACTOR)))
        }
        _ => None,
    }
}
