//! The roles and bindings that every server creates for itself and for the components of Kubernetes.
//!
//! `rbac.txt` of the release has one object per line, and its rules or subjects below it. A rule has verbs, groups
//! (`core` is the empty one), resources and names; or verbs and paths. `to=` is a label by which a role is aggregated
//! into another one, `from=` aggregates the roles with the label.
//!
//! Source: `k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac/bootstrappolicy`.

use std::sync::{Arc, OnceLock};

use crate::value::json;

use crate::api::resources::{CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, ROLE_BINDINGS, ROLES};
use crate::api::{GroupResource, GroupVersionKind, Object, Value, release};

const GROUP: &str = "rbac.authorization.k8s.io";

/// Returns the objects, each with the resource that it is of.
pub(super) fn objects() -> &'static [(GroupResource, Arc<Object>)] {
    static OBJECTS: OnceLock<Vec<(GroupResource, Arc<Object>)>> = OnceLock::new();
    OBJECTS.get_or_init(|| read(release::body(release::table!("rbac.txt"))))
}

fn read(text: &'static str) -> Vec<(GroupResource, Arc<Object>)> {
    let mut objects: Vec<(GroupResource, Object)> = Vec::new();
    for line in text.lines() {
        match (line.strip_prefix("  "), objects.last_mut()) {
            (Some(line), Some((resource, object))) => {
                if [ROLES, CLUSTER_ROLES].contains(resource) {
                    object.append(["rules"], rule(line));
                } else {
                    object.append(["subjects"], subject(line));
                }
            }
            _ => objects.push(head(line)),
        }
    }
    objects.into_iter().map(|(resource, object)| (resource, Arc::new(object))).collect()
}

fn head(line: &'static str) -> (GroupResource, Object) {
    let mut words = line.split(' ');
    let (kind, name) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let (resource, of_namespace) = match kind {
        "Role" => (ROLES, true),
        "ClusterRole" => (CLUSTER_ROLES, false),
        "RoleBinding" => (ROLE_BINDINGS, true),
        _ => (CLUSTER_ROLE_BINDINGS, false),
    };
    let (namespace, name) = name.split_once('/').filter(|_| of_namespace).unwrap_or(("", name));
    let mut value = json!({"metadata": {"name": name}});
    if of_namespace {
        value["metadata"]["namespace"] = namespace.into();
    }
    let mut object = Object::new(GroupVersionKind::new(GROUP, "v1", kind), value);
    for word in words {
        match word.split_once('=') {
            Some(("to", role)) => object.set(["metadata", "labels", &label(role)], "true"),
            Some((_, role)) => {
                let mut labels = json!({});
                labels[label(role)] = "true".into();
                let selector = json!({"matchLabels": labels});
                object.append(["aggregationRule", "clusterRoleSelectors"], selector);
            }
            None => {
                let kind = if of_namespace { "Role" } else { "ClusterRole" };
                object.set(["roleRef"], json!({"apiGroup": GROUP, "kind": kind, "name": word}));
            }
        }
    }
    (resource, object)
}

fn label(role: &str) -> String {
    format!("rbac.authorization.k8s.io/aggregate-to-{role}")
}

fn rule(line: &str) -> Value {
    let lists: Vec<Vec<&str>> = line.split(' ').map(|word| word.split(',').collect()).collect();
    match lists.as_slice() {
        [verbs, urls] => json!({"verbs": verbs, "nonResourceURLs": urls}),
        [verbs, groups, resources, names @ ..] => {
            let groups: Vec<_> =
                groups.iter().map(|group| if *group == "core" { "" } else { group }).collect();
            let names = names.first().cloned().unwrap_or_default();
            json!({"verbs": verbs, "apiGroups": groups, "resources": resources, "resourceNames": names})
        }
        _ => Value::Null,
    }
}

fn subject(line: &str) -> Value {
    let (kind, name) = line.split_once(' ').unwrap_or_default();
    if kind == "ServiceAccount"
        && let Some((namespace, name)) = name.split_once('/')
    {
        return json!({"kind": kind, "namespace": namespace, "name": name});
    }
    json!({"kind": kind, "name": name})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_read() {
        let mut bindings = 0;
        for (resource, object) in objects() {
            assert!(!object.name().is_empty());
            for rule in object.list("rules") {
                assert!(rule["verbs"].is_array(), "{}: {rule}", object.name());
            }
            if [ROLE_BINDINGS, CLUSTER_ROLE_BINDINGS].contains(resource) {
                bindings += 1;
                let role = (object.namespace(), object.text(["roleRef", "name"]));
                let mut roles = objects().iter().filter(|(_, role)| role.has("rules"));
                assert!(roles.any(|(_, found)| (found.namespace(), found.name()) == role), "{role:?}");
            }
        }
        assert!(bindings > 40, "{bindings}");
    }
}
