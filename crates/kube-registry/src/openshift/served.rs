//! The kinds that openshift-apiserver serves: one row each, and the rules for projects.
//!
//! Deliberately absent: that an import names an image (see `image::validate_import`). The rules that depend on rights and
//! on other objects are in `evaluation`.
//!
//! Source: `openshift-apiserver` `pkg/*/apis/*/validation`.

mod build;
mod deployment_config;
mod image;
mod signature;
mod template;

use std::fmt;

use crate::openshift::defaults::{self, Defaults};
use crate::openshift::facts::ClusterFacts;
use crate::openshift::preparation::{self, Generation};
use crate::openshift::{RequestContext, image_stream, prepare_unchecked, route};
use crate::strategy::{Context, Scope};
use crate::validation::metadata::{
    NameRule, name_is_dns_subdomain, name_is_path_segment, validate_object_meta, validate_object_meta_update,
};
use crate::validation::node::{Errors, IMMUTABLE, Node};
use gotext::names;
use kube_api::server_profile::ServerProfile;
use kube_api::tree::{child_or_insert, copy, set};
use kube_api::{GroupVersionKind, Map, Object, Value, decode, field};

/// One of the kinds: what openshift-apiserver does with its objects.
pub struct ServedKind {
    group: &'static str,
    kind: &'static str,
    scope: Scope,
    defaults: Defaults,
    create: fn(&mut Map, &Context<'_>),
    /// Prepares an update as a whole.
    update: fn(&mut Map, &Map),
    generation: Generation,
    /// Whether only the status may change through the subresource `status`.
    has_status: bool,
    name: NameRule,
    /// Whether an update is also validated as a new object is.
    whole_on_update: bool,
    validate: Rules,
    warnings: fn(&Object) -> Vec<String>,
}

/// A function that collects the errors besides those in the metadata.
#[derive(Clone, Copy)]
enum Rules {
    /// From the object alone.
    OfObject(ObjectRules),
    /// Also from the cluster.
    OfCluster(fn(&mut Errors, &Node<'_>, Option<&Node<'_>>, &ClusterFacts<'_>)),
}

type ObjectRules = fn(&mut Errors, &Node<'_>, Option<&Node<'_>>, &ServerProfile);

const fn namespaced(group: &'static str, kind: &'static str, validate: ObjectRules) -> ServedKind {
    ServedKind {
        group,
        kind,
        scope: Scope::Namespaced,
        defaults: |_| {},
        create: |_, _| {},
        update: |_, _| {},
        generation: Generation::None,
        has_status: false,
        name: name_is_dns_subdomain,
        whole_on_update: true,
        validate: Rules::OfObject(validate),
        warnings: |_| Vec::new(),
    }
}

const fn cluster(group: &'static str, kind: &'static str, validate: ObjectRules) -> ServedKind {
    ServedKind { scope: Scope::Cluster, ..namespaced(group, kind, validate) }
}

/// Every kind that openshift-apiserver serves.
static KINDS: &[ServedKind] = &[
    ServedKind {
        defaults: defaults::default_deployment_config,
        create: preparation::create_deployment_config,
        update: preparation::update_deployment_config,
        generation: Generation::SpecOrStatus("latestVersion"),
        has_status: true,
        ..namespaced("apps.openshift.io", "DeploymentConfig", deployment_config::validate)
    },
    ServedKind {
        defaults: defaults::default_build,
        update: preparation::update_build,
        generation: Generation::Spec,
        ..namespaced("build.openshift.io", "Build", build::validate_build)
    },
    ServedKind {
        defaults: defaults::default_build_config,
        create: preparation::create_build_config,
        update: preparation::update_build_config,
        generation: Generation::SpecOrStatus("lastVersion"),
        ..namespaced("build.openshift.io", "BuildConfig", build::validate_config)
    },
    ServedKind { name: name_is_path_segment, ..namespaced("build.openshift.io", "BuildRequest", nothing) },
    ServedKind {
        defaults: defaults::default_served_image,
        name: name_is_path_segment,
        ..cluster("image.openshift.io", "Image", image::validate_image)
    },
    ServedKind {
        create: preparation::create_signature,
        name: name_is_path_segment,
        ..cluster("image.openshift.io", "ImageSignature", signature::validate)
    },
    ServedKind {
        defaults: defaults::default_image_stream,
        name: image::stream_name,
        ..namespaced("image.openshift.io", "ImageStream", image::validate_stream)
    },
    ServedKind {
        defaults: defaults::default_import,
        create: preparation::create_import,
        name: image::stream_name,
        ..namespaced("image.openshift.io", "ImageStreamImport", image::validate_import)
    },
    ServedKind {
        defaults: defaults::default_mapping,
        create: preparation::create_mapping,
        name: name_is_path_segment,
        ..namespaced("image.openshift.io", "ImageStreamMapping", image::validate_mapping)
    },
    ServedKind {
        defaults: defaults::default_stream_tag,
        name: name_is_path_segment,
        whole_on_update: false,
        ..namespaced("image.openshift.io", "ImageStreamTag", image::validate_tag)
    },
    ServedKind {
        name: name_is_path_segment,
        whole_on_update: false,
        ..namespaced("image.openshift.io", "ImageTag", image::validate_image_tag)
    },
    ServedKind {
        update: preparation::update_project,
        name: project_name,
        ..cluster("project.openshift.io", "Project", validate_project)
    },
    ServedKind { name: project_name, ..cluster("project.openshift.io", "ProjectRequest", validate_project) },
    ServedKind {
        defaults: defaults::default_route,
        create: preparation::create_route,
        update: preparation::update_route,
        generation: Generation::Spec,
        has_status: true,
        whole_on_update: false,
        validate: Rules::OfCluster(route::validate),
        warnings: warnings_of_route,
        ..namespaced("route.openshift.io", "Route", nothing)
    },
    ServedKind {
        whole_on_update: false,
        ..cluster("template.openshift.io", "BrokerTemplateInstance", template::validate_broker_instance)
    },
    ServedKind {
        whole_on_update: false,
        ..namespaced("template.openshift.io", "Template", template::validate_template)
    },
    ServedKind {
        create: preparation::create_template_instance,
        update: preparation::update_template_instance,
        has_status: true,
        whole_on_update: false,
        ..namespaced("template.openshift.io", "TemplateInstance", template::validate_instance)
    },
];

/// Returns the kind that is called so, if openshift-apiserver serves it.
pub fn of(kind: &GroupVersionKind) -> Option<&'static ServedKind> {
    KINDS.iter().find(|served| served.group == kind.group && served.kind == kind.kind)
}

/// Fills in the defaults of an object, if openshift-apiserver serves its kind.
pub fn set_defaults(object: &mut Object) {
    if let (Some(served), Value::Object(map)) = (of(&object.kind), &mut object.value) {
        (served.defaults)(map);
    }
}

impl ServedKind {
    /// Prepares an object to be created.
    pub(crate) fn prepare_for_create(&self, object: &mut Object, context: &Context<'_>) {
        prepare_unchecked(object, None, context);
        let Value::Object(map) = &mut object.value else { return };
        (self.create)(map, context);
        if !matches!(self.generation, Generation::None) {
            set(child_or_insert(map, "metadata"), "generation", 1);
        }
        decode::normalize(object);
    }

