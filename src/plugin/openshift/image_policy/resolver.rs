//! Resolution of images' names.
//!
//! Source: `imageResolutionCache`.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use crate::cluster::Cluster;
use crate::plugin::PluginInitializer;
use crate::plugin::openshift::image_policy::references::Named;
use gotext::quote;
use kube_api::{GroupResource, Value};
use kube_registry::openshift::reference::Reference;

const IMAGES: GroupResource = GroupResource::new("image.openshift.io", "images");
const STREAMS: GroupResource = GroupResource::new("image.openshift.io", "imagestreams");
const TAGS: GroupResource = GroupResource::new("image.openshift.io", "imagestreamtags");
const STREAM_IMAGES: GroupResource = GroupResource::new("image.openshift.io", "imagestreamimages");

/// Looks images up in the cluster.
pub(super) struct Resolver {
    cluster: Arc<Cluster>,
    registry: String,
    /// Digests that were looked up: for these it is not recorded whether they are in the integrated registry.
    cached: Mutex<BTreeSet<String>>,
}

/// The reason that an image is refused.
#[derive(Clone, Debug)]
pub(super) enum Failure {
    Text(String),
    NotFound(String),
}

/// A resolved name.
#[derive(Clone, Debug)]
pub(super) struct Resolved {
    pub(super) name: Reference,
    pub(super) image: Option<Value>,
    pub(super) integrated: bool,
    /// Whether the name is that of a stream which allows such names.
    pub(super) local_rewrite: bool,
}

impl Resolved {
    /// Returns an unresolved name.
    pub(super) fn unknown(name: Reference) -> Self {
        Self { name, image: None, integrated: false, local_rewrite: false }
    }
}

impl Resolver {
    pub(super) fn new(initializer: &PluginInitializer) -> Self {
        Self {
            cluster: initializer.cluster.clone(),
            registry: initializer.openshift.internal_registry_hostname.clone(),
            cached: Mutex::default(),
        }
    }

    /// Source: `ResolveObjectReference`.
    pub(super) fn resolve_reference(
        &self,
        named: &Named,
        namespace: &str,
        forced: bool,
    ) -> Result<Resolved, Failure> {
        let namespace_of = || if named.namespace.is_empty() { namespace } else { named.namespace.as_str() };
        match named.kind.as_str() {
            "DockerImage" => self.resolve(&named.name, namespace, forced),
            "ImageStreamTag" => {
                let Some((name, tag)) = named.name.split_once(':') else {
                    let text = "references of kind ImageStreamTag must be of the form NAME:TAG";
                    return Err(Failure::Text(text.to_owned()));
                };
                let tag = if tag.is_empty() { "latest" } else { tag };
                let name = Reference {
                    namespace: namespace_of().to_owned(),
                    name: name.to_owned(),
                    tag: tag.to_owned(),
                    ..Reference::default()
                };
                self.resolve_tag(&name, false, false)
            }
            "ImageStreamImage" => {
                let Some((_, id)) = named.name.split_once('@') else {
                    let text = "references of kind ImageStreamImage must be of the form NAME@DIGEST";
                    return Err(Failure::Text(text.to_owned()));
                };
                self.resolve_image(namespace_of(), &named.name, id)
            }
            kind => {
                let kind = quote(kind);
                Err(Failure::Text(format!("image policy does not allow image references of kind {kind}")))
            }
        }
    }

    fn resolve_image(&self, namespace: &str, full: &str, id: &str) -> Result<Resolved, Failure> {
        let found = self.cluster.get(&STREAM_IMAGES, namespace, full);
        let found =
            found.ok_or_else(|| Failure::NotFound(format!("{STREAM_IMAGES} {} not found", quote(full))))?;
        let parsed = Reference::parse(found.text(["image", "dockerImageReference"]))
            .map_err(|error| Failure::Text(format!("ImageStreamTag could not be resolved: {error}")))?;
        self.remember(id);
        let image = found.at("image").cloned();
        Ok(Resolved { name: parsed, image, integrated: true, local_rewrite: false })
    }

