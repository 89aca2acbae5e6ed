//! Functions of semantic versions.
//!
//! Source: `k8s.io/apiserver/pkg/cel/library/semverlib.go`.

use std::cmp::Ordering;
use std::sync::Arc;

use super::Function;
use crate::failure::Fault;
use crate::value::Outcome;
use crate::value::{Opaque, Value};
use gotext::semver::Version;

pub(super) fn overload(identity: &str) -> Option<Function> {
    Some(match identity {
        "string_to_semver" | "string_bool_to_semver" => |_, arguments| {
            let version = parse(arguments)?.map_err(Fault::new)?;
            Ok(Value::Opaque(Opaque::Semver(Arc::new(version))))
        },
        "is_semver_string" | "is_semver_string_bool" => {
            |_, arguments| Ok(Value::Bool(parse(arguments)?.is_ok()))
        }
        "semver_major" => |_, arguments| number(arguments, 0),
        "semver_minor" => |_, arguments| number(arguments, 1),
        "semver_patch" => |_, arguments| number(arguments, 2),
        "semver_is_greater_than" => |_, arguments| Ok(Value::Bool(order(arguments)?.is_gt())),
        "semver_is_less_than" => |_, arguments| Ok(Value::Bool(order(arguments)?.is_lt())),
        "semver_compare_to" => |_, arguments| Ok(Value::Int(order(arguments)? as i64)),
        _ => return None,
    })
}

fn parse(arguments: &[Value]) -> Result<Result<Version, String>, Fault> {
    match arguments {
        [Value::String(text)] | [Value::String(text), Value::Bool(false)] => Ok(Version::parse(text)),
        [Value::String(text), Value::Bool(true)] => {
            Ok(normalize(text).and_then(|text| Version::parse(&text)))
        }
        _ => Err(Fault::no_such_overload()),
    }
}

fn one<'v>(value: Option<&'v Value>) -> Result<&'v Version, Fault> {
    match value {
        Some(Value::Opaque(Opaque::Semver(version))) => Ok(version),
        _ => Err(Fault::no_such_overload()),
    }
}

fn number<'a>(arguments: &[Value<'a>], index: usize) -> Outcome<'a> {
    // Go converts without a check.
    Ok(Value::Int(one(arguments.first())?.numbers[index].cast_signed()))
}

fn order(arguments: &[Value]) -> Result<Ordering, Fault> {
    Ok(one(arguments.first())?.compare(one(arguments.get(1))?))
}

/// Returns the text without a leading `v` and leading zeros, and with three numbers.
fn normalize(text: &str) -> Result<String, String> {
    let text = text.strip_prefix('v').unwrap_or(text);
    let mut parts: Vec<String> = text.splitn(3, '.').map(without_zeros).collect();
    if parts.len() < 3 && parts.last().is_some_and(|last| last.contains(['+', '-'])) {
        return Err("short version cannot contain PreRelease/Build meta data".to_owned());
    }
    parts.resize(3, "0".to_owned());
    Ok(parts.join("."))
}

fn without_zeros(part: &str) -> String {
    if part.len() < 2 {
        return part.to_owned();
    }
    let trimmed = part.trim_start_matches('0');
    if trimmed.starts_with(|first: char| first.is_ascii_digit()) {
        trimmed.to_owned()
    } else {
        format!("0{trimmed}")
    }
}