    /// Prepares an object to replace `old`, as a whole or through `sub_resource`.
    pub(crate) fn prepare_for_update(
        &self,
        object: &mut Object,
        old: &Object,
        sub_resource: &str,
        context: &Context<'_>,
    ) {
        prepare_unchecked(object, Some((old, sub_resource)), context);
        let (Value::Object(map), Value::Object(old)) = (&mut object.value, &old.value) else { return };
        match sub_resource {
            "" => {
                (self.update)(map, old);
                preparation::count_generation(map, old, self.generation);
            }
            "status" if self.has_status => {
                copy(map, old, "spec");
                if self.kind == "DeploymentConfig"
                    && let Some(metadata) = old.child("metadata")
                {
                    copy(child_or_insert(map, "metadata"), metadata, "labels");
                }
            }
            _ => {}
        }
        decode::normalize(object);
    }

    /// Returns the errors in `object`, or in the update of `old` through `sub_resource`, and the references to images
    /// from registries that are not allowed.
    pub(crate) fn errors(
        &self,
        object: &Object,
        old: Option<&Object>,
        sub_resource: &str,
        context: &Context<'_>,
    ) -> Vec<field::Error> {
        let RequestContext { image_streams, facts, .. } = context.request().openshift;
        let mut errors = self.validate(object, old, sub_resource, context.profile, facts);
        let Some(around) = image_streams else { return errors };
        let (allowed, registry) = (&around.allowed_registries, around.registry.as_str());
        let (stream, old) = (&object.value, old.map(|old| &old.value));
        match (old, sub_resource) {
            _ if image_stream::is_tag(&object.kind) => {
                errors.extend(allowed.validate_tag(stream, old, "tag", registry));
            }
            (Some(old), "status") => errors.extend(allowed.validate_status(stream, old, registry)),
            (_, "") => errors.extend(allowed.validate_stream(stream, old, registry)),
            _ => {}
        }
        errors
    }

