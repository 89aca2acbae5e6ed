//! The namespaces that the openshift-apiserver creates with projects.

use std::sync::Arc;

use crate::admission::Refusal;
use crate::evaluation::server::{Call, Server};
use kube_api::Object;
use kube_api::resources::{NAMESPACES, ROLE_BINDINGS};
use kube_registry::openshift::project;

/// Creates the namespace of a project.
pub(super) fn create_namespace(server: Server<'_>, object: &Object, call: &Call) -> Result<(), Refusal> {
    let exists = server.cluster.namespace(object.name()).is_some();
    if let Some(status) = project::refusal(object, exists) {
        return Err(status.into());
    }
    if call.dry_run || exists {
        return Ok(());
    }
    for created in project::created_with(object, &call.user_info.username) {
        let resource = if created.namespace().is_empty() { &NAMESPACES } else { &ROLE_BINDINGS };
        server.cluster.put(resource, Arc::new(created));
    }
    Ok(())
}
