//! Workloads whose Pods keep their names and volumes.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/apps`.

use std::collections::BTreeSet;

use crate::defaults::pod;
use crate::defaults::volume::claim;
use crate::defaults::workload::no_rolling_update;
use crate::gated::{Fields, Gated, fields};
use crate::preparation::keep_spec;
use crate::strategy::{ObjectStatus, Strategy, SubResource};
use crate::validation::claim::{ClaimOptions, validate_persistent_volume_claim_spec};
use crate::validation::equal::semantically_equal;
use crate::validation::metadata::{
    name_is_dns_label, name_is_dns_subdomain, validate_annotations, validate_labels,
};
use crate::validation::node::{Errors, IS_NEGATIVE, Node};
use crate::validation::pod::{Options, validate_pod_specific_annotations, validate_pod_template_spec};
use crate::validation::selector::LABEL_SELECTOR;
use crate::validation::workload;
use crate::validation::workload::{
    int_or_percent, is_not_more_than_100_percent, template_options, validate_always_running, validate_meta,
    validate_positive_int_or_percent, validate_required_selector, validate_selector_matches,
};
use crate::warnings::{self, Warnings};
use gotext::names;
use kube_api::features::Feature;
use kube_api::field::Path;
use kube_api::labels::Selector;
use kube_api::server_profile::ServerProfile;
use kube_api::tree::{child_mut, child_or_insert, items_mut, set, set_if_absent, set_if_zero};
use kube_api::{Map, Object, Value};

/// The strategy of `StatefulSet`.
pub(crate) static STRATEGY: Strategy = Strategy {
    defaults: Some(|object, _, profile| set_defaults(object, profile)),
    status: ObjectStatus::Controllers,
    gated: &[Gated::PodSpec(&["spec", "template", "spec"]), Gated::Below(&[], STATEFUL_SET)],
    validate: Some(|errors, object, old, context| {
        validate_stateful_set(errors, object, old, context.profile);
    }),
    warnings: Some(warnings),
    sub_resources: &[SubResource {
        prepare_for_update: Some(keep_spec),
        validate_update: Some(|errors, object, old, _| {
            workload::validate_replica_status(errors, object, old, "StatefulSet");
        }),
        ..SubResource::new("status")
    }],
    ..Strategy::new("apps", "StatefulSet")
};

const STATEFUL_SET: &[Fields] = &[
    fields(&[Feature::MaxUnavailableStatefulSet], &["spec/updateStrategy/rollingUpdate/maxUnavailable"]),
    fields(&[Feature::StatefulSetAutoDeletePVC], &["spec/persistentVolumeClaimRetentionPolicy"]),
    fields(&[Feature::StatefulSetStartOrdinal], &["spec/ordinals"]),
];

/// The minor of the first release that validates the template of Pods whole, and those of claims at all.
const VALIDATES_TEMPLATES: u32 = 34;

/// The minor of the first release that validates the name of the Service.
const VALIDATES_SERVICE_NAME: u32 = 33;

fn warnings(set: &Object, old: Option<&Object>, warnings: &mut Warnings<'_>) {
    let Some(Value::Object(spec)) = set.at("spec") else { return };
    if old.is_none_or(|old| set.at("spec") != old.at("spec")) {
        warnings::template(spec, "spec.template", warnings);
    }
    stateful_set(spec, old.is_some(), warnings);
}

/// Sets the defaults of a claim template of a `StatefulSet`, whose kind the conversion sets.
fn claim_template(template: &mut Map) {
    set(template, "apiVersion", "v1");
    set(template, "kind", "PersistentVolumeClaim");
    claim(template);
}

/// Sets the defaults of `StatefulSet`.
fn set_defaults(stateful_set: &mut Map, profile: &ServerProfile) {
    let spec = child_or_insert(stateful_set, "spec");
    set_if_zero(spec, "podManagementPolicy", "OrderedReady");
    let strategy = child_or_insert(spec, "updateStrategy");
    if strategy.is_zero("type") {
        set(strategy, "type", "RollingUpdate");
        set_if_absent(strategy, "rollingUpdate", Map::new());
    }
    if strategy.text("type") == "RollingUpdate"
        && let Some(rolling_update) = child_mut(strategy, "rollingUpdate")
    {
        set_if_absent(rolling_update, "partition", 0);
        if profile.enabled(Feature::MaxUnavailableStatefulSet) {
            set_if_absent(rolling_update, "maxUnavailable", 1);
        }
    }
    no_rolling_update(strategy, &["partition"]);
    if profile.enabled(Feature::StatefulSetAutoDeletePVC) {
        let retention = child_or_insert(spec, "persistentVolumeClaimRetentionPolicy");
        set_if_zero(retention, "whenDeleted", "Retain");
        set_if_zero(retention, "whenScaled", "Retain");
    }
    set_if_absent(spec, "replicas", 1);
    set_if_absent(spec, "revisionHistoryLimit", 10);
    pod::template(spec);
    items_mut(spec, "volumeClaimTemplates").for_each(claim_template);
}

