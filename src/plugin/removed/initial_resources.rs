//! Sets requests of containers that have neither requests nor limits to the past usage of containers with the same
//! image. An experiment that no cluster should depend on: two runs of the same manifest get different requests.
//!
//! # When it rejects
//!
//! Never.
//!
//! # Cluster objects it reads
//!
//! None.
//!
//! # Offline
//!
//! The past usage is unknown. A fixture supplies it: `kind: UsageSamples` of `kadmit.dev/v1alpha1` with `samples`, a
//! list of `{kind: cpu, image: IMAGE, namespace: NAMESPACE, days: 7, prefix: false, usage: 120, samples: 40}`. `kind`
//! is `cpu` (in thousandths) or `memory` (in bytes); an empty `namespace` is all of them; `days` is 7 or 30; `prefix`
//! is whether `image` is the image without its tag; `error: TEXT` is a source that fails. Without such a fixture
//! nothing is set, as on servers with the default source. `--ir-namespace-only` is honoured.
//!
//! # Since
//!
//! Before 1.10, until 1.10; off unless enabled.
//!
//! # Upstream
//!
//! `k8s.io/kubernetes/plugin/pkg/admission/initialresources`

use std::sync::Arc;

use crate::admission::{Attributes, Handler, MutationInterface, Operation, Recorder, Refusal};
use crate::cluster::Cluster;
use crate::plugin::PluginInitializer;
use gotext::quantity::Quantity;
use kube_api::resources::USAGE_SAMPLES;
use kube_api::{Object, Value};

/// The annotation that names the changed containers.
const ANNOTATION: &str = "kubernetes.io/initial-resources";

/// The number of samples below which the query is repeated for a longer time or for more pods.
const ENOUGH_SAMPLES: i64 = 30;

const WEEK: i64 = 7;
const MONTH: i64 = 30;

pub(in crate::plugin) fn new(initializer: &PluginInitializer) -> Handler {
    Handler::mutating(InitialResources {
        cluster: initializer.cluster.clone(),
        namespace_only: initializer.ir_namespace_only,
    })
}

struct InitialResources {
    cluster: Arc<Cluster>,
    namespace_only: bool,
}

/// A question to the source of data.
struct Question<'a> {
    image: &'a str,
    namespace: &'a str,
    days: i64,
    prefix: bool,
}

impl MutationInterface for InitialResources {
    fn admit(&self, attributes: &mut Attributes, _: &mut Recorder) -> Result<(), Refusal> {
        if attributes.operation != Operation::Create || !attributes.is_for("", "pods") {
            return Ok(());
        }
        let Some(pod) = attributes.object.clone() else { return Ok(()) };
        let mut changed = Object::clone(&pod);
        let mut parts = Vec::new();
        for (list, what) in [("initContainers", "init container"), ("containers", "container")] {
            for (index, container) in pod.list(["spec", list]).iter().enumerate() {
                let estimates = self.estimates(container, pod.namespace());
                if estimates.is_empty() {
                    continue;
                }
                let resources: Vec<&str> = estimates.iter().map(|(resource, _)| *resource).collect();
                let name = container.text("name");
                parts.push(format!("{} request for {what} {name}", resources.join(", ")));
                if let Some(container) = changed.at_mut(["spec", list]).and_then(|list| list.get_mut(index)) {
                    for (resource, quantity) in estimates {
                        container["resources"]["requests"][resource] = quantity.into();
                    }
                }
            }
        }
        if !parts.is_empty() {
            let annotation = format!("Initial Resources plugin set: {}", parts.join("; "));
            changed.set(["metadata", "annotations", ANNOTATION], annotation);
            attributes.object = Some(Arc::new(changed));
        }
        Ok(())
    }
}

impl InitialResources {
    /// Returns the requests that a container gets.
    fn estimates(&self, container: &Value, namespace: &str) -> Vec<(&'static str, String)> {
        let is_given = |list: &str, resource: &str| container.has(["resources", list, resource]);
        let image = container.text("image");
        let open = ["cpu", "memory"]
            .into_iter()
            .filter(|resource| !is_given("requests", resource) && !is_given("limits", resource));
        open.filter_map(|resource| {
            let usage = self.estimate(resource, image, namespace)?;
            Some((resource, quantity(resource, usage)))
        })
        .collect()
    }

