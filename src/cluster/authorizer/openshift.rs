//! OpenShift's roles and bindings, which its server keeps as those of RBAC.
//!
//! Source: `openshift-apiserver` `pkg/authorization/apis/authorization/{rbacconversion,v1}`.

use std::sync::Arc;

use crate::cluster::Cluster;
use gotext::quote;
use gotext::value::json;
use kube_api::resources::{CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, ROLE_BINDINGS, ROLES};
use kube_api::{GroupResource, GroupVersionKind, Map, Object, Value, service_account};

const GROUP: &str = "rbac.authorization.k8s.io";

const OPENSHIFT: &str = "authorization.openshift.io";

/// The resources that rights are computed from.
pub(in crate::cluster) static RESOURCES: [GroupResource; 8] = [
    ROLES,
    CLUSTER_ROLES,
    ROLE_BINDINGS,
    CLUSTER_ROLE_BINDINGS,
    GroupResource::new(OPENSHIFT, "roles"),
    GroupResource::new(OPENSHIFT, "clusterroles"),
    GroupResource::new(OPENSHIFT, "rolebindings"),
    GroupResource::new(OPENSHIFT, "clusterrolebindings"),
];

/// The resources that grant roles to users.
pub(super) static BINDINGS: [GroupResource; 4] = [
    ROLE_BINDINGS,
    CLUSTER_ROLE_BINDINGS,
    GroupResource::new(OPENSHIFT, "rolebindings"),
    GroupResource::new(OPENSHIFT, "clusterrolebindings"),
];

/// Returns OpenShift's resource with the name of a resource of RBAC.
fn of(resource: &GroupResource) -> GroupResource {
    GroupResource { group: OPENSHIFT.into(), resource: resource.resource.clone() }
}

/// Returns the roles or bindings of RBAC that the server keeps for those of OpenShift's own group.
pub(super) fn proxied(cluster: &Cluster, resource: &GroupResource) -> Vec<Arc<Object>> {
    if !cluster.distribution().is_openshift() {
        return Vec::new();
    }
    cluster.list_all(&of(resource)).iter().filter_map(|object| converted(object).ok().map(Arc::new)).collect()
}

/// Whether objects of `kind` are kept as those of RBAC.
pub(crate) fn is_proxied(kind: &GroupVersionKind) -> bool {
    const KINDS: [&str; 4] = ["Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"];
    kind.group == OPENSHIFT && KINDS.contains(&&*kind.kind)
}

/// Returns the role or the binding of RBAC that OpenShift's server keeps for `object`.
///
/// # Errors
///
/// Fails with the server's message if there is none.
pub(crate) fn converted(object: &Object) -> Result<Object, String> {
    let kind = GroupVersionKind::new(GROUP, "v1", object.kind.kind.clone());
    let mut value = Map::new();
    value.insert("apiVersion", kind.api_version().into());
    value.insert("kind", kind.kind.to_string().into());
    let mut metadata = Map::new();
    for field in ["name", "namespace", "labels", "annotations"] {
        metadata.extend(object.at(["metadata", field]).map(|part| (field, part.clone())));
    }
    value.insert("metadata", Value::Object(metadata));
    value.extend(object.value.get("aggregationRule").map(|part| ("aggregationRule", part.clone())));
    if object.value.get("roleRef").is_some() {
        let role = |field: &str| object.text(["roleRef", field]);
        if !["", object.namespace()].contains(&role("namespace")) {
            let (name, other) = (object.name(), quote(role("namespace")));
            let problem = "attempts to reference role in namespace";
            return Err(if object.kind.kind == "ClusterRoleBinding" {
                format!(
                    "invalid origin cluster role binding {name}: {problem} {other} instead of cluster scope"
                )
            } else {
                let own = quote(object.namespace());
                format!(
                    "invalid origin role binding {name}: {problem} {other} instead of current namespace {own}"
                )
            });
        }
        let role_kind = if role("namespace").is_empty() { "ClusterRole" } else { "Role" };
        value.insert("roleRef", json!({"apiGroup": GROUP, "kind": role_kind, "name": role("name")}));
        value.insert("subjects", Value::from(subjects(object)?));
    } else {
        let rules: Vec<Value> = object.list("rules").iter().flat_map(rules).collect();
        value.insert("rules", Value::from(rules));
    }
    Ok(Object::new(kind, Value::Object(value)))
}

/// Returns the subjects of a binding. The names of users and groups, where there are any, replace the list of subjects.
fn subjects(binding: &Object) -> Result<Vec<Value>, String> {
    let texts = |field: &str| binding.list(field).iter().filter_map(Value::as_str).collect::<Vec<_>>();
    let (users, groups) = (texts("userNames"), texts("groupNames"));
    if !users.is_empty() || !groups.is_empty() {
        let users = users.into_iter().map(|name| match service_account::split_username(name) {
            Some((namespace, name)) => subject("ServiceAccount", namespace, name),
            None => subject("User", "", name),
        });
        return Ok(users.chain(groups.into_iter().map(|name| subject("Group", "", name))).collect());
    }
    let given = binding.list("subjects").iter().map(|given| {
        let name = given.text("name");
        match given.text("kind") {
            "ServiceAccount" => {
                let own = given.text("namespace");
                let namespace = if own.is_empty() { binding.namespace() } else { own };
                Ok(subject("ServiceAccount", namespace, name))
            }
            "User" | "SystemUser" => Ok(subject("User", "", name)),
            "Group" | "SystemGroup" => Ok(subject("Group", "", name)),
            other => Err(format!("invalid kind for origin subject: {}", quote(other))),
        }
    });
    given.collect()
}

