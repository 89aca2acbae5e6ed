//! The preparation of openshift-apiserver's objects before they are stored.
//!
//! Deliberately absent, as the recorded objects are those that plugins leave: the phase of a new build, the limits of
//! the history of a new build configuration, the finalizer of a new project, and what `builds/details` resets.
//!
//! Source: `openshift-apiserver` `pkg/*/apiserver/registry/*/strategy.go`.

use crate::strategy::{Context, Requester};
use gotext::value::json;
use kube_api::tree::{child_mut, child_or_insert, copy, items_mut, set, set_if_absent};
use kube_api::{Map, Value};

/// What raises the generation of an object.
#[derive(Clone, Copy)]
pub(super) enum Generation {
    /// Nothing.
    None,
    /// A change of its specification.
    Spec,
    /// The same, or a change of a number in its status.
    SpecOrStatus(&'static str),
}

fn clear_status(map: &mut Map) {
    set(map, "status", json!({}));
}

/// Counts the generation of an object that replaces `old`.
pub(super) fn count_generation(map: &mut Map, old: &Map, generation: Generation) {
    let in_status = |map: &Map, field| map.child("status").map_or(0, |status| status.int(field));
    let is_same_number = match generation {
        Generation::None => return,
        Generation::Spec => true,
        Generation::SpecOrStatus(field) => in_status(map, field) == in_status(old, field),
    };
    let before = old.child("metadata").map_or(0, |metadata| metadata.int("generation"));
    let is_changed = !is_same_number || map.get("spec") != old.get("spec");
    set(child_or_insert(map, "metadata"), "generation", before + i64::from(is_changed));
}

pub(super) fn create_deployment_config(config: &mut Map, _: &Context<'_>) {
    clear_status(config);
    let spec = child_or_insert(config, "spec");
    set_if_absent(spec, "revisionHistoryLimit", 10);
    for trigger in items_mut(spec, "triggers") {
        if let Some(params) = child_mut(trigger, "imageChangeParams") {
            params.remove("lastTriggeredImage");
        }
    }
}

/// Keeps the status, except that users may start the next deployment.
pub(super) fn update_deployment_config(config: &mut Map, old: &Map) {
    let version = |map: &Map| map.child("status").map_or(0, |status| status.int("latestVersion"));
    let (now, before) = (version(config), version(old));
    copy(config, old, "status");
    if now == before + 1 {
        set(child_or_insert(config, "status"), "latestVersion", now);
    }
}

/// Keeps the reason for which a build failed.
pub(super) fn update_build(build: &mut Map, old: &Map) {
    let Some(before) = old.child("status") else { return };
    let reason = build.child("status").map_or("", |status| status.text("reason"));
    if before.text("phase") == "Failed" && reason != "OutOfMemoryKilled" {
        let status = child_or_insert(build, "status");
        copy(status, before, "reason");
        copy(status, before, "message");
    }
}

pub(super) fn create_build_config(config: &mut Map, _: &Context<'_>) {
    drop_unknown_triggers(config);
}

/// Removes triggers of unknown types, so that clients of later releases can create build configurations.
fn drop_unknown_triggers(config: &mut Map) {
    const KNOWN: [&str; 9] = [
        "Bitbucket",
        "ConfigChange",
        "Generic",
        "GitHub",
        "GitLab",
        "ImageChange",
        // The names of the first releases.
        "generic",
        "github",
        "imageChange",
    ];
    let Some(spec) = child_mut(config, "spec") else { return };
    if let Some(triggers) = spec.get_mut("triggers").and_then(Value::as_array_mut) {
        triggers.retain(|trigger| KNOWN.contains(&trigger.text("type")));
    }
}

/// Keeps the number of the last build from falling.
pub(super) fn update_build_config(config: &mut Map, old: &Map) {
    drop_unknown_triggers(config);
    let version = |map: &Map| map.child("status").map_or(0, |status| status.int("lastVersion"));
    let before = version(old);
    if version(config) < before {
        set(child_or_insert(config, "status"), "lastVersion", before);
    }
}

/// Drops what the server finds out about a signature.
pub(super) fn create_signature(signature: &mut Map, _: &Context<'_>) {
    for field in ["conditions", "imageIdentity", "signedClaims", "created", "issuedBy", "issuedTo"] {
        signature.remove(field);
    }
}

pub(super) fn create_import(import: &mut Map, _: &Context<'_>) {
    clear_status(import);
}

/// Refers to the image in the integrated registry if the mapping does not say where it is.
pub(super) fn create_mapping(mapping: &mut Map, context: &Context<'_>) {
    let registry = context.request().openshift.registry;
    let metadata = mapping.child("metadata");
    let text = |field: &str| metadata.map_or("", |metadata| metadata.text(field));
    let stream = format!("{registry}/{}/{}", text("namespace"), text("name"));
    let image = child_or_insert(mapping, "image");
    let name = image.child("metadata").map_or("", |metadata| metadata.text("name")).to_owned();
    if image.text("dockerImageReference").is_empty() && !registry.is_empty() && !name.is_empty() {
        set(image, "dockerImageReference", format!("{stream}@{name}"));
    }
    image.remove("signatures");
}

/// Keeps what belongs to the namespace.
pub(super) fn update_project(project: &mut Map, old: &Map) {
    copy(project, old, "status");
    if let Some(spec) = old.child("spec") {
        copy(child_or_insert(project, "spec"), spec, "finalizers");
    }
}

/// The content by which old clients replaced an unset certificate.
const PLACEHOLDER: &str = "-----BEGIN COMMENT-----\nThis is an empty PEM file created to provide backwards compatibility\n\
                           for reencrypt routes that have no destinationCACertificate. This \ncontent will only appear \
                           for routes accessed via /oapi/v1/routes.\n-----END COMMENT-----\n";

fn strip_placeholder(route: &mut Map) {
    let Some(tls) = child_mut(route, "spec").and_then(|spec| child_mut(spec, "tls")) else { return };
    if tls.text("termination") == "reencrypt" && tls.text("destinationCACertificate") == PLACEHOLDER {
        tls.remove("destinationCACertificate");
    }
}

pub(super) fn create_route(route: &mut Map, _: &Context<'_>) {
    clear_status(route);
    strip_placeholder(route);
}

/// Keeps the status, and the host of a route that no longer names one.
pub(super) fn update_route(route: &mut Map, old: &Map) {
    copy(route, old, "status");
    strip_placeholder(route);
    let Some(before) = old.child("spec") else { return };
    let spec = child_or_insert(route, "spec");
    if spec.text("host").is_empty() {
        copy(spec, before, "host");
    }
}

/// Records the sender of the request as the requester, unless another one is given.
pub(super) fn create_template_instance(instance: &mut Map, context: &Context<'_>) {
    clear_status(instance);
    let spec = child_or_insert(instance, "spec");
    if let (None, Some(requester)) = (spec.child("requester"), context.request().requester) {
        set(spec, "requester", requester_of(requester));
    }
}

pub(super) fn update_template_instance(instance: &mut Map, old: &Map) {
    copy(instance, old, "status");
}

fn requester_of(requester: &Requester) -> Value {
    let mut value = Map::new();
    for (field, text) in [("username", &requester.name), ("uid", &requester.uid)] {
        if !text.is_empty() {
            value.insert(field, text.as_str().into());
        }
    }
    if !requester.groups.is_empty() {
        value.insert("groups", requester.groups.clone().into());
    }
    if !requester.extra.is_empty() {
        value.insert("extra", json!(requester.extra));
    }
    Value::Object(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openshift::RequestContext;
    use crate::openshift::served;
    use crate::strategy::RequestInfo;
    use kube_api::server_profile::ServerProfile;
    use kube_api::{GroupVersionKind, Object};

    fn object(group: &'static str, kind: &'static str, value: Value) -> Object {
        Object::new(GroupVersionKind::new(group, "v1", kind), value)
    }

    fn created(mut object: Object) -> Value {
        let profile = ServerProfile::default();
        let requester =
            Requester { name: "alice".to_owned(), groups: vec!["dev".to_owned()], ..Requester::default() };
        let openshift = RequestContext { registry: "registry.example.com", ..RequestContext::default() };
        let request = RequestInfo { requester: Some(&requester), openshift, ..RequestInfo::default() };
        let kind = served::of(&object.kind).unwrap();
        kind.prepare_for_create(&mut object, &Context::of_request(&profile, request));
        object.value
    }

    fn updated(mut object: Object, old: &Object, sub_resource: &str) -> Value {
        let profile = ServerProfile::default();
        let kind = served::of(&object.kind).unwrap();
        kind.prepare_for_update(&mut object, old, sub_resource, &Context::new(&profile));
        object.value
    }

    fn route(host: &str, status: &Value) -> Object {
        object(
            "route.openshift.io",
            "Route",
            json!({
                "metadata": {"name": "web", "generation": 3},
                "spec": {"host": host, "to": {"kind": "Service", "name": "web"}},
                "status": status.clone(),
            }),
        )
    }

    #[test]
    fn clears_the_status_of_a_new_route() {
        let value = created(route("", &json!({"ingress": [{"host": "a.example.com"}]})));
        assert_eq!(value["status"], json!({}));
        assert_eq!(value["metadata"]["generation"], 1);
    }

    #[test]
    fn keeps_the_host_and_the_status_of_a_route() {
        let status = json!({"ingress": [{"host": "a.example.com"}]});
        let old = route("a.example.com", &status);
        let value = updated(route("", &json!({})), &old, "");
        assert_eq!(value["spec"]["host"], "a.example.com");
        assert_eq!(value["status"]["ingress"][0]["host"], "a.example.com");
        assert_eq!(value["metadata"]["generation"], 3);
        let value = updated(route("b.example.com", &status), &old, "");
        assert_eq!(value["metadata"]["generation"], 4);
        let value = updated(route("b.example.com", &json!({})), &old, "status");
        assert_eq!(value["spec"]["host"], "a.example.com");
    }

    #[test]
    fn starts_the_next_deployment() {
        let config = |version: i64| {
            object(
                "apps.openshift.io",
                "DeploymentConfig",
                json!({
                    "metadata": {"name": "web", "generation": 2},
                    "spec": {"replicas": 1},
                    "status": {"latestVersion": version, "replicas": 1},
                }),
            )
        };
        assert_eq!(created(config(5))["status"]["latestVersion"], 0);
        assert_eq!(created(config(5))["spec"]["revisionHistoryLimit"], 10);
        assert_eq!(updated(config(2), &config(1), "")["status"]["latestVersion"], 2);
        assert_eq!(updated(config(2), &config(1), "")["metadata"]["generation"], 3);
        assert_eq!(updated(config(7), &config(1), "")["status"]["latestVersion"], 1);
    }

    #[test]
    fn drops_triggers_of_later_releases() {
        let value = created(object(
            "build.openshift.io",
            "BuildConfig",
            json!({"spec": {"triggers": [{"type": "Magic"}, {"type": "ConfigChange"}]}}),
        ));
        assert_eq!(value["spec"]["triggers"], json!([{"type": "ConfigChange"}]));
    }

    #[test]
    fn keeps_the_reason_of_a_failed_build() {
        let build = |status: Value| object("build.openshift.io", "Build", json!({"status": status}));
        let old = build(json!({"phase": "Failed", "reason": "GenericBuildFailed", "message": "m"}));
        let value = updated(build(json!({"phase": "Failed", "reason": "Other"})), &old, "");
        assert_eq!(value["status"]["reason"], "GenericBuildFailed");
        assert_eq!(value["status"]["message"], "m");
        let value = updated(build(json!({"phase": "Failed", "reason": "OutOfMemoryKilled"})), &old, "");
        assert_eq!(value["status"]["reason"], "OutOfMemoryKilled");
    }

    #[test]
    fn records_who_requested_a_template() {
        let instance = object("template.openshift.io", "TemplateInstance", json!({"spec": {}}));
        let requester = json!({"username": "alice", "groups": ["dev"]});
        assert_eq!(created(instance)["spec"]["requester"], requester);
    }

    #[test]
    fn refers_to_the_image_in_the_integrated_registry() {
        let mapping = object(
            "image.openshift.io",
            "ImageStreamMapping",
            json!({
                "metadata": {"name": "web", "namespace": "shop"},
                "image": {"metadata": {"name": "sha256:f"}, "signatures": [{"type": "atomic"}]},
            }),
        );
        let value = created(mapping);
        assert_eq!(value["image"]["dockerImageReference"], "registry.example.com/shop/web@sha256:f");
        assert_eq!(value["image"].get("signatures"), None);
    }
}
