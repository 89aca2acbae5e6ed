//! The roles and bindings that every server creates for itself and for the components of Kubernetes.
//!
//! `rbac.txt` of the release has one object per line, and its rules or subjects below it. A rule has verbs, groups
//! (`core` is the empty one), resources and names; or verbs and paths. `to=` is a label by which a role is aggregated
//! into another one, `from=` aggregates the roles with the label. Words at the end of a line, such as
//! `1.12-1.20:off=TTLAfterFinished`, say in which releases the line is there, and with which gates.
//!
//! Source: `k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac/bootstrappolicy`.

use std::sync::Arc;

use gotext::value::json;

use kube_api::release::Span;
use kube_api::resources::{CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, ROLE_BINDINGS, ROLES};
use kube_api::server_profile::ServerProfile;
use kube_api::{GroupResource, GroupVersionKind, Object, Value, decode, release};

const GROUP: &str = "rbac.authorization.k8s.io";

/// Returns the objects of a server with these gates, each with the resource that it is of.
pub(super) fn objects(gates: &ServerProfile) -> Vec<(GroupResource, Arc<Object>)> {
    let mut objects: Vec<(GroupResource, Object)> = Vec::new();
    let mut has_object = false;
    for line in release::body(release::RBAC).lines() {
        let (line, is_there) = of_release(line, gates);
        match (line.strip_prefix("  "), objects.last_mut()) {
            (Some(line), Some((resource, object))) if has_object && is_there => {
                if [ROLES, CLUSTER_ROLES].contains(resource) {
                    object.append(["rules"], rule(line));
                } else {
                    object.append(["subjects"], subject(line));
                }
            }
            (Some(_), _) => {}
            (None, _) => {
                has_object = is_there;
                objects.extend(is_there.then(|| head(line)));
            }
        }
    }
    let stored = |(resource, mut object)| {
        decode::normalize(&mut object);
        (resource, Arc::new(object))
    };
    objects.into_iter().map(stored).collect()
}

/// Splits the words off that say when the line is there, and returns whether it is.
fn of_release(line: &'static str, gates: &ServerProfile) -> (&'static str, bool) {
    let (mut line, mut ranges, mut is_there) = (line, 0, false);
    while let Some((rest, word)) = line.rsplit_once(' ')
        && let Some(holds) = holds(word, gates)
    {
        (line, ranges, is_there) = (rest, ranges + 1, is_there || holds);
    }
    (line, is_there || ranges == 0)
}

/// Returns whether `1.12-1.20:off=TTLAfterFinished` holds; none if the word is something else.
fn holds(word: &str, gates: &ServerProfile) -> Option<bool> {
    let mut parts = word.split(':');
    let span = Span::read(parts.next()?)?;
    let mut holds = span.contains(release::known(gates.release()));
    for condition in parts {
        holds &= match condition.split_once('=')? {
            ("if" | "off", gate) => gates.is_on_or(gate, false),
            ("on", gate) => gates.is_on_or(gate, true),
            ("not", gate) => !gates.is_on_or(gate, false),
            _ => return None,
        };
    }
    Some(holds)
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
    let metadata = json!({
        "name": name,
        "labels": {"kubernetes.io/bootstrapping": "rbac-defaults"},
        "annotations": {"rbac.authorization.kubernetes.io/autoupdate": "true"},
    });
    let mut value = json!({"apiVersion": format!("{GROUP}/v1"), "kind": kind, "metadata": metadata});
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
            let mut rule = json!({"verbs": verbs, "apiGroups": groups, "resources": resources});
            if let Some(names) = names.first() {
                rule["resourceNames"] = names.clone().into();
            }
            rule
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
    json!({"kind": kind, "apiGroup": GROUP, "name": name})
}

#[cfg(test)]
mod tests {
    use super::*;
    use kube_api::version::Version;

    fn of(minor: u32, profile: &str) -> Vec<(GroupResource, Arc<Object>)> {
        objects(&ServerProfile::of_release(Version::minor(minor), []).with(profile).expect("gates"))
    }

    fn has_role(objects: &[(GroupResource, Arc<Object>)], name: &str) -> bool {
        objects.iter().any(|(resource, object)| *resource == CLUSTER_ROLES && object.name() == name)
    }

