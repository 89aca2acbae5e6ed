//! LDAP URLs (RFC 4516) and the filters in them (RFC 4515).
//!
//! Source: `github.com/openshift/library-go/pkg/security/ldaputil`, `github.com/go-ldap/ldap/v3` `filter.go`.

use gotext::quote;
use gotext::url::{Url, query_unescape};

/// Returns the scheme of an address, or the error in it.
pub(super) fn scheme_of(text: &str) -> Result<String, String> {
    let parsed = Url::parse(text)?;
    if !["ldap", "ldaps"].contains(&parsed.scheme.as_str()) {
        return Err(format!("invalid scheme {}", quote(&parsed.scheme)));
    }
    let parts: Vec<&str> = parsed.query.split('?').collect();
    if parts.len() > 4 {
        return Err(format!("too many query options {}", quote(&parsed.query)));
    }
    let part = |index: usize| parts.get(index).copied().unwrap_or_default();
    let filter = query_unescape(part(2))?;
    let scope = query_unescape(part(1))?;
    query_unescape(part(0))?;
    if !["", "sub", "one", "base"].contains(&scope.as_str()) {
        return Err(format!("invalid scope {}", quote(&scope)));
    }
    check_filter(&filter).map_err(|error| {
        format!("invalid filter: LDAP Result Code 201 \"Filter Compile Error\": ldap: {error}")
    })?;
    if let Some(extension) = part(3).split(',').find(|extension| extension.starts_with('!')) {
        return Err(format!("unsupported critical extension {extension}"));
    }
    Ok(parsed.scheme)
}

/// Source: `CompileFilter`.
fn check_filter(filter: &str) -> Result<(), String> {
    if filter.is_empty() {
        return Ok(());
    }
    if !filter.starts_with('(') {
        return Err("filter does not start with an '('".to_owned());
    }
    let end = part(filter, 1)?;
    match filter.get(end..) {
        None => Err("unexpected end of filter".to_owned()),
        Some("") => Ok(()),
        Some(rest) => Err(format!("finished compiling filter with extra at end: {rest}")),
    }
}

/// Returns the end of the filter that begins at `position`; past the end of the text if its closing parenthesis is
/// missing. Filters nest as deeply as the text is long, so open sets are kept in a list.
///
/// Source: `compileFilter`, `compileFilterSet`.
fn part(filter: &str, mut position: usize) -> Result<usize, String> {
    // The number of closing parentheses after each open set, and after the current part.
    let (mut sets, mut closing) = (Vec::new(), 0);
    loop {
        let text = filter.get(position..).unwrap_or_default();
        let mut end = match text.chars().next() {
            // What Go reads at the end of the text.
            None => return Err(format!("error reading rune at position {position}")),
            Some('(') => {
                closing += 1;
                position += 1;
                continue;
            }
            Some('!') => {
                position += 1;
                continue;
            }
            Some('&' | '|') => {
                sets.push(closing);
                position + 1
            }
            Some(_) => position + item(text)? + closing,
        };
        while !filter.get(end..).is_some_and(|rest| rest.starts_with('(')) || sets.is_empty() {
            let Some(closing) = sets.pop() else { return Ok(end) };
            if end == filter.len() {
                return Err("unexpected end of filter".to_owned());
            }
            end += 1 + closing;
        }
        (position, closing) = (end + 1, 0);
    }
}

/// Returns the length of `attribute=value)`.
fn item(text: &str) -> Result<usize, String> {
    const OPERATORS: [&str; 6] = [":dn:=", ":=", "=", ">=", "<=", "~="];
    let end = text.find(')').ok_or("unexpected end of filter")?;
    let inner = &text[..end];
    let found = (0..inner.len()).filter(|at| inner.is_char_boundary(*at)).find_map(|at| {
        OPERATORS.iter().find(|operator| inner[at..].starts_with(**operator)).map(|operator| (at, *operator))
    });
    let Some((at, operator)) = found else { return Err("error parsing filter".to_owned()) };
    let value = &inner[at + operator.len()..];
    if operator == "=" && value.contains('*') {
        for piece in value.split('*') {
            check_escapes(piece)?;
        }
    } else {
        check_escapes(value)?;
    }
    Ok(end + 1)
}

/// Source: `decodeEscapedSymbols`.
fn check_escapes(value: &str) -> Result<(), String> {
    let bytes = value.as_bytes();
    let mut position = 0;
    while let Some(byte) = bytes.get(position) {
        position += 1;
        if *byte != b'\\' {
            continue;
        }
        let found = &bytes[position.min(bytes.len())..(position + 2).min(bytes.len())];
        match found {
            [] => return Err("invalid characters for escape in filter: EOF".to_owned()),
            [_] => return Err("missing characters for escape in filter".to_owned()),
            digits => {
                if let Some(bad) = digits.iter().find(|digit| !digit.is_ascii_hexdigit()) {
                    let shown = format!("U+{bad:04X} '{}'", char::from(*bad));
                    return Err(format!(
                        "invalid characters for escape in filter: encoding/hex: invalid byte: {shown}"
                    ));
                }
            }
        }
        position += 2;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_addresses_of_directories() {
        for text in [
            "ldap://ldap.example.com",
            "ldaps://ldap.example.com/dc=example?uid?sub?(objectClass=*)",
            "ldap://h/dc=a?uid,cn?one?(%26(a=b)(!(c~=d)))",
            "ldap://h/dc=a?uid??%28cn:dn:2.4.6:=x%29",
            "ldap://h/dc=a?uid??(cn=a*b\\2ac)?ext",
        ] {
            assert!(scheme_of(text).is_ok(), "{text}: {:?}", scheme_of(text));
        }
    }

    #[test]
    fn rejects_what_is_no_address_of_a_directory() {
        let error = |text| scheme_of(text).unwrap_err();
        assert_eq!(error("https://h"), "invalid scheme \"https\"");
        assert_eq!(error("ldap://h/?a?b?c?d?e"), "too many query options \"a?b?c?d?e\"");
        assert_eq!(error("ldap://h/?uid?tree"), "invalid scope \"tree\"");
        assert_eq!(error("ldap://h/?uid?%zz"), "invalid URL escape \"%zz\"");
        let filter = |text| error(text).split_once("ldap: ").map(|(_, error)| error.to_owned()).unwrap();
        assert_eq!(filter("ldap://h/?uid?sub?a=b"), "filter does not start with an '('");
        assert_eq!(filter("ldap://h/?uid?sub?(a=b"), "unexpected end of filter");
        assert_eq!(filter("ldap://h/?uid?sub?(a)"), "error parsing filter");
        assert_eq!(filter("ldap://h/?uid?sub?(a=b))"), "finished compiling filter with extra at end: )");
        assert_eq!(error("ldap://h/?uid???!x=1"), "unsupported critical extension !x=1");
    }

    #[test]
    fn reads_filters_of_any_depth() {
        let open = "(%26(!".repeat(100_000);
        let nested = format!("ldap://h/?uid?sub?{open}(a=b){}", "))".repeat(100_000));
        assert!(scheme_of(&nested).is_ok(), "{:?}", scheme_of(&nested));
        assert!(scheme_of(&format!("ldap://h/?uid?sub?{open}(a=b)")).is_err());
    }
}
