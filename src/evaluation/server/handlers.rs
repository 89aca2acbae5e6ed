//! What the servers of a distribution do with a request besides admission.

use std::fmt;
use std::sync::Arc;

use crate::admission::{Attributes, Refusal, Trace};
use crate::evaluation::Request;
use crate::evaluation::server::checks::refuse_invalid;
use crate::evaluation::server::{Call, Server};
use crate::evaluation::target::Target;
use kube_api::resource::RuntimeConfig;
use kube_api::{Object, field};
use kube_registry::openshift::RequestContext;

/// Where the handling of requests differs between distributions. Kubernetes has none of it.
pub(in crate::evaluation) trait Handlers: fmt::Debug + Send + Sync {
    /// Returns the resource of a request that Kubernetes does not have.
    fn target(&self, _request: &Request, _apis: &RuntimeConfig) -> Option<Target> {
        None
    }

    /// Returns a resource of Kubernetes as the server handles it.
    fn on_server(&self, target: Target) -> Target {
        target
    }

    /// Returns the start of the keys under which objects are stored, and the name of the resource in them if Kubernetes
    /// would not call it so.
    fn storage(&self, _target: &Target) -> (&'static str, Option<String>) {
        ("/registry", None)
    }

    /// Whether the metadata of an object is completed before the plugins see it.
    fn completes_before_admission(&self) -> bool {
        true
    }

    /// Whether creating an object creates its namespace.
    fn makes_namespace(&self, _target: &Target) -> bool {
        false
    }

    /// Returns what an update of a missing object does.
    fn update_missing(&self, _server: Server<'_>, _call: &Call) -> Missing {
        Missing::NotFound
    }

    /// Fills in what a new object needs and only the server can know; returns the errors in fields that the user may not
    /// set.
    fn allocate(&self, _server: Server<'_>, _object: &mut Object, _call: &Call) -> Vec<field::Error> {
        Vec::new()
    }

    /// Returns the errors in the fields of `object` that the user may not change.
    fn forbidden_changes(
        &self,
        _server: Server<'_>,
        _object: &Object,
        _old: &Object,
        _call: &Call,
    ) -> Vec<field::Error> {
        Vec::new()
    }

    /// Calls `with` with what the strategy needs to know of the request and of the cluster.
    fn with_context(&self, _server: Server<'_>, _call: &Call, with: &mut dyn FnMut(RequestContext<'_>)) {
        with(RequestContext::default());
    }

    /// Refuses an object in which the strategy found `errors`, or that is not allowed to replace `old`.
    fn refuse_invalid(
        &self,
        server: Server<'_>,
        object: &Object,
        _old: Option<&Object>,
        call: &Call,
        errors: Vec<field::Error>,
    ) -> Result<(), Refusal> {
        refuse_invalid(&call.target, object, &errors, server.profile.release())
    }

    /// Writes the other objects that an admitted object stands for.
    fn write_others(
        &self,
        _server: Server<'_>,
        _object: &Object,
        _call: &Call,
        _trace: &mut Trace,
    ) -> Result<(), Refusal> {
        Ok(())
    }

    /// Returns the object as the plugins left it, if that is the answer.
    fn left_by_plugins(&self, _attributes: &Attributes) -> Option<Arc<Object>> {
        None
    }
}

/// What an update of an object does that does not exist.
#[derive(Debug)]
pub(in crate::evaluation) enum Missing {
    /// It is refused.
    NotFound,
    /// It creates the object.
    #[cfg_attr(not(feature = "openshift"), expect(dead_code, reason = "only OpenShift has such kinds"))]
    Created,
    /// It changes this object, which counts as existing.
    #[cfg_attr(not(feature = "openshift"), expect(dead_code, reason = "only OpenShift has such kinds"))]
    Changed(Arc<Object>),
}

/// Kubernetes' own servers.
#[derive(Debug)]
pub(in crate::evaluation) struct Kubernetes;

impl Handlers for Kubernetes {}