    /// Returns the usage of `resource`, if the answer to the last question has samples.
    ///
    /// Source: `getEstimation`.
    fn estimate(&self, resource: &str, image: &str, namespace: &str) -> Option<i64> {
        let repository = image.split(':').next().unwrap_or_default();
        let question = |image, namespace, days, prefix| Question { image, namespace, days, prefix };
        let mut questions =
            vec![question(image, namespace, WEEK, false), question(image, namespace, MONTH, false)];
        if self.namespace_only {
            questions.push(question(repository, namespace, MONTH, true));
        } else {
            questions.push(question(image, "", WEEK, false));
            questions.push(question(image, "", MONTH, false));
            questions.push(question(repository, "", MONTH, true));
        }
        let mut answer = (0, 0);
        for question in &questions {
            answer = self.ask(resource, question)?;
            if answer.1 >= ENOUGH_SAMPLES {
                break;
            }
        }
        let (usage, samples) = answer;
        (samples > 0).then_some(usage)
    }

    /// Returns usage and number of samples; nothing if the source fails.
    fn ask(&self, resource: &str, question: &Question<'_>) -> Option<(i64, i64)> {
        let fixtures = self.cluster.list_all(&USAGE_SAMPLES);
        let rows = fixtures.iter().flat_map(|fixture| fixture.list("samples"));
        let text = |row: &Value, field: &str| row.text(field).to_owned();
        let number = |row: &Value, field: &str| row.int(field);
        let row = rows.into_iter().find(|row| {
            text(row, "kind") == resource
                && text(row, "image") == question.image
                && text(row, "namespace") == question.namespace
                && number(row, "days") == question.days
                && row.flag("prefix") == question.prefix
        });
        match row {
            None => Some((0, 0)),
            Some(row) if row.has("error") => None,
            Some(row) => Some((number(row, "usage"), number(row, "samples"))),
        }
    }
}

/// Source: `NewMilliQuantity` and `NewQuantity` in decimal form.
fn quantity(resource: &str, usage: i64) -> String {
    let text = if resource == "cpu" { format!("{usage}m") } else { usage.to_string() };
    Quantity::parse(&text).map_or(text, |quantity| quantity.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plugin::testing::{create, initializer, pod};
    use gotext::value::json;
    use kube_api::GroupVersionKind;

    fn requests(samples: &Value, container: &Value, namespace_only: bool) -> Value {
        let initializer = PluginInitializer { ir_namespace_only: namespace_only, ..initializer([]) };
        let kind = GroupVersionKind::new("kadmit.dev", "v1alpha1", "UsageSamples");
        let fixture = Object::new(kind, json!({"metadata": {"name": "a"}, "samples": samples}));
        initializer.cluster.put(&USAGE_SAMPLES, Arc::new(fixture));
        let mut request = create(pod(json!({"containers": [container]})));
        let plugin = new(&initializer);
        plugin.admit(&mut request, &mut Recorder::silent()).unwrap();
        let object = request.object.unwrap();
        object.list(["spec", "containers"])[0]["resources"]["requests"].clone()
    }

    fn sample(namespace: &str, days: i64, usage: i64, samples: i64) -> Value {
        json!({
            "kind": "cpu", "image": "a:1", "namespace": namespace, "days": days, "prefix": false,
            "usage": usage, "samples": samples,
        })
    }

    #[test]
    fn admits_with_the_first_answer_that_has_enough_samples() {
        let samples =
            json!([sample("shop", 7, 100, 29), sample("shop", 30, 200, 30), sample("", 7, 300, 99)]);
        let container = json!({"name": "a", "image": "a:1"});
        assert_eq!(requests(&samples, &container, false), json!({"cpu": "200m"}));
    }

    #[test]
    fn asks_about_other_namespaces_unless_a_flag_forbids_it() {
        let container = || json!({"name": "a", "image": "a:1"});
        let samples = || {
            json!([{
                "kind": "memory", "image": "a", "namespace": "", "days": 30, "prefix": true,
                "usage": 1024, "samples": 1,
            }])
        };
        assert_eq!(requests(&samples(), &container(), false), json!({"memory": "1024"}));
        assert_eq!(requests(&samples(), &container(), true), Value::Null);
    }

    #[test]
    fn ignores_resources_with_a_limit() {
        let samples = json!([sample("shop", 7, 100, 30)]);
        let container = json!({"name": "a", "image": "a:1", "resources": {"limits": {"cpu": "1"}}});
        assert_eq!(requests(&samples, &container, false), Value::Null);
    }
}
