//! The formats that the server checks in schemas; it ignores all others.
//!
//! Mail addresses are checked for their shape alone: comments, groups and encoded words are not parsed.
//!
//! Source: `k8s.io/kube-openapi/pkg/validation/strfmt`, `k8s.io/apiextensions-apiserver/pkg/apiserver/validation/formats.go`.

use std::net::IpAddr;
use std::sync::LazyLock;

use regex::Regex;

use crate::duration;
use crate::net::{parse_cidr_sloppy, parse_ip_sloppy};
use crate::regexp;

/// What a format requires of a value.
#[derive(Clone, Copy, Debug)]
pub enum Format {
    /// A number of 32 bits.
    Int32,
    /// A number of 64 bits.
    Int64,
    /// A floating point number of 32 bits.
    Float,
    /// A floating point number of 64 bits.
    Double,
    /// A text that passes the check.
    Text(fn(&str) -> bool),
}

impl Format {
    /// Returns the format called `name` in a schema of these types, if the server checks it there.
    pub fn of(name: &str, types: &[String]) -> Option<Self> {
        match types {
            [one] if one == "integer" => match name {
                "int32" => Some(Self::Int32),
                "int64" => Some(Self::Int64),
                _ => None,
            },
            [one] if one == "number" => match name {
                "float" => Some(Self::Float),
                "double" => Some(Self::Double),
                _ => None,
            },
            [one] if one != "string" => None,
            _ => text_check(&name.replace('-', "")).map(Self::Text),
        }
    }
}

/// Returns the check of the format `name`, if it is one of text.
pub fn text_check(name: &str) -> Option<fn(&str) -> bool> {
    Some(match name {
        "bsonobjectid" => |text| text.len() == 24 && text.bytes().all(|byte| byte.is_ascii_hexdigit()),
        "uri" => is_request_uri,
        "email" => is_email,
        "hostname" => is_hostname,
        "ipv4" => |text| text.contains('.') && parse_ip_sloppy(text).is_some(),
        "ipv6" => |text| text.contains(':') && text.parse::<IpAddr>().is_ok(),
        "cidr" => |text| parse_cidr_sloppy(text).is_some(),
        "mac" => is_mac,
        "uuid" => |text| is_uuid(text, None),
        "uuid3" => |text| is_uuid(text, Some('3')),
        "uuid4" => |text| is_uuid(text, Some('4')),
        "uuid5" => |text| is_uuid(text, Some('5')),
        "isbn" => |text| is_isbn10(text) || is_isbn13(text),
        "isbn10" => is_isbn10,
        "isbn13" => is_isbn13,
        "creditcard" => is_credit_card,
        "ssn" => |text| text.len() == 11 && SOCIAL_SECURITY_NUMBER.is_match(text),
        "hexcolor" => |text| {
            let digits = text.strip_prefix('#').unwrap_or(text);
            [3, 6].contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
        },
        "rgbcolor" => |text| RGB_COLOR.is_match(text),
        "byte" => |text| BASE64.is_match(text),
        "password" => |_| true,
        "date" => is_date,
        "duration" => |text| duration::parse(text).is_ok() || is_spoken_duration(text),
        "datetime" => is_date_time,
        "k8sshortname" => |text| text.len() <= 63 && SHORT_NAME.is_match(text),
        "k8slongname" => |text| text.len() <= 253 && text.split('.').all(|part| SHORT_NAME.is_match(part)),
        _ => return None,
    })
}

static SOCIAL_SECURITY_NUMBER: LazyLock<Regex> = LazyLock::new(|| expression(r"^\d{3}[- ]?\d{2}[- ]?\d{4}$"));
static RGB_COLOR: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"^rgb\((\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,){2}\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*\)$",
    )
});
static BASE64: LazyLock<Regex> = LazyLock::new(|| {
    expression(r"^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$")
});
static SHORT_NAME: LazyLock<Regex> = LazyLock::new(|| expression("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"));
static CREDIT_CARD: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"^(4[0-9]{12}([0-9]{3})?|5[1-5][0-9]{14}|6(011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(0[0-5]|[68][0-9])[0-9]{11}|(2131|1800|35\d{3})\d{11})$",
    )
});
static HOSTNAME: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$",
    )
});
static SPOKEN_DURATION: LazyLock<Regex> = LazyLock::new(|| expression(r"(\d+)\s*([A-Za-zµ]+)"));
static TIME_OF_DAY: LazyLock<Regex> =
    LazyLock::new(|| expression(r"^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$"));
