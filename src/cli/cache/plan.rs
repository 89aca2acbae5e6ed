//! What a run evaluates, and what it knows.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use crate::cli::cache::pack::Route;
use crate::cli::cache::{Cache, Key};
use crate::evaluation::{Parameters, crosses_namespaces, is_policy_kind};
use gotext::source::Span;
use kube_api::GroupVersionKind;
use kube_api::resource;
use kube_yaml::{Item, Part};

/// What a run evaluates, and what it knows.
pub(in crate::cli) struct Plan {
    pub(super) sequences: Vec<Sequence>,
    /// The numbers of the sequences, by namespace; empty for the cluster.
    pub(super) numbers: BTreeMap<String, u32>,
}

/// The documents of a namespace, or those of the cluster.
pub(super) struct Sequence {
    pub(super) namespace: String,
    pub(super) key: Key,
    pub(super) documents: usize,
    /// The position of the pack with its results, if they are known.
    pub(super) pack: Option<usize>,
    pub(super) is_masked: AtomicBool,
}

/// What is done with a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Mark {
    /// It is evaluated, and the result is kept in the sequence.
    New(u32),
    /// Its result is known. If it is `needed`, it is evaluated as well, because of what it does to others.
    Known { sequence: u32, needed: bool },
}

/// The identity of a document, and what it is.
pub(in crate::cli) struct Print {
    document: Key,
    route: Arc<Route>,
}

/// Finds out what documents are.
pub(in crate::cli) struct Prints<'a> {
    cache: &'a Cache,
    /// Returns the namespace of objects without one in a file.
    namespace: &'a (dyn Fn(&str) -> String + Sync),
    interned: Mutex<BTreeSet<Arc<Route>>>,
}

impl<'a> Prints<'a> {
    pub(in crate::cli) fn new(cache: &'a Cache, namespace: &'a (dyn Fn(&str) -> String + Sync)) -> Self {
        Self { cache, namespace, interned: Mutex::default() }
    }

    /// Returns the print of a document; `read` parses it unless an earlier run did. Nothing if it is not an object.
    pub(in crate::cli) fn of_part(&self, part: &Part, read: impl FnOnce() -> Option<Item>) -> Option<Print> {
        let text = &part.source.text()[part.span.start..part.span.end];
        let key = Key::of([text.as_bytes()]);
        let route = match self.cache.route(key) {
            Some(route) => route,
            None => route_of(&read()?, text)?,
        };
        self.cache.routes().entry(key).or_insert_with(|| route.clone());
        let place = (part.index, part.span.start, part.source.line_column(part.span.start), around(part));
        Some(self.print(part.source.name(), &format!("{place:?}"), key, route))
    }

    /// Returns the print of an object that was read.
    pub(in crate::cli) fn of_item(&self, item: &Item) -> Option<Print> {
        // An object in a list may not say its kind.
        let span = if item.position.is_some() { item.span } else { item.piece };
        let text = &item.source.text()[span.start..span.end];
        let route = route_of(item, text)?;
        let place = (item.document, item.position, item.span.start, item.source.line_column(item.span.start));
        Some(self.print(item.source.name(), &format!("{place:?}"), Key::of([text.as_bytes()]), route))
    }

    fn print(&self, file: &str, place: &str, text: Key, route: Route) -> Print {
        let namespace = Some(route.namespace.unwrap_or_else(|| (self.namespace)(file)));
        let route = Arc::new(Route { namespace, ..route });
        let kind = [route.api_version.as_bytes(), route.kind.as_bytes()];
        let document = Key::of([file.as_bytes(), place.as_bytes(), &text.0].into_iter().chain(kind));
        let mut interned = self.interned.lock().unwrap_or_else(PoisonError::into_inner);
        let known = interned.get(&route).cloned();
        let route = known.unwrap_or_else(|| {
            interned.insert(route.clone());
            route
        });
        Print { document, route }
    }
}

/// Returns the lines before and after a document, which a report may show around a finding in it.
fn around(part: &Part) -> (&str, &str) {
    let text = part.source.text();
    let Span { start, end } = part.source.lines_around(part.span, SHOWN_AROUND);
    (text.get(start..part.span.start).unwrap_or_default(), text.get(part.span.end..end).unwrap_or_default())
}

/// The number of lines that reports show around a place, at most.
const SHOWN_AROUND: usize = 2;

fn route_of(item: &Item, text: &str) -> Option<Route> {
    let field = |name: &str| item.node.get(name)?.as_str().map(str::to_owned);
    let namespace = item.node.get("metadata").and_then(|metadata| metadata.get("namespace"));
    let (api_version, kind) = (field("apiVersion")?, field("kind")?);
    let names = ["clusterIP", "odePort", "externalIPs", "loadBalancer"];
    let names_network = kind == "Service" && names.iter().any(|name| text.contains(name));
    let namespace = match namespace {
        None => None,
        Some(namespace) => Some(namespace.as_str()?.to_owned()),
    };
    Some(Route { api_version, kind, namespace, names_network })
}

