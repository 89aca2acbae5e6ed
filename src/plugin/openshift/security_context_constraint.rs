//! Sets on every new pod the security context of the first `SecurityContextConstraints` that its service account or its
//! creator may use and that accepts the pod, and rejects the pod if there is none, so that containers run only with the
//! rights on the node that were granted. Constraints are tried in the order of their priority, then the most
//! restrictive first.
//!
//! # When it rejects
//!
//! - No usable constraint accepts the pod: the message lists each of them with the reason.
//! - An update or a webhook changed the pod so that no usable constraint accepts it as it is.
//! - The annotation `openshift.io/required-scc` names a constraint that does not exist or does not accept the pod, or
//!   an update changes it.
//! - The namespace has no `openshift.io/sa.scc.uid-range` or `openshift.io/sa.scc.mcs`, one of the ten standard
//!   constraints is missing, or a constraint is malformed.
//!
//! # Cluster objects it reads
//!
//! `securitycontextconstraints`, the Namespace of the pod, roles and bindings (verb `use`); for the note on labels, the
//! service accounts of the namespace.
//!
//! # Offline
//!
//! It does not wait ten seconds for missing objects. The kernel of the API server, which decides on three sysctls, is
//! assumed to be recent.
//!
//! # Since
//!
//! OpenShift 3.0, on by default; the `-v2` constraints since 4.11.
//!
//! # Upstream
//!
//! `github.com/openshift/apiserver-library-go/pkg/securitycontextconstraints/sccadmission`

use crate::admission::{
    Attributes, Handler, MutationInterface, Phase, Recorder, Refusal, ValidationInterface,
};
use crate::plugin::PluginInitializer;
use crate::plugin::openshift::{exemption, scc};

pub(super) fn new(initializer: &PluginInitializer) -> Handler {
    let plugin = SecurityContextConstraint { constraints: scc::Matcher::new(initializer) };
    exemption::where_scc_applies(Handler::both(plugin), initializer)
}

struct SecurityContextConstraint {
    constraints: scc::Matcher,
}

impl MutationInterface for SecurityContextConstraint {
    fn admit(&self, attributes: &mut Attributes, recorder: &mut Recorder) -> Result<(), Refusal> {
        if scc::is_skipped(attributes, Phase::Mutating) {
            return Ok(());
        }
        self.constraints.admit(attributes, recorder)
    }
}

impl ValidationInterface for SecurityContextConstraint {
    fn validate(&self, attributes: &Attributes, recorder: &mut Recorder) -> Result<(), Refusal> {
        if scc::is_skipped(attributes, Phase::Validating) {
            return Ok(());
        }
        self.constraints.validate(attributes, recorder)
    }
}
