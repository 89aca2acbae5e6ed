//! The objects that exist: those that the server's answers show.

use std::sync::Arc;

use crate::cluster::Cluster;
use crate::evaluation::Evaluator;
use crate::replay::event::Event;
use crate::replay::request;
use gotext::source::Node;
use kube_api::decode::{DecodeContext, FieldValidation};
use kube_api::resources::{IP_ADDRESSES, NAMESPACES, PRIORITY_CLASSES, SERVICES};
use kube_api::server_profile::ServerProfile;
use kube_api::{GroupResource, GroupVersionKind, Object, Value, kinds, labels, resource};
use kube_registry::NOW;

/// The fields that identify an object and its state.
const UID: [&str; 2] = ["metadata", "uid"];
const MANAGERS: &str = "managedFields";
const VERSION: [&str; 2] = ["metadata", "resourceVersion"];

/// Removes what every API server creates itself.
pub(super) fn clear(cluster: &Cluster) {
    for resource in [NAMESPACES, PRIORITY_CLASSES, SERVICES] {
        for object in cluster.list_all(&resource) {
            cluster.remove(&resource, object.namespace(), object.name());
        }
    }
}

/// Returns the names of the objects that the request of `event`, for a collection, is about.
pub(super) fn collected(event: &Event, cluster: &Cluster) -> Vec<String> {
    let selector = event.option("labelSelector").and_then(|selector| labels::parse(&selector).ok());
    let namespace = event.own_namespace();
    let objects = if namespace.is_empty() {
        cluster.list_all(event.group_resource())
    } else {
        cluster.list(event.group_resource(), namespace)
    };
    let is_selected = |object: &Arc<Object>| {
        selector.as_ref().is_none_or(|selector| selector.matches_labels(object.at(["metadata", "labels"])))
    };
    objects.iter().filter(|object| is_selected(object)).map(|object| object.name().to_owned()).collect()
}

/// Returns why the request cannot be judged, if the log and the cluster do not show what it depends on.
pub(super) fn check_seen(event: &Event, cluster: &Cluster) -> Result<(), String> {
    let namespace = event.own_namespace();
    if event.succeeded() && !namespace.is_empty() && cluster.namespace(namespace).is_none() {
        return Err("the log and --cluster do not show the namespace".to_owned());
    }
    let stored = cluster.get(event.group_resource(), namespace, event.stored_name());
    let needs_object = match event.verb.as_str() {
        // The other end is asked after admission.
        _ if event.is_connection() => false,
        "create" => !event.sub_resource.is_empty() || event.message.ends_with("already exists"),
        // An apply creates its object, and so does an update of some kinds.
        "update" | "patch" => event.code != 201,
        "deletecollection" => false,
        _ => true,
    };
    // An apply that is invalid may have been about a new object.
    let is_apply =
        event.verb == "patch" && event.request.as_ref().is_some_and(|body| request::is_apply(event, body));
    let is_shown = event.succeeded() || event.code == 409 || event.code == 422 && !is_apply;
    let Some(stored) = stored else {
        let is_missing = needs_object && is_shown && !event.stored_name().is_empty();
        return if is_missing {
            Err("the log and --cluster do not show the object".to_owned())
        } else {
            Ok(())
        };
    };
    let version = |object: &Value| object.text(VERSION).to_owned();
    let sent = event.request.as_ref().map(version).unwrap_or_default();
    let is_behind =
        event.verb == "update" && event.succeeded() && !sent.is_empty() && sent != version(&stored.value);
    if is_behind {
        return Err("the log does not show the object in the version that was changed".to_owned());
    }
    Ok(())
}

/// Takes back what the log shows before the request that caused it, and what the answer proves wrong.
pub(super) fn take_back(event: &Event, cluster: &Cluster) {
    let (resource, namespace, name) = (event.group_resource(), event.own_namespace(), event.stored_name());
    if event.verb == "create" && event.succeeded() && event.sub_resource.is_empty() {
        // It did not exist.
        cluster.remove(resource, namespace, name);
    }
    if *resource == SERVICES && event.verb != "delete" {
        // The server allocates addresses before it stores the Service.
        for address in cluster.list_all(&IP_ADDRESSES) {
            let parent = |field: &str| address.text(["spec", "parentRef", field]);
            if (parent("resource"), parent("namespace"), parent("name")) == ("services", namespace, name) {
                cluster.remove(&IP_ADDRESSES, "", address.name());
            }
        }
    }
}

/// Returns the object that the server answered `event` with, if its kind is one of Kubernetes.
pub(super) fn answered(event: &Event, profile: &ServerProfile) -> Option<(GroupResource, Object)> {
    let response = event.response.as_ref().filter(|_| event.succeeded() && !event.is_read())?;
    read_built_in(response, &kind_of(response), profile)
}

