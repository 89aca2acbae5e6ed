//! The strategies of kinds and versions that are gone but were served by older releases, and the kinds that they are
//! stored as.
//!
//! If a current version has the same fields, its strategy serves the older one too. Differences in defaulting are
//! implemented here; differences in validation are unknown.
//!
//! Source: the packages `k8s.io/kubernetes/pkg/apis` and `pkg/registry` of the releases that had the versions.

mod batch;
pub(super) mod container_metrics;
pub(super) mod conversion;
mod ingress;
pub(super) mod initializers;
mod registration;
pub(super) mod rules;
mod scheduling;
mod shape;
mod unknown;
pub(super) mod volume_scheduling;
mod workloads;

use crate::strategy::Strategy;
use crate::{
    admissionregistration, apiregistration, apps, authentication, authorization, autoscaling, certificates,
    coordination, core, discovery, events, flowcontrol, networking, node, policy, rbac, resource, settings,
    storage, storagemigration,
};
use kube_api::GroupVersionKind;
use kube_api::version::Version;

/// Strategies that are copies of a current version's.
macro_rules! older {
    ($($name:ident: $versions:expr, $strategy:path;)*) => {
        $(static $name: Strategy = Strategy { versions: $versions, ..$strategy };)*
    };
}

older! {
    POLICY: &["v1beta1"], admissionregistration::validating_admission_policy::STRATEGY;
    BINDING: &["v1beta1", "v1alpha1"], admissionregistration::validating_admission_policy_binding::STRATEGY;
    POLICY_ALPHA: &["v1alpha1"], admissionregistration::validating_admission_policy::STRATEGY;
    API_SERVICE: &["v1beta1"], apiregistration::api_service::STRATEGY;
    REVISION: &["v1beta1", "v1beta2"], apps::controller_revision::STRATEGY;
    SELF_SUBJECT_REVIEW: &["v1beta1", "v1alpha1"], authentication::self_subject_review::STRATEGY;
    TOKEN_REVIEW: &["v1beta1"], authentication::token_review::STRATEGY;
    LOCAL_ACCESS_REVIEW: &["v1beta1"], authorization::local_subject_access_review::STRATEGY;
    SELF_ACCESS_REVIEW: &["v1beta1"], authorization::self_subject_access_review::STRATEGY;
    SELF_RULES_REVIEW: &["v1beta1"], authorization::self_subject_rules_review::STRATEGY;
    ACCESS_REVIEW: &["v1beta1"], authorization::subject_access_review::STRATEGY;
    CLUSTER_TRUST_BUNDLE: &["v1alpha1"], certificates::cluster_trust_bundle::STRATEGY;
    POD_CERTIFICATE_REQUEST: &["v1alpha1"], certificates::pod_certificate_request::STRATEGY;
    LEASE: &["v1beta1"], coordination::lease::STRATEGY;
    LEASE_CANDIDATE: &["v1alpha1"], coordination::lease_candidate::STRATEGY;
    ENDPOINT_SLICE: &["v1beta1", "v1alpha1"], discovery::endpoint_slice::STRATEGY;
    EVENT: &["v1beta1"], events::event::STRATEGY;
    FLOW_SCHEMA: &["v1beta3", "v1beta2", "v1beta1", "v1alpha1"], flowcontrol::flow_schema::STRATEGY;
    PRIORITY_LEVEL: &["v1beta3"], flowcontrol::priority_level_configuration::STRATEGY;
    IP_ADDRESS: &["v1beta1", "v1alpha1"], networking::ip_address::STRATEGY;
    INGRESS_CLASS: &["v1beta1"], networking::ingress_class::STRATEGY;
    SERVICE_CIDR: &["v1beta1", "v1alpha1"], networking::service_cidr::STRATEGY;
    RUNTIME_CLASS: &["v1beta1"], node::runtime_class::STRATEGY;
    EVICTION: &["v1beta1"], policy::eviction::STRATEGY;
    BUDGET: &["v1beta1"], policy::pod_disruption_budget::STRATEGY;
    CLUSTER_ROLE: &["v1beta1", "v1alpha1"], rbac::cluster_role::STRATEGY;
    CLUSTER_ROLE_BINDING: &["v1beta1", "v1alpha1"], rbac::cluster_role_binding::STRATEGY;
    ROLE: &["v1beta1", "v1alpha1"], rbac::role::STRATEGY;
    ROLE_BINDING: &["v1beta1", "v1alpha1"], rbac::role_binding::STRATEGY;
    DEVICE_CLASS: &["v1alpha3"], resource::device_class::STRATEGY;
    PRIORITY_CLASS: &["v1beta1", "v1alpha1"], crate::scheduling::priority_class::STRATEGY;
    CSI_DRIVER: &["v1beta1"], storage::csi_driver::STRATEGY;
    CSI_NODE: &["v1beta1"], storage::csi_node::STRATEGY;
    CSI_STORAGE_CAPACITY: &["v1beta1", "v1alpha1"], storage::csi_storage_capacity::STRATEGY;
    STORAGE_CLASS: &["v1beta1"], storage::storage_class::STRATEGY;
    VOLUME_ATTACHMENT: &["v1beta1", "v1alpha1"], storage::volume_attachment::STRATEGY;
    VOLUME_ATTRIBUTES_CLASS: &["v1beta1", "v1alpha1"], storage::volume_attributes_class::STRATEGY;
    STORAGE_VERSION_MIGRATION: &["v1alpha1"], storagemigration::storage_version_migration::STRATEGY;
}

