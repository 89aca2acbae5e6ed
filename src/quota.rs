//! The usage of objects that quotas limit.
//!
//! Admission checks an object before it is stored, and the quota controller counts the stored ones, with the same
//! evaluators.
//!
//! Source: `k8s.io/apiserver/pkg/quota/v1`, `k8s.io/kubernetes/pkg/quota/v1/evaluator/core`.

pub(crate) mod evaluator;
mod object_count;
#[cfg(feature = "openshift")]
pub(crate) mod openshift;
#[cfg(not(feature = "openshift"))]
#[path = "quota/without_openshift.rs"]
pub(crate) mod openshift;
mod persistent_volume_claims;
pub(crate) mod pods;
pub(crate) mod resource_claims;
pub(crate) mod scopes;
pub(crate) mod services;
mod usage;

use std::sync::Arc;

use crate::admission::{Attributes, Operation};
use crate::cluster::{Cluster, Derived};
use kube_api::features::Feature;
use kube_api::kinds;
use kube_api::resources::DEVICE_CLASSES;
use kube_api::server_profile::ServerProfile;
use kube_api::{GroupVersionResource, Object};

use object_count::ObjectCount;
use persistent_volume_claims::PersistentVolumeClaims;
use pods::Pods;
use resource_claims::{DeviceClasses, ResourceClaims};
use services::Services;

pub(crate) use evaluator::Evaluator;
pub(crate) use usage::{calculate_status, release};

/// Resources that are not stored, and events, which no quota has ever counted.
///
/// Source: `DefaultIgnoredResources`.
const IGNORED_RESOURCES: &[(&str, &str)] = &[
    ("", "bindings"),
    ("", "componentstatuses"),
    ("", "events"),
    ("authentication.k8s.io", "selfsubjectreviews"),
    ("authentication.k8s.io", "tokenreviews"),
    ("authorization.k8s.io", "localsubjectaccessreviews"),
    ("authorization.k8s.io", "selfsubjectaccessreviews"),
    ("authorization.k8s.io", "selfsubjectrulesreviews"),
    ("authorization.k8s.io", "subjectaccessreviews"),
    ("events.k8s.io", "events"),
];

/// Measures objects with the evaluator of their resource.
pub(crate) struct Counter {
    cluster: Arc<Cluster>,
    profile: Arc<ServerProfile>,
    device_classes: Derived<DeviceClasses>,
}

impl Counter {
    /// Returns a counter of the objects in `cluster`.
    pub(crate) fn new(cluster: Arc<Cluster>, profile: Arc<ServerProfile>) -> Self {
        Self { cluster, profile, device_classes: Derived::of(const { &[DEVICE_CLASSES] }) }
    }

    /// Whether quotas apply to a request.
    pub(crate) fn handles(&self, attributes: &Attributes) -> bool {
        let resource = (&*attributes.resource.group, &*attributes.resource.resource);
        let creates_namespace =
            attributes.operation == Operation::Create && attributes.kind.is(kinds::NAMESPACE);
        if attributes.namespace.is_empty() || creates_namespace || IGNORED_RESOURCES.contains(&resource) {
            return false;
        }
        if let Some(handles) = openshift::handles(attributes) {
            return handles;
        }
        match resource {
            ("", "pods") => pods::handles(attributes),
            ("", "services") => services::handles(attributes),
            ("", "persistentvolumeclaims") => persistent_volume_claims::handles(attributes, &self.profile),
            ("resource.k8s.io", "resourceclaims") if self.knows_devices() => {
                resource_claims::handles(attributes)
            }
            _ => object_count::handles(attributes),
        }
    }

    /// Returns the evaluator of an object of `resource`.
    pub(crate) fn evaluator<'a>(
        &'a self,
        resource: &GroupVersionResource,
        object: &'a Object,
    ) -> Box<dyn Evaluator + 'a> {
        let name = (&*resource.group, &*resource.resource);
        if let Some(evaluator) = openshift::evaluator(name, object, &self.cluster) {
            return evaluator;
        }
        match name {
            ("", "pods") => Box::new(Pods::of(object, &self.profile)),
            ("", "services") => Box::new(Services(object)),
            ("", "persistentvolumeclaims") => Box::new(PersistentVolumeClaims::of(object, &self.profile)),
            ("resource.k8s.io", "resourceclaims") if self.knows_devices() => {
                let are_extended_resources = self.profile.enabled(Feature::DRAExtendedResource);
                Box::new(ResourceClaims {
                    claim: object,
                    cluster: &self.cluster,
                    profile: &self.profile,
                    device_classes: are_extended_resources
                        .then(|| self.device_classes.get(&self.cluster, || DeviceClasses::of(&self.cluster))),
                })
            }
            _ => Box::new(ObjectCount::of(resource)),
        }
    }

    fn knows_devices(&self) -> bool {
        self.profile.enabled(Feature::DynamicResourceAllocation)
    }
}
