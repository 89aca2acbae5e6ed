//! Networking, storage, scheduling, flow control, access control, extension and certificates.
//!
//! Source: `k8s.io/kubernetes/pkg/apis`, one package a group; `k8s.io/apiextensions-apiserver`, `k8s.io/kube-aggregator`.

use crate::value::json;

use crate::api::features::FeatureGates;
use crate::api::tree::{
    child_mut, descend_mut, is_true, is_zero, items, items_mut, made, remove_key, set, set_if_absent,
    set_if_zero, text,
};
use crate::api::{Map, Value};

/// `NetworkPolicy`
pub(super) fn network_policy(policy: &mut Map) {
    let spec = made(policy, "spec");
    if is_zero(spec, "policyTypes") {
        let types = if is_zero(spec, "egress") { json!(["Ingress"]) } else { json!(["Ingress", "Egress"]) };
        set(spec, "policyTypes", types);
    }
    for direction in ["ingress", "egress"] {
        for rule in items_mut(spec, direction) {
            items_mut(rule, "ports").for_each(|port| set_if_absent(port, "protocol", "TCP"));
        }
    }
}

/// `IngressClass`
pub(super) fn ingress_class(class: &mut Map) {
    if let Some(parameters) = descend_mut(class, &["spec", "parameters"]) {
        set_if_absent(parameters, "scope", "Cluster");
    }
}

/// `EndpointSlice`
pub(super) fn endpoint_slice(slice: &mut Map) {
    for port in items_mut(slice, "ports") {
        set_if_absent(port, "name", "");
        set_if_absent(port, "protocol", "TCP");
    }
}

/// `StorageClass`
pub(super) fn storage_class(class: &mut Map) {
    set_if_absent(class, "reclaimPolicy", "Delete");
    set_if_absent(class, "volumeBindingMode", "Immediate");
}

/// `CSIDriver`
pub(super) fn csi_driver(driver: &mut Map, features: &FeatureGates) {
    let spec = made(driver, "spec");
    set_if_absent(spec, "attachRequired", true);
    set_if_absent(spec, "podInfoOnMount", false);
    set_if_absent(spec, "storageCapacity", false);
    set_if_absent(spec, "fsGroupPolicy", "ReadWriteOnceWithFSType");
    if is_zero(spec, "volumeLifecycleModes") {
        set(spec, "volumeLifecycleModes", json!(["Persistent"]));
    }
    set_if_absent(spec, "requiresRepublish", false);
    set_if_absent(spec, "seLinuxMount", false);
    if features.enabled("VolumeLimitScaling") {
        set_if_absent(spec, "preventPodSchedulingIfMissing", false);
    }
}

/// `PriorityClass`
pub(super) fn priority_class(class: &mut Map) {
    set_if_absent(class, "preemptionPolicy", "PreemptLowerPriority");
}

/// `PodGroup`
pub(super) fn pod_group(group: &mut Map) {
    set_if_absent(made(group, "spec"), "disruptionMode", "Pod");
}

/// `FlowSchema`
pub(super) fn flow_schema(schema: &mut Map) {
    set_if_zero(made(schema, "spec"), "matchingPrecedence", 1000);
}

/// `PriorityLevelConfiguration`
pub(super) fn priority_level(level: &mut Map) {
    let spec = made(level, "spec");
    if let Some(limited) = child_mut(spec, "limited") {
        set_if_absent(limited, "nominalConcurrencyShares", 30);
        set_if_absent(limited, "lendablePercent", 0);
        if let Some(queuing) = descend_mut(limited, &["limitResponse", "queuing"]) {
            set_if_zero(queuing, "handSize", 8);
            set_if_zero(queuing, "queues", 64);
            set_if_zero(queuing, "queueLengthLimit", 50);
        }
    }
    if let Some(exempt) = child_mut(spec, "exempt") {
        set_if_absent(exempt, "nominalConcurrencyShares", 0);
        set_if_absent(exempt, "lendablePercent", 0);
    }
}

/// `RoleBinding`, `ClusterRoleBinding`
pub(super) fn role_binding(binding: &mut Map) {
    const GROUP: &str = "rbac.authorization.k8s.io";
    set_if_zero(made(binding, "roleRef"), "apiGroup", GROUP);
    for subject in items_mut(binding, "subjects") {
        if matches!(text(subject, "kind"), "User" | "Group") {
            set_if_zero(subject, "apiGroup", GROUP);
        }
    }
}

/// `PodDisruptionBudget`: the conversion strips the label by which `v1beta1` told an empty selector.
pub(super) fn disruption_budget(budget: &mut Map) {
    const LABEL: &str = "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match";
    let Some(selector) = descend_mut(budget, &["spec", "selector"]) else { return };
    let marked = |operator: &str| json!({"matchExpressions": [{"key": LABEL, "operator": operator}]});
    let current = Value::Object(std::mem::take(selector));
    let preserved = current == marked("Exists") || current == marked("DoesNotExist");
    if let Value::Object(current) = current {
        *selector = current;
    }
    if preserved {
        return;
    }
    remove_key(selector, "matchLabels", LABEL);
    if let Some(Value::Array(expressions)) = selector.get_mut("matchExpressions") {
        expressions.retain(|expression| expression.get("key").and_then(Value::as_str) != Some(LABEL));
        if expressions.is_empty() {
            selector.remove("matchExpressions");
        }
    }
}

/// `CustomResourceDefinition`
pub(super) fn custom_resource_definition(definition: &mut Map) {
    let spec = made(definition, "spec");
    let names = made(spec, "names");
    let kind = text(names, "kind");
    let (singular, list_kind) = (kind.to_lowercase(), format!("{kind}List"));
    if !kind.is_empty() {
        set_if_zero(names, "singular", singular);
        set_if_zero(names, "listKind", list_kind);
    }
    if let Some(service) = descend_mut(spec, &["conversion", "webhook", "clientConfig", "service"]) {
        set_if_absent(service, "port", 443);
    }
    set_if_absent(spec, "conversion", json!({"strategy": "None"}));
    let stored = items(spec, "versions").find(|version| is_true(version, "storage"));
    if let Some(name) = stored.map(|version| text(version, "name").to_owned()) {
        set_if_zero(made(definition, "status"), "storedVersions", json!([name]));
    }
}

/// `APIService`
pub(super) fn api_service(service: &mut Map) {
    if let Some(reference) = descend_mut(service, &["spec", "service"]) {
        set_if_absent(reference, "port", 443);
    }
}

/// `PodCertificateRequest`
pub(super) fn pod_certificate_request(request: &mut Map) {
    set_if_absent(made(request, "spec"), "maxExpirationSeconds", 86400);
}

/// `TokenRequest`
pub(super) fn token_request(request: &mut Map) {
    set_if_absent(made(request, "spec"), "expirationSeconds", 3600);
}

#[cfg(test)]
mod tests {
    use super::super::tests::defaulted;
    use crate::value::json;

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
        let selector = |selector: &crate::value::Value| {
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
