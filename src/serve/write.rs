//! Requests that change something: their bodies, patches and options, and the answers to them.
//!
//! Source: `k8s.io/apiserver/pkg/endpoints/handlers/{create,update,patch,delete}.go`

use std::sync::Arc;

use gotext::source::{Data, Node, SourceFile};

use crate::admission::{Operation, UserInfo};
use crate::evaluation::{Patch, Place, Recorded, Request, Served};
use crate::serve::answer::{Accepted, Answer, unsupported_media_type};
use crate::serve::engine::{Engine, Written};
use crate::serve::path::{Query, ResourcePath};
use crate::serve::read::Reading;
use crate::serve::shelf::{Shelf, VERSION};
use gotext::encoding_json;
use gotext::value::json;
use kube_api::decode::{self, DecodeError, FieldValidation};
use kube_api::field::{self, Path};
use kube_api::version::Version;
use kube_api::{GroupVersionKind, Object, Status, StatusDetails, Value, protobuf, schema};
use kube_yaml::{Format, Item};

const JSON: &str = "application/json";
const YAML: &str = "application/yaml";
const JSON_PATCH: &str = "application/json-patch+json";
const MERGE_PATCH: &str = "application/merge-patch+json";
const STRATEGIC_MERGE_PATCH: &str = "application/strategic-merge-patch+json";
const APPLY_PATCH: &str = "application/apply-patch+yaml";

/// The scheme that has the options of deletions, as errors name it.
const DELETION_SCHEME: &str = "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27";

/// The operations of a JSON patch that are too many.
const MOST_PATCH_OPERATIONS: usize = 10_000;

/// The subresources that are connections to containers and servers.
pub(super) const CONNECTIONS: [&str; 4] = ["attach", "exec", "portforward", "proxy"];

/// The resources whose deletion is answered with the object, by group.
///
/// Source: `ReturnDeletedObject` of the stores in `k8s.io/kubernetes/pkg/registry`
const RETURNED: [(&str, &[&str]); 3] = [
    (
        "",
        &[
            "namespaces",
            "persistentvolumeclaims",
            "persistentvolumes",
            "pods",
            "podtemplates",
            "resourcequotas",
            "serviceaccounts",
            "services",
        ],
    ),
    (
        "resource.k8s.io",
        &["deviceclasses", "devicetaintrules", "resourceclaims", "resourceclaimtemplates", "resourceslices"],
    ),
    (
        "storage.k8s.io",
        &["csidrivers", "csinodes", "storageclasses", "volumeattachments", "volumeattributesclasses"],
    ),
];

/// A request that changes something.
pub(super) struct Writing {
    pub(super) verb: &'static str,
    pub(super) served: Served,
    pub(super) path: ResourcePath,
    pub(super) query: Query,
    pub(super) accepted: Accepted,
    pub(super) user: Arc<UserInfo>,
    pub(super) content_type: String,
    pub(super) user_agent: String,
    /// The line of the request, which reports name as the file of the body.
    pub(super) title: String,
    pub(super) body: Vec<u8>,
    pub(super) release: Version,
    pub(super) now: i64,
}

impl Writing {
    /// Whether the answer takes little time: it concerns one object, and no controller creates or deletes many others
    /// because of it.
    pub(super) fn is_short(&self) -> bool {
        let resource = &self.path.resource;
        let is_busy = ["apps", "batch"].contains(&&*resource.group)
            || resource.is("", "namespaces")
            || resource.is("", "replicationcontrollers");
        self.verb != "deletecollection" && !is_busy
    }

    /// Sends the request through the chain and returns the answer. `finish` may complete the object of the answer.
    pub(super) fn answer(self, engine: &mut Engine, finish: impl FnOnce(&mut Object)) -> Answer {
        let result = match self.verb {
            "deletecollection" => self.delete_collection(engine),
            _ => self.write(engine, finish),
        };
        result.unwrap_or_else(|status| self.accepted.status(&status))
    }

