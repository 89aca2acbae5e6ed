//! The key by which an object is stored, which errors of the storage contain.
//!
//! Source: `DefaultStorageFactory.ResourcePrefix`, `SpecialDefaultResourcePrefixes`,
//! `SimpleRestOptionsFactory.GetRESTOptions`, `DryRunnableStorage.GuaranteedUpdate`.

use crate::evaluation::server::Call;

/// The names in keys that are not those of the resources.
const NAMES: [(&str, &str); 5] = [
    ("replicationcontrollers", "controllers"),
    ("endpoints", "services/endpoints"),
    ("nodes", "minions"),
    ("services", "services/specs"),
    ("ingresses", "ingress"),
];

/// The groups of built-in kinds that servers of their own store, with the group in the key.
const OF_OTHER_SERVERS: [&str; 2] = ["apiextensions.k8s.io", "apiregistration.k8s.io"];

/// Returns the key of the object of `call` below `prefix`, which a dry run does not come as far as to get. A `name` is
/// that of the resource in keys.
pub(super) fn of(call: &Call, (prefix, name): (&str, Option<String>)) -> String {
    let prefix = if call.dry_run { "" } else { prefix };
    let resource = call.target.group_resource();
    let is_custom = call.target.strategy.definition().is_some();
    let place = if let Some(name) = name {
        name
    } else if is_custom || OF_OTHER_SERVERS.contains(&&*resource.group) {
        format!("{}/{}", resource.group, resource.resource)
    } else {
        let name = NAMES.iter().find(|(of, _)| *of == resource.resource);
        name.map_or(&*resource.resource, |(_, name)| name).to_lowercase()
    };
    match call.namespace.as_str() {
        "" => format!("{prefix}/{place}/{}", call.name),
        namespace => format!("{prefix}/{place}/{namespace}/{}", call.name),
    }
}
