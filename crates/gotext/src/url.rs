//! Web addresses as Go's `net/url` reads and writes them.

use std::fmt::{self, Write as _};

use crate::{netip, quote, quote_bytes};

/// A web address.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Url {
    /// In lower case.
    pub scheme: String,
    opaque: String,
    user: Option<(Vec<u8>, Option<Vec<u8>>)>,
    /// With the port.
    pub host: String,
    path: Vec<u8>,
    /// The path as it was written, if that differs from how Go would write it.
    raw_path: String,
    omits_host: bool,
    forces_query: bool,
    /// Without the question mark.
    pub query: String,
    fragment: Vec<u8>,
    raw_fragment: String,
}

/// The part of an address that a text is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Path,
    Host,
    Zone,
    User,
    Query,
    Fragment,
}

/// Implements `url.QueryUnescape`.
pub fn query_unescape(text: &str) -> Result<String, String> {
    unescape(text, Part::Query).map(into_text)
}

impl Url {
    /// Implements `url.Parse`; errors have its texts.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (front, fragment) = text.split_once('#').unwrap_or((text, ""));
        let mut url = Self::read(front, false).map_err(|error| failed(front, &error))?;
        if !fragment.is_empty() {
            url.fragment = unescape(fragment, Part::Fragment).map_err(|error| failed(text, &error))?;
            if escape(&url.fragment, Part::Fragment) != fragment {
                fragment.clone_into(&mut url.raw_fragment);
            }
        }
        Ok(url)
    }

    /// Implements `url.ParseRequestURI`.
    pub fn parse_request(text: &str) -> Result<Self, String> {
        Self::read(text, true).map_err(|error| failed(text, &error))
    }

    fn read(text: &str, is_request: bool) -> Result<Self, String> {
        if text.bytes().any(|byte| byte.is_ascii_control()) {
            return Err("net/url: invalid control character in URL".to_owned());
        }
        if text.is_empty() && is_request {
            return Err("empty url".to_owned());
        }
        let mut url = Self::default();
        if text == "*" {
            url.path = b"*".to_vec();
            return Ok(url);
        }
        let (scheme, mut rest) = split_scheme(text)?;
        url.scheme = scheme.to_ascii_lowercase();
        if rest.ends_with('?') && rest.matches('?').count() == 1 {
            url.forces_query = true;
            rest = &rest[..rest.len() - 1];
        } else if let Some((front, query)) = rest.split_once('?') {
            rest = front;
            query.clone_into(&mut url.query);
        }
        if !rest.starts_with('/') {
            if !url.scheme.is_empty() {
                rest.clone_into(&mut url.opaque);
                return Ok(url);
            }
            if is_request {
                return Err("invalid URI for request".to_owned());
            }
            if rest.split('/').next().is_some_and(|segment| segment.contains(':')) {
                return Err("first path segment in URL cannot contain colon".to_owned());
            }
        }
        let may_have_host = !url.scheme.is_empty() || !is_request && !rest.starts_with("///");
        if let Some(after) = rest.strip_prefix("//").filter(|_| may_have_host) {
            let (authority, path) = after.split_at(after.find('/').unwrap_or(after.len()));
            rest = path;
            url.read_authority(authority)?;
        } else if !url.scheme.is_empty() && rest.starts_with('/') {
            url.omits_host = true;
        }
        url.path = unescape(rest, Part::Path)?;
        if escape(&url.path, Part::Path) != rest {
            rest.clone_into(&mut url.raw_path);
        }
        Ok(url)
    }

    fn read_authority(&mut self, authority: &str) -> Result<(), String> {
        let (user, host) = match authority.rsplit_once('@') {
            Some((user, host)) => (Some(user), host),
            None => (None, authority),
        };
        self.host = read_host(host)?;
        let Some(user) = user else { return Ok(()) };
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:~!$&'()*+,;=%@".contains(&byte);
        if !user.bytes().all(is_allowed) {
            return Err("net/url: invalid userinfo".to_owned());
        }
        let (name, password) = match user.split_once(':') {
            Some((name, password)) => (name, Some(unescape(password, Part::User))),
            None => (user, None),
        };
        self.user = Some((unescape(name, Part::User)?, password.transpose()?));
        Ok(())
    }

    /// Returns the user information before the host.
    pub fn user(&self) -> Option<String> {
        let (name, password) = self.user.as_ref()?;
        let password = password.as_ref().map(|password| format!(":{}", escape(password, Part::User)));
        Some(escape(name, Part::User) + &password.unwrap_or_default())
    }

    /// Returns the path without escapes.
    pub fn path(&self) -> String {
        into_text(self.path.clone())
    }

    /// Returns the fragment without escapes.
    pub fn fragment(&self) -> String {
        into_text(self.fragment.clone())
    }

    /// Returns the host without brackets, and the port.
    pub fn host_and_port(&self) -> (&str, &str) {
        let (mut host, mut port) = (&*self.host, "");
        if let Some(colon) = host.rfind(':')
            && is_optional_port(&host[colon..])
        {
            (host, port) = (&host[..colon], &host[colon + 1..]);
        }
        let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
        (bare.unwrap_or(host), port)
    }

    /// Returns the path as it is written.
    pub fn escaped_path(&self) -> String {
        if !self.raw_path.is_empty()
            && is_encoded(&self.raw_path, Part::Path)
            && unescape(&self.raw_path, Part::Path).as_ref() == Ok(&self.path)
        {
            return self.raw_path.clone();
        }
        if self.path == b"*" { "*".to_owned() } else { escape(&self.path, Part::Path) }
    }

    fn escaped_fragment(&self) -> String {
        if !self.raw_fragment.is_empty()
            && is_encoded(&self.raw_fragment, Part::Fragment)
            && unescape(&self.raw_fragment, Part::Fragment).as_ref() == Ok(&self.fragment)
        {
            return self.raw_fragment.clone();
        }
        escape(&self.fragment, Part::Fragment)
    }

    /// Returns the keys of the query with their values; malformed ones are left out.
    pub fn query_values(&self) -> Vec<(String, Vec<String>)> {
        let mut found: Vec<(String, Vec<String>)> = Vec::new();
        for pair in self.query.split('&').filter(|pair| !pair.is_empty() && !pair.contains(';')) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            let (Ok(key), Ok(value)) = (unescape(key, Part::Query), unescape(value, Part::Query)) else {
                continue;
            };
            let (key, value) = (into_text(key), into_text(value));
            match found.iter_mut().find(|(known, _)| *known == key) {
                Some((_, values)) => values.push(value),
                None => found.push((key, vec![value])),
            }
        }
        found
    }
}

