//! What the registry does to an object between the mutating and the validating halves of admission: the fields that
//! users do not set are cleared or copied, those behind closed feature gates are dropped, generated ones are made.
//!
//! What the server keeps has been through its storage, which defaults it once more: the object of an answer is
//! the prepared one as [`store`] leaves it. Deliberately absent is what is made up: uids, resource versions, generations,
//! cluster IPs and node ports; times come from the caller's clock through [`fill_times`].
//!
//! Source: `k8s.io/kubernetes/pkg/registry`, the `strategy.go` of each resource; `k8s.io/apiserver/pkg/registry/rest`.

mod certificate;
mod gated;
mod job;
mod pod;
mod service;
mod status;
mod volume;

use crate::value::json;

use crate::api::decode::normalize;
use crate::api::features::FeatureGates;
use crate::api::schema;
use crate::api::tree::{
    child, child_mut, copy, descend, has, items_mut, list, made, remove_key, set, set_if_zero, text,
};
use crate::api::{GroupVersionKind, Map, Object, Value};
use crate::registry::defaults;
use crate::source::{Data, Node};

pub use certificate::Requester;

/// What a creation knows besides its object.
#[derive(Clone, Copy, Debug, Default)]
pub struct Creation<'a> {
    /// The uid that the object will have, for the selector of a Job.
    pub uid: &'a str,
    /// Who asks, for what a `CertificateSigningRequest` says about it.
    pub requester: Option<&'a Requester>,
    /// What [`shares_labels_with_template`] said of the object before it was defaulted.
    pub shares_labels: bool,
}

/// Names an object that has only `metadata.generateName`; `generate` makes a name of that.
pub fn generate_name(object: &mut Object, generate: impl FnOnce(&str) -> String) {
    if object.name().is_empty() && !object.generate_name().is_empty() {
        let name = generate(object.generate_name());
        object.set(&["metadata", "name"], name);
    }
}

/// Whether defaulting makes the labels of a Job those of its template, when it reads `body`: one map then, to which
/// the labels are added that tie the Job's Pods to it.
pub fn shares_labels_with_template(kind: &GroupVersionKind, body: &Node) -> bool {
    let labels = body.get("metadata").and_then(|metadata| metadata.get("labels"));
    kind.is("batch", "Job")
        && match labels.map(|labels| &labels.data) {
            Some(Data::Object(entries)) => entries.is_empty(),
            _ => true,
        }
}

/// Prepares `object` to be created, and returns the warnings that come up on the way. They precede those of
/// [`warnings_on_create`](crate::registry::warnings::warnings_on_create).
pub fn prepare_for_create(
    object: &mut Object,
    creation: &Creation<'_>,
    features: &FeatureGates,
) -> Vec<String> {
    let Object { kind, value: Value::Object(map), .. } = object else { return Vec::new() };
    let mut warnings = Vec::new();
    match (&*kind.group, &*kind.kind) {
        ("", "Service") => service::begin_create(map),
        ("batch", "Job") => job::generate_selector(map, creation),
        ("", "Namespace") => namespace_for_create(map),
        ("", "ServiceAccount") => clean_secret_references(map),
        ("", "PersistentVolumeClaim") => volume::claim(map, None, features),
        ("", "Node") => node_for_create(map),
        ("apps", "DaemonSet") => template_generation(map, None),
        ("certificates.k8s.io", "CertificateSigningRequest") => {
            certificate::set_requester(map, creation.requester);
        }
        ("authentication.k8s.io", "TokenRequest") => token_audiences(map),
        ("discovery.k8s.io", "EndpointSlice") => {
            items_mut(map, "endpoints").for_each(|endpoint| drop(endpoint.remove("deprecatedTopology")));
        }
        ("autoscaling", "HorizontalPodAutoscaler") => drop_status_annotations(map),
        _ => {}
    }
    status::reset(kind, map);
    gated::drop_disabled(kind, map, None, features);
    if kind.is("", "Pod") {
        warnings = pod::for_create(map, features);
    }
    normalize(object);
    warnings
}