fn subject(kind: &str, namespace: &str, name: &str) -> Value {
    if kind == "ServiceAccount" {
        json!({"kind": kind, "namespace": namespace, "name": name})
    } else {
        json!({"kind": kind, "apiGroup": GROUP, "name": name})
    }
}

/// Returns the rules of RBAC for a rule: none for one with restrictions, two for one about resources and addresses.
fn rules(rule: &Value) -> Vec<Value> {
    let part = |field: &str| rule.list(field).to_vec();
    if rule.get("attributeRestrictions").is_some_and(|restrictions| !restrictions.is_null()) {
        return Vec::new();
    }
    let urls = part("nonResourceURLs");
    let is_all = |field: &str| matches!(rule.list(field), [only] if *only == "*");
    let mut groups = part("apiGroups");
    if groups.is_empty() && !rule.list("resources").is_empty() {
        // The rule that allowed everything before there were groups still does.
        let is_old = is_all("verbs")
            && is_all("resources")
            && urls.is_empty()
            && rule.list("resourceNames").is_empty()
            && rule.get("apiGroups").is_none_or(Value::is_null);
        groups = vec![if is_old { "*" } else { "" }.into()];
    }
    let mut rules = Vec::new();
    if !groups.is_empty() || urls.is_empty() {
        rules.push(json!({
            "verbs": part("verbs"),
            "apiGroups": groups,
            "resources": part("resources"),
            "resourceNames": part("resourceNames"),
        }));
    }
    if !urls.is_empty() {
        rules.push(json!({"verbs": part("verbs"), "nonResourceURLs": urls}));
    }
    rules
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(kind: &'static str, value: Value) -> Result<Value, String> {
        let kind = GroupVersionKind::new("authorization.openshift.io", "v1", kind);
        converted(&Object::new(kind, value)).map(|object| object.value.clone())
    }

    #[test]
    fn converts_bindings() {
        let binding = |namespace: &str, subject: &str| {
            kept(
                "RoleBinding",
                json!({
                    "metadata": {"name": "view", "namespace": "shop"},
                    "roleRef": {"name": "view", "namespace": namespace},
                    "subjects": [{"kind": subject, "name": "builder"}],
                }),
            )
        };
        let own = binding("shop", "ServiceAccount").unwrap();
        assert_eq!(own["roleRef"], json!({"apiGroup": GROUP, "kind": "Role", "name": "view"}));
        assert_eq!(
            own["subjects"],
            json!([{"kind": "ServiceAccount", "namespace": "shop", "name": "builder"}])
        );
        assert_eq!(binding("", "SystemGroup").unwrap()["roleRef"]["kind"], "ClusterRole");
        assert_eq!(
            binding("other", "User").unwrap_err(),
            "invalid origin role binding view: attempts to reference role in namespace \"other\" instead of current \
             namespace \"shop\""
        );
        assert_eq!(binding("", "Robot").unwrap_err(), "invalid kind for origin subject: \"Robot\"");
    }

    #[test]
    fn prefers_the_names_of_users_to_subjects() {
        let binding = kept(
            "ClusterRoleBinding",
            json!({
                "metadata": {"name": "all"},
                "roleRef": {"name": "view"},
                "userNames": ["alice", "system:serviceaccount:shop:builder"],
                "groupNames": ["system:authenticated"],
                "subjects": [{"kind": "User", "name": "bob"}],
            }),
        );
        assert_eq!(
            binding.unwrap()["subjects"],
            json!([
                {"kind": "User", "apiGroup": GROUP, "name": "alice"},
                {"kind": "ServiceAccount", "namespace": "shop", "name": "builder"},
                {"kind": "Group", "apiGroup": GROUP, "name": "system:authenticated"},
            ])
        );
    }

    #[test]
    fn converts_rules() {
        let rules = |rule: Value| {
            let role = json!({"metadata": {"name": "r"}, "rules": [rule]});
            kept("ClusterRole", role).unwrap()["rules"].as_array().unwrap().len()
        };
        assert_eq!(rules(json!({"verbs": ["get"], "resources": ["pods"], "attributeRestrictions": {}})), 0);
        assert_eq!(rules(json!({"verbs": ["get"], "resources": ["pods"], "nonResourceURLs": ["/x"]})), 2);
        assert_eq!(rules(json!({"verbs": ["get"], "nonResourceURLs": ["/x"]})), 1);
        let all = json!({"metadata": {"name": "r"}, "rules": [{"verbs": ["*"], "resources": ["*"]}]});
        assert_eq!(kept("ClusterRole", all).unwrap()["rules"][0]["apiGroups"], json!(["*"]));
    }
}
