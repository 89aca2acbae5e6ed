//! The references to images in an object, in the order in which they are judged.
//!
//! Source: `imagepolicy/imagereferencemutators`, `originimagereferencemutators`.

use kube_api::distribution::Server;
use kube_api::field::Path;
use kube_api::{GroupVersionKind, Object, Value};
use kube_registry::pod::template_location;

const RESOLVE_NAMES: &str = "alpha.image.policy.openshift.io/resolve-names";

/// The target of a reference: for a container the name of a `DockerImage`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Named {
    pub(super) kind: String,
    pub(super) namespace: String,
    pub(super) name: String,
}

/// A reference in an object.
pub(super) struct Reference {
    pub(super) named: Named,
    /// The path in messages.
    pub(super) path: Path,
    pub(super) place: Place,
}

/// The place of a reference.
pub(super) enum Place {
    /// The item of a list of containers.
    Container(Vec<&'static str>, usize),
    /// The item of a list whose items have the field `from`.
    Source(Vec<&'static str>, usize),
    /// An object reference.
    From(Vec<&'static str>),
}

impl Named {
    /// The image `name`.
    pub(super) fn image(name: &str) -> Self {
        Self { kind: "DockerImage".to_owned(), namespace: String::new(), name: name.to_owned() }
    }

    fn of(reference: &Value) -> Self {
        let text = |field| reference.text(field).to_owned();
        Self { kind: text("kind"), namespace: text("namespace"), name: text("name") }
    }
}

impl Place {
    /// Writes the image `name` to the place.
    pub(super) fn set(&self, object: &mut Object, name: &str) {
        match self {
            Self::Container(list, index) => {
                if let Some(container) = item_of(object, list, *index) {
                    set(container, "image", name);
                }
            }
            Self::Source(list, index) => {
                if let Some(from) = item_of(object, list, *index).and_then(|image| image.get_mut("from")) {
                    point_to(from, name);
                }
            }
            Self::From(fields) => {
                if let Some(from) = object.at_mut(fields) {
                    point_to(from, name);
                }
            }
        }
    }
}

fn item_of<'a>(object: &'a mut Object, list: &[&str], index: usize) -> Option<&'a mut Value> {
    object.at_mut(list)?.as_array_mut()?.get_mut(index)
}

fn set(value: &mut Value, field: &str, text: &str) {
    if let Value::Object(map) = value {
        map.insert(field.to_owned(), text.into());
    }
}

fn point_to(from: &mut Value, name: &str) {
    set(from, "kind", "DockerImage");
    set(from, "name", name);
    if let Value::Object(from) = from {
        from.remove("namespace");
    }
}

/// Returns the references in `object` that `old` does not have; nothing for an object without images.
pub(super) fn of(object: &Object, old: Option<&Object>) -> Option<Vec<Reference>> {
    if object.kind.group == "build.openshift.io" {
        return matches!(object.kind.kind.as_ref(), "Build" | "BuildConfig").then(|| of_build(object, old));
    }
    let spec: Vec<&'static str> = template_of(object)?.iter().copied().chain(["spec"]).collect();
    let old = old.filter(|old| resolves_all(old) == resolves_all(object));
    let mut references = Vec::new();
    for list in ["initContainers", "containers"] {
        let fields: Vec<&'static str> = spec.iter().copied().chain([list]).collect();
        for (index, container) in object.list(&fields).iter().enumerate() {
            let (name, image) = (container.text("name"), container.text("image"));
            if old.and_then(|old| image_of(old, &spec, name)) == Some(image) {
                continue;
            }
            references.push(Reference {
                named: Named::image(image),
                path: path(&fields).index(index).child("image"),
                place: Place::Container(fields.clone(), index),
            });
        }
    }
    Some(references)
}

/// Returns the image of the first container `name`.
fn image_of<'a>(object: &'a Object, spec: &[&'static str], name: &str) -> Option<&'a str> {
    ["initContainers", "containers"].iter().find_map(|list| {
        let fields: Vec<&str> = spec.iter().copied().chain([*list]).collect();
        let container = object.list(&fields).iter().find(|other| other.text("name") == name)?;
        Some(container.text("image"))
    })
}

/// Returns the path of the template of `object`, if it has one.
fn template_of(object: &Object) -> Option<&'static [&'static str]> {
    let location = match (object.kind.group.as_ref(), object.kind.kind.as_ref()) {
        ("apps.openshift.io", "DeploymentConfig") => &["spec", "template"],
        (group, kind) => template_location(group, kind)?,
    };
    let is_optional = ["ReplicationController", "DeploymentConfig"].contains(&object.kind.kind.as_ref());
    (!is_optional || object.has(location)).then_some(location)
}

/// Returns the references that a build starts from.
fn of_build(object: &Object, old: Option<&Object>) -> Vec<Reference> {
    let changes_effect = old.is_some_and(|old| resolves_all(old) != resolves_all(object));
    let old = old.filter(|_| !changes_effect);
    let mut references = Vec::new();
    let images = vec!["spec", "source", "images"];
    for (index, image) in object.list(&images).iter().enumerate() {
        let from = image.at("from");
        let is_known = |old: &Object| old.list(&images).iter().any(|other| other.at("from") == from);
        if old.is_some_and(is_known) {
            continue;
        }
        references.push(Reference {
            named: from.map_or_else(|| Named::of(&Value::Null), Named::of),
            path: path(&images).index(index).child("from").child("name"),
            place: Place::Source(images.clone(), index),
        });
    }
    let from_of = |object: &Object, strategy| object.at(["spec", "strategy", strategy, "from"]).cloned();
    let strategies = ["customStrategy", "dockerStrategy", "sourceStrategy"];
    let given = strategies.into_iter().find(|strategy| object.has(["spec", "strategy", strategy]));
    let is_same = old.zip(given).is_some_and(|(old, strategy)| {
        let from = from_of(object, strategy);
        from.is_some() && from == from_of(old, strategy)
    });
    for strategy in strategies.into_iter().filter(|_| !is_same) {
        let Some(from) = from_of(object, strategy) else { continue };
        let fields = vec!["spec", "strategy", strategy, "from"];
        references.push(Reference {
            named: Named::of(&from),
            path: path(&fields).child("name"),
            place: Place::From(fields),
        });
    }
    references
}

fn path(fields: &[&'static str]) -> Path {
    fields
        .iter()
        .fold(None, |path: Option<Path>, field| {
            Some(path.map_or_else(|| Path::new(field), |path| path.child(*field)))
        })
        .unwrap_or_else(|| Path::new("spec"))
}

/// Whether the object or its template wants every name resolved. The template of a `CronJob` is ignored.
pub(super) fn resolves_all(object: &Object) -> bool {
    let of_template = || {
        let template = template_of(object).filter(|_| object.kind.kind != "CronJob")?;
        object.at(template).map(|template| template.text(["metadata", "annotations", RESOLVE_NAMES]))
    };
    object.annotation(RESOLVE_NAMES) == Some("*") || of_template() == Some("*")
}

/// Returns the Go type of the objects of `kind` in `server`.
pub(super) fn go_type(kind: &GroupVersionKind, server: Server) -> String {
    let group = kind.group.as_ref();
    let is_own = !group.contains('.') || group.ends_with(".k8s.io");
    let is_openshifts = group.ends_with(".openshift.io") && server != Server::OpenShift;
    if !is_own && !is_openshifts {
        return "*unstructured.Unstructured".to_owned();
    }
    let package = match group.split('.').next().unwrap_or_default() {
        "" | "events" => "core",
        package => package,
    };
    format!("*{package}.{}", kind.kind)
}
