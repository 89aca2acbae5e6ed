//! What a distribution adds to Kubernetes' own plugins.

use crate::admission::Attributes;
use crate::plugin::PluginInitializer;
use kube_api::{Object, Value};
use kube_registry::pod::PodTemplate;

/// Returns the pod of a workload as it is by the time that its security is checked, if it is another one.
pub(super) type PodAsChecked = Box<dyn Fn(&Attributes, PodTemplate<'_>) -> Option<Object> + Send + Sync>;

/// The additions of a distribution. Those of Kubernetes are empty.
#[derive(Clone, Copy)]
pub(crate) struct Additions {
    /// Further namespaces that may not be deleted.
    pub(super) immortal_namespaces: &'static [&'static str],
    /// Further labels that a kubelet may set when it registers its node.
    pub(super) node_labels: &'static [&'static str],
    /// Further sources of the volume that has the token of a service account.
    pub(super) token_sources: fn() -> Vec<Value>,
    /// Whether volumes cannot require nodes yet.
    pub(super) has_volumes_without_nodes: bool,
    /// Returns what changes pods before their security is checked.
    pub(super) pod_as_checked: Option<fn(&PluginInitializer) -> PodAsChecked>,
}

impl Additions {
    pub(super) const NONE: Self = Self {
        immortal_namespaces: &[],
        node_labels: &[],
        token_sources: Vec::new,
        has_volumes_without_nodes: false,
        pod_as_checked: None,
    };
}