impl fmt::Display for Url {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        if !self.scheme.is_empty() {
            text += &self.scheme;
            text.push(':');
        }
        if self.opaque.is_empty() {
            let has_authority = !self.host.is_empty() || self.user.is_some();
            if has_authority || !self.scheme.is_empty() && !self.omits_host {
                if has_authority || !self.path.is_empty() {
                    text += "//";
                }
                if let Some(user) = self.user() {
                    text += &user;
                    text.push('@');
                }
                text += &escape(self.host.as_bytes(), Part::Host);
            }
            let path = self.escaped_path();
            if !path.is_empty() && !path.starts_with('/') && !self.host.is_empty() {
                text.push('/');
            }
            if text.is_empty() && path.split('/').next().is_some_and(|segment| segment.contains(':')) {
                text += "./";
            }
            text += &path;
        } else {
            text += &self.opaque;
        }
        if self.forces_query || !self.query.is_empty() {
            text.push('?');
            text += &self.query;
        }
        if !self.fragment.is_empty() {
            text.push('#');
            text += &self.escaped_fragment();
        }
        formatter.write_str(&text)
    }
}

fn into_text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

fn failed(text: &str, error: &str) -> String {
    format!("parse {}: {error}", quote(text))
}

fn split_scheme(text: &str) -> Result<(&str, &str), String> {
    for (index, byte) in text.bytes().enumerate() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => {}
            b'0'..=b'9' | b'+' | b'-' | b'.' if index > 0 => {}
            b':' if index == 0 => return Err("missing protocol scheme".to_owned()),
            b':' => return Ok((&text[..index], &text[index + 1..])),
            _ => break,
        }
    }
    Ok(("", text))
}

fn is_optional_port(text: &str) -> bool {
    text.is_empty()
        || text.strip_prefix(':').is_some_and(|port| port.bytes().all(|byte| byte.is_ascii_digit()))
}

fn read_host(host: &str) -> Result<String, String> {
    let check_port = |port: &str| {
        let refused = || format!("invalid port {} after host", quote(port));
        is_optional_port(port).then_some(()).ok_or_else(refused)
    };
    match host.rfind('[') {
        Some(0) => {
            let end = host.rfind(']').ok_or("missing ']' in host")?;
            let port = &host[end + 1..];
            check_port(port)?;
            let name = &host[1..end];
            let name = match name.find("%25") {
                Some(zone) => {
                    let address = unescape(&name[..zone], Part::Host)?;
                    into_text([address, unescape(&name[zone..], Part::Zone)?].concat())
                }
                None => into_text(unescape(name, Part::Host)?),
            };
            match netip::parse_addr(&name) {
                Ok((address, _)) if address.is_ipv6() => Ok(format!("[{name}]{port}")),
                Ok(_) => Err("invalid IP-literal".to_owned()),
                Err(error) => Err(format!("invalid host: {error}")),
            }
        }
        Some(_) => Err("invalid IP-literal".to_owned()),
        None => {
            if let Some(colon) = host.find(':') {
                check_port(&host[colon..])?;
            }
            unescape(host, Part::Host).map(into_text)
        }
    }
}

