//! The server's handling of image streams, and of the tags and imports that create them, around admission.
//!
//! Source: `openshift-apiserver` `pkg/image/apiserver/registry`.

use std::sync::Arc;

use crate::admission::Refusal;
use crate::api::Object;
use crate::api::distribution::OriginRelease;
use crate::api::field::Path;
use crate::api::resources::LIMIT_RANGES;
use crate::evaluation::server::{Call, Server};
use crate::registry::openshift::image_stream::{self, Surroundings};

impl Server<'_> {
    /// Returns the image stream that a tag is in, or that an import is for.
    pub(super) fn stream_of(self, call: &Call) -> Option<Arc<Object>> {
        let name = call.name.split(':').next().unwrap_or_default();
        self.cluster.get(&image_stream::resource_of(&call.target.kind), &call.namespace, name)
    }

    /// Creates the image stream of a tag or an import, if there is none yet.
    pub(super) fn bring_stream(self, object: &Object, call: &Call) {
        if image_stream::brings_stream(object) && self.stream_of(call).is_none() {
            let resource = image_stream::resource_of(&call.target.kind);
            let name = call.name.split(':').next().unwrap_or_default();
            let registry = self.registry;
            let stream = image_stream::of_tag(&call.target.kind, &call.namespace, name, registry);
            self.cluster.put(&resource, Arc::new(stream));
        }
    }

    /// Returns the context of the strategy of image streams.
    pub(super) fn surroundings(self, call: &Call) -> Option<Surroundings> {
        image_stream::is_image_stream(&call.target.kind).then(|| Surroundings {
            registry: self.registry.to_owned(),
            allowed_registries: self.allowed_registries.clone(),
            limit_ranges: self.cluster.list(&LIMIT_RANGES, &call.namespace),
            namespace: call.namespace.clone(),
            is_origin_1_4: self.features.origin() == Some(OriginRelease::V1_4),
        })
    }

    /// Refuses an image stream that is too large for its namespace.
    pub(super) fn verify_limits(
        object: &Object,
        old: Option<&Object>,
        call: &Call,
        around: Option<&Surroundings>,
    ) -> Result<(), Refusal> {
        let exceeded =
            around.and_then(|around| image_stream::verify_limits(object, old, &call.sub_resource, around));
        exceeded.map_or(Ok(()), |status| {
            let field = if call.sub_resource == "status" { "status.tags" } else { "spec.tags" };
            Err(Refusal::from(*status).at(Path::new(field)))
        })
    }
}
