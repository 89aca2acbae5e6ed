//! Images and streams of them: `image.openshift.io`.
//!
//! Source: `openshift-apiserver` `pkg/image/apis/image/validation`.

use std::sync::LazyLock;

use regex::Regex;

use crate::openshift::reference::Reference;
use crate::openshift::served::signature;
use crate::strategy::Scope;
use crate::validation::equal::plainly_equal;
use crate::validation::metadata::{name_is_path_segment, validate_object_meta};
use crate::validation::node::{Errors, Node};
use kube_api::Value;
use kube_api::field::Path;
use kube_api::server_profile::ServerProfile;

/// A component of the name of a repository.
const COMPONENT: &str = "[a-z0-9]+(?:[._-][a-z0-9]+)*";
/// The length that `namespace/name` may have.
const MAX: usize = 255;

/// Implements `ValidateImageStreamName`.
pub(super) fn stream_name(name: &str, prefix: bool) -> Vec<String> {
    static PATTERN: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(&format!("^{COMPONENT}$")).ok());
    let messages = name_is_path_segment(name, prefix);
    if !messages.is_empty() || PATTERN.as_ref().is_some_and(|pattern| pattern.is_match(name)) {
        return messages;
    }
    vec![format!("must match {}", gotext::quote(COMPONENT))]
}

pub(super) fn validate_stream(errors: &mut Errors, object: &Node, _: Option<&Node>, _: &ServerProfile) {
    let metadata = object.child("metadata");
    let name = metadata.text("name");
    if metadata.text("namespace").len() + 1 + name.len() > MAX {
        let detail = format!("'namespace/name' cannot be longer than {MAX} characters");
        errors.invalid(&metadata.at("name"), name, detail);
    }
    let spec = object.child("spec");
    let repository = spec.text("dockerImageRepository");
    if !repository.is_empty() {
        let path = spec.at("dockerImageRepository");
        match Reference::parse(repository) {
            Err(error) => errors.invalid(&path, repository, error),
            Ok(found) => {
                if !found.tag.is_empty() {
                    errors.invalid(&path, repository, "the repository name may not contain a tag");
                }
                if !found.id.is_empty() {
                    errors.invalid(&path, repository, "the repository name may not contain an ID");
                }
            }
        }
    }
    for tag in spec.items("tags") {
        let path = spec.at("tags").key(tag.text("name"));
        validate_tag_reference(errors, &Node::new(path, tag.value()));
    }
    let status = object.child("status");
    for tag in status.items("tags") {
        let items = Node::new(status.at("tags").key(tag.text("tag")), tag.value());
        for event in items.items("items") {
            validate_reference(errors, &event, "dockerImageReference");
        }
    }
}

/// Validates a name of an image that must be given.
fn validate_reference(errors: &mut Errors, node: &Node, field: &'static str) {
    let name = node.text(field);
    if name.is_empty() {
        errors.required(&node.at(field), "");
    } else if let Err(error) = Reference::parse(name) {
        errors.invalid(&node.at(field), name, error);
    }
}

/// Implements `ValidateImageStreamTagReference`.
fn validate_tag_reference(errors: &mut Errors, tag: &Node) {
    let policy = tag.child("importPolicy");
    if let Some(from) = tag.get("from") {
        let name = from.text("name");
        errors.require_text(&from, "name");
        match from.text("kind") {
            "DockerImage" => {
                if let Err(error) = Reference::parse(name)
                    && !name.is_empty()
                {
                    errors.invalid(&from.at("name"), name, error);
                }
            }
            "ImageStreamImage" | "ImageStreamTag" => {
                if policy.flag("scheduled") {
                    let detail =
                        "only tags pointing to Docker repositories may be scheduled for background import";
                    errors.invalid_value(&policy.at("scheduled"), &true.into(), detail);
                }
            }
            _ => {
                let detail = "valid values are 'DockerImage', 'ImageStreamImage', 'ImageStreamTag'";
                errors.required(&from.at("kind"), detail);
            }
        }
    }
    let reference = tag.child("referencePolicy");
    if !["Source", "Local"].contains(&reference.text("type")) {
        let detail = "valid values are \"Source\", \"Local\"";
        errors.invalid(&reference.at("type"), reference.text("type"), detail);
    }
    validate_import_policy(errors, &policy);
}

fn validate_import_policy(errors: &mut Errors, policy: &Node) {
    let mode = policy.text("importMode");
    if !["", "Legacy", "PreserveOriginal"].contains(&mode) {
        let detail = "invalid import mode, valid modes are '', 'Legacy', 'PreserveOriginal'";
        errors.invalid(&policy.at("importMode"), mode, detail);
    }
}

