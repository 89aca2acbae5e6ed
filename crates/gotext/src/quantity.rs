//! Amounts of a resource: `500m`, `1Gi`, `1e3`.
//!
//! Source: `k8s.io/apimachinery/pkg/api/resource`.

mod amount;
mod decimal;
mod natural;
mod parse;

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use amount::Amount;

/// A fixed-point number and the format it is written in.
///
/// Quantities are equal, and ordered, by value: `1` is `1000m`.
#[derive(Clone, Debug)]
pub struct Quantity {
    amount: Amount,
    format: Format,
    /// The spelling that it was read from, if Go keeps it.
    spelling: Option<Box<str>>,
}

/// The format of a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Format {
    /// `12M`
    #[default]
    DecimalSi,
    /// `12Mi`
    BinarySi,
    /// `12e6`
    DecimalExponent,
}

impl Format {
    /// Returns Kubernetes' name.
    pub fn name(self) -> &'static str {
        match self {
            Self::DecimalSi => "DecimalSI",
            Self::BinarySi => "BinarySI",
            Self::DecimalExponent => "DecimalExponent",
        }
    }
}

/// The reason that a text is not a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum QuantityError {
    /// The text has not the shape of a number with a suffix.
    #[error("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'")]
    Format,
    /// There is no number before the suffix.
    #[error("unable to parse numeric part of quantity")]
    Numeric,
    /// The suffix is not a valid one.
    #[error("unable to parse quantity's suffix")]
    Suffix,
}

impl Quantity {
    /// No amount.
    pub const ZERO: Self = Self::from_scaled(0, 0, Format::DecimalSi);

    /// Reads a quantity. Binary quantities are capped at ±(2^63 - 1), and what is finer than a billionth is rounded
    /// away from zero.
    pub fn parse(text: &str) -> Result<Self, QuantityError> {
        parse::parse(text)
    }

    /// Whether `other` is the same to Go's `reflect.DeepEqual`, which compares representations: `1000m` is not `1`.
    pub fn same_representation(&self, other: &Self) -> bool {
        self.amount.same_representation(&other.amount)
            && self.format == other.format
            && self.spelling == other.spelling
    }

    /// Returns `value` units.
    pub const fn from_value(value: i64, format: Format) -> Self {
        Self::from_scaled(value, 0, format)
    }

    /// Returns `value` thousandths of a unit.
    pub const fn from_milli(value: i64, format: Format) -> Self {
        Self::from_scaled(value, -3, format)
    }

    const fn from_scaled(value: i64, exponent: i32, format: Format) -> Self {
        Self { amount: Amount::Small { value, exponent }, format, spelling: None }
    }

    /// Returns the amount in units, a fraction rounded up; what does not fit 64 bits overflows as in Go.
    pub fn value(&self) -> i64 {
        self.scaled_value(0)
    }

    /// Returns the amount in thousandths of a unit, a fraction rounded up; what does not fit 64 bits overflows as in
    /// Go.
    pub fn milli_value(&self) -> i64 {
        self.scaled_value(-3)
    }

    /// Returns the amount in multiples of `10^exponent`, a fraction rounded up; what does not fit 64 bits overflows as
    /// in Go.
    pub fn scaled_value(&self, exponent: i32) -> i64 {
        self.amount.scaled_value(exponent)
    }

    /// Returns the value in units if it is whole, fits 64 bits and was small enough to be read the fast way.
    ///
    /// Source: `Quantity.AsInt64`.
    pub fn as_i64(&self) -> Option<i64> {
        self.amount.as_i64()
    }

    /// Returns the value in units as a floating-point number; infinite beyond its range.
    ///
    /// Source: `Quantity.AsApproximateFloat64`.
    pub fn to_f64(&self) -> f64 {
        self.amount.to_f64()
    }

    /// Returns the quantity as Go's `%#v` does, once it has been written.
    pub fn go_syntax(&self) -> String {
        let (value, scale) = self.amount.as_small().unwrap_or_default();
        let decimal =
            if self.amount.as_small().is_some() { "(*inf.Dec)(nil)" } else { "(*inf.Dec)(0xc000000000)" };
        let (text, format) = (crate::quote(&self.canonical()), crate::quote(self.format.name()));
        format!(
            "resource.Quantity{{i:resource.int64Amount{{value:{value}, scale:{scale}}}, \
             d:resource.infDecAmount{{Dec:{decimal}}}, s:{text}, Format:{format}}}"
        )
    }

    /// Returns the format that the quantity is written in.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Whether the amount is zero.
    pub fn is_zero(&self) -> bool {
        self.amount.is_zero()
    }

    /// Returns -1, 0 or 1.
    pub fn sign(&self) -> i32 {
        self.amount.sign()
    }

    /// Returns the sum, in this quantity's format, or in the other's if this one is zero.
    #[must_use]
    pub fn add(&self, other: &Self) -> Self {
        Self { amount: self.amount.add(&other.amount), format: self.format_with(other), spelling: None }
    }

