// The README is prose for the repository, which Clippy's rules for documentation are not about.
#![cfg_attr(clippy, doc = "Runs Kubernetes' admission chain offline.")]
#![cfg_attr(not(clippy), doc = include_str!("../README.md"))]
#![cfg_attr(
    all(feature = "report", not(feature = "cli")),
    allow(dead_code, unused_imports, reason = "the reports give the program more than the library")
)]

// The rooms are public for the tests and benchmarks of this repository alone, and no release keeps them as they are; what
// is exported below is the library.
#[doc(hidden)]
pub mod admission;
#[doc(hidden)]
pub mod api_server;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
#[doc(hidden)]
pub mod cluster;
mod code;
#[doc(hidden)]
pub mod configuration;
#[doc(hidden)]
pub mod evaluation;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod fix;
#[doc(hidden)]
pub mod plugin;
#[doc(hidden)]
pub mod policy;
mod quota;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod replay;
#[doc(hidden)]
pub mod report;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod require;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod suite;
#[doc(hidden)]
pub mod versioned;
#[doc(hidden)]
pub mod webhook;
#[doc(hidden)]
pub mod workload;

pub use admission::{
    Evidence, Explanation, Operation, Phase, PolicyRule, PolicyViolation, Refusal, Step, Trace, UserInfo,
};
pub use api_server::{ApiServer, Errors, Evaluation, OfflineCluster, read_files};
pub use evaluation::{
    Acceptance, Accepted, Apply, ApplyOptions, Cause, ManifestText, Order, Outcome, Place, Rate, RateError,
    RequestDefaults, Skipped,
};
pub use gotext::source::{SourceFile, Span};
pub use gotext::value::Value;
pub use kube_api::decode::FieldValidation;
pub use kube_api::field::Path as FieldPath;
pub use kube_api::version::Version;
pub use kube_api::{
    GroupResource, GroupVersionKind, GroupVersionResource, Object, Status, StatusCause, StatusDetails,
};
#[cfg(feature = "report")]
pub use report::{
    AdmissionReview, BlameReport, GitHub, GitLab, Html, JUnit, Markdown, PolicyReport, PolicyReportApi,
    Sarif, Tap, Text, TextStyle, Verbosity,
};
pub use report::{Code, Diagnostic, Fixtures, Json, JsonLines, Report, Severity, Summary, Yaml};