static MAIL_ADDRESS: LazyLock<Regex> = LazyLock::new(|| {
    expression(concat!(
        r"^([^\x00-\x1f<>]*<)?\s*",
        r#"([^\s"(),:;<>@\[\]\\.]+(\.[^\s"(),:;<>@\[\]\\.]+)*|"([^"\\]|\\.)*")"#,
        r#"@([^\s"(),:;<>@\[\]\\.]+(\.[^\s"(),:;<>@\[\]\\.]+)*|\[[^\[\]\\]*\])\s*(>\s*)?$"#,
    ))
});

/// Compiles one of upstream's expressions, which is in Go's syntax.
fn expression(pattern: &str) -> Regex {
    regexp::compile(pattern).expect("a pattern that was tried")
}

fn is_hostname(text: &str) -> bool {
    text.len() <= 255 && text.split('.').all(|label| label.len() <= 63) && HOSTNAME.is_match(text)
}

fn is_email(text: &str) -> bool {
    let is_bracketed = text.contains('<');
    MAIL_ADDRESS.is_match(text) && is_bracketed == text.trim_end().ends_with('>')
}

/// Whether `text` is 32 hexadecimal digits with optional hyphens, of a version or of any.
fn is_uuid(text: &str, version: Option<char>) -> bool {
    let mut rest = text;
    for (position, length) in [8, 4, 4, 4, 12].into_iter().enumerate() {
        if position > 0 {
            rest = rest.strip_prefix('-').unwrap_or(rest);
        }
        let Some((part, behind)) = rest.split_at_checked(length) else { return false };
        let first = part.chars().next().unwrap_or_default().to_ascii_lowercase();
        let is_fine = match (position, version) {
            (2, Some(version)) => first == version,
            // Version 3 does not constrain the variant.
            (3, Some('4' | '5')) => matches!(first, '8' | '9' | 'a' | 'b'),
            _ => true,
        };
        if !is_fine || !part.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return false;
        }
        rest = behind;
    }
    rest.is_empty()
}

/// Source: Go's `net.ParseMAC`
fn is_mac(text: &str) -> bool {
    let (separator, width) = match text.as_bytes() {
        [_, _, separator @ (b':' | b'-'), ..] => (*separator, 2),
        [_, _, _, _, b'.', ..] => (b'.', 4),
        _ => return false,
    };
    let mut bytes = 0;
    for group in text.as_bytes().split(|byte| *byte == separator) {
        if group.len() != width || !group.iter().all(u8::is_ascii_hexdigit) {
            return false;
        }
        bytes += width / 2;
    }
    [6, 8, 20].contains(&bytes)
}

fn is_isbn10(text: &str) -> bool {
    let digits = without_blanks_and_hyphens(text);
    let [first @ .., last] = digits.as_slice() else { return false };
    if first.len() != 9 || !first.iter().all(u8::is_ascii_digit) || !(last.is_ascii_digit() || *last == b'X')
    {
        return false;
    }
    let check = if *last == b'X' { 10 } else { u32::from(last - b'0') };
    let sum: u32 = (1..).zip(first).map(|(weight, digit)| weight * u32::from(digit - b'0')).sum();
    (sum + 10 * check).is_multiple_of(11)
}

fn is_isbn13(text: &str) -> bool {
    let digits = without_blanks_and_hyphens(text);
    if digits.len() != 13 || !digits.iter().all(u8::is_ascii_digit) {
        return false;
    }
    let weights = [1, 3].into_iter().cycle();
    let sum: u32 = weights.zip(&digits).map(|(weight, digit)| weight * u32::from(digit - b'0')).sum();
    sum.is_multiple_of(10)
}

fn without_blanks_and_hyphens(text: &str) -> Vec<u8> {
    text.bytes().filter(|byte| !matches!(byte, b'-' | b' ' | b'\t' | b'\n' | b'\x0c' | b'\r')).collect()
}

/// Returns the pattern of a card's number, and its checksum.
fn is_credit_card(text: &str) -> bool {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let sum: u32 = digits
        .bytes()
        .rev()
        .zip([1, 2].into_iter().cycle())
        .map(|(digit, weight)| weight * u32::from(digit - b'0'))
        .map(|value| if value > 9 { value - 9 } else { value })
        .sum();
    sum.is_multiple_of(10) && CREDIT_CARD.is_match(&digits)
}

