//! Objects as a master of Origin reads them: its own kinds without an API group, and Kubernetes' kinds with the
//! defaults of that time.
//!
//! Kubernetes' kinds are read by the types of the release that the master contains, or by the oldest that are known.
//!
//! Source: `openshift/origin` `pkg/*/api/v1` and its copy of Kubernetes, of 1.4.

use crate::custom_resource::CustomResource;
use crate::defaults::pod;
use crate::openshift::{access, defaults, served};
use crate::{Read, store};
use gotext::source::Node;
use gotext::value::json;
use kube_api::decode::{DecodeContext, DecodeError, decode_by, normalize, normalize_as};
use kube_api::distribution::OriginRelease;
use kube_api::schema::{self, Type};
use kube_api::server_profile::ServerProfile;
use kube_api::tree::{child_mut, child_or_insert, items_mut, set, set_if_absent, set_if_zero};
use kube_api::{GroupVersionKind, Map, Object, Value};

/// Fields that releases of Kubernetes after 1.11 fill in.
const LATER: [&str; 6] = [
    "allocateLoadBalancerNodePorts",
    "enableServiceLinks",
    "internalTrafficPolicy",
    "ipFamilies",
    "ipFamilyPolicy",
    "volumeMode",
];

/// Fields that releases between 1.4 and 1.11 began to fill in.
const LATER_THAN_1_4: [&str; 5] = [
    "podManagementPolicy",
    "progressDeadlineSeconds",
    "revisionHistoryLimit",
    "schedulerName",
    "terminationMessagePolicy",
];

/// Reads `node` as a master of `release` does, and fills in the defaults.
pub(crate) fn read(
    node: Node,
    context: &DecodeContext<'_>,
    release: OriginRelease,
    profile: &ServerProfile,
) -> Result<Read, DecodeError> {
    if let Some(untyped) = untyped(context.kind, release) {
        return untyped.decode(node, context).map(Read::from);
    }
    let kubernetes = release.kubernetes();
    let decoded = decode_by(node, context, kubernetes, |kind| {
        let types = schema::of_release(kubernetes);
        type_of(kind, release).or_else(|| types.of(kind)).or_else(|| schema::of(kind))
    })?;
    let mut read = Read::from(decoded);
    complete(&mut read.object, release, profile);
    Ok(read)
}

/// Fills in the defaults of `release`, and drops the fields that its encoder omits.
pub fn complete(object: &mut Object, release: OriginRelease, profile: &ServerProfile) {
    if let Some(table) = type_of(&object.kind, release) {
        if release == OriginRelease::V1_4 || object.kind.group.is_empty() {
            set_own_defaults(object);
        } else {
            served::set_defaults(object);
        }
        return normalize_as(object, table);
    }
    let before = object.value.clone();
    store::set_defaults(object, profile);
    without_later(&before, &mut object.value, release);
    normalize(object);
}

/// Returns a kind of Origin without types: its objects keep every field.
fn untyped(kind: &GroupVersionKind, release: OriginRelease) -> Option<CustomResource> {
    let resource = kube_api::resource::origin_by_kind(kind)?;
    if type_of(kind, release).or_else(|| schema::of(kind)).is_some() {
        return None;
    }
    let (name, is_namespaced) = (resource.resource, resource.namespaced);
    Some(CustomResource::preserving(
        resource.group,
        resource.version,
        name,
        resource.kind,
        is_namespaced,
        false,
    ))
}

/// Returns the type of a kind of Origin; for one of Kubernetes only if it is gone since.
fn type_of(kind: &GroupVersionKind, release: OriginRelease) -> Option<&'static Type> {
    let named = |package: &str| schema::named(&format!("{package}.{}", kind.kind));
    let is_own = || {
        kube_api::resource::origin_by_kind(kind).is_some()
            || kind.kind == "BuildRequest"
            || kind.kind == "Scale"
    };
    match (release, &*kind.group, &*kind.version) {
        (OriginRelease::V3_11, "" | "build.openshift.io", "v1")
            if named("openshift/origin3/v1").is_some() =>
        {
            named("openshift/origin3/v1")
        }
        (_, "", "v1") | (_, "extensions", "v1beta1") if is_own() => {
            let later = ["security", "quota", "authorization", "user"];
            let later = || later.iter().find_map(|group| named(&format!("openshift/{group}/v1")));
            named("openshift/origin/v1").or_else(later)
        }
        _ => None,
    }
}