/// Prepares `object` to replace `old`, through `sub_resource` or, where that is empty, as a whole.
pub fn prepare_for_update(object: &mut Object, old: &Object, sub_resource: &str, features: &FeatureGates) {
    let Object { kind, value: Value::Object(map), .. } = object else { return };
    let Value::Object(old) = &old.value else { return };
    copy_metadata(map, old, &["generation"]);
    match (&*kind.group, &*kind.kind, sub_resource) {
        ("", "Pod", _) => pod::for_update(map, old, sub_resource),
        ("certificates.k8s.io", "CertificateSigningRequest", _) => {
            certificate::for_update(map, old, sub_resource);
        }
        ("", "Namespace", "finalize") => copy(map, old, "status"),
        (_, _, "status") => status_for_update(&kind.group, &kind.kind, map, old),
        ("", "Namespace", _) => {
            copy(map, old, "spec");
            copy(map, old, "status");
            defaults::label_namespace(map);
        }
        ("", "Service", _) => service::for_update(map, old),
        ("", "Secret", _) if text(map, "type").is_empty() => copy(map, old, "type"),
        ("", "ServiceAccount", _) => clean_secret_references(map),
        ("", "PersistentVolumeClaim", _) => {
            copy(map, old, "status");
            volume::claim(map, Some(old), features);
        }
        ("", "Node", _) => {
            copy(map, old, "status");
            if descend(old, &["spec"]).is_none_or(|spec| !has(spec, "configSource"))
                && let Some(spec) = child_mut(map, "spec")
            {
                spec.remove("configSource");
            }
        }
        ("apps", "DaemonSet", _) => {
            copy(map, old, "status");
            template_generation(map, Some(old));
        }
        ("discovery.k8s.io", "EndpointSlice", _) if map.get("endpoints") != old.get("endpoints") => {
            items_mut(map, "endpoints").for_each(|endpoint| drop(endpoint.remove("deprecatedTopology")));
        }
        _ if status::is_reset(kind) => copy(map, old, "status"),
        _ => {}
    }
    if kind.is("apiextensions.k8s.io", "CustomResourceDefinition") && sub_resource.is_empty() {
        status::store_version(map);
    }
    gated::drop_disabled(kind, map, Some(old), features);
    keep_metadata(map, old);
    normalize(object);
}

/// Makes `object` what comes back from the storage: it is encoded there in a form that knows no empty lists, and
/// defaulted once more when it is read.
pub fn store(object: &mut Object, features: &FeatureGates) {
    // Definitions and custom resources are stored as JSON.
    let is_binary = !object.kind.is("apiextensions.k8s.io", "CustomResourceDefinition");
    if is_binary && schema::of(&object.kind).is_some() {
        forget_empty_lists(&mut object.value);
    }
    defaults::set_defaults(object, features);
    normalize(object);
    object.forget_all_empty();
}

/// Fields that hold any JSON, which is stored as it is.
const RAW_FIELDS: [&str; 3] = ["data", "parameters", "fieldsV1"];

fn forget_empty_lists(value: &mut Value) {
    match value {
        Value::Array(items) if items.is_empty() => *value = Value::Null,
        Value::Array(items) => items.iter_mut().for_each(forget_empty_lists),
        Value::Object(entries) => {
            for (field, value) in entries {
                if !RAW_FIELDS.contains(&field.as_str()) {
                    forget_empty_lists(value);
                }
            }
        }
        _ => {}
    }
}

/// Fills in the times that the server takes from its clock when it prepares an object: `now` as RFC 3339. For an
/// update, `old` is what the object replaces.
pub fn fill_times(object: &mut Object, old: Option<&Object>, sub_resource: &str, now: &str) {
    let kind = object.kind.clone();
    let Value::Object(map) = &mut object.value else { return };
    match (&*kind.group, &*kind.kind, sub_resource) {
        ("", "PersistentVolume", sub_resource) => volume::fill_phase_time(map, old, sub_resource, now),
        ("", "Pod", "") if old.is_none() => {
            for condition in
                child_mut(map, "status").into_iter().flat_map(|status| items_mut(status, "conditions"))
            {
                set_if_zero(condition, "lastTransitionTime", now);
            }
        }
        ("certificates.k8s.io", "CertificateSigningRequest", "approval" | "status") => {
            for condition in
                child_mut(map, "status").into_iter().flat_map(|status| items_mut(status, "conditions"))
            {
                set_if_zero(condition, "lastUpdateTime", now);
                set_if_zero(condition, "lastTransitionTime", now);
            }
        }
        _ => {}
    }
}

/// Prepares a custom resource to be created; its status goes where the definition has a status subresource.
pub fn prepare_custom_for_create(object: &mut Object, has_status: bool) {
    if has_status {
        object.remove(&["status"]);
    }
}

