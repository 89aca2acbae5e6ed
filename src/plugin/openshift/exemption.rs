//! The namespaces that some of OpenShift's plugins skip, so that the cluster itself can start.
//!
//! Source: `openshift-kube-apiserver/admission/customresourcevalidation`, `namespaceconditions`.

use std::sync::Arc;

use crate::admission::{Attributes, Handler, Operation};
use crate::cluster::Cluster;
use crate::plugin::PluginInitializer;
use kube_api::Object;
use kube_api::distribution::Server;
use kube_api::resources::NAMESPACES;

/// The label with the run level, that is how early the pods of a namespace are needed.
const RUN_LEVEL: &str = "openshift.io/run-level";
/// The label that disables security context constraints.
const DISABLE_SCC: &str = "security.openshift.io/disable-securitycontextconstraints";
/// Namespaces of run level 0 and 1, in spite of their labels.
const BY_NAME: &[&str] =
    &["default", "kube-system", "kube-public", "openshift-node", "openshift-infra", "openshift"];

/// Returns `handler`, not called in the namespaces that the cluster needs to start.
pub(super) fn outside_run_levels(handler: Handler, initializer: &PluginInitializer) -> Handler {
    guarded(handler, initializer, false)
}

/// Does the same, and also skips namespaces where security context constraints are disabled.
pub(super) fn where_scc_applies(handler: Handler, initializer: &PluginInitializer) -> Handler {
    guarded(handler, initializer, true)
}

fn guarded(handler: Handler, initializer: &PluginInitializer, is_scc: bool) -> Handler {
    if initializer.server != Server::OpenShift {
        return handler;
    }
    let cluster = initializer.cluster.clone();
    handler.only_where(move |attributes| !is_exempt(&cluster, attributes, is_scc))
}

fn is_exempt(cluster: &Cluster, attributes: &Attributes, is_scc: bool) -> bool {
    if attributes.namespace.is_empty() {
        return false;
    }
    if BY_NAME.contains(&attributes.namespace.as_str()) {
        return true;
    }
    let Some(namespace) = namespace(cluster, attributes) else { return false };
    matches!(namespace.label(RUN_LEVEL), Some("0" | "1"))
        || is_scc && namespace.label(DISABLE_SCC) == Some("true")
}

/// Returns the namespace of the request; for a request about a namespace itself, the new object.
fn namespace(cluster: &Cluster, attributes: &Attributes) -> Option<Arc<Object>> {
    let writes = matches!(attributes.operation, Operation::Create | Operation::Update);
    if attributes.resource.is(&NAMESPACES.group, &NAMESPACES.resource) && writes {
        return attributes.object.clone();
    }
    cluster.namespace(&attributes.namespace)
}