/// What a document is to others.
struct Scope<'p> {
    namespace: &'p str,
    /// Whether others may depend on it.
    is_needed: bool,
    /// Whether the results of others may change with it.
    is_keyed: bool,
}

impl Plan {
    /// Returns what to do with each of the documents with these `prints`, in the order of evaluation; those without a
    /// print are not objects.
    pub(in crate::cli) fn new(
        cache: &Cache,
        prints: &[Option<Box<Print>>],
        parameters: &Parameters,
    ) -> (Self, Vec<Option<Mark>>) {
        let networks: BTreeSet<&str> = prints
            .iter()
            .flatten()
            .filter(|print| print.route.names_network)
            .filter_map(|print| print.route.namespace.as_deref())
            .collect();
        let scopes: Vec<Option<Scope<'_>>> = prints
            .iter()
            .map(|print| print.as_ref().map(|print| scope(cache, &print.route, parameters, &networks)))
            .collect();
        let mut shared = cache.base;
        for (print, scope) in prints.iter().zip(&scopes) {
            if let (Some(print), Some(Scope { is_keyed: true, .. })) = (print, scope) {
                shared = shared.and(&print.document.0);
            }
        }
        let mut plan = Self { sequences: Vec::new(), numbers: BTreeMap::new() };
        let mut ordinal = 0_u64;
        let mut members = Vec::with_capacity(prints.len());
        for (print, scope) in prints.iter().zip(&scopes) {
            let (Some(print), Some(scope)) = (print, scope) else {
                members.push(None);
                continue;
            };
            ordinal += 1;
            let number = plan.number(scope.namespace, shared);
            let sequence = &mut plan.sequences[number as usize];
            // Names that controllers generate depend on the number of the request.
            sequence.key = sequence.key.and(&print.document.0).and(&ordinal.to_le_bytes());
            sequence.documents += 1;
            members.push(Some(number));
        }
        for sequence in &mut plan.sequences {
            let found = cache.entry(sequence.key);
            let is_whole = found.is_some_and(|(_, entry)| entry.blocks.len() == sequence.documents);
            sequence.pack = found.filter(|_| is_whole).map(|(position, _)| position);
        }
        // Policies report what is wrong with them, although nothing is evaluated.
        let is_policy = |print: &Print| is_policy_kind(&print.route.kind);
        let is_all_known = plan.sequences.iter().all(|sequence| sequence.pack.is_some())
            && !prints.iter().flatten().any(|print| is_policy(print));
        let mark = |(number, scope): (Option<u32>, &Option<Scope<'_>>)| {
            let (number, scope) = (number?, scope.as_ref()?);
            Some(match plan.sequences[number as usize].pack {
                Some(_) => Mark::Known { sequence: number, needed: scope.is_needed && !is_all_known },
                None => Mark::New(number),
            })
        };
        let marks = members.into_iter().zip(&scopes).map(mark).collect();
        (plan, marks)
    }

    /// Returns the number of the sequence of `namespace`.
    fn number(&mut self, namespace: &str, shared: Key) -> u32 {
        if let Some(number) = self.numbers.get(namespace) {
            return *number;
        }
        let number = u32::try_from(self.sequences.len()).expect("there are fewer namespaces");
        self.sequences.push(Sequence {
            namespace: namespace.to_owned(),
            key: shared.and(namespace.as_bytes()),
            documents: 0,
            pack: None,
            is_masked: AtomicBool::new(false),
        });
        self.numbers.insert(namespace.to_owned(), number);
        number
    }
}

fn scope<'p>(
    cache: &Cache,
    route: &'p Route,
    parameters: &Parameters,
    networks: &BTreeSet<&str>,
) -> Scope<'p> {
    let kind = GroupVersionKind::from_api_version(&route.api_version, &route.kind);
    let namespace = route.namespace.as_deref().unwrap_or_default();
    let found = resource::by_kind_in(cache.release, &kind);
    if cache.is_single || !found.is_some_and(|found| found.namespaced) {
        return Scope { namespace: "", is_needed: true, is_keyed: true };
    }
    let is_parameter = parameters.has(&route.kind) || cache.parameters.contains(&kind);
    if !is_parameter && !crosses_namespaces(&kind) {
        return Scope { namespace, is_needed: false, is_keyed: false };
    }
    let limits_parameters = ["Pod", "PersistentVolumeClaim"].iter().any(|kind| parameters.has(kind));
    let is_own = match (kind.group.as_ref(), kind.kind.as_ref()) {
        ("", "LimitRange") => !limits_parameters && cache.parameters.is_empty(),
        // Quotas can refuse what others depend on, but only a Service that names an address keeps others from it.
        ("", "Service") => !networks.contains(namespace),
        _ => false,
    };
    Scope { namespace, is_needed: true, is_keyed: is_parameter || !is_own }
}
