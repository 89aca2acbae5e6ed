//! Pods.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/core/pod`, `pkg/apis/core/helper/qos`. Deliberately absent: the times of
//! conditions.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use gotext::value::json;

use crate::core::pod::seccomp;
use crate::pod::READS_QUALITY;
use crate::preparation::{copy_metadata, reset_metadata_for_status};
use crate::warnings::app_armor_profile;
use gotext::quantity::Quantity;
use kube_api::features::Feature;
use kube_api::field::Path;
use kube_api::server_profile::ServerProfile;
use kube_api::tree::{child_mut, child_or_insert, copy, items_mut, set};
use kube_api::version::Version;
use kube_api::{Map, Value, pairs};

pub(crate) const APP_ARMOR_ANNOTATION: &str = "container.apparmor.security.beta.kubernetes.io/";

/// Prepares a new Pod: sets it pending, merges the labels that its affinity and its spreading name by key into the
/// selectors, and moves `AppArmor` profiles from annotations to fields. Returns the warnings about those annotations.
pub(crate) fn for_create(pod: &mut Map, profile: &ServerProfile) -> Vec<String> {
    let sent = pod.child("status").map_or("", |status| status.text("qosClass"));
    let is_computed = sent.is_empty() || profile.release() < READS_QUALITY;
    let quality = if is_computed { quality_of_service(pod, profile) } else { sent };
    let mut status = json!({"phase": "Pending", "qosClass": quality});
    if pod.child("spec").is_some_and(|spec| !spec.is_zero("schedulingGates")) {
        status["conditions"] = json!([{
            "type": "PodScheduled",
            "status": "False",
            "reason": "SchedulingGated",
            "message": "Scheduling is blocked due to non-empty scheduling gates",
            "lastProbeTime": null,
            "lastTransitionTime": null
        }]);
    }
    set(pod, "status", status);
    merge_label_keys(pod, profile);
    let release = profile.release();
    if SECCOMP_ANNOTATIONS.contains(&release) {
        seccomp::copy_between_annotations_and_fields(pod, release < SECCOMP_FIELDS_ALONE);
    }
    if release < APP_ARMOR_FIELDS {
        return Vec::new();
    }
    copy_app_armor_profiles(pod, WRITES_APP_ARMOR_ANNOTATIONS.contains(&release))
}

/// The first release in which an update of the status need not repeat the quality of service.
pub(crate) const KEEPS_QUALITY: Version = Version::minor(32);
/// The releases that have fields for seccomp profiles and still read the annotations.
const SECCOMP_ANNOTATIONS: RangeInclusive<Version> = Version::minor(19)..=Version::minor(26);
/// The first release that does not write the annotations.
const SECCOMP_FIELDS_ALONE: Version = Version::minor(25);
/// The first release with fields for `AppArmor` profiles.
const APP_ARMOR_FIELDS: Version = Version::minor(30);
/// The releases that have the fields and write the annotations for older nodes.
const WRITES_APP_ARMOR_ANNOTATIONS: RangeInclusive<Version> = Version::minor(30)..=Version::minor(33);

/// Prepares an update of a Pod, in which each subresource changes its own part.
pub(crate) fn for_update(pod: &mut Map, old: &Map, sub_resource: &str, release: Version) {
    match sub_resource {
        "status" => {
            copy(pod, old, "spec");
            copy_metadata(pod, old, &["ownerReferences"]);
            child_or_insert(pod, "metadata").remove("deletionTimestamp");
            let Some(old) = old.child("status") else { return };
            let status = child_or_insert(pod, "status");
            for field in ["qosClass", "observedGeneration"] {
                if status.is_zero(field) && release >= KEEPS_QUALITY {
                    copy(status, old, field);
                }
            }
            keep_observed_generations(status, old);
        }
        "ephemeralcontainers" => {
            let containers = child_mut(pod, "spec").and_then(|spec| spec.remove("ephemeralContainers"));
            copy(pod, old, "spec");
            copy(pod, old, "status");
            reset_metadata_for_status(pod, old);
            let spec = child_or_insert(pod, "spec");
            spec.remove("ephemeralContainers");
            spec.extend(containers.map(|containers| ("ephemeralContainers".to_owned(), containers)));
        }
        "resize" => resize(pod, old),
        _ => copy(pod, old, "status"),
    }
}

