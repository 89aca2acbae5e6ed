//! Reads files into objects of the cluster and requests.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use crate::api_server::Errors;
use crate::cluster::{Cluster, Fixture, FixtureError};
use crate::evaluation::{Order, Parameters, Place, Prepared, Request, RequestDefaults};
use crate::report::Diagnostic;
use gotext::source::{Node, SourceFile};
use kube_api::server_profile::ServerProfile;
use kube_yaml::{Item, files};

/// Reads the file at `path`; for a directory, every `.yaml`, `.yml` and `.json` file below it in the order of names.
///
/// # Errors
///
/// Fails if a file cannot be read, or is not UTF-8.
pub fn read_files(path: impl AsRef<Path>) -> Result<Vec<Arc<SourceFile>>, Errors> {
    let (mut found, mut errors) = (Vec::new(), Vec::new());
    for file in files::list(path.as_ref()) {
        match file.and_then(|file| files::read_file(&file)) {
            Ok(source) => found.push(source),
            Err(error) => errors.push(Diagnostic::from(&error)),
        }
    }
    if errors.is_empty() { Ok(found) } else { Err(errors.into()) }
}

/// Returns the objects of every document; unreadable ones are added to `errors`.
pub(super) fn items(files: &[Arc<SourceFile>], errors: &mut Vec<Diagnostic>) -> Vec<Item> {
    let mut items = Vec::new();
    for document in files.iter().flat_map(kube_yaml::read) {
        match document {
            Ok(document) => items.extend(document.unwrap_list()),
            Err(error) => errors.push(Diagnostic::from(&error)),
        }
    }
    items
}

/// Returns the objects of every document in `order`; unreadable ones are added to `errors`.
#[cfg(feature = "report")]
pub(crate) fn sorted_items(
    files: &[Arc<SourceFile>],
    order: Order,
    errors: &mut Vec<Diagnostic>,
) -> Vec<Item> {
    let mut items = items(files, errors);
    if order != Order::File {
        sort(&mut items, order);
    }
    items
}

/// Returns the kind of the object, or nothing.
pub(super) fn kind_of(item: &Item) -> &str {
    item.node.get("kind").and_then(Node::as_str).unwrap_or_default()
}

/// Returns the names of the Namespaces among `items`.
pub(super) fn namespaces(items: &[Item]) -> BTreeSet<String> {
    let namespaces = items.iter().filter(|item| kind_of(item) == "Namespace");
    let name = |item: &Item| item.node.get("metadata")?.get("name")?.as_str().map(str::to_owned);
    namespaces.filter_map(name).collect()
}

/// Sorts `items` by `order`.
pub(super) fn sort(items: &mut Vec<Item>, order: Order) {
    let ranked = std::mem::take(items).into_iter().map(|item| (order.rank(&item.node), item));
    let mut ranked: Vec<_> = ranked.collect();
    let parameters: Parameters = ranked.iter().map(|(rank, _)| rank).collect();
    ranked.sort_by(|(left, _), (right, _)| order.key(left, &parameters).cmp(&order.key(right, &parameters)));
    items.extend(ranked.into_iter().map(|(_, item)| item));
}

/// Puts definitions of custom resources before all others, so that the order of the files does not matter.
pub(crate) fn put_definitions_first(items: &mut [Item]) {
    items.sort_by_key(|item| !is_definition(item));
}

/// Whether `item` is the definition of a custom resource.
pub(super) fn is_definition(item: &Item) -> bool {
    kind_of(item) == "CustomResourceDefinition"
}

/// Returns the object of the cluster that `item` is, and its place.
pub(crate) fn fixture(
    mut item: Item,
    namespace: &str,
    cluster: &Cluster,
    profile: &ServerProfile,
) -> (Place, Result<Fixture, FixtureError>) {
    let lost = item.lost_object().cloned();
    item.sort_keys();
    let (place, node) = Place::of(item);
    let fixture = match lost {
        Some(error) => Err(FixtureError::Joined(error)),
        None => Fixture::read(node, namespace, cluster, profile),
    };
    (place, fixture)
}

/// Returns the request for `item`, decoded where that does not depend on the cluster.
pub(crate) fn request(
    item: Item,
    defaults: &RequestDefaults,
    profile: &ServerProfile,
) -> Result<Prepared, Diagnostic> {
    Ok(Prepared::new(read_request(item, defaults)?, profile))
}

/// Returns the request for `item` as it is written.
pub(crate) fn read_request(item: Item, defaults: &RequestDefaults) -> Result<Request, Diagnostic> {
    let source = item.source.clone();
    Request::new(item, defaults).map_err(|error| {
        Diagnostic::input(error.code(), error.to_string()).help(error.help()).at(source, error.span())
    })
}

/// Deeply nested documents recurse; the bound on their depth fits into this many bytes.
pub(crate) const STACK_SIZE: usize = 64 << 20;

/// Calls `work` on a stack that deeply nested documents do not overflow.
#[cfg(not(target_family = "wasm"))]
pub(super) fn on_a_deep_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    use std::panic::resume_unwind;
    use std::thread;

    thread::scope(|scope| {
        let thread = thread::Builder::new().name("kadmit".to_owned()).stack_size(STACK_SIZE);
        let thread = thread.spawn_scoped(scope, work).expect("the system has room for one more thread");
        thread.join().unwrap_or_else(|panic| resume_unwind(panic))
    })
}

/// Calls `work`; there are no threads. The size of the stack is the linker's.
#[cfg(target_family = "wasm")]
pub(super) fn on_a_deep_stack<T>(work: impl FnOnce() -> T) -> T {
    work()
}
