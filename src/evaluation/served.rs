//! The resources that a server serves, for requests that only read: they need no evaluator.

use std::sync::Arc;

use crate::cluster::Cluster;
use crate::evaluation::routing::Routing;
use crate::evaluation::server::handlers::Handlers;
use crate::evaluation::target::Target;
use crate::evaluation::{Evaluator, Request, UnknownKind};
use kube_api::resource::{self, ApiResource, RuntimeConfig};
use kube_api::server_profile::ServerProfile;
use kube_api::version::Version;
use kube_api::{GroupResource, GroupVersionKind, GroupVersionResource, Object, Status};
use kube_registry::custom_resource::{self, CustomResource};

/// The resources of a server, including the custom resources of its cluster.
#[derive(Clone, Debug)]
pub struct Routes {
    cluster: Arc<Cluster>,
    runtime_config: RuntimeConfig,
    handlers: Arc<dyn Handlers>,
    profile: Arc<ServerProfile>,
}

/// A resource or subresource that a server serves.
#[derive(Clone, Debug)]
pub struct Served {
    target: Target,
    is_scale: bool,
}

impl Evaluator {
    /// Returns the resources that the server serves.
    pub fn routes(&self) -> Routes {
        Routes {
            cluster: self.cluster.clone(),
            runtime_config: self.runtime_config.clone(),
            handlers: self.handlers.clone(),
            profile: self.profile.clone(),
        }
    }
}

impl Routes {
    /// Returns the resource in the path of a request, or its subresource.
    ///
    /// # Errors
    ///
    /// Returns the server's answer if there is no such resource.
    pub fn find(&self, resource: &GroupVersionResource, sub_resource: &str) -> Result<Served, Status> {
        let request = Request::to(resource.clone(), sub_resource);
        let release = self.profile.release();
        let routing = Routing::of(&request, release);
        match routing.finish(&request, &self.cluster, &self.runtime_config, &*self.handlers, release) {
            Ok(target) => Ok(Served { target: target?, is_scale: sub_resource == "scale" }),
            Err(unknown) => Err(UnknownKind::status(&unknown)),
        }
    }

    /// Returns the built-in resources that the server serves, in the order of discovery.
    pub fn built_in(&self) -> impl Iterator<Item = &'static ApiResource> {
        let all = resource::of_release(self.profile.release()).iter();
        all.filter(|found| self.runtime_config.serves(found))
    }

    /// Returns the definition of custom resources called `plural`.
    pub fn custom_resource(&self, group: &str, plural: &str) -> Option<Arc<CustomResource>> {
        self.cluster.custom_resource(group, plural)
    }

    /// Returns the gates of the server.
    pub fn profile(&self) -> &ServerProfile {
        &self.profile
    }
}

impl Served {
    /// Returns the resource.
    pub fn resource(&self) -> &GroupVersionResource {
        &self.target.resource
    }

    /// Returns the kind of the objects that requests carry.
    pub fn kind(&self) -> &GroupVersionKind {
        &self.target.kind
    }

    /// Returns the resource that the objects are stored as.
    pub fn stored_as(&self) -> GroupResource {
        self.target.group_resource()
    }

    /// Whether the objects live in namespaces.
    pub fn is_namespaced(&self) -> bool {
        self.target.namespaced
    }

    /// Whether requests with `verb` are served.
    pub fn serves(&self, verb: &str) -> bool {
        self.target.serves_verb(verb)
    }

    /// Returns the version of the custom resource, if it is one.
    pub fn custom(&self) -> Option<(&CustomResource, &custom_resource::Version)> {
        self.target.strategy.definition()
    }

    /// Returns a stored object as a request for this resource reads it.
    pub fn read(&self, object: Arc<Object>) -> Arc<Object> {
        let object = self.target.read_stored(object);
        if self.is_scale { Arc::new(self.target.strategy.scale_of(&object)) } else { object }
    }

    /// Returns the warning about every request for the resource.
    pub fn deprecation_warning(&self, release: Version) -> Option<String> {
        self.target.deprecation_warning(release)
    }
}
