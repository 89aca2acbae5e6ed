//! Fields behind feature gates: one that the gates do not allow is dropped, unless the object has used it before.
//!
//! Gates that the release has locked are not checked.
//!
//! Source: the `dropDisabled…` functions of `k8s.io/kubernetes/pkg/api` and `pkg/registry`.

use kube_api::features::Feature;
use kube_api::server_profile::ServerProfile;
use kube_api::tree::{child_mut, items_mut, set};
use kube_api::{Map, Value};

/// The guarded fields of a part of an object.
pub(super) enum Gated {
    /// The specification of a Pod at the named fields.
    PodSpec(&'static [&'static str]),
    /// Fields of the map at the named fields.
    Below(&'static [&'static str], &'static [Fields]),
}

/// Fields that belong together: all of them are dropped if one of the gates is off and none of them is in use.
pub(super) struct Fields {
    gates: &'static [Feature],
    /// The minor of the first release that drops them.
    since: u32,
    /// Steps by `/`; `*` is each item of a list or map; a map marked by `!` is removed with its last field.
    paths: &'static [&'static str],
}

/// Returns fields that are dropped unless all `gates` are on.
pub(super) const fn fields(gates: &'static [Feature], fields: &'static [&'static str]) -> Fields {
    Fields { gates, since: 0, paths: fields }
}

/// Returns fields that are dropped unless all `gates` are on, by the release 1.`since` and later ones.
pub(super) const fn fields_since(
    since: u32,
    gates: &'static [Feature],
    fields: &'static [&'static str],
) -> Fields {
    Fields { gates, since, paths: fields }
}

impl Gated {
    /// Drops what the gates do not allow and `old` does not have.
    pub(super) fn drop_disabled(&self, object: &mut Map, old: Option<&Map>, profile: &ServerProfile) {
        match self {
            Self::PodSpec(path) => pod_spec(object, old, path, profile),
            Self::Below(path, table) => drop_below(object, old, path, table, profile),
        }
    }
}

const POD_SPEC: &[Fields] = &[
    fields(&[Feature::PodLevelResources], &["resources"]),
    fields(&[Feature::MatchLabelKeysInPodTopologySpread], &["topologySpreadConstraints/*/matchLabelKeys"]),
    fields(&[Feature::ClusterTrustBundleProjection], &["volumes/*/projected/sources/*/clusterTrustBundle"]),
    fields(&[Feature::PodCertificateRequest], &["volumes/*/projected/sources/*/podCertificate"]),
    fields(&[Feature::GenericWorkload], &["schedulingGroup"]),
    fields(&[Feature::HostnameOverride], &["hostnameOverride"]),
    fields(
        &[Feature::EnvFiles],
        &[
            "containers/*/env/*/valueFrom/fileKeyRef",
            "initContainers/*/env/*/valueFrom/fileKeyRef",
            "ephemeralContainers/*/env/*/valueFrom/fileKeyRef",
        ],
    ),
    fields(
        &[Feature::ContainerStopSignals],
        &[
            "containers/*/lifecycle!/stopSignal",
            "initContainers/*/lifecycle!/stopSignal",
            "ephemeralContainers/*/lifecycle!/stopSignal",
        ],
    ),
    // Gates that are gone, or locked, in the newest release.
    fields(&[Feature::UserNamespacesSupport], &["hostUsers"]),
    fields(&[Feature::SupplementalGroupsPolicy], &["securityContext/supplementalGroupsPolicy"]),
    fields(&[Feature::SELinuxChangePolicy], &["securityContext/seLinuxChangePolicy"]),
    fields(&[Feature::PodSchedulingReadiness], &["schedulingGates"]),
    fields(&[Feature::MinDomainsInPodTopologySpread], &["topologySpreadConstraints/*/minDomains"]),
    fields(
        &[Feature::NodeInclusionPolicyInPodTopologySpread],
        &["topologySpreadConstraints/*/nodeAffinityPolicy", "topologySpreadConstraints/*/nodeTaintsPolicy"],
    ),
    fields(
        &[Feature::InPlacePodVerticalScaling],
        &["containers/*/resizePolicy", "initContainers/*/resizePolicy", "ephemeralContainers/*/resizePolicy"],
    ),
    fields(&[Feature::SidecarContainers], &["initContainers/*/restartPolicy"]),
    fields(
        &[Feature::DynamicResourceAllocation],
        &[
            "resourceClaims",
            "containers/*/resources/claims",
            "initContainers/*/resources/claims",
            "ephemeralContainers/*/resources/claims",
        ],
    ),
    fields(
        &[Feature::RecursiveReadOnlyMounts],
        &[
            "containers/*/volumeMounts/*/recursiveReadOnly",
            "initContainers/*/volumeMounts/*/recursiveReadOnly",
            "ephemeralContainers/*/volumeMounts/*/recursiveReadOnly",
        ],
    ),
    fields(
        &[Feature::PodLifecycleSleepAction],
        &[
            "containers/*/lifecycle!/preStop!/sleep",
            "containers/*/lifecycle!/postStart!/sleep",
            "initContainers/*/lifecycle!/preStop!/sleep",
            "initContainers/*/lifecycle!/postStart!/sleep",
            "ephemeralContainers/*/lifecycle!/preStop!/sleep",
            "ephemeralContainers/*/lifecycle!/postStart!/sleep",
        ],
    ),
    fields(
        &[Feature::MatchLabelKeysInPodAffinity],
        &[
            "affinity/podAffinity/requiredDuringSchedulingIgnoredDuringExecution/*/matchLabelKeys",
            "affinity/podAffinity/requiredDuringSchedulingIgnoredDuringExecution/*/mismatchLabelKeys",
            "affinity/podAffinity/preferredDuringSchedulingIgnoredDuringExecution/*/podAffinityTerm/matchLabelKeys",
            "affinity/podAffinity/preferredDuringSchedulingIgnoredDuringExecution/*/podAffinityTerm/mismatchLabelKeys",
            "affinity/podAntiAffinity/requiredDuringSchedulingIgnoredDuringExecution/*/matchLabelKeys",
            "affinity/podAntiAffinity/requiredDuringSchedulingIgnoredDuringExecution/*/mismatchLabelKeys",
            "affinity/podAntiAffinity/preferredDuringSchedulingIgnoredDuringExecution/*/podAffinityTerm/matchLabelKeys",
            "affinity/podAntiAffinity/preferredDuringSchedulingIgnoredDuringExecution/*/podAffinityTerm/mismatchLabelKeys",
        ],
    ),
];

