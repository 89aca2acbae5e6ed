//! Lets every request pass and changes nothing. It exists so that a chain can name it; it does not disable or overrule
//! other plugins.
//!
//! # When it rejects
//!
//! Never.
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
//! `k8s.io/kubernetes/plugin/pkg/admission/admit`

use crate::admission::{Attributes, Handler, MutationInterface, Recorder, Refusal, ValidationInterface};
use crate::plugin::PluginInitializer;

pub(super) fn new(_: &PluginInitializer) -> Handler {
    Handler::both(AlwaysAdmit)
}

struct AlwaysAdmit;

impl MutationInterface for AlwaysAdmit {
    fn admit(&self, _attributes: &mut Attributes, _recorder: &mut Recorder) -> Result<(), Refusal> {
        Ok(())
    }
}

impl ValidationInterface for AlwaysAdmit {
    fn validate(&self, _attributes: &Attributes, _recorder: &mut Recorder) -> Result<(), Refusal> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::plugin::testing::{Bench, create, delete, pod};
    use gotext::value::json;

    #[test]
    fn admits_everything_as_it_is() {
        let bench = Bench::new("AlwaysAdmit", []);
        assert!(bench.leaves_alone(create(pod(json!({})))));
        assert_eq!(bench.validate(&delete(pod(json!({})))), Ok(()));
    }

    #[test]
    fn admits_connections_in_both_phases() {
        let bench = Bench::new("AlwaysAdmit", []);
        let mut request = create(pod(json!({})));
        request.operation = crate::admission::Operation::Connect;
        assert_eq!(bench.admit(&mut request), Ok(()));
        assert_eq!(bench.validate(&request), Ok(()));
    }
}