/// Prepares a custom resource to replace `old`; its status stays where the definition has a status subresource, and
/// is all that changes through that.
pub fn prepare_custom_for_update(object: &mut Object, old: &Object, sub_resource: &str, has_status: bool) {
    let (Value::Object(map), Value::Object(old)) = (&mut object.value, &old.value) else { return };
    if sub_resource == "status" {
        let status = map.remove("status");
        let managed_fields = child_mut(map, "metadata").and_then(|metadata| metadata.remove("managedFields"));
        map.clone_from(old);
        map.remove("status");
        map.extend(status.map(|status| ("status".to_owned(), status)));
        let metadata = made(map, "metadata");
        metadata.remove("managedFields");
        metadata.extend(managed_fields.map(|fields| ("managedFields".to_owned(), fields)));
        return;
    }
    copy_metadata(map, old, &["generation"]);
    if has_status {
        copy(map, old, "status");
    }
    keep_metadata(map, old);
}

/// What an update through `status` may change: the status, and the metadata that the kind's strategy leaves alone.
fn status_for_update(group: &str, kind: &str, map: &mut Map, old: &Map) {
    copy(map, old, "spec");
    match (group, kind) {
        ("apps", "Deployment") => copy_metadata(map, old, &["labels"]),
        ("flowcontrol.apiserver.k8s.io", _) => {
            let managed_fields =
                child_mut(map, "metadata").and_then(|metadata| metadata.remove("managedFields"));
            copy(map, old, "metadata");
            let metadata = made(map, "metadata");
            metadata.remove("managedFields");
            metadata.extend(managed_fields.map(|fields| ("managedFields".to_owned(), fields)));
        }
        ("apiregistration.k8s.io", _) => {
            copy_metadata(map, old, &["labels", "annotations", "finalizers", "ownerReferences"]);
        }
        (
            "admissionregistration.k8s.io"
            | "internal.apiserver.k8s.io"
            | "certificates.k8s.io"
            | "scheduling.k8s.io"
            | "storagemigration.k8s.io"
            | "storage.k8s.io"
            | "resource.k8s.io",
            _,
        )
        | ("networking.k8s.io", "ServiceCIDR") => reset_metadata_for_status(map, old),
        _ => {}
    }
}

/// Source: `metav1.ResetObjectMetaForStatus`
fn reset_metadata_for_status(map: &mut Map, old: &Map) {
    const KEPT: [&str; 6] =
        ["deletionTimestamp", "selfLink", "labels", "annotations", "finalizers", "ownerReferences"];
    copy_metadata(map, old, &KEPT);
}

