//! The kinds of the group admissionregistration.k8s.io.

pub(super) mod initializer_configuration;
mod json_path;
pub(super) mod mutating_admission_policy;
pub(super) mod mutating_admission_policy_binding;
pub(super) mod mutating_webhook_configuration;
pub(super) mod validating_admission_policy;
pub(super) mod validating_admission_policy_binding;
pub(super) mod validating_webhook_configuration;
