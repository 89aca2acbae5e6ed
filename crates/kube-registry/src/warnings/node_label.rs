//! Labels of nodes that have been replaced.
//!
//! Source: `k8s.io/kubernetes/pkg/api/{node,storage}`.

use crate::warnings::Warnings;
use gotext::names;
use kube_api::field::Path;
use kube_api::{Map, Value};

/// The minor of the first release that warns about labels of nodes elsewhere than in Pods.
pub(crate) const EVERYWHERE: u32 = 25;

/// Returns the warning about a label, if the release has one.
pub(crate) fn deprecated(label: &str, warnings: &Warnings<'_>) -> Option<&'static str> {
    Some(match label {
        "beta.kubernetes.io/arch" => "deprecated since v1.14; use \"kubernetes.io/arch\" instead",
        "beta.kubernetes.io/os" => "deprecated since v1.14; use \"kubernetes.io/os\" instead",
        "failure-domain.beta.kubernetes.io/region" => {
            "deprecated since v1.17; use \"topology.kubernetes.io/region\" instead"
        }
        "failure-domain.beta.kubernetes.io/zone" => {
            "deprecated since v1.17; use \"topology.kubernetes.io/zone\" instead"
        }
        "beta.kubernetes.io/instance-type" => {
            "deprecated since v1.17; use \"node.kubernetes.io/instance-type\" instead"
        }
        _ if !warnings.since(31) => return None,
        "app.kubernetes.io/created-by" => "deprecated since v1.9",
        "scheduler.alpha.kubernetes.io/preferAvoidPods" => {
            "deprecated since v1.22; use Taints and Tolerations instead"
        }
        "node-role.kubernetes.io/master" => "use \"node-role.kubernetes.io/control-plane\" instead",
        _ => return None,
    })
}

/// Warns about a term of a node selector; only preferred terms may have values that are invalid for labels.
pub(crate) fn selector_term(term: &Map, check_values: bool, path: &Path, warnings: &mut Warnings<'_>) {
    for (index, expression) in term.items("matchExpressions").enumerate() {
        let path = path.child("matchExpressions").index(index);
        let key = expression.text("key");
        if let Some(message) = deprecated(key, warnings) {
            warnings.push(format!("{}: {key} is {message}", path.child("key")));
        }
        if !check_values || !warnings.since(33) {
            continue;
        }
        for (index, value) in expression.list("values").iter().filter_map(Value::as_str).enumerate() {
            for message in names::is_valid_label_value(value) {
                let path = path.child("values").index(index);
                warnings.push(format!("{path}: {value} is invalid, {message}"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::on_create;
    use gotext::value::json;

    #[test]
    fn old_labels_are_named_where_nodes_are_chosen() {
        let expressions = json!([{"key": "beta.kubernetes.io/arch"}]);
        let arch = "deprecated since v1.14; use \"kubernetes.io/arch\" instead";
        let scheduling = json!({"nodeSelector": {"beta.kubernetes.io/arch": "a", "other": "b"}});
        assert_eq!(
            on_create(
                json!({"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "scheduling": scheduling})
            ),
            [format!("scheduling.nodeSelector: {arch}")]
        );
        let topologies = json!([{"matchLabelExpressions": expressions}]);
        assert_eq!(
            on_create(
                json!({"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "allowedTopologies": topologies})
            ),
            [format!("allowedTopologies[0].matchLabelExpressions[0].key: {arch}")]
        );
        let topology =
            json!({"matchExpressions": expressions, "matchLabels": {"beta.kubernetes.io/arch": "a"}});
        assert_eq!(
            on_create(
                json!({"apiVersion": "storage.k8s.io/v1", "kind": "CSIStorageCapacity", "nodeTopology": topology})
            ),
            [
                format!("nodeTopology.matchExpressions[0].key: beta.kubernetes.io/arch is {arch}"),
                format!("nodeTopology.matchLabels.beta.kubernetes.io/arch: {arch}")
            ]
        );
    }
}