    /// Returns the errors in `object`, or in the update of `old` through `sub_resource`. Without `facts`, the Secrets of
    /// routes are not checked.
    pub fn validate(
        &self,
        object: &Object,
        old: Option<&Object>,
        sub_resource: &str,
        profile: &ServerProfile,
        facts: Option<&ClusterFacts<'_>>,
    ) -> Vec<field::Error> {
        let mut errors = Errors::default();
        let root = Node::root(&object.value);
        let validate = |errors: &mut Errors, object: &Node<'_>, old: Option<&Node<'_>>| match self.validate {
            Rules::OfObject(rules) => rules(errors, object, old, profile),
            Rules::OfCluster(rules) => rules(errors, object, old, facts.unwrap_or(&NO_FACTS)),
        };
        let whole = |errors: &mut Errors| validate_object_meta(errors, &root, self.scope, self.name);
        let Some(old) = old else {
            whole(&mut errors);
            validate(&mut errors, &root, None);
            return errors.0;
        };
        let kept = with_system_fields(object, old);
        let (new, before) = (Node::root(&kept.value), Node::root(&old.value));
        validate_object_meta_update(&mut errors, &new, &before);
        if sub_resource.is_empty() {
            if self.whole_on_update {
                whole(&mut errors);
            }
            validate(&mut errors, &new, Some(&before));
        } else if sub_resource == "details" {
            build::validate_details(&mut errors, &new, &before);
        }
        errors.0
    }

    /// Returns the warnings about `object`.
    pub(crate) fn warnings(&self, object: &Object) -> Vec<String> {
        (self.warnings)(object)
    }
}

impl fmt::Debug for ServedKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "ServedKind({}/{})", self.group, self.kind)
    }
}

fn warnings_of_route(route: &Object) -> Vec<String> {
    if route.text(["spec", "host"]).is_empty() || route.text(["spec", "subdomain"]).is_empty() {
        return Vec::new();
    }
    vec!["spec.host is set; spec.subdomain may be ignored".to_owned()]
}

/// Returns `object` with the metadata that the server takes from the stored object if the request has none.
///
/// Source: `rest.BeforeUpdate`.
fn with_system_fields(object: &Object, old: &Object) -> Object {
    let mut kept = object.clone();
    for field in [
        "creationTimestamp",
        "deletionGracePeriodSeconds",
        "deletionTimestamp",
        "generation",
        "namespace",
        "uid",
    ] {
        let path = ["metadata", field];
        if let (None, Some(value)) = (object.at(path).filter(|value| !value.is_null()), old.at(path)) {
            kept.set(path, value.clone());
        }
    }
    kept
}

fn nothing(_: &mut Errors, _: &Node<'_>, _: Option<&Node<'_>>, _: &ServerProfile) {}

/// A cluster in which the router may read every Secret.
const NO_FACTS: ClusterFacts<'_> = ClusterFacts {
    internal_uri: None,
    router_may: &|_, _, _| true,
    type_of_secret: &|_, _| Some("kubernetes.io/tls".to_owned()),
    kubelets: None,
};

/// Implements `ValidateProjectName`.
fn project_name(name: &str, prefix: bool) -> Vec<String> {
    let messages = name_is_path_segment(name, prefix);
    if !messages.is_empty() {
        return messages;
    }
    if name.len() < 2 {
        return vec!["must be at least 2 characters long".to_owned()];
    }
    names::is_dns1123_label(name)
}

/// Annotations of a project that may be updated through it; all others belong to its namespace.
const OWN_ANNOTATIONS: [&str; 2] = ["openshift.io/display-name", "openshift.io/description"];
const OF_NAMESPACE: &str = "field is immutable, try updating the namespace";

/// Validates a project or the request of one.
fn validate_project(errors: &mut Errors, object: &Node, old: Option<&Node>, _: &ServerProfile) {
    let metadata = object.child("metadata");
    let annotations = metadata.child("annotations");
    let name = annotations.text(OWN_ANNOTATIONS[0]);
    if name.contains(['\n', '\t']) {
        let path = annotations.here().key(OWN_ANNOTATIONS[0]);
        errors.invalid(&path, name, "may not contain a new line or tab");
    }
    if let Some(selector) = annotations.given("openshift.io/node-selector")
        && !is_label_selector(selector)
    {
        let path = field::Path::new("nodeSelector");
        errors.invalid(&path, selector, "must be a valid label selector");
    }
    let Some(old) = old else { return };
    let finalizers = |node: &Node<'_>| node.child("spec").list("finalizers").to_vec();
    let before = Value::from(finalizers(old));
    if finalizers(object) != finalizers(old) {
        errors.invalid_value(&object.child("spec").at("finalizers"), &before, IMMUTABLE);
    }
    if object.raw("status") != old.raw("status") {
        errors.invalid_value(&object.at("status"), &before, IMMUTABLE);
    }
    for list in ["annotations", "labels"] {
        let (now, before) = (metadata.child(list), old.child("metadata").child(list));
        let is_own = |key: &str| list == "annotations" && OWN_ANNOTATIONS.contains(&key);
        let entries = |node: &Node<'_>| node.value().as_object().cloned().unwrap_or_else(Map::new);
        let (now, then) = (entries(&now), entries(&before));
        let path = || metadata.at(list);
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        for (key, value) in now.iter().filter(|(key, _)| !is_own(key)) {
            if then.get(key) != Some(value) {
                errors.invalid(&path().key(key.as_str()), &text(value), OF_NAMESPACE);
            }
        }
        for (key, value) in then.iter().filter(|(key, _)| !is_own(key) && now.get(key).is_none()) {
            errors.invalid(&path().key(key.as_str()), &text(value), OF_NAMESPACE);
        }
    }
}

