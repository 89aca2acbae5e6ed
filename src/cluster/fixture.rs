//! Objects of the cluster from manifests: decoded like any other, with the given status.

use std::borrow::Cow;
use std::sync::Arc;

use thiserror::Error;

use crate::cluster::Cluster;
use crate::code::Code;
use gotext::source::{Node, Span};
use kube_api::decode::{DecodeContext, DecodeError, FieldValidation};
use kube_api::kinds;
use kube_api::resources::{CLOUD_VOLUME_LABELS, USAGE_SAMPLES};
use kube_api::server_profile::ServerProfile;
use kube_api::version::Version;
use kube_api::{GroupResource, GroupVersionKind, Object, Value, resource};
use kube_registry::Context;
use kube_yaml::StrictError;

/// The deletion time of a terminating Namespace whose manifest has none.
const DELETED_AT: &str = "2026-01-01T00:00:00Z";

/// The `apiVersion` of the fixtures defined by kadmit.
const API_VERSION: &str = "kadmit.dev/v1alpha1";

/// Fixtures with the answers that a plugin would request from outside the cluster.
const OF_KADMIT: [(&str, GroupResource); 2] =
    [("CloudVolumeLabels", CLOUD_VOLUME_LABELS), ("UsageSamples", USAGE_SAMPLES)];

/// Advice on two objects in one document.
pub const JOINED: &str =
    "two objects need a line `---` between them; what was written before the second one is lost";

/// An object that exists, and the unread fields of its manifest.
#[derive(Debug)]
pub struct Fixture {
    /// The resource that it belongs to.
    pub resource: GroupResource,
    /// The object.
    pub object: Arc<Object>,
    /// Fields that its kind does not have.
    pub warnings: Vec<String>,
}

/// Why a manifest is not an object of the cluster.
#[derive(Debug, Error)]
pub enum FixtureError {
    /// `apiVersion` or `kind` is missing.
    #[error("a cluster object needs `apiVersion` and `kind`")]
    NoKind(Span),
    /// Neither Kubernetes nor a custom resource definition among the cluster objects defines the kind.
    #[error("no matches for kind \"{}\" in version \"{}\"", .0.kind, .0.api_version())]
    UnknownKind(GroupVersionKind, Span, Version),
    /// It is written over another object.
    #[error("{}", .0.without_line())]
    Joined(StrictError),
    /// The API server could not read it.
    #[error("{0}")]
    Decode(#[from] DecodeError),
}

impl FixtureError {
    /// Returns the code of the diagnostic about it.
    pub fn code(&self) -> Code {
        match self {
            Self::Joined(_) => Code::ManifestDuplicateKey,
            _ => Code::ClusterObject,
        }
    }

    /// Returns advice on how to fix it, if there is any.
    pub fn help(&self) -> Option<Cow<'static, str>> {
        match self {
            Self::NoKind(_) => Some("leave out files that are not manifests".into()),
            Self::UnknownKind(kind, _, release) => {
                let suggestion = || {
                    let (api_version, kind) = resource::suggest(kind, *release)?;
                    Some(format!("did you mean {kind} in {api_version}?"))
                };
                Some(resource::help(kind, *release).or_else(suggestion).map_or_else(
                    || {
                        "give its CustomResourceDefinition with --cluster too, or check apiVersion and kind"
                            .into()
                    },
                    Cow::Owned,
                ))
            }
            Self::Joined(_) => Some(JOINED.into()),
            Self::Decode(_) => None,
        }
    }

    /// Returns the place of the error.
    pub fn span(&self) -> Option<Span> {
        match self {
            Self::NoKind(span) | Self::UnknownKind(_, span, _) => Some(*span),
            Self::Joined(error) => Some(error.span),
            Self::Decode(error) => error.span,
        }
    }
}

impl Fixture {
    /// Whether objects of this kind are answers from outside the cluster.
    pub fn is_answer(api_version: &str, kind: &str) -> bool {
        api_version == API_VERSION && OF_KADMIT.iter().any(|(known, _)| *known == kind)
    }

