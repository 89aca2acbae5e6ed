//! The server's handling of image streams besides admission: generations of tags, the place in the registry, and limits
//! on their size.
//!
//! Deliberately absent: the events that a tag which refers to another stream adds to the status, and the check that this
//! stream exists.
//!
//! Source: `openshift-apiserver` `pkg/image/apiserver/registry/imagestream/strategy.go`,
//! `pkg/image/apiserver/admission/limitrange`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::openshift::allowed_registries::AllowedRegistries;
use crate::openshift::reference::Reference;
use gotext::quantity::{Format, Quantity};
use gotext::value::json;
use kube_api::tree::{child_mut, child_or_insert, copy, items_mut, set};
use kube_api::{GroupResource, GroupVersionKind, Map, Object, Status, Value};

const LIMIT_TYPE: &str = "openshift.io/ImageStream";
/// The resources that a `LimitRange` limits in a stream: images of the status, references of the spec.
const RESOURCES: [&str; 2] = ["openshift.io/image-tags", "openshift.io/images"];

/// The context of the strategy of image streams.
#[derive(Clone, Debug, Default)]
pub struct StreamContext {
    /// The address of the integrated registry; empty if there is none.
    pub registry: String,
    /// The registries that a stream may refer to.
    pub allowed_registries: AllowedRegistries,
    /// The `LimitRanges` of the namespace.
    pub limit_ranges: Vec<Arc<Object>>,
    /// The namespace of the request.
    pub namespace: String,
    /// Whether the server is a master of Origin 1.4, which has no exceptions and other messages.
    pub is_origin_1_4: bool,
}

/// Whether `kind` is that of image streams.
pub fn is_image_stream(kind: &GroupVersionKind) -> bool {
    kind.kind == "ImageStream" && ["", "image.openshift.io"].contains(&&*kind.group)
}

/// Whether `kind` is that of tags of image streams, which are parts of a stream.
pub fn is_tag(kind: &GroupVersionKind) -> bool {
    kind.kind == "ImageStreamTag" && ["", "image.openshift.io"].contains(&&*kind.group)
}

/// Whether `kind` is that of imports into image streams.
pub fn is_import(kind: &GroupVersionKind) -> bool {
    kind.kind == "ImageStreamImport" && ["", "image.openshift.io"].contains(&&*kind.group)
}

/// Returns the image streams that objects of `kind` belong to.
pub fn resource_of(kind: &GroupVersionKind) -> GroupResource {
    GroupResource { group: kind.group.clone(), resource: "imagestreams".into() }
}

/// Whether `object` is an import for which the server creates an image stream if there is none.
pub fn brings_stream(object: &Object) -> bool {
    is_import(&object.kind) && object.at(["spec", "import"]).and_then(Value::as_bool) == Some(true)
}

/// Returns the stream that the server creates for a tag or an import of `kind`.
pub fn of_tag(kind: &GroupVersionKind, namespace: &str, name: &str, registry: &str) -> Object {
    let repository =
        if registry.is_empty() { String::new() } else { format!("{registry}/{namespace}/{name}") };
    let kind = GroupVersionKind { kind: "ImageStream".into(), ..kind.clone() };
    let value = json!({
        "apiVersion": kind.api_version(),
        "kind": "ImageStream",
        "metadata": {"name": name, "namespace": namespace, "generation": 1},
        "spec": {},
        "status": {"dockerImageRepository": repository},
    });
    Object::new(kind, value)
}

/// Returns the tag that the server uses as the old one if there is none: with the version of its stream, if that
/// exists.
pub fn unset_tag(kind: &GroupVersionKind, namespace: &str, name: &str, has_stream: bool) -> Object {
    let mut tag = json!({
        "apiVersion": kind.api_version(),
        "kind": kind.kind.to_string(),
        "metadata": {"name": name, "namespace": namespace},
    });
    if has_stream {
        tag["metadata"]["resourceVersion"] = "1".into();
    }
    Object::new(kind.clone(), tag)
}

