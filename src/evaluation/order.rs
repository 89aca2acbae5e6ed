//! The order in which a package manager installs objects: objects that others need come first.
//!
//! Source: `InstallOrder` of Helm 3.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::admission::Operation;
use crate::evaluation::server::{Answer, Call};
use crate::evaluation::{Apply, Evaluator, Place, RememberedPlace, Request};
use gotext::source::Node;
use kube_api::resources::{CUSTOM_RESOURCE_DEFINITIONS, NAMESPACES};
use kube_api::{GroupResource, Name};

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

/// Kinds that the server looks up for requests about other objects, in the order in which they need each other.
const NEEDED: &[&str] = &[
    "PriorityClass",
    "Namespace",
    "CustomResourceDefinition",
    "ClusterResourceQuota",
    "ResourceQuota",
    "LimitRange",
    "PodSecurityPolicy",
    "SecurityContextConstraints",
    "ServiceAccount",
    "StorageClass",
    "VolumeAttributesClass",
    "RuntimeClass",
    "IngressClass",
    "DeviceClass",
    "ClusterRole",
    "ClusterRoleBinding",
    "Role",
    "RoleBinding",
];

/// Kinds of policies and of their bindings. They come before everything else, so that they apply to all of it, unless they
/// have parameters.
const POLICIES: &[&str] = &[
    "ValidatingAdmissionPolicy",
    "MutatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
    "MutatingAdmissionPolicyBinding",
];

/// The order of documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Order {
    /// As they are written.
    File,
    /// Objects that others need come first: policies with their parameters, namespaces, definitions, classes, quotas,
    /// limits, accounts and roles; all others as they are written.
    NeedsFirst,
    /// As Helm installs them, sorted by kind.
    Install,
}

/// The rank of a document among others.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rank {
    position: usize,
    kind: Name,
    /// The kind of the parameters of a policy.
    parameters: Option<String>,
    /// Whether this is a binding with parameters, whose policy the server looks up to authorize reading them.
    binds_parameters: bool,
}

/// The kinds of the parameters of policies.
#[derive(Clone, Debug, Default)]
pub struct Parameters(BTreeSet<String>);

impl Order {
    /// Returns the rank of the document `node`.
    pub fn rank(self, node: &Node) -> Rank {
        let text = |node: &Node, field| node.get(field).and_then(Node::as_str).map(str::to_owned);
        let kind = text(node, "kind").unwrap_or_default();
        if !POLICIES.contains(&kind.as_str()) {
            return self.rank_of_kind(&kind);
        }
        let spec = node.get("spec");
        let parameters = spec.and_then(|spec| text(spec.get("paramKind")?, "kind"));
        let binds_parameters = spec.is_some_and(|spec| spec.get("paramRef").is_some());
        Rank { parameters, binds_parameters, ..self.rank_of_kind(&kind) }
    }

    /// Returns the rank of objects of `kind`; that of a policy or a binding depends on its parameters as well.
    pub fn rank_of_kind(self, kind: &str) -> Rank {
        let known = |kinds: &[&str]| kinds.iter().position(|known| *known == kind);
        let position = match self {
            Self::File => 0,
            Self::NeedsFirst if POLICIES.contains(&kind) => 0,
            Self::NeedsFirst => known(NEEDED).map_or(usize::MAX, |position| position + 1),
            Self::Install => known(INSTALL_ORDER).unwrap_or(INSTALL_ORDER.len()),
        };
        // Helm sorts unknown kinds by name; others are as they are written, and may be parameters.
        Rank { position, kind: Name::Owned(kind.to_owned()), parameters: None, binds_parameters: false }
    }

    /// Whether the rank of `kind` depends on the rest of the document.
    #[cfg(feature = "cli")]
    pub(crate) fn depends_on_document(self, kind: &str) -> bool {
        self == Self::NeedsFirst && POLICIES.contains(&kind)
    }

    /// Returns what documents are sorted by; those with equal results stay as they are written.
    pub fn key<'r>(self, rank: &'r Rank, parameters: &Parameters) -> (usize, &'r str) {
        let needed = NEEDED.len() + 1;
        match self {
            Self::NeedsFirst if rank.binds_parameters => (needed + 2, ""),
            Self::NeedsFirst if rank.parameters.is_some() => (needed + 1, ""),
            Self::NeedsFirst if rank.position == usize::MAX && parameters.0.contains(&*rank.kind) => {
                (needed, "")
            }
            Self::Install if rank.position == INSTALL_ORDER.len() => (rank.position, &rank.kind),
            _ => (rank.position, ""),
        }
    }
}

impl Parameters {
    /// Whether a policy has objects of `kind` as parameters.
    pub fn has(&self, kind: &str) -> bool {
        self.0.contains(kind)
    }

    /// Adds the parameters of the policy with this rank, if it is one.
    pub fn add(&mut self, rank: &Rank) {
        self.0.extend(rank.parameters.clone());
    }
}

impl<'r> FromIterator<&'r Rank> for Parameters {
    fn from_iter<T: IntoIterator<Item = &'r Rank>>(ranks: T) -> Self {
        let mut parameters = Self::default();
        ranks.into_iter().for_each(|rank| parameters.add(rank));
        parameters
    }
}

/// Whether the server looks up objects of `kind` for requests about others.
pub fn is_needed(kind: &str) -> bool {
    NEEDED.contains(&kind) || POLICIES.contains(&kind)
}

/// Whether objects of `kind` are policies, bindings of them, or webhooks.
pub fn is_policy_kind(kind: &str) -> bool {
    POLICIES.contains(&kind)
}

/// Returns where the files of a run were named: the position of a file's argument among the others.
pub type FileOrder = Arc<dyn Fn(&str) -> usize + Send + Sync>;

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

    /// Returns the note if the order of writing would have failed.
    pub(super) fn is_early(&self, request: &Request, call: &Call) -> Option<String> {
        let order = self.file_order.as_ref()?;
        let own = request.place.as_ref()?;
        let position = |(file, document): (String, usize)| (order(&file), file, document);
        let later = |resource: GroupResource, name: &str| {
            let place = self.created.get(&(resource, name.to_owned()))?;
            let is_later = position(place.position()) > position((own.file().to_owned(), own.document));
            let place = is_later.then(|| place.place())??;
            Some(format!("{}:{}", place.file(), place.line_column().0))
        };
        if let Some(place) = later(NAMESPACES, &call.namespace).filter(|_| !call.namespace.is_empty()) {
            let namespace = &call.namespace;
            return Some(format!(
                "namespace \"{namespace}\" was created first: as written, {place} comes after what is in it (--order \
                 file shows what the server answers then)"
            ));
        }
        let (definition, _) = call.target.strategy.definition()?;
        let name = format!("{}.{}", definition.plural, definition.group);
        let place = later(CUSTOM_RESOURCE_DEFINITIONS, &name)?;
        Some(format!(
            "CustomResourceDefinition {name} was created first: as written, {place} comes after its objects (--order \
             file shows what the server answers then)"
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
            "{} {} is in {} already: {} is an update of it",
            call.target.kind.kind,
            call.name,
            position(&first),
            position(own)
        ))
    }

    /// Records the object created by a document if others need it.
    pub(super) fn remember_created(&mut self, request: &Request, resource: &GroupResource, answer: &Answer) {
        let is_needed = *resource == NAMESPACES || *resource == CUSTOM_RESOURCE_DEFINITIONS;
        if let (Operation::Create, true, Some(place)) = (answer.operation, is_needed, &request.place) {
            self.created.insert((resource.clone(), answer.name.clone()), RememberedPlace::of(place));
        }
    }
}