static NETWORK_POLICY: Strategy =
    Strategy { group: "extensions", versions: &["v1beta1"], ..networking::network_policy::STRATEGY };
static POD_SECURITY_POLICY: Strategy =
    Strategy { group: "extensions", versions: &["v1beta1"], ..policy::pod_security_policy::STRATEGY };
static APPS_SCALE: Strategy =
    Strategy { group: "apps", versions: &["v1beta1", "v1beta2"], ..autoscaling::scale::STRATEGY };
static EXTENSIONS_SCALE: Strategy =
    Strategy { group: "extensions", versions: &["v1beta1"], ..autoscaling::scale::STRATEGY };

/// The rows of this file; the files below it have their own.
static STRATEGIES: &[&Strategy] = &[
    &core::pod::ephemeral_containers::STRATEGY,
    &admissionregistration::initializer_configuration::STRATEGY,
    &policy::pod_security_policy::STRATEGY,
    &settings::pod_preset::STRATEGY,
    &POLICY,
    &POLICY_ALPHA,
    &BINDING,
    &API_SERVICE,
    &REVISION,
    &SELF_SUBJECT_REVIEW,
    &TOKEN_REVIEW,
    &LOCAL_ACCESS_REVIEW,
    &SELF_ACCESS_REVIEW,
    &SELF_RULES_REVIEW,
    &ACCESS_REVIEW,
    &CLUSTER_TRUST_BUNDLE,
    &POD_CERTIFICATE_REQUEST,
    &LEASE,
    &LEASE_CANDIDATE,
    &ENDPOINT_SLICE,
    &EVENT,
    &FLOW_SCHEMA,
    &PRIORITY_LEVEL,
    &IP_ADDRESS,
    &INGRESS_CLASS,
    &SERVICE_CIDR,
    &RUNTIME_CLASS,
    &EVICTION,
    &BUDGET,
    &CLUSTER_ROLE,
    &CLUSTER_ROLE_BINDING,
    &ROLE,
    &ROLE_BINDING,
    &DEVICE_CLASS,
    &PRIORITY_CLASS,
    &CSI_DRIVER,
    &CSI_NODE,
    &CSI_STORAGE_CAPACITY,
    &STORAGE_CLASS,
    &VOLUME_ATTACHMENT,
    &VOLUME_ATTRIBUTES_CLASS,
    &STORAGE_VERSION_MIGRATION,
    &NETWORK_POLICY,
    &POD_SECURITY_POLICY,
    &APPS_SCALE,
    &EXTENSIONS_SCALE,
];

/// Whether the rules for a `kind` that is gone are its own, and not those of the kind that it is stored as.
pub fn has_own_rules(kind: &GroupVersionKind) -> bool {
    let own = registration::STRATEGIES.iter().chain(batch::WITH_OWN_RULES).chain(scheduling::STRATEGIES);
    own.copied().any(|strategy| is_of(strategy, kind))
}

/// Whether objects of a `kind` that is gone are stored as they are, since no later version reads them.
pub(super) fn has_no_heir(kind: &GroupVersionKind) -> bool {
    scheduling::STRATEGIES.iter().any(|strategy| is_of(strategy, kind))
}

fn is_of(strategy: &Strategy, kind: &GroupVersionKind) -> bool {
    strategy.group == kind.group && strategy.kind == kind.kind && strategy.versions.contains(&&*kind.version)
}

/// Returns all strategies that are gone.
pub(super) fn all() -> impl Iterator<Item = &'static Strategy> {
    let files = [
        batch::STRATEGIES,
        registration::STRATEGIES,
        scheduling::STRATEGIES,
        unknown::STRATEGIES,
        workloads::STRATEGIES,
    ];
    STRATEGIES.iter().chain(files.into_iter().flatten()).copied()
}

/// Returns the strategy of `kind`, if some release had it.
pub(super) fn of(kind: &GroupVersionKind) -> Option<&'static Strategy> {
    all().find(|strategy| is_of(strategy, kind))
}

/// The first release that names Ingresses and network policies by their own group when it refuses them.
const NAMES_NETWORKING: Version = Version::minor(26);

/// Returns the kind that a refusal by `release` of an object of `kind` names.
pub fn kind_in_refusals(kind: &GroupVersionKind, release: Version) -> GroupVersionKind {
    let is_shared = kind.group == "networking.k8s.io" && ["Ingress", "NetworkPolicy"].contains(&&*kind.kind);
    if is_shared && release < NAMES_NETWORKING {
        return GroupVersionKind::new("extensions", kind.version.clone(), kind.kind.clone());
    }
    kind.clone()
}
