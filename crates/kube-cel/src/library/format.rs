//! `'…'.format([…])`
//!
//! Numbers are printed for readers of English: `%f` groups digits, `%e` writes `1.5×10⁰³`.
//!
//! Source: cel-go `ext/formatting.go`, `golang.org/x/text/message`.

use std::fmt::Write as _;

use super::super::failure::Fault;
use super::super::meter::Meter;
use super::super::value::Outcome;
use super::super::value::{List, Value};
use super::super::{convert, number};
use gotext::quote;

const PRECISION: usize = 6;
const SUPERSCRIPT: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
/// The precision that Go prints at most.
const MAX_PRECISION: usize = 1_000_000;

/// Returns the text with the values in it.
pub(super) fn format<'a>(meter: &Meter, text: &str, arguments: &List) -> Outcome<'a> {
    let mut output = String::with_capacity(text.len());
    let mut rest = text;
    let mut index = 0;
    while let Some(position) = rest.find('%') {
        output += &rest[..position];
        rest = &rest[position + 1..];
        if let Some(after) = rest.strip_prefix('%') {
            output.push('%');
            rest = after;
            continue;
        }
        let argument =
            arguments.get(index).ok_or_else(|| Fault::new(format!("index {index} out of range")))?;
        if rest.is_empty() {
            return Err(Fault::new("unexpected end of string"));
        }
        let (clause, precision, after) = clause(rest)
            .map_err(|reason| Fault::new(format!("could not parse formatting clause: {reason}")))?;
        output += &print(meter, clause, precision, &argument)?;
        meter.charge_text(output.len() / 16)?;
        rest = after;
        index += 1;
    }
    output += rest;
    Ok(Value::text(output))
}

/// Returns the letter of a clause, its precision and what is after it.
fn clause(text: &str) -> Result<(char, Option<usize>, &str), String> {
    let mut rest = text;
    let mut precision = None;
    if let Some(digits) = text.strip_prefix('.') {
        let end = digits.find(|digit: char| !digit.is_ascii_digit());
        let end = end.ok_or("error while parsing precision: could not find end of precision specifier")?;
        let found = gotext::number::atoi(&digits[..end]).map_err(|reason| {
            format!("error while parsing precision: error while converting precision to integer: {reason}")
        })?;
        precision = Some(usize::try_from(found).unwrap_or_default());
        rest = &digits[end..];
    }
    let letter = rest.chars().next().unwrap_or_default();
    if letter.is_ascii() && "sdfebxXo".contains(letter) {
        return Ok((letter, precision, &rest[1..]));
    }
    // Go looks at one byte.
    let first = char::from(rest.bytes().next().unwrap_or_default());
    Err(format!("unrecognized formatting clause \"{first}\""))
}

fn print(meter: &Meter, clause: char, precision: Option<usize>, value: &Value) -> Result<String, Fault> {
    let printed = match clause {
        's' => text(meter, value)?,
        'd' => decimal(value),
        'f' => double(value, "fixed-point").map(|value| fixed(value, precision.unwrap_or(PRECISION))),
        'e' => double(value, "scientific").map(|value| scientific(value, precision.unwrap_or(PRECISION))),
        'b' => binary(value),
        'o' => octal(value),
        _ => hexadecimal(value, clause == 'X'),
    };
    printed.map_err(|reason| Fault::new(format!("error during formatting: {reason}")))
}

fn text(meter: &Meter, value: &Value) -> Result<Result<String, String>, Fault> {
    meter.charge(1)?;
    Ok(match value {
        Value::List(list) => list_text(meter, list)?,
        Value::Map(_) => map_text(meter, value)?,
        Value::Null => Ok("null".to_owned()),
        Value::Bytes(bytes) => std::str::from_utf8(bytes).map(ToOwned::to_owned).map_err(|_| {
            let reason = "invalid UTF-8 in bytes, cannot convert to string";
            format!("could not convert argument {} to string", quote(reason))
        }),
        Value::Int(_)
        | Value::Uint(_)
        | Value::Double(_)
        | Value::Bool(_)
        | Value::String(_)
        | Value::Timestamp(_)
        | Value::Duration(_)
        | Value::Type(_) => Ok(convert::to_text(value)?.to_string()),
        other => Err(format!(
            "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and \
             timestamps, was given {}",
            other.type_name()
        )),
    })
}

/// Returns a value within a list or a map.
fn item(meter: &Meter, value: &Value) -> Result<Result<String, String>, Fault> {
    meter.charge(1)?;
    Ok(match value {
        Value::Timestamp(time) => Ok(format!("timestamp({})", quote(&time.to_text()))),
        Value::Duration(duration) => Ok(format!("duration({})", quote(&duration.to_text()))),
        Value::Double(value) if value.is_finite() => Ok(format!("{value:.PRECISION$}")),
        Value::Double(value) => Ok(quote(number::not_finite(*value))),
        Value::String(text) => Ok(quote(text)),
        Value::Bytes(_) => text(meter, value)?.map(|text| format!("b{}", quote(&text))),
        Value::Int(_) | Value::Uint(_) => decimal(value),
        Value::List(_) | Value::Map(_) | Value::Bool(_) | Value::Null | Value::Type(_) => {
            return text(meter, value);
        }
        other => Err(format!("no formatting function for {}", other.type_name())),
    })
}