/// Copies observed generations from the old conditions to new ones without.
fn keep_observed_generations(status: &mut Map, old: &Map) {
    let mut known: BTreeMap<&str, Vec<Option<&Value>>> = BTreeMap::new();
    for condition in old.items("conditions") {
        known.entry(condition.text("type")).or_default().push(condition.get("observedGeneration"));
    }
    for condition in items_mut(status, "conditions") {
        let Some(generations) = known.get_mut(condition.text("type")) else { continue };
        if generations.is_empty() {
            continue;
        }
        if let Some(generation) = generations.remove(0)
            && condition.is_zero("observedGeneration")
        {
            set(condition, "observedGeneration", generation.clone());
        }
    }
}

/// Keeps everything but resources and resize policies, which `resize` changes; if the containers differ, changes
/// nothing and leaves the refusal to validation.
pub(crate) fn resize(pod: &mut Map, old: &Map) {
    let empty = Map::new();
    let old_spec = old.child("spec").unwrap_or(&empty);
    let spec = child_or_insert(pod, "spec");
    let lists = ["containers", "initContainers"];
    if lists.iter().any(|field| spec.list(field).len() != old_spec.list(field).len()) {
        return;
    }
    let mut resized = old_spec.clone();
    copy(&mut resized, spec, "resources");
    for field in lists {
        let names = |spec: &Map| -> Vec<String> {
            spec.items(field).map(|container| container.text("name").to_owned()).collect()
        };
        if names(spec) != names(old_spec) {
            copy(&mut resized, spec, field);
            continue;
        }
        for (container, new) in items_mut(&mut resized, field).zip(spec.items(field)) {
            copy(container, new, "resources");
            copy(container, new, "resizePolicy");
        }
    }
    *spec = resized;
    copy(pod, old, "status");
    reset_metadata_for_status(pod, old);
}

/// Returns the quality of service, which decides who is evicted first when a node runs out: `BestEffort` before
/// `Burstable` before `Guaranteed`.
fn quality_of_service(pod: &Map, profile: &ServerProfile) -> &'static str {
    let Some(spec) = pod.child("spec") else { return "BestEffort" };
    let mut requests = BTreeMap::new();
    let mut limits = BTreeMap::new();
    let mut all_limited = true;
    let mut consider = |owner: &Map, as_a_whole: bool| {
        let resources = owner.child("resources");
        let of = |field: &str| resources.and_then(|resources| resources.get(field));
        sum(&mut requests, of("requests"));
        let limited = sum(&mut limits, of("limits"));
        let says_nothing = as_a_whole && limited == 0 && resources.is_none_or(|map| map.is_zero("limits"));
        all_limited &= limited == 2 || says_nothing;
    };
    if profile.enabled(Feature::PodLevelResources) && spec.has("resources") {
        consider(spec, true);
    } else {
        for container in spec.items("containers").chain(spec.items("initContainers")) {
            consider(container, false);
        }
    }
    if requests.is_empty() && limits.is_empty() {
        "BestEffort"
    } else if all_limited && requests == limits {
        "Guaranteed"
    } else {
        "Burstable"
    }
}

/// Adds CPU and memory, and returns the number of them.
pub(crate) fn sum(total: &mut BTreeMap<String, Quantity>, quantities: Option<&Value>) -> usize {
    let mut found = 0;
    for (name, text) in pairs(quantities).filter(|(name, _)| matches!(*name, "cpu" | "memory")) {
        let Ok(quantity) = Quantity::parse(text) else { continue };
        if quantity.sign() > 0 {
            found += 1;
            let sum = total.get(name).map_or_else(|| quantity.clone(), |value| quantity.add(value));
            total.insert(name.to_owned(), sum);
        }
    }
    found
}

fn merge_label_keys(pod: &mut Map, profile: &ServerProfile) {
    let labels = pod.child(["metadata", "labels"]).cloned().unwrap_or_default();
    let Some(spec) = child_mut(pod, "spec") else { return };
    for kind in ["podAffinity", "podAntiAffinity"] {
        let Some(affinity) = child_mut(spec, ["affinity", kind]) else { continue };
        for term in items_mut(affinity, "preferredDuringSchedulingIgnoredDuringExecution") {
            if let Some(term) = child_mut(term, "podAffinityTerm") {
                merge_affinity(term, &labels);
            }
        }
        for term in items_mut(affinity, "requiredDuringSchedulingIgnoredDuringExecution") {
            merge_affinity(term, &labels);
        }
    }
    if profile.enabled(Feature::MatchLabelKeysInPodTopologySpread)
        && profile.enabled(Feature::MatchLabelKeysInPodTopologySpreadSelectorMerge)
    {
        for constraint in items_mut(spec, "topologySpreadConstraints") {
            merge(constraint, "matchLabelKeys", "In", &labels);
        }
    }
}