    /// Returns the difference, in this quantity's format, or in the other's if this one is zero.
    #[must_use]
    pub fn sub(&self, other: &Self) -> Self {
        self.add(&Self { amount: other.amount.negated(), format: other.format, spelling: None })
    }

    /// Returns this amount `count` times.
    #[must_use]
    pub fn times(&self, count: u64) -> Self {
        let mut sum = Self::from_value(0, self.format());
        let (mut power, mut rest) = (self.clone(), count);
        while rest > 0 {
            if rest % 2 == 1 {
                sum = sum.add(&power);
            }
            rest /= 2;
            if rest > 0 {
                power = power.add(&power);
            }
        }
        sum
    }

    /// Returns the text that the API server writes: the spelling that was read if Go keeps it, else the canonical one.
    pub fn canonical(&self) -> Cow<'_, str> {
        match &self.spelling {
            Some(spelling) => Cow::Borrowed(spelling),
            None => Cow::Owned(self.amount.canonical(self.format)),
        }
    }

    fn format_with(&self, other: &Self) -> Format {
        if self.is_zero() { other.format } else { self.format }
    }
}

impl Default for Quantity {
    fn default() -> Self {
        Self::ZERO
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.canonical())
    }
}

impl FromStr for Quantity {
    type Err = QuantityError;

    fn from_str(text: &str) -> Result<Self, QuantityError> {
        Self::parse(text)
    }
}

impl Ord for Quantity {
    fn cmp(&self, other: &Self) -> Ordering {
        self.amount.compare(&other.amount)
    }
}

impl PartialOrd for Quantity {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Quantity {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Quantity {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn quantity(text: &str) -> Quantity {
        Quantity::parse(text).unwrap()
    }

    #[test]
    fn keeps_the_spellings_that_go_keeps() {
        for (text, canonical) in [
            ("0.50", "500m"),
            ("1024Ki", "1Mi"),
            ("1000", "1k"),
            ("1e3", "1e3"),
            ("+1", "+1"),
            ("007", "007"),
        ] {
            assert_eq!(quantity(text).to_string(), canonical, "{text}");
        }
        assert_eq!(quantity("1Gi").add(&quantity("0")).to_string(), "1Gi");
        assert_eq!(quantity("0").add(&quantity("1Gi")).to_string(), "1Gi");
    }

    #[test]
    fn far_exponents_cost_nothing() {
        let (huge, tiny) = (quantity("1e2147483647"), quantity("1e-2147483648"));
        assert!(huge > quantity("9e18"));
        assert_eq!(tiny.to_string(), "1e-9");
        assert_eq!(huge.add(&tiny), huge);
        assert_eq!(huge.value(), 0);
        assert!(huge.to_f64().is_infinite());
        assert_eq!(quantity("1Ki").sub(&huge).sign(), -1);
        assert!(!quantity("1Ki").add(&huge).to_string().is_empty());
        assert!(!quantity("12345678901234567890e2147483647").to_string().is_empty());
    }

    #[test]
    fn computes_with_64_bits_at_their_end() {
        let lowest = Quantity::from_value(i64::MIN, Format::BinarySi);
        assert_eq!(lowest.to_string(), "-9223372036854775808");
        assert_eq!(Quantity::ZERO.sub(&lowest).to_string(), "8Ei");
        assert_eq!(lowest.add(&lowest).sub(&lowest), lowest);
        assert_eq!(Quantity::from_milli(i64::MAX, Format::DecimalSi).value(), 9_223_372_036_854_776);
        assert!((quantity("1500m").to_f64() - 1.5).abs() < f64::EPSILON);
    }

    fn any_quantity() -> impl Strategy<Value = Quantity> {
        let text = "[+-]?[0-9]{1,22}(\\.[0-9]{0,12})?([numkMGTPE]|[KMGTPE]i|e[+-]?[0-9]{1,2})?";
        text.prop_map(|text| quantity(&text))
    }

    proptest! {
        #[test]
        fn never_panics(text in "\\PC*", other in "[-+0-9.eEinumkKMGTP]*") {
            for text in [&text, &other] {
                if let Ok(quantity) = Quantity::parse(text) {
                    let _ = (quantity.to_string(), quantity.value(), quantity.milli_value(), quantity.to_f64());
                }
            }
        }

        #[test]
        fn is_ordered_by_value(left in any_quantity(), right in any_quantity()) {
            prop_assert_eq!(left.cmp(&right), left.sub(&right).sign().cmp(&0));
            prop_assert_eq!(left.cmp(&right), right.cmp(&left).reverse());
            prop_assert_eq!(left.add(&right).sub(&right), left);
        }

        #[test]
        fn written_is_read_again(value in any_quantity()) {
            let written = value.to_string();
            // Beyond `E`, Go leaves the suffix out.
            prop_assume!(value < quantity("1000E") && value > quantity("-1000E"));
            prop_assert_eq!(&quantity(&written), &value);
            prop_assert_eq!(quantity(&written).to_string(), written);
        }
    }
}
