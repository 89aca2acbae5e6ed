//! The owners of Pod templates.
//!
//! Source: `k8s.io/kubernetes/pkg/apis/{core,apps,batch}/v1`.

use crate::value::json;

use super::{pod, volume};
use crate::api::features::FeatureGates;
use crate::api::tree::{
    child, child_mut, descend, has, is_zero, items_mut, made, remove_key, set, set_if_absent, set_if_zero,
    text,
};
use crate::api::{Map, Value};

/// `Deployment`
pub(super) fn deployment(deployment: &mut Map) {
    const ROLLBACK_TO: &str = "deprecated.deployment.rollback.to";
    let spec = made(deployment, "spec");
    set_if_absent(spec, "replicas", 1);
    let strategy = made(spec, "strategy");
    set_if_zero(strategy, "type", "RollingUpdate");
    if text(strategy, "type") == "RollingUpdate" {
        let rolling_update = made(strategy, "rollingUpdate");
        set_if_absent(rolling_update, "maxUnavailable", "25%");
        set_if_absent(rolling_update, "maxSurge", "25%");
    }
    no_rolling_update(strategy, &["maxUnavailable", "maxSurge"]);
    set_if_absent(spec, "revisionHistoryLimit", 10);
    set_if_absent(spec, "progressDeadlineSeconds", 600);
    pod::template(spec);
    // The conversion keeps this annotation as a number; an empty one is no number.
    if let Some(metadata) = child_mut(deployment, "metadata")
        && let Some(annotations) = child(metadata, "annotations")
        && annotations.contains_key(ROLLBACK_TO)
    {
        match text(annotations, ROLLBACK_TO).parse::<i64>() {
            Ok(revision) => set(made(metadata, "annotations"), ROLLBACK_TO, revision.to_string()),
            Err(_) => drop(remove_key(metadata, "annotations", ROLLBACK_TO)),
        }
    }
}

/// `ReplicaSet`
pub(super) fn replica_set(replica_set: &mut Map) {
    let spec = made(replica_set, "spec");
    set_if_absent(spec, "replicas", 1);
    pod::template(spec);
}

/// `DaemonSet`
pub(super) fn daemon_set(daemon_set: &mut Map) {
    const TEMPLATE_GENERATION: &str = "deprecated.daemonset.template.generation";
    let spec = made(daemon_set, "spec");
    let strategy = made(spec, "updateStrategy");
    set_if_zero(strategy, "type", "RollingUpdate");
    if text(strategy, "type") == "RollingUpdate" {
        let rolling_update = made(strategy, "rollingUpdate");
        set_if_absent(rolling_update, "maxUnavailable", 1);
        set_if_absent(rolling_update, "maxSurge", 0);
    }
    no_rolling_update(strategy, &["maxUnavailable", "maxSurge"]);
    set_if_absent(spec, "revisionHistoryLimit", 10);
    pod::template(spec);
    // The conversion writes the template's generation, a field of older versions, into an annotation.
    let annotations = made(made(daemon_set, "metadata"), "annotations");
    let generation = text(annotations, TEMPLATE_GENERATION).parse::<i64>().unwrap_or_default();
    set(annotations, TEMPLATE_GENERATION, generation.to_string());
}

/// `StatefulSet`
pub(super) fn stateful_set(stateful_set: &mut Map, features: &FeatureGates) {
    let spec = made(stateful_set, "spec");
    set_if_zero(spec, "podManagementPolicy", "OrderedReady");
    let strategy = made(spec, "updateStrategy");
    if is_zero(strategy, "type") {
        set(strategy, "type", "RollingUpdate");
        set_if_absent(strategy, "rollingUpdate", Map::new());
    }
    if text(strategy, "type") == "RollingUpdate"
        && let Some(rolling_update) = child_mut(strategy, "rollingUpdate")
    {
        set_if_absent(rolling_update, "partition", 0);
        if features.enabled("MaxUnavailableStatefulSet") {
            set_if_absent(rolling_update, "maxUnavailable", 1);
        }
    }
    no_rolling_update(strategy, &["partition"]);
    let retention = made(spec, "persistentVolumeClaimRetentionPolicy");
    set_if_zero(retention, "whenDeleted", "Retain");
    set_if_zero(retention, "whenScaled", "Retain");
    set_if_absent(spec, "replicas", 1);
    set_if_absent(spec, "revisionHistoryLimit", 10);
    pod::template(spec);
    items_mut(spec, "volumeClaimTemplates").for_each(volume::claim_template);
}

