//! Resolution of scalars in YAML 1.1, as go-yaml v2 does it.
//!
//! Source: `go.yaml.in/yaml/v2` `resolve.go`, with the parts of Go's `strconv` and `time` it relies on.

/// A scalar's value before JSON.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Scalar {
    Null,
    Bool(bool),
    Int(i64),
    /// An integer that only fits an unsigned type.
    Uint(u64),
    Float(f64),
    /// The text itself.
    Text,
    /// The text itself, which looks like a timestamp. A writer must quote it.
    Timestamp,
}

impl Scalar {
    fn tag(self) -> &'static str {
        match self {
            Self::Null => "!!null",
            Self::Bool(_) => "!!bool",
            Self::Int(_) | Self::Uint(_) => "!!int",
            Self::Float(_) => "!!float",
            Self::Text => "!!str",
            Self::Timestamp => "!!timestamp",
        }
    }
}

const LONG_TAG_PREFIX: &str = "tag:yaml.org,2002:";

/// Returns a standard tag in its short spelling: `!!int`.
pub(super) fn short_tag(tag: &str) -> std::borrow::Cow<'_, str> {
    match tag.strip_prefix(LONG_TAG_PREFIX) {
        Some(name) => format!("!!{name}").into(),
        None => tag.into(),
    }
}

/// Returns the value of `text` under an explicit tag. A tag that is not about scalars leaves the text as it is.
///
/// # Errors
///
/// Returns Go's text if the value does not fit the tag.
pub(super) fn resolve_tagged(tag: &str, text: &str) -> Result<Scalar, String> {
    let tag = short_tag(tag);
    let resolved = match &*tag {
        "!!str" => Scalar::Text,
        "!!bool" | "!!int" | "!!float" | "!!null" => resolve_plain_but_timestamp(text),
        "!!timestamp" => resolve_plain(text),
        _ => return Ok(Scalar::Text),
    };
    if resolved.tag() == tag || tag == "!!str" {
        return Ok(resolved);
    }
    match resolved {
        #[expect(clippy::cast_precision_loss, reason = "the tag asks for a float")]
        Scalar::Int(value) if tag == "!!float" => Ok(Scalar::Float(value as f64)),
        _ => Err(format!("cannot decode {} `{text}` as a {tag}", resolved.tag())),
    }
}

/// Returns the value of an unquoted scalar without a tag.
pub(super) fn resolve_plain(text: &str) -> Scalar {
    match text.as_bytes().first() {
        Some(b'0'..=b'9') if is_timestamp(text) => Scalar::Timestamp,
        _ => resolve_plain_but_timestamp(text),
    }
}

fn resolve_plain_but_timestamp(text: &str) -> Scalar {
    let Some(&first) = text.as_bytes().first() else { return Scalar::Null };
    match first {
        b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' | b'~' => named(text),
        b'.' => match named(text) {
            Scalar::Text => parse_float(text).map_or(Scalar::Text, Scalar::Float),
            value => value,
        },
        b'0'..=b'9' | b'+' | b'-' => match named(text) {
            Scalar::Text => number(text),
            value => value,
        },
        _ => Scalar::Text,
    }
}

fn named(text: &str) -> Scalar {
    match text {
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            Scalar::Bool(true)
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            Scalar::Bool(false)
        }
        "~" | "null" | "Null" | "NULL" => Scalar::Null,
        ".nan" | ".NaN" | ".NAN" => Scalar::Float(f64::NAN),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => Scalar::Float(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => Scalar::Float(f64::NEG_INFINITY),
        _ => Scalar::Text,
    }
}

fn number(text: &str) -> Scalar {
    let unscored;
    let plain = if text.contains('_') {
        unscored = text.replace('_', "");
        &unscored
    } else {
        text
    };
    if let Some(value) = parse_int(plain) {
        return Scalar::Int(value);
    }
    if let Some(value) = parse_uint(plain) {
        return Scalar::Uint(value);
    }
    if is_float(plain)
        && let Some(value) = parse_float(plain)
    {
        return Scalar::Float(value);
    }
    // A sign after the prefix only gets this far: `0b-101`.
    if let Some(digits) = plain.strip_prefix("0b")
        && let Ok(value) = i64::from_str_radix(digits, 2)
    {
        return Scalar::Int(value);
    }
    Scalar::Text
}