    fn write(&self, engine: &mut Engine, finish: impl FnOnce(&mut Object)) -> Result<Answer, Status> {
        let recorded = self.recorded()?;
        let dry_run = recorded.request.dry_run;
        let waits = recorded.request.options.as_ref().is_some_and(waits_for_dependents);
        let Written { outcome, stored, before } = engine.answer(recorded, &self.served.stored_as())?;
        let warnings = outcome.trace.warnings.clone();
        let answer = match outcome.status() {
            Some(status) => self.accepted.status(status),
            None if outcome.operation == Operation::Delete => {
                // A dry run leaves what it would remove.
                let remains = |object: &Arc<Object>| {
                    !dry_run || waits || !object.list(["metadata", "finalizers"]).is_empty()
                };
                self.deleted(engine, stored.filter(remains).as_ref(), before.as_ref())
            }
            None if outcome.operation == Operation::Connect => {
                self.accepted.status(&self.connection(engine.shelf()))
            }
            None => {
                let is_created = outcome.operation == Operation::Create;
                let is_read = !dry_run && (!is_created || self.path.sub_resource.is_empty());
                let object = match stored.filter(|_| is_read) {
                    Some(stored) => Some(self.served.read(stored)),
                    None => outcome.object.clone(),
                };
                let code = if is_created { 201 } else { 200 };
                match object {
                    Some(mut object) => {
                        if dry_run && let Some(before) = before.filter(|_| !is_created) {
                            Arc::make_mut(&mut object).insert_default(VERSION, before.text(VERSION));
                        }
                        finish(Arc::make_mut(&mut object));
                        self.shown(engine, code, &object)
                    }
                    None => self.accepted.answer(code, &success(code, None)),
                }
            }
        };
        engine.report(outcome);
        Ok(answer.warning(warnings))
    }

    /// Returns an object as an answer, in the form that the client accepts.
    fn shown(&self, engine: &Engine, code: u16, object: &Object) -> Answer {
        let form = self.reading(engine.shelf()).form(object);
        form.map_or_else(|status| self.accepted.status(&status), |form| self.accepted.answer(code, &form))
    }

    /// Returns the answer to a request for a connection that was admitted.
    ///
    /// Source: `streamLocation`, `PortForwardLocation`
    fn connection(&self, shelf: &Shelf) -> Status {
        let (resource, name) = (self.served.stored_as(), &self.path.name);
        let is_of_container = self.path.sub_resource != "proxy";
        match shelf.get(&resource, self.namespace(), name) {
            None => Status::new_not_found(&resource, name),
            Some(pod) if is_of_container && pod.text(["spec", "nodeName"]).is_empty() => {
                Status::new_bad_request(format!("pod {name} does not have a host assigned"))
            }
            Some(_) => not_implemented(&format!(
                "nothing runs, so there is nothing to connect to with {}",
                self.path.sub_resource
            )),
        }
    }

    fn reading<'a>(&'a self, shelf: &'a Shelf) -> Reading<'a> {
        let Self { served, path, query, accepted, .. } = self;
        Reading { served, path, query, accepted, shelf, now: self.now }
    }

    /// Returns the answer to a deletion: the object if it still exists, or is of a kind whose deletion is answered so.
    fn deleted(&self, engine: &Engine, stored: Option<&Arc<Object>>, before: Option<&Arc<Object>>) -> Answer {
        let resource = self.served.resource();
        let is_returned = RETURNED
            .iter()
            .any(|(group, names)| resource.group == *group && names.contains(&&*resource.resource));
        let shown_object = match (stored, before) {
            (Some(stored), _) => Some(stored),
            (None, Some(before)) if is_returned => Some(before),
            _ => None,
        };
        if let Some(object) = shown_object {
            return self.shown(engine, 200, &self.served.read(object.clone()));
        }
        let mut details = json!({"name": self.path.name, "kind": resource.resource});
        if !resource.group.is_empty() {
            details["group"] = resource.group.to_string().into();
        }
        if let Some(before) = before {
            details["uid"] = before.text(["metadata", "uid"]).into();
        }
        self.accepted.answer(200, &success(0, Some(details)))
    }

    fn delete_collection(&self, engine: &mut Engine) -> Result<Answer, Status> {
        let options = self.delete_options()?;
        let shelf = engine.shelf().clone();
        self.reading(&shelf).check_options(false)?;
        let selection = self.reading(&shelf).selection()?;
        let stored_as = self.served.stored_as();
        let mut items = Vec::new();
        let page = shelf.list(&stored_as, &selection.namespace);
        for object in page.objects {
            let object = self.served.read(object);
            if !selection.selects(&object) {
                continue;
            }
            let mut recorded = self.request(Operation::Delete, options.clone());
            recorded.request.namespace = Some(object.namespace().to_owned());
            recorded.request.name = Some(object.name().to_owned());
            let written = engine.answer(recorded, &stored_as)?;
            let refusal = written.outcome.status().filter(|status| status.code != 404).cloned();
            engine.report(written.outcome);
            if let Some(status) = refusal {
                return Err(status);
            }
            items.push(object);
        }
        let metadata = json!({"resourceVersion": page.revision.to_string()});
        Ok(self.accepted.answer(200, &self.reading(&shelf).list_form(&items, metadata)?))
    }

