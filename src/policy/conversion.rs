//! Conversion of a request's objects to the version that a policy or webhook names.

use std::sync::Arc;

use thiserror::Error;

use crate::admission::Attributes;
use crate::cluster::Cluster;
use kube_api::{GroupVersionKind, Object};
use kube_registry::conversion;

/// A request whose objects are in the version that was matched.
#[derive(Clone, Debug)]
pub struct VersionedAttributes {
    /// The kind of the objects.
    pub kind: GroupVersionKind,
    /// The object of the request.
    pub object: Option<Arc<Object>>,
    /// The object as it is stored.
    pub old_object: Option<Arc<Object>>,
}

/// An object that cannot be converted.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct ConversionError(pub String);

impl VersionedAttributes {
    /// Converts the objects of a request to `kind`.
    ///
    /// # Errors
    ///
    /// Fails if there is no conversion.
    pub fn new(
        attributes: &Attributes,
        kind: &GroupVersionKind,
        cluster: &Cluster,
    ) -> Result<Self, ConversionError> {
        let convert = |object: &Option<Arc<Object>>| match object {
            Some(object) => convert(object, kind, cluster).map(Some),
            None => Ok(None),
        };
        let (object, old_object) = (convert(&attributes.object)?, convert(&attributes.old_object)?);
        Ok(Self { kind: kind.clone(), object, old_object })
    }
}

/// Converts an object to the version of `kind`.
///
/// # Errors
///
/// Fails if no server converts it.
pub fn convert(
    object: &Arc<Object>,
    kind: &GroupVersionKind,
    cluster: &Cluster,
) -> Result<Arc<Object>, ConversionError> {
    if object.kind == *kind {
        return Ok(object.clone());
    }
    if object.kind.group == kind.group
        && let Some(definition) = cluster.custom_resource_of_kind(&kind.group, &kind.kind)
    {
        return Ok(Arc::new(definition.in_version(object, &kind.version)));
    }
    conversion::convert(object, kind).map(Arc::new).ok_or_else(|| {
        let GroupVersionKind { version, kind: found, .. } = &object.kind;
        let (to, wanted) = (&kind.version, &kind.kind);
        ConversionError(format!("converting ({version}.{found}) to ({to}.{wanted}): unknown conversion"))
    })
}
