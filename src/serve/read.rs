//! Requests that read: objects, lists, and what a watch begins with.
//!
//! Source: `k8s.io/apiserver/pkg/endpoints/handlers/{get,watch}.go`, `k8s.io/apiserver/pkg/storage/etcd3`

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;

use crate::evaluation::Served;
use crate::serve::answer::{Accepted, Answer, Form, metadata_of, shown};
use crate::serve::path::{Query, ResourcePath};
use crate::serve::selection::Selection;
use crate::serve::shelf::{Event, Page, Shelf, VERSION};
use crate::serve::table;
use gotext::encoding_json;
use gotext::value::json;
use kube_api::{GroupVersionKind, Object, Status, StatusCause, StatusDetails, Value};

/// The shortest time after which a server ends watches that do not say how long they last.
const WATCH_TIME: Duration = Duration::from_secs(1800);

/// The annotation of the bookmark after the objects that exist when a watch begins.
const INITIAL_EVENTS_END: &str = "k8s.io/initial-events-end";

/// A request that reads.
pub(super) struct Reading<'a> {
    pub(super) served: &'a Served,
    pub(super) path: &'a ResourcePath,
    pub(super) query: &'a Query,
    pub(super) accepted: &'a Accepted,
    pub(super) shelf: &'a Shelf,
    /// The time, as seconds since 1970.
    pub(super) now: i64,
}

/// A watch that has begun.
pub(super) struct Watch {
    encoder: Encoder,
    selection: Selection,
    /// The revision until which the client knows everything.
    pub(super) revision: u64,
    /// What the client gets first.
    pub(super) initial: Vec<u8>,
    pub(super) time: Duration,
    pub(super) has_bookmarks: bool,
}

/// Turns objects into events in the form that the client accepts.
struct Encoder {
    served: Served,
    accepted: Accepted,
    includes: table::Include,
    has_header: bool,
}

