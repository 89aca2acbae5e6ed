//! The checks of roles and bindings that prevent users from granting more rights than they have.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/rbac`, `k8s.io/component-helpers/auth/rbac/validation`.

use std::collections::{BTreeMap, BTreeSet};

use crate::admission::{Need, Refusal, UserInfo};
use crate::cluster::authorizer::{Authorizer, ResourceAttributes, Rule};
use crate::evaluation::server::Call;
use gotext::quote;
use kube_api::kinds;
use kube_api::{Object, Status};

const GROUP: &str = "rbac.authorization.k8s.io";

/// The group whose members may grant everything.
const SYSTEM_MASTERS: &str = "system:masters";

/// Returns 403 for a role or binding that grants rights that the user does not have, unless the user may `escalate` or
/// `bind`; 500 for a binding to something that is not a role.
pub(super) fn check(
    call: &Call,
    authorizer: &Authorizer,
    object: &Object,
    old: Option<&Object>,
) -> Result<(), Refusal> {
    let (user, namespace) = (&*call.user_info, &*call.namespace);
    let is_role = object.kind.is(kinds::ROLE) || object.kind.is(kinds::CLUSTER_ROLE);
    let is_binding = object.kind.is(kinds::ROLE_BINDING) || object.kind.is(kinds::CLUSTER_ROLE_BINDING);
    if !(is_role || is_binding) || may_escalate(user) {
        return Ok(());
    }
    let access = |verb, resource, name, group| {
        user.access(verb, ResourceAttributes { namespace, group, resource, sub_resource: "", name })
    };
    if old.is_some_and(|old| changes_only_owners(object, old)) {
        return Ok(());
    }
    let resource = call.target.group_resource();
    let forbidden = |error: &str| Refusal::from(Status::new_forbidden(&resource, object.name(), error));
    if is_role {
        let name = if old.is_some() { &call.name } else { "" };
        let escalate = access("escalate", &*resource.resource, name, GROUP);
        if authorizer.authorize(&escalate).allowed {
            return Ok(());
        }
        let forbidden = |error: &str| forbidden(error).needing(escalate.right().map(Need::Right));
        let rules: Vec<Rule> = object.list("rules").iter().map(Rule::of).collect();
        confirm(authorizer, user, namespace, &rules).map_err(|error| forbidden(&error))?;
        let is_aggregated = |role: &Object| {
            role.kind.is(kinds::CLUSTER_ROLE)
                && !role.list(["aggregationRule", "clusterRoleSelectors"]).is_empty()
        };
        if (is_aggregated(object) || old.is_some_and(is_aggregated))
            && confirm(authorizer, user, namespace, &Rule::everything()).is_err()
        {
            return Err(forbidden("must have cluster-admin privileges to use the aggregationRule"));
        }
        return Ok(());
    }
    let reference = |field| object.text(["roleRef", field]);
    let (kind, name) = (reference("kind"), reference("name"));
    let roles = match kind {
        "ClusterRole" => "clusterroles",
        "Role" => "roles",
        _ => {
            let error = format!("unsupported role reference kind: {}", quote(kind));
            return Err(Status::from_error(error).into());
        }
    };
    let bind = access("bind", roles, name, reference("apiGroup"));
    if authorizer.authorize(&bind).allowed {
        return Ok(());
    }
    // The storage names the resource of the request, not that of the role.
    let of_request = |status: Status| match status.code {
        404 => Status::new_not_found(&call.target.group_resource(), name),
        _ => status,
    };
    let granted = authorizer.role_rules(kind, namespace, name).map_err(|status| of_request(status).into());
    granted
        .and_then(|granted| confirm(authorizer, user, namespace, &granted).map_err(|error| forbidden(&error)))
        .map_err(|refusal: Refusal| refusal.needing(bind.right().map(Need::Right)))
}

/// Whether the user may grant everything.
///
/// Source: `EscalationAllowed`
pub(super) fn may_escalate(user: &UserInfo) -> bool {
    user.groups.iter().any(|group| group == SYSTEM_MASTERS)
}

/// Source: `IsOnlyMutatingGCFields`
fn changes_only_owners(object: &Object, old: &Object) -> bool {
    let mut copied = object.clone();
    for field in ["ownerReferences", "finalizers", "selfLink", "managedFields"] {
        match old.at(["metadata", field]) {
            Some(value) => copied.set(["metadata", field], value.clone()),
            None => drop(copied.remove(["metadata", field])),
        }
    }
    copied.value == old.value
}

/// Source: `ConfirmNoEscalation`
fn confirm(authorizer: &Authorizer, user: &UserInfo, namespace: &str, rules: &[Rule]) -> Result<(), String> {
    let (own, errors) = authorizer.rules_by_roles(&user.username, &user.groups, namespace);
    let missing: Vec<Rule> = rules
        .iter()
        .flat_map(broken_down)
        .filter(|wanted| !own.iter().any(|rule| covers(rule, wanted)))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let described: BTreeSet<String> = compacted(missing).iter().map(described).collect();
    let mut message = format!(
        "user {} (groups={}) is attempting to grant RBAC permissions not currently held:\n{}",
        quote(&user.username),
        quoted(&user.groups),
        described.into_iter().collect::<Vec<_>>().join("\n")
    );
    if let Some(error) = errors {
        message = format!("{message}; resolution errors: [{error}]");
    }
    Err(message)
}

