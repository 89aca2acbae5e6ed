//! The oldest kubelet that nodes may have: `spec.minimumKubeletVersion` of the Node of `config.openshift.io`.
//!
//! Source: `github.com/openshift/library-go/pkg/apiserver/node`.

use crate::validation::node::{Errors, Node};
use gotext::semver::Version;

/// Checks the field of `spec` against the kubelets of the cluster.
pub(super) fn validate(errors: &mut Errors, spec: &Node, kubelets: &[String]) {
    const FIELD: &str = "minimumKubeletVersion";
    let minimum = spec.text(FIELD);
    if minimum.is_empty() {
        return;
    }
    let wanted = match Version::parse(minimum) {
        Ok(wanted) => wanted.numbers,
        Err(error) => {
            let detail = format!("failed to parse submitted version {minimum} {error}");
            return errors.invalid(&spec.at(FIELD), minimum, detail);
        }
    };
    for kubelet in kubelets {
        match Version::parse(kubelet.strip_prefix('v').unwrap_or(kubelet)) {
            Err(error) => {
                let detail = format!("failed to parse node version {kubelet}: {error}");
                return errors.invalid(&spec.at(FIELD), minimum, detail);
            }
            Ok(found) if wanted > found.numbers => {
                let [major, minor, patch] = found.numbers;
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
        let of = |text: &str| Version::parse(text).unwrap_err();
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
