//! The order in which documents are evaluated.

mod queue;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use clap::ValueEnum;
use glob::{MatchOptions, Pattern};
use rayon::prelude::*;

use crate::cli::cache::{Cache, Mark, Plan, Print, Prints};
use crate::cli::input::{self, Input, NonManifests};
use crate::evaluation::{self, FileOrder, Parameters, Rank};
use crate::report::Diagnostic;
use gotext::source::Node;
use kube_yaml::{Format, Item, LargeFile, Part, Uncut, UnreadPart};

use queue::{Queue, Section};

/// The order of documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Order {
    /// In the order of writing, file by file, with the server's answers to that: 404 before the Namespace exists
    File,
    /// Objects that others need come first: policies with their parameters, namespaces, definitions, classes, quotas,
    /// limits, accounts and roles; all others in the order of writing
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

/// The documents of a run, batch by batch, and their number if it is known.
pub(super) struct Batches {
    pub(super) total: Option<usize>,
    pub(super) batches: Box<dyn Iterator<Item = Batch>>,
}

/// Documents that are read together, on one thread.
pub(super) struct Batch(Vec<(Unit, Option<Mark>)>);

/// An object of a document, or what is known about it.
pub(super) enum Document {
    Item(Box<Result<Item, Diagnostic>>, Option<Mark>),
    /// Its result is known. If it comes again, it is evaluated for its effects.
    Known {
        sequence: u32,
        comes_again: bool,
    },
}

impl Batch {
    /// The number of documents.
    pub(super) const SIZE: usize = 32;

    /// Returns the documents that `units` begin with, unless there is none.
    fn next(units: &mut impl Iterator<Item = (Unit, Option<Mark>)>) -> Option<Self> {
        let batch: Vec<_> = units.take(Self::SIZE).collect();
        (!batch.is_empty()).then_some(Self(batch))
    }

    /// Returns the objects of each document.
    pub(super) fn items(
        self,
        non_manifests: NonManifests,
    ) -> impl Iterator<Item = Vec<Result<Item, Diagnostic>>> {
        self.0.into_iter().map(move |(unit, _)| unit.items(non_manifests))
    }

    /// Returns the objects of each document that are to be evaluated, and what is known.
    pub(super) fn documents(self, non_manifests: NonManifests) -> impl Iterator<Item = Vec<Document>> {
        self.0.into_iter().map(move |(unit, mark)| {
            let mut documents = Vec::new();
            if let Some(Mark::Known { sequence, needed }) = mark {
                documents.push(Document::Known { sequence, comes_again: needed });
                if !needed {
                    return documents;
                }
            }
            let items = unit.items(non_manifests).into_iter();
            documents.extend(items.map(|item| Document::Item(Box::new(item), mark)));
            documents
        })
    }
}

impl From<Vec<Result<Item, Diagnostic>>> for Batch {
    fn from(items: Vec<Result<Item, Diagnostic>>) -> Self {
        Self(items.into_iter().map(|item| (Kept::Item(item).into(), None)).collect())
    }
}

/// A document to be sorted. Its text is not kept if it can be read again; there may be many, so it is kept small.
enum Unit {
    Unread(UnreadPart),
    Kept(Box<Kept>),
}

enum Kept {
    Part(Part),
    Item(Result<Item, Diagnostic>),
}

impl From<Kept> for Unit {
    fn from(kept: Kept) -> Self {
        Self::Kept(Box::new(kept))
    }
}

impl Unit {
    fn of(part: Part) -> Self {
        UnreadPart::of(&part, None).map_or_else(|| Kept::Part(part).into(), Self::Unread)
    }

    fn items(self, non_manifests: NonManifests) -> Vec<Result<Item, Diagnostic>> {
        match self {
            Self::Unread(unread) => {
                items_of(unread.part().map_err(|error| Diagnostic::from(&error)), non_manifests)
            }
            Self::Kept(kept) => match *kept {
                Kept::Part(part) => items_of(Ok(part), non_manifests),
                Kept::Item(item) => vec![item],
            },
        }
    }
}

/// Returns the rank of `item` in `order`.
pub(super) fn rank_of(order: Order, item: &Result<Item, Diagnostic>) -> Rank {
    let order = evaluation::Order::from(order);
    item.as_ref().map_or_else(|_| order.rank_of_kind(""), |item| order.rank(&item.node))
}

