//! What the registry warns about when it has validated an object: fields and annotations that do nothing any more,
//! and values that surprise.
//!
//! Warnings about deprecated versions of the API, unknown fields and Pod Security are not the registry's.
//!
//! Source: `WarningsOnCreate` and `WarningsOnUpdate` of each strategy in `k8s.io/kubernetes/pkg/registry`.

mod address;
mod definition;
mod node_label;
mod pod;
mod port;
mod service;
mod tls;
mod volume;
mod volume_path;

use crate::api::features::FeatureGates;
use crate::api::field::Path;
use crate::api::names;
use crate::api::quantity::Quantity;
use crate::api::tree::{child, descend, has, is_zero, items, list, number, text};
use crate::api::{Map, Object, Value};
use crate::go::quote;

pub(super) use pod::app_armor_profile;

/// What the server warns about when `object` is created, in its order. The object has been prepared by
/// [`prepare_for_create`](crate::registry::strategy::prepare_for_create).
pub fn warnings_on_create(object: &Object, features: &FeatureGates) -> Vec<String> {
    let mut warnings = Vec::new();
    let Value::Object(map) = &object.value else { return warnings };
    let empty = Map::new();
    let spec = child(map, "spec").unwrap_or(&empty);
    match (&*object.kind.group, &*object.kind.kind) {
        ("", "Pod") => {
            dns_label_recommended(object, "the Pod's hostname", &mut warnings);
            pod::pod(map, &mut warnings);
        }
        ("", "PodTemplate") => template(map, "template", &mut warnings),
        ("apps", "Deployment" | "ReplicaSet") | ("", "ReplicationController") => {
            dns_label_recommended(object, "Pod names and hostnames", &mut warnings);
            template(spec, "spec.template", &mut warnings);
        }
        ("apps", "DaemonSet") => template(spec, "spec.template", &mut warnings),
        ("apps", "StatefulSet") => {
            template(spec, "spec.template", &mut warnings);
            stateful_set(spec, false, &mut warnings);
        }
        ("batch", "Job") => {
            dns_label_recommended(object, "Pod names and hostnames", &mut warnings);
            job(spec, "spec", &mut warnings);
        }
        ("batch", "CronJob") => {
            dns_label_recommended(object, "Pod names and hostnames", &mut warnings);
            let job_spec = descend(spec, &["jobTemplate", "spec"]).unwrap_or(&empty);
            job(job_spec, "spec.jobTemplate.spec", &mut warnings);
        }
        ("", "ResourceQuota") => resource_quota(spec, &mut warnings),
        ("", "ServiceAccount") => mountable_secrets(object, None, &mut warnings),
        ("networking.k8s.io", "Ingress") => ingress(object, spec, &mut warnings),
        ("discovery.k8s.io", "EndpointSlice") => {
            if text(map, "addressType") == "FQDN" {
                warnings.push("spec.addressType: FQDN endpoints are deprecated".to_owned());
            }
            address::endpoint_slice(object, map, &mut warnings);
        }
        ("storage.k8s.io", "CSIDriver") if !is_zero(spec, "tokenRequests") => csi_driver(spec, &mut warnings),
        ("admissionregistration.k8s.io", _) if !features.enabled("ManifestBasedAdmissionControlConfig") => {
            static_suffix(object, &mut warnings);
        }
        ("apiextensions.k8s.io", "CustomResourceDefinition") => {
            definition::unknown_formats(spec, None, &mut warnings);
        }
        _ => on_any_write(object, map, spec, &mut warnings),
    }
    warnings
}

