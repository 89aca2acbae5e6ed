//! Reading the table of resources, which is in the order of the server's discovery document.

use std::sync::OnceLock;

use super::{ApiResource, Served, Subresource};
use crate::api::release::{self, table};

/// The verbs that the table writes as `all`.
const ALL: &[&str] = &["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/// The resources of the release.
pub(super) fn resources() -> &'static [ApiResource] {
    static RESOURCES: OnceLock<Vec<ApiResource>> = OnceLock::new();
    RESOURCES.get_or_init(|| read(release::body(table!("resources.txt"))).expect("every line is a resource"))
}

fn read(table: &'static str) -> Option<Vec<ApiResource>> {
    let mut resources = Vec::with_capacity(128);
    let mut lines = table.lines().peekable();
    while let Some(line) = lines.next() {
        let mut resource = resource(line)?;
        let mut subresources = Vec::new();
        while let Some(below) = lines.peek().and_then(|line| line.strip_prefix("  ")) {
            subresources.push(subresource(below)?);
            lines.next();
        }
        resource.subresources = subresources.leak();
        resources.push(resource);
    }
    Some(resources)
}

fn resource(line: &'static str) -> Option<ApiResource> {
    let mut words = line.split(' ');
    let mut word = || words.next();
    let (group, version) = group_and_version(word()?);
    Some(ApiResource {
        group,
        version,
        resource: word()?,
        kind: word()?,
        singular: word()?,
        namespaced: word()? == "namespaced",
        served: if word()? == "default" { Served::Default } else { Served::RuntimeConfig },
        verbs: verbs(word()?),
        short_names: word().map_or(&[], list),
        subresources: &[],
    })
}

fn subresource(line: &'static str) -> Option<Subresource> {
    let mut words = line.split(' ');
    let name = words.next()?;
    let (group, version) = group_and_version(words.next()?);
    Some(Subresource { name, group, version, kind: words.next()?, verbs: verbs(words.next()?) })
}

fn group_and_version(api_version: &str) -> (&str, &str) {
    api_version.split_once('/').unwrap_or(("", api_version))
}

fn verbs(word: &'static str) -> &'static [&'static str] {
    if word == "all" { ALL } else { list(word) }
}

fn list(word: &'static str) -> &'static [&'static str] {
    word.split(',').collect::<Vec<_>>().leak()
}