/// Prepares a stream to be created: its status is the server's.
pub fn prepare_for_create(stream: &mut Object, around: &StreamContext) {
    let name = stream.name().to_owned();
    let Value::Object(map) = &mut stream.value else { return };
    let mut status = Map::new();
    status.insert("dockerImageRepository", repository(map, &name, around).into());
    set(map, "status", status);
    for tag in items_mut(child_or_insert(map, "spec"), "tags") {
        set(tag, "generation", 1);
    }
    stream.set(["metadata", "generation"], 1);
}

/// Prepares a stream to replace `old`, or its status to replace that of `old`.
pub fn prepare_for_update(stream: &mut Object, old: &Object, sub_resource: &str, around: &StreamContext) {
    let name = stream.name().to_owned();
    let before = old.int(["metadata", "generation"]);
    let Value::Object(old) = &old.value else { return };
    let mut generation = before;
    let Value::Object(map) = &mut stream.value else { return };
    if sub_resource == "status" {
        if let (Some(spec), Some(old)) = (child_mut(map, "spec"), old.child("spec")) {
            copy(spec, old, "tags");
            copy(spec, old, "dockerImageRepository");
        }
        return;
    }
    copy(map, old, "status");
    let place = repository(map, &name, around);
    let status = child_or_insert(map, "status");
    if !(around.registry.is_empty() && is_in_registry(status.text("dockerImageRepository"), &name, around)) {
        set(status, "dockerImageRepository", place);
    }
    let tags_before: BTreeMap<&str, &Map> = old
        .child("spec")
        .into_iter()
        .flat_map(|spec| spec.items("tags"))
        .map(|tag| (tag.text("name"), tag))
        .collect();
    let is_zero = |tag: &Map| tag.has("generation") && tag.int("generation") == 0;
    for tag in items_mut(child_or_insert(map, "spec"), "tags").filter(|tag| !is_zero(tag)) {
        let name = tag.text("name").to_owned();
        if let Some(old) = tags_before.get(name.as_str()) {
            copy(tag, old, "generation");
        }
    }
    if map.get("spec") != old.get("spec") || generation == 0 {
        generation = before + 1;
    }
    for tag in items_mut(child_or_insert(map, "spec"), "tags") {
        let old = tags_before.get(tag.text("name"));
        let is_changed = old.is_none_or(|old| is_changed(old, tag, around));
        if is_changed || tag.int("generation") == 0 {
            set(tag, "generation", generation);
        }
    }
    stream.set(["metadata", "generation"], generation);
}

/// Returns the refusal of a stream that grows beyond the limits of its namespace.
pub fn verify_limits(stream: &Object, old: Option<&Object>, around: &StreamContext) -> Option<Status> {
    let limits = limits(&around.limit_ranges);
    let used = references(stream, &around.namespace);
    if limits.is_empty() || !around.is_origin_1_4 && !grows(old, &used, &around.namespace) {
        return None;
    }
    let exceeded: Vec<String> = RESOURCES
        .into_iter()
        .zip(&used)
        .filter_map(|(name, used)| {
            let limit = limits.get(name)?;
            let used = Quantity::from_value(i64::try_from(used.len()).unwrap_or(i64::MAX), Format::DecimalSi);
            (used > *limit).then(|| {
                format!(
                    "requested usage of {name} exceeds the maximum limit per {LIMIT_TYPE} ({used} > {limit})"
                )
            })
        })
        .collect();
    let error = match exceeded.as_slice() {
        [] => return None,
        [one] => one.clone(),
        several => format!("[{}]", several.join(", ")),
    };
    let group = if around.is_origin_1_4 { "" } else { "image.openshift.io" };
    Some(Status::new_forbidden(&GroupResource::new(group, "ImageStream"), stream.name(), &error))
}

/// Returns the smallest maximum of each resource.
fn limits(ranges: &[Arc<Object>]) -> BTreeMap<&'static str, Quantity> {
    let mut limits = BTreeMap::<&str, Quantity>::new();
    let items = ranges.iter().flat_map(|range| range.list(["spec", "limits"]));
    for item in items.filter(|item| item.get("type").and_then(Value::as_str) == Some(LIMIT_TYPE)) {
        for name in RESOURCES {
            let max = item.get("max").and_then(|max| max.get(name)).and_then(Value::as_str);
            let Some(max) = max.and_then(|max| Quantity::parse(max).ok()) else { continue };
            if limits.get(name).is_none_or(|known| max < *known) {
                limits.insert(name, max);
            }
        }
    }
    limits
}