/// What the server warns about when `object` replaces `old`, in its order. The object has been prepared by
/// [`prepare_for_update`](crate::registry::strategy::prepare_for_update).
pub fn warnings_on_update(object: &Object, old: &Object, sub_resource: &str) -> Vec<String> {
    let mut warnings = Vec::new();
    let (Value::Object(map), Value::Object(old_map)) = (&object.value, &old.value) else { return warnings };
    let empty = Map::new();
    let spec = child(map, "spec").unwrap_or(&empty);
    let old_spec = child(old_map, "spec").unwrap_or(&empty);
    let is_changed = spec != old_spec;
    match (&*object.kind.group, &*object.kind.kind, sub_resource) {
        ("", "Pod" | "Service", "status") | ("networking.k8s.io", "Ingress", "status") => {
            address::status(object, map, &mut warnings);
        }
        ("admissionregistration.k8s.io", ..) => static_suffix(object, &mut warnings),
        (_, _, sub_resource) if !sub_resource.is_empty() => {}
        ("", "PodTemplate", _) if map.get("template") != old_map.get("template") => {
            template(map, "template", &mut warnings);
        }
        ("apps", "Deployment", _) if is_changed || object.at(ANNOTATIONS) != old.at(ANNOTATIONS) => {
            template(spec, "spec.template", &mut warnings);
        }
        ("apps", "ReplicaSet", _) if is_changed => template(spec, "spec.template", &mut warnings),
        // The server passes the two in the wrong order here.
        ("", "ReplicationController", _) if is_changed => template(old_spec, "spec.template", &mut warnings),
        ("apps", "DaemonSet", _) if spec.get("template") != old_spec.get("template") => {
            template(spec, "spec.template", &mut warnings);
        }
        ("apps", "StatefulSet", _) => {
            if is_changed {
                template(spec, "spec.template", &mut warnings);
            }
            stateful_set(spec, true, &mut warnings);
        }
        ("batch", "Job", _) if is_changed => job(spec, "spec", &mut warnings),
        ("batch", "CronJob", _) => {
            if is_changed {
                let job_spec = descend(spec, &["jobTemplate", "spec"]).unwrap_or(&empty);
                job(job_spec, "spec.jobTemplate.spec", &mut warnings);
            }
            if text(spec, "schedule").contains("TZ") {
                warnings.push(
                    "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see \
                     https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details"
                        .to_owned(),
                );
            }
        }
        ("", "ServiceAccount", _) => mountable_secrets(object, Some(old), &mut warnings),
        ("discovery.k8s.io", "EndpointSlice", _) => address::endpoint_slice(object, map, &mut warnings),
        ("storage.k8s.io", "CSIDriver", _)
            if !is_zero(spec, "tokenRequests")
                && spec.get("tokenRequests") != old_spec.get("tokenRequests") =>
        {
            csi_driver(spec, &mut warnings);
        }
        ("apiextensions.k8s.io", "CustomResourceDefinition", _) => {
            definition::unknown_formats(spec, Some(old_spec), &mut warnings);
        }
        _ => on_any_write(object, map, spec, &mut warnings),
    }
    warnings
}

/// What the server warns about when a custom resource is created, or replaces `old`: finalizers whose names may clash.
pub fn warnings_on_custom(object: &Object, old: Option<&Object>) -> Vec<String> {
    let finalizers = |object: &Object| -> Vec<String> {
        let finalizers = object.list(&["metadata", "finalizers"]).iter().filter_map(Value::as_str);
        finalizers.map(str::to_owned).collect()
    };
    let known = old.map(finalizers).unwrap_or_default();
    let mut added: Vec<String> =
        finalizers(object).into_iter().filter(|name| !known.contains(name)).collect();
    added.sort();
    added.dedup();
    let mut warnings = Vec::new();
    for name in added {
        let quoted = quote(&name);
        let problems = names::is_qualified_name(&name);
        warnings.extend(problems.iter().map(|problem| format!("metadata.finalizers: {quoted}: {problem}")));
        if !name.contains('/') && !STANDARD_FINALIZERS.contains(&name.as_str()) {
            let path = if name.contains('.') { " including a path (/)" } else { "" };
            warnings.push(format!(
                "metadata.finalizers: {quoted}: prefer a domain-qualified finalizer name{path} to avoid accidental \
                 conflicts with other finalizer writers"
            ));
        }
    }
    warnings
}

const ANNOTATIONS: &[&str] = &["metadata", "annotations"];
const STANDARD_FINALIZERS: [&str; 3] = ["kubernetes", "orphan", "foregroundDeletion"];

/// The kinds that are warned about in the same way whether they are new or not.
fn on_any_write(object: &Object, map: &Map, spec: &Map, warnings: &mut Vec<String>) {
    match (&*object.kind.group, &*object.kind.kind) {
        ("", "Service") => service::service(object, spec, warnings),
        ("", "Endpoints") => address::endpoints(object, map, warnings),
        ("", "PersistentVolume") => volume::persistent_volume(object, spec, warnings),
        ("", "PersistentVolumeClaim") => volume::claim(object, spec, warnings),
        ("", "Node") => node(spec, warnings),
        ("", "Secret") if text(map, "type") == "kubernetes.io/tls" => tls::key_pair(map, warnings),
        ("networking.k8s.io", "NetworkPolicy") => address::network_policy(spec, warnings),
        ("node.k8s.io", "RuntimeClass") => node_label::runtime_class(map, warnings),
        ("storage.k8s.io", "StorageClass") => node_label::storage_class(map, warnings),
        ("storage.k8s.io", "CSIStorageCapacity") => node_label::storage_capacity(map, warnings),
        ("resource.k8s.io", "ResourceSlice") => {
            let driver = text(spec, "driver");
            if driver != driver.to_lowercase() {
                warnings.push(format!(
                    "spec.driver: driver names should be lowercase; {} contains uppercase characters",
                    quote(driver)
                ));
            }
        }
        _ => {}
    }
}

