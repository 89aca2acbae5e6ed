//! What the servers of OpenShift do with a request besides admission.

mod image_streams;
mod origin;
mod projects;
mod proxied;
mod routes;
mod storage_key;

use std::sync::Arc;

use crate::admission::{Operation, Refusal, Trace};
use crate::configuration::OpenShiftSettings;
use crate::evaluation::Request;
use crate::evaluation::server::handlers::{Handlers, Kubernetes, Missing};
use crate::evaluation::server::{Call, Server};
use crate::evaluation::target::Target;
use kube_api::distribution::{self, Distribution};
use kube_api::resource::{self, ApiResource, RuntimeConfig};
use kube_api::{Object, field};
use kube_registry::openshift::{RequestContext, image_stream, project};

use image_streams::ImageStreams;
use origin::Origin;

/// Returns the handlers of the servers of `distribution`.
pub(super) fn handlers(distribution: Distribution, settings: OpenShiftSettings) -> Arc<dyn Handlers> {
    match distribution {
        Distribution::Kubernetes => Arc::new(Kubernetes),
        Distribution::OpenShift => Arc::new(OpenShift { settings }),
        Distribution::Origin(release) => Arc::new(Origin { release, settings }),
    }
}

/// OpenShift 4: its kube-apiserver, and openshift-apiserver next to it.
#[derive(Debug)]
struct OpenShift {
    settings: OpenShiftSettings,
}

impl OpenShift {
    fn streams<'a>(&'a self, server: Server<'a>) -> ImageStreams<'a> {
        ImageStreams { server, settings: &self.settings, origin: None }
    }
}

impl Handlers for OpenShift {
    fn target(&self, request: &Request, apis: &RuntimeConfig) -> Option<Target> {
        let found = resource_of(request)?;
        let server = apis.server_of(found.group, found.resource);
        (server == distribution::Server::OpenShiftApiserver)
            .then(|| Target::aggregated(found, &request.sub_resource))?
    }

    fn storage(&self, target: &Target) -> (&'static str, Option<String>) {
        storage_key::of(target, false)
    }

    fn makes_namespace(&self, target: &Target) -> bool {
        is_project(target)
    }

    fn update_missing(&self, server: Server<'_>, call: &Call) -> Missing {
        if !image_stream::is_tag(&call.target.kind) {
            return Missing::NotFound;
        }
        match self.streams(server).stream_of(call) {
            Some(_) => Missing::Changed(image_streams::unset_tag(call, true)),
            None => Missing::Created,
        }
    }

    fn allocate(&self, server: Server<'_>, object: &mut Object, call: &Call) -> Vec<field::Error> {
        self.with_assignment(server, call, |assignment| assignment.allocate(object))
    }

    fn forbidden_changes(
        &self,
        server: Server<'_>,
        object: &Object,
        old: &Object,
        call: &Call,
    ) -> Vec<field::Error> {
        if !call.sub_resource.is_empty() {
            return Vec::new();
        }
        self.with_assignment(server, call, |assignment| assignment.validate_update(object, old))
    }

    fn with_context(&self, server: Server<'_>, call: &Call, with: &mut dyn FnMut(RequestContext<'_>)) {
        let image_streams = self.streams(server).context(call);
        let registry = &self.settings.registry;
        routes::with_facts(server, call, |facts| {
            with(RequestContext { image_streams: image_streams.as_ref(), facts, registry });
        });
    }

    fn refuse_invalid(
        &self,
        server: Server<'_>,
        object: &Object,
        old: Option<&Object>,
        call: &Call,
        errors: Vec<field::Error>,
    ) -> Result<(), Refusal> {
        self.streams(server).refuse_invalid(object, old, call, errors)
    }

    fn write_others(
        &self,
        server: Server<'_>,
        object: &Object,
        call: &Call,
        trace: &mut Trace,
    ) -> Result<(), Refusal> {
        self.streams(server).write(object, call)?;
        proxied::write(server, object, call, trace)?;
        if self.makes_namespace(&call.target) && call.operation == Operation::Create {
            projects::create_namespace(server, object, call)?;
        }
        Ok(())
    }
}

/// Whether objects of `target` are projects, or requests of them.
fn is_project(target: &Target) -> bool {
    project::makes_namespace(&target.kind) && target.is_aggregated()
}

/// Returns the resource of openshift-apiserver that a request is for.
fn resource_of(request: &Request) -> Option<&'static ApiResource> {
    match (&request.resource, &request.kind) {
        (Some(resource), _) => resource::openshift_by_resource(resource),
        (None, Some(kind)) => resource::openshift_by_kind(kind),
        (None, None) => None,
    }
}
