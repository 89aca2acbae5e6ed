//! Leases and lease candidates.
//!
//! Source: `k8s.io/kubernetes/pkg/apis/coordination/validation`.

use crate::validation::node::{Errors, Node};
use gotext::names;

pub(crate) const OLDEST: &str = "OldestEmulationVersion";

/// Implements `ValidateCoordinatedLeaseStrategy`; upstream repeats `strategy` in the path.
pub(crate) fn validate_strategy(errors: &mut Errors, spec: &Node) {
    let strategy = spec.text("strategy");
    let path = || spec.at("strategy").child("strategy");
    if strategy.contains('/') {
        errors.each(path, strategy, names::is_qualified_name(strategy));
    } else if strategy != OLDEST {
        errors.not_supported(&path(), strategy, &[OLDEST]);
    }
}
