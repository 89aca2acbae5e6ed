//! The Secrets and `ConfigMaps` that a pod names.
//!
//! Source: `VisitPodSecretNames`, `VisitPodConfigmapNames` of `k8s.io/kubernetes/pkg/api/pod`.

use crate::api::field::Path;
use crate::api::{Value, at};
use crate::registry::pod::{Container, PodTemplate};

/// A name, and its path in the pod.
pub type Named<'a> = (Path, &'a str);

/// Volumes that name a secret, and the path of the name.
const SECRETS_OF_VOLUMES: &[(&str, &[&str])] = &[
    ("azureFile", &["secretName"]),
    ("cephfs", &["secretRef", "name"]),
    ("cinder", &["secretRef", "name"]),
    ("flexVolume", &["secretRef", "name"]),
    ("rbd", &["secretRef", "name"]),
    ("secret", &["secretName"]),
    ("scaleIO", &["secretRef", "name"]),
    ("iscsi", &["secretRef", "name"]),
    ("storageos", &["secretRef", "name"]),
    ("csi", &["nodePublishSecretRef", "name"]),
];

/// Returns the Secrets that `pod` names, in the order in which the server looks for them.
pub fn secrets<'a>(pod: &PodTemplate<'a>) -> Vec<Named<'a>> {
    let pull_secrets = items(pod.list("imagePullSecrets"), &pod.spec_path().child("imagePullSecrets"));
    let pull_secrets = pull_secrets.into_iter().filter_map(|(path, secret)| named(secret, &["name"], path));
    let of_containers =
        pod.containers().flat_map(|container| of_container(&container, "secretRef", "secretKeyRef"));
    let of_volumes = volumes(pod).into_iter().flat_map(|(path, volume)| {
        match SECRETS_OF_VOLUMES.iter().find(|(kind, _)| at(volume, &[kind]).is_some()) {
            Some((kind, field)) => {
                let source = &volume[*kind];
                named(source, field, path.child(*kind)).into_iter().collect()
            }
            None => of_projected(volume, &path, "secret"),
        }
    });
    pull_secrets.chain(of_containers).chain(of_volumes).collect()
}

/// Returns the `ConfigMaps` that `pod` names, in the order in which the server looks for them.
pub fn config_maps<'a>(pod: &PodTemplate<'a>) -> Vec<Named<'a>> {
    let of_containers =
        pod.containers().flat_map(|container| of_container(&container, "configMapRef", "configMapKeyRef"));
    let of_volumes = volumes(pod).into_iter().flat_map(|(path, volume)| match at(volume, &["configMap"]) {
        Some(source) => named(source, &["name"], path.child("configMap")).into_iter().collect(),
        None => of_projected(volume, &path, "configMap"),
    });
    of_containers.chain(of_volumes).collect()
}

/// Returns the volumes of `pod`, each with its place.
pub fn volumes<'a>(pod: &PodTemplate<'a>) -> Vec<(Path, &'a Value)> {
    items(pod.list("volumes"), &pod.spec_path().child("volumes"))
}

/// Returns the sources of a projected volume, each with its place.
pub fn sources<'a>(volume: &'a Value, path: &Path) -> Vec<(Path, &'a Value)> {
    let sources = at(volume, &["projected", "sources"]).and_then(Value::as_array);
    items(sources.map_or(&[], Vec::as_slice), &path.child("projected").child("sources"))
}

/// Returns the objects that the environment of `container` names by one of two fields.
fn of_container<'a>(container: &Container<'a>, from: &'static str, key: &'static str) -> Vec<Named<'a>> {
    let list = |field: &'static str| items(container.list(&[field]), &container.path().child(field));
    let from = list("envFrom").into_iter().filter_map(|(path, source)| named(source, &[from, "name"], path));
    let variables = list("env").into_iter();
    let keys = variables.filter_map(|(path, variable)| named(variable, &["valueFrom", key, "name"], path));
    from.chain(keys).collect()
}

fn of_projected<'a>(volume: &'a Value, path: &Path, kind: &'static str) -> Vec<Named<'a>> {
    let sources = sources(volume, path).into_iter();
    sources.filter_map(|(path, source)| named(source, &[kind, "name"], path)).collect()
}

fn items<'a>(list: &'a [Value], path: &Path) -> Vec<(Path, &'a Value)> {
    list.iter().enumerate().map(|(index, item)| (path.index(index), item)).collect()
}

/// Returns the text in the named field below `path`, if there is any.
fn named<'a>(value: &'a Value, fields: &[&'static str], path: Path) -> Option<Named<'a>> {
    let name = at(value, fields)?.as_str().filter(|name| !name.is_empty())?;
    Some((fields.iter().fold(path, |path, field| path.child(*field)), name))
}
