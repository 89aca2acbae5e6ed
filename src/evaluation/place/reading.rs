//! Documents that were read again, kept as long as the next question is about the same one.

use std::cell::RefCell;
use std::sync::Arc;

use crate::manifest::Part;
use crate::source::{Node, SourceFile, Span};

use super::secrets_of;

/// A document with its items, if it is a list.
#[derive(Debug)]
pub(super) struct Reading {
    source: Arc<SourceFile>,
    span: Span,
    pub(super) items: Vec<Node>,
    /// What the Secrets of the document keep secret.
    pub(super) secrets: Vec<Span>,
}

thread_local! {
    /// The document that this thread read last. Many places in a row are of one document: the items of a list, the
    /// objects that controllers make of a workload, the findings about an object.
    static LAST: RefCell<Option<Arc<Reading>>> = const { RefCell::new(None) };
}

/// Reads `part`, unless it was the last one that was read.
pub(super) fn read(part: Part) -> Option<Arc<Reading>> {
    let known = LAST.with_borrow(|last| {
        let is_same =
            |reading: &&Arc<Reading>| Arc::ptr_eq(&reading.source, &part.source) && reading.span == part.span;
        last.as_ref().filter(is_same).map(Arc::clone)
    });
    if known.is_some() {
        return known;
    }
    let document = part.read().ok()??;
    let items: Vec<Node> = document.unwrap_list().into_iter().map(|item| item.node).collect();
    let secrets = items.iter().flat_map(secrets_of).collect();
    let reading = Arc::new(Reading { source: part.source, span: part.span, items, secrets });
    LAST.set(Some(Arc::clone(&reading)));
    Some(reading)
}
