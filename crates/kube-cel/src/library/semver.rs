//! Semantic versions, read as `github.com/blang/semver` reads them.
//!
//! Source: `k8s.io/apiserver/pkg/cel/library/semverlib.go`.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use super::Function;
use crate::failure::Fault;
use crate::value::Outcome;
use crate::value::{Opaque, Value};
use gotext::quote;

/// A version.
#[derive(Debug, Clone)]
pub struct Version {
    numbers: [u64; 3],
    prerelease: Vec<Identifier>,
    build: Vec<String>,
}

/// A part of the prerelease; numbers sort before text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Identifier {
    Number(u64),
    Text(String),
}

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

fn is_identifier(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// Implements `strconv.ParseUint` of digits.
fn parse_number(text: &str) -> Result<u64, String> {
    let reason = if text.is_empty() { "invalid syntax" } else { "value out of range" };
    text.parse().map_err(|_| format!("strconv.ParseUint: parsing {}: {reason}", quote(text)))
}

impl Version {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Err("Version string empty".to_owned());
        }
        let parts: Vec<&str> = text.splitn(3, '.').collect();
        let [major, minor, patch] = parts[..] else {
            return Err("No Major.Minor.Patch elements found".to_owned());
        };
        let major = version_number(major, "major", "Major")?;
        let minor = version_number(minor, "minor", "Minor")?;
        let (patch, build) = match patch.split_once('+') {
            Some((patch, build)) => (patch, Some(build)),
            None => (patch, None),
        };
        let (patch, prerelease) = match patch.split_once('-') {
            Some((patch, prerelease)) => (patch, Some(prerelease)),
            None => (patch, None),
        };
        let patch = version_number(patch, "patch", "Patch")?;
        let prerelease = prerelease.into_iter().flat_map(|text| text.split('.')).map(identifier);
        let prerelease = prerelease.collect::<Result<_, _>>()?;
        let build = build.into_iter().flat_map(|text| text.split('.')).map(|text| {
            if text.is_empty() {
                Err("Build meta data is empty".to_owned())
            } else if is_identifier(text) {
                Ok(text.to_owned())
            } else {
                Err(format!("Invalid character(s) found in build meta data {}", quote(text)))
            }
        });
        Ok(Self { numbers: [major, minor, patch], prerelease, build: build.collect::<Result<_, _>>()? })
    }

    /// Compares two versions. Build metadata does not count; a version sorts after its prereleases.
    pub(crate) fn compare(&self, other: &Self) -> Ordering {
        let by_release = self.prerelease.is_empty().cmp(&other.prerelease.is_empty());
        self.numbers.cmp(&other.numbers).then(by_release).then_with(|| self.prerelease.cmp(&other.prerelease))
    }
}

fn version_number(text: &str, name: &str, capital: &str) -> Result<u64, String> {
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(format!("Invalid character(s) found in {name} number {}", quote(text)));
    }
    if text.len() > 1 && text.starts_with('0') {
        return Err(format!("{capital} number must not contain leading zeroes {}", quote(text)));
    }
    parse_number(text)
}

fn identifier(text: &str) -> Result<Identifier, String> {
    if text.is_empty() {
        return Err("Prerelease is empty".to_owned());
    }
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        if text.len() > 1 && text.starts_with('0') {
            let quoted = quote(text);
            return Err(format!("Numeric PreRelease version must not contain leading zeroes {quoted}"));
        }
        return parse_number(text).map(Identifier::Number);
    }
    if !is_identifier(text) {
        return Err(format!("Invalid character(s) found in prerelease {}", quote(text)));
    }
    Ok(Identifier::Text(text.to_owned()))
}

impl fmt::Display for Version {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, patch] = self.numbers;
        write!(formatter, "{major}.{minor}.{patch}")?;
        for (index, identifier) in self.prerelease.iter().enumerate() {
            formatter.write_str(if index == 0 { "-" } else { "." })?;
            match identifier {
                Identifier::Number(number) => write!(formatter, "{number}")?,
                Identifier::Text(text) => formatter.write_str(text)?,
            }
        }
        for (index, text) in self.build.iter().enumerate() {
            write!(formatter, "{}{text}", if index == 0 { "+" } else { "." })?;
        }
        Ok(())
    }
}