fn unescape(text: &str, part: Part) -> Result<Vec<u8>, String> {
    let bytes = text.as_bytes();
    let invalid = |start: usize| {
        let shown = &bytes[start..bytes.len().min(start + 3)];
        format!("invalid URL escape {}", quote_bytes(shown))
    };
    let mut output = Vec::with_capacity(bytes.len());
    let mut index = 0;
    while let Some(&byte) = bytes.get(index) {
        if byte != b'%' {
            if matches!(part, Part::Host | Part::Zone) && byte.is_ascii() && should_escape(byte, part) {
                let quoted = quote(&char::from(byte).to_string());
                return Err(format!("invalid character {quoted} in host name"));
            }
            output.push(if byte == b'+' && part == Part::Query { b' ' } else { byte });
            index += 1;
            continue;
        }
        let digits = bytes.get(index + 1..index + 3).and_then(|digits| std::str::from_utf8(digits).ok());
        let digits = digits.filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let value = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        let value = value.ok_or_else(|| invalid(index))?;
        let is_percent = digits == Some("25");
        if part == Part::Host && value.is_ascii() && !is_percent {
            return Err(invalid(index));
        }
        if part == Part::Zone && !is_percent && value != b' ' && should_escape(value, Part::Host) {
            return Err(invalid(index));
        }
        output.push(value);
        index += 3;
    }
    Ok(output)
}

fn escape(bytes: &[u8], part: Part) -> String {
    let mut text = String::with_capacity(bytes.len());
    for byte in bytes {
        if should_escape(*byte, part) {
            write!(text, "%{byte:02X}").expect("a String takes everything");
        } else {
            text.push(char::from(*byte));
        }
    }
    text
}

fn should_escape(byte: u8, part: Part) -> bool {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => false,
        _ if matches!(part, Part::Host | Part::Zone) => !b"!$&'()*+,;=:[]<>\"".contains(&byte),
        b'$' | b'&' | b'+' | b',' | b'/' | b':' | b';' | b'=' | b'?' | b'@' => match part {
            Part::Path => byte == b'?',
            Part::User => b"@/?:".contains(&byte),
            Part::Query => true,
            _ => false,
        },
        b'!' | b'(' | b')' | b'*' => part != Part::Fragment,
        _ => true,
    }
}

fn is_encoded(text: &str, part: Part) -> bool {
    text.bytes().all(|byte| b"!$&'()*+,;=:@[]%".contains(&byte) || !should_escape(byte, part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_go_reads() {
        let url = Url::parse("HTTPS://me:secret@example.com:8443/a?b=c#d").expect("an address");
        assert_eq!(
            (&*url.scheme, url.user().as_deref(), &*url.host),
            ("https", Some("me:secret"), "example.com:8443")
        );
        assert_eq!((&*url.query, &*url.fragment()), ("b=c", "d"));
        assert_eq!(url.path(), "/a");
        assert_eq!(Url::parse("ssh://git@example.com/a%20b+c.git").expect("an address").path(), "/a b+c.git");
        assert_eq!(Url::parse("urlValue"), Ok(Url { path: b"urlValue".to_vec(), ..Url::default() }));
        assert_eq!(Url::parse("mailto:a@b").expect("an address").host, "");
    }

    #[test]
    fn words_errors_as_go_does() {
        let error = |text| Url::parse(text).expect_err("not an address");
        assert_eq!(error(":8443"), "parse \":8443\": missing protocol scheme");
        assert_eq!(error("a_b:c"), "parse \"a_b:c\": first path segment in URL cannot contain colon");
        assert_eq!(error("https://a b"), "parse \"https://a b\": invalid character \" \" in host name");
        assert_eq!(error("https://a:x/"), "parse \"https://a:x/\": invalid port \":x\" after host");
        assert_eq!(error("https://a/%zz"), "parse \"https://a/%zz\": invalid URL escape \"%zz\"");
        assert_eq!(error("https://a/%中"), "parse \"https://a/%中\": invalid URL escape \"%\\xe4\\xb8\"");
    }
}
