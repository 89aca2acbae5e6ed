//! The number in a quantity: almost always 64 bits and a power of ten.

use std::cmp::Ordering;

use super::Format;
use super::decimal::Decimal;

/// A number. The choice of variant shows in Go's overflows, so it is part of the behaviour.
#[derive(Clone, Debug)]
pub(super) enum Amount {
    /// `value * 10^exponent` (`int64Amount`)
    Small { value: i64, exponent: i32 },
    /// Anything (`infDecAmount`)
    Large(Box<Decimal>),
}

impl Amount {
    pub(super) fn large(decimal: Decimal) -> Self {
        Self::Large(Box::new(decimal))
    }

    /// Whether Go represents both in the same way, provided that they are equal.
    pub(super) fn same_representation(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Small { value, exponent }, Self::Small { value: theirs, exponent: their_exponent }) => {
                (value, exponent) == (theirs, their_exponent)
            }
            (Self::Large(_), Self::Large(_)) => self.compare(other).is_eq(),
            _ => false,
        }
    }

    /// Returns value and exponent, if Go holds them as such.
    pub(super) fn as_small(&self) -> Option<(i64, i32)> {
        match self {
            Self::Small { value, exponent } => Some((*value, *exponent)),
            Self::Large(_) => None,
        }
    }

    pub(super) fn is_zero(&self) -> bool {
        match self {
            Self::Small { value, .. } => *value == 0,
            Self::Large(decimal) => decimal.is_zero(),
        }
    }

    pub(super) fn sign(&self) -> i32 {
        match self {
            _ if self.is_zero() => 0,
            Self::Small { value: ..0, .. } => -1,
            Self::Large(decimal) if decimal.is_negative() => -1,
            _ => 1,
        }
    }

    pub(super) fn negated(&self) -> Self {
        if let Self::Small { value, exponent } = self
            && let Some(value) = value.checked_neg()
        {
            return Self::Small { value, exponent: *exponent };
        }
        let mut decimal = self.to_decimal();
        decimal.negative = !decimal.negative;
        Self::large(decimal)
    }

    pub(super) fn add(&self, other: &Self) -> Self {
        if let (Self::Small { value: left, exponent: left_exponent }, Self::Small { value: right, exponent }) =
            (self, other)
            && let Some(sum) = add_small((*left, *left_exponent), (*right, *exponent))
        {
            return sum;
        }
        Self::large(self.to_decimal().add(other.to_decimal()))
    }

    pub(super) fn compare(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Small { value: left, exponent: at }, Self::Small { value: right, exponent })
                if at == exponent =>
            {
                left.cmp(right)
            }
            (Self::Small { value: left, exponent: at }, Self::Small { value: right, exponent })
                if at.abs_diff(*exponent) <= 18 =>
            {
                let lowest = at.min(exponent);
                let scaled = |value: &i64, at: &i32| i128::from(*value) * 10_i128.pow(at.abs_diff(*lowest));
                scaled(left, at).cmp(&scaled(right, exponent))
            }
            _ => self.to_decimal().compare(&other.to_decimal()),
        }
    }

    pub(super) fn as_i64(&self) -> Option<i64> {
        match self {
            Self::Small { value, exponent } => scale_up(*value, u32::try_from(*exponent).ok()?).ok(),
            Self::Large(_) => None,
        }
    }

    /// Multiples of `10^exponent`.
    pub(super) fn scaled_value(&self, exponent: i32) -> i64 {
        match self {
            Self::Small { value, exponent: own } if *own < exponent => {
                scale_down(*value, own.abs_diff(exponent)).0
            }
            Self::Small { value, exponent: own } => {
                scale_up(*value, own.abs_diff(exponent)).unwrap_or_else(|overflown| overflown)
            }
            Self::Large(decimal) => decimal.scaled_value(exponent.into()),
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "the result is approximate")]
    pub(super) fn to_f64(&self) -> f64 {
        let (base, exponent) = match self {
            Self::Small { value, exponent } => (*value as f64, i64::from(*exponent)),
            Self::Large(decimal) => {
                let base = decimal.magnitude.to_string().parse().unwrap_or(f64::INFINITY);
                (if decimal.negative { -base } else { base }, decimal.exponent)
            }
        };
        if exponent == 0 || base == 0.0 {
            return base;
        }
        base * format!("1e{exponent}").parse().unwrap_or(f64::INFINITY)
    }

    /// Returns the shortest spelling in `format`, or in decimal form where a binary one would not be exact.
    ///
    /// Source: `Quantity.CanonicalizeBytes`.
    pub(super) fn canonical(&self, format: Format) -> String {
        if self.is_zero() {
            return "0".to_owned();
        }
        if format == Format::BinarySi
            && let Some(text) = self.binary()
        {
            return text;
        }
        let (mantissa, exponent) = self.thousands();
        match format {
            Format::DecimalExponent if exponent == 0 => mantissa,
            Format::DecimalExponent => format!("{mantissa}e{exponent}"),
            Format::DecimalSi | Format::BinarySi => mantissa + decimal_suffix(exponent),
        }
    }

    /// Returns the digits and a power of ten that is a multiple of three.
    fn thousands(&self) -> (String, i64) {
        if let Self::Small { value, exponent } = self {
            let (mut value, mut exponent) = (i128::from(*value), i64::from(*exponent));
            while value % 10 == 0 {
                value /= 10;
                exponent += 1;
            }
            let zeros = exponent.rem_euclid(3);
            return ((value * 10_i128.pow(zeros.try_into().expect("below 3"))).to_string(), exponent - zeros);
        }
        let decimal = self.to_decimal();
        let mut magnitude = decimal.magnitude;
        let exponent = decimal.exponent + i64::from(magnitude.remove_factors(10));
        let zeros = exponent.rem_euclid(3);
        magnitude.multiply_by_power_of_ten(zeros.try_into().expect("below 3"));
        (format!("{}{magnitude}", if decimal.negative { "-" } else { "" }), exponent - zeros)
    }

    /// Returns the binary spelling of a whole number of at least 1024 in size.
    fn binary(&self) -> Option<String> {
        if let Self::Small { value, exponent: 0 } = self {
            if value.unsigned_abs() < 1024 {
                return None;
            }
            let (mut value, mut power) = (*value, 0);
            // As Go, which cannot negate the lowest number and leaves it as it is.
            while value != i64::MIN && value % 1024 == 0 {
                value /= 1024;
                power += 1;
            }
            return Some(format!("{value}{}", binary_suffix(power)));
        }
        let decimal = self.to_decimal();
        let (mut whole, exact) = decimal.round_up(0);
        // An exponent above 0 is left where the number is too large to be written out.
        if !exact || whole.exponent != 0 || whole.magnitude < 1024.into() {
            return None;
        }
        let power = whole.magnitude.remove_factors(1024);
        let sign = if whole.negative { "-" } else { "" };
        Some(format!("{sign}{}{}", whole.magnitude, binary_suffix(power)))
    }

    fn to_decimal(&self) -> Decimal {
        match self {
            Self::Small { value, exponent } => Decimal::from_scaled(*value, i64::from(*exponent)),
            Self::Large(decimal) => Decimal::clone(decimal),
        }
    }
}