/// Go's `strconv.ParseInt(text, 0, 64)`.
fn parse_int(text: &str) -> Option<i64> {
    let (negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let magnitude = i128::from(parse_uint(digits)?);
    i64::try_from(if negative { -magnitude } else { magnitude }).ok()
}

/// Go's `strconv.ParseUint(text, 0, 64)`: a leading zero means octal.
fn parse_uint(text: &str) -> Option<u64> {
    let (digits, radix) = match text.as_bytes() {
        [] => return None,
        [b'0', b'x' | b'X', _, ..] => (&text[2..], 16),
        [b'0', b'o' | b'O', _, ..] => (&text[2..], 8),
        [b'0', b'b' | b'B', _, ..] => (&text[2..], 2),
        [b'0'] => return Some(0),
        [b'0', ..] => (&text[1..], 8),
        _ => (text, 10),
    };
    // `from_str_radix` accepts a sign, which Go does not here.
    if digits.starts_with(['+', '-']) { None } else { u64::from_str_radix(digits, radix).ok() }
}

/// `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`
fn is_float(text: &str) -> bool {
    fn digits(text: &mut &[u8]) -> usize {
        let count = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
        *text = &text[count..];
        count
    }
    fn skip(text: &mut &[u8], any_of: &[u8]) -> bool {
        match text {
            [first, rest @ ..] if any_of.contains(first) => {
                *text = rest;
                true
            }
            _ => false,
        }
    }
    let mut rest = text.as_bytes();
    skip(&mut rest, b"+-");
    let whole = digits(&mut rest);
    let fraction = if skip(&mut rest, b".") { digits(&mut rest) } else { 0 };
    if whole + fraction == 0 {
        return false;
    }
    if skip(&mut rest, b"eE") {
        skip(&mut rest, b"+-");
        if digits(&mut rest) == 0 {
            return false;
        }
    }
    rest.is_empty()
}

/// Go's `strconv.ParseFloat(text, 64)` of decimal numbers; a number out of range is none.
fn parse_float(text: &str) -> Option<f64> {
    let bytes = text.as_bytes();
    for (position, byte) in bytes.iter().enumerate() {
        let digit_at = |position: usize| bytes.get(position).is_some_and(u8::is_ascii_digit);
        match byte {
            b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-' => {}
            b'_' if position > 0 && digit_at(position - 1) && digit_at(position + 1) => {}
            _ => return None,
        }
    }
    let value: f64 = if text.contains('_') { text.replace('_', "").parse() } else { text.parse() }.ok()?;
    value.is_finite().then_some(value)
}

/// Whether go-yaml treats `text` as a timestamp.
fn is_timestamp(text: &str) -> bool {
    let bytes = text.as_bytes();
    if bytes.len() < 8 || bytes[4] != b'-' || !bytes[..4].iter().all(u8::is_ascii_digit) {
        return false;
    }
    let year = bytes[..4].iter().fold(0, |year, digit| year * 10 + u32::from(digit - b'0'));
    let mut rest = &bytes[5..];
    let date = (|| {
        let month = one_or_two_digits(&mut rest)?;
        expect(&mut rest, b'-')?;
        let day = one_or_two_digits(&mut rest)?;
        (1..=12).contains(&month).then_some(())?;
        (1..=days_in(year, month)).contains(&day).then_some(())
    })();
    if date.is_none() {
        return false;
    }
    match rest {
        [] => true,
        [b'T' | b't', time @ ..] => time_of_day(time).is_some_and(is_zone),
        [b' ', ..] => {
            let blanks = rest.iter().take_while(|byte| **byte == b' ').count();
            time_of_day(&rest[blanks..]).is_some_and(<[u8]>::is_empty)
        }
        _ => false,
    }
}

/// Returns the rest after a time of day with seconds and any fraction.
fn time_of_day(mut rest: &[u8]) -> Option<&[u8]> {
    let hour = one_or_two_digits(&mut rest)?;
    expect(&mut rest, b':')?;
    let minute = one_or_two_digits(&mut rest)?;
    expect(&mut rest, b':')?;
    let second = one_or_two_digits(&mut rest)?;
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    if let [b'.' | b',', b'0'..=b'9', ..] = rest {
        let digits = rest[1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        rest = &rest[1 + digits..];
    }
    Some(rest)
}

fn is_zone(zone: &[u8]) -> bool {
    match zone {
        [b'Z'] => true,
        [b'+' | b'-', h1 @ b'0'..=b'9', h2 @ b'0'..=b'9', b':', m1 @ b'0'..=b'9', m2 @ b'0'..=b'9'] => {
            (h1 - b'0') * 10 + (h2 - b'0') <= 24 && (m1 - b'0') * 10 + (m2 - b'0') <= 60
        }
        _ => false,
    }
}

fn one_or_two_digits(rest: &mut &[u8]) -> Option<u32> {
    let digits = rest.iter().take(2).take_while(|byte| byte.is_ascii_digit()).count();
    let value = rest[..digits].iter().fold(0, |value, digit| value * 10 + u32::from(digit - b'0'));
    *rest = &rest[digits..];
    (digits > 0).then_some(value)
}

fn expect(rest: &mut &[u8], byte: u8) -> Option<()> {
    *rest = rest.strip_prefix(&[byte])?;
    Some(())
}

fn days_in(year: u32, month: u32) -> u32 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_numbers_as_go_does() {
        for (text, value) in [
            ("0644", Scalar::Int(420)),
            ("+0644", Scalar::Int(420)),
            ("08", Scalar::Float(8.0)),
            ("1_000", Scalar::Int(1000)),
            ("0o17", Scalar::Int(15)),
            ("0b-101", Scalar::Int(-5)),
            ("-0b101", Scalar::Int(-5)),
            ("-9223372036854775808", Scalar::Int(i64::MIN)),
            ("18446744073709551615", Scalar::Uint(u64::MAX)),
            (".5_0", Scalar::Float(0.5)),
            ("1.e3", Scalar::Float(1000.0)),
            ("1e400", Scalar::Text),
            ("0x", Scalar::Text),
            ("1:30", Scalar::Text),
            (".", Scalar::Text),
            ("yEs", Scalar::Text),
        ] {
            assert_eq!(resolve_plain(text), value, "{text}");
        }
    }

    #[test]
    fn knows_timestamps() {
        for text in
            ["2001-01-01", "2001-1-1T1:2:3Z", "2001-12-14t21:59:43.10-05:00", "2024-02-29", "2001-1-1  1:2:3"]
        {
            assert_eq!(resolve_plain(text), Scalar::Timestamp, "{text}");
        }
        for text in ["2001-13-01", "2023-02-29", "2001-01-01T", "2001-1-1T1:2:3", "2001-01-01x", "2001-01"] {
            assert_eq!(resolve_plain(text), Scalar::Text, "{text}");
        }
    }
}
