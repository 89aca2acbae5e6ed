//! The plugins that Kubernetes has removed, as they were in the last releases that had them.

pub(super) mod deny_escalating_exec;
pub(super) mod deny_exec_on_privileged;
mod entered_pod;
pub(super) mod initial_resources;
pub(super) mod initializers;
pub(super) mod persistent_volume_label;
pub(super) mod pod_group_workload_exists;
pub(super) mod pod_preset;
pub(super) mod pod_security_policy;
pub(super) mod security_context_deny;
