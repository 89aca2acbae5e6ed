//! Pods must not see the network, the processes or the IPC objects of their node.
//!
//! - since v1.0: `spec.hostNetwork`, `spec.hostPID` or `spec.hostIPC` fails when true.

use super::findings::Findings;
use super::{Check, Level, Revision, Violation};
use kube_registry::pod::PodTemplate;

pub(super) const CHECK: Check = Check {
    id: "hostNamespaces",
    level: Level::Baseline,
    revisions: &[Revision::since(0, check_pod)],
    overrides: None,
};

const FIELDS: [(&str, &str); 3] =
    [("hostNetwork", "hostNetwork=true"), ("hostPID", "hostPID=true"), ("hostIPC", "hostIPC=true")];

fn check_pod(pod: PodTemplate<'_>) -> Option<Violation> {
    let set = || FIELDS.into_iter().filter(|(field, _)| pod.flag(field));
    let mut findings = Findings::default();
    for (field, _) in set() {
        findings.add_field(pod.spec_path().child(field));
    }
    findings.into_violation("host namespaces", |_| {
        let texts: Vec<&str> = set().map(|(_, text)| text).collect();
        texts.join(", ")
    })
}

#[cfg(test)]
mod tests {
    use gotext::value::json;

    use super::super::tests::check_spec;
    use super::CHECK;

    #[test]
    fn rejects_each_in_a_fixed_order() {
        assert_eq!(
            check_spec(&CHECK, 0, json!({"hostIPC": true, "hostPID": true, "hostNetwork": true})),
            "host namespaces (hostNetwork=true, hostPID=true, hostIPC=true)\n\
             spec.hostNetwork\nspec.hostPID\nspec.hostIPC"
        );
        assert_eq!(
            check_spec(&CHECK, 0, json!({"hostPID": true})),
            "host namespaces (hostPID=true)\nspec.hostPID"
        );
    }

    #[test]
    fn admits_pods_without() {
        assert_eq!(check_spec(&CHECK, 35, json!({"hostNetwork": false, "hostPID": null})), "");
    }
}
