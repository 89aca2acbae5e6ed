//! Jobs that run on a schedule.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/batch`.

pub(in crate::registry) mod schedule;

use crate::api::features::FeatureGates;
use crate::api::{Map, Object, Value};
use crate::registry::gated::Gated;
use crate::registry::store::keep_spec;
use crate::registry::strategy::{ObjectStatus, Scope, Storage, Strategy, SubResource};
use crate::registry::validation::batch;
use crate::registry::{defaults, warnings};

/// What the server does with a `CronJob`.
pub(in crate::registry) static STRATEGY: Strategy = Strategy {
    group: "batch",
    kind: "CronJob",
    resource: "cronjobs",
    versions: &["v1"],
    scope: Scope::Namespaced,
    storage: Storage::Stored,
    allow_create_on_update: false,
    allow_unconditional_update: true,
    defaults: Some(|object, _, _| defaults::workload::cron_job(object)),
    default_times: None,
    status: ObjectStatus::Controllers,
    prepare_for_create: None,
    prepare_for_update: None,
    gated: &[Gated::PodSpec(&["spec", "jobTemplate", "spec", "template", "spec"])],
    prepared_times: None,
    as_validated: None,
    validate: Some(|errors, object, old, context| {
        batch::validate_cron_job(errors, object, old, context.features);
    }),
    refuse: None,
    warnings: Some(warnings),
    sub_resources: &[SubResource {
        name: "status",
        prepare_for_update: Some(keep_spec),
        prepared_times: None,
        validate_update: None,
        warnings: None,
    }],
};

pub(in crate::registry) fn warnings(
    cron_job: &Object,
    old: Option<&Object>,
    _: &FeatureGates,
) -> Vec<String> {
    let mut warnings = Vec::new();
    if old.is_none() {
        warnings::dns_label_recommended(cron_job, "Pod names and hostnames", &mut warnings);
    }
    if old.is_none_or(|old| cron_job.at(&["spec"]) != old.at(&["spec"])) {
        let empty = Map::new();
        let job_spec = cron_job.at(&["spec", "jobTemplate", "spec"]).and_then(Value::as_object);
        warnings::job(job_spec.unwrap_or(&empty), "spec.jobTemplate.spec", &mut warnings);
    }
    if old.is_some() && cron_job.text(&["spec", "schedule"]).contains("TZ") {
        warnings.push(
            "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see \
             https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details"
                .to_owned(),
        );
    }
    warnings
}
