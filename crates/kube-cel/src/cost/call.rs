//! The estimated costs of calls.
//!
//! Source: cel-go `checker/cost.go`, `k8s.io/apiserver/pkg/cel/library/cost.go`.

use super::range::Range;
use super::{Call, Estimator, STRING_FACTOR, Term};
use crate::ast::{Expr, ExprId, Literal};
use crate::declarations::{Cost, Overload};
use crate::library::MAX_ATTRIBUTE_VALUES;
use crate::types::Type;

const REGEX_FACTOR: f64 = 0.25;
/// The length of the longest format name, and of the longest expression that a name denotes.
const MAX_FORMAT: u64 = 64;
const FORMAT_REGEX: f64 = 128.0;

impl Estimator<'_> {
    /// Returns the cost of a call, and the size of its result if the arguments say it. The receiver is the first of
    /// `terms`; `costs` are those of the other arguments.
    pub(super) fn overload(
        &mut self,
        id: ExprId,
        overload: &Overload,
        terms: &[&Term],
        costs: &[Range],
    ) -> Call {
        let size = |index: usize| terms.get(index).and_then(|term| term.size).unwrap_or(Range::UNKNOWN);
        let traversal = |index: usize| size(index).times_factor(STRING_FACTOR);
        let compared = || {
            let max = size(0).max.min(size(1).max);
            Range { min: max.min(1), max }.times_factor(STRING_FACTOR)
        };
        let matched = || {
            let text = size(0).plus(Range::of(1)).times_factor(STRING_FACTOR);
            text.times(size(1).times_factor(REGEX_FACTOR))
        };
        let (cost, result) = match overload.cost {
            Cost::Logic => {
                return Call {
                    cost: Range { min: costs[0].min, max: costs[0].plus(costs[1]).max },
                    size: None,
                };
            }
            Cost::Condition => {
                self.join_entries(id, terms[1].id, terms[2].id);
                let cost = costs[0].plus(costs[1].join(costs[2]));
                return Call { cost, size: Some(size(1).join(size(2))) };
            }
            Cost::Equality => (opaque_equality(terms).unwrap_or_else(compared), None),
            Cost::Comparison => (compared(), None),
            Cost::Concatenation | Cost::Append => {
                self.join_entries(id, terms[0].id, terms[1].id);
                let sum = size(0).plus(size(1));
                let is_copied = overload.cost == Cost::Concatenation;
                (if is_copied { sum.times_factor(STRING_FACTOR) } else { Range::of(1) }, Some(sum))
            }
            Cost::Search => (size(1), None),
            Cost::Affix => (traversal(1), None),
            Cost::Containment => (traversal(0).times(traversal(1)), None),
            Cost::Matching => (matched(), None),
            Cost::Find => (matched(), Some(Range { min: 0, max: size(0).max })),
            Cost::Format | Cost::Parsing => (traversal(0), None),
            Cost::ToBytes => {
                let Range { min, max } = size(0);
                (traversal(0), Some(Range { min, max: max.wrapping_mul(4) }))
            }
            Cost::ToText => {
                let Range { min, max } = size(0);
                (traversal(0), Some(Range { min: min / 4, max }))
            }
            Cost::Quote => {
                let Range { min, max } = size(0);
                let max = max.wrapping_mul(2).wrapping_add(2);
                (traversal(0), Some(Range { min: min.wrapping_add(2), max }))
            }
            Cost::Check => (Range::of(Cost::OF_CHECK), None),
            Cost::Items => match terms.first().and_then(|list| element(self, list)) {
                Some((Type::String | Type::Bytes, element)) => {
                    (size(0).times(Range::of(1).plus(element.times_factor(STRING_FACTOR))), None)
                }
                Some(_) => (size(0), None),
                None => (traversal(0), None),
            },
            Cost::Traversal => (traversal(0), Some(size(0))),
            Cost::Canonical => (size(0).times_factor(2.0 * STRING_FACTOR), None),
            Cost::Replace => {
                (size(0).times_factor(2.0 * STRING_FACTOR), Some(replaced(size(0), size(1), size(2))))
            }
            Cost::Split => {
                let limit = terms.get(2).map(|limit| self.expr(limit.id));
                let max = match limit {
                    Some(Expr::Literal(Literal::Int(limit))) => limit.cast_unsigned(),
                    _ => size(0).max,
                };
                (size(0).times_factor(2.0 * STRING_FACTOR), Some(Range { min: 0, max }))
            }
            Cost::Join => {
                let text = joined(self, terms);
                (text.times_factor(STRING_FACTOR), Some(text))
            }
            Cost::ContainsIp | Cost::ContainsCidr => {
                let address = Range { min: 4, max: 16 };
                let mut cost = address.plus(address).times_factor(STRING_FACTOR);
                if overload.cost == Cost::ContainsCidr {
                    cost = cost.plus(address.times_factor(STRING_FACTOR)).plus(Range::of(1));
                }
                (if overload.takes_text() { cost.plus(traversal(1)) } else { cost }, None)
            }
            Cost::Validate => (traversal(1).times_factor(FORMAT_REGEX * REGEX_FACTOR), None),
            Cost::Includes => (Range { min: 0, max: MAX_ATTRIBUTE_VALUES }, None),
            // Upstream estimates these as any call.
            Cost::One
            | Cost::Selector
            | Cost::ResultItems
            | Cost::Flattened
            | Cost::FlattenedToDepth
            | Cost::Pairs
            | Cost::PairsOfKeys
            | Cost::Product
            | Cost::ProductTwice => (Range::of(1), None),
        };
        Call { cost: costs.iter().copied().fold(cost, Range::plus), size: result }
    }
}

/// Returns the length of the items of a list, the first of `terms`, with the separator between them.
fn joined(estimator: &Estimator, terms: &[&Term]) -> Range {
    let size = |term: &Term| term.size.unwrap_or(Range::UNKNOWN);
    let Some(list) = terms.first() else { return Range::UNKNOWN };
    let count = size(list);
    let items = element(estimator, list).map_or(Range::NOTHING, |(_, element)| count.times(element));
    let separators = terms.get(1).map_or(Range::NOTHING, |separator| {
        let gaps = Range { min: count.min.saturating_sub(1), max: count.max.saturating_sub(1) };
        size(separator).times(gaps)
    });
    items.plus(separators)
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
    if from.min == 0 {
        count.max = text.max.saturating_add(1);
        retained.max = text.max;
    } else if to.max <= from.min {
        retained.max = text.max;
    } else {
        count.max = times(text.max, from.min);
    }
    if from.max == 0 {
        count.min = text.min.saturating_add(1);
        retained.min = text.min;
    } else if from.max <= to.min {
        retained.min = text.min;
    } else {
        count.min = times(text.min, from.max);
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

/// Returns the cost of comparing two values of a type of Kubernetes' libraries.
fn opaque_equality(terms: &[&Term]) -> Option<Range> {
    let [left, right] = terms else { return None };
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
        | "kubernetes.authorization.Decision" => Some(Range::of(1)),
        "kubernetes.NamedFormat" => Some(Range { min: 1, max: MAX_FORMAT }.times_factor(STRING_FACTOR)),
        "kubernetes.URL" => {
            let max = right.size.map_or(1, |size| size.max);
            Some(Range { min: 1, max }.times_factor(STRING_FACTOR))
        }
        _ => None,
    }
}
