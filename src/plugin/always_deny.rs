//! Refuses every request: creating, changing, deleting and connecting, for all objects. A cluster with it enabled is
//! frozen. It is the last plugin of the chain, so the others run first.
//!
//! # When it rejects
//!
//! Always.
//!
//! # Cluster objects it reads
//!
//! None.
//!
//! # Offline
//!
//! Nothing is assumed.
//!
//! # Since
//!
//! Before 1.10; deprecated since 1.13, off unless enabled.
//!
//! # Upstream
//!
//! `k8s.io/kubernetes/plugin/pkg/admission/deny`

use crate::admission::{Attributes, Handler, MutationInterface, Recorder, Refusal, ValidationInterface};
use crate::plugin::PluginInitializer;

pub(super) fn new(_: &PluginInitializer) -> Handler {
    Handler::both(AlwaysDeny)
}

struct AlwaysDeny;

impl MutationInterface for AlwaysDeny {
    fn admit(&self, attributes: &mut Attributes, _recorder: &mut Recorder) -> Result<(), Refusal> {
        Err(refusal(attributes))
    }
}

impl ValidationInterface for AlwaysDeny {
    fn validate(&self, attributes: &Attributes, _recorder: &mut Recorder) -> Result<(), Refusal> {
        Err(refusal(attributes))
    }
}

fn refusal(attributes: &Attributes) -> Refusal {
    attributes.new_forbidden("admission control is denying all modifications")
}

#[cfg(test)]
mod tests {
    use crate::plugin::testing::{Bench, create, delete, pod};
    use gotext::value::json;

    #[test]
    fn rejects_everything() {
        let bench = Bench::new("AlwaysDeny", []);
        let message = "pods \"web\" is forbidden: admission control is denying all modifications";
        let request = delete(pod(json!({})));
        assert_eq!(bench.admit(&mut request.clone()).unwrap_err().status.message, message);
        assert_eq!(bench.validate(&request).unwrap_err().status.message, message);
    }

    #[test]
    fn rejects_objects_without_a_name() {
        let review =
            json!({"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview", "spec": {}});
        let refusal = Bench::new("AlwaysDeny", []).admit(&mut create(review)).unwrap_err();
        assert_eq!(
            refusal.status.message,
            "selfsubjectaccessreviews.authorization.k8s.io \"Unknown\" is forbidden: \
             admission control is denying all modifications"
        );
    }
}
