//! Spans of time.
//!
//! Source: Go's `time.ParseDuration` and `time.Duration.String`.

use crate::quote;

const SECOND: u64 = 1_000_000_000;

/// Returns the duration `text` as Go writes it: `90m` is `1h30m0s`.
pub fn canonical(text: &str) -> Result<String, String> {
    parse(text).map(print)
}

/// Returns the nanoseconds of a duration.
pub fn parse(text: &str) -> Result<i64, String> {
    let invalid = || format!("time: invalid duration {}", quote(text));
    let (negative, mut rest) = match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    if rest == "0" {
        return Ok(0);
    }
    if rest.is_empty() {
        return Err(invalid());
    }
    let mut total = 0_u64;
    while !rest.is_empty() {
        let (whole, behind) = digits(rest);
        let fraction = behind.strip_prefix('.').map(digits);
        let behind = fraction.map_or(behind, |(_, behind)| behind);
        if whole.is_empty() && fraction.is_none_or(|(fraction, _)| fraction.is_empty()) {
            return Err(invalid());
        }
        let length =
            behind.find(|letter: char| letter == '.' || letter.is_ascii_digit()).unwrap_or(behind.len());
        let (unit, behind) = behind.split_at(length);
        if unit.is_empty() {
            return Err(format!("time: missing unit in duration {}", quote(text)));
        }
        let nanoseconds = nanoseconds(unit)
            .ok_or_else(|| format!("time: unknown unit {} in duration {}", quote(unit), quote(text)))?;
        let whole = if whole.is_empty() { Some(0) } else { whole.parse::<u64>().ok() };
        total = whole
            .and_then(|whole| whole.checked_mul(nanoseconds))
            .and_then(|value| {
                value.checked_add(part(fraction.map_or("", |(fraction, _)| fraction), nanoseconds))
            })
            .and_then(|value| total.checked_add(value))
            .filter(|total| *total <= 1 << 63)
            .ok_or_else(invalid)?;
        rest = behind;
    }
    if negative {
        return Ok(0_i64.wrapping_sub_unsigned(total));
    }
    i64::try_from(total).map_err(|_| invalid())
}

fn digits(text: &str) -> (&str, &str) {
    text.split_at(text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len()))
}

fn nanoseconds(unit: &str) -> Option<u64> {
    Some(match unit {
        "ns" => 1,
        "us" | "\u{b5}s" | "\u{3bc}s" => 1000,
        "ms" => 1_000_000,
        "s" => SECOND,
        "m" => 60 * SECOND,
        "h" => 3600 * SECOND,
        _ => return None,
    })
}

/// Returns the nanoseconds of a fraction of a unit, computed in floating point as Go does; digits beyond what 63 bits
/// hold do not count.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "Go computes so; the result is below one unit"
)]
fn part(fraction: &str, unit: u64) -> u64 {
    let (mut value, mut scale) = (0_u64, 1.0_f64);
    for digit in fraction.bytes() {
        let next = value.checked_mul(10).and_then(|value| value.checked_add(u64::from(digit - b'0')));
        match next.filter(|value| *value <= 1 << 63) {
            Some(next) => value = next,
            None => break,
        }
        scale *= 10.0;
    }
    (value as f64 * (unit as f64 / scale)) as u64
}

/// Returns the duration as `time.Duration.String` prints it.
pub fn print(nanoseconds: i64) -> String {
    let sign = if nanoseconds < 0 { "-" } else { "" };
    let size = nanoseconds.unsigned_abs();
    if size == 0 {
        return "0s".to_owned();
    }
    if size < SECOND {
        let (unit, digits) = match size {
            0..1_000 => ("ns", 0),
            1_000..1_000_000 => ("\u{b5}s", 3),
            _ => ("ms", 6),
        };
        return format!("{sign}{}{unit}", decimal(size, digits));
    }
    let seconds = decimal(size % (60 * SECOND), 9);
    let minutes = size / (60 * SECOND);
    match (minutes / 60, minutes % 60) {
        (0, 0) => format!("{sign}{seconds}s"),
        (0, minutes) => format!("{sign}{minutes}m{seconds}s"),
        (hours, minutes) => format!("{sign}{hours}h{minutes}m{seconds}s"),
    }
}

/// Returns `value` with its last `digits` digits after the point, without trailing zeros.
fn decimal(value: u64, digits: u32) -> String {
    let scale = 10_u64.pow(digits);
    let (whole, part) = (value / scale, value % scale);
    if part == 0 {
        return whole.to_string();
    }
    let part = format!("{part:0width$}", width = digits as usize);
    format!("{whole}.{}", part.trim_end_matches('0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_durations_as_go_does() {
        let cases = [
            ("90m", "1h30m0s"),
            ("0", "0s"),
            ("1.5h", "1h30m0s"),
            ("-1500ms", "-1.5s"),
            ("1500us", "1.5ms"),
            ("1h0.25s", "1h0m0.25s"),
            (".5s", "500ms"),
        ];
        for (text, expected) in cases {
            assert_eq!(canonical(text), Ok(expected.to_owned()), "{text}");
        }
    }

    #[test]
    fn words_errors_as_go_does() {
        let cases = [
            ("", "time: invalid duration \"\""),
            ("5", "time: missing unit in duration \"5\""),
            ("5x", "time: unknown unit \"x\" in duration \"5x\""),
            ("soon", "time: invalid duration \"soon\""),
            (".s", "time: invalid duration \".s\""),
            ("9999999h", "time: invalid duration \"9999999h\""),
        ];
        for (text, expected) in cases {
            assert_eq!(canonical(text), Err(expected.to_owned()), "{text}");
        }
    }
}