/// Whether `text` is a list of `key=value`.
fn is_label_selector(text: &str) -> bool {
    text.trim().is_empty()
        || text.split(',').all(|pair| {
            pair.split_once('=').is_some_and(|(key, value)| {
                names::is_qualified_name(key.trim()).is_empty()
                    && names::is_valid_label_value(value.trim()).is_empty()
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::json;
    use kube_api::resource::{self, Subresource};

    fn project(value: Value) -> Object {
        Object::new(GroupVersionKind::new("project.openshift.io", "v1", "Project"), value)
    }

    /// Returns the errors that `rules` find in an object.
    pub(super) fn errors_by(rules: ObjectRules, object: &Value) -> Vec<String> {
        let mut errors = Errors::default();
        rules(&mut errors, &Node::root(object), None, &ServerProfile::default());
        errors.0.iter().map(ToString::to_string).collect()
    }

    /// Returns the errors that `rules` find in an object with `spec`.
    pub(super) fn errors_in_spec(rules: ObjectRules, spec: &Value) -> Vec<String> {
        errors_by(rules, &json!({"metadata": {"name": "web", "namespace": "shop"}, "spec": spec.clone()}))
    }

    fn texts(object: &Object, old: Option<&Object>) -> Vec<String> {
        let errors = of(&object.kind).unwrap().validate(object, old, "", &ServerProfile::default(), None);
        errors.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_table_has_the_kinds_of_the_data_and_no_others() {
        let mut served = Vec::new();
        for entry in resource::openshift() {
            let kind = entry.group_version_kind();
            let scope = if entry.namespaced { Scope::Namespaced } else { Scope::Cluster };
            let has_status = entry.subresource("status").is_some() && entry.kind != "ImageStream";
            let row = of(&kind).unwrap_or_else(|| panic!("{kind:?} has no row"));
            assert_eq!((row.scope, row.has_status), (scope, has_status), "{kind:?}");
            served.extend(entry.subresources.iter().map(Subresource::group_version_kind).chain([kind]));
        }
        let is_served =
            |row: &ServedKind| served.iter().any(|kind| row.group == kind.group && row.kind == kind.kind);
        assert!(served.iter().all(|kind| of(kind).is_some()));
        assert!(KINDS.iter().all(is_served));
    }

    #[test]
    fn rejects_projects_with_short_names_and_bad_annotations() {
        let object = project(json!({"metadata": {"name": "a", "annotations": {
            "openshift.io/display-name": "a\tb", "openshift.io/node-selector": "a in (b)",
        }}}));
        assert_eq!(
            texts(&object, None),
            [
                "metadata.name: Invalid value: \"a\": must be at least 2 characters long",
                "metadata.annotations[openshift.io/display-name]: Invalid value: \"a\\tb\": may not contain a new line or tab",
                "nodeSelector: Invalid value: \"a in (b)\": must be a valid label selector",
            ]
        );
    }

    #[test]
    fn rejects_changes_of_a_project_that_belong_to_its_namespace() {
        let old = project(json!({"metadata": {"name": "shop", "resourceVersion": "1", "uid": "u",
            "labels": {"team": "blue"}, "annotations": {"openshift.io/description": "a"}}}));
        let new = project(json!({"metadata": {"name": "shop", "resourceVersion": "1",
            "labels": {"team": "red"}, "annotations": {"openshift.io/description": "b", "x": "y"}}}));
        assert_eq!(
            texts(&new, Some(&old)),
            [
                "metadata.annotations[x]: Invalid value: \"y\": field is immutable, try updating the namespace",
                "metadata.labels[team]: Invalid value: \"red\": field is immutable, try updating the namespace",
            ]
        );
        assert!(texts(&old, Some(&old)).is_empty());
    }
}
