//! Documents that were read again, cached while the next look-ups are about them.

use std::cell::RefCell;
use std::sync::Arc;

use gotext::source::{Node, SourceFile, Span};
use kube_yaml::Part;

use super::{Secret, secrets_of};

/// A document with its items, if it is a list.
#[derive(Debug)]
pub(super) struct Reading {
    source: Arc<SourceFile>,
    span: Span,
    pub(super) items: Vec<Node>,
    /// The secret values in the document.
    pub(super) secrets: Vec<Secret>,
}

/// The number of documents that a thread caches: that of the object, and those of the fixtures that cause its refusal.
const MAX_KEPT: usize = 4;

thread_local! {
    /// The documents that this thread read last, the latest first. Consecutive places are often in one document: the
    /// items of a list, the objects that controllers create for a workload, the findings about an object.
    static LATEST: RefCell<Vec<Arc<Reading>>> = const { RefCell::new(Vec::new()) };
}

/// Reads `part`, unless it was one of the last ones read.
pub(super) fn read(part: Part) -> Option<Arc<Reading>> {
    LATEST.with_borrow_mut(|latest| {
        let is_known =
            |reading: &Arc<Reading>| Arc::ptr_eq(&reading.source, &part.source) && reading.span == part.span;
        if let Some(known) = latest.iter().position(is_known) {
            latest[..=known].rotate_right(1);
        } else {
            let document = part.read().ok()??;
            let items: Vec<Node> = document.unwrap_list().into_iter().map(|item| item.node).collect();
            let text = part.source.text();
            let secrets = items.iter().flat_map(|item| secrets_of(item, text)).collect();
            latest.truncate(MAX_KEPT - 1);
            latest.insert(0, Arc::new(Reading { source: part.source, span: part.span, items, secrets }));
        }
        latest.first().map(Arc::clone)
    })
}
