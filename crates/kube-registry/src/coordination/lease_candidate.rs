//! Candidates for a lease.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/coordination`.

use crate::strategy::{Scope, Strategy};
use crate::validation::coordination::{OLDEST, validate_strategy};
use crate::validation::core::validate_plain_meta;
use crate::validation::metadata::validate_immutable_text;
use crate::validation::node::{Errors, Node};
use gotext::names;

/// The strategy of `LeaseCandidate`.
pub(crate) static STRATEGY: Strategy = Strategy {
    versions: &["v1beta1", "v1alpha2"],
    allow_create_on_update: true,
    allow_unconditional_update: false,
    validate: Some(|errors, object, old, _| validate_lease_candidate(errors, object, old)),
    ..Strategy::new("coordination.k8s.io", "LeaseCandidate")
};

/// Runs `ValidateLeaseCandidate`, and `ValidateLeaseCandidateUpdate` if there is an old object.
fn validate_lease_candidate(errors: &mut Errors, object: &Node, old: Option<&Node>) {
    validate_plain_meta(errors, object, old, Scope::Namespaced, |name, _| names::is_config_map_key(name));
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
        validate_immutable_text(errors, &spec, &before, "leaseName");
    }
}

/// Major, minor and patch; a pre-release sorts before its release.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Version([u64; 3], bool);

impl Default for Version {
    fn default() -> Self {
        Self([0; 3], true)
    }
}

fn validate_version(errors: &mut Errors, spec: &Node, field: &'static str) -> Version {
    let text = spec.text(field);
    if text.is_empty() {
        return Version::default();
    }
    parse_version(text).unwrap_or_else(|| {
        errors.invalid(&spec.at(field), text, "must be a valid semantic version");
        Version::default()
    })
}

/// Parses a semantic version; of a pre-release it keeps only that it is one.
fn parse_version(text: &str) -> Option<Version> {
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