const MUTABLE_STATEFUL_SET_FIELDS: [&str; 7] = [
    "replicas",
    "template",
    "updateStrategy",
    "minReadySeconds",
    "ordinals",
    "revisionHistoryLimit",
    "persistentVolumeClaimRetentionPolicy",
];

/// Runs `ValidateStatefulSet`, and `ValidateStatefulSetUpdate` if there is an old object.
fn validate_stateful_set(errors: &mut Errors, object: &Node, old: Option<&Node>, profile: &ServerProfile) {
    let name_rule = if errors.since(27) { name_is_dns_label } else { name_is_dns_subdomain };
    validate_meta(errors, object, old, name_rule);
    let spec = object.child("spec");
    let options = template_options(old, profile);
    let skip_template = old.is_some_and(|old| {
        let mut errors = Errors::default();
        validate_stateful_set_spec(&mut errors, &old.child("spec"), true, false, &options);
        !errors.is_empty()
    });
    validate_stateful_set_spec(errors, &spec, old.is_some(), skip_template, &options);
    let Some(before) = old.map(|old| old.child("spec")) else { return };
    let mut munged = spec.value().clone();
    let mutable = MUTABLE_STATEFUL_SET_FIELDS.iter();
    for field in mutable.filter(|field| **field != "revisionHistoryLimit" || errors.since(33)) {
        munged[*field] = before.raw(field).clone();
    }
    if !semantically_equal("apps/v1.StatefulSetSpec", &munged, before.value()) {
        let mutable = match errors.release().minor {
            ..23 => "'replicas', 'template', and 'updateStrategy' are forbidden",
            23..26 => {
                "'replicas', 'template', 'updateStrategy', 'persistentVolumeClaimRetentionPolicy' and \
                 'minReadySeconds' are forbidden"
            }
            26..33 => {
                "'replicas', 'ordinals', 'template', 'updateStrategy', 'persistentVolumeClaimRetentionPolicy' and \
                 'minReadySeconds' are forbidden"
            }
            _ => {
                "'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', \
                 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"
            }
        };
        let stop = if errors.since(12) { "" } else { "." };
        errors.forbidden(
            &spec.here(),
            format!("updates to statefulset spec for fields other than {mutable}{stop}"),
        );
    }
}

/// Implements `ValidateStatefulSetSpec`.
fn validate_stateful_set_spec(
    errors: &mut Errors,
    spec: &Node,
    update: bool,
    skip_template: bool,
    options: &Options,
) {
    match spec.text("podManagementPolicy") {
        "" => errors.required(&spec.at("podManagementPolicy"), ""),
        "OrderedReady" | "Parallel" => {}
        other => {
            errors.invalid(&spec.at("podManagementPolicy"), other, "must be 'OrderedReady' or 'Parallel'");
        }
    }
    validate_stateful_set_update_strategy(errors, spec, options);
    if let Some(policy) = spec.get("persistentVolumeClaimRetentionPolicy") {
        for field in ["whenDeleted", "whenScaled"] {
            errors.one_of(&policy, field, &["Retain", "Delete"]);
        }
    }
    let minor = options.profile.release().minor;
    if !update && minor >= VALIDATES_TEMPLATES {
        for template in spec.items("volumeClaimTemplates") {
            validate_persistent_volume_claim_spec(errors, &template.child("spec"), ClaimOptions::default());
        }
    }
    errors.non_negative(spec, "replicas");
    errors.non_negative(spec, "minReadySeconds");
    if let Some(ordinals) = spec.get("ordinals")
        && ordinals.int("start") < 0
    {
        errors.invalid_int(&spec.at("ordinals.start"), ordinals.int("start"), IS_NEGATIVE);
    }
    if !update && minor >= VALIDATES_SERVICE_NAME && !spec.text("serviceName").is_empty() {
        errors.each_of(spec, "serviceName", names::is_dns1123_label(spec.text("serviceName")));
    }
    validate_required_selector(errors, spec, "statefulset");
    match Selector::from_label_selector(spec.raw("selector")) {
        Err(_) => {
            errors.invalid_typed(&spec.at("selector"), LABEL_SELECTOR, spec.raw("selector"), "");
        }
        Ok(selector) => validate_stateful_set_template(errors, spec, &selector, skip_template, options),
    }
    validate_always_running(errors, &spec.child("template"), "StatefulSet");
}

