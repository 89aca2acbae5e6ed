//! The health of the control plane, which is only read.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/core`.

use crate::strategy::Strategy;

/// The strategy of `ComponentStatus`.
pub(crate) static STRATEGY: Strategy = Strategy::new("", "ComponentStatus");
