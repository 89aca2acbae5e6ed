//! Webhooks that refuse objects.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/admissionregistration`.

use crate::defaults::admission_registration;
use crate::strategy::Strategy;
use crate::validation::webhook;
use crate::warnings::static_suffix;
use kube_api::Map;
use kube_api::tree::items_mut;

/// The strategy of `ValidatingWebhookConfiguration`.
pub(crate) static STRATEGY: Strategy = Strategy {
    allow_unconditional_update: false,
    defaults: Some(|object, _, _| set_defaults(object)),
    validate: Some(|errors, object, old, context| {
        webhook::validate_webhook_configuration(errors, object, old, context.profile);
    }),
    warnings: Some(static_suffix),
    ..Strategy::new("admissionregistration.k8s.io", "ValidatingWebhookConfiguration")
};

/// Sets the defaults of `ValidatingWebhookConfiguration`.
fn set_defaults(configuration: &mut Map) {
    items_mut(configuration, "webhooks").for_each(admission_registration::webhook);
}
