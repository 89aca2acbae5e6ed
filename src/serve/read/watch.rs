//! Watches: the events that a client gets.

use std::sync::Arc;
use std::time::Duration;

use crate::evaluation::Served;
use crate::serve::answer::{Accepted, Form, metadata_of, shown};
use crate::serve::selection::Selection;
use crate::serve::shelf::{Event, Shelf, VERSION};
use crate::serve::table;
use gotext::encoding_json;
use gotext::value::json;
use kube_api::{GroupResource, Object, Value};

/// A watch that has begun.
pub(in crate::serve) struct Watch {
    pub(super) encoder: Encoder,
    pub(super) selection: Selection,
    /// The revision until which the client knows everything.
    pub(in crate::serve) revision: u64,
    /// What the client gets first.
    pub(in crate::serve) initial: Vec<u8>,
    pub(in crate::serve) time: Duration,
    pub(in crate::serve) has_bookmarks: bool,
}

/// Turns objects into events in the form that the client accepts.
pub(super) struct Encoder {
    pub(super) served: Served,
    pub(super) accepted: Accepted,
    pub(super) includes: table::Include,
    pub(super) has_header: bool,
}

/// The events that are looked at before a client gets some of them.
const MAX_EVENTS: usize = 256;

/// The bytes after which no event is added to a piece: a client that does not read keeps two of them waiting.
const ENOUGH_BYTES: usize = 16 << 10;

/// The annotation of the bookmark after the objects that exist when a watch begins.
const INITIAL_EVENTS_END: &str = "k8s.io/initial-events-end";

impl Watch {
    /// Returns the resource that it is about.
    pub(in crate::serve) fn resource(&self) -> GroupResource {
        self.encoder.served.stored_as()
    }

    /// Returns events that the client does not know yet, as bytes, and whether there are no more.
    ///
    /// # Errors
    ///
    /// Returns the last event of the watch if some are no longer known.
    pub(in crate::serve) fn next(&mut self, shelf: &Shelf, now: i64) -> Result<(Vec<u8>, bool), Vec<u8>> {
        let (revision, events) = shelf
            .events_after(&self.resource(), self.revision, MAX_EVENTS)
            .map_err(|status| line("ERROR", &crate::serve::answer::written(&status)))?;
        let mut bytes = Vec::new();
        for event in &events {
            if bytes.len() >= ENOUGH_BYTES {
                return Ok((bytes, false));
            }
            self.show(event, now, &mut bytes);
            self.revision = self.revision.max(event.revision);
        }
        self.revision = self.revision.max(revision);
        Ok((bytes, events.len() < MAX_EVENTS))
    }

    /// Returns a bookmark.
    pub(in crate::serve) fn bookmark(&self) -> Vec<u8> {
        self.encoder.bookmark(self.revision, false)
    }

    /// Adds what the client learns about an event to `bytes`: an object that is no longer selected is deleted for it.
    fn show(&mut self, event: &Event, now: i64, bytes: &mut Vec<u8>) {
        let read = |object: &Arc<Object>| self.encoder.served.read(object.clone());
        let object = read(&event.object);
        let before = event.before.as_ref().map(read);
        let was_selected = before.as_deref().is_some_and(|before| self.selection.selects(before));
        let is_selected = !event.is_removal && self.selection.selects(&object);
        let kind = match (was_selected, is_selected) {
            (false, false) => return,
            (false, true) => "ADDED",
            (true, true) => "MODIFIED",
            (true, false) => "DELETED",
        };
        // Thousands of watches may send the same line.
        if kind == event.kind()
            && self.encoder.accepted.form == Form::Whole
            && Arc::ptr_eq(&object, &event.object)
        {
            bytes.extend(event.line.get_or_init(|| self.encoder.event(kind, &object, now)));
            return;
        }
        let last = before.filter(|_| kind == "DELETED").map(|before| {
            let mut last = Object::clone(&before);
            last.set(VERSION, event.revision.to_string());
            last
        });
        bytes.extend(self.encoder.event(kind, last.as_ref().unwrap_or(&object), now));
    }
}

impl Encoder {
    pub(super) fn event(&mut self, kind: &str, object: &Object, now: i64) -> Vec<u8> {
        let shown = match self.accepted.form {
            Form::Whole => shown(object),
            Form::Metadata | Form::MetadataList => metadata_of(object, &self.accepted.version),
            Form::Table => {
                let has_header = std::mem::take(&mut self.has_header);
                let columns = table::Columns::of(&self.served);
                let (version, revision) = (&self.accepted.version, object.text(VERSION));
                columns.table(version, &[object], revision, self.includes, now, has_header)
            }
        };
        line(kind, &shown)
    }

    pub(super) fn bookmark(&self, revision: u64, is_initial: bool) -> Vec<u8> {
        let mut metadata = json!({"resourceVersion": revision.to_string()});
        if is_initial {
            metadata["annotations"] = json!({INITIAL_EVENTS_END: "true"});
        }
        let kind = self.served.kind();
        let object = json!({"kind": kind.kind, "apiVersion": kind.api_version(), "metadata": metadata});
        let shown = match self.accepted.form {
            Form::Whole => object,
            Form::Metadata | Form::MetadataList => {
                metadata_of(&Object::new(kind.clone(), object), &self.accepted.version)
            }
            Form::Table => {
                let object = Object::new(kind.clone(), object);
                let columns = table::Columns::of(&self.served);
                let revision = revision.to_string();
                columns.table(&self.accepted.version, &[&object], &revision, self.includes, 0, false)
            }
        };
        line("BOOKMARK", &shown)
    }
}

fn line(kind: &str, object: &Value) -> Vec<u8> {
    let object = encoding_json::to_string(object);
    format!("{{\"type\":\"{kind}\",\"object\":{object}}}\n").into_bytes()
}
