//! The image stream that a tag or an import creates if there is none yet.
//!
//! Source: `openshift-apiserver` `pkg/quota/image/{imagestreamtag,imagestreamimport}_evaluator.go`.

use crate::admission::{Attributes, Operation};
use crate::cluster::Cluster;
use crate::quota::evaluator::{Evaluator, count};
use crate::quota::scopes::ScopedResourceSelectorRequirement;
use kube_api::resource_list::ResourceList;
use kube_api::{GroupResource, Object, Value};

/// The name under which quotas count image streams.
pub(super) const IMAGE_STREAMS: &str = "openshift.io/imagestreams";
const GROUPS: [&str; 2] = ["image.openshift.io", ""];

/// An `ImageStreamTag` or `ImageStreamImport` as quotas see it.
pub(super) struct StreamBringer {
    brings: Option<bool>,
}

/// Whether `resource` brings image streams.
pub(super) fn brings_streams(resource: (&str, &str)) -> bool {
    GROUPS.contains(&resource.0) && ["imagestreamtags", "imagestreamimports"].contains(&resource.1)
}

pub(super) fn handles(attributes: &Attributes) -> bool {
    let is_tag = attributes.resource.resource == "imagestreamtags";
    !attributes.has_sub_resource()
        && (attributes.operation == Operation::Create || is_tag && attributes.operation == Operation::Update)
}

impl StreamBringer {
    /// Reads `object`, a tag or an import in `namespace`.
    pub(super) fn of(object: &Object, namespace: &str, cluster: &Cluster) -> Self {
        let exists = |name: &str| {
            GROUPS
                .iter()
                .any(|group| cluster.contains(&GroupResource::new(group, "imagestreams"), namespace, name))
        };
        let brings = if object.kind.kind == "ImageStreamTag" {
            object.name().split_once(':').map(|(stream, _)| !exists(stream))
        } else {
            let spec = |field: &str| object.at(["spec", field]).filter(|value| !value.is_null());
            let imports = spec("import").and_then(Value::as_bool) == Some(true);
            let images = !object.list(["spec", "images"]).is_empty() || spec("repository").is_some();
            Some(imports && images && !exists(object.name()))
        };
        Self { brings }
    }
}

impl Evaluator for StreamBringer {
    fn counts(&self, name: &str) -> bool {
        name == IMAGE_STREAMS
    }

    /// Matches every scope, as nothing specifies them.
    fn matches_scope(&self, _: &ScopedResourceSelectorRequirement) -> Result<bool, String> {
        Ok(true)
    }

    /// Returns the usage; a tag whose name has no stream uses nothing.
    fn usage(&self) -> ResourceList<'_> {
        self.brings.map(|brings| (IMAGE_STREAMS, count(usize::from(brings)))).into_iter().collect()
    }
}
