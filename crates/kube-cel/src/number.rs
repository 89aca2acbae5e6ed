//! Numbers: arithmetic that detects overflow, and texts as Go writes them.
//!
//! Source: cel-go `common/types/overflow.go`, Go's `strconv`.

use std::cmp::Ordering;

use super::failure::Fault;

pub(super) fn int_overflow() -> Fault {
    Fault::new("integer overflow")
}

pub(super) fn uint_overflow() -> Fault {
    Fault::new("unsigned integer overflow")
}

/// Implements `strconv.ParseInt` of decimal digits.
pub(super) fn parse_int(text: &str) -> Option<i64> {
    text.parse().ok()
}

/// Implements `strconv.ParseUint` of decimal digits: without a sign.
pub(super) fn parse_uint(text: &str) -> Option<u64> {
    if text.starts_with('+') { None } else { text.parse().ok() }
}

/// Implements `strconv.ParseFloat`: also hexadecimal, without underscores; too large a number is an error.
pub(super) fn parse_double(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let lower = unsigned.to_ascii_lowercase();
    let value = match &*lower {
        "inf" | "infinity" => f64::INFINITY,
        // Go does not allow a sign here.
        "nan" => return (unsigned.len() == text.len()).then_some(f64::NAN),
        _ if lower.starts_with("0x") => hexadecimal(&lower[2..])?,
        _ if lower.bytes().all(|byte| byte.is_ascii_digit() || b".e+-".contains(&byte)) => {
            let value: f64 = lower.parse().ok()?;
            if value.is_infinite() {
                return None;
            }
            value
        }
        _ => return None,
    };
    Some(if text.starts_with('-') { -value } else { value })
}

/// Reads `0x1.8p3` without its `0x`: digits and an exponent of two, which is required.
fn hexadecimal(text: &str) -> Option<f64> {
    let (digits, exponent) = text.split_once('p')?;
    let mut exponent: i64 = exponent.parse().ok()?;
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let mut mantissa = 0_u128;
    let mut is_inexact = false;
    for digit in whole.chars().chain(fraction.chars()) {
        let digit = u128::from(digit.to_digit(16)?);
        if mantissa >> 100 == 0 {
            mantissa = mantissa * 16 + digit;
        } else {
            is_inexact |= digit != 0;
            exponent = exponent.saturating_add(4);
        }
    }
    exponent = exponent.saturating_sub(4 * i64::try_from(fraction.len()).ok()?);
    mantissa |= u128::from(is_inexact);
    if mantissa == 0 {
        return Some(0.0);
    }
    // Halving is exact; the conversion to a double happens once, so that it is rounded once.
    let bits = 128 - i64::from(mantissa.leading_zeros());
    let lowest = (bits - 53).max(-1074 - exponent).max(0);
    if lowest > 127 {
        return Some(0.0);
    }
    let (kept, rest) = (mantissa >> lowest, mantissa & ((1_u128 << lowest) - 1));
    let half = if lowest == 0 { 1 } else { 1_u128 << (lowest - 1) };
    let rounds_up = lowest > 0 && (rest > half || rest == half && kept % 2 == 1);
    #[expect(clippy::cast_precision_loss, reason = "53 bits are left")]
    let value = (kept + u128::from(rounds_up)) as f64;
    let scaled = scale(value, exponent.saturating_add(lowest));
    scaled.is_finite().then_some(scaled)
}

fn scale(mut value: f64, exponent: i64) -> f64 {
    let mut left = exponent.clamp(-2200, 2200);
    while left != 0 {
        let step = left.clamp(-1000, 1000);
        value *= 2.0_f64.powi(i32::try_from(step).unwrap_or_default());
        left -= step;
    }
    value
}

/// Implements `strconv.ParseBool`.
pub(super) fn parse_bool(text: &str) -> Option<bool> {
    match text {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Some(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Some(false),
        _ => None,
    }
}

/// Writes a number as Go's `%v` and `%g` do: with an exponent below -4 and from 6 on.
pub(super) fn general(value: f64) -> String {
    if !value.is_finite() {
        return not_finite(value).to_owned();
    }
    let scientific = format!("{value:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if value != 0.0 && !(-4..6).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{mantissa}e{sign}{:02}", exponent.abs());
    }
    format!("{value}")
}

/// Writes a number as Go's `%f` without a precision does: all digits, no exponent.
pub(super) fn fixed(value: f64) -> String {
    if value.is_finite() { format!("{value}") } else { not_finite(value).to_owned() }
}

pub(super) fn not_finite(value: f64) -> &'static str {
    match (value.is_nan(), value > 0.0) {
        (true, _) => "NaN",
        (_, true) => "+Inf",
        _ => "-Inf",
    }
}

/// Implements `doubleToInt64Checked`.
#[expect(clippy::cast_possible_truncation, reason = "the range is checked; a fraction is cut off as in Go")]
pub(super) fn double_to_int(value: f64) -> Option<i64> {
    const END: f64 = 9_223_372_036_854_775_808.0;
    (value > -END && value < END).then_some(value as i64)
}

/// Implements `doubleToUint64Checked`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the range is checked; a fraction is cut off as in Go"
)]
pub(super) fn double_to_uint(value: f64) -> Option<u64> {
    const END: f64 = 18_446_744_073_709_551_616.0;
    (0.0..END).contains(&value).then_some(value as u64)
}

#[expect(clippy::cast_precision_loss, reason = "Go compares so")]
pub(super) fn compare_double_int(left: f64, right: i64) -> Ordering {
    const MIN: f64 = -9_223_372_036_854_775_808.0;
    if left < MIN {
        Ordering::Less
    } else if left > -MIN {
        Ordering::Greater
    } else {
        compare_doubles(left, right as f64)
    }
}

#[expect(clippy::cast_precision_loss, reason = "Go compares so")]
pub(super) fn compare_double_uint(left: f64, right: u64) -> Ordering {
    if left < 0.0 {
        Ordering::Less
    } else if left > 18_446_744_073_709_551_616.0 {
        Ordering::Greater
    } else {
        compare_doubles(left, right as f64)
    }
}

pub(super) fn compare_int_uint(left: i64, right: u64) -> Ordering {
    u64::try_from(left).map_or(Ordering::Less, |left| left.cmp(&right))
}

/// Compares two doubles; NaN compares equal, and callers check for it where it matters.
pub(super) fn compare_doubles(left: f64, right: f64) -> Ordering {
    left.partial_cmp(&right).unwrap_or(Ordering::Equal)
}
