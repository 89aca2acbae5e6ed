//! Decimal numbers of any size, for the quantities that 64 bits and a power of ten cannot hold.

use std::cmp::Ordering;

use super::natural::Natural;

/// The limit of zeros that are written out. Go writes out all of them, a gigabyte where a manifest says `1e1000000000`;
/// here digits that far apart count as if the lower ones were not there.
const MAX_ZEROS: u32 = 4096;

/// `±magnitude * 10^exponent`
///
/// Source: `gopkg.in/inf.v0`, where the exponent is upside down and called scale.
#[derive(Clone, Debug)]
pub(super) struct Decimal {
    pub(super) negative: bool,
    pub(super) magnitude: Natural,
    pub(super) exponent: i64,
}

impl Decimal {
    pub(super) fn from_scaled(value: i64, exponent: i64) -> Self {
        Self { negative: value < 0, magnitude: value.unsigned_abs().into(), exponent }
    }

    pub(super) fn is_zero(&self) -> bool {
        self.magnitude.is_zero()
    }

    /// Whether the value is below 0.
    pub(super) fn is_negative(&self) -> bool {
        self.negative && !self.is_zero()
    }

    /// Returns the nearest multiple of `10^exponent` that is not nearer to zero, and whether that is the same value.
    pub(super) fn round_up(mut self, exponent: i64) -> (Self, bool) {
        if self.exponent >= exponent {
            self.lower_exponent(exponent);
            return (self, true);
        }
        let exact = self.magnitude.divide_by_power_of_ten(exponent.abs_diff(self.exponent));
        if !exact {
            self.magnitude.add(&1.into());
        }
        self.exponent = exponent;
        (self, exact)
    }

    pub(super) fn add(mut self, mut other: Self) -> Self {
        let exponent = self.exponent.min(other.exponent);
        self.lower_exponent(exponent);
        other.lower_exponent(exponent);
        if self.exponent != other.exponent {
            return if self.compare_magnitudes(&other).is_lt() { other } else { self };
        }
        if self.negative == other.negative {
            self.magnitude.add(&other.magnitude);
        } else if self.magnitude >= other.magnitude {
            self.magnitude.subtract(&other.magnitude);
        } else {
            other.magnitude.subtract(&self.magnitude);
            return other;
        }
        self
    }

    /// Returns the order of the values.
    pub(super) fn compare(&self, other: &Self) -> Ordering {
        let order = other.is_negative().cmp(&self.is_negative());
        if order.is_ne() {
            return order;
        }
        let magnitudes = self.compare_magnitudes(other);
        if self.is_negative() { magnitudes.reverse() } else { magnitudes }
    }

    fn compare_magnitudes(&self, other: &Self) -> Ordering {
        if self.is_zero() || other.is_zero() {
            return other.is_zero().cmp(&self.is_zero());
        }
        // The position of the first digits decides, so that far-away exponents need not be written out.
        let first_digit =
            |decimal: &Self| decimal.exponent.saturating_add_unsigned(decimal.magnitude.digits() as u64);
        first_digit(self).cmp(&first_digit(other)).then_with(|| {
            let exponent = self.exponent.min(other.exponent);
            let at_exponent = |decimal: &Self| {
                let mut magnitude = decimal.magnitude.clone();
                // The first digits have the same position, so that no more zeros are missing than one has digits.
                let zeros = decimal.exponent.abs_diff(exponent).try_into().unwrap_or(u32::MAX);
                magnitude.multiply_by_power_of_ten(zeros);
                magnitude
            };
            at_exponent(self).cmp(&at_exponent(other))
        })
    }

    /// Writes out zeros until the exponent is `exponent`, or does nothing if that is above.
    fn lower_exponent(&mut self, exponent: i64) {
        let zeros = self.exponent.saturating_sub(exponent).clamp(0, i64::from(MAX_ZEROS));
        if self.is_zero() {
            self.exponent = self.exponent.min(exponent);
            return;
        }
        self.magnitude.multiply_by_power_of_ten(zeros.try_into().expect("clamped above"));
        self.exponent -= zeros;
    }

    /// Returns the value in units of `10^exponent`, with Go's rounding and overflow.
    ///
    /// Source: `scaledValue`.
    pub(super) fn scaled_value(&self, exponent: i64) -> i64 {
        let unscaled = self.low_bits();
        if self.exponent >= exponent {
            return unscaled.wrapping_mul(power_of_ten(self.exponent - exponent));
        }
        let places = exponent.abs_diff(self.exponent);
        let below_max = self.negative || self.magnitude.as_u64().is_some_and(|value| value < i64::MAX as u64);
        if below_max && places < 19 {
            let divisor = 10_i64.pow(places.try_into().expect("below 19"));
            // Go adds one to negative numbers as well: -1.5 becomes 0.
            return unscaled / divisor + i64::from(unscaled % divisor != 0);
        }
        let mut quotient = self.clone();
        let exact = quotient.magnitude.divide_by_power_of_ten(places);
        // Towards positive infinity, which for a negative number is just the quotient.
        quotient.low_bits().wrapping_add(i64::from(!exact && !self.negative))
    }

    /// Returns the lowest 64 bits of the magnitude, with the sign.
    fn low_bits(&self) -> i64 {
        let bits = self.magnitude.low_bits().cast_signed();
        if self.negative { bits.wrapping_neg() } else { bits }
    }
}

/// Returns `int64(math.Pow10(power))` as a 64-bit x86 converts what does not fit.
fn power_of_ten(power: i64) -> i64 {
    u32::try_from(power).ok().and_then(|power| 10_i64.checked_pow(power)).unwrap_or(i64::MIN)
}
