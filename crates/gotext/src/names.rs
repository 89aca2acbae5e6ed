//! Checks of names, label keys, label values, keys of a `ConfigMap`, and the like.
//!
//! Every check returns what is wrong, in the server's words; an empty list means that the text is valid.
//!
//! Source: `k8s.io/apimachinery/pkg/util/validation`, `k8s.io/apimachinery/pkg/api/validate/content`,
//! `k8s.io/apimachinery/pkg/api/validation`.

use std::borrow::Cow;

/// The longest name that is a DNS label, in bytes.
pub const DNS_LABEL_MAX_LENGTH: usize = 63;
/// The longest name that is a DNS subdomain, in bytes.
pub const DNS_SUBDOMAIN_MAX_LENGTH: usize = 253;
/// The longest value of a label, in bytes; also the longest name part of a label key.
pub const LABEL_VALUE_MAX_LENGTH: usize = 63;

const LABEL_KEY: Rule = Rule {
    message: "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an \
              alphanumeric character",
    pattern: "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]",
    examples: &["MyName", "my.name", "123-abc"],
};
const LABEL_VALUE: Rule = Rule {
    message: "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', \
              and must start and end with an alphanumeric character",
    pattern: "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?",
    examples: &["MyValue", "my_value", "12345"],
};
const DNS1123_LABEL: Rule = Rule {
    message: "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must \
              start and end with an alphanumeric character",
    pattern: "[a-z0-9]([-a-z0-9]*[a-z0-9])?",
    examples: &["my-name", "123-abc"],
};
const DNS1123_SUBDOMAIN: Rule = Rule {
    message: "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', \
              and must start and end with an alphanumeric character",
    pattern: "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*",
    examples: &["example.com"],
};
const DNS1123_SUBDOMAIN_CASELESS: Rule = Rule {
    message: "an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', and must start and end with \
              an alphanumeric character",
    pattern: DNS1123_SUBDOMAIN.pattern,
    examples: &["Example.com"],
};
const DNS1123_SUBDOMAIN_WITH_UNDERSCORE: Rule = Rule {
    message: "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or \
              '.', and must start and end with an alphanumeric character",
    pattern: "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*",
    examples: &["example.com"],
};
const WILDCARD_DNS1123_SUBDOMAIN: Rule = Rule {
    message: "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which \
              must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric \
              character",
    pattern: "\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*",
    examples: &["*.example.com"],
};
const DNS1035_LABEL: Rule = Rule {
    message: "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an \
              alphabetic character, and end with an alphanumeric character",
    pattern: "[a-z]([-a-z0-9]*[a-z0-9])?",
    examples: &["my-name", "abc-123"],
};
const C_IDENTIFIER: Rule = Rule {
    message: "a valid C identifier must start with alphabetic character or '_', followed by a string of \
              alphanumeric characters or '_'",
    pattern: "[A-Za-z_][A-Za-z0-9_]*",
    examples: &["my_name", "MY_NAME", "MyName"],
};
const ENV_VAR_NAME: Rule = Rule {
    message: "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', \
              and must not start with a digit",
    pattern: "[-._a-zA-Z][-._a-zA-Z0-9]*",
    examples: &["my.env-name", "MY_ENV.NAME", "MyEnvName1"],
};
const PERCENT: Rule = Rule {
    message: "a valid percent string must be a numeric string followed by an ending '%'",
    pattern: "[0-9]+%",
    examples: &["1%", "93%"],
};
const HTTP_HEADER_NAME: Rule = Rule {
    message: "a valid HTTP header must consist of alphanumeric characters or '-'",
    pattern: "[-A-Za-z0-9]+",
    examples: &["X-Header-Name"],
};
const HTTP_PATH: Rule =
    Rule { message: "Invalid path", pattern: r"[A-Za-z0-9/\-._~%!$&'()*+,;=:]+", examples: &[] };
const CONFIG_MAP_KEY: Rule = Rule {
    message: "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
    pattern: "[-._a-zA-Z0-9]+",
    examples: &["key.name", "KEY_NAME", "key-name"],
};

/// A rule and its message. The patterns are shown, never run: the checks below are written out.
struct Rule {
    message: &'static str,
    pattern: &'static str,
    examples: &'static [&'static str],
}

impl Rule {
    /// Implements `RegexError`.
    fn broken(&self) -> String {
        let Self { message, pattern, examples } = self;
        if examples.is_empty() {
            return format!("{message} (regex used for validation is '{pattern}')");
        }
        let examples: Vec<String> = examples.iter().map(|example| format!("'{example}', ")).collect();
        format!("{message} (e.g. {}regex used for validation is '{pattern}')", examples.join(" or "))
    }
}

