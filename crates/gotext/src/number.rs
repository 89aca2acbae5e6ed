//! Numbers as Go reads and writes them.

use crate::quote;
use crate::value::Number;
use std::num::{IntErrorKind, ParseIntError};

/// Returns `value` as a whole number, if it is one within bounds and written without a fraction.
pub fn integer(value: &Number, least: i64, most: i64) -> Option<i64> {
    value.as_i64().filter(|value| (least..=most).contains(value))
}

/// Returns `value` as Go's JSON encoder writes it: without an exponent unless it is very large or very small.
pub fn text(value: &Number) -> String {
    if !value.is_f64() {
        return value.to_string();
    }
    let value = value.as_f64().unwrap_or_default();
    let size = value.abs();
    if size != 0.0 && !(1e-6..1e21).contains(&size) {
        let text = format!("{value:e}");
        return if text.contains("e-") { text } else { text.replace('e', "e+") };
    }
    format!("{value}")
}

/// Implements `strconv.ParseInt` of a decimal number of 64 bits; fails with Go's message.
pub fn parse_int(text: &str) -> Result<i64, String> {
    parse("ParseInt", text)
}

/// Implements `strconv.Atoi`; fails with Go's message.
pub fn atoi(text: &str) -> Result<i64, String> {
    parse("Atoi", text)
}

fn parse(function: &str, text: &str) -> Result<i64, String> {
    text.parse().map_err(|error: ParseIntError| {
        let reason = match error.kind() {
            IntErrorKind::PosOverflow | IntErrorKind::NegOverflow => "value out of range",
            _ => "invalid syntax",
        };
        format!("strconv.{function}: parsing {}: {reason}", quote(text))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(json: &str) -> Number {
        serde_json::from_str(json).expect("a number")
    }

    #[test]
    fn whole_numbers_have_no_fraction() {
        assert_eq!(integer(&number("1000"), 0, 5000), Some(1000));
        assert_eq!(integer(&number("1e3"), 0, 5000), None, "Go reads no fraction as an integer");
        assert_eq!(integer(&number("1.5"), 0, 5000), None);
        assert_eq!(integer(&number("4294967296"), 0, 5000), None);
        assert_eq!(integer(&number("1e21"), 0, i64::MAX), None);
        assert_eq!(text(&number("1e21")), "1e+21");
        assert_eq!(text(&number("1.5e-7")), "1.5e-7");
    }

    #[test]
    fn text_is_read_as_a_number() {
        assert_eq!(parse_int("+5"), Ok(5));
        assert_eq!(parse_int("").unwrap_err(), "strconv.ParseInt: parsing \"\": invalid syntax");
        assert_eq!(atoi("1_0").unwrap_err(), "strconv.Atoi: parsing \"1_0\": invalid syntax");
        let long = "-9223372036854775809";
        assert_eq!(
            parse_int(long).unwrap_err(),
            format!("strconv.ParseInt: parsing \"{long}\": value out of range")
        );
    }
}
