//! Webhooks and custom resource definitions of `v1beta1`.

use crate::apiextensions::custom_resource_definition::validation::first_beta;
use crate::strategy::Strategy;
use crate::validation::webhook;
use crate::{admissionregistration, apiextensions, defaults};
use gotext::value::json;
use kube_api::tree::{child_or_insert, items_mut, set, set_if_absent, set_if_zero};
use kube_api::{Map, Value};

pub(super) static STRATEGIES: &[&Strategy] = &[&MUTATING_WEBHOOKS, &VALIDATING_WEBHOOKS, &DEFINITION];

static MUTATING_WEBHOOKS: Strategy = Strategy {
    versions: &["v1beta1"],
    defaults: Some(|configuration, _, _| {
        items_mut(configuration, "webhooks").for_each(|webhook| {
            set_if_absent(webhook, "reinvocationPolicy", "Never");
            set_webhook_defaults(webhook);
        });
    }),
    validate: Some(|errors, object, old, _| webhook::validate_first_beta(errors, object, old)),
    ..admissionregistration::mutating_webhook_configuration::STRATEGY
};

static VALIDATING_WEBHOOKS: Strategy = Strategy {
    versions: &["v1beta1"],
    defaults: Some(|configuration, _, _| items_mut(configuration, "webhooks").for_each(set_webhook_defaults)),
    validate: Some(|errors, object, old, _| webhook::validate_first_beta(errors, object, old)),
    ..admissionregistration::validating_webhook_configuration::STRATEGY
};

/// Sets the defaults of a webhook: failures are ignored, and the timeout is half a minute.
fn set_webhook_defaults(webhook: &mut Map) {
    set_if_absent(webhook, "failurePolicy", "Ignore");
    set_if_absent(webhook, "matchPolicy", "Exact");
    set_if_absent(webhook, "sideEffects", "Unknown");
    set_if_absent(webhook, "timeoutSeconds", 30);
    set_if_zero(webhook, "admissionReviewVersions", json!(["v1beta1"]));
    defaults::admission_registration::webhook(webhook);
}

static DEFINITION: Strategy = Strategy {
    versions: &["v1beta1"],
    defaults: Some(|definition, version, profile| {
        let spec = child_or_insert(definition, "spec");
        set_if_zero(spec, "scope", "Namespaced");
        set_if_absent(spec, "preserveUnknownFields", true);
        set_if_absent(spec, "conversion", json!({"strategy": "None"}));
        let conversion = child_or_insert(spec, "conversion");
        if conversion.text("strategy") == "Webhook" {
            set_if_zero(conversion, "conversionReviewVersions", json!(["v1beta1"]));
        }
        if !spec.has("versions") && !spec.text("version").is_empty() {
            let version = json!({"name": spec.text("version"), "served": true, "storage": true});
            set(spec, "versions", json!([version]));
        }
        let first = spec.get("versions").and_then(Value::as_array).and_then(|versions| versions.first());
        let first = first.and_then(|first| first.get("name")).cloned();
        if let Some(first) = first {
            set_if_zero(spec, "version", first);
        }
        if let Some(set_defaults) = apiextensions::custom_resource_definition::STRATEGY.defaults {
            set_defaults(definition, version, profile);
        }
    }),
    gated: &[],
    validate: Some(|errors, object, old, _| first_beta::validate(errors, object, old)),
    warnings: None,
    ..apiextensions::custom_resource_definition::STRATEGY
};
