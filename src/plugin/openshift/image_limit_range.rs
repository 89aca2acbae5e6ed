//! Keeps images that are pushed to the integrated registry from being larger than the namespace allows, by
//! `LimitRange` items of type `openshift.io/Image`.
//!
//! # When it rejects
//!
//! - An image is larger than `max.storage` of an item of a `LimitRange`.
//! - The manifest or the configuration of an image cannot be read, and there is such an item.
//!
//! # Cluster objects it reads
//!
//! `LimitRanges` of the namespace.
//!
//! # Offline
//!
//! What the manifest lacks is taken from `dockerImageMetadata` of the image. `LimitRanges` are checked in the order of
//! their names.
//!
//! # Since
//!
//! OpenShift 3.3, on by default. Until 3.11 it is `openshift.io/ImageLimitRange`.
//!
//! # Upstream
//!
//! `openshift/openshift-apiserver/pkg/image/apiserver/admission/limitrange`

use std::sync::Arc;

use crate::admission::{
    Attributes, Evidence, Handler, MutationInterface, Recorder, Refusal, ValidationInterface,
};
use crate::cluster::Cluster;
use crate::plugin::PluginInitializer;
use crate::plugin::openshift::lookup;
use gotext::quantity::{Format, Quantity};
use kube_api::distribution::{OriginRelease, Server};
use kube_api::field::Path;
use kube_api::resources::LIMIT_RANGES;
use kube_api::server_profile::ServerProfile;
use kube_api::{Object, Value, decode};
use kube_registry::openshift::{image, origin};

const LIMIT_TYPE: &str = "openshift.io/Image";

pub(super) fn new(initializer: &PluginInitializer) -> Handler {
    Handler::both(ImageLimitRange {
        cluster: initializer.cluster.clone(),
        profile: initializer.profile.clone(),
        is_origin_1_4: initializer.server == Server::Origin(OriginRelease::V1_4),
    })
}

struct ImageLimitRange {
    cluster: Arc<Cluster>,
    profile: Arc<ServerProfile>,
    is_origin_1_4: bool,
}

impl MutationInterface for ImageLimitRange {
    fn admit(&self, attributes: &mut Attributes, _: &mut Recorder) -> Result<(), Refusal> {
        let Some(object) = mapping(attributes) else { return Ok(()) };
        let mut object = Object::clone(&object);
        let result = self.check(attributes, &mut object);
        attributes.object = Some(Arc::new(object));
        result
    }
}

impl ValidationInterface for ImageLimitRange {
    fn validate(&self, attributes: &Attributes, _: &mut Recorder) -> Result<(), Refusal> {
        let Some(object) = mapping(attributes) else { return Ok(()) };
        self.check(attributes, &mut Object::clone(&object))
    }
}

/// Returns the mapping that the request creates, if it creates one.
fn mapping(attributes: &Attributes) -> Option<Arc<Object>> {
    let is_mapping = attributes.kind.kind == "ImageStreamMapping"
        && ["", "image.openshift.io"].contains(&&*attributes.kind.group)
        && !attributes.has_sub_resource();
    attributes.object.clone().filter(|_| is_mapping)
}

impl ImageLimitRange {
    fn check(&self, attributes: &Attributes, object: &mut Object) -> Result<(), Refusal> {
        for range in self.cluster.list(&LIMIT_RANGES, &attributes.namespace) {
            let limits = range.list(["spec", "limits"]).iter().enumerate();
            let is_own =
                |(_, item): &(usize, &Value)| item.at("type").is_some_and(|kind| *kind == LIMIT_TYPE);
            let limits: Vec<_> = limits.filter(is_own).collect();
            if limits.is_empty() {
                continue;
            }
            self.fill(attributes, object)?;
            let size = object.at(["image", "dockerImageMetadata", "Size"]).and_then(Value::as_i64);
            let size = Quantity::from_value(size.unwrap_or_default(), Format::BinarySi);
            for (index, item) in limits {
                let Some(max) = item.at(["max", "storage"]).and_then(lookup::parse) else { continue };
                if size <= max {
                    continue;
                }
                let error = format!(
                    "requested usage of storage exceeds the maximum limit per {LIMIT_TYPE} ({size} > {max})"
                );
                let evidence = Evidence::of(LIMIT_RANGES, &range, format!("allows images of at most {max}"))
                    .at(Path::new("spec.limits").index(index).child("max").key("storage"));
                let refusal = attributes.new_forbidden(error).because(evidence);
                return Err(refusal.at(Path::new("image.dockerImageMetadata")));
            }
        }
        Ok(())
    }

    fn fill(&self, attributes: &Attributes, object: &mut Object) -> Result<(), Refusal> {
        let Some(image) = object.value.get_mut("image").and_then(Value::as_object_mut) else { return Ok(()) };
        let result = image::fill(image, self.is_origin_1_4);
        match self.profile.origin() {
            Some(release) => origin::complete(object, release, &self.profile),
            None => decode::normalize(object),
        }
        result.map_err(|error| attributes.new_forbidden(error).at(Path::new("image.dockerImageManifest")))
    }
}
