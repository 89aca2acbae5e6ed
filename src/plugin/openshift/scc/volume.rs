//! Types of volumes as constraints name them.
//!
//! Source: `util/util.go`.

use crate::plugin::security_context::{projects_only_the_token, source_of};
use kube_api::Value;
use kube_registry::pod::VOLUME_SOURCES;

/// Returns every type, ordered by name.
pub(crate) fn all_types() -> [&'static str; VOLUME_SOURCES.len()] {
    let mut types = VOLUME_SOURCES.map(name);
    types.sort_unstable();
    types
}

/// Returns the type of `volume`; nothing for one that has no known source.
pub(super) fn type_of(volume: &Value) -> Option<&'static str> {
    source_of(volume).map(name)
}

/// Returns the type that a source implies.
fn name(source: &'static str) -> &'static str {
    match source {
        "cephfs" => "cephFS",
        "storageos" => "storageOS",
        "vsphereVolume" => "vsphere",
        _ => source,
    }
}

/// Whether `volume` is of an allowed type, or a projection of only the service account's token while secrets are
/// allowed.
pub(super) fn is_allowed(volume: &Value, name: &str, allowed: &[&str]) -> bool {
    allowed.contains(&name)
        || name == "projected"
            && allowed.contains(&"secret")
            && projects_only_the_token(volume, is_certificate)
}

fn is_certificate(map: &Value) -> bool {
    let key = match map.text("name") {
        "kube-root-ca.crt" => "ca.crt",
        "openshift-service-ca.crt" => "service-ca.crt",
        _ => return false,
    };
    matches!(map.list("items"), [item] if item.text("key") == key && item.text("path") == key)
}
