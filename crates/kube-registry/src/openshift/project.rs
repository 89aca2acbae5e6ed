//! Projects: views of namespaces, which the server creates with them.
//!
//! Source: `openshift-apiserver` `pkg/project/apiserver/registry/{project/proxy,projectrequest/delegated}`.

use gotext::value::json;
use kube_api::{GroupResource, GroupVersionKind, Map, Object, Status, Value};

const GROUP: &str = "project.openshift.io";

/// Whether the server creates a namespace with objects of `kind`.
pub fn makes_namespace(kind: &GroupVersionKind) -> bool {
    kind.group == GROUP && ["Project", "ProjectRequest"].contains(&&*kind.kind)
}

/// Returns the refusal of the request of a project whose name is reserved or, with `exists`, taken.
pub fn refusal(object: &Object, exists: bool) -> Option<Status> {
    const RESERVED: [&str; 3] = ["openshift", "kubernetes", "kube"];
    if object.kind.kind != "ProjectRequest" {
        return None;
    }
    let (name, resource) = (object.name(), GroupResource::new(GROUP, "project"));
    if RESERVED.contains(&name) {
        let error = format!("cannot request a project with the name {}", gotext::quote(name));
        return Some(Status::new_forbidden(&resource, name, &error));
    }
    let prefix = RESERVED.into_iter().find(|word| {
        let rest = name.strip_prefix(word);
        rest.is_some_and(|rest| rest.starts_with('-'))
    });
    if let Some(prefix) = prefix {
        let error = format!("cannot request a project starting with \"{prefix}-\"");
        return Some(Status::new_forbidden(&resource, name, &error));
    }
    exists.then(|| Status::new_already_exists(&resource, name))
}

/// Returns the objects that the server creates with a project, or with the request of one by `user`: its namespace and,
/// for a request, the binding by which the user administers it.
pub fn created_with(project: &Object, user: &str) -> Vec<Object> {
    let name = project.name();
    let mut metadata = Map::new();
    metadata.insert("name", name.into());
    for field in ["labels", "annotations"] {
        let given = project.at(["metadata", field]).filter(|given| !given.is_null());
        metadata.extend(given.map(|given| (field, given.clone())));
    }
    let mut namespace = Object::new(
        GroupVersionKind::new("", "v1", "Namespace"),
        json!({
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": Value::Object(metadata),
            "spec": {"finalizers": ["openshift.io/origin", "kubernetes"]},
            "status": {"phase": "Active"},
        }),
    );
    namespace.set(["metadata", "labels", "kubernetes.io/metadata.name"], name);
    if project.kind.kind == "Project" {
        return vec![namespace];
    }
    // Only the name of a request counts besides these.
    namespace.set(
        ["metadata", "annotations"],
        json!({
            "openshift.io/description": project.text("description"),
            "openshift.io/display-name": project.text("displayName"),
            "openshift.io/requester": user,
        }),
    );
    namespace.set(["metadata", "labels"], json!({"kubernetes.io/metadata.name": name}));
    let group = "rbac.authorization.k8s.io";
    let binding = Object::new(
        GroupVersionKind::new(group, "v1", "RoleBinding"),
        json!({
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "RoleBinding",
            "metadata": {"name": "admin", "namespace": name},
            "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": "admin"},
            "subjects": [{"apiGroup": group, "kind": "User", "name": user}],
        }),
    );
    vec![namespace, binding]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(kind: &'static str, value: Value) -> Object {
        Object::new(GroupVersionKind::new(GROUP, "v1", kind), value)
    }

    #[test]
    fn makes_the_namespace_of_a_project() {
        let project =
            json!({"metadata": {"name": "shop", "annotations": {"openshift.io/node-selector": "a=b"}}});
        let created = created_with(&object("Project", project), "alice");
        assert_eq!(created.len(), 1);
        assert_eq!(created[0].annotation("openshift.io/node-selector"), Some("a=b"));
        assert_eq!(created[0].label("kubernetes.io/metadata.name"), Some("shop"));
    }

    #[test]
    fn makes_who_requests_a_project_its_administrator() {
        let request = json!({"metadata": {"name": "shop", "labels": {"a": "b"}}, "displayName": "Shop"});
        let created = created_with(&object("ProjectRequest", request), "alice");
        assert_eq!(created[0].annotation("openshift.io/requester"), Some("alice"));
        assert_eq!(created[0].annotation("openshift.io/display-name"), Some("Shop"));
        assert_eq!(created[0].label("a"), None);
        assert_eq!(created[1].value["subjects"][0]["name"], "alice");
    }

    #[test]
    fn rejects_reserved_names() {
        let message = |name: &str, exists| {
            let request = object("ProjectRequest", json!({"metadata": {"name": name}}));
            refusal(&request, exists).map(|status| status.message).unwrap_or_default()
        };
        assert_eq!(
            message("kube", false),
            "project.project.openshift.io \"kube\" is forbidden: cannot request a project with the name \"kube\""
        );
        assert_eq!(
            message("kube-x", false),
            "project.project.openshift.io \"kube-x\" is forbidden: cannot request a project starting with \"kube-\""
        );
        assert_eq!(message("shop", true), "project.project.openshift.io \"shop\" already exists");
        assert_eq!(message("kubex", false), "");
    }
}