/// Removes from `after` the later fields that defaulting added and `before` did not have.
fn without_later(before: &Value, after: &mut Value, release: OriginRelease) {
    let is_later = |field: &str| {
        LATER.contains(&field) || release == OriginRelease::V1_4 && LATER_THAN_1_4.contains(&field)
    };
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => {
            after.retain(|field, _| before.has(field.as_str()) || !is_later(field.as_str()));
            for (field, value) in after {
                without_later(before.get(field.as_str()).unwrap_or(&Value::Null), value, release);
            }
        }
        (before, Value::Array(after)) => {
            let before = before.as_array().map_or(&[][..], Vec::as_slice);
            for (index, value) in after.iter_mut().enumerate() {
                without_later(before.get(index).unwrap_or(&Value::Null), value, release);
            }
        }
        (_, Value::Object(after)) => {
            after.retain(|field, _| !is_later(field.as_str()));
            after.values_mut().for_each(|value| without_later(&Value::Null, value, release));
        }
        _ => {}
    }
}

fn set_own_defaults(object: &mut Object) {
    let kind = object.kind.kind.clone();
    let namespace = object.namespace().to_owned();
    let Value::Object(map) = &mut object.value else { return };
    match &*kind {
        "Build" => defaults::default_build(map),
        "BuildConfig" => defaults::default_build_config(map),
        "DeploymentConfig" => default_deployment_config(child_or_insert(map, "spec"), &namespace),
        "DaemonSet" | "Deployment" | "ReplicaSet" => default_workload(map, &kind),
        "Image" => default_image(map),
        "ImageStream" => defaults::sort_tags(map),
        "ImageStreamImport" => defaults::name_imports(map),
        "ImageStreamMapping" | "ImageStreamTag" => default_image(child_or_insert(map, "image")),
        "LocalSubjectAccessReview" | "SubjectAccessReview" => access::sort_groups(map),
        "ClusterRoleBinding" | "RoleBinding" => access::convert_subjects(map, &namespace),
        "Route" => defaults::default_route(map),
        _ => {}
    }
}

fn default_image(image: &mut Map) {
    defaults::default_image(image, "1.0");
}

fn default_deployment_config(spec: &mut Map, namespace: &str) {
    default_deployment_strategy(child_or_insert(spec, "strategy"));
    if !spec.has("triggers") {
        set(spec, "triggers", json!([{"type": "ConfigChange"}]));
    }
    for trigger in items_mut(spec, "triggers") {
        if let Some(from) =
            child_mut(trigger, "imageChangeParams").map(|params| child_or_insert(params, "from"))
        {
            set_if_zero(from, "kind", "ImageStreamTag");
            set_if_zero(from, "namespace", namespace);
        }
    }
    let labels = spec.child("template").and_then(|template| template.child("metadata"));
    if let Some(labels) = labels.and_then(|metadata| metadata.get("labels")).cloned() {
        set_if_zero(spec, "selector", labels);
    }
    if let Some(template) = child_mut(spec, "template") {
        default_template(template);
    }
}

