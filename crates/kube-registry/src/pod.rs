//! Views of Pods: the pod spec within a kind, and all its containers.

use gotext::value::Steps;
use kube_api::field::Path;
use kube_api::version::Version;
use kube_api::{Object, Value};

/// The fields of a volume that are its source, in the order in which policies of pods look for it.
///
/// Source: `GetVolumeFSType` of `pkg/security/podsecuritypolicy/util`.
pub const VOLUME_SOURCES: [&str; 30] = [
    "hostPath",
    "emptyDir",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "gitRepo",
    "secret",
    "nfs",
    "iscsi",
    "glusterfs",
    "persistentVolumeClaim",
    "rbd",
    "flexVolume",
    "cinder",
    "cephfs",
    "flocker",
    "downwardAPI",
    "fc",
    "azureFile",
    "configMap",
    "vsphereVolume",
    "quobyte",
    "azureDisk",
    "photonPersistentDisk",
    "projected",
    "portworxVolume",
    "scaleIO",
    "storageos",
    "csi",
    "ephemeral",
    "image",
];

/// Returns the name that a `PodSecurityPolicy` has for a source of volumes.
pub fn policy_name_of_volume_source(source: &'static str) -> &'static str {
    if source == "cephfs" { "cephFS" } else { source }
}

/// The first release in which a pod has the quality of service that its status names, whatever it requests.
pub const READS_QUALITY: Version = Version::minor(29);

/// The pod spec of a Pod, or of the template of a kind that creates Pods.
#[derive(Clone, Copy, Debug)]
pub struct PodTemplate<'a> {
    /// The object or template: the value with `metadata` and `spec`.
    pub value: &'a Value,
    location: &'static [&'static str],
}

/// The list that a container is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContainerType {
    /// `spec.initContainers`
    Init,
    /// `spec.containers`
    Main,
    /// `spec.ephemeralContainers`
    Ephemeral,
}

/// One container of a pod.
#[derive(Clone, Copy, Debug)]
pub struct Container<'a> {
    /// The container itself.
    pub value: &'a Value,
    /// The list that it is in.
    pub container_type: ContainerType,
    /// Its place in that list.
    pub index: usize,
    location: &'static [&'static str],
}

/// Returns the path of the value with `metadata` and `spec` of the pods that a kind creates; `None` for other kinds.
pub fn template_location(group: &str, kind: &str) -> Option<&'static [&'static str]> {
    match (group, kind) {
        ("", "Pod") => Some(&[]),
        ("", "PodTemplate") => Some(&["template"]),
        ("", "ReplicationController")
        | ("apps", "Deployment" | "ReplicaSet" | "StatefulSet" | "DaemonSet")
        | ("batch", "Job") => Some(&["spec", "template"]),
        ("batch", "CronJob") => Some(&["spec", "jobTemplate", "spec", "template"]),
        _ => None,
    }
}

impl<'a> PodTemplate<'a> {
    /// Returns the pod in `object`, if it is a Pod or has a template of one.
    pub fn of(object: &'a Object) -> Option<Self> {
        let location = template_location(&object.kind.group, &object.kind.kind)?;
        Some(Self { value: object.value.at(location)?, location })
    }

