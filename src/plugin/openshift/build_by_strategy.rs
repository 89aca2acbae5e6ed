//! Lets only those run builds of a strategy who have the right to it: a custom build or one from a Dockerfile can
//! do more on a node than a build from source.
//!
//! # When it rejects
//!
//! - The user may not create the resource of the strategy, such as `builds/docker` or `builds/custom`.
//! - The build or build config that is to be cloned or instantiated does not exist.
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

use crate::admission::{Attributes, Handler, Recorder, Refusal, ValidationInterface};
use crate::api::field::Path;
use crate::api::{GroupResource, Map, Object, Value};
use crate::cluster::Cluster;
use crate::cluster::authorizer::{Authorizer, ResourceAttributes};
use crate::go::quote;
use crate::plugin::{FactoryError, PluginConfiguration, PluginInitializer};

const GROUP: &str = "build.openshift.io";
/// The field of a strategy, the subresource that stands for the right to it, and its name in messages.
const STRATEGIES: [(&str, &str, &str); 4] = [
    ("dockerStrategy", "docker", "Docker"),
    ("customStrategy", "custom", "Custom"),
    ("sourceStrategy", "source", "Source"),
    ("jenkinsPipelineStrategy", "jenkinspipeline", "JenkinsPipeline"),
];

#[expect(clippy::unnecessary_wraps, reason = "every factory has this signature")]
pub(super) fn new(
    initializer: &PluginInitializer,
    _: Option<&PluginConfiguration>,
) -> Result<Handler, FactoryError> {
    Ok(Handler::validating(BuildByStrategy {
        cluster: initializer.cluster.clone(),
        authorizer: initializer.authorizer.clone(),
        has_groups: !initializer.openshift.server.is_origin(),
    }))
}

struct BuildByStrategy {
    cluster: Arc<Cluster>,
    authorizer: Arc<Authorizer>,
    /// Whether the server has API groups, as it does since 3.6.
    has_groups: bool,
}

impl ValidationInterface for BuildByStrategy {
    fn validate(&self, attributes: &Attributes, _: &mut Recorder) -> Result<(), Refusal> {
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
            let error = "unrecognized build strategy: build.BuildStrategy{DockerStrategy:(*build.DockerBuildStrategy)(nil), \
                         SourceStrategy:(*build.SourceBuildStrategy)(nil), CustomStrategy:(*build.CustomBuildStrategy)(nil), \
                         JenkinsPipelineStrategy:(*build.JenkinsPipelineBuildStrategy)(nil)}";
            return Err(attributes.new_forbidden(error));
        };
        if self.has_groups
            && field == "dockerStrategy"
            && !["", "None"].contains(&build.text(&["spec", "strategy", field, "imageOptimizationPolicy"]))
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
        if self.authorizer.authorize(&attributes.user_info.access("create", resource)).allowed {
            return Ok(());
        }
        let error = format!("build strategy {name} is not allowed");
        Err(attributes.new_forbidden(error).at(Path::new("spec.strategy").child(field)))
    }
}

impl BuildByStrategy {
    fn stored(&self, resource: &GroupResource, namespace: &str, name: &str) -> Option<Arc<Object>> {
        let grouped = GroupResource { group: GROUP.into(), resource: resource.resource.clone() };
        self.cluster.get(&grouped, namespace, name)
    }
}

fn strategy_of(build: &Object) -> Option<(&'static str, &'static str, &'static str)> {
    STRATEGIES.into_iter().find(|(field, ..)| {
        build.at(&["spec", "strategy", field]).is_some_and(|strategy| !strategy.is_null())
    })
}

/// The object without what the garbage collector and the server write.
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
