//! The server's authorizer, which decides on users' rights.
//!
//! Source: `k8s.io/kubernetes/pkg/kubeapiserver/authorizer`, `k8s.io/apiserver/pkg/authorization`.

mod bootstrap;
mod node;
#[cfg(feature = "openshift")]
mod openshift;
#[cfg(not(feature = "openshift"))]
#[path = "authorizer/without_openshift.rs"]
mod openshift;
mod rbac;
mod webhook;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use crate::cluster::{Cluster, Derived};
use kube_api::field::aggregate;
use kube_api::server_profile::ServerProfile;
use kube_api::{GroupResource, Object, Status};

#[cfg(feature = "openshift")]
pub(crate) use openshift::{converted, is_proxied};

pub(super) use openshift::RESOURCES;
pub use webhook::AuthorizationWebhook;

use rbac::{Bindings, BuiltIn, Policy, Roles};

/// The group whose members may do everything in every mode.
const SYSTEM_MASTERS: &str = "system:masters";

/// A mode by which the server decides on users' rights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuthorizationMode {
    /// Every user may do everything.
    AlwaysAllow,
    /// Only members of `system:masters` may do anything.
    AlwaysDeny,
    /// The roles and bindings of the cluster decide.
    Rbac,
    /// Nodes may do what concerns their pods.
    Node,
    /// The webhook at this position among those of the authorizer.
    Webhook(usize),
}

impl AuthorizationMode {
    /// Returns the name in the flag.
    pub fn name(self) -> &'static str {
        match self {
            Self::AlwaysAllow => "AlwaysAllow",
            Self::AlwaysDeny => "AlwaysDeny",
            Self::Rbac => "RBAC",
            Self::Node => "Node",
            Self::Webhook(_) => "Webhook",
        }
    }
}

/// A question to the authorizer: may the user do this?
#[derive(Clone, Copy, Debug)]
pub struct Access<'a> {
    /// Name of the user.
    pub user: &'a str,
    /// Groups that the user is in.
    pub groups: &'a [String],
    /// The verb, such as `update`.
    pub verb: &'a str,
    /// The target.
    pub subject: Subject<'a>,
}

/// The target of an action.
#[derive(Clone, Copy, Debug)]
pub enum Subject<'a> {
    /// An object, or all of a resource.
    Resource(ResourceAttributes<'a>),
    /// A path of the server that is not a resource, such as `/healthz`.
    Path(&'a str),
}

/// The object or objects; empty fields do not restrict them.
#[derive(Clone, Copy, Debug, Default)]
pub struct ResourceAttributes<'a> {
    /// Namespace; empty for cluster-wide questions.
    pub namespace: &'a str,
    /// API group.
    pub group: &'a str,
    /// Resource, such as `deployments`.
    pub resource: &'a str,
    /// Subresource, such as `status`.
    pub sub_resource: &'a str,
    /// Name of the object.
    pub name: &'a str,
}

impl<'a> ResourceAttributes<'a> {
    /// Returns the signer of certificates called `name`.
    pub fn signer(name: &'a str) -> Self {
        Self { group: "certificates.k8s.io", resource: "signers", name, ..Self::default() }
    }
}

/// A right that a role can grant to a user.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Right {
    /// Name of the user.
    pub user: String,
    /// The namespace in which the user needs it; empty if everywhere.
    pub namespace: String,
    /// API group.
    pub group: String,
    /// Resource, with its subresource after a slash.
    pub resource: String,
    /// The verb.
    pub verb: String,
    /// Name of the object; empty if the right is about all.
    pub name: String,
}

impl Access<'_> {
    /// Returns the right that would allow it; nothing about a path that is not a resource.
    pub fn right(&self) -> Option<Right> {
        let Subject::Resource(attributes) = self.subject else { return None };
        let ResourceAttributes { namespace, group, resource, sub_resource, name } = attributes;
        let slash = if sub_resource.is_empty() { "" } else { "/" };
        Some(Right {
            user: self.user.to_owned(),
            namespace: namespace.to_owned(),
            group: group.to_owned(),
            resource: format!("{resource}{slash}{sub_resource}"),
            verb: self.verb.to_owned(),
            name: name.to_owned(),
        })
    }
}