/// Whether `text` is a date such as `2006-01-02`.
fn is_date(text: &str) -> bool {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = text.as_bytes() else { return false };
    let number = |digits: &[&u8]| {
        digits.iter().try_fold(0_u32, |value, digit| {
            digit.is_ascii_digit().then(|| value * 10 + u32::from(**digit - b'0'))
        })
    };
    let (Some(year), Some(month), Some(day)) =
        (number(&[y1, y2, y3, y4]), number(&[m1, m2]), number(&[d1, d2]))
    else {
        return false;
    };
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let last = match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return false,
    };
    (1..=last).contains(&day)
}

fn is_date_time(text: &str) -> bool {
    let text = text.to_lowercase();
    let mut parts = text.split('t');
    let (Some(date), Some(time)) = (parts.next(), parts.next()) else { return false };
    let Some(found) = TIME_OF_DAY.captures(time) else { return false };
    text.len() >= 4 && is_date(date) && &found[1] <= "23" && &found[2] <= "59" && &found[3] <= "59"
}

/// Whether the text contains a duration as people write it, such as `22 ns` or `3 weeks`.
fn is_spoken_duration(text: &str) -> bool {
    const SHORT: [&str; 12] = ["ns", "us", "µs", "ms", "s", "m", "h", "hr", "d", "w", "wk", "μs"];
    const LONG: [&str; 8] = ["nano", "micro", "milli", "sec", "min", "hour", "day", "week"];
    let mut is_found = false;
    for found in SPOKEN_DURATION.captures_iter(text) {
        if found[1].parse::<i64>().is_err() {
            return false;
        }
        let unit = found[2].to_lowercase();
        is_found |= SHORT.contains(&unit.as_str()) || LONG.iter().any(|long| unit.starts_with(long));
    }
    is_found
}

/// Source: Go's `url.ParseRequestURI`
fn is_request_uri(text: &str) -> bool {
    if text.is_empty() || text.bytes().any(|byte| byte < b' ' || byte == 0x7f) {
        return false;
    }
    if text == "*" {
        return true;
    }
    let Some((scheme, rest)) = split_scheme(text) else { return false };
    let rest = rest.split_once('?').map_or(rest, |(path, _)| path);
    if !rest.starts_with('/') {
        // An opaque part, such as that of `mailto:a@b`.
        return !scheme.is_empty();
    }
    let path = match rest.strip_prefix("//").filter(|_| !scheme.is_empty()) {
        Some(behind) => {
            let end = behind.find('/').unwrap_or(behind.len());
            let (authority, path) = behind.split_at(end);
            if !is_authority(authority) {
                return false;
            }
            path
        }
        None => rest,
    };
    has_whole_escapes(path)
}

/// Returns the scheme, or nothing, and what follows it; `None` if a colon has no scheme before it.
fn split_scheme(text: &str) -> Option<(&str, &str)> {
    for (position, byte) in text.bytes().enumerate() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => {}
            b'0'..=b'9' | b'+' | b'-' | b'.' if position > 0 => {}
            b':' if position == 0 => return None,
            b':' => return Some((&text[..position], &text[position + 1..])),
            _ => break,
        }
    }
    Some(("", text))
}

fn is_authority(authority: &str) -> bool {
    let (user, host) = authority.rsplit_once('@').unwrap_or(("", authority));
    let is_user =
        user.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._:~!$&'()*+,;=%@".contains(&byte));
    let (address, port) = match host.strip_prefix('[') {
        Some(literal) => match literal.rsplit_once(']') {
            Some((address, behind)) => {
                (address, behind.strip_prefix(':').or(behind.is_empty().then_some("")))
            }
            None => return false,
        },
        None => match host.rsplit_once(':') {
            Some((address, port)) => (address, Some(port)),
            None => (host, Some("")),
        },
    };
    let is_host = address.bytes().all(|byte| {
        byte >= 0x80 || byte.is_ascii_alphanumeric() || b"-_.~!$&'()*+,;=:[]<>\"%".contains(&byte)
    });
    // In a host, only characters outside ASCII may be escaped.
    let escapes_ascii =
        address.split('%').skip(1).any(|escape| matches!(escape.as_bytes(), [b'0'..=b'7', ..]));
    let is_port = port.is_some_and(|port| port.bytes().all(|byte| byte.is_ascii_digit()));
    is_user
        && is_host
        && is_port
        && (host.starts_with('[') || !escapes_ascii)
        && has_whole_escapes(user)
        && has_whole_escapes(address)
}

