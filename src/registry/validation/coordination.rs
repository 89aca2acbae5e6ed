//! Leases and those who want them.
//!
//! Source: `k8s.io/kubernetes/pkg/apis/coordination/validation`.

use crate::api::features::FeatureGates;
use crate::api::names;
use crate::registry::validation::core::validate_meta;
use crate::registry::validation::metadata::{Scope, name_is_dns_subdomain, validate_immutable_field};
use crate::registry::validation::node::{Errors, Node};

pub(in crate::registry) const OLDEST: &str = "OldestEmulationVersion";

/// `ValidateLease`, and `ValidateLeaseUpdate` where there is an old one.
pub(in crate::registry) fn validate_lease(
    errors: &mut Errors,
    object: &Node,
    old: Option<&Node>,
    features: &FeatureGates,
) {
    validate_meta(errors, object, old, Scope::Namespaced, name_is_dns_subdomain);
    let spec = object.child("spec");
    if let Some(seconds) = spec.number("leaseDurationSeconds").filter(|seconds| *seconds <= 0) {
        errors.invalid_int(&spec.at("leaseDurationSeconds"), seconds, "must be greater than 0");
    }
    if spec.int("leaseTransitions") < 0 {
        let detail = "must be greater than or equal to 0";
        errors.invalid_int(&spec.at("leaseTransitions"), spec.int("leaseTransitions"), detail);
    }
    // Without the gate, these fields are dropped before.
    if !features.enabled("CoordinatedLeaderElection") {
        return;
    }
    if spec.has("strategy") {
        validate_strategy(errors, &spec);
    }
    if !spec.text("preferredHolder").is_empty() && spec.text("strategy").is_empty() {
        errors.forbidden(&spec.at("preferredHolder"), "may only be specified if `strategy` is defined");
    }
}

/// `ValidateLeaseCandidate`, and `ValidateLeaseCandidateUpdate` where there is an old one.
pub(in crate::registry) fn validate_lease_candidate(errors: &mut Errors, object: &Node, old: Option<&Node>) {
    validate_meta(errors, object, old, Scope::Namespaced, |name, _| names::is_config_map_key(name));
    let spec = object.child("spec");
    errors.require_text(&spec, "leaseName");
    let emulated = validate_version(errors, &spec, "emulationVersion");
    let binary = if spec.text("binaryVersion").is_empty() {
        errors.required(&spec.at("binaryVersion"), "");
        Version::default()
    } else {
        validate_version(errors, &spec, "binaryVersion")
    };
    let both = !spec.text("binaryVersion").is_empty() && !spec.text("emulationVersion").is_empty();
    if both && binary < emulated {
        let detail = "must be greater than or equal to `emulationVersion`";
        errors.invalid(&spec.at("binaryVersion"), spec.text("binaryVersion"), detail);
    }
    if errors.require_text(&spec, "strategy") {
        if spec.text("strategy") == OLDEST && emulated == Version::default() {
            let detail = "must be specified when `strategy` is 'OldestEmulationVersion'";
            errors.required(&spec.at("emulationVersion"), detail);
        }
        validate_strategy(errors, &spec);
    }
    if let Some(before) = old.map(|old| old.child("spec")) {
        validate_immutable_field(errors, &spec, &before, "leaseName");
    }
}

/// Major, minor and patch; what stands before a release sorts before it.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::registry) struct Version([u64; 3], bool);

impl Default for Version {
    fn default() -> Self {
        Self([0; 3], true)
    }
}

pub(in crate::registry) fn validate_version(
    errors: &mut Errors,
    spec: &Node,
    field: &'static str,
) -> Version {
    let text = spec.text(field);
    if text.is_empty() {
        return Version::default();
    }
    parse_version(text).unwrap_or_else(|| {
        errors.invalid(&spec.at(field), text, "must be a valid semantic version");
        Version::default()
    })
}

/// A semantic version; of pre-releases only that they are some is kept.
pub(in crate::registry) fn parse_version(text: &str) -> Option<Version> {
    let (text, build) = text.split_once('+').map_or((text, None), |(text, build)| (text, Some(build)));
    let (text, before) = text.split_once('-').map_or((text, None), |(text, before)| (text, Some(before)));
    let identifiers = |text: Option<&str>| {
        text.is_none_or(|text| {
            text.split('.').all(|part| {
                !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            })
        })
    };
    let mut numbers = [0; 3];
    let mut parts = text.splitn(3, '.');
    for number in &mut numbers {
        let part = parts.next()?;
        let digits = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if !digits || part.len() > 1 && part.starts_with('0') {
            return None;
        }
        *number = part.parse().ok()?;
    }
    (identifiers(build) && identifiers(before)).then_some(Version(numbers, before.is_none()))
}

/// `ValidateCoordinatedLeaseStrategy`; upstream says `strategy` twice.
pub(in crate::registry) fn validate_strategy(errors: &mut Errors, spec: &Node) {
    let strategy = spec.text("strategy");
    let path = || spec.at("strategy").child("strategy");
    if strategy.contains('/') {
        errors.each(path, strategy, names::is_qualified_name(strategy));
    } else if strategy != OLDEST {
        errors.not_supported(&path(), strategy, &[OLDEST]);
    }
}
