//! The version and kind that a body names.

use super::fault;
use crate::GroupVersionKind;
use gotext::source::{Data, Node};

/// Returns `apiVersion` and `kind` as Go's own JSON package finds them: the case of the keys does not matter, the last
/// one counts.
pub fn interpret(node: &Node) -> Result<(String, String), String> {
    const TARGET: &str = "struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; \
                          Kind string \"json:\\\"kind,omitempty\\\"\" }";
    let parse_error = |text: String| format!("couldn't get version/kind; json parse error: json: {text}");
    let (mut api_version, mut kind) = (String::new(), String::new());
    let entries = match &node.data {
        Data::Object(entries) => entries,
        Data::Null => return Ok((api_version, kind)),
        other => {
            let found = fault::go_kind(other);
            return Err(parse_error(format!("cannot unmarshal {found} into Go value of type {TARGET}")));
        }
    };
    for entry in entries {
        let (target, name) = if entry.key.eq_ignore_ascii_case("apiVersion") {
            (&mut api_version, "apiVersion")
        } else if entry.key.eq_ignore_ascii_case("kind") {
            (&mut kind, "kind")
        } else {
            continue;
        };
        match &entry.value.data {
            Data::String(text) => *target = text.to_string(),
            Data::Null => {}
            other => {
                let found = fault::go_kind(other);
                return Err(parse_error(format!(
                    "cannot unmarshal {found} into Go struct field .{name} of type string"
                )));
            }
        }
    }
    Ok((api_version, kind))
}

/// Returns the kind as written, completed from the one of the URL.
pub fn qualify(
    api_version: &str,
    kind: String,
    expected: &GroupVersionKind,
) -> Result<GroupVersionKind, String> {
    let (group, version) = group_version(api_version)?;
    let kind = if kind.is_empty() { expected.kind.clone() } else { kind.into() };
    if version.is_empty() && (group.is_empty() || group == expected.group) {
        return Ok(GroupVersionKind { kind, ..expected.clone() });
    }
    Ok(GroupVersionKind { group: group.to_owned().into(), version: version.to_owned().into(), kind })
}

/// Splits an `apiVersion` into group and version. A lone slash is the empty group version.
///
/// Source: `schema.ParseGroupVersion`.
pub fn group_version(api_version: &str) -> Result<(&str, &str), String> {
    match api_version.split_once('/') {
        None => Ok(("", api_version)),
        Some((_, version)) if version.contains('/') => {
            Err(format!("unexpected GroupVersion string: {api_version}"))
        }
        Some(parts) => Ok(parts),
    }
}
