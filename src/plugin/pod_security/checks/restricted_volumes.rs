//! Pods may only mount volumes from within the cluster, or from a claim or driver that an administrator set up.
//!
//! - since v1.0: a volume with none of the allowed sources fails. Replaces the check of host paths.

use super::findings::{Findings, plural, quoted};
use super::{Check, Level, Revision, Violation, host_path_volumes};
use kube_api::Value;
use kube_registry::pod::PodTemplate;

pub(super) const CHECK: Check = Check {
    id: "restrictedVolumes",
    level: Level::Restricted,
    revisions: &[Revision::since(0, check_pod)],
    overrides: Some(host_path_volumes::CHECK.id),
};

const ALLOWED: &[&str] = &[
    "configMap",
    "csi",
    "downwardAPI",
    "emptyDir",
    "ephemeral",
    "image",
    "persistentVolumeClaim",
    "projected",
    "secret",
];

const RESTRICTED: &[&str] = &[
    "hostPath",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "gitRepo",
    "nfs",
    "iscsi",
    "glusterfs",
    "rbd",
    "flexVolume",
    "cinder",
    "cephfs",
    "flocker",
    "fc",
    "azureFile",
    "vsphereVolume",
    "quobyte",
    "azureDisk",
    "photonPersistentDisk",
    "portworxVolume",
    "scaleIO",
    "storageos",
];

fn check_pod(pod: PodTemplate<'_>) -> Option<Violation> {
    let mut findings = Findings::default();
    let mut names = Vec::new();
    for (index, volume) in pod.list("volumes").iter().enumerate() {
        if source_among(volume, ALLOWED).is_some() {
            continue;
        }
        names.push(volume.text("name"));
        let path = pod.spec_path().child("volumes").index(index);
        if let Some(source) = source_among(volume, RESTRICTED) {
            findings.add_field(path.child(source));
            findings.add_value(source);
        } else {
            findings.add_field(path);
            findings.add_value("unknown");
        }
    }
    let violation = findings.into_violation("restricted volume types", |found| {
        format!(
            "{} {} {} {} {}",
            plural("volume", "volumes", names.len()),
            quoted(names.iter().copied()),
            plural("uses", "use", names.len()),
            plural("restricted volume type", "restricted volume types", found.values().len()),
            found.quoted_values()
        )
    });
    Some(violation?.removing_items())
}

fn source_among(volume: &Value, sources: &[&'static str]) -> Option<&'static str> {
    sources.iter().copied().find(|source| volume.has(source))
}

#[cfg(test)]
mod tests {
    use gotext::value::json;

    use super::super::tests::check_spec;
    use super::{ALLOWED, CHECK};
    use kube_api::Value;

    #[test]
    fn rejects_other_sources() {
        let spec = json!({"volumes": [
            {"name": "share", "nfs": {"server": "a", "path": "/"}},
            {"name": "etc", "hostPath": {"path": "/etc"}},
            {"name": "tmp", "emptyDir": {}},
            {"name": "odd", "holographic": {}},
        ]});
        assert_eq!(
            check_spec(&CHECK, 0, spec),
            "restricted volume types (volumes \"share\", \"etc\", \"odd\" use restricted volume types \"hostPath\", \"nfs\", \"unknown\")\n\
             spec.volumes[0].nfs\nspec.volumes[1].hostPath\nspec.volumes[3]"
        );
        let spec = json!({"volumes": [{"name": "share", "nfs": {"server": "a", "path": "/"}}]});
        assert_eq!(
            check_spec(&CHECK, 0, spec),
            "restricted volume types (volume \"share\" uses restricted volume type \"nfs\")\nspec.volumes[0].nfs"
        );
    }

    #[test]
    fn admits_every_allowed_source() {
        let volumes: Vec<Value> =
            ALLOWED.iter().map(|source| json!({"name": source, (*source): {}})).collect();
        assert_eq!(check_spec(&CHECK, 35, json!({"volumes": volumes})), "");
    }
}
