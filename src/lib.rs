// The README is prose for the repository, which Clippy's rules for documentation are not about.
#![cfg_attr(clippy, doc = "Runs Kubernetes' admission chain offline.")]
#![cfg_attr(not(clippy), doc = include_str!("../README.md"))]
#![cfg_attr(
    not(feature = "internals"),
    expect(
        unreachable_pub,
        dead_code,
        unused_imports,
        reason = "rooms are public to the tests, some of their items to all"
    )
)]

// The rooms. What is not exported below is for the tests, benchmarks and fuzz targets of this repository, which
// switch `internals` on: no release keeps it as it is.
#[cfg(feature = "cli")]
pub mod cli;
mod code;
mod quota;

#[cfg(feature = "internals")]
pub mod admission;
#[cfg(feature = "internals")]
pub mod api;
#[cfg(feature = "internals")]
pub mod api_server;
#[cfg(feature = "internals")]
pub mod cel;
#[cfg(feature = "internals")]
pub mod cluster;
#[cfg(feature = "internals")]
pub mod configuration;
#[cfg(feature = "internals")]
pub mod diff;
#[cfg(feature = "internals")]
pub mod evaluation;
#[cfg(feature = "internals")]
pub mod go;
#[cfg(feature = "internals")]
pub mod manifest;
#[cfg(feature = "internals")]
pub mod plugin;
#[cfg(feature = "internals")]
pub mod policy;
#[cfg(feature = "internals")]
pub mod registry;
#[cfg(feature = "internals")]
pub mod report;
#[cfg(feature = "internals")]
pub mod source;
#[cfg(all(feature = "cli", feature = "internals"))]
pub mod suite;
#[cfg(feature = "internals")]
pub mod value;
#[cfg(feature = "internals")]
pub mod webhook;
#[cfg(feature = "internals")]
pub mod workload;

#[cfg(not(feature = "internals"))]
mod admission;
#[cfg(not(feature = "internals"))]
mod api;
#[cfg(not(feature = "internals"))]
mod api_server;
#[cfg(not(feature = "internals"))]
mod cel;
#[cfg(not(feature = "internals"))]
mod cluster;
#[cfg(not(feature = "internals"))]
mod configuration;
#[cfg(not(feature = "internals"))]
mod diff;
#[cfg(not(feature = "internals"))]
mod evaluation;
#[cfg(not(feature = "internals"))]
mod go;
#[cfg(not(feature = "internals"))]
mod manifest;
#[cfg(not(feature = "internals"))]
mod plugin;
#[cfg(not(feature = "internals"))]
mod policy;
#[cfg(not(feature = "internals"))]
mod registry;
#[cfg(not(feature = "internals"))]
mod report;
#[cfg(not(feature = "internals"))]
mod source;
#[cfg(all(feature = "cli", not(feature = "internals")))]
mod suite;
#[cfg(not(feature = "internals"))]
mod value;
#[cfg(not(feature = "internals"))]
mod webhook;
#[cfg(not(feature = "internals"))]
mod workload;

pub use admission::{
    Evidence, Explanation, Operation, Phase, PolicyRule, PolicyViolation, Refusal, Step, Trace, UserInfo,
};
pub use api::decode::FieldValidation;
pub use api::field::Path as FieldPath;
pub use api::version::Version;
pub use api::{
    GroupResource, GroupVersionKind, GroupVersionResource, Object, Status, StatusCause, StatusDetails,
};
pub use api_server::{ApiServer, Errors, Evaluation, OfflineCluster, read_files};
pub use evaluation::{
    Acceptance, Accepted, Apply, ApplyOptions, Cause, ManifestText, Order, Outcome, Place, Rate, RateError,
    RequestDefaults, Skipped,
};
#[cfg(feature = "report")]
pub use report::{
    AdmissionReview, BlameReport, GitHub, GitLab, Html, JUnit, Markdown, PolicyReport, PolicyReportApi,
    Sarif, Tap, Text, TextStyle, Verbosity,
};
pub use report::{Code, Diagnostic, Fixtures, Json, JsonLines, Report, Severity, Summary, Yaml};
pub use source::{SourceFile, Span};
pub use value::Value;
