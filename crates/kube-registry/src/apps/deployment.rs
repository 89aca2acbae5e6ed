//! Workloads that are rolled out.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/apps`.

use crate::apps::{TERMINATING_REPLICAS, number_in_annotation};
use crate::defaults::pod;
use crate::defaults::workload::no_rolling_update;
use crate::gated::Gated;
use crate::preparation::copy_metadata;
use crate::strategy::{ObjectStatus, Strategy, SubResource};
use crate::validation::metadata::name_is_dns_subdomain;
use crate::validation::node::{Errors, IS_NEGATIVE, Node};
use crate::validation::workload;
use crate::validation::workload::{
    int_or_percent, is_not_more_than_100_percent, template_options, validate_immutable_selector,
    validate_meta, validate_positive_int_or_percent, validate_replica_selector_and_template,
};
use crate::warnings::{self, Warnings};
use gotext::number;
use kube_api::server_profile::ServerProfile;
use kube_api::tree::{child_mut, child_or_insert, copy, remove_key, set, set_if_absent, set_if_zero};
use kube_api::{Map, Object, Value, internal_json};

/// The strategy of `Deployment`.
pub(crate) static STRATEGY: Strategy = Strategy {
    convert: Some(|deployment, version| match number_in_annotation(deployment, version, ROLLBACK_TO) {
        None | Some("") => Ok(()),
        Some(revision) => number::parse_int(revision).map(drop).map_err(|error| {
            format!("failed to parse annotation[{ROLLBACK_TO}]={revision} as int64: {error}")
        }),
    }),
    defaults: Some(|object, _, _| set_defaults(object)),
    status: ObjectStatus::Controllers,
    gated: &[Gated::PodSpec(&["spec", "template", "spec"]), Gated::Below(&[], TERMINATING_REPLICAS)],
    validate: Some(|errors, object, old, context| {
        validate_deployment(errors, object, old, context.profile);
    }),
    warnings: Some(warnings),
    sub_resources: &[SubResource {
        prepare_for_update: Some(|deployment, old, _| {
            copy(deployment, old, "spec");
            copy_metadata(deployment, old, &["labels"]);
            keep_rollback(deployment, old);
        }),
        validate_update: Some(|errors, object, old, _| {
            workload::validate_replica_status(errors, object, old, "Deployment");
        }),
        ..SubResource::new("status")
    }],
    ..Strategy::new("apps", "Deployment")
};

fn warnings(deployment: &Object, old: Option<&Object>, warnings: &mut Warnings<'_>) {
    const ANNOTATIONS: &[&str] = &["metadata", "annotations"];
    if old.is_none() {
        warnings::dns_label_recommended(deployment, "Pod names and hostnames", warnings);
    }
    let has_changed = |path: &[&str]| old.is_none_or(|old| deployment.at(path) != old.at(path));
    if let Some(Value::Object(spec)) = deployment.at("spec")
        && (has_changed(&["spec"]) || has_changed(ANNOTATIONS))
    {
        warnings::template(spec, "spec.template", warnings);
    }
}

/// The annotation with the revision to go back to, a field of older versions.
const ROLLBACK_TO: &str = "deprecated.deployment.rollback.to";

/// Keeps the revision to go back to, which is part of the specification.
fn keep_rollback(deployment: &mut Map, old: &Map) {
    let revision =
        old.child(["metadata", "annotations"]).and_then(|annotations| annotations.get(ROLLBACK_TO));
    let metadata = child_or_insert(deployment, "metadata");
    match revision {
        Some(revision) => set(child_or_insert(metadata, "annotations"), ROLLBACK_TO, revision.clone()),
        None => drop(remove_key(metadata, "annotations", ROLLBACK_TO)),
    }
}

