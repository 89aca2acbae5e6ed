//! Evictions of Pods.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/policy`.

use crate::strategy::{Answer, Storage, Strategy};

/// The strategy of `Eviction`.
pub(crate) static STRATEGY: Strategy =
    Strategy { storage: Storage::Answered(Answer::Eviction), ..Strategy::new("policy", "Eviction") };
