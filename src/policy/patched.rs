//! Decoding of the result of a patch.

use crate::cluster::Cluster;
use gotext::source::Node;
use kube_api::decode::{DecodeContext, DecodeError, FieldValidation};
use kube_api::server_profile::ServerProfile;
use kube_api::{GroupVersionKind, Object, Value};
use kube_registry::NOW;

/// Reads `value`, which a policy or webhook created from an object of `kind`, and fills in its defaults. A custom
/// resource is not checked, as its schema is applied later.
///
/// # Errors
///
/// Returns the error of the server's decoder.
pub fn read_patched(
    value: Value,
    kind: &GroupVersionKind,
    field_validation: FieldValidation,
    cluster: &Cluster,
    profile: &ServerProfile,
) -> Result<Object, DecodeError> {
    if let Some(definition) = cluster.custom_resource_of_kind(&kind.group, &kind.kind) {
        let text = |field: &str| value[field].as_str().unwrap_or_default().to_owned();
        let found = GroupVersionKind::from_api_version(&text("apiVersion"), &text("kind"));
        let mut object = Object::new(found, value);
        definition.set_defaults(&mut object);
        return Ok(object);
    }
    let context = DecodeContext { kind, field_validation, strict_errors: &[], body: "" };
    kube_registry::read(Node::from(value), &context, profile, NOW).map(|read| read.object)
}