/// Validates a tag. An update may change the reference and annotations.
pub(super) fn validate_tag(errors: &mut Errors, object: &Node, old: Option<&Node>, _: &ServerProfile) {
    validate_own_reference(errors, object);
    if old.is_some_and(|old| changes_metadata(object, old)) {
        let detail = "may not update fields other than metadata.annotations";
        errors.invalid(&object.at("metadata"), "", detail);
    }
}

/// Whether the metadata that belongs to the stream differs from that of `old`. A tag without labels gets those of the
/// stream.
fn changes_metadata(object: &Node, old: &Node) -> bool {
    let (new, old) = (object.child("metadata"), old.child("metadata"));
    let differs = |field| {
        let is_empty = |value: &Value| match value {
            Value::Object(entries) => entries.is_empty(),
            Value::Array(items) => items.is_empty(),
            other => other.is_null(),
        };
        let (now, before) = (new.raw(field), old.raw(field));
        !(is_empty(now) && (field == "labels" || is_empty(before))) && !plainly_equal(now, before)
    };
    ["labels", "ownerReferences", "finalizers"].into_iter().any(differs)
}

pub(super) fn validate_image_tag(errors: &mut Errors, object: &Node, old: Option<&Node>, _: &ServerProfile) {
    match object.get("spec") {
        None if old.is_none() => {
            errors.required(&object.at("spec"), "spec is a required field during creation");
        }
        None => {}
        Some(spec) => {
            let parts: Vec<&str> = object.child("metadata").text("name").split(':').collect();
            let is_own = matches!(parts[..], [_, tag] if tag == spec.text("name"));
            if !is_own {
                errors.invalid(&spec.at("name"), spec.text("name"), "must match image tag name");
            }
            validate_tag_reference(errors, &spec);
        }
    }
}

fn validate_own_reference(errors: &mut Errors, object: &Node) {
    let Some(tag) = object.get("tag") else { return };
    validate_tag_reference(errors, &tag);
    let metadata = object.child("metadata");
    let annotations = |node: &Node<'_>| node.raw("annotations").as_object().cloned().unwrap_or_default();
    if tag.has("annotations") && annotations(&tag) != annotations(&metadata) {
        let detail = "tag annotations must not be provided or must be equal to the object meta annotations";
        errors.invalid(&tag.at("annotations"), "<map>", detail);
    }
}

pub(super) fn validate_image(errors: &mut Errors, object: &Node, _: Option<&Node>, _: &ServerProfile) {
    validate_contents(errors, object);
}

/// Validates an image besides its metadata.
fn validate_contents(errors: &mut Errors, image: &Node) {
    validate_reference(errors, image, "dockerImageReference");
    signature::validate_of_image(errors, image);
    validate_manifests(errors, image);
    if image.len("dockerImageManifests") > 0 && image.len("dockerImageLayers") > 0 {
        let detail = "dockerImageLayers should not be set when dockerImageManifests is set";
        let layers = image.items("dockerImageLayers");
        let printed: Vec<String> = layers
            .map(|layer| kube_api::internal_json::internal("openshift/image/v1.ImageLayer", layer.value()))
            .collect();
        errors.invalid_printed(&image.at("dockerImageLayers"), format!("[{}]", printed.join(",")), detail);
    }
}

fn validate_manifests(errors: &mut Errors, image: &Node) {
    static DIGEST: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new("[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*[:][0-9A-Fa-f]{32,}").ok()
    });
    static MEDIA_TYPE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new("^ *([A-Za-z0-9][A-Za-z0-9!#$&^_-]{0,126})/([A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}) *$")
            .ok()
    });
    for manifest in image.items("dockerImageManifests") {
        let mut matches = |field: &'static str, pattern: &Option<Regex>, detail: &str| {
            if !pattern.as_ref().is_some_and(|pattern| pattern.is_match(manifest.text(field))) {
                errors.invalid(&manifest.at(field), manifest.text(field), detail);
            }
        };
        matches("digest", &DIGEST, "digest does not conform with OCI image specification");
        matches("mediaType", &MEDIA_TYPE, "media type does not conform to RFC6838");
        for field in ["architecture", "os"] {
            errors.require_text(&manifest, field);
        }
        let size = manifest.int("manifestSize");
        if size < 0 {
            errors.invalid_int(&manifest.at("size"), size, "manifest size cannot be negative");
        }
    }
}

