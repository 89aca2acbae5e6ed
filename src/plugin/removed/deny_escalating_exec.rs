//! Refuses `exec` and `attach` into pods with extended rights on their node: those that share a namespace of the host,
//! and those with a privileged container. A user who enters such a pod has its rights, even without the right to create
//! one.
//!
//! # When it rejects
//!
//! - There is no such pod.
//! - The pod uses the network, the process IDs or the interprocess communication of its host.
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
//! Before 1.10, until 1.20; off unless enabled. Deprecated since 1.14.
//!
//! # Upstream
//!
//! `k8s.io/kubernetes/plugin/pkg/admission/exec`

use std::sync::Arc;

use crate::admission::{Attributes, Handler, Recorder, Refusal, ValidationInterface};
use crate::cluster::Cluster;
use crate::plugin::PluginInitializer;
use crate::plugin::removed::entered_pod::{self, is_privileged};
use kube_registry::pod::PodTemplate;

pub(in crate::plugin) fn new(initializer: &PluginInitializer) -> Handler {
    Handler::validating(DenyEscalatingExec { cluster: initializer.cluster.clone() })
}

struct DenyEscalatingExec {
    cluster: Arc<Cluster>,
}

impl ValidationInterface for DenyEscalatingExec {
    fn validate(&self, attributes: &Attributes, _: &mut Recorder) -> Result<(), Refusal> {
        entered_pod::check(&self.cluster, attributes, why_not)
    }
}

fn why_not(pod: PodTemplate<'_>) -> Option<(&'static str, &'static str)> {
    if pod.flag("hostNetwork") {
        Some(("uses the host's network", "cannot exec into or attach to a container using host network"))
    } else if pod.flag("hostPID") {
        Some(("uses the host's process IDs", "cannot exec into or attach to a container using host pid"))
    } else if pod.flag("hostIPC") {
        let says = "uses the host's interprocess communication";
        Some((says, "cannot exec into or attach to a container using host ipc"))
    } else if is_privileged(pod) {
        let reason = "cannot exec into or attach to a privileged container";
        Some(("has a privileged container", reason))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use crate::admission::Operation;
    use crate::plugin::testing::{Bench, create, pod};
    use gotext::value::json;
    use kube_api::Value;

    fn exec(spec: Value) -> Result<(), String> {
        let mut target = pod(spec);
        target["metadata"]["name"] = "web".into();
        let bench = Bench::new("DenyEscalatingExec", [target.clone()]);
        let mut request = create(target);
        request.operation = Operation::Connect;
        request.sub_resource = "exec".into();
        bench.validate(&request).map_err(|refusal| refusal.status.message.clone())
    }

    #[test]
    fn rejects_whoever_enters_a_pod_with_rights_on_its_host() {
        let containers = json!([{"name": "a"}, {"name": "b", "securityContext": {"privileged": true}}]);
        let cases = [
            (json!({"hostNetwork": true, "hostPID": true}), "a container using host network"),
            (json!({"hostPID": true, "hostIPC": true}), "a container using host pid"),
            (json!({"hostIPC": true, "containers": containers}), "a container using host ipc"),
            (json!({"containers": containers}), "a privileged container"),
        ];
        for (spec, what) in cases {
            let message = format!("pods \"web\" is forbidden: cannot exec into or attach to {what}");
            assert_eq!(exec(spec), Err(message));
        }
    }

    #[test]
    fn admits_whoever_enters_another_pod() {
        assert_eq!(exec(json!({"containers": [{"name": "a"}]})), Ok(()));
    }

    #[test]
    fn rejects_a_pod_that_is_not_there() {
        let bench = Bench::new("DenyEscalatingExec", []);
        let mut request = create(pod(json!({})));
        request.operation = Operation::Connect;
        request.sub_resource = "attach".into();
        let refusal = bench.validate(&request).unwrap_err();
        assert_eq!(refusal.status.message, "pods \"web\" is forbidden: pods \"web\" not found");
    }
}