/// Implements `int64Amount.Add`; nothing if it overflows.
fn add_small(left: (i64, i32), right: (i64, i32)) -> Option<Amount> {
    let (value, exponent) = if right.0 == 0 {
        left
    } else if left.0 == 0 {
        right
    } else {
        let exponent = left.1.min(right.1);
        let scaled = |(value, at): (i64, i32)| scale_up(value, at.abs_diff(exponent)).ok();
        (scaled(left)?.checked_add(scaled(right)?)?, exponent)
    };
    Some(Amount::Small { value, exponent })
}

/// Returns `value * 10^places`, or what Go returns when that overflows: for the common places the wrapped product.
///
/// Source: `positiveScaleInt64`.
fn scale_up(value: i64, places: u32) -> Result<i64, i64> {
    if value == 0 {
        return Ok(0);
    }
    let power = 10_i64.checked_pow(places);
    if let Some(product) = power.and_then(|power| value.checked_mul(power)) {
        return Ok(product);
    }
    match (places, power) {
        (1 | 2 | 3 | 6 | 9, Some(power)) if value != i64::MIN => Err(value.wrapping_mul(power)),
        _ => Err(0),
    }
}

/// Returns `value / 10^places`, a fraction rounded away from zero, and whether it was exact.
///
/// Source: `negativeScaleInt64`.
fn scale_down(value: i64, places: u32) -> (i64, bool) {
    let Some(divisor) = 10_i64.checked_pow(places) else {
        return (value.signum(), value == 0);
    };
    let exact = value % divisor == 0;
    (value / divisor + if exact { 0 } else { value.signum() }, exact)
}

/// Returns the decimal suffix; Go omits the suffix of a power that has none.
fn decimal_suffix(exponent: i64) -> &'static str {
    match exponent {
        -9 => "n",
        -6 => "u",
        -3 => "m",
        3 => "k",
        6 => "M",
        9 => "G",
        12 => "T",
        15 => "P",
        18 => "E",
        _ => "",
    }
}

fn binary_suffix(power: u32) -> &'static str {
    ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"].get(power as usize).copied().unwrap_or_default()
}
