//! Adds to pods tolerations for the taints `not-ready` and `unreachable` with the effect `NoExecute`, each for 300
//! seconds, unless they have their own. A pod then stays that long on a node that stopped answering before it is
//! evicted; without the tolerations it would be evicted at once, at every hiccup of the network.
//!
//! # When it rejects
//!
//! Never.
//!
//! # Configuration
//!
//! Two flags of kube-apiserver set the number of seconds, 300 by default:
//!
//! ```text
//! --default-not-ready-toleration-seconds=60
//! --default-unreachable-toleration-seconds=60
//! ```
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
//! Before 1.10, on by default.
//!
//! # Upstream
//!
//! `k8s.io/kubernetes/plugin/pkg/admission/defaulttolerationseconds`

use gotext::value::json;

use crate::admission::{Attributes, Handler, MutationInterface, Recorder, Refusal};
use crate::plugin::{FactoryError, PluginConfiguration, PluginInitializer};
use kube_api::{Object, Value};

pub(super) fn new(initializer: &PluginInitializer) -> Handler {
    let seconds = [
        ("node.kubernetes.io/not-ready", initializer.default_not_ready_toleration_seconds),
        ("node.kubernetes.io/unreachable", initializer.default_unreachable_toleration_seconds),
    ];
    let tolerations = seconds.map(|(key, seconds)| {
        let toleration =
            json!({"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": seconds});
        (key, toleration)
    });
    Handler::mutating(DefaultTolerationSeconds { tolerations })
}

#[expect(clippy::unnecessary_wraps, reason = "every plugin has this signature")]
pub(super) fn effective(
    initializer: &PluginInitializer,
    _configuration: Option<&PluginConfiguration>,
) -> Result<Value, FactoryError> {
    Ok(json!({
        "notReadyTolerationSeconds": initializer.default_not_ready_toleration_seconds,
        "unreachableTolerationSeconds": initializer.default_unreachable_toleration_seconds,
    }))
}

struct DefaultTolerationSeconds {
    /// The tolerations that every Pod gets, by the taint that they are about.
    tolerations: [(&'static str, Value); 2],
}

impl MutationInterface for DefaultTolerationSeconds {
    fn admit(&self, attributes: &mut Attributes, _recorder: &mut Recorder) -> Result<(), Refusal> {
        if !attributes.is_for("", "pods") {
            return Ok(());
        }
        for (key, toleration) in &self.tolerations {
            if attributes.object.as_deref().is_some_and(|pod| tolerates(pod, key)) {
                continue;
            }
            if let Some(pod) = attributes.object_mut() {
                pod.append(["spec", "tolerations"], toleration.clone());
            }
        }
        Ok(())
    }
}

/// Whether the pod has a toleration for `key`: operator, value and seconds do not matter.
fn tolerates(pod: &Object, key: &str) -> bool {
    pod.list(["spec", "tolerations"]).iter().any(|toleration| {
        let text = |field| toleration.text(field);
        ["", key].contains(&text("key")) && ["", "NoExecute"].contains(&text("effect"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plugin::testing::{Bench, create, initializer, pod, update};

    fn tolerating(tolerations: Value) -> Value {
        let mut web = pod(json!({}));
        web["spec"]["tolerations"] = tolerations;
        web
    }

    fn added(key: &str, seconds: i64) -> Value {
        json!({"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": seconds})
    }

    #[test]
    fn admits_pods_with_both_tolerations_behind_their_own() {
        let bench = Bench::new("DefaultTolerationSeconds", []);
        let own = json!({"operator": "Exists", "effect": "NoSchedule"});
        let not_ready = added("node.kubernetes.io/not-ready", 300);
        let unreachable = added("node.kubernetes.io/unreachable", 300);
        let expected = tolerating(json!([own, not_ready, unreachable]));
        let given = || tolerating(json!([own]));
        assert_eq!(bench.admitted(create(given())), expected);
        assert_eq!(bench.admitted(update(given(), given())), expected);
    }

    #[test]
    fn admits_pods_with_the_toleration_that_they_lack() {
        let bench = Bench::new("DefaultTolerationSeconds", []);
        let own = json!({"key": "node.kubernetes.io/not-ready", "operator": "Equal", "value": "no"});
        let unreachable = added("node.kubernetes.io/unreachable", 300);
        assert_eq!(bench.admitted(create(tolerating(json!([own])))), tolerating(json!([own, unreachable])));
    }

    #[test]
    fn admits_pods_with_the_seconds_of_the_flags() {
        let initializer = PluginInitializer {
            default_not_ready_toleration_seconds: -1,
            default_unreachable_toleration_seconds: 0,
            ..initializer([])
        };
        let handler = new(&initializer);
        let bench = Bench::of("DefaultTolerationSeconds", handler, initializer.cluster);
        assert_eq!(
            bench.admitted(create(tolerating(json!([])))),
            tolerating(json!([
                added("node.kubernetes.io/not-ready", -1),
                added("node.kubernetes.io/unreachable", 0),
            ]))
        );
    }

    #[test]
    fn ignores_pods_that_tolerate_everything_and_subresources() {
        let bench = Bench::new("DefaultTolerationSeconds", []);
        assert!(bench.leaves_alone(create(tolerating(json!([{"operator": "Exists"}])))));
        let mut status = create(tolerating(json!([])));
        status.sub_resource = "status".into();
        assert!(bench.leaves_alone(status));
    }
}
