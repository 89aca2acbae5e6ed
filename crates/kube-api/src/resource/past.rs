//! The resources of older releases: those of today, without what came and with what went since.
//!
//! `data/history/resources.txt` has the resources with a history and the releases that can serve them. A resource that
//! is gone has all its columns; so do subresources, on the lines below it.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use super::table;
use super::{ApiResource, Served, Subresource};
use crate::release::{self, RELEASES, Span};
use crate::version::Version;

static TEXT: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/data/history/resources.txt"));

/// Returns the resources that the release 1.`minor` could serve.
pub(super) fn resources(minor: u32) -> &'static [ApiResource] {
    static PAST: [OnceLock<Vec<ApiResource>>; RELEASES] = [const { OnceLock::new() }; RELEASES];
    let index = (minor - Version::OLDEST.minor) as usize;
    PAST[index].get_or_init(|| read(minor).expect("every line is a resource"))
}

/// Returns the lines of resources, read once.
fn read_entries() -> &'static [((&'static str, &'static str), Entry)] {
    static ENTRIES: OnceLock<Vec<((&str, &str), Entry)>> = OnceLock::new();
    ENTRIES.get_or_init(entries)
}

/// Returns the releases that can serve a resource that is still there, if it has a history.
pub(super) fn span(api_version: &str, resource: &str) -> Option<Span> {
    let (_, entry) = read_entries().iter().find(|(key, _)| *key == (api_version, resource))?;
    entry.span()
}

/// Returns the releases that could serve a kind that is gone, and the last of those that did so by default, if that is
/// an earlier one.
pub(super) fn gone(api_version: &str, kind: &str) -> Option<(Span, Option<u32>)> {
    let (_, entry) = entry_of(api_version, kind)?;
    let served = entry.line.split(' ').find_map(|word| word.strip_prefix("default:"));
    Some((entry.span()?, served.and_then(Span::read).and_then(Span::last)))
}

/// Returns the name of the resource whose objects were of a kind that is gone.
pub(super) fn name_of(api_version: &str, kind: &str) -> Option<&'static str> {
    entry_of(api_version, kind).map(|((_, resource), _)| *resource)
}

fn entry_of(api_version: &str, kind: &str) -> Option<&'static ((&'static str, &'static str), Entry)> {
    let is_it = |entry: &&((&str, &str), Entry)| {
        entry.0.0 == api_version && entry.1.line.split(' ').nth(1) == Some(kind)
    };
    read_entries().iter().find(is_it)
}

/// One line and those below it.
struct Entry {
    line: &'static str,
    below: Vec<&'static str>,
}

/// Returns the lines by version and resource, and their order.
fn entries() -> Vec<((&'static str, &'static str), Entry)> {
    let mut entries: Vec<(_, Entry)> = Vec::new();
    for line in release::body(TEXT).lines() {
        if let (Some(below), Some((_, entry))) = (line.strip_prefix("  "), entries.last_mut()) {
            entry.below.push(below);
            continue;
        }
        let mut words = line.splitn(3, ' ');
        let key = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        entries.push((key, Entry { line: words.next().unwrap_or_default(), below: Vec::new() }));
    }
    entries
}

fn read(minor: u32) -> Option<Vec<ApiResource>> {
    let entries = entries();
    let by_name: BTreeMap<_, _> = entries.iter().map(|(key, entry)| (*key, entry)).collect();
    let mut resources = Vec::new();
    for resource in table::resources() {
        let api_version = resource.group_version();
        match by_name.get(&(api_version.as_str(), resource.resource)) {
            Some(entry) if entry.lives(minor)? => resources.push(entry.present(resource, minor)?),
            Some(_) => {}
            None => resources.push(resource.clone()),
        }
    }
    for ((api_version, resource), entry) in entries {
        let is_present = table::resources()
            .iter()
            .any(|found| found.resource == resource && found.group_version() == api_version);
        if !is_present && entry.lives(minor)? {
            resources.push(entry.gone(api_version, resource, minor)?);
        }
    }
    Some(resources)
}

impl Entry {
    fn span(&self) -> Option<Span> {
        Span::read(self.line.split(' ').next()?)
    }

    fn lives(&self, minor: u32) -> Option<bool> {
        Some(self.span()?.contains(minor))
    }

    /// Returns `resource` as it was.
    fn present(&self, resource: &ApiResource, minor: u32) -> Option<ApiResource> {
        let mut resource = resource.clone();
        resource.verbs = earlier(resource.verbs, self.line.split(' ').nth(1), minor)?;
        let mut subresources = resource.subresources.to_vec();
        for line in &self.below {
            let mut words = line.split(' ').peekable();
            let (name, lives) = (words.next()?, Span::read(words.next()?)?.contains(minor));
            match words.peek().copied() {
                // Another kind, or one that is gone; its line precedes that of the resource with its name today.
                Some(word) if !word.starts_with("since:") => {
                    if lives {
                        subresources.push(subresource(name, words, minor)?);
                    }
                }
                later => {
                    let now = subresources.iter().position(|now| now.name == name)?;
                    if lives {
                        subresources[now].verbs = earlier(subresources[now].verbs, later, minor)?;
                    } else {
                        subresources.remove(now);
                    }
                }
            }
        }
        subresources.sort_by_key(|below| below.name);
        resource.subresources = subresources.leak();
        Some(resource)
    }

    /// Returns a resource that is gone.
    fn gone(&self, api_version: &'static str, name: &'static str, minor: u32) -> Option<ApiResource> {
        let (_, words) = self.line.split_once(' ')?;
        let (words, later) =
            words.split_once(" since:").map_or((words, None), |(words, later)| (words, Some(later)));
        let mut resource =
            table::resource(api_version, name, &mut words.split(' '), |served| match served {
                "default" => Some(Served::Default),
                "runtime-config" => Some(Served::RuntimeConfig),
                span => {
                    let on = Span::read(span.strip_prefix("default:")?)?.contains(minor);
                    Some(if on { Served::Default } else { Served::RuntimeConfig })
                }
            })?;
        resource.verbs = earlier(resource.verbs, later, minor)?;
        let mut subresources = Vec::new();
        for line in &self.below {
            let mut words = line.split(' ');
            let (name, span) = (words.next()?, Span::read(words.next()?)?);
            if span.contains(minor) {
                subresources.push(subresource(name, words, minor)?);
            }
        }
        resource.subresources = subresources.leak();
        Some(resource)
    }
}

fn subresource(
    name: &'static str,
    mut words: impl Iterator<Item = &'static str>,
    minor: u32,
) -> Option<Subresource> {
    let mut found = table::subresource(name, &mut words)?;
    found.verbs = earlier(found.verbs, words.next(), minor)?;
    Some(found)
}

/// Returns the verbs without those that came after the release 1.`minor`: `since:get@1.11,patch@1.11`.
fn earlier(
    verbs: &'static [&'static str],
    later: Option<&str>,
    minor: u32,
) -> Option<&'static [&'static str]> {
    let Some(later) = later else { return Some(verbs) };
    let mut kept = verbs.to_vec();
    for entry in later.trim_start_matches("since:").split(',') {
        let (verb, since) = entry.split_once('@')?;
        if since.strip_prefix("1.")?.parse::<u32>().ok()? > minor {
            kept.retain(|kept| *kept != verb);
        }
    }
    Some(kept.leak())
}
