//! The Secrets and `ConfigMaps` that a pod names.
//!
//! Source: `VisitPodSecretNames`, `VisitPodConfigmapNames` of `k8s.io/kubernetes/pkg/api/pod`.

use crate::pod::{Container, PodTemplate};
use kube_api::Value;
use kube_api::field::Path;

/// A name, and its path in the pod.
pub type Named<'a> = (Path, &'a str);

/// An object that the environment of a container is read from.
pub struct Source<'a> {
    /// The variable; none if all keys of the object become variables.
    pub variable: Option<&'a str>,
    /// The name of the object.
    pub name: &'a str,
    /// The path of the name.
    pub path: Path,
}

/// Volumes that name a secret, and the path of the name. A volume with several sources is invalid; the first of them
/// counts.
const SECRETS_OF_VOLUMES: &[(&str, &[&str])] = &[
    ("azureFile", &["secretName"]),
    ("cephfs", &["secretRef", "name"]),
    ("cinder", &["secretRef", "name"]),
    ("flexVolume", &["secretRef", "name"]),
    ("projected", &[]),
    ("rbd", &["secretRef", "name"]),
    ("secret", &["secretName"]),
    ("scaleIO", &["secretRef", "name"]),
    ("iscsi", &["secretRef", "name"]),
    ("storageos", &["secretRef", "name"]),
    ("csi", &["nodePublishSecretRef", "name"]),
];

/// Returns the Secrets that `pod` names, in the order in which the server looks for them.
pub fn secrets<'a>(pod: &PodTemplate<'a>) -> Vec<Named<'a>> {
    let of_containers =
        pod.containers().flat_map(|container| of_container(&container, "secretRef", "secretKeyRef"));
    let of_volumes = volumes(pod).into_iter().flat_map(|(path, volume)| {
        match SECRETS_OF_VOLUMES.iter().find(|(kind, _)| volume.has(kind)) {
            Some(("projected", _)) => of_projected(volume, &path, "secret"),
            Some((kind, field)) => vec![named(&volume[*kind], field, path.child(*kind))],
            None => Vec::new(),
        }
    });
    let all = pull_secrets(pod).into_iter().chain(of_containers).chain(of_volumes);
    all.filter(|(_, name)| !name.is_empty()).collect()
}

/// Returns the `ConfigMaps` that `pod` names, in the order in which the server looks for them.
pub fn config_maps<'a>(pod: &PodTemplate<'a>) -> Vec<Named<'a>> {
    let of_containers =
        pod.containers().flat_map(|container| of_container(&container, "configMapRef", "configMapKeyRef"));
    let of_volumes = volumes(pod).into_iter().flat_map(|(path, volume)| {
        match (volume.at("projected"), volume.at("configMap")) {
            (Some(_), _) => of_projected(volume, &path, "configMap"),
            (None, Some(source)) => vec![named(source, &["name"], path.child("configMap"))],
            (None, None) => Vec::new(),
        }
    });
    of_containers.chain(of_volumes).filter(|(_, name)| !name.is_empty()).collect()
}

/// Returns the names of the Secrets that images of `pod` are pulled with; they may be empty.
pub fn pull_secrets<'a>(pod: &PodTemplate<'a>) -> Vec<Named<'a>> {
    let references = items(pod.list("imagePullSecrets"), &pod.spec_path().child("imagePullSecrets"));
    references.into_iter().map(|(path, reference)| named(reference, &["name"], path)).collect()
}

/// Returns the objects of which a key becomes a variable of `container`, by the field of `valueFrom` that names them;
/// names may be empty.
pub fn keys_of<'a>(container: &Container<'a>, field: &'static str) -> Vec<Source<'a>> {
    let variables = items(container.list("env"), &container.path().child("env")).into_iter();
    let of_key = variables.filter_map(|(path, variable)| {
        variable.at(["valueFrom", field])?;
        let (path, name) = named(variable, &["valueFrom", field, "name"], path);
        Some(Source { variable: Some(variable.text("name")), name, path })
    });
    of_key.collect()
}

/// Returns the objects whose keys all become variables of `container`, by the field of `envFrom` that names them; names
/// may be empty.
pub fn wholes_of<'a>(container: &Container<'a>, field: &'static str) -> Vec<Source<'a>> {
    let sources = items(container.list("envFrom"), &container.path().child("envFrom")).into_iter();
    let whole = sources.filter_map(|(path, source)| {
        source.at(field)?;
        let (path, name) = named(source, &[field, "name"], path);
        Some(Source { variable: None, name, path })
    });
    whole.collect()
}

/// Returns the volumes of `pod`, each with its place.
pub fn volumes<'a>(pod: &PodTemplate<'a>) -> Vec<(Path, &'a Value)> {
    items(pod.list("volumes"), &pod.spec_path().child("volumes"))
}

/// Returns the sources of a projected volume, each with its place.
pub fn sources<'a>(volume: &'a Value, path: &Path) -> Vec<(Path, &'a Value)> {
    let sources = volume.at(["projected", "sources"]).and_then(Value::as_array);
    items(sources.map_or(&[], Vec::as_slice), &path.child("projected").child("sources"))
}

/// Returns the objects that the environment of `container` names by one of two fields.
fn of_container<'a>(container: &Container<'a>, whole: &'static str, key: &'static str) -> Vec<Named<'a>> {
    let sources = wholes_of(container, whole).into_iter().chain(keys_of(container, key));
    sources.map(|source| (source.path, source.name)).collect()
}

fn of_projected<'a>(volume: &'a Value, path: &Path, kind: &'static str) -> Vec<Named<'a>> {
    let sources = sources(volume, path).into_iter();
    sources.map(|(path, source)| named(source, &[kind, "name"], path)).collect()
}

fn items<'a>(list: &'a [Value], path: &Path) -> Vec<(Path, &'a Value)> {
    list.iter().enumerate().map(|(index, item)| (path.index(index), item)).collect()
}

/// Returns the text in the named field below `path`; empty if there is none.
fn named<'a>(value: &'a Value, fields: &[&'static str], path: Path) -> Named<'a> {
    (fields.iter().fold(path, |path, field| path.child(*field)), value.text(fields))
}
