//! The configuration files of the policy plugins.
//!
//! Source: `k8s.io/apiserver/pkg/admission/plugin/policy/config`, `…/plugin/manifest`.

use crate::versioned::ServerFiles;
use crate::versioned::{self, Kind, Scheme};
use kube_api::features::Feature;
use kube_api::field::{Error, Path};
use kube_api::server_profile::ServerProfile;

const SCHEME: Scheme = Scheme {
    name: "k8s.io/apiserver/pkg/admission/plugin/policy/config/config.go:31",
    strict: true,
    kinds: &[VALIDATING, MUTATING],
};

/// The configuration of `ValidatingAdmissionPolicy`.
pub const VALIDATING: Kind = Kind {
    api_version: "apiserver.config.k8s.io/v1",
    kind: "ValidatingAdmissionPolicyConfiguration",
    table: "policyconfig/v1.ValidatingAdmissionPolicyConfiguration",
    internal: "policyconfig.ValidatingAdmissionPolicyConfiguration",
};

/// The configuration of `MutatingAdmissionPolicy`.
pub const MUTATING: Kind = Kind {
    api_version: "apiserver.config.k8s.io/v1",
    kind: "MutatingAdmissionPolicyConfiguration",
    table: "policyconfig/v1.MutatingAdmissionPolicyConfiguration",
    internal: "policyconfig.MutatingAdmissionPolicyConfiguration",
};

/// Returns the directory of static manifests that a configuration of `kind` names, if there is one and it names one.
///
/// # Errors
///
/// Returns the server's error about the configuration.
pub fn static_manifests_dir(
    text: Option<&str>,
    kind: &Kind,
    profile: &ServerProfile,
    files: &ServerFiles,
) -> Result<Option<String>, String> {
    let Some(text) = text else { return Ok(None) };
    let read = SCHEME.read(text).map_err(|error| error.to_string())?;
    if read.kind != kind {
        return Err(versioned::Error::UnexpectedType(read.kind.internal).to_string());
    }
    directory_of(read.value.text("staticManifestsDir"), profile, files)
}

/// Returns where the directory is that `staticManifestsDir` of a configuration names, if it names one.
///
/// # Errors
///
/// Returns the server's error about the name, or if there is no such directory.
pub fn directory_of(
    directory: &str,
    profile: &ServerProfile,
    files: &ServerFiles,
) -> Result<Option<String>, String> {
    if directory.is_empty() {
        return Ok(None);
    }
    let path = Path::new("staticManifestsDir");
    if !profile.enabled(Feature::ManifestBasedAdmissionControlConfig) {
        let detail =
            "staticManifestsDir requires the ManifestBasedAdmissionControlConfig feature gate to be enabled";
        return Err(Error::forbidden(&path, detail).to_string());
    }
    if !directory.starts_with('/') {
        return Err(Error::invalid_text(&path, directory, "must be an absolute file path").to_string());
    }
    let place = files.locate(directory.as_ref());
    let detail = match std::fs::metadata(&place) {
        Ok(found) if found.is_dir() => return Ok(Some(place.display().to_string())),
        Ok(_) => "must be a directory".to_owned(),
        Err(_) => format!("unable to read: stat {directory}: no such file or directory"),
    };
    Err(Error::invalid_text(&path, directory, detail).to_string())
}
