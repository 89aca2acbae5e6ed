//! Rights as roles and bindings.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::admission::{Change, Need};
use crate::cluster::authorizer::Right;
use crate::report::Refused;
use crate::require::manifests::Manifest;
use crate::require::{Grant, Key};
use gotext::value::json;
use kube_api::field::Path;
use kube_api::service_account;
use kube_api::{GroupResource, Object, Value};

const GROUP: &str = "rbac.authorization.k8s.io";

/// A rule of a role, and the reasons for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rule {
    group: String,
    resources: BTreeSet<String>,
    verbs: BTreeSet<String>,
    name: String,
}

/// The resources of roles and of their bindings.
const ROLES: [[GroupResource; 2]; 2] = [
    [GroupResource::new(GROUP, "clusterroles"), GroupResource::new(GROUP, "clusterrolebindings")],
    [GroupResource::new(GROUP, "roles"), GroupResource::new(GROUP, "rolebindings")],
];

/// Whether objects of `resource` are roles.
pub(super) fn is_role(resource: &GroupResource) -> bool {
    bindings_of(resource).is_some()
}

/// Returns the resource of the bindings of roles.
pub(super) fn bindings_of(resource: &GroupResource) -> Option<GroupResource> {
    ROLES.iter().find(|[roles, _]| roles == resource).map(|[_, bindings]| bindings.clone())
}

/// Returns the resources of roles and of their bindings.
pub(super) fn resources() -> impl Iterator<Item = GroupResource> {
    ROLES.into_iter().flatten()
}

/// Returns the role that grants `right`.
pub(super) fn role_of(right: &Right) -> Key {
    let [roles, _] = &ROLES[usize::from(!right.namespace.is_empty())];
    (roles.clone(), right.namespace.clone(), role_name(&right.user))
}

/// Returns the role `key` with the granted rights, and its binding: what they have already stays.
pub(super) fn role_and_binding(
    key: &Key,
    grants: &[&Grant],
    existing: &BTreeMap<Key, Arc<Object>>,
) -> Vec<Manifest> {
    let (roles, namespace, name) = key;
    let rights = || {
        grants
            .iter()
            .filter_map(|grant| if let Need::Right(right) = &grant.need { Some(right) } else { None })
    };
    let user = rights().next().map_or("", |right| &right.user);
    let prefix = if namespace.is_empty() { "Cluster" } else { "" };
    let mut metadata = json!({"name": name.as_str()});
    if let Some(metadata) = metadata.as_object_mut().filter(|_| !namespace.is_empty()) {
        metadata.insert("namespace", namespace.as_str().into());
    }
    let api_version = format!("{GROUP}/v1");
    let bindings = bindings_of(roles).unwrap_or_else(|| roles.clone());
    let had = |resource: &GroupResource, field: &str| -> Vec<Value> {
        let before = existing.get(&(resource.clone(), namespace.clone(), name.clone()));
        before.map(|before| before.list([field]).to_vec()).unwrap_or_default()
    };
    let mut granted = had(roles, "rules");
    granted.extend(rules(rights()).iter().map(Rule::value));
    let role = json!({
        "apiVersion": api_version.as_str(), "kind": format!("{prefix}Role"), "metadata": metadata.clone(), "rules": granted,
    });
    let subject = service_account::split_username(user).map_or_else(
        || json!({"apiGroup": GROUP, "kind": "User", "name": user}),
        |(namespace, name)| json!({"kind": "ServiceAccount", "name": name, "namespace": namespace}),
    );
    let mut subjects = had(&bindings, "subjects");
    let is_bound = subjects.contains(&subject);
    if !is_bound {
        subjects.push(subject);
    }
    let binding = json!({
        "apiVersion": api_version.as_str(), "kind": format!("{prefix}RoleBinding"), "metadata": metadata,
        "roleRef": {"apiGroup": GROUP, "kind": format!("{prefix}Role"), "name": name.as_str()},
        "subjects": subjects,
    });
    let mut reasons: Vec<Refused> = Vec::new();
    for reason in grants.iter().flat_map(|grant| &grant.reasons) {
        if !reasons.contains(reason) {
            reasons.push(reason.clone());
        }
    }
    let manifest = |resource: GroupResource, value: Value, reasons, changed: &'static str| {
        let key = (resource, namespace.clone(), name.clone());
        let is_new = !existing.contains_key(&key);
        let change = (!is_new).then(|| Change::set(Path::new(changed), value[changed].clone()));
        Manifest { key, value, reasons, changes: change.into_iter().collect(), is_new }
    };
    let mut manifests = vec![manifest(roles.clone(), role, reasons, "rules")];
    if !is_bound {
        manifests.push(manifest(bindings, binding, Vec::new(), "subjects"));
    }
    manifests
}

