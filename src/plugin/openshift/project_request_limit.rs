//! Limits the number of projects that a user may request, by labels of the user, so that no user fills the cluster with
//! them.
//!
//! # When it rejects
//!
//! - The user has reached the first limit whose selector matches.
//! - There is no User with the name.
//!
//! # Configuration
//!
//! ```yaml
//! apiVersion: project.openshift.io/v1
//! kind: ProjectRequestLimitConfig
//! limits:
//! - selector: {level: gold}
//!   maxProjects: 10
//! - maxProjects: 2
//! maxProjectsForServiceAccounts: 0
//! ```
//!
//! # Cluster objects it reads
//!
//! Namespaces (annotation `openshift.io/requester`), `users` of user.openshift.io.
//!
//! # Offline
//!
//! Nothing is assumed.
//!
//! # Since
//!
//! OpenShift 3.1; without a configuration it is not there.
//!
//! # Upstream
//!
//! `openshift/openshift-apiserver/pkg/project/apiserver/admission/requestlimit`

use std::sync::Arc;

use crate::admission::{Attributes, Handler, Recorder, Refusal, ValidationInterface};
use crate::cluster::Cluster;
use crate::plugin::openshift::{configuration, lookup};
use crate::plugin::{FactoryError, PluginConfiguration, PluginInitializer};
use gotext::names;
use kube_api::distribution::{OriginRelease, Server};
use kube_api::field::{self, Path};
use kube_api::resources::NAMESPACES;
use kube_api::{GroupResource, Status, Value, pairs, service_account};

const KIND: &str = "ProjectRequestLimitConfig";

pub(super) fn new(
    initializer: &PluginInitializer,
    given: Option<&PluginConfiguration>,
) -> Result<Handler, FactoryError> {
    let is_origin = initializer.server.is_origin();
    if is_origin && let Some(disable) = configuration::switch_of(given) {
        return Err(FactoryError::Configuration(format!(
            "unexpected config object: &api.DefaultAdmissionConfig{{TypeMeta:unversioned.TypeMeta{{Kind:\"\", \
             APIVersion:\"\"}}, Disable:{disable}}}"
        )));
    }
    let read = configuration::read(initializer, given, ("project.openshift.io", KIND))?;
    let Some(given) = read else { return Ok(Handler::default()) };
    let limits = Limits::of(&given)?;
    let is_1_4 = initializer.server == Server::Origin(OriginRelease::V1_4);
    let cluster = initializer.cluster.clone();
    Ok(Handler::validating(ProjectRequestLimit { cluster, limits, is_origin, is_1_4 }))
}

struct ProjectRequestLimit {
    cluster: Arc<Cluster>,
    limits: Limits,
    is_origin: bool,
    is_1_4: bool,
}

/// The number of projects that users may request.
struct Limits {
    /// Labels of users, and the number that they may have; none means unlimited.
    by_selector: Vec<(Value, Option<i64>)>,
    of_system_users: Option<i64>,
    of_service_accounts: Option<i64>,
}

impl Limits {
    fn of(given: &Value) -> Result<Self, FactoryError> {
        let mut errors = Vec::new();
        let number = |errors: &mut Vec<field::Error>, value: &Value, field: &str, path: Path| {
            let found = value.get(field).and_then(Value::as_i64);
            if let Some(negative) = found.filter(|number| *number < 0) {
                let detail = "cannot be a negative number";
                errors.push(field::Error::invalid(&path, &Value::from(negative), detail));
            }
            found
        };
        let mut by_selector = Vec::new();
        for (index, limit) in given.list("limits").iter().enumerate() {
            let path = Path::new("limits").index(index);
            let selector = limit.get("selector").cloned().unwrap_or_default();
            for (key, value) in pairs(Some(&selector)) {
                let path = path.child("selector");
                let messages = names::is_qualified_name(key).into_iter().map(|why| (key, why));
                let values = names::is_valid_label_value(value).into_iter().map(|why| (value, why));
                errors.extend(
                    messages.chain(values).map(|(text, why)| field::Error::invalid_text(&path, text, why)),
                );
            }
            let most = number(&mut errors, limit, "maxProjects", path.child("maxProjects"));
            by_selector.push((selector, most));
        }
        let [of_system_users, of_service_accounts] =
            ["maxProjectsForSystemUsers", "maxProjectsForServiceAccounts"]
                .map(|field| number(&mut errors, given, field, Path::new(field)));
        if !errors.is_empty() {
            return Err(FactoryError::Configuration(field::aggregate(&errors)));
        }
        Ok(Self { by_selector, of_system_users, of_service_accounts })
    }
}

impl ValidationInterface for ProjectRequestLimit {
    fn validate(&self, attributes: &Attributes, _: &mut Recorder) -> Result<(), Refusal> {
        let resource = &attributes.resource;
        let is_request = resource.resource == "projectrequests"
            && ["", "project.openshift.io"].contains(&&*resource.group)
            && !attributes.has_sub_resource();
        if !is_request {
            return Ok(());
        }
        let user = attributes.user_info.username.as_str();
        let Some(most) = self.limit_of(user)? else { return Ok(()) };
        if self.count(user) < most {
            return Ok(());
        }
        let error = format!("user {user} cannot create more than {most} project(s).");
        Err(attributes.new_forbidden(error))
    }
}

impl ProjectRequestLimit {
    fn limit_of(&self, user: &str) -> Result<Option<i64>, Refusal> {
        if is_service_account(user) {
            return Ok(self.limits.of_service_accounts);
        }
        if !is_user_name(user, self.is_origin) {
            return Ok(self.limits.of_system_users);
        }
        if self.limits.by_selector.is_empty() {
            return Ok(None);
        }
        let found = lookup::find(&self.cluster, "user.openshift.io", "users", "", user).ok_or_else(|| {
            let group = if self.is_1_4 { "" } else { "user.openshift.io" };
            Status::new_not_found(&GroupResource::new(group, "users"), user)
        })?;
        let matches =
            |selector: &Value| pairs(Some(selector)).all(|(key, value)| found.label(key) == Some(value));
        let first = self.limits.by_selector.iter().find(|(selector, _)| matches(selector));
        Ok(first.and_then(|(_, most)| *most))
    }

    /// Returns the projects that `user` requested. Up to two terminating ones do not count.
    fn count(&self, user: &str) -> i64 {
        let (mut count, mut terminating) = (0, 0);
        for namespace in self.cluster.list_all(&NAMESPACES) {
            if namespace.annotation("openshift.io/requester") != Some(user) {
                continue;
            }
            count += 1;
            terminating += i64::from(namespace.text(["status", "phase"]) == "Terminating");
        }
        count - terminating.min(2)
    }
}

fn is_service_account(user: &str) -> bool {
    service_account::split_username(user).is_some_and(|(namespace, name)| {
        names::is_dns1123_label(namespace).is_empty() && names::is_dns1123_subdomain(name).is_empty()
    })
}

fn is_user_name(user: &str, is_origin: bool) -> bool {
    let has_colon = user.contains(':') && (is_origin || !user.starts_with("b64:"));
    ![".", "..", "~"].contains(&user) && !user.contains(['/', '%']) && !has_colon
}
