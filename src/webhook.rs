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
mod recording;
mod reply;
mod review;
mod services;

use crate::admission::{Recorder, Refusal};
use crate::cluster::Cluster;
use crate::versioned::ServerFiles;
use crate::versioned::{Kind, Scheme};
use kube_api::features::Feature;
use kube_api::field::{Error, Path};
use kube_api::resources::SECRETS;
use kube_api::server_profile::ServerProfile;
use kube_api::{GroupVersionKind, Status, StatusCause, StatusDetails};

pub use backend::Backend;
pub use client::{Client, Exchange, Reply, Unreachable, Webhooks};
pub use credentials::{Credentials, Users};
pub use hook::{Selected, Webhook};
#[cfg(feature = "call")]
pub use https::Https;
pub use recording::{RecordingClient, Recordings};
pub use reply::{LIMIT, decode, error_of};
pub use review::{Answer, CallError, Review, send_all};
pub use services::{Place, Services};

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

/// Whether no webhook sees the kind, so that a webhook cannot lock its own configuration.
///
/// Source: `rules.IsExemptAdmissionConfigurationResource`.
pub fn is_exempt(kind: &GroupVersionKind) -> bool {
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

/// Reads the configuration of both webhook plugins: the credentials for calling webhooks.
///
/// # Errors
///
/// Returns the server's error if it does not start with it.
pub fn read_configuration(
    text: Option<&str>,
    profile: &ServerProfile,
    files: &ServerFiles,
) -> Result<Users, String> {
    const GATE: Feature = Feature::ManifestBasedAdmissionControlConfig;
    let Some(text) = text else { return Ok(Users::default()) };
    let read = SCHEME.read(text).and_then(|read| read.expect("webhookadmission.WebhookAdmission"));
    let value = read.map_err(|error| error.to_string())?;
    let field = |name: &str| value[name].as_str().unwrap_or_default().to_owned();
    let (kubeconfig, manifests) = (field("kubeConfigFile"), field("staticManifestsDir"));
    if !manifests.is_empty() && !profile.enabled(GATE) {
        let detail = format!("staticManifestsDir requires the {} feature gate to be enabled", GATE.name());
        return Err(Error::forbidden(&Path::new("staticManifestsDir"), detail).to_string());
    }
    let is_relative = |path: &str| !path.is_empty() && !path.starts_with('/');
    for (name, path) in [("kubeConfigFile", &kubeconfig), ("staticManifestsDir", &manifests)] {
        if is_relative(path) {
            let detail = "must be an absolute file path";
            return Err(Error::invalid_text(&Path::new(name), path, detail).to_string());
        }
    }
    if !kubeconfig.is_empty() && !files.locate(std::path::Path::new(&kubeconfig)).exists() {
        return Err(format!("stat {kubeconfig}: no such file or directory"));
    }
    if kubeconfig.is_empty() { Ok(Users::default()) } else { Users::load(&kubeconfig, files) }
}