    /// Reads an object of the cluster. Objects without a namespace are in `namespace`; the kinds of custom resources
    /// are looked up in `cluster`.
    pub fn read(
        node: Node,
        namespace: &str,
        cluster: &Cluster,
        profile: &ServerProfile,
    ) -> Result<Self, FixtureError> {
        let text = |field| node.get(field).and_then(Node::as_str).filter(|text| !text.is_empty());
        let (Some(api_version), Some(kind)) = (text("apiVersion"), text("kind")) else {
            return Err(FixtureError::NoKind(node.span));
        };
        let kind = GroupVersionKind::from_api_version(api_version, kind);
        if api_version == API_VERSION
            && let Some((_, resource)) = OF_KADMIT.iter().find(|(known, _)| kind.kind == *known)
        {
            return Ok(Self::of_kadmit(node, kind.clone(), resource.clone()));
        }
        // A field of a policy that is not read may be the one that it depends on.
        let field_validation = if is_policy(&kind) { FieldValidation::Strict } else { FieldValidation::Warn };
        let context = DecodeContext { kind: &kind, field_validation, strict_errors: &[], body: "" };
        let found = resource::by_kind_in(profile.release(), &kind);
        let (Some(found), Some(strategy)) = (found, kube_registry::of(&kind)) else {
            let own = resource::origin_by_kind(&kind).filter(|_| profile.origin().is_some());
            let Some(found) = own else {
                return Self::custom(node, &context, namespace, cluster, profile.release());
            };
            let mut decoded = kube_registry::read(node, &context, profile, kube_registry::NOW)?;
            ensure_namespace(&mut decoded.object, namespace, found.namespaced);
            let resource = found.group_version_resource().group_resource();
            return Ok(Self { resource, object: Arc::new(decoded.object), warnings: decoded.warnings });
        };
        let decoded = kube_registry::read(node, &context, profile, kube_registry::NOW)?;
        let mut object = decoded.object;
        ensure_namespace(&mut object, namespace, found.namespaced);
        // What a master of Origin fills in on creation is unknown.
        if profile.origin().is_none() {
            let status = object.remove(["status"]);
            strategy.prepare_for_create(&mut object, &Context::new(profile));
            // The given status is merged into what the server fills in on creation.
            for (field, value) in status.as_ref().and_then(Value::as_object).into_iter().flatten() {
                object.set(["status", field], value.clone());
            }
        }
        if object.kind.is(kinds::NAMESPACE) && object.text(["status", "phase"]) == "Terminating" {
            object.insert_default(["metadata", "deletionTimestamp"], DELETED_AT);
        }
        strategy.store(&mut object, profile);
        object.forget_written();
        if let Some((resource, stored)) = kube_registry::stored::to_storage(&object) {
            return Ok(Self { resource, object: Arc::new(stored), warnings: decoded.warnings });
        }
        let resource = found.group_version_resource().group_resource();
        Ok(Self { resource, object: Arc::new(object), warnings: decoded.warnings })
    }

    /// Returns an answer from outside of the cluster, which is kept as written.
    fn of_kadmit(node: Node, kind: GroupVersionKind, resource: GroupResource) -> Self {
        let mut object = Object::new(kind, node.into_value());
        object.insert_default(["metadata", "name"], "default");
        Self { resource, object: Arc::new(object), warnings: Vec::new() }
    }

    fn custom(
        node: Node,
        context: &DecodeContext<'_>,
        namespace: &str,
        cluster: &Cluster,
        release: Version,
    ) -> Result<Self, FixtureError> {
        let kind = context.kind;
        let found = cluster.custom_resource_of_kind(&kind.group, &kind.kind);
        let Some(found) = found.filter(|found| found.version(&kind.version).is_some()) else {
            return Err(FixtureError::UnknownKind(kind.clone(), node.span, release));
        };
        let mut decoded = found.decode(node, context)?;
        ensure_namespace(&mut decoded.object, namespace, found.is_namespaced);
        let resource = GroupResource { group: kind.group.clone(), resource: found.plural.clone().into() };
        Ok(Self { resource, object: Arc::new(decoded.object), warnings: decoded.warnings })
    }
}

/// Whether objects of `kind` are policies or bindings.
pub fn is_policy(kind: &GroupVersionKind) -> bool {
    const KINDS: [&str; 4] = [
        "MutatingAdmissionPolicy",
        "MutatingAdmissionPolicyBinding",
        "ValidatingAdmissionPolicy",
        "ValidatingAdmissionPolicyBinding",
    ];
    kind.group == "admissionregistration.k8s.io" && KINDS.contains(&&*kind.kind)
}

fn ensure_namespace(object: &mut Object, namespace: &str, namespaced: bool) {
    if !namespaced {
        object.remove(["metadata", "namespace"]);
    } else if object.namespace().is_empty() {
        object.set(["metadata", "namespace"], namespace);
    }
}
