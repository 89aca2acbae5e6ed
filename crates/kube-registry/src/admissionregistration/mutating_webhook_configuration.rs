//! Webhooks that change objects.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/admissionregistration`.

use crate::defaults::admission_registration;
use crate::strategy::Strategy;
use crate::validation::webhook;
use crate::warnings::static_suffix;
use kube_api::Map;
use kube_api::tree::{items_mut, set_if_absent};

/// The strategy of `MutatingWebhookConfiguration`.
pub(crate) static STRATEGY: Strategy = Strategy {
    allow_unconditional_update: false,
    defaults: Some(|object, _, _| set_defaults(object)),
    validate: Some(|errors, object, old, context| {
        webhook::validate_webhook_configuration(errors, object, old, context.profile);
    }),
    warnings: Some(static_suffix),
    ..Strategy::new("admissionregistration.k8s.io", "MutatingWebhookConfiguration")
};

/// Sets the defaults of `MutatingWebhookConfiguration`.
fn set_defaults(configuration: &mut Map) {
    for item in items_mut(configuration, "webhooks") {
        admission_registration::webhook(item);
        set_if_absent(item, "reinvocationPolicy", "Never");
    }
}
