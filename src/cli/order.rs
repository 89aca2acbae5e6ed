//! The order in which documents are evaluated.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use clap::ValueEnum;
use rayon::prelude::*;

use crate::cli::input::NonManifests;
use crate::cli::session::CHUNK;
use crate::evaluation;
use crate::manifest::{Format, Item, Part, files};
use crate::report::Diagnostic;
use crate::source::{Node, Origin, ShortSpan};

/// The order of documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Order {
    /// In the order of writing, file by file, with the server's answers to that: 404 before the Namespace exists
    File,
    /// Objects that others need come first: namespaces, classes, quotas, limits, accounts and definitions; all others
    /// in the order of writing
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

/// A document to be sorted. Its text is not kept if it can be read again.
enum Unit {
    Unread(Unread),
    Part(Box<Part>),
    Item(Box<Result<Item, Diagnostic>>),
}

/// A [`Part`] without its text.
struct Unread {
    origin: Arc<Origin>,
    index: u32,
    span: ShortSpan,
    format: Format,
}

impl Unread {
    fn of(part: &Part) -> Option<Self> {
        Some(Self {
            origin: part.source.origin()?.clone(),
            index: part.index.try_into().ok()?,
            span: ShortSpan::of(part.span)?,
            format: part.format,
        })
    }

    fn part(self) -> Result<Part, Diagnostic> {
        let Self { origin, index, span, format } = self;
        let source = files::read_again(&origin).map_err(|error| Diagnostic::from(&error))?;
        Ok(Part { source, index: index as usize, span: span.span(), format })
    }
}

impl Unit {
    fn of(part: Part) -> Self {
        Unread::of(&part).map_or_else(|| Self::Part(Box::new(part)), Self::Unread)
    }

    /// Returns the document with its text.
    fn ready(self) -> Self {
        match self {
            Self::Unread(unread) => match unread.part() {
                Ok(part) => Self::Part(Box::new(part)),
                Err(error) => Self::Item(Box::new(Err(error))),
            },
            ready => ready,
        }
    }

    fn items(self, non_manifests: NonManifests) -> Vec<Result<Item, Diagnostic>> {
        match self {
            Self::Unread(unread) => items_of(unread.part(), non_manifests),
            Self::Part(part) => items_of(Ok(*part), non_manifests),
            Self::Item(item) => vec![*item],
        }
    }
}

/// The rank of a document among others.
pub(super) type Rank = (usize, String);

/// Returns the default order of a run: for directories the one that leads to the state of a cluster to which they are
/// applied until nothing changes any more.
pub(super) fn of_paths(paths: &[String]) -> Order {
    if paths.iter().any(|path| Path::new(path).is_dir()) { Order::NeedsFirst } else { Order::File }
}

/// Returns the rank of `item` in `order`.
pub(super) fn rank_of(order: Order, item: &Result<Item, Diagnostic>) -> Rank {
    let kind = item.as_ref().ok().and_then(|item| text(&item.node, "kind")).unwrap_or_default();
    evaluation::Order::from(order).rank(kind)
}

/// Returns the objects of `parts` as they are written.
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

/// The number of documents whose text is kept while documents are sorted.
const SORTED_AT_ONCE: usize = 1024;

/// Returns the objects of `parts` sorted by `order`. A document is parsed when its turn comes, unless its kind cannot
/// be found without parsing it.
pub(super) fn sorted<'a>(
    mut parts: impl Iterator<Item = Result<Part, Diagnostic>>,
    order: Order,
    non_manifests: NonManifests,
) -> Chunks<'a> {
    let order = evaluation::Order::from(order);
    let mut units: BTreeMap<Rank, Vec<Unit>> = BTreeMap::new();
    loop {
        let some: Vec<_> = parts.by_ref().take(SORTED_AT_ONCE).collect();
        if some.is_empty() {
            break;
        }
        let some = some.into_par_iter().flat_map_iter(|part| ranked(part, order, non_manifests));
        for (rank, unit) in some.collect::<Vec<_>>() {
            units.entry(rank).or_default().push(unit);
        }
    }
    let mut units = units.into_values().flatten();
    Box::new(std::iter::from_fn(move || {
        let chunk: Vec<_> = units.by_ref().take(CHUNK).map(Unit::ready).collect();
        let is_last = chunk.is_empty();
        let items = chunk.into_par_iter().flat_map_iter(|unit| unit.items(non_manifests));
        (!is_last).then(|| items.collect())
    }))
}

/// Returns the names of the Namespaces among `parts`.
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
                vec![(rank, Unit::of(part))]
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

/// Returns the kind of the object in `part`, if it is on a separate line, as it usually is.
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
