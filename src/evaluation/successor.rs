//! Checks whether a document of a kind that is gone is valid for the replacing kind, if only its `apiVersion` is
//! changed.

use crate::api::decode::{DecodeContext, FieldValidation};
use crate::api::features::FeatureGates;
use crate::api::{GroupVersionKind, resource};
use crate::registry::{self, Context};
use crate::source::{Data, Node};

/// Returns the `apiVersion` with which the server accepts `node`, a document of a `kind` that it does not serve: all
/// fields are those of the successor, and none is missing.
pub(super) fn api_version(node: &Node, kind: &GroupVersionKind, features: &FeatureGates) -> Option<String> {
    let successor = resource::replacement(kind, features.release())?.kind;
    let strategy = registry::of(&successor).filter(|_| successor.kind == kind.kind)?;
    let mut node = node.clone();
    let Data::Object(entries) = &mut node.data else { return None };
    let entry = entries.iter_mut().find(|entry| entry.key == "apiVersion")?;
    entry.value.data = Data::String(successor.api_version().into());
    let context = DecodeContext {
        kind: &successor,
        field_validation: FieldValidation::Strict,
        strict_errors: &[],
        body: "",
    };
    let mut object = registry::read(node, &context, features, registry::NOW).ok()?.object;
    let resource = resource::by_kind_in(features.release(), &successor)?;
    if resource.namespaced && object.namespace().is_empty() {
        object.set(["metadata", "namespace"], "default");
    }
    let context = Context::new(features);
    strategy.prepare_for_create(&mut object, &context);
    let is_valid = strategy.validate_create(&object, &context).is_empty();
    is_valid.then(|| successor.api_version())
}
