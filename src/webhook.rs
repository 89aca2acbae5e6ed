//! Exchanges with webhooks: the webhooks that a request is sent to, the requests, and the answers.
//!
//! The source of answers is a choice ([`Webhooks`]): no webhook is called unless that is requested.
//!
//! Source: `k8s.io/apiserver/pkg/admission/plugin/webhook`, `k8s.io/apiserver/pkg/util/webhook`.

mod backend;
mod client;
mod credentials;
mod hook;
#[cfg(feature = "call")]
mod https;
mod patch;
mod recording;
mod reply;
mod review;
mod services;
mod source;

use std::time::Duration;

use crate::admission::{Attributes, Recorder, Refusal};
use crate::cluster::Cluster;
use crate::policy;
use crate::policy::configuration::directory_of;
use crate::versioned::ServerFiles;
use crate::versioned::{Kind, Scheme};
use gotext::quote;
use kube_api::features::Feature;
use kube_api::field::{Error, Path};
use kube_api::resources::SECRETS;
use kube_api::server_profile::ServerProfile;
use kube_api::{GroupResource, GroupVersionKind, Object, Status, StatusCause, StatusDetails};

pub use backend::Backend;
pub use client::{Client, Exchange, Reply, Unreachable, Webhooks};
pub use credentials::{Credentials, Users};
pub use hook::{Selected, Stranded, Webhook};
#[cfg(feature = "call")]
pub use https::Https;
pub use patch::SentPatch;
pub use recording::{RecordingClient, Recordings};
pub use reply::{LIMIT, decode, error_of};
pub use review::{Answer, CallError, Review, send_all};
pub use services::{Place, Services};
pub use source::WebhookSource;

/// The kinds of the webhook plugins' files, the newest first.
pub const SCHEME: Scheme = Scheme {
    name: "pkg/admission/plugin/webhook/config/kubeconfig.go:44",
    strict: true,
    kinds: &[
        Kind {
            api_version: "apiserver.config.k8s.io/v1",
            kind: "WebhookAdmissionConfiguration",
            table: "webhookadmission/v1.WebhookAdmission",
            internal: "webhookadmission.WebhookAdmission",
        },
        Kind {
            api_version: "apiserver.config.k8s.io/v1alpha1",
            kind: "WebhookAdmission",
            table: "webhookadmission/v1.WebhookAdmission",
            internal: "webhookadmission.WebhookAdmission",
        },
    ],
};

/// Whether no webhook sees the request: a review of a user, which is not stored.
///
/// Source: `Webhook.isExcludedFromAllHooks`.
pub fn is_exempt(attributes: &Attributes, profile: &ServerProfile) -> bool {
    let excludes_reviews = profile.enabled(Feature::ExcludeAdmissionWebhookVirtualResources);
    excludes_reviews && policy::is_access_review(&attributes.resource)
}

/// Whether a request is about the configuration of webhooks, which only static ones see, so that none locks its own.
///
/// Source: `rules.IsExemptAdmissionConfigurationResource`, `Webhook.isExcludedFromAPIHooks`.
pub fn configures_admission(kind: &GroupVersionKind) -> bool {
    const KINDS: [&str; 6] = [
        "MutatingAdmissionPolicy",
        "MutatingAdmissionPolicyBinding",
        "MutatingWebhookConfiguration",
        "ValidatingAdmissionPolicy",
        "ValidatingAdmissionPolicyBinding",
        "ValidatingWebhookConfiguration",
    ];
    kind.group == "admissionregistration.k8s.io" && KINDS.contains(&&*kind.kind)
}

/// Refuses a request whose time is over, whatever its webhooks made of it: the client has its answer already.
///
/// Source: `WithTimeout` of `k8s.io/apiserver/pkg/server/filters`.
pub fn in_time(attributes: &Attributes, result: Result<(), Refusal>) -> Result<(), Refusal> {
    if attributes.time_left() != Some(Duration::ZERO) {
        return result;
    }
    Err(Refusal::from(Status {
        code: 504,
        reason: "Timeout".to_owned(),
        message: "Timeout: request did not complete within the allotted timeout".to_owned(),
        details: Some(StatusDetails::default()),
        ..Status::default()
    }))
}

