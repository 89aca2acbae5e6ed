//! Adds a namespace's tolerations to its pods and refuses tolerations that the namespace may not have. Where nodes are
//! reserved by taints, this decides whose pods may run there: a toleration that any user can write protects nothing.
//! Pods that request resources also tolerate nodes that are short of memory, since their memory is reserved.
//!
//! # When it rejects
//!
//! - A toleration, given or added, is not covered by the whitelist of the namespace, or of the cluster if the namespace
//!   has none. An empty whitelist allows everything. An update checks existing tolerations, too.
//! - An annotation of the namespace is not a list of tolerations.
//!
//! One toleration covers another if it has the same key or tolerates all, the same effect or all, at least as many
//! seconds with `NoExecute`, and either `Exists` or `Equal` with the same value. A toleration without operator is
//! covered only by one without.
//!
//! # Configuration
//!
//! For namespaces without annotations:
//!
//! ```yaml
//! apiVersion: podtolerationrestriction.admission.k8s.io/v1alpha1
//! kind: Configuration
//! default:
//! - {key: pool, operator: Equal, value: shared, effect: NoSchedule}
//! whitelist:
//! - {key: pool, operator: Exists}
//! ```
//!
//! # Cluster objects it reads
//!
//! The Namespace of the request: its annotations `scheduler.alpha.kubernetes.io/defaultTolerations` and
//! `scheduler.alpha.kubernetes.io/tolerationsWhitelist`, each a list in JSON. An empty one counts as absent.
//!
//! # Offline
//!
//! Nothing is assumed.
//!
//! # Since
//!
//! 1.7, off by default.
//!
//! # Upstream
//!
//! `k8s.io/kubernetes/plugin/pkg/admission/podtolerationrestriction`

mod annotation;
pub(super) mod configuration;

use std::sync::Arc;

use gotext::value::json;
use kube_api::features::Feature;

use crate::admission::{
    Attributes, Evidence, Handler, MutationInterface, Operation, Recorder, Refusal, ValidationInterface,
};
use crate::cluster::Cluster;
use crate::plugin::{FactoryError, PluginConfiguration, PluginInitializer};
use kube_api::field::Path;
use kube_api::resources::NAMESPACES;
use kube_api::{Object, Status, Value};
use kube_registry::pod::{PodTemplate, READS_QUALITY};
use kube_registry::pod_resources::PodResources;
use kube_registry::toleration::{self, Toleration};

use configuration::Configuration;

const DEFAULT: &str = "scheduler.alpha.kubernetes.io/defaultTolerations";
const WHITELIST: &str = "scheduler.alpha.kubernetes.io/tolerationsWhitelist";
const TOLERATIONS: [&str; 2] = ["spec", "tolerations"];

pub(super) fn new(
    initializer: &PluginInitializer,
    configuration: Option<&PluginConfiguration>,
) -> Result<Handler, FactoryError> {
    Ok(Handler::both(PodTolerationRestriction {
        cluster: initializer.cluster.clone(),
        configuration: match configuration {
            Some(configuration) => Configuration::load(&configuration.text)?,
            None => Configuration::default(),
        },
        pod_level_resources: initializer.profile.enabled(Feature::PodLevelResources),
        reads_quality: initializer.profile.release() >= READS_QUALITY,
    }))
}

pub(super) fn effective(
    _initializer: &PluginInitializer,
    configuration: Option<&PluginConfiguration>,
) -> Result<Value, FactoryError> {
    let configuration = configuration.map(|configuration| Configuration::load(&configuration.text));
    let Configuration { default, whitelist } = configuration.transpose()?.unwrap_or_default();
    Ok(json!({"default": default, "whitelist": whitelist}))
}

struct PodTolerationRestriction {
    cluster: Arc<Cluster>,
    configuration: Configuration,
    pod_level_resources: bool,
    reads_quality: bool,
}

