//! The owners of Pod templates.
//!
//! Source: `k8s.io/kubernetes/pkg/apis/{core,apps,batch}/v1`.

use crate::defaults::pod;
use gotext::value::json;
use kube_api::tree::{child_mut, items_mut, set_if_absent, set_if_zero};
use kube_api::{Map, Value};

pub(crate) fn job_spec(spec: &mut Map) {
    if let Some(policy) = child_mut(spec, "podFailurePolicy") {
        for rule in items_mut(policy, "rules") {
            items_mut(rule, "onPodConditions").for_each(|pattern| set_if_zero(pattern, "status", "True"));
        }
    }
    pod::template(spec);
}

/// Sets the parameters of a rolling update that is not the strategy to 0, which is what they are in the internal
/// version.
pub(crate) fn no_rolling_update(strategy: &mut Map, fields: &[&'static str]) {
    if let Some(rolling_update) = child_mut(strategy, "rollingUpdate") {
        for field in fields {
            set_if_absent(rolling_update, field, 0);
        }
    }
}

pub(crate) fn labels_of_template(owner: &Map) -> Option<Value> {
    let labels = owner.child(["spec", "template", "metadata"])?.get("labels")?;
    labels.as_object().is_some_and(|labels| !labels.is_empty()).then(|| json!(labels))
}

#[cfg(test)]
mod tests {
    use crate::tests::defaulted;
    use gotext::value::{Value, json};

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
            json!({"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1, "partition": 0}})
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
        assert_eq!(cron_job["jobTemplate"]["spec"].as_object().map(gotext::value::Map::len), Some(1));
        assert_eq!(cron_job["jobTemplate"]["spec"]["template"]["spec"]["restartPolicy"], "Always");
    }
}
