//! The oldest kubelet that nodes may have: `spec.minimumKubeletVersion` of the Node of `config.openshift.io`.
//!
//! Source: `github.com/openshift/library-go/pkg/apiserver/node`, `github.com/blang/semver`.

use crate::validation::node::{Errors, Node};
use gotext::quote;

/// Major, minor and patch number.
type Numbers = [u64; 3];

/// Checks the field of `spec` against the kubelets of the cluster.
pub(super) fn validate(errors: &mut Errors, spec: &Node, kubelets: &[String]) {
    const FIELD: &str = "minimumKubeletVersion";
    let minimum = spec.text(FIELD);
    if minimum.is_empty() {
        return;
    }
    let wanted = match parse(minimum) {
        Ok(wanted) => wanted,
        Err(error) => {
            let detail = format!("failed to parse submitted version {minimum} {error}");
            return errors.invalid(&spec.at(FIELD), minimum, detail);
        }
    };
    for kubelet in kubelets {
        match parse(kubelet.strip_prefix('v').unwrap_or(kubelet)) {
            Err(error) => {
                let detail = format!("failed to parse node version {kubelet}: {error}");
                return errors.invalid(&spec.at(FIELD), minimum, detail);
            }
            Ok(found) if wanted > found => {
                let [major, minor, patch] = found;
                let detail = format!(
                    "kubelet version is outdated: kubelet version is {major}.{minor}.{patch}, which is lower than \
                     minimumKubeletVersion of {minimum}"
                );
                return errors.forbidden(&spec.at(FIELD), detail);
            }
            Ok(_) => {}
        }
    }
}

/// Reads a semantic version; what follows the numbers is only checked, as it does not matter for the order here.
fn parse(text: &str) -> Result<Numbers, String> {
    if text.is_empty() {
        return Err("Version string empty".to_owned());
    }
    let parts: Vec<&str> = text.splitn(3, '.').collect();
    let [major, minor, rest] = parts[..] else {
        return Err("No Major.Minor.Patch elements found".to_owned());
    };
    let (major, minor) = (number(major, "Major")?, number(minor, "Minor")?);
    let (rest, build) = rest.split_once('+').map_or((rest, None), |(rest, build)| (rest, Some(build)));
    let (patch, pre) = rest.split_once('-').map_or((rest, None), |(patch, pre)| (patch, Some(pre)));
    let patch = number(patch, "Patch")?;
    for part in pre.into_iter().flat_map(|pre| pre.split('.')) {
        if part.is_empty() {
            return Err("Prerelease is empty".to_owned());
        }
        if is_number(part) {
            if has_leading_zeroes(part) {
                return Err(format!(
                    "Numeric PreRelease version must not contain leading zeroes {}",
                    quote(part)
                ));
            }
        } else if !is_word(part) {
            return Err(format!("Invalid character(s) found in prerelease {}", quote(part)));
        }
    }
    for part in build.into_iter().flat_map(|build| build.split('.')) {
        if part.is_empty() {
            return Err("Build meta data is empty".to_owned());
        }
        if !is_word(part) {
            return Err(format!("Invalid character(s) found in build meta data {}", quote(part)));
        }
    }
    Ok([major, minor, patch])
}

fn number(text: &str, what: &str) -> Result<u64, String> {
    if !is_number(text) {
        let what = what.to_lowercase();
        return Err(format!("Invalid character(s) found in {what} number {}", quote(text)));
    }
    if has_leading_zeroes(text) {
        return Err(format!("{what} number must not contain leading zeroes {}", quote(text)));
    }
    let problem = if text.is_empty() { "invalid syntax" } else { "value out of range" };
    text.parse().map_err(|_| format!("strconv.ParseUint: parsing {}: {problem}", quote(text)))
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

fn has_leading_zeroes(text: &str) -> bool {
    text.len() > 1 && text.starts_with('0')
}

fn is_word(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::json;

    fn errors(minimum: &str, kubelets: &[&str]) -> Vec<String> {
        let node = json!({"spec": {"minimumKubeletVersion": minimum}});
        let kubelets: Vec<String> = kubelets.iter().map(ToString::to_string).collect();
        let mut errors = Errors::default();
        validate(&mut errors, &Node::root(&node).child("spec"), &kubelets);
        errors.0.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn admits_kubelets_that_are_new_enough() {
        assert_eq!(errors("", &["old"]), [""; 0]);
        assert_eq!(errors("1.30.0", &["v1.30.0", "v1.31.2+abc"]), [""; 0]);
        assert_eq!(errors("1.30.0-rc.1", &["v1.30.0"]), [""; 0]);
    }

    #[test]
    fn rejects_versions_that_a_node_does_not_have() {
        assert_eq!(
            errors("1.30.1", &["v1.31.0", "v1.30.0-rc.1+abc"]),
            [
                "spec.minimumKubeletVersion: Forbidden: kubelet version is outdated: kubelet version is 1.30.0, which is lower \
                 than minimumKubeletVersion of 1.30.1"
            ]
        );
        assert_eq!(
            errors("1.30.0", &["next"]),
            ["spec.minimumKubeletVersion: Invalid value: \"1.30.0\": failed to parse node version next: No \
                 Major.Minor.Patch elements found"]
        );
    }

    #[test]
    fn rejects_what_is_no_version() {
        let of = |text: &str| parse(text).unwrap_err();
        assert_eq!(of("1.30"), "No Major.Minor.Patch elements found");
        assert_eq!(of("v1.30.0"), "Invalid character(s) found in major number \"v1\"");
        assert_eq!(of("1.030.0"), "Minor number must not contain leading zeroes \"030\"");
        assert_eq!(of("1.30."), "strconv.ParseUint: parsing \"\": invalid syntax");
        assert_eq!(of("1.30.0-"), "Prerelease is empty");
        assert_eq!(of("1.30.0+a_b"), "Invalid character(s) found in build meta data \"a_b\"");
        assert_eq!(
            errors("1.30", &[]),
            [
                "spec.minimumKubeletVersion: Invalid value: \"1.30\": failed to parse submitted version 1.30 No \
                 Major.Minor.Patch elements found"
            ]
        );
    }
}