/// Checks a qualified name, which is what a label key is: a name, or a DNS subdomain, `/` and a name.
///
/// Source: `content.IsLabelKey`.
pub fn is_qualified_name(value: &str) -> Vec<String> {
    let mut errors = Vec::new();
    // Names are short: a loop is faster than a search.
    let slash = value.bytes().position(|byte| byte == b'/');
    let name = match slash.map(|slash| (&value[..slash], &value[slash + 1..])) {
        None => value,
        Some((_, name)) if name.contains('/') => {
            return vec![format!(
                "a valid label key {} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
                LABEL_KEY.broken()
            )];
        }
        Some((prefix, name)) => {
            if prefix.is_empty() {
                errors.push("prefix part must be non-empty".to_owned());
            } else {
                if prefix.len() > DNS_SUBDOMAIN_MAX_LENGTH {
                    errors.push(format!("prefix part {}", too_many_bytes(DNS_SUBDOMAIN_MAX_LENGTH)));
                }
                if !matches_subdomain(prefix) {
                    errors.push(format!("prefix part {}", DNS1123_SUBDOMAIN.broken()));
                }
            }
            name
        }
    };
    if name.is_empty() {
        errors.push("name part must be non-empty".to_owned());
    } else if name.len() > LABEL_VALUE_MAX_LENGTH {
        errors.push(format!("name part {}", too_many_bytes(LABEL_VALUE_MAX_LENGTH)));
    }
    if !matches_label_key_name(name) {
        errors.push(format!("name part {}", LABEL_KEY.broken()));
    }
    errors
}

/// Checks the value of a label; it may be empty.
pub fn is_valid_label_value(value: &str) -> Vec<String> {
    let too_long = (value.len() > LABEL_VALUE_MAX_LENGTH).then(|| too_many_bytes(LABEL_VALUE_MAX_LENGTH));
    let broken = (!value.is_empty() && !matches_label_key_name(value)).then(|| LABEL_VALUE.broken());
    too_long.into_iter().chain(broken).collect()
}

/// Checks a label of a DNS name as RFC 1123 has it: the name of a namespace, for example.
pub fn is_dns1123_label(value: &str) -> Vec<String> {
    if !matches_dns_label(value.as_bytes()) && matches_subdomain(value) {
        let mut errors = checked(value, DNS_LABEL_MAX_LENGTH, true, &DNS1123_LABEL);
        errors.push("must not contain dots".to_owned());
        return errors;
    }
    checked(value, DNS_LABEL_MAX_LENGTH, matches_dns_label(value.as_bytes()), &DNS1123_LABEL)
}

/// Returns a DNS name as RFC 1123 has it: the name of most objects.
pub fn is_dns1123_subdomain(value: &str) -> Vec<String> {
    checked(value, DNS_SUBDOMAIN_MAX_LENGTH, matches_subdomain(value), &DNS1123_SUBDOMAIN)
}

/// Checks a DNS name in which capitals are allowed, and the two other characters that Go's regular expressions count as
/// the letters `k` and `s` of another case.
pub fn is_dns1123_subdomain_caseless(value: &str) -> Vec<String> {
    let folded: String = value
        .chars()
        .map(|character| match character {
            '\u{212a}' => 'k',
            '\u{17f}' => 's',
            other => other.to_ascii_lowercase(),
        })
        .collect();
    checked(value, DNS_SUBDOMAIN_MAX_LENGTH, matches_subdomain(&folded), &DNS1123_SUBDOMAIN_CASELESS)
}

/// Checks the name of an object as declarative validation does.
///
/// Source: `validate.LongName`.
pub fn is_long_name(value: &str) -> Vec<String> {
    counted_in_bytes(value, DNS_SUBDOMAIN_MAX_LENGTH, is_dns1123_subdomain(value))
}

/// Checks a DNS name with capitals as declarative validation does.
///
/// Source: `validate.LongNameCaseless`.
pub fn is_long_name_caseless(value: &str) -> Vec<String> {
    counted_in_bytes(value, DNS_SUBDOMAIN_MAX_LENGTH, is_dns1123_subdomain_caseless(value))
}

/// Checks a label of a DNS name as declarative validation does.
///
/// Source: `validate.ShortName`.
pub fn is_short_name(value: &str) -> Vec<String> {
    counted_in_bytes(value, DNS_LABEL_MAX_LENGTH, is_dns1123_label(value))
}

