//! Requests that read: objects, lists, and what a watch begins with.
//!
//! Source: `k8s.io/apiserver/pkg/endpoints/handlers/{get,watch}.go`, `k8s.io/apiserver/pkg/storage/etcd3`

mod watch;

use std::sync::Arc;
use std::time::Duration;

use base64::engine::general_purpose::{GeneralPurpose, NO_PAD};
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use base64::{DecodeError, Engine as _, alphabet};

use crate::evaluation::Served;
use crate::serve::answer::{Accepted, Answer, Form, metadata_of, not_convertible, shown};
use crate::serve::path::{Query, ResourcePath};
use crate::serve::selection::Selection;
use crate::serve::shelf::{Page, Shelf, VERSION};
use crate::serve::table;
use gotext::encoding_json;
use gotext::value::json;
use kube_api::field::{self, Path};
use kube_api::{GroupResource, GroupVersionKind, Object, Status, StatusCause, StatusDetails, Value};

use watch::Encoder;
pub(super) use watch::Watch;

/// The shortest time after which a server ends watches that do not say how long they last.
const WATCH_TIME: Duration = Duration::from_secs(1800);

/// Reads base64 as Go does, which ignores the bits that are left over.
const LENIENT: GeneralPurpose =
    GeneralPurpose::new(&alphabet::URL_SAFE, NO_PAD.with_decode_allow_trailing_bits(true));

/// The option of a list or watch that may be of a later state than the given one.
const NOT_OLDER_THAN: &str = "NotOlderThan";

/// Why the next page of a list cannot be of the same state.
const CONTINUE_EXPIRED: &str = "The provided continue parameter is too old to display a consistent list result. \
                                You can start a new list without the continue parameter, or use the continue token \
                                in this response to retrieve the remainder of the results. Continuing with the \
                                provided token results in an inconsistent list - objects that were created, \
                                modified, or deleted between the time the first chunk was returned and now may \
                                show up in the list.";

/// Why a list cannot be of a former state.
const LIST_EXPIRED: &str = "The resourceVersion for the provided list is too old.";

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

/// A part of a list.
pub(super) struct List {
    pub(super) objects: Vec<Arc<Object>>,
    pub(super) metadata: Value,
}

