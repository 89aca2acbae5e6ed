//! The plugins that OpenShift adds, and the chains of its servers.
//!
//! Source: `openshift/kubernetes` `openshift-kube-apiserver/admission`, `openshift/openshift-apiserver`
//! `pkg/cmd/openshift-apiserver/openshiftadmission`, `openshift/origin` `pkg/cmd/server/origin/admission`.

mod chains;
mod exemption;
mod scc;
mod scc_exec_restrictions;
mod security_context_constraint;
mod table;

pub(crate) use chains::{plugins, switches_on, wants_configuration};
pub(crate) use table::PLUGINS;
