//! How a request finds the resource that it is for.

use crate::cluster::Cluster;
use crate::evaluation::Request;
use crate::evaluation::server::handlers::Handlers;
use crate::evaluation::target::{Target, UnknownKind};
use kube_api::resource::{self, RuntimeConfig};
use kube_api::version::Version;
use kube_api::{GroupVersionResource, Status};

/// The target as known before looking in the cluster.
#[derive(Clone, Debug)]
pub(super) enum Routing {
    BuiltIn(Box<Target>),
    Unknown,
}

impl Routing {
    pub(super) fn of(request: &Request, release: Version) -> Self {
        let found = match (&request.resource, &request.kind) {
            (Some(resource), _) => resource::by_resource_in(release, resource),
            (None, Some(kind)) => resource::by_kind_in(release, kind),
            (None, None) => None,
        };
        let target = found.and_then(|found| Target::built_in(found, &request.sub_resource));
        target.map_or(Self::Unknown, |target| Self::BuiltIn(Box::new(target)))
    }

    /// Returns the target, including those of the distribution and the custom resources of `cluster`; or the server's answer to a request for a
    /// resource that it does not serve.
    pub(super) fn finish(
        self,
        request: &Request,
        cluster: &Cluster,
        runtime_config: &RuntimeConfig,
        handlers: &dyn Handlers,
        release: Version,
    ) -> Result<Result<Target, Status>, UnknownKind> {
        let mut served_by = None;
        if let Self::BuiltIn(target) = self {
            match target.api {
                Some(api) if !runtime_config.serves(api) => {
                    served_by = Some(format!("{}=true", api.group_version()));
                }
                _ => return Ok(Ok(handlers.on_server(*target))),
            }
        }
        if let Some(target) = handlers.target(request, runtime_config) {
            return Ok(Ok(target));
        }
        if let Some(target) = Target::custom(request, cluster) {
            return Ok(target);
        }
        match (&request.resource, &request.kind) {
            (Some(resource), _) => Ok(Err(not_served(resource, release))),
            (None, Some(kind)) => Err(UnknownKind {
                kind: kind.clone(),
                place: request.place.clone(),
                release,
                successor: None,
                served_by,
                definition: None,
            }),
            (None, None) => Ok(Err(not_served(&GroupVersionResource::default(), release))),
        }
    }
}

fn not_served(resource: &GroupVersionResource, release: Version) -> Status {
    let group_is_served = resource::of_release(release).iter().any(|entry| entry.group == resource.group);
    if group_is_served {
        Status {
            code: 404,
            reason: "NotFound".to_owned(),
            message: "the server could not find the requested resource".to_owned(),
            ..Status::default()
        }
    } else {
        Status { code: 404, message: "404 page not found".to_owned(), ..Status::default() }
    }
}
