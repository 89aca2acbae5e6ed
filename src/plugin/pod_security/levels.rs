//! The levels of the Pod Security Standards that admit a pod, independent of its namespace.

use super::checks::Evaluator;
use crate::admission::Remedy;
use kube_api::field::Path;
use kube_api::pod_security::{LevelVersion, Version};
use kube_api::{Object, version};
use kube_registry::pod::PodTemplate;

pub(crate) use kube_api::pod_security::Level;

/// The levels as a server of a release applies them.
pub(crate) struct Standards {
    evaluator: Evaluator,
    newest: i64,
}

/// A violation of a level by a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Forbidden {
    /// The check, in a few words.
    pub(crate) reason: &'static str,
    /// The offenders, and how they violate it.
    pub(crate) detail: String,
    /// The offending fields, or those that would have to be set.
    pub(crate) fields: Vec<Path>,
}

impl Standards {
    /// Returns the levels of `release`.
    pub(crate) fn new(release: version::Version) -> Self {
        Self { evaluator: Evaluator::new(release.minor.into()), newest: release.minor.into() }
    }

    /// Returns the violations of the newest version of `level` by the pod or pods that `object` describes.
    pub(crate) fn forbids(&self, level: Level, object: &Object) -> Vec<Forbidden> {
        let Some(pod) = PodTemplate::of(object) else { return Vec::new() };
        let found = self.evaluator.evaluate_pod(LevelVersion { level, version: Version::Latest }, pod);
        found.into_parts().map(|(reason, detail, fields)| Forbidden { reason, detail, fields }).collect()
    }

    /// Returns the changes after which `object` does not violate the newest version of `level`; nothing if it does not,
    /// or if a violation has no remedy.
    pub(crate) fn remedies(&self, level: Level, object: &Object) -> Option<Vec<Remedy>> {
        let pod = PodTemplate::of(object)?;
        let found = self.evaluator.evaluate_pod(LevelVersion { level, version: Version::Latest }, pod);
        let remedies: Vec<Remedy> = found.remedies().collect();
        (!remedies.is_empty() && found.has_remedies()).then_some(remedies)
    }

    /// Returns the newest version `v1.<minor>` of `level` that admits all of `objects`, if one does.
    pub(crate) fn newest_admitting(&self, level: Level, objects: &[&Object]) -> Option<i64> {
        let admits = |minor: &i64| {
            let policy = LevelVersion { level, version: Version::Minor(*minor) };
            objects
                .iter()
                .filter_map(|object| PodTemplate::of(object))
                .all(|pod| self.evaluator.evaluate_pod(policy, pod).is_empty())
        };
        (0..self.newest).rev().find(admits)
    }
}

/// Returns the level and version that the labels of `namespace` enforce, such as `baseline:v1.30`; nothing without such
/// a label.
pub(crate) fn enforced(namespace: &Object) -> Option<String> {
    let given = namespace.label("pod-security.kubernetes.io/enforce")?;
    let level = given.parse::<Level>();
    let version = namespace.label("pod-security.kubernetes.io/enforce-version").unwrap_or("latest");
    Some(match level {
        Ok(level) => format!("{level}:{version}"),
        // A level that does not exist is the strictest.
        Err(_) => format!("{}:{version}, for the label is \"{given}\"", Level::Restricted),
    })
}
