//! The strategies of kinds and versions that are gone, which older releases served.

use crate::api::version::Version;
use crate::api::{GroupVersionKind, Object, Value, schema};
use crate::registry::strategy::Strategy;
use crate::registry::{admissionregistration, apps, core, policy, settings};

static EXTENSIONS_DEPLOYMENT: Strategy =
    Strategy { group: "extensions", versions: &["v1beta1"], ..apps::deployment::STRATEGY };

/// One row per kind and the versions of it that have the same strategy.
static STRATEGIES: [&Strategy; 5] = [
    &core::pod::ephemeral_containers::STRATEGY,
    &admissionregistration::initializer_configuration::STRATEGY,
    &policy::pod_security_policy::STRATEGY,
    &settings::pod_preset::STRATEGY,
    &EXTENSIONS_DEPLOYMENT,
];

/// The strategy of `kind`, if some release had it.
pub(super) fn of(kind: &GroupVersionKind) -> Option<&'static Strategy> {
    STRATEGIES.into_iter().find(|strategy| {
        strategy.group == kind.group
            && strategy.kind == kind.kind
            && strategy.versions.contains(&&*kind.version)
    })
}

/// The first release whose strategies warn.
const WARNS: Version = Version::minor(21);

/// Those of `warnings` that `release` has: none before there were any, and none of what came later, as far as their
/// texts say since when it is so.
pub(super) fn warnings(mut warnings: Vec<String>, release: Version) -> Vec<String> {
    if release == Version::BINARY || warnings.is_empty() {
        return warnings;
    }
    let is_later = |warning: &String| {
        let mut named = warning.split("v1.").skip(1).filter_map(|rest| {
            let digits = rest.find(|next: char| !next.is_ascii_digit()).unwrap_or(rest.len());
            rest[..digits].parse().ok().map(Version::minor)
        });
        named.next().is_some_and(|since| since > release)
    };
    warnings.retain(|warning| release >= WARNS && !is_later(warning));
    warnings
}

/// Drops fields of the status that the server of a later release begins.
pub(super) fn forget_later_status(object: &mut Object, release: Version) {
    if release == Version::BINARY {
        return;
    }
    let table = schema::of_release(release).of(&object.kind).and_then(|table| table.field("status"));
    if let (Some(table), Some(Value::Object(status))) = (table, object.at_mut(&["status"])) {
        let known = table.reference.get();
        status.retain(|name, _| known.field(name).is_some());
    }
}