/// Whether two hexadecimal digits follow every percent sign.
fn has_whole_escapes(text: &str) -> bool {
    text.split('%').skip(1).all(|escape| {
        matches!(escape.as_bytes(), [first, second, ..] if first.is_ascii_hexdigit() && second.is_ascii_hexdigit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_the_formats_of_text() {
        let cases: &[(&str, &[&str], &[&str])] = &[
            (
                "date-time",
                &["2014-12-15T19:30:20.000Z", "2014-12-15t19:30:20+01:00"],
                &["2014-12-15", "2014-13-15T00:00:00Z", "2014-12-15T24:00:00Z"],
            ),
            ("date", &["2024-02-29"], &["2023-02-29", "2024-2-29", "24-02-29"]),
            ("duration", &["1h30m", "22 ns", "3 weeks", "1d"], &["", "soon", "5 parsecs"]),
            (
                "uri",
                &["https://example.com/a?b#c", "/a", "mailto:a@b", "http://[::1]:80/", "*"],
                &["", "example.com", ":a", "http://a b/", "https://a:b/", "/%zz", "http://[::1"],
            ),
            (
                "email",
                &["a@example.com", "A <a@example.com>", "\"a b\"@example.com"],
                &["a", "a@", "@b", "a b@c", "a@b@c", "A <a@b", "a@b>"],
            ),
            ("hostname", &["example.com", "a-b", "1.example.com"], &["-a", "a_b.com", "a..b"]),
            ("ipv4", &["10.0.0.1", "010.0.0.1"], &["10.0.0", "::1"]),
            ("ipv6", &["::1", "2001:db8::1"], &["10.0.0.1", "fe80::1%eth0"]),
            ("cidr", &["10.0.0.0/8", "::/0"], &["10.0.0.0", "10.0.0.0/33"]),
            (
                "mac",
                &["01:23:45:67:89:ab", "01-23-45-67-89-AB-cd-ef", "0123.4567.89ab"],
                &["01:23", "0123:4567:89ab", "01:23-45:67:89:ab"],
            ),
            (
                "uuid",
                &["123e4567-e89b-12d3-a456-426614174000", "123E4567E89B12D3A456426614174000"],
                &["123e4567", "123e4567-e89b-12d3-a456-42661417400g"],
            ),
            (
                "uuid4",
                &["123e4567-e89b-42d3-a456-426614174000"],
                &["123e4567-e89b-12d3-a456-426614174000", "123e4567-e89b-42d3-c456-426614174000"],
            ),
            ("isbn", &["0321751043", "978-0321751041"], &["0321751044", "978-0321751042", ""]),
            ("creditcard", &["4111-1111-1111-1111"], &["4111-1111-1111-1112", "1"]),
            ("ssn", &["111-22-3333"], &["111223333", "a11-22-3333"]),
            ("hexcolor", &["#FFF", "a0b1c2"], &["#FFFF", "#GGG"]),
            ("rgbcolor", &["rgb(1, 20,255)"], &["rgb(1,2)", "rgb(256,0,0)"]),
            ("byte", &["aGk=", "aGkh"], &["", "aGk", "a?k="]),
            ("bsonobjectid", &["507f1f77bcf86cd799439011"], &["507f1f77bcf86cd79943901"]),
            ("k8s-short-name", &["a-1"], &["a.b", "-a", "A"]),
            ("k8s-long-name", &["a.b-1"], &["a..b", "A"]),
            ("password", &[""], &[]),
        ];
        for (name, good, bad) in cases {
            let Some(Format::Text(check)) = Format::of(name, &["string".to_owned()]) else {
                panic!("{name} is no format");
            };
            for text in *good {
                assert!(check(text), "{name}: {text}");
            }
            for text in *bad {
                assert!(!check(text), "{name}: {text}");
            }
        }
    }

    #[test]
    fn a_format_belongs_to_a_type() {
        let of = |name, one: &str| Format::of(name, &[one.to_owned()]);
        assert!(of("int32", "integer").is_some() && of("float", "number").is_some());
        assert!(of("int32", "string").is_none() && of("date", "integer").is_none());
        assert!(of("date", "object").is_none() && of("colour", "string").is_none());
    }
}
