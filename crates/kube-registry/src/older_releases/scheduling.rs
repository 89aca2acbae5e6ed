//! Groups of Pods as 1.35 and 1.36 have them: with fields that later versions do not read.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/scheduling` of 1.36.

mod group;
mod pod_group;
mod workload;

use crate::strategy::Strategy;

static WORKLOAD_ALPHA: Strategy = Strategy { versions: &["v1alpha1"], ..workload::STRATEGY };

/// The kinds of this file; no later version takes their place.
pub(super) static STRATEGIES: &[&Strategy] = &[&pod_group::STRATEGY, &workload::STRATEGY, &WORKLOAD_ALPHA];
