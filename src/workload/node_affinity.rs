//! Node affinity: the nodes that a pod may run on.
//!
//! Source: `k8s.io/component-helpers/scheduling/corev1/nodeaffinity`.

use kube_api::{Object, Value, pairs};

/// Whether `node` fits the node selector and the required node affinity of `pod`.
pub(super) fn requires(pod: &Object, node: &Object) -> bool {
    let mut selector = pairs(pod.at(["spec", "nodeSelector"]));
    let affinity = ["spec", "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"];
    let terms = pod.at(affinity).map(|required| required.list("nodeSelectorTerms"));
    selector.all(|(key, value)| node.label(key) == Some(value))
        && terms.is_none_or(|terms| terms.iter().any(|term| matches(term, node)))
}

/// Whether a term matches `node`; a term without requirements matches nothing.
fn matches(term: &Value, node: &Object) -> bool {
    let (expressions, fields) = (term.list("matchExpressions"), term.list("matchFields"));
    if expressions.is_empty() && fields.is_empty() {
        return false;
    }
    let name = |requirement| holds(requirement, Some(node.name()));
    let label = |requirement: &Value| holds(requirement, node.label(requirement.text("key")));
    expressions.iter().all(label) && fields.iter().all(name)
}

fn holds(requirement: &Value, value: Option<&str>) -> bool {
    let values = requirement.list("values");
    let is_listed = || value.is_some_and(|value| values.iter().any(|listed| listed == value));
    let compared = || {
        let number = |text: &str| text.parse::<i64>().ok();
        Some((number(value?)?, number(values.first()?.as_str()?)?))
    };
    match requirement.text("operator") {
        "In" => is_listed(),
        "NotIn" => !is_listed(),
        "Exists" => value.is_some(),
        "DoesNotExist" => value.is_none(),
        "Gt" => compared().is_some_and(|(value, bound)| value > bound),
        "Lt" => compared().is_some_and(|(value, bound)| value < bound),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use gotext::value::json;

    use super::*;
    use kube_api::GroupVersionKind;

    fn runs(spec: &Value) -> bool {
        let object = |kind, value| Object::new(GroupVersionKind::new("", "v1", kind), value);
        let labels = json!({"zone": "a", "cores": "8"});
        let node = object("Node", json!({"metadata": {"name": "one", "labels": labels}}));
        requires(&object("Pod", json!({"spec": spec})), &node)
    }

    fn term(term: &Value) -> bool {
        let terms = json!({"nodeSelectorTerms": [term]});
        runs(
            &json!({"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}}),
        )
    }

    #[test]
    fn a_node_has_every_label_of_the_selector() {
        assert!(runs(&json!({})));
        assert!(runs(&json!({"nodeSelector": {"zone": "a"}})));
        assert!(!runs(&json!({"nodeSelector": {"zone": "a", "disk": "fast"}})));
    }

    #[test]
    fn one_term_has_to_match_with_all_it_says() {
        assert!(!term(&json!({})));
        assert!(term(
            &json!({"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["one"]}]})
        ));
        assert!(!term(
            &json!({"matchFields": [{"key": "metadata.name", "operator": "NotIn", "values": ["one"]}]})
        ));
        assert!(term(&json!({"matchExpressions": [{"key": "cores", "operator": "Gt", "values": ["4"]}]})));
        assert!(!term(&json!({"matchExpressions": [
            {"key": "cores", "operator": "Lt", "values": ["16"]},
            {"key": "disk", "operator": "Exists"},
        ]})));
    }
}
