//! Workloads that end.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/batch`.

pub(in crate::registry) mod selector;
pub(in crate::registry) mod status;
pub(in crate::registry) mod update;

use crate::api::features::FeatureGates;
use crate::api::{Object, Value};
use crate::registry::gated::Gated;
use crate::registry::store::keep_spec;
use crate::registry::strategy::{ObjectStatus, Scope, Storage, Strategy, SubResource};
use crate::registry::validation::batch;
use crate::registry::{defaults, preparation, warnings};

/// What the server does with a `Job`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "batch",
    kind: "Job",
    resource: "jobs",
    versions: &["v1"],
    scope: Scope::Namespaced,
    storage: Storage::Stored,
    allow_create_on_update: false,
    allow_unconditional_update: true,
    defaults: Some(|object, _, _| defaults::workload::job(object)),
    default_times: None,
    status: ObjectStatus::Controllers,
    prepare_for_create: Some(|job, context, _| selector::generate_selector(job, context)),
    prepare_for_update: None,
    gated: &[Gated::PodSpec(&["spec", "template", "spec"])],
    prepared_times: None,
    as_validated: Some(selector::with_uid),
    validate: Some(|errors, object, old, context| match old {
        None => batch::validate_job_create(errors, object, context.features),
        Some(old) => batch::validate_job_update(errors, object, old, context.features),
    }),
    refuse: None,
    warnings: Some(warnings),
    sub_resources: &[SubResource {
        name: "status",
        prepare_for_update: Some(keep_spec),
        prepared_times: None,
        validate_update: Some(|errors, object, old, _| {
            batch::validate_job_status_update(errors, object, old);
        }),
        warnings: None,
    }],
};

pub(in crate::registry) fn warnings(job: &Object, old: Option<&Object>, _: &FeatureGates) -> Vec<String> {
    let mut warnings = Vec::new();
    if old.is_none() {
        warnings::dns_label_recommended(job, "Pod names and hostnames", &mut warnings);
    }
    if let Some(Value::Object(spec)) = job.at(&["spec"])
        && old.is_none_or(|old| job.at(&["spec"]) != old.at(&["spec"]))
    {
        warnings::job(spec, "spec", &mut warnings);
    }
    warnings
}