    /// Returns the request to the chain.
    fn recorded(&self) -> Result<Recorded, Status> {
        let is_connection = CONNECTIONS.contains(&self.path.sub_resource.as_str());
        match self.verb {
            _ if is_connection => Ok(self.request(Operation::Connect, None)),
            "create" | "update" => {
                if self.verb == "update" {
                    self.check_name()?;
                }
                let operation = if self.verb == "create" { Operation::Create } else { Operation::Update };
                let mut recorded = self.request(operation, self.write_options());
                if self.media_type() == protobuf::MEDIA_TYPE {
                    recorded.request.object = Some(self.object_of_protobuf()?);
                    return Ok(recorded);
                }
                let item = self.object()?;
                recorded.request.strict_errors = match item.format {
                    Format::Yaml => item.strict_errors.iter().map(|error| error.text.clone()).collect(),
                    Format::Json => Vec::new(),
                };
                let (place, node) = Place::of(item);
                recorded.request.place = Some(place);
                recorded.request.object = Some(node);
                Ok(recorded)
            }
            "patch" => {
                let patch = self.patch()?;
                let options = self.write_options();
                Ok(Recorded { patch: Some(patch), ..self.request(Operation::Update, options) })
            }
            _ => Ok(self.request(Operation::Delete, self.delete_options()?)),
        }
    }

    fn request(&self, operation: Operation, options: Option<Value>) -> Recorded {
        let is_dry_run = |options: &Value| !options.list("dryRun").is_empty();
        // The name is that of the path; a new object has its own.
        let has_name = operation != Operation::Create || !self.path.sub_resource.is_empty();
        let request = Request {
            operation: Some(operation),
            namespace: Some(self.namespace().to_owned()),
            name: has_name.then(|| self.path.name.clone()),
            dry_run: options.as_ref().is_some_and(is_dry_run),
            options,
            user_info: self.user.clone(),
            field_validation: self.field_validation(),
            ..Request::to(self.path.resource.clone(), &self.path.sub_resource)
        };
        Recorded { request, verb: self.verb.to_owned(), patch: None, manager: self.manager() }
    }

    fn namespace(&self) -> &str {
        if self.served.is_namespaced() { &self.path.namespace } else { "" }
    }

    fn field_validation(&self) -> FieldValidation {
        FieldValidation::parse(self.query.get("fieldValidation").unwrap_or_default()).unwrap_or_default()
    }

    /// Returns the owner of the fields that the request sets.
    ///
    /// Source: `managerOrUserAgent`
    fn manager(&self) -> String {
        const LONGEST: usize = 128;
        if let Some(manager) = self.query.get("fieldManager") {
            return manager.to_owned();
        }
        let client = self.user_agent.split('/').next().unwrap_or_default();
        client.chars().filter(|character| !character.is_control()).take(LONGEST).collect()
    }

    fn write_options(&self) -> Option<Value> {
        let mut options = json!({});
        for name in ["fieldManager", "fieldValidation"] {
            if let Some(value) = self.query.get(name) {
                options[name] = value.into();
            }
        }
        let dry_run: Vec<&str> = self.query.all("dryRun").collect();
        if !dry_run.is_empty() {
            options["dryRun"] = dry_run.into();
        }
        options.as_object().is_some_and(|options| !options.is_empty()).then_some(options)
    }

    /// Returns the options in the body of a deletion, or those of its query.
    fn delete_options(&self) -> Result<Option<Value>, Status> {
        if !self.body.is_empty() {
            let node = match self.media_type() {
                protobuf::MEDIA_TYPE => self.object_of_protobuf()?,
                _ => self.item(|error, _| Status::new_bad_request(error.to_owned()))?.node,
            };
            let mut options = node.into_value();
            let kind = options.text("kind");
            if !["", "DeleteOptions"].contains(&kind) {
                let version = options.text("apiVersion");
                return Err(Status::new_bad_request(format!(
                    "no kind \"{kind}\" is registered for version \"{version}\" in scheme \"{DELETION_SCHEME}\""
                )));
            }
            if let Some(map) = options.as_object_mut() {
                map.remove("kind");
                map.remove("apiVersion");
            }
            return Ok(Some(options).filter(|options| options.as_object().is_none_or(|map| !map.is_empty())));
        }
        let mut options = self.write_options().unwrap_or_else(|| json!({}));
        if let Some(policy) = self.query.get("propagationPolicy") {
            options["propagationPolicy"] = policy.into();
        }
        if let Some(orphans) = self.query.flag_if_given("orphanDependents") {
            options["orphanDependents"] = orphans.into();
        }
        if let Some(seconds) = self.query.get("gracePeriodSeconds") {
            let error = |_| {
                Status::new_bad_request(format!(
                    "strconv.ParseInt: parsing {}: invalid syntax",
                    gotext::quote(seconds)
                ))
            };
            options["gracePeriodSeconds"] = seconds.parse::<i64>().map_err(error)?.into();
        }
        Ok(options.as_object().is_some_and(|options| !options.is_empty()).then_some(options))
    }

