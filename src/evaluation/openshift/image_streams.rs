//! The handling of image streams, and of the tags and imports that create them, around admission.
//!
//! Source: `openshift-apiserver` `pkg/image/apiserver/registry`.

use std::sync::Arc;

use crate::admission::{Refusal, UserInfo};
use crate::cluster::authorizer::ResourceAttributes;
use crate::configuration::OpenShiftSettings;
use crate::evaluation::server::checks::refuse_invalid;
use crate::evaluation::server::{Call, Server};
use gotext::quote;
use kube_api::distribution::OriginRelease;
use kube_api::field::{self, Path};
use kube_api::resources::LIMIT_RANGES;
use kube_api::{GroupVersionKind, Object, Status};
use kube_registry::openshift;
use kube_registry::openshift::image_stream::{self, StreamContext};
use kube_registry::openshift::image_tags::{self, Pull};

/// The image streams of a server, and its rules for them.
pub(super) struct ImageStreams<'a> {
    pub(super) server: Server<'a>,
    pub(super) settings: &'a OpenShiftSettings,
    /// The release of the master, if the server is one of Origin's.
    pub(super) origin: Option<OriginRelease>,
}

impl ImageStreams<'_> {
    /// Returns the image stream that a tag is in, or that an import is for.
    pub(super) fn stream_of(&self, call: &Call) -> Option<Arc<Object>> {
        let name = call.name.split(':').next().unwrap_or_default();
        self.server.cluster.get(&image_stream::resource_of(&call.target.kind), &call.namespace, name)
    }

    /// Writes the image stream of a tag, or creates that of an import, if the user may and the stream is valid then.
    pub(super) fn write(&self, object: &Object, call: &Call) -> Result<(), Refusal> {
        let kind = &call.target.kind;
        let resource = image_stream::resource_of(kind);
        if let Some(around) = self.context(call)
            && image_stream::is_tag(kind)
            && call.sub_resource.is_empty()
        {
            let old = self.stream_of(call).map(openshift::typed);
            let Some(stream) = image_tags::with_tag(old.as_deref(), object, &around) else { return Ok(()) };
            if self.origin.is_none() {
                let (mut errors, _) =
                    self.stream_errors(&stream, old.as_deref(), "", &around, &call.user_info);
                // What a known stream has besides the tag was valid when it was written.
                if old.is_none()
                    && let Some(served) = openshift::of(&stream.kind)
                {
                    errors.extend(served.validate(&stream, None, "", self.server.profile, None));
                }
                if !errors.is_empty() {
                    let status = Status::new_invalid(&stream.kind, stream.name(), &errors);
                    return Err(Refusal::from(status).at(Path::new("tag.from")));
                }
            }
            if !call.dry_run {
                self.server.cluster.put(&resource, Arc::new(stream));
            }
            return Ok(());
        }
        if image_stream::is_import(kind) && self.origin.is_none() {
            self.check_import(object, call)?;
        }
        if !call.dry_run && image_stream::brings_stream(object) && self.stream_of(call).is_none() {
            let stream = image_stream::of_tag(kind, &call.namespace, &call.name, &self.settings.registry);
            self.server.cluster.put(&resource, Arc::new(stream));
        }
        Ok(())
    }

    /// Refuses an import from registries that are not allowed, unless the user may create images anyway.
    ///
    /// Source: `imagestreamimport.REST.Create`.
    fn check_import(&self, object: &Object, call: &Call) -> Result<(), Refusal> {
        let may_create = |resource| {
            let resource =
                ResourceAttributes { group: "image.openshift.io", resource, ..ResourceAttributes::default() };
            self.server.authorizer.authorize(&call.user_info.access("create", resource)).allowed
        };
        // The second is the name that the server asks for, although the resource has another.
        if ["images", "imagestreammapping"].into_iter().any(may_create) {
            return Ok(());
        }
        let errors = self.settings.allowed_registries.validate_import(&object.value, &self.settings.registry);
        refuse_invalid(&call.target, object, &errors, self.server.profile.release())
    }

    /// Returns the context of the strategy of image streams and their tags.
    pub(super) fn context(&self, call: &Call) -> Option<StreamContext> {
        let kind = &call.target.kind;
        (image_stream::is_image_stream(kind) || image_stream::is_tag(kind)).then(|| StreamContext {
            registry: self.settings.registry.clone(),
            allowed_registries: self.settings.allowed_registries.clone(),
            limit_ranges: self.server.cluster.list(&LIMIT_RANGES, &call.namespace),
            namespace: call.namespace.clone(),
            is_origin_1_4: self.origin == Some(OriginRelease::V1_4),
        })
    }

    /// Refuses an object with `errors`, and an image stream that is too large for its namespace or refers to streams
    /// that the user may not pull from.
    pub(super) fn refuse_invalid(
        &self,
        object: &Object,
        old: Option<&Object>,
        call: &Call,
        errors: Vec<field::Error>,
    ) -> Result<(), Refusal> {
        let around = self.context(call).filter(|_| image_stream::is_image_stream(&call.target.kind));
        let Some(around) = &around else {
            return refuse_invalid(&call.target, object, &errors, self.server.profile.release());
        };
        let is_status = call.sub_resource == "status";
        let field = tags_of(is_status);
        if self.origin.is_some() {
            refuse_invalid(&call.target, object, &errors, self.server.profile.release())?;
            let exceeded = image_stream::verify_limits(object, old, around);
            // Only 1.4 reports it as it is.
            return match exceeded {
                Some(status) if around.is_origin_1_4 => Err(Refusal::from(status).at(field)),
                Some(status) => {
                    let error = exceeded_error(is_status, status);
                    refuse_invalid(&call.target, object, &[error], self.server.profile.release())
                        .map_err(|refusal| refusal.at(field))
                }
                None => Ok(()),
            };
        }
        let (mut all, fields) = self.stream_errors(object, old, &call.sub_resource, around, &call.user_info);
        let own = all.len();
        all.extend(errors);
        refuse_invalid(&call.target, object, &all, self.server.profile.release()).map_err(|refusal| {
            // The first errors are about the stream as a whole and name no field.
            let given = fields.iter().chain(all[own..].iter().filter_map(|error| error.path.as_ref()));
            let places: Vec<Path> = given.map(|path| image_tags::place(object, path)).collect();
            Refusal { fields: places, ..refusal }
        })
    }

    /// Returns the errors of a stream that depend on the rights of the user and on the limits of its namespace, and the
    /// fields that they are about.
    ///
    /// Source: `Strategy.validateTagsAndLimits`.
    fn stream_errors(
        &self,
        stream: &Object,
        old: Option<&Object>,
        sub_resource: &str,
        around: &StreamContext,
        user: &UserInfo,
    ) -> (Vec<field::Error>, Vec<Path>) {
        let is_status = sub_resource == "status";
        if !is_status {
            let (pulls, malformed) = image_tags::pulls(stream, old, around);
            let forbidden = pulls.iter().flat_map(|pull| self.forbidden_pull(pull, user));
            let errors: Vec<field::Error> = forbidden.chain(malformed).collect();
            if !errors.is_empty() {
                let kind = GroupVersionKind::new("", "", "imagestreams");
                let invalid = Status::new_invalid(&kind, stream.name(), &errors);
                let fields = errors.into_iter().filter_map(|error| error.path).collect();
                return (vec![field::Error::internal(&Path::new("[]"), invalid.message)], fields);
            }
        }
        match image_stream::verify_limits(stream, old, around) {
            Some(status) => (vec![exceeded_error(is_status, status)], vec![tags_of(is_status)]),
            None => (Vec::new(), Vec::new()),
        }
    }

    /// Returns the errors at the tags that refer to a stream whose images the user may not pull.
    fn forbidden_pull(&self, pull: &Pull, user: &UserInfo) -> Vec<field::Error> {
        let layers = ResourceAttributes {
            namespace: &pull.namespace,
            group: "image.openshift.io",
            resource: "imagestreams",
            sub_resource: "layers",
            name: &pull.stream,
        };
        let decision = self.server.authorizer.authorize(&user.access("get", layers));
        if decision.allowed {
            return Vec::new();
        }
        let detail = format!("{}/{}: {} \"\"", pull.namespace, pull.stream, quote(&decision.reason));
        pull.fields.iter().map(|field| field::Error::forbidden(field, detail.clone())).collect()
    }
}

/// Returns the tag of `call`, which does not exist, as an update of it sees it.
pub(super) fn unset_tag(call: &Call, has_stream: bool) -> Arc<Object> {
    Arc::new(image_stream::unset_tag(&call.target.kind, &call.namespace, &call.name, has_stream))
}

/// Returns the field with the tags that are limited.
fn tags_of(is_status: bool) -> Path {
    Path::new(if is_status { "status.tags" } else { "spec.tags" })
}

fn exceeded_error(is_status: bool, status: Status) -> field::Error {
    if is_status {
        field::Error::forbidden(&Path::new("imageStream"), status.message)
    } else {
        field::Error::internal(&Path::new("[]"), status.message)
    }
}
