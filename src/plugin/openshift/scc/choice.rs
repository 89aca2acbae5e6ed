//! The report's explanation of the chosen constraint, and of the values that others did not allow.

use std::collections::BTreeSet;

use crate::admission::Evidence;
use crate::plugin::openshift::scc::right::Right;
use kube_api::diff::json_patch;
use kube_api::field::{self, Path, Segment};
use kube_api::{Object, Value};

/// The fields that a pod may set for all of its containers.
const OF_BOTH: [&str; 4] = ["runAsNonRoot", "runAsUser", "seLinuxOptions", "seccompProfile"];

/// Returns the constraint that accepted the pod, the user's right, the values that it set, and the constraints that
/// rejected the pod before.
pub(super) fn choice(pod: &Object, taken: &Object, name: &str, right: &Right, before: &[Evidence]) -> String {
    let operations = json_patch(&pod.value, &taken.value);
    let mut fields = BTreeSet::new();
    for operation in &operations {
        let path = operation.path();
        match (operation.value().and_then(Value::as_object), path.ends_with("/securityContext")) {
            (Some(context), true) => fields.extend(context.keys().map(ToString::to_string)),
            _ => fields.extend(
                path.split_once("/securityContext/")
                    .map(|(_, field)| field.split('/').next().unwrap_or_default().to_owned()),
            ),
        }
    }
    let sets = if fields.is_empty() {
        "sets nothing".to_owned()
    } else {
        format!("sets {}", fields.into_iter().collect::<Vec<_>>().join(", "))
    };
    let note =
        format!("SecurityContextConstraints \"{name}\" takes the pod, may be used {right}, and {sets}");
    if before.is_empty() {
        return note;
    }
    let others: Vec<String> = before.iter().map(|other| format!("{} {}", other.name, other.says)).collect();
    format!("{note}; before it, {}", others.join(", "))
}

/// Returns the field that a container's value at `path` comes from: that of the pod if the container has none; among
/// ports, the one that `error` is about.
pub(super) fn origin_of(pod: &Object, path: Path, error: &field::Error) -> Path {
    let segments = path.segments();
    if let [_, Segment::Field(list), Segment::Index(index), Segment::Field(ports)] = segments.as_slice()
        && ports == "ports"
    {
        let port = error.bad_value.as_deref();
        let listed = pod.list(["spec", list]).get(*index).map(|container| container.list("ports"));
        let is_it = |found: &Value| found.at("hostPort").map(ToString::to_string).as_deref() == port;
        let found = listed.and_then(|listed| listed.iter().position(is_it));
        return match found {
            Some(index) => path.index(index).child("hostPort"),
            None => path,
        };
    }
    let [
        Segment::Field(_),
        Segment::Field(list),
        Segment::Index(index),
        Segment::Field(context),
        Segment::Field(field),
        ..,
    ] = segments.as_slice()
    else {
        return path;
    };
    if context != "securityContext" || !OF_BOTH.contains(&field.as_ref()) {
        return path;
    }
    let of_container =
        pod.list(["spec", list]).get(*index).and_then(|container| container.at([&**context, &**field]));
    let of_pod = pod.at(["spec", "securityContext", field]);
    if of_container.is_none() && of_pod.is_some() {
        return Path::new("spec.securityContext").child(field.clone());
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::json;
    use kube_api::GroupVersionKind;

    fn pod(spec: &Value) -> Object {
        Object::new(
            GroupVersionKind::new("", "v1", "Pod"),
            json!({"metadata": {"name": "web"}, "spec": spec}),
        )
    }

    #[test]
    fn lists_what_was_set() {
        let before = pod(&json!({"containers": [{"name": "a"}], "securityContext": {}}));
        let after = pod(&json!({
            "containers": [{"name": "a", "securityContext": {"runAsUser": 5}}],
            "securityContext": {"fsGroup": 5},
        }));
        let right = |subject_type, source: &str| Right { subject_type, source: source.to_owned() };
        let listed = right("user", "group \"dev\" that it lists");
        assert_eq!(
            choice(&before, &after, "restricted-v2", &listed, &[]),
            "SecurityContextConstraints \"restricted-v2\" takes the pod, may be used by the user (group \"dev\" that it \
             lists), and sets fsGroup, runAsUser"
        );
        assert_eq!(
            choice(&after, &after, "anyuid", &right("serviceaccount", ""), &[]),
            "SecurityContextConstraints \"anyuid\" takes the pod, may be used by the service account, and sets nothing"
        );
    }

    #[test]
    fn finds_the_port_that_is_not_allowed() {
        let pod =
            pod(&json!({"containers": [{"name": "a", "ports": [{"containerPort": 80}, {"hostPort": 443}]}]}));
        let path = Path::new("spec").child("containers").index(0).child("ports");
        let error = field::Error::invalid(&path, &443.into(), "");
        assert_eq!(origin_of(&pod, path, &error).to_string(), "spec.containers[0].ports[1].hostPort");
    }

    #[test]
    fn finds_the_value_of_the_pod_that_holds_for_a_container() {
        let path =
            || Path::new("spec").child("containers").index(0).child("securityContext").child("runAsUser");
        let error = field::Error::required(&path(), "");
        let inherited = pod(&json!({"containers": [{"name": "a"}], "securityContext": {"runAsUser": 5}}));
        assert_eq!(origin_of(&inherited, path(), &error).to_string(), "spec.securityContext.runAsUser");
        let own = pod(&json!({
            "containers": [{"name": "a", "securityContext": {"runAsUser": 6}}],
            "securityContext": {"runAsUser": 5},
        }));
        assert_eq!(
            origin_of(&own, path(), &error).to_string(),
            "spec.containers[0].securityContext.runAsUser"
        );
    }
}