    /// Returns the media type of the body, without parameters.
    fn media_type(&self) -> &str {
        self.content_type.split(';').next().unwrap_or_default().trim()
    }

    /// Reads an object in the form of typed clients in Go.
    fn object_of_protobuf(&self) -> Result<Node, Status> {
        let (kind, tables) = (self.served.kind(), schema::of_release(self.release));
        let value = protobuf::read(&self.body, kind, tables).map_err(|error| match error {
            protobuf::Error::UnknownKind => unsupported_media_type(&[JSON, YAML]),
            error => Status::new_bad_request(format!(
                "the object provided is unrecognized (must be of type {}): {error}",
                kind.kind
            )),
        })?;
        Ok(Node::from(value))
    }

    /// Reads the object in the body.
    fn object(&self) -> Result<Item, Status> {
        let kind = &self.served.kind().kind;
        self.item(|error, text| {
            let summary = decode::summary(text);
            let message =
                format!("the object provided is unrecognized (must be of type {kind}): {error} ({summary})");
            *DecodeError::new(message).status
        })
    }

    /// Reads the body; `unrecognized` returns the refusal of one with an error.
    fn item(&self, unrecognized: impl Fn(&str, &str) -> Status) -> Result<Item, Status> {
        let is_json = match self.media_type() {
            "" | JSON => true,
            YAML => false,
            _ => return Err(unsupported_media_type(&[JSON, YAML, protobuf::MEDIA_TYPE])),
        };
        let text = str::from_utf8(&self.body).map_err(|_| unrecognized("the body is not UTF-8", ""))?;
        // Go leaves an object as it is that it reads from null.
        let text = if text.trim() == "null" { "{}" } else { text };
        let source = SourceFile::new(self.title.clone(), text);
        if is_json && !text.trim_start().starts_with('{') {
            let error = match kube_yaml::read_json(text) {
                Ok(_) => format!(
                    "couldn't get version/kind; json parse error: {}struct {{ APIVersion string \
                     \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }}",
                    not_into(text)
                ),
                Err(error) => format!("couldn't get version/kind; json parse error: {error}"),
            };
            return Err(unrecognized(&error, text));
        }
        let document =
            kube_yaml::read_first(&source).map_err(|error| unrecognized(&error.to_string(), text))?;
        let mut item = Item {
            source: document.source,
            document: 0,
            piece: document.span,
            position: None,
            span: document.node.span,
            format: document.format,
            node: document.node,
            strict_errors: document.strict_errors,
        };
        item.sort_keys();
        if !matches!(item.node.data, Data::Object(_)) {
            return Err(unrecognized("couldn't get version/kind; the body is not an object", text));
        }
        Ok(item)
    }

