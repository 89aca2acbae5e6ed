//! OpenShift's kinds, as their servers serve them.
//!
//! Those of kube-apiserver are custom resources whose schema keeps every field; those of openshift-apiserver and of
//! Origin masters have types.
//!
//! Source: `github.com/openshift/api`.

mod access;
pub mod allowed_registries;
mod authorization;
mod claims;
mod config;
mod defaults;
pub mod facts;
pub mod image;
mod image_document;
pub mod image_stream;
pub mod image_tags;
mod kubelet_version;
mod ldap;
mod oauth;
mod operator;
pub mod origin;
mod preparation;
pub mod project;
mod quota;
pub mod reference;
mod route;
pub mod route_host;
mod security;
pub(super) mod served;
mod validator;
pub mod validators;

use std::sync::{Arc, OnceLock};

use crate::custom_resource::CustomResource;
use crate::strategy::Context;
use gotext::source::Node;
use kube_api::decode::{self, DecodeContext, FieldValidation};
use kube_api::{Object, resource};

pub use defaults::default_route;
pub use facts::{ClusterFacts, RequestContext};
pub use served::{ServedKind, of, set_defaults};
pub use validator::Validator;

/// Returns the resources that definitions add on every OpenShift cluster.
fn definitions() -> &'static [Arc<CustomResource>] {
    static DEFINITIONS: OnceLock<Vec<Arc<CustomResource>>> = OnceLock::new();
    DEFINITIONS.get_or_init(|| {
        let table = include_str!("../data/openshift/definitions.txt");
        let lines = table.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        lines.filter_map(read).map(Arc::new).collect()
    })
}

/// Reads the words of a line: version, resource, kind, scope, subresources.
fn read(line: &str) -> Option<CustomResource> {
    let mut words = line.split(' ');
    let (group, version) = words.next()?.split_once('/')?;
    let (plural, kind, scope) = (words.next()?, words.next()?, words.next()?);
    let has_status = words.next() == Some("status");
    Some(CustomResource::preserving(group, version, plural, kind, scope == "namespaced", has_status))
}

/// Returns a stored object as openshift-apiserver reads it: by the type of its kind, with defaults. Objects of other
/// kinds stay as they are.
pub fn typed(object: Arc<Object>) -> Arc<Object> {
    if resource::openshift_by_kind(&object.kind).is_none() {
        return object;
    }
    let context = DecodeContext {
        kind: &object.kind,
        field_validation: FieldValidation::Ignore,
        strict_errors: &[],
        body: "",
    };
    let Ok(decoded) = decode::decode(Node::from(object.value.clone()), &context) else { return object };
    let mut typed = decoded.object;
    set_defaults(&mut typed);
    decode::normalize(&mut typed);
    Arc::new(typed)
}

/// Prepares an image stream, also of a master of Origin, of which no other rules are known: to be created, or to
/// replace an older one through a subresource.
pub(crate) fn prepare_unchecked(object: &mut Object, old: Option<(&Object, &str)>, context: &Context<'_>) {
    if !image_stream::is_image_stream(&object.kind) {
        return;
    }
    let Some(around) = context.request().openshift.image_streams else { return };
    match old {
        None => image_stream::prepare_for_create(object, around),
        Some((old, sub_resource)) => image_stream::prepare_for_update(object, old, sub_resource, around),
    }
}

/// Returns the custom resource called `plural` that OpenShift has from the start.
pub fn definition(group: &str, plural: &str) -> Option<Arc<CustomResource>> {
    definitions().iter().find(|found| found.group == group && found.plural == plural).cloned()
}

/// Returns the custom resource whose objects are of `kind` that OpenShift has from the start. Kinds of Origin, which
/// has no groups, are found without theirs.
pub fn definition_of_kind(group: &str, kind: &str) -> Option<Arc<CustomResource>> {
    let is_it = |found: &&Arc<CustomResource>| found.group == group && found.kind == kind;
    definitions().iter().find(is_it).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_every_line_of_the_table() {
        let table = include_str!("../data/openshift/definitions.txt");
        let lines = table.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).count();
        assert_eq!(definitions().len(), lines);
        let routes = definition("route.openshift.io", "routes").expect("a resource");
        assert!(routes.is_namespaced);
        assert!(routes.version("v1").expect("a version").has_status);
    }
}