impl Reading<'_> {
    /// Answers a request for one object.
    pub(super) fn get(&self) -> Result<Answer, Status> {
        if self.query.flag("export") {
            let error = "the export parameter, deprecated since v1.14, is no longer supported";
            return Err(Status::new_bad_request(error));
        }
        self.check_version(1)?;
        let object = self.find()?;
        let object = self.served.read(object);
        Ok(self.accepted.answer(200, &self.form(&object)?))
    }

    /// Returns the object that the path names, as it is stored.
    pub(super) fn find(&self) -> Result<Arc<Object>, Status> {
        let resource = self.served.stored_as();
        let name = &self.path.name;
        let namespace = if self.served.is_namespaced() { &*self.path.namespace } else { "" };
        let found = self.shelf.get(&resource, namespace, name);
        found.ok_or_else(|| {
            let mut asked = self.served.resource().group_resource();
            // Its storage names it in the singular.
            if asked == GroupResource::new("", "componentstatuses") {
                asked.resource = "componentstatus".into();
            }
            Status::new_not_found(&asked, name)
        })
    }

    /// Returns an object in the form that the client accepts.
    pub(super) fn form(&self, object: &Object) -> Result<Value, Status> {
        Ok(match self.accepted.form {
            Form::Whole => shown(object),
            Form::Metadata => metadata_of(object, &self.accepted.version),
            Form::MetadataList => return Err(self.no_list()),
            Form::Table => {
                let includes = table::Include::of(self.query)?;
                let version = object.text(VERSION);
                let columns = table::Columns::of(self.served);
                columns.table(&self.accepted.version, &[object], version, includes, self.now, true)
            }
        })
    }

    /// Answers a request for a list.
    pub(super) fn list(&self) -> Result<Answer, Status> {
        let (selection, limit) = self.options(false)?;
        Ok(match self.listed(&selection, limit)? {
            Ok(List { objects, metadata }) => self.accepted.answer(200, &self.list_form(&objects, metadata)?),
            Err(expired) => expired,
        })
    }

    /// Returns the requested part of a list of at most `limit` objects, or the answer about a state that is no longer
    /// known.
    pub(super) fn listed(&self, selection: &Selection, limit: usize) -> Result<Result<List, Answer>, Status> {
        let token = self.query.get("continue").map(Token::read).transpose()?;
        let (page, rest) = match self.page(selection, token.as_ref(), limit) {
            Err(status) if status.code == 410 => return Ok(Err(self.expired(status, token))),
            found => found?,
        };
        let mut metadata = json!({"resourceVersion": page.revision.to_string()});
        if let (Some(last), true) = (page.objects.last(), rest > 0) {
            let start = format!("{}/{}", last.namespace(), last.name());
            metadata["continue"] = Token { revision: Some(page.revision), start }.written().into();
            if selection.is_everything() {
                metadata["remainingItemCount"] = rest.into();
            }
        }
        let objects = page.objects.into_iter().map(|object| self.served.read(object)).collect();
        Ok(Ok(List { objects, metadata }))
    }

    /// Returns a list in the form that the client accepts.
    pub(super) fn list_form(&self, objects: &[Arc<Object>], metadata: Value) -> Result<Value, Status> {
        Ok(match self.accepted.form {
            Form::Whole => {
                let is_custom = self.served.custom().is_some();
                let item =
                    |object: &Arc<Object>| if is_custom { shown(object) } else { without_kind(object) };
                let GroupVersionKind { kind, .. } = self.served.kind();
                let mut metadata = metadata;
                if is_custom {
                    // A list without a type has the field even if it is empty.
                    metadata.as_object_mut().into_iter().for_each(|map| {
                        map.entry("continue").or_insert_with(|| "".into());
                    });
                }
                json!({
                    "kind": self.list_kind(kind),
                    "apiVersion": self.served.kind().api_version(),
                    "metadata": metadata,
                    "items": objects.iter().map(item).collect::<Vec<_>>(),
                })
            }
            Form::Metadata => {
                let found = format!("the requested object is a list ({})", self.go_type(true));
                return Err(not_convertible(format!("you requested PartialObjectMetadata, but {found}")));
            }
            Form::MetadataList => {
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
                let (version, includes) = (&self.accepted.version, table::Include::of(self.query)?);
                let columns = table::Columns::of(self.served);
                let mut table = columns.table(version, &objects, "", includes, self.now, true);
                table["metadata"] = metadata;
                table
            }
        })
    }

    /// Returns the refusal to show one object as a list.
    ///
    /// Source: `asPartialObjectMetadataList`
    fn no_list(&self) -> Status {
        if self.served.custom().is_some() {
            let message = "content is not a list".to_owned();
            return Status { code: 500, reason: String::new(), message, ..Status::default() };
        }
        let found = format!("the requested object is not a list ({})", self.go_type(false));
        not_convertible(format!("you requested PartialObjectMetadataList, but {found}"))
    }

    /// Returns the type of an object or a list in the server.
    fn go_type(&self, is_list: bool) -> String {
        let list = if is_list { "List" } else { "" };
        if self.served.custom().is_some() {
            return format!("*unstructured.Unstructured{list}");
        }
        let GroupVersionKind { group, kind, .. } = self.served.kind();
        let package = match group.split('.').next().unwrap_or_default() {
            "" | "events" => "core",
            "internal" => "apiserverinternal",
            first => first,
        };
        format!("*{package}.{kind}{list}")
    }

    fn list_kind(&self, kind: &str) -> String {
        let own = self.served.custom().map(|(definition, _)| definition.list_kind.as_str());
        own.filter(|kind| !kind.is_empty()).map_or_else(|| format!("{kind}List"), str::to_owned)
    }

    /// Returns the requested part of the list, and how many objects follow it.
    fn page(
        &self,
        selection: &Selection,
        token: Option<&Token>,
        limit: usize,
    ) -> Result<(Page, usize), Status> {
        let resource = self.served.stored_as();
        let mut page = if let Some(token) = token {
            if self.query.get("resourceVersion").is_some_and(|version| version != "0") {
                let message = "specifying resource version is not allowed when using continue";
                return Err(Status::new_bad_request(message));
            }
            let mut page = match token.revision {
                Some(revision) => self.shelf.list_at(&resource, &selection.namespace, revision)?,
                None => self.shelf.list(&resource, &selection.namespace),
            };
            page.objects.retain(|object| {
                let (namespace, name) = token.start.split_once('/').unwrap_or_default();
                (object.namespace(), object.name()) > (namespace, name)
            });
            page
        } else {
            // The cache of a server waits for a state, and its store, which has pages of one state, does not.
            let version = self.query.get("resourceVersion");
            let is_exact = match self.query.get("resourceVersionMatch") {
                Some(how) => how == "Exact",
                None => limit > 0 && version.is_some_and(|version| version != "0"),
            };
            let version = self.check_version(u32::from(!is_exact)).map_err(of_list)?;
            match version.filter(|_| is_exact) {
                Some(revision) => self.shelf.list_at(&resource, &selection.namespace, revision)?,
                None => self.shelf.list(&resource, &selection.namespace),
            }
        };
        // What may be of any state comes from the cache of a server, whole.
        let is_cached = token.is_none() && self.query.get("resourceVersion") == Some("0");
        let limit = if is_cached { 0 } else { limit };
        page.objects.retain(|object| selection.selects(&self.served.read(object.clone())));
        let rest = if limit == 0 { 0 } else { page.objects.len().saturating_sub(limit) };
        if limit > 0 {
            page.objects.truncate(limit);
        }
        Ok((page, rest))
    }

    /// Answers a request for a state that is no longer known: a list can go on with the present one.
    ///
    /// Source: `interpretListError`
    fn expired(&self, mut status: Status, token: Option<Token>) -> Answer {
        let message = if token.is_some() { CONTINUE_EXPIRED } else { LIST_EXPIRED };
        message.clone_into(&mut status.message);
        let mut written = crate::serve::answer::written(&status);
        if let Some(token) = token {
            written["metadata"]["continue"] = Token { revision: None, ..token }.written().into();
        }
        self.accepted.answer(410, &written)
    }

    /// Reads the options of a list or watch: what it selects, and the length of a page; 0 for everything.
    ///
    /// Source: `ListResource`, `SetListOptionsDefaults`, `ValidateListOptions`
    pub(super) fn options(&self, is_watch: bool) -> Result<(Selection, usize), Status> {
        self.query.number("timeoutSeconds")?;
        let limit = self.query.number("limit")?.and_then(|limit| limit.try_into().ok()).unwrap_or(0);
        let selection = Selection::of(self.path, self.query)?;
        let (given, version) = (self.query.get("resourceVersionMatch"), self.query.get("resourceVersion"));
        let (path, initial) = (Path::new("resourceVersionMatch"), Path::new("sendInitialEvents"));
        let mut sends_initial = self.query.flag_if_given("sendInitialEvents").is_some();
        let mut how = given;
        if is_watch && !sends_initial && how.is_none() && version.is_none_or(|version| version == "0") {
            (sends_initial, how) = (true, Some(NOT_OLDER_THAN));
        }
        let continues = self.query.get("continue").is_some();
        let mut errors = Vec::new();
        let mut forbid = |path: &Path, detail: &str| errors.push(field::Error::forbidden(path, detail));
        if is_watch && sends_initial && how != Some(NOT_OLDER_THAN) {
            forbid(&path, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
        }
        if how.is_some() && is_watch && !sends_initial {
            forbid(&path, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided");
        }
        if how.is_some() && !is_watch && version.is_none() {
            forbid(&path, "resourceVersionMatch is forbidden unless resourceVersion is provided");
        }
        if how.is_some() && !is_watch && continues {
            forbid(&path, "resourceVersionMatch is forbidden when continue is provided");
        }
        let matches: &[&str] = if is_watch { &[NOT_OLDER_THAN] } else { &["Exact", NOT_OLDER_THAN, ""] };
        if let Some(how) = how.filter(|how| !matches.contains(how)) {
            errors.push(field::Error::not_supported(&path, &how.into(), matches));
        }
        let mut forbid = |path: &Path, detail: &str| errors.push(field::Error::forbidden(path, detail));
        if !is_watch && how == Some("Exact") && version == Some("0") {
            forbid(&path, "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"");
        }
        if is_watch && how.is_some() && continues {
            forbid(&path, "resourceVersionMatch is forbidden when continue is provided");
        }
        if !is_watch && sends_initial {
            forbid(&initial, "sendInitialEvents is forbidden for list");
        }
        if !errors.is_empty() {
            let kind = GroupVersionKind::new("meta.k8s.io", "v1", "ListOptions");
            return Err(Status::new_invalid(&kind, "", &errors));
        }
        let selectable = self.served.custom().map(|(_, version)| version.selectable_fields.as_slice());
        selection.check(self.served.kind(), selectable)?;
        Ok((selection, limit))
    }

    /// Begins a watch.
    pub(super) fn watch(&self) -> Result<Watch, Status> {
        let (selection, _) = self.options(true)?;
        let given = self.revision()?.filter(|revision| *revision > 0);
        self.accepted.streams()?;
        if self.accepted.form == Form::MetadataList {
            return Err(self.no_list());
        }
        let resource = self.served.stored_as();
        let mut encoder = Encoder {
            served: self.served.clone(),
            accepted: self.accepted.clone(),
            includes: table::Include::of(self.query)?,
            has_header: true,
        };
        let has_bookmarks = self.query.flag("allowWatchBookmarks");
        let sends_initial = self.query.flag_if_given("sendInitialEvents");
        let mut initial = Vec::new();
        let mut revision = match (given, sends_initial) {
            (Some(revision), None | Some(false)) => revision,
            _ => self.shelf.revision(),
        };
        let seconds = self.query.number("timeoutSeconds")?;
        // A negative time is over before the first event.
        let is_listed =
            sends_initial.unwrap_or(given.is_none()) && seconds.is_none_or(|seconds| seconds >= 0);
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
        }
        let time = match seconds {
            None | Some(0) => WATCH_TIME,
            Some(seconds) => Duration::from_secs(seconds.try_into().unwrap_or_default()),
        };
        Ok(Watch { encoder, selection, revision, initial, time, has_bookmarks })
    }

    /// Returns the resource version in the query, which the server has reached; if not, the client may try again after
    /// some seconds.
    fn check_version(&self, retry_after_seconds: u32) -> Result<Option<u64>, Status> {
        let (given, latest) = (self.revision()?, self.shelf.revision());
        match given.filter(|given| *given > latest) {
            Some(given) => Err(too_large(given, latest, retry_after_seconds)),
            None => Ok(given),
        }
    }

    fn revision(&self) -> Result<Option<u64>, Status> {
        let Some(text) = self.query.get("resourceVersion") else { return Ok(None) };
        let reason = match text.parse() {
            Ok(revision) => return Ok(Some(revision)),
            Err(_) if text.bytes().all(|byte| byte.is_ascii_digit()) => "value out of range",
            Err(_) => "invalid syntax",
        };
        let text = gotext::quote(text);
        let message =
            format!("resourceVersion: Invalid value: {text}: strconv.ParseUint: parsing {text}: {reason}");
        // No status names this error, so the server takes it for its own.
        Err(Status { code: 500, reason: String::new(), message, ..Status::default() })
    }
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
    /// The revision of the list; none to go on with the present one.
    revision: Option<u64>,
    start: String,
}

impl Token {
    fn written(&self) -> String {
        let revision = self.revision.map_or_else(|| json!(-1), |revision| json!(revision));
        let token = json!({"v": "meta.k8s.io/v1", "rv": revision, "start": self.start});
        BASE64_URL_SAFE_NO_PAD.encode(encoding_json::to_string(&token))
    }

    /// Source: `DecodeContinue`
    fn read(text: &str) -> Result<Self, Status> {
        let invalid = |error: String| {
            Status::new_bad_request(format!("invalid continue token: continue key is not valid: {error}"))
        };
        let bytes = LENIENT.decode(text).map_err(|error| {
            let place = match error {
                DecodeError::InvalidByte(place, _) => place,
                _ => text.len() / 4 * 4,
            };
            invalid(format!("illegal base64 data at input byte {place}"))
        })?;
        let token = encoding_json::from_slice(&bytes).map_err(invalid)?;
        let version = token.get("v").and_then(Value::as_str).unwrap_or_default();
        if version != "meta.k8s.io/v1" {
            return Err(invalid(format!("server does not recognize this encoded version {version}")));
        }
        let revision = token.get("rv").and_then(Value::as_i64).unwrap_or(0);
        if revision == 0 {
            let error = "incorrect encoded start resourceVersion (version meta.k8s.io/v1)";
            return Err(invalid(error.to_owned()));
        }
        match token.get("start").and_then(Value::as_str) {
            None | Some("") => Err(invalid("encoded start key empty (version meta.k8s.io/v1)".to_owned())),
            Some(start) => Ok(Self { revision: revision.try_into().ok(), start: start.to_owned() }),
        }
    }
}

/// Returns the answer to a list at a resource version that is no number; others have none of their own.
fn of_list(status: Status) -> Status {
    if status.code != 500 {
        return status;
    }
    Status::new_bad_request(format!("invalid resource version: {}", status.message))
}

fn too_large(revision: u64, latest: u64, retry_after_seconds: u32) -> Status {
    let cause = StatusCause {
        reason: "ResourceVersionTooLarge".to_owned(),
        message: "Too large resource version".to_owned(),
        ..StatusCause::default()
    };
    let details = StatusDetails { causes: vec![cause], retry_after_seconds, ..StatusDetails::default() };
    Status {
        code: 504,
        reason: "Timeout".to_owned(),
        message: format!("Timeout: Too large resource version: {revision}, current: {latest}"),
        details: Some(details),
        ..Status::default()
    }
}