/// Sorts `documents` by `order`.
pub(super) fn sort<T>(order: Order, documents: &mut [T], rank: impl Fn(&T) -> &Rank) {
    let order = evaluation::Order::from(order);
    let parameters: Parameters = documents.iter().map(&rank).collect();
    documents
        .sort_by(|left, right| order.key(rank(left), &parameters).cmp(&order.key(rank(right), &parameters)));
}

/// Returns the position among `arguments` of the one that a file was found by.
pub(super) fn file_order(arguments: &[String]) -> FileOrder {
    let found = arguments.iter().flat_map(|name| {
        let templates = if name == "-" { input::templates() } else { &[] };
        let templates = templates.iter().map(|template| (template.name().to_owned(), None));
        templates.chain([(name.clone(), Pattern::new(name).ok())])
    });
    let found: Vec<(String, Option<Pattern>)> = found.collect();
    Arc::new(move |file| {
        let is_of = |(name, pattern): &(String, Option<Pattern>)| {
            Path::new(file).starts_with(name)
                || pattern.as_ref().is_some_and(|pattern| pattern.matches_with(file, LIKE_A_SHELL))
        };
        found.iter().position(is_of).unwrap_or(found.len())
    })
}

/// A `*` matches within one name.
const LIKE_A_SHELL: MatchOptions = MatchOptions {
    case_sensitive: true,
    require_literal_separator: true,
    require_literal_leading_dot: false,
};

/// Returns `parts` as they are written.
pub(super) fn as_written(parts: impl Iterator<Item = Result<Part, Diagnostic>> + 'static) -> Batches {
    let mut units = parts.map(|part| {
        let unit = match part {
            Ok(part) => Kept::Part(part).into(),
            Err(error) => Kept::Item(Err(error)).into(),
        };
        (unit, None)
    });
    Batches { total: None, batches: Box::new(std::iter::from_fn(move || Batch::next(&mut units))) }
}

/// The number of files whose text is kept while documents are sorted.
const SORTED_AT_ONCE: usize = 128;

