//! What OpenShift's objects leave open.
//!
//! Source: `github.com/openshift/library-go/pkg/route/defaulting`, `openshift-apiserver/pkg/*/apis/*/v1/defaults.go`.

use crate::api::tree::{child_mut, items_mut, made, set_if_absent, set_if_zero};
use crate::api::{Map, Object, Value};

/// Fills in the defaults of a kind that openshift-apiserver serves.
pub fn set_defaults(object: &mut Object) {
    let kind = object.kind.clone();
    let Value::Object(map) = &mut object.value else { return };
    match (&*kind.group, &*kind.kind) {
        ("route.openshift.io", "Route") => default_route(map),
        ("build.openshift.io", "BuildConfig") => default_build_config(map),
        ("build.openshift.io", "Build") => default_build(map),
        ("image.openshift.io", "ImageStream") => default_image_stream(map),
        ("image.openshift.io", "ImageStreamImport") => {
            let Some(spec) = child_mut(map, "spec") else { return };
            items_mut(spec, "images").for_each(default_tag);
            if let Some(repository) = child_mut(spec, "repository") {
                default_tag(repository);
            }
        }
        ("image.openshift.io", "ImageStreamTag") => {
            if let Some(tag) = child_mut(map, "tag") {
                default_tag(tag);
            }
        }
        _ => {}
    }
}

fn default_build_config(config: &mut Map) {
    let spec = made(config, "spec");
    set_if_zero(spec, "runPolicy", "Serial");
    default_common(spec);
    for trigger in items_mut(spec, "triggers") {
        let kind = trigger.get("type").and_then(Value::as_str).unwrap_or_default();
        if kind == "ImageChange" && trigger.get("imageChange").is_none_or(Value::is_null) {
            trigger.insert("imageChange".to_owned(), Value::Object(Map::new()));
        }
    }
}

fn default_build(build: &mut Map) {
    default_common(made(build, "spec"));
}

/// `CommonSpec`: the strategy and where its images come from.
fn default_common(spec: &mut Map) {
    let strategy = made(spec, "strategy");
    let kind = strategy.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
    if kind == "Docker" && strategy.get("dockerStrategy").is_none_or(Value::is_null) {
        strategy.insert("dockerStrategy".to_owned(), Value::Object(Map::new()));
    }
    for field in ["dockerStrategy", "sourceStrategy", "customStrategy"] {
        let Some(from) = child_mut(strategy, field).and_then(|strategy| child_mut(strategy, "from")) else {
            continue;
        };
        set_if_zero(from, "kind", "ImageStreamTag");
    }
    if let Some(to) = child_mut(spec, "output").and_then(|output| child_mut(output, "to")) {
        set_if_zero(to, "kind", "ImageStreamTag");
    }
    if let Some(source) = child_mut(spec, "source") {
        let given = |field: &str| source.get(field).is_some_and(|value| !value.is_null());
        let kinds = [("binary", "Binary"), ("git", "Git"), ("dockerfile", "Dockerfile")];
        if let Some((_, kind)) = kinds.into_iter().find(|(field, _)| given(field)) {
            set_if_zero(source, "type", kind);
        }
        for image in items_mut(source, "images") {
            if let Some(from) = child_mut(image, "from") {
                set_if_zero(from, "kind", "ImageStreamTag");
            }
        }
    }
}

fn default_image_stream(stream: &mut Map) {
    if let Some(spec) = child_mut(stream, "spec") {
        items_mut(spec, "tags").for_each(default_tag);
    }
}

fn default_tag(tag: &mut Map) {
    set_if_zero(made(tag, "referencePolicy"), "type", "Source");
    set_if_zero(made(tag, "importPolicy"), "importMode", "Legacy");
}

/// `Route`
pub fn default_route(route: &mut Map) {
    let spec = made(route, "spec");
    set_if_zero(spec, "wildcardPolicy", "None");
    default_target(made(spec, "to"));
    items_mut(spec, "alternateBackends").for_each(default_target);
    if let Some(tls) = child_mut(spec, "tls") {
        let text = |field: &str| tls.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
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