    /// Returns the pod spec.
    pub fn spec(&self) -> &'a Value {
        static NULL: Value = Value::Null;
        self.value.get("spec").unwrap_or(&NULL)
    }

    /// Returns a value at the named fields of the spec; `null` counts as absent.
    pub fn at(&self, fields: impl Steps) -> Option<&'a Value> {
        self.spec().at(fields)
    }

    /// Returns a text at the named fields of the spec, or nothing.
    pub fn text(&self, fields: impl Steps) -> &'a str {
        self.spec().text(fields)
    }

    /// Returns a list of the spec, or nothing.
    pub fn list(&self, fields: impl Steps) -> &'a [Value] {
        self.spec().list(fields)
    }

    /// Whether the flag at the named fields of the spec is set.
    pub fn flag(&self, fields: impl Steps) -> bool {
        self.spec().flag(fields)
    }

    /// Returns `metadata.annotations[key]`.
    pub fn annotation(&self, key: &str) -> Option<&'a str> {
        self.value.at(["metadata", "annotations", key])?.as_str()
    }

    /// Returns every container: init containers, then containers, then ephemeral ones.
    pub fn containers(&self) -> impl Iterator<Item = Container<'a>> + use<'a> {
        let template = *self;
        [ContainerType::Init, ContainerType::Main, ContainerType::Ephemeral]
            .into_iter()
            .flat_map(move |container_type| template.containers_of(container_type))
    }

    /// Returns the containers of one list.
    pub fn containers_of(
        &self,
        container_type: ContainerType,
    ) -> impl Iterator<Item = Container<'a>> + use<'a> {
        let location = self.location;
        self.list(container_type.field()).iter().enumerate().map(move |(index, value)| Container {
            value,
            container_type,
            index,
            location,
        })
    }

    /// Returns the place of `metadata` in the object.
    pub fn metadata_path(&self) -> Path {
        path_of(self.location, "metadata")
    }

    /// Returns the place of the pod spec in the object.
    pub fn spec_path(&self) -> Path {
        path_of(self.location, "spec")
    }
}

impl ContainerType {
    /// Returns the field of the pod spec.
    pub fn field(self) -> &'static str {
        match self {
            Self::Init => "initContainers",
            Self::Main => "containers",
            Self::Ephemeral => "ephemeralContainers",
        }
    }
}

impl<'a> Container<'a> {
    /// Returns the field `name`.
    pub fn name(&self) -> &'a str {
        self.text("name")
    }

    /// Returns the field `image`.
    pub fn image(&self) -> &'a str {
        self.text("image")
    }

    /// Returns a value at the named fields; `null` counts as absent.
    pub fn at(&self, fields: impl Steps) -> Option<&'a Value> {
        self.value.at(fields)
    }

    /// Returns a text at the named fields, or nothing.
    pub fn text(&self, fields: impl Steps) -> &'a str {
        self.value.text(fields)
    }

    /// Returns a list at the named fields, or nothing.
    pub fn list(&self, fields: impl Steps) -> &'a [Value] {
        self.value.list(fields)
    }

    /// Whether this is an init container that runs as long as the pod (a sidecar).
    pub fn is_restartable_init(&self) -> bool {
        self.container_type == ContainerType::Init && self.text("restartPolicy") == "Always"
    }

    /// Returns the place of the container in the object.
    pub fn path(&self) -> Path {
        path_of(self.location, "spec").child(self.container_type.field()).index(self.index)
    }
}

fn path_of(location: &'static [&'static str], last: &'static str) -> Path {
    let mut fields = location.iter().copied().chain([last]);
    let root = Path::new(fields.next().expect("`last` at least"));
    fields.fold(root, |path, field| path.child(field))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::json;
    use kube_api::GroupVersionKind;

    #[test]
    fn finds_every_container_of_a_template() {
        let kind = GroupVersionKind::new("batch", "v1", "CronJob");
        let spec = json!({"initContainers": [{"name": "a", "restartPolicy": "Always"}], "containers": [{"name": "b"}]});
        let object =
            Object::new(kind, json!({"spec": {"jobTemplate": {"spec": {"template": {"spec": spec}}}}}));
        let pod = PodTemplate::of(&object).unwrap();
        let containers: Vec<_> = pod.containers().collect();
        assert_eq!(containers.iter().map(Container::name).collect::<Vec<_>>(), ["a", "b"]);
        assert!(containers[0].is_restartable_init());
        assert_eq!(containers[1].path().to_string(), "spec.jobTemplate.spec.template.spec.containers[0]");
        assert_eq!(pod.metadata_path().to_string(), "spec.jobTemplate.spec.template.metadata");
    }
}