fn dns_label_recommended(object: &Object, used_in: &str, warnings: &mut Vec<String>) {
    let problems = names::is_dns1123_label(object.name());
    if !problems.is_empty() {
        warnings.push(format!(
            "metadata.name: this is used in {used_in}, which can result in surprising behavior; a DNS label is \
             recommended: [{}]",
            problems.join(" ")
        ));
    }
}

fn template(owner: &Map, path: &'static str, warnings: &mut Vec<String>) {
    if let Some(template) = child(owner, "template") {
        pod::template(template, &Path::new(path), warnings);
    }
}

fn job(spec: &Map, path: &'static str, warnings: &mut Vec<String>) {
    const MANY_COMPLETIONS: i64 = 100_000;
    const MUCH_PARALLELISM: i64 = 10_000;
    let is_indexed = text(spec, "completionMode") == "Indexed";
    if is_indexed
        && number(spec, "completions") > MANY_COMPLETIONS
        && number(spec, "parallelism") > MUCH_PARALLELISM
    {
        warnings.push(format!(
            "{path}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, \
             Kubernetes might not be able to track completedIndexes when a big number of indexes fail"
        ));
    }
    if let Some(template) = child(spec, "template") {
        pod::template(template, &Path::new(path).child("template"), warnings);
    }
}

fn stateful_set(spec: &Map, is_update: bool, warnings: &mut Vec<String>) {
    let empty = Map::new();
    for (index, claim) in items(spec, "volumeClaimTemplates").enumerate() {
        let mut path = Path::new("spec.volumeClaimTemplates").index(index);
        if is_update {
            path = path.child("Spec");
        }
        volume::claim_spec(child(claim, "spec").unwrap_or(&empty), &path, warnings);
    }
    if number(spec, "revisionHistoryLimit") < 0 {
        warnings.push(
            "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended"
                .to_owned(),
        );
    }
}

fn resource_quota(spec: &Map, warnings: &mut Vec<String>) {
    let Some(hard) = child(spec, "hard") else { return };
    let quantity = |name: &str| Quantity::parse(hard.get(name)?.as_str()?).ok();
    for resource in ["cpu", "memory", "storage", "ephemeral-storage"] {
        let mut request_name = format!("requests.{resource}");
        let mut request = quantity(&request_name);
        if request.is_none() && matches!(resource, "cpu" | "memory") {
            request = quantity(resource);
            resource.clone_into(&mut request_name);
        }
        let limit_name = format!("limits.{resource}");
        if let (Some(request), Some(limit)) = (request, quantity(&limit_name))
            && request > limit
        {
            warnings.push(format!(
                "ResourceQuota {request_name} ({request}) should be less than {limit_name} ({limit})"
            ));
        }
    }
}

fn mountable_secrets(account: &Object, old: Option<&Object>, warnings: &mut Vec<String>) {
    const ANNOTATION: &str = "kubernetes.io/enforce-mountable-secrets";
    if account.annotation(ANNOTATION).is_some() && old.is_none_or(|old| old.annotation(ANNOTATION).is_none())
    {
        warnings.push(format!(
            "metadata.annotations[{ANNOTATION}]: deprecated in v1.32+; prefer separate namespaces to isolate access to \
             mounted secrets"
        ));
    }
}

fn ingress(ingress: &Object, spec: &Map, warnings: &mut Vec<String>) {
    const ANNOTATION: &str = "kubernetes.io/ingress.class";
    if ingress.annotation(ANNOTATION).is_some() && !has(spec, "ingressClassName") {
        warnings.push(format!(
            "annotation \"{ANNOTATION}\" is deprecated, please use 'spec.ingressClassName' instead"
        ));
    }
}

fn csi_driver(spec: &Map, warnings: &mut Vec<String>) {
    if !has(spec, "serviceAccountTokenInSecrets") {
        warnings.push(
            "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent \
             possible logging of tokens in volume attributes"
                .to_owned(),
        );
    }
}

fn static_suffix(object: &Object, warnings: &mut Vec<String>) {
    const SUFFIX: &str = ".static.k8s.io";
    if object.name().ends_with(SUFFIX) {
        warnings.push(format!(
            "metadata.name: names ending with \"{SUFFIX}\" are reserved for static manifest-based configurations and \
             cannot be managed via the API"
        ));
    }
}

