//! Webhook configurations and admission policies.
//!
//! Source: `k8s.io/kubernetes/pkg/apis/admissionregistration/{v1,v1beta1,v1alpha1}`.

use kube_api::Map;
use kube_api::tree::{child_mut, child_or_insert, items_mut, set_if_absent};

/// Sets the defaults of `ValidatingAdmissionPolicy` and `MutatingAdmissionPolicy`.
pub(crate) fn policy(policy: &mut Map) {
    let spec = child_or_insert(policy, "spec");
    set_if_absent(spec, "failurePolicy", "Fail");
    if let Some(constraints) = child_mut(spec, "matchConstraints") {
        match_resources(constraints);
    }
}

/// Sets the defaults of `ValidatingAdmissionPolicyBinding` and `MutatingAdmissionPolicyBinding`.
pub(crate) fn binding(binding: &mut Map) {
    if let Some(resources) = child_mut(binding, ["spec", "matchResources"]) {
        match_resources(resources);
    }
}

/// Sets the defaults of a binding of `v1alpha1`, in which missing parameters are refused unless the binding says
/// otherwise.
pub(crate) fn alpha_binding(alpha: &mut Map) {
    if let Some(reference) = child_mut(alpha, ["spec", "paramRef"]) {
        set_if_absent(reference, "parameterNotFoundAction", "Deny");
    }
    binding(alpha);
}

pub(crate) fn webhook(webhook: &mut Map) {
    set_if_absent(webhook, "failurePolicy", "Fail");
    selectors(webhook);
    set_if_absent(webhook, "timeoutSeconds", 10);
    if let Some(service) = child_mut(webhook, ["clientConfig", "service"]) {
        set_if_absent(service, "port", 443);
    }
    items_mut(webhook, "rules").for_each(rule);
}

fn match_resources(resources: &mut Map) {
    selectors(resources);
    items_mut(resources, "resourceRules").for_each(rule);
    items_mut(resources, "excludeResourceRules").for_each(rule);
}

pub(crate) fn selectors(owner: &mut Map) {
    set_if_absent(owner, "matchPolicy", "Equivalent");
    set_if_absent(owner, "namespaceSelector", Map::new());
    set_if_absent(owner, "objectSelector", Map::new());
}

pub(crate) fn rule(rule: &mut Map) {
    set_if_absent(rule, "scope", "*");
}

#[cfg(test)]
mod tests {
    use crate::tests::defaulted;
    use gotext::value::{Value, json};

    fn object(version: &str, kind: &str, field: &str, content: &Value) -> Value {
        let api_version = format!("admissionregistration.k8s.io/{version}");
        defaulted(json!({"apiVersion": api_version, "kind": kind, field: content}))[field].clone()
    }

    #[test]
    fn webhooks_fail_closed_within_ten_seconds() {
        let webhook = json!({"clientConfig": {"service": {"name": "a"}}, "rules": [{}]});
        let mut complete = json!({
            "clientConfig": {"service": {"name": "a", "port": 443}},
            "rules": [{"scope": "*"}],
            "failurePolicy": "Fail",
            "matchPolicy": "Equivalent",
            "namespaceSelector": {},
            "objectSelector": {},
            "timeoutSeconds": 10
        });
        let webhooks = json!([webhook]);
        let validating = object("v1", "ValidatingWebhookConfiguration", "webhooks", &webhooks);
        assert_eq!(validating, json!([complete]));
        complete["reinvocationPolicy"] = json!("Never");
        assert_eq!(object("v1", "MutatingWebhookConfiguration", "webhooks", &webhooks), json!([complete]));
    }

    #[test]
    fn policies_match_equivalent_resources() {
        let spec = json!({"matchConstraints": {"excludeResourceRules": [{}]}});
        let policy = object("v1", "ValidatingAdmissionPolicy", "spec", &spec);
        assert_eq!(policy["failurePolicy"], "Fail");
        assert_eq!(policy["matchConstraints"]["matchPolicy"], "Equivalent");
        assert_eq!(policy["matchConstraints"]["excludeResourceRules"][0]["scope"], "*");
    }

    #[test]
    fn only_early_bindings_say_what_becomes_of_missing_parameters() {
        let spec = json!({"paramRef": {"name": "a"}});
        let deny = json!({"paramRef": {"name": "a", "parameterNotFoundAction": "Deny"}});
        assert_eq!(object("v1alpha1", "MutatingAdmissionPolicyBinding", "spec", &spec), deny);
        assert_eq!(object("v1", "MutatingAdmissionPolicyBinding", "spec", &spec), spec);
    }
}
