//! Addresses of directories (RFC 4516).
//!
//! Source: `github.com/openshift/library-go/pkg/security/ldaputil`.

use crate::go::quote;
use crate::registry::validation::url;

/// Returns the scheme of an address, or the error in it. Only the parentheses of a filter are checked.
pub(super) fn scheme_of(text: &str) -> Result<String, String> {
    let parsed = url::parse(text)?;
    if !["ldap", "ldaps"].contains(&parsed.scheme.as_str()) {
        return Err(format!("invalid scheme {}", quote(&parsed.scheme)));
    }
    let parts: Vec<&str> = parsed.query.split('?').collect();
    if parts.len() > 4 {
        return Err(format!("too many query options {}", quote(parsed.query)));
    }
    let part = |index: usize| parts.get(index).copied().unwrap_or_default();
    if !["", "sub", "one", "base"].contains(&part(1)) {
        return Err(format!("invalid scope {}", quote(part(1))));
    }
    check_filter(part(2))?;
    if let Some(extension) = part(3).split(',').find(|extension| extension.starts_with('!')) {
        return Err(format!("unsupported critical extension {extension}"));
    }
    Ok(parsed.scheme)
}

fn check_filter(filter: &str) -> Result<(), String> {
    let failed = |why: &str| {
        Err(format!("invalid filter: LDAP Result Code 201 \"Filter Compile Error\": ldap: {why}"))
    };
    if filter.is_empty() {
        return Ok(());
    }
    if !filter.starts_with('(') {
        return failed("filter does not start with an '('");
    }
    let depth = filter.chars().try_fold(0_i32, |depth, character| match character {
        '(' => Some(depth + 1),
        ')' if depth == 0 => None,
        ')' => Some(depth - 1),
        _ => Some(depth),
    });
    match depth {
        Some(0) => Ok(()),
        Some(_) => failed("unexpected end of filter"),
        None => failed("finished compiling filter with extra at end"),
    }
}