/// Records the Secrets that a webhook may have read, if it reports anything: those in the namespace of the request.
pub(crate) fn note_secrets(
    cluster: &Cluster,
    namespace: &str,
    result: &Result<(), Refusal>,
    recorder: &mut Recorder,
) {
    if !namespace.is_empty() && (result.is_err() || recorder.has_messages()) {
        recorder.add_secrets(cluster.list(&SECRETS, namespace));
    }
}

/// Returns the answer to a request that fails inside the server.
pub fn internal_error(error: &str) -> Refusal {
    let cause = StatusCause { message: error.to_owned(), ..StatusCause::default() };
    let details = StatusDetails { causes: vec![cause], ..StatusDetails::default() };
    Refusal::from(Status { details: Some(details), ..Status::new_internal_error(error) })
}

/// The configuration of a webhook plugin.
#[derive(Debug, Default)]
pub struct Settings {
    /// The credentials for calling webhooks.
    pub users: Users,
    /// The directory of static webhooks, if there is one.
    static_manifests: Option<String>,
}

impl Settings {
    /// Returns the webhooks of the configurations of `kind`, which `resource` has; it reads the static ones.
    ///
    /// # Errors
    ///
    /// Returns the server's error if it does not start with them.
    pub fn source(
        &self,
        kind: &str,
        resource: &'static GroupResource,
        profile: &ServerProfile,
    ) -> Result<WebhookSource, String> {
        let Some(directory) = &self.static_manifests else {
            return Ok(WebhookSource::new(resource, Vec::new()));
        };
        let loader = policy::Loader {
            kinds: &[kind],
            scheme: "pkg/admission/plugin/webhook/manifest/loader/loader.go:41",
            check: check_static,
        };
        let fixed = loader.load(directory, profile).map_err(|error| {
            format!("failed to load static webhook manifests from {}: {error}", quote(directory))
        })?;
        Ok(WebhookSource::new(resource, fixed))
    }
}

/// Reads the configuration of a webhook plugin.
///
/// # Errors
///
/// Returns the server's error if it does not start with it.
pub fn read_configuration(
    text: Option<&str>,
    profile: &ServerProfile,
    files: &ServerFiles,
) -> Result<Settings, String> {
    let Some(text) = text else { return Ok(Settings::default()) };
    let read = SCHEME.read(text).and_then(|read| read.expect("webhookadmission.WebhookAdmission"));
    let value = read.map_err(|error| error.to_string())?;
    let kubeconfig = value.text("kubeConfigFile");
    let static_manifests = directory_of(value.text("staticManifestsDir"), profile, files)?;
    if !kubeconfig.is_empty() && !kubeconfig.starts_with('/') {
        let detail = "must be an absolute file path";
        return Err(Error::invalid_text(&Path::new("kubeConfigFile"), kubeconfig, detail).to_string());
    }
    if !kubeconfig.is_empty() && !files.locate(std::path::Path::new(kubeconfig)).exists() {
        return Err(format!("stat {kubeconfig}: no such file or directory"));
    }
    let users = if kubeconfig.is_empty() { Users::default() } else { Users::load(kubeconfig, files)? };
    Ok(Settings { users, static_manifests })
}

/// Checks that static webhooks are reached by a URL, as Services may be there later than they are.
///
/// Source: `ValidateWebhookClientConfig`.
fn check_static(configuration: &Object, file: &std::path::Path) -> Result<(), String> {
    for webhook in configuration.list("webhooks") {
        let (name, client) = (quote(webhook.text("name")), &webhook["clientConfig"]);
        let of = format!(
            "webhook {name} in {} (file {})",
            quote(configuration.name()),
            quote(&file.to_string_lossy())
        );
        if client.has("service") {
            return Err(format!(
                "{of}: clientConfig.service is not supported for static manifests; use clientConfig.url instead"
            ));
        }
        if client.text("url").is_empty() {
            return Err(format!("{of}: clientConfig.url is required for static manifests"));
        }
    }
    Ok(())
}
