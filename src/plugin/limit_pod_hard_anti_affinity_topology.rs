//! Lets pods keep other pods away from their node, but not from larger domains. A pod whose required anti-affinity
//! spans a whole zone can lock every other pod out of that zone, since the scheduler heeds the anti-affinity of running
//! pods too.
//!
//! # When it rejects
//!
//! A term of `requiredDuringSchedulingIgnoredDuringExecution` in the pod's anti-affinity has another `topologyKey` than
//! `kubernetes.io/hostname`. Preferred terms and pod affinity may have any key. A pod that is older than the plugin can
//! no longer be updated in any way.
//!
//! # Cluster objects it reads
//!
//! None.
//!
//! # Offline
//!
//! Nothing is assumed.
//!
//! # Since
//!
//! 1.6, off by default.
//!
//! # Upstream
//!
//! `k8s.io/kubernetes/plugin/pkg/admission/antiaffinity`

use crate::admission::{Attributes, Handler, Recorder, Refusal, ValidationInterface};
use crate::plugin::PluginInitializer;
use kube_api::field::Path;
use kube_api::{Object, Status};

pub(super) fn new(_: &PluginInitializer) -> Handler {
    Handler::validating(LimitPodHardAntiAffinityTopology)
}

struct LimitPodHardAntiAffinityTopology;

impl ValidationInterface for LimitPodHardAntiAffinityTopology {
    fn validate(&self, attributes: &Attributes, _recorder: &mut Recorder) -> Result<(), Refusal> {
        if !attributes.is_for("", "pods") {
            return Ok(());
        }
        let Some((index, key)) = attributes.object.as_deref().and_then(wider_term) else { return Ok(()) };
        let error = format!(
            "affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey {key} but only key \
             kubernetes.io/hostname is allowed"
        );
        let name = attributes.object.as_deref().map_or("", Object::name);
        let status = Status::new_forbidden(&attributes.resource.group_resource(), name, &error);
        let terms = Path::new("spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution");
        Err(Refusal::from(status).at(terms.index(index).child("topologyKey")))
    }
}

/// Returns the first required term that spans more than a node: its index and its key.
fn wider_term(pod: &Object) -> Option<(usize, &str)> {
    let terms = ["spec", "affinity", "podAntiAffinity", "requiredDuringSchedulingIgnoredDuringExecution"];
    let keys = pod.list(terms).iter().map(|term| term.text("topologyKey"));
    keys.enumerate().find(|(_, key)| *key != "kubernetes.io/hostname")
}

#[cfg(test)]
mod tests {
    use crate::plugin::testing::{Bench, create, pod, update};
    use gotext::value::json;
    use kube_api::Value;

    fn required(keys: &[&str]) -> Value {
        let terms: Vec<Value> = keys.iter().map(|key| json!({"topologyKey": key})).collect();
        json!({"requiredDuringSchedulingIgnoredDuringExecution": terms})
    }

    fn apart(keys: &[&str]) -> Value {
        pod(json!({"affinity": {"podAntiAffinity": required(keys)}}))
    }

    #[test]
    fn admits_anti_affinity_to_the_pods_of_a_node() {
        let bench = Bench::new("LimitPodHardAntiAffinityTopology", []);
        bench.validate(&create(apart(&["kubernetes.io/hostname"]))).unwrap();
        let preferred = json!({"preferredDuringSchedulingIgnoredDuringExecution": [{"podAffinityTerm": {"topologyKey": "zone"}}]});
        bench
            .validate(&create(pod(
                json!({"affinity": {"podAntiAffinity": preferred, "podAffinity": required(&["zone"])}}),
            )))
            .unwrap();
        bench.validate(&create(pod(json!({})))).unwrap();
    }

    #[test]
    fn rejects_the_first_term_about_more_than_a_node() {
        let bench = Bench::new("LimitPodHardAntiAffinityTopology", []);
        let given = || apart(&["kubernetes.io/hostname", "topology.kubernetes.io/zone", "rack"]);
        let refusal = bench.validate(&create(given())).unwrap_err();
        assert_eq!(
            refusal.status.message,
            "pods \"web\" is forbidden: affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey \
             topology.kubernetes.io/zone but only key kubernetes.io/hostname is allowed"
        );
        assert_eq!(
            refusal.fields[0].to_string(),
            "spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[1].topologyKey"
        );
        assert_eq!(bench.validate(&update(given(), given())).unwrap_err(), refusal);
    }

    #[test]
    fn ignores_status_updates() {
        let bench = Bench::new("LimitPodHardAntiAffinityTopology", []);
        let mut request = update(apart(&["zone"]), apart(&["zone"]));
        request.sub_resource = "status".into();
        bench.validate(&request).unwrap();
    }
}
