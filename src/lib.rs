//! Runs Kubernetes' admission chain offline.
//!
//! Documents become requests, requests go through the same chain of plugins as in kube-apiserver, and every outcome
//! reports what each plugin changed and why it refused. Data flows in one direction:
//!
//! ```text
//! files ─ manifest ─► Document ─ api ─► Attributes ─ admission ─► Outcome ─ report ─► text, json, ...
//! ```

pub mod admission;
pub mod api;
pub mod cel;
#[cfg(feature = "cli")]
pub mod cli;
pub mod cluster;
pub mod configuration;
pub mod diff;
pub mod evaluation;
pub mod go;
pub mod manifest;
pub mod plugin;
pub mod policy;
mod quota;
pub mod registry;
pub mod report;
pub mod source;
#[cfg(feature = "cli")]
pub mod suite;
pub mod value;
pub mod webhook;
pub mod workload;
