//! Roles, and the bindings that grant them to users.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/rbac/validation`, `k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use crate::cluster::Cluster;
use crate::cluster::authorizer::openshift;
use crate::cluster::authorizer::{Access, Decision, ResourceAttributes, Rule, Subject};
use gotext::quote;
use kube_api::field::aggregate;
use kube_api::labels::Selector;
use kube_api::resources::{CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, ROLE_BINDINGS, ROLES};
use kube_api::{GroupResource, Object, Status, Value, service_account};

const GROUP: &str = "rbac.authorization.k8s.io";

/// All bindings, with their rules.
#[derive(Debug)]
pub(super) struct Policy {
    cluster_wide: Vec<Binding>,
    by_namespace: BTreeMap<String, Vec<Binding>>,
}

#[derive(Debug)]
struct Binding {
    object: Arc<Object>,
    subjects: Vec<BoundSubject>,
    roles: Arc<Roles>,
    /// The rules of the role, or why there is none: read for the first user whom the binding is about.
    rules: OnceLock<Result<Vec<Rule>, String>>,
}

/// A subject of a binding, read once: each request is compared with those of all bindings.
#[derive(Debug, PartialEq, Eq)]
enum BoundSubject {
    User(String),
    Group(String),
    ServiceAccount { namespace: String, name: String },
}

impl Policy {
    pub(super) fn of(cluster: &Cluster, built_in: &BuiltIn) -> Self {
        let objects = |resource: &GroupResource| objects(resource, cluster, built_in);
        let roles = Arc::new(Roles { local: objects(&ROLES), cluster_wide: objects(&CLUSTER_ROLES) });
        let mut by_namespace = BTreeMap::<_, Vec<_>>::new();
        for object in objects(&ROLE_BINDINGS).into_values() {
            let namespace = object.namespace().to_owned();
            by_namespace.entry(namespace).or_default().push(Binding::of(object, &roles));
        }
        let cluster_wide = objects(&CLUSTER_ROLE_BINDINGS).into_values();
        Self { cluster_wide: cluster_wide.map(|object| Binding::of(object, &roles)).collect(), by_namespace }
    }

    /// Returns the rules that apply to the user in `namespace`, and the errors in bindings.
    pub(super) fn rules(&self, user: &str, groups: &[String], namespace: &str) -> (Vec<&Rule>, Vec<&str>) {
        let anything = ResourceAttributes { namespace, ..ResourceAttributes::default() };
        let access = Access { user, groups, verb: "", subject: Subject::Resource(anything) };
        let (mut rules, mut errors) = (Vec::new(), Vec::new());
        for (binding, _) in self.bindings(&access) {
            match binding.rules() {
                Ok(given) => rules.extend(given),
                Err(error) => errors.push(error.as_str()),
            }
        }
        (rules, errors)
    }

    pub(super) fn authorize(&self, access: &Access<'_>) -> Decision {
        let mut errors = Vec::new();
        for (binding, subject) in self.bindings(access) {
            match binding.rules() {
                Ok(rules) if rules.iter().any(|rule| rule.allows(access)) => {
                    let reason = format!("RBAC: allowed by {}", binding.describe(subject));
                    return Decision { allowed: true, reason };
                }
                Ok(_) => {}
                Err(error) => errors.push(error),
            }
        }
        let reason = match errors[..] {
            [] => String::new(),
            _ => format!("RBAC: {}", aggregate(&errors)),
        };
        Decision { allowed: false, reason }
    }

    /// Returns the bindings that apply to the user in the namespace of the question, each with the subject that is the
    /// user.
    fn bindings<'a>(&'a self, access: &Access<'_>) -> impl Iterator<Item = (&'a Binding, &'a BoundSubject)> {
        let service_account = service_account::split_username(access.user);
        let namespace = match access.subject {
            Subject::Resource(resource) => resource.namespace,
            Subject::Path(_) => "",
        };
        let local = self.by_namespace.get(namespace).filter(|_| !namespace.is_empty());
        let bindings = self.cluster_wide.iter().chain(local.into_iter().flatten());
        bindings.filter_map(move |binding| Some((binding, binding.subject(access, service_account)?)))
    }
}