fn default_deployment_strategy(strategy: &mut Map) {
    set_if_zero(strategy, "type", "Rolling");
    match strategy.text("type") {
        "Rolling" => drop(child_or_insert(strategy, "rollingParams")),
        "Recreate" => drop(child_or_insert(strategy, "recreateParams")),
        _ => {}
    }
    if let Some(params) = child_mut(strategy, "recreateParams") {
        set_if_absent(params, "timeoutSeconds", 600);
    }
    let Some(params) = child_mut(strategy, "rollingParams") else { return };
    set_if_absent(params, "intervalSeconds", 1);
    set_if_absent(params, "updatePeriodSeconds", 1);
    set_if_absent(params, "timeoutSeconds", 600);
    let is_none = |value: Option<&Value>| value.is_some_and(|value| *value == 0 || *value == "0%");
    let (has_unavailable, has_surge) = (params.has("maxUnavailable"), params.has("maxSurge"));
    if !has_unavailable && (!has_surge || is_none(params.get("maxSurge"))) {
        set(params, "maxUnavailable", "25%");
    }
    if !has_surge && (!has_unavailable || is_none(params.get("maxUnavailable"))) {
        set(params, "maxSurge", "25%");
    }
}

/// Sets selector and labels of kinds of `extensions/v1beta1` to those of the template.
fn default_workload(object: &mut Map, kind: &str) {
    let spec = child_or_insert(object, "spec");
    default_template(child_or_insert(spec, "template"));
    let labels = spec
        .child("template")
        .and_then(|template| template.child("metadata"))
        .and_then(|metadata| metadata.get("labels"))
        .filter(|labels| labels.as_object().is_some_and(|labels| !labels.is_empty()))
        .cloned();
    if let Some(labels) = &labels {
        set_if_absent(spec, "selector", json!({"matchLabels": labels.clone()}));
    }
    if kind != "DaemonSet" {
        set_if_absent(spec, "replicas", 1);
    }
    if kind == "Deployment" {
        let strategy = child_or_insert(spec, "strategy");
        set_if_zero(strategy, "type", "RollingUpdate");
        if strategy.text("type") == "RollingUpdate" {
            let update = child_or_insert(strategy, "rollingUpdate");
            set_if_absent(update, "maxUnavailable", 1);
            set_if_absent(update, "maxSurge", 1);
        }
    }
    if let Some(labels) = labels {
        set_if_zero(child_or_insert(object, "metadata"), "labels", labels);
    }
}

fn default_template(template: &mut Map) {
    let before = Value::Object(template.clone());
    pod::pod_spec(child_or_insert(template, "spec"));
    let mut after = Value::Object(std::mem::take(template));
    without_later(&before, &mut after, OriginRelease::V1_4);
    if let Value::Object(after) = after {
        *template = after;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kube_api::decode::FieldValidation;

    fn read_as(kind: &GroupVersionKind, value: Value) -> Value {
        let context =
            DecodeContext { kind, body: "", field_validation: FieldValidation::Ignore, strict_errors: &[] };
        let release = OriginRelease::V3_11;
        read(Node::from(value), &context, release, &ServerProfile::default()).unwrap().object.value
    }

    #[test]
    fn kinds_without_types_keep_their_fields() {
        let network = json!({
            "apiVersion": "v1", "kind": "ClusterNetwork", "metadata": {"name": "default"}, "network": "10.128.0.0/14",
        });
        let kind = GroupVersionKind::new("", "v1", "ClusterNetwork");
        assert_eq!(read_as(&kind, network)["network"], "10.128.0.0/14");
    }

    #[test]
    fn ingresses_of_extensions_have_the_fields_of_their_time() {
        let backend = json!({"serviceName": "web", "servicePort": "http"});
        let ingress = json!({
            "apiVersion": "extensions/v1beta1", "kind": "Ingress", "metadata": {"name": "web"},
            "spec": {"rules": [{"host": "a.example.com", "http": {"paths": [{"path": "/", "backend": backend.clone()}]}}]},
        });
        let kind = GroupVersionKind::new("extensions", "v1beta1", "Ingress");
        let spec = &read_as(&kind, ingress)["spec"];
        assert_eq!(spec["rules"][0]["http"]["paths"][0]["backend"], backend);
        assert_eq!(spec["rules"][0]["host"], "a.example.com");
    }
}
