//! Workloads that run to completion.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/batch`.

pub(crate) mod selector;
pub(crate) mod status;
pub(crate) mod update;

use crate::defaults::workload::{job_spec, labels_of_template};
use crate::gated::{Fields, Gated, fields};
use crate::preparation::keep_spec;
use crate::strategy::{Context, ObjectStatus, Scope, Strategy, SubResource};
use crate::validation::batch::{INDEXED, validate_job_spec};
use crate::validation::declared;
use crate::validation::metadata::{name_is_dns_subdomain, validate_has_label, validate_object_meta};
use crate::validation::node::{Errors, Node};
use crate::validation::pod::Options;
use crate::validation::selector::{LABEL_SELECTOR, validate_label_selector};
use crate::warnings::{self, Warnings};
use gotext::names;
use kube_api::features::Feature;
use kube_api::labels::Selector;
use kube_api::server_profile::ServerProfile;
use kube_api::tree::{child_mut, child_or_insert, set, set_if_absent, set_if_zero};
use kube_api::{Map, Object, Value};

/// The strategy of `Job`.
pub(crate) static STRATEGY: Strategy = Strategy {
    defaults: Some(|object, _, profile| set_defaults(object, profile)),
    status: ObjectStatus::Controllers,
    prepare_for_create: Some(prepare_for_create),
    gated: &[Gated::PodSpec(&["spec", "template", "spec"]), Gated::Below(&[], JOB)],
    as_validated: Some(selector::with_uid),
    validate: Some(|errors, object, old, context| {
        match old {
            None => validate_job_create(errors, object, context.profile),
            Some(old) => update::validate_job_update(errors, object, old, context.profile),
        }
        declared::validate_child(errors, "batch/v1.JobSpec", (object, "spec"), old, context.profile);
    }),
    warnings: Some(warnings),
    sub_resources: &[SubResource {
        prepare_for_update: Some(keep_spec),
        validate_update: Some(|errors, object, old, context| {
            status::validate_job_status_update(errors, object, old, context.profile);
        }),
        ..SubResource::new("status")
    }],
    ..Strategy::new("batch", "Job")
};

fn warnings(job: &Object, old: Option<&Object>, warnings: &mut Warnings<'_>) {
    if old.is_none() {
        warnings::dns_label_recommended(job, "Pod names and hostnames", warnings);
    }
    if let Some(Value::Object(spec)) = job.at("spec")
        && old.is_none_or(|old| job.at("spec") != old.at("spec"))
    {
        warnings::job(spec, "spec", warnings);
    }
}

/// The guarded fields.
const JOB: &[Fields] = &[
    fields(&[Feature::JobPodFailurePolicy], &["spec/podFailurePolicy"]),
    fields(&[Feature::JobManagedBy], &["spec/managedBy"]),
    fields(&[Feature::JobSuccessPolicy], &["spec/successPolicy"]),
    fields(&[Feature::JobBackoffLimitPerIndex], &["spec/backoffLimitPerIndex", "spec/maxFailedIndexes"]),
    fields(&[Feature::JobPodReplacementPolicy], &["spec/podReplacementPolicy"]),
    fields(&[Feature::WorkloadWithJob], &["spec/scheduling"]),
];

/// The minor of the first release in which all Jobs are tracked with finalizers, without a mark.
const ALL_ARE_TRACKED: u32 = 27;

/// Generates the selector, and before 1.27 marks the Job as one whose Pods are tracked with finalizers.
fn prepare_for_create(job: &mut Map, context: &Context<'_>, _: &mut Vec<String>) {
    selector::generate_selector(job, context);
    if !context.profile.enabled(Feature::JobBackoffLimitPerIndex) {
        drop_rules_of_indexes(job);
    }
    let minor = context.profile.release().minor;
    if minor < ALL_ARE_TRACKED && context.profile.is_on_or("JobTrackingWithFinalizers", minor >= 25) {
        set(
            child_or_insert(child_or_insert(job, "metadata"), "annotations"),
            "batch.kubernetes.io/job-tracking",
            "",
        );
    }
}

/// Drops the rules of failure about single indexes.
fn drop_rules_of_indexes(job: &mut Map) {
    let policy = child_mut(job, ["spec", "podFailurePolicy"]);
    if let Some(rules) = policy.and_then(|policy| policy.get_mut("rules")).and_then(Value::as_array_mut) {
        rules.retain(|rule| rule["action"] != "FailIndex");
    }
}

/// The minor of the first release that fills in `manualSelector`.
const FILLS_IN_MANUAL_SELECTOR: u32 = 29;

