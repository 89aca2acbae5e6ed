//! The bounds of an item: the checks, and the messages about violations.

use gotext::quantity::Quantity;
use kube_api::field::Path;

use crate::admission::{Change, Remedy};
use kube_registry::pod_resources::Side;

/// The largest value whose thousandths fit 64 bits.
const MAX_MILLI_VALUE: i64 = i64::MAX / 1000;

/// One of the maps of an item.
#[derive(Debug)]
pub(super) struct Bound {
    /// The field of the item.
    pub(super) field: &'static str,
    pub(super) check: fn(&Observed) -> Check,
    /// Returns the nearest amount that admits what is observed, if there is one.
    pub(super) gives_way: fn(&Observed) -> Option<Quantity>,
    /// The description of the bound, to be read after the `LimitRange`.
    pub(super) says: fn(&Observed) -> String,
}

impl Bound {
    /// Returns the change that gives the only one of `fields` the amount of the bound; a ratio is not an amount.
    pub(super) fn remedy(&self, fields: &[Path], amount: &Quantity) -> Option<Remedy> {
        let ([field], true) = (fields, self.field != MAX_LIMIT_REQUEST_RATIO.field) else { return None };
        Some(Remedy::choosing(Change::set(field.clone(), amount.to_string())))
    }
}

/// The result of a check; on a violation the message and the sides of the resources that cause it.
pub(super) type Check = Result<(), (String, &'static [Side])>;

/// A bound's amount, and the amounts it is compared with.
pub(super) struct Observed<'a> {
    pub(super) limit_type: &'static str,
    pub(super) name: &'a str,
    pub(super) enforced: &'a Quantity,
    pub(super) request: Option<&'a Quantity>,
    pub(super) limit: Option<&'a Quantity>,
}

pub(super) const MIN: Bound = Bound {
    field: "min",
    check: min_constraint,
    gives_way: |Observed { request, limit, .. }| {
        let (request, limit) = ((*request)?, limit.unwrap_or((*request)?));
        Some(if limit < request { limit } else { request }.clone())
    },
    says: |Observed { limit_type, name, enforced, .. }| {
        format!("demands at least {enforced} {name} per {limit_type}")
    },
};
pub(super) const MAX: Bound =
    Bound { field: "max", check: max_constraint, gives_way: at_least_limit, says: says_at_most };
pub(super) const MAX_REQUEST: Bound = Bound {
    field: "max",
    check: max_request_constraint,
    gives_way: |observed| observed.request.cloned(),
    says: says_at_most,
};
pub(super) const MAX_LIMIT_REQUEST_RATIO: Bound = Bound {
    field: "maxLimitRequestRatio",
    check: limit_request_ratio_constraint,
    gives_way: ratio,
    says: |Observed { limit_type, name, enforced, .. }| {
        format!("allows a {name} limit of at most {enforced} times the request per {limit_type}")
    },
};

/// Returns the larger of limit and request, if there is a limit.
fn at_least_limit(Observed { request, limit, .. }: &Observed) -> Option<Quantity> {
    let limit = (*limit)?;
    Some(request.filter(|request| *request > limit).unwrap_or(limit).clone())
}

/// Returns the ratio of limit and request, rounded up to thousandths.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "the server divides as 64-bit floats"
)]
fn ratio(observed: &Observed) -> Option<Quantity> {
    let (request, limit, _) = observed.values();
    let ratio = (limit as f64 / request as f64 * 1000.0).ceil();
    (request > 0 && limit > 0).then(|| format!("{}m", ratio as i64).parse().ok())?
}

fn says_at_most(Observed { limit_type, name, enforced, .. }: &Observed) -> String {
    format!("allows at most {enforced} {name} per {limit_type}")
}

fn min_constraint(observed: &Observed) -> Check {
    let Observed { limit_type, name, enforced, .. } = observed;
    let (request, limit, least) = observed.values();
    let text = format_args!("minimum {name} usage per {limit_type} is {enforced}");
    match (observed.request, observed.limit) {
        (None, _) => Err((format!("{text}.  No request is specified"), &[Side::Requests])),
        (Some(stated), _) if request < least => {
            Err((format!("{text}, but request is {stated}"), &[Side::Requests]))
        }
        (_, Some(stated)) if limit < least => {
            Err((format!("{text}, but limit is {stated}"), &[Side::Limits]))
        }
        _ => Ok(()),
    }
}

fn max_constraint(observed: &Observed) -> Check {
    let Observed { limit_type, name, enforced, .. } = observed;
    let (request, limit, most) = observed.values();
    let text = format_args!("maximum {name} usage per {limit_type} is {enforced}");
    match (observed.limit, observed.request) {
        (None, _) => Err((format!("{text}.  No limit is specified"), &[Side::Limits])),
        (Some(stated), _) if limit > most => Err((format!("{text}, but limit is {stated}"), &[Side::Limits])),
        (_, Some(stated)) if request > most => {
            Err((format!("{text}, but request is {stated}"), &[Side::Requests]))
        }
        _ => Ok(()),
    }
}

fn max_request_constraint(observed: &Observed) -> Check {
    let Observed { limit_type, name, enforced, .. } = observed;
    let (request, _, most) = observed.values();
    let text = format_args!("maximum {name} usage per {limit_type} is {enforced}");
    match observed.request {
        None => Err((format!("{text}.  No request is specified"), &[Side::Requests])),
        Some(stated) if request > most => {
            Err((format!("{text}, but request is {stated}"), &[Side::Requests]))
        }
        Some(_) => Ok(()),
    }
}

#[expect(clippy::cast_precision_loss, reason = "the server divides as 64-bit floats")]
fn limit_request_ratio_constraint(observed: &Observed) -> Check {
    let Observed { limit_type, name, enforced, .. } = observed;
    let (request, limit, _) = observed.values();
    let text = format_args!("{name} max limit to request ratio per {limit_type} is {enforced}");
    if observed.request.is_none() || request == 0 {
        let text = format!("{text}, but no request is specified or request is 0");
        return Err((text, &[Side::Requests]));
    }
    if observed.limit.is_none() || limit == 0 {
        return Err((format!("{text}, but no limit is specified or limit is 0"), &[Side::Limits]));
    }
    let ratio = limit as f64 / request as f64;
    let exceeded = if enforced.value() <= MAX_MILLI_VALUE {
        ratio * 1000.0 > enforced.milli_value() as f64
    } else {
        ratio > enforced.value() as f64
    };
    if exceeded {
        let text = format!("{text}, but provided ratio is {ratio:.6}");
        return Err((text, &[Side::Limits, Side::Requests]));
    }
    Ok(())
}

impl Observed<'_> {
    /// Returns request, limit and bound in thousandths, or in whole units if one of them is too large for that.
    ///
    /// Source: `requestLimitEnforcedValues`.
    fn values(&self) -> (i64, i64, i64) {
        let quantities = [self.request, self.limit, Some(self.enforced)];
        let values = quantities.map(|quantity| quantity.map_or(0, Quantity::value));
        let [request, limit, enforced] = if values.iter().all(|value| *value <= MAX_MILLI_VALUE) {
            quantities.map(|quantity| quantity.map_or(0, Quantity::milli_value))
        } else {
            values
        };
        (request, limit, enforced)
    }
}