/// Returns the rules of a role: one for each set of verbs on resources of a group.
fn rules<'a>(rights: impl Iterator<Item = &'a Right>) -> Vec<Rule> {
    let mut verbs: BTreeMap<(&str, &str, &str), BTreeSet<String>> = BTreeMap::new();
    for right in rights {
        verbs.entry((&right.group, &right.resource, &right.name)).or_default().insert(right.verb.clone());
    }
    let mut rules: Vec<Rule> = Vec::new();
    for ((group, resource, name), verbs) in verbs {
        let same =
            rules.iter_mut().find(|rule| rule.group == group && rule.name == name && rule.verbs == verbs);
        match same {
            Some(rule) => drop(rule.resources.insert(resource.to_owned())),
            None => rules.push(Rule {
                group: group.to_owned(),
                resources: [resource.to_owned()].into(),
                verbs,
                name: name.to_owned(),
            }),
        }
    }
    rules
}

impl Rule {
    fn value(&self) -> Value {
        let list = |texts: &BTreeSet<String>| -> Value { texts.iter().map(String::as_str).collect() };
        let mut value = json!({
            "apiGroups": [self.group.as_str()], "resources": list(&self.resources), "verbs": list(&self.verbs),
        });
        if let Some(map) = value.as_object_mut().filter(|_| !self.name.is_empty()) {
            map.insert("resourceNames", json!([self.name.as_str()]));
        }
        value
    }
}

/// Returns the name of the role for `user`: a valid one that begins with the user's.
fn role_name(user: &str) -> String {
    let word = |character: char| {
        if character.is_ascii_alphanumeric() || ".-".contains(character) { character } else { '-' }
    };
    let name: String = user.to_lowercase().chars().map(word).collect();
    let name = name.trim_matches(['-', '.']);
    if name.is_empty() { "required".to_owned() } else { format!("{name}-required") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn right(resource: &str, verb: &str, name: &str) -> Right {
        Right {
            user: "jane".to_owned(),
            namespace: "shop".to_owned(),
            group: "apps".to_owned(),
            resource: resource.to_owned(),
            verb: verb.to_owned(),
            name: name.to_owned(),
        }
    }

    #[test]
    fn resources_with_the_same_verbs_share_a_rule() {
        let rights = [
            right("deployments", "get", ""),
            right("statefulsets", "get", ""),
            right("deployments", "create", ""),
            right("statefulsets", "create", ""),
            right("daemonsets", "get", ""),
            right("daemonsets", "use", "a"),
        ];
        let rules: Vec<Value> = rules(rights.iter()).iter().map(Rule::value).collect();
        assert_eq!(
            Value::from(rules),
            json!([
                {"apiGroups": ["apps"], "resources": ["daemonsets"], "verbs": ["get"]},
                {"apiGroups": ["apps"], "resources": ["daemonsets"], "verbs": ["use"], "resourceNames": ["a"]},
                {"apiGroups": ["apps"], "resources": ["deployments", "statefulsets"], "verbs": ["create", "get"]},
            ])
        );
    }

    #[test]
    fn names_of_roles_are_valid() {
        assert_eq!(role_name("jane"), "jane-required");
        assert_eq!(
            role_name("system:serviceaccount:ci:Deployer"),
            "system-serviceaccount-ci-deployer-required"
        );
        assert_eq!(role_name("ü"), "required");
    }
}
