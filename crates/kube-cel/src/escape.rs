//! Names of fields in expressions: names that are not identifiers are escaped.
//!
//! Source: `k8s.io/apiserver/pkg/cel/escaping.go`.

use super::build::is_reserved;

/// Returns the spelling of a field's name in expressions, if there is one.
///
/// Source: `k8s.io/apiserver/pkg/cel/escaping.go`.
pub fn escape(name: &str) -> Option<String> {
    if is_reserved(name) {
        return Some(format!("__{name}__"));
    }
    if name.is_empty() || name.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    let is_part = |character: char| character.is_ascii_alphanumeric() || "_-./".contains(character);
    let escaped = || {
        let name = name.replace("__", "__underscores__");
        name.replace('.', "__dot__").replace('-', "__dash__").replace('/', "__slash__")
    };
    name.chars().all(is_part).then(escaped)
}

/// Returns the field that an escaped name denotes; `None` if it denotes none.
pub(super) fn unescape(name: &str) -> Option<String> {
    let mut field = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(start) = rest.find("__") {
        let (before, escaped) = rest.split_at(start);
        let Some(length) = escaped[2..].find("__") else { break };
        field += before;
        field += match &escaped[2..2 + length] {
            "underscores" => "__",
            "dot" => ".",
            "dash" => "-",
            "slash" => "/",
            word if escape(word).is_some_and(|found| found == escaped[..length + 4]) => word,
            _ => return None,
        };
        rest = &escaped[length + 4..];
    }
    Some(field + rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unescapes_what_is_escaped() {
        for name in ["a.b/c-d", "a__b", "in", "plain", "a_b"] {
            let escaped = escape(name).expect("a name");
            assert_eq!(unescape(&escaped).as_deref(), Some(name));
        }
        assert_eq!(unescape("__nope__"), None);
        assert_eq!(unescape("__a").as_deref(), Some("__a"));
    }
}