impl Reading<'_> {
    /// Answers a request for one object.
    pub(super) fn get(&self) -> Result<Answer, Status> {
        let object = self.find()?;
        let object = self.served.read(object);
        Ok(self.accepted.answer(200, &self.form(&object)))
    }

    /// Returns the object that the path names, as it is stored.
    pub(super) fn find(&self) -> Result<Arc<Object>, Status> {
        let resource = self.served.stored_as();
        let name = &self.path.name;
        let namespace = if self.served.is_namespaced() { &*self.path.namespace } else { "" };
        self.shelf.get(&resource, namespace, name).ok_or_else(|| Status::new_not_found(&resource, name))
    }

    /// Returns an object in the form that the client accepts.
    pub(super) fn form(&self, object: &Object) -> Value {
        match self.accepted.form {
            Form::Whole => shown(object),
            Form::Metadata => metadata_of(object, &self.accepted.version),
            Form::Table => {
                let includes = table::Include::of(self.query);
                let version = object.text(VERSION);
                let columns = table::Columns::of(self.served);
                columns.table(&self.accepted.version, &[object], version, includes, self.now, true)
            }
        }
    }

    /// Answers a request for a list.
    pub(super) fn list(&self) -> Result<Answer, Status> {
        let selection = self.selection()?;
        let (page, rest) = self.page(&selection)?;
        let mut metadata = json!({"resourceVersion": page.revision.to_string()});
        if let (Some(last), true) = (page.objects.last(), rest > 0) {
            let start = format!("{}/{}", last.namespace(), last.name());
            metadata["continue"] = Token { revision: page.revision, start }.written().into();
            if selection.is_everything() {
                metadata["remainingItemCount"] = rest.into();
            }
        }
        let objects: Vec<Arc<Object>> =
            page.objects.into_iter().map(|object| self.served.read(object)).collect();
        let list = match self.accepted.form {
            Form::Whole => {
                let is_custom = self.served.custom().is_some();
                let item =
                    |object: &Arc<Object>| if is_custom { shown(object) } else { without_kind(object) };
                let GroupVersionKind { kind, .. } = self.served.kind();
                json!({
                    "kind": self.list_kind(kind),
                    "apiVersion": self.served.kind().api_version(),
                    "metadata": metadata,
                    "items": objects.iter().map(item).collect::<Vec<_>>(),
                })
            }
            Form::Metadata => {
                let version = &self.accepted.version;
                json!({
                    "kind": "PartialObjectMetadataList",
                    "apiVersion": format!("meta.k8s.io/{version}"),
                    "metadata": metadata,
                    "items": objects.iter().map(|object| metadata_of(object, version)).collect::<Vec<_>>(),
                })
            }
            Form::Table => {
                let objects: Vec<&Object> = objects.iter().map(|object| &**object).collect();
                let (version, includes) = (&self.accepted.version, table::Include::of(self.query));
                let columns = table::Columns::of(self.served);
                let mut table = columns.table(version, &objects, "", includes, self.now, true);
                table["metadata"] = metadata;
                table
            }
        };
        Ok(self.accepted.answer(200, &list))
    }

    fn list_kind(&self, kind: &str) -> String {
        let own = self.served.custom().map(|(definition, _)| definition.list_kind.as_str());
        own.filter(|kind| !kind.is_empty()).map_or_else(|| format!("{kind}List"), str::to_owned)
    }

    /// Returns the selectors of the request.
    pub(super) fn selection(&self) -> Result<Selection, Status> {
        let selectable = self.served.custom().map(|(_, version)| version.selectable_fields.as_slice());
        Selection::of(self.path, self.query, self.served.kind(), selectable.unwrap_or_default())
    }

    /// Returns the requested part of the list, and how many objects follow it.
    fn page(&self, selection: &Selection) -> Result<(Page, usize), Status> {
        let resource = self.served.stored_as();
        let limit: usize = self.number("limit")?.and_then(|limit| limit.try_into().ok()).unwrap_or(0);
        let page = match self.query.get("continue") {
            Some(token) => {
                let token = Token::read(token)?;
                let mut page = self.shelf.list_at(&resource, &selection.namespace, token.revision)?;
                page.objects.retain(|object| {
                    let (namespace, name) = token.start.split_once('/').unwrap_or_default();
                    (object.namespace(), object.name()) > (namespace, name)
                });
                page
            }
            None => self.list_of(&resource, selection)?,
        };
        let mut page = page;
        page.objects.retain(|object| selection.selects(&self.served.read(object.clone())));
        let rest = if limit == 0 { 0 } else { page.objects.len().saturating_sub(limit) };
        if limit > 0 {
            page.objects.truncate(limit);
        }
        Ok((page, rest))
    }

    fn list_of(&self, resource: &kube_api::GroupResource, selection: &Selection) -> Result<Page, Status> {
        let given = self.revision()?;
        let how = self.query.get("resourceVersionMatch");
        if how.is_some()
            && self.query.get("resourceVersion").is_none()
            && !self.query.flag("sendInitialEvents")
        {
            return Err(invalid_list(
                "resourceVersionMatch",
                "Forbidden",
                "resourceVersionMatch is forbidden unless resourceVersion is provided",
            ));
        }
        let latest = self.shelf.revision();
        match given {
            Some(revision) if revision > latest => Err(too_large(revision, latest)),
            Some(revision) if how == Some("Exact") => {
                self.shelf.list_at(resource, &selection.namespace, revision)
            }
            _ => Ok(self.shelf.list(resource, &selection.namespace)),
        }
    }

    /// Begins a watch.
    pub(super) fn watch(&self) -> Result<Watch, Status> {
        let selection = self.selection()?;
        let resource = self.served.stored_as();
        let mut encoder = Encoder {
            served: self.served.clone(),
            accepted: self.accepted.clone(),
            includes: table::Include::of(self.query),
            has_header: true,
        };
        let given = self.revision()?.filter(|revision| *revision > 0);
        let has_bookmarks = self.query.flag("allowWatchBookmarks");
        let sends_initial = self.query.flag_if_given("sendInitialEvents");
        if sends_initial.is_some() && self.query.get("resourceVersionMatch") != Some("NotOlderThan") {
            let detail = "sendInitialEvents is forbidden for watch unless resourceVersionMatch is provided";
            return Err(invalid_list("resourceVersionMatch", "Forbidden", detail));
        }
        let mut initial = Vec::new();
        let mut revision = match (given, sends_initial) {
            (Some(revision), None | Some(false)) => revision,
            _ => self.shelf.revision(),
        };
        let is_listed = sends_initial.unwrap_or(given.is_none());
        if is_listed {
            let page = self.shelf.list(&resource, &selection.namespace);
            revision = page.revision;
            for object in page.objects {
                let object = self.served.read(object);
                if selection.selects(&object) {
                    initial.extend(encoder.event("ADDED", &object, self.now));
                }
            }
            if sends_initial == Some(true) && has_bookmarks {
                initial.extend(encoder.bookmark(revision, true));
            }
        } else {
            // Events that are no longer known are an error before the watch begins.
            self.shelf.events_after(&resource, revision)?;
        }
        let seconds = self.number("timeoutSeconds")?.and_then(|seconds| seconds.try_into().ok());
        let time = seconds.filter(|seconds| *seconds > 0).map_or(WATCH_TIME, Duration::from_secs);
        Ok(Watch { encoder, selection, revision, initial, time, has_bookmarks })
    }

    fn revision(&self) -> Result<Option<u64>, Status> {
        let Some(text) = self.query.get("resourceVersion") else { return Ok(None) };
        text.parse().map(Some).map_err(|error| {
            let detail = format!("Invalid value: {text:?}: strconv.ParseUint: parsing {text:?}: {error}");
            invalid_list("resourceVersion", "Invalid", &detail)
        })
    }

    fn number(&self, name: &str) -> Result<Option<i64>, Status> {
        let Some(text) = self.query.get(name) else { return Ok(None) };
        let error = || format!("strconv.ParseInt: parsing {}: invalid syntax", gotext::quote(text));
        text.parse().map(Some).map_err(|_| Status::new_bad_request(error()))
    }
}

