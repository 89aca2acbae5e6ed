//! Fields behind feature gates: one that the gates do not allow is dropped, unless the object has used it before.
//!
//! Gates that the release has locked are not checked.
//!
//! Source: the `dropDisabled…` functions of `k8s.io/kubernetes/pkg/api` and `pkg/registry`.

use std::sync::LazyLock;

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

impl Fields {
    /// Whether the gates do not allow the fields, and the release drops them then.
    fn is_closed(&self, profile: &ServerProfile) -> bool {
        profile.release().minor >= self.since && !self.gates.iter().all(|gate| profile.enabled(*gate))
    }
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
    fields(&[Feature::EvictionRequestAPI], &["evictionResponders"]),
    fields(
        &[Feature::VolumeBindMountOptions],
        &[
            "containers/*/volumeMounts/*/bindMountOptions",
            "initContainers/*/volumeMounts/*/bindMountOptions",
            "ephemeralContainers/*/volumeMounts/*/bindMountOptions",
        ],
    ),
    fields(&[Feature::EmptyDirVolumeMode], &["volumes/*/emptyDir/mode"]),
    fields(
        &[Feature::AtomicWriteVolumeUserFields],
        &[
            "volumes/*/configMap/defaultUser",
            "volumes/*/configMap/items/*/user",
            "volumes/*/secret/defaultUser",
            "volumes/*/secret/items/*/user",
            "volumes/*/downwardAPI/defaultUser",
            "volumes/*/downwardAPI/items/*/user",
            "volumes/*/projected/defaultUser",
            "volumes/*/projected/sources/*/configMap/items/*/user",
            "volumes/*/projected/sources/*/secret/items/*/user",
            "volumes/*/projected/sources/*/downwardAPI/items/*/user",
            "volumes/*/projected/sources/*/clusterTrustBundle/user",
            "volumes/*/projected/sources/*/podCertificate/user",
            "volumes/*/projected/sources/*/serviceAccountToken/user",
        ],
    ),
    fields(
        &[Feature::H2CContainerProbe],
        &[
            "containers/*/livenessProbe/httpGet/protocol",
            "containers/*/readinessProbe/httpGet/protocol",
            "containers/*/startupProbe/httpGet/protocol",
            "containers/*/lifecycle/postStart/httpGet/protocol",
            "containers/*/lifecycle/preStop/httpGet/protocol",
            "initContainers/*/livenessProbe/httpGet/protocol",
            "initContainers/*/readinessProbe/httpGet/protocol",
            "initContainers/*/startupProbe/httpGet/protocol",
            "initContainers/*/lifecycle/postStart/httpGet/protocol",
            "initContainers/*/lifecycle/preStop/httpGet/protocol",
        ],
    ),
    fields(
        &[Feature::GRPCContainerProbeTLS],
        &[
            "containers/*/livenessProbe/grpc/mode",
            "containers/*/readinessProbe/grpc/mode",
            "containers/*/startupProbe/grpc/mode",
            "initContainers/*/livenessProbe/grpc/mode",
            "initContainers/*/readinessProbe/grpc/mode",
            "initContainers/*/startupProbe/grpc/mode",
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
    // Every Pod has a specification, and few have one of these fields.
    static TREE: LazyLock<Tree> = LazyLock::new(|| Tree::of(POD_SPEC));
    let find = |spec: &Map| {
        let mut found = Vec::new();
        TREE.find(spec, &mut found);
        found
    };
    drop_found(object, old, path, profile, find);
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

/// A field that an object has, with those that it belongs to.
type Found = (&'static Fields, &'static str);

/// The fields of a table by their steps, so that one walk finds those that an object has.
#[derive(Default)]
struct Tree {
    /// The fields that end here, with those that they belong to.
    ends: Vec<Found>,
    /// What is below each item of a list or map.
    items: Option<Box<Self>>,
    steps: Vec<(&'static str, Self)>,
}

impl Tree {
    fn of(table: &'static [Fields]) -> Self {
        let mut tree = Self::default();
        for fields in table {
            for path in fields.paths {
                tree.below(path).ends.push((fields, path));
            }
        }
        tree
    }

    fn below(&mut self, path: &'static str) -> &mut Self {
        path.split('/').fold(self, |tree, step| match step.trim_end_matches('!') {
            "*" => tree.items.get_or_insert_default(),
            step => {
                let known = tree.steps.iter().position(|(known, _)| *known == step);
                let position = known.unwrap_or_else(|| {
                    tree.steps.push((step, Self::default()));
                    tree.steps.len() - 1
                });
                &mut tree.steps[position].1
            }
        })
    }

    /// Adds the fields of `map` to `found`, each as often as it is there.
    fn find(&self, map: &Map, found: &mut Vec<Found>) {
        for (step, below) in &self.steps {
            let Some(value) = map.get(step) else { continue };
            found.extend(&below.ends);
            if let (Some(below), Value::Array(items)) = (&below.items, value) {
                items.iter().filter_map(Value::as_object).for_each(|item| below.find(item, found));
            }
            if let Value::Object(map) = value {
                below.find(map, found);
                if let Some(below) = &below.items {
                    map.values().filter_map(Value::as_object).for_each(|entry| below.find(entry, found));
                }
            }
        }
    }
}

/// Drops fields of `table` from the map at `path`. Few objects have one of them, and most gates are on.
fn drop_below(
    object: &mut Map,
    old: Option<&Map>,
    path: &[&str],
    table: &'static [Fields],
    profile: &ServerProfile,
) {
    drop_found(object, old, path, profile, |map| {
        let closed = table.iter().filter(|fields| fields.is_closed(profile));
        let all = closed.flat_map(|fields| fields.paths.iter().map(move |field| (fields, *field)));
        all.filter(|(_, field)| has(map, field, |_| true)).collect()
    });
}

/// Drops those of the fields that `find` returns for the map at `path` that the gates do not allow and `old` does not
/// use.
fn drop_found(
    object: &mut Map,
    old: Option<&Map>,
    path: &[&str],
    profile: &ServerProfile,
    find: impl FnOnce(&Map) -> Vec<Found>,
) {
    let Some(map) = object.child(path) else { return };
    let old = old.and_then(|old| old.child(path));
    // Writing to a container shared with an earlier version copies it, so what is there is looked for first.
    let mut found = find(map);
    found.retain(|(fields, _)| {
        let in_use = || old.is_some_and(|old| fields.paths.iter().any(|field| is_used(old, field)));
        fields.is_closed(profile) && !in_use()
    });
    if found.is_empty() {
        return;
    }
    let Some(map) = child_mut(object, path) else { return };
    for (_, field) in found {
        remove(map, field);
    }
}

/// Whether there is a value of `field` that is not null.
fn is_used(map: &Map, field: &str) -> bool {
    has(map, field, |value| !value.is_null())
}

/// Whether there is a value of `field` that counts.
fn has(map: &Map, field: &str, counts: fn(&Value) -> bool) -> bool {
    let (step, rest) = first_step(field);
    let Some(value) = map.get(step.trim_end_matches('!')) else { return false };
    let Some(rest) = rest else { return counts(value) };
    match (value, rest.strip_prefix("*/")) {
        (Value::Array(items), Some(rest)) => {
            items.iter().filter_map(Value::as_object).any(|item| has(item, rest, counts))
        }
        (Value::Object(entries), Some(rest)) => {
            entries.values().filter_map(Value::as_object).any(|entry| has(entry, rest, counts))
        }
        (Value::Object(map), None) => has(map, rest, counts),
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
        assert_eq!(
            pod["spec"]["volumes"][0]["projected"]["sources"][0],
            json!({"clusterTrustBundle": {"path": "a"}})
        );
    }

    #[test]
    fn keeps_what_has_been_in_use() {
        let lease = |spec| json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "spec": spec});
        let new = lease(json!({"strategy": "a", "preferredHolder": "b"}));
        let lease = updated(&new, &lease(json!({"strategy": "c"})), "");
        assert_eq!(lease["spec"], json!({"strategy": "a"}));
    }
}