fn node(spec: &Map, warnings: &mut Vec<String>) {
    if has(spec, "configSource") {
        warnings.push("spec.configSource: the feature is removed".to_owned());
    }
    if !is_zero(spec, "externalID") {
        warnings.push("spec.externalID: this field is deprecated, and is unused by Kubernetes".to_owned());
    }
    for (index, network) in list(spec, "podCIDRs").iter().filter_map(Value::as_str).enumerate() {
        address::cidr(&Path::new("spec.podCIDRs").index(index), network, warnings);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::GroupVersionKind;
    use crate::value::json;

    fn object(value: Value) -> Object {
        let text = |field: &str| value[field].as_str().unwrap_or_default().to_owned();
        Object::new(GroupVersionKind::from_api_version(&text("apiVersion"), &text("kind")), value)
    }

    pub(super) fn on_create(value: Value) -> Vec<String> {
        warnings_on_create(&object(value), &FeatureGates::default())
    }

    #[test]
    fn names_of_workloads_should_be_labels() {
        let deployment = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a.b"}});
        let warnings = on_create(deployment);
        assert_eq!(warnings.len(), 1);
        assert!(warnings[0].starts_with(
            "metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label \
             is recommended: [must not contain dots"
        ));
    }

    #[test]
    fn a_workload_is_looked_at_again_when_it_changes() {
        let deployment = |replicas: i32| {
            let spec = json!({"nodeSelector": {"beta.kubernetes.io/os": "linux"}});
            let spec = json!({"replicas": replicas, "template": {"spec": spec}});
            object(json!({"apiVersion": "apps/v1", "kind": "Deployment", "spec": spec}))
        };
        assert_eq!(
            warnings_on_update(&deployment(2), &deployment(1), ""),
            [
                "spec.template.spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use \"kubernetes.io/os\" \
              instead"
            ]
        );
        assert!(warnings_on_update(&deployment(1), &deployment(1), "").is_empty());
        assert!(warnings_on_update(&deployment(2), &deployment(1), "status").is_empty());
    }

    #[test]
    fn requests_of_a_quota_should_not_exceed_its_limits() {
        let hard = json!({"memory": "2Gi", "limits.memory": "1Gi", "requests.cpu": "1", "limits.cpu": "1"});
        let quota = json!({"apiVersion": "v1", "kind": "ResourceQuota", "spec": {"hard": hard}});
        assert_eq!(on_create(quota), ["ResourceQuota memory (2Gi) should be less than limits.memory (1Gi)"]);
    }

    #[test]
    fn finalizers_of_custom_resources_should_name_their_domain() {
        let backup = |finalizers: Value| {
            let metadata = json!({"finalizers": finalizers});
            object(json!({"apiVersion": "example.com/v1", "kind": "Backup", "metadata": metadata}))
        };
        let new = backup(json!(["example.com/a", "orphan", "b", "a.example.com"]));
        assert_eq!(
            warnings_on_custom(&new, None),
            [
                "metadata.finalizers: \"a.example.com\": prefer a domain-qualified finalizer name including a path (/) to \
                 avoid accidental conflicts with other finalizer writers",
                "metadata.finalizers: \"b\": prefer a domain-qualified finalizer name to avoid accidental conflicts with \
                 other finalizer writers"
            ]
        );
        assert!(warnings_on_custom(&new, Some(&new)).is_empty());
    }

    #[test]
    fn other_kinds_have_their_own_warnings() {
        let warning = |value: Value| on_create(value).join("\n");
        let annotations = json!({"kubernetes.io/ingress.class": "nginx"});
        let metadata = json!({"annotations": annotations});
        assert_eq!(
            warning(json!({"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": metadata})),
            "annotation \"kubernetes.io/ingress.class\" is deprecated, please use 'spec.ingressClassName' instead"
        );
        let spec = json!({"configSource": {}, "externalID": "a"});
        assert_eq!(
            warning(json!({"apiVersion": "v1", "kind": "Node", "spec": spec})),
            "spec.configSource: the feature is removed\nspec.externalID: this field is deprecated, and is unused by \
             Kubernetes"
        );
        let spec = json!({"revisionHistoryLimit": -1});
        assert_eq!(
            warning(json!({"apiVersion": "apps/v1", "kind": "StatefulSet", "spec": spec})),
            "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended"
        );
        let spec = json!({"driver": "Example.com"});
        assert_eq!(
            warning(json!({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "spec": spec})),
            "spec.driver: driver names should be lowercase; \"Example.com\" contains uppercase characters"
        );
    }
}
