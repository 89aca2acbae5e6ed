//! Webhooks that refuse objects.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/admissionregistration`.

use crate::defaults::admission_registration;
use crate::strategy::{ObjectStatus, Scope, Storage, Strategy};
use crate::validation::webhook;
use crate::warnings::static_suffix;
use kube_api::Map;
use kube_api::tree::items_mut;

/// The strategy of `ValidatingWebhookConfiguration`.
pub(crate) static STRATEGY: Strategy = Strategy {
    group: "admissionregistration.k8s.io",
    kind: "ValidatingWebhookConfiguration",
    resource: "validatingwebhookconfigurations",
    versions: &["v1"],
    scope: Scope::Cluster,
    storage: Storage::Stored,
    allow_create_on_update: false,
    allow_unconditional_update: false,
    defaults: Some(|object, _, _| set_defaults(object)),
    default_times: None,
    status: ObjectStatus::None,
    prepare_for_create: None,
    prepare_for_update: None,
    gated: &[],
    prepared_times: None,
    as_validated: None,
    validate: Some(|errors, object, old, context| {
        webhook::validate_webhook_configuration(errors, object, old, context.profile);
    }),
    refuse: None,
    warnings: Some(static_suffix),
    sub_resources: &[],
};

/// Sets the defaults of `ValidatingWebhookConfiguration`.
fn set_defaults(configuration: &mut Map) {
    items_mut(configuration, "webhooks").for_each(admission_registration::webhook);
}
