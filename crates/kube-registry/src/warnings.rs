//! Warnings of the registry after validation: fields and annotations without effect, and surprising values.
//!
//! Warnings about deprecated versions of the API, unknown fields and Pod Security do not come from the registry.
//!
//! Source: `WarningsOnCreate` and `WarningsOnUpdate` of each strategy in `k8s.io/kubernetes/pkg/registry`.

pub(crate) mod address;
pub(crate) mod node_label;
pub(crate) mod pod;
pub(crate) mod port;
pub(crate) mod volume;
mod volume_path;

pub(crate) use crate::warnings::pod::app_armor_profile;
use gotext::names;
use gotext::quote;
use kube_api::features::Feature;
use kube_api::field::Path;
use kube_api::server_profile::ServerProfile;
use kube_api::{Map, Object, Value};

/// The warnings of a server about an object. Each is guarded by the first release that has it, where it is made.
#[derive(Debug)]
pub(crate) struct Warnings<'a> {
    profile: &'a ServerProfile,
    texts: Vec<String>,
}

/// The minor of the first release whose strategies warn.
const WARNS: u32 = 22;

impl<'a> Warnings<'a> {
    /// Returns those that `warn` adds on a server with `features`.
    pub(super) fn of(profile: &'a ServerProfile, warn: impl FnOnce(&mut Self)) -> Vec<String> {
        let mut warnings = Self { profile, texts: Vec::new() };
        if warnings.since(WARNS) {
            warn(&mut warnings);
        }
        warnings.texts
    }

    /// Returns the gates of the server.
    pub(crate) fn profile(&self) -> &'a ServerProfile {
        self.profile
    }

    /// Whether the server is of the release 1.`minor` or a later one.
    pub(crate) fn since(&self, minor: u32) -> bool {
        self.profile.release().minor >= minor
    }

    pub(crate) fn push(&mut self, text: String) {
        self.texts.push(text);
    }

    pub(crate) fn len(&self) -> usize {
        self.texts.len()
    }

    pub(crate) fn contains(&self, text: &str) -> bool {
        self.texts.iter().any(|other| other == text)
    }
}

/// Returns the server's warnings when a custom resource is created, or replaces `old`: finalizers whose names may
/// clash.
pub(super) fn warnings_on_custom(object: &Object, old: Option<&Object>, warnings: &mut Warnings<'_>) {
    if !warnings.since(29) {
        return;
    }
    let finalizers = |object: &Object| -> Vec<String> {
        let finalizers = object.list(["metadata", "finalizers"]).iter().filter_map(Value::as_str);
        finalizers.map(str::to_owned).collect()
    };
    let known = old.map(finalizers).unwrap_or_default();
    let mut added: Vec<String> =
        finalizers(object).into_iter().filter(|name| !known.contains(name)).collect();
    added.sort();
    added.dedup();
    for name in added {
        let quoted = quote(&name);
        for problem in names::is_qualified_name(&name) {
            warnings.push(format!("metadata.finalizers: {quoted}: {problem}"));
        }
        if !name.contains('/') && !STANDARD_FINALIZERS.contains(&name.as_str()) {
            let path = if name.contains('.') { " including a path (/)" } else { "" };
            warnings.push(format!(
                "metadata.finalizers: {quoted}: prefer a domain-qualified finalizer name{path} to avoid accidental \
                 conflicts with other finalizer writers"
            ));
        }
    }
}

pub(crate) const STANDARD_FINALIZERS: [&str; 3] = ["kubernetes", "orphan", "foregroundDeletion"];

pub(crate) fn dns_label_recommended(object: &Object, used_in: &str, warnings: &mut Warnings<'_>) {
    let problems = names::is_dns1123_label(object.name());
    if !problems.is_empty() && warnings.since(27) {
        warnings.push(format!(
            "metadata.name: this is used in {used_in}, which can result in surprising behavior; a DNS label is \
             recommended: [{}]",
            problems.join(" ")
        ));
    }
}

pub(crate) fn template(owner: &Map, path: &'static str, warnings: &mut Warnings<'_>) {
    if let Some(template) = owner.child("template") {
        pod::template(template, &Path::new(path), warnings);
    }
}

pub(crate) fn job(spec: &Map, path: &'static str, warnings: &mut Warnings<'_>) {
    const MANY_COMPLETIONS: i64 = 100_000;
    const MUCH_PARALLELISM: i64 = 10_000;
    let is_indexed = spec.text("completionMode") == "Indexed";
    let is_large = spec.int("completions") > MANY_COMPLETIONS && spec.int("parallelism") > MUCH_PARALLELISM;
    if is_indexed && is_large && warnings.since(28) {
        warnings.push(format!(
            "{path}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, \
             Kubernetes might not be able to track completedIndexes when a big number of indexes fail"
        ));
    }
    if let Some(template) = spec.child("template") {
        pod::template(template, &Path::new(path).child("template"), warnings);
    }
}

/// Warns about names reserved for files on the server's disk, which cannot be managed; an update of one always warns.
pub(crate) fn static_suffix(object: &Object, old: Option<&Object>, warnings: &mut Warnings<'_>) {
    const SUFFIX: &str = ".static.k8s.io";
    let is_warned_of =
        old.is_some() || !warnings.profile().enabled(Feature::ManifestBasedAdmissionControlConfig);
    if is_warned_of && object.name().ends_with(SUFFIX) && warnings.since(36) {
        warnings.push(format!(
            "metadata.name: names ending with \"{SUFFIX}\" are reserved for static manifest-based configurations and \
             cannot be managed via the API"
        ));
    }
}
