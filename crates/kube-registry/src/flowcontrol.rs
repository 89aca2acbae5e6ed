//! The kinds of the group flowcontrol.apiserver.k8s.io.

pub(super) mod flow_schema;
pub(super) mod priority_level_configuration;