/// Implements `ValidatePodTemplateSpecForStatefulSet`: the template with the volumes of the claims added.
fn validate_stateful_set_template(
    errors: &mut Errors,
    spec: &Node,
    selector: &Selector,
    skip: bool,
    options: &Options,
) {
    let mut value = spec.raw("template").clone();
    if value["spec"].is_object() {
        let mut claims: Vec<&str> =
            spec.list("volumeClaimTemplates").iter().map(|claim| claim.text(["metadata", "name"])).collect();
        let mut seen = BTreeSet::new();
        claims.retain(|claim| seen.insert(*claim));
        let pod = &mut value["spec"];
        pod["subdomain"] = Value::Null;
        pod["hostname"] = Value::Null;
        if !claims.is_empty() {
            let mut volumes: Vec<Value> = claims
                .iter()
                .map(
                    |name| gotext::value::json!({"name": name, "persistentVolumeClaim": {"claimName": name}}),
                )
                .collect();
            let own = pod["volumes"].as_array().cloned().unwrap_or_default();
            volumes.extend(own.into_iter().filter(|volume| !claims.contains(&volume.text("name"))));
            pod["volumes"] = volumes.into();
        }
    }
    let template = Node::new(spec.at("template"), &value);
    validate_selector_matches(errors, selector, &template);
    if !skip && options.profile.release().minor >= VALIDATES_TEMPLATES {
        validate_pod_template_spec(errors, &template, options);
    }
    let metadata = Node::new(template.here(), template.raw("metadata"));
    validate_labels(errors, &metadata, "labels");
    validate_annotations(errors, &metadata);
    validate_pod_specific_annotations(errors, &metadata, &template.child("spec"), options);
}

fn validate_stateful_set_update_strategy(errors: &mut Errors, spec: &Node, options: &Options) {
    let strategy = spec.child("updateStrategy");
    match (strategy.text("type"), strategy.get("rollingUpdate")) {
        ("", _) => errors.required(&strategy.here(), ""),
        ("OnDelete", Some(rolling)) => {
            let detail = "only allowed for updateStrategy 'RollingUpdate'";
            let name = "internal.RollingUpdateStatefulSetStrategy";
            errors.invalid_typed(&rolling.here(), name, rolling.value(), detail);
        }
        ("RollingUpdate", Some(rolling)) => {
            errors.non_negative(&rolling, "partition");
            if rolling.has("maxUnavailable") {
                validate_positive_int_or_percent(errors, &rolling, "maxUnavailable");
                if int_or_percent(&rolling, "maxUnavailable") == 0 {
                    errors.invalid_value(
                        &rolling.at("maxUnavailable"),
                        rolling.raw("maxUnavailable"),
                        "cannot be 0",
                    );
                }
                is_not_more_than_100_percent(errors, &rolling, "maxUnavailable");
            }
        }
        ("OnDelete" | "RollingUpdate", None) => {}
        ("Recreate", None) if options.profile.enabled(Feature::StatefulSetRecreateStrategy) => {}
        _ => {
            let detail = "must be 'RollingUpdate' or 'OnDelete'";
            let name = "internal.StatefulSetUpdateStrategy";
            errors.invalid_typed(&strategy.here(), name, strategy.value(), detail);
        }
    }
}

fn stateful_set(spec: &Map, is_update: bool, warnings: &mut Warnings<'_>) {
    let empty = Map::new();
    for (index, claim) in spec.items("volumeClaimTemplates").enumerate() {
        let mut path = Path::new("spec.volumeClaimTemplates").index(index);
        if is_update {
            path = path.child("Spec");
        }
        warnings::volume::claim_spec(claim.child("spec").unwrap_or(&empty), &path, warnings);
    }
    if spec.int("revisionHistoryLimit") < 0 && warnings.since(33) {
        warnings.push(
            "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended"
                .to_owned(),
        );
    }
}
