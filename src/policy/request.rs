//! The variables `request` and `namespaceObject`.
//!
//! Source: `CreateAdmissionRequest`, `CreateNamespaceObject` of `k8s.io/apiserver/pkg/admission/plugin/cel`.

use gotext::value::json;

use crate::admission::{Attributes, Operation, Refusal};
use crate::cluster::Cluster;
use crate::policy::Matched;
use kube_api::resources::NAMESPACES;
use kube_api::{GroupVersionKind, GroupVersionResource, Map, Object, Status, Value, kinds};

/// Returns the `request` that expressions and webhooks get, without its objects, when it matches as `matched`.
pub fn admission_request(attributes: &Attributes, matched: &Matched) -> Value {
    let mut request = Map::new();
    let mut set = |name: &str, value: Value| drop(request.insert(name.to_owned(), value));
    set("kind", kind(&matched.kind));
    set("resource", resource(&matched.resource));
    set("requestKind", kind(&attributes.kind));
    set("requestResource", resource(&attributes.resource));
    for (name, text) in [
        ("subResource", &*attributes.sub_resource),
        ("requestSubResource", &*attributes.sub_resource),
        ("name", attributes.name.as_str()),
        ("namespace", attributes.namespace.as_str()),
    ] {
        if !text.is_empty() {
            set(name, text.into());
        }
    }
    set("operation", attributes.operation.as_str().into());
    set("userInfo", user_info(attributes));
    // A connection is never a trial.
    set("dryRun", (attributes.dry_run && attributes.operation != Operation::Connect).into());
    if let Some(options) = options(attributes) {
        set("options", options);
    }
    Value::Object(request)
}

/// Returns `CreateOptions`, `UpdateOptions` or `DeleteOptions`, with their kind.
fn options(attributes: &Attributes) -> Option<Value> {
    let kind = match attributes.operation {
        Operation::Create => "CreateOptions",
        Operation::Update => "UpdateOptions",
        Operation::Delete => "DeleteOptions",
        Operation::Connect => return None,
    };
    let mut options = match attributes.options.as_deref() {
        Some(Value::Object(options)) => options.clone(),
        _ => Map::new(),
    };
    options.insert("kind".to_owned(), kind.into());
    options.insert("apiVersion".to_owned(), "meta.k8s.io/v1".into());
    if attributes.dry_run {
        options.entry("dryRun").or_insert_with(|| json!(["All"]));
    }
    Some(Value::Object(options))
}

fn kind(kind: &GroupVersionKind) -> Value {
    json!({"group": &*kind.group, "version": &*kind.version, "kind": &*kind.kind})
}

fn resource(resource: &GroupVersionResource) -> Value {
    json!({"group": &*resource.group, "version": &*resource.version, "resource": &*resource.resource})
}

fn user_info(attributes: &Attributes) -> Value {
    let user = &attributes.user_info;
    let mut info = Map::new();
    for (name, text) in [("username", &user.username), ("uid", &user.uid)] {
        if !text.is_empty() {
            info.insert(name.to_owned(), text.as_str().into());
        }
    }
    if !user.groups.is_empty() {
        info.insert("groups".to_owned(), json!(user.groups));
    }
    if !user.extra.is_empty() {
        info.insert("extra".to_owned(), json!(user.extra));
    }
    Value::Object(info)
}

/// Returns the namespace of a request for expressions; nothing if it has none or is about one.
///
/// # Errors
///
/// Returns 404 if there is no such namespace.
pub fn namespace_object(attributes: &Attributes, cluster: &Cluster) -> Result<Option<Value>, Refusal> {
    if attributes.namespace.is_empty() || attributes.kind.is(kinds::NAMESPACE) {
        return Ok(None);
    }
    match cluster.namespace(&attributes.namespace) {
        Some(namespace) => Ok(Some(described(&namespace))),
        None => Err(Status::new_not_found(&NAMESPACES, &attributes.namespace).into()),
    }
}

fn described(namespace: &Object) -> Value {
    const METADATA: &[&str] = &[
        "name",
        "generateName",
        "namespace",
        "uid",
        "resourceVersion",
        "generation",
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "labels",
        "annotations",
        "finalizers",
    ];
    let metadata: Map = METADATA
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), namespace.at(["metadata", name])?.clone())))
        .collect();
    let part = |name: &str| namespace.at(name).cloned().unwrap_or_else(|| json!({}));
    json!({"metadata": metadata, "spec": part("spec"), "status": part("status")})
}