/// Takes the labels from the template. The selector is generated later, by the registry.
fn set_defaults(job: &mut Map, profile: &ServerProfile) {
    let labels = labels_of_template(job);
    let spec = child_or_insert(job, "spec");
    if !spec.has("parallelism") {
        set_if_absent(spec, "completions", 1);
        set(spec, "parallelism", 1);
    }
    let backoff_limit = if spec.has("backoffLimitPerIndex") { i64::from(i32::MAX) } else { 6 };
    set_if_absent(spec, "backoffLimit", backoff_limit);
    set_if_absent(spec, "completionMode", "NonIndexed");
    set_if_absent(spec, "suspend", false);
    let policy = if spec.has("podFailurePolicy") { "Failed" } else { "TerminatingOrFailed" };
    if profile.enabled(Feature::JobPodReplacementPolicy) {
        set_if_absent(spec, "podReplacementPolicy", policy);
    }
    if profile.release().minor >= FILLS_IN_MANUAL_SELECTOR {
        set_if_absent(spec, "manualSelector", false);
    }
    job_spec(spec);
    if let Some(labels) = labels {
        set_if_zero(child_or_insert(job, "metadata"), "labels", labels);
    }
}

const JOB_NAME_LABEL: &str = "batch.kubernetes.io/job-name";

const CONTROLLER_UID_LABEL: &str = "batch.kubernetes.io/controller-uid";

/// Runs `ValidateJob` on a new object.
fn validate_job_create(errors: &mut Errors, object: &Node, profile: &ServerProfile) {
    let generated =
        if selector::has_prefixed_labels(profile) { Generated::Prefixed } else { Generated::Legacy };
    validate_job(errors, object, &Options::new(profile, None), generated);
}

/// The generated labels that tie Pods to their Job and are required.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Generated {
    /// The current ones, with Kubernetes' prefix, and the older ones.
    Prefixed,
    /// The older ones, as Pods of older Jobs have only those.
    Legacy,
    /// None, as the Job's uid is unknown.
    Unknown,
}

/// Implements `ValidateJob`.
fn validate_job(errors: &mut Errors, object: &Node, options: &Options, generated: Generated) {
    validate_object_meta(errors, object, Scope::Namespaced, name_is_dns_subdomain);
    validate_generated_selector(errors, object, generated);
    let spec = object.child("spec");
    validate_job_spec_with_selector(errors, &spec, options);
    let completions = spec.int("completions");
    if spec.text("completionMode") == INDEXED && completions > 0 {
        let metadata = object.child("metadata");
        let host = format!("{}-{}", metadata.text("name"), completions - 1);
        if !names::is_dns1123_label(&host).is_empty() {
            let detail = format!("will not able to create pod with invalid DNS label: {host}");
            errors.invalid(&metadata.at("name"), metadata.text("name"), detail);
        }
    }
}

/// Implements `validateGeneratedSelector`.
fn validate_generated_selector(errors: &mut Errors, object: &Node, generated: Generated) {
    let (metadata, spec) = (object.child("metadata"), object.child("spec"));
    if spec.flag("manualSelector") || !spec.has("selector") || generated == Generated::Unknown {
        return;
    }
    let (uid, name) = (metadata.text("uid"), metadata.text("name"));
    if uid.is_empty() {
        errors.required(&metadata.at("uid"), "");
    }
    let template = spec.child("template").child("metadata");
    let expected =
        [("controller-uid", uid), ("job-name", name), (CONTROLLER_UID_LABEL, uid), (JOB_NAME_LABEL, name)];
    let expected = if generated == Generated::Prefixed { &expected[..] } else { &expected[..2] };
    for &(key, value) in expected {
        validate_has_label(errors, &template, key, value);
    }
    let lookup = |key: &str| expected.iter().find(|(known, _)| *known == key).map(|(_, value)| *value);
    if Selector::from_label_selector(spec.raw("selector")).is_ok_and(|selector| !selector.matches(lookup)) {
        errors.invalid_typed(
            &spec.at("selector"),
            LABEL_SELECTOR,
            spec.raw("selector"),
            "`selector` not auto-generated",
        );
    }
}

/// Implements `ValidateJobSpec`.
fn validate_job_spec_with_selector(errors: &mut Errors, spec: &Node, options: &Options) {
    validate_job_spec(errors, spec, options);
    if spec.has("selector") {
        validate_label_selector(errors, spec, "selector", options.invalid_selector_values);
    } else {
        errors.required(&spec.at("selector"), "");
    }
    let template = spec.child("template");
    let labels = template.child("metadata").raw("labels");
    let selector = Selector::from_label_selector(spec.raw("selector"));
    if selector.is_ok_and(|selector| !selector.matches_labels(Some(labels))) {
        let detail = "`selector` does not match template `labels`";
        errors.invalid_value(&template.below(&["metadata", "labels"]), labels, detail);
    }
}
