//! In which order documents are evaluated.

use std::collections::BTreeSet;
use std::path::Path;
use std::vec;

use clap::ValueEnum;
use rayon::prelude::*;

use crate::cli::input::NonManifests;
use crate::cli::session::CHUNK;
use crate::evaluation;
use crate::manifest::{Format, Item, Part};
use crate::report::Diagnostic;
use crate::source::Node;

/// The order of documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Order {
    /// As they are written, file by file, with what the server answers to that: 404 before the Namespace exists
    File,
    /// What others need comes first: namespaces, classes, quotas, limits, accounts and definitions; all else as it is
    /// written
    NeedsFirst,
    /// As Helm installs them, sorted by kind
    Install,
}

impl From<Order> for evaluation::Order {
    fn from(order: Order) -> Self {
        match order {
            Order::File => Self::File,
            Order::NeedsFirst => Self::NeedsFirst,
            Order::Install => Self::Install,
        }
    }
}

/// The documents of a run, chunk by chunk.
pub(super) type Chunks<'a> = Box<dyn Iterator<Item = Vec<Result<Item, Diagnostic>>> + 'a>;

/// A document on its way to its place in the order.
enum Unit {
    Part(Part),
    Item(Box<Result<Item, Diagnostic>>),
}

/// What decides which of two documents comes first.
pub(super) type Rank = (usize, String);

/// The order of a run that names none: of a directory, as it ends up in a cluster to which it is applied until nothing
/// changes any more.
pub(super) fn of_paths(paths: &[String]) -> Order {
    if paths.iter().any(|path| Path::new(path).is_dir()) { Order::NeedsFirst } else { Order::File }
}

/// The rank of `item` in `order`.
pub(super) fn rank_of(order: Order, item: &Result<Item, Diagnostic>) -> Rank {
    let kind = item.as_ref().ok().and_then(|item| text(&item.node, "kind")).unwrap_or_default();
    evaluation::Order::from(order).rank(kind)
}

/// The objects of `parts` as they are written.
pub(super) fn as_written<'a>(
    mut parts: impl Iterator<Item = Result<Part, Diagnostic>> + 'a,
    non_manifests: NonManifests,
) -> Chunks<'a> {
    Box::new(std::iter::from_fn(move || {
        let chunk: Vec<_> = parts.by_ref().take(CHUNK).collect();
        let is_last = chunk.is_empty();
        let items = chunk.into_par_iter().flat_map_iter(|part| items_of(part, non_manifests));
        (!is_last).then(|| items.collect())
    }))
}

/// The objects of `parts` sorted as `order` says. A document is read when its turn comes, unless its kind cannot be seen
/// without reading it.
pub(super) fn sorted<'a>(
    parts: impl Iterator<Item = Result<Part, Diagnostic>>,
    order: Order,
    non_manifests: NonManifests,
) -> Chunks<'a> {
    let order = evaluation::Order::from(order);
    let parts: Vec<_> = parts.collect();
    let mut units: Vec<(Rank, Unit)> =
        parts.into_par_iter().flat_map_iter(|part| ranked(part, order, non_manifests)).collect();
    units.sort_by(|(left, _), (right, _)| left.cmp(right));
    let mut units: vec::IntoIter<_> = units.into_iter();
    Box::new(std::iter::from_fn(move || {
        let chunk: Vec<_> = units.by_ref().take(CHUNK).collect();
        let is_last = chunk.is_empty();
        let items = chunk.into_par_iter().flat_map_iter(|(_, unit)| match unit {
            Unit::Part(part) => items_of(Ok(part), non_manifests),
            Unit::Item(item) => vec![*item],
        });
        (!is_last).then(|| items.collect())
    }))
}

/// The names of the Namespaces among `parts`.
pub(super) fn namespaces(
    parts: impl Iterator<Item = Result<Part, Diagnostic>>,
    non_manifests: NonManifests,
) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for part in parts.flatten() {
        if kind_of(&part).is_some_and(|kind| kind != "Namespace" && !kind.ends_with("List")) {
            continue;
        }
        let items = items_of(Ok(part), non_manifests).into_iter().flatten();
        let namespaces = items.filter(|item| text(&item.node, "kind") == Some("Namespace"));
        names.extend(
            namespaces.filter_map(|item| text(item.node.get("metadata")?, "name").map(str::to_owned)),
        );
    }
    names
}

fn text<'a>(node: &'a Node, field: &str) -> Option<&'a str> {
    node.get(field).and_then(Node::as_str)
}

pub(super) fn items_of(
    part: Result<Part, Diagnostic>,
    non_manifests: NonManifests,
) -> Vec<Result<Item, Diagnostic>> {
    match part.and_then(|part| non_manifests.items_of(&part)) {
        Ok(items) => items.into_iter().map(Ok).collect(),
        Err(diagnostic) => vec![Err(diagnostic)],
    }
}

fn ranked(
    part: Result<Part, Diagnostic>,
    order: evaluation::Order,
    non_manifests: NonManifests,
) -> Vec<(Rank, Unit)> {
    match part {
        Ok(part) => match kind_of(&part) {
            Some(kind) if !kind.ends_with("List") => {
                let rank = order.rank(kind);
                vec![(rank, Unit::Part(part))]
            }
            _ => {
                let items = items_of(Ok(part), non_manifests).into_iter();
                let kind = |item: &Result<Item, _>| {
                    let kind = item.as_ref().ok().and_then(|item: &Item| text(&item.node, "kind"));
                    order.rank(kind.unwrap_or_default())
                };
                items.map(|item| (kind(&item), Unit::Item(Box::new(item)))).collect()
            }
        },
        Err(error) => vec![(order.rank(""), Unit::Item(Box::new(Err(error))))],
    }
}

/// The kind of the object in `part`, where it is on a line of its own as it mostly is.
fn kind_of(part: &Part) -> Option<&str> {
    if part.format != Format::Yaml {
        return None;
    }
    let text = &part.source.text()[part.span.start..part.span.end];
    let line = text.lines().find_map(|line| line.strip_prefix("kind:"))?;
    let value = line.split(" #").next().unwrap_or_default().trim();
    let value = value.trim_matches(['"', '\'']);
    let is_name = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_name.then_some(value)
}
