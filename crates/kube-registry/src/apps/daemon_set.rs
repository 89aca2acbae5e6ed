//! Workloads that run on every node.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/apps`.

use crate::apps::number_in_annotation;
use crate::defaults::pod;
use crate::defaults::workload::no_rolling_update;
use crate::gated::Gated;
use crate::preparation::keep_spec;
use crate::strategy::{Context, ObjectStatus, Strategy, SubResource};
use crate::validation::metadata::name_is_dns_subdomain;
use crate::validation::node::{Errors, IS_NEGATIVE, Node};
use crate::validation::pod::validate_pod_template_spec;
use crate::validation::selector::{has_invalid_label_selector, validate_label_selector};
use crate::validation::workload;
use crate::validation::workload::{
    NO_MATCH, int_or_percent, is_not_more_than_100_percent, template_options, validate_always_running,
    validate_immutable_selector, validate_meta, validate_positive_int_or_percent,
    validate_selector_not_empty,
};
use crate::warnings::{self, Warnings};
use gotext::number;
use kube_api::features::Feature;
use kube_api::labels::Selector;
use kube_api::server_profile::ServerProfile;
use kube_api::tree::{child_or_insert, set, set_if_absent, set_if_zero};
use kube_api::{Map, Object, Value, internal_json};

/// The strategy of `DaemonSet`.
pub(crate) static STRATEGY: Strategy = Strategy {
    convert: Some(|set, version| {
        number_in_annotation(set, version, TEMPLATE_GENERATION)
            .map_or(Ok(()), |generation| number::parse_int(generation).map(drop))
    }),
    defaults: Some(|object, _, _| set_defaults(object)),
    status: ObjectStatus::Controllers,
    prepare_for_create: Some(|set, _, _| template_generation(set, None)),
    prepare_for_update: Some(|set, old, _| template_generation(set, Some(old))),
    gated: &[Gated::PodSpec(&["spec", "template", "spec"])],
    validate: Some(|errors, object, old, context| {
        validate_daemon_set(errors, object, old, context.profile);
    }),
    warnings: Some(warnings),
    sub_resources: &[SubResource {
        prepare_for_update: Some(status_for_update),
        validate_update: Some(|errors, object, old, _| {
            workload::validate_replica_status(errors, object, old, "DaemonSet");
        }),
        ..SubResource::new("status")
    }],
    ..Strategy::new("apps", "DaemonSet")
};

fn warnings(set: &Object, old: Option<&Object>, warnings: &mut Warnings<'_>) {
    const TEMPLATE: &[&str] = &["spec", "template"];
    if let Some(Value::Object(spec)) = set.at("spec")
        && old.is_none_or(|old| set.at(TEMPLATE) != old.at(TEMPLATE))
    {
        warnings::template(spec, "spec.template", warnings);
    }
}

/// Keeps the specification, part of which is in an annotation.
fn status_for_update(daemon_set: &mut Map, old: &Map, context: &Context<'_>) {
    keep_spec(daemon_set, old, context);
    set_template_generation(daemon_set, generation_of_template(old));
}

/// The annotation with the generation of the template, a field of older versions.
const TEMPLATE_GENERATION: &str = "deprecated.daemonset.template.generation";

fn generation_of_template(daemon_set: &Map) -> i64 {
    let annotations = daemon_set.child(["metadata", "annotations"]);
    annotations.and_then(|annotations| annotations.text(TEMPLATE_GENERATION).parse().ok()).unwrap_or_default()
}

fn set_template_generation(daemon_set: &mut Map, generation: i64) {
    let annotations = child_or_insert(child_or_insert(daemon_set, "metadata"), "annotations");
    set(annotations, TEMPLATE_GENERATION, generation.to_string());
}

/// Sets the defaults of `DaemonSet`.
fn set_defaults(daemon_set: &mut Map) {
    let spec = child_or_insert(daemon_set, "spec");
    let strategy = child_or_insert(spec, "updateStrategy");
    set_if_zero(strategy, "type", "RollingUpdate");
    if strategy.text("type") == "RollingUpdate" {
        let rolling_update = child_or_insert(strategy, "rollingUpdate");
        set_if_absent(rolling_update, "maxUnavailable", 1);
        set_if_absent(rolling_update, "maxSurge", 0);
    }
    no_rolling_update(strategy, &["maxUnavailable", "maxSurge"]);
    set_if_absent(spec, "revisionHistoryLimit", 10);
    pod::template(spec);
    let generation = generation_of_template(daemon_set);
    set_template_generation(daemon_set, generation);
}

