//! Lets only users with a right to a strategy run builds with it: a custom build or one from a Dockerfile can do more
//! on a node than a build from source.
//!
//! # When it rejects
//!
//! - The user may not create the resource of the strategy, such as `builds/docker` or `builds/custom`.
//! - The build or build config to be cloned or instantiated does not exist.
//!
//! # Cluster objects it reads
//!
//! Roles and bindings, `builds` and `buildconfigs` of build.openshift.io.
//!
//! # Offline
//!
//! Nothing is assumed.
//!
//! # Since
//!
//! OpenShift 3.0, on by default.
//!
//! # Upstream
//!
//! `openshift/openshift-apiserver/pkg/build/apiserver/admission/strategyrestrictions`

use std::sync::Arc;

use crate::admission::{Attributes, Handler, Recorder, Refusal, UserInfo, ValidationInterface};
use crate::cluster::Cluster;
use crate::cluster::authorizer::{Authorizer, ResourceAttributes};
use crate::plugin::PluginInitializer;
use crate::plugin::openshift::lookup;
use gotext::quote;
use gotext::value::json;
use kube_api::distribution::{OriginRelease, Server};
use kube_api::field::Path;
use kube_api::{GroupResource, Map, Object, Value};

const GROUP: &str = lookup::BUILD;
/// The fields of a strategy in the order of their Go type.
const STRATEGY_TYPES: [&str; 4] = ["Docker", "Source", "Custom", "JenkinsPipeline"];
/// The field of a strategy, the subresource of the right to it, and its name in messages.
const STRATEGIES: [(&str, &str, &str); 4] = [
    ("dockerStrategy", "docker", "Docker"),
    ("customStrategy", "custom", "Custom"),
    ("sourceStrategy", "source", "Source"),
    ("jenkinsPipelineStrategy", "jenkinspipeline", "JenkinsPipeline"),
];

pub(super) fn new(initializer: &PluginInitializer) -> Handler {
    Handler::validating(BuildByStrategy {
        cluster: initializer.cluster.clone(),
        authorizer: initializer.authorizer.clone(),
        has_groups: initializer.server != Server::Origin(OriginRelease::V1_4),
    })
}

struct BuildByStrategy {
    cluster: Arc<Cluster>,
    authorizer: Arc<Authorizer>,
    /// Whether the server has API groups, as it does since 3.6.
    has_groups: bool,
}

impl ValidationInterface for BuildByStrategy {
    fn validate(&self, attributes: &Attributes, recorder: &mut Recorder) -> Result<(), Refusal> {
        let resource = attributes.resource.group_resource();
        let is_build = resource.resource == "builds";
        let is_own = (is_build || resource.resource == "buildconfigs")
            && (resource.group.is_empty() || self.has_groups && resource.group == GROUP);
        if !is_own || is_build && attributes.sub_resource == "details" {
            return Ok(());
        }
        let Some(object) = attributes.object.clone() else { return Ok(()) };
        let is_same = |old: &Object| without_collected(old) == without_collected(&object);
        if self.has_groups && attributes.old_object.as_deref().is_some_and(is_same) {
            return Ok(());
        }
        let build = if attributes.kind.kind == "BuildRequest" {
            let stored = self.stored(&resource, &attributes.namespace, object.name());
            stored.ok_or_else(|| {
                attributes.new_forbidden(format!("{resource} {} not found", quote(object.name())))
            })?
        } else {
            object
        };
        let Some((field, mut right, name)) = strategy_of(&build) else {
            let package = if self.has_groups { "build" } else { "api" };
            let fields =
                STRATEGY_TYPES.map(|name| format!("{name}Strategy:(*{package}.{name}BuildStrategy)(nil)"));
            let error =
                format!("unrecognized build strategy: {package}.BuildStrategy{{{}}}", fields.join(", "));
            return Err(attributes.new_forbidden(error));
        };
        if self.has_groups
            && field == "dockerStrategy"
            && !["", "None"].contains(&build.text(["spec", "strategy", field, "imageOptimizationPolicy"]))
        {
            right = "optimizeddocker";
        }
        let generated = build.generate_name();
        let resource = ResourceAttributes {
            namespace: &attributes.namespace,
            group: if self.has_groups { GROUP } else { "" },
            resource: "builds",
            sub_resource: right,
            name: if generated.is_empty() { build.name() } else { generated },
        };
        let user = &attributes.user_info;
        let in_scope = self.has_groups || is_in_scope(user);
        let allowed = in_scope && self.authorizer.authorize(&user.access("create", resource)).allowed;
        recorder.add_access_review(self.review(user, &resource, allowed));
        if allowed {
            return Ok(());
        }
        let error = format!("build strategy {name} is not allowed");
        Err(attributes.new_forbidden(error).at(Path::new("spec.strategy").child(field)))
    }
}

impl BuildByStrategy {
    fn stored(&self, resource: &GroupResource, namespace: &str, name: &str) -> Option<Arc<Object>> {
        let resource = if resource.resource == "builds" { "builds" } else { "buildconfigs" };
        lookup::find(&self.cluster, GROUP, resource, namespace, name)
    }

    /// Returns the question to the authorizer.
    fn review(&self, user: &UserInfo, asked: &ResourceAttributes<'_>, allowed: bool) -> Value {
        let mut review = json!({
            "user": user.username.clone(),
            "groups": user.groups.clone(),
            "verb": "create",
            "group": asked.group,
            "resource": format!("{}/{}", asked.resource, asked.sub_resource),
            "namespace": asked.namespace,
            "name": asked.name,
            "allowed": allowed,
        });
        let scopes = user.extra.get(lookup::SCOPES_1_4);
        if let Some(scopes) = scopes.filter(|_| !self.has_groups) {
            review["scopes"] = Value::from(scopes.clone());
        } else if self.has_groups && !user.extra.is_empty() {
            review["extra"] = json!(user.extra);
        }
        review
    }
}

/// Whether the scopes of the user's token, where it has some, allow what the roles allow: of the scopes that do not
/// name a role only `user:full` does.
fn is_in_scope(user: &UserInfo) -> bool {
    let scopes = user.extra.get(lookup::SCOPES_1_4);
    scopes.is_none_or(|scopes| scopes.is_empty() || scopes.iter().any(|scope| scope == "user:full"))
}

fn strategy_of(build: &Object) -> Option<(&'static str, &'static str, &'static str)> {
    STRATEGIES
        .into_iter()
        .find(|(field, ..)| build.at(["spec", "strategy", field]).is_some_and(|strategy| !strategy.is_null()))
}

/// Returns the object without the fields that the garbage collector and the server write.
fn without_collected(object: &Object) -> Value {
    let mut value = object.value.clone();
    if let Some(metadata) = value.get_mut("metadata").and_then(Value::as_object_mut) {
        for field in [
            "ownerReferences",
            "finalizers",
            "selfLink",
            "managedFields",
            "resourceVersion",
            "generation",
            "creationTimestamp",
            "uid",
        ] {
            metadata.remove(field);
        }
        metadata.retain(|_, value| !value.as_object().is_some_and(Map::is_empty));
    }
    value
}