impl Binding {
    fn of(object: Arc<Object>, roles: &Arc<Roles>) -> Self {
        let subjects = object.list("subjects").iter();
        let subjects = subjects.filter_map(|subject| BoundSubject::of(subject, object.namespace())).collect();
        Self { object, subjects, roles: roles.clone(), rules: OnceLock::new() }
    }

    fn rules(&self) -> &Result<Vec<Rule>, String> {
        self.rules.get_or_init(|| {
            let (object, roles) = (&self.object, &self.roles);
            let name = object.text(["roleRef", "name"]);
            match object.text(["roleRef", "kind"]) {
                "Role" => roles.rules(object.namespace(), name).ok_or_else(|| missing("role", name)),
                "ClusterRole" => roles.cluster_rules(name).ok_or_else(|| missing("clusterrole", name)),
                kind => Err(format!("unsupported role reference kind: {}", quote(kind))),
            }
        })
    }

    /// Returns the subject that is the user, who may be a service account with this namespace and name.
    fn subject(&self, access: &Access<'_>, service_account: Option<(&str, &str)>) -> Option<&BoundSubject> {
        self.subjects.iter().find(|subject| match subject {
            BoundSubject::User(name) => access.user == name,
            BoundSubject::Group(name) => access.groups.contains(name),
            BoundSubject::ServiceAccount { namespace, name } => {
                service_account == Some((namespace.as_str(), name.as_str()))
            }
        })
    }

    /// Source: `clusterRoleBindingDescriber` and `roleBindingDescriber`.
    fn describe(&self, subject: &BoundSubject) -> String {
        let binding = &self.object;
        let name = match binding.namespace() {
            "" => binding.name().to_owned(),
            namespace => format!("{}/{namespace}", binding.name()),
        };
        let (kind, subject) = match subject {
            BoundSubject::User(name) => ("User", name.clone()),
            BoundSubject::Group(name) => ("Group", name.clone()),
            BoundSubject::ServiceAccount { namespace, name } => {
                ("ServiceAccount", format!("{name}/{namespace}"))
            }
        };
        format!(
            "{} {} of {} {} to {kind} {}",
            binding.kind.kind,
            quote(&name),
            binding.text(["roleRef", "kind"]),
            quote(binding.text(["roleRef", "name"])),
            quote(&subject),
        )
    }
}

impl BoundSubject {
    /// Reads a subject of a binding in `namespace`, which is that of a service account unless it names another one.
    fn of(subject: &Value, namespace: &str) -> Option<Self> {
        let name = subject.text("name").to_owned();
        Some(match subject.text("kind") {
            "User" => Self::User(name),
            "Group" => Self::Group(name),
            "ServiceAccount" => {
                let own = subject.text("namespace");
                let namespace = if own.is_empty() { namespace } else { own };
                if namespace.is_empty() {
                    return None;
                }
                Self::ServiceAccount { namespace: namespace.to_owned(), name }
            }
            _ => return None,
        })
    }
}

impl Rule {
    /// Reads a rule of a role.
    pub fn of(value: &Value) -> Self {
        let list = |field| {
            let items = value.list(field).iter();
            items.filter_map(Value::as_str).map(str::to_owned).collect()
        };
        Self {
            verbs: list("verbs"),
            api_groups: list("apiGroups"),
            resources: list("resources"),
            resource_names: list("resourceNames"),
            non_resource_urls: list("nonResourceURLs"),
        }
    }

    /// Source: `RuleAllows`.
    pub(super) fn allows(&self, access: &Access<'_>) -> bool {
        has(&self.verbs, access.verb)
            && match access.subject {
                Subject::Resource(resource) => {
                    has(&self.api_groups, resource.group)
                        && self.names(&resource)
                        && (self.resource_names.is_empty()
                            || self.resource_names.iter().any(|name| name == resource.name))
                }
                Subject::Path(path) => self.non_resource_urls.iter().any(|url| {
                    url == "*"
                        || url == path
                        || url.ends_with('*') && path.starts_with(url.trim_end_matches('*'))
                }),
            }
    }

