//! Limits what several projects may use together: a quota that selects projects by labels or annotations counts as
//! a ResourceQuota in each of them.
//!
//! # When it rejects
//!
//! - A quota that selects the namespace would be exceeded, or requires that a container sets its requests.
//!
//! # Cluster objects it reads
//!
//! `clusterresourcequotas` of quota.openshift.io, the Namespace.
//!
//! # Offline
//!
//! The usage is that of `status.total`; for a quota without a status it is calculated from the objects that exist.
//!
//! # Since
//!
//! OpenShift 3.3, on by default.
//!
//! # Upstream
//!
//! `github.com/openshift/apiserver-library-go/pkg/admission/quota/clusterresourcequota`

mod quotas;

use crate::admission::Handler;
use crate::plugin::openshift::exemption;
use crate::plugin::{OtherQuotas, PluginInitializer, over_other_quotas};
use crate::quota::openshift::CLUSTER_QUOTAS;

pub(super) fn new(initializer: &PluginInitializer) -> Handler {
    let ClusterResourceQuota(handler) = ClusterResourceQuota(over_other_quotas(initializer, &OVER_PROJECTS));
    exemption::outside_run_levels(handler, initializer)
}

static OVER_PROJECTS: OtherQuotas = OtherQuotas {
    resource: CLUSTER_QUOTAS,
    field: "quota",
    selecting: quotas::selecting,
    charge: quotas::charge,
};

/// The evaluator of `ResourceQuota` over other quotas.
struct ClusterResourceQuota(Handler);
