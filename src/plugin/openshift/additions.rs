//! What OpenShift adds to Kubernetes' own plugins.

use crate::plugin::PluginInitializer;
use crate::plugin::additions::{Additions, PodAsChecked};
use crate::plugin::openshift::scc::Matcher;
use gotext::value::json;
use kube_api::Value;
use kube_api::distribution::{OriginRelease, Server};

/// The additions of OpenShift's kube-apiserver.
static KUBE_APISERVER: Additions = Additions {
    immortal_namespaces: &[
        "openshift-config",
        "openshift-config-managed",
        "openshift-cluster-version",
        "openshift-machine-api",
    ],
    node_labels: &[
        "node-role.kubernetes.io/control-plane",
        "node-role.kubernetes.io/master",
        "node-role.kubernetes.io/worker",
        "node-role.kubernetes.io/etcd",
        "node-role.kubernetes.io/arbiter",
    ],
    token_sources: certificates_of_services,
    pod_as_checked: Some(constrained),
    ..Additions::NONE
};

static ORIGIN_1_4: Additions = Additions { has_volumes_without_nodes: true, ..Additions::NONE };
static OTHERS: Additions = Additions::NONE;

/// Returns the additions of `server`.
pub(crate) fn of(server: Server) -> &'static Additions {
    match server {
        Server::OpenShift => &KUBE_APISERVER,
        Server::Origin(OriginRelease::V1_4) => &ORIGIN_1_4,
        Server::Kubernetes | Server::OpenShiftApiserver | Server::Origin(OriginRelease::V3_11) => &OTHERS,
    }
}

fn certificates_of_services() -> Vec<Value> {
    let items = json!([{"key": "service-ca.crt", "path": "service-ca.crt"}]);
    vec![json!({"configMap": {"name": "openshift-service-ca.crt", "items": items}})]
}

/// Pods as the security context constraints change them.
fn constrained(initializer: &PluginInitializer) -> PodAsChecked {
    let matcher = Matcher::new(initializer);
    Box::new(move |attributes, pod| matcher.pod_of_template(attributes, pod))
}
