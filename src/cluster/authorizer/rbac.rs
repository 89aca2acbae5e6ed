//! Roles, and the bindings that grant them to users.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/rbac/validation`, `k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac`.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
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
    bindings: Arc<Bindings>,
    roles: Roles,
    /// The rules of the role of each binding, or why there is none: read for the first user whom the binding is about.
    rules: Vec<OnceLock<Result<Vec<Rule>, String>>>,
}

/// All bindings: those of the whole cluster come first.
#[derive(Debug)]
pub(super) struct Bindings {
    list: Vec<Binding>,
    cluster_wide: Range<usize>,
    by_namespace: BTreeMap<String, Range<usize>>,
}

#[derive(Debug)]
struct Binding {
    object: Arc<Object>,
    subjects: Vec<BoundSubject>,
}

/// A subject of a binding, read once: each request is compared with those of all bindings.
#[derive(Debug, PartialEq, Eq)]
enum BoundSubject {
    User(String),
    Group(String),
    ServiceAccount { namespace: String, name: String },
}

impl Bindings {
    pub(super) fn of(cluster: &Cluster, built_in: &BuiltIn) -> Self {
        let objects = |resource: &GroupResource| objects(resource, cluster, built_in).into_values();
        let mut list: Vec<Binding> = objects(&CLUSTER_ROLE_BINDINGS).map(Binding::of).collect();
        let cluster_wide = 0..list.len();
        let mut by_namespace = BTreeMap::new();
        for object in objects(&ROLE_BINDINGS) {
            let next = list.len();
            let own = by_namespace.entry(object.namespace().to_owned()).or_insert(next..next);
            own.end = next + 1;
            list.push(Binding::of(object));
        }
        Self { list, cluster_wide, by_namespace }
    }
}

impl Policy {
    pub(super) fn new(bindings: Arc<Bindings>, roles: Roles) -> Self {
        let rules = bindings.list.iter().map(|_| OnceLock::new()).collect();
        Self { bindings, roles, rules }
    }

    /// Returns the rules that apply to the user in `namespace`, and the errors in bindings.
    pub(super) fn rules(&self, user: &str, groups: &[String], namespace: &str) -> (Vec<&Rule>, Vec<&str>) {
        let anything = ResourceAttributes { namespace, ..ResourceAttributes::default() };
        let access = Access { user, groups, verb: "", subject: Subject::Resource(anything) };
        let (mut rules, mut errors) = (Vec::new(), Vec::new());
        for (number, ..) in self.bindings(&access) {
            match self.rules_of(number) {
                Ok(given) => rules.extend(given),
                Err(error) => errors.push(error.as_str()),
            }
        }
        (rules, errors)
    }

    pub(super) fn authorize(&self, access: &Access<'_>) -> Decision {
        let mut errors = Vec::new();
        for (number, binding, subject) in self.bindings(access) {
            match self.rules_of(number) {
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

    /// Returns the bindings that apply to the user in the namespace of the question, each with its number and the subject
    /// that is the user.
    fn bindings<'a>(
        &'a self,
        access: &Access<'_>,
    ) -> impl Iterator<Item = (usize, &'a Binding, &'a BoundSubject)> {
        let service_account = service_account::split_username(access.user);
        let namespace = match access.subject {
            Subject::Resource(resource) => resource.namespace,
            Subject::Path(_) => "",
        };
        let Bindings { list, cluster_wide, by_namespace } = &*self.bindings;
        let local = by_namespace.get(namespace).filter(|_| !namespace.is_empty());
        let numbers = cluster_wide.clone().chain(local.cloned().into_iter().flatten());
        numbers.filter_map(move |number| {
            let binding = &list[number];
            Some((number, binding, binding.subject(access, service_account)?))
        })
    }

    fn rules_of(&self, number: usize) -> &Result<Vec<Rule>, String> {
        self.rules[number].get_or_init(|| {
            let object = &self.bindings.list[number].object;
            let name = object.text(["roleRef", "name"]);
            match object.text(["roleRef", "kind"]) {
                "Role" => self.roles.rules(object.namespace(), name).ok_or_else(|| missing("role", name)),
                "ClusterRole" => self.roles.cluster_rules(name).ok_or_else(|| missing("clusterrole", name)),
                kind => Err(format!("unsupported role reference kind: {}", quote(kind))),
            }
        })
    }
}

impl Binding {
    fn of(object: Arc<Object>) -> Self {
        let subjects = object.list("subjects").iter();
        let subjects = subjects.filter_map(|subject| BoundSubject::of(subject, object.namespace())).collect();
        Self { object, subjects }
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

/// The roles, each read when it is asked for.
#[derive(Debug)]
pub(super) struct Roles {
    pub(super) cluster: Arc<Cluster>,
    pub(super) built_in: Arc<BuiltIn>,
}

impl Roles {
    /// Returns one of `objects`.
    fn get(&self, resource: &GroupResource, namespace: &str, name: &str) -> Option<Arc<Object>> {
        let is_named = |object: &Arc<Object>| object.namespace() == namespace && object.name() == name;
        let proxied = || openshift::proxied(&self.cluster, resource).into_iter().find(is_named);
        let built_in = || {
            let mut built_in = self.built_in.iter().filter(|(of, _)| of == resource);
            built_in.find(|(_, object)| is_named(object)).map(|(_, object)| object.clone())
        };
        self.cluster.get(resource, namespace, name).or_else(proxied).or_else(built_in)
    }

    fn rules(&self, namespace: &str, name: &str) -> Option<Vec<Rule>> {
        Some(rules_of(&*self.get(&ROLES, namespace, name)?).collect())
    }

    /// Returns the rules of a cluster role, including those of the roles that it aggregates.
    fn cluster_rules(&self, name: &str) -> Option<Vec<Rule>> {
        let mut rules = Vec::new();
        let mut seen = BTreeSet::new();
        let all = OnceCell::new();
        let mut parts = vec![self.get(&CLUSTER_ROLES, "", name)?];
        while let Some(role) = parts.pop() {
            if !seen.insert(role.name().to_owned()) {
                continue;
            }
            rules.extend(rules_of(&role).filter(|rule| !rules.contains(rule)).collect::<Vec<_>>());
            for selector in role.list(["aggregationRule", "clusterRoleSelectors"]) {
                let Ok(selector) = Selector::from_label_selector(selector) else { continue };
                let is_part = |role: &&Arc<Object>| selector.matches_labels(role.at(["metadata", "labels"]));
                let all: &Objects =
                    all.get_or_init(|| objects(&CLUSTER_ROLES, &self.cluster, &self.built_in));
                parts.extend(all.values().filter(is_part).cloned());
            }
        }
        Some(rules)
    }

    /// Returns the rules of a role with this name; 404 without one.
    pub(super) fn rules_of_role(&self, kind: &str, namespace: &str, name: &str) -> Result<Vec<Rule>, Status> {
        let (found, resource) = match kind {
            "Role" => (self.rules(namespace, name), &ROLES),
            _ => (self.cluster_rules(name), &CLUSTER_ROLES),
        };
        found.ok_or_else(|| Status::new_not_found(resource, name))
    }
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