/// The authorizer's answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decision {
    /// Whether the user may.
    pub allowed: bool,
    /// The server's reason, which is often empty.
    pub reason: String,
}

/// A rule of a role: what it allows. `*` means everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rule {
    /// The allowed verbs.
    pub verbs: Vec<String>,
    /// API groups of the resources.
    pub api_groups: Vec<String>,
    /// Resources: `pods`, `pods/status`, `*/status`.
    pub resources: Vec<String>,
    /// Names of the objects; all objects if empty.
    pub resource_names: Vec<String>,
    /// Paths of the server that are not resources; a `*` at the end matches any suffix.
    pub non_resource_urls: Vec<String>,
}

impl Rule {
    /// Returns rules that allow everything.
    pub fn everything() -> [Self; 2] {
        everything()
    }
}

/// The rights of a user, as a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Permissions {
    /// The rules that allow it.
    pub rules: Vec<Rule>,
    /// The errors that prevented a complete list.
    pub errors: Vec<String>,
    /// Whether the user may do more than can be listed.
    pub incomplete: bool,
}

/// The authorizer of a server, with its modes in order: the first that allows decides.
#[derive(Debug)]
pub struct Authorizer {
    cluster: Arc<Cluster>,
    modes: Vec<AuthorizationMode>,
    webhooks: Vec<AuthorizationWebhook>,
    /// Whether an expression of a policy or webhook asked it something.
    was_asked_by_expressions: AtomicBool,
    gates: Arc<ServerProfile>,
    /// The roles and bindings that the server creates, which are not read for modes that need none.
    built_in: OnceLock<Arc<BuiltIn>>,
    bindings: Derived<Bindings>,
    policy: Derived<Policy>,
}

impl Authorizer {
    /// Returns the authorizer of a server with `modes`, over the roles and bindings in `cluster`.
    pub fn new(cluster: Arc<Cluster>, modes: Vec<AuthorizationMode>) -> Self {
        Self {
            cluster,
            modes,
            webhooks: Vec::new(),
            was_asked_by_expressions: AtomicBool::new(false),
            gates: Arc::default(),
            built_in: OnceLock::new(),
            bindings: Derived::of(&openshift::BINDINGS),
            policy: Derived::of(&RESOURCES),
        }
    }

    /// Returns the same authorizer on a server of the release of `gates`, whose own roles and bindings follow them.
    #[must_use]
    pub fn with_gates(self, gates: Arc<ServerProfile>) -> Self {
        Self { gates, built_in: OnceLock::new(), ..self }
    }

    /// Returns the same authorizer with the webhooks of the modes that are one.
    #[must_use]
    pub fn with_webhooks(self, webhooks: Vec<AuthorizationWebhook>) -> Self {
        Self { webhooks, ..self }
    }

    /// Decides on a question of an expression.
    pub fn authorize_expression(&self, access: &Access<'_>) -> Decision {
        self.was_asked_by_expressions.store(true, Ordering::Relaxed);
        self.authorize(access)
    }