pub(super) fn validate_mapping(errors: &mut Errors, object: &Node, _: Option<&Node>, _: &ServerProfile) {
    if object.child("metadata").text("name").is_empty() {
        errors.required(&Path::new("name"), "");
        errors.required(&Path::new("dockerImageRepository"), "");
    }
    errors.require_text(object, "tag");
    let image = object.child("image");
    validate_object_meta(errors, &image, Scope::Cluster, name_is_path_segment);
    validate_contents(errors, &image);
}

/// Validates an import. The rule that it names an image or a repository is absent: the recorded cases of quotas, which
/// count an import of nothing as nothing, come from plugins without validation.
pub(super) fn validate_import(errors: &mut Errors, object: &Node, _: Option<&Node>, _: &ServerProfile) {
    let spec = object.child("spec");
    for image in spec.items("images") {
        let from = image.child("from");
        if from.text("kind") == "DockerImage" {
            if let Some(to) = image.get("to").filter(|to| to.text("name").is_empty()) {
                errors.invalid(&to.at("name"), "", "the name of the target tag must be specified");
            }
            if from.text("name") == "*" {
                continue;
            }
            validate_reference(errors, &from, "name");
        } else {
            errors.invalid(&from.at("kind"), from.text("kind"), "only DockerImage is supported");
        }
        validate_import_policy(errors, &image.child("importPolicy"));
    }
    if let Some(repository) = spec.get("repository") {
        let from = repository.child("from");
        let name = from.text("name");
        match (from.text("kind"), Reference::parse(name)) {
            ("DockerImage", _) if name.is_empty() => {
                errors.required(&from.at("name"), "container image references require a name");
            }
            ("DockerImage", Err(error)) => errors.invalid(&from.at("name"), name, error),
            ("DockerImage", Ok(found)) => {
                if !found.id.is_empty() || !found.tag.is_empty() {
                    let detail = "you must specify an image repository, not a tag or ID";
                    errors.invalid(&from.at("name"), name, detail);
                }
            }
            (kind, _) => errors.invalid(&from.at("kind"), kind, "only DockerImage is supported"),
        }
        validate_import_policy(errors, &repository.child("importPolicy"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openshift::served::tests::errors_by;
    use gotext::value::json;

    #[test]
    fn rejects_tags_that_name_no_image() {
        let stream = json!({
            "metadata": {"name": "web", "namespace": "shop"},
            "spec": {"dockerImageRepository": "registry.example.com/shop/web:1", "tags": [
                {"name": "a", "from": {"kind": "DockerImage", "name": "Web"}, "referencePolicy": {"type": "Source"}},
                {"name": "b", "from": {"kind": "ImageStreamTag", "name": "c"}, "importPolicy": {"scheduled": true},
                 "referencePolicy": {"type": "Remote"}},
                {"name": "c", "from": {"name": ""}, "referencePolicy": {"type": "Local"}},
            ]},
        });
        assert_eq!(
            errors_by(validate_stream, &stream),
            [
                "spec.dockerImageRepository: Invalid value: \"registry.example.com/shop/web:1\": the repository name may \
                 not contain a tag",
                "spec.tags[a].from.name: Invalid value: \"Web\": repository name must be lowercase",
                "spec.tags[b].importPolicy.scheduled: Invalid value: true: only tags pointing to Docker repositories may \
                 be scheduled for background import",
                "spec.tags[b].referencePolicy.type: Invalid value: \"Remote\": valid values are \"Source\", \"Local\"",
                "spec.tags[c].from.name: Required value",
                "spec.tags[c].from.kind: Required value: valid values are 'DockerImage', 'ImageStreamImage', \
                 'ImageStreamTag'",
            ]
        );
        assert_eq!(stream_name("Web", false), ["must match \"[a-z0-9]+(?:[._-][a-z0-9]+)*\""]);
    }

    #[test]
    fn rejects_imports_of_other_than_repositories() {
        let import = json!({"spec": {"images": [{"from": {"kind": "ImageStreamTag", "name": "a:b"}}],
            "repository": {"from": {"kind": "DockerImage", "name": "r.example.com/a/b:1"}}}});
        assert_eq!(
            errors_by(validate_import, &import),
            [
                "spec.images[0].from.kind: Invalid value: \"ImageStreamTag\": only DockerImage is supported",
                "spec.repository.from.name: Invalid value: \"r.example.com/a/b:1\": you must specify an image repository, \
                 not a tag or ID",
            ]
        );
    }
}