/// `ReplicationController`: takes selector and labels from its template.
pub(super) fn replication_controller(controller: &mut Map) {
    let labels = labels_of_template(controller);
    let spec = made(controller, "spec");
    if let Some(labels) = labels {
        set_if_zero(spec, "selector", labels.clone());
        set_if_zero(made(controller, "metadata"), "labels", labels);
    }
    let spec = made(controller, "spec");
    set_if_absent(spec, "replicas", 1);
    if has(spec, "template") {
        pod::template(spec);
    }
}

/// `PodTemplate`
pub(super) fn pod_template(template: &mut Map) {
    pod::template(template);
}

/// `Job`: takes labels from its template. The selector is generated later, by the registry.
pub(super) fn job(job: &mut Map) {
    let labels = labels_of_template(job);
    let spec = made(job, "spec");
    if !has(spec, "parallelism") {
        set_if_absent(spec, "completions", 1);
        set(spec, "parallelism", 1);
    }
    let backoff_limit = if has(spec, "backoffLimitPerIndex") { i64::from(i32::MAX) } else { 6 };
    set_if_absent(spec, "backoffLimit", backoff_limit);
    set_if_absent(spec, "completionMode", "NonIndexed");
    set_if_absent(spec, "suspend", false);
    let policy = if has(spec, "podFailurePolicy") { "Failed" } else { "TerminatingOrFailed" };
    set_if_absent(spec, "podReplacementPolicy", policy);
    set_if_absent(spec, "manualSelector", false);
    job_spec(spec);
    if let Some(labels) = labels {
        set_if_zero(made(job, "metadata"), "labels", labels);
    }
}

/// `CronJob`: of its Jobs only the Pods are defaulted.
pub(super) fn cron_job(cron_job: &mut Map) {
    let spec = made(cron_job, "spec");
    set_if_zero(spec, "concurrencyPolicy", "Allow");
    set_if_absent(spec, "suspend", false);
    set_if_absent(spec, "successfulJobsHistoryLimit", 3);
    set_if_absent(spec, "failedJobsHistoryLimit", 1);
    job_spec(made(made(spec, "jobTemplate"), "spec"));
}

fn job_spec(spec: &mut Map) {
    if let Some(policy) = child_mut(spec, "podFailurePolicy") {
        for rule in items_mut(policy, "rules") {
            items_mut(rule, "onPodConditions").for_each(|pattern| set_if_zero(pattern, "status", "True"));
        }
    }
    pod::template(spec);
}