/// Returns rules with one verb, one resource and at most one name, that together are equivalent to `rule`.
///
/// Source: `BreakdownRule`
fn broken_down(rule: &Rule) -> Vec<Rule> {
    let one = |text: &String| vec![text.clone()];
    let mut rules = Vec::new();
    for group in &rule.api_groups {
        for resource in &rule.resources {
            for verb in &rule.verbs {
                let simple = Rule {
                    api_groups: one(group),
                    resources: one(resource),
                    verbs: one(verb),
                    ..Rule::default()
                };
                if rule.resource_names.is_empty() {
                    rules.push(simple);
                } else {
                    let named = |name| Rule { resource_names: one(name), ..simple.clone() };
                    rules.extend(rule.resource_names.iter().map(named));
                }
            }
        }
    }
    for url in &rule.non_resource_urls {
        let of = |verb| Rule { non_resource_urls: one(url), verbs: one(verb), ..Rule::default() };
        rules.extend(rule.verbs.iter().map(of));
    }
    rules
}

/// Whether a rule of the user covers a simple rule.
///
/// Source: `ruleCovers`
fn covers(own: &Rule, wanted: &Rule) -> bool {
    let has_all = |own: &[String], wanted: &[String]| wanted.iter().all(|text| own.contains(text));
    let has = |own: &[String], wanted: &[String]| own.iter().any(|text| text == "*") || has_all(own, wanted);
    let has_resource = |wanted: &String| {
        let below = wanted.split_once('/').map(|(_, below)| format!("*/{below}"));
        own.resources.contains(wanted) || below.is_some_and(|below| own.resources.contains(&below))
    };
    let has_url = |wanted: &String| {
        own.non_resource_urls
            .iter()
            .any(|url| url == wanted || url.ends_with('*') && wanted.starts_with(url.trim_end_matches('*')))
    };
    has(&own.verbs, &wanted.verbs)
        && has(&own.api_groups, &wanted.api_groups)
        && (own.resources.iter().any(|text| text == "*") || wanted.resources.iter().all(has_resource))
        && wanted.non_resource_urls.iter().all(has_url)
        && (own.resource_names.is_empty()
            || !wanted.resource_names.is_empty() && has_all(&own.resource_names, &wanted.resource_names))
}

/// Merges rules for the same resource.
///
/// Source: `CompactRules`
fn compacted(rules: Vec<Rule>) -> Vec<Rule> {
    let (mut others, mut simple) = (Vec::new(), BTreeMap::<_, Rule>::new());
    for rule in rules {
        if rule.resources.is_empty() {
            others.push(rule);
            continue;
        }
        let key = (rule.api_groups.clone(), rule.resources.clone(), rule.resource_names.clone());
        match simple.get_mut(&key) {
            Some(known) => known.verbs.extend(rule.verbs),
            None => drop(simple.insert(key, rule)),
        }
    }
    others.extend(simple.into_values());
    others
}

/// Source: `CompactString`
fn described(rule: &Rule) -> String {
    let parts = [
        ("APIGroups", &rule.api_groups),
        ("Resources", &rule.resources),
        ("NonResourceURLs", &rule.non_resource_urls),
        ("ResourceNames", &rule.resource_names),
        ("Verbs", &rule.verbs),
    ];
    let given = parts.into_iter().filter(|(_, list)| !list.is_empty());
    let parts: Vec<String> = given.map(|(name, list)| format!("{name}:{}", quoted(list))).collect();
    format!("{{{}}}", parts.join(", "))
}

/// Returns texts as Go's `%q` prints them.
fn quoted(texts: &[String]) -> String {
    format!("[{}]", texts.iter().map(|text| quote(text)).collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::{Value, json};

    fn rule(value: &Value) -> Rule {
        Rule::of(value)
    }

    #[test]
    fn a_rule_covers_what_it_allows() {
        let own =
            rule(&json!({"apiGroups": [""], "resources": ["pods", "*/status"], "verbs": ["get", "list"]}));
        let wanted = |resource: &str, verb: &str| {
            rule(&json!({"apiGroups": [""], "resources": [resource], "verbs": [verb]}))
        };
        assert!(covers(&own, &wanted("pods", "get")));
        assert!(covers(&own, &wanted("nodes/status", "list")));
        assert!(!covers(&own, &wanted("nodes", "list")));
        assert!(!covers(&own, &wanted("pods", "delete")));
        let named = rule(
            &json!({"apiGroups": [""], "resources": ["pods"], "verbs": ["get"], "resourceNames": ["a"]}),
        );
        assert!(covers(&own, &named));
        assert!(!covers(&named, &wanted("pods", "get")));
        let urls = rule(&json!({"nonResourceURLs": ["/healthz/*"], "verbs": ["*"]}));
        assert!(covers(&urls, &rule(&json!({"nonResourceURLs": ["/healthz/etcd"], "verbs": ["get"]}))));
    }

    #[test]
    fn what_is_missing_is_described_by_resource() {
        let wanted = rule(&json!({
            "apiGroups": ["apps"], "resources": ["deployments"], "verbs": ["get", "list"], "nonResourceURLs": ["/a"],
        }));
        let described: Vec<String> = compacted(broken_down(&wanted)).iter().map(described).collect();
        assert_eq!(
            described,
            [
                "{NonResourceURLs:[\"/a\"], Verbs:[\"get\"]}",
                "{NonResourceURLs:[\"/a\"], Verbs:[\"list\"]}",
                "{APIGroups:[\"apps\"], Resources:[\"deployments\"], Verbs:[\"get\" \"list\"]}",
            ]
        );
    }
}