impl MutationInterface for PodTolerationRestriction {
    fn admit(&self, attributes: &mut Attributes, recorder: &mut Recorder) -> Result<(), Refusal> {
        if !attributes.is_for("", "pods") {
            return Ok(());
        }
        let mut extra = Vec::new();
        if attributes.operation == Operation::Create {
            let namespace = self.namespace(attributes)?;
            let own = tolerations_in(&namespace, DEFAULT)?;
            if own.is_some() {
                recorder.add_source(&NAMESPACES, "", namespace.name());
            }
            extra = own.unwrap_or_else(|| self.configuration.default.clone());
        }
        let Some(pod) = attributes.object.as_deref() else { return Ok(()) };
        if !self.is_best_effort(pod) {
            let key = "node.kubernetes.io/memory-pressure";
            extra.push(json!({"key": key, "operator": "Exists", "effect": "NoSchedule"}));
        }
        if !extra.is_empty() {
            let given = pod.list(TOLERATIONS);
            let merged = toleration::merge(given, &extra);
            if merged != given
                && let Some(pod) = attributes.object_mut()
            {
                pod.set(TOLERATIONS, merged);
            }
        }
        self.check_whitelist(attributes)
    }
}

impl ValidationInterface for PodTolerationRestriction {
    fn validate(&self, attributes: &Attributes, _recorder: &mut Recorder) -> Result<(), Refusal> {
        if attributes.is_for("", "pods") { self.check_whitelist(attributes) } else { Ok(()) }
    }
}

impl PodTolerationRestriction {
    fn check_whitelist(&self, attributes: &Attributes) -> Result<(), Refusal> {
        let given = attributes.object.as_deref().map_or(&[][..], |pod| pod.list(TOLERATIONS));
        if given.is_empty() {
            return Ok(());
        }
        let namespace = self.namespace(attributes)?;
        let own = tolerations_in(&namespace, WHITELIST)?;
        let whitelist = own.as_ref().unwrap_or(&self.configuration.whitelist);
        let is_covered = |toleration: &Value| {
            let toleration = Toleration::of(toleration);
            whitelist.iter().any(|entry| Toleration::of(entry).is_superset_of(&toleration))
        };
        if whitelist.is_empty() {
            return Ok(());
        }
        let Some(index) = given.iter().position(|toleration| !is_covered(toleration)) else { return Ok(()) };
        let scope = if own.is_some() { "namespace" } else { "cluster" };
        let error = format!(
            "pod tolerations (possibly merged with namespace default tolerations) conflict with its {scope} whitelist"
        );
        // Upstream returns it as a plain error, which the server does not treat as a refusal.
        let refusal = Refusal::from(Status::from_error(error)).at(Path::new("spec.tolerations").index(index));
        Err(match own {
            Some(_) => {
                refusal.because(evidence(&namespace, WHITELIST, "lists all that its pods may tolerate"))
            }
            None => refusal,
        })
    }

    fn namespace(&self, attributes: &Attributes) -> Result<Arc<Object>, Refusal> {
        let name = &attributes.namespace;
        self.cluster.namespace(name).ok_or_else(|| {
            Refusal::from(Status::new_not_found(&NAMESPACES, name)).at(Path::new("metadata.namespace"))
        })
    }

    /// Source: `GetPodQOS` of `k8s.io/kubernetes/pkg/apis/core/helper/qos`.
    fn is_best_effort(&self, pod: &Object) -> bool {
        match pod.text(["status", "qosClass"]) {
            class if class.is_empty() || !self.reads_quality => PodTemplate::of(pod)
                .is_none_or(|pod| PodResources::of(pod).is_best_effort(self.pod_level_resources)),
            class => class == "BestEffort",
        }
    }
}

/// Returns the tolerations in an annotation of the namespace, if it has that annotation.
fn tolerations_in(namespace: &Object, key: &'static str) -> Result<Option<Vec<Value>>, Refusal> {
    let annotation = namespace.annotation(key).map(annotation::read).transpose();
    annotation.map_err(|error| {
        Refusal::from(Status::from_error(error)).because(evidence(
            namespace,
            key,
            "has no list of tolerations here",
        ))
    })
}