/// Parameters of a rolling update that is not the strategy: numbers in the internal version, so they come back as 0.
fn no_rolling_update(strategy: &mut Map, fields: &[&'static str]) {
    if let Some(rolling_update) = child_mut(strategy, "rollingUpdate") {
        for field in fields {
            set_if_absent(rolling_update, field, 0);
        }
    }
}

fn labels_of_template(owner: &Map) -> Option<Value> {
    let labels = descend(owner, &["spec", "template", "metadata"])?.get("labels")?;
    labels.as_object().is_some_and(|labels| !labels.is_empty()).then(|| json!(labels))
}

#[cfg(test)]
mod tests {
    use super::super::tests::defaulted;
    use crate::value::{Value, json};

    fn spec(api_version: &str, kind: &str, spec: &Value) -> Value {
        defaulted(json!({"apiVersion": api_version, "kind": kind, "spec": spec}))["spec"].clone()
    }

    #[test]
    fn a_deployment_rolls_by_quarters() {
        let rolling = spec("apps/v1", "Deployment", &json!({}));
        let update = json!({"maxUnavailable": "25%", "maxSurge": "25%"});
        assert_eq!(rolling["strategy"], json!({"type": "RollingUpdate", "rollingUpdate": update}));
        assert_eq!((&rolling["replicas"], &rolling["revisionHistoryLimit"]), (&json!(1), &json!(10)));
        assert_eq!(rolling["progressDeadlineSeconds"], 600);
        assert_eq!(rolling["template"]["spec"]["dnsPolicy"], "ClusterFirst");
        let recreate =
            spec("apps/v1", "Deployment", &json!({"replicas": 0, "strategy": {"type": "Recreate"}}));
        assert_eq!((&recreate["strategy"], &recreate["replicas"]), (&json!({"type": "Recreate"}), &json!(0)));
    }

    #[test]
    fn a_daemon_set_counts_its_templates() {
        let set = defaulted(json!({"apiVersion": "apps/v1", "kind": "DaemonSet"}));
        let annotations = json!({"deprecated.daemonset.template.generation": "0"});
        assert_eq!(set["metadata"]["annotations"], annotations);
        assert_eq!(
            set["spec"]["updateStrategy"]["rollingUpdate"],
            json!({"maxUnavailable": 1, "maxSurge": 0})
        );
        let strategy = json!({"type": "Other", "rollingUpdate": {"maxSurge": "10%"}});
        let other = spec("apps/v1", "DaemonSet", &json!({"updateStrategy": strategy}));
        assert_eq!(other["updateStrategy"]["rollingUpdate"], json!({"maxUnavailable": 0, "maxSurge": "10%"}));
    }

    #[test]
    fn a_stateful_set_names_the_kind_of_its_claims() {
        let set = spec("apps/v1", "StatefulSet", &json!({"volumeClaimTemplates": [{}]}));
        assert_eq!(
            set["updateStrategy"],
            json!({"type": "RollingUpdate", "rollingUpdate": {"partition": 0}})
        );
        assert_eq!(
            set["persistentVolumeClaimRetentionPolicy"],
            json!({"whenDeleted": "Retain", "whenScaled": "Retain"})
        );
        assert_eq!(set["volumeClaimTemplates"][0]["kind"], "PersistentVolumeClaim");
        assert_eq!(set["volumeClaimTemplates"][0]["status"], json!({"phase": "Pending"}));
    }

    #[test]
    fn labels_come_from_the_template() {
        let labels = json!({"app": "web"});
        let template = json!({"template": {"metadata": {"labels": labels}}});
        for (api_version, kind) in [("v1", "ReplicationController"), ("batch/v1", "Job")] {
            let owner = defaulted(json!({"apiVersion": api_version, "kind": kind, "spec": template}));
            assert_eq!(owner["metadata"]["labels"], labels, "{kind}");
        }
        assert_eq!(spec("v1", "ReplicationController", &template)["selector"], labels);
        assert_eq!(spec("batch/v1", "Job", &template).get("selector"), None);
    }

    #[test]
    fn a_job_runs_once_unless_it_says_how_often() {
        let once = spec("batch/v1", "Job", &json!({}));
        assert_eq!((&once["completions"], &once["parallelism"]), (&json!(1), &json!(1)));
        assert_eq!(once["backoffLimit"], 6);
        let parallel = spec("batch/v1", "Job", &json!({"parallelism": 3, "backoffLimitPerIndex": 1}));
        assert_eq!(parallel.get("completions"), None);
        assert_eq!(parallel["backoffLimit"], i32::MAX);
        let policy = json!({"rules": [{"onPodConditions": [{"type": "a"}]}]});
        let failing = spec("batch/v1", "Job", &json!({"podFailurePolicy": policy}));
        assert_eq!(failing["podReplacementPolicy"], "Failed");
        assert_eq!(failing["podFailurePolicy"]["rules"][0]["onPodConditions"][0]["status"], "True");
    }

    #[test]
    fn of_the_jobs_of_a_cron_job_only_the_pods_are_defaulted() {
        let cron_job = spec("batch/v1", "CronJob", &json!({}));
        assert_eq!(cron_job["concurrencyPolicy"], "Allow");
        assert_eq!(cron_job["jobTemplate"]["spec"].as_object().map(crate::value::Map::len), Some(1));
        assert_eq!(cron_job["jobTemplate"]["spec"]["template"]["spec"]["restartPolicy"], "Always");
    }
}
