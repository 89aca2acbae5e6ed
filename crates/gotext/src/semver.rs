//! Semantic versions as `github.com/blang/semver` reads them.

use std::cmp::Ordering;
use std::fmt;

use crate::quote;

/// A version.
#[derive(Debug, Clone)]
pub struct Version {
    /// The major, the minor and the patch number.
    pub numbers: [u64; 3],
    prerelease: Vec<Identifier>,
    build: Vec<String>,
}

/// A part of the prerelease; numbers sort before text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Identifier {
    Number(u64),
    Text(String),
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
    /// Reads a version.
    ///
    /// # Errors
    ///
    /// Returns the package's error.
    pub fn parse(text: &str) -> Result<Self, String> {
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
    pub fn compare(&self, other: &Self) -> Ordering {
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
