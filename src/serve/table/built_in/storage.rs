//! What volumes, claims, classes and the like show.

use crate::serve::table::built_in::{NONE, UNSET, or};
use kube_api::{Map, Object, Value};

/// The annotations that make a class the default one.
const DEFAULT: [&str; 3] = [
    "ingressclass.kubernetes.io/is-default-class",
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
];

/// The annotation that named the class before there was a field.
const CLASS: &str = "volume.beta.kubernetes.io/storage-class";

/// Returns the number of keys of a ConfigMap or Secret.
pub(super) fn keys(map: &Object) -> Value {
    let plain = map.child("data").map_or(0, Map::len);
    let binary = if &*map.kind.kind == "ConfigMap" { map.child("binaryData").map_or(0, Map::len) } else { 0 };
    // The column has text, and its cells numbers, as on the server.
    (plain + binary).into()
}

/// Returns the name of a class, and whether it is the default.
pub(super) fn class_name(class: &Object) -> Value {
    let is_default = DEFAULT.iter().any(|key| class.annotation(key) == Some("true"));
    if is_default { format!("{} (default)", class.name()).into() } else { class.name().into() }
}

pub(super) fn class(volume: &Object) -> Value {
    volume.annotation(CLASS).unwrap_or_else(|| volume.text(["spec", "storageClassName"])).into()
}

pub(super) fn phase(volume: &Object) -> Value {
    let is_ending = volume.has(["metadata", "deletionTimestamp"]);
    if is_ending { "Terminating" } else { volume.text(["status", "phase"]) }.into()
}

/// Returns the claim of a volume.
pub(super) fn claim(volume: &Object) -> Value {
    let text = |field| volume.text(["spec", "claimRef", field]);
    if volume.has(["spec", "claimRef"]) {
        format!("{}/{}", text("namespace"), text("name")).into()
    } else {
        "".into()
    }
}

pub(super) fn capacity(claim: &Object) -> Value {
    let is_bound = !claim.text(["spec", "volumeName"]).is_empty();
    let capacity = claim.text(["status", "capacity", "storage"]);
    if is_bound { or(capacity, "0") } else { "".into() }
}

/// Returns the access modes of a claim that has a volume.
pub(super) fn bound_modes(claim: &Object) -> Value {
    let is_bound = !claim.text(["spec", "volumeName"]).is_empty();
    if is_bound { access_modes(claim, "status") } else { "".into() }
}

pub(super) fn access_modes(volume: &Object, part: &str) -> Value {
    const SHORT: [(&str, &str); 4] = [
        ("ReadWriteOnce", "RWO"),
        ("ReadOnlyMany", "ROX"),
        ("ReadWriteMany", "RWX"),
        ("ReadWriteOncePod", "RWOP"),
    ];
    let has = |mode: &str| volume.list([part, "accessModes"]).iter().any(|own| own.as_str() == Some(mode));
    let modes = SHORT.iter().filter(|(mode, _)| has(mode)).map(|(_, short)| *short);
    modes.collect::<Vec<_>>().join(",").into()
}

/// Returns for whom a driver wants tokens.
pub(super) fn audiences(driver: &Object) -> Value {
    if !driver.has(["spec", "tokenRequests"]) {
        return UNSET.into();
    }
    let audiences = driver.items(["spec", "tokenRequests"]).map(|request| request.text("audience"));
    audiences.collect::<Vec<_>>().join(",").into()
}

/// Returns the modes of volumes of a driver.
pub(super) fn modes(driver: &Object) -> Value {
    let modes = driver.list(["spec", "volumeLifecycleModes"]).iter().filter_map(Value::as_str);
    or(&modes.collect::<Vec<_>>().join(","), NONE)
}

/// Source: `resourceClaimState`
pub(super) fn claim_state(claim: &Object) -> Value {
    let is_ending = claim.has(["metadata", "deletionTimestamp"]);
    let is_reserved = !claim.list(["status", "reservedFor"]).is_empty();
    match (is_ending, claim.has(["status", "allocation"])) {
        (false, false) => "pending",
        (true, false) => "deleted",
        (false, true) if is_reserved => "allocated,reserved",
        (false, true) => "allocated",
        (true, true) if is_reserved => "deleted,allocated,reserved",
        (true, true) => "deleted,allocated",
    }
    .into()
}