    /// Returns what the answers so far leave open, a sentence each.
    pub fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        if self.was_asked_by_expressions.load(Ordering::Relaxed) && self.allows_everything() {
            remarks.push(
                "the `authorizer` of expressions allows everything, as --authorization-mode is AlwaysAllow; with RBAC the \
                 roles among the cluster objects decide"
                    .to_owned(),
            );
        }
        for webhook in self.webhooks.iter().filter(|webhook| webhook.asked() > 0 && !webhook.name.is_empty())
        {
            let questions = match webhook.asked() {
                1 => "1 question".to_owned(),
                count => format!("{count} questions"),
            };
            remarks.push(format!(
                "the authorization webhook {} would be asked {questions}; it is skipped and has no opinion",
                webhook.name
            ));
        }
        remarks
    }

    /// Adds what leaves answers of `other` open.
    #[cfg(feature = "cli")]
    pub(crate) fn join(&self, other: &Self) {
        self.was_asked_by_expressions
            .fetch_or(other.was_asked_by_expressions.load(Ordering::Relaxed), Ordering::Relaxed);
    }

    /// Whether a webhook decides as well.
    #[cfg(feature = "cli")]
    pub(crate) fn has_webhooks(&self) -> bool {
        !self.webhooks.is_empty()
    }

    /// Whether every user may do everything.
    pub fn allows_everything(&self) -> bool {
        self.modes.contains(&AuthorizationMode::AlwaysAllow)
    }

    /// Decides on `access`.
    pub fn authorize(&self, access: &Access<'_>) -> Decision {
        if access.groups.iter().any(|group| group == SYSTEM_MASTERS) {
            return Decision { allowed: true, reason: String::new() };
        }
        let mut reasons = Vec::new();
        for mode in &self.modes {
            let decision = match mode {
                AuthorizationMode::AlwaysAllow => Decision { allowed: true, reason: String::new() },
                AuthorizationMode::AlwaysDeny => {
                    Decision { allowed: false, reason: "Everything is forbidden.".to_owned() }
                }
                AuthorizationMode::Rbac => self.policy().authorize(access),
                AuthorizationMode::Node => node::authorize(&self.cluster, self.built_in(), access),
                AuthorizationMode::Webhook(position) => {
                    match self.webhooks.get(*position).and_then(|webhook| webhook.decide(access)) {
                        // A denial is final, unlike the lack of an opinion.
                        Some(denied) => return denied,
                        None => continue,
                    }
                }
            };
            if decision.allowed {
                return decision;
            }
            reasons.extend(Some(decision.reason).filter(|reason| !reason.is_empty()));
        }
        Decision { allowed: false, reason: reasons.join("\n") }
    }

    /// Decides on `access` by roles alone, independent of the modes.
    pub fn authorize_by_roles(&self, access: &Access<'_>) -> Decision {
        self.policy().authorize(access)
    }

    /// Returns a number that changes with the roles and bindings.
    pub fn revision(&self) -> u64 {
        RESOURCES.iter().map(|resource| self.cluster.revision(resource)).sum()
    }

    /// Lets a user `verb` the resource.
    ///
    /// # Errors
    ///
    /// Returns 403 if the user may not.
    ///
    /// Source: `responsewriters.ForbiddenStatusError`
    pub fn require(
        &self,
        user: &str,
        groups: &[String],
        verb: &str,
        attributes: ResourceAttributes<'_>,
    ) -> Result<(), Status> {
        let subject = Subject::Resource(attributes);
        let decision = self.authorize(&Access { user, groups, verb, subject });
        if decision.allowed {
            return Ok(());
        }
        let ResourceAttributes { namespace, group, resource, sub_resource, name } = attributes;
        let target = if sub_resource.is_empty() { resource } else { &*format!("{resource}/{sub_resource}") };
        let scope = match namespace {
            "" => "at the cluster scope".to_owned(),
            namespace => format!("in the namespace \"{namespace}\""),
        };
        let mut error =
            format!("User \"{user}\" cannot {verb} resource \"{target}\" in API group \"{group}\" {scope}");
        if !decision.reason.is_empty() {
            error = format!("{error}: {}", decision.reason);
        }
        let resource = GroupResource { group: group.to_owned().into(), resource: resource.to_owned().into() };
        Err(Status::new_forbidden(&resource, name, &error))
    }

    /// Whether the user may `verb` on behalf of a signer of certificates: this one, or all of its domain.
    ///
    /// Source: `certauthorization.IsAuthorizedForSignerName`.
    pub fn authorizes_for_signer(&self, user: &str, groups: &[String], verb: &str, signer: &str) -> bool {
        let domain = signer.split('/').next().unwrap_or_default();
        [signer, &format!("{domain}/*")].into_iter().any(|name| {
            let signers = ResourceAttributes::signer(name);
            self.authorize(&Access { user, groups, verb, subject: Subject::Resource(signers) }).allowed
        })
    }

    /// Returns the rights of the user in `namespace`, including cluster-wide ones.
    ///
    /// Source: `RulesFor`.
    pub fn rules(&self, user: &str, groups: &[String], namespace: &str) -> Permissions {
        let mut permissions = Permissions::default();
        for mode in &self.modes {
            match mode {
                AuthorizationMode::AlwaysAllow => permissions.rules.extend(everything()),
                AuthorizationMode::Rbac => {
                    let policy = self.policy();
                    let (found, wrong) = policy.rules(user, groups, namespace);
                    permissions.rules.extend(found.into_iter().cloned());
                    permissions.errors.extend(wrong.into_iter().map(str::to_owned));
                }
                AuthorizationMode::Node if node::name(user, groups).is_some() => {
                    permissions.incomplete = true;
                    let error = "node authorizer does not support user rule resolution";
                    permissions.errors.push(error.to_owned());
                }
                AuthorizationMode::Webhook(_) => {
                    permissions.incomplete = true;
                    let error = "webhook authorizer does not support user rule resolution";
                    permissions.errors.push(error.to_owned());
                }
                AuthorizationMode::Node | AuthorizationMode::AlwaysDeny => {}
            }
        }
        permissions
    }

    /// Returns the rules that roles grant the user in `namespace`, independent of the modes, and the errors in
    /// bindings.
    ///
    /// Source: `DefaultRuleResolver.RulesFor`
    pub fn rules_by_roles(
        &self,
        user: &str,
        groups: &[String],
        namespace: &str,
    ) -> (Vec<Rule>, Option<String>) {
        let policy = self.policy();
        let (rules, errors) = policy.rules(user, groups, namespace);
        let errors: Vec<String> = errors.into_iter().map(str::to_owned).collect();
        let error = (!errors.is_empty()).then(|| aggregate(&errors.iter().collect::<Vec<_>>()));
        (rules.into_iter().cloned().collect(), error)
    }

    /// Returns the rules of a role.
    ///
    /// # Errors
    ///
    /// Returns 404 if there is none.
    ///
    /// Source: `DefaultRuleResolver.GetRoleReferenceRules`
    pub fn role_rules(&self, kind: &str, namespace: &str, name: &str) -> Result<Vec<Rule>, Status> {
        self.roles().rules_of_role(kind, namespace, name)
    }

    /// Returns a note if the roles decide, and no binding among the cluster objects grants one.
    pub fn note(&self) -> Option<String> {
        let by_roles = self.modes.contains(&AuthorizationMode::Rbac);
        let has_bindings =
            openshift::BINDINGS.iter().any(|resource| !self.cluster.list_all(resource).is_empty());
        (by_roles && !has_bindings).then(|| {
            "--authorization-mode=RBAC, but no role binding is among the cluster objects: users may only do what the \
             roles of every server allow"
                .to_owned()
        })
    }

    fn policy(&self) -> Arc<Policy> {
        let bindings = || self.bindings.get(&self.cluster, || Bindings::of(&self.cluster, self.built_in()));
        self.policy.get(&self.cluster, || Policy::new(bindings(), self.roles()))
    }

    fn roles(&self) -> Roles {
        Roles { cluster: self.cluster.clone(), built_in: self.built_in().clone() }
    }

    /// Returns the roles and bindings that the server creates.
    pub fn own_objects(&self) -> &[(GroupResource, Arc<Object>)] {
        self.built_in()
    }

    fn built_in(&self) -> &Arc<BuiltIn> {
        self.built_in.get_or_init(|| bootstrap::objects(&self.gates).into())
    }
}

/// Returns the rules of users who may do everything.
fn everything() -> [Rule; 2] {
    let all = || vec!["*".to_owned()];
    let resources = Rule { verbs: all(), api_groups: all(), resources: all(), ..Rule::default() };
    [resources, Rule { verbs: all(), non_resource_urls: all(), ..Rule::default() }]
}

#[cfg(test)]
mod tests;
