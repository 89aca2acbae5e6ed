//! Refuses `exec` and `attach` into pods with a privileged container. `DenyEscalatingExec` does that too, and also
//! checks pods that use namespaces of their host.
//!
//! # When it rejects
//!
//! - There is no such pod.
//! - A container of the pod is privileged, even if another one is entered.
//!
//! # Cluster objects it reads
//!
//! The Pod.
//!
//! # Offline
//!
//! Nothing is assumed.
//!
//! # Since
//!
//! Before 1.10, until 1.20; off unless enabled, and deprecated in favour of `DenyEscalatingExec`.
//!
//! # Upstream
//!
//! `k8s.io/kubernetes/plugin/pkg/admission/exec`

use std::sync::Arc;

use crate::admission::{Attributes, Handler, Recorder, Refusal, ValidationInterface};
use crate::cluster::Cluster;
use crate::plugin::PluginInitializer;
use crate::plugin::removed::entered_pod::{self, is_privileged};

pub(in crate::plugin) fn new(initializer: &PluginInitializer) -> Handler {
    Handler::validating(DenyExecOnPrivileged { cluster: initializer.cluster.clone() })
}

struct DenyExecOnPrivileged {
    cluster: Arc<Cluster>,
}

impl ValidationInterface for DenyExecOnPrivileged {
    fn validate(&self, attributes: &Attributes, _: &mut Recorder) -> Result<(), Refusal> {
        entered_pod::check(&self.cluster, attributes, |pod| {
            let reason = "cannot exec into or attach to a privileged container";
            is_privileged(pod).then_some(("has a privileged container", reason))
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::admission::Operation;
    use crate::plugin::testing::{Bench, create, pod};
    use gotext::value::json;
    use kube_api::Value;

    fn attach(spec: Value) -> Result<(), String> {
        let target = pod(spec);
        let bench = Bench::new("DenyExecOnPrivileged", [target.clone()]);
        let mut request = create(target);
        request.operation = Operation::Connect;
        request.sub_resource = "attach".into();
        bench.validate(&request).map_err(|refusal| refusal.status.message.clone())
    }

    #[test]
    fn rejects_whoever_enters_a_privileged_pod() {
        let containers = json!([{"name": "a", "securityContext": {"privileged": true}}]);
        let message = "pods \"web\" is forbidden: cannot exec into or attach to a privileged container";
        assert_eq!(
            attach(json!({"hostNetwork": true, "initContainers": containers})),
            Err(message.to_owned())
        );
    }

    #[test]
    fn admits_whoever_enters_a_pod_that_uses_its_host() {
        assert_eq!(attach(json!({"hostNetwork": true, "hostPID": true, "hostIPC": true})), Ok(()));
    }
}
