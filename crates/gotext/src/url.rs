//! Web addresses as Go's `net/url` reads them.

use crate::quote;

/// The parts of a web address that validation uses.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Url<'a> {
    /// In lower case.
    pub scheme: String,
    /// The user information before the host.
    pub user: Option<&'a str>,
    /// With the port.
    pub host: &'a str,
    /// Without escapes.
    pub path: String,
    /// The query, without the question mark.
    pub query: &'a str,
    /// The fragment, without the number sign.
    pub fragment: &'a str,
}

/// Implements `url.Parse`; errors have its texts.
pub fn parse(text: &str) -> Result<Url<'_>, String> {
    let (front, fragment) = text.split_once('#').unwrap_or((text, ""));
    let url = parse_front(front).map_err(|error| format!("parse {}: {error}", quote(front)))?;
    if let Some(escape) = invalid_escape(fragment) {
        return Err(format!("parse {}: {escape}", quote(text)));
    }
    Ok(Url { fragment, ..url })
}

fn parse_front(text: &str) -> Result<Url<'_>, String> {
    if text.bytes().any(|byte| byte.is_ascii_control()) {
        return Err("net/url: invalid control character in URL".to_owned());
    }
    let (scheme, rest) = split_scheme(text)?;
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let mut url = Url { scheme: scheme.to_ascii_lowercase(), query, ..Url::default() };
    if !rest.starts_with('/') {
        if !scheme.is_empty() {
            return Ok(url);
        }
        if rest.split('/').next().is_some_and(|segment| segment.contains(':')) {
            return Err("first path segment in URL cannot contain colon".to_owned());
        }
    }
    let mut path = rest;
    if let Some(after) = rest.strip_prefix("//").filter(|_| !scheme.is_empty() || !rest.starts_with("///")) {
        let (authority, _) = after.split_once('/').unwrap_or((after, ""));
        path = &after[authority.len()..];
        let (user, host) = match authority.rsplit_once('@') {
            Some((user, host)) => (Some(user), host),
            None => (None, authority),
        };
        check_host(host)?;
        if user.is_some_and(|user| !user.chars().all(is_user_character)) {
            return Err("net/url: invalid userinfo".to_owned());
        }
        (url.user, url.host) = (user, host);
    }
    url.path = unescape(path, false)?;
    Ok(url)
}

/// Returns the scheme, which may be empty, and what follows its colon.
pub fn split_scheme(text: &str) -> Result<(&str, &str), String> {
    match text.find(|character: char| !character.is_ascii_alphanumeric() && !"+-.".contains(character)) {
        Some(0) if text.starts_with(':') => Err("missing protocol scheme".to_owned()),
        Some(end)
            if text[end..].starts_with(':')
                && text.starts_with(|first: char| first.is_ascii_alphabetic()) =>
        {
            Ok((&text[..end], &text[end + 1..]))
        }
        _ => Ok(("", text)),
    }
}

fn check_host(host: &str) -> Result<(), String> {
    let port = if host.starts_with('[') {
        let end = host.rfind(']').ok_or("missing ']' in host")?;
        &host[end + 1..]
    } else {
        host.rfind(':').map_or("", |colon| &host[colon..])
    };
    let is_port = port.is_empty()
        || port.strip_prefix(':').is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
    if !is_port {
        return Err(format!("invalid port {} after host", quote(port)));
    }
    if let Some(escape) = invalid_escape(host) {
        return Err(escape);
    }
    let is_allowed = |character: char| {
        !character.is_ascii()
            || character.is_ascii_alphanumeric()
            || "-_.~!$&'()*+,;=:[]<>\"%".contains(character)
    };
    match host.chars().find(|character| !is_allowed(*character)) {
        Some(character) => {
            let quoted = quote(&character.to_string());
            Err(format!("invalid character {quoted} in host name"))
        }
        None => Ok(()),
    }
}

fn is_user_character(character: char) -> bool {
    character.is_ascii_alphanumeric() || "-._:~!$&'()*+,;=%@".contains(character)
}

/// Runs `url.QueryUnescape`; the errors are Go's.
pub fn query_unescape(text: &str) -> Result<String, String> {
    unescape(text, true)
}

/// Decodes escapes, and a `+` as a blank where that is one.
fn unescape(text: &str, plus_is_blank: bool) -> Result<String, String> {
    if let Some(error) = invalid_escape(text) {
        return Err(error);
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '%' => {
                let byte = rest.get(1..3).and_then(|digits| u8::from_str_radix(digits, 16).ok());
                bytes.push(byte.unwrap_or_default());
                3
            }
            '+' if plus_is_blank => {
                bytes.push(b' ');
                1
            }
            other => {
                bytes.extend_from_slice(&rest.as_bytes()[..other.len_utf8()]);
                other.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns the first `%` without two hexadecimal digits.
fn invalid_escape(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let is_hex = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_hexdigit);
    let at = text.match_indices('%').map(|(at, _)| at).find(|at| !is_hex(at + 1) || !is_hex(at + 2))?;
    let shown: String = text[at..].chars().take(3).collect();
    Some(format!("invalid URL escape {}", quote(&shown)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_go_reads() {
        let url = parse("HTTPS://me:secret@example.com:8443/a?b=c#d").expect("an address");
        assert_eq!((&*url.scheme, url.user, url.host), ("https", Some("me:secret"), "example.com:8443"));
        assert_eq!((url.query, url.fragment), ("b=c", "d"));
        assert_eq!(url.path, "/a");
        assert_eq!(parse("ssh://git@example.com/a%20b+c.git").expect("an address").path, "/a b+c.git");
        assert_eq!(parse("urlValue"), Ok(Url { path: "urlValue".to_owned(), ..Url::default() }));
        assert_eq!(parse("mailto:a@b").expect("an address").host, "");
    }

    #[test]
    fn words_errors_as_go_does() {
        let error = |text| parse(text).expect_err("not an address");
        assert_eq!(error(":8443"), "parse \":8443\": missing protocol scheme");
        assert_eq!(error("a_b:c"), "parse \"a_b:c\": first path segment in URL cannot contain colon");
        assert_eq!(error("https://a b"), "parse \"https://a b\": invalid character \" \" in host name");
        assert_eq!(error("https://a:x/"), "parse \"https://a:x/\": invalid port \":x\" after host");
        assert_eq!(error("https://a/%zz"), "parse \"https://a/%zz\": invalid URL escape \"%zz\"");
    }
}
