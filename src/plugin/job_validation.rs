//! Keeps the parallelism of a Job whose pods are scheduled as a gang. The size of the gang is fixed when its `PodGroup`
//! is created: with another number of pods the gang would never be complete, or have surplus pods.
//!
//! # When it rejects
//!
//! An update changes `spec.parallelism` of a Job that is scheduled through a `PodGroup` with the policy `gang`: the one
//! that the pod template names in `schedulingGroup`, or, if it names none, one that the Job controls.
//!
//! # Cluster objects it reads
//!
//! `PodGroups` of the Job's namespace.
//!
//! # Offline
//!
//! A `PodGroup` belongs to the Job when its controller reference has the Job's `uid`, so both must be among the cluster
//! objects, with their uids. Of several candidates, the first by name is reported.
//!
//! # Since
//!
//! 1.36, on by default; it takes effect with the gate `GenericWorkload`, which is off by default.
//!
//! # Upstream
//!
//! `k8s.io/kubernetes/plugin/pkg/admission/job`

use std::sync::Arc;

use crate::admission::{Attributes, Evidence, Handler, Recorder, Refusal, ValidationInterface};
use crate::cluster::Cluster;
use crate::plugin::PluginInitializer;
use gotext::quote;
use kube_api::features::Feature;
use kube_api::field::Path;
use kube_api::resources::POD_GROUPS;
use kube_api::{Object, Value};

const PARALLELISM: [&str; 2] = ["spec", "parallelism"];

pub(super) fn new(initializer: &PluginInitializer) -> Handler {
    // The gate `WorkloadWithJob` counts upstream too, but needs `GenericWorkload` to be on.
    let generic_workload = initializer.profile.enabled(Feature::GenericWorkload);
    Handler::validating(JobValidation { cluster: initializer.cluster.clone(), generic_workload })
}

struct JobValidation {
    cluster: Arc<Cluster>,
    generic_workload: bool,
}

impl ValidationInterface for JobValidation {
    fn validate(&self, attributes: &Attributes, _recorder: &mut Recorder) -> Result<(), Refusal> {
        if !self.generic_workload || !attributes.is_for("batch", "jobs") {
            return Ok(());
        }
        let (Some(job), Some(old_job)) = (attributes.object.as_deref(), attributes.old_object.as_deref())
        else {
            return Ok(());
        };
        if job.at(PARALLELISM) == old_job.at(PARALLELISM) {
            return Ok(());
        }
        let Some(group) = self.gang(old_job) else { return Ok(()) };
        let error = format!(
            "cannot change parallelism for a Job referencing gang-scheduled PodGroup {}",
            quote(group.name())
        );
        Err(attributes.new_forbidden(error).at(Path::new("spec.parallelism")).because(
            Evidence::of(POD_GROUPS, &group, "schedules the pods of the Job all at once")
                .at(Path::new("spec.schedulingPolicy.gang")),
        ))
    }
}

impl JobValidation {
    /// Returns a group of the Job that is scheduled as a gang. Groups that the Job controls count only if its template
    /// names none.
    fn gang(&self, job: &Object) -> Option<Arc<Object>> {
        let named =
            job.at(["spec", "template", "spec", "schedulingGroup", "podGroupName"]).and_then(Value::as_str);
        if let Some(name) = named {
            return self.cluster.get(&POD_GROUPS, job.namespace(), name).filter(|group| is_gang(group));
        }
        let groups = self.cluster.list(&POD_GROUPS, job.namespace());
        groups.into_iter().find(|group| is_controlled_by(group, job) && is_gang(group))
    }
}

fn is_gang(group: &Object) -> bool {
    group.has(["spec", "schedulingPolicy", "gang"])
}

/// Source: `metav1.IsControlledBy`.
fn is_controlled_by(object: &Object, owner: &Object) -> bool {
    let is_controller =
        |reference: &&Value| reference.at("controller").and_then(Value::as_bool) == Some(true);
    let controller = object.list(["metadata", "ownerReferences"]).iter().find(is_controller);
    let uid = controller.and_then(|reference| reference.at("uid")?.as_str());
    uid.is_some_and(|uid| uid == owner.text(["metadata", "uid"]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plugin::testing::{Bench, update};
    use gotext::value::json;

    fn job(parallelism: i64, group: Option<&str>) -> Value {
        json!({
            "apiVersion": "batch/v1", "kind": "Job",
            "metadata": {"name": "train", "namespace": "shop", "uid": "1"},
            "spec": {"parallelism": parallelism, "template": {"spec": {"schedulingGroup": {"podGroupName": group}}}},
        })
    }

    fn group(name: &str, policy: &str, owner: &str) -> Value {
        json!({
            "apiVersion": "scheduling.k8s.io/v1alpha2", "kind": "PodGroup",
            "metadata": {
                "name": name, "namespace": "shop",
                "ownerReferences": [{"uid": "1"}, {"uid": owner, "controller": true}],
            },
            "spec": {"schedulingPolicy": {policy: {}}},
        })
    }

    fn scaled(groups: Vec<Value>, named: Option<&str>) -> Result<(), Refusal> {
        let bench = Bench::gated("JobValidation", "GenericWorkload=true", groups);
        bench.validate(&update(job(2, named), job(4, named)))
    }

    #[test]
    fn admits_other_changes_and_other_groups() {
        let gang = || vec![group("a", "gang", "1")];
        let bench = Bench::gated("JobValidation", "GenericWorkload=true", gang());
        bench.validate(&update(job(2, None), job(2, Some("a")))).unwrap();
        scaled(gang(), Some("missing")).unwrap();
        scaled(vec![group("a", "gang", "2"), group("b", "basic", "1")], None).unwrap();
        scaled(vec![group("a", "gang", "1"), group("b", "basic", "2")], Some("b")).unwrap();
    }

    #[test]
    fn rejects_another_parallelism_of_a_gang() {
        let refusal = scaled(vec![group("a", "basic", "1"), group("b", "gang", "1")], None).unwrap_err();
        assert_eq!(
            refusal.status.message,
            "jobs.batch \"train\" is forbidden: cannot change parallelism for a Job referencing gang-scheduled PodGroup \"b\""
        );
        assert_eq!(refusal.fields[0].to_string(), "spec.parallelism");
        assert_eq!(refusal.evidence[0].name, "b");
        assert!(scaled(vec![group("a", "gang", "2")], Some("a")).is_err());
    }

    #[test]
    fn ignores_everything_without_the_gate() {
        let bench = Bench::new("JobValidation", [group("a", "gang", "1")]);
        bench.validate(&update(job(2, None), job(4, None))).unwrap();
    }
}