/// Reads an object of the log, of a kind that the server or the cluster defines.
pub(super) fn read(value: &Value, evaluator: &Evaluator) -> Option<(GroupResource, Object)> {
    let kind = kind_of(value);
    if resource::by_kind_in(evaluator.profile().release(), &kind).is_some() {
        return read_built_in(value, &kind, evaluator.profile());
    }
    let found = evaluator.cluster().custom_resource_of_kind(&kind.group, &kind.kind)?;
    let decoded = found.decode(Node::from(value.clone().untyped()), &context(&kind)).ok()?;
    let resource = GroupResource { group: kind.group.clone(), resource: found.plural.clone().into() };
    Some((resource, decoded.object))
}

fn read_built_in(
    value: &Value,
    kind: &GroupVersionKind,
    profile: &ServerProfile,
) -> Option<(GroupResource, Object)> {
    let found = resource::by_kind_in(profile.release(), kind)?;
    let mut value = value.clone().untyped();
    // The server wrote the owners of fields, so they are read already, and often they are half of an object.
    let managers = value.get_mut("metadata").and_then(Value::as_object_mut);
    let managers = managers.and_then(|metadata| metadata.remove(MANAGERS)).filter(Value::is_array);
    let mut object = kube_registry::read(Node::from(value), &context(kind), profile, NOW).ok()?.object;
    if let Some(managers) = managers {
        object.set(["metadata", MANAGERS], managers);
    }
    Some((found.group_version_resource().group_resource(), object))
}

fn kind_of(value: &Value) -> GroupVersionKind {
    GroupVersionKind::from_api_version(value.text("apiVersion"), value.text("kind"))
}

fn context(kind: &GroupVersionKind) -> DecodeContext<'_> {
    DecodeContext { kind, field_validation: FieldValidation::Ignore, strict_errors: &[], body: "" }
}

/// Whether the log does not show what a successful request changed, so that the prediction is all that is known.
pub(super) fn is_unshown(event: &Event) -> bool {
    let is_object = || event.response.as_ref().is_some_and(|response| response.text("kind") != "Status");
    let shows_own = match &*event.sub_resource {
        "binding" | "eviction" | "scale" | "token" | "ephemeralcontainers" => false,
        _ => event.verb.starts_with("delete") || is_object(),
    };
    event.succeeded() && !event.is_dry_run() && !shows_own
}

/// Brings the cluster to the state after `event`. `answered` is the object that the server answered with.
pub(super) fn follow(event: &Event, answered: Option<(GroupResource, Object)>, evaluator: &Evaluator) {
    if !event.succeeded() || event.is_dry_run() {
        return;
    }
    let cluster = evaluator.cluster();
    let resource = event.group_resource();
    let Some(response) = &event.response else {
        if event.verb == "delete" && !event.name.is_empty() {
            cluster.remove(resource, event.own_namespace(), &event.name);
        }
        return;
    };
    let is_deletion = event.verb.starts_with("delete");
    if response.text("kind").ends_with("List") {
        for item in response.list("items") {
            // Items of a list do not repeat their kind.
            let mut item = item.clone();
            if item.text("kind").is_empty() {
                item["kind"] = response.text("kind").trim_end_matches("List").into();
                item["apiVersion"] = response.text("apiVersion").into();
            }
            put(read(&item, evaluator), resource, is_deletion, evaluator);
        }
    } else if response.text("kind") == "Status" {
        if event.verb == "delete" {
            cluster.remove(resource, event.own_namespace(), &event.name);
        }
    } else {
        put(answered, resource, is_deletion, evaluator);
    }
}

/// Puts an object that the server answered with, or removes it if that was its end.
fn put(
    read: Option<(GroupResource, Object)>,
    resource: &GroupResource,
    is_deletion: bool,
    evaluator: &Evaluator,
) {
    let Some((own, mut object)) = read.filter(|(own, _)| own == resource) else { return };
    let cluster = evaluator.cluster();
    let (namespace, name) = (object.namespace().to_owned(), object.name().to_owned());
    if let Some(stored) = cluster.get(&own, &namespace, &name) {
        // Events are written when their requests end, so an earlier change may follow a later one.
        let number = |object: &Object| object.text(VERSION).parse::<u64>().ok();
        if stored.text(UID) == object.text(UID) && number(&object) < number(&stored) {
            return;
        }
    }
    if has_ended(&object, is_deletion) {
        return cluster.remove(&own, &namespace, &name);
    }
    if let Some(strategy) = kube_registry::of(&object.kind) {
        strategy.store(&mut object, evaluator.profile());
    }
    object.forget_written();
    match kube_registry::stored::to_storage(&object) {
        Some((resource, stored)) => cluster.put(&resource, Arc::new(stored)),
        None => cluster.put(&own, Arc::new(object)),
    }
}

/// Whether an object with this content is gone.
fn has_ended(object: &Object, is_deletion: bool) -> bool {
    let is_deleted = object.has(["metadata", "deletionTimestamp"]);
    if !object.list(["metadata", "finalizers"]).is_empty() || !(is_deleted || is_deletion) {
        return false;
    }
    if object.kind.is(kinds::NAMESPACE) {
        return object.list(["spec", "finalizers"]).is_empty();
    }
    // Until then its kubelet stops it.
    object.int(["metadata", "deletionGracePeriodSeconds"]) == 0
}
