//! Forbids users to choose the node of a pod, by name or by certain labels, unless they may bind pods, so that users
//! cannot place pods on nodes of others.
//!
//! # When it rejects
//!
//! - A new pod names its node, or selects it by a listed label, and its creator may not create `pods/binding`.
//!
//! # Configuration
//!
//! ```yaml
//! apiVersion: scheduling.openshift.io/v1
//! kind: PodNodeConstraintsConfig
//! nodeSelectorLabelBlacklist: [kubernetes.io/hostname]   # the default
//! ```
//!
//! # Cluster objects it reads
//!
//! Roles and bindings.
//!
//! # Offline
//!
//! Nothing is assumed.
//!
//! # Since
//!
//! OpenShift 3.2; without a configuration it does nothing.
//!
//! # Upstream
//!
//! `openshift/kubernetes/openshift-kube-apiserver/admission/scheduler/podnodeconstraints`

use std::sync::Arc;

use crate::admission::{Attributes, Handler, Operation, Recorder, Refusal, ValidationInterface};
use crate::cluster::authorizer::{Authorizer, ResourceAttributes};
use crate::plugin::openshift::configuration;
use crate::plugin::{FactoryError, PluginConfiguration, PluginInitializer};
use kube_api::Object;
use kube_api::field::Path;

const KIND: &str = "PodNodeConstraintsConfig";
const LABELS: &str = "nodeSelectorLabelBlacklist";

pub(super) fn new(
    initializer: &PluginInitializer,
    given: Option<&PluginConfiguration>,
) -> Result<Handler, FactoryError> {
    let kind = ("scheduling.openshift.io", KIND);
    let given = configuration::read(initializer, given, kind)?;
    let Some(given) = given else { return Ok(Handler::default()) };
    let labels = match given.get(LABELS).filter(|labels| !labels.is_null()) {
        Some(_) => configuration::texts(&given, LABELS),
        None => vec!["kubernetes.io/hostname".to_owned()],
    };
    let authorizer = initializer.authorizer.clone();
    Ok(Handler::validating(PodNodeConstraints { authorizer, labels }))
}

struct PodNodeConstraints {
    authorizer: Arc<Authorizer>,
    labels: Vec<String>,
}

impl ValidationInterface for PodNodeConstraints {
    fn validate(&self, attributes: &Attributes, _: &mut Recorder) -> Result<(), Refusal> {
        if attributes.operation != Operation::Create || !attributes.is_for("", "pods") {
            return Ok(());
        }
        let Some(pod) = attributes.object.as_deref() else { return Ok(()) };
        let node = pod.text(["spec", "nodeName"]);
        if is_mirror_of_node(pod, node, attributes) {
            return Ok(());
        }
        let selector = pod.child(["spec", "nodeSelector"]);
        let chosen = selector.into_iter().flatten().map(|(label, _)| label.as_str());
        let labels: Vec<&str> =
            chosen.filter(|label| self.labels.iter().any(|listed| listed == label)).collect();
        if node.is_empty() && labels.is_empty() || self.may_bind(attributes) {
            return Ok(());
        }
        let list = labels.join(" ");
        let by = match (node.is_empty(), labels.is_empty()) {
            (false, true) => "nodeName".to_owned(),
            (true, _) => format!("label(s) [{list}]"),
            (false, false) => format!("nodeName and label(s) [{list}]"),
        };
        let field = if node.is_empty() { "spec.nodeSelector" } else { "spec.nodeName" };
        let error = format!("node selection by {by} is prohibited by policy for your role");
        Err(attributes.new_forbidden(error).at(Path::new(field)))
    }
}

impl PodNodeConstraints {
    fn may_bind(&self, attributes: &Attributes) -> bool {
        let resource = ResourceAttributes {
            namespace: &attributes.namespace,
            resource: "pods",
            sub_resource: "binding",
            name: &attributes.name,
            ..ResourceAttributes::default()
        };
        self.authorizer.authorize(&attributes.user_info.access("create", resource)).allowed
    }
}

/// Whether a node creates the mirror of a static pod that runs on it.
fn is_mirror_of_node(pod: &Object, node: &str, attributes: &Attributes) -> bool {
    let user = &attributes.user_info;
    pod.annotation("kubernetes.io/config.mirror").is_some()
        && !node.is_empty()
        && user.username.strip_prefix("system:node:") == Some(node)
        && user.groups.iter().any(|group| group == "system:nodes")
}
