//! Defaults of OpenShift's objects.
//!
//! Source: `github.com/openshift/library-go/pkg/route/defaulting`, `openshift-apiserver/pkg/*/apis/*/v1/defaults.go`.

use std::collections::BTreeMap;

use crate::defaults::pod;
use crate::openshift::reference::Reference;
use gotext::value::json;
use kube_api::tree::{child_mut, child_or_insert, items_mut, set, set_if_absent, set_if_zero};
use kube_api::{Map, Value};

/// Sets the defaults of a kind of openshift-apiserver.
pub(super) type Defaults = fn(&mut Map);

pub(super) fn default_deployment_config(config: &mut Map) {
    let namespace = config.child("metadata").map_or("", |metadata| metadata.text("namespace")).to_owned();
    let spec = child_or_insert(config, "spec");
    for trigger in items_mut(spec, "triggers") {
        let Some(params) = child_mut(trigger, "imageChangeParams") else { continue };
        let from = child_or_insert(params, "from");
        set_if_zero(from, "kind", "ImageStreamTag");
        if !namespace.is_empty() {
            set_if_zero(from, "namespace", namespace.as_str());
        }
    }
    set_if_absent(spec, "triggers", json!([{"type": "ConfigChange"}]));
    let template = spec.child("template");
    let labels = template
        .and_then(|template| template.child("metadata"))
        .and_then(|metadata| metadata.child("labels"));
    if let Some(labels) = labels.cloned() {
        set_if_zero(spec, "selector", Value::Object(labels));
    }
    let containers = spec.child("template").and_then(|template| template.child("spec"));
    let only = containers.map(|pod| pod.list("containers")).and_then(|containers| match containers {
        [one] => Some(one.text("name").to_owned()),
        _ => None,
    });
    default_strategy(child_or_insert(spec, "strategy"), only.as_deref());
    if spec.has("template") {
        pod::template(spec);
    }
}

