//! Versions that share the fields of the current version, except for parts with another format: jobs, autoscalers,
//! requests for certificates, runtime classes, priority levels.

use std::borrow::Cow;

use crate::certificates::certificate_signing_request;
use crate::older_releases::conversion;
use crate::strategy::Strategy;
use crate::{autoscaling, batch, flowcontrol, node, resource};
use gotext::value::json;
use kube_api::GroupVersionKind;
use kube_api::tree::{child_mut, child_or_insert, set_if_absent, set_if_zero};

pub(super) static STRATEGIES: &[&Strategy] = &[
    &CRON_JOB,
    &AUTOSCALER,
    &FIRST_AUTOSCALER,
    &CERTIFICATE_REQUEST,
    &FIRST_RUNTIME_CLASS,
    &PRIORITY_LEVEL,
    &RESOURCE_CLAIM,
    &RESOURCE_CLAIM_TEMPLATE,
    &RESOURCE_SLICE,
];

/// Those that are validated by rules of their own.
pub(super) static WITH_OWN_RULES: &[&Strategy] = &[&CERTIFICATE_REQUEST];

static CRON_JOB: Strategy = Strategy { versions: &["v1beta1", "v2alpha1"], ..batch::cron_job::STRATEGY };

static AUTOSCALER: Strategy =
    Strategy { versions: &["v2beta2"], ..autoscaling::horizontal_pod_autoscaler::STRATEGY };

/// Metrics of `v2beta1` have separate fields for their targets.
static FIRST_AUTOSCALER: Strategy = Strategy {
    versions: &["v2beta1"],
    defaults: Some(|autoscaler, _, _| {
        let spec = child_or_insert(autoscaler, "spec");
        set_if_absent(spec, "minReplicas", 1);
        set_if_zero(
            spec,
            "metrics",
            json!([{"type": "Resource", "resource": {"name": "cpu", "targetAverageUtilization": 80}}]),
        );
    }),
    gated: &[],
    as_validated: Some(|object, _| {
        Cow::Owned(conversion::convert(
            object,
            &GroupVersionKind::new("autoscaling", "v2", "HorizontalPodAutoscaler"),
        ))
    }),
    ..autoscaling::horizontal_pod_autoscaler::STRATEGY
};

/// Requests of `v1beta1` need not name a signer.
static CERTIFICATE_REQUEST: Strategy = Strategy {
    versions: &["v1beta1"],
    defaults: Some(|request, _, _| {
        let spec = child_or_insert(request, "spec");
        set_if_zero(spec, "usages", json!(["digital signature", "key encipherment"]));
        set_if_absent(spec, "signerName", "kubernetes.io/legacy-unknown");
    }),
    validate: Some(|errors, object, old, _| {
        certificate_signing_request::validate_first_beta(errors, object, old);
    }),
    ..certificate_signing_request::STRATEGY
};

/// Classes of `v1alpha1` have a specification.
static FIRST_RUNTIME_CLASS: Strategy =
    Strategy { versions: &["v1alpha1"], defaults: None, validate: None, ..node::runtime_class::STRATEGY };

static PRIORITY_LEVEL: Strategy = Strategy {
    versions: &["v1beta2", "v1beta1", "v1alpha1"],
    defaults: Some(|level, _, _| {
        if let Some(limited) = child_mut(level, ["spec", "limited"]) {
            set_if_zero(limited, "assuredConcurrencyShares", 30);
            if let Some(queuing) = child_mut(limited, ["limitResponse", "queuing"]) {
                set_if_zero(queuing, "handSize", 8);
                set_if_zero(queuing, "queues", 64);
                set_if_zero(queuing, "queueLengthLimit", 50);
            }
        }
    }),
    as_validated: Some(|object, _| {
        let kind = GroupVersionKind::new("flowcontrol.apiserver.k8s.io", "v1", "PriorityLevelConfiguration");
        Cow::Owned(conversion::convert(object, &kind))
    }),
    ..flowcontrol::priority_level_configuration::STRATEGY
};

static RESOURCE_CLAIM: Strategy = Strategy {
    versions: &["v1alpha3"],
    defaults: Some(|claim, _, profile| {
        if let Some(set_defaults) = resource::resource_claim::STRATEGY.defaults {
            set_defaults(claim, "v1beta1", profile);
        }
    }),
    validate: None,
    ..resource::resource_claim::STRATEGY
};

static RESOURCE_CLAIM_TEMPLATE: Strategy = Strategy {
    versions: &["v1alpha3"],
    defaults: Some(|template, _, profile| {
        if let Some(set_defaults) = resource::resource_claim_template::STRATEGY.defaults {
            set_defaults(template, "v1beta1", profile);
        }
    }),
    validate: None,
    ..resource::resource_claim_template::STRATEGY
};

static RESOURCE_SLICE: Strategy = Strategy {
    versions: &["v1alpha3"],
    defaults: Some(|slice, _, profile| {
        if let Some(set_defaults) = resource::resource_slice::STRATEGY.defaults {
            set_defaults(slice, "v1beta1", profile);
        }
    }),
    validate: None,
    ..resource::resource_slice::STRATEGY
};