/// Counts the template changes of a `DaemonSet` in an annotation.
fn template_generation(daemon_set: &mut Map, old: Option<&Map>) {
    fn template(daemon_set: &Map) -> Option<&Value> {
        daemon_set.child("spec")?.get("template")
    }
    let generation = match old {
        None => generation_of_template(daemon_set).max(1),
        Some(old) if template(old) == template(daemon_set) => generation_of_template(old),
        Some(old) => generation_of_template(old).saturating_add(1),
    };
    set_template_generation(daemon_set, generation);
}

/// Runs `ValidateDaemonSet`, and `ValidateDaemonSetUpdate` if there is an old object.
fn validate_daemon_set(errors: &mut Errors, object: &Node, old: Option<&Node>, profile: &ServerProfile) {
    validate_meta(errors, object, old, name_is_dns_subdomain);
    validate_immutable_selector(errors, &object.child("spec"), old);
    let mut options = template_options(old, profile);
    options.invalid_selector_values |=
        old.is_some_and(|old| has_invalid_label_selector(&old.child("spec"), "selector"));
    let spec = object.child("spec");
    validate_label_selector(errors, &spec, "selector", options.invalid_selector_values);
    let template = spec.child("template");
    let labels = template.child("metadata").raw("labels");
    let selector = Selector::from_label_selector(spec.raw("selector"));
    if selector.is_ok_and(|selector| !selector.matches_labels(Some(labels))) {
        errors.invalid_value(&template.below(&["metadata", "labels"]), labels, NO_MATCH);
    }
    if let Some(selector) = spec.get("selector") {
        validate_selector_not_empty(errors, &selector, "daemonset");
    }
    validate_pod_template_spec(errors, &template, &options);
    validate_always_running(errors, &template, "DaemonSet");
    errors.non_negative(&spec, "minReadySeconds");
    let generation = object.value().as_object().map_or(0, generation_of_template);
    if generation < 0 {
        errors.invalid_int(&spec.at("templateGeneration"), generation, IS_NEGATIVE);
    }
    validate_daemon_set_update_strategy(errors, &spec, profile);
    errors.non_negative(&spec, "revisionHistoryLimit");
}

/// Implements `ValidateDaemonSetUpdateStrategy`.
fn validate_daemon_set_update_strategy(errors: &mut Errors, spec: &Node, profile: &ServerProfile) {
    // Surges had a gate, which is gone.
    let may_surge = errors.since(22) || profile.is_on_or(Feature::DaemonSetUpdateSurge.name(), false);
    let strategy = spec.child("updateStrategy");
    match (strategy.text("type"), strategy.get("rollingUpdate")) {
        ("OnDelete", _) => {}
        ("RollingUpdate", None) => errors.required(&strategy.at("rollingUpdate"), ""),
        ("RollingUpdate", Some(rolling)) => {
            for field in ["maxUnavailable", "maxSurge"] {
                validate_positive_int_or_percent(errors, &rolling, field);
            }
            for field in ["maxUnavailable", "maxSurge"] {
                is_not_more_than_100_percent(errors, &rolling, field);
            }
            match (int_or_percent(&rolling, "maxUnavailable"), int_or_percent(&rolling, "maxSurge")) {
                (0, 0) if may_surge => {
                    errors.required(&rolling.at("maxUnavailable"), "cannot be 0 when maxSurge is 0");
                }
                (0, 0) => {
                    let unavailable = rolling.raw("maxUnavailable");
                    errors.invalid_value(&rolling.at("maxUnavailable"), unavailable, "cannot be 0");
                }
                (0, _) | (_, 0) => {}
                _ => {
                    let detail = "may not be set when maxUnavailable is non-zero";
                    errors.invalid_value(&rolling.at("maxSurge"), rolling.raw("maxSurge"), detail);
                }
            }
        }
        _ => {
            let printed = internal_json::compact("internal.DaemonSetUpdateStrategy", strategy.value());
            let detail = "supported values: \"RollingUpdate\", \"OnDelete\"";
            errors.push(
                kube_api::field::Error::not_supported_printed(&strategy.here(), printed, detail)
                    .about(None, strategy.value()),
            );
        }
    }
}
