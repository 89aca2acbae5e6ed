//! Runs Kubernetes' admission chain offline: what a kube-apiserver does with a request before it stores the object.
//!
//! An [`ApiServer`] is set up by a [`ServerProfile`] or by flags, an [`OfflineCluster`] is one with the objects that exist, and an
//! [`Evaluation`] has what became of documents, and of the requests that controllers send because of them.
//!
//! ```
//! use kadmit::{ApiServer, SourceFile};
//!
//! let namespace = "
//! apiVersion: v1
//! kind: Namespace
//! metadata: {name: shop, labels: {pod-security.kubernetes.io/enforce: baseline}}";
//! let pod = "
//! apiVersion: v1
//! kind: Pod
//! metadata: {name: web, namespace: shop}
//! spec: {hostNetwork: true, containers: [{name: web, image: nginx}]}";
//!
//! let server = ApiServer::from_flags(["--enable-admission-plugins=AlwaysPullImages"])?;
//! let mut cluster = server.cluster(&[SourceFile::new("cluster.yaml", namespace)])?;
//! let evaluation = cluster.evaluate(&[SourceFile::new("web.yaml", pod)]);
//! let denied = evaluation.denied().next().expect("a refused Pod");
//! assert_eq!(denied.denied_by(), Some("PodSecurity"));
//! # Ok::<(), kadmit::Errors>(())
//! ```
//!
//! [`read_files`] reads manifests from files and directories. An [`Outcome`] has the server's answer, the object as it
//! would be stored and what every plugin did; [`Outcome::with_caused`] adds the requests of controllers, each of which
//! may stand for several equal objects ([`Outcome::pods`]). A document of kind `AdmissionReview` is the request in it.
//!
//! A program that generates objects need not write manifests: [`OfflineCluster::apply`], `create`, `update` and `delete`
//! take anything that serde writes, [`OfflineCluster::as_user`] says who sends it, and [`Outcome::object_as`] reads what
//! would be stored. With the feature `report`, an evaluation is printed as the program prints it:
//! `assert!(evaluation.is_admitted(), "{evaluation}")`. [`OfflineCluster::try_clone`] is a checkpoint.
//!
//! In tests, let Cargo optimize kadmit alone: `[profile.dev.package."*"]` with `opt-level = 2`.
//!
//! # Features
//!
//! The default features are those of the program. With `default-features = false`, there is the evaluation and its JSON
//! and YAML; `report` adds the other formats, `call` real webhooks, and `openshift` the servers of OpenShift 4 and Origin.
//!
//! # What it does not do
//!
//! - Plugins cannot be added: the chain is that of a server. A policy in CEL among the objects that exist, or a webhook
//!   with recorded answers, is what a cluster would have instead.
//! - Nothing is asynchronous: an evaluation computes, and takes milliseconds. In an asynchronous program, run it on a
//!   thread for such work, such as that of tokio's `spawn_blocking`.
//! - An object is a tree of values ([`Object`]), not a struct per kind; serde is the way to typed objects and from them.
//! - Nothing is sent to a cluster, and no lister can be replaced: what exists is given as manifests or applied.

#![cfg_attr(
    all(feature = "report", not(feature = "cli")),
    expect(dead_code, unused_imports, reason = "the reports give the program more than the library")
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
#[cfg(feature = "report")]
#[doc(hidden)]
pub mod drift;
#[doc(hidden)]
pub mod evaluation;
#[cfg(feature = "report")]
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
#[cfg(feature = "serve")]
#[doc(hidden)]
pub mod serve;
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
pub use api_server::{ApiServer, Client, Errors, Evaluation, OfflineCluster, ServerProfile, read_files};
pub use configuration::Fault;
#[cfg(feature = "report")]
pub use drift::DriftOptions;
pub use evaluation::{
    Acceptance, Accepted, Amounts, Apply, ApplyOptions, Cause, ManifestText, ObjectError, Order, Outcome,
    Place, QuotaUse, QuotaUser, QuotaUsers, Rate, RateError, RequestDefaults, Skipped,
};
pub use gotext::source::{SourceFile, Span};
pub use gotext::value::{List, Map, Number, Steps, Value};
pub use kube_api::decode::FieldValidation;
pub use kube_api::diff::PatchOperation;
pub use kube_api::features::FeatureGateError;
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
#[cfg(any(all(test, feature = "report"), feature = "miette"))]
pub use report::{Frames, ReportedError};
#[cfg(feature = "serve")]
pub use serve::{Pods, Server, ServerOptions};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