/// Checks a DNS name in which every label may begin with an underscore and have more of them inside.
pub fn is_dns1123_subdomain_with_underscore(value: &str) -> Vec<String> {
    let matches = value.split('.').all(|label| {
        let label = label.strip_prefix('_').unwrap_or(label);
        edges_and_inside(label.as_bytes(), is_lower_alphanumeric, |byte| {
            is_lower_alphanumeric(byte) || b"-_".contains(&byte)
        })
    });
    checked(value, DNS_SUBDOMAIN_MAX_LENGTH, matches, &DNS1123_SUBDOMAIN_WITH_UNDERSCORE)
}

/// Checks `*.` and a DNS name.
pub fn is_wildcard_dns1123_subdomain(value: &str) -> Vec<String> {
    let matches = value.strip_prefix("*.").is_some_and(matches_subdomain);
    checked(value, DNS_SUBDOMAIN_MAX_LENGTH, matches, &WILDCARD_DNS1123_SUBDOMAIN)
}

/// Checks a label of a DNS name as RFC 1035 has it, which begins with a letter: the name of a Service.
pub fn is_dns1035_label(value: &str) -> Vec<String> {
    let matches =
        matches_dns_label(value.as_bytes()) && value.starts_with(|first: char| first.is_ascii_lowercase());
    checked(value, DNS_LABEL_MAX_LENGTH, matches, &DNS1035_LABEL)
}

/// Returns an identifier of the language C, of any length.
pub fn is_c_identifier(value: &str) -> Vec<String> {
    let matches = !value.starts_with(|first: char| first.is_ascii_digit())
        && all_bytes(value, |byte| byte.is_ascii_alphanumeric() || byte == b'_');
    checked(value, usize::MAX, matches, &C_IDENTIFIER)
}

/// Returns a number of a port.
pub fn is_valid_port_num(port: i64) -> Vec<String> {
    is_in_range(port, 1, 65535)
}

/// Checks that a number is from `min` to `max`, both included.
pub fn is_in_range(value: i64, min: i64, max: i64) -> Vec<String> {
    if (min..=max).contains(&value) {
        Vec::new()
    } else {
        vec![format!("must be between {min} and {max}, inclusive")]
    }
}

/// Returns the id of a Unix user or group.
pub fn is_valid_user_id(id: i64) -> Vec<String> {
    is_in_range(id, 0, i64::from(i32::MAX))
}

/// Returns the name of a port: an IANA service name in lower case.
pub fn is_valid_port_name(port: &str) -> Vec<String> {
    let mut errors = Vec::new();
    if port.len() > 15 {
        errors.push(too_many_characters(15));
    }
    if !all_bytes(port, |byte| is_lower_alphanumeric(byte) || byte == b'-') {
        errors.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)".to_owned());
    }
    if !port.contains(|character: char| character.is_ascii_lowercase()) {
        errors.push("must contain at least one letter (a-z)".to_owned());
    }
    if port.contains("--") {
        errors.push("must not contain consecutive hyphens".to_owned());
    }
    if port.starts_with('-') || port.ends_with('-') {
        errors.push("must not begin or end with a hyphen".to_owned());
    }
    errors
}

/// Returns a percentage: digits and `%`.
pub fn is_valid_percent(percent: &str) -> Vec<String> {
    let matches =
        percent.strip_suffix('%').is_some_and(|digits| all_bytes(digits, |byte| byte.is_ascii_digit()));
    checked(percent, usize::MAX, matches, &PERCENT)
}

/// Returns the name of an HTTP header.
pub fn is_http_header_name(value: &str) -> Vec<String> {
    let matches = all_bytes(value, |byte| byte.is_ascii_alphanumeric() || byte == b'-');
    checked(value, usize::MAX, matches, &HTTP_HEADER_NAME)
}

/// Returns the path of a URL as RFC 3986 spells it.
pub fn is_http_path(value: &str) -> Vec<String> {
    let matches =
        all_bytes(value, |byte| byte.is_ascii_alphanumeric() || b"/-._~%!$&'()*+,;=:".contains(&byte));
    checked(value, usize::MAX, matches, &HTTP_PATH)
}

/// Checks the name of an environment variable as releases did that did not allow all printable characters.
pub fn is_env_var_name(value: &str) -> Vec<String> {
    let starts = |byte: u8| byte.is_ascii_alphabetic() || b"-._".contains(&byte);
    let matches = value.bytes().next().is_some_and(starts)
        && all_bytes(value, |byte| starts(byte) || byte.is_ascii_digit());
    let mut errors = checked(value, usize::MAX, matches, &ENV_VAR_NAME);
    errors.extend(change_of_directory(value));
    errors
}