/// The minor of the first release with restart policies of containers that are no sidecars: before, they are refused.
const RESTARTS_CONTAINERS: u32 = 34;

const CONTAINER_RESTART_RULES: &[Fields] = &[fields(
    &[Feature::ContainerRestartRules],
    &[
        "containers/*/restartPolicy",
        "containers/*/restartPolicyRules",
        "ephemeralContainers/*/restartPolicy",
        "ephemeralContainers/*/restartPolicyRules",
        "initContainers/*/restartPolicyRules",
    ],
)];

fn pod_spec(object: &mut Map, old: Option<&Map>, path: &[&str], profile: &ServerProfile) {
    drop_below(object, old, path, POD_SPEC, profile);
    if !profile.enabled(Feature::ImageVolume) && !has_image_volumes(old, path) {
        drop_image_volumes(object, path);
    }
    if !profile.enabled(Feature::ProcMountType) {
        force_default_proc_mounts(object, old, path);
    }
    // Sidecars are not behind this gate, so init containers keep the policy that makes them one.
    if profile.release().minor >= RESTARTS_CONTAINERS && !profile.enabled(Feature::ContainerRestartRules) {
        drop_below(object, old, path, CONTAINER_RESTART_RULES, profile);
        if let Some(spec) = path.iter().try_fold(object, |map, field| child_mut(map, field)) {
            for container in items_mut(spec, "initContainers") {
                if container.text("restartPolicy") != "Always" {
                    container.remove("restartPolicy");
                }
            }
        }
    }
}

const CONTAINER_LISTS: [&str; 3] = ["containers", "initContainers", "ephemeralContainers"];

fn has_image_volumes(object: Option<&Map>, path: &[&str]) -> bool {
    let spec = object.and_then(|object| object.child(path));
    spec.is_some_and(|spec| spec.items("volumes").any(|volume| volume.has("image")))
}

/// Removes the volumes that are images, with their mounts.
fn drop_image_volumes(object: &mut Map, path: &[&str]) {
    if !has_image_volumes(Some(object), path) {
        return;
    }
    let Some(spec) = path.iter().try_fold(object, |map, field| child_mut(map, field)) else { return };
    let is_image = |volume: &Value| volume.get("image").is_some_and(|image| !image.is_null());
    let Some(volumes) = spec.get_mut("volumes").and_then(Value::as_array_mut) else { return };
    let images: Vec<Value> =
        volumes.iter().filter(|volume| is_image(volume)).map(|volume| volume["name"].clone()).collect();
    volumes.retain(|volume| !is_image(volume));
    for list in CONTAINER_LISTS {
        for container in items_mut(spec, list) {
            if let Some(mounts) = container.get_mut("volumeMounts").and_then(Value::as_array_mut) {
                mounts.retain(|mount| !images.contains(&mount["name"]));
            }
        }
    }
}

/// Sets every `procMount` to the default, unless the old object has another one.
fn force_default_proc_mounts(object: &mut Map, old: Option<&Map>, path: &[&str]) {
    const DEFAULT: &str = "Default";
    let is_given = |object: &Map| {
        object.child(path).is_some_and(|spec| {
            let mut containers = CONTAINER_LISTS.iter().flat_map(|list| spec.items(list));
            containers.any(|container| {
                container.child("securityContext").is_some_and(|context| context.has("procMount"))
            })
        })
    };
    let has = |object: &Map, wanted: fn(&str) -> bool| {
        object.child(path).is_some_and(|spec| {
            let containers = CONTAINER_LISTS.iter().flat_map(|list| spec.items(list));
            let mut mounts = containers
                .filter_map(|container| Some(container.child("securityContext")?.text("procMount")));
            mounts.any(|mount| !mount.is_empty() && wanted(mount))
        })
    };
    if !is_given(object) || old.is_some_and(|old| has(old, |mount| mount != DEFAULT)) {
        return;
    }
    let Some(spec) = path.iter().try_fold(object, |map, field| child_mut(map, field)) else { return };
    for list in CONTAINER_LISTS {
        for container in items_mut(spec, list) {
            if let Some(security) =
                child_mut(container, "securityContext").filter(|security| security.has("procMount"))
            {
                set(security, "procMount", DEFAULT);
            }
        }
    }
}

