//! Lets a project restrict who may be bound to its roles: if there are RoleBindingRestrictions, only users, groups and
//! service accounts that one of them lists.
//!
//! # When it rejects
//!
//! - A new subject of a RoleBinding is allowed by none of the restrictions.
//! - A restriction is empty.
//!
//! # Cluster objects it reads
//!
//! The RoleBindingRestrictions of the namespace, `users` and `groups` of user.openshift.io.
//!
//! # Offline
//!
//! Nothing is assumed.
//!
//! # Since
//!
//! OpenShift 3.4, on by default since 4.0.
//!
//! # Upstream
//!
//! `openshift/kubernetes/openshift-kube-apiserver/admission/authorization/restrictusers`

use std::sync::Arc;

use crate::admission::{Attributes, Evidence, Handler, Recorder, Refusal, ValidationInterface};
use crate::cluster::Cluster;
use crate::plugin::PluginInitializer;
use gotext::quote;
use kube_api::field::{self, Path};
use kube_api::labels::Selector;
use kube_api::{GroupResource, Object, Value};

const RESTRICTIONS: GroupResource =
    GroupResource::new("authorization.openshift.io", "rolebindingrestrictions");
const USERS: GroupResource = GroupResource::new("user.openshift.io", "users");
const GROUPS: GroupResource = GroupResource::new("user.openshift.io", "groups");

pub(super) fn new(initializer: &PluginInitializer) -> Handler {
    let is_origin = initializer.server.is_origin();
    Handler::validating(RestrictSubjectBindings { cluster: initializer.cluster.clone(), is_origin })
}

struct RestrictSubjectBindings {
    cluster: Arc<Cluster>,
    /// Origin's types are printed differently.
    is_origin: bool,
}

impl ValidationInterface for RestrictSubjectBindings {
    fn validate(&self, attributes: &Attributes, _: &mut Recorder) -> Result<(), Refusal> {
        if !attributes.is_for("rbac.authorization.k8s.io", "rolebindings") {
            return Ok(());
        }
        let Some(binding) = attributes.object.as_deref() else { return Ok(()) };
        let old = attributes.old_object.as_deref().map_or(&[][..], |old| old.list("subjects"));
        let subjects = binding.list("subjects").iter().enumerate();
        let new: Vec<(usize, &Value)> = subjects.filter(|(_, subject)| !old.contains(subject)).collect();
        let restrictions = self.cluster.list(&RESTRICTIONS, &attributes.namespace);
        if new.is_empty() || restrictions.is_empty() {
            return Ok(());
        }
        for restriction in &restrictions {
            if kind_of(restriction).is_none() {
                let spec = if self.is_origin {
                    "&{<nil> <nil> <nil>}"
                } else {
                    "&RoleBindingRestrictionSpec{UserRestriction:nil,GroupRestriction:nil,\
                     ServiceAccountRestriction:nil,}"
                };
                let error = format!(
                    "could not create rolebinding restriction subject checker: invalid RoleBindingRestrictionSpec: {spec}"
                );
                return Err(attributes.new_forbidden(error));
            }
        }
        let mut errors: Vec<String> = Vec::new();
        let mut paths = Vec::new();
        for (index, subject) in new {
            let mut own = Vec::new();
            let mut is_allowed = false;
            for restriction in &restrictions {
                match self.allows(restriction, subject, &attributes.namespace) {
                    Ok(allowed) => is_allowed |= allowed,
                    Err(error) => own.push(error),
                }
                if is_allowed {
                    break;
                }
            }
            if is_allowed {
                continue;
            }
            errors.extend(own);
            let (kind, name) = (subject.text("kind"), subject.text("name"));
            let namespace = quote(&attributes.namespace);
            errors.push(format!(
                "rolebindings to {kind} {} are not allowed in project {namespace}",
                quote(name)
            ));
            paths.push(Path::new("subjects").index(index));
        }
        if errors.is_empty() {
            return Ok(());
        }
        let refusal = attributes.new_forbidden(field::aggregate(&errors)).at_all(paths);
        Err(restrictions.iter().map(|found| evidence(found)).fold(refusal, Refusal::because))
    }
}

impl RestrictSubjectBindings {
    fn allows(&self, restriction: &Object, subject: &Value, namespace: &str) -> Result<bool, String> {
        let Some((field, rules)) = kind_of(restriction) else { return Ok(false) };
        let (kind, name) = (subject.text("kind"), subject.text("name"));
        let lists = |field: &str, wanted: &str| {
            rules.list(field).iter().any(|listed| listed.as_str() == Some(wanted))
        };
        match (field, kind) {
            ("userrestriction", "User") => {
                let is_member = || {
                    rules.list("groups").iter().filter_map(Value::as_str).any(|group| {
                        let found = self.cluster.get(&GROUPS, "", group);
                        found.is_some_and(|group| {
                            group.list("users").iter().any(|user| user.as_str() == Some(name))
                        })
                    })
                };
                Ok(lists("users", name) || is_member() || self.matches(rules, &USERS, name)?)
            }
            ("grouprestriction", "Group") => Ok(lists("groups", name) || self.matches(rules, &GROUPS, name)?),
            ("serviceaccountrestriction", "ServiceAccount") => {
                let or_own =
                    |given: &str| if given.is_empty() { namespace.to_owned() } else { given.to_owned() };
                let own = or_own(subject.text("namespace"));
                let is_account = |account: &Value| {
                    account.text("name") == name && or_own(account.text("namespace")) == own
                };
                Ok(lists("namespaces", &own) || rules.list("serviceaccounts").iter().any(is_account))
            }
            _ => Ok(false),
        }
    }

    /// Whether the labels of the object `name` match one of the selectors.
    fn matches(&self, rules: &Value, resource: &GroupResource, name: &str) -> Result<bool, String> {
        let selectors = rules.list("labels");
        if selectors.is_empty() {
            return Ok(false);
        }
        let found = self.cluster.get(resource, "", name);
        let found = found.ok_or_else(|| format!("{resource} {} not found", quote(name)))?;
        for selector in selectors {
            let selector = Selector::from_label_selector(selector).map_err(|error| error.to_string())?;
            if selector.matches_labels(found.at(["metadata", "labels"])) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Returns the first of the three kinds of rules that a restriction has.
fn kind_of(restriction: &Object) -> Option<(&'static str, &Value)> {
    let kinds = ["userrestriction", "grouprestriction", "serviceaccountrestriction"];
    kinds.into_iter().find_map(|kind| {
        let rules = restriction.at(["spec", kind]).filter(|rules| !rules.is_null())?;
        Some((kind, rules))
    })
}

fn evidence(restriction: &Object) -> Evidence {
    Evidence::of(RESTRICTIONS, restriction, "does not list the subject").at(Path::new("spec"))
}