/// Fills in the strategy of a deployment; `only` is the name of its container, if there is one alone.
fn default_strategy(strategy: &mut Map, only: Option<&str>) {
    const SECONDS: [(&str, i64); 3] =
        [("intervalSeconds", 1), ("updatePeriodSeconds", 1), ("timeoutSeconds", 600)];
    set_if_zero(strategy, "type", "Rolling");
    let params = match strategy.text("type") {
        "Rolling" => Some("rollingParams"),
        "Recreate" => Some("recreateParams"),
        _ => None,
    };
    if let Some(params) = params {
        child_or_insert(strategy, params);
    }
    set_if_absent(strategy, "activeDeadlineSeconds", 21_600);
    for field in ["rollingParams", "recreateParams"] {
        let Some(params) = child_mut(strategy, field) else { continue };
        let hooks: &[&'static str] =
            if field == "rollingParams" { &["pre", "post"] } else { &["pre", "mid", "post"] };
        for hook in hooks {
            if let (Some(hook), Some(only)) = (child_mut(params, hook), only) {
                items_mut(hook, "tagImages").for_each(|image| set_if_zero(image, "containerName", only));
                if let Some(exec) = child_mut(hook, "execNewPod") {
                    set_if_zero(exec, "containerName", only);
                }
            }
        }
        if field == "recreateParams" {
            set_if_absent(params, "timeoutSeconds", 600);
            continue;
        }
        for (field, seconds) in SECONDS {
            set_if_absent(params, field, seconds);
        }
        let is_zero = |params: &Map, field: &str| {
            params.get(field).is_none_or(|value| value.as_i64() == Some(0) || value.as_str() == Some("0%"))
        };
        for (field, other) in [("maxUnavailable", "maxSurge"), ("maxSurge", "maxUnavailable")] {
            // An amount that is absent too counts as none.
            if !params.has(field) && is_zero(params, other) {
                set(params, field, "25%");
                if !params.has(other) {
                    set(params, other, "25%");
                }
            }
        }
    }
}

pub(super) fn default_build_config(config: &mut Map) {
    let spec = child_or_insert(config, "spec");
    set_if_zero(spec, "runPolicy", "Serial");
    default_common(spec);
    for trigger in items_mut(spec, "triggers") {
        let kind = match trigger.text("type") {
            "imageChange" => "ImageChange",
            "generic" => "Generic",
            "github" => "GitHub",
            "ImageChange" => {
                set_if_absent(trigger, "imageChange", Map::new());
                continue;
            }
            _ => continue,
        };
        set(trigger, "type", kind);
    }
    drop_idle_triggers(spec);
}

/// Drops triggers for images that the strategy does not take from a tag of a stream: they would never fire.
fn drop_idle_triggers(spec: &mut Map) {
    let strategy = spec.child("strategy");
    let from = ["sourceStrategy", "dockerStrategy", "customStrategy"]
        .into_iter()
        .find_map(|field| strategy?.child(field))
        .and_then(|strategy| strategy.child("from"));
    let has_tag = from.is_some_and(|from| from.text("kind") == "ImageStreamTag");
    let fires = |trigger: &Value| {
        let trigger = trigger.as_object();
        trigger.is_none_or(|trigger| {
            has_tag
                || trigger.text("type") != "ImageChange"
                || trigger.child("imageChange").is_some_and(|image| image.has("from"))
        })
    };
    let triggers: Vec<Value> =
        spec.list("triggers").iter().filter(|trigger| fires(trigger)).cloned().collect();
    set(spec, "triggers", Value::from(triggers));
}

pub(super) fn default_build(build: &mut Map) {
    default_common(child_or_insert(build, "spec"));
}

/// Sets the defaults of `CommonSpec`: the strategy and the source of its images. The types of strategy and source
/// follow from what is given.
fn default_common(spec: &mut Map) {
    let strategy = child_or_insert(spec, "strategy");
    if strategy.text("type") == "Docker" {
        set_if_absent(strategy, "dockerStrategy", Map::new());
    }
    for field in ["dockerStrategy", "sourceStrategy", "customStrategy"] {
        let Some(strategy) = child_mut(strategy, field) else { continue };
        if field != "dockerStrategy" {
            child_or_insert(strategy, "from");
        }
        if let Some(from) = child_mut(strategy, "from") {
            set_if_zero(from, "kind", "ImageStreamTag");
            use_tag_of_stream(from);
        }
    }
    let kinds = [
        ("sourceStrategy", "Source"),
        ("dockerStrategy", "Docker"),
        ("customStrategy", "Custom"),
        ("jenkinsPipelineStrategy", "JenkinsPipeline"),
    ];
    let kind = kinds.into_iter().find(|(field, _)| strategy.has(field)).map_or("", |(_, kind)| kind);
    set(strategy, "type", kind);
    if let Some(to) = child_mut(spec, "output").and_then(|output| child_mut(output, "to")) {
        set_if_zero(to, "kind", "ImageStream");
        use_tag_of_stream(to);
    }
    let source = child_or_insert(spec, "source");
    if source.text("type") == "Binary" {
        set_if_absent(source, "binary", Map::new());
    }
    let kinds = [("git", "Git"), ("binary", "Binary"), ("dockerfile", "Dockerfile")];
    let given = kinds.into_iter().find(|(field, _)| source.has(field)).map(|(_, kind)| kind);
    let images = if source.list("images").is_empty() { "None" } else { "Image" };
    set(source, "type", given.unwrap_or(images));
    if let Some(revision) = child_mut(spec, "revision") {
        set(revision, "type", "Git");
    }
}

/// Converts an older way to name the tag `latest` of a stream.
fn use_tag_of_stream(reference: &mut Map) {
    if reference.text("kind") == "ImageStream" {
        let name = format!("{}:latest", reference.text("name"));
        set(reference, "kind", "ImageStreamTag");
        set(reference, "name", name);
    }
}

/// The version of the metadata of images.
const METADATA_VERSION: &str = "image.openshift.io/1.0";

/// Sets what conversion sets in an image: the kind of its metadata, in `version`.
pub(super) fn default_image(image: &mut Map, version: &'static str) {
    let metadata = child_or_insert(image, "dockerImageMetadata");
    set(metadata, "kind", "DockerImage");
    set(metadata, "apiVersion", version);
    set(image, "dockerImageMetadataVersion", "1.0");
}

pub(super) fn default_served_image(image: &mut Map) {
    default_image(image, METADATA_VERSION);
}

pub(super) fn default_mapping(mapping: &mut Map) {
    default_served_image(child_or_insert(mapping, "image"));
}

pub(super) fn default_import(import: &mut Map) {
    name_imports(import);
    let Some(spec) = child_mut(import, "spec") else { return };
    items_mut(spec, "images").for_each(default_tag);
    if let Some(repository) = child_mut(spec, "repository") {
        default_tag(repository);
    }
}

pub(super) fn default_stream_tag(stream_tag: &mut Map) {
    default_mapping(stream_tag);
    if let Some(tag) = child_mut(stream_tag, "tag") {
        default_tag(tag);
    }
}

/// Sets the unset tags of imported images to the tags of the images.
pub(super) fn name_imports(import: &mut Map) {
    let Some(spec) = child_mut(import, "spec") else { return };
    for image in items_mut(spec, "images").filter(|image| !image.has("to")) {
        let from = image.child("from").map_or("", |from| from.text("name"));
        if let Some(found) = Reference::parse(from).ok().filter(|found| !found.tag.is_empty()) {
            let mut to = Map::new();
            to.insert("name", found.tag.into());
            set(image, "to", to);
        }
    }
}

/// Sorts the tags of a stream by name, as they are a map inside the server.
pub(super) fn sort_tags(stream: &mut Map) {
    for (part, name) in [("spec", "name"), ("status", "tag")] {
        let Some(part) = child_mut(stream, part) else { continue };
        let tags = part
            .list("tags")
            .iter()
            .filter_map(|tag| Some((tag.get(name)?.as_str()?.to_owned(), tag.clone())));
        let tags: BTreeMap<String, Value> = tags.collect();
        if part.has("tags") {
            set(part, "tags", Value::from(tags.into_values().collect::<Vec<_>>()));
        }
    }
}

pub(super) fn default_image_stream(stream: &mut Map) {
    sort_tags(stream);
    if let Some(spec) = child_mut(stream, "spec") {
        items_mut(spec, "tags").for_each(default_tag);
    }
}

fn default_tag(tag: &mut Map) {
    set_if_zero(child_or_insert(tag, "referencePolicy"), "type", "Source");
    set_if_zero(child_or_insert(tag, "importPolicy"), "importMode", "Legacy");
}

/// Sets the defaults of `Route`.
pub fn default_route(route: &mut Map) {
    let spec = child_or_insert(route, "spec");
    set_if_zero(spec, "wildcardPolicy", "None");
    default_target(child_or_insert(spec, "to"));
    items_mut(spec, "alternateBackends").for_each(default_target);
    if let Some(tls) = child_mut(spec, "tls") {
        let text = |field: &str| tls.text(field).to_owned();
        let termination = match text("termination").as_str() {
            "" if text("destinationCACertificate").is_empty() => "edge",
            "Reencrypt" => "reencrypt",
            "Edge" => "edge",
            "Passthrough" => "passthrough",
            _ => "",
        };
        if !termination.is_empty() {
            tls.insert("termination".to_owned(), termination.into());
        }
    }
    if let Some(status) = child_mut(route, "status") {
        items_mut(status, "ingress").for_each(|ingress| set_if_zero(ingress, "wildcardPolicy", "None"));
    }
}

fn default_target(target: &mut Map) {
    set_if_zero(target, "kind", "Service");
    set_if_absent(target, "weight", 100);
}
