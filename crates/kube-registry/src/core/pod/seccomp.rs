//! Seccomp profiles in annotations and in fields. Releases from 1.19 to 1.24 keep them equal; those of 1.25 and 1.26
//! still read the annotations, and no longer write them.
//!
//! Source: `applySeccompVersionSkew`.

use kube_api::tree::{child_mut, child_or_insert, items_mut, set};
use kube_api::{Map, Value};

const OF_POD: &str = "seccomp.security.alpha.kubernetes.io/pod";
const OF_CONTAINER: &str = "container.seccomp.security.alpha.kubernetes.io/";

/// Copies the profile of a new Pod and those of its containers into the fields if only the annotations have them and,
/// with `write_annotations`, vice versa.
pub(crate) fn copy_between_annotations_and_fields(pod: &mut Map, write_annotations: bool) {
    let annotations = pod.child(["metadata", "annotations"]).cloned().unwrap_or_default();
    let mut added = Vec::new();
    let Some(spec) = child_mut(pod, "spec") else { return };
    same(&annotations, OF_POD.to_owned(), spec, &mut added);
    for field in ["initContainers", "containers", "ephemeralContainers"] {
        for container in items_mut(spec, field) {
            let key = format!("{OF_CONTAINER}{}", container.text("name"));
            same(&annotations, key, container, &mut added);
        }
    }
    if write_annotations && !added.is_empty() {
        child_or_insert(child_or_insert(pod, "metadata"), "annotations").extend(added);
    }
}

fn same(annotations: &Map, key: String, owner: &mut Map, added: &mut Vec<(String, Value)>) {
    let annotation = annotations.get(&key).and_then(Value::as_str);
    let context = owner.child("securityContext");
    match (annotation, context.and_then(|context| context.child("seccompProfile"))) {
        (None, Some(profile)) => {
            let annotation = match profile.text("type") {
                "Unconfined" => "unconfined".to_owned(),
                "RuntimeDefault" => "runtime/default".to_owned(),
                "Localhost" if profile.has("localhostProfile") => {
                    format!("localhost/{}", profile.text("localhostProfile"))
                }
                _ => return,
            };
            added.push((key, annotation.into()));
        }
        (Some(annotation), None) => {
            if let Some(profile) = field_of(annotation) {
                set(child_or_insert(owner, "securityContext"), "seccompProfile", profile);
            }
        }
        _ => {}
    }
}

/// Returns the field that corresponds to an annotation.
fn field_of(annotation: &str) -> Option<Map> {
    let mut profile = Map::new();
    let (kind, path) = match annotation {
        "unconfined" => ("Unconfined", None),
        "runtime/default" | "docker/default" => ("RuntimeDefault", None),
        other => {
            let path = other.strip_prefix("localhost/").filter(|path| !path.is_empty())?;
            ("Localhost", Some(path))
        }
    };
    profile.insert("type", kind.into());
    profile.extend(path.map(|path| ("localhostProfile", Value::from(path))));
    Some(profile)
}