/// Sets the defaults of `Deployment`.
fn set_defaults(deployment: &mut Map) {
    let spec = child_or_insert(deployment, "spec");
    set_if_absent(spec, "replicas", 1);
    let strategy = child_or_insert(spec, "strategy");
    set_if_zero(strategy, "type", "RollingUpdate");
    if strategy.text("type") == "RollingUpdate" {
        let rolling_update = child_or_insert(strategy, "rollingUpdate");
        set_if_absent(rolling_update, "maxUnavailable", "25%");
        set_if_absent(rolling_update, "maxSurge", "25%");
    }
    no_rolling_update(strategy, &["maxUnavailable", "maxSurge"]);
    set_if_absent(spec, "revisionHistoryLimit", 10);
    set_if_absent(spec, "progressDeadlineSeconds", 600);
    pod::template(spec);
    // The conversion keeps this annotation as a number; an empty one is not a number.
    if let Some(metadata) = child_mut(deployment, "metadata")
        && let Some(annotations) = metadata.child("annotations")
        && annotations.contains_key(ROLLBACK_TO)
    {
        match annotations.text(ROLLBACK_TO).parse::<i64>() {
            Ok(revision) => set(child_or_insert(metadata, "annotations"), ROLLBACK_TO, revision.to_string()),
            Err(_) => drop(remove_key(metadata, "annotations", ROLLBACK_TO)),
        }
    }
}

/// Runs `ValidateDeployment`, and `ValidateDeploymentUpdate` if there is an old object.
fn validate_deployment(errors: &mut Errors, object: &Node, old: Option<&Node>, profile: &ServerProfile) {
    validate_meta(errors, object, old, name_is_dns_subdomain);
    let options = template_options(old, profile);
    let spec = object.child("spec");
    errors.non_negative(&spec, "replicas");
    validate_replica_selector_and_template(errors, &spec, &options);
    validate_deployment_strategy(errors, &spec);
    errors.non_negative(&spec, "minReadySeconds");
    errors.non_negative(&spec, "revisionHistoryLimit");
    let revision = object.child("metadata").raw("annotations").get(ROLLBACK_TO).and_then(Value::as_str);
    if let Some(revision) = revision.and_then(|revision| revision.parse::<i64>().ok()).filter(|it| *it < 0) {
        errors.invalid_int(&spec.at("rollback").child("version"), revision, IS_NEGATIVE);
    }
    if let Some(deadline) = spec.number("progressDeadlineSeconds") {
        errors.non_negative(&spec, "progressDeadlineSeconds");
        if deadline <= spec.int("minReadySeconds") {
            let detail = "must be greater than minReadySeconds";
            errors.invalid_int(&spec.at("progressDeadlineSeconds"), deadline, detail);
        }
    }
    validate_immutable_selector(errors, &spec, old);
}

/// Implements `ValidateDeploymentStrategy`.
fn validate_deployment_strategy(errors: &mut Errors, spec: &Node) {
    let strategy = spec.child("strategy");
    let rolling = strategy.get("rollingUpdate");
    match (strategy.text("type"), rolling) {
        ("Recreate", Some(rolling)) => {
            let detail = "may not be specified when strategy `type` is 'Recreate'";
            errors.forbidden(&rolling.here(), detail);
        }
        ("Recreate", None) => {}
        ("RollingUpdate", None) => {
            errors.required(&strategy.at("rollingUpdate"), "this should be defaulted and never be nil");
        }
        ("RollingUpdate", Some(rolling)) => {
            validate_positive_int_or_percent(errors, &rolling, "maxUnavailable");
            validate_positive_int_or_percent(errors, &rolling, "maxSurge");
            if int_or_percent(&rolling, "maxUnavailable") == 0 && int_or_percent(&rolling, "maxSurge") == 0 {
                let detail = "may not be 0 when `maxSurge` is 0";
                errors.invalid_value(
                    &rolling.at("maxUnavailable"),
                    zero_or(&rolling, "maxUnavailable"),
                    detail,
                );
            }
            is_not_more_than_100_percent(errors, &rolling, "maxUnavailable");
        }
        _ => {
            let printed = internal_json::compact("internal.DeploymentStrategy", strategy.value());
            let detail = "supported values: \"Recreate\", \"RollingUpdate\"";
            errors.push(
                kube_api::field::Error::not_supported_printed(&strategy.here(), printed, detail)
                    .about(None, strategy.value()),
            );
        }
    }
}

fn zero_or<'a>(node: &Node<'a>, field: &str) -> &'a Value {
    static ZERO: std::sync::LazyLock<Value> = std::sync::LazyLock::new(|| Value::from(0));
    let value = node.raw(field);
    if value.is_null() { &ZERO } else { value }
}