    /// Source: `ResourceMatches`.
    fn names(&self, wanted: &ResourceAttributes<'_>) -> bool {
        self.resources.iter().any(|resource| {
            let below = resource.strip_prefix(wanted.resource).and_then(|rest| rest.strip_prefix('/'));
            match wanted.sub_resource {
                _ if resource == "*" => true,
                "" => resource == wanted.resource,
                name => below == Some(name) || resource.strip_prefix("*/") == Some(name),
            }
        })
    }
}

/// Objects by namespace and name.
type Objects = BTreeMap<(String, String), Arc<Object>>;

/// The objects that the server creates for itself, each with the resource that it is of.
pub(super) type BuiltIn = [(GroupResource, Arc<Object>)];

/// Returns the objects of `resource`: those that every server creates, unless the cluster has its own, also by way of
/// another resource.
fn objects(resource: &GroupResource, cluster: &Cluster, built_in: &BuiltIn) -> Objects {
    let built_in = built_in.iter().filter(|(of, _)| of == resource);
    let built_in = built_in.map(|(_, object)| object.clone());
    let named = |object: Arc<Object>| ((object.namespace().to_owned(), object.name().to_owned()), object);
    let proxied = openshift::proxied(cluster, resource);
    built_in.chain(proxied).chain(cluster.list_all(resource)).map(named).collect()
}

#[derive(Debug)]
struct Roles {
    local: Objects,
    cluster_wide: Objects,
}

impl Roles {
    fn rules(&self, namespace: &str, name: &str) -> Option<Vec<Rule>> {
        let role = self.local.get(&(namespace.to_owned(), name.to_owned()))?;
        Some(rules_of(role).collect())
    }

    /// Returns the rules of a cluster role, including those of the roles that it aggregates.
    fn cluster_rules(&self, name: &str) -> Option<Vec<Rule>> {
        let mut rules = Vec::new();
        let mut seen = BTreeSet::new();
        let mut parts = vec![self.cluster_wide.get(&(String::new(), name.to_owned()))?];
        while let Some(role) = parts.pop() {
            if !seen.insert(role.name()) {
                continue;
            }
            rules.extend(rules_of(role).filter(|rule| !rules.contains(rule)).collect::<Vec<_>>());
            for selector in role.list(["aggregationRule", "clusterRoleSelectors"]) {
                let Ok(selector) = Selector::from_label_selector(selector) else { continue };
                let is_part = |role: &&Arc<Object>| selector.matches_labels(role.at(["metadata", "labels"]));
                parts.extend(self.cluster_wide.values().filter(is_part));
            }
        }
        Some(rules)
    }
}

/// Returns the rules of a role with this name; 404 without one.
pub(super) fn rules_of_role(
    cluster: &Cluster,
    built_in: &BuiltIn,
    kind: &str,
    namespace: &str,
    name: &str,
) -> Result<Vec<Rule>, Status> {
    let objects = |resource: &GroupResource| objects(resource, cluster, built_in);
    let roles = Roles { local: objects(&ROLES), cluster_wide: objects(&CLUSTER_ROLES) };
    let (found, resource) = match kind {
        "Role" => (roles.rules(namespace, name), &ROLES),
        _ => (roles.cluster_rules(name), &CLUSTER_ROLES),
    };
    found.ok_or_else(|| Status::new_not_found(resource, name))
}

fn rules_of(role: &Object) -> impl Iterator<Item = Rule> {
    role.list("rules").iter().map(Rule::of)
}

fn missing(singular: &'static str, name: &str) -> String {
    Status::new_not_found(&GroupResource::new(GROUP, singular), name).message
}

fn has(list: &[String], wanted: &str) -> bool {
    list.iter().any(|item| item == "*" || item == wanted)
}
