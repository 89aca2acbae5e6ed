//! Networking, storage, scheduling, flow control, access control, extension and certificates.
//!
//! Source: `k8s.io/kubernetes/pkg/apis`, one package a group; `k8s.io/apiextensions-apiserver`, `k8s.io/kube-aggregator`.

use kube_api::Map;
use kube_api::tree::{child_or_insert, items_mut, set_if_zero};

/// Sets the defaults of `RoleBinding` and `ClusterRoleBinding`.
pub(crate) fn role_binding(binding: &mut Map) {
    const GROUP: &str = "rbac.authorization.k8s.io";
    set_if_zero(child_or_insert(binding, "roleRef"), "apiGroup", GROUP);
    for subject in items_mut(binding, "subjects") {
        if matches!(subject.text("kind"), "User" | "Group") {
            set_if_zero(subject, "apiGroup", GROUP);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::defaulted;
    use gotext::value::json;

    #[test]
    fn a_network_policy_is_about_what_it_speaks_of() {
        let policy = |spec| {
            let kind = "NetworkPolicy";
            defaulted(json!({"apiVersion": "networking.k8s.io/v1", "kind": kind, "spec": spec}))["spec"]
                .take()
        };
        assert_eq!(policy(json!({}))["policyTypes"], json!(["Ingress"]));
        let egress = policy(json!({"egress": [{"ports": [{"port": 53}]}]}));
        assert_eq!(egress["policyTypes"], json!(["Ingress", "Egress"]));
        assert_eq!(egress["egress"][0]["ports"][0]["protocol"], "TCP");
    }

    #[test]
    fn people_are_subjects_of_the_access_control_group() {
        let subjects = json!([{"kind": "User"}, {"kind": "ServiceAccount"}]);
        let binding = defaulted(json!({
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "RoleBinding",
            "roleRef": {"apiGroup": ""},
            "subjects": subjects
        }));
        assert_eq!(binding["roleRef"]["apiGroup"], "rbac.authorization.k8s.io");
        assert_eq!(binding["subjects"][0]["apiGroup"], "rbac.authorization.k8s.io");
        assert_eq!(binding["subjects"][1], subjects[1]);
    }

    #[test]
    fn a_definition_derives_names_from_its_kind() {
        let versions = json!([{"name": "v1"}, {"name": "v2", "storage": true}]);
        let definition = defaulted(json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "spec": {"names": {"kind": "Backup"}, "versions": versions}
        }));
        let names = json!({"kind": "Backup", "listKind": "BackupList", "singular": "backup"});
        assert_eq!(definition["spec"]["names"], names);
        assert_eq!(definition["spec"]["conversion"], json!({"strategy": "None"}));
        assert_eq!(definition["status"]["storedVersions"], json!(["v2"]));
    }

    #[test]
    fn the_label_of_old_budgets_does_not_mix_with_others() {
        const LABEL: &str = "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match";
        let selector = |selector: &gotext::value::Value| {
            let spec = json!({"selector": selector});
            defaulted(json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "spec": spec}))["spec"]
                .take()
        };
        let none = json!({"matchExpressions": [{"key": LABEL, "operator": "Exists"}]});
        assert_eq!(selector(&none)["selector"], none);
        let mixed =
            json!({"matchLabels": {"app": "web", LABEL: "a"}, "matchExpressions": none["matchExpressions"]});
        assert_eq!(selector(&mixed)["selector"], json!({"matchLabels": {"app": "web"}}));
    }

    #[test]
    fn queues_have_eight_hands() {
        let level = defaulted(json!({
            "apiVersion": "flowcontrol.apiserver.k8s.io/v1",
            "kind": "PriorityLevelConfiguration",
            "spec": {"limited": {"limitResponse": {"queuing": {"handSize": 0, "queues": 3}}}}
        }));
        let limited = &level["spec"]["limited"];
        assert_eq!(limited["nominalConcurrencyShares"], 30);
        let queuing = json!({"handSize": 8, "queues": 3, "queueLengthLimit": 50});
        assert_eq!(limited["limitResponse"]["queuing"], queuing);
    }
}
