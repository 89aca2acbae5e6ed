//! The order in which a package manager installs objects: objects that others need come first.
//!
//! Source: `InstallOrder` of Helm 3.

use crate::admission::Operation;
use crate::evaluation::server::{Answer, Call};
use crate::evaluation::{Apply, Evaluator, Place, Request};
use kube_api::GroupResource;
use kube_api::resources::{CUSTOM_RESOURCE_DEFINITIONS, NAMESPACES};

/// Kinds in the order of their installation.
const INSTALL_ORDER: &[&str] = &[
    "PriorityClass",
    "Namespace",
    "NetworkPolicy",
    "ResourceQuota",
    "LimitRange",
    "PodSecurityPolicy",
    "PodDisruptionBudget",
    "ServiceAccount",
    "Secret",
    "ConfigMap",
    "StorageClass",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "CustomResourceDefinition",
    "ClusterRole",
    "ClusterRoleBinding",
    "Role",
    "RoleBinding",
    "Service",
    "DaemonSet",
    "Pod",
    "ReplicationController",
    "ReplicaSet",
    "Deployment",
    "HorizontalPodAutoscaler",
    "StatefulSet",
    "Job",
    "CronJob",
    "IngressClass",
    "Ingress",
    "APIService",
    "MutatingWebhookConfiguration",
    "ValidatingWebhookConfiguration",
];

/// Kinds that the server looks up for requests about other objects.
const NEEDED: &[&str] = &[
    "PriorityClass",
    "Namespace",
    "ResourceQuota",
    "LimitRange",
    "ServiceAccount",
    "StorageClass",
    "CustomResourceDefinition",
    "RuntimeClass",
    "IngressClass",
];

/// The order of documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Order {
    /// As they are written.
    File,
    /// Objects that others need come first: namespaces, classes, quotas, limits, accounts and definitions; all others
    /// as they are written.
    NeedsFirst,
    /// As Helm installs them, sorted by kind.
    Install,
}

impl Order {
    /// Returns the rank of objects of `kind` among others.
    pub fn rank(self, kind: &str) -> (usize, String) {
        match self {
            Self::File => (0, String::new()),
            Self::NeedsFirst if !NEEDED.contains(&kind) => (usize::MAX, String::new()),
            Self::NeedsFirst | Self::Install => install_rank(kind),
        }
    }
}

/// Returns the rank in Helm's list; unknown kinds come last, ordered by name.
fn install_rank(kind: &str) -> (usize, String) {
    match INSTALL_ORDER.iter().position(|known| *known == kind) {
        Some(position) => (position, String::new()),
        None => (INSTALL_ORDER.len(), kind.to_owned()),
    }
}

impl Evaluator {
    /// Returns the error of `kubectl apply` about a custom resource whose definition is in the same run: it looks up
    /// all kinds before it sends anything.
    ///
    /// Source: `ApplyOptions.GetObjects`
    pub(super) fn unmapped(&self, request: &Request, call: &Call) -> Option<String> {
        let target = &call.target;
        let (definition, _) = target.strategy.definition()?;
        let options = request.apply.as_deref()?;
        let is_apply = matches!(options.apply, Apply::ClientSide | Apply::ServerSide);
        let name = format!("{}.{}", definition.plural, definition.group);
        let place = self.created.get(&(CUSTOM_RESOURCE_DEFINITIONS, name));
        if self.literal_order.is_none() || !is_apply || place.is_none() {
            return None;
        }
        let namespace = call.body.as_ref().map_or("", |body| body.object.namespace());
        Some(format!(
            "resource mapping not found for name: \"{}\" namespace: \"{namespace}\" from \"{}\": no matches for kind \
             \"{}\" in version \"{}\"\nensure CRDs are installed first",
            call.name,
            request.place.as_ref().map_or("", Place::file),
            target.kind.kind,
            target.kind.api_version()
        ))
    }

    /// Returns the note if the order of the files would have failed.
    pub(super) fn is_early(&self, request: &Request, call: &Call) -> Option<String> {
        let own = request.place.as_ref().filter(|_| self.is_sorted)?;
        let position = |place: &Place| (place.file().to_owned(), place.document);
        let later = |resource: GroupResource, name: &str| {
            let place = self.created.get(&(resource, name.to_owned()))?;
            (position(place) > position(own)).then(|| place.file().to_owned())
        };
        if let Some(file) = later(NAMESPACES, &call.namespace).filter(|_| !call.namespace.is_empty()) {
            let namespace = &call.namespace;
            return Some(format!(
                "namespace \"{namespace}\" was created first: in the order of the files, {file} comes after what is in \
                 it (--order file says what the server answers then)"
            ));
        }
        let (definition, _) = call.target.strategy.definition()?;
        let name = format!("{}.{}", definition.plural, definition.group);
        let file = later(CUSTOM_RESOURCE_DEFINITIONS, &name)?;
        Some(format!(
            "CustomResourceDefinition {name} was created first: in the order of the files, {file} comes after its objects"
        ))
    }

    /// Returns the note about an object that another document of the run has created or changed already.
    pub(super) fn is_repeated(&self, request: &Request, call: &Call) -> Option<String> {
        let (own, apply) = (request.place.as_ref()?, request.apply.as_deref()?);
        let is_apply = matches!(apply.apply, Apply::ClientSide | Apply::ServerSide);
        if own.is_review() || !is_apply || call.operation != Operation::Update {
            return None;
        }
        let first = self.applied.place(&call.target.group_resource(), &call.namespace, &call.name)?;
        let position = |place: &Place| format!("{}:{}", place.file(), place.line_column().0);
        Some(format!(
            "{} is in {} already: {} is an update of it (--each-alone evaluates each document for itself)",
            call.name,
            position(&first),
            position(own)
        ))
    }

    /// Records the object created by a document if others need it.
    pub(super) fn remember_created(&mut self, request: &Request, resource: &GroupResource, answer: &Answer) {
        let is_needed = *resource == NAMESPACES || *resource == CUSTOM_RESOURCE_DEFINITIONS;
        if let (Operation::Create, true, Some(place)) = (answer.operation, is_needed, &request.place) {
            self.created.insert((resource.clone(), answer.name.clone()), place.clone());
        }
    }
}
