//! The strategies of all built-in kinds.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::strategy::Strategy;
use crate::{
    admissionregistration, apiextensions, apiregistration, apiserverinternal, apps, authentication,
    authorization, autoscaling, batch, certificates, coordination, core, discovery, events, flowcontrol,
    networking, node, older_releases, policy, rbac, resource, scheduling, storage, storagemigration,
};
use kube_api::GroupVersionKind;

/// One row per kind, ordered by group and kind.
static STRATEGIES: &[&Strategy] = &[
    &core::binding::STRATEGY,
    &core::component_status::STRATEGY,
    &core::config_map::STRATEGY,
    &core::endpoints::STRATEGY,
    &core::event::STRATEGY,
    &core::limit_range::STRATEGY,
    &core::namespace::STRATEGY,
    &core::node::STRATEGY,
    &core::persistent_volume::STRATEGY,
    &core::persistent_volume_claim::STRATEGY,
    &core::pod::STRATEGY,
    &core::pod_template::STRATEGY,
    &core::replication_controller::STRATEGY,
    &core::resource_quota::STRATEGY,
    &core::secret::STRATEGY,
    &core::service::STRATEGY,
    &core::service_account::STRATEGY,
    &admissionregistration::mutating_admission_policy::STRATEGY,
    &admissionregistration::mutating_admission_policy_binding::STRATEGY,
    &admissionregistration::mutating_webhook_configuration::STRATEGY,
    &admissionregistration::validating_admission_policy::STRATEGY,
    &admissionregistration::validating_admission_policy_binding::STRATEGY,
    &admissionregistration::validating_webhook_configuration::STRATEGY,
    &apiextensions::custom_resource_definition::STRATEGY,
    &apiregistration::api_service::STRATEGY,
    &apps::controller_revision::STRATEGY,
    &apps::daemon_set::STRATEGY,
    &apps::deployment::STRATEGY,
    &apps::replica_set::STRATEGY,
    &apps::stateful_set::STRATEGY,
    &authentication::self_subject_review::STRATEGY,
    &authentication::token_request::STRATEGY,
    &authentication::token_review::STRATEGY,
    &authorization::local_subject_access_review::STRATEGY,
    &authorization::self_subject_access_review::STRATEGY,
    &authorization::self_subject_rules_review::STRATEGY,
    &authorization::subject_access_review::STRATEGY,
    &autoscaling::horizontal_pod_autoscaler::STRATEGY,
    &autoscaling::scale::STRATEGY,
    &batch::cron_job::STRATEGY,
    &batch::job::STRATEGY,
    &certificates::certificate_signing_request::STRATEGY,
    &certificates::cluster_trust_bundle::STRATEGY,
    &certificates::pod_certificate_request::STRATEGY,
    &coordination::lease::STRATEGY,
    &coordination::lease_candidate::STRATEGY,
    &discovery::endpoint_slice::STRATEGY,
    &events::event::STRATEGY,
    &flowcontrol::flow_schema::STRATEGY,
    &flowcontrol::priority_level_configuration::STRATEGY,
    &apiserverinternal::storage_version::STRATEGY,
    &networking::ip_address::STRATEGY,
    &networking::ingress::STRATEGY,
    &networking::ingress_class::STRATEGY,
    &networking::network_policy::STRATEGY,
    &networking::service_cidr::STRATEGY,
    &node::runtime_class::STRATEGY,
    &policy::eviction::STRATEGY,
    &policy::pod_disruption_budget::STRATEGY,
    &rbac::cluster_role::STRATEGY,
    &rbac::cluster_role_binding::STRATEGY,
    &rbac::role::STRATEGY,
    &rbac::role_binding::STRATEGY,
    &resource::device_class::STRATEGY,
    &resource::device_taint_rule::STRATEGY,
    &resource::resource_claim::STRATEGY,
    &resource::resource_claim_template::STRATEGY,
    &resource::resource_pool_status_request::STRATEGY,
    &resource::resource_slice::STRATEGY,
    &scheduling::pod_group::STRATEGY,
    &scheduling::priority_class::STRATEGY,
    &scheduling::workload::STRATEGY,
    &storage::csi_driver::STRATEGY,
    &storage::csi_node::STRATEGY,
    &storage::csi_storage_capacity::STRATEGY,
    &storage::storage_class::STRATEGY,
    &storage::volume_attachment::STRATEGY,
    &storage::volume_attributes_class::STRATEGY,
    &storagemigration::storage_version_migration::STRATEGY,
];

/// Returns all strategies, ordered by group and kind.
pub fn all() -> &'static [&'static Strategy] {
    STRATEGIES
}

/// Returns the strategy of `kind`, if it is built in, or was in an older release.
pub fn of(kind: &GroupVersionKind) -> Option<&'static Strategy> {
    present(kind).or_else(|| older_releases::of(kind))
}

/// Whether `kind` is built in.
pub(super) fn is_present(kind: &GroupVersionKind) -> bool {
    present(kind).is_some()
}

fn present(kind: &GroupVersionKind) -> Option<&'static Strategy> {
    static BY_KIND: LazyLock<FxHashMap<(&str, &str), &Strategy>> = LazyLock::new(|| {
        STRATEGIES.iter().map(|strategy| ((strategy.group, strategy.kind), *strategy)).collect()
    });
    let found = BY_KIND.get(&(&*kind.group, &*kind.kind))?;
    Some(*found).filter(|strategy| strategy.versions.contains(&&*kind.version))
}
