//! Refuses `exec` and `attach` into a pod that the user could not create, so that users cannot enter a container with
//! more rights than their own. The pod's own service account counts as well: if it may use a constraint that accepts
//! the pod, every user who may exec can.
//!
//! # When it rejects
//!
//! - No constraint that the user or the pod's service account may use accepts the pod.
//! - There is no such pod.
//!
//! # Cluster objects it reads
//!
//! The Pod, its Namespace, `securitycontextconstraints`, roles and bindings (verb `use`).
//!
//! # Offline
//!
//! As `security.openshift.io/SecurityContextConstraint`.
//!
//! # Since
//!
//! OpenShift 3.0, on by default.
//!
//! # Upstream
//!
//! `github.com/openshift/apiserver-library-go/pkg/securitycontextconstraints/sccadmission`

use std::sync::Arc;

use crate::admission::{Attributes, Handler, Operation, Phase, Recorder, Refusal, ValidationInterface};
use crate::cluster::Cluster;
use crate::plugin::PluginInitializer;
use crate::plugin::openshift::{exemption, scc};
use kube_api::resources::PODS;
use kube_api::{Name, Status};

pub(super) fn new(initializer: &PluginInitializer) -> Handler {
    let plugin = SCCExecRestrictions {
        cluster: initializer.cluster.clone(),
        constraints: scc::Matcher::new(initializer),
    };
    exemption::where_scc_applies(Handler::validating(plugin), initializer)
}

struct SCCExecRestrictions {
    cluster: Arc<Cluster>,
    constraints: scc::Matcher,
}

impl ValidationInterface for SCCExecRestrictions {
    fn validate(&self, attributes: &Attributes, _: &mut Recorder) -> Result<(), Refusal> {
        let enters = ["exec", "attach"].contains(&&*attributes.sub_resource);
        if !(attributes.resource.is("", "pods") && enters) {
            return Ok(());
        }
        let pod = self.cluster.get(&PODS, &attributes.namespace, &attributes.name);
        let Some(pod) = pod else { return Err(Status::new_not_found(&PODS, &attributes.name).into()) };
        let mut creation = Attributes {
            operation: Operation::Create,
            kind: pod.kind.clone(),
            sub_resource: Name::Borrowed(""),
            object: Some(pod),
            old_object: None,
            ..attributes.clone()
        };
        if scc::is_skipped(&creation, Phase::Mutating) {
            return Ok(());
        }
        // The pod may get another constraint than it has; the audit annotations about this are discarded.
        self.constraints.admit(&mut creation, &mut Recorder::silent()).map_err(|refusal| {
            let error = format!(
                "{} operation is not allowed because the pod's security context exceeds your permissions: {}",
                attributes.sub_resource, refusal.status.message
            );
            Refusal { status: attributes.new_forbidden(error).status, ..refusal }
        })
    }
}