fn evidence(namespace: &Object, key: &'static str, says: &str) -> Evidence {
    Evidence::of(NAMESPACES, namespace, says).at(Path::new("metadata.annotations").key(key))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plugin::testing::{Bench, create, initializer, pod, update};

    fn bench(annotations: &Value) -> Bench {
        let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop", "annotations": annotations}});
        let initializer = initializer([namespace]);
        let text = "apiVersion: podtolerationrestriction.admission.k8s.io/v1alpha1\n\
                    kind: Configuration\n\
                    default: [{key: pool, operator: Exists}]\n\
                    whitelist: [{key: pool, operator: Exists}, {key: spare, operator: Exists}]\n";
        let configuration = PluginConfiguration::from(text.to_owned());
        let handler = new(&initializer, Some(&configuration)).unwrap();
        Bench::of("PodTolerationRestriction", handler, initializer.cluster)
    }

    fn exists(key: &str) -> Value {
        json!({"key": key, "operator": "Exists"})
    }

    fn tolerating(tolerations: &[Value]) -> Value {
        pod(json!({"tolerations": tolerations}))
    }

    fn open() -> Value {
        json!({WHITELIST: ""})
    }

    #[test]
    fn admits_pods_with_the_defaults_of_namespace_or_cluster() {
        assert_eq!(
            bench(&json!({})).admitted(create(tolerating(&[exists("spare")]))),
            tolerating(&[exists("spare"), exists("pool")])
        );
        let own = json!({DEFAULT: "[{\"key\": \"gpu\", \"operator\": \"Exists\"}]", WHITELIST: "[]"});
        assert_eq!(bench(&own).admitted(create(tolerating(&[]))), tolerating(&[exists("gpu")]));
        let none = json!({DEFAULT: "", WHITELIST: ""});
        assert!(bench(&none).leaves_alone(create(tolerating(&[]))));
    }

    #[test]
    fn admits_pods_with_requests_on_nodes_short_of_memory() {
        let containers = json!([{"name": "web", "resources": {"requests": {"cpu": "1"}}}]);
        let given = || pod(json!({"containers": containers}));
        let admitted = bench(&open()).admitted(update(given(), given()));
        let key = "node.kubernetes.io/memory-pressure";
        assert_eq!(
            admitted["spec"]["tolerations"],
            json!([{"key": key, "operator": "Exists", "effect": "NoSchedule"}])
        );
    }

    #[test]
    fn rejects_what_the_whitelist_of_the_cluster_lacks() {
        let request = update(tolerating(&[]), tolerating(&[exists("pool"), exists("gpu")]));
        let refusal = bench(&json!({})).validate(&request).unwrap_err();
        assert_eq!(
            refusal.status.message,
            "pod tolerations (possibly merged with namespace default tolerations) conflict with its cluster whitelist"
        );
        assert_eq!((refusal.status.code, refusal.status.reason.as_str()), (500, ""));
        assert_eq!(refusal.fields[0].to_string(), "spec.tolerations[1]");
        bench(&open()).validate(&request).unwrap();
    }

    #[test]
    fn rejects_what_the_whitelist_of_the_namespace_lacks() {
        let bench =
            bench(&json!({WHITELIST: "[{\"key\": \"gpu\", \"operator\": \"Equal\", \"value\": \"a\"}]"}));
        let refusal = bench.admit(&mut create(tolerating(&[]))).unwrap_err();
        assert!(refusal.status.message.ends_with("conflict with its namespace whitelist"));
        assert_eq!(refusal.evidence[0].name, "shop");
        let own = json!({"key": "gpu", "operator": "Equal", "value": "a"});
        bench.validate(&create(tolerating(&[own]))).unwrap();
    }

    #[test]
    fn rejects_annotations_that_are_no_tolerations() {
        let bench = bench(&json!({DEFAULT: "gpu", WHITELIST: "{}"}));
        let refusal = bench.admit(&mut create(tolerating(&[]))).unwrap_err();
        assert_eq!(refusal.status.message, "invalid character 'g' looking for beginning of value");
        let refusal = bench.validate(&create(tolerating(&[exists("a")]))).unwrap_err();
        assert_eq!(
            refusal.status.message,
            "json: cannot unmarshal object into Go value of type []v1.Toleration"
        );
        bench.validate(&create(tolerating(&[]))).unwrap();
    }

    #[test]
    fn rejects_pods_of_namespaces_that_do_not_exist() {
        let bench = Bench::new("PodTolerationRestriction", []);
        let refusal = bench.admit(&mut create(tolerating(&[]))).unwrap_err();
        assert_eq!(refusal.status.message, "namespaces \"shop\" not found");
    }

    #[test]
    fn ignores_status_updates() {
        let mut request = update(tolerating(&[]), tolerating(&[exists("gpu")]));
        request.sub_resource = "status".into();
        bench(&json!({})).validate(&request).unwrap();
    }
}
