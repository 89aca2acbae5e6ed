//! The values of flags as kube-apiserver's flag library reads them.
//!
//! Source: `github.com/spf13/pflag`, Go's `strconv`.

use gotext::quote;

/// Returns the items of a list. No value of an admission flag contains a comma, so quotes have no meaning here.
pub(super) fn list(text: &str) -> impl Iterator<Item = String> {
    text.split(',').filter(move |_| !text.is_empty()).map(str::to_owned)
}

/// Parses an integer, in any base that Go's literals have.
pub(super) fn integer(text: &str) -> Result<i64, String> {
    let error = |what| format!("strconv.ParseInt: parsing {}: {what}", quote(text));
    let (sign, unsigned) = match text.split_at_checked(1) {
        Some(("-", rest)) => ("-", rest),
        Some(("+", rest)) => ("", rest),
        _ => ("", text),
    };
    let prefix = unsigned.get(..2).map(str::to_ascii_lowercase);
    let (radix, digits) = match prefix.as_deref() {
        Some("0x") => (16, &unsigned[2..]),
        Some("0o") => (8, &unsigned[2..]),
        Some("0b") => (2, &unsigned[2..]),
        Some(prefix) if prefix.starts_with('0') => (8, &unsigned[1..]),
        _ => (10, unsigned),
    };
    let separated =
        !digits.ends_with('_') && !digits.contains("__") && (radix != 10 || !digits.starts_with('_'));
    let digits = digits.replace('_', "");
    if digits.is_empty() || !separated || !digits.chars().all(|digit| digit.is_digit(radix)) {
        return Err(error("invalid syntax"));
    }
    i64::from_str_radix(&format!("{sign}{digits}"), radix).map_err(|_| error("value out of range"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_list_has_no_items() {
        assert_eq!(list("").count(), 0);
        assert_eq!(list("a,,b").collect::<Vec<_>>(), ["a", "", "b"]);
    }

    #[test]
    fn reads_numbers_as_go_does() {
        let cases = [
            ("300", 300),
            ("-5", -5),
            ("+5", 5),
            ("0", 0),
            ("1_000", 1000),
            ("0x1f", 31),
            ("0b_11", 3),
            ("0O17", 15),
            ("017", 15),
            ("-9223372036854775808", i64::MIN),
        ];
        for (text, number) in cases {
            assert_eq!(integer(text), Ok(number), "{text}");
        }
    }

    #[test]
    fn words_errors_as_go_does() {
        for text in ["5m", "", "-", "1.5", "_1", "1_", "1__0", "08", "0x", "é"] {
            let error = format!("strconv.ParseInt: parsing {}: invalid syntax", quote(text));
            assert_eq!(integer(text), Err(error));
        }
        assert_eq!(
            integer("9223372036854775808").unwrap_err(),
            "strconv.ParseInt: parsing \"9223372036854775808\": value out of range"
        );
    }
}