fn list_text(meter: &Meter, list: &List) -> Result<Result<String, String>, Fault> {
    let mut items = Vec::new();
    for value in list {
        match item(meter, &value)? {
            Ok(text) => items.push(text),
            Err(reason) => return Ok(Err(reason)),
        }
    }
    Ok(Ok(format!("[{}]", items.join(", "))))
}

fn map_text(meter: &Meter, map: &Value) -> Result<Result<String, String>, Fault> {
    let Value::Map(map) = map else { return Ok(Err(String::new())) };
    let mut entries = Vec::new();
    for (key, value) in map.entries() {
        let printed = match &key {
            Value::String(_) | Value::Bool(_) | Value::Int(_) | Value::Uint(_) => item(meter, &key)?,
            other => Err(format!("no formatting function for map key of type {}", other.type_name())),
        };
        match (printed, item(meter, &value)?) {
            (Ok(key), Ok(value)) => entries.push((key, value)),
            (Err(reason), _) | (_, Err(reason)) => return Ok(Err(reason)),
        }
    }
    entries.sort_by(|(left, _), (right, _)| left.cmp(right));
    let entries: Vec<String> = entries.into_iter().map(|(key, value)| format!("{key}:{value}")).collect();
    Ok(Ok(format!("{{{}}}", entries.join(", "))))
}

fn decimal(value: &Value) -> Result<String, String> {
    match value {
        Value::Int(value) => Ok(value.to_string()),
        Value::Uint(value) => Ok(value.to_string()),
        other => Err(format!("decimal clause can only be used on integers, was given {}", other.type_name())),
    }
}

/// Returns a double; three texts denote the numbers without digits.
fn double(value: &Value, clause: &str) -> Result<f64, String> {
    match value {
        Value::Double(value) => return Ok(*value),
        Value::String(text) => match &**text {
            "NaN" => return Ok(f64::NAN),
            "Infinity" => return Ok(f64::INFINITY),
            "-Infinity" => return Ok(f64::NEG_INFINITY),
            _ => {}
        },
        _ => {}
    }
    Err(format!("{clause} clause can only be used on doubles, was given {}", value.type_name()))
}

fn no_digits(value: f64) -> &'static str {
    match (value.is_nan(), value > 0.0) {
        (true, _) => "NaN",
        (_, true) => "∞",
        _ => "-∞",
    }
}

fn fixed(value: f64, precision: usize) -> String {
    if precision > MAX_PRECISION {
        return "%!(BADPREC)".to_owned() + &fixed(value, PRECISION);
    }
    if !value.is_finite() {
        return no_digits(value).to_owned();
    }
    let digits = format!("{value:.precision$}");
    let (sign, digits) = match digits.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", &*digits),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let mut grouped = String::from(sign);
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    if !fraction.is_empty() {
        grouped.push('.');
        grouped += fraction;
    }
    grouped
}

/// Formats in scientific notation. cel-go intends to set the precision, but sets the width.
fn scientific(value: f64, width: usize) -> String {
    let printed = if value.is_finite() {
        let digits = format!("{value:.PRECISION$e}");
        let (mantissa, exponent) = digits.split_once('e').unwrap_or((&digits, "0"));
        let (sign, exponent) = match exponent.strip_prefix('-') {
            Some(exponent) => ("⁻", exponent),
            None => ("", exponent),
        };
        let raised: String = format!("{exponent:0>2}")
            .chars()
            .filter_map(|digit| SUPERSCRIPT.get(digit.to_digit(10)? as usize))
            .collect();
        format!("{mantissa}×10{sign}{raised}")
    } else {
        no_digits(value).to_owned()
    };
    let padding = width.min(MAX_PRECISION).saturating_sub(printed.chars().count());
    " ".repeat(padding) + &printed
}

fn binary(value: &Value) -> Result<String, String> {
    match value {
        Value::Int(value) => Ok(signed(*value, |value| format!("{value:b}"))),
        Value::Uint(value) => Ok(format!("{value:b}")),
        Value::Bool(value) => Ok(u8::from(*value).to_string()),
        other => Err(format!(
            "only integers and bools can be formatted as binary, was given {}",
            other.type_name()
        )),
    }
}

fn octal(value: &Value) -> Result<String, String> {
    match value {
        Value::Int(value) => Ok(signed(*value, |value| format!("{value:o}"))),
        Value::Uint(value) => Ok(format!("{value:o}")),
        other => Err(format!("octal clause can only be used on integers, was given {}", other.type_name())),
    }
}

fn hexadecimal(value: &Value, is_upper: bool) -> Result<String, String> {
    let bytes = |bytes: &[u8]| {
        bytes.iter().fold(String::new(), |mut text, byte| {
            write!(text, "{byte:02x}").expect("a String takes everything");
            text
        })
    };
    let printed = match value {
        Value::Int(value) => signed(*value, |value| format!("{value:x}")),
        Value::Uint(value) => format!("{value:x}"),
        Value::String(text) => bytes(text.as_bytes()),
        Value::Bytes(data) => bytes(data),
        other => {
            return Err(format!(
                "only integers, byte buffers, and strings can be formatted as hex, was given {}",
                other.type_name()
            ));
        }
    };
    Ok(if is_upper { printed.to_ascii_uppercase() } else { printed })
}

/// Writes a sign as Go does, not the two's complement.
fn signed(value: i64, digits: fn(u64) -> String) -> String {
    let sign = if value < 0 { "-" } else { "" };
    format!("{sign}{}", digits(value.unsigned_abs()))
}
