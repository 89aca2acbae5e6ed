//! Reading the table of resources, which is in the order of the server's discovery document.

use std::sync::OnceLock;

use super::{ApiResource, Served, Subresource};
use crate::group_version::group_and_version;
use crate::release::{self, table};

/// The verbs that the table writes as `all`.
const ALL: &[&str] = &["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/// Returns the resources of the release.
pub(super) fn resources() -> &'static [ApiResource] {
    static RESOURCES: OnceLock<Vec<ApiResource>> = OnceLock::new();
    RESOURCES.get_or_init(|| read(release::body(table!("resources.txt"))).expect("every line is a resource"))
}

/// Returns the resources of openshift-apiserver.
pub(super) fn openshift() -> &'static [ApiResource] {
    static RESOURCES: OnceLock<Vec<ApiResource>> = OnceLock::new();
    let text = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/data/openshift/resources.txt"));
    RESOURCES.get_or_init(|| read(release::body(text)).expect("every line is a resource"))
}

/// Returns the resources of Origin masters that have no group, and those of Kubernetes' groups that are gone.
pub(super) fn origin() -> &'static [ApiResource] {
    static RESOURCES: OnceLock<Vec<ApiResource>> = OnceLock::new();
    let text = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/data/openshift/origin.txt"));
    RESOURCES.get_or_init(|| read(release::body(text)).expect("every line is a resource"))
}

fn read(table: &'static str) -> Option<Vec<ApiResource>> {
    let mut resources = Vec::with_capacity(128);
    let mut lines = table.lines().peekable();
    while let Some(line) = lines.next() {
        let mut words = line.split(' ');
        let (api_version, name) = (words.next()?, words.next()?);
        let mut resource = resource(api_version, name, &mut words, |served| match served {
            "default" => Some(Served::Default),
            "runtime-config" => Some(Served::RuntimeConfig),
            _ => None,
        })?;
        let mut subresources = Vec::new();
        while let Some(below) = lines.peek().and_then(|line| line.strip_prefix("  ")) {
            let mut words = below.split(' ');
            subresources.push(subresource(words.next()?, &mut words)?);
            lines.next();
        }
        resource.subresources = subresources.leak();
        resources.push(resource);
    }
    Some(resources)
}

/// Reads the words of a line after the version and the name: kind, singular name, scope, whether it is served, verbs,
/// short names.
pub(super) fn resource(
    api_version: &'static str,
    name: &'static str,
    words: &mut impl Iterator<Item = &'static str>,
    served: impl FnOnce(&'static str) -> Option<Served>,
) -> Option<ApiResource> {
    let (group, version) = group_and_version(api_version);
    Some(ApiResource {
        group,
        version,
        resource: name,
        kind: words.next()?,
        singular: words.next()?,
        namespaced: words.next()? == "namespaced",
        served: served(words.next()?)?,
        verbs: verbs(words.next()?),
        short_names: words.next().map_or(&[], list),
        subresources: &[],
    })
}

/// Reads the words of a line after the name: version, kind and verbs.
pub(super) fn subresource(
    name: &'static str,
    words: &mut impl Iterator<Item = &'static str>,
) -> Option<Subresource> {
    let (group, version) = group_and_version(words.next()?);
    Some(Subresource { name, group, version, kind: words.next()?, verbs: verbs(words.next()?) })
}

fn verbs(word: &'static str) -> &'static [&'static str] {
    if word == "all" { ALL } else { list(word) }
}

fn list(word: &'static str) -> &'static [&'static str] {
    word.split(',').collect::<Vec<_>>().leak()
}
