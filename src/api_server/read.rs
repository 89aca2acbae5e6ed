//! Reads files into objects of the cluster and requests.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;

use crate::api_server::Errors;
use crate::cluster::{Cluster, Fixture, FixtureError, is_policy};
use crate::code::Code;
use crate::evaluation::{Order, Parameters, Place, Prepared, Request, RequestDefaults};
use crate::report::{Diagnostic, Fixtures, Severity};
use gotext::source::{Node, SourceFile};
use kube_api::resource::{self, ApiResource, RuntimeConfig};
use kube_api::server_profile::ServerProfile;
use kube_api::{GroupResource, GroupVersionKind, Object};
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

fn is_definition(item: &Item) -> bool {
    kind_of(item) == "CustomResourceDefinition"
}

/// What an object of an undefined kind is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Undefined {
    /// An error: the object was given to be tried.
    Error,
    /// A note, since the chain does not look up kinds that it does not know.
    Note,
}

/// Adds the objects of `items` to `cluster`, and returns them. Objects without a namespace are in `namespace`. Errors
/// are passed to `say`. Definitions of custom resources come first, so that the order of the files does not matter.
pub(crate) fn put_fixtures(
    mut items: Vec<Item>,
    undefined: Undefined,
    namespace: &str,
    cluster: &Cluster,
    (profile, runtime_config): (&ServerProfile, Option<&RuntimeConfig>),
    fixtures: &Fixtures,
    mut say: impl FnMut(Diagnostic),
) -> Vec<(GroupResource, Arc<Object>)> {
    put_definitions_first(&mut items);
    let others = items.split_off(items.partition_point(is_definition));
    let read = |mut item: Item| {
        item.sort_keys();
        let unserved = unserved_policy(&item.node, profile, runtime_config);
        let (place, node) = Place::of(item);
        let fixture = match unserved {
            Some(kind) => Err((Code::Policy, FixtureError::UnknownKind(kind, place.span, profile.release()))),
            None => {
                Fixture::read(node, namespace, cluster, profile).map_err(|error| (Code::ClusterObject, error))
            }
        };
        (place, fixture)
    };
    let mut objects = Vec::new();
    let mut put = |(place, fixture): (Place, Result<Fixture, (Code, FixtureError)>)| {
        let source = place.source().clone();
        match fixture {
            Ok(fixture) => {
                for warning in fixture.warnings {
                    let ignored = Diagnostic::note(Code::ClusterIgnored, warning);
                    say(ignored.at(source.clone(), place.span));
                }
                fixtures.insert(&fixture.resource, &fixture.object, place);
                cluster.put(&fixture.resource, fixture.object.clone());
                objects.push((fixture.resource, fixture.object));
            }
            Err((code, error)) => {
                let diagnostic = Diagnostic::input(code, error.to_string());
                let help = error.help().map(Cow::into_owned);
                let span = error.span().unwrap_or(place.span);
                let is_unknown =
                    code == Code::ClusterObject && matches!(error, FixtureError::UnknownKind(..));
                let is_note = undefined == Undefined::Note && is_unknown;
                let severity = if is_note { Severity::Note } else { diagnostic.severity };
                say(Diagnostic { severity, help, ..diagnostic }.at(source, span));
            }
        }
    };
    items.into_iter().map(read).for_each(&mut put);
    // Nested documents need a deep stack.
    let threads =
        (others.len() >= MANY).then(|| rayon::ThreadPoolBuilder::new().stack_size(STACK_SIZE).build());
    match threads {
        Some(Ok(threads)) => {
            let mut others = others.into_iter();
            loop {
                let some: Vec<_> = others.by_ref().take(MANY).collect();
                if some.is_empty() {
                    break;
                }
                let found: Vec<_> = threads.install(|| some.into_par_iter().map(read).collect());
                found.into_iter().for_each(&mut put);
            }
        }
        _ => others.into_iter().map(read).for_each(put),
    }
    objects
}

/// The number of items that several threads read at once; they are not worth their start for fewer.
const MANY: usize = 512;

/// Returns the kind of a policy in a version that the server has and does not serve.
fn unserved_policy(
    node: &Node,
    profile: &ServerProfile,
    runtime_config: Option<&RuntimeConfig>,
) -> Option<GroupVersionKind> {
    let text = |field| node.get(field).and_then(Node::as_str).unwrap_or_default();
    let kind = GroupVersionKind::from_api_version(text("apiVersion"), text("kind"));
    let is_unserved = |resource: &ApiResource| runtime_config.is_some_and(|config| !config.serves(resource));
    let found = resource::by_kind_in(profile.release(), &kind).filter(|_| is_policy(&kind))?;
    is_unserved(found).then_some(kind)
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
