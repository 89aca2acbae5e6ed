//! The strategies of kinds and versions that are gone, which older releases served.

use crate::api::GroupVersionKind;
use crate::registry::strategy::Strategy;
use crate::registry::{admissionregistration, apps, policy, settings};

static EXTENSIONS_DEPLOYMENT: Strategy =
    Strategy { group: "extensions", versions: &["v1beta1"], ..apps::deployment::STRATEGY };

/// One row per kind and the versions of it that have the same strategy.
static STRATEGIES: [&Strategy; 4] = [
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
