//! Checks that the `Workload` whose template a new `PodGroup` was created from exists. Without it a misspelt name would
//! leave a group that no controller handles.
//!
//! # When it rejects
//!
//! - The `Workload` that `spec.podGroupTemplateRef` names is not in the namespace.
//! - It is being deleted.
//! - It has no template with that name.
//!
//! Groups without the reference pass; group and template are not compared.
//!
//! # Cluster objects it reads
//!
//! `Workloads` of the request's namespace.
//!
//! # Offline
//!
//! Nothing is assumed: the `Workload` must be among the cluster objects, or before the `PodGroup` in the input.
//!
//! # Since
//!
//! 1.36, on by default; it takes effect with the gate `GenericWorkload`, which is off by default.
//!
//! # Upstream
//!
//! `k8s.io/kubernetes/plugin/pkg/admission/podgroup`

use std::sync::Arc;

use crate::admission::{Attributes, Evidence, Handler, Recorder, Refusal, ValidationInterface};
use crate::cluster::Cluster;
use crate::plugin::PluginInitializer;
use gotext::quote;
use kube_api::Object;
use kube_api::features::Feature;
use kube_api::field::Path;
use kube_api::resources::WORKLOADS;

pub(super) fn new(initializer: &PluginInitializer) -> Handler {
    Handler::validating(PodGroupWorkloadExists {
        cluster: initializer.cluster.clone(),
        generic_workload: initializer.profile.enabled(Feature::GenericWorkload),
    })
}

struct PodGroupWorkloadExists {
    cluster: Arc<Cluster>,
    generic_workload: bool,
}

impl ValidationInterface for PodGroupWorkloadExists {
    fn validate(&self, attributes: &Attributes, _recorder: &mut Recorder) -> Result<(), Refusal> {
        if !self.generic_workload || !attributes.is_for("scheduling.k8s.io", "podgroups") {
            return Ok(());
        }
        let reference = attributes
            .object
            .as_deref()
            .and_then(|group| group.at(["spec", "podGroupTemplateRef", "workload"]));
        let Some(reference) = reference else { return Ok(()) };
        let text = |field| reference.text(field);
        let (name, template) = (text("workloadName"), text("podGroupTemplateName"));
        let refuse = |error: String, field: &'static str| {
            let path = Path::new("spec.podGroupTemplateRef.workload").child(field);
            attributes.new_forbidden(format!("PodGroup rejected: {error}")).at(path)
        };

        let quoted = quote(name);
        let Some(workload) = self.cluster.get(&WORKLOADS, &attributes.namespace, name) else {
            return Err(refuse(format!("Workload {quoted} not found"), "workloadName"));
        };
        if workload.has(["metadata", "deletionTimestamp"]) {
            let refusal = refuse(format!("Workload {quoted} is being deleted"), "workloadName");
            return Err(refusal.because(evidence(
                &workload,
                "metadata.deletionTimestamp",
                "is being deleted".to_owned(),
            )));
        }
        if template_names(&workload).any(|name| name == template) {
            return Ok(());
        }
        let error = format!("PodGroupTemplate {} not found in Workload {quoted}", quote(template));
        let names: Vec<&str> = template_names(&workload).collect();
        let says = format!("has the templates {}", names.join(", "));
        Err(refuse(error, "podGroupTemplateName").because(evidence(
            &workload,
            "spec.podGroupTemplates",
            says,
        )))
    }
}

fn template_names(workload: &Object) -> impl Iterator<Item = &str> {
    let templates = workload.list(["spec", "podGroupTemplates"]).iter();
    templates.map(|template| template.text("name"))
}

fn evidence(workload: &Object, path: &'static str, says: String) -> Evidence {
    Evidence::of(WORKLOADS, workload, says).at(Path::new(path))
}

#[cfg(test)]
mod tests {
    use crate::plugin::testing::{Bench, create};
    use gotext::value::json;
    use kube_api::Value;

    fn workload() -> Value {
        json!({
            "apiVersion": "scheduling.k8s.io/v1alpha2", "kind": "Workload",
            "metadata": {"name": "train", "namespace": "shop"},
            "spec": {"podGroupTemplates": [{"name": "driver"}, {"name": "workers"}]},
        })
    }

    fn group(reference: &Value) -> Value {
        json!({
            "apiVersion": "scheduling.k8s.io/v1alpha2", "kind": "PodGroup",
            "metadata": {"name": "web", "namespace": "shop"},
            "spec": {"podGroupTemplateRef": reference},
        })
    }

    fn of(workload: &str, template: &str) -> Value {
        group(&json!({"workload": {"workloadName": workload, "podGroupTemplateName": template}}))
    }

    fn bench(workload: Value) -> Bench {
        Bench::gated("PodGroupWorkloadExists", "GenericWorkload=true", [workload])
    }

    fn error(bench: &Bench, group: Value) -> String {
        let refusal = bench.validate(&create(group)).unwrap_err();
        let prefix = "podgroups.scheduling.k8s.io \"web\" is forbidden: PodGroup rejected: ";
        refusal.status.message.strip_prefix(prefix).unwrap().to_owned()
    }

    #[test]
    fn admits_groups_of_a_template_that_exists_or_of_none() {
        let bench = bench(workload());
        bench.validate(&create(of("train", "workers"))).unwrap();
        bench.validate(&create(group(&Value::Null))).unwrap();
        bench.validate(&create(group(&json!({})))).unwrap();
    }

    #[test]
    fn rejects_groups_of_what_does_not_exist() {
        let present = bench(workload());
        assert_eq!(error(&present, of("other", "workers")), "Workload \"other\" not found");
        assert_eq!(
            error(&present, of("train", "worker")),
            "PodGroupTemplate \"worker\" not found in Workload \"train\""
        );
        let mut terminating = workload();
        terminating["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
        assert_eq!(error(&bench(terminating), of("train", "workers")), "Workload \"train\" is being deleted");
    }

    #[test]
    fn rejects_with_the_field_and_the_workload() {
        let refusal = bench(workload()).validate(&create(of("train", "worker"))).unwrap_err();
        assert_eq!(refusal.fields[0].to_string(), "spec.podGroupTemplateRef.workload.podGroupTemplateName");
        assert_eq!(refusal.evidence[0].says, "has the templates driver, workers");
    }

    #[test]
    fn ignores_everything_without_the_gate() {
        Bench::new("PodGroupWorkloadExists", []).validate(&create(of("other", ""))).unwrap();
    }
}