    /// Returns the rules of a role.
    fn rules_of<'o>(resource: &GroupResource, object: &'o Object) -> &'o [Value] {
        if [ROLES, CLUSTER_ROLES].contains(resource) { object.list("rules") } else { &[] }
    }

    fn rules(objects: &[(GroupResource, Arc<Object>)], role: &str) -> String {
        let role = objects.iter().find(|(of, object)| *of == CLUSTER_ROLES && object.name() == role);
        Value::from(role.expect("a role").1.list("rules").to_vec()).to_string()
    }

    #[test]
    fn every_line_is_read_in_every_release() {
        for minor in Version::OLDEST.minor..=Version::BINARY.minor {
            let objects = of(minor, "");
            let mut bindings = 0;
            let mut names: Vec<_> =
                objects.iter().map(|(of, object)| (of, object.namespace(), object.name())).collect();
            names.sort_unstable();
            assert!(names.is_sorted_by(|left, right| left < right), "1.{minor} has an object twice");
            for (resource, object) in &objects {
                assert!(!object.name().is_empty());
                for rule in rules_of(resource, object) {
                    assert!(rule["verbs"].is_array(), "{}: {rule}", object.name());
                }
                if [ROLE_BINDINGS, CLUSTER_ROLE_BINDINGS].contains(resource) {
                    bindings += 1;
                    let role = (object.namespace(), object.text(["roleRef", "name"]));
                    let is_role = |of: &GroupResource| [ROLES, CLUSTER_ROLES].contains(of);
                    let mut roles = objects.iter().filter(|(of, _)| is_role(of));
                    let found = roles.any(|(_, found)| (found.namespace(), found.name()) == role);
                    assert!(found, "1.{minor}: {role:?}");
                    // Nodes have their own authorizer, so the role for them is granted to no one.
                    let is_granted = !object.list("subjects").is_empty() || object.name() == "system:node";
                    assert!(is_granted, "1.{minor}: {}", object.name());
                }
            }
            assert!(bindings > 35, "1.{minor}: {bindings}");
        }
    }

    #[test]
    fn the_number_of_rules_follows_the_release() {
        let count = |minor| {
            of(minor, "").iter().map(|(resource, object)| rules_of(resource, object).len()).sum::<usize>()
        };
        let counts: Vec<_> = (Version::OLDEST.minor..=Version::BINARY.minor).map(count).collect();
        assert_eq!(
            counts,
            [
                235, 243, 234, 236, 244, 246, 245, 242, 252, 258, 262, 271, 274, 274, 277, 279, 282, 283,
                280, 283, 285, 289, 285, 297, 318, 316, 324, 338
            ]
        );
    }

    #[test]
    fn roles_follow_gates() {
        let role = "system:controller:ttl-after-finished-controller";
        assert!(!has_role(&of(11, "TTLAfterFinished=true"), role));
        assert!(!has_role(&of(20, ""), role));
        assert!(has_role(&of(20, "TTLAfterFinished=true"), role));
        assert!(has_role(&of(22, ""), role));
        assert!(!has_role(&of(22, "TTLAfterFinished=false"), role));
        assert!(has_role(&of(36, ""), role));
        let bundles = "clustertrustbundles";
        assert!(!rules(&of(36, ""), "system:node").contains(bundles));
        assert!(rules(&of(36, "ClusterTrustBundle=true"), "system:node").contains(bundles));
        let monitoring = |profile| rules(&of(36, profile), "system:monitoring");
        assert!(monitoring("").contains("/flagz") && monitoring("").contains("/statusz"));
        let without = monitoring("ComponentFlagz=false");
        assert!(!without.contains("/flagz") && without.contains("/statusz"));
    }

    #[test]
    fn rules_follow_the_release() {
        let edit = |minor| rules(&of(minor, ""), "system:aggregate-to-edit");
        assert!(edit(21).contains("endpoints") && !edit(22).contains("endpoints"));
        assert!(!edit(21).contains("\"events\"") && edit(22).contains("\"events\""));
        let aggregated = |minor| {
            let objects = of(minor, "");
            let view = objects.iter().find(|(_, object)| object.name() == "view").expect("a role");
            view.1.has(["metadata", "labels", &label("edit")])
        };
        assert!(!aggregated(11) && aggregated(12));
    }
}