/// Whether there are more references than in `old`, or different ones.
fn grows(old: Option<&Object>, used: &[BTreeSet<String>; 2], namespace: &str) -> bool {
    let Some(old) = old else { return used.iter().any(|used| !used.is_empty()) };
    let before = references(old, namespace);
    used.iter().zip(&before).any(|(used, before)| !used.is_subset(before))
}

/// Returns the distinct references of the spec, and the images of the status.
fn references(stream: &Object, namespace: &str) -> [BTreeSet<String>; 2] {
    let tags = stream.list(["spec", "tags"]).iter().filter_map(|tag| tag.get("from")?.as_object());
    let in_spec = tags.filter_map(|from| reference(from, namespace)).collect();
    let items = stream.list(["status", "tags"]).iter().filter_map(|tag| tag.get("items")?.as_array());
    let images = items.flatten().filter_map(|item| item.get("image")?.as_str());
    let in_status = images.filter(|image| !image.is_empty()).map(str::to_owned).collect();
    [in_spec, in_status]
}

/// Returns the canonical name of an image reference; nothing if it is malformed.
///
/// Source: `getImageReferenceForObjectReference`.
fn reference(from: &Map, namespace: &str) -> Option<String> {
    let name = from.text("name");
    let own = || Some(from.text("namespace")).filter(|own| !own.is_empty()).unwrap_or(namespace);
    match from.text("kind") {
        "DockerImage" => Reference::parse(name).ok().map(Reference::minimal),
        "ImageStreamImage" => {
            let mut found = Reference::parse(name).ok().filter(|found| !found.id.is_empty())?;
            if found.namespace.is_empty() {
                own().clone_into(&mut found.namespace);
            }
            Some(found.exact())
        }
        "ImageStreamTag" => {
            let (stream, tag) = name.split_once(':').filter(|_| !name.contains('@'))?;
            let is_whole = !stream.is_empty() && !tag.is_empty() && !tag.contains(':');
            is_whole.then(|| format!("{}/{stream}:{tag}", own()))
        }
        _ => None,
    }
}

/// Returns the repository of the stream's images: in the integrated registry, if there is one.
fn repository(stream: &Map, name: &str, around: &StreamContext) -> String {
    if around.registry.is_empty() {
        return stream.child("spec").map_or("", |spec| spec.text("dockerImageRepository")).to_owned();
    }
    format!("{}/{}/{name}", around.registry, around.namespace)
}

/// Whether `repository` is the one that a stream has in a registry: the integrated one of a server whose configuration
/// is not known.
fn is_in_registry(repository: &str, name: &str, around: &StreamContext) -> bool {
    let path = repository.split_once('/').map(|(_, path)| path);
    path.and_then(|path| path.split_once('/')) == Some((around.namespace.as_str(), name))
}

/// Whether a tag refers to something different than before.
///
/// Source: `tagRefChanged`.
pub(super) fn is_changed(old: &Map, tag: &Map, around: &StreamContext) -> bool {
    let Some(from) = tag.child("from") else { return false };
    if from.text("kind").is_empty() && from.text("name").is_empty() {
        return false;
    }
    let none = Map::new();
    let old_from = old.child("from").unwrap_or(&none);
    let own = |from: &Map| {
        let own = from.text("namespace");
        if own.is_empty() { around.namespace.clone() } else { own.to_owned() }
    };
    let mode =
        |tag: &Map| tag.child("importPolicy").map_or("", |policy| policy.text("importMode")).to_owned();
    let is_reset = old.has("generation")
        && tag.has("generation")
        && tag.int("generation") == 0
        && old.int("generation") != 0;
    own(old_from) != own(from)
        || old_from.text("name") != from.text("name")
        || old.get("reference") != tag.get("reference")
        || !around.is_origin_1_4 && mode(old) != mode(tag)
        || is_reset
}
