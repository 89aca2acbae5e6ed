//! Policies, bindings and webhooks in a directory of the server, which the API cannot change.
//!
//! Source: `k8s.io/apiserver/pkg/admission/plugin/{manifest,policy/manifest,webhook/manifest}`.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::cluster::{Cluster, Fixture};
use gotext::quote;
use kube_api::server_profile::ServerProfile;
use kube_api::{GroupResource, Object};

use crate::policy::PolicySource;
use crate::policy::configuration::static_manifests_dir;
use crate::versioned::{Kind, ServerFiles};

/// The suffix of the names of static objects.
const SUFFIX: &str = ".static.k8s.io";

impl PolicySource {
    /// Returns the policies and bindings that a configuration of `kind` loads from a directory; none if there is no
    /// configuration.
    ///
    /// # Errors
    ///
    /// Returns the server's error about the configuration, or about the directory that it names.
    pub fn of_configuration(
        text: Option<&str>,
        kind: &Kind,
        resources: [&GroupResource; 2],
        profile: &ServerProfile,
        files: &ServerFiles,
    ) -> Result<Self, String> {
        let directory =
            text.map(|text| static_manifests_dir(text, kind, profile, files)).transpose()?.flatten();
        directory.map_or(Ok(Self::default()), |directory| Self::of_directory(&directory, resources, profile))
    }

    /// Reads the policies and bindings in `directory`, ordered by name.
    ///
    /// # Errors
    ///
    /// Fails if the directory or a file cannot be read, or contains something that is not allowed.
    fn of_directory(
        directory: &str,
        [policies, bindings]: [&GroupResource; 2],
        profile: &ServerProfile,
    ) -> Result<Self, String> {
        let mut found = Self { policies: Vec::new(), bindings: Vec::new() };
        for (resource, object) in static_objects(directory, &[policies, bindings], profile, check)? {
            let list = if resource == *policies { &mut found.policies } else { &mut found.bindings };
            list.push(object);
        }
        let is_known = |name: &str| found.policies.iter().any(|policy| policy.name() == name);
        let lost = found.bindings.iter().find(|binding| !is_known(binding.text(["spec", "policyName"])));
        if let Some(binding) = lost {
            return Err(format!(
                "binding \"{}\" references policy \"{}\" which does not exist in the manifest directory",
                binding.name(),
                binding.text(["spec", "policyName"])
            ));
        }
        Ok(found)
    }
}

/// Reads the objects of `resources` in `directory`, in the order of its files. `check` says what is wrong with one.
///
/// # Errors
///
/// Fails if the directory or a file cannot be read, or contains something that is not allowed.
pub fn static_objects(
    directory: &str,
    resources: &[&GroupResource],
    profile: &ServerProfile,
    check: impl Fn(&Object, &Path) -> Result<(), String>,
) -> Result<Vec<(GroupResource, Arc<Object>)>, String> {
    let mut files: Vec<PathBuf> = fs::read_dir(directory)
        .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect())
        .map_err(|error| format!("reading directory \"{directory}\": {error}"))?;
    let endings = ["yaml", "yml", "json"];
    files.retain(|file| {
        file.is_file() && file.extension().is_some_and(|ending| endings.iter().any(|known| ending == *known))
    });
    files.sort();
    let mut found: Vec<(GroupResource, Arc<Object>, PathBuf)> = Vec::new();
    let nothing = Cluster::new();
    for file in files {
        let failed = |error: String| format!("error loading {}: {error}", file.display());
        let source = kube_yaml::files::read_file(&file).map_err(|error| failed(error.to_string()))?;
        for document in kube_yaml::read(&source) {
            let document = document.map_err(|error| failed(error.to_string()))?;
            let Fixture { resource, object, .. } = Fixture::read(document.node, "", &nothing, profile)
                .map_err(|error| failed(error.to_string()))?;
            let (kind, name) = (&object.kind, object.name());
            if !resources.contains(&&resource) {
                return Err(failed(format!("unsupported resource type *{}.{}", kind.version, kind.kind)));
            }
            let place = quote(&file.to_string_lossy());
            if name.is_empty() {
                return Err(failed(format!("resource in file {place} must have a name")));
            }
            if !name.ends_with(SUFFIX) {
                return Err(failed(format!(
                    "{} in file {place} must have a name ending with {}",
                    quote(name),
                    quote(SUFFIX)
                )));
            }
            if let Some((.., known)) =
                found.iter().find(|(known, other, _)| *known == resource && other.name() == name)
            {
                return Err(failed(format!(
                    "duplicate name {} found in file {place} (previously seen in {})",
                    quote(name),
                    quote(&known.to_string_lossy())
                )));
            }
            check(&object, &file).map_err(failed)?;
            found.push((resource, object, file.clone()));
        }
    }
    Ok(found.into_iter().map(|(resource, object, _)| (resource, object)).collect())
}

/// Checks that a static policy has no parameters, and that a binding names a static policy.
fn check(object: &Object, _: &Path) -> Result<(), String> {
    let (kind, name) = (&object.kind.kind, object.name());
    if !kind.ends_with("Binding") {
        let has_params = object.has(["spec", "paramKind"]);
        let refused = || format!("{kind} \"{name}\": spec.paramKind is not supported for static manifests");
        return if has_params { Err(refused()) } else { Ok(()) };
    }
    let policy = object.text(["spec", "policyName"]);
    if policy.is_empty() {
        return Err(format!("binding \"{name}\" must reference a policy (spec.policyName)"));
    }
    if !policy.ends_with(SUFFIX) {
        return Err(format!("binding \"{name}\": spec.policyName \"{policy}\" must end with \"{SUFFIX}\""));
    }
    if object.has(["spec", "paramRef"]) {
        return Err(format!("binding \"{name}\": spec.paramRef is not supported for static manifests"));
    }
    Ok(())
}