/// Checks the name of an environment variable: printable ASCII without `=` (KEP-4369).
pub fn is_relaxed_env_var_name(value: &str) -> Vec<String> {
    if value.is_empty() {
        return vec!["environment variable name must be non-empty".to_owned()];
    }
    if all_bytes(value, |byte| (b' '..=b'~').contains(&byte) && byte != b'=') {
        return Vec::new();
    }
    let message =
        "a valid environment variable name must consist only of printable ASCII characters other than '='";
    vec![message.to_owned()]
}

/// Returns a key of a `ConfigMap` or Secret.
pub fn is_config_map_key(value: &str) -> Vec<String> {
    let mut errors = checked(value, DNS_SUBDOMAIN_MAX_LENGTH, matches_config_map_key(value), &CONFIG_MAP_KEY);
    errors.extend(change_of_directory(value));
    errors
}

/// Checks a name that can be a step of a URL's path: the name of a Role, for example.
///
/// Source: `content.IsPathSegmentName`.
pub fn is_path_segment_name(name: &str) -> Vec<String> {
    if name == "." || name == ".." {
        return vec![format!("may not be '{name}'")];
    }
    is_path_segment_prefix(name)
}

/// Checks the beginning of a name that can be a step of a URL's path.
pub fn is_path_segment_prefix(name: &str) -> Vec<String> {
    let forbidden = ["/", "%"].into_iter().filter(|illegal| name.contains(illegal));
    forbidden.map(|illegal| format!("may not contain '{illegal}'")).collect()
}

/// Returns a `generateName` as the name checks see it: something is appended to it, so it may end in a dash.
pub fn mask_trailing_dash(name: &str) -> Cow<'_, str> {
    let mut characters = name.chars();
    match (characters.next_back(), characters.next_back()) {
        // Any other character before the dash is refused anyway; only whole bytes are replaced.
        (Some('-'), Some(before)) if before.is_ascii() => Cow::Owned(format!("{}a", characters.as_str())),
        _ => Cow::Borrowed(name),
    }
}

fn checked(value: &str, max_length: usize, matches: bool, rule: &Rule) -> Vec<String> {
    let too_long = (value.len() > max_length).then(|| too_many_characters(max_length));
    let broken = (!matches).then(|| rule.broken());
    too_long.into_iter().chain(broken).collect()
}

/// Returns the `messages` about `value` with the newer words about its length.
fn counted_in_bytes(value: &str, max_length: usize, mut messages: Vec<String>) -> Vec<String> {
    if value.len() > max_length {
        messages[0] = too_many_bytes(max_length);
    }
    messages
}

/// Returns the error about length. The newer checks, in `content`, say "bytes"; the older ones say "characters" and
/// count bytes as well.
fn too_many_bytes(max: usize) -> String {
    format!("must be no more than {max} bytes")
}

fn too_many_characters(max: usize) -> String {
    format!("must be no more than {max} characters")
}

/// Returns a key becomes the name of a file in a volume.
fn change_of_directory(value: &str) -> Option<String> {
    match value {
        "." | ".." => Some(format!("must not be '{value}'")),
        _ if value.starts_with("..") => Some("must not start with '..'".to_owned()),
        _ => None,
    }
}

fn matches_label_key_name(name: &str) -> bool {
    let inside = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    edges_and_inside(name.as_bytes(), |byte| byte.is_ascii_alphanumeric(), inside)
}

fn matches_config_map_key(value: &str) -> bool {
    all_bytes(value, |byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte))
}

fn matches_subdomain(value: &str) -> bool {
    value.as_bytes().split(|byte| *byte == b'.').all(matches_dns_label)
}

fn matches_dns_label(value: &[u8]) -> bool {
    edges_and_inside(value, is_lower_alphanumeric, |byte| is_lower_alphanumeric(byte) || byte == b'-')
}

fn is_lower_alphanumeric(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit()
}

/// Whether `value` is not empty, begins and ends with an `edge` and has only `inside` between them.
fn edges_and_inside(value: &[u8], edge: impl Fn(u8) -> bool, inside: impl Fn(u8) -> bool) -> bool {
    match value {
        [] => false,
        [only] => edge(*only),
        [first, middle @ .., last] => edge(*first) && edge(*last) && middle.iter().all(|byte| inside(*byte)),
    }
}

/// Whether `value` is not empty and every byte is `allowed`.
fn all_bytes(value: &str, allowed: impl Fn(u8) -> bool) -> bool {
    !value.is_empty() && value.bytes().all(allowed)
}

#[cfg(test)]
mod tests;
