//! Validation of updates of a Job.
//!
//! Source: `ValidateJobUpdate`, `validationOptionsForJob`.

use crate::batch::job::status::is_condition;
use crate::batch::job::{
    CONTROLLER_UID_LABEL, Generated, JOB_NAME_LABEL, validate_job, validate_job_spec_with_selector,
};
use crate::validation::batch::INDEXED;
use crate::validation::equal::{plainly_equal, semantically_equal};
use crate::validation::metadata::{validate_immutable_field, validate_object_meta_update};
use crate::validation::node::{Errors, IMMUTABLE, Node};
use crate::validation::pod::Options;
use crate::validation::selector::{LABEL_SELECTOR, has_invalid_label_selector};
use kube_api::Value;
use kube_api::features::Feature;
use kube_api::server_profile::ServerProfile;
use kube_api::tree::copy_in;

/// Implements `ValidateJob` and `ValidateJobUpdate`.
pub(crate) fn validate_job_update(errors: &mut Errors, object: &Node, old: &Node, profile: &ServerProfile) {
    let (spec, before) = (object.child("spec"), old.child("spec"));
    let old_template = before.child("template");
    let mut options = Options::new(profile, Some(&old_template));
    options.invalid_selector_values |= has_invalid_label_selector(&before, "selector");
    let labels = old_template.child("metadata").raw("labels");
    let generated = if object.child("metadata").text("uid").is_empty() {
        Generated::Unknown
    } else if [JOB_NAME_LABEL, CONTROLLER_UID_LABEL].iter().all(|label| labels.get(label).is_some()) {
        Generated::Prefixed
    } else {
        Generated::Legacy
    };
    validate_job(errors, object, &options, generated);
    validate_object_meta_update(errors, object, old);
    validate_job_spec_with_selector(errors, &spec, &options);
    validate_completions(errors, &spec, &before);
    if !plainly_equal(spec.raw("selector"), before.raw("selector")) {
        errors.invalid_typed(&spec.at("selector"), LABEL_SELECTOR, spec.raw("selector"), IMMUTABLE);
    }
    validate_template_update(errors, &spec, &old_template, &Mutable::new(old, profile));
    validate_immutable_field(errors, &spec, &before, "completionMode");
    validate_immutable_policy(errors, &spec, &before, "podFailurePolicy", "internal.PodFailurePolicy");
    for field in ["backoffLimitPerIndex", "managedBy"] {
        validate_immutable_field(errors, &spec, &before, field);
    }
    validate_immutable_policy(errors, &spec, &before, "successPolicy", "internal.SuccessPolicy");
}

fn validate_immutable_policy(
    errors: &mut Errors,
    spec: &Node,
    old: &Node,
    field: &'static str,
    name: &'static str,
) {
    if !plainly_equal(spec.raw(field), old.raw(field)) {
        errors.invalid_typed(&spec.at(field), name, spec.raw(field), IMMUTABLE);
    }
}

/// Implements `validateCompletions`.
fn validate_completions(errors: &mut Errors, spec: &Node, old: &Node) {
    if spec.text("completionMode") != INDEXED {
        validate_immutable_field(errors, spec, old, "completions");
    } else if spec.has("completions")
        && spec.raw("completions") != old.raw("completions")
        && spec.int("completions") != spec.int("parallelism")
    {
        let detail = "can only be modified in tandem with spec.parallelism";
        errors.invalid_int(&spec.at("completions"), spec.int("completions"), detail);
    }
}

/// The parts of the template that may change in a Job without running Pods.
#[derive(Debug)]
struct Mutable {
    /// The scheduling of its Pods.
    scheduling: bool,
    /// The resources of its containers.
    resources: bool,
}

impl Mutable {
    fn new(old: &Node, profile: &ServerProfile) -> Self {
        let status = old.child("status");
        let suspended = old.child("spec").flag("suspend");
        let started = status.has("startTime");
        let idle = suspended
            && (!started || is_condition(&status, "Suspended", "True"))
            && status.int("active") == 0;
        let scheduling = if profile.enabled(Feature::MutableSchedulingDirectivesForSuspendedJobs) {
            idle
        } else {
            suspended && !started
        };
        let resources = suspended && idle && profile.enabled(Feature::MutablePodResourcesForSuspendedJobs);
        Self { scheduling, resources }
    }
}

/// Implements `validatePodTemplateUpdate`.
fn validate_template_update(errors: &mut Errors, job: &Node, old: &Node, mutable: &Mutable) {
    let template = job.child("template");
    let mut munged = old.value().clone();
    if mutable.scheduling {
        allow_scheduling(&mut munged, template.value());
    }
    if !mutable.resources {
        if !semantically_equal("core/v1.PodTemplateSpec", template.value(), &munged) {
            errors.invalid_typed(&template.here(), "internal.PodTemplateSpec", template.value(), IMMUTABLE);
        }
        return;
    }
    let spec = template.child("spec");
    let mut munged = munged["spec"].take();
    for list in ["containers", "initContainers"] {
        let before = munged.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten();
        if spec.len(list) != old.child("spec").len(list) {
            continue;
        }
        for (before, now) in before.zip(spec.list(list)) {
            if before["name"] == now["name"] {
                copy_in(before, now, "resources");
            }
        }
    }
    if !semantically_equal("core/v1.PodSpec", spec.value(), &munged) {
        errors.invalid_typed(&job.at("template.spec"), "internal.PodSpec", spec.value(), IMMUTABLE);
    }
}

/// Copies to an old template the scheduling directives of the new one.
fn allow_scheduling(old: &mut Value, new: &Value) {
    for (part, fields) in [
        ("metadata", ["annotations", "labels"].as_slice()),
        ("spec", &["nodeSelector", "tolerations", "schedulingGates"]),
    ] {
        for field in fields {
            if new[part].get(field).is_some() && !old[part].is_object() {
                old[part] = gotext::value::json!({});
            }
            copy_in(&mut old[part], &new[part], field);
        }
    }
    let new = &new["spec"]["affinity"];
    let affinity = &mut old["spec"]["affinity"];
    if new.is_object() && !affinity.is_object() {
        *affinity = gotext::value::json!({});
    }
    if affinity.is_object() {
        copy_in(affinity, new, "nodeAffinity");
        let none = affinity.as_object().is_some_and(|affinity| affinity.values().all(Value::is_null));
        if new.is_null() && none {
            *affinity = Value::Null;
        }
    }
}
