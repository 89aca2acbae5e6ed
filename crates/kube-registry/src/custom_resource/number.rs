//! Numbers as the schema validation of the server compares and prints them.
//!
//! Source: `github.com/go-openapi/swag`, Go's `fmt`.

use gotext::value::Number;

use kube_api::Value;

/// A JSON number as Go reads it: a 64-bit integer, or a float.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum GoNumber {
    Int(i64),
    Float(f64),
}

impl GoNumber {
    pub(crate) fn of(number: &Number) -> Self {
        number.as_i64().map_or_else(|| Self::Float(number.as_f64().unwrap_or_default()), Self::Int)
    }

    /// Returns the number, if the value is one.
    pub(super) fn try_of(value: &Value) -> Option<Self> {
        value.as_number().map(Self::of)
    }

    #[expect(clippy::cast_precision_loss, reason = "Go converts so, too")]
    pub(super) fn as_float(self) -> f64 {
        match self {
            Self::Int(value) => value as f64,
            Self::Float(value) => value,
        }
    }

    /// Formats it as `%v` does.
    pub(crate) fn printed(self) -> String {
        match self {
            Self::Int(value) => value.to_string(),
            Self::Float(value) => printed(value),
        }
    }

    /// Writes it as `strconv` does without an exponent.
    pub(super) fn decimal(self) -> String {
        match self {
            Self::Int(value) => value.to_string(),
            Self::Float(value) => value.to_string(),
        }
    }
}

/// Returns a float as `%v` prints it: the shortest digits, with an exponent from 21 digits on and below 0.0001.
pub(super) fn printed(value: f64) -> String {
    let scientific = format!("{value:e}");
    let Some((digits, exponent)) = scientific.split_once('e') else { return scientific };
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if value == 0.0 || (-4..21).contains(&exponent) {
        return value.to_string();
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}

/// Returns a float without its fraction, as Go converts it; values that do not fit saturate.
#[expect(clippy::cast_possible_truncation, reason = "the fraction is to go")]
pub(super) fn truncated(value: f64) -> i64 {
    value as i64
}

/// Whether a float counts as a whole number: exactly, or up to a billionth.
///
/// Source: `swag.IsFloat64AJSONInteger`
#[expect(
    clippy::float_cmp,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "upstream compares the converted values"
)]
pub(super) fn is_whole(value: f64) -> bool {
    const LARGEST: f64 = ((1_u64 << 53) - 1) as f64;
    const EPSILON: f64 = 1e-9;
    if !(-LARGEST..=LARGEST).contains(&value) {
        return false;
    }
    let whole = value as u64 as f64;
    if value == whole || value == value as i64 as f64 {
        return true;
    }
    if value == 0.0 || whole == 0.0 {
        return false;
    }
    (value - whole).abs() / (value.abs() + whole).min(f64::MAX) < EPSILON
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_floats_as_go_does() {
        let cases = [
            (0.5, "0.5"),
            (30.0, "30"),
            (1e20, "100000000000000000000"),
            (1e21, "1e+21"),
            (1.5e-7, "1.5e-07"),
            (0.0001, "0.0001"),
            (0.0, "0"),
            (-2.5e100, "-2.5e+100"),
        ];
        for (value, text) in cases {
            assert_eq!(printed(value), text);
        }
        assert_eq!(GoNumber::Float(1e21).decimal(), "1000000000000000000000");
    }

    #[test]
    fn knows_whole_numbers() {
        for value in [0.0, 5.0, -5.0, 4.000_000_000_1, 9_007_199_254_740_991.0] {
            assert!(is_whole(value), "{value}");
        }
        for value in [0.5, -0.1, 5.1, 1e300, f64::NAN] {
            assert!(!is_whole(value), "{value}");
        }
    }
}
