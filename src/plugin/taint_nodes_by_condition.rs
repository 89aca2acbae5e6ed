//! Adds the taint `node.kubernetes.io/not-ready` with the effect `NoSchedule` to every new node, so that no pod is
//! scheduled there before the node is ready. The node controller removes the taint again.
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
//! Nothing is assumed.
//!
//! # Since
//!
//! 1.12, on by default since then; generally available since 1.17.
//!
//! # Upstream
//!
//! `k8s.io/kubernetes/plugin/pkg/admission/nodetaint`

use gotext::value::json;

use crate::admission::{Attributes, Handler, MutationInterface, Recorder, Refusal};
use crate::plugin::PluginInitializer;
use kube_api::{Object, Value};

const KEY: &str = "node.kubernetes.io/not-ready";
const EFFECT: &str = "NoSchedule";

pub(super) fn new(_: &PluginInitializer) -> Handler {
    Handler::mutating(TaintNodesByCondition)
}

struct TaintNodesByCondition;

impl MutationInterface for TaintNodesByCondition {
    fn admit(&self, attributes: &mut Attributes, _recorder: &mut Recorder) -> Result<(), Refusal> {
        if !attributes.is_for("", "nodes") || attributes.object.as_deref().is_some_and(is_tainted) {
            return Ok(());
        }
        if let Some(node) = attributes.object_mut() {
            node.append(["spec", "taints"], json!({"key": KEY, "effect": EFFECT}));
        }
        Ok(())
    }
}

/// Whether the node has the taint; the value of a taint does not count.
fn is_tainted(node: &Object) -> bool {
    node.list(["spec", "taints"]).iter().any(|taint| {
        let has = |field, text| taint.get(field).and_then(Value::as_str) == Some(text);
        has("key", KEY) && has("effect", EFFECT)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plugin::testing::{Bench, create, update};

    fn node(taints: Value) -> Value {
        let mut node =
            json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node-1"}, "spec": {}});
        if !taints.is_null() {
            node["spec"]["taints"] = taints;
        }
        node
    }

    #[test]
    fn admits_nodes_with_the_taint_at_the_end() {
        let bench = Bench::new("TaintNodesByCondition", []);
        assert_eq!(
            bench.admitted(create(node(Value::Null))),
            node(json!([{"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}]))
        );
        let other_effect = json!({"key": "node.kubernetes.io/not-ready", "effect": "NoExecute"});
        assert_eq!(
            bench.admitted(create(node(json!([other_effect])))),
            node(json!([other_effect, {"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}]))
        );
    }

    #[test]
    fn ignores_tainted_nodes_updates_and_subresources() {
        let bench = Bench::new("TaintNodesByCondition", []);
        let taint = json!([{"key": "node.kubernetes.io/not-ready", "value": "true", "effect": "NoSchedule"}]);
        assert!(bench.leaves_alone(create(node(taint))));
        assert!(bench.leaves_alone(update(node(Value::Null), node(Value::Null))));
        let mut status = create(node(Value::Null));
        status.sub_resource = "status".into();
        assert!(bench.leaves_alone(status));
    }
}
