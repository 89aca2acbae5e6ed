//! Metadata of custom resources.

use crate::validation::metadata::{self, NameRule, Scope};
use crate::validation::node::{Errors, Node};
use kube_api::Value;
use kube_api::field::{Error, Path};

/// Returns the errors in the metadata of a new custom resource.
pub(crate) fn validate_custom_metadata(object: &Value, is_namespaced: bool) -> Vec<Error> {
    let metadata = Node::root(object).child("metadata");
    validate(&metadata, is_namespaced, metadata::name_is_dns_subdomain)
}

/// Returns the errors in the metadata of a custom resource that replaces `old`. An object without a resource version
/// counts as the newest one, as objects offline have none.
pub(crate) fn validate_custom_metadata_update(object: &Value, old: &Value) -> Vec<Error> {
    let mut errors = Errors::default();
    let (metadata, old) = (Node::root(object).child("metadata"), Node::root(old).child("metadata"));
    metadata::validate_object_meta_accessor_update(&mut errors, &metadata, &old);
    let version = Path::new("metadata.resourceVersion");
    errors.0.retain(|error| error.path.as_ref() != Some(&version));
    errors.0
}

/// Returns the errors in the metadata of an embedded object, which is at `path`. It does not need a name.
pub(crate) fn validate_embedded_metadata(metadata: &Value, path: &Path) -> Vec<Error> {
    let mut metadata = metadata.clone();
    if let Value::Object(map) = &mut metadata
        && map.text("name").is_empty()
    {
        map.insert("name".to_owned(), "name".into());
    }
    let metadata = Node::new(path.clone(), &metadata);
    let is_namespaced = !metadata.text("namespace").is_empty();
    validate(&metadata, is_namespaced, metadata::name_is_path_segment)
}

pub(crate) fn validate(metadata: &Node, is_namespaced: bool, rule: NameRule) -> Vec<Error> {
    let mut errors = Errors::default();
    let scope = if is_namespaced { Scope::Namespaced } else { Scope::Cluster };
    metadata::validate_object_meta_accessor(&mut errors, metadata, scope, rule);
    errors.0
}