/// Makes the named fields of the metadata what they were.
fn copy_metadata(map: &mut Map, old: &Map, fields: &[&'static str]) {
    let empty = Map::new();
    let old = child(old, "metadata").unwrap_or(&empty);
    let metadata = made(map, "metadata");
    for field in fields {
        copy(metadata, old, field);
    }
}

/// What no update changes: when the object was made, and that it is being deleted; its uid, unless one is given.
fn keep_metadata(map: &mut Map, old: &Map) {
    let Some(old) = child(old, "metadata") else { return };
    let metadata = made(map, "metadata");
    for field in ["creationTimestamp", "deletionTimestamp"] {
        if has(old, field) {
            copy(metadata, old, field);
        }
    }
    for field in ["uid", "deletionGracePeriodSeconds"] {
        if has(old, field) && !has(metadata, field) {
            copy(metadata, old, field);
        }
    }
}

/// A token is for the server itself unless it says for whom; the server's name is the one that kubeadm gives it.
///
/// Source: `TokenREST.Create`.
fn token_audiences(request: &mut Map) {
    let spec = made(request, "spec");
    if list(spec, "audiences").is_empty() {
        set(spec, "audiences", json!(["https://kubernetes.default.svc.cluster.local"]));
    }
}

fn namespace_for_create(namespace: &mut Map) {
    const FINALIZER: &str = "kubernetes";
    let spec = made(namespace, "spec");
    if !list(spec, "finalizers").iter().any(|finalizer| finalizer == FINALIZER) {
        match spec.get_mut("finalizers") {
            Some(Value::Array(finalizers)) => finalizers.push(FINALIZER.into()),
            _ => set(spec, "finalizers", json!([FINALIZER])),
        }
    }
    defaults::label_namespace(namespace);
}

fn node_for_create(node: &mut Map) {
    for (part, field) in [("spec", "configSource"), ("status", "config")] {
        if let Some(part) = child_mut(node, part) {
            part.remove(field);
        }
    }
}

/// Of a reference to a secret, a service account keeps the name.
fn clean_secret_references(account: &mut Map) {
    for secret in items_mut(account, "secrets") {
        secret.retain(|field, _| field == "name");
    }
}

/// Counts the templates that a `DaemonSet` has had, in an annotation.
fn template_generation(daemon_set: &mut Map, old: Option<&Map>) {
    const ANNOTATION: &str = "deprecated.daemonset.template.generation";
    fn generation(daemon_set: &Map) -> i64 {
        let annotations = descend(daemon_set, &["metadata", "annotations"]);
        annotations.and_then(|annotations| text(annotations, ANNOTATION).parse().ok()).unwrap_or_default()
    }
    let template = |daemon_set| child(daemon_set, "spec").and_then(|spec| spec.get("template"));
    let generation = match old {
        None => generation(daemon_set).max(1),
        Some(old) if template(old) == template(daemon_set) => generation(old),
        Some(old) => generation(old).saturating_add(1),
    };
    set(made(made(daemon_set, "metadata"), "annotations"), ANNOTATION, generation.to_string());
}

/// `autoscaling/v1` keeps part of the status in annotations.
fn drop_status_annotations(autoscaler: &mut Map) {
    if let Some(metadata) = child_mut(autoscaler, "metadata") {
        for annotation in defaults::AUTOSCALER_STATUS_ANNOTATIONS {
            remove_key(metadata, "annotations", annotation);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Span;

    pub(super) fn object(value: &Value) -> Object {
        let text = |field: &str| value[field].as_str().unwrap_or_default().to_owned();
        let kind = GroupVersionKind::from_api_version(&text("apiVersion"), &text("kind"));
        let mut object = Object::new(kind, value.clone());
        defaults::set_defaults(&mut object, &FeatureGates::default());
        object
    }

    pub(super) fn created(value: &Value) -> Value {
        let mut object = object(value);
        prepare_for_create(&mut object, &Creation::default(), &FeatureGates::default());
        object.value
    }

    pub(super) fn updated(new: &Value, old: &Value, sub_resource: &str) -> Value {
        let mut new = object(new);
        prepare_for_update(&mut new, &object(old), sub_resource, &FeatureGates::default());
        new.value
    }

    #[test]
    fn users_do_not_set_the_status_of_new_objects() {
        let budget =
            json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "status": {"expectedPods": 3}});
        let zero =
            json!({"currentHealthy": 0, "desiredHealthy": 0, "disruptionsAllowed": 0, "expectedPods": 0});
        assert_eq!(created(&budget)["status"], zero);
        let node = json!({"apiVersion": "v1", "kind": "Node", "status": {"capacity": {"cpu": "4"}}});
        assert_eq!(created(&node)["status"]["capacity"]["cpu"], "4");
    }

    #[test]
    fn a_name_is_generated_where_there_is_none() {
        let name = |metadata| {
            let mut object = object(&json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}));
            generate_name(&mut object, |base| format!("{base}12345"));
            object.name().to_owned()
        };
        assert_eq!(name(json!({"generateName": "a-"})), "a-12345");
        assert_eq!(name(json!({"generateName": "a-", "name": "b"})), "b");
        assert_eq!(name(json!({})), "");
    }

    #[test]
    fn a_namespace_is_finalized_by_kubernetes() {
        let metadata = json!({"generateName": "a-", "name": "a-1"});
        let spec = json!({"finalizers": ["example.com/a"]});
        let namespace =
            created(&json!({"apiVersion": "v1", "kind": "Namespace", "metadata": metadata, "spec": spec}));
        assert_eq!(namespace["spec"]["finalizers"], json!(["example.com/a", "kubernetes"]));
        assert_eq!(namespace["metadata"]["labels"], json!({"kubernetes.io/metadata.name": "a-1"}));
        assert_eq!(namespace["status"], json!({"phase": "Active"}));
    }

    #[test]
    fn an_update_changes_the_specification_or_the_status() {
        let deployment = |replicas: i32, available: i32, label: &str| {
            json!({
                "apiVersion": "apps/v1",
                "kind": "Deployment",
                "metadata": {"uid": "u", "labels": {"a": label}, "creationTimestamp": "2025-01-01T00:00:00Z"},
                "spec": {"replicas": replicas},
                "status": {"availableReplicas": available}
            })
        };
        let summary = |value: &Value| {
            let label = value["metadata"]["labels"]["a"].as_str().map(str::to_owned);
            (value["spec"]["replicas"].as_i64(), value["status"]["availableReplicas"].as_i64(), label)
        };
        let (new, old) = (deployment(2, 2, "new"), deployment(1, 1, "old"));
        assert_eq!(summary(&updated(&new, &old, "")), (Some(2), Some(1), Some("new".to_owned())));
        assert_eq!(summary(&updated(&new, &old, "status")), (Some(1), Some(2), Some("old".to_owned())));
        let mut bare = new;
        bare["metadata"] = json!({});
        assert_eq!(updated(&bare, &old, "")["metadata"]["uid"], "u");
        assert_eq!(updated(&bare, &old, "")["metadata"]["creationTimestamp"], "2025-01-01T00:00:00Z");
    }

    #[test]
    fn a_status_update_leaves_the_metadata_alone() {
        let group = |label: &str| {
            let metadata = json!({"labels": {"a": label}, "finalizers": [label]});
            json!({"apiVersion": "scheduling.k8s.io/v1alpha2", "kind": "PodGroup", "metadata": metadata})
        };
        assert_eq!(updated(&group("new"), &group("old"), "status")["metadata"], group("old")["metadata"]);
    }

    #[test]
    fn a_daemon_set_counts_its_templates() {
        const ANNOTATION: &str = "deprecated.daemonset.template.generation";
        let set = |image: &str, generation: &str| {
            json!({
                "apiVersion": "apps/v1",
                "kind": "DaemonSet",
                "metadata": {"annotations": {ANNOTATION: generation}},
                "spec": {"template": {"spec": {"containers": [{"name": "a", "image": image}]}}}
            })
        };
        let count = |set: Value| set["metadata"]["annotations"][ANNOTATION].as_str().map(str::to_owned);
        assert_eq!(count(created(&set("a", "0"))).as_deref(), Some("1"));
        assert_eq!(count(updated(&set("a", "9"), &set("a", "3"), "")).as_deref(), Some("3"));
        assert_eq!(count(updated(&set("b", "9"), &set("a", "3"), "")).as_deref(), Some("4"));
    }

    #[test]
    fn the_storage_knows_no_empty_lists() {
        let mut role =
            object(&json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "rules": []}));
        store(&mut role, &FeatureGates::default());
        assert_eq!(role.value["rules"], Value::Null);
        let data = json!({"list": []});
        let mut revision =
            object(&json!({"apiVersion": "apps/v1", "kind": "ControllerRevision", "data": data}));
        store(&mut revision, &FeatureGates::default());
        assert_eq!(revision.value["data"], data);
    }

    #[test]
    fn times_come_from_the_callers_clock() {
        let now = "2026-01-01T00:00:00Z";
        let mut volume = object(&created(&json!({"apiVersion": "v1", "kind": "PersistentVolume"})));
        fill_times(&mut volume, None, "", now);
        assert_eq!(volume.text(&["status", "lastPhaseTransitionTime"]), now);
        let mut bound = volume.clone();
        bound.set(&["status", "phase"], "Bound");
        fill_times(&mut bound, Some(&volume), "status", "2027-01-01T00:00:00Z");
        assert_eq!(bound.text(&["status", "lastPhaseTransitionTime"]), "2027-01-01T00:00:00Z");
    }

    #[test]
    fn custom_resources_have_a_status_where_their_definition_says_so() {
        let backup = |keep: i32, done: bool| {
            let value = json!({"metadata": {"name": "a"}, "spec": {"keep": keep}, "status": {"done": done}});
            Object::new(GroupVersionKind::new("example.com", "v1", "Backup"), value)
        };
        let mut new = backup(1, true);
        prepare_custom_for_create(&mut new, false);
        assert_eq!(new, backup(1, true));
        prepare_custom_for_create(&mut new, true);
        assert_eq!(new.at(&["status"]), None);
        let old = backup(1, false);
        let mut new = backup(2, true);
        prepare_custom_for_update(&mut new, &old, "", true);
        assert_eq!(new, backup(2, false));
        let mut new = backup(2, true);
        prepare_custom_for_update(&mut new, &old, "status", true);
        assert_eq!(new, backup(1, true));
    }

    #[test]
    fn a_job_without_labels_shares_those_of_its_template() {
        let node = |data| Node { span: Span::new(0..0), data };
        let entry =
            |key: &str, value| crate::source::Entry { key: key.into(), key_span: Span::new(0..0), value };
        let job = GroupVersionKind::new("batch", "v1", "Job");
        assert!(shares_labels_with_template(&job, &node(Data::Object(Vec::new()))));
        let labels = node(Data::Object(vec![entry("app", node(Data::String("web".into())))]));
        let metadata = node(Data::Object(vec![entry("labels", labels)]));
        let body = node(Data::Object(vec![entry("metadata", metadata)]));
        assert!(!shares_labels_with_template(&job, &body));
    }
}