impl Watch {
    /// Returns the events that the client does not know yet, as bytes.
    ///
    /// # Errors
    ///
    /// Returns the last event of the watch if some are no longer known.
    pub(super) fn next(&mut self, shelf: &Shelf, now: i64) -> Result<Vec<u8>, Vec<u8>> {
        let resource = self.encoder.served.stored_as();
        let (revision, events) = shelf
            .events_after(&resource, self.revision)
            .map_err(|status| line("ERROR", crate::serve::answer::written(&status)))?;
        self.revision = self.revision.max(revision);
        let mut bytes = Vec::new();
        for event in &events {
            self.show(event, now, &mut bytes);
        }
        Ok(bytes)
    }

    /// Returns a bookmark.
    pub(super) fn bookmark(&self) -> Vec<u8> {
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
    fn event(&mut self, kind: &str, object: &Object, now: i64) -> Vec<u8> {
        let shown = match self.accepted.form {
            Form::Whole => shown(object),
            Form::Metadata => metadata_of(object, &self.accepted.version),
            Form::Table => {
                let has_header = std::mem::take(&mut self.has_header);
                let columns = table::Columns::of(&self.served);
                let (version, revision) = (&self.accepted.version, object.text(VERSION));
                columns.table(version, &[object], revision, self.includes, now, has_header)
            }
        };
        line(kind, shown)
    }

    fn bookmark(&self, revision: u64, is_initial: bool) -> Vec<u8> {
        let mut metadata = json!({"resourceVersion": revision.to_string(), "creationTimestamp": null});
        if is_initial {
            metadata["annotations"] = json!({INITIAL_EVENTS_END: "true"});
        }
        let kind = self.served.kind();
        let object = json!({"kind": kind.kind, "apiVersion": kind.api_version(), "metadata": metadata});
        let shown = match self.accepted.form {
            Form::Whole => object,
            Form::Metadata => metadata_of(&Object::new(kind.clone(), object), &self.accepted.version),
            Form::Table => {
                let object = Object::new(kind.clone(), object);
                let columns = table::Columns::of(&self.served);
                let revision = revision.to_string();
                columns.table(&self.accepted.version, &[&object], &revision, self.includes, 0, false)
            }
        };
        line("BOOKMARK", shown)
    }
}

fn line(kind: &str, object: Value) -> Vec<u8> {
    let mut event = json!({"type": kind});
    event["object"] = object;
    let mut text = encoding_json::to_string(&event);
    text.push('\n');
    text.into_bytes()
}

fn without_kind(object: &Arc<Object>) -> Value {
    let mut value = object.value.clone();
    if let Some(map) = value.as_object_mut() {
        map.remove("apiVersion");
        map.remove("kind");
    }
    value
}

/// The place at which the next page of a list begins.
struct Token {
    revision: u64,
    start: String,
}

impl Token {
    fn written(&self) -> String {
        let token = json!({"v": "meta.k8s.io/v1", "rv": self.revision, "start": self.start});
        BASE64_URL_SAFE_NO_PAD.encode(encoding_json::to_string(&token))
    }

    fn read(text: &str) -> Result<Self, Status> {
        let invalid = || Status::new_bad_request("continue key is not valid");
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(text).map_err(|_| invalid())?;
        let token = encoding_json::from_slice(&bytes).map_err(|_| invalid())?;
        let revision = token.get("rv").and_then(Value::as_u64).ok_or_else(invalid)?;
        let start = token.get("start").and_then(Value::as_str).ok_or_else(invalid)?;
        Ok(Self { revision, start: start.to_owned() })
    }
}

fn too_large(revision: u64, latest: u64) -> Status {
    let cause = StatusCause {
        reason: "ResourceVersionTooLarge".to_owned(),
        message: "Too large resource version".to_owned(),
        ..StatusCause::default()
    };
    let details = StatusDetails { causes: vec![cause], retry_after_seconds: 1, ..StatusDetails::default() };
    Status {
        code: 504,
        reason: "Timeout".to_owned(),
        message: format!("Timeout: Too large resource version: {revision}, current: {latest}"),
        details: Some(details),
    }
}

fn invalid_list(field: &str, reason: &str, detail: &str) -> Status {
    let message = if reason == "Invalid" { detail.to_owned() } else { format!("{reason}: {detail}") };
    let kind = format!("FieldValue{reason}");
    let cause = StatusCause { reason: kind, message: message.clone(), field: field.to_owned() };
    let details = StatusDetails {
        group: "meta.k8s.io".to_owned(),
        kind: "ListOptions".to_owned(),
        causes: vec![cause],
        ..StatusDetails::default()
    };
    Status {
        code: 422,
        reason: "Invalid".to_owned(),
        message: format!("ListOptions.meta.k8s.io \"\" is invalid: {field}: {message}"),
        details: Some(details),
    }
}
