//! Webhook configurations and admission policies.
//!
//! Source: `k8s.io/kubernetes/pkg/apis/admissionregistration/{v1,v1beta1,v1alpha1}`.

use crate::api::Map;
use crate::api::tree::{child_mut, descend_mut, items_mut, made, set_if_absent};

/// `ValidatingWebhookConfiguration`
pub(super) fn validating_webhooks(configuration: &mut Map) {
    items_mut(configuration, "webhooks").for_each(webhook);
}

/// `MutatingWebhookConfiguration`
pub(super) fn mutating_webhooks(configuration: &mut Map) {
    for item in items_mut(configuration, "webhooks") {
        webhook(item);
        set_if_absent(item, "reinvocationPolicy", "Never");
    }
}

/// `ValidatingAdmissionPolicy`, `MutatingAdmissionPolicy`
pub(super) fn policy(policy: &mut Map) {
    let spec = made(policy, "spec");
    set_if_absent(spec, "failurePolicy", "Fail");
    if let Some(constraints) = child_mut(spec, "matchConstraints") {
        match_resources(constraints);
    }
}

/// `ValidatingAdmissionPolicyBinding`, `MutatingAdmissionPolicyBinding`
pub(super) fn binding(binding: &mut Map) {
    if let Some(resources) = descend_mut(binding, &["spec", "matchResources"]) {
        match_resources(resources);
    }
}

/// A binding of `v1alpha1`, where parameters that are not found are refused unless the binding says otherwise.
pub(super) fn alpha_binding(alpha: &mut Map) {
    if let Some(reference) = descend_mut(alpha, &["spec", "paramRef"]) {
        set_if_absent(reference, "parameterNotFoundAction", "Deny");
    }
    binding(alpha);
}

fn webhook(webhook: &mut Map) {
    set_if_absent(webhook, "failurePolicy", "Fail");
    selectors(webhook);
    set_if_absent(webhook, "timeoutSeconds", 10);
    if let Some(service) = descend_mut(webhook, &["clientConfig", "service"]) {
        set_if_absent(service, "port", 443);
    }
    items_mut(webhook, "rules").for_each(rule);
}

fn match_resources(resources: &mut Map) {
    selectors(resources);
    items_mut(resources, "resourceRules").for_each(rule);
    items_mut(resources, "excludeResourceRules").for_each(rule);
}

fn selectors(owner: &mut Map) {
    set_if_absent(owner, "matchPolicy", "Equivalent");
    set_if_absent(owner, "namespaceSelector", Map::new());
    set_if_absent(owner, "objectSelector", Map::new());
}

fn rule(rule: &mut Map) {
    set_if_absent(rule, "scope", "*");
}