fn merge_affinity(term: &mut Map, labels: &Map) {
    merge(term, "matchLabelKeys", "In", labels);
    merge(term, "mismatchLabelKeys", "NotIn", labels);
}

/// Adds to the label selector of `owner` the Pod's own labels for the keys in `field`.
pub(crate) fn merge(owner: &mut Map, field: &str, operator: &str, labels: &Map) {
    let added: Vec<Value> = owner
        .list(field)
        .iter()
        .filter_map(Value::as_str)
        .filter_map(|key| Some((key, labels.get(key)?)))
        .map(|(key, value)| json!({"key": key, "operator": operator, "values": [value]}))
        .collect();
    let Some(selector) = child_mut(owner, "labelSelector") else { return };
    if added.is_empty() {
        return;
    }
    match selector.get_mut("matchExpressions") {
        Some(Value::Array(expressions)) => expressions.extend(added),
        _ => set(selector, "matchExpressions", added),
    }
}

/// Returns the annotation of a profile; empty if there is none for it.
fn app_armor_annotation(profile: &Map) -> String {
    match (profile.text("type"), profile.text("localhostProfile")) {
        ("Unconfined", _) => "unconfined".to_owned(),
        ("RuntimeDefault", _) => "runtime/default".to_owned(),
        ("Localhost", name) if !name.is_empty() => format!("localhost/{name}"),
        _ => String::new(),
    }
}

/// Copies profiles from annotations to fields and, if the server `writes_annotations`, from fields to annotations, which
/// later containers of the same name find.
///
/// Source: `applyAppArmorVersionSkew`
fn copy_app_armor_profiles(pod: &mut Map, writes_annotations: bool) -> Vec<String> {
    let mut warnings = Vec::new();
    let mut annotations = pod.child(["metadata", "annotations"]).cloned().unwrap_or_default();
    if !writes_annotations && !annotations.keys().any(|key| key.starts_with(APP_ARMOR_ANNOTATION)) {
        return warnings;
    }
    let given = annotations.len();
    let Some(spec) = child_mut(pod, "spec") else { return warnings };
    if spec.child("os").is_some_and(|os| os.text("name") == "windows") {
        return warnings;
    }
    let profile_of = |owner: &Map| owner.child("securityContext")?.child("appArmorProfile").cloned();
    let pod_profile = profile_of(spec);
    for field in ["initContainers", "containers", "ephemeralContainers"] {
        for container in items_mut(spec, field) {
            let key = format!("{APP_ARMOR_ANNOTATION}{}", container.text("name"));
            let own = profile_of(container);
            let Some(annotation) = annotations.get(&key).and_then(Value::as_str) else {
                let profile = own.as_ref().or(pod_profile.as_ref()).filter(|_| writes_annotations);
                let annotation = profile.map(app_armor_annotation).unwrap_or_default();
                if !annotation.is_empty() {
                    annotations.insert(key, Value::from(annotation));
                }
                continue;
            };
            if own.is_some() {
                continue;
            }
            let profile = app_armor_profile(annotation).filter(is_valid_profile);
            match profile {
                Some(profile) if profile.as_object() == pod_profile.as_ref() => continue,
                Some(profile) => {
                    set(child_or_insert(container, "securityContext"), "appArmorProfile", profile);
                }
                None => {}
            }
            let path = Path::new("metadata.annotations").key(key);
            warnings
                .push(format!("{path}: deprecated since v1.30; use the \"appArmorProfile\" field instead"));
        }
    }
    if annotations.len() > given {
        set(child_or_insert(pod, "metadata"), "annotations", annotations);
    }
    warnings
}

