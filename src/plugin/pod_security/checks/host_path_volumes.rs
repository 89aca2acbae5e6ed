//! Pods must not mount directories of their node.
//!
//! - since v1.0: any volume with `hostPath` fails.

use super::findings::{Findings, plural, quoted};
use super::{Check, Level, Revision, Violation};
use kube_registry::pod::PodTemplate;

pub(super) const CHECK: Check = Check {
    id: "hostPathVolumes",
    level: Level::Baseline,
    revisions: &[Revision::since(0, check_pod)],
    overrides: None,
};

fn check_pod(pod: PodTemplate<'_>) -> Option<Violation> {
    let mut findings = Findings::default();
    let mut names = Vec::new();
    for (index, volume) in pod.list("volumes").iter().enumerate() {
        if volume.has("hostPath") {
            names.push(volume.text("name"));
            findings.add_field(pod.spec_path().child("volumes").index(index).child("hostPath"));
        }
    }
    let violation = findings.into_violation("hostPath volumes", |_| {
        format!("{} {}", plural("volume", "volumes", names.len()), quoted(names))
    });
    Some(violation?.removing_items())
}

#[cfg(test)]
mod tests {
    use gotext::value::json;

    use super::super::tests::check_spec;
    use super::CHECK;

    #[test]
    fn rejects_host_paths_in_the_order_of_the_pod() {
        let spec = json!({"volumes": [
            {"name": "logs", "hostPath": {"path": "/var/log"}},
            {"name": "cache", "emptyDir": {}},
            {"name": "etc", "hostPath": {"path": "/etc"}},
        ]});
        assert_eq!(
            check_spec(&CHECK, 0, spec),
            "hostPath volumes (volumes \"logs\", \"etc\")\nspec.volumes[0].hostPath\nspec.volumes[2].hostPath"
        );
        let spec = json!({"volumes": [{"name": "logs", "hostPath": {"path": "/var/log"}}]});
        assert_eq!(
            check_spec(&CHECK, 0, spec),
            "hostPath volumes (volume \"logs\")\nspec.volumes[0].hostPath"
        );
    }

    #[test]
    fn admits_other_volumes() {
        assert_eq!(check_spec(&CHECK, 35, json!({"volumes": [{"name": "a", "nfs": {"server": "b"}}]})), "");
    }
}