    /// Reads the patch in the body.
    fn patch(&self) -> Result<Patch, Status> {
        let is_custom = self.served.custom().is_some();
        let accepted: &[&str] = if is_custom {
            &[JSON_PATCH, MERGE_PATCH, APPLY_PATCH]
        } else {
            &[JSON_PATCH, MERGE_PATCH, STRATEGIC_MERGE_PATCH, APPLY_PATCH]
        };
        let media_type = self.media_type();
        if !accepted.contains(&media_type) {
            return Err(if is_custom { unsupported_media_type(accepted) } else { unsupported() });
        }
        self.check_name()?;
        self.check_patch_options(media_type == APPLY_PATCH)?;
        if media_type == APPLY_PATCH {
            let text = str::from_utf8(&self.body).map_err(|_| bad_yaml("the body is not UTF-8"))?;
            let source = SourceFile::new(self.title.clone(), text);
            let document = kube_yaml::read_first(&source)
                .map_err(|error| bad_yaml(&format!("error converting YAML to JSON: {error}")))?;
            if let (Some(message), true) =
                (document.strict_message(), self.field_validation() != FieldValidation::Ignore)
            {
                return Err(Status::new_bad_request(format!("error strict decoding YAML: {message}")));
            }
            let manager = self.query.get("fieldManager").unwrap_or_default().to_owned();
            let manifest = Node::into_value(document.node).untyped();
            if !manifest.is_object() {
                let found = not_into(&manifest.to_string());
                return Err(bad_yaml(&format!(
                    "error unmarshaling JSON: while decoding JSON: {found}map[string]interface {{}}"
                )));
            }
            let kind = GroupVersionKind::from_api_version(manifest.text("apiVersion"), manifest.text("kind"));
            if kind != *self.served.kind() {
                let GroupVersionKind { group, version, kind } = kind;
                let error = format!("invalid object type: {group}/{version}, Kind={kind}");
                return Err(Status::new_bad_request(error));
            }
            return Ok(Patch::Apply { manifest, manager, forces: self.query.flag("force") });
        }
        let patch = encoding_json::from_slice(&self.body)
            .map_err(|error| Status::new_bad_request(format!("error decoding patch: {error}")))?;
        match media_type {
            JSON_PATCH if !matches!(patch, Value::Array(_) | Value::Null) => {
                let error =
                    format!("error decoding patch: {}[]handlers.jsonPatchOp", not_into(&patch.to_string()));
                Err(Status::new_bad_request(error))
            }
            JSON_PATCH => {
                let count = patch.as_array().map_or(0, Vec::len);
                if count > MOST_PATCH_OPERATIONS {
                    let message = format!(
                        "Request entity too large: The allowed maximum operations in a JSON patch is \
                         {MOST_PATCH_OPERATIONS}, got {count}"
                    );
                    let reason = "RequestEntityTooLarge".to_owned();
                    return Err(Status { code: 413, reason, message, details: None });
                }
                Ok(Patch::Json(patch))
            }
            _ if !patch.is_object() => {
                let found = not_into(&patch.to_string());
                Err(Status::new_bad_request(format!(
                    "error decoding patch: {found}map[string]interface {{}}"
                )))
            }
            MERGE_PATCH => Ok(Patch::Merge(patch)),
            _ => Ok(Patch::StrategicMerge(patch)),
        }
    }

    /// Refuses a change of a custom object without its name; other resources have no such path.
    fn check_name(&self) -> Result<(), Status> {
        if self.path.name.is_empty() { Err(Status::new_bad_request("name must be provided")) } else { Ok(()) }
    }

    /// Source: `ValidatePatchOptions`
    fn check_patch_options(&self, is_apply: bool) -> Result<(), Status> {
        let error = if is_apply && self.query.get("fieldManager").is_none() {
            field::Error::required(&Path::new("fieldManager"), "is required for apply patch")
        } else if !is_apply && self.query.get("force").is_some() {
            field::Error::forbidden(&Path::new("force"), "may not be specified for non-apply patch")
        } else {
            return Ok(());
        };
        let kind = GroupVersionKind::new("meta.k8s.io", "v1", "PatchOptions");
        Err(Status::new_invalid(&kind, "", &[error]))
    }
}

/// Whether an object that is deleted with these options waits for those that it owns.
fn waits_for_dependents(options: &Value) -> bool {
    ["Foreground", "Orphan"].contains(&options.text("propagationPolicy")) || options.flag("orphanDependents")
}

/// Returns the beginning of Go's error about a value that is no object, or no list where one is expected.
fn not_into(text: &str) -> String {
    let found = match text.trim_start().as_bytes().first() {
        Some(b'[') => "array",
        Some(b'{') => "object",
        Some(b'"') => "string",
        Some(b't' | b'f') => "bool",
        _ => "number",
    };
    format!("json: cannot unmarshal {found} into Go value of type ")
}

/// Returns the router's refusal of a body of another type.
fn unsupported() -> Status {
    Status {
        code: 415,
        reason: "UnsupportedMediaType".to_owned(),
        message: "415: Unsupported Media Type".to_owned(),
        details: Some(StatusDetails::default()),
    }
}

fn bad_yaml(error: &str) -> Status {
    Status::new_bad_request(format!("error decoding YAML: {error}"))
}

/// Returns a status that is no refusal.
fn success(code: u16, details: Option<Value>) -> Value {
    let mut status = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success"});
    if code > 0 {
        status["code"] = code.into();
    }
    if let Some(details) = details {
        status["details"] = details;
    }
    status
}

/// Returns 501 about what this server does not do.
pub(super) fn not_implemented(message: &str) -> Status {
    Status { code: 501, reason: "NotImplemented".to_owned(), message: message.to_owned(), details: None }
}
