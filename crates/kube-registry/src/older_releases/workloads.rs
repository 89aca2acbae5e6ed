//! Workloads and Ingresses of `extensions/v1beta1`, `apps/v1beta1` and `apps/v1beta2`: absent fields default to the
//! labels of the template, and rolling updates were slower.

use crate::older_releases::ingress;
use crate::older_releases::shape::TEMPLATE_GENERATION;
use crate::strategy::Strategy;
use crate::{apps, defaults, networking};
use gotext::value::json;
use kube_api::Map;
use kube_api::server_profile::ServerProfile;
use kube_api::tree::{child_mut, child_or_insert, items_mut, remove_key, set, set_if_absent, set_if_zero};

pub(super) static STRATEGIES: &[&Strategy] = &[
    &APPS_DEPLOYMENT,
    &APPS_SECOND_DEPLOYMENT,
    &EXTENSIONS_DEPLOYMENT,
    &APPS_DAEMON_SET,
    &EXTENSIONS_DAEMON_SET,
    &APPS_REPLICA_SET,
    &EXTENSIONS_REPLICA_SET,
    &FIRST_STATEFUL_SET,
    &STATEFUL_SET,
    &INGRESS,
    &EXTENSIONS_INGRESS,
];

static APPS_DEPLOYMENT: Strategy = Strategy {
    versions: &["v1beta1"],
    defaults: Some(|deployment, version, profile| {
        labels_of_template(deployment);
        set_if_absent(child_or_insert(deployment, "spec"), "revisionHistoryLimit", 2);
        newer(&apps::deployment::STRATEGY, deployment, version, profile);
    }),
    ..apps::deployment::STRATEGY
};

static APPS_SECOND_DEPLOYMENT: Strategy = Strategy { versions: &["v1beta2"], ..apps::deployment::STRATEGY };

static EXTENSIONS_DEPLOYMENT: Strategy = Strategy {
    group: "extensions",
    versions: &["v1beta1"],
    defaults: Some(|deployment, version, profile| {
        labels_of_template(deployment);
        let spec = child_or_insert(deployment, "spec");
        // Without a limit.
        set_if_absent(spec, "progressDeadlineSeconds", i32::MAX);
        set_if_absent(spec, "revisionHistoryLimit", i32::MAX);
        let strategy = child_or_insert(spec, "strategy");
        set_if_zero(strategy, "type", "RollingUpdate");
        if strategy.text("type") == "RollingUpdate" {
            let rolling_update = child_or_insert(strategy, "rollingUpdate");
            set_if_absent(rolling_update, "maxUnavailable", 1);
            set_if_absent(rolling_update, "maxSurge", 1);
        }
        newer(&apps::deployment::STRATEGY, deployment, version, profile);
    }),
    ..apps::deployment::STRATEGY
};

static APPS_DAEMON_SET: Strategy = Strategy { versions: &["v1beta2"], ..apps::daemon_set::STRATEGY };

static EXTENSIONS_DAEMON_SET: Strategy = Strategy {
    group: "extensions",
    versions: &["v1beta1"],
    defaults: Some(|daemon_set, version, profile| {
        labels_of_template(daemon_set);
        let strategy = child_or_insert(child_or_insert(daemon_set, "spec"), "updateStrategy");
        set_if_zero(strategy, "type", "OnDelete");
        if strategy.text("type") == "RollingUpdate" {
            set_if_absent(child_or_insert(strategy, "rollingUpdate"), "maxUnavailable", 1);
        }
        newer(&apps::daemon_set::STRATEGY, daemon_set, version, profile);
        // The generation of the template is a field here.
        child_mut(daemon_set, "metadata")
            .and_then(|metadata| remove_key(metadata, "annotations", TEMPLATE_GENERATION));
    }),
    prepare_for_create: None,
    prepare_for_update: None,
    ..apps::daemon_set::STRATEGY
};

static APPS_REPLICA_SET: Strategy = Strategy { versions: &["v1beta2"], ..apps::replica_set::STRATEGY };

static EXTENSIONS_REPLICA_SET: Strategy = Strategy {
    group: "extensions",
    versions: &["v1beta1"],
    defaults: Some(|replica_set, version, profile| {
        labels_of_template(replica_set);
        newer(&apps::replica_set::STRATEGY, replica_set, version, profile);
    }),
    ..apps::replica_set::STRATEGY
};

static FIRST_STATEFUL_SET: Strategy = Strategy {
    versions: &["v1beta1"],
    defaults: Some(|stateful_set, version, profile| {
        labels_of_template(stateful_set);
        set_if_zero(
            child_or_insert(child_or_insert(stateful_set, "spec"), "updateStrategy"),
            "type",
            "OnDelete",
        );
        newer(&apps::stateful_set::STRATEGY, stateful_set, version, profile);
    }),
    ..apps::stateful_set::STRATEGY
};

static STATEFUL_SET: Strategy = Strategy { versions: &["v1beta2"], ..apps::stateful_set::STRATEGY };

static INGRESS: Strategy = Strategy {
    versions: &["v1beta1"],
    defaults: Some(|ingress, _, _| default_path_types(ingress)),
    as_validated: Some(ingress::as_validated),
    validate: Some(|errors, object, old, context| ingress::validate(errors, object, old, context.profile)),
    ..networking::ingress::STRATEGY
};

static EXTENSIONS_INGRESS: Strategy = Strategy {
    group: "extensions",
    versions: &["v1beta1"],
    defaults: Some(|ingress, _, _| default_path_types(ingress)),
    as_validated: Some(ingress::as_validated),
    validate: Some(|errors, object, old, context| ingress::validate(errors, object, old, context.profile)),
    ..networking::ingress::STRATEGY
};

/// Fills in the defaults of the current version for fields that are still absent.
fn newer(strategy: &Strategy, object: &mut Map, version: &str, profile: &ServerProfile) {
    if let Some(set_defaults) = strategy.defaults {
        set_defaults(object, version, profile);
    }
}

/// Sets an absent selector and absent labels of the object to the labels of the template.
fn labels_of_template(owner: &mut Map) {
    let Some(labels) = defaults::workload::labels_of_template(owner) else { return };
    if !child_or_insert(owner, "spec").has("selector") {
        set(child_or_insert(owner, "spec"), "selector", json!({"matchLabels": labels}));
    }
    let is_labelled = owner.child(["metadata", "labels"]).is_some_and(|labels| !labels.is_empty());
    if !is_labelled {
        set(child_or_insert(owner, "metadata"), "labels", labels);
    }
}

fn default_path_types(ingress: &mut Map) {
    let spec = child_or_insert(ingress, "spec");
    for rule in items_mut(spec, "rules") {
        let Some(http) = child_mut(rule, "http") else { continue };
        for path in items_mut(http, "paths") {
            set_if_absent(path, "pathType", "ImplementationSpecific");
        }
    }
}