/// Returns the documents of `inputs` sorted by `order`, and the kinds of the parameters of policies. A document is
/// parsed when its turn comes, unless its kind cannot be found without parsing it; not at all if it is known from the
/// `cache`.
pub(super) fn sorted(
    inputs: &[Result<Input, Diagnostic>],
    order: Order,
    non_manifests: NonManifests,
    cache: Option<(&Cache, &Prints<'_>)>,
) -> (Batches, Parameters) {
    let order = evaluation::Order::from(order);
    let prints = cache.map(|(_, prints)| prints);
    let ranks = Mutex::default();
    let number = |found| Ranks::number(&ranks, found);
    let whole = |input: &Result<Input, Diagnostic>| {
        let parts: Vec<_> = non_manifests.parts_of(input.clone()).collect();
        let parts = parts.into_par_iter().with_min_len(Batch::SIZE);
        let ranked = parts.flat_map_iter(|part| ranked(part, order, non_manifests, prints));
        vec![number(ranked.collect())]
    };
    let mut queue = Queue::default();
    for inputs in inputs.chunks(SORTED_AT_ONCE) {
        let sections = inputs.par_iter().map(|input| {
            let large = input.as_ref().ok().and_then(Input::large);
            let cut =
                large.and_then(|large| ranked_in_pieces(&large, order, non_manifests, prints, number).ok());
            cut.unwrap_or_else(|| whole(input))
        });
        let sections: Vec<Vec<Section>> = sections.collect();
        sections.into_iter().flatten().for_each(|section| queue.add(section));
    }
    let ranks = ranks.into_inner().unwrap_or_else(PoisonError::into_inner).0;
    let parameters: Parameters = ranks.keys().collect();
    let mut keys = vec![(0, ""); ranks.len()];
    for (rank, number) in &ranks {
        keys[*number as usize] = order.key(rank, &parameters);
    }
    let total = Some(queue.len());
    let sorted = queue.sorted(queue::turns(&keys));
    let mut units: Box<dyn Iterator<Item = (Unit, Option<Mark>)>> = match cache {
        None => Box::new(sorted.map(|(unit, _)| (unit, None))),
        Some((cache, _)) => {
            let (units, prints): (Vec<Unit>, Vec<_>) = sorted.unzip();
            let (plan, marks) = Plan::new(cache, &prints, &parameters);
            cache.begin(plan);
            Box::new(units.into_iter().zip(marks))
        }
    };
    (Batches { total, batches: Box::new(std::iter::from_fn(move || Batch::next(&mut units))) }, parameters)
}

/// The ranks of documents, by number: many documents have few.
#[derive(Default)]
struct Ranks(BTreeMap<Rank, u32>);

impl Ranks {
    /// Replaces ranks by their numbers.
    fn number(ranks: &Mutex<Self>, found: Vec<Unnumbered>) -> Section {
        let Self(ranks) = &mut *ranks.lock().unwrap_or_else(PoisonError::into_inner);
        let numbered = found.into_iter().map(|(rank, unit, print)| {
            let next = u32::try_from(ranks.len()).expect("there are fewer kinds");
            (*ranks.entry(rank).or_insert(next), unit, print)
        });
        numbered.collect()
    }
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

/// The pieces of a large file that are read at once.
const PIECES_AT_ONCE: usize = 32;

/// Returns the documents of a large file, whose text is not kept.
///
/// # Errors
///
/// Fails if it must be read whole: then its errors are those of the whole, too.
fn ranked_in_pieces(
    file: &LargeFile,
    order: evaluation::Order,
    non_manifests: NonManifests,
    prints: Option<&Prints<'_>>,
    number: impl Fn(Vec<Unnumbered>) -> Section,
) -> Result<Vec<Section>, Uncut> {
    let (mut pieces, mut found) = (file.pieces(), Vec::new());
    loop {
        let parts: Vec<Part> = pieces.by_ref().take(PIECES_AT_ONCE).collect::<Result<Vec<_>, _>>()?.concat();
        if parts.is_empty() {
            return Ok(found);
        }
        let ranked = parts.into_par_iter().with_min_len(Batch::SIZE).map(|part| {
            let is_item = part.format == Format::Json || has_dashes(&part);
            if !is_item {
                return Ok(ranked(Ok(part), order, non_manifests, prints));
            }
            let document = part.read().ok().flatten().filter(|document| document.strict_errors.is_empty());
            let mut items = document.ok_or(Uncut)?.unwrap_list();
            let item = items.pop().filter(|item| items.is_empty() && item.position.is_none()).ok_or(Uncut)?;
            item.node.get("kind").ok_or(Uncut)?;
            let print = prints.and_then(|prints| prints.of_item(&item)).map(Box::new);
            Ok(vec![(order.rank(&item.node), Unit::of(part), print)])
        });
        let ranked: Vec<Vec<Unnumbered>> = ranked.collect::<Result<_, Uncut>>()?;
        found.push(number(ranked.into_iter().flatten().collect()));
    }
}

/// Whether `part` is an item of a list that is read item by item.
fn has_dashes(part: &Part) -> bool {
    part.source.origin().and_then(|origin| origin.piece()).is_some_and(|piece| piece.dashes.is_some())
}

/// The rank of a document, the document, and its print.
type Unnumbered = (Rank, Unit, Option<Box<Print>>);

fn ranked(
    part: Result<Part, Diagnostic>,
    order: evaluation::Order,
    non_manifests: NonManifests,
    prints: Option<&Prints<'_>>,
) -> Vec<Unnumbered> {
    match part {
        Ok(part) => match kind_of(&part) {
            Some(kind) if !kind.ends_with("List") && !order.depends_on_document(kind) => {
                let rank = order.rank_of_kind(kind);
                let read = || items_of(Ok(part.clone()), non_manifests).pop()?.ok();
                let print = prints.and_then(|prints| prints.of_part(&part, read));
                vec![(rank, Unit::of(part), print.map(Box::new))]
            }
            _ => {
                let items = items_of(Ok(part), non_manifests).into_iter();
                let rank = |item: &Result<Item, _>| match item {
                    Ok(item) => order.rank(&item.node),
                    Err(_) => order.rank_of_kind(""),
                };
                let print = |item: &Result<Item, _>| prints?.of_item(item.as_ref().ok()?).map(Box::new);
                items
                    .map(|item| {
                        let (rank, print) = (rank(&item), print(&item));
                        (rank, Kept::Item(item).into(), print)
                    })
                    .collect()
            }
        },
        Err(error) => vec![(order.rank_of_kind(""), Kept::Item(Err(error)).into(), None)],
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