    fn resolve(&self, image: &str, namespace: &str, forced: bool) -> Result<Resolved, Failure> {
        let mut name = Reference::parse(image).map_err(Failure::Text)?;
        let is_integrated = !self.registry.is_empty() && name.registry == self.registry;
        if !name.id.is_empty() {
            let is_known = self.remember(&name.id);
            let found = self.cluster.get(&IMAGES, "", &name.id).map(|image| image.value.clone());
            let found = found.or_else(|| if is_known { self.image_of_tags(&name.id) } else { None });
            let Some(image) = found else {
                self.forget(&name.id);
                let text = format!("{IMAGES} {} not found", quote(&name.id));
                return Err(Failure::NotFound(text));
            };
            let integrated = is_integrated && !is_known;
            return Ok(Resolved { name, image: Some(image), integrated, local_rewrite: false });
        }
        let is_local = name.registry.is_empty() && name.namespace.is_empty() && !name.name.is_empty();
        let is_partial = forced || is_local;
        if !is_integrated && !is_partial {
            let exact = name.exact();
            return Err(Failure::Text(format!(
                "({exact}) could not be resolved to an exact image reference"
            )));
        }
        if name.namespace.is_empty() || forced {
            namespace.clone_into(&mut name.namespace);
        }
        if name.tag.is_empty() {
            name.tag.push_str("latest");
        }
        self.resolve_tag(&name, is_partial, forced)
    }

    fn resolve_tag(&self, name: &Reference, is_partial: bool, forced: bool) -> Result<Resolved, Failure> {
        let full = format!("{}:{}", name.name, name.tag);
        let stream = self.cluster.get(&STREAMS, &name.namespace, &name.name);
        let is_stream_local = stream
            .as_ref()
            .is_some_and(|stream| stream.at(["spec", "lookupPolicy", "local"]) == Some(&Value::Bool(true)));
        let found = self.cluster.get(&TAGS, &name.namespace, &full);
        let Some(found) = found else {
            let repository =
                stream.as_ref().map_or("", |stream| stream.text(["status", "dockerImageRepository"]));
            if (forced || is_stream_local)
                && !repository.is_empty()
                && let Ok(reference) = Reference::parse(repository)
            {
                let name = Reference { tag: name.tag.clone(), ..reference };
                return Ok(Resolved { name, image: None, integrated: !is_partial, local_rewrite: true });
            }
            return Err(Failure::NotFound(format!("{TAGS} {} not found", quote(&full))));
        };
        let is_local = found.at(["lookupPolicy", "local"]) == Some(&Value::Bool(true));
        if is_partial && !forced && !is_local {
            let text = "ImageStreamTag does not allow local references and the resource did not request image stream \
                        resolution";
            return Err(Failure::Text(text.to_owned()));
        }
        let reference = found.text(["image", "dockerImageReference"]);
        let parsed = Reference::parse(reference).map_err(|error| {
            Failure::Text(format!("image reference {reference} could not be parsed: {error}"))
        })?;
        let id = found.text(["image", "metadata", "name"]).to_owned();
        self.remember(&id);
        let name = Reference { tag: String::new(), id, ..parsed };
        let image = found.at("image").cloned();
        Ok(Resolved { name, image, integrated: true, local_rewrite: is_partial })
    }

    /// Returns the image of the digest `id` of a known tag.
    fn image_of_tags(&self, id: &str) -> Option<Value> {
        let tags = self.cluster.list_all(&TAGS);
        let images = tags.iter().filter_map(|tag| tag.at("image"));
        let is_it = |image: &&Value| image.at(["metadata", "name"]).and_then(Value::as_str) == Some(id);
        images.into_iter().find(is_it).cloned()
    }

    /// Records the digest, and returns whether it was known.
    fn remember(&self, id: &str) -> bool {
        !self.cached.lock().unwrap_or_else(PoisonError::into_inner).insert(id.to_owned())
    }

    fn forget(&self, id: &str) {
        self.cached.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
    }
}