fn is_valid_profile(profile: &Value) -> bool {
    const MAX_LENGTH: usize = 4095;
    profile
        .get("localhostProfile")
        .and_then(Value::as_str)
        .is_none_or(|name| name.trim() == name && !name.is_empty() && name.len() <= MAX_LENGTH)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{created, object, updated};

    fn pod(spec: &Value) -> Value {
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"labels": {"app": "web"}}, "spec": spec})
    }

    #[test]
    fn a_container_finds_the_annotation_of_one_with_its_name() {
        let copied = |spec: Value| {
            let mut pod = pod(&spec);
            let warnings = copy_app_armor_profiles(pod.as_object_mut().unwrap(), true);
            (pod["metadata"]["annotations"].clone(), warnings.len())
        };
        let context =
            |name: &str| json!({"appArmorProfile": {"type": "Localhost", "localhostProfile": name}});
        let (annotations, warnings) = copied(json!({
            "initContainers": [{"name": "web", "securityContext": context("a")}], "containers": [{"name": "web"}],
        }));
        assert_eq!(annotations, json!({"container.apparmor.security.beta.kubernetes.io/web": "localhost/a"}));
        assert_eq!(warnings, 1);
        let whole = json!({"securityContext": context("a "), "containers": [{"name": "web"}]});
        assert_eq!(copied(whole).1, 0);
    }

    #[test]
    fn the_quality_of_service_follows_from_requests_and_limits() {
        let quality =
            |containers| created(&pod(&json!({"containers": containers})))["status"]["qosClass"].take();
        let limits = json!({"cpu": "1", "memory": "1Gi"});
        assert_eq!(quality(json!([{}])), "BestEffort");
        assert_eq!(quality(json!([{"resources": {"requests": {"cpu": "0"}}}])), "BestEffort");
        assert_eq!(quality(json!([{"resources": {"limits": limits}}])), "Guaranteed");
        assert_eq!(quality(json!([{"resources": {"limits": limits}}, {}])), "Burstable");
        assert_eq!(quality(json!([{"resources": {"limits": {"cpu": "1"}}}])), "Burstable");
    }

    #[test]
    fn a_gated_pod_is_not_scheduled() {
        let status = created(&pod(&json!({"schedulingGates": [{"name": "a"}]})))["status"].take();
        assert_eq!(status["phase"], "Pending");
        assert_eq!(status["conditions"][0]["reason"], "SchedulingGated");
    }

    #[test]
    fn label_keys_become_part_of_selectors() {
        let term =
            json!({"labelSelector": {}, "matchLabelKeys": ["app", "other"], "mismatchLabelKeys": ["app"]});
        let affinity = json!({"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}});
        let constraint = json!({"labelSelector": {"matchLabels": {"a": "b"}}, "matchLabelKeys": ["app"]});
        let spec = json!({"affinity": affinity, "topologySpreadConstraints": [constraint]});
        let spec = created(&pod(&spec))["spec"].take();
        let expression = |operator: &str| json!({"key": "app", "operator": operator, "values": ["web"]});
        let term = &spec["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"][0];
        assert_eq!(
            term["labelSelector"],
            json!({"matchExpressions": [expression("In"), expression("NotIn")]})
        );
        let spread = &spec["topologySpreadConstraints"][0]["labelSelector"];
        assert_eq!(spread["matchExpressions"], json!([expression("In")]));
    }

    #[test]
    fn profiles_in_annotations_become_fields() {
        let mut value = pod(&json!({"containers": [{"name": "a"}, {"name": "b"}, {"name": "c"}]}));
        let key = |name: &str| format!("{APP_ARMOR_ANNOTATION}{name}");
        value["metadata"]["annotations"] = json!({key("a"): "localhost/x", key("b"): "nonsense"});
        let mut pod = object(&value);
        let profile = ServerProfile::default();
        let strategy = crate::of(&pod.kind).unwrap();
        let warnings = strategy.prepare_for_create(&mut pod, &crate::Context::new(&profile));
        let profile = json!({"type": "Localhost", "localhostProfile": "x"});
        let containers = &pod.value["spec"]["containers"];
        assert_eq!(containers[0]["securityContext"], json!({"appArmorProfile": profile}));
        assert_eq!(containers[1].get("securityContext"), None);
        let warning = |name: &str| {
            let key = key(name);
            format!(
                "metadata.annotations[{key}]: deprecated since v1.30; use the \"appArmorProfile\" field instead"
            )
        };
        assert_eq!(warnings, [warning("a"), warning("b")]);
    }

    #[test]
    fn a_subresource_changes_its_own_part() {
        let old = pod(&json!({"containers": [{"name": "a", "image": "x"}], "nodeName": "n"}));
        let resources = json!({"requests": {"cpu": "1"}});
        let container = json!({"name": "a", "image": "y", "resources": resources});
        let new = pod(&json!({"containers": [container], "ephemeralContainers": [{"name": "d"}]}));
        let resized = updated(&new, &old, "resize")["spec"].take();
        assert_eq!((&resized["containers"][0]["image"], &resized["nodeName"]), (&json!("x"), &json!("n")));
        assert_eq!(resized["containers"][0]["resources"], resources);
        assert_eq!(resized.get("ephemeralContainers"), None);
        let debugged = updated(&new, &old, "ephemeralcontainers")["spec"].take();
        assert_eq!((&debugged["containers"][0]["image"], &debugged["nodeName"]), (&json!("x"), &json!("n")));
        assert_eq!(debugged["ephemeralContainers"][0]["name"], "d");
        let status = updated(&new, &old, "status")["spec"].take();
        assert_eq!(status["containers"][0]["image"], "x");
    }
}
