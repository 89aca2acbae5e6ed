//! What a master of Origin does with a request besides admission, of which decoding, defaults and the handling of image
//! streams are known.

use std::sync::Arc;

use crate::admission::{Attributes, Refusal, Trace};
use crate::configuration::OpenShiftSettings;
use crate::evaluation::Request;
use crate::evaluation::openshift::image_streams::{self, ImageStreams};
use crate::evaluation::openshift::{is_project, resource_of, storage_key};
use crate::evaluation::server::handlers::{Handlers, Missing};
use crate::evaluation::server::{Call, Server};
use crate::evaluation::target::Target;
use kube_api::distribution::OriginRelease;
use kube_api::resource::{self, RuntimeConfig};
use kube_api::{Object, field};
use kube_registry::openshift::{RequestContext, image_stream};

/// A master of Origin 1.x.
#[derive(Debug)]
pub(super) struct Origin {
    pub(super) release: OriginRelease,
    pub(super) settings: OpenShiftSettings,
}

impl Origin {
    fn streams<'a>(&'a self, server: Server<'a>) -> ImageStreams<'a> {
        ImageStreams { server, settings: &self.settings, origin: Some(self.release) }
    }
}

impl Handlers for Origin {
    fn target(&self, request: &Request, _: &RuntimeConfig) -> Option<Target> {
        let own = match (&request.resource, &request.kind) {
            (Some(resource), _) => resource::origin_by_resource(resource),
            (None, Some(kind)) => resource::origin_by_kind(kind),
            (None, None) => None,
        };
        let has_groups = self.release == OriginRelease::V3_11;
        let target = match own {
            Some(found) => Target::built_in(found, &request.sub_resource),
            None => Target::aggregated(resource_of(request).filter(|_| has_groups)?, &request.sub_resource),
        };
        target.map(|target| self.on_server(target))
    }

    /// The master handles objects as that release did, of which only decoding and defaults are known.
    fn on_server(&self, target: Target) -> Target {
        target.unchecked()
    }

    fn storage(&self, target: &Target) -> (&'static str, Option<String>) {
        storage_key::of(target, true)
    }

    fn completes_before_admission(&self) -> bool {
        false
    }

    fn makes_namespace(&self, target: &Target) -> bool {
        is_project(target)
    }

    fn update_missing(&self, server: Server<'_>, call: &Call) -> Missing {
        if !image_stream::is_tag(&call.target.kind) {
            return Missing::NotFound;
        }
        let has_stream = self.streams(server).stream_of(call).is_some();
        Missing::Changed(image_streams::unset_tag(call, has_stream))
    }

    fn with_context(&self, server: Server<'_>, call: &Call, with: &mut dyn FnMut(RequestContext<'_>)) {
        let image_streams = self.streams(server).context(call);
        let registry = &self.settings.registry;
        with(RequestContext { image_streams: image_streams.as_ref(), facts: None, registry });
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
        _: &mut Trace,
    ) -> Result<(), Refusal> {
        self.streams(server).write(object, call)
    }

    /// What the storage does then is known of image streams alone, if there is a registry for them.
    fn left_by_plugins(&self, attributes: &Attributes) -> Option<Arc<Object>> {
        attributes.object.clone().filter(|_| self.settings.registry.is_empty())
    }
}