fn drop_below(object: &mut Map, old: Option<&Map>, path: &[&str], table: &[Fields], profile: &ServerProfile) {
    let Some(map) = object.child(path) else { return };
    let old = old.and_then(|old| old.child(path));
    let closed = table.iter().filter(|Fields { gates, since, paths }| {
        let is_open = gates.iter().all(|gate| profile.enabled(*gate));
        let in_use = || old.is_some_and(|old| paths.iter().any(|field| is_used(old, field)));
        !is_open && profile.release().minor >= *since && !in_use()
    });
    // Writing to a container shared with an earlier version copies it, so what is there is looked for first.
    let dropped: Vec<_> =
        closed.flat_map(|closed| closed.paths).filter(|field| has_any(map, field, |_| true)).collect();
    if dropped.is_empty() {
        return;
    }
    let Some(map) = child_mut(object, path) else { return };
    for field in dropped {
        remove(map, field);
    }
}

fn is_used(map: &Map, field: &str) -> bool {
    has_any(map, field, |value| !value.is_null())
}

/// Whether there is a value of `field` that is `wanted`.
fn has_any(map: &Map, field: &str, wanted: fn(&Value) -> bool) -> bool {
    let (step, rest) = first_step(field);
    let Some(value) = map.get(step.trim_end_matches('!')) else { return false };
    let Some(rest) = rest else { return wanted(value) };
    match (value, rest.strip_prefix("*/")) {
        (Value::Array(items), Some(rest)) => {
            items.iter().filter_map(Value::as_object).any(|item| has_any(item, rest, wanted))
        }
        (Value::Object(entries), Some(rest)) => {
            entries.values().filter_map(Value::as_object).any(|entry| has_any(entry, rest, wanted))
        }
        (Value::Object(map), None) => has_any(map, rest, wanted),
        _ => false,
    }
}

/// Returns the first step of a field, and the others if there are any. Fields are short: a loop is faster than a search.
fn first_step(field: &str) -> (&str, Option<&str>) {
    match field.bytes().position(|byte| byte == b'/') {
        Some(end) => (&field[..end], Some(&field[end + 1..])),
        None => (field, None),
    }
}

fn remove(map: &mut Map, field: &str) {
    let (step, rest) = first_step(field);
    let Some(rest) = rest else {
        map.remove(step);
        return;
    };
    let name = step.trim_end_matches('!');
    let Some(value) = map.get_mut(name) else { return };
    match (value, rest.strip_prefix("*/")) {
        (Value::Array(items), Some(rest)) => {
            items.iter_mut().filter_map(Value::as_object_mut).for_each(|item| remove(item, rest));
        }
        (Value::Object(entries), Some(rest)) => {
            entries.values_mut().filter_map(Value::as_object_mut).for_each(|entry| remove(entry, rest));
        }
        (Value::Object(inner), None) => {
            let was_used = is_used(inner, rest);
            remove(inner, rest);
            if was_used && inner.is_empty() && name.len() < step.len() {
                map.remove(name);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::{created, updated};
    use gotext::value::json;

    #[test]
    fn drops_what_the_gates_do_not_allow() {
        let lifecycle = json!({"stopSignal": "SIGTERM"});
        let sources = json!([{"clusterTrustBundle": {"path": "a"}}, {"secret": {"name": "a"}}]);
        let spec = json!({
            "containers": [{"name": "a", "lifecycle": lifecycle}, {"name": "b", "lifecycle": {"preStop": {}}}],
            "hostnameOverride": "a",
            "schedulingGroup": {"podGroupName": "a"},
            "volumes": [{"name": "a", "projected": {"sources": sources}}]
        });
        let pod = created(&json!({"apiVersion": "v1", "kind": "Pod", "spec": spec}));
        assert_eq!(pod["spec"].get("schedulingGroup"), None);
        assert_eq!(pod["spec"]["hostnameOverride"], "a");
        assert_eq!(pod["spec"]["containers"][0].get("lifecycle"), None);
        assert_eq!(pod["spec"]["containers"][1]["lifecycle"], json!({"preStop": {}}));
        assert_eq!(pod["spec"]["volumes"][0]["projected"]["sources"], json!([{}, {"secret": {"name": "a"}}]));
    }

    #[test]
    fn keeps_what_has_been_in_use() {
        let lease = |spec| json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "spec": spec});
        let new = lease(json!({"strategy": "a", "preferredHolder": "b"}));
        let lease = updated(&new, &lease(json!({"strategy": "c"})), "");
        assert_eq!(lease["spec"], json!({"strategy": "a"}));
    }
}
